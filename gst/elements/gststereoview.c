/* gst-stereomatching: the element stereoview
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereoview
 * @title: stereoview
 * @short_description: live views from between the cameras
 *
 * Shows what a camera at another #GstStereoView:position would see: between a
 * left and a right camera, or beside them. It takes the left view, its
 * disparities and, on the request pad `sink_right`, the right view; without
 * that it makes views of one image and its depth. Position 0 is the left view
 * and 1 the right one, byte for byte but for alpha, which becomes opaque.
 *
 * The disparities may come from a matcher of this plugin, from a file or from
 * a camera. They may be smaller than the views: half the size, a third, down to
 * an eighth, rounded up, so that matching takes less time than the views have.
 *
 * A map from a matcher says which images it was made of, and goes with those of
 * exactly these timestamps; images that no map was made of are left out. Other
 * maps go by running time. Nothing is ever rendered with the map of another
 * frame.
 *
 * A frame can hold several views, see #GstStereoView:layout: two for a 3D
 * display or for coloured glasses, or a quilt of many for a holographic one.
 * What is shown may change from frame to frame, also by a control source.
 *
 * Each request pad `view_%u` gives one more view of the same frame, as `src`
 * does in layout `mono`, from the pad's own `position`, which can be controlled
 * too. One thread serves all source pads, so each branch behind them wants a
 * queue; what is not linked is not rendered.
 *
 * Buffers carry a `GstStereoViewMeta` with `position`, `separation`,
 * `convergence`, `layout` and `views`.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=left pattern=planes num-disparities=32 num-buffers=10 ! tee name=l stereotestsrc view=right pattern=planes num-disparities=32 num-buffers=10 ! tee name=r l. ! queue ! m.sink_left r. ! queue ! m.sink_right stereobfv name=m num-disparities=32 ! v.sink_disparity l. ! queue ! v.sink_left r. ! queue ! v.sink_right stereoview name=v position=0.5 ! videoconvert ! autovideosink
 * ]| Shows the view from the middle between two cameras.
 * |[
 * gst-launch-1.0 stereotestsrc view=left pattern=corridor num-buffers=10 ! video/x-raw,format=RGB ! v.sink_left stereotestsrc view=disparity pattern=corridor num-buffers=10 ! v.sink_disparity stereoview name=v layout=anaglyph separation=0.6 convergence=20 ! videoconvert ! autovideosink
 * ]| Makes pictures for red and cyan glasses of one view and its disparities.
 * |[
 * gst-launch-1.0 stereotestsrc view=left pattern=sphere num-buffers=10 ! v.sink_left stereotestsrc view=disparity pattern=sphere num-buffers=10 ! v.sink_disparity stereoview name=v position=0.1 view_0::position=0.3 view_1::position=0.5 v.src ! queue ! videoconvert ! autovideosink v.view_0 ! queue ! videoconvert ! autovideosink v.view_1 ! queue ! videoconvert ! autovideosink
 * ]| Shows three views of each frame, each as a stream of its own.
 *
 * Since: 0.1
 */

#include "base/gststereodevice.h"
#include "base/gststereoframe.h"
#include "base/gststereogate.h"
#include "base/gststereometa.h"
#include "base/gststereoparams.h"
#include "base/gststereopool.h"
#include "base/gststereotags.h"
#include "base/gststereoviewmeta.h"
#include "core/image.h"
#include "elements/gststereoelements.h"
#include "elements/gststereoviewpad.h"
#include "geometry/view.h"
#include "pair/gststereoinput.h"
#include "pair/gststereopair.h"
#include "pair/gststereotriple.h"

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_stereo_view_debug);
#define GST_CAT_DEFAULT gst_stereo_view_debug

#define GST_TYPE_STEREO_VIEW (gst_stereo_view_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoView, gst_stereo_view, GST, STEREO_VIEW,
    GstAggregator)

#define DEFAULT_SYNC_TOLERANCE GST_CLOCK_TIME_NONE
#define DEFAULT_QOS TRUE

enum
{
  LEFT,
  RIGHT,
  MAP,
  N_INPUTS
};

static const gchar *const names[N_INPUTS] = { "sink_left", "sink_right",
  "sink_disparity"
};

enum
{
  PROP_0,
  PROP_SYNC_TOLERANCE,
  PROP_QOS,
  PROP_STATS,
  PROP_DEVICE,                  /* and the others of the device */
  PROP_TABLE = PROP_DEVICE + GST_STEREO_DEVICE_N_PROPS
};

typedef struct
{
  guint64 rendered;
  guint64 unused[2];            /* left and right images without a map */
  guint64 unpaired;             /* maps without their images */
  guint64 qos_dropped;
} Counters;

/* What a runner is configured for. */
typedef struct
{
  StereoPortSetup inputs[N_INPUTS];     /* as the operation has them */
  StereoPortSetup output;
  gint layout;
  guint columns;
  guint rows;
} Setup;

typedef struct
{
  StereoRunner *runner;         /* changed under the object lock, used by the
                                 * streaming thread */
  gboolean configured;
  Setup setup;
} Renderer;

/* Of frames of any layout, and of single views where that is another one. */
enum
{
  FRAMES,
  SINGLE,
  N_RENDERERS
};

struct _GstStereoView
{
  GstAggregator parent;

  GstStereoFailure failure;
  GstStereoGate gate;

  /* Under the object lock. */
  GstAggregatorPad *sink[N_INPUTS];     /* that of RIGHT may be NULL */
  StereoViewParams params;
  GstClockTime sync_tolerance;
  gboolean qos;
  GstStereoQos qos_of_src;
  Counters counters;
  GstVideoInfo info[N_INPUTS];
  gboolean has_info[N_INPUTS];
  GstStereoDevice device;
  GPtrArray *views;             /* GstStereoViewPad, see there */

  /* The streaming thread's own. */
  Renderer renderers[N_RENDERERS];
  GstVideoInfo out_info;
  gboolean negotiated;
  StereoViewParams shape;       /* whose layout the source caps have */
  GstStereoTags tags;           /* of the maps */
  gboolean warned;
  gboolean discont;
};

static void gst_stereo_view_child_proxy_init (gpointer interface,
    gpointer data);

G_DEFINE_TYPE_WITH_CODE (GstStereoView, gst_stereo_view, GST_TYPE_AGGREGATOR,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY,
        gst_stereo_view_child_proxy_init);
    GST_DEBUG_CATEGORY_INIT (gst_stereo_view_debug, "stereoview", 0,
        "Views from between the cameras"));

GST_ELEMENT_REGISTER_DEFINE (stereoview, "stereoview", GST_RANK_NONE,
    GST_TYPE_STEREO_VIEW);

#define VIEW_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, NV16, Y42B, Y444, " \
    "YUY2, UYVY, YVYU, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, " \
    "ABGR }"
#define SIZE_RANGE "(int) [ 1, 16384 ]"
#define VIEW_CAPS(formats) "video/x-raw, format = (string) " formats ", " \
    "width = " SIZE_RANGE ", height = " SIZE_RANGE ", " \
    "framerate = " GST_VIDEO_FPS_RANGE

static GstStaticPadTemplate left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (VIEW_CAPS (VIEW_FORMATS)));

static GstStaticPadTemplate right_template =
GST_STATIC_PAD_TEMPLATE ("sink_right", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (VIEW_CAPS (VIEW_FORMATS)));

