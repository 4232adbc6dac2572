/* gst-stereomatching: tests of tags in recordings and network streams
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereotags.h"
#include "checkmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <glib/gstdio.h>

#define N_FRAMES 3

/* Two rectified cameras, 80 mm apart. */
static const gchar calibration[] = "%YAML:1.0\n"
    "M1: [90, 0, 47.5, 0, 90, 31.5, 0, 0, 1]\n"
    "M2: [90, 0, 47.5, 0, 90, 31.5, 0, 0, 1]\n"
    "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nT: [-0.08, 0, 0]\n";

#define VIEW(view) "stereotestsrc num-disparities=16 num-buffers=3 view=" view \
    " ! video/x-raw,format=GRAY8,width=96,height=64 ! "
/* Maps with a known camera. */
#define MATCH_ON(projection) VIEW ("left") "stereorectify view=left " \
    "projection=" projection " calibration=%s/stereo.yml ! m.sink_left " \
    VIEW ("right") "stereorectify view=right projection=" projection \
    " calibration=%s/stereo.yml ! m.sink_right " \
    "stereosgm name=m num-disparities=16 backend=cpu "
#define MATCH MATCH_ON ("plane")
#define RECORD "! avenc_ffv1 ! matroskamux ! filesink location=%s/maps.mkv"
#define PLAY "filesrc location=%s/maps.mkv ! matroskademux ! avdec_ffv1 "
#define SINK "! appsink name=sink sync=false"

#define CODES "disparity-scale=8 min-disparity=0 invalid-value=0 "
#define CAMERA "focal-length=45 baseline=0.08 "

/* Consumers of maps: the properties named in the message about unknown maps,
 * and their values for maps of half the size. */
static const struct
{
  const gchar *pipeline;
  const gchar *set;
  const gchar *by_hand;
} consumers[] = {
  {"! disparitydepth " CAMERA, "or set focal-length, baseline, "
        "disparity-scale, min-disparity and invalid-value", CODES},
  {"! disparitycloud " CAMERA, "or set focal-length, baseline, "
        "disparity-scale, min-disparity and invalid-value", CODES},
  {"! v.sink_disparity " VIEW ("left") "v.sink_left stereoview name=v "
        "backend=cpu ", "or set disparity-scale, min-disparity and "
        "invalid-value", CODES},
  {"! disparitycolor ", "or set range-min, range-max and disparity-scale",
        "range-min=0 range-max=8 disparity-scale=8 "},
};

#define N_CONSUMERS ((gint) G_N_ELEMENTS (consumers))

static gchar *folder;

static void
make_folder (void)
{
  gchar *path;

  folder = g_dir_make_tmp ("stereo-tags-XXXXXX", NULL);
  path = g_strdup_printf ("%s/stereo.yml", folder);
  fail_unless (g_file_set_contents (path, calibration, -1, NULL));
  g_free (path);
}

