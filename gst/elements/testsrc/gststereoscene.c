/* gst-stereomatching: contents and motion of rendered scenes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/testsrc/gststereoscene-private.h"

#include <math.h>
#include <string.h>

/* Largest change of disparity along a row.  The right view then shows a surface
 * at no less than half its width, and a view at 1.5 baselines at no less than a
 * quarter. */
#define MAX_SLOPE 0.5

/* Speed in the corridor, in distances to the near end per frame. */
#define CORRIDOR_SPEED 0.02

/* ----------------------------------------------------------------- surfaces */

/* A smooth oscillation between -1 and 1, with the period in frames. */
static gdouble
oscillate (guint64 frame, guint period, gdouble phase)
{
  gdouble p = (gdouble) (frame % period) / period + phase;

  p -= floor (p);
  p = p < 0.5 ? 2 * p : 2 - 2 * p;
  return 2 * smoothstep (p) - 1;
}

/* Displacement in texels since frame 0, modulo the size of a texture. */
static gdouble
drift (guint64 frame, gdouble speed)
{
  return fmod (speed * frame, TEXTURE_SIZE);
}

static GstStereoSurface *
add_surface (GstStereoScene * scene, GstStereoShape shape, guint texture)
{
  GstStereoSurface *surface = &scene->surface[scene->n_surfaces++];

  g_assert (scene->n_surfaces <= MAX_SURFACES);
  memset (surface, 0, sizeof (*surface));
  surface->shape = shape;
  surface->texture = &scene->texture[texture];
  surface->light = 1;
  return surface;
}

/* Adds a surface of constant disparity with its texture at (x, y). */
static guint
add_flat (GstStereoScene * scene, guint texture, gdouble part, gdouble x,
    gdouble y)
{
  GstStereoSurface *surface = add_surface (scene, SHAPE_FLAT, texture);

  surface->d[0] = part * scene->range;
  surface->s_offset = -x;
  surface->t_offset = -y;
  return scene->n_surfaces - 1;
}

static void
add_patch (GstStereoScene * scene, GstStereoPatchShape shape, guint surface,
    gdouble x, gdouble y, gdouble rx, gdouble ry, gdouble shear)
{
  GstStereoPatch *patch = &scene->patch[scene->n_patches++];

  g_assert (scene->n_patches <= MAX_PATCHES);
  *patch = (GstStereoPatch) {
    shape, surface, x, y, rx, ry, shear};
}

static void
build_planes (GstStereoScene * scene, guint64 frame)
{
  static const struct
  {
    GstStereoPatchShape shape;
    guint texture;
    gdouble part, x, y, rx, ry;
  } patches[] = {
    {PATCH_RECTANGLE, 1, 0.24, 0.25, 0.30, 0.20, 0.17},
    {PATCH_ELLIPSE, 2, 0.38, 0.70, 0.32, 0.20, 0.22},
    {PATCH_RECTANGLE, 3, 0.51, 0.52, 0.74, 0.30, 0.13},
    {PATCH_HEXAGON, 4, 0.65, 0.20, 0.68, 0.15, 0.20},
    {PATCH_DIAMOND, 5, 0.79, 0.80, 0.62, 0.14, 0.22},
    {PATCH_ELLIPSE, 2, 0.92, 0.46, 0.46, 0.08, 0.11},
  };
  gint w = scene->width, h = scene->height;

  add_flat (scene, 0, 0.08, drift (frame, 0.4), 0);
  add_patch (scene, PATCH_RECTANGLE, 0, 0, 0, FAR_AWAY, FAR_AWAY, 0);
  for (guint i = 0; i < G_N_ELEMENTS (patches); i++) {
    gdouble x = w * (patches[i].x + 0.10 * oscillate (frame, 180 + 37 * i,
        0.3 * i));
    gdouble y = h * (patches[i].y + 0.07 * oscillate (frame, 230 - 23 * i,
        0.7 * i));
    gdouble part = patches[i].part + 0.03 * oscillate (frame, 150 + 29 * i,
        0.2 * i);
    guint surface = add_flat (scene, patches[i].texture, part, x, y);

    add_patch (scene, patches[i].shape, surface, x, y, w * patches[i].rx,
        h * patches[i].ry, 0);
  }
}

