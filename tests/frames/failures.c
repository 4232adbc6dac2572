/* gst-stereomatching: failing GPUs in every element that uses one
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Each element on a GPU that is lost while a frame is in flight, that has no
 * memory, or that hangs for a while: see fake-cuda.h.
 */

#include "../check/stereocheck.h"
#include "fake-cuda.h"
#include "plugin.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <pthread.h>

#define N_FRAMES 8

/* Time in which an event that must not happen would happen. */
#define A_WHILE (100 * 1000)

#define SOURCE(view) "stereotestsrc num-buffers=8 num-disparities=8 " \
    "view=" view " ! video/x-raw, width=64, height=64 ! "

/* Lines with the element e, which lacks its backend, and what it does; then
 * elements without a backend.  The matchers share all that may fail in an
 * element; unit-matcher has the allocations of their algorithms. */
static const struct
{
  const gchar *line;
  const gchar *purpose;
} elements[] = {
  {SOURCE ("left") "e.sink_left " SOURCE ("right") "e.sink_right "
        "stereovcbw name=e radius=2 num-disparities=8", "match the views"},
  {SOURCE ("disparity") "disparitydepth name=e focal-length=50 baseline=0.1",
      "compute the depth"},
  {SOURCE ("disparity") "disparitycolor name=e", "colour the map"},
  {"stereotestsrc num-buffers=8 view=left ! video/x-raw, width=672, "
        "height=376 ! stereorectify name=e view=left", "rectify the view"},
  {SOURCE ("left") "e.sink_left " SOURCE ("disparity") "e.sink_disparity "
        "stereoview name=e", "render the views"},
  {SOURCE ("left") "e.sink_left " SOURCE ("disparity") "e.sink_disparity "
        "disparitycloud name=e focal-length=50 baseline=0.1",
      "compute the point cloud"},
  {"stereotestsrc num-buffers=8 view=side-by-side ! stereosplit name=e "
        "layout=row-interleaved  e.src_right ! fakesink async=false  "
        "e.src_left", ""},
  {"stereotestsrc num-buffers=8 name=e", ""},
};

#define N_KINDS 6               /* of elements with a backend */

typedef struct
{
  GstElement *pipeline;
  const gchar *purpose;
  gint n_buffers;
  guint n_warnings;
  guint n_errors;
  gchar *error;                 /* the first one of e */
  GstClockTime settle;          /* time to wait for another message */
} Run;

static gchar *calibration;

static void
on_buffer (GstElement * sink, GstBuffer * buffer, GstPad * pad, gpointer n)
{
  g_atomic_int_inc ((gint *) n);
}

static void
open_run (Run * run, gint element, const gchar * backend)
{
  GstElement *e;

  memset (run, 0, sizeof (*run));
  run->settle = A_WHILE * GST_USECOND;
  fake_cuda_reset ();
  run->pipeline = pipeline_new ("%s ! fakesink name=sink async=false",
      elements[element].line);
  run->purpose = elements[element].purpose;
  pipeline_watch (run->pipeline, "sink", G_CALLBACK (on_buffer),
      &run->n_buffers);
  e = gst_bin_get_by_name (GST_BIN (run->pipeline), "e");
  if (run->purpose[0] != '\0')
    gst_util_set_object_arg (G_OBJECT (e), "backend", backend);
  if (strcmp (run->purpose, "rectify the view") == 0)
    g_object_set (e, "calibration", calibration, NULL);
  gst_object_unref (e);
}

static void
count_message (Run * run, GstMessage * message)
{
  const gboolean own = strcmp (GST_MESSAGE_SRC_NAME (message), "e") == 0;
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    run->n_warnings += own;
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && own) {
    gst_message_parse_error (message, &error, NULL);
    if (run->n_errors++ == 0)
      run->error = g_strdup (error->message);
    g_error_free (error);
  }
}

/* Plays to the end or to an error, and then waits for another message. */
static void
play (Run * run)
{
  const GstMessageType types = GST_MESSAGE_EOS | GST_MESSAGE_ERROR
      | GST_MESSAGE_WARNING;
  GstBus *bus = gst_element_get_bus (run->pipeline);
  GstMessage *message;
  gboolean over = FALSE;

  gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
  while ((message = gst_bus_timed_pop_filtered (bus, over ? run->settle
              : PATIENCE, types)) != NULL) {
    count_message (run, message);
    over |= GST_MESSAGE_TYPE (message) != GST_MESSAGE_WARNING;
    gst_message_unref (message);
  }
  fail_unless (over, "%s: neither an end nor an error", run->purpose);
  gst_object_unref (bus);
}

