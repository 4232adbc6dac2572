/* gst-stereomatching: one setting of a matcher, and what it makes of a pair
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "side.h"

#include "later.h"
#include "map.h"
#include "properties.h"

#include <math.h>
#include <string.h>

typedef enum
{
  MATCHER,
  COLOR,
  DEPTH,
  DEPTH_COLOR,
  VIEW,
  N_STAGES
} StageIndex;

const gchar *const tune_side_elements[] = {
  [MATCHER] = "matcher",
  [COLOR] = "color",
  [DEPTH] = "depth",
  [DEPTH_COLOR] = "depth-color",
  [VIEW] = "view",
  [N_STAGES] = NULL,
};

/* What a stage is, and of which view its output is the picture. */
typedef struct
{
  const gchar *factory;         /* NULL: the matcher's */
  const gchar *inputs[4];
  const gchar *outputs[3];
  const gchar *formats[3];
  TuneView shows;
} StageKind;

static const StageKind kinds[N_STAGES] = {
  [MATCHER] = {
        .inputs = {"sink_left", "sink_right"},
        .outputs = {"src", "src_confidence"},
        .formats = {"{ GRAY16_LE, GRAY8 }", "GRAY8"},
      },
  [COLOR] = {
        .factory = "disparitycolor",
        .inputs = {"sink"},
        .outputs = {"src"},
        .shows = TUNE_VIEW_DISPARITY,
      },
  [DEPTH] = {
        .factory = "disparitydepth",
        .inputs = {"sink"},
        .outputs = {"src"},
        .shows = TUNE_VIEW_DEPTH,
      },
  [DEPTH_COLOR] = {
        .factory = "disparitycolor",
        .inputs = {"sink"},
        .outputs = {"src"},
        .shows = TUNE_VIEW_DEPTH,
      },
  [VIEW] = {
        .factory = "stereoview",
        .inputs = {"sink_left", "sink_right", "sink_disparity"},
        .outputs = {"src"},
        .shows = TUNE_VIEW_VIEW,
      },
};

/* Of GObject's reference counting boxes: a property may change in any thread,
 * and its news come when the side is gone. */
struct TuneSide
{
  TuneSideCallbacks callbacks;
  gpointer data;
  gboolean alive;
  guint index;
  TuneStage *stages[N_STAGES];
  guint frames[N_STAGES];       /* the number of each one's job */
  gboolean behind[N_STAGES];    /* a newer map came during the job */
  gboolean changing;            /* a stage is down for a change */
  TunePair given;               /* what the matcher works on, or did last */
  guint given_frame;
  TunePair pair;                /* what the newest map is of */
  guint frame;
  GstSample *map;
  GstSample *confidence;
  guint n_maps;                 /* since speed was asked for */
  gint64 since;
};

/* -------------------------------------------------------------------- news */

typedef struct
{
  TuneSide *side;
  GstElement *element;
  GParamSpec *property;
} Change;

static gboolean
tell_change (gpointer data)
{
  Change *change = data;
  TuneSide *side = change->side;

  for (guint i = 0; side->alive && i < N_STAGES; i++) {
    if (side->stages[i] != NULL
        && tune_stage_element (side->stages[i]) == change->element)
      side->callbacks.changed (side, tune_side_elements[i], change->property,
          side->data);
  }
  return G_SOURCE_REMOVE;
}

static void
free_change (gpointer data)
{
  Change *change = data;

  gst_object_unref (change->element);
  g_param_spec_unref (change->property);
  g_atomic_rc_box_release (change->side);
  g_free (change);
}

static void
notified (GObject * object, GParamSpec * property, gpointer data)
{
  Change *change;

  if (tune_properties_find (GST_ELEMENT (object), property->name) == NULL)
    return;
  change = g_new (Change, 1);
  change->side = g_atomic_rc_box_acquire ((TuneSide *) data);
  change->element = gst_object_ref (object);
  change->property = g_param_spec_ref (property);
  tune_later (tell_change, change, free_change);
}

static void
said (TuneStage * stage, TuneLevel level, const gchar * text, gpointer data)
{
  TuneSide *side = data;

  (void) stage;
  side->callbacks.said (side, level, text, side->data);
}

