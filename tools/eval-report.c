/* gst-stereomatching: output of stereo-eval
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "eval.h"

#include <math.h>
#include <string.h>

/* Maximum number of runs side by side. */
#define MAX_COLUMNS 8

/* The only measure whose larger values are better. */
#define DENSITY "density"

bool
eval_rank_find (const char *name, size_t *rank)
{
  if (strcmp (name, "time") == 0) {
    *rank = EVAL_RANK_TIME;
    return true;
  }
  for (size_t i = 0; measure_name (i) != NULL; i++) {
    if (strcmp (measure_name (i), name) == 0) {
      *rank = i;
      return true;
    }
  }
  return false;
}

const char *
eval_rank_name (size_t rank)
{
  return rank == EVAL_RANK_TIME ? "time" : measure_name (rank);
}

/* Whether a region has errors: an empty mask has no pixels. */
static bool
is_measured (const EvalResult * result, int region)
{
  return result->has[region] && result->measure[region].pixels > 0;
}

double
eval_average (const EvalReport * report, const EvalRun * run, size_t rank,
    int region)
{
  double sum = 0;
  unsigned n = 0;

  for (size_t i = 0; i < report->n_scenes; i++) {
    const EvalResult *result = &run->result[i];

    if (result->error != NULL)
      continue;
    if (rank == EVAL_RANK_TIME) {
      sum += result->milliseconds;
      n = 1;
      continue;
    }
    for (int r = 0; r < SCENE_N_REGIONS; r++) {
      if (!is_measured (result, r)
          || (region != SCENE_N_REGIONS && region != r))
        continue;
      sum += measure_value (&result->measure[r], rank);
      n++;
    }
  }
  return n > 0 ? sum / n : NAN;
}

bool
eval_is_v2 (const EvalReport * report, const EvalRun * run)
{
  unsigned seen = 0;

  if (report->n_scenes != SCENE_N_V2)
    return false;
  for (size_t i = 0; i < SCENE_N_V2; i++) {
    const EvalResult *result = &run->result[i];

    if (result->error != NULL || !result->official)
      return false;
    for (int r = 0; r < SCENE_N_REGIONS; r++) {
      if (!is_measured (result, r))
        return false;
    }
    for (unsigned n = 0; n < SCENE_N_V2; n++)
      seen |= (unsigned) (strcmp (result->scene, scene_v2_names[n]) == 0) << n;
  }
  return seen == (1u << SCENE_N_V2) - 1;
}

const EvalRun *
eval_best (const EvalReport * report)
{
  const char *name = eval_rank_name (report->rank);
  double sign = strcmp (name, DENSITY) == 0 ? -1 : 1, least = INFINITY;
  const EvalRun *best = NULL;

  for (size_t i = 0; i < report->n_runs; i++) {
    const EvalRun *run = &report->run[i];
    double value = sign * eval_average (report, run, report->rank,
        SCENE_N_REGIONS);
    bool complete = true;

    for (size_t s = 0; s < report->n_scenes; s++)
      complete &= run->result[s].error == NULL;
    /* also false for NAN */
    if (complete && value < least) {
      least = value;
      best = run;
    }
  }
  return best;
}

/* ------------------------------------------------------------------ tables */

/* A number in a column, or "-". */
static void
print_cell (FILE * file, int width, int digits, double value)
{
  if (isfinite (value))
    fprintf (file, " %*.*f", width, digits, value);
  else
    fprintf (file, " %*s", width, "-");
}

static int
scene_width (const EvalReport * report)
{
  size_t width = 7;

  for (size_t i = 0; i < report->n_scenes; i++) {
    size_t length = strlen (report->run[0].result[i].scene);

    width = length > width ? length : width;
  }
  return (int) width;
}

static void
print_average (const EvalReport * report, const EvalRun * run, FILE * file)
{
  const char *name = eval_rank_name (report->rank);
  bool v2 = strcmp (name, "bad-1") == 0 && eval_is_v2 (report, run);

  fprintf (file, "%s (%s):", report->rank == EVAL_RANK_TIME ? "sum"
      : v2 ? "average of 12" : "average", name);
  print_cell (file, 0, 3, eval_average (report, run, report->rank,
          SCENE_N_REGIONS));
  putc ('\n', file);
}

