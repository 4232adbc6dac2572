/* gst-stereomatching: results of stereo-eval
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef EVAL_H
#define EVAL_H

#include "cli.h"
#include "measure.h"
#include "scene.h"

/* Borrows its strings. */
typedef struct
{
  const char *save;             /* folder for maps and images, or NULL */
  bool keep_going;              /* continue after the failure of a scene */
  bool auc;                     /* evaluate confidences, if available */
  const char *map;              /* a map to evaluate, or NULL; {scene} in it
                                   stands for the name of the scene */
  double map_scale;             /* as for image_read_map() */
  CliInvalid map_invalid;
} EvalOptions;

/* One map of one scene.  Owns error, borrows scene. */
typedef struct
{
  const char *scene;
  int width;
  int height;
  int minimum;                  /* the smallest disparity searched */
  int disparities;              /* searched; 0 = unknown */
  bool official;                /* measured with the benchmark's own masks */
  double milliseconds;          /* of the fastest run; NAN for a given map */
  double density;               /* of the whole map, percent */
  bool has[SCENE_N_REGIONS];    /* measure[] is valid */
  Measure measure[SCENE_N_REGIONS];
  bool has_auc;                 /* the next two are valid where has[] is */
  double auc[SCENE_N_REGIONS];  /* as from measure_auc() */
  double ideal[SCENE_N_REGIONS];
  char *error;                  /* NULL on success; else only scene is set */
} EvalResult;

/* One setup, or one given map, on all scenes. */
typedef struct
{
  const CliSetup *setup;        /* NULL for a given map */
  const char *label;
  char *folder;                 /* for maps and images, or NULL */
  EvalResult *result;           /* n_scenes of the report */
} EvalRun;

typedef struct
{
  const char *backend;          /* NULL if nothing was computed */
  const char *device;
  EvalRun *run;
  size_t n_runs;
  size_t n_scenes;
  size_t rank;                  /* index of the ranking measure, as of
                                   measure_name(), or EVAL_RANK_TIME */
  bool sweep;                   /* print a line for each run */
  bool details;                 /* also print a table for each run */
} EvalReport;

#define EVAL_RANK_TIME 99

/* Fills in the results of all runs, prints failures to stderr, and returns the
 * exit status.  device may be NULL for a given map. */
int eval_run (const EvalOptions * options, StereoDevice * device,
    const SceneList * scenes, EvalReport * report);

/* The index of a name of measure_name(), or of "time"; false for others. */
bool eval_rank_find (const char *name, size_t *rank);
const char *eval_rank_name (size_t rank);

/* The mean of a measure over the regions of all scenes, without those of no
 * pixels; NAN if there are none.
 * For EVAL_RANK_TIME the sum over the scenes, in milliseconds.
 * region SCENE_N_REGIONS: all regions. */
double eval_average (const EvalReport * report, const EvalRun * run,
    size_t rank, int region);

/* Whether the scenes are the four of Middlebury v2 with the official masks:
 * then the average of bad-1 is the figure of merit of that benchmark. */
bool eval_is_v2 (const EvalReport * report, const EvalRun * run);

/* The run that ranks first; NULL if no run is complete. */
const EvalRun *eval_best (const EvalReport * report);

void eval_print_table (const EvalReport * report, FILE * file);
void eval_print_json (const EvalReport * report, FILE * file);
void eval_print_csv (const EvalReport * report, FILE * file);

#endif /* EVAL_H */