static void
build_slanted (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble span = 0.8 * scene->range;
  /* the share of the slope along x */
  gdouble part = MIN (0.45 + 0.1 * oscillate (frame, 300, 0),
      MAX_SLOPE * w / MAX (span, 1e-9));
  GstStereoSurface *p = add_surface (scene, SHAPE_PLANE, 0);

  /* from a tenth of the range at the upper left to nine at the lower right */
  p->w[1] = w > 1 ? 0.8 * part / (w - 1) : 0;
  p->w[2] = h > 1 ? 0.8 * (1 - part) / (h - 1) : 0;
  p->w[0] = 0.5 - p->w[1] * 0.5 * (w - 1) - p->w[2] * 0.5 * (h - 1);
  for (guint i = 0; i < 3; i++)
    p->d[i] = scene->range * p->w[i];
  p->s[1] = p->t[2] = 0.55;
  p->s[0] = -p->s[1] * 0.5 * w;
  p->t[0] = -p->t[2] * 0.5 * h;
  p->s_offset = drift (frame, 1.5);
  p->t_offset = drift (frame, 0.75);
  add_patch (scene, PATCH_RECTANGLE, 0, 0, 0, FAR_AWAY, FAR_AWAY, 0);
}

static void
add_ellipsoid (GstStereoScene * scene, guint texture, gdouble x, gdouble y,
    gdouble radius, gdouble part, gdouble depth, gdouble rotation)
{
  GstStereoSurface *e = add_surface (scene, SHAPE_ELLIPSOID, texture);
  gdouble turns;

  e->x0 = x;
  e->y0 = y;
  e->radius = radius;
  e->d0 = part * scene->range;
  e->depth = depth * scene->range;
  /* a whole number of textures around the axis */
  turns = MAX (1, floor (2 * G_PI * radius / TEXTURE_SIZE + 0.5));
  e->texels_per_radian = turns * TEXTURE_SIZE / (2 * G_PI);
  e->s_offset = rotation;
}

static void
build_sphere (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble size = MIN (w, h);
  gdouble x = w * (0.48 + 0.12 * oscillate (frame, 260, 0.2));
  gdouble y = h * (0.52 + 0.06 * oscillate (frame, 190, 0.6));

  add_flat (scene, 0, 0.1, drift (frame, 0.6),
      drift (frame, 0.1));
  add_patch (scene, PATCH_RECTANGLE, 0, 0, 0, FAR_AWAY, FAR_AWAY, 0);
  add_ellipsoid (scene, 1, x, y, 0.34 * size, 0.32 + 0.04 * oscillate (frame,
      140, 0), 0.30, drift (frame, 2));
  add_ellipsoid (scene, 2, x + 0.42 * size * oscillate (frame, 170, 0.5),
      y + 0.26 * size * oscillate (frame, 170, 0.75), 0.11 * size, 0.80, 0.13,
      drift (frame, -3));
}

/* Points of the corridor have a nearness from 0 to 1 at the near end.  Its
 * inverse is the distance; half_width times it is the scale in pixels. */

/* Crates on the road, back to front.  near is the disparity at the near end,
 * below the height of the road there, in pixels, and repeat the number of
 * repetitions of a texture. */