/* Checks that it works again without a message, and that nothing leaks. */
static void
close_run (Run * run)
{
  set_state (run->pipeline, GST_STATE_NULL);
  fake_cuda_reset ();
  g_clear_pointer (&run->error, g_free);
  run->n_buffers = 0;
  run->n_warnings = run->n_errors = 0;
  play (run);
  fail_unless_equals_int (run->n_buffers, N_FRAMES);
  fail_unless_equals_int (run->n_warnings, 0);
  fail_unless_equals_int (run->n_errors, 0);
  pipeline_free (run->pipeline);
  fail_unless_equals_uint64 (fake_cuda_used (), 0);
  g_free (run->error);
}

static void
check_fallback (const Run * run)
{
  fail_unless (run->n_errors == 0, "%s: %s", run->purpose, run->error);
  fail_unless (run->n_warnings == 1, "%s: %u warnings", run->purpose,
      run->n_warnings);
}

static void
check_error (const Run * run, const gchar * begin, const gchar * reason)
{
  gchar *expected = g_strdup_printf ("%s %s: ", begin, run->purpose);

  fail_unless (run->n_errors == 1, "%s: %u errors", run->purpose,
      run->n_errors);
  fail_unless_equals_int (run->n_warnings, 0);
  fail_unless (g_str_has_prefix (run->error, expected)
      && strstr (run->error, reason) != NULL, "%s", run->error);
  g_free (expected);
}

/* Waits until a thread has waited for the GPU for a while. */
static void
wait_until_held (void)
{
  for (guint i = 0; i < PATIENCE / GST_MSECOND && fake_cuda_waits () == 0; i++)
    g_usleep (1000);
  g_usleep (A_WHILE);
}

static gpointer
lose_later (gpointer unused)
{
  wait_until_held ();
  fake_cuda_lose ();
  return unused;
}

static gpointer
release_later (gpointer unused)
{
  wait_until_held ();
  fake_cuda_hold (FALSE);
  return unused;
}

/* Plays on a paused GPU and calls then(). */
static void
play_held (Run * run, GThreadFunc then)
{
  GThread *thread;

  fake_cuda_hold (TRUE);
  thread = g_thread_new ("then", then, NULL);
  play (run);
  g_thread_join (thread);
}

/* Frames in flight are lost, and the CPU processes the others. */
LOOP_TEST (test_lost_auto, 0, N_KINDS)
{
  Run run;

  open_run (&run, __i__, "auto");
  play_held (&run, lose_later);
  check_fallback (&run);
  /* frames in flight arrived before they were lost */
  fail_unless_equals_int (run.n_buffers, N_FRAMES);
  close_run (&run);
}

LOOP_TEST (test_lost_cuda, 0, N_KINDS)
{
  Run run;

  open_run (&run, __i__, "cuda");
  play_held (&run, lose_later);
  check_error (&run, "Failed to", "the GPU is gone");
  close_run (&run);
}

LOOP_TEST (test_no_memory_auto, 0, N_KINDS)
{
  Run run;

  open_run (&run, __i__, "auto");
  fake_cuda_limit (100);
  play (&run);
  check_fallback (&run);
  fail_unless_equals_int (run.n_buffers, N_FRAMES);
  close_run (&run);
}

LOOP_TEST (test_no_memory_cuda, 0, N_KINDS)
{
  Run run;

  open_run (&run, __i__, "cuda");
  fake_cuda_limit (100);
  play (&run);
  check_error (&run, "Not enough memory to", "out of memory");
  close_run (&run);
}

/* ----------------------------------------------------- memory of the host */

/* Without memory for its parameters, a matcher is constructed, but does not
 * start. */
TEST (test_no_params)
{
  Run run;
  guint disparities = 7;
  GstElement *e;

  n_failing_params = G_MAXUINT;
  open_run (&run, 0, "cpu");
  e = gst_bin_get_by_name (GST_BIN (run.pipeline), "e");
  g_object_set (e, "num-disparities", 16, NULL);
  g_object_get (e, "num-disparities", &disparities, NULL);
  fail_unless_equals_int (disparities, 0);
  gst_object_unref (e);
  play (&run);
  fail_unless_equals_int (run.n_errors, 1);
  fail_unless (g_str_has_prefix (run.error, "Cannot use the CPU: cannot start "
          "vcbw") && strstr (run.error, "out of memory") != NULL, "%s",
      run.error);
  set_state (run.pipeline, GST_STATE_NULL);
  gst_object_unref (run.pipeline);
  g_free (run.error);
  n_failing_params = 0;

  open_run (&run, 0, "cpu");
  play (&run);
  fail_unless_equals_int (run.n_buffers, N_FRAMES);
  close_run (&run);
}

