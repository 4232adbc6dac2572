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

/* The parameters behind an element's properties.  The element's object lock,
 * which the functions take, protects them. */
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

/* Sets the algorithm's defaults.  If memory is short, params is NULL,
 * properties have no effect, and the element must not start. */
void gst_stereo_params_init (GstStereoParams * self, GstElement * element,
    const StereoAlgorithm * algorithm);
void gst_stereo_params_clear (GstStereoParams * self);

void gst_stereo_params_set_property (GstStereoParams * self, guint id,
    const GValue * value);
void gst_stereo_params_get_property (GstStereoParams * self, guint id,
    GValue * value);

/* Replaces the network of cost=learned: stereo_params_set_weights().  Without
 * effect if the algorithm has no such cost.  FALSE, with the reason, if the
 * text is refused. */
gboolean gst_stereo_params_set_weights (GstStereoParams * self,
    const gchar * text, gsize length, StereoMessage * why);

/* Copies the current parameters and returns their serial. */
guint gst_stereo_params_snapshot (GstStereoParams * self,
    StereoParams * target);

/* Whether they differ from those of a snapshot. */
gboolean gst_stereo_params_changed (GstStereoParams * self, guint serial);

/*
 * The same for the table of an operation, whose structure is in the element: a
 * property for each row, with ids from first on.  owner is the prefix of the
 * parameter in the names of enumerations, for example "view".
 */
void gst_stereo_table_install_properties (GObjectClass * klass, guint first,
    const StereoParamSpec * table, const gchar * owner);

/* Sets all fields to their defaults. */
void gst_stereo_table_init (const StereoParamSpec * table, gpointer params);

/* With the element's object lock held.  Ignores NaN. */
void gst_stereo_table_set_property (const StereoParamSpec * spec,
    gpointer params, const GValue * value);
void gst_stereo_table_get_property (const StereoParamSpec * spec,
    gconstpointer params, GValue * value);

/* Whether the properties that describe the codes of a map without metadata are
 * all set: bit i is that of row i. */
gboolean gst_stereo_table_codes_set (const StereoParamSpec * table,
    guint64 set);

G_END_DECLS

#endif /* GST_STEREO_PARAMS_H */
