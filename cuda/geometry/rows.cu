/* gst-stereomatching: row measurement, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A frame is some hundred points, so most of its time is that of the launches:
 * each stage is one kernel for both views where possible. */

#include "geometry/rows-warp.cuh"

namespace
{

/* -------------------------------------------------------------------- halve */

/* blockIdx.z is the view. */
__global__ void
halve_kernel (const StereoRowsFrame f, int level)
{
  const StereoRowsImage & in = f.pyramid[blockIdx.z][level - 1];
  const StereoRowsImage & out = f.pyramid[blockIdx.z][level];
  int x, y;

  if (!stereo_own_pixel (out.width, out.height, &x, &y))
    return;
  const uint8_t *above = in.pixels + (size_t) (2 * y) * in.stride + 2 * x;
  const uint8_t *below = above + in.stride;

  out.pixels[(size_t) y * out.stride + x] = stereo_rows_mean (above[0],
      above[1], below[0], below[1]);
}

StereoStatus
halve_cuda (StereoQueue * queue, const StereoRowsFrame * f)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  for (int level = 1; level <= f->n_levels; level++) {
    const StereoRowsImage & out = f->pyramid[0][level];
    dim3 grid = stereo_pixel_grid (out.width, out.height);

    grid.z = 2;
    launch_kernel (queue, false, grid, stereo_pixel_block, 0, halve_kernel, *f,
        level);
  }
  return STEREO_CUDA_LAUNCHED (stage, "halve_kernel");
}

/* ------------------------------------------------------------------ corners */

#define TILE_X 32
#define TILE_Y 8
#define TILE_MARGIN (2 * STEREO_TENSOR_RADIUS)

__global__ void
score_kernel (const StereoRowsFrame f)
{
  __shared__ int3 products[TILE_Y + TILE_MARGIN][TILE_X + TILE_MARGIN];
  const StereoRowsImage & image = f.pyramid[blockIdx.z][f.n_levels];
  const int margin = STEREO_CORNER_BORDER - 1;
  const int x0 = margin + blockIdx.x * TILE_X;
  const int y0 = margin + blockIdx.y * TILE_Y;
  const int n = (TILE_X + TILE_MARGIN) * (TILE_Y + TILE_MARGIN);

  for (int i = threadIdx.y * TILE_X + threadIdx.x; i < n;
      i += TILE_X * TILE_Y) {
    const int column = i % (TILE_X + TILE_MARGIN);
    const int row = i / (TILE_X + TILE_MARGIN);
    const int x = min (x0 + column - STEREO_TENSOR_RADIUS, image.width - 2);
    const int y = min (y0 + row - STEREO_TENSOR_RADIUS, image.height - 2);
    const uint8_t *p = image.pixels + (size_t) y * image.stride + x;
    const int dx = p[1] - p[-1];
    const int dy = p[image.stride] - *(p - image.stride);

    products[row][column] = make_int3 (dx * dx, dy * dy, dx * dy);
  }
  __syncthreads ();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  int3 sum = make_int3 (0, 0, 0);

  if (x >= image.width - margin || y >= image.height - margin)
    return;
#pragma unroll
  for (int i = 0; i <= TILE_MARGIN; i++) {
#pragma unroll
    for (int j = 0; j <= TILE_MARGIN; j++) {
      const int3 & p = products[threadIdx.y + i][threadIdx.x + j];

      sum.x += p.x;
      sum.y += p.y;
      sum.z += p.z;
    }
  }
  f.scores[blockIdx.z][(size_t) y * image.width + x]
      = stereo_corner_score (sum.x, sum.y, sum.z);
}

/* A warp per cell; blockIdx.y is the view. */
__global__ void
peak_kernel (const StereoRowsFrame f)
{
  const int view = blockIdx.y, lane = threadIdx.x % WARP;
  const int cell = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  const StereoRowsImage & image = f.pyramid[view][f.n_levels];
  const StereoRowsCells & cells = f.cells[view];

  if (cell >= cells.columns * cells.rows)
    return;
  const int x0 = STEREO_CORNER_BORDER + cell % cells.columns * cells.size;
  const int y0 = STEREO_CORNER_BORDER + cell / cells.columns * cells.size;
  const int width = min (cells.size, image.width - STEREO_CORNER_BORDER - x0);
  const int height = min (cells.size, image.height - STEREO_CORNER_BORDER
      - y0);
  const float *scores = f.scores[view];
  float best = STEREO_MIN_SCORE;
  int index = width * height;   /* none */

  for (int i = lane; i < width * height; i += WARP) {
    const float score = scores[(size_t) (y0 + i / width) * image.width + x0
        + i % width];

    if (score > best) {
      best = score;
      index = i;
    }
  }
  for (int o = WARP / 2; o > 0; o /= 2) {
    const float other = __shfl_xor_sync (ALL_LANES, best, o);
    const int other_index = __shfl_xor_sync (ALL_LANES, index, o);

    if (other > best || (other == best && other_index < index)) {
      best = other;
      index = other_index;
    }
  }
  const int x = x0 + index % width, y = y0 + index / width;
  bool found = index < width * height;

  /* the neighbouring cell may have the peak */
  if (found && lane < 9)
    found = !(scores[(size_t) (y - 1 + lane / 3) * image.width + x - 1
            + lane % 3] > best);
  found = __all_sync (ALL_LANES, found);
  if (lane == 0) {
    f.corners[view][cell].x = found ? x : -1;
    f.corners[view][cell].y = y;
  }
}

