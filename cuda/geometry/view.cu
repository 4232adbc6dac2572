/* gst-stereomatching: synthesised views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block of threads makes a row of some views of a frame, or two rows where
 * they share chroma.  What it has of a row is in shared memory, or where that
 * is too small in a part of the work memory of its own.  Projection is an
 * atomic maximum, which gives the same in any order.
 *
 * Shared memory decides how many blocks a multiprocessor has at a time, so
 * where a pixel needs no other one's colour it gets to the frame at once, and
 * what neither view sees is filled there.
 *
 * On an H200 a view at 1920x1080 takes 46 us, for 403 instructions for 32
 * pixels.  Fewer threads that fetch two pixels at once are slower (64 for a
 * row: 62 us).
 */

#include "geometry/view.h"

#include "core/queue-cuda.h"
#include "geometry/view-color.cuh"
#include "geometry/view-row.cuh"

/* At most, of a block and of a multiprocessor: what registers allow. */
#define THREADS 288
#define THREADS_RESIDENT (4 * THREADS)

#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BLOCKS_RESIDENT 3       /* has no more than 1024 threads */
#else
#define BLOCKS_RESIDENT 4
#endif

/* Blocks that have no shared memory for a row. */
#define GLOBAL_BLOCKS 264

/* Views of a launch. */
#define VIEWS_AT_ONCE 128

