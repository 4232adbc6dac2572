/* gst-stereomatching: calibration files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/rectify/gststereocalibration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1 << 20)     /* of a file */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

gboolean
gst_stereo_calibration_fail (StereoMessage * why, const gchar * name,
    gsize line, const gchar * text, ...)
{
  gchar what[sizeof (why->text)], place[32] = "";
  va_list arguments;

  va_start (arguments, text);
  g_vsnprintf (what, sizeof (what), text, arguments);
  va_end (arguments);
  if (line > 0)
    g_snprintf (place, sizeof (place), ":%" G_GSIZE_FORMAT, line);
  g_snprintf (why->text, sizeof (why->text), "%.200s%s: %s", name, place, what);
  return FALSE;
}

gboolean
gst_stereo_calibration_add (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    gint width, gint height, StereoMessage * why)
{
  gsize i = 0;

  if (size > MAX_BYTES)
    return gst_stereo_calibration_fail (why, name, 0, "expected at most %d "
        "bytes, got more", MAX_BYTES);
  if (memchr (text, '\0', size) != NULL || !g_utf8_validate (text,
          (gssize) size, NULL))
    return gst_stereo_calibration_fail (why, name, 0, "expected text in "
        "UTF-8");
  if (size >= strlen (BYTE_ORDER_MARK)
      && memcmp (text, BYTE_ORDER_MARK, strlen (BYTE_ORDER_MARK)) == 0) {
    text += strlen (BYTE_ORDER_MARK);
    size -= strlen (BYTE_ORDER_MARK);
  }
  while (i < size && g_ascii_isspace (text[i]))
    i++;
  if (i == size)
    return gst_stereo_calibration_fail (why, name, 0, "the file is "
        "empty");
  if (text[i] == '<' || text[i] == '{')
    return gst_stereo_calibration_fail (why, name, 1, "expected YAML, got "
        "%s: give OpenCV's FileStorage a name that ends in .yml",
        text[i] == '<' ? "XML" : "JSON");
  if (g_strstr_len (text, (gssize) size, "[LEFT_CAM_") != NULL)
    return gst_stereo_calibration_add_zed (calibration, name, text, size,
        width, height, why);
  return gst_stereo_calibration_add_yaml (calibration, name, text, size, unit,
      why);
}

/* Reads a file up to a little more than the accepted size.  The caller frees
 * *text with free(). */
static gboolean
read_file (const gchar * name, gchar ** text, gsize * size, StereoMessage * why)
{
  FILE *file = fopen (name, "rbe");
  gchar *bytes = file != NULL ? malloc (MAX_BYTES + 1) : NULL;
  gint error = errno;

  if (bytes != NULL) {
    *size = fread (bytes, 1, MAX_BYTES + 1, file);
    error = ferror (file) ? errno : 0;
  }
  if (file != NULL)
    fclose (file);
  if (bytes == NULL || error != 0) {
    free (bytes);
    return gst_stereo_calibration_fail (why, name, 0, "cannot be read: %s",
        g_strerror (error));
  }
  *text = bytes;
  return TRUE;
}

gboolean
gst_stereo_calibration_load (StereoCalibration * calibration,
    const gchar * paths, gdouble unit, gint width, gint height,
    StereoMessage * why)
{
  gchar **names = g_strsplit (paths, G_SEARCHPATH_SEPARATOR_S, -1);
  gboolean ok = TRUE;

  memset (calibration, 0, sizeof (*calibration));
  calibration->unit = 1;
  for (guint i = 0; names[i] != NULL && ok; i++) {
    gchar *text = NULL;
    gsize size = 0;

    if (names[i][0] == '\0')
      continue;
    ok = read_file (names[i], &text, &size, why)
        && gst_stereo_calibration_add (calibration, names[i], text, size, unit,
        width, height, why);
    free (text);
  }
  g_strfreev (names);
  return ok;
}
