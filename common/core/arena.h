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

/* The least multiple that is not below the value. */
static inline size_t
stereo_round_up (size_t value, size_t multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

#define STEREO_ARENA_ALIGNMENT 256
#define STEREO_ARENA_MAX 128

typedef struct
{
  size_t size;                  /* bytes that all buffers need */
  size_t next;                  /* where the next one begins */
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

/* Lets the next buffer begin at `place`, which was arena->next at some time:
 * for buffers that are never in use at the same time as those declared since
 * then.  Reaching beyond those is the way back. */
void stereo_arena_go_to (StereoArena * arena, size_t place);

/* Sets all pointers into memory, which is aligned and has arena->size bytes. */
void stereo_arena_bind (StereoArena * arena, void *memory);

/* A sub-arena: hands out pieces of a buffer that is there already, such as what
 * a thread works with; without memory it just counts. */
typedef struct
{
  uint8_t *memory;              /* aligned like an arena */
  size_t size;                  /* bytes handed out so far */
} StereoSubArena;

#define STEREO_SUB_ARENA_ALIGNMENT 64

static inline void *
stereo_take (StereoSubArena * arena, size_t count,
    size_t element_size)
{
  size_t offset = arena->size;

  arena->size += stereo_round_up (count * element_size,
      STEREO_SUB_ARENA_ALIGNMENT);
  return arena->memory != NULL ? arena->memory + offset : NULL;
}

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ARENA_H */
