/* gst-stereomatching: base class of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoBase: pads, caps, pairing, timing, memory and properties of an
 * element that turns two views into a disparity map; a subclass only names the
 * algorithm.
 *
 * Threads.  The source pad's task calls aggregate() and, with it, everything
 * that touches the matcher.  Properties come from any thread and are protected
 * by the object lock, together with the other fields under "shared" below.
 */

#include "pair/gststereobase.h"

#include "base/gststereomemory.h"
#include "base/gststereometa.h"
#include "pair/gststereopair.h"
#include "pair/gststereoresult.h"
#include "stereo-cuda.h"

GST_DEBUG_CATEGORY (gst_stereo_base_debug);
#define GST_CAT_DEFAULT gst_stereo_base_debug

enum
{
  LEFT,
  RIGHT,
  N_VIEWS
};

static const gchar *const view_names[N_VIEWS] = { "left", "right" };

/* Frames that the matcher may still be reading from pinned memory. */
#define N_HELD 2

/* A pad that nobody linked is an error once the other one waited so long. */
#define UNLINKED_TIMEOUT (5 * GST_SECOND)

/* After a change of caps on one pad the other one has this much running time
 * to follow. */
#define CAPS_CHANGE_PATIENCE GST_SECOND

/* So many buffers without a partner in a row are worth a warning. */
#define UNPAIRED_WARNING 50

/* Tolerance when neither buffers nor caps say how long an image lasts. */
#define DEFAULT_TOLERANCE GST_MSECOND

#define DEFAULT_BACKEND GST_STEREO_BACKEND_AUTO
#define DEFAULT_CUDA_DEVICE_ID -1
#define DEFAULT_N_THREADS 0
#define DEFAULT_SYNC_TOLERANCE GST_CLOCK_TIME_NONE
#define DEFAULT_QOS TRUE

enum
{
  PROP_0,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_N_THREADS,
  PROP_SYNC_TOLERANCE,
  PROP_QOS,
  PROP_STATS
};

typedef struct
{
  guint64 paired;
  guint64 dropped[N_VIEWS];
  guint64 qos_dropped;
} Counters;

typedef struct
{
  GstAggregatorPad *sink[N_VIEWS];

  /* Shared, under the object lock. */
  GstStereoBackend backend;
  gint cuda_device_id;
  guint n_threads;
  GstClockTime sync_tolerance;
  gboolean qos;
  StereoParams *params;
  guint params_serial;          /* changes with every change of params */
  GstVideoInfo info[N_VIEWS];
  gboolean has_info[N_VIEWS];
  Counters counters;
  GstStereoQos qos_of_src;
  /* NULL where nobody asked for one; no references, the element has them. */
  GstStereoResultPad *results[STEREO_N_RESULTS];
  StereoMatcher *matcher;       /* written by the task, with the lock held */
  GstBuffer *current[N_VIEWS];  /* the pair that is being worked on */

  /* The task's own. */
  StereoDevice *device;
  gboolean device_is_cuda;
  gboolean may_fall_back;       /* to the CPU, if CUDA has too little memory */
  GstStereoFence *fence;
  GstAllocator *allocator;      /* of pinned memory, with CUDA */
  StereoParams *applied;        /* parameters of the matcher */
  guint applied_serial;
  StereoGeometry geometry;
  GstVideoInfo out_info;
  gboolean configured;
  gboolean agreed;              /* both views had the same size at some time */
  guint caps_serial[N_VIEWS];   /* when the pad's caps came */
  guint next_caps_serial;
  GstClockTime disagree_since;  /* running time */
  gboolean discont;
  guint unpaired_in_a_row;
  GstStereoFrame held[N_HELD][N_VIEWS];
  gboolean is_held[N_HELD];

  GstClockID unlinked_timer;    /* under the object lock */
  gint failed;                  /* atomic: an error was posted */
} GstStereoBasePrivate;

static void gst_stereo_base_preset_init (GstPresetInterface * iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstStereoBase, gst_stereo_base,
    GST_TYPE_AGGREGATOR, G_ADD_PRIVATE (GstStereoBase)
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_stereo_base_preset_init)
    GST_DEBUG_CATEGORY_INIT (gst_stereo_base_debug, "stereobase", 0,
        "Base class of the stereo matching elements"));

#define PRIV(self) \
    ((GstStereoBasePrivate *) gst_stereo_base_get_instance_private (self))

/* Posts an error unless one was posted since the element started. */
#define STEREO_ERROR(self, domain, code, text, debug) \
  G_STMT_START { \
    if (g_atomic_int_compare_and_exchange (&PRIV (self)->failed, 0, 1)) \
      GST_ELEMENT_ERROR (self, domain, code, text, debug); \
  } G_STMT_END

#define STEREO_SIZE_RANGE "(int) [ 1, 16384 ]"
#define STEREO_CAPS(formats) \
    "video/x-raw, format = (string) " formats ", " \
    "width = " STEREO_SIZE_RANGE ", height = " STEREO_SIZE_RANGE ", " \
    "framerate = " GST_VIDEO_FPS_RANGE

#define SINK_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, Y42B, Y444, RGB, BGR, " \
    "RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, GRAY16_LE }"

static GstStaticPadTemplate sink_left_template =
GST_STATIC_PAD_TEMPLATE ("sink_left", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (STEREO_CAPS (SINK_FORMATS)));

static GstStaticPadTemplate sink_right_template =
GST_STATIC_PAD_TEMPLATE ("sink_right", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (STEREO_CAPS (SINK_FORMATS)));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (STEREO_CAPS ("{ GRAY16_LE, GRAY8 }")));

GType
gst_stereo_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_BACKEND_AUTO, "CUDA if there is a device, else the CPU",
        "auto"},
    {GST_STEREO_BACKEND_CPU, "CPU", "cpu"},
    {GST_STEREO_BACKEND_CUDA, "CUDA", "cuda"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoBackend", values));
  return type;
}

static gboolean
has_failed (GstStereoBase * self)
{
  return g_atomic_int_get (&PRIV (self)->failed) != 0;
}

static gint
view_of (GstStereoBase * self, GstAggregatorPad * pad)
{
  return pad == PRIV (self)->sink[RIGHT] ? RIGHT : LEFT;
}

/* -------------------------------------------------------------- result pads */

/* The result pads there are now, as references, in pads[].  Pads that are
 * released meanwhile can be pushed to without harm. */
static guint
get_result_pads (GstStereoBase * self,
    GstStereoResultPad * pads[STEREO_N_RESULTS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  guint n = 0;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    if (priv->results[i] != NULL)
      pads[n++] = gst_object_ref (priv->results[i]);
  }
  GST_OBJECT_UNLOCK (self);
  return n;
}

static void
unref_result_pads (GstStereoResultPad * pads[STEREO_N_RESULTS], guint n)
{
  for (guint i = 0; i < n; i++)
    gst_object_unref (pads[i]);
}

/* With the object lock held. */
static void
reset_qos (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  const GstStereoQos none = { GST_CLOCK_TIME_NONE, 1.0 };

  priv->qos_of_src = none;
  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    if (priv->results[i] != NULL)
      priv->results[i]->qos = none;
  }
}

/* The one who needs an image soonest counts, if anyone is there at all.  With
 * the object lock held. */
static GstStereoQos
get_qos (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoQos qos = priv->qos_of_src;
  gboolean linked = gst_pad_is_linked (GST_AGGREGATOR_SRC_PAD (self));

  for (guint i = 0; i < STEREO_N_RESULTS; i++) {
    GstStereoResultPad *pad = priv->results[i];

    if (pad == NULL || !gst_pad_is_linked (GST_PAD (pad)))
      continue;
    if (!linked || !GST_CLOCK_TIME_IS_VALID (pad->qos.earliest_time)
        || (GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
            && pad->qos.earliest_time < qos.earliest_time))
      qos = pad->qos;
    linked = TRUE;
  }
  return qos;
}

/* ---------------------------------------------------------- device, matcher */

static void
log_from_library (StereoLogLevel level, const char *text, void *user_data)
{
  static const GstDebugLevel levels[] = {
    [STEREO_LOG_WARNING] = GST_LEVEL_WARNING,
    [STEREO_LOG_INFO] = GST_LEVEL_INFO,
    [STEREO_LOG_DEBUG] = GST_LEVEL_DEBUG,
  };

  GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT, levels[level], NULL, "%s", text);
}

static void
release_held (GstStereoBase * self, guint slot)
{
  GstStereoBasePrivate *priv = PRIV (self);

  if (!priv->is_held[slot])
    return;
  for (guint i = 0; i < N_VIEWS; i++)
    gst_stereo_frame_unmap (&priv->held[slot][i]);
  priv->is_held[slot] = FALSE;
}

/* Waits for everything that was started. */
static void
settle (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);

  if (priv->matcher != NULL && stereo_matcher_sync (priv->matcher) != STEREO_OK)
    GST_WARNING_OBJECT (self, "%s", stereo_matcher_error (priv->matcher));
  for (guint i = 0; i < N_HELD; i++)
    release_held (self, i);
}

static void
close_device (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoMatcher *matcher = priv->matcher;

  settle (self);
  if (priv->fence != NULL) {
    gst_stereo_fence_retire (priv->fence);
    gst_stereo_fence_unref (priv->fence);
    priv->fence = NULL;
  }
  GST_OBJECT_LOCK (self);
  priv->matcher = NULL;
  GST_OBJECT_UNLOCK (self);
  stereo_matcher_free (&matcher);
  gst_clear_object (&priv->allocator);
  stereo_device_unref (&priv->device);
  stereo_params_free (&priv->applied);
  priv->configured = FALSE;
}