unsigned
most_cells (const StereoRowsFrame * f)
{
  const int left = f->cells[0].columns * f->cells[0].rows;
  const int right = f->cells[1].columns * f->cells[1].rows;

  return (unsigned) (left > right ? left : right);
}

/* Warps in a block. */
#define BLOCK_WARPS 4

/* Blocks with a warp for each cell of both views. */
dim3
grid_of_cells (const StereoRowsFrame * f)
{
  return dim3 (stereo_blocks ((int) most_cells (f), BLOCK_WARPS), 2);
}

StereoStatus
corners_cuda (StereoQueue * queue, const StereoRowsFrame * f)
{
  const StereoRowsImage & last = f->pyramid[0][f->n_levels];
  const int margin = 2 * (STEREO_CORNER_BORDER - 1);
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  if (most_cells (f) == 0)
    return STEREO_OK;
  launch_kernel (queue, false, dim3 (stereo_blocks (last.width - margin,
              TILE_X), stereo_blocks (last.height - margin, TILE_Y), 2),
      dim3 (TILE_X, TILE_Y), 0, score_kernel, *f);
  launch_kernel (queue, false, grid_of_cells (f), dim3 (WARP * BLOCK_WARPS), 0,
      peak_kernel, *f);
  return STEREO_CUDA_LAUNCHED (stage, "peak_kernel");
}

/* ----------------------------------------------------------------- describe */

/* A block per cell, a thread per bit. */
__global__ void
describe_kernel (const StereoRowsFrame f)
{
  const int n = STEREO_DESCRIPTOR_SIZE, r = STEREO_DESCRIPTOR_RADIUS;
  __shared__ uint16_t smooth[STEREO_DESCRIPTOR_SIZE * STEREO_DESCRIPTOR_SIZE];
  const int view = blockIdx.y, cell = blockIdx.x;

  if (cell >= f.cells[view].columns * f.cells[view].rows
      || f.corners[view][cell].x < 0)
    return;
  StereoCorner & corner = f.corners[view][cell];
  const StereoRowsImage & image = f.pyramid[view][f.n_levels];

  for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
    const uint8_t *p = image.pixels + (size_t) (corner.y - r + i / n)
        * image.stride + corner.x - r + i % n;
    const uint8_t *above = p - image.stride, *below = p + image.stride;

    smooth[i] = (uint16_t) (above[-1] + 2 * above[0] + above[1]
        + 2 * p[-1] + 4 * p[0] + 2 * p[1] + below[-1] + 2 * below[0]
        + below[1]);
  }
  __syncthreads ();
  const int8_t *at = f.pattern + 4 * threadIdx.x;
  const unsigned word = __ballot_sync (ALL_LANES,
      smooth[(r + at[1]) * n + r + at[0]] < smooth[(r + at[3]) * n + r
          + at[2]]);

  if (threadIdx.x % WARP == 0)
    ((uint32_t *) corner.descriptor)[threadIdx.x / WARP] = word;
}

StereoStatus
describe_cuda (StereoQueue * queue, const StereoRowsFrame * f)
{
  if (most_cells (f) == 0)
    return STEREO_OK;
  return run_kernel (queue, "describe_kernel", false, dim3 (most_cells (f), 2),
      dim3 (256), 0, describe_kernel, *f);
}

/* -------------------------------------------------------------------- match */

__device__ int
corner_distance (const StereoCorner & a, const StereoCorner & b)
{
  int n = 0;

#pragma unroll
  for (int i = 0; i < 4; i++)
    n += __popcll (a.descriptor[i] ^ b.descriptor[i]);
  return n;
}

__device__ bool
is_candidate (const StereoRowsImage & last, const StereoCorner & a,
    const StereoCorner & b)
{
  return b.x >= 0 && stereo_corners_near (&last, b.x - a.x, b.y - a.y);
}

/* A warp per corner. */
__global__ void
match_kernel (const StereoRowsFrame f)
{
  const int view = blockIdx.y, lane = threadIdx.x % WARP;
  const int cell = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  const StereoRowsImage & last = f.pyramid[0][f.n_levels];
  const StereoCorner *others = f.corners[!view];
  const int n = f.cells[!view].columns * f.cells[!view].rows;

  if (cell >= f.cells[view].columns * f.cells[view].rows)
    return;
  const StereoCorner & self = f.corners[view][cell];
  unsigned best = (unsigned) STEREO_NO_HAMMING << 16;
  int second = STEREO_NO_HAMMING;

  if (self.x >= 0) {
    for (int i = lane; i < n; i += WARP) {
      if (is_candidate (last, self, others[i]))
        best = min (best, (unsigned) corner_distance (self, others[i]) << 16
            | (unsigned) i);
    }
  }
  for (int o = WARP / 2; o > 0; o /= 2)
    best = min (best, __shfl_xor_sync (ALL_LANES, best, o));
  const int distance = (int) (best >> 16), other = (int) (best & 0xffff);
  const bool found = distance < STEREO_NO_HAMMING;

  for (int i = lane; found && i < n; i += WARP) {
    if (is_candidate (last, self, others[i])
        && (abs (others[i].x - others[other].x) > 2
            || abs (others[i].y - others[other].y) > 2))
      second = min (second, corner_distance (self, others[i]));
  }
  for (int o = WARP / 2; o > 0; o /= 2)
    second = min (second, __shfl_xor_sync (ALL_LANES, second, o));
  if (lane == 0) {
    StereoCornerNearest & nearest = f.nearest[view][cell];

    nearest.other = found ? other : -1;
    nearest.distance = distance;
    nearest.second = second;
  }
}

