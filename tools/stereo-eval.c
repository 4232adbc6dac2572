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
#include "picture.h"
#include "stereo-cuda.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "stereo-eval"

/* Exit statuses. */
#define FAILED 1                /* it could not be computed or written */
#define BAD_INPUT 2             /* arguments or files are wrong */

/* Runs are repeated up to so often, or until they took so long together, so
 * that neither the first one's page faults nor other programs count. */
#define MOST_RUNS 10
#define ENOUGH_MS 100.0

typedef struct
{
  bool all, compare, json, csv, keep_going, details;
  const char *backend, *simd, *save;
  unsigned threads;
  const char **positional, **sweeps, **specs;
  size_t n_positional, n_sweeps, n_specs;
  SceneSource files;            /* borrows from argv */
  const char *map;
  double map_scale, map_invalid;
  bool use_map_invalid;
  size_t rank;
} Options;

static void
die (const char *text, ...)
STEREO_PRINTF (1, 2)
    __attribute__((noreturn));

/* One line, then the end. */
     static void die (const char *text, ...)
{
  va_list arguments;

  fprintf (stderr, PROGRAM ": ");
  va_start (arguments, text);
  vfprintf (stderr, text, arguments);
  va_end (arguments);
  putc ('\n', stderr);
  exit (BAD_INPUT);
}

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
    "  --left FILE            two images (PNG, PGM, PPM) instead of scenes\n"
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
    "  --rank MEASURE         what the best has least of: bad-0.5, bad-1 (the\n"
    "                         default), bad-2, bad-4, d1, mean, rms, time;\n"
    "                         or density, of which it has most\n"
    "  --save DIR             write maps and pictures of the errors\n"
    "  --keep-going           go on with other scenes when one fails\n"
    "  --help, --version\n";
/* *INDENT-ON* */

/* -------------------------------------------------------------------- list */

static void
print_value (const StereoParamSpec * spec, double value, char *text,
    size_t size)
{
  if (spec->type == STEREO_PARAM_BOOL)
    snprintf (text, size, "%s", value != 0 ? "true" : "false");
  else if (spec->type == STEREO_PARAM_ENUM)
    snprintf (text, size, "%s", spec->values[(int) value].nick);
  else
    snprintf (text, size, "%.10g", value);
}

static void
print_list (void)
{
  const StereoAlgorithm *algorithm;
  const StereoParamSpec *spec;

  for (size_t i = 0; (algorithm = stereo_algorithm_get (i)) != NULL; i++) {
    printf ("%s%s: %s\n  %s\n\n", i > 0 ? "\n" : "",
        stereo_algorithm_name (algorithm), stereo_algorithm_title (algorithm),
        stereo_algorithm_reference (algorithm));
    printf ("  %-20s %-18s %-8s\n", "property", "range", "default");
    for (size_t p = 0; (spec = stereo_algorithm_param (algorithm, p)) != NULL;
        p++) {
      char range[256] = "", initial[64];
      size_t used = 0;

      print_value (spec, stereo_algorithm_param_initial (algorithm, spec),
          initial, sizeof (initial));
      if (spec->type == STEREO_PARAM_BOOL) {
        snprintf (range, sizeof (range), "true, false");
      } else if (spec->type == STEREO_PARAM_ENUM) {
        for (int v = 0; v <= (int) spec->maximum && used < sizeof (range); v++)
          used += (size_t) snprintf (range + used, sizeof (range) - used,
              "%s%s", v > 0 ? ", " : "", spec->values[v].nick);
      } else {
        snprintf (range, sizeof (range), "%.10g to %.10g", spec->minimum,
            spec->maximum);
      }
      printf ("  %-20s %-18s %-8s  %s\n", spec->name, range, initial,
          spec->blurb);
    }
  }
}

/* ----------------------------------------------------------------- options */

