/* gst-stereomatching: rendering of scenes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Rows are independent.  For each row of a view the surfaces become a list of
 * segments from back to front.  Pixels that a segment covers in part are
 * blended; the disparity of a pixel is that of the surface at its centre.
 */

#include "elements/testsrc/gststereoscene-private.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- segments */

/* Adds a part of a surface, in coordinates of the left view. */
static void
add_segment (const GstStereoScene * scene, GstStereoRow * row, guint surface,
    gdouble from, gdouble to)
{
  const GstStereoSurface *s = &scene->surface[surface];
  GstStereoSegment *segment = &row->segment[row->n];

  if (!(from < to))
    return;
  from -= row->position * linear (s->d, from, row->y);
  to -= row->position * linear (s->d, to, row->y);
  if (to < row->x - 1 || from > row->x + row->width)
    return;
  g_assert (row->n < MAX_SEGMENTS);
  segment->surface = surface;
  segment->from = from;
  segment->to = to;
  row->n++;
}

static void
add_patch_row (const GstStereoScene * scene, GstStereoRow * row,
    const GstStereoPatch * patch)
{
  gdouble y = (row->y - patch->y) / patch->ry;
  gdouble x = patch->x + patch->shear * (row->y - patch->y), half = patch->rx;

  if (fabs (y) >= 1)
    return;
  switch (patch->shape) {
    case PATCH_ELLIPSE:
      half *= sqrt (1 - y * y);
      break;
    case PATCH_DIAMOND:
      half *= 1 - fabs (y);
      break;
    case PATCH_HEXAGON:
      half *= MIN (1, 1.5 - fabs (y));
      break;
    case PATCH_RECTANGLE:
      break;
  }
  add_segment (scene, row, patch->surface, x - half, x + half);
}

static void
add_ellipsoid_row (const GstStereoScene * scene, GstStereoRow * row,
    guint surface)
{
  const GstStereoSurface *e = &scene->surface[surface];
  gdouble y = (row->y - e->y0) / e->radius;
  gdouble k = row->position * e->depth / e->radius;
  gdouble center = e->x0 - row->position * e->d0, half;
  GstStereoSegment *segment = &row->segment[row->n];

  if (fabs (y) >= 1)
    return;
  half = e->radius * sqrt ((1 - y * y) * (1 + k * k));
  g_assert (row->n < MAX_SEGMENTS);
  segment->surface = surface;
  segment->from = center - half;
  segment->to = center + half;
  row->n++;
}

/* A wall above the horizon: houses of different heights. */
static void
add_houses (const GstStereoScene * scene, GstStereoRow * row, guint surface,
    gint side)
{
  const gdouble length = HOUSE_LENGTH;
  const gdouble nearest = 0.3, farthest = 1 / CORRIDOR_END;
  gint first = (gint) floor ((scene->distance + nearest) / length);
  gint last = (gint) floor ((scene->distance + farthest) / length);
  gdouble up = scene->vanish_y - row->y, x0 = scene->vanish_x;

  for (gint i = last; i >= first; i--) {
    gdouble from = MAX (i * length - scene->distance, nearest);
    gdouble to = MIN ((i + 1) * length - scene->distance, farthest);
    gdouble height = 0.3 + 0.5 * gst_stereo_random (scene->seed,
        20 + (guint) side, (guint) i % 64);
    /* distances from the vanishing point; a house overlaps the next one by a
     * pixel */
    gdouble inner = MAX (scene->half_width / to, up / height);
    gdouble outer = scene->half_width / from + 1;

    if (inner < outer)
      add_segment (scene, row, surface,
          side == 0 ? x0 - outer : x0 + inner,
          side == 0 ? x0 - inner : x0 + outer);
  }
}

static void
add_corridor_row (const GstStereoScene * scene, GstStereoRow * row)
{
  const guint road = 2, walls = 3;
  gdouble nearness = linear (scene->surface[road].w, 0, row->y);
  gdouble x0 = scene->vanish_x;
  gdouble inner = scene->half_width * MAX (nearness, CORRIDOR_END);

  if (nearness > CORRIDOR_END)
    add_segment (scene, row, road, -FAR_AWAY, FAR_AWAY);
  if (row->y < scene->vanish_y) {
    add_houses (scene, row, walls, 0);
    add_houses (scene, row, walls + 1, 1);
  } else {
    add_segment (scene, row, walls, -FAR_AWAY, x0 - inner);
    add_segment (scene, row, walls + 1, x0 + inner, FAR_AWAY);
  }
}

static void
add_edge (GstStereoScene * scene, guint * n, gint x, guint segment,
    gdouble coverage)
{
  GstStereoEdge *edge = &scene->edge[(*n)++];

  edge->x = x;
  edge->segment = segment;
  edge->coverage = coverage;
}

