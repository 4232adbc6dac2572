/* gst-stereomatching: the element stereosplit
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-stereosplit
 * @title: stereosplit
 * @short_description: the two views of frame-packed stereo video
 *
 * Takes video that has both views in one stream, as many stereo cameras and all
 * 3D films do, and gives out the left and the right one. Both have the same
 * timestamps, so a matcher pairs them exactly.
 *
 * How the views are packed is what #GstStereoSplit:layout says, or with `auto`
 * the `multiview-mode` of the caps. Most files don't say it: `auto` then takes
 * the views to be side by side, and warns. Of the flags in the caps,
 * `right-view-first` exchanges the views, as #GstStereoSplit:swap does, and
 * `half-aspect` makes their pixels twice as wide or twice as high, as
 * #GstStereoSplit:half-aspect does: frames of 1920x1080 of two views of
 * 960x1080 that are to be seen as 1920x1080 each.
 *
 * Views that are side by side, above each other, or in rows in turn are not
 * copied: their buffers are parts of the frame's memory with a `GstVideoMeta`,
 * wherever downstream takes that, as all elements of this plugin do.
 *
 * Both views are given out by one thread. A matcher takes them as they come;
 * other branches want a `queue` each, as behind a `tee`.
 *
 * The views have half the width or half the height of the frames, and all raw
 * formats are taken; it is an error when a sample of chroma would have to be
 * cut in two. Frame by frame, two frames are a pair, and the second one gets
 * the timestamp of the first.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 stereotestsrc view=side-by-side num-buffers=10 ! stereosplit name=s  s.src_left ! m.sink_left  s.src_right ! m.sink_right  stereovcbw name=m ! disparitycolor ! videoconvert ! autovideosink
 * ]| Matches both halves of a frame.
 * |[
 * gst-launch-1.0 filesrc location=film-side-by-side.webm ! decodebin ! stereosplit name=s half-aspect=true layout=side-by-side  s.src_left ! queue ! fakesink  s.src_right ! queue ! videoconvert ! autovideosink
 * ]| Shows the right view of a film.
 *
 * Since: 0.1
 */

#include "base/gststereofailure.h"
#include "base/gststereoformat.h"
#include "base/gststereolimit.h"
#include "base/gststereometa.h"
#include "base/gststereopool.h"
#include "elements/gststereoelements.h"
#include "elements/gststereopacking.h"

#include <gst/base/gstflowcombiner.h>
#include <gst/video/video.h>

GST_DEBUG_CATEGORY_STATIC (gst_stereo_split_debug);
#define GST_CAT_DEFAULT gst_stereo_split_debug

#define DEFAULT_LAYOUT GST_STEREO_PACKING_AUTO
#define DEFAULT_SWAP FALSE
#define DEFAULT_HALF_ASPECT FALSE

enum
{
  PROP_0,
  PROP_LAYOUT,
  PROP_SWAP,
  PROP_HALF_ASPECT
};

enum
{
  LEFT,
  RIGHT,
  N_VIEWS
};

#define GST_TYPE_STEREO_SPLIT (gst_stereo_split_get_type ())
G_DECLARE_FINAL_TYPE (GstStereoSplit, gst_stereo_split, GST, STEREO_SPLIT,
    GstElement)

struct _GstStereoSplit
{
  GstElement parent;

  GstPad *sink;
  GstPad *src[N_VIEWS];
  GstStereoFailure failure;

  /* Under the object lock. */
  GstStereoPacking layout;
  gboolean swap;
  gboolean half_aspect;
  GstClockTime latency;         /* the wait for the second view */
  guint32 seek_seqnum;

  /* The streaming thread's own. */
  GstFlowCombiner *combiner;
  gboolean negotiated;          /* for these: */
  GstStereoPacking packing;     /* never AUTO */
  gboolean right_first;
  GstVideoInfo info;            /* of frames */
  GstVideoInfo view_info;
  GstBufferPool *pool[N_VIEWS]; /* NULL where nothing is copied */
  gboolean warned;
  gboolean second;              /* frame by frame: what comes next */
  GstClockTime pts;             /* of the first view */
  GstClockTime dts;
  GstClockTime duration;
};

