/* gst-stereomatching: calibration files of ZED cameras
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/rectify/gststereocalibration.h"
#include "geometry/matrix3.h"

#include <math.h>

#define MILLIMETER 0.001

/* Image sizes of ZED cameras, and their names in the file. */
static const struct
{
  const gchar *name;
  gint width;
  gint height;
} sizes[] = {
  {"2K", 2208, 1242}, {"FHD", 1920, 1080}, {"FHD1200", 1920, 1200},
  {"HD", 1280, 720}, {"SVGA", 960, 600}, {"VGA", 672, 376},
};

typedef struct
{
  GKeyFile *keys;
  const gchar *name;
  const gchar *text;
  gsize size;
  StereoMessage *why;
} GstStereoZedFile;

/* The first line of a section, or 0. */
static gsize
get_section_line (const GstStereoZedFile * file, const gchar * section)
{
  gchar *head = g_strdup_printf ("[%s]", section);
  const gchar *at = g_strstr_len (file->text, (gssize) file->size, head);
  gsize line = at != NULL ? 1 : 0;

  for (const gchar * c = file->text; at != NULL && c < at; c++)
    line += *c == '\n';
  g_free (head);
  return line;
}

static gboolean
read_number (const GstStereoZedFile * file, const gchar * section,
    const gchar * key, gdouble * number)
{
  gchar *text = g_key_file_get_value (file->keys, section, key, NULL);
  gchar *end = text;
  gboolean ok;

  if (text == NULL)
    return gst_stereo_calibration_fail (file->why, file->name,
        get_section_line (file, section), "expected %s in section [%s]", key,
        section);
  *number = g_ascii_strtod (text, &end);
  g_strchomp (end);
  ok = end != text && *end == '\0' && isfinite (*number);
  if (!ok)
    gst_stereo_calibration_fail (file->why, file->name,
        get_section_line (file, section), "expected a number for %s in "
        "section [%s], got %.40s", key, section, text);
  g_free (text);
  return ok;
}

static gboolean
read_camera (const GstStereoZedFile * file, const gchar * section, guint size,
    StereoCamera * camera)
{
  static const gchar *const keys[] = { "fx", "fy", "cx", "cy", "k1", "k2", "p1",
    "p2", "k3"
  };
  gdouble numbers[G_N_ELEMENTS (keys)];

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    numbers[i] = 0;
    if ((i < 4 || g_key_file_has_key (file->keys, section, keys[i], NULL))
        && !read_number (file, section, keys[i], &numbers[i]))
      return FALSE;
  }
  *camera = (StereoCamera) {
    .lens = STEREO_LENS_BROWN,
    .width = sizes[size].width,
    .height = sizes[size].height,
    .fx = numbers[0],
    .fy = numbers[1],
    .cx = numbers[2],
    .cy = numbers[3],
    .k = {numbers[4], numbers[5], numbers[6], numbers[7], numbers[8]},
  };
  return TRUE;
}

static gboolean
read_pose (const GstStereoZedFile * file, const gchar * size,
    StereoCalibration * calibration)
{
  static const gchar *const turns[] = { "RX_", "CV_", "RZ_" };
  static const gchar *const moves[] = { "Baseline", "TY", "TZ" };
  gdouble vector[3];

  for (guint i = 0; i < 3; i++) {
    gchar *key = g_strconcat (turns[i], size, NULL);
    gboolean ok = read_number (file, "STEREO", key, &vector[i]);

    calibration->translation[i] = 0;
    g_free (key);
    if (!ok || ((i == 0 || g_key_file_has_key (file->keys, "STEREO", moves[i],
                    NULL)) && !read_number (file, "STEREO", moves[i],
                &calibration->translation[i])))
      return FALSE;
    /* the baseline is positive, and the right camera on the right */
    calibration->translation[i] = -calibration->translation[i];
  }
  stereo_rotation_from_vector (vector, calibration->rotation);
  calibration->has_pose = TRUE;
  calibration->unit = MILLIMETER;
  return TRUE;
}

static gboolean
has_size (const GstStereoZedFile * file, guint size)
{
  gchar *section = g_strconcat ("LEFT_CAM_", sizes[size].name, NULL);
  gboolean has = g_key_file_has_group (file->keys, section);

  g_free (section);
  return has;
}

/* Finds the section with the largest size that divides that of the video. */
static gboolean
choose_size (const GstStereoZedFile * file, gint width, gint height,
    guint * size)
{
  GString *others = g_string_new (NULL);
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (sizes) && !found; i++) {
    if (!has_size (file, i))
      continue;
    *size = i;
    found = width % sizes[i].width == 0 && height % sizes[i].height == 0;
    g_string_append_printf (others, "%dx%d, ", sizes[i].width,
        sizes[i].height);
  }
  if (!found)
    gst_stereo_calibration_fail (file->why, file->name, 0, others->len > 0
        ? "got no section for video of %dx%d: expected %sor a multiple"
        : "got no section for video of %dx%d: expected [LEFT_CAM_HD] or that "
        "of another size%s", width, height, others->str);
  g_string_free (others, TRUE);
  return found;
}

gboolean
gst_stereo_calibration_add_zed (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gint width,
    gint height, StereoMessage * why)
{
  static const gchar *const prefixes[] = { "LEFT_CAM_", "RIGHT_CAM_" };
  GstStereoZedFile file = { g_key_file_new (), name, text, size, why };
  GError *error = NULL;
  guint which = 0;
  gboolean ok = g_key_file_load_from_data (file.keys, text, size,
      G_KEY_FILE_NONE, &error);

  if (!ok)
    gst_stereo_calibration_fail (why, name, 0, "%s", error->message);
  g_clear_error (&error);
  ok = ok && choose_size (&file, width, height, &which);
  for (gint v = 0; v < STEREO_N_VIEWS && ok; v++) {
    gchar *section = g_strconcat (prefixes[v], sizes[which].name, NULL);

    ok = read_camera (&file, section, which, &calibration->camera[v]);
    calibration->has_camera[v] = ok;
    g_free (section);
  }
  ok = ok && read_pose (&file, sizes[which].name, calibration);
  g_key_file_free (file.keys);
  return ok;
}
