/* gst-stereomatching: errors and run times of stereo algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-eval: runs algorithms on scenes with ground truth and says how wrong
 * they are and how long they took.  docs/tools/stereo-eval.md is its manual.
 */

#include "cli.h"
#include "eval.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "stereo-eval"
/* One line, then the end. */
#define die(...) cli_die (PROGRAM, __VA_ARGS__)

typedef struct
{
  bool all, compare, json, csv, details;
  const char *backend, *simd;
  unsigned threads;
  const char **positional, **sweeps, **specs;
  size_t n_positional, n_sweeps, n_specs;
  SceneSource files;            /* borrows from argv */
  size_t rank;
  EvalOptions run;
} Options;

/* *INDENT-OFF* */
static const char usage[] =
    "Usage: stereo-eval [OPTION ...] ALGORITHM [NAME=VALUE ...] [SCENE ...]\n"
    "       stereo-eval [OPTION ...] --all [NAME=VALUE ...] [SCENE ...]\n"
    "       stereo-eval [OPTION ...] --compare SPEC ... [SCENE ...]\n"
    "       stereo-eval [OPTION ...] --map FILE [SCENE ...]\n"
    "\n"
    "Runs stereo algorithms on scenes with ground truth and prints their\n"
    "errors and run times. NAME=VALUE sets a property. A SCENE is a folder\n"
    "with scene.ini, one of Middlebury (im0, im1) or KITTI (image_2,\n"
    "image_3), or a folder of such; by default middlebury-v2 in\n"
    "$STEREO_DATASETS or ../shared/datasets.\n"
    "\n"
    "What to run\n"
    "  --all                  every algorithm\n"
    "  --compare SPEC ...     algorithms side by side; a SPEC is one\n"
    "                         argument, such as \"vcbw windows=four\"\n"
    "  --sweep NAME=A:B:STEP  a property over a range, or NAME=V,V,...;\n"
    "                         once more for all combinations\n"
    "  --map FILE             a map from elsewhere (PFM, PNG) instead;\n"
    "                         {scene} in FILE stands for the scene's name\n"
    "  --map-scale S          its levels for a pixel (16 bits: 256, PFM: 1)\n"
    "  --map-invalid V        its value of no disparity (PNG: 0), or none\n"
    "  --list                 print the algorithms with their properties\n"
    "\n"
    "On what\n"
    "  --left FILE            two images (PNG, JPEG, PPM) instead of scenes\n"
    "  --right FILE\n"
    "  --truth FILE           their ground truth (PFM, PNG, PGM)\n"
    "  --truth-scale S        its levels for a pixel (16 bits: 256, PFM: 1)\n"
    "  --truth-invalid V      its value of the unknown (PNG: 0), or none\n"
    "\n"
    "Where\n"
    "  --backend NAME         cpu, cuda, or auto (the default)\n"
    "  --threads N            of the CPU; 0 = one for each processor\n"
    "  --simd NAME            auto, none, generic, avx2, avx512\n"
    "\n"
    "Output\n"
    "  --json, --csv          for programs, instead of the table\n"
    "  --details              with several runs, the table of each one too\n"
    "  --auc                  judge the confidence, where there is one: the\n"
    "                         area under bad-1 over the most confident share\n"
    "  --rank MEASURE         what the best has least of: bad-0.5, bad-1 (the\n"
    "                         default), bad-2, bad-4, d1, mean, rms, time;\n"
    "                         or density, of which it has most\n"
    "  --save DIR             write maps and pictures of the errors\n"
    "  --keep-going           go on with other scenes when one fails\n"
    "  --help, --version\n";
/* *INDENT-ON* */

/* ----------------------------------------------------------------- options */

enum
{
  OPTION_ALL = 256, OPTION_COMPARE, OPTION_SWEEP, OPTION_MAP, OPTION_MAP_SCALE,
  OPTION_MAP_INVALID, OPTION_LIST, OPTION_LEFT, OPTION_RIGHT, OPTION_TRUTH,
  OPTION_TRUTH_SCALE, OPTION_TRUTH_INVALID, OPTION_BACKEND, OPTION_THREADS,
  OPTION_SIMD, OPTION_JSON, OPTION_CSV, OPTION_DETAILS,
  OPTION_AUC, OPTION_RANK,
  OPTION_SAVE, OPTION_KEEP_GOING, OPTION_HELP, OPTION_VERSION
};