namespace
{

/* What a kernel gets: a frame, and some of its views, by value. */
struct Launch
{
  StereoViewFrame frame;
  int first;                    /* view */
  StereoViewShot shots[VIEWS_AT_ONCE];
};

static_assert (sizeof (Launch) <= 4000, "too large for kernel parameters");

/* What a block has: E and B of one or of two rows, Z, colours of one or of two
 * rows or eyes, and a bit for each pixel of one of them.  Offsets, as of two
 * pointers the compiler doesn't know that both are of shared memory. */
template <Kind K> struct Rows
{
  uint32_t *bits;
  int32_t *disparities;
  int32_t *z;
  Word<K> *colors;
  int size;

  __device__ __forceinline__ int32_t *left (int r) const
  {
    return disparities + 2 * r * size;
  }
  __device__ __forceinline__ int32_t *right (int r) const
  {
    return disparities + (2 * r + 1) * size;
  }
  __device__ __forceinline__ Word<K> *words (int r) const
  {
    return colors + r * size;
  }
};

/* -------------------------------------------------------------------- keeps */

/* What the compiler doesn't know, it keeps in registers, and doesn't find it
 * out or load it again for every pixel. */
__device__ __forceinline__ uint32_t
keep (uint32_t value)
{
  asm volatile ("":"+r" (value));
  return value;
}

/* The same for the address of shared memory, which stays known as such. */
__device__ __forceinline__ int32_t *
keep_address (void *shared)
{
  return (int32_t *) __cvta_shared_to_generic (keep
      ((uint32_t) __cvta_generic_to_shared (shared)));
}

__device__ __forceinline__ StereoViewShot
keep_shot (const StereoViewShot & shot)
{
  StereoViewShot kept;

  kept.position = (int32_t) keep ((uint32_t) shot.position);
  kept.offset = (int32_t) keep ((uint32_t) shot.offset);
  kept.weight[0][0] = kept.weight[1][1] = keep (shot.weight[1][1]);
  kept.weight[0][1] = keep (shot.weight[0][1]);
  kept.weight[1][0] = keep (shot.weight[1][0]);
  return kept;
}

__device__ __forceinline__ RawBytes
keep_bytes (const RawBytes & bytes)
{
  return RawBytes { keep (bytes.even), keep (bytes.odd) };
}

/* -------------------------------------------------------------------- fetch */

/* Step 6 for a view. */
template <Kind K> struct Found
{
  Sum<K> sum;
  bool seen = false;
  bool edge = false;
};

template <Kind K>
__device__ __forceinline__ Found<K>
look (const StereoViewFrame & f, const ImageRow & image, const int32_t * row,
    const RawBytes & bytes, bool exists, int32_t place, int32_t z)
{
  const uint32_t part = place & 255;
  const bool in = exists
      & ((uint32_t) (place + 128) <= (uint32_t) (256 * f.width));
  const int x = in ? place >> 8 : 0;
  const int32_t a = row[x - 1], b = row[x], c = row[x + 1], d = row[x + 2];
  const bool first = in & joined (b, z, f.join);
  const bool second = in & (part != 0) & joined (c, z, f.join);
  Word<K> color[2] = { 0, 0 };
  Found<K> found;

  if (first)
    color[0] = load_raw<K> (f.format, image, x);
  if (second)
    color[1] = load_raw<K> (f.format, image, x + 1);
  /* one alone has all the weight */
  found.sum.add (color[0], second ? 256 - part : 256, bytes);
  found.sum.add (color[1], first ? part : 256, bytes);
  found.seen = first | second;
  found.edge = (first & (max (a, c) - b > f.join))
      | (second & (max (b, d) - c > f.join));
  return found;
}

/* A row of both views. */
struct Sources
{
  ImageRow left;
  ImageRow right;
  const int32_t *e;
  const int32_t *b;
};

/* Steps 6 and 7 for pixel v, which has disparity z; 0 if it isn't seen. */
template <Kind K>
__device__ __forceinline__ Word<K>
fetch (const StereoViewFrame & f, const StereoViewShot & shot,
    const Sources & from, const RawBytes & bytes, int32_t z, int v)
{
  const int32_t at = 256 * v - shot.offset + shift (shot.position, z);
  const uint32_t alike = shot.weight[1][1], less = shot.weight[1][0];
  const uint32_t more = shot.weight[0][1];
  const Found<K> l = look<K> (f, from.left, from.e, bytes, true, at, z);
  /* a whole baseline further is a whole disparity less */
  const Found<K> r = look<K> (f, from.right, from.b, bytes,
      f.right.plane[0] != NULL, at - z, z);
  uint32_t weight;

  weight = l.edge ? more : less;
  weight = l.edge == r.edge ? alike : weight;
  weight = r.seen ? weight : 0;
  weight = l.seen ? weight : STEREO_VIEW_ONE;
  return l.seen | r.seen ? l.sum.blend (r.sum, weight) : 0;
}

/* -------------------------------------------------------------------- views */

/* Where a row of a view goes. */
template <Kind K> struct Target
{
  ImageRow row;                 /* of the frame, where it gets there at once */
  Word<K> *words;               /* else */

  static constexpr bool direct = K == Kind::WORDS || K == Kind::DIRECT;

  __device__ __forceinline__ Word<K> get (const StereoViewFormat & k,
      int x) const
  {
    return direct ? load_color<K> (k, row, x) : words[x];
  }
  __device__ __forceinline__ void put (const StereoViewFormat & k, int x,
      Word<K> word) const
  {
    if (direct)
      store_color<K> (k, row, x, word);
    else
      words[x] = word;
  }
};

/* Step 8: the colour of pixel x, which isn't seen; bits are of those that
 * are. */
template <Kind K>
__device__ Word<K>
hole_color (const StereoViewFrame & f, const uint32_t * bits,
    const int32_t * z, const Target<K> & target, int x)
{
  const int left = find_before (bits, x);
  const int right = find_behind (bits, f.width, x);
  uint32_t sum[3] = { 0, 0, 0 };
  int from = left, step = -1, n = 0;

  if (left < 0 || (right < f.width
          && unprefer (z[right]) < unprefer (z[left]))) {
    from = right;
    step = 1;
  }
  for (int i = from; n < 4 && i >= 0 && i < f.width && has_bit (bits, i)
      && joined (unprefer (z[i]), unprefer (z[from]), f.join);
      i += step, n++) {
    const Word<K> word = target.get (f.format, i);

    for (int c = 0; c < 3; c++)
      sum[c] += channel<K> (word, c);
  }
  if (n == 0)
    return color_of<K> (f.black[0], f.black[1], f.black[2]);
  for (int c = 0; c < 3; c++)
    sum[c] = (sum[c] + n / 2) / n;
  return color_of<K> (sum[0], sum[1], sum[2]);
}

/* The codes of pixel x and those after it; any known one for what is behind the
 * row. */
__device__ __forceinline__ void
load_codes (const StereoViewFrame & f, const uint8_t * row, int x,
    uint32_t (&codes)[GROUP])
{
  if (f.code_bytes == 2 && f.factor == 1 && (uintptr_t) row % 16 == 0
      && x + GROUP <= f.width) {
    const uint4 words = *(const uint4 *) ((const uint16_t *) row + x);

#pragma unroll
    for (int i = 0; i < GROUP; i++)
      codes[i] = (&words.x)[i / 2] >> i % 2 * 16 & 0xffff;
    return;
  }
  int at = x / f.factor, rest = x % f.factor;

#pragma unroll
  for (int i = 0; i < GROUP; i++) {
    codes[i] = ~f.invalid;
    if (x + i < f.width)
      codes[i] = f.code_bytes == 1 ? row[at]
          : row[2 * at] | (uint32_t) row[2 * at + 1] << 8;
    at += ++rest == f.factor;
    rest = rest == f.factor ? 0 : rest;
  }
}

/* Steps 0 to 3 for row y. */
__device__ __forceinline__ void
prepare (const StereoViewFrame & f, uint32_t * bits, int y, int32_t * e,
    int32_t * b)
{
  const uint8_t *row = f.codes + (size_t) (y / f.factor) * f.codes_stride;
  bool all = true;

  clear (b, f.width);
  FOR_EACH_GROUP (x, f.width) {
    uint32_t codes[GROUP], set = 0;
    int32_t disparities[GROUP];

    load_codes (f, row, x, codes);
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
      const bool known = codes[i] != f.invalid;
      /* without a branch */
      const uint32_t disparity = keep ((uint32_t)
          stereo_view_disparity (codes[i], f.scale_high, f.scale_low,
              f.minimum, f.factor));

      disparities[i] = known ? (int32_t) disparity : STEREO_VIEW_NONE;
      set |= known ? 1u << i : 0;
    }
    if (x + GROUP <= f.width) {
      *(int4 *) (e + x) = make_int4 (disparities[0], disparities[1],
          disparities[2], disparities[3]);
      *(int4 *) (e + x + 4) = make_int4 (disparities[4], disparities[5],
          disparities[6], disparities[7]);
    } else {
#pragma unroll
      for (int i = 0; i < GROUP; i++) {
        if (x + i < f.width)
          e[x + i] = disparities[i];
      }
    }
    write_group (bits, x, set);
    all &= set == ALL_OF_GROUP;
  }
  if (threadIdx.x < 2 * MARGIN) {
    const int x = threadIdx.x < MARGIN ? (int) threadIdx.x - MARGIN
        : f.width + (int) threadIdx.x - MARGIN;

    e[x] = b[x] = BEYOND;
  }
  fill (bits, e, f.width, all);
  if (f.right.plane[0] == NULL)
    return;
  project<true> (e, f.width, f.join, STEREO_VIEW_ONE, 0, 0, b);
  __syncthreads ();
  complete (bits, b, f.width);
}