static void
print_details (const EvalReport * report, const EvalRun * run, FILE * file)
{
  int width = scene_width (report);
  bool any = false;

  fprintf (file, "%s\n", run->label);
  if (run->setup != NULL)
    fprintf (file, "%s\n", report->device);
  fprintf (file, "\n%-*s %-6s %8s", width, "scene", "region", "pixels");
  for (size_t i = 0; measure_name (i) != NULL; i++)
    fprintf (file, " %7s", measure_name (i));
  fprintf (file, " %9s\n", "time ms");

  for (size_t i = 0; i < report->n_scenes; i++) {
    const EvalResult *result = &run->result[i];
    const char *name = result->scene;
    double time = result->milliseconds;

    if (result->error != NULL) {
      fprintf (file, "%-*s failed\n", width, name);
      continue;
    }
    for (int r = 0; r < SCENE_N_REGIONS; r++) {
      if (!result->has[r])
        continue;
      fprintf (file, "%-*s %-6s %8zu", width, name, scene_region_names[r],
          result->measure[r].pixels);
      for (size_t m = 0; measure_name (m) != NULL; m++)
        print_cell (file, 7, 2, measure_value (&result->measure[r], m));
      if (*name != '\0')
        print_cell (file, 9, 2, time);
      putc ('\n', file);
      name = "";
      any = true;
    }
    if (*name != '\0') {
      fprintf (file, "%-*s %-6s %8ld", width, name, "-",
          (long) result->width * result->height);
      for (size_t m = 0; measure_name (m) != NULL; m++)
        print_cell (file, 7, 2, strcmp (measure_name (m), DENSITY) == 0 ?
            result->density : NAN);
      print_cell (file, 9, 2, time);
      putc ('\n', file);
    }
  }
  if (any) {
    putc ('\n', file);
    print_average (report, run, file);
  }
}

static const char *
letter (size_t i)
{
  static const char *const letters[MAX_COLUMNS] = {
    "A", "B", "C", "D", "E", "F", "G", "H"
  };

  return letters[i];
}

/* The first result for a scene, or NULL. */
static const EvalResult *
any_result (const EvalReport * report, size_t scene)
{
  for (size_t i = 0; i < report->n_runs; i++) {
    if (report->run[i].result[scene].error == NULL)
      return &report->run[i].result[scene];
  }
  return NULL;
}

/* A line of sums or averages over all scenes. */
static void
print_totals (const EvalReport * report, int width, const char *title,
    size_t rank, int digits, FILE * file)
{
  fprintf (file, "%-*s", width + 7, title);
  for (size_t i = 0; i < report->n_runs; i++)
    print_cell (file, 9, digits, eval_average (report, &report->run[i], rank,
            SCENE_N_REGIONS));
  putc ('\n', file);
}

/* A column for each run. */
static void
print_columns (const EvalReport * report, FILE * file)
{
  int width = scene_width (report);
  size_t rank = report->rank == EVAL_RANK_TIME ? 1 : report->rank, other;
  bool v2 = true;

  if (report->device != NULL)
    fprintf (file, "%s\n\n", report->device);
  for (size_t i = 0; i < report->n_runs; i++)
    fprintf (file, "%s  %s\n", letter (i), report->run[i].label);

  fprintf (file, "\n%-*s %-6s", width, eval_rank_name (rank), "");
  for (size_t i = 0; i < report->n_runs; i++)
    fprintf (file, " %9s", letter (i));
  putc ('\n', file);
  for (size_t s = 0; s < report->n_scenes; s++) {
    const EvalResult *present = any_result (report, s);
    const char *name = report->run[0].result[s].scene;

    if (present == NULL) {
      fprintf (file, "%-*s failed\n", width, name);
      continue;
    }
    for (int r = 0; r < SCENE_N_REGIONS; r++) {
      if (!present->has[r])
        continue;
      fprintf (file, "%-*s %-6s", width, name, scene_region_names[r]);
      for (size_t i = 0; i < report->n_runs; i++) {
        const EvalResult *result = &report->run[i].result[s];

        print_cell (file, 9, 2, result->error == NULL ?
            measure_value (&result->measure[r], rank) : NAN);
      }
      putc ('\n', file);
      name = "";
    }
  }

  putc ('\n', file);
  for (size_t i = 0; i < report->n_runs; i++)
    v2 &= eval_is_v2 (report, &report->run[i]);
  v2 &= strcmp (eval_rank_name (rank), "bad-1") == 0;
  print_totals (report, width, v2 ? "average of 12" : "average", rank, 3, file);
  if (eval_rank_find ("mean", &other))
    print_totals (report, width, "mean, px", other, 3, file);
  if (eval_rank_find (DENSITY, &other))
    print_totals (report, width, DENSITY, other, 2, file);
  print_totals (report, width, "time, ms", EVAL_RANK_TIME, 2, file);
}

