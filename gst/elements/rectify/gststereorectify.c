/* gst-stereomatching: the element stereorectify
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereorectify
 * @title: stereorectify
 * @short_description: rectified views from a calibration
 *
 * Rectifies one view of a stereo camera: it removes the distortion of the lens
 * and rotates the view so that a point is on the same row of both views, as
 * matchers require. Use one element for each view. Rectified views have square
 * pixels.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 filesrc location=side-by-side.webm ! decodebin ! stereosplit name=s layout=side-by-side  s.src_left ! queue ! stereorectify calibration=stereo.yml ! m.sink_left  s.src_right ! queue ! stereorectify calibration=stereo.yml ! m.sink_right  stereosgm name=m num-disparities=32 fill=false ! disparitydepth ! filesink location=depth.raw
 * ]| Computes depth in millimetres from a recording of both cameras.
 *
 * ## Calibration
 *
 * #GstStereoRectify:calibration names the files of a calibration, separated
 * like a search path: OpenCV's YAML (`intrinsics.yml` and `extrinsics.yml`, or
 * one file), two `camera_info` files of ROS, a camchain of Kalibr, or
 * `SN*.conf` of a ZED camera. docs/calibration.md describes their contents, and
 * how to make one. The video has the size of the calibration, or a whole
 * multiple of it.
 *
 * Rectifying rotations and projections in the file (OpenCV's R1 and P1, ROS)
 * are used unchanged. Otherwise they are computed, and #GstStereoRectify:alpha
 * chooses between a view without empty corners and one that keeps all source
 * pixels.
 *
 * #GstStereoRectify:field-of-view sets the width of the view instead, and is
 * necessary with lenses of 180 degrees and more. #GstStereoRectify:projection
 * chooses between a plane and a cylinder around the baseline.
 *
 * The view is #GstStereoRectify:view or, by default, the `multiview-mode` of
 * the caps, which stereosplit sets. Every buffer gets a `GstStereoCameraMeta`
 * with focal length, principal point and baseline. Matchers pass it on, so
 * disparitydepth needs no properties.
 *
 * ## Corrections
 *
 * A matcher with `alignment=correct` measures whether points are on the same
 * row of both views, and sends what is missing upstream
 * (docs/alignment-pipelines.md). Unless #GstStereoRectify:corrections is false,
 * the element takes that correction, applies it to the next buffer, in the same
 * interpolation as the calibration, and marks buffers with it in the
 * `GstStereoCameraMeta`. Without a calibration it passes buffers through until
 * a correction comes, so it also rectifies cameras without any calibration.
 *
 * |[
 * gst-launch-1.0 stereotestsrc roll=0.4 rows=2 view=side-by-side pattern=corridor num-buffers=30 ! stereosplit name=s layout=side-by-side  s.src_left ! queue ! stereorectify ! m.sink_left  s.src_right ! queue ! stereorectify ! m.sink_right  stereosgm name=m alignment=correct ! fakesink
 * ]| Rectifies a camera that is not aligned, from its views alone.
 *
 * Since: 0.1
 */

#include "base/gststereocuda.h"
#include "base/gststereocamerameta.h"
#include "base/gststereocorrection.h"
#include "filter/gststereofilter.h"
#include "base/gststereocapslimit.h"
#include "base/gststereometa.h"
#include "elements/rectify/gststereocalibration.h"
#include "elements/color/gststereocolor.h"
#include "elements/gststereoelements.h"
#include "geometry/rectify.h"

#include <math.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_stereo_rectify_debug);
#define GST_CAT_DEFAULT gst_stereo_rectify_debug

typedef enum
{
  GST_STEREO_RECTIFY_AUTO,
  GST_STEREO_RECTIFY_LEFT,
  GST_STEREO_RECTIFY_RIGHT
} GstStereoRectifyView;

