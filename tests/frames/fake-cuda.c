/* gst-stereomatching: simulated GPU, controlled by tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fake-cuda.h"

#include "core/backend.h"
#include "core/testing-cuda.h"
#include "stereo-cuda.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A copy that the GPU has not executed yet. */
typedef struct Copy
{
  struct Copy *next;
  uint8_t *target;
  size_t target_stride;
  const uint8_t *source;
  size_t source_stride;
  size_t row_bytes;
  size_t rows;
} Copy;

/* Points of the queue are numbered from 1 and complete in order. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t started, ended;
static bool held, lost;
static size_t limit = SIZE_MAX, used;
static unsigned waits, pinned;
static long calls_left = -1;    /* calls before one fails; -1 = none fails */
static bool has_failed;
static Copy *first, **last = &first;

typedef struct
{
  StereoDevice device;
  StereoDevice *cpu;            /* executes the stages */
} Fake;

typedef struct
{
  StereoQueue queue;
  uint64_t ends[STEREO_MAX_FRAMES];
} FakeQueue;

typedef struct
{
  StereoEvent event;
  uint64_t point;
} FakeEvent;

/* Precedes each allocation. */
typedef union
{
  size_t bytes;
  char aligned[64];
} Header;

/* ------------------------------------------------------------------- points */

static void
forget_copies (void)
{
  while (first != NULL) {
    Copy *copy = first;

    first = copy->next;
    free (copy);
  }
  last = &first;
}

/* The functions up to those that tests call require the lock. */
static void
proceed (void)
{
  if (held || lost)
    return;
  for (Copy * c = first; c != NULL; c = c->next) {
    for (size_t y = 0; y < c->rows; y++)
      memcpy (c->target + y * c->target_stride,
          c->source + y * c->source_stride, c->row_bytes);
  }
  forget_copies ();
  ended = started;
  pthread_cond_broadcast (&changed);
}

static uint64_t
next_point (void)
{
  uint64_t point = ++started;

  proceed ();
  return point;
}

static StereoStatus
fail_if_lost (StereoMessage * why)
{
  if (calls_left >= 0 && calls_left-- == 0) {
    has_failed = true;
    forget_copies ();
    return stereo_fail (why, STEREO_ERROR_DEVICE, "the GPU failed");
  }
  return lost ? stereo_fail (why, STEREO_ERROR_DEVICE, "the GPU is gone")
      : STEREO_OK;
}

static StereoStatus
wait_for_point (uint64_t point, StereoMessage * why)
{
  waits += point > ended && !lost;
  while (point > ended && !lost)
    pthread_cond_wait (&changed, &lock);
  return point > ended ? fail_if_lost (why) : STEREO_OK;
}

static void
copy_later (void *target, size_t target_stride, const void *source,
    size_t source_stride, size_t row_bytes, size_t rows)
{
  Copy *copy = calloc (1, sizeof (*copy));

  if (copy == NULL)
    abort ();
  *copy = (Copy) {
    NULL, target, target_stride, source, source_stride, row_bytes,
    rows
  };
  for (size_t y = 0; y < rows; y++)
    memset (copy->target + y * target_stride, 0xee, row_bytes);
  *last = copy;
  last = &copy->next;
}

/* ------------------------------------------------------------------ control */

void
fake_cuda_reset (void)
{
  pthread_mutex_lock (&lock);
  forget_copies ();
  held = lost = has_failed = false;
  calls_left = -1;
  limit = SIZE_MAX;
  waits = 0;
  ended = started;
  pthread_mutex_unlock (&lock);
}

void
fake_cuda_hold (bool hold)
{
  pthread_mutex_lock (&lock);
  held = hold;
  proceed ();
  pthread_mutex_unlock (&lock);
}

void
fake_cuda_lose (void)
{
  pthread_mutex_lock (&lock);
  lost = true;
  forget_copies ();
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&lock);
}

