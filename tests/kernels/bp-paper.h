/* gst-stereomatching: belief propagation as published
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Hierarchical belief propagation in floating point, pixel by pixel, from
 * P. F. Felzenszwalb, D. P. Huttenlocher: "Efficient belief propagation for
 * early vision", CVPR 2004.  It shares no code with the library: it uses real
 * numbers and messages with a mean of 0.
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
  /* As in the authors' program: data costs are 0 in the first n - 1 columns,
   * and border pixels have index 0. */
  bool authors_border;
} PaperBp;

/* Computes disparity indices from luma.  If belief is not NULL, it receives the
 * n final sums of every pixel of level 0 (border pixels: of the nearest inner
 * pixel), which the caller frees. */
void paper_bp (const PaperBp * p, const uint8_t * left, const uint8_t * right,
    int *map, float **belief);

#endif /* BP_PAPER_H */