StereoStatus
match_cuda (StereoQueue * queue, const StereoRowsFrame * f)
{
  if (most_cells (f) == 0)
    return STEREO_OK;
  return run_kernel (queue, "match_kernel", false, grid_of_cells (f),
      dim3 (WARP * BLOCK_WARPS), 0, match_kernel, *f);
}

/* ------------------------------------------------------------------- refine */

/* A warp per left cell. */
__global__ void
refine_kernel (const StereoRowsFrame f)
{
  const int cell = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  StereoRowMatch match;

  if (cell >= f.cells[0].columns * f.cells[0].rows)
    return;
  if (!refine_corner (f, cell, &match))
    match.hamming = -1;
  if (threadIdx.x % WARP == 0)
    f.refined[cell] = match;
}

#define COLLECT_THREADS 1024

/* The number of threads before this one, and in all, for which `is` is true. */
__device__ int
count_before (bool is, int *all)
{
  __shared__ int of_warp[COLLECT_THREADS / WARP];
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  const unsigned bits = __ballot_sync (ALL_LANES, is);
  int before = __popc (bits & ((1u << lane) - 1));

  if (lane == 0)
    of_warp[warp] = __popc (bits);
  __syncthreads ();
  *all = 0;
  for (int i = 0; i < COLLECT_THREADS / WARP; i++) {
    before += i < warp ? of_warp[i] : 0;
    *all += of_warp[i];
  }
  __syncthreads ();
  return before;
}

__device__ int
count_corners (const StereoRowsFrame & f, int view)
{
  const int n = f.cells[view].columns * f.cells[view].rows;
  int sum = 0;

  for (int first = 0; first < n; first += COLLECT_THREADS) {
    const int i = first + threadIdx.x;
    int all;

    count_before (i < n && f.corners[view][i].x >= 0, &all);
    sum += all;
  }
  return sum;
}

/* Words at any address. */
__device__ void
put_words (uint8_t * out, const int32_t * words)
{
  for (int i = 0; i < 4 * STEREO_ROWS_WORDS; i++)
    out[i] = (uint8_t) (words[i / 4] >> 8 * (i % 4));
}

/* One block. */
__global__ void
collect_kernel (const StereoRowsFrame f)
{
  const int n = f.cells[0].columns * f.cells[0].rows;
  int n_matches = 0;

  for (int first = 0; first < n; first += COLLECT_THREADS) {
    const int i = first + threadIdx.x;
    const bool is = i < n && f.refined[i].hamming >= 0;
    int all;
    const int before = count_before (is, &all);

    if (is)
      put_words (f.out + (size_t) (1 + n_matches + before) * f.out_stride,
          (const int32_t *) &f.refined[i]);
    n_matches += all;
  }
  const int n_left = count_corners (f, 0), n_right = count_corners (f, 1);

  if (threadIdx.x == 0) {
    const int32_t header[STEREO_ROWS_WORDS] = { n_matches, n_left, n_right,
      f.n_levels
    };

    put_words (f.out, header);
  }
  for (int y = 1 + n_matches + threadIdx.x / 64; y < STEREO_ROWS_HEIGHT;
      y += COLLECT_THREADS / 64)
    f.out[(size_t) y * f.out_stride + threadIdx.x % 64] = 0;
}

StereoStatus
refine_cuda (StereoQueue * queue, const StereoRowsFrame * f)
{
  const int n = f->cells[0].columns * f->cells[0].rows;
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  if (n > 0)
    launch_kernel (queue, false, dim3 (stereo_blocks (n, BLOCK_WARPS)),
        dim3 (WARP * BLOCK_WARPS), 0, refine_kernel, *f);
  launch_kernel (queue, false, dim3 (1), dim3 (COLLECT_THREADS), 0,
      collect_kernel, *f);
  return STEREO_CUDA_LAUNCHED (stage, "collect_kernel");
}

}                               // namespace

extern "C" const void *stereo_rows_stages_cuda (void);

extern "C" const void *
stereo_rows_stages_cuda (void)
{
  static const StereoRowsStages stages = {
    .halve = halve_cuda,
    .corners = corners_cuda,
    .describe = describe_cuda,
    .match = match_cuda,
    .refine = refine_cuda,
  };

  return &stages;
}
