/* gst-stereomatching: properties of the stereo matching elements
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <math.h>
#include <string.h>

/* Whether a property belongs to this plugin, not to a base class. */
static gboolean
is_ours (const GParamSpec * pspec)
{
  const gchar *owner = g_type_name (pspec->owner_type);

  return g_str_has_prefix (owner, "GstStereo")
      || g_str_has_prefix (owner, "GstDisparity");
}

static void
check_is (GstElement * element, GParamSpec * pspec, const GValue * right)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  g_object_get_property (G_OBJECT (element), pspec->name, &value);
  fail_unless (gst_value_compare (&value, right) == GST_VALUE_EQUAL,
      "%s of %s is %s, expected %s", pspec->name, GST_OBJECT_NAME (element),
      g_strdup_value_contents (&value), g_strdup_value_contents (right));
  g_value_unset (&value);
}

/* Sets a property from text, like a launch line, and reads it back. */
static void
check_set (GstElement * element, GParamSpec * pspec, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  fail_unless (gst_value_deserialize (&value, text), "%s = %s", pspec->name,
      text);
  gst_util_set_object_arg (G_OBJECT (element), pspec->name, text);
  check_is (element, pspec, &value);
  g_value_unset (&value);
}

/* The minimum and maximum as text; freed by the caller. */
static void
limits_of (GParamSpec * pspec, gchar ** minimum, gchar ** maximum)
{
  if (G_IS_PARAM_SPEC_INT (pspec)) {
    *minimum = g_strdup_printf ("%d", G_PARAM_SPEC_INT (pspec)->minimum);
    *maximum = g_strdup_printf ("%d", G_PARAM_SPEC_INT (pspec)->maximum);
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    *minimum = g_strdup_printf ("%u", G_PARAM_SPEC_UINT (pspec)->minimum);
    *maximum = g_strdup_printf ("%u", G_PARAM_SPEC_UINT (pspec)->maximum);
  } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
    *minimum = g_strdup ("0");
    *maximum = g_strdup ("1000000000000");
  } else if (G_IS_PARAM_SPEC_INT64 (pspec)) {
    *minimum = g_strdup_printf ("%" G_GINT64_FORMAT,
        G_PARAM_SPEC_INT64 (pspec)->minimum);
    *maximum = g_strdup_printf ("%" G_GINT64_FORMAT,
        G_PARAM_SPEC_INT64 (pspec)->maximum);
  } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
    gchar text[G_ASCII_DTOSTR_BUF_SIZE];

    *minimum = g_strdup (g_ascii_dtostr (text, sizeof (text),
            G_PARAM_SPEC_DOUBLE (pspec)->minimum));
    *maximum = g_strdup (g_ascii_dtostr (text, sizeof (text),
            G_PARAM_SPEC_DOUBLE (pspec)->maximum));
  } else if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    *minimum = g_strdup (klass->values[0].value_nick);
    *maximum = g_strdup (klass->values[klass->n_values - 1].value_nick);
  } else {
    fail_unless (G_IS_PARAM_SPEC_BOOLEAN (pspec), "%s", pspec->name);
    *minimum = g_strdup ("false");
    *maximum = g_strdup ("true");
  }
}

