/* gst-stereomatching: what optimisations bring to belief propagation on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   bench-bp-layouts [--seconds S] [--host] FOLDER=DISPARITIES ...
 *
 * Measures the variants of bp-layouts.h and the library on scenes (scene.h)
 * and prints JSON.  Fails when a map differs from the library's on the CPU.
 * S, 0.1 unless told otherwise, is for each figure.  --host runs the variants
 * on the CPU, only to compare maps.  Exit status 77: no CUDA device.
 */

#include "bp-layouts.h"

#include "cli.h"
#include "image/pixel.h"
#include "scene.h"
#include "stereo-cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_PRECISIONS 3
#define MAX_SAMPLES 1000

static const char *const precision_names[N_PRECISIONS] = {
  "int8", "half", "float"
};

static const char *const layout_names[BP_N_LAYOUTS] = {
  "pixels", "rows", "halves"
};

/* First each step after the one before, then the last of 16 bits but for one
 * step each. */
static const BpVariant variants[] = {
  {STEREO_BP_PRECISION_FLOAT, BP_LAYOUT_PIXELS, false, false},
  {STEREO_BP_PRECISION_FLOAT, BP_LAYOUT_ROWS, false, false},
  {STEREO_BP_PRECISION_FLOAT, BP_LAYOUT_HALVES, false, false},
  {STEREO_BP_PRECISION_FLOAT, BP_LAYOUT_HALVES, false, true},
  {STEREO_BP_PRECISION_HALF, BP_LAYOUT_HALVES, false, true},
  {STEREO_BP_PRECISION_HALF, BP_LAYOUT_HALVES, true, true},
  {STEREO_BP_PRECISION_INT8, BP_LAYOUT_HALVES, true, true},
  {STEREO_BP_PRECISION_HALF, BP_LAYOUT_PIXELS, false, true},
  {STEREO_BP_PRECISION_HALF, BP_LAYOUT_HALVES, true, false},
  {STEREO_BP_PRECISION_FLOAT, BP_LAYOUT_HALVES, true, true},
};

#define N_VARIANTS (sizeof (variants) / sizeof (variants[0]))

typedef struct
{
  bool host;
  double seconds;
  StereoDevice *cpu;
  StereoDevice *cuda;           /* NULL if host */
  CliJson json;
  bool equal;                   /* all maps so far */
} Bench;

typedef struct
{
  int width;
  int height;
  int disparities;
  uint8_t *left;                /* luma, pinned */
  uint8_t *right;
  uint16_t *map;                /* pinned */
  uint16_t *wanted[N_PRECISIONS];
} Pair;

static void
stop (const char *text)
{
  fprintf (stderr, "%s\n", text);
  exit (1);
}

static double
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* -------------------------------------------------------------- the library */

static StereoParams *
make_params (const Pair * pair, int precision)
{
  StereoParams *params;
  StereoMessage why;

  if (stereo_params_new (stereo_algorithm_find ("bp"), &params) != STEREO_OK)
    stop ("out of memory");
  if (stereo_params_set (params, "num-disparities", pair->disparities, &why)
      != STEREO_OK
      || stereo_params_set (params, "disparity-scale", 1, &why) != STEREO_OK
      || stereo_params_set (params, "invalid-value", 65535, &why) != STEREO_OK
      || stereo_params_set (params, "precision", precision, &why) != STEREO_OK)
    stop (why.text);
  return params;
}

/* The constants of those parameters. */
static void
find_constants (const Pair * pair, int precision, StereoBpConstants * k)
{
  StereoParams *params = make_params (pair, precision);
  StereoProblem problem = {
    .width = pair->width,.height = pair->height,.channels = 1,
    .num_disparities = pair->disparities,
    .end_index = pair->disparities < pair->width ? pair->disparities
        : pair->width,
    .n_threads = 1
  };
  StereoBpParams p = { 0 };
  double iterations = 0, levels = 0;

  if (!stereo_params_get (params, "iterations", &iterations)
      || !stereo_params_get (params, "levels", &levels)
      || !stereo_params_get (params, "data-weight", &p.data_weight)
      || !stereo_params_get (params, "max-data-term", &p.max_data_term)
      || !stereo_params_get (params, "max-disc-term", &p.max_disc_term)
      || !stereo_params_get (params, "disc-single-jump", &p.disc_single_jump)
      || !stereo_params_get (params, "smoothing", &p.smoothing))
    stop ("the parameters of bp are not those that are known here");
  p.iterations = (unsigned) iterations;
  p.levels = (unsigned) levels;
  p.precision = precision;
  stereo_bp_constants (&problem, &p, k);
  stereo_params_free (&params);
}

