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
 * -16 to 16 pixels, and confidences from 0 to 1. And so are depths, which
 * disparitydepth makes: from the nearest one that was searched to ten times
 * that. Their ends are in metres, #GstDisparityColor:range-min is the far one
 * and has the larger number, and the legend is metric.
 *
 * A recording has no metas, but may have the tags of what made the maps, which
 * say the same. Without either, a code is
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
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitydepth focal-length=700 baseline=0.12 ! disparitycolor legend=true range-min=8 range-max=1 ! pngenc ! filesink location=depth.png
 * ]| Writes a picture of depths from 1 to 8 metres.
 *
 * Since: 0.1
 */

#include "base/gststereodepthmeta.h"
#include "base/gststereofilter.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "core/params.h"
#include "core/runner.h"
#include "image/colorize.h"
#include "image/colormap.h"
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

/* Of depths, which have no end: farthest over nearest. */
#define DEPTH_RANGE 10.0

/* Without a meta. */
#define GRAY16_SCALE 16.0
#define GRAY16_NUM_DISPARITIES 64
#define MIN_SCALE 1e-6          /* less is 0, which chooses */

typedef struct
{
  int colormap;                 /* GstStereoColormap */
  double range_min;
  double range_max;
  double disparity_scale;
  int invalid_value;
  unsigned invalid_color;
  bool legend;
} Settings;

static const StereoParamSpec specs[] = {
  STEREO_PARAM_ENUM_ROW (Settings, colormap, "colormap",
      "Colours, from far to near", GST_STEREO_COLORMAP_TURBO,
      stereo_colormap_values),
  STEREO_PARAM_DOUBLE_ROW (Settings, range_min, "range-min",
      "Disparity at the far end of the colours, in pixels (-100000 = the "
      "smallest one that was searched)", RANGE_UNSET, RANGE_UNSET,
      RANGE_LIMIT),
  /* Where it is less than range-min the colours are the other way round. */
  STEREO_PARAM_DOUBLE_ROW (Settings, range_max, "range-max",
      "Disparity at the near end of the colours, in pixels (-100000 = the "
      "largest one that was searched)", RANGE_UNSET, RANGE_UNSET,
      RANGE_LIMIT),
  STEREO_PARAM_DOUBLE_ROW (Settings, disparity_scale, "disparity-scale",
      "Codes for one pixel of disparity in buffers that don't tell (0 = 16 "
      "in GRAY16_LE, 1 in GRAY8)", 0, 0, 65536),
  STEREO_PARAM_INT_ROW (Settings, invalid_value, "invalid-value",
      "Code of pixels without a disparity in buffers that don't tell (-1 = "
      "none)", 0, -1, 65535),
  /* Alpha counts in formats that have it. */
  STEREO_PARAM_UINT_ROW (Settings, invalid_color, "invalid-color",
      "Colour of pixels without a disparity, 0xAARRGGBB (0xff000000 = "
      "opaque black)", 0xff000000u, 0, 0xffffffffu),
  /* Left out where the picture is lower than 48 rows, or the bar and its
   * numbers would take more than half of the width. */
  STEREO_PARAM_BOOL_ROW (Settings, legend, "legend",
      "Draw a bar with the colours and their disparities over the right "
      "edge", false),
  STEREO_PARAM_END
};