#define DEFAULT_VIEW GST_STEREO_RECTIFY_AUTO
#define DEFAULT_PROJECTION STEREO_PROJECTION_PLANE
#define DEFAULT_FIELD_OF_VIEW 0.0
#define DEFAULT_CALIBRATION NULL
#define DEFAULT_CALIBRATION_UNIT 1.0
#define DEFAULT_ALPHA 0.0
#define DEFAULT_BORDER 0xff000000
#define DEFAULT_CORRECTIONS TRUE

/* Plausible baselines, in metres. */
#define MIN_BASELINE 0.001
#define MAX_BASELINE 5.0

/* Plausible distance of the principal point from the image centre, relative to
 * the size. */
#define MAX_OFF_CENTER 0.2

enum
{
  PROP_0,
  PROP_VIEW,
  PROP_CALIBRATION,
  PROP_CALIBRATION_UNIT,
  PROP_ALPHA,
  PROP_BORDER,
  PROP_PROJECTION,
  PROP_FIELD_OF_VIEW,
  PROP_CORRECTIONS,
  PROP_DEVICE                   /* and further ones of the device */
};

#define GST_TYPE_STEREO_RECTIFY (gst_stereo_rectify_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoRectify, gst_stereo_rectify, GST,
    STEREO_RECTIFY, GstStereoFilter)

struct _GstStereoRectify
{
  GstStereoFilter parent;

  /* Under the object lock. */
  GstStereoRectifyView view;
  gchar *calibration;
  gdouble calibration_unit;
  StereoRectifiedShape shape;
  guint border;
  gboolean corrections;
  gint width, height;           /* of the caps, or 0 */
  /* The last one that a matcher asked for; serial 0 = none. */
  GstStereoCorrectionRequest request;

  /* Streaming thread only. */
  GstStereoCorrectionRequest applied;
  gboolean has_calibration;
  gboolean is_right;
  gboolean warned;              /* since the element started */
  StereoRectification rectification;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoRectify, gst_stereo_rectify,
    GST_TYPE_STEREO_FILTER,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_rectify_debug, "stereorectify", 0,
        "Rectified views from a calibration"));

GST_ELEMENT_REGISTER_DEFINE (stereorectify, "stereorectify", GST_RANK_NONE,
    GST_TYPE_STEREO_RECTIFY);

#define FORMATS "{ GRAY8, NV12, I420, Y444, RGB, BGR, RGBx, BGRx, xRGB, " \
    "xBGR, RGBA, BGRA, ARGB, ABGR }"
#define CUDA_FORMATS "{ NV12, I420, Y444, RGB, BGR, RGBx, BGRx, RGBA, BGRA, " \
    "ARGB, ABGR }"
#define VIEW_CAPS GST_VIDEO_CAPS_MAKE (FORMATS) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (GST_STEREO_CUDA_FEATURE, CUDA_FORMATS)

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (VIEW_CAPS));

static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (VIEW_CAPS));

static GType
gst_stereo_rectify_view_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_STEREO_RECTIFY_AUTO, "Multiview mode of the caps", "auto"},
    {GST_STEREO_RECTIFY_LEFT, "Left view", "left"},
    {GST_STEREO_RECTIFY_RIGHT, "Right view", "right"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoRectifyView", values));
  return type;
}

static GType
gst_stereo_rectify_projection_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {STEREO_PROJECTION_PLANE, "Plane", "plane"},
    {STEREO_PROJECTION_CYLINDER, "Cylinder around the baseline", "cylinder"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstStereoRectifyProjection", values));
  return type;
}

/* -------------------------------------------------------------- calibration */

