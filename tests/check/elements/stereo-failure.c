/* gst-stereomatching: a GPU that is out of memory or fails
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Needs a GPU and STEREO_TEST_BACKEND=cuda; skipped otherwise. tests/frames
 * does the same with a fake GPU.
 */

#include "../stereocheck.h"
#include "stereo-cuda.h"

#include <string.h>

#define MATCHER "stereovcbw radius=2 n-threads=1 backend=%s"
#define MAX_BLOCKS 256

/* FALSE unless the tests run on a GPU. */
static gboolean
open_gpu (StereoDevice ** device)
{
  StereoMessage why;

  if (strcmp (test_backend (), "cuda") != 0)
    return FALSE;
  keep_backends (TRUE);
  fail_unless (stereo_device_new_cuda (-1, device, &why) == STEREO_OK, "%s",
      why.text);
  return TRUE;
}

static void
open_rig (Rig * rig, const gchar * backend)
{
  gchar *launch = g_strdup_printf (MATCHER, backend);

  rig_open_with_caps (rig, launch, CAPS, CAPS);
  g_free (launch);
}

static void
push (Rig * rig, gint number)
{
  for (gint i = 0; i < 2; i++)
    gst_harness_push (rig->view[i], numbered_image (i, number));
}

static GstBuffer *
pull (Rig * rig)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE / 1000;
  GstBuffer *map;

  while ((map = gst_harness_try_pull (rig->view[LEFT])) == NULL) {
    fail_unless (g_get_monotonic_time () < end, "no map");
    g_usleep (200);
  }
  return map;
}

static void
check_cpu (Rig * rig)
{
  GstStructure *stats = NULL;

  g_object_get (rig->element, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "backend"),
      "cpu");
  gst_structure_free (stats);
}

/* One warning about the fallback to the CPU, then maps from the CPU. */
static void
expect_cpu (Rig * rig)
{
  for (gint i = 2; i < 6; i++) {
    GstBuffer *map;

    push (rig, i);
    map = pull (rig);
    check_numbers (map, i, i);
    gst_buffer_unref (map);
  }
  check_cpu (rig);
  rig_expect_warning (rig, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, "Falling back to the CPU", NULL);
  rig_expect_no_error (rig);
}

/* Allocates all free GPU memory. */
static guint
fill_up (StereoDevice * device, void *blocks[MAX_BLOCKS])
{
  StereoMessage why;
  guint n = 0;

  for (gsize bytes = (gsize) 16 << 30; bytes >= 4096; bytes /= 2) {
    while (n < MAX_BLOCKS && stereo_device_alloc (device, bytes, &blocks[n],
            &why) == STEREO_OK)
      n++;
  }
  return n;
}

/* Images that exceed the remaining GPU memory. */
#define LARGE "video/x-raw, format=GRAY8, width=1920, height=1080, " \
    "framerate=25/1"

static void
open_large (Rig * rig, const gchar * backend)
{
  gchar *launch = g_strdup_printf (MATCHER, backend);

  rig_open_with_caps (rig, launch, LARGE, LARGE);
  g_free (launch);
}

static void
push_large (Rig * rig, gint number)
{
  for (gint i = 0; i < 2; i++) {
    GstBuffer *image = gray_image (1920, 1080, 7 * i);

    GST_BUFFER_PTS (image) = (GstClockTime) number *FRAME;
    gst_harness_push (rig->view[i], image);
  }
}

/* Either the start fails or the first allocation posts a warning. */
static void
check_full_auto (void)
{
  guint warnings;
  Rig rig;

  open_large (&rig, "auto");
  for (gint i = 0; i < 3; i++) {
    GstBuffer *map;
    GstCaps *caps;

    push_large (&rig, i);
    map = pull (&rig);
    caps = rig_output_caps (&rig);
    for (gint x = 16; x < 1900; x += 37)
      fail_unless_equals_int (code_at (map, caps, x, x / 2), 7 * 16);
    gst_caps_unref (caps);
    gst_buffer_unref (map);
  }
  check_cpu (&rig);
  warnings = rig_count_messages (&rig, GST_MESSAGE_WARNING);
  fail_unless (warnings <= 1, "%u warnings", warnings);
  rig_expect_no_error (&rig);
  rig_close (&rig);
}

