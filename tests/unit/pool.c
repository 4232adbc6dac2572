/* gst-stereomatching: tests of the CPU device's thread pool
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/pool.h"
#include "core/progress.h"
#include "process.h"
#include "stereo.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

/* ------------------------------------------------------------------ threads */

/* The linker redirects the library's calls to these (--wrap). */
int __real_pthread_create (pthread_t * thread, const pthread_attr_t * how,
    void *(*run) (void *), void *data);
int __wrap_pthread_create (pthread_t * thread, const pthread_attr_t * how,
    void *(*run) (void *), void *data);

static int allowed = -1;        /* threads that may start; -1 = any number */
static int made;
static int refused;

int
__wrap_pthread_create (pthread_t * thread, const pthread_attr_t * how,
    void *(*run) (void *), void *data)
{
  if (allowed >= 0 && made >= allowed) {
    refused++;
    return EAGAIN;
  }
  made++;
  return __real_pthread_create (thread, how, run, data);
}

static int warnings;
static char warning[512];

static void
note_warning (StereoLogLevel level, const char *text, void *user_data)
{
  CHECK (user_data == &warnings);
  if (level != STEREO_LOG_WARNING)
    return;
  warnings++;
  snprintf (warning, sizeof (warning), "%s", text);
}

static void
begin_test (int threads)
{
  allowed = threads;
  made = refused = warnings = 0;
  warning[0] = '\0';
  stereo_pool_enter ();
}

/* -------------------------------------------------------------------- loops */

#define MOST 5000

typedef struct
{
  atomic_int visits[MOST];
  atomic_int inside[STEREO_POOL_MAX];   /* calls per worker index */
  atomic_int last[STEREO_POOL_MAX];
  int n;
  int workers;
  int chunk;
  atomic_int wrong;
} Record;

/* The maximum size of a chunk that begins at an iteration. */
static int
largest_chunk (const Record * r, int begin)
{
  int quarter = (r->n + 4 * r->workers - 1) / (4 * r->workers);
  int chunk = r->chunk > 0 ? r->chunk : quarter;
  int chunks = (r->n - 1) / chunk + 1;
  int workers = chunks < r->workers ? chunks : r->workers;
  int share = (r->n - begin + workers - 1) / workers;

  return share < chunk ? share : chunk;
}

static void
record (const void *context, StereoSpan span)
{
  Record *r = *(Record * const *) context;
  bool known = span.worker >= 0 && span.worker < r->workers;

  if (!known || span.begin < 0 || span.end <= span.begin || span.end > r->n) {
    r->wrong++;
    return;
  }
  r->wrong += atomic_fetch_add (&r->inside[span.worker], 1) != 0;
  r->wrong += span.begin < r->last[span.worker];
  r->wrong += span.end - span.begin != largest_chunk (r, span.begin);
  r->last[span.worker] = span.end;
  for (int i = span.begin; i < span.end; i++)
    r->visits[i]++;
  atomic_fetch_sub (&r->inside[span.worker], 1);
}

static void
check_loop (int workers, int n, int chunk)
{
  SCOPED (free_scoped) Record *r = calloc (1, sizeof (*r));

  REQUIRE (r != NULL);
  r->n = n;
  r->workers = workers;
  r->chunk = chunk;
  stereo_pool_for ((unsigned) workers, n, chunk, record, &r, note_warning,
      &warnings);
  for (int i = 0; i < n; i++)
    r->wrong += r->visits[i] != 1;
  CHECK_INT (r->wrong, ==, 0);
}

TEST (test_loops)
{
  static const int workers[] = { 1, 2, 3, 7, 64, 1024 };
  static const int sizes[] = { 0, 1, 2, 3, 13, 100, 1023, MOST };
  static const int chunks[] = { 0, 1, 2, 8, 999, 1 << 30 };

  begin_test (-1);
  for (size_t w = 0; w < sizeof (workers) / sizeof (workers[0]); w++) {
    for (size_t s = 0; s < sizeof (sizes) / sizeof (sizes[0]); s++) {
      for (size_t c = 0; c < sizeof (chunks) / sizeof (chunks[0]); c++)
        check_loop (workers[w], sizes[s], chunks[c]);
    }
  }
  for (int i = 0; i < 2000; i++)
    check_loop (4, 1 + i % 40, 1);
  CHECK_INT (warnings, ==, 0);
  stereo_pool_leave ();
}

/* Each iteration runs a nested loop. */
static void
nest (const void *context, StereoSpan span)
{
  (void) context;
  for (int i = span.begin; i < span.end; i++)
    check_loop (3, 50 + i, 4);
}

TEST (test_nested)
{
  begin_test (-1);
  stereo_pool_for (4, 40, 1, nest, NULL, NULL, NULL);
  stereo_pool_leave ();
}

