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

/* The format that the library knows this one as; FALSE when there is none. */
gboolean gst_stereo_format (GstVideoFormat format, StereoFormat * stereo);

/* The matrix and the range of YUV video, as far as the library knows them:
 * FCC's matrix counts as BT.601, that of SMPTE 240M as BT.709.  The default for
 * other video. */
StereoColorimetry gst_stereo_colorimetry (const GstVideoInfo * info);

/* How long a frame is shown by the caps; GST_CLOCK_TIME_NONE where they have no
 * frame rate. */
GstClockTime gst_stereo_frame_duration (const GstVideoInfo * info);

G_END_DECLS

#endif /* GST_STEREO_FORMAT_H */
