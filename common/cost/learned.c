/* gst-stereomatching: words of the learned cost on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/learned-cpu.h"

#include "core/cpu.h"
#include "core/platform.h"
#include "cost/learned-formula.h"
#include "simd/select.h"

/* The 24 bits of a pixel. */
static uint32_t
learned_bits (const StereoNetwork * n, int x, const uint8_t * const line[5])
{
  int d[STEREO_NETWORK_INPUTS], h[STEREO_NETWORK_HIDDEN];
  uint32_t bits = 0;

  for (int q = 0; q < STEREO_NETWORK_INPUTS; q++)
    d[q] = stereo_network_input (line[STEREO_WORDS_BORDER
            + stereo_network_row (q)][x + stereo_network_column (q)],
        line[STEREO_WORDS_BORDER][x]);
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++) {
    int sum = stereo_network_start (n->b1[j], n->shift);

    for (int q = 0; q < STEREO_NETWORK_INPUTS; q++)
      sum += n->w1[j][q] * d[q];
    h[j] = stereo_network_hidden (sum, n->shift);
  }
  for (int c = 0; c < STEREO_NETWORK_BITS; c++) {
    int sum = n->b2[c];

    for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++)
      sum += n->w2[c][j] * h[j];
    bits |= (uint32_t) (sum > 0) << c;
  }
  return bits;
}

void
stereo_learned_row_plain (const StereoNetwork * network, int width,
    const uint8_t * const line[5], uint8_t * const target[3])
{
  for (int x = 0; x < width; x++) {
    const uint32_t bits = learned_bits (network, x, line);

    for (int i = 0; i < 3; i++)
      target[i][x] = (uint8_t) (bits >> (8 * i));
  }
}

/* ------------------------------------------------------------------- stages */

#define LEARNED_STAGES(name) \
  static StereoStatus \
  learned_make_##name (StereoQueue * queue, const StereoWordsSource * source, \
      void *const memory[2]) \
  { \
    return stereo_words_make_cpu (queue, source, memory, \
        stereo_learned_row_##name); \
  } \
  static const StereoWordsStages learned_##name = { \
    .bytes = stereo_words_bytes_cpu, \
    .layout = stereo_words_layout_cpu, \
    .make = learned_make_##name, \
    .mirror = stereo_words_mirror_cpu, \
  };

LEARNED_STAGES (plain)
LEARNED_STAGES (generic)
#ifdef STEREO_X86
LEARNED_STAGES (avx2)
LEARNED_STAGES (avx512)
LEARNED_STAGES (vnni)
#endif
#ifdef STEREO_DOTPROD
LEARNED_STAGES (dotprod)
#endif

const void *
stereo_learned_stages_cpu (StereoSimd simd)
{
#ifdef STEREO_X86
  if (simd == STEREO_SIMD_AVX512 && stereo_cpu_has_vnni ())
    return &learned_vnni;
#endif
#ifdef STEREO_DOTPROD
  if (simd == STEREO_SIMD_GENERIC && stereo_processor_has_dotprod ())
    return &learned_dotprod;
#endif
  return STEREO_SIMD_SELECT (simd, learned_plain, learned_);
}
