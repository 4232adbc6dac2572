/* gst-stereomatching: page-locked memory for copies from and to a device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoallocator.h"

#include "base/gststereodebug.h"

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
