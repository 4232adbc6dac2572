/* gst-stereomatching: what stereo-tune is made of
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session.h"

#include "announce.h"
#include "commands.h"
#include "matchers.h"
#include "properties.h"
#include "settings.h"

#include <gst/video/video.h>
#include <string.h>

/* From statistics to statistics, in milliseconds. */
#define INTERVAL 500

/* ------------------------------------------------------------------- views */

/* What a side's newest frame is in numbers. */
static void
size_of (TuneSide * side, guint * width, guint * height)
{
  const TunePair *pair = tune_side_pair (side);
  GstVideoInfo info;

  *width = *height = 0;
  if (pair->left != NULL && gst_video_info_from_caps (&info,
          gst_sample_get_caps (pair->left))) {
    *width = (guint) info.width;
    *height = (guint) info.height;
  }
}

static void
take_picture (TuneSide * side, TuneView view, GstSample * sample,
    guint frame, gpointer data)
{
  TuneSession *session = data;
  guint width, height;

  size_of (side, &width, &height);
  tune_pictures_put (session->pictures, (TuneSlot) {
        view, tune_side_index (side)}, sample, frame, width, height);
}

static gboolean
is_wanted (TuneView view, gpointer data)
{
  TuneSession *session = data;

  for (guint i = 0; i < session->viewers->len; i++) {
    if (tune_viewer_views (g_ptr_array_index (session->viewers, i))
        & 1u << view)
      return TRUE;
  }
  return FALSE;
}

/* Views come and go with what is known: the page hears of it. */
static void
find_views (TuneSession * session)
{
  TuneViews views = 1u << TUNE_VIEW_LEFT | 1u << TUNE_VIEW_DISPARITY
      | 1u << TUNE_VIEW_CONFIDENCE | 1u << TUNE_VIEW_VIEW;
  gdouble camera[3];

  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL
        && tune_side_camera (session->sides[i], camera))
      views |= 1u << TUNE_VIEW_DEPTH;
  }
  if (session->options->truth != NULL
      || session->options->input == TUNE_FROM_DEMO)
    views |= 1u << TUNE_VIEW_WRONG;
  if (views == session->views)
    return;
  session->views = views;
  tune_session_tell (session, tune_announce_hello (session));
}

static void
show_wrong (TuneSession * session, TuneSide * side)
{
  const TunePair *pair = tune_side_pair (side);
  GstSample *sample;

  if (pair->truth != NULL)
    tune_truth_from_sample (&session->truth, pair->truth);
  sample = tune_truth_picture (&session->truth, tune_side_map (side));
  if (sample == NULL)
    return;
  take_picture (side, TUNE_VIEW_WRONG, sample, tune_side_frame (side), session);
  gst_sample_unref (sample);
}

static void
ready (TuneSide * side, gpointer data)
{
  TuneSession *session = data;

  find_views (session);
  if (is_wanted (TUNE_VIEW_WRONG, session) && tune_side_map (side) != NULL)
    show_wrong (session, side);
  tune_deck_go_on (session->deck);
}

/* -------------------------------------------------------------------- news */

static void
changed (TuneSide * side, const gchar * element, GParamSpec * property,
    gpointer data)
{
  TuneSession *session = data;

  /* not of one that is still being made */
  if (session->sides[tune_side_index (side)] != side)
    return;
  session->n_changes++;
  if (!session->quiet)
    tune_session_tell (session, tune_announce_value (session,
            tune_side_index (side), element, property));
  tune_session_refresh (session);
}

static void
said (TuneSide * side, TuneLevel level, const gchar * text, gpointer data)
{
  (void) side;
  tune_session_tell (data, tune_announce_message (level, text));
}

static void
scene_changed (GObject * scene, GParamSpec * property, gpointer data)
{
  TuneSession *session = data;

  if (tune_properties_find (GST_ELEMENT (scene), property->name) == NULL)
    return;
  session->n_changes++;
  tune_source_follow (session->source, property);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL && !session->quiet)
      tune_session_tell (session, tune_announce_value (session, i, "scene",
              property));
  }
}

static void
source_failed (const gchar * text, gpointer data)
{
  TuneSession *session = data;

  g_free (session->failure);
  session->failure = g_strdup_printf ("the source has ended: %s", text);
  g_printerr (TUNE_PROGRAM ": %s\n", session->failure);
  tune_session_tell (session, tune_announce_message (TUNE_ERROR,
          session->failure));
}

static void
source_available (gpointer data)
{
  TuneSession *session = data;

  if (session->deck != NULL)
    tune_deck_go_on (session->deck);
}

void
tune_session_tell (TuneSession * session, gchar * text)
{
  tune_session_tell_one (session, NULL, text);
}

void
tune_session_tell_one (TuneSession * session, TuneViewer * viewer, gchar * text)
{
  if (viewer != NULL)
    tune_viewer_tell (viewer, text);
  for (guint i = 0; viewer == NULL && i < session->viewers->len; i++)
    tune_viewer_tell (g_ptr_array_index (session->viewers, i), text);
  g_free (text);
}

static gboolean
tick (gpointer data)
{
  TuneSession *session = data;

  tune_pictures_clean (session->pictures);
  if (session->viewers->len > 0)
    tune_session_tell (session, tune_announce_stats (session));
  return G_SOURCE_CONTINUE;
}

/* ---------------------------------------------------------------- pictures */

