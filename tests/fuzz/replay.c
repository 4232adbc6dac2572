/* gst-stereomatching: runs a fuzz target without libFuzzer
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   replay FOLDER ...
 *
 * Runs every file of the folders, and truncated copies of each.
 *
 *   replay --random SEED COUNT
 *
 * Runs COUNT random inputs, the first one from SEED, the next from SEED + 1.
 * When one fails, its seed is printed, also if it takes more than TIME_LIMIT or
 * stands still for PATIENCE.  A busy machine delays inputs, but leaves them a
 * little processor time.
 */

#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_SIZE 65536
#define MAX_RANDOM_SIZE 512
#define TIME_LIMIT 120000       /* ms of processor time */
#define PATIENCE 60             /* seconds with less than LEAST_TIME */
#define LEAST_TIME 100          /* ms of processor time */

static unsigned n_files;

/* Runs a copy of the exact size, for sanitizers. */
static void
run (const uint8_t * data, size_t size)
{
  uint8_t *copy = malloc (size > 0 ? size : 1);

  if (copy == NULL)
    abort ();
  memcpy (copy, data, size);
  LLVMFuzzerTestOneInput (copy, size);
  free (copy);
}

static void
replay_file (const char *path)
{
  static uint8_t data[MAX_SIZE];
  FILE *file = fopen (path, "rb");
  size_t size;

  if (file == NULL)
    return;
  size = fread (data, 1, sizeof (data), file);
  fclose (file);
  n_files++;
  for (size_t i = 0; i < 5; i++)
    run (data, size - size * i / 5);
}

/* ------------------------------------------------------------------- random */

static volatile unsigned long seed;
/* Processor time at the start of the input, and at the last look at it. */
static volatile long started, seen;

/* Names the seed in async-signal-safe calls. */
static void
report_seed (int number)
{
  char text[32];
  size_t length = sizeof (text);
  unsigned long rest = seed;

  text[--length] = '\n';
  do
    text[--length] = (char) ('0' + rest % 10);
  while ((rest /= 10) > 0);
  (void) !write (STDERR_FILENO, "failed with seed ", 17);
  (void) !write (STDERR_FILENO, text + length, sizeof (text) - length);
  signal (SIGABRT, SIG_DFL);
  if (number == SIGALRM)
    (void) !write (STDERR_FILENO, "no end within the time limit\n", 29);
  abort ();
}

/* Of all threads, in ms. */
static long
processor_time (void)
{
  struct timespec t;

  if (clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
    abort ();
  return (long) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
check_time (int number)
{
  const long now = processor_time ();

  if (now - seen < LEAST_TIME || now - started > TIME_LIMIT)
    report_seed (number);
  seen = now;
  alarm (PATIENCE);
}

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, 2014). */
static uint64_t
next_random (uint64_t * state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void
replay_random (unsigned long first, unsigned long count)
{
  uint8_t data[MAX_RANDOM_SIZE];

  signal (SIGABRT, report_seed);
  signal (SIGALRM, check_time);
  for (seed = first; seed < first + count; seed++) {
    uint64_t state = seed;
    size_t size = 4 + next_random (&state) % (sizeof (data) - 3);

    for (size_t i = 0; i < size; i++)
      data[i] = (uint8_t) (next_random (&state) >> 32);
    started = seen = processor_time ();
    alarm (PATIENCE);
    run (data, size);
  }
  alarm (0);
  printf ("%lu inputs, %lu operations\n", count, fuzz_operations);
}

int
main (int argc, char **argv)
{
  if (argc == 4 && strcmp (argv[1], "--random") == 0) {
    replay_random (strtoul (argv[2], NULL, 10), strtoul (argv[3], NULL, 10));
    return 0;
  }
  for (int i = 1; i < argc; i++) {
    DIR *folder = opendir (argv[i]);
    struct dirent *entry;

    while (folder != NULL && (entry = readdir (folder)) != NULL) {
      char path[4096];

      if (entry->d_name[0] == '.')
        continue;
      snprintf (path, sizeof (path), "%s/%s", argv[i], entry->d_name);
      replay_file (path);
    }
    if (folder != NULL)
      closedir (folder);
  }
  printf ("%u files\n", n_files);
  return n_files == 0;
}
