/* gst-stereomatching: disparity maps, in device memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_MAP_H
#define STEREO_MAP_H

#include "core/backend.h"

/* The code of invalid pixels. */
#define STEREO_INVALID 0xffffu

/*
 * The disparity map of the left view: width x height codes or STEREO_INVALID.
 * The code of disparity d is unit (d - min_disparity), with StereoSearch.unit;
 * with unit 1 it is the index of a whole disparity.
 */
typedef struct
{
  uint16_t *data;
  size_t stride;                /* elements */
} StereoMap;

/* The finest unit: 1/16 pixel. */
#define STEREO_MAX_UNIT 16

#endif /* STEREO_MAP_H */
