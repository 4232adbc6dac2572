/* gst-stereomatching: files to download
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * export.h: the newest map of a side, and what is computed from it, as files:
 *
 *   SIDE/VIEW.png        the picture of a view, in the size of the video
 *   SIDE/disparity.pfm   disparities in pixels; infinity = invalid
 *   SIDE/depth16.png     codes of disparitydepth, 16 bits: millimetres unless
 *                        depth-scale is set; 0 = unknown
 *   SIDE/points.ply      coloured points of disparitycloud, in metres
 *   SIDE/correction.yml  the correction of the views that the matcher asks for,
 *                        as a calibration file for stereorectify
 *
 * SIDE is a or b, and VIEW an id of tune_views.
 */

#ifndef TUNE_EXPORT_H
#define TUNE_EXPORT_H

#include "session.h"

#define TUNE_CORRECTION_FILE "correction.yml"

typedef struct TuneExports TuneExports;

TuneExports *tune_exports_new (TuneSession * session);
/* Before the server is freed: abandons the files that are not complete. */
void tune_exports_free (TuneExports ** exports);

/* Answers a request for a file, immediately or asynchronously.  Returns NULL,
 * or the reason why there is no such file, with the HTTP code in status. */
const gchar *tune_exports_serve (TuneExports * exports,
    SoupServerMessage * message, const gchar * name, guint * status);

#endif /* TUNE_EXPORT_H */