static GstStaticPadTemplate map_template =
GST_STATIC_PAD_TEMPLATE ("sink_disparity", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (VIEW_CAPS ("{ GRAY16_LE, GRAY8 }")));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (VIEW_CAPS (VIEW_FORMATS)));

static GstStaticPadTemplate view_template =
GST_STATIC_PAD_TEMPLATE ("view_%u", GST_PAD_SRC, GST_PAD_REQUEST,
    GST_STATIC_CAPS (VIEW_CAPS (VIEW_FORMATS)));

#define PARENT GST_AGGREGATOR_CLASS (gst_stereo_view_parent_class)

/* ------------------------------------------------------------------- device */

static gboolean
open_device (GstElement * element, StereoDevice * device, StereoMessage * why)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  Renderer renderers[N_RENDERERS] = { {NULL}, };

  for (gint i = 0; i < N_RENDERERS; i++) {
    if (stereo_runner_new (&stereo_view_op, device, &renderers[i].runner, why)
        != STEREO_OK) {
      while (i-- > 0)
        stereo_runner_free (&renderers[i].runner);
      return FALSE;
    }
  }
  GST_OBJECT_LOCK (self);
  memcpy (self->renderers, renderers, sizeof (renderers));
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static void
close_device (GstElement * element)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  Renderer renderers[N_RENDERERS];

  GST_OBJECT_LOCK (self);
  memcpy (renderers, self->renderers, sizeof (renderers));
  memset (self->renderers, 0, sizeof (self->renderers));
  GST_OBJECT_UNLOCK (self);
  for (gint i = 0; i < N_RENDERERS; i++)
    stereo_runner_free (&renderers[i].runner);
}

static const GstStereoDeviceUser device_user = {
  .open = open_device,
  .close = close_device,
};

/* --------------------------------------------------------------------- pads */

/* A reference to the pad of an input, or NULL. */
static GstAggregatorPad *
get_pad (GstStereoView * self, gint input)
{
  GstAggregatorPad *pad;

  GST_OBJECT_LOCK (self);
  pad = self->sink[input] != NULL ? gst_object_ref (self->sink[input]) : NULL;
  GST_OBJECT_UNLOCK (self);
  return pad;
}

static gint
input_of (GstStereoView * self, GstAggregatorPad * pad)
{
  gint input = LEFT;

  GST_OBJECT_LOCK (self);
  while (input < N_INPUTS && self->sink[input] != pad)
    input++;
  GST_OBJECT_UNLOCK (self);
  return input;
}

/* What a reader of a view asks for. */
static gboolean view_event (GstPad * pad, GstObject * parent,
    GstEvent * event);

static GstAggregatorPad *
new_sink_pad (GstStereoView * self, gint input)
{
  GstPadTemplate *template = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), names[input]);

  return g_object_new (GST_TYPE_AGGREGATOR_PAD, "name", names[input],
      "direction", GST_PAD_SINK, "template", template, NULL);
}

static GstAggregatorPad *
gst_stereo_view_create_new_pad (GstAggregator * aggregator,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  GstAggregatorPad *pad = NULL;

  if (strcmp (GST_PAD_TEMPLATE_NAME_TEMPLATE (template), names[RIGHT]) != 0)
    return NULL;
  GST_OBJECT_LOCK (self);
  if (self->sink[RIGHT] == NULL)
    pad = self->sink[RIGHT] = new_sink_pad (self, RIGHT);
  GST_OBJECT_UNLOCK (self);
  return pad;
}

static GstPad *
gst_stereo_view_request_new_pad (GstElement * element,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  if (GST_PAD_TEMPLATE_DIRECTION (template) == GST_PAD_SRC)
    return gst_stereo_view_pads_request (GST_STEREO_VIEW (element)->views,
        element, template, name, view_event);
  return GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->request_new_pad
      (element, template, name, caps);
}

static void
gst_stereo_view_release_pad (GstElement * element, GstPad * pad)
{
  GstStereoView *self = GST_STEREO_VIEW (element);

  if (GST_IS_STEREO_VIEW_PAD (pad)) {
    gst_stereo_view_pads_release (self->views, element, &self->gate,
        GST_STEREO_VIEW_PAD (pad));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (self->sink[RIGHT] == GST_AGGREGATOR_PAD (pad)) {
    self->sink[RIGHT] = NULL;
    self->has_info[RIGHT] = FALSE;
  }
  GST_OBJECT_UNLOCK (self);
  GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->release_pad (element, pad);
}

/* --------------------------------------------------------------------- caps */

static gboolean
take_caps (GstStereoView * self, gint input, GstCaps * caps)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps)) {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("%s can't take what comes in: it is no raw video.", names[input]),
        ("caps %" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  self->info[input] = info;
  self->has_info[input] = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (input == LEFT)
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
  return TRUE;
}

/* Whatever the template has, but first what goes with the left view. */
static GstCaps *
sink_caps (GstStereoView * self, GstPad * pad, GstCaps * filter)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (pad), *preferred;
  gint input = input_of (self, GST_AGGREGATOR_PAD (pad));
  GstVideoInfo info;
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = input == RIGHT && self->has_info[LEFT];
  info = self->info[LEFT];
  GST_OBJECT_UNLOCK (self);
  if (known) {
    preferred = gst_caps_copy (caps);
    gst_caps_set_simple (preferred,
        "format", G_TYPE_STRING, GST_VIDEO_INFO_NAME (&info),
        "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (&info),
        "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (&info), NULL);
    caps = gst_caps_merge (preferred, caps);
  }
  if (filter != NULL) {
    preferred = gst_caps_intersect_full (caps, filter,
        GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (caps);
    caps = preferred;
  }
  return caps;
}

static gboolean
gst_stereo_view_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return PARENT->sink_query (aggregator, pad, query);
  gst_query_parse_caps (query, &caps);
  caps = sink_caps (GST_STEREO_VIEW (aggregator), GST_PAD (pad), caps);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

/* What GStreamer calls a layout; NONE: it has no word for it. */
static GstVideoMultiviewMode
multiview_mode (gint layout)
{
  switch (layout) {
    case STEREO_VIEW_SIDE_BY_SIDE:
      return GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE;
    case STEREO_VIEW_TOP_BOTTOM:
      return GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM;
    case STEREO_VIEW_ROW_INTERLEAVED:
      return GST_VIDEO_MULTIVIEW_MODE_ROW_INTERLEAVED;
    case STEREO_VIEW_COLUMN_INTERLEAVED:
      return GST_VIDEO_MULTIVIEW_MODE_COLUMN_INTERLEAVED;
    case STEREO_VIEW_CHECKERBOARD:
      return GST_VIDEO_MULTIVIEW_MODE_CHECKERBOARD;
    default:
      return GST_VIDEO_MULTIVIEW_MODE_NONE;
  }
}

static GstCaps *
make_src_caps (const GstVideoInfo * left, const StereoViewParams * params)
{
  GstVideoMultiviewMode mode = multiview_mode (params->layout);
  GstCaps *caps = gst_video_info_to_caps (left);
  gint width, height;

  stereo_view_frame_size (params, GST_VIDEO_INFO_WIDTH (left),
      GST_VIDEO_INFO_HEIGHT (left), &width, &height);
  gst_caps_set_simple (caps, "width", G_TYPE_INT, width, "height", G_TYPE_INT,
      height, NULL);
  gst_structure_remove_fields (gst_caps_get_structure (caps, 0),
      "multiview-mode", "multiview-flags", NULL);
  if (mode != GST_VIDEO_MULTIVIEW_MODE_NONE)
    gst_caps_set_simple (caps, "multiview-mode", G_TYPE_STRING,
        gst_video_multiview_mode_to_caps_string (mode), NULL);
  /* of an interleaved frame an eye has half the rows or columns */
  if (params->layout >= STEREO_VIEW_ROW_INTERLEAVED
      && params->layout <= STEREO_VIEW_CHECKERBOARD)
    gst_caps_set_simple (caps, "multiview-flags",
        GST_TYPE_VIDEO_MULTIVIEW_FLAGSET,
        GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT, GST_FLAG_SET_MASK_EXACT, NULL);
  return caps;
}

static StereoViewParams
get_params (GstStereoView * self)
{
  StereoViewParams params;

  GST_OBJECT_LOCK (self);
  params = self->params;
  GST_OBJECT_UNLOCK (self);
  return params;
}

static gboolean
same_shape (const StereoViewParams * a, const StereoViewParams * b)
{
  return a->layout == b->layout && (a->layout != STEREO_VIEW_QUILT
      || (a->columns == b->columns && a->rows == b->rows));
}

static GstFlowReturn
gst_stereo_view_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  StereoViewParams params = get_params (self);
  GstVideoInfo left;
  gboolean known;
  GstCaps *caps, *template;
  gchar *text;

  GST_OBJECT_LOCK (self);
  known = self->has_info[LEFT];
  left = self->info[LEFT];
  GST_OBJECT_UNLOCK (self);
  /* aggregate() asks again when it has all that a frame needs */
  if (!known)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  caps = make_src_caps (&left, &params);
  template = gst_pad_get_pad_template_caps (aggregator->srcpad);
  text = gst_caps_to_string (caps);
  if (!gst_caps_is_subset (caps, template))
    GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION,
        ("Frames of the layout %s would be %s: width and height go to %d; "
            "put videoscale before the element, or make the quilt smaller.",
            stereo_view_layout_values[params.layout].nick, text,
            STEREO_MAX_SIZE), (NULL));
  else if (!gst_caps_can_intersect (caps, downstream))
    GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION,
        ("What follows can't take %s: frames have the format of the left view "
            "and the size that the layout makes of it (put videoconvert or "
            "videoscale behind the element).", text),
        ("downstream takes %" GST_PTR_FORMAT, downstream));
  else
    *result = gst_caps_ref (caps);
  self->shape = params;
  g_free (text);
  gst_caps_unref (template);
  gst_caps_unref (caps);
  return gst_stereo_failure_posted (&self->failure) ? GST_FLOW_NOT_NEGOTIATED
      : GST_FLOW_OK;
}

