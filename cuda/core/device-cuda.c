/* gst-stereomatching: the CUDA device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/queue-cuda.h"
#include "stereo-cuda.h"
#include "core/testing-cuda.h"
#include "core/memory.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pageable images go through staging in pieces of about this size, so that the
 * first piece is on its way while the next one is being gathered. */
#define STAGING_PIECE (512 * 1024)

/* The few driver functions that the runtime has no equivalent for. */
typedef struct
{
  CUresult (*init) (unsigned flags);
  CUresult (*device_get) (CUdevice * device, int ordinal);
  CUresult (*primary_retain) (CUcontext * context, CUdevice device);
  CUresult (*primary_release) (CUdevice device);
  CUresult (*primary_state) (CUdevice device, unsigned *flags, int *active);
  CUresult (*primary_set_flags) (CUdevice device, unsigned flags);
  CUresult (*push) (CUcontext context);
  CUresult (*pop) (CUcontext * context);
} Driver;

typedef struct
{
  StereoDevice device;
  Driver driver;
  CUcontext context;
  bool retained;                /* the primary context of cu_device */
  bool flags_set;               /* of that context, which nobody else had; */
  unsigned old_flags;           /* and what they were */
  CUdevice cu_device;
  cudaStream_t stream;          /* borrowed, or NULL */
  cudaStream_t downloads;       /* of stereo_cuda_download() */
  int ordinal;
  int multiprocessors;
  int capability;               /* 10 major + minor */
  int shared_limit;             /* bytes a block of threads can have */
  bool cooperative;             /* all blocks of a kernel can wait */
  void (*release) (void *kept); /* or NULL */
  void *kept;
} CudaDevice;

/* ------------------------------------------------------------------- errors */

