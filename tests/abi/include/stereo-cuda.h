/* gst-stereomatching: the public interface of the CUDA backend
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-cuda.h: CUDA devices for stereo.h, whose rules apply here, too.
 *
 * CUDA headers are not needed.  In a build without CUDA, and on a machine
 * without a driver, all functions exist and report that.
 *
 * A device works in one CUDA context.  The library makes it current during each
 * call, and restores the calling thread's context before the call returns.
 */

#ifndef STEREO_CUDA_H
#define STEREO_CUDA_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of CUDA devices; 0 also without a driver and in a build
 * without CUDA, which `why` explains.  The first call loads the driver. */
STEREO_API int stereo_cuda_count (StereoMessage * why);

/* Makes a device from the primary context of CUDA device `ordinal`, or of the
 * first usable device if ordinal is -1.  If the context is not active yet, it
 * gets the flag CU_CTX_SCHED_BLOCKING_SYNC until it is released.
 *
 * STEREO_ERROR_UNSUPPORTED: this build has no CUDA.  STEREO_ERROR_NO_DEVICE: no
 * driver, no such device, or no kernels for its architecture. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_new_cuda (int ordinal,
    StereoDevice ** device, StereoMessage * why);

/* Makes a device from a CUcontext and a CUstream of it (NULL = one stream per
 * matcher).  Both belong to the caller and must outlive the device. */
STEREO_CHECKED STEREO_API StereoStatus
stereo_device_new_cuda_wrapped (void *cu_context, void *cu_stream,
    StereoDevice ** device, StereoMessage * why);

/* Calls release (kept) when a wrapped device is freed, on any thread, for
 * example to release the owner of the context.  Call this at most once. */
STEREO_API void stereo_cuda_keep (StereoDevice * device, void *kept,
    void (*release) (void *kept));

/* The CUcontext of a device, which owns it, and its CUDA device index; NULL and
 * -1 for other devices. */
STEREO_API void *stereo_cuda_context (const StereoDevice * device);
STEREO_API int stereo_cuda_ordinal (const StereoDevice * device);

/* Starts a copy from device memory to pinned memory after the event `after`,
 * and records the event `done` behind it.  Any thread. */
STEREO_CHECKED STEREO_API StereoStatus stereo_cuda_download (StereoDevice *
    device, void *target, const void *source, size_t bytes,
    StereoEvent * after, StereoEvent * done, StereoMessage * why);

/* The CUevent of an event, to record in the stream that writes an image, or to
 * wait for in the stream that reads one; NULL for other devices.  It belongs to
 * the event. */
STEREO_API void *stereo_cuda_event (StereoEvent * event);

/* The free and the total memory of the device, in bytes. */
STEREO_CHECKED STEREO_API StereoStatus stereo_cuda_memory (StereoDevice *
    device, size_t * available, size_t * total, StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CUDA_H */
