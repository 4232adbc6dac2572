/* gst-stereomatching: checks the uniqueness of winners on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef MINIMA_H
#define MINIMA_H

#include "harness.h"

/* The costs of a left pixel that its uniqueness compares. */
typedef struct
{
  long least;                   /* -1: no disparity is searched */
  long second;                  /* -1: there is none */
} Minima;

/* The least of n costs, and the least further than one from it. */
Minima find_minima (const long *costs, int n);

/* Fails unless the winners of each device, for an image of confidences or for
 * min-confidence, have the uniqueness of these minima, row by row without gaps;
 * and unless those of a frame without confidence are the same otherwise. */
void check_minima (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const Minima * expected);

#endif /* MINIMA_H */
