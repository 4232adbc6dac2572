/* gst-stereomatching: configuration of a runner
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner-private.h"

#include "core/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
add_ports (StereoRunner * r, const StereoPort * ports)
{
  for (unsigned n = 0; ports[n].name != NULL && n < STEREO_MAX_PORTS; n++)
    r->ports[r->n_ports++].port = &ports[n];
}

/* ----------------------------------------------------------------- lifetime */

/* winpthreads allocates memory for a lock when it is first used. */
static bool
init_lock (StereoRunner * r)
{
  if (pthread_cond_init (&r->waited, NULL) != 0)
    return false;
  if (pthread_mutex_init (&r->lock, NULL) == 0
      && pthread_mutex_lock (&r->lock) == 0
      && pthread_mutex_unlock (&r->lock) == 0)
    return true;
  pthread_cond_destroy (&r->waited);
  return false;
}

StereoStatus
stereo_runner_new (const StereoOp * op, StereoDevice * device,
    StereoRunner ** runner, StereoMessage * why)
{
  StereoRunner *r = calloc (1, sizeof (*r));
  StereoStatus status;

  if (r == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  r->state = calloc (1, op->state_size);
  if (r->state == NULL)
    status = stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  else
    status = device->klass->queue_new (device, &r->queue, why);
  if (status == STEREO_OK && !init_lock (r)) {
    r->queue->klass->free (r->queue);
    status = stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  }
  if (status != STEREO_OK) {
    free (r->state);
    free (r);
    return status;
  }
  r->op = op;
  add_ports (r, op->inputs);
  r->n_inputs = r->n_ports;
  add_ports (r, op->outputs);
  r->device = stereo_device_ref (device);
  stereo_runner_set_frames (r, STEREO_DEFAULT_FRAMES);
  r->n_slots = r->n_wanted;
  r->next_frame = 1;
  *runner = r;
  return STEREO_OK;
}

void
stereo_runner_free (StereoRunner ** runner)
{
  StereoRunner *r = *runner;

  *runner = NULL;
  if (r == NULL)
    return;
  if (stereo_runner_sync (r) != STEREO_OK)
    stereo_log (r->device, STEREO_LOG_WARNING, "%s", r->message.text);
  if (r->op->clear != NULL)
    r->op->clear (r->state);
  r->queue->klass->free (r->queue);
  stereo_device_free (r->device, &r->arena_memory);
  stereo_device_free_pinned (r->device, &r->pinned_memory);
  pthread_mutex_destroy (&r->lock);
  pthread_cond_destroy (&r->waited);
  free (r->state);
  stereo_device_unref (&r->device);
  free (r);
}

void *
stereo_runner_state (StereoRunner * r)
{
  return r->state;
}

StereoDevice *
stereo_runner_device (StereoRunner * r)
{
  return r->device;
}

void
stereo_runner_set_frames (StereoRunner * r, unsigned n)
{
  const unsigned most = r->device->klass->n_slots;

  r->n_wanted = n < 1 ? 1 : n > most ? most : n;
}

StereoMessage *
stereo_runner_message (StereoRunner * r)
{
  return &r->message;
}

const char *
stereo_runner_warning (const StereoRunner * r)
{
  return r->warning.text;
}

void
stereo_runner_get_stats (StereoRunner * r, StereoMatcherStats * stats)
{
  pthread_mutex_lock (&r->lock);
  *stats = r->stats;
  pthread_mutex_unlock (&r->lock);
}

void
stereo_runner_set_profiling (StereoRunner * r, bool profiling)
{
  r->profiling = profiling;
}

bool
stereo_runner_get_stage (StereoRunner * r, size_t index, const char **name,
    uint64_t * ns)
{
  bool found;

  pthread_mutex_lock (&r->lock);
  found = index < r->n_stages;
  if (found && name != NULL)
    *name = r->stage_name[index];
  if (found && ns != NULL)
    *ns = r->stage_ns[index];
  pthread_mutex_unlock (&r->lock);
  return found;
}

/* ---------------------------------------------------------------- configure */

StereoPortSetup
stereo_port_setup_of (const StereoImage * image)
{
  const StereoFormatInfo *info = stereo_format_info (image->format);

  return (StereoPortSetup) {
    .format = image->format,
    .width = image->width,
    .height = image->height,
    /* an unknown format is refused later */
    .n_planes = info != NULL ? stereo_format_planes (info,
        stereo_format_is_color (info)) : 1,
  };
}

bool
stereo_port_setup_equal (const StereoPortSetup * a, const StereoPortSetup * b)
{
  return a->format == b->format && a->width == b->width
      && a->height == b->height && a->n_planes == b->n_planes;
}

static void
configure_port (const StereoRunner * r, const StereoPortSetup * setup,
    Port * p)
{
  const StereoFormatInfo *info = stereo_format_info (setup->format);

  p->setup = *setup;
  for (int i = 0; i < setup->n_planes; i++) {
    p->row_bytes[i] = stereo_format_row_bytes (info, i, setup->width);
    p->rows[i] = stereo_format_rows (info, i, setup->height);
    p->stride[i] = stereo_round_up (p->row_bytes[i],
        r->device->klass->row_alignment);
  }
}

/* Declares the copies of the images of all frames in flight. */
static void
plan_copies (StereoRunner * r)
{
  for (unsigned s = 0; s < r->n_slots && stereo_runner_copies (r); s++) {
    for (unsigned i = 0; i < r->n_ports; i++) {
      const Port *p = &r->ports[i];

      for (int j = 0; j < p->setup.n_planes; j++) {
        Plane *plane = &r->slots[s].planes[i][j];

        stereo_arena_add (&r->arena, (void **) &plane->device, p->stride[j],
            p->rows[j]);
        stereo_arena_add (&r->pinned, (void **) &plane->staging, p->stride[j],
            p->rows[j]);
      }
    }
  }
}

/* Enlarges the two allocations to the size of the arenas. */
static StereoStatus
reserve (StereoRunner * r)
{
  StereoStatus status = STEREO_OK;
  uint64_t allocations = 0;

  if (r->arena.overflow || r->pinned.overflow)
    return stereo_fail (&r->message, STEREO_ERROR_MEMORY,
        "the buffers for this size exceed the address space: reduce the size");

  if (r->arena.size > r->arena_bytes) {
    stereo_device_free (r->device, &r->arena_memory);
    r->arena_bytes = 0;
    status = stereo_device_alloc (r->device, r->arena.size, &r->arena_memory,
        &r->message);
    if (status == STEREO_OK) {
      r->arena_bytes = r->arena.size;
      allocations++;
    }
  }
  if (status == STEREO_OK && r->pinned.size > r->pinned_bytes) {
    stereo_device_free_pinned (r->device, &r->pinned_memory);
    r->pinned_bytes = 0;
    status = stereo_device_alloc_pinned (r->device, r->pinned.size,
        &r->pinned_memory, &r->message);
    if (status == STEREO_OK) {
      r->pinned_bytes = r->pinned.size;
      allocations++;
    }
  }

  pthread_mutex_lock (&r->lock);
  r->stats.allocations += allocations;
  r->stats.device_bytes = stereo_runner_copies (r) ? r->arena_bytes : 0;
  r->stats.host_bytes = r->pinned_bytes
      + (stereo_runner_copies (r) ? 0 : r->arena_bytes);
  pthread_mutex_unlock (&r->lock);
  return status;
}

/* "GRAY16_LE or GRAY8": the largest pixels first. */
static void
list_formats (uint64_t formats, char *text, size_t size)
{
  text[0] = '\0';
  for (int f = 63; f >= 0; f--) {
    size_t length = strlen (text);

    if (formats & STEREO_FORMAT_BIT (f))
      snprintf (text + length, size - length, "%s%s", length ? " or " : "",
          stereo_format_name ((StereoFormat) f));
  }
}

StereoStatus
stereo_runner_check_format (StereoRunner * r, const StereoPort * port,
    StereoFormat format)
{
  const char *name = stereo_format_name (format);
  char formats[512];

  if (name != NULL && (port->formats & STEREO_FORMAT_BIT (format)))
    return STEREO_OK;
  list_formats (port->formats, formats, sizeof (formats));
  return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
      "%s image cannot be %s: it is %s", port->name,
      name ? name : "of an unknown format", formats);
}

