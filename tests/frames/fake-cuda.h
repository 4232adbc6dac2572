/* gst-stereomatching: simulated GPU, controlled by tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * All functions of stereo-cuda.h and core/testing-cuda.h, on a CPU.  The stages
 * of the CPU compute a frame when it is started, but its results appear only
 * when the simulated GPU reaches it: downloaded memory stays 0xee until then,
 * and threads that wait for the frame block.
 */

#ifndef STEREO_FAKE_CUDA_H
#define STEREO_FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>

/* Resets the GPU: it is not paused, lost or limited. */
void fake_cuda_reset (void);

/* While paused, no started work completes. */
void fake_cuda_hold (bool hold);

/* Incomplete work never completes, and no more work can be started. */
void fake_cuda_lose (void);

/* Limits the device memory, in bytes. */
void fake_cuda_limit (size_t bytes);

/* The next calls succeed, as many as given, and the one after them fails, with
 * the device; later calls succeed again. */
void fake_cuda_fail_after (unsigned calls);

/* Whether that call was made. */
bool fake_cuda_has_failed (void);

/* Number of times that a thread waited for work to complete. */
unsigned fake_cuda_waits (void);

/* Allocated device memory, in bytes. */
size_t fake_cuda_used (void);

/* Number of memories that are pinned. */
unsigned fake_cuda_pinned (void);

#endif /* STEREO_FAKE_CUDA_H */
