/* gst-stereomatching: operations on images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An operation computes output images from input images on a device: for
 * example a disparity map from two views.  It is a table of named ports,
 * plan() and run().  plan() checks formats, sizes and parameters and declares
 * buffers; run() processes a frame by calling stages.  The runner (runner.h)
 * provides memory, copies, events and frames in flight.
 */

#ifndef STEREO_OPERATION_H
#define STEREO_OPERATION_H

#include "core/backend.h"
#include "core/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of inputs, and of outputs. */
#define STEREO_MAX_PORTS 4

/* Formats are sets of bits. */
#define STEREO_FORMAT_BIT(format) (UINT64_C (1) << (format))
#define STEREO_VIEW_FORMATS (STEREO_FORMAT_BIT (STEREO_N_FORMATS) - 1)

/* An input or output image. */
typedef struct
{
  const char *name;             /* for messages: "left" */
  uint64_t formats;             /* supported */
  bool optional;                /* may be missing in a frame */
  /* The format may change with each frame; the configured one has the largest
   * pixels. */
  bool any_format;
} StereoPort;

/* Configuration of a port. */
typedef struct
{
  StereoFormat format;
  int width;                    /* 1 to STEREO_MAX_SIZE */
  int height;                   /* 1 to STEREO_MAX_SIZE */
  int n_planes;                 /* the first planes, which are used */
} StereoPortSetup;

/* The configuration for images like this one, in colour if it has any. */
StereoPortSetup stereo_port_setup_of (const StereoImage * image);

bool stereo_port_setup_equal (const StereoPortSetup * a,
    const StereoPortSetup * b);

/* Arguments of plan(). */
typedef struct
{
  const StereoDevice *device;
  const StereoPortSetup *inputs;        /* one per input port */
  const StereoPortSetup *outputs;
  const void *params;           /* of the operation's own type */
} StereoOpSetup;

/* An image in device memory.  plane[0] is NULL if an optional image is
 * missing. */
typedef struct
{
  StereoFormat format;
  uint8_t *plane[3];
  size_t stride[3];             /* bytes */
} StereoOpImage;

/* Arguments of run(). */
typedef struct
{
  StereoQueue *queue;
  const StereoOpImage *inputs;  /* read-only */
  const StereoOpImage *outputs;
  StereoTimestamps *timestamps; /* for stereo_stage_end(), or NULL */
} StereoOpFrame;

typedef struct
{
  const char *name;             /* also of its stage table */
  const StereoPort *inputs;     /* each list is terminated by a NULL name */
  const StereoPort *outputs;
  size_t state_size;            /* zeroed when a runner is made */

  /* Initializes state and declares its buffers, whose addresses are valid from
   * load() on.  A message with STEREO_OK is a warning. */
  StereoStatus (*plan) (void *state, const StereoOpSetup * setup,
      StereoArena * arena, StereoMessage * why);
  /* Optional: fills tables in device memory after plan(). */
  StereoStatus (*load) (void *state, StereoDevice * device,
      StereoMessage * why);
  StereoStatus (*run) (void *state, const StereoOpFrame * frame);
  /* Optional: whether run() submits the same work, without other effects, each
   * time that it gets the same images. */
  bool (*repeats) (const void *state);
  /* Optional: releases resources of state other than its buffers. */
  void (*clear) (void *state);
} StereoOp;

#ifdef __cplusplus
}
#endif

#endif /* STEREO_OPERATION_H */
