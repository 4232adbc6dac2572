/* gst-stereomatching: a matcher with the elements that show its map
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "side.h"

#include "alignment.h"
#include "map.h"
#include "elements.h"

#include <math.h>
#include <string.h>

/* Before a matcher that corrects its views, in any of its formats. */
#define CORRECTION "videoconvert ! stereorectify"

/* Repetitions of a pair until its views are corrected: the first one sends the
 * correction to the filter. */
#define MAX_REPETITIONS 3

const gchar *const tune_side_elements[] = {
  [TUNE_MATCHER_STAGE] = "matcher",
  [TUNE_COLOR_STAGE] = "color",
  [TUNE_DEPTH_STAGE] = "depth",
  [TUNE_DEPTH_COLOR_STAGE] = "depth-color",
  [TUNE_VIEW_STAGE] = "view",
  [TUNE_N_STAGES] = NULL,
};

typedef struct
{
  const gchar *factory;         /* NULL: a matcher */
  const gchar *inputs[4];
  const gchar *outputs[3];
  const gchar *formats[3];
  TuneView shows;               /* the view of its output */
} StageKind;

static const StageKind kinds[TUNE_N_STAGES] = {
  [TUNE_MATCHER_STAGE] = {
        .inputs = {"sink_left", "sink_right"},
        .outputs = {"src", "src_confidence"},
        .formats = {"{ GRAY16_LE, GRAY8 }", "GRAY8"},
      },
  [TUNE_COLOR_STAGE] = {"disparitycolor", {"sink"}, {"src"}, {NULL},
      TUNE_VIEW_DISPARITY},
  [TUNE_DEPTH_STAGE] = {"disparitydepth", {"sink"}, {"src"}, {NULL},
      TUNE_VIEW_DEPTH},
  [TUNE_DEPTH_COLOR_STAGE] = {"disparitycolor", {"sink"}, {"src"}, {NULL},
      TUNE_VIEW_DEPTH},
  [TUNE_VIEW_STAGE] = {"stereoview", {"sink_left", "sink_right",
              "sink_disparity"}, {"src"}, {NULL}, TUNE_VIEW_VIEW},
};

/* Properties are set in the main thread only. */
static void
property_changed (GObject * object, GParamSpec * property, gpointer data)
{
  TuneSide *side = data;

  if (tune_properties_find (GST_ELEMENT (object), property->name) == NULL)
    return;
  for (guint i = 0; i < TUNE_N_STAGES; i++) {
    if (side->stages[i] != NULL && G_OBJECT (side->stages[i]->element)
        == object)
      side->callbacks.changed (side, tune_side_elements[i], property,
          side->data);
  }
}

static void
forward_warning (TuneStage * stage, const gchar * text, gpointer data)
{
  TuneSide *side = data;

  (void) stage;
  side->callbacks.warning (side, text, side->data);
}

static void
stage_failed (TuneStage * stage, gpointer data)
{
  TuneSide *side = data;

  (void) stage;
  side->callbacks.failed (side, side->data);
}

const gchar *
tune_side_error (TuneSide * side)
{
  const gchar *error = NULL;

  for (guint i = 0; i < TUNE_N_STAGES && error == NULL; i++)
    error = side->stages[i] != NULL ? side->stages[i]->error : NULL;
  return error;
}

gboolean
tune_side_camera (TuneSide * side, gdouble camera[3])
{
  gdouble set[3];
  TuneMap map;

  memset (camera, 0, 3 * sizeof (camera[0]));
  if (side->map != NULL && tune_map_open (&map, side->map)) {
    camera[0] = map.focal_length;
    camera[1] = map.baseline;
    camera[2] = map.doffs;
    tune_map_close (&map);
  }
  g_object_get (side->stages[TUNE_DEPTH_STAGE]->element, "focal-length",
      &set[0], "baseline", &set[1], "doffs", &set[2], NULL);
  if (set[0] > 0)
    camera[0] = set[0];
  if (set[1] > 0) {
    camera[1] = set[1];
    camera[2] = set[2];
  }
  return camera[0] > 0 && camera[1] > 0;
}

