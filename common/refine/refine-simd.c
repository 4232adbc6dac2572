/* gst-stereomatching: SIMD refinement on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Speckle filter: connected neighbours of a row form runs.  A bit mask has the
 * ends of runs, and a union-find forest has one node per run, at its last
 * pixel. Strips of rows are labelled independently, then joined.
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"
#include "refine/output-simd.h"
#include "refine/stages-simd.h"
#include "refine/winner-formula.h"
#include "simd/simd.h"

#include <string.h>

#define LANES (SIMD_BYTES / 2)

/* -------------------------------------------------------------------- check */

static void
confirm_row (const StereoRefineConstants * k, const uint32_t * restrict left,
    const uint32_t * restrict mirrored, uint32_t * restrict right)
{
  const int width = k->width, min = k->min_disparity, lr = k->lr_max_diff;

#pragma omp simd
  for (int x = 0; x < width; x++) {
    const int index = (int) (mirrored[width - 1 - x] & 0xffff);
    const int partner = x + index + min;
    const bool inside = (index != (int) STEREO_INVALID)
        & ((unsigned) partner < (unsigned) width);
    const int other = (int) (left[inside ? partner : 0] & 0xffff);

    if (inside & ((unsigned) (other - index + lr) <= (unsigned) (2 * lr)))
      right[x] = (uint32_t) index;
  }
}

static void
confirm_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoWinners *w = job->winners;

  for (int y = span.begin; y < span.end; y++)
    confirm_row (job->k, w->left + (size_t) y * w->left_stride,
        job->mirrored + (size_t) y * w->left_stride,
        w->right + (size_t) y * w->right_stride);
}

static StereoStatus
refine_confirm (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoWinners * winners, const uint32_t * mirrored)
{
  const StereoRefineJob job = {.k = k,.winners = winners,
    .mirrored = mirrored
  };

  stereo_cpu_for (queue, k->height, 0, confirm_rows, &job);
  return STEREO_OK;
}

static void
check_row (const StereoRefineConstants * k, const StereoWinners * winners,
    int y, uint16_t * restrict map)
{
  const uint32_t *restrict left = winners->left
      + (size_t) y * winners->left_stride;
  const int width = k->width, unit = k->unit;

  if (k->lr_max_diff < 0) {
    for (int x = 0; x < width; x++)
      map[x] = left[x] == STEREO_NO_WINNER ? (uint16_t) STEREO_INVALID
          : (uint16_t) stereo_winner_code (unit, left[x]);
  } else {
    const uint32_t *restrict right = winners->right
        + (size_t) y * winners->right_stride;
    const int min = k->min_disparity, lr = k->lr_max_diff;

    /* Indices are below 16384, so STEREO_INVALID is outside the image or too
     * different. */
#pragma omp simd
    for (int x = 0; x < width; x++) {
      const int index = (int) (left[x] & 0xffff);
      const int partner = x - index - min;
      const bool inside = (unsigned) partner < (unsigned) width;
      const int other = (int) (right[inside ? partner : 0] & 0xffff);
      const bool valid = inside
          & ((unsigned) (other - index + lr) <= (unsigned) (2 * lr));

      map[x] = valid ? (uint16_t) (unit * index
          + (int8_t) (left[x] >> 16 & 255)) : (uint16_t) STEREO_INVALID;
    }
  }
}

/* ----------------------------------------------------------------- speckles */

#define STRIP 32

