/* gst-stereomatching: the policy that pairs images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "aggregate/gststereopair.h"

#include <math.h>

/* The tolerance if the duration of images is unknown. */
#define DEFAULT_TOLERANCE GST_MSECOND

/* Of differences of running times. */
#define MAX_TIME ((GstClockTime) G_MAXINT64)

/* The end of a gap, at most the largest valid time. */
static GstClockTime
end_of (const GstStereoHead * gap)
{
  if (!GST_CLOCK_TIME_IS_VALID (gap->duration))
    return gap->time;
  if (gap->duration > GST_CLOCK_TIME_NONE - 1 - gap->time)
    return GST_CLOCK_TIME_NONE - 1;
  return gap->time + gap->duration;
}

/* Whether an image begins after a gap of the other view. */
static gboolean
is_after (const GstStereoHead * image, const GstStereoHead * gap,
    GstClockTime tolerance)
{
  GstClockTime end;

  if (!GST_CLOCK_TIME_IS_VALID (gap->duration))
    return image->time > gap->time && image->time - gap->time > tolerance;
  end = end_of (gap);
  /* An image within tolerance of the end may belong to the image after the
   * gap. */
  return image->time >= end
      || (end - image->time < tolerance && image->time > gap->time);
}

GstStereoPairing
gst_stereo_pair (const GstStereoHead * left,
    const GstStereoHead * right, GstClockTime tolerance)
{
  gboolean left_has_time = GST_CLOCK_TIME_IS_VALID (left->time);
  gboolean right_has_time = GST_CLOCK_TIME_IS_VALID (right->time);

  if (!left_has_time || !right_has_time) {
    if (left->gap || right->gap) {
      if (left->gap && right->gap)
        return GST_STEREO_PAIR_DROP_BOTH;
      return left->gap ? GST_STEREO_PAIR_DROP_LEFT
          : GST_STEREO_PAIR_DROP_RIGHT;
    }
    if (left_has_time)
      return GST_STEREO_PAIR_NO_TIME_RIGHT;
    if (right_has_time)
      return GST_STEREO_PAIR_NO_TIME_LEFT;
    return GST_STEREO_PAIR_TAKE;
  }

  if (left->gap && right->gap) {
    if (end_of (left) == end_of (right))
      return GST_STEREO_PAIR_DROP_BOTH;
    return end_of (left) < end_of (right) ? GST_STEREO_PAIR_DROP_LEFT
        : GST_STEREO_PAIR_DROP_RIGHT;
  }
  if (left->gap)
    return is_after (right, left, tolerance) ? GST_STEREO_PAIR_DROP_LEFT
        : GST_STEREO_PAIR_DROP_RIGHT;
  if (right->gap)
    return is_after (left, right, tolerance) ? GST_STEREO_PAIR_DROP_RIGHT
        : GST_STEREO_PAIR_DROP_LEFT;

  if (left->time > right->time && left->time - right->time > tolerance)
    return GST_STEREO_PAIR_DROP_RIGHT;
  if (right->time > left->time && right->time - left->time > tolerance)
    return GST_STEREO_PAIR_DROP_LEFT;
  return GST_STEREO_PAIR_TAKE;
}

const gchar *
gst_stereo_pairing_name (GstStereoPairing pairing)
{
  static const gchar *const names[] = {
    [GST_STEREO_PAIR_TAKE] = "pair",
    [GST_STEREO_PAIR_DROP_LEFT] = "left unpaired",
    [GST_STEREO_PAIR_DROP_RIGHT] = "right unpaired",
    [GST_STEREO_PAIR_DROP_BOTH] = "both unpaired",
    [GST_STEREO_PAIR_NO_TIME_LEFT] = "left has no timestamp",
    [GST_STEREO_PAIR_NO_TIME_RIGHT] = "right has no timestamp",
  };

  return names[pairing];
}

void
gst_stereo_offset_right (GstStereoHead * left,
    GstStereoHead * right, GstClockTimeDiff offset)
{
  GstClockTime *time = offset < 0 ? &left->time : &right->time;
  const GstClockTime delay = (GstClockTime) ABS (offset);

  if (GST_CLOCK_TIME_IS_VALID (*time))
    *time += MIN (delay, GST_CLOCK_TIME_NONE - 1 - *time);
}

GstClockTime
gst_stereo_scale_time (const GstSegment * segment, GstClockTime difference)
{
  const gdouble rate = ABS (segment->rate);
  const gdouble scaled = (gdouble) difference / rate;

  if (!GST_CLOCK_TIME_IS_VALID (difference) || rate == 1.0)
    return difference;
  return scaled < (gdouble) MAX_TIME ? (GstClockTime) scaled : MAX_TIME;
}

GstClockTimeDiff
gst_stereo_scale_offset (const GstSegment * segment,
    GstClockTimeDiff difference)
{
  const GstClockTimeDiff scaled = (GstClockTimeDiff) gst_stereo_scale_time
      (segment, (GstClockTime) ABS (difference));

  return (difference < 0) != (segment->rate < 0) ? -scaled : scaled;
}

/* Welford's method. */
void
gst_stereo_differences_add (GstStereoDifferences * self, GstClockTime left,
    GstClockTime right, gdouble rate)
{
  gdouble difference, deviation;

  if (!GST_CLOCK_TIME_IS_VALID (left) || !GST_CLOCK_TIME_IS_VALID (right))
    return;
  difference = rate * (gdouble) GST_CLOCK_DIFF (left, right);
  deviation = difference - self->mean;
  self->n++;
  self->mean += deviation / (gdouble) self->n;
  self->squares += deviation * (difference - self->mean);
}

gint64
gst_stereo_differences_mean (const GstStereoDifferences * self)
{
  return (gint64) CLAMP (rint (self->mean), -9e18, 9e18);
}

guint64
gst_stereo_differences_deviation (const GstStereoDifferences * self)
{
  return self->n == 0 ? 0
      : (guint64) rint (sqrt (self->squares / (gdouble) self->n));
}

GstClockTime
gst_stereo_tolerance (GstClockTime setting, GstClockTime left,
    GstClockTime right)
{
  /* GST_CLOCK_TIME_NONE is larger than any time */
  GstClockTime shown = MIN (left, right);

  if (GST_CLOCK_TIME_IS_VALID (setting))
    return setting;
  return GST_CLOCK_TIME_IS_VALID (shown) ? shown / 2 : DEFAULT_TOLERANCE;
}
