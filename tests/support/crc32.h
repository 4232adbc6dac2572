/* gst-stereomatching: checksums of tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of ISO 3309, as zlib has it: continues a sum, which begins with 0. */
static inline uint32_t
test_crc32 (uint32_t sum, const uint8_t * bytes, size_t n)
{
  sum = ~sum;
  for (size_t i = 0; i < n; i++) {
    sum ^= bytes[i];
    for (int bit = 0; bit < 8; bit++)
      sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

#endif /* CRC32_H */
