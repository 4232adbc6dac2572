/* gst-stereomatching: runs a fuzzing program on files, without libFuzzer
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   replay FOLDER ...
 *
 * Every file of the folders, and each of them cut short at some places.
 */

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_SIZE 65536

static unsigned n_files;

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
  for (int i = 0; i < 5; i++) {
    size_t part = size - size * (size_t) i / 5;
    uint8_t *copy = malloc (part + 1);  /* of the exact size, for sanitizers */

    if (copy == NULL)
      abort ();
    for (size_t j = 0; j < part; j++)
      copy[j] = data[j];
    copy = realloc (copy, part ? part : 1);
    LLVMFuzzerTestOneInput (copy, part);
    free (copy);
  }
}

int
main (int argc, char **argv)
{
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