G_DEFINE_TYPE_WITH_CODE (GstStereoSplit, gst_stereo_split, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_stereo_split_debug, "stereosplit", 0,
        "The two views of frame-packed stereo video"));

GST_ELEMENT_REGISTER_DEFINE (stereosplit, "stereosplit", GST_RANK_NONE,
    GST_TYPE_STEREO_SPLIT);

#define CAPS GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL))

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, CAPS);
static GstStaticPadTemplate src_templates[N_VIEWS] = {
  GST_STATIC_PAD_TEMPLATE ("src_left", GST_PAD_SRC, GST_PAD_ALWAYS, CAPS),
  GST_STATIC_PAD_TEMPLATE ("src_right", GST_PAD_SRC, GST_PAD_ALWAYS, CAPS)
};

/* ------------------------------------------------------------------ layout */

/* The packing that the caps name; FALSE when it is none of ours. */
static gboolean
packing_of_mode (GstVideoMultiviewMode mode, GstStereoPacking * packing)
{
  static const struct
  {
    GstVideoMultiviewMode mode;
    GstStereoPacking packing;
  } table[] = {
    {GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE, GST_STEREO_PACKING_SIDE_BY_SIDE},
    {GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM, GST_STEREO_PACKING_TOP_BOTTOM},
    {GST_VIDEO_MULTIVIEW_MODE_ROW_INTERLEAVED,
        GST_STEREO_PACKING_ROW_INTERLEAVED},
    {GST_VIDEO_MULTIVIEW_MODE_COLUMN_INTERLEAVED,
        GST_STEREO_PACKING_COLUMN_INTERLEAVED},
    {GST_VIDEO_MULTIVIEW_MODE_CHECKERBOARD, GST_STEREO_PACKING_CHECKERBOARD},
    {GST_VIDEO_MULTIVIEW_MODE_FRAME_BY_FRAME,
        GST_STEREO_PACKING_FRAME_BY_FRAME},
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].mode == mode) {
      *packing = table[i].packing;
      return TRUE;
    }
  }
  return FALSE;
}

/* FALSE with an error. */
static gboolean
choose_packing (GstStereoSplit * self, GstStereoPacking layout,
    const GstVideoInfo * info)
{
  GstVideoMultiviewMode mode = GST_VIDEO_INFO_MULTIVIEW_MODE (info);

  self->packing = layout;
  if (layout != GST_STEREO_PACKING_AUTO
      || packing_of_mode (mode, &self->packing))
    return TRUE;
  if (mode == GST_VIDEO_MULTIVIEW_MODE_NONE) {
    self->packing = GST_STEREO_PACKING_SIDE_BY_SIDE;
    if (!self->warned)
      GST_ELEMENT_WARNING (self, STREAM, FORMAT,
          ("The video doesn't say how its two views are packed: taking them "
              "to be side by side. Set layout to say so, or what else it is."),
          (NULL));
    self->warned = TRUE;
    return TRUE;
  }
  GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
      ("The video says multiview-mode=%s, which is not two views in a frame; "
          "set layout if it is wrong there.",
          gst_video_multiview_mode_to_caps_string (mode)), (NULL));
  return FALSE;
}

static gboolean
check_flags (GstStereoSplit * self, const GstVideoInfo * info)
{
  const GstVideoMultiviewFlags turned = GST_VIDEO_MULTIVIEW_FLAGS_LEFT_FLIPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_LEFT_FLOPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_FLIPPED
      | GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_FLOPPED;

  if ((GST_VIDEO_INFO_MULTIVIEW_FLAGS (info) & turned) == 0)
    return TRUE;
  GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
      ("The video says that its views are flipped or mirrored, which can't be "
          "undone here: put videoflip behind the element, and capssetter "
          "before it, to take multiview-flags out of the caps."), (NULL));
  return FALSE;
}

