/* gst-stereomatching: metadata of disparity maps
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Every buffer of a matcher carries a custom meta (see
 * gst_meta_register_custom()) of this name, which programs in any language read
 * with gst_buffer_get_custom_meta() and gst_custom_meta_get_structure():
 *
 *   field            type     meaning
 *   result           string   "disparity", "vertical" or "confidence"
 *   scale            double   codes for one unit: for a pixel of disparity, or
 *                             for the whole of a confidence from 0 to 1
 *   offset           double   the code of 0, which may lie outside the format
 *   disparity-scale  double   codes for one pixel            } only with
 *   min-disparity    int      disparity of code 0, in pixels } disparities
 *   num-disparities  uint     disparities that were searched }
 *   invalid-value    uint     code of invalid pixels; absent if all pixels are
 *                             valid, as in a confidence map
 *   reference-view   string   the view that the map belongs to: "left"
 *   left-pts         uint64   timestamps of the two images, in nanoseconds,
 *   right-pts        uint64   or GST_CLOCK_TIME_NONE
 *   filled           boolean  whether invalid pixels were filled, with
 *                             disparities that were not measured; absent if
 *                             unknown or not a disparity
 *   algorithm        string   "vcbw", ...; "truth" for rendered ground truth
 *   weights          uint     CRC-32 of the network of cost=learned; absent if
 *                             the cost is another one
 *   backend          string   "cpu" or "cuda"
 *   focal-length     double   in pixels  } absent when not known
 *   baseline         double   in metres  }
 *   doffs            double   in pixels, added to a disparity for its depth }
 *   cx, cy           double   principal point, in pixels                    }
 *   projection       string   "cylinder": the views are pictures on a cylinder
 *                             around the baseline (geometry/camera.h); absent
 *                             if they are planes
 *
 * So value = (code - offset) / scale for all results and formats.  For a
 * disparity this is the same as code / disparity-scale + min-disparity, and
 * depth = focal-length * baseline / (disparity + doffs), on a cylinder the
 * distance from the baseline.
 *
 * Elements that scale, crop or convert video drop the meta, because its numbers
 * would be wrong.  videoflip keeps it.
 */

#ifndef GST_STEREO_META_H
#define GST_STEREO_META_H

#include "base/gststereocompat.h"
#include "geometry/camera.h"
#include "stereo.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_STEREO_DISPARITY_META "GstStereoDisparityMeta"

#define GST_STEREO_META_NO_INVALID G_MAXUINT

/* The same as a struct.  Strings are not owned. */
typedef struct
{
  StereoResult result;
  gdouble scale;                /* of a disparity: filled in by */
  gdouble offset;               /* gst_stereo_meta_get(), ignored by add() */
  gdouble disparity_scale;      /* these three: 0 for other results */
  gint min_disparity;
  guint num_disparities;
  guint invalid_value;          /* or GST_STEREO_META_NO_INVALID */
  GstClockTime left_pts;
  GstClockTime right_pts;
  gboolean filled;
  const gchar *algorithm;
  guint weights;                /* or 0 */
  const gchar *backend;
  gdouble focal_length;         /* these three: 0 when not known */
  gdouble baseline;
  gdouble doffs;                /* goes with baseline */
  gboolean has_center;
  gdouble cx;                   /* these two: if has_center */
  gdouble cy;
  StereoProjection projection;
} GstStereoDisparity;

/* Registers the meta; may be called again. */
void gst_stereo_meta_register (void);

/* Registers a custom meta of this name with GstMeta tags, ending with NULL:
 * elements that change such properties of a buffer drop the meta, unless
 * transform, which may be NULL, transforms it. */
void gst_stereo_meta_register_name (const gchar * name, const gchar ** tags,
    GstCustomMetaTransformFunction transform);

/* The tags of metas about the numbers in a map, of those about an image in any
 * colours, and of those about a frame in which pixels may have any position,
 * such as captions. */
extern const gchar *gst_stereo_meta_tags[];
extern const gchar *gst_stereo_picture_meta_tags[];
extern const gchar *const gst_stereo_frame_meta_tags[];

/* Adds a registered custom meta to a writable buffer and returns its fields;
 * and the fields of one that a buffer has, or NULL. */
GstStructure *gst_stereo_meta_new (GstBuffer * buffer, const gchar * name);
const GstStructure *gst_stereo_meta_find (GstBuffer * buffer,
    const gchar * name);

/* Set the field `projection` of a meta, and read it: FALSE if it is unknown. */
void gst_stereo_meta_set_projection (GstStructure * structure,
    StereoProjection projection);
gboolean gst_stereo_meta_get_projection (const GstStructure * structure,
    StereoProjection * projection);

/* Adds the meta to a writable buffer. */
void gst_stereo_meta_add (GstBuffer * buffer,
    const GstStereoDisparity * disparity);

/* FALSE, with nothing filled in, if the buffer has no such meta or an invalid
 * one.  The strings belong to the buffer. */
gboolean gst_stereo_meta_get (GstBuffer * buffer,
    GstStereoDisparity * disparity);

/* The same for a structure with the fields of the meta. */
void gst_stereo_meta_fill (GstStructure * structure,
    const GstStereoDisparity * disparity);
gboolean gst_stereo_meta_read (const GstStructure * structure,
    GstStereoDisparity * disparity);

/* Whether a meta has no other tags than these, ending with NULL, nor the memory
 * tag. */
gboolean gst_stereo_meta_is_about (const GstMeta * meta,
    const gchar * const * about);

/* Whether a meta of an image or a map also applies to the output computed from
 * it, pixel by pixel: metas about the scene do, those about colours, memory and
 * the numbers in a map do not. */
gboolean gst_stereo_meta_survives (const GstMeta * meta);

/* Copies a meta of a whole buffer, if it can be copied. */
void gst_stereo_meta_copy (GstMeta * meta, GstBuffer * from, GstBuffer * to);

/* Copies all metas that have no other tags than these, see above. */
void gst_stereo_meta_copy_about (GstBuffer * from, GstBuffer * to,
    const gchar * const * about);

G_END_DECLS

#endif /* GST_STEREO_META_H */
