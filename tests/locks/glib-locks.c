/* gst-stereomatching: announces GLib's locks to the thread sanitizer
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Preloaded in front of GLib with LD_PRELOAD, for the thread sanitizer.  GLib's
 * locks are futexes, and GLib and GStreamer are not instrumented, so the
 * sanitizer does not see the order that they establish.  These functions
 * annotate it and call GLib's: locks, reference counts (the last unref comes
 * after all others), queues and messages.
 *
 * With TSAN_OPTIONS=ignore_noninstrumented_modules=1 the remaining reports
 * concern the plugin and the test.
 */

#include <dlfcn.h>
#include <glib-object.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#undef g_once_init_enter
#undef g_once_init_leave
#undef g_object_ref

/* The replaced function, next in the search order of the linker. */
#define NEXT(function)                                                  \
  static __typeof__ (&function) found;                                  \
  __typeof__ (&function) next = __atomic_load_n (&found,                \
      __ATOMIC_ACQUIRE);                                                \
                                                                        \
  if (next == NULL) {                                                   \
    next = (__typeof__ (next)) dlsym (RTLD_NEXT, #function);            \
    __atomic_store_n (&found, next, __ATOMIC_RELEASE);                  \
  }                                                                     \
  (void) 0

/* Wrappers of void function (kind *), which lock or unlock. */
#define LOCKS(function, kind)                                           \
  __attribute__ ((visibility ("default")))                              \
  void function (kind * lock)                                           \
  {                                                                     \
    NEXT (function);                                                    \
    next (lock);                                                        \
    __tsan_acquire (lock);                                              \
  }
#define TRIES(function, kind)                                           \
  __attribute__ ((visibility ("default")))                              \
  gboolean function (kind * lock)                                       \
  {                                                                     \
    gboolean ok;                                                        \
    NEXT (function);                                                    \
    ok = next (lock);                                                   \
    if (ok)                                                             \
      __tsan_acquire (lock);                                            \
    return ok;                                                          \
  }
#define UNLOCKS(function, kind)                                         \
  __attribute__ ((visibility ("default")))                              \
  void function (kind * lock)                                           \
  {                                                                     \
    NEXT (function);                                                    \
    __tsan_release (lock);                                              \
    next (lock);                                                        \
  }

LOCKS (g_mutex_lock, GMutex)
TRIES (g_mutex_trylock, GMutex)
UNLOCKS (g_mutex_unlock, GMutex)
LOCKS (g_rec_mutex_lock, GRecMutex)
TRIES (g_rec_mutex_trylock, GRecMutex)
UNLOCKS (g_rec_mutex_unlock, GRecMutex)
LOCKS (g_rw_lock_writer_lock, GRWLock)
TRIES (g_rw_lock_writer_trylock, GRWLock)
UNLOCKS (g_rw_lock_writer_unlock, GRWLock)
LOCKS (g_rw_lock_reader_lock, GRWLock)
TRIES (g_rw_lock_reader_trylock, GRWLock)
UNLOCKS (g_rw_lock_reader_unlock, GRWLock)

__attribute__ ((visibility ("default")))
void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  NEXT (g_cond_wait);
  __tsan_release (mutex);
  next (cond, mutex);
  __tsan_acquire (mutex);
}

__attribute__ ((visibility ("default")))
gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end)
{
  gboolean in_time;

  NEXT (g_cond_wait_until);
  __tsan_release (mutex);
  in_time = next (cond, mutex, end);
  __tsan_acquire (mutex);
  return in_time;
}

/* -------------------------------------------------------------------- once */

__attribute__ ((visibility ("default")))
gboolean
(g_once_init_enter) (volatile void *location)
{
  gboolean first;

  NEXT (g_once_init_enter);
  first = next (location);
  __tsan_acquire ((void *) location);
  return first;
}

__attribute__ ((visibility ("default")))
void
(g_once_init_leave) (volatile void *location, gsize result)
{
  NEXT (g_once_init_leave);
  __tsan_release ((void *) location);
  next (location, result);
}

__attribute__ ((visibility ("default")))
gpointer
g_once_impl (GOnce * once, GThreadFunc function, gpointer data)
{
  gpointer result;

  NEXT (g_once_impl);
  result = next (once, function, data);
  __tsan_acquire (once);
  __tsan_release (once);
  return result;
}