static gboolean
gst_stereo_view_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  self->negotiated = gst_video_info_from_caps (&self->out_info, caps);
  return self->negotiated
      && PARENT->negotiated_src_caps (aggregator, caps);
}

static gboolean
gst_stereo_view_decide_allocation (GstAggregator * aggregator,
    GstQuery * query)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  if (gst_stereo_pool_decide (&self->out_info, query, self->device.allocator))
    return TRUE;
  GST_STEREO_FAIL (&self->failure, RESOURCE, SETTINGS,
      ("There is no buffer pool for views."), (NULL));
  return FALSE;
}

static gboolean
gst_stereo_view_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query)
{
  gst_stereo_pool_propose (query, GST_STEREO_VIEW (aggregator)
      ->device.allocator, 1);
  return TRUE;
}

/* ------------------------------------------------------------------- events */

static void
reset_qos (GstStereoView * self)
{
  const GstStereoQos none = { GST_CLOCK_TIME_NONE, 1.0 };

  GST_OBJECT_LOCK (self);
  self->qos_of_src = none;
  for (guint i = 0; i < self->views->len; i++)
    GST_STEREO_RESULT_PAD (self->views->pdata[i])->qos = none;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_stereo_view_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  gint input = input_of (self, pad);
  const GstSegment *segment;
  GstCaps *caps;
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      if (input == N_INPUTS)
        break;
      gst_event_parse_caps (event, &caps);
      ok = take_caps (self, input, caps);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (segment->format != GST_FORMAT_TIME) {
        GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
            ("%s has a segment in %s, but images and maps are put together by "
                "time; put an element before it that knows when an image is "
                "shown.", GST_PAD_NAME (pad),
                gst_format_get_name (segment->format)), (NULL));
        gst_event_unref (event);
        return FALSE;
      }
      if (input == LEFT) {
        gst_aggregator_update_segment (aggregator, segment);
        reset_qos (self);
      }
      break;
    case GST_EVENT_STREAM_START:
      if (input == MAP)
        gst_stereo_tags_clear (&self->tags);
      break;
    case GST_EVENT_TAG:
      if (input == MAP)
        event = gst_stereo_tags_take (&self->tags, event);
      if (event == NULL)
        return TRUE;
      break;
    case GST_EVENT_GAP:
      if (!gst_stereo_has_segment (pad)) {
        gst_event_unref (event);
        return TRUE;
      }
      break;
    default:
      break;
  }
  return PARENT->sink_event (aggregator, pad, event);
}

/* The end of one input waits in its queue for the others, which never come
 * where they are not linked. */
static GstFlowReturn
gst_stereo_view_sink_event_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  for (gint i = 0; GST_EVENT_TYPE (event) == GST_EVENT_EOS && i < N_INPUTS;
      i++) {
    GstAggregatorPad *other = get_pad (self, i);

    if (other != NULL && !gst_pad_is_linked (GST_PAD (other)))
      GST_STEREO_FAIL (&self->failure, CORE, PAD,
          ("The video on %s has ended, and %s is not linked.",
              GST_PAD_NAME (pad), names[i]), (NULL));
    gst_clear_object (&other);
  }
  return PARENT->sink_event_pre_queue (aggregator, pad, event);
}

static gboolean
gst_stereo_view_sink_query_pre_queue (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  /* GstAggregator would wait for a thread that is not there. */
  if (GST_QUERY_IS_SERIALIZED (query) && !gst_pad_is_active (GST_PAD (pad)))
    return FALSE;
  return PARENT->sink_query_pre_queue (aggregator, pad, query);
}

/* What downstream of one source pad wants of the views. */
static gboolean
take_event (GstStereoView * self, GstStereoQos * qos, GstEvent * event)
{
  GstClockTime timestamp;
  GstClockTimeDiff diff;
  gdouble proportion;

  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    gst_event_parse_qos (event, NULL, &proportion, &diff, &timestamp);
    GST_OBJECT_LOCK (self);
    qos->proportion = proportion;
    qos->earliest_time = !GST_CLOCK_TIME_IS_VALID (timestamp)
        ? GST_CLOCK_TIME_NONE : diff < 0
        && timestamp < (GstClockTime) - diff ? 0 : timestamp
        + (diff > 0 ? 2 * diff : diff);
    GST_OBJECT_UNLOCK (self);
  }
  return PARENT->src_event (GST_AGGREGATOR (self), event);
}

static gboolean
gst_stereo_view_src_event (GstAggregator * aggregator, GstEvent * event)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  return take_event (self, &self->qos_of_src, event);
}

/* The base class knows a seek that comes to several pads for one. */
static gboolean
view_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  return take_event (GST_STEREO_VIEW (parent),
      &GST_STEREO_RESULT_PAD (pad)->qos, event);
}

