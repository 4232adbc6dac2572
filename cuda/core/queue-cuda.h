/* gst-stereomatching: internals of CUDA queues, for stages
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_QUEUE_CUDA_H
#define STEREO_QUEUE_CUDA_H

#include "core/backend.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct
{
  cudaEvent_t begun;            /* before the first upload */
  cudaEvent_t uploaded;
  cudaEvent_t computed;
  cudaEvent_t ended;            /* after the last download */
  cudaEvent_t timestamps[STEREO_MAX_TIMESTAMPS];  /* NULL until first used */
  cudaStream_t current;         /* of the last work submitted */
  bool uploads;                 /* the frame has any */
  bool downloads;               /* likewise; without both, all work is on
                                 * compute */
} StereoCudaSlot;

/* Work of a frame that can be submitted again. */
typedef struct
{
  cudaGraphExec_t graph;        /* NULL = unused */
  size_t n_nodes;               /* kernels and others */
  uint64_t used;                /* when: StereoCudaRecorder.clock */
  size_t key_size;
  uint8_t key[512];
} StereoCudaRecording;

#define STEREO_CUDA_RECORDINGS 16

/* Recorded work of a queue (recorder-cuda.c). */
typedef struct
{
  cudaStream_t stream;          /* for recording; NULL until first used */
  bool loaded;                  /* a first frame has loaded the kernels */
  bool fails;                   /* recording has failed: record nothing */
  uint64_t clock;
  StereoCudaRecording recordings[STEREO_CUDA_RECORDINGS];
} StereoCudaRecorder;

/* Three streams overlap the upload of frame n + 1, the computation of n and the
 * download of n - 1. */
typedef struct
{
  StereoQueue queue;
  cudaStream_t up;
  cudaStream_t compute;
  cudaStream_t down;
  cudaStream_t concurrent;      /* for work concurrent with that of compute */
  cudaEvent_t forked;           /* concurrent waits for compute */
  cudaEvent_t joined;           /* compute waits for concurrent */
  bool borrowed;                /* the compute stream */
  bool reads_inputs;            /* of this frame, from pinned memory of the
                                 * caller, without staging */
  int multiprocessors;
  int capability;               /* see CudaDevice */
  StereoCudaSlot slots[STEREO_MAX_FRAMES];
  StereoCudaRecorder recorder;
} StereoCudaQueue;

/* Pushes and pops the device's context on the calling thread. */
StereoStatus stereo_cuda_enter (StereoDevice * device, StereoMessage * why);
void stereo_cuda_leave (StereoDevice * device);

/* STEREO_OK for cudaSuccess; otherwise *why gets the failed call and the
 * error's name. */
StereoStatus stereo_cuda_check (cudaError_t error, const char *what,
    const char *file, int line, StereoMessage * why);
#define STEREO_CUDA_CHECK(call, what, why) \
    stereo_cuda_check (call, what, __FILE__, __LINE__, why)

/* Functions of the StereoQueueClass. */
StereoStatus stereo_cuda_repeat (StereoQueue * queue, const void *key,
    size_t size, StereoStatus (*submit) (void *data), void *data);
void stereo_cuda_forget (StereoQueue * queue);

/* Maximum shared memory of a block, in bytes. */
int stereo_cuda_shared_limit (const StereoDevice * device);

/* Blocks with this much shared memory, in bytes, that fit into that of the
 * largest block. */
int stereo_cuda_blocks_in_shared (const StereoDevice * device, int bytes);

/* Whether cooperative launches are supported. */
bool stereo_cuda_cooperative (const StereoDevice * device);

/* cudaSuccess if there are kernels for the current device, and the compute
 * capability that they were compiled for (convert.cu). */
cudaError_t stereo_cuda_probe (int *capability);

#ifdef __cplusplus
}

/* Makes the device's context current during a stage function, and checks its
 * launches. */
class StereoCudaStage
{
public:
  explicit StereoCudaStage (StereoQueue * q) : queue_ (q)
  {
    status_ = stereo_cuda_enter (q->device, &q->message);
  }
  ~StereoCudaStage ()
  {
    if (status_ == STEREO_OK)
      stereo_cuda_leave (queue_->device);
  }
  bool entered () const
  {
    return status_ == STEREO_OK;
  }
  StereoStatus status () const
  {
    return status_;
  }
  cudaStream_t stream () const
  {
    return ((StereoCudaQueue *) queue_)->compute;
  }
  StereoStatus launched (const char *kernel, const char *file, int line)
  {
    return stereo_cuda_check (cudaGetLastError (), kernel, file, line,
        &queue_->message);
  }

private:
  StereoCudaStage (const StereoCudaStage &);
  StereoCudaStage & operator= (const StereoCudaStage &);

  StereoQueue *queue_;
  StereoStatus status_;
};

#define STEREO_CUDA_LAUNCHED(stage, kernel) \
    (stage).launched (kernel, __FILE__, __LINE__)
#endif

#endif /* STEREO_QUEUE_CUDA_H */
