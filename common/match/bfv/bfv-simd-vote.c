/* gst-stereomatching: vote of bfv with vector instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The bytes of a word count the votes and those with each bit set (of two words
 * for more than 7 bits).  A row has at most 2 STEREO_BFV_MAX_ARM + 1 votes,
 * which fit a byte; columns are summed in 16 bits, even and odd bytes apart.
 */

#include "match/bfv/bfv-simd.h"

#include "match/bfv/bfv-formula.h"
#include "core/cpu.h"
#include "simd/simd.h"

#define VOTE_BITS 7
#define MAX_VOTE_WORDS 2
#define VOTE_ROWS 64            /* of the image, in a strip */
#define EVEN_BYTES UINT64_C (0x00ff00ff00ff00ff)

static int
vote_words (const StereoBfvConstants * k)
{
  return k->bits > VOTE_BITS ? 2 : 1;
}

/* Byte 0 of word 0 counts votes. */
static uint64_t
spread_vote (uint32_t index, int word)
{
  uint64_t bits = index >> word * VOTE_BITS & ((1u << VOTE_BITS) - 1);

  /* Bit i to bit 8 i + 8 */
  bits = (bits * UINT64_C (0x0000040810204081) & UINT64_C (0x0001010101010101))
      << 8;
  return word == 0 ? bits | 1 : bits;
}

/* Prefix sums of a thread: along a row of the grid, and of even and odd bytes
 * above the rows of a strip. */
typedef struct
{
  uint64_t *prefix;
  uint64_t *above;
} VoteSums;

static int
vote_rows (const StereoBfvConstants * k)
{
  return (VOTE_ROWS + 2 * k->arm_length) / k->sampling_y + 3;
}

static void
allocate_vote_sums (const StereoBfvConstants * k, StereoSubArena * c,
    VoteSums * sums)
{
  size_t words = (size_t) vote_words (k);

  sums->prefix = stereo_take (c, ((size_t) k->grid_width + 1) * words,
      sizeof (uint64_t));
  sums->above = stereo_take (c, (size_t) vote_rows (k) * (size_t) k->width
      * words * 2, sizeof (uint64_t));
}

static size_t
vote_sums_bytes (const StereoBfvConstants * k)
{
  StereoSubArena arena = { NULL, 0 };
  VoteSums sums;

  allocate_vote_sums (k, &arena, &sums);
  return arena.size;
}

typedef struct
{
  const StereoBfvConstants *k;
  const StereoBfvMemory *m;
  const StereoMap *map;
  const StereoBfvVotes *votes;
} VoteJob;

/* Adds the votes on the horizontal arms of grid row v to the sums above it. */
ALWAYS_INLINE void
count_row (const StereoBfvConstants * k, const StereoBfvMemory * m,
    const StereoBfvVotes * votes, int v, int words,
    uint64_t * restrict prefix, const uint64_t * restrict above,
    uint64_t * restrict below)
{
  int width = k->width, step = k->sampling_x;
  const uint32_t *arms = m->left_arms + (size_t) (v * k->sampling_y)
      * (size_t) width;
  const uint16_t *row = votes->index + (size_t) v * (size_t) k->grid_width;
  uint64_t total[MAX_VOTE_WORDS] = { 0 };

  for (int u = 0; u <= k->grid_width; u++) {
    for (int w = 0; w < words; w++)
      prefix[u * words + w] = total[w];
    if (u < k->grid_width && row[u] != STEREO_INVALID) {
      for (int w = 0; w < words; w++)
        total[w] += spread_vote (row[u], w);
    }
  }
  for (int x = 0; x < width; x++) {
    int first = x - (int) (arms[x] & 0xff);
    int end = x + (int) (arms[x] >> 8 & 0xff) + 1;

    if (step > 1) {
      first = (int) ((unsigned) (first + step - 1) / (unsigned) step);
      end = (int) ((unsigned) (end + step - 1) / (unsigned) step);
    }
    for (int w = 0; w < words; w++) {
      int i = 2 * (x * words + w);
      uint64_t sum = prefix[end * words + w] - prefix[first * words + w];

      below[i] = above[i] + (sum & EVEN_BYTES);
      below[i + 1] = above[i + 1] + (sum >> 8 & EVEN_BYTES);
    }
  }
}

