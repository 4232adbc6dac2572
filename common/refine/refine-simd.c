/* gst-stereomatching: refinement on the CPU, with vectors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Compiled once for each instruction set.
 *
 * Speckles: neighbours in a row that belong together make runs, of which there
 * are few.  A bit for each pixel says where they end, and a union-find forest
 * has one node for each, at the place of its last pixel.  Strips of rows are
 * made on their own, then joined.
 */

#include "refine/refine-cpu.h"

#include "core/cpu.h"
#include "refine/output-simd.h"
#include "refine/winner-pixel.h"
#include "simd/simd.h"

#define LANES (SIMD_BYTES / 2)

/* -------------------------------------------------------------------- check */

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

    /* an index is below 16384: without a winner the partner is far outside, or
     * the difference large */
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

/* A bit for each of 64 pairs of codes: whether they belong together. */
ALWAYS_INLINE uint64_t
together (const uint16_t * a, const uint16_t * b, VecU16 unit)
{
  uint64_t mask = 0;

  for (int i = 0; i < 64; i += LANES) {
    const VecU16 p = simd_load16 (a + i), q = simd_load16 (b + i);
    const VecU16 difference = simd_max16 (p, q) - simd_min16 (p, q);

    /* no code is within unit of STEREO_INVALID: both are, or none is */
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

    for (int j = 0; j < LANES; j++)
      mask |= (uint64_t) (both[j] & 1) << (i + j);
#endif
  }
  return mask;
}

static uint64_t *
ends_row (const StereoRefineJob * job, int y)
{
  return job->work->ends + (size_t) y * stereo_refine_row_words (job->k);
}

/* The next end of a run from x on. */
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

/* Joins runs of row y with those of the row above. */
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
  uint64_t next = together (row, above, unit);

  for (size_t w = 0; w < words; w++) {
    const uint64_t touch = next;
    uint64_t wanted;

    next = w + 1 < words
        ? together (row + 64 * (w + 1), above + 64 * (w + 1), unit) : 0;
    /* of pairs side by side in the same two runs the last one */
    wanted = touch & ~((touch >> 1 | next << 63) & ~ends[w] & ~ends_above[w]);
    for (; wanted != 0; wanted &= wanted - 1) {
      const int x = (int) (64 * w) + __builtin_ctzll (wanted);

      unite (job->work->labels, base + (uint32_t) run_end (ends, x),
          base - (uint32_t) k->width + (uint32_t) run_end (ends_above, x));
    }
  }
}

/* Runs of row y, each a component of its own. */
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
    uint64_t bits = ~together (row + 64 * w, row + 64 * w + 1, unit);

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

