/* gst-stereomatching: tests of stereoview
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereometa.h"
#include "geometry/view.h"
#include "stereocheck.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#define VIEW_WIDTH 64
#define VIEW_HEIGHT 6
#define VIEW_CAPS(format) "video/x-raw,format=" format ",width=64,height=6," \
    "framerate=25/1"
#define MAP_CAPS "video/x-raw,format=GRAY16_LE,width=64,height=6,framerate=25/1"

/* An element with harnesses on its pads. */
typedef struct
{
  GstHarness *left;             /* also has the source pad */
  GstHarness *right;            /* or NULL */
  GstHarness *map;
  GstBus *bus;
} Views;

static Views
new_views (const gchar * properties, gboolean right, const gchar * caps,
    const gchar * map_caps)
{
  gchar *line = g_strdup_printf ("stereoview backend=cpu n-threads=1 %s",
      properties);
  GstElement *element = gst_parse_launch (line, NULL);
  Views rig = { NULL, };

  fail_unless (element != NULL);
  rig.bus = gst_bus_new ();
  gst_element_set_bus (element, rig.bus);
  rig.left = gst_harness_new_with_element (element, "sink_left", "src");
  rig.map = gst_harness_new_with_element (element, "sink_disparity", NULL);
  if (right)
    rig.right = gst_harness_new_with_element (element, "sink_right", NULL);
  gst_harness_set_src_caps_str (rig.left, caps);
  gst_harness_set_src_caps_str (rig.map, map_caps);
  if (right)
    gst_harness_set_src_caps_str (rig.right, caps);
  gst_object_unref (element);
  g_free (line);
  return rig;
}

static void
drop_views (Views * rig)
{
  gst_element_set_bus (rig->left->element, NULL);
  gst_object_unref (rig->bus);
  if (rig->right != NULL)
    gst_harness_teardown (rig->right);
  gst_harness_teardown (rig->map);
  gst_harness_teardown (rig->left);
}

/* Random bytes for frame i of the stream `seed`. */
static GstBuffer *
noise (guint seed, guint i, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GRand *rand = g_rand_new_with_seed (1000 * seed + i);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize k = 0; k < size; k++)
    map.data[k] = (guint8) g_rand_int (rand);
  gst_buffer_unmap (buffer, &map);
  g_rand_free (rand);
  GST_BUFFER_PTS (buffer) = i * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

#define RGB_SIZE (3 * VIEW_WIDTH * VIEW_HEIGHT)

static GstBuffer *
left_image (guint i)
{
  return noise (1, i, RGB_SIZE);
}

static GstBuffer *
right_image (guint i)
{
  return noise (2, i, RGB_SIZE);
}

/* A map whose meta names these images. */
static GstBuffer *
make_map (guint left, guint right)
{
  GstBuffer *buffer = noise (3, left, 2 * VIEW_WIDTH * VIEW_HEIGHT);
  GstStereoDisparity meta = {.disparity_scale = 4096,.num_disparities = 16,
    .left_pts = left * FRAME,.right_pts = right * FRAME,.algorithm = "noise",
    .backend = "cpu"
  };

  gst_stereo_meta_add (buffer, &meta);
  return buffer;
}

static GstMessage *
wait_for_message (Views * rig, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (rig->bus, PATIENCE, type);

  fail_unless (message != NULL);
  return message;
}

static guint64
stat_of (Views * rig, const gchar * name)
{
  GstStructure *stats = NULL;
  guint64 value = G_MAXUINT64;

  g_object_get (rig->left->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

static void
push_images (Views * rig, guint left, guint right)
{
  fail_unless_equals_int (gst_harness_push (rig->left, left_image (left)),
      GST_FLOW_OK);
  if (rig->right != NULL)
    fail_unless_equals_int (gst_harness_push (rig->right,
            right_image (right)), GST_FLOW_OK);
}

/* -------------------------------------------------------------------- tests */

TEST (test_ends)
{
  static const gchar *const positions[] = { "position=0", "position=1" };

  for (guint p = 0; p < 2; p++) {
    Views rig = new_views (positions[p], TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);

    for (guint i = 0; i < 4; i++) {
      GstBuffer *out;

      push_images (&rig, i, i);
      gst_harness_push (rig.map, make_map (i, i));
      out = gst_harness_pull (rig.left);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * FRAME);
      fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), FRAME);
      check_equal (out, p == 0 ? left_image (i) : right_image (i));
    }
    fail_unless_equals_uint64 (stat_of (&rig, "rendered"), 4);
    drop_views (&rig);
  }
}

/* Without timestamps, images and maps pair in order of arrival. */
TEST (test_no_timestamps)
{
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstBuffer *left = left_image (0);
  GstBuffer *map = noise (3, 0, 2 * VIEW_WIDTH * VIEW_HEIGHT);

  GST_BUFFER_PTS (left) = GST_BUFFER_PTS (map) = GST_CLOCK_TIME_NONE;
  g_object_set (rig.left->element, "disparity-scale", 4096.0, NULL);
  fail_unless_equals_int (gst_harness_push (rig.left, left), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (rig.map, map), GST_FLOW_OK);
  check_equal (gst_harness_pull (rig.left), left_image (0));
  drop_views (&rig);
}

