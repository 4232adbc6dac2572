/* gst-stereomatching: pictures of maps and errors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef PICTURE_H
#define PICTURE_H

#include "scene.h"

/* rgb has three bytes for each of the n pixels, of the caller. */

/* Disparities in colour: blue at minimum over green to red at maximum, black
 * where there is none.  A fixed range, as nothing else can be compared. */
void picture_colors (const float *map, size_t n, double minimum,
    double maximum, uint8_t * rgb);

/*
 * Where a map is wrong, over the left view of scene in grey, where it has
 * views.  Only for a scene with truth.
 *
 * - off by no more than a pixel: grey
 * - off by more: red, pale at one pixel, full at 16 pixels or no disparity
 * - in `all` but not in `nonocc` (occluded): the same in blue
 * - outside `all` (truth unknown, or border): black
 */
void picture_errors (const float *map, const Scene * scene, uint8_t * rgb);

/* The codes of a 16-bit map as KITTI has them: 256 d rounded, from 1 to 65535;
 * 0 where there is no disparity. */
void picture_codes (const float *map, size_t n, uint16_t * codes);

#endif /* PICTURE_H */
