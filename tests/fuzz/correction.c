/* gst-stereomatching: fuzzing of corrections and their events
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The input is a correction as text, as the property `correction` has it, and
 * lines that describe the fields of an event:
 *
 *   u serial 7
 *   s view left
 *   s correction width=64:height=48:...
 *
 * with the type (u = uint, i = int, d = double, s = string), name and value.
 * A valid correction is formatted, applied to points and written as a
 * calibration file, which has to be accepted.  `stereorectify` gets the event,
 * and its next buffer has to be marked with the correction of a valid one.
 */

#include "base/gststereocorrection.h"
#include "elements/rectify/gststereocalibration.h"
#include "geometry/align.h"
#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 128            /* of a frame */
#define DEFAULT_WIDTH 48
#define DEFAULT_HEIGHT 32

static void
require (gboolean good, const gchar * what)
{
  if (good)
    return;
  g_printerr ("%s\n", what);
  abort ();
}

/* -------------------------------------------------------------- correction */

static void
check_format (const StereoCorrection * c)
{
  gchar text[STEREO_CORRECTION_TEXT_SIZE];
  StereoMessage why = { "" };
  StereoCorrection again;

  stereo_correction_format (c, text);
  require (strlen (text) + 1 < sizeof (text), "a correction is too long");
  require (stereo_correction_parse (text, &again, &why) == STEREO_OK,
      "a formatted correction is invalid");
  require (gst_stereo_correction_equal (c, &again),
      "a formatted correction is another one");
}

static void
check_file (const StereoCorrection * c)
{
  gchar text[STEREO_CORRECTION_FILE_SIZE];
  StereoCalibration calibration = {.unit = 1 };
  StereoMessage why = { "" };

  stereo_correction_format_opencv (c, text);
  require (strlen (text) + 1 < sizeof (text), "a file is too long");
  if (!gst_stereo_calibration_add (&calibration, "file", text, strlen (text),
          1, c->width, c->height, &why))
    require (FALSE, why.text);
}

static void
check_positions (const StereoCorrection * c)
{
  StereoGridNode *nodes;

  for (int p = 0; p < 10; p++) {
    double x = NAN, y = NAN;

    stereo_correction_source (c, p % 2, p / 2 % 2 * c->width, p / 4
        * c->height / 2, &x, &y);
    require (!isnan (x) && !isnan (y), "a position is NAN");
  }
  if (c->width > MAX_SIZE || c->height > MAX_SIZE)
    return;
  nodes = g_new (StereoGridNode, stereo_grid_nodes (c->width)
      * stereo_grid_nodes (c->height));
  for (int view = 0; view < 2; view++)
    stereo_correction_grid (c, view, NULL, nodes);
  g_free (nodes);
}

/* A state that begins with the correction, and sees an empty pair. */
static void
check_state (const StereoCorrection * c)
{
  StereoAlignment *alignment = NULL;
  StereoCorrection found;
  StereoMessage why = { "" };

  require (stereo_alignment_new (&alignment, &why) == STEREO_OK, why.text);
  require (stereo_alignment_set_correction (alignment, c, &why) == STEREO_OK,
      "a parsed correction is refused");
  stereo_alignment_get_correction (alignment, &found);
  require (gst_stereo_correction_equal (c, &found), "another correction");
  require (stereo_alignment_add (alignment, c->width, c->height, NULL, 0, c,
          NAN, &why) == STEREO_OK, why.text);
  stereo_alignment_free (&alignment);
}

static void
try_text (const gchar * text)
{
  StereoMessage why = { "" };
  StereoCorrection c;

  if (stereo_correction_parse (text, &c, &why) != STEREO_OK) {
    require (why.text[0] != '\0', "no reason");
    return;
  }
  check_format (&c);
  check_file (&c);
  check_positions (&c);
  check_state (&c);
}

/* ------------------------------------------------------------------- event */

static void
set_field (GstStructure * s, gchar type, const gchar * name,
    const gchar * value)
{
  switch (type) {
    case 'u':
      gst_structure_set (s, name, G_TYPE_UINT,
          (guint) g_ascii_strtoull (value, NULL, 10), NULL);
      break;
    case 'i':
      gst_structure_set (s, name, G_TYPE_INT,
          (gint) g_ascii_strtoll (value, NULL, 10), NULL);
      break;
    case 'd':
      gst_structure_set (s, name, G_TYPE_DOUBLE, g_ascii_strtod (value, NULL),
          NULL);
      break;
    case 's':
      gst_structure_set (s, name, G_TYPE_STRING, value, NULL);
  }
}

static GstEvent *
make_event (const gchar * text)
{
  static const gchar *const names[] = { "serial", "view", "correction" };
  GstStructure *s = gst_structure_new_empty (GST_STEREO_CORRECTION_EVENT);
  gchar **lines = g_strsplit (text, "\n", -1);

  for (gchar ** line = lines; *line != NULL; line++) {
    gchar **words = g_strsplit (*line, " ", 3);

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
      if (g_strv_length (words) == 3 && g_str_equal (words[1], names[i]))
        set_field (s, words[0][0], names[i], words[2]);
    }
    g_strfreev (words);
  }
  g_strfreev (lines);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s);
}

