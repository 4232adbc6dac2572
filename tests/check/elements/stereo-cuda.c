/* gst-stereomatching: video in CUDA memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The first tests need no GPU: buffers with CUDA memory in their caps are
 * mapped for the CPU if they cannot be used in place.  The other tests need a
 * GPU and GStreamer's cudaupload, and are skipped otherwise.
 */

#include "../stereocheck.h"
#include "base/gststereoallocator.h"

#include <string.h>

#define SIZE "width=96, height=4, framerate=25/1"
#define CUDA_CAPS "video/x-raw(memory:CUDAMemory), format=NV12, " SIZE
#define HOST_CAPS "video/x-raw, format=NV12, " SIZE

/* ---------------------------------------------------------------- anywhere */

static void
check_caps (const gchar * element, const gchar * name, const gchar * text,
    gboolean taken)
{
  GstElement *e = gst_element_factory_make (element, NULL);
  GstPad *pad;
  GstCaps *caps = gst_caps_from_string (text), *all;

  fail_unless (e != NULL);
  pad = gst_element_get_static_pad (e, name);
  if (pad == NULL)
    pad = gst_element_request_pad_simple (e, name);
  all = gst_pad_query_caps (pad, NULL);
  fail_unless_equals_int (gst_caps_can_intersect (all, caps), taken);
  fail_unless_equals_int (gst_pad_query_accept_caps (pad, caps), taken);
  gst_caps_unref (all);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_object_unref (e);
}

TEST (test_caps)
{
  gchar **names = matchers ();

  for (guint i = 0; names[i] != NULL; i++) {
    check_caps (names[i], "sink_left", CUDA_CAPS, TRUE);
    check_caps (names[i], "sink_right", CUDA_CAPS, TRUE);
    check_caps (names[i], "sink_left", "video/x-raw(memory:CUDAMemory), "
        "format=GRAY8, " SIZE, FALSE);
    check_caps (names[i], "sink_left", "video/x-raw(memory:GLMemory), "
        "format=RGBA, " SIZE, FALSE);
  }
  g_strfreev (names);
  check_caps ("stereoview", "sink_left", CUDA_CAPS, TRUE);
  check_caps ("stereoview", "sink_right", CUDA_CAPS, TRUE);
  check_caps ("stereoview", "src", CUDA_CAPS, TRUE);
  check_caps ("disparitycloud", "sink_left", CUDA_CAPS, TRUE);
  check_caps ("stereorectify", "sink", CUDA_CAPS, TRUE);
}

/* Downstream limits the size of the results, and upstream still accepts CUDA
 * memory. */
TEST (test_caps_with_downstream)
{
  GstElement *pipeline = pipeline_new ("stereovcbw name=m ! "
      "video/x-raw, width=96 ! fakesink");
  GstElement *m = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  GstPad *pad = gst_element_get_static_pad (m, "sink_left");
  GstCaps *all = gst_pad_query_caps (pad, NULL);
  GstCaps *good = gst_caps_from_string (CUDA_CAPS);
  GstCaps *bad = gst_caps_from_string ("video/x-raw(memory:CUDAMemory), "
      "format=NV12, width=97, height=4, framerate=25/1");

  fail_unless (gst_caps_can_intersect (all, good));
  fail_if (gst_caps_can_intersect (all, bad));
  gst_caps_unref (bad);
  gst_caps_unref (good);
  gst_caps_unref (all);
  gst_object_unref (pad);
  gst_object_unref (m);
  pipeline_free (pipeline);
}

/* Each combination of system and CUDA memory on the two pads. */
TEST (test_mapped)
{
  static const gchar *const caps[2] = { HOST_CAPS, CUDA_CAPS };

  for (gint i = 0; i < 4; i++) {
    GstCaps *host = gst_caps_from_string (HOST_CAPS), *out;
    GstBuffer *map;
    Rig rig;

    rig_open_with_caps (&rig, VCBW "num-disparities=8", caps[i & 1],
        caps[i >> 1]);
    map = rig_match (&rig, shifted_image (host, 0), shifted_image (host, 5));
    out = rig_output_caps (&rig);
    check_codes (map, out, 12, 90, 5 * 16);
    gst_caps_unref (out);
    gst_caps_unref (host);
    gst_buffer_unref (map);
    rig_expect_no_error (&rig);
    rig_close (&rig);
  }
}