static const struct option long_options[] = {
  {"all", no_argument, NULL, OPTION_ALL},
  {"compare", no_argument, NULL, OPTION_COMPARE},
  {"sweep", required_argument, NULL, OPTION_SWEEP},
  {"map", required_argument, NULL, OPTION_MAP},
  {"map-scale", required_argument, NULL, OPTION_MAP_SCALE},
  {"map-invalid", required_argument, NULL, OPTION_MAP_INVALID},
  {"list", no_argument, NULL, OPTION_LIST},
  {"left", required_argument, NULL, OPTION_LEFT},
  {"right", required_argument, NULL, OPTION_RIGHT},
  {"truth", required_argument, NULL, OPTION_TRUTH},
  {"truth-scale", required_argument, NULL, OPTION_TRUTH_SCALE},
  {"truth-invalid", required_argument, NULL, OPTION_TRUTH_INVALID},
  {"backend", required_argument, NULL, OPTION_BACKEND},
  {"threads", required_argument, NULL, OPTION_THREADS},
  {"simd", required_argument, NULL, OPTION_SIMD},
  {"json", no_argument, NULL, OPTION_JSON},
  {"csv", no_argument, NULL, OPTION_CSV},
  {"details", no_argument, NULL, OPTION_DETAILS},
  {"auc", no_argument, NULL, OPTION_AUC},
  {"rank", required_argument, NULL, OPTION_RANK},
  {"save", required_argument, NULL, OPTION_SAVE},
  {"keep-going", no_argument, NULL, OPTION_KEEP_GOING},
  {"help", no_argument, NULL, OPTION_HELP},
  {"version", no_argument, NULL, OPTION_VERSION},
  {NULL, 0, NULL, 0}
};

static bool
exists (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0;
}

static void
add (const char ***list, size_t *n, const char *text)
{
  *list = cli_resize (*list, (*n + 1) * sizeof (**list));
  (*list)[(*n)++] = text;
}

static double
scale_option (const char *name, const char *text)
{
  double value;

  if (!cli_number (text, &value) || value <= 0)
    die ("%s '%s': it is a number above 0", name, text);
  return value;
}

static double
invalid_option (const char *name, const char *text)
{
  double value = NAN;

  if (strcmp (text, "none") != 0 && !cli_number (text, &value))
    die ("%s '%s': it is a number or none", name, text);
  return value;
}

/* Whether the first word of text is an algorithm. */
static bool
names_algorithm (const char *text)
{
  char *word = cli_format ("%.*s", (int) strcspn (text, " \t"), text);
  bool result = stereo_algorithm_find (word) != NULL;

  free (word);
  return result;
}

/* An option as getopt_long() gives it, of argv[optind - 1] and before. */
static void
take_option (int option, char **argv, Options * options)
{
  double number;

  switch (option) {
    case OPTION_ALL:
      options->all = true;
      break;
    case OPTION_COMPARE:
      options->compare = true;
      break;
    case OPTION_SWEEP:
      add (&options->sweeps, &options->n_sweeps, optarg);
      break;
    case OPTION_MAP:
      options->run.map = optarg;
      break;
    case OPTION_MAP_SCALE:
      options->run.map_scale = scale_option ("--map-scale", optarg);
      break;
    case OPTION_MAP_INVALID:
      options->run.map_invalid = invalid_option ("--map-invalid", optarg);
      options->run.use_map_invalid = true;
      break;
    case OPTION_LIST:
      cli_print_algorithms (stdout);
      exit (fflush (stdout) == 0 ? 0 : EVAL_FAILED);
    case OPTION_LEFT:
      options->files.left = optarg;
      break;
    case OPTION_RIGHT:
      options->files.right = optarg;
      break;
    case OPTION_TRUTH:
      options->files.truth = optarg;
      break;
    case OPTION_TRUTH_SCALE:
      options->files.truth_scale = scale_option ("--truth-scale", optarg);
      break;
    case OPTION_TRUTH_INVALID:
      options->files.truth_invalid = invalid_option ("--truth-invalid",
          optarg);
      options->files.use_truth_invalid = true;
      break;
    case OPTION_BACKEND:
      options->backend = optarg;
      break;
    case OPTION_THREADS:
      if (!cli_number (optarg, &number) || number != floor (number)
          || number < 0 || number > 1024)
        die ("--threads '%s': it is a whole number from 0 to 1024", optarg);
      options->threads = (unsigned) number;
      break;
    case OPTION_SIMD:
      options->simd = optarg;
      break;
    case OPTION_JSON:
      options->json = true;
      break;
    case OPTION_CSV:
      options->csv = true;
      break;
    case OPTION_DETAILS:
      options->details = true;
      break;
    case OPTION_AUC:
      options->run.auc = true;
      break;
    case OPTION_RANK:
      if (!eval_rank_find (optarg, &options->rank))
        die ("--rank '%s': it is bad-0.5, bad-1, bad-2, bad-4, d1, mean, rms,"
            " density or time", optarg);
      break;
    case OPTION_SAVE:
      options->run.save = optarg;
      break;
    case OPTION_KEEP_GOING:
      options->run.keep_going = true;
      break;
    case 'h':
    case OPTION_HELP:
      fputs (usage, stdout);
      exit (fflush (stdout) == 0 ? 0 : EVAL_FAILED);
    case OPTION_VERSION:
      printf (PROGRAM " %s\n", stereo_version ());
      exit (fflush (stdout) == 0 ? 0 : EVAL_FAILED);
    case ':':
      die ("%s needs a value", argv[optind - 1]);
    default:
      die ("unknown option '%s'; --help lists them", argv[optind - 1]);
  }
}