/* FALSE with an error posted. */
static gboolean
choose_view (GstStereoRectify * self, GstStereoRectifyView view)
{
  GstStereoFilter *filter = GST_STEREO_FILTER (self);
  GstVideoMultiviewMode mode = GST_VIDEO_INFO_MULTIVIEW_MODE (&filter->in_info);

  if (view == GST_STEREO_RECTIFY_AUTO
      && mode == GST_VIDEO_MULTIVIEW_MODE_LEFT)
    view = GST_STEREO_RECTIFY_LEFT;
  if (view == GST_STEREO_RECTIFY_AUTO
      && mode == GST_VIDEO_MULTIVIEW_MODE_RIGHT)
    view = GST_STEREO_RECTIFY_RIGHT;
  self->is_right = view == GST_STEREO_RECTIFY_RIGHT;
  if (view != GST_STEREO_RECTIFY_AUTO)
    return TRUE;
  GST_STEREO_FAIL (&filter->failure, LIBRARY, SETTINGS,
      ("The caps on sink have no multiview-mode of a left or right view. Set "
          "view=left or view=right."), (NULL));
  return FALSE;
}

static gboolean
is_off_center (gdouble position, gint size)
{
  return fabs (position + 0.5 - size / 2.0) > MAX_OFF_CENTER * size;
}

/* Whether the right camera of the calibration is left of the left one. */
static gboolean
is_swapped (const StereoCalibration * c)
{
  const gdouble *r = c->rotation, *t = c->translation;

  if (c->has_rectification[STEREO_LEFT])
    return c->projection[STEREO_RIGHT][3] > 0;
  return r[0] * t[0] + r[3] * t[1] + r[6] * t[2] > 0;
}

/* Warns once about a calibration that is valid but implausible.  Only the left
 * view warns, because maps carry its camera. */
static void
check_plausible (GstStereoRectify * self, const StereoCalibration * calibration)
{
  const StereoRectification *r = &self->rectification;
  const StereoCamera *c = &calibration->camera[STEREO_LEFT];

  if (self->warned || self->is_right)
    return;
  self->warned = TRUE;
  if (is_swapped (calibration))
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("In the calibration, the right camera is on the left of the left "
            "one. If the views are swapped, exchange them and calibrate again; "
            "otherwise correct the sign of the translation."), (NULL));
  else if (r->baseline > 0
      && (r->baseline < MIN_BASELINE || r->baseline > MAX_BASELINE))
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The calibration has a baseline of %g m. If the cameras have another "
            "distance, set calibration-unit to the length unit of the file, "
            "in metres (0.001 for millimetres).", r->baseline), (NULL));
  else if (c->width == 0 && (is_off_center (c->cx, r->width)
          || is_off_center (c->cy, r->height)))
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The calibration has no image size, and its principal point, (%g, "
            "%g), is far from the centre of video of %dx%d. If it is for "
            "another size, add image_width and image_height to the file.",
            c->cx, c->cy, r->width, r->height), (NULL));
}

/* Reads the files and computes the rectification of this view. */
static gboolean
load_calibration (GstStereoRectify * self, const gchar * paths, gdouble unit,
    GstStereoRectifyView view, const StereoRectifiedShape * shape)
{
  GstStereoFilter *filter = GST_STEREO_FILTER (self);
  const gint width = GST_VIDEO_INFO_WIDTH (&filter->in_info);
  const gint height = GST_VIDEO_INFO_HEIGHT (&filter->in_info);
  StereoCalibration calibration;
  StereoMessage why = { "" };

  if (!gst_stereo_calibration_load (&calibration, paths, unit, width, height,
          &why)) {
    GST_STEREO_FAIL (&filter->failure, RESOURCE, READ,
        ("Cannot use the calibration: %s.", why.text), (NULL));
    return FALSE;
  }
  if (!choose_view (self, view))
    return FALSE;
  if (stereo_rectification_init (&self->rectification, &calibration,
          self->is_right ? STEREO_RIGHT : STEREO_LEFT, width, height, shape,
          &why) != STEREO_OK) {
    GST_STEREO_FAIL (&filter->failure, RESOURCE, SETTINGS,
        ("Cannot use the calibration: %s: %s.", paths, why.text), (NULL));
    return FALSE;
  }
  check_plausible (self, &calibration);
  return TRUE;
}

/* Whether the element can work without a calibration.  Posts an error if
 * not. */