static void
drop_folder (void)
{
  static const gchar *const names[] = { "stereo.yml", "maps.mkv" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gchar *path = g_strdup_printf ("%s/%s", folder, names[i]);

    g_remove (path);
    g_free (path);
  }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

/* --------------------------------------------------------------------- runs */

static GstPadProbeReturn
drop_tags (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_TAG
      ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* Creates a pipeline; %s is the folder.  An element named droptags drops
 * tags. */
static GstElement *
parse (const gchar * line)
{
  gchar **parts = g_strsplit (line, "%s", -1), *whole;
  GError *error = NULL;
  GstElement *pipeline, *tag_filter;

  whole = g_strjoinv (folder, parts);
  pipeline = gst_parse_launch (whole, &error);
  fail_unless (pipeline != NULL && error == NULL, "%s", whole);
  tag_filter = gst_bin_get_by_name (GST_BIN (pipeline), "droptags");
  if (tag_filter != NULL) {
    GstPad *pad = gst_element_get_static_pad (tag_filter, "src");

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, drop_tags,
        NULL, NULL);
    gst_object_unref (pad);
    gst_object_unref (tag_filter);
  }
  g_free (whole);
  g_strfreev (parts);
  return pipeline;
}

/* Waits for the end.  Returns the text of an error or a warning, or NULL. */
static gchar *
wait_for_end (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  GError *error = NULL;
  gchar *text = NULL;

  fail_unless (message != NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  if (error != NULL)
    text = g_strdup (error->message);
  g_clear_error (&error);
  gst_message_unref (message);
  gst_object_unref (bus);
  return text;
}

/* Runs a pipeline to EOS; fails on errors and warnings. */
static void
run (const gchar * line)
{
  GstElement *pipeline = parse (line);
  gchar *text;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  text = wait_for_end (pipeline);
  fail_unless (text == NULL, "%s", text);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Fails unless the pipeline posts an error or a warning with this text. */
static void
check_error (const gchar * line, const gchar * part)
{
  GstElement *pipeline = parse (line);
  gchar *text;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  text = wait_for_end (pipeline);
  fail_unless (text != NULL && strstr (text, part) != NULL, "%s", text);
  g_free (text);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* The bytes of all frames at the sink; fails unless there are N_FRAMES. */
static GBytes *
collect (const gchar * line)
{
  GstElement *pipeline = parse (line), *sink;
  GByteArray *all = g_byte_array_new ();
  guint n = 0;
  gchar *text;

  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (TRUE) {
    GstSample *sample = NULL;
    GstMapInfo info;

    g_signal_emit_by_name (sink, "pull-sample", &sample);
    if (sample == NULL)
      break;
    fail_unless (gst_buffer_map (gst_sample_get_buffer (sample), &info,
            GST_MAP_READ));
    g_byte_array_append (all, info.data, (guint) info.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &info);
    gst_sample_unref (sample);
    n++;
  }
  text = wait_for_end (pipeline);
  fail_unless (text == NULL, "%s", text);
  fail_unless_equals_int (n, N_FRAMES);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return g_byte_array_free_to_bytes (all);
}

/* Both pipelines must give the same bytes, at least a quarter of which are not
 * 0. */
static void
check_same (const gchar * line, const gchar * other)
{
  GBytes *a = collect (line), *b = collect (other);
  gsize size, known = 0;
  const guint8 *data = g_bytes_get_data (a, &size);

  fail_unless (g_bytes_equal (a, b));
  for (gsize i = 0; i < size; i++)
    known += data[i] != 0;
  fail_unless (known > size / 4);
  g_bytes_unref (a);
  g_bytes_unref (b);
}

static gboolean
have (const gchar * name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  gboolean there = factory != NULL;

  gst_clear_object (&factory);
  return there;
}

/* -------------------------------------------------------------------- tests */

/* Maps from a recording need no properties and give the live results. */
LOOP_TEST (test_recording, 0, 5)
{
  static const gchar *const readers[] = {
    "! disparitydepth ",
    "! disparitycolor legend=true ",
    "! c.sink_disparity disparitycloud name=c ",
    "! disparitydepth ! disparitycolor legend=true ",
    "! v.sink_disparity " VIEW ("left") "v.sink_left stereoview name=v "
        "backend=cpu position=0.5 ",
  };
  gchar *live, *played;

  if (!have ("avenc_ffv1") || !have ("matroskamux"))
    return;
  run (MATCH RECORD);
  live = g_strconcat (MATCH, readers[__i__], SINK, NULL);
  played = g_strconcat (PLAY, readers[__i__], SINK, NULL);
  check_same (live, played);
  g_free (live);
  g_free (played);
}

/* Views on a cylinder: metas and tags say so. */
TEST (test_cylinder)
{
  if (!have ("avenc_ffv1") || !have ("matroskamux"))
    return;
  run (MATCH_ON ("cylinder") RECORD);
  check_same (MATCH_ON ("cylinder") "! disparitycloud " SINK,
      PLAY "! disparitycloud " SINK);
  /* a field of view of 90 degrees */
  check_same (PLAY "! disparitycloud " SINK,
      PLAY "! identity name=droptags ! disparitycloud projection=cylinder "
      "focal-length=48 baseline=0.08 disparity-scale=16 min-disparity=0 "
      "invalid-value=0 " SINK);
}

#define RESULT(result) VIEW ("left") "m.sink_left " VIEW ("right") \
    "m.sink_right stereopyramid name=m num-disparities=16 backend=cpu " \
    "disparity-scale=8 vertical-search=true m.src_" result " "

/* Recorded results other than disparities keep their meaning, and are rejected
 * as disparities. */
LOOP_TEST (test_recorded_results, 0, 3)
{
  static const struct
  {
    const gchar *live, *error;
  } results[] = {
    {MATCH "! disparitydepth ", "another result: depth"},
    {RESULT ("vertical"), "another result: vertical"},
    {RESULT ("confidence"), "another result: confidence"},
  };
  gchar *recording, *live;

  if (!have ("avenc_ffv1") || !have ("matroskamux"))
    return;
  recording = g_strconcat (results[__i__].live, RECORD, NULL);
  live = g_strconcat (results[__i__].live, "! disparitycolor legend=true " SINK,
      NULL);
  run (recording);
  check_same (live, PLAY "! disparitycolor legend=true " SINK);
  check_error (PLAY "! disparitydepth " CAMERA "! fakesink",
      results[__i__].error);
  g_free (recording);
  g_free (live);
}

/* Over a network with tags, without tags, and without tags but with
 * properties. */
TEST (test_rtp)
{
  check_same (MATCH "! disparitydepth " SINK,
      MATCH "! rtpgstpay ! rtpgstdepay ! disparitydepth " SINK);
  check_error (MATCH "! rtpgstpay ! rtpgstdepay ! identity name=droptags ! "
      "disparitydepth ! fakesink", "no focal length and baseline");
  check_same (MATCH "! disparitydepth " SINK,
      MATCH "! rtpgstpay ! rtpgstdepay ! identity name=droptags ! "
      "disparitydepth focal-length=90 baseline=0.08 disparity-scale=16 "
      "min-disparity=0 invalid-value=0 " SINK);
}

/* The tags describe the video before it was scaled or converted. */
LOOP_TEST (test_changed_video, 0, N_CONSUMERS * 2)
{
  static const gchar *const changes[][2] = {
    {"! videoscale ! video/x-raw,width=48,height=32 ",
        "GRAY16_LE of 96x64, but they are GRAY16_LE of 48x32. Scale the views, "
        "not the map, "},
    {"! video/x-raw,format=GRAY16_LE ! videoconvert ! "
        "video/x-raw,format=GRAY8 ",
        "GRAY16_LE of 96x64, but they are GRAY8 of 96x64. Remove the "
        "conversion, "},
  };
  const gint consumer = __i__ / 2;
  gchar *line = g_strconcat (MATCH, changes[__i__ % 2][0],
      consumers[consumer].pipeline, "! fakesink", NULL);
  gchar *text = g_strconcat (changes[__i__ % 2][1], consumers[consumer].set,
      NULL);

  check_error (line, text);
  g_free (text);
  g_free (line);
}

/* All values are set as properties: neither an error nor a warning. */
LOOP_TEST (test_described_by_hand, 0, N_CONSUMERS)
{
  gchar *line = g_strconcat (MATCH, "! videoscale ! "
      "video/x-raw,width=48,height=32 ", consumers[__i__].pipeline,
      consumers[__i__].by_hand, "! fakesink", NULL);

  run (line);
  g_free (line);
}

/* Without tags the defaults are assumed, with a warning. */
LOOP_TEST (test_no_metadata, 0, N_CONSUMERS)
{
  gchar *line = g_strconcat (MATCH, "! rtpgstpay ! rtpgstdepay ! "
      "identity name=droptags ", consumers[__i__].pipeline, "! fakesink", NULL);

  check_error (line, "The maps have no metadata: assuming");
  g_free (line);
}

/* Depth maps are rejected; disparitycolor, the last consumer, accepts both. */
LOOP_TEST (test_depth_as_disparity, 0, N_CONSUMERS - 1)
{
  gchar *line = g_strconcat (MATCH, "! disparitydepth ",
      consumers[__i__].pipeline, "! fakesink", NULL);

  check_error (line, "depth");
  g_free (line);
}

/* Counts the messages about filled maps. gst-launch-1.0 shows their details
 * only. */
static guint
count_filled (const gchar * line)
{
  GstElement *pipeline = parse (line);
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean ended = FALSE;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, PATIENCE,
        GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_INFO);
    GError *info = NULL;
    gchar *details = NULL;

    fail_unless (message != NULL
        && GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!ended) {
      gst_message_parse_info (message, &info, &details);
      n += strstr (info->message, "Set fill=false on the matcher") != NULL
          && strstr (details, "Set fill=false on the matcher") != NULL;
      g_clear_error (&info);
      g_free (details);
    }
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return n;
}

/* Filled pixels are not measurements: one message, live and from a recording,
 * from the two consumers that compute depths. min-confidence removes them. */
LOOP_TEST (test_filled, 0, 4)
{
  static const gchar *const networks[] = { "",
    "! rtpgstpay ! rtpgstdepay "
  };
  static const gchar *const settings[] = { "fill=false ", "fill=true ",
    "min-confidence=0.1 "
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    gchar *line = g_strconcat (MATCH, settings[i], networks[__i__ % 2],
        consumers[__i__ / 2].pipeline, "! fakesink", NULL);

    fail_unless_equals_int (count_filled (line), i == 1);
    g_free (line);
  }
}

/* Tags are sent once before the first buffer, and again after changes. */
TEST (test_when_sent)
{
  GstHarness *h = gst_harness_new_parse ("stereotestsrc view=disparity "
      "num-buffers=8 ! video/x-raw,format=GRAY16_LE,width=8,height=8 ! "
      "identity name=probe");
  guint n = 0;
  GstEvent *event;

  gst_harness_play (h);
  for (guint i = 0; i < 8; i++)
    gst_buffer_unref (gst_harness_pull (h));
  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_TAG;
    gst_event_unref (event);
  }
  fail_unless_equals_int (n, 1);
  gst_harness_teardown (h);
}

/* Other comments are forwarded, and malformed ones are ignored. */
TEST (test_other_comments)
{
  static const gchar *const nonsense[] = { "GstStereoDisparityMeta, width=",
    "GstStereoDisparityMeta, width=(int)8, height=(int)8;",
    ("GstStereoDepthMeta, format=(string)GRAY16_LE, width=(int)8, "
        "height=(int)8, depth-scale=(double)-1;"),
  };
  GstHarness *h = gst_harness_new_parse ("disparitycolor range-min=0 "
      "range-max=9");
  GstBuffer *map = gst_buffer_new_allocate (NULL, 128, NULL);
  gboolean title = FALSE, comment = FALSE;
  GstEvent *event;
  gchar *text;

  gst_buffer_memset (map, 0, 0, 128);
  gst_harness_set_src_caps_str (h, "video/x-raw, format=GRAY16_LE, width=8, "
      "height=8, framerate=25/1");
  gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new
          (GST_TAG_COMMENT, "a street", NULL)));
  for (guint i = 0; i < G_N_ELEMENTS (nonsense); i++)
    gst_harness_push_event (h, gst_event_new_tag (gst_tag_list_new
            (GST_TAG_COMMENT, nonsense[i], GST_TAG_TITLE, "a title", NULL)));
  fail_unless_equals_int (gst_harness_push (h, map), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (h));
  while ((event = gst_harness_try_pull_event (h)) != NULL) {
    GstTagList *tags;

    if (GST_EVENT_TYPE (event) == GST_EVENT_TAG) {
      gst_event_parse_tag (event, &tags);
      if (gst_tag_list_get_string (tags, GST_TAG_TITLE, &text)) {
        title = TRUE;
        g_free (text);
      }
      if (gst_tag_list_get_string (tags, GST_TAG_COMMENT, &text)) {
        comment |= g_str_equal (text, "a street");
        g_free (text);
      }
    }
    gst_event_unref (event);
  }
  fail_unless (title && comment);
  gst_harness_teardown (h);
}

