/* gst-stereomatching: calibration files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/gststereocalibration.h"

#include <math.h>
#include <string.h>

/* No calibration is larger. */
#define MAX_BYTES (1 << 20)

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
    return gst_stereo_calibration_fail (why, name, 0, "%" G_GSIZE_FORMAT
        " bytes are no calibration", size);
  if (memchr (text, '\0', size) != NULL || !g_utf8_validate (text,
          (gssize) size, NULL))
    return gst_stereo_calibration_fail (why, name, 0, "this is no text");
  while (i < size && g_ascii_isspace (text[i]))
    i++;
  if (i == size)
    return gst_stereo_calibration_fail (why, name, 0, "there is nothing in "
        "the file");
  if (text[i] == '<' || text[i] == '{')
    return gst_stereo_calibration_fail (why, name, 1, "this is %s; write the "
        "calibration as YAML: give OpenCV's FileStorage a name that ends in "
        ".yml", text[i] == '<' ? "XML" : "JSON");
  if (g_strstr_len (text, (gssize) size, "[LEFT_CAM_") != NULL)
    return gst_stereo_calibration_add_zed (calibration, name, text, size,
        width, height, why);
  return gst_stereo_calibration_add_yaml (calibration, name, text, size, unit,
      why);
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
    GError *error = NULL;
    gchar *text = NULL;
    gsize size = 0;

    if (names[i][0] == '\0')
      continue;
    if (!g_file_get_contents (names[i], &text, &size, &error)) {
      g_snprintf (why->text, sizeof (why->text), "%s", error->message);
      g_clear_error (&error);
      ok = FALSE;
      break;
    }
    ok = gst_stereo_calibration_add (calibration, names[i], text, size, unit,
        width, height, why);
    g_free (text);
  }
  g_strfreev (names);
  return ok;
}

void
gst_stereo_calibration_rotate (const gdouble vector[3], gdouble rotation[9])
{
  gdouble angle = sqrt (vector[0] * vector[0] + vector[1] * vector[1]
      + vector[2] * vector[2]);
  gdouble c = cos (angle), s = sin (angle), v[3] = { 0, 0, 0 };

  for (guint i = 0; i < 3 && angle > 0; i++)
    v[i] = vector[i] / angle;
  for (guint i = 0; i < 9; i++)
    rotation[i] = v[i / 3] * v[i % 3] * (1 - c) + (i % 4 == 0 ? c : 0);
  rotation[1] -= v[2] * s;
  rotation[2] += v[1] * s;
  rotation[3] += v[2] * s;
  rotation[5] -= v[0] * s;
  rotation[6] -= v[1] * s;
  rotation[7] += v[0] * s;
}
