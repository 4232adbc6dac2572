/* gst-stereomatching: YUV to RGB matrices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/colorimetry.h"

/* *INDENT-OFF* */
/* Kr and Kb are the luma coefficients: E'R = E'Y + 2 (1 - Kr) E'Cr, and so on.
 * Limited range has 219 steps of luma and 224 of chroma, full range 255
 * (BT.601-7 2.5, BT.709-6 3 and 4, BT.2020-2 tables 4 and 5, ITU-T H.273 8.3).
 */
#define FIXED(x) \
    (int16_t) ((x) * (1 << STEREO_YUV_BITS) + ((x) < 0 ? -0.5 : 0.5))
#define YUV(kr, kb, low, y_steps, c_steps) { \
    low, FIXED (255.0 / (y_steps)), \
    FIXED (2 * (1 - (kr)) * 255 / (c_steps)), \
    FIXED (-2 * (1 - (kb)) * (kb) / (1 - (kr) - (kb)) * 255 / (c_steps)), \
    FIXED (-2 * (1 - (kr)) * (kr) / (1 - (kr) - (kb)) * 255 / (c_steps)), \
    FIXED (2 * (1 - (kb)) * 255 / (c_steps)) }
#define LIMITED(kr, kb) YUV (kr, kb, 16, 219, 224)
#define FULL(kr, kb) YUV (kr, kb, 0, 255, 255)

static const struct
{
  const char *name;
  StereoYuv yuv;
} colorimetries[STEREO_N_COLORIMETRIES] = {
  [STEREO_COLORIMETRY_BT601]       = {"BT601",       LIMITED (0.299, 0.114)},
  [STEREO_COLORIMETRY_BT709]       = {"BT709",       LIMITED (0.2126, 0.0722)},
  [STEREO_COLORIMETRY_BT2020]      = {"BT2020",      LIMITED (0.2627, 0.0593)},
  [STEREO_COLORIMETRY_BT601_FULL]  = {"BT601_FULL",  FULL (0.299, 0.114)},
  [STEREO_COLORIMETRY_BT709_FULL]  = {"BT709_FULL",  FULL (0.2126, 0.0722)},
  [STEREO_COLORIMETRY_BT2020_FULL] = {"BT2020_FULL", FULL (0.2627, 0.0593)},
};
/* *INDENT-ON* */

const char *
stereo_colorimetry_name (StereoColorimetry colorimetry)
{
  return (unsigned) colorimetry < STEREO_N_COLORIMETRIES
      ? colorimetries[colorimetry].name : NULL;
}

const StereoYuv *
stereo_colorimetry_yuv (StereoColorimetry colorimetry)
{
  return (unsigned) colorimetry < STEREO_N_COLORIMETRIES
      ? &colorimetries[colorimetry].yuv : NULL;
}