/* A serialized query on an inactive pad is refused. */
TEST (test_query_before_it_runs)
{
  GstElement *element = gst_element_factory_make ("stereoview", NULL);
  GstPad *pad = gst_element_get_static_pad (element, "sink_left");
  GstQuery *query = gst_query_new_allocation (NULL, FALSE);

  fail_if (gst_pad_query (pad, query));
  gst_query_unref (query);
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* The segment that would give the gap its running time is missing. */
TEST (test_gap_before_a_segment)
{
  Views rig = new_views ("position=0", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *const inputs[] = { rig.left, rig.right, rig.map };
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    gst_harness_push_event (inputs[i], gst_event_new_flush_start ());
    gst_harness_push_event (inputs[i], gst_event_new_flush_stop (TRUE));
    gst_harness_push_event (inputs[i], gst_event_new_gap (0, FRAME));
  }
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    gst_harness_push_event (inputs[i], gst_event_new_segment (&segment));
  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  check_equal (gst_harness_pull (rig.left), left_image (0));
  drop_views (&rig);
}

/* A segment that starts within an image, as after an accurate seek.  A matcher
 * limits the timestamps of maps and in their metadata to the segment; other
 * sources of maps do not. */
LOOP_TEST (test_segment_within_an_image, 0, 3)
{
  const gboolean clipped = __i__ > 0, described = __i__ < 2;
  const GstClockTime start = FRAME + FRAME / 4, time = clipped ? start : FRAME;
  const GstStereoDisparity meta = {.disparity_scale = 4096,
    .num_disparities = 16,.left_pts = time,.right_pts = time,
    .algorithm = "noise",.backend = "cpu"
  };
  Views rig = new_views ("position=0 disparity-scale=4096 "
      "sync-tolerance=0", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *const inputs[] = { rig.left, rig.right, rig.map };
  GstBuffer *map = noise (3, 1, 2 * VIEW_WIDTH * VIEW_HEIGHT);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = start;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    gst_harness_push_event (inputs[i], gst_event_new_segment (&segment));
  GST_BUFFER_PTS (map) = time;
  GST_BUFFER_DURATION (map) = 2 * FRAME - time;
  if (described)
    gst_stereo_meta_add (map, &meta);
  push_images (&rig, 1, 1);
  gst_harness_push (rig.map, map);
  check_equal (gst_harness_pull (rig.left), left_image (1));
  fail_unless_equals_uint64 (stat_of (&rig, "unpaired"), 0);
  drop_views (&rig);
}

/* The first map of a loop arrives while images of the last one wait. */
TEST (test_loop)
{
  Views rig = new_views ("position=0", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *const inputs[] = { rig.map, rig.left, rig.right };
  GstSegment segment;

  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  check_equal (gst_harness_pull (rig.left), left_image (0));
  push_images (&rig, 1, 1);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = 2 * FRAME;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    gst_harness_push_event (inputs[i], gst_event_new_segment (&segment));
  gst_harness_push (rig.map, make_map (0, 0));
  push_images (&rig, 0, 0);
  check_equal (gst_harness_pull (rig.left), left_image (0));
  fail_unless_equals_uint64 (stat_of (&rig, "unpaired"), 0);
  fail_unless_equals_uint64 (stat_of (&rig, "unused-left"), 1);
  fail_unless_equals_uint64 (stat_of (&rig, "unused-right"), 1);
  drop_views (&rig);
}

/* Interleaved layouts have half the rows or columns of each view. */
TEST (test_half_aspect)
{
  static const gchar *const layouts[] = {
    "layout=side-by-side", "layout=row-interleaved",
    "layout=column-interleaved", "layout=checkerboard"
  };

  for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
    Views rig = new_views (layouts[l], TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
    GstVideoInfo info;
    GstCaps *caps;

    push_images (&rig, 0, 0);
    gst_harness_push (rig.map, make_map (0, 0));
    gst_buffer_unref (gst_harness_pull (rig.left));
    caps = gst_pad_get_current_caps (rig.left->sinkpad);
    fail_unless (gst_video_info_from_caps (&info, caps));
    fail_unless_equals_int ((GST_VIDEO_INFO_MULTIVIEW_FLAGS (&info)
            & GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT) != 0, l > 0);
    gst_caps_unref (caps);
    drop_views (&rig);
  }
}

TEST (test_meta)
{
  Views rig = new_views ("position=0.25 layout=side-by-side separation=0.5 "
      "convergence=3", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstBuffer *out;
  GstStructure *s;
  gdouble value = 0;
  guint views = 0;

  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  out = gst_harness_pull (rig.left);
  s = gst_custom_meta_get_structure (gst_buffer_get_custom_meta (out,
          "GstStereoViewMeta"));
  fail_unless (gst_structure_get_double (s, "position", &value));
  fail_unless (value == 0.25);
  fail_unless (gst_structure_get_double (s, "separation", &value));
  fail_unless (value == 0.5);
  fail_unless (gst_structure_get_double (s, "convergence", &value));
  fail_unless (value == 3);
  fail_unless (gst_structure_get_uint (s, "views", &views));
  fail_unless_equals_int (views, 2);
  fail_unless_equals_string (gst_structure_get_string (s, "layout"),
      "side-by-side");
  gst_buffer_unref (out);
  drop_views (&rig);
}

/* Metas of the left image are kept unless they name positions in it. */
TEST (test_metas_of_the_image)
{
  GstCaps *reference = gst_caps_from_string ("timestamp/x-unix");
  GstBuffer *left = left_image (0), *out;
  Views rig = new_views ("layout=side-by-side", FALSE, VIEW_CAPS ("RGB"),
      MAP_CAPS);

  gst_buffer_add_reference_timestamp_meta (left, reference, 123, 4);
  gst_buffer_add_video_time_code_meta_full (left, 25, 1, NULL, 0, 1, 2, 3, 4,
      0);
  gst_buffer_add_video_region_of_interest_meta (left, "face", 1, 2, 3, 4);
  gst_harness_push (rig.left, left);
  gst_harness_push (rig.map, make_map (0, 0));
  out = gst_harness_pull (rig.left);
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, reference)
      != NULL);
  fail_unless (gst_buffer_get_video_time_code_meta (out) != NULL);
  fail_unless (gst_buffer_get_meta (out,
          GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) == NULL);
  gst_buffer_unref (out);
  gst_caps_unref (reference);
  drop_views (&rig);
}

/* A map with one disparity in each half, and a few outliers. */
static GstBuffer *
make_halves (guint i, guint far, guint near)
{
  GstBuffer *buffer = make_map (i, i);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize k = 0; k < map.size / 2; k++) {
    const guint disparity = k < 2 && far > 0 ? 15 : k % 7 == 0 ? 0
        : k % VIEW_WIDTH < VIEW_WIDTH / 2 ? far : near;

    GST_WRITE_UINT16_LE (map.data + 2 * k, disparity * 4096);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* The convergence in the meta of frame i. */
static gdouble
convergence_of (Views * rig, guint i, guint far, guint near)
{
  GstBuffer *map = make_halves (i, far, near), *out;
  gdouble value = G_MAXDOUBLE;

  push_images (rig, i, i);
  gst_harness_push (rig->map, map);
  out = gst_harness_pull (rig->left);
  fail_unless (gst_structure_get_double (gst_custom_meta_get_structure
          (gst_buffer_get_custom_meta (out, "GstStereoViewMeta")),
          "convergence", &value));
  gst_buffer_unref (out);
  return value;
}

/* The convergence is a fraction of the disparity range: at once in the first
 * frame, then smoothly without overshoot.  Invalid pixels (0) and outliers are
 * ignored. */
TEST (test_auto_convergence)
{
  Views rig = new_views ("layout=side-by-side convergence=3 "
      "auto-convergence=0.25", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  gdouble before, value = convergence_of (&rig, 0, 4, 8);

  fail_unless (value == 5, "%g", value);
  before = value;
  for (guint i = 1; i < 20; i++) {
    value = convergence_of (&rig, i, 8, 12);
    fail_unless (value > before && value < 9, "%g after %g", value, before);
    before = value;
  }
  /* 19 frames of 40 ms, with a time constant of 500 ms */
  fail_unless (ABS (value - (9 - 4 * 0.2187)) < 0.001, "%g", value);
  /* no valid pixels: unchanged */
  fail_unless (convergence_of (&rig, 20, 0, 0) == value);
  /* after a pause: at once */
  fail_unless (convergence_of (&rig, 60, 4, 8) == 5);
  g_object_set (rig.left->element, "auto-convergence", -1.0, NULL);
  fail_unless (convergence_of (&rig, 61, 4, 8) == 3);
  drop_views (&rig);
}

/* Only the part of a map that its GstVideoCropMeta shows counts. */
TEST (test_auto_convergence_of_a_crop)
{
  Views rig = new_views ("auto-convergence=0.25", FALSE, VIEW_CAPS ("RGB"),
      MAP_CAPS);
  GstBuffer *map = make_halves (0, 1, 2), *out;
  GstVideoCropMeta *crop;
  gdouble value = 0;

  map = gst_buffer_append (map, make_halves (0, 4, 8));
  gst_buffer_replace_all_memory (map, gst_buffer_get_all_memory (map));
  gst_buffer_add_video_meta (map, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY16_LE, VIEW_WIDTH, 2 * VIEW_HEIGHT);
  crop = gst_buffer_add_video_crop_meta (map);
  crop->y = VIEW_HEIGHT;
  crop->width = VIEW_WIDTH;
  crop->height = VIEW_HEIGHT;
  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, map);
  out = gst_harness_pull (rig.left);
  fail_unless (gst_structure_get_double (gst_custom_meta_get_structure
          (gst_buffer_get_custom_meta (out, "GstStereoViewMeta")),
          "convergence", &value));
  fail_unless (value == 5, "%g", value);
  gst_buffer_unref (out);
  drop_views (&rig);
}

/* A map that is smaller than its GstVideoMeta says is an error. */
TEST (test_auto_convergence_of_a_part)
{
  Views rig = new_views ("auto-convergence=0.25", FALSE, VIEW_CAPS ("RGB"),
      MAP_CAPS);
  GstBuffer *map = make_halves (0, 4, 8);
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 1 << 28, };

  gst_buffer_add_video_meta_full (map, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY16_LE, VIEW_WIDTH, VIEW_HEIGHT, 1, offset, stride);
  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, map);
  bus_expect_error (rig.bus, PATIENCE,
      "A buffer on sink_disparity ends before");
  drop_views (&rig);
}

static void
push_backwards (Views * rig)
{
  GstHarness *const inputs[] = { rig->left, rig->map };
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  segment.stop = GST_SECOND;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    fail_unless (gst_harness_push_event (inputs[i],
            gst_event_new_segment (&segment)));
}

/* Also if the video plays backwards. */
TEST (test_auto_convergence_backwards)
{
  Views rig = new_views ("auto-convergence=0.25", FALSE, VIEW_CAPS ("RGB"),
      MAP_CAPS);
  gdouble value;

  push_backwards (&rig);
  fail_unless (convergence_of (&rig, 10, 4, 8) == 5);
  for (guint i = 10; i-- > 0;)
    value = convergence_of (&rig, i, 8, 12);
  /* 10 frames of 40 ms, with a time constant of 500 ms */
  fail_unless (ABS (value - (9 - 4 * 0.4493)) < 0.001, "%g", value);
  drop_views (&rig);
}

/* A gap of maps that play backwards ends with its first image. */
TEST (test_gap_backwards)
{
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);

  push_backwards (&rig);
  push_images (&rig, 3, 3);
  gst_harness_push (rig.map, make_map (3, 3));
  check_equal (gst_harness_pull (rig.left), left_image (3));
  gst_harness_push_event (rig.map, gst_event_new_gap (FRAME, 2 * FRAME));
  for (guint i = 3; i-- > 0;)
    push_images (&rig, i, i);
  gst_harness_push (rig.map, make_map (0, 0));
  check_equal (gst_harness_pull (rig.left), left_image (0));
  drop_views (&rig);
}