/* Steps 4 to 8 for a row of a view, which is at its target then, for all
 * threads; z has been cleared by them. */
template <Kind K>
__device__ __forceinline__ void
render_row (const StereoViewFrame & f, const StereoViewShot & shot,
    const Sources & from, uint32_t * bits, int32_t * z,
    const Target<K> & target)
{
  const bool both = f.right.plane[0] != NULL;
  const RawBytes bytes = keep_bytes (raw_bytes<K> (f.format));
  uint32_t seen = ALL_BITS;

  /* with the one behind, see cover () */
  clear (z, f.width + 1);
  __syncthreads ();
  project<false> (from.e, f.width, f.join, shot.position, shot.offset,
      both ? PREFERRED : 0, z);
  if (both)
    project<false> (from.b, f.width, f.join,
        shot.position - STEREO_VIEW_ONE, shot.offset, 0, z);
  __syncthreads ();
  complete (bits, z, f.width);
  FOR_EACH_PIXEL (v, f.width) {
    Word<K> word = 1;

    if (v < f.width) {
      word = fetch<K> (f, shot, from, bytes, unprefer (z[v]), v);
      target.put (f.format, v, word);
    }
    seen &= write_bits (bits, v, word != 0);
  }
  if (!__syncthreads_or (seen != ALL_BITS))
    return;
  for_each_unset (bits, f.width, [&] (int v) {
    target.put (f.format, v, hole_color<K> (f, bits, z, target, v));
  });
  __syncthreads ();
}

template <Kind K>
__device__ __forceinline__ Sources
locate_sources (const StereoViewFrame & f, const Rows<K> & rows, int y, int r)
{
  Sources from;

  from.left = from.right = locate_row (f.format, f.left, 0, y);
  if (f.right.plane[0] != NULL)
    from.right = locate_row (f.format, f.right, 0, y);
  from.e = rows.left (r);
  from.b = rows.right (r);
  return from;
}

