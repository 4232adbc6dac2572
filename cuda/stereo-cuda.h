/* gst-stereomatching: CUDA devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-cuda.h: the CUDA back end's public interface.  No CUDA header is
 * needed.  In a build without CUDA, and on a machine without a driver, all of
 * it works and says so.
 *
 * Work is done in one CUDA context, which the library makes current for the
 * duration of each call and takes off again: the calling thread's own current
 * context and device stay as they are.
 */

#ifndef STEREO_CUDA_H
#define STEREO_CUDA_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of CUDA devices.  0 also without a driver or in a build without CUDA;
 * why, which may be NULL, then says what is missing, else it is left alone.
 * The first call loads the driver. */
STEREO_API int stereo_cuda_count (StereoMessage * why);

/* A device of its own: the primary context of CUDA device ordinal, or of the
 * first one that works if ordinal is -1.  Where nobody has that context yet, it
 * gets the flag CU_CTX_SCHED_BLOCKING_SYNC, until it is let go of.
 *
 * STEREO_ERROR_UNSUPPORTED: this build has no CUDA.  STEREO_ERROR_NO_DEVICE: no
 * driver, no such device, or none that the kernels were built for. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_new_cuda (int ordinal,
    StereoDevice ** device, StereoMessage * why);

/* A device that borrows a context, and a stream of it to compute on (NULL for
 * a stream of each matcher's own).  cu_context is a CUcontext, cu_stream a
 * CUstream; both have to outlive the device. */
STEREO_CHECKED STEREO_API StereoStatus
stereo_device_new_cuda_wrapped (void *cu_context, void *cu_stream,
    StereoDevice ** device, StereoMessage * why);

/* Has such a device keep what its context belongs to: release (kept) is called
 * when the device is gone, on whatever thread.  Once, by whoever made it. */
STEREO_API void stereo_cuda_keep (StereoDevice * device, void *kept,
    void (*release) (void *kept));

/* The CUcontext that a device works in, and the number of the CUDA device that
 * this is on; NULL and -1 for other devices.  The context is the device's. */
STEREO_API void *stereo_cuda_context (const StereoDevice * device);
STEREO_API int stereo_cuda_ordinal (const StereoDevice * device);

/* Starts to copy bytes from device memory to pinned memory, after the event
 * `after`, and records `done` behind it; both are not NULL.  Any thread. */
STEREO_CHECKED STEREO_API StereoStatus stereo_cuda_download (StereoDevice *
    device, void *target, const void *source, size_t bytes,
    StereoEvent * after, StereoEvent * done, StereoMessage * why);

/* The CUevent of an event, to record in a stream of one's own where an image is
 * made there, or to wait for where one is read; NULL for other devices.  It
 * belongs to the event. */
STEREO_API void *stereo_cuda_event (StereoEvent * event);

/* Bytes free and bytes in total on the device. */
STEREO_CHECKED STEREO_API StereoStatus stereo_cuda_memory (StereoDevice *
    device, size_t * available, size_t * total, StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_CUDA_H */
