/* gst-stereomatching: accuracy and run time of stereo algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-eval: runs algorithms on scenes with ground truth and prints their
 * errors and run times.  docs/tools/stereo-eval.md is its manual.
 */

#include "cli.h"
#include "eval.h"
#include "platform.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM "stereo-eval"
#define die(...) cli_die (PROGRAM, __VA_ARGS__)

typedef struct
{
  bool all, compare, json, csv, details;
  const char *backend, *simd, *rank;
  int threads;
  CliTexts positional, sweeps, specs;
  SceneSource files;            /* borrows from argv */
  EvalOptions run;
} Options;

/* ----------------------------------------------------------------- options */

#define AT(FIELD) offsetof (Options, FIELD)

static const CliOption option_rows[] = {
  {.type = CLI_HEADING,.description = "Algorithms and maps"},
  {"all", NULL, CLI_FLAG, AT (all), "every algorithm"},
  {"compare", "SPEC ...", CLI_FLAG, AT (compare),
        "compare algorithms; a SPEC is one argument, such as \"vcbw "
        "windows=four\""},
  {"sweep", "NAME=A:B:STEP", CLI_TEXTS, AT (sweeps),
        "sweep a property over a range, or NAME=V,V,...; repeat it for all "
        "combinations"},
  {"map", "FILE", CLI_TEXT, AT (run.map),
        "evaluate a disparity map (PFM, PNG); {scene} in FILE stands for the "
        "name of the scene"},
  {"map-scale", "S", CLI_POSITIVE, AT (run.map_scale),
      "its levels per pixel (16 bits: 256, PFM: 1)"},
  {"map-invalid", "V", CLI_INVALID, AT (run.map_invalid),
      "its value of invalid pixels (PNG: 0), or none"},
  {"list", NULL, CLI_PRINT, 0, "print the algorithms with their properties",
        .print = cli_print_algorithms},

  {.type = CLI_HEADING,.description = "Images"},
  {"left", "FILE", CLI_TEXT, AT (files.left),
      "left view (PNG, JPEG, PPM) instead of scenes"},
  {"right", "FILE", CLI_TEXT, AT (files.right), "right view"},
  {"truth", "FILE", CLI_TEXT, AT (files.truth),
      "its ground truth (PFM, PNG, PGM)"},
  {"truth-scale", "S", CLI_POSITIVE, AT (files.truth_scale),
      "its levels per pixel (16 bits: 256, PFM: 1)"},
  {"truth-invalid", "V", CLI_INVALID, AT (files.truth_invalid),
      "its value of unknown pixels (PNG: 0), or none"},

  {.type = CLI_HEADING,.description = "Device"},
  {"backend", "NAME", CLI_CHOICE, AT (backend), "compute backend",
      CLI_CHOICES ("auto", "cpu", "cuda")},
  {"threads", "N", CLI_INTEGER, AT (threads),
        "number of CPU threads (0 = one per processor)",.maximum = 1024},
  {"simd", "NAME", CLI_CHOICE, AT (simd), "CPU instruction set",
      CLI_SIMD_CHOICES},

  {.type = CLI_HEADING,.description = "Output"},
  {"json", NULL, CLI_FLAG, AT (json), "print JSON instead of the table"},
  {"csv", NULL, CLI_FLAG, AT (csv), "print CSV instead of the table"},
  {"details", NULL, CLI_FLAG, AT (details),
      "with several runs, also print the table of each run"},
  {"auc", NULL, CLI_FLAG, AT (run.auc),
        "evaluate the confidence: the area under the curve of bad-1 over the "
        "share of the most confident pixels"},
  {"rank", "MEASURE", CLI_CHOICE, AT (rank), "measure that ranks the runs",
        CLI_CHOICES ("bad-1", "bad-0.5", "bad-2", "bad-4", "d1", "mean", "rms",
            "time", "density")},
  {"save", "DIR", CLI_TEXT, AT (run.save),
      "write maps and error images to DIR, which is created"},
  {"keep-going", NULL, CLI_FLAG, AT (run.keep_going),
      "continue with the other scenes after a failure"},
  {.type = CLI_END}
};

/* Whether the first word of text is an algorithm. */
static bool
names_algorithm (const char *text)
{
  char *word = cli_format ("%.*s", (int) strcspn (text, " \t"), text);
  bool result = stereo_algorithm_find (word) != NULL;

  free (word);
  return result;
}

static void
take_argument (const char *text, const CliOption * after, void *data)
{
  Options *options = data;
  const bool compared = after != NULL && after->offset == AT (compare)
      && after->type == CLI_FLAG;

  cli_texts_add (compared && !cli_is_assignment (text)
      && (names_algorithm (text) || !cli_exists (text))
      ? &options->specs : &options->positional, text);
}