TEST (test_every_property)
{
  const GParamFlags mutable = GST_PARAM_MUTABLE_READY
      | GST_PARAM_MUTABLE_PAUSED | GST_PARAM_MUTABLE_PLAYING;
  gchar **names = plugin_elements ();

  for (guint e = 0; names[e] != NULL; e++) {
    GstElement *element = gst_element_factory_make (names[e], NULL);
    guint n, n_ours = 0;
    GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS
        (element), &n);

    for (guint p = 0; p < n; p++) {
      GParamSpec *pspec = pspecs[p];
      gchar *minimum, *maximum, *initial;
      GValue value = G_VALUE_INIT;

      if (!is_ours (pspec))
        continue;
      n_ours++;
      fail_unless (strlen (g_param_spec_get_blurb (pspec)) > 2, "%s",
          pspec->name);
      if (!(pspec->flags & G_PARAM_WRITABLE))
        continue;
      fail_unless ((pspec->flags & mutable) == GST_PARAM_MUTABLE_READY
          || (pspec->flags & mutable) == GST_PARAM_MUTABLE_PLAYING, "%s",
          pspec->name);

      /* the initial value is the default, which is valid */
      g_value_init (&value, pspec->value_type);
      g_param_value_set_default (pspec, &value);
      fail_if (g_param_value_validate (pspec, &value), "%s", pspec->name);
      check_is (element, pspec, &value);
      if (G_VALUE_HOLDS_STRING (&value)) {
        /* a correction has a syntax: see stereo-alignment */
        if (strcmp (pspec->name, "correction") != 0)
          check_set (element, pspec, "some text");
        g_value_unset (&value);
        continue;
      }
      initial = gst_value_serialize (&value);
      g_value_unset (&value);

      limits_of (pspec, &minimum, &maximum);
      check_set (element, pspec, minimum);
      check_set (element, pspec, maximum);
      check_set (element, pspec, initial);
      g_free (initial);
      g_free (minimum);
      g_free (maximum);
    }
    fail_unless (n_ours > 0, "%s has no properties", names[e]);
    g_free (pspecs);
    gst_object_unref (element);
  }
  g_strfreev (names);
}

/* GObject rejects values outside the range; the element rejects NaN.  GLib 2.84
 * and newer logs the former as critical. */
#define ASSERT_REFUSED(code) \
  G_STMT_START { \
    _gst_check_expecting_log = TRUE; \
    _gst_check_raised_warning = _gst_check_raised_critical = FALSE; \
    code; \
    _gst_check_expecting_log = FALSE; \
    fail_unless (_gst_check_raised_warning || _gst_check_raised_critical, \
        "no warning was raised"); \
  } G_STMT_END

TEST (test_values_out_of_range)
{
  GstElement *element = gst_element_factory_make ("stereovcbw", NULL);
  guint n, scale;
  gint min;
  gdouble gamma;

  ASSERT_REFUSED (g_object_set (element, "num-disparities", 0, NULL));
  ASSERT_REFUSED (g_object_set (element, "num-disparities", 16385, NULL));
  ASSERT_REFUSED (g_object_set (element, "min-disparity", -2049, NULL));
  ASSERT_REFUSED (g_object_set (element, "disparity-scale", 257, NULL));
  ASSERT_REFUSED (g_object_set (element, "gamma-distance", 0.0, NULL));
  ASSERT_REFUSED (g_object_set (element, "gamma-distance", (gdouble) NAN,
          NULL));
  g_object_get (element, "num-disparities", &n, "min-disparity", &min,
      "disparity-scale", &scale, "gamma-distance", &gamma, NULL);
  fail_unless_equals_int (n, 64);
  fail_unless_equals_int (min, 0);
  fail_unless_equals_int (scale, 16);
  fail_unless_equals_float (gamma, 3.5);
  gst_object_unref (element);
}

/* Matches a pair of disparity d and checks its GRAY16_LE code. */
static void
check_next (Rig * rig, gint d, guint code)
{
  GstBuffer *map = rig_match (rig, gray_image (WIDTH, HEIGHT, 0),
      gray_image (WIDTH, HEIGHT, d));
  GstCaps *caps = rig_output_caps (rig);

  check_codes (map, caps, 50, 80, code);
  gst_caps_unref (caps);
  gst_buffer_unref (map);
}

