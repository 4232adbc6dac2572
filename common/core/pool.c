/* gst-stereomatching: the thread pool of the CPU devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/pool.h"

#include "core/platform.h"
#include "core/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Loop bodies keep large buffers elsewhere; sanitizers enlarge frames. */
#define STACK_BYTES ((size_t) 1 << 20)

/* Spin time before sleeping: longer than most gaps between the loops of a
 * frame, and about the time to wake a thread. */
#define SPIN_NS 20000

/* By default a chunk has at most an equal share divided by this. */
#define CHUNKS_PER_SHARE 4

/* A loop, on its caller's stack. */
typedef struct Loop
{
  StereoPoolBody body;
  const void *context;
  unsigned end;
  unsigned chunk;               /* iterations, at most */
  unsigned n_workers;           /* at most */
  atomic_uint next;             /* first iteration not taken */
  atomic_uint helping;          /* threads in the loop, without the caller */
  unsigned joined;              /* worker numbers assigned; under the lock */
  pthread_cond_t done;          /* helping is 0 */
  struct Loop *link;
} Loop;

static struct
{
  /* Held while devices enter and leave and while threads end. */
  pthread_mutex_t lifetime;
  unsigned users;
  unsigned processors;          /* constant while there are users */

  /* Protects all fields below; atomics may be read without it. */
  pthread_mutex_t lock;
  pthread_cond_t work;
  bool stop;
  Loop *open;                   /* loops that accept helpers, oldest first */
  atomic_uint n_open;
  atomic_uint busy;             /* threads in loops */
  unsigned sleeping;
  unsigned spinning;
  atomic_uint requested;        /* largest number of helpers requested */
  atomic_uint n_threads;
  pthread_t threads[STEREO_POOL_MAX - 1];
} pool = {
  .lifetime = PTHREAD_MUTEX_INITIALIZER,
  .lock = PTHREAD_MUTEX_INITIALIZER,
  .work = PTHREAD_COND_INITIALIZER,
};

/* ----------------------------------------------------------------- spinning */

/* Spins until *value is zero (or nonzero) or SPIN_NS have passed.  Stops
 * early if other threads need the processor. */
static void
spin_until (atomic_uint * value, bool zero)
{
  uint64_t end = stereo_clock_ns () + SPIN_NS;

  do {
    for (int i = 0; i < 16; i++) {
      if ((atomic_load_explicit (value, memory_order_acquire) == 0) == zero)
        return;
      stereo_relax ();
    }
  } while (atomic_load_explicit (&pool.busy, memory_order_relaxed)
      <= pool.processors && stereo_clock_ns () < end);
}

/* ------------------------------------------------------------------ helpers */

/* Takes the next chunk, begin to end - 1, if any is left. */
static bool
take_chunk (Loop * loop, unsigned *begin, unsigned *end)
{
  *begin = atomic_load_explicit (&loop->next, memory_order_relaxed);
  do {
    unsigned left = loop->end - *begin, share;

    if (left == 0)
      return false;
    share = (left - 1) / loop->n_workers + 1;
    *end = *begin + (share < loop->chunk ? share : loop->chunk);
  } while (!atomic_compare_exchange_weak_explicit (&loop->next, begin, *end,
          memory_order_relaxed, memory_order_relaxed));
  return true;
}

/* Takes chunks until none is left. */
static void
work_on (Loop * loop, unsigned worker)
{
  unsigned begin, end;

  while (take_chunk (loop, &begin, &end))
    loop->body (loop->context, (StereoSpan) { (int) begin, (int) end,
          (int) worker });
}

/* Stops accepting helpers for a loop.  Under the lock. */
static void
close_loop (Loop * loop)
{
  for (Loop ** at = &pool.open; *at != NULL; at = &(*at)->link) {
    if (*at == loop) {
      *at = loop->link;
      atomic_fetch_sub (&pool.n_open, 1);
      return;
    }
  }
}

/* Helps the oldest loop, if any.  Under the lock, which is released while
 * working. */
static bool
help (void)
{
  Loop *loop = pool.open;
  unsigned worker;

  if (loop == NULL)
    return false;
  worker = ++loop->joined;
  if (loop->joined + 1 == loop->n_workers)
    close_loop (loop);
  atomic_fetch_add (&loop->helping, 1);
  atomic_fetch_add (&pool.busy, 1);
  pthread_mutex_unlock (&pool.lock);

  work_on (loop, worker);

  pthread_mutex_lock (&pool.lock);
  close_loop (loop);
  atomic_fetch_sub (&pool.busy, 1);
  /* The loop is valid until its caller gets the lock. */
  if (atomic_fetch_sub (&loop->helping, 1) == 1)
    pthread_cond_signal (&loop->done);
  return true;
}

static void *
run_thread (void *data)
{
  (void) data;
  pthread_mutex_lock (&pool.lock);
  while (!pool.stop) {
    if (help ())
      continue;
    if (atomic_load (&pool.busy) < pool.processors) {
      pool.spinning++;
      pthread_mutex_unlock (&pool.lock);
      spin_until (&pool.n_open, false);
      pthread_mutex_lock (&pool.lock);
      pool.spinning--;
    }
    if (pool.open == NULL && !pool.stop) {
      pool.sleeping++;
      pthread_cond_wait (&pool.work, &pool.lock);
      pool.sleeping--;
    }
  }
  pthread_mutex_unlock (&pool.lock);
  return NULL;
}

