/* gst-stereomatching: the element disparitycolor
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-disparitycolor
 * @title: disparitycolor
 * @short_description: colours for disparity maps
 *
 * Makes a disparity map visible: far is at the cold or dark end of a colour
 * map, near at the warm or bright one. The colours stand for a fixed range of
 * disparities, so one disparity has one colour in all frames of a stream.
 *
 * The range is what the matcher searched, which the `GstStereoDisparityMeta` of
 * each buffer tells; #GstDisparityColor:range-min and
 * #GstDisparityColor:range-max replace its ends. Disparities beyond an end get
 * the colour of that end. A range that ends where it begins is widened to one
 * pixel of disparity; one that runs downwards turns the colours round.
 *
 * The other results of a matcher are coloured too: vertical disparities from
 * -16 to 16 pixels, and confidences from 0 to 1.
 *
 * Without the meta, from a file for example, a code is
 * #GstDisparityColor:disparity-scale times the disparity, and the range is that
 * of all codes of `GRAY8`, or 0 to 63 pixels for `GRAY16_LE`. The element warns
 * once when it has to assume a range.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity pattern=sphere ! disparitycolor legend=true ! videoconvert ! autovideosink
 * ]| Shows true disparities with a legend.
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitycolor colormap=viridis invalid-color=0xffff00ff ! pngenc ! filesink location=disparity.png
 * ]| Writes a picture in which pixels without a disparity are magenta.
 *
 * Since: 0.1
 */

#include "base/gststereofilter.h"
#include "base/gststereometa.h"
#include "elements/gststereocolormap.h"
#include "elements/gststereoelements.h"
#include "elements/gststereolegend.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_disparity_color_debug);
#define GST_CAT_DEFAULT gst_disparity_color_debug

/* What range-min and range-max are when the meta decides. */
#define RANGE_UNSET -100000.0
#define RANGE_LIMIT 100000.0

/* Of vertical disparities, which nobody says how large they can be. */
#define VERTICAL_RANGE 16.0

/* Without a meta. */
#define GRAY16_SCALE 16.0
#define GRAY16_NUM_DISPARITIES 64
#define MIN_SCALE 1e-6          /* less is 0, which chooses */

#define DEFAULT_COLORMAP GST_STEREO_COLORMAP_TURBO
#define DEFAULT_DISPARITY_SCALE 0.0
#define DEFAULT_INVALID_VALUE 0
#define DEFAULT_INVALID_COLOR 0xff000000
#define DEFAULT_LEGEND FALSE

#define N_CODES 65536

enum
{
  PROP_0,
  PROP_COLORMAP,
  PROP_RANGE_MIN,
  PROP_RANGE_MAX,
  PROP_DISPARITY_SCALE,
  PROP_INVALID_VALUE,
  PROP_INVALID_COLOR,
  PROP_LEGEND
};

typedef struct
{
  GstStereoColormap colormap;
  gdouble range_min;
  gdouble range_max;
  gdouble disparity_scale;
  gint invalid_value;
  guint32 invalid_color;
  gboolean legend;
} Settings;

/* All that the colour of a code depends on, but for the format. */
typedef struct
{
  GstStereoColormap colormap;
  gdouble scale;                /* disparity = code / scale + minimum */
  gdouble minimum;
  gdouble low;                  /* disparities of the ends of the map; */
  gdouble high;                 /* never equal */
  gint64 invalid;               /* -1 for none */
  guint32 invalid_color;
} Coloring;

#define GST_TYPE_DISPARITY_COLOR (gst_disparity_color_get_type ())
G_DECLARE_FINAL_TYPE (GstDisparityColor, gst_disparity_color, GST,
    DISPARITY_COLOR, GstStereoFilter)

struct _GstDisparityColor
{
  GstStereoFilter parent;

  Settings settings;            /* under the object lock */

  /* The streaming thread's own. */
  guint32 *table;               /* pixels of all codes, or NULL */
  gboolean table_valid;
  Coloring coloring;            /* of the table */
  gboolean warned;
};

G_DEFINE_TYPE_WITH_CODE (GstDisparityColor, gst_disparity_color,
    GST_TYPE_STEREO_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_disparity_color_debug, "disparitycolor", 0,
        "Colours for disparity maps"));

GST_ELEMENT_REGISTER_DEFINE (disparitycolor, "disparitycolor", GST_RANK_NONE,
    GST_TYPE_DISPARITY_COLOR);

#define SINK_FORMATS "{ GRAY16_LE, GRAY8 }"
#define SRC_FORMATS "{ RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, " \
    "ABGR }"

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (SINK_FORMATS)));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (SRC_FORMATS)));