/* A map that names no images, such as that of a live stereotestsrc, belongs to
 * those of its time. */
TEST (test_map_without_names)
{
  const GstStereoDisparity meta = {.disparity_scale = 4096,
    .num_disparities = 16,.left_pts = GST_CLOCK_TIME_NONE,
    .right_pts = GST_CLOCK_TIME_NONE,.algorithm = "noise",.backend = "cpu"
  };
  Views rig = new_views ("position=0", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstBuffer *map = noise (3, 1, 2 * VIEW_WIDTH * VIEW_HEIGHT);

  GST_BUFFER_PTS (map) += FRAME / 4;
  gst_stereo_meta_add (map, &meta);
  gst_harness_push (rig.map, map);
  push_images (&rig, 0, 0);
  push_images (&rig, 1, 1);
  check_equal (gst_harness_pull (rig.left), left_image (1));
  fail_unless_equals_uint64 (stat_of (&rig, "unused-left"), 1);
  fail_unless_equals_uint64 (stat_of (&rig, "unpaired"), 0);
  drop_views (&rig);
}

/* Images that the matcher skipped are dropped, and a map whose image was
 * dropped is never used. */
TEST (test_skipped)
{
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstMessage *message;

  gst_harness_push (rig.map, make_map (2, 2));
  for (guint i = 0; i < 3; i++)
    push_images (&rig, i, i);
  check_equal (gst_harness_pull (rig.left), left_image (2));
  fail_unless_equals_uint64 (stat_of (&rig, "unused-left"), 2);

  gst_harness_push (rig.map, make_map (3, 3));
  push_images (&rig, 4, 4);
  gst_harness_push (rig.map, make_map (4, 4));
  check_equal (gst_harness_pull (rig.left), left_image (4));
  message = wait_for_message (&rig, GST_MESSAGE_ELEMENT);
  fail_unless (gst_message_has_name (message, "stereo-unpaired"));
  gst_message_unref (message);
  fail_unless_equals_uint64 (stat_of (&rig, "unpaired"), 1);
  fail_unless_equals_uint64 (stat_of (&rig, "rendered"), 2);
  drop_views (&rig);
}

/* Negative numbers: no image of that view. */
static void
push_unmatched (Views * rig, gint left, gint right)
{
  GstStructure *structure = gst_structure_new_empty ("stereo-unmatched");

  if (left >= 0)
    gst_structure_set (structure, "left-pts", G_TYPE_UINT64, left * FRAME,
        NULL);
  if (right >= 0)
    gst_structure_set (structure, "right-pts", G_TYPE_UINT64, right * FRAME,
        NULL);
  fail_unless (gst_harness_push_event (rig->map,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, structure)));
}

/* Unmatched images do not wait for the next map: they would block their
 * sources, and the matcher would receive no pair. */
LOOP_TEST (test_unmatched, FALSE, TRUE + 1)
{
  Views rig = new_views ("position=0", __i__, VIEW_CAPS ("RGB"), MAP_CAPS);

  push_unmatched (&rig, 0, 1);
  for (gint i = 0; i < 5; i++) {
    push_images (&rig, (guint) i, (guint) i + 1);
    if (i == 1 || i == 3) {
      push_unmatched (&rig, i, i + 1);
    } else if (i == 2) {
      push_unmatched (&rig, i, -1);
      push_unmatched (&rig, -1, i + 1);
    }
  }
  gst_harness_push (rig.map, make_map (4, 5));
  check_equal (gst_harness_pull (rig.left), left_image (4));
  fail_unless_equals_uint64 (stat_of (&rig, "unused-left"), 4);
  fail_unless_equals_uint64 (stat_of (&rig, "unpaired"), 0);
  fail_unless_equals_int (gst_harness_buffers_in_queue (rig.left), 0);
  drop_views (&rig);
}

