/* gst-stereomatching: models of lenses
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Narrow lenses, with Brown's distortion or the fisheye model, and wide ones,
 * which may see more than 180 degrees: the omnidirectional, double sphere and
 * extended unified models project rays, and not positions on a plane before the
 * camera.
 */

#ifndef STEREO_LENS_H
#define STEREO_LENS_H

#include "geometry/camera.h"

#ifdef __cplusplus
extern "C" {
#endif

bool stereo_lens_is_wide (StereoLens lens);

/* Projects a ray to normalised image coordinates, before focal length and
 * principal point.  false if the model has no image of the ray. */
bool stereo_lens_project (const StereoCamera * camera, const double ray[3],
    double *x, double *y);

/* The ray of pixel (u, v) of a narrow lens, whose z is 1.  Brown's distortion
 * is inverted by fixed-point iteration. */
void stereo_lens_unproject (const StereoCamera * camera, double u, double v,
    int n_iterations, double ray[3]);

/* Whether the parameters of the model are in its range; reports the first one
 * that is not. */
STEREO_CHECKED StereoStatus stereo_lens_check (const StereoCamera * camera,
    StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_LENS_H */
