/* gst-stereomatching: messages of bp on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The minimum over v' scans the words forward and backward.  The values at the
 * ends of halves and lanes then propagate to other lanes, as far as the jumps
 * stay below M (usually one or two lanes), and apply to all words at once.
 */

#ifndef STEREO_BP_MESSAGE_CUH
#define STEREO_BP_MESSAGE_CUH

#include "match/bp/bp-edges.cuh"

namespace
{

/* Infinite h: more than any h, and plus M within range; in both halves. */
const uint32_t infinite = 0xc0c0c0c0u;

/* min (jump, M) of one message, or of two in both halves, for the disparities
 * of a lane. */
template < class F > __device__ __forceinline__ uint32_t
lane_away (uint32_t jump, uint32_t largest)
{
  uint32_t away = min2 < F > (jump * (F::values < 16 ? F::values : 16),
      largest);

#pragma unroll
  for (int values = 16; values < F::values; values *= 2)
    away = min2 < F > (2 * away, largest);
  return away;
}

/* Minima that reach a lane from the lanes before and behind it.  forward is the
 * value at its last disparity from its own values, backward that at its
 * first. */
template < class F, int LANES, int N > __device__ __forceinline__ void
carry (const BpArgs & a, const Bounds < F > &bounds, uint32_t (&forward)[N],
    uint32_t (&backward)[N])
{
  const int group = threadIdx.x % LANES;
  uint32_t away[N], largest[N];

#pragma unroll
  for (int j = 0; j < N; j++) {
    largest[j] = F::packed ? bounds.both (j, 1) : bounds.largest (j);
    away[j] = lane_away < F > (F::packed ? bounds.both (j, 0)
        : bounds.jump (j), largest[j]);
  }
#pragma unroll 1
  for (int i = 0; i < a.rounds; i++) {
#pragma unroll
    for (int j = 0; j < N; j++) {
      uint32_t f = __shfl_up_sync (0xffffffffu, forward[j], 1 << i, LANES);
      uint32_t b = __shfl_down_sync (0xffffffffu, backward[j], 1 << i, LANES);

      forward[j] = add_min < F > (f, away[j], forward[j]);
      backward[j] = add_min < F > (b, away[j], backward[j]);
      away[j] = min2 < F > (2 * away[j], largest[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < N; j++) {
    uint32_t f = __shfl_up_sync (0xffffffffu, forward[j], 1, LANES);
    uint32_t b = __shfl_down_sync (0xffffffffu, backward[j], 1, LANES);

    forward[j] = group > 0 ? f : infinite;
    backward[j] = group < LANES - 1 ? b : infinite;
  }
}

/* Minima from before the first word and from behind the last one. */
template < class F > __device__ __forceinline__ void
apply_carry (uint32_t jump, uint32_t (&p)[F::words], uint32_t before,
    uint32_t behind)
{
  p[0] = add_min < F > (before, jump, p[0]);
#pragma unroll
  for (int i = 1; i < F::words; i++)
    p[i] = add_min < F > (p[i - 1], jump, p[i]);
  p[F::words - 1] = add_min < F > (behind, jump, p[F::words - 1]);
#pragma unroll
  for (int i = F::words - 2; i >= 0; i--)
    p[i] = add_min < F > (p[i + 1], jump, p[i]);
}

template < class F > __device__ __forceinline__ void
spread_inside (uint32_t jump, uint32_t (&p)[F::words])
{
#pragma unroll
  for (int i = 1; i < F::words; i++)
    p[i] = add_min < F > (p[i - 1], jump, p[i]);
#pragma unroll
  for (int i = F::words - 2; i >= 0; i--)
    p[i] = add_min < F > (p[i + 1], jump, p[i]);
}

/* Minima that reach a packed message from other lanes and from the other half
 * of its words.  halves selects its own value in forward and backward. */
template < class F, int LANES > __device__ __forceinline__ void
spread_across (uint32_t jump, uint32_t across, uint32_t (&p)[F::words],
    uint32_t forward, uint32_t backward, unsigned halves)
{
  const int last = F::words - 1;

  if (LANES == 1)
    apply_carry < F > (jump, p, __byte_perm (p[last], infinite, 0x1044),
        __byte_perm (p[0], infinite, 0x4432));
  else
    apply_carry < F > (jump, p,
        add_min < F > (__byte_perm (forward, 0, halves), across & 0xffff0000u,
            __byte_perm (p[last], 0xffffffffu, 0x1044)),
        add_min < F > (__byte_perm (backward, 0, halves), across & 0xffffu,
            __byte_perm (p[0], 0xffffffffu, 0x4432)));
}

/* Replaces four h by messages.  All lanes of the warp must call it. */
template < class F, int LANES > __device__ __forceinline__ void
make_messages (const BpArgs & a, const Bounds < F > &bounds,
    uint32_t (&p)[4][F::words])
{
  const int last = F::words - 1;
  uint32_t least[4];

#pragma unroll
  for (int j = 0; j < 4; j++)
    least[j] = least_of < F > (p[j]);
#pragma unroll
  for (int j = 0; j < 4; j++)
    spread_inside < F > (bounds.jump (j), p[j]);
  if (F::packed) {
    /* two messages in the halves of a word */
    uint32_t both[2], forward[2] = { }, backward[2] = { };

#pragma unroll
    for (int j = 0; j < 2; j++) {
      const uint32_t *one = p[2 * j], *other = p[2 * j + 1];
      const uint32_t across = low_halves (bounds.across (2 * j),
          bounds.across (2 * j + 1));

      both[j] = __vminu2 (low_halves (least[2 * j], least[2 * j + 1]),
          high_halves (least[2 * j], least[2 * j + 1]));
      forward[j] = add_min < F > (low_halves (one[last], other[last]), across,
          high_halves (one[last], other[last]));
      backward[j] = add_min < F > (high_halves (one[0], other[0]), across,
          low_halves (one[0], other[0]));
    }
    if (LANES > 1)
      carry < F, LANES > (a, bounds, forward, backward);
#pragma unroll
    for (int j = 0; j < 2; j++)
      both[j] = __vneg2 (least_of_lanes < F, LANES > (both[j]));
#pragma unroll
    for (int j = 0; j < 4; j++)
      spread_across < F, LANES > (bounds.jump (j), bounds.across (j), p[j],
          forward[j / 2], backward[j / 2], j % 2 == 0 ? 0x1010 : 0x3232);
#pragma unroll
    for (int j = 0; j < 4; j++)
      least[j] = __byte_perm (both[j / 2], 0, j % 2 == 0 ? 0x1010 : 0x3232);
  } else {
    if (LANES > 1) {
      uint32_t forward[4], backward[4];

#pragma unroll
      for (int j = 0; j < 4; j++) {
        forward[j] = p[j][last];
        backward[j] = p[j][0];
      }
      carry < F, LANES > (a, bounds, forward, backward);
#pragma unroll
      for (int j = 0; j < 4; j++)
        apply_carry < F > (bounds.jump (j), p[j], forward[j], backward[j]);
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
      least[j] = 0u - least_of_lanes < F, LANES > (least[j]);
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
#pragma unroll
    for (int i = 0; i < F::words; i++)
      p[j][i] = add_min < F > (p[j][i], least[j], bounds.largest (j));
  }
}

}                               // namespace

#endif /* STEREO_BP_MESSAGE_CUH */
