/* gst-stereomatching: commands of the page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements.h"
#include "message.h"
#include "notifications.h"

#include <string.h>

typedef struct
{
  TuneSession *session;
  TuneViewer *viewer;
  const TuneMessage *message;
  GParamSpec *property;         /* of set and reset, or NULL */
  gchar *why;                   /* the error, if any */
} Command;

/* The element of the message, or NULL and why. */
static GstElement *
find_element (Command * command)
{
  GstElement *element = tune_session_element (command->session,
      command->message->side, command->message->element);

  if (element == NULL)
    command->why = g_strdup_printf ("no element is called '%.64s'; the message "
        "\"elements\" lists all elements", command->message->element);
  return element;
}

static gboolean
find_property (Command * command, GstElement * element)
{
  const gchar *name = command->message->property;

  command->property = tune_properties_find (element, name);
  if (command->property == NULL)
    command->why = g_strdup_printf ("%s has no property '%.64s'",
        GST_OBJECT_NAME (gst_element_get_factory (element)), name);
  return command->property != NULL;
}

/* Calls change() for the element of the message, in a side or the scene. */
static void
change_element (Command * command, gboolean live,
    void (*change) (GstElement * element, gpointer data))
{
  const TuneMessage *message = command->message;
  TuneSession *session = command->session;

  if (strcmp (message->element, "scene") == 0)
    change (session->source->scene, command);
  else
    tune_side_change (session->sides[message->side], message->element, live,
        change, command);
  tune_side_by_side_refresh (session->side_by_side);
}

static void
set_value (GstElement * element, gpointer data)
{
  Command *command = data;

  tune_property_set (element, command->property, command->message->value,
      &command->why);
}

static void
run_set (Command * command)
{
  const TuneMessage *message = command->message;
  const guint64 before = command->session->n_changes;
  GstElement *element = find_element (command);

  if (element == NULL || !find_property (command, element))
    return;
  change_element (command, tune_property_is_live (command->property),
      set_value);
  /* a clamped value may equal the old one, but not what the page shows */
  if (command->session->n_changes == before)
    tune_session_send (command->session, NULL, tune_notify_value
        (command->session, message->side, message->element, command->property));
}

static void
reset_values (GstElement * element, gpointer data)
{
  Command *command = data;
  g_autofree GParamSpec **list = tune_properties_list (element);

  for (guint i = 0; list[i] != NULL; i++) {
    if (command->property == NULL || command->property == list[i])
      tune_property_reset (element, list[i]);
  }
}

static void
run_reset (Command * command)
{
  GstElement *element = find_element (command);

  if (element == NULL || (command->message->property != NULL
          && !find_property (command, element)))
    return;
  change_element (command, command->property != NULL
      && tune_property_is_live (command->property), reset_values);
}

static void
load_preset (GstElement * element, gpointer data)
{
  Command *command = data;

  if (!tune_preset_load (element, command->message->name))
    command->why = g_strdup_printf ("%s has no preset '%.64s'",
        GST_OBJECT_NAME (gst_element_get_factory (element)),
        command->message->name);
}

/* To all viewers. */
static void
broadcast (Command * command, gchar * text)
{
  tune_session_send (command->session, NULL, text);
}

static void
send_elements (Command * command)
{
  broadcast (command, tune_notify_elements (command->session,
          command->message->side));
}

static void
run_preset (Command * command)
{
  if (find_element (command) == NULL)
    return;
  change_element (command, TRUE, load_preset);
  if (command->why == NULL)
    send_elements (command);
}

static gboolean
check_side (Command * command)
{
  if (command->session->sides[command->message->side] != NULL)
    return TRUE;
  command->why = g_strdup ("no side b; use \"compare\" first");
  return FALSE;
}

static void
run_matcher (Command * command)
{
  const TuneMessage *message = command->message;

  if (!check_side (command)
      || !tune_matchers_check (message->factory, &command->why))
    return;
  tune_side_set_matcher (command->session->sides[message->side],
      message->factory);
  send_elements (command);
  tune_side_by_side_refresh (command->session->side_by_side);
}