/* The shape of a view. */
static void
set_view_info (GstStereoSplit * self, gboolean half_aspect)
{
  const GstVideoInfo *info = &self->info;
  const gboolean half_width = gst_stereo_packing_halves_width (self->packing);
  const gboolean half_height =
      gst_stereo_packing_halves_height (self->packing);

  gst_video_info_set_interlaced_format (&self->view_info,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_INTERLACE_MODE (info),
      (guint) GST_VIDEO_INFO_WIDTH (info) / (half_width ? 2 : 1),
      (guint) GST_VIDEO_INFO_HEIGHT (info) / (half_height ? 2 : 1));
  self->view_info.par_n = info->par_n;
  self->view_info.par_d = info->par_d;
  if (half_aspect && half_width)
    self->view_info.par_n *= 2;
  if (half_aspect && half_height)
    self->view_info.par_d *= 2;
}

/* The caps of a view: those of frames, but for its shape and its view. */
static GstCaps *
view_caps (GstStereoSplit * self, const GstCaps * frames, gint view)
{
  GstCaps *caps = gst_caps_copy (frames);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  GstVideoMultiviewMode mode = view == LEFT ? GST_VIDEO_MULTIVIEW_MODE_LEFT
      : GST_VIDEO_MULTIVIEW_MODE_RIGHT;
  gint divisor = gst_util_greatest_common_divisor (self->view_info.par_n,
      self->view_info.par_d);

  gst_structure_remove_fields (s, "multiview-flags", "views", NULL);
  gst_structure_set (s, "width", G_TYPE_INT, self->view_info.width,
      "height", G_TYPE_INT, self->view_info.height,
      "pixel-aspect-ratio", GST_TYPE_FRACTION,
      self->view_info.par_n / divisor, self->view_info.par_d / divisor,
      "multiview-mode", G_TYPE_STRING,
      gst_video_multiview_mode_to_caps_string (mode), NULL);
  return caps;
}

/* ------------------------------------------------------------------ memory */

static void
drop_pool (GstStereoSplit * self, gint view)
{
  if (self->pool[view] != NULL)
    gst_buffer_pool_set_active (self->pool[view], FALSE);
  gst_clear_object (&self->pool[view]);
}

/* A pool where a view has to be copied: by its packing, or because downstream
 * does not know rows that are elsewhere than GStreamer has them.  A view that
 * is the whole frame is passed on as it is.  FALSE with an error posted. */
static gboolean
prepare_pool (GstStereoSplit * self, gint view, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  gboolean takes_meta = gst_pad_peer_query (self->src[view], query)
      && gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  guint size;

  gst_query_unref (query);
  drop_pool (self, view);
  if (self->packing == GST_STEREO_PACKING_FRAME_BY_FRAME || (takes_meta
          && gst_stereo_packing_is_shared (self->packing)))
    return TRUE;
  GST_DEBUG_OBJECT (self->src[view], "the views are copied");
  self->pool[view] = gst_stereo_pool_new (caps, NULL, takes_meta, 0, 0, &size);
  if (self->pool[view] != NULL
      && gst_buffer_pool_set_active (self->pool[view], TRUE))
    return TRUE;
  GST_STEREO_FAIL (&self->failure, RESOURCE, NO_SPACE_LEFT,
      ("There is no buffer pool for the views."), (NULL));
  return FALSE;
}

/* A pad may have got another reader meanwhile, which takes other buffers. */
static gboolean
follow_downstream (GstStereoSplit * self)
{
  gboolean ok = TRUE;

  for (gint v = 0; v < N_VIEWS && ok; v++) {
    GstCaps *caps;

    if (!gst_pad_check_reconfigure (self->src[v]))
      continue;
    caps = gst_pad_get_current_caps (self->src[v]);
    ok = caps == NULL || prepare_pool (self, v, caps);
    gst_clear_caps (&caps);
  }
  return ok;
}

/* -------------------------------------------------------------------- caps */