void
fake_cuda_limit (size_t bytes)
{
  pthread_mutex_lock (&lock);
  limit = bytes;
  pthread_mutex_unlock (&lock);
}

void
fake_cuda_fail_after (unsigned calls)
{
  pthread_mutex_lock (&lock);
  calls_left = (long) calls;
  pthread_mutex_unlock (&lock);
}

bool
fake_cuda_has_failed (void)
{
  bool failed;

  pthread_mutex_lock (&lock);
  failed = has_failed;
  pthread_mutex_unlock (&lock);
  return failed;
}

unsigned
fake_cuda_waits (void)
{
  unsigned n;

  pthread_mutex_lock (&lock);
  n = waits;
  pthread_mutex_unlock (&lock);
  return n;
}

size_t
fake_cuda_used (void)
{
  size_t bytes;

  pthread_mutex_lock (&lock);
  bytes = used;
  pthread_mutex_unlock (&lock);
  return bytes;
}

unsigned
fake_cuda_pinned (void)
{
  unsigned n;

  pthread_mutex_lock (&lock);
  n = pinned;
  pthread_mutex_unlock (&lock);
  return n;
}

/* -------------------------------------------------------------------- queue */

static StereoStatus
call (StereoMessage * why)
{
  StereoStatus status;

  pthread_mutex_lock (&lock);
  status = fail_if_lost (why);
  pthread_mutex_unlock (&lock);
  return status;
}

static StereoStatus
begin (StereoQueue * queue, unsigned slot, bool uploads, bool downloads)
{
  (void) slot, (void) uploads, (void) downloads;
  return call (&queue->message);
}

static StereoStatus
upload (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows,
    void *staging)
{
  (void) staging;
  for (size_t y = 0; y < rows; y++)
    memcpy ((uint8_t *) target + y * target_stride,
        (const uint8_t *) source + y * source_stride, row_bytes);
  return call (&queue->message);
}

static StereoStatus
nothing (StereoQueue * queue, unsigned slot)
{
  (void) slot;
  return call (&queue->message);
}

static StereoStatus
wait_event (StereoQueue * queue, StereoEvent * event)
{
  (void) event;
  return call (&queue->message);
}

static StereoStatus
record_event (StereoQueue * queue, StereoEvent * event)
{
  StereoStatus status;

  pthread_mutex_lock (&lock);
  status = fail_if_lost (&queue->message);
  if (status == STEREO_OK)
    ((FakeEvent *) event)->point = next_point ();
  pthread_mutex_unlock (&lock);
  return status;
}

static StereoStatus
download (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows)
{
  StereoStatus status;

  pthread_mutex_lock (&lock);
  status = fail_if_lost (&queue->message);
  if (status == STEREO_OK)
    copy_later (target, target_stride, source, source_stride, row_bytes, rows);
  pthread_mutex_unlock (&lock);
  return status;
}

static StereoStatus
end (StereoQueue * queue, unsigned slot)
{
  StereoStatus status;

  pthread_mutex_lock (&lock);
  status = fail_if_lost (&queue->message);
  if (status == STEREO_OK)
    ((FakeQueue *) queue)->ends[slot] = next_point ();
  pthread_mutex_unlock (&lock);
  return status;
}

static StereoStatus
timestamp (StereoQueue * queue, unsigned slot, unsigned index)
{
  (void) queue, (void) slot, (void) index;
  return STEREO_OK;
}

static StereoStatus
wait_for (StereoQueue * queue, unsigned slot, uint64_t * ns,
    StereoMessage * why)
{
  StereoStatus status;

  pthread_mutex_lock (&lock);
  status = wait_for_point (((FakeQueue *) queue)->ends[slot], why);
  pthread_mutex_unlock (&lock);
  *ns = 1000;
  return status;
}

static StereoStatus
times (StereoQueue * queue, unsigned slot, unsigned n_timestamps,
    uint64_t * ns, StereoMessage * why)
{
  (void) queue, (void) slot, (void) why;
  memset (ns, 0, n_timestamps * sizeof (*ns));
  return STEREO_OK;
}

