/* gst-stereomatching: devices and events
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/backend.h"

#include <string.h>

void
stereo_device_init (StereoDevice * device, const StereoDeviceClass * klass)
{
  memset (device, 0, sizeof (*device));
  device->klass = klass;
  device->references = 1;
  device->n_threads = 1;
}

StereoDevice *
stereo_device_ref (StereoDevice * device)
{
  if (device != NULL)
    __atomic_add_fetch (&device->references, 1, __ATOMIC_RELAXED);
  return device;
}

void
stereo_device_unref (StereoDevice ** device)
{
  StereoDevice *self;

  if (device == NULL || *device == NULL)
    return;
  self = *device;
  *device = NULL;
  if (__atomic_sub_fetch (&self->references, 1, __ATOMIC_ACQ_REL) == 0)
    self->klass->finalize (self);
}

const char *
stereo_device_backend (const StereoDevice * device)
{
  return device != NULL ? device->klass->backend : NULL;
}

const char *
stereo_device_name (const StereoDevice * device)
{
  return device != NULL ? device->name : NULL;
}

static bool
is_cpu (const StereoDevice * device)
{
  return device != NULL && strcmp (device->klass->backend, "cpu") == 0;
}

unsigned
stereo_device_threads (const StereoDevice * device)
{
  return is_cpu (device) ? device->n_threads : 0;
}

StereoSimd
stereo_device_simd (const StereoDevice * device)
{
  return is_cpu (device) ? device->simd : STEREO_SIMD_NONE;
}

void
stereo_device_set_log (StereoDevice * device, StereoLogFunction function,
    void *user_data)
{
  if (device == NULL)
    return;
  device->log = function;
  device->log_data = user_data;
}

StereoStatus
stereo_device_alloc_pinned (StereoDevice * device, size_t bytes, void **memory,
    StereoMessage * why)
{
  if (device == NULL || memory == NULL || bytes == 0)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "no device, memory or size");
  return device->klass->alloc_pinned (device, bytes, memory, why);
}

void
stereo_device_free_pinned (StereoDevice * device, void **memory)
{
  if (device == NULL || memory == NULL || *memory == NULL)
    return;
  device->klass->free_pinned (device, *memory);
  *memory = NULL;
}

StereoStatus
stereo_device_pin (StereoDevice * device, void *memory, size_t bytes,
    StereoMessage * why)
{
  if (device == NULL || memory == NULL || bytes == 0)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "no device, memory or size");
  return device->klass->pin (device, memory, bytes, why);
}

void
stereo_device_unpin (StereoDevice * device, void *memory)
{
  if (device != NULL && memory != NULL)
    device->klass->unpin (device, memory);
}

StereoStatus
stereo_device_alloc (StereoDevice * device, size_t bytes, void **memory,
    StereoMessage * why)
{
  if (device == NULL || memory == NULL || bytes == 0)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "no device, memory or size");
  return device->klass->alloc (device, bytes, memory, why);
}

void
stereo_device_free (StereoDevice * device, void **memory)
{
  if (device == NULL || memory == NULL || *memory == NULL)
    return;
  device->klass->free (device, *memory);
  *memory = NULL;
}

StereoStatus
stereo_device_copy (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoMessage * why)
{
  if (device == NULL || target == NULL || source == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "no device or no memory");
  return device->klass->copy (device, target, source, bytes, why);
}

StereoStatus
stereo_event_new (StereoDevice * device, StereoEvent ** event,
    StereoMessage * why)
{
  StereoStatus status;

  if (device == NULL || event == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "no device, or no place for the event");
  status = device->klass->event_new (device, event, why);
  if (status == STEREO_OK)
    (*event)->device = stereo_device_ref (device);
  return status;
}

StereoStatus
stereo_event_wait (StereoEvent * event, StereoMessage * why)
{
  return event == NULL ? STEREO_OK : event->device->klass->event_wait (event,
      why);
}

void
stereo_event_free (StereoEvent ** event)
{
  StereoDevice *device;

  if (event == NULL || *event == NULL)
    return;
  device = (*event)->device;
  device->klass->event_free (*event);
  *event = NULL;
  stereo_device_unref (&device);
}