static void *
call_often (void *data)
{
  (void) data;
  for (int i = 0; i < 200; i++)
    check_loop (2 + i % 3, 200, i % 5);
  return NULL;
}

/* Concurrent callers need no more threads than one caller. */
TEST (test_callers)
{
  pthread_t callers[16];

  begin_test (-1);
  for (int i = 0; i < 16; i++)
    REQUIRE (__real_pthread_create (&callers[i], NULL, call_often, NULL) == 0);
  for (int i = 0; i < 16; i++)
    pthread_join (callers[i], NULL);
  CHECK_INT (made, <=, 3);
  stereo_pool_leave ();
}

/* ----------------------------------------------------------------- progress */

#define ITERATIONS 500
#define STEPS 50

/* Each iteration computes its numbers from those of the previous one. */
typedef struct
{
  int number[ITERATIONS][STEPS];
  uint32_t progress[ITERATIONS];
} Chain;

static void
run_chain (const void *context, StereoSpan span)
{
  Chain *chain = *(Chain * const *) context;

  for (int i = span.begin; i < span.end; i++) {
    for (unsigned s = 0; s < STEPS; s++) {
      if (i > 0)
        stereo_progress_wait (&chain->progress[i - 1], s + 1);
      chain->number[i][s] = i > 0 ? chain->number[i - 1][s] + 1 : 1;
      stereo_progress_reach (&chain->progress[i], s + 1);
    }
  }
}

static void *
check_chain (void *data)
{
  const unsigned workers = *(const unsigned *) data;
  Chain *chain = calloc (1, sizeof (*chain));
  int wrong = 0;

  if (chain == NULL)
    abort ();
  stereo_pool_for (workers, ITERATIONS, 1, run_chain, &chain, NULL, NULL);
  for (int i = 0; i < ITERATIONS; i++)
    wrong += chain->number[i][STEPS - 1] != i + 1;
  CHECK_INT (wrong, ==, 0);
  free (chain);
  return NULL;
}

/* With all, fewer or no threads, and many callers. */
TEST (test_waiting_for_earlier_ones)
{
  static unsigned workers[] = { 1, 2, 3, 8, 64 };
  enum { N = sizeof (workers) / sizeof (workers[0]) };
  pthread_t callers[N];

  for (int threads = -1; threads < 3; threads++) {
    begin_test (threads);
    for (int i = 0; i < N; i++)
      check_chain (&workers[i]);
    for (int i = 0; i < N; i++)
      REQUIRE (__real_pthread_create (&callers[i], NULL, check_chain,
              &workers[i]) == 0);
    for (int i = 0; i < N; i++)
      pthread_join (callers[i], NULL);
    stereo_pool_leave ();
  }
  allowed = -1;
}

/* -------------------------------------------------------- threads that fail */

TEST (test_too_few_threads)
{
  for (int threads = 0; threads < 4; threads++) {
    begin_test (threads);
    check_loop (200, 1000, 1);
    check_loop (200, 1000, 0);
    check_loop (300, 1000, 0);
    CHECK_INT (made, ==, threads);
    CHECK_INT (refused, ==, 1);
    CHECK_INT (warnings, ==, 1);
    CHECK_CONTAINS (warning, "of 200 threads");
    CHECK_CONTAINS (warning, strerror (EAGAIN));
    stereo_pool_leave ();
  }

  /* without a log function */
  begin_test (0);
  stereo_pool_for (200, 0, 1, record, NULL, NULL, NULL);
  stereo_pool_leave ();
  allowed = -1;
}

/* Work of the first kind is independent; in others, threads wait for each
 * other. */
static const struct
{
  const char *algorithm;
  StereoSimd simd;
  unsigned paths;               /* with predecessors=1; 0: predecessors=3 */
} matchers[] = {
  {"vcbw", STEREO_SIMD_NONE, 0},
  {"sgm", STEREO_SIMD_AUTO, 0},
  {"sgm", STEREO_SIMD_AUTO, 4},
  {"sgm", STEREO_SIMD_AUTO, 8},
};
#define N_MATCHERS (sizeof (matchers) / sizeof (matchers[0]))