static void
add_crates (GstStereoScene * scene, gdouble near, gdouble repeat,
    gdouble below)
{
  const gdouble half = scene->half_width, y0 = scene->vanish_y;

  for (guint n = 0; n < 4; n++) {
    const gdouble first = 1.3, span = 4 * HOUSE_LENGTH;
    guint passed = (guint) (scene->distance * 4 / span);
    gdouble rest = scene->distance - passed * span / 4;
    guint crate = (passed + 3 - n) % 4;
    gdouble nearness = 1 / (first + (4 - n) * span / 4 - rest);
    static const gdouble places[] = { -0.45, 0.5, -0.12, 0.42 };
    gdouble x = scene->vanish_x + places[crate] * half * nearness;
    gdouble size = 0.24 * half * nearness;
    GstStereoSurface *p = add_surface (scene, SHAPE_PLANE, 4);

    p->w[0] = nearness;
    p->s[1] = p->t[2] = 256 * repeat / half;
    p->s[0] = -x * p->s[1];
    p->t[0] = -y0 * p->t[2];
    p->s_offset = 131 * crate;
    p->d[0] = near * nearness;
    add_patch (scene, PATCH_RECTANGLE, scene->n_surfaces - 1, x,
        y0 + below * nearness - 0.9 * size, size, 0.9 * size, 0);
  }
}

static void
build_corridor (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble near = 0.93 * scene->range;
  gdouble x0 = w * (0.5 + 0.05 * oscillate (frame, 330, 0.25));
  gdouble y0 = h * (0.44 + 0.02 * oscillate (frame, 270, 0.25));
  gdouble half = MAX (1.1 * MAX (x0, w - x0), near / MAX_SLOPE);
  gdouble repeat = MAX (1, floor (half / 256 + 0.5)), far = CORRIDOR_END;
  gdouble below = MAX (h - y0, 1), length = 320 * repeat;
  GstStereoSurface *p;
  guint surface;

  scene->vanish_x = x0;
  scene->vanish_y = y0;
  scene->half_width = half;
  /* the street repeats after 64 houses */
  scene->distance = fmod (CORRIDOR_SPEED * frame, 64 * HOUSE_LENGTH);

  /* the sky and the house at the end */
  surface = add_flat (scene, 0, 0.02, x0 + drift (frame, 0.2), y0);
  add_patch (scene, PATCH_RECTANGLE, surface, 0, 0, FAR_AWAY, FAR_AWAY, 0);
  surface = add_flat (scene, 5, 0, x0, y0);
  scene->surface[surface].d[0] = near * far;
  add_patch (scene, PATCH_RECTANGLE, surface, x0, y0, 1.02 * half * far,
      0.8 * half * far + 0.5, 0);

  /* the road */
  p = add_surface (scene, SHAPE_PLANE, 1);
  p->w[2] = 1 / below;
  p->w[0] = -y0 * p->w[2];
  p->s[1] = 256 * repeat / half;
  p->s[0] = -x0 * p->s[1];
  p->t[0] = length;
  p->s_offset = 256;
  p->t_offset = fmod (length * scene->distance, TEXTURE_SIZE);
  for (guint i = 0; i < 3; i++)
    p->d[i] = near * p->w[i];

  /* left and right walls */
  for (guint i = 0; i < 2; i++) {
    p = add_surface (scene, SHAPE_PLANE, 2 + i);
    p->w[1] = (i == 0 ? -1 : 1) / half;
    p->w[0] = -x0 * p->w[1];
    p->s[0] = length;
    p->s_offset = fmod (length * scene->distance, TEXTURE_SIZE);
    p->t[2] = 256 * repeat / half;
    p->t[0] = -y0 * p->t[2];
    p->light = i == 0 ? 0.85 : 1.1;
    for (guint j = 0; j < 3; j++)
      p->d[j] = near * p->w[j];
  }

  add_crates (scene, near, repeat, below);
}