/* Makes the matcher for the device, which it takes. */
static gboolean
open_device (GstStereoBase * self, StereoDevice * device, StereoMessage * why)
{
  GstStereoBasePrivate *priv = PRIV (self);
  const StereoAlgorithm *algorithm =
      GST_STEREO_BASE_GET_CLASS (self)->algorithm;
  StereoMatcher *matcher = NULL;
  StereoStatus status;

  stereo_device_set_log (device, log_from_library, NULL);
  status = stereo_matcher_new (algorithm, device, &matcher);
  if (status == STEREO_OK)
    status = stereo_params_new (algorithm, &priv->applied);
  if (status != STEREO_OK) {
    g_snprintf (why->text, sizeof (why->text), "%s can't be started on %s: %s",
        stereo_algorithm_name (algorithm), stereo_device_name (device),
        stereo_status_name (status));
    stereo_matcher_free (&matcher);
    stereo_device_unref (&device);
    return FALSE;
  }

  priv->device = device;
  priv->device_is_cuda = strcmp (stereo_device_backend (device), "cuda") == 0;
  if (priv->device_is_cuda) {
    priv->fence = gst_stereo_fence_new (matcher);
    priv->allocator = gst_stereo_allocator_new (device);
  }
  GST_OBJECT_LOCK (self);
  priv->matcher = matcher;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static gboolean
open_cpu (GstStereoBase * self, guint n_threads)
{
  StereoDevice *device = NULL;
  StereoMessage why;

  if (stereo_device_new_cpu (n_threads, STEREO_SIMD_AUTO, &device,
          &why) != STEREO_OK || !open_device (self, device, &why)) {
    STEREO_ERROR (self, LIBRARY, INIT,
        ("The CPU can't be used: %s.", why.text), (NULL));
    return FALSE;
  }
  return TRUE;
}

/* Says what computes and, where it is not CUDA, why not. */
static void
tell_backend (GstStereoBase * self, const gchar * no_cuda)
{
  gchar *text = g_strdup_printf (no_cuda ? "Computing on %s; no CUDA: %s."
      : "Computing on %s.", stereo_device_name (PRIV (self)->device), no_cuda);

  /* twice, because gst-launch shows the second one */
  GST_ELEMENT_INFO (self, RESOURCE, SETTINGS, ("%s", text), ("%s", text));
  g_free (text);
}

/* Chooses the back end, and says which one it is. */
static gboolean
choose_backend (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoDevice *device = NULL;
  StereoMessage why = { "" };
  GstStereoBackend backend;
  guint n_threads;
  gint id;

  GST_OBJECT_LOCK (self);
  backend = priv->backend;
  id = priv->cuda_device_id;
  n_threads = priv->n_threads;
  GST_OBJECT_UNLOCK (self);

  priv->may_fall_back = backend == GST_STEREO_BACKEND_AUTO;
  if (backend != GST_STEREO_BACKEND_CPU) {
    if (stereo_device_new_cuda (id, &device, &why) == STEREO_OK
        && open_device (self, device, &why)) {
      tell_backend (self, NULL);
      return TRUE;
    }
    if (backend == GST_STEREO_BACKEND_CUDA) {
      STEREO_ERROR (self, RESOURCE, NOT_FOUND,
          ("backend=cuda can't be used: %s. Use backend=auto or backend=cpu "
              "to compute on the CPU.", why.text), (NULL));
      return FALSE;
    }
  }

  if (!open_cpu (self, n_threads))
    return FALSE;
  tell_backend (self, backend == GST_STEREO_BACKEND_AUTO ? why.text : NULL);
  return TRUE;
}

/* Configures the matcher for priv->geometry with the parameters as they are
 * now.  Falls back to the CPU when it may. */
static gboolean
configure (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoStatus status;
  guint n_threads;

  GST_OBJECT_LOCK (self);
  status = stereo_params_copy (priv->applied, priv->params);
  priv->applied_serial = priv->params_serial;
  n_threads = priv->n_threads;
  GST_OBJECT_UNLOCK (self);

  if (status == STEREO_OK)
    status = stereo_matcher_configure (priv->matcher, &priv->geometry,
        priv->applied);
  if (status == STEREO_OK) {
    /* All frames are complete then. */
    for (guint i = 0; i < N_HELD; i++)
      release_held (self, i);
    return TRUE;
  }

  if (priv->device_is_cuda && priv->may_fall_back
      && (status == STEREO_ERROR_MEMORY || status == STEREO_ERROR_DEVICE
          || status == STEREO_ERROR_UNSUPPORTED)) {
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("Going on with the CPU: %s.", stereo_matcher_error (priv->matcher)),
        (NULL));
    close_device (self);
    return open_cpu (self, n_threads) && configure (self);
  }

  if (status == STEREO_ERROR_MEMORY)
    STEREO_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("Not enough memory: %s.", stereo_matcher_error (priv->matcher)),
        (NULL));
  else if (status == STEREO_ERROR_ARGUMENT)
    STEREO_ERROR (self, LIBRARY, SETTINGS,
        ("These properties don't go together: %s.",
            stereo_matcher_error (priv->matcher)), (NULL));
  else
    STEREO_ERROR (self, LIBRARY, FAILED,
        ("The matcher failed: %s.", stereo_matcher_error (priv->matcher)),
        (NULL));
  return FALSE;
}

static gboolean
gst_stereo_base_start (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  g_atomic_int_set (&priv->failed, 0);
  priv->agreed = FALSE;
  priv->discont = TRUE;
  priv->unpaired_in_a_row = 0;
  priv->next_caps_serial = 0;
  priv->disagree_since = GST_CLOCK_TIME_NONE;
  GST_OBJECT_LOCK (self);
  memset (&priv->counters, 0, sizeof (priv->counters));
  reset_qos (self);
  GST_OBJECT_UNLOCK (self);

  if (!choose_backend (self)) {
    close_device (self);
    return FALSE;
  }
  return TRUE;
}

static void
stop_unlinked_timer (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockID timer;

  GST_OBJECT_LOCK (self);
  timer = priv->unlinked_timer;
  priv->unlinked_timer = NULL;
  GST_OBJECT_UNLOCK (self);
  if (timer != NULL) {
    gst_clock_id_unschedule (timer);
    gst_clock_id_unref (timer);
  }
}

static gboolean
gst_stereo_base_stop (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  stop_unlinked_timer (self);
  close_device (self);
  GST_OBJECT_LOCK (self);
  priv->has_info[LEFT] = priv->has_info[RIGHT] = FALSE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static GstFlowReturn
gst_stereo_base_flush (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  settle (self);
  priv->discont = TRUE;
  priv->unpaired_in_a_row = 0;
  priv->disagree_since = GST_CLOCK_TIME_NONE;
  GST_OBJECT_LOCK (self);
  reset_qos (self);
  GST_AGGREGATOR_PAD (aggregator->srcpad)->segment.position =
      GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
  return GST_FLOW_OK;
}

/* --------------------------------------------------------------------- caps */

/* What is left of caps with the sizes and rates that follows a source pad. */
static GstCaps *
limit_to_downstream (GstCaps * caps, GstPad * src)
{
  GstCaps *filter = gst_pad_get_pad_template_caps (src);
  GstCaps *peer = gst_pad_peer_query_caps (src, filter);
  GstCaps *wanted = gst_caps_new_empty (), *result;
  static const gchar *const fields[] = { "width", "height", "framerate",
    "pixel-aspect-ratio"
  };

  for (guint i = 0; i < gst_caps_get_size (peer); i++) {
    const GstStructure *from = gst_caps_get_structure (peer, i);
    GstStructure *to = gst_structure_new_empty ("video/x-raw");

    for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
      const GValue *value = gst_structure_get_value (from, fields[f]);

      if (value != NULL)
        gst_structure_set_value (to, fields[f], value);
    }
    wanted = gst_caps_merge_structure (wanted, to);
  }
  result = gst_caps_intersect_full (caps, wanted, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (wanted);
  gst_caps_unref (peer);
  gst_caps_unref (filter);
  gst_caps_unref (caps);
  return result;
}

/* What a view may look like so that downstream can take the results: all of the
 * template, but sizes and rates that downstream accepts. */
static GstCaps *
acceptable_caps (GstStereoBase * self, GstPad * pad)
{
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  guint n = get_result_pads (self, pads);
  GstCaps *caps = limit_to_downstream (gst_pad_get_pad_template_caps (pad),
      GST_AGGREGATOR_SRC_PAD (self));

  for (guint i = 0; i < n; i++)
    caps = limit_to_downstream (caps, GST_PAD (pads[i]));
  unref_result_pads (pads, n);
  return caps;
}

/* Whatever can be accepted, but first what goes with the other view. */
static GstCaps *
sink_caps (GstStereoBase * self, GstAggregatorPad * pad, GstCaps * filter)
{
  GstStereoBasePrivate *priv = PRIV (self);
  gint other = view_of (self, pad) == LEFT ? RIGHT : LEFT;
  GstCaps *caps = acceptable_caps (self, GST_PAD (pad)), *preferred;
  GstVideoInfo info;
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = priv->has_info[other];
  if (known)
    info = priv->info[other];
  GST_OBJECT_UNLOCK (self);

  if (known) {
    preferred = gst_caps_copy (caps);
    gst_caps_set_simple (preferred,
        "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (&info),
        "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (&info),
        "framerate", GST_TYPE_FRACTION, GST_VIDEO_INFO_FPS_N (&info),
        GST_VIDEO_INFO_FPS_D (&info), NULL);
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
acceptable (GstPad * pad, GstCaps * caps)
{
  GstCaps *template = gst_pad_get_pad_template_caps (pad);
  gboolean ok = gst_caps_is_subset (caps, template);

  gst_caps_unref (template);
  return ok;
}

static gboolean
gst_stereo_base_sink_query (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * query)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      caps = sink_caps (self, pad, caps);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      /* A size that differs from the other view's is refused with a reason
       * once both are there; until then it may be a change of both. */
      gst_query_parse_accept_caps (query, &caps);
      gst_query_set_accept_caps_result (query, acceptable (GST_PAD (pad),
              caps));
      return TRUE;
    default:
      return GST_AGGREGATOR_CLASS (gst_stereo_base_parent_class)->sink_query
          (aggregator, pad, query);
  }
}

static gboolean
same_size (const GstVideoInfo * a, const GstVideoInfo * b)
{
  return GST_VIDEO_INFO_WIDTH (a) == GST_VIDEO_INFO_WIDTH (b)
      && GST_VIDEO_INFO_HEIGHT (a) == GST_VIDEO_INFO_HEIGHT (b);
}

/* In all that a result takes over from the left view. */
static gboolean
same_shape (const GstVideoInfo * a, const GstVideoInfo * b)
{
  return same_size (a, b)
      && GST_VIDEO_INFO_FPS_N (a) == GST_VIDEO_INFO_FPS_N (b)
      && GST_VIDEO_INFO_FPS_D (a) == GST_VIDEO_INFO_FPS_D (b)
      && GST_VIDEO_INFO_PAR_N (a) == GST_VIDEO_INFO_PAR_N (b)
      && GST_VIDEO_INFO_PAR_D (a) == GST_VIDEO_INFO_PAR_D (b);
}

static void
complain_about_downstream (GstStereoBase * self, StereoResult result,
    const GstVideoInfo * left, const GstCaps * downstream)
{
  static const gchar *const what[STEREO_N_RESULTS] = {
    "a disparity map", "a map of vertical disparities", "a confidence map"
  };
  const gchar *formats = result == STEREO_RESULT_VERTICAL ? "GRAY16_LE"
      : "GRAY16_LE or GRAY8";

  STEREO_ERROR (self, CORE, NEGOTIATION,
      ("What follows can't take %s of %dx%d at %d/%d frames a second in %s: it "
          "has the size and the rate of the left view (put videoconvert, "
          "videoscale or videorate behind the element).", what[result],
          GST_VIDEO_INFO_WIDTH (left), GST_VIDEO_INFO_HEIGHT (left),
          GST_VIDEO_INFO_FPS_N (left), GST_VIDEO_INFO_FPS_D (left), formats),
      ("downstream takes %" GST_PTR_FORMAT, downstream));
}

/* The base class gives up without a word when downstream takes nothing that the
 * pad has. */
static gboolean
gst_stereo_base_negotiate (GstAggregator * aggregator)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstCaps *template, *possible, *downstream;
  GstVideoInfo left;
  gboolean known;

  if (GST_AGGREGATOR_CLASS (gst_stereo_base_parent_class)->negotiate
      (aggregator))
    return TRUE;

  GST_OBJECT_LOCK (self);
  known = priv->has_info[LEFT];
  left = priv->info[LEFT];
  GST_OBJECT_UNLOCK (self);
  template = gst_pad_get_pad_template_caps (aggregator->srcpad);
  possible = gst_pad_peer_query_caps (aggregator->srcpad, template);
  if (known && gst_caps_is_empty (possible)) {
    downstream = gst_pad_peer_query_caps (aggregator->srcpad, NULL);
    complain_about_downstream (self, STEREO_RESULT_DISPARITY, &left,
        downstream);
    gst_caps_unref (downstream);
  }
  gst_caps_unref (possible);
  gst_caps_unref (template);
  return FALSE;
}

