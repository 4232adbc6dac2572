/* gst-stereomatching: SIMD temporal filter on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Pixels without a jump, which are the majority, are filtered in vectors.
 * Jumps and pixels that have become invalid follow one at a time, from a bit
 * mask.
 */

#include "refine/temporal-cpu.h"

#include "core/cpu.h"
#include "refine/output-simd.h"
#include "refine/temporal-formula.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)
#define CHUNK 512

/* A row of the frame. */
typedef struct
{
  const StereoTemporalFrame *f;
  int y;
  const uint8_t *view;
  const uint8_t *past_view;
  const uint16_t *map;
  const uint16_t *past;
  uint16_t *next;
  uint8_t *age;
} Row;

/* -------------------------------------------------------------------- jumps */

#if defined (__AVX2__)
ALWAYS_INLINE int
load_four (const uint8_t * p)
{
  int bytes;

  memcpy (&bytes, p, sizeof (bytes));
  return bytes;
}

/* The 3x3 bytes around p, and 0. */
ALWAYS_INLINE __m128i
load_window (const uint8_t * p, size_t stride)
{
  return _mm_and_si128 (_mm_setr_epi32 (load_four (p - stride - 1),
          load_four (p - 1), load_four (p + stride - 1), 0),
      _mm_set1_epi32 (0xffffff));
}

/* stereo_temporal_sum() of views with a byte for a pixel. */
ALWAYS_INLINE int
window_sum (const StereoTemporalFrame * f, StereoTemporalView a, int x,
    StereoTemporalView b, int other_x, int y)
{
  __m128i sums;

  /* Loads read four bytes of a row. */
  if (x < 1 || x > f->width - 3 || other_x < 1 || other_x > f->width - 3
      || y < 1 || y > f->height - 2)
    return stereo_temporal_sum (f, a, x, b, other_x, y);
  sums = _mm_sad_epu8 (load_window (a.data + (size_t) y * a.stride + x,
          a.stride), load_window (b.data + (size_t) y * b.stride + other_x,
          b.stride));
  return _mm_cvtsi128_si32 (sums) + _mm_extract_epi16 (sums, 4);
}
#else
#define window_sum stereo_temporal_sum
#endif

/* stereo_temporal_is_plausible() with vectors. */
ALWAYS_INLINE bool
is_plausible (const StereoTemporalFrame * f, int x, int y, unsigned before,
    unsigned now)
{
  const int cost = window_sum (f, f->left, x, f->right,
      stereo_temporal_partner (f, x, before), y);
  const int other = window_sum (f, f->left, x, f->right,
      stereo_temporal_partner (f, x, now), y);
  bool plausible;

  if (!stereo_temporal_is_open (cost, other, &plausible))
    return plausible;
  return window_sum (f, f->left, x, stereo_temporal_past_view (f), x, y)
      <= STEREO_TEMPORAL_SUM || !stereo_temporal_was_near (f, x, y, now);
}

/* Filters the pixels from x on whose bits are set. */
static void
filter_jumps (const Row * r, int x, uint32_t bits, const uint8_t age[LANES])
{
  for (; bits != 0; bits &= bits - 1) {
    const int i = __builtin_ctz (bits);
    const unsigned before = r->past[x + i], now = r->map[x + i];

    if (age[i] == r->f->frames || (now != STEREO_INVALID
            && !is_plausible (r->f, x + i, r->y, before, now)))
      continue;
    r->next[x + i] = (uint16_t) before;
    r->age[x + i] = age[i] + 1;
  }
}

/* ------------------------------------------------------------------ vectors */

/* Loads up to n bytes; missing lanes are 0. */
ALWAYS_INLINE VecU16
load_bytes (const uint8_t * p, int n)
{
  uint8_t bytes[LANES] = { 0 };

  if (n >= LANES)
    return simd_widen8 (p);
  memcpy (bytes, p, (size_t) n);
  return simd_widen8 (bytes);
}

/* A bit for each of the first n lanes. */
ALWAYS_INLINE uint32_t
first_lanes (int n)
{
  return n >= LANES ? UINT32_MAX : (UINT32_C (1) << n) - 1;
}