static StereoStatus
check_setup (StereoRunner * r, const StereoPort * port,
    const StereoPortSetup * setup)
{
  StereoStatus status = stereo_runner_check_format (r, port, setup->format);

  if (status == STEREO_OK && (setup->width < 1 || setup->height < 1
          || setup->width > STEREO_MAX_SIZE || setup->height > STEREO_MAX_SIZE))
    return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
        "%s image of %dx%d: width and height go from 1 to %d", port->name,
        setup->width, setup->height, STEREO_MAX_SIZE);
  return status;
}

StereoStatus
stereo_runner_configure (StereoRunner * r, const StereoPortSetup * inputs,
    const StereoPortSetup * outputs, const void *params)
{
  StereoOpSetup setup = { r->device, inputs, outputs, params };
  StereoStatus status = stereo_runner_sync (r);

  r->configured = false;
  pthread_mutex_lock (&r->lock);
  r->n_slots = r->n_wanted;
  pthread_mutex_unlock (&r->lock);
  for (unsigned i = 0; i < r->n_ports && status == STEREO_OK; i++) {
    const StereoPortSetup *port = i < r->n_inputs ? &inputs[i]
        : &outputs[i - r->n_inputs];

    status = check_setup (r, r->ports[i].port, port);
    if (status == STEREO_OK)
      configure_port (r, port, &r->ports[i]);
  }
  if (status != STEREO_OK)
    return status;

  if (r->queue->klass->forget != NULL)
    r->queue->klass->forget (r->queue);
  stereo_arena_reset (&r->arena);
  stereo_arena_reset (&r->pinned);
  plan_copies (r);
  r->warning.text[0] = '\0';
  status = r->op->plan (r->state, &setup, &r->arena, &r->message);
  if (status == STEREO_OK && r->message.text[0] != '\0') {
    stereo_log (r->device, STEREO_LOG_WARNING, "%s", r->message.text);
    r->warning = r->message;
    r->message.text[0] = '\0';
  }
  if (status == STEREO_OK)
    status = reserve (r);
  if (status != STEREO_OK)
    return status;
  stereo_arena_bind (&r->arena, r->arena_memory);
  stereo_arena_bind (&r->pinned, r->pinned_memory);
  if (r->op->load != NULL)
    status = r->op->load (r->state, r->device, &r->message);
  r->configured = status == STEREO_OK;
  return status;
}

void
stereo_runner_unconfigure (StereoRunner * r)
{
  r->configured = false;
}
