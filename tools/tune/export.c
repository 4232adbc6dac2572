/* gst-stereomatching: files to download
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "export.h"

#include "elements.h"

#include <math.h>
#include <string.h>

/* Files that are encoded at a time. */
#define MAX_JOBS 4

#define PICTURE "videoconvert ! pngenc"
#define DEPTH "disparitydepth name=geometry ! videoconvert ! " \
    "video/x-raw,format=GRAY16_BE ! pngenc"
#define POINTS "disparitycloud name=geometry"

struct TuneExports
{
  TuneSession *session;
  GPtrArray *jobs;              /* Job */
};

/* A paused request, until it is answered or the client disconnects. */
typedef struct
{
  TuneExports *exports;
  SoupServerMessage *message;
  TuneStage *stage;
} Job;

static void
free_job (gpointer data)
{
  Job *job = data;

  g_signal_handlers_disconnect_by_data (job->message, job);
  tune_stage_free (&job->stage);
  g_object_unref (job->message);
  g_free (job);
}

static void
request_finished (SoupServerMessage * message, gpointer data)
{
  Job *job = data;

  (void) message;
  g_ptr_array_remove_fast (job->exports->jobs, job);
}

/* Takes bytes. */
static void
respond (SoupServerMessage * message, gpointer bytes, gsize size)
{
  soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
  soup_server_message_set_response (message, "application/octet-stream",
      SOUP_MEMORY_TAKE, bytes, size);
}

static void
stage_done (TuneStage * stage, GstSample ** outputs, gpointer data)
{
  Job *job = data;
  gpointer bytes;
  gsize size;

  (void) stage;
  if (outputs != NULL) {
    gst_buffer_extract_dup (gst_sample_get_buffer (outputs[0]), 0, G_MAXSIZE,
        &bytes, &size);
    respond (job->message, bytes, size);
  } else {
    soup_server_message_set_status (job->message,
        SOUP_STATUS_INTERNAL_SERVER_ERROR, NULL);
  }
  soup_server_message_unpause (job->message);
}

/* The element of a description, with the depth settings of the side. */
static GstElement *
make_element (TuneSide * side, const gchar * description)
{
  GstElement *element = gst_parse_bin_from_description_full (description, TRUE,
      NULL, GST_PARSE_FLAG_FATAL_ERRORS | GST_PARSE_FLAG_NO_SINGLE_ELEMENT_BINS,
      NULL);
  g_autoptr (GstElement) geometry = NULL;

  if (element != NULL && GST_IS_BIN (element))
    geometry = gst_bin_get_by_name (GST_BIN (element), "geometry");
  else if (element != NULL)
    geometry = gst_object_ref (element);
  if (geometry != NULL)
    tune_properties_copy (tune_side_element (side, "depth"), geometry);
  return element;
}

/* Answers when the element has processed the inputs. */
static const gchar *
start_job (TuneExports * exports, SoupServerMessage * message,
    TuneSide * side, const gchar * description, GstSample * const *inputs)
{
  static const TuneStageCallbacks callbacks = {.done = stage_done };
  static const gchar *const map_pads[] = { "sink_disparity", "sink_left",
    NULL
  };
  static const gchar *const frame_pads[] = { "sink", NULL };
  static const gchar *const outputs[] = { "src", NULL };
  GstElement *element = make_element (side, description);
  Job *job;

  if (element == NULL)
    return "This needs GStreamer's good plugins (pngenc).\n";
  job = g_new0 (Job, 1);
  job->exports = exports;
  job->message = g_object_ref (message);
  job->stage = tune_stage_new (element, GST_IS_BIN (element) ? frame_pads
      : map_pads, outputs, NULL, &callbacks, job);
  g_ptr_array_add (exports->jobs, job);
  g_signal_connect (message, "finished", G_CALLBACK (request_finished), job);
  soup_server_message_pause (message);
  tune_stage_push (job->stage, inputs);
  return NULL;
}

