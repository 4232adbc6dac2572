/* gst-stereomatching: cutting a view out of a frame
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A view of a shared packing is a buffer with the frame's memory and a
 * GstVideoMeta; it is copied from there if downstream does not support that
 * meta.  Views that alternate in a row are copied out of the frame.
 */

#include "elements/split/gststereosplitcut.h"

#include "base/gststereocompat.h"

#include <string.h>

void
gst_stereo_split_cut_set_view (GstStereoSplitCut * self,
    gboolean half_aspect)
{
  const GstVideoInfo *frame = &self->frame;
  const gboolean half_width = gst_stereo_packing_halves_width (self->packing);
  const gboolean half_height =
      gst_stereo_packing_halves_height (self->packing);

  gst_video_info_set_interlaced_format (&self->view,
      GST_VIDEO_INFO_FORMAT (frame), GST_VIDEO_INFO_INTERLACE_MODE (frame),
      (guint) GST_VIDEO_INFO_WIDTH (frame) / (half_width ? 2 : 1),
      (guint) GST_VIDEO_INFO_HEIGHT (frame) / (half_height ? 2 : 1));
  self->view.par_n = frame->par_n;
  self->view.par_d = frame->par_d;
  if (half_aspect && half_width)
    self->view.par_n *= 2;
  if (half_aspect && half_height)
    self->view.par_d *= 2;
}

/* ------------------------------------------------------------------ picture */

/* The layout of a buffer, by its metas or by the caps. */
typedef struct
{
  guint x, y;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
} Picture;

/* Whether the rows of a plane lie inside the GstMemory that contains its first
 * byte, as mapping assumes. */
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
    /* less than a byte per pixel: use the row size of the caps */
    if (bytes == 0)
      bytes = (gsize) GST_VIDEO_INFO_PLANE_STRIDE (info, plane);
    row_bytes = MAX (row_bytes, bytes);
    rows = (gsize) GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT (format, c, height);
  }
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (format) && plane == 1) {
    /* 256 colours, whatever the stride */
    row_bytes = 256 * 4;
    rows = 1;
    stride = (gint) row_bytes;
  }
  if (stride < 0 || (gsize) stride < row_bytes
      || !gst_buffer_find_memory (buffer, offset, 1, &index, &length, &skip))
    return FALSE;
  size = gst_buffer_peek_memory (buffer, index)->size - skip;
  return size >= row_bytes && (size - row_bytes) / (gsize) stride >= rows - 1;
}

/* FALSE when the buffer does not hold the whole frame. */
static gboolean
locate_picture (const GstVideoInfo * info, GstBuffer * buffer,
    Picture * picture)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);
  const guint width = (guint) GST_VIDEO_INFO_WIDTH (info);
  const guint height = (guint) GST_VIDEO_INFO_HEIGHT (info);
  const guint n = GST_VIDEO_INFO_N_PLANES (info);
  const guint x = crop != NULL && meta != NULL ? crop->x : 0;
  const guint y = crop != NULL && meta != NULL ? crop->y : 0;

  picture->x = x;
  picture->y = y;
  if (meta == NULL) {
    memcpy (picture->offset, info->offset, sizeof (info->offset));
    memcpy (picture->stride, info->stride, sizeof (info->stride));
    return gst_buffer_get_size (buffer) >= GST_VIDEO_INFO_SIZE (info);
  }
  memcpy (picture->offset, meta->offset, sizeof (meta->offset));
  memcpy (picture->stride, meta->stride, sizeof (meta->stride));
  if (meta->format != GST_VIDEO_INFO_FORMAT (info) || meta->n_planes != n
      || x % 4 != 0 || y % 4 != 0 || x > meta->width || y > meta->height
      || width > meta->width - x || height > meta->height - y)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (!holds_plane (info, buffer, i, x + width, y + height,
            meta->offset[i], meta->stride[i]))
      return FALSE;
  }
  return TRUE;
}

/* -------------------------------------------------------------------- views */

GstBuffer *
gst_stereo_split_cut_share (const GstStereoSplitCut * self, GstBuffer * frame,
    gboolean second)
{
  const gboolean has_meta = gst_buffer_get_video_meta (frame) != NULL;
  Picture picture;
  GstBuffer *view;

  if (!locate_picture (&self->frame, frame, &picture))
    return NULL;
  gst_stereo_packing_locate (self->packing, &self->frame, picture.x, picture.y,
      second, picture.offset, picture.stride);
  view = gst_buffer_new ();
  /* mapping expects each plane of a meta in one memory */
  if (!gst_buffer_copy_into (view, frame, GST_BUFFER_COPY_MEMORY
          | (has_meta ? 0 : GST_BUFFER_COPY_MERGE) | GST_BUFFER_COPY_FLAGS
          | GST_BUFFER_COPY_TIMESTAMPS, 0, (gsize) - 1)) {
    gst_buffer_unref (view);
    return NULL;
  }
  gst_buffer_add_video_meta_full (view, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&self->view),
      (guint) GST_VIDEO_INFO_WIDTH (&self->view),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->view),
      GST_VIDEO_INFO_N_PLANES (&self->view), picture.offset, picture.stride);
  return view;
}

/* Maps the frame from its first pixel, for packings that do not change the
 * stride. */
static gboolean
map_picture (const GstStereoSplitCut * self, GstBuffer * buffer,
    GstVideoFrame * frame)
{
  gsize start[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES];
  Picture picture;

  if (!locate_picture (&self->frame, buffer, &picture)
      || !gst_video_frame_map (frame, &self->frame, buffer, GST_MAP_READ))
    return FALSE;
  memcpy (stride, frame->info.stride, sizeof (stride));
  gst_stereo_packing_locate (self->packing, &self->frame, picture.x, picture.y,
      FALSE, start, stride);
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (frame); p++)
    frame->data[p] = (guint8 *) frame->data[p] + start[p];
  return TRUE;
}

/* Maps one view of a shared packing. */
static gboolean
map_view (const GstStereoSplitCut * self, GstBuffer * buffer, gboolean second,
    GstVideoFrame * frame)
{
  GstBuffer *view = gst_stereo_split_cut_share (self, buffer, second);
  gboolean ok = view != NULL
      && gst_video_frame_map (frame, &self->view, view, GST_MAP_READ);

  gst_clear_buffer (&view);
  return ok;
}

gboolean
gst_stereo_split_cut_copy (const GstStereoSplitCut * self, GstBuffer * frame,
    gboolean second, GstBuffer * view)
{
  const gboolean shared = gst_stereo_packing_is_shared (self->packing);
  GstVideoFrame in, out;
  gboolean ok;

  if (!(shared ? map_view (self, frame, second, &in)
          : map_picture (self, frame, &in)))
    return FALSE;
  ok = gst_video_frame_map (&out, &self->view, view, GST_MAP_WRITE);
  if (ok) {
    if (shared)
      ok = gst_video_frame_copy (&out, &in);
    else
      gst_stereo_packing_copy (self->packing, &in, second, &out);
    gst_video_frame_unmap (&out);
  }
  gst_video_frame_unmap (&in);
  return ok;
}
