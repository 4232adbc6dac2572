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

/* As at first: nothing is held, lost or limited. */
void fake_cuda_reset (void);

/* While it is held, nothing that is started ends. */
void fake_cuda_hold (bool hold);

/* Nothing that has not ended ever will, and nothing more can be started. */
void fake_cuda_lose (void);

/* There is no more device memory than this. */
void fake_cuda_limit (size_t bytes);

/* The call after this many that succeed fails, with the device; those after it
 * succeed again. */
void fake_cuda_fail_after (unsigned calls);

/* Whether such a call has come. */
bool fake_cuda_has_failed (void);

/* How often a thread had to wait until something ended. */
unsigned fake_cuda_waits (void);

/* Bytes of device memory that are in use. */
size_t fake_cuda_used (void);

#endif /* STEREO_FAKE_CUDA_H */