/* Unmatched right images that do not come here do not block the matcher. */
TEST (test_unmatched_of_the_other_view)
{
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);

  for (gint i = 0; i < 5; i++)
    push_unmatched (&rig, -1, i);
  push_images (&rig, 5, 5);
  gst_harness_push (rig.map, make_map (5, 5));
  check_equal (gst_harness_pull (rig.left), left_image (5));
  drop_views (&rig);
}

/* Right images that the matcher skipped are dropped. */
TEST (test_skipped_right)
{
  Views rig = new_views ("position=1", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);

  gst_harness_push (rig.map, make_map (1, 2));
  fail_unless_equals_int (gst_harness_push (rig.left, left_image (1)),
      GST_FLOW_OK);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (rig.right, right_image (i)),
        GST_FLOW_OK);
  check_equal (gst_harness_pull (rig.left), right_image (2));
  fail_unless_equals_uint64 (stat_of (&rig, "unused-left"), 0);
  fail_unless_equals_uint64 (stat_of (&rig, "unused-right"), 2);
  drop_views (&rig);
}

/* An image without a timestamp and a map with one. */
TEST (test_some_timestamps)
{
  Views rig = new_views ("", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstBuffer *left = left_image (0);
  GstMessage *message;
  GError *error;

  GST_BUFFER_PTS (left) = GST_CLOCK_TIME_NONE;
  g_object_set (rig.left->element, "disparity-scale", 4096.0, NULL);
  gst_harness_push (rig.left, left);
  gst_harness_push (rig.map, noise (3, 0, 2 * VIEW_WIDTH * VIEW_HEIGHT));
  message = wait_for_message (&rig, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT));
  fail_unless (strstr (error->message, "some have timestamps and some have "
          "none") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  drop_views (&rig);
}

TEST (test_eos)
{
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstEvent *event;
  gboolean eos = FALSE;

  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  gst_buffer_unref (gst_harness_pull (rig.left));
  push_images (&rig, 1, 1);
  gst_harness_push_event (rig.map, gst_event_new_eos ());
  while (!eos && (event = gst_harness_pull_event (rig.left)) != NULL) {
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (eos);
  fail_unless_equals_uint64 (stat_of (&rig, "unused-left"), 1);
  drop_views (&rig);
}

/* A source of images or maps that continues after EOS of the other. */
typedef struct
{
  GstHarness *h;
  gboolean maps;
} LongSource;

static gpointer
push_until_refused (gpointer user_data)
{
  const LongSource *source = user_data;
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < 8 && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (source->h, source->maps ? make_map (i, i)
        : left_image (i));
  return GINT_TO_POINTER (flow);
}

static void
flush_and_restart (GstHarness * h, guint32 seqnum, gboolean start)
{
  GstEvent *event = start ? gst_event_new_flush_start ()
      : gst_event_new_flush_stop (TRUE);
  GstSegment segment;

  gst_event_set_seqnum (event, seqnum);
  fail_unless (gst_harness_push_event (h, event));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  if (!start)
    fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* After EOS no source blocks, until a flush. */
LOOP_TEST (test_eos_reaches_the_other_source, 0, 2)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *harnesses[] = { rig.left, rig.map };
  LongSource source = { harnesses[__i__], __i__ == 1 };
  GThread *thread = g_thread_new ("source", push_until_refused, &source);

  gst_harness_push (harnesses[!__i__], __i__ ? left_image (0)
      : make_map (0, 0));
  gst_harness_push_event (harnesses[!__i__], gst_event_new_eos ());
  gst_event_unref (wait_event (rig.left, GST_EVENT_EOS));
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)),
      GST_FLOW_EOS);
  gst_buffer_unref (gst_harness_pull (rig.left));

  for (guint i = 0; i < 4; i++)
    flush_and_restart (harnesses[i % 2], seqnum, i < 2);
  fail_unless_equals_int (gst_harness_push (rig.left, left_image (9)),
      GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (rig.map, make_map (9, 9)),
      GST_FLOW_OK);
  check_equal (gst_harness_pull (rig.left), left_image (9));
  drop_views (&rig);
}

/* The first frame after a seek does not depend on those before. */
TEST (test_auto_convergence_after_a_flush)
{
  Views rig = new_views ("auto-convergence=0.25", FALSE, VIEW_CAPS ("RGB"),
      MAP_CAPS);
  GstHarness *const inputs[] = { rig.left, rig.map };
  const guint32 seqnum = gst_util_seqnum_next ();

  fail_unless (convergence_of (&rig, 0, 4, 8) == 5);
  for (guint i = 0; i < 4; i++)
    flush_and_restart (inputs[i % 2], seqnum, i < 2);
  fail_unless (convergence_of (&rig, 1, 8, 12) == 9);
  drop_views (&rig);
}

static gpointer
send_query (gpointer pad)
{
  GstQuery *drain = gst_query_new_drain ();

  gst_pad_query (pad, drain);
  gst_query_unref (drain);
  return NULL;
}

