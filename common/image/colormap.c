/* gst-stereomatching: colour maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/colormap.h"

/*
 * Piecewise linear maps of equally spaced colours, 0xRRGGBB, far end first.
 *
 * Turbo (A. Mikhailov, 2019) and viridis (N. Smith, S. van der Walt, 2015) were
 * published as lists of 256 colours.  Every 15th is used; interpolation is
 * within 6 of 255 levels.  Jet and grey are piecewise linear by definition.
 */
static const uint32_t turbo[] = {
  0x30123b, 0x3f3e9c, 0x4666dd, 0x458cfd, 0x2fb2f4, 0x1ad4d0, 0x22ebaa,
  0x52fa7a, 0x8bff4b, 0xb7f735, 0xdbe236, 0xf5c53a, 0xfea130, 0xf9751d,
  0xe84b0c, 0xce2d04, 0xa91601, 0x7a0403
};

static const uint32_t viridis[] = {
  0x440154, 0x481769, 0x472a7a, 0x433d84, 0x3d4e8a, 0x355e8d, 0x2e6d8e,
  0x297b8e, 0x23898e, 0x1f978b, 0x21a585, 0x2eb37c, 0x46c06f, 0x65cb5e,
  0x89d548, 0xb0dd2f, 0xd8e219, 0xfde725
};

static const uint32_t jet[] = {
  0x000080, 0x0000ff, 0x0080ff, 0x00ffff, 0x80ff80, 0xffff00, 0xff8000,
  0xff0000, 0x800000
};

static const uint32_t grey[] = { 0x000000, 0xffffff };

#define MAP(colors) { colors, sizeof (colors) / sizeof (colors[0]) }

static const struct
{
  const uint32_t *colors;
  unsigned n;
} maps[STEREO_N_COLORMAPS] = {
  [STEREO_COLORMAP_TURBO] = MAP (turbo),
  [STEREO_COLORMAP_VIRIDIS] = MAP (viridis),
  [STEREO_COLORMAP_JET] = MAP (jet),
  [STEREO_COLORMAP_GREY] = MAP (grey),
};

const StereoEnumValue stereo_colormap_values[STEREO_N_COLORMAPS] = {
  [STEREO_COLORMAP_TURBO] = {"turbo", "Dark blue over green to dark red"},
  [STEREO_COLORMAP_VIRIDIS] = {"viridis",
      "Dark violet over green to yellow, evenly brighter"},
  [STEREO_COLORMAP_JET] = {"jet", "Blue over cyan and yellow to red"},
  [STEREO_COLORMAP_GREY] = {"grey", "Black to white"},
};

uint32_t
stereo_colormap_get (StereoColormap colormap, double position)
{
  const uint32_t *colors = maps[colormap].colors;
  unsigned last = maps[colormap].n - 1, below;
  double at = (position > 1.0 ? 1.0 : position < 0.0 ? 0.0 : position) * last;
  uint32_t color = 0;

  below = (unsigned) at < last - 1 ? (unsigned) at : last - 1;
  for (int shift = 16; shift >= 0; shift -= 8) {
    double a = colors[below] >> shift & 0xff;
    double b = colors[below + 1] >> shift & 0xff;

    color |= (uint32_t) (a + (b - a) * (at - below) + 0.5) << shift;
  }
  return color;
}
