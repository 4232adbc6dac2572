/* gst-stereomatching: tests of the alignment of a video
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "camerarig.h"
#include "test.h"

#define N_MATCHES 250
#define MAX_DELAY 30

static const CameraRig still = {
  .width = 1280,.height = 720,.focal_length = 1200,.zoom = {1, 1},
  .turn = {{0, 0, -0.004}, {0.002, 0, 0.004}}
};

/* A matcher that sees corrected views through a queue of `delay` pairs. */
typedef struct
{
  StereoAlignment *alignment;
  CameraScene scene;
  int delay;
  int n;
  StereoCorrection sent[MAX_DELAY + 1]; /* at pair i, at i % (delay + 1) */
  StereoCorrection applied;     /* to the last pair */
} Loop;

static void
loop_open (Loop * loop, int delay)
{
  const Loop initial = {
    .scene = {.n = N_MATCHES,.noise = 0.08,.outliers = 0.1,.min_disparity = 5,
          .max_disparity = 70,.seed = 5},
    .delay = delay
  };

  *loop = initial;
  REQUIRE (stereo_alignment_new (&loop->alignment, NULL) == STEREO_OK);
}

static void
loop_close (Loop * loop)
{
  stereo_alignment_free (&loop->alignment);
}

/* Measures a pair of the rig, 0.1 s after the previous one.  The views of this
 * pair have the correction that was sent `delay` pairs ago. */
static void
loop_step (Loop * loop, const CameraRig * rig)
{
  StereoRowMatch matches[N_MATCHES];
  StereoCorrection *slot = &loop->sent[loop->n % (loop->delay + 1)];

  loop->applied = *slot;
  rig_match (rig, slot->serial > 0 ? slot : NULL, &loop->scene, matches);
  REQUIRE (stereo_alignment_add (loop->alignment, rig->width, rig->height,
          matches, N_MATCHES, slot->serial > 0 ? slot : NULL, 0.1 * loop->n,
          NULL) == STEREO_OK);
  stereo_alignment_get_correction (loop->alignment, slot);
  loop->n++;
}

/* What is left after the correction that is sent now. */
static double
loop_rows (const Loop * loop, const CameraRig * rig)
{
  StereoCorrection correction;

  stereo_alignment_get_correction (loop->alignment, &correction);
  return rig_rows_95 (rig, &correction, 5, 70);
}

static unsigned
loop_serial (const Loop * loop)
{
  StereoCorrection correction;

  stereo_alignment_get_correction (loop->alignment, &correction);
  return correction.serial;
}

TEST (test_a_still_rig_is_corrected_once)
{
  Loop loop;
  unsigned first;

  loop_open (&loop, 0);
  loop_step (&loop, &still);
  CHECK_DOUBLE (loop_rows (&loop, &still), <, 0.15);
  first = loop_serial (&loop);
  CHECK_INT (first, ==, 1);
  for (int i = 0; i < 60; i++)
    loop_step (&loop, &still);
  /* a correction moves by 0.15 pixels or not at all */
  CHECK_INT (loop_serial (&loop), <=, 3);
  CHECK_DOUBLE (loop_rows (&loop, &still), <, 0.15);
  loop_close (&loop);
}

/* The first number of pairs after which rows are below a pixel. */
static int
count_pairs_until_corrected (Loop * loop, const CameraRig * rig)
{
  for (int i = 1; i <= 100; i++) {
    loop_step (loop, rig);
    if (loop_rows (loop, rig) < 1)
      return i;
  }
  return 100;
}

TEST (test_sudden_motion_is_corrected_after_three_pairs)
{
  static const int delays[] = { 0, 3, 8, 30 };

  for (size_t i = 0; i < sizeof (delays) / sizeof (delays[0]); i++) {
    CameraRig moved = still;
    Loop loop;

    moved.turn[1][0] += RADIANS (0.3);
    moved.turn[1][2] += RADIANS (1);
    loop_open (&loop, delays[i]);
    for (int k = 0; k < 45; k++)
      loop_step (&loop, &still);
    CHECK (!stereo_alignment_is_urgent (loop.alignment));
    loop_step (&loop, &moved);
    CHECK (stereo_alignment_is_urgent (loop.alignment));
    CHECK_INT (1 + count_pairs_until_corrected (&loop, &moved), ==, 3);
    CHECK_DOUBLE (loop_rows (&loop, &moved), <, 0.3);
    loop_close (&loop);
  }
}

