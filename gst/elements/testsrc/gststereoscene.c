/* gst-stereomatching: rendered stereo scenes with exact disparities
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Rows are independent. For a row of a view the scene is a list of segments, in
 * the order in which a painter would put them on: each is the part of a surface
 * between two positions. Edges of segments cover pixels in part and are
 * blended; the disparity of a pixel is that of the surface at its centre.
 *
 * Only + - * / and sqrt are used, so that machines with IEEE arithmetic render
 * the same.
 */

#include "elements/testsrc/gststereoscene.h"

#include <math.h>
#include <string.h>

#define TEXTURE_SIZE 512
#define TEXTURE_LEVELS 8
#define MAX_TEXTURES 6
#define MAX_SURFACES 16
#define MAX_CARDS 160
#define MAX_SEGMENTS 256

/* Left and right of everything. */
#define FAR_AWAY 1e5

/* Steepest disparity along a row: the right view then shows a surface at no
 * less than half its width, and one at 1.5 baselines at no less than a
 * quarter. */
#define MAX_SLOPE 0.5

/* Size of the texels that are taken for a pixel. */
#define SOFTNESS 1.3

/* The end of the corridor, as a part of the nearest disparity. */
#define CORRIDOR_END 0.09
#define HOUSE_LENGTH 1.6        /* in distances to the near end */
#define CORRIDOR_SPEED 0.02     /* the same, per frame */

/* R, G, B in units of 1/256 grey level. */
typedef struct
{
  guint16 c[4];
} Texel;

/* A periodic picture, and its reductions by 2, 4, ... */
typedef struct
{
  Texel *level[TEXTURE_LEVELS];
} Texture;

typedef enum
{
  SHAPE_FLAT,                   /* one disparity, a texel for a pixel */
  SHAPE_PLANE,
  SHAPE_BALL
} Shape;

typedef struct
{
  Shape shape;
  const Texture *texture;
  gdouble light;                /* factor of the colour */

  /* Disparity d[0] + d[1] x + d[2] y; SHAPE_FLAT has d[0] only. */
  gdouble d[3];

  /* Texture coordinates s = s[] / w[] + s_offset of a plane, where a[] is
   * a[0] + a[1] x + a[2] y; SHAPE_FLAT: s = x + s_offset. */
  gdouble s[3], t[3], w[3];
  gdouble s_offset, t_offset;

  /* ((x - x0) / radius)^2 + ((y - y0) / radius)^2 + ((d - d0) / depth)^2 = 1,
   * turned about its axis by as many texels as s_offset. */
  gdouble x0, y0, d0, radius, depth;
  gdouble texels;               /* for a radian */
} Surface;

typedef enum
{
  CARD_RECTANGLE,
  CARD_ELLIPSE,
  CARD_DIAMOND,
  CARD_HEXAGON
} CardShape;

/* A piece of a surface. */
typedef struct
{
  CardShape shape;
  guint surface;
  gdouble x, y, rx, ry;         /* centre and half the size */
  gdouble lean;                 /* by how much x changes with y */
} Card;

/* Part of a row of a view, in coordinates of the view. */
typedef struct
{
  guint surface;
  gdouble from, to;
} Segment;

typedef struct
{
  gint x;
  guint segment;
  gdouble coverage;
} Edge;

typedef struct
{
  gdouble position;
  gdouble y;
  guint n;
  Segment segment[MAX_SEGMENTS];
} Row;

struct _GstStereoScene
{
  GstStereoPattern pattern;
  guint64 seed;
  gint width, height;
  gdouble range;                /* largest disparity */
  Texture texture[MAX_TEXTURES];

  /* Of the frame. */
  Surface surface[MAX_SURFACES];
  guint n_surfaces;
  Card card[MAX_CARDS];
  guint n_cards;
  /* The corridor's vanishing point, half its width at the near end, and how
   * far it has moved. */
  gdouble vanish_x, vanish_y, half_width, moved;

  /* Of the row. */
  gint *top;                    /* index of the segment that covers a pixel */
  Row row[2];                   /* for the truth, left and right */
  Edge edge[2 * MAX_SEGMENTS];
};

/* ------------------------------------------------------------------- chance */

static guint64
scramble (guint64 x)
{
  x ^= x >> 30;
  x *= G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* From 0 to 1. */
static gdouble
chance (guint64 seed, guint a, guint b)
{
  guint64 x = scramble (seed + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)
      * (((guint64) a << 32 | b) + 1));

  return (gdouble) (x >> 40) / (1 << 24);
}

/* ----------------------------------------------------------------- textures */

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
blend (gdouble a, gdouble b, gdouble part)
{
  return a + (b - a) * part;
}

