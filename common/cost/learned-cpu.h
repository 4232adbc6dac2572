/* gst-stereomatching: rows of the learned cost on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_LEARNED_CPU_H
#define STEREO_LEARNED_CPU_H

#include "cost/learned.h"
#include "cost/words-cpu.h"

/* Functions of type StereoWordsRow, per instruction set.  vnni and dotprod: dot
 * products of bytes, extensions of AVX-512 and of 64-bit ARM. */
#define STEREO_LEARNED_ROW(name) \
  void stereo_learned_row_##name (const StereoNetwork * network, int width, \
      const uint8_t * const line[5], uint8_t * const target[3]);
STEREO_LEARNED_ROW (plain)
STEREO_LEARNED_ROW (generic)
STEREO_LEARNED_ROW (avx2)
STEREO_LEARNED_ROW (avx512)
STEREO_LEARNED_ROW (vnni)
STEREO_LEARNED_ROW (dotprod)

#endif /* STEREO_LEARNED_CPU_H */