static void
check_options (const Options * options)
{
  if (options->json && options->csv)
    die ("--json and --csv exclude each other");
  if (options->all + options->compare + (options->run.map != NULL) > 1)
    die ("--all, --compare and --map exclude each other");
  if (options->compare && options->n_specs == 0)
    die ("--compare needs algorithms, such as \"vcbw median=true\"");
  if ((options->files.left == NULL) != (options->files.right == NULL))
    die ("--left and --right need each other");
  if (options->files.truth != NULL && options->files.left == NULL
      && options->run.map == NULL)
    die ("--truth needs --left and --right, or --map");
}

static void
parse_options (int argc, char **argv, Options * options)
{
  bool comparing = false;
  int option;

  memset (options, 0, sizeof (*options));
  options->backend = options->simd = "auto";
  (void) eval_rank_find ("bad-1", &options->rank);
  opterr = 0;
  /* "-": arguments that are no options come as option 1, in their order */
  while ((option = getopt_long (argc, argv, "-:h", long_options, NULL)) != -1) {
    if (option != 1)
      take_option (option, argv, options);
    else if (comparing && (names_algorithm (optarg) || !exists (optarg)))
      add (&options->specs, &options->n_specs, optarg);
    else
      add (&options->positional, &options->n_positional, optarg);
    comparing = option == OPTION_COMPARE || (option == 1 && comparing);
  }
  for (; optind < argc; optind++)
    add (&options->positional, &options->n_positional, argv[optind]);
  check_options (options);
}

/* The file's name without folders and extension. */
static char *
short_name (const char *path)
{
  const char *slash = strrchr (path, '/');
  const char *start = slash != NULL ? slash + 1 : path;
  const char *dot = strrchr (start, '.');

  return cli_format ("%.*s", dot != NULL && dot > start ? (int) (dot - start)
      : (int) strlen (start), start);
}

