/* gst-stereomatching: tests of the matcher interface and its memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "process.h"
#include "stereo-cuda.h"
#include "stereo.h"
#include "test.h"

#include <pthread.h>

/* -------------------------------------------------------------- allocations */

/* The linker redirects the library's calls to these (--wrap). */
void *__real_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__real_realloc (void *memory, size_t size);
void __real_free (void *memory);
void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__wrap_realloc (void *memory, size_t size);
void __wrap_free (void *memory);

static long calls;              /* number of allocating calls */
static long living;             /* allocations not freed yet */
static int content = 0x5a;      /* fill byte of new memory */
static long fail_at = -1;       /* the call that fails; counts down */

static bool
may_allocate (void)
{
  __atomic_add_fetch (&calls, 1, __ATOMIC_SEQ_CST);
  return fail_at < 0 || __atomic_fetch_sub (&fail_at, 1, __ATOMIC_SEQ_CST)
      != 0;
}

static void *
count_allocation (void *memory)
{
  if (memory != NULL)
    __atomic_add_fetch (&living, 1, __ATOMIC_SEQ_CST);
  return memory;
}

void *
__wrap_malloc (size_t size)
{
  void *memory = may_allocate () ? __real_malloc (size) : NULL;

  if (memory != NULL)
    memset (memory, content, size);
  return count_allocation (memory);
}

void *
__wrap_calloc (size_t n, size_t size)
{
  return may_allocate () ? count_allocation (__real_calloc (n, size)) : NULL;
}

void *
__wrap_realloc (void *memory, size_t size)
{
  void *result = may_allocate () ? __real_realloc (memory, size) : NULL;

  return memory == NULL ? count_allocation (result) : result;
}

void
__wrap_free (void *memory)
{
  if (memory != NULL)
    __atomic_sub_fetch (&living, 1, __ATOMIC_SEQ_CST);
  __real_free (memory);
}

/* ------------------------------------------------------------------- images */

#define MAX_PIXELS (200 * 100)

/* GRAY8 views and a GRAY16_LE map, without padding. */
typedef struct
{
  uint8_t left_pixels[MAX_PIXELS], right_pixels[MAX_PIXELS];
  uint16_t map_pixels[MAX_PIXELS];
  StereoImage left, right, map;
  StereoMatcherConfig config;
} Pair;

static StereoImage
image_of (StereoFormat format, int width, int height, void *pixels,
    size_t pixel_bytes)
{
  StereoImage image = { format, width, height, STEREO_MEMORY_HOST, {pixels},
    {(size_t) width * pixel_bytes}
  };

  return image;
}

static void
pair_init (Pair * pair, int width, int height, unsigned seed)
{
  REQUIRE (width * height <= MAX_PIXELS);
  for (int i = 0; i < width * height; i++) {
    seed = seed * 1664525 + 1013904223;
    pair->left_pixels[i] = (uint8_t) (seed >> 24);
    pair->right_pixels[i] = (uint8_t) (seed >> 16);
  }
  /* the right view is the left one, shifted left by three pixels */
  for (int y = 0; y < height; y++) {
    for (int x = 0; x + 3 < width; x++)
      pair->right_pixels[y * width + x] = pair->left_pixels[y * width + x + 3];
  }
  memset (pair->map_pixels, 0xee, sizeof (pair->map_pixels));
  pair->left = image_of (STEREO_FORMAT_GRAY8, width, height,
      pair->left_pixels, 1);
  pair->right = image_of (STEREO_FORMAT_GRAY8, width, height,
      pair->right_pixels, 1);
  pair->map = image_of (STEREO_FORMAT_GRAY16_LE, width, height,
      pair->map_pixels, 2);
  pair->config = (StereoMatcherConfig) {
  sizeof (StereoMatcherConfig), width, height, STEREO_FORMAT_GRAY8,
        STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY16_LE};
}

typedef struct
{
  const StereoAlgorithm *algorithm;
  StereoDevice *device;
  StereoParams *params;
  StereoMatcher *matcher;
} Setup;

static void
set (Setup * setup, const char *name, double value)
{
  REQUIRE (stereo_params_set (setup->params, name, value, NULL) == STEREO_OK);
}

/* Creates a setup on a device, whose reference it takes. */
static void
setup_init_on (Setup * setup, const StereoAlgorithm * algorithm,
    StereoDevice * device)
{
  memset (setup, 0, sizeof (*setup));
  setup->algorithm = algorithm;
  setup->device = device;
  REQUIRE (stereo_params_new (algorithm, &setup->params) == STEREO_OK);
  set (setup, "num-disparities", 8);
  REQUIRE (stereo_matcher_new (algorithm, device, &setup->matcher)
      == STEREO_OK);
}

static void
setup_init (Setup * setup, const StereoAlgorithm * algorithm,
    unsigned n_threads, StereoSimd simd)
{
  StereoDevice *device = NULL;

  REQUIRE (stereo_device_new_cpu (n_threads, simd, &device, NULL)
      == STEREO_OK);
  setup_init_on (setup, algorithm, device);
}

static void
setup_clear (Setup * setup)
{
  stereo_matcher_free (&setup->matcher);
  stereo_params_free (&setup->params);
  stereo_device_unref (&setup->device);
}

