/* gst-stereomatching: matching algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An algorithm is a parameter table, plan() and run().  plan() derives
 * constants from parameters and declares buffers; run() is the control flow of
 * a frame and calls stages.  A stage is one data-parallel step.  Every backend
 * fills the same table of stages, and their results are bit-exact.  Stages
 * return a StereoStatus and leave the message in queue->message.
 */

#ifndef STEREO_ALGORITHM_H
#define STEREO_ALGORITHM_H

#include "core/operation.h"
#include "core/params.h"
#include "cost/learned.h"
#include "cost/words.h"
#include "cost/search.h"
#include "image/view.h"
#include "match/range.h"
#include "refine/refine.h"

/*
 * Storage for a backend's pointers into work memory, which the plan() of its
 * stage table sets.  An algorithm's header only declares the structure (struct
 * StereoVcbwWork); each backend defines its own.
 */
typedef union
{
  void *pointer;
  uint64_t word;
  unsigned char bytes[512];
} StereoWork;

/* Checks that a Work fits StereoWork. */
#ifdef __cplusplus
#define STEREO_CHECK_WORK(Work) \
  static_assert (sizeof (Work) <= sizeof (StereoWork), "too large")
#else
#define STEREO_CHECK_WORK(Work) \
  _Static_assert (sizeof (Work) <= sizeof (StereoWork), "too large")
#endif

/* Parameters shared by all algorithms. */
typedef struct
{
  unsigned num_disparities;
  int min_disparity;
  unsigned disparity_scale;
  unsigned invalid_value;
  bool median;
  unsigned temporal;
} StereoCommonParams;

/* Terminated by STEREO_PARAM_END. */
extern const StereoParamSpec stereo_common_params[];

/* A parameter set: shared parameters and those of the algorithm. */
struct StereoParams
{
  const StereoAlgorithm *algorithm;
  StereoCommonParams common;
  StereoRefineParams refine;    /* only if the algorithm refines */
  StereoNetwork network;        /* of cost=learned */
  void *own;
};

/* An algorithm's default of a shared parameter. */
typedef struct
{
  const char *name;             /* NULL ends a list */
  double initial;
} StereoParamDefault;

/* A task that run() may submit with submit_both(), to use multiprocessors that
 * its own work leaves idle. */
typedef struct
{
  StereoTask task;
  bool submitted;
} StereoConcurrentTask;

/* Arguments of run(). */
typedef struct
{
  const StereoSearch *search;
  const void *plan;             /* initialized by plan() */
  StereoQueue *queue;
  StereoView left;
  StereoView right;
  StereoWords left_words;       /* if the cost uses words */
  StereoWords right_words;
  StereoRanges ranges;          /* if the search has ranges */
  /* The destination of disparities: winners if not NULL (only with refinement),
   * otherwise codes to output if not NULL, otherwise indices to map.  Subpixel
   * algorithms always have an output. */
  const StereoWinners *winners;
  StereoMap map;
  const StereoOutput *output;
  /* Requested results by StereoResult, or NULL.
   * results[STEREO_RESULT_DISPARITY] is output. */
  const StereoOutput *results[STEREO_N_RESULTS];
  StereoTimestamps *timestamps; /* for stereo_stage_end(), or NULL */
  StereoConcurrentTask *concurrent;     /* or NULL */
} StereoMatchFrame;

struct StereoAlgorithm
{
  const char *name;
  const char *title;
  const char *reference;
  bool uses_color;              /* 3 channels if both views have them */
  /* Optional, with uses_color and refines: whether these parameters use
   * colour. */
  bool (*wants_color) (const void *params, const StereoRefineParams * refine);
  /* Has stereo_refine_params, uses their cost, writes winners on request, and
   * supports confidence. */
  bool refines;
  /* With refines: has stereo_check_params. */
  bool checks_mutually;
  /* Defaults of shared parameters, or NULL. */
  const StereoParamDefault *defaults;
  /* Disparities are real numbers: without winners, run() encodes them with
   * stereo_store_value(), and the median is computed on codes. */
  bool subpixel;
  /* 1u << StereoResult for each result other than the disparity. */
  unsigned results;
  const StereoParamSpec *params;        /* terminated by a NULL name */
  size_t params_size;
  size_t plan_size;

  /* Initializes plan and declares its buffers, whose addresses are valid in
   * run().  Those that prepare() writes come first, followed by a mark of the
   * arena.  stages is the backend's stage table.  A message with STEREO_OK is
   * logged as a warning. */
  StereoStatus (*plan) (const StereoSearch * search, const void *params,
      const void *stages, void *plan, StereoArena * arena,
      StereoMessage * why);
  /* Optional: the work before run() that needs neither words nor ranges, which
   * may be computed at the same time. */
  StereoStatus (*prepare) (const StereoMatchFrame * frame,
      const void *stages);
  StereoStatus (*run) (const StereoMatchFrame * frame, const void *stages);

  /* Optional, without refines: sets the refinement of the algorithm's own
   * parameters.  If any is wanted, run() writes winners, those that fail the
   * left-right check as STEREO_NO_WINNER. */
  void (*get_refine) (const void *params, StereoRefineParams * refine);

  /* Optional, with refines: whether these parameters restrict the disparities
   * of a search, whose size and disparities are set, to ranges
   * (match/range.h). */
  bool (*wants_ranges) (const StereoSearch * search, const void *params);

  /* Optional, with refines: disables refinement steps that these parameters do
   * not support. */
  void (*limit_refine) (const void *params, StereoRefineParams * refine);

  /* Optional, with refines: the step between speckle filter and hole filling,
   * if these parameters want it.  Assigns codes to invalid pixels of map and
   * keeps all others.  frame->winners are those of run(). */
  bool (*wants_vote) (const void *params);
  StereoStatus (*vote) (const StereoMatchFrame * frame, const void *stages,
      const StereoMap * map);
};

#endif /* STEREO_ALGORITHM_H */
