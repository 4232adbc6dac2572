/* gst-stereomatching: tests of the parameter tables of all algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereo.h"
#include "test.h"

#include <ctype.h>
#include <math.h>

typedef void (*Visit) (const StereoAlgorithm * algorithm,
    const StereoParamSpec * spec, StereoParams * params);

/* Calls visit() for every parameter of every algorithm, with a new set. */
static void
for_all (Visit visit)
{
  const StereoAlgorithm *algorithm;
  const StereoParamSpec *spec;
  unsigned n = 0;

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
      StereoParams *params = NULL;
      unsigned before = test_failures;

      REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
      visit (algorithm, spec, params);
      stereo_params_free (&params);
      if (test_failures != before)
        fprintf (stderr, "  with %s of %s\n", spec->name,
            stereo_algorithm_name (algorithm));
      n++;
    }
  }
  CHECK_INT (n, >, 5);
}

static double
get (const StereoParams * params, const char *name)
{
  double value = NAN;

  CHECK (stereo_params_get (params, name, &value));
  return value;
}

static bool
whole (const StereoParamSpec * spec)
{
  return spec->type != STEREO_PARAM_DOUBLE;
}

static void
visit_row (const StereoAlgorithm * algorithm, const StereoParamSpec * spec,
    StereoParams * params)
{
  const StereoParamSpec *other;
  double initial = stereo_algorithm_param_initial (algorithm, spec);
  size_t length = strlen (spec->name);

  CHECK_INT (length, >, 0);
  CHECK_INT (strlen (spec->field), ==, length);
  for (size_t i = 0; i < length; i++) {
    CHECK (islower (spec->name[i]) || isdigit (spec->name[i])
        || spec->name[i] == '-');
    CHECK_INT (spec->field[i], ==, spec->name[i] == '-' ? '_'
        : spec->name[i]);
  }
  CHECK_INT (strlen (spec->blurb), >, 10);
  CHECK (isupper (spec->blurb[0]) || isdigit (spec->blurb[0]));
  CHECK (spec->blurb[strlen (spec->blurb) - 1] != '.');

  CHECK (isfinite (spec->minimum) && isfinite (spec->maximum));
  CHECK_DOUBLE (spec->minimum, <, spec->maximum);
  CHECK_DOUBLE (initial, >=, spec->minimum);
  CHECK_DOUBLE (initial, <=, spec->maximum);
  if (whole (spec)) {
    CHECK_DOUBLE (initial, ==, floor (initial));
    CHECK_DOUBLE (spec->minimum, ==, floor (spec->minimum));
    CHECK_DOUBLE (spec->maximum, ==, floor (spec->maximum));
  }
  if (spec->type == STEREO_PARAM_BOOL || spec->type == STEREO_PARAM_ENUM
      || spec->type == STEREO_PARAM_UINT)
    CHECK_DOUBLE (spec->minimum, >=, 0);
  if (spec->type == STEREO_PARAM_BOOL)
    CHECK_DOUBLE (spec->maximum, ==, 1);
  CHECK_INT (spec->values != NULL, ==, spec->type == STEREO_PARAM_ENUM);
  CHECK_DOUBLE (get (params, spec->name), ==, initial);

  for (size_t i = 0; (other = stereo_algorithm_param (algorithm, i)); i++)
    CHECK (other == spec || strcmp (other->name, spec->name) != 0);
}

TEST (test_rows)
{
  for_all (visit_row);
}

static void
visit_values (const StereoAlgorithm * algorithm, const StereoParamSpec * spec,
    StereoParams * params)
{
  const StereoParamSpec *other;
  double span = spec->maximum - spec->minimum;

  for (int step = 0; step <= 16; step++) {
    double value = spec->minimum + span * step / 16;

    if (whole (spec))
      value = floor (value);
    if (step == 16)
      value = spec->maximum;
    CHECK_INT (stereo_params_set (params, spec->name, value, NULL), ==,
        STEREO_OK);
    CHECK_DOUBLE (get (params, spec->name), ==, value);
    /* no other parameter has changed */
    for (size_t i = 0; (other = stereo_algorithm_param (algorithm, i)); i++) {
      if (other != spec)
        CHECK_DOUBLE (get (params, other->name), ==,
            stereo_algorithm_param_initial (algorithm, other));
    }
  }
}

TEST (test_values)
{
  for_all (visit_values);
}