static void
run_compare (Command * command)
{
  tune_session_compare (command->session, command->message->on);
  tune_notify_all (command->session, NULL);
}

static void
run_pause (Command * command)
{
  tune_side_by_side_pause (command->session->side_by_side,
      command->message->on);
  broadcast (command, tune_notify_state (command->session));
}

static void
run_step (Command * command)
{
  tune_side_by_side_step (command->session->side_by_side);
  broadcast (command, tune_notify_state (command->session));
}

static void
answer (Command * command, gchar * text)
{
  tune_session_send (command->session, command->viewer, text);
}

static void
run_probe (Command * command)
{
  const TuneMessage *message = command->message;

  if (check_side (command))
    answer (command, tune_notify_probe (command->session, message->side,
            message->x, message->y));
}

static void
run_matches (Command * command)
{
  if (check_side (command))
    answer (command, tune_notify_matches (command->session,
            command->message->side));
}

static void
run_line (Command * command)
{
  if (check_side (command))
    answer (command, tune_notify_line (command->session,
            command->message->side));
}

static void
run_save (Command * command)
{
  answer (command, tune_notify_settings (command->session));
}

static void
run_load (Command * command)
{
  const gchar *text = command->message->text;

  tune_settings_set (command->session, text, strlen (text), &command->why);
  tune_notify_all (command->session, NULL);
  tune_side_by_side_refresh (command->session->side_by_side);
}

/* Requests the current pictures; FALSE if some are not available. */
static gboolean
request_pictures (Command * command)
{
  TuneSession *session = command->session;
  const TuneViews views = tune_viewer_views (command->viewer) & session->views;
  gboolean all = TRUE;

  for (guint i = 0; i < TUNE_N_SLOTS; i++) {
    const TuneSlot slot = { i % TUNE_N_VIEWS, i / TUNE_N_VIEWS };
    TuneSide *side = session->sides[slot.side];

    if (side == NULL || !(views & 1u << slot.view))
      continue;
    tune_viewer_request (command->viewer, session->pictures, slot);
    all = all && tune_pictures_frame (session->pictures, slot) == side->frame;
  }
  return all;
}

static void
run_want (Command * command)
{
  const TuneMessage *message = command->message;

  tune_viewer_set_views (command->viewer, message->views, message->width,
      message->small, message->small_width);
  if (!request_pictures (command))
    tune_side_by_side_refresh (command->session->side_by_side);
}

static void
run_ack (Command * command)
{
  tune_viewer_acknowledge (command->viewer, command->message->frame);
  request_pictures (command);
}

static void (*const runners[TUNE_N_MESSAGES]) (Command * command) = {
  [TUNE_SET] = run_set,
  [TUNE_RESET] = run_reset,
  [TUNE_PRESET] = run_preset,
  [TUNE_MATCHER] = run_matcher,
  [TUNE_COMPARE] = run_compare,
  [TUNE_PAUSE] = run_pause,
  [TUNE_STEP] = run_step,
  [TUNE_PROBE] = run_probe,
  [TUNE_MATCHES] = run_matches,
  [TUNE_LINE] = run_line,
  [TUNE_SAVE] = run_save,
  [TUNE_LOAD] = run_load,
  [TUNE_WANT] = run_want,
  [TUNE_ACK] = run_ack,
};

void
tune_session_run (TuneViewer * viewer, const gchar * text, gsize size,
    gpointer session)
{
  TuneMessage message;
  Command command = {
    .session = session,
    .viewer = viewer,
    .message = &message,
  };

  if (tune_message_parse (&message, text, size, &command.why)) {
    runners[message.type] (&command);
    tune_message_clear (&message);
  }
  if (command.why == NULL)
    return;
  answer (&command, tune_notify_message ("error", command.why));
  tune_viewer_count_error (viewer);
  g_free (command.why);
}
