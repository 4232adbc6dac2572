/* gst-stereomatching: an element for fuzzing, and what is around it
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The plugin is in the program.  Its elements come from the registry: all of
 * them, also those that come later.  An element stands alone in a pipeline, and
 * all its pads are linked to pads of the host.
 *
 * What ends the process: whatever a sanitizer finds; a critical warning of any
 * library; an error in flow without an error message; an error message that
 * says nothing; a buffer from the element whose video frame can't be mapped or
 * read; anything that does not return (libFuzzer's time limit).
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
  GstPad *pad;                  /* NULL: free */
  GstPad *peer;                 /* the element's */
  gboolean requested;
  GThread *thread;              /* of a source pad, gives what it is told */
  GAsyncQueue *jobs;
} FuzzPad;

struct FuzzHost
{
  GstElement *pipeline;
  GstElement *element;
  GMutex lock;                  /* of the pads, which may come at any time */
  FuzzPad sources[FUZZ_MAX_PADS];
  FuzzPad sinks[FUZZ_MAX_PADS];
  gint n_failed;                /* pushes that ended with an error */
  gint n_buffers;               /* from the element */
  gint flow;                    /* what sinks return from then on */
  gint last_buffer;             /* from this one on; 0: never */
  gboolean offers_meta;         /* whether sinks take a video meta */
};

/* The element whose number the next byte is, in a pipeline of its own, with
 * threads and pads. */
FuzzHost *fuzz_host_new (FuzzInput * input);

/* Stops everything, looks at the messages, and frees it. */
void fuzz_host_free (FuzzHost * host);

/* Requests a pad by the template of this number, and links it. */
void fuzz_host_request (FuzzHost * host, unsigned number);

/* Releases the request pad that is the number-th of its kind. */
void fuzz_host_release (FuzzHost * host, unsigned number);

/* Gives a buffer, a serialized event or query to the thread of a source pad,
 * which it then belongs to.  Waits for the time that it usually takes. */
void fuzz_pad_give (FuzzPad * pad, gpointer object);

/* Caps of the pad's template: small, of a format that it takes. */
GstCaps *fuzz_pad_caps (FuzzPad * pad, FuzzInput * input);

/* The element's pads as a list; wraps around, and NULL when there are none. */
FuzzPad *fuzz_host_source (FuzzHost * host, unsigned number);
FuzzPad *fuzz_host_sink (FuzzHost * host, unsigned number);

/* What comes before data. */
void fuzz_pad_start (FuzzPad * pad, GstCaps * caps);

/* A whole and right frame of the caps, without a time; of a very large one only
 * the beginning. */
GstBuffer *fuzz_frame (GstCaps * caps);

#endif /* FUZZ_HOST_H */
