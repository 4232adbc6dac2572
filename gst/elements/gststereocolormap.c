/* gst-stereomatching: colour maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereocolormap.h"

#include <string.h>

/*
 * Every map is a line through equally spaced colours, 0xRRGGBB, far end first.
 *
 * Turbo (A. Mikhailov, 2019) and viridis (N. Smith, S. van der Walt, 2015) were
 * published as lists of 256 colours.  These are every 15th of them; between
 * them the line is within 6 of 255 levels of the lists.  Jet and grey are
 * piecewise linear by definition, and exact.
 */
static const guint32 turbo[] = {
  0x30123b, 0x3f3e9c, 0x4666dd, 0x458cfd, 0x2fb2f4, 0x1ad4d0, 0x22ebaa,
  0x52fa7a, 0x8bff4b, 0xb7f735, 0xdbe236, 0xf5c53a, 0xfea130, 0xf9751d,
  0xe84b0c, 0xce2d04, 0xa91601, 0x7a0403
};

static const guint32 viridis[] = {
  0x440154, 0x481769, 0x472a7a, 0x433d84, 0x3d4e8a, 0x355e8d, 0x2e6d8e,
  0x297b8e, 0x23898e, 0x1f978b, 0x21a585, 0x2eb37c, 0x46c06f, 0x65cb5e,
  0x89d548, 0xb0dd2f, 0xd8e219, 0xfde725
};

static const guint32 jet[] = {
  0x000080, 0x0000ff, 0x0080ff, 0x00ffff, 0x80ff80, 0xffff00, 0xff8000,
  0xff0000, 0x800000
};

static const guint32 grey[] = { 0x000000, 0xffffff };

static const struct
{
  const guint32 *colors;
  guint n;
} maps[] = {
  [GST_STEREO_COLORMAP_TURBO] = {turbo, G_N_ELEMENTS (turbo)},
  [GST_STEREO_COLORMAP_VIRIDIS] = {viridis, G_N_ELEMENTS (viridis)},
  [GST_STEREO_COLORMAP_JET] = {jet, G_N_ELEMENTS (jet)},
  [GST_STEREO_COLORMAP_GREY] = {grey, G_N_ELEMENTS (grey)},
};

GType
gst_stereo_colormap_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_COLORMAP_TURBO, "Dark blue over green to dark red", "turbo"},
    {GST_STEREO_COLORMAP_VIRIDIS,
        "Dark violet over green to yellow, evenly brighter", "viridis"},
    {GST_STEREO_COLORMAP_JET, "Blue over cyan and yellow to red", "jet"},
    {GST_STEREO_COLORMAP_GREY, "Black to white", "grey"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoColormap", values));
  return type;
}

guint32
gst_stereo_colormap_get (GstStereoColormap colormap, gdouble position)
{
  const guint32 *colors = maps[colormap].colors;
  gdouble at = CLAMP (position, 0.0, 1.0) * (maps[colormap].n - 1);
  guint below = MIN ((guint) at, maps[colormap].n - 2);
  gdouble part = at - below;
  guint32 color = 0;

  for (gint shift = 16; shift >= 0; shift -= 8) {
    gdouble a = colors[below] >> shift & 0xff;
    gdouble b = colors[below + 1] >> shift & 0xff;

    color |= (guint32) (a + (b - a) * part + 0.5) << shift;
  }
  return color;
}

guint32
gst_stereo_color_pack (const GstVideoFormatInfo * format, guint32 argb)
{
  static const guint shifts[] = { 16, 8, 0, 24 };       /* R, G, B, A */
  guint8 bytes[4] = { 255, 255, 255, 255 };
  guint32 pixel;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++)
    bytes[GST_VIDEO_FORMAT_INFO_POFFSET (format, c)] =
        (guint8) (argb >> shifts[c]);
  memcpy (&pixel, bytes, sizeof (pixel));
  return pixel;
}