/* The end needs no more data of an input whose source is not blocked. */
TEST (test_eos_while_one_source_is_blocked)
{
  Views rig = new_views ("position=0", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstPad *pad = gst_pad_get_peer (rig.left->srcpad);
  GThread *thread;

  push_images (&rig, 0, 0);
  thread = g_thread_new ("source", send_query, pad);
  while (GST_PAD_STREAM_TRYLOCK (pad)) {
    GST_PAD_STREAM_UNLOCK (pad);
    g_usleep (200);
  }
  gst_harness_push_event (rig.map, gst_event_new_eos ());
  gst_event_unref (wait_event (rig.left, GST_EVENT_EOS));
  g_thread_join (thread);
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (gst_harness_push (i == 0 ? rig.left : rig.right,
            left_image (1)), GST_FLOW_EOS);
  gst_object_unref (pad);
  drop_views (&rig);
}

/* The right pad may be released. */
TEST (test_release)
{
  Views rig = new_views ("position=1", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstPad *pad;

  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  check_equal (gst_harness_pull (rig.left), right_image (0));
  /* releases the pad */
  gst_harness_teardown (rig.right);
  rig.right = NULL;
  pad = gst_element_get_static_pad (rig.left->element, "sink_right");
  fail_unless (pad == NULL);
  g_object_set (rig.left->element, "position", 0.0, NULL);
  push_images (&rig, 1, 1);
  gst_harness_push (rig.map, make_map (1, 1));
  check_equal (gst_harness_pull (rig.left), left_image (1));
  drop_views (&rig);
}

/* The layout may change; the caps describe the frame. */
TEST (test_layouts)
{
  static const struct
  {
    const gchar *layout;
    gint width, height;
    const gchar *mode;
  } layouts[] = {
    {"mono", VIEW_WIDTH, VIEW_HEIGHT, NULL},
    {"side-by-side", 2 * VIEW_WIDTH, VIEW_HEIGHT, "side-by-side"},
    {"top-bottom", VIEW_WIDTH, 2 * VIEW_HEIGHT, "top-bottom"},
    {"row-interleaved", VIEW_WIDTH, VIEW_HEIGHT, "row-interleaved"},
    {"column-interleaved", VIEW_WIDTH, VIEW_HEIGHT, "column-interleaved"},
    {"checkerboard", VIEW_WIDTH, VIEW_HEIGHT, "checkerboard"},
    {"anaglyph", VIEW_WIDTH, VIEW_HEIGHT, NULL},
    {"quilt", 3 * VIEW_WIDTH, 2 * VIEW_HEIGHT, NULL},
  };
  Views rig = new_views ("columns=3 rows=2", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++) {
    GstBuffer *out;
    GstCaps *caps;
    GstStructure *s;
    gint width = 0, height = 0;

    gst_util_set_object_arg (G_OBJECT (rig.left->element), "layout",
        layouts[i].layout);
    push_images (&rig, i, i);
    gst_harness_push (rig.map, make_map (i, i));
    out = gst_harness_pull (rig.left);
    caps = gst_pad_get_current_caps (rig.left->sinkpad);
    s = gst_caps_get_structure (caps, 0);
    fail_unless (gst_structure_get_int (s, "width", &width));
    fail_unless (gst_structure_get_int (s, "height", &height));
    fail_unless_equals_int (width, layouts[i].width);
    fail_unless_equals_int (height, layouts[i].height);
    fail_unless_equals_string (gst_structure_get_string (s, "multiview-mode"),
        layouts[i].mode);
    fail_unless_equals_int (gst_buffer_get_size (out), 3 * width * height);
    gst_caps_unref (caps);
    gst_buffer_unref (out);
  }
  drop_views (&rig);
}

/* The position of pixel (x, y) of a split view in the rendered view:
 * interleaved frames have every other row, column or pixel. */
static void
origin_of (const gchar * layout, gboolean right, gint * x, gint * y)
{
  if (g_str_equal (layout, "row-interleaved"))
    *y = 2 * *y + right;
  else if (g_str_equal (layout, "column-interleaved"))
    *x = 2 * *x + right;
  else if (g_str_equal (layout, "checkerboard"))
    *x = 2 * *x + (*y + right) % 2;
}

static void
check_half (GstHarness * harness, const gchar * layout, gboolean right,
    GstBuffer * whole, gint bytes)
{
  GstBuffer *half = gst_harness_pull (harness);
  GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);
  GstVideoInfo info;
  GstMapInfo a, b;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_buffer_map (half, &a, GST_MAP_READ));
  fail_unless (gst_buffer_map (whole, &b, GST_MAP_READ));
  fail_unless_equals_int (a.size, bytes * info.width * info.height);
  for (gint y = 0; y < info.height; y++) {
    for (gint x = 0; x < info.width; x++) {
      gint from_x = x, from_y = y;

      origin_of (layout, right, &from_x, &from_y);
      fail_unless (memcmp (a.data + bytes * (y * info.width + x),
              b.data + bytes * (from_y * VIEW_WIDTH + from_x), bytes) == 0,
          "%s: pixel (%d, %d) of the %s view", layout, x, y, right ? "right"
          : "left");
    }
  }
  gst_buffer_unmap (whole, &b);
  gst_buffer_unmap (half, &a);
  gst_caps_unref (caps);
  gst_buffer_unref (whole);
  gst_buffer_unref (half);
}

/* Packs both views and splits the frame again with stereosplit, which gets the
 * layout from the caps. */
static void
check_split (const gchar * layout, const gchar * caps, gint bytes)
{
  const gsize size = (gsize) (bytes * VIEW_WIDTH * VIEW_HEIGHT);
  Views rig = new_views ("", TRUE, caps, MAP_CAPS);
  GstElement *split = gst_element_factory_make ("stereosplit", NULL);
  GstHarness *left = gst_harness_new_with_element (split, "sink", "src_left");
  GstHarness *right = gst_harness_new_with_element (split, NULL, "src_right");

  gst_object_unref (split);
  gst_util_set_object_arg (G_OBJECT (rig.left->element), "layout", layout);
  gst_harness_push (rig.left, noise (1, 0, size));
  gst_harness_push (rig.right, noise (2, 0, size));
  gst_harness_push (rig.map, make_map (0, 0));
  {
    GstBuffer *frame = gst_harness_pull (rig.left);
    GstCaps *frame_caps = gst_pad_get_current_caps (rig.left->sinkpad);

    gst_harness_set_src_caps (left, frame_caps);
    fail_unless_equals_int (gst_harness_push (left, frame), GST_FLOW_OK);
  }
  check_half (left, layout, FALSE, noise (1, 0, size), bytes);
  check_half (right, layout, TRUE, noise (2, 0, size), bytes);
  gst_harness_teardown (right);
  gst_harness_teardown (left);
  drop_views (&rig);
}

TEST (test_split_again)
{
  static const gchar *const layouts[] = { "side-by-side", "top-bottom",
    "row-interleaved", "column-interleaved", "checkerboard"
  };

  for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
    check_split (layouts[l], VIEW_CAPS ("RGB"), 3);
    check_split (layouts[l], VIEW_CAPS ("GRAY16_LE"), 2);
  }
}

/* Splits a packed frame with stereosplit and packs the views again. */
static void
check_packed_again (const gchar * layout)
{
  gchar *line = g_strdup_printf ("stereotestsrc view=%s num-buffers=1 "
      "num-disparities=16 ! video/x-raw,format=NV12,%s ! tee name=t "
      "t. ! queue ! appsink name=expected sync=false "
      "t. ! queue ! stereosplit name=s s.src_left ! queue ! v.sink_left "
      "s.src_right ! queue ! v.sink_right "
      "stereotestsrc view=disparity num-buffers=1 num-disparities=16 ! "
      "video/x-raw,width=64,height=48 ! v.sink_disparity "
      "stereoview name=v layout=%s ! appsink name=found sync=false", layout,
      g_str_equal (layout, "top-bottom") ? "width=64,height=96"
      : "width=128,height=48", layout);
  static const gchar *const names[] = { "expected", "found" };
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstBuffer *frames[2];

  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 2; i++) {
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), names[i]);
    GstSample *sample = NULL;

    g_signal_emit_by_name (sink, "pull-sample", &sample);
    fail_unless (sample != NULL, "no output from %s", line);
    frames[i] = gst_buffer_ref (gst_sample_get_buffer (sample));
    gst_sample_unref (sample);
    gst_object_unref (sink);
  }
  check_equal (frames[0], frames[1]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
}

