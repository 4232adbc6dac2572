/* gst-stereomatching: state of a runner
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* For runner.c and runner-frame.c. */

#ifndef STEREO_RUNNER_PRIVATE_H
#define STEREO_RUNNER_PRIVATE_H

#include "core/runner.h"

#include <pthread.h>

#define MAX_IMAGES (2 * STEREO_MAX_PORTS)

/* Buffers of a plane of a frame in flight. */
typedef struct
{
  uint8_t *device;
  uint8_t *staging;             /* pinned host memory */
  /* Of an output: copied from staging by wait(). */
  bool copy_out;
  uint8_t *out;
  size_t out_stride;
  size_t row_bytes;
} Plane;

/* Buffers and state of a frame in flight. */
typedef struct
{
  uint64_t frame;               /* 0 = never used */
  bool complete;
  bool waiting;                 /* a thread waits for the device */
  Plane planes[MAX_IMAGES][3];
  StereoTimestamps timestamps;  /* n is 0 unless profiled */
} Slot;

/* Configuration of a port. */
typedef struct
{
  const StereoPort *port;
  StereoPortSetup setup;
  size_t row_bytes[3];          /* of the configured format */
  size_t rows[3];
  size_t stride[3];             /* of the copies on the device */
} Port;

struct StereoRunner
{
  const StereoOp *op;
  void *state;
  StereoDevice *device;
  StereoQueue *queue;

  bool configured;
  unsigned n_inputs;
  unsigned n_ports;
  Port ports[MAX_IMAGES];       /* inputs, then outputs */
  unsigned n_wanted;            /* slots from the next configure() on */
  unsigned n_slots;
  Slot slots[STEREO_MAX_FRAMES];

  /* Device memory and pinned host memory. */
  StereoArena arena;
  StereoArena pinned;
  void *arena_memory;
  size_t arena_bytes;
  void *pinned_memory;
  size_t pinned_bytes;

  StereoMessage message;        /* of the processing thread */
  StereoMessage warning;        /* the same, of the last configuration */
  bool profiling;

  pthread_mutex_t lock;         /* protects the rest, n_slots, and
                                 * slots[].frame, .complete and .waiting */
  pthread_cond_t waited;        /* no thread waits for the device in a slot */
  uint64_t next_frame;
  unsigned n_stages;            /* of the last complete frame */
  const char *stage_name[STEREO_MAX_TIMESTAMPS];
  uint64_t stage_ns[STEREO_MAX_TIMESTAMPS];
  StereoMatcherStats stats;
  StereoStatus failure;         /* of a wait on any thread */
  StereoMessage failure_message;
};

/* Images are used in place unless frames may overlap. */
static inline bool
stereo_runner_copies (const StereoRunner * r)
{
  return r->device->klass->n_slots > 1;
}

/* Fails unless the port accepts the format. */
StereoStatus stereo_runner_check_format (StereoRunner * r,
    const StereoPort * port, StereoFormat format);

#endif /* STEREO_RUNNER_PRIVATE_H */
