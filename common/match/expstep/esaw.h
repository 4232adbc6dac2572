/* gst-stereomatching: exponential step size adaptive weight
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The algorithm is described in expstep.h, its parameters are
 * StereoExpstepParams without the last three. */

#ifndef STEREO_ESAW_H
#define STEREO_ESAW_H

#include "match/expstep/expstep.h"

extern const StereoAlgorithm stereo_esaw_algorithm;

#endif /* STEREO_ESAW_H */
