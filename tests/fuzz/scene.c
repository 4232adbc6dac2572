/* gst-stereomatching: fuzzing of scenes
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The first byte selects the layout of a scene folder.  A text file (scene.ini
 * or calib.txt) follows, up to a zero byte, and then the ground truth.  The
 * images are small and valid.
 */

#include "fuzz.h"
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TEXT 4096

static char folder[] = "/tmp/stereo-fuzz-XXXXXX";

static void
put (const char *name, const void *data, size_t size)
{
  char path[256];
  FILE *file;

  snprintf (path, sizeof (path), "%s/%s", folder, name);
  file = fopen (path, "wb");
  if (file == NULL || fwrite (data, 1, size, file) != size
      || fclose (file) != 0)
    abort ();
}

static void
take_away (const char *name)
{
  char path[256];

  snprintf (path, sizeof (path), "%s/%s", folder, name);
  unlink (path);
}

static const char *const names[] = {
  "left.pgm", "right.pgm", "im0.pgm", "im1.pgm", "disp_left.pgm", "disp0.pfm",
  "scene.ini", "calib.txt"
};

static void
clean_up (void)
{
  for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++)
    take_away (names[i]);
  rmdir (folder);
}

static void
make_folder (void)
{
  static const char view[] = "P5 4 3 255\nabcdefghijkl";

  if (mkdtemp (folder) == NULL)
    abort ();
  atexit (clean_up);
  for (size_t i = 0; i < 5; i++)
    put (names[i], view, sizeof (view) - 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static bool made;
  SceneList list = { NULL, 0 };
  StereoMessage why = { "" };
  const char *text = "scene.ini", *truth = "disp_left.pgm";
  const uint8_t *zero;
  size_t length;

  if (size < 1 || size > MAX_TEXT)
    return 0;
  if (!made)
    make_folder ();
  made = true;
  if (data[0] & 1) {
    text = "calib.txt";
    truth = "disp0.pfm";
  }
  data++, size--;
  zero = size ? memchr (data, 0, size) : NULL;
  length = zero ? (size_t) (zero - data) : size;
  put (text, data, length);
  if (zero != NULL)
    put (truth, zero + 1, size - length - 1);

  if (scene_list_add (&list, folder, &why)) {
    for (size_t i = 0; i < list.n; i++) {
      Scene scene = { 0 };

      if (scene_load (&list.item[i], &scene, &why))
        scene_clear (&scene);
      else if (why.text[0] == '\0')
        abort ();
    }
  } else if (why.text[0] == '\0')
    abort ();
  scene_list_clear (&list);
  take_away (text);
  if (zero != NULL && truth[4] == '0')
    take_away (truth);
  return 0;
}
