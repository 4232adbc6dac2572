/* gst-stereomatching: the CPU device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/backend.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/platform.h"

#ifdef STEREO_X86
#include <cpuid.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS STEREO_POOL_MAX

/* --------------------------------------------------------- instruction sets */

const char *
stereo_simd_name (StereoSimd simd)
{
  static const char *const names[] = {
    [STEREO_SIMD_AUTO] = "auto",
    [STEREO_SIMD_NONE] = "none",
    [STEREO_SIMD_GENERIC] = "generic",
    [STEREO_SIMD_AVX2] = "avx2",
    [STEREO_SIMD_AVX512] = "avx512",
  };

  if ((unsigned) simd >= sizeof (names) / sizeof (names[0]))
    return NULL;
  return names[simd];
}

/* Vector code loads bytes that do not affect the result, which the memory
 * sanitizer reports as uninitialized. */
#ifdef __has_feature
#if __has_feature (memory_sanitizer)
#define ONLY_PLAIN 1
#endif
#endif
#ifndef ONLY_PLAIN
#define ONLY_PLAIN 0
#endif

#ifdef STEREO_X86
/* Bits of EBX and ECX in leaf 7 of CPUID, and of XCR0: the registers that the
 * operating system saves (Intel SDM, volume 1, 14.3 and 15.2).  The compiler's
 * own test needs a runtime library that not every compiler has. */
#define AVX2 (1u << 5)
#define AVX2_STATE 0x06u
/* F, DQ, BW, VL */
#define AVX512 (1u << 16 | 1u << 17 | 1u << 30 | 1u << 31)
#define AVX512_STATE 0xe6u
#define AVX512_VNNI (1u << 11)

