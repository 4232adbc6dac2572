/* gst-stereomatching: virtual views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "view" renders virtual views, from cameras on the line through
 * the two real ones, into one frame.  It takes the left view, its disparities,
 * and optionally the right view.
 *
 * Disparities are projected, not colours.  A pixel of the new view gets the
 * disparity of the nearest surface there, and fetches its colour from both
 * source views.  Background that is occluded in the left view is completed
 * once, in the right view, so that all positions agree.
 *
 * The arithmetic is integer, rows are independent, and the larger disparity
 * wins, so the order of work does not matter.  Disparities are in 1/256 pixel,
 * positions in 1/65536 baseline.  >> rounds down.  W is the width, P the
 * position, J and T are join, and shift (Q, e) = (Q e + 32768) >> 16.
 *
 * 0. Decode: e = ((code K + 32768) >> 16) + 256 minimum, clamped to 24 bits
 *    with sign, where K is 2^24 / scale, rounded.  Codes of a map of 1/k of the
 *    size cover k x k pixels and are multiplied by k.
 * 1. Fill: a run of invalid pixels gets the smaller disparity of its two ends,
 *    or the only one, or 0.  E is the filled row.
 * 2. Project (E, Q): pixel x moves to X(x) = 256 x - shift (Q, E[x]).  It
 *    covers the range up to half way to neighbours whose disparity differs by
 *    at most J, otherwise half a pixel.  The largest disparity wins.  Z[v] is
 *    none where nothing is projected.
 * 3. With a right view, B = fill (project (E, 65536)).
 * 4. Z = project (E, P), completed by project (B, P - 65536), then filled.
 * 5. An edge pixel of E or B has a direct neighbour whose disparity is larger
 *    by more than J.
 * 6. Fetch from the left view at S = 256 v + shift (P, Z[v]) with E, and from
 *    the right view at S = 256 v + shift (P - 65536, Z[v]) with B,
 *    interpolating between two pixels.  A pixel is visible if its weight is not
 *    0 and its disparity differs from Z[v] by at most T.  The quality is 1 if
 *    one of the two is an edge pixel, otherwise 2.
 * 7. Blend by distance and quality: edge pixels have an eighth of the weight.
 * 8. A run that is visible in no view gets the mean of up to four pixels beyond
 *    its end with the smaller Z.
 *
 * With a convergence C, t = ((P - Pc) C + 32768) >> 16 is added to X in steps 2
 * and 4, and S is at 256 v - t.  Pc is the position of the middle of the frame.
 *
 * YUV is processed as 4:4:4, with the chroma of the block of a pixel.  A block
 * gets the mean chroma of its pixels.  The byte of a pixel that is no channel
 * is 255.
 */

#ifndef STEREO_VIEW_H
#define STEREO_VIEW_H

#include "core/runner.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two views are those of the left and of the right eye. */
typedef enum
{
  STEREO_VIEW_MONO = 0,
  STEREO_VIEW_SIDE_BY_SIDE,
  STEREO_VIEW_TOP_BOTTOM,
  STEREO_VIEW_ROW_INTERLEAVED,  /* even rows are the left eye's, */
  STEREO_VIEW_COLUMN_INTERLEAVED,       /* even columns, */
  STEREO_VIEW_CHECKERBOARD,     /* those with an even x + y */
  STEREO_VIEW_ANAGLYPH,
  STEREO_VIEW_QUILT,            /* the leftmost view is bottom left */
  STEREO_VIEW_N_LAYOUTS
} StereoViewLayout;

typedef enum
{
  STEREO_VIEW_RED_CYAN = 0,     /* R of the left eye, G and B of the right */
  STEREO_VIEW_GREEN_MAGENTA,    /* G, R and B */
  STEREO_VIEW_AMBER_BLUE,       /* R and G, B */
  STEREO_VIEW_HALF_COLOR,       /* luma in R, G and B */
  STEREO_VIEW_GREY              /* luma in R, luma in G and B */
} StereoViewAnaglyph;

typedef enum
{
  STEREO_VIEW_DISTANCE = 0,
  STEREO_VIEW_NEAREST
} StereoViewBlending;