static gboolean
check_corrections (GstStereoRectify * self, gboolean corrections)
{
  GstStereoFilter *filter = GST_STEREO_FILTER (self);

  if (!corrections)
    GST_STEREO_FAIL (&filter->failure, LIBRARY, SETTINGS,
        ("Cannot rectify without a calibration. Set calibration to the file "
            "or files of the cameras, or corrections=true to take those of a "
            "matcher."), (NULL));
  return corrections;
}

static gboolean
gst_stereo_rectify_set_info (GstStereoFilter * filter)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (filter);
  StereoRectifiedShape shape;
  GstStereoRectifyView view;
  gboolean ok, corrections;
  gdouble unit;
  gchar *paths;

  GST_OBJECT_LOCK (self);
  view = self->view;
  unit = self->calibration_unit;
  shape = self->shape;
  paths = g_strdup (self->calibration);
  corrections = self->corrections;
  self->width = GST_VIDEO_INFO_WIDTH (&filter->in_info);
  self->height = GST_VIDEO_INFO_HEIGHT (&filter->in_info);
  /* a correction belongs to a size */
  if (self->request.correction.width != self->width
      || self->request.correction.height != self->height)
    memset (&self->request, 0, sizeof (self->request));
  GST_OBJECT_UNLOCK (self);

  self->has_calibration = paths != NULL && paths[0] != '\0';
  ok = self->has_calibration
      ? load_calibration (self, paths, unit, view, &shape)
      : check_corrections (self, corrections);
  g_free (paths);
  return ok;
}

/* -------------------------------------------------------------- corrections */

/* Takes a correction of a matcher, from any thread. */
static gboolean
take_correction (GstStereoRectify * self, GstEvent * event)
{
  GstStereoCorrectionRequest request;
  StereoMessage why;
  gboolean fits;

  if (!gst_stereo_correction_event_parse (event, &request, &why)) {
    GST_WARNING_OBJECT (self, "refused: the event %s: %" GST_PTR_FORMAT,
        why.text, event);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  /* The matcher may still be at buffers of the last size. */
  fits = request.correction.width == self->width
      && request.correction.height == self->height;
  if (fits)
    self->request = request;
  GST_OBJECT_UNLOCK (self);
  GST_DEBUG_OBJECT (self, "correction %u%s", request.correction.serial,
      fits ? "" : " is of another size");
  return TRUE;
}

static gboolean
gst_stereo_rectify_src_event (GstBaseTransform * trans, GstEvent * event)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (trans);
  gboolean takes, taken;

  GST_OBJECT_LOCK (self);
  takes = self->corrections;
  GST_OBJECT_UNLOCK (self);
  if (!takes || !gst_stereo_correction_event_check (event))
    return GST_BASE_TRANSFORM_CLASS (gst_stereo_rectify_parent_class)
        ->src_event (trans, event);
  taken = take_correction (self, event);
  gst_event_unref (event);
  return taken;
}

/* Whether buffers leave as they come. */
static gboolean
is_passthrough (GstStereoRectify * self)
{
  return self->parent.may_pass
      && gst_stereo_correction_is_identity (&self->applied.correction);
}

static void
update_passthrough (GstStereoRectify * self)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  gboolean passthrough = is_passthrough (self);

  if (gst_base_transform_is_passthrough (trans) == passthrough)
    return;
  gst_base_transform_set_passthrough (trans, passthrough);
  /* another pool */
  gst_base_transform_reconfigure_src (trans);
}

static gboolean
gst_stereo_rectify_set_caps (GstBaseTransform * trans, GstCaps * in,
    GstCaps * out)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (trans);

  if (!GST_BASE_TRANSFORM_CLASS (gst_stereo_rectify_parent_class)->set_caps
      (trans, in, out))
    return FALSE;
  self->parent.may_pass = !self->has_calibration
      && gst_caps_is_equal (in, out);
  gst_base_transform_set_passthrough (trans, is_passthrough (self));
  return TRUE;
}

