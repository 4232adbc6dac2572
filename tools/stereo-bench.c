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

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "stereo-bench"
#define die(...) cli_die (PROGRAM, __VA_ARGS__)

#define MIB 1048576.0
/* Default of --copy-mib.  A copy on CUDA is large enough to hide its launch. */
#define COPY_MIB_CPU 512
#define COPY_MIB_CUDA 2048

/* disparities is 0 if the size does not give them. */
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
  const char *images[2];        /* left and right */
  int threads, frames;
  double seconds;
  int rotate_mib, copy_mib;     /* -1: the default of the device */
  CliTexts specs, properties;
  Size *sizes;
  size_t n_sizes;
  int *disparities;
  size_t n_disparities;
  StereoFormat *formats;
  size_t n_formats;
} Options;

/* ----------------------------------------------------------------- options */

static void
add_size (Options * options, Size size)
{
  options->sizes = cli_resize (options->sizes,
      (options->n_sizes + 1) * sizeof (*options->sizes));
  options->sizes[options->n_sizes++] = size;
}

/* Reads up to six digits and one of ends, which includes the end of the text;
 * *text moves past both. */
static bool
read_digits (const char **text, const char *ends, int *value)
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

static bool
take_size (const char *text, void *options, StereoMessage * why)
{
  const char *rest = text;
  Size size = { 0, 0, 0 };
  bool good = read_digits (&rest, "x", &size.width) && rest > text
      && rest[-1] == 'x' && read_digits (&rest, "x", &size.height);

  /* a third number if the second one ended with x */
  if (good && rest[-1] == 'x')
    good = read_digits (&rest, "", &size.disparities) && size.disparities > 0;
  if (!good || *rest != '\0')
    return cli_fail (why, "expected WIDTHxHEIGHT or "
        "WIDTHxHEIGHTxDISPARITIES, got '%s'", text);
  if (size.width < 1 || size.height < 1 || size.width > STEREO_MAX_SIZE
      || size.height > STEREO_MAX_SIZE)
    return cli_fail (why, "expected width and height from 1 to %d, got '%s'",
        STEREO_MAX_SIZE, text);
  add_size (options, size);
  return true;
}

static bool
take_disparities (const char *text, void *data, StereoMessage * why)
{
  Options *options = data;
  double number;

  if (!cli_number (text, &number) || number != floor (number) || number < 1
      || number > STEREO_MAX_SIZE)
    return cli_fail (why, "expected an integer from 1 to %d, got '%s'",
        STEREO_MAX_SIZE, text);
  options->disparities = cli_resize (options->disparities,
      (options->n_disparities + 1) * sizeof (int));
  options->disparities[options->n_disparities++] = (int) number;
  return true;
}

static bool
take_preset (const char *name, void *options, StereoMessage * why)
{
  bool found = false;

  for (size_t i = 0; i < N_PRESETS; i++) {
    if (strcmp (presets[i].preset, name) == 0) {
      add_size (options, presets[i].size);
      found = true;
    }
  }
  return found || cli_fail (why, "expected papers or video, got '%s'", name);
}

static bool
take_format (const char *text, void *data, StereoMessage * why)
{
  Options *options = data;
  char names[256] = "";
  size_t used = 0;

  for (int i = 0; i < STEREO_N_FORMATS; i++) {
    const char *name = stereo_format_name ((StereoFormat) i);

    if (strcmp (name, text) == 0) {
      options->formats = cli_resize (options->formats,
          (options->n_formats + 1) * sizeof (*options->formats));
      options->formats[options->n_formats++] = (StereoFormat) i;
      return true;
    }
    used += (size_t) snprintf (names + used, sizeof (names) - used, "%s%s",
        i > 0 ? ", " : "", name);
  }
  return cli_fail (why, "expected one of %s, got '%s'", names, text);
}

static void
print_sizes (FILE * file)
{
  for (size_t i = 0; i < N_PRESETS; i++) {
    char *size = cli_format ("%dx%dx%d", presets[i].size.width,
        presets[i].size.height, presets[i].size.disparities);

    fprintf (file, "%-8s %-14s %s\n", presets[i].preset, size,
        presets[i].name);
    free (size);
  }
}

static void
print_list (FILE * file)
{
  const StereoAlgorithm *algorithm;

  for (size_t i = 0; (algorithm = stereo_algorithm_get (i)) != NULL; i++)
    fprintf (file, "%s: %s\n", stereo_algorithm_name (algorithm),
        stereo_algorithm_title (algorithm));
}

#define AT(FIELD) offsetof (Options, FIELD)

