/* gst-stereomatching: helpers of the element tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Test images are windows on one unlimited random texture T: the left view of
 * shift s shows T (x + s, y) at (x, y), so a left view of shift a and a right
 * view of shift b have a disparity of exactly b - a.
 *
 * In numbered images, left image i has shift -i and right image j has shift
 * N_NUMBERS * j.  Their disparity is N_NUMBERS * j + i, which identifies the
 * images of a map.
 */

#ifndef STEREO_CHECK_H
#define STEREO_CHECK_H

#include "backend.h"
#include "checkmain.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#define LEFT 0
#define RIGHT 1

/* A fast matcher with exact results on shifted images. */
#define VCBW "stereovcbw backend=cpu n-threads=1 radius=2 "

/* Numbered images: GRAY8, 40 ms each. */
#define N_NUMBERS 8
#define WIDTH 96
#define HEIGHT 4
#define FRAME (40 * GST_MSECOND)
#define CAPS \
    "video/x-raw, format=GRAY8, width=96, height=4, framerate=25/1"

/* ------------------------------------------------------------------- images */

/* The texture, 0 to 255. */
guint8 texture (gint x, gint y);

/* A view of the texture in grey, in any format of the elements, with
 * GstVideoInfo's default strides and offsets.  Alpha and row padding are
 * random.  In YUV formats Y is the texture, full range. */
GstBuffer *shifted_image (const GstCaps * caps, gint shift);

/* Writes an 8-bit sample of a component; further low bits are random. */
void put_sample (GstVideoFrame * frame, guint c, gint x, gint y, guint value);

/* The same in GRAY8, of any size. */
GstBuffer *gray_image (gint width, gint height, gint shift);

/* A numbered image, 0 to N_NUMBERS - 1, with timestamp and duration. */
GstBuffer *numbered_image (gint view, gint number);

/* ---------------------------------------------------------------- oracles */

/* The expected GRAY16_LE code of a disparity. */
guint expected_code (gint disparity, gint min, guint scale, guint invalid);

/* The expected GRAY8 code of a disparity, of n from 0 on. */
guint expected_code8 (guint disparity, guint n, guint invalid);

/* The code at (x, y) of a map with these caps. */
guint code_at (GstBuffer * map, const GstCaps * caps, gint x, gint y);

/* Fails unless columns x0 to x1 (exclusive) all have this code. */
void check_codes (GstBuffer * map, const GstCaps * caps, gint x0, gint x1,
    guint code);

/* Fails unless the map was made from numbered images l and r, with default
 * properties. */
void check_numbers (GstBuffer * map, gint l, gint r);

/* The GstStereoDisparityMeta of a map; fails if it is missing. */
const GstStructure *disparity_meta_of (GstBuffer * map);

/* --------------------------------------------------------------------- rig */

/* An element with a test source on each sink pad and a test sink on its source
 * pad. */
typedef struct
{
  GstElement *element;
  GstBus *bus;
  GList *messages;              /* popped from the bus, not requested yet */
  GstHarness *view[2];          /* view[LEFT] also has the source pad */
} Rig;

/* Creates an element and starts it, with pairs=every unless launch sets it. */
void rig_open (Rig * rig, const gchar * launch);
/* rig_open(), then rig_caps() for both views. */
void rig_open_with_caps (Rig * rig, const gchar * launch, const gchar * left,
    const gchar * right);
/* Stops and releases the element; fails if it is still referenced. */
void rig_close (Rig * rig);

/* Sends stream-start, caps and a time segment from 0 to a pad. */
void rig_caps (Rig * rig, gint view, const gchar * caps);
/* Sends only caps. */
gboolean rig_push_caps (Rig * rig, gint view, const gchar * caps);
/* Pushes one image; fails unless the flow is OK. */
void rig_push (Rig * rig, gint view, GstBuffer * buffer);
/* Pushes an event to both views.  Takes event. */
void rig_push_event (Rig * rig, GstEvent * event);
/* Pushes one pair and returns its map. */
GstBuffer *rig_match (Rig * rig, GstBuffer * left, GstBuffer * right);
/* Matches a numbered pair; fails unless the map was made from it. */
void rig_check_pair (Rig * rig, gint number);
/* The caps of the source pad. */
GstCaps *rig_output_caps (Rig * rig);
/* Waits until a pad of a matcher holds an image, so that the next one
 * blocks. */