static gboolean
set_latency (GstStereoSplit * self)
{
  GstClockTime latency = 0;
  gboolean changed;

  if (self->packing == GST_STEREO_PACKING_FRAME_BY_FRAME
      && GST_VIDEO_INFO_FPS_N (&self->info) > 0)
    latency = gst_stereo_frame_duration (&self->info);
  GST_OBJECT_LOCK (self);
  changed = self->latency != latency;
  self->latency = latency;
  GST_OBJECT_UNLOCK (self);
  return changed;
}

static gboolean
push_caps (GstStereoSplit * self, const GstCaps * frames)
{
  gboolean ok = TRUE;

  for (gint v = 0; v < N_VIEWS && ok; v++) {
    GstCaps *caps = view_caps (self, frames, v);

    /* GstPad does not say that caps were refused, and forgets it where a stream
     * begins or is flushed.  A view that nobody wants may stay unlinked. */
    ok = !gst_pad_is_linked (self->src[v])
        || gst_pad_peer_query_accept_caps (self->src[v], caps);
    if (ok)
      gst_pad_push_event (self->src[v], gst_event_new_caps (caps));
    gst_pad_check_reconfigure (self->src[v]);
    ok = ok && prepare_pool (self, v, caps);
    gst_caps_unref (caps);
  }
  return ok;
}

/* Prepares for frames with these caps; FALSE with an error posted, or when
 * downstream has one. */
static gboolean
take_caps (GstStereoSplit * self, GstCaps * caps)
{
  StereoMessage why;
  GstStereoPacking layout;
  gboolean swap, half_aspect;
  GstVideoMultiviewFlags flags;

  self->negotiated = FALSE;
  self->second = FALSE;
  GST_OBJECT_LOCK (self);
  layout = self->layout;
  swap = self->swap;
  half_aspect = self->half_aspect;
  GST_OBJECT_UNLOCK (self);

  if (!gst_video_info_from_caps (&self->info, caps))
    return FALSE;
  flags = GST_VIDEO_INFO_MULTIVIEW_FLAGS (&self->info);
  if (!check_flags (self, &self->info)
      || !choose_packing (self, layout, &self->info))
    return FALSE;
  if (!gst_stereo_packing_check (self->packing, &self->info, &why)) {
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("This video of %dx%d in %s can't be split into two views: %s.",
            GST_VIDEO_INFO_WIDTH (&self->info),
            GST_VIDEO_INFO_HEIGHT (&self->info),
            GST_VIDEO_INFO_NAME (&self->info), why.text), (NULL));
    return FALSE;
  }
  self->right_first = swap
      != ((flags & GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST) != 0);
  set_view_info (self, half_aspect
      || (flags & GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT) != 0);
  self->negotiated = push_caps (self, caps);
  if (self->negotiated && set_latency (self))
    gst_element_post_message (GST_ELEMENT_CAST (self),
        gst_message_new_latency (GST_OBJECT_CAST (self)));
  return self->negotiated;
}

/* Formats and rates that what follows takes; sizes are another matter. */
static GstCaps *
limit_to_downstream (GstCaps * caps, GstPad * src)
{
  static const gchar *const fields[] = { "format", "framerate", NULL };
  GstCaps *peer = gst_pad_peer_query_caps (src, NULL);

  caps = gst_stereo_caps_limit (caps, peer, fields, FALSE);
  gst_caps_unref (peer);
  return caps;
}

static GstCaps *
sink_caps (GstStereoSplit * self, GstCaps * filter)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (self->sink);

  for (gint v = 0; v < N_VIEWS; v++) {
    if (gst_pad_is_linked (self->src[v]))
      caps = limit_to_downstream (caps, self->src[v]);
  }
  return gst_stereo_caps_filter (caps, filter);
}

/* ------------------------------------------------------------------ frames */

/* Whether the rows of a plane, from (0, 0) on, lie inside of the memory that it
 * begins in, where mapping looks for them. */