TEST (test_a_single_bad_pair_changes_nothing)
{
  CameraRig other = still;
  unsigned serial;
  Loop loop;

  other.turn[1][0] += RADIANS (0.5);
  loop_open (&loop, 0);
  for (int k = 0; k < 20; k++)
    loop_step (&loop, &still);
  serial = loop_serial (&loop);
  loop_step (&loop, &other);
  loop_step (&loop, &other);
  CHECK_INT (loop_serial (&loop), ==, serial);
  loop_step (&loop, &still);
  CHECK (!stereo_alignment_is_urgent (loop.alignment));
  CHECK_INT (loop_serial (&loop), ==, serial);
  loop_close (&loop);
}

/* A roll of 0.05 degrees and 0.3 rows per second. */
static CameraRig
drifted (int pair)
{
  CameraRig rig = still;

  rig.turn[1][2] += RADIANS (0.005) * pair;
  rig.turn[1][0] += 0.03 / rig.focal_length * pair;
  return rig;
}

TEST (test_drift_is_followed)
{
  static const int delays[] = { 0, 8, 30 };

  for (size_t i = 0; i < sizeof (delays) / sizeof (delays[0]); i++) {
    double worst = 0;
    Loop loop;

    loop_open (&loop, delays[i]);
    for (int pair = 0; pair < 100; pair++) {
      const CameraRig rig = drifted (pair);

      loop_step (&loop, &rig);
      worst = fmax (worst, pair < 10 ? 0 : loop_rows (&loop, &rig));
    }
    CHECK_DOUBLE (worst, <, 0.9);
    loop_close (&loop);
  }
}

/* Without drift, corrections do not swing, whatever the delay. */
TEST (test_no_delay_makes_it_swing)
{
  for (int delay = 0; delay <= MAX_DELAY; delay += 6) {
    unsigned serial;
    Loop loop;

    loop_open (&loop, delay);
    for (int pair = 0; pair < 60; pair++)
      loop_step (&loop, &still);
    serial = loop_serial (&loop);
    for (int pair = 0; pair < 80; pair++) {
      loop_step (&loop, &still);
      CHECK_DOUBLE (loop_rows (&loop, &still), <, 0.2);
    }
    CHECK_INT (loop_serial (&loop) - serial, <=, 1);
    loop_close (&loop);
  }
}

/* The report is about what the matcher sees: it is fine once the corrected
 * views arrive. */
TEST (test_the_report_is_that_of_corrected_views)
{
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
  Loop loop;

  loop_open (&loop, 5);
  for (int pair = 0; pair < 12; pair++) {
    loop_step (&loop, &still);
    stereo_alignment_get_report (loop.alignment, &report);
    CHECK_STRING (stereo_alignment_status_name (report.status),
        pair < 6 ? "off" : "ok");
    CHECK_INT (report.serial, ==, loop.applied.serial);
  }
  CHECK_DOUBLE (report.rows_95, <, 0.3);
  CHECK_DOUBLE (fabs (report.roll), <, 0.03);
  loop_close (&loop);
}

TEST (test_a_new_size_and_a_reset_start_anew)
{
  CameraRig small = still;
  StereoCorrection correction;
  unsigned serial;
  Loop loop;

  small.width = 640;
  small.height = 360;
  small.focal_length = 600;
  loop_open (&loop, 0);
  loop_step (&loop, &still);
  loop.sent[0].serial = 0;
  loop_step (&loop, &small);
  stereo_alignment_get_correction (loop.alignment, &correction);
  CHECK_INT (correction.width, ==, 640);
  CHECK_DOUBLE (rig_rows_95 (&small, &correction, 5, 70), <, 0.15);
  serial = correction.serial;
  stereo_alignment_reset (loop.alignment);
  stereo_alignment_get_correction (loop.alignment, &correction);
  CHECK_INT (correction.serial, ==, serial + 1);
  for (int i = 0; i < STEREO_N_CORRECTIONS; i++)
    CHECK (correction.values[i] == 0);
  CHECK (stereo_alignment_is_urgent (loop.alignment));
  loop_close (&loop);
}