/* One bit for each of 64 pairs of codes: whether they are connected. */
ALWAYS_INLINE uint64_t
are_connected (const uint16_t * a, const uint16_t * b, VecU16 unit)
{
  uint64_t mask = 0;

  for (int i = 0; i < 64; i += LANES) {
    const VecU16 p = simd_load16 (a + i), q = simd_load16 (b + i);
    const VecU16 difference = simd_max16 (p, q) - simd_min16 (p, q);

    /* No valid code is within unit of STEREO_INVALID. */
#if defined (__AVX512BW__)
    mask |= (uint64_t) (_mm512_cmple_epu16_mask ((__m512i) difference,
            (__m512i) unit) & _mm512_cmpneq_epu16_mask ((__m512i) p,
            _mm512_set1_epi16 (-1))) << i;
#elif defined (__AVX2__)
    const __m256i near = _mm256_cmpeq_epi16 (_mm256_max_epu16 (
            (__m256i) difference, (__m256i) unit), (__m256i) unit);
    const __m256i both = _mm256_andnot_si256 (_mm256_cmpeq_epi16 ((__m256i) p,
            _mm256_set1_epi16 (-1)), near);
    const __m128i bytes = _mm_packs_epi16 (_mm256_castsi256_si128 (both),
        _mm256_extracti128_si256 (both, 1));

    mask |= (uint64_t) (uint32_t) _mm_movemask_epi8 (bytes) << i;
#else
    const VecU16 both = (VecU16) (difference <= unit)
        & (VecU16) (p != simd_set16 (STEREO_INVALID));

    mask |= (uint64_t) simd_mask_bits16 (both) << i;
#endif
  }
  return mask;
}

static uint64_t *
ends_row (const StereoRefineJob * job, int y)
{
  return job->work->ends + (size_t) y * stereo_refine_row_words (job->k);
}

/* The end of the run at x. */
static int
run_end (const uint64_t * ends, int x)
{
  int word = x / 64;
  uint64_t bits = ends[word] >> (x % 64);

  if (bits != 0)
    return x + __builtin_ctzll (bits);
  while (ends[++word] == 0);
  return 64 * word + __builtin_ctzll (ends[word]);
}

static uint32_t
find_root (const uint32_t * labels, uint32_t i)
{
  while (labels[i] != i)
    i = labels[i];
  return i;
}

static void
unite (uint32_t * labels, uint32_t a, uint32_t b)
{
  const uint32_t p = find_root (labels, a), q = find_root (labels, b);
  const uint32_t root = p < q ? p : q;

  labels[p] = labels[q] = labels[a] = labels[b] = root;
}

/* Joins runs of rows y and y - 1. */
static void
join_rows (const StereoRefineJob * job, int y)
{
  const StereoRefineConstants *k = job->k;
  const uint16_t *row = stereo_map_row (&job->work->map, y);
  const uint16_t *above = row - job->work->map.stride;
  const uint64_t *ends = ends_row (job, y), *ends_above = ends_row (job, y - 1);
  const uint32_t base = (uint32_t) y * (uint32_t) k->width;
  const size_t words = stereo_refine_row_words (k);
  const VecU16 unit = simd_set16 ((unsigned) k->unit);
  uint64_t next = are_connected (row, above, unit);

  for (size_t w = 0; w < words; w++) {
    const uint64_t touching = next;
    uint64_t wanted;

    next = w + 1 < words
        ? are_connected (row + 64 * (w + 1), above + 64 * (w + 1), unit) : 0;
    /* Only the last of adjacent pairs in the same two runs. */
    wanted = touching & ~((touching >> 1 | next << 63) & ~ends[w]
        & ~ends_above[w]);
    for (; wanted != 0; wanted &= wanted - 1) {
      const int x = (int) (64 * w) + __builtin_ctzll (wanted);

      unite (job->work->labels, base + (uint32_t) run_end (ends, x),
          base - (uint32_t) k->width + (uint32_t) run_end (ends_above, x));
    }
  }
}

/* Creates a component for each run of row y. */
static void
make_runs (const StereoRefineJob * job, int y)
{
  const StereoRefineConstants *k = job->k;
  const StereoRefineWork *work = job->work;
  const uint16_t *row = stereo_map_row (&work->map, y);
  const uint32_t base = (uint32_t) y * (uint32_t) k->width;
  const size_t words = stereo_refine_row_words (k);
  const VecU16 unit = simd_set16 ((unsigned) k->unit);
  uint64_t *ends = ends_row (job, y);
  int before = -1;

  for (size_t w = 0; w < words; w++) {
    uint64_t bits = ~are_connected (row + 64 * w, row + 64 * w + 1, unit);

    if (w == words - 1) {
      bits |= 1ull << ((k->width - 1) % 64);
      bits &= ~0ull >> (63 - (k->width - 1) % 64);
    }
    ends[w] = bits;
    for (; bits != 0; bits &= bits - 1) {
      const int x = (int) (64 * w) + __builtin_ctzll (bits);

      work->labels[base + (uint32_t) x] = base + (uint32_t) x;
      work->sizes[base + (uint32_t) x] = (uint32_t) (x - before);
      before = x;
    }
  }
}

