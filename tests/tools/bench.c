/* gst-stereomatching: tests of the parts of stereo-bench
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench.h"
#include "test.h"

#include <math.h>

TEST (test_statistics)
{
  double one[] = { 7 }, even[] = { 4, 1, 3, 10 }, many[200];
  BenchTimes times;

  bench_summarize (NULL, 0, &times);
  CHECK_INT (times.runs, ==, 0);
  CHECK (isnan (times.median) && isnan (times.min) && isnan (times.p95)
      && isnan (times.mean));

  bench_summarize (one, 1, &times);
  CHECK_INT (times.runs, ==, 1);
  CHECK_DOUBLE (times.median, ==, 7);
  CHECK_DOUBLE (times.min, ==, 7);
  CHECK_DOUBLE (times.p95, ==, 7);
  CHECK_DOUBLE (times.mean, ==, 7);

  bench_summarize (even, 4, &times);
  CHECK_DOUBLE (times.median, ==, 3.5);
  CHECK_DOUBLE (times.min, ==, 1);
  CHECK_DOUBLE (times.p95, ==, 10);
  CHECK_DOUBLE (times.mean, ==, 4.5);

  /* 1 to n in any order: the 95th percentile of 100 values is the 95th, of 101
   * the 96th */
  for (int n = 100; n <= 101; n++) {
    for (int i = 0; i < n; i++)
      many[i] = 1 + (i * 37) % n;
    bench_summarize (many, (size_t) n, &times);
    CHECK_DOUBLE (times.p95, ==, n == 100 ? 95 : 96);
    CHECK_DOUBLE (times.median, ==, n == 100 ? 50.5 : 51);
  }
}

TEST (test_figures)
{
  BenchCase c = { .width = 200, .height = 100, .disparities = 50,
    .format = STEREO_FORMAT_RGB
  };
  BenchRun run = { .copy = 1e9 };
  BenchResult result = { .traffic = 1e6 };
  CliSetup setup = { 0 };

  /* 1 million in 2 ms */
  CHECK_DOUBLE (bench_rate (&c, 2), ==, 500);
  CHECK (isnan (bench_rate (&c, NAN)));
  /* a megabyte takes 1 ms */
  CHECK_DOUBLE (bench_copy_fraction (&run, &result, 4), ==, 0.25);
  run.copy = NAN;
  CHECK (isnan (bench_copy_fraction (&run, &result, 4)));

  for (int i = 0; i < STEREO_N_FORMATS; i++) {
    static const double bytes[STEREO_N_FORMATS] = {
      1, 2, 3, 3, 4, 4, 4, 4, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2
    };

    c.format = (StereoFormat) i;
    CHECK_DOUBLE (bench_traffic (&c), ==, 20000 * (2 * bytes[i] + 2));
  }

  /* chroma is needed by an algorithm that uses colour */
  setup.algorithm = stereo_algorithm_find ("vcbw");
  REQUIRE (stereo_algorithm_uses_color (setup.algorithm));
  c.setup = &setup;
  c.width = 199;
  c.height = 99;
  for (int i = STEREO_FORMAT_NV12; i < STEREO_N_FORMATS; i++) {
    const char *name = stereo_format_name ((StereoFormat) i);
    bool packed = i >= STEREO_FORMAT_YUY2 && i <= STEREO_FORMAT_YVYU;
    bool all = strncmp (name, "Y444", 4) == 0;
    bool rows = all || strcmp (name, "Y42B") == 0 || strcmp (name, "NV16") == 0
        || strncmp (name, "I422", 4) == 0;
    double chroma = (all ? 199 : 100) * (rows ? 99 : 50);
    double bytes = strstr (name, "10LE") || packed ? 2 : 1;

    c.format = (StereoFormat) i;
    CHECK_DOUBLE (bench_traffic (&c), ==, 2 * bytes * (199 * 99
            + (packed ? 0 : 2 * chroma)) + 2 * 199 * 99);
  }
}

TEST (test_copy)
{
  for (unsigned threads = 1; threads <= 3; threads++) {
    StereoDevice *device = NULL;
    StereoMessage why = { "" };
    double rate = 0;

    REQUIRE (stereo_device_new_cpu (threads, STEREO_SIMD_AUTO, &device, &why)
        == STEREO_OK);
    CHECK (bench_copy (device, 1000003, &rate, &why));
    CHECK (isfinite (rate));
    CHECK_DOUBLE (rate, >, 0);
    CHECK_INT (bench_rotation (device), >=, 1 << 20);
    CHECK_INT (bench_rotation (device), <=, 1 << 28);
    stereo_device_unref (&device);
  }
}

TEST_MAIN ()