static const CliProgram program = {
  .name = PROGRAM,
  .synopsis = "[OPTION ...] ALGORITHM [NAME=VALUE ...] [SCENE ...]\n"
      "[OPTION ...] --all [NAME=VALUE ...] [SCENE ...]\n"
      "[OPTION ...] --compare SPEC ... [SCENE ...]\n"
      "[OPTION ...] --map FILE [SCENE ...]",
  .description =
      "Runs stereo algorithms on scenes with ground truth and prints their\n"
      "errors and run times. NAME=VALUE sets a property. A SCENE is a folder\n"
      "with scene.ini, one of Middlebury (im0, im1) or KITTI (image_2,\n"
      "image_3), or a folder of scenes; by default middlebury-v2 in\n"
      "$STEREO_DATASETS or ../shared/datasets.",
  .options = option_rows,
  .take = take_argument,
};

static void
check_options (const Options * options)
{
  if (options->json && options->csv)
    die ("--json and --csv exclude each other");
  if (options->all + options->compare + (options->run.map != NULL) > 1)
    die ("--all, --compare and --map exclude each other");
  if (options->compare && options->specs.n == 0)
    die ("--compare needs algorithms, such as \"vcbw median=true\"");
  if ((options->files.left == NULL) != (options->files.right == NULL))
    die ("--left and --right require each other");
  if (options->files.truth != NULL && options->files.left == NULL
      && options->run.map == NULL)
    die ("--truth needs --left and --right, or --map");
  if (options->files.truth == NULL && (options->files.truth_scale != 0
          || options->files.truth_invalid.given))
    die ("--truth-scale and --truth-invalid need --truth");
  if (options->run.map == NULL && (options->run.map_scale != 0
          || options->run.map_invalid.given))
    die ("--map-scale and --map-invalid need --map");
  /* files in it would be in the root folder */
  if (options->run.save != NULL && options->run.save[0] == '\0')
    die ("--save: expected a folder, got ''");
}

/* -------------------------------------------------------------------- runs */

/* The file's name without folders and extension. */
static char *
short_name (const char *path)
{
  const char *start = platform_file_part (path);
  const char *dot = strrchr (start, '.');

  return cli_format ("%.*s", dot != NULL && dot > start ? (int) (dot - start)
      : (int) strlen (start), start);
}

/* Rejects an algorithm that no option or argument before it allows. */
static void
reject_algorithm (const Options * options, const char *text)
{
  if (options->run.map != NULL)
    die ("'%s': --map takes no algorithm", text);
  if (options->all)
    die ("'%s': --all takes no algorithm; --compare takes several", text);
  if (options->compare)
    die ("'%s': name all algorithms directly after --compare", text);
  die ("Expected one algorithm, got also '%s'; --compare takes several", text);
}

/* Sorts the arguments into the algorithm, properties and scene folders. */
static void
sort_arguments (const Options * options, CliSetups * setups,
    CliTexts * properties, CliTexts * folders)
{
  /* otherwise options select the algorithms */
  const bool by_name = !options->all && !options->compare && !options->run.map;
  StereoMessage why = { "" };

  for (size_t i = 0; i < options->positional.n; i++) {
    const char *text = options->positional.item[i];

    if (by_name && setups->n == 0 && names_algorithm (text)) {
      if (!cli_setups_add (setups, text, &why))
        die ("%s", why.text);
    } else if (cli_is_assignment (text) && !cli_exists (text)) {
      cli_texts_add (properties, text);
    } else if (names_algorithm (text) && !cli_exists (text)) {
      reject_algorithm (options, text);
    } else {
      cli_texts_add (folders, text);
    }
  }
  if (by_name && setups->n == 0 && folders->n > 0
      && !cli_exists (folders->item[0]))
    die ("'%s' is neither an algorithm nor a folder; --list shows the "
        "algorithms", folders->item[0]);
  if (by_name && setups->n == 0)
    die ("No algorithm given: name one, or use --all, --compare or --map; "
        "--list shows the algorithms");
}

static void
make_setups (const Options * options, const CliTexts * properties,
    CliSetups * setups)
{
  StereoMessage why = { "" };

  if (options->run.map != NULL && properties->n > 0)
    die ("'%s': --map takes no properties", properties->item[0]);
  if (options->run.map != NULL && options->sweeps.n > 0)
    die ("--sweep: --map takes no properties");
  if (options->run.map != NULL && options->run.auc)
    die ("--auc: a map has no confidence; expected an algorithm");
  if ((options->all && !cli_setups_add_all (setups, &why))
      || !cli_setups_add_specs (setups, &options->specs, properties, &why))
    die ("%s", why.text);
  for (size_t i = 0; !options->compare && i < properties->n; i++) {
    if (!cli_setups_set (setups, properties->item[i], &why))
      die ("%s", why.text);
  }
  for (size_t i = 0; i < options->sweeps.n; i++) {
    if (!cli_setups_sweep (setups, options->sweeps.item[i], &why))
      die ("%s", why.text);
  }
}

