/* gst-stereomatching: messages to the page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "notifications.h"

#include "launch_line.h"
#include "elements.h"

#include <math.h>

const gchar *const tune_side_names[TUNE_MAX_SIDES] = { "a", "b" };

static JsonObject *
new_message (const gchar * type)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "type", type);
  return object;
}

/* Of one side, or of NULL. */
static JsonObject *
new_side_message (const gchar * type, guint side)
{
  JsonObject *object = new_message (type);

  json_object_set_string_member (object, "side", tune_side_names[side]);
  return object;
}

static gchar *
finish_message (JsonObject * object)
{
  g_autoptr (JsonNode) root = json_node_init_object (json_node_alloc (),
      object);

  json_object_unref (object);
  return json_to_string (root, FALSE);
}

/* null if not finite */
static void
set_double (JsonObject * object, const gchar * name, gdouble value)
{
  if (isfinite (value))
    json_object_set_double_member (object, name, value);
  else
    json_object_set_null_member (object, name);
}

/* Adds an object with two strings. */
static void
add_titled (JsonArray * array, const gchar * key, const gchar * value,
    const gchar * title)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, key, value);
  json_object_set_string_member (object, "title", title);
  json_array_add_object_element (array, object);
}

static JsonArray *
list_views (TuneViews views)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < TUNE_N_VIEWS; i++) {
    if (views & 1u << i)
      add_titled (array, "id", tune_views[i].id, tune_views[i].title);
  }
  return array;
}

static JsonArray *
list_matchers (void)
{
  JsonArray *array = json_array_new ();
  GList *list = tune_matchers_list ();

  for (GList * item = list; item != NULL; item = item->next) {
    g_autofree gchar *title = tune_matcher_title (item->data);

    add_titled (array, "factory", GST_OBJECT_NAME (item->data), title);
  }
  gst_plugin_feature_list_free (list);
  return array;
}

gchar *
tune_notify_hello (TuneSession * session)
{
  JsonObject *object = new_message ("hello");
  JsonArray *sides = json_array_new ();
  g_autofree gchar *title = tune_source_title (session->source);

  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL)
      json_array_add_string_element (sides, tune_side_names[i]);
  }
  json_object_set_string_member (object, "version", STEREO_VERSION);
  json_object_set_string_member (object, "source", title);
  json_object_set_boolean_member (object, "loops", !session->source->live);
  json_object_set_boolean_member (object, "paused",
      session->side_by_side->paused);
  json_object_set_boolean_member (object, "corrects",
      tune_source_takes_corrections (session->source));
  json_object_set_boolean_member (object, "truth",
      (session->views & 1u << TUNE_VIEW_WRONG) != 0);
  json_object_set_array_member (object, "views", list_views (session->views));
  json_object_set_array_member (object, "matchers", list_matchers ());
  json_object_set_array_member (object, "sides", sides);
  return finish_message (object);
}

static void
add_element (JsonArray * array, const gchar * id, GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autofree GParamSpec **list = tune_properties_list (element);
  g_auto (GStrv) names = tune_presets_list (element);
  JsonObject *object = json_object_new ();
  JsonArray *presets = json_array_new (), *properties = json_array_new ();

  for (guint i = 0; names[i] != NULL; i++)
    json_array_add_string_element (presets, names[i]);
  for (guint i = 0; list[i] != NULL; i++)
    json_array_add_object_element (properties,
        tune_property_describe (element, list[i]));
  json_object_set_string_member (object, "id", id);
  json_object_set_string_member (object, "factory", GST_OBJECT_NAME (factory));
  json_object_set_string_member (object, "title",
      gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_LONGNAME));
  json_object_set_array_member (object, "presets", presets);
  json_object_set_array_member (object, "properties", properties);
  json_array_add_object_element (array, object);
}

gchar *
tune_notify_elements (TuneSession * session, guint side)
{
  JsonObject *object = new_side_message ("elements", side);
  JsonArray *elements = json_array_new ();

  for (guint i = 0; tune_side_elements[i] != NULL; i++)
    add_element (elements, tune_side_elements[i],
        tune_side_element (session->sides[side], tune_side_elements[i]));
  if (session->source->scene != NULL)
    add_element (elements, "scene", session->source->scene);
  json_object_set_array_member (object, "elements", elements);
  return finish_message (object);
}

gchar *
tune_notify_value (TuneSession * session, guint side, const gchar * element,
    GParamSpec * property)
{
  JsonObject *object = new_side_message ("value", side);

  json_object_set_string_member (object, "element", element);
  json_object_set_string_member (object, "property", property->name);
  json_object_set_member (object, "value", tune_property_get
      (tune_session_element (session, side, element), property));
  return finish_message (object);
}

