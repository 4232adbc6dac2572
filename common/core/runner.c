/* gst-stereomatching: what runs an operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner.h"

#include "core/image.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One plane of a frame under way, between the caller's image and the device. */
typedef struct
{
  uint8_t *device;
  uint8_t *staging;             /* pinned host memory */
  /* Of an output that goes through staging: where wait() brings it. */
  bool copy_out;
  uint8_t *out;
  size_t out_stride;
  size_t row_bytes;
} Plane;

/* Buffers and state of a frame under way. */
typedef struct
{
  uint64_t frame;               /* 0 = never used */
  bool complete;
  Plane inputs[STEREO_MAX_PORTS][3];
  Plane outputs[STEREO_MAX_PORTS][3];
  StereoTimestamps timestamps;            /* n is 0 unless it is timed */
} Slot;

/* What all frames have in common at a port. */
typedef struct
{
  const StereoPort *port;
  StereoPortSetup setup;
  size_t row_bytes[3];          /* of the configured format */
  size_t rows[3];
  size_t stride[3];             /* of the copies on the device */
} Port;

struct StereoRunner
{
  const StereoOp *op;
  void *state;
  StereoDevice *device;
  StereoQueue *queue;

  bool configured;
  unsigned n_inputs;
  unsigned n_outputs;
  Port inputs[STEREO_MAX_PORTS];
  Port outputs[STEREO_MAX_PORTS];
  unsigned n_wanted;            /* slots, from the next configure() on */
  unsigned n_slots;
  Slot slots[STEREO_MAX_FRAMES];

  /* One allocation on the device, one of pinned host memory. */
  StereoArena arena;
  StereoArena pinned;
  void *arena_memory;
  size_t arena_bytes;
  void *pinned_memory;
  size_t pinned_bytes;

  StereoMessage message;        /* of the processing thread */
  bool profiling;

  pthread_mutex_t lock;         /* protects the rest, n_slots, and
                                 * slots[].frame, .complete, .copy_out and
                                 * .timestamps */
  uint64_t next_frame;
  unsigned n_stages;            /* of the frame that completed last */
  const char *stage_name[STEREO_MAX_TIMESTAMPS];
  uint64_t stage_ns[STEREO_MAX_TIMESTAMPS];
  StereoMatcherStats stats;
  StereoStatus failure;         /* of a wait, on whatever thread */
  StereoMessage failure_message;
};

/* Images stay in place unless frames may overlap. */
static bool
copies (const StereoRunner * r)
{
  return r->device->klass->n_slots > 1;
}

static bool
in_place (const StereoRunner * r, const StereoImage * image)
{
  return !copies (r) || image->memory == STEREO_MEMORY_DEVICE;
}

static unsigned
list_ports (const StereoPort * ports, Port * list)
{
  unsigned n = 0;

  for (; ports[n].name != NULL && n < STEREO_MAX_PORTS; n++)
    list[n].port = &ports[n];
  return n;
}

/* ----------------------------------------------------------------- lifetime */

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
  if (status != STEREO_OK) {
    free (r->state);
    free (r);
    return status;
  }
  r->op = op;
  r->n_inputs = list_ports (op->inputs, r->inputs);
  r->n_outputs = list_ports (op->outputs, r->outputs);
  r->device = stereo_device_ref (device);
  stereo_runner_set_frames (r, STEREO_DEFAULT_FRAMES);
  r->n_slots = r->n_wanted;
  r->next_frame = 1;
  pthread_mutex_init (&r->lock, NULL);
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

unsigned
stereo_runner_frames (const StereoRunner * r)
{
  return r->n_slots;
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

StereoStatus
stereo_stage_end (StereoTimestamps * timestamps, const char *name)
{
  if (timestamps == NULL || timestamps->n == STEREO_MAX_TIMESTAMPS)
    return STEREO_OK;
  timestamps->name[timestamps->n] = name;
  return timestamps->queue->klass->timestamp (timestamps->queue,
      timestamps->slot, timestamps->n++);
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
    .n_planes = stereo_format_planes (info, stereo_format_is_color (info)),
  };
}

