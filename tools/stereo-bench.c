/* gst-stereomatching: run times of stereo algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-bench: times algorithms on images of any size, on the CPU and on
 * CUDA.  docs/tools/stereo-bench.md is its manual.
 */

#include "bench.h"
#include "stereo-cuda.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "stereo-bench"
/* One line, then the end. */
#define die(...) cli_die (PROGRAM, __VA_ARGS__)

/* Exit statuses. */
#define FAILED 1                /* it could not be computed or written */

#define MIB 1048576.0
/* What is copied unless --copy-mib says otherwise: on CUDA so much that
 * starting it does not count. */
#define COPY_MIB_CPU 512
#define COPY_MIB_CUDA 2048

/* A size, with disparities or 0. */
typedef struct
{
  int width, height, disparities;
} Size;

typedef struct
{
  const char *preset;
  const char *name;
  Size size;
} Preset;

static const Preset presets[] = {
  {"papers", "Tsukuba", {384, 288, 16}},
  {"papers", "Teddy", {450, 375, 60}},
  {"papers", "Cones, half size", {900, 750, 128}},
  {"papers", "720p", {1280, 720, 128}},
  {"papers", "1080p", {1920, 1080, 128}},
  {"papers", "1080p, 256 disparities", {1920, 1080, 256}},
  {"video", "VGA", {640, 480, 64}},
  {"video", "720p", {1280, 720, 128}},
  {"video", "1080p", {1920, 1080, 128}},
  {"video", "2160p", {3840, 2160, 256}},
};

#define N_PRESETS (sizeof (presets) / sizeof (presets[0]))

typedef struct
{
  bool json, csv, keep_going;
  const char *backend, *simd;
  unsigned threads;
  double seconds, rotate_mib, copy_mib; /* MiB below 0: not given */
  int frames;
  const char **specs, **properties;
  size_t n_specs, n_properties;
  Size *sizes;
  size_t n_sizes;
  int *disparities;
  size_t n_disparities;
  StereoFormat *formats;
  size_t n_formats;
  const char *left, *right;
} Options;

/* *INDENT-OFF* */
static const char usage[] =
    "Usage: stereo-bench [OPTION ...] [ALGORITHM ...] [NAME=VALUE ...]\n"
    "\n"
    "Times stereo algorithms, by default all of them. NAME=VALUE sets a\n"
    "property of all; an ALGORITHM may bring its own, in one argument, such\n"
    "as \"vcbw windows=four\". Every combination of what is named is timed.\n"
    "\n"
    "What to time\n"
    "  --algorithm SPEC       the same as SPEC without it\n"
    "  --size WxH[xD]         size of the views, and disparities to search\n"
    "                         (1280x720)\n"
    "  --disparities N        for the sizes that do not say (64)\n"
    "  --preset NAME          the sizes of papers or video\n"
    "  --list-sizes           print them\n"
    "  --format NAME          of the views: GRAY8 (the default), RGB, NV12\n"
    "  --images LEFT RIGHT    two files (PNG, JPEG, PPM) instead of\n"
    "                         random views\n"
    "  --list                 print the algorithms\n"
    "\n"
    "Where\n"
    "  --backend NAME         cpu, cuda, both, or auto: the CPU, and CUDA if\n"
    "                         there is one (the default)\n"
    "  --threads N            of the CPU; 0 = one for each processor\n"
    "  --simd NAME            auto, none, generic, avx2, avx512\n"
    "\n"
    "How\n"
    "  --seconds S            for each kind of time (1)\n"
    "  --frames N             of each kind of time, at least (5)\n"
    "  --rotate-mib N         go through so many MiB of views and maps\n"
    "  --copy-mib N           time the copying of so many MiB; 0: don't\n"
    "\n"
    "Output\n"
    "  --json, --csv          for programs, instead of the tables\n"
    "  --keep-going           go on with the rest when something fails\n"
    "  --help, --version\n";
/* *INDENT-ON* */

