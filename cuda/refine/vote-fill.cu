/* gst-stereomatching: holes filled by votes, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Eight threads fill a pixel, each with a part of its samples, which stay in
 * registers.  The warps of a grid take turns at the list of holes of fill.cu,
 * each with four pixels.
 *
 * The votes of a pixel for indices are in a histogram in shared memory, later
 * those for codes near the best index.  A bin has the sums of whole weights and
 * of their eighths in its halves: whether the right view contradicts an index
 * is looked up once per bin.  If the indices of a pixel need more bins than
 * there are, the histogram is made for one part of them after the other.
 */

#include "refine/refine.cuh"
#include "refine/weight.cuh"

#include "refine/fill-formula.h"

namespace
{

const int threads = 128;

/* Blocks in a multiprocessor, as many as registers suffice for. */
const int resident_blocks = 7;

/* Threads of a pixel, and pixels of a warp and of a block. */
const int lanes = 8;
const int warp_pixels = 32 / lanes;
const int block_pixels = threads / lanes;

/* Indices of a histogram, besides one more at both ends. */
const int max_indices = 254;

/* Bins of a pixel, followed by those for votes that do not count.  Those of the
 * pixels of a warp are in different banks. */
const int bins = max_indices + 2;
const int bin_pitch = bins + lanes;

/* Bins for codes of a thread. */
const int max_codes = 2 * (3 * STEREO_MAX_UNIT / 2) + 1;
const int code_bins = (max_codes + lanes - 1) / lanes;

static_assert (lanes * code_bins <= bins);

/* Samples of a thread, and the distance of the farthest one. */
const int n_own = STEREO_VOTE_SAMPLES / lanes;
const int reach = STEREO_VOTE_RADIUS (STEREO_VOTE_RINGS - 1);

/* A sum of weights is below 2^16, one of four below 2^18; an index is below
 * 2^14. */
static_assert (STEREO_VOTE_SAMPLES * 255 < 0x10000);
const int index_bits = 14;

struct VoteArgs
{
  StereoRefineConstants k;
  StereoView left;
  StereoWinners winners;
  StereoRefineWork work;
  int view_step;                /* elements of a row of the map beyond those
                                 * of the view */
  int unit_bits;                /* log2 (unit) */
  int highest;                  /* code */
};

/* ------------------------------------------------------------------ samples */

/* The slope_offset () of each sample. */
struct Offsets
{
  uint32_t at[STEREO_VOTE_SAMPLES];
  int n;

  constexpr Offsets ():at (), n (0)
  {
    for (int ring = 0; ring < STEREO_VOTE_RINGS; ring++) {
      const int radius = STEREO_VOTE_RADIUS (ring);

      for (int y = -radius; y <= radius; y += STEREO_VOTE_STEP (ring)) {
        for (int x = -radius; x <= radius; x += STEREO_VOTE_STEP (ring)) {
          if (stereo_vote_has (ring, x, y))
            at[n++] = slope_offset (x, y);
        }
      }
    }
  }
};

__device__ const Offsets offsets;

static_assert (Offsets ().n == STEREO_VOTE_SAMPLES
    && STEREO_VOTE_SAMPLES % lanes == 0);

/* The parts of a slope_offset (), negated as there. */
__device__ __forceinline__ int
offset_x (uint32_t offset)
{
  return (signed char) offset;
}

__device__ __forceinline__ int
offset_y (uint32_t offset)
{
  return (signed char) (offset >> 8);
}

/* What a sample votes for, and what it adds to a bin. */
struct Vote
{
  int code;
  uint32_t weights;
};

/* A code in no histogram: below all others if signed, and above if not. */
const int no_code = -(1 << 24);

/* A pixel to fill, and its place in each image. */
template < int CHANNELS > struct Pixel
{
  typedef typename ColorOf < CHANNELS >::Type Color;

  int x, y;
  /* opaque: otherwise they would be computed again for each sample */
  const uint16_t *code;
  const uint32_t *slope;
  const Color *color;
  uint32_t center;              /* colour */

  __device__ __forceinline__ Pixel (const VoteArgs & a, int x, int y):x (x),
  y (y), code (opaque_global (&map_at (a.work.map, x, y))),
  slope (opaque_global (&slopes_at (a.work, x, y))),
  color (opaque_global (color_at < CHANNELS > (a.left, x, y))),
  center (get_color (0))
  {
  }

  __device__ __forceinline__ uint32_t get_color (int offset) const
  {
    return color[offset] & 0xffffff;
  }

  __device__ __forceinline__ bool is_inside (const VoteArgs & a,
      uint32_t offset) const
  {
    return (unsigned) (x - offset_x (offset)) < (unsigned) a.k.width
        && (unsigned) (y - offset_y (offset)) < (unsigned) a.k.height;
  }

  /* The vote of a sample.  whole: all samples are inside the image */
  __device__ __forceinline__ Vote get_vote (const VoteArgs & a,
      uint32_t offset, bool whole) const
  {
    const int limit = stereo_vote_limit (a.k.unit);

    /* outside the image the pixel itself, which has no code */
    if (!whole && !is_inside (a, offset))
      offset = 0;
    const int place = __dp2a_lo (-(int) a.work.map.stride * 0x10000 | 0xffff,
        (int) offset, 0);
    const unsigned own = code[place];
    /* stereo_vote_code () */
    const int carried = __viaddmin_s32_relu (slope_carry_plus (slope[place],
            offset, limit), (int) own - limit, a.highest);
    const uint32_t weight = pixel_weight < CHANNELS > (a.k, center,
        get_color (place + offset_y (offset) * a.view_step));

    return Vote { own != STEREO_INVALID && weight != 0 ? carried : no_code,
      weight + (weight >> 3) * 0x10000u
    };
  }

  __device__ __forceinline__ void get_votes (const VoteArgs & a,
      const uint32_t * own_offsets, bool whole, Vote (&votes)[n_own]) const
  {
#pragma unroll
    for (int i = 0; i < n_own; i++)
      votes[i] = get_vote (a, own_offsets[i * lanes], whole);
  }
};

/* --------------------------------------------------------------- histograms */

/* The right winners of the row of a pixel. */
struct RightRow
{
  const uint32_t *winners;      /* that of index 0 */
  int column;                   /* its column */
  int width;                    /* 0 without them */

