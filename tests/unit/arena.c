/* gst-stereomatching: tests of the arena
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/arena.h"
#include "core/memory.h"
#include "test.h"

static void
free_aligned (char **memory)
{
  stereo_aligned_free (*memory);
}

#define N 20

TEST (test_layout)
{
  static const struct
  {
    size_t count, size;
  } buffers[N] = {
    {1, 1}, {255, 1}, {256, 1}, {257, 1}, {1, 256}, {3, 85}, {3, 86}, {0, 4},
    {4, 0}, {1000, 3}, {64, 4}, {65, 4}, {1, 1}, {2, 2}, {511, 1}, {512, 1},
    {513, 1}, {7, 7}, {100, 100}, {1, 1}
  };
  StereoArena arena;
  void *pointers[N];
  size_t total = 0;
  SCOPED (free_aligned) char *memory = NULL;

  stereo_arena_reset (&arena);
  for (int i = 0; i < N; i++) {
    pointers[i] = &arena;
    stereo_arena_add (&arena, &pointers[i], buffers[i].count,
        buffers[i].size);
    CHECK (pointers[i] == NULL);
    total += buffers[i].count * buffers[i].size;
    CHECK_INT (arena.size, >=, total);
    CHECK_INT (arena.size % STEREO_ARENA_ALIGNMENT, ==, 0);
  }
  CHECK (!arena.overflow);
  /* no more than the alignment is lost for each */
  CHECK_INT (arena.size, <=, total + N * (STEREO_ARENA_ALIGNMENT - 1));

  memory = stereo_aligned_alloc (STEREO_ARENA_ALIGNMENT, arena.size);
  REQUIRE (memory != NULL);
  stereo_arena_bind (&arena, memory);
  for (int i = 0; i < N; i++) {
    size_t bytes = buffers[i].count * buffers[i].size;
    char *p = pointers[i];

    CHECK (p >= memory && p + bytes <= memory + arena.size);
    CHECK_INT ((uintptr_t) p % STEREO_ARENA_ALIGNMENT, ==, 0);
    for (int k = 0; k < i && bytes > 0; k++) {
      char *q = pointers[k];
      size_t other = buffers[k].count * buffers[k].size;

      CHECK (other == 0 || p >= q + other || q >= p + bytes);
    }
    memset (p, i, bytes);
  }
  for (int i = 0; i < N; i++) {
    const char *p = pointers[i];

    for (size_t b = 0; b < buffers[i].count * buffers[i].size; b++)
      CHECK_INT (p[b], ==, i);
  }
}

TEST (test_sizes_too_big)
{
  static const struct
  {
    size_t count, size;
  } bad[] = {
    {SIZE_MAX, 1}, {1, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 2 + 1, 1},
    {SIZE_MAX / 4 + 1, 4}, {(size_t) 1 << 32, (size_t) 1 << 32},
    {SIZE_MAX / 2, 1}
  };

  for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
    StereoArena arena;
    void *before, *p = &arena, *after = &arena;

    stereo_arena_reset (&arena);
    stereo_arena_add (&arena, &before, 10, 1);
    stereo_arena_add (&arena, &p, bad[i].count, bad[i].size);
    CHECK (arena.overflow);
    CHECK (p == NULL);
    /* it stays so until it is reset */
    stereo_arena_add (&arena, &after, 1, 1);
    CHECK (arena.overflow);
    CHECK (after == NULL);
    stereo_arena_reset (&arena);
    CHECK (!arena.overflow);
    CHECK_INT (arena.size, ==, 0);
    stereo_arena_add (&arena, &p, 1, 1);
    CHECK (!arena.overflow);
  }
}

/* The largest buffer: half of all addresses, less what alignment may add. */
TEST (test_largest_size)
{
  const size_t largest = SIZE_MAX / 2 - STEREO_ARENA_ALIGNMENT;
  StereoArena arena;
  void *p;

  stereo_arena_reset (&arena);
  stereo_arena_add (&arena, &p, 1, largest);
  CHECK (!arena.overflow);
  CHECK_INT (arena.size, >=, largest);
  stereo_arena_reset (&arena);
  stereo_arena_add (&arena, &p, 1, largest + 1);
  CHECK (arena.overflow);
}