static const CliOption option_rows[] = {
  {.type = CLI_HEADING,.description = "What to time"},
  {"algorithm", "SPEC", CLI_TEXTS, AT (specs), "the same as SPEC alone"},
  {"size", "WxH[xD]", CLI_CALL, 0,
        "size of the views, and disparities to search (1280x720)",
        .call = take_size},
  {"disparities", "N", CLI_CALL, 0, "disparities of sizes without D (64)",
        .call = take_disparities},
  {"preset", "NAME", CLI_CALL, 0, "the sizes called papers or video",
      CLI_CHOICES ("papers", "video"),.call = take_preset},
  {"list-sizes", NULL, CLI_PRINT, 0, "print the sizes of the presets",
        .print = print_sizes},
  {"format", "NAME", CLI_CALL, 0,
        "format of the views, such as RGB or NV12 (GRAY8)",
      CLI_CHOICES ("GRAY8", "RGB", "NV12"),.call = take_format},
  {"images", "LEFT RIGHT", CLI_PAIR, AT (images),
      "two files (PNG, JPEG, PPM) instead of a drawn scene"},
  {"list", NULL, CLI_PRINT, 0, "print the algorithms",.print = print_list},

  {.type = CLI_HEADING,.description = "Device"},
  {"backend", "NAME", CLI_CHOICE, AT (backend),
        "compute backend; auto = both if CUDA is available",
      CLI_CHOICES ("auto", "cpu", "cuda", "both")},
  {"threads", "N", CLI_INTEGER, AT (threads),
        "number of CPU threads (0 = one per processor)",.maximum = 1024},
  {"simd", "NAME", CLI_CHOICE, AT (simd), "CPU instruction set",
      CLI_SIMD_CHOICES},

  {.type = CLI_HEADING,.description = "Measurement"},
  {"seconds", "S", CLI_POSITIVE, AT (seconds), "for each kind of time (1)",
        .maximum = 3600},
  {"frames", "N", CLI_INTEGER, AT (frames),
        "minimum number of frames for each kind of time (5)",.minimum = 1,
        .maximum = 1000000},
  {"rotate-mib", "N", CLI_INTEGER, AT (rotate_mib),
        "memory of the views and maps to cycle through, in MiB",
        .maximum = 65536},
  {"copy-mib", "N", CLI_INTEGER, AT (copy_mib),
        "size of the copy that is timed, in MiB (0 = none)",.maximum = 65536},

  {.type = CLI_HEADING,.description = "Output"},
  {"json", NULL, CLI_FLAG, AT (json), "print JSON instead of the tables"},
  {"csv", NULL, CLI_FLAG, AT (csv), "print CSV instead of the tables"},
  {"keep-going", NULL, CLI_FLAG, AT (keep_going),
      "continue with the other combinations after a failure"},
  {.type = CLI_END}
};

static void
take_argument (const char *text, const CliOption * after, void *data)
{
  Options *options = data;

  (void) after;
  cli_texts_add (cli_is_assignment (text) ? &options->properties
      : &options->specs, text);
}

static const CliProgram program = {
  .name = PROGRAM,
  .synopsis = "[OPTION ...] [ALGORITHM ...] [NAME=VALUE ...]",
  .description =
      "Times stereo algorithms, by default all of them. NAME=VALUE sets a\n"
      "property of all; an ALGORITHM may have its own, in one argument, such\n"
      "as \"vcbw windows=four\". Times every combination of its arguments.",
  .options = option_rows,
  .take = take_argument,
};

/* ------------------------------------------------------------------- cases */

static void
make_setups (const Options * options, CliSetups * setups)
{
  StereoMessage why = { "" };
  bool good = options->specs.n > 0 ? cli_setups_add_specs (setups,
      &options->specs, &options->properties, &why)
      : cli_setups_add_all (setups, &why);

  for (size_t i = 0; good && options->specs.n == 0
      && i < options->properties.n; i++)
    good = cli_setups_set (setups, options->properties.item[i], &why);
  if (!good)
    die ("%s", why.text);
  for (size_t i = 0; i < setups->n; i++) {
    if (cli_setup_property (&setups->item[i], "num-disparities") != NULL)
      die ("Use --disparities or --size instead of num-disparities");
  }
}

/* The setup's parameters with these disparities and, unless given, the finest
 * scale with which their codes fit 16 bits. */
