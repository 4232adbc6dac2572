/* gst-stereomatching: absolute differences of luma and colour
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Pixels are 8-bit luma, or R, G, B in the bytes of a word from the lowest one
 * on (0xXXBBGGRR, as in a StereoView of CUDA; the highest byte is ignored).
 */

#ifndef STEREO_DIFFERENCE_H
#define STEREO_DIFFERENCE_H

#include "image/pixel.h"
#include "image/view.h"

/* |p - q| of bytes, 0 to 255. */
STEREO_INLINE uint32_t
stereo_difference (uint32_t p, uint32_t q)
{
  return p > q ? p - q : q - p;
}

/* The sum over the channels, 0 to 765. */
STEREO_INLINE uint32_t
stereo_difference_sum (uint32_t p, uint32_t q)
{
#ifdef __CUDA_ARCH__
  return __vsadu4 (p & 0xffffff, q & 0xffffff);
#else
  return stereo_difference (p & 255, q & 255)
      + stereo_difference (p >> 8 & 255, q >> 8 & 255)
      + stereo_difference (p >> 16 & 255, q >> 16 & 255);
#endif
}

/* The largest of the channels, 0 to 255. */
STEREO_INLINE uint32_t
stereo_difference_max (uint32_t p, uint32_t q)
{
#ifdef __CUDA_ARCH__
  const uint32_t d = __vabsdiffu4 (p, q);

  return max (d & 255, max (d >> 8 & 255, d >> 16 & 255));
#else
  return stereo_max_u32 (stereo_difference (p & 255, q & 255),
      stereo_max_u32 (stereo_difference (p >> 8 & 255, q >> 8 & 255),
          stereo_difference (p >> 16 & 255, q >> 16 & 255)));
#endif
}

/* A pixel of a view with one channel or three, as above. */
STEREO_INLINE uint32_t
stereo_view_pixel (const StereoView * view, int channels, int x, int y)
{
  const size_t at = stereo_plane_offset (x, y, view->stride);

  if (channels == 1)
    return view->plane[0][at];
#ifdef __CUDA_ARCH__
  return *(const uint32_t *) (view->plane[0]
      + stereo_plane_offset (4 * x, y, view->stride));
#else
  return view->plane[0][at] | (uint32_t) view->plane[1][at] << 8
      | (uint32_t) view->plane[2][at] << 16;
#endif
}

/* Its luma. */
STEREO_INLINE uint32_t
stereo_view_luma (const StereoView * view, int channels, int x, int y)
{
  const uint32_t p = stereo_view_pixel (view, channels, x, y);

  return channels == 1 ? p
      : stereo_luma ((uint8_t) p, (uint8_t) (p >> 8), (uint8_t) (p >> 16));
}

#endif /* STEREO_DIFFERENCE_H */