/* Before each buffer: begins with a new correction. */
static GstFlowReturn
gst_stereo_rectify_submit_input_buffer (GstBaseTransform * trans,
    gboolean is_discont, GstBuffer * buffer)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (trans);
  GstStereoCorrectionRequest request;

  GST_OBJECT_LOCK (self);
  request = self->request;
  GST_OBJECT_UNLOCK (self);
  if (request.is_right != self->applied.is_right
      || !gst_stereo_correction_equal (&request.correction,
          &self->applied.correction))
    GST_STEREO_FILTER (self)->run.configured[0] = FALSE;
  self->applied = request;
  if (gst_pad_has_current_caps (trans->sinkpad))
    update_passthrough (self);
  return GST_BASE_TRANSFORM_CLASS (gst_stereo_rectify_parent_class)
      ->submit_input_buffer (trans, is_discont, buffer);
}

/* ------------------------------------------------------------------ frames */

/* Converts a colour to the bytes of a pixel, or to Y, U and V. */
static void
convert_border (const GstVideoInfo * info, guint32 argb, guint8 border[4])
{
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gdouble rgb[3], kr = 0.299, kb = 0.114, y;
  guint32 pixel = gst_stereo_color_pack (info->finfo, argb);

  if (GST_VIDEO_INFO_IS_RGB (info)) {
    memcpy (border, &pixel, sizeof (pixel));
    return;
  }
  for (guint i = 0; i < 3; i++)
    rgb[i] = (argb >> (16 - 8 * i) & 255) / 255.0;
  if (GST_VIDEO_INFO_IS_YUV (info))
    gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr, &kb);
  gst_video_color_range_offsets (info->colorimetry.range, info->finfo, offset,
      scale);
  y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
  border[0] = (guint8) (offset[0] + scale[0] * y + 0.5);
  border[1] = border[2] = 128;
  if (GST_VIDEO_INFO_IS_YUV (info)) {
    /* pure colours reach 256 in full range */
    border[1] = (guint8) MIN (offset[1] + scale[1] * (rgb[2] - y)
        / (2 * (1 - kb)) + 0.5, 255);
    border[2] = (guint8) MIN (offset[2] + scale[2] * (rgb[0] - y)
        / (2 * (1 - kr)) + 0.5, 255);
  }
  border[3] = 255;
}

static gboolean
gst_stereo_rectify_prepare (GstStereoFilter * filter,
    const GstStereoFrame * in, const GstStereoFrame * out)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (filter);
  const StereoPortSetup setup = stereo_port_setup_of (&in->image);
  StereoRectifyParams params = {
    .rectification = self->has_calibration ? &self->rectification : NULL,
    .correction = gst_stereo_correction_is_identity (&self->applied.correction)
        ? NULL : &self->applied.correction,
    .view = self->applied.is_right ? STEREO_RIGHT : STEREO_LEFT,
  };
  guint border;

  if (filter->run.configured[0])
    return TRUE;
  GST_OBJECT_LOCK (self);
  border = self->border;
  GST_OBJECT_UNLOCK (self);
  convert_border (&filter->in_info, border, params.border);
  return gst_stereo_run_configure (&filter->run, 0, &setup, &setup, &params);
}

static void
gst_stereo_rectify_add_metas (GstStereoFilter * filter, GstBuffer * buffer)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (filter);
  const StereoRectification *r = &self->rectification;
  const GstStereoCamera camera = {
    .is_right = self->is_right,
    .focal_length = r->focal_length,
    .cx = r->cx,
    .cy = r->cy,
    .baseline = r->baseline,
    .doffs = r->doffs,
    .projection = r->projection,
  };

  if (self->has_calibration)
    gst_stereo_camera_meta_add (buffer, &camera);
  if (self->applied.correction.serial != 0)
    gst_stereo_correction_add_to_buffer (buffer, &self->applied.correction);
}

