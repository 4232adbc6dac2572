/* gst-stereomatching: pinning of host memory with CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* All CUDA devices of the process share the list of pinned memory, which is
 * short: the buffers of a few pools. */

#include "core/device-cuda.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Pinned
{
  uintptr_t begin;
  uintptr_t end;
  struct Pinned *next;
} Pinned;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Pinned *all;             /* under the lock */

/* A lost device is reported by its next frame. */
static StereoStatus
register_memory (void *memory, size_t bytes, StereoMessage * why)
{
  cudaError_t error = cudaHostRegister (memory, bytes,
      cudaHostRegisterPortable);

  if (error == cudaSuccess)
    return STEREO_OK;
  (void) cudaGetLastError ();
  return stereo_fail (why, STEREO_ERROR_UNSUPPORTED, "%.1f MiB of host memory "
      "cannot be pinned: %s", (double) bytes / 1048576,
      cudaGetErrorString (error));
}

StereoStatus
stereo_cuda_pin (StereoDevice * device, void *memory, size_t bytes,
    StereoMessage * why)
{
  StereoStatus status = stereo_cuda_enter (device, why);
  Pinned *self;

  if (status != STEREO_OK)
    return status;
  self = malloc (sizeof (*self));
  if (self == NULL)
    status = stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  else
    status = register_memory (memory, bytes, why);
  stereo_cuda_leave (device);
  if (status != STEREO_OK) {
    free (self);
    return status;
  }
  self->begin = (uintptr_t) memory;
  self->end = self->begin + bytes;
  pthread_mutex_lock (&lock);
  self->next = all;
  all = self;
  pthread_mutex_unlock (&lock);
  return STEREO_OK;
}

void
stereo_cuda_unpin (StereoDevice * device, void *memory)
{
  Pinned *self = NULL;
  StereoMessage why;

  pthread_mutex_lock (&lock);
  for (Pinned ** at = &all; *at != NULL; at = &(*at)->next) {
    if ((*at)->begin == (uintptr_t) memory) {
      self = *at;
      *at = self->next;
      break;
    }
  }
  pthread_mutex_unlock (&lock);
  if (self == NULL)
    return;
  free (self);
  if (stereo_cuda_enter (device, &why) == STEREO_OK) {
    if (cudaHostUnregister (memory) != cudaSuccess)
      (void) cudaGetLastError ();
    stereo_cuda_leave (device);
  }
}

bool
stereo_cuda_is_pinned (const void *memory, size_t bytes)
{
  uintptr_t begin = (uintptr_t) memory;
  bool found = false;

  pthread_mutex_lock (&lock);
  for (const Pinned * p = all; p != NULL && !found; p = p->next)
    found = begin >= p->begin && begin < p->end && bytes <= p->end - begin;
  pthread_mutex_unlock (&lock);
  return found;
}
