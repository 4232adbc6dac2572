/* gst-stereomatching: what an operation is
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * op.h: something that a device makes of images: a map of two views, a picture
 * of a map.
 *
 * An operation is a table: its parameters, what comes in and goes out by name,
 * plan() and run().  plan() looks at formats, sizes and parameters and says
 * which buffers it needs; run() is one frame, and calls stages.  It knows
 * nothing of where images come from, of copies, of events and of frames under
 * way: that is the runner's part (runner.h), and the same for all.
 */

#ifndef STEREO_OP_H
#define STEREO_OP_H

#include "core/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Images that a frame has at most, of each direction. */
#define STEREO_MAX_PORTS 4

/* A set of formats is a bit for each. */
#define STEREO_FORMAT_BIT(format) (UINT32_C (1) << (format))

/* An image that comes in or goes out. */
typedef struct
{
  const char *name;             /* "left": for messages */
  uint32_t formats;             /* that it may have */
  bool optional;                /* a frame may be without it */
  /* Each frame's image says which of the formats it has; the configured one has
   * the largest pixels of them. */
  bool any_format;
  int max_width;                /* 0: STEREO_MAX_SIZE */
} StereoPort;

/* What an operation is configured for at a port. */
typedef struct
{
  StereoFormat format;
  int width;                    /* 1 to what the port has */
  int height;                   /* 1 to STEREO_MAX_SIZE */
  int n_planes;                 /* that are read or written, the first ones */
} StereoPortSetup;

/* That of images like this one, whose colour is read where it has any. */
StereoPortSetup stereo_port_setup_of (const StereoImage * image);

/* All that plan() gets to know. */
typedef struct
{
  const StereoDevice *device;
  const StereoPortSetup *inputs;        /* as many as the operation has */
  const StereoPortSetup *outputs;
  const void *params;           /* of the operation's own type */
} StereoOpSetup;

/* An image in device memory.  plane[0] is NULL where an optional image is not
 * wanted in this frame. */
typedef struct
{
  StereoFormat format;
  uint8_t *plane[3];
  size_t stride[3];             /* bytes */
} StereoOpImage;

/* One frame, handed to run(). */
typedef struct
{
  StereoQueue *queue;
  const StereoOpImage *inputs;  /* only ever read */
  const StereoOpImage *outputs;
  StereoTimestamps *timestamps; /* for stereo_stage_end(); NULL: not timed */
} StereoOpFrame;

typedef struct
{
  const char *name;             /* also of its stage table */
  const StereoPort *inputs;     /* each list is terminated by a NULL name */
  const StereoPort *outputs;
  size_t state_size;            /* zeroed when a runner is made */

  /* Fills state in and adds the buffers it needs to the arena, whose addresses
   * are valid from load() on.  A text in why with STEREO_OK is a warning, for
   * the log. */
  StereoStatus (*plan) (void *state, const StereoOpSetup * setup,
      StereoArena * arena, StereoMessage * why);
  /* Optional: fills tables in device memory, after each plan(). */
  StereoStatus (*load) (void *state, StereoDevice * device,
      StereoMessage * why);
  StereoStatus (*run) (void *state, const StereoOpFrame * frame);
  /* Optional: releases what state holds besides buffers. */
  void (*clear) (void *state);
} StereoOp;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_OP_H */