/* ------------------------------------------------------------------- range */

static gboolean
is_set (gdouble end)
{
  return end > RANGE_UNSET;     /* false for NaN */
}

/* How a buffer is to be coloured. */
static Coloring
choose_coloring (GstDisparityColor * self, const Settings * settings,
    GstBuffer * buffer, gboolean gray8)
{
  GstStereoDisparity meta;
  Coloring c;

  memset (&c, 0, sizeof (c));
  c.colormap = settings->colormap;
  c.invalid_color = settings->invalid_color;
  if (gst_stereo_meta_get (buffer, &meta)) {
    c.scale = meta.scale;
    c.invalid = meta.invalid_value;
    switch (meta.result) {
      case STEREO_RESULT_VERTICAL:
        c.minimum = -meta.offset / meta.scale;
        c.low = -VERTICAL_RANGE;
        c.high = VERTICAL_RANGE;
        break;
      case STEREO_RESULT_CONFIDENCE:
        c.minimum = -meta.offset / meta.scale;
        c.low = 0;
        c.high = 1;
        break;
      case STEREO_RESULT_DISPARITY:
      default:
        c.minimum = meta.min_disparity;
        c.low = meta.min_disparity;
        c.high = (gdouble) meta.min_disparity + meta.num_disparities - 1;
        break;
    }
  } else {
    if (settings->disparity_scale >= MIN_SCALE)
      c.scale = settings->disparity_scale;
    else
      c.scale = gray8 ? 1 : GRAY16_SCALE;
    c.high = gray8 ? G_MAXUINT8 / c.scale : GRAY16_NUM_DISPARITIES - 1;
    c.invalid = settings->invalid_value;
    if (!self->warned && (!is_set (settings->range_min)
            || !is_set (settings->range_max))) {
      gchar *text = g_strdup_printf ("The buffers don't tell their range of "
          "disparities: assuming %g to %g pixels with %g codes each; set "
          "range-min, range-max and disparity-scale",
          is_set (settings->range_min) ? settings->range_min : c.low,
          is_set (settings->range_max) ? settings->range_max : c.high, c.scale);

      /* twice, because gst-launch shows the second one */
      GST_ELEMENT_WARNING (self, STREAM, FORMAT, ("%s.", text), ("%s", text));
      g_free (text);
      self->warned = TRUE;
    }
  }

  if (is_set (settings->range_min))
    c.low = settings->range_min;
  if (is_set (settings->range_max))
    c.high = settings->range_max;
  if (c.low == c.high) {
    c.low -= 0.5;
    c.high += 0.5;
  }
  return c;
}

static gboolean
same_coloring (const Coloring * a, const Coloring * b)
{
  return a->colormap == b->colormap && a->scale == b->scale
      && a->minimum == b->minimum && a->low == b->low && a->high == b->high
      && a->invalid == b->invalid && a->invalid_color == b->invalid_color;
}

static void
fill_table (GstDisparityColor * self, const Coloring * c,
    const GstVideoFormatInfo * format, guint n)
{
  if (self->table == NULL)
    self->table = g_new (guint32, N_CODES);
  for (guint code = 0; code < n; code++) {
    gdouble disparity = code / c->scale + c->minimum;
    gdouble position = (disparity - c->low) / (c->high - c->low);

    self->table[code] = gst_stereo_color_pack (format,
        0xff000000 | gst_stereo_colormap_get (c->colormap, position));
  }
  if (c->invalid >= 0 && c->invalid < n)
    self->table[c->invalid] = gst_stereo_color_pack (format, c->invalid_color);
  self->coloring = *c;
  self->table_valid = TRUE;
}

/* ------------------------------------------------------------------ frames */

/* Rows may begin at any address. */
static inline guint
code_at (const guint8 * row, gint x, gboolean gray8)
{
  return gray8 ? row[x] : row[2 * x] | (guint) row[2 * x + 1] << 8;
}

static inline void
color_row (guint8 * out, const guint8 * in, gint width, const guint32 * table,
    gboolean gray8, gint pixel_bytes)
{
  gint x = 0;

  if (pixel_bytes == 4) {
    for (; x < width; x++)
      memcpy (out + 4 * x, &table[code_at (in, x, gray8)], 4);
    return;
  }
  /* each pixel's fourth byte is overwritten by the next pixel */
  for (; x < width - 1; x++)
    memcpy (out + 3 * x, &table[code_at (in, x, gray8)], 4);
  memcpy (out + 3 * x, &table[code_at (in, x, gray8)], 3);
}

