/* gst-stereomatching: measurement of run times
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench-images.h"
#include "platform.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB ((size_t) 1 << 20)

#define MAX_RUNS 1000000

/* The warm-up takes at least this number of frames, or the minimum number of
 * timed frames if that is less; it ends once a frame is no slower than the
 * fastest one by this factor. */
#define WARM_FRAMES 3
#define WARM_FACTOR 1.1
#define WARM_SECONDS 0.1

#define COPIES 5

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* -------------------------------------------------------------- statistics */

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

void
bench_summarize (double *ms, size_t n, BenchTimes * times)
{
  double sum = 0;

  times->runs = n;
  times->median = times->min = times->p95 = times->mean = NAN;
  if (n == 0)
    return;
  qsort (ms, n, sizeof (*ms), compare);
  for (size_t i = 0; i < n; i++)
    sum += ms[i];
  times->median = n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
  times->min = ms[0];
  times->p95 = ms[(95 * n + 99) / 100 - 1];
  times->mean = sum / (double) n;
}

double
bench_rate (const BenchCase * c, double ms)
{
  return (double) c->width * c->height * c->disparities / ms / 1e3;
}

double
bench_copy_fraction (const BenchRun * run, const BenchResult * result,
    double ms)
{
  return result->traffic / (run->copy * ms / 1e3);
}

/* ------------------------------------------------------------------- copies */

typedef struct
{
  uint8_t *target;
  const uint8_t *source;
  size_t bytes;
  pthread_t thread;
  bool started;
} Part;

static void *
copy_part (void *data)
{
  Part *part = data;

  memcpy (part->target, part->source, part->bytes);
  return NULL;
}

/* Copies in parts, one for each thread of the device. */
static void
copy_cpu (StereoDevice * device, void *target, const void *source,
    size_t bytes)
{
  size_t n = stereo_device_threads (device), begin = 0;
  Part *part = cli_resize (NULL, n * sizeof (*part));

  for (size_t i = 0; i < n; i++) {
    size_t end = bytes / n * (i + 1);

    if (i + 1 == n)
      end = bytes;
    part[i].target = (uint8_t *) target + begin;
    part[i].source = (const uint8_t *) source + begin;
    part[i].bytes = end - begin;
    part[i].started = i > 0
        && pthread_create (&part[i].thread, NULL, copy_part, &part[i]) == 0;
    begin = end;
  }
  for (size_t i = 0; i < n; i++) {
    if (!part[i].started)
      copy_part (&part[i]);
  }
  for (size_t i = 0; i < n; i++) {
    if (part[i].started)
      pthread_join (part[i].thread, NULL);
  }
  free (part);
}

static bool
copy_once (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoMessage * why)
{
  if (!bench_is_cpu (device))
    return stereo_device_copy (device, target, source, bytes, why)
        == STEREO_OK;
  copy_cpu (device, target, source, bytes);
  return true;
}

bool
bench_copy (StereoDevice * device, size_t bytes, double *rate,
    StereoMessage * why)
{
  void *source = NULL, *target = NULL;
  StereoStatus status;
  double best = INFINITY;
  bool good;

  for (;; bytes /= 2) {
    status = stereo_device_alloc (device, bytes, &source, why);
    if (status == STEREO_OK)
      status = stereo_device_alloc (device, bytes, &target, why);
    if (status != STEREO_ERROR_MEMORY || bytes < 2 * MIB)
      break;
    stereo_device_free (device, &source);
  }
  good = status == STEREO_OK;
  if (good && bench_is_cpu (device)) {
    /* untouched pages share one physical page */
    memset (source, 1, bytes);
    memset (target, 2, bytes);
  }
  /* the first copy warms up */
  for (int i = 0; good && i <= COPIES; i++) {
    double begun = now (), time;

    good = copy_once (device, target, source, bytes, why);
    time = now () - begun;
    if (i > 0 && time < best)
      best = time;
  }
  stereo_device_free (device, &source);
  stereo_device_free (device, &target);
  if (good)
    *rate = 2 * (double) bytes / best;
  return good;
}

size_t
bench_rotation (const StereoDevice * device)
{
  size_t limit = 256 * MIB, bytes = limit;

  if (bench_is_cpu (device)) {
    size_t cache = platform_cache_bytes ();

    bytes = cache > 0 ? 2 * cache : 64 * MIB;
  }
  return bytes < limit ? bytes : limit;
}

/* ------------------------------------------------------------------ running */

typedef enum
{
  DEVICE,                       /* frames follow each other on the device */
  HOST,                         /* one at a time, from and to pinned memory */
  PIPELINED,                    /* overlapping, from and to pinned memory */
  STAGES                        /* as HOST, with stages */
} Mode;

typedef struct
{
  StereoMatcher *matcher;
  BenchPool pool;
  size_t next;                  /* set */
  uint64_t before;              /* the frame to wait for next */
  double done;                  /* completion time of the previous one */
} Runner;

/* Starts a frame, then waits for it or, in overlapping modes, for the previous
 * one.  Returns the time of the awaited frame; NAN without a previous one. */