/* The value is rejected, nothing changes, and the message is complete. */
static void
check_refused (const StereoParamSpec * spec, StereoParams * params,
    double value)
{
  double before = get (params, spec->name);
  StereoMessage why = { "" };
  char number[64];

  CHECK_INT (stereo_params_set (params, spec->name, value, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_params_set (params, spec->name, value, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_DOUBLE (get (params, spec->name), ==, before);
  CHECK_CONTAINS (why.text, spec->name);
  snprintf (number, sizeof (number), "%.10g", value);
  CHECK_CONTAINS (why.text, number);
  snprintf (number, sizeof (number), "from %.10g to %.10g", spec->minimum,
      spec->maximum);
  CHECK_CONTAINS (why.text, number);
}

static void
visit_range (const StereoAlgorithm * algorithm, const StereoParamSpec * spec,
    StereoParams * params)
{
  double step = whole (spec) ? 1 : (spec->maximum - spec->minimum) * 1e-6;

  (void) algorithm;
  check_refused (spec, params, spec->minimum - step);
  check_refused (spec, params, spec->maximum + step);
  check_refused (spec, params, nextafter (spec->minimum, -INFINITY));
  check_refused (spec, params, nextafter (spec->maximum, INFINITY));
  check_refused (spec, params, -1e300);
  check_refused (spec, params, 1e300);
  check_refused (spec, params, 4294967296.0 + spec->minimum);
  check_refused (spec, params, INFINITY);
  check_refused (spec, params, -INFINITY);
  check_refused (spec, params, NAN);
  check_refused (spec, params, -NAN);
  if (whole (spec)) {
    check_refused (spec, params, spec->minimum + 0.5);
    check_refused (spec, params, spec->maximum - 0.25);
  }
}

TEST (test_range)
{
  for_all (visit_range);
}

static void
check_text (StereoParams * params, const char *name, const char *text,
    double value)
{
  StereoMessage why = { "" };

  CHECK_INT (stereo_params_set_text (params, name, text, &why), ==, STEREO_OK);
  CHECK_STRING (why.text, "");
  CHECK_DOUBLE (get (params, name), ==, value);
}

static void
check_text_refused (const StereoParamSpec * spec, StereoParams * params,
    const char *text, StereoMessage * why)
{
  double before = get (params, spec->name);

  why->text[0] = '\0';
  CHECK_INT (stereo_params_set_text (params, spec->name, text, why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_params_set_text (params, spec->name, text, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_DOUBLE (get (params, spec->name), ==, before);
  CHECK_CONTAINS (why->text, spec->name);
  CHECK (memchr (why->text, '\0', sizeof (why->text)) != NULL);
}

static void
visit_text (const StereoAlgorithm * algorithm, const StereoParamSpec * spec,
    StereoParams * params)
{
  static const char *const bad[] = {
    "", " ", "x", "1x", "1 2", "1,5", "--1", "0x", "tru", "TRUE", "yes", "1e",
    "%s%n", "nan()x"
  };
  static const char *const outside[] = {
    "nan", "inf", "-inf", "1e300", "-1e300", "infinity"
  };
  StereoMessage why;
  char text[64], *endless;

  (void) algorithm;
  snprintf (text, sizeof (text), "%.17g", spec->maximum);
  check_text (params, spec->name, text, spec->maximum);
  snprintf (text, sizeof (text), "%.17g", spec->minimum);
  check_text (params, spec->name, text, spec->minimum);
  snprintf (text, sizeof (text), "%.17e", spec->maximum);
  check_text (params, spec->name, text, spec->maximum);

  for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
    check_text_refused (spec, params, bad[i], &why);
    snprintf (text, sizeof (text), "'%s'", bad[i]);
    CHECK_CONTAINS (why.text, text);
    if (spec->type == STEREO_PARAM_BOOL) {
      CHECK_CONTAINS (why.text, "true or false");
    } else if (spec->type == STEREO_PARAM_ENUM) {
      for (int v = 0; v <= (int) spec->maximum; v++)
        CHECK_CONTAINS (why.text, spec->values[v].nick);
    } else {
      snprintf (text, sizeof (text), "from %.10g to %.10g", spec->minimum,
          spec->maximum);
      CHECK_CONTAINS (why.text, text);
    }
  }
  for (size_t i = 0; i < sizeof (outside) / sizeof (outside[0]); i++)
    check_text_refused (spec, params, outside[i], &why);

  endless = malloc (100001);
  REQUIRE (endless != NULL);
  memset (endless, 'y', 100000);
  endless[100000] = '\0';
  check_text_refused (spec, params, endless, &why);
  free (endless);

  if (spec->type == STEREO_PARAM_BOOL) {
    check_text (params, spec->name, "true", 1);
    check_text (params, spec->name, "false", 0);
    check_text (params, spec->name, "1", 1);
    check_text (params, spec->name, "0", 0);
  } else {
    check_text_refused (spec, params, "true", &why);
  }
}

TEST (test_text)
{
  for_all (visit_text);
}

static void
visit_words (const StereoAlgorithm * algorithm, const StereoParamSpec * spec,
    StereoParams * params)
{
  (void) algorithm;
  if (spec->type != STEREO_PARAM_ENUM)
    return;
  CHECK_DOUBLE (spec->minimum, ==, 0);
  for (int i = 0; i <= (int) spec->maximum; i++) {
    const StereoEnumValue *value = &spec->values[i];

    CHECK_INT (strlen (value->nick), >, 0);
    CHECK_INT (strlen (value->blurb), >, 0);
    CHECK (!isdigit (value->nick[0]));
    check_text (params, spec->name, value->nick, i);
    for (int k = 0; k < i; k++)
      CHECK (strcmp (spec->values[k].nick, value->nick) != 0);
  }
}

TEST (test_words)
{
  for_all (visit_words);
}

TEST (test_unknown)
{
  static const char *const names[] = {
    "", "no-such-thing", "num_disparities", "Num-Disparities",
    "num-disparities ", "num-disparitie"
  };
  const StereoAlgorithm *algorithm;
  StereoMessage why;
  double value = 7;

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    StereoParams *params = NULL;

    REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
      CHECK_INT (stereo_params_set (params, names[i], 1, &why), ==,
          STEREO_ERROR_ARGUMENT);
      CHECK_CONTAINS (why.text, stereo_algorithm_name (algorithm));
      CHECK_CONTAINS (why.text, names[i]);
      CHECK_INT (stereo_params_set_text (params, names[i], "1", &why), ==,
          STEREO_ERROR_ARGUMENT);
      CHECK_CONTAINS (why.text, stereo_algorithm_name (algorithm));
      CHECK_CONTAINS (why.text, names[i]);
      CHECK (!stereo_params_get (params, names[i], &value));
      CHECK_DOUBLE (value, ==, 7);
    }
    stereo_params_free (&params);
  }
}

TEST (test_null)
{
  const StereoAlgorithm *algorithm = stereo_algorithm_get (0);
  StereoParams *params = NULL, *none = NULL;
  StereoMessage why;
  double value;

  CHECK_INT (stereo_params_new (NULL, &params), ==, STEREO_ERROR_ARGUMENT);
  CHECK (params == NULL);
  CHECK_INT (stereo_params_new (algorithm, NULL), ==, STEREO_ERROR_ARGUMENT);
  REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
  CHECK_INT (stereo_params_set (NULL, "median", 1, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_params_set (params, NULL, 1, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (strlen (why.text), >, 0);
  CHECK_INT (stereo_params_set_text (NULL, "median", "1", &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_params_set_text (params, NULL, "1", &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_params_set_text (params, "median", NULL, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "median");
  CHECK (!stereo_params_get (NULL, "median", &value));
  CHECK (!stereo_params_get (params, NULL, &value));
  CHECK (!stereo_params_get (params, "median", NULL));
  CHECK_INT (stereo_params_copy (NULL, params), ==, STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_params_copy (params, NULL), ==, STEREO_ERROR_ARGUMENT);

  stereo_params_free (NULL);
  stereo_params_free (&none);
  stereo_params_free (&params);
  CHECK (params == NULL);
  stereo_params_free (&params);
}

TEST (test_copy)
{
  const StereoAlgorithm *algorithm;

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    const StereoAlgorithm *next = stereo_algorithm_get (a + 1);
    const StereoParamSpec *spec;
    StereoParams *source = NULL, *target = NULL, *other = NULL;

    REQUIRE (stereo_params_new (algorithm, &source) == STEREO_OK);
    REQUIRE (stereo_params_new (algorithm, &target) == STEREO_OK);
    for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++)
      CHECK_INT (stereo_params_set (source, spec->name, spec->maximum, NULL),
          ==, STEREO_OK);
    CHECK_INT (stereo_params_copy (target, source), ==, STEREO_OK);
    CHECK_INT (stereo_params_copy (target, target), ==, STEREO_OK);
    /* the copy does not depend on its source */
    for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++)
      CHECK_INT (stereo_params_set (source, spec->name, spec->minimum, NULL),
          ==, STEREO_OK);
    if (next != NULL) {
      REQUIRE (stereo_params_new (next, &other) == STEREO_OK);
      CHECK_INT (stereo_params_copy (target, other), ==,
          STEREO_ERROR_ARGUMENT);
      stereo_params_free (&other);
    }
    stereo_params_free (&source);
    for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++)
      CHECK_DOUBLE (get (target, spec->name), ==, spec->maximum);
    stereo_params_free (&target);
  }
}

/* The documented properties of common parameters. */
TEST (test_common)
{
  static const struct
  {
    const char *name;
    double minimum, maximum;
  } common[] = {
    {"num-disparities", 1, 16384}, {"min-disparity", -2048, 2048},
    {"disparity-scale", 1, 256}, {"invalid-value", 0, 65535}, {"median", 0, 1}
  };
  const StereoAlgorithm *algorithm;

  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    StereoParams *params = NULL;

    REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
    for (size_t i = 0; i < sizeof (common) / sizeof (common[0]); i++) {
      const StereoParamSpec *spec = stereo_algorithm_param (algorithm, i);

      CHECK_STRING (spec->name, common[i].name);
      CHECK_DOUBLE (spec->minimum, ==, common[i].minimum);
      CHECK_DOUBLE (spec->maximum, ==, common[i].maximum);
    }
    CHECK_DOUBLE (get (params, "disparity-scale"), ==, 16);
    CHECK_DOUBLE (get (params, "invalid-value"), ==, 0);
    CHECK_DOUBLE (get (params, "min-disparity"), ==, 0);
    stereo_params_free (&params);
  }
}

TEST_MAIN ()
