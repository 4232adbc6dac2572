/* gst-stereomatching: one allocation for many buffers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Buffers are declared one after another with the address of the pointer that
 * shall point to them; nothing is allocated meanwhile.  Once the total is known
 * the owner allocates it in one piece and binds it, which sets the pointers.
 * Every buffer starts at a multiple of STEREO_ARENA_ALIGNMENT bytes.
 */

#ifndef STEREO_ARENA_H
#define STEREO_ARENA_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEREO_ARENA_ALIGNMENT 256
#define STEREO_ARENA_MAX 64

typedef struct
{
  size_t size;                  /* bytes declared so far */
  unsigned n_buffers;
  bool overflow;                /* a size or their number was too big */
  struct
  {
    void **pointer;
    size_t offset;
  } buffers[STEREO_ARENA_MAX];
} StereoArena;

/* Forgets all declarations. */
void stereo_arena_reset (StereoArena * arena);

/* Declares count elements of element_size bytes.  *pointer is set to NULL now
 * and to the buffer by stereo_arena_bind(). */
void stereo_arena_add (StereoArena * arena, void **pointer, size_t count,
    size_t element_size);

/* Sets all pointers into memory, which is aligned and has arena->size bytes. */
void stereo_arena_bind (StereoArena * arena, void *memory);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ARENA_H */