/* Finds the segments of a row, whose columns are set. */
static const GstStereoRow *
find_segments (GstStereoScene * scene, GstStereoRow * row, gdouble position,
    gint y)
{
  row->position = position;
  row->y = y;
  row->n = 0;
  for (guint i = 0; i < scene->n_patches; i++) {
    /* the road and the walls occlude the first two patches */
    if (scene->pattern == GST_STEREO_PATTERN_CORRIDOR && i == 2)
      add_corridor_row (scene, row);
    add_patch_row (scene, row, &scene->patch[i]);
  }
  if (scene->pattern == GST_STEREO_PATTERN_SPHERE) {
    for (guint i = 0; i < scene->n_surfaces; i++) {
      if (scene->surface[i].shape == SHAPE_ELLIPSOID)
        add_ellipsoid_row (scene, row, i);
    }
  }
  return row;
}

static void
shade_segment (const GstStereoScene * scene, const GstStereoRow * row,
    guint segment, gint y, gint x, gint n, guint16 * rgb)
{
  gst_stereo_surface_shade (&scene->surface[row->segment[segment].surface],
      row->position, y, x, n, rgb);
}

void
gst_stereo_scene_render_row (GstStereoScene * scene, gdouble position, gint y,
    gint x0, gint width, guint16 * rgb)
{
  const GstStereoRow *row;
  gint *visible;
  guint n_edges = 0;

  if (width > scene->n_visible) {
    scene->visible = g_renew (gint, scene->visible, width);
    scene->n_visible = width;
  }
  visible = scene->visible;
  scene->row[0].x = x0;
  scene->row[0].width = width;
  row = find_segments (scene, &scene->row[0], position, y);

  /* the first segment covers the whole row */
  memset (visible, 0, sizeof (*visible) * width);
  for (guint i = 1; i < row->n; i++) {
    /* here pixel x extends from x to x + 1, and the first one is 0 */
    gdouble from = MAX (row->segment[i].from - x0 + 0.5, 0);
    gdouble to = MIN (row->segment[i].to - x0 + 0.5, width);
    gint first, end;

    if (!(from < to))
      continue;
    first = (gint) ceil (from);
    end = (gint) floor (to);
    if (first > end) {
      add_edge (scene, &n_edges, end, i, to - from);
      continue;
    }
    if (from < first)
      add_edge (scene, &n_edges, first - 1, i, first - from);
    if (end < to)
      add_edge (scene, &n_edges, end, i, to - end);
    for (gint x = first; x < end; x++)
      visible[x] = (gint) i;
  }

  for (gint x = 0, end; x < width; x = end) {
    for (end = x + 1; end < width && visible[end] == visible[x]; end++);
    shade_segment (scene, row, visible[x], y, x0 + x, end - x, rgb + 3 * x);
  }

  for (guint i = 0; i < n_edges; i++) {
    const GstStereoEdge *edge = &scene->edge[i];
    guint16 *to = rgb + 3 * edge->x, color[3] = { 0, };
    guint32 part = (guint32) (256 * edge->coverage + 0.5);

    if ((gint) edge->segment < visible[edge->x])
      continue;                 /* occluded */
    shade_segment (scene, row, edge->segment, y, x0 + edge->x, 1, color);
    for (guint c = 0; c < 3; c++)
      to[c] = (guint16) ((to[c] * (256 - part) + color[c] * part) >> 8);
  }
}

/* Whether the point of a surface at x is visible in the right view. */
static gboolean
is_visible (const GstStereoScene * scene, const GstStereoRow * row,
    guint surface, gdouble x, gdouble d)
{
  const gdouble rounding = 1e-6;

  for (guint i = row->n; i > 0; i--) {
    const GstStereoSegment *s = &row->segment[i - 1];

    if (s->from <= x && x < s->to)
      return s->surface == surface
          && scene->surface[surface].shape != SHAPE_ELLIPSOID ? TRUE
          : gst_stereo_surface_disparity (&scene->surface[s->surface], 1, x,
          row->y) <= d + rounding;
  }
  return TRUE;
}

void
gst_stereo_scene_truth_row (GstStereoScene * scene, gint y, gdouble * disparity)
{
  gint width = scene->width, *visible = scene->visible;
  const GstStereoRow *left, *right;

  for (guint i = 0; i < 2; i++) {
    scene->row[i].x = 0;
    scene->row[i].width = width;
  }
  left = find_segments (scene, &scene->row[0], 0, y);
  right = find_segments (scene, &scene->row[1], 1, y);
  memset (visible, 0, sizeof (*visible) * width);
  for (guint i = 1; i < left->n; i++) {
    gdouble from = MAX (left->segment[i].from, 0);
    gdouble to = MIN (left->segment[i].to, width);

    for (gint x = (gint) ceil (from); x < to; x++)
      visible[x] = (gint) i;
  }

  for (gint x = 0; x < width; x++) {
    guint surface = left->segment[visible[x]].surface;
    gdouble d = gst_stereo_surface_disparity (&scene->surface[surface], 0, x,
        y);

    d = CLAMP (d, 0, scene->range);
    disparity[x] = x - d >= 0 && is_visible (scene, right, surface, x - d, d)
        ? d : -1;
  }
}