static gboolean
holds_plane (const GstVideoInfo * info, GstBuffer * buffer, guint plane,
    guint width, guint height, gsize offset, gint stride)
{
  const GstVideoFormatInfo *format = info->finfo;
  gsize row_bytes = 0, rows = 0, size;
  guint index, length;
  gsize skip;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); c++) {
    gsize bytes = (gsize) GST_VIDEO_FORMAT_INFO_SCALE_WIDTH (format, c, width)
        * (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (format, c);

    if (GST_VIDEO_FORMAT_INFO_PLANE (format, c) != plane)
      continue;
    /* bits that are no bytes: what a row of the caps has */
    if (bytes == 0)
      bytes = (gsize) GST_VIDEO_INFO_PLANE_STRIDE (info, plane);
    row_bytes = MAX (row_bytes, bytes);
    rows = (gsize) GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (format, c, height);
  }
  if (rows == 0)
    return TRUE;                /* a palette */
  if (stride < 0 || (gsize) stride < row_bytes
      || !gst_buffer_find_memory (buffer, offset, 1, &index, &length, &skip))
    return FALSE;
  size = gst_buffer_peek_memory (buffer, index)->size - skip;
  return size >= row_bytes && (size - row_bytes) / (gsize) stride >= rows - 1;
}

/* Where the picture is in a buffer: by its metas, or as the caps have it. */
static gboolean
locate_picture (GstStereoSplit * self, GstBuffer * buffer, guint * x,
    guint * y, gsize offset[GST_VIDEO_MAX_PLANES],
    gint stride[GST_VIDEO_MAX_PLANES])
{
  const GstVideoInfo *info = &self->info;
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  const guint n = GST_VIDEO_INFO_N_PLANES (info);

  *x = crop != NULL && meta != NULL ? crop->x : 0;
  *y = crop != NULL && meta != NULL ? crop->y : 0;
  if (meta == NULL) {
    memcpy (offset, info->offset, sizeof (info->offset));
    memcpy (stride, info->stride, sizeof (info->stride));
    return gst_buffer_get_size (buffer) >= GST_VIDEO_INFO_SIZE (info);
  }
  memcpy (offset, meta->offset, sizeof (meta->offset));
  memcpy (stride, meta->stride, sizeof (meta->stride));
  if (meta->format != GST_VIDEO_INFO_FORMAT (info) || meta->n_planes != n
      || *x % 4 != 0 || *y % 4 != 0 || *x > meta->width || *y > meta->height
      || (guint) GST_VIDEO_INFO_WIDTH (info) > meta->width - *x
      || (guint) GST_VIDEO_INFO_HEIGHT (info) > meta->height - *y)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (!holds_plane (info, buffer, i, *x + (guint) GST_VIDEO_INFO_WIDTH (info),
            *y + (guint) GST_VIDEO_INFO_HEIGHT (info), offset[i], stride[i]))
      return FALSE;
  }
  return TRUE;
}

/* Metas that are true of a part of a picture: about when, not about where. */
static gboolean
copy_meta (GstBuffer * buffer, GstMeta ** meta, gpointer view)
{
  static const gchar *const kept[] = { GST_META_TAG_VIDEO_STR,
    GST_META_TAG_VIDEO_COLORSPACE_STR, NULL
  };

  if (gst_stereo_meta_is_about (*meta, kept))
    gst_stereo_meta_copy (*meta, buffer, view);
  return TRUE;
}

/* A buffer with the frame's memory, in which only a view is to be seen. */
static GstBuffer *
share_view (GstStereoSplit * self, GstBuffer * buffer, gboolean second)
{
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  GstBuffer *view;
  guint x, y;

  if (!locate_picture (self, buffer, &x, &y, offset, stride))
    return NULL;
  gst_stereo_packing_locate (self->packing, &self->info, x, y, second, offset,
      stride);
  view = gst_buffer_new ();
  /* planes of a meta are looked for in one memory each */
  if (!gst_buffer_copy_into (view, buffer, GST_BUFFER_COPY_MEMORY
          | (gst_buffer_get_video_meta (buffer) == NULL ? GST_BUFFER_COPY_MERGE
              : 0) | GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0,
          (gsize) - 1)) {
    gst_buffer_unref (view);
    return NULL;
  }
  gst_buffer_add_video_meta_full (view, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&self->info),
      (guint) GST_VIDEO_INFO_WIDTH (&self->view_info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->view_info),
      GST_VIDEO_INFO_N_PLANES (&self->info), offset, stride);
  return view;
}

