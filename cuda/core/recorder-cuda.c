/* gst-stereomatching: repeated work of CUDA queues, as graphs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A graph starts all kernels of a frame with one call, and each kernel as soon
 * as the one before it is complete: small images would otherwise wait for the
 * host.  Kernels have the addresses of the images as arguments, so that each
 * set of images has its own graph.  Pools of buffers have few sets.  If there
 * are more than STEREO_CUDA_RECORDINGS, the least recently used graph gets the
 * arguments of the new frame, which is cheaper than another graph.
 */

#include "core/queue-cuda.h"

#include <string.h>

static StereoCudaRecording *
find_recording (StereoCudaRecorder * self, const void *key, size_t size)
{
  for (int i = 0; i < STEREO_CUDA_RECORDINGS; i++) {
    StereoCudaRecording *r = &self->recordings[i];

    if (r->graph != NULL && r->key_size == size
        && memcmp (r->key, key, size) == 0)
      return r;
  }
  return NULL;
}

/* An unused recording, or the one that was used longest ago. */
static StereoCudaRecording *
oldest_recording (StereoCudaRecorder * self)
{
  StereoCudaRecording *oldest = &self->recordings[0];

  for (int i = 1; i < STEREO_CUDA_RECORDINGS; i++) {
    if (self->recordings[i].used < oldest->used)
      oldest = &self->recordings[i];
  }
  return oldest;
}

static void
discard (StereoCudaRecording * r)
{
  /* Destruction waits for a running graph. */
  if (r->graph != NULL)
    (void) cudaGraphExecDestroy (r->graph);
  memset (r, 0, sizeof (*r));
}

static cudaError_t
update (cudaGraphExec_t exec, cudaGraph_t graph)
{
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo info;

  return cudaGraphExecUpdate (exec, graph, &info);
#else
  enum cudaGraphExecUpdateResult result;
  cudaGraphNode_t node;

  return cudaGraphExecUpdate (exec, graph, &node, &result);
#endif
}

/* Makes graph executable. */
static cudaError_t
keep (StereoCudaRecording * r, cudaGraph_t graph)
{
  size_t n_nodes;
  cudaError_t error = cudaGraphGetNodes (graph, NULL, &n_nodes);

  if (error != cudaSuccess)
    return error;
  /* A frame with the same results has as many nodes. */
  if (r->graph != NULL && r->n_nodes == n_nodes
      && update (r->graph, graph) == cudaSuccess)
    return cudaSuccess;
  (void) cudaGetLastError ();   /* of the update */
  discard (r);
  r->n_nodes = n_nodes;
  return cudaGraphInstantiateWithFlags (&r->graph, graph, 0);
}

/* Captures the work on a stream of its own: other threads may submit work to
 * the borrowed stream at the same time. */
static cudaError_t
capture (StereoCudaQueue * queue, StereoCudaRecording * r,
    StereoStatus (*submit) (void *data), void *data)
{
  const cudaStream_t compute = queue->compute;
  const cudaStream_t stream = queue->recorder.stream;
  cudaGraph_t graph = NULL;
  cudaError_t error = cudaStreamBeginCapture (stream,
      cudaStreamCaptureModeThreadLocal);
  StereoStatus status;

  if (error != cudaSuccess)
    return error;
  queue->compute = stream;
  status = submit (data);
  queue->compute = compute;
  error = cudaStreamEndCapture (stream, &graph);
  if (error == cudaSuccess && status != STEREO_OK)
    error = cudaErrorStreamCaptureInvalidated;
  if (error == cudaSuccess)
    error = keep (r, graph);
  if (graph != NULL)
    (void) cudaGraphDestroy (graph);
  return error;
}

/* Returns NULL if the work cannot be recorded. */
static StereoCudaRecording *
record (StereoCudaQueue * queue, const void *key, size_t size,
    StereoStatus (*submit) (void *data), void *data)
{
  StereoCudaRecorder *self = &queue->recorder;
  StereoCudaRecording *r = oldest_recording (self);
  cudaError_t error = cudaSuccess;

  if (self->stream == NULL)
    error = cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking);
  if (error == cudaSuccess)
    error = capture (queue, r, submit, data);
  if (error != cudaSuccess) {
    stereo_log (queue->queue.device, STEREO_LOG_INFO,
        "kernels are launched one by one: %s", cudaGetErrorName (error));
    (void) cudaGetLastError ();
    discard (r);
    self->fails = true;
    return NULL;
  }
  memcpy (r->key, key, size);
  r->key_size = size;
  return r;
}

StereoStatus
stereo_cuda_repeat (StereoQueue * queue, const void *key, size_t size,
    StereoStatus (*submit) (void *data), void *data)
{
  StereoCudaQueue *q = (StereoCudaQueue *) queue;
  StereoCudaRecorder *self = &q->recorder;
  StereoCudaRecording *r = NULL;
  StereoStatus status;

  /* The first frame loads the kernels; a single one needs no graph. */
  if (!self->loaded || self->fails || size > sizeof (r->key)) {
    self->loaded = true;
    return submit (data);
  }
  status = stereo_cuda_enter (queue->device, &queue->message);
  if (status != STEREO_OK)
    return status;
  r = find_recording (self, key, size);
  if (r == NULL)
    r = record (q, key, size, submit, data);
  if (r != NULL) {
    r->used = ++self->clock;
    status = STEREO_CUDA_CHECK (cudaGraphLaunch (r->graph, q->compute),
        "launching a graph", &queue->message);
  }
  stereo_cuda_leave (queue->device);
  return r != NULL ? status : submit (data);
}

void
stereo_cuda_forget (StereoQueue * queue)
{
  StereoCudaRecorder *self = &((StereoCudaQueue *) queue)->recorder;
  StereoMessage why;

  if (stereo_cuda_enter (queue->device, &why) != STEREO_OK)
    return;
  for (int i = 0; i < STEREO_CUDA_RECORDINGS; i++)
    discard (&self->recordings[i]);
  self->loaded = false;
  stereo_cuda_leave (queue->device);
}