/* Adds the caps in the other kind of memory.  Takes caps. */
static GstCaps *
add_other_memory (GstCaps * caps)
{
  GstCaps *both = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *s = gst_caps_get_structure (caps, i);
    GstCapsFeatures *features = gst_caps_get_features (caps, i);

    gst_caps_append_structure_full (both, gst_structure_copy (s),
        gst_caps_features_copy (features));
    gst_caps_append_structure_full (both, gst_structure_copy (s),
        gst_caps_features_contains (features, GST_STEREO_CUDA_FEATURE) ? NULL
        : gst_caps_features_new (GST_STEREO_CUDA_FEATURE, NULL));
  }
  gst_caps_unref (caps);
  return both;
}

/* Rectified views have square pixels, whatever those of the cameras are.  Takes
 * caps, which are from the pad with this direction. */
static GstCaps *
square_pixels (GstStereoRectify * self, GstPadDirection direction,
    GstCaps * caps)
{
  gboolean calibrated;

  GST_OBJECT_LOCK (self);
  calibrated = self->calibration != NULL && self->calibration[0] != '\0';
  GST_OBJECT_UNLOCK (self);
  if (!calibrated)
    return caps;
  caps = gst_caps_make_writable (caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *s = gst_caps_get_structure (caps, i);

    gst_structure_remove_field (s, "pixel-aspect-ratio");
    if (direction == GST_PAD_SINK)
      gst_structure_set (s, "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1,
          NULL);
  }
  return caps;
}

/* Both pads have the same caps except for the memory and the shape of pixels.
 * The CPU writes system memory only. */
static GstCaps *
gst_stereo_rectify_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  GstCaps *formats = direction == GST_PAD_SINK
      && !gst_stereo_device_has_context (&GST_STEREO_FILTER (trans)->device)
      ? gst_caps_from_string (GST_VIDEO_CAPS_MAKE (FORMATS))
      : gst_pad_get_pad_template_caps (trans->sinkpad);
  GstCaps *ours = gst_caps_is_any (caps) ? gst_caps_ref (formats)
      : add_other_memory (gst_caps_ref (caps));
  GstCaps *result = gst_caps_intersect_full (ours, formats,
      GST_CAPS_INTERSECT_FIRST);

  gst_caps_unref (ours);
  gst_caps_unref (formats);
  return gst_stereo_caps_filter (square_pixels (GST_STEREO_RECTIFY (trans),
          direction, result), filter);
}

static gboolean
gst_stereo_rectify_stop (GstBaseTransform * trans)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (trans);

  self->warned = FALSE;
  memset (&self->applied, 0, sizeof (self->applied));
  GST_OBJECT_LOCK (self);
  memset (&self->request, 0, sizeof (self->request));
  self->width = self->height = 0;
  GST_OBJECT_UNLOCK (self);
  return GST_BASE_TRANSFORM_CLASS (gst_stereo_rectify_parent_class)->stop
      (trans);
}

/* -------------------------------------------------------------- properties */

