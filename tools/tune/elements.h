/* gst-stereomatching: matchers, and properties of elements as JSON
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * elements.h: lists the matchers, and describes, reads and sets the properties
 * of an element, in JSON.
 *
 * The page gets the properties that can be read and set, and are a number, a
 * boolean or an enumeration, except: those of GStreamer's base classes,
 * TUNE_PROFILING, and those of a source that cannot change while it runs,
 * because sources are never stopped.
 */

#ifndef TUNE_ELEMENTS_H
#define TUNE_ELEMENTS_H

#include <gst/gst.h>
#include <json-glib/json-glib.h>

/* Of a matcher: whether it times its stages, which the page shows. */
#define TUNE_PROFILING "profiling"

/* Of a matcher with the property cost: the file of a network.  It is an option
 * of the program, because no page may name a file. */
#define TUNE_WEIGHTS "weights"

gboolean tune_has_weights (GstElement * element);

/* FALSE, and in why, for g_free(), the error, if the file is no network. */
gboolean tune_weights_check (const gchar * path, gchar ** why);

/* Those for the page, terminated by NULL: of the element's class, then of its
 * base classes; for g_free(). */
GParamSpec **tune_properties_list (GstElement * element);

/* One of them by its name, or NULL. */
GParamSpec *tune_properties_find (GstElement * element, const gchar * name);

/* Whether it takes effect while the element runs. */
gboolean tune_property_is_live (GParamSpec * property);

/* A description and the value: see notifications.h. */
JsonObject *tune_property_describe (GstElement * element,
    GParamSpec * property);

/* Initialises value with the current value. */
void tune_property_read (GstElement * element, GParamSpec * property,
    GValue * value);

/* The current value; a new node. */
JsonNode *tune_property_get (GstElement * element, GParamSpec * property);
gboolean tune_property_is_default (GstElement * element,
    GParamSpec * property);

/* Clamps numbers to their range.  FALSE, and in why, for g_free(), what was
 * expected if the type is wrong. */
gboolean tune_property_set (GstElement * element, GParamSpec * property,
    JsonNode * value, gchar ** why);
/* Resets it to the start value of the session or, without one, to the
 * default. */
void tune_property_reset (GstElement * element, GParamSpec * property);

/* Makes the current value of a property its start value: the page shows it as
 * the default. */
void tune_property_set_start (GstElement * element, const gchar * name);

/* Copies the values that are not defaults to properties of the same name and
 * type. */
void tune_properties_copy (GstElement * from, GstElement * to);

/* " name=value" for each that is not its default, as for gst-launch-1.0; for
 * g_free(). */
gchar *tune_properties_text (GstElement * element);

/* Names of the element's presets, for g_strfreev(); may be empty. */
gchar **tune_presets_list (GstElement * element);

/* Loads a preset, and resets what other presets of the element set.  FALSE if
 * there is no preset of that name. */
gboolean tune_preset_load (GstElement * element, const gchar * name);

/* Factories of all matchers, by name; for gst_plugin_feature_list_free(). */
GList *tune_matchers_list (void);

/* Its title; for g_free(). */
gchar *tune_matcher_title (GstElementFactory * factory);

/* FALSE, and in why, for g_free(), the names of matchers, if factory is not
 * one. */
gboolean tune_matchers_check (const gchar * factory, gchar ** why);

/* Caps of the views that matchers accept, in system memory. */
GstCaps *tune_matchers_caps (void);

#endif /* TUNE_ELEMENTS_H */