/* Whether the event is valid. */
static gboolean
parse_event (GstEvent * event, GstStereoCorrectionRequest * request)
{
  GstStereoCorrectionRequest again;
  StereoMessage why = { "" };
  GstEvent *copy;

  require (gst_stereo_correction_event_check (event), "not an event");
  if (!gst_stereo_correction_event_parse (event, request, &why)) {
    require (why.text[0] != '\0', "no reason");
    return FALSE;
  }
  copy = gst_stereo_correction_event_new (request);
  require (gst_stereo_correction_event_parse (copy, &again, &why)
      && again.is_right == request->is_right
      && again.correction.serial == request->correction.serial
      && gst_stereo_correction_equal (&again.correction,
          &request->correction), "a copy of an event is another one");
  gst_event_unref (copy);
  return TRUE;
}

/* ----------------------------------------------------------- stereorectify */

typedef struct
{
  GstElement *element;
  GstPad *from;                 /* linked to its sink pad */
  GstPad *to;                   /* linked to its source pad */
  gint width, height;
  GstBuffer *received;
} Rectifier;

static GstFlowReturn
receive (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  Rectifier *self = gst_pad_get_element_private (pad);

  (void) parent;
  gst_buffer_replace (&self->received, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
link_pad (Rectifier * self, GstPad * pad, const gchar * name)
{
  GstPad *peer = gst_element_get_static_pad (self->element, name);

  gst_pad_set_element_private (pad, self);
  gst_pad_set_active (pad, TRUE);
  require (GST_PAD_LINK_SUCCESSFUL (GST_PAD_IS_SRC (pad)
          ? gst_pad_link (pad, peer) : gst_pad_link (peer, pad)),
      "cannot link");
  gst_object_unref (peer);
}

static void
rectifier_start (Rectifier * self)
{
  GstSegment segment;
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "GRAY8", "width", G_TYPE_INT, self->width, "height", G_TYPE_INT,
      self->height, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);

  self->element = gst_element_factory_make ("stereorectify", NULL);
  gst_object_ref_sink (self->element);
  self->from = gst_object_ref_sink (gst_pad_new ("from", GST_PAD_SRC));
  self->to = gst_object_ref_sink (gst_pad_new ("to", GST_PAD_SINK));
  gst_pad_set_chain_function (self->to, receive);
  link_pad (self, self->to, "src");
  gst_element_set_state (self->element, GST_STATE_PLAYING);
  link_pad (self, self->from, "sink");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->from, gst_event_new_stream_start ("fuzz"));
  gst_pad_push_event (self->from, gst_event_new_caps (caps));
  gst_pad_push_event (self->from, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
rectifier_push (Rectifier * self)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      (gsize) GST_ROUND_UP_4 (self->width) * (gsize) self->height, NULL);

  gst_buffer_memset (buffer, 0, 99, gst_buffer_get_size (buffer));
  GST_BUFFER_PTS (buffer) = 0;
  require (gst_pad_push (self->from, buffer) == GST_FLOW_OK
      && self->received != NULL, "no buffer");
}

static void
rectifier_stop (Rectifier * self)
{
  gst_pad_set_active (self->from, FALSE);
  gst_element_set_state (self->element, GST_STATE_NULL);
  gst_pad_set_active (self->to, FALSE);
  gst_clear_buffer (&self->received);
  gst_object_unref (self->element);
  gst_object_unref (self->from);
  gst_object_unref (self->to);
}

static void
try_event (const gchar * text)
{
  GstEvent *event = make_event (text);
  GstStereoCorrectionRequest request;
  StereoCorrection found;
  Rectifier rectifier = {.width = DEFAULT_WIDTH,.height = DEFAULT_HEIGHT };
  const gboolean valid = parse_event (event, &request);
  gboolean fits = FALSE;

  if (valid && request.correction.width <= MAX_SIZE
      && request.correction.height <= MAX_SIZE) {
    /* without a correction, buffers pass through */
    fits = !gst_stereo_correction_is_identity (&request.correction);
    rectifier.width = request.correction.width;
    rectifier.height = request.correction.height;
  }
  rectifier_start (&rectifier);
  rectifier_push (&rectifier);
  require (gst_pad_push_event (rectifier.to, event) == valid,
      valid ? "a valid event is refused" : "an invalid event is taken");
  rectifier_push (&rectifier);
  require (gst_stereo_correction_of_buffer (rectifier.received, &found)
      == fits, "a buffer has another correction");
  require (!fits || (found.serial == request.correction.serial
          && gst_stereo_correction_equal (&found, &request.correction)),
      "a buffer has a different correction");
  rectifier_stop (&rectifier);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  gchar *bytes = g_strndup ((const gchar *) data, size);
  gchar *text = g_utf8_make_valid (bytes, -1);

  fuzz_start ();
  try_text (bytes);
  try_event (text);
  g_free (text);
  g_free (bytes);
  return 0;
}