static void
check_strips (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  const StereoMap *map = &job->work->map;

  for (int strip = span.begin; strip < span.end; strip++) {
    for (int y = STRIP * strip; y < STRIP * (strip + 1) && y < k->height;
        y++) {
      uint16_t *row = stereo_map_row (map, y);

      check_row (k, job->winners, y, row);
      for (size_t x = (size_t) k->width; x < map->stride + (y == k->height - 1
              ? STEREO_REFINE_PADDING : 0); x++)
        row[x] = STEREO_INVALID;
    }
  }
}

static void
label_strips (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;

  for (int strip = span.begin; strip < span.end; strip++) {
    for (int y = STRIP * strip; y < STRIP * (strip + 1)
        && y < job->k->height; y++) {
      make_runs (job, y);
      if (y > STRIP * strip)
        join_rows (job, y);
    }
  }
}

/* Adds the size of every run to its root. */
static void
count_strips (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineWork *work = job->work;
  const size_t words = stereo_refine_row_words (job->k);

  for (int y = span.begin; y < span.end; y++) {
    const uint64_t *ends = ends_row (job, y);
    const uint32_t base = (uint32_t) y * (uint32_t) job->k->width;

    for (size_t w = 0; w < words; w++) {
      for (uint64_t bits = ends[w]; bits != 0; bits &= bits - 1) {
        const uint32_t i = base + (uint32_t) (64 * w)
            + (uint32_t) __builtin_ctzll (bits);

        if (work->labels[i] != i)
          __atomic_fetch_add (&work->sizes[find_root (work->labels, i)],
              work->sizes[i], __ATOMIC_RELAXED);
      }
    }
  }
}

static void
remove_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineWork *work = job->work;
  const uint32_t least = (uint32_t) job->k->speckle_size;
  const size_t words = stereo_refine_row_words (job->k);

  for (int y = span.begin; y < span.end; y++) {
    const uint64_t *ends = ends_row (job, y);
    const uint32_t base = (uint32_t) y * (uint32_t) job->k->width;
    uint16_t *row = stereo_map_row (&work->map, y);
    int before = -1;

    for (size_t w = 0; w < words; w++) {
      for (uint64_t bits = ends[w]; bits != 0; bits &= bits - 1) {
        const int x = (int) (64 * w) + __builtin_ctzll (bits);
        const uint32_t i = base + (uint32_t) x;

        if (work->sizes[i] < least
            && work->sizes[find_root (work->labels, i)] < least) {
          for (int j = before + 1; j <= x; j++)
            row[j] = STEREO_INVALID;
        }
        before = x;
      }
    }
  }
}

static StereoStatus
refine_check (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoWinners * winners, const StereoRefineWork * work)
{
  const StereoRefineJob job = {.k = k,.work = work,.winners = winners };
  const int strips = (k->height + STRIP - 1) / STRIP;

  stereo_cpu_for (queue, strips, 1, check_strips, &job);
  if (k->speckle_size <= 1)
    return STEREO_OK;
  stereo_cpu_for (queue, strips, 1, label_strips, &job);
  for (int strip = 1; strip < strips; strip++)
    join_rows (&job, STRIP * strip);
  stereo_cpu_for (queue, k->height, 0, count_strips, &job);
  stereo_cpu_for (queue, k->height, 0, remove_rows, &job);
  return STEREO_OK;
}

/* ------------------------------------------------------------------- median */

#define CHUNK 512

