/* gst-stereomatching: an element's properties for a page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * properties.h: what an element's properties are, from their descriptions, and
 * how they are set, in JSON.
 *
 * A page gets those that can be read and set and are a number, a truth value,
 * an enumeration, flags or a text, and that the element's own plugin brings:
 * what all elements of GStreamer have is for the program, and so is what a
 * source can't change while it runs, because nothing takes sources down, and
 * TUNE_PROFILING.
 */

#ifndef TUNE_PROPERTIES_H
#define TUNE_PROPERTIES_H

#include <gst/gst.h>
#include <json-glib/json-glib.h>

/* Of a matcher: whether it times its stages, which the page shows. */
#define TUNE_PROFILING "profiling"

/* Those for a page, ending with NULL: what the element's own class brings, then
 * what its base classes do; for g_free(). */
GParamSpec **tune_properties_list (GstElement * element);

/* One of them by its name, or NULL. */
GParamSpec *tune_properties_find (GstElement * element, const gchar * name);

/* Whether it takes effect while the element runs. */
gboolean tune_property_is_live (GParamSpec * property);

/* The members that describe it are added to an open object. */
void tune_property_describe (GstElement * element, GParamSpec * property,
    JsonBuilder * builder);

/* The value that it has now; a new node. */
JsonNode *tune_property_get (GstElement * element, GParamSpec * property);
gboolean tune_property_is_default (GstElement * element,
    GParamSpec * property);

/* Numbers beyond the range become its ends.  FALSE, and in why what would be
 * right, when the value is of the wrong kind; why is for g_free(). */
gboolean tune_property_set (GstElement * element, GParamSpec * property,
    JsonNode * value, gchar ** why);
void tune_property_reset (GstElement * element, GParamSpec * property);

/* " name=value" for each that differs from its default, as gst-launch-1.0
 * takes it; for g_free(). */
gchar *tune_properties_text (GstElement * element);

/* Names of the element's presets, for g_strfreev(); empty when it has none. */
gchar **tune_presets_list (GstElement * element);

/* Loads one; what any preset of the element sets, and this one does not,
 * becomes its default.  FALSE when there is none of that name. */
gboolean tune_preset_load (GstElement * element, const gchar * name);

#endif /* TUNE_PROPERTIES_H */