/* Only of packings that leave strides alone. */
static void
skip_to_picture (GstStereoSplit * self, GstVideoFrame * frame, guint x,
    guint y)
{
  gsize start[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES];

  memcpy (stride, frame->info.stride, sizeof (stride));
  gst_stereo_packing_locate (self->packing, &self->info, x, y, FALSE, start,
      stride);
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (frame); p++)
    frame->data[p] = (guint8 *) frame->data[p] + start[p];
}

/* Fills a view from a frame that interleaves it, or from shared memory. */
static gboolean
fill_view (GstStereoSplit * self, GstBuffer * buffer, gboolean second,
    GstBuffer * view)
{
  const gboolean shared = gst_stereo_packing_is_shared (self->packing);
  GstBuffer *source = shared ? share_view (self, buffer, second)
      : gst_buffer_ref (buffer);
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  GstVideoFrame in, out;
  gboolean ok = FALSE;
  guint x = 0, y = 0;

  if (source == NULL)
    return FALSE;
  if (!shared && !locate_picture (self, buffer, &x, &y, offset, stride)) {
    gst_buffer_unref (source);
    return FALSE;
  }
  if (gst_video_frame_map (&in, shared ? &self->view_info : &self->info,
          source, GST_MAP_READ)) {
    if (!shared)
      skip_to_picture (self, &in, x, y);
    if (gst_video_frame_map (&out, &self->view_info, view, GST_MAP_WRITE)) {
      ok = TRUE;
      if (shared)
        ok = gst_video_frame_copy (&out, &in);
      else
        gst_stereo_packing_copy (self->packing, &in, second, &out);
      gst_video_frame_unmap (&out);
    }
    gst_video_frame_unmap (&in);
  }
  gst_buffer_unref (source);
  return ok;
}

/* One view of a frame; NULL with an error, or when the pool stops: see flow. */
static GstBuffer *
make_view (GstStereoSplit * self, GstBuffer * buffer, gint view,
    GstFlowReturn * flow)
{
  const gboolean second = (view == RIGHT) != self->right_first;
  GstBuffer *out = NULL;
  gboolean ok;

  if (self->pool[view] == NULL) {
    out = share_view (self, buffer, second);
    ok = out != NULL;
  } else {
    *flow = gst_buffer_pool_acquire_buffer (self->pool[view], &out, NULL);
    if (*flow != GST_FLOW_OK)
      return NULL;
    ok = fill_view (self, buffer, second, out);
    gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_FLAGS
        | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1);
  }
  if (!ok) {
    gst_clear_buffer (&out);
    GST_STEREO_FAIL (&self->failure, STREAM, FORMAT,
        ("A buffer on sink does not hold a frame of %dx%d in %s as its caps "
            "or its GstVideoMeta say.", GST_VIDEO_INFO_WIDTH (&self->info),
            GST_VIDEO_INFO_HEIGHT (&self->info),
            GST_VIDEO_INFO_NAME (&self->info)), (NULL));
    *flow = GST_FLOW_ERROR;
    return NULL;
  }
  gst_buffer_foreach_meta (buffer, copy_meta, out);
  GST_BUFFER_FLAG_UNSET (out, GST_VIDEO_BUFFER_FLAG_MULTIPLE_VIEW
      | GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE);
  return out;
}

static GstFlowReturn
push_view (GstStereoSplit * self, gint view, GstBuffer * buffer)
{
  GstFlowReturn flow = gst_pad_push (self->src[view], buffer);

  return gst_flow_combiner_update_pad_flow (self->combiner, self->src[view],
      flow);
}

static GstFlowReturn
split_frame (GstStereoSplit * self, GstBuffer * buffer)
{
  GstBuffer *views[N_VIEWS] = { NULL, NULL };
  GstFlowReturn flow = GST_FLOW_OK;

  for (gint v = 0; v < N_VIEWS; v++) {
    views[v] = make_view (self, buffer, v, &flow);
    if (views[v] == NULL) {
      gst_clear_buffer (&views[LEFT]);
      return flow;
    }
  }
  for (gint v = 0; v < N_VIEWS; v++) {
    if (flow == GST_FLOW_OK)
      flow = push_view (self, v, views[v]);
    else
      gst_buffer_unref (views[v]);
  }
  return flow;
}

