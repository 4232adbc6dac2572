/* gst-stereomatching: buffer allocation and reuse
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

/* A width that makes GStreamer pad the rows. */
#define ODD_CAPS \
    "video/x-raw, format=GRAY8, width=43, height=5, framerate=25/1"

/* --------------------------------------------------------------- downstream */

typedef struct
{
  GstBufferPool *pool;          /* or NULL */
  gboolean video_meta;
  guint queries;
} Downstream;

static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * probe, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (probe);
  Downstream *downstream = user_data;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  downstream->queries++;
  if (downstream->pool != NULL)
    gst_query_add_allocation_pool (query, downstream->pool, 0, 3, 0);
  if (downstream->video_meta)
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

static void
open_with_downstream (Rig * rig, Downstream * downstream)
{
  rig_open (rig, VCBW "num-disparities=8");
  gst_pad_add_probe (rig->view[LEFT]->sinkpad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer, downstream, NULL);
  rig_caps (rig, LEFT, ODD_CAPS);
  rig_caps (rig, RIGHT, ODD_CAPS);
}

static GstBuffer *
match_odd (Rig * rig)
{
  GstBuffer *map = rig_match (rig, gray_image (43, 5, 0), gray_image (43, 5,
          4));
  GstCaps *caps = rig_output_caps (rig);

  check_codes (map, caps, 8, 39, 4 * 16);
  gst_caps_unref (caps);
  return map;
}

TEST (test_pool_of_downstream_is_used)
{
  keep_backends (TRUE);
  for (gint video_meta = 0; video_meta <= 1; video_meta++) {
    Downstream downstream = { gst_video_buffer_pool_new (), video_meta, 0 };
    GstBuffer *map;
    Rig rig;

    open_with_downstream (&rig, &downstream);
    for (gint i = 0; i < 10; i++) {
      map = match_odd (&rig);
      fail_unless (map->pool == downstream.pool);
      fail_unless ((gst_buffer_get_video_meta (map) != NULL) == video_meta);
      gst_buffer_unref (map);
    }
    fail_unless_equals_int (downstream.queries, 1);
    rig_close (&rig);
    ASSERT_OBJECT_REFCOUNT (downstream.pool, "the pool", 1);
    gst_object_unref (downstream.pool);
  }
}

/* A pool that rejects every configuration. */
typedef GstBufferPool RejectingPool;
typedef GstBufferPoolClass RejectingPoolClass;
static GType rejecting_pool_get_type (void);
G_DEFINE_TYPE (RejectingPool, rejecting_pool, GST_TYPE_BUFFER_POOL);

static gboolean
rejecting_pool_set_config (GstBufferPool * pool, GstStructure * config)
{
  return FALSE;
}

static void
rejecting_pool_class_init (RejectingPoolClass * klass)
{
  klass->set_config = rejecting_pool_set_config;
}

static void
rejecting_pool_init (RejectingPool * self)
{
}

TEST (test_pool_of_downstream_that_refuses)
{
  Downstream downstream = { g_object_new (rejecting_pool_get_type (), NULL),
    TRUE, 0
  };
  GstBuffer *map;
  Rig rig;

  open_with_downstream (&rig, &downstream);
  map = match_odd (&rig);
  fail_unless (map->pool != NULL && map->pool != downstream.pool);
  gst_buffer_unref (map);
  rig_expect_no_error (&rig);
  rig_close (&rig);
  gst_object_unref (downstream.pool);
}

/* A pool that cannot allocate buffers after the first three. */
typedef struct
{
  GstBufferPool parent;
  guint allocated;
} SmallPool;
typedef GstBufferPoolClass SmallPoolClass;
static GType small_pool_get_type (void);
G_DEFINE_TYPE (SmallPool, small_pool, GST_TYPE_BUFFER_POOL);

static GstFlowReturn
small_pool_alloc_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  if (((SmallPool *) pool)->allocated++ >= 3)
    return GST_FLOW_ERROR;
  return GST_BUFFER_POOL_CLASS (small_pool_parent_class)->alloc_buffer (pool,
      buffer, params);
}

static void
small_pool_class_init (SmallPoolClass * klass)
{
  klass->alloc_buffer = small_pool_alloc_buffer;
}