/* A line for each run. */
static void
print_lines (const EvalReport * report, FILE * file)
{
  size_t rank = report->rank == EVAL_RANK_TIME ? 1 : report->rank, mean = 0;
  int width = 10;

  (void) eval_rank_find ("mean", &mean);
  for (size_t i = 0; i < report->n_runs; i++) {
    size_t length = strlen (report->run[i].label);

    width = length > (size_t) width ? (int) length : width;
  }
  if (report->device != NULL)
    fprintf (file, "%s\n\n", report->device);
  fprintf (file, "%-*s %9s", width, "", eval_rank_name (rank));
  for (int r = 0; r < SCENE_N_REGIONS; r++)
    fprintf (file, " %9s", scene_region_names[r]);
  fprintf (file, " %9s %9s\n", "mean", "time ms");
  for (size_t i = 0; i < report->n_runs; i++) {
    const EvalRun *run = &report->run[i];

    fprintf (file, "%-*s", width, run->label);
    print_cell (file, 9, 3, eval_average (report, run, rank, SCENE_N_REGIONS));
    for (int r = 0; r < SCENE_N_REGIONS; r++)
      print_cell (file, 9, 2, eval_average (report, run, rank, r));
    print_cell (file, 9, 3, eval_average (report, run, mean, SCENE_N_REGIONS));
    print_cell (file, 9, 2, eval_average (report, run, EVAL_RANK_TIME, 0));
    putc ('\n', file);
  }
}

/* The areas under the curve of the confidences of a run, if any. */
static void
print_auc (const EvalReport * report, const EvalRun * run, FILE * file)
{
  const int width = scene_width (report);
  double auc = 0, ideal = 0;
  int n = 0, n_measured = 0;

  for (size_t i = 0; i < report->n_scenes; i++) {
    const EvalResult *result = &run->result[i];
    const char *name = result->scene;

    for (int r = 0; r < SCENE_N_REGIONS; r++) {
      if (result->error != NULL || !result->has_auc || !result->has[r])
        continue;
      if (n++ == 0)
        fprintf (file, "\n%s\n%-*s %-6s %7s %7s\n", run->label, width,
            "confidence", "region", "auc", "ideal");
      fprintf (file, "%-*s %-6s", width, name, scene_region_names[r]);
      print_cell (file, 7, 2, result->auc[r]);
      print_cell (file, 7, 2, result->ideal[r]);
      putc ('\n', file);
      name = "";
      if (is_measured (result, r)) {
        auc += result->auc[r];
        ideal += result->ideal[r];
        n_measured++;
      }
    }
  }
  if (n_measured > 0)
    fprintf (file, "average: %.3f, ideal %.3f\n", auc / n_measured,
        ideal / n_measured);
}

void
eval_print_table (const EvalReport * report, FILE * file)
{
  const EvalRun *best;

  if (report->n_runs == 1 || report->details) {
    for (size_t i = 0; i < report->n_runs; i++) {
      if (i > 0)
        putc ('\n', file);
      print_details (report, &report->run[i], file);
    }
    if (report->n_runs == 1) {
      print_auc (report, &report->run[0], file);
      return;
    }
    putc ('\n', file);
  }
  if (report->sweep || report->n_runs > MAX_COLUMNS)
    print_lines (report, file);
  else
    print_columns (report, file);

  for (size_t i = 0; i < report->n_runs; i++)
    print_auc (report, &report->run[i], file);
  best = eval_best (report);
  if (best != NULL)
    fprintf (file, "\nbest: %s (%s %.3f)\n", best->label,
        eval_rank_name (report->rank), eval_average (report, best,
            report->rank, SCENE_N_REGIONS));
}

/* ------------------------------------------------------------ JSON and CSV */

static void
json_result (CliJson * json, const EvalResult * result)
{
  cli_json_open (json, NULL, '{');
  cli_json_text (json, "scene", result->scene);
  cli_json_text (json, "error", result->error);
  if (result->error != NULL) {
    cli_json_close (json, '}');
    return;
  }
  cli_json_number (json, "width", result->width);
  cli_json_number (json, "height", result->height);
  cli_json_number (json, "num-disparities",
      result->disparities > 0 ? result->disparities : NAN);
  cli_json_bool (json, "official-masks", result->official);
  cli_json_number (json, "time-ms", result->milliseconds);
  cli_json_number (json, "density", result->density);
  cli_json_open (json, "regions", '{');
  for (int r = 0; r < SCENE_N_REGIONS; r++) {
    if (!result->has[r])
      continue;
    cli_json_open (json, scene_region_names[r], '{');
    cli_json_number (json, "pixels", (double) result->measure[r].pixels);
    for (size_t m = 0; measure_name (m) != NULL; m++)
      cli_json_number (json, measure_name (m),
          measure_value (&result->measure[r], m));
    if (result->has_auc) {
      cli_json_number (json, "auc", result->auc[r]);
      cli_json_number (json, "auc-ideal", result->ideal[r]);
    }
    cli_json_close (json, '}');
  }
  cli_json_close (json, '}');
  cli_json_close (json, '}');
}

