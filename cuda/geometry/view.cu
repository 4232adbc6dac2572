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
#define WARPS (THREADS / 32)

/* Blocks that have no shared memory for a row. */
#define GLOBAL_BLOCKS 264

/* Rows of words that a block has: E and B of each row, Z, and colours. */
#define ROWS(n) (2 * (n) + 3)

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
  int32_t total[2][WARPS];
  uint32_t weight[2][2];
};

/* ----------------------------------------------------------------- scanning */

/* b, or a if there is none. */
__device__ __forceinline__ int32_t
later (int32_t a, int32_t b)
{
  return b != STEREO_VIEW_NONE ? b : a;
}

/* What the threads before this one, and those behind it, have next to it: each
 * has a last and a first value, or none. */
__device__ void
scan (Exchange & ex, int32_t last, int32_t first, int32_t * before,
    int32_t * behind)
{
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int32_t a, b;

  for (int d = 1; d < 32; d *= 2) {
    a = __shfl_up_sync (0xffffffffu, last, d);
    b = __shfl_down_sync (0xffffffffu, first, d);
    if (lane >= d)
      last = later (a, last);
    if (lane + d < 32)
      first = later (b, first);
  }
  if (lane == 31)
    ex.total[0][warp] = last;
  if (lane == 0)
    ex.total[1][warp] = first;
  a = __shfl_up_sync (0xffffffffu, last, 1);
  b = __shfl_down_sync (0xffffffffu, first, 1);
  *before = lane > 0 ? a : STEREO_VIEW_NONE;
  *behind = lane < 31 ? b : STEREO_VIEW_NONE;
  __syncthreads ();
  for (int w = warp - 1; w >= 0 && *before == STEREO_VIEW_NONE; w--)
    *before = ex.total[0][w];
  for (int w = warp + 1; w < WARPS && *behind == STEREO_VIEW_NONE; w++)
    *behind = ex.total[1][w];
  __syncthreads ();
}

/* The part of a row that is a thread's own; an odd length, so that threads read
 * from different banks. */
__device__ __forceinline__ void
my_part (int width, int *begin, int *end)
{
  const int part = (width + THREADS - 1) / THREADS | 1;

  *begin = min ((int) threadIdx.x * part, width);
  *end = min (*begin + part, width);
}

/* Step 1.  Of a row that all threads see; so is the filled one. */
__device__ void
fill (Exchange & ex, int32_t * row, int width)
{
  int32_t last = STEREO_VIEW_NONE, first = STEREO_VIEW_NONE, before, behind;
  int begin, end;

  my_part (width, &begin, &end);
  for (int x = begin; x < end; x++) {
    last = later (last, row[x]);
    first = first != STEREO_VIEW_NONE ? first : row[x];
  }
  scan (ex, last, first, &before, &behind);
  for (int x = begin; x < end; x++) {
    int until = x;
    int32_t right, value;

    if (row[x] != STEREO_VIEW_NONE) {
      before = row[x];
      continue;
    }
    while (until < end && row[until] == STEREO_VIEW_NONE)
      until++;
    right = until < end ? row[until] : behind;
    value = before == STEREO_VIEW_NONE ? right
        : right == STEREO_VIEW_NONE ? before : min (before, right);
    if (value == STEREO_VIEW_NONE)
      value = 0;
    while (x < until)
      row[x++] = value;
    x--;
  }
  __syncthreads ();
}

/* --------------------------------------------------------------- projection */

__device__ __forceinline__ int32_t
place_of (const int32_t * row, int x, int32_t q, int32_t offset)
{
  return 256 * x - stereo_view_shift (q, row[x]) + offset;
}

