/* gst-stereomatching: benchmark of an algorithm
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "harness.h"

#include <time.h>

/* Each run uses the next of several inputs, which together exceed any cache. */
#define N_INPUTS 16
#define MIN_SECONDS 1.0
#define MAX_RUNS 2000

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* Copies an image to device memory. */
static void
to_device (StereoDevice * device, const TestImage * image,
    StereoImage * target)
{
  *target = image->image;
  target->memory = STEREO_MEMORY_DEVICE;
  for (int p = 0; p < image->n_planes; p++) {
    size_t bytes = image->image.stride[p] * (size_t) plane_rows (image, p);

    REQUIRE (stereo_device_alloc (device, bytes, &target->plane[p],
            NULL) == STEREO_OK);
    REQUIRE (stereo_device_copy (device, target->plane[p],
            image->image.plane[p], bytes, NULL) == STEREO_OK);
  }
}

static void
free_planes (StereoDevice * device, StereoImage * image)
{
  for (int p = 0; p < 3; p++)
    stereo_device_free (device, &image->plane[p]);
}

static void
bench_device (StereoDevice * device, const char *algorithm,
    const StereoParams * params, int width, int height, StereoFormat format,
    double disparities)
{
  Random random = { 1 };
  StereoMatcherConfig config = {
    sizeof (StereoMatcherConfig),
    width, height, format, format, STEREO_FORMAT_GRAY16_LE
  };
  StereoImage left[N_INPUTS], right[N_INPUTS], map;
  TestImage host[2], output;
  StereoMatcher *matcher = NULL;
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  static double ms[MAX_RUNS];
  int n = 0;
  double begun;
  /* padded rows, as a decoder outputs them */
  size_t padding = (256 - (size_t) width * format_bytes (format) % 256) % 256;

  for (int i = 0; i < N_INPUTS; i++) {
    test_image_init (&host[0], format, width, height, padding);
    test_image_init (&host[1], format, width, height, padding);
    fill_pair (&host[0], &host[1], FILL_SHIFTED, &random);
    to_device (device, &host[0], &left[i]);
    to_device (device, &host[1], &right[i]);
    test_image_clear (&host[0]);
    test_image_clear (&host[1]);
  }
  test_image_init (&output, STEREO_FORMAT_GRAY16_LE, width, height, 0);
  to_device (device, &output, &map);

  REQUIRE (stereo_matcher_new (stereo_algorithm_find (algorithm), device,
          &matcher) == STEREO_OK);
  if (stereo_matcher_configure (matcher, &config, params) != STEREO_OK) {
    fprintf (stderr, "%s\n", stereo_matcher_error (matcher));
    exit (1);
  }
  for (int i = 0; i < 3; i++) {
    REQUIRE (stereo_matcher_process (matcher, &left[i], &right[i], &map,
            NULL) == STEREO_OK);
    REQUIRE (stereo_matcher_sync (matcher) == STEREO_OK);
  }
  begun = now ();
  while (n < MAX_RUNS && (n < 5 || now () - begun < MIN_SECONDS)) {
    REQUIRE (stereo_matcher_process (matcher, &left[n % N_INPUTS],
            &right[n % N_INPUTS], &map, NULL) == STEREO_OK);
    REQUIRE (stereo_matcher_sync (matcher) == STEREO_OK);
    REQUIRE (stereo_matcher_get_stats (matcher, &stats, NULL) == STEREO_OK);
    ms[n++] = (double) stats.last_ns * 1e-6;
  }
  qsort (ms, (size_t) n, sizeof (ms[0]), compare);
  printf ("%-28s %4dx%-4d x%-3g %-5s  median %8.4f ms  min %8.4f  p95 %8.4f"
      "  %9.0f Mde/s  device %.1f MiB, host %.1f MiB\n",
      stereo_device_name (device), width, height, disparities,
      stereo_format_name (format), ms[n / 2], ms[0], ms[n * 95 / 100],
      width * (double) height * disparities / ms[n / 2] / 1e3,
      (double) stats.device_bytes / 1048576,
      (double) stats.host_bytes / 1048576);

  stereo_matcher_free (&matcher);
  for (int i = 0; i < N_INPUTS; i++) {
    free_planes (device, &left[i]);
    free_planes (device, &right[i]);
  }
  free_planes (device, &map);
  test_image_clear (&output);
}

int
bench (const char *algorithm, int argc, char **argv)
{
  SCOPED_PARAMS *params = params_new (algorithm, NULL);
  StereoMessage why;
  int width = 450, height = 375;
  StereoFormat format = STEREO_FORMAT_GRAY8;
  bool cpu = true;
  double disparities;

  for (int i = 0; i < argc; i++) {
    char *equals = strchr (argv[i], '=');

    if (equals != NULL) {
      *equals = '\0';
      if (stereo_params_set_text (params, argv[i], equals + 1,
              &why) != STEREO_OK) {
        fprintf (stderr, "%s\n", why.text);
        return 2;
      }
    } else if (strcmp (argv[i], "rgb") == 0) {
      format = STEREO_FORMAT_RGB;
    } else if (strcmp (argv[i], "nv12") == 0) {
      format = STEREO_FORMAT_NV12;
    } else if (strcmp (argv[i], "cuda") == 0) {
      cpu = false;
    } else if (sscanf (argv[i], "%dx%d", &width, &height) != 2) {
      fprintf (stderr, "%s: neither PROPERTY=VALUE nor WIDTHxHEIGHT nor rgb "
          "nor nv12 nor cuda\n", argv[i]);
      return 2;
    }
  }
  REQUIRE (stereo_params_get (params, "num-disparities", &disparities));

  for (int simd = STEREO_SIMD_GENERIC; cpu && simd <= STEREO_SIMD_AVX512;
      simd++) {
    StereoDevice *device = NULL;

    if (stereo_device_new_cpu (0, (StereoSimd) simd, &device,
            NULL) != STEREO_OK)
      continue;
    bench_device (device, algorithm, params, width, height, format,
        disparities);
    stereo_device_unref (&device);
  }
  {
    StereoDevice *device = NULL;

    if (stereo_device_new_cuda (-1, &device, &why) == STEREO_OK)
      bench_device (device, algorithm, params, width, height, format,
          disparities);
    else
      printf ("no CUDA: %s\n", why.text);
    stereo_device_unref (&device);
  }
  return 0;
}