/* Every run adds its size to that of its root. */
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
check (StereoQueue * queue, const StereoRefineConstants * k,
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

/* The lowest, the middle and the highest of each column from first on, n of
 * them, and up to LANES - 1 more. */
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

/* The medians of n columns from x on; all codes are valid, or none is. */
static void
median_chunk (const uint16_t * const rows[3], int width, int x, int n,
    uint16_t * restrict target)
{
  uint16_t low[CHUNK + 2 * LANES], middle[CHUNK + 2 * LANES];
  uint16_t high[CHUNK + 2 * LANES];
  uint16_t *const of[3] = { low, middle, high };
  const bool first = x == 0, last = x + n == width;

  /* column x - 1 comes at 0; the image's border is repeated */
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

/* --------------------------------------------------------- weighted medians */

/*
 * Where most pixels are wanted, those side by side are done together, a lane
 * each.  At the border, where windows end, and where few are wanted, the lanes
 * are the pixels of one window.
 *
 * Weights are looked up in a table of 64: 255 exp (-64 / 10) is below a half.
 */

#define WINDOW (2 * STEREO_REFINE_FILLED_RADIUS + 1)
/* A row of one window is read with so many pixels, if the image has them. */
#define WINDOW_ROW 16
#define WINDOW_CODES (WINDOW * WINDOW_ROW + SIMD_BYTES)
/* Of a group's pixels so many are to be wanted. */
#define LEAST_OF_GROUP (SIMD_BYTES / 6)

typedef uint8_t WindowRow __attribute__ ((vector_size (WINDOW_ROW)));

/* The first n pixels of a row, 0 in other lanes. */
ALWAYS_INLINE WindowRow
load_window_row (const uint8_t * p, int n)
{
  WindowRow row = { 0 };

  memcpy (&row, p, n < WINDOW_ROW ? (size_t) n : sizeof (row));
  return row;
}

/* The largest difference of a channel between (x, y) and n pixels from (u, v)
 * on. */
ALWAYS_INLINE WindowRow
window_difference (const StereoView * left, int channels, int x, int y, int u,
    int v, int n)
{
  WindowRow most = { 0 };

  for (int c = 0; c < channels; c++) {
    const uint8_t *plane = left->plane[c];
    const WindowRow row = load_window_row (plane + (size_t) v * left->stride
        + (size_t) u, n);
    const WindowRow center = (WindowRow) { 0 } + plane[(size_t) y
        * left->stride + (size_t) x];
    const WindowRow above = (WindowRow) (row > center);
    const WindowRow d = ((row - center) & above) | ((center - row) & ~above);
    const WindowRow more = (WindowRow) (d > most);

    most = (d & more) | (most & ~more);
  }
  return most;
}

/* Sums the weights of codes above limit, of n pixels. */
ALWAYS_INLINE uint32_t
weight_above (const uint16_t * code, const uint8_t * weight, int n,
    uint32_t limit)
{
  const VecU16 limits = simd_set16 ((uint16_t) limit);
  VecU16 sums = { 0 };
  uint32_t sum = 0;

  /* 225 weights of up to 255 fit 16 bits */
  for (int i = 0; i < n; i += LANES)
    sums += simd_widen8 (weight + i)
        & simd_less16 (limits, simd_load16 (code + i));
  for (int i = 0; i < LANES; i++)
    sum += sums[i];
  return sum;
}

/* The weighted median of n pixels, a multiple of WINDOW_ROW. */
static uint16_t
median_of_window (const uint16_t * code, const uint8_t * weight, int n)
{
  VecU16 least = simd_set16 (UINT16_MAX), most = { 0 }, sums = { 0 };
  uint32_t low = UINT16_MAX, high = 0, whole = 0;

  for (int i = 0; i < n; i += LANES) {
    const VecU16 codes = simd_load16 (code + i);

    least = simd_min16 (least, codes);
    most = simd_max16 (most, codes);
    sums += simd_widen8 (weight + i);
  }
  for (int i = 0; i < LANES; i++) {
    low = least[i] < low ? least[i] : low;
    high = most[i] > high ? most[i] : high;
    whole += sums[i];
  }
  while (low < high) {
    const uint32_t middle = (low + high) / 2;

    if (2 * weight_above (code, weight, n, middle) <= whole)
      high = middle;
    else
      low = middle + 1;
  }
  return (uint16_t) low;
}

/* The weighted median around (x, y); all codes are valid, or none is. */
static uint16_t
weighted_median (const StereoRefineConstants * k, const StereoView * left,
    const StereoMap * map, int radius, int x, int y)
{
  const int n = k->width < WINDOW_ROW ? k->width : WINDOW_ROW;
  const int x0 = stereo_clamp_int (x - radius, 0, k->width - n);
  const int y0 = y > radius ? y - radius : 0;
  const int y1 = y + radius < k->height ? y + radius : k->height - 1;
  const SimdTable64 table = simd_table64 (k->weight);
  uint16_t code[WINDOW_CODES];
  uint8_t weight[WINDOW_CODES];
  WindowRow outside;
  int all = 0;

  for (int i = 0; i < WINDOW_ROW; i++)
    outside[i] = i >= n || x0 + i < x - radius || x0 + i > x + radius
        ? UINT8_MAX : 0;
  if (n < WINDOW_ROW)
    memset (code, 0, sizeof (code));
  for (int v = y0; v <= y1; v++, all += WINDOW_ROW) {
    const WindowRow d = outside
        | window_difference (left, k->channels, x, y, x0, v, n);

    memcpy (weight + all, &d, sizeof (d));
    memcpy (code + all, stereo_map_row (map, v) + x0,
        (n < WINDOW_ROW ? (size_t) n : WINDOW_ROW) * sizeof (uint16_t));
  }
  for (int i = all; i < all + SIMD_BYTES; i++) {
    code[i] = code[0];
    weight[i] = UINT8_MAX;
  }
  for (int i = 0; i < all; i += SIMD_BYTES)
    simd_store8 (weight + i, simd_table64_get (&table,
            simd_load8 (weight + i)));
  return median_of_window (code, weight, all);
}

/* The weights of SIMD_BYTES pixels' windows from (x, y) on: those of one place
 * in the window after those of another, row by row.  Returns how many. */
ALWAYS_INLINE int
weigh_group (const StereoRefineConstants * k, const StereoView * left,
    int radius, int x, int y, int y0, int y1, uint8_t * weight)
{
  const SimdTable64 table = simd_table64 (k->weight);
  int n = 0;

  for (int v = y0; v <= y1; v++) {
    for (int u = x - radius; u <= x + radius; u++, n++) {
      VecU8 most = { 0 };

      for (int c = 0; c < k->channels; c++)
        most = simd_max8 (most, simd_absdiff8 (simd_load8 (left->plane[c]
                    + (size_t) y * left->stride + (size_t) x),
                simd_load8 (left->plane[c] + (size_t) v * left->stride
                    + (size_t) u)));
      simd_store8 (weight + n * SIMD_BYTES, simd_table64_get (&table, most));
    }
  }
  return n;
}

/* The weighted medians of LANES pixels, of which codes is where the first
 * one's window begins; weights are SIMD_BYTES apart. */
ALWAYS_INLINE VecU16
median_of_lanes (const uint16_t * codes, size_t stride, int columns, int rows,
    const uint8_t * weight)
{
  VecU16 low = simd_set16 (UINT16_MAX), high = { 0 }, half = { 0 };

  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      const VecU16 code = simd_load16 (codes + (size_t) i * stride + j);

      low = simd_min16 (low, code);
      high = simd_max16 (high, code);
      half += simd_widen8 (weight + (i * columns + j) * SIMD_BYTES);
    }
  }
  half >>= 1;
  while (simd_any8 ((VecU8) (low ^ high))) {
    const VecU16 middle = (low & high) + ((low ^ high) >> 1);
    VecU16 above = { 0 };
    SimdMask16 more;

    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++)
        above += simd_widen8 (weight + (i * columns + j) * SIMD_BYTES)
            & simd_less16 (middle,
            simd_load16 (codes + (size_t) i * stride + j));
    }
    more = simd_mask_less16 (half, above);
    low = simd_select16 (more, middle + 1, low);
    high = simd_select16 (more, high, middle);
  }
  return low;
}

