/* gst-stereomatching: common code of the bp kernels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The disparities of a pixel are distributed over 1, 2, 4, ... 32 lanes of a
 * warp, 16 neighbouring ones per lane (8 for float; 2 or 4 times as many if 32
 * lanes do not suffice).  So the four incoming messages of a pixel, their sum
 * and the four outgoing ones stay in registers, and each is read and written
 * once.  The pixels of a warp are neighbours of one checkerboard colour in a
 * row.
 */

#ifndef STEREO_BP_CUH
#define STEREO_BP_CUH

#include "match/bp/bp-formula.h"
#include "core/queue-cuda.h"

struct StereoBpWork
{
  void *left;                   /* prepared views */
  void *right;
  void *rows[2];                /* smoothed along rows */
  void *barrier;                /* of all blocks */
  void *done[STEREO_BP_MAX_LEVELS];     /* rows of a level */
  void *table;                  /* jump and M by difference */
  void *guides[STEREO_BP_MAX_LEVELS];   /* the left view of levels above 0 */
  void *edges[STEREO_BP_MAX_LEVELS];
  void *level_0;                /* data costs */
  void *messages[2];            /* of even and odd levels; data costs of levels
                                 * above 0 follow */
};

STEREO_CHECK_WORK (StereoBpWork);

/* Columns before the first one in the row of a view. */
const int bp_view_margin = 32;

/* Words between two counters that many warps poll. */
const int bp_done_pitch = 32;

/* How warps traverse the rows of a level, one tile of neighbouring pixels at a
 * time.  The next tile of a warp is n_warps tiles further. */
struct BpTiles
{
  int in_row;
  float inverse;                /* 1 / in_row */
  int rows_on;                  /* n_warps / in_row */
  int on;                       /* n_warps % in_row */
};

struct BpLevel
{
  int width;
  int height;
  int pitch;                    /* pixels of one colour in a row */
  uint32_t *guide;              /* the left view, NULL on level 0 */
  uint8_t *edges;               /* records, NULL: all are a.bounds */
  uint4 *messages[8];           /* a plane for 2 direction + colour */
  uint8_t *data;
  unsigned row;                 /* parts of a row of such a plane */
  BpTiles all;                  /* of one colour */
  BpTiles inner;                /* of those off the frame */
  /* Processed tiles of each row over all iterations, bp_done_pitch words apart;
   * row 0, of the frame, counts the warps that have copied their part. */
  unsigned *done;
  bool together;                /* iterations are one step */
};

struct BpArgs
{
  BpLevel level[STEREO_BP_MAX_LEVELS];
  int n_levels;
  int data_steps;               /* for levels 0 and 1, then one for each */
  int iterations;
  int first_step;
  int end_step;
  bool inner;                   /* the image has pixels off the frame */

  int count;                    /* disparities */
  int groups;                   /* lanes of a pixel with disparities */
  int message_parts;            /* of a pixel, for one direction */
  int first_index;
  int first_disparity;          /* min_disparity + first_index */

  /* Views of luma: bytes, if bytes is set, else 16 bits; or words of a cost
   * or of R, G and B. */
  StereoCostKind cost;
  const uint8_t *left;
  const uint8_t *right;
  int view_pitch;               /* elements */
  bool bytes;
  bool scaled;                  /* the following apply to words, too */
  uint32_t limit;               /* for bytes, see bp-views.cu */
  uint32_t factor;
  uint32_t bias;
  uint32_t mask;
  int shift;
  uint32_t difference_limit;    /* as in StereoBpConstants */
  uint32_t gain;

  uint32_t max_data;
  uint32_t bounds[8];           /* a record, without edges */
  const uint2 *table;           /* jump and M by difference */
  int rounds;                   /* messages reach 2^rounds lanes away */

  bool gives_winners;           /* instead of a map or codes */
  int rows_at_once;             /* of a block that gives winners */
  StereoWinners winners;
  StereoMap map;
  StereoOutput output;
  bool encode;
  unsigned *barrier;            /* 0 at the start of a frame */
};

typedef void (*BpStepsKernel) (const BpArgs);

/* Distribution of the disparities of a pixel. */
struct BpShape
{
  BpStepsKernel kernel;
  int words;                    /* of a lane */
  int values;
  int lanes;
  int groups;                   /* lanes with values */
  int threads;                  /* maximum of a block */
  int message_parts;            /* of a pixel, in one direction */
  int data_bytes;
  int level_0_bytes;            /* of data costs */
};

/* Words of shared memory for the winners of a right row. */
static __host__ __device__ __forceinline__ int
bp_row_words (int width)
{
  return (width + 31) / 32 * 32;
}

/* bp-views.cu: input of the data costs of level 0. */
void stereo_bp_plan_views_cuda (const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena);
void stereo_bp_find_views_cuda (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work, BpArgs * a);
void stereo_bp_prepare_views_cuda (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work, const BpArgs & a);

/* bp-edges.cu: the records of level 0, and the left view of level 1. */
void stereo_bp_plan_edges_cuda (const StereoBpConstants * k,
    StereoBpWork * work, StereoArena * arena);
void stereo_bp_find_edges_cuda (const StereoBpConstants * k,
    const StereoBpWork * work, BpArgs * a);
void stereo_bp_prepare_edges_cuda (const StereoMatchFrame * frame,
    const StereoBpConstants * k, const StereoBpWork * work, const BpArgs & a);

/* bp-steps-int8.cu, bp-steps-half.cu and bp-steps-float.cu: the shape for a
 * number of disparities in one precision. */
BpShape stereo_bp_find_shape_int8_cuda (int count);
BpShape stereo_bp_find_shape_half_cuda (int count);
BpShape stereo_bp_find_shape_float_cuda (int count);

/* bp-launch.cu: the shape for the disparities of k, the shared memory of a
 * block for views of any height, and all steps of a frame. */
BpShape stereo_bp_find_shape_cuda (const StereoBpConstants * k);
size_t stereo_bp_shared_bytes_cuda (const BpShape & s, const BpArgs & a);
void stereo_bp_launch_steps_cuda (StereoQueue * queue, const BpShape & s,
    BpArgs & a);

#endif /* STEREO_BP_CUH */
