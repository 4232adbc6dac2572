/* gst-stereomatching: measurement of run times
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench.h"
#include "platform.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB ((size_t) 1 << 20)

/* Alignment of rows, in bytes, as in the devices. */
#define ROW_ALIGNMENT 256

/* Number of pairs in memory: enough that no frame uses those of the previous
 * one. */
#define MIN_SETS 3
#define MAX_SETS 4096

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

static bool
is_cpu (const StereoDevice * device)
{
  return strcmp (stereo_device_backend (device), "cpu") == 0;
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
  if (!is_cpu (device))
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
  if (good && is_cpu (device)) {
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

  if (is_cpu (device)) {
    size_t cache = platform_cache_bytes ();

    bytes = cache > 0 ? 2 * cache : 64 * MIB;
  }
  return bytes < limit ? bytes : limit;
}

/* ------------------------------------------------------------------- images */

/* The bytes of a pixel in plane 0, and of its chroma. */
typedef struct
{
  uint8_t bytes;                /* a pixel */
  int8_t r, g, b;               /* offsets; all equal: one luma byte */
  uint8_t u_plane, u;           /* plane of U and its offset in it */
  uint8_t v_plane, v;
  uint8_t step;                 /* between two samples of U; 0: no chroma */
  uint8_t half_x, half_y;       /* 1: chroma is subsampled */
  uint8_t shift;                /* of 8 bits in 16-bit words; 0: bytes */
} Layout;

static const Layout layouts[STEREO_N_FORMATS] = {
  [STEREO_FORMAT_GRAY8] = {1, 0, 0, 0},
  [STEREO_FORMAT_GRAY16_LE] = {2, 1, 1, 1},
  [STEREO_FORMAT_RGB] = {3, 0, 1, 2},
  [STEREO_FORMAT_BGR] = {3, 2, 1, 0},
  [STEREO_FORMAT_RGBX] = {4, 0, 1, 2},
  [STEREO_FORMAT_BGRX] = {4, 2, 1, 0},
  [STEREO_FORMAT_XRGB] = {4, 1, 2, 3},
  [STEREO_FORMAT_XBGR] = {4, 3, 2, 1},
  [STEREO_FORMAT_NV12] = {1, 0, 0, 0, 1, 0, 1, 1, 2, 1, 1},
  [STEREO_FORMAT_NV21] = {1, 0, 0, 0, 1, 1, 1, 0, 2, 1, 1},
  [STEREO_FORMAT_I420] = {1, 0, 0, 0, 1, 0, 2, 0, 1, 1, 1},
  [STEREO_FORMAT_YV12] = {1, 0, 0, 0, 2, 0, 1, 0, 1, 1, 1},
  [STEREO_FORMAT_Y42B] = {1, 0, 0, 0, 1, 0, 2, 0, 1, 1, 0},
  [STEREO_FORMAT_Y444] = {1, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0},
  [STEREO_FORMAT_NV16] = {1, 0, 0, 0, 1, 0, 1, 1, 2, 1, 0},
  [STEREO_FORMAT_YUY2] = {2, 0, 0, 0, 0, 1, 0, 3, 4, 1, 0},
  [STEREO_FORMAT_UYVY] = {2, 1, 1, 1, 0, 0, 0, 2, 4, 1, 0},
  [STEREO_FORMAT_YVYU] = {2, 0, 0, 0, 0, 3, 0, 1, 4, 1, 0},
  [STEREO_FORMAT_P010_10LE] = {2, 1, 1, 1, 1, 1, 1, 3, 4, 1, 1},
  [STEREO_FORMAT_I420_10LE] = {2, 0, 0, 0, 1, 0, 2, 0, 2, 1, 1, 2},
  [STEREO_FORMAT_I422_10LE] = {2, 0, 0, 0, 1, 0, 2, 0, 2, 1, 0, 2},
  [STEREO_FORMAT_Y444_10LE] = {2, 0, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2},
};

double
bench_traffic (const BenchCase * c)
{
  const Layout *layout = &layouts[c->format];
  int width = c->width, height = c->height;
  double bytes = (double) width * height * layout->bytes;

  if (layout->u_plane > 0 && c->setup != NULL
      && stereo_algorithm_uses_color (c->setup->algorithm))
    bytes += (layout->u_plane == layout->v_plane ? 1.0 : 2.0) * layout->step
        * ((width + layout->half_x) / (1 + layout->half_x))
        * ((height + layout->half_y) / (1 + layout->half_y));
  return 2 * bytes + 2.0 * width * height;
}

/* The chroma of a pixel. */
static uint8_t *
get_chroma (const StereoImage * image, const Layout * layout, int plane, int x,
    int y)
{
  return (uint8_t *) image->plane[plane]
      + (size_t) (y >> layout->half_y) * image->stride[plane]
      + (size_t) (x >> layout->half_x) * layout->step;
}

static void
put_sample (const Layout * layout, uint8_t * at, int value)
{
  int word = value << layout->shift;

  at[0] = (uint8_t) word;
  if (layout->shift > 0)
    at[1] = (uint8_t) (word >> 8);
}

static void
put_pixel (const StereoImage * image, int x, int y, const uint8_t * rgb)
{
  const Layout *layout = &layouts[image->format];
  uint8_t *pixel = (uint8_t *) image->plane[0]
      + (size_t) y * image->stride[0] + (size_t) x * layout->bytes;

  memset (pixel, 0, layout->bytes);
  /* BT.601, full range */
  if (layout->step > 0) {
    put_sample (layout, get_chroma (image, layout, layout->u_plane, x, y)
        + layout->u, ((128 * rgb[2] - 43 * rgb[0] - 85 * rgb[1]) >> 8) + 128);
    put_sample (layout, get_chroma (image, layout, layout->v_plane, x, y)
        + layout->v, ((128 * rgb[0] - 107 * rgb[1] - 21 * rgb[2]) >> 8) + 128);
  }
  if (layout->r == layout->g) {
    put_sample (layout, pixel + layout->r,
        (77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2]) >> 8);
    return;
  }
  pixel[layout->r] = rgb[0];
  pixel[layout->g] = rgb[1];
  pixel[layout->b] = rgb[2];
}

