/* gst-stereomatching: presets of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define DISPARITY 7
#define COLOR_CAPS \
    "video/x-raw, format=RGB, width=96, height=24, framerate=25/1"

/* Characteristic properties of the presets. */
static const struct
{
  const gchar *element;
  const gchar *preset;
  const gchar *property;
  const gchar *value;
} known[] = {
  {"stereobfv", "accurate", "sampling-x", "1"},
  {"stereobfv", "accurate", "sampling-y", "1"},
  {"stereobfv", "accurate", "cost", "learned"},
  {"stereobfv", "accurate", "refine", "all"},
  {"stereobfv", "fast", "cost", "census"},
  {"stereobfv", "fast", "sampling-x", "2"},
  {"stereobfv", "fast", "sampling-y", "2"},
  {"stereobfv", "fastest", "cost", "census"},
  {"stereobfv", "fastest", "sampling-x", "3"},
  {"stereobfv", "fastest", "sampling-y", "3"},
  {"stereobfv", "paper", "arm-threshold", "20"},
  {"stereobfv", "paper", "cost", "rgb"},
  {"stereobfv", "paper", "vote-for", "all"},
  {"stereobfv", "paper", "lr-max-diff", "0"},
  {"stereobfv", "paper", "subpixel", "false"},
  {"stereobp", "felzenszwalb", "iterations", "5"},
  {"stereobp", "felzenszwalb", "max-disc-term", "1.7"},
  {"stereobp", "felzenszwalb", "smoothing", "0.7"},
  {"stereobp", "felzenszwalb", "precision", "float"},
  {"stereobp", "fast", "iterations", "4"},
  {"stereobp", "fast", "cost", "census"},
  {"stereobp", "accurate", "iterations", "10"},
  {"stereobp", "accurate", "cost", "learned"},
  {"stereobp", "accurate", "refine", "filled"},
  {"stereobp", "accurate", "check", "mutual"},
  {"stereobp", "paper", "data-weight", "0.1"},
  {"stereobp", "paper", "max-disc-term", "0"},
  {"stereobp", "paper", "edge-scale", "0"},
  {"stereobp", "paper", "cost", "luma"},
  {"stereobp", "paper", "median", "false"},
  {"stereoesaw", "fast", "iterations", "4"},
  {"stereoesaw", "fast", "base", "2.6"},
  {"stereoesaw", "fast", "cost", "census"},
  {"stereoesaw", "accurate", "iterations", "5"},
  {"stereoesaw", "accurate", "base", "2.3"},
  {"stereoesaw", "accurate", "cost", "learned"},
  {"stereoesaw", "accurate", "refine", "all"},
  {"stereoesaw", "accurate", "check", "mutual"},
  {"stereoesaw", "paper", "iterations", "5"},
  {"stereoesaw", "paper", "base", "2.6"},
  {"stereoesaw", "paper", "cost", "luma"},
  {"stereoesaw", "paper", "lr-max-diff", "-1"},
  {"stereoesmp", "fast", "iterations", "5"},
  {"stereoesmp", "fast", "base", "2.3"},
  {"stereoesmp", "fast", "cost", "census"},
  {"stereoesmp", "accurate", "iterations", "8"},
  {"stereoesmp", "accurate", "base", "1.8"},
  {"stereoesmp", "accurate", "cost", "learned"},
  {"stereoesmp", "accurate", "refine", "all"},
  {"stereoesmp", "accurate", "check", "mutual"},
  {"stereoesmp", "paper", "data-weight", "0.15"},
  {"stereoesmp", "paper", "disc-truncation", "0.0375"},
  {"stereoesmp", "paper", "cost", "luma"},
  {"stereoesmp", "paper", "subpixel", "false"},
  {"stereosgm", "fast", "cost", "census"},
  {"stereosgm", "classic", "cost", "census"},
  {"stereosgm", "accurate", "cost", "learned"},
  {"stereosgm", "accurate", "check", "mutual"},
  {"stereosgm", "fast", "check", "single"},
};

/* Fails unless the property has the value given as text. */
static void
check_value (GstElement * element, const gchar * property, const gchar * text)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (element), property);
  GValue wanted = G_VALUE_INIT, value = G_VALUE_INIT;

  fail_unless (pspec != NULL, "%s is not a property of %s", property,
      GST_OBJECT_NAME (element));
  g_value_init (&wanted, pspec->value_type);
  g_value_init (&value, pspec->value_type);
  fail_unless (gst_value_deserialize (&wanted, text), "%s = %s", property,
      text);
  g_object_get_property (G_OBJECT (element), property, &value);
  fail_unless (gst_value_compare (&value, &wanted) == GST_VALUE_EQUAL,
      "%s: expected %s, got %s", property, text, gst_value_serialize (&value));
  g_value_unset (&wanted);
  g_value_unset (&value);
}

