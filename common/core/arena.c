/* gst-stereomatching: one allocation for many buffers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/arena.h"

void
stereo_arena_reset (StereoArena * arena)
{
  arena->size = arena->next = 0;
  arena->n_buffers = 0;
  arena->overflow = false;
}

void
stereo_arena_add (StereoArena * arena, void **pointer, size_t count,
    size_t element_size)
{
  const size_t limit = SIZE_MAX / 2;
  size_t bytes;

  *pointer = NULL;
  if (arena->overflow)
    return;
  if (arena->n_buffers == STEREO_ARENA_MAX
      || (element_size != 0 && count > limit / element_size)) {
    arena->overflow = true;
    return;
  }

  bytes = count * element_size;
  if (bytes > limit - arena->next - STEREO_ARENA_ALIGNMENT) {
    arena->overflow = true;
    return;
  }

  arena->buffers[arena->n_buffers].pointer = pointer;
  arena->buffers[arena->n_buffers].offset = arena->next;
  arena->n_buffers++;
  arena->next += stereo_round_up (bytes, STEREO_ARENA_ALIGNMENT);
  if (arena->size < arena->next)
    arena->size = arena->next;
}

void
stereo_arena_go_to (StereoArena * arena, size_t place)
{
  arena->next = place;
}

void
stereo_arena_go_beyond (StereoArena * arena, size_t end)
{
  if (arena->next < end)
    arena->next = end;
}

void
stereo_arena_bind (StereoArena * arena, void *memory)
{
  for (unsigned i = 0; i < arena->n_buffers; i++)
    *arena->buffers[i].pointer = (char *) memory + arena->buffers[i].offset;
}
