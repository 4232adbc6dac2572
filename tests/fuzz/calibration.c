/* gst-stereomatching: fuzzing of calibration files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The input is one calibration file.  A valid one is used to rectify the
 * corners and the centre of an image; an invalid one must report a reason.
 */

#include "elements/rectify/gststereocalibration.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 672
#define HEIGHT 376

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  StereoCalibration calibration = {.unit = 1 };
  char *text = malloc (size + 1);
  StereoMessage why = { "" };

  if (text == NULL)
    return 0;
  memcpy (text, data, size);
  text[size] = '\0';
  if (!gst_stereo_calibration_add (&calibration, "file", text, size, 1, WIDTH,
          HEIGHT, &why)) {
    if (strncmp (why.text, "file", 4) != 0)
      abort ();
  } else {
    for (int i = 0; i < 12; i++) {
      const StereoRectifiedShape shape = {
        .projection = i < 9 ? STEREO_PROJECTION_PLANE
            : STEREO_PROJECTION_CYLINDER,
        .field_of_view = i < 6 ? 0 : 120,
        .alpha = i / 2 % 3 - 1,
      };
      StereoRectification r;
      double x, y;

      why.text[0] = '\0';
      if (stereo_rectification_init (&r, &calibration, i % 2, WIDTH, HEIGHT,
              &shape, &why) != STEREO_OK) {
        if (why.text[0] == '\0')
          abort ();
        continue;
      }
      for (int p = 0; p < 5; p++)
        (void) stereo_rectification_source (&r, p % 2 * WIDTH, p / 2 * HEIGHT
            / 2, &x, &y);
    }
  }
  free (text);
  return 0;
}
