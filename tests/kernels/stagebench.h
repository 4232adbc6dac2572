/* gst-stereomatching: runs the stages of a device one by one
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STAGEBENCH_H
#define STAGEBENCH_H

#include "image/view.h"
#include "harness.h"

/* A device and a queue to run stages on. */
typedef struct
{
  StereoDevice *device;
  StereoQueue *queue;
  bool cuda;
} StageBench;

static inline StageBench
stagebench_open (size_t index)
{
  StageBench bench = {.device = devices_get (index) };

  bench.cuda = strcmp (stereo_device_backend (bench.device), "cuda") == 0;
  REQUIRE (bench.device->klass->queue_new (bench.device, &bench.queue, NULL)
      == STEREO_OK);
  REQUIRE (bench.queue->klass->begin (bench.queue, 0, false, false)
      == STEREO_OK);
  return bench;
}

/* Waits for all enqueued stages.  Returns their time. */
static inline uint64_t
stagebench_finish (const StageBench * bench)
{
  const StereoQueueClass *q = bench->queue->klass;
  uint64_t ns;

  REQUIRE (q->computed (bench->queue, 0) == STEREO_OK);
  REQUIRE (q->end (bench->queue, 0) == STEREO_OK);
  REQUIRE (q->wait (bench->queue, 0, &ns, NULL) == STEREO_OK);
  REQUIRE (q->begin (bench->queue, 0, false, false) == STEREO_OK);
  return ns;
}

static inline void
stagebench_close (StageBench * bench)
{
  (void) stagebench_finish (bench);
  bench->queue->klass->free (bench->queue);
}

/* Device memory with a copy of the bytes, or canaries if host is NULL. */
static inline void *
stagebench_up (const StageBench * bench, const void *host, size_t bytes)
{
  void *memory = NULL, *canaries = NULL;

  REQUIRE (stereo_device_alloc (bench->device, bytes, &memory, NULL)
      == STEREO_OK);
  if (host == NULL) {
    host = canaries = malloc (bytes);
    REQUIRE (canaries != NULL);
    memset (canaries, 0x5a, bytes);
  }
  REQUIRE (stereo_device_copy (bench->device, memory, host, bytes, NULL)
      == STEREO_OK);
  free (canaries);
  return memory;
}

static inline void
stagebench_down (const StageBench * bench, void *host, const void *memory,
    size_t bytes)
{
  REQUIRE (stereo_device_copy (bench->device, host, memory, bytes, NULL)
      == STEREO_OK);
}

/* Rows in device memory with canaries around them, and a copy on the host. */
typedef struct
{
  uint8_t *device;
  uint8_t *host;
  uint8_t *before;              /* the contents as uploaded */
  size_t row_bytes, stride, rows, size;
} StageRows;

#define STAGE_GUARD 256         /* bytes before and after rows */

static inline uint8_t *
host_row (const StageRows * rows, size_t y)
{
  return rows->host + STAGE_GUARD + y * rows->stride;
}

static inline uint8_t *
device_row (const StageRows * rows, size_t y)
{
  return rows->device + STAGE_GUARD + y * rows->stride;
}

static inline void
rows_init (StageRows * rows, size_t row_bytes, size_t stride, size_t n,
    const StageBench * bench)
{
  void *memory = NULL;

  rows->row_bytes = row_bytes;
  rows->stride = stride;
  rows->rows = n;
  rows->size = stride * n + 2 * STAGE_GUARD;
  REQUIRE (stereo_device_alloc (bench->device, rows->size, &memory, NULL)
      == STEREO_OK);
  rows->device = memory;
  rows->host = malloc (rows->size);
  rows->before = malloc (rows->size);
  REQUIRE (rows->host != NULL && rows->before != NULL);
  memset (rows->host, 0x5a, rows->size);
}

static inline void
rows_up (const StageRows * rows, const StageBench * bench)
{
  memcpy (rows->before, rows->host, rows->size);
  REQUIRE (stereo_device_copy (bench->device, rows->device, rows->host,
          rows->size, NULL) == STEREO_OK);
}

/* Downloads the rows.  Fails if bytes between or around them have changed, or
 * with read_only the rows themselves. */
static inline void
rows_down (const StageRows * rows, const StageBench * bench, bool read_only)
{
  size_t wrong = 0;

  REQUIRE (stereo_device_copy (bench->device, rows->host, rows->device,
          rows->size, NULL) == STEREO_OK);
  for (size_t i = 0; i < rows->size; i++) {
    bool inside = i >= STAGE_GUARD && i < rows->size - STAGE_GUARD
        && (i - STAGE_GUARD) % rows->stride < rows->row_bytes;

    wrong += (!inside || read_only) && rows->host[i] != rows->before[i];
  }
  CHECK_INT (wrong, ==, 0);
}

static inline void
rows_clear (StageRows * rows, const StageBench * bench)
{
  void *memory = rows->device;

  stereo_device_free (bench->device, &memory);
  free (rows->host);
  free (rows->before);
}

/* A view from RGB or grey pixels in the layout of the device; free plane[0].
 * more: padding bytes per row.  With a random state, bytes outside the pixels
 * are random. */
static inline StereoView
stagebench_view_any (const StageBench * bench, const uint8_t * pixels,
    int width, int height, int channels, size_t more, Random * random)
{
  const size_t stride = ((size_t) width + 63) / 64 * 64 + more;
  const bool words = bench->cuda && channels == 3;
  const size_t bytes = stride * (size_t) height * (channels == 1 ? 1 : 4);
  uint8_t *host = calloc (bytes, 1);
  StereoView view = { {NULL, NULL, NULL}, words ? 4 * stride : stride };
  uint8_t *memory;

  REQUIRE (host != NULL);
  for (size_t i = 0; i < bytes && random != NULL; i++)
    host[i] = (uint8_t) random_next (random);
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      for (int c = 0; c < channels; c++) {
        const uint8_t value = pixels[(y * width + x) * channels + c];

        if (words)
          host[(size_t) y * 4 * stride + (size_t) (4 * x + c)] = value;
        else
          host[((size_t) c * (size_t) height + (size_t) y) * stride
              + (size_t) x] = value;
      }
    }
  }
  memory = stagebench_up (bench, host, bytes);
  for (int c = 0; c < (words ? 1 : channels); c++)
    view.plane[c] = memory + (size_t) c * (size_t) height * stride;
  free (host);
  return view;
}

static inline StereoView
stagebench_view (const StageBench * bench, const uint8_t * pixels, int width,
    int height, int channels)
{
  return stagebench_view_any (bench, pixels, width, height, channels, 0,
      NULL);
}

static inline void
stagebench_free (const StageBench * bench, const void *memory)
{
  void *pointer = (void *) (uintptr_t) memory;

  stereo_device_free (bench->device, &pointer);
}

#endif /* STAGEBENCH_H */
