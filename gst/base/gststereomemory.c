/* gst-stereomatching: buffers in, buffers out
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereomemory.h"

GST_DEBUG_CATEGORY_EXTERN (gst_stereo_base_debug);
#define GST_CAT_DEFAULT gst_stereo_base_debug

gboolean
gst_stereo_format (GstVideoFormat format, StereoFormat * stereo)
{
  /* *INDENT-OFF* */
  static const struct
  {
    GstVideoFormat format;
    StereoFormat stereo;
  } table[] = {
    {GST_VIDEO_FORMAT_GRAY8,     STEREO_FORMAT_GRAY8},
    {GST_VIDEO_FORMAT_NV12,      STEREO_FORMAT_NV12},
    {GST_VIDEO_FORMAT_I420,      STEREO_FORMAT_I420},
    {GST_VIDEO_FORMAT_YV12,      STEREO_FORMAT_YV12},
    {GST_VIDEO_FORMAT_NV21,      STEREO_FORMAT_NV21},
    {GST_VIDEO_FORMAT_Y42B,      STEREO_FORMAT_Y42B},
    {GST_VIDEO_FORMAT_Y444,      STEREO_FORMAT_Y444},
    {GST_VIDEO_FORMAT_RGB,       STEREO_FORMAT_RGB},
    {GST_VIDEO_FORMAT_BGR,       STEREO_FORMAT_BGR},
    {GST_VIDEO_FORMAT_RGBx,      STEREO_FORMAT_RGBX},
    {GST_VIDEO_FORMAT_BGRx,      STEREO_FORMAT_BGRX},
    {GST_VIDEO_FORMAT_xRGB,      STEREO_FORMAT_XRGB},
    {GST_VIDEO_FORMAT_xBGR,      STEREO_FORMAT_XBGR},
    {GST_VIDEO_FORMAT_RGBA,      STEREO_FORMAT_RGBX},
    {GST_VIDEO_FORMAT_BGRA,      STEREO_FORMAT_BGRX},
    {GST_VIDEO_FORMAT_ARGB,      STEREO_FORMAT_XRGB},
    {GST_VIDEO_FORMAT_ABGR,      STEREO_FORMAT_XBGR},
    {GST_VIDEO_FORMAT_GRAY16_LE, STEREO_FORMAT_GRAY16_LE},
  };
  /* *INDENT-ON* */

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].format == format) {
      *stereo = table[i].stereo;
      return TRUE;
    }
  }
  return FALSE;
}

StereoColorimetry
gst_stereo_colorimetry (const GstVideoInfo * info)
{
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gboolean full;

  if (!GST_VIDEO_INFO_IS_YUV (info))
    return STEREO_COLORIMETRY_BT601;
  /* what an unknown range means is for GStreamer to say */
  gst_video_color_range_offsets (info->colorimetry.range, info->finfo, offset,
      scale);
  full = offset[0] == 0;
  switch (info->colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT709:
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return full ? STEREO_COLORIMETRY_BT709_FULL : STEREO_COLORIMETRY_BT709;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return full ? STEREO_COLORIMETRY_BT2020_FULL
          : STEREO_COLORIMETRY_BT2020;
    default:
      /* gst_video_info_from_caps() leaves no matrix unknown */
      return full ? STEREO_COLORIMETRY_BT601_FULL : STEREO_COLORIMETRY_BT601;
  }
}

/* ------------------------------------------------------------------- fences */

struct _GstStereoFence
{
  gatomicrefcount references;
  GMutex lock;
  StereoMatcher *matcher;       /* NULL once retired */
};

GstStereoFence *
gst_stereo_fence_new (StereoMatcher * matcher)
{
  GstStereoFence *fence = g_new0 (GstStereoFence, 1);

  g_atomic_ref_count_init (&fence->references);
  g_mutex_init (&fence->lock);
  fence->matcher = matcher;
  return fence;
}

GstStereoFence *
gst_stereo_fence_ref (GstStereoFence * fence)
{
  g_atomic_ref_count_inc (&fence->references);
  return fence;
}

void
gst_stereo_fence_unref (GstStereoFence * fence)
{
  if (g_atomic_ref_count_dec (&fence->references)) {
    g_mutex_clear (&fence->lock);
    g_free (fence);
  }
}