static StereoImage
image_of (const Pair * pair, StereoFormat format, StereoMemory memory,
    void *data)
{
  StereoImage image = {.format = format,.width = pair->width,
    .height = pair->height,.memory = memory
  };

  image.plane[0] = data;
  image.stride[0] = (size_t) pair->width
      * (format == STEREO_FORMAT_GRAY8 ? 1 : 2);
  return image;
}

static StereoMatcher *
open_matcher (StereoDevice * device, const Pair * pair, int precision)
{
  StereoGeometry geometry = { pair->width, pair->height, STEREO_FORMAT_GRAY8,
    STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY16_LE
  };
  StereoParams *params = make_params (pair, precision);
  StereoMatcher *matcher;

  if (stereo_matcher_new (stereo_algorithm_find ("bp"), device, &matcher)
      != STEREO_OK)
    stop ("there is no matcher");
  if (stereo_matcher_configure (matcher, &geometry, params) != STEREO_OK)
    stop (stereo_matcher_error (matcher));
  stereo_params_free (&params);
  return matcher;
}

/* A frame that is complete. */
static void
match (StereoMatcher * matcher, const StereoImage image[3])
{
  if (stereo_matcher_process (matcher, &image[0], &image[1], &image[2], NULL)
      != STEREO_OK || stereo_matcher_sync (matcher) != STEREO_OK)
    stop (stereo_matcher_error (matcher));
}

static uint16_t *
match_on_cpu (const Bench * bench, const Pair * pair, int precision)
{
  uint16_t *map = cli_resize (NULL, (size_t) pair->width
      * (size_t) pair->height * sizeof (*map));
  StereoMatcher *matcher = open_matcher (bench->cpu, pair, precision);
  StereoImage image[3];

  image[0] = image_of (pair, STEREO_FORMAT_GRAY8, STEREO_MEMORY_HOST,
      pair->left);
  image[1] = image_of (pair, STEREO_FORMAT_GRAY8, STEREO_MEMORY_HOST,
      pair->right);
  image[2] = image_of (pair, STEREO_FORMAT_GRAY16_LE, STEREO_MEMORY_HOST, map);
  match (matcher, image);
  stereo_matcher_free (&matcher);
  return map;
}

/* ------------------------------------------------------------------ samples */

typedef struct
{
  double ms[MAX_SAMPLES];
  int n;
  double begun;
} Samples;

static bool
enough (Samples * samples, double seconds)
{
  if (samples->n == 0)
    samples->begun = now_ms ();
  return samples->n == MAX_SAMPLES || (samples->n >= 3
      && now_ms () - samples->begun >= seconds * 1e3);
}

static double
median (Samples * samples)
{
  int n = samples->n;

  qsort (samples->ms, (size_t) n, sizeof (samples->ms[0]), compare);
  return n % 2 ? samples->ms[n / 2]
      : (samples->ms[n / 2 - 1] + samples->ms[n / 2]) / 2;
}

/* A frame while the one before it runs, as stereo-bench has it. */
static double
measure_frames (StereoMatcher * matcher, const StereoImage image[3],
    double seconds)
{
  Samples samples = {.n = 0 };
  uint64_t before = 0, frame;

  while (!enough (&samples, seconds)) {
    if (stereo_matcher_process (matcher, &image[0], &image[1], &image[2],
            &frame) != STEREO_OK
        || stereo_matcher_wait (matcher, before) != STEREO_OK)
      stop (stereo_matcher_error (matcher));
    if (before > 0) {
      StereoMatcherStats stats;

      stereo_matcher_get_stats (matcher, &stats);
      samples.ms[samples.n++] = (double) stats.last_ns * 1e-6;
    }
    before = frame;
  }
  if (stereo_matcher_sync (matcher) != STEREO_OK)
    stop (stereo_matcher_error (matcher));
  return median (&samples);
}

