/* gst-stereomatching: pinning of system memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereopinning.h"

#include "base/gststereodebug.h"

/* Smaller memory may share pages with other memory, and is copied quickly. */
#define MIN_BYTES ((gsize) 128 << 10)
/* Of all memory that is pinned at a time; the kernel cannot swap it out. */
#define MAX_BYTES ((gsize) 1 << 30)

/* What is known about a memory.  The memory owns it. */
typedef struct
{
  GstClockTime pts;             /* of the first frame */
  gboolean tried;               /* to pin it */
  StereoDevice *device;         /* that pinned it; NULL: it is not pinned */
  gpointer data;
  gsize bytes;
} Pinning;

/* Protects `pinned`, and every Pinning until its memory is freed. */
static GMutex lock;
static gsize pinned;            /* bytes */

static GQuark
pinning_quark (void)
{
  return g_quark_from_static_string ("GstStereoPinning");
}

/* The memory is about to be freed. */
static void
pinning_free (gpointer user_data)
{
  Pinning *self = user_data;

  if (self->device != NULL) {
    stereo_device_unpin (self->device, self->data);
    g_mutex_lock (&lock);
    pinned -= self->bytes;
    g_mutex_unlock (&lock);
    stereo_device_unref (&self->device);
  }
  g_free (self);
}

/* The buffer's only memory, if it is system memory; not a part of another. */
static GstMemory *
system_memory (GstBuffer * buffer)
{
  GstMemory *memory;

  if (gst_buffer_n_memory (buffer) != 1)
    return NULL;
  memory = gst_buffer_peek_memory (buffer, 0);
  while (memory->parent != NULL)
    memory = memory->parent;
  return gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM)
      && memory->maxsize >= MIN_BYTES ? memory : NULL;
}

/* Under the lock. */
static void
try_to_pin (Pinning * self, GstMemory * memory, StereoDevice * device)
{
  StereoMessage why = { "" };
  GstMapInfo map;

  self->tried = TRUE;
  if (memory->maxsize > MAX_BYTES - pinned
      || !gst_memory_map (memory, &map, GST_MAP_READ))
    return;
  self->data = map.data - memory->offset;
  self->bytes = memory->maxsize;
  /* system memory does not move */
  gst_memory_unmap (memory, &map);
  if (stereo_device_pin (device, self->data, self->bytes, &why) != STEREO_OK) {
    GST_DEBUG ("copying %" G_GSIZE_FORMAT " bytes for each frame: %s",
        self->bytes, why.text);
    return;
  }
  self->device = stereo_device_ref (device);
  pinned += self->bytes;
}

void
gst_stereo_buffer_pin (GstBuffer * buffer, StereoDevice * device)
{
  GstMemory *memory = system_memory (buffer);
  Pinning *self;

  if (memory == NULL || g_strcmp0 (stereo_device_backend (device), "cuda") != 0)
    return;
  g_mutex_lock (&lock);
  self = gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory),
      pinning_quark ());
  if (self == NULL) {
    self = g_new0 (Pinning, 1);
    self->pts = GST_BUFFER_PTS (buffer);
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), pinning_quark (),
        self, pinning_free);
  } else if (!self->tried && self->pts != GST_BUFFER_PTS (buffer)) {
    try_to_pin (self, memory, device);
  }
  g_mutex_unlock (&lock);
}
