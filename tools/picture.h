/* gst-stereomatching: images of maps and errors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef PICTURE_H
#define PICTURE_H

#include "scene.h"

/* rgb has three bytes for each of the n pixels. */

/* Disparities in colour: blue at minimum, green, red at maximum; black if
 * invalid.  The range is fixed, so that images are comparable. */
void picture_colors (const float *map, size_t n, double minimum,
    double maximum, uint8_t * rgb);

/*
 * The errors of a map over the left view in grey, if there are views.  The
 * scene must have ground truth.
 *
 * - up to one pixel: grey
 * - more: red, from pale at one pixel to full at 16 pixels, or invalid
 * - occluded (in `all`, not in `nonocc`): the same in blue
 * - outside `all` (unknown, or border): black
 */
void picture_errors (const float *map, const Scene * scene, uint8_t * rgb);

/* The codes of a 16-bit map as in KITTI: 256 d rounded, from 1 to 65535;
 * 0 = invalid, or a disparity that 16 bits cannot hold. */
void picture_codes (const float *map, size_t n, uint16_t * codes);

#endif /* PICTURE_H */