static void
small_pool_init (SmallPool * self)
{
}

TEST (test_pool_of_downstream_that_fails)
{
  Downstream downstream = { g_object_new (small_pool_get_type (), NULL),
    TRUE, 0
  };
  GstBuffer *maps[3];
  Rig rig;

  keep_backends (TRUE);
  open_with_downstream (&rig, &downstream);
  for (gint i = 0; i < 3; i++) {
    maps[i] = match_odd (&rig);
    fail_unless (maps[i]->pool == downstream.pool);
  }
  rig_push (&rig, LEFT, gray_image (43, 5, 0));
  rig_push (&rig, RIGHT, gray_image (43, 5, 4));
  rig_expect_error (&rig, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "memory for the output", NULL);
  for (gint i = 0; i < 3; i++)
    gst_buffer_unref (maps[i]);
  rig_close (&rig);
  gst_object_unref (downstream.pool);
}

TEST (test_layout_without_video_meta)
{
  Downstream downstream = { NULL, FALSE, 0 };
  GstVideoInfo info;
  GstMapInfo bytes;
  GstBuffer *map;
  GstCaps *caps;
  Rig rig;

  open_with_downstream (&rig, &downstream);
  map = match_odd (&rig);
  caps = rig_output_caps (&rig);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_buffer_get_video_meta (map) == NULL);
  fail_unless_equals_int (gst_buffer_get_size (map),
      GST_VIDEO_INFO_SIZE (&info));
  fail_unless (gst_buffer_map (map, &bytes, GST_MAP_READ));
  for (gint y = 0; y < 5; y++) {
    for (gint x = 8; x < 39; x++)
      fail_unless_equals_int (GST_READ_UINT16_LE (bytes.data + y
              * GST_VIDEO_INFO_PLANE_STRIDE (&info, 0) + 2 * x), 4 * 16);
  }
  gst_buffer_unmap (map, &bytes);
  gst_caps_unref (caps);
  gst_buffer_unref (map);
  rig_close (&rig);
}

/* Downstream may keep maps for any time. */
TEST (test_maps_may_be_kept)
{
  GstCaps *caps = gst_caps_from_string ("video/x-raw, format=GRAY16_LE, "
      "width=96, height=4");
  GstBuffer *maps[40];
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    maps[i] = rig_match (&rig, gray_image (WIDTH, HEIGHT, 0),
        gray_image (WIDTH, HEIGHT, 1 + (gint) i));
  /* also after the element is freed */
  rig_close (&rig);
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    check_codes (maps[i], caps, 50, 90 - (gint) i / 2, 16 * (1 + i));
    gst_buffer_unref (maps[i]);
  }
  gst_caps_unref (caps);
}

/* ----------------------------------------------------------------- upstream */