TEST (test_changes_while_playing)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW "num-disparities=8", CAPS, CAPS);
  check_next (&rig, 7, 7 * 16);
  g_object_set (rig.element, "num-disparities", 41, NULL);
  check_next (&rig, 40, 40 * 16);
  g_object_set (rig.element, "disparity-scale", 100, NULL);
  check_next (&rig, 40, 40 * 100);
  g_object_set (rig.element, "min-disparity", -5, NULL);
  check_next (&rig, 31, 36 * 100);
  g_object_set (rig.element, "invalid-value", 3600, NULL);
  check_next (&rig, 31, 3601);
  g_object_set (rig.element, "median", TRUE, NULL);
  check_next (&rig, 30, 3500);
  g_object_set (rig.element, "radius", 8, "windows", 1, "cost-threshold", 33.0,
      NULL);
  check_next (&rig, 30, 3500);
  g_object_set (rig.element, "num-disparities", 4, "median", FALSE,
      "min-disparity", 0, NULL);
  check_next (&rig, 2, 200);
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"), 8);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* The meta describes the parameters of its frame. */
TEST (test_meta_follows_changes)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (guint n = 1; n < 40; n += 6) {
    GstBuffer *map;
    guint found;

    g_object_set (rig.element, "num-disparities", n, NULL);
    map = rig_match (&rig, gray_image (WIDTH, HEIGHT, 0),
        gray_image (WIDTH, HEIGHT, 0));
    fail_unless (gst_structure_get_uint (gst_custom_meta_get_structure
            (gst_buffer_get_custom_meta (map, "GstStereoDisparityMeta")),
            "num-disparities", &found));
    fail_unless_equals_int (found, n);
    gst_buffer_unref (map);
  }
  rig_close (&rig);
}

TEST (test_change_that_does_not_fit)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  check_next (&rig, 7, 7 * 16);
  g_object_set (rig.element, "num-disparities", 1000, "disparity-scale", 256,
      NULL);
  for (gint v = LEFT; v <= RIGHT; v++)
    gst_harness_push (rig.view[v], gray_image (WIDTH, HEIGHT, 0));
  rig_expect_error (&rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "num-disparities 1000", "disparity-scale 256", "at most 65", NULL);
  while (gst_harness_push (rig.view[LEFT], gray_image (WIDTH, HEIGHT, 0))
      == GST_FLOW_OK)
    g_usleep (1000);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

/* Contradictory values, and the names and values in the one warning. */
LOOP_TEST (test_contradictions, 0, 12)
{
  static const struct
  {
    const gchar *element;
    const gchar *first;         /* NULL: no warning */
    const gchar *second;
  } cases[] = {
    {"stereosgm p1=500 p2=400 p2-min=300", "p1 = 500", "above p2 = 400"},
    {"stereosgm p1=96 p2=50 adaptive-penalty=false", "p1 = 96",
        "set p1 to at most p2"},
    {"stereosgm p1=96 p2=100", "p2-min = 104", "above p2 = 100"},
    {"stereosgm p1=100 p2=100 p2-min=100", NULL, NULL},
    {"stereosgm predecessors=2", "predecessors = 2", "1 or 3"},
    {"stereosgm predecessors=1 paths=6", "paths = 6", "4 or 8"},
    {"stereosgm predecessors=1 range=half-size", "range = half-size",
        "predecessors to 3"},
    {"stereobp levels=1 disc-single-jump=5 max-disc-term=4",
        "disc-single-jump = 5", "max-disc-term = 4"},
    {"stereobp levels=1 disc-single-jump=4 max-disc-term=4", NULL, NULL},
    /* a fraction of num-disparities */
    {"stereoesmp num-disparities=16 disc-truncation=0.04", NULL, NULL},
    {"stereopyramid fine-iterations=9 max-iterations=8",
        "fine-iterations = 9", "max-iterations = 8"},
    {"stereopyramid fine-iterations=8 max-iterations=8", NULL, NULL},
  };
  gchar *line = g_strdup_printf ("%s backend=cpu n-threads=1",
      cases[__i__].element);
  Rig rig;

  rig_open_with_caps (&rig, line, CAPS, CAPS);
  for (guint i = 0; i < 3; i++) {
    if (i == 2)                 /* reconfigures the matcher */
      g_object_set (rig.element, "num-disparities", 60, NULL);
    for (gint v = LEFT; v <= RIGHT; v++)
      rig_push (&rig, v, gray_image (WIDTH, HEIGHT, 0));
    gst_buffer_unref (gst_harness_pull (rig.view[LEFT]));
  }
  if (cases[__i__].first != NULL)
    rig_expect_warning (&rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        cases[__i__].first, cases[__i__].second, NULL);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  g_free (line);
}

