/* gst-stereomatching: holes filled by votes, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A thread fills a pixel.  The threads of a block take consecutive holes of a
 * row from the list of fill.cu, so that all of them are busy, and most reads of
 * a warp are of consecutive addresses.
 *
 * A histogram of votes is in shared memory, a column for each thread: no vote
 * waits for another one.  The samples are read twice, first for the weights of
 * indices, then for those of codes near the best one.  If there are more
 * indices than bins, the first histogram is made for one part of them after the
 * other.
 */

#include "refine/refine.cuh"
#include "refine/weight.cuh"

#include "refine/fill-formula.h"

namespace
{

const int threads = 64;

/* Indices of a histogram, besides one more at both ends. */
const int max_indices = 256;

/* Bins for codes. */
const int code_bins = 2 * (3 * STEREO_MAX_UNIT / 2) + 1;

/* Blocks for a row, each of which fills every fourth group of its holes. */
const int blocks_of_row = 4;

/* A bin is below 2^16. */
static_assert (STEREO_VOTE_SAMPLES * 255 < 0x10000);

struct VoteArgs
{
  StereoRefineConstants k;
  StereoView left;
  StereoWinners winners;
  StereoRefineWork work;
  int unit_bits;                /* log2 (unit) */
  int highest;                  /* code */
  int n_indices;                /* of a histogram */
};

struct Pixel
{
  int x, y;
  uint32_t color;
  uint32_t right_row;           /* index of its right winners */
  int right_width;              /* 0 without right winners */
};

/* The column of a thread. */
struct Histogram
{
  uint16_t *column;
  int n;                        /* bins */
  int first;                    /* index or code of bin 0 */

  __device__ __forceinline__ void clear ()
  {
#pragma unroll 8
    for (int i = 0; i < n; i++)
      column[i * threads] = 0;
  }