  __device__ __forceinline__ RightRow (const VoteArgs & a, int x, int y):winners
      (opaque_global (a.winners.right + (size_t) y * a.winners.right_stride + x
          - a.k.min_disparity)), column (x - a.k.min_disparity),
  width (a.winners.right == NULL ? 0 : a.k.width)
  {
  }

  /* stereo_vote_is_hidden (), or false if not wanted */
  __device__ __forceinline__ bool is_hidden (int index, bool wanted) const
  {
    const bool known = wanted && (unsigned) (column - index)
        < (unsigned) width;
    const unsigned winner = known ? stereo_winner_index (winners[-index])
        : STEREO_INVALID;

    return index > (int) winner + 1;
  }
};

/* The bins of a pixel. */
struct Histogram
{
  uint32_t *data;
  unsigned other;               /* a bin of this thread that is not read */

  __device__ __forceinline__ Histogram (uint32_t * data, int lane):data (
      opaque_shared (data)), other ((unsigned) (bins + lane))
  {
  }

  /* Adds a vote; to a bin that is not read unless bin is below all those. */
  __device__ __forceinline__ void add (int bin, const Vote & vote) const
  {
    atomicAdd (&data[min ((unsigned) bin, other)], vote.weights);
  }

  /* Adds a vote; to a bin that is not read unless bin is below n. */
  __device__ __forceinline__ void add_below (int bin, int n, const Vote & vote)
      const
  {
    atomicAdd (&data[(unsigned) bin < (unsigned) n ? (unsigned) bin : other],
        vote.weights);
  }

