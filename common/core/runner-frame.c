/* gst-stereomatching: frames of a runner
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/runner-private.h"

#include "core/image.h"

#include <stdio.h>
#include <string.h>

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
copy_from_staging (const Port * port, const Plane * planes)
{
  for (int i = 0; i < port->setup.n_planes; i++) {
    const Plane *p = &planes[i];

    for (size_t y = 0; p->copy_out && y < port->rows[i]; y++)
      memcpy (p->out + y * p->out_stride, p->staging + y * port->stride[i],
          p->row_bytes);
  }
}

/* Copies outputs from staging and updates statistics. */
static void
complete_locked (StereoRunner * r, Slot * slot, uint64_t ns,
    const uint64_t * stage_ns)
{
  for (unsigned i = r->n_inputs; i < r->n_ports; i++)
    copy_from_staging (&r->ports[i], slot->planes[i]);
  slot->complete = true;
  r->stats.frames++;
  r->stats.last_ns = ns;
  r->stats.total_ns += ns;
  r->n_stages = 0;
  for (unsigned i = 0; i < slot->timestamps.n; i++)
    add_stage (r, slot->timestamps.name[i], stage_ns[i]);
}

/* A frame that is no longer in its slot is complete. */
static bool
is_pending (const Slot * slot, uint64_t frame)
{
  return frame != 0 && slot->frame == frame && !slot->complete;
}

/* Unlocks while the device works, so that the next frame can be started.  The
 * frame stays in its slot meanwhile, as it is not complete. */
static StereoStatus
wait_locked (StereoRunner * r, unsigned index, StereoMessage * why)
{
  const StereoQueueClass *q = r->queue->klass;
  Slot *slot = &r->slots[index];
  uint64_t ns = 0, stage_ns[STEREO_MAX_TIMESTAMPS] = { 0 };
  StereoStatus status;

  slot->waiting = true;
  pthread_mutex_unlock (&r->lock);
  status = q->wait (r->queue, index, &ns, why);
  if (status == STEREO_OK && slot->timestamps.n > 0)
    status = q->times (r->queue, index, slot->timestamps.n, stage_ns, why);
  pthread_mutex_lock (&r->lock);

  slot->waiting = false;
  if (status != STEREO_OK) {
    r->failure = status;
    r->failure_message = *why;
  } else {
    complete_locked (r, slot, ns, stage_ns);
  }
  pthread_cond_broadcast (&r->waited);
  return status;
}

StereoStatus
stereo_runner_wait (StereoRunner * r, uint64_t frame)
{
  StereoMessage why = { "" };
  StereoStatus status = STEREO_OK;
  const Slot *slot;
  unsigned index;

  pthread_mutex_lock (&r->lock);
  index = (unsigned) (frame % r->n_slots);
  slot = &r->slots[index];
  /* One thread waits for the device, all others wait for that thread. */
  while (is_pending (slot, frame) && slot->waiting)
    pthread_cond_wait (&r->waited, &r->lock);
  if (is_pending (slot, frame)) {
    status = r->failure;
    if (status == STEREO_OK)
      status = wait_locked (r, index, &why);
  }
  pthread_mutex_unlock (&r->lock);
  if (why.text[0] != '\0')
    stereo_log (r->device, STEREO_LOG_WARNING, "%s", why.text);
  return status;
}

/* Waits on the processing thread.  Fails if any frame failed, with the error in
 * the runner's message. */
static StereoStatus
wait_and_report (StereoRunner * r, uint64_t frame)
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
    StereoStatus s = wait_and_report (r, r->slots[i].frame);

    if (status == STEREO_OK)
      status = s;
  }
  return status;
}

/* ------------------------------------------------------------------- checks */

/* Events apply to images in device memory. */
static bool
has_events (const StereoImage * image)
{
  return image != NULL && image->memory == STEREO_MEMORY_DEVICE;
}

static bool
is_own_event (const StereoRunner * r, const StereoEvent * event)
{
  return event == NULL || event->device->klass == r->device->klass;
}