static gboolean no_view;

gpointer __real_g_try_malloc_n (gsize n, gsize bytes);
gpointer __wrap_g_try_malloc_n (gsize n, gsize bytes);

gpointer
__wrap_g_try_malloc_n (gsize n, gsize bytes)
{
  return no_view ? NULL : __real_g_try_malloc_n (n, bytes);
}

/* A disturbed view is a part of another one, which may be large. */
TEST (test_no_disturbed_view)
{
  Run run = { NULL, };

  run.pipeline = pipeline_new ("stereotestsrc name=e num-buffers=8 view=right "
      "roll=1 ! video/x-raw, width=64, height=48 ! fakesink name=sink");
  run.purpose = "render";
  pipeline_watch (run.pipeline, "sink", G_CALLBACK (on_buffer),
      &run.n_buffers);
  no_view = TRUE;
  play (&run);
  /* GstBaseSrc may report the end of the stream as another error */
  fail_unless_equals_string (run.error, "Not enough memory to render a "
      "disturbed view of 64x48. Set a smaller size in the caps.");
  no_view = FALSE;
  close_run (&run);
}

LOOP_TEST (test_hang, 0, N_KINDS)
{
  static const gchar *const backends[] = { "auto", "cuda" };
  Run run;

  for (guint i = 0; i < 2; i++) {
    open_run (&run, __i__, backends[i]);
    play_held (&run, release_later);
    fail_unless_equals_int (run.n_errors + run.n_warnings, 0);
    fail_unless_equals_int (run.n_buffers, N_FRAMES);
    fail_unless (fake_cuda_waits () > 0);
    close_run (&run);
  }
}

/* ---------------------------------------------------------- every n-th call */

/* Calls of the plugin and the library that the linker redirects here. */
typedef enum
{
  FAULT_NONE,
  FAULT_MEMORY,
  FAULT_THREAD,
  FAULT_BUFFER,
  FAULT_GPU,
} Fault;

static gint fault, calls_left, living;

static gboolean
fails (Fault kind)
{
  return g_atomic_int_get (&fault) == (gint) kind
      && g_atomic_int_add (&calls_left, -1) == 0;
}

static void *
counted (void *memory)
{
  if (memory != NULL)
    g_atomic_int_inc (&living);
  return memory;
}

#define WRAP(type, name, arguments) \
  type __real_##name arguments; \
  __attribute__ ((visibility ("default"))) type __wrap_##name arguments; \
  type __wrap_##name arguments

WRAP (void *, malloc, (size_t size))
{
  return fails (FAULT_MEMORY) ? NULL : counted (__real_malloc (size));
}

WRAP (void *, calloc, (size_t n, size_t size))
{
  return fails (FAULT_MEMORY) ? NULL : counted (__real_calloc (n, size));
}

WRAP (void *, realloc, (void *memory, size_t size))
{
  void *result = fails (FAULT_MEMORY) ? NULL : __real_realloc (memory, size);

  return memory == NULL ? counted (result) : result;
}

WRAP (void *, aligned_alloc, (size_t alignment, size_t size))
{
  return fails (FAULT_MEMORY) ? NULL
      : counted (__real_aligned_alloc (alignment, size));
}

WRAP (int, posix_memalign, (void **memory, size_t alignment, size_t size))
{
  int error = fails (FAULT_MEMORY) ? ENOMEM
      : __real_posix_memalign (memory, alignment, size);

  if (error == 0)
    counted (*memory);
  return error;
}

WRAP (void, free, (void *memory))
{
  if (memory != NULL)
    g_atomic_int_add (&living, -1);
  __real_free (memory);
}

WRAP (int, pthread_create, (pthread_t * thread,
        const pthread_attr_t * attributes, void *(*run) (void *), void *data))
{
  return fails (FAULT_THREAD) ? EAGAIN
      : __real_pthread_create (thread, attributes, run, data);
}