static void
queue_free (StereoQueue * queue)
{
  free (queue);
}

static const StereoQueueClass queue_class = {
  .begin = begin,
  .upload = upload,
  .uploaded = nothing,
  .computed = nothing,
  .wait_event = wait_event,
  .record_event = record_event,
  .download = download,
  .end = end,
  .timestamp = timestamp,
  .wait = wait_for,
  .times = times,
  .free = queue_free,
};

/* ------------------------------------------------------------------- device */

static StereoStatus
queue_new (StereoDevice * device, StereoQueue ** queue, StereoMessage * why)
{
  FakeQueue *self = calloc (1, sizeof (*self));

  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  self->queue.klass = &queue_class;
  self->queue.device = device;
  *queue = &self->queue;
  return STEREO_OK;
}

static StereoStatus
device_alloc (StereoDevice * device, size_t bytes, void **memory,
    StereoMessage * why)
{
  StereoStatus status;
  Header *header = NULL;

  pthread_mutex_lock (&lock);
  status = fail_if_lost (why);
  if (status == STEREO_OK && (used > limit || bytes > limit - used))
    status = stereo_fail (why, STEREO_ERROR_MEMORY,
        "%s is out of memory: %zu bytes are needed", device->name, bytes);
  if (status == STEREO_OK && posix_memalign ((void **) &header, 64,
          sizeof (*header) + bytes) != 0)
    status = stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  if (status == STEREO_OK) {
    memset (header + 1, 0x5a, bytes);
    header->bytes = bytes;
    used += bytes;
    *memory = header + 1;
  }
  pthread_mutex_unlock (&lock);
  return status;
}

static void
device_free (StereoDevice * device, void *memory)
{
  Header *header = (Header *) memory - 1;

  (void) device;
  pthread_mutex_lock (&lock);
  used -= header->bytes;
  pthread_mutex_unlock (&lock);
  free (header);
}

static StereoStatus
alloc_pinned (StereoDevice * device, size_t bytes, void **memory,
    StereoMessage * why)
{
  (void) device;
  if (posix_memalign (memory, 64, bytes) == 0)
    return STEREO_OK;
  return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
}

static void
free_pinned (StereoDevice * device, void *memory)
{
  (void) device;
  free (memory);
}

static StereoStatus
pin (StereoDevice * device, void *memory, size_t bytes, StereoMessage * why)
{
  StereoStatus status = call (why);

  (void) device, (void) memory, (void) bytes;
  pthread_mutex_lock (&lock);
  pinned += status == STEREO_OK;
  pthread_mutex_unlock (&lock);
  return status;
}

static void
unpin (StereoDevice * device, void *memory)
{
  (void) device, (void) memory;
  pthread_mutex_lock (&lock);
  pinned--;
  pthread_mutex_unlock (&lock);
}

static StereoStatus
copy (StereoDevice * device, void *target, const void *source, size_t bytes,
    StereoMessage * why)
{
  StereoStatus status;

  (void) device;
  pthread_mutex_lock (&lock);
  status = fail_if_lost (why);
  pthread_mutex_unlock (&lock);
  if (status == STEREO_OK)
    memcpy (target, source, bytes);
  return status;
}

static StereoStatus
event_new (StereoDevice * device, StereoEvent ** event, StereoMessage * why)
{
  FakeEvent *self = calloc (1, sizeof (*self));

  (void) device;
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  *event = &self->event;
  return STEREO_OK;
}

static StereoStatus
event_wait (StereoEvent * event, StereoMessage * why)
{
  StereoStatus status;

  pthread_mutex_lock (&lock);
  status = wait_for_point (((FakeEvent *) event)->point, why);
  pthread_mutex_unlock (&lock);
  return status;
}

static void
event_free (StereoEvent * event)
{
  free (event);
}