static bool
run_frame (Runner * r, Mode mode, double *ms)
{
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  StereoImage left, right, map;
  double begun = now ();
  bool overlap = mode == DEVICE || mode == PIPELINED;
  uint64_t frame, wanted;

  bench_pool_get (&r->pool, mode == DEVICE && r->pool.memory != NULL, r->next++,
      &left, &right, &map);
  if (stereo_matcher_process (r->matcher, &left, &right, &map, &frame)
      != STEREO_OK)
    return false;
  wanted = overlap ? r->before : frame;
  r->before = frame;
  if (stereo_matcher_wait (r->matcher, wanted) != STEREO_OK) {
    *ms = NAN;
    /* this sets the error of the matcher */
    return stereo_matcher_sync (r->matcher) == STEREO_OK;
  }

  if (wanted == 0) {
    *ms = NAN;
  } else if (mode == HOST) {
    *ms = (now () - begun) * 1e3;
  } else if (mode == PIPELINED) {
    double done = now ();

    *ms = (done - r->done) * 1e3;
    r->done = done;
  } else {
    if (stereo_matcher_get_stats (r->matcher, &stats, NULL) != STEREO_OK)
      return false;
    *ms = (double) stats.last_ns / 1e6;
  }
  return true;
}

/* Runs frames until their times are stable. */
static bool
warm_up (Runner * r, Mode mode, const BenchSettings * settings)
{
  double begun = now (), best = INFINITY, seconds = settings->seconds;
  double least = seconds / 4;
  size_t few = settings->frames < WARM_FRAMES ? settings->frames
      : WARM_FRAMES;

  r->before = 0;
  r->done = begun;
  if (least > WARM_SECONDS)
    least = WARM_SECONDS;
  for (size_t frames = 1;; frames++) {
    double ms, elapsed;

    if (!run_frame (r, mode, &ms))
      return false;
    if (ms < best)
      best = ms;
    elapsed = now () - begun;
    if (frames >= few && elapsed >= least
        && (elapsed >= seconds || ms <= best * WARM_FACTOR))
      return true;
  }
}

typedef struct
{
  double *ms;
  size_t n, room;
} Samples;

static void
samples_add (Samples * samples, double ms)
{
  if (samples->n == samples->room) {
    samples->room = 2 * samples->room + 64;
    samples->ms = cli_resize (samples->ms,
        samples->room * sizeof (*samples->ms));
  }
  samples->ms[samples->n++] = ms;
}

/* Measures one kind of time. */
static bool
measure_times (Runner * r, Mode mode, const BenchSettings * settings,
    BenchTimes * times, BenchResult * result)
{
  Samples whole = { NULL, 0, 0 }, stage[BENCH_MAX_STAGES];
  double begun, ms;
  bool good;

  memset (stage, 0, sizeof (stage));
  stereo_matcher_set_profiling (r->matcher, mode == STAGES);
  /* on a CPU DEVICE has warmed up already */
  good = (mode == STAGES && bench_is_cpu (r->pool.device))
      || warm_up (r, mode, settings);
  begun = now ();
  while (good && whole.n < MAX_RUNS
      && (whole.n < settings->frames
          || now () - begun < settings->seconds)) {
    good = run_frame (r, mode, &ms);
    if (!good)
      break;
    samples_add (&whole, ms);
    for (size_t i = 0; mode == STAGES && i < BENCH_MAX_STAGES; i++) {
      const char *name;
      uint64_t ns;

      if (!stereo_matcher_get_stage (r->matcher, i, &name, &ns))
        break;
      result->stage[i].name = name;
      result->n_stages = i + 1;
      samples_add (&stage[i], (double) ns / 1e6);
    }
  }
  good = good && stereo_matcher_sync (r->matcher) == STEREO_OK;
  if (good)
    bench_summarize (whole.ms, whole.n, times);
  for (size_t i = 0; i < BENCH_MAX_STAGES; i++) {
    if (good && i < result->n_stages && mode == STAGES)
      bench_summarize (stage[i].ms, stage[i].n, &result->stage[i].times);
    free (stage[i].ms);
  }
  free (whole.ms);
  return good;
}

bool
bench_run (StereoDevice * device, const BenchCase * c,
    const BenchSettings * settings, BenchResult * result, int *status,
    StereoMessage * why)
{
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  Runner r = { 0 };
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  StereoStatus problem;
  bool good = false;

  config.width = c->width;
  config.height = c->height;
  config.left = config.right = c->format;
  config.output = STEREO_FORMAT_GRAY16_LE;
  config.left_colorimetry = config.right_colorimetry
      = STEREO_COLORIMETRY_BT601_FULL;

  *status = CLI_FAILED;
  problem = stereo_matcher_new (c->setup->algorithm, device, &r.matcher);
  if (problem != STEREO_OK)
    return cli_fail (why, "%s: %s", stereo_device_name (device),
        problem == STEREO_ERROR_UNSUPPORTED ? "unsupported algorithm"
        : stereo_status_name (problem));
  problem = stereo_matcher_configure (r.matcher, &config, c->params);
  if (problem != STEREO_OK) {
    if (problem == STEREO_ERROR_ARGUMENT)
      *status = CLI_BAD_INPUT;
    cli_fail (why, "%s", stereo_matcher_error (r.matcher));
  } else if (bench_pool_make (&r.pool, device, c, settings, why) == STEREO_OK) {
    good = measure_times (&r, DEVICE, settings, &result->device, result);
    if (good && !bench_is_cpu (device))
      good = measure_times (&r, HOST, settings, &result->host, result)
          && measure_times (&r, PIPELINED, settings, &result->pipelined,
          result);
    good = good
        && measure_times (&r, STAGES, settings, &result->profiled, result);
    if (!good)
      cli_fail (why, "%s", stereo_matcher_error (r.matcher));
  }
  if (good && stereo_matcher_get_stats (r.matcher, &stats, NULL) == STEREO_OK) {
    result->device_bytes = (double) stats.device_bytes;
    result->host_bytes = (double) stats.host_bytes;
    result->traffic = bench_traffic (c);
  }
  /* waits for the frames that use the images */
  stereo_matcher_free (&r.matcher);
  if (r.pool.device != NULL)
    bench_pool_clear (&r.pool);
  return good;
}