#define SOURCE(view) "stereotestsrc num-buffers=2 view=" view " ! " \
    "video/x-raw, width=1920, height=1080 ! m.sink_" view " "

static void
check_full_cuda (void)
{
  GstElement *pipeline = pipeline_new (SOURCE ("left") SOURCE ("right")
      "stereovcbw name=m backend=cuda ! fakesink");
  GError *error;

  (void) gst_element_set_state (pipeline, GST_STATE_PLAYING);
  error = pipeline_wait_error (pipeline, NULL);
  fail_unless (error->domain == GST_RESOURCE_ERROR, "%s", error->message);
  g_error_free (error);
  pipeline_free (pipeline);
}

TEST (test_full)
{
  StereoDevice *device = NULL;
  void *blocks[MAX_BLOCKS];
  guint n;
  Rig rig;

  if (!open_gpu (&device))
    return;
  n = fill_up (device, blocks);
  check_full_auto ();
  check_full_cuda ();

  while (n > 0)
    stereo_device_free (device, &blocks[--n]);
  open_rig (&rig, "cuda");
  rig_check_pair (&rig, 3);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  stereo_device_unref (&device);
}

/* Launches a kernel that reads an invalid address, which makes the CUDA context
 * unusable. */
static void
break_gpu (StereoDevice * device)
{
  const StereoAlgorithm *vcbw = stereo_algorithm_find ("vcbw");
  const StereoMatcherConfig config = {
    .struct_size = sizeof (StereoMatcherConfig),
    .width = WIDTH,.height = HEIGHT,.left = STEREO_FORMAT_GRAY8,
    .right = STEREO_FORMAT_GRAY8,.output = STEREO_FORMAT_GRAY16_LE
  };
  const StereoImage nowhere = {
    .format = STEREO_FORMAT_GRAY8,.width = WIDTH,.height = HEIGHT,
    .memory = STEREO_MEMORY_DEVICE,.plane = {(void *) 4096},
    .stride = {WIDTH}
  };
  StereoImage result = nowhere;
  StereoMatcher *matcher = NULL;
  StereoParams *params = NULL;

  result.format = STEREO_FORMAT_GRAY16_LE;
  result.stride[0] = 2 * WIDTH;
  fail_unless (stereo_params_new (vcbw, &params) == STEREO_OK);
  fail_unless (stereo_matcher_new (vcbw, device, &matcher) == STEREO_OK);
  fail_unless (stereo_matcher_configure (matcher, &config, params)
      == STEREO_OK);
  fail_unless (stereo_matcher_process (matcher, &nowhere, &nowhere, &result,
          NULL) != STEREO_OK || stereo_matcher_sync (matcher) != STEREO_OK);
  stereo_matcher_free (&matcher);
  stereo_params_free (&params);
}

/* Tests run in their own processes, because the context cannot be restored. */
TEST (test_lost_auto)
{
  StereoDevice *device = NULL;
  Rig rig;

  if (!open_gpu (&device))
    return;
  open_rig (&rig, "auto");
  rig_check_pair (&rig, 0);
  rig_check_pair (&rig, 1);
  break_gpu (device);
  expect_cpu (&rig);
  rig_close (&rig);
  stereo_device_unref (&device);
}

TEST (test_lost_cuda)
{
  StereoDevice *device = NULL;
  Rig rig;

  if (!open_gpu (&device))
    return;
  open_rig (&rig, "cuda");
  rig_check_pair (&rig, 0);
  break_gpu (device);
  push (&rig, 1);
  rig_expect_error (&rig, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
      "Failed to match the views", NULL);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  stereo_device_unref (&device);
}

CHECK_MAIN ("stereo-failure")
