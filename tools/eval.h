/* gst-stereomatching: what stereo-eval found, and how it says it
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef EVAL_H
#define EVAL_H

#include "cli.h"
#include "measure.h"
#include "scene.h"

/* Exit statuses. */
#define EVAL_FAILED 1           /* it could not be computed or written */

/* How to run; borrows its strings. */
typedef struct
{
  const char *save;             /* folder for maps and pictures, or NULL */
  bool keep_going;              /* with other scenes after a failure */
  bool auc;                     /* judge confidences, where there are any */
  const char *map;              /* to judge instead of computing, or NULL;
                                   {scene} in it stands for the scene's name */
  double map_scale;             /* as image_read_map() has them */
  double map_invalid;
  bool use_map_invalid;
} EvalOptions;

/* One map of one scene.  Owns error, borrows scene. */
typedef struct
{
  const char *scene;
  int width;
  int height;
  int disparities;              /* that were searched; 0 = unknown */
  bool official;                /* measured with a benchmark's own masks */
  double milliseconds;          /* of the fastest run; NAN for a given map */
  double density;               /* of the whole map, percent */
  bool has[SCENE_N_REGIONS];    /* measure[] is there */
  Measure measure[SCENE_N_REGIONS];
  bool has_auc;                 /* the next two are there, region by region */
  double auc[SCENE_N_REGIONS];  /* as measure_auc() has them */
  double ideal[SCENE_N_REGIONS];
  char *error;                  /* NULL: it went well; else the rest is unset */
} EvalResult;

/* One setup, or one given map, on all scenes. */
typedef struct
{
  const CliSetup *setup;        /* NULL for a given map */
  const char *label;
  EvalResult *result;           /* n_scenes of the report */
} EvalRun;

typedef struct
{
  const char *backend;          /* NULL when nothing was computed */
  const char *device;
  EvalRun *run;
  size_t n_runs;
  size_t n_scenes;
  size_t rank;                  /* the measure that counts, of measure_name(),
                                   or EVAL_RANK_TIME */
  bool sweep;                   /* a line for each run is wanted */
  bool details;                 /* a table for each run as well */
} EvalReport;

#define EVAL_RANK_TIME 99

/* Fills in the results of all runs, says on the standard error output what
 * failed, and returns the exit status.  device may be NULL for a given map. */
int eval_run (const EvalOptions * options, StereoDevice * device,
    const SceneList * scenes, EvalReport * report);

/* The index of a name of measure_name(), or of "time"; false for others. */
bool eval_rank_find (const char *name, size_t *rank);
const char *eval_rank_name (size_t rank);

/* The plain mean of a measure over the regions of all scenes, NAN when there
 * are none.  For EVAL_RANK_TIME the sum over scenes, in milliseconds.
 * region SCENE_N_REGIONS: all of them. */
double eval_average (const EvalReport * report, const EvalRun * run,
    size_t rank, int region);

/* Whether the scenes are the four of Middlebury v2 with the official masks, so
 * that the average of bad-1 is that benchmark's figure of merit. */
bool eval_is_v2 (const EvalReport * report, const EvalRun * run);

/* The run that ranks first; NULL when none has a rank. */
const EvalRun *eval_best (const EvalReport * report);

void eval_print_table (const EvalReport * report, FILE * file);
void eval_print_json (const EvalReport * report, FILE * file);
void eval_print_csv (const EvalReport * report, FILE * file);

#endif /* EVAL_H */
