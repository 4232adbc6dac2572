/* gst-stereomatching: compute backends: devices, queues and events
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_BACKEND_H
#define STEREO_BACKEND_H

#include "core/arena.h"
#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A queue executes the frames of one operation in order.  Each frame occupies a
 * slot, so that copies of one frame overlap the computation of another.
 *
 * The previous frame of a slot is complete before begin().  wait() and times()
 * may be called from any thread, for a slot from one at a time, all others from
 * the processing thread.
 */
typedef struct StereoQueue StereoQueue;

/* Work for a queue: submit (data) submits it. */
typedef struct
{
  StereoStatus (*submit) (void *data);
  void *data;
} StereoTask;

/* Timestamps of a frame, one at the end of each stage. */
#define STEREO_MAX_TIMESTAMPS 1024

typedef struct
{
  /* Starts a frame.  uploads and downloads: whether it has any. */
  StereoStatus (*begin) (StereoQueue * queue, unsigned slot, bool uploads,
      bool downloads);
  /* Copies rows to device memory through staging: target_stride * rows bytes of
   * pinned host memory, or NULL if source is pinned. */
  StereoStatus (*upload) (StereoQueue * queue, void *target,
      size_t target_stride, const void *source, size_t source_stride,
      size_t row_bytes, size_t rows, void *staging);
  /* After the last upload: later stages see the data. */
  StereoStatus (*uploaded) (StereoQueue * queue, unsigned slot);
  /* After the last stage: later downloads see the result. */
  StereoStatus (*computed) (StereoQueue * queue, unsigned slot);
  /* Later stages wait for the event, which belongs to the same device. */
  StereoStatus (*wait_event) (StereoQueue * queue, StereoEvent * event);
  /* The event completes with all stages submitted so far. */
  StereoStatus (*record_event) (StereoQueue * queue, StereoEvent * event);
  /* Optional.  Calls submit (data), or submits the work of an earlier call with
   * the same key again, recorded.  The work must depend on the key alone. */
  StereoStatus (*repeat) (StereoQueue * queue, const void *key, size_t size,
      StereoStatus (*submit) (void *data), void *data);
  /* Optional.  Submits two tasks, whose work may run at the same time; other
   * gets what one leaves idle.  Later stages wait for both.  Calls do not
   * nest. */
  StereoStatus (*submit_both) (StereoQueue * queue, const StereoTask * one,
      const StereoTask * other);
  /* With repeat.  Discards recorded work: later work differs. */
  void (*forget) (StereoQueue * queue);
  StereoStatus (*download) (StereoQueue * queue, void *target,
      size_t target_stride, const void *source, size_t source_stride,
      size_t row_bytes, size_t rows);
  /* After the last download. */
  StereoStatus (*end) (StereoQueue * queue, unsigned slot);
  /* Records the completion time of all work submitted so far.  index counts the
   * timestamps of the frame, up to STEREO_MAX_TIMESTAMPS. */
  StereoStatus (*timestamp) (StereoQueue * queue, unsigned slot,
      unsigned index);
  /* Waits for the end of the slot's frame; ns gets its duration. */
  StereoStatus (*wait) (StereoQueue * queue, unsigned slot, uint64_t * ns,
      StereoMessage * why);
  /* After wait(): durations between timestamps.  The first one starts at the
   * start of the frame, the last one ends at its end. */
  StereoStatus (*times) (StereoQueue * queue, unsigned slot,
      unsigned n_timestamps, uint64_t * ns, StereoMessage * why);
  void (*free) (StereoQueue * queue);
} StereoQueueClass;

struct StereoQueue
{
  const StereoQueueClass *klass;
  StereoDevice *device;         /* not a reference */
  StereoMessage message;        /* why the last call failed */
};

typedef struct
{
  const char *backend;          /* "cpu", "cuda" */
  unsigned n_slots;             /* maximum number of frames in flight; 1:
                                 * process() is synchronous and uses images in
                                 * place */
  size_t row_alignment;         /* of rows in device memory, in bytes */

  StereoStatus (*alloc) (StereoDevice * device, size_t bytes, void **memory,
      StereoMessage * why);
  void (*free) (StereoDevice * device, void *memory);
  StereoStatus (*alloc_pinned) (StereoDevice * device, size_t bytes,
      void **memory, StereoMessage * why);
  void (*free_pinned) (StereoDevice * device, void *memory);
  StereoStatus (*pin) (StereoDevice * device, void *memory, size_t bytes,
      StereoMessage * why);
  void (*unpin) (StereoDevice * device, void *memory);
  StereoStatus (*copy) (StereoDevice * device, void *target,
      const void *source, size_t bytes, StereoMessage * why);
  StereoStatus (*queue_new) (StereoDevice * device, StereoQueue ** queue,
      StereoMessage * why);
  /* As in stereo.h; arguments are valid. */
  StereoStatus (*event_new) (StereoDevice * device, StereoEvent ** event,
      StereoMessage * why);
  StereoStatus (*event_wait) (StereoEvent * event, StereoMessage * why);
  void (*event_free) (StereoEvent * event);
  /* The stage table called name, of the type that its header defines, or
   * NULL. */
  const void *(*stages) (const StereoDevice * device, const char *name);
  void (*finalize) (StereoDevice * device);
} StereoDeviceClass;

/* Common part of the events of all backends. */
struct StereoEvent
{
  StereoDevice *device;         /* a reference */
};

struct StereoDevice
{
  const StereoDeviceClass *klass;
  int references;               /* atomic */
  char name[128];
  unsigned n_threads;           /* CPU only */
  StereoSimd simd;              /* CPU only, never AUTO */
  StereoLogFunction log;
  void *log_data;
};

/* Stage tables other than those of algorithms: TABLE (name) for each. */
#define STEREO_SHARED_STAGES(TABLE) \
  TABLE (convert) TABLE (colorize) TABLE (census) TABLE (learned) \
  TABLE (range) TABLE (median) TABLE (refine) TABLE (temporal) TABLE (depth) \
  TABLE (cloud) TABLE (rectify) TABLE (rows) TABLE (view)

/* The functions that return a stage table. */
#define STEREO_DECLARE_STAGES(name) \
  const void *stereo_##name##_stages_cpu (StereoSimd simd); \
  const void *stereo_##name##_stages_cuda (void);
STEREO_SHARED_STAGES (STEREO_DECLARE_STAGES)

/* Initializes the common part of a new device. */
void stereo_device_init (StereoDevice * device,
    const StereoDeviceClass * klass);

/* Timestamps of a profiled frame. */
typedef struct
{
  StereoQueue *queue;
  unsigned slot;
  unsigned n;
  const char *name[STEREO_MAX_TIMESTAMPS];
} StereoTimestamps;

/* Formats why->text if why is not NULL, and returns status. */
StereoStatus stereo_fail (StereoMessage * why, StereoStatus status,
    const char *format, ...) STEREO_PRINTF (3, 4);

/* Ends a stage.  name is a string constant; times of equal names add up.
 * Without effect if timestamps is NULL or full. */
StereoStatus stereo_stage_end (StereoTimestamps * timestamps,
    const char *name);

void stereo_log (const StereoDevice * device, StereoLogLevel level,
    const char *format, ...) STEREO_PRINTF (3, 4);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_BACKEND_H */
