/* gst-stereomatching: buffers mapped for the library
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoframe.h"

#include "base/gststereoallocator.h"
#include "base/gststereocompat.h"
#include "base/gststereocuda.h"
#include "base/gststereofailure.h"
#include "base/gststereoformat.h"
#include "base/gststereopinning.h"
#include "core/image.h"
#include "stereo-cuda.h"

/* The layout of a buffer with a GstVideoMeta. */
typedef struct
{
  const GstVideoMeta *meta;     /* or NULL */
  guint x, y;                   /* origin of the video of the caps in it */
} Layout;

/* Whether the caps describe the visible part of a larger picture. */
static gboolean
is_crop (const GstVideoMeta * meta, const GstVideoCropMeta * crop,
    const GstVideoInfo * info)
{
  return crop != NULL && crop->width == (guint) GST_VIDEO_INFO_WIDTH (info)
      && crop->height == (guint) GST_VIDEO_INFO_HEIGHT (info)
      && crop->x <= meta->width && crop->width <= meta->width - crop->x
      && crop->y <= meta->height && crop->height <= meta->height - crop->y;
}

/* Whether the caps, the metas and the size of the buffer agree. */
static gboolean
get_layout (const GstVideoInfo * info, GstBuffer * buffer, Layout * layout,
    StereoMessage * why)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (buffer);

  *layout = (Layout) {.meta = meta };
  if (meta == NULL) {
    if (gst_buffer_get_size (buffer) >= GST_VIDEO_INFO_SIZE (info))
      return TRUE;
    return GST_STEREO_REFUSE (why,
        "has %" G_GSIZE_FORMAT " bytes and does not hold an "
        "image of %dx%d in %s, which needs %" G_GSIZE_FORMAT,
        gst_buffer_get_size (buffer), GST_VIDEO_INFO_WIDTH (info),
        GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_NAME (info),
        GST_VIDEO_INFO_SIZE (info));
  }

  if (meta->format == GST_VIDEO_INFO_FORMAT (info)
      && meta->n_planes == GST_VIDEO_INFO_N_PLANES (info)) {
    if (meta->width == (guint) GST_VIDEO_INFO_WIDTH (info)
        && meta->height == (guint) GST_VIDEO_INFO_HEIGHT (info))
      return TRUE;
    if (is_crop (meta, crop, info)) {
      layout->x = crop->x;
      layout->y = crop->y;
      return TRUE;
    }
  }
  return GST_STEREO_REFUSE (why,
      "has a GstVideoMeta of %ux%u in %s, but its caps say "
      "%dx%d in %s", meta->width, meta->height,
      gst_video_format_to_string (meta->format), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_NAME (info));
}

/* Sets a plane of the image and checks that it is inside the mapped memory. */
static gboolean
get_plane (GstStereoFrame * self, const Layout * layout, guint plane,
    StereoMessage * why)
{
  const StereoFormatInfo *format = stereo_format_info (self->image.format);
  const GstMapInfo *map = &self->frame.map[layout->meta != NULL ? plane : 0];
  guint shift_x = plane > 0 || format->n_planes == 1 ? format->shift_x : 0;
  guint shift_y = plane > 0 ? format->shift_y : 0;
  guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (&self->frame, plane);
  gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (&self->frame, plane);
  gsize row_bytes = stereo_format_row_bytes (format, (gint) plane,
      self->image.width);
  gsize rows = stereo_format_rows (format, (gint) plane, self->image.height);
  gsize begin, end, skip;

  /* GStreamer's video has no bottom-up rows. */
  if (stride < 0 || (gsize) stride < row_bytes)
    return GST_STEREO_REFUSE (why,
        "has a GstVideoMeta with a stride of %d bytes in plane "
        "%u, where a row has %" G_GSIZE_FORMAT, stride, plane, row_bytes);
  if (((layout->x >> shift_x) << shift_x) != layout->x
      || ((layout->y >> shift_y) << shift_y) != layout->y)
    return GST_STEREO_REFUSE (why,
        "is to be cropped from (%u, %u), which is between the "
        "samples of plane %u in %s", layout->x, layout->y, plane,
        GST_VIDEO_INFO_NAME (&self->frame.info));

  skip = (gsize) stride * (layout->y >> shift_y)
      + (plane > 0 ? (gsize) (layout->x >> shift_x) * format->chroma_bytes
      : (gsize) layout->x * format->pixel_bytes);
  /* Custom map functions of a GstVideoMeta may leave data NULL. */
  if (map->data != NULL) {
    begin = (gsize) (data - map->data) + skip;
    end = begin + (gsize) stride * (rows - 1) + row_bytes;
    if (begin > map->size || end > map->size)
      return GST_STEREO_REFUSE (why,
          "ends before its image of %dx%d in %s does: plane %u "
          "begins at byte %" G_GSIZE_FORMAT " of a memory of %" G_GSIZE_FORMAT
          " bytes and has %" G_GSIZE_FORMAT " rows, %d bytes apart",
          self->image.width, self->image.height,
          GST_VIDEO_INFO_NAME (&self->frame.info), plane, begin, map->size,
          rows, stride);
  }
  self->frame.data[plane] = data + skip;
  self->image.plane[plane] = data + skip;
  self->image.stride[plane] = (gsize) stride;
  return TRUE;
}