  __device__ __forceinline__ uint32_t get (int bin) const
  {
    return column[bin * threads];
  }
};

/* -------------------------------------------------------------------- rings */

/* Samples in a row of a ring. */
template < int RING > struct Ring
{
  static const int radius = STEREO_VOTE_RADIUS (RING);
  static const int step = STEREO_VOTE_STEP (RING);
  static const int n = 2 * radius / step + 1;

  static __device__ __forceinline__ constexpr int
  offset (int i)
  {
    return i * step - radius;
  }

  /* A bit for each sample of a row that is at most limit away. */
  static __device__ __forceinline__ constexpr uint32_t
  near (int limit)
  {
    uint32_t bits = 0;

    for (int i = 0; i < n; i++)
      bits |= offset (i) >= -limit && offset (i) <= limit ? 1u << i : 0;
    return bits;
  }
};

/*
 * Samples of a ring inside the previous one are samples of that, too: these
 * have twice the weight in the smaller ring, and none in the larger one.  The
 * centre, the only one in three rings, does not vote.
 */
static_assert (STEREO_VOTE_RINGS == 3
    && STEREO_VOTE_STEP (1) % STEREO_VOTE_STEP (0) == 0
    && STEREO_VOTE_STEP (2) % STEREO_VOTE_STEP (1) == 0
    && STEREO_VOTE_RADIUS (0) < STEREO_VOTE_STEP (2)
    && STEREO_VOTE_RADIUS (0) % STEREO_VOTE_STEP (1) == 0
    && STEREO_VOTE_RADIUS (1) % STEREO_VOTE_STEP (2) == 0);

/* The samples of row dy that no smaller ring has. */
template < int RING > __device__ __forceinline__ uint32_t
new_samples (int dy)
{
  const uint32_t all = (1u << Ring < RING >::n) - 1;
  const int inner = RING == 0 ? -1 : STEREO_VOTE_RADIUS (RING - 1);

  return dy >= -inner && dy <= inner ? all & ~Ring < RING >::near (inner)
      : all;
}

/* -------------------------------------------------------------------- votes */

/* Keeps the compiler from computing a value again where it is used. */
__device__ __forceinline__ void
keep (uint32_t & value)
{
  asm volatile ("":"+r" (value));
}

/* Adds the vote of a sample to the histogram of codes or indices. */
template < int CHANNELS, bool CODES > __device__ __forceinline__ void
add_vote (const VoteArgs & a, const Pixel & p, int code, uint32_t color,
    uint32_t times, Histogram & votes)
{
  /* stereo_vote_index () of a power of two */
  const int index = (code + a.k.unit / 2) >> a.unit_bits;
  const unsigned bin = (unsigned) ((CODES ? code : index) - votes.first);

  if (bin >= (unsigned) votes.n)
    return;
  /* stereo_vote_is_hidden () */
  const int partner = p.x - index - a.k.min_disparity;
  const int seen = (unsigned) partner < (unsigned) p.right_width
      ? (int) stereo_winner_index (a.winners.right[p.right_row
              + (uint32_t) partner]) : (int) STEREO_INVALID;
  const uint32_t weight = pixel_weight < CHANNELS > (a.k, p.color, color)
      >> (index > seen + 1 ? 3 : 0);

  votes.column[bin * threads] = (uint16_t) (votes.column[bin * threads]
      + weight * times);
}

/* Adds the votes of a row of a ring.  columns: its samples inside the image */
template < int CHANNELS, bool CODES, int RING > __device__ __forceinline__ void
count_row (const VoteArgs & a, const Pixel & p,
    int dy, uint32_t columns, Histogram & votes)
{
  const int n = Ring < RING >::n, limit = stereo_vote_limit (a.k.unit);
  const int next_step = RING + 1 < STEREO_VOTE_RINGS
      ? STEREO_VOTE_STEP (RING + 1) : 1 << 20;
  const uint32_t at = (uint32_t) (p.y + dy) * (uint32_t) a.work.map.stride
      + (uint32_t) p.x;
  const uint16_t *codes = a.work.map.data + at;
  const uint32_t *slopes = slope_row (a.work, 0) + at;
  uint32_t repeated = dy % next_step == 0 ? 2 : 1;
  uint32_t offset_y = slope_offset (0, dy);
  uint32_t code[n], slope[n], color[n];

  keep (columns);
  keep (repeated);
  keep (offset_y);
#pragma unroll
  for (int i = 0; i < n; i++) {
    const int dx = Ring < RING >::offset (i);

    code[i] = STEREO_INVALID;
    if (columns >> i & 1) {
      code[i] = codes[dx];
      slope[i] = slopes[dx];
      color[i] = stereo_view_pixel (&a.left, CHANNELS, p.x + dx, p.y + dy);
    }
  }
#pragma unroll
  for (int i = 0; i < n; i++) {
    const int dx = Ring < RING >::offset (i);

    if (code[i] == STEREO_INVALID)
      continue;
    /* stereo_slope_carry () and stereo_vote_code () */
    const int change = __dp2a_lo ((int) slope[i], (int) (offset_y
            | slope_offset (dx, 0)), 128) >> 8;
    const int carried = __viaddmin_s32_relu (__viaddmin_s32_relu (change, limit,
            2 * limit), (int) code[i] - limit, a.highest);

    /* the next ring also has the sample */
    add_vote < CHANNELS, CODES > (a, p, carried, color[i],
        dx % next_step == 0 ? repeated : 1, votes);
  }
}

template < int CHANNELS, bool CODES, int RING > __device__ __forceinline__ void
count_ring (const VoteArgs & a, const Pixel & p,
    Histogram & votes)
{
  typedef Ring < RING > R;
  uint32_t columns = 0;

#pragma unroll
  for (int i = 0; i < R::n; i++) {
    if ((unsigned) (p.x + R::offset (i)) < (unsigned) a.k.width)
      columns |= 1u << i;
  }
#pragma unroll 1
  for (int dy = -R::radius; dy <= R::radius; dy += R::step) {
    if ((unsigned) (p.y + dy) < (unsigned) a.k.height)
      count_row < CHANNELS, CODES, RING > (a, p, dy, columns
          & new_samples < RING > (dy), votes);
  }
}

/* Fills the histogram with the votes for a pixel. */
template < int CHANNELS, bool CODES > __device__ __forceinline__ void
count_votes (const VoteArgs & a, const Pixel & p,
    Histogram & votes)
{
  votes.clear ();
  count_ring < CHANNELS, CODES, 0 > (a, p, votes);
  count_ring < CHANNELS, CODES, 1 > (a, p, votes);
  count_ring < CHANNELS, CODES, 2 > (a, p, votes);
}

/* ------------------------------------------------------------------- pixels */

/* The index with the most votes; -1 if they are too few. */
template < int CHANNELS > __device__ __forceinline__ int
find_best (const VoteArgs & a, const Pixel & p,
    uint16_t * column)
{
  uint32_t whole = 0, most = 0;
  int best = 0;

#pragma unroll 1
  for (int first = 0; first < a.k.num_disparities; first += a.n_indices) {
    const int n = min (a.n_indices, a.k.num_disparities - first);
    Histogram votes = { column, n + 2, first - 1 };

    count_votes < CHANNELS, false > (a, p, votes);
    uint32_t before = votes.get (0), own = votes.get (1);

    for (int i = 0; i < n; i++) {
      const uint32_t behind = votes.get (i + 2);
      const uint32_t sum = before + 2 * own + behind;

      whole += own;
      if (sum > most) {
        most = sum;
        best = first + i;
      }
      before = own;
      own = behind;
    }
  }
  return whole < STEREO_VOTE_MIN_WEIGHT ? -1 : best;
}

/* The weighted median of the votes near index best. */
template < int CHANNELS > __device__ __forceinline__ unsigned
find_median (const VoteArgs & a, const Pixel & p,
    int best, uint16_t * column)
{
  const int lowest = a.k.unit * best - stereo_vote_tolerance (a.k.unit);
  const int n = 2 * stereo_vote_tolerance (a.k.unit) + 1;
  Histogram votes = { column, n, lowest };
  uint32_t whole = 0, sum = 0;
  int i = 0;

  count_votes < CHANNELS, true > (a, p, votes);
  for (int j = 0; j < n; j++)
    whole += votes.get (j);
  while (i < n - 1 && 2 * (sum += votes.get (i)) < whole)
    i++;
  return (unsigned) (lowest + i);
}

template < int CHANNELS > __global__ void
__launch_bounds__ (threads, 12)
vote_kernel (const __grid_constant__ VoteArgs a)
{
  extern __shared__ uint16_t histograms[];
  const int y = (int) blockIdx.y, thread = (int) threadIdx.x;
  uint16_t *column = histograms + thread;

  pdl_wait ();
  const int n = (int) a.work.n_holes[y];
  const uint16_t *holes = a.work.holes + (size_t) y * a.work.map.stride;
  const int right_width = a.winners.right == NULL ? 0 : a.k.width;
  uint32_t right_row = (uint32_t) y * (uint32_t) a.winners.right_stride;

  keep (right_row);
  for (int i = (int) blockIdx.x * threads + thread; i < n;
      i += blocks_of_row * threads) {
    const int x = holes[i];
    const Pixel pixel = { x, y, stereo_view_pixel (&a.left, CHANNELS, x, y),
      right_row, right_width
    };
    const int best = find_best < CHANNELS > (a, pixel, column);

    if (best >= 0)
      a.work.filled.data[(size_t) y * a.work.filled.stride + x] = (uint16_t)
          find_median < CHANNELS > (a, pixel, best, column);
  }
}

}                               // namespace

StereoStatus
stereo_cuda_vote_fill (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoWinners * winners,
    const StereoRefineWork * work)
{
  const int n_indices = k->num_disparities < max_indices ? k->num_disparities
      : max_indices;
  const int bins = n_indices + 2 > code_bins ? n_indices + 2 : code_bins;
  VoteArgs args = { *k, *left, *winners, *work, 0,
    k->unit * (k->num_disparities - 1), n_indices
  };

  while (1 << args.unit_bits < k->unit)
    args.unit_bits++;
  return run_kernel (queue, "vote_kernel", true, dim3 (blocks_of_row,
          (unsigned) k->height), threads,
      (size_t) (bins * threads) * sizeof (uint16_t),
      k->channels == 1 ? vote_kernel < 1 > : vote_kernel < 3 >, args);
}