static void
set_up_port (const StereoRunner * r, const StereoPortSetup * setup, Port * p)
{
  const StereoFormatInfo *info = stereo_format_info (setup->format);
  size_t alignment = r->device->klass->row_alignment;

  p->setup = *setup;
  for (int i = 0; i < setup->n_planes; i++) {
    p->row_bytes[i] = stereo_format_row_bytes (info, i, setup->width);
    p->rows[i] = stereo_format_rows (info, i, setup->height);
    p->stride[i] = (p->row_bytes[i] + alignment - 1) / alignment * alignment;
  }
}

/* The copies of an image that frames under way go through. */
static void
plan_port (StereoRunner * r, const Port * p, Plane * planes)
{
  for (int i = 0; i < p->setup.n_planes; i++) {
    stereo_arena_add (&r->arena, (void **) &planes[i].device, p->stride[i],
        p->rows[i]);
    stereo_arena_add (&r->pinned, (void **) &planes[i].staging, p->stride[i],
        p->rows[i]);
  }
}

static void
plan_copies (StereoRunner * r)
{
  for (unsigned s = 0; s < r->n_slots && copies (r); s++) {
    for (unsigned i = 0; i < r->n_inputs; i++)
      plan_port (r, &r->inputs[i], r->slots[s].inputs[i]);
    for (unsigned i = 0; i < r->n_outputs; i++)
      plan_port (r, &r->outputs[i], r->slots[s].outputs[i]);
  }
}

/* Makes the two allocations at least as large as the arenas. */
static StereoStatus
reserve (StereoRunner * r)
{
  StereoStatus status = STEREO_OK;
  uint64_t allocations = 0;

  if (r->arena.overflow || r->pinned.overflow)
    return stereo_fail (&r->message, STEREO_ERROR_MEMORY,
        "the buffers for this size do not fit the address space");

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
  r->stats.device_bytes = copies (r) ? r->arena_bytes : 0;
  r->stats.host_bytes = r->pinned_bytes + (copies (r) ? 0 : r->arena_bytes);
  pthread_mutex_unlock (&r->lock);
  return status;
}

/* "GRAY16_LE or GRAY8", the largest pixels first. */
static void
name_formats (uint32_t formats, char *text, size_t size)
{
  text[0] = '\0';
  for (int f = STEREO_N_FORMATS - 1; f >= 0; f--) {
    size_t length = strlen (text);

    if (formats & STEREO_FORMAT_BIT (f))
      snprintf (text + length, size - length, "%s%s", length ? " or " : "",
          stereo_format_name ((StereoFormat) f));
  }
}

