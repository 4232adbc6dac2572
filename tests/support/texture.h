/* gst-stereomatching: a texture without repetition, at any position
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TEXTURE_H
#define TEXTURE_H

#include <math.h>
#include <stdint.h>

/* A random number from 0 to 1 for each node of a lattice. */
static inline double
texture_node (int x, int y, int octave)
{
  uint32_t h = (uint32_t) x * 0x9e3779b1u ^ (uint32_t) y * 0x85ebca77u
      ^ (uint32_t) octave * 0xc2b2ae3du;

  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (double) (h ^ h >> 15) / 4294967295.0;
}

/* The lattice, smoothly interpolated between nodes `step` pixels apart. */
static inline double
texture_octave (double x, double y, double step, int octave)
{
  const double u = floor (x / step), v = floor (y / step);
  const double fx = x / step - u, fy = y / step - v;
  const double wx = fx * fx * (3 - 2 * fx), wy = fy * fy * (3 - 2 * fy);
  const int i = (int) u, j = (int) v;
  const double top = texture_node (i, j, octave) * (1 - wx)
      + texture_node (i + 1, j, octave) * wx;
  const double bottom = texture_node (i, j + 1, octave) * (1 - wx)
      + texture_node (i + 1, j + 1, octave) * wx;

  return top * (1 - wy) + bottom * wy;
}

/* 8-bit grey, without detail below 3 pixels. */
static inline uint8_t
texture_grey (double x, double y)
{
  return (uint8_t) (20 + 90 * texture_octave (x, y, 6.3, 1)
      + 70 * texture_octave (x, y, 17.7, 2)
      + 60 * texture_octave (x, y, 41.1, 3) + 0.5);
}

#endif /* TEXTURE_H */