/* The preset file of an element, or NULL.  Freed by the caller. */
static GKeyFile *
installed_preset_file (GstElement * element)
{
  gchar *name = g_strdup_printf ("%s.prs", G_OBJECT_TYPE_NAME (element));
  gchar *path = g_build_filename (g_getenv ("GST_PRESET_PATH"), name, NULL);
  GKeyFile *file = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    file = g_key_file_new ();
    fail_unless (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL),
        "%s", path);
  }
  g_free (name);
  g_free (path);
  return file;
}

/* A value that is neither a default nor in a preset. */
static void
change_all (GstElement * element, gchar ** properties)
{
  for (guint i = 0; properties[i] != NULL; i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (element), properties[i]);

    if (G_IS_PARAM_SPEC_DOUBLE (pspec))
      g_object_set (element, properties[i],
          G_PARAM_SPEC_DOUBLE (pspec)->maximum, NULL);
    else if (G_IS_PARAM_SPEC_UINT (pspec))
      g_object_set (element, properties[i],
          G_PARAM_SPEC_UINT (pspec)->maximum, NULL);
    else if (G_IS_PARAM_SPEC_ENUM (pspec))
      g_object_set (element, properties[i],
          G_PARAM_SPEC_ENUM (pspec)->enum_class->maximum, NULL);
    else
      g_object_set (element, properties[i], FALSE, NULL);
  }
}

/* Matches one frame; the disparity must be correct within a third of a pixel,
 * except near the edges, where the census window of one view crosses the
 * border.  The image is too small for the coarse pyramid levels, so that the
 * presets of the papers do not find it. */
static void
check_frame (Rig * rig, gboolean finds)
{
  GstCaps *caps = gst_caps_from_string (COLOR_CAPS), *output;
  GstBuffer *map = rig_match (rig, shifted_image (caps, 0),
      shifted_image (caps, DISPARITY));

  output = rig_output_caps (rig);
  for (gint y = 0; y < 24 && finds; y++) {
    for (gint x = 2 * DISPARITY; x < 88; x++) {
      gint code = (gint) code_at (map, output, x, y);

      fail_unless (ABS (code - (gint) expected_code (DISPARITY, 0, 16, 0)) <= 5,
          "code at (%d, %d) is %d", x, y, code);
    }
  }
  gst_buffer_unref (map);
  gst_caps_unref (output);
  gst_caps_unref (caps);
  rig_expect_no_error (rig);
}

TEST (test_every_preset)
{
  gchar **elements = matchers ();
  guint n = 0;

  for (guint e = 0; elements[e] != NULL; e++) {
    gchar *launch = g_strdup_printf ("%s backend=cpu n-threads=1 "
        "num-disparities=16", elements[e]);
    GstElement *element = gst_element_factory_make (elements[e], NULL);
    gchar **properties, **presets = gst_preset_get_preset_names (GST_PRESET
        (element));
    GKeyFile *file = installed_preset_file (element);

    fail_unless ((file != NULL) == (presets != NULL && presets[0] != NULL),
        "GStreamer does not find the presets of %s", elements[e]);
    gst_object_unref (element);
    for (guint p = 0; presets != NULL && presets[p] != NULL; p++) {
      Rig rig;

      rig_open_with_caps (&rig, launch, COLOR_CAPS, COLOR_CAPS);
      properties = gst_preset_get_property_names (GST_PRESET (rig.element));
      change_all (rig.element, properties);
      fail_unless (gst_preset_load_preset (GST_PRESET (rig.element),
              presets[p]), "%s of %s", presets[p], elements[e]);
      for (guint i = 0; properties[i] != NULL; i++) {
        gchar *text = g_key_file_get_string (file, presets[p], properties[i],
            NULL);

        /* a preset leaves no value of the previous one */
        fail_unless (text != NULL, "%s of %s does not set %s", presets[p],
            elements[e], properties[i]);
        check_value (rig.element, properties[i], text);
        g_free (text);
      }
      for (guint k = 0; k < G_N_ELEMENTS (known); k++) {
        if (strcmp (known[k].element, elements[e]) == 0
            && strcmp (known[k].preset, presets[p]) == 0)
          check_value (rig.element, known[k].property, known[k].value);
      }
      check_value (rig.element, "num-disparities", "16");
      check_value (rig.element, "backend", test_backend ());
      check_frame (&rig, !g_str_equal (elements[e], "stereopyramid"));
      g_strfreev (properties);
      rig_close (&rig);
      n++;
    }
    if (file != NULL)
      g_key_file_unref (file);
    g_strfreev (presets);
    g_free (launch);
  }
  g_strfreev (elements);
  fail_unless (n >= 4, "%u presets", n);
}