/* The one who needs a frame soonest counts, if anyone is there at all.  With
 * the object lock held. */
static GstStereoQos
get_qos (GstStereoView * self)
{
  GstStereoQos qos = self->qos_of_src;
  gboolean linked = gst_pad_is_linked (GST_AGGREGATOR_SRC_PAD (self));

  for (guint i = 0; i < self->views->len; i++) {
    GstStereoResultPad *pad = self->views->pdata[i];

    if (!gst_pad_is_linked (GST_PAD (pad)))
      continue;
    if (!linked || !GST_CLOCK_TIME_IS_VALID (pad->qos.earliest_time)
        || (GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
            && pad->qos.earliest_time < qos.earliest_time))
      qos = pad->qos;
    linked = TRUE;
  }
  return qos;
}

static GstPadProbeReturn
look_at_src_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstStereoView *self = GST_STEREO_VIEW (user_data);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  GstEventType type = GST_EVENT_TYPE (event);

  if (type == GST_EVENT_FLUSH_START)
    gst_stereo_gate_close (&self->gate, GST_STEREO_GATE_FLUSHING);
  else if (type == GST_EVENT_FLUSH_STOP)
    gst_stereo_gate_open (&self->gate, GST_STEREO_GATE_FLUSHING);
  if (type == GST_EVENT_FLUSH_START || type == GST_EVENT_FLUSH_STOP
      || type == GST_EVENT_EOS)
    gst_stereo_view_pads_follow (self->views, GST_ELEMENT_CAST (self), pad,
        event);
  return GST_PAD_PROBE_OK;
}

/* ------------------------------------------------------------------ pairing */

static void
drop (GstStereoView * self, GstStereoInput * heads, gint input)
{
  GstBuffer *buffer = heads[input].buffer;

  if (input != MAP) {
    GST_LOG_OBJECT (heads[input].pad, "no map of %" GST_PTR_FORMAT, buffer);
    GST_OBJECT_LOCK (self);
    self->counters.unused[input] += !gst_stereo_is_gap (buffer);
    GST_OBJECT_UNLOCK (self);
  } else if (!gst_stereo_is_gap (buffer)) {
    GstStereoHead head = gst_stereo_input_head (&heads[MAP]);
    guint64 dropped;

    self->discont = TRUE;
    GST_OBJECT_LOCK (self);
    dropped = ++self->counters.unpaired;
    GST_OBJECT_UNLOCK (self);
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_element (GST_OBJECT_CAST (self),
            gst_structure_new ("stereo-unpaired",
                "view", G_TYPE_STRING, "disparity",
                "pts", G_TYPE_UINT64, head.pts,
                "running-time", G_TYPE_UINT64, head.time,
                "dropped", G_TYPE_UINT64, dropped,
                "reason", G_TYPE_STRING, "an image of it is not there", NULL)));
  }
  gst_aggregator_pad_drop_buffer (heads[input].pad);
}

static GstStereoTriple
decide (GstStereoView * self, const GstStereoInput * heads)
{
  GstStereoHead left = gst_stereo_input_head (&heads[LEFT]);
  GstStereoHead right = gst_stereo_input_head (&heads[RIGHT]);
  GstStereoMapHead map = {.head = gst_stereo_input_head (&heads[MAP]) };
  GstStereoDisparity meta;
  GstClockTime tolerance;
  GstVideoInfo info[N_INPUTS];

  if (gst_stereo_meta_get (heads[MAP].buffer, &meta)) {
    map.knows = TRUE;
    map.left_pts = meta.left_pts;
    map.right_pts = meta.right_pts;
  }
  GST_OBJECT_LOCK (self);
  tolerance = self->sync_tolerance;
  memcpy (info, self->info, sizeof (info));
  GST_OBJECT_UNLOCK (self);
  tolerance = gst_stereo_tolerance (tolerance,
      gst_stereo_input_duration (&info[LEFT], left.duration),
      gst_stereo_input_duration (&info[MAP], map.head.duration));
  return gst_stereo_triple (&map, &left, &right, tolerance,
      heads[LEFT].segment.rate < 0);
}

/* ------------------------------------------------------------------- frames */

/* What the codes of a map mean. */
static gboolean
read_meta (GstStereoView * self, GstBuffer * buffer, StereoViewParams * params)
{
  GstStereoDisparity meta;
  GstVideoInfo info;
  GstCustomMeta *custom;
  const gchar *view;

  GST_OBJECT_LOCK (self);
  info = self->info[MAP];
  GST_OBJECT_UNLOCK (self);
  if (!gst_stereo_tags_get_disparity (&self->tags, buffer, &info, &meta)) {
    if (!self->warned)
      GST_ELEMENT_WARNING (self, STREAM, FORMAT,
          ("The maps don't say what their codes mean: assuming %g codes for a "
              "pixel from %d pixels on, and %d for none; set disparity-scale, "
              "min-disparity and invalid-value.", params->scale,
              params->minimum, params->invalid_value), (NULL));
    self->warned = TRUE;
    return TRUE;
  }
  custom = gst_buffer_get_custom_meta (buffer, GST_STEREO_DISPARITY_META);
  view = custom == NULL ? NULL : gst_structure_get_string
      (gst_custom_meta_get_structure (custom), "reference-view");
  if (meta.result != STEREO_RESULT_DISPARITY) {
    GST_STEREO_FAIL (&self->failure, STREAM, WRONG_TYPE,
        ("sink_disparity gets a map of the result '%s': it needs disparities, "
            "which are on the pad src of a matcher.",
            stereo_result_name (meta.result)), (NULL));
    return FALSE;
  }
  if (view != NULL && strcmp (view, "left") != 0) {
    GST_STEREO_FAIL (&self->failure, STREAM, WRONG_TYPE,
        ("sink_disparity gets a map of the %s view: it needs one of the left "
            "view.", view), (NULL));
    return FALSE;
  }
  params->scale = meta.disparity_scale;
  params->minimum = meta.min_disparity;
  params->invalid_value = meta.invalid_value > 65535 ? -1
      : (gint) meta.invalid_value;
  if (params->scale < 1.0 / 64 || params->scale > 65536) {
    GST_STEREO_FAIL (&self->failure, STREAM, WRONG_TYPE,
        ("The map has %g codes for a pixel: 1/64 to 65536 can be used.",
            params->scale), (NULL));
    return FALSE;
  }
  if (params->minimum < -16384 || params->minimum > 16384) {
    GST_STEREO_FAIL (&self->failure, STREAM, WRONG_TYPE,
        ("The map begins at a disparity of %d: -16384 to 16384 can be used.",
            meta.min_disparity), (NULL));
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_inputs (GstStereoView * self, const GstVideoInfo info[N_INPUTS],
    gboolean both)
{
  const GstVideoInfo *left = &info[LEFT], *right = &info[RIGHT];
  const GstVideoInfo *map = &info[MAP];

  if (both && (GST_VIDEO_INFO_FORMAT (left) != GST_VIDEO_INFO_FORMAT (right)
          || GST_VIDEO_INFO_WIDTH (left) != GST_VIDEO_INFO_WIDTH (right)
          || GST_VIDEO_INFO_HEIGHT (left) != GST_VIDEO_INFO_HEIGHT (right))) {
    GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION,
        ("The views differ: sink_left has %s of %dx%d, sink_right %s of "
            "%dx%d. They have to be equal; put videoconvert and videoscale "
            "before one of them.", GST_VIDEO_INFO_NAME (left),
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left),
            GST_VIDEO_INFO_NAME (right), GST_VIDEO_INFO_WIDTH (right),
            GST_VIDEO_INFO_HEIGHT (right)), (NULL));
    return FALSE;
  }
  if (stereo_view_map_factor (GST_VIDEO_INFO_WIDTH (left),
          GST_VIDEO_INFO_HEIGHT (left), GST_VIDEO_INFO_WIDTH (map),
          GST_VIDEO_INFO_HEIGHT (map)) == 0) {
    GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION,
        ("The map on sink_disparity has %dx%d: for views of %dx%d it has to "
            "have their size, or that divided by 2, 3, ... or 8 and rounded "
            "up.", GST_VIDEO_INFO_WIDTH (map), GST_VIDEO_INFO_HEIGHT (map),
            GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left)),
        (NULL));
    return FALSE;
  }
  return TRUE;
}