/* The weighted medians of SIMD_BYTES pixels from (x, y) on, whose windows are
 * columns of the image. */
ALWAYS_INLINE void
median_of_group (const StereoRefineConstants * k, const StereoView * left,
    const StereoMap * map, int radius, int x, int y, uint16_t * medians)
{
  const int y0 = y > radius ? y - radius : 0;
  const int y1 = y + radius < k->height ? y + radius : k->height - 1;
  uint8_t weight[WINDOW * WINDOW * SIMD_BYTES];

  weigh_group (k, left, radius, x, y, y0, y1, weight);
  for (int i = 0; i < SIMD_BYTES; i += LANES)
    simd_store16 (medians + i, median_of_lanes (stereo_map_row (map, y0) + x
            + i - radius, map->stride, 2 * radius + 1, y1 - y0 + 1,
            weight + i));
}

/* Whether a pixel's median is wanted: of those of holes, or all if that is
 * NULL. */
ALWAYS_INLINE bool
wanted (const uint16_t * holes, int x)
{
  return holes == NULL || holes[x] == STEREO_INVALID;
}

/* Columns from x on, those before end that are wanted, one after another. */
static void
weigh_singly (const StereoRefineJob * job, int radius, const uint16_t * holes,
    int x, int end, int y, uint16_t * medians)
{
  for (; x < end; x++) {
    if (wanted (holes, x))
      medians[x] = weighted_median (job->k, job->left, job->map, radius, x, y);
  }
}