/* Takes the buffer, which is one view: whose is known by where it comes. */
static GstFlowReturn
pass_frame (GstStereoSplit * self, GstBuffer * buffer)
{
  gboolean second = self->second && !GST_BUFFER_FLAG_IS_SET (buffer,
      GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE);

  buffer = gst_buffer_make_writable (buffer);
  if (second) {
    GST_BUFFER_PTS (buffer) = self->pts;
    GST_BUFFER_DTS (buffer) = self->dts;
    GST_BUFFER_DURATION (buffer) = self->duration;
  } else {
    self->pts = GST_BUFFER_PTS (buffer);
    self->dts = GST_BUFFER_DTS (buffer);
    self->duration = GST_BUFFER_DURATION (buffer);
  }
  self->second = !second;
  GST_BUFFER_FLAG_UNSET (buffer, GST_VIDEO_BUFFER_FLAG_MULTIPLE_VIEW
      | GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE);
  return push_view (self, second != self->right_first ? RIGHT : LEFT, buffer);
}

static GstFlowReturn
gst_stereo_split_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstFlowReturn flow;

  if (gst_stereo_failure_posted (&self->failure)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  if (!self->negotiated) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (self->packing == GST_STEREO_PACKING_FRAME_BY_FRAME)
    return pass_frame (self, buffer);
  flow = follow_downstream (self) ? split_frame (self, buffer)
      : GST_FLOW_ERROR;
  gst_buffer_unref (buffer);
  return flow;
}

/* ------------------------------------------------------ events and queries */

static gboolean
gst_stereo_split_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstCaps *caps;
  gboolean ok;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      ok = take_caps (self, caps);
      gst_event_unref (event);
      return ok;
    case GST_EVENT_FLUSH_STOP:
      gst_flow_combiner_reset (self->combiner);
      self->second = FALSE;
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

/* A matcher asks on both of its pads for the same seek. */
static gboolean
is_repeated (GstStereoSplit * self, GstEvent * event)
{
  guint32 seqnum = gst_event_get_seqnum (event);
  gboolean repeated;

  GST_OBJECT_LOCK (self);
  repeated = self->seek_seqnum == seqnum;
  self->seek_seqnum = seqnum;
  GST_OBJECT_UNLOCK (self);
  return repeated;
}

static gboolean
gst_stereo_split_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK
      && is_repeated (GST_STEREO_SPLIT (parent), event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
gst_stereo_split_sink_query (GstPad * pad, GstObject * parent,
    GstQuery * query)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      caps = sink_caps (self, caps);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      /* downstream's pools are for views, not for frames */
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

static gboolean
gst_stereo_split_src_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (parent);
  GstClockTime min, max, latency;
  gboolean live;

  if (!gst_pad_query_default (pad, parent, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    GST_OBJECT_LOCK (self);
    latency = self->latency;
    GST_OBJECT_UNLOCK (self);
    gst_query_parse_latency (query, &live, &min, &max);
    if (GST_CLOCK_TIME_IS_VALID (max))
      max += latency;
    gst_query_set_latency (query, live, min + latency, max);
  }
  return TRUE;
}

static GstStateChangeReturn
gst_stereo_split_change_state (GstElement * element,
    GstStateChange transition)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_stereo_failure_reset (&self->failure);
    gst_flow_combiner_reset (self->combiner);
    self->warned = self->second = self->negotiated = FALSE;
  }
  result = GST_ELEMENT_CLASS (gst_stereo_split_parent_class)->change_state
      (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    for (gint v = 0; v < N_VIEWS; v++)
      drop_pool (self, v);
  }
  return result;
}

/* -------------------------------------------------------------- properties */