void
eval_print_json (const EvalReport * report, FILE * file)
{
  CliJson json = { file, 0, false };
  const EvalRun *best = eval_best (report);
  size_t bad1 = 1;

  (void) eval_rank_find ("bad-1", &bad1);
  cli_json_open (&json, NULL, '{');
  cli_json_text (&json, "program", "stereo-eval");
  cli_json_text (&json, "version", stereo_version ());
  cli_json_text (&json, "backend", report->backend);
  cli_json_text (&json, "device", report->device);
  cli_json_text (&json, "rank", eval_rank_name (report->rank));
  cli_json_text (&json, "best", best != NULL ? best->label : NULL);
  cli_json_open (&json, "runs", '[');
  for (size_t i = 0; i < report->n_runs; i++) {
    const EvalRun *run = &report->run[i];

    cli_json_open (&json, NULL, '{');
    cli_json_text (&json, "label", run->label);
    cli_json_text (&json, "algorithm", run->setup != NULL ?
        stereo_algorithm_name (run->setup->algorithm) : NULL);
    cli_json_open (&json, "properties", '{');
    for (size_t p = 0; run->setup != NULL && p < run->setup->n_properties; p++)
      cli_json_text (&json, run->setup->property[p].name,
          run->setup->property[p].value);
    cli_json_close (&json, '}');
    cli_json_number (&json, "average", eval_average (report, run,
            report->rank, SCENE_N_REGIONS));
    cli_json_number (&json, "average-of-12", eval_is_v2 (report, run) ?
        eval_average (report, run, bad1, SCENE_N_REGIONS) : NAN);
    cli_json_number (&json, "time-ms", eval_average (report, run,
            EVAL_RANK_TIME, 0));
    cli_json_open (&json, "scenes", '[');
    for (size_t s = 0; s < report->n_scenes; s++)
      json_result (&json, &run->result[s]);
    cli_json_close (&json, ']');
    cli_json_close (&json, '}');
  }
  cli_json_close (&json, ']');
  cli_json_close (&json, '}');
}

static void
csv_line (const EvalReport * report, const EvalRun * run,
    const EvalResult * result, int region, FILE * file)
{
  const Measure *measure = region >= 0 ? &result->measure[region] : NULL;
  bool good = result->error == NULL;

  cli_csv_text (file, true, run->label);
  cli_csv_text (file, false, run->setup != NULL && report->backend != NULL ?
      report->backend : "");
  cli_csv_text (file, false, result->scene);
  cli_csv_text (file, false, region >= 0 ? scene_region_names[region] : "");
  cli_csv_number (file, measure != NULL ? (double) measure->pixels
      : good ? (double) result->width * result->height : NAN);
  for (size_t m = 0; measure_name (m) != NULL; m++) {
    double value = measure != NULL ? measure_value (measure, m) : NAN;

    if (good && measure == NULL && strcmp (measure_name (m), DENSITY) == 0)
      value = result->density;
    cli_csv_number (file, value);
  }
  cli_csv_number (file, good ? result->milliseconds : NAN);
  cli_csv_text (file, false, good ? "" : result->error);
  putc ('\n', file);
}

void
eval_print_csv (const EvalReport * report, FILE * file)
{
  fprintf (file, "label,backend,scene,region,pixels");
  for (size_t m = 0; measure_name (m) != NULL; m++)
    fprintf (file, ",%s", measure_name (m));
  fprintf (file, ",time-ms,error\n");

  for (size_t i = 0; i < report->n_runs; i++) {
    const EvalRun *run = &report->run[i];

    for (size_t s = 0; s < report->n_scenes; s++) {
      bool any = false;

      for (int r = 0; r < SCENE_N_REGIONS; r++) {
        if (run->result[s].error == NULL && run->result[s].has[r]) {
          csv_line (report, run, &run->result[s], r, file);
          any = true;
        }
      }
      if (!any)
        csv_line (report, run, &run->result[s], -1, file);
    }
  }
}