/* Sorts the arguments into algorithm, properties and scenes. */
static void
make_plan (Options * options, CliSetups * setups, SceneList * scenes)
{
  StereoMessage why = { "" };
  /* what runs is said by options */
  bool elsewhere = options->all || options->compare || options->run.map;
  bool named = false;
  const StereoAlgorithm *algorithm;
  const char **properties = NULL, **folders = NULL;
  size_t n_properties = 0, n_folders = 0;

  for (size_t i = 0; i < options->n_positional; i++) {
    const char *text = options->positional[i];

    if (!named && !elsewhere && names_algorithm (text)) {
      if (!cli_setups_add (setups, text, &why))
        die ("%s", why.text);
      named = true;
    } else if (strchr (text, '=') != NULL && !exists (text)) {
      add (&properties, &n_properties, text);
    } else if (names_algorithm (text) && !exists (text)) {
      die ("'%s': only one algorithm is named, or several after --compare",
          text);
    } else {
      add (&folders, &n_folders, text);
    }
  }
  if (!named && !elsewhere) {
    if (n_folders > 0 && !exists (folders[0]))
      die ("'%s' is neither an algorithm nor a folder; --list has the "
          "algorithms", folders[0]);
    die ("which algorithm? Name one, or use --all, --compare or --map; --list "
        "has the algorithms");
  }

  for (size_t i = 0; options->all && (algorithm = stereo_algorithm_get (i));
      i++) {
    if (!cli_setups_add (setups, stereo_algorithm_name (algorithm), &why))
      die ("%s", why.text);
  }
  /* what is common to all first, so that a specification has the last word */
  for (size_t i = 0; i < options->n_specs; i++) {
    char *text = cli_format ("%s", options->specs[i]);
    size_t end = strcspn (text, " \t");

    for (size_t p = 0; p < n_properties; p++) {
      char *longer = cli_format ("%.*s %s%s", (int) end, text, properties[p],
          text + end);

      end += strlen (properties[p]) + 1;
      free (text);
      text = longer;
    }
    if (!cli_setups_add (setups, text, &why))
      die ("%s", why.text);
    free (text);
  }
  for (size_t i = 0; !options->compare && i < n_properties; i++) {
    if (options->run.map != NULL)
      die ("'%s': a given map has no properties", properties[i]);
    if (!cli_setups_set (setups, properties[i], &why))
      die ("%s", why.text);
  }
  for (size_t i = 0; i < options->n_sweeps; i++) {
    if (options->run.map != NULL)
      die ("--sweep: a given map has no properties");
    if (!cli_setups_sweep (setups, options->sweeps[i], &why))
      die ("%s", why.text);
  }

  if (options->files.left != NULL || options->files.truth != NULL) {
    options->files.name = short_name (options->files.left != NULL ?
        options->files.left : options->files.truth);
    scene_list_add_files (scenes, &options->files);
    free (options->files.name);
  }
  for (size_t i = 0; i < n_folders; i++) {
    if (!scene_list_add (scenes, folders[i], &why))
      die ("%s", why.text);
  }
  if (scenes->n == 0) {
    const char *datasets = getenv ("STEREO_DATASETS");
    char *path = cli_format ("%s/middlebury-v2", datasets != NULL
        && datasets[0] != '\0' ? datasets : "../shared/datasets");

    if (!exists (path))
      die ("%s: there is no such folder; name a scene, or set STEREO_DATASETS",
          path);
    if (!scene_list_add (scenes, path, &why))
      die ("%s", why.text);
    free (path);
  }
  if (options->run.map != NULL && scenes->n > 1
      && strstr (options->run.map, "{scene}") == NULL)
    die ("--map '%s': one map for %zu scenes; {scene} in it stands for their "
        "names", options->run.map, scenes->n);
  free (properties);
  free (folders);
}

int
main (int argc, char **argv)
{
  Options options;
  CliSetups setups = { NULL, 0 };
  SceneList scenes = { NULL, 0 };
  StereoDevice *device = NULL;
  EvalReport report;
  StereoMessage why = { "" };
  char *map_label = NULL;
  int status;

  parse_options (argc, argv, &options);
  make_plan (&options, &setups, &scenes);

  memset (&report, 0, sizeof (report));
  report.n_runs = options.run.map != NULL ? 1 : setups.n;
  report.n_scenes = scenes.n;
  report.rank = options.rank;
  report.sweep = options.n_sweeps > 0;
  report.details = options.details;
  report.run = cli_resize (NULL, report.n_runs * sizeof (*report.run));
  if (options.run.map != NULL)
    map_label = cli_format ("map %s", options.run.map);
  for (size_t i = 0; i < report.n_runs; i++) {
    EvalRun *run = &report.run[i];
    size_t bytes = scenes.n * sizeof (*run->result);

    run->setup = options.run.map != NULL ? NULL : &setups.item[i];
    run->label = run->setup != NULL ? run->setup->label : map_label;
    run->result = cli_resize (NULL, bytes);
    memset (run->result, 0, bytes);
  }
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
    if (fflush (stdout) != 0 || ferror (stdout)) {
      fprintf (stderr, PROGRAM ": the output can't be written: %s\n",
          strerror (errno));
      status = EVAL_FAILED;
    }
  }

  for (size_t i = 0; i < report.n_runs; i++) {
    for (size_t s = 0; s < scenes.n; s++)
      free (report.run[i].result[s].error);
    free (report.run[i].result);
  }
  free (report.run);
  free (map_label);
  cli_setups_clear (&setups);
  scene_list_clear (&scenes);
  stereo_device_unref (&device);
  free (options.positional);
  free (options.sweeps);
  free (options.specs);
  return status;
}
