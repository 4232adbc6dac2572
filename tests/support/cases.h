/* gst-stereomatching: test cases for comparisons with oracles on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef CASES_H
#define CASES_H

#include "harness.h"

/* -------------------------------------------------------------------- cases */

/* Size and formats of two views, and the search range. */
typedef struct
{
  int width, height;
  StereoFormat left, right;
  int n, min;                   /* disparities */
  Fill fill;
} Views;

/* Copies the views to a test's own case structure, with fields of these
 * names. */
#define CASE_SET_VIEWS(c, v) \
  ((c)->width = (v)->width, (c)->height = (v)->height, (c)->left = (v)->left, \
    (c)->right = (v)->right, (c)->n = (v)->n, (c)->min = (v)->min, \
    (c)->fill = (v)->fill)

/* Creates the images of such a case. */
#define CASE_IMAGES(c, left_image, right_image, random) \
  init_pair (left_image, right_image, (c)->left, (c)->right, (c)->width, \
      (c)->height, (c)->fill, random)

/* Tests the i-th set of views. */
typedef void (*ViewsCheck) (const Views * views, int i, Random * random);

/* The usual views with each content, in their format and in colour. */
void each_fill (const Views * usual, ViewsCheck check);
/* Sizes that are no multiples of vectors, and the smallest; 6 disparities. */
void each_size (const Views * usual, ViewsCheck check);
/* Ranges: one disparity, more than the width, negative, none valid; 7 rows. */
void each_range (const Views * usual, ViewsCheck check);
/* Pairs of formats. */
void each_format (const Views * usual, ViewsCheck check);

/* Defines a test that runs check for all these views. */
#define VIEWS_TEST(test, each, usual, check) \
  TEST (test) { each (&(usual), check); }

/* ------------------------------------------------------------------ devices */

/* Fails and describes the case, unless difference is NULL. */
void report_difference (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const char *where,
    const char *difference);

/* Fails unless the map of each device has these codes, row by row without gaps;
 * negative ones stand for 65535. */
void check_codes (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, const int *expected);

/* Fails unless the maps of all devices equal that of the first, the plain
 * implementation, in any output format. */
void check_devices (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, StereoFormat output);

/* Fails unless the map of a CUDA device with this much shared memory equals
 * that of the first device. */
void check_shared_limit (const char *algorithm, const StereoParams * params,
    const TestImage * left, const TestImage * right, int bytes);

#endif /* CASES_H */
