/* gst-stereomatching: data of rendered scenes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A scene is rendered by four files:
 *
 *   gststereoscene.c        the surfaces of each pattern and their motion
 *   gststereoscenerender.c  visibility: from surfaces to rows of a view
 *   gststereosurface.c      disparity and shading of one surface
 *   gststereotexture.c      noise and materials
 *
 * Only + - * / and sqrt are used, so machines with IEEE arithmetic render the
 * same bytes.
 */

#ifndef GST_STEREO_SCENE_PRIVATE_H
#define GST_STEREO_SCENE_PRIVATE_H

#include "elements/testsrc/gststereoscene.h"

G_BEGIN_DECLS

#define TEXTURE_SIZE 512
#define TEXTURE_LEVELS 8
#define MAX_TEXTURES 6
#define MAX_SURFACES 16
#define MAX_PATCHES 160
#define MAX_SEGMENTS 256

/* Beyond both ends of every row. */
#define FAR_AWAY 1e5

/* Corridor: nearness of its end, length of a house in distances to the near
 * end. */
#define CORRIDOR_END 0.09
#define HOUSE_LENGTH 1.6

/* R, G, B in units of 1/256 grey level. */
typedef struct
{
  guint16 c[4];
} GstStereoTexel;

/* A periodic image and its reductions by 2, 4, ... */
typedef struct
{
  GstStereoTexel *level[TEXTURE_LEVELS];
} GstStereoTexture;

typedef enum
{
  SHAPE_FLAT,                   /* one disparity, one texel per pixel */
  SHAPE_PLANE,
  SHAPE_ELLIPSOID
} GstStereoShape;

typedef struct
{
  GstStereoShape shape;
  const GstStereoTexture *texture;
  gdouble light;                /* factor of the colour */

  /* Disparity d[0] + d[1] x + d[2] y; SHAPE_FLAT uses d[0] only. */
  gdouble d[3];

  /* Texture coordinates of a plane: s / w + s_offset and t / w + t_offset,
   * where each a[] is a[0] + a[1] x + a[2] y.  SHAPE_FLAT: x + s_offset. */
  gdouble s[3], t[3], w[3];
  gdouble s_offset, t_offset;

  /* ((x - x0) / radius)^2 + ((y - y0) / radius)^2 + ((d - d0) / depth)^2 = 1,
   * rotated about its axis by s_offset texels. */
  gdouble x0, y0, d0, radius, depth;
  gdouble texels_per_radian;
} GstStereoSurface;

typedef enum
{
  PATCH_RECTANGLE,
  PATCH_ELLIPSE,
  PATCH_DIAMOND,
  PATCH_HEXAGON
} GstStereoPatchShape;

/* The visible part of a surface. */
typedef struct
{
  GstStereoPatchShape shape;
  guint surface;
  gdouble x, y, rx, ry;         /* centre and half the size */
  gdouble shear;                /* change of x with y */
} GstStereoPatch;

/* Part of a row of a view, in coordinates of the view. */
typedef struct
{
  guint surface;
  gdouble from, to;
} GstStereoSegment;

/* A pixel that a segment covers in part. */
typedef struct
{
  gint x;
  guint segment;
  gdouble coverage;
} GstStereoEdge;

/* The segments of a row, back to front. */
typedef struct
{
  gdouble position;
  gdouble y;
  gint x, width;                /* columns */
  guint n;
  GstStereoSegment segment[MAX_SEGMENTS];
} GstStereoRow;

struct _GstStereoScene
{
  GstStereoPattern pattern;
  guint64 seed;
  gint width, height;
  gdouble range;                /* largest disparity */
  GstStereoTexture texture[MAX_TEXTURES];

  /* Of the frame. */
  GstStereoSurface surface[MAX_SURFACES];
  guint n_surfaces;
  GstStereoPatch patch[MAX_PATCHES];
  guint n_patches;
  /* Corridor: vanishing point, half the width at the near end, and the distance
   * covered since frame 0. */
  gdouble vanish_x, vanish_y, half_width, distance;

  /* Of the row. */
  gint *visible;                /* index of the segment that covers a pixel */
  gint n_visible;               /* at least the width */
  GstStereoRow row[2];
  GstStereoEdge edge[2 * MAX_SEGMENTS];
};

guint64 gst_stereo_hash (guint64 x);

/* A pseudo-random number from 0 to 1, for each seed and pair of numbers. */
gdouble gst_stereo_random (guint64 seed, guint a, guint b);

static inline gdouble
smoothstep (gdouble x)
{
  x = CLAMP (x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

static inline gdouble
linear (const gdouble a[3], gdouble x, gdouble y)
{
  return a[0] + a[1] * x + a[2] * y;
}

/* Makes the textures of the scene's pattern. */
void gst_stereo_scene_init_textures (GstStereoScene * scene);

/* The disparity of the point of a surface that a view shows at (x, y). */
gdouble gst_stereo_surface_disparity (const GstStereoSurface * surface,
    gdouble position, gdouble x, gdouble y);

/* The colours of n pixels of a view from (x, y) on. */
void gst_stereo_surface_shade (const GstStereoSurface * surface,
    gdouble position, gdouble y, gint x, gint n, guint16 * rgb);

G_END_DECLS

#endif /* GST_STEREO_SCENE_PRIVATE_H */