static gdouble
smooth (gdouble x)
{
  x = CLAMP (x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/* Periodic noise around 0 in which grains of finest, 2 finest, 4 finest ...
 * texels count the same, but those of 2 texels less. */
static gfloat *
make_noise (guint64 seed, guint finest)
{
  gfloat *noise = g_new0 (gfloat, TEXTURE_SIZE * TEXTURE_SIZE);
  gdouble line[TEXTURE_SIZE / 2 + 1];

  for (guint grain = finest; grain <= TEXTURE_SIZE / 4; grain *= 2) {
    guint n = TEXTURE_SIZE / grain;
    guint64 grain_seed = scramble (seed + grain);
    gdouble amplitude = grain == 2 ? 0.28 : 0.5;

    for (guint y = 0; y < TEXTURE_SIZE; y++) {
      gdouble part = smooth ((gdouble) (y % grain) / grain);
      gfloat *to = noise + y * TEXTURE_SIZE;

      for (guint i = 0; i <= n; i++)
        line[i] = amplitude * (blend (chance (grain_seed, y / grain, i % n),
                chance (grain_seed, (y / grain + 1) % n, i % n), part) - 0.5);
      for (guint x = 0; x < TEXTURE_SIZE; x++)
        to[x] += (gfloat) blend (line[x / grain], line[x / grain + 1],
            smooth ((gdouble) (x % grain) / grain));
    }
  }
  return noise;
}

/* What a material looks like at (x, y): its brightness and how much of the
 * second colour there is. tint is noise. */
static void
material_at (Material material, guint64 seed, guint x, guint y, gdouble tint,
    gdouble * brightness, gdouble * part)
{
  guint column, row;
  gdouble joint;

  *brightness = 1;
  *part = smooth (0.5 + 1.2 * tint);
  switch (material) {
    case MATERIAL_BRICKS:
      row = y / 32;
      x = (x + (row % 2) * 32) % TEXTURE_SIZE;
      column = x / 64;
      joint = MIN (MIN (x % 64, 63 - x % 64), MIN (y % 32, 31 - y % 32));
      *brightness = 0.75 + 0.5 * chance (seed, row, column);
      *brightness = blend (1.25, *brightness, smooth ((joint - 0.5) / 2.5));
      break;
    case MATERIAL_PLANKS:
      row = y / 64;
      joint = MIN (y % 64, 63 - y % 64);
      *brightness = blend (0.55, 0.8 + 0.4 * chance (seed, row, 0),
          smooth ((joint + 1) / 3));
      break;
    case MATERIAL_TILES:
      row = y / 64;
      column = x / 64;
      joint = MIN (MIN (x % 64, 63 - x % 64), MIN (y % 64, 63 - y % 64));
      *part = 0.8 * ((row + column) % 2) + 0.2 * *part;
      *brightness = blend (0.6, 0.8 + 0.4 * chance (seed, row, column),
          smooth (joint / 2.5));
      break;
    case MATERIAL_FACADE:
      row = y / 64;
      column = x / 64;
      /* distance to the border of the window, positive inside */
      joint = MIN (16 - fabs (x % 64 - 31.5), 21 - fabs (y % 64 - 31.5));
      *brightness = blend (0.9 + 0.2 * chance (seed, row / 2, 7),
          0.3 + 0.9 * chance (seed, row, column), smooth (joint / 2 + 0.5));
      /* its frame */
      *brightness = blend (*brightness, 1.3, smooth (1 - fabs (joint + 3) / 3));
      *part = blend (*part, 1 - *part, smooth (joint / 2 + 0.5));
      break;
    case MATERIAL_ROAD:
      joint = fabs (x - 256.0);
      /* the pavement, its edge, and the lines */
      *brightness = blend (1, 1.25, smooth ((joint - 150) / 3));
      *brightness = blend (*brightness, 0.65,
          smooth (1.5 - fabs (joint - 147) / 3));
      *brightness = blend (*brightness, 1.7,
          smooth (1.5 - fabs (joint - 132) / 4));
      if (y % 256 < 128)
        *brightness = blend (*brightness, 1.7, smooth (1.5 - joint / 4));
      break;
    case MATERIAL_PLANET:
      *part = smooth (0.5 + 6 * tint);
      *brightness = blend (0.85, 1.1, *part);
      if (tint > 0.35)
        *brightness = 1.5;
      break;
    case MATERIAL_PLASTER:
    case MATERIAL_SKY:
      break;
  }
}

static void
make_texture (Texture * texture, const Paint * paint, guint64 seed,
    const gfloat * detail, const gfloat * tint)
{
  /* where this texture takes its noise from */
  guint shift_x = (guint) (chance (seed, 1, 0) * TEXTURE_SIZE);
  guint shift_y = (guint) (chance (seed, 2, 0) * TEXTURE_SIZE);
  gdouble contrast = paint->material == MATERIAL_SKY ? 0.45
      : paint->material == MATERIAL_FACADE ? 0.6 : 0.8;
  guint n = TEXTURE_SIZE;
  Texel *to = g_new (Texel, n * n);

  texture->level[0] = to;
  for (guint y = 0; y < n; y++) {
    guint row = (y + shift_y) % n * n;

    for (guint x = 0; x < n; x++, to++) {
      guint at = row + (x + shift_x) % n;
      gdouble brightness, part;

      material_at (paint->material, seed, x, y, tint[at], &brightness, &part);
      brightness *= 1 + contrast * detail[at];
      for (guint c = 0; c < 3; c++) {
        gdouble grey = blend (paint->a[c], paint->b[c], part) * brightness;

        to->c[c] = (guint16) (256 * CLAMP (grey, 12.0, 243.0));
      }
      to->c[3] = 0;
    }
  }

  for (guint l = 1; l < TEXTURE_LEVELS; l++) {
    const Texel *from = texture->level[l - 1];

    to = texture->level[l] = g_new (Texel, n * n / 4);
    for (guint y = 0; y < n; y += 2) {
      for (guint x = 0; x < n; x += 2, to++) {
        const Texel *p = from + y * n + x;

        for (guint c = 0; c < 4; c++)
          to->c[c] = (guint16) ((p[0].c[c] + p[1].c[c] + p[n].c[c]
                  + p[n + 1].c[c] + 2) / 4);
      }
    }
    n /= 2;
  }
}

/* The colour at (s, t), in 1/256 texel of level 0, each modulo the size. */
static inline void
sample (const Texture * texture, guint level, guint32 s, guint32 t,
    guint32 rgb[3])
{
  guint32 bits = 9 - level, mask = (TEXTURE_SIZE >> level) - 1;
  const Texel *row0, *row1;
  guint32 x0, x1, fx, fy;

  /* texels of a level are centred between those that they stand for */
  s = (((s + 128) & (TEXTURE_SIZE * 256 - 1)) >> level) - 128;
  t = (((t + 128) & (TEXTURE_SIZE * 256 - 1)) >> level) - 128;
  x0 = (s >> 8) & mask;
  x1 = (x0 + 1) & mask;
  fx = s & 255;
  fy = t & 255;
  row0 = texture->level[level] + (((t >> 8) & mask) << bits);
  row1 = texture->level[level] + ((((t >> 8) + 1) & mask) << bits);
  for (guint c = 0; c < 3; c++) {
    guint32 upper = row0[x0].c[c] * (256 - fx) + row0[x1].c[c] * fx;
    guint32 lower = row1[x0].c[c] * (256 - fx) + row1[x1].c[c] * fx;

    rgb[c] = ((upper >> 8) * (256 - fy) + (lower >> 8) * fy) >> 8;
  }
}

static inline guint32
to_texel (gdouble s)
{
  return (guint32) (gint64) (s * 256 + 4294967296.0);
}

/* The same where a pixel is as large as so many texels. */
static inline void
sample_reduced (const Texture * texture, gdouble footprint, gdouble s,
    gdouble t, guint32 rgb[3])
{
  guint32 other[3], part, s8 = to_texel (s), t8 = to_texel (t);
  guint level = 0;

  while (footprint >= 2 && level < TEXTURE_LEVELS - 1) {
    footprint /= 2;
    level++;
  }
  sample (texture, level, s8, t8, rgb);
  part = footprint <= 1 ? 0 : footprint >= 2 ? 256
      : (guint32) (256 * (footprint - 1));
  if (part > 0 && level < TEXTURE_LEVELS - 1) {
    sample (texture, level + 1, s8, t8, other);
    for (guint c = 0; c < 3; c++)
      rgb[c] = (rgb[c] * (256 - part) + other[c] * part) >> 8;
  }
}

/* ----------------------------------------------------------------- surfaces */

static inline gdouble
linear (const gdouble a[3], gdouble x, gdouble y)
{
  return a[0] + a[1] * x + a[2] * y;
}

/* The point of a ball that a view sees at v: (u, v, w) on the unit ball. */
static inline void
ball_point (const Surface * ball, gdouble position, gdouble v, gdouble y,
    gdouble point[3])
{
  gdouble k = position * ball->depth / ball->radius;
  gdouble p = (v + position * ball->d0 - ball->x0) / ball->radius;
  gdouble q = (y - ball->y0) / ball->radius;
  gdouble square = (1 - q * q) * (1 + k * k) - p * p;
  gdouble w = (sqrt (MAX (square, 0)) - p * k) / (1 + k * k);

  point[0] = p + k * w;
  point[1] = q;
  point[2] = w;
}

/* The disparity of what a view sees of a surface at v. */
static gdouble
disparity_at (const Surface * surface, gdouble position, gdouble v, gdouble y)
{
  gdouble point[3], d;

  if (surface->shape == SHAPE_BALL) {
    ball_point (surface, position, v, y, point);
    return surface->d0 + surface->depth * point[2];
  }
  d = surface->d[0] + surface->d[2] * y;
  return (d + surface->d[1] * v) / (1 - position * surface->d[1]);
}

/* The angle of (u, w) from the direction of w, in radians, to 1e-4. */
static inline gdouble
angle (gdouble u, gdouble w)
{
  gdouble a = fabs (u), b = fabs (w);
  gdouble z = MIN (a, b) / MAX (MAX (a, b), 1e-9), q = z * z;
  gdouble r = z * (0.99997726 + q * (-0.33262347 + q * (0.19354346
              + q * (-0.11643287 + q * (0.05265332 + q * -0.01172120)))));

  r = a > b ? G_PI / 2 - r : r;
  r = w < 0 ? G_PI - r : r;
  return u < 0 ? -r : r;
}

static inline void
put (guint16 * rgb, const guint32 color[3], guint32 light)
{
  for (guint c = 0; c < 3; c++) {
    guint32 value = (color[c] * light) >> 8;

    rgb[c] = (guint16) MIN (value, 65280);
  }
}

static void
shade_flat (const Surface * surface, gdouble position, gdouble y, gint x,
    gint n, guint16 * rgb)
{
  guint32 light = (guint32) (256 * surface->light), color[3];
  guint32 s = to_texel (x + position * surface->d[0] + surface->s_offset);
  guint32 t = to_texel (y + surface->t_offset);

  for (gint i = 0; i < n; i++, s += 256, rgb += 3) {
    sample (surface->texture, 0, s, t, color);
    put (rgb, color, light);
  }
}

static void
shade_plane (const Surface * p, gdouble position, gdouble y, gint x, gint n,
    guint16 * rgb)
{
  guint32 light = (guint32) (256 * p->light), color[3];
  /* a pixel of the right view may be as wide as several of the left one */
  gdouble stretch = MAX (1, 1 / (1 - p->d[1]));

  for (gint i = 0; i < n; i++, rgb += 3) {
    gdouble v = x + i, left, inverse, s, t, along, across;

    left = v + position * disparity_at (p, position, v, y);
    inverse = 1 / MAX (linear (p->w, left, y), 1e-3);
    s = linear (p->s, left, y) * inverse;
    t = linear (p->t, left, y) * inverse;
    along = (fabs (p->s[1] - s * p->w[1]) + fabs (p->t[1] - t * p->w[1]))
        * inverse * stretch;
    /* rows are the same in both views */
    across = (fabs (p->s[2] - s * p->w[2]) + fabs (p->t[2] - t * p->w[2]))
        * inverse * 0.5;
    sample_reduced (p->texture, SOFTNESS * MAX (along, across), s + p->s_offset,
        t + p->t_offset, color);
    put (rgb, color, light);
  }
}

static void
shade_ball (const Surface * ball, gdouble position, gdouble y, gint x, gint n,
    guint16 * rgb)
{
  gdouble k = ball->depth / ball->radius;
  gdouble turn = sqrt (1 + k * k);
  gdouble scale = ball->texels / ball->radius;
  guint32 color[3];

  for (gint i = 0; i < n; i++, rgb += 3) {
    gdouble point[3], u, v, facing, round, light;

    ball_point (ball, position, x + i, y, point);
    /* how flatly the view sees it that sees it more flatly */
    facing = MIN (point[2], (point[2] + k * point[0]) / turn);
    light = 0.55 - 0.35 * point[0] - 0.4 * point[1] + 0.45 * point[2];
    /* the axis is tilted */
    u = 0.94 * point[0] + 0.342 * point[1];
    v = 0.94 * point[1] - 0.342 * point[0];
    round = sqrt (MAX (1 - v * v, 0.0));
    sample_reduced (ball->texture,
        SOFTNESS * scale / (MAX (facing, 0.1) * MAX (round, 0.1)),
        ball->texels * angle (u, point[2]) + ball->s_offset,
        ball->texels * v + ball->t_offset, color);
    put (rgb, color, (guint32) (256 * CLAMP (light, 0.35, 1.2)));
  }
}

static void
shade (const Surface * surface, gdouble position, gdouble y, gint x,
    gint n, guint16 * rgb)
{
  switch (surface->shape) {
    case SHAPE_FLAT:
      shade_flat (surface, position, y, x, n, rgb);
      break;
    case SHAPE_PLANE:
      shade_plane (surface, position, y, x, n, rgb);
      break;
    case SHAPE_BALL:
      shade_ball (surface, position, y, x, n, rgb);
      break;
  }
}

/* ----------------------------------------------------------------- geometry */

/* Goes from 0 to 1 to -1 and back to 0 in so many frames, smoothly. */
static gdouble
swing (guint64 frame, guint period, gdouble phase)
{
  gdouble p = (gdouble) (frame % period) / period + phase;

  p -= floor (p);
  p = p < 0.5 ? 2 * p : 2 - 2 * p;
  return 2 * smooth (p) - 1;
}

/* How far something has gone in that frame, modulo the size of a texture. */
static gdouble
drift (guint64 frame, gdouble speed)
{
  return fmod (speed * frame, TEXTURE_SIZE);
}

static Surface *
add_surface (GstStereoScene * scene, Shape shape, guint texture)
{
  Surface *surface = &scene->surface[scene->n_surfaces++];

  g_assert (scene->n_surfaces <= MAX_SURFACES);
  memset (surface, 0, sizeof (*surface));
  surface->shape = shape;
  surface->texture = &scene->texture[texture];
  surface->light = 1;
  return surface;
}

/* A surface of one disparity whose texture is fixed at (x, y). */
static guint
add_flat (GstStereoScene * scene, guint texture, gdouble part, gdouble x,
    gdouble y)
{
  Surface *surface = add_surface (scene, SHAPE_FLAT, texture);

  surface->d[0] = part * scene->range;
  surface->s_offset = -x;
  surface->t_offset = -y;
  return scene->n_surfaces - 1;
}

static void
add_card (GstStereoScene * scene, CardShape shape, guint surface, gdouble x,
    gdouble y, gdouble rx, gdouble ry, gdouble lean)
{
  Card *card = &scene->card[scene->n_cards++];

  g_assert (scene->n_cards <= MAX_CARDS);
  card->shape = shape;
  card->surface = surface;
  card->x = x;
  card->y = y;
  card->rx = rx;
  card->ry = ry;
  card->lean = lean;
}

static void
place_planes (GstStereoScene * scene, guint64 frame)
{
  static const struct
  {
    CardShape shape;
    guint texture;
    gdouble part, x, y, rx, ry;
  } cards[] = {
    {CARD_RECTANGLE, 1, 0.24, 0.25, 0.30, 0.20, 0.17},
    {CARD_ELLIPSE, 2, 0.38, 0.70, 0.32, 0.20, 0.22},
    {CARD_RECTANGLE, 3, 0.51, 0.52, 0.74, 0.30, 0.13},
    {CARD_HEXAGON, 4, 0.65, 0.20, 0.68, 0.15, 0.20},
    {CARD_DIAMOND, 5, 0.79, 0.80, 0.62, 0.14, 0.22},
    {CARD_ELLIPSE, 2, 0.92, 0.46, 0.46, 0.08, 0.11},
  };
  gint w = scene->width, h = scene->height;

  add_flat (scene, 0, 0.08, drift (frame, 0.4), 0);
  add_card (scene, CARD_RECTANGLE, 0, 0, 0, FAR_AWAY, FAR_AWAY, 0);
  for (guint i = 0; i < G_N_ELEMENTS (cards); i++) {
    gdouble x = w * (cards[i].x + 0.10 * swing (frame, 180 + 37 * i, 0.3 * i));
    gdouble y = h * (cards[i].y + 0.07 * swing (frame, 230 - 23 * i, 0.7 * i));
    gdouble part = cards[i].part + 0.03 * swing (frame, 150 + 29 * i, 0.2 * i);
    guint surface = add_flat (scene, cards[i].texture, part, x, y);

    add_card (scene, cards[i].shape, surface, x, y, w * cards[i].rx,
        h * cards[i].ry, 0);
  }
}

static void
place_slanted (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble span = 0.8 * scene->range;
  /* how much of the change of disparity is along x */
  gdouble part = MIN (0.45 + 0.1 * swing (frame, 300, 0),
      MAX_SLOPE * w / MAX (span, 1e-9));
  Surface *p = add_surface (scene, SHAPE_PLANE, 0);

  /* a tenth of the range in the upper left corner, nine in the lower right */
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
  add_card (scene, CARD_RECTANGLE, 0, 0, 0, FAR_AWAY, FAR_AWAY, 0);
}

static void
add_ball (GstStereoScene * scene, guint texture, gdouble x, gdouble y,
    gdouble radius, gdouble part, gdouble depth, gdouble turned)
{
  Surface *ball = add_surface (scene, SHAPE_BALL, texture);
  gdouble turns;

  ball->x0 = x;
  ball->y0 = y;
  ball->radius = radius;
  ball->d0 = part * scene->range;
  ball->depth = depth * scene->range;
  /* a whole number of textures around it */
  turns = MAX (1, floor (2 * G_PI * radius / TEXTURE_SIZE + 0.5));
  ball->texels = turns * TEXTURE_SIZE / (2 * G_PI);
  ball->s_offset = turned;
}

static void
place_sphere (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble size = MIN (w, h);
  gdouble x = w * (0.48 + 0.12 * swing (frame, 260, 0.2));
  gdouble y = h * (0.52 + 0.06 * swing (frame, 190, 0.6));

  add_flat (scene, 0, 0.1, drift (frame, 0.6),
      drift (frame, 0.1));
  add_card (scene, CARD_RECTANGLE, 0, 0, 0, FAR_AWAY, FAR_AWAY, 0);
  add_ball (scene, 1, x, y, 0.34 * size, 0.32 + 0.04 * swing (frame, 140, 0),
      0.30, drift (frame, 2));
  add_ball (scene, 2, x + 0.42 * size * swing (frame, 170, 0.5),
      y + 0.26 * size * swing (frame, 170, 0.75), 0.11 * size, 0.80, 0.13,
      drift (frame, -3));
}

/* In the corridor everything has a nearness from 0 to 1 at the near end; its
 * inverse is the distance, and half_width its scale in pixels. */
static void
place_corridor (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble near = 0.93 * scene->range;
  gdouble x0 = w * (0.5 + 0.05 * swing (frame, 330, 0.25));
  gdouble y0 = h * (0.44 + 0.02 * swing (frame, 270, 0.25));
  gdouble half = MAX (1.1 * MAX (x0, w - x0), near / MAX_SLOPE);
  gdouble repeat = MAX (1, floor (half / 256 + 0.5)), far = CORRIDOR_END;
  gdouble below = MAX (h - y0, 1), length = 320 * repeat;
  Surface *p;
  guint surface;

  scene->vanish_x = x0;
  scene->vanish_y = y0;
  scene->half_width = half;
  /* everything repeats after 64 houses */
  scene->moved = fmod (CORRIDOR_SPEED * frame, 64 * HOUSE_LENGTH);

  /* the sky, and the house at the end */
  surface = add_flat (scene, 0, 0.02, x0 + drift (frame, 0.2), y0);
  add_card (scene, CARD_RECTANGLE, surface, 0, 0, FAR_AWAY, FAR_AWAY, 0);
  surface = add_flat (scene, 5, 0, x0, y0);
  scene->surface[surface].d[0] = near * far;
  add_card (scene, CARD_RECTANGLE, surface, x0, y0, 1.02 * half * far,
      0.8 * half * far + 0.5, 0);

  /* the road */
  p = add_surface (scene, SHAPE_PLANE, 1);
  p->w[2] = 1 / below;
  p->w[0] = -y0 * p->w[2];
  p->s[1] = 256 * repeat / half;
  p->s[0] = -x0 * p->s[1];
  p->t[0] = length;
  p->s_offset = 256;
  p->t_offset = fmod (length * scene->moved, TEXTURE_SIZE);
  for (guint i = 0; i < 3; i++)
    p->d[i] = near * p->w[i];

  /* left and right walls */
  for (guint i = 0; i < 2; i++) {
    p = add_surface (scene, SHAPE_PLANE, 2 + i);
    p->w[1] = (i == 0 ? -1 : 1) / half;
    p->w[0] = -x0 * p->w[1];
    p->s[0] = length;
    p->s_offset = fmod (length * scene->moved, TEXTURE_SIZE);
    p->t[2] = 256 * repeat / half;
    p->t[0] = -y0 * p->t[2];
    p->light = i == 0 ? 0.85 : 1.1;
    for (guint j = 0; j < 3; j++)
      p->d[j] = near * p->w[j];
  }

  /* crates on the road, the farthest first */
  for (guint n = 0; n < 4; n++) {
    const gdouble first = 1.3, span = 4 * HOUSE_LENGTH;
    guint passed = (guint) (scene->moved * 4 / span);
    gdouble rest = scene->moved - passed * span / 4;
    guint crate = (passed + 3 - n) % 4;
    gdouble nearness = 1 / (first + (4 - n) * span / 4 - rest);
    static const gdouble places[] = { -0.45, 0.5, -0.12, 0.42 };
    gdouble x = x0 + places[crate] * half * nearness;
    gdouble size = 0.24 * half * nearness;

    p = add_surface (scene, SHAPE_PLANE, 4);
    p->w[0] = nearness;
    p->s[1] = p->t[2] = 256 * repeat / half;
    p->s[0] = -x * p->s[1];
    p->t[0] = -y0 * p->t[2];
    p->s_offset = 131 * crate;
    p->d[0] = near * nearness;
    add_card (scene, CARD_RECTANGLE, scene->n_surfaces - 1, x,
        y0 + below * nearness - 0.9 * size, size, 0.9 * size, 0);
  }
}

static void
place_thin (GstStereoScene * scene, guint64 frame)
{
  gint w = scene->width, h = scene->height;
  gdouble unit = MAX (1.0, w / 240.0);
  gdouble x, top = 0.42 * h;
  guint surface, n;

  surface = add_flat (scene, 0, 0.08, drift (frame, 0.5), 0);
  add_card (scene, CARD_RECTANGLE, surface, 0, 0, FAR_AWAY, FAR_AWAY, 0);

  /* poles behind the fence */
  x = 0.08 * w * swing (frame, 240, 0.1);
  surface = add_flat (scene, 2, 0.33, x, 0);
  for (guint i = 0; i < 5; i++)
    add_card (scene, CARD_RECTANGLE, surface, x + w * (0.06 + 0.23 * i
            + 0.04 * chance (scene->seed, 11, i)), 0.5 * h,
        unit * (1.2 + 0.5 * i), h, 0);

  /* leaning ones */
  x = 0.1 * w * swing (frame, 210, 0.6);
  surface = add_flat (scene, 3, 0.55, x, 0);
  add_card (scene, CARD_RECTANGLE, surface, x + 0.3 * w, 0.5 * h, 2 * unit,
      h, 0.45);
  add_card (scene, CARD_RECTANGLE, surface, x + 0.75 * w, 0.5 * h, 1.4 * unit,
      h, -0.3);

  /* the fence */
  x = 0.06 * w * swing (frame, 160, 0.9);
  surface = add_flat (scene, 1, 0.74, x, 0);
  add_card (scene, CARD_RECTANGLE, surface, 0, top + 0.16 * h, FAR_AWAY,
      1.5 * unit, 0);
  add_card (scene, CARD_RECTANGLE, surface, 0, top + 0.42 * h, FAR_AWAY,
      1.5 * unit, 0);
  n = 24;
  for (guint i = 0; i < n + 16; i++) {
    gdouble jitter = chance (scene->seed, 12, i);

    add_card (scene, CARD_RECTANGLE, surface,
        x + w * ((i + 0.5 * jitter) / n - 0.1),
        top + 0.5 * h + 0.02 * h * jitter, unit * 1.5, 0.5 * h, 0);
  }

  /* wires and a mast in front */
  x = 0.1 * w * swing (frame, 200, 0.4);
  surface = add_flat (scene, 3, 0.92, x, 0);
  add_card (scene, CARD_RECTANGLE, surface, x + 0.62 * w, 0.5 * h, 1.1 * unit,
      h, 0.02);
  add_card (scene, CARD_RECTANGLE, surface, x + 0.36 * w, 0.5 * h, 3.2 * unit,
      h, 0);
}

void
gst_stereo_scene_set_frame (GstStereoScene * scene, guint64 frame)
{
  scene->n_surfaces = 0;
  scene->n_cards = 0;
  switch (scene->pattern) {
    case GST_STEREO_PATTERN_PLANES:
      place_planes (scene, frame);
      break;
    case GST_STEREO_PATTERN_SLANTED:
      place_slanted (scene, frame);
      break;
    case GST_STEREO_PATTERN_SPHERE:
      place_sphere (scene, frame);
      break;
    case GST_STEREO_PATTERN_CORRIDOR:
      place_corridor (scene, frame);
      break;
    case GST_STEREO_PATTERN_THIN:
      place_thin (scene, frame);
      break;
  }
}

/* --------------------------------------------------------------------- rows */

/* Part of a row of a surface, in left coordinates. */
static void
add_segment (const GstStereoScene * scene, Row * row, guint surface,
    gdouble from, gdouble to)
{
  const Surface *s = &scene->surface[surface];
  Segment *segment = &row->segment[row->n];

  if (!(from < to))
    return;
  from -= row->position * linear (s->d, from, row->y);
  to -= row->position * linear (s->d, to, row->y);
  if (to < -1 || from > scene->width)
    return;
  g_assert (row->n < MAX_SEGMENTS);
  segment->surface = surface;
  segment->from = from;
  segment->to = to;
  row->n++;
}

static void
add_card_row (const GstStereoScene * scene, Row * row, const Card * card)
{
  gdouble y = (row->y - card->y) / card->ry;
  gdouble x = card->x + card->lean * (row->y - card->y), half = card->rx;

  if (fabs (y) >= 1)
    return;
  switch (card->shape) {
    case CARD_ELLIPSE:
      half *= sqrt (1 - y * y);
      break;
    case CARD_DIAMOND:
      half *= 1 - fabs (y);
      break;
    case CARD_HEXAGON:
      half *= MIN (1, 1.5 - fabs (y));
      break;
    case CARD_RECTANGLE:
      break;
  }
  add_segment (scene, row, card->surface, x - half, x + half);
}

static void
add_ball_row (const GstStereoScene * scene, Row * row, guint surface)
{
  const Surface *ball = &scene->surface[surface];
  gdouble y = (row->y - ball->y0) / ball->radius;
  gdouble k = row->position * ball->depth / ball->radius;
  gdouble center = ball->x0 - row->position * ball->d0, half;
  Segment *segment = &row->segment[row->n];

  if (fabs (y) >= 1)
    return;
  half = ball->radius * sqrt ((1 - y * y) * (1 + k * k));
  g_assert (row->n < MAX_SEGMENTS);
  segment->surface = surface;
  segment->from = center - half;
  segment->to = center + half;
  row->n++;
}

/* A wall in a row above the horizon: houses of different heights. */
static void
add_houses (const GstStereoScene * scene, Row * row, guint surface, gint side)
{
  const gdouble length = HOUSE_LENGTH;
  const gdouble nearest = 0.3, farthest = 1 / CORRIDOR_END;
  gint first = (gint) floor ((scene->moved + nearest) / length);
  gint last = (gint) floor ((scene->moved + farthest) / length);
  gdouble up = scene->vanish_y - row->y, x0 = scene->vanish_x;

  for (gint i = last; i >= first; i--) {
    gdouble from = MAX (i * length - scene->moved, nearest);
    gdouble to = MIN ((i + 1) * length - scene->moved, farthest);
    gdouble height = 0.3 + 0.5 * chance (scene->seed, 20 + (guint) side,
        (guint) i % 64);
    /* distances from the vanishing point; a house reaches a pixel under the
     * next one */
    gdouble inner = MAX (scene->half_width / to, up / height);
    gdouble outer = scene->half_width / from + 1;

    if (inner < outer)
      add_segment (scene, row, surface,
          side == 0 ? x0 - outer : x0 + inner,
          side == 0 ? x0 - inner : x0 + outer);
  }
}

static void
add_corridor_row (const GstStereoScene * scene, Row * row)
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
  Edge *edge = &scene->edge[(*n)++];

  edge->x = x;
  edge->segment = segment;
  edge->coverage = coverage;
}

/* The segments of a row, later ones before earlier ones. */
static const Row *
make_row (GstStereoScene * scene, Row * row, gdouble position, gint y)
{
  row->position = position;
  row->y = y;
  row->n = 0;
  for (guint i = 0; i < scene->n_cards; i++) {
    /* the road and the walls hide the first two */
    if (scene->pattern == GST_STEREO_PATTERN_CORRIDOR && i == 2)
      add_corridor_row (scene, row);
    add_card_row (scene, row, &scene->card[i]);
  }
  if (scene->pattern == GST_STEREO_PATTERN_SPHERE) {
    for (guint i = 0; i < scene->n_surfaces; i++) {
      if (scene->surface[i].shape == SHAPE_BALL)
        add_ball_row (scene, row, i);
    }
  }
  return row;
}

void
gst_stereo_scene_render_row (GstStereoScene * scene, gdouble position, gint y,
    guint16 * rgb)
{
  const Row *row = make_row (scene, &scene->row[0], position, y);
  gint width = scene->width, *top = scene->top;
  guint n_edges = 0;

  /* The first segment covers everything. */
  memset (top, 0, sizeof (*top) * width);
  for (guint i = 1; i < row->n; i++) {
    /* pixel x is from x to x + 1 here */
    gdouble from = MAX (row->segment[i].from + 0.5, 0);
    gdouble to = MIN (row->segment[i].to + 0.5, width);
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
      top[x] = (gint) i;
  }

  for (gint x = 0, end; x < width; x = end) {
    for (end = x + 1; end < width && top[end] == top[x]; end++);
    shade (&scene->surface[row->segment[top[x]].surface], position, y, x,
        end - x, rgb + 3 * x);
  }

  for (guint i = 0; i < n_edges; i++) {
    const Edge *edge = &scene->edge[i];
    guint16 *to = rgb + 3 * edge->x, color[3] = { 0, };
    guint32 part = (guint32) (256 * edge->coverage + 0.5);

    if ((gint) edge->segment < top[edge->x])
      continue;                 /* hidden */
    shade (&scene->surface[row->segment[edge->segment].surface], position, y,
        edge->x, 1, color);
    for (guint c = 0; c < 3; c++)
      to[c] = (guint16) ((to[c] * (256 - part) + color[c] * part) >> 8);
  }
}

/* Whether the right view sees that point of the surface. */
static gboolean
is_seen (const GstStereoScene * scene, const Row * row, guint surface,
    gdouble x, gdouble d)
{
  const gdouble rounding = 1e-6;

  for (guint i = row->n; i > 0; i--) {
    const Segment *s = &row->segment[i - 1];

    if (s->from <= x && x < s->to)
      return s->surface == surface
          && scene->surface[surface].shape != SHAPE_BALL ? TRUE
          : disparity_at (&scene->surface[s->surface], 1, x, row->y)
          <= d + rounding;
  }
  return TRUE;
}

void
gst_stereo_scene_truth_row (GstStereoScene * scene, gint y, gdouble * disparity)
{
  const Row *left = make_row (scene, &scene->row[0], 0, y);
  const Row *right = make_row (scene, &scene->row[1], 1, y);
  gint width = scene->width, *top = scene->top;

  memset (top, 0, sizeof (*top) * width);
  for (guint i = 1; i < left->n; i++) {
    gdouble from = MAX (left->segment[i].from, 0);
    gdouble to = MIN (left->segment[i].to, width);

    for (gint x = (gint) ceil (from); x < to; x++)
      top[x] = (gint) i;
  }

  for (gint x = 0; x < width; x++) {
    guint surface = left->segment[top[x]].surface;
    gdouble d = disparity_at (&scene->surface[surface], 0, x, y);

    d = CLAMP (d, 0, scene->range);
    disparity[x] = x - d >= 0 && is_seen (scene, right, surface, x - d, d)
        ? d : -1;
  }
}

/* -------------------------------------------------------------------- scene */

GstStereoScene *
gst_stereo_scene_new (GstStereoPattern pattern, guint seed, gint width,
    gint height, guint num_disparities)
{
  GstStereoScene *scene = g_new0 (GstStereoScene, 1);
  gfloat *detail, *tint;

  scene->pattern = pattern;
  scene->seed = scramble (seed + G_GUINT64_CONSTANT (0x632be59bd9b4e019));
  scene->width = width;
  scene->height = height;
  scene->range = num_disparities - 1;
  scene->top = g_new (gint, width);

  detail = make_noise (scene->seed, 2);
  tint = make_noise (scene->seed + 1, 16);
  for (guint i = 0; i < MAX_TEXTURES; i++) {
    if (paints[pattern][i].a[0] > 0)
      make_texture (&scene->texture[i], &paints[pattern][i],
          scramble (scene->seed + 2 + i), detail, tint);
  }
  g_free (detail);
  g_free (tint);
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
  g_free (scene->top);
  g_free (scene);
}