static StereoStatus
configure (Setup * setup, const StereoMatcherConfig * config)
{
  return stereo_matcher_configure (setup->matcher, config, setup->params);
}

static StereoStatus
process (Setup * setup, const StereoImage * left, const StereoImage * right,
    const StereoImage * map)
{
  return stereo_matcher_process (setup->matcher, left, right, map, NULL);
}

static StereoStatus
match (Setup * setup, const Pair * pair)
{
  return process (setup, &pair->left, &pair->right, &pair->map);
}

/* Fails unless the call returns status and the message contains word. */
#define CHECK_REFUSED(setup, status, word) \
  do { \
    CHECK_INT (status, ==, STEREO_ERROR_ARGUMENT); \
    CHECK_CONTAINS (stereo_matcher_error ((setup)->matcher), word); \
  } while (0)

/* Computes map_pixels with another matcher and device. */
static void
pair_match (Pair * pair, const StereoAlgorithm * algorithm,
    const StereoParams * params)
{
  SCOPED (setup_clear) Setup s;

  setup_init (&s, algorithm, 1, STEREO_SIMD_AUTO);
  REQUIRE (stereo_matcher_configure (s.matcher, &pair->config, params)
      == STEREO_OK);
  REQUIRE (match (&s, pair) == STEREO_OK);
  REQUIRE (stereo_matcher_sync (s.matcher) == STEREO_OK);
}

static const StereoAlgorithm *
first (void)
{
  return stereo_algorithm_get (0);
}

/* -------------------------------------------------------------------- tests */

TEST (test_life)
{
  Setup s;
  StereoMatcher *none = NULL;

  stereo_matcher_free (NULL);
  stereo_matcher_free (&none);
  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  CHECK_STRING (stereo_matcher_error (s.matcher), "");
  CHECK_INT (stereo_matcher_new (NULL, s.device, &none), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_matcher_new (s.algorithm, NULL, &none), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_matcher_new (s.algorithm, s.device, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK (none == NULL);

  /* the matcher holds a reference to the device */
  stereo_device_unref (&s.device);
  stereo_params_free (&s.params);
  CHECK_INT (stereo_matcher_sync (s.matcher), ==, STEREO_OK);
  stereo_matcher_free (&s.matcher);
  CHECK (s.matcher == NULL);
  stereo_matcher_free (&s.matcher);
}

TEST (test_null)
{
  SCOPED (setup_clear) Setup s;
  static Pair pair;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 20, 10, 1);
  CHECK_INT (stereo_matcher_configure (NULL, &pair.config, s.params), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_matcher_process (NULL, &pair.left, &pair.right, &pair.map,
          NULL), ==, STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_matcher_wait (NULL, 1), ==, STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_matcher_sync (NULL), ==, STEREO_ERROR_ARGUMENT);
  CHECK_STRING (stereo_matcher_error (NULL), "there is no matcher");

  CHECK_REFUSED (&s, configure (&s, NULL), "missing");
  CHECK_REFUSED (&s, stereo_matcher_configure (s.matcher, &pair.config, NULL),
      "missing");

  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  CHECK_STRING (stereo_matcher_error (s.matcher), "");
  CHECK_REFUSED (&s, process (&s, NULL, &pair.right, &pair.map),
      "left image is missing");
  CHECK_REFUSED (&s, process (&s, &pair.left, NULL, &pair.map),
      "right image is missing");
  CHECK_REFUSED (&s, process (&s, &pair.left, &pair.right, NULL),
      "output image is missing");
}

TEST (test_not_configured)
{
  SCOPED (setup_clear) Setup s;
  static Pair pair;
  uint64_t frame = 7;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 20, 10, 1);
  CHECK_INT (stereo_matcher_process (s.matcher, &pair.left, &pair.right,
          &pair.map, &frame), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (stereo_matcher_error (s.matcher), "not configured");
  CHECK_INT (frame, ==, 7);
  CHECK_INT (pair.map_pixels[0], ==, 0xeeee);
  CHECK_INT (stereo_matcher_wait (s.matcher, 0), ==, STEREO_OK);
  CHECK_INT (stereo_matcher_sync (s.matcher), ==, STEREO_OK);
  CHECK_STRING (stereo_matcher_error (s.matcher), "");

  /* a failed configuration invalidates the previous one */
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  pair.config.width = 0;
  CHECK_INT (configure (&s, &pair.config), ==, STEREO_ERROR_ARGUMENT);
  CHECK_REFUSED (&s, match (&s, &pair), "not configured");
}

TEST (test_config)
{
  static const int sizes[][2] = {
    {0, 10}, {10, 0}, {-1, 10}, {10, -1}, {STEREO_MAX_SIZE + 1, 10},
    {10, STEREO_MAX_SIZE + 1}, {1 << 30, 1 << 30}, {-2147483647 - 1, 1}
  };
  SCOPED (setup_clear) Setup s;
  static Pair pair;
  StereoMatcherConfig g;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 20, 10, 1);
  for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
    char text[64];

    g = pair.config;
    g.width = sizes[i][0];
    g.height = sizes[i][1];
    CHECK_INT (configure (&s, &g), ==, STEREO_ERROR_ARGUMENT);
    snprintf (text, sizeof (text), "%dx%d", g.width, g.height);
    CHECK_CONTAINS (stereo_matcher_error (s.matcher), text);
    CHECK_CONTAINS (stereo_matcher_error (s.matcher), "1 to 16384");
  }
  g = pair.config;
  g.left = STEREO_N_FORMATS;
  CHECK_REFUSED (&s, configure (&s, &g), "left");
  CHECK_CONTAINS (stereo_matcher_error (s.matcher), "format");
  g = pair.config;
  g.right = (StereoFormat) - 1;
  CHECK_REFUSED (&s, configure (&s, &g), "right");
  CHECK_CONTAINS (stereo_matcher_error (s.matcher), "format");
  for (int f = -1; f <= STEREO_N_FORMATS; f++) {
    g = pair.config;
    g.output = (StereoFormat) f;
    if (f == STEREO_FORMAT_GRAY8 || f == STEREO_FORMAT_GRAY16_LE) {
      CHECK_INT (configure (&s, &g), ==, STEREO_OK);
      continue;
    }
    CHECK_REFUSED (&s, configure (&s, &g), "GRAY16_LE or GRAY8");
    if (f >= 0 && f < STEREO_N_FORMATS)
      CHECK_CONTAINS (stereo_matcher_error (s.matcher),
          stereo_format_name (g.output));
  }
}