/* A view in the format of another one, as stereoview requires. */
static GstSample *
convert_view (GstSample * view, GstSample * like)
{
  GstBuffer *from_buffer = gst_sample_get_buffer (view);
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoConverter *converter;
  GstVideoFrame input, output;
  GstVideoInfo from, to;

  if (!gst_video_info_from_caps (&from, gst_sample_get_caps (view))
      || !gst_video_info_from_caps (&to, gst_sample_get_caps (like))
      || GST_VIDEO_INFO_FORMAT (&from) == GST_VIDEO_INFO_FORMAT (&to)
      || !gst_video_frame_map (&input, &from, from_buffer, GST_MAP_READ))
    return gst_sample_ref (view);
  /* the converter changes neither */
  to.fps_n = from.fps_n;
  to.fps_d = from.fps_d;
  to.interlace_mode = from.interlace_mode;
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&to), NULL);
  gst_buffer_copy_into (buffer, from_buffer, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_video_frame_map (&output, &to, buffer, GST_MAP_WRITE);
  converter = gst_video_converter_new (&from, &to, NULL);
  gst_video_converter_frame (converter, &input, &output);
  gst_video_converter_free (converter);
  gst_video_frame_unmap (&output);
  gst_video_frame_unmap (&input);
  caps = gst_video_info_to_caps (&to);
  return gst_sample_new (buffer, caps, NULL, NULL);
}

/* Passes the newest map to a stage if its view is wanted. */
static void
show_map (TuneSide * side, TuneStageIndex index)
{
  GstSample *inputs[TUNE_STAGE_PADS] = { side->map };
  g_autoptr (GstSample) right = NULL;
  gdouble camera[3];

  if (!side->callbacks.is_wanted (kinds[index].shows, side->data)
      || (index == TUNE_DEPTH_STAGE && !tune_side_camera (side, camera)))
    return;
  side->outdated[index] = side->stages[index]->busy;
  if (side->outdated[index])
    return;
  if (index == TUNE_VIEW_STAGE) {
    right = convert_view (side->pair.right, side->pair.left);
    inputs[0] = side->pair.left;
    inputs[1] = right;
    inputs[2] = side->map;
  }
  side->frames[index] = side->frame;
  tune_stage_push (side->stages[index], inputs);
}

/* Replaces the views of the newest map by those that the matcher got. */
static void
take_corrected (TuneSide * side)
{
  const TuneStage *stage = side->stages[TUNE_MATCHER_STAGE];
  GstSample **views[] = { &side->pair.left, &side->pair.right };
  gboolean settled = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    if (stage->filtered[i] == NULL)
      continue;
    gst_sample_unref (*views[i]);
    *views[i] = gst_sample_ref (stage->filtered[i]);
    settled = settled && tune_alignment_is_applied (stage->element,
        *views[i]);
  }
  side->n_unsettled = settled ? 0 : side->n_unsettled + 1;
}

gboolean
tune_side_is_outdated (TuneSide * side)
{
  return side->n_unsettled > 0 && side->n_unsettled <= MAX_REPETITIONS;
}

static void
take_map (TuneSide * side, GstSample ** outputs)
{
  g_clear_pointer (&side->map, gst_sample_unref);
  g_clear_pointer (&side->confidence, gst_sample_unref);
  side->map = g_steal_pointer (&outputs[0]);
  side->confidence = g_steal_pointer (&outputs[1]);
  tune_pair_clear (&side->pair);
  side->pair = side->given;
  memset (&side->given, 0, sizeof (side->given));
  take_corrected (side);
  side->frame = side->given_frame;
  side->n_maps++;
  side->callbacks.picture (side, TUNE_VIEW_LEFT, side->pair.left, side->frame,
      side->data);
  side->callbacks.picture (side, TUNE_VIEW_RIGHT, side->pair.right,
      side->frame, side->data);
  if (side->confidence != NULL)
    side->callbacks.picture (side, TUNE_VIEW_CONFIDENCE, side->confidence,
        side->frame, side->data);
  show_map (side, TUNE_COLOR_STAGE);
  show_map (side, TUNE_DEPTH_STAGE);
  show_map (side, TUNE_VIEW_STAGE);
}

/* Passes a depth map to the stage that colours it. */
static void
take_depth (TuneSide * side, GstSample * sample)
{
  if (side->stages[TUNE_DEPTH_COLOR_STAGE]->busy)
    return;
  side->frames[TUNE_DEPTH_COLOR_STAGE] = side->frames[TUNE_DEPTH_STAGE];
  tune_stage_push (side->stages[TUNE_DEPTH_COLOR_STAGE], &sample);
}

static void
stage_done (TuneStage * stage, GstSample ** outputs, gpointer data)
{
  TuneSide *side = data;
  TuneStageIndex index = 0;

  while (index < TUNE_N_STAGES && side->stages[index] != stage)
    index++;
  if (side->changing || index == TUNE_N_STAGES)
    return;
  if (index == TUNE_MATCHER_STAGE) {
    if (outputs != NULL)
      take_map (side, outputs);
    side->callbacks.ready (side, side->data);
    return;
  }
  if (outputs != NULL && index == TUNE_DEPTH_STAGE)
    take_depth (side, outputs[0]);
  else if (outputs != NULL)
    side->callbacks.picture (side, kinds[index].shows, outputs[0],
        side->frames[index], side->data);
  if (side->outdated[index] && stage->error == NULL)
    show_map (side, index);
}