/* Sums overflow where no single size does. */
TEST (test_sum_too_big)
{
  StereoArena arena;
  void *p;
  size_t before = 0;
  int n = 0;

  stereo_arena_reset (&arena);
  for (; n < STEREO_ARENA_MAX && !arena.overflow; n++) {
    CHECK_INT (arena.size, >=, before);
    before = arena.size;
    stereo_arena_add (&arena, &p, SIZE_MAX / 8, 1);
  }
  CHECK (arena.overflow);
  CHECK_INT (n, <=, 5);
}

TEST (test_too_many)
{
  StereoArena arena;
  void *pointers[STEREO_ARENA_MAX + 1];
  SCOPED (free_aligned) char *memory = NULL;

  stereo_arena_reset (&arena);
  for (int i = 0; i < STEREO_ARENA_MAX; i++)
    stereo_arena_add (&arena, &pointers[i], 1, 1);
  CHECK (!arena.overflow);
  memory = stereo_aligned_alloc (STEREO_ARENA_ALIGNMENT, arena.size);
  REQUIRE (memory != NULL);
  stereo_arena_bind (&arena, memory);
  for (int i = 0; i < STEREO_ARENA_MAX; i++)
    CHECK (pointers[i] == memory + (size_t) i * STEREO_ARENA_ALIGNMENT);
  stereo_arena_add (&arena, &pointers[STEREO_ARENA_MAX], 1, 1);
  CHECK (arena.overflow);
  CHECK (pointers[STEREO_ARENA_MAX] == NULL);
}

TEST (test_overlay)
{
  StereoArena arena;
  char *before, *first, *second, *third, *fourth, *behind, *memory;
  size_t begin, end;

  stereo_arena_reset (&arena);
  stereo_arena_add (&arena, (void **) &before, 10, 1);
  begin = arena.next;
  stereo_arena_add (&arena, (void **) &first, 1000, 1);
  stereo_arena_add (&arena, (void **) &second, 1000, 1);
  end = arena.next;
  stereo_arena_go_to (&arena, begin);
  CHECK_INT (arena.size, ==, end);
  stereo_arena_add (&arena, (void **) &third, 1500, 1);
  CHECK_INT (arena.size, ==, end);
  stereo_arena_go_beyond (&arena, end);
  CHECK_INT (arena.next, ==, end);
  stereo_arena_go_to (&arena, begin);
  stereo_arena_add (&arena, (void **) &fourth, 3000, 1);
  stereo_arena_go_beyond (&arena, end);
  CHECK_INT (arena.next, ==, arena.size);
  stereo_arena_add (&arena, (void **) &behind, 1, 1);

  memory = stereo_aligned_alloc (STEREO_ARENA_ALIGNMENT, arena.size);
  REQUIRE (memory != NULL);
  stereo_arena_bind (&arena, memory);
  CHECK (before == memory && first == memory + begin && third == first);
  CHECK (fourth == first);
  CHECK (second >= first + 1000 && behind >= fourth + 3000);
  stereo_aligned_free (memory);
}

TEST (test_sub_arena)
{
  uint8_t memory[400];
  StereoSubArena counts = { NULL, 0 }, takes = { memory, 0 };
  uint8_t *last = memory;

  for (size_t i = 1; i < 4; i++) {
    uint8_t *p = stereo_take (&takes, i, 21);

    CHECK (stereo_take (&counts, i, 21) == NULL);
    CHECK_INT (counts.size, ==, takes.size);
    CHECK (p >= last && p + 21 * i <= memory + takes.size);
    CHECK_INT ((p - memory) % STEREO_SUB_ARENA_ALIGNMENT, ==, 0);
    last = p + 21 * i;
  }
}

TEST_MAIN ()
