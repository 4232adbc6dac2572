/* gst-stereomatching: page-locked memory for copies from and to a device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoallocator.h"

#include "base/gststereodebug.h"
#include "stereo-cuda.h"

#define STEREO_PINNED_MEMORY "StereoPinned"

typedef struct
{
  GstAllocator parent;
  StereoDevice *device;
  gint mapped;                  /* atomic: whether the CPU mapped the last
                                 * output */
  GMutex lock;
  guint64 downloaded;           /* bytes; under the lock */
} GstStereoAllocator;

typedef struct
{
  GstAllocatorClass parent_class;
} GstStereoAllocatorClass;

typedef struct
{
  GstMemory memory;
  gpointer data;
  StereoDevice *device;
  GstStereoFence *fence;        /* or NULL */
  guint64 frame;

  GMutex lock;                  /* of the fields below */
  void *copy;                   /* on the device; NULL until first used */
  StereoEvent *written;         /* the copy */
  StereoEvent *fetched;         /* data, from the copy */
  gboolean on_device;           /* the copy has the contents */
  gboolean on_host;             /* data has them, */
  gboolean fetching;            /* after fetched */
  gboolean mapped;              /* by the CPU, since the last write of the
                                 * device */
} GstStereoMemory;

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
  memory->on_host = TRUE;
  g_mutex_init (&memory->lock);
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

/* ----------------------------------------------------- copy on the device */

static void
count_download (GstStereoMemory * memory)
{
  GstStereoAllocator *allocator =
      GST_STEREO_ALLOCATOR (memory->memory.allocator);

  g_mutex_lock (&allocator->lock);
  allocator->downloaded += memory->memory.maxsize;
  g_mutex_unlock (&allocator->lock);
}

/* The functions below are called with the memory's lock held, except the last
 * release. */

/* Downloads the copy; with CUDA the thread sleeps meanwhile. */
static StereoStatus
fetch (GstStereoMemory * memory, StereoMessage * why)
{
  const gsize size = memory->memory.maxsize;
  StereoStatus status;

  if (stereo_cuda_context (memory->device) == NULL)
    return stereo_device_copy (memory->device, memory->data, memory->copy,
        size, why);
  status = stereo_cuda_download (memory->device, memory->data, memory->copy,
      size, memory->written, memory->fetched, why);
  return status != STEREO_OK ? status : stereo_event_wait (memory->fetched,
      why);
}

/* Waits until data has the contents.  FALSE if they are lost. */
static gboolean
ensure_on_host (GstStereoMemory * memory)
{
  StereoStatus status = STEREO_OK;
  StereoMessage why;

  if (!memory->on_host) {
    status = fetch (memory, &why);
    if (status == STEREO_OK)
      count_download (memory);
  } else if (memory->fetching) {
    status = stereo_event_wait (memory->fetched, &why);
  }
  if (status != STEREO_OK) {
    GST_WARNING_OBJECT (memory->memory.allocator, "%s", why.text);
    return FALSE;
  }
  memory->on_host = TRUE;
  memory->fetching = FALSE;
  return TRUE;
}

static void
release_copy (GstStereoMemory * memory)
{
  StereoMessage why;

  /* The device may still access the copy. */
  if (stereo_event_wait (memory->written, &why) != STEREO_OK
      || stereo_event_wait (memory->fetched, &why) != STEREO_OK)
    GST_WARNING_OBJECT (memory->memory.allocator, "%s", why.text);
  stereo_event_free (&memory->written);
  stereo_event_free (&memory->fetched);
  stereo_device_free (memory->device, &memory->copy);
}

/* Allocates the copy, which is zero at first. */
static gboolean
make_copy (GstStereoMemory * memory)
{
  StereoMessage why;

  if (memory->copy != NULL)
    return TRUE;
  memset (memory->data, 0, memory->memory.maxsize);
  if (stereo_device_alloc (memory->device, memory->memory.maxsize,
          &memory->copy, &why) == STEREO_OK
      && stereo_event_new (memory->device, &memory->written, &why)
      == STEREO_OK
      && stereo_event_new (memory->device, &memory->fetched, &why)
      == STEREO_OK
      && stereo_device_copy (memory->device, memory->copy, memory->data,
          memory->memory.maxsize, &why) == STEREO_OK)
    return TRUE;
  GST_INFO_OBJECT (memory->memory.allocator, "no copy on the device: %s",
      why.text);
  release_copy (memory);
  return FALSE;
}

/* The device has started to write to the copy.  Starts its download if the CPU
 * mapped the last buffers. */
static void
note_written (GstStereoMemory * memory)
{
  GstStereoAllocator *allocator =
      GST_STEREO_ALLOCATOR (memory->memory.allocator);
  StereoMessage why;

  if (memory->on_device && memory->on_host && !memory->mapped)
    g_atomic_int_set (&allocator->mapped, FALSE);
  memory->on_device = TRUE;
  memory->on_host = FALSE;
  memory->fetching = FALSE;
  memory->mapped = FALSE;
  if (g_atomic_int_get (&allocator->mapped)
      && stereo_cuda_download (memory->device, memory->data, memory->copy,
          memory->memory.maxsize, memory->written, memory->fetched,
          &why) == STEREO_OK) {
    count_download (memory);
    memory->on_host = memory->fetching = TRUE;
  }
}

