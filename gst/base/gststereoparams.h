/* gst-stereomatching: GObject properties from parameter tables
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_PARAMS_H
#define GST_STEREO_PARAMS_H

#include "stereo.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/*
 * The parameters of an element as its properties set them.  All is protected
 * by the element's object lock, which the functions take.
 */
typedef struct
{
  GstElement *element;          /* no reference */
  const StereoAlgorithm *algorithm;
  StereoParams *params;
  guint serial;                 /* changes with every change of params */
} GstStereoParams;

/* Installs a property for each of the algorithm's parameters, in the order of
 * its table, from 1. */
void gst_stereo_params_install_properties (GObjectClass * klass,
    const StereoAlgorithm * algorithm);

/* With the algorithm's defaults. */
void gst_stereo_params_init (GstStereoParams * self, GstElement * element,
    const StereoAlgorithm * algorithm);
void gst_stereo_params_clear (GstStereoParams * self);

void gst_stereo_params_set_property (GstStereoParams * self, guint id,
    const GValue * value);
void gst_stereo_params_get_property (GstStereoParams * self, guint id,
    GValue * value);

/* Copies the parameters as they are now, and returns their serial. */
guint gst_stereo_params_snapshot (GstStereoParams * self,
    StereoParams * target);

/* Whether they differ from those of a snapshot. */
gboolean gst_stereo_params_changed (GstStereoParams * self, guint serial);

/*
 * The same for a table that is no algorithm's but an operation's, and for its
 * structure, which the element has: a property for each row, from first on.
 * owner is the part of an enumeration's name that comes before the parameter's,
 * "view" for one.
 */
void gst_stereo_table_install_properties (GObjectClass * klass, guint first,
    const StereoParamSpec * table, const gchar * owner);

/* Sets all fields to their defaults. */
void gst_stereo_table_init (const StereoParamSpec * table, gpointer params);

/* With the element's object lock held.  A NaN is left out. */
void gst_stereo_table_set_property (const StereoParamSpec * spec,
    gpointer params, const GValue * value);
void gst_stereo_table_get_property (const StereoParamSpec * spec,
    gconstpointer params, GValue * value);

G_END_DECLS

#endif /* GST_STEREO_PARAMS_H */