/* The template of a source pad with the shape of a video. */
static GstCaps *
caps_of_shape (GstPad * src, const GstVideoInfo * shape)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (src);

  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps,
      "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (shape),
      "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (shape),
      "framerate", GST_TYPE_FRACTION, GST_VIDEO_INFO_FPS_N (shape),
      GST_VIDEO_INFO_FPS_D (shape),
      "pixel-aspect-ratio", GST_TYPE_FRACTION, GST_VIDEO_INFO_PAR_N (shape),
      GST_VIDEO_INFO_PAR_D (shape), NULL);
  return caps;
}

/* Fixed caps for the output, of the left view's shape. */
static GstFlowReturn
gst_stereo_base_update_src_caps (GstAggregator * aggregator,
    GstCaps * downstream, GstCaps ** result)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo left, right;
  gboolean ready;
  GstCaps *wanted, *caps;

  GST_OBJECT_LOCK (self);
  ready = priv->has_info[LEFT] && priv->has_info[RIGHT];
  left = priv->info[LEFT];
  right = priv->info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  /* aggregate() asks again when it has a pair of equal size. */
  if (!ready || !same_size (&left, &right))
    return GST_AGGREGATOR_FLOW_NEED_DATA;

  wanted = caps_of_shape (aggregator->srcpad, &left);
  /* GRAY16_LE first, unless downstream has a preference of its own. */
  caps = gst_caps_intersect_full (downstream, wanted,
      GST_CAPS_INTERSECT_ZIG_ZAG);
  if (gst_caps_is_empty (caps)) {
    complain_about_downstream (self, STEREO_RESULT_DISPARITY, &left,
        downstream);
    gst_caps_unref (caps);
    gst_caps_unref (wanted);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  gst_caps_unref (wanted);
  *result = gst_caps_fixate (caps);
  return GST_FLOW_OK;
}

/* The geometry that the views and the negotiated output have now. */
static gboolean
current_geometry (GstStereoBase * self, StereoGeometry * geometry)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo left, right;

  GST_OBJECT_LOCK (self);
  left = priv->info[LEFT];
  right = priv->info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  geometry->width = GST_VIDEO_INFO_WIDTH (&left);
  geometry->height = GST_VIDEO_INFO_HEIGHT (&left);
  geometry->left_colorimetry = gst_stereo_colorimetry (&left);
  geometry->right_colorimetry = gst_stereo_colorimetry (&right);
  return gst_stereo_format (GST_VIDEO_INFO_FORMAT (&left), &geometry->left)
      && gst_stereo_format (GST_VIDEO_INFO_FORMAT (&right), &geometry->right)
      && gst_stereo_format (GST_VIDEO_INFO_FORMAT (&priv->out_info),
      &geometry->output);
}

static gboolean
gst_stereo_base_negotiated_src_caps (GstAggregator * aggregator,
    GstCaps * caps)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);

  priv->configured = FALSE;
  if (has_failed (self) || !gst_video_info_from_caps (&priv->out_info, caps))
    return FALSE;

  priv->configured = current_geometry (self, &priv->geometry)
      && configure (self);
  return priv->configured;
}

/* --------------------------------------------------------------- allocation */

static gboolean
gst_stereo_base_propose_allocation (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstQuery * decide_query, GstQuery * query)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstBufferPool *pool;
  GstCaps *caps;
  guint size;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps != NULL && priv->allocator != NULL) {
    /* The queue, the frames on their way to the device, and one to fill. */
    const guint min_buffers = 2 + N_HELD + 1;

    pool = gst_stereo_pool_new (caps, priv->allocator, TRUE, min_buffers, 0,
        &size);
    if (pool != NULL) {
      gst_query_add_allocation_pool (query, pool, size, min_buffers, 0);
      gst_object_unref (pool);
    }
    gst_query_add_allocation_param (query, priv->allocator, NULL);
  }
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* Puts a pool for maps of this kind into the query, as downstream's answer has
 * it or else of our own.  FALSE when there is none. */
static gboolean
decide_pool (GstStereoBase * self, const GstVideoInfo * info,
    GstQuery * query)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstBufferPool *pool = NULL;
  GstAllocator *allocator = NULL;
  GstStructure *config;
  gboolean video_meta, has_pool;
  guint size = 0, min = 0, max = 0;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  video_meta = gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);
  has_pool = gst_query_get_n_allocation_pools (query) > 0;
  if (has_pool)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);

  /* On the CPU the result goes where downstream wants it; from CUDA it comes
   * through page-locked memory, which downstream does not have. */
  if (priv->allocator != NULL)
    gst_clear_object (&pool);
  else if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);

  if (pool != NULL) {
    config = gst_buffer_pool_get_config (pool);
    size = MAX (size, (guint) GST_VIDEO_INFO_SIZE (info));
    gst_buffer_pool_config_set_params (config, caps, size, min, max);
    if (video_meta)
      gst_buffer_pool_config_add_option (config,
          GST_BUFFER_POOL_OPTION_VIDEO_META);
    if (!gst_buffer_pool_set_config (pool, config))
      gst_clear_object (&pool);
  }
  if (pool == NULL)
    pool = gst_stereo_pool_new (caps,
        priv->allocator != NULL ? priv->allocator : allocator, video_meta,
        min, priv->allocator != NULL ? 0 : max, &size);
  gst_clear_object (&allocator);
  if (pool == NULL) {
    STEREO_ERROR (self, RESOURCE, SETTINGS,
        ("There is no buffer pool for the result."), (NULL));
    return FALSE;
  }

  if (has_pool)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return TRUE;
}

static gboolean
gst_stereo_base_decide_allocation (GstAggregator * aggregator,
    GstQuery * query)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);

  return decide_pool (self, &PRIV (self)->out_info, query);
}

/* A pool for a pad that has caps. */
static GstFlowReturn
allocate_for_result (GstStereoBase * self, GstStereoResultPad * pad,
    GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  gboolean ok;

  if (!gst_pad_peer_query (GST_PAD (pad), query))
    GST_DEBUG_OBJECT (pad, "downstream proposes no memory");
  ok = decide_pool (self, &pad->info, query);
  if (ok)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  gst_stereo_result_pad_set_pool (pad, pool, PRIV (self)->device);
  gst_query_unref (query);
  return ok ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Makes the pad ready for results of the shape that `src` has now. */
static GstFlowReturn
negotiate_result (GstStereoBase * self, GstStereoResultPad * pad)
{
  GstStereoBasePrivate *priv = PRIV (self);
  gboolean asked = gst_pad_check_reconfigure (GST_PAD (pad)), same;
  GstCaps *current = gst_pad_get_current_caps (GST_PAD (pad));
  GstCaps *wanted, *downstream, *caps;
  GstFlowReturn flow = GST_FLOW_OK;

  same = current != NULL && pad->pool != NULL
      && same_shape (&pad->info, &priv->out_info);
  if (same && !asked && pad->pool_device == priv->device) {
    gst_caps_unref (current);
    return GST_FLOW_OK;
  }

  wanted = caps_of_shape (GST_PAD (pad), &priv->out_info);
  downstream = gst_pad_peer_query_caps (GST_PAD (pad), wanted);
  caps = gst_caps_intersect_full (downstream, wanted,
      GST_CAPS_INTERSECT_ZIG_ZAG);
  gst_caps_unref (wanted);
  gst_caps_unref (downstream);
  if (gst_caps_is_empty (caps)) {
    downstream = gst_pad_peer_query_caps (GST_PAD (pad), NULL);
    complain_about_downstream (self, pad->result, &priv->out_info, downstream);
    gst_caps_unref (downstream);
    flow = GST_FLOW_NOT_NEGOTIATED;
  } else {
    caps = gst_caps_fixate (caps);
    if (!gst_video_info_from_caps (&pad->info, caps)
        || !gst_stereo_format (GST_VIDEO_INFO_FORMAT (&pad->info),
            &pad->format))
      flow = GST_FLOW_NOT_NEGOTIATED;
  }
  if (flow == GST_FLOW_OK) {
    gst_stereo_result_pad_start (pad, GST_AGGREGATOR_SRC_PAD (self),
        current != NULL && gst_caps_is_equal (current, caps) ? NULL : caps);
    flow = allocate_for_result (self, pad, caps);
  }
  if (flow != GST_FLOW_OK)
    gst_pad_mark_reconfigure (GST_PAD (pad));
  gst_caps_unref (caps);
  gst_clear_caps (&current);
  return flow;
}

/* ------------------------------------------------------------------- events */

static gboolean
unlinked_timeout (GstClock * clock, GstClockTime time, GstClockID id,
    gpointer user_data)
{
  GstStereoBase *self = GST_STEREO_BASE (user_data);
  GstStereoBasePrivate *priv = PRIV (self);

  for (guint i = 0; i < N_VIEWS; i++) {
    if (!gst_pad_is_linked (GST_PAD (priv->sink[i])))
      STEREO_ERROR (self, CORE, PAD,
          ("sink_%s is not linked, but there is video on sink_%s. A stereo "
              "matcher needs both views.", view_names[i], view_names[!i]),
          (NULL));
  }
  return TRUE;
}

/* There is data on one pad; the other one had better be linked soon. */
static void
watch_other_pad (GstStereoBase * self, gint view)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClock *clock;
  GstClockID timer;

  if (gst_pad_is_linked (GST_PAD (priv->sink[!view])))
    return;
  GST_OBJECT_LOCK (self);
  if (priv->unlinked_timer != NULL) {
    GST_OBJECT_UNLOCK (self);
    return;
  }
  clock = gst_system_clock_obtain ();
  timer = gst_clock_new_single_shot_id (clock,
      gst_clock_get_time (clock) + UNLINKED_TIMEOUT);
  priv->unlinked_timer = gst_clock_id_ref (timer);
  GST_OBJECT_UNLOCK (self);
  gst_clock_id_wait_async (timer, unlinked_timeout, gst_object_ref (self),
      (GDestroyNotify) gst_object_unref);
  gst_clock_id_unref (timer);
  gst_object_unref (clock);
}

