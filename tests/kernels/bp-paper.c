/* gst-stereomatching: belief propagation as published
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bp-paper.h"

#include "test.h"

#include <math.h>

#define MAX_LEVELS 10

/* Data costs and messages of one level. */
typedef struct
{
  int w, h;
  float *data;
  float *from[4];               /* from below, above, right, left */
} Level;

static float *
zeros (size_t n)
{
  float *p = calloc (n, sizeof (float));

  REQUIRE (p != NULL);
  return p;
}

static int
inside (int x, int size)
{
  return x < 0 ? 0 : x >= size ? size - 1 : x;
}

static float *
smoothed (const PaperBp * p, const uint8_t * image)
{
  size_t pixels = (size_t) (p->width * p->height);
  float *source = zeros (pixels), *target = zeros (pixels);
  int reach = (int) ceil (p->smoothing * 4.0) + 1;

  for (size_t i = 0; i < pixels; i++)
    source[i] = image[i];
  for (int pass = 0; pass < 2 && p->smoothing >= 0.1; pass++) {
    for (int y = 0; y < p->height; y++) {
      for (int x = 0; x < p->width; x++) {
        double sum = 0, total = 0;

        for (int i = 1 - reach; i < reach; i++) {
          double weight = exp (-0.5 * i * i / (p->smoothing * p->smoothing));
          int xi = pass == 0 ? inside (x + i, p->width) : x;
          int yi = pass == 0 ? y : inside (y + i, p->height);

          sum += weight * source[yi * p->width + xi];
          total += weight;
        }
        target[y * p->width + x] = (float) (sum / total);
      }
    }
    memcpy (source, target, pixels * sizeof (float));
  }
  free (target);
  return source;
}

static void
data_costs (const PaperBp * p, const float *l, const float *r, float *data)
{
  for (int y = 0; y < p->height; y++) {
    for (int x = 0; x < p->width; x++) {
      for (int i = 0; i < p->n; i++) {
        int d = p->min + i, xl = x;
        double cost = 0;

        if (xl < d)
          xl = d;
        if (xl > p->width - 1 + d)
          xl = p->width - 1 + d;
        if (!p->authors_border || x >= p->n - 1)
          cost = p->data_weight * fmin (p->max_data_term,
              fabs (l[y * p->width + xl] - r[y * p->width + xl - d]));
        data[(y * p->width + x) * p->n + i] = (float) cost;
      }
    }
  }
}

/* The message for the sum of these inputs. */
static void
message (const PaperBp * p, const float *a, const float *b, const float *c,
    const float *data, float *target)
{
  float least = INFINITY, mean = 0;

  for (int v = 0; v < p->n; v++) {
    target[v] = a[v] + b[v] + c[v] + data[v];
    least = fminf (least, target[v]);
  }
  for (int v = 1; v < p->n; v++)
    target[v] = fminf (target[v], target[v - 1] + (float) p->disc_single_jump);
  for (int v = p->n - 2; v >= 0; v--)
    target[v] = fminf (target[v], target[v + 1] + (float) p->disc_single_jump);
  for (int v = 0; v < p->n; v++) {
    target[v] = fminf (target[v], least + (float) p->max_disc_term);
    mean += target[v];
  }
  for (int v = 0; v < p->n; v++)
    target[v] -= mean / (float) p->n;
}

/* Messages are stored at the receiver, as m_{p -> q} in the paper. */
static void
iterate (const PaperBp * p, Level * level, int t)
{
  size_t n = (size_t) p->n;

  for (int y = 1; y < level->h - 1; y++) {
    for (int x = 1 + (y + t) % 2; x < level->w - 1; x += 2) {
      size_t at = (size_t) (y * level->w + x) * n;
      size_t row = (size_t) level->w * n;
      const float *below = level->from[0] + at, *above = level->from[1] + at;
      const float *right = level->from[2] + at, *left = level->from[3] + at;
      const float *data = level->data + at;

      message (p, below, right, left, data, level->from[0] + at - row);
      message (p, above, right, left, data, level->from[1] + at + row);
      message (p, below, above, right, data, level->from[2] + at - n);
      message (p, below, above, left, data, level->from[3] + at + n);
    }
  }
}