  /* Returns a bin and clears it. */
  __device__ __forceinline__ uint32_t take (int bin) const
  {
    const uint32_t value = data[bin];

    data[bin] = 0;
    return value;
  }
};

/* stereo_vote_index () of a power of two */
__device__ __forceinline__ int
code_index (const VoteArgs & a, int code)
{
  return (code + a.k.unit / 2) >> a.unit_bits;
}

__device__ __forceinline__ uint32_t
bin_weight (uint32_t bin, bool hidden)
{
  return hidden ? bin >> 16 : bin & 0xffff;
}

/* Over the threads of a pixel. */
__device__ __forceinline__ uint32_t
sum_lanes (uint32_t n)
{
#pragma unroll
  for (int i = 1; i < lanes; i *= 2)
    n += __shfl_xor_sync (0xffffffff, n, i);
  return n;
}

template < typename T > __device__ __forceinline__ T
max_lanes (T n)
{
#pragma unroll
  for (int i = 1; i < lanes; i *= 2)
    n = max (n, __shfl_xor_sync (0xffffffff, n, i));
  return n;
}

/* Over the pixels of a warp. */
__device__ __forceinline__ int
max_pixels (int n)
{
#pragma unroll
  for (int i = lanes; i < 32; i *= 2)
    n = max (n, __shfl_xor_sync (0xffffffff, n, i));
  return n;
}

/* The indices that have votes; none: the last one is before the first. */
struct Range
{
  int first, last;
};

__device__ __forceinline__ Range
find_range (const VoteArgs & a, const Vote (&votes)[n_own])
{
  uint32_t least = (uint32_t) no_code;
  int most = no_code;

#pragma unroll
  for (int i = 0; i < n_own; i++) {
    least = min (least, (uint32_t) votes[i].code);
    most = max (most, votes[i].code);
  }
  return Range { code_index (a, 0xffff - (int) max_lanes (0xffff - min (least,
                0xffff))), code_index (a, max_lanes (most))
  };
}

/* What is known of the indices of a pixel so far. */
struct Best
{
  uint32_t most;                /* the highest rank () */
  uint32_t whole;               /* weight of all votes */
};

/* A rank of an index by the sum of its votes, twice, and those of both
 * neighbours: the lowest index of the highest sum has the highest one. */
__device__ __forceinline__ uint32_t
rank (uint32_t sum, int index)
{
  return (sum << index_bits) + (uint32_t) ((2 << index_bits) - 1 - index);
}

/* The bins of the indices from first on; the first bin and the last one are
 * only neighbours. */
struct Bins
{
  int first, n;
};

/* Returns the weight of a bin and clears it. */
__device__ __forceinline__ uint32_t
take_weight (const RightRow & right, const Bins & bins, int bin,
    const Histogram & histogram, Best & best)
{
  const uint32_t votes = bin < bins.n ? histogram.take (bin) : 0;
  const uint32_t weight = bin_weight (votes,
      right.is_hidden (bins.first + bin, votes != 0));

  best.whole += (unsigned) (bin - 1) < (unsigned) (bins.n - 2) ? weight : 0;
  return weight;
}

/* Each thread has neighbouring bins, an odd number, so that they are in
 * different banks.  Indices at both ends lack the votes of a neighbour: their
 * sums are not above those of the same index in another part, or of the index
 * beside them. */
__device__ __forceinline__ void
rank_bins (const RightRow & right, int lane, const Bins & bins,
    const Histogram & histogram, Best & best)
{
  const int each = max (bins.n + lanes - 1, 2 * lanes) / lanes | 1;
  const int begin = lane * each;
  const uint32_t start = take_weight (right, bins, begin, histogram, best);
  const uint32_t second = take_weight (right, bins, begin + 1, histogram, best);
  uint32_t before = start, own = second;

#pragma unroll 1
  for (int bin = begin + 2; bin < begin + each; bin++) {
    const uint32_t next = take_weight (right, bins, bin, histogram, best);

    best.most = max (best.most, rank (before + 2 * own + next,
            bins.first + bin - 1));
    before = own;
    own = next;
  }
  /* of the thread before */
  before = __shfl_up_sync (0xffffffff, before, 1, lanes);
  own = __shfl_up_sync (0xffffffff, own, 1, lanes);
  if (lane == 0)
    before = own = 0;
  best.most = max (best.most, max (rank (before + 2 * own + start,
              bins.first + begin - 1), rank (own + 2 * start + second,
              bins.first + begin)));
}

/* The index with the most votes; -1 if they are too few. */
__device__ __forceinline__ int
find_best (const VoteArgs & a, const RightRow & right, int lane,
    const Vote (&votes)[n_own], const Histogram & histogram)
{
  const Range range = find_range (a, votes);
  const int n = max_pixels (range.last - range.first + 1);
  Best best = { 0, 0 };

#pragma unroll 1
  for (int begin = 0; begin < n; begin += max_indices) {
    const Bins bins = { range.first + begin - 1,
      min (n - begin, max_indices) + 2
    };

#pragma unroll
    for (int i = 0; i < n_own; i++)
      histogram.add (code_index (a, votes[i].code) - bins.first, votes[i]);
    __syncwarp ();
    rank_bins (right, lane, bins, histogram, best);
    __syncwarp ();
  }
  best.most = max_lanes (best.most);
  best.whole = sum_lanes (best.whole);
  return best.whole < STEREO_VOTE_MIN_WEIGHT ? -1
      : (1 << index_bits) - 1 - (int) (best.most & ((1 << index_bits) - 1));
}

/* The sum over this thread and those before it. */
__device__ __forceinline__ uint32_t
sum_up (int lane, uint32_t own)
{
#pragma unroll
  for (int i = 1; i < lanes; i *= 2) {
    const uint32_t other = __shfl_up_sync (0xffffffff, own, i, lanes);

    own += lane >= i ? other : 0;
  }
  return own;
}

/* The weighted median of the votes near index best. */
__device__ __forceinline__ unsigned
find_median (const VoteArgs & a, const RightRow & right, int lane, int best,
    const Vote (&votes)[n_own], const Histogram & histogram)
{
  const int tolerance = stereo_vote_tolerance (a.k.unit);
  const int lowest = a.k.unit * best - tolerance, n = 2 * tolerance + 1;
  const int first = code_index (a, lowest);
  /* a bit for each index of the pixel's codes, at most four */
  const uint32_t hidden = __ballot_sync (0xffffffff,
      right.is_hidden (first + lane, true)) >> (threadIdx.x & (32 - lanes));
  uint32_t weight[code_bins], sum = 0;
  int median = n;

#pragma unroll
  for (int i = 0; i < n_own; i++)
    histogram.add_below (votes[i].code - lowest, n, votes[i]);
  __syncwarp ();
#pragma unroll
  for (int i = 0; i < code_bins; i++) {
    const int bin = lane * code_bins + i;

    weight[i] = bin_weight (histogram.take (bin), hidden >> (code_index (a,
                lowest + bin) - first) & 1);
    sum += weight[i];
  }
  __syncwarp ();
  sum = sum_up (lane, sum);
  const uint32_t whole = __shfl_sync (0xffffffff, sum, lanes - 1, lanes);

  /* the first bin up to which there is half of the weight */
#pragma unroll
  for (int i = code_bins - 1; i >= 0; i--) {
    if (2 * sum >= whole)
      median = lane * code_bins + i;
    sum -= weight[i];
  }
  return (unsigned) (lowest - max_lanes (-median));
}

template < int CHANNELS > __global__ void
__launch_bounds__ (threads, resident_blocks)
vote_kernel (const __grid_constant__ VoteArgs a)
{
  __shared__ uint32_t shared_offsets[STEREO_VOTE_SAMPLES];
  __shared__ __align__ (16) uint32_t histograms[block_pixels * bin_pitch];
  const int lane = (int) threadIdx.x % lanes;
  const int pixel = (int) threadIdx.x / lanes;
  const Histogram histogram (histograms + pixel * bin_pitch, lane);

#pragma unroll 1
  for (int i = (int) threadIdx.x; i < STEREO_VOTE_SAMPLES; i += threads)
    shared_offsets[i] = offsets.at[i];
#pragma unroll 1
  for (int i = (int) threadIdx.x; i < block_pixels * bin_pitch / 4;
      i += threads)
    ((uint4 *) histograms)[i] = uint4 ();
  pdl_start ();
  __syncthreads ();
  const uint32_t n = *a.work.all_holes;

#pragma unroll 1
  for (uint32_t i = (blockIdx.x * threads + threadIdx.x) / 32 * warp_pixels;
      i < n; i += gridDim.x * block_pixels) {
    /* behind the last hole the last one again */
    const uint32_t hole = a.work.holes[min (i + pixel % warp_pixels, n - 1)];
    const int x = (int) (hole & 0xffff), y = (int) (hole >> 16);
    const Pixel < CHANNELS > p (a, x, y);
    const RightRow right (a, x, y);
    Vote votes[n_own];

    if (__all_sync (0xffffffff, x >= reach && x < a.k.width - reach
            && y >= reach && y < a.k.height - reach))
      p.get_votes (a, shared_offsets + lane, true, votes);
    else
      p.get_votes (a, shared_offsets + lane, false, votes);
    const int best = find_best (a, right, lane, votes, histogram);
    const unsigned code = find_median (a, right, lane, best, votes,
        histogram);

    if (best >= 0 && lane == 0)
      map_at (a.work.filled, x, y) = (uint16_t) code;
  }
}

}                               // namespace

StereoStatus
stereo_cuda_vote_fill (StereoQueue * queue, const StereoRefineConstants * k,
    const StereoView * left, const StereoWinners * winners,
    const StereoRefineWork * work)
{
  const int color_bytes = k->channels == 1 ? 1 : 4;
  VoteArgs args = { *k, *left, *winners, *work,
    (int) work->map.stride - (int) (left->stride / (size_t) color_bytes), 0,
    k->unit * (k->num_disparities - 1)
  };

  while (1 << args.unit_bits < k->unit)
    args.unit_bits++;
  return run_kernel (queue, "vote_kernel", true,
      resident_blocks * ((const StereoCudaQueue *) queue)->multiprocessors,
      threads, 0,
      k->channels == 1 ? vote_kernel < 1 > : vote_kernel < 3 >, args);
}