/* The library on CUDA. */
static void
measure_library (const Bench * bench, const Pair * pair, int precision,
    BpTimes * times)
{
  size_t pixels = (size_t) pair->width * (size_t) pair->height;
  StereoMatcher *matcher = open_matcher (bench->cuda, pair, precision);
  void *memory[3] = { NULL, NULL, NULL };
  StereoImage host[3], device[3];
  StereoMatcherStats stats;
  Samples transfers = {.n = 0 }, arena = {.n = 0 };

  host[0] = image_of (pair, STEREO_FORMAT_GRAY8, STEREO_MEMORY_PINNED,
      pair->left);
  host[1] = image_of (pair, STEREO_FORMAT_GRAY8, STEREO_MEMORY_PINNED,
      pair->right);
  host[2] = image_of (pair, STEREO_FORMAT_GRAY16_LE, STEREO_MEMORY_PINNED,
      pair->map);
  for (int i = 0; i < 3; i++) {
    size_t bytes = i < 2 ? pixels : 2 * pixels;

    if (stereo_device_alloc (bench->cuda, bytes, &memory[i], NULL) != STEREO_OK
        || (i < 2 && stereo_device_copy (bench->cuda, memory[i],
                host[i].plane[0], bytes, NULL) != STEREO_OK))
      stop ("no memory on the device");
    device[i] = image_of (pair, host[i].format, STEREO_MEMORY_DEVICE,
        memory[i]);
  }

  match (matcher, device);
  times->device = measure_frames (matcher, device, bench->seconds);
  match (matcher, host);
  while (!enough (&transfers, bench->seconds)) {
    double begun = now_ms ();

    match (matcher, host);
    transfers.ms[transfers.n++] = now_ms () - begun;
  }
  times->transfers = median (&transfers);
  stereo_matcher_get_stats (matcher, &stats);
  times->bytes = stats.device_bytes;
  stereo_matcher_free (&matcher);

  memset (pair->map, 0xff, 2 * pixels);
  while (!enough (&arena, bench->seconds)) {
    double begun = now_ms ();

    matcher = open_matcher (bench->cuda, pair, precision);
    match (matcher, host);
    stereo_matcher_free (&matcher);
    arena.ms[arena.n++] = now_ms () - begun;
  }
  times->arena = median (&arena);
  times->graph = times->buffers = NAN;
  for (int i = 0; i < 3; i++)
    stereo_device_free (bench->cuda, &memory[i]);
}

/* ------------------------------------------------------------------- report */

static void
report (Bench * bench, const Pair * pair, const BpVariant * v,
    const BpTimes * times)
{
  size_t pixels = (size_t) pair->width * (size_t) pair->height, wrong = 0;
  CliJson *json = &bench->json;
  int precision = v->precision;

  for (size_t i = 0; i < pixels; i++)
    wrong += pair->map[i] != pair->wanted[precision][i];
  bench->equal = bench->equal && wrong == 0;
  cli_json_number (json, "wrong-pixels", (double) wrong);
  cli_json_number (json, "bytes", (double) times->bytes);
  cli_json_number (json, "device-ms", times->device);
  cli_json_number (json, "graph-ms", times->graph);
  cli_json_number (json, "transfers-ms", times->transfers);
  cli_json_number (json, "arena-ms", times->arena);
  cli_json_number (json, "buffers-ms", times->buffers);
}

static void
run_pair (Bench * bench, const Pair * pair)
{
  CliJson *json = &bench->json;

  cli_json_open (json, "variants", '[');
  for (size_t i = 0; i < N_VARIANTS; i++) {
    const BpVariant *v = &variants[i];
    StereoBpConstants k;
    BpTimes times;

    if (!bp_layouts_has (v, pair->disparities))
      continue;
    find_constants (pair, v->precision, &k);
    bp_layouts_run (v, &k, pair->left, pair->right, pair->map, bench->seconds,
        bench->host, &times);
    cli_json_open (json, NULL, '{');
    cli_json_text (json, "precision", precision_names[v->precision]);
    cli_json_text (json, "layout", layout_names[v->layout]);
    cli_json_bool (json, "aligned", v->aligned);
    cli_json_bool (json, "constant", v->constant);
    report (bench, pair, v, &times);
    cli_json_close (json, '}');
  }
  cli_json_close (json, ']');
  cli_json_open (json, "library", '[');
  for (int precision = N_PRECISIONS - 1;
      precision >= 0 && bench->cuda != NULL; precision--) {
    BpVariant v = {.precision = precision };
    BpTimes times;

    measure_library (bench, pair, precision, &times);
    cli_json_open (json, NULL, '{');
    cli_json_text (json, "precision", precision_names[precision]);
    report (bench, pair, &v, &times);
    cli_json_close (json, '}');
  }
  cli_json_close (json, ']');
}