/* xorshift64* (Marsaglia, Vigna). */
static uint64_t
next_random (uint64_t * state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dull;
}

#define TILE 80

/* Draws a tile of this colour, with noise, at its place in both views. */
static void
draw_tile (const BenchCase * c, StereoImage * left, StereoImage * right,
    int x0, int y0, int disparity, uint64_t color, uint64_t * state)
{
  for (int y = y0; y < c->height && y < y0 + TILE; y++) {
    for (int x = x0; x < c->width && x < x0 + TILE; x++) {
      uint64_t noise = next_random (state);
      uint8_t rgb[3];

      for (int i = 0; i < 3; i++)
        rgb[i] = (uint8_t) ((color >> (8 * i) & 0xdf)
            + (noise >> (56 - 8 * i) & 0x1f));
      put_pixel (left, x, y, rgb);
      if (x >= disparity)
        put_pixel (right, x - disparity, y, rgb);
    }
  }
}

/*
 * A scene of tiles with random colours and noise: a ground that comes nearer
 * from the top to the bottom, and half of the tiles in front of it, by an
 * eighth to a quarter of the disparities.  As in photographs, one pixel in
 * twelve has no partner, and a region has a part of the disparities only.
 */
static void
draw_scene (const BenchCase * c, StereoImage * left, StereoImage * right,
    uint64_t * state)
{
  const uint64_t tiles = *state;

  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      uint64_t value = next_random (state);
      uint8_t rgb[3] = { (uint8_t) (value >> 40), (uint8_t) (value >> 48),
        (uint8_t) (value >> 56)
      };

      put_pixel (right, x, y, rgb);
    }
  }
  for (int front = 0; front < 2; front++) {
    uint64_t next = tiles;

    for (int y = 0; y < c->height; y += TILE) {
      const int part = c->disparities / 8;
      const int ground = part + 4 * part * y / c->height;

      for (int x = 0; x < c->width; x += TILE) {
        const uint64_t tile = next_random (&next);
        const int distance = part + (int) (tile >> 32 & 0xffff) % (part + 1);

        if ((int) (tile >> 63) == front)
          draw_tile (c, left, right, x, y, ground + front * distance, tile,
              state);
      }
    }
  }
}

static void
convert_image (const Image * from, const BenchCase * c, StereoImage * image)
{
  const uint8_t *pixel = from->data;

  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      uint8_t rgb[3];

      for (int i = 0; i < 3; i++)
        rgb[i] = pixel[from->channels == 3 ? i : 0];
      put_pixel (image, x, y, rgb);
      pixel += from->channels;
    }
  }
}

/* The images of a case, in one block of memory with several sets. */
typedef struct
{
  StereoDevice *device;
  size_t n;
  size_t set_bytes;
  StereoImage view, map;        /* of the first one; plane[] are NULL */
  size_t view_bytes;
  uint8_t *pinned;
  uint8_t *memory;              /* of the device, the same; or NULL */
} Pool;

