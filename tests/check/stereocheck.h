/* gst-stereomatching: what the element tests share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Images.  All are windows on one endless random texture T: the left view of
 * shift s shows T (x + s, y) at (x, y), so a left view of shift a and a right
 * view of shift b have the disparity b - a, exactly.
 *
 * A numbered image goes further: the left image i has the shift -i and the
 * right image j the shift N_NUMBERS * j.  The disparity of the two is then
 * N_NUMBERS * j + i, which tells what a map was made from.
 */

#ifndef STEREO_CHECK_H
#define STEREO_CHECK_H

#include "backend.h"
#include "checkmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#define LEFT 0
#define RIGHT 1

/* An element that is quick and gives exact results on shifted images. */
#define VCBW "stereovcbw backend=cpu n-threads=1 radius=2 "

/* Numbered images: GRAY8, 40 ms each. */
#define N_NUMBERS 8
#define WIDTH 96
#define HEIGHT 4
#define FRAME (40 * GST_MSECOND)
#define CAPS \
    "video/x-raw, format=GRAY8, width=96, height=4, framerate=25/1"

/* How long anything may take that is expected to happen. */
#define PATIENCE (20 * GST_SECOND)

/* ------------------------------------------------------------------- images */

/* The texture, 0 to 255. */
guint8 texture (gint x, gint y);

/* A view in any format that the elements take: the texture, as grey.  Alpha is
 * noise, and so is what lies between rows.  Rows and planes lie as GstVideoInfo
 * has them.  In YUV the texture is Y, from 0 to 255. */
GstBuffer *shifted_image (const GstCaps * caps, gint shift);

/* Writes a sample of 8 bits of a component, with noise below it where there are
 * more. */
void put_sample (GstVideoFrame * frame, guint c, gint x, gint y, guint value);

/* GRAY8 of any size. */
GstBuffer *gray_image (gint width, gint height, gint shift);

/* Number 0 to N_NUMBERS - 1, with its timestamp and duration. */
GstBuffer *numbered_image (gint view, gint number);

/* ---------------------------------------------------------------- oracles */

/* The code that a disparity must have in GRAY16_LE. */
guint expected_code (gint disparity, gint min, guint scale, guint invalid);

/* The same in GRAY8. */
guint expected_code8 (gint disparity, gint min, guint n, guint invalid);

/* The code at (x, y) of a map with these caps. */
guint code_at (GstBuffer * map, const GstCaps * caps, gint x, gint y);

/* Fails unless columns from x0 to x1 (not included) all have this code. */
void check_codes (GstBuffer * map, const GstCaps * caps, gint x0, gint x1,
    guint code);

/* Fails unless the map was made from the left image l and the right image r,
 * both numbered, with default properties. */
void check_numbers (GstBuffer * map, gint l, gint r);

/* Its GstStereoDisparityMeta, which it must have. */
const GstStructure *disparity_meta_of (GstBuffer * map);

/* --------------------------------------------------------------------- rig */

/* An element with a source at each sink pad and a sink at its source pad. */
typedef struct
{
  GstElement *element;
  GstBus *bus;
  GList *messages;              /* taken from the bus, not asked for yet */
  GstHarness *view[2];          /* the left one has the source pad too */
} Rig;

/* Plays.  Matches every pair unless launch has something else. */
void rig_open (Rig * rig, const gchar * launch);
/* The same, with caps for both views. */
void rig_open_with_caps (Rig * rig, const gchar * launch, const gchar * left,
    const gchar * right);
/* Stops and releases; fails if anything of the element is still there. */
void rig_close (Rig * rig);

/* Stream start, caps and a time segment from 0, on one pad. */
void rig_caps (Rig * rig, gint view, const gchar * caps);
/* Caps alone. */
gboolean rig_push_caps (Rig * rig, gint view, const gchar * caps);
/* Pushes one image; fails unless that works. */
void rig_push (Rig * rig, gint view, GstBuffer * buffer);
/* One pair in, one map out. */
GstBuffer *rig_match (Rig * rig, GstBuffer * left, GstBuffer * right);
/* Matches a numbered pair, and fails unless the map was made from it. */
void rig_check_pair (Rig * rig, gint number);
/* The caps of the output. */
GstCaps *rig_output_caps (Rig * rig);
/* Waits until an image lies at a pad of a matcher: the next one has its source
 * wait. */
void wait_for_image (GstElement * matcher, gint view);
/* The value of one of the counters in `stats`. */
guint64 rig_stat (Rig * rig, const gchar * name);

/* The next message of these types, or NULL.  Owned. */
GstMessage *rig_message (Rig * rig, GstMessageType types,
    GstClockTime timeout);
/* Fails unless one error with this code of its domain is posted, with all these
 * words in its text.  Ends with NULL. */
void rig_expect_error (Rig * rig, GQuark domain, gint code, ...)
    G_GNUC_NULL_TERMINATED;
/* Fails if an error was posted, or a warning. */
void rig_expect_no_error (Rig * rig);
/* Messages of this type that were posted until now, and forgets them. */
guint rig_count_messages (Rig * rig, GstMessageType type);

/* ----------------------------------------------------------------- scripts */

/* What a source does: buffers and events, in order, owned. */
typedef GPtrArray Script;

Script *script_new (void);
void script_buffer (Script * script, GstBuffer * buffer);
void script_event (Script * script, GstEvent * event);
/* Numbered images; ends with -1. */
void script_numbers (Script * script, gint view, ...);

/* Both scripts in threads of their own, then EOS.  Takes the scripts; gives the
 * maps, which are owned.  Without a script a view ends at once. */
GPtrArray *rig_run (Rig * rig, Script * left, Script * right);

/* A script in a thread. */
typedef struct Feeder Feeder;
Feeder *feeder_new (Rig * rig, gint view, Script * script);
/* Waits until the first n buffers and events of the script were taken. */
void feeder_wait (Feeder * feeder, gint n);
/* Waits for the thread; the last result of pushing a buffer. */
GstFlowReturn feeder_join (Feeder * feeder);

/* Waits for an event of this type downstream.  Owned. */
GstEvent *wait_event (GstHarness * h, GstEventType type);
GstEvent *rig_wait_event (Rig * rig, GstEventType type);

/* --------------------------------------------------------------- pipelines */

/* Fails unless the line, as for gst-launch-1.0, makes a pipeline. */
GstElement *pipeline_new (const gchar * line, ...) G_GNUC_PRINTF (1, 2);
/* Calls back for each buffer that comes to the sink of this name. */
void pipeline_watch (GstElement * pipeline, const gchar * sink,
    GCallback on_buffer, gpointer user_data);
/* Waits for a message; fails if there is an error before it. */
void pipeline_wait (GstElement * pipeline, GstMessageType type);
/* Waits for an error and says where it comes from and what it says; owned. */
GError *pipeline_wait_error (GstElement * pipeline, GstObject ** source);
/* Fails unless the change is through at once. */
void set_state (GstElement * element, GstState state);
/* Stops and releases; fails if anything of it is still there. */
void pipeline_free (GstElement * pipeline);

/* -------------------------------------------------------------- allocation */

/* What a row of a padded frame has besides its pixels. */
#define PADDING_COLUMNS 110

/* Answers the queries for allocation that come to a pad with a pool of frames
 * that are padded on all sides, and all of whose bytes are 0xa5. */
void propose_padding (GstPad * sink);

/* The elements of the plugin, and those that are matchers: names, ends with
 * NULL. */
gchar **plugin_elements (void);
gchar **matchers (void);

#endif /* STEREO_CHECK_H */