template <Kind K>
__device__ __forceinline__ Word<K>
combine (const StereoViewFrame & f, Word<K> left, Word<K> right, int x, int y)
{
  const StereoViewFormat & k = f.format;

  switch (f.layout) {
    case STEREO_VIEW_ROW_INTERLEAVED:
      return y % 2 != 0 ? right : left;
    case STEREO_VIEW_COLUMN_INTERLEAVED:
      return x % 2 != 0 ? right : left;
    case STEREO_VIEW_CHECKERBOARD:
      return (x + y) % 2 != 0 ? right : left;
    default:
      if (f.luma[0])
        left = stereo_view_grey ((uint32_t) left, k.r, k.g, k.b);
      if (f.luma[1])
        right = stereo_view_grey ((uint32_t) right, k.r, k.g, k.b);
      return (left & f.eye_mask) | (right & ~f.eye_mask);
  }
}

/* Writes n rows of words to the frame, from (x0, y0) on. */
template <Kind K>
__device__ __forceinline__ void
store (const StereoViewFrame & f, const Rows<K> & rows, int n, int x0, int y0)
{
  const StereoViewFormat & k = f.format;
  const int step = 1 << k.shift_x;

  for (int r = 0; r < n; r++) {
    const ImageRow row = locate_row (k, f.frame, x0, y0 + r);

    for (int x = threadIdx.x; x < f.width; x += blockDim.x)
      store_color<K> (k, row, x, rows.words (r)[x]);
    /* packed YUV has whole groups of two */
    if (threadIdx.x == 0 && k.yuv && !k.wide && k.pixel_bytes == 2
        && f.width % 2 != 0)
      store_color<K> (k, row, f.width, rows.words (r)[f.width - 1]);
  }
  if (k.yuv) {
    const ImageRow row = locate_row (k, f.frame, x0, y0);

    for (int x = threadIdx.x * step; x < f.width; x += blockDim.x * step)
      store_chroma<K> (k, row, rows.words (0), rows.words (n - 1), x, f.width);
  }
}

/* Rows y to y + n - 1 of views begin to end - 1 of the launch, which are tiles
 * of their own. */
template <Kind K>
__device__ __forceinline__ void
render_tiles (const Launch & a, int y, int n, int begin, int end,
    const Rows<K> & rows)
{
  const StereoViewFrame & f = a.frame;
  const int n_rows = f.n_views / f.columns;

  for (int r = 0; r < n; r++)
    prepare (f, rows.bits, y + r, rows.left (r), rows.right (r));
  for (int i = begin; i < end; i++) {
    const StereoViewShot shot = keep_shot (a.shots[i]);
    const int view = a.first + i, x0 = view % f.columns * f.width;
    int y0 = view / f.columns;

    if (f.layout == STEREO_VIEW_QUILT)
      y0 = n_rows - 1 - y0;
    y0 = y0 * f.height + y;
    for (int r = 0; r < n; r++) {
      Target<K> target;

      target.row = locate_row (f.format, f.frame, x0, y0 + r);
      target.words = rows.words (r);
      render_row<K> (f, shot, locate_sources<K> (f, rows, y + r, r),
          rows.bits, rows.z, target);
    }
    if (!Target<K>::direct) {
      store<K> (f, rows, n, x0, y0);
      __syncthreads ();
    }
  }
}

/* Row y of both eyes. */
template <Kind K>
__device__ __forceinline__ void
render_eyes (const Launch & a, int y, const Rows<K> & rows)
{
  const StereoViewFrame & f = a.frame;
  const bool one = f.layout == STEREO_VIEW_ROW_INTERLEAVED;

  prepare (f, rows.bits, y, rows.left (0), rows.right (0));
  for (int view = 0; view < 2; view++) {
    Target<K> target;

    target.words = rows.words (view);
    if (!one || y % 2 == view)
      render_row<K> (f, a.shots[view], locate_sources<K> (f, rows, y, 0),
          rows.bits, rows.z, target);
  }
  __syncthreads ();
  for (int x = threadIdx.x; x < f.width; x += blockDim.x)
    rows.words (0)[x] = combine<K> (f, rows.words (0)[x], rows.words (1)[x],
        x, y);
  __syncthreads ();
  store<K> (f, rows, 1, 0, y);
}