TEST (test_allocation)
{
  GstCaps *caps = gst_caps_from_string (CUDA_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CUDA_CAPS, CUDA_CAPS);
  fail_unless (gst_pad_peer_query (rig.view[LEFT]->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  /* only CUDA pools fit these caps */
  if (gst_query_get_n_allocation_pools (query) > 0) {
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
    fail_unless_equals_string (G_OBJECT_TYPE_NAME (pool), "GstCudaBufferPool");
    gst_object_unref (pool);
  }
  fail_unless_equals_int (gst_query_get_n_allocation_params (query), 0);
  gst_query_unref (query);
  gst_caps_unref (caps);
  rig_close (&rig);
}

/* An element on the CPU has no CUDA context and does not offer one. */
TEST (test_no_context)
{
  GstQuery *query = gst_query_new_context ("gst.cuda.context");
  GstContext *context = gst_context_new ("gst.cuda.context", FALSE);
  GstContext *other = gst_context_new ("some.other", FALSE);
  Rig rig;

  keep_backends (TRUE);
  rig_open_with_caps (&rig, VCBW, HOST_CAPS, HOST_CAPS);
  fail_if (gst_pad_peer_query (rig.view[LEFT]->srcpad, query));
  fail_if (gst_pad_peer_query (rig.view[LEFT]->sinkpad, query));
  gst_element_set_context (rig.element, context);
  gst_element_set_context (rig.element, other);
  fail_if (gst_pad_peer_query (rig.view[LEFT]->srcpad, query));
  rig_close (&rig);
  gst_context_unref (other);
  gst_context_unref (context);
  gst_query_unref (query);
}

/* Device memory, simulated by a CPU device: mapping it for the CPU downloads it
 * once. */
TEST (test_copy)
{
  const gsize size = 1000;
  StereoDevice *device = NULL;
  StereoMessage why;
  StereoImage image = { 0, };
  GstAllocator *allocator;
  GstBuffer *buffer;
  GstMapInfo map;
  guint64 once;

  fail_unless (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, &why)
      == STEREO_OK);
  allocator = gst_stereo_allocator_new (device);
  buffer = gst_buffer_new_allocate (allocator, size, NULL);
  gst_buffer_memset (buffer, 0, 0x11, size);

  /* data written by the CPU has no device copy */
  fail_if (gst_stereo_buffer_use_copy (buffer, device, GST_MAP_READ, &image));
  for (guint8 i = 1; i < 4; i++) {
    fail_unless (gst_stereo_buffer_use_copy (buffer, device, GST_MAP_WRITE,
            &image));
    fail_unless (image.done != NULL);
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE
            | GST_STEREO_MAP_DEVICE));
    fail_unless_equals_int (map.size, size);
    memset (map.data, i, size);
    gst_buffer_unmap (buffer, &map);
  }
  fail_unless_equals_uint64 (gst_stereo_allocator_get_downloaded (allocator),
      0);
  fail_unless (gst_stereo_buffer_use_copy (buffer, device, GST_MAP_READ,
          &image));
  fail_unless (image.ready != NULL);

  for (gint i = 0; i < 2; i++) {
    fail_unless (gst_buffer_memcmp (buffer, 0, (guint8[]) {3, 3, 3}, 3) == 0);
    once = gst_stereo_allocator_get_downloaded (allocator);
    fail_unless (once >= size && once < size + 256);
  }
  /* reading keeps the device copy, writing invalidates it */
  fail_unless (gst_stereo_buffer_use_copy (buffer, device, GST_MAP_READ,
          &image));
  gst_buffer_memset (buffer, 0, 0x22, 1);
  fail_if (gst_stereo_buffer_use_copy (buffer, device, GST_MAP_READ, &image));
  fail_unless (gst_buffer_memcmp (buffer, 0, (guint8[]) {0x22, 3, 3}, 3) == 0);
  fail_unless_equals_uint64 (gst_stereo_allocator_get_downloaded (allocator),
      once);

  gst_buffer_unref (buffer);
  gst_object_unref (allocator);
  stereo_device_unref (&device);
}

/* ------------------------------------------------------------ with a GPU */

static gboolean
has_cuda (void)
{
  GstElementFactory *factory = gst_element_factory_find ("cudaupload");
  const gboolean has = factory != NULL && strcmp (test_backend (), "cuda") == 0;

  gst_clear_object (&factory);
  return has;
}

#define SOURCE(view, more) "stereotestsrc num-buffers=8 view=" view " ! " \
    "video/x-raw, width=160, height=64 ! videoconvert ! " \
    "video/x-raw, format=%s" more " ! queue ! "

/* Appends only the samples: row padding depends on the memory. */
static void
append (GstElement * sink, GstBuffer * buffer, GstPad * pad, gpointer bytes)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  GstVideoFrame frame;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&frame); p++) {
    gint comp[GST_VIDEO_MAX_COMPONENTS], rows;
    const guint8 *row = GST_VIDEO_FRAME_PLANE_DATA (&frame, p);

    gst_video_format_info_component (info.finfo, p, comp);
    rows = GST_VIDEO_FRAME_COMP_HEIGHT (&frame, comp[0]);
    for (gint y = 0; y < rows; y++)
      g_byte_array_append (bytes,
          row + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p),
          (guint) (GST_VIDEO_FRAME_COMP_WIDTH (&frame, comp[0])
              * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, comp[0])));
  }
  gst_video_frame_unmap (&frame);
  gst_caps_unref (caps);
}

/* The bytes of all frames at the sink named "out". */
static GByteArray *
run_to_end (const gchar * line)
{
  GByteArray *bytes = g_byte_array_new ();
  GstElement *pipeline = pipeline_new ("%s", line);

  pipeline_watch (pipeline, "out", G_CALLBACK (append), bytes);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  pipeline_free (pipeline);
  return bytes;
}

