/* gst-stereomatching: colour maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_COLORMAP_H
#define STEREO_COLORMAP_H

#include "stereo.h"

typedef enum
{
  STEREO_COLORMAP_TURBO = 0,
  STEREO_COLORMAP_VIRIDIS,
  STEREO_COLORMAP_JET,
  STEREO_COLORMAP_GREY,
  STEREO_N_COLORMAPS
} StereoColormap;

/* Nicks and descriptions. */
extern const StereoEnumValue stereo_colormap_values[STEREO_N_COLORMAPS];

/* The colour 0xRRGGBB at a position, clamped to 0 (far) to 1 (near). */
uint32_t stereo_colormap_get (StereoColormap colormap, double position);

#endif /* STEREO_COLORMAP_H */
