/* gst-stereomatching: matching with the library, without GStreamer
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   match-images LEFT.ppm RIGHT.ppm DISPARITY.pgm [PARAMETER=VALUE ...]
 *
 * Matches two binary PPM images (P6, 8 bits) on a CUDA device if there is one,
 * otherwise on the CPU, and writes the disparities as a grey image (P5, 8
 * bits). Parameters are those of the algorithm, such as num-disparities=60.
 */

#include "stereo-cuda.h"
#include "stereo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALGORITHM "vcbw"

static void
die (const char *what, const char *why)
{
  fprintf (stderr, "%s: %s\n", what, why);
  exit (1);
}

static void
check (StereoStatus status, const char *what, const char *why)
{
  if (status != STEREO_OK)
    die (what, why[0] != '\0' ? why : stereo_status_name (status));
}

/* Reads a number of the header, after comments; -1 on error. */
static int
read_number (FILE * file)
{
  char sign[2];
  int number, c;

  while (fscanf (file, " %1[#]", sign) == 1) {
    do
      c = getc (file);
    while (c != '\n' && c != EOF);
  }
  return fscanf (file, "%d", &number) == 1 ? number : -1;
}

/* Reads an image.  Its memory is freed when the program exits. */
static void
load_ppm (const char *path, StereoImage * image)
{
  FILE *file = fopen (path, "rb");
  int width = 0, height = 0;
  size_t size;

  if (file == NULL)
    die (path, "cannot be opened");
  if (getc (file) != 'P' || getc (file) != '6'
      || (width = read_number (file)) < 1 || width > STEREO_MAX_SIZE
      || (height = read_number (file)) < 1 || height > STEREO_MAX_SIZE
      || read_number (file) != 255 || getc (file) == EOF)
    die (path, "is not a binary PPM image with 8 bits");

  memset (image, 0, sizeof (*image));
  image->format = STEREO_FORMAT_RGB;
  image->width = width;
  image->height = height;
  image->memory = STEREO_MEMORY_HOST;
  image->stride[0] = 3 * (size_t) width;
  size = image->stride[0] * (size_t) height;
  image->plane[0] = malloc (size);
  if (image->plane[0] == NULL || fread (image->plane[0], 1, size,
          file) != size)
    die (path, "is too short");
  fclose (file);
}

static void
save_pgm (const char *path, const StereoImage * image)
{
  FILE *file = fopen (path, "wb");
  size_t size = image->stride[0] * (size_t) image->height;

  if (file == NULL || fprintf (file, "P5\n%d %d\n255\n", image->width,
          image->height) < 0
      || fwrite (image->plane[0], 1, size, file) != size || fclose (file) != 0)
    die (path, "cannot be written");
}

int
main (int argc, char **argv)
{
  const StereoAlgorithm *algorithm = stereo_algorithm_find (ALGORITHM);
  StereoDevice *device = NULL;
  StereoMatcher *matcher = NULL;
  StereoParams *params = NULL;
  StereoMessage why = { "" };
  StereoImage left, right, map;
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;

  if (argc < 4)
    die ("usage", "match-images LEFT.ppm RIGHT.ppm DISPARITY.pgm "
        "[PARAMETER=VALUE ...]");
  load_ppm (argv[1], &left);
  load_ppm (argv[2], &right);

  /* parameters */
  check (stereo_params_new (algorithm, &params), ALGORITHM, "");
  for (int i = 4; i < argc; i++) {
    char *equals = strchr (argv[i], '=');

    if (equals == NULL)
      die (argv[i], "is not of the form PARAMETER=VALUE");
    *equals = '\0';
    check (stereo_params_set_text (params, argv[i], equals + 1, &why),
        argv[i], why.text);
  }

  /* compute backend */
  if (stereo_device_new_cuda (-1, &device, &why) != STEREO_OK)
    check (stereo_device_new_cpu (0, STEREO_SIMD_AUTO, &device, &why), "CPU",
        why.text);
  check (stereo_matcher_new (algorithm, device, &matcher), ALGORITHM, "");

  /* once for each frame size */
  config.width = left.width;
  config.height = left.height;
  config.left = left.format;
  config.right = right.format;
  config.output = STEREO_FORMAT_GRAY8;
  check (stereo_matcher_configure (matcher, &config, params), "configure",
      stereo_matcher_error (matcher));

  /* for each frame */
  map = left;
  map.format = STEREO_FORMAT_GRAY8;
  map.stride[0] = (size_t) map.width;
  map.plane[0] = malloc (map.stride[0] * (size_t) map.height);
  if (map.plane[0] == NULL)
    die ("map", "out of memory");
  check (stereo_matcher_process (matcher, &left, &right, &map, NULL), "match",
      stereo_matcher_error (matcher));
  check (stereo_matcher_sync (matcher), "match",
      stereo_matcher_error (matcher));
  save_pgm (argv[3], &map);

  check (stereo_matcher_get_stats (matcher, &stats, &why), "stats", why.text);
  printf ("%s: %dx%d in %.3f ms\n", stereo_device_name (device), map.width,
      map.height, (double) stats.last_ns / 1e6);

  stereo_matcher_free (&matcher);
  stereo_params_free (&params);
  stereo_device_unref (&device);
  free (left.plane[0]);
  free (right.plane[0]);
  free (map.plane[0]);
  return 0;
}
