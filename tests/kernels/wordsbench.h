/* gst-stereomatching: tests of words on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compares the words of a stage table with an oracle, and measures them. */

#ifndef WORDSBENCH_H
#define WORDSBENCH_H

#include "cost/words.h"
#include "stagebench.h"

/* A view of a test. */
typedef struct
{
  const uint8_t *pixels;
  int width;
  int height;
  int channels;
} WordsView;

/* The words under test. */
typedef struct
{
  const char *stages;
  const StereoNetwork *network;
  uint32_t (*oracle) (const StereoNetwork * network, const WordsView * view,
      int x, int y);
} WordsCase;

static const int words_sizes[][2] = {
  {1, 1}, {1, 2}, {2, 1}, {1, 19}, {19, 1}, {2, 2}, {3, 3}, {5, 4}, {31, 7},
  {63, 9}, {64, 8}, {65, 17}, {130, 35}, {700, 11}
};

#define N_WORDS_SIZES (sizeof (words_sizes) / sizeof (words_sizes[0]))

/* Luma with a repeated border. */
static inline int
words_oracle_luma (const WordsView * v, int x, int y)
{
  const uint8_t *pixel;

  x = x < 0 ? 0 : x >= v->width ? v->width - 1 : x;
  y = y < 0 ? 0 : y >= v->height ? v->height - 1 : y;
  pixel = v->pixels + (y * v->width + x) * v->channels;
  return v->channels == 1 ? pixel[0] : (int) (0.29890441 * pixel[0]
      + 0.58700562 * pixel[1] + 0.11399842 * pixel[2] + 0.5);
}

static inline uint32_t
words_oracle_gradient (const WordsView * v, int x, int y)
{
  return (uint32_t) (words_oracle_luma (v, x + 1, y)
      - words_oracle_luma (v, x - 1, y) + 256) / 2;
}

static inline uint32_t
words_oracle_census (const StereoNetwork * network, const WordsView * view,
    int x, int y)
{
  uint32_t word = 0;
  int n = 0;

  (void) network;
  for (int v = y - 2; v <= y + 2; v++) {
    for (int u = x - 2; u <= x + 2; u++) {
      if (u != x || v != y)
        word |= (uint32_t) (words_oracle_luma (view, u, v)
            < words_oracle_luma (view, x, y)) << n++;
    }
  }
  return word | words_oracle_gradient (view, x, y) << 24;
}

/* The word of a pixel in a copy of the device's memory. */
static inline uint32_t
words_at (const StageBench * b, const StereoWords * words, const uint8_t * at,
    const uint8_t * copy, int x, int y)
{
  uint32_t word = 0;

  for (int i = 0; i < (b->cuda ? 1 : 4); i++) {
    const uint8_t *row = copy + (words->plane[i] - at)
        + (size_t) y * words->stride;

    if (b->cuda)
      memcpy (&word, row + 4 * x, 4);
    else
      word |= (uint32_t) row[x] << (8 * i);
  }
  return word;
}

/* Compares the words of view i, whose rows may be reversed. */
static inline void
words_compare (const StageBench * b, const WordsCase * c,
    const WordsView * view, int i, void *memory, bool mirrored)
{
  const StereoWordsStages *stages = b->device->klass->stages (b->device,
      c->stages);
  const int width = view->width, height = view->height;
  const size_t bytes = stages->bytes (width, height);
  const StereoWords words = stages->layout (width, height, memory);
  SCOPED (free_scoped) uint8_t *copy = malloc (bytes);

  REQUIRE (copy != NULL);
  stagebench_down (b, copy, memory, bytes);
  for (int p = 0; p < width * height; p++) {
    const int x = p % width, y = p / width;
    const uint32_t got = words_at (b, &words, memory, copy, x, y);
    const uint32_t expected = c->oracle (c->network, view, mirrored
        ? width - 1 - x : x, y);

    if (got == expected)
      continue;
    fprintf (stderr, "%s, %s, %dx%d, %d channels, view %d%s: the word at "
        "(%d, %d) is %08x, not %08x\n", c->stages,
        stereo_device_name (b->device), width, height, view->channels, i,
        mirrored ? ", mirrored" : "", x, y, got, expected);
    test_failures++;
    break;
  }
}

static inline void
words_check (const StageBench * b, const WordsCase * c,
    const WordsView v[2])
{
  const StereoWordsStages *stages = b->device->klass->stages (b->device,
      c->stages);
  const int width = v->width, height = v->height;
  StereoWordsSource source = {
    .width = width,.height = height,.channels = v->channels,
    .network = c->network
  };
  void *memory[2];
  size_t bytes;

  REQUIRE (stages != NULL);
  bytes = stages->bytes (width, height);
  for (int i = 0; i < 2; i++) {
    source.views[i] = stagebench_view (b, v[i].pixels, width, height,
        v->channels);
    memory[i] = stagebench_up (b, NULL, bytes);
  }
  CHECK_INT (stages->make (b->queue, &source, memory), ==, STEREO_OK);
  stagebench_finish (b);
  for (int i = 0; i < 2; i++) {
    StereoWords words = stages->layout (width, height, memory[i]);

    CHECK_INT (((uintptr_t) words.plane[0] - (uintptr_t) memory[i])
        % (b->cuda ? 256 : 64), ==, 0);
    CHECK_INT (words.stride % (b->cuda ? 256 : 64), ==, 0);
    words_compare (b, c, &v[i], i, memory[i], false);
  }
  /* in place, and back */
  for (int k = 0; k < 2; k++) {
    CHECK_INT (stages->mirror (b->queue, width, height, memory), ==,
        STEREO_OK);
    stagebench_finish (b);
    for (int i = 0; i < 2; i++)
      words_compare (b, c, &v[i], i, memory[i], k == 0);
  }
  for (int i = 0; i < 2; i++) {
    stagebench_free (b, memory[i]);
    stagebench_free (b, source.views[i].plane[0]);
  }
}

/* Noise between a lowest and a highest level. */
static inline void
words_check_noise (const StageBench * b, const WordsCase * c,
    const int size[2], int channels, int lowest, int highest, Random * random)
{
  const int n = size[0] * size[1] * channels;
  WordsView views[2];
  uint8_t *pixels[2];

  for (int v = 0; v < 2; v++) {
    pixels[v] = malloc ((size_t) n);
    REQUIRE (pixels[v] != NULL);
    for (int k = 0; k < n; k++)
      pixels[v][k] = (uint8_t) random_range (random, lowest, highest);
    views[v] = (WordsView) { pixels[v], size[0], size[1], channels };
  }
  words_check (b, c, views);
  free (pixels[0]);
  free (pixels[1]);
}

/* Times of both views' words. */
static inline void
words_bench (const WordsCase * c, size_t device, int width, int height)
{
  SCOPED (free_scoped) uint8_t *pixels = malloc ((size_t) (3 * width * height));
  StageBench b = stagebench_open (device);
  const StereoWordsStages *stages = b.device->klass->stages (b.device,
      c->stages);
  const int runs = b.cuda ? 50 : 2;
  Random random = { 4 };

  REQUIRE (pixels != NULL);
  for (int i = 0; i < 3 * width * height; i++)
    pixels[i] = (uint8_t) random_next (&random);
  for (int channels = 1; channels <= 3; channels += 2) {
    StereoView view = stagebench_view (&b, pixels, width, height, channels);
    const StereoWordsSource source = { width, height, channels, {view, view},
      c->network
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

#endif /* WORDSBENCH_H */
