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
#include "wordsbench.h"

static const WordsCase census = { "census", NULL, words_oracle_census };

static uint32_t
oracle_cost (uint32_t p, uint32_t q)
{
  int levels = abs ((int) (p >> 24) - (int) (q >> 24));
  uint32_t cost = 7 * (uint32_t) (levels < 8 ? levels : 8);

  for (int i = 0; i < 24; i++)
    cost += 8 * ((p >> i & 1) != (q >> i & 1));
  return cost;
}

TEST (test_words)
{
  Random random = { 1 };

  for (size_t d = 0; d < devices_count (); d++) {
    StageBench b = stagebench_open (d);

    for (size_t i = 0; i < N_WORDS_SIZES; i++) {
      for (int channels = 1; channels <= 3; channels += 2)
        words_check_noise (&b, &census, words_sizes[i], channels, 0,
            i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 255, &random);
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

  for (size_t i = 0; i < N_WORDS_SIZES; i++) {
    const int width = words_sizes[i][0], height = words_sizes[i][1];
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
  words_bench (&census, device, width, height);
}

KERNEL_MAIN (bench_devices (bench_census, argc, argv))
