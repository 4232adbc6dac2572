/* gst-stereomatching: CUDA memory and events
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/device-cuda.h"

#include "core/memory.h"
#include "stereo-cuda.h"

#include <stdlib.h>
#include <string.h>

StereoStatus
stereo_cuda_event_new (StereoDevice * device, StereoEvent ** event,
    StereoMessage * why)
{
  CudaEvent *self = calloc (1, sizeof (*self));
  StereoStatus status;

  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  status = stereo_cuda_enter (device, why);
  if (status == STEREO_OK) {
    /* waiting threads block instead of spinning */
    status = STEREO_CUDA_CHECK (cudaEventCreateWithFlags (&self->cuda,
            cudaEventDisableTiming | cudaEventBlockingSync),
            "creating an event",
        why);
    stereo_cuda_leave (device);
  }
  if (status == STEREO_OK)
    *event = &self->event;
  else
    free (self);
  return status;
}

StereoStatus
stereo_cuda_event_wait (StereoEvent * event, StereoMessage * why)
{
  StereoStatus status = stereo_cuda_enter (event->device, why);

  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaEventSynchronize (((CudaEvent *)
              event)->cuda), "waiting for an event", why);
  stereo_cuda_leave (event->device);
  return status;
}

void
stereo_cuda_event_free (StereoEvent * event)
{
  StereoMessage why;

  if (stereo_cuda_enter (event->device, &why) == STEREO_OK) {
    (void) cudaEventDestroy (((CudaEvent *) event)->cuda);
    stereo_cuda_leave (event->device);
  }
  free (event);
}

void *
stereo_cuda_event (StereoEvent * event)
{
  if (event == NULL || strcmp (event->device->klass->backend, "cuda") != 0)
    return NULL;
  return ((CudaEvent *) event)->cuda;
}

StereoStatus
stereo_cuda_alloc (StereoDevice * device, size_t bytes, void **memory,
    StereoMessage * why)
{
  StereoStatus status = stereo_cuda_enter (device, why);
  size_t available = 0, total = 0;
  cudaError_t error;

  if (status != STEREO_OK)
    return status;
  error = cudaMalloc (memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    (void) cudaGetLastError ();
    (void) cudaMemGetInfo (&available, &total);
    status = stereo_fail (why, STEREO_ERROR_MEMORY,
        "%s is out of memory: %.1f MiB are needed, %.1f MiB of %.1f MiB are "
        "free", device->name, (double) bytes / 1048576,
        (double) available / 1048576, (double) total / 1048576);
  } else {
    status = STEREO_CUDA_CHECK (error, "allocating device memory", why);
  }
  stereo_cuda_leave (device);
  return status;
}

void
stereo_cuda_free (StereoDevice * device, void *memory)
{
  StereoMessage why;

  if (stereo_cuda_enter (device, &why) == STEREO_OK) {
    (void) cudaFree (memory);
    stereo_cuda_leave (device);
  }
}

StereoStatus
stereo_cuda_alloc_pinned (StereoDevice * device, size_t bytes, void **memory,
    StereoMessage * why)
{
  StereoStatus status = stereo_memory_check (bytes, why);
  cudaError_t error;

  if (status == STEREO_OK)
    status = stereo_cuda_enter (device, why);
  if (status != STEREO_OK)
    return status;
  error = cudaHostAlloc (memory, bytes, cudaHostAllocPortable);
  if (error == cudaErrorMemoryAllocation) {
    (void) cudaGetLastError ();
    status = stereo_fail (why, STEREO_ERROR_MEMORY,
        "out of page-locked host memory: %.1f MiB are needed",
        (double) bytes / 1048576);
  } else {
    status = STEREO_CUDA_CHECK (error, "allocating page-locked memory", why);
  }
  stereo_cuda_leave (device);
  return status;
}

void
stereo_cuda_free_pinned (StereoDevice * device, void *memory)
{
  StereoMessage why;

  if (stereo_cuda_enter (device, &why) == STEREO_OK) {
    (void) cudaFreeHost (memory);
    stereo_cuda_leave (device);
  }
}

StereoStatus
stereo_cuda_copy (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoMessage * why)
{
  StereoStatus status = stereo_cuda_enter (device, why);
  cudaError_t error;

  if (status != STEREO_OK)
    return status;
  error = cudaMemcpy (target, source, bytes, cudaMemcpyDefault);
  if (error == cudaSuccess)
    error = cudaStreamSynchronize (0);
  status = STEREO_CUDA_CHECK (error, "copying", why);
  stereo_cuda_leave (device);
  return status;
}
