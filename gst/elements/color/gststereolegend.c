/* gst-stereomatching: legend of disparity images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/color/gststereolegend.h"

#include "elements/color/gststereocolor.h"

#include <math.h>
#include <string.h>

#define MIN_HEIGHT 48

/* Lengths below are in dots; a dot is a square of pixels whose size grows with
 * the image. */
#define PICTURE_PER_DOT 240
#define MARGIN 1
#define TICK_LENGTH 2
#define FRAME 1                 /* around the bar */
#define BAR_WIDTH 5
#define BAR_MARGIN 5            /* above and below the bar */
#define LABEL_PITCH 12          /* minimum distance of labels */
#define MAX_TICKS 8

#define GLYPH_WIDTH 5
#define GLYPH_HEIGHT 7
#define GLYPH_PITCH 6

/* Maximum number of decimals of a label. */
#define MAX_DECIMALS 3

#define BLACK 0xff000000
#define WHITE 0xffffffff
#define FRAME_COLOR 0xff909090

/* Rows from the top; bit 4 is the leftmost dot. */
static const struct
{
  gchar character;
  guint8 rows[GLYPH_HEIGHT];
} font[] = {
  {'0', {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}},
  {'1', {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}},
  {'2', {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}},
  {'3', {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e}},
  {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
  {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
  {'6', {0x0e, 0x10, 0x10, 0x1e, 0x11, 0x11, 0x0e}},
  {'7', {0x1f, 0x01, 0x02, 0x02, 0x04, 0x04, 0x04}},
  {'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}},
  {'9', {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x01, 0x0e}},
  {'-', {0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00}},
  {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c}},
  {'m', {0x00, 0x00, 0x1a, 0x15, 0x15, 0x15, 0x15}},
};

typedef struct
{
  guint8 *data;
  gint stride;
  gint pixel_bytes;
  gint dot;                     /* in pixels */
} Canvas;

static void
fill (const Canvas * canvas, gint x, gint y, gint width, gint height,
    guint32 pixel)
{
  for (gint row = y; row < y + height; row++) {
    guint8 *at = canvas->data + (gssize) row * canvas->stride
        + (gssize) x * canvas->pixel_bytes;

    for (gint i = 0; i < width; i++, at += canvas->pixel_bytes)
      memcpy (at, &pixel, canvas->pixel_bytes);
  }
}

/* Halves the brightness from a column to the right edge, so that the picture
 * can be seen behind white labels.  black has the bits of alpha. */
static void
darken (const Canvas * canvas, gint x, gint width, gint height, guint32 black)
{
  for (gint row = 0; row < height; row++) {
    guint8 *at = canvas->data + (gssize) row * canvas->stride
        + (gssize) x * canvas->pixel_bytes;

    for (gint i = x; i < width; i++, at += canvas->pixel_bytes) {
      guint32 pixel = 0;

      memcpy (&pixel, at, canvas->pixel_bytes);
      pixel = (pixel >> 1 & 0x7f7f7f7f) | black;
      memcpy (at, &pixel, canvas->pixel_bytes);
    }
  }
}

/* (x, y) is the upper left corner, in pixels. */
static void
draw_text (const Canvas * canvas, gint x, gint y, const gchar * text,
    guint32 pixel)
{
  for (; *text != '\0'; text++, x += GLYPH_PITCH * canvas->dot) {
    for (guint g = 0; g < G_N_ELEMENTS (font); g++) {
      if (font[g].character != *text)
        continue;
      for (gint row = 0; row < GLYPH_HEIGHT; row++)
        for (gint column = 0; column < GLYPH_WIDTH; column++)
          if (font[g].rows[row] & (0x10 >> column))
            fill (canvas, x + column * canvas->dot, y + row * canvas->dot,
                canvas->dot, canvas->dot, pixel);
    }
  }
}

/* The smallest of 1, 2 and 5 times a power of ten that is at least minimum, and
 * the number of decimals of its multiples. */
static gdouble
get_tick_step (gdouble minimum, guint * decimals)
{
  static const guint factors[] = { 1, 2, 5, 10 };
  gint exponent;
  gdouble power;
  guint f = 0;

  minimum = MAX (minimum, pow (10, -MAX_DECIMALS));
  exponent = (gint) floor (log10 (minimum) + 1e-9);
  power = pow (10, exponent);
  while (f < G_N_ELEMENTS (factors) - 1
      && factors[f] * power < minimum * (1 - 1e-9))
    f++;
  *decimals = exponent < 0 ? (guint) - exponent : 0;
  return factors[f] * power;
}

static void
format_label (gchar label[32], gdouble value, guint decimals,
    const gchar * unit)
{
  gchar format[] = "%.0f";

  format[2] = (gchar) ('0' + decimals);
  g_ascii_formatd (label, 30, format, value);
  g_strlcat (label, unit, 32);
}

gboolean
gst_stereo_legend_draw (GstVideoFrame * frame, StereoColormap colormap,
    gdouble low, gdouble high, const gchar * unit)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const gint width = GST_VIDEO_FRAME_WIDTH (frame);
  const gint height = GST_VIDEO_FRAME_HEIGHT (frame);
  const gint dot = MAX (1, MIN (width, height) / PICTURE_PER_DOT);
  const gint bar_height = height - 2 * BAR_MARGIN * dot;
  const guint32 white = gst_stereo_color_pack (finfo, WHITE);
  const Canvas canvas = {
    GST_VIDEO_FRAME_PLANE_DATA (frame, 0),
    GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0),
    GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0), dot
  };
  gint n_ticks, label_width = 0, panel_width, bar_x;
  gint64 first, last;
  gchar label[32];
  guint decimals;
  gdouble step;

  if (height < MIN_HEIGHT)
    return FALSE;

  n_ticks = CLAMP (bar_height / (LABEL_PITCH * dot), 1, MAX_TICKS);
  step = get_tick_step (fabs (high - low) / n_ticks, &decimals);
  first = (gint64) ceil (MIN (low, high) / step - 1e-9);
  last = (gint64) floor (MAX (low, high) / step + 1e-9);
  for (gint64 i = first; i <= last; i++) {
    format_label (label, i * step, decimals, unit);
    label_width = MAX (label_width, (gint) strlen (label) * GLYPH_PITCH);
  }

  panel_width = dot * (MARGIN + label_width + TICK_LENGTH + FRAME + BAR_WIDTH
      + FRAME);
  if (panel_width > width / 2)
    return FALSE;

  darken (&canvas, width - panel_width, width, height,
      gst_stereo_color_pack (finfo, BLACK));
  bar_x = width - dot * (FRAME + BAR_WIDTH);
  fill (&canvas, bar_x - dot * FRAME, dot * (BAR_MARGIN - FRAME),
      dot * (BAR_WIDTH + 2 * FRAME), bar_height + 2 * dot * FRAME,
      gst_stereo_color_pack (finfo, FRAME_COLOR));
  for (gint row = 0; row < bar_height; row++) {
    gdouble position = 1 - (row + 0.5) / bar_height;

    fill (&canvas, bar_x, BAR_MARGIN * dot + row, dot * BAR_WIDTH, 1,
        gst_stereo_color_pack (finfo,
            BLACK | stereo_colormap_get (colormap, position)));
  }

  for (gint64 i = first; i <= last; i++) {
    gdouble position = (i * step - low) / (high - low);
    gint row = (gint) floor ((1 - position) * bar_height);
    gint y = BAR_MARGIN * dot + CLAMP (row, 0, bar_height - 1);
    gint tick_x = bar_x - dot * (FRAME + TICK_LENGTH), text_width;

    /* the middle of tick and label is at y */
    format_label (label, i * step, decimals, unit);
    /* without the gap after the last glyph */
    text_width = (gint) strlen (label) * GLYPH_PITCH - 1;
    fill (&canvas, tick_x, y - dot / 2, dot * TICK_LENGTH, dot, white);
    draw_text (&canvas, tick_x - dot * (1 + text_width),
        y - dot / 2 - GLYPH_HEIGHT / 2 * dot, label, white);
  }
  return TRUE;
}