/* ----------------------------------------------------------------- options */

enum
{
  OPTION_ALGORITHM = 256, OPTION_SIZE, OPTION_DISPARITIES, OPTION_PRESET,
  OPTION_LIST_SIZES, OPTION_FORMAT, OPTION_IMAGES, OPTION_LIST,
  OPTION_BACKEND, OPTION_THREADS, OPTION_SIMD, OPTION_SECONDS, OPTION_FRAMES,
  OPTION_ROTATE, OPTION_COPY, OPTION_JSON, OPTION_CSV, OPTION_KEEP_GOING,
  OPTION_HELP, OPTION_VERSION
};

static const struct option long_options[] = {
  {"algorithm", required_argument, NULL, OPTION_ALGORITHM},
  {"size", required_argument, NULL, OPTION_SIZE},
  {"disparities", required_argument, NULL, OPTION_DISPARITIES},
  {"preset", required_argument, NULL, OPTION_PRESET},
  {"list-sizes", no_argument, NULL, OPTION_LIST_SIZES},
  {"format", required_argument, NULL, OPTION_FORMAT},
  {"images", required_argument, NULL, OPTION_IMAGES},
  {"list", no_argument, NULL, OPTION_LIST},
  {"backend", required_argument, NULL, OPTION_BACKEND},
  {"threads", required_argument, NULL, OPTION_THREADS},
  {"simd", required_argument, NULL, OPTION_SIMD},
  {"seconds", required_argument, NULL, OPTION_SECONDS},
  {"frames", required_argument, NULL, OPTION_FRAMES},
  {"rotate-mib", required_argument, NULL, OPTION_ROTATE},
  {"copy-mib", required_argument, NULL, OPTION_COPY},
  {"json", no_argument, NULL, OPTION_JSON},
  {"csv", no_argument, NULL, OPTION_CSV},
  {"keep-going", no_argument, NULL, OPTION_KEEP_GOING},
  {"help", no_argument, NULL, OPTION_HELP},
  {"version", no_argument, NULL, OPTION_VERSION},
  {NULL, 0, NULL, 0}
};

static void
add (const char ***list, size_t *n, const char *text)
{
  *list = cli_resize (*list, (*n + 1) * sizeof (**list));
  (*list)[(*n)++] = text;
}

static int
whole_option (const char *name, const char *text, int minimum, int maximum)
{
  double number;

  if (!cli_number (text, &number) || number != floor (number)
      || number < minimum || number > maximum)
    die ("%s '%s': it is a whole number from %d to %d", name, text, minimum,
        maximum);
  return (int) number;
}

static void
add_size (Options * options, Size size)
{
  options->sizes = cli_resize (options->sizes,
      (options->n_sizes + 1) * sizeof (*options->sizes));
  options->sizes[options->n_sizes++] = size;
}

/* Digits, then end; *text goes past both. */
static bool
digits (const char **text, const char *ends, int *value)
{
  size_t n = strspn (*text, "0123456789");

  if (n == 0 || n > 6 || strchr (ends, (*text)[n]) == NULL)
    return false;
  *value = atoi (*text);
  *text += n;
  if (**text != '\0')
    (*text)++;
  return true;
}

static Size
size_option (const char *text)
{
  const char *rest = text;
  Size size = { 0, 0, 0 };
  bool good = digits (&rest, "x", &size.width) && rest > text
      && rest[-1] == 'x' && digits (&rest, "x", &size.height);

  /* a third number where the second one ended with x */
  if (good && rest[-1] == 'x')
    good = digits (&rest, "", &size.disparities) && size.disparities > 0;
  if (!good || *rest != '\0')
    die ("--size '%s': it is WIDTHxHEIGHT or WIDTHxHEIGHTxDISPARITIES", text);
  if (size.width < 1 || size.height < 1 || size.width > STEREO_MAX_SIZE
      || size.height > STEREO_MAX_SIZE)
    die ("--size '%s': width and height go from 1 to %d", text,
        STEREO_MAX_SIZE);
  return size;
}

