/* gst-stereomatching: the policy that pairs images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_PAIR_H
#define GST_STEREO_PAIR_H

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* The oldest buffer of a pad.  Any time may be GST_CLOCK_TIME_NONE. */
typedef struct
{
  GstClockTime time;            /* running time, as is the duration */
  GstClockTime duration;
  gboolean gap;                 /* a gap event instead of an image */
  gboolean present;             /* FALSE for a right view without a pad */
  GstClockTime pts;
  gint64 advance;               /* of the segment's base, for maps */
} GstStereoHead;

typedef enum
{
  GST_STEREO_PAIR_TAKE,         /* they are a pair */
  GST_STEREO_PAIR_DROP_LEFT,    /* it will not find a partner */
  GST_STEREO_PAIR_DROP_RIGHT,
  GST_STEREO_PAIR_DROP_BOTH,
  GST_STEREO_PAIR_NO_TIME_LEFT, /* an error: only the right one has a time */
  GST_STEREO_PAIR_NO_TIME_RIGHT
} GstStereoPairing;

/*
 * Decides about the oldest buffers of both views.
 *
 * Images whose times differ by at most tolerance are a pair; otherwise the
 * older one is unpaired.  Images without times are paired in order of arrival.
 * A gap replaces all images that would start in it: those of the other view are
 * dropped, and then the gap itself.
 */
GstStereoPairing gst_stereo_pair (const GstStereoHead * left,
    const GstStereoHead * right, GstClockTime tolerance);

/* For the log. */
const gchar *gst_stereo_pairing_name (GstStereoPairing pairing);

/* Adds an offset to the time of the right view, for pairing only.  A negative
 * offset is added to the left view with the opposite sign, because times are
 * not negative. */
void gst_stereo_offset_right (GstStereoHead * left,
    GstStereoHead * right, GstClockTimeDiff offset);

/* Convert a difference of timestamps to running time, by the rate of playback.
 * Backwards, an offset changes its sign. */
GstClockTime gst_stereo_scale_time (const GstSegment * segment,
    GstClockTime difference);
GstClockTimeDiff gst_stereo_scale_offset (const GstSegment * segment,
    GstClockTimeDiff difference);

/* Right minus left timestamp of pairs, in nanoseconds.  Zeroed, it is empty. */
typedef struct
{
  guint64 n;
  gdouble mean;
  gdouble squares;              /* sum of the squared deviations */
} GstStereoDifferences;

/* Adds the running times of a pair at this rate, unless it has none. */
void gst_stereo_differences_add (GstStereoDifferences * self,
    GstClockTime left, GstClockTime right, gdouble rate);
gint64 gst_stereo_differences_mean (const GstStereoDifferences * self);
/* The standard deviation. */
guint64 gst_stereo_differences_deviation (const GstStereoDifferences * self);

/*
 * The maximum difference of the running times of a pair: setting, or if that is
 * GST_CLOCK_TIME_NONE half the duration of an image of the faster view.  With
 * more, an image would be paired before a nearer one has arrived.
 */
GstClockTime gst_stereo_tolerance (GstClockTime setting, GstClockTime left,
    GstClockTime right);

G_END_DECLS

#endif /* GST_STEREO_PAIR_H */
