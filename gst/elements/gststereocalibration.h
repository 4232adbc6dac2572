/* gst-stereomatching: calibration files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Files that say where two cameras are, and what their lenses do:
 *
 * - OpenCV's YAML, in one file or in two: M1 D1 M2 D2 (also cameraMatrix1,
 *   distCoeffs1 and so on, K1, K2), R T and, if they are there, R1 R2 P1 P2;
 * - ROS' camera_info, a file for each camera;
 * - Kalibr's camchain with cam0 and cam1;
 * - ZED's SN*.conf.
 */

#ifndef GST_STEREO_CALIBRATION_H
#define GST_STEREO_CALIBRATION_H

#include "geometry/camera.h"

#include <glib.h>

G_BEGIN_DECLS

/*
 * Adds what one file says.  name begins the message, unit is metres for one in
 * OpenCV's translations, and width and height are the size of the video, by
 * which a section is chosen where there are several.
 *
 * FALSE with what is wrong in why: "name:line: ...".
 */
gboolean gst_stereo_calibration_add (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    gint width, gint height, StereoMessage * why);

/* The same for files on disk, as a search path names them. */
gboolean gst_stereo_calibration_load (StereoCalibration * calibration,
    const gchar * paths, gdouble unit, gint width, gint height,
    StereoMessage * why);

/* ---------------------------------------------------- for the two readers */

/* Says what is wrong at a line, or in the whole file for line 0; FALSE. */
gboolean gst_stereo_calibration_fail (StereoMessage * why, const gchar * name,
    gsize line, const gchar * text, ...) G_GNUC_PRINTF (4, 5);

gboolean gst_stereo_calibration_add_yaml (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gdouble unit,
    StereoMessage * why);
gboolean gst_stereo_calibration_add_zed (StereoCalibration * calibration,
    const gchar * name, const gchar * text, gsize size, gint width,
    gint height, StereoMessage * why);

/* The rotation about a vector, row by row, by an angle of its length. */
void gst_stereo_calibration_rotate (const gdouble vector[3],
    gdouble rotation[9]);

G_END_DECLS

#endif /* GST_STEREO_CALIBRATION_H */
