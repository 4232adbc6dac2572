/* gst-stereomatching: semi-global matching
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * After
 *
 *   H. Hirschmueller: "Stereo processing by semiglobal matching and mutual
 *   information", IEEE Transactions on Pattern Analysis and Machine
 *   Intelligence 30 (2), 2008
 *
 * and, for fast implementations on the CPU and on GPUs,
 *
 *   R. Spangenberg, T. Langner, S. Adfeldt, R. Rojas: "Large scale semi-global
 *   matching on the CPU", IEEE Intelligent Vehicles Symposium, 2014
 *   D. Hernandez-Juarez et al.: "Embedded real-time stereo estimation via
 *   semi-global matching on the GPU", ICCS 2016
 *
 * The cost of a disparity d at pixel p is aggregated along paths.  On the path
 * of direction r it is
 *
 *   L (p, d) = C (p, d) + min (q (d), q (d - 1) + P1, q (d + 1) + P1, m + P2)
 *       - m,    m = min over d of q (d)
 *
 * where q is L of the predecessors: with one predecessor, L at p - r.  C is the
 * matching cost, 0 to 255; a pixel without predecessor has L = C.  Penalties
 * are lower at intensity edges: with g the largest difference of a channel
 * between p and p - r in the left view,
 *
 *   P2 = max (p2_min, floor (4 p2 / max (4, g) + 1/2)),   P1 = min (p1, P2)
 *
 * Three predecessors, an extension of this project: the sweeps go down, up, to
 * the right and to the left, over lines (rows or columns).  The three nearest
 * pixels of the line before, A at p - r and its neighbours B and E at the lower
 * and the higher position, are averaged by their similarity to p:
 *
 *   q (d) = (wA L (A, d) + wB L (B, d) + wE L (E, d) + 32) >> 6
 *   wB = floor ((128 uB + t) / (2 t)), wE likewise, wA = 64 - wB - wE,
 *   t = uA + uB + uE, u = T[g] = max (1, floor (255 exp (-g / 12) + 1/2))
 *
 * with u = 0 for B or E outside the image or the strip.  Strips of
 * STEREO_SGM_STRIP pixels divide the lines; their sweeps are independent.
 *
 * Ranges (match/range.h), with three predecessors only: L exists in the range
 * of a tile, which A, B and E share, as tiles consist of whole strips.  q is
 * STEREO_SGM_NO_PATH outside that range and the range of p: the largest L,
 * and not below m + P2 unless all of q are outside; then L = C.  Winners have
 * the lowest sums in the ranges.
 *
 * The winner has the lowest sum over the sweeps, on a tie the lowest disparity.
 * L is at most 255 plus the largest P2, and sums fit 16 bits.
 */

#ifndef STEREO_SGM_H
#define STEREO_SGM_H

#include "match/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_SGM_STRIP 16
#define STEREO_SGM_MAX_SWEEPS 8

/* 255 plus the maximum P2: L fits 10 bits. */
#define STEREO_SGM_NO_PATH 1023

typedef enum
{
  STEREO_SGM_RANGE_AUTO = 0,
  STEREO_SGM_RANGE_FULL,
  STEREO_SGM_RANGE_HALF_SIZE
} StereoSgmRange;

typedef struct
{
  unsigned predecessors;
  unsigned paths;
  unsigned p1;
  unsigned p2;
  unsigned p2_min;
  bool adaptive_penalty;
  int range;                    /* StereoSgmRange */
} StereoSgmParams;

/* Penalties at a difference of g. */
typedef struct
{
  uint16_t p1;
  uint16_t p2;
} StereoSgmPenalty;

/* A direction; columns and rows from a pixel's predecessor to the pixel. */
typedef struct
{
  int8_t dx;
  int8_t dy;
} StereoSgmSweep;

/* Constants of a search, passed to kernels by value. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of both views */
  int cost;                     /* StereoCostKind */
  int min_disparity;
  int first_index;              /* as in StereoSearch */
  int n;                        /* disparities from there on */
  int n_sweeps;                 /* 4, or 8 with diagonals */
  bool three;                   /* three predecessors, else one */
  bool ranges;                  /* views have ranges; only if three */
  StereoSgmPenalty penalty[256];        /* by g */
  uint8_t similarity[256];      /* T, by g */
} StereoSgmConstants;

/* The directions: horizontal, then vertical, then diagonal ones. */
extern const StereoSgmSweep stereo_sgm_sweeps[STEREO_SGM_MAX_SWEEPS];

/* Work memory of a device; buffers that a backend does not use are NULL.  L,
 * sums and costs are contiguous in disparity. */
typedef struct
{
  uint16_t *sums;
  uint16_t *lines;              /* L at the front of the sweeps */
  uint16_t *checkpoints;        /* L from which sweeps resume */
  uint16_t *tile_checkpoints;   /* the same at tile borders, of each thread */
  uint16_t *scratch;            /* of each thread */
  uint8_t *costs;               /* C */
  uint8_t *column_costs;        /* C of a few columns, of each thread */
  uint8_t *rows;                /* the right view, mirrored */
  uint8_t *differences;         /* g of rows and neighbours */
  uint32_t *right;              /* current right winners, of each thread */
  uint32_t *steps;              /* penalties and weights, of each sweep */
  uint32_t *progress;           /* processed tiles, of each band */
} StereoSgmWork;

/* Input of the stages. */
typedef struct
{
  StereoView left;
  StereoView right;
  StereoWords left_words;
  StereoWords right_words;
  StereoRanges ranges;
} StereoSgmViews;

/* Output of the stages, as in StereoMatchFrame. */
typedef struct
{
  const StereoWinners *winners;
  StereoMap map;
  const StereoOutput *output;
} StereoSgmResult;

/* Stage table "sgm": either sweep and finish, or match for a whole frame. */
typedef struct
{
  /* Declares the work memory, that of prepare first; n_threads is that of the
   * search. */
  StereoStatus (*plan) (const StereoSgmConstants * k, unsigned n_threads,
      StereoSgmWork * work, StereoArena * arena, StereoMessage * why);
  /* Adds L of a sweep to the sums; the first sweep initialises them. */
  StereoStatus (*sweep) (StereoQueue * queue, const StereoSgmConstants * k,
      const StereoSgmViews * views, int sweep, const StereoSgmWork * work);
  /* Winner-take-all. */
  StereoStatus (*finish) (StereoQueue * queue, const StereoSgmConstants * k,
      const StereoSgmViews * views, const StereoSgmWork * work,
      const StereoSgmResult * result);

  /* Optional, before match: the part that needs neither words nor ranges. */
  StereoStatus (*prepare) (StereoQueue * queue, const StereoSgmConstants * k,
      const StereoSgmViews * views, const StereoSgmWork * work,
      const StereoSgmResult * result);
  /* concurrent: as in StereoMatchFrame */
  StereoStatus (*match) (StereoQueue * queue, const StereoSgmConstants * k,
      const StereoSgmViews * views, const StereoSgmWork * work,
      const StereoSgmResult * result, StereoConcurrentTask * concurrent);
} StereoSgmStages;

/* Computes the constants of a search. */
void stereo_sgm_constants (const StereoSearch * search,
    const StereoSgmParams * params, StereoSgmConstants * constants);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_SGM_H */
