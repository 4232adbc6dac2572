/* gst-stereomatching: test program with and without a data race
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   races          two threads that use their locks correctly: no report
 *   races race     two threads that do not: must fail
 */

#include <gst/gst.h>

#define TIMES 1000

static GMutex mutex;
static GRecMutex rec_mutex;
static GRWLock rw_lock;
static GCond cond;
static GAsyncQueue *queue;
static GstBuffer *buffers[TIMES];       /* shared by both threads */

/* Protected by the locks. */
static int under_mutex, under_rec_mutex, under_rw_lock;
static gboolean said;
static int unguarded;

static gpointer
run (gpointer race)
{
  GstClockTime time = 1;

  /* before this thread acquires a lock that the other one released */
  if (race != NULL)
    unguarded++;
  for (int i = 0; i < TIMES; i++) {
    GstBuffer *buffer = buffers[i];

    time += GST_BUFFER_PTS (buffer);
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = time;
    gst_buffer_unref (buffer);
  }
  for (int i = 0; i < TIMES; i++) {
    int *sent = g_new (int, 1), *got;

    g_mutex_lock (&mutex);
    under_mutex++;
    g_mutex_unlock (&mutex);
    g_rec_mutex_lock (&rec_mutex);
    under_rec_mutex++;
    g_rec_mutex_unlock (&rec_mutex);
    g_rw_lock_writer_lock (&rw_lock);
    under_rw_lock++;
    g_rw_lock_writer_unlock (&rw_lock);
    g_rw_lock_reader_lock (&rw_lock);
    *sent = under_rw_lock;
    g_rw_lock_reader_unlock (&rw_lock);
    g_async_queue_push (queue, sent);
    got = g_async_queue_pop (queue);
    g_free (got);
  }
  g_mutex_lock (&mutex);
  said = TRUE;
  g_cond_signal (&cond);
  g_mutex_unlock (&mutex);
  return NULL;
}

int
main (int argc, char **argv)
{
  gpointer race = argc > 1 ? argv[1] : NULL;
  GThread *threads[2];

  gst_init (NULL, NULL);
  for (int i = 0; i < TIMES; i++) {
    buffers[i] = gst_buffer_new ();
    GST_BUFFER_PTS (buffers[i]) = 0;
    gst_buffer_ref (buffers[i]);
  }
  queue = g_async_queue_new ();
  for (int i = 0; i < 2; i++)
    threads[i] = g_thread_new ("races", run, race);
  g_mutex_lock (&mutex);
  while (!said)
    g_cond_wait (&cond, &mutex);
  g_mutex_unlock (&mutex);
  for (int i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  g_async_queue_unref (queue);
  return under_mutex != 2 * TIMES || under_rec_mutex != 2 * TIMES
      || under_rw_lock != 2 * TIMES || (race != NULL && unguarded == 0);
}