static StereoPortSetup
port_setup (const StereoImage * image)
{
  const StereoFormatInfo *info = stereo_format_info (image->format);
  StereoPortSetup setup = { image->format, image->width, image->height,
    stereo_format_planes (info, stereo_format_is_color (info))
  };

  return setup;
}

/* A view that goes out, or what src shows. */
typedef struct
{
  GstStereoViewPad *pad;        /* a reference; NULL for src */
  StereoViewParams params;
  const GstVideoInfo *info;
  GstBuffer *buffer;            /* NULL: it is not wanted after all */
  GstStereoFrame target;
} View;

/* What it takes to make all that goes out with a frame. */
typedef struct
{
  GstStereoInput *heads;        /* one for each input */
  GstVideoInfo info[N_INPUTS];
  GstStereoFrame inputs[N_INPUTS];
  View *views;                  /* that of src first */
  guint n_views;
} Frame;

static gboolean
configure (GstStereoView * self, Renderer * renderer, const Setup * setup,
    const StereoViewParams * params)
{
  StereoStatus status;
  StereoMessage *message;

  do {
    status = stereo_runner_configure (renderer->runner, setup->inputs,
        &setup->output, params);
    message = stereo_runner_message (renderer->runner);
    if (status == STEREO_ERROR_ARGUMENT) {
      GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION, ("%s.",
              message->text), (NULL));
      break;
    }
  } while (status != STEREO_OK && gst_stereo_device_fall_back (&self->device,
          status, message->text));
  renderer->setup = *setup;
  renderer->configured = status == STEREO_OK;
  return renderer->configured;
}

static Renderer *
renderer_of (GstStereoView * self, const Frame * frame, const View * view)
{
  return &self->renderers[view->params.layout == frame->views[0].params.layout
      ? FRAMES : SINGLE];
}

static gboolean
prepare (GstStereoView * self, const Frame * frame, const View * view)
{
  Renderer *renderer = renderer_of (self, frame, view);
  Setup setup;

  memset (&setup, 0, sizeof (setup));
  setup.inputs[0] = setup.inputs[1] = port_setup (&frame->inputs[LEFT].image);
  setup.inputs[2] = port_setup (&frame->inputs[MAP].image);
  setup.output = port_setup (&view->target.image);
  setup.layout = view->params.layout;
  setup.columns = view->params.columns;
  setup.rows = view->params.rows;
  return (renderer->configured
      && memcmp (&setup, &renderer->setup, sizeof (setup)) == 0)
      || configure (self, renderer, &setup, &view->params);
}

static gboolean
prepare_all (GstStereoView * self, const Frame * frame)
{
  gboolean ok = TRUE;

  /* once more if the last one had to go back to the CPU */
  do {
    for (guint i = 0; i < frame->n_views && ok; i++)
      ok = frame->views[i].buffer == NULL
          || prepare (self, frame, &frame->views[i]);
  } while (ok && !self->renderers[FRAMES].configured);
  return ok;
}

/* Renders what is mapped. */
static gboolean
render (GstStereoView * self, const Frame * frame)
{
  const StereoImage *inputs[] = { &frame->inputs[LEFT].image,
    frame->heads[RIGHT].buffer != NULL ? &frame->inputs[RIGHT].image : NULL,
    &frame->inputs[MAP].image
  };
  Renderer *failed = NULL;

  if (!prepare_all (self, frame))
    return FALSE;
  for (guint i = 0; i < frame->n_views && failed == NULL; i++) {
    const View *view = &frame->views[i];
    const StereoImage *output = &view->target.image;
    Renderer *renderer = renderer_of (self, frame, view);

    if (view->buffer != NULL
        && (stereo_view_set_params (renderer->runner, &view->params)
            != STEREO_OK || stereo_runner_process (renderer->runner, inputs,
                &output, NULL) != STEREO_OK))
      failed = renderer;
  }
  for (gint i = 0; i < N_RENDERERS; i++) {
    if (self->renderers[i].configured
        && stereo_runner_sync (self->renderers[i].runner) != STEREO_OK)
      failed = &self->renderers[i];
  }
  if (failed != NULL)
    GST_STEREO_FAIL (&self->failure, LIBRARY, FAILED, ("The view failed: %s.",
            stereo_runner_message (failed->runner)->text), (NULL));
  return failed == NULL;
}

static gboolean
map_frame (GstStereoView * self, Frame * frame)
{
  StereoMessage why = { "" };

  for (gint i = 0; i < N_INPUTS; i++) {
    if (frame->heads[i].buffer != NULL
        && !gst_stereo_frame_map (&frame->inputs[i], &frame->info[i],
            frame->heads[i].buffer, GST_MAP_READ, self->device.device,
            &why)) {
      GST_STEREO_FAIL (&self->failure, RESOURCE, READ,
          ("A buffer on %s %s.", names[i], why.text), (NULL));
      return FALSE;
    }
  }
  for (guint i = 0; i < frame->n_views; i++) {
    View *view = &frame->views[i];

    if (view->buffer != NULL && !gst_stereo_frame_map (&view->target,
            view->info, view->buffer, GST_MAP_WRITE, self->device.device,
            &why)) {
      GST_STEREO_FAIL (&self->failure, RESOURCE, WRITE,
          ("The buffer that downstream provides %s.", why.text), (NULL));
      return FALSE;
    }
  }
  return TRUE;
}

static void
unmap_frame (Frame * frame)
{
  for (gint i = 0; i < N_INPUTS; i++) {
    if (frame->inputs[i].frame.buffer != NULL)
      gst_stereo_frame_unmap (&frame->inputs[i]);
  }
  for (guint i = 0; i < frame->n_views; i++) {
    if (frame->views[i].target.frame.buffer != NULL)
      gst_stereo_frame_unmap (&frame->views[i].target);
  }
}

static void
describe_view (GstStereoView * self, GstBuffer * left, View * view)
{
  const StereoViewParams *params = &view->params;
  const guint n = (guint) stereo_view_count (params);
  const GstStereoViewDescription description = {
    .position = params->position,
    .separation = n > 1 ? params->separation : 0,
    .convergence = params->convergence,
    .layout = stereo_view_layout_values[params->layout].nick,
    .views = n,
  };
  GstBuffer *out = view->buffer;

  gst_buffer_copy_into (out, left, GST_BUFFER_COPY_FLAGS
      | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  GST_BUFFER_FLAG_UNSET (out, GST_BUFFER_FLAG_GAP);
  if (self->discont || (view->pad != NULL && view->pad->parent.discont))
    GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DISCONT);
  if (view->pad != NULL)
    view->pad->parent.discont = FALSE;
  gst_stereo_view_meta_add (out, &description);
}

