/* gst-stereomatching: pinning of system memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A CUDA device reads pinned memory directly; other memory is copied to pinned
 * memory first.  Elements propose a pool of pinned buffers, but upstream does
 * not always use it: a tee does not pass it on.  Therefore system memory is
 * pinned when it arrives again, as that of a pool does, until it is freed.
 */

#ifndef GST_STEREO_PINNING_H
#define GST_STEREO_PINNING_H

#include "stereo.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* Pins the memory of an input buffer if another frame had it.  The library
 * copies it otherwise.  Any thread. */
void gst_stereo_buffer_pin (GstBuffer * buffer, StereoDevice * device);

G_END_DECLS

#endif /* GST_STEREO_PINNING_H */
