/* gst-stereomatching: the CUDA device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/device-cuda.h"

#include "core/testing-cuda.h"
#include "stereo-cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- errors */

StereoStatus
stereo_cuda_check (cudaError_t error, const char *what, const char *file,
    int line, StereoMessage * why)
{
  const char *slash = strrchr (file, '/');
  StereoStatus status = STEREO_ERROR_DEVICE;

  if (error == cudaSuccess)
    return STEREO_OK;
  /* otherwise later launches of this thread would report it again */
  (void) cudaGetLastError ();
  if (error == cudaErrorMemoryAllocation)
    status = STEREO_ERROR_MEMORY;
  else if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice
      || error == cudaErrorInvalidDevice
      || error == cudaErrorNoKernelImageForDevice)
    status = STEREO_ERROR_NO_DEVICE;
  return stereo_fail (why, status, "%s: %s, %s (%s:%d)", what,
      cudaGetErrorName (error), cudaGetErrorString (error),
      slash ? slash + 1 : file, line);
}

/* ------------------------------------------------------------------- driver */

static bool
driver_function (const char *name, void *function)
{
  void *address = NULL;
  cudaError_t error;

#if CUDART_VERSION >= 12050
  error = cudaGetDriverEntryPointByVersion (name, &address, 11000,
      cudaEnableDefault, NULL);
#else
  error = cudaGetDriverEntryPoint (name, &address, cudaEnableDefault, NULL);
#endif
  if (error != cudaSuccess || address == NULL)
    return false;
  memcpy (function, &address, sizeof (address));
  return true;
}

static StereoStatus
load_driver (CudaDriver * driver, StereoMessage * why)
{
  int count = 0;
  cudaError_t error = cudaGetDeviceCount (&count);

  if (error != cudaSuccess) {
    /* Clear the error for other users of cudaGetLastError(). */
    (void) cudaGetLastError ();
    if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice)
      return stereo_fail (why, STEREO_ERROR_NO_DEVICE,
          "there is no CUDA device with a driver that is new enough (%s)",
          cudaGetErrorName (error));
    return STEREO_CUDA_CHECK (error, "starting the CUDA driver", why);
  }
  if (!driver_function ("cuInit", &driver->init)
      || !driver_function ("cuDeviceGet", &driver->device_get)
      || !driver_function ("cuDevicePrimaryCtxRetain", &driver->primary_retain)
      || !driver_function ("cuDevicePrimaryCtxRelease",
          &driver->primary_release)
      || !driver_function ("cuDevicePrimaryCtxGetState",
          &driver->primary_state)
      || !driver_function ("cuDevicePrimaryCtxSetFlags",
          &driver->primary_set_flags)
      || !driver_function ("cuCtxPushCurrent", &driver->push)
      || !driver_function ("cuCtxPopCurrent", &driver->pop)
      || !driver_function ("cuGetErrorName", &driver->error_name)
      || driver->init (0) != CUDA_SUCCESS)
    return stereo_fail (why, STEREO_ERROR_NO_DEVICE,
        "the CUDA driver is incomplete");
  return STEREO_OK;
}

static const char *
error_name (const CudaDriver * driver, CUresult result)
{
  const char *name = NULL;

  if (driver->error_name (result, &name) != CUDA_SUCCESS || name == NULL)
    return "unknown error";
  return name;
}

int
stereo_cuda_count (StereoMessage * why)
{
  CudaDriver driver;
  int count = 0;

  if (load_driver (&driver, why) != STEREO_OK
      || cudaGetDeviceCount (&count) != cudaSuccess)
    return 0;
  return count;
}

StereoStatus
stereo_cuda_enter (StereoDevice * device, StereoMessage * why)
{
  CudaDevice *self = (CudaDevice *) device;
  CUresult result = self->driver.push (self->context);

  if (result != CUDA_SUCCESS)
    return stereo_fail (why, STEREO_ERROR_DEVICE,
        "the CUDA context of %s cannot be made current (%s)", device->name,
        error_name (&self->driver, result));
  return STEREO_OK;
}

void
stereo_cuda_leave (StereoDevice * device)
{
  CUcontext popped;

  (void) ((CudaDevice *) device)->driver.pop (&popped);
}

int
stereo_cuda_shared_limit (const StereoDevice * device)
{
  return ((const CudaDevice *) device)->shared_limit;
}

int
stereo_cuda_blocks_in_shared (const StereoDevice * device, int bytes)
{
  /* each block reserves another 1 KB */
  return stereo_cuda_shared_limit (device) / (bytes + 1024);
}

void
stereo_cuda_pretend_shared_limit (StereoDevice * device, int bytes)
{
  ((CudaDevice *) device)->shared_limit = bytes;
}

bool
stereo_cuda_cooperative (const StereoDevice * device)
{
  return ((const CudaDevice *) device)->cooperative;
}

void
stereo_cuda_pretend_cooperative (StereoDevice * device, bool cooperative)
{
  ((CudaDevice *) device)->cooperative = cooperative;
}