StereoStatus
stereo_cuda_check (cudaError_t error, const char *what, const char *file,
    int line, StereoMessage * why)
{
  const char *slash = strrchr (file, '/');
  StereoStatus status = STEREO_ERROR_DEVICE;

  if (error == cudaSuccess)
    return STEREO_OK;
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
load_driver (Driver * driver, StereoMessage * why)
{
  int count = 0;
  cudaError_t error = cudaGetDeviceCount (&count);

  if (error != cudaSuccess) {
    /* Do not leave it to be found by somebody else's cudaGetLastError(). */
    (void) cudaGetLastError ();
    if (error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice)
      return stereo_fail (why, STEREO_ERROR_NO_DEVICE,
          "there is no CUDA device with a driver that is new enough (%s)",
          cudaGetErrorName (error));
    return STEREO_CUDA_CHECK (error, "the CUDA driver does not start", why);
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
      || driver->init (0) != CUDA_SUCCESS)
    return stereo_fail (why, STEREO_ERROR_NO_DEVICE,
        "the CUDA driver is incomplete");
  return STEREO_OK;
}

int
stereo_cuda_count (StereoMessage * why)
{
  Driver driver;
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

  if (self->driver.push (self->context) != CUDA_SUCCESS)
    return stereo_fail (why, STEREO_ERROR_DEVICE,
        "the CUDA context of %s can't be made current", device->name);
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

/* -------------------------------------------------------------------- queue */

static StereoStatus
begin (StereoQueue * queue, unsigned slot, bool uploads, bool downloads)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoCudaSlot *s = &self->slots[slot];
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);

  if (status != STEREO_OK)
    return status;
  s->uploads = uploads;
  s->downloads = downloads;
  s->current = uploads ? self->up : self->compute;
  status = STEREO_CUDA_CHECK (cudaEventRecord (s->begun, s->current),
      "starting a frame", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

static cudaError_t
upload_pinned (cudaStream_t stream, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows)
{
  if (target_stride == source_stride)
    return cudaMemcpyAsync (target, source,
        source_stride * (rows - 1) + row_bytes, cudaMemcpyHostToDevice,
        stream);
  return cudaMemcpy2DAsync (target, target_stride, source, source_stride,
      row_bytes, rows, cudaMemcpyHostToDevice, stream);
}

/* Gathers rows in staging, piece by piece, and sends each piece off. */
static cudaError_t
upload_staged (cudaStream_t stream, uint8_t * target, size_t stride,
    const uint8_t * source, size_t source_stride, size_t row_bytes,
    size_t rows, uint8_t * staging)
{
  size_t piece = STAGING_PIECE / stride + 1;
  cudaError_t error = cudaSuccess;

  for (size_t y = 0; y < rows && error == cudaSuccess; y += piece) {
    size_t n = rows - y < piece ? rows - y : piece;

    for (size_t i = y; i < y + n; i++)
      memcpy (staging + i * stride, source + i * source_stride, row_bytes);
    error = cudaMemcpyAsync (target + y * stride, staging + y * stride,
        n * stride, cudaMemcpyHostToDevice, stream);
  }
  return error;
}

static StereoStatus
upload (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows,
    void *staging)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);
  cudaError_t error;

  if (status != STEREO_OK)
    return status;
  if (staging != NULL)
    error = upload_staged (self->up, target, target_stride, source,
        source_stride, row_bytes, rows, staging);
  else
    error = upload_pinned (self->up, target, target_stride, source,
        source_stride, row_bytes, rows);
  status = STEREO_CUDA_CHECK (error, "uploading an image", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

/* Work on stream `after` that comes now waits for what `before` has so far. */
static StereoStatus
chain (StereoQueue * queue, cudaEvent_t event, cudaStream_t before,
    cudaStream_t after)
{
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);
  cudaError_t error;

  if (status != STEREO_OK)
    return status;
  error = cudaEventRecord (event, before);
  if (error == cudaSuccess)
    error = cudaStreamWaitEvent (after, event, 0);
  status = STEREO_CUDA_CHECK (error, "ordering two streams", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

static StereoStatus
uploaded (StereoQueue * queue, unsigned slot)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;

  if (!self->slots[slot].uploads)
    return STEREO_OK;
  self->slots[slot].current = self->compute;
  return chain (queue, self->slots[slot].uploaded, self->up, self->compute);
}

static StereoStatus
computed (StereoQueue * queue, unsigned slot)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;

  if (!self->slots[slot].downloads)
    return STEREO_OK;
  self->slots[slot].current = self->down;
  return chain (queue, self->slots[slot].computed, self->compute, self->down);
}

static StereoStatus
download (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);
  cudaError_t error;

  if (status != STEREO_OK)
    return status;
  /* In one piece only where that writes no padding. */
  if (target_stride == source_stride && target_stride == row_bytes)
    error = cudaMemcpyAsync (target, source, row_bytes * rows,
        cudaMemcpyDeviceToHost, self->down);
  else
    error = cudaMemcpy2DAsync (target, target_stride, source, source_stride,
        row_bytes, rows, cudaMemcpyDeviceToHost, self->down);
  status = STEREO_CUDA_CHECK (error, "downloading the result",
      &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

typedef struct
{
  StereoEvent event;
  cudaEvent_t cuda;
} CudaEvent;

static StereoStatus
wait_event (StereoQueue * queue, StereoEvent * event)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);

  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaStreamWaitEvent (self->compute,
          ((CudaEvent *) event)->cuda, 0), "waiting for an image",
      &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

static StereoStatus
record_event (StereoQueue * queue, StereoEvent * event)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);

  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaEventRecord (((CudaEvent *) event)->cuda,
          self->compute), "letting go of an image", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

static StereoStatus
end (StereoQueue * queue, unsigned slot)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoCudaSlot *s = &self->slots[slot];
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);

  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaEventRecord (s->ended, s->current),
      "ending a frame", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