/* Says what is wrong with caps that the pad does not take. */
static void
complain_about_caps (GstStereoBase * self, gint view, const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *format = gst_structure_get_string (s, "format");
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);
  gchar *problem;
  gint width = 0, height = 0;

  if (!gst_structure_has_name (s, "video/x-raw")) {
    problem = g_strdup_printf ("%s; it takes raw video, so put a decoder "
        "before it", gst_structure_get_name (s));
  } else if (!gst_caps_features_is_equal (features,
          GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY)) {
    gchar *name = gst_caps_features_to_string (features);

    problem = g_strdup_printf ("video in %s; it takes video in system memory, "
        "so put an element that downloads it before it", name);
    g_free (name);
  } else if (!gst_structure_get_int (s, "width", &width)
      || !gst_structure_get_int (s, "height", &height)
      || width < 1 || width > STEREO_MAX_SIZE
      || height < 1 || height > STEREO_MAX_SIZE) {
    problem = g_strdup_printf ("images of %dx%d; it takes 1x1 to %dx%d", width,
        height, STEREO_MAX_SIZE, STEREO_MAX_SIZE);
  } else {
    problem = g_strdup_printf ("video in the format %s; put videoconvert "
        "before it", format ? format : "(none)");
  }
  STEREO_ERROR (self, STREAM, FORMAT,
      ("sink_%s can't take %s.", view_names[view], problem),
      ("caps %" GST_PTR_FORMAT, caps));
  g_free (problem);
}

/* What the element has to see before GstPad or the pad's queue does: GstPad
 * refuses caps without telling anyone why, and the end of a view waits in the
 * queue for images of the other one, which never come if that is not linked. */
static GstPadProbeReturn
look_at_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstStereoBase *self = GST_STEREO_BASE (user_data);
  GstStereoBasePrivate *priv = PRIV (self);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  gint view = view_of (self, GST_AGGREGATOR_PAD (pad));
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (!acceptable (pad, caps))
      complain_about_caps (self, view, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
      && !gst_pad_is_linked (GST_PAD (priv->sink[!view]))) {
    STEREO_ERROR (self, CORE, PAD,
        ("The video on sink_%s has ended, and sink_%s is not linked. A stereo "
            "matcher needs both views.", view_names[view], view_names[!view]),
        (NULL));
  }
  return GST_PAD_PROBE_OK;
}

static gboolean
take_caps (GstStereoBase * self, gint view, GstCaps * caps)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockTime duration = 0;
  GstVideoInfo info;
  StereoFormat format;

  if (!gst_video_info_from_caps (&info, caps)
      || !gst_stereo_format (GST_VIDEO_INFO_FORMAT (&info), &format)) {
    complain_about_caps (self, view, caps);
    return FALSE;
  }

  GST_OBJECT_LOCK (self);
  priv->info[view] = info;
  priv->has_info[view] = TRUE;
  GST_OBJECT_UNLOCK (self);
  priv->caps_serial[view] = ++priv->next_caps_serial;
  gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));

  /* The wait for the other view. */
  if (view == LEFT) {
    if (GST_VIDEO_INFO_FPS_N (&info) > 0)
      duration = gst_util_uint64_scale (GST_SECOND,
          (guint64) GST_VIDEO_INFO_FPS_D (&info),
          (guint64) GST_VIDEO_INFO_FPS_N (&info));
    gst_aggregator_set_latency (GST_AGGREGATOR (self), duration, duration);
  }
  return TRUE;
}

static gboolean
gst_stereo_base_sink_event (GstAggregator * aggregator,
    GstAggregatorPad * pad, GstEvent * event)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  gint view = view_of (self, pad);
  const GstSegment *segment;
  GstCaps *caps;
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      watch_other_pad (self, view);
      ok = take_caps (self, view, caps);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (segment->format != GST_FORMAT_TIME) {
        STEREO_ERROR (self, STREAM, FORMAT,
            ("sink_%s has a segment in %s, but pairing needs one in time; put "
                "an element before it that knows when an image is shown (a "
                "parser or decoder, or set do-timestamp and format=time).",
                view_names[view], gst_format_get_name (segment->format)),
            (NULL));
        gst_event_unref (event);
        return FALSE;
      }
      if (view == LEFT) {
        gst_aggregator_update_segment (aggregator, segment);
        GST_OBJECT_LOCK (self);
        reset_qos (self);
        GST_OBJECT_UNLOCK (self);
      }
      break;
    default:
      break;
  }
  return GST_AGGREGATOR_CLASS (gst_stereo_base_parent_class)->sink_event
      (aggregator, pad, event);
}

/* Notes what downstream of one source pad says about lateness. */
static void
take_qos (GstStereoBase * self, GstStereoQos * qos, GstEvent * event)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstQOSType type;
  gdouble proportion;
  GstClockTimeDiff diff;
  GstClockTime timestamp;

  gst_event_parse_qos (event, &type, &proportion, &diff, &timestamp);
  GST_OBJECT_LOCK (self);
  qos->proportion = proportion;
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    qos->earliest_time = GST_CLOCK_TIME_NONE;
  else if (diff > 0)
    /* Being late by diff, what is to come should be ahead by as much. */
    qos->earliest_time = timestamp + 2 * (GstClockTime) diff
        + (priv->has_info[LEFT] && GST_VIDEO_INFO_FPS_N (&priv->info[LEFT])
        > 0 ? gst_util_uint64_scale (GST_SECOND,
            (guint64) GST_VIDEO_INFO_FPS_D (&priv->info[LEFT]),
            (guint64) GST_VIDEO_INFO_FPS_N (&priv->info[LEFT])) : 0);
  else if (diff < 0 && timestamp < (GstClockTime) (-diff))
    qos->earliest_time = 0;
  else
    qos->earliest_time = timestamp + diff;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_stereo_base_src_event (GstAggregator * aggregator, GstEvent * event)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);

  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    take_qos (self, &PRIV (self)->qos_of_src, event);
  return GST_AGGREGATOR_CLASS (gst_stereo_base_parent_class)->src_event
      (aggregator, event);
}

/* The base class knows a seek that comes to several pads for one. */
static gboolean
result_pad_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstStereoBase *self = GST_STEREO_BASE (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS)
    take_qos (self, &GST_STEREO_RESULT_PAD (pad)->qos, event);
  return GST_AGGREGATOR_CLASS (gst_stereo_base_parent_class)->src_event
      (GST_AGGREGATOR (self), event);
}

/* All but the caps is as on `src`. */
static gboolean
result_pad_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
    case GST_QUERY_ACCEPT_CAPS:
      return gst_pad_query_default (pad, parent, query);
    default:
      return GST_AGGREGATOR_GET_CLASS (parent)->src_query
          (GST_AGGREGATOR (parent), query);
  }
}

/* What ends or flushes `src` does so to the result pads. */
static GstPadProbeReturn
look_at_src_event (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstStereoBase *self = GST_STEREO_BASE (user_data);
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  GstEventType type = GST_EVENT_TYPE (event);
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  guint n;

  if (type != GST_EVENT_EOS && type != GST_EVENT_FLUSH_START
      && type != GST_EVENT_FLUSH_STOP)
    return GST_PAD_PROBE_OK;
  n = get_result_pads (self, pads);
  for (guint i = 0; i < n; i++) {
    if (type == GST_EVENT_EOS)
      gst_stereo_result_pad_end (pads[i], pad, event);
    else
      gst_pad_push_event (GST_PAD (pads[i]), gst_event_ref (event));
  }
  unref_result_pads (pads, n);
  return GST_PAD_PROBE_OK;
}

/* ------------------------------------------------------------------ pairing */

/* Buffers outside the segment are not shown.  Called with the pad locked. */
static GstBuffer *
gst_stereo_base_clip (GstAggregator * aggregator, GstAggregatorPad * pad,
    GstBuffer * buffer)
{
  GstClockTime start = GST_BUFFER_PTS (buffer), stop = GST_CLOCK_TIME_NONE;
  guint64 clipped_start, clipped_stop;

  if (!GST_CLOCK_TIME_IS_VALID (start)
      || pad->segment.format != GST_FORMAT_TIME)
    return buffer;
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    stop = start + GST_BUFFER_DURATION (buffer);
  if (!gst_segment_clip (&pad->segment, GST_FORMAT_TIME, start, stop,
          &clipped_start, &clipped_stop)) {
    GST_DEBUG_OBJECT (pad, "outside the segment: %" GST_PTR_FORMAT, buffer);
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (clipped_start != start || clipped_stop != stop) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = clipped_start;
    if (GST_CLOCK_TIME_IS_VALID (stop))
      GST_BUFFER_DURATION (buffer) = clipped_stop - clipped_start;
  }
  return buffer;
}

static GstClockTime
running_time (GstAggregatorPad * pad, GstBuffer * buffer)
{
  GstClockTime time;

  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return GST_CLOCK_TIME_NONE;
  GST_OBJECT_LOCK (pad);
  time = gst_segment_to_running_time (&pad->segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
  GST_OBJECT_UNLOCK (pad);
  return time;
}

/* How much running time some time of the stream takes. */
static GstClockTime
running_duration (GstAggregatorPad * pad, GstClockTime duration)
{
  gdouble rate;

  if (!GST_CLOCK_TIME_IS_VALID (duration))
    return duration;
  GST_OBJECT_LOCK (pad);
  rate = ABS (pad->segment.rate);
  GST_OBJECT_UNLOCK (pad);
  return rate == 1.0 ? duration : (GstClockTime) (duration / rate);
}

static gboolean
is_gap (GstBuffer * buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
      && gst_buffer_get_size (buffer) == 0;
}

/* How long an image is shown, in running time, or GST_CLOCK_TIME_NONE. */
static GstClockTime
shown_for (GstStereoBase * self, gint view, GstBuffer * buffer)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockTime duration = GST_BUFFER_DURATION (buffer);
  const GstVideoInfo *info = &priv->info[view];

  if (is_gap (buffer) || !GST_CLOCK_TIME_IS_VALID (duration) || duration == 0) {
    GST_OBJECT_LOCK (self);
    duration = priv->has_info[view] && GST_VIDEO_INFO_FPS_N (info) > 0
        ? gst_util_uint64_scale (GST_SECOND,
        (guint64) GST_VIDEO_INFO_FPS_D (info),
        (guint64) GST_VIDEO_INFO_FPS_N (info)) : GST_CLOCK_TIME_NONE;
    GST_OBJECT_UNLOCK (self);
  }
  return running_duration (priv->sink[view], duration);
}

/* By how much the running times of a pair may differ.  Half an image of the
 * faster view: with more, an image would be taken before the one that is
 * nearer has come. */