/* Presets may be changed between two frames. */
TEST (test_change_while_playing)
{
  Rig rig;

  rig_open_with_caps (&rig, "stereoesmp backend=cpu n-threads=1 "
      "num-disparities=16", COLOR_CAPS, COLOR_CAPS);
  check_frame (&rig, TRUE);
  fail_unless (gst_preset_load_preset (GST_PRESET (rig.element), "fast"));
  check_frame (&rig, TRUE);
  fail_unless (gst_preset_load_preset (GST_PRESET (rig.element), "accurate"));
  check_frame (&rig, TRUE);
  fail_if (gst_preset_load_preset (GST_PRESET (rig.element), "perfect"));
  check_value (rig.element, "iterations", "8");
  check_frame (&rig, TRUE);
  rig_close (&rig);
}

/* Saved presets contain matching parameters only, none of the machine, the
 * camera or the output. */
TEST (test_save)
{
  static const gchar *const never[] = { "backend", "cuda-device-id",
    "n-threads", "sync-tolerance", "right-offset", "qos", "stats", "name",
    "parent", "latency", "start-time", "num-disparities", "min-disparity",
    "disparity-scale", "invalid-value", "min-confidence"
  };
  gchar **elements = matchers ();

  for (guint e = 0; elements[e] != NULL; e++) {
    GstElement *element = gst_element_factory_make (elements[e], NULL);
    gchar **properties = gst_preset_get_property_names (GST_PRESET (element));
    gchar *name = g_strdup_printf ("%s.prs", G_OBJECT_TYPE_NAME (element));
    gchar *path = g_build_filename (g_getenv ("XDG_DATA_HOME"),
        "gstreamer-1.0", "presets", name, NULL);
    GKeyFile *file = g_key_file_new ();
    gchar **keys;
    gsize n;

    fail_unless (g_strv_contains ((const gchar * const *) properties,
            "median"));
    for (guint i = 0; i < G_N_ELEMENTS (never); i++)
      fail_if (g_strv_contains ((const gchar * const *) properties, never[i]),
          "%s", never[i]);

    g_object_set (element, "median", FALSE, "num-disparities", 99, NULL);
    fail_unless (gst_preset_save_preset (GST_PRESET (element), "mine"));
    fail_unless (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL),
        "%s", path);
    keys = g_key_file_get_keys (file, "mine", &n, NULL);
    fail_unless_equals_int (n, g_strv_length (properties));
    for (guint i = 0; i < n; i++)
      fail_unless (g_strv_contains ((const gchar * const *) properties,
              keys[i]), "%s", keys[i]);

    g_object_set (element, "median", TRUE, "num-disparities", 33, NULL);
    fail_unless (gst_preset_load_preset (GST_PRESET (element), "mine"));
    check_value (element, "median", "false");
    check_value (element, "num-disparities", "33");
    fail_unless (gst_preset_delete_preset (GST_PRESET (element), "mine"));
    g_unlink (path);

    g_strfreev (keys);
    g_key_file_unref (file);
    g_free (path);
    g_free (name);
    g_strfreev (properties);
    gst_object_unref (element);
  }
  g_strfreev (elements);
}

/* @preset in a launch line, with further properties. */
TEST (test_launch)
{
  GError *error = NULL;
  GstElement *element = gst_parse_launch_full ("stereoesaw @preset=accurate "
      "num-disparities=99 n-threads=3", NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      &error);

  fail_unless (element != NULL, "%s", error ? error->message : "");
  check_value (element, "check", "mutual");
  check_value (element, "num-disparities", "99");
  check_value (element, "n-threads", "3");
  gst_object_unref (element);
}

static void
remove_folder (const gchar * path)
{
  GDir *folder = g_dir_open (path, 0, NULL);
  const gchar *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
    gchar *inside = g_build_filename (path, name, NULL);

    if (g_file_test (inside, G_FILE_TEST_IS_DIR))
      remove_folder (inside);
    else
      g_unlink (inside);
    g_free (inside);
  }
  if (folder != NULL)
    g_dir_close (folder);
  g_rmdir (path);
}

int
main (int argc, char **argv)
{
  /* Neither reads nor writes the user's presets. */
  gchar *home = g_dir_make_tmp ("stereo-presets-XXXXXX", NULL);
  int failed;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  gst_check_init (&argc, &argv);
  failed = check_run ("stereo-presets", __FILE__, NULL, NULL);
  remove_folder (home);
  g_free (home);
  return failed;
}