static StereoStatus
timestamp (StereoQueue * queue, unsigned slot, unsigned index)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoCudaSlot *s = &self->slots[slot];
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);
  cudaError_t error = cudaSuccess;

  if (status != STEREO_OK)
    return status;
  if (s->timestamps[index] == NULL)
    error = cudaEventCreate (&s->timestamps[index]);
  if (error == cudaSuccess)
    error = cudaEventRecord (s->timestamps[index], s->current);
  status = STEREO_CUDA_CHECK (error, "timing a stage", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

static StereoStatus
wait_for (StereoQueue * queue, unsigned slot, uint64_t * ns,
    StereoMessage * why)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoCudaSlot *s = &self->slots[slot];
  StereoStatus status = stereo_cuda_enter (queue->device, why);
  cudaError_t error;
  float ms = 0;

  if (status != STEREO_OK)
    return status;
  error = cudaEventSynchronize (s->ended);
  if (error == cudaSuccess)
    error = cudaEventElapsedTime (&ms, s->begun, s->ended);
  /* Somebody else may have seen this frame's end already and begun another. */
  if (error == cudaErrorNotReady)
    error = cudaSuccess;
  status = STEREO_CUDA_CHECK (error, "computing a frame", why);
  stereo_cuda_leave (queue->device);
  *ns = ms > 0 ? (uint64_t) (ms * 1e6f) : 0;
  return status;
}

static StereoStatus
times (StereoQueue * queue, unsigned slot, unsigned n_timestamps, uint64_t * ns,
    StereoMessage * why)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoCudaSlot *s = &self->slots[slot];
  StereoStatus status = stereo_cuda_enter (queue->device, why);
  cudaEvent_t before = s->begun;
  cudaError_t error = cudaSuccess;

  if (status != STEREO_OK)
    return status;
  for (unsigned i = 0; i < n_timestamps && error == cudaSuccess; i++) {
    cudaEvent_t after = i + 1 < n_timestamps ? s->timestamps[i] : s->ended;
    float ms = 0;

    error = cudaEventElapsedTime (&ms, before, after);
    ns[i] = error == cudaSuccess && ms > 0 ? (uint64_t) (ms * 1e6f) : 0;
    before = after;
  }
  /* as in wait_for() */
  if (error == cudaErrorNotReady)
    error = cudaSuccess;
  status = STEREO_CUDA_CHECK (error, "reading the times of stages", why);
  stereo_cuda_leave (queue->device);
  return status;
}

static void
queue_free (StereoQueue * queue)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoMessage why;

  if (stereo_cuda_enter (queue->device, &why) == STEREO_OK) {
    for (int i = 0; i < STEREO_MAX_FRAMES; i++) {
      StereoCudaSlot *s = &self->slots[i];
      cudaEvent_t events[4] = { s->begun, s->uploaded, s->computed, s->ended };

      for (int e = 0; e < 4; e++) {
        if (events[e] != NULL)
          (void) cudaEventDestroy (events[e]);
      }
      for (int e = 0; e < STEREO_MAX_TIMESTAMPS; e++) {
        if (s->timestamps[e] != NULL)
          (void) cudaEventDestroy (s->timestamps[e]);
      }
    }
    if (self->up != NULL)
      (void) cudaStreamDestroy (self->up);
    if (self->down != NULL)
      (void) cudaStreamDestroy (self->down);
    if (self->compute != NULL && !self->borrowed)
      (void) cudaStreamDestroy (self->compute);
    stereo_cuda_leave (queue->device);
  }
  free (self);
}

static const StereoQueueClass queue_class = {
  .begin = begin,
  .upload = upload,
  .uploaded = uploaded,
  .computed = computed,
  .wait_event = wait_event,
  .record_event = record_event,
  .download = download,
  .end = end,
  .timestamp = timestamp,
  .wait = wait_for,
  .times = times,
  .free = queue_free,
};