int
stereo_cuda_pretend_multiprocessors (StereoDevice * device, int n)
{
  CudaDevice *self = (CudaDevice *) device;
  const int old = self->multiprocessors;

  self->multiprocessors = n;
  return old;
}

/* ------------------------------------------------------------------- device */

#define ALGORITHM(name) STEREO_DECLARE_STAGES (name)
#include "algorithm-list.h"
#undef ALGORITHM

static const void *
cuda_stages (const StereoDevice * device, const char *name)
{
  static const struct
  {
    const char *name;
    const void *(*get) (void);
  } tables[] = {
#define ALGORITHM(name) { #name, stereo_##name##_stages_cuda },
    STEREO_SHARED_STAGES (ALGORITHM)
#include "algorithm-list.h"
#undef ALGORITHM
  };

  (void) device;
  for (size_t i = 0; i < sizeof (tables) / sizeof (tables[0]); i++) {
    if (strcmp (tables[i].name, name) == 0)
      return tables[i].get ();
  }
  return NULL;
}

/* Makes waits block instead of spin, unless another user has activated the
 * primary context. */
static void
set_blocking_waits (CudaDevice * self)
{
  const CudaDriver *d = &self->driver;
  unsigned flags = 0;
  int active = 1;

  if (d->primary_state (self->cu_device, &flags, &active) != CUDA_SUCCESS
      || active || (flags & CU_CTX_SCHED_MASK) != CU_CTX_SCHED_AUTO)
    return;
  self->old_flags = flags;
  self->flags_set = d->primary_set_flags (self->cu_device,
      flags | CU_CTX_SCHED_BLOCKING_SYNC) == CUDA_SUCCESS;
}

static void
release_primary (CudaDevice * self)
{
  const CudaDriver *d = &self->driver;
  unsigned flags = 0;
  int active = 1;

  if (self->retained)
    (void) d->primary_release (self->cu_device);
  /* Restore the flags for the next user. */
  if (self->flags_set && d->primary_state (self->cu_device, &flags,
          &active) == CUDA_SUCCESS && !active)
    (void) d->primary_set_flags (self->cu_device, self->old_flags);
}

static void
cuda_finalize (StereoDevice * device)
{
  CudaDevice *self = (CudaDevice *) device;
  StereoMessage why;

  if (self->downloads != NULL
      && stereo_cuda_enter (device, &why) == STEREO_OK) {
    (void) cudaStreamDestroy (self->downloads);
    stereo_cuda_leave (device);
  }
  release_primary (self);
  if (self->release != NULL)
    self->release (self->kept);
  free (self);
}

static const StereoDeviceClass device_class = {
  .backend = "cuda",
  .n_slots = STEREO_MAX_FRAMES,
  .row_alignment = 256,
  .alloc = stereo_cuda_alloc,
  .free = stereo_cuda_free,
  .alloc_pinned = stereo_cuda_alloc_pinned,
  .free_pinned = stereo_cuda_free_pinned,
  .pin = stereo_cuda_pin,
  .unpin = stereo_cuda_unpin,
  .copy = stereo_cuda_copy,
  .queue_new = stereo_cuda_queue_new,
  .event_new = stereo_cuda_event_new,
  .event_wait = stereo_cuda_event_wait,
  .event_free = stereo_cuda_event_free,
  .stages = cuda_stages,
  .finalize = cuda_finalize,
};

/* Queries name and limits of the device of the current context, and checks that
 * its kernels are in this build. */
static StereoStatus
query_properties (CudaDevice * self, StereoMessage * why)
{
  StereoStatus status = stereo_cuda_enter (&self->device, why);
  struct cudaDeviceProp properties;
  cudaError_t error;
  int ordinal = 0, compiled;

  if (status != STEREO_OK)
    return status;
  error = cudaGetDevice (&ordinal);
  if (error == cudaSuccess)
    error = cudaGetDeviceProperties (&properties, ordinal);
  status = STEREO_CUDA_CHECK (error, "querying device properties",
      why);
  if (status == STEREO_OK) {
    snprintf (self->device.name, sizeof (self->device.name), "%.100s",
        properties.name);
    self->ordinal = ordinal;
    self->multiprocessors = properties.multiProcessorCount;
    self->capability = 10 * properties.major + properties.minor;
    self->shared_limit = (int) properties.sharedMemPerBlockOptin;
    self->cooperative = properties.cooperativeLaunch != 0;
    error = stereo_cuda_probe (&compiled);
    /* code for older GPUs does not wait where later ones allow overlap */
    if (compiled < self->capability)
      self->capability = compiled;
    if (error != cudaSuccess) {
      (void) cudaGetLastError ();
      status = stereo_fail (why, STEREO_ERROR_NO_DEVICE,
          "this build has no kernels for %s (compute capability %d.%d, %s): "
          "build it with -Dcuda-arch=%d%d", properties.name, properties.major,
          properties.minor, cudaGetErrorName (error), properties.major,
          properties.minor);
    }
  }
  if (status == STEREO_OK)
    status = STEREO_CUDA_CHECK (cudaStreamCreateWithFlags (&self->downloads,
            cudaStreamNonBlocking), "creating a stream", why);
  stereo_cuda_leave (&self->device);
  return status;
}

