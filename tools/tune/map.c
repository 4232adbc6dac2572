/* gst-stereomatching: disparity maps and their errors
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "map.h"

#include "imagefile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
get_code (const GstVideoFrame * frame, gint x, gint y)
{
  const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + (gsize) y * (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

  return GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_GRAY8 ? row[x]
      : GST_READ_UINT16_LE (row + 2 * x);
}

gdouble
tune_map_disparity (const TuneMap * map, gint x, gint y)
{
  const guint code = get_code (&map->frame, x, y);

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
      n += (gint64) get_code (&map->frame, x, y) != map->invalid;
  }
  return (gdouble) n / ((gdouble) map->width * map->height);
}

gdouble
tune_map_fraction (GstSample * sample, gint x, gint y)
{
  GstVideoFrame frame;
  gdouble fraction = (gdouble) NAN;

  if (!map_frame (&frame, sample))
    return fraction;
  if (x < GST_VIDEO_FRAME_WIDTH (&frame) && y < GST_VIDEO_FRAME_HEIGHT (&frame))
    fraction = get_code (&frame, x, y)
        / (GST_VIDEO_FRAME_FORMAT (&frame) == GST_VIDEO_FORMAT_GRAY8 ? 255.0
        : 65535.0);
  gst_video_frame_unmap (&frame);
  return fraction;
}

gboolean
tune_truth_read (TuneTruth * truth, const gchar * path, gdouble scale,
    gchar ** why)
{
  StereoMessage message = { "" };
  int width = 0, height = 0;
  float *map = NULL;

  if (!image_read_map (path, scale, "--truth-scale", NULL, &width, &height,
          &map, &message)) {
    *why = g_strdup (message.text);
    return FALSE;
  }
  tune_truth_clear (truth);
  truth->width = width;
  truth->height = height;
  truth->disparities = map;
  return TRUE;
}

gboolean
tune_truth_from_sample (TuneTruth * truth, GstSample * sample)
{
  TuneMap map;
  gfloat *to;

  if (!tune_map_open (&map, sample))
    return FALSE;
  /* allocated by realloc(), as those of files */
  to = realloc (truth->disparities, sizeof (*to) * (gsize) map.width
      * (gsize) map.height);
  if (to != NULL) {
    truth->width = map.width;
    truth->height = map.height;
    truth->disparities = to;
    tune_map_read (&map, to);
  }
  tune_map_close (&map);
  return to != NULL;
}

void
tune_truth_clear (TuneTruth * truth)
{
  free (truth->disparities);
  memset (truth, 0, sizeof (*truth));
}

/* Opens a map if it has the size of the truth. */
static gboolean
open_map (const TuneTruth * truth, GstSample * sample, TuneMap * map)
{
  if (truth->disparities == NULL || !tune_map_open (map, sample))
    return FALSE;
  if (map->width == truth->width && map->height == truth->height)
    return TRUE;
  tune_map_close (map);
  return FALSE;
}

gboolean
tune_truth_measure (const TuneTruth * truth, GstSample * sample,
    Measure * measure)
{
  const gsize n = (gsize) truth->width * (gsize) truth->height;
  g_autofree gfloat *found = NULL;
  TuneMap map;

  if (!open_map (truth, sample, &map))
    return FALSE;
  found = g_new (gfloat, n);
  tune_map_read (&map, found);
  tune_map_close (&map);
  measure_map (found, truth->disparities, NULL, n, measure);
  return TRUE;
}

static guint32
get_color (gdouble found, gdouble truth)
{
  const gdouble error = fabs (found - truth);

  if (isnan (truth))
    return 0x000000;
  if (isnan (found))
    return 0xa040c0;
  return error > 4 ? 0xd02020 : error > 2 ? 0xf08020 : error > 1 ? 0xf0d040
      : 0x505860;
}

GstSample *
tune_truth_picture (const TuneTruth * truth, GstSample * sample)
{
  GstBuffer *from = gst_sample_get_buffer (sample);
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;
  TuneMap map;
  guint8 *pixels;
  gsize stride;

  if (!open_map (truth, sample, &map))
    return NULL;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB,
      (guint) truth->width, (guint) truth->height);
  stride = (gsize) GST_VIDEO_INFO_PLANE_STRIDE (&info, 0);
  pixels = g_malloc0 (GST_VIDEO_INFO_SIZE (&info));
  for (gint y = 0; y < truth->height; y++) {
    for (gint x = 0; x < truth->width; x++)
      GST_WRITE_UINT24_BE (pixels + (gsize) y * stride + 3 * (gsize) x,
          get_color (tune_map_disparity (&map, x, y),
              (gdouble) truth->disparities[y * truth->width + x]));
  }
  tune_map_close (&map);
  buffer = gst_buffer_new_wrapped (pixels, GST_VIDEO_INFO_SIZE (&info));
  GST_BUFFER_PTS (buffer) = GST_BUFFER_PTS (from);
  GST_BUFFER_DURATION (buffer) = GST_BUFFER_DURATION (from);
  caps = gst_video_info_to_caps (&info);
  return gst_sample_new (buffer, caps, NULL, NULL);
}