static StereoParams *
make_params (const CliSetup * setup, int disparities)
{
  StereoParams *params = NULL;
  StereoMessage why = { "" };
  bool good = stereo_params_new (setup->algorithm, &params) == STEREO_OK
      && stereo_params_copy (params, setup->params) == STEREO_OK;

  if (!good) {
    fprintf (stderr, "out of memory\n");
    exit (CLI_FAILED);
  }
  if (stereo_params_set (params, "num-disparities", disparities, &why)
      != STEREO_OK || !cli_setup_choose_scale (setup, params, &why))
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

  if (!image_read_view (path, image, &why))
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
  const bool optional = strcmp (options->backend, "auto") == 0;
  StereoDevice *device = NULL;
  StereoMessage why = { "" };

  if (strcmp (options->backend, "cuda") != 0) {
    if (!cli_open_device ("cpu", options->simd, options->threads, &device,
            &why))
      die ("%s", why.text);
    add_device (report, device);
  }
  if (strcmp (options->backend, "cpu") != 0) {
    if (cli_open_device (optional ? "cuda" : options->backend, options->simd,
            options->threads, &device, &why))
      add_device (report, device);
    else if (!optional)
      die ("%s", why.text);
  }
}

/* ----------------------------------------------------------------- running */

static void
show_progress (size_t done, size_t total, const char *device, const char *what)
{
  char *text = cli_format ("%.24s: %.40s", device, what);

  cli_progress (done, total, text);
  free (text);
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
    show_progress (done, total, device, "copying");
    if (copy_mib > 0 && !bench_copy (run->device, (size_t) (copy_mib * MIB),
            &run->copy, &why)) {
      cli_progress_end ();
      fprintf (stderr, PROGRAM ": copying on %s: %s\n", device, why.text);
      return CLI_FAILED;
    }
    for (size_t i = 0; i < report->n_cases; i++) {
      const BenchCase *c = &report->cases[i];
      char *what = cli_format ("%s %dx%dx%d %s", c->setup->label, c->width,
          c->height, c->disparities, stereo_format_name (c->format));
      BenchResult *result = &run->result[i];
      int failure = 0;

      show_progress (done++, total, device, what);
      if (!bench_run (run->device, c, settings, result, &failure, &why)) {
        result->error = cli_format ("%s", why.text);
        cli_progress_end ();
        fprintf (stderr, PROGRAM ": %s: %s\n", what, why.text);
        status = failure;
      }
      free (what);
      if (failure != 0 && result->error != NULL && !options->keep_going)
        return status;
    }
  }
  cli_progress_end ();
  return status;
}

/* Reads the images, or sets the default size if none is given. */
static void
read_images (Options * options, Image * views, BenchSettings * settings,
    BenchReport * report)
{
  if (options->images[0] == NULL) {
    if (options->n_sizes == 0)
      add_size (options, (Size) {1280, 720, 0});
    return;
  }
  for (int i = 0; i < 2; i++)
    read_image (options->images[i], &views[i]);
  if (views[0].width != views[1].width || views[0].height != views[1].height)
    die ("%s is %dx%d, but %s is %dx%d", options->images[1], views[1].width,
        views[1].height, options->images[0], views[0].width, views[0].height);
  settings->left = &views[0];
  settings->right = &views[1];
  report->left = options->images[0];
  report->right = options->images[1];
  add_size (options, (Size) {views[0].width, views[0].height, 0});
}

static void
clear_report (BenchReport * report)
{
  for (size_t r = 0; r < report->n_runs; r++) {
    for (size_t i = 0; i < report->n_cases; i++)
      free (report->run[r].result[i].error);
    free (report->run[r].result);
    stereo_device_unref (&report->run[r].device);
  }
  for (size_t i = 0; i < report->n_cases; i++)
    stereo_params_free (&report->cases[i].params);
  free (report->run);
  free (report->cases);
}

int
main (int argc, char **argv)
{
  Options options = {.seconds = 1,.frames = 5,.rotate_mib = -1,.copy_mib = -1 };
  CliSetups setups = { NULL, 0 };
  Image views[2] = { {0} };
  BenchSettings settings = { 0 };
  BenchReport report = { 0 };
  int status;

  cli_parse (&program, argc, argv, &options);
  if (options.json && options.csv)
    die ("--json and --csv exclude each other");
  if (options.images[0] != NULL && options.n_sizes > 0)
    die ("--images excludes --size and --preset");
  settings.seconds = options.seconds;
  settings.frames = (size_t) options.frames;
  make_setups (&options, &setups);
  read_images (&options, views, &settings, &report);
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
    if (cli_flush (PROGRAM) != 0)
      status = CLI_FAILED;
  }

  clear_report (&report);
  cli_setups_clear (&setups);
  image_clear (&views[0]);
  image_clear (&views[1]);
  free (options.specs.item);
  free (options.properties.item);
  free (options.sizes);
  free (options.disparities);
  free (options.formats);
  return status;
}