/* The colorimetry applies to YUV formats only. */
TEST (test_colorimetry)
{
  SCOPED (setup_clear) Setup s;
  static Pair pair;
  StereoMatcherConfig g;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 20, 10, 1);
  for (int side = 0; side < 2; side++) {
    for (int f = 0; f < STEREO_N_FORMATS; f++) {
      for (int c = -1; c <= STEREO_N_COLORIMETRIES; c++) {
        bool good = c >= 0 && c < STEREO_N_COLORIMETRIES;

        g = pair.config;
        *(side == 0 ? &g.left : &g.right) = (StereoFormat) f;
        *(side == 0 ? &g.left_colorimetry : &g.right_colorimetry) =
            (StereoColorimetry) c;
        if (good || f < STEREO_FORMAT_NV12) {
          CHECK_INT (configure (&s, &g), ==, STEREO_OK);
          continue;
        }
        CHECK_REFUSED (&s, configure (&s, &g), side == 0 ? "left" : "right");
        CHECK_CONTAINS (stereo_matcher_error (s.matcher), "colorimetry");
      }
    }
  }
}

/* If both views have colour, their chroma planes are needed and checked.  If
 * one has none, or the algorithm does not use colour, luma is sufficient. */
TEST (test_chroma_planes)
{
  const StereoAlgorithm *algorithm;
  static Pair pair;
  static uint8_t chroma[MAX_PIXELS];

  memset (chroma, 128, sizeof (chroma));
  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    Setup s;
    StereoImage left, right;

    setup_init (&s, algorithm, 1, STEREO_SIMD_AUTO);
    pair_init (&pair, 21, 10, 1);
    left = pair.left;
    left.format = pair.config.left = STEREO_FORMAT_NV12;
    left.plane[1] = left.plane[2] = NULL;
    left.stride[1] = left.stride[2] = 0;
    REQUIRE (configure (&s, &pair.config) == STEREO_OK);
    CHECK_INT (process (&s, &left, &pair.right, &pair.map), ==, STEREO_OK);

    right = pair.right;
    right.format = pair.config.right = STEREO_FORMAT_YV12;
    REQUIRE (configure (&s, &pair.config) == STEREO_OK);
    if (!stereo_algorithm_uses_color (algorithm)) {
      CHECK_INT (process (&s, &left, &right, &pair.map), ==, STEREO_OK);
      setup_clear (&s);
      continue;
    }
    CHECK_REFUSED (&s, process (&s, &left, &right, &pair.map), "left image");
    CHECK_CONTAINS (stereo_matcher_error (s.matcher), "plane 1 (U and V)");
    left.plane[1] = chroma;
    left.stride[1] = 21;
    CHECK_REFUSED (&s, process (&s, &left, &right, &pair.map),
        "stride of 21 bytes in plane 1 (U and V), a row has 22");
    left.stride[1] = 22;
    right.plane[1] = chroma;
    right.stride[1] = 11;
    right.plane[2] = NULL;
    CHECK_REFUSED (&s, process (&s, &left, &right, &pair.map),
        "right image has no data in plane 2 (U)");
    right.plane[2] = chroma;
    right.stride[2] = 10;
    CHECK_REFUSED (&s, process (&s, &left, &right, &pair.map), "right image");
    CHECK_CONTAINS (stereo_matcher_error (s.matcher), "plane 2 (U)");
    right.stride[2] = 11;
    CHECK_INT (process (&s, &left, &right, &pair.map), ==, STEREO_OK);
    setup_clear (&s);
  }
}

TEST (test_codes_that_do_not_fit)
{
  SCOPED (setup_clear) Setup s;
  static Pair pair;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 20, 10, 1);
  set (&s, "num-disparities", 4097);
  CHECK_REFUSED (&s, configure (&s, &pair.config), "num-disparities 4097");
  CHECK_CONTAINS (stereo_matcher_error (s.matcher), "disparity-scale 16");
  CHECK_CONTAINS (stereo_matcher_error (s.matcher), "at most 15");
  set (&s, "disparity-scale", 15);
  CHECK_INT (configure (&s, &pair.config), ==, STEREO_OK);

  set (&s, "invalid-value", 256);
  pair.config.output = STEREO_FORMAT_GRAY8;
  CHECK_REFUSED (&s, configure (&s, &pair.config), "invalid-value 256");
  CHECK_CONTAINS (stereo_matcher_error (s.matcher), "255");
}