void wait_for_image (GstElement * matcher, gint view);
/* A counter of the `stats` property. */
guint64 rig_stat (Rig * rig, const gchar * name);

/* The next message of these types, or NULL after timeout.  Owned by the
 * caller. */
GstMessage *rig_message (Rig * rig, GstMessageType types,
    GstClockTime timeout);
/* The error of a message of type ERROR or WARNING, for g_error_free().  Takes
 * message. */
GError *take_error (GstMessage * message);
/* Fails unless an error with this domain and code is posted, whose text
 * contains all given strings.  Ends with NULL. */
void rig_expect_error (Rig * rig, GQuark domain, gint code, ...)
    G_GNUC_NULL_TERMINATED;
/* The same for a warning, which must have been posted before. */
void rig_expect_warning (Rig * rig, GQuark domain, gint code, ...)
    G_GNUC_NULL_TERMINATED;
/* Fails if an error or a warning was posted. */
void rig_expect_no_error (Rig * rig);
/* Removes the messages of this type posted so far and returns their number. */
guint rig_count_messages (Rig * rig, GstMessageType type);

/* ----------------------------------------------------------------- scripts */

/* What a source pushes: buffers and events in order, owned. */
typedef GPtrArray Script;

Script *script_new (void);
void script_buffer (Script * script, GstBuffer * buffer);
void script_event (Script * script, GstEvent * event);
/* Adds numbered images; ends with -1. */
void script_numbers (Script * script, gint view, ...);

/* Pushes each script in its own thread, then EOS.  Takes ownership of the
 * scripts and returns the maps, owned.  A view without a script gets only
 * EOS. */
GPtrArray *rig_run (Rig * rig, Script * left, Script * right);

/* Pushes a script in its own thread. */
typedef struct Feeder Feeder;
Feeder *feeder_new (Rig * rig, gint view, Script * script);
/* Waits until the first n items of the script were accepted. */
void feeder_wait (Feeder * feeder, gint n);
/* Waits for the thread; returns the flow of the last buffer. */
GstFlowReturn feeder_join (Feeder * feeder);

/* Waits for an event of this type downstream.  Owned by the caller. */
GstEvent *wait_event (GstHarness * h, GstEventType type);
GstEvent *rig_wait_event (Rig * rig, GstEventType type);

/* --------------------------------------------------------------- pipelines */

/* Creates a pipeline from a gst-launch-1.0 line; fails on errors. */
GstElement *pipeline_new (const gchar * line, ...) G_GNUC_PRINTF (1, 2);
/* Calls on_buffer for each buffer at the sink of this name. */
void pipeline_watch (GstElement * pipeline, const gchar * sink,
    GCallback on_buffer, gpointer user_data);
/* Waits for a message; fails if an error is posted first. */
void pipeline_wait (GstElement * pipeline, GstMessageType type);
/* Waits for an error and returns it and its source.  Owned by the caller. */
GError *pipeline_wait_error (GstElement * pipeline, GstObject ** source);
/* Fails unless the state change succeeds synchronously. */
void set_state (GstElement * element, GstState state);
/* Stops and releases the pipeline; fails if it is still referenced. */
void pipeline_free (GstElement * pipeline);

/* -------------------------------------------------------------- allocation */

/* Number of padding columns per row. */
#define PADDING_COLUMNS 110

/* Answers allocation queries at a pad with a pool whose frames are padded on
 * all sides and filled with 0xa5. */
void propose_padding (GstPad * sink);

/* Names of the plugin's elements, and of its matchers; NULL-terminated. */
gchar **plugin_elements (void);
gchar **matchers (void);

#endif /* STEREO_CHECK_H */
