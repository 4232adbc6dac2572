/* gst-stereomatching: the runs of stereo-eval
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "eval.h"
#include "match.h"
#include "picture.h"
#include "platform.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Replaces each {scene} in pattern by a name. */
static char *
map_path (const char *pattern, const char *name)
{
  const char *mark = strstr (pattern, "{scene}");
  char *rest, *path;

  if (mark == NULL)
    return cli_format ("%s", pattern);
  rest = map_path (mark + strlen ("{scene}"), name);
  path = cli_format ("%.*s%s%s", (int) (mark - pattern), pattern, name, rest);
  free (rest);
  return path;
}

/* Reads the map for a scene of that name. */
static bool
read_given_map (const EvalOptions * options, const char *name, Scene * scene,
    float **map, StereoMessage * why)
{
  char *path = map_path (options->map, name);
  bool good = image_read_map (path, options->map_scale, "--map-scale",
      options->map_invalid.given ? &options->map_invalid.value : NULL,
      &scene->width, &scene->height, map, why);

  free (path);
  return good;
}

/* ------------------------------------------------------------------ saving */

/* A file name from a label: letters, digits and ".=-_" are kept. */
static char *
file_name (const char *label)
{
  char *name = cli_format ("%.200s", label);

  for (char *c = name; *c != '\0'; c++) {
    if (strchr ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            "0123456789.=-_", *c) == NULL)
      *c = '_';
  }
  return name;
}

/* Creates a folder and its missing parents. */
static bool
make_folder (const char *path, StereoMessage * why)
{
  char *part = cli_format ("%s", path);
  bool good = true;

  for (size_t i = 1, end = strlen (path); good && i <= end; i++) {
    if (!platform_is_separator (part[i]) && part[i] != '\0')
      continue;
    part[i] = '\0';
    good = platform_make_folder (part);
    part[i] = path[i];
  }
  free (part);
  return good || image_fail (why, path, "cannot be created: %s",
      strerror (errno));
}

/* FOLDER/NAME.pfm, .png, -color.png and -error.png. */
static bool
save_result (const char *folder, const char *name, const Scene * scene,
    const float *map, const EvalResult * result, StereoMessage * why)
{
  size_t n = (size_t) scene->width * (size_t) scene->height;
  int w = scene->width, h = scene->height;
  uint16_t *codes = cli_resize (NULL, n * sizeof (*codes));
  uint8_t *rgb = cli_resize (NULL, 3 * n);
  char *pfm = cli_format ("%s/%s.pfm", folder, name);
  char *png = cli_format ("%s/%s.png", folder, name);
  char *color = cli_format ("%s/%s-color.png", folder, name);
  char *error = cli_format ("%s/%s-error.png", folder, name);
  double minimum = scene->shown_min, maximum = scene->shown_max;
  bool good;

  if (!(maximum > minimum)) {
    minimum = result->minimum;
    maximum = minimum + fmax (0, result->disparities - 1);
    for (size_t i = 0; result->disparities <= 0 && i < n; i++) {
      if (isfinite (map[i]) && map[i] > maximum)
        maximum = map[i];
    }
  }
  picture_codes (map, n, codes);
  picture_colors (map, n, minimum, maximum, rgb);
  good = image_write_pfm (pfm, w, h, map, why)
      && image_write_png16 (png, w, h, codes, why)
      && image_write_png_rgb (color, w, h, rgb, why);
  if (good && scene->truth != NULL) {
    picture_errors (map, scene, rgb);
    good = image_write_png_rgb (error, w, h, rgb, why);
  }
  free (codes);
  free (rgb);
  free (pfm);
  free (png);
  free (color);
  free (error);
  return good;
}

/* ----------------------------------------------------------------- running */

static void
measure_result (const Scene * scene, const float *map,
    const uint16_t * confidence, EvalResult * result)
{
  size_t n = (size_t) scene->width * (size_t) scene->height;

  result->width = scene->width;
  result->height = scene->height;
  result->official = scene->official;
  result->density = measure_density (map, n);
  for (int r = 0; r < SCENE_N_REGIONS; r++) {
    result->has[r] = scene->truth != NULL && scene->region[r] != NULL;
    if (!result->has[r])
      continue;
    measure_map (map, scene->truth, scene->region[r], n, &result->measure[r]);
    result->has_auc = confidence != NULL;
    if (confidence != NULL)
      measure_auc (map, confidence, scene->truth, scene->region[r], n,
          &result->auc[r], &result->ideal[r]);
  }
}

