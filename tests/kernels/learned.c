/* gst-stereomatching: tests of the learned cost on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The words of all devices and of all vector functions against those of an
 * oracle, which evaluates the network in 64 bits, for the network of the
 * library and for random ones at the limits of what a file may contain.
 */

#include "cost/learned-cpu.h"

#include "core/cpu.h"
#include "core/platform.h"
#include "wordsbench.h"

#define INPUTS STEREO_NETWORK_INPUTS
#define HIDDEN STEREO_NETWORK_HIDDEN
#define BITS STEREO_NETWORK_BITS

static int64_t
clamp (int64_t v, int64_t lowest, int64_t highest)
{
  return v < lowest ? lowest : v > highest ? highest : v;
}

/* Division by 2^shift, towards minus infinity. */
static int64_t
floor_shift (int64_t v, int shift)
{
  const int64_t unit = INT64_C (1) << shift;

  return v >= 0 ? v / unit : -((unit - 1 - v) / unit);
}

static uint32_t
oracle_word (const StereoNetwork * n, const WordsView * view, int x, int y)
{
  const int center = words_oracle_luma (view, x, y);
  int64_t d[INPUTS], h[HIDDEN];
  uint32_t word = words_oracle_gradient (view, x, y) << 24;
  int q = 0;

  for (int v = -2; v <= 2; v++) {
    for (int u = -2; u <= 2; u++) {
      const int64_t e = clamp (words_oracle_luma (view, x + u, y + v)
          - center, -4, 4);

      if (u != 0 || v != 0)
        d[q++] = clamp (32 * e, -127, 127);
    }
  }
  for (int j = 0; j < HIDDEN; j++) {
    int64_t sum = n->b1[j] + (INT64_C (1) << n->shift) / 2;

    for (q = 0; q < INPUTS; q++)
      sum += n->w1[j][q] * d[q];
    h[j] = clamp (floor_shift (sum, n->shift), 0, 127);
  }
  for (int c = 0; c < BITS; c++) {
    int64_t sum = n->b2[c];

    for (int j = 0; j < HIDDEN; j++)
      sum += n->w2[c][j] * h[j];
    if (sum > 0)
      word |= UINT32_C (1) << c;
  }
  return word;
}

/* ----------------------------------------------------------------- networks */

typedef enum
{
  ORDINARY,                     /* weights as after training */
  EXTREME,                      /* sums of the first layer up to the limit */
  LARGE,                        /* weights of +-127 in both layers */
  N_KINDS
} NetworkKind;

static int
random_weight (Random * random, NetworkKind kind)
{
  if (kind == LARGE)
    return random_range (random, 0, 1) ? 127 : -127;
  if (kind == EXTREME && random_range (random, 0, 9) == 0)
    return random_range (random, -127, 127);
  return random_range (random, -12, 12);
}

/* A network whose sums fit 16 bits: the largest bias that they leave, or a
 * small one. */
static StereoNetwork
random_network (Random * random, NetworkKind kind)
{
  StereoNetwork n = {.shift = kind == ORDINARY ? 6
        : random_range (random, STEREO_NETWORK_MIN_SHIFT,
        STEREO_NETWORK_MAX_SHIFT) };

  for (int j = 0; j < HIDDEN; j++) {
    int left = STEREO_NETWORK_MAX_SUM - (1 << n.shift) / 2;

    for (int q = 0; q < INPUTS; q++) {
      const int w = random_weight (random, kind);

      if (127 * abs (w) > left)
        continue;
      n.w1[j][q] = (int8_t) w;
      left -= 127 * abs (w);
    }
    n.b1[j] = kind == EXTREME ? (j % 2 ? left : -left)
        : left < 300 ? 0 : random_range (random, -300, 300);
  }
  for (int c = 0; c < BITS; c++) {
    for (int j = 0; j < HIDDEN; j++)
      n.w2[c][j] = (int8_t) random_weight (random, kind);
    n.b2[c] = random_range (random, -500, 500);
  }
  return n;
}

/* h_j is -d_j where a neighbour is darker, and sets bit j. */
static StereoNetwork
census_network (void)
{
  StereoNetwork n = {.shift = 6 };

  for (int c = 0; c < BITS; c++) {
    n.w1[c][c] = -64;
    n.w2[c][c] = 1;
  }
  return n;
}

/* -------------------------------------------------------------------- tests */

/* Noise, weak texture, constant and saturated images. */
static const int levels[][2] = { {0, 255}, {100, 106}, {7, 7}, {0, 0},
{255, 255}, {250, 255} };

#define N_LEVELS (sizeof (levels) / sizeof (levels[0]))

