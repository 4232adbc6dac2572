/* gst-stereomatching: random cases of the contract tests of matchers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef MATCHERCASE_H
#define MATCHERCASE_H

#include "cases.h"

typedef struct
{
  const StereoAlgorithm *algorithm;
  const char *name;
  int width;
  int height;
  StereoFormat left;
  StereoFormat right;
  StereoFormat output;
  Fill fill;
  StereoParams *params;
} Case;

typedef struct
{
  TestImage left;
  TestImage right;
  TestImage map;
  TestImage expected;
} Images;

/* Sets about half of the algorithm's own parameters; the others keep their
 * defaults. */
void draw_parameters (Case * c, Random * random);

/* Any size, formats, content and common parameters. */
void draw_case (const StereoAlgorithm * algorithm, Random * random, Case * c);

void set_parameter (Case * c, const char *name, double value);

void make_images (const Case * c, Images * images, Random * random);

void clear_case (Case * c, Images * images);

/* The maps of all devices must be equal.  Matchers are reused by all cases, so
 * each is reconfigured for other sizes, formats and parameters in between. */
void check_case (const Case * c, const Images * images);

/* Describes the case if there is a difference. */
void report_case (const Case * c, const Images * images, const char *where,
    const char *difference);

/* A new matcher for one case. */
StereoMatcher *matcher_new (const Case * c, const Images * images,
    StereoDevice * device);

/* Processes a frame; the map must equal the expected one. */
void check_frame (StereoMatcher * matcher, StereoDevice * device,
    const Case * c, const Images * images);

#define FOR_EACH_ALGORITHM(a) \
  const StereoAlgorithm *a; \
  for (size_t a##_ = 0; (a = stereo_algorithm_get (a##_)) != NULL; a##_++)

#endif /* MATCHERCASE_H */
