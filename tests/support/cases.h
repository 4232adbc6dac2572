/* gst-stereomatching: cases for the oracles, and what is found on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef CASES_H
#define CASES_H

#include "harness.h"

/* -------------------------------------------------------------------- cases */

/* Two views, and what is searched in them. */
typedef struct
{
  int width, height;
  StereoFormat left, right;
  int n, min;                   /* disparities */
  Fill fill;
} Views;

/* A test's own case, which has fields of these names, with these views. */
#define CASE_SET_VIEWS(c, v) \
  ((c)->width = (v)->width, (c)->height = (v)->height, (c)->left = (v)->left, \
    (c)->right = (v)->right, (c)->n = (v)->n, (c)->min = (v)->min, \
    (c)->fill = (v)->fill)

/* The images of such a case. */
#define CASE_IMAGES(c, left_image, right_image, random) \
  init_pair (left_image, right_image, (c)->left, (c)->right, (c)->width, \
      (c)->height, (c)->fill, random)

/* Judges one of them, the i-th. */
typedef void (*ViewsCheck) (const Views * views, int i, Random * random);

/* The usual views with each content, as they are and in colour. */
void each_fill (const Views * usual, ViewsCheck check);
/* With sizes that no vector divides, and the smallest; 6 disparities. */
void each_size (const Views * usual, ViewsCheck check);
/* With disparities as one, more than the width, negative, none possible; of 7
 * rows. */
void each_range (const Views * usual, ViewsCheck check);
/* With pairs of formats. */
void each_format (const Views * usual, ViewsCheck check);

/* A test of one of them. */
#define VIEWS_TEST(test, each, usual, check) \
  TEST (test) { each (&(usual), check); }

/* ------------------------------------------------------------------ devices */

/* Says in which case a map is not as it should be; a failed test.  Nothing when
 * difference is NULL. */
void report_difference (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const char *where,
    const char *difference);

/* The map of each device has these codes, row by row without gaps; negative
 * ones stand for 65535. */
void check_codes (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const int *expected);

/* The maps of all devices are equal to that of the first one, which is the
 * plain reference, in any format for maps. */
void check_devices (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, StereoFormat output);

/* The map of the CUDA device with this much shared memory is equal to that of
 * the first device. */
void check_shared_limit (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, int bytes);

#endif /* CASES_H */