/* The n-th field of a disparity differs, or that of a depth. */
static void
change_disparity (GstStereoDisparity * d, guint n)
{
  gdouble *const numbers[] = {
    &d->scale, &d->offset, &d->disparity_scale, &d->focal_length, &d->baseline,
    &d->doffs, &d->cx, &d->cy
  };

  if (n < G_N_ELEMENTS (numbers)) {
    *numbers[n] += 1;
    return;
  }
  n -= G_N_ELEMENTS (numbers);
  d->min_disparity += n == 0;
  d->num_disparities += n == 1;
  d->invalid_value += n == 2;
  d->filled ^= n == 3;
  d->has_center ^= n == 4;
  d->algorithm = n == 5 ? "other" : d->algorithm;
  d->weights += n == 7;
  d->result = n == 6 ? STEREO_RESULT_CONFIDENCE : d->result;
  d->projection = n == 8 ? STEREO_PROJECTION_CYLINDER : d->projection;
}

static void
change_depth (GstStereoDepth * d, guint n)
{
  gdouble *const numbers[] = {
    &d->scale, &d->range_min, &d->range_max, &d->focal_length, &d->baseline,
    &d->cx, &d->cy
  };

  if (n < G_N_ELEMENTS (numbers))
    *numbers[n] += 1;
  else if (n == G_N_ELEMENTS (numbers))
    d->has_center ^= TRUE;
  else
    d->projection = STEREO_PROJECTION_CYLINDER;
}