enum
{
  OPTION_ALL = 256, OPTION_COMPARE, OPTION_SWEEP, OPTION_MAP, OPTION_MAP_SCALE,
  OPTION_MAP_INVALID, OPTION_LIST, OPTION_LEFT, OPTION_RIGHT, OPTION_TRUTH,
  OPTION_TRUTH_SCALE, OPTION_TRUTH_INVALID, OPTION_BACKEND, OPTION_THREADS,
  OPTION_SIMD, OPTION_JSON, OPTION_CSV, OPTION_DETAILS, OPTION_RANK,
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

static void
parse_options (int argc, char **argv, Options * options)
{
  double number;
  bool comparing = false;
  int option;

  memset (options, 0, sizeof (*options));
  options->backend = options->simd = "auto";
  (void) eval_rank_find ("bad-1", &options->rank);
  opterr = 0;
  /* "-": arguments that are no options come as option 1, in their order */
  while ((option = getopt_long (argc, argv, "-:h", long_options, NULL)) != -1) {
    if (option != 1)
      comparing = false;
    switch (option) {
      case 1:
        if (comparing && (names_algorithm (optarg) || !exists (optarg)))
          add (&options->specs, &options->n_specs, optarg);
        else
          add (&options->positional, &options->n_positional, optarg);
        break;
      case OPTION_ALL:
        options->all = true;
        break;
      case OPTION_COMPARE:
        options->compare = comparing = true;
        break;
      case OPTION_SWEEP:
        add (&options->sweeps, &options->n_sweeps, optarg);
        break;
      case OPTION_MAP:
        options->map = optarg;
        break;
      case OPTION_MAP_SCALE:
        options->map_scale = scale_option ("--map-scale", optarg);
        break;
      case OPTION_MAP_INVALID:
        options->map_invalid = invalid_option ("--map-invalid", optarg);
        options->use_map_invalid = true;
        break;
      case OPTION_LIST:
        print_list ();
        exit (fflush (stdout) == 0 ? 0 : FAILED);
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
        if (strcmp (optarg, "cpu") != 0 && strcmp (optarg, "cuda") != 0
            && strcmp (optarg, "auto") != 0)
          die ("--backend '%s': it is cpu, cuda or auto", optarg);
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
      case OPTION_RANK:
        if (!eval_rank_find (optarg, &options->rank))
          die ("--rank '%s': it is bad-0.5, bad-1, bad-2, bad-4, d1, mean, rms,"
              " density or time", optarg);
        break;
      case OPTION_SAVE:
        options->save = optarg;
        break;
      case OPTION_KEEP_GOING:
        options->keep_going = true;
        break;
      case 'h':
      case OPTION_HELP:
        fputs (usage, stdout);
        exit (fflush (stdout) == 0 ? 0 : FAILED);
      case OPTION_VERSION:
        printf (PROGRAM " %s\n", stereo_version ());
        exit (fflush (stdout) == 0 ? 0 : FAILED);
      case ':':
        die ("%s needs a value", argv[optind - 1]);
      default:
        die ("unknown option '%s'; --help lists them", argv[optind - 1]);
    }
  }
  for (; optind < argc; optind++)
    add (&options->positional, &options->n_positional, argv[optind]);

  if (options->json && options->csv)
    die ("--json and --csv exclude each other");
  if (options->all + options->compare + (options->map != NULL) > 1)
    die ("--all, --compare and --map exclude each other");
  if (options->compare && options->n_specs == 0)
    die ("--compare needs algorithms, such as \"vcbw median=true\"");
  if ((options->files.left == NULL) != (options->files.right == NULL))
    die ("--left and --right need each other");
  if (options->files.truth != NULL && options->files.left == NULL
      && options->map == NULL)
    die ("--truth needs --left and --right, or --map");
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
  bool named = false;
  const StereoAlgorithm *algorithm;
  const char **properties = NULL, **folders = NULL;
  size_t n_properties = 0, n_folders = 0;

  for (size_t i = 0; i < options->n_positional; i++) {
    const char *text = options->positional[i];

    if (!named && !options->all && !options->compare && options->map == NULL
        && names_algorithm (text)) {
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
  if (!named && !options->all && !options->compare && options->map == NULL) {
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
    if (options->map != NULL)
      die ("'%s': a given map has no properties", properties[i]);
    if (!cli_setups_set (setups, properties[i], &why))
      die ("%s", why.text);
  }
  for (size_t i = 0; i < options->n_sweeps; i++) {
    if (options->map != NULL)
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
  if (options->map != NULL && scenes->n > 1
      && strstr (options->map, "{scene}") == NULL)
    die ("--map '%s': one map for %zu scenes; {scene} in it stands for their "
        "names", options->map, scenes->n);
  free (properties);
  free (folders);
}

static StereoDevice *
open_device (const Options * options)
{
  StereoDevice *device = NULL;
  StereoMessage why = { "" };
  int simd = STEREO_SIMD_AUTO;

  for (; stereo_simd_name ((StereoSimd) simd) != NULL; simd++) {
    if (strcmp (stereo_simd_name ((StereoSimd) simd), options->simd) == 0)
      break;
  }
  if (stereo_simd_name ((StereoSimd) simd) == NULL)
    die ("--simd '%s': it is auto, none, generic, avx2 or avx512",
        options->simd);

  if (strcmp (options->backend, "cpu") != 0) {
    if (stereo_device_new_cuda (-1, &device, &why) == STEREO_OK)
      return device;
    if (strcmp (options->backend, "cuda") == 0)
      die ("--backend cuda: %s", why.text);
  }
  if (stereo_device_new_cpu (options->threads, (StereoSimd) simd, &device,
          &why) != STEREO_OK)
    die ("--backend cpu: %s", why.text);
  return device;
}

/* ---------------------------------------------------------------- progress */

/* On a terminal only; done of total maps are there. */
static void
progress (size_t done, size_t total, const char *scene, const char *label)
{
  char bar[21];
  size_t filled = done * 20 / total;

  if (!isatty (STDERR_FILENO) || total < 2)
    return;
  memset (bar, '.', 20);
  memset (bar, '#', filled);
  bar[20] = '\0';
  fprintf (stderr, "\r\033[K[%s] %zu/%zu %.16s: %.24s", bar, done, total,
      scene, label);
  fflush (stderr);
}

static void
progress_end (size_t total)
{
  if (isatty (STDERR_FILENO) && total >= 2)
    fprintf (stderr, "\r\033[K");
}

/* ---------------------------------------------------------------- matching */

/* The codes as disparities. */
static void
decode (const uint8_t * codes, const StereoParams * params, size_t n,
    float *map)
{
  double scale = 1, minimum = 0, invalid = 0;

  if (!stereo_params_get (params, "disparity-scale", &scale)
      || !stereo_params_get (params, "min-disparity", &minimum)
      || !stereo_params_get (params, "invalid-value", &invalid))
    abort ();
  for (size_t i = 0; i < n; i++) {
    unsigned code = codes[2 * i] | (unsigned) codes[2 * i + 1] << 8;

    map[i] = code == invalid ? NAN : (float) (code / scale + minimum);
  }
}

/* Chooses what the setup leaves open: the scene's disparities, the finest
 * scale with which they fit 16 bits, and an invalid value beyond them. */
static bool
fit_params (const CliSetup * setup, const Scene * scene,
    StereoParams * params, StereoMessage * why)
{
  double disparities = 0, scale = 256;

  if (cli_setup_property (setup, "num-disparities") == NULL
      && scene->disparities > 0
      && stereo_params_set (params, "num-disparities", scene->disparities,
          why) != STEREO_OK)
    return false;
  if (!stereo_params_get (params, "num-disparities", &disparities))
    return cli_fail (why, "num-disparities is missing");
  while (scale > 1 && (disparities - 1) * scale >= 65535)
    scale /= 2;
  if (cli_setup_property (setup, "disparity-scale") == NULL
      && stereo_params_set (params, "disparity-scale", scale, why) != STEREO_OK)
    return false;
  return cli_setup_property (setup, "invalid-value") != NULL
      || stereo_params_set (params, "invalid-value", 65535, why) == STEREO_OK;
}

static void
make_image (const Image * from, StereoImage * image)
{
  memset (image, 0, sizeof (*image));
  image->format = from->channels == 3 ? STEREO_FORMAT_RGB : STEREO_FORMAT_GRAY8;
  image->width = from->width;
  image->height = from->height;
  image->memory = STEREO_MEMORY_HOST;
  image->plane[0] = from->data;
  image->stride[0] = (size_t) from->width * (size_t) from->channels;
}

/* Runs a setup on a scene; *status is the exit status of a failure. */
static bool
match (const CliSetup * setup, StereoDevice * device, const Scene * scene,
    float *map, EvalResult * result, int *status, StereoMessage * why)
{
  StereoMatcher *matcher = NULL;
  StereoParams *params = NULL;
  StereoGeometry geometry;
  StereoImage left, right, output;
  StereoMatcherStats stats;
  size_t n = (size_t) scene->width * (size_t) scene->height;
  uint8_t *codes = cli_resize (NULL, 2 * n);
  double total = 0, disparities = 0;
  bool good;

  make_image (&scene->left, &left);
  make_image (&scene->right, &right);
  output = left;
  output.format = STEREO_FORMAT_GRAY16_LE;
  output.plane[0] = codes;
  output.stride[0] = 2 * (size_t) scene->width;
  geometry.width = scene->width;
  geometry.height = scene->height;
  geometry.left = left.format;
  geometry.right = right.format;
  geometry.output = output.format;

  *status = BAD_INPUT;
  good = stereo_params_new (setup->algorithm, &params) == STEREO_OK
      && stereo_params_copy (params, setup->params) == STEREO_OK
      && stereo_matcher_new (setup->algorithm, device, &matcher) == STEREO_OK;
  if (!good)
    cli_fail (why, "out of memory");
  good = good && fit_params (setup, scene, params, why);
  if (good) {
    StereoStatus configured = stereo_matcher_configure (matcher, &geometry,
        params);

    good = configured == STEREO_OK;
    if (!good)
      cli_fail (why, "%s", stereo_matcher_error (matcher));
    if (configured != STEREO_ERROR_ARGUMENT)
      *status = FAILED;
  }

  result->milliseconds = INFINITY;
  for (int i = 0; good && i < MOST_RUNS && (i == 0 || total < ENOUGH_MS); i++) {
    good = stereo_matcher_process (matcher, &left, &right, &output,
        NULL) == STEREO_OK && stereo_matcher_sync (matcher) == STEREO_OK;
    if (good) {
      stereo_matcher_get_stats (matcher, &stats);
      total += (double) stats.last_ns / 1e6;
      if ((double) stats.last_ns / 1e6 < result->milliseconds)
        result->milliseconds = (double) stats.last_ns / 1e6;
    } else {
      cli_fail (why, "%s", stereo_matcher_error (matcher));
    }
  }
  if (good) {
    decode (codes, params, n, map);
    if (stereo_params_get (params, "num-disparities", &disparities))
      result->disparities = (int) disparities;
  }
  stereo_matcher_free (&matcher);
  stereo_params_free (&params);
  free (codes);
  return good;
}

/* Reads the map for a scene of that name. */
static bool
read_given_map (const Options * options, const char *name, Scene * scene,
    float **map, StereoMessage * why)
{
  const char *mark = strstr (options->map, "{scene}");
  char *path = mark == NULL ? cli_format ("%s", options->map)
      : cli_format ("%.*s%s%s", (int) (mark - options->map), options->map,
      name, mark + strlen ("{scene}"));
  bool good = image_read_map (path, options->map_scale,
      options->use_map_invalid, options->map_invalid, &scene->width,
      &scene->height, map, why);

  free (path);
  return good;
}

/* ------------------------------------------------------------------ saving */

/* A file name from a label: letters, digits and ".=-" stay. */
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

static bool
make_folder (const char *path, StereoMessage * why)
{
  if (mkdir (path, 0777) != 0 && errno != EEXIST)
    return image_fail (why, path, "can't be made: %s", strerror (errno));
  return true;
}

/* FOLDER/NAME.pfm, .png, -color.png and -error.png. */
static bool
save (const char *folder, const char *name, const Scene * scene,
    const float *map, int disparities, StereoMessage * why)
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
    minimum = 0;
    maximum = disparities > 0 ? disparities - 1 : 0;
    for (size_t i = 0; disparities <= 0 && i < n; i++) {
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
judge (const Scene * scene, const float *map, EvalResult * result)
{
  size_t n = (size_t) scene->width * (size_t) scene->height;

  result->width = scene->width;
  result->height = scene->height;
  result->official = scene->official;
  result->density = measure_density (map, n);
  for (int r = 0; r < SCENE_N_REGIONS; r++) {
    result->has[r] = scene->truth != NULL && scene->region[r] != NULL;
    if (result->has[r])
      measure_map (map, scene->truth, scene->region[r], n, &result->measure[r]);
  }
}

/* One run on one scene; returns the exit status. */
static int
evaluate (const Options * options, StereoDevice * device, const char *name,
    Scene * scene, const EvalRun * run, const char *folder,
    EvalResult * result, StereoMessage * why)
{
  float *map = NULL;
  int status = BAD_INPUT;
  bool good;

  if (run->setup == NULL) {
    result->milliseconds = NAN;
    result->disparities = scene->disparities;
    good = read_given_map (options, name, scene, &map, why);
  } else {
    StereoMessage reason = { "" };

    map = cli_resize (NULL, (size_t) scene->width * (size_t) scene->height
        * sizeof (*map));
    good = match (run->setup, device, scene, map, result, &status, &reason);
    if (!good)
      cli_fail (why, "%.100s: %.100s: %.250s", name, run->label, reason.text);
  }
  if (good) {
    judge (scene, map, result);
    if (folder != NULL && !save (folder, name, scene, map,
            result->disparities, why)) {
      good = false;
      status = FAILED;
    }
  }
  free (map);
  return good ? 0 : status;
}

static void
note_failure (EvalResult * result, const StereoMessage * why, size_t total)
{
  progress_end (total);
  fprintf (stderr, PROGRAM ": %s\n", why->text);
  result->error = cli_format ("%s", why->text);
}

/* Fills in all results; returns the exit status. */
static int
run_all (const Options * options, StereoDevice * device,
    const SceneList * scenes, EvalReport * report)
{
  size_t total = report->n_runs * report->n_scenes, done = 0;
  StereoMessage why = { "" };
  int status = 0;

  if (options->save != NULL && !make_folder (options->save, &why))
    die ("%s", why.text);
  for (size_t s = 0; s < scenes->n; s++) {
    const char *name = scenes->item[s].name;
    Scene scene;
    bool loaded;

    progress (done, total, name, "reading");
    memset (&scene, 0, sizeof (scene));
    loaded = scene_load (&scenes->item[s], &scene, &why);
    for (size_t i = 0; i < report->n_runs; i++) {
      EvalRun *run = &report->run[i];
      EvalResult *result = &run->result[s];
      char *folder = NULL;
      int failure = BAD_INPUT;

      progress (done, total, name, run->label);
      result->scene = name;
      if (options->save != NULL && report->n_runs > 1) {
        char *part = file_name (run->label);

        folder = cli_format ("%s/%s", options->save, part);
        free (part);
        if (!make_folder (folder, &why))
          die ("%s", why.text);
      } else if (options->save != NULL) {
        folder = cli_format ("%s", options->save);
      }
      if (loaded)
        failure = evaluate (options, device, name, &scene, run, folder,
            result, &why);
      free (folder);
      if (failure != 0 && result->error == NULL) {
        /* a scene that can't be read is told about once */
        if (loaded || i == 0)
          note_failure (result, &why, total);
        else
          result->error = cli_format ("%s", why.text);
        status = failure;
      }
      done++;
      if (failure != 0 && !options->keep_going) {
        scene_clear (&scene);
        return status;
      }
    }
    scene_clear (&scene);
  }
  progress_end (total);
  return status;
}

int
main (int argc, char **argv)
{
  Options options;
  CliSetups setups = { NULL, 0 };
  SceneList scenes = { NULL, 0 };
  StereoDevice *device = NULL;
  EvalReport report;
  char *map_label = NULL;
  int status;

  parse_options (argc, argv, &options);
  make_plan (&options, &setups, &scenes);

  memset (&report, 0, sizeof (report));
  report.n_runs = options.map != NULL ? 1 : setups.n;
  report.n_scenes = scenes.n;
  report.rank = options.rank;
  report.sweep = options.n_sweeps > 0;
  report.details = options.details;
  report.run = cli_resize (NULL, report.n_runs * sizeof (*report.run));
  if (options.map != NULL)
    map_label = cli_format ("map %s", options.map);
  for (size_t i = 0; i < report.n_runs; i++) {
    EvalRun *run = &report.run[i];
    size_t bytes = scenes.n * sizeof (*run->result);

    run->setup = options.map != NULL ? NULL : &setups.item[i];
    run->label = run->setup != NULL ? run->setup->label : map_label;
    run->result = cli_resize (NULL, bytes);
    memset (run->result, 0, bytes);
  }
  if (options.map == NULL) {
    device = open_device (&options);
    report.backend = stereo_device_backend (device);
    report.device = stereo_device_name (device);
  }

  status = run_all (&options, device, &scenes, &report);
  if (status == 0 || options.keep_going) {
    if (options.json)
      eval_print_json (&report, stdout);
    else if (options.csv)
      eval_print_csv (&report, stdout);
    else
      eval_print_table (&report, stdout);
    if (fflush (stdout) != 0 || ferror (stdout)) {
      fprintf (stderr, PROGRAM ": the output can't be written: %s\n",
          strerror (errno));
      status = FAILED;
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