typedef struct
{
  double position;              /* of the frame's middle; 0 left, 1 right */
  double separation;            /* of the outermost views, in baselines */
  double convergence;           /* pixels */
  double join;                  /* pixels */
  int blending;                 /* StereoViewBlending */
  int layout;                   /* StereoViewLayout */
  unsigned columns;             /* of a quilt */
  unsigned rows;
  unsigned tile_width;          /* of the views; 0 = any */
  unsigned tile_height;
  int anaglyph;                 /* StereoViewAnaglyph */
  double scale;                 /* disparity codes per pixel */
  int minimum;                  /* disparity of code 0, in pixels */
  int invalid_value;            /* -1 = none */
  /* not in the parameter table */
  bool full_range;              /* of YUV: black is 0 instead of 16 */
} StereoViewParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_view_params[];
extern const StereoEnumValue stereo_view_layout_values[];
extern const StereoEnumValue stereo_view_anaglyph_values[];
extern const StereoEnumValue stereo_view_blending_values[];

/*
 * Inputs "left" and "right" (optional) of the same format and size, and
 * "disparity", GRAY16_LE or GRAY8, of their size divided by 1 to 8 and rounded
 * up.  Output "frame" of their format, and of stereo_view_frame_size().
 * Parameters StereoViewParams.
 */
extern const StereoOp stereo_view_op;

/* The number of views in a frame, and its size from that of a view. */
int stereo_view_count (const StereoViewParams * params);
void stereo_view_frame_size (const StereoViewParams * params, int width,
    int height, int *frame_width, int *frame_height);

/* Whether views have the size that these parameters require. */
bool stereo_view_fits_tile (const StereoViewParams * params, int width,
    int height);

/* The k from 1 to 8 by which the size of a view is divided to get that of the
 * map; 0 = none. */
int stereo_view_map_factor (int width, int height, int map_width,
    int map_height);

/* Sets the parameters of the next frames of a configured runner.  The layout
 * must not change. */
StereoStatus stereo_view_set_params (StereoRunner * runner,
    const StereoViewParams * params);

/* -------------------------------------------------------------------- stage */

#define STEREO_VIEW_MAX 256     /* views of a frame */

/* One view. */
typedef struct
{
  int32_t position;             /* P */
  int32_t offset;               /* t */
  /* The weight of the right view, in 1/65536, where both see the pixel, by
   * quality less 1 of the left and of the right one. */
  uint32_t weight[2][2];
} StereoViewShot;

/* How a format is read and written.  The channels of a pixel become bytes 0 to
 * 2 of a word, in memory order for RGB; wide ones become three numbers of up to
 * 16 bits. */
typedef struct
{
  bool yuv;
  bool wide;                    /* samples of 16 bits, little endian, whose */
  uint8_t padding;              /* lowest bits are no part of the number */
  uint8_t pixel_bytes;          /* of plane 0 */
  uint8_t first;                /* the byte that becomes byte 0 */
  uint8_t channels;             /* of plane 0: 1 or 3 */
  uint8_t u_plane;
  uint8_t u_offset;
  uint8_t v_plane;
  uint8_t v_offset;
  uint8_t chroma_bytes;
  uint8_t shift_x;
  uint8_t shift_y;
  uint8_t r;                    /* where R, G and B are in a word, in bits */
  uint8_t g;
  uint8_t b;
} StereoViewFormat;

/* The arguments of the stage. */
typedef struct
{
  int width;                    /* of a view */
  int height;
  StereoViewFormat format;
  StereoOpImage left;
  StereoOpImage right;          /* plane[0] = NULL: none */
  StereoOpImage frame;
  const uint8_t *codes;
  size_t codes_stride;          /* bytes */
  int code_bytes;
  int factor;                   /* k */
  uint32_t scale_high;          /* K / 65536, */
  uint32_t scale_low;           /* and the rest */
  int32_t minimum;              /* in 1/256 pixel */
  uint32_t invalid;             /* a code, or larger than all */
  int32_t join;                 /* J and T */
  uint16_t black[3];            /* its channels */
  int layout;
  int columns;                  /* tiles of a frame */
  int n_views;
  uint32_t eye_mask;            /* anaglyph: bits of the left eye */
  bool luma[2];                 /* eyes that are shown as luma */
  const StereoViewShot *shots;  /* n_views, in host memory */
  void *work;                   /* of work_bytes() */
} StereoViewFrame;

/* Stage table "view". */
typedef struct
{
  /* Device memory for such frames.  Images and shots are not set yet. */
  size_t (*work_bytes) (const StereoDevice * device,
      const StereoViewFrame * frame);
  StereoStatus (*render) (StereoQueue * queue, const StereoViewFrame * frame);
} StereoViewStages;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_VIEW_H */