static uint8_t *
luma_of (const Image * image, bool host)
{
  size_t n = (size_t) image->width * (size_t) image->height;
  uint8_t *luma = bp_layouts_alloc (n, host);
  const uint8_t *p = image->data;

  for (size_t i = 0; i < n; i++)
    luma[i] = image->channels == 1 ? p[i]
        : stereo_luma (p[3 * i], p[3 * i + 1], p[3 * i + 2]);
  return luma;
}

/* "FOLDER=DISPARITIES" */
static void
run_scene (Bench * bench, const char *argument)
{
  CliJson *json = &bench->json;
  const char *equals = strrchr (argument, '=');
  int length = (int) (equals != NULL ? equals - argument : 0);
  char *folder = cli_format ("%.*s", length, argument);
  SceneList list = { NULL, 0 };
  Scene scene;
  StereoMessage why;
  Pair pair = { 0 };

  if (equals == NULL || sscanf (equals + 1, "%d", &pair.disparities) != 1)
    stop ("a scene is FOLDER=DISPARITIES");
  if (!scene_list_add (&list, folder, &why)
      || !scene_load (&list.item[0], &scene, &why))
    stop (why.text);
  pair.width = scene.width;
  pair.height = scene.height;
  if (!scene.has_views || pair.width < 3 || pair.height < 3)
    stop ("a scene without views, or too small");
  pair.left = luma_of (&scene.left, bench->host);
  pair.right = luma_of (&scene.right, bench->host);
  pair.map = bp_layouts_alloc (2 * (size_t) pair.width
      * (size_t) pair.height, bench->host);
  for (int i = 0; i < N_PRECISIONS; i++)
    pair.wanted[i] = match_on_cpu (bench, &pair, i);

  cli_json_open (json, NULL, '{');
  cli_json_text (json, "scene", list.item[0].name);
  cli_json_number (json, "width", pair.width);
  cli_json_number (json, "height", pair.height);
  cli_json_number (json, "num-disparities", pair.disparities);
  run_pair (bench, &pair);
  cli_json_close (json, '}');

  for (int i = 0; i < N_PRECISIONS; i++)
    free (pair.wanted[i]);
  bp_layouts_free (pair.left, bench->host);
  bp_layouts_free (pair.right, bench->host);
  bp_layouts_free (pair.map, bench->host);
  scene_clear (&scene);
  scene_list_clear (&list);
  free (folder);
}

int
main (int argc, char **argv)
{
  Bench bench = {.seconds = 0.1,.json = {.file = stdout},.equal = true };
  char name[256] = "the host";
  StereoMessage why;
  int i;

  for (i = 1; i < argc && argv[i][0] == '-'; i++) {
    if (strcmp (argv[i], "--host") == 0)
      bench.host = true;
    else if (strcmp (argv[i], "--seconds") != 0 || i + 1 == argc
        || !cli_number (argv[++i], &bench.seconds))
      stop ("bench-bp-layouts [--seconds S] [--host] FOLDER=DISPARITIES ...");
  }
  if (!bench.host && (!bp_layouts_device (name, sizeof (name))
          || stereo_device_new_cuda (0, &bench.cuda, &why) != STEREO_OK)) {
    fprintf (stderr, "there is no CUDA device\n");
    return 77;
  }
  if (stereo_device_new_cpu (0, STEREO_SIMD_AUTO, &bench.cpu, &why)
      != STEREO_OK)
    stop (why.text);

  cli_json_open (&bench.json, NULL, '{');
  cli_json_text (&bench.json, "device", name);
  cli_json_open (&bench.json, "scenes", '[');
  for (; i < argc; i++)
    run_scene (&bench, argv[i]);
  cli_json_close (&bench.json, ']');
  cli_json_close (&bench.json, '}');

  stereo_device_unref (&bench.cuda);
  stereo_device_unref (&bench.cpu);
  if (!bench.equal)
    fprintf (stderr, "maps differ from those of the CPU\n");
  return bench.equal ? 0 : 1;
}