static GstClockTime
tolerance_for (GstStereoBase * self, GstBuffer * buffers[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockTime tolerance, left, right;

  GST_OBJECT_LOCK (self);
  tolerance = priv->sync_tolerance;
  GST_OBJECT_UNLOCK (self);
  if (GST_CLOCK_TIME_IS_VALID (tolerance))
    return tolerance;
  left = shown_for (self, LEFT, buffers[LEFT]);
  right = shown_for (self, RIGHT, buffers[RIGHT]);
  /* GST_CLOCK_TIME_NONE is larger than any time */
  tolerance = MIN (left, right);
  return GST_CLOCK_TIME_IS_VALID (tolerance) ? tolerance / 2
      : DEFAULT_TOLERANCE;
}

/* Removes a view's oldest buffer; an image is counted and told about. */
static void
drop (GstStereoBase * self, gint view, GstBuffer * buffer,
    const gchar * reason)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstAggregatorPad *pad = priv->sink[view];
  guint64 dropped;

  GST_DEBUG_OBJECT (pad, "dropping (%s): %" GST_PTR_FORMAT, reason, buffer);
  priv->discont = TRUE;
  if (!is_gap (buffer)) {
    GST_OBJECT_LOCK (self);
    dropped = ++priv->counters.dropped[view];
    GST_OBJECT_UNLOCK (self);
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_element (GST_OBJECT_CAST (self),
            gst_structure_new ("stereo-unpaired",
                "view", G_TYPE_STRING, view_names[view],
                "pts", G_TYPE_UINT64, GST_BUFFER_PTS (buffer),
                "running-time", G_TYPE_UINT64, running_time (pad, buffer),
                "dropped", G_TYPE_UINT64, dropped,
                "reason", G_TYPE_STRING, reason, NULL)));
    /* While the sizes differ, the cameras are not to blame. */
    if (!GST_CLOCK_TIME_IS_VALID (priv->disagree_since)
        && ++priv->unpaired_in_a_row == UNPAIRED_WARNING)
      GST_ELEMENT_WARNING (self, STREAM, FAILED,
          ("%d images in a row had no partner in the other view. If the two "
              "cameras are not in step, sync-tolerance says by how many "
              "nanoseconds a pair may differ.", UNPAIRED_WARNING), (NULL));
  }
  gst_aggregator_pad_drop_buffer (pad);
}

static void
complain_about_sizes (GstStereoBase * self, const GstVideoInfo info[N_VIEWS])
{
  STEREO_ERROR (self, CORE, NEGOTIATION,
      ("The views differ in size: sink_left has %dx%d, sink_right %dx%d. They "
          "have to be equal; put videoscale before one of them.",
          GST_VIDEO_INFO_WIDTH (&info[LEFT]),
          GST_VIDEO_INFO_HEIGHT (&info[LEFT]),
          GST_VIDEO_INFO_WIDTH (&info[RIGHT]),
          GST_VIDEO_INFO_HEIGHT (&info[RIGHT])), (NULL));
}

/* Whether the sizes of both views agree.  If not, removes what can't be used,
 * or gives up. */
static gboolean
check_sizes (GstStereoBase * self, GstBuffer * buffers[N_VIEWS],
    const GstClockTime times[N_VIEWS], GstFlowReturn * flow)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo info[N_VIEWS];
  gint old = priv->caps_serial[LEFT] < priv->caps_serial[RIGHT] ? LEFT : RIGHT;
  gboolean patient;

  GST_OBJECT_LOCK (self);
  info[LEFT] = priv->info[LEFT];
  info[RIGHT] = priv->info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  if (same_size (&info[LEFT], &info[RIGHT])) {
    priv->agreed = TRUE;
    priv->disagree_since = GST_CLOCK_TIME_NONE;
    return TRUE;
  }

  /* After a change on one pad, the other one's old images are of no use. */
  if (!GST_CLOCK_TIME_IS_VALID (priv->disagree_since))
    priv->disagree_since = times[old];
  patient = priv->agreed && (!GST_CLOCK_TIME_IS_VALID (times[old])
      || times[old] < priv->disagree_since + CAPS_CHANGE_PATIENCE);
  if (patient) {
    drop (self, old, buffers[old], "the other view has changed its size");
    *flow = GST_AGGREGATOR_FLOW_NEED_DATA;
  } else {
    complain_about_sizes (self, info);
    *flow = GST_FLOW_ERROR;
  }
  return FALSE;
}

/* One view is at its end and has nothing left. */
static GstFlowReturn
end_of_stream (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstVideoInfo info[N_VIEWS];
  gboolean known;

  for (guint i = 0; i < N_VIEWS; i++) {
    GstBuffer *left_over = gst_aggregator_pad_peek_buffer (priv->sink[i]);

    if (left_over != NULL) {
      drop (self, (gint) i, left_over, "the other view has ended");
      gst_buffer_unref (left_over);
    }
  }
  settle (self);

  /* Perhaps it was their size that kept the last ones from being matched. */
  GST_OBJECT_LOCK (self);
  info[LEFT] = priv->info[LEFT];
  info[RIGHT] = priv->info[RIGHT];
  known = priv->has_info[LEFT] && priv->has_info[RIGHT];
  GST_OBJECT_UNLOCK (self);
  if (known && !same_size (&info[LEFT], &info[RIGHT]))
    complain_about_sizes (self, info);
  return has_failed (self) ? GST_FLOW_ERROR : GST_FLOW_EOS;
}

/* ------------------------------------------------------------------ process */

/* What one source pad gets of a frame. */
typedef struct
{
  StereoResult result;
  GstStereoResultPad *pad;      /* a reference; NULL for `src` */
  const GstVideoInfo *info;
  GstBuffer *buffer;
  GstStereoFrame target;
} Output;

/* Whether downstream would throw the result away; says so if it would. */
static gboolean
too_late (GstStereoBase * self, GstBuffer * left, GstClockTime time)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstSegment *segment = &priv->sink[LEFT]->segment;
  GstStereoQos qos;
  Counters counters;
  GstMessage *message;

  GST_OBJECT_LOCK (self);
  qos = get_qos (self);
  if (!priv->qos || !GST_CLOCK_TIME_IS_VALID (qos.earliest_time)
      || !GST_CLOCK_TIME_IS_VALID (time) || time >= qos.earliest_time) {
    GST_OBJECT_UNLOCK (self);
    return FALSE;
  }
  priv->counters.qos_dropped++;
  counters = priv->counters;
  GST_OBJECT_UNLOCK (self);

  message = gst_message_new_qos (GST_OBJECT_CAST (self), FALSE, time,
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (left)), GST_BUFFER_PTS (left),
      GST_BUFFER_DURATION (left));
  gst_message_set_qos_values (message, GST_CLOCK_DIFF (time,
          qos.earliest_time), qos.proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, counters.paired,
      counters.qos_dropped);
  gst_element_post_message (GST_ELEMENT_CAST (self), message);
  priv->discont = TRUE;
  return TRUE;
}

/* Metas about the scene stay, metas about the pixels do not. */
static gboolean
copy_meta (GstBuffer * from, GstMeta ** meta, gpointer user_data)
{
  GstBuffer *to = GST_BUFFER (user_data);
  const GstMetaInfo *info = (*meta)->info;
  static const gchar *kept[] = { GST_META_TAG_VIDEO_STR,
    GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, NULL
  };
  const gchar *const *tags = gst_meta_api_type_get_tags (info->api);
  gboolean keep = info->transform_func != NULL
      && info->api != GST_VIDEO_META_API_TYPE
      && info->api != GST_VIDEO_CROP_META_API_TYPE
      && g_strcmp0 (g_type_name (info->type), GST_STEREO_DISPARITY_META) != 0;

  for (guint i = 0; keep && tags != NULL && tags[i] != NULL; i++)
    keep = g_strv_contains ((const gchar * const *) kept, tags[i]);
  if (keep) {
    GstMetaTransformCopy copy = { FALSE, 0, (gsize) - 1 };

    info->transform_func (to, *meta, from, _gst_meta_transform_copy, &copy);
  }
  return TRUE;
}

static void
describe_output (GstStereoBase * self, Output * output,
    GstBuffer * buffers[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoDisparity disparity = {.result = output->result };
  GstBuffer *out = output->buffer;
  gdouble value = 0;
  gboolean ok;

  gst_buffer_copy_into (out, buffers[LEFT],
      GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  GST_BUFFER_FLAG_UNSET (out, GST_BUFFER_FLAG_GAP);
  if (priv->discont || (output->pad != NULL && output->pad->discont))
    GST_BUFFER_FLAG_SET (out, GST_BUFFER_FLAG_DISCONT);
  if (output->pad != NULL)
    output->pad->discont = FALSE;
  gst_buffer_foreach_meta (buffers[LEFT], copy_meta, out);

  ok = stereo_params_get (priv->applied, "num-disparities", &value);
  disparity.num_disparities = (guint) value;
  ok &= stereo_params_get (priv->applied, "min-disparity", &value);
  disparity.min_disparity = (gint) value;
  ok &= stereo_params_get (priv->applied, "invalid-value", &value);
  disparity.invalid_value = (guint) value;
  ok &= stereo_params_get (priv->applied, "disparity-scale", &value);
  disparity.disparity_scale = value;
  g_assert (ok);
  if (output->result == STEREO_RESULT_VERTICAL) {
    disparity.scale = disparity.disparity_scale;
    disparity.offset = STEREO_VERTICAL_OFFSET;
  } else if (output->result == STEREO_RESULT_CONFIDENCE) {
    disparity.scale = output->pad->format == STEREO_FORMAT_GRAY8 ? 255 : 65535;
    disparity.invalid_value = GST_STEREO_META_NO_INVALID;
  } else if (priv->geometry.output == STEREO_FORMAT_GRAY8) {
    disparity.disparity_scale = 255.0 / MAX (disparity.num_disparities - 1, 1);
  }
  disparity.left_pts = GST_BUFFER_PTS (buffers[LEFT]);
  disparity.right_pts = GST_BUFFER_PTS (buffers[RIGHT]);
  disparity.algorithm =
      stereo_algorithm_name (GST_STEREO_BASE_GET_CLASS (self)->algorithm);
  disparity.backend = stereo_device_backend (priv->device);
  gst_stereo_meta_add (out, &disparity);
}

/* On failure some may be mapped already. */
static gboolean
map_outputs (GstStereoBase * self, Output * outputs, guint n)
{
  StereoDevice *device = PRIV (self)->device;

  for (guint i = 0; i < n; i++) {
    /* Nobody has the buffer, so nobody waits for what it once was to hold. */
    if (gst_stereo_buffer_is_pinned (outputs[i].buffer, device))
      gst_stereo_buffer_set_fence (outputs[i].buffer, NULL, 0);
    if (!gst_stereo_frame_map (&outputs[i].target, outputs[i].info,
            outputs[i].buffer, GST_MAP_WRITE, device)) {
      STEREO_ERROR (self, RESOURCE, WRITE,
          ("The output buffer can't be written to."), (NULL));
      return FALSE;
    }
  }
  return TRUE;
}

static void
unmap_outputs (Output * outputs, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (outputs[i].target.frame.buffer != NULL)
      gst_stereo_frame_unmap (&outputs[i].target);
  }
}

/* Runs the matcher on a mapped pair; views that it goes on reading are kept
 * mapped. */
static gboolean
run_matcher (GstStereoBase * self, GstStereoFrame views[N_VIEWS],
    Output * outputs, guint n)
{
  GstStereoBasePrivate *priv = PRIV (self);
  gboolean reading = views[LEFT].image.memory == STEREO_MEMORY_PINNED
      || views[RIGHT].image.memory == STEREO_MEMORY_PINNED;
  const StereoImage *results[STEREO_N_RESULTS] = { NULL, };
  gboolean pinned[STEREO_N_RESULTS], all_pinned = TRUE;
  StereoStatus status;
  uint64_t frame = 0;

  if (!map_outputs (self, outputs, n)) {
    unmap_outputs (outputs, n);
    return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    pinned[i] = gst_stereo_buffer_is_pinned (outputs[i].buffer, priv->device);
    all_pinned &= pinned[i];
    results[outputs[i].result] = &outputs[i].target.image;
  }
  status = stereo_matcher_process_results (priv->matcher, &views[LEFT].image,
      &views[RIGHT].image, results, &frame);
  /* Without pinned memory the copy to the buffer is ours to wait for. */
  if (status == STEREO_OK && !all_pinned)
    status = stereo_matcher_wait (priv->matcher, frame);
  unmap_outputs (outputs, n);

  if (status != STEREO_OK) {
    STEREO_ERROR (self, LIBRARY, FAILED,
        ("The matcher failed: %s.", stereo_matcher_error (priv->matcher)),
        (NULL));
    return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    if (pinned[i] && priv->fence != NULL)
      gst_stereo_buffer_set_fence (outputs[i].buffer, priv->fence, frame);
  }

  /* process() has waited for the frame before the one before this. */
  release_held (self, (guint) (frame % N_HELD));
  if (priv->device_is_cuda && reading) {
    memcpy (priv->held[frame % N_HELD], views, sizeof (priv->held[0]));
    priv->is_held[frame % N_HELD] = TRUE;
    memset (views, 0, sizeof (priv->held[0]));
  }
  return TRUE;
}

/* On failure some may be mapped already. */
static gboolean
map_views (GstStereoBase * self, GstBuffer * buffers[N_VIEWS],
    GstStereoFrame views[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);

  for (guint i = 0; i < N_VIEWS; i++) {
    GstVideoInfo info;

    GST_OBJECT_LOCK (self);
    info = priv->info[i];
    GST_OBJECT_UNLOCK (self);
    if (!gst_stereo_frame_map (&views[i], &info, buffers[i], GST_MAP_READ,
            priv->device)) {
      STEREO_ERROR (self, STREAM, FORMAT,
          ("A buffer on sink_%s has %" G_GSIZE_FORMAT " bytes and does not "
              "hold an image of %dx%d in %s, which needs %" G_GSIZE_FORMAT
              ".", view_names[i], gst_buffer_get_size (buffers[i]),
              GST_VIDEO_INFO_WIDTH (&info), GST_VIDEO_INFO_HEIGHT (&info),
              GST_VIDEO_INFO_NAME (&info), GST_VIDEO_INFO_SIZE (&info)),
          (NULL));
      return FALSE;
    }
  }
  return TRUE;
}

/* A buffer of the pool, which it takes. */
static GstFlowReturn
acquire_output (GstStereoBase * self, GstBufferPool * pool, GstBuffer ** out)
{
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (pool == NULL || !gst_buffer_pool_set_active (pool, TRUE))
    STEREO_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("There is no memory for disparity maps."), (NULL));
  else
    flow = gst_buffer_pool_acquire_buffer (pool, out, NULL);
  gst_clear_object (&pool);
  return flow;
}