/* LANES pixels from x on. */
ALWAYS_INLINE void
filter_lanes (const Row * r, int x)
{
  const StereoTemporalFrame *f = r->f;
  const VecU16 invalid = simd_set16 (STEREO_INVALID);
  const VecU16 before = simd_load16 (r->past + x);
  const VecU16 now = simd_load16 (r->map + x);
  const VecU16 there = load_bytes (r->view + x, f->width - x);
  const VecU16 once = simd_widen8 (r->past_view + x);
  const VecU16 distance = simd_max16 (before, now) - simd_min16 (before, now);
  const VecU16 change = simd_max16 (there, once) - simd_min16 (there, once);
  const VecU16 differ = before ^ now;
  const VecU16 larger = simd_select16 (simd_mask_less16 (before, now),
      simd_set16 (1), (VecU16) { 0 });
  const VecU16 mean = (before & now) + (differ >> 1) + (differ & larger);
  const SimdMask16 known = simd_mask_less16 (before, invalid);
  const SimdMask16 found = simd_mask_less16 (now, invalid);
  const SimdMask16 near = simd_mask_less16 (distance,
      simd_set16 ((uint16_t) (f->unit + 1)));
  const SimdMask16 far = simd_mask_less16 (simd_set16 ((uint16_t)
          (STEREO_TEMPORAL_JUMP * f->unit)), distance);
  const SimdMask16 same = simd_mask_less16 (change,
      simd_set16 (STEREO_TEMPORAL_LEVELS + 1));
  const uint32_t bits = first_lanes (f->width - x)
      & simd_mask_bits16 (known & (far | ~found));
  uint8_t age[LANES];

  simd_store16 (r->next + x, simd_select16 (known & found & near & same, mean,
          now));
  memcpy (age, r->age + x, LANES);
  memset (r->age + x, 0, LANES);
  if (bits != 0)
    filter_jumps (r, x, bits, age);
}

/* Encodes and stores n codes from x on. */
static void
encode (const Row * r, int x, int n, const StereoOutput * output)
{
  const VecU16 invalid = simd_set16 (STEREO_INVALID);
  uint16_t codes[CHUNK + LANES];

  for (int i = 0; i < n; i += LANES)
    simd_store16 (codes + i, simd_select16 (simd_mask_less16 (simd_load16
                (r->map + x + i), invalid), simd_load16 (r->next + x + i),
            invalid));
  stereo_output_chunk (output, x, r->y, codes, n);
}

static void
filter_rows (const void *context, StereoSpan span)
{
  const StereoTemporalJob *job = context;
  const StereoTemporalFrame *f = job->frame;
  const size_t width = (size_t) f->width;

  for (int y = span.begin; y < span.end; y++) {
    const size_t at = (size_t) y * f->stride;
    const Row row = {.f = f,.y = y,
      .view = f->left.data + (size_t) y * f->left.stride,
      .past_view = f->past_view + at,
      .map = f->map.data + (size_t) y * f->map.stride,
      .past = f->past.data + (size_t) y * f->past.stride,
      .next = f->next.data + (size_t) y * f->next.stride,
      .age = f->age + at
    };

    memcpy (f->next_view + at, row.view, width);
    if (f->first) {
      memset (row.age, 0, f->stride);
      memcpy (row.next, row.map, width * sizeof (uint16_t));
    }
    for (int x = 0; x < f->width; x += CHUNK) {
      const int n = f->width - x < CHUNK ? f->width - x : CHUNK;

      for (int i = 0; i < n && !f->first; i += LANES)
        filter_lanes (&row, x + i);
      encode (&row, x, n, job->output);
    }
  }
}

static StereoStatus
temporal_filter (StereoQueue * queue, const StereoTemporalFrame * frame,
    const StereoOutput * output)
{
  const StereoTemporalJob job = {.frame = frame,.output = output };

  stereo_cpu_for (queue, frame->height, 0, filter_rows, &job);
  return STEREO_OK;
}

const StereoTemporalStages SIMD_NAME (stereo_temporal_stages_) = {
  .view = stereo_temporal_view_cpu,
  .filter = temporal_filter,
};
