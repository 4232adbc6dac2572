/* gst-stereomatching: the state of stereo-tune
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session.h"

#include "elements.h"
#include "notifications.h"

#include <gst/video/video.h>
#include <string.h>

/* Between statistics, in milliseconds. */
#define STATS_INTERVAL 500

static void
take_picture (TuneSide * side, TuneView view, GstSample * sample,
    guint frame, gpointer data)
{
  TuneSession *session = data;
  GstVideoInfo info;

  gst_video_info_init (&info);
  if (side->pair.left != NULL)
    gst_video_info_from_caps (&info, gst_sample_get_caps (side->pair.left));
  tune_pictures_set (session->pictures, (TuneSlot) {
        view, side->index}, sample, frame, (guint) info.width,
      (guint) info.height);
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

/* Sets the available views, and notifies changes. */
static void
update_views (TuneSession * session)
{
  TuneViews views = 1u << TUNE_VIEW_LEFT | 1u << TUNE_VIEW_RIGHT
      | 1u << TUNE_VIEW_DISPARITY | 1u << TUNE_VIEW_CONFIDENCE
      | 1u << TUNE_VIEW_VIEW;
  gdouble camera[3];

  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL
        && tune_side_camera (session->sides[i], camera))
      views |= 1u << TUNE_VIEW_DEPTH;
  }
  if (session->options->truth != NULL || session->options->demo)
    views |= 1u << TUNE_VIEW_WRONG;
  if (views == session->views)
    return;
  session->views = views;
  tune_session_send (session, NULL, tune_notify_hello (session));
}

static void
show_errors (TuneSession * session, TuneSide * side)
{
  g_autoptr (GstSample) sample = NULL;

  if (side->pair.truth != NULL)
    tune_truth_from_sample (&session->truth, side->pair.truth);
  sample = tune_truth_picture (&session->truth, side->map);
  if (sample != NULL)
    take_picture (side, TUNE_VIEW_WRONG, sample, side->frame, session);
}

/* Takes the text. */
static void
set_failure (TuneSession * session, gchar * text)
{
  g_free (session->failure);
  session->failure = text;
  g_printerr (TUNE_PROGRAM ": %s\n", session->failure);
  tune_session_send (session, NULL, tune_notify_state (session));
}

/* A file has the ground truth of one pair. */
static void
check_truth (TuneSession * session)
{
  if (session->options->truth == NULL || session->truth.disparities == NULL
      || session->source->n_pairs < 2)
    return;
  tune_truth_clear (&session->truth);
  set_failure (session, g_strdup ("--truth requires two images, got videos; "
          "errors are not shown"));
}

static void
side_ready (TuneSide * side, gpointer data)
{
  TuneSession *session = data;

  check_truth (session);
  update_views (session);
  if (session->views & 1u << TUNE_VIEW_WRONG && side->map != NULL
      && is_wanted (TUNE_VIEW_WRONG, session))
    show_errors (session, side);
  if (tune_side_is_outdated (side))
    tune_side_by_side_refresh (session->side_by_side);
  else
    tune_side_by_side_update (session->side_by_side);
}

static void
property_changed (TuneSide * side, const gchar * element,
    GParamSpec * property, gpointer data)
{
  TuneSession *session = data;

  /* ignore a side that is being created */
  if (session->sides[side->index] != side)
    return;
  session->n_changes++;
  if (!session->quiet)
    tune_session_send (session, NULL, tune_notify_value (session, side->index,
            element, property));
  tune_side_by_side_refresh (session->side_by_side);
}

static void
forward_warning (TuneSide * side, const gchar * text, gpointer data)
{
  (void) side;
  tune_session_send (data, NULL, tune_notify_message ("warning", text));
}

static void
side_failed (TuneSide * side, gpointer data)
{
  TuneSession *session = data;

  if (session->sides[side->index] == side)
    tune_session_send (session, NULL, tune_notify_state (session));
}

static void
scene_changed (GObject * scene, GParamSpec * property, gpointer data)
{
  TuneSession *session = data;

  if (tune_properties_find (GST_ELEMENT (scene), property->name) == NULL)
    return;
  session->n_changes++;
  tune_source_sync_scenes (session->source, property);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    if (session->sides[i] != NULL && !session->quiet)
      tune_session_send (session, NULL, tune_notify_value (session, i, "scene",
              property));
  }
}