/* Whether a frame has to have this result. */
static gboolean
is_wanted (GstStereoResultPad * pad)
{
  return gst_pad_is_linked (GST_PAD (pad)) && gst_pad_is_active (GST_PAD (pad));
}

/* Buffers for all results that somebody waits for; `src` is the first one. */
static GstFlowReturn
open_outputs (GstStereoBase * self, Output outputs[STEREO_N_RESULTS], guint * n)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  guint n_pads = get_result_pads (self, pads);
  GstFlowReturn flow;

  memset (outputs, 0, STEREO_N_RESULTS * sizeof (outputs[0]));
  outputs[0].info = &priv->out_info;
  *n = 1;
  flow = acquire_output (self,
      gst_aggregator_get_buffer_pool (GST_AGGREGATOR (self)),
      &outputs[0].buffer);
  for (guint i = 0; i < n_pads; i++) {
    GstStereoResultPad *pad = pads[i];
    Output *output = &outputs[*n];

    if (flow == GST_FLOW_OK && !is_wanted (pad))
      pad->discont = TRUE;
    if (flow != GST_FLOW_OK || !is_wanted (pad)) {
      gst_object_unref (pad);
      continue;
    }
    output->pad = pad;
    output->result = pad->result;
    output->info = &pad->info;
    (*n)++;
    flow = negotiate_result (self, pad);
    if (flow == GST_FLOW_OK)
      flow = acquire_output (self, gst_object_ref (pad->pool),
          &output->buffer);
  }
  return flow;
}

static void
close_outputs (Output * outputs, guint n)
{
  for (guint i = 0; i < n; i++) {
    gst_clear_buffer (&outputs[i].buffer);
    gst_clear_object (&outputs[i].pad);
  }
}

/* `src` comes first, because its segment is sent with the buffer. */
static GstFlowReturn
push_outputs (GstStereoBase * self, Output * outputs, guint n)
{
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstFlowReturn combined, flow;
  gboolean released;

  combined = gst_aggregator_finish_buffer (aggregator,
      g_steal_pointer (&outputs[0].buffer));
  for (guint i = 1; i < n; i++) {
    if (combined == GST_FLOW_FLUSHING)
      break;
    flow = gst_stereo_result_pad_push (outputs[i].pad, aggregator->srcpad,
        g_steal_pointer (&outputs[i].buffer));
    GST_OBJECT_LOCK (self);
    released = outputs[i].pad->released;
    GST_OBJECT_UNLOCK (self);
    if (!released)
      combined = gst_stereo_flow_combine (combined, flow);
  }
  return combined;
}

/* Parameters for this frame; the matcher is configured anew if they changed. */
static gboolean
apply_params (GstStereoBase * self, GstBuffer * left)
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstClockTime stream_time = gst_segment_to_stream_time
      (&priv->sink[LEFT]->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (left));
  gboolean changed;

  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT_CAST (self), stream_time);
  GST_OBJECT_LOCK (self);
  changed = priv->params_serial != priv->applied_serial;
  GST_OBJECT_UNLOCK (self);
  return !changed || configure (self);
}

/* One pair in, one map out, or several. */
static GstFlowReturn
process_pair (GstStereoBase * self, GstBuffer * buffers[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstAggregator *aggregator = GST_AGGREGATOR (self);
  GstSegment *segment = &GST_AGGREGATOR_PAD (aggregator->srcpad)->segment;
  GstStereoFrame views[N_VIEWS] = { 0, };
  Output outputs[STEREO_N_RESULTS];
  GstFlowReturn flow;
  guint n_outputs;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  priv->current[LEFT] = buffers[LEFT];
  priv->current[RIGHT] = buffers[RIGHT];
  GST_OBJECT_UNLOCK (self);
  gst_aggregator_selected_samples (aggregator, GST_BUFFER_PTS (buffers[LEFT]),
      GST_BUFFER_DTS (buffers[LEFT]), GST_BUFFER_DURATION (buffers[LEFT]),
      NULL);
  GST_OBJECT_LOCK (self);
  priv->current[LEFT] = priv->current[RIGHT] = NULL;
  GST_OBJECT_UNLOCK (self);

  if (!apply_params (self, buffers[LEFT]))
    return GST_FLOW_ERROR;
  flow = open_outputs (self, outputs, &n_outputs);
  if (flow != GST_FLOW_OK) {
    close_outputs (outputs, n_outputs);
    return flow;
  }
  ok = map_views (self, buffers, views)
      && run_matcher (self, views, outputs, n_outputs);
  for (guint i = 0; i < N_VIEWS; i++) {
    if (views[i].frame.buffer != NULL)
      gst_stereo_frame_unmap (&views[i]);
  }
  if (!ok) {
    close_outputs (outputs, n_outputs);
    return GST_FLOW_ERROR;
  }

  for (guint i = 0; i < n_outputs; i++)
    describe_output (self, &outputs[i], buffers);
  priv->discont = FALSE;
  priv->unpaired_in_a_row = 0;
  GST_OBJECT_LOCK (self);
  priv->counters.paired++;
  if (GST_BUFFER_PTS_IS_VALID (outputs[0].buffer))
    segment->position = GST_BUFFER_PTS (outputs[0].buffer)
        + (GST_BUFFER_DURATION_IS_VALID (outputs[0].buffer)
        ? GST_BUFFER_DURATION (outputs[0].buffer) : 0);
  GST_OBJECT_UNLOCK (self);
  flow = push_outputs (self, outputs, n_outputs);
  close_outputs (outputs, n_outputs);
  return flow;
}

/* A pair is at the head of both queues. */
static GstFlowReturn
take_pair (GstStereoBase * self, GstBuffer * buffers[N_VIEWS],
    const GstClockTime times[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoGeometry geometry = { 0, };
  GstFlowReturn flow;

  if (!check_sizes (self, buffers, times, &flow))
    return flow;
  if (!priv->configured || !current_geometry (self, &geometry)
      || memcmp (&geometry, &priv->geometry, sizeof (geometry)) != 0) {
    /* Negotiation was asked for too early, when it had nothing to say yet. */
    gst_pad_mark_reconfigure (GST_AGGREGATOR_SRC_PAD (self));
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  }

  gst_aggregator_pad_drop_buffer (priv->sink[LEFT]);
  gst_aggregator_pad_drop_buffer (priv->sink[RIGHT]);
  if (too_late (self, buffers[LEFT], times[LEFT]))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  return process_pair (self, buffers);
}

/* What pairing has to know of a view's oldest buffer, next to the other view's
 * one. */
static void
make_candidate (GstStereoBase * self, gint view, GstBuffer * buffer,
    GstBuffer * other, GstStereoCandidate * candidate)
{
  GstAggregatorPad *pad = PRIV (self)->sink[view];
  GstClockTime image = running_duration (pad, GST_BUFFER_DURATION (other));
  GstClockTime earlier;

  candidate->time = running_time (pad, buffer);
  candidate->duration = running_duration (pad, GST_BUFFER_DURATION (buffer));
  candidate->gap = is_gap (buffer);

  /* Backwards, the timestamp of a gap belongs to the last image in it. */
  if (candidate->gap && pad->segment.rate < 0
      && GST_CLOCK_TIME_IS_VALID (candidate->time)
      && GST_CLOCK_TIME_IS_VALID (candidate->duration)
      && GST_CLOCK_TIME_IS_VALID (image) && candidate->duration > image) {
    earlier = candidate->duration - image;
    candidate->time -= MIN (candidate->time, earlier);
  }
}

static GstFlowReturn
decide (GstStereoBase * self, GstBuffer * buffers[N_VIEWS])
{
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoCandidate candidates[N_VIEWS];
  GstClockTime times[N_VIEWS];
  gint missing = LEFT;

  for (guint i = 0; i < N_VIEWS; i++) {
    make_candidate (self, (gint) i, buffers[i], buffers[!i], &candidates[i]);
    times[i] = running_time (priv->sink[i], buffers[i]);
  }

  switch (gst_stereo_pair (&candidates[LEFT], &candidates[RIGHT],
          tolerance_for (self, buffers))) {
    case GST_STEREO_PAIR_TAKE:
      return take_pair (self, buffers, times);
    case GST_STEREO_PAIR_DROP_LEFT:
      drop (self, LEFT, buffers[LEFT], "no partner in the other view");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_DROP_RIGHT:
      drop (self, RIGHT, buffers[RIGHT], "no partner in the other view");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_DROP_BOTH:
      drop (self, LEFT, buffers[LEFT], "no image");
      drop (self, RIGHT, buffers[RIGHT], "no image");
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    case GST_STEREO_PAIR_NO_TIME_RIGHT:
      missing = RIGHT;
      /* fallthrough */
    case GST_STEREO_PAIR_NO_TIME_LEFT:
    default:
      STEREO_ERROR (self, STREAM, FORMAT,
          ("Images on sink_%s have timestamps and those on sink_%s have none, "
              "so they can't be paired. Both need them, or neither.",
              view_names[!missing], view_names[missing]), (NULL));
      return GST_FLOW_ERROR;
  }
}

static GstFlowReturn
gst_stereo_base_aggregate (GstAggregator * aggregator, gboolean timeout)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstBuffer *buffers[N_VIEWS] = { NULL, };
  GstFlowReturn flow = GST_AGGREGATOR_FLOW_NEED_DATA;

  if (has_failed (self))
    return GST_FLOW_ERROR;

  for (guint i = 0; i < N_VIEWS; i++)
    buffers[i] = gst_aggregator_pad_peek_buffer (priv->sink[i]);
  if (buffers[LEFT] != NULL && buffers[RIGHT] != NULL)
    flow = decide (self, buffers);
  else if ((buffers[LEFT] == NULL
          && gst_aggregator_pad_is_eos (priv->sink[LEFT]))
      || (buffers[RIGHT] == NULL
          && gst_aggregator_pad_is_eos (priv->sink[RIGHT])))
    flow = end_of_stream (self);
  for (guint i = 0; i < N_VIEWS; i++)
    gst_clear_buffer (&buffers[i]);
  return flow;
}

/* For handlers of samples-selected: the pair that is about to be matched. */
static GstSample *
gst_stereo_base_peek_next_sample (GstAggregator * aggregator,
    GstAggregatorPad * pad)
{
  GstStereoBase *self = GST_STEREO_BASE (aggregator);
  GstStereoBasePrivate *priv = PRIV (self);
  GstBuffer *buffer = NULL;
  GstSample *sample = NULL;
  GstCaps *caps;

  GST_OBJECT_LOCK (self);
  if (priv->current[view_of (self, pad)] != NULL)
    buffer = gst_buffer_ref (priv->current[view_of (self, pad)]);
  GST_OBJECT_UNLOCK (self);
  if (buffer != NULL) {
    caps = gst_pad_get_current_caps (GST_PAD (pad));
    sample = gst_sample_new (buffer, caps, &pad->segment, NULL);
    gst_clear_caps (&caps);
    gst_buffer_unref (buffer);
  }
  return sample;
}

/* --------------------------------------------------------------- properties */

static GstStructure *
make_stats (GstStereoBase * self)
{
  GstStereoBasePrivate *priv = PRIV (self);
  StereoMatcherStats stats = { 0, };
  const gchar *backend = "none";
  Counters counters;

  GST_OBJECT_LOCK (self);
  counters = priv->counters;
  if (priv->matcher != NULL) {
    stereo_matcher_get_stats (priv->matcher, &stats);
    backend = stereo_device_backend (priv->device);
  }
  GST_OBJECT_UNLOCK (self);
  return gst_structure_new ("stereo-stats",
      "paired", G_TYPE_UINT64, counters.paired,
      "dropped-left", G_TYPE_UINT64, counters.dropped[LEFT],
      "dropped-right", G_TYPE_UINT64, counters.dropped[RIGHT],
      "qos-dropped", G_TYPE_UINT64, counters.qos_dropped,
      "processing-time-last", G_TYPE_UINT64, (guint64) stats.last_ns,
      "processing-time-mean", G_TYPE_UINT64,
      (guint64) (stats.frames > 0 ? stats.total_ns / stats.frames : 0),
      "device-memory", G_TYPE_UINT64, (guint64) stats.device_bytes,
      "backend", G_TYPE_STRING, backend, NULL);
}

static gdouble
number_from_value (const StereoParamSpec * spec, const GValue * value)
{
  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      return g_value_get_boolean (value);
    case STEREO_PARAM_INT:
      return g_value_get_int (value);
    case STEREO_PARAM_UINT:
      return g_value_get_uint (value);
    case STEREO_PARAM_ENUM:
      return g_value_get_enum (value);
    case STEREO_PARAM_DOUBLE:
      break;
  }
  return g_value_get_double (value);
}

