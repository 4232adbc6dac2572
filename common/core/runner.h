/* gst-stereomatching: runs an operation on a device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A runner checks images, uploads inputs that are not in device memory, runs
 * the operation and downloads the outputs.  On the CPU, images are used in
 * place and process() is synchronous.  On CUDA, process() only submits the
 * frame: several frames are in flight, and another one waits for the oldest.
 * Each frame in flight has its own copies of host images; all share the buffers
 * of the operation, which the device runs for one frame at a time.
 *
 * Functions are called by one thread at a time, except where noted.
 */

#ifndef STEREO_RUNNER_H
#define STEREO_RUNNER_H

#include "core/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StereoRunner StereoRunner;

/* why may be NULL. */
StereoStatus stereo_runner_new (const StereoOp * op, StereoDevice * device,
    StereoRunner ** runner, StereoMessage * why);

/* Waits for all frames.  Sets *runner to NULL. */
void stereo_runner_free (StereoRunner ** runner);

/* Borrowed: both belong to the runner. */
void *stereo_runner_state (StereoRunner * runner);
StereoDevice *stereo_runner_device (StereoRunner * runner);

/* Sets the maximum number of frames in flight, 1 to STEREO_MAX_FRAMES, from the
 * next stereo_runner_configure() on.  The device may allow less. */
void stereo_runner_set_frames (StereoRunner * runner, unsigned n);

/* Waits for all frames, plans the operation and enlarges buffers that are too
 * small.  The lists have one entry per port.  After a failure, the runner is
 * unconfigured. */
StereoStatus stereo_runner_configure (StereoRunner * runner,
    const StereoPortSetup * inputs, const StereoPortSetup * outputs,
    const void *params);

/* process() fails until the runner is configured again. */
void stereo_runner_unconfigure (StereoRunner * runner);

/* Starts a frame.  The lists have one entry per port, NULL for missing optional
 * images.  Memory as for stereo_matcher_process().  frame may be NULL. */
StereoStatus stereo_runner_process (StereoRunner * runner,
    const StereoImage * const *inputs, const StereoImage * const *outputs,
    uint64_t * frame);

/* Waits for the frame; returns at once for frame 0.  Fails if the frame failed.
 * Any thread. */
StereoStatus stereo_runner_wait (StereoRunner * runner, uint64_t frame);

/* Waits for all frames. */
StereoStatus stereo_runner_sync (StereoRunner * runner);

/* The error of the last failed call; the owner may write to it. */
StereoMessage *stereo_runner_message (StereoRunner * runner);

/* The warning of the last configuration, or an empty text. */
const char *stereo_runner_warning (const StereoRunner * runner);

/* As for a matcher, in stereo.h. */
void stereo_runner_get_stats (StereoRunner * runner,
    StereoMatcherStats * stats);
void stereo_runner_set_profiling (StereoRunner * runner, bool profiling);
bool stereo_runner_get_stage (StereoRunner * runner, size_t index,
    const char **name, uint64_t * ns);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_RUNNER_H */
