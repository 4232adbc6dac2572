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
 * Converts disparity maps to colours for display and recording. Far points are
 * cold or dark, near points warm or bright. The colours represent a fixed range
 * of disparities, so a disparity has the same colour in every frame.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity pattern=sphere ! disparitycolor legend=true ! videoconvert ! autovideosink
 * ]| Shows ground-truth disparities with a legend.
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitycolor colormap=viridis invalid-color=0xffff00ff ! pngenc ! filesink location=disparity.png
 * ]| Writes an image with invalid pixels in magenta.
 * |[
 * gst-launch-1.0 stereotestsrc view=disparity num-buffers=1 ! disparitydepth focal-length=700 baseline=0.12 ! disparitycolor legend=true range-min=8 range-max=1 ! pngenc ! filesink location=depth.png
 * ]| Writes an image of depths from 1 to 8 metres.
 *
 * ## Range
 *
 * The range is the search range of the matcher, from the
 * `GstStereoDisparityMeta` of each buffer. #GstDisparityColor:range-min and
 * #GstDisparityColor:range-max override its ends. Disparities outside take the
 * colour of the nearest end. An empty range is widened to one pixel; if
 * range-max is less than range-min, the colours are reversed.
 *
 * Other results of matchers have fixed ranges: vertical disparities from -16 to
 * 16 pixels, confidences from 0 to 1. Depth maps of disparitydepth range from
 * the smallest depth of the search to ten times that; the range properties and
 * the legend are then in metres, and range-min, the far end, is the larger
 * number.
 *
 * Recordings carry no metadata on buffers, but may have equivalent tags.
 * Without either, a code is #GstDisparityColor:disparity-scale times the
 * disparity, and the range is that of all codes in `GRAY8`, or 0 to 63 pixels
 * in `GRAY16_LE`. The element warns once when it assumes a range, also for maps
 * that were scaled, cropped or converted, to which their tags do not apply.
 *
 * Since: 0.1
 */

#include "base/gststereodepthmeta.h"
#include "filter/gststereofilter.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "core/params.h"
#include "image/colorize.h"
#include "image/colormap.h"
#include "elements/gststereoelements.h"
#include "elements/color/gststereolegend.h"

GST_DEBUG_CATEGORY_STATIC (gst_disparity_color_debug);
#define GST_CAT_DEFAULT gst_disparity_color_debug

/* Default of range-min and range-max: take the end from the metadata. */
#define RANGE_UNSET -100000.0
#define RANGE_LIMIT 100000.0

/* Vertical disparities, in pixels; matchers do not report their range. */
#define VERTICAL_RANGE 16.0

/* Ratio of the farthest to the nearest depth. */
#define DEPTH_RANGE 10.0

/* Without metadata. */
#define GRAY16_SCALE 16.0
#define GRAY16_NUM_DISPARITIES 64
#define MIN_SCALE 1e-6          /* smaller scales count as 0 */

typedef struct
{
  int colormap;                 /* StereoColormap */
  double range_min;
  double range_max;
  double disparity_scale;
  int invalid_value;
  unsigned invalid_color;
  bool legend;
} Settings;

static const StereoParamSpec specs[] = {
  STEREO_PARAM_ENUM_ROW (Settings, colormap, "colormap",
      "Colour map, from far to near", STEREO_COLORMAP_TURBO,
      stereo_colormap_values),
  STEREO_PARAM_DOUBLE_ROW (Settings, range_min, "range-min",
      "Disparity at the far end of the colour map, in pixels, or depth, in "
      "metres (-100000 = from metadata)", RANGE_UNSET, RANGE_UNSET,
      RANGE_LIMIT),
  /* If it is less than range-min, the colours are reversed. */
  STEREO_PARAM_DOUBLE_ROW (Settings, range_max, "range-max",
      "Disparity at the near end of the colour map, in pixels, or depth, in "
      "metres (-100000 = from metadata)", RANGE_UNSET, RANGE_UNSET,
      RANGE_LIMIT),
  STEREO_PARAM_DOUBLE_ROW (Settings, disparity_scale, "disparity-scale",
      "Disparity codes per pixel, for buffers without metadata (0 = 16 in "
      "GRAY16_LE, 1 in GRAY8)", 0, 0, 65536),
  STEREO_PARAM_INT_ROW (Settings, invalid_value, "invalid-value",
      "Code of invalid pixels, for buffers without metadata (-1 = none)", 0,
      -1, 65535),
  /* Alpha is used in formats that have it. */
  STEREO_PARAM_UINT_ROW (Settings, invalid_color, "invalid-color",
      "Colour of invalid pixels, 0xAARRGGBB", 0xff000000u, 0, 0xffffffffu),
  /* Omitted if the image has less than 48 rows, or the legend would take more
   * than half of its width. */
  STEREO_PARAM_BOOL_ROW (Settings, legend, "legend",
      "Draw a colour bar with values at the right edge", false),
  STEREO_PARAM_END
};

