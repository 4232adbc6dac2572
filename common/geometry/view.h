/* gst-stereomatching: views from between the cameras
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The operation "view": what cameras at other positions of the line through
 * both would see, from the left view, its disparities and, if there is one, the
 * right view; one or several of them in a frame.
 *
 * The map is projected, not the colours: each pixel of the new view gets the
 * disparity of what is nearest there, and then fetches its colour from both
 * views at places between pixels, where they see that surface.  What the left
 * view doesn't see is background, and decided about once, in the right view, so
 * that all positions agree.
 *
 * All is integers, rows are independent, and conflicts are solved by the larger
 * disparity, so the order of work does not matter.  Disparities are in 1/256
 * pixel, positions in 1/65536 of a baseline; >> rounds down.  W is the width,
 * P the position, J and T are join, shift (Q, e) = (Q e + 32768) >> 16.
 *
 * 0. A code becomes e = ((code K + 32768) >> 16) + 256 minimum, where K is
 *    2^24 / scale, rounded, limited to 24 bits with sign; those of a map of 1/k
 *    of the size stand for k x k pixels and are multiplied by k.
 * 1. Fill: each run without disparities gets the smaller one of those at its
 *    ends, or the only one, or 0.  E is the filled row.
 * 2. Project (E, Q): pixel x gets to X(x) = 256 x - shift (Q, E[x]) and covers
 *    what lies from lo to hi, which is half way to a neighbour whose disparity
 *    differs by no more than J, else half a pixel.  Of several the largest
 *    disparity counts; Z[v] is none where there is none.
 * 3. With a right view B = fill (project (E, 65536)).
 * 4. Z = project (E, P); where that has none, project (B, P - 65536); filled.
 * 5. A pixel with a direct neighbour whose disparity is larger by more than J
 *    is an edge pixel, in E and in B.
 * 6. Fetch from the left view at S = 256 v + shift (P, Z[v]) with E, from the
 *    right one at S = 256 v + shift (P - 65536, Z[v]) with B, linearly between
 *    the two pixels there.  A pixel counts if its weight isn't 0 and its
 *    disparity differs from Z[v] by no more than T.  The quality is 1 if one is
 *    an edge pixel, else 2.
 * 7. Blend by distance, and by quality: an edge pixel has an eighth of the
 *    weight.
 * 8. A run that no view sees gets the mean of up to four pixels beyond its end
 *    with the smaller Z.
 *
 * With a convergence C, t = ((P - Pc) C + 32768) >> 16 is added to X in steps 2
 * and 4, and S is at 256 v - t; Pc is the position of the frame's middle.
 *
 * YUV is three channels in 4:4:4 in between, with the chroma of the block that
 * a pixel is in, and the mean of those of a block in the end.
 */

#ifndef STEREO_VIEW_H
#define STEREO_VIEW_H

#include "core/runner.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a frame holds.  Two views are those of the left and of the right eye. */
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
  int anaglyph;                 /* StereoViewAnaglyph */
  double scale;                 /* of the map: codes for a pixel, */
  int minimum;                  /* disparity of code 0, in pixels */
  int invalid_value;            /* code without a disparity, -1 = none */
  bool full_range;              /* of YUV: black is 0 and not 16; not in the
                                 * table, as caps say so */
} StereoViewParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_view_params[];
extern const StereoEnumValue stereo_view_layout_values[];
extern const StereoEnumValue stereo_view_anaglyph_values[];
extern const StereoEnumValue stereo_view_blending_values[];

/*
 * Inputs "left", "right", which is optional, of the same format and size, and
 * "disparity", GRAY16_LE or GRAY8, of their size divided by 1 to 8 and rounded
 * up; output "frame", of their format and the size that the layout makes of
 * theirs.  Parameters StereoViewParams.
 */
extern const StereoOp stereo_view_op;

/* Views of a frame, and what that makes of the size of one. */
int stereo_view_count (const StereoViewParams * params);
void stereo_view_frame_size (const StereoViewParams * params, int width,
    int height, int *frame_width, int *frame_height);

/* The k by which width x height has to be divided for a map of that size; 0:
 * there is none. */
int stereo_view_map_factor (int width, int height, int map_width,
    int map_height);

/* Parameters for the frames from now on: of a configured runner of this
 * operation, which keeps its layout. */
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

/* How a format is read and written: the channels of a pixel become bytes 0 to 2
 * of a word, those of RGB in their order in memory.  Wide ones become three
 * numbers of up to 16 bits. */
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

/* One frame, for the stage. */
typedef struct
{
  int width;                    /* of a view */
  int height;
  StereoViewFormat format;
  StereoOpImage left;
  StereoOpImage right;          /* plane[0] is NULL where there is none */
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
  uint32_t eye_mask;            /* of an anaglyph: bits of the left eye, */
  bool luma[2];                 /* and eyes whose luma is to be taken */
  const StereoViewShot *shots;  /* n_views, in host memory */
  void *work;                   /* what work_bytes() said */
} StereoViewFrame;

/* Stage table "view". */
typedef struct
{
  /* Device memory for frames of this kind: no images yet, and no shots. */
  size_t (*work_bytes) (const StereoDevice * device,
      const StereoViewFrame * frame);
  StereoStatus (*render) (StereoQueue * queue, const StereoViewFrame * frame);
} StereoViewStages;

const void *stereo_view_stages_cpu (StereoSimd simd);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_VIEW_H */