static void
check_equal_bytes (GByteArray * a, GByteArray * b)
{
  fail_unless (a->len > 0);
  fail_unless_equals_int (a->len, b->len);
  fail_unless (memcmp (a->data, b->data, a->len) == 0);
  g_byte_array_unref (a);
  g_byte_array_unref (b);
}

/* Both pads accept CUDA memory in all formats, with the same results. */
TEST (test_in_place)
{
  static const gchar *const formats[] = { "NV12", "I420", "Y444", "Y42B",
    "RGB", "BGRx", "RGBA", "P010_10LE"
  };

  if (!has_cuda ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const gchar *f = formats[i];
    gchar *line = g_strdup_printf (SOURCE ("left", "") "m.sink_left "
        SOURCE ("right", "") "m.sink_right stereosgm name=m ! fakesink "
        "name=out signal-handoffs=true", f, f);
    GByteArray *host = run_to_end (line), *device;

    for (gint uploaded = 1; uploaded < 4; uploaded++) {
      gchar *with = g_strdup_printf (SOURCE ("left", " %s") "m.sink_left "
          SOURCE ("right", " %s") "m.sink_right stereosgm name=m ! fakesink "
          "name=out signal-handoffs=true",
          f, uploaded & 1 ? "! cudaupload ! "
          "video/x-raw(memory:CUDAMemory)" : "",
          f, uploaded & 2 ? "! cudaupload ! "
          "video/x-raw(memory:CUDAMemory)" : "");

      device = run_to_end (with);
      g_free (with);
      check_equal_bytes (g_byte_array_ref (host), device);
    }
    g_byte_array_unref (host);
    g_free (line);
  }
}

/* A map that no element maps for the CPU stays on the device, also if another
 * element of this plugin uses it there. */
TEST (test_no_download)
{
  static const gchar *const sinks[] = { "fakesink", "queue ! v.sink_disparity",
    "disparitydepth focal-length=100 baseline=0.1 ! fakesink"
  };

  for (guint i = 0; has_cuda () && i < G_N_ELEMENTS (sinks); i++) {
    GstElement *pipeline = pipeline_new (SOURCE ("left", "") "tee name=l "
        SOURCE ("right", "") "m.sink_right "
        "l. ! queue ! m.sink_left stereosgm name=m ! %s "
        "l. ! queue ! %s", "NV12", "NV12", sinks[i], i == 1
        ? "v.sink_left stereoview name=v ! fakesink" : "fakesink");
    GstElement *m = gst_bin_get_by_name (GST_BIN (pipeline), "m");
    GstStructure *stats;
    guint64 bytes = 1, paired = 0;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pipeline_wait (pipeline, GST_MESSAGE_EOS);
    g_object_get (m, "stats", &stats, NULL);
    fail_unless (gst_structure_get_uint64 (stats, "downloaded", &bytes));
    fail_unless (gst_structure_get_uint64 (stats, "paired", &paired));
    fail_unless_equals_uint64 (paired, 8);
    fail_unless_equals_uint64 (bytes, 0);
    gst_structure_free (stats);
    gst_object_unref (m);
    pipeline_free (pipeline);
  }
}

/* stereoview renders the same views from a map on the device and from a
 * downloaded one. */
TEST (test_views_of_maps_in_place)
{
  static const gchar *const ways[] = { "", "videoconvert ! identity "
        "single-segment=false drop-allocation=true ! capsfilter "
        "caps=video/x-raw,format=GRAY16_LE ! "
  };
  GByteArray *bytes[2];

  if (!has_cuda ())
    return;
  for (guint i = 0; i < 2; i++) {
    gchar *line = g_strdup_printf (SOURCE ("left", "") "tee name=l "
        SOURCE ("right", "") "m.sink_right "
        "l. ! queue ! m.sink_left stereosgm name=m backend=%s ! "
        "queue ! %s v.sink_disparity l. ! queue ! v.sink_left stereoview "
        "name=v position=0.5 ! fakesink name=out signal-handoffs=true",
        "NV12", "NV12", "cuda", ways[i]);

    bytes[i] = run_to_end (line);
    g_free (line);
  }
  check_equal_bytes (bytes[0], bytes[1]);
}

/* A view output in CUDA memory equals one in system memory. */
TEST (test_cuda_output)
{
  static const gchar *const ways[] = { "", "video/x-raw(memory:CUDAMemory) ! "
        "cudadownload ! "
  };
  GByteArray *bytes[2];

  if (!has_cuda ())
    return;
  for (guint i = 0; i < 2; i++) {
    gchar *line = g_strdup_printf ("stereotestsrc num-buffers=8 "
        "view=disparity ! video/x-raw, width=160, height=64 ! queue ! "
        "v.sink_disparity " SOURCE ("left", "") "v.sink_left stereoview "
        "name=v backend=cuda position=0.5 ! %s fakesink name=out "
        "signal-handoffs=true", "NV12", ways[i]);

    bytes[i] = run_to_end (line);
    g_free (line);
  }
  check_equal_bytes (bytes[0], bytes[1]);
}

CHECK_MAIN ("stereo-cuda")
