/* gst-stereomatching: tests of the census cost on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The words of all devices against those of an oracle, and the costs of words
 * against a count, bit by bit.
 */

#include "cost/words.h"

#include "cost/words-formula.h"
#include "cost/cost-simd.h"
#include "cost/difference.h"
#include "cost/partner.h"
#include "stagebench.h"

static const int sizes[][2] = {
  {1, 1}, {1, 2}, {2, 1}, {1, 19}, {19, 1}, {2, 2}, {3, 3}, {5, 4}, {31, 7},
  {63, 9}, {64, 8}, {65, 17}, {130, 35}, {700, 11}
};

#define N_SIZES (sizeof (sizes) / sizeof (sizes[0]))

static int
oracle_luma (const uint8_t * pixels, int width, int height, int channels,
    int x, int y)
{
  x = x < 0 ? 0 : x >= width ? width - 1 : x;
  y = y < 0 ? 0 : y >= height ? height - 1 : y;
  pixels += (y * width + x) * channels;
  return channels == 1 ? pixels[0] : (int) (0.29890441 * pixels[0]
      + 0.58700562 * pixels[1] + 0.11399842 * pixels[2] + 0.5);
}

static uint32_t
oracle_word (const uint8_t * pixels, int width, int height, int channels,
    int x, int y)
{
#define LUMA(u, v) oracle_luma (pixels, width, height, channels, u, v)
  uint32_t word = 0;
  int n = 0;

  for (int v = y - 2; v <= y + 2; v++) {
    for (int u = x - 2; u <= x + 2; u++) {
      if (u == x && v == y)
        continue;
      word |= (uint32_t) (LUMA (u, v) < LUMA (x, y)) << n++;
    }
  }
  return word | (uint32_t) (LUMA (x + 1, y) - LUMA (x - 1, y) + 256) / 2 << 24;
#undef LUMA
}

static uint32_t
oracle_cost (uint32_t p, uint32_t q)
{
  int levels = abs ((int) (p >> 24) - (int) (q >> 24));
  uint32_t cost = 7 * (uint32_t) (levels < 8 ? levels : 8);

  for (int i = 0; i < 24; i++)
    cost += 8 * ((p >> i & 1) != (q >> i & 1));
  return cost;
}

/* The word of a pixel in a copy of the device's memory. */
static uint32_t
word_at (const StageBench * b, const StereoWords * census, const uint8_t * at,
    const uint8_t * copy, int x, int y)
{
  uint32_t word = 0;

  for (int i = 0; i < (b->cuda ? 1 : 4); i++) {
    const uint8_t *row = copy + (census->plane[i] - at)
        + (size_t) y * census->stride;

    if (b->cuda)
      memcpy (&word, row + 4 * x, 4);
    else
      word |= (uint32_t) row[x] << (8 * i);
  }
  return word;
}

static void
check_words (const StageBench * b, int width, int height, int channels,
    uint8_t * const pixels[2])
{
  const StereoWordsStages *stages = b->device->klass->stages (b->device,
      "census");
  StereoWordsSource source = {
    .width = width,.height = height,.channels = channels
  };
  void *memory[2];
  size_t bytes;
  SCOPED (free_scoped) uint8_t *copy = NULL;

  REQUIRE (stages != NULL);
  bytes = stages->bytes (width, height);
  copy = malloc (bytes);
  REQUIRE (copy != NULL);
  for (int i = 0; i < 2; i++) {
    source.views[i] = stagebench_view (b, pixels[i], width, height, channels);
    memory[i] = stagebench_up (b, NULL, bytes);
  }
  CHECK_INT (stages->make (b->queue, &source, memory), ==, STEREO_OK);
  stagebench_finish (b);
  for (int i = 0; i < 2; i++) {
    StereoWords census = stages->layout (width, height, memory[i]);

    CHECK_INT (((uintptr_t) census.plane[0] - (uintptr_t) memory[i])
        % (b->cuda ? 256 : 64), ==, 0);
    CHECK_INT (census.stride % (b->cuda ? 256 : 64), ==, 0);
    stagebench_down (b, copy, memory[i], bytes);
    for (int p = 0; p < width * height; p++) {
      const uint32_t got = word_at (b, &census, memory[i], copy, p % width,
          p / width);
      const uint32_t expected = oracle_word (pixels[i], width, height,
          channels, p % width, p / width);

      if (got == expected)
        continue;
      fprintf (stderr, "%s, %dx%d, %d channels, view %d: the word at (%d, %d) "
          "is %08x, not %08x\n", stereo_device_name (b->device), width, height,
          channels, i, p % width, p / width, got, expected);
      test_failures++;
      break;
    }
    stagebench_free (b, memory[i]);
    stagebench_free (b, source.views[i].plane[0]);
  }
}

