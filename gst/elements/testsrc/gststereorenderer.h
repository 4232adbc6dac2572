/* gst-stereomatching: frames of stereotestsrc
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Renders a scene to video frames: the views of a frame, noise, exposure and
 * alignment of each camera, and conversion to every video format.
 */

#ifndef GST_STEREO_RENDERER_H
#define GST_STEREO_RENDERER_H

#include "elements/testsrc/gststereodisturbance.h"
#include "elements/testsrc/gststereoscene.h"

#include <gst/video/video.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* Code of a pixel without a disparity. */
#define GST_STEREO_RENDERER_INVALID 0

typedef enum
{
  GST_STEREO_TEST_SRC_LEFT,
  GST_STEREO_TEST_SRC_RIGHT,
  GST_STEREO_TEST_SRC_SIDE_BY_SIDE,
  GST_STEREO_TEST_SRC_TOP_BOTTOM,
  GST_STEREO_TEST_SRC_DISPARITY,
  GST_STEREO_TEST_SRC_VIRTUAL
} GstStereoTestSrcView;

typedef struct
{
  GstStereoTestSrcView view;
  int pattern;                  /* GstStereoPattern */
  unsigned num_disparities;
  unsigned seed;
  double noise;
  double exposure_offset;
  unsigned disparity_scale;
  double position;
  /* Of the right camera. */
  GstStereoDisturbance disturbance;
  double drift;                 /* of all rotations, in degrees per second */
  unsigned delay;               /* frames */
  bool swap;                    /* the right view is the left one, and back */
} GstStereoTestSettings;

typedef struct
{
  GstStereoScene *scene;
  GstStereoTestSettings scene_settings; /* that the scene was made for */
  gint scene_width, scene_height;
  gint width, height;           /* of a frame */
  gdouble duration;             /* of a frame in seconds, or 0 */
  guint16 *rgb[2];              /* the last two rows */
  gdouble *disparity;           /* a row */

  /* If the right view is disturbed or late: what its camera would see, and the
   * mapping of the frame. */
  gboolean is_disturbed;
  GstStereoUndisturbed undisturbed;
  gsize undisturbed_size;       /* allocated values */
  GstStereoWarp warp;

  /* Y, U, V of R, G, B in units of 1/65536, and offsets in grey levels */
  gint32 matrix[3][3];
  gint32 offset[3];
} GstStereoRenderer;

/* Prepares for frames with this info, and releases all memory. */
void gst_stereo_renderer_init (GstStereoRenderer * self,
    const GstVideoInfo * info);
void gst_stereo_renderer_clear (GstStereoRenderer * self);

/* Codes per pixel of disparity in frames of a format. */
gdouble gst_stereo_renderer_scale (const GstStereoTestSettings * settings,
    GstVideoFormat format);

/* Renders a frame by its number.  FALSE without memory for a disturbed view. */
gboolean gst_stereo_renderer_render (GstStereoRenderer * self,
    const GstStereoTestSettings * settings, guint64 number,
    GstVideoFrame * frame);

G_END_DECLS

#endif /* GST_STEREO_RENDERER_H */