static void
build_thin (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble unit = MAX (1.0, w / 240.0);
  gdouble x, visible = 0.42 * h;
  guint surface, n;

  surface = add_flat (scene, 0, 0.08, drift (frame, 0.5), 0);
  add_patch (scene, PATCH_RECTANGLE, surface, 0, 0, FAR_AWAY, FAR_AWAY, 0);

  /* poles behind the fence */
  x = 0.08 * w * oscillate (frame, 240, 0.1);
  surface = add_flat (scene, 2, 0.33, x, 0);
  for (guint i = 0; i < 5; i++)
    add_patch (scene, PATCH_RECTANGLE, surface, x + w * (0.06 + 0.23 * i
            + 0.04 * gst_stereo_random (scene->seed, 11, i)), 0.5 * h,
        unit * (1.2 + 0.5 * i), h, 0);

  /* slanted poles */
  x = 0.1 * w * oscillate (frame, 210, 0.6);
  surface = add_flat (scene, 3, 0.55, x, 0);
  add_patch (scene, PATCH_RECTANGLE, surface, x + 0.3 * w, 0.5 * h, 2 * unit,
      h, 0.45);
  add_patch (scene, PATCH_RECTANGLE, surface, x + 0.75 * w, 0.5 * h, 1.4 * unit,
      h, -0.3);

  /* the fence */
  x = 0.06 * w * oscillate (frame, 160, 0.9);
  surface = add_flat (scene, 1, 0.74, x, 0);
  add_patch (scene, PATCH_RECTANGLE, surface, 0, visible + 0.16 * h, FAR_AWAY,
      1.5 * unit, 0);
  add_patch (scene, PATCH_RECTANGLE, surface, 0, visible + 0.42 * h, FAR_AWAY,
      1.5 * unit, 0);
  n = 24;
  for (guint i = 0; i < n + 16; i++) {
    gdouble jitter = gst_stereo_random (scene->seed, 12, i);

    add_patch (scene, PATCH_RECTANGLE, surface,
        x + w * ((i + 0.5 * jitter) / n - 0.1),
        visible + 0.5 * h + 0.02 * h * jitter, unit * 1.5, 0.5 * h, 0);
  }

  /* wires and a mast in front */
  x = 0.1 * w * oscillate (frame, 200, 0.4);
  surface = add_flat (scene, 3, 0.92, x, 0);
  add_patch (scene, PATCH_RECTANGLE, surface, x + 0.62 * w, 0.5 * h, 1.1 * unit,
      h, 0.02);
  add_patch (scene, PATCH_RECTANGLE, surface, x + 0.36 * w, 0.5 * h, 3.2 * unit,
      h, 0);
}

void
gst_stereo_scene_set_frame (GstStereoScene * scene, guint64 frame)
{
  scene->n_surfaces = 0;
  scene->n_patches = 0;
  switch (scene->pattern) {
    case GST_STEREO_PATTERN_PLANES:
      build_planes (scene, frame);
      break;
    case GST_STEREO_PATTERN_SLANTED:
      build_slanted (scene, frame);
      break;
    case GST_STEREO_PATTERN_SPHERE:
      build_sphere (scene, frame);
      break;
    case GST_STEREO_PATTERN_CORRIDOR:
      build_corridor (scene, frame);
      break;
    case GST_STEREO_PATTERN_THIN:
      build_thin (scene, frame);
      break;
  }
}

/* -------------------------------------------------------------------- scene */

GstStereoScene *
gst_stereo_scene_new (GstStereoPattern pattern, guint seed, gint width,
    gint height, guint num_disparities)
{
  GstStereoScene *scene = g_new0 (GstStereoScene, 1);

  scene->pattern = pattern;
  scene->seed = gst_stereo_hash (seed + G_GUINT64_CONSTANT
      (0x632be59bd9b4e019));
  scene->width = width;
  scene->height = height;
  scene->range = num_disparities - 1;
  scene->visible = g_new (gint, width);
  scene->n_visible = width;

  gst_stereo_scene_init_textures (scene);
  return scene;
}

void
gst_stereo_scene_free (GstStereoScene * scene)
{
  if (scene == NULL)
    return;
  for (guint i = 0; i < MAX_TEXTURES; i++) {
    for (guint l = 0; l < TEXTURE_LEVELS; l++)
      g_free (scene->texture[i].level[l]);
  }
  g_free (scene->visible);
  g_free (scene);
}