TEST (test_words)
{
  Random random = { 1 };

  for (size_t d = 0; d < devices_count (); d++) {
    StageBench b = stagebench_open (d);

    for (size_t i = 0; i < N_SIZES; i++) {
      for (int channels = 1; channels <= 3; channels += 2) {
        const int n = sizes[i][0] * sizes[i][1] * channels;
        const int range = i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 255;
        uint8_t *pixels[2];

        for (int v = 0; v < 2; v++) {
          pixels[v] = malloc ((size_t) n);
          REQUIRE (pixels[v] != NULL);
          for (int k = 0; k < n; k++)
            pixels[v][k] = (uint8_t) random_range (&random, 0, range);
        }
        check_words (&b, sizes[i][0], sizes[i][1], channels, pixels);
        free (pixels[0]);
        free (pixels[1]);
      }
    }
    stagebench_close (&b);
  }
}

TEST (test_cost)
{
  Random random = { 2 };

  CHECK_INT (stereo_words_cost (0, 0xffffffff), ==, STEREO_WORDS_MAX_COST);
  for (int i = 0; i < 100000; i++) {
    uint32_t p = random_next (&random);
    uint32_t q = p ^ (random_next (&random) & random_next (&random));

    CHECK_INT (stereo_words_cost (p, q), ==, oracle_cost (p, q));
  }
}

/* Vectors, at all disparities with a partner. */
TEST (test_vectors)
{
  Random random = { 3 };

  for (size_t i = 0; i < N_SIZES; i++) {
    const int width = sizes[i][0], height = sizes[i][1];
    const size_t stride = ((size_t) width + 63) / 64 * 64 + 64;
    const size_t plane = stride * (size_t) height + 64;
    uint8_t *memory = malloc (8 * plane);
    StereoWords left = {.stride = stride }, right = {.stride = stride };

    REQUIRE (memory != NULL);
    for (size_t k = 0; k < 8 * plane; k++)
      memory[k] = (uint8_t) random_next (&random);
    for (size_t k = 0; k < 4; k++) {
      left.plane[k] = memory + 2 * k * plane + 64;
      right.plane[k] = left.plane[k] + plane;
    }
    for (int d = 1 - width; d < width; d += 1 + width / 40) {
      const int y = random_range (&random, 0, height - 1);
      const int first = stereo_partner_first (d);
      const int last = stereo_partner_last (width, d);
      const ptrdiff_t row = (ptrdiff_t) ((size_t) y * stride);
      VecU8 cost = { 0 };

      for (int x = first; x <= last; x++) {
        const int lane = (x - first) % SIMD_BYTES;

        if (lane == 0)
          cost = simd_words_cost_at (left.plane, row + x, right.plane,
              row + x - d);
        CHECK_INT (cost[lane], ==, oracle_cost (stereo_word_at (&left, x, y),
                stereo_word_at (&right, x - d, y)));
      }
    }
    free (memory);
  }
}

TEST (test_differences)
{
  CHECK_INT (stereo_difference (3, 250), ==, 247);
  CHECK_INT (stereo_difference_sum (0xff0a1405, 0x00141e02), ==, 23);
  CHECK_INT (stereo_difference_max (0xff0a1405, 0x00141e02), ==, 10);
  CHECK_INT (stereo_partner_column (10, 2, 5), ==, 5);
  CHECK_INT (stereo_partner_column (10, 7, -5), ==, 4);
  CHECK_INT (stereo_partner_column (10, 7, 5), ==, 7);
}

static void
bench_census (size_t device, int width, int height)
{
  SCOPED (free_scoped) uint8_t *pixels = malloc ((size_t) (3 * width * height));
  StageBench b = stagebench_open (device);
  const StereoWordsStages *stages = b.device->klass->stages (b.device,
      "census");
  const int runs = b.cuda ? 50 : 2;
  Random random = { 4 };

  REQUIRE (pixels != NULL);
  for (int i = 0; i < 3 * width * height; i++)
    pixels[i] = (uint8_t) random_next (&random);
  for (int channels = 1; channels <= 3; channels += 2) {
    StereoView view = stagebench_view (&b, pixels, width, height, channels);
    const StereoWordsSource source = { width, height, channels, {view, view},
      NULL
    };
    void *memory[2];
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < 2; i++)
      memory[i] = stagebench_up (&b, NULL, stages->bytes (width, height));
    for (int i = 0; i < 10; i++) {
      uint64_t ns;

      stagebench_finish (&b);
      for (int r = 0; r < runs; r++)
        CHECK_INT (stages->make (b.queue, &source, memory), ==, STEREO_OK);
      ns = stagebench_finish (&b);
      best = ns < best ? ns : best;
    }
    printf ("%-28s %4dx%-4d %d channels, both views: min %9.2f us\n",
        stereo_device_name (b.device), width, height, channels,
        (double) best / runs / 1e3);
    for (int i = 0; i < 2; i++)
      stagebench_free (&b, memory[i]);
    stagebench_free (&b, view.plane[0]);
  }
  stagebench_close (&b);
}

KERNEL_MAIN (bench_devices (bench_census, argc, argv))