/* A pixel's outgoing messages are those of its parent, which are stored at the
 * receiver. */
static void
inherit (const PaperBp * p, const Level * parent, Level * level)
{
  static const int step[4][2] = { {0, 1}, {0, -1}, {1, 0}, {-1, 0} };
  size_t bytes = (size_t) p->n * sizeof (float);

  for (int side = 0; side < 4; side++) {
    for (int y = 0; y < level->h; y++) {
      for (int x = 0; x < level->w; x++) {
        int xs = x + step[side][0], ys = y + step[side][1];
        int xp = xs / 2 - step[side][0], yp = ys / 2 - step[side][1];

        if (xs < 0 || ys < 0 || xs >= level->w || ys >= level->h)
          continue;
        /* a parent in the border sends no messages, so this stays 0 */
        if (xp < 0 || yp < 0 || xp >= parent->w || yp >= parent->h)
          continue;
        memcpy (level->from[side] + (size_t) ((y * level->w + x) * p->n),
            parent->from[side] + (size_t) ((yp * parent->w + xp) * p->n),
            bytes);
      }
    }
  }
}

void
paper_bp (const PaperBp * p, const uint8_t * left, const uint8_t * right,
    int *map, float **belief)
{
  Level level[MAX_LEVELS] = { {p->width, p->height} };
  float *l = smoothed (p, left), *r = smoothed (p, right);
  size_t n = (size_t) p->n;
  int levels = 1;

  while (levels < p->levels && level[levels - 1].w >= 5
      && level[levels - 1].h >= 5) {
    level[levels].w = (level[levels - 1].w + 1) / 2;
    level[levels].h = (level[levels - 1].h + 1) / 2;
    levels++;
  }
  for (int i = 0; i < levels; i++) {
    size_t volume = (size_t) (level[i].w * level[i].h) * n;

    level[i].data = zeros (volume);
    for (int side = 0; side < 4; side++)
      level[i].from[side] = zeros (volume);
  }
  data_costs (p, l, r, level[0].data);
  for (int i = 1; i < levels; i++) {
    Level *fine = &level[i - 1];

    for (int y = 0; y < fine->h; y++)
      for (int x = 0; x < fine->w; x++)
        for (size_t v = 0; v < n; v++)
          level[i].data[(size_t) (y / 2 * level[i].w + x / 2) * n + v] +=
              fine->data[(size_t) (y * fine->w + x) * n + v];
  }
  for (int i = levels - 1; i >= 0; i--) {
    if (i < levels - 1)
      inherit (p, &level[i + 1], &level[i]);
    for (int t = 0; t < p->iterations; t++)
      iterate (p, &level[i], t);
  }

  if (belief != NULL)
    *belief = zeros ((size_t) (p->width * p->height) * n);
  for (int y = 0; y < p->height; y++) {
    for (int x = 0; x < p->width; x++) {
      bool frame = x == 0 || y == 0 || x == p->width - 1 || y == p->height - 1;
      bool messages = p->width >= 3 && p->height >= 3;
      int xi = messages ? inside (x - 1, p->width - 2) + 1 : x;
      int yi = messages ? inside (y - 1, p->height - 2) + 1 : y;
      size_t at = (size_t) (yi * p->width + xi) * n;
      float least = INFINITY;
      int best = 0;

      for (size_t v = 0; v < n; v++) {
        float sum = level[0].data[at + v];

        for (int side = 0; side < 4 && messages; side++)
          sum += level[0].from[side][at + v];
        if (sum < least) {
          least = sum;
          best = (int) v;
        }
        if (belief != NULL)
          (*belief)[(size_t) (y * p->width + x) * n + v] = sum;
      }
      map[y * p->width + x] = frame && p->authors_border ? 0 : best;
    }
  }
  for (int i = 0; i < levels; i++) {
    free (level[i].data);
    for (int side = 0; side < 4; side++)
      free (level[i].from[side]);
  }
  free (l);
  free (r);
}