gboolean
gst_stereo_fence_wait (GstStereoFence * fence, guint64 frame)
{
  StereoStatus status = STEREO_OK;

  g_mutex_lock (&fence->lock);
  if (fence->matcher != NULL)
    status = stereo_matcher_wait (fence->matcher, frame);
  g_mutex_unlock (&fence->lock);
  return status == STEREO_OK;
}

void
gst_stereo_fence_retire (GstStereoFence * fence)
{
  g_mutex_lock (&fence->lock);
  fence->matcher = NULL;
  g_mutex_unlock (&fence->lock);
}

/* ------------------------------------------------------------------- memory */

#define STEREO_PINNED_MEMORY "StereoPinned"

typedef struct
{
  GstMemory memory;
  gpointer data;
  StereoDevice *device;
  GstStereoFence *fence;        /* or NULL */
  guint64 frame;
} GstStereoMemory;

typedef struct
{
  GstAllocator parent;
  StereoDevice *device;
} GstStereoAllocator;

typedef struct
{
  GstAllocatorClass parent_class;
} GstStereoAllocatorClass;

static GType gst_stereo_allocator_get_type (void);
G_DEFINE_TYPE (GstStereoAllocator, gst_stereo_allocator, GST_TYPE_ALLOCATOR);
#define GST_STEREO_ALLOCATOR(obj) ((GstStereoAllocator *) (obj))

static GstMemory *
gst_stereo_allocator_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  GstStereoAllocator *self = GST_STEREO_ALLOCATOR (allocator);
  gsize align = params->align | gst_memory_alignment, offset;
  gsize maxsize = size + params->prefix + params->padding + align;
  GstStereoMemory *memory;
  StereoMessage why;
  gpointer data = NULL;

  if (stereo_device_alloc_pinned (self->device, maxsize, &data,
          &why) != STEREO_OK) {
    GST_WARNING_OBJECT (allocator, "%s", why.text);
    return NULL;
  }
  offset = (gsize) data & align;
  if (offset != 0)
    offset = align + 1 - offset;

  memory = g_new0 (GstStereoMemory, 1);
  memory->data = data;
  memory->device = stereo_device_ref (self->device);
  gst_memory_init (GST_MEMORY_CAST (memory), params->flags
      | GST_MEMORY_FLAG_NO_SHARE, allocator, NULL, maxsize, align,
      offset + params->prefix, size);
  if (params->prefix > 0 && (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED))
    memset ((guint8 *) data + offset, 0, params->prefix);
  if (params->padding > 0 && (params->flags & GST_MEMORY_FLAG_ZERO_PADDED))
    memset ((guint8 *) data + offset + params->prefix + size, 0,
        params->padding);
  return GST_MEMORY_CAST (memory);
}

static void
gst_stereo_memory_clear_fence (GstStereoMemory * memory)
{
  if (memory->fence != NULL)
    gst_stereo_fence_unref (memory->fence);
  memory->fence = NULL;
}

static void
gst_stereo_allocator_free (GstAllocator * allocator, GstMemory * mem)
{
  GstStereoMemory *memory = (GstStereoMemory *) mem;

  /* The device may still be writing. */
  if (memory->fence != NULL)
    gst_stereo_fence_wait (memory->fence, memory->frame);
  gst_stereo_memory_clear_fence (memory);
  stereo_device_free_pinned (memory->device, &memory->data);
  stereo_device_unref (&memory->device);
  g_free (memory);
}

static gpointer
gst_stereo_memory_map (GstMemory * mem, gsize maxsize, GstMapFlags flags)
{
  GstStereoMemory *memory = (GstStereoMemory *) mem;

  if (memory->fence != NULL
      && !gst_stereo_fence_wait (memory->fence, memory->frame))
    return NULL;
  return memory->data;
}

static void
gst_stereo_memory_unmap (GstMemory * mem)
{
}

static void
gst_stereo_allocator_finalize (GObject * object)
{
  stereo_device_unref (&GST_STEREO_ALLOCATOR (object)->device);
  G_OBJECT_CLASS (gst_stereo_allocator_parent_class)->finalize (object);
}

