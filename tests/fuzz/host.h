/* gst-stereomatching: host of an element under fuzzing
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The plugin is linked statically; the elements come from its registry.  An
 * element is alone in a pipeline, and all its pads are linked to pads of the
 * host.
 *
 * The process ends on a sanitizer finding, a critical warning of any library, a
 * flow error without an error message, an empty error message, a buffer whose
 * video frame cannot be mapped or read, and a hang (libFuzzer's time limit).
 */

#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include "fuzz.h"

#include <gst/gst.h>
#include <gst/video/video.h>

#define FUZZ_MAX_PADS 6

typedef struct FuzzHost FuzzHost;

/* A pad linked to one of the element's. */
typedef struct
{
  FuzzHost *host;
  GstPad *pad;                  /* NULL = unused */
  GstPad *peer;                 /* the element's */
  gboolean requested;
  GThread *thread;              /* of a source pad; runs the jobs */
  GAsyncQueue *jobs;
} FuzzPad;

struct FuzzHost
{
  GstElement *pipeline;
  GstElement *element;
  GMutex lock;                  /* pads may appear at any time */
  FuzzPad sources[FUZZ_MAX_PADS];
  FuzzPad sinks[FUZZ_MAX_PADS];
  gint n_failed;                /* pushes that ended with an error */
  gint n_buffers;               /* from the element */
  gint flow;                    /* what sinks return from then on */
  gint last_buffer;             /* from this number on; 0 = never */
  gboolean offers_meta;         /* whether sinks support GstVideoMeta */
};

/* Initializes GStreamer and registers the elements, once. */
void fuzz_start (void);

/* Creates the element that the next byte selects, with pads and threads, in a
 * pipeline of its own. */
FuzzHost *fuzz_host_new (FuzzInput * input);

/* Stops the pipeline, checks its messages and frees it. */
void fuzz_host_free (FuzzHost * host);

/* Requests a pad from the template of this index, and links it. */
void fuzz_host_request (FuzzHost * host, unsigned number);

/* Releases the request pad of this index. */
void fuzz_host_release (FuzzHost * host, unsigned number);

/* Queues a buffer, serialized event or query for the thread of a source pad,
 * which takes ownership.  Waits as long as it usually takes. */
void fuzz_pad_give (FuzzPad * pad, gpointer object);

/* Caps of a small frame that the pad template accepts. */
GstCaps *fuzz_pad_caps (FuzzPad * pad, FuzzInput * input);

/* A pad of the element by index, modulo their number; NULL if there is none. */
FuzzPad *fuzz_host_source (FuzzHost * host, unsigned number);
FuzzPad *fuzz_host_sink (FuzzHost * host, unsigned number);

/* Sets any writable property to one of a few values of its type. */
void fuzz_set_property (GstElement * element, FuzzInput * input);

/* Returns whether a message is an error, which must have a text. */
gboolean fuzz_check_message (GstMessage * message);

/* Events before the first buffer. */
void fuzz_pad_start (FuzzPad * pad, GstCaps * caps);

/* A valid frame of the caps without a timestamp; only the beginning of a very
 * large one. */
GstBuffer *fuzz_frame (GstCaps * caps);

#endif /* FUZZ_HOST_H */
