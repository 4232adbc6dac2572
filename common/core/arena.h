/* gst-stereomatching: one allocation for many buffers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Each buffer is declared with the address of its pointer.  The owner then
 * allocates arena->size bytes at once, and stereo_arena_bind() sets all
 * pointers.  Buffers are aligned to STEREO_ARENA_ALIGNMENT bytes.
 */

#ifndef STEREO_ARENA_H
#define STEREO_ARENA_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline size_t
stereo_round_up (size_t value, size_t multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

#define STEREO_ARENA_ALIGNMENT 256
#define STEREO_ARENA_MAX 128

typedef struct
{
  size_t size;                  /* of all buffers, in bytes */
  size_t next;                  /* offset of the next buffer */
  size_t mark;                  /* an earlier value of next */
  unsigned n_buffers;
  bool overflow;                /* too many or too large buffers */
  struct
  {
    void **pointer;
    size_t offset;
  } buffers[STEREO_ARENA_MAX];
} StereoArena;

/* Removes all declarations. */
void stereo_arena_reset (StereoArena * arena);

/* Declares count elements of element_size bytes.  *pointer is set to NULL now
 * and to the buffer by stereo_arena_bind(). */
void stereo_arena_add (StereoArena * arena, void **pointer, size_t count,
    size_t element_size);

/* Remembers the place of the next buffer as arena->mark. */
static inline void
stereo_arena_set_mark (StereoArena * arena)
{
  arena->mark = arena->next;
}

/* Places the next buffer at `place`, an earlier value of arena->next, so that
 * it shares memory with the buffers declared since.  They must not be in use at
 * the same time. */
void stereo_arena_go_to (StereoArena * arena, size_t place);

/* Ends an overlap: places the next buffer at `end`, the value of arena->next
 * before stereo_arena_go_to(), unless it is already farther. */
void stereo_arena_go_beyond (StereoArena * arena, size_t end);

/* Sets all pointers.  memory: arena->size bytes, aligned to
 * STEREO_ARENA_ALIGNMENT */
void stereo_arena_bind (StereoArena * arena, void *memory);

/* Divides an existing buffer, for example the work memory of a thread.  Without
 * memory, it only computes the size. */
typedef struct
{
  uint8_t *memory;              /* aligned like an arena */
  size_t size;                  /* allocated so far, in bytes */
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