static StereoStatus
check_port (StereoRunner * r, const StereoPort * port,
    const StereoPortSetup * setup)
{
  const char *name = stereo_format_name (setup->format);
  const int max_width = port->max_width ? port->max_width : STEREO_MAX_SIZE;
  char formats[512];

  if (name == NULL || !(port->formats & STEREO_FORMAT_BIT (setup->format))) {
    name_formats (port->formats, formats, sizeof (formats));
    return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
        "%s image can't be %s: it is %s", port->name,
        name ? name : "of an unknown format", formats);
  }
  if (setup->width < 1 || setup->height < 1 || setup->width > max_width
      || setup->height > STEREO_MAX_SIZE)
    return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
        "%s image of %dx%d: width and height go from 1 to %d", port->name,
        setup->width, setup->height, STEREO_MAX_SIZE);
  return STEREO_OK;
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
  for (unsigned i = 0; i < r->n_inputs && status == STEREO_OK; i++)
    status = check_port (r, r->inputs[i].port, &inputs[i]);
  for (unsigned i = 0; i < r->n_outputs && status == STEREO_OK; i++)
    status = check_port (r, r->outputs[i].port, &outputs[i]);
  if (status != STEREO_OK)
    return status;

  for (unsigned i = 0; i < r->n_inputs; i++)
    set_up_port (r, &inputs[i], &r->inputs[i]);
  for (unsigned i = 0; i < r->n_outputs; i++)
    set_up_port (r, &outputs[i], &r->outputs[i]);
  stereo_arena_reset (&r->arena);
  stereo_arena_reset (&r->pinned);
  plan_copies (r);
  status = r->op->plan (r->state, &setup, &r->arena, &r->message);
  if (status == STEREO_OK && r->message.text[0] != '\0') {
    stereo_log (r->device, STEREO_LOG_WARNING, "%s", r->message.text);
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

/* --------------------------------------------------------------------- wait */

/* Times of equal names add up. */
static void
add_stage (StereoRunner * r, const char *name, uint64_t ns)
{
  unsigned i = 0;

  while (i < r->n_stages && strcmp (r->stage_name[i], name) != 0)
    i++;
  if (i == r->n_stages) {
    r->stage_name[r->n_stages++] = name;
    r->stage_ns[i] = 0;
  }
  r->stage_ns[i] += ns;
}

static void
empty_staging (const Port * port, const Plane * planes)
{
  for (int i = 0; i < port->setup.n_planes; i++) {
    const Plane *p = &planes[i];

    for (size_t y = 0; p->copy_out && y < port->rows[i]; y++)
      memcpy (p->out + y * p->out_stride, p->staging + y * port->stride[i],
          p->row_bytes);
  }
}

/* The last step of a frame: counts it, and empties the staging buffers. */
static void
complete_locked (StereoRunner * r, Slot * slot, uint64_t ns,
    const uint64_t * stage_ns)
{
  for (unsigned i = 0; i < r->n_outputs; i++)
    empty_staging (&r->outputs[i], slot->outputs[i]);
  slot->complete = true;
  r->stats.frames++;
  r->stats.last_ns = ns;
  r->stats.total_ns += ns;
  r->n_stages = 0;
  for (unsigned i = 0; i < slot->timestamps.n; i++)
    add_stage (r, slot->timestamps.name[i], stage_ns[i]);
}

StereoStatus
stereo_runner_wait (StereoRunner * r, uint64_t frame)
{
  StereoMessage why = { "" };
  StereoStatus status;
  uint64_t ns = 0, stage_ns[STEREO_MAX_TIMESTAMPS] = { 0 };
  unsigned index, n_timestamps;
  bool pending;
  Slot *slot;

  pthread_mutex_lock (&r->lock);
  index = (unsigned) (frame % r->n_slots);
  slot = &r->slots[index];
  /* A frame that has left its slot was complete then. */
  pending = frame != 0 && slot->frame == frame && !slot->complete;
  status = pending ? r->failure : STEREO_OK;
  n_timestamps = slot->timestamps.n;
  pthread_mutex_unlock (&r->lock);
  if (!pending || status != STEREO_OK)
    return status;

  /* Unlocked, so that the next frame can be started meanwhile. */
  status = r->queue->klass->wait (r->queue, index, &ns, &why);
  if (status == STEREO_OK && n_timestamps > 0)
    status = r->queue->klass->times (r->queue, index, n_timestamps, stage_ns,
        &why);

  pthread_mutex_lock (&r->lock);
  if (status != STEREO_OK) {
    r->failure = status;
    r->failure_message = why;
  } else if (slot->frame == frame && !slot->complete) {
    complete_locked (r, slot, ns, stage_ns);
  }
  pthread_mutex_unlock (&r->lock);
  if (status != STEREO_OK)
    stereo_log (r->device, STEREO_LOG_WARNING, "%s", why.text);
  return status;
}

/* On the processing thread: the text goes to the runner's message.  Fails
 * after any frame has. */
static StereoStatus
wait_here (StereoRunner * r, uint64_t frame)
{
  StereoStatus status;

  (void) stereo_runner_wait (r, frame);
  pthread_mutex_lock (&r->lock);
  status = r->failure;
  if (status != STEREO_OK)
    r->message = r->failure_message;
  pthread_mutex_unlock (&r->lock);
  return status;
}

StereoStatus
stereo_runner_sync (StereoRunner * r)
{
  StereoStatus status = STEREO_OK;

  r->message.text[0] = '\0';
  for (unsigned i = 0; i < r->n_slots; i++) {
    StereoStatus s = wait_here (r, r->slots[i].frame);

    if (status == STEREO_OK)
      status = s;
  }
  return status;
}

/* ------------------------------------------------------------------- checks */

/* Whether the image is on the device, where events count. */
static bool
has_events (const StereoImage * image)
{
  return image != NULL && image->memory == STEREO_MEMORY_DEVICE;
}

static bool
ours (const StereoRunner * r, const StereoEvent * event)
{
  return event == NULL || event->device->klass == r->device->klass;
}

/* Whether the image is what was configured. */
static StereoStatus
check_image (StereoRunner * r, const Port * p, bool output,
    const StereoImage * image)
{
  StereoFormat format = p->setup.format;
  char role[48];

  if (image == NULL && p->port->optional)
    return STEREO_OK;
  snprintf (role, sizeof (role), "%s image", p->port->name);
  if (has_events (image) && !(ours (r, image->ready)
          && ours (r, image->done)))
    return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
        "%s has an event of another back end", role);
  if (image != NULL && p->port->any_format) {
    if ((unsigned) image->format >= STEREO_N_FORMATS
        || !(p->port->formats & STEREO_FORMAT_BIT (image->format))) {
      const char *name = stereo_format_name (image->format);
      char formats[256];

      name_formats (p->port->formats, formats, sizeof (formats));
      return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
          "%s can't be %s: it is %s", role,
          name ? name : "of an unknown format", formats);
    }
    format = image->format;
  }
  if (output && p->setup.n_planes == 1)
    return stereo_image_check_output (image, role, format, p->setup.width,
        p->setup.height, &r->message);
  return stereo_image_check (image, role, format, p->setup.width,
      p->setup.height, p->setup.n_planes > 1, &r->message);
}

