/* gst-stereomatching: stubs of stereo-cuda.h for builds without CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereo-cuda.h"

#include "core/backend.h"
#include "core/testing-cuda.h"

static StereoStatus
unsupported (StereoMessage * why)
{
  return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
      "this build has no CUDA: build it where nvcc is, with -Dcuda=enabled");
}

int
stereo_cuda_count (StereoMessage * why)
{
  (void) unsupported (why);
  return 0;
}

StereoStatus
stereo_device_new_cuda (int ordinal, StereoDevice ** device,
    StereoMessage * why)
{
  (void) ordinal, (void) device;
  return unsupported (why);
}

StereoStatus
stereo_device_new_cuda_wrapped (void *cu_context, void *cu_stream,
    StereoDevice ** device, StereoMessage * why)
{
  (void) cu_context, (void) cu_stream, (void) device;
  return unsupported (why);
}

StereoStatus
stereo_cuda_memory (StereoDevice * device, size_t * available, size_t * total,
    StereoMessage * why)
{
  (void) device, (void) available, (void) total;
  return unsupported (why);
}

void
stereo_cuda_keep (StereoDevice * device, void *kept,
    void (*release) (void *kept))
{
  (void) device, (void) kept, (void) release;
}

void *
stereo_cuda_context (const StereoDevice * device)
{
  (void) device;
  return NULL;
}

int
stereo_cuda_ordinal (const StereoDevice * device)
{
  (void) device;
  return -1;
}

StereoStatus
stereo_cuda_download (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoEvent * after, StereoEvent * done, StereoMessage * why)
{
  (void) device, (void) target, (void) source, (void) bytes, (void) after;
  (void) done;
  return unsupported (why);
}

void *
stereo_cuda_event (StereoEvent * event)
{
  (void) event;
  return NULL;
}

void
stereo_cuda_pretend_shared_limit (StereoDevice * device, int bytes)
{
  (void) device, (void) bytes;
}

void
stereo_cuda_pretend_cooperative (StereoDevice * device, bool cooperative)
{
  (void) device, (void) cooperative;
}

int
stereo_cuda_pretend_multiprocessors (StereoDevice * device, int n)
{
  (void) device, (void) n;
  return 1;
}