#define N_DISPARITY_FIELDS 17
#define N_DEPTH_FIELDS 9

/* Fields on bytes of some value. */
static void
make_maps (guint8 background, GstClockTime pts, GstStereoDisparity * disparity,
    GstStereoDepth * depth)
{
  memset (disparity, background, sizeof (*disparity));
  disparity->result = STEREO_RESULT_DISPARITY;
  disparity->min_disparity = 1;
  disparity->num_disparities = 64;
  disparity->invalid_value = GST_STEREO_META_NO_INVALID;
  disparity->filled = disparity->has_center = FALSE;
  disparity->algorithm = "sgm";
  disparity->weights = 0;
  disparity->projection = STEREO_PROJECTION_PLANE;
  disparity->backend = background ? "cuda" : "cpu";
  disparity->scale = disparity->disparity_scale = 16;
  disparity->focal_length = disparity->baseline = disparity->doffs = 0;
  disparity->offset = disparity->cx = disparity->cy = 0;
  disparity->left_pts = disparity->right_pts = pts;
  memset (depth, background, sizeof (*depth));
  depth->scale = 1000;
  depth->range_min = depth->range_max = 1;
  depth->focal_length = depth->baseline = 1;
  depth->has_center = FALSE;
  depth->cx = depth->cy = 0;
  depth->projection = STEREO_PROJECTION_PLANE;
  depth->left_pts = depth->right_pts = pts;
}