ALWAYS_INLINE VecU16
median3 (VecU16 a, VecU16 b, VecU16 c)
{
  return simd_max16 (simd_min16 (a, b), simd_min16 (simd_max16 (a, b), c));
}

/* Sorts the three codes of n columns from first on, and of up to LANES - 1
 * more. */
static void
sort_columns (const uint16_t * const rows[3], int first, int n,
    uint16_t * restrict low, uint16_t * restrict middle,
    uint16_t * restrict high)
{
  for (int i = 0; i < n; i += LANES) {
    const VecU16 a = simd_load16 (rows[0] + first + i);
    const VecU16 b = simd_load16 (rows[1] + first + i);
    const VecU16 c = simd_load16 (rows[2] + first + i);
    const VecU16 p = simd_min16 (a, b), q = simd_max16 (a, b);

    simd_store16 (low + i, simd_min16 (p, c));
    simd_store16 (middle + i, simd_max16 (p, simd_min16 (q, c)));
    simd_store16 (high + i, simd_max16 (q, c));
  }
}

/* The medians of n columns from x on.  All codes are valid, or none. */
static void
median_chunk (const uint16_t * const rows[3], int width, int x, int n,
    uint16_t * restrict target)
{
  uint16_t low[CHUNK + 2 * LANES], middle[CHUNK + 2 * LANES];
  uint16_t high[CHUNK + 2 * LANES];
  uint16_t *const of[3] = { low, middle, high };
  const bool first = x == 0, last = x + n == width;

  /* Column x - 1 is at 0; the border is repeated. */
  sort_columns (rows, x - !first, n + 2 - first - last, low + first,
      middle + first, high + first);
  for (int i = 0; i < 3; i++) {
    if (first)
      of[i][0] = of[i][1];
    if (last)
      of[i][n + 1] = of[i][n];
  }
  for (int i = 0; i < n; i += LANES) {
    const VecU16 l = simd_max16 (simd_load16 (low + i),
        simd_max16 (simd_load16 (low + i + 1), simd_load16 (low + i + 2)));
    const VecU16 m = median3 (simd_load16 (middle + i),
        simd_load16 (middle + i + 1), simd_load16 (middle + i + 2));
    const VecU16 h = simd_min16 (simd_load16 (high + i),
        simd_min16 (simd_load16 (high + i + 1), simd_load16 (high + i + 2)));

    simd_store16 (target + i, median3 (l, m, h));
  }
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  uint16_t codes[CHUNK + LANES];

  for (int y = span.begin; y < span.end; y++) {
    const uint16_t *const rows[3] = {
      stereo_map_row (job->map, y > 0 ? y - 1 : 0),
      stereo_map_row (job->map, y),
      stereo_map_row (job->map, y < k->height - 1 ? y + 1 : y)
    };

    for (int x = 0; x < k->width; x += CHUNK) {
      const int n = k->width - x < CHUNK ? k->width - x : CHUNK;

      if (stereo_refine_has_median (k))
        median_chunk (rows, k->width, x, n, codes);
      else
        memcpy (codes, rows[1] + x, (size_t) n * sizeof (uint16_t));
      if (job->final != NULL)
        memcpy (stereo_map_row (job->final, y) + x, codes,
            (size_t) n * sizeof (uint16_t));
      stereo_output_chunk (job->output, x, y, codes, n);
    }
  }
}

static StereoStatus
refine_finish (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoRefineWork * work, const StereoMap * map,
    const StereoMap * final, const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.map = map,.final = final,
    .output = output
  };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

const StereoRefineStages SIMD_NAME (stereo_refine_stages_) = {
  .plan = stereo_refine_plan_cpu,
  .confirm = refine_confirm,
  .check = refine_check,
  .fill = stereo_refine_fill_cpu,
  .slopes = SIMD_NAME (stereo_slopes_),
  .vote_fill = SIMD_NAME (stereo_vote_fill_),
  .finish = refine_finish,
  .slanted_median = SIMD_NAME (stereo_slanted_median_),
  .confidence = SIMD_NAME (stereo_confidence_),
  .invalidate = stereo_refine_invalidate_cpu,
};
