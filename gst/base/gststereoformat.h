/* gst-stereomatching: formats and colours of video, as the library has them
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_FORMAT_H
#define GST_STEREO_FORMAT_H

#include "stereo.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* The views of a pair. */
enum
{
  GST_STEREO_LEFT,
  GST_STEREO_RIGHT,
  GST_STEREO_N_VIEWS
};

/* Caps of the video of a pad template, in formats like "{ GRAY8, NV12 }". */
#define GST_STEREO_VIDEO_CAPS(media, formats) \
    media ", format = (string) " formats ", " \
    "width = (int) [ 1, 16384 ], height = (int) [ 1, 16384 ], " \
    "framerate = " GST_VIDEO_FPS_RANGE

/* The formats of a view in system memory. */
#define GST_STEREO_VIEW_FORMATS "{ GRAY8, NV12, I420, YV12, NV21, NV16, " \
    "Y42B, Y444, YUY2, UYVY, YVYU, RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, " \
    "BGRA, ARGB, ABGR, GRAY16_LE, P010_10LE, I420_10LE, I422_10LE, " \
    "Y444_10LE }"

/* Such views, and disparity maps. */
#define GST_STEREO_VIEW_CAPS \
    GST_STEREO_VIDEO_CAPS ("video/x-raw", GST_STEREO_VIEW_FORMATS)
#define GST_STEREO_MAP_CAPS \
    GST_STEREO_VIDEO_CAPS ("video/x-raw", "{ GRAY16_LE, GRAY8 }")

/* The library's format for this one; FALSE if it has none. */
gboolean gst_stereo_format (GstVideoFormat format, StereoFormat * stereo);

/* The matrix and the range of YUV video; the FCC matrix is treated as BT.601
 * and that of SMPTE 240M as BT.709.  The default for other video. */
StereoColorimetry gst_stereo_colorimetry (const GstVideoInfo * info);

/* The duration of a frame according to the caps; GST_CLOCK_TIME_NONE without a
 * frame rate. */
GstClockTime gst_stereo_frame_duration (const GstVideoInfo * info);

/* Whether the frame rate is unknown or variable. */
gboolean gst_stereo_has_variable_rate (const GstVideoInfo * info);

/* Sets framerate of writable caps, and max-framerate if the rate is variable
 * with a known maximum. */
void gst_stereo_caps_set_framerate (GstCaps * caps, const GstVideoInfo * info);

G_END_DECLS

#endif /* GST_STEREO_FORMAT_H */