/* A buffer of the pool, which it takes, for a view_%u, or for `src`. */
static GstFlowReturn
acquire (GstStereoView * self, GstBufferPool * pool, GstPad * pad,
    GstBuffer ** out)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool != NULL && gst_buffer_pool_set_active (pool, TRUE))
    flow = gst_stereo_gate_acquire (&self->gate, pool, pad, out);
  gst_clear_object (&pool);
  if (flow == GST_FLOW_ERROR)
    GST_STEREO_FAIL (&self->failure, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for views."), (NULL));
  return flow;
}

/* Caps and memory of a pad view_%u. */
static GstFlowReturn
negotiate (GstStereoView * self, GstStereoResultPad * pad,
    const GstVideoInfo * left, const StereoViewParams * params)
{
  gboolean asked = gst_pad_check_reconfigure (GST_PAD (pad));
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  GstCaps *caps = make_src_caps (left, params), *downstream;
  gboolean same = current != NULL && gst_caps_is_equal (current, caps);
  GstFlowReturn flow = GST_FLOW_NOT_NEGOTIATED;
  gchar *text = NULL;

  if (same && !asked && pad->pool != NULL
      && pad->pool_device == self->device.device) {
    flow = GST_FLOW_OK;
    goto done;
  }
  downstream = gst_pad_peer_query_caps (GST_PAD (pad), caps);
  if (!gst_caps_can_intersect (caps, downstream)) {
    text = gst_caps_to_string (caps);
    GST_STEREO_FAIL (&self->failure, CORE, NEGOTIATION,
        ("What follows %s can't take %s: views have the format and the size of "
            "the left one (put videoconvert or videoscale behind the "
            "element).", GST_PAD_NAME (pad), text),
        ("downstream takes %" GST_PTR_FORMAT, downstream));
  } else if (gst_video_info_from_caps (&pad->info, caps)) {
    gst_stereo_result_pad_start (pad, GST_AGGREGATOR_SRC_PAD (self),
        same ? NULL : caps);
    flow = GST_FLOW_OK;
    if (!gst_stereo_result_pad_allocate (pad, caps, self->device.allocator,
            self->device.device)) {
      GST_STEREO_FAIL (&self->failure, RESOURCE, SETTINGS,
          ("There is no buffer pool for views."), (NULL));
      flow = GST_FLOW_ERROR;
    }
  }
  if (flow != GST_FLOW_OK)
    gst_pad_mark_reconfigure (GST_PAD (pad));
  gst_caps_unref (downstream);
done:
  g_free (text);
  gst_caps_unref (caps);
  gst_clear_caps (&current);
  return flow;
}

static GstFlowReturn
open_view (GstStereoView * self, Frame * frame, View * view)
{
  GstStereoResultPad *pad = &view->pad->parent;
  GstFlowReturn flow = GST_FLOW_FLUSHING;

  view->info = &pad->info;
  if (gst_stereo_result_pad_is_wanted (pad))
    flow = negotiate (self, pad, &frame->info[LEFT], &view->params);
  if (flow == GST_FLOW_OK)
    flow = acquire (self, gst_object_ref (pad->pool), GST_PAD (pad),
        &view->buffer);
  if (view->buffer == NULL)
    pad->discont = TRUE;
  /* It may have been released while its buffer was waited for. */
  return flow == GST_FLOW_FLUSHING && !gst_stereo_result_pad_is_wanted (pad)
      ? GST_FLOW_OK : flow;
}

/* Buffers for all views that somebody waits for.  There may be some even if it
 * fails. */
static GstFlowReturn
open_views (GstStereoView * self, Frame * frame,
    const StereoViewParams * params, GstClockTime time)
{
  GPtrArray *pads = gst_stereo_view_pads_get (self->views,
      GST_ELEMENT_CAST (self));
  GstFlowReturn flow;

  frame->n_views = 1 + pads->len;
  frame->views = g_new0 (View, frame->n_views);
  frame->views[0].params = *params;
  frame->views[0].info = &self->out_info;
  flow = acquire (self, gst_aggregator_get_buffer_pool (GST_AGGREGATOR (self)),
      NULL, &frame->views[0].buffer);
  for (guint i = 0; i < pads->len; i++) {
    View *view = &frame->views[1 + i];

    view->pad = gst_object_ref (pads->pdata[i]);
    view->params = *params;
    view->params.layout = STEREO_VIEW_MONO;
    view->params.position = gst_stereo_view_pad_get_position (view->pad, time);
    if (flow == GST_FLOW_OK)
      flow = open_view (self, frame, view);
  }
  g_ptr_array_unref (pads);
  return flow;
}

static void
close_views (Frame * frame)
{
  for (guint i = 0; i < frame->n_views; i++) {
    gst_clear_buffer (&frame->views[i].buffer);
    gst_clear_object (&frame->views[i].pad);
  }
  g_free (frame->views);
}

/* `src` comes first, because its segment is sent with the buffer. */
static GstFlowReturn
push_views (GstStereoView * self, Frame * frame)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstFlowReturn combined, flow;
  gboolean released;

  combined = gst_aggregator_finish_buffer (aggregator,
      g_steal_pointer (&frame->views[0].buffer));
  for (guint i = 1; i < frame->n_views; i++) {
    View *view = &frame->views[i];

    if (view->buffer == NULL)
      continue;
    if (combined == GST_FLOW_FLUSHING)
      break;
    flow = gst_stereo_result_pad_push (&view->pad->parent, aggregator->srcpad,
        g_steal_pointer (&view->buffer));
    GST_OBJECT_LOCK (self);
    released = view->pad->parent.released;
    GST_OBJECT_UNLOCK (self);
    if (!released)
      combined = gst_stereo_flow_combine (combined, flow);
  }
  return combined;
}

/* Whether downstream would throw the frame away; says so if it would. */
static gboolean
too_late (GstStereoView * self, const GstStereoInput * heads)
{
  GstStereoHead head = gst_stereo_input_head (&heads[LEFT]);
  GstStereoQos qos;
  Counters counters;
  GstMessage *message;

  GST_OBJECT_LOCK (self);
  qos = get_qos (self);
  if (!self->qos || !GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
      || !GST_CLOCK_TIME_IS_VALID (head.time)
      || head.time >= qos.earliest_time) {
    GST_OBJECT_UNLOCK (self);
    return FALSE;
  }
  self->counters.qos_dropped++;
  counters = self->counters;
  GST_OBJECT_UNLOCK (self);
  message = gst_message_new_qos (GST_OBJECT_CAST (self), FALSE, head.time,
      gst_segment_to_stream_time (&heads[LEFT].segment, GST_FORMAT_TIME,
          head.pts), head.pts, GST_BUFFER_DURATION (heads[LEFT].buffer));
  gst_message_set_qos_values (message,
      GST_CLOCK_DIFF (head.time, qos.earliest_time), qos.proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, counters.rendered,
      counters.qos_dropped);
  gst_element_post_message (GST_ELEMENT_CAST (self), message);
  self->discont = TRUE;
  return TRUE;
}

