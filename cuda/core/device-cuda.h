/* gst-stereomatching: internals of CUDA devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_DEVICE_CUDA_H
#define STEREO_DEVICE_CUDA_H

#include "core/queue-cuda.h"

#include <cuda.h>

/* Driver functions without an equivalent in the runtime. */
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
  CUresult (*error_name) (CUresult result, const char **name);
} CudaDriver;

typedef struct
{
  StereoDevice device;
  CudaDriver driver;
  CUcontext context;
  bool retained;                /* the primary context of cu_device */
  bool flags_set;               /* old_flags must be restored */
  unsigned old_flags;
  CUdevice cu_device;
  cudaStream_t stream;          /* borrowed, or NULL */
  cudaStream_t downloads;       /* of stereo_cuda_download() */
  int ordinal;
  int multiprocessors;
  int capability;               /* 10 major + minor, at most that of the code */
  int shared_limit;             /* shared memory of a block, in bytes */
  bool cooperative;             /* cooperative launches are supported */
  void (*release) (void *kept); /* or NULL */
  void *kept;
} CudaDevice;

typedef struct
{
  StereoEvent event;
  cudaEvent_t cuda;
} CudaEvent;

/* Functions of the StereoDeviceClass. */
StereoStatus stereo_cuda_queue_new (StereoDevice * device,
    StereoQueue ** queue, StereoMessage * why);
StereoStatus stereo_cuda_event_new (StereoDevice * device,
    StereoEvent ** event, StereoMessage * why);
StereoStatus stereo_cuda_event_wait (StereoEvent * event, StereoMessage * why);
void stereo_cuda_event_free (StereoEvent * event);
StereoStatus stereo_cuda_alloc (StereoDevice * device, size_t bytes,
    void **memory, StereoMessage * why);
void stereo_cuda_free (StereoDevice * device, void *memory);
StereoStatus stereo_cuda_alloc_pinned (StereoDevice * device, size_t bytes,
    void **memory, StereoMessage * why);
void stereo_cuda_free_pinned (StereoDevice * device, void *memory);
StereoStatus stereo_cuda_pin (StereoDevice * device, void *memory,
    size_t bytes, StereoMessage * why);
void stereo_cuda_unpin (StereoDevice * device, void *memory);
/* Whether all of the memory was pinned by stereo_cuda_pin() for any device. */
bool stereo_cuda_is_pinned (const void *memory, size_t bytes);
StereoStatus stereo_cuda_copy (StereoDevice * device, void *target,
    const void *source, size_t bytes, StereoMessage * why);

#endif /* STEREO_DEVICE_CUDA_H */