/* Checks an image against the configuration. */
static StereoStatus
check_image (StereoRunner * r, const Port * p, bool output,
    const StereoImage * image)
{
  StereoFormat format = p->setup.format;
  char role[48];

  if (image == NULL && p->port->optional)
    return STEREO_OK;
  snprintf (role, sizeof (role), "%s image", p->port->name);
  if (has_events (image) && !(is_own_event (r, image->ready)
          && is_own_event (r, image->done)))
    return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
        "%s has an event of another backend", role);
  if (image != NULL && p->port->any_format) {
    StereoStatus status = stereo_runner_check_format (r, p->port,
        image->format);

    if (status != STEREO_OK)
      return status;
    format = image->format;
  }
  if (output && p->setup.n_planes == 1)
    return stereo_image_check_output (image, role, format, p->setup.width,
        p->setup.height, &r->message);
  return stereo_image_check (image, role, format, p->setup.width,
      p->setup.height, p->setup.n_planes > 1, &r->message);
}

/* ------------------------------------------------------------------ process */

/* A frame while it is being submitted. */
typedef struct
{
  const StereoImage *images[MAX_IMAGES];        /* inputs, then outputs */
  StereoOpImage where[MAX_IMAGES];
  Slot *slot;
  unsigned index;               /* of the slot */
  bool uploads;
  bool downloads;
  StereoTimestamps timestamps;
} Frame;

static StereoStatus
check_frame (StereoRunner * r, const Frame * f)
{
  StereoStatus status = STEREO_OK;

  r->message.text[0] = '\0';
  if (!r->configured)
    return stereo_fail (&r->message, STEREO_ERROR_ARGUMENT,
        "%s is not configured", r->op->name);
  for (unsigned i = 0; i < r->n_ports && status == STEREO_OK; i++)
    status = check_image (r, &r->ports[i], i >= r->n_inputs, f->images[i]);
  return status;
}

static bool
in_place (const StereoRunner * r, const StereoImage * image)
{
  return !stereo_runner_copies (r) || image->memory == STEREO_MEMORY_DEVICE;
}

/* Finds the memory of all images for the operation: in place or in the slot. */
static void
locate_images (StereoRunner * r, Frame * f)
{
  /* Equal images have equal bytes, padding too. */
  memset (f->where, 0, sizeof (f->where));
  for (unsigned i = 0; i < r->n_ports; i++) {
    const Port *port = &r->ports[i];
    const StereoImage *image = f->images[i];
    Plane *planes = f->slot->planes[i];
    const bool here = image != NULL && in_place (r, image);

    for (int p = 0; p < 3; p++)
      planes[p].copy_out = false;
    if (image == NULL)
      continue;
    f->where[i].format = image->format;
    for (int p = 0; p < port->setup.n_planes; p++) {
      f->where[i].plane[p] = here ? image->plane[p] : planes[p].device;
      f->where[i].stride[p] = here ? image->stride[p] : port->stride[p];
    }
    f->uploads |= !here && i < r->n_inputs;
    f->downloads |= !here && i >= r->n_inputs;
  }
}

static StereoStatus
upload_plane (StereoRunner * r, const Port * port, int p, Plane * plane,
    const StereoImage * image)
{
  return r->queue->klass->upload (r->queue, plane->device, port->stride[p],
      image->plane[p], image->stride[p], port->row_bytes[p], port->rows[p],
      image->memory == STEREO_MEMORY_HOST ? plane->staging : NULL);
}

/* To pinned memory of the caller, or to staging for wait(). */
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

typedef StereoStatus (*CopyPlane) (StereoRunner * r, const Port * port, int p,
    Plane * plane, const StereoImage * image);