static void
value_from_number (const StereoParamSpec * spec, gdouble number,
    GValue * value)
{
  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      g_value_set_boolean (value, number != 0);
      break;
    case STEREO_PARAM_INT:
      g_value_set_int (value, (gint) number);
      break;
    case STEREO_PARAM_UINT:
      g_value_set_uint (value, (guint) number);
      break;
    case STEREO_PARAM_ENUM:
      g_value_set_enum (value, (gint) number);
      break;
    case STEREO_PARAM_DOUBLE:
      g_value_set_double (value, number);
      break;
  }
}

static void
gst_stereo_base_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstStereoBase *self = GST_STEREO_BASE (object);
  GstStereoBasePrivate *priv = PRIV (self);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BACKEND:
      priv->backend = (GstStereoBackend) g_value_get_enum (value);
      break;
    case PROP_CUDA_DEVICE_ID:
      priv->cuda_device_id = g_value_get_int (value);
      break;
    case PROP_N_THREADS:
      priv->n_threads = g_value_get_uint (value);
      break;
    case PROP_SYNC_TOLERANCE:
      priv->sync_tolerance = g_value_get_uint64 (value);
      break;
    case PROP_QOS:
      priv->qos = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_base_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoBase *self = GST_STEREO_BASE (object);
  GstStereoBasePrivate *priv = PRIV (self);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, make_stats (self));
    return;
  }

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BACKEND:
      g_value_set_enum (value, priv->backend);
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, priv->cuda_device_id);
      break;
    case PROP_N_THREADS:
      g_value_set_uint (value, priv->n_threads);
      break;
    case PROP_SYNC_TOLERANCE:
      g_value_set_uint64 (value, priv->sync_tolerance);
      break;
    case PROP_QOS:
      g_value_set_boolean (value, priv->qos);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* The properties of a subclass are the algorithm's parameters, in the order of
 * its table, from 1. */
static void
gst_stereo_base_set_param (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstStereoBase *self = GST_STEREO_BASE (object);
  GstStereoBasePrivate *priv = PRIV (self);
  const StereoParamSpec *spec =
      stereo_algorithm_param (GST_STEREO_BASE_GET_CLASS (self)->algorithm,
      id - 1);
  StereoMessage why;
  StereoStatus status;

  GST_OBJECT_LOCK (self);
  status = stereo_params_set (priv->params, spec->name,
      number_from_value (spec, value), &why);
  if (status == STEREO_OK)
    priv->params_serial++;
  GST_OBJECT_UNLOCK (self);
  /* NaN is the one value that passes a GParamSpec */
  if (status != STEREO_OK)
    g_warning ("%s: %s", GST_OBJECT_NAME (self), why.text);
}

static void
gst_stereo_base_get_param (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoBase *self = GST_STEREO_BASE (object);
  GstStereoBasePrivate *priv = PRIV (self);
  const StereoParamSpec *spec =
      stereo_algorithm_param (GST_STEREO_BASE_GET_CLASS (self)->algorithm,
      id - 1);
  gdouble number;

  GST_OBJECT_LOCK (self);
  if (stereo_params_get (priv->params, spec->name, &number))
    value_from_number (spec, number, value);
  GST_OBJECT_UNLOCK (self);
}

/* "GstStereo" "Vcbw" "Windows" for the parameter "windows" of "vcbw". */
static GType
make_enum (const StereoAlgorithm * algorithm, const StereoParamSpec * spec)
{
  GString *name = g_string_new ("GstStereo");
  const gchar *words[] = { stereo_algorithm_name (algorithm), spec->name };
  guint n = (guint) spec->maximum + 1;
  GEnumValue *values = g_new0 (GEnumValue, n + 1);
  GType type;

  for (guint w = 0; w < G_N_ELEMENTS (words); w++) {
    gboolean upper = TRUE;

    for (const gchar * c = words[w]; *c != '\0'; c++) {
      if (*c == '-')
        upper = TRUE;
      else
        g_string_append_c (name, upper ? g_ascii_toupper (*c) : *c);
      if (*c != '-')
        upper = FALSE;
    }
  }
  for (guint i = 0; i < n; i++) {
    values[i].value = (gint) i;
    values[i].value_name = spec->values[i].blurb;
    values[i].value_nick = spec->values[i].nick;
  }
  type = g_type_from_name (name->str);
  if (type == 0) {
    /* values belongs to the type for good */
    type = g_enum_register_static (name->str, values);
    gst_type_mark_as_plugin_api (type, 0);
  } else {
    g_free (values);
  }
  g_string_free (name, TRUE);
  return type;
}

static GParamSpec *
make_pspec (const StereoAlgorithm * algorithm, const StereoParamSpec * spec)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING;
  gdouble initial = stereo_algorithm_param_initial (algorithm, spec);
  const gchar *name = spec->name, *blurb = spec->blurb;

  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      return g_param_spec_boolean (name, name, blurb, initial != 0, flags);
    case STEREO_PARAM_INT:
      return g_param_spec_int (name, name, blurb, (gint) spec->minimum,
          (gint) spec->maximum, (gint) initial, flags);
    case STEREO_PARAM_UINT:
      return g_param_spec_uint (name, name, blurb, (guint) spec->minimum,
          (guint) spec->maximum, (guint) initial, flags);
    case STEREO_PARAM_ENUM:
      return g_param_spec_enum (name, name, blurb, make_enum (algorithm, spec),
          (gint) initial, flags);
    case STEREO_PARAM_DOUBLE:
      break;
  }
  return g_param_spec_double (name, name, blurb, spec->minimum, spec->maximum,
      initial, flags);
}

void
gst_stereo_base_class_set_algorithm (GstStereoBaseClass * klass,
    const gchar * name)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const StereoParamSpec *spec;

  klass->algorithm = stereo_algorithm_find (name);
  g_assert (klass->algorithm != NULL);
  object_class->set_property = gst_stereo_base_set_param;
  object_class->get_property = gst_stereo_base_get_param;
  for (guint i = 0; (spec = stereo_algorithm_param (klass->algorithm, i)); i++)
    g_object_class_install_property (object_class, i + 1,
        make_pspec (klass->algorithm, spec));
  for (guint r = 0; r < STEREO_N_RESULTS; r++) {
    if (gst_stereo_result_pad_name ((StereoResult) r) != NULL
        && stereo_algorithm_has_result (klass->algorithm, (StereoResult) r))
      gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
          gst_stereo_result_pad_template ((StereoResult) r));
  }
}

/* ------------------------------------------------------------------ presets */

/* Of the scene and of the output, not of how to match. */
static const gchar *const not_in_presets[] = { "num-disparities",
  "min-disparity", "disparity-scale", "invalid-value", NULL
};