TEST (test_parameters_of_another)
{
  Setup s;
  static Pair pair;
  SCOPED (stereo_params_free) StereoParams *params = NULL;
  const StereoAlgorithm *other = stereo_algorithm_get (1);

  if (other == NULL)
    SKIP ("there is one algorithm only");
  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 20, 10, 1);
  REQUIRE (stereo_params_new (other, &params) == STEREO_OK);
  CHECK_REFUSED (&s, stereo_matcher_configure (s.matcher, &pair.config, params),
      stereo_algorithm_name (first ()));
  CHECK_CONTAINS (stereo_matcher_error (s.matcher),
      stereo_algorithm_name (other));
  setup_clear (&s);
}

/* Each image in turn has every possible error; valid images work afterwards. */
TEST (test_wrong_images)
{
  static const char *const roles[] = {
    "left image", "right image", "output image"
  };
  SCOPED (setup_clear) Setup s;
  static Pair pair;
  uint64_t frame = 0;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 20, 10, 1);
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  for (int i = 0; i < 3; i++) {
    for (int wrong = 0; wrong < 6; wrong++) {
      StereoImage images[3] = { pair.left, pair.right, pair.map };

      switch (wrong) {
        case 0:
          images[i].width--;
          break;
        case 1:
          images[i].height++;
          break;
        case 2:
          images[i].format = STEREO_FORMAT_RGB;
          break;
        case 3:
          images[i].stride[0] = 19;
          break;
        case 4:
          images[i].plane[0] = NULL;
          break;
        default:
          images[i].memory = (StereoMemory) 3;
          break;
      }
      CHECK_INT (stereo_matcher_process (s.matcher, &images[0], &images[1],
              &images[2], &frame), ==, STEREO_ERROR_ARGUMENT);
      CHECK_CONTAINS (stereo_matcher_error (s.matcher), roles[i]);
      CHECK_INT (frame, ==, 0);
    }
  }
  for (size_t i = 0; i < 200; i++)
    CHECK_INT (pair.map_pixels[i], ==, 0xeeee);
  CHECK_INT (stereo_matcher_process (s.matcher, &pair.left, &pair.right,
          &pair.map, &frame), ==, STEREO_OK);
  CHECK_STRING (stereo_matcher_error (s.matcher), "");
  CHECK_INT (frame, ==, 1);
}

TEST (test_waiting)
{
  SCOPED (setup_clear) Setup s;
  static Pair pair;
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 40, 30, 1);
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  CHECK (stereo_matcher_get_stats (s.matcher, &stats, NULL) == STEREO_OK);
  CHECK_INT (stats.frames, ==, 0);
  CHECK_INT (stats.allocations, >, 0);
  CHECK_INT (stats.host_bytes, >, 40 * 30);
  CHECK_INT (stats.device_bytes, ==, 0);
  for (uint64_t i = 1; i <= 5; i++) {
    uint64_t frame = 0;

    CHECK_INT (stereo_matcher_process (s.matcher, &pair.left, &pair.right,
            &pair.map, i % 2 ? &frame : NULL), ==, STEREO_OK);
    if (i % 2)
      CHECK_INT (frame, ==, i);
    /* in any order, repeatedly */
    CHECK_INT (stereo_matcher_wait (s.matcher, i), ==, STEREO_OK);
    CHECK_INT (stereo_matcher_wait (s.matcher, 1), ==, STEREO_OK);
    CHECK_INT (stereo_matcher_wait (s.matcher, 0), ==, STEREO_OK);
    CHECK_INT (stereo_matcher_wait (s.matcher, i), ==, STEREO_OK);
    CHECK (stereo_matcher_get_stats (s.matcher, &stats, NULL) == STEREO_OK);
    CHECK_INT (stats.frames, ==, i);
    CHECK_INT (stats.total_ns, >=, stats.last_ns);
  }
  /* frames that have not started are not waited for */
  CHECK_INT (stereo_matcher_wait (s.matcher, 1000), ==, STEREO_OK);
  CHECK_INT (stereo_matcher_wait (s.matcher, UINT64_MAX), ==, STEREO_OK);
  CHECK_INT (stereo_matcher_sync (s.matcher), ==, STEREO_OK);
  CHECK (stereo_matcher_get_stats (s.matcher, &stats, NULL) == STEREO_OK);
  CHECK_INT (stats.frames, ==, 5);
}

/* configure() copies its arguments. */
TEST (test_copies_of_arguments)
{
  SCOPED (setup_clear) Setup s;
  static Pair pair;
  SCOPED (free_scoped) uint16_t *expected = malloc (sizeof (pair.map_pixels));

  REQUIRE (expected != NULL);
  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 40, 30, 3);
  pair_match (&pair, s.algorithm, s.params);
  memcpy (expected, pair.map_pixels, sizeof (pair.map_pixels));
  memset (pair.map_pixels, 0xee, sizeof (pair.map_pixels));
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  set (&s, "num-disparities", 1);
  stereo_params_free (&s.params);
  memset (&pair.config, 0, sizeof (pair.config));
  CHECK_INT (match (&s, &pair), ==, STEREO_OK);
  CHECK (memcmp (expected, pair.map_pixels, sizeof (pair.map_pixels)) == 0);
}

