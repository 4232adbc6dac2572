/* gst-stereomatching: tests of summaries and rankings of stereo-eval
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "eval.h"
#include "test.h"

#include <math.h>

#define N_SCENES 4

static EvalResult results[2][N_SCENES];
static EvalRun runs[2];
static EvalReport report;

/* Two runs on the scenes of Middlebury v2.  In run r, scene s and region g
 * every measure is 100 r + 10 s + g, and the time is 1 + r ms. */
static void
prepare (void)
{
  static const char *const names[] = { "tsukuba", "venus", "teddy", "cones" };

  memset (&report, 0, sizeof (report));
  memset (results, 0, sizeof (results));
  report.run = runs;
  report.n_runs = 2;
  report.n_scenes = N_SCENES;
  report.rank = 1;
  for (int r = 0; r < 2; r++) {
    runs[r].setup = NULL;
    runs[r].label = r == 0 ? "first" : "second";
    runs[r].result = results[r];
    for (int s = 0; s < N_SCENES; s++) {
      EvalResult *result = &results[r][s];

      result->scene = names[s];
      result->official = true;
      result->milliseconds = 1 + r;
      for (int g = 0; g < SCENE_N_REGIONS; g++) {
        Measure *m = &result->measure[g];

        result->has[g] = true;
        m->pixels = 10;
        m->d1 = m->mean = m->rms = m->density = 100 * r + 10 * s + g;
        for (int t = 0; t < MEASURE_N_BAD; t++)
          m->bad[t] = m->d1;
      }
    }
  }
}

TEST (test_average)
{
  prepare ();
  CHECK_DOUBLE (eval_average (&report, &runs[0], 1, SCENE_N_REGIONS), ==, 16);
  CHECK_DOUBLE (eval_average (&report, &runs[1], 1, SCENE_DISC), ==, 117);
  CHECK_DOUBLE (eval_average (&report, &runs[1], EVAL_RANK_TIME, 0), ==, 8);
  results[0][3].error = results[0][2].error = (char *) "failed";
  CHECK_DOUBLE (eval_average (&report, &runs[0], 1, SCENE_N_REGIONS), ==, 6);
  results[0][1].has[0] = false;
  CHECK_DOUBLE (eval_average (&report, &runs[0], 1, SCENE_N_REGIONS), ==,
      (0 + 1 + 2 + 11 + 12) / 5.0);
  results[0][1].measure[1].pixels = 0;
  results[0][1].measure[1].bad[1] = NAN;
  CHECK_DOUBLE (eval_average (&report, &runs[0], 1, SCENE_N_REGIONS), ==,
      (0 + 1 + 2 + 12) / 4.0);
  results[0][0].error = results[0][1].error = (char *) "failed";
  CHECK (isnan (eval_average (&report, &runs[0], 1, SCENE_N_REGIONS)));
}

TEST (test_v2)
{
  prepare ();
  CHECK (eval_is_v2 (&report, &runs[0]));
  results[0][1].official = false;
  CHECK (!eval_is_v2 (&report, &runs[0]));
  CHECK (eval_is_v2 (&report, &runs[1]));
  results[1][1].has[SCENE_DISC] = false;
  CHECK (!eval_is_v2 (&report, &runs[1]));
  prepare ();
  results[1][1].measure[SCENE_DISC].pixels = 0;
  CHECK (!eval_is_v2 (&report, &runs[1]));

  prepare ();
  results[0][1].scene = "tsukuba";
  CHECK (!eval_is_v2 (&report, &runs[0]));
  prepare ();
  results[0][1].error = (char *) "failed";
  CHECK (!eval_is_v2 (&report, &runs[0]));
  prepare ();
  report.n_scenes = 3;
  CHECK (!eval_is_v2 (&report, &runs[0]));
}

TEST (test_best)
{
  prepare ();
  for (size_t i = 0; measure_name (i) != NULL; i++) {
    CHECK (eval_rank_find (measure_name (i), &report.rank));
    /* for density alone, higher is better */
    CHECK_STRING (eval_best (&report)->label,
        strcmp (measure_name (i), "density") == 0 ? "second" : "first");
  }
  CHECK (eval_rank_find ("time", &report.rank));
  CHECK_STRING (eval_rank_name (report.rank), "time");
  CHECK_STRING (eval_best (&report)->label, "first");
  CHECK (!eval_rank_find ("beauty", &report.rank));

  /* a run with a failed scene is never the best */
  results[0][2].error = (char *) "failed";
  CHECK_STRING (eval_best (&report)->label, "second");
  results[1][0].error = (char *) "failed";
  CHECK (eval_best (&report) == NULL);
}

TEST_MAIN ()