/* A preset says how to match, and nothing of the camera, of what the codes mean
 * or of the machine that computes. */
static gchar **
gst_stereo_base_get_preset_properties (GstPreset * preset)
{
  const StereoAlgorithm *algorithm =
      GST_STEREO_BASE_GET_CLASS (preset)->algorithm;
  GPtrArray *names = g_ptr_array_new ();
  const StereoParamSpec *spec;

  for (guint i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
    if (!g_strv_contains (not_in_presets, spec->name))
      g_ptr_array_add (names, g_strdup (spec->name));
  }
  g_ptr_array_add (names, NULL);
  return (gchar **) g_ptr_array_free (names, FALSE);
}

static void
gst_stereo_base_preset_init (GstPresetInterface * iface)
{
  iface->get_property_names = gst_stereo_base_get_preset_properties;
}

/* ------------------------------------------------------------------ element */

static GstPad *
gst_stereo_base_request_new_pad (GstElement * element,
    GstPadTemplate * pad_template, const gchar * name, const GstCaps * caps)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoResultPad *pad;
  StereoResult result;
  gboolean taken;

  if (!gst_stereo_result_of_template (pad_template, &result))
    return GST_ELEMENT_CLASS (gst_stereo_base_parent_class)->request_new_pad
        (element, pad_template, name, caps);

  pad = g_object_new (GST_TYPE_STEREO_RESULT_PAD,
      "name", gst_stereo_result_pad_name (result), "direction", GST_PAD_SRC,
      "template", pad_template, NULL);
  gst_object_ref_sink (pad);
  pad->result = result;
  gst_pad_set_event_function (GST_PAD (pad), result_pad_event);
  gst_pad_set_query_function (GST_PAD (pad), result_pad_query);

  GST_OBJECT_LOCK (self);
  taken = priv->results[result] != NULL;
  if (!taken)
    priv->results[result] = pad;
  GST_OBJECT_UNLOCK (self);
  if (taken) {
    GST_WARNING_OBJECT (self, "there is a pad %s already",
        gst_stereo_result_pad_name (result));
    gst_object_unref (pad);
    return NULL;
  }
  gst_pad_set_active (GST_PAD (pad), TRUE);
  gst_element_add_pad (element, GST_PAD (pad));
  gst_object_unref (pad);
  return GST_PAD (pad);
}

static void
gst_stereo_base_release_pad (GstElement * element, GstPad * pad)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoBasePrivate *priv = PRIV (self);
  GstStereoResultPad *result_pad;

  if (!GST_IS_STEREO_RESULT_PAD (pad)) {
    GST_ELEMENT_CLASS (gst_stereo_base_parent_class)->release_pad (element,
        pad);
    return;
  }

  result_pad = GST_STEREO_RESULT_PAD (pad);
  GST_OBJECT_LOCK (self);
  result_pad->released = TRUE;
  if (priv->results[result_pad->result] == result_pad)
    priv->results[result_pad->result] = NULL;
  GST_OBJECT_UNLOCK (self);
  /* The task may be pushing there; it comes back with FLUSHING. */
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (element, pad);
}

static GstStateChangeReturn
gst_stereo_base_change_state (GstElement * element, GstStateChange transition)
{
  GstStereoBase *self = GST_STEREO_BASE (element);
  GstStereoResultPad *pads[STEREO_N_RESULTS];
  GstStateChangeReturn result;
  guint n = 0;

  /* The task of `src` is waited for, and may hang in one of these. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    n = get_result_pads (self, pads);
    for (guint i = 0; i < n; i++)
      gst_pad_set_active (GST_PAD (pads[i]), FALSE);
  }
  result = GST_ELEMENT_CLASS (gst_stereo_base_parent_class)->change_state
      (element, transition);
  for (guint i = 0; i < n; i++) {
    gst_stereo_result_pad_set_pool (pads[i], NULL, NULL);
    pads[i]->discont = TRUE;
  }
  unref_result_pads (pads, n);
  return result;
}

/* -------------------------------------------------------------------- class */

static void
gst_stereo_base_constructed (GObject * object)
{
  GstStereoBase *self = GST_STEREO_BASE (object);
  StereoStatus status;

  G_OBJECT_CLASS (gst_stereo_base_parent_class)->constructed (object);
  status = stereo_params_new (GST_STEREO_BASE_GET_CLASS (self)->algorithm,
      &PRIV (self)->params);
  if (status != STEREO_OK)
    g_error ("no memory for the parameters of %s", GST_OBJECT_NAME (self));
}

static void
gst_stereo_base_dispose (GObject * object)
{
  GstStereoBase *self = GST_STEREO_BASE (object);

  GST_OBJECT_LOCK (self);
  memset (PRIV (self)->results, 0, sizeof (PRIV (self)->results));
  GST_OBJECT_UNLOCK (self);
  G_OBJECT_CLASS (gst_stereo_base_parent_class)->dispose (object);
}

static void
gst_stereo_base_finalize (GObject * object)
{
  stereo_params_free (&PRIV (GST_STEREO_BASE (object))->params);
  G_OBJECT_CLASS (gst_stereo_base_parent_class)->finalize (object);
}

static void
gst_stereo_base_init (GstStereoBase * self)
{
  static const gchar *const names[N_VIEWS] = { "sink_left", "sink_right" };
  GstStereoBasePrivate *priv = PRIV (self);

  for (guint i = 0; i < N_VIEWS; i++) {
    GstPadTemplate *template =
        gst_element_class_get_pad_template (GST_ELEMENT_GET_CLASS (self),
        names[i]);

    priv->sink[i] = g_object_new (GST_TYPE_AGGREGATOR_PAD, "name", names[i],
        "direction", GST_PAD_SINK, "template", template, NULL);
    gst_pad_add_probe (GST_PAD (priv->sink[i]),
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, look_at_event, self, NULL);
    gst_element_add_pad (GST_ELEMENT_CAST (self), GST_PAD (priv->sink[i]));
  }
  priv->backend = DEFAULT_BACKEND;
  priv->cuda_device_id = DEFAULT_CUDA_DEVICE_ID;
  priv->n_threads = DEFAULT_N_THREADS;
  priv->sync_tolerance = DEFAULT_SYNC_TOLERANCE;
  priv->qos = DEFAULT_QOS;
  reset_qos (self);
  gst_pad_add_probe (GST_AGGREGATOR_SRC_PAD (self),
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      look_at_src_event, self, NULL);
}

static void
gst_stereo_base_class_init (GstStereoBaseClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *aggregator_class = GST_AGGREGATOR_CLASS (klass);
  const GParamFlags ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;
  const GParamFlags playing = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_PLAYING;

  object_class->constructed = gst_stereo_base_constructed;
  object_class->dispose = gst_stereo_base_dispose;
  object_class->finalize = gst_stereo_base_finalize;
  object_class->set_property = gst_stereo_base_set_property;
  object_class->get_property = gst_stereo_base_get_property;

  element_class->request_new_pad = gst_stereo_base_request_new_pad;
  element_class->release_pad = gst_stereo_base_release_pad;
  element_class->change_state = gst_stereo_base_change_state;

  aggregator_class->start = gst_stereo_base_start;
  aggregator_class->stop = gst_stereo_base_stop;
  aggregator_class->flush = gst_stereo_base_flush;
  aggregator_class->sink_event = gst_stereo_base_sink_event;
  aggregator_class->sink_query = gst_stereo_base_sink_query;
  aggregator_class->src_event = gst_stereo_base_src_event;
  aggregator_class->clip = gst_stereo_base_clip;
  aggregator_class->aggregate = gst_stereo_base_aggregate;
  aggregator_class->negotiate = gst_stereo_base_negotiate;
  aggregator_class->update_src_caps = gst_stereo_base_update_src_caps;
  aggregator_class->negotiated_src_caps = gst_stereo_base_negotiated_src_caps;
  aggregator_class->propose_allocation = gst_stereo_base_propose_allocation;
  aggregator_class->decide_allocation = gst_stereo_base_decide_allocation;
  aggregator_class->peek_next_sample = gst_stereo_base_peek_next_sample;

  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_left_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &sink_right_template, GST_TYPE_AGGREGATOR_PAD);
  gst_element_class_add_static_pad_template_with_gtype (element_class,
      &src_template, GST_TYPE_AGGREGATOR_PAD);

  /**
   * GstStereoBase:backend:
   *
   * What computes. `auto` takes CUDA if there is a device that works, and the
   * CPU if not; which one it is, is told in an INFO message. Both give the same
   * bytes.
   */
  g_object_class_install_property (object_class, PROP_BACKEND,
      g_param_spec_enum ("backend", "backend", "What computes",
          GST_TYPE_STEREO_BACKEND, DEFAULT_BACKEND, ready));

  /**
   * GstStereoBase:cuda-device-id:
   *
   * CUDA device to use, counted from 0; -1 takes the first one that works.
   */
  g_object_class_install_property (object_class, PROP_CUDA_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "cuda-device-id",
          "CUDA device to use (-1 = the first one that works)", -1, G_MAXINT,
          DEFAULT_CUDA_DEVICE_ID, ready));

  /**
   * GstStereoBase:n-threads:
   *
   * Threads on the CPU; 0 takes one for each processor.
   */
  g_object_class_install_property (object_class, PROP_N_THREADS,
      g_param_spec_uint ("n-threads", "n-threads",
          "Threads on the CPU (0 = one for each processor)", 0, 1024,
          DEFAULT_N_THREADS, ready));

  /**
   * GstStereoBase:sync-tolerance:
   *
   * By how many nanoseconds the running times of a left and a right image may
   * differ for the two to be a pair. By default half the duration of an image,
   * the shorter one if they differ, or a millisecond where that is not known.
   * Images without a partner are dropped, counted in #GstStereoBase:stats and
   * told about in element messages called `stereo-unpaired`.
   */
  g_object_class_install_property (object_class, PROP_SYNC_TOLERANCE,
      g_param_spec_uint64 ("sync-tolerance", "sync-tolerance",
          "Largest difference of the times of a pair, in nanoseconds (-1 = "
          "half the duration of an image)", 0, G_MAXUINT64,
          DEFAULT_SYNC_TOLERANCE, playing));

  /**
   * GstStereoBase:qos:
   *
   * Skip pairs that would arrive too late downstream. Programs that want every
   * frame, however long it takes, set this to FALSE.
   */
  g_object_class_install_property (object_class, PROP_QOS,
      g_param_spec_boolean ("qos", "qos",
          "Skip pairs that would be too late downstream", DEFAULT_QOS,
          playing));

  /**
   * GstStereoBase:stats:
   *
   * A structure `stereo-stats` with `paired`, `dropped-left`, `dropped-right`
   * and `qos-dropped` (images and pairs since the element started, guint64),
   * `processing-time-last` and `processing-time-mean` (of finished pairs, in
   * nanoseconds, guint64), `device-memory` (bytes held on a GPU, guint64) and
   * `backend` (what computes, string).
   */
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("stats", "stats", "What happened so far",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_BASE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_BACKEND, 0);
}
