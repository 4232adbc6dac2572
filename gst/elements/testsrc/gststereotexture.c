/* gst-stereomatching: textures of rendered scenes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/testsrc/gststereoscene-private.h"

#include <math.h>

/* --------------------------------------------------------------- randomness */

guint64
gst_stereo_hash (guint64 x)
{
  x ^= x >> 30;
  x *= G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

gdouble
gst_stereo_random (guint64 seed, guint a, guint b)
{
  guint64 x = gst_stereo_hash (seed
      + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)
      * (((guint64) a << 32 | b) + 1));

  return (gdouble) (x >> 40) / (1 << 24);
}

/* ---------------------------------------------------------------- materials */

typedef enum
{
  MATERIAL_PLASTER,
  MATERIAL_BRICKS,
  MATERIAL_PLANKS,
  MATERIAL_TILES,
  MATERIAL_FACADE,
  MATERIAL_ROAD,
  MATERIAL_SKY,
  MATERIAL_PLANET
} Material;

typedef struct
{
  Material material;
  gdouble a[3], b[3];           /* two colours, in grey levels */
} Paint;

static const Paint paints[][MAX_TEXTURES] = {
  [GST_STEREO_PATTERN_PLANES] = {
        {MATERIAL_BRICKS, {178, 92, 70}, {140, 66, 52}},
        {MATERIAL_PLANKS, {196, 150, 92}, {140, 96, 52}},
        {MATERIAL_TILES, {74, 132, 150}, {190, 196, 176}},
        {MATERIAL_PLASTER, {108, 152, 76}, {190, 186, 84}},
        {MATERIAL_PLASTER, {186, 96, 148}, {110, 84, 168}},
        {MATERIAL_PLASTER, {220, 170, 70}, {196, 96, 60}},
      },
  [GST_STEREO_PATTERN_SLANTED] = {
        {MATERIAL_TILES, {196, 158, 108}, {92, 118, 128}},
      },
  [GST_STEREO_PATTERN_SPHERE] = {
        {MATERIAL_BRICKS, {128, 118, 132}, {100, 92, 116}},
        {MATERIAL_PLANET, {64, 108, 176}, {122, 158, 76}},
        {MATERIAL_PLASTER, {214, 180, 120}, {170, 120, 92}},
      },
  [GST_STEREO_PATTERN_CORRIDOR] = {
        {MATERIAL_SKY, {112, 158, 212}, {214, 214, 216}},
        {MATERIAL_ROAD, {112, 112, 116}, {98, 100, 104}},
        {MATERIAL_FACADE, {186, 130, 98}, {166, 108, 84}},
        {MATERIAL_FACADE, {164, 164, 138}, {132, 142, 128}},
        {MATERIAL_PLANKS, {200, 140, 62}, {148, 92, 44}},
        {MATERIAL_FACADE, {142, 148, 172}, {118, 122, 150}},
      },
  [GST_STEREO_PATTERN_THIN] = {
        {MATERIAL_PLASTER, {92, 128, 72}, {146, 164, 96}},
        {MATERIAL_PLASTER, {206, 196, 172}, {176, 158, 132}},
        {MATERIAL_PLASTER, {168, 92, 66}, {196, 126, 74}},
        {MATERIAL_PLASTER, {88, 112, 164}, {128, 150, 186}},
      },
};

static gdouble
mix (gdouble a, gdouble b, gdouble weight)
{
  return a + (b - a) * weight;
}

/* Periodic value noise around 0 with octaves of equal amplitude, from `finest`
 * texels up; that of 2 texels is weaker. */
static gfloat *
make_noise (guint64 seed, guint finest)
{
  gfloat *noise = g_new0 (gfloat, TEXTURE_SIZE * TEXTURE_SIZE);
  gdouble line[TEXTURE_SIZE / 2 + 1];

  for (guint grain = finest; grain <= TEXTURE_SIZE / 4; grain *= 2) {
    guint n = TEXTURE_SIZE / grain;
    guint64 grain_seed = gst_stereo_hash (seed + grain);
    gdouble amplitude = grain == 2 ? 0.28 : 0.5;

    for (guint y = 0; y < TEXTURE_SIZE; y++) {
      gdouble part = smoothstep ((gdouble) (y % grain) / grain);
      gfloat *to = noise + y * TEXTURE_SIZE;

      for (guint i = 0; i <= n; i++)
        line[i] = amplitude * (mix (gst_stereo_random (grain_seed,
        y / grain, i % n),
                gst_stereo_random (grain_seed, (y / grain + 1) % n,
                i % n), part) - 0.5);
      for (guint x = 0; x < TEXTURE_SIZE; x++)
        to[x] += (gfloat) mix (line[x / grain], line[x / grain + 1],
            smoothstep ((gdouble) (x % grain) / grain));
    }
  }
  return noise;
}

/* The brightness of a material at (x, y) and the weight of its second colour.
 * tint is noise. */
