/* gst-stereomatching: exponential step size message propagation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The algorithm is described in expstep.h, its parameters are
 * StereoExpstepParams. */

#ifndef STEREO_ESMP_H
#define STEREO_ESMP_H

#include "match/expstep/expstep.h"

extern const StereoAlgorithm stereo_esmp_algorithm;

#endif /* STEREO_ESMP_H */