/* TRUE if tags are to be sent. */
static gboolean
sends (GstTagList * tags)
{
  if (tags != NULL)
    gst_tag_list_unref (tags);
  return tags != NULL;
}

/* Tags are sent when a field changes, and not for each frame. */
TEST (test_sent_once)
{
  GstStereoSentTags disparities = { FALSE, }, depths = { FALSE, };
  GstStereoDisparity disparity;
  GstStereoDepth depth;
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY16_LE, 8, 4);
  for (guint frame = 0; frame < 4; frame++) {
    make_maps (frame % 2 ? 0xff : 0, frame, &disparity, &depth);
    fail_unless_equals_int (sends (gst_stereo_tags_of_disparity (&disparities,
                &disparity, &info)), frame == 0);
    fail_unless_equals_int (sends (gst_stereo_tags_of_depth (&depths, &depth,
                &info)), frame == 0);
  }
  for (guint i = 0; i < N_DISPARITY_FIELDS; i++) {
    change_disparity (&disparity, i);
    for (guint frame = 0; frame < 2; frame++)
      fail_unless_equals_int (sends (gst_stereo_tags_of_disparity
              (&disparities, &disparity, &info)), frame == 0);
  }
  for (guint i = 0; i < N_DEPTH_FIELDS; i++) {
    change_depth (&depth, i);
    for (guint frame = 0; frame < 2; frame++)
      fail_unless_equals_int (sends (gst_stereo_tags_of_depth (&depths, &depth,
                  &info)), frame == 0);
  }
  for (guint i = 0; i < 3; i++) {
    gst_video_info_set_format (&info, i == 0 ? GST_VIDEO_FORMAT_GRAY8
        : GST_VIDEO_FORMAT_GRAY16_LE, i == 1 ? 9 : 8, i == 2 ? 5 : 4);
    fail_unless (sends (gst_stereo_tags_of_depth (&depths, &depth, &info)));
  }
}

CHECK_MAIN_FIXTURE ("stereo-tags", make_folder, drop_folder)