static void
evaluate_material (Material material, guint64 seed, guint x, guint y,
    gdouble tint, gdouble * brightness, gdouble * part)
{
  guint column, row;
  gdouble joint;

  *brightness = 1;
  *part = smoothstep (0.5 + 1.2 * tint);
  switch (material) {
    case MATERIAL_BRICKS:
      row = y / 32;
      x = (x + (row % 2) * 32) % TEXTURE_SIZE;
      column = x / 64;
      joint = MIN (MIN (x % 64, 63 - x % 64), MIN (y % 32, 31 - y % 32));
      *brightness = 0.75 + 0.5 * gst_stereo_random (seed, row, column);
      *brightness = mix (1.25, *brightness, smoothstep ((joint - 0.5) / 2.5));
      break;
    case MATERIAL_PLANKS:
      row = y / 64;
      joint = MIN (y % 64, 63 - y % 64);
      *brightness = mix (0.55, 0.8 + 0.4 * gst_stereo_random (seed, row, 0),
          smoothstep ((joint + 1) / 3));
      break;
    case MATERIAL_TILES:
      row = y / 64;
      column = x / 64;
      joint = MIN (MIN (x % 64, 63 - x % 64), MIN (y % 64, 63 - y % 64));
      *part = 0.8 * ((row + column) % 2) + 0.2 * *part;
      *brightness = mix (0.6, 0.8 + 0.4 * gst_stereo_random (seed, row, column),
          smoothstep (joint / 2.5));
      break;
    case MATERIAL_FACADE:
      row = y / 64;
      column = x / 64;
      /* distance from the border of the window, positive inside */
      joint = MIN (16 - fabs (x % 64 - 31.5), 21 - fabs (y % 64 - 31.5));
      *brightness = mix (0.9 + 0.2 * gst_stereo_random (seed, row / 2, 7),
          0.3 + 0.9 * gst_stereo_random (seed, row, column),
          smoothstep (joint / 2 + 0.5));
      /* window frame */
      *brightness = mix (*brightness, 1.3,
          smoothstep (1 - fabs (joint + 3) / 3));
      *part = mix (*part, 1 - *part, smoothstep (joint / 2 + 0.5));
      break;
    case MATERIAL_ROAD:
      joint = fabs (x - 256.0);
      /* pavement, kerb and lane markings */
      *brightness = mix (1, 1.25, smoothstep ((joint - 150) / 3));
      *brightness = mix (*brightness, 0.65,
          smoothstep (1.5 - fabs (joint - 147) / 3));
      *brightness = mix (*brightness, 1.7,
          smoothstep (1.5 - fabs (joint - 132) / 4));
      if (y % 256 < 128)
        *brightness = mix (*brightness, 1.7, smoothstep (1.5 - joint / 4));
      break;
    case MATERIAL_PLANET:
      *part = smoothstep (0.5 + 6 * tint);
      *brightness = mix (0.85, 1.1, *part);
      if (tint > 0.35)
        *brightness = 1.5;
      break;
    case MATERIAL_PLASTER:
    case MATERIAL_SKY:
      break;
  }
}

/* Renders level 0 of a texture. */
static GstStereoTexel *
render_texture (const Paint * paint, guint64 seed, const gfloat * detail,
    const gfloat * tint)
{
  /* each texture has another part of the noise */
  guint shift_x = (guint) (gst_stereo_random (seed, 1, 0) * TEXTURE_SIZE);
  guint shift_y = (guint) (gst_stereo_random (seed, 2, 0) * TEXTURE_SIZE);
  gdouble contrast = paint->material == MATERIAL_SKY ? 0.45
      : paint->material == MATERIAL_FACADE ? 0.6 : 0.8;
  guint n = TEXTURE_SIZE;
  GstStereoTexel *const texels = g_new (GstStereoTexel, n * n), *to = texels;

  for (guint y = 0; y < n; y++) {
    guint row = (y + shift_y) % n * n;

    for (guint x = 0; x < n; x++, to++) {
      guint at = row + (x + shift_x) % n;
      gdouble brightness, part;

      evaluate_material (paint->material, seed, x, y, tint[at], &brightness,
          &part);
      brightness *= 1 + contrast * detail[at];
      for (guint c = 0; c < 3; c++) {
        gdouble grey = mix (paint->a[c], paint->b[c], part) * brightness;

        to->c[c] = (guint16) (256 * CLAMP (grey, 12.0, 243.0));
      }
      to->c[3] = 0;
    }
  }
  return texels;
}

/* Fills the levels above 0 with averages of 2x2 texels. */
static void
reduce_texture (GstStereoTexture * texture)
{
  guint n = TEXTURE_SIZE;

  for (guint l = 1; l < TEXTURE_LEVELS; l++) {
    const GstStereoTexel *from = texture->level[l - 1];
    GstStereoTexel *to = texture->level[l] = g_new (GstStereoTexel, n * n / 4);

    for (guint y = 0; y < n; y += 2) {
      for (guint x = 0; x < n; x += 2, to++) {
        const GstStereoTexel *p = from + y * n + x;

        for (guint c = 0; c < 4; c++)
          to->c[c] = (guint16) ((p[0].c[c] + p[1].c[c] + p[n].c[c]
                  + p[n + 1].c[c] + 2) / 4);
      }
    }
    n /= 2;
  }
}

void
gst_stereo_scene_init_textures (GstStereoScene * scene)
{
  gfloat *detail = make_noise (scene->seed, 2);
  gfloat *tint = make_noise (scene->seed + 1, 16);

  for (guint i = 0; i < MAX_TEXTURES; i++) {
    const Paint *paint = &paints[scene->pattern][i];

    if (!(paint->a[0] > 0))
      continue;
    scene->texture[i].level[0] = render_texture (paint,
        gst_stereo_hash (scene->seed + 2 + i), detail, tint);
    reduce_texture (&scene->texture[i]);
  }
  g_free (detail);
  g_free (tint);
}
