/* gst-stereomatching: the disparities in a sample
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "map.h"

#include <math.h>

static gboolean
read_meta (TuneMap * map, GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      "GstStereoDisparityMeta");
  GstStructure *fields;
  gint minimum;
  guint invalid;

  if (meta == NULL)
    return FALSE;
  fields = gst_custom_meta_get_structure (meta);
  if (!gst_structure_get_double (fields, "disparity-scale", &map->scale)
      || !gst_structure_get_int (fields, "min-disparity", &minimum)
      || map->scale <= 0)
    return FALSE;
  map->minimum = minimum;
  map->invalid = gst_structure_get_uint (fields, "invalid-value", &invalid)
      ? (gint64) invalid : -1;
  gst_structure_get_double (fields, "focal-length", &map->focal_length);
  gst_structure_get_double (fields, "baseline", &map->baseline);
  gst_structure_get_double (fields, "doffs", &map->doffs);
  return TRUE;
}

static gboolean
map_frame (GstVideoFrame * frame, GstSample * sample)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || (GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_GRAY8
          && GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_GRAY16_LE))
    return FALSE;
  return gst_video_frame_map (frame, &info, gst_sample_get_buffer (sample),
      GST_MAP_READ);
}

gboolean
tune_map_open (TuneMap * map, GstSample * sample)
{
  *map = (TuneMap) {
    .invalid = -1,
  };
  if (!read_meta (map, gst_sample_get_buffer (sample))
      || !map_frame (&map->frame, sample))
    return FALSE;
  map->width = GST_VIDEO_FRAME_WIDTH (&map->frame);
  map->height = GST_VIDEO_FRAME_HEIGHT (&map->frame);
  return TRUE;
}

void
tune_map_close (TuneMap * map)
{
  gst_video_frame_unmap (&map->frame);
}

static guint
code_at (const GstVideoFrame * frame, gint x, gint y)
{
  const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + (gsize) y * (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

  return GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_GRAY8 ? row[x]
      : GST_READ_UINT16_LE (row + 2 * x);
}

guint
tune_map_code (const TuneMap * map, gint x, gint y)
{
  return code_at (&map->frame, x, y);
}

gdouble
tune_map_disparity (const TuneMap * map, gint x, gint y)
{
  const guint code = tune_map_code (map, x, y);

  return (gint64) code == map->invalid ? (gdouble) NAN
      : code / map->scale + map->minimum;
}

void
tune_map_read (const TuneMap * map, gfloat * to)
{
  for (gint y = 0; y < map->height; y++) {
    for (gint x = 0; x < map->width; x++)
      *to++ = (gfloat) tune_map_disparity (map, x, y);
  }
}

gdouble
tune_map_valid (const TuneMap * map)
{
  gsize n = 0;

  for (gint y = 0; y < map->height; y++) {
    for (gint x = 0; x < map->width; x++)
      n += (gint64) tune_map_code (map, x, y) != map->invalid;
  }
  return (gdouble) n / ((gdouble) map->width * map->height);
}

gdouble
tune_map_share (GstSample * sample, gint x, gint y)
{
  GstVideoFrame frame;
  gdouble share = (gdouble) NAN;

  if (!map_frame (&frame, sample))
    return share;
  if (x < GST_VIDEO_FRAME_WIDTH (&frame) && y < GST_VIDEO_FRAME_HEIGHT (&frame))
    share = code_at (&frame, x, y)
        / (GST_VIDEO_FRAME_FORMAT (&frame) == GST_VIDEO_FORMAT_GRAY8 ? 255.0
        : 65535.0);
  gst_video_frame_unmap (&frame);
  return share;
}
