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

/* The labels of the bar: multiples of step. */
typedef struct
{
  gdouble low, high;            /* at the ends of the bar */
  gdouble step;
  gint64 first, last;
  guint decimals;
  const gchar *unit;
} Scale;

static void
format_label (gchar label[32], const Scale * scale, gint64 i)
{
  gchar format[] = "%.0f";

  format[2] = (gchar) ('0' + scale->decimals);
  g_ascii_formatd (label, 30, format, i * scale->step);
  g_strlcat (label, scale->unit, 32);
}

/* Initializes all but low, high and unit.  Returns the width of the labels, in
 * dots. */
static gint
scale_init (Scale * scale, gint n_ticks)
{
  const gdouble low = scale->low, high = scale->high;
  gchar label[32];
  gint width = 0;

  scale->step = get_tick_step (fabs (high - low) / n_ticks, &scale->decimals);
  scale->first = (gint64) ceil (MIN (low, high) / scale->step - 1e-9);
  scale->last = (gint64) floor (MAX (low, high) / scale->step + 1e-9);
  for (gint64 i = scale->first; i <= scale->last; i++) {
    format_label (label, scale, i);
    width = MAX (width, (gint) strlen (label) * GLYPH_PITCH);
  }
  return width;
}

/* x and height are those of the bar, in pixels, without its frame. */
static void
draw_bar (const Canvas * canvas, const GstVideoFormatInfo * finfo,
    StereoColormap colormap, gint x, gint height)
{
  const gint dot = canvas->dot;

  fill (canvas, x - dot * FRAME, dot * (BAR_MARGIN - FRAME),
      dot * (BAR_WIDTH + 2 * FRAME), height + 2 * dot * FRAME,
      gst_stereo_color_pack (finfo, FRAME_COLOR));
  for (gint row = 0; row < height; row++) {
    gdouble position = 1 - (row + 0.5) / height;

    fill (canvas, x, BAR_MARGIN * dot + row, dot * BAR_WIDTH, 1,
        gst_stereo_color_pack (finfo,
            BLACK | stereo_colormap_get (colormap, position)));
  }
}

/* Ticks and labels of a bar, as for draw_bar(). */
static void
draw_labels (const Canvas * canvas, const Scale * scale, gint x, gint height,
    guint32 pixel)
{
  const gint dot = canvas->dot, tick_x = x - dot * (FRAME + TICK_LENGTH);
  gchar label[32];

  for (gint64 i = scale->first; i <= scale->last; i++) {
    gdouble position = (i * scale->step - scale->low)
        / (scale->high - scale->low);
    gint row = (gint) floor ((1 - position) * height);
    gint y = BAR_MARGIN * dot + CLAMP (row, 0, height - 1), text_width;

    /* the middle of tick and label is at y */
    format_label (label, scale, i);
    /* without the gap after the last glyph */
    text_width = (gint) strlen (label) * GLYPH_PITCH - 1;
    fill (canvas, tick_x, y - dot / 2, dot * TICK_LENGTH, dot, pixel);
    draw_text (canvas, tick_x - dot * (1 + text_width),
        y - dot / 2 - GLYPH_HEIGHT / 2 * dot, label, pixel);
  }
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
  const gint bar_x = width - dot * (FRAME + BAR_WIDTH);
  const Canvas canvas = {
    GST_VIDEO_FRAME_PLANE_DATA (frame, 0),
    GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0),
    GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0), dot
  };
  Scale scale = {.low = low,.high = high,.unit = unit };
  gint panel_width;

  if (height < MIN_HEIGHT)
    return FALSE;
  panel_width = dot * (MARGIN + TICK_LENGTH + FRAME + BAR_WIDTH + FRAME
      + scale_init (&scale, CLAMP (bar_height / (LABEL_PITCH * dot), 1,
              MAX_TICKS)));
  if (panel_width > width / 2)
    return FALSE;
  darken (&canvas, width - panel_width, width, height,
      gst_stereo_color_pack (finfo, BLACK));
  draw_bar (&canvas, finfo, colormap, bar_x, bar_height);
  draw_labels (&canvas, &scale, bar_x, bar_height,
      gst_stereo_color_pack (finfo, WHITE));
  return TRUE;
}