TEST (test_words)
{
  Random random = { 1 };

  for (size_t d = 0; d < devices_count (); d++) {
    StageBench b = stagebench_open (d);

    for (size_t i = 0; i < N_WORDS_SIZES; i++) {
      for (int kind = 0; kind <= N_KINDS; kind++) {
        const StereoNetwork n = kind < N_KINDS ? random_network (&random,
            (NetworkKind) kind) : stereo_network;
        const WordsCase c = { "learned", &n, oracle_word };
        const int *range = levels[(i + (size_t) kind) % N_LEVELS];

        words_check_noise (&b, &c, words_sizes[i], 1, 0, 255, &random);
        words_check_noise (&b, &c, words_sizes[i], kind % 2 ? 1 : 3, range[0],
            range[1], &random);
      }
    }
    stagebench_close (&b);
  }
}

/* The census is one of the networks. */
TEST (test_census)
{
  const StereoNetwork n = census_network ();
  const WordsCase c = { "learned", &n, words_oracle_census };
  Random random = { 2 };

  for (size_t d = 0; d < devices_count (); d++) {
    StageBench b = stagebench_open (d);

    for (size_t i = 0; i < N_WORDS_SIZES; i++)
      words_check_noise (&b, &c, words_sizes[i], 1, 0, i % 2 ? 255 : 5,
          &random);
    stagebench_close (&b);
  }
}

/* A device has one vector function; a machine may support more. */
static const struct
{
  const char *name;
  StereoSimd simd;
  bool (*has_extension) (void); /* or NULL */
  StereoWordsRow make;
} rows[] = {
  {"generic", STEREO_SIMD_GENERIC, NULL, stereo_learned_row_generic},
#ifdef STEREO_X86
  {"avx2", STEREO_SIMD_AVX2, NULL, stereo_learned_row_avx2},
  {"avx512", STEREO_SIMD_AVX512, NULL, stereo_learned_row_avx512},
  {"vnni", STEREO_SIMD_AVX512, stereo_cpu_has_vnni, stereo_learned_row_vnni},
#endif
#ifdef STEREO_DOTPROD
  {"dotprod", STEREO_SIMD_GENERIC, stereo_processor_has_dotprod,
      stereo_learned_row_dotprod},
#endif
};

#define N_ROWS (sizeof (rows) / sizeof (rows[0]))
#define ROW 192

static bool
row_available (size_t r)
{
  return stereo_simd_available (rows[r].simd)
      && (rows[r].has_extension == NULL || rows[r].has_extension ());
}

/* Fills five lines, and the targets' rows. */
static void
make_lines (Random * random, int highest, uint8_t memory[5][ROW + 128],
    const uint8_t * line[5])
{
  for (int i = 0; i < 5; i++) {
    for (int x = 0; x < ROW + 128; x++)
      memory[i][x] = (uint8_t) random_range (random, 0, highest);
    line[i] = memory[i] + 64;
  }
}

TEST (test_rows)
{
  Random random = { 3 };
  uint8_t memory[5][ROW + 128], expected[3][ROW], got[3][ROW];
  uint8_t *const wanted[3] = { expected[0], expected[1], expected[2] };
  uint8_t *const target[3] = { got[0], got[1], got[2] };
  const uint8_t *line[5];

  for (int i = 0; i < 60; i++) {
    const StereoNetwork n = random_network (&random,
        (NetworkKind) (i % N_KINDS));

    make_lines (&random, i % 4 ? 255 : 6, memory, line);
    stereo_learned_row_plain (&n, ROW, line, wanted);
    for (size_t r = 0; r < N_ROWS; r++) {
      if (!row_available (r))
        continue;
      memset (got, 0x5a, sizeof (got));
      rows[r].make (&n, ROW, line, target);
      if (memcmp (got, expected, sizeof (got)) == 0)
        continue;
      fprintf (stderr, "%s: another row in case %d\n", rows[r].name, i);
      test_failures++;
    }
  }
}

/* ------------------------------------------------------------------- bench */

static void
bench_rows (int width, int height)
{
  SCOPED (free_scoped) uint8_t *memory = calloc (8, (size_t) width + 256);
  uint8_t *target[3];
  const uint8_t *line[5];
  const size_t stride = (size_t) width + 256;

  REQUIRE (memory != NULL);
  for (size_t i = 0; i < 5; i++)
    line[i] = memory + i * stride + 64;
  for (size_t i = 0; i < 3; i++)
    target[i] = memory + (5 + i) * stride + 64;
  for (size_t r = 0; r < N_ROWS; r++) {
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < 5 && row_available (r); i++) {
      const uint64_t begin = stereo_clock_ns ();

      for (int y = 0; y < height; y++)
        rows[r].make (&stereo_network, width, line, target);
      best = stereo_clock_ns () - begin < best ? stereo_clock_ns () - begin
          : best;
    }
    if (best != UINT64_MAX)
      printf ("%-28s %4dx%-4d one view, one thread: min %9.2f us\n",
          rows[r].name, width, height, (double) best / 1e3);
  }
}

static void
bench_learned (size_t device, int width, int height)
{
  const WordsCase c = { "learned", &stereo_network, NULL };

  if (device == 0)
    bench_rows (width, height);
  words_bench (&c, device, width, height);
}

KERNEL_MAIN (bench_devices (bench_learned, argc, argv))