/* The largest change of a row between two corrections. */
static double
find_change (const CameraRig * rig, const StereoCorrection * a,
    const StereoCorrection * b)
{
  double largest = 0;

  for (int i = 0; i < 63; i++) {
    const double x = (rig->width - 1) * (i % 9) / 8.0;
    const double y = (rig->height - 1) * (i / 9) / 6.0;
    double rows[2] = { 0, 0 };

    for (int view = 0; view < 2; view++) {
      double unused, one, two;

      stereo_correction_source (a, view == 1, x, y, &unused, &one);
      stereo_correction_source (b, view == 1, x, y, &unused, &two);
      rows[view] = two - one;
    }
    largest = fmax (largest, fabs (rows[1] - rows[0]));
  }
  return largest;
}

/* A small motion is followed by small steps, which end. */
TEST (test_changes_are_gradual)
{
  static const int delays[] = { 0, 4, 30 };

  for (size_t i = 0; i < sizeof (delays) / sizeof (delays[0]); i++) {
    CameraRig moved = still;
    StereoCorrection before, after;
    double worst = 0, sum = 0;
    unsigned serial = 0;
    Loop loop;

    moved.turn[1][0] += 0.35 / moved.focal_length;
    loop_open (&loop, delays[i]);
    for (int pair = 0; pair < 30; pair++)
      loop_step (&loop, &still);
    for (int pair = 0; pair < 160; pair++) {
      double change;

      stereo_alignment_get_correction (loop.alignment, &before);
      loop_step (&loop, &moved);
      stereo_alignment_get_correction (loop.alignment, &after);
      change = find_change (&moved, &before, &after);
      worst = fmax (worst, change);
      sum += change * change;
      if (pair == 120)
        serial = after.serial;
    }
    CHECK_DOUBLE (worst, >, 0.02);
    CHECK_DOUBLE (worst, <, 0.16);
    CHECK_DOUBLE (sqrt (sum / 160), <, 0.02);
    CHECK_INT (loop_serial (&loop) - serial, <=, 1);
    CHECK_DOUBLE (loop_rows (&loop, &moved), <, 0.2);
    loop_close (&loop);
  }
}

/* A saved correction applies at once and is refined. */
TEST (test_a_saved_correction_is_continued)
{
  StereoCorrection saved, correction;
  Loop first, second;

  loop_open (&first, 0);
  for (int pair = 0; pair < 20; pair++)
    loop_step (&first, &still);
  stereo_alignment_get_correction (first.alignment, &saved);
  loop_open (&second, 0);
  CHECK (stereo_alignment_set_correction (second.alignment, &saved, NULL)
      == STEREO_OK);
  stereo_alignment_get_correction (second.alignment, &correction);
  CHECK (memcmp (saved.values, correction.values, sizeof (saved.values)) == 0);
  CHECK_INT (correction.serial, >, 0);
  for (int pair = 0; pair < 20; pair++) {
    loop_step (&second, &still);
    CHECK_DOUBLE (loop_rows (&second, &still), <, 0.25);
  }
  CHECK_INT (loop_serial (&second), <=, 2);
  loop_close (&first);
  loop_close (&second);
}

/* A correction that is not needed is withdrawn, even if it changes rows by less
 * than a correction moves otherwise. */
TEST (test_a_small_correction_is_withdrawn)
{
  static const CameraRig ideal = {
    .width = 1280,.height = 720,.focal_length = 1200,.zoom = {1, 1}
  };
  static const double none[STEREO_N_CORRECTIONS] = { 0 };
  StereoCorrection correction = {
    .serial = 1,.width = 1280,.height = 720,.focal_length = 1200,
    .values = {[STEREO_CORRECTION_PITCH] = 0.1 / 1200}
  };
  Loop loop;

  loop_open (&loop, 0);
  CHECK (stereo_alignment_set_correction (loop.alignment, &correction, NULL)
      == STEREO_OK);
  for (int pair = 0; pair < 10; pair++)
    loop_step (&loop, &ideal);
  stereo_alignment_get_correction (loop.alignment, &correction);
  CHECK (memcmp (correction.values, none, sizeof (none)) == 0);
  loop_close (&loop);
}

TEST_MAIN ()
