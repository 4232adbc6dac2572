/* gst-stereomatching: what the disparities should be
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "truth.h"

#include "imagefile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gboolean
tune_truth_read (TuneTruth * truth, const gchar * path, gdouble scale,
    gchar ** why)
{
  StereoMessage message = { "" };
  int width = 0, height = 0;
  float *map = NULL;

  if (!image_read_map (path, scale, false, 0, &width, &height, &map,
          &message)) {
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
  /* free(), as for those of files */
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

/* Opens a map of the truth's size. */
static gboolean
open_like (const TuneTruth * truth, GstSample * sample, TuneMap * map)
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
  gfloat *found;
  TuneMap map;

  if (!open_like (truth, sample, &map))
    return FALSE;
  found = g_new (gfloat, n);
  tune_map_read (&map, found);
  tune_map_close (&map);
  measure_map (found, truth->disparities, NULL, n, measure);
  g_free (found);
  return TRUE;
}

static guint32
color_of (gdouble found, gdouble wanted)
{
  const gdouble error = fabs (found - wanted);

  if (isnan (wanted))
    return 0x000000;
  if (isnan (found))
    return 0xa040c0;
  return error > 4 ? 0xd02020 : error > 2 ? 0xf08020 : error > 1 ? 0xf0d040
      : 0x505860;
}

GstSample *
tune_truth_picture (const TuneTruth * truth, GstSample * sample)
{
  GstBuffer *from = gst_sample_get_buffer (sample), *buffer;
  GstSample *result;
  GstVideoInfo info;
  GstCaps *caps;
  TuneMap map;
  guint8 *pixels;
  gsize stride;

  if (!open_like (truth, sample, &map))
    return NULL;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB,
      (guint) truth->width, (guint) truth->height);
  stride = (gsize) GST_VIDEO_INFO_PLANE_STRIDE (&info, 0);
  pixels = g_malloc0 (GST_VIDEO_INFO_SIZE (&info));
  for (gint y = 0; y < truth->height; y++) {
    for (gint x = 0; x < truth->width; x++)
      GST_WRITE_UINT24_BE (pixels + (gsize) y * stride + 3 * (gsize) x,
          color_of (tune_map_disparity (&map, x, y),
              (gdouble) truth->disparities[y * truth->width + x]));
  }
  tune_map_close (&map);
  buffer = gst_buffer_new_wrapped (pixels, GST_VIDEO_INFO_SIZE (&info));
  GST_BUFFER_PTS (buffer) = GST_BUFFER_PTS (from);
  GST_BUFFER_DURATION (buffer) = GST_BUFFER_DURATION (from);
  caps = gst_video_info_to_caps (&info);
  result = gst_sample_new (buffer, caps, NULL, NULL);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  return result;
}
