/* gst-stereomatching: tags that describe the maps of a stream
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Files and networks lose metas, but keep tags.  Elements that produce maps
 * send a tag `comment` with the fields of the meta as a serialised structure:
 * all but those of a single frame, with width, height and format of the video.
 * Elements that consume maps use it if a buffer has no meta, and only for video
 * of that size and format, because scaling changes the numbers.
 */

#ifndef GST_STEREO_TAGS_H
#define GST_STEREO_TAGS_H

#include "base/gststereodepthmeta.h"
#include "base/gststereometa.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The tags that were sent last; zeroed, none. */
typedef struct
{
  gboolean valid;
  GstVideoFormat format;
  gint width;
  gint height;
  GstStereoDisparity disparity;
  GstStereoDepth depth;
} GstStereoSentTags;

/* The tags of maps of such video, or NULL if they have been sent. */
GstTagList *gst_stereo_tags_of_disparity (GstStereoSentTags * sent,
    const GstStereoDisparity * disparity, const GstVideoInfo * info);
GstTagList *gst_stereo_tags_of_depth (GstStereoSentTags * sent,
    const GstStereoDepth * depth, const GstVideoInfo * info);

/* The tags of a pad that sends them before its next map; zeroed, none. */
typedef struct
{
  GstStereoSentTags last;       /* sent, or to be sent */
  GstEvent *event;              /* to be sent, or NULL */
} GstStereoPendingTags;

/* Takes the tags of maps of such video unless they are the last ones. */
void gst_stereo_pending_tags_update (GstStereoPendingTags * self,
    const GstStereoDisparity * disparity, const GstVideoInfo * info);
void gst_stereo_pending_tags_send (GstStereoPendingTags * self, GstPad * pad);
void gst_stereo_pending_tags_clear (GstStereoPendingTags * self);

/* The tags that were received; zeroed, none. */
typedef struct
{
  GstStructure *disparity;      /* or NULL */
  GstStructure *depth;
  gboolean warned;              /* since the element started */
} GstStereoTags;

/* Call it when the element stops and when a new stream starts. */
void gst_stereo_tags_clear (GstStereoTags * self);
void gst_stereo_tags_start_stream (GstStereoTags * self);

/* Takes a TAG event, and returns one with the other tags, or NULL. */
GstEvent *gst_stereo_tags_take (GstStereoTags * self, GstEvent * event);

/* Fills in the buffer's meta, or the tags for such video.  FALSE, with nothing
 * filled in, if there are neither.  Strings belong to them. */
gboolean gst_stereo_tags_get_disparity (const GstStereoTags * self,
    GstBuffer * buffer, const GstVideoInfo * info,
    GstStereoDisparity * disparity);
gboolean gst_stereo_tags_get_depth (const GstStereoTags * self,
    GstBuffer * buffer, const GstVideoInfo * info, GstStereoDepth * depth);

/* For maps without a description: NULL, or the problem and its remedy if the
 * tags describe video of another size or format, because an element upstream
 * has changed the map.  Free with g_free(). */
gchar *gst_stereo_tags_explain_change (const GstStereoTags * self,
    const GstVideoInfo * info);

/* The assumption of elements with the properties of GST_STEREO_TAGS_CODES.
 * Free with g_free(). */
#define GST_STEREO_TAGS_CODES "disparity-scale, min-disparity and invalid-value"
gchar *gst_stereo_tags_describe_codes (gdouble scale, gint minimum,
    gint invalid);

/* Posts one warning about such maps: what the element assumes, and the
 * properties to set. */
void gst_stereo_tags_warn (GstStereoTags * self, const GstVideoInfo * info,
    GstElement * element, const gchar * assumed, const gchar * properties);

G_END_DECLS

#endif /* GST_STEREO_TAGS_H */
