/* gst-stereomatching: inputs that are not linked or send nothing
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An element that waits for a missing input appears to hang.  Therefore the
 * clock's thread checks the inputs once a second, from start to stop.  An
 * unlinked input is an error after a while; a silent live input causes a
 * warning.
 */

#include "aggregate/gststereoaggregator.h"

#include "base/gststereodebug.h"

#define N_INPUTS GST_STEREO_N_INPUTS

#define INTERVAL GST_SECOND

/* Successive checks before an error or a warning. */
#define PATIENCE 5

/* Holds no reference to the element: the clock's thread would keep it alive. */
struct _GstStereoWatch
{
  GstClockID timer;
  GRecMutex lock;               /* of all that follows */
  GstStereoAggregator *self;    /* NULL after the stop */
  guint unlinked;               /* successive checks with unlinked pads */
  guint silent[N_INPUTS];       /* and that found this input silent */
  gint n_images[N_INPUTS];      /* at the last check */
  gboolean warned[N_INPUTS];
};

/* Of one check. */
typedef struct
{
  GstAggregatorPad *pad[N_INPUTS];      /* references, or NULL: no such pad */
  gboolean linked[N_INPUTS];
  gboolean ended[N_INPUTS];     /* EOS was received, perhaps not handled */
  gboolean has_video[N_INPUTS];
  gint n_images[N_INPUTS];
  gboolean playing;             /* live sources send nothing while paused */
} Inputs;

static void
inputs_get (Inputs * inputs, GstStereoAggregator * self)
{
  for (gint i = 0; i < N_INPUTS; i++) {
    inputs->pad[i] = gst_stereo_aggregator_get_pad (self, i);
    inputs->linked[i] = inputs->pad[i] != NULL
        && gst_pad_is_linked (GST_PAD (inputs->pad[i]));
    inputs->ended[i] = inputs->pad[i] != NULL
        && GST_PAD_IS_EOS (inputs->pad[i]);
    inputs->n_images[i] = gst_stereo_aggregator_count_images (self, i);
  }
  GST_OBJECT_LOCK (self);
  memcpy (inputs->has_video, self->has_info, sizeof (inputs->has_video));
  inputs->playing = GST_STATE (self) == GST_STATE_PLAYING;
  GST_OBJECT_UNLOCK (self);
}

static void
inputs_clear (Inputs * inputs)
{
  for (gint i = 0; i < N_INPUTS; i++)
    gst_clear_object (&inputs->pad[i]);
}

/* ---------------------------------------------------------- unlinked inputs */

/* other: a linked input, and what is known of it; or -1. */
static void
post_unlinked (GstStereoAggregator * self, const Inputs * inputs, gint other,
    const gchar * state)
{
  static const gchar *const needed[] = { "", "it", "both", "them all" };
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (gint i = 0; i < N_INPUTS; i++) {
    n += inputs->pad[i] != NULL;
    if (inputs->pad[i] == NULL || inputs->linked[i])
      continue;
    g_string_append_printf (text, text->len == 0 ? "%s is not linked"
        : ", and neither is %s", gst_stereo_input_names[i]);
  }
  if (other >= 0)
    g_string_append_printf (text, ", but %s %s",
        gst_stereo_input_names[other], state);
  GST_STEREO_FAIL (&self->failure, CORE, PAD, ("%s. The element needs %s.",
          text->str, needed[n]), (NULL));
  g_string_free (text, TRUE);
}

static gboolean
are_linked (const Inputs * inputs)
{
  gboolean all = TRUE;

  for (gint i = 0; i < N_INPUTS; i++)
    all &= inputs->linked[i] || inputs->pad[i] == NULL;
  return all;
}

/* Whether all inputs are linked.  Posts an error if one is unlinked and another
 * one has video, or if none is linked. */
static gboolean
check_links (GstStereoWatch * watch, const Inputs * inputs)
{
  const gboolean all = are_linked (inputs);
  gboolean any = FALSE;
  gint other = -1;

  for (gint i = 0; i < N_INPUTS; i++) {
    any |= inputs->linked[i];
    if (inputs->linked[i] && inputs->has_video[i])
      other = i;
  }
  if (all || (any && other < 0))
    watch->unlinked = 0;
  else if (++watch->unlinked >= PATIENCE)
    post_unlinked (watch->self, inputs, other, "has video");
  return all;
}

/* EOS waits in the queue for the other inputs, and unlinked ones never receive
 * data. */
