/* gst-stereomatching: tests of the temporal filter on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Filters maps and views of all kinds, several frames each, on every device.
 * The output must equal that of an oracle, which implements the specification
 * in temporal.h on plain arrays, with its own state.  The
 * oracle counts the reason of every decision; each reason must occur.
 */

#include "refine/temporal.h"
#include "stagebench.h"

static const int sizes[][2] = {
  {1, 1}, {1, 2}, {2, 1}, {1, 40}, {40, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 9},
  {9, 5}, {31, 17}, {32, 16}, {33, 16}, {64, 33}, {65, 31}, {127, 3},
  {130, 50}, {513, 9}, {1025, 5}
};

#define N_SIZES (sizeof (sizes) / sizeof (sizes[0]))
#define N_FRAMES 9
#define NONE (-1)

/* ------------------------------------------------------------------- frames */

typedef struct
{
  int width, height, channels;
  int n, min, unit;             /* disparities */
  int frames;                   /* value of the parameter `temporal` */
  int noise;                    /* grey levels */
  int jumps;                    /* one per this number of pixels */
  int holes;                    /* likewise; 0 = none */
  int bytes;                    /* per pixel of the output */
  unsigned scale;
  uint32_t invalid;
} Case;

/* One frame. */
typedef struct
{
  int *map;                     /* codes, or NONE */
  uint8_t *views[2];            /* width x height x channels */
} Frame;

static int
pixels_of (const Case * c)
{
  return c->width * c->height;
}

/* The scene in disparities: a near card that moves in front of a wall. */
static int
scene_disparity (const Case * c, int frame, int x, int y)
{
  const int left = c->width / 4 + frame * (1 + c->width / 60);

  return x >= left && x < left + c->width / 3 + 1 && y >= c->height / 4
      ? c->n * 3 / 4 : c->n / 8 + x * c->n / (8 * c->width);
}

/* The code of a pixel: of the scene, slightly off, or random. */
static int
map_code (const Case * c, int frame, int x, int y, Random * random)
{
  int code = scene_disparity (c, frame, x, y) * c->unit
      + random_range (random, -c->unit, c->unit);

  if (random_range (random, 1, c->jumps) == 1)
    code = random_range (random, 0, (c->n - 1) * c->unit);
  if (c->holes > 0 && random_range (random, 1, c->holes) == 1)
    return NONE;
  return code < 0 ? 0 : code > (c->n - 1) * c->unit ? (c->n - 1) * c->unit
      : code;
}

static uint8_t
noisy (const Case * c, int level, Random * random)
{
  level += random_range (random, -c->noise, c->noise);
  return (uint8_t) (level < 0 ? 0 : level > 255 ? 255 : level);
}

static void
make_frame (const Case * c, int number, Frame * f, Random * random)
{
  const int pixels = pixels_of (c);

  f->map = malloc (sizeof (int) * (size_t) pixels);
  REQUIRE (f->map != NULL);
  for (int v = 0; v < 2; v++) {
    f->views[v] = malloc ((size_t) (pixels * c->channels));
    REQUIRE (f->views[v] != NULL);
    for (int i = 0; i < pixels * c->channels; i++)
      f->views[v][i] = (uint8_t) random_next (random);
  }
  for (int i = 0; i < pixels; i++) {
    const int x = i % c->width, y = i / c->width;
    const int d = scene_disparity (c, number, x, y);
    /* a texture that moves with the card */
    const int s = d == c->n * 3 / 4 ? x - number * (1 + c->width / 60) : x;
    const int level = 90 + (s * 7 + y * 5) % 31 * (d == c->n * 3 / 4 ? 3 : 1);
    const int partner = x - d - c->min;
    /* for colour the filter compares green */
    const int channel = c->channels == 3;

    f->map[i] = map_code (c, number, x, y, random);
    f->views[0][i * c->channels + channel] = noisy (c, level, random);
    if (partner >= 0 && partner < c->width)
      f->views[1][(i - x + partner) * c->channels + channel] =
          noisy (c, level, random);
  }
}

static void
free_frame (Frame * f)
{
  free (f->map);
  free (f->views[0]);
  free (f->views[1]);
}

/* ------------------------------------------------------------------- oracle */