static const void *
stages (const StereoDevice * device, const char *name)
{
  const StereoDevice *cpu = ((const Fake *) device)->cpu;

  return cpu->klass->stages (cpu, name);
}

static void
finalize (StereoDevice * device)
{
  stereo_device_unref (&((Fake *) device)->cpu);
  free (device);
}

static const StereoDeviceClass device_class = {
  .backend = "cuda",
  .n_slots = STEREO_MAX_FRAMES,
  .row_alignment = 64,
  .alloc = device_alloc,
  .free = device_free,
  .alloc_pinned = alloc_pinned,
  .free_pinned = free_pinned,
  .pin = pin,
  .unpin = unpin,
  .copy = copy,
  .queue_new = queue_new,
  .event_new = event_new,
  .event_wait = event_wait,
  .event_free = event_free,
  .stages = stages,
  .finalize = finalize,
};

/* ------------------------------------------------------------ stereo-cuda.h */

int
stereo_cuda_count (StereoMessage * why)
{
  (void) why;
  return 1;
}

StereoStatus
stereo_device_new_cuda (int ordinal, StereoDevice ** device,
    StereoMessage * why)
{
  StereoStatus status;
  Fake *self;

  (void) ordinal;
  pthread_mutex_lock (&lock);
  status = fail_if_lost (why);
  pthread_mutex_unlock (&lock);
  if (status != STEREO_OK)
    return status;
  self = calloc (1, sizeof (*self));
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  stereo_device_init (&self->device, &device_class);
  status = stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &self->cpu, why);
  if (status != STEREO_OK) {
    free (self);
    return status;
  }
  self->device.n_threads = 1;
  self->device.simd = self->cpu->simd;
  strcpy (self->device.name, "a fake GPU");
  *device = &self->device;
  return STEREO_OK;
}

StereoStatus
stereo_device_new_cuda_wrapped (void *cu_context, void *cu_stream,
    StereoDevice ** device, StereoMessage * why)
{
  (void) cu_context, (void) cu_stream;
  return stereo_device_new_cuda (-1, device, why);
}

void
stereo_cuda_keep (StereoDevice * device, void *kept,
    void (*release) (void *kept))
{
  (void) device, (void) kept, (void) release;
}

/* All devices use the same memory. */
void *
stereo_cuda_context (const StereoDevice * device)
{
  return device != NULL && device->klass == &device_class ? &lock : NULL;
}

int
stereo_cuda_ordinal (const StereoDevice * device)
{
  return device != NULL && device->klass == &device_class ? 0 : -1;
}

StereoStatus
stereo_cuda_download (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoEvent * after, StereoEvent * done, StereoMessage * why)
{
  StereoStatus status;

  (void) device, (void) after;
  pthread_mutex_lock (&lock);
  status = fail_if_lost (why);
  if (status == STEREO_OK) {
    copy_later (target, bytes, source, bytes, bytes, 1);
    ((FakeEvent *) done)->point = next_point ();
  }
  pthread_mutex_unlock (&lock);
  return status;
}

void *
stereo_cuda_event (StereoEvent * event)
{
  return event;
}

StereoStatus
stereo_cuda_memory (StereoDevice * device, size_t * available, size_t * total,
    StereoMessage * why)
{
  (void) device, (void) why;
  pthread_mutex_lock (&lock);
  *total = limit;
  *available = limit - (used < limit ? used : limit);
  pthread_mutex_unlock (&lock);
  return STEREO_OK;
}

/* ----------------------------------------------------- core/testing-cuda.h */

void
stereo_cuda_pretend_shared_limit (StereoDevice * device, int bytes)
{
  (void) device, (void) bytes;
}

void
stereo_cuda_pretend_cooperative (StereoDevice * device, bool cooperative)
{
  (void) device, (void) cooperative;
}

int
stereo_cuda_pretend_multiprocessors (StereoDevice * device, int n)
{
  (void) device, (void) n;
  return 1;
}
