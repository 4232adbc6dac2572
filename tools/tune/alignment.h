/* gst-stereomatching: alignment of the views of a side
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * alignment.h: what a matcher has measured, the correction that it asks for,
 * and the points of both views that match, for pages.
 */

#ifndef TUNE_ALIGNMENT_H
#define TUNE_ALIGNMENT_H

#include "source.h"

#include <json-glib/json-glib.h>

/* The property of a matcher that is "off", "measure" or "correct". */
#define TUNE_ALIGNMENT "alignment"

/* Whether the views of a matcher are to be corrected. */
gboolean tune_alignment_corrects (GstElement * matcher);

/* The correction that it asks for, as its property; "" = none.  For
 * g_free(). */
gchar *tune_alignment_correction (GstElement * matcher);

/* The same as a calibration file of OpenCV, for g_free(); NULL = none. */
gchar *tune_alignment_file (GstElement * matcher);

/* Whether a view has this correction. */
gboolean tune_alignment_is_applied (GstElement * matcher, GstSample * view);

/* The last report of a matcher, and whether it asks for a correction: see
 * notifications.h. */
JsonObject *tune_alignment_report (GstElement * matcher);

/* Measures pairs one by one, on the CPU. */
typedef struct TuneAligner TuneAligner;

/* NULL without memory. */
TuneAligner *tune_aligner_new (void);
void tune_aligner_free (TuneAligner ** aligner);

/* Points of both views: an array of [x, y, dx, dy, fits].  x and y are pixels
 * of the left view, dx and dy the distance to the same point of the right one,
 * and fits is 1 if the point agrees with the cameras found, otherwise 0.  Empty
 * if the pair cannot be measured; aligner may be NULL. */
JsonArray *tune_aligner_match (TuneAligner * aligner, const TunePair * pair);

#endif /* TUNE_ALIGNMENT_H */
