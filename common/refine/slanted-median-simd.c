/* gst-stereomatching: SIMD weighted median along the slopes of a map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Each lane has the window of one pixel; the pixels of a group are adjacent in
 * a row.  Codes are ordered as signed numbers (refine/carry-simd.h).
 */

#include "core/cpu.h"
#include "refine/carry-simd.h"
#include "refine/output-simd.h"
#include "refine/refine-cpu.h"
#include "refine/stages-simd.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)
#define RADIUS STEREO_SLANTED_RADIUS
#define SAMPLES STEREO_SLANTED_SAMPLES
#define CHUNK 512
/* Columns of the windows of a group. */
#define COLUMNS (LANES + 2 * RADIUS)

/* Addresses of the first pixel of a group. */
typedef struct
{
  const uint16_t *codes;
  const int16_t *slopes[2];
  size_t stride;                /* of codes and slopes, elements */
  const uint8_t *left[3];
  size_t left_stride;
  const uint8_t *inside;        /* a row: UINT8_MAX in the image, otherwise 0 */
  int first, last;              /* rows of the windows in the image */
} Source;

/* The samples of a group, an even number. */
typedef struct
{
  int n;
  VecI16 low, high;             /* the medians are between these */
  VecU16 half;                  /* of the total weight, rounded down */
  VecI16 code[SAMPLES];         /* carried to the centre */
  VecU16 weight[SAMPLES];
  int column[SAMPLES], row[SAMPLES];
} Windows;

/* own: the codes of the centres */
ALWAYS_INLINE void
collect_codes (const StereoRefineConstants * k, const Source * s, VecI16 own,
    Windows * w)
{
  const SimdCarryLimits limits = simd_carry_limits (STEREO_SLANTED_LIMIT
      * k->unit, k->unit * (k->num_disparities - 1));
  VecI16 low = own, high = own;
  int n = 0;

  for (int b = s->first; b <= s->last; b++) {
    const int last = -stereo_slanted_first (-b);

    for (int a = stereo_slanted_first (b); a <= last; a += 2) {
      const ptrdiff_t i = b * (ptrdiff_t) s->stride + a;
      const VecI16 code = simd_carry (&limits, simd_load16 (s->codes + i),
          simd_load_i16 (s->slopes[0] + i), simd_load_i16 (s->slopes[1] + i),
          a, b, 0);

      w->column[n] = a;
      w->row[n] = b;
      w->code[n++] = code;
      low = simd_min_i16 (low, code);
      high = simd_max_i16 (high, code);
    }
  }
  w->n = n;
  w->low = low;
  w->high = high;
}

/* Pixels at p and q in the low and the high byte of each lane. */
ALWAYS_INLINE VecU16
load_pair (const uint8_t * p, const uint8_t * q)
{
  return simd_widen8 (p) | simd_widen8 (q) << 8;
}

/* The weights of samples i and i + 1, as load_pair(). */
ALWAYS_INLINE VecU16
find_weights (const Source * s, const Windows * w, int i, int channels,
    const SimdTable64 * table, const VecU16 center[3])
{
  const ptrdiff_t p = w->row[i] * (ptrdiff_t) s->left_stride + w->column[i];
  const ptrdiff_t q = w->row[i + 1] * (ptrdiff_t) s->left_stride
      + w->column[i + 1];
  VecU8 most = { 0 };

  for (int c = 0; c < channels; c++)
    most = simd_max8 (most, simd_absdiff8 ((VecU8) load_pair (s->left[c] + p,
                s->left[c] + q), (VecU8) center[c]));
  return (VecU16) simd_table64_get (table, most);
}

/* Windows without weight keep the codes of their centres. */
ALWAYS_INLINE void
collect_weights (const Source * s, int channels, const SimdTable64 * table,
    bool border, VecI16 own, Windows * w)
{
  VecU16 center[3], whole = { 0 };
  SimdMask16 none;

  for (int c = 0; c < channels; c++)
    center[c] = load_pair (s->left[c], s->left[c]);
  for (int i = 0; i < w->n; i += 2) {
    VecU16 weights = find_weights (s, w, i, channels, table, center);

    if (border)
      weights &= load_pair (s->inside + w->column[i],
          s->inside + w->column[i + 1]);
    w->weight[i] = weights & 0xff;
    w->weight[i + 1] = weights >> 8;
    whole += w->weight[i] + w->weight[i + 1];
  }
  none = simd_mask_equal16 (whole, simd_set16 (0));
  w->low = (VecI16) simd_select16 (none, (VecU16) own, (VecU16) w->low);
  w->high = (VecI16) simd_select16 (none, (VecU16) own, (VecU16) w->high);
  w->half = whole >> 1;
}

/* Narrows the interval of the medians at split, from low to high. */
ALWAYS_INLINE void
split_interval (Windows * w, VecI16 split)
{
  VecU16 above[2] = { {0}, {0} };
  SimdMask16 upper;

  for (int i = 0; i < w->n; i += 2) {
    for (int j = 0; j < 2; j++)
      above[j] = simd_add_where16 (simd_mask_greater_i16 (w->code[i + j],
              split), above[j], w->weight[i + j]);
  }
  upper = simd_mask_less16 (w->half, above[0] + above[1]);
  w->low = (VecI16) simd_select16 (upper, (VecU16) (split + 1),
      (VecU16) w->low);
  w->high = (VecI16) simd_select16 (upper, (VecU16) w->high, (VecU16) split);
}

/* The medians of a group, by bisection.  The map has codes everywhere or
 * nowhere. */