WRAP (GstFlowReturn, gst_buffer_pool_acquire_buffer, (GstBufferPool * pool,
        GstBuffer ** buffer, GstBufferPoolAcquireParams * params))
{
  return fails (FAULT_BUFFER) ? GST_FLOW_ERROR
      : __real_gst_buffer_pool_acquire_buffer (pool, buffer, params);
}

WRAP (GstBuffer *, gst_buffer_new_allocate, (GstAllocator * allocator,
        gsize size, GstAllocationParams * params))
{
  return fails (FAULT_BUFFER) ? NULL
      : __real_gst_buffer_new_allocate (allocator, size, params);
}

static void
set_fault (Fault kind, guint n)
{
  g_atomic_int_set (&calls_left, (gint) n);
  g_atomic_int_set (&fault, (gint) kind);
  if (kind == FAULT_GPU)
    fake_cuda_fail_after (n);
}

/* Stops counting, and returns whether there was an n-th call. */
static gboolean
clear_fault (void)
{
  const gboolean failed = g_atomic_int_get (&fault) == FAULT_GPU
      ? fake_cuda_has_failed () : g_atomic_int_get (&calls_left) < 0;

  g_atomic_int_set (&fault, FAULT_NONE);
  return failed;
}

/* Lets each of the first calls of a kind fail, and fewer of the later ones (all
 * with STEREO_TEST_EVERY_CALL).  There must be one message, or none and all
 * frames; the next start works, and nothing leaks. */
static void
check_faults (gint element, Fault kind, const gchar * backend)
{
  const gboolean every = g_getenv ("STEREO_TEST_EVERY_CALL") != NULL;
  gboolean failed = TRUE;
  Run run;

  for (guint n = 0; failed; n += every ? 1 : MAX (n / 2, 1)) {
    const gint before = g_atomic_int_get (&living);

    open_run (&run, element, backend);
    run.settle = 5 * GST_MSECOND;
    set_fault (kind, n);
    play (&run);
    failed = clear_fault ();
    GST_INFO ("%s, call %u of kind %d: %u warnings, %s",
        elements[element].line, n, kind, run.n_warnings, run.error);
    fail_unless (run.n_errors + run.n_warnings <= 1, "%s, call %u of kind "
        "%d: %u errors, %u warnings, %s", elements[element].line, n, kind,
        run.n_errors, run.n_warnings, run.error);
    fail_unless (run.n_errors == 1 || run.n_buffers == N_FRAMES,
        "%s, call %u of kind %d: %d frames and no error",
        elements[element].line, n, kind, run.n_buffers);
    close_run (&run);
    fail_unless_equals_int (g_atomic_int_get (&living), before);
  }
}

#define N_ELEMENTS (gint) G_N_ELEMENTS (elements)

LOOP_TEST (test_every_allocation, 0, N_ELEMENTS)
{
  check_faults (__i__, FAULT_MEMORY, "cpu");
}

LOOP_TEST (test_every_thread, 0, N_ELEMENTS)
{
  check_faults (__i__, FAULT_THREAD, "cpu");
}

LOOP_TEST (test_every_buffer, 0, N_ELEMENTS)
{
  check_faults (__i__, FAULT_BUFFER, "cpu");
}

LOOP_TEST (test_every_gpu_call_auto, 0, N_ELEMENTS)
{
  check_faults (__i__, FAULT_GPU, "auto");
}

LOOP_TEST (test_every_gpu_call_cuda, 0, N_ELEMENTS)
{
  check_faults (__i__, FAULT_GPU, "cuda");
}

static void
set_up (void)
{
  gint file = g_file_open_tmp ("calibration-XXXXXX.conf", &calibration, NULL);

  register_plugin ();
  fail_unless (file >= 0);
  g_close (file, NULL);
  fail_unless (g_file_set_contents (calibration,
          "[LEFT_CAM_VGA]\nfx=350\nfy=350\ncx=336\ncy=188\nk1=-0.1\n"
          "[RIGHT_CAM_VGA]\nfx=350\nfy=350\ncx=330\ncy=180\nk1=-0.1\n"
          "[STEREO]\nBaseline=120\nTY=0\nTZ=0\nRX_VGA=0\nCV_VGA=0\n"
          "RZ_VGA=0\n", -1, NULL));
}

static void
tear_down (void)
{
  g_unlink (calibration);
  g_free (calibration);
}

CHECK_MAIN_FIXTURE ("failures", set_up, tear_down)
