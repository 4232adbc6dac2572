/* gst-stereomatching: pools of video buffers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereopool.h"

#include "base/gststereocuda.h"
#include "base/gststereodebug.h"

GstBufferPool *
gst_stereo_pool_new (GstCaps * caps, GstAllocator * allocator,
    gboolean video_meta, guint min_buffers, guint max_buffers, guint * size)
{
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return NULL;

  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  *size = (guint) GST_VIDEO_INFO_SIZE (&info);
  gst_buffer_pool_config_set_params (config, caps, *size, min_buffers,
      max_buffers);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (video_meta)
    gst_buffer_pool_config_add_option (config,
        GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config)) {
    gst_object_unref (pool);
    return NULL;
  }
  return pool;
}

gboolean
gst_stereo_pool_takes_video_meta (GstPad * src, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  const gboolean takes = gst_pad_peer_query (src, query)
      && gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  gst_query_unref (query);
  return takes;
}

/* The pool of downstream, configured for this video, or NULL. */
static GstBufferPool *
downstream_pool (const GstVideoInfo * info, GstQuery * query,
    gboolean video_meta)
{
  GstBufferPool *pool = NULL;
  GstStructure *config;
  guint size = 0, min = 0, max = 0;
  GstCaps *caps;

  if (gst_query_get_n_allocation_pools (query) == 0)
    return NULL;
  gst_query_parse_allocation (query, &caps, NULL);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  if (pool == NULL)
    return NULL;
  config = gst_buffer_pool_get_config (pool);
  size = MAX (size, (guint) GST_VIDEO_INFO_SIZE (info));
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  if (video_meta)
    gst_buffer_pool_config_add_option (config,
        GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    gst_clear_object (&pool);
  return pool;
}

gboolean
gst_stereo_pool_decide (const GstVideoInfo * info, GstQuery * query,
    const GstStereoDevice * device)
{
  GstAllocator *allocator = device->allocator;
  gboolean video_meta = gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);
  gboolean has_pool = gst_query_get_n_allocation_pools (query) > 0;
  GstAllocator *theirs = NULL;
  GstBufferPool *pool = NULL;
  guint size = 0, min = 0, max = 0;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (has_pool)
    gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
  if (gst_stereo_cuda_caps (caps)) {
    allocator = NULL;
    if (device->context != NULL)
      pool = gst_stereo_cuda_pool_new (device->context, caps, min, &size);
    max = pool != NULL ? 0 : max;
  }
  if (allocator == NULL && pool == NULL) {
    pool = downstream_pool (info, query, video_meta);
    size = MAX (size, (guint) GST_VIDEO_INFO_SIZE (info));
    if (gst_query_get_n_allocation_params (query) > 0)
      gst_query_parse_nth_allocation_param (query, 0, &theirs, NULL);
  }
  if (pool == NULL)
    pool = gst_stereo_pool_new (caps, allocator != NULL ? allocator : theirs,
        video_meta, min, allocator != NULL ? 0 : max, &size);
  gst_clear_object (&theirs);
  if (pool == NULL) {
    GST_STEREO_FAIL (device->failure, RESOURCE, SETTINGS,
        ("Cannot allocate buffers for the output: no buffer pool takes its "
            "caps."), ("%" GST_PTR_FORMAT, caps));
    return FALSE;
  }

  if (has_pool)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return TRUE;
}

void
gst_stereo_pool_propose (GstQuery * query, GstStereoDevice * device)
{
  /* Those of frames in flight, the one in the queue before the element, and one
   * to fill. */
  const guint min_buffers = gst_stereo_device_get_frames (device) + 3;
  GstBufferPool *pool = NULL;
  GstAllocator *allocator;
  GstObject *context;
  GstCaps *caps;
  guint size;

  gst_stereo_device_get_memory (device, &allocator, &context);
  gst_query_parse_allocation (query, &caps, NULL);
  if (caps != NULL && gst_stereo_cuda_caps (caps)) {
    if (context != NULL)
      pool = gst_stereo_cuda_pool_new (context, caps, min_buffers, &size);
  } else if (caps != NULL && allocator != NULL) {
    pool = gst_stereo_pool_new (caps, allocator, TRUE, min_buffers, 0, &size);
    gst_query_add_allocation_param (query, allocator, NULL);
  }
  if (pool != NULL) {
    gst_query_add_allocation_pool (query, pool, size, min_buffers, 0);
    gst_object_unref (pool);
  }
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_clear_object (&allocator);
  gst_clear_object (&context);
}