void
gst_stereo_aggregator_check_links (GstStereoAggregator * self, gint ended)
{
  Inputs inputs;

  inputs_get (&inputs, self);
  if (!are_linked (&inputs))
    post_unlinked (self, &inputs, ended, "has ended");
  inputs_clear (&inputs);
}

/* ------------------------------------------------------------ silent inputs */

/* Whether images of an input, or its end, wait for others: more arrive, their
 * source is blocked, or no more will come.  Asking GstAggregator would make it
 * keep an image even after a flush. */
static gboolean
is_waiting (const GstStereoWatch * watch, const Inputs * inputs, gint input)
{
  GstStereoAggregatorClass *klass =
      GST_STEREO_AGGREGATOR_GET_CLASS (watch->self);

  return inputs->pad[input] != NULL
      && (inputs->ended[input]
      || inputs->n_images[input] != watch->n_images[input]
      || gst_stereo_aggregator_is_blocked (watch->self, input)
      || (klass->has_image != NULL && klass->has_image (watch->self, input)));
}

/* The input that waits for a silent one, or -1. */
static gint
find_waiting (const GstStereoWatch * watch, const Inputs * inputs, gint input)
{
  /* The task pauses at the end. */
  if (!inputs->playing || inputs->pad[input] == NULL
      || is_waiting (watch, inputs, input)
      || gst_pad_get_task_state (GST_AGGREGATOR_SRC_PAD (watch->self))
      == GST_TASK_PAUSED)
    return -1;
  for (gint i = 0; i < N_INPUTS; i++) {
    if (i != input && is_waiting (watch, inputs, i))
      return gst_stereo_aggregator_count_live (watch->self) > 0 ? i
          : -1;
  }
  return -1;
}

/* Warns once about a silent input. */
static void
check_silent_inputs (GstStereoWatch * watch, const Inputs * inputs)
{
  for (gint i = 0; i < N_INPUTS; i++) {
    const gint other = find_waiting (watch, inputs, i);

    if (other < 0)
      watch->silent[i] = 0;
    else if (++watch->silent[i] == PATIENCE && !watch->warned[i]) {
      GST_ELEMENT_WARNING (watch->self, STREAM, FAILED,
          ("%s has received nothing for %d seconds, while %s%s%s. Check the "
              "source of %s.", gst_stereo_input_names[i], PATIENCE,
              inputs->ended[other] ? "" : "images wait on ",
              gst_stereo_input_names[other],
              inputs->ended[other] ? " has ended" : "",
              gst_stereo_input_names[i]), (NULL));
      watch->warned[i] = TRUE;
    }
  }
  memcpy (watch->n_images, inputs->n_images, sizeof (watch->n_images));
}

/* -------------------------------------------------------------------- timer */

static gboolean
check_inputs (GstClock * clock, GstClockTime time, GstClockID id,
    gpointer user_data)
{
  GstStereoWatch *watch = user_data;
  Inputs inputs;

  g_rec_mutex_lock (&watch->lock);
  if (watch->self != NULL) {
    inputs_get (&inputs, watch->self);
    if (check_links (watch, &inputs))
      check_silent_inputs (watch, &inputs);
    inputs_clear (&inputs);
  }
  g_rec_mutex_unlock (&watch->lock);
  return TRUE;
}

static void
free_watch (gpointer user_data)
{
  GstStereoWatch *watch = user_data;

  g_rec_mutex_clear (&watch->lock);
  g_free (watch);
}

void
gst_stereo_aggregator_start_watching (GstStereoAggregator * self)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstStereoWatch *watch = g_new0 (GstStereoWatch, 1);

  /* GstAggregator does not call stop() if its own change of state failed. */
  gst_stereo_aggregator_stop_watching (self);
  g_rec_mutex_init (&watch->lock);
  watch->self = self;
  watch->timer = gst_clock_new_periodic_id (clock,
      gst_clock_get_time (clock) + INTERVAL, INTERVAL);
  self->watch = watch;
  gst_clock_id_wait_async (watch->timer, check_inputs, watch, free_watch);
  gst_object_unref (clock);
}

void
gst_stereo_aggregator_stop_watching (GstStereoAggregator * self)
{
  GstStereoWatch *watch = g_steal_pointer (&self->watch);
  GstClockID timer;

  if (watch == NULL)
    return;
  g_rec_mutex_lock (&watch->lock);
  watch->self = NULL;
  g_rec_mutex_unlock (&watch->lock);
  /* frees the watch */
  timer = watch->timer;
  gst_clock_id_unschedule (timer);
  gst_clock_id_unref (timer);
}