static bool
processor_has (unsigned ebx, unsigned ecx, unsigned state)
{
  unsigned a, b, c, d;

  if (!__get_cpuid (1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return false;
  __asm__ volatile ("xgetbv":"=a" (a), "=d" (d):"c" (0));
  if ((a & state) != state || !__get_cpuid_count (7, 0, &a, &b, &c, &d))
    return false;
  return (b & ebx) == ebx && (c & ecx) == ecx;
}
#endif

bool
stereo_simd_available (StereoSimd simd)
{
  switch (simd) {
    case STEREO_SIMD_AUTO:
    case STEREO_SIMD_NONE:
      return true;
    case STEREO_SIMD_GENERIC:
      return !ONLY_PLAIN;
#ifdef STEREO_X86
    case STEREO_SIMD_AVX2:
      return processor_has (AVX2, 0, AVX2_STATE);
    case STEREO_SIMD_AVX512:
      return processor_has (AVX512, 0, AVX512_STATE);
#endif
    default:
      return false;
  }
}

bool
stereo_cpu_has_vnni (void)
{
#ifdef STEREO_X86
  return processor_has (AVX512, AVX512_VNNI, AVX512_STATE);
#else
  return false;
#endif
}

static StereoSimd
best_simd (void)
{
  if (stereo_simd_available (STEREO_SIMD_AVX512))
    return STEREO_SIMD_AVX512;
  if (stereo_simd_available (STEREO_SIMD_AVX2))
    return STEREO_SIMD_AVX2;
  return ONLY_PLAIN ? STEREO_SIMD_NONE : STEREO_SIMD_GENERIC;
}

/* -------------------------------------------------------------------- queue */

typedef struct
{
  StereoQueue queue;
  uint64_t begun;
  uint64_t duration;
  uint64_t timestamps[STEREO_MAX_TIMESTAMPS];
} CpuQueue;

static StereoStatus
cpu_begin (StereoQueue * queue, unsigned slot, bool uploads, bool downloads)
{
  (void) slot, (void) uploads, (void) downloads;
  ((CpuQueue *) queue)->begun = stereo_clock_ns ();
  return STEREO_OK;
}

/* Never called: images are used in place. */
static StereoStatus
cpu_upload (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows,
    void *staging)
{
  (void) target, (void) target_stride, (void) source, (void) source_stride;
  (void) row_bytes, (void) rows, (void) staging;
  return stereo_fail (&queue->message, STEREO_ERROR_UNSUPPORTED,
      "the CPU uses images in place");
}

static StereoStatus
cpu_download (StereoQueue * queue, void *target, size_t target_stride,
    const void *source, size_t source_stride, size_t row_bytes, size_t rows)
{
  return cpu_upload (queue, target, target_stride, source, source_stride,
      row_bytes, rows, NULL);
}

static StereoStatus
cpu_nothing (StereoQueue * queue, unsigned slot)
{
  (void) queue, (void) slot;
  return STEREO_OK;
}

static StereoStatus
cpu_timestamp (StereoQueue * queue, unsigned slot, unsigned index)
{
  (void) slot;
  ((CpuQueue *) queue)->timestamps[index] = stereo_clock_ns ();
  return STEREO_OK;
}

static StereoStatus
cpu_end (StereoQueue * queue, unsigned slot)
{
  CpuQueue *self = (CpuQueue *) queue;

  (void) slot;
  self->duration = stereo_clock_ns () - self->begun;
  return STEREO_OK;
}

static StereoStatus
cpu_wait (StereoQueue * queue, unsigned slot, uint64_t * ns,
    StereoMessage * why)
{
  (void) slot, (void) why;
  *ns = ((CpuQueue *) queue)->duration;
  return STEREO_OK;
}

static StereoStatus
cpu_times (StereoQueue * queue, unsigned slot, unsigned n_timestamps,
    uint64_t * ns, StereoMessage * why)
{
  CpuQueue *self = (CpuQueue *) queue;
  uint64_t before = self->begun;

  (void) slot, (void) why;
  for (unsigned i = 0; i < n_timestamps; i++) {
    uint64_t after = i + 1 < n_timestamps ? self->timestamps[i]
        : self->begun + self->duration;

    ns[i] = after - before;
    before = after;
  }
  return STEREO_OK;
}

/* The CPU is synchronous. */
static StereoStatus
cpu_event (StereoQueue * queue, StereoEvent * event)
{
  (void) queue, (void) event;
  return STEREO_OK;
}

static void
cpu_queue_free (StereoQueue * queue)
{
  free (queue);
}

static const StereoQueueClass cpu_queue_class = {
  .begin = cpu_begin,
  .upload = cpu_upload,
  .uploaded = cpu_nothing,
  .computed = cpu_nothing,
  .wait_event = cpu_event,
  .record_event = cpu_event,
  .download = cpu_download,
  .end = cpu_end,
  .timestamp = cpu_timestamp,
  .wait = cpu_wait,
  .times = cpu_times,
  .free = cpu_queue_free,
};

/* ------------------------------------------------------------------- device */

static StereoStatus
cpu_alloc (StereoDevice * device, size_t bytes, void **memory,
    StereoMessage * why)
{
  size_t rounded = stereo_round_up (bytes, STEREO_ARENA_ALIGNMENT);
  StereoStatus status = stereo_memory_check (bytes, why);
  void *p;

  (void) device;
  if (status != STEREO_OK)
    return status;
  p = rounded >= bytes ? stereo_aligned_alloc (STEREO_ARENA_ALIGNMENT, rounded)
      : NULL;
  if (p == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY,
        "out of memory: %zu bytes are needed", bytes);
  *memory = p;
  return STEREO_OK;
}

static void
cpu_free (StereoDevice * device, void *memory)
{
  (void) device;
  stereo_aligned_free (memory);
}

/* All memory is pinned. */
static StereoStatus
cpu_pin (StereoDevice * device, void *memory, size_t bytes,
    StereoMessage * why)
{
  (void) device, (void) memory, (void) bytes, (void) why;
  return STEREO_OK;
}

static void
cpu_unpin (StereoDevice * device, void *memory)
{
  (void) device, (void) memory;
}

static StereoStatus
cpu_copy (StereoDevice * device, void *target, const void *source,
    size_t bytes, StereoMessage * why)
{
  (void) device, (void) why;
  memcpy (target, source, bytes);
  return STEREO_OK;
}

static StereoStatus
cpu_queue_new (StereoDevice * device, StereoQueue ** queue,
    StereoMessage * why)
{
  CpuQueue *self = calloc (1, sizeof (*self));

  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  self->queue.klass = &cpu_queue_class;
  self->queue.device = device;
  *queue = &self->queue;
  return STEREO_OK;
}

static StereoStatus
cpu_event_new (StereoDevice * device, StereoEvent ** event,
    StereoMessage * why)
{
  StereoEvent *self = calloc (1, sizeof (*self));

  (void) device;
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  *event = self;
  return STEREO_OK;
}

static StereoStatus
cpu_event_wait (StereoEvent * event, StereoMessage * why)
{
  (void) event, (void) why;
  return STEREO_OK;
}

static void
cpu_event_free (StereoEvent * event)
{
  free (event);
}

#define ALGORITHM(name) STEREO_DECLARE_STAGES (name)
#include "algorithm-list.h"
#undef ALGORITHM

static const void *
cpu_stages (const StereoDevice * device, const char *name)
{
  static const struct
  {
    const char *name;
    const void *(*get) (StereoSimd simd);
  } tables[] = {
#define ALGORITHM(name) { #name, stereo_##name##_stages_cpu },
    STEREO_SHARED_STAGES (ALGORITHM)
#include "algorithm-list.h"
#undef ALGORITHM
  };

  for (size_t i = 0; i < sizeof (tables) / sizeof (tables[0]); i++) {
    if (strcmp (name, tables[i].name) == 0)
      return tables[i].get (device->simd);
  }
  return NULL;
}

static void
cpu_finalize (StereoDevice * device)
{
  stereo_pool_leave ();
  free (device);
}

static const StereoDeviceClass cpu_device_class = {
  .backend = "cpu",
  .n_slots = 1,
  .row_alignment = 64,
  .alloc = cpu_alloc,
  .free = cpu_free,
  .alloc_pinned = cpu_alloc,
  .free_pinned = cpu_free,
  .pin = cpu_pin,
  .unpin = cpu_unpin,
  .copy = cpu_copy,
  .queue_new = cpu_queue_new,
  .event_new = cpu_event_new,
  .event_wait = cpu_event_wait,
  .event_free = cpu_event_free,
  .stages = cpu_stages,
  .finalize = cpu_finalize,
};

StereoStatus
stereo_device_new_cpu (unsigned n_threads, StereoSimd simd,
    StereoDevice ** device, StereoMessage * why)
{
  StereoDevice *self;

  if (device == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
    "device is NULL: pass the address of a pointer");
  if (n_threads > MAX_THREADS)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%u threads requested, the maximum is %d", n_threads, MAX_THREADS);
  if (stereo_simd_name (simd) == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%d is not a StereoSimd",
        (int) simd);
  if (!stereo_simd_available (simd))
    return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
        "%s is not supported by this machine or this build",
        stereo_simd_name (simd));

  self = malloc (sizeof (*self));
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  stereo_device_init (self, &cpu_device_class);
  stereo_pool_enter ();

  self->simd = simd == STEREO_SIMD_AUTO ? best_simd () : simd;
  self->n_threads = n_threads ? n_threads : stereo_processors ();
  if (self->n_threads > MAX_THREADS)
    self->n_threads = MAX_THREADS;
  snprintf (self->name, sizeof (self->name), "CPU, %u thread%s, %s",
      self->n_threads, self->n_threads == 1 ? "" : "s",
      stereo_simd_name (self->simd));
  *device = self;
  return STEREO_OK;
}