/* ------------------------------------------------------------------ frames */

gboolean
tune_side_camera (TuneSide * side, gdouble camera[3])
{
  GObject *depth = G_OBJECT (tune_stage_element (side->stages[DEPTH]));
  gdouble set[3];
  TuneMap map;

  memset (camera, 0, 3 * sizeof (camera[0]));
  if (side->map != NULL && tune_map_open (&map, side->map)) {
    camera[0] = map.focal_length;
    camera[1] = map.baseline;
    camera[2] = map.doffs;
    tune_map_close (&map);
  }
  g_object_get (depth, "focal-length", &set[0], "baseline", &set[1], "doffs",
      &set[2], NULL);
  if (set[0] > 0)
    camera[0] = set[0];
  if (set[1] > 0) {
    camera[1] = set[1];
    camera[2] = set[2];
  }
  return camera[0] > 0 && camera[1] > 0;
}

/* Gives the newest map to what shows it, if somebody looks. */
static void
show (TuneSide * side, StageIndex index)
{
  GstSample *inputs[TUNE_STAGE_PADS] = { side->map };
  gdouble camera[3];

  if (!side->callbacks.wanted (kinds[index].shows, side->data)
      || (index == DEPTH && !tune_side_camera (side, camera)))
    return;
  side->behind[index] = tune_stage_busy (side->stages[index]);
  if (side->behind[index])
    return;
  if (index == VIEW) {
    inputs[0] = side->pair.left;
    inputs[1] = side->pair.right;
    inputs[2] = side->map;
  }
  side->frames[index] = side->frame;
  tune_stage_push (side->stages[index], inputs);
}

static void
take_map (TuneSide * side, GstSample ** outputs)
{
  g_clear_pointer (&side->map, gst_sample_unref);
  g_clear_pointer (&side->confidence, gst_sample_unref);
  side->map = gst_sample_ref (outputs[0]);
  if (outputs[1] != NULL)
    side->confidence = gst_sample_ref (outputs[1]);
  tune_pair_clear (&side->pair);
  side->pair = side->given;
  side->given = (TunePair) {
    NULL
  };
  side->frame = side->given_frame;
  side->n_maps++;
  side->callbacks.picture (side, TUNE_VIEW_LEFT, side->pair.left, side->frame,
      side->data);
  if (side->confidence != NULL)
    side->callbacks.picture (side, TUNE_VIEW_CONFIDENCE, side->confidence,
        side->frame, side->data);
  show (side, COLOR);
  show (side, DEPTH);
  show (side, VIEW);
}

/* A map in millimetres becomes a picture of its own. */
static void
take_depth (TuneSide * side, GstSample * sample)
{
  if (tune_stage_busy (side->stages[DEPTH_COLOR]))
    return;
  side->frames[DEPTH_COLOR] = side->frames[DEPTH];
  tune_stage_push (side->stages[DEPTH_COLOR], &sample);
}

static void
done (TuneStage * stage, GstSample ** outputs, gpointer data)
{
  TuneSide *side = data;
  StageIndex index = 0;

  while (index < N_STAGES && side->stages[index] != stage)
    index++;
  if (side->changing || index == N_STAGES)
    return;
  if (index == MATCHER) {
    if (outputs != NULL)
      take_map (side, outputs);
    side->callbacks.ready (side, side->data);
    return;
  }
  if (outputs != NULL && index == DEPTH)
    take_depth (side, outputs[0]);
  else if (outputs != NULL)
    side->callbacks.picture (side, kinds[index].shows, outputs[0],
        side->frames[index], side->data);
  if (side->behind[index] && !tune_stage_failed (stage))
    show (side, index);
}

void
tune_side_give (TuneSide * side, const TunePair * pair, guint frame)
{
  GstSample *inputs[2] = { pair->left, pair->right };
  TunePair given = {
    .left = gst_sample_ref (pair->left),
    .right = gst_sample_ref (pair->right),
    .truth = pair->truth ? gst_sample_ref (pair->truth) : NULL,
  };

  tune_pair_clear (&side->given);
  side->given = given;
  side->given_frame = frame;
  tune_stage_push (side->stages[MATCHER], inputs);
}