/* Copies the planes of images first to end - 1 that are not used in place. */
static StereoStatus
copy_images (StereoRunner * r, const Frame * f, unsigned first, unsigned end,
    CopyPlane copy)
{
  StereoStatus status = STEREO_OK;

  for (unsigned i = first; i < end; i++) {
    const StereoImage *image = f->images[i];

    if (image == NULL || in_place (r, image))
      continue;
    for (int p = 0; p < r->ports[i].setup.n_planes && status == STEREO_OK; p++)
      status = copy (r, &r->ports[i], p, &f->slot->planes[i][p], image);
  }
  return status;
}

/* Later stages wait until the images are ready. */
static StereoStatus
wait_for_images (StereoRunner * r, const Frame * f)
{
  StereoStatus status = STEREO_OK;

  for (unsigned i = 0; i < r->n_ports && status == STEREO_OK; i++) {
    if (has_events (f->images[i]) && f->images[i]->ready != NULL)
      status = r->queue->klass->wait_event (r->queue, f->images[i]->ready);
  }
  return status;
}

/* Records that the stages so far are the last users of the images. */
static StereoStatus
release_images (StereoRunner * r, const Frame * f)
{
  StereoStatus status = STEREO_OK;

  for (unsigned i = 0; i < r->n_ports && status == STEREO_OK; i++) {
    if (has_events (f->images[i]) && f->images[i]->done != NULL)
      status = r->queue->klass->record_event (r->queue, f->images[i]->done);
  }
  return status;
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

/* A frame of the operation. */
typedef struct
{
  const StereoOp *op;
  void *state;
  StereoOpFrame frame;
} Work;

static StereoStatus
run_work (void *data)
{
  const Work *work = data;

  return work->op->run (work->state, &work->frame);
}

/* A queue records no timestamps. */
static StereoStatus
run_or_repeat (StereoRunner * r, const Frame * f, Work * work)
{
  const StereoQueueClass *q = r->queue->klass;

  if (q->repeat != NULL && !r->profiling && r->op->repeats != NULL
      && r->op->repeats (r->state))
    return q->repeat (r->queue, f->where, sizeof (f->where), run_work, work);
  return run_work (work);
}

static StereoStatus
submit_frame (StereoRunner * r, Frame * f)
{
  const StereoQueueClass *q = r->queue->klass;
  StereoTimestamps *timestamps = r->profiling ? &f->timestamps : NULL;
  Work work = { r->op, r->state,
    {r->queue, f->where, f->where + r->n_inputs, timestamps}
  };
  StereoStatus status;

  f->timestamps.queue = r->queue;
  f->timestamps.slot = f->index;
  if ((status = q->begin (r->queue, f->index, f->uploads, f->downloads))
      || (status = copy_images (r, f, 0, r->n_inputs, upload_plane))
      || (status = f->uploads ? stereo_stage_end (timestamps, "upload")
          : STEREO_OK)
      || (status = q->uploaded (r->queue, f->index))
      || (status = wait_for_images (r, f))
      || (status = run_or_repeat (r, f, &work))
      || (status = release_images (r, f))
      || (status = q->computed (r->queue, f->index))
      || (status = copy_images (r, f, r->n_inputs, r->n_ports, download_plane))
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
  Frame f = {.index = index,.slot = &r->slots[index] };
  StereoStatus status;

  for (unsigned i = 0; i < r->n_ports; i++)
    f.images[i] = i < r->n_inputs ? inputs[i] : outputs[i - r->n_inputs];
  status = check_frame (r, &f);
  /* The previous frame of the slot must be complete. */
  if (status == STEREO_OK)
    status = wait_and_report (r, f.slot->frame);
  if (status != STEREO_OK)
    return status;

  locate_images (r, &f);
  status = submit_frame (r, &f);
  if (status != STEREO_OK) {
    r->message = r->queue->message;
    return status;
  }

  pthread_mutex_lock (&r->lock);
  f.slot->frame = r->next_frame++;
  f.slot->complete = false;
  f.slot->timestamps = f.timestamps;
  pthread_mutex_unlock (&r->lock);
  if (frame != NULL)
    *frame = f.slot->frame;
  return stereo_runner_copies (r) ? STEREO_OK
      : wait_and_report (r, f.slot->frame);
}
