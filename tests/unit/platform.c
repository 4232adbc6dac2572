/* gst-stereomatching: tests of calls of the operating system
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/memory.h"
#include "core/platform.h"
#include "process.h"
#include "test.h"

#include <locale.h>

TEST (test_aligned)
{
  for (size_t alignment = sizeof (void *); alignment <= 4096; alignment *= 2) {
    for (size_t bytes = 1; bytes < 9000; bytes = bytes * 3 + 1) {
      char *memory = stereo_aligned_alloc (alignment, bytes);

      REQUIRE (memory != NULL);
      CHECK_INT ((uintptr_t) memory % alignment, ==, 0);
      memset (memory, 1, bytes);
      stereo_aligned_free (memory);
    }
  }
  stereo_aligned_free (NULL);
}

TEST (test_sizes_that_no_machine_has)
{
  /* not visible to the compiler, which warns about such sizes */
  volatile size_t most = SIZE_MAX;

  CHECK (stereo_aligned_alloc (256, most) == NULL);
  CHECK (stereo_aligned_alloc (256, most - 255) == NULL);
  CHECK (stereo_aligned_alloc (256, most / 2) == NULL);
}

TEST (test_memory)
{
  StereoMessage why = { "" };

  CHECK (stereo_memory_available () > 0);
  CHECK_INT (stereo_memory_check (STEREO_MEMORY_LEAST - 1, &why), ==,
      STEREO_OK);
  if (stereo_memory_available () == UINT64_MAX)
    SKIP ("the available memory is unknown");
  CHECK_INT (stereo_memory_check (SIZE_MAX, &why), ==, STEREO_ERROR_MEMORY);
  CHECK_CONTAINS (why.text, "MiB are available");
}

TEST (test_clock)
{
  uint64_t begin = stereo_clock_ns (), last = begin;

  for (int i = 0; i < 100000; i++) {
    uint64_t now = stereo_clock_ns ();

    CHECK (now >= last);
    last = now;
  }
  process_sleep (0.02);
  /* a sleep may end a tick of the timer early */
  CHECK (stereo_clock_ns () - begin >= 15 * 1000 * 1000);
}

TEST (test_processors)
{
  CHECK_INT (stereo_processors (), >=, 1);
  CHECK_INT (stereo_processors (), <=, process_processors ());
}

static void *
store (void *data)
{
  *(int *) data = 7;
  return NULL;
}

TEST (test_thread)
{
  pthread_t thread;
  int number = 0;

  REQUIRE (stereo_thread_create (&thread, (size_t) 1 << 20, store,
          &number) == 0);
  REQUIRE (pthread_join (thread, NULL) == 0);
  CHECK_INT (number, ==, 7);
}

static void
check_numbers (void)
{
  static const struct
  {
    const char *text;
    double value;
  } numbers[] = {
    {"0", 0}, {"-3", -3}, {"1.5", 1.5}, {"+.25", 0.25}, {" 2e3", 2000},
    {"1e-3", 0.001}, {"0.1", 0.1}, {"1.7976931348623157e308",
        1.7976931348623157e308}, {"-1e-310", -1e-310}, {"1e-999", 0},
  };
  static const char *const others[] = {
    "", " ", "x", "1,5", "1.5x", "1 ", "--1", "1e", "1e999", "-1e999",
  };
  double value;

  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]); i++) {
    CHECK (stereo_parse_double (numbers[i].text, &value));
    CHECK_DOUBLE (value, ==, numbers[i].value);
  }
  for (size_t i = 0; i < sizeof (others) / sizeof (others[0]); i++)
    CHECK (!stereo_parse_double (others[i], &value));
}

TEST (test_numbers)
{
  check_numbers ();
}

/* Numbers have a point in every locale. */
TEST (test_numbers_in_other_locales)
{
  static const char *const names[] = { "de_DE.UTF-8", "de-DE", "fr_FR.UTF-8",
    "fr-FR"
  };
  bool comma = false;

  for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
    if (setlocale (LC_ALL, names[i]) == NULL)
      continue;
    comma |= localeconv ()->decimal_point[0] == ',';
    check_numbers ();
  }
  setlocale (LC_ALL, "C");
  if (!comma)
    SKIP ("no locale with a decimal comma");
}

TEST_MAIN ()