/* --------------------------------------------------------------- controlled */

/* disparity-scale = 10 + stream time in frames. */
typedef GstControlBinding ScaleBinding;
typedef GstControlBindingClass ScaleBindingClass;
static GType scale_binding_get_type (void);
G_DEFINE_TYPE (ScaleBinding, scale_binding, GST_TYPE_CONTROL_BINDING);

static gboolean
scale_binding_sync_values (GstControlBinding * binding, GstObject * object,
    GstClockTime timestamp, GstClockTime last_sync)
{
  g_object_set (object, "disparity-scale", (guint) (10 + timestamp / FRAME),
      NULL);
  return TRUE;
}

static void
scale_binding_class_init (ScaleBindingClass * klass)
{
  klass->sync_values = scale_binding_sync_values;
}

static void
scale_binding_init (ScaleBinding * self)
{
}

TEST (test_controlled_property)
{
  Script *scripts[2] = { script_new (), script_new () };
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
      "width=96, height=4");
  GstSegment segment;
  GPtrArray *maps;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  fail_unless (gst_object_add_control_binding (GST_OBJECT (rig.element),
          g_object_new (scale_binding_get_type (), "object", rig.element,
              "name", "disparity-scale", NULL)));
  /* stream time differs from the timestamps here */
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.time = 100 * FRAME;
  for (gint v = LEFT; v <= RIGHT; v++) {
    script_event (scripts[v], gst_event_new_segment (&segment));
    script_numbers (scripts[v], v, 0, 1, 2, 3, -1);
  }
  maps = rig_run (&rig, scripts[LEFT], scripts[RIGHT]);
  fail_unless_equals_int (maps->len, 4);
  for (guint i = 1; i < 4; i++)
    check_codes (g_ptr_array_index (maps, i), caps, 70, 90, (N_NUMBERS + 1) * i
        * (110 + i));
  g_ptr_array_unref (maps);
  gst_caps_unref (caps);
  rig_close (&rig);
}

/* --------------------------------------------------------------- statistics */

static guint
n_stages (GstElement * element)
{
  GstStructure *stats, *stages;
  guint n;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "stages", GST_TYPE_STRUCTURE, &stages,
          NULL));
  fail_unless (gst_structure_has_name (stages, "stereo-stages"));
  n = (guint) gst_structure_n_fields (stages);
  gst_structure_free (stages);
  gst_structure_free (stats);
  return n;
}

TEST (test_stats)
{
  static const gchar *const numbers[] = { "paired", "dropped-left",
    "dropped-right", "qos-dropped", "superseded", "processing-time-last",
    "processing-time-mean", "device-memory", "downloaded",
    "time-difference-deviation"
  };
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    GstElement *element = gst_element_factory_make (names[e], NULL);

    g_object_set (element, "backend", 1, NULL);
    for (guint round = 0; round < 3; round++) {
      GstStructure *stats;

      if (round == 1)
        gst_element_set_state (element, GST_STATE_PAUSED);
      else if (round == 2)
        gst_element_set_state (element, GST_STATE_NULL);
      g_object_get (element, "stats", &stats, NULL);
      fail_unless (gst_structure_has_name (stats, "stereo-stats"));
      fail_unless_equals_int (gst_structure_n_fields (stats),
          G_N_ELEMENTS (numbers) + 4);
      fail_unless (gst_structure_has_field_typed (stats, "alignment",
              GST_TYPE_STRUCTURE));
      fail_unless (gst_structure_has_field_typed (stats,
              "time-difference-mean", G_TYPE_INT64));
      for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
        fail_unless (gst_structure_has_field_typed (stats, numbers[i],
                G_TYPE_UINT64), "%s", numbers[i]);
      }
      fail_unless_equals_string (gst_structure_get_string (stats, "backend"),
          round == 1 ? test_backend () : "none");
      fail_unless_equals_int (n_stages (element), 0);
      gst_structure_free (stats);
    }
    gst_object_unref (element);
  }
  g_strfreev (names);
}

