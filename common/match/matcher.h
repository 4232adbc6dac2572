/* gst-stereomatching: access to the runner of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_MATCHER_H
#define STEREO_MATCHER_H

#include "core/runner.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed: the runner belongs to the matcher. */
StereoRunner *stereo_matcher_get_runner (StereoMatcher * matcher);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_MATCHER_H */