/* The weighted medians of row y, of job->map; others that holes has are left
 * alone. */
ALWAYS_INLINE void
weigh_row (const StereoRefineJob * job, int radius, const uint16_t * holes,
    int y, uint16_t * medians)
{
  const int width = job->k->width;
  const int begin = radius < width ? radius : width;
  const int end = width - radius > begin ? width - radius : begin;
  uint16_t group[SIMD_BYTES];

  weigh_singly (job, radius, holes, 0, begin, y, medians);
  for (int x = begin; x < end; x += SIMD_BYTES) {
    const int stop = x + SIMD_BYTES < end ? x + SIMD_BYTES : end;
    const int first = stop - SIMD_BYTES;
    int n = 0;

    for (int i = x; i < stop; i++)
      n += wanted (holes, i);
    if (first < begin || n < LEAST_OF_GROUP) {
      weigh_singly (job, radius, holes, x, stop, y, medians);
      continue;
    }
    median_of_group (job->k, job->left, job->map, radius, first, y, group);
    for (int i = x; i < stop; i++)
      medians[i] = wanted (holes, i) ? group[i - first] : medians[i];
  }
  weigh_singly (job, radius, holes, end, width, y, medians);
}

static void
weigh_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;

  for (int y = span.begin; y < span.end; y++) {
    uint16_t *medians = stereo_map_row (&job->work->weighted, y);

    memcpy (medians, stereo_map_row (&job->work->filled, y),
        (size_t) job->k->width * sizeof (uint16_t));
    weigh_row (job, STEREO_REFINE_FILLED_RADIUS,
        stereo_map_row (&job->work->map, y), y, medians);
  }
}

static StereoStatus
weigh (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoRefineWork * work)
{
  const StereoRefineJob job = {.k = k,.work = work,.left = left,
    .map = &work->filled
  };

  stereo_cpu_for (queue, k->height, 1, weigh_rows, &job);
  return STEREO_OK;
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const StereoRefineJob *job = context;
  const StereoRefineConstants *k = job->k;
  uint16_t codes[CHUNK + LANES];

  for (int y = span.begin; y < span.end; y++) {
    /* what was filled has no other use any more */
    uint16_t *medians = k->fill ? stereo_map_row (&job->work->filled, y)
        : NULL;
    const bool weighted = k->fill && k->refine == STEREO_REFINE_ALL;
    const uint16_t *const rows[3] = {
      stereo_map_row (job->map, y > 0 ? y - 1 : 0),
      stereo_map_row (job->map, y),
      stereo_map_row (job->map, y < k->height - 1 ? y + 1 : y)
    };

    if (weighted)
      weigh_row (job, STEREO_REFINE_ALL_RADIUS, NULL, y, medians);
    for (int x = 0; x < k->width; x += CHUNK) {
      const int n = k->width - x < CHUNK ? k->width - x : CHUNK;

      if (weighted)
        memcpy (codes, medians + x, (size_t) n * sizeof (uint16_t));
      else if (k->fill && k->median)
        median_chunk (rows, k->width, x, n, codes);
      else
        memcpy (codes, rows[1] + x, (size_t) n * sizeof (uint16_t));
      stereo_output_chunk (job->output, x, y, codes, n);
    }
  }
}

static StereoStatus
finish (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoRefineWork * work,
    const StereoMap * map, const StereoOutput * output)
{
  const StereoRefineJob job = {.k = k,.work = work,.left = left,.map = map,
    .output = output
  };

  stereo_cpu_for (queue, k->height, 0, finish_rows, &job);
  return STEREO_OK;
}

const StereoRefineStages SIMD_NAME (stereo_refine_stages_) = {
  .plan = stereo_refine_plan_cpu,
  .check = check,
  .confidence = stereo_refine_confidence_cpu,
  .fill = stereo_refine_fill_cpu,
  .weigh = weigh,
  .finish = finish,
};