/* Rows of codes to rows of pixels. */
static void
color_image (const StereoImage * out, const StereoImage * in,
    const guint32 * table)
{
  const gboolean gray8 = in->format == STEREO_FORMAT_GRAY8;
  const gboolean packed = out->format == STEREO_FORMAT_RGB
      || out->format == STEREO_FORMAT_BGR;

  for (gint y = 0; y < in->height; y++) {
    const guint8 *from = (const guint8 *) in->plane[0]
        + (gsize) y * in->stride[0];
    guint8 *to = (guint8 *) out->plane[0] + (gsize) y * out->stride[0];

    if (gray8 && packed)
      color_row (to, from, in->width, table, TRUE, 3);
    else if (gray8)
      color_row (to, from, in->width, table, TRUE, 4);
    else if (packed)
      color_row (to, from, in->width, table, FALSE, 3);
    else
      color_row (to, from, in->width, table, FALSE, 4);
  }
}

static gboolean
gst_disparity_color_process (GstStereoFilter * filter,
    const GstStereoFrame * in, GstStereoFrame * out)
{
  GstDisparityColor *self = GST_DISPARITY_COLOR (filter);
  const gboolean gray8 = in->image.format == STEREO_FORMAT_GRAY8;
  Settings settings;
  Coloring coloring;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);

  coloring = choose_coloring (self, &settings, in->frame.buffer, gray8);
  if (!self->table_valid || !same_coloring (&coloring, &self->coloring)) {
    GST_DEBUG_OBJECT (self, "colours for disparities %g to %g", coloring.low,
        coloring.high);
    fill_table (self, &coloring, filter->out_info.finfo,
        gray8 ? G_MAXUINT8 + 1 : N_CODES);
  }
  color_image (&out->image, &in->image, self->table);

  if (settings.legend && !gst_stereo_legend_draw (&out->frame,
          coloring.colormap, coloring.low, coloring.high))
    GST_LOG_OBJECT (self, "no room for a legend");
  return TRUE;
}

static gboolean
gst_disparity_color_set_info (GstStereoFilter * filter)
{
  GST_DISPARITY_COLOR (filter)->table_valid = FALSE;
  return TRUE;
}

static gboolean
gst_disparity_color_stop (GstBaseTransform * trans)
{
  GstDisparityColor *self = GST_DISPARITY_COLOR (trans);

  g_clear_pointer (&self->table, g_free);
  self->table_valid = FALSE;
  self->warned = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_disparity_color_parent_class)->stop
      (trans);
}

/* -------------------------------------------------------------- properties */

static void
gst_disparity_color_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstDisparityColor *self = GST_DISPARITY_COLOR (object);
  Settings *settings = &self->settings;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_COLORMAP:
      settings->colormap = (GstStereoColormap) g_value_get_enum (value);
      break;
    case PROP_RANGE_MIN:
      settings->range_min = g_value_get_double (value);
      break;
    case PROP_RANGE_MAX:
      settings->range_max = g_value_get_double (value);
      break;
    case PROP_DISPARITY_SCALE:
      settings->disparity_scale = g_value_get_double (value);
      break;
    case PROP_INVALID_VALUE:
      settings->invalid_value = g_value_get_int (value);
      break;
    case PROP_INVALID_COLOR:
      settings->invalid_color = g_value_get_uint (value);
      break;
    case PROP_LEGEND:
      settings->legend = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_disparity_color_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstDisparityColor *self = GST_DISPARITY_COLOR (object);
  const Settings *settings = &self->settings;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_COLORMAP:
      g_value_set_enum (value, settings->colormap);
      break;
    case PROP_RANGE_MIN:
      g_value_set_double (value, settings->range_min);
      break;
    case PROP_RANGE_MAX:
      g_value_set_double (value, settings->range_max);
      break;
    case PROP_DISPARITY_SCALE:
      g_value_set_double (value, settings->disparity_scale);
      break;
    case PROP_INVALID_VALUE:
      g_value_set_int (value, settings->invalid_value);
      break;
    case PROP_INVALID_COLOR:
      g_value_set_uint (value, settings->invalid_color);
      break;
    case PROP_LEGEND:
      g_value_set_boolean (value, settings->legend);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* ------------------------------------------------------------------- class */

static void
gst_disparity_color_finalize (GObject * object)
{
  g_free (GST_DISPARITY_COLOR (object)->table);
  G_OBJECT_CLASS (gst_disparity_color_parent_class)->finalize (object);
}