/* One run on one scene; returns the exit status. */
static int
evaluate (const EvalOptions * options, StereoDevice * device, const char *name,
    Scene * scene, const EvalRun * run, EvalResult * result,
    StereoMessage * why)
{
  const size_t n = (size_t) scene->width * (size_t) scene->height;
  float *map = NULL;
  uint16_t *confidence = NULL;
  int status = CLI_BAD_INPUT;
  bool good;

  if (run->setup == NULL) {
    result->milliseconds = NAN;
    result->disparities = scene->disparities;
    good = read_given_map (options, name, scene, &map, why);
  } else {
    StereoMessage reason = { "" };
    MatchResult match = { NAN, 0, 0 };
    StereoStatus matched;

    map = cli_resize (NULL, n * sizeof (*map));
    if (options->auc && stereo_algorithm_has_result (run->setup->algorithm,
            STEREO_RESULT_CONFIDENCE))
      confidence = cli_resize (NULL, n * sizeof (*confidence));
    matched = match_scene (run->setup, device, scene, map, confidence, &match,
        &reason);
    good = matched == STEREO_OK;
    result->milliseconds = match.milliseconds;
    result->minimum = match.minimum;
    result->disparities = match.disparities;
    if (!good)
      cli_fail (why, "%.100s: %.100s: %.250s", name, run->label, reason.text);
    if (!good && matched != STEREO_ERROR_ARGUMENT)
      status = CLI_FAILED;
  }
  if (good) {
    measure_result (scene, map, confidence, result);
    if (run->folder != NULL && !save_result (run->folder, name, scene, map,
            result, why)) {
      good = false;
      status = CLI_FAILED;
    }
  }
  free (map);
  free (confidence);
  return good ? 0 : status;
}

/* Whether one of the first n runs is saved to this folder. */
static bool
has_folder (const EvalReport * report, size_t n, const char *folder)
{
  for (size_t i = 0; i < n; i++) {
    if (strcmp (report->run[i].folder, folder) == 0)
      return true;
  }
  return false;
}

/* Sets the folder that run i is saved to: its own one if there are several
 * runs, with the number of the run if an earlier one has the same name. */
static void
set_folder (const EvalOptions * options, EvalReport * report, size_t i)
{
  EvalRun *run = &report->run[i];
  char *name;

  if (report->n_runs == 1) {
    run->folder = cli_format ("%s", options->save);
    return;
  }
  name = file_name (run->label);
  run->folder = cli_format ("%s/%s", options->save, name);
  for (size_t number = i + 1; has_folder (report, i, run->folder); number++) {
    free (run->folder);
    run->folder = cli_format ("%s/%s-%zu", options->save, name, number);
  }
  free (name);
}

static bool
make_folders (const EvalOptions * options, EvalReport * report,
    StereoMessage * why)
{
  bool good = make_folder (options->save, why);

  for (size_t i = 0; good && i < report->n_runs; i++) {
    set_folder (options, report, i);
    good = make_folder (report->run[i].folder, why);
  }
  return good;
}

static void
show_progress (size_t done, size_t total, const char *scene, const char *what)
{
  char *text = cli_format ("%.16s: %.40s", scene, what);

  if (total > 1)
    cli_progress (done, total, text);
  free (text);
}

/* All runs on scene s; returns the exit status.  Stops after a failure unless
 * options->keep_going. */
static int
evaluate_scene (const EvalOptions * options, StereoDevice * device,
    const SceneSource * source, size_t s, EvalReport * report)
{
  const size_t total = report->n_runs * report->n_scenes;
  StereoMessage why = { "" };
  Scene scene = { 0 };
  int status = 0;
  bool loaded;

  show_progress (s * report->n_runs, total, source->name, "reading");
  loaded = scene_load (source, &scene, &why);
  for (size_t i = 0; i < report->n_runs; i++) {
    EvalRun *run = &report->run[i];
    EvalResult *result = &run->result[s];
    int failure = CLI_BAD_INPUT;

    show_progress (s * report->n_runs + i, total, source->name, run->label);
    result->scene = source->name;
    if (loaded)
      failure = evaluate (options, device, source->name, &scene, run, result,
          &why);
    if (failure == 0)
      continue;

    status = failure;
    result->error = cli_format ("%s", why.text);
    /* report an unreadable scene once */
    if (loaded || i == 0) {
      cli_progress_end ();
      fprintf (stderr, "stereo-eval: %s\n", why.text);
    }
    if (!options->keep_going)
      break;
  }
  scene_clear (&scene);
  return status;
}

int
eval_run (const EvalOptions * options, StereoDevice * device,
    const SceneList * scenes, EvalReport * report)
{
  StereoMessage why = { "" };
  int status = 0;

  if (options->save != NULL && !make_folders (options, report, &why)) {
    fprintf (stderr, "stereo-eval: %s\n", why.text);
    return CLI_FAILED;
  }
  for (size_t s = 0; s < scenes->n; s++) {
    const int failure = evaluate_scene (options, device, &scenes->item[s], s,
        report);

    if (failure != 0)
      status = failure;
    if (failure != 0 && !options->keep_going)
      return status;
  }
  cli_progress_end ();
  return status;
}