static void
gst_stereo_rectify_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_VIEW:
      self->view = (GstStereoRectifyView) g_value_get_enum (value);
      break;
    case PROP_CALIBRATION:
      g_free (self->calibration);
      self->calibration = g_value_dup_string (value);
      break;
    case PROP_CALIBRATION_UNIT:
      self->calibration_unit = g_value_get_double (value);
      break;
    case PROP_ALPHA:
      self->shape.alpha = g_value_get_double (value);
      break;
    case PROP_PROJECTION:
      self->shape.projection = (StereoProjection) g_value_get_enum (value);
      break;
    case PROP_FIELD_OF_VIEW:
      self->shape.field_of_view = g_value_get_double (value);
      break;
    case PROP_BORDER:
      self->border = g_value_get_uint (value);
      break;
    case PROP_CORRECTIONS:
      self->corrections = g_value_get_boolean (value);
      break;
    default:
      gst_stereo_device_set_property (&self->parent.device, id - PROP_DEVICE,
          value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_rectify_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoRectify *self = GST_STEREO_RECTIFY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_VIEW:
      g_value_set_enum (value, self->view);
      break;
    case PROP_CALIBRATION:
      g_value_set_string (value, self->calibration);
      break;
    case PROP_CALIBRATION_UNIT:
      g_value_set_double (value, self->calibration_unit);
      break;
    case PROP_ALPHA:
      g_value_set_double (value, self->shape.alpha);
      break;
    case PROP_PROJECTION:
      g_value_set_enum (value, (gint) self->shape.projection);
      break;
    case PROP_FIELD_OF_VIEW:
      g_value_set_double (value, self->shape.field_of_view);
      break;
    case PROP_BORDER:
      g_value_set_uint (value, self->border);
      break;
    case PROP_CORRECTIONS:
      g_value_set_boolean (value, self->corrections);
      break;
    default:
      gst_stereo_device_get_property (&self->parent.device, id - PROP_DEVICE,
          value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* ------------------------------------------------------------------- class */

static void
gst_stereo_rectify_finalize (GObject * object)
{
  g_free (GST_STEREO_RECTIFY (object)->calibration);
  G_OBJECT_CLASS (gst_stereo_rectify_parent_class)->finalize (object);
}

static void
gst_stereo_rectify_init (GstStereoRectify * self)
{
  self->view = DEFAULT_VIEW;
  self->calibration_unit = DEFAULT_CALIBRATION_UNIT;
  self->shape.projection = DEFAULT_PROJECTION;
  self->shape.field_of_view = DEFAULT_FIELD_OF_VIEW;
  self->shape.alpha = DEFAULT_ALPHA;
  self->border = DEFAULT_BORDER;
  self->corrections = DEFAULT_CORRECTIONS;
}

static void
install_properties (GObjectClass * klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  /**
   * GstStereoRectify:view:
   *
   * View to rectify. `auto` takes the `multiview-mode` of the caps.
   */
  g_object_class_install_property (klass, PROP_VIEW,
      g_param_spec_enum ("view", "view", "View to rectify (auto = from caps)",
          gst_stereo_rectify_view_get_type (), DEFAULT_VIEW, flags));

  /**
   * GstStereoRectify:calibration:
   *
   * Calibration files, separated like a search path.
   */
  g_object_class_install_property (klass, PROP_CALIBRATION,
      g_param_spec_string ("calibration", "calibration",
          "Calibration files, separated like a search path",
          DEFAULT_CALIBRATION, flags));

  /**
   * GstStereoRectify:calibration-unit:
   *
   * Length unit of OpenCV calibration files, in metres: that of the square size
   * given to the calibration. 0.025 if squares of 25 mm were given as 1.
   */
  g_object_class_install_property (klass, PROP_CALIBRATION_UNIT,
      g_param_spec_double ("calibration-unit", "calibration-unit",
          "Length unit of OpenCV calibration files, in metres", 1e-9, 1e9,
          DEFAULT_CALIBRATION_UNIT, flags));

  /**
   * GstStereoRectify:alpha:
   *
   * Free scaling, for files without a projection: 0 crops to valid pixels, 1
   * keeps all source pixels, -1 keeps the focal length.
   */
  g_object_class_install_property (klass, PROP_ALPHA,
      g_param_spec_double ("alpha", "alpha",
          "Free scaling: 0 = crop to valid pixels, 1 = keep all source pixels "
          "(-1 = keep the focal length)", -1, 1, DEFAULT_ALPHA, flags));

  /**
   * GstStereoRectify:border:
   *
   * Fill colour outside the source image, 0xAARRGGBB.
   */
  g_object_class_install_property (klass, PROP_BORDER,
      g_param_spec_uint ("border", "border",
          "Fill colour outside the source image, 0xAARRGGBB", 0, G_MAXUINT32,
          DEFAULT_BORDER, flags));

  /**
   * GstStereoRectify:projection:
   *
   * Surface that the rectified view is a picture on. Rows of a cylinder around
   * the baseline are angles, so it also shows what is above, below and behind
   * the cameras; depth is the distance from the baseline.
   */
  g_object_class_install_property (klass, PROP_PROJECTION,
      g_param_spec_enum ("projection", "projection",
          "Surface of the rectified view",
          gst_stereo_rectify_projection_get_type (), DEFAULT_PROJECTION,
          flags));

  /**
   * GstStereoRectify:field-of-view:
   *
   * Horizontal field of view of the rectified view. 0 uses the projection in
   * the file or #GstStereoRectify:alpha, and 90 degrees with cylinders and with
   * the models of wide lenses: omni, double sphere and extended unified.
   */
  g_object_class_install_property (klass, PROP_FIELD_OF_VIEW,
      g_param_spec_double ("field-of-view", "field-of-view",
          "Horizontal field of view, in degrees (0 = by alpha, or 90)",
          0, STEREO_MAX_FIELD_OF_VIEW, DEFAULT_FIELD_OF_VIEW, flags));

  /**
   * GstStereoRectify:corrections:
   *
   * Take corrections that a matcher with `alignment=correct` sends upstream.
   */
  g_object_class_install_property (klass, PROP_CORRECTIONS,
      g_param_spec_boolean ("corrections", "corrections",
          "Take corrections from a matcher with alignment=correct",
          DEFAULT_CORRECTIONS, flags));

  gst_stereo_device_install_properties (klass, PROP_DEVICE,
      GST_STEREO_BACKEND_AUTO);
}

/* Drops metas with positions or orientations in the picture.  A correction does
 * not change the camera that another element rectified to. */
static gboolean
gst_stereo_rectify_transform_meta (GstBaseTransform * trans, GstBuffer * out,
    GstMeta * meta, GstBuffer * in)
{
  const GType api = meta->info->api;

  if (!GST_STEREO_RECTIFY (trans)->has_calibration
      && g_strcmp0 (g_type_name (meta->info->type), GST_STEREO_CAMERA_META)
      == 0)
    return TRUE;
  return gst_stereo_meta_survives (meta)
      && !gst_meta_api_type_has_tag (api,
      g_quark_from_static_string (GST_META_TAG_VIDEO_SIZE_STR))
      && !gst_meta_api_type_has_tag (api,
      g_quark_from_static_string (GST_META_TAG_VIDEO_ORIENTATION_STR));
}

static void
gst_stereo_rectify_class_init (GstStereoRectifyClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstStereoFilterClass *filter_class = GST_STEREO_FILTER_CLASS (klass);

  object_class->finalize = gst_stereo_rectify_finalize;
  object_class->set_property = gst_stereo_rectify_set_property;
  object_class->get_property = gst_stereo_rectify_get_property;
  install_properties (object_class);

  GST_BASE_TRANSFORM_CLASS (klass)->stop = gst_stereo_rectify_stop;
  GST_BASE_TRANSFORM_CLASS (klass)->set_caps = gst_stereo_rectify_set_caps;
  GST_BASE_TRANSFORM_CLASS (klass)->src_event = gst_stereo_rectify_src_event;
  GST_BASE_TRANSFORM_CLASS (klass)->submit_input_buffer =
      gst_stereo_rectify_submit_input_buffer;
  GST_BASE_TRANSFORM_CLASS (klass)->transform_caps =
      gst_stereo_rectify_transform_caps;
  GST_BASE_TRANSFORM_CLASS (klass)->transform_meta =
      gst_stereo_rectify_transform_meta;
  filter_class->set_info = gst_stereo_rectify_set_info;
  filter_class->op = &stereo_rectify_op;
  filter_class->backend = GST_STEREO_BACKEND_AUTO;
  filter_class->purpose = "rectify the view";
  filter_class->prepare = gst_stereo_rectify_prepare;
  filter_class->add_metas = gst_stereo_rectify_add_metas;

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Stereo rectifier", "Filter/Effect/Video",
      "Rectifies one view of a calibrated stereo camera",
      "The gst-stereomatching authors");

  gst_type_mark_as_plugin_api (gst_stereo_rectify_view_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_stereo_rectify_projection_get_type (), 0);
}