/* ------------------------------------------------------------------ threads */

typedef struct
{
  const StereoAlgorithm *algorithm;
  StereoDevice *device;
  const StereoParams *params;
  int width, height;
  unsigned seed;
  unsigned wrong;
} Work;

static void *
work (void *data)
{
  Work *w = data;
  Pair *pair = calloc (1, sizeof (*pair));
  Pair *expected = calloc (1, sizeof (*expected));
  StereoMatcher *matcher = NULL;

  REQUIRE (pair != NULL && expected != NULL);
  pair_init (pair, w->width, w->height, w->seed);
  pair_init (expected, w->width, w->height, w->seed);
  pair_match (expected, w->algorithm, w->params);
  REQUIRE (stereo_matcher_new (w->algorithm, w->device, &matcher)
      == STEREO_OK);
  REQUIRE (stereo_matcher_configure (matcher, &pair->config, w->params)
      == STEREO_OK);
  for (int i = 0; i < 10; i++) {
    uint64_t frame;

    memset (pair->map_pixels, 0xee, sizeof (pair->map_pixels));
    w->wrong += stereo_matcher_process (matcher, &pair->left, &pair->right,
        &pair->map, &frame) != STEREO_OK;
    w->wrong += stereo_matcher_wait (matcher, frame) != STEREO_OK;
    w->wrong += memcmp (expected->map_pixels, pair->map_pixels,
        sizeof (pair->map_pixels)) != 0;
  }
  stereo_matcher_free (&matcher);
  free (pair);
  free (expected);
  return NULL;
}

/* Matchers of different algorithms and sizes share a device. */
TEST (test_threads)
{
  enum
  { N = 4 };
  Work works[N];
  pthread_t threads[N];
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  StereoParams *params[N] = { NULL };
  size_t n_algorithms = 0;

  while (stereo_algorithm_get (n_algorithms) != NULL)
    n_algorithms++;
  REQUIRE (stereo_device_new_cpu (2, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  for (int i = 0; i < N; i++) {
    const StereoAlgorithm *algorithm =
        stereo_algorithm_get ((size_t) i % n_algorithms);

    REQUIRE (stereo_params_new (algorithm, &params[i]) == STEREO_OK);
    REQUIRE (stereo_params_set (params[i], "num-disparities", 5 + i, NULL)
        == STEREO_OK);
    works[i] = (Work) {
    algorithm, device, params[i], 30 + 17 * i, 40 - 9 * i, (unsigned) i, 0};
    REQUIRE (pthread_create (&threads[i], NULL, work, &works[i]) == 0);
  }
  /* the matchers hold references to the device */
  for (int i = 0; i < N; i++) {
    REQUIRE (pthread_join (threads[i], NULL) == 0);
    CHECK_INT (works[i].wrong, ==, 0);
    stereo_params_free (&params[i]);
  }
}

typedef struct
{
  StereoMatcher *matcher;
  int stop;
  unsigned wrong;
  unsigned waits;
} Watch;

static void *
watch (void *data)
{
  Watch *w = data;

  while (!__atomic_load_n (&w->stop, __ATOMIC_SEQ_CST) || w->waits == 0) {
    StereoMatcherStats before = STEREO_MATCHER_STATS_INIT, after = before;

    w->wrong += stereo_matcher_get_stats (w->matcher, &before, NULL)
        != STEREO_OK;
    w->wrong += stereo_matcher_wait (w->matcher, before.frames + 1)
        != STEREO_OK;
    w->wrong += stereo_matcher_get_stats (w->matcher, &after, NULL)
        != STEREO_OK;
    w->wrong += after.frames < before.frames;
    w->waits++;
  }
  return NULL;
}

/* wait() and get_stats() on two threads, process() on another. */
TEST (test_wait_elsewhere)
{
  enum
  { N = 2, FRAMES = 200 };
  SCOPED (setup_clear) Setup s;
  static Pair pair;
  Watch watches[N];
  pthread_t threads[N];
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;

  setup_init (&s, first (), 1, STEREO_SIMD_AUTO);
  pair_init (&pair, 30, 20, 1);
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  for (int i = 0; i < N; i++) {
    watches[i] = (Watch) {.matcher = s.matcher };
    REQUIRE (pthread_create (&threads[i], NULL, watch, &watches[i]) == 0);
  }
  for (int i = 0; i < FRAMES; i++)
    CHECK_INT (match (&s, &pair), ==, STEREO_OK);
  for (int i = 0; i < N; i++) {
    __atomic_store_n (&watches[i].stop, 1, __ATOMIC_SEQ_CST);
    REQUIRE (pthread_join (threads[i], NULL) == 0);
    CHECK_INT (watches[i].wrong, ==, 0);
  }
  CHECK (stereo_matcher_get_stats (s.matcher, &stats, NULL) == STEREO_OK);
  CHECK_INT (stats.frames, ==, FRAMES);
}

/* ------------------------------------------------------------------- memory */

TEST (test_nothing_per_frame)
{
  const StereoAlgorithm *algorithm;

  if (process_locks_allocate ())
    SKIP ("allocations of locks are counted, too");
  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    for (int simd = STEREO_SIMD_NONE; simd <= STEREO_SIMD_AVX512; simd++) {
      StereoMatcherStats before = STEREO_MATCHER_STATS_INIT, after = before;
      static Pair pair;
      long calls_before;

      if (!stereo_simd_available ((StereoSimd) simd))
        continue;
      for (int median = 0; median < 2; median++) {
        Setup s;

        setup_init (&s, algorithm, 2, (StereoSimd) simd);
        set (&s, "num-disparities", 9);
        set (&s, "median", median);
        pair_init (&pair, 80, 60, 1);
        REQUIRE (configure (&s, &pair.config) == STEREO_OK);
        CHECK (stereo_matcher_get_stats (s.matcher, &before,
            NULL) == STEREO_OK);
        calls_before = calls;
        CHECK_INT (calls_before, >, 0);
        for (int i = 0; i < 3; i++)
          CHECK_INT (match (&s, &pair), ==, STEREO_OK);
        CHECK_INT (calls, ==, calls_before);

        /* nor for a smaller size */
        pair_init (&pair, 79, 60, 1);
        CHECK_INT (configure (&s, &pair.config), ==, STEREO_OK);
        CHECK_INT (calls, ==, calls_before);
        CHECK (stereo_matcher_get_stats (s.matcher, &after, NULL) == STEREO_OK);
        CHECK_INT (after.allocations, ==, before.allocations);
        CHECK_INT (after.host_bytes, ==, before.host_bytes);
        setup_clear (&s);
      }
    }
  }
}

/* Results do not depend on the content of new memory.  (Valgrind cannot check
 * this: vector code loads bytes that do not affect the result.) */
TEST (test_content_of_memory)
{
  static const int contents[] = { 0x5a, 0, 0xff, 0x01, 0x80 };
  const StereoAlgorithm *algorithm;
  static Pair pair;
  SCOPED (free_scoped) uint16_t *expected = malloc (sizeof (pair.map_pixels));

  REQUIRE (expected != NULL);
  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    for (int simd = STEREO_SIMD_NONE; simd <= STEREO_SIMD_AVX512; simd++) {
      if (!stereo_simd_available ((StereoSimd) simd))
        continue;
      for (int i = 0; i < 2 * 5; i++) {
        Setup s;

        content = contents[i % 5];
        setup_init (&s, algorithm, 1, (StereoSimd) simd);
        set (&s, "num-disparities", 11);
        set (&s, "median", i / 5);
        pair_init (&pair, 131, 37, 5);
        REQUIRE (configure (&s, &pair.config) == STEREO_OK);
        REQUIRE (match (&s, &pair) == STEREO_OK);
        if (i % 5 == 0)
          memcpy (expected, pair.map_pixels, sizeof (pair.map_pixels));
        CHECK (memcmp (expected, pair.map_pixels, sizeof (pair.map_pixels))
            == 0);
        setup_clear (&s);
      }
    }
  }
  content = 0x5a;
}