static void
add_errors (JsonObject * object, TuneSession * session, TuneSide * side)
{
  JsonObject *errors;
  Measure measure;

  if (side->pair.truth != NULL)
    tune_truth_from_sample (&session->truth, side->pair.truth);
  if (!tune_truth_measure (&session->truth, side->map, &measure))
    return;
  errors = json_object_new ();
  set_double (errors, "bad1", measure.bad[1]);
  set_double (errors, "bad2", measure.bad[2]);
  set_double (errors, "bad4", measure.bad[3]);
  set_double (errors, "average", measure.mean);
  json_object_set_int_member (errors, "pixels", (gint64) measure.pixels);
  json_object_set_object_member (object, "truth", errors);
}

gchar *
tune_notify_stats (TuneSession * session)
{
  JsonObject *object = new_message ("stats");

  json_object_set_int_member (object, "viewers", session->viewers->len);
  json_object_set_boolean_member (object, "still", session->source->still);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    TuneSide *side = session->sides[i];
    JsonObject *stats;
    TuneMap map;

    if (side == NULL)
      continue;
    stats = json_object_new ();
    tune_side_add_speed (side, stats);
    json_object_set_object_member (stats, TUNE_ALIGNMENT,
        tune_alignment_report (tune_side_element (side, "matcher")));
    json_object_set_int_member (stats, "skipped",
        (gint64) tune_source_dropped (session->source));
    if (side->map != NULL && tune_map_open (&map, side->map)) {
      set_double (stats, "valid", tune_map_valid (&map));
      tune_map_close (&map);
      add_errors (stats, session, side);
    }
    json_object_set_object_member (object, tune_side_names[i], stats);
  }
  return finish_message (object);
}

gchar *
tune_notify_probe (TuneSession * session, guint index, guint x, guint y)
{
  TuneSide *side = session->sides[index];
  JsonObject *object = new_side_message ("probe", index);
  gdouble camera[3], disparity = (gdouble) NAN, depth = (gdouble) NAN;
  TuneMap map;

  if (side->map != NULL && tune_map_open (&map, side->map)) {
    if ((gint) x < map.width && (gint) y < map.height)
      disparity = tune_map_disparity (&map, (gint) x, (gint) y);
    tune_map_close (&map);
  }
  if (tune_side_camera (side, camera) && disparity + camera[2] > 0)
    depth = camera[0] * camera[1] / (disparity + camera[2]);
  json_object_set_int_member (object, "x", x);
  json_object_set_int_member (object, "y", y);
  json_object_set_int_member (object, "frame", side->frame);
  set_double (object, "disparity", disparity);
  set_double (object, "depth", depth);
  json_object_set_string_member (object, "depth_unit", "m");
  set_double (object, "confidence", side->confidence == NULL ? (gdouble) NAN
      : tune_map_fraction (side->confidence, (gint) x, (gint) y));
  return finish_message (object);
}

/* The points of a pair are computed once for all viewers. */
gchar *
tune_notify_matches (TuneSession * session, guint index)
{
  TuneSide *side = session->sides[index];
  JsonObject *object;

  if (session->matches[index] != NULL
      && session->matches_frame[index] == side->frame)
    return g_strdup (session->matches[index]);
  object = new_side_message ("matches", index);
  json_object_set_int_member (object, "frame", side->frame);
  json_object_set_array_member (object, "points", tune_aligner_match
      (session->aligner, &side->pair));
  g_free (session->matches[index]);
  session->matches[index] = finish_message (object);
  session->matches_frame[index] = side->frame;
  return g_strdup (session->matches[index]);
}

gchar *
tune_notify_line (TuneSession * session, guint side)
{
  JsonObject *object = new_side_message ("line", side);
  g_autofree gchar *text = tune_launch_line (session, side);

  json_object_set_string_member (object, "text", text);
  return finish_message (object);
}

gchar *
tune_notify_settings (TuneSession * session)
{
  JsonObject *object = new_message ("settings");
  g_autoptr (JsonNode) settings = tune_settings_get (session);
  g_autofree gchar *text = json_to_string (settings, TRUE);

  json_object_set_string_member (object, "text", text);
  return finish_message (object);
}

gchar *
tune_notify_state (TuneSession * session)
{
  JsonObject *object = new_message ("state");
  JsonObject *errors = json_object_new ();

  json_object_set_boolean_member (object, "paused",
      session->side_by_side->paused);
  json_object_set_boolean_member (object, "compare", session->sides[1] != NULL);
  if (session->failure != NULL)
    json_object_set_string_member (errors, "source", session->failure);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    TuneSide *side = session->sides[i];

    if (side != NULL && tune_side_error (side) != NULL)
      json_object_set_string_member (errors, tune_side_names[i],
          tune_side_error (side));
  }
  json_object_set_object_member (object, "errors", errors);
  return finish_message (object);
}

gchar *
tune_notify_message (const gchar * level, const gchar * text)
{
  JsonObject *object = new_message ("message");

  json_object_set_string_member (object, "level", level);
  json_object_set_string_member (object, "text", text);
  return finish_message (object);
}

void
tune_notify_all (TuneSession * session, TuneViewer * viewer)
{
  tune_session_send (session, viewer, tune_notify_hello (session));
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL)
      tune_session_send (session, viewer, tune_notify_elements (session, i));
  }
  tune_session_send (session, viewer, tune_notify_state (session));
}
