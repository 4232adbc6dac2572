/* gst-stereomatching: what runs an operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * runner.h: one operation on one device, frame after frame.
 *
 * A runner checks images, brings them to the device where they are not, runs
 * the operation and brings back what it made.  On the CPU images are used in
 * place and a frame is done when process() returns.  On CUDA it has only begun:
 * as many frames as stereo_runner_frames() says are under way at a time, and
 * one more waits for the oldest.  Each of them has memory of its own for images
 * that are copied; what the operation needs besides is there once, because the
 * device runs the operation for one frame after the other.
 *
 * Calls come from one thread at a time, but for those that say otherwise.
 */

#ifndef STEREO_RUNNER_H
#define STEREO_RUNNER_H

#include "core/op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct StereoRunner StereoRunner;

/* why may be NULL. */
StereoStatus stereo_runner_new (const StereoOp * op, StereoDevice * device,
    StereoRunner ** runner, StereoMessage * why);

/* Waits for all frames.  Sets *runner to NULL. */
void stereo_runner_free (StereoRunner ** runner);

/* The operation's state, and the device.  Both belong to the runner. */
void *stereo_runner_state (StereoRunner * runner);
StereoDevice *stereo_runner_device (StereoRunner * runner);

/* Frames that are under way at a time. */
unsigned stereo_runner_frames (const StereoRunner * runner);

/* How many that is to be from the next stereo_runner_configure() on, if the
 * device can: 1 to STEREO_MAX_FRAMES. */
void stereo_runner_set_frames (StereoRunner * runner, unsigned n);

/* Waits for all frames, then plans for images like these and allocates, if what
 * is there is too small.  The lists are as long as the operation's.  After a
 * failure it has to be configured again. */
StereoStatus stereo_runner_configure (StereoRunner * runner,
    const StereoPortSetup * inputs, const StereoPortSetup * outputs,
    const void *params);

/* Makes it as if it had not been configured: process() fails. */
void stereo_runner_unconfigure (StereoRunner * runner);

/* Starts a frame.  The lists are as long as the operation's, with NULL for
 * optional images that are not wanted.  The rules for memory are those of
 * stereo_matcher_process(); frame may be NULL. */
StereoStatus stereo_runner_process (StereoRunner * runner,
    const StereoImage * const *inputs, const StereoImage * const *outputs,
    uint64_t * frame);

/* Returns when the frame is complete; at once for frame 0.  Fails if that frame
 * has failed.  Any thread. */
StereoStatus stereo_runner_wait (StereoRunner * runner, uint64_t frame);

/* Waits for all frames. */
StereoStatus stereo_runner_sync (StereoRunner * runner);

/* The runner of a matcher, which belongs to it. */
StereoRunner *stereo_matcher_get_runner (StereoMatcher * matcher);

/* What the last failed call had to say.  The owner may write there, too. */
StereoMessage *stereo_runner_message (StereoRunner * runner);

/* Those of a matcher, in stereo.h. */
void stereo_runner_get_stats (StereoRunner * runner,
    StereoMatcherStats * stats);
void stereo_runner_set_profiling (StereoRunner * runner, bool profiling);
bool stereo_runner_get_stage (StereoRunner * runner, size_t index,
    const char **name, uint64_t * ns);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_RUNNER_H */
