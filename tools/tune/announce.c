/* gst-stereomatching: what viewers are told
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "announce.h"

#include "line.h"
#include "matchers.h"
#include "properties.h"
#include "settings.h"

#include <math.h>
#include <string.h>

static const gchar *const side_names[TUNE_MAX_SIDES] = { "a", "b" };

/* ----------------------------------------------------------------- writing */

static JsonBuilder *
begin (const gchar * type)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "type");
  json_builder_add_string_value (builder, type);
  return builder;
}

static gchar *
end (JsonBuilder * builder)
{
  JsonNode *root;
  gchar *text;

  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, FALSE);
  json_node_unref (root);
  g_object_unref (builder);
  return text;
}

static void
add_text (JsonBuilder * builder, const gchar * name, const gchar * text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_bool (JsonBuilder * builder, const gchar * name, gboolean value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static void
add_int (JsonBuilder * builder, const gchar * name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

/* null when it is not finite */
static void
add_double (JsonBuilder * builder, const gchar * name, gdouble value)
{
  json_builder_set_member_name (builder, name);
  if (isfinite (value))
    json_builder_add_double_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

/* ------------------------------------------------------------------- hello */

static void
add_views (JsonBuilder * builder, TuneViews views)
{
  json_builder_set_member_name (builder, "views");
  json_builder_begin_array (builder);
  for (guint i = 0; i < TUNE_N_VIEWS; i++) {
    if (!(views & 1u << i))
      continue;
    json_builder_begin_object (builder);
    add_text (builder, "id", tune_views[i].id);
    add_text (builder, "title", tune_views[i].title);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_matchers (JsonBuilder * builder)
{
  GList *list = tune_matchers_list ();

  json_builder_set_member_name (builder, "matchers");
  json_builder_begin_array (builder);
  for (GList * item = list; item != NULL; item = item->next) {
    gchar *title = tune_matcher_title (item->data);

    json_builder_begin_object (builder);
    add_text (builder, "factory", GST_OBJECT_NAME (item->data));
    add_text (builder, "title", title);
    json_builder_end_object (builder);
    g_free (title);
  }
  json_builder_end_array (builder);
  gst_plugin_feature_list_free (list);
}

gchar *
tune_announce_hello (TuneSession * session)
{
  JsonBuilder *builder = begin ("hello");
  gchar *title = tune_source_title (session->source);

  add_text (builder, "version", STEREO_VERSION);
  add_text (builder, "source", title);
  add_bool (builder, "loops", !tune_source_is_live (session->source));
  add_bool (builder, "paused", tune_deck_is_paused (session->deck));
  add_bool (builder, "truth", (session->views & 1u << TUNE_VIEW_WRONG) != 0);
  add_views (builder, session->views);
  add_matchers (builder);
  json_builder_set_member_name (builder, "sides");
  json_builder_begin_array (builder);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL)
      json_builder_add_string_value (builder, side_names[i]);
  }
  json_builder_end_array (builder);
  g_free (title);
  return end (builder);
}

/* ---------------------------------------------------------------- elements */

static void
add_element (JsonBuilder * builder, const gchar * id, GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  GParamSpec **list = tune_properties_list (element);
  gchar **presets = tune_presets_list (element);

  json_builder_begin_object (builder);
  add_text (builder, "id", id);
  add_text (builder, "factory", GST_OBJECT_NAME (factory));
  add_text (builder, "title", gst_element_factory_get_metadata (factory,
          GST_ELEMENT_METADATA_LONGNAME));
  json_builder_set_member_name (builder, "presets");
  json_builder_begin_array (builder);
  for (guint i = 0; presets[i] != NULL; i++)
    json_builder_add_string_value (builder, presets[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "properties");
  json_builder_begin_array (builder);
  for (guint i = 0; list[i] != NULL; i++) {
    json_builder_begin_object (builder);
    tune_property_describe (element, list[i], builder);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  g_strfreev (presets);
  g_free (list);
}

gchar *
tune_announce_elements (TuneSession * session, guint side)
{
  JsonBuilder *builder = begin ("elements");
  GstElement *scene = tune_source_scene (session->source);

  add_text (builder, "side", side_names[side]);
  json_builder_set_member_name (builder, "elements");
  json_builder_begin_array (builder);
  for (guint i = 0; tune_side_elements[i] != NULL; i++)
    add_element (builder, tune_side_elements[i],
        tune_side_element (session->sides[side], tune_side_elements[i]));
  if (scene != NULL)
    add_element (builder, "scene", scene);
  json_builder_end_array (builder);
  return end (builder);
}

gchar *
tune_announce_value (TuneSession * session, guint side, const gchar * element,
    GParamSpec * property)
{
  JsonBuilder *builder = begin ("value");

  add_text (builder, "side", side_names[side]);
  add_text (builder, "element", element);
  add_text (builder, "property", property->name);
  json_builder_set_member_name (builder, "value");
  json_builder_add_value (builder, tune_property_get (tune_session_element
          (session, side, element), property));
  return end (builder);
}

/* -------------------------------------------------------------- statistics */

static void
add_errors (JsonBuilder * builder, TuneSession * session, TuneSide * side)
{
  const TunePair *pair = tune_side_pair (side);
  Measure measure;

  if (pair->truth != NULL)
    tune_truth_from_sample (&session->truth, pair->truth);
  if (!tune_truth_measure (&session->truth, tune_side_map (side), &measure))
    return;
  json_builder_set_member_name (builder, "truth");
  json_builder_begin_object (builder);
  add_double (builder, "bad1", measure.bad[1]);
  add_double (builder, "bad2", measure.bad[2]);
  add_double (builder, "bad4", measure.bad[3]);
  add_double (builder, "average", measure.mean);
  add_int (builder, "pixels", (gint64) measure.pixels);
  json_builder_end_object (builder);
}

static void
add_side (JsonBuilder * builder, TuneSession * session, guint index)
{
  TuneSide *side = session->sides[index];
  GstSample *sample = tune_side_map (side);
  TuneMap map;

  json_builder_set_member_name (builder, side_names[index]);
  json_builder_begin_object (builder);
  tune_side_add_speed (side, builder);
  add_int (builder, "skipped",
      (gint64) tune_source_dropped (session->source));
  if (sample != NULL && tune_map_open (&map, sample)) {
    add_double (builder, "valid", tune_map_valid (&map));
    tune_map_close (&map);
    add_errors (builder, session, side);
  }
  json_builder_end_object (builder);
}

gchar *
tune_announce_stats (TuneSession * session)
{
  JsonBuilder *builder = begin ("stats");

  add_int (builder, "viewers", session->viewers->len);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL)
      add_side (builder, session, i);
  }
  return end (builder);
}

gchar *
tune_announce_probe (TuneSession * session, guint index, gint x, gint y)
{
  TuneSide *side = session->sides[index];
  JsonBuilder *builder = begin ("probe");
  gdouble camera[3], disparity = (gdouble) NAN, depth = (gdouble) NAN;
  GstSample *confidence = tune_side_confidence (side);
  TuneMap map;

  if (tune_side_map (side) != NULL
      && tune_map_open (&map, tune_side_map (side))) {
    if (x < map.width && y < map.height)
      disparity = tune_map_disparity (&map, x, y);
    tune_map_close (&map);
  }
  if (tune_side_camera (side, camera) && disparity + camera[2] > 0)
    depth = camera[0] * camera[1] / (disparity + camera[2]);
  add_text (builder, "side", side_names[index]);
  add_int (builder, "x", x);
  add_int (builder, "y", y);
  add_int (builder, "frame", tune_side_frame (side));
  add_double (builder, "disparity", disparity);
  add_double (builder, "depth", depth);
  add_text (builder, "depth_unit", "m");
  add_double (builder, "confidence", confidence == NULL ? (gdouble) NAN
      : tune_map_share (confidence, x, y));
  return end (builder);
}

/* -------------------------------------------------------------------- more */

gchar *
tune_announce_line (TuneSession * session, guint side)
{
  JsonBuilder *builder = begin ("line");
  gchar *text = tune_line (session, side);

  add_text (builder, "side", side_names[side]);
  add_text (builder, "text", text);
  g_free (text);
  return end (builder);
}

gchar *
tune_announce_settings (TuneSession * session)
{
  JsonBuilder *builder = begin ("settings");
  JsonNode *settings = tune_settings_get (session);
  gchar *text = json_to_string (settings, TRUE);

  add_text (builder, "text", text);
  g_free (text);
  json_node_unref (settings);
  return end (builder);
}

gchar *
tune_announce_state (TuneSession * session)
{
  JsonBuilder *builder = begin ("state");

  add_bool (builder, "paused", tune_deck_is_paused (session->deck));
  add_bool (builder, "compare", session->sides[1] != NULL);
  return end (builder);
}

gchar *
tune_announce_message (TuneLevel level, const gchar * text)
{
  static const gchar *const levels[] = {
    [TUNE_INFO] = "info",
    [TUNE_WARNING] = "warning",
    [TUNE_ERROR] = "error",
  };
  JsonBuilder *builder = begin ("message");

  add_text (builder, "level", levels[level]);
  add_text (builder, "text", text);
  return end (builder);
}

void
tune_announce_all (TuneSession * session, TuneViewer * viewer)
{
  tune_session_tell_one (session, viewer, tune_announce_hello (session));
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL)
      tune_session_tell_one (session, viewer,
          tune_announce_elements (session, i));
  }
  tune_session_tell_one (session, viewer, tune_announce_state (session));
  if (session->failure != NULL)
    tune_session_tell_one (session, viewer, tune_announce_message (TUNE_ERROR,
            session->failure));
}