/* The pads are served, or it is not to be done. */
static GstFlowReturn
make_views (GstStereoView * self, Frame * frame,
    const StereoViewParams * params, GstClockTime time)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstBuffer *left = frame->heads[LEFT].buffer;
  GstFlowReturn flow = open_views (self, frame, params, time);

  if (flow == GST_FLOW_OK) {
    if (!map_frame (self, frame) || !render (self, frame))
      flow = GST_FLOW_ERROR;
    unmap_frame (frame);
  }
  if (flow == GST_FLOW_OK) {
    for (guint i = 0; i < frame->n_views; i++) {
      if (frame->views[i].buffer != NULL)
        describe_view (self, left, &frame->views[i]);
    }
    self->discont = FALSE;
    GST_OBJECT_LOCK (self);
    self->counters.rendered++;
    if (GST_BUFFER_PTS_IS_VALID (left))
      GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
          GST_BUFFER_PTS (left);
    GST_OBJECT_UNLOCK (self);
    flow = push_views (self, frame);
  }
  close_views (frame);
  return flow;
}

/* All that a frame needs is at the heads of the queues. */
static GstFlowReturn
make_frame (GstStereoView * self, GstStereoInput * heads)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstBuffer *left = heads[LEFT].buffer;
  Frame frame = {.heads = heads };
  StereoViewParams params;
  GstClockTime time;

  GST_OBJECT_LOCK (self);
  memcpy (frame.info, self->info, sizeof (frame.info));
  GST_OBJECT_UNLOCK (self);
  time = gst_segment_to_stream_time (&heads[LEFT].segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (left));
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
  params = get_params (self);
  params.full_range = frame.info[LEFT].colorimetry.range
      == GST_VIDEO_COLOR_RANGE_0_255;
  if (!self->negotiated || !same_shape (&params, &self->shape)) {
    gst_pad_mark_reconfigure (aggregator->srcpad);
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }
  if (!check_inputs (self, frame.info, heads[RIGHT].buffer != NULL)
      || !read_meta (self, heads[MAP].buffer, &params))
    return GST_FLOW_ERROR;

  gst_aggregator_selected_samples (aggregator, GST_BUFFER_PTS (left),
      GST_BUFFER_DTS (left), GST_BUFFER_DURATION (left), NULL);
  for (gint i = 0; i < N_INPUTS; i++) {
    if (heads[i].buffer != NULL)
      gst_aggregator_pad_drop_buffer (heads[i].pad);
  }
  if (too_late (self, heads))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  return make_views (self, &frame, &params, time);
}

/* An input has ended that every frame needs, or is about to come. */
static GstFlowReturn
end_or_wait (GstStereoView * self, GstStereoInput * heads)
{
  gboolean over = FALSE;

  for (gint i = 0; i < N_INPUTS; i++)
    over |= heads[i].pad != NULL && heads[i].buffer == NULL
        && gst_aggregator_pad_is_eos (heads[i].pad);
  if (!over)
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  for (gint i = 0; i < N_INPUTS; i++) {
    if (heads[i].buffer != NULL)
      drop (self, heads, i);
  }
  return GST_FLOW_EOS;
}

static GstFlowReturn
gst_stereo_view_aggregate (GstAggregator * aggregator, gboolean timeout)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);
  GstFlowReturn flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  GstStereoInput heads[N_INPUTS];

  if (gst_stereo_failure_posted (&self->failure))
    return GST_FLOW_ERROR;
  for (gint i = 0; i < N_INPUTS; i++)
    gst_stereo_input_peek (&heads[i], get_pad (self, i));
  if (heads[LEFT].buffer == NULL || heads[MAP].buffer == NULL
      || (heads[RIGHT].pad != NULL && heads[RIGHT].buffer == NULL)) {
    flow = end_or_wait (self, heads);
  } else {
    switch (decide (self, heads)) {
      case GST_STEREO_TRIPLE_TAKE:
        flow = make_frame (self, heads);
        break;
      case GST_STEREO_TRIPLE_DROP_LEFT:
        drop (self, heads, LEFT);
        break;
      case GST_STEREO_TRIPLE_DROP_RIGHT:
        drop (self, heads, RIGHT);
        break;
      case GST_STEREO_TRIPLE_DROP_MAP:
        drop (self, heads, MAP);
        break;
      case GST_STEREO_TRIPLE_NO_TIME:
      default:
        GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
            ("Some of the images and maps have timestamps and some have none, "
                "so they can't be put together. All need them, or none."),
            (NULL));
        flow = GST_FLOW_ERROR;
        break;
    }
  }
  for (gint i = 0; i < N_INPUTS; i++)
    gst_stereo_input_clear (&heads[i]);
  return flow;
}

/* ----------------------------------------------------------- start and stop */

static gboolean
gst_stereo_view_start (GstAggregator * aggregator)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  gst_stereo_failure_reset (&self->failure);
  self->negotiated = FALSE;
  self->warned = FALSE;
  self->discont = TRUE;
  GST_OBJECT_LOCK (self);
  memset (&self->counters, 0, sizeof (self->counters));
  GST_OBJECT_UNLOCK (self);
  reset_qos (self);
  if (gst_stereo_device_open (&self->device))
    return TRUE;
  gst_stereo_device_close (&self->device);
  return FALSE;
}

static gboolean
gst_stereo_view_stop (GstAggregator * aggregator)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  gst_stereo_device_close (&self->device);
  gst_stereo_tags_clear (&self->tags);
  GST_OBJECT_LOCK (self);
  memset (self->has_info, 0, sizeof (self->has_info));
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static GstFlowReturn
gst_stereo_view_flush (GstAggregator * aggregator)
{
  GstStereoView *self = GST_STEREO_VIEW (aggregator);

  self->discont = TRUE;
  reset_qos (self);
  GST_OBJECT_LOCK (self);
  GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
      GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
}

