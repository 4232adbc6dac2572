/* gst-stereomatching: matching a scene
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef MATCH_H
#define MATCH_H

#include "cli.h"
#include "scene.h"

typedef struct
{
  double milliseconds;          /* of the fastest run, copies included */
  int minimum, disparities;     /* searched: the smallest one, their number */
} MatchResult;

/*
 * Runs a setup on a scene with views.  map receives disparities in pixels, NAN
 * if invalid.  Short runs are repeated, which excludes page faults and other
 * programs from the time.  confidence, which may be NULL, is computed in a run
 * that is not timed, and only if the algorithm supports it.
 *
 * STEREO_ERROR_ARGUMENT: the properties do not fit the scene.  Other errors
 * concern memory or the device.
 */
STEREO_CHECKED StereoStatus match_scene (const CliSetup * setup,
    StereoDevice * device, const Scene * scene, float *map,
    uint16_t * confidence, MatchResult * result, StereoMessage * why);

#endif /* MATCH_H */
