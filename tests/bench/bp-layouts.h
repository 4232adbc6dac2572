/* gst-stereomatching: belief propagation with one thread for each pixel
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * bp-layouts.h: the algorithm of bp.h as S. Grauer-Gray has it ("Optimizing
 * global stereo matching on NVIDIA GPUs"), to measure what each of that paper's
 * optimisations brings.  Data costs and messages of all levels are kept, and
 * one thread updates all messages of a pixel.  The results are those of the
 * library.
 */

#ifndef BP_LAYOUTS_H
#define BP_LAYOUTS_H

#include "match/bp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where neighbours of a value are. */
typedef enum
{
  BP_LAYOUT_PIXELS = 0,         /* (y, x, disparity): a pixel's disparities */
  BP_LAYOUT_ROWS,               /* (y, disparity, x): pixels of a row */
  BP_LAYOUT_HALVES,             /* the same, the two colours of the
                                 * checkerboard apart from each other */
  BP_N_LAYOUTS
} BpLayout;

/* What runs when the number of disparities is no constant of the kernel. */
#define BP_LAYOUTS_MAX_DISPARITIES 128

typedef struct
{
  int precision;                /* STEREO_BP_PRECISION_... */
  BpLayout layout;
  bool aligned;                 /* rows begin at multiples of 32 pixels, what a
                                 * warp reads at a time; not for PIXELS */
  bool constant;                /* the compiler knows how many disparities */
} BpVariant;

/* Median times in milliseconds, NAN if not measured. */
typedef struct
{
  double device;                /* images, map and all memory are there */
  double graph;                 /* the same as one CUDA graph */
  double transfers;             /* images from, map to pinned memory */
  double arena;                 /* and one allocation for each frame */
  double buffers;               /* or one for each buffer when it is needed,
                                 * freed after its last use */
  size_t bytes;                 /* of device memory, of all but buffers */
} BpTimes;

/* Whether there is such a kernel, for so many disparities. */
bool bp_layouts_has (const BpVariant * variant, int disparities);

/* Makes the map of two views, width x height bytes of luma; all three are
 * from bp_layouts_alloc().  Measures for that many seconds each, at least
 * three times; on the host, where everything is done instead if host is true,
 * nothing is measured.  Errors of CUDA end the program. */
void bp_layouts_run (const BpVariant * variant, const StereoBpConstants * k,
    const uint8_t * left, const uint8_t * right, uint16_t * map,
    double seconds, bool host, BpTimes * times);

/* Memory that CUDA copies from and to without staging, or any. */
void *bp_layouts_alloc (size_t bytes, bool host);
void bp_layouts_free (void *memory, bool host);

/* The name of the device; false if there is none. */
bool bp_layouts_device (char *name, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* BP_LAYOUTS_H */