/* Creates, configures, runs and frees a matcher; *steps is the number of
 * successful steps. */
static StereoStatus
run_lifecycle (const StereoAlgorithm * algorithm, Pair * pair, int *steps)
{
  StereoDevice *device = NULL;
  StereoParams *params = NULL;
  StereoMatcher *matcher = NULL;
  StereoMessage why = { "" };
  StereoStatus status;

  *steps = 0;
  status = stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, &why);
  if (status == STEREO_OK && ++*steps)
    status = stereo_params_new (algorithm, &params);
  if (status == STEREO_OK && ++*steps)
    status = stereo_matcher_new (algorithm, device, &matcher);
  if (status == STEREO_OK && ++*steps) {
    status = stereo_matcher_configure (matcher, &pair->config, params);
    if (status != STEREO_OK) {
      CHECK_CONTAINS (stereo_matcher_error (matcher), "bytes");
      CHECK_INT (stereo_matcher_process (matcher, &pair->left, &pair->right,
              &pair->map, NULL), ==, STEREO_ERROR_ARGUMENT);
      /* and succeeds when memory is available again */
      CHECK_INT (stereo_matcher_configure (matcher, &pair->config, params),
          ==, STEREO_OK);
      CHECK_INT (stereo_matcher_process (matcher, &pair->left, &pair->right,
              &pair->map, NULL), ==, STEREO_OK);
    }
  }
  if (status == STEREO_OK && ++*steps)
    status = stereo_matcher_process (matcher, &pair->left, &pair->right,
        &pair->map, NULL);
  stereo_matcher_free (&matcher);
  stereo_params_free (&params);
  stereo_device_unref (&device);
  return status;
}

/* Checks the names and order of the stages of the last frame, and that their
 * times add up to that of the frame. */
static void
check_stages (StereoMatcher * matcher, const char *const *names)
{
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  const char *name;
  uint64_t ns, sum = 0;
  size_t n = 0;

  while (stereo_matcher_get_stage (matcher, n, &name, &ns)) {
    if (names[n] == NULL) {
      CHECK_STRING (name, "no more stages");
      return;
    }
    CHECK_STRING (name, names[n]);
    sum += ns;
    n++;
  }
  CHECK (names[n] == NULL);
  CHECK (stereo_matcher_get_stats (matcher, &stats, NULL) == STEREO_OK);
  CHECK_INT (sum, ==, n > 0 ? stats.last_ns : 0);
}