static void
source_failed (const gchar * text, gpointer data)
{
  set_failure (data, g_strdup_printf ("The source has failed: %s", text));
}

/* Reports views and a ground truth of different sizes. */
static void
check_sizes (TuneSession * session)
{
  const TuneTruth *truth = &session->truth;
  gint w[2], h[2];

  for (guint i = 0; i < 2; i++)
    tune_source_size (session->source, i, &w[i], &h[i]);
  if (w[0] == 0 || w[1] == 0)
    return;
  if (w[0] != w[1] || h[0] != h[1])
    set_failure (session, g_strdup_printf ("Expected views of one size, got "
            "%dx%d left and %dx%d right; scale or crop one of them", w[0],
            h[0], w[1], h[1]));
  else if (truth->disparities != NULL && (truth->width != w[0]
          || truth->height != h[0]))
    set_failure (session, g_strdup_printf ("Expected ground truth of %dx%d "
            "like the views, got %dx%d; errors are not shown", w[0], h[0],
            truth->width, truth->height));
}

static void
source_available (gpointer data)
{
  TuneSession *session = data;

  if (session->side_by_side != NULL)
    tune_side_by_side_update (session->side_by_side);
}

void
tune_session_send (TuneSession * session, TuneViewer * viewer, gchar * text)
{
  if (viewer != NULL)
    tune_viewer_send_text (viewer, text);
  for (guint i = 0; viewer == NULL && i < session->viewers->len; i++)
    tune_viewer_send_text (g_ptr_array_index (session->viewers, i), text);
  g_free (text);
}

static gboolean
send_stats (gpointer data)
{
  TuneSession *session = data;

  tune_pictures_remove_unused (session->pictures);
  if (session->viewers->len > 0)
    tune_session_send (session, NULL, tune_notify_stats (session));
  return G_SOURCE_CONTINUE;
}

static void
picture_available (TuneSlot slot, gpointer data)
{
  TuneSession *session = data;

  for (guint i = 0; i < session->viewers->len; i++)
    tune_viewer_request (g_ptr_array_index (session->viewers, i),
        session->pictures, slot);
}

static void
picture_encoded (const TunePicture * picture, gpointer data)
{
  TuneSession *session = data;
  guint index = 0;

  /* It was being encoded when its view ended, and has no index now. */
  if ((session->views & 1u << picture->slot.view) == 0)
    return;
  for (guint i = 0; i < picture->slot.view; i++)
    index += (session->views & 1u << i) != 0;
  for (guint i = 0; i < session->viewers->len; i++)
    tune_viewer_send_picture (g_ptr_array_index (session->viewers, i), picture,
        index);
}

static void
remove_viewer (TuneViewer * viewer, gpointer data)
{
  TuneSession *session = data;

  g_ptr_array_remove (session->viewers, viewer);
  tune_side_by_side_set_watched (session->side_by_side,
      session->viewers->len > 0);
}

gboolean
tune_session_add_viewer (TuneSession * session,
    SoupWebsocketConnection * connection)
{
  static const TuneViewerCallbacks callbacks = {
    tune_session_run, remove_viewer
  };
  TuneViewer *viewer;

  if (session->viewers->len >= (guint) session->options->max_viewers)
    return FALSE;
  viewer = tune_viewer_new (connection, &callbacks, session);
  g_ptr_array_add (session->viewers, viewer);
  tune_notify_all (session, viewer);
  tune_side_by_side_set_watched (session->side_by_side, TRUE);
  return TRUE;
}

/* Sets the camera of the options, to which a reset returns. */
static void
set_camera (GstElement * depth, gpointer data)
{
  const TuneSession *session = data;

  g_object_set (depth, "focal-length", session->options->focal_length,
      "baseline", session->options->baseline, NULL);
  tune_property_set_start (depth, "focal-length");
  tune_property_set_start (depth, "baseline");
}

static TuneSide *
make_side (TuneSession * session, guint index, const gchar * factory)
{
  static const TuneSideCallbacks callbacks = {
    side_ready, is_wanted, take_picture, property_changed, forward_warning,
    side_failed
  };
  TuneSide *side = tune_side_new (index, factory, session->options->weights,
      &callbacks, session);
  GstElement *colors[] = { tune_side_element (side, "color"),
    tune_side_element (side, "depth-color")
  };

  set_camera (tune_side_element (side, "depth"), session);
  for (guint i = 0; i < G_N_ELEMENTS (colors); i++) {
    g_object_set (colors[i], "legend", TRUE, NULL);
    tune_property_set_start (colors[i], "legend");
  }
  return side;
}