static void
check_upstream_query (Rig * rig, gint view)
{
  GstCaps *caps = gst_caps_from_string (ODD_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  fail_unless (gst_pad_peer_query (rig->view[view]->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
}

TEST (test_allocation_query_of_upstream)
{
  GstQuery *query;
  GstCaps *caps;
  Rig rig;

  rig_open (&rig, VCBW "num-disparities=8");
  /* before and after caps of the other view, and after the first map */
  rig_caps (&rig, LEFT, ODD_CAPS);
  check_upstream_query (&rig, LEFT);
  rig_caps (&rig, RIGHT, ODD_CAPS);
  check_upstream_query (&rig, LEFT);
  check_upstream_query (&rig, RIGHT);
  gst_buffer_unref (match_odd (&rig));
  check_upstream_query (&rig, LEFT);
  check_upstream_query (&rig, RIGHT);

  /* an element in state NULL answers at once */
  gst_element_set_state (rig.element, GST_STATE_NULL);
  caps = gst_caps_from_string (ODD_CAPS);
  query = gst_query_new_allocation (caps, TRUE);
  fail_if (gst_pad_peer_query (rig.view[LEFT]->srcpad, query));
  gst_query_unref (query);
  gst_caps_unref (caps);
  rig_close (&rig);
}

/* The answer does not wait for the other view, which the same thread may push
 * next. */
TEST (test_allocation_query_of_an_unpaired_view)
{
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstBuffer *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstQuery *query = gst_query_new_allocation (caps, TRUE);

    rig_push (&rig, v, numbered_image (v, v));
    fail_unless (gst_pad_peer_query (rig.view[v]->srcpad, query));
    fail_unless (gst_query_find_allocation_meta (query,
            GST_VIDEO_META_API_TYPE, NULL));
    gst_query_unref (query);
    rig_push (&rig, !v, numbered_image (!v, v));
    map = gst_harness_pull (rig.view[LEFT]);
    check_numbers (map, v, v);
    gst_buffer_unref (map);
  }
  gst_caps_unref (caps);
  rig_close (&rig);
}

/* An image may consist of several memories. */
TEST (test_images_in_several_memories)
{
  GstBuffer *views[2], *map;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (gint v = LEFT; v <= RIGHT; v++) {
    GstBuffer *image = numbered_image (v, 3);

    views[v] = gst_buffer_copy_region (image, GST_BUFFER_COPY_ALL
        | GST_BUFFER_COPY_DEEP, 0, 100);
    views[v] = gst_buffer_append (views[v], gst_buffer_copy_region (image,
            GST_BUFFER_COPY_MEMORY | GST_BUFFER_COPY_DEEP, 100, (gsize) - 1));
    fail_unless_equals_int (gst_buffer_n_memory (views[v]), 2);
    gst_buffer_unref (image);
  }
  map = rig_match (&rig, views[LEFT], views[RIGHT]);
  check_numbers (map, 3, 3);
  gst_buffer_unref (map);
  rig_close (&rig);
}

/* ---------------------------------------------------------------- no growth */

static void
watch (GstBuffer * buffer, gint * freed)
{
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), count_freed, freed);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (gst_buffer_peek_memory (buffer,
              0)), count_freed, freed);
}

/* Images are released after use, and maps come from a small pool. */
TEST (test_no_growth)
{
  const guint n = 300;
  GHashTable *distinct = g_hash_table_new (NULL, NULL);
  gint freed = 0;
  Rig rig;

  rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
  for (guint i = 0; i < n; i++) {
    GstBuffer *views[2], *map;

    for (gint v = LEFT; v <= RIGHT; v++) {
      views[v] = numbered_image (v, (gint) (i % N_NUMBERS));
      GST_BUFFER_PTS (views[v]) = i * FRAME;
      watch (views[v], &freed);
    }
    /* every tenth image is unpaired */
    if (i % 10 == 9) {
      rig_push (&rig, LEFT, views[LEFT]);
      gst_buffer_unref (views[RIGHT]);
      continue;
    }
    map = rig_match (&rig, views[LEFT], views[RIGHT]);
    g_hash_table_add (distinct, map);
    gst_buffer_unref (map);
    /* the images of the last pair may still be in flight */
    fail_unless ((guint) g_atomic_int_get (&freed) + 4 * 4 >= 4 * i,
        "%d of %u were freed", g_atomic_int_get (&freed), 4 * (i + 1));
  }
  fail_unless (g_hash_table_size (distinct) <= 8, "%u maps",
      g_hash_table_size (distinct));
  g_hash_table_unref (distinct);
  gst_harness_push_event (rig.view[RIGHT], gst_event_new_eos ());
  gst_event_unref (rig_wait_event (&rig, GST_EVENT_EOS));
  rig_close (&rig);
  fail_unless_equals_int (freed, 4 * n);
}

/* Elements release all images when they are freed. */
TEST (test_elements_free_images)
{
  gint freed = 0;

  for (guint i = 0; i < 50; i++) {
    GstBuffer *images[2];
    Rig rig;

    rig_open_with_caps (&rig, VCBW, CAPS, CAPS);
    for (gint v = LEFT; v <= RIGHT; v++) {
      images[v] = numbered_image (v, 1);
      watch (images[v], &freed);
      /* every other right image is missing */
      if (v == LEFT || i % 2)
        rig_push (&rig, v, images[v]);
      else
        gst_buffer_unref (images[v]);
    }
    rig_close (&rig);
    fail_unless_equals_int (freed, 4 * (i + 1));
  }
}

CHECK_MAIN ("stereo-allocation")