/* Step 2, where taken, if there is one, has none.  z is clear. */
__device__ __forceinline__ void
project (const int32_t * row, int width, int32_t join, int32_t q,
    int32_t offset, const int32_t * taken, int32_t * z)
{
  for (int x = threadIdx.x; x < width; x += THREADS) {
    const int32_t e = row[x], place = place_of (row, x, q, offset);
    int32_t lo = place - 128, hi = place + 128;
    int end;

    if (x > 0 && stereo_view_joined (row[x - 1], e, join))
      lo = (place_of (row, x - 1, q, offset) + place) >> 1;
    if (x < width - 1 && stereo_view_joined (row[x + 1], e, join))
      hi = (place + place_of (row, x + 1, q, offset)) >> 1;
    end = min (stereo_view_ceil (hi), width);
    for (int v = max (stereo_view_ceil (lo), 0); v < end; v++) {
      if (taken == NULL || taken[v] == STEREO_VIEW_NONE)
        atomicMax (&z[v], e);
    }
  }
}

__device__ __forceinline__ void
clear (int32_t * row, int width)
{
  for (int x = threadIdx.x; x < width; x += THREADS)
    row[x] = STEREO_VIEW_NONE;
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

__device__ __forceinline__ bool
is_edge (const int32_t * row, int width, int32_t join, int x)
{
  return (x > 0 && row[x - 1] - row[x] > join)
      || (x < width - 1 && row[x + 1] - row[x] > join);
}

/* Step 6: 256 times the colour, and the quality. */
__device__ __forceinline__ int
look (const StereoViewFrame & f, const StereoOpImage & image, int y,
    const int32_t * row, int32_t place, int32_t z, uint32_t channel[3])
{
  const int x = place >> 8;
  const uint32_t part = place & 255;
  uint32_t weight[2];
  bool counts[2], edge = false;

  for (int c = 0; c < 3; c++)
    channel[c] = 0;
  if (place < -128 || place > 256 * (f.width - 1) + 128)
    return 0;
  for (int i = 0; i < 2; i++) {
    counts[i] = x + i >= 0 && x + i < f.width && (i == 0 || part != 0)
        && stereo_view_joined (row[x + i], z, f.join);
    edge = edge || (counts[i] && is_edge (row, f.width, f.join, x + i));
  }
  weight[0] = !counts[0] ? 0 : counts[1] ? 256 - part : 256;
  weight[1] = !counts[1] ? 0 : counts[0] ? part : 256;
  for (int i = 0; i < 2; i++) {
    if (weight[i] == 0)
      continue;
    const uint32_t word = load_color (f.format, image, x + i, y);

    for (int c = 0; c < 3; c++)
      channel[c] += weight[i] * (word >> 8 * c & 0xff);
  }
  return !counts[0] && !counts[1] ? 0 : edge ? 1 : 2;
}

/* Steps 6 and 7 for pixel v: a word whose fourth byte says that it is seen. */
__device__ __forceinline__ uint32_t
fetch (const Launch & a, const Exchange & ex, int view, int y,
    const int32_t * e, const int32_t * b, int32_t z, int v)
{
  const StereoViewFrame & f = a.frame;
  const int32_t at = 256 * v - a.offset[view]
      + stereo_view_shift (a.position[view], z);
  uint32_t left[3], right[3] = { 0, 0, 0 }, weight, word = 0;
  const int ql = look (f, f.left, y, e, at, z, left);
  int qr = 0;

  if (f.right.plane[0] != NULL)
    qr = look (f, f.right, y, b, at - z, z, right);
  if (ql == 0 && qr == 0)
    return 0;
  weight = ql == 0 ? STEREO_VIEW_ONE : qr == 0 ? 0
      : ex.weight[ql - 1][qr - 1];
  for (int c = 0; c < 3; c++)
    word |= stereo_view_blend (left[c], right[c], weight) << 8 * c;
  return word | 0xff000000u;
}

__device__ __forceinline__ bool
is_seen (uint32_t word)
{
  return word >> 24 != 0;
}

/* Step 8: the colour of a run between two pixels that are seen, or beyond the
 * row. */
__device__ uint32_t
hole_color (const StereoViewFrame & f, const int32_t * z,
    const uint32_t * words, int left, int right)
{
  uint32_t sum[3] = { 0, 0, 0 };
  int from = left, step = -1, n = 0;

  if (left < 0 || (right < f.width && z[right] < z[left])) {
    from = right;
    step = 1;
  }
  for (int i = from; n < 4 && i >= 0 && i < f.width && is_seen (words[i])
      && stereo_view_joined (z[i], z[from], f.join); i += step, n++) {
    for (int c = 0; c < 3; c++)
      sum[c] += words[i] >> 8 * c & 0xff;
  }
  if (n == 0)
    return f.black;
  for (int c = 0; c < 3; c++)
    sum[c] = (sum[c] + n / 2) / n;
  return sum[0] | sum[1] << 8 | sum[2] << 16;
}

/* The colours of holes go into z, where nobody looks at holes, and from there
 * to their place. */
__device__ void
fill_holes (const StereoViewFrame & f, Exchange & ex, int32_t * z,
    uint32_t * words)
{
  int32_t last = STEREO_VIEW_NONE, first = STEREO_VIEW_NONE, before, behind;
  int begin, end;

  my_part (f.width, &begin, &end);
  for (int x = begin; x < end; x++) {
    if (is_seen (words[x])) {
      last = x;
      first = first == STEREO_VIEW_NONE ? x : first;
    }
  }
  scan (ex, last, first, &before, &behind);
  for (int x = begin; x < end; x++) {
    int until = x;
    uint32_t color;

    if (is_seen (words[x])) {
      before = x;
      continue;
    }
    while (until < end && !is_seen (words[until]))
      until++;
    color = hole_color (f, z, words, before == STEREO_VIEW_NONE ? -1 : before,
        until < end ? until : behind == STEREO_VIEW_NONE ? f.width : behind);
    while (x < until)
      z[x++] = (int32_t) color;
    x--;
  }
  __syncthreads ();
  for (int x = threadIdx.x; x < f.width; x += THREADS) {
    if (!is_seen (words[x]))
      words[x] = (uint32_t) z[x];
  }
}

/* -------------------------------------------------------------------- views */

/* Steps 0 to 3 for row y. */
__device__ void
prepare (const StereoViewFrame & f, Exchange & ex, int y, int32_t * e,
    int32_t * b)
{
  const uint8_t *codes = f.codes + (size_t) (y / f.factor) * f.codes_stride;

  for (int x = threadIdx.x; x < f.width; x += THREADS) {
    const int at = f.factor == 1 ? x : x / f.factor;
    const uint32_t code = f.code_bytes == 1 ? codes[at]
        : codes[2 * at] | (uint32_t) codes[2 * at + 1] << 8;

    e[x] = code == f.invalid ? STEREO_VIEW_NONE
        : stereo_view_disparity (code, f.scale_high, f.scale_low, f.minimum,
        f.factor);
  }
  clear (b, f.width);
  __syncthreads ();
  fill (ex, e, f.width);
  if (f.right.plane[0] == NULL)
    return;
  project (e, f.width, f.join, STEREO_VIEW_ONE, 0, NULL, b);
  __syncthreads ();
  fill (ex, b, f.width);
}

/* Steps 4 to 8 for row y of a view; words is the row then, for all threads. */
__device__ void
render_row (const Launch & a, Exchange & ex, int view, int y,
    const int32_t * e, const int32_t * b, int32_t * z, uint32_t * words)
{
  const StereoViewFrame & f = a.frame;
  const int32_t p = a.position[view], t = a.offset[view];
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
  if (f.right.plane[0] != NULL) {
    project (b, f.width, f.join, p - STEREO_VIEW_ONE, t, z, other);
    __syncthreads ();
    for (int x = threadIdx.x; x < f.width; x += THREADS)
      z[x] = later (other[x], z[x]);
    __syncthreads ();
  }
  fill (ex, z, f.width);
  for (int v = threadIdx.x; v < f.width; v += THREADS) {
    words[v] = fetch (a, ex, view, y, e, b, z[v], v);
    holes = holes || !is_seen (words[v]);
  }
  if (__syncthreads_or (holes)) {
    fill_holes (f, ex, z, words);
    __syncthreads ();
  }
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

/* Rows y to y + n - 1 of all views that are tiles of their own. */
__device__ void
render_tiles (const Launch & a, Exchange & ex, int y, int n, int32_t * memory)
{
  const StereoViewFrame & f = a.frame;
  const int w = f.width, rows = f.n_views / f.columns;
  int32_t *z = memory + (size_t) 2 * n * w;
  uint32_t *words[2] = { (uint32_t *) z + w, (uint32_t *) z + 2 * w };

  for (int r = 0; r < n; r++)
    prepare (f, ex, y + r, memory + (size_t) 2 * r * w,
        memory + (size_t) (2 * r + 1) * w);
  for (int view = 0; view < f.n_views; view++) {
    int row = view / f.columns;

    for (int r = 0; r < n; r++)
      render_row (a, ex, view, y + r, memory + (size_t) 2 * r * w,
          memory + (size_t) (2 * r + 1) * w, z, words[r]);
    if (f.layout == STEREO_VIEW_QUILT)
      row = rows - 1 - row;
    store (f, words, n, view % f.columns * w, row * f.height + y);
    __syncthreads ();
  }
}

/* Row y of both eyes. */
__device__ void
render_eyes (const Launch & a, Exchange & ex, int y, int32_t * memory)
{
  const StereoViewFrame & f = a.frame;
  const int w = f.width;
  int32_t *e = memory, *b = e + w, *z = b + w;
  uint32_t *words[2] = { (uint32_t *) z + w, (uint32_t *) z + 2 * w };

  prepare (f, ex, y, e, b);
  for (int view = 0; view < 2; view++) {
    if (f.layout != STEREO_VIEW_ROW_INTERLEAVED || y % 2 == view)
      render_row (a, ex, view, y, e, b, z, words[view]);
  }
  __syncthreads ();
  for (int x = threadIdx.x; x < w; x += THREADS) {
    const bool one = f.layout == STEREO_VIEW_ROW_INTERLEAVED;

    words[0][x] = one ? words[y % 2][x]
        : combine (f, words[0][x], words[1][x], x, y);
  }
  __syncthreads ();
  store (f, words, 1, 0, y);
}

__global__ void __launch_bounds__ (THREADS)
view_kernel (const __grid_constant__ Launch a, int n_groups, int step)
{
  extern __shared__ int32_t shared[];
  __shared__ Exchange ex;
  const StereoViewFrame & f = a.frame;
  int32_t *memory = shared;

  if (f.work != NULL)
    memory = (int32_t *) f.work
        + (size_t) blockIdx.x * ROWS (step) * f.width;
  for (int i = blockIdx.x; i < n_groups; i += gridDim.x) {
    const int y = i * step;

    if (stereo_view_is_tiled (f.layout))
      render_tiles (a, ex, y, min (step, f.height - y), memory);
    else
      render_eyes (a, ex, y, memory);
    __syncthreads ();
  }
}

/* Bytes that a block has of its rows. */
size_t
block_bytes (const StereoViewFrame * f)
{
  const int step = 1 << f->format.shift_y;

  return (size_t) ROWS (step) * f->width * sizeof (int32_t);
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

StereoStatus
render (StereoQueue * queue, const StereoViewFrame * frame)
{
  StereoCudaStage stage (queue);
  const int step = 1 << frame->format.shift_y;
  const int n_groups = (frame->height + step - 1) / step;
  const bool shared = fits (queue->device, frame);
  const size_t bytes = shared ? block_bytes (frame) : 0;
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
  if (error != cudaSuccess)
    return STEREO_CUDA_CHECK (error, "view_kernel", &queue->message);
  view_kernel <<< shared ? n_groups : min (n_groups, GLOBAL_BLOCKS), THREADS,
      bytes, stage.stream () >>> (launch, n_groups, step);
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