/* Sets parameters to matching without post-processing. */
static void
set_unrefined (Setup * setup)
{
  static const struct
  {
    const char *name;
    double value;
  } values[] = { {"cost", 2}, {"subpixel", 0}, {"lr-max-diff", -1},
    {"speckle-size", 0}, {"refine", 0}, {"median", 0}
  };

  for (size_t i = 0; i < sizeof (values) / sizeof (values[0]); i++)
    set (setup, values[i].name, values[i].value);
}

TEST (test_stages)
{
  static const char *const none[] = { NULL };
  static const char *const plain[] = { "match", NULL };
  static const char *const filtered[] = { "match", "median", NULL };
  static const char *const all[] = { "convert", "match", "median", NULL };
  static uint8_t rgb[2][3 * 60 * 40];
  static Pair pair;
  uint64_t ns = 0;
  SCOPED (setup_clear) Setup s;

  setup_init (&s, stereo_algorithm_find ("vcbw"), 1, STEREO_SIMD_AUTO);
  set_unrefined (&s);
  pair_init (&pair, 60, 40, 1);
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  CHECK (!stereo_matcher_get_stage (s.matcher, 0, NULL, NULL));

  for (int i = 0; i < 2; i++) {
    stereo_matcher_set_profiling (s.matcher, false);
    REQUIRE (match (&s, &pair) == STEREO_OK);
    check_stages (s.matcher, none);
    stereo_matcher_set_profiling (s.matcher, true);
    check_stages (s.matcher, none);
    REQUIRE (match (&s, &pair) == STEREO_OK);
    check_stages (s.matcher, plain);
    CHECK (stereo_matcher_get_stage (s.matcher, 0, NULL, &ns));
    CHECK_INT (ns, >, 0);
    CHECK (!stereo_matcher_get_stage (s.matcher, (size_t) - 1, NULL, NULL));
  }

  set (&s, "median", 1);
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  REQUIRE (match (&s, &pair) == STEREO_OK);
  check_stages (s.matcher, filtered);

  pair.left = image_of (STEREO_FORMAT_RGB, 60, 40, rgb[0], 3);
  pair.right = image_of (STEREO_FORMAT_RGB, 60, 40, rgb[1], 3);
  pair.config.left = pair.config.right = STEREO_FORMAT_RGB;
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  REQUIRE (match (&s, &pair) == STEREO_OK);
  check_stages (s.matcher, all);
}

/* The same on CUDA, where events round times, with frames in flight. */
TEST (test_stages_cuda)
{
  static const char *const names[] = { "upload", "match", "median",
    "download"
  };
  static Pair pair;
  StereoDevice *device = NULL;
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  Setup s;

  if (stereo_cuda_count (NULL) == 0)
    SKIP ("no CUDA device");
  REQUIRE (stereo_device_new_cuda (-1, &device, NULL) == STEREO_OK);
  setup_init_on (&s, stereo_algorithm_find ("vcbw"), device);
  set_unrefined (&s);
  set (&s, "median", 1);
  pair_init (&pair, 200, 100, 1);
  REQUIRE (configure (&s, &pair.config) == STEREO_OK);
  for (int frames = 1; frames <= 5; frames++) {
    uint64_t sum = 0;

    stereo_matcher_set_profiling (s.matcher, false);
    REQUIRE (match (&s, &pair) == STEREO_OK);
    REQUIRE (stereo_matcher_sync (s.matcher) == STEREO_OK);
    CHECK (!stereo_matcher_get_stage (s.matcher, 0, NULL, NULL));

    stereo_matcher_set_profiling (s.matcher, true);
    for (int i = 0; i < frames; i++)
      REQUIRE (match (&s, &pair) == STEREO_OK);
    REQUIRE (stereo_matcher_sync (s.matcher) == STEREO_OK);
    for (size_t i = 0; i < 4; i++) {
      const char *name = "";
      uint64_t ns = 0;

      CHECK (stereo_matcher_get_stage (s.matcher, i, &name, &ns));
      CHECK_STRING (name, names[i]);
      CHECK_INT (ns, >, 0);
      sum += ns;
    }
    CHECK (!stereo_matcher_get_stage (s.matcher, 4, NULL, NULL));
    if (frames == 1) {
      /* events have a resolution of half a microsecond */
      CHECK (stereo_matcher_get_stats (s.matcher, &stats, NULL) == STEREO_OK);
      CHECK_INT (sum, <=, stats.last_ns + 5000);
      CHECK_INT (sum + 5000, >=, stats.last_ns);
    }
  }
  setup_clear (&s);
}

/* A device reads pinned views directly, and has read them when process()
 * returns. */
