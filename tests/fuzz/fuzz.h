/* gst-stereomatching: common declarations of the fuzz targets
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Each fuzz target defines LLVMFuzzerTestOneInput().  Without libFuzzer,
 * replay.c calls it with the files of the corpus, or with random bytes.  It
 * returns 0; an error ends the process.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

__attribute__ ((visibility ("default")))
int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/* Operations on streams so far, counted by targets that run elements. */
__attribute__ ((weak)) unsigned long fuzz_operations;

/* Bytes to read in sequence; zeros follow the last one. */
typedef struct
{
  const uint8_t *data;
  size_t size;
} FuzzInput;

static inline unsigned
fuzz_byte (FuzzInput * input)
{
  if (input->size == 0)
    return 0;
  input->size--;
  return *input->data++;
}

static inline uint32_t
fuzz_word (FuzzInput * input)
{
  uint32_t word = 0;

  for (int i = 0; i < 4; i++)
    word |= (uint32_t) fuzz_byte (input) << 8 * i;
  return word;
}

#endif /* FUZZ_H */
