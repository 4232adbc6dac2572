/* gst-stereomatching: synthesised views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A block renders one row of several views of a frame, or two rows if they
 * share chroma samples.  Its intermediate rows are in shared memory, or in
 * private global memory if they do not fit.  Projection uses an atomic maximum,
 * so the result does not depend on the order of threads.
 *
 * Shared memory limits occupancy.  Pixels are therefore stored to the frame
 * directly if the format allows it, and holes are filled there.
 *
 * A 1920x1080 view takes 41 us on an H100, at 297 instructions per warp of 32
 * pixels, mostly integer ones, and each further view of the frame 20 us.  More
 * threads with 40 instead of 56 registers are slower, and so were fewer threads
 * with two pixels each.
 */

#include "geometry/view-render.cuh"

#include "core/queue-cuda.h"

/* Maximum threads of a block and of a multiprocessor, limited by registers. */
#define THREADS 288
#define THREADS_RESIDENT (4 * THREADS)

#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define BLOCKS_RESIDENT 3       /* at most 1024 threads */
#else
#define BLOCKS_RESIDENT 4
#endif

/* Number of blocks when rows do not fit shared memory. */
#define GLOBAL_BLOCKS 264

/* Views of a launch. */
#define VIEWS_AT_ONCE 128

namespace
{

/* Kernel parameters: a frame and some of its views. */
struct Launch
{
  StereoViewFrame frame;        /* with join times SCALE */
  int first;                    /* view */
  StereoViewShot shots[VIEWS_AT_ONCE];
};

static_assert (sizeof (Launch) <= 4000, "too large for kernel parameters");

/* Work memory of a block: the bits of a row, E and B of one or two rows, Z,
 * which is also used to prepare E and B, and the colours of one or two rows or
 * eyes.  The addresses of rows stay in registers: a pixel's is one sum. */
template <Kind K, bool Shared> struct Rows
{
  uint32_t *bits;
  int32_t *disparities;
  int32_t *z;
  Word<K> *colors;
  int size;
  int n_disparities;            /* of E, and of B */

  static __device__ __forceinline__ int32_t *keep (int32_t * row)
  {
    return Shared ? keep_address (row) : row;
  }
  __device__ __forceinline__ int32_t *left (int r) const
  {
    return keep (disparities + 2 * min (r, n_disparities - 1) * size);
  }
  __device__ __forceinline__ int32_t *right (int r) const
  {
    return keep (left (r) + size);
  }
  __device__ __forceinline__ Word<K> *words (int r) const
  {
    return colors + r * size;
  }
};

/* ------------------------------------------------------------------- frames */

template <Kind K>
__device__ __forceinline__ Word<K>
combine_eyes (const StereoViewFrame & f, Word<K> left, Word<K> right, int x,
    int y)
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
template <Kind K, bool S>
__device__ __forceinline__ void
store_rows (const StereoViewFrame & f, const Rows<K, S> & rows, int n, int x0,
    int y0)
{
  const StereoViewFormat & k = f.format;
  const int step = 1 << k.shift_x;

  for (int r = 0; r < n; r++) {
    const ImageRow row = locate_row (k, f.frame, x0, y0 + r);

    for (int x = threadIdx.x; x < f.width; x += blockDim.x)
      store_color<K> (k, row, x, rows.words (r)[x]);
    /* packed YUV has an even number of pixels */
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

/* The first pixel of a view's tile. */
__device__ __forceinline__ int2
find_tile (const StereoViewFrame & f, int view)
{
  const int row = view / f.columns;

  return make_int2 (view % f.columns * f.width, (f.layout
          == STEREO_VIEW_QUILT ? f.n_views / f.columns - 1 - row : row)
      * f.height);
}

template <Kind K, bool S>
__device__ __forceinline__ void
combine_rows (const StereoViewFrame & f, const Rows<K, S> & rows, int y)
{
  __syncthreads ();
  for (int x = threadIdx.x; x < f.width; x += blockDim.x)
    rows.words (0)[x] = combine_eyes<K> (f, rows.words (0)[x],
        rows.words (1)[x], x, y);
  __syncthreads ();
}

/* Renders rows y to y + n - 1 of views begin to end - 1 of the launch, each
 * view into its own tile of the frame; or row y of both eyes, and interleaves
 * them. */
template <Kind K, bool S>
__device__ __forceinline__ void
render_views (const Launch & a, int y, int n, int begin, int end,
    const Rows<K, S> & rows)
{
  const StereoViewFrame & f = a.frame;
  const bool tiled = Target<K>::direct || stereo_view_is_tiled (f.layout);
  const bool one = !tiled && f.layout == STEREO_VIEW_ROW_INTERLEAVED;
  int n_prepared = 0;           /* rows */

  for (int i = begin; i < end; i++) {
    const StereoViewShot shot = keep_shot (a.shots[i]);
    const int2 tile = tiled && f.n_views > 1 ? find_tile (f, a.first + i)
        : make_int2 (0, 0);

    for (int r = 0; r < n; r++) {
      const Target<K> target (f.format, locate_row (f.format, f.frame, tile.x,
              tile.y + y + r), rows.words (tiled ? r : i));
      int32_t *e = rows.left (r), *b = rows.right (r);

      if (one && y % 2 != i)
        continue;
      if (is_camera (f, shot)) {
        copy_row<K> (f, shot, y + r, target);
        continue;
      }
      if (n_prepared == r) {
        prepare_row (f, rows.bits, y + r, e, b, rows.z);
        n_prepared++;
      }
      render_row<K> (f, shot, Sources {
          Source (f, f.left, e, y + r), Source (f, f.right, b, y + r)
          }, rows.bits, rows.z, target);
    }
    if (Target<K>::direct || (!tiled && i == 0))
      continue;
    if (!tiled)
      combine_rows (f, rows, y);
    store_rows (f, rows, n, tile.x, tile.y + y);
    __syncthreads ();
  }
}

/* Elements of the bit mask of a row, and of a row; multiples of 16 bytes. */
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

/* Rows in the work memory of a block. */
struct RowCounts
{
  int disparities;              /* of E, and of B */
  int words;

  __host__ __device__ RowCounts (const StereoViewFrame & f, bool direct)
  {
    const int step = 1 << f.format.shift_y;

    /* those of a single view are not needed any more */
    disparities = f.n_views == 1 ? 1 : step;
    words = direct ? 0 : stereo_view_is_tiled (f.layout) ? step : 2;
  }
};

template <Kind K, bool S>
__device__ __forceinline__ Rows<K, S>
divide_memory (const StereoViewFrame & f, int32_t * memory)
{
  const RowCounts counts (f, Target<K>::direct);
  Rows<K, S> rows;

  rows.size = row_size (f.width);
  rows.n_disparities = counts.disparities;
  rows.bits = (uint32_t *) memory;
  rows.disparities = memory + bits_size (f.width) + MARGIN;
  rows.z = rows.keep (rows.disparities + 2 * counts.disparities * rows.size);
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
  const bool tiled = Target<K>::direct || stereo_view_is_tiled (f.layout);
  const int step = 1 << f.format.shift_y;
  const int begin = blockIdx.y * views_of_block;
  const Rows<K, Shared> rows = divide_memory<K, Shared> (f, Shared
      ? keep_address (shared)
      : (int32_t *) f.work + (size_t) blockIdx.x * block_size);

  for (int i = blockIdx.x; i < n_groups; i += gridDim.x) {
    const int y = i * step;

    render_views (a, y, tiled ? min (step, f.height - y) : 1, begin,
        min (begin + views_of_block, n_views), rows);
    __syncthreads ();
  }
}

/* ------------------------------------------------------------------- launch */

bool
is_aligned (const StereoOpImage & image)
{
  return (uintptr_t) image.plane[0] % 4 == 0 && image.stride[0] % 4 == 0;
}

/* Whether pixels are independent and can be stored directly. */
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

/* Work memory of a block, in 32-bit elements. */
int
block_size (const StereoViewFrame * f, bool direct)
{
  const RowCounts counts (*f, direct);
  const int words = counts.words * (f->format.wide ? 2 : 1);

  return bits_size (f->width)
      + (2 * counts.disparities + 1 + words) * row_size (f->width);
}

bool
fits_shared (const StereoDevice * device, const StereoViewFrame * f)
{
  return block_size (f, is_direct (f)) * sizeof (int32_t)
      <= (size_t) stereo_cuda_shared_limit (device);
}

size_t
view_work_bytes (const StereoDevice * device, const StereoViewFrame * f)
{
  return fits_shared (device, f) ? 0
      : GLOBAL_BLOCKS * sizeof (int32_t) * (size_t) block_size (f, false);
}

/* Division of a frame between blocks. */
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
  Shape s;
  int blocks;

  s.n_groups = (f->height + step - 1) / step;
  s.shared = fits_shared (device, f);
  s.block_size = block_size (f, s.shared && is_direct (f));
  blocks = s.shared ? stereo_cuda_blocks_in_shared (device,
      s.block_size * (int) sizeof (int32_t)) : 1;
  blocks = blocks > 0 ? blocks : 1;
  s.threads = THREADS_RESIDENT / blocks / 32 * 32;
  s.threads = s.threads < 32 ? 32 : s.threads > 256 ? 256 : s.threads;
  if (blocks > THREADS_RESIDENT / s.threads)
    blocks = THREADS_RESIDENT / s.threads;
  s.resident = queue->multiprocessors * blocks;
  return s;
}

/* Views per block.  Each block prepares its own source row, so it renders all
 * views if the rows alone almost occupy the device. */
int
views_of_block (const Shape & s, const StereoViewFrame * f, int n_views)
{
  int parts = 1;

  if (s.shared && stereo_view_is_tiled (f->layout))
    parts = (s.resident + s.n_groups / 2) / s.n_groups;
  parts = parts < 1 ? 1 : parts < n_views ? parts : n_views;
  return (n_views + parts - 1) / parts;
}

template <Kind K, bool Shared>
cudaError_t
launch_view_kernel (cudaStream_t stream, const Launch & launch, const Shape & s,
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
    return launch_view_kernel<Kind::WIDE, false> (stream, launch, s, n_views);
  if (!s.shared)
    return launch_view_kernel<Kind::ROWS, false> (stream, launch, s, n_views);
  switch (kind) {
    case Kind::WORDS:
      return launch_view_kernel<Kind::WORDS, true> (stream, launch, s, n_views);
    case Kind::DIRECT:
      return launch_view_kernel<Kind::DIRECT, true> (stream, launch, s,
          n_views);
    case Kind::ROWS:
      return launch_view_kernel<Kind::ROWS, true> (stream, launch, s, n_views);
    default:
      return launch_view_kernel<Kind::WIDE, true> (stream, launch, s, n_views);
  }
}

StereoStatus
view_render (StereoQueue * queue, const StereoViewFrame * frame)
{
  StereoCudaStage stage (queue);
  const Shape shape = make_shape ((const StereoCudaQueue *) queue, frame);
  const Kind kind = choose_kind (frame, shape.shared);
  StereoStatus status = stage.status ();
  Launch launch;

  launch.frame = *frame;
  launch.frame.join *= SCALE;
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
    .work_bytes = view_work_bytes,
    .render = view_render,
  };

  return &stages;
}
