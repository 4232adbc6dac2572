/* gst-stereomatching: files of points
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * PLY 1.0, a list of points, and PCD 0.7, organised: a point for every pixel.
 * Binary files start with a header of GST_STEREO_CLOUD_HEADER bytes, padded by
 * a comment, so that points can be written before they are counted.
 */

#ifndef GST_STEREO_CLOUD_FILE_H
#define GST_STEREO_CLOUD_FILE_H

#include "geometry/cloud.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_STEREO_CLOUD_PLY,
  GST_STEREO_CLOUD_PLY_ASCII,
  GST_STEREO_CLOUD_PCD
} GstStereoCloudFormat;

#define GST_STEREO_CLOUD_HEADER 320

#define GST_STEREO_CLOUD_CAPS \
    "application/x-ply, encoding = (string) { binary, ascii }; " \
    "application/x-pcd"

/* The format of fixed caps; FALSE for other caps. */
gboolean gst_stereo_cloud_format (const GstCaps * caps,
    GstStereoCloudFormat * format);

/* Fills in the header of a binary file with n points of this kind. */
void gst_stereo_cloud_write_header (GstStereoCloudFormat format,
    const StereoCloudSize * size, gboolean colors, guint n, guint8 * header);

/* Joins packed rows with counts[row] points each.  Returns their number. */
guint gst_stereo_cloud_join (const StereoCloudSize * size, guint8 * points,
    const guint32 * counts);

/* The whole file of n packed points, as text. */
GstBuffer *gst_stereo_cloud_print (const StereoCloudSize * size,
    gboolean colors, guint n, const guint8 * points);

G_END_DECLS

#endif /* GST_STEREO_CLOUD_FILE_H */