TEST (test_packed_again)
{
  check_packed_again ("side-by-side");
  check_packed_again ("top-bottom");
}

/* Formats with more than 8 bits, at positions 0 and 1. */
TEST (test_wide_formats)
{
  static const struct
  {
    const gchar *caps;
    gsize size;
    gboolean padded;
  } formats[] = {
    {VIEW_CAPS ("GRAY16_LE"), 2 * 64 * 6, FALSE},
    {VIEW_CAPS ("I420_10LE"), 3 * 64 * 6, FALSE},
    {VIEW_CAPS ("I422_10LE"), 4 * 64 * 6, FALSE},
    {VIEW_CAPS ("Y444_10LE"), 6 * 64 * 6, FALSE},
    {VIEW_CAPS ("P010_10LE"), 3 * 64 * 6, TRUE},
  };

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    Views rig = new_views ("", TRUE, formats[f].caps, MAP_CAPS);

    for (guint i = 0; i < 2; i++) {
      GstBuffer *images[2];

      for (guint k = 0; k < 2; k++) {
        GstMapInfo map;

        images[k] = noise (1 + k, i, formats[f].size);
        fail_unless (gst_buffer_map (images[k], &map, GST_MAP_WRITE));
        for (gsize b = 0; b < map.size && formats[f].padded; b += 2)
          map.data[b] &= 0xc0;
        gst_buffer_unmap (images[k], &map);
      }
      g_object_set (rig.left->element, "position", (gdouble) i, NULL);
      gst_harness_push (rig.left, gst_buffer_ref (images[0]));
      gst_harness_push (rig.right, gst_buffer_ref (images[1]));
      gst_harness_push (rig.map, make_map (i, i));
      check_equal (gst_harness_pull (rig.left), gst_buffer_ref (images[i]));
      gst_buffer_unref (images[0]);
      gst_buffer_unref (images[1]);
    }
    drop_views (&rig);
  }
}

/* A control source sets the position at the time of each frame. */
TEST (test_controlled)
{
  Views rig = new_views ("", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 0.0);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      2 * FRAME, 1.0);
  gst_object_add_control_binding (GST_OBJECT (rig.left->element),
      gst_direct_control_binding_new_absolute (GST_OBJECT (rig.left->element),
          "position", source));
  gst_object_unref (source);
  for (guint i = 0; i < 4; i++) {
    push_images (&rig, i, i);
    gst_harness_push (rig.map, make_map (i, i));
    check_equal (gst_harness_pull (rig.left), i < 2 ? left_image (i)
        : right_image (i));
  }
  drop_views (&rig);
}

TEST (test_map_size)
{
  Views rig = new_views ("", FALSE, VIEW_CAPS ("RGB"),
      "video/x-raw,format=GRAY8,width=63,height=6,framerate=25/1");

  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, noise (3, 0, 64 * 6));
  bus_expect_error (rig.bus, PATIENCE,
      "has 63x6: expected the size of the views, 64x6");
  drop_views (&rig);
}

/* Views of another size are rejected, with both sizes; scaled views are
 * tiled. */
TEST (test_tile_size)
{
  Views rig = new_views ("tile-width=60", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);

  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  bus_expect_error (rig.bus, PATIENCE, "60x0 (0 = any), got 64x6");
  drop_views (&rig);
}

/* Renders views of 64x48 and checks the size of the frames. */
static void
check_frame_size (const gchar * properties, gint width, gint height)
{
  gchar *line = g_strdup_printf ("stereotestsrc view=left num-buffers=1 ! "
      "video/x-raw,format=RGB,width=64,height=48 ! videoscale ! v.sink_left "
      "stereotestsrc view=right num-buffers=1 ! "
      "video/x-raw,format=RGB,width=64,height=48 ! videoscale ! v.sink_right "
      "stereotestsrc view=disparity num-buffers=1 ! video/x-raw,"
      "width=%d,height=%d ! v.sink_disparity "
      "stereoview name=v layout=quilt backend=cpu columns=3 rows=2 %s ! "
      "fakesink name=s", width / 3, height / 2, properties);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GstVideoInfo info;
  GstCaps *caps;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE,
      GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_ERROR);
  fail_unless (message != NULL
      && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ASYNC_DONE, "%s", line);
  caps = gst_pad_get_current_caps (pad);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&info), width);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), height);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_caps_unref (caps);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (line);
}

TEST (test_scaled_to_tiles)
{
  check_frame_size ("", 3 * 64, 2 * 48);
  check_frame_size ("tile-width=32 tile-height=40", 3 * 32, 2 * 40);
}

/* The published quilt sizes, rounded to whole tiles. */
TEST (test_displays)
{
  static const struct
  {
    const gchar *preset;
    gint views;
    gint width;
    gint height;
  } displays[] = {
    {"looking-glass-portrait", 48, 3360, 3360},
    {"looking-glass-go", 66, 4092, 4092},
    {"looking-glass-16", 45, 4095, 4095},
  };

  for (guint i = 0; i < G_N_ELEMENTS (displays); i++) {
    GstElement *view = gst_element_factory_make ("stereoview", NULL);
    guint columns, rows, width, height;
    gint layout;

    fail_unless (gst_preset_load_preset (GST_PRESET (view),
            displays[i].preset), "%s", displays[i].preset);
    g_object_get (view, "layout", &layout, "columns", &columns, "rows", &rows,
        "tile-width", &width, "tile-height", &height, NULL);
    fail_unless_equals_int (layout, STEREO_VIEW_QUILT);
    fail_unless_equals_int (columns * rows, displays[i].views);
    fail_unless_equals_int (columns * width, displays[i].width);
    fail_unless_equals_int (rows * height, displays[i].height);
    gst_object_unref (view);
  }
}

TEST (test_formats_differ)
{
  Views rig = new_views ("", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);

  gst_harness_set_src_caps_str (rig.right, VIEW_CAPS ("BGR"));
  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  bus_expect_error (rig.bus, PATIENCE, "The views differ: sink_left has RGB of "
      "64x6, sink_right BGR of 64x6. They must be equal: put videoconvert, "
      "videoscale and the caps video/x-raw,format=RGB,width=64,height=6 before "
      "sink_right.");
  drop_views (&rig);
}

TEST (test_other_result)
{
  Views rig = new_views ("", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstBuffer *map = noise (3, 0, 2 * VIEW_WIDTH * VIEW_HEIGHT);
  GstStereoDisparity meta = {.result = STEREO_RESULT_CONFIDENCE,
    .scale = 65535,.invalid_value = GST_STEREO_META_NO_INVALID,
    .left_pts = 0,.right_pts = 0,.algorithm = "noise",.backend = "cpu"
  };

  gst_stereo_meta_add (map, &meta);
  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, map);
  bus_expect_error (rig.bus, PATIENCE, "got 'confidence'");
  drop_views (&rig);
}

