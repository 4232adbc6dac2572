/* gst-stereomatching: corrections as calibration files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "geometry/align-private.h"

#include <stdarg.h>
#include <stdio.h>

/* A file that grows. */
typedef struct
{
  char *text;
  size_t length;
} File;

static void append (File * file, const char *format, ...) STEREO_PRINTF (2, 3);

static void
append (File * file, const char *format, ...)
{
  const size_t room = STEREO_CORRECTION_FILE_SIZE - file->length;
  va_list arguments;
  int n;

  va_start (arguments, format);
  n = vsnprintf (file->text + file->length, room, format, arguments);
  va_end (arguments);
  if (n > 0)
    file->length += (size_t) n < room ? (size_t) n : room - 1;
}

static void
append_matrix (File * file, const char *name, int view, int rows, int columns,
    const double *values)
{
  append (file, "%s%d: !!opencv-matrix\n   rows: %d\n   cols: %d\n   dt: d\n"
      "   data: [", name, view + 1, rows, columns);
  for (int i = 0; i < rows * columns; i++) {
    char number[32];

    stereo_correction_print (values[i], number);
    append (file, "%s%s", i == 0 ? " " : i % 4 == 0 ? ",\n      " : ", ",
        number);
  }
  append (file, " ]\n");
}

/*
 * OpenCV distorts an ideal point, where the correction undoes the distortion of
 * a pixel: the ratio of radii is the t with t (1 + k t^2) = 1.  The quotient of
 * polynomials below has the same first seven terms of the power series in k
 * (Pade approximant).  The distortion is around the centre of the image, not
 * the principal point; p1 accounts for that.
 */
static void
make_coefficients (double k, double offset, double d[8])
{
  d[0] = 113.0 / 13 * k;        /* k1 k2 p1 p2 k3 k4 k5 k6 */
  d[1] = 243.0 / 13 * k * k;
  d[2] = -k * offset;
  d[3] = 0;
  d[4] = 85.0 / 13 * k * k * k;
  d[5] = 126.0 / 13 * k;
  d[6] = 330.0 / 13 * k * k;
  d[7] = 193.0 / 13 * k * k * k;
}

static void
append_view (File * file, const StereoAlignModel * m, int view)
{
  const StereoAlignCamera *c = &m->camera[view];
  const double ratio = c->focal / m->f;
  const double camera[9] = { c->focal, 0, m->cx, 0, c->focal,
    m->cy + c->offset, 0, 0, 1
  };
  const double projection[12] = { m->f, 0, m->cx + c->shift_x, 0, 0, m->f,
    m->cy + c->shift_y, 0, 0, 0, 1, 0
  };
  double coefficients[8];

  make_coefficients (c->k * ratio * ratio, c->offset / c->focal,
      coefficients);
  append_matrix (file, "M", view, 3, 3, camera);
  append_matrix (file, "D", view, 1, 8, coefficients);
  append_matrix (file, "R", view, 3, 3, c->rotation);
  append_matrix (file, "P", view, 3, 4, projection);
}

void
stereo_correction_format_opencv (const StereoCorrection * correction,
    char text[STEREO_CORRECTION_FILE_SIZE])
{
  File file = { text, 0 };
  StereoAlignModel model;

  if (text == NULL)
    return;
  text[0] = '\0';
  if (correction == NULL
      || stereo_correction_check (correction, NULL) != STEREO_OK)
    return;
  stereo_correction_model (correction, &model);
  append (&file, "%%YAML:1.0\n---\nimage_width: %d\nimage_height: %d\n",
      correction->width, correction->height);
  append_view (&file, &model, STEREO_LEFT);
  append_view (&file, &model, STEREO_RIGHT);
}