static StereoStatus
check_frame (StereoRunner * r, const StereoImage * const *inputs,
    const StereoImage * const *outputs)
{
  StereoStatus status = STEREO_OK;

  r->message.text[0] = '\0';
  if (!r->configured)
    return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
        "%s is not configured", r->op->name);
  for (unsigned i = 0; i < r->n_inputs && status == STEREO_OK; i++)
    status = check_image (r, &r->inputs[i], false, inputs[i]);
  for (unsigned i = 0; i < r->n_outputs && status == STEREO_OK; i++)
    status = check_image (r, &r->outputs[i], true, outputs[i]);
  return status;
}

/* ------------------------------------------------------------------ process */

/* A frame while it is being started. */
typedef struct
{
  const StereoImage *const *inputs;
  const StereoImage *const *outputs;
  Slot *slot;
  unsigned index;               /* of the slot */
  bool uploads;
  bool downloads;
  StereoOpImage in[STEREO_MAX_PORTS];
  StereoOpImage out[STEREO_MAX_PORTS];
  StereoTimestamps timestamps;
} Frame;

static StereoStatus
queue_failed (StereoRunner * r, StereoStatus status)
{
  r->message = r->queue->message;
  return status;
}

/* Where the operation finds the image, in place or in the slot. */
static void
locate (const StereoRunner * r, const Port * port, const Plane * planes,
    const StereoImage * image, StereoOpImage * where)
{
  memset (where, 0, sizeof (*where));
  if (image == NULL)
    return;
  where->format = image->format;
  for (int i = 0; i < port->setup.n_planes; i++) {
    bool here = in_place (r, image);

    where->plane[i] = here ? image->plane[i] : planes[i].device;
    where->stride[i] = here ? image->stride[i] : port->stride[i];
  }
}

static void
locate_all (StereoRunner * r, Frame * f)
{
  for (unsigned i = 0; i < r->n_inputs; i++) {
    locate (r, &r->inputs[i], f->slot->inputs[i], f->inputs[i], &f->in[i]);
    f->uploads |= f->inputs[i] != NULL && !in_place (r, f->inputs[i]);
  }
  for (unsigned i = 0; i < r->n_outputs; i++) {
    for (int p = 0; p < 3; p++)
      f->slot->outputs[i][p].copy_out = false;
    locate (r, &r->outputs[i], f->slot->outputs[i], f->outputs[i],
        &f->out[i]);
    f->downloads |= f->outputs[i] != NULL && !in_place (r, f->outputs[i]);
  }
}

/* Brings what is read to the device. */
static StereoStatus
upload (StereoRunner * r, const Frame * f)
{
  StereoStatus status = STEREO_OK;

  for (unsigned i = 0; i < r->n_inputs; i++) {
    const Port *port = &r->inputs[i];
    const StereoImage *image = f->inputs[i];

    if (image == NULL || in_place (r, image))
      continue;
    for (int p = 0; p < port->setup.n_planes && status == STEREO_OK; p++) {
      const Plane *plane = &f->slot->inputs[i][p];

      status = r->queue->klass->upload (r->queue, plane->device,
          port->stride[p], image->plane[p], image->stride[p],
          port->row_bytes[p], port->rows[p],
          image->memory == STEREO_MEMORY_HOST ? plane->staging : NULL);
    }
  }
  return status;
}