/* The code elected between two rows of sums. */
ALWAYS_INLINE uint16_t
count_column (const StereoBfvConstants * k, int words, const uint64_t * above,
    const uint64_t * below)
{
  uint32_t n = (below[0] - above[0]) & 0xffff, index = 0;

  if (n == 0)
    return STEREO_INVALID;
  for (int w = 0; w < words; w++) {
    uint64_t even = below[2 * w] - above[2 * w];
    uint64_t odd = below[2 * w + 1] - above[2 * w + 1];
    uint32_t half = n / 2, bits = 0;

    for (int i = 0; i < 4; i++) {
      bits |= (uint32_t) ((odd >> 16 * i & 0xffff) > half) << 2 * i;
      if (i < 3)
        bits |= (uint32_t) ((even >> 16 * (i + 1) & 0xffff) > half)
            << (2 * i + 1);
    }
    index |= bits << w * VOTE_BITS;
  }
  return (uint16_t) (stereo_bfv_clamp_index (k, index) * (uint32_t) k->unit);
}

/* above: sums above grid row `first`, and above the rows after it. */
ALWAYS_INLINE void
vote_row (const VoteJob * job, int y, int first, int words,
    const uint64_t * above)
{
  const StereoBfvConstants *k = job->k;
  size_t width = (size_t) k->width, stride = width * (size_t) words * 2;
  const uint32_t *arms = job->m->left_arms + (size_t) y * width;
  const uint8_t *mismatch = job->votes->mismatch + (size_t) y * width;
  uint16_t *row = job->map->data + (size_t) y * job->map->stride;
  unsigned step = (unsigned) k->sampling_y;

  for (int x = 0; x < k->width; x++) {
    unsigned from = (unsigned) y - (arms[x] >> 16 & 0xff);
    unsigned to = (unsigned) y + (arms[x] >> 24) + 1;
    const uint64_t *place = above + (size_t) x * (size_t) words * 2;

    if (row[x] != STEREO_INVALID || !mismatch[x])
      continue;
    if (step > 1) {
      from = (from + step - 1) / step;
      to = (to + step - 1) / step;
    }
    row[x] = count_column (k, words, place + (from - (unsigned) first)
        * stride, place + (to - (unsigned) first) * stride);
  }
}

/* Image rows top to bottom - 1. */
ALWAYS_INLINE void
vote_strip (const VoteJob * job, int top, int bottom, int words,
    const VoteSums * sums)
{
  const StereoBfvConstants *k = job->k;
  size_t stride = (size_t) k->width * (size_t) words * 2;
  int step = k->sampling_y;
  /* Rows of the grid */
  int first = top > k->arm_length ? (top - k->arm_length) / step : 0;
  int end = (bottom - 1 + k->arm_length) / step + 1;

  if (end > k->grid_height)
    end = k->grid_height;
  memset (sums->above, 0, stride * sizeof (uint64_t));
  for (int v = first; v < end; v++) {
    uint64_t *above = sums->above + (size_t) (v - first) * stride;

    count_row (k, job->m, job->votes, v, words, sums->prefix, above,
        above + stride);
  }
  for (int y = top; y < bottom; y++)
    vote_row (job, y, first, words, sums->above);
}

static void
vote_strips (const void *context, StereoSpan span)
{
  const VoteJob *job = context;
  const StereoBfvConstants *k = job->k;
  StereoSubArena arena = { job->m->work->memory,
    stereo_bfv_allocate_votes (k, NULL, NULL)
        + (size_t) span.worker * vote_sums_bytes (k)
  };
  VoteSums sums;

  allocate_vote_sums (k, &arena, &sums);
  for (int i = span.begin; i < span.end; i++) {
    int bottom = stereo_clamp_int ((i + 1) * VOTE_ROWS, 0, k->height);

    if (vote_words (k) == 1)
      vote_strip (job, i * VOTE_ROWS, bottom, 1, &sums);
    else
      vote_strip (job, i * VOTE_ROWS, bottom, 2, &sums);
  }
}

size_t
SIMD_NAME (stereo_bfv_vote_bytes_) (const StereoBfvConstants * k,
    unsigned n_threads)
{
  return stereo_bfv_allocate_votes (k, NULL,
      NULL) + n_threads * vote_sums_bytes (k);
}

StereoStatus
SIMD_NAME (stereo_bfv_vote_) (StereoQueue * queue,
    const StereoBfvConstants * k, const StereoBfvMemory * m,
    const StereoWinners * winners, const StereoMap * map)
{
  StereoBfvVotes votes;
  VoteJob job = {.k = k,.m = m,.map = map,.votes = &votes };

  if (k->vote == STEREO_BFV_VOTE_HISTOGRAM)
    return stereo_bfv_vote_cpu (queue, k, m, winners, map);
  stereo_bfv_allocate_votes (k, m->work->memory, &votes);
  stereo_bfv_collect_votes (queue, k, winners, map, &votes);
  stereo_cpu_for (queue, (k->height + VOTE_ROWS - 1) / VOTE_ROWS, 1,
      vote_strips, &job);
  stereo_bfv_fill_border (queue, k, winners, &votes, map);
  return STEREO_OK;
}