gboolean
tune_side_busy (TuneSide * side)
{
  return side->changing || tune_stage_busy (side->stages[MATCHER]);
}

/* ---------------------------------------------------------------- elements */

static void
make_stage (TuneSide * side, StageIndex index, const gchar * factory)
{
  static const TuneStageCallbacks callbacks = { done, said };
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (index == MATCHER)
    g_object_set (element, TUNE_PROFILING, TRUE, NULL);
  g_signal_connect_data (element, "notify", G_CALLBACK (notified),
      g_atomic_rc_box_acquire (side),
      (GClosureNotify) (GCallback) g_atomic_rc_box_release, 0);
  side->stages[index] = tune_stage_new (element, kinds[index].inputs,
      kinds[index].outputs, kinds[index].formats, &callbacks, side);
}

/* What differs from its default in from, where to has a property like it. */
static void
carry_over (GstElement * from, GstElement * to)
{
  GParamSpec **list = tune_properties_list (from);

  for (guint i = 0; list[i] != NULL; i++) {
    GParamSpec *target = tune_properties_find (to, list[i]->name);
    GValue value = G_VALUE_INIT;

    if (target == NULL || target->value_type != list[i]->value_type
        || tune_property_is_default (from, list[i]))
      continue;
    g_value_init (&value, target->value_type);
    g_object_get_property (G_OBJECT (from), target->name, &value);
    g_object_set_property (G_OBJECT (to), target->name, &value);
    g_value_unset (&value);
  }
  g_free (list);
}

/* After a stage was down: what it lost comes again. */
static void
give_again (TuneSide * side, StageIndex index, gboolean was_busy)
{
  GstSample *inputs[2] = { side->given.left, side->given.right };

  if (index == MATCHER && was_busy && inputs[0] != NULL)
    tune_stage_push (side->stages[MATCHER], inputs);
}

void
tune_side_exchange (TuneSide * side, const gchar * factory)
{
  TuneStage *old = side->stages[MATCHER];
  GstElement *element = gst_object_ref (tune_stage_element (old));
  const gboolean was_busy = tune_stage_busy (old);

  side->changing = TRUE;
  tune_stage_free (&old);
  make_stage (side, MATCHER, factory);
  tune_stage_stop (side->stages[MATCHER]);
  carry_over (element, tune_stage_element (side->stages[MATCHER]));
  tune_stage_start (side->stages[MATCHER]);
  gst_object_unref (element);
  side->changing = FALSE;
  give_again (side, MATCHER, was_busy);
}

void
tune_side_change (TuneSide * side, const gchar * name, gboolean live,
    void (*change) (GstElement * element, gpointer data), gpointer data)
{
  StageIndex index = 0;
  TuneStage *stage;
  gboolean was_busy;

  while (strcmp (tune_side_elements[index], name) != 0)
    index++;
  stage = side->stages[index];
  if (live && !tune_stage_failed (stage)) {
    change (tune_stage_element (stage), data);
    return;
  }
  was_busy = tune_stage_busy (stage);
  side->changing = TRUE;
  tune_stage_stop (stage);
  change (tune_stage_element (stage), data);
  tune_stage_start (stage);
  side->changing = FALSE;
  give_again (side, index, was_busy);
}

GstElement *
tune_side_element (TuneSide * side, const gchar * name)
{
  for (guint i = 0; i < N_STAGES; i++) {
    if (strcmp (tune_side_elements[i], name) == 0)
      return tune_stage_element (side->stages[i]);
  }
  return NULL;
}

/* --------------------------------------------------------------- all of it */

TuneSide *
tune_side_new (guint index, const gchar * factory,
    const TuneSideCallbacks * callbacks, gpointer data)
{
  TuneSide *side = g_atomic_rc_box_new0 (TuneSide);

  side->callbacks = *callbacks;
  side->data = data;
  side->alive = TRUE;
  side->index = index;
  side->since = g_get_monotonic_time ();
  for (guint i = 0; i < N_STAGES; i++)
    make_stage (side, i, kinds[i].factory != NULL ? kinds[i].factory : factory);
  return side;
}

