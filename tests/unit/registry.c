/* gst-stereomatching: tests of the list of algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/algorithm.h"
#include "stereo.h"
#include "test.h"

/* The list of the root meson.build, passed as a definition. */
static const char *const names[] = { STEREO_TEST_ALGORITHMS };

#define N_NAMES (sizeof (names) / sizeof (names[0]))

TEST (test_all_are_there)
{
  for (size_t i = 0; i < N_NAMES; i++) {
    const StereoAlgorithm *algorithm = stereo_algorithm_get (i);

    REQUIRE (algorithm != NULL);
    CHECK_STRING (stereo_algorithm_name (algorithm), names[i]);
    CHECK (stereo_algorithm_find (names[i]) == algorithm);
  }
  CHECK (stereo_algorithm_get (N_NAMES) == NULL);
  CHECK (stereo_algorithm_get (SIZE_MAX) == NULL);
}

TEST (test_unknown)
{
  char name[64];

  CHECK (stereo_algorithm_find (NULL) == NULL);
  CHECK (stereo_algorithm_find ("") == NULL);
  CHECK (stereo_algorithm_find ("no such algorithm") == NULL);
  for (size_t i = 0; i < N_NAMES; i++) {
    /* no prefix, no longer name, no capitals */
    snprintf (name, sizeof (name), "%s", names[i]);
    name[strlen (name) - 1] = '\0';
    for (size_t k = 0; k < N_NAMES; k++) {
      if (strcmp (name, names[k]) == 0)
        name[0] = '\0';
    }
    CHECK (stereo_algorithm_find (name) == NULL);
    snprintf (name, sizeof (name), "%s ", names[i]);
    CHECK (stereo_algorithm_find (name) == NULL);
    snprintf (name, sizeof (name), "%s", names[i]);
    name[0] = (char) (name[0] - 'a' + 'A');
    CHECK (stereo_algorithm_find (name) == NULL);
  }
}

TEST (test_texts)
{
  for (size_t i = 0; i < N_NAMES; i++) {
    const StereoAlgorithm *algorithm = stereo_algorithm_get (i);
    const char *title = stereo_algorithm_title (algorithm);
    const char *reference = stereo_algorithm_reference (algorithm);

    CHECK_INT (strlen (title), >, strlen (names[i]));
    CHECK_INT (stereo_algorithm_uses_color (algorithm), ==,
        algorithm->uses_color);
    CHECK (strcmp (title, reference) != 0);
    /* a reference contains a year */
    CHECK (strstr (reference, "19") != NULL || strstr (reference, "20")
        != NULL);
    for (size_t k = 0; k < i; k++)
      CHECK (strcmp (title,
              stereo_algorithm_title (stereo_algorithm_get (k))) != 0);
  }
}

TEST (test_no_algorithm)
{
  CHECK (stereo_algorithm_name (NULL) == NULL);
  CHECK (stereo_algorithm_title (NULL) == NULL);
  CHECK (stereo_algorithm_reference (NULL) == NULL);
  CHECK (stereo_algorithm_param (NULL, 0) == NULL);
  CHECK (!stereo_algorithm_uses_color (NULL));
}

TEST_MAIN ()
