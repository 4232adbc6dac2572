/* gst-stereomatching: the warped right view of a pyramid on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_PYRAMID_WARP_CUH
#define STEREO_PYRAMID_WARP_CUH

#include "match/pyramid.cuh"

namespace
{

/* Where a warped pixel comes from, and the four words there. */
struct Source
{
  int px;
  int py;
  uint32_t word[4];
};

template < bool VERTICAL > __device__ __forceinline__ void
load_source (const Level & a, int x, int y, float dx, float dy, Source * s)
{
  s->px = stereo_pyramid_target (x, dx, a.width);
  s->py = VERTICAL ? stereo_pyramid_target (y, dy, a.height)
      : y * STEREO_PYRAMID_ONE;

  const uint32_t *row = a.right + (s->py >> 6) * a.stride + (s->px >> 6);
  const int right = (s->px >> 6) + 1 < a.width ? 1 : 0;

  s->word[0] = row[0];
  s->word[1] = row[right];
  if (VERTICAL) {
    row += (s->py >> 6) + 1 < a.height ? a.stride : 0;
    s->word[2] = row[0];
    s->word[3] = row[right];
  }
}

/* stereo_pyramid_sample(), as floats: without rounding until the last step, as
 * all values are integers over 4096 of 22 bits. */
template < bool VERTICAL > __device__ __forceinline__ Fields
sample (const Source & source)
{
  const float ax = fraction (source.px);
  const Fields p = biased (source.word[0]), q = biased (source.word[1]);
  Fields result;

  if (VERTICAL) {
    const float ay = fraction (source.py);
    const Fields r = biased (source.word[2]), s = biased (source.word[3]);

#pragma unroll
    for (int i = 0; i < 3; i++) {
      const float d = q.v[i] - p.v[i];
      const float above = __fmaf_rn (ax, d, p.v[i] - 8388608.0f);
      const float step = __fmaf_rn (ax, (s.v[i] - r.v[i]) - d,
          r.v[i] - p.v[i]);

      result.v[i] = __fmaf_rn (ay, step, above);
    }
  } else {
#pragma unroll
    for (int i = 0; i < 3; i++)
      result.v[i] = __fmaf_rn (ax, q.v[i] - p.v[i], p.v[i] - 8388608.0f);
  }
  /* half to even */
  result.v[0] = (result.v[0] + 8388608.0f) - 8388608.0f;
  result.v[1] = ((result.v[1] + 8589934592.0f) - 8589934592.0f)
      * (1.0f / 1024);
  result.v[2] = (result.v[2] + 8388608.0f) - 8388608.0f;
  return result;
}

}                               // namespace

#endif /* STEREO_PYRAMID_WARP_CUH */