void
tune_side_push (TuneSide * side, const TunePair * pair, guint frame)
{
  GstSample *inputs[2] = { pair->left, pair->right };
  const TunePair given = {
    .left = gst_sample_ref (pair->left),
    .right = gst_sample_ref (pair->right),
    .truth = pair->truth ? gst_sample_ref (pair->truth) : NULL,
  };

  tune_pair_clear (&side->given);
  side->given = given;
  side->given_frame = frame;
  tune_stage_push (side->stages[TUNE_MATCHER_STAGE], inputs);
}

gboolean
tune_side_is_ready (TuneSide * side)
{
  return !side->changing && !side->stages[TUNE_MATCHER_STAGE]->busy
      && tune_side_error (side) == NULL;
}

static void
make_stage (TuneSide * side, TuneStageIndex index, const gchar * factory)
{
  static const TuneStageCallbacks callbacks = {
    stage_done, forward_warning, stage_failed
  };
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (index == TUNE_MATCHER_STAGE)
    g_object_set (element, TUNE_PROFILING, TRUE, NULL);
  if (index == TUNE_MATCHER_STAGE && tune_has_weights (element))
    g_object_set (element, TUNE_WEIGHTS, side->weights, NULL);
  g_signal_connect (element, "notify", G_CALLBACK (property_changed), side);
  side->stages[index] = tune_stage_new (element, kinds[index].inputs,
      kinds[index].outputs, kinds[index].formats, &callbacks, side);
}

/* Puts filters before a stopped matcher, or removes them: a filter keeps its
 * correction, so that switching it off needs a new one. */
static void
update_filters (TuneSide * side)
{
  TuneStage *stage = side->stages[TUNE_MATCHER_STAGE];

  side->n_unsettled = 0;
  tune_stage_set_filter (stage, tune_alignment_corrects (stage->element)
      ? CORRECTION : NULL);
}

/* Ends a change; the matcher gets the pair again that it was working on. */
static void
end_change (TuneSide * side, gboolean repeat)
{
  GstSample *inputs[2] = { side->given.left, side->given.right };

  side->changing = FALSE;
  if (repeat && inputs[0] != NULL)
    tune_stage_push (side->stages[TUNE_MATCHER_STAGE], inputs);
}

/* What one matcher has found out about the views, another one can use. */
static void
copy_correction (GstElement * from, GstElement * to)
{
  g_autofree gchar *text = tune_alignment_correction (from);

  g_object_set (to, "correction", text, NULL);
}

void
tune_side_reset_views (TuneSide * side)
{
  TuneStage *stage = side->stages[TUNE_MATCHER_STAGE];

  side->changing = TRUE;
  tune_stage_stop (stage);
  tune_pair_clear (&side->given);
  /* the next views have none */
  g_clear_pointer (&side->pair.truth, gst_sample_unref);
  g_signal_emit_by_name (stage->element, "reset-alignment");
  update_filters (side);
  tune_stage_start (stage);
  side->changing = FALSE;
}

void
tune_side_set_matcher (TuneSide * side, const gchar * factory)
{
  TuneStage **stage = &side->stages[TUNE_MATCHER_STAGE];
  g_autoptr (GstElement) old = gst_object_ref ((*stage)->element);
  const gboolean was_busy = (*stage)->busy;

  side->changing = TRUE;
  tune_stage_free (stage);
  make_stage (side, TUNE_MATCHER_STAGE, factory);
  tune_stage_stop (*stage);
  tune_properties_copy (old, (*stage)->element);
  copy_correction (old, (*stage)->element);
  update_filters (side);
  tune_stage_start (*stage);
  end_change (side, was_busy);
}

static TuneStage *
find_stage (TuneSide * side, const gchar * name)
{
  for (guint i = 0; i < TUNE_N_STAGES; i++) {
    if (strcmp (tune_side_elements[i], name) == 0)
      return side->stages[i];
  }
  return NULL;
}

void
tune_side_change (TuneSide * side, const gchar * name, gboolean live,
    void (*change) (GstElement * element, gpointer data), gpointer data)
{
  TuneStage *stage = find_stage (side, name);
  const gboolean was_busy = stage->busy;
  /* A map on its way there may have no camera after the change. */
  const gboolean waits = was_busy && stage == side->stages[TUNE_DEPTH_STAGE];

  if (live && stage->error == NULL && !waits) {
    change (stage->element, data);
    return;
  }
  side->changing = TRUE;
  tune_stage_stop (stage);
  change (stage->element, data);
  if (stage == side->stages[TUNE_MATCHER_STAGE])
    update_filters (side);
  tune_stage_start (stage);
  end_change (side, was_busy && stage == side->stages[TUNE_MATCHER_STAGE]);
}

