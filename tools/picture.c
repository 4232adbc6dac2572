/* gst-stereomatching: images of maps and errors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "picture.h"

#include <math.h>
#include <string.h>

typedef uint8_t Color[3];

/* Evenly spaced, with linear interpolation. */
static const Color scale[] = {
  {40, 20, 90}, {50, 70, 210}, {30, 150, 230}, {40, 200, 160}, {120, 220, 70},
  {220, 210, 50}, {250, 150, 40}, {220, 70, 30}, {130, 15, 20}
};

#define N_STEPS (sizeof (scale) / sizeof (scale[0]) - 1)

/* part: 0 = a, 1 = b. */
static void
mix (const Color a, const Color b, double part, uint8_t * rgb)
{
  for (int c = 0; c < 3; c++)
    rgb[c] = (uint8_t) lround (a[c] + part * (b[c] - a[c]));
}

void
picture_colors (const float *map, size_t n, double minimum, double maximum,
    uint8_t * rgb)
{
  double range = maximum > minimum ? maximum - minimum : 1;

  for (size_t i = 0; i < n; i++) {
    double at;
    size_t step;

    if (!isfinite (map[i])) {
      memset (rgb + 3 * i, 0, 3);
      continue;
    }
    at = (map[i] - minimum) / range;
    at = (at < 0 ? 0 : at > 1 ? 1 : at) * N_STEPS;
    step = at < N_STEPS ? (size_t) at : N_STEPS - 1;
    mix (scale[step], scale[step + 1], at - (double) step, rgb + 3 * i);
  }
}

static double
luma (const Image * image, size_t i)
{
  const uint8_t *p = (const uint8_t *) image->data
      + i * (size_t) image->channels;

  return image->channels == 1 ? p[0] : (p[0] + 2 * p[1] + p[2]) / 4.0;
}

void
picture_errors (const float *map, const Scene * scene, uint8_t * rgb)
{
  static const Color pale_red = { 255, 190, 180 }, red = { 190, 0, 0 };
  static const Color pale_blue = { 185, 205, 255 }, blue = { 0, 20, 170 };
  static const Color dark_blue = { 60, 75, 120 }, light_blue =
      { 130, 150, 200 };
  size_t n = (size_t) scene->width * (size_t) scene->height;
  const uint8_t *all = scene->region[SCENE_ALL];
  const uint8_t *nonocc = scene->region[SCENE_NONOCC];

  for (size_t i = 0; i < n; i++) {
    bool occluded = nonocc != NULL && nonocc[i] == 0;
    double grey = scene->has_views ? luma (&scene->left, i) / 255 : 0.5;
    double error = INFINITY;

    if (all[i] == 0 || !isfinite (scene->truth[i])) {
      memset (rgb + 3 * i, 0, 3);
      continue;
    }
    if (isfinite (map[i]))
      error = fabs ((double) map[i] - (double) scene->truth[i]);
    if (error > 1) {
      double severity = error < 16 ? log2 (error) / 4 : 1;

      mix (occluded ? pale_blue : pale_red, occluded ? blue : red, severity,
          rgb + 3 * i);
    } else if (occluded) {
      mix (dark_blue, light_blue, grey, rgb + 3 * i);
    } else {
      memset (rgb + 3 * i, (int) lround (70 + 120 * grey), 3);
    }
  }
}

void
picture_codes (const float *map, size_t n, uint16_t * codes)
{
  for (size_t i = 0; i < n; i++) {
    const double code = round (256 * (double) map[i]);

    /* also false for NAN */
    if (code >= 0 && code <= 65535)
      codes[i] = code < 1 ? 1 : (uint16_t) code;
    else
      codes[i] = 0;
  }
}