TEST (test_stats_are_reset)
{
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (guint i = 1; i < 5; i++) {
    check_next (&rig, 7, 7 * 16);
    fail_unless_equals_uint64 (rig_stat (&rig, "paired"), i);
    fail_unless (rig_stat (&rig, "processing-time-last") > 0);
    fail_unless (rig_stat (&rig, "processing-time-mean") > 0);
  }
  fail_unless_equals_int (rig_stat (&rig, "device-memory") > 0,
      strcmp (test_backend (), "cuda") == 0);
  gst_element_set_state (rig.element, GST_STATE_NULL);
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"), 4);
  gst_element_set_state (rig.element, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (rig_stat (&rig, "paired"), 0);
  rig_close (&rig);
}

/* Timings of the last profiled pair: the stages add up to the total. */
TEST (test_stages)
{
  GstStructure *stats, *stages;
  guint64 sum = 0, ns;
  gchar *text;
  Rig rig;

  rig_open_with_caps (&rig, VCBW "cost=census", CAPS, CAPS);
  check_next (&rig, 7, 7 * 16);
  fail_unless_equals_int (n_stages (rig.element), 0);
  g_object_set (rig.element, "profiling", TRUE, NULL);
  check_next (&rig, 7, 7 * 16);
  g_object_get (rig.element, "stats", &stats, NULL);
  gst_structure_get (stats, "stages", GST_TYPE_STRUCTURE, &stages, NULL);
  fail_unless (gst_structure_has_field (stages, "census"));
  fail_unless (gst_structure_has_field (stages, "match"));
  for (gint i = 0; i < gst_structure_n_fields (stages); i++) {
    fail_unless (gst_structure_get_uint64 (stages, gst_structure_nth_field_name
            (stages, (guint) i), &ns));
    sum += ns;
  }
  fail_unless_equals_uint64 (sum, rig_stat (&rig, "processing-time-last"));
  text = gst_structure_to_string (stats);
  fail_unless (strstr (text, "match") != NULL, "%s", text);
  g_free (text);
  gst_structure_free (stages);
  gst_structure_free (stats);

  g_object_set (rig.element, "profiling", FALSE, NULL);
  check_next (&rig, 7, 7 * 16);
  fail_unless_equals_int (n_stages (rig.element), 0);
  rig_close (&rig);
}

/* Names of stages become field names, also those with spaces. */
TEST (test_stages_of_all)
{
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    gchar *launch = g_strdup_printf ("%s profiling=true", names[e]);
    GstStructure *stats, *again;
    GstBuffer *map;
    GstMapInfo info;
    gchar *text;
    Rig rig;

    rig_open_with_caps (&rig, launch, CAPS, CAPS);
    map = rig_match (&rig, gray_image (WIDTH, HEIGHT, 0),
        gray_image (WIDTH, HEIGHT, 7));
    /* timings are available when the frame is complete */
    fail_unless (gst_buffer_map (map, &info, GST_MAP_READ));
    gst_buffer_unmap (map, &info);
    gst_buffer_unref (map);
    fail_unless (n_stages (rig.element) > 0, "%s", names[e]);
    g_object_get (rig.element, "stats", &stats, NULL);
    text = gst_structure_to_string (stats);
    again = gst_structure_from_string (text, NULL);
    fail_unless (again != NULL && gst_structure_is_equal (stats, again), "%s",
        text);
    gst_structure_free (again);
    gst_structure_free (stats);
    g_free (text);
    rig_close (&rig);
    g_free (launch);
  }
  g_strfreev (names);
}