/* PFM has its last row first. */
static const gchar *
serve_disparities (SoupServerMessage * message, GstSample * sample)
{
  g_autofree gfloat *found = NULL;
  TuneMap map;
  gchar *bytes, *to;
  gsize n;

  if (!tune_map_open (&map, sample))
    return "The map has no metadata.\n";
  n = (gsize) map.width * (gsize) map.height;
  found = g_new (gfloat, n);
  tune_map_read (&map, found);
  bytes = g_malloc (64 + 4 * n);
  to = bytes + g_snprintf (bytes, 64, "Pf\n%d %d\n%s\n", map.width, map.height,
      G_BYTE_ORDER == G_LITTLE_ENDIAN ? "-1.0" : "1.0");
  for (gsize i = 0; i < n; i++)
    found[i] = isnan (found[i]) ? INFINITY : found[i];
  for (gint y = map.height - 1; y >= 0; y--, to += 4 * (gsize) map.width)
    memcpy (to, found + (gsize) y * (gsize) map.width, 4 * (gsize) map.width);
  tune_map_close (&map);
  respond (message, bytes, (gsize) (to - bytes));
  return NULL;
}

static const gchar *
serve_correction (SoupServerMessage * message, TuneSide * side)
{
  gchar *file = tune_alignment_file (tune_side_element (side, "matcher"));

  if (file == NULL)
    return "There is no correction: rows match, or cannot be measured.\n";
  respond (message, file, strlen (file));
  return NULL;
}

static const gchar *
serve_view (TuneExports * exports, SoupServerMessage * message,
    TuneSide * side, const gchar * name)
{
  for (TuneView view = 0; view < TUNE_N_VIEWS; view++) {
    const gsize length = strlen (tune_views[view].id);
    GstSample *sample = tune_pictures_sample (exports->session->pictures,
        (TuneSlot) { view, side->index });

    if (strncmp (name, tune_views[view].id, length) == 0
        && strcmp (name + length, ".png") == 0)
      return sample == NULL ? "No page shows this view.\n"
          : start_job (exports, message, side, PICTURE, &sample);
  }
  return "No such file.\n";
}

static const gchar *
serve_file (TuneExports * exports, SoupServerMessage * message,
    TuneSide * side, const gchar * name)
{
  GstSample *inputs[TUNE_STAGE_PADS] = { side->map, side->pair.left };
  const gboolean depth = strcmp (name, "depth16.png") == 0;
  gdouble camera[3];

  if (side->map == NULL)
    return "There is no map yet.\n";
  if (strcmp (name, TUNE_CORRECTION_FILE) == 0)
    return serve_correction (message, side);
  if (strcmp (name, "disparity.pfm") == 0)
    return serve_disparities (message, side->map);
  if (!depth && strcmp (name, "points.ply") != 0)
    return serve_view (exports, message, side, name);
  if (!tune_side_camera (side, camera))
    return "Set the focal length and the baseline for depth and points.\n";
  return start_job (exports, message, side, depth ? DEPTH : POINTS, inputs);
}

const gchar *
tune_exports_serve (TuneExports * exports, SoupServerMessage * message,
    const gchar * name, guint * status)
{
  const guint index = name[0] == 'b';
  TuneSide *side = exports->session->sides[index];
  g_autofree gchar *disposition = NULL;
  const gchar *why = "No such file.\n";

  *status = SOUP_STATUS_NOT_FOUND;
  if (side == NULL || name[0] != "ab"[index] || name[1] != '/')
    return why;
  if (exports->jobs->len >= MAX_JOBS) {
    *status = SOUP_STATUS_SERVICE_UNAVAILABLE;
    return "Too many downloads at a time.\n";
  }
  why = serve_file (exports, message, side, name + 2);
  if (why != NULL)
    return why;
  /* a name that is known by now */
  disposition = g_strdup_printf ("attachment; filename=\"%c-%s\"", name[0],
      name + 2);
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Content-Disposition", disposition);
  return NULL;
}

TuneExports *
tune_exports_new (TuneSession * session)
{
  TuneExports *exports = g_new0 (TuneExports, 1);

  exports->session = session;
  exports->jobs = g_ptr_array_new_with_free_func (free_job);
  return exports;
}

void
tune_exports_free (TuneExports ** exports)
{
  if (*exports == NULL)
    return;
  g_ptr_array_unref ((*exports)->jobs);
  g_clear_pointer (exports, g_free);
}