GstElement *
tune_side_element (TuneSide * side, const gchar * name)
{
  TuneStage *stage = find_stage (side, name);

  return stage != NULL ? stage->element : NULL;
}

const gchar *
tune_side_matcher (TuneSide * side)
{
  return GST_OBJECT_NAME (gst_element_get_factory
      (side->stages[TUNE_MATCHER_STAGE]->element));
}

TuneSide *
tune_side_new (guint index, const gchar * factory, const gchar * weights,
    const TuneSideCallbacks * callbacks, gpointer data)
{
  TuneSide *side = g_new0 (TuneSide, 1);

  side->weights = weights;
  side->callbacks = *callbacks;
  side->data = data;
  side->index = index;
  side->since = g_get_monotonic_time ();
  for (guint i = 0; i < TUNE_N_STAGES; i++)
    make_stage (side, i, kinds[i].factory != NULL ? kinds[i].factory : factory);
  return side;
}

void
tune_side_free (TuneSide ** side)
{
  TuneSide *self = g_steal_pointer (side);

  if (self == NULL)
    return;
  for (guint i = 0; i < TUNE_N_STAGES; i++)
    tune_stage_free (&self->stages[i]);
  tune_pair_clear (&self->given);
  tune_pair_clear (&self->pair);
  g_clear_pointer (&self->map, gst_sample_unref);
  g_clear_pointer (&self->confidence, gst_sample_unref);
  g_free (self);
}

static gdouble
round_to_thousandth (gdouble value)
{
  return round (value * 1000) / 1000;
}

/* part: of the element, or NULL. */
static void
add_time (JsonArray * array, const gchar * element, const gchar * part,
    gdouble ms)
{
  g_autofree gchar *name = g_strjoin (" ", element, part, NULL);
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "name", name);
  json_object_set_double_member (object, "ms", round_to_thousandth (ms));
  json_array_add_object_element (array, object);
}

/* The stages of the matcher's last pair. */
static void
add_matcher_times (JsonArray * array, const gchar * matcher,
    const GstStructure * stats)
{
  g_autoptr (GstStructure) stages = NULL;
  guint64 ns;

  if (!gst_structure_get (stats, "stages", GST_TYPE_STRUCTURE, &stages, NULL))
    return;
  for (gint i = 0; i < gst_structure_n_fields (stages); i++) {
    const gchar *name = gst_structure_nth_field_name (stages, (guint) i);

    if (gst_structure_get_uint64 (stages, name, &ns))
      add_time (array, matcher, name, (gdouble) ns / GST_MSECOND);
  }
}

/* Images and pairs that the matcher has dropped. */
static gint64
count_dropped (const GstStructure * stats)
{
  static const gchar *const counters[] = { "dropped-left", "dropped-right",
    "qos-dropped", "superseded"
  };
  guint64 sum = 0, value;

  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    if (gst_structure_get_uint64 (stats, counters[i], &value))
      sum += value;
  }
  return (gint64) sum;
}

void
tune_side_add_speed (TuneSide * side, JsonObject * object)
{
  TuneStage *matcher = side->stages[TUNE_MATCHER_STAGE];
  const gint64 now = g_get_monotonic_time ();
  g_autoptr (GstStructure) stats = NULL;
  JsonArray *stages = json_array_new ();

  g_object_get (matcher->element, "stats", &stats, NULL);
  add_matcher_times (stages, tune_side_matcher (side), stats);
  for (guint i = TUNE_COLOR_STAGE; i < TUNE_N_STAGES; i++) {
    if (side->callbacks.is_wanted (kinds[i].shows, side->data)
        && side->stages[i]->time > 0)
      add_time (stages, kinds[i].factory, i == TUNE_DEPTH_COLOR_STAGE
          ? "(depth)" : NULL, side->stages[i]->time);
  }
  json_object_set_double_member (object, "fps", round_to_thousandth
      ((gdouble) side->n_maps * G_USEC_PER_SEC
          / (gdouble) MAX (now - side->since, 1)));
  json_object_set_double_member (object, "frame_ms",
      round_to_thousandth (matcher->time));
  json_object_set_array_member (object, "stages", stages);
  json_object_set_int_member (object, "dropped", count_dropped (stats));
  json_object_set_string_member (object, "device", matcher->device);
  side->n_maps = 0;
  side->since = now;
}
