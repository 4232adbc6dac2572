/* gst-stereomatching: CUDA queues
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/device-cuda.h"

#include <stdlib.h>
#include <string.h>

/* Bytes per piece of a staged upload: a piece is transferred while the next one
 * is copied to staging. */
#define STAGING_PIECE (512 * 1024)

static StereoStatus
queue_begin (StereoQueue * queue, unsigned slot, bool uploads, bool downloads)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoCudaSlot *s = &self->slots[slot];
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);

  if (status != STEREO_OK)
    return status;
  self->reads_inputs = false;
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

/* Copies rows to staging and uploads them piece by piece. */
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
queue_upload (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows,
    void *staging)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);
  cudaError_t error;

  if (status != STEREO_OK)
    return status;
  if (staging != NULL && stereo_cuda_is_pinned (source,
          source_stride * (rows - 1) + row_bytes)) {
    staging = NULL;
    self->reads_inputs = true;
  }
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

/* Later work on stream after waits for all work submitted to before. */
static StereoStatus
chain_streams (StereoQueue * queue, cudaEvent_t event, cudaStream_t before,
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
queue_uploaded (StereoQueue * queue, unsigned slot)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;

  if (!self->slots[slot].uploads)
    return STEREO_OK;
  self->slots[slot].current = self->compute;
  return chain_streams (queue, self->slots[slot].uploaded, self->up,
      self->compute);
}

static StereoStatus
queue_computed (StereoQueue * queue, unsigned slot)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;

  if (!self->slots[slot].downloads)
    return STEREO_OK;
  self->slots[slot].current = self->down;
  return chain_streams (queue, self->slots[slot].computed, self->compute,
      self->down);
}

static StereoStatus
queue_download (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);
  cudaError_t error;

  if (status != STEREO_OK)
    return status;
  /* A single copy must not write padding. */
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

static StereoStatus
queue_wait_event (StereoQueue * queue, StereoEvent * event)
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
queue_record_event (StereoQueue * queue, StereoEvent * event)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);

  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaEventRecord (((CudaEvent *) event)->cuda,
          self->compute), "recording an event", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

/* In a recording, the concurrent stream becomes a branch of the graph. */
static StereoStatus
queue_submit_both (StereoQueue * queue, const StereoTask * one,
    const StereoTask * other)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  const cudaStream_t compute = self->compute;
  StereoStatus status = chain_streams (queue, self->forked, compute,
      self->concurrent), joined;

  if (status != STEREO_OK)
    return status;
  status = one->submit (one->data);
  self->compute = self->concurrent;
  if (status == STEREO_OK)
    status = other->submit (other->data);
  self->compute = compute;
  /* without this, a recording would not end */
  joined = chain_streams (queue, self->joined, self->concurrent, compute);
  return status != STEREO_OK ? status : joined;
}

static StereoStatus
queue_end (StereoQueue * queue, unsigned slot)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  StereoCudaSlot *s = &self->slots[slot];
  StereoStatus status = stereo_cuda_enter (queue->device, &queue->message);

  if (status != STEREO_OK)
    return status;
  status = STEREO_CUDA_CHECK (cudaEventRecord (s->ended, s->current),
      "ending a frame", &queue->message);
  /* the caller may overwrite pageable memory after this call */
  if (status == STEREO_OK && self->reads_inputs)
    status = STEREO_CUDA_CHECK (cudaEventSynchronize (s->uploaded),
        "uploading an image", &queue->message);
  stereo_cuda_leave (queue->device);
  return status;
}

static StereoStatus
queue_timestamp (StereoQueue * queue, unsigned slot, unsigned index)
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
queue_wait (StereoQueue * queue, unsigned slot, uint64_t * ns,
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
  status = STEREO_CUDA_CHECK (error, "computing a frame", why);
  stereo_cuda_leave (queue->device);
  *ns = ms > 0 ? (uint64_t) (ms * 1e6f) : 0;
  return status;
}

static StereoStatus
queue_times (StereoQueue * queue, unsigned slot, unsigned n_timestamps,
    uint64_t * ns, StereoMessage * why)
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
  status = STEREO_CUDA_CHECK (error, "reading the times of stages", why);
  stereo_cuda_leave (queue->device);
  return status;
}

static void
destroy_events (cudaEvent_t * events, int n)
{
  for (int i = 0; i < n; i++) {
    if (events[i] != NULL)
      (void) cudaEventDestroy (events[i]);
  }
}

static void
queue_free (StereoQueue * queue)
{
  StereoCudaQueue *self = (StereoCudaQueue *) queue;
  cudaStream_t streams[] = { self->recorder.stream, self->up, self->down,
    self->concurrent, self->borrowed ? NULL : self->compute
  };
  StereoMessage why;

  stereo_cuda_forget (queue);
  if (stereo_cuda_enter (queue->device, &why) == STEREO_OK) {
    for (int i = 0; i < STEREO_MAX_FRAMES; i++) {
      StereoCudaSlot *s = &self->slots[i];
      cudaEvent_t events[4] = { s->begun, s->uploaded, s->computed, s->ended };

      destroy_events (events, 4);
      destroy_events (s->timestamps, STEREO_MAX_TIMESTAMPS);
    }
    destroy_events (&self->forked, 1);
    destroy_events (&self->joined, 1);
    for (size_t i = 0; i < sizeof (streams) / sizeof (streams[0]); i++) {
      if (streams[i] != NULL)
        (void) cudaStreamDestroy (streams[i]);
    }
    stereo_cuda_leave (queue->device);
  }
  free (self);
}

static const StereoQueueClass queue_class = {
  .begin = queue_begin,
  .upload = queue_upload,
  .uploaded = queue_uploaded,
  .computed = queue_computed,
  .wait_event = queue_wait_event,
  .record_event = queue_record_event,
  .submit_both = queue_submit_both,
  .repeat = stereo_cuda_repeat,
  .forget = stereo_cuda_forget,
  .download = queue_download,
  .end = queue_end,
  .timestamp = queue_timestamp,
  .wait = queue_wait,
  .times = queue_times,
  .free = queue_free,
};

/* Streams and events.  Waits for the end of a frame block instead of
 * spinning. */
static cudaError_t
make_streams (StereoCudaQueue * self, cudaStream_t borrowed)
{
  cudaError_t error = cudaStreamCreateWithFlags (&self->up,
      cudaStreamNonBlocking);

  if (error == cudaSuccess)
    error = cudaStreamCreateWithFlags (&self->down, cudaStreamNonBlocking);
  if (error == cudaSuccess)
    error = cudaStreamCreateWithFlags (&self->concurrent,
        cudaStreamNonBlocking);
  if (error == cudaSuccess)
    error = cudaEventCreateWithFlags (&self->forked, cudaEventDisableTiming);
  if (error == cudaSuccess)
    error = cudaEventCreateWithFlags (&self->joined, cudaEventDisableTiming);
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
      error = cudaEventCreateWithFlags (&s->uploaded, cudaEventDisableTiming
          | cudaEventBlockingSync);
    if (error == cudaSuccess)
      error = cudaEventCreateWithFlags (&s->computed, cudaEventDisableTiming);
    if (error == cudaSuccess)
      error = cudaEventCreateWithFlags (&s->ended, cudaEventBlockingSync);
  }
  return error;
}

StereoStatus
stereo_cuda_queue_new (StereoDevice * device, StereoQueue ** queue,
    StereoMessage * why)
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
      "creating streams", why);
  stereo_cuda_leave (device);
  if (status != STEREO_OK) {
    queue_free (&q->queue);
    return status;
  }
  *queue = &q->queue;
  return STEREO_OK;
}