void
tune_side_free (TuneSide ** side)
{
  TuneSide *self = *side;

  if (self == NULL)
    return;
  *side = NULL;
  self->alive = FALSE;
  for (guint i = 0; i < N_STAGES; i++)
    tune_stage_free (&self->stages[i]);
  tune_pair_clear (&self->given);
  tune_pair_clear (&self->pair);
  g_clear_pointer (&self->map, gst_sample_unref);
  g_clear_pointer (&self->confidence, gst_sample_unref);
  g_atomic_rc_box_release (self);
}

guint
tune_side_index (TuneSide * side)
{
  return side->index;
}

GstSample *
tune_side_map (TuneSide * side)
{
  return side->map;
}

GstSample *
tune_side_confidence (TuneSide * side)
{
  return side->confidence;
}

const TunePair *
tune_side_pair (TuneSide * side)
{
  return &side->pair;
}

guint
tune_side_frame (TuneSide * side)
{
  return side->frame;
}

/* ------------------------------------------------------------------- speed */

/* To the third digit. */
static void
add_double (JsonBuilder * builder, const gchar * name, gdouble value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, round (value * 1000) / 1000);
}

/* part: of what the element does, or NULL. */
static void
add_stage (JsonBuilder * builder, const gchar * element, const gchar * part,
    gdouble ms)
{
  gchar *name = g_strjoin (" ", element, part, NULL);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "name");
  json_builder_add_string_value (builder, name);
  add_double (builder, "ms", ms);
  json_builder_end_object (builder);
  g_free (name);
}

/* What the matcher itself counts; for gst_structure_free(). */
static GstStructure *
ask_matcher (TuneSide * side)
{
  GstStructure *stats = NULL;

  g_object_get (tune_stage_element (side->stages[MATCHER]), "stats", &stats,
      NULL);
  return stats;
}

/* Those of its last pair. */
static void
add_stages_of_matcher (TuneSide * side, const GstStructure * stats,
    JsonBuilder * builder)
{
  const gchar *matcher = GST_OBJECT_NAME (gst_element_get_factory
      (tune_stage_element (side->stages[MATCHER])));
  GstStructure *stages = NULL;
  guint64 ns;

  if (!gst_structure_get (stats, "stages", GST_TYPE_STRUCTURE, &stages, NULL))
    return;
  for (gint i = 0; i < gst_structure_n_fields (stages); i++) {
    const gchar *name = gst_structure_nth_field_name (stages, (guint) i);

    if (gst_structure_get_uint64 (stages, name, &ns))
      add_stage (builder, matcher, name, (gdouble) ns / GST_MSECOND);
  }
  gst_structure_free (stages);
}

/* Images and pairs that it left out. */
static guint64
n_dropped (const GstStructure * stats)
{
  static const gchar *const counters[] = { "dropped-left", "dropped-right",
    "qos-dropped", "superseded"
  };
  guint64 sum = 0, value;

  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    if (gst_structure_get_uint64 (stats, counters[i], &value))
      sum += value;
  }
  return sum;
}

void
tune_side_add_speed (TuneSide * side, JsonBuilder * builder)
{
  const gint64 now = g_get_monotonic_time ();
  GstStructure *stats = ask_matcher (side);

  add_double (builder, "fps", (gdouble) side->n_maps * G_USEC_PER_SEC
      / (gdouble) MAX (now - side->since, 1));
  side->n_maps = 0;
  side->since = now;
  add_double (builder, "frame_ms", tune_stage_time (side->stages[MATCHER]));
  json_builder_set_member_name (builder, "stages");
  json_builder_begin_array (builder);
  add_stages_of_matcher (side, stats, builder);
  for (guint i = COLOR; i < N_STAGES; i++) {
    if (side->callbacks.wanted (kinds[i].shows, side->data)
        && tune_stage_time (side->stages[i]) > 0)
      add_stage (builder, kinds[i].factory, i == DEPTH_COLOR ? "(depth)" : NULL,
          tune_stage_time (side->stages[i]));
  }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "dropped");
  json_builder_add_int_value (builder, (gint64) n_dropped (stats));
  json_builder_set_member_name (builder, "device");
  json_builder_add_string_value (builder,
      tune_stage_device (side->stages[MATCHER]));
  gst_structure_free (stats);
}