/* Opens the primary context of a device. */
static StereoStatus
open_primary (int ordinal, StereoDevice ** device, StereoMessage * why)
{
  CudaDevice *self = calloc (1, sizeof (*self));
  StereoStatus status;

  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  stereo_device_init (&self->device, &device_class);
  status = load_driver (&self->driver, why);
  if (status == STEREO_OK) {
    CUresult result = self->driver.device_get (&self->cu_device, ordinal);

    if (result == CUDA_SUCCESS) {
      set_blocking_waits (self);
      result = self->driver.primary_retain (&self->context, self->cu_device);
    }
    if (result != CUDA_SUCCESS)
      status = stereo_fail (why, STEREO_ERROR_NO_DEVICE,
          "cannot open CUDA device %d (%s)", ordinal,
          error_name (&self->driver, result));
    else
      self->retained = true;
  }
  if (status == STEREO_OK)
    status = query_properties (self, why);
  if (status != STEREO_OK) {
    cuda_finalize (&self->device);
    return status;
  }
  *device = &self->device;
  return STEREO_OK;
}

StereoStatus
stereo_device_new_cuda (int ordinal, StereoDevice ** device,
    StereoMessage * why)
{
  StereoMessage first;
  StereoStatus status;
  CudaDriver driver;
  int count;

  if (device == NULL || ordinal < -1)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "CUDA devices are numbered from 0; -1 takes the first one that works");
  status = load_driver (&driver, why);
  if (status != STEREO_OK)
    return status;
  count = stereo_cuda_count (why);
  if (ordinal >= count)
    return stereo_fail (why, STEREO_ERROR_NO_DEVICE,
        "there is no CUDA device %d: this machine has %d, numbered from 0",
        ordinal, count);
  if (ordinal >= 0)
    return open_primary (ordinal, device, why);

  status = stereo_fail (&first, STEREO_ERROR_NO_DEVICE,
      "there is no CUDA device");
  for (int i = 0; i < count; i++) {
    StereoMessage message;
    StereoStatus s = open_primary (i, device, &message);

    if (s == STEREO_OK)
      return STEREO_OK;
    if (i == 0) {
      first = message;
      status = s;
    }
  }
  return stereo_fail (why, status, "%s", first.text);
}

StereoStatus
stereo_device_new_cuda_wrapped (void *cu_context, void *cu_stream,
    StereoDevice ** device, StereoMessage * why)
{
  CudaDevice *self;
  StereoStatus status;

  if (cu_context == NULL || device == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "there is no context");
  self = calloc (1, sizeof (*self));
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  stereo_device_init (&self->device, &device_class);
  self->context = cu_context;
  self->stream = cu_stream;
  status = load_driver (&self->driver, why);
  if (status == STEREO_OK)
    status = query_properties (self, why);
  if (status != STEREO_OK) {
    cuda_finalize (&self->device);
    return status;
  }
  *device = &self->device;
  return STEREO_OK;
}

static bool
is_cuda (const StereoDevice * device)
{
  return device != NULL && device->klass == &device_class;
}

StereoStatus
stereo_cuda_download (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoEvent * after, StereoEvent * done, StereoMessage * why)
{
  cudaStream_t stream;
  StereoStatus status;
  cudaError_t error;

  if (!is_cuda (device) || after == NULL || done == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "a download needs a CUDA device and two events");
  status = stereo_cuda_enter (device, why);
  if (status != STEREO_OK)
    return status;
  stream = ((CudaDevice *) device)->downloads;
  error = cudaStreamWaitEvent (stream, ((CudaEvent *) after)->cuda, 0);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync (target, source, bytes, cudaMemcpyDeviceToHost,
        stream);
  if (error == cudaSuccess)
    error = cudaEventRecord (((CudaEvent *) done)->cuda, stream);
  status = STEREO_CUDA_CHECK (error, "downloading an image", why);
  stereo_cuda_leave (device);
  return status;
}

void
stereo_cuda_keep (StereoDevice * device, void *kept,
    void (*release) (void *kept))
{
  CudaDevice *self = (CudaDevice *) device;

  if (!is_cuda (device))
    return;
  self->kept = kept;
  self->release = release;
}

void *
stereo_cuda_context (const StereoDevice * device)
{
  if (!is_cuda (device))
    return NULL;
  return ((const CudaDevice *) device)->context;
}

int
stereo_cuda_ordinal (const StereoDevice * device)
{
  if (!is_cuda (device))
    return -1;
  return ((const CudaDevice *) device)->ordinal;
}

StereoStatus
stereo_cuda_memory (StereoDevice * device, size_t * available, size_t * total,
    StereoMessage * why)
{
  StereoStatus status;

  if (!is_cuda (device) || available == NULL || total == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the memory of a CUDA device needs a CUDA device and two results");
  status = stereo_cuda_enter (device, why);
  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaMemGetInfo (available, total),
      "querying free memory", why);
  stereo_cuda_leave (device);
  return status;
}
