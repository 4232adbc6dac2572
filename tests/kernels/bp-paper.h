/* gst-stereomatching: belief propagation as published
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Hierarchical belief propagation in floating point, pixel by pixel, written
 * from P. F. Felzenszwalb, D. P. Huttenlocher: "Efficient belief propagation
 * for early vision", CVPR 2004.  It shares nothing with the library: real
 * numbers, and messages that have a mean of 0.
 */

#ifndef BP_PAPER_H
#define BP_PAPER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  int width, height, n, min;
  int iterations, levels;
  double data_weight, max_data_term, max_disc_term, disc_single_jump;
  double smoothing;
  /* The authors' rule: no cost at all in the first n - 1 columns, and index 0
   * for all pixels of the frame. */
  bool authors_border;
} PaperBp;

/* Luma to disparity indices.  If belief is not NULL it gets the n final sums of
 * every pixel of level 0 (of the nearest inner one); free() it. */
void paper_bp (const PaperBp * p, const uint8_t * left, const uint8_t * right,
    int *map, float **belief);

#endif /* BP_PAPER_H */