static size_t
round_up (size_t value)
{
  return (value + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* All planes are as large as the first one. */
static void
init_image (const BenchCase * c, StereoFormat format, StereoImage * image)
{
  const Layout *layout = &layouts[format];
  size_t width = (size_t) c->width;

  memset (image, 0, sizeof (*image));
  image->format = format;
  image->width = c->width;
  image->height = c->height;
  image->stride[0] = round_up (width * layout->bytes);
  for (int i = 1; i < 3; i++)
    image->stride[i] = round_up ((width + layout->half_x)
        / (1u + layout->half_x) * layout->step);
}

static StereoImage
place_image (const StereoImage * image, StereoMemory memory, uint8_t * start,
    size_t plane_bytes)
{
  StereoImage result = *image;

  result.memory = memory;
  for (int i = 0; i < 3; i++)
    result.plane[i] = start + (plane_bytes > 0 ? (size_t) i * plane_bytes : 0);
  return result;
}

/* The images of set i. */
static void
pool_get (const Pool * pool, bool on_device, size_t i, StereoImage * left,
    StereoImage * right, StereoImage * map)
{
  StereoMemory memory = on_device ? STEREO_MEMORY_DEVICE
      : STEREO_MEMORY_PINNED;
  uint8_t *start = (on_device ? pool->memory : pool->pinned)
      + i % pool->n * pool->set_bytes;
  size_t plane = pool->view.stride[0] * (size_t) pool->view.height;
  bool planar = pool->view_bytes > plane;

  *left = place_image (&pool->view, memory, start, planar ? plane : 0);
  *right = place_image (&pool->view, memory, start + pool->view_bytes,
      planar ? plane : 0);
  *map = place_image (&pool->map, memory, start + 2 * pool->view_bytes, 0);
}

static void
pool_clear (Pool * pool)
{
  void *pinned = pool->pinned, *memory = pool->memory;

  stereo_device_free_pinned (pool->device, &pinned);
  stereo_device_free (pool->device, &memory);
}

static StereoStatus
pool_make (Pool * pool, StereoDevice * device, const BenchCase * c,
    const BenchSettings * settings, StereoMessage * why)
{
  bool planar = c->format >= STEREO_FORMAT_NV12;
  uint64_t state = 0x9e3779b97f4a7c15ull;
  StereoImage left, right, map;
  StereoStatus status;
  void *memory = NULL;

  memset (pool, 0, sizeof (*pool));
  pool->device = device;
  init_image (c, c->format, &pool->view);
  init_image (c, STEREO_FORMAT_GRAY16_LE, &pool->map);
  pool->view_bytes = pool->view.stride[0] * (size_t) c->height
      * (planar ? 3 : 1);
  pool->set_bytes = 2 * pool->view_bytes
      + pool->map.stride[0] * (size_t) c->height;
  pool->n = settings->rotate / pool->set_bytes + 1;
  if (pool->n < MIN_SETS)
    pool->n = MIN_SETS;
  if (pool->n > MAX_SETS)
    pool->n = MAX_SETS;

  status = stereo_device_alloc_pinned (device, pool->n * pool->set_bytes,
      &memory, why);
  if (status != STEREO_OK)
    return status;
  pool->pinned = memory;
  memset (pool->pinned, 128, pool->n * pool->set_bytes);
  for (size_t i = 0; i < pool->n; i++) {
    pool_get (pool, false, i, &left, &right, &map);
    if (settings->left != NULL) {
      convert_image (settings->left, c, &left);
      convert_image (settings->right, c, &right);
    } else {
      draw_scene (c, &left, &right, &state);
    }
  }
  if (is_cpu (device))
    return STEREO_OK;

  memory = NULL;
  status = stereo_device_alloc (device, pool->n * pool->set_bytes, &memory,
      why);
  if (status == STEREO_OK) {
    pool->memory = memory;
    status = stereo_device_copy (device, pool->memory, pool->pinned,
        pool->n * pool->set_bytes, why);
  }
  if (status != STEREO_OK)
    pool_clear (pool);
  return status;
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
  Pool pool;
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

  pool_get (&r->pool, mode == DEVICE && r->pool.memory != NULL, r->next++,
      &left, &right, &map);
  if (stereo_matcher_process (r->matcher, &left, &right, &map, &frame)
      != STEREO_OK)
    return false;
  wanted = overlap ? r->before : frame;
  r->before = frame;
  if (stereo_matcher_wait (r->matcher, wanted) != STEREO_OK)
    return stereo_matcher_sync (r->matcher) == STEREO_OK;

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
  good = (mode == STAGES && is_cpu (r->pool.device))
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
  StereoMatcherConfig config = { sizeof (StereoMatcherConfig), c->width,
      c->height, c->format, c->format,
    STEREO_FORMAT_GRAY16_LE, STEREO_COLORIMETRY_BT601_FULL,
    STEREO_COLORIMETRY_BT601_FULL
  };
  Runner r = { 0 };
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  StereoStatus problem;
  bool good = false;

  *status = 1;
  problem = stereo_matcher_new (c->setup->algorithm, device, &r.matcher);
  if (problem != STEREO_OK)
    return cli_fail (why, "%s: %s", stereo_device_name (device),
        problem == STEREO_ERROR_UNSUPPORTED ? "unsupported algorithm"
        : stereo_status_name (problem));
  problem = stereo_matcher_configure (r.matcher, &config, c->params);
  if (problem != STEREO_OK) {
    if (problem == STEREO_ERROR_ARGUMENT)
      *status = 2;
    cli_fail (why, "%s", stereo_matcher_error (r.matcher));
  } else if (pool_make (&r.pool, device, c, settings, why) == STEREO_OK) {
    good = measure_times (&r, DEVICE, settings, &result->device, result);
    if (good && !is_cpu (device))
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
    pool_clear (&r.pool);
  return good;
}