/* Brings one plane of a result to the caller, or to where wait() finds it. */
static StereoStatus
download_plane (StereoRunner * r, const Port * port, int p, Plane * plane,
    const StereoImage * image)
{
  plane->copy_out = image->memory == STEREO_MEMORY_HOST;
  plane->out = image->plane[p];
  plane->out_stride = image->stride[p];
  plane->row_bytes = stereo_format_row_bytes (stereo_format_info
      (image->format), p, port->setup.width);
  return r->queue->klass->download (r->queue,
      plane->copy_out ? plane->staging : plane->out,
      plane->copy_out ? port->stride[p] : plane->out_stride, plane->device,
      port->stride[p], plane->row_bytes, port->rows[p]);
}

static StereoStatus
download (StereoRunner * r, const Frame * f)
{
  StereoStatus status = STEREO_OK;

  for (unsigned i = 0; i < r->n_outputs; i++) {
    const Port *port = &r->outputs[i];
    const StereoImage *image = f->outputs[i];

    if (image == NULL || in_place (r, image))
      continue;
    for (int p = 0; p < port->setup.n_planes && status == STEREO_OK; p++)
      status = download_plane (r, port, p, &f->slot->outputs[i][p], image);
  }
  return status;
}

/* What follows waits until the images may be used. */
static StereoStatus
wait_for_images (StereoRunner * r, const StereoImage * const *images,
    unsigned n)
{
  StereoStatus status = STEREO_OK;

  for (unsigned i = 0; i < n && status == STEREO_OK; i++) {
    if (has_events (images[i]) && images[i]->ready != NULL)
      status = r->queue->klass->wait_event (r->queue, images[i]->ready);
  }
  return status;
}

/* The images are done with when all is that was started so far. */
static StereoStatus
let_go_of_images (StereoRunner * r, const StereoImage * const *images,
    unsigned n)
{
  StereoStatus status = STEREO_OK;

  for (unsigned i = 0; i < n && status == STEREO_OK; i++) {
    if (has_events (images[i]) && images[i]->done != NULL)
      status = r->queue->klass->record_event (r->queue, images[i]->done);
  }
  return status;
}

/* Everything between the first upload and the last download. */
static StereoStatus
start (StereoRunner * r, Frame * f)
{
  const StereoQueueClass *q = r->queue->klass;
  StereoTimestamps *timestamps = r->profiling ? &f->timestamps : NULL;
  StereoOpFrame work = { r->queue, f->in, f->out, timestamps };
  StereoStatus status;

  f->timestamps.queue = r->queue;
  f->timestamps.slot = f->index;
  if ((status = q->begin (r->queue, f->index, f->uploads, f->downloads))
      || (status = upload (r, f))
      || (status = f->uploads ? stereo_stage_end (timestamps, "upload")
          : STEREO_OK)
      || (status = q->uploaded (r->queue, f->index))
      || (status = wait_for_images (r, f->inputs, r->n_inputs))
      || (status = wait_for_images (r, f->outputs, r->n_outputs))
      || (status = r->op->run (r->state, &work))
      || (status = let_go_of_images (r, f->inputs, r->n_inputs))
      || (status = let_go_of_images (r, f->outputs, r->n_outputs))
      || (status = q->computed (r->queue, f->index))
      || (status = download (r, f))
      || (status = f->downloads ? stereo_stage_end (timestamps, "download")
          : STEREO_OK))
    return status;
  return q->end (r->queue, f->index);
}

StereoStatus
stereo_runner_process (StereoRunner * r, const StereoImage * const *inputs,
    const StereoImage * const *outputs, uint64_t * frame)
{
  unsigned index = (unsigned) (r->next_frame % r->n_slots);
  Frame f = {.inputs = inputs,.outputs = outputs,.index = index,
    .slot = &r->slots[index]
  };
  StereoStatus status = check_frame (r, inputs, outputs);

  /* The slot's previous frame has to be out of it. */
  if (status == STEREO_OK)
    status = wait_here (r, f.slot->frame);
  if (status != STEREO_OK)
    return status;

  locate_all (r, &f);
  status = start (r, &f);
  if (status != STEREO_OK)
    return queue_failed (r, status);

  pthread_mutex_lock (&r->lock);
  f.slot->frame = r->next_frame++;
  f.slot->complete = false;
  f.slot->timestamps = f.timestamps;
  pthread_mutex_unlock (&r->lock);
  if (frame != NULL)
    *frame = f.slot->frame;
  return copies (r) ? STEREO_OK : wait_here (r, f.slot->frame);
}
