/* gst-stereomatching: images out of pipelines
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef ACCURACY_PIPELINE_H
#define ACCURACY_PIPELINE_H

#include <gst/gst.h>
#include <stdint.h>

/* Rows without padding. */
typedef struct
{
  int width;
  int height;
  uint8_t *data;                /* for free () */
} Plane;

/* The first frame of a pipeline that ends in an appsink called "sink". Exits
 * when there is none. */
Plane plane_from_pipeline (const char *description, int pixel_bytes);

#endif /* ACCURACY_PIPELINE_H */