static void
preset_option (Options * options, const char *name)
{
  bool found = false;

  for (size_t i = 0; i < N_PRESETS; i++) {
    if (strcmp (presets[i].preset, name) == 0) {
      add_size (options, presets[i].size);
      found = true;
    }
  }
  if (!found)
    die ("--preset '%s': it is papers or video", name);
}

static StereoFormat
format_option (const char *text)
{
  char names[256] = "";
  size_t used = 0;

  for (int i = 0; i < STEREO_N_FORMATS; i++) {
    const char *name = stereo_format_name ((StereoFormat) i);

    if (strcmp (name, text) == 0)
      return (StereoFormat) i;
    used += (size_t) snprintf (names + used, sizeof (names) - used, "%s%s",
        i > 0 ? ", " : "", name);
  }
  die ("--format '%s': it is one of %s", text, names);
}

static void
print_sizes (void)
{
  for (size_t i = 0; i < N_PRESETS; i++) {
    char *size = cli_format ("%dx%dx%d", presets[i].size.width,
        presets[i].size.height, presets[i].size.disparities);

    printf ("%-8s %-14s %s\n", presets[i].preset, size, presets[i].name);
    free (size);
  }
}

static void
print_list (void)
{
  const StereoAlgorithm *algorithm;

  for (size_t i = 0; (algorithm = stereo_algorithm_get (i)) != NULL; i++)
    printf ("%s: %s\n", stereo_algorithm_name (algorithm),
        stereo_algorithm_title (algorithm));
}

