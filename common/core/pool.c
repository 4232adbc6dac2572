/* gst-stereomatching: the threads of the CPU devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#define _GNU_SOURCE             /* sched_getaffinity() */

#include "core/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of a thread.  The bodies keep what is large elsewhere, but a sanitizer makes
 * frames larger. */
#define STACK_BYTES ((size_t) 1 << 20)

/* How long a thread looks for work before it sleeps, and a caller for the last
 * chunk of its loop: longer than most gaps between the loops of a frame, and
 * about what it takes to wake a thread. */
#define SPIN_NS 20000

/* Chunks to each worker, where the caller leaves it to the pool. */
#define CHUNKS_PER_WORKER 4

/* A loop, on its caller's stack. */
typedef struct Loop
{
  StereoPoolBody body;
  const void *context;
  unsigned end;
  unsigned chunk;
  unsigned n_workers;           /* at most */
  atomic_uint next;             /* iteration that nobody has taken */
  atomic_uint helping;          /* threads in it, but for the caller */
  unsigned joined;              /* numbers given away; under the lock */
  pthread_cond_t done;          /* helping is 0 */
  struct Loop *link;
} Loop;

static struct
{
  /* Devices come and go under this one, and threads end under it. */
  pthread_mutex_t lifetime;
  unsigned users;

  /* For everything that follows; atomics are read without it, too. */
  pthread_mutex_t lock;
  pthread_cond_t work;
  bool stop;
  Loop *open;                   /* that may want helpers, oldest first */
  atomic_uint n_open;
  atomic_uint busy;             /* threads that are in loops */
  unsigned sleeping;
  unsigned spinning;
  unsigned processors;
  atomic_uint asked;            /* threads that a loop could have used */
  atomic_uint n_threads;
  pthread_t threads[STEREO_POOL_MAX - 1];
} pool = {
  .lifetime = PTHREAD_MUTEX_INITIALIZER,
  .lock = PTHREAD_MUTEX_INITIALIZER,
  .work = PTHREAD_COND_INITIALIZER,
};

unsigned
stereo_pool_processors (void)
{
  long n = 0;
#ifdef CPU_COUNT
  cpu_set_t set;

  if (sched_getaffinity (0, sizeof (set), &set) == 0)
    n = CPU_COUNT (&set);
#endif
  if (n < 1)
    n = sysconf (_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (unsigned) n;
}

/* ----------------------------------------------------------------- spinning */

static void
relax (void)
{
#if defined (__x86_64__) || defined (__i386__)
  __builtin_ia32_pause ();
#elif defined (__aarch64__)
  __asm__ volatile ("yield");
#endif
}

static uint64_t
now_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

/* Looks until *value is zero, or is not, for a while; and not at all when other
 * threads could use the processor. */
static void
spin_until (atomic_uint * value, bool zero)
{
  uint64_t end = now_ns () + SPIN_NS;

  do {
    for (int i = 0; i < 16; i++) {
      if ((atomic_load_explicit (value, memory_order_acquire) == 0) == zero)
        return;
      relax ();
    }
  } while (atomic_load_explicit (&pool.busy, memory_order_relaxed)
      <= pool.processors && now_ns () < end);
}

/* ------------------------------------------------------------------ helpers */

/* The chunk that starts with iteration begin. */
static void
run_chunk (const Loop * loop, unsigned begin, unsigned worker)
{
  unsigned left = loop->end - begin;
  unsigned end = left < loop->chunk ? loop->end : begin + loop->chunk;

  loop->body (loop->context, (StereoSpan) { (int) begin, (int) end,
        (int) worker });
}

/* Works on a loop until all of it is taken. */
static void
work_on (Loop * loop, unsigned worker)
{
  unsigned begin;

  while ((begin = atomic_fetch_add_explicit (&loop->next, loop->chunk,
              memory_order_relaxed)) < loop->end)
    run_chunk (loop, begin, worker);
}

/* Takes a loop out of those that want helpers.  Under the lock. */
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

/* Helps the oldest loop, if there is one.  Under the lock, which it leaves for
 * the time of the work. */
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
  /* The caller does not free the loop before it gets the lock. */
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

/* Makes threads until there are as many as wanted.  Under the lock; returns an
 * error code. */
static int
make_threads (unsigned wanted)
{
  pthread_attr_t attributes;
  sigset_t all, before;
  int error = pthread_attr_init (&attributes);

  if (error != 0)
    return error;
  pthread_attr_setstacksize (&attributes, STACK_BYTES);
  /* Signals are for the program's own threads. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  while (pool.n_threads < wanted && error == 0) {
    error = pthread_create (&pool.threads[pool.n_threads], &attributes,
        run_thread, NULL);
    if (error == 0)
      pool.n_threads++;
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&attributes);
  return error;
}

static void
ask_for_threads (unsigned wanted, StereoLogFunction log, void *log_data)
{
  int error = 0;
  unsigned made;
  char text[256];

  pthread_mutex_lock (&pool.lock);
  if (pool.asked < wanted) {
    error = make_threads (wanted);
    /* what failed is not tried again with each loop */
    pool.asked = error == 0 ? wanted : STEREO_POOL_MAX;
  }
  made = pool.n_threads;
  pthread_mutex_unlock (&pool.lock);
  if (error == 0 || log == NULL)
    return;
  snprintf (text, sizeof (text), "only %u of %u threads could be made, "
      "matching goes on with these: %s", made + 1, wanted + 1,
      strerror (error));
  log (STEREO_LOG_WARNING, text, log_data);
}

/* -------------------------------------------------------------------- loops */

/* Works on a loop together with others, and returns when all of it is done. */
static void
share_out (Loop * loop)
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
      : (loop.end - 1) / (CHUNKS_PER_WORKER * n_workers) + 1;
  n_chunks = (loop.end - 1) / loop.chunk + 1;
  loop.n_workers = n_chunks < n_workers ? n_chunks : n_workers;
  if (loop.n_workers > 1 && atomic_load (&pool.asked) < loop.n_workers - 1)
    ask_for_threads (loop.n_workers - 1, log, log_data);
  if (loop.n_workers == 1 || atomic_load (&pool.n_threads) == 0)
    work_on (&loop, 0);
  else
    share_out (&loop);
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

/* None of the threads is here, nor whoever called them. */
static void
after_fork_in_child (void)
{
  pthread_mutex_init (&pool.lock, NULL);
  pthread_mutex_init (&pool.lifetime, NULL);
  pthread_cond_init (&pool.work, NULL);
  pool.open = NULL;
  pool.n_open = pool.busy = pool.asked = pool.n_threads = 0;
  pool.sleeping = pool.spinning = 0;
}

static void
watch_forks (void)
{
  pthread_atfork (before_fork, after_fork, after_fork_in_child);
}

void
stereo_pool_enter (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, watch_forks);
  pthread_mutex_lock (&pool.lifetime);
  if (pool.users++ == 0)
    pool.processors = stereo_pool_processors ();
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
    pool.n_threads = pool.asked = 0;
  }
  pthread_mutex_unlock (&pool.lifetime);
}