static void
check_pinned_views (StereoDevice * device, int width, int height, int frames)
{
  const size_t n = (size_t) width * (size_t) height;
  SCOPED (free_scoped) uint8_t *views = malloc (2 * n);
  SCOPED (free_scoped) uint16_t *maps = malloc (2 * n * sizeof (*maps));
  StereoMatcherConfig config = { sizeof (config), width, height,
    STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY16_LE
  };
  Setup s;

  REQUIRE (views != NULL && maps != NULL);
  setup_init_on (&s, stereo_algorithm_find ("vcbw"), device);
  REQUIRE (configure (&s, &config) == STEREO_OK);
  for (int frame = 0; frame <= frames; frame++) {
    StereoImage left = image_of (STEREO_FORMAT_GRAY8, width, height, views, 1);
    StereoImage right = image_of (STEREO_FORMAT_GRAY8, width, height,
        views + n, 1);
    StereoImage map = image_of (STEREO_FORMAT_GRAY16_LE, width, height,
        frame == 0 ? maps : maps + n, 2);

    if (frame == 1)
      REQUIRE (stereo_device_pin (device, views, 2 * n, NULL) == STEREO_OK);
    for (size_t i = 0; i < 2 * n; i++)
      views[i] = (uint8_t) ((uint32_t) i * 2654435761u >> 24);
    REQUIRE (process (&s, &left, &right, &map) == STEREO_OK);
    memset (views, frame, 2 * n);
    REQUIRE (stereo_matcher_sync (s.matcher) == STEREO_OK);
    if (frame > 0)
      CHECK (memcmp (maps, maps + n, n * sizeof (*maps)) == 0);
  }
  stereo_device_unpin (device, views);
  setup_clear (&s);
}

TEST (test_pinned_views)
{
  StereoDevice *device = NULL;

  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  check_pinned_views (device, 200, 100, 2);
}

/* So large that a copy takes longer than the return. */
TEST (test_pinned_views_cuda)
{
  static const char constant[1 << 20] = "some systems pin only writable memory";
  SCOPED (free_scoped) char *memory = malloc (1 << 20);
  StereoDevice *device = NULL;
  StereoMessage why = { "" };
  StereoStatus status;

  if (stereo_cuda_count (NULL) == 0)
    SKIP ("no CUDA device");
  REQUIRE (stereo_device_new_cuda (-1, &device, NULL) == STEREO_OK);
  REQUIRE (stereo_device_pin (device, memory, 1 << 20, &why) == STEREO_OK);
  CHECK_INT (stereo_device_pin (device, memory, 1 << 20, &why), ==,
      STEREO_ERROR_UNSUPPORTED);
  CHECK_CONTAINS (why.text, "cannot be pinned");
  stereo_device_unpin (device, memory);
  status = stereo_device_pin (device, (void *) constant, sizeof (constant),
      &why);
  CHECK (status == STEREO_OK || status == STEREO_ERROR_UNSUPPORTED);
  stereo_device_unpin (device, (void *) constant);
  check_pinned_views (device, 1920, 1080, 20);
}

/* The temporal filter is reset on request and by every configuration, also an
 * identical one.  It is a separate stage. */
TEST (test_reset)
{
  static const char *const stages[] = { "match", "refine", "temporal", NULL };
  static Pair a, b;
  static uint16_t first[60 * 40];
  SCOPED (setup_clear) Setup s;

  stereo_matcher_reset (NULL);
  setup_init (&s, stereo_algorithm_find ("vcbw"), 1, STEREO_SIMD_AUTO);
  set_unrefined (&s);
  set (&s, "temporal", 3);
  pair_init (&a, 60, 40, 1);
  pair_init (&b, 60, 40, 1);
  /* a disparity of six pixels, followed by blank views */
  for (int i = 0; i < 60 * 40 - 6; i++)
    a.right_pixels[i] = a.left_pixels[i + 6];
  memset (b.left_pixels, 90, sizeof (b.left_pixels));
  memset (b.right_pixels, 90, sizeof (b.right_pixels));
  stereo_matcher_reset (s.matcher);
  REQUIRE (configure (&s, &a.config) == STEREO_OK);
  stereo_matcher_set_profiling (s.matcher, true);
  REQUIRE (match (&s, &b) == STEREO_OK);
  check_stages (s.matcher, stages);
  memcpy (first, b.map_pixels, sizeof (first));

  for (int i = 0; i < 3; i++) {
    stereo_matcher_reset (s.matcher);
    REQUIRE (match (&s, &a) == STEREO_OK);
    if (i == 0)
      stereo_matcher_reset (s.matcher);
    else if (i == 1)
      REQUIRE (configure (&s, &a.config) == STEREO_OK);
    REQUIRE (match (&s, &b) == STEREO_OK);
    CHECK_INT (memcmp (b.map_pixels, first, sizeof (first)) == 0, ==, i < 2);
  }
}

/* Every allocation fails in turn. */
TEST (test_out_of_memory)
{
  const StereoAlgorithm *algorithm;
  static Pair pair;

  pair_init (&pair, 30, 20, 1);
  for (size_t a = 0; (algorithm = stereo_algorithm_get (a)); a++) {
    long total, living_before;
    int steps;

    /* winpthreads allocates static locks when they are first used */
    REQUIRE (run_lifecycle (algorithm, &pair, &steps) == STEREO_OK);
    living_before = living;
    total = calls;
    REQUIRE (run_lifecycle (algorithm, &pair, &steps) == STEREO_OK);
    total = calls - total;
    CHECK_INT (living, ==, living_before);
    CHECK_INT (total, >=, 6);
    for (long i = 0; i < total; i++) {
      fail_at = i;
      CHECK_INT (run_lifecycle (algorithm, &pair, &steps), ==,
          STEREO_ERROR_MEMORY);
      fail_at = -1;
      CHECK_INT (steps, <, 4);
      CHECK_INT (living, ==, living_before);
    }
  }
}

TEST_MAIN ()