/* An option as getopt_long() gives it, of argv[optind - 1] and before. */
static void
take_option (int option, char **argv, Options * options)
{
  switch (option) {
    case 1:
      /* a SPEC may have properties of its own, after a blank */
      if (strchr (optarg, '=') != NULL && strpbrk (optarg, " \t") == NULL)
        add (&options->properties, &options->n_properties, optarg);
      else
        add (&options->specs, &options->n_specs, optarg);
      break;
    case OPTION_ALGORITHM:
      add (&options->specs, &options->n_specs, optarg);
      break;
    case OPTION_SIZE:
      add_size (options, size_option (optarg));
      break;
    case OPTION_DISPARITIES:
      options->disparities = cli_resize (options->disparities,
          (options->n_disparities + 1) * sizeof (int));
      options->disparities[options->n_disparities++] =
          whole_option ("--disparities", optarg, 1, 16384);
      break;
    case OPTION_PRESET:
      preset_option (options, optarg);
      break;
    case OPTION_LIST_SIZES:
      print_sizes ();
      exit (fflush (stdout) == 0 ? 0 : FAILED);
    case OPTION_FORMAT:
      options->formats = cli_resize (options->formats,
          (options->n_formats + 1) * sizeof (*options->formats));
      options->formats[options->n_formats++] = format_option (optarg);
      break;
    case OPTION_IMAGES:
      if (argv[optind] == NULL || strncmp (argv[optind], "--", 2) == 0)
        die ("--images needs two files");
      options->left = optarg;
      options->right = argv[optind++];
      break;
    case OPTION_LIST:
      print_list ();
      exit (fflush (stdout) == 0 ? 0 : FAILED);
    case OPTION_BACKEND:
      if (strcmp (optarg, "cpu") != 0 && strcmp (optarg, "cuda") != 0
          && strcmp (optarg, "both") != 0 && strcmp (optarg, "auto") != 0)
        die ("--backend '%s': it is cpu, cuda, both or auto", optarg);
      options->backend = optarg;
      break;
    case OPTION_THREADS:
      options->threads = (unsigned) whole_option ("--threads", optarg, 0,
          1024);
      break;
    case OPTION_SIMD:
      options->simd = optarg;
      break;
    case OPTION_SECONDS:
      if (!cli_number (optarg, &options->seconds) || options->seconds <= 0
          || options->seconds > 3600)
        die ("--seconds '%s': it is a number above 0, at most 3600", optarg);
      break;
    case OPTION_FRAMES:
      options->frames = whole_option ("--frames", optarg, 1, 1000000);
      break;
    case OPTION_ROTATE:
      options->rotate_mib = whole_option ("--rotate-mib", optarg, 0, 65536);
      break;
    case OPTION_COPY:
      options->copy_mib = whole_option ("--copy-mib", optarg, 0, 65536);
      break;
    case OPTION_JSON:
      options->json = true;
      break;
    case OPTION_CSV:
      options->csv = true;
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

static void
parse_options (int argc, char **argv, Options * options)
{
  int option;

  memset (options, 0, sizeof (*options));
  options->backend = options->simd = "auto";
  options->seconds = 1;
  options->frames = 5;
  options->rotate_mib = -1;
  options->copy_mib = -1;
  opterr = 0;
  /* "-": arguments that are no options come as option 1, in their order */
  while ((option = getopt_long (argc, argv, "-:h", long_options, NULL)) != -1)
    take_option (option, argv, options);
  for (; optind < argc; optind++)
    add (&options->specs, &options->n_specs, argv[optind]);
  if (options->json && options->csv)
    die ("--json and --csv exclude each other");
  if (options->left != NULL && options->n_sizes > 0)
    die ("--images has a size; --size and --preset would be another");
}

/* -------------------------------------------------------------------- plan */

static void
make_setups (const Options * options, CliSetups * setups)
{
  const StereoAlgorithm *algorithm;
  StereoMessage why = { "" };

  for (size_t i = 0; options->n_specs == 0
      && (algorithm = stereo_algorithm_get (i)) != NULL; i++) {
    if (!cli_setups_add (setups, stereo_algorithm_name (algorithm), &why))
      die ("%s", why.text);
  }
  /* what is common to all first, so that a specification has the last word */
  for (size_t i = 0; i < options->n_specs; i++) {
    char *text = cli_format ("%s", options->specs[i]);
    size_t end = strcspn (text, " \t");
    char *name = cli_format ("%.*s", (int) end, text);

    if (stereo_algorithm_find (name) == NULL)
      die ("there is no algorithm called '%s'; --list has them", name);
    free (name);
    for (size_t p = 0; p < options->n_properties; p++) {
      char *longer = cli_format ("%.*s %s%s", (int) end, text,
          options->properties[p], text + end);

      end += strlen (options->properties[p]) + 1;
      free (text);
      text = longer;
    }
    if (!cli_setups_add (setups, text, &why))
      die ("%s", why.text);
    free (text);
  }
  for (size_t i = 0; options->n_specs == 0 && i < options->n_properties; i++) {
    if (!cli_setups_set (setups, options->properties[i], &why))
      die ("%s", why.text);
  }
  for (size_t i = 0; i < setups->n; i++) {
    if (cli_setup_property (&setups->item[i], "num-disparities") != NULL)
      die ("num-disparities is set with --disparities or --size");
  }
}

/* The setup's parameters with these disparities, and the finest scale with
 * which their codes fit 16 bits if it says none. */
static StereoParams *
make_params (const CliSetup * setup, int disparities)
{
  StereoParams *params = NULL;
  StereoMessage why = { "" };
  double scale = 256;
  bool good = stereo_params_new (setup->algorithm, &params) == STEREO_OK
      && stereo_params_copy (params, setup->params) == STEREO_OK;

  if (!good) {
    fprintf (stderr, "out of memory\n");
    exit (FAILED);
  }
  while (scale > 1 && (disparities - 1) * scale >= 65535)
    scale /= 2;
  if (stereo_params_set (params, "num-disparities", disparities, &why)
      != STEREO_OK
      || (cli_setup_property (setup, "disparity-scale") == NULL
          && stereo_params_set (params, "disparity-scale", scale, &why)
          != STEREO_OK))
    die ("%s: %s", setup->label, why.text);
  return params;
}

static void
add_case (BenchReport * report, const CliSetup * setup, Size size,
    StereoFormat format)
{
  BenchCase *c;

  report->cases = cli_resize (report->cases,
      (report->n_cases + 1) * sizeof (*report->cases));
  c = &report->cases[report->n_cases++];
  c->setup = setup;
  c->width = size.width;
  c->height = size.height;
  c->disparities = size.disparities;
  c->format = format;
  c->params = make_params (setup, size.disparities);
}

static void
make_cases (const Options * options, const CliSetups * setups,
    BenchReport * report)
{
  const int common_disparities = 64;
  const StereoFormat common_format = STEREO_FORMAT_GRAY8;
  const StereoFormat *formats = options->n_formats > 0 ? options->formats
      : &common_format;
  const int *disparities = options->n_disparities > 0 ? options->disparities
      : &common_disparities;
  size_t n_formats = options->n_formats > 0 ? options->n_formats : 1;
  size_t n_disparities = options->n_disparities > 0 ? options->n_disparities
      : 1;

  for (size_t i = 0; i < setups->n; i++) {
    for (size_t s = 0; s < options->n_sizes; s++) {
      Size size = options->sizes[s];
      bool given = size.disparities > 0;

      for (size_t d = 0; d < (given ? 1 : n_disparities); d++) {
        if (!given)
          size.disparities = disparities[d];
        for (size_t f = 0; f < n_formats; f++)
          add_case (report, &setups->item[i], size, formats[f]);
      }
    }
  }
}

static void
read_image (const char *path, Image * image)
{
  StereoMessage why = { "" };

  if (!image_read (path, image, &why) || !image_reduce (path, image, &why))
    die ("%s", why.text);
}

static void
add_device (BenchReport * report, StereoDevice * device)
{
  BenchRun *run;

  report->run = cli_resize (report->run,
      (report->n_runs + 1) * sizeof (*report->run));
  run = &report->run[report->n_runs++];
  run->device = device;
  run->copy = NAN;
  run->result = cli_resize (NULL, report->n_cases * sizeof (*run->result));
  for (size_t i = 0; i < report->n_cases; i++) {
    BenchResult *result = &run->result[i];

    memset (result, 0, sizeof (*result));
    bench_summarize (NULL, 0, &result->device);
    bench_summarize (NULL, 0, &result->host);
    bench_summarize (NULL, 0, &result->pipelined);
    bench_summarize (NULL, 0, &result->profiled);
  }
}

static void
open_devices (const Options * options, BenchReport * report)
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

  if (strcmp (options->backend, "cuda") != 0) {
    if (stereo_device_new_cpu (options->threads, (StereoSimd) simd, &device,
            &why) != STEREO_OK)
      die ("--simd %s: %s", options->simd, why.text);
    add_device (report, device);
  }
  if (strcmp (options->backend, "cpu") != 0) {
    if (stereo_device_new_cuda (-1, &device, &why) == STEREO_OK)
      add_device (report, device);
    else if (strcmp (options->backend, "auto") != 0)
      die ("--backend %s: %s", options->backend, why.text);
  }
}

/* ----------------------------------------------------------------- running */

/* On a terminal only; done of total cases are there. */
static void
progress (size_t done, size_t total, const char *device, const char *what)
{
  char bar[21];
  size_t filled = done * 20 / total;

  if (!isatty (STDERR_FILENO))
    return;
  memset (bar, '.', 20);
  memset (bar, '#', filled);
  bar[20] = '\0';
  fprintf (stderr, "\r\033[K[%s] %zu/%zu %.24s: %.40s", bar, done, total,
      device, what);
  fflush (stderr);
}

static void
progress_end (void)
{
  if (isatty (STDERR_FILENO))
    fprintf (stderr, "\r\033[K");
}

/* Fills in all results; returns the exit status. */
static int
run_all (const Options * options, BenchSettings * settings,
    BenchReport * report)
{
  size_t total = report->n_runs * report->n_cases, done = 0;
  int status = 0;

  for (size_t r = 0; r < report->n_runs; r++) {
    BenchRun *run = &report->run[r];
    const char *device = stereo_device_name (run->device);
    StereoMessage why = { "" };
    double copy_mib = options->copy_mib >= 0 ? options->copy_mib
        : strcmp (stereo_device_backend (run->device), "cpu") == 0
        ? COPY_MIB_CPU : COPY_MIB_CUDA;

    settings->rotate = options->rotate_mib >= 0
        ? (size_t) (options->rotate_mib * MIB) : bench_rotation (run->device);
    progress (done, total, device, "copying");
    if (copy_mib > 0 && !bench_copy (run->device, (size_t) (copy_mib * MIB),
            &run->copy, &why)) {
      progress_end ();
      fprintf (stderr, PROGRAM ": copying on %s: %s\n", device, why.text);
      return FAILED;
    }
    for (size_t i = 0; i < report->n_cases; i++) {
      const BenchCase *c = &report->cases[i];
      char *what = cli_format ("%s %dx%dx%d %s", c->setup->label, c->width,
          c->height, c->disparities, stereo_format_name (c->format));
      BenchResult *result = &run->result[i];
      int failure = 0;

      progress (done++, total, device, what);
      if (!bench_run (run->device, c, settings, result, &failure, &why)) {
        result->error = cli_format ("%s", why.text);
        progress_end ();
        fprintf (stderr, PROGRAM ": %s: %s\n", what, why.text);
        status = failure;
      }
      free (what);
      if (failure != 0 && result->error != NULL && !options->keep_going)
        return status;
    }
  }
  progress_end ();
  return status;
}

int
main (int argc, char **argv)
{
  Options options;
  CliSetups setups = { NULL, 0 };
  Image left, right;
  BenchSettings settings;
  BenchReport report;
  int status;

  parse_options (argc, argv, &options);
  memset (&left, 0, sizeof (left));
  memset (&right, 0, sizeof (right));
  memset (&settings, 0, sizeof (settings));
  memset (&report, 0, sizeof (report));
  settings.seconds = options.seconds;
  settings.frames = (size_t) options.frames;
  make_setups (&options, &setups);
  if (options.left != NULL) {
    Size size = { 0, 0, 0 };

    read_image (options.left, &left);
    read_image (options.right, &right);
    if (left.width != right.width || left.height != right.height)
      die ("%s: it is %dx%d, but %s is %dx%d", options.right, right.width,
          right.height, options.left, left.width, left.height);
    settings.left = &left;
    settings.right = &right;
    report.left = options.left;
    report.right = options.right;
    size.width = left.width;
    size.height = left.height;
    add_size (&options, size);
  } else if (options.n_sizes == 0) {
    Size size = { 1280, 720, 0 };

    add_size (&options, size);
  }
  make_cases (&options, &setups, &report);
  open_devices (&options, &report);

  status = run_all (&options, &settings, &report);
  if (status == 0 || options.keep_going) {
    if (options.json)
      bench_print_json (&report, stdout);
    else if (options.csv)
      bench_print_csv (&report, stdout);
    else
      bench_print_table (&report, stdout);
    if (fflush (stdout) != 0 || ferror (stdout)) {
      fprintf (stderr, PROGRAM ": the output can't be written: %s\n",
          strerror (errno));
      status = FAILED;
    }
  }

  for (size_t r = 0; r < report.n_runs; r++) {
    for (size_t i = 0; i < report.n_cases; i++)
      free (report.run[r].result[i].error);
    free (report.run[r].result);
    stereo_device_unref (&report.run[r].device);
  }
  for (size_t i = 0; i < report.n_cases; i++)
    stereo_params_free (&report.cases[i].params);
  free (report.run);
  free (report.cases);
  cli_setups_clear (&setups);
  image_clear (&left);
  image_clear (&right);
  free (options.specs);
  free (options.properties);
  free (options.sizes);
  free (options.disparities);
  free (options.formats);
  return status;
}
