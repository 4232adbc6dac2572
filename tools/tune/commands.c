/* gst-stereomatching: what viewers may do
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "commands.h"

#include "announce.h"
#include "matchers.h"
#include "message.h"
#include "properties.h"
#include "settings.h"

#include <string.h>

/* A message that is about to be done. */
typedef struct
{
  TuneSession *session;
  TuneViewer *viewer;
  const TuneMessage *message;
  GParamSpec *property;         /* of set and reset, may be NULL */
  gchar *why;                   /* set when something is wrong */
} Command;

/* -------------------------------------------------------------- properties */

/* The element that the message is about, or NULL and why. */
static GstElement *
find_element (Command * command)
{
  GstElement *element = tune_session_element (command->session,
      command->message->side, command->message->element);

  if (element == NULL)
    command->why = g_strdup_printf ("there is no element '%.64s' here; the "
        "message elements lists them", command->message->element);
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

/* Calls change() for the message's element, which is of a side or the scene. */
static void
change_element (Command * command, gboolean live,
    void (*change) (GstElement * element, gpointer data))
{
  const TuneMessage *message = command->message;

  if (strcmp (message->element, "scene") == 0)
    change (tune_source_scene (command->session->source), command);
  else
    tune_side_change (command->session->sides[message->side],
        message->element, live, change, command);
  tune_session_refresh (command->session);
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
  /* what was clamped to what it is already is news for the page only */
  if (command->session->n_changes == before)
    tune_session_tell (command->session, tune_announce_value (command->session,
            message->side, message->element, command->property));
}

static void
reset_values (GstElement * element, gpointer data)
{
  Command *command = data;
  GParamSpec **list = tune_properties_list (element);

  for (guint i = 0; list[i] != NULL; i++) {
    if ((command->property == NULL || command->property == list[i])
        && !tune_property_is_default (element, list[i]))
      tune_property_reset (element, list[i]);
  }
  g_free (list);
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

static void
tell_elements (Command * command)
{
  tune_session_tell (command->session,
      tune_announce_elements (command->session, command->message->side));
}

static void
run_preset (Command * command)
{
  if (find_element (command) == NULL)
    return;
  change_element (command, TRUE, load_preset);
  if (command->why == NULL)
    tell_elements (command);
}

/* ------------------------------------------------------------------- sides */

static gboolean
check_side (Command * command)
{
  if (command->session->sides[command->message->side] != NULL)
    return TRUE;
  command->why = g_strdup ("there is no side b; \"compare\" makes one");
  return FALSE;
}

static void
run_matcher (Command * command)
{
  const TuneMessage *message = command->message;

  if (!check_side (command)
      || !tune_matchers_check (message->factory, &command->why))
    return;
  tune_side_exchange (command->session->sides[message->side],
      message->factory);
  tell_elements (command);
  tune_session_refresh (command->session);
}

static void
run_compare (Command * command)
{
  tune_session_compare (command->session, command->message->on);
  tune_announce_all (command->session, NULL);
}

/* -------------------------------------------------------------------- deck */

static void
tell_state (Command * command)
{
  tune_session_tell (command->session,
      tune_announce_state (command->session));
}

static void
run_pause (Command * command)
{
  tune_deck_pause (command->session->deck, command->message->on);
  tell_state (command);
}

static void
run_step (Command * command)
{
  tune_deck_step (command->session->deck);
  tell_state (command);
}

/* ----------------------------------------------------------------- answers */

static void
answer (Command * command, gchar * text)
{
  tune_session_tell_one (command->session, command->viewer, text);
}

static void
run_probe (Command * command)
{
  const TuneMessage *message = command->message;

  if (check_side (command))
    answer (command, tune_announce_probe (command->session, message->side,
            message->x, message->y));
}

static void
run_line (Command * command)
{
  if (check_side (command))
    answer (command, tune_announce_line (command->session,
            command->message->side));
}

static void
run_save (Command * command)
{
  answer (command, tune_announce_settings (command->session));
}

static void
run_load (Command * command)
{
  const gchar *text = command->message->text;

  tune_settings_set (command->session, text, strlen (text), &command->why);
  tune_announce_all (command->session, NULL);
  tune_session_refresh (command->session);
}

/* What is there goes to the viewer at once; FALSE when it wants something that
 * is not. */
static gboolean
offer_all (Command * command)
{
  TuneSession *session = command->session;
  const TuneViews views = tune_viewer_views (command->viewer) & session->views;
  gboolean all = TRUE;

  for (guint i = 0; i < TUNE_N_SLOTS; i++) {
    const TuneSlot slot = { i % TUNE_N_VIEWS, i / TUNE_N_VIEWS };
    TuneSide *side = session->sides[slot.side];

    if (side == NULL || !(views & 1u << slot.view))
      continue;
    tune_viewer_offer (command->viewer, session->pictures, slot);
    all = all && tune_pictures_frame (session->pictures, slot)
        == tune_side_frame (side);
  }
  return all;
}

static void
run_want (Command * command)
{
  const TuneMessage *message = command->message;

  tune_viewer_want (command->viewer, message->views, (guint) message->width,
      message->small, (guint) message->small_width);
  if (!offer_all (command))
    tune_session_refresh (command->session);
}

static void
run_ack (Command * command)
{
  tune_viewer_shown (command->viewer, command->message->frame);
  offer_all (command);
}

/* --------------------------------------------------------------------- all */

static void (*const run[TUNE_N_MESSAGES]) (Command * command) = {
  [TUNE_SET] = run_set,
  [TUNE_RESET] = run_reset,
  [TUNE_PRESET] = run_preset,
  [TUNE_MATCHER] = run_matcher,
  [TUNE_COMPARE] = run_compare,
  [TUNE_PAUSE] = run_pause,
  [TUNE_STEP] = run_step,
  [TUNE_PROBE] = run_probe,
  [TUNE_LINE] = run_line,
  [TUNE_SAVE] = run_save,
  [TUNE_LOAD] = run_load,
  [TUNE_WANT] = run_want,
  [TUNE_ACK] = run_ack,
};

void
tune_commands_run (TuneSession * session, TuneViewer * viewer,
    const gchar * text, gsize size)
{
  TuneMessage message;
  Command command = {
    .session = session,
    .viewer = viewer,
    .message = &message,
  };

  if (tune_message_parse (&message, text, size, &command.why)) {
    run[message.type] (&command);
    tune_message_clear (&message);
  }
  if (command.why == NULL)
    return;
  answer (&command, tune_announce_message (TUNE_ERROR, command.why));
  tune_viewer_blame (viewer);
  g_free (command.why);
}