static void
gst_disparity_color_init (GstDisparityColor * self)
{
  self->settings = (Settings) {
    .colormap = DEFAULT_COLORMAP,
    .range_min = RANGE_UNSET,
    .range_max = RANGE_UNSET,
    .disparity_scale = DEFAULT_DISPARITY_SCALE,
    .invalid_value = DEFAULT_INVALID_VALUE,
    .invalid_color = DEFAULT_INVALID_COLOR,
    .legend = DEFAULT_LEGEND,
  };
}

static void
gst_disparity_color_class_init (GstDisparityColorClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstStereoFilterClass *filter_class = GST_STEREO_FILTER_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING;

  object_class->finalize = gst_disparity_color_finalize;
  object_class->set_property = gst_disparity_color_set_property;
  object_class->get_property = gst_disparity_color_get_property;

  trans_class->stop = gst_disparity_color_stop;
  filter_class->set_info = gst_disparity_color_set_info;
  filter_class->process = gst_disparity_color_process;

  /**
   * GstDisparityColor:colormap:
   *
   * The colours, from far to near.
   */
  g_object_class_install_property (object_class, PROP_COLORMAP,
      g_param_spec_enum ("colormap", "colormap", "Colours, from far to near",
          GST_TYPE_STEREO_COLORMAP, DEFAULT_COLORMAP, flags));

  /**
   * GstDisparityColor:range-min:
   *
   * Disparity at the far end of the colours, in pixels. By default the smallest
   * one that was searched, as told by the meta of the buffer.
   */
  g_object_class_install_property (object_class, PROP_RANGE_MIN,
      g_param_spec_double ("range-min", "range-min",
          "Disparity at the far end of the colours, in pixels (-100000 = the "
          "smallest one that was searched)", RANGE_UNSET, RANGE_LIMIT,
          RANGE_UNSET, flags));

  /**
   * GstDisparityColor:range-max:
   *
   * Disparity at the near end of the colours, in pixels. By default the largest
   * one that was searched, as told by the meta of the buffer. Where it is less
   * than #GstDisparityColor:range-min the colours are the other way round.
   */
  g_object_class_install_property (object_class, PROP_RANGE_MAX,
      g_param_spec_double ("range-max", "range-max",
          "Disparity at the near end of the colours, in pixels (-100000 = the "
          "largest one that was searched)", RANGE_UNSET, RANGE_LIMIT,
          RANGE_UNSET, flags));

  /**
   * GstDisparityColor:disparity-scale:
   *
   * Codes for one pixel of disparity in buffers without a
   * `GstStereoDisparityMeta`. 0 means 16 in `GRAY16_LE` and 1 in `GRAY8`.
   */
  g_object_class_install_property (object_class, PROP_DISPARITY_SCALE,
      g_param_spec_double ("disparity-scale", "disparity-scale",
          "Codes for one pixel of disparity in buffers that don't tell (0 = 16 "
          "in GRAY16_LE, 1 in GRAY8)", 0, 65536, DEFAULT_DISPARITY_SCALE,
          flags));

  /**
   * GstDisparityColor:invalid-value:
   *
   * Code of pixels without a disparity in buffers without a
   * `GstStereoDisparityMeta`. With -1 there are no such pixels.
   */
  g_object_class_install_property (object_class, PROP_INVALID_VALUE,
      g_param_spec_int ("invalid-value", "invalid-value",
          "Code of pixels without a disparity in buffers that don't tell (-1 = "
          "none)", -1, G_MAXUINT16, DEFAULT_INVALID_VALUE, flags));

  /**
   * GstDisparityColor:invalid-color:
   *
   * Colour of pixels without a disparity, as 0xAARRGGBB. Alpha counts in
   * formats that have it.
   */
  g_object_class_install_property (object_class, PROP_INVALID_COLOR,
      g_param_spec_uint ("invalid-color", "invalid-color",
          "Colour of pixels without a disparity, 0xAARRGGBB (0xff000000 = "
          "opaque black)", 0, G_MAXUINT32,
          DEFAULT_INVALID_COLOR, flags));

  /**
   * GstDisparityColor:legend:
   *
   * Draw a bar with the colours and their disparities, in pixels, over the
   * right edge of the picture. Left out where the picture is lower than 48
   * rows, or the bar and its numbers would take more than half of the width.
   */
  g_object_class_install_property (object_class, PROP_LEGEND,
      g_param_spec_boolean ("legend", "legend",
          "Draw a bar with the colours and their disparities over the right "
          "edge", DEFAULT_LEGEND, flags));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Disparity colours", "Filter/Converter/Video",
      "Turns disparity maps into coloured pictures",
      "The gst-stereomatching authors");

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_COLORMAP, 0);
}