void
tune_session_compare (TuneSession * session, gboolean on)
{
  if (on == (session->sides[1] != NULL))
    return;
  if (on) {
    g_autoptr (JsonNode) settings = tune_settings_get (session);

    session->sides[1] = make_side (session, 1,
        tune_side_matcher (session->sides[0]));
    tune_settings_copy (session, settings);
  } else {
    tune_side_free (&session->sides[1]);
    tune_pictures_drop_side (session->pictures, 1);
  }
  tune_side_by_side_set_sides (session->side_by_side, session->sides);
}

void
tune_session_open_pair (TuneSession * session, GstSample * left,
    GstSample * right)
{
  TuneOptions *options = &session->images;
  TuneSource *old = session->source;

  *options = *session->options;
  options->input = TUNE_FROM_FILES;
  options->left = "left.png";
  options->right = "right.png";
  options->demo = false;
  options->calibration = options->truth = NULL;
  options->focal_length = options->baseline = 0;
  session->options = options;
  tune_truth_clear (&session->truth);
  g_clear_pointer (&session->failure, g_free);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    tune_pictures_drop_side (session->pictures, i);
    if (session->sides[i] == NULL)
      continue;
    tune_side_change (session->sides[i], "depth", TRUE, set_camera, session);
    tune_side_reset_views (session->sides[i]);
  }
  session->source = tune_source_new_still (options, left, right);
  tune_side_by_side_set_source (session->side_by_side, session->source);
  tune_source_free (&old);
  update_views (session);
  tune_notify_all (session, NULL);
}

GstElement *
tune_session_element (TuneSession * session, guint side, const gchar * name)
{
  if (session->sides[side] == NULL)
    return NULL;
  return strcmp (name, "scene") == 0 ? session->source->scene
      : tune_side_element (session->sides[side], name);
}

static gboolean
open_source (TuneSession * session, gchar ** why)
{
  static const TuneSourceCallbacks callbacks = {
    source_available, source_failed
  };
  g_autoptr (GError) error = NULL;

  session->source = tune_source_new (session->options, &callbacks, session,
      &error);
  if (session->source == NULL) {
    *why = g_strdup (error->message);
    return FALSE;
  }
  if (session->source->scene != NULL)
    g_signal_connect (session->source->scene, "notify",
        G_CALLBACK (scene_changed), session);
  return TRUE;
}

TuneSession *
tune_session_new (const TuneOptions * options, gchar ** why)
{
  static const TunePicturesCallbacks callbacks = {
    picture_available, picture_encoded
  };
  TuneSession *session = g_new0 (TuneSession, 1);

  session->options = options;
  session->viewers = g_ptr_array_new_with_free_func
      ((GDestroyNotify) tune_viewer_free);
  if (!tune_matchers_check (options->matcher, why)
      || (options->weights != NULL
          && !tune_weights_check (options->weights, why))
      || (options->truth != NULL && !tune_truth_read (&session->truth,
              options->truth, options->truth_scale, why))
      || !open_source (session, why)) {
    tune_session_free (&session);
    return NULL;
  }
  session->pictures = tune_pictures_new (&callbacks, session);
  session->aligner = tune_aligner_new ();
  session->side_by_side = tune_side_by_side_new (session->source);
  session->sides[0] = make_side (session, 0, options->matcher);
  tune_side_by_side_set_sides (session->side_by_side, session->sides);
  session->timer = g_timeout_add (STATS_INTERVAL, send_stats, session);
  update_views (session);
  check_sizes (session);
  if (options->settings != NULL && !tune_settings_read (session,
          options->settings, why))
    tune_session_free (&session);
  return session;
}

void
tune_session_free (TuneSession ** session)
{
  TuneSession *self = g_steal_pointer (session);

  if (self == NULL)
    return;
  g_clear_handle_id (&self->timer, g_source_remove);
  g_ptr_array_unref (self->viewers);
  for (guint i = 0; i < TUNE_MAX_SIDES; i++) {
    tune_side_free (&self->sides[i]);
    g_free (self->matches[i]);
  }
  tune_aligner_free (&self->aligner);
  tune_side_by_side_free (&self->side_by_side);
  tune_source_free (&self->source);
  tune_pictures_free (&self->pictures);
  tune_truth_clear (&self->truth);
  g_free (self->failure);
  g_free (self);
}
