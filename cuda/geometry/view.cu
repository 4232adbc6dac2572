/* gst-stereomatching: synthesised views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block of threads makes a row of all views of a frame, or two rows where
 * they share chroma.  What it has of a row is in shared memory, or where that
 * is too small in a part of the work memory of its own.  Projection is an
 * atomic maximum, which gives the same in any order.
 */

#include "geometry/view.h"

#include "core/queue-cuda.h"
#include "geometry/view-pixel.h"

#define THREADS 256

/* Blocks of 256 threads that a multiprocessor is to have at a time. */
#define BLOCKS_WANTED 4

/* Blocks that have no shared memory for a row. */
#define GLOBAL_BLOCKS 264

/* Elements that a row of disparities has before the first and behind the last
 * one: they are no neighbours of any, and lower than all. */
#define MARGIN 2
#define BEYOND (-(1 << 29))

namespace
{

/* What a kernel gets: a frame, and its views, by value. */
struct Launch
{
  StereoViewFrame frame;
  int32_t position[STEREO_VIEW_MAX];
  int32_t offset[STEREO_VIEW_MAX];
  uint32_t weight[STEREO_VIEW_MAX];     /* of the right view, by distance */
};

static_assert (sizeof (Launch) <= 4096, "too large for kernel parameters");

/* What threads of a block tell each other. */
struct Exchange
{
  uint32_t weight[2][2];
};

/* What a block has: rows, and a bit for each pixel of one of them.  left and
 * right are E and B of one or of two rows. */
struct Rows
{
  uint32_t *bits;
  int32_t *left[2];
  int32_t *right[2];
  int32_t *z;
  uint32_t *words[2];
};

/* --------------------------------------------------------------------- bits */

/* The last pixel before x whose bit is set, or -1. */
__device__ __forceinline__ int
find_before (const uint32_t * bits, int x)
{
  int i = x >> 5;
  uint32_t m = bits[i] & ((1u << (x & 31)) - 1);

  while (m == 0 && i > 0)
    m = bits[--i];
  return m != 0 ? 32 * i + 31 - __clz ((int) m) : -1;
}

/* The first one after x, or one that is not below width. */
__device__ __forceinline__ int
find_behind (const uint32_t * bits, int width, int x)
{
  const int last = (width - 1) >> 5;
  int i = x >> 5;
  uint32_t m = bits[i] & ~((2u << (x & 31)) - 1);

  while (m == 0 && i < last)
    m = bits[++i];
  return m != 0 ? 32 * i + __ffs ((int) m) - 1 : width;
}

__device__ __forceinline__ bool
has_bit (const uint32_t * bits, int x)
{
  return bits[x >> 5] >> (x & 31) & 1;
}

/* Sets the bit of each pixel for which set is true, as it has to be behind the
 * row; returns those of the warp. */
__device__ __forceinline__ uint32_t
write_bits (uint32_t * bits, int x, bool set)
{
  const uint32_t ballot = __ballot_sync (0xffffffffu, set);

  if (x % 32 == 0)
    bits[x >> 5] = ballot;
  return ballot;
}

/* In all threads of a warp as long as any of them has a pixel. */
#define FOR_EACH_PIXEL(pixel, width) \
  for (int pixel = threadIdx.x; pixel / 32 * 32 < (width); pixel += THREADS)

/* Step 1, of a row whose bits say where it has disparities.  missing: one of
 * this thread's warp has none.  All threads see the bits, and then the row. */
__device__ void
fill (const uint32_t * bits, int32_t * row, int width, bool missing)
{
  if (!__syncthreads_or (missing))
    return;
  for (int x = threadIdx.x; x < width; x += THREADS) {
    if (has_bit (bits, x))
      continue;
    const int l = find_before (bits, x), r = find_behind (bits, width, x);

    row[x] = l >= 0 && r < width ? min (row[l], row[r])
        : l >= 0 ? row[l] : r < width ? row[r] : 0;
  }
  __syncthreads ();
}

/* The same where row has none of its own and other may have one, if it is not
 * NULL. */
__device__ void
complete (uint32_t * bits, int32_t * row, const int32_t * other, int width)
{
  bool missing = false;

  FOR_EACH_PIXEL (x, width) {
    int32_t e = x < width ? row[x] : 0;

    if (e == STEREO_VIEW_NONE && other != NULL) {
      e = other[x];
      row[x] = e;
    }
    missing = write_bits (bits, x, e != STEREO_VIEW_NONE) != 0xffffffffu
        || missing;
  }
  fill (bits, row, width, missing);
}

/* --------------------------------------------------------------- projection */

__device__ __forceinline__ bool
joined (int32_t a, int32_t b, int32_t join)
{
  return (uint32_t) (a - b + join) <= (uint32_t) (2 * join);
}

/* Step 2, where taken, if there is one, has none.  z is clear. */
__device__ __forceinline__ void
project (const int32_t * row, int width, int32_t join, int32_t q,
    int32_t offset, const int32_t * taken, int32_t * z)
{
  for (int x = threadIdx.x; x < width; x += THREADS) {
    const int32_t before = row[x - 1], e = row[x], behind = row[x + 1];
    const int32_t at = 256 * x + offset;
    const int32_t place = at - stereo_view_shift (q, e);
    const int32_t lo = joined (before, e, join)
        ? (at - 256 - stereo_view_shift (q, before) + place) >> 1
        : place - 128;
    const int32_t hi = joined (behind, e, join)
        ? (at + 256 - stereo_view_shift (q, behind) + place) >> 1
        : place + 128;
    const int end = min (stereo_view_ceil (hi), width);

    for (int v = max (stereo_view_ceil (lo), 0); v < end; v++) {
      if (taken == NULL || taken[v] == STEREO_VIEW_NONE)
        atomicMax (&z[v], e);
    }
  }
}

/* ------------------------------------------------------------------ colours */

__device__ __forceinline__ uint32_t
load_color (const StereoViewFormat & k, const StereoOpImage & image, int x,
    int y)
{
  const uint8_t *at = image.plane[0] + (size_t) y * image.stride[0]
      + (size_t) x * k.pixel_bytes;

  if (k.yuv) {
    const size_t cx = (size_t) (x >> k.shift_x) * k.chroma_bytes;
    const size_t cy = (size_t) (y >> k.shift_y);

    return at[k.first]
        | image.plane[k.u_plane][cy * image.stride[k.u_plane] + cx
        + k.u_offset] << 8
        | image.plane[k.v_plane][cy * image.stride[k.v_plane] + cx
        + k.v_offset] << 16;
  }
  if (k.channels == 1)
    return at[0];
  if (k.pixel_bytes == 4 && (uintptr_t) at % 4 == 0)
    return *(const uint32_t *) at >> 8 * k.first & 0xffffffu;
  at += k.first;
  return at[0] | at[1] << 8 | at[2] << 16;
}

__device__ __forceinline__ void
store_color (const StereoViewFormat & k, const StereoOpImage & image, int x,
    int y, uint32_t word)
{
  uint8_t *at = image.plane[0] + (size_t) y * image.stride[0]
      + (size_t) x * k.pixel_bytes;

  if (k.channels == 1) {
    at[k.first] = (uint8_t) word;
    return;
  }
  if (k.pixel_bytes == 4) {
    word = word << 8 * k.first | (k.first ? 0xffu : 0xff000000u);
    if ((uintptr_t) at % 4 == 0) {
      *(uint32_t *) at = word;
      return;
    }
    at[3] = (uint8_t) (word >> 24);
  }
  for (int i = 0; i < 3; i++)
    at[i] = (uint8_t) (word >> 8 * i);
}

/* The chroma of a block of up to 2 x 2 pixels at column x of words. */
__device__ __forceinline__ void
store_chroma (const StereoViewFrame & f, const uint32_t * upper,
    const uint32_t * lower, int x, int frame_x, int frame_y)
{
  const StereoViewFormat & k = f.format;
  const size_t cx = (size_t) (frame_x >> k.shift_x) * k.chroma_bytes;
  const size_t cy = (size_t) (frame_y >> k.shift_y);
  const int other = min (x + (1 << k.shift_x) - 1, f.width - 1);
  uint32_t sum[2];

  /* pixels that don't exist are replaced by those that do, once more each */
  for (int i = 0; i < 2; i++)
    sum[i] = (upper[x] >> 8 * (i + 1) & 0xff)
        + (upper[other] >> 8 * (i + 1) & 0xff)
        + (lower[x] >> 8 * (i + 1) & 0xff)
        + (lower[other] >> 8 * (i + 1) & 0xff);
  f.frame.plane[k.u_plane][cy * f.frame.stride[k.u_plane] + cx + k.u_offset]
      = (uint8_t) ((sum[0] + 2) >> 2);
  f.frame.plane[k.v_plane][cy * f.frame.stride[k.v_plane] + cx + k.v_offset]
      = (uint8_t) ((sum[1] + 2) >> 2);
}

/* -------------------------------------------------------------------- fetch */

/* Step 6 for a view: 256 times the channels, bytes 0 and 2 of words in the
 * halves of even. */
struct Found
{
  uint32_t even;
  uint32_t odd;
  bool seen;
  bool edge;
};

__device__ __forceinline__ Found
look (const StereoViewFrame & f, const StereoOpImage & image, int y,
    const int32_t * row, int32_t place, int32_t z)
{
  const uint32_t part = place & 255;
  const bool in = (uint32_t) (place + 128) <= (uint32_t) (256 * f.width);
  const int x = in ? place >> 8 : 0;
  const int32_t a = row[x - 1], b = row[x], c = row[x + 1], d = row[x + 2];
  const bool first = in && joined (b, z, f.join);
  const bool second = in && part != 0 && joined (c, z, f.join);
  /* one alone has all the weight */
  const uint32_t high = second ? first ? part : 256 : 0;
  const uint32_t low = first ? 256 - high : 0;
  uint32_t word[2] = { 0, 0 };
  Found found;

  if (first)
    word[0] = load_color (f.format, image, x, y);
  if (second)
    word[1] = load_color (f.format, image, x + 1, y);
  found.even = (word[0] & 0xff00ffu) * low + (word[1] & 0xff00ffu) * high;
  found.odd = (word[0] >> 8 & 0xff) * low + (word[1] >> 8 & 0xff) * high;
  found.seen = first || second;
  found.edge = (first && max (a, c) - b > f.join)
      || (second && max (b, d) - c > f.join);
  return found;
}

/* A channel of both, blended, in the highest byte. */
__device__ __forceinline__ uint32_t
blend (uint32_t left, uint32_t right, uint32_t weight)
{
  return (left << 16) + (right - left) * weight + (1u << 23);
}

/* Steps 6 and 7 for pixel v: a word whose fourth byte says that it is seen. */
__device__ __forceinline__ uint32_t
fetch (const Launch & a, const Exchange & ex, int view, int y,
    const int32_t * e, const int32_t * b, int32_t z, int v)
{
  const StereoViewFrame & f = a.frame;
  const int32_t at = 256 * v - a.offset[view]
      + stereo_view_shift (a.position[view], z);
  const Found l = look (f, f.left, y, e, at, z);
  Found r = { 0, 0, false, false };
  uint32_t weight, low;

  /* a whole baseline further is a whole disparity less */
  if (f.right.plane[0] != NULL)
    r = look (f, f.right, y, b, at - z, z);
  if (!l.seen && !r.seen)
    return 0;
  weight = !l.seen ? STEREO_VIEW_ONE : !r.seen ? 0
      : ex.weight[!l.edge][!r.edge];
  low = __byte_perm (blend (l.even & 0xffff, r.even & 0xffff, weight),
      blend (l.odd, r.odd, weight), 0x73);
  return __byte_perm (low, blend (l.even >> 16, r.even >> 16, weight), 0x710)
      | 0xff000000u;
}

/* Step 8: the colour of pixel x, which isn't seen; bits are of those that
 * are. */
__device__ uint32_t
hole_color (const StereoViewFrame & f, const uint32_t * bits,
    const int32_t * z, const uint32_t * words, int x)
{
  const int left = find_before (bits, x);
  const int right = find_behind (bits, f.width, x);
  uint32_t sum[3] = { 0, 0, 0 };
  int from = left, step = -1, n = 0;

  if (left < 0 || (right < f.width && z[right] < z[left])) {
    from = right;
    step = 1;
  }
  for (int i = from; n < 4 && i >= 0 && i < f.width && has_bit (bits, i)
      && joined (z[i], z[from], f.join); i += step, n++) {
    for (int c = 0; c < 3; c++)
      sum[c] += words[i] >> 8 * c & 0xff;
  }
  if (n == 0)
    return f.black;
  for (int c = 0; c < 3; c++)
    sum[c] = (sum[c] + n / 2) / n;
  return sum[0] | sum[1] << 8 | sum[2] << 16;
}

/* -------------------------------------------------------------------- views */

__device__ __forceinline__ void
clear (int32_t * row, int width)
{
  for (int x = threadIdx.x; x < width; x += THREADS)
    row[x] = STEREO_VIEW_NONE;
}

/* Steps 0 to 3 for row y. */
__device__ void
prepare (const StereoViewFrame & f, uint32_t * bits, int y, int32_t * e,
    int32_t * b)
{
  const uint8_t *codes = f.codes + (size_t) (y / f.factor) * f.codes_stride;
  bool missing = false;

  FOR_EACH_PIXEL (x, f.width) {
    const int at = f.factor == 1 ? x : x / f.factor;
    bool known = true;

    if (x < f.width) {
      const uint32_t code = f.code_bytes == 1 ? codes[at]
          : codes[2 * at] | (uint32_t) codes[2 * at + 1] << 8;
      known = code != f.invalid;
      e[x] = !known ? STEREO_VIEW_NONE
          : stereo_view_disparity (code, f.scale_high, f.scale_low, f.minimum,
          f.factor);
      b[x] = STEREO_VIEW_NONE;
    }
    missing = write_bits (bits, x, known) != 0xffffffffu || missing;
  }
  if (threadIdx.x < 2 * MARGIN) {
    const int x = threadIdx.x < MARGIN ? (int) threadIdx.x - MARGIN
        : f.width + (int) threadIdx.x - MARGIN;

    e[x] = b[x] = BEYOND;
  }
  fill (bits, e, f.width, missing);
  if (f.right.plane[0] == NULL)
    return;
  project (e, f.width, f.join, STEREO_VIEW_ONE, 0, NULL, b);
  __syncthreads ();
  complete (bits, b, NULL, f.width);
}

/* Steps 4 to 8 for row y of a view; words is the row then, for all threads. */
__device__ void
render_row (const Launch & a, Exchange & ex, int view, int y, uint32_t * bits,
    const int32_t * e, const int32_t * b, int32_t * z, uint32_t * words)
{
  const StereoViewFrame & f = a.frame;
  const int32_t p = a.position[view], t = a.offset[view];
  const bool both = f.right.plane[0] != NULL;
  int32_t *other = (int32_t *) words;
  bool holes = false;

  if (threadIdx.x < 4)
    ex.weight[threadIdx.x / 2][threadIdx.x % 2] = stereo_view_weight
        (a.weight[view], threadIdx.x / 2 + 1, threadIdx.x % 2 + 1);
  clear (z, f.width);
  clear (other, f.width);
  __syncthreads ();
  project (e, f.width, f.join, p, t, NULL, z);
  __syncthreads ();
  if (both) {
    project (b, f.width, f.join, p - STEREO_VIEW_ONE, t, z, other);
    __syncthreads ();
  }
  complete (bits, z, both ? other : NULL, f.width);
  FOR_EACH_PIXEL (v, f.width) {
    uint32_t word = 1;

    if (v < f.width)
      words[v] = word = fetch (a, ex, view, y, e, b, z[v], v);
    holes = write_bits (bits, v, word != 0) != 0xffffffffu || holes;
  }
  if (!__syncthreads_or (holes))
    return;
  for (int v = threadIdx.x; v < f.width; v += THREADS) {
    if (!has_bit (bits, v))
      words[v] = hole_color (f, bits, z, words, v);
  }
  __syncthreads ();
}

__device__ __forceinline__ uint32_t
combine (const StereoViewFrame & f, uint32_t left, uint32_t right, int x,
    int y)
{
  const StereoViewFormat & k = f.format;

  switch (f.layout) {
    case STEREO_VIEW_COLUMN_INTERLEAVED:
      return x % 2 != 0 ? right : left;
    case STEREO_VIEW_CHECKERBOARD:
      return (x + y) % 2 != 0 ? right : left;
    default:
      if (f.luma[0])
        left = stereo_view_grey (left, k.r, k.g, k.b);
      if (f.luma[1])
        right = stereo_view_grey (right, k.r, k.g, k.b);
      return (left & f.eye_mask) | (right & ~f.eye_mask);
  }
}

/* Writes rows of words to the frame, from (x0, y0) on. */
__device__ __forceinline__ void
store (const StereoViewFrame & f, uint32_t * const words[2], int n, int x0,
    int y0)
{
  const StereoViewFormat & k = f.format;
  const int step = 1 << k.shift_x;

  for (int r = 0; r < n; r++) {
    for (int x = threadIdx.x; x < f.width; x += THREADS)
      store_color (k, f.frame, x0 + x, y0 + r, words[r][x]);
    /* packed YUV has whole groups of two */
    if (threadIdx.x == 0 && k.yuv && k.pixel_bytes == 2 && f.width % 2 != 0)
      store_color (k, f.frame, x0 + f.width, y0 + r, words[r][f.width - 1]);
  }
  for (int x = threadIdx.x * step; k.yuv && x < f.width; x += THREADS * step)
    store_chroma (f, words[0], words[n - 1], x, x0 + x, y0);
}

/* Rows y to y + n - 1 of views begin to end - 1, which are tiles of their
 * own. */
__device__ void
render_tiles (const Launch & a, Exchange & ex, int y, int n, int begin,
    int end, const Rows & rows)
{
  const StereoViewFrame & f = a.frame;
  const int n_rows = f.n_views / f.columns;

  for (int r = 0; r < n; r++)
    prepare (f, rows.bits, y + r, rows.left[r], rows.right[r]);
  for (int view = begin; view < end; view++) {
    int row = view / f.columns;

    for (int r = 0; r < n; r++)
      render_row (a, ex, view, y + r, rows.bits, rows.left[r], rows.right[r],
          rows.z, rows.words[r]);
    if (f.layout == STEREO_VIEW_QUILT)
      row = n_rows - 1 - row;
    store (f, rows.words, n, view % f.columns * f.width, row * f.height + y);
    __syncthreads ();
  }
}

/* Row y of both eyes. */
__device__ void
render_eyes (const Launch & a, Exchange & ex, int y, const Rows & rows)
{
  const StereoViewFrame & f = a.frame;
  const bool one = f.layout == STEREO_VIEW_ROW_INTERLEAVED;

  prepare (f, rows.bits, y, rows.left[0], rows.right[0]);
  for (int view = 0; view < 2; view++) {
    if (!one || y % 2 == view)
      render_row (a, ex, view, y, rows.bits, rows.left[0], rows.right[0],
          rows.z, rows.words[view]);
  }
  __syncthreads ();
  for (int x = threadIdx.x; x < f.width; x += THREADS)
    rows.words[0][x] = one ? rows.words[y % 2][x]
        : combine (f, rows.words[0][x], rows.words[1][x], x, y);
  __syncthreads ();
  store (f, rows.words, 1, 0, y);
}

/* Elements of the bits, and of a row. */
__host__ __device__ __forceinline__ int
bits_size (int width)
{
  return (width + 31) / 32;
}

__host__ __device__ __forceinline__ int
row_size (int width)
{
  return width + 2 * MARGIN;
}

/* Rows of words that a block has: E and B of each of its rows, Z, and colours
 * of its rows or of two eyes. */
__host__ __device__ __forceinline__ int
count_rows (int step, bool tiled)
{
  return 2 * step + 1 + (tiled ? step : 2);
}

__device__ Rows
hand_out (int32_t * memory, int width, int step, bool tiled)
{
  int32_t *next = memory + bits_size (width) + MARGIN;
  Rows rows;

  rows.bits = (uint32_t *) memory;
  for (int r = 0; r < 2; r++) {
    rows.left[r] = next + (size_t) (r < step ? 2 * r : 0) * row_size (width);
    rows.right[r] = rows.left[r] + row_size (width);
  }
  rows.z = next + (size_t) 2 * step * row_size (width);
  rows.words[0] = (uint32_t *) rows.z + row_size (width);
  rows.words[1] = rows.words[0];
  if (step == 2 || !tiled)
    rows.words[1] += row_size (width);
  return rows;
}

__global__ void __launch_bounds__ (THREADS, BLOCKS_WANTED)
view_kernel (const __grid_constant__ Launch a, int n_groups, int step,
    int n_views)
{
  extern __shared__ int32_t shared[];
  __shared__ Exchange ex;
  const StereoViewFrame & f = a.frame;
  const bool tiled = stereo_view_is_tiled (f.layout);
  const int begin = blockIdx.y * n_views;
  int32_t *memory = shared;

  if (f.work != NULL)
    memory = (int32_t *) f.work + (size_t) blockIdx.x
        * (bits_size (f.width) + count_rows (step, tiled) * row_size (f.width));

  const Rows rows = hand_out (memory, f.width, step, tiled);

  for (int i = blockIdx.x; i < n_groups; i += gridDim.x) {
    const int y = i * step;

    if (tiled)
      render_tiles (a, ex, y, min (step, f.height - y), begin,
          min (begin + n_views, f.n_views), rows);
    else
      render_eyes (a, ex, y, rows);
    __syncthreads ();
  }
}

/* Bytes that a block has of its rows. */
size_t
block_bytes (const StereoViewFrame * f)
{
  const size_t rows = count_rows (1 << f->format.shift_y,
      stereo_view_is_tiled (f->layout));

  return (rows * row_size (f->width) + bits_size (f->width))
      * sizeof (int32_t);
}

bool
fits (const StereoDevice * device, const StereoViewFrame * f)
{
  return block_bytes (f) + sizeof (Exchange)
      <= (size_t) stereo_cuda_shared_limit (device);
}

size_t
work_bytes (const StereoDevice * device, const StereoViewFrame * f)
{
  return fits (device, f) ? 0 : GLOBAL_BLOCKS * block_bytes (f);
}

/* Views that a block makes of a row: all of them if there are rows enough for
 * the device; each block has to prepare the row. */
int
views_of_block (const StereoCudaQueue * queue, const StereoViewFrame * f,
    int n_groups, bool shared)
{
  const int wanted = queue->multiprocessors * BLOCKS_WANTED;
  int parts = 1;

  if (shared && stereo_view_is_tiled (f->layout))
    parts = (wanted + n_groups - 1) / n_groups;
  parts = parts < f->n_views ? parts : f->n_views;
  return (f->n_views + parts - 1) / parts;
}

StereoStatus
render (StereoQueue * queue, const StereoViewFrame * frame)
{
  StereoCudaStage stage (queue);
  const int step = 1 << frame->format.shift_y;
  const int n_groups = (frame->height + step - 1) / step;
  const bool shared = fits (queue->device, frame);
  const size_t bytes = shared ? block_bytes (frame) : 0;
  const int n_views = views_of_block ((const StereoCudaQueue *) queue, frame,
      n_groups, shared);
  const dim3 grid (shared ? n_groups : min (n_groups, GLOBAL_BLOCKS),
      (frame->n_views + n_views - 1) / n_views);
  Launch launch;
  cudaError_t error;

  if (!stage.entered ())
    return stage.status ();
  launch.frame = *frame;
  if (shared)
    launch.frame.work = NULL;
  for (int i = 0; i < frame->n_views; i++) {
    launch.position[i] = frame->shots[i].position;
    launch.offset[i] = frame->shots[i].offset;
    /* of equal quality: by distance alone */
    launch.weight[i] = frame->shots[i].weight[1][1];
  }
  error = cudaFuncSetAttribute (view_kernel,
      cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute (view_kernel,
        cudaFuncAttributePreferredSharedMemoryCarveout,
        cudaSharedmemCarveoutMaxShared);
  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "view_kernel", &queue->message);
  view_kernel <<< grid, THREADS, bytes, stage.stream () >>> (launch, n_groups,
      step, stereo_view_is_tiled (frame->layout) ? n_views : frame->n_views);
  return STEREO_CUDA_LAUNCHED (stage, "view_kernel");
}

}                               // namespace

extern "C" const void *stereo_view_stages_cuda (void);

extern "C" const void *
stereo_view_stages_cuda (void)
{
  static const StereoViewStages stages = {
    .work_bytes = work_bytes,
    .render = render,
  };

  return &stages;
}