/* The map of one pair from matcher m with this number of threads. */
static void
match (size_t m, unsigned threads, uint16_t map[60][80])
{
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  SCOPED (stereo_matcher_free) StereoMatcher *matcher = NULL;
  SCOPED (stereo_params_free) StereoParams *params = NULL;
  const StereoAlgorithm *algorithm =
      stereo_algorithm_find (matchers[m].algorithm);
  StereoMatcherConfig config = { sizeof (config),.width = 80,.height = 60 };
  static uint8_t views[2][60][80];
  StereoImage image[3] = { {0}, {0}, {0} };

  for (int y = 0; y < 60; y++) {
    for (int x = 0; x < 80; x++) {
      views[0][y][x] = (uint8_t) (x * x * 7 + y * 31 + x * y);
      views[1][y][x] = (uint8_t) ((x + 5) * (x + 5) * 7 + y * 31 + (x + 5)
          * y);
    }
  }
  config.left = config.right = STEREO_FORMAT_GRAY8;
  config.output = STEREO_FORMAT_GRAY16_LE;
  for (int i = 0; i < 3; i++) {
    image[i].format = i < 2 ? STEREO_FORMAT_GRAY8 : STEREO_FORMAT_GRAY16_LE;
    image[i].width = 80;
    image[i].height = 60;
    image[i].plane[0] = i < 2 ? (void *) views[i] : map;
    image[i].stride[0] = i < 2 ? 80 : 160;
  }
  REQUIRE (stereo_device_new_cpu (threads, matchers[m].simd, &device, NULL)
      == STEREO_OK);
  stereo_device_set_log (device, note_warning, &warnings);
  REQUIRE (stereo_matcher_new (algorithm, device, &matcher) == STEREO_OK);
  REQUIRE (stereo_params_new (algorithm, &params) == STEREO_OK);
  if (matchers[m].paths > 0) {
    CHECK_INT (stereo_params_set (params, "predecessors", 1, NULL), ==,
        STEREO_OK);
    CHECK_INT (stereo_params_set (params, "paths", matchers[m].paths, NULL),
        ==, STEREO_OK);
  }
  REQUIRE (stereo_matcher_configure (matcher, &config, params) == STEREO_OK);
  for (int i = 0; i < 2; i++)
    REQUIRE (stereo_matcher_process (matcher, &image[0], &image[1], &image[2],
            NULL) == STEREO_OK);
}

TEST (test_matcher_without_threads)
{
  static uint16_t alone[60][80], many[60][80], few[60][80];

  for (size_t m = 0; m < N_MATCHERS; m++) {
    allowed = -1;
    made = refused = warnings = 0;
    match (m, 1, alone);
    CHECK_INT (made, ==, 0);
    match (m, 50, many);
    CHECK_INT (made, >, 0);
    CHECK_INT (warnings, ==, 0);
    CHECK (memcmp (alone, many, sizeof (alone)) == 0);

    allowed = 2;
    made = 0;
    match (m, 50, few);
    CHECK_INT (warnings, ==, 1);
    CHECK (memcmp (alone, few, sizeof (alone)) == 0);
  }
  allowed = -1;
}

/* --------------------------------------------------------- how threads live */

/* The system may list a joined thread for a short time. */
static int
wait_for_threads (int expected)
{
  int n;

  for (int i = 0; (n = process_threads ()) > expected && i < 1000; i++)
    process_sleep (0.001);
  return n;
}

TEST (test_threads_end)
{
  /* those of earlier tests; a sanitizer has one of its own */
  int before = wait_for_threads (1);

  if (getenv ("STEREO_EMULATED") != NULL)
    SKIP ("the emulator creates threads");
  if (before < 0)
    SKIP ("threads cannot be counted");
  for (int i = 0; i < 20; i++) {
    begin_test (-1);
    stereo_pool_enter ();
    check_loop (8, 100, 1);
    CHECK_INT (made, ==, 7);
    stereo_pool_leave ();
    CHECK_INT (process_threads (), ==, before + 7);
    stereo_pool_leave ();
    CHECK_INT (wait_for_threads (before), ==, before);
  }
}

/* Threads without work sleep, sooner or later on a busy machine. */
TEST (test_idle)
{
  double used = 1;

  begin_test (-1);
  check_loop (64, MOST, 1);
  /* Windows counts in ticks of up to 16 ms */
  for (int i = 0; i < 100 && used >= 0.05; i++) {
    double before = process_cpu_seconds ();

    process_sleep (0.3);
    used = process_cpu_seconds () - before;
  }
  CHECK_DOUBLE (used, <, 0.05);
  stereo_pool_leave ();
}

static bool
run_in_child (void)
{
  made = 0;
  check_loop (4, 1000, 1);
  CHECK_INT (made, ==, 3);
  stereo_pool_leave ();
  return test_failures == 0;
}

/* A forked child has no threads of its parent and creates its own. */
TEST (test_fork)
{
  if (getenv ("STEREO_EMULATED") != NULL)
    SKIP ("the emulator aborts in a child that makes threads");
  if (!process_can_fork ())
    SKIP ("no fork(), or no threads in a child");
  begin_test (-1);
  check_loop (4, 1000, 1);
  CHECK (process_fork (run_in_child));
  check_loop (4, 1000, 1);
  CHECK_INT (made, ==, 3);
  stereo_pool_leave ();
}

TEST_MAIN ()
