/* gst-stereomatching: calibration files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Reads the intrinsics and the pose of two cameras from files:
 *
 * - OpenCV's YAML, one file or two: M1 D1 M2 D2 (also cameraMatrix1,
 *   distCoeffs1 and so on, K1, K2), R T and optionally R1 R2 P1 P2; xi1 xi2 of
 *   cv::omnidir;
 * - ROS' camera_info, one file per camera;
 * - Kalibr's camchain with cam0 and cam1: pinhole, omni, ds or eucm;
 * - ZED's SN*.conf.
 */

#ifndef GST_STEREO_CALIBRATION_H
#define GST_STEREO_CALIBRATION_H

#include "geometry/camera.h"

#include <glib.h>

G_BEGIN_DECLS

/*
 * Adds the contents of one file.  unit is the length unit of OpenCV's
 * translations, in metres.  width and height are the size of the video, which
 * selects a section of files with several.
 *
 * FALSE with the error in why: "name:line: ...".
 */
gboolean gst_stereo_calibration_add (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    gint width, gint height, StereoMessage * why);

/* Reads files that are separated like a search path. */
gboolean gst_stereo_calibration_load (StereoCalibration * calibration,
    const gchar * paths, gdouble unit, gint width, gint height,
    StereoMessage * why);

/* ----------------------------------------------------------------- private */

/* Reports an error at a line (0 = in the whole file); FALSE. */
gboolean gst_stereo_calibration_fail (StereoMessage * why, const gchar * name,
    gsize line, const gchar * text, ...) G_GNUC_PRINTF (4, 5);

gboolean gst_stereo_calibration_add_yaml (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    StereoMessage * why);
gboolean gst_stereo_calibration_add_zed (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gint width,
    gint height, StereoMessage * why);

G_END_DECLS

#endif /* GST_STEREO_CALIBRATION_H */