/* A map without a meta is paired by its timestamp, with a warning. */
TEST (test_no_meta)
{
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstMessage *message;

  for (guint i = 0; i < 3; i++) {
    push_images (&rig, i, i);
    gst_harness_push (rig.map, noise (3, i, 2 * VIEW_WIDTH * VIEW_HEIGHT));
    check_equal (gst_harness_pull (rig.left), left_image (i));
  }
  message = wait_for_message (&rig, GST_MESSAGE_WARNING);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (rig.bus, GST_MESSAGE_WARNING) == NULL);
  drop_views (&rig);
}

/* ------------------------------------------------------------- pads view_%u */

/* Requests a view pad and adds a sink. */
static GstHarness *
add_view (Views * rig, const gchar * name, gdouble position)
{
  GstHarness *sink = gst_harness_new_with_element (rig->left->element, NULL,
      name);
  GstPad *pad = gst_element_get_static_pad (rig->left->element, name);

  fail_unless (pad != NULL);
  g_object_set (pad, "position", position, NULL);
  gst_object_unref (pad);
  return sink;
}

static void
push_all (Views * rig, guint i)
{
  push_images (rig, i, i);
  fail_unless_equals_int (gst_harness_push (rig->map, make_map (i, i)),
      GST_FLOW_OK);
}

/* Each pad has its own position, whatever the layout of src. */
TEST (test_more_views)
{
  static const gchar *const layouts[] = { "mono", "side-by-side", "quilt" };

  for (guint l = 0; l < G_N_ELEMENTS (layouts); l++) {
    gchar *properties = g_strdup_printf ("position=0 columns=3 rows=1 "
        "layout=%s", layouts[l]);
    Views rig = new_views (properties, TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
    GstHarness *a = add_view (&rig, "view_0", 0);
    GstHarness *b = add_view (&rig, "view_1", 1);

    for (guint i = 0; i < 3; i++) {
      GstBuffer *out, *left;
      GstStructure *s;
      gdouble at = -1;

      push_all (&rig, i);
      out = gst_harness_pull (rig.left);
      left = gst_harness_pull (a);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (left), GST_BUFFER_PTS (out));
      fail_unless_equals_uint64 (GST_BUFFER_DURATION (left), FRAME);
      fail_unless_equals_int (GST_BUFFER_FLAG_IS_SET (left,
              GST_BUFFER_FLAG_DISCONT), i == 0);
      fail_unless_equals_int (gst_buffer_get_size (out) / RGB_SIZE,
          l == 0 ? 1 : l == 1 ? 2 : 3);
      gst_buffer_unref (out);
      check_equal (left, left_image (i));
      out = gst_harness_pull (b);
      s = gst_custom_meta_get_structure (gst_buffer_get_custom_meta (out,
              "GstStereoViewMeta"));
      fail_unless (gst_structure_get_double (s, "position", &at));
      fail_unless (at == 1);
      fail_unless_equals_string (gst_structure_get_string (s, "layout"),
          "mono");
      check_equal (out, right_image (i));
    }
    gst_harness_teardown (a);
    gst_harness_teardown (b);
    drop_views (&rig);
    g_free (properties);
  }
}

/* A view pad and src render the same view at the same position. */
TEST (test_view_like_src)
{
  Views rig = new_views ("position=0.375", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *view = add_view (&rig, "view_0", 0.375);

  push_all (&rig, 0);
  check_equal (gst_harness_pull (rig.left), gst_harness_pull (view));
  gst_harness_teardown (view);
  drop_views (&rig);
}

TEST (test_view_names)
{
  GstElement *element = gst_element_factory_make ("stereoview", NULL);
  static const gchar *const asked[] = { "view_1", "view_%u", "view_%u" };
  static const gchar *const given[] = { "view_1", "view_0", "view_2" };
  GstPad *pads[3];

  for (guint i = 0; i < 3; i++) {
    pads[i] = gst_element_request_pad_simple (element, asked[i]);
    fail_unless (pads[i] != NULL);
    fail_unless_equals_string (GST_PAD_NAME (pads[i]), given[i]);
  }
  fail_unless_equals_int (gst_child_proxy_get_children_count
      (GST_CHILD_PROXY (element)), 3);
  ASSERT_CRITICAL (fail_unless (gst_element_request_pad_simple (element,
              "view_1") == NULL));
  gst_element_release_request_pad (element, pads[0]);
  gst_object_unref (pads[0]);
  pads[0] = gst_element_request_pad_simple (element, "view_%u");
  fail_unless_equals_string (GST_PAD_NAME (pads[0]), "view_1");
  for (guint i = 0; i < 3; i++) {
    gst_element_release_request_pad (element, pads[i]);
    gst_object_unref (pads[i]);
  }
  fail_unless_equals_int (gst_child_proxy_get_children_count
      (GST_CHILD_PROXY (element)), 0);
  gst_object_unref (element);
}

/* Unlinked pads are not rendered, and pads may be requested and released at any
 * time. */
TEST (test_view_request_and_release)
{
  Views rig = new_views ("position=0", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstPad *unlinked = gst_element_request_pad_simple (rig.left->element,
      "view_7");

  for (guint i = 0; i < 4; i++) {
    GstHarness *view = i % 2 ? add_view (&rig, "view_0", 1) : NULL;

    push_all (&rig, i);
    check_equal (gst_harness_pull (rig.left), left_image (i));
    if (view != NULL) {
      GstBuffer *out = gst_harness_pull (view);

      fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DISCONT));
      check_equal (out, right_image (i));
      gst_harness_teardown (view);
    }
  }
  gst_element_release_request_pad (rig.left->element, unlinked);
  gst_object_unref (unlinked);
  drop_views (&rig);
}

/* The stream of a view pad starts and ends with that of src. */
TEST (test_view_events)
{
  static const GstEventType expected[] = { GST_EVENT_STREAM_START,
    GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_FLUSH_START,
    GST_EVENT_FLUSH_STOP, GST_EVENT_SEGMENT, GST_EVENT_EOS
  };
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *view = add_view (&rig, "view_0", 0);
  GstHarness *const sources[2] = { rig.left, rig.map };
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (TRUE);
  guint n = 0;

  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  push_all (&rig, 0);
  check_equal (gst_harness_pull (view), left_image (0));
  for (guint i = 0; i < 2; i++)
    gst_harness_push_event (sources[i], gst_event_ref (start));
  for (guint i = 0; i < 2; i++)
    gst_harness_push_event (sources[i], gst_event_ref (stop));
  for (guint i = 0; i < 2; i++) {
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (sources[i], gst_event_new_segment (&segment));
  }
  push_all (&rig, 0);
  check_equal (gst_harness_pull (view), left_image (0));
  for (guint i = 0; i < 2; i++)
    gst_harness_push_event (sources[i], gst_event_new_eos ());
  while (n < G_N_ELEMENTS (expected)) {
    GstEvent *event = gst_harness_pull_event (view);

    fail_unless (event != NULL);
    if (GST_EVENT_TYPE (event) != GST_EVENT_RECONFIGURE
        && GST_EVENT_TYPE (event) != GST_EVENT_LATENCY)
      fail_unless_equals_string (GST_EVENT_TYPE_NAME (event),
          gst_event_type_get_name (expected[n++]));
    gst_event_unref (event);
  }
  gst_event_unref (start);
  gst_event_unref (stop);
  gst_harness_teardown (view);
  drop_views (&rig);
}