/* Creates threads up to the wanted number.  Under the lock.  Returns an errno
 * value. */
static int
create_threads (unsigned wanted)
{
  int error = 0;

  while (pool.n_threads < wanted && error == 0) {
    error = stereo_thread_create (&pool.threads[pool.n_threads], STACK_BYTES,
        run_thread, NULL);
    if (error == 0)
      pool.n_threads++;
  }
  return error;
}

static void
request_threads (unsigned wanted, StereoLogFunction log, void *log_data)
{
  int error = 0;
  unsigned made;
  char text[256];

  pthread_mutex_lock (&pool.lock);
  if (pool.requested < wanted) {
    error = create_threads (wanted);
    /* Do not retry a failure in each loop. */
    pool.requested = error == 0 ? wanted : STEREO_POOL_MAX;
  }
  made = pool.n_threads;
  pthread_mutex_unlock (&pool.lock);
  if (error == 0 || log == NULL)
    return;
  snprintf (text, sizeof (text), "only %u of %u threads could be created, "
      "continuing with these: %s", made + 1, wanted + 1,
      strerror (error));
  log (STEREO_LOG_WARNING, text, log_data);
}

/* -------------------------------------------------------------------- loops */

/* Runs a loop with helpers and returns when it is complete. */
static void
run_shared (Loop * loop)
{
  unsigned calls;

  pthread_cond_init (&loop->done, NULL);
  pthread_mutex_lock (&pool.lock);
  for (Loop ** at = &pool.open;; at = &(*at)->link) {
    if (*at == NULL) {
      *at = loop;
      break;
    }
  }
  atomic_fetch_add (&pool.n_open, 1);
  atomic_fetch_add (&pool.busy, 1);
  calls = loop->n_workers - 1;
  calls = calls > pool.spinning ? calls - pool.spinning : 0;
  calls = calls < pool.sleeping ? calls : pool.sleeping;
  pthread_mutex_unlock (&pool.lock);
  for (unsigned i = 0; i < calls; i++)
    pthread_cond_signal (&pool.work);

  work_on (loop, 0);

  spin_until (&loop->helping, true);
  pthread_mutex_lock (&pool.lock);
  close_loop (loop);
  while (atomic_load (&loop->helping) > 0)
    pthread_cond_wait (&loop->done, &pool.lock);
  atomic_fetch_sub (&pool.busy, 1);
  pthread_mutex_unlock (&pool.lock);
  pthread_cond_destroy (&loop->done);
}

void
stereo_pool_for (unsigned n_workers, int n, int chunk, StereoPoolBody body,
    const void *context, StereoLogFunction log, void *log_data)
{
  Loop loop = {.body = body,.context = context,.end = (unsigned) n };
  unsigned n_chunks;

  if (n <= 0)
    return;
  if (n_workers > STEREO_POOL_MAX)
    n_workers = STEREO_POOL_MAX;
  loop.chunk = chunk > 0 ? (unsigned) chunk
      : (loop.end - 1) / (CHUNKS_PER_SHARE * n_workers) + 1;
  n_chunks = (loop.end - 1) / loop.chunk + 1;
  loop.n_workers = n_chunks < n_workers ? n_chunks : n_workers;
  if (loop.n_workers > 1 && atomic_load (&pool.requested) < loop.n_workers - 1)
    request_threads (loop.n_workers - 1, log, log_data);
  if (loop.n_workers == 1 || atomic_load (&pool.n_threads) == 0)
    work_on (&loop, 0);
  else
    run_shared (&loop);
}

/* ----------------------------------------------------------------- lifetime */

static void
before_fork (void)
{
  pthread_mutex_lock (&pool.lifetime);
  pthread_mutex_lock (&pool.lock);
}

static void
after_fork (void)
{
  pthread_mutex_unlock (&pool.lock);
  pthread_mutex_unlock (&pool.lifetime);
}

/* The child has none of the threads and none of their callers. */
static void
after_fork_in_child (void)
{
  pthread_mutex_init (&pool.lock, NULL);
  pthread_mutex_init (&pool.lifetime, NULL);
  pthread_cond_init (&pool.work, NULL);
  pool.open = NULL;
  pool.n_open = pool.busy = pool.requested = pool.n_threads = 0;
  pool.sleeping = pool.spinning = 0;
}

static void
register_fork_handlers (void)
{
  stereo_at_fork (before_fork, after_fork, after_fork_in_child);
}

void
stereo_pool_enter (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, register_fork_handlers);
  pthread_mutex_lock (&pool.lifetime);
  if (pool.users++ == 0)
    pool.processors = stereo_processors ();
  pthread_mutex_unlock (&pool.lifetime);
}

void
stereo_pool_leave (void)
{
  pthread_mutex_lock (&pool.lifetime);
  if (--pool.users == 0) {
    pthread_mutex_lock (&pool.lock);
    pool.stop = true;
    pthread_cond_broadcast (&pool.work);
    pthread_mutex_unlock (&pool.lock);
    for (unsigned i = 0; i < pool.n_threads; i++)
      pthread_join (pool.threads[i], NULL);
    pool.stop = false;
    pool.n_threads = pool.requested = 0;
  }
  pthread_mutex_unlock (&pool.lifetime);
}
