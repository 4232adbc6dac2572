/* gst-stereomatching: matching costs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A matching cost compares a representation of a pixel in both views.
 * Algorithms depend on its kind alone, and scale and truncate the result
 * themselves.  Costs with words differ in how the bits of a word are made.
 */

#ifndef STEREO_COST_H
#define STEREO_COST_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a cost compares. */
typedef enum
{
  STEREO_COST_WORDS = 0,        /* 32-bit words: cost/words.h */
  STEREO_COST_LUMA,             /* cost/difference.h */
  STEREO_COST_RGB               /* the same; luma if a view is grey */
} StereoCostKind;

typedef struct
{
  StereoCostKind kind;
  const char *stages;           /* the stage table that makes the words */
} StereoCost;

#define STEREO_N_COSTS 4

/* A value of the parameter "cost", the default of matchers. */
#define STEREO_COST_LEARNED 3

/* By the value of the parameter "cost". */
extern const StereoCost stereo_costs[STEREO_N_COSTS];
extern const StereoEnumValue stereo_cost_values[STEREO_N_COSTS];

#define STEREO_COST_DESCRIPTION \
  "Matching cost: census = 5x5 census and gradient, insensitive to exposure; " \
  "luma = absolute difference of luma; rgb = sum of absolute RGB " \
  "differences; learned = as census, with bits from a small trained network"

/* Predicates of a kind.  Macros, to be constants in templates. */
#define stereo_cost_uses_words(kind) ((kind) == STEREO_COST_WORDS)
#define stereo_cost_is_color(kind) ((kind) == STEREO_COST_RGB)
#define stereo_cost_is_luma(kind) ((kind) == STEREO_COST_LUMA)

/* Calls a macro with a kind as a constant. */
#define STEREO_FOR_COST(kind, CALL) \
  (stereo_cost_uses_words (kind) ? CALL (STEREO_COST_WORDS) \
      : stereo_cost_is_color (kind) ? CALL (STEREO_COST_RGB) \
      : CALL (STEREO_COST_LUMA))

/* Byte planes that are compared on the CPU. */
static inline int
stereo_cost_planes (StereoCostKind kind)
{
  return stereo_cost_uses_words (kind) ? 4 : stereo_cost_is_color (kind) ? 3
      : 1;
}

/* The cost of views with a number of channels: luma if they are grey. */
static inline StereoCostKind
stereo_cost_of_views (StereoCostKind kind, int channels)
{
  return stereo_cost_is_color (kind) && channels == 1 ? STEREO_COST_LUMA
      : kind;
}

#ifdef __cplusplus
}
#endif

#endif /* STEREO_COST_H */