ALWAYS_INLINE VecU16
find_medians (const StereoRefineConstants * k, const Source * s, int channels,
    const SimdTable64 * table, bool border)
{
  const VecU16 center = simd_load16 (s->codes);
  const VecI16 own = (VecI16) (center ^ 0x8000);
  Windows w;

  collect_codes (k, s, own, &w);
  if (simd_any8 ((VecU8) (w.low ^ w.high)))
    collect_weights (s, channels, table, border, own, &w);
  while (simd_any8 ((VecU8) (w.low ^ w.high)))
    split_interval (&w, (w.low & w.high) + ((w.low ^ w.high) >> 1));
  return simd_select16 (simd_mask_equal16 (center,
          simd_set16 (STEREO_INVALID)), center, (VecU16) w.low ^ 0x8000);
}

/* Inlined for each number of channels. */
ALWAYS_INLINE VecU16
filter_group (const StereoRefineConstants * k, const Source * s,
    const SimdTable64 * table, bool border)
{
  return k->channels == 1 ? find_medians (k, s, 1, table, border)
      : find_medians (k, s, 3, table, border);
}

/* The group at (x, y). */
static VecU16
filter_inside (const StereoRefineJob * job, const SimdTable64 * table, int x,
    int y, int first, int last)
{
  const size_t i = (size_t) y * job->work->filled.stride + (size_t) x;
  Source s = {.codes = job->work->filled.data + i,
    .slopes = {job->work->slopes[0] + i, job->work->slopes[1] + i},
    .stride = job->work->filled.stride,.left_stride = job->left->stride,
    .first = first,.last = last
  };

  for (int c = 0; c < job->k->channels; c++)
    s.left[c] = job->left->plane[c] + (size_t) y * s.left_stride + (size_t) x;
  return filter_group (job->k, &s, table, false);
}

/* Copies of the windows of a group; columns beyond the image repeat its
 * edge. */
typedef struct
{
  uint16_t codes[2 * RADIUS + 1][COLUMNS];
  int16_t slopes[2][2 * RADIUS + 1][COLUMNS];
  uint8_t left[3][2 * RADIUS + 1][COLUMNS];
  uint8_t inside[COLUMNS];
} Border;

static void
copy_row (const StereoRefineJob * job, int x, int y, int row, Border * copy)
{
  const uint16_t *codes = stereo_map_row (&job->work->filled, y);
  const int16_t *const slopes[2] = { stereo_slope_row (job->work, 0, y),
    stereo_slope_row (job->work, 1, y)
  };

  for (int i = 0; i < COLUMNS; i++) {
    const int u = stereo_clamp_int (x - RADIUS + i, 0, job->k->width - 1);

    copy->codes[row][i] = codes[u];
    copy->slopes[0][row][i] = slopes[0][u];
    copy->slopes[1][row][i] = slopes[1][u];
    for (int c = 0; c < job->k->channels; c++)
      copy->left[c][row][i] = job->left->plane[c][(size_t) y
          * job->left->stride + (size_t) u];
  }
}

/* The group at (x, y) with windows beyond the image. */
static VecU16
filter_border (const StereoRefineJob * job, const SimdTable64 * table, int x,
    int y, int first, int last)
{
  Border copy;
  Source s = {.codes = copy.codes[RADIUS] + RADIUS,
    .slopes = {copy.slopes[0][RADIUS] + RADIUS,
        copy.slopes[1][RADIUS] + RADIUS},
    .stride = COLUMNS,
    .left = {copy.left[0][RADIUS] + RADIUS, copy.left[1][RADIUS] + RADIUS,
        copy.left[2][RADIUS] + RADIUS},
    .left_stride = COLUMNS,.inside = copy.inside + RADIUS,
    .first = first,.last = last
  };

  for (int b = first; b <= last; b++)
    copy_row (job, x, y + b, RADIUS + b, &copy);
  for (int i = 0; i < COLUMNS; i++)
    copy.inside[i] = x - RADIUS + i >= 0 && x - RADIUS + i < job->k->width
        ? UINT8_MAX : 0;
  return filter_group (job->k, &s, table, true);
}

/* The medians of n pixels from (x, y) on, with room for LANES - 1 more. */
static void
filter_chunk (const StereoRefineJob * job, const SimdTable64 * table, int x,
    int y, int n, uint16_t * medians)
{
  const int width = job->k->width, bottom = job->k->height - 1 - y;
  const int first = y < RADIUS ? -y : -RADIUS;
  const int last = bottom < RADIUS ? bottom : RADIUS;

  for (int i = 0; i < n; i += LANES) {
    const bool inside = x + i >= RADIUS && x + i + LANES + RADIUS <= width;

    simd_store16 (medians + i, (inside ? filter_inside : filter_border) (job,
            table, x + i, y, first, last));
  }
}

static void
filter_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const SimdTable64 table = simd_table64 (job->k->weight);
  uint16_t codes[CHUNK + LANES];

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < job->k->width; x += CHUNK) {
      const int n = job->k->width - x < CHUNK ? job->k->width - x : CHUNK;

      filter_chunk (job, &table, x, y, n, codes);
      if (job->final != NULL)
        memcpy (stereo_map_row (job->final, y) + x, codes,
            (size_t) n * sizeof (uint16_t));
      stereo_output_chunk (job->output, x, y, codes, n);
    }
  }
}

StereoStatus
SIMD_NAME (stereo_slanted_median_) (StereoQueue * queue,
    const StereoRefineConstants * k, const StereoView * left,
    const StereoRefineWork * work, const StereoMap * final,
    const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.left = left,
    .final = final,.output = output
  };

  stereo_cpu_for (queue, k->height, 0, filter_rows, &job);
  return STEREO_OK;
}
