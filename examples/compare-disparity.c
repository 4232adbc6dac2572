/* gst-stereomatching: error of disparity video against ground truth
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   compare-disparity WIDTH HEIGHT RESULT TRUTH
 *
 * Both files contain consecutive GRAY16_LE frames with 16 codes per pixel of
 * disparity and 0 for invalid pixels, as stereovcbw and stereotestsrc write
 * them by default.  Rows are padded to a multiple of 4 bytes, as in GStreamer.
 * Prints the percentage of bad pixels (invalid, or an error above one pixel) of
 * those with ground truth, and the mean error of the valid ones.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SCALE 16
#define MAX_SIZE 16384          /* pixels, of width and height */

/* Parses a size from 1 to MAX_SIZE; 0 on error. */
static int
parse_size (const char *text)
{
  char *end;
  long size = strtol (text, &end, 10);

  return *end == '\0' && size >= 1 && size <= MAX_SIZE ? (int) size : 0;
}

static FILE *
open_file (const char *path)
{
  FILE *file = fopen (path, "rb");

  if (file == NULL) {
    perror (path);
    exit (2);
  }
  return file;
}

int
main (int argc, char **argv)
{
  int width = argc == 5 ? parse_size (argv[1]) : 0;
  int height = argc == 5 ? parse_size (argv[2]) : 0;
  size_t stride = (size_t) (2 * width + 3) / 4 * 4;
  size_t size = stride * (size_t) height;
  uint8_t *result, *truth;
  FILE *result_file, *truth_file;
  long frames = 0, known = 0, valid = 0, bad = 0;
  double error = 0;

  if (width < 1 || height < 1) {
    fprintf (stderr, "usage: %s WIDTH HEIGHT RESULT TRUTH, with sizes from 1 "
        "to %d\n", argv[0], MAX_SIZE);
    return 2;
  }
  result = malloc (size);
  truth = malloc (size);
  if (result == NULL || truth == NULL) {
    fprintf (stderr, "out of memory\n");
    return 2;
  }

  result_file = open_file (argv[3]);
  truth_file = open_file (argv[4]);
  while (fread (result, 1, size, result_file) == size
      && fread (truth, 1, size, truth_file) == size) {
    frames++;
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        size_t p = (size_t) y * stride + 2 * (size_t) x;
        int code = result[p] | result[p + 1] << 8;
        int true_code = truth[p] | truth[p + 1] << 8;
        int off = abs (code - true_code);

        if (true_code == 0)
          continue;
        known++;
        bad += code == 0 || off > SCALE;
        if (code == 0)
          continue;
        valid++;
        error += (double) off / SCALE;
      }
    }
  }
  fclose (result_file);
  fclose (truth_file);
  free (result);
  free (truth);
  if (known == 0) {
    fprintf (stderr, "nothing to compare in %s and %s\n", argv[3],
        argv[4]);
    return 1;
  }
  printf ("%ld frames: %.2f %% bad pixels (error above one pixel) of those "
      "visible in both views,\nmean error is %.2f pixels\n", frames,
      100.0 * (double) bad / (double) known,
      valid > 0 ? error / (double) valid : 0);
  return 0;
}
