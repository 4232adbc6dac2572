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
  int disparities;              /* that were searched */
} MatchResult;

/* Sets what setup leaves open in params, a copy of its own: the scene's number
 * of disparities, the finest scale with which they fit 16 bits, and an invalid
 * value beyond them. */
STEREO_CHECKED bool match_fit_params (const CliSetup * setup,
    const Scene * scene, StereoParams * params, StereoMessage * why);

/* A view as the library takes it; borrows the pixels. */
void match_view (const Image * from, StereoImage * image);

/*
 * Runs a setup on a scene with views.  map gets a disparity in pixels for each
 * pixel, NAN where there is none.  Short runs are repeated, so that neither the
 * first one's page faults nor other programs count.  confidence, which may be
 * NULL, gets that of each pixel in a run that is not timed; the algorithm has
 * to have it.
 *
 * STEREO_ERROR_ARGUMENT: properties that do not go with the scene.  Any other
 * error: memory or the device.
 */
STEREO_CHECKED StereoStatus match_scene (const CliSetup * setup,
    StereoDevice * device, const Scene * scene, float *map,
    uint16_t * confidence, MatchResult * result, StereoMessage * why);

#endif /* MATCH_H */
