/* gst-stereomatching: the policy that finds the images of a map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereomapsync.h"

/* The age of an image relative to another buffer. */
typedef enum
{
  OLDER,
  SAME,
  NEWER,
  UNKNOWN                       /* only one of the two has a time */
} Order;

/* Without times, the order of arrival decides. */
static Order
compare (GstClockTime image, GstClockTime other, GstClockTime tolerance)
{
  gboolean valid = GST_CLOCK_TIME_IS_VALID (image);

  if (valid != GST_CLOCK_TIME_IS_VALID (other))
    return UNKNOWN;
  if (!valid || (image > other ? image - other : other - image) <= tolerance)
    return SAME;
  return image < other ? OLDER : NEWER;
}

/* An image and the timestamp that the map names.  Backwards, timestamps
 * decrease. */
static Order
compare_exactly (const GstStereoHead * image, GstClockTime named,
    const GstStereoMapHead * map, gboolean backwards)
{
  const Order order = compare (image->pts, named, 0);
  const gint64 advance = map->head.advance;
  Order by_time;

  if (order != OLDER && order != NEWER)
    return order;
  by_time = compare (image->time, map->head.time, 0);
  if ((image->advance < advance && by_time == OLDER)
      || (image->advance > advance && by_time == NEWER))
    return by_time;
  if (backwards)
    return order == OLDER ? NEWER : OLDER;
  return order;
}

static gboolean
begins_in (const GstStereoHead * image, const GstStereoHead * gap)
{
  if (!image->present || !GST_CLOCK_TIME_IS_VALID (image->time)
      || !GST_CLOCK_TIME_IS_VALID (gap->time))
    return FALSE;
  return !GST_CLOCK_TIME_IS_VALID (gap->duration)
      ? image->time <= gap->time : image->time < gap->time + gap->duration;
}

/* Whether no map will come for an image, because an unmatched one is not
 * older. */
static gboolean
is_unmatched (const GstStereoHead * image, GstClockTime named,
    const GstStereoMapHead * gap, gboolean backwards)
{
  Order order;

  if (!image->present || !GST_CLOCK_TIME_IS_VALID (named))
    return FALSE;
  order = compare_exactly (image, named, gap, backwards);
  return order == OLDER || order == SAME;
}

static GstStereoMapSync
drop_unmatched (const GstStereoMapHead * gap, const GstStereoHead * left,
    const GstStereoHead * right, gboolean backwards)
{
  if (is_unmatched (left, gap->left_pts, gap, backwards))
    return GST_STEREO_MAP_SYNC_DROP_LEFT;
  return is_unmatched (right, gap->right_pts, gap, backwards)
      ? GST_STEREO_MAP_SYNC_DROP_RIGHT : GST_STEREO_MAP_SYNC_DROP_MAP;
}

GstStereoMapSync
gst_stereo_map_sync (const GstStereoMapHead * map, const GstStereoHead * left,
    const GstStereoHead * right, GstClockTime tolerance, gboolean backwards)
{
  Order l, r = SAME;

  if (left->gap)
    return GST_STEREO_MAP_SYNC_DROP_LEFT;
  if (right->present && right->gap)
    return GST_STEREO_MAP_SYNC_DROP_RIGHT;
  if (map->head.gap && map->knows)
    return drop_unmatched (map, left, right, backwards);
  if (map->head.gap) {
    if (begins_in (left, &map->head))
      return GST_STEREO_MAP_SYNC_DROP_LEFT;
    return begins_in (right, &map->head) ? GST_STEREO_MAP_SYNC_DROP_RIGHT
        : GST_STEREO_MAP_SYNC_DROP_MAP;
  }

  if (map->knows) {
    l = compare_exactly (left, map->left_pts, map, backwards);
    if (right->present)
      r = compare_exactly (right, map->right_pts, map, backwards);
  } else {
    l = compare (left->time, map->head.time, tolerance);
    if (right->present)
      r = compare (right->time, left->time, tolerance);
  }
  if (l == UNKNOWN || r == UNKNOWN)
    return GST_STEREO_MAP_SYNC_NO_TIME;
  if (l == OLDER)
    return GST_STEREO_MAP_SYNC_DROP_LEFT;
  if (r == OLDER)
    return GST_STEREO_MAP_SYNC_DROP_RIGHT;
  /* The left image has no right one; the next left image may. */
  if (r == NEWER && !map->knows && l == SAME)
    return GST_STEREO_MAP_SYNC_DROP_LEFT;
  return l == NEWER || r == NEWER ? GST_STEREO_MAP_SYNC_DROP_MAP
      : GST_STEREO_MAP_SYNC_TAKE;
}