/* Whoever waits for the end of a frame sleeps. */
static cudaError_t
make_streams (StereoCudaQueue * self, cudaStream_t borrowed)
{
  cudaError_t error = cudaStreamCreateWithFlags (&self->up,
      cudaStreamNonBlocking);

  if (error == cudaSuccess)
    error = cudaStreamCreateWithFlags (&self->down, cudaStreamNonBlocking);
  if (borrowed != NULL) {
    self->compute = borrowed;
    self->borrowed = true;
  } else if (error == cudaSuccess) {
    error = cudaStreamCreateWithFlags (&self->compute, cudaStreamNonBlocking);
  }

  for (int i = 0; i < STEREO_MAX_FRAMES; i++) {
    StereoCudaSlot *s = &self->slots[i];

    if (error == cudaSuccess)
      error = cudaEventCreate (&s->begun);
    if (error == cudaSuccess)
      error = cudaEventCreateWithFlags (&s->uploaded, cudaEventDisableTiming);
    if (error == cudaSuccess)
      error = cudaEventCreateWithFlags (&s->computed, cudaEventDisableTiming);
    if (error == cudaSuccess)
      error = cudaEventCreateWithFlags (&s->ended, cudaEventBlockingSync);
  }
  return error;
}

/* ------------------------------------------------------------------- device */

static StereoStatus
queue_new (StereoDevice * device, StereoQueue ** queue, StereoMessage * why)
{
  CudaDevice *self = (CudaDevice *) device;
  StereoCudaQueue *q = calloc (1, sizeof (*q));
  StereoStatus status;

  if (q == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  q->queue.klass = &queue_class;
  q->queue.device = device;
  q->multiprocessors = self->multiprocessors;
  q->capability = self->capability;

  status = stereo_cuda_enter (device, why);
  if (status != STEREO_OK) {
    free (q);
    return status;
  }
  status = STEREO_CUDA_CHECK (make_streams (q, self->stream),
      "making streams", why);
  stereo_cuda_leave (device);
  if (status != STEREO_OK) {
    queue_free (&q->queue);
    return status;
  }
  *queue = &q->queue;
  return STEREO_OK;
}

static StereoStatus
event_new (StereoDevice * device, StereoEvent ** event, StereoMessage * why)
{
  CudaEvent *self = calloc (1, sizeof (*self));
  StereoStatus status;

  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  status = stereo_cuda_enter (device, why);
  if (status == STEREO_OK) {
    /* whoever waits for it sleeps */
    status = STEREO_CUDA_CHECK (cudaEventCreateWithFlags (&self->cuda,
            cudaEventDisableTiming | cudaEventBlockingSync), "making an event",
        why);
    stereo_cuda_leave (device);
  }
  if (status == STEREO_OK)
    *event = &self->event;
  else
    free (self);
  return status;
}

static StereoStatus
event_wait (StereoEvent * event, StereoMessage * why)
{
  StereoStatus status = stereo_cuda_enter (event->device, why);

  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaEventSynchronize (((CudaEvent *)
              event)->cuda), "waiting for an event", why);
  stereo_cuda_leave (event->device);
  return status;
}

static void
event_free (StereoEvent * event)
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