/* Reasons of the filter's decisions. */
enum
{
  NEW, MEAN, CHANGED, MOVED, VIEWS_SUPPORT, VIEWS_OPPOSE, SAME_VIEW, ISOLATED,
  NEIGHBOR, TOO_LONG, HOLE, LONG_HOLE, N_REASONS
};

static const char *const reasons[N_REASONS] = { "new", "mean", "changed",
  "moved", "views support it", "views oppose it", "same view", "isolated",
  "neighbour", "too long", "hole", "long hole"
};

static long count[N_REASONS];

typedef struct
{
  int *map;                     /* last output, the filter's state */
  int *kept;                    /* in frames */
  uint8_t *view;
} Memory;

static int
clamped (int i, int n)
{
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static int
grey (const Case * c, const uint8_t * view, int x, int y)
{
  const int i = clamped (y, c->height) * c->width + clamped (x, c->width);

  return view[i * c->channels + (c->channels == 3 ? 1 : 0)];
}

/* Sum of absolute differences over 3x3 pixels. */
static int
differences (const Case * c, const uint8_t * a, const uint8_t * b, int x,
    int shift, int y)
{
  int sum = 0;

  for (int i = 0; i < 9; i++) {
    const int u = x + i / 3 - 1, v = y + i % 3 - 1;

    sum += abs (grey (c, a, u, v) - grey (c, b, u - shift, v));
  }
  return sum;
}

static int
whole (const Case * c, int code)
{
  return c->min + (2 * code + c->unit) / (2 * c->unit);
}

static int
outlier_reason (const Case * c, const Frame * f, const Memory * past, int x,
    int y, int o, int n)
{
  const int co = differences (c, f->views[0], f->views[1], x, whole (c, o), y);
  const int cn = differences (c, f->views[0], f->views[1], x, whole (c, n), y);

  if (4 * co <= 3 * cn)
    return VIEWS_SUPPORT;
  if (co > 2 * cn + 36)
    return VIEWS_OPPOSE;
  if (differences (c, f->views[0], past->view, x, 0, y) <= 36)
    return SAME_VIEW;
  for (int v = -4; v <= 4; v += 4) {
    for (int u = -4; u <= 4; u += 4) {
      const int at = clamped (y + v, c->height) * c->width
          + clamped (x + u, c->width);

      if ((u != 0 || v != 0) && past->map[at] != NONE
          && abs (past->map[at] - n) <= c->unit)
        return NEIGHBOR;
    }
  }
  return ISOLATED;
}

static int
reason (const Case * c, const Frame * f, const Memory * past, int x, int y)
{
  const int i = y * c->width + x;
  const int n = f->map[i], o = past->map[i];

  if (o == NONE)
    return NEW;
  if (n != NONE && abs (n - o) <= 3 * c->unit) {
    if (abs (n - o) > c->unit)
      return MOVED;
    return abs (grey (c, f->views[0], x, y) - grey (c, past->view, x, y)) > 16
        ? CHANGED : MEAN;
  }
  if (past->kept[i] == c->frames)
    return n == NONE ? LONG_HOLE : TOO_LONG;
  return n == NONE ? HOLE : outlier_reason (c, f, past, x, y, o, n);
}

static int
encoded (const Case * c, int code)
{
  const int span = c->n > 1 ? c->n - 1 : 1;
  const int gain = c->bytes == 2 ? (int) c->scale : 510;
  const int divisor = c->unit * (c->bytes == 2 ? 1 : 2 * span);
  const int value = (code * gain + divisor / 2) / divisor;

  if (code == NONE)
    return (int) c->invalid;
  return value != (int) c->invalid ? value : value + 1
      - 2 * (value == (c->bytes == 1 ? 255 : 65535));
}

/* Updates the state and computes the encoded output. */
static void
oracle (const Case * c, const Frame * f, Memory * memory, int *out)
{
  const size_t bytes = (size_t) (pixels_of (c) * c->channels);
  int *map = malloc (sizeof (int) * (size_t) pixels_of (c));

  REQUIRE (map != NULL);
  for (int i = 0; i < pixels_of (c); i++) {
    const int n = f->map[i], o = memory->map[i];
    const int why = reason (c, f, memory, i % c->width, i / c->width);
    const bool keeps = why == VIEWS_SUPPORT || why == SAME_VIEW
        || why == ISOLATED || why == HOLE;

    count[why]++;
    /* the mean of both, rounded towards n */
    map[i] = keeps ? o : why == MEAN ? n - (n - o) / 2 : n;
    memory->kept[i] = keeps ? memory->kept[i] + 1 : 0;
    out[i] = encoded (c, n == NONE ? NONE : map[i]);
  }
  free (memory->map);
  memory->map = map;
  memcpy (memory->view, f->views[0], bytes);
}

static Memory
memory_new (const Case * c)
{
  const size_t pixels = (size_t) pixels_of (c);
  Memory m = { malloc (sizeof (int) * pixels), calloc (pixels, sizeof (int)),
    calloc (pixels, (size_t) c->channels)
  };

  REQUIRE (m.map != NULL && m.kept != NULL && m.view != NULL);
  for (size_t i = 0; i < pixels; i++)
    m.map[i] = NONE;
  return m;
}

static void
memory_free (Memory * m)
{
  free (m->map);
  free (m->kept);
  free (m->view);
}

/* -------------------------------------------------------------- the devices */

/* The filter on one device. */
typedef struct
{
  StageBench bench;
  const StereoTemporalStages *stages;
  StereoTemporalPlan plan;
  StereoArena arena;
  void *memory;
  StereoOutput output;
} Rig;

static void
rig_open (Rig * rig, size_t device, const Case * c)
{
  const StereoSearch search = {.width = c->width,.height = c->height,
    .channels = c->channels,.min_disparity = c->min
  };
  const int span = c->n > 1 ? c->n - 1 : 1;

  memset (rig, 0, sizeof (*rig));
  rig->bench = stagebench_open (device);
  rig->stages = rig->bench.device->klass->stages (rig->bench.device,
      "temporal");
  REQUIRE (rig->stages != NULL);
  stereo_temporal_plan (&search, c->unit, (unsigned) c->frames, &rig->plan,
      &rig->arena);
  rig->memory = stagebench_up (&rig->bench, NULL, rig->arena.size);
  stereo_arena_bind (&rig->arena, rig->memory);
  rig->output = (StereoOutput) {
    .data = stagebench_up (&rig->bench, NULL, (size_t) pixels_of (c) * 2 + 32),
    .stride = (size_t) (c->width * c->bytes),
    .invalid = c->invalid,.bytes = (uint8_t) c->bytes,
    .gain = c->bytes == 2 ? c->scale : 510,
    .divisor = (unsigned) (c->unit * (c->bytes == 2 ? 1 : 2 * span)),
  };
}

static void
rig_close (Rig * rig)
{
  stagebench_free (&rig->bench, rig->memory);
  stagebench_free (&rig->bench, rig->output.data);
  stagebench_close (&rig->bench);
}

/* Uploads the map of a frame to the matcher's buffer. */
static void
upload_map (Rig * rig, const Case * c, const Frame * f)
{
  const StereoMap *map = &rig->plan.frame.map;
  const size_t size = map->stride * (size_t) c->height;
  SCOPED (free_scoped) uint16_t *host = malloc (size * sizeof (uint16_t));

  REQUIRE (host != NULL);
  memset (host, 0x11, size * sizeof (uint16_t));
  for (int i = 0; i < pixels_of (c); i++)
    host[(size_t) (i / c->width) * map->stride + (size_t) (i % c->width)] =
        f->map[i] == NONE ? (uint16_t) STEREO_INVALID : (uint16_t) f->map[i];
  REQUIRE (stereo_device_copy (rig->bench.device, map->data, host,
          size * sizeof (uint16_t), NULL) == STEREO_OK);
}

static void
compare (const Rig * rig, const Case * c, int number, const int *expected)
{
  const size_t pixels = (size_t) pixels_of (c), bytes = pixels * 2 + 32;
  SCOPED (free_scoped) uint8_t *got = malloc (bytes);

  REQUIRE (got != NULL);
  stagebench_down (&rig->bench, got, rig->output.data, bytes);
  for (size_t i = 0; i < pixels; i++) {
    const int value = c->bytes == 1 ? got[i] : got[2 * i] | got[2 * i + 1] << 8;

    if (value == expected[i])
      continue;
    fprintf (stderr, "%s, %dx%d, channels %d, n %d, min %d, unit %d, temporal "
        "%d, noise %d: frame %d at (%d, %d) is %d, expected %d\n",
        stereo_device_name (rig->bench.device), c->width, c->height,
        c->channels, c->n, c->min, c->unit, c->frames, c->noise, number,
        (int) i % c->width, (int) i / c->width, value, expected[i]);
    test_failures++;
    break;
  }
  /* bytes after the map are unchanged */
  for (size_t i = pixels * (size_t) c->bytes; i < bytes; i++)
    CHECK_INT (got[i], ==, 0x5a);
}

static void
run_frame (Rig * rig, const Case * c, const Frame * f)
{
  StereoView views[2];

  upload_map (rig, c, f);
  for (int v = 0; v < 2; v++)
    views[v] = stagebench_view (&rig->bench, f->views[v], c->width, c->height,
        c->channels);
  CHECK_INT (stereo_temporal_run (rig->bench.queue, rig->stages, &rig->plan,
          c->channels, &views[0], &views[1], &rig->output), ==, STEREO_OK);
  stagebench_finish (&rig->bench);
  for (int v = 0; v < 2; v++)
    stagebench_free (&rig->bench, views[v].plane[0]);
}

/* The state is reset before frame `reset`. */
static void
check_case (const Case * c, int reset, Random * random)
{
  Frame frames[N_FRAMES];
  int *expected[N_FRAMES];
  Memory memory = memory_new (c);

  for (int i = 0; i < N_FRAMES; i++) {
    expected[i] = malloc (sizeof (int) * (size_t) pixels_of (c));
    REQUIRE (expected[i] != NULL);
    make_frame (c, i, &frames[i], random);
    if (i == reset) {
      memory_free (&memory);
      memory = memory_new (c);
    }
    oracle (c, &frames[i], &memory, expected[i]);
  }
  for (size_t d = 0; d < devices_count (); d++) {
    Rig rig;

    rig_open (&rig, d, c);
    for (int i = 0; i < N_FRAMES && test_failures == 0; i++) {
      if (i == reset)
        stereo_temporal_reset (&rig.plan);
      run_frame (&rig, c, &frames[i]);
      compare (&rig, c, i, expected[i]);
    }
    rig_close (&rig);
  }
  for (int i = 0; i < N_FRAMES; i++) {
    free_frame (&frames[i]);
    free (expected[i]);
  }
  memory_free (&memory);
}

/* -------------------------------------------------------------------- tests */

static Case
random_case (size_t size, Random * random)
{
  static const int units[] = { 1, 2, 4, 8, 16, 16, 16, 37, 256 };
  Case c = {
    .width = sizes[size][0],.height = sizes[size][1],
    .channels = random_range (random, 0, 1) ? 3 : 1,
    .n = random_range (random, 1, 100),
    .min = random_range (random, 0, 2) ? 0 : random_range (random, -20, 20),
    .unit = units[random_range (random, 0, 8)],
    .frames = random_range (random, 0, 2) ? random_range (random, 1, 4)
        : STEREO_MAX_TEMPORAL,
    .noise = random_range (random, 0, 9),
    .jumps = random_range (random, 2, 30),
    .holes = random_range (random, 0, 1) * random_range (random, 1, 20),
    .bytes = random_range (random, 1, 2),
    .invalid = (uint32_t) random_range (random, 0, 255),
  };

  c.scale = (unsigned) random_range (random, 1, 256);
  return c;
}

TEST (test_frames)
{
  Random random = { 1 };

  memset (count, 0, sizeof (count));
  for (size_t i = 0; i < N_SIZES; i++) {
    for (int k = 0; k < 12 && test_failures == 0; k++) {
      const Case c = random_case (i, &random);

      check_case (&c, random_range (&random, 1, 2 * N_FRAMES), &random);
    }
  }
  for (int i = 0; i < N_REASONS; i++) {
    if (count[i] < 100)
      fprintf (stderr, "%s: %ld\n", reasons[i], count[i]);
    CHECK_INT (count[i], >=, 100);
  }
}

/* The largest codes, just below that of invalid pixels. */
TEST (test_wide_range)
{
  Random random = { 2 };
  Case c = {.width = 97,.height = 31,.channels = 1,.n = 4095,.unit = 16,
    .frames = 4,.jumps = 3,.holes = 9,.bytes = 2,.scale = 16,.noise = 3
  };

  check_case (&c, -1, &random);
  c.n = 16384;
  c.unit = 3;
  c.scale = 3;
  check_case (&c, -1, &random);
}

/* A new disparity is accepted after it has lasted, and a flickering one
 * never. */
TEST (test_flicker)
{
  enum { WIDTH = 40, HEIGHT = 20, AT = 10 * WIDTH + 20 };
  const Case c = {.width = WIDTH,.height = HEIGHT,.channels = 1,.n = 64,
    .unit = 16,.frames = 3,.bytes = 2,.scale = 16,.invalid = 65535
  };
  static const int found[] = { 100, 100, 700, 100, 700, 700, 700, 700, 700,
    100
  };
  static const int wanted[] = { 100, 100, 100, 100, 100, 100, 100, 700, 700,
    700
  };
  int map[WIDTH * HEIGHT], expected[WIDTH * HEIGHT];
  uint8_t views[2][WIDTH * HEIGHT];
  const Frame f = { map, {views[0], views[1]} };

  memset (views, 77, sizeof (views));
  for (size_t d = 0; d < devices_count (); d++) {
    Rig rig;

    rig_open (&rig, d, &c);
    for (int i = 0; i < (int) (sizeof (found) / sizeof (found[0])); i++) {
      for (int k = 0; k < WIDTH * HEIGHT; k++)
        map[k] = expected[k] = 100;
      map[AT] = found[i];
      expected[AT] = wanted[i];
      run_frame (&rig, &c, &f);
      compare (&rig, &c, i, expected);
    }
    rig_close (&rig);
  }
}

/* ---------------------------------------------------------------- benchmark */

/* Frames to skip, while the state is being built, and frames to time. */
#define BENCH_EARLY 6
#define BENCH_FRAMES 40

/* Times the filter on a cycle of n frames. */
static void
bench_case (size_t device, const Case * c, int n, const char *name)
{
  Random random = { 3 };
  Frame frames[2];
  StereoView views[2][2];
  uint64_t best = UINT64_MAX, sum = 0;
  Rig rig;

  rig_open (&rig, device, c);
  for (int i = 0; i < n; i++) {
    make_frame (c, i, &frames[i], &random);
    for (int v = 0; v < 2; v++)
      views[i][v] = stagebench_view (&rig.bench, frames[i].views[v], c->width,
          c->height, c->channels);
  }
  for (int i = -BENCH_EARLY; i < BENCH_FRAMES; i++) {
    const int at = (i + BENCH_EARLY) % n;
    uint64_t ns;

    upload_map (&rig, c, &frames[at]);
    stagebench_finish (&rig.bench);
    CHECK_INT (stereo_temporal_run (rig.bench.queue, rig.stages, &rig.plan,
            c->channels, &views[at][0], &views[at][1], &rig.output), ==,
        STEREO_OK);
    ns = stagebench_finish (&rig.bench);
    if (i < 0)
      continue;
    best = ns < best ? ns : best;
    sum += ns;
  }
  printf ("%-40s %-24s %8.3f ms, mean %8.3f ms\n",
      stereo_device_name (rig.bench.device), name, (double) best * 1e-6,
      (double) sum * 1e-6 / BENCH_FRAMES);
  for (int i = 0; i < n; i++) {
    stagebench_free (&rig.bench, views[i][0].plane[0]);
    stagebench_free (&rig.bench, views[i][1].plane[0]);
    free_frame (&frames[i]);
  }
  rig_close (&rig);
}

static void
bench_temporal (size_t device, int width, int height)
{
  Case c = {.width = width,.height = height,.channels = 1,.n = 128,
    .unit = 16,.frames = 4,.noise = 2,.jumps = 1000000,.bytes = 2,.scale = 16
  };

  bench_case (device, &c, 1, "nothing moves");
  bench_case (device, &c, 2, "moving card");
  c.channels = 3;
  bench_case (device, &c, 2, "the same in colour");
  c.channels = 1;
  c.bytes = 1;
  bench_case (device, &c, 2, "a map of 8 bits");
  c.bytes = 2;
  c.jumps = 10;
  bench_case (device, &c, 2, "10 % outliers");
  c.jumps = 1;
  bench_case (device, &c, 2, "only outliers");
}

KERNEL_MAIN (bench_devices (bench_temporal, argc, argv))