static void
add_default_scenes (SceneList * scenes)
{
  const char *datasets = getenv ("STEREO_DATASETS");
  char *path = cli_format ("%s/middlebury-v2", datasets != NULL
      && datasets[0] != '\0' ? datasets : "../shared/datasets");
  StereoMessage why = { "" };

  if (!cli_exists (path))
    die ("%s: no such folder; name a scene, or set STEREO_DATASETS", path);
  if (!scene_list_add (scenes, path, &why))
    die ("%s", why.text);
  free (path);
}

static void
list_scenes (Options * options, const CliTexts * folders, SceneList * scenes)
{
  StereoMessage why = { "" };

  if (options->files.left != NULL || options->files.truth != NULL) {
    options->files.name = short_name (options->files.left != NULL ?
        options->files.left : options->files.truth);
    scene_list_add_files (scenes, &options->files);
    free (options->files.name);
  }
  for (size_t i = 0; i < folders->n; i++) {
    if (!scene_list_add (scenes, folders->item[i], &why))
      die ("%s", why.text);
  }
  if (scenes->n == 0)
    add_default_scenes (scenes);
  if (options->run.map != NULL && scenes->n > 1
      && strstr (options->run.map, "{scene}") == NULL)
    die ("--map '%s': one map for %zu scenes; write {scene} where their names "
        "belong", options->run.map, scenes->n);
}

static void
init_report (const Options * options, const CliSetups * setups,
    const SceneList * scenes, char *map_label, EvalReport * report)
{
  *report = (EvalReport) {
    .n_runs = options->run.map != NULL ? 1 : setups->n,
    .n_scenes = scenes->n,
    .sweep = options->sweeps.n > 0,
    .details = options->details,
  };
  (void) eval_rank_find (options->rank, &report->rank);
  report->run = cli_resize (NULL, report->n_runs * sizeof (*report->run));
  for (size_t i = 0; i < report->n_runs; i++) {
    EvalRun *run = &report->run[i];
    size_t bytes = scenes->n * sizeof (*run->result);

    run->setup = options->run.map != NULL ? NULL : &setups->item[i];
    run->label = run->setup != NULL ? run->setup->label : map_label;
    run->folder = NULL;
    run->result = cli_resize (NULL, bytes);
    memset (run->result, 0, bytes);
  }
}

static void
clear_report (EvalReport * report)
{
  for (size_t i = 0; i < report->n_runs; i++) {
    for (size_t s = 0; s < report->n_scenes; s++)
      free (report->run[i].result[s].error);
    free (report->run[i].result);
    free (report->run[i].folder);
  }
  free (report->run);
}

int
main (int argc, char **argv)
{
  Options options = { false };
  CliTexts properties = { NULL, 0 }, folders = { NULL, 0 };
  CliSetups setups = { NULL, 0 };
  SceneList scenes = { NULL, 0 };
  StereoDevice *device = NULL;
  EvalReport report;
  StereoMessage why = { "" };
  char *map_label;
  int status;

  cli_parse (&program, argc, argv, &options);
  check_options (&options);
  sort_arguments (&options, &setups, &properties, &folders);
  make_setups (&options, &properties, &setups);
  list_scenes (&options, &folders, &scenes);
  map_label = cli_format ("map %s", options.run.map != NULL ? options.run.map
      : "");
  init_report (&options, &setups, &scenes, map_label, &report);
  if (options.run.map == NULL) {
    if (!cli_open_device (options.backend, options.simd, options.threads,
            &device, &why))
      die ("%s", why.text);
    report.backend = stereo_device_backend (device);
    report.device = stereo_device_name (device);
  }

  status = eval_run (&options.run, device, &scenes, &report);
  if (status == 0 || (options.run.keep_going && report.run[0].result[0].scene
          != NULL)) {
    if (options.json)
      eval_print_json (&report, stdout);
    else if (options.csv)
      eval_print_csv (&report, stdout);
    else
      eval_print_table (&report, stdout);
    if (cli_flush (PROGRAM) != 0)
      status = CLI_FAILED;
  }

  clear_report (&report);
  free (map_label);
  cli_setups_clear (&setups);
  scene_list_clear (&scenes);
  stereo_device_unref (&device);
  free (options.positional.item);
  free (options.sweeps.item);
  free (options.specs.item);
  free (properties.item);
  free (folders.item);
  return status;
}