static void
have_news (TuneSlot slot, gpointer data)
{
  TuneSession *session = data;

  for (guint i = 0; i < session->viewers->len; i++)
    tune_viewer_offer (g_ptr_array_index (session->viewers, i),
        session->pictures, slot);
}

static void
have_encoded (const TunePicture * picture, gpointer data)
{
  TuneSession *session = data;
  guint index = 0;

  for (guint i = 0; i < picture->slot.view; i++)
    index += (session->views & 1u << i) != 0;
  for (guint i = 0; i < session->viewers->len; i++)
    tune_viewer_show (g_ptr_array_index (session->viewers, i), picture, index);
}

/* ----------------------------------------------------------------- viewers */

static void
viewer_said (TuneViewer * viewer, const gchar * text, gsize size, gpointer data)
{
  tune_commands_run (data, viewer, text, size);
}

static void
viewer_closed (TuneViewer * viewer, gpointer data)
{
  TuneSession *session = data;

  g_ptr_array_remove (session->viewers, viewer);
  tune_deck_watch (session->deck, session->viewers->len > 0);
}

gboolean
tune_session_add_viewer (TuneSession * session,
    SoupWebsocketConnection * connection)
{
  static const TuneViewerCallbacks callbacks = { viewer_said, viewer_closed };
  TuneViewer *viewer;

  if (session->viewers->len >= session->options->max_viewers)
    return FALSE;
  viewer = tune_viewer_new (connection, &callbacks, session);
  g_ptr_array_add (session->viewers, viewer);
  tune_announce_all (session, viewer);
  tune_deck_watch (session->deck, TRUE);
  return TRUE;
}

/* ------------------------------------------------------------------- sides */

static TuneSide *
make_side (TuneSession * session, guint index, const gchar * factory)
{
  static const TuneSideCallbacks callbacks = {
    ready, is_wanted, take_picture, changed, said
  };
  const TuneOptions *options = session->options;
  TuneSide *side = tune_side_new (index, factory, &callbacks, session);
  GstElement *depth = tune_side_element (side, "depth");

  if (options->focal_length > 0)
    g_object_set (depth, "focal-length", options->focal_length, NULL);
  if (options->baseline > 0)
    g_object_set (depth, "baseline", options->baseline, NULL);
  return side;
}

void
tune_session_compare (TuneSession * session, gboolean on)
{
  GstElement *matcher = tune_side_element (session->sides[0], "matcher");
  JsonNode *settings;

  if (on == (session->sides[1] != NULL))
    return;
  if (on) {
    settings = tune_settings_get (session);
    session->sides[1] = make_side (session, 1,
        GST_OBJECT_NAME (gst_element_get_factory (matcher)));
    tune_settings_copy (session, settings);
    json_node_unref (settings);
  } else {
    tune_side_free (&session->sides[1]);
    tune_pictures_forget (session->pictures, 1);
  }
  tune_deck_set_sides (session->deck, session->sides);
}

void
tune_session_refresh (TuneSession * session)
{
  tune_deck_refresh (session->deck);
}

GstElement *
tune_session_element (TuneSession * session, guint side, const gchar * name)
{
  if (session->sides[side] == NULL)
    return NULL;
  return strcmp (name, "scene") == 0 ? tune_source_scene (session->source)
      : tune_side_element (session->sides[side], name);
}

/* -------------------------------------------------------------- all of it */

static gboolean
open_source (TuneSession * session, gchar ** why)
{
  static const TuneSourceCallbacks callbacks = {
    source_available, source_failed
  };
  GError *error = NULL;
  GstElement *scene;

  session->source = tune_source_new (session->options, &callbacks, session,
      &error);
  if (session->source == NULL) {
    *why = g_strdup (error->message);
    g_error_free (error);
    return FALSE;
  }
  scene = tune_source_scene (session->source);
  if (scene != NULL)
    g_signal_connect (scene, "notify", G_CALLBACK (scene_changed), session);
  return TRUE;
}

TuneSession *
tune_session_new (const TuneOptions * options, gchar ** why)
{
  static const TunePicturesCallbacks callbacks = { have_news, have_encoded };
  TuneSession *session = g_new0 (TuneSession, 1);

  session->options = options;
  session->viewers = g_ptr_array_new_with_free_func
      ((GDestroyNotify) tune_viewer_free);
  if (!tune_matchers_check (options->matcher, why)
      || (options->truth != NULL && !tune_truth_read (&session->truth,
              options->truth, options->truth_scale, why))
      || !open_source (session, why)) {
    tune_session_free (&session);
    return NULL;
  }
  session->pictures = tune_pictures_new (&callbacks, session);
  session->deck = tune_deck_new (session->source);
  session->sides[0] = make_side (session, 0, options->matcher);
  tune_deck_set_sides (session->deck, session->sides);
  session->timer = g_timeout_add (INTERVAL, tick, session);
  find_views (session);
  if (options->settings != NULL && !tune_settings_read (session,
          options->settings, why))
    tune_session_free (&session);
  return session;
}

void
tune_session_free (TuneSession ** session)
{
  TuneSession *self = *session;

  if (self == NULL)
    return;
  *session = NULL;
  g_clear_handle_id (&self->timer, g_source_remove);
  g_ptr_array_unref (self->viewers);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++)
    tune_side_free (&self->sides[i]);
  tune_deck_free (&self->deck);
  tune_source_free (&self->source);
  tune_pictures_free (&self->pictures);
  tune_truth_clear (&self->truth);
  g_free (self->failure);
  g_free (self);
}