static StereoStatus
device_alloc (StereoDevice * device, size_t bytes, void **memory,
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

static void
device_free (StereoDevice * device, void *memory)
{
  StereoMessage why;

  if (stereo_cuda_enter (device, &why) == STEREO_OK) {
    (void) cudaFree (memory);
    stereo_cuda_leave (device);
  }
}

static StereoStatus
alloc_pinned (StereoDevice * device, size_t bytes, void **memory,
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

static void
free_pinned (StereoDevice * device, void *memory)
{
  StereoMessage why;

  if (stereo_cuda_enter (device, &why) == STEREO_OK) {
    (void) cudaFreeHost (memory);
    stereo_cuda_leave (device);
  }
}

static StereoStatus
copy (StereoDevice * device, void *target, const void *source, size_t bytes,
    StereoMessage * why)
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

/* Each algorithm has const void *stereo_<name>_stages_cuda (void). */
#define ALGORITHM(name) const void *stereo_##name##_stages_cuda (void);
STEREO_SHARED_STAGES (ALGORITHM)
#include "algorithm-list.h"
#undef ALGORITHM

static const void *
stages (const StereoDevice * device, const char *name)
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

/* A primary context that nobody has is ours to set up: whoever waits in it
 * sleeps, also where it waits for a stream or for a copy. */
static void
let_waits_sleep (CudaDevice * self)
{
  const Driver *d = &self->driver;
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
  const Driver *d = &self->driver;
  unsigned flags = 0;
  int active = 1;

  if (self->retained)
    (void) d->primary_release (self->cu_device);
  /* whoever takes it next finds it as it was */
  if (self->flags_set && d->primary_state (self->cu_device, &flags,
          &active) == CUDA_SUCCESS && !active)
    (void) d->primary_set_flags (self->cu_device, self->old_flags);
}

static void
finalize (StereoDevice * device)
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
  .alloc = device_alloc,
  .free = device_free,
  .alloc_pinned = alloc_pinned,
  .free_pinned = free_pinned,
  .copy = copy,
  .queue_new = queue_new,
  .event_new = event_new,
  .event_wait = event_wait,
  .event_free = event_free,
  .stages = stages,
  .finalize = finalize,
};

/* With the context known: name, size, and whether the kernels run there. */
static StereoStatus
identify (CudaDevice * self, StereoMessage * why)
{
  StereoStatus status = stereo_cuda_enter (&self->device, why);
  struct cudaDeviceProp properties;
  cudaError_t error;
  int ordinal = 0;

  if (status != STEREO_OK)
    return status;
  error = cudaGetDevice (&ordinal);
  if (error == cudaSuccess)
    error = cudaGetDeviceProperties (&properties, ordinal);
  status = STEREO_CUDA_CHECK (error, "asking for the device's properties",
      why);
  if (status == STEREO_OK) {
    snprintf (self->device.name, sizeof (self->device.name), "%.100s",
        properties.name);
    self->ordinal = ordinal;
    self->multiprocessors = properties.multiProcessorCount;
    self->capability = 10 * properties.major + properties.minor;
    self->shared_limit = (int) properties.sharedMemPerBlockOptin;
    self->cooperative = properties.cooperativeLaunch != 0;
    error = stereo_cuda_probe ();
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
            cudaStreamNonBlocking), "making a stream", why);
  stereo_cuda_leave (&self->device);
  return status;
}

/* Takes the primary context of a device. */
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
      let_waits_sleep (self);
      result = self->driver.primary_retain (&self->context, self->cu_device);
    }
    if (result != CUDA_SUCCESS)
      status = stereo_fail (why, STEREO_ERROR_NO_DEVICE,
          "CUDA device %d does not open", ordinal);
    else
      self->retained = true;
  }
  if (status == STEREO_OK)
    status = identify (self, why);
  if (status != STEREO_OK) {
    finalize (&self->device);
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
  Driver driver;
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
    status = identify (self, why);
  if (status != STEREO_OK) {
    finalize (&self->device);
    return status;
  }
  *device = &self->device;
  return STEREO_OK;
}

StereoStatus
stereo_cuda_download (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoEvent * after, StereoEvent * done, StereoMessage * why)
{
  cudaStream_t stream;
  StereoStatus status;
  cudaError_t error;

  if (device->klass != &device_class)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "this is no CUDA device");
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

  self->kept = kept;
  self->release = release;
}

void *
stereo_cuda_context (const StereoDevice * device)
{
  if (device == NULL || device->klass != &device_class)
    return NULL;
  return ((const CudaDevice *) device)->context;
}

int
stereo_cuda_ordinal (const StereoDevice * device)
{
  if (device == NULL || device->klass != &device_class)
    return -1;
  return ((const CudaDevice *) device)->ordinal;
}

StereoStatus
stereo_cuda_memory (StereoDevice * device, size_t * available, size_t * total,
    StereoMessage * why)
{
  StereoStatus status;

  if (device == NULL || device->klass != &device_class)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "this is no CUDA device");
  status = stereo_cuda_enter (device, why);
  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaMemGetInfo (available, total),
      "asking for free memory", why);
  stereo_cuda_leave (device);
  return status;
}