static void
gst_stereo_split_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LAYOUT:
      self->layout = (GstStereoPacking) g_value_get_enum (value);
      break;
    case PROP_SWAP:
      self->swap = g_value_get_boolean (value);
      break;
    case PROP_HALF_ASPECT:
      self->half_aspect = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_stereo_split_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LAYOUT:
      g_value_set_enum (value, self->layout);
      break;
    case PROP_SWAP:
      g_value_set_boolean (value, self->swap);
      break;
    case PROP_HALF_ASPECT:
      g_value_set_boolean (value, self->half_aspect);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

/* ------------------------------------------------------------------- class */

static void
gst_stereo_split_finalize (GObject * object)
{
  GstStereoSplit *self = GST_STEREO_SPLIT (object);

  gst_flow_combiner_free (self->combiner);
  for (gint v = 0; v < N_VIEWS; v++)
    drop_pool (self, v);
  G_OBJECT_CLASS (gst_stereo_split_parent_class)->finalize (object);
}

static void
gst_stereo_split_init (GstStereoSplit * self)
{
  self->layout = DEFAULT_LAYOUT;
  self->swap = DEFAULT_SWAP;
  self->half_aspect = DEFAULT_HALF_ASPECT;
  self->failure.element = GST_ELEMENT_CAST (self);
  self->combiner = gst_flow_combiner_new ();

  self->sink = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sink, gst_stereo_split_chain);
  gst_pad_set_event_function (self->sink, gst_stereo_split_sink_event);
  gst_pad_set_query_function (self->sink, gst_stereo_split_sink_query);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  for (gint v = 0; v < N_VIEWS; v++) {
    self->src[v] = gst_pad_new_from_static_template (&src_templates[v],
        src_templates[v].name_template);
    gst_pad_set_event_function (self->src[v], gst_stereo_split_src_event);
    gst_pad_set_query_function (self->src[v], gst_stereo_split_src_query);
    gst_pad_use_fixed_caps (self->src[v]);
    gst_element_add_pad (GST_ELEMENT (self), self->src[v]);
    gst_flow_combiner_add_pad (self->combiner, self->src[v]);
  }
}

static void
gst_stereo_split_class_init (GstStereoSplitClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_MUTABLE_READY;

  object_class->finalize = gst_stereo_split_finalize;
  object_class->set_property = gst_stereo_split_set_property;
  object_class->get_property = gst_stereo_split_get_property;
  element_class->change_state = gst_stereo_split_change_state;

  /**
   * GstStereoSplit:layout:
   *
   * Where the two views are in a frame. `auto` takes the `multiview-mode` of
   * the caps or, without one, side by side.
   */
  g_object_class_install_property (object_class, PROP_LAYOUT,
      g_param_spec_enum ("layout", "layout",
          "Where the two views are in a frame", GST_TYPE_STEREO_PACKING,
          DEFAULT_LAYOUT, flags));

  /**
   * GstStereoSplit:swap:
   *
   * Exchange the views, besides what the flags of the caps say.
   */
  g_object_class_install_property (object_class, PROP_SWAP,
      g_param_spec_boolean ("swap", "swap", "Exchange the two views",
          DEFAULT_SWAP, flags));

  /**
   * GstStereoSplit:half-aspect:
   *
   * The views were made narrower, or lower, to fit the frame: double the pixel
   * aspect ratio, or halve it. The flag of that name in the caps does the same.
   */
  g_object_class_install_property (object_class, PROP_HALF_ASPECT,
      g_param_spec_boolean ("half-aspect", "half-aspect",
          "The views were squeezed to half their size to fit the frame",
          DEFAULT_HALF_ASPECT, flags));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  for (gint v = 0; v < N_VIEWS; v++)
    gst_element_class_add_static_pad_template (element_class,
        &src_templates[v]);
  gst_element_class_set_static_metadata (element_class,
      "Stereo splitter", "Filter/Converter/Video",
      "Gives out the left and the right view of frame-packed stereo video",
      "The gst-stereomatching authors");

  gst_type_mark_as_plugin_api (GST_TYPE_STEREO_PACKING, 0);
}