/* ---------------------------------------------------------------- backends */

/* Creates an element and its bus and starts it. */
static GstStateChangeReturn
try_backend (const gchar * launch, GstElement ** element, GstBus ** bus)
{
  *element = gst_parse_launch (launch, NULL);
  gst_object_ref_sink (*element);
  *bus = gst_bus_new ();
  gst_element_set_bus (*element, *bus);
  return gst_element_set_state (*element, GST_STATE_PAUSED);
}

static void
end_backend (GstElement * element, GstBus * bus)
{
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_bus_set_flushing (bus, TRUE);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  ASSERT_OBJECT_REFCOUNT (element, "the element", 1);
  gst_object_unref (element);
}

/* Fails without a CUDA device; with one, the CUDA tests apply. */
TEST (test_cuda_not_available)
{
  static const gchar *const settings[] = { "", "cuda-device-id=0",
    "cuda-device-id=12345"
  };
  gchar **names = matchers ();

  for (guint e = 0; names[e] != NULL; e++) {
    for (guint s = 0; s < G_N_ELEMENTS (settings); s++) {
      gchar *launch = g_strdup_printf ("%s backend=cuda %s", names[e],
          settings[s]);
      GstElement *element;
      GstMessage *message;
      GError *error;
      GstBus *bus;

      if (try_backend (launch, &element, &bus) == GST_STATE_CHANGE_FAILURE) {
        message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
        fail_unless (message != NULL);
        gst_message_parse_error (message, &error, NULL);
        fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
                GST_RESOURCE_ERROR_NOT_FOUND));
        fail_unless (strstr (error->message, "backend=cuda") != NULL
            && strstr (error->message, "backend=cpu") != NULL
            && strstr (error->message, "backend=auto") != NULL, "%s",
            error->message);
        g_error_free (error);
        gst_message_unref (message);
        fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);

        /* the element works after the property is corrected */
        g_object_set (element, "backend", 0, NULL);
        fail_unless_equals_int (gst_element_set_state (element,
                GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
      } else {
        fail_if (s == 2, "there is a CUDA device 12345");
      }
      end_backend (element, bus);
      g_free (launch);
    }
  }
  g_strfreev (names);
}

/* The backend is reported once, also after a fallback. */
TEST (test_backend_is_reported)
{
  static const gchar *const backends[] = { "auto", "cpu" };
  gchar **names = matchers ();

  keep_backends (TRUE);
  for (guint e = 0; names[e] != NULL; e++) {
    for (guint b = 0; b < G_N_ELEMENTS (backends); b++) {
      gchar *launch = g_strdup_printf ("%s backend=%s n-threads=2", names[e],
          backends[b]);
      GstStructure *stats;
      GstElement *element;
      GstMessage *message;
      const gchar *used;
      GError *error;
      GstBus *bus;

      fail_unless_equals_int (try_backend (launch, &element, &bus),
          GST_STATE_CHANGE_SUCCESS);
      message = gst_bus_pop_filtered (bus, GST_MESSAGE_INFO);
      fail_unless (message != NULL);
      gst_message_parse_info (message, &error, NULL);
      g_object_get (element, "stats", &stats, NULL);
      used = gst_structure_get_string (stats, "backend");
      if (b == 1)
        fail_unless_equals_string (used, "cpu");
      if (strcmp (used, "cpu") == 0) {
        fail_unless (strstr (error->message, "CPU, 2 threads") != NULL, "%s",
            error->message);
        /* with backend=auto the reason for not using CUDA */
        fail_unless ((strstr (error->message, "no CUDA") != NULL) == (b == 0),
            "%s", error->message);
      } else {
        fail_unless_equals_string (used, "cuda");
      }
      gst_structure_free (stats);
      g_error_free (error);
      gst_message_unref (message);
      fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_INFO
              | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
      end_backend (element, bus);
      g_free (launch);
    }
  }
  g_strfreev (names);
}

CHECK_MAIN ("stereo-properties")