/* Elements of the bits, and of a row; both begin at multiples of 16 bytes. */
__host__ __device__ __forceinline__ int
bits_size (int width)
{
  return (width + 127) / 128 * 4;
}

__host__ __device__ __forceinline__ int
row_size (int width)
{
  return (width + 3) / 4 * 4 + 2 * MARGIN;
}

/* Rows that a block has: E and B of each of its rows, Z, and colours of its
 * rows or of two eyes. */
struct RowCounts
{
  int disparities;              /* E and as many B */
  int words;

  __host__ __device__ RowCounts (const StereoViewFrame & f, bool direct)
  {
    const int step = 1 << f.format.shift_y;

    disparities = step;
    words = direct ? 0 : stereo_view_is_tiled (f.layout) ? step : 2;
  }
};

template <Kind K>
__device__ __forceinline__ Rows<K>
hand_out (const StereoViewFrame & f, int32_t * memory)
{
  const RowCounts counts (f, Target<K>::direct);
  Rows<K> rows;

  rows.size = row_size (f.width);
  rows.bits = (uint32_t *) memory;
  rows.disparities = memory + bits_size (f.width) + MARGIN;
  rows.z = rows.disparities + 2 * counts.disparities * rows.size;
  rows.colors = (Word<K> *) (rows.z + rows.size);
  return rows;
}

template <Kind K, bool Shared>
__global__ void __launch_bounds__ (THREADS, BLOCKS_RESIDENT)
view_kernel (const __grid_constant__ Launch a, int n_groups, int block_size,
    int views_of_block, int n_views)
{
  extern __shared__ int4 shared[];
  const StereoViewFrame & f = a.frame;
  const bool tiled = stereo_view_is_tiled (f.layout);
  const int step = 1 << f.format.shift_y;
  const int begin = blockIdx.y * views_of_block;
  const Rows<K> rows = hand_out<K> (f, Shared ? keep_address (shared)
      : (int32_t *) f.work + (size_t) blockIdx.x * block_size);

  for (int i = blockIdx.x; i < n_groups; i += gridDim.x) {
    const int y = i * step;

    if (Target<K>::direct || tiled)
      render_tiles<K> (a, y, min (step, f.height - y), begin,
          min (begin + views_of_block, n_views), rows);
    else
      render_eyes<K> (a, y, rows);
    __syncthreads ();
  }
}

/* ------------------------------------------------------------------- launch */

bool
is_aligned (const StereoOpImage & image)
{
  return (uintptr_t) image.plane[0] % 4 == 0 && image.stride[0] % 4 == 0;
}

/* Whether pixels need no other one's colour, so that they get there at once. */
bool
is_direct (const StereoViewFrame * f)
{
  return !f->format.wide && f->format.shift_x == 0 && f->format.shift_y == 0
      && stereo_view_is_tiled (f->layout);
}

Kind
choose_kind (const StereoViewFrame * f, bool shared)
{
  if (f->format.wide)
    return Kind::WIDE;
  if (!shared || !is_direct (f))
    return Kind::ROWS;
  return f->format.pixel_bytes == 4 && is_aligned (f->left)
      && is_aligned (f->right) && is_aligned (f->frame) ? Kind::WORDS
      : Kind::DIRECT;
}

/* Elements that a block has of its rows. */
int
block_size (const StereoViewFrame * f, bool direct)
{
  const RowCounts counts (*f, direct);
  const int words = counts.words * (f->format.wide ? 2 : 1);

  return bits_size (f->width)
      + (2 * counts.disparities + 1 + words) * row_size (f->width);
}

bool
fits (const StereoDevice * device, const StereoViewFrame * f)
{
  return block_size (f, is_direct (f)) * sizeof (int32_t)
      <= (size_t) stereo_cuda_shared_limit (device);
}

size_t
work_bytes (const StereoDevice * device, const StereoViewFrame * f)
{
  return fits (device, f) ? 0
      : GLOBAL_BLOCKS * sizeof (int32_t) * (size_t) block_size (f, false);
}

/* How a frame is divided. */
struct Shape
{
  int n_groups;                 /* of rows */
  int block_size;
  bool shared;
  int threads;
  int resident;                 /* blocks, on the device */
};

