/* gst-stereomatching: settings as a file
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements.h"
#include "message.h"
#include "notifications.h"

#include <errno.h>
#include <stdio.h>

#define VERSION 1
#define VERSION_NAME "stereo-tune"

static JsonObject *
get_element (GstElement * element, const gchar * factory)
{
  JsonObject *object = json_object_new ();
  JsonObject *properties = json_object_new ();
  g_autofree GParamSpec **list = tune_properties_list (element);

  for (guint i = 0; list[i] != NULL; i++) {
    if (!tune_property_is_default (element, list[i]))
      json_object_set_member (properties, list[i]->name,
          tune_property_get (element, list[i]));
  }
  if (factory != NULL)
    json_object_set_string_member (object, "factory", factory);
  json_object_set_object_member (object, "properties", properties);
  return object;
}

static JsonObject *
get_side (TuneSide * side)
{
  JsonObject *object = json_object_new ();

  for (guint i = 0; tune_side_elements[i] != NULL; i++)
    json_object_set_object_member (object, tune_side_elements[i],
        get_element (tune_side_element (side, tune_side_elements[i]),
            i == TUNE_MATCHER_STAGE ? tune_side_matcher (side) : NULL));
  return object;
}

JsonNode *
tune_settings_get (TuneSession * session)
{
  JsonNode *node = json_node_alloc ();
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, VERSION_NAME, VERSION);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL)
      json_object_set_object_member (object, tune_side_names[i],
          get_side (session->sides[i]));
  }
  if (session->source->scene != NULL)
    json_object_set_object_member (object, "scene",
        get_element (session->source->scene, NULL));
  json_node_take_object (json_node_init (node, JSON_NODE_OBJECT), object);
  return node;
}

/* The member if it is an object, or NULL. */
static JsonObject *
get_object (JsonObject * object, const gchar * name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name)
      : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
      ? json_node_get_object (node) : NULL;
}

/* Takes the text of an error and keeps the first one. */
static void
keep_error (gchar ** why, gchar * text)
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
  g_autofree GParamSpec **list = tune_properties_list (element);
  JsonObjectIter iter;
  const gchar *name;
  JsonNode *node;

  for (guint i = 0; list[i] != NULL; i++) {
    if (values->properties == NULL
        || !json_object_has_member (values->properties, list[i]->name))
      tune_property_reset (element, list[i]);
  }
  if (values->properties == NULL)
    return;
  json_object_iter_init (&iter, values->properties);
  while (json_object_iter_next (&iter, &name, &node)) {
    GParamSpec *property = tune_properties_find (element, name);
    gchar *reason = NULL;

    if (property == NULL)
      keep_error (values->why, g_strdup_printf ("%s has no property '%.64s'",
              GST_OBJECT_NAME (gst_element_get_factory (element)), name));
    else if (!tune_property_set (element, property, node, &reason))
      keep_error (values->why, reason);
  }
}

static void
set_matcher (TuneSide * side, JsonObject * settings, gchar ** why)
{
  const gchar *factory = settings == NULL ? NULL
      : tune_json_string (json_object_get_member (settings, "factory"));
  gchar *reason = NULL;

  if (factory == NULL)
    return;
  if (tune_matchers_check (factory, &reason))
    tune_side_set_matcher (side, factory);
  else
    keep_error (why, reason);
}

static void
set_side (TuneSide * side, JsonObject * settings, gchar ** why)
{
  for (guint i = 0; tune_side_elements[i] != NULL; i++) {
    JsonObject *element = get_object (settings, tune_side_elements[i]);
    Values values = { get_object (element, "properties"), why };

    if (i == TUNE_MATCHER_STAGE)
      set_matcher (side, element, why);
    tune_side_change (side, tune_side_elements[i], FALSE, set_values, &values);
  }
}

gboolean
tune_settings_set (TuneSession * session, const gchar * text, gsize size,
    gchar ** why)
{
  g_autoptr (JsonNode) root = tune_json_parse (text, size, why);
  JsonObject *object, *member;

  if (root == NULL)
    return FALSE;
  object = json_node_get_object (root);
  if (!json_object_has_member (object, VERSION_NAME)
      || get_object (object, "a") == NULL) {
    *why = g_strdup ("Expected settings of stereo-tune with members \""
        VERSION_NAME "\" and \"a\"");
    return FALSE;
  }
  *why = NULL;
  session->quiet = TRUE;
  tune_session_compare (session, get_object (object, "b") != NULL);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    member = get_object (object, tune_side_names[i]);
    if (member != NULL)
      set_side (session->sides[i], member, why);
  }
  member = get_object (object, "scene");
  if (session->source->scene != NULL && member != NULL) {
    Values values = { get_object (member, "properties"), why };

    set_values (session->source->scene, &values);
  }
  session->quiet = FALSE;
  return *why == NULL;
}

gboolean
tune_settings_read (TuneSession * session, const gchar * path, gchar ** why)
{
  /* one byte more than allowed, which is an error */
  g_autofree gchar *text = g_malloc (TUNE_MESSAGE_SIZE + 1), *reason = NULL;
  FILE *file = fopen (path, "rb");
  gsize size = file != NULL ? fread (text, 1, TUNE_MESSAGE_SIZE + 1, file) : 0;

  if (file == NULL || ferror (file))
    *why = g_strdup_printf ("%s: %s", path, g_strerror (errno));
  else if (!tune_settings_set (session, text, size, &reason))
    *why = g_strdup_printf ("%s: %s", path, reason);
  if (file != NULL)
    fclose (file);
  return *why == NULL;
}

void
tune_settings_copy (TuneSession * session, JsonNode * settings)
{
  g_autofree gchar *why = NULL;

  session->quiet = TRUE;
  set_side (session->sides[1],
      get_object (json_node_get_object (settings), "a"), &why);
  session->quiet = FALSE;
}