/* ------------------------------------------------------------------ counted */

__attribute__ ((visibility ("default")))
void
g_object_unref (gpointer object)
{
  NEXT (g_object_unref);
  __tsan_acquire (object);
  __tsan_release (object);
  next (object);
}

static guint
count_memory (gpointer object)
{
  const GType *buffer_type = dlsym (RTLD_DEFAULT, "_gst_buffer_type");

  NEXT (gst_buffer_n_memory);
  return ((GstMiniObject *) object)->type == *buffer_type ? next (object) : 0;
}

/* Memory of a buffer, which other buffers may share; NULL for other objects. */
static GstMemory *
get_memory (gpointer object, guint index)
{
  GstMemory *memory;

  NEXT (gst_buffer_peek_memory);
  if (index >= count_memory (object))
    return NULL;
  memory = next (object, index);
  return memory->parent != NULL ? memory->parent : memory;
}

__attribute__ ((visibility ("default")))
void
gst_mini_object_unref (GstMiniObject * object)
{
  GstMemory *memory;
  NEXT (gst_mini_object_unref);

  for (guint i = 0; (memory = get_memory (object, i)) != NULL; i++)
    __tsan_release (memory);
  __tsan_acquire (object);
  __tsan_release (object);
  next (object);
}

/* The last owner of a buffer writes to it in place, after all others copied
 * it.  GStreamer unrefs it for them internally, which the sanitizer does not
 * see. */
__attribute__ ((visibility ("default")))
GstMiniObject *
gst_mini_object_make_writable (GstMiniObject * object)
{
  GstMiniObject *writable;

  NEXT (gst_mini_object_make_writable);
  __tsan_release (object);
  writable = next (object);
  __tsan_acquire (writable);
  return writable;
}

/* -------------------------------------------------------- from hand to hand */

__attribute__ ((visibility ("default")))
void
g_async_queue_push (GAsyncQueue * queue, gpointer data)
{
  NEXT (g_async_queue_push);
  __tsan_release (queue);
  next (queue, data);
}

#define POPS(function)                                                  \
  __attribute__ ((visibility ("default")))                              \
  gpointer function (GAsyncQueue * queue)                               \
  {                                                                     \
    gpointer data;                                                      \
    NEXT (function);                                                    \
    data = next (queue);                                                \
    __tsan_acquire (queue);                                             \
    return data;                                                        \
  }

POPS (g_async_queue_pop)
POPS (g_async_queue_try_pop)

__attribute__ ((visibility ("default")))
gpointer
g_async_queue_timeout_pop (GAsyncQueue * queue, guint64 timeout)
{
  gpointer data;

  NEXT (g_async_queue_timeout_pop);
  data = next (queue, timeout);
  __tsan_acquire (queue);
  return data;
}

__attribute__ ((visibility ("default")))
gboolean
gst_bus_post (GstBus * bus, GstMessage * message)
{
  NEXT (gst_bus_post);
  __tsan_release (bus);
  return next (bus, message);
}

__attribute__ ((visibility ("default")))
GstMessage *
gst_bus_timed_pop_filtered (GstBus * bus, GstClockTime timeout,
    GstMessageType types)
{
  GstMessage *message;

  NEXT (gst_bus_timed_pop_filtered);
  message = next (bus, timeout, types);
  __tsan_acquire (bus);
  return message;
}

/* The pool posts and polls with a GAtomicInt, which is not instrumented:
 * releasing a buffer happens before acquiring it. */
__attribute__ ((visibility ("default")))
void
gst_buffer_pool_release_buffer (GstBufferPool * pool, GstBuffer * buffer)
{
  NEXT (gst_buffer_pool_release_buffer);
  __tsan_release (pool);
  next (pool, buffer);
}

__attribute__ ((visibility ("default")))
GstFlowReturn
gst_buffer_pool_acquire_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  GstMemory *memory;
  GstFlowReturn flow;

  NEXT (gst_buffer_pool_acquire_buffer);
  flow = next (pool, buffer, params);
  __tsan_acquire (pool);
  /* GStreamer releases the buffer itself when its last owner unrefs it */
  if (flow == GST_FLOW_OK) {
    __tsan_acquire (*buffer);
    for (guint i = 0; (memory = get_memory (*buffer, i)) != NULL; i++)
      __tsan_acquire (memory);
  }
  return flow;
}
