/* gst-stereomatching: all that was set, as a file
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "settings.h"

#include "matchers.h"
#include "message.h"
#include "properties.h"

#include <string.h>

#define VERSION 1
#define VERSION_NAME "stereo-tune"

static const gchar *const side_names[TUNE_MAX_SIDES] = { "a", "b" };

/* -------------------------------------------------------------------- get */

static JsonObject *
element_settings (GstElement * element, const gchar * name)
{
  JsonObject *object = json_object_new ();
  JsonObject *properties = json_object_new ();
  GParamSpec **list = tune_properties_list (element);

  for (guint i = 0; list[i] != NULL; i++) {
    if (!tune_property_is_default (element, list[i]))
      json_object_set_member (properties, list[i]->name,
          tune_property_get (element, list[i]));
  }
  g_free (list);
  if (strcmp (name, "matcher") == 0)
    json_object_set_string_member (object, "factory",
        GST_OBJECT_NAME (gst_element_get_factory (element)));
  json_object_set_object_member (object, "properties", properties);
  return object;
}

static JsonObject *
side_settings (TuneSide * side)
{
  JsonObject *object = json_object_new ();

  for (guint i = 0; tune_side_elements[i] != NULL; i++)
    json_object_set_object_member (object, tune_side_elements[i],
        element_settings (tune_side_element (side, tune_side_elements[i]),
            tune_side_elements[i]));
  return object;
}

JsonNode *
tune_settings_get (TuneSession * session)
{
  GstElement *scene = tune_source_scene (session->source);
  JsonObject *object = json_object_new ();
  JsonNode *node = json_node_alloc ();

  json_object_set_int_member (object, VERSION_NAME, VERSION);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL)
      json_object_set_object_member (object, side_names[i],
          side_settings (session->sides[i]));
  }
  if (scene != NULL)
    json_object_set_object_member (object, "scene",
        element_settings (scene, "scene"));
  json_node_init_object (node, object);
  json_object_unref (object);
  return node;
}

/* -------------------------------------------------------------------- set */

/* The member if it is an object, or NULL. */
static JsonObject *
object_in (JsonObject * object, const gchar * name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name)
      : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
      ? json_node_get_object (node) : NULL;
}

/* The first thing that is wrong is told. */
static void
complain (gchar ** why, gchar * text)
{
  if (*why == NULL)
    *why = text;
  else
    g_free (text);
}

typedef struct
{
  JsonObject *properties;       /* or NULL */
  gchar **why;
} Values;

static void
set_values (GstElement * element, gpointer data)
{
  Values *values = data;
  GParamSpec **list = tune_properties_list (element);
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *node;

  for (guint i = 0; list[i] != NULL; i++) {
    if (values->properties == NULL
        || !json_object_has_member (values->properties, list[i]->name))
      tune_property_reset (element, list[i]);
  }
  g_free (list);
  if (values->properties == NULL)
    return;
  json_object_iter_init (&iter, values->properties);
  while (json_object_iter_next (&iter, &name, &node)) {
    GParamSpec *property = tune_properties_find (element, name);
    gchar *reason = NULL;

    if (property == NULL)
      complain (values->why, g_strdup_printf ("%s has no property '%.64s'",
              GST_OBJECT_NAME (gst_element_get_factory (element)), name));
    else if (!tune_property_set (element, property, node, &reason))
      complain (values->why, reason);
  }
}

static void
set_matcher (TuneSide * side, JsonObject * settings, gchar ** why)
{
  JsonNode *node = settings != NULL ? json_object_get_member (settings,
      "factory") : NULL;
  const gchar *factory = node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING
      ? json_node_get_string (node) : NULL;
  gchar *reason = NULL;

  if (factory == NULL)
    return;
  if (tune_matchers_check (factory, &reason))
    tune_side_exchange (side, factory);
  else
    complain (why, reason);
}

static void
set_side (TuneSide * side, JsonObject * settings, gchar ** why)
{
  for (guint i = 0; tune_side_elements[i] != NULL; i++) {
    JsonObject *element = object_in (settings, tune_side_elements[i]);
    Values values = { element != NULL ? object_in (element, "properties")
          : NULL, why
    };

    if (i == 0)
      set_matcher (side, element, why);
    tune_side_change (side, tune_side_elements[i], FALSE, set_values, &values);
  }
}

gboolean
tune_settings_set (TuneSession * session, const gchar * text, gsize size,
    gchar ** why)
{
  GstElement *scene = tune_source_scene (session->source);
  JsonNode *root = tune_json_parse (text, size, why);
  JsonObject *object, *side;

  if (root == NULL)
    return FALSE;
  object = json_node_get_object (root);
  if (!json_object_has_member (object, VERSION_NAME)
      || object_in (object, "a") == NULL) {
    *why = g_strdup ("these are no settings of stereo-tune: members \""
        VERSION_NAME "\" and \"a\" are needed");
    json_node_unref (root);
    return FALSE;
  }
  *why = NULL;
  session->quiet = TRUE;
  tune_session_compare (session, object_in (object, "b") != NULL);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    side = object_in (object, side_names[i]);
    if (side != NULL)
      set_side (session->sides[i], side, why);
  }
  side = object_in (object, "scene");
  if (scene != NULL && side != NULL) {
    Values values = { object_in (side, "properties"), why };

    set_values (scene, &values);
  }
  session->quiet = FALSE;
  json_node_unref (root);
  return *why == NULL;
}

gboolean
tune_settings_read (TuneSession * session, const gchar * path, gchar ** why)
{
  GError *error = NULL;
  gchar *text, *reason = NULL;
  gsize size;
  gboolean good;

  if (!g_file_get_contents (path, &text, &size, &error)) {
    *why = g_strdup (error->message);
    g_error_free (error);
    return FALSE;
  }
  good = tune_settings_set (session, text, size, &reason);
  g_free (text);
  if (!good)
    *why = g_strdup_printf ("%s: %s", path, reason);
  g_free (reason);
  return good;
}

void
tune_settings_copy (TuneSession * session, JsonNode * settings)
{
  gchar *why = NULL;

  session->quiet = TRUE;
  set_side (session->sides[1], object_in (json_node_get_object (settings), "a"),
      &why);
  session->quiet = FALSE;
  g_free (why);
}