gboolean
gst_stereo_frame_map (GstStereoFrame * self, const GstVideoInfo * info,
    GstBuffer * buffer, GstMapFlags flags, StereoDevice * device,
    StereoMessage * why)
{
  const gboolean may_copy = (flags & (GST_MAP_READ | GST_STEREO_MAP_DEVICE))
      != 0;
  Layout layout;
  gboolean ok, on_device, cuda;

  memset (self, 0, sizeof (*self));
  flags &= ~GST_STEREO_MAP_DEVICE;
  if (!gst_stereo_format (GST_VIDEO_INFO_FORMAT (info), &self->image.format))
    return GST_STEREO_REFUSE (why, "is in the unknown format %s",
        GST_VIDEO_INFO_NAME (info));
  if (!get_layout (info, buffer, &layout, why))
    return FALSE;
  /* A writable buffer has no other reader that waits for its old contents. */
  if ((flags & GST_MAP_WRITE) && gst_stereo_buffer_is_pinned (buffer, device))
    gst_stereo_buffer_set_fence (buffer, NULL, 0);
  cuda = gst_stereo_cuda_is_usable (buffer, device);
  if (cuda)
    gst_stereo_cuda_wait (buffer);
  on_device = cuda || (may_copy && gst_stereo_buffer_use_copy (buffer, device,
          flags, &self->image));
  if (on_device)
    flags |= GST_STEREO_MAP_DEVICE;
  if (!gst_video_frame_map (&self->frame, info, buffer, flags)) {
    memset (self, 0, sizeof (*self));
    return GST_STEREO_REFUSE (why,
        "cannot be mapped: its memory cannot, or its "
        "GstVideoMeta has planes outside of it");
  }

  self->image.width = GST_VIDEO_INFO_WIDTH (info);
  self->image.height = GST_VIDEO_INFO_HEIGHT (info);
  self->image.memory = on_device ? STEREO_MEMORY_DEVICE
      : gst_stereo_buffer_is_pinned (buffer, device) ? STEREO_MEMORY_PINNED
      : STEREO_MEMORY_HOST;
  if (self->image.memory == STEREO_MEMORY_HOST && !(flags & GST_MAP_WRITE))
    gst_stereo_buffer_pin (buffer, device);
  ok = TRUE;
  for (guint i = 0; ok && i < GST_VIDEO_FRAME_N_PLANES (&self->frame); i++)
    ok = get_plane (self, &layout, i, why);
  self->frame.info.width = GST_VIDEO_INFO_WIDTH (info);
  self->frame.info.height = GST_VIDEO_INFO_HEIGHT (info);
  if (!ok)
    gst_stereo_frame_unmap (self);
  return ok;
}

void
gst_stereo_frame_unmap (GstStereoFrame * frame)
{
  if (frame->frame.buffer == NULL)
    return;
  gst_video_frame_unmap (&frame->frame);
  memset (frame, 0, sizeof (*frame));
}

gboolean
gst_stereo_frame_remap (GstStereoFrame * frame, const GstVideoInfo * info,
    GstMapFlags flags, StereoDevice * device, StereoMessage * why)
{
  GstBuffer *buffer = frame->frame.buffer;

  if (frame->image.memory != STEREO_MEMORY_DEVICE
      || stereo_cuda_context (device) != NULL)
    return TRUE;
  gst_stereo_frame_unmap (frame);
  return gst_stereo_frame_map (frame, info, buffer, flags, device, why);
}
