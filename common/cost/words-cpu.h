/* gst-stereomatching: words of pixels on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The part of the stage tables that all costs with words share: memory, luma
 * and the gradient. */

#ifndef STEREO_WORDS_CPU_H
#define STEREO_WORDS_CPU_H

#include "cost/words.h"

/* Rows and columns around a pixel that its bits may depend on. */
#define STEREO_WORDS_BORDER 2

/*
 * Makes the bits of a row: bits 8 i to 8 i + 7 go to target[i].  line[i] is the
 * luma of row y + i - STEREO_WORDS_BORDER.  Rows and columns outside the image
 * repeat its border.  A vector may be loaded from columns -2 to 2 of any
 * multiple of SIMD_BYTES in the row, and stored there.
 */
typedef void (*StereoWordsRow) (const StereoNetwork * network, int width,
    const uint8_t * const line[2 * STEREO_WORDS_BORDER + 1],
    uint8_t * const target[3]);

/* bytes(), layout() and mirror() of the table, and the body of make(). */
size_t stereo_words_bytes_cpu (int width, int height);
StereoWords stereo_words_layout_cpu (int width, int height, void *memory);
StereoStatus stereo_words_make_cpu (StereoQueue * queue,
    const StereoWordsSource * source, void *const memory[2],
    StereoWordsRow make_row);
StereoStatus stereo_words_mirror_cpu (StereoQueue * queue, int width,
    int height, void *const memory[2]);

#endif /* STEREO_WORDS_CPU_H */