static GstStateChangeReturn
gst_stereo_view_change_state (GstElement * element, GstStateChange transition)
{
  GstStereoView *self = GST_STEREO_VIEW (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_stereo_gate_open (&self->gate, GST_STEREO_GATE_FLUSHING
        | GST_STEREO_GATE_STOPPED);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_stereo_gate_close (&self->gate, GST_STEREO_GATE_STOPPED);
    gst_stereo_view_pads_stop (self->views, element);
  }
  result = GST_ELEMENT_CLASS (gst_stereo_view_parent_class)->change_state
      (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_stereo_view_pads_stopped (self->views, element);
  return result;
}

/* --------------------------------------------------------------- properties */

static GstStructure *
make_stats (GstStereoView * self)
{
  StereoMatcherStats stats = { 0, };
  const gchar *backend = "none";
  Counters c;

  GST_OBJECT_LOCK (self);
  c = self->counters;
  if (self->device.device != NULL)
    backend = stereo_device_backend (self->device.device);
  if (self->renderers[FRAMES].runner != NULL)
    stereo_runner_get_stats (self->renderers[FRAMES].runner, &stats);
  GST_OBJECT_UNLOCK (self);
  return gst_structure_new ("stereo-stats",
      "rendered", G_TYPE_UINT64, c.rendered,
      "unused-left", G_TYPE_UINT64, c.unused[LEFT],
      "unused-right", G_TYPE_UINT64, c.unused[RIGHT],
      "unpaired", G_TYPE_UINT64, c.unpaired,
      "qos-dropped", G_TYPE_UINT64, c.qos_dropped,
      "processing-time-last", G_TYPE_UINT64, (guint64) stats.last_ns,
      "processing-time-mean", G_TYPE_UINT64,
      (guint64) (stats.frames > 0 ? stats.total_ns / stats.frames : 0),
      "backend", G_TYPE_STRING, backend, NULL);
}

static void
gst_stereo_view_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoView *self = GST_STEREO_VIEW (object);

  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_set_property (&stereo_view_params[id - PROP_TABLE],
        &self->params, value);
  else if (id >= PROP_DEVICE)
    gst_stereo_device_set_property (&self->device, id - PROP_DEVICE, value);
  else if (id == PROP_QOS)
    self->qos = g_value_get_boolean (value);
  else
    self->sync_tolerance = g_value_get_uint64 (value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_view_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoView *self = GST_STEREO_VIEW (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, make_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id >= PROP_TABLE)
    gst_stereo_table_get_property (&stereo_view_params[id - PROP_TABLE],
        &self->params, value);
  else if (id >= PROP_DEVICE)
    gst_stereo_device_get_property (&self->device, id - PROP_DEVICE, value);
  else if (id == PROP_QOS)
    g_value_set_boolean (value, self->qos);
  else
    g_value_set_uint64 (value, self->sync_tolerance);
  GST_OBJECT_UNLOCK (self);
}

/* ---------------------------------------------------------------- children */

static GObject *
get_child (GstChildProxy * proxy, guint index)
{
  GstStereoView *self = GST_STEREO_VIEW (proxy);
  GObject *child = NULL;

  GST_OBJECT_LOCK (self);
  if (index < self->views->len)
    child = g_object_ref (self->views->pdata[index]);
  GST_OBJECT_UNLOCK (self);
  return child;
}

static guint
count_children (GstChildProxy * proxy)
{
  GstStereoView *self = GST_STEREO_VIEW (proxy);
  guint n;

  GST_OBJECT_LOCK (self);
  n = self->views->len;
  GST_OBJECT_UNLOCK (self);
  return n;
}

static void
gst_stereo_view_child_proxy_init (gpointer interface, gpointer data)
{
  GstChildProxyInterface *proxy = interface;

  proxy->get_child_by_index = get_child;
  proxy->get_children_count = count_children;
}

/* -------------------------------------------------------------------- class */

/* The element lets go of its pads. */
static void
gst_stereo_view_dispose (GObject * object)
{
  g_ptr_array_set_size (GST_STEREO_VIEW (object)->views, 0);
  G_OBJECT_CLASS (gst_stereo_view_parent_class)->dispose (object);
}

static void
gst_stereo_view_finalize (GObject * object)
{
  g_ptr_array_unref (GST_STEREO_VIEW (object)->views);
  gst_stereo_gate_clear (&GST_STEREO_VIEW (object)->gate);
  G_OBJECT_CLASS (gst_stereo_view_parent_class)->finalize (object);
}

static void
gst_stereo_view_init (GstStereoView * self)
{
  static const gint always[] = { LEFT, MAP };

  self->views = g_ptr_array_new_with_free_func (gst_object_unref);
  for (guint i = 0; i < G_N_ELEMENTS (always); i++) {
    self->sink[always[i]] = new_sink_pad (self, always[i]);
    gst_element_add_pad (GST_ELEMENT_CAST (self),
        GST_PAD (self->sink[always[i]]));
  }
  self->failure.element = GST_ELEMENT_CAST (self);
  gst_stereo_gate_init (&self->gate);
  gst_stereo_device_init (&self->device, &self->failure, &device_user,
      GST_STEREO_BACKEND_AUTO);
  gst_stereo_table_init (stereo_view_params, &self->params);
  self->sync_tolerance = DEFAULT_SYNC_TOLERANCE;
  self->qos = DEFAULT_QOS;
  self->qos_of_src.earliest_time = GST_CLOCK_TIME_NONE;
  gst_pad_add_probe (GST_AGGREGATOR_SRC_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      look_at_src_event, self, NULL);
}

static void
gst_stereo_view_class_init (GstStereoViewClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  object_class->set_property = gst_stereo_view_set_property;
  object_class->get_property = gst_stereo_view_get_property;
  object_class->dispose = gst_stereo_view_dispose;
  object_class->finalize = gst_stereo_view_finalize;
  element_class->request_new_pad = gst_stereo_view_request_new_pad;
  element_class->release_pad = gst_stereo_view_release_pad;
  element_class->change_state = gst_stereo_view_change_state;
  aggregator_class->start = gst_stereo_view_start;
  aggregator_class->stop = gst_stereo_view_stop;
  aggregator_class->sink_query_pre_queue =
      gst_stereo_view_sink_query_pre_queue;
  aggregator_class->flush = gst_stereo_view_flush;
  aggregator_class->clip = gst_stereo_input_clip;
  aggregator_class->sink_event = gst_stereo_view_sink_event;
  aggregator_class->sink_event_pre_queue =
      gst_stereo_view_sink_event_pre_queue;
  aggregator_class->sink_query = gst_stereo_view_sink_query;
  aggregator_class->src_event = gst_stereo_view_src_event;
  aggregator_class->create_new_pad = gst_stereo_view_create_new_pad;
  aggregator_class->update_src_caps = gst_stereo_view_update_src_caps;
  aggregator_class->negotiated_src_caps = gst_stereo_view_negotiated_src_caps;
  aggregator_class->decide_allocation = gst_stereo_view_decide_allocation;
  aggregator_class->propose_allocation = gst_stereo_view_propose_allocation;
  aggregator_class->aggregate = gst_stereo_view_aggregate;

  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &left_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &right_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &map_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &src_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &view_template, GST_TYPE_STEREO_VIEW_PAD);
  gst_element_class_set_static_metadata (element_class, "Stereo view",
      "Filter/Effect/Video",
      "Views from between and beside the cameras, from images and disparities",
      "The gst-stereomatching authors");
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_VIEW_PAD, 0);
  gst_stereo_meta_register ();
  gst_stereo_view_meta_register ();

  gst_stereo_table_install_properties (object_class, PROP_TABLE,
      stereo_view_params, "view");
  gst_stereo_device_install_properties (object_class, PROP_DEVICE,
      GST_STEREO_BACKEND_AUTO);

  /**
   * GstStereoView:sync-tolerance:
   *
   * By how many nanoseconds the running times of images and of a map that does
   * not say what it was made of may differ. By default half the duration of an
   * image.
   */
  g_object_class_install_property (object_class, PROP_SYNC_TOLERANCE,
      g_param_spec_uint64 ("sync-tolerance", "sync-tolerance",
          "Largest difference of the times of images and of maps that don't "
          "say which images they are of, in nanoseconds (-1 = half the "
          "duration of an image)", 0, G_MAXUINT64, DEFAULT_SYNC_TOLERANCE,
          playing));

  /**
   * GstStereoView:qos:
   *
   * Skip frames that would arrive too late downstream.
   */
  g_object_class_install_property (object_class, PROP_QOS,
      g_param_spec_boolean ("qos", "qos",
          "Skip frames that would be too late downstream", DEFAULT_QOS,
          playing));

  /**
   * GstStereoView:stats:
   *
   * A structure `stereo-stats` with `rendered`, `unused-left` and
   * `unused-right` (images that no map was made of), `unpaired` (maps without
   * their images) and `qos-dropped` (frames, since the element started,
   * guint64), `processing-time-last` and `processing-time-mean` (in
   * nanoseconds, guint64) and `backend` (what computes, string).
   */
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "stats", "What happened so far",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
