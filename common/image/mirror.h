/* gst-stereomatching: mirrored rows on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_MIRROR_H
#define STEREO_MIRROR_H

#include <stdint.h>
#include <string.h>

/* Reverses the bytes of a row.  source may be target. */
static inline void
stereo_mirror_row (const uint8_t * source, uint8_t * target, int width)
{
  int i = 0, j = width - 8;

  for (; i + 8 <= j; i += 8, j -= 8) {
    uint64_t a, b;

    memcpy (&a, source + i, 8);
    memcpy (&b, source + j, 8);
    a = __builtin_bswap64 (a);
    b = __builtin_bswap64 (b);
    memcpy (target + i, &b, 8);
    memcpy (target + j, &a, 8);
  }
  for (j += 7; i <= j; i++, j--) {
    const uint8_t a = source[i], b = source[j];

    target[i] = b;
    target[j] = a;
  }
}

#endif /* STEREO_MIRROR_H */