static void
gst_stereo_allocator_class_init (GstStereoAllocatorClass * klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_stereo_allocator_finalize;
  allocator_class->alloc = gst_stereo_allocator_alloc;
  allocator_class->free = gst_stereo_allocator_free;
}

static void
gst_stereo_allocator_init (GstStereoAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = STEREO_PINNED_MEMORY;
  allocator->mem_map = gst_stereo_memory_map;
  allocator->mem_unmap = gst_stereo_memory_unmap;
}

GstAllocator *
gst_stereo_allocator_new (StereoDevice * device)
{
  GstStereoAllocator *self = g_object_new (gst_stereo_allocator_get_type (),
      NULL);

  self->device = stereo_device_ref (device);
  gst_object_ref_sink (self);
  return GST_ALLOCATOR_CAST (self);
}

/* The buffer's only memory, if it is of our kind. */
static GstStereoMemory *
pinned_memory (GstBuffer * buffer)
{
  GstMemory *memory;

  if (gst_buffer_n_memory (buffer) != 1)
    return NULL;
  memory = gst_buffer_peek_memory (buffer, 0);
  if (!gst_memory_is_type (memory, STEREO_PINNED_MEMORY)
      || !G_TYPE_CHECK_INSTANCE_TYPE (memory->allocator,
          gst_stereo_allocator_get_type ()))
    return NULL;
  return (GstStereoMemory *) memory;
}

gboolean
gst_stereo_buffer_is_pinned (GstBuffer * buffer, StereoDevice * device)
{
  GstStereoMemory *memory = pinned_memory (buffer);

  return memory != NULL && memory->device == device;
}

void
gst_stereo_buffer_set_fence (GstBuffer * buffer, GstStereoFence * fence,
    guint64 frame)
{
  GstStereoMemory *memory = pinned_memory (buffer);

  g_return_if_fail (memory != NULL);
  gst_stereo_memory_clear_fence (memory);
  if (fence != NULL)
    memory->fence = gst_stereo_fence_ref (fence);
  memory->frame = frame;
}

GstBufferPool *
gst_stereo_pool_new (GstCaps * caps, GstAllocator * allocator,
    gboolean video_meta, guint min_buffers, guint max_buffers, guint * size)
{
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return NULL;

  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  *size = (guint) GST_VIDEO_INFO_SIZE (&info);
  gst_buffer_pool_config_set_params (config, caps, *size, min_buffers,
      max_buffers);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (video_meta)
    gst_buffer_pool_config_add_option (config,
        GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config)) {
    gst_object_unref (pool);
    return NULL;
  }
  return pool;
}

/* -------------------------------------------------------------------- views */

gboolean
gst_stereo_frame_map (GstStereoFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer, GstMapFlags flags, StereoDevice * device)
{
  StereoImage *image = &frame->image;
  gboolean ok;

  if (!gst_video_frame_map (&frame->frame, info, buffer, flags)) {
    memset (frame, 0, sizeof (*frame));
    return FALSE;
  }
  /* Rows from bottom to top are not video as GStreamer has it. */
  ok = gst_stereo_format (GST_VIDEO_FRAME_FORMAT (&frame->frame),
      &image->format);
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES (&frame->frame); i++)
    ok &= GST_VIDEO_FRAME_PLANE_STRIDE (&frame->frame, i) > 0;
  if (!ok) {
    gst_stereo_frame_unmap (frame);
    return FALSE;
  }

  image->width = GST_VIDEO_FRAME_WIDTH (&frame->frame);
  image->height = GST_VIDEO_FRAME_HEIGHT (&frame->frame);
  image->memory = gst_stereo_buffer_is_pinned (buffer, device)
      ? STEREO_MEMORY_PINNED : STEREO_MEMORY_HOST;
  for (guint i = 0; i < 3; i++) {
    gboolean has = i < GST_VIDEO_FRAME_N_PLANES (&frame->frame);

    image->plane[i] = has ? GST_VIDEO_FRAME_PLANE_DATA (&frame->frame, i)
        : NULL;
    image->stride[i] = has
        ? (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (&frame->frame, i) : 0;
  }
  return TRUE;
}

void
gst_stereo_frame_unmap (GstStereoFrame * frame)
{
  gst_video_frame_unmap (&frame->frame);
  memset (frame, 0, sizeof (*frame));
}