Shape
make_shape (const StereoCudaQueue * queue, const StereoViewFrame * f)
{
  const StereoDevice *device = queue->queue.device;
  const int step = 1 << f->format.shift_y;
  const int limit = stereo_cuda_shared_limit (device);
  Shape s;
  int blocks;

  s.n_groups = (f->height + step - 1) / step;
  s.shared = fits (device, f);
  s.block_size = block_size (f, s.shared && is_direct (f));
  /* each block has 1 KB besides */
  blocks = s.shared ? limit / (s.block_size * (int) sizeof (int32_t) + 1024)
      : 1;
  blocks = blocks > 0 ? blocks : 1;
  s.threads = THREADS_RESIDENT / blocks / 32 * 32;
  s.threads = s.threads < 64 ? 64 : s.threads > 256 ? 256 : s.threads;
  if (blocks > THREADS_RESIDENT / s.threads)
    blocks = THREADS_RESIDENT / s.threads;
  s.resident = queue->multiprocessors * blocks;
  return s;
}

/* Views that a block makes of a row: all of them if there are rows enough for
 * the device; each block has to prepare the row. */
int
views_of_block (const Shape & s, const StereoViewFrame * f, int n_views)
{
  int parts = 1;

  if (s.shared && stereo_view_is_tiled (f->layout))
    parts = (s.resident + s.n_groups - 1) / s.n_groups;
  parts = parts < n_views ? parts : n_views;
  return (n_views + parts - 1) / parts;
}

template <Kind K, bool Shared>
cudaError_t
launch_kernel (cudaStream_t stream, const Launch & launch, const Shape & s,
    int n_views)
{
  const int bytes = Shared ? s.block_size * (int) sizeof (int32_t) : 0;
  const int each = views_of_block (s, &launch.frame, n_views);
  const dim3 grid (Shared ? s.n_groups : min (s.n_groups, GLOBAL_BLOCKS),
      stereo_view_is_tiled (launch.frame.layout)
      ? (n_views + each - 1) / each : 1);
  cudaError_t error = cudaFuncSetAttribute (view_kernel<K, Shared>,
      cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

  if (error == cudaSuccess)
    error = cudaFuncSetAttribute (view_kernel<K, Shared>,
        cudaFuncAttributePreferredSharedMemoryCarveout,
        cudaSharedmemCarveoutMaxShared);
  if (error == cudaSuccess)
    view_kernel<K, Shared> <<< grid, s.threads, bytes, stream >>> (launch,
        s.n_groups, s.block_size, each, n_views);
  return error;
}

cudaError_t
launch_kind (Kind kind, cudaStream_t stream, const Launch & launch,
    const Shape & s, int n_views)
{
  if (!s.shared && kind == Kind::WIDE)
    return launch_kernel<Kind::WIDE, false> (stream, launch, s, n_views);
  if (!s.shared)
    return launch_kernel<Kind::ROWS, false> (stream, launch, s, n_views);
  switch (kind) {
    case Kind::WORDS:
      return launch_kernel<Kind::WORDS, true> (stream, launch, s, n_views);
    case Kind::DIRECT:
      return launch_kernel<Kind::DIRECT, true> (stream, launch, s, n_views);
    case Kind::ROWS:
      return launch_kernel<Kind::ROWS, true> (stream, launch, s, n_views);
    default:
      return launch_kernel<Kind::WIDE, true> (stream, launch, s, n_views);
  }
}

StereoStatus
render (StereoQueue * queue, const StereoViewFrame * frame)
{
  StereoCudaStage stage (queue);
  const Shape shape = make_shape ((const StereoCudaQueue *) queue, frame);
  const Kind kind = choose_kind (frame, shape.shared);
  StereoStatus status = stage.status ();
  Launch launch;

  launch.frame = *frame;
  for (int i = 0; i < frame->n_views && status == STEREO_OK;
      i += VIEWS_AT_ONCE) {
    const int n = min (frame->n_views - i, VIEWS_AT_ONCE);
    cudaError_t error;

    launch.first = i;
    memcpy (launch.shots, frame->shots + i, n * sizeof (launch.shots[0]));
    error = launch_kind (kind, stage.stream (), launch, shape, n);
    status = error == cudaSuccess ? STEREO_CUDA_LAUNCHED (stage, "view_kernel")
        : STEREO_CUDA_CHECK (error, "view_kernel", &queue->message);
  }
  return status;
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
