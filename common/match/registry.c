/* gst-stereomatching: the algorithms of this build
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/algorithm.h"

#include <string.h>

/* algorithm-list.h is generated from the list in the root meson.build and
 * holds one ALGORITHM (name) for each. */
#define ALGORITHM(name) extern const StereoAlgorithm stereo_##name##_algorithm;
#include "algorithm-list.h"
#undef ALGORITHM

static const StereoAlgorithm *const algorithms[] = {
#define ALGORITHM(name) &stereo_##name##_algorithm,
#include "algorithm-list.h"
#undef ALGORITHM
};

const StereoAlgorithm *
stereo_algorithm_get (size_t index)
{
  if (index >= sizeof (algorithms) / sizeof (algorithms[0]))
    return NULL;
  return algorithms[index];
}

const StereoAlgorithm *
stereo_algorithm_find (const char *name)
{
  const StereoAlgorithm *algorithm;

  for (size_t i = 0; name && (algorithm = stereo_algorithm_get (i)); i++) {
    if (strcmp (algorithm->name, name) == 0)
      return algorithm;
  }
  return NULL;
}

const char *
stereo_algorithm_name (const StereoAlgorithm * algorithm)
{
  return algorithm ? algorithm->name : NULL;
}

const char *
stereo_algorithm_title (const StereoAlgorithm * algorithm)
{
  return algorithm ? algorithm->title : NULL;
}

const char *
stereo_algorithm_reference (const StereoAlgorithm * algorithm)
{
  return algorithm ? algorithm->reference : NULL;
}

bool
stereo_algorithm_uses_color (const StereoAlgorithm * algorithm)
{
  return algorithm != NULL && algorithm->uses_color;
}

const char *
stereo_result_name (StereoResult result)
{
  static const char *const names[STEREO_N_RESULTS] = {
    [STEREO_RESULT_DISPARITY] = "disparity",
    [STEREO_RESULT_VERTICAL] = "vertical",
    [STEREO_RESULT_CONFIDENCE] = "confidence",
  };

  return (unsigned) result < STEREO_N_RESULTS ? names[result] : NULL;
}

bool
stereo_algorithm_has_result (const StereoAlgorithm * algorithm,
    StereoResult result)
{
  if (algorithm == NULL || (unsigned) result >= STEREO_N_RESULTS)
    return false;
  return result == STEREO_RESULT_DISPARITY
      || (result == STEREO_RESULT_CONFIDENCE && algorithm->refines)
      || (algorithm->results & 1u << result) != 0;
}