/* ---------------------------------------------------------------- mapping */

static void
gst_stereo_allocator_free (GstAllocator * allocator, GstMemory * mem)
{
  GstStereoMemory *memory = (GstStereoMemory *) mem;

  /* The device may still be writing. */
  if (memory->fence != NULL)
    gst_stereo_fence_wait (memory->fence, memory->frame);
  gst_stereo_memory_clear_fence (memory);
  release_copy (memory);
  stereo_device_free_pinned (memory->device, &memory->data);
  stereo_device_unref (&memory->device);
  g_mutex_clear (&memory->lock);
  g_free (memory);
}

static gpointer
map_for_cpu (GstStereoMemory * memory, GstMapFlags flags)
{
  gboolean ok;

  if (memory->fence != NULL
      && !gst_stereo_fence_wait (memory->fence, memory->frame))
    return NULL;
  g_mutex_lock (&memory->lock);
  if (memory->on_device)
    g_atomic_int_set (&GST_STEREO_ALLOCATOR (memory->memory.allocator)->mapped,
        TRUE);
  memory->mapped = TRUE;
  ok = ensure_on_host (memory);
  if (!ok && !(flags & GST_MAP_READ)) {
    /* lost with the device, and not needed */
    memset (memory->data, 0, memory->memory.maxsize);
    memory->on_host = ok = TRUE;
    memory->fetching = FALSE;
  }
  if (ok && (flags & GST_MAP_WRITE))
    memory->on_device = FALSE;
  g_mutex_unlock (&memory->lock);
  return ok ? memory->data : NULL;
}

static gpointer
gst_stereo_memory_map (GstMemory * mem, gsize maxsize, GstMapFlags flags)
{
  GstStereoMemory *memory = (GstStereoMemory *) mem;

  return flags & GST_STEREO_MAP_DEVICE ? memory->copy
      : map_for_cpu (memory, flags);
}

static void
gst_stereo_memory_unmap (GstMemory * mem, GstMapInfo * info)
{
  GstStereoMemory *memory = (GstStereoMemory *) mem;

  if (!(info->flags & GST_STEREO_MAP_DEVICE) || !(info->flags & GST_MAP_WRITE))
    return;
  g_mutex_lock (&memory->lock);
  note_written (memory);
  g_mutex_unlock (&memory->lock);
}

static void
gst_stereo_allocator_finalize (GObject * object)
{
  g_mutex_clear (&GST_STEREO_ALLOCATOR (object)->lock);
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
  allocator->mem_unmap_full = gst_stereo_memory_unmap;
  g_mutex_init (&self->lock);
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

/* The buffer's only memory, if it is of such an allocator. */
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
  if (fence != NULL) {
    memory->fence = gst_stereo_fence_ref (fence);
    gst_stereo_fence_add (fence, frame);
  }
  memory->frame = frame;
}

gboolean
gst_stereo_buffer_is_lost (GstBuffer * buffer)
{
  GstMapInfo info;

  if (pinned_memory (buffer) == NULL)
    return FALSE;
  if (!gst_buffer_map (buffer, &info, GST_MAP_READ))
    return TRUE;
  gst_buffer_unmap (buffer, &info);
  return FALSE;
}

/* Whether one device can read the memory of the other one. */
static gboolean
same_memory (StereoDevice * a, StereoDevice * b)
{
  return a == b || (a != NULL && b != NULL && stereo_cuda_context (a) != NULL
      && stereo_cuda_context (a) == stereo_cuda_context (b));
}

gboolean
gst_stereo_buffer_use_copy (GstBuffer * buffer, StereoDevice * device,
    GstMapFlags flags, StereoImage * image)
{
  GstStereoMemory *memory = pinned_memory (buffer);
  gboolean usable;

  if (memory == NULL || !same_memory (memory->device, device))
    return FALSE;
  g_mutex_lock (&memory->lock);
  if (flags & GST_MAP_WRITE) {
    usable = make_copy (memory);
    /* Another runner may still write to it. */
    image->ready = !usable ? NULL : memory->fetching ? memory->fetched
        : memory->written;
    image->done = usable ? memory->written : NULL;
  } else {
    usable = memory->on_device;
    image->ready = usable ? memory->written : NULL;
  }
  g_mutex_unlock (&memory->lock);
  return usable;
}

guint64
gst_stereo_allocator_get_downloaded (GstAllocator * allocator)
{
  GstStereoAllocator *self = GST_STEREO_ALLOCATOR (allocator);
  guint64 bytes;

  g_mutex_lock (&self->lock);
  bytes = self->downloaded;
  g_mutex_unlock (&self->lock);
  return bytes;
}