/* The mapping from codes to colours. */
typedef struct
{
  StereoColormap colormap;
  gdouble scale;                /* disparity = code / scale + minimum */
  gdouble minimum;
  gdouble low;                  /* values of the ends of the colour map, */
  gdouble high;                 /* never equal */
  const gchar *unit;            /* in the legend */
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

  /* Streaming thread only. */
  Coloring coloring;            /* of the frame */
  gboolean legend;
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

/* Sets the range from the nearest depth to DEPTH_RANGE times that. */
static void
set_depth_range (const GstStereoDepth * depth, Coloring * c)
{
  c->scale = depth->scale;
  c->unit = "m";
  c->high = depth->range_min;
  c->low = depth->range_max;
  if (depth->range_min > 0)
    c->low = MIN (c->low, DEPTH_RANGE * depth->range_min);
}

static void
set_result_range (const GstStereoDisparity * meta, Coloring * c)
{
  c->scale = meta->scale;
  c->invalid = meta->invalid_value;
  if (meta->result == STEREO_RESULT_VERTICAL) {
    c->minimum = -meta->offset / meta->scale;
    c->low = -VERTICAL_RANGE;
    c->high = VERTICAL_RANGE;
  } else if (meta->result == STEREO_RESULT_CONFIDENCE) {
    c->minimum = -meta->offset / meta->scale;
    c->low = 0;
    c->high = 1;
  } else {
    c->minimum = meta->min_disparity;
    c->low = meta->min_disparity;
    c->high = (gdouble) meta->min_disparity + meta->num_disparities - 1;
  }
}

/* For buffers without metadata.  Warns once if the range is a guess. */
static void
assume_range (GstDisparityColor * self, const Settings * settings,
    gboolean gray8, Coloring * c)
{
  GstStereoFilter *filter = GST_STEREO_FILTER (self);
  gchar *text;

  if (settings->disparity_scale >= MIN_SCALE)
    c->scale = settings->disparity_scale;
  else
    c->scale = gray8 ? 1 : GRAY16_SCALE;
  c->high = gray8 ? G_MAXUINT8 / c->scale : GRAY16_NUM_DISPARITIES - 1;
  c->invalid = settings->invalid_value;
  if (is_set (settings->range_min) && is_set (settings->range_max))
    return;
  text = g_strdup_printf ("disparities of %g to %g pixels with %g codes per "
      "pixel", is_set (settings->range_min) ? settings->range_min : c->low,
      is_set (settings->range_max) ? settings->range_max : c->high, c->scale);
  gst_stereo_tags_warn (&filter->tags, &filter->in_info, GST_ELEMENT (self),
      text, "range-min, range-max and disparity-scale");
  g_free (text);
}

static Coloring
choose_coloring (GstDisparityColor * self, const Settings * settings,
    GstBuffer * buffer, gboolean gray8)
{
  const GstStereoFilter *filter = GST_STEREO_FILTER (self);
  const GstVideoInfo *info = &filter->in_info;
  GstStereoDisparity meta;
  GstStereoDepth depth;
  Coloring c = {.colormap = (StereoColormap) settings->colormap,
    .invalid_color = settings->invalid_color,.unit = ""
  };

  if (gst_stereo_tags_get_depth (&filter->tags, buffer, info, &depth))
    set_depth_range (&depth, &c);
  else if (gst_stereo_tags_get_disparity (&filter->tags, buffer, info, &meta))
    set_result_range (&meta, &c);
  else
    assume_range (self, settings, gray8, &c);

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

  GST_DEBUG_OBJECT (self, "colours for values %g to %g", c->low, c->high);
  return gst_stereo_run_configure (&filter->run, 0, &in, &out, &params);
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
  return (filter->run.configured[0] && same_coloring (&self->coloring, &last))
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
  GstStereoFilterClass *filter_class = GST_STEREO_FILTER_CLASS (klass);

  filter_class->op = &stereo_colorize_op;
  filter_class->backend = GST_STEREO_BACKEND_CPU;
  filter_class->purpose = "colour the map";
  filter_class->prepare = gst_disparity_color_prepare;
  filter_class->draw = gst_disparity_color_draw;

  gst_stereo_filter_install_properties (filter_class, specs, "",
      G_STRUCT_OFFSET (GstDisparityColor, settings));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Disparity colours", "Filter/Converter/Video",
      "Converts disparity and depth maps to colours",
      "The gst-stereomatching authors");
}