TEST (test_view_refused)
{
  Views rig = new_views ("", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *view = add_view (&rig, "view_0", 0);

  gst_harness_set_sink_caps_str (view, VIEW_CAPS ("BGR"));
  push_images (&rig, 0, 0);
  gst_harness_push (rig.map, make_map (0, 0));
  bus_expect_error (rig.bus, PATIENCE, "Downstream of view_0 does not accept ");
  gst_harness_teardown (view);
  drop_views (&rig);
}

/* A pad's position has its own control source. */
TEST (test_view_controlled)
{
  Views rig = new_views ("position=0", TRUE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *view = add_view (&rig, "view_0", 0.5);
  GstPad *pad = gst_element_get_static_pad (rig.left->element, "view_0");
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      0, 0.0);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source),
      2 * FRAME, 1.0);
  gst_object_add_control_binding (GST_OBJECT (pad),
      gst_direct_control_binding_new_absolute (GST_OBJECT (pad), "position",
          source));
  gst_object_unref (source);
  gst_object_unref (pad);
  for (guint i = 0; i < 4; i++) {
    push_all (&rig, i);
    check_equal (gst_harness_pull (rig.left), left_image (i));
    check_equal (gst_harness_pull (view), i < 2 ? left_image (i)
        : right_image (i));
  }
  gst_harness_teardown (view);
  drop_views (&rig);
}

static void
on_samples_selected (GstElement * element, GstSegment * segment, guint64 pts,
    guint64 dts, guint64 duration, GstStructure * info, guint * calls)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink_disparity");
  GstSample *sample = gst_aggregator_peek_next_sample (GST_AGGREGATOR
      (element), GST_AGGREGATOR_PAD (pad));

  fail_unless (sample != NULL);
  fail_unless_equals_uint64 (pts, *calls * FRAME);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (gst_sample_get_buffer (sample)),
      pts);
  gst_sample_unref (sample);
  gst_object_unref (pad);
  g_object_set (element, "position", (gdouble) ((*calls)++ % 2), NULL);
}

/* What a handler of samples-selected sets applies to these samples. */
TEST (test_samples_selected)
{
  Views rig = new_views ("emit-signals=true", TRUE, VIEW_CAPS ("RGB"),
      MAP_CAPS);
  guint calls = 0;

  g_signal_connect (rig.left->element, "samples-selected",
      G_CALLBACK (on_samples_selected), &calls);
  for (guint i = 0; i < 4; i++) {
    push_all (&rig, i);
    check_equal (gst_harness_pull (rig.left), i % 2 == 0 ? left_image (i)
        : right_image (i));
  }
  fail_unless_equals_int (calls, 4);
  drop_views (&rig);
}

/* A frame is skipped only if it is too late on all pads. */
TEST (test_view_qos)
{
  Views rig = new_views ("position=0", FALSE, VIEW_CAPS ("RGB"), MAP_CAPS);
  GstHarness *view = add_view (&rig, "view_0", 0);

  push_all (&rig, 0);
  gst_buffer_unref (gst_harness_pull (rig.left));
  gst_buffer_unref (gst_harness_pull (view));
  gst_harness_push_upstream_event (rig.left, gst_event_new_qos
      (GST_QOS_TYPE_UNDERFLOW, 2, 0, 5 * FRAME));
  push_all (&rig, 1);
  gst_buffer_unref (gst_harness_pull (rig.left));
  gst_harness_push_upstream_event (view, gst_event_new_qos
      (GST_QOS_TYPE_UNDERFLOW, 2, 0, 5 * FRAME));
  push_all (&rig, 2);
  push_all (&rig, 5);
  check_equal (gst_harness_pull (rig.left), left_image (5));
  fail_unless_equals_uint64 (stat_of (&rig, "qos-dropped"), 1);
  gst_harness_teardown (view);
  drop_views (&rig);
}

/* A buffer without caps is an error. */
LOOP_TEST (test_view_without_caps, 0, 2)
{
  GstElement *element = gst_object_ref_sink (gst_element_factory_make
      ("stereoview", NULL));
  GstHarness *h[2] = { gst_harness_new_with_element (element, "sink_left",
        "src"), gst_harness_new_with_element (element, "sink_disparity", NULL)
  };
  GstBus *bus = gst_bus_new ();
  GError *error = NULL;
  GstMessage *message;
  GstSegment segment;

  gst_element_set_bus (element, bus);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_set_src_caps_str (h[__i__], "video/x-raw,format=GRAY8,width=32,"
      "height=16,framerate=25/1");
  gst_harness_push_event (h[!__i__], gst_event_new_stream_start ("map"));
  gst_harness_push_event (h[!__i__], gst_event_new_segment (&segment));
  for (guint i = 0; i < 2; i++)
    (void) gst_harness_push (h[i], noise (1, 0, 32 * 16));
  message = gst_bus_timed_pop_filtered (bus, PATIENCE, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_STREAM_ERROR,
          GST_STREAM_ERROR_FORMAT));
  fail_unless (strstr (error->message, "has no caps") != NULL, "%s",
      error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_harness_teardown (h[1]);
  gst_harness_teardown (h[0]);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

/* A launch line with two view pads, stopped while its queues are full. */
TEST (test_view_pipeline)
{
  GstElement *pipeline = gst_parse_launch ("stereotestsrc view=left "
      "num-disparities=16 ! video/x-raw,width=64,height=48 ! v.sink_left "
      "stereotestsrc view=disparity num-disparities=16 ! "
      "video/x-raw,width=64,height=48 ! v.sink_disparity stereoview name=v "
      "view_0::position=0.25 view_1::position=0.75 v.src ! queue ! fakesink "
      "sync=false v.view_0 ! queue ! fakesink sync=false v.view_1 ! queue ! "
      "fakesink sync=false async=false", NULL);
  GstElement *view = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  gdouble position = 0;
  GstMessage *message;
  GstBus *bus = gst_element_get_bus (pipeline);

  gst_child_proxy_get (GST_CHILD_PROXY (view), "view_1::position", &position,
      NULL);
  fail_unless (position == 0.75);
  for (guint i = 0; i < 3; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, PATIENCE,
        GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_ERROR);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message),
        GST_MESSAGE_ASYNC_DONE);
    gst_message_unref (message);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  gst_object_unref (bus);
  gst_object_unref (view);
  gst_object_unref (pipeline);
}

CHECK_MAIN_FIXTURE ("stereoview", gst_stereo_meta_register, NULL)