/* All that the colour of a code depends on, but for the format. */
typedef struct
{
  GstStereoColormap colormap;
  gdouble scale;                /* disparity = code / scale + minimum */
  gdouble minimum;
  gdouble low;                  /* disparities of the ends of the map; */
  gdouble high;                 /* never equal */
  const gchar *unit;            /* of the legend */
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
  Coloring coloring;            /* of the frame */
  gboolean legend;
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

/* From the nearest depth that there can be to DEPTH_RANGE times that. */
static void
color_depth (const GstStereoDepth * depth, Coloring * c)
{
  c->scale = depth->scale;
  c->unit = "m";
  c->high = depth->range_min;
  c->low = depth->range_max;
  if (depth->range_min > 0)
    c->low = MIN (c->low, DEPTH_RANGE * depth->range_min);
}

/* How a buffer is to be coloured. */
static Coloring
choose_coloring (GstDisparityColor * self, const Settings * settings,
    GstBuffer * buffer, gboolean gray8)
{
  const GstStereoFilter *filter = GST_STEREO_FILTER (self);
  const GstVideoInfo *info = &filter->in_info;
  GstStereoDisparity meta;
  GstStereoDepth depth;
  Coloring c;

  memset (&c, 0, sizeof (c));
  c.colormap = (GstStereoColormap) settings->colormap;
  c.invalid_color = settings->invalid_color;
  c.unit = "";
  if (gst_stereo_tags_get_depth (&filter->tags, buffer, info, &depth)) {
    color_depth (&depth, &c);
  } else if (gst_stereo_tags_get_disparity (&filter->tags, buffer, info,
          &meta)) {
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

/* ------------------------------------------------------------------ frames */

/* Prepares for pictures with these colours. */
static gboolean
configure (GstDisparityColor * self, const Coloring * c,
    const StereoImage * map, const StereoImage * picture)
{
  GstStereoFilter *filter = GST_STEREO_FILTER (self);
  const StereoPortSetup in = stereo_port_setup_of (map);
  const StereoPortSetup out = stereo_port_setup_of (picture);
  const StereoColorizeParams params = {
    .colormap = c->colormap,
    .scale = c->scale,
    .minimum = c->minimum,
    .low = c->low,
    .high = c->high,
    .invalid_value = (gint) c->invalid,
    .invalid_color = c->invalid_color,
    .alpha = GST_VIDEO_INFO_HAS_ALPHA (&filter->out_info),
  };

  GST_DEBUG_OBJECT (self, "colours for disparities %g to %g", c->low, c->high);
  return gst_stereo_filter_configure (filter, &in, &out, &params);
}

static gboolean
gst_disparity_color_prepare (GstStereoFilter * filter,
    const GstStereoFrame * in, const GstStereoFrame * out)
{
  GstDisparityColor *self = GST_DISPARITY_COLOR (filter);
  const gboolean gray8 = in->image.format == STEREO_FORMAT_GRAY8;
  const Coloring last = self->coloring;
  Settings settings;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);

  self->coloring = choose_coloring (self, &settings, in->frame.buffer, gray8);
  self->legend = settings.legend;
  return (filter->configured && same_coloring (&self->coloring, &last))
      || configure (self, &self->coloring, &in->image, &out->image);
}

static void
gst_disparity_color_draw (GstStereoFilter * filter, GstStereoFrame * out)
{
  GstDisparityColor *self = GST_DISPARITY_COLOR (filter);
  const Coloring *c = &self->coloring;

  if (self->legend && !gst_stereo_legend_draw (&out->frame, c->colormap,
          c->low, c->high, c->unit))
    GST_LOG_OBJECT (self, "no room for a legend");
}

static gboolean
gst_disparity_color_stop (GstBaseTransform * trans)
{
  GstDisparityColor *self = GST_DISPARITY_COLOR (trans);

  self->warned = FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_disparity_color_parent_class)->stop
      (trans);
}

/* ------------------------------------------------------------------- class */

static void
gst_disparity_color_init (GstDisparityColor * self)
{
  gst_stereo_table_init (specs, &self->settings);
}

static void
gst_disparity_color_class_init (GstDisparityColorClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstStereoFilterClass *filter_class = GST_STEREO_FILTER_CLASS (klass);

  trans_class->stop = gst_disparity_color_stop;
  filter_class->op = &stereo_colorize_op;
  filter_class->backend = GST_STEREO_BACKEND_CPU;
  filter_class->product = "The colours";
  filter_class->prepare = gst_disparity_color_prepare;
  filter_class->draw = gst_disparity_color_draw;

  gst_stereo_filter_install_properties (filter_class, specs, "",
      G_STRUCT_OFFSET (GstDisparityColor, settings));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Disparity colours", "Filter/Converter/Video",
      "Turns disparity maps into coloured pictures",
      "The gst-stereomatching authors");
}
