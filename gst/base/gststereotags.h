/* gst-stereomatching: what the tags of a stream say about its maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Metas get lost in files and networks, tags do not.  What makes maps sends a
 * tag `comment`, which containers keep, with the meta's fields as a serialised
 * structure: all but those of a single frame, and with width, height and format
 * of the video.  What reads maps takes it where a buffer has no meta, and only
 * for video of that size and format: a map that was scaled has other numbers.
 */

#ifndef GST_STEREO_TAGS_H
#define GST_STEREO_TAGS_H

#include "base/gststereodepthmeta.h"
#include "base/gststereometa.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* What was sent last; zeroed: nothing. */
typedef struct
{
  gboolean valid;
  GstVideoFormat format;
  gint width;
  gint height;
  GstStereoDisparity disparity;
  GstStereoDepth depth;
} GstStereoToldTags;

/* The tags of maps of such video, or NULL if they have been sent. */
GstTagList *gst_stereo_tags_of_disparity (GstStereoToldTags * told,
    const GstStereoDisparity * disparity, const GstVideoInfo * info);
GstTagList *gst_stereo_tags_of_depth (GstStereoToldTags * told,
    const GstStereoDepth * depth, const GstVideoInfo * info);

/* What was received; zeroed: nothing. */
typedef struct
{
  GstStructure *disparity;      /* or NULL */
  GstStructure *depth;
} GstStereoTags;

void gst_stereo_tags_clear (GstStereoTags * self);

/* Takes a TAG event, of which what is meant for others is returned, or NULL. */
GstEvent *gst_stereo_tags_take (GstStereoTags * self, GstEvent * event);

/* What the buffer's meta says, or the tags say of such video.  FALSE, and
 * nothing filled in, when neither says anything.  Strings belong to both. */
gboolean gst_stereo_tags_get_disparity (const GstStereoTags * self,
    GstBuffer * buffer, const GstVideoInfo * info,
    GstStereoDisparity * disparity);
gboolean gst_stereo_tags_get_depth (const GstStereoTags * self,
    GstBuffer * buffer, const GstVideoInfo * info, GstStereoDepth * depth);

G_END_DECLS

#endif /* GST_STEREO_TAGS_H */
