/* gst-stereomatching: a matcher, which runs one algorithm on one device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "algorithm.h"
#include "filters.h"
#include "image.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLOTS 4

/* One view between the caller's image and the algorithm. */
typedef struct
{
  const StereoFormatInfo *info;
  bool convert;                 /* else plane 0 is the view */
  size_t raw_stride;            /* of the copy in device memory */
  uint8_t *converted;           /* all planes, one after the other */
  size_t converted_stride;
} Side;

/* Buffers and state of a frame in flight. */
typedef struct
{
  uint64_t frame;               /* 0 = never used */
  bool complete;
  uint8_t *raw[2];              /* device memory */
  uint8_t *staging[2];          /* pinned host memory */
  uint8_t *encoded;             /* device memory */
  uint8_t *encoded_staging;     /* pinned host memory */
  /* Where the result goes after wait(), if through staging. */
  bool copy_out;
  uint8_t *out;
  size_t out_stride;
  StereoMarks marks;            /* n is 0 unless it is timed */
} Slot;

struct StereoMatcher
{
  const StereoAlgorithm *algorithm;
  StereoDevice *device;
  StereoQueue *queue;
  const StereoFilterStages *filters;
  const void *stages;

  bool configured;
  StereoGeometry geometry;
  StereoProblem problem;
  StereoCommonParams common;
  void *plan;

  Side sides[2];
  unsigned n_slots;
  Slot slots[MAX_SLOTS];
  StereoMap map;
  StereoMap filtered;
  uint16_t *codes;
  uint16_t *codes_staging;
  size_t encoded_stride;
  uint8_t encoded_bytes;

  /* One allocation on the device, one of pinned host memory. */
  StereoArena arena;
  StereoArena pinned;
  void *arena_memory;
  size_t arena_bytes;
  void *pinned_memory;
  size_t pinned_bytes;

  StereoMessage message;        /* of the processing thread */
  bool profiling;

  pthread_mutex_t lock;         /* protects the rest, and slots[].frame,
                                 * .complete, .copy_out and .marks */
  uint64_t next_frame;
  unsigned n_stages;            /* of the frame that completed last */
  const char *stage_name[STEREO_MAX_MARKS];
  uint64_t stage_ns[STEREO_MAX_MARKS];
  StereoMatcherStats stats;
  StereoStatus failure;         /* of a wait, on whatever thread */
  StereoMessage failure_message;
};

static size_t
round_up (size_t value, size_t multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

static bool
copies (const StereoMatcher * m)
{
  return m->device->klass->n_slots > 1;
}

StereoStatus
stereo_matcher_new (const StereoAlgorithm * algorithm, StereoDevice * device,
    StereoMatcher ** matcher)
{
  StereoMatcher *m;
  StereoStatus status;

  if (algorithm == NULL || device == NULL || matcher == NULL)
    return STEREO_ERROR_ARGUMENT;

  m = calloc (1, sizeof (*m));
  if (m == NULL)
    return STEREO_ERROR_MEMORY;
  m->plan = calloc (1, algorithm->plan_size);
  if (m->plan == NULL) {
    free (m);
    return STEREO_ERROR_MEMORY;
  }

  m->algorithm = algorithm;
  m->filters = device->klass->stages (device, "filters");
  m->stages = device->klass->stages (device, algorithm->name);
  m->n_slots = device->klass->n_slots;
  if (m->filters == NULL || m->stages == NULL)
    status = STEREO_ERROR_UNSUPPORTED;
  else
    status = device->klass->queue_new (device, &m->queue, &m->message);
  if (status != STEREO_OK) {
    free (m->plan);
    free (m);
    return status;
  }

  m->device = stereo_device_ref (device);
  m->next_frame = 1;
  pthread_mutex_init (&m->lock, NULL);
  *matcher = m;
  return STEREO_OK;
}

static void
release_memory (StereoMatcher * m)
{
  stereo_device_free (m->device, &m->arena_memory);
  stereo_device_free_pinned (m->device, &m->pinned_memory);
  m->arena_bytes = m->pinned_bytes = 0;
}

void
stereo_matcher_free (StereoMatcher ** matcher)
{
  StereoMatcher *m;

  if (matcher == NULL || *matcher == NULL)
    return;
  m = *matcher;
  *matcher = NULL;

  if (stereo_matcher_sync (m) != STEREO_OK)
    stereo_log (m->device, STEREO_LOG_WARNING, "%s", m->message.text);
  m->queue->klass->free (m->queue);
  release_memory (m);
  pthread_mutex_destroy (&m->lock);
  free (m->plan);
  stereo_device_unref (&m->device);
  free (m);
}

const char *
stereo_matcher_error (const StereoMatcher * matcher)
{
  return matcher ? matcher->message.text : "there is no matcher";
}

void
stereo_matcher_get_stats (StereoMatcher * matcher, StereoMatcherStats * stats)
{
  pthread_mutex_lock (&matcher->lock);
  *stats = matcher->stats;
  pthread_mutex_unlock (&matcher->lock);
}

void
stereo_matcher_set_profiling (StereoMatcher * matcher, bool profiling)
{
  matcher->profiling = profiling;
}

bool
stereo_matcher_get_stage (StereoMatcher * matcher, size_t index,
    const char **name, uint64_t * ns)
{
  bool found;

  pthread_mutex_lock (&matcher->lock);
  found = index < matcher->n_stages;
  if (found && name != NULL)
    *name = matcher->stage_name[index];
  if (found && ns != NULL)
    *ns = matcher->stage_ns[index];
  pthread_mutex_unlock (&matcher->lock);
  return found;
}

StereoStatus
stereo_mark (StereoMarks * marks, const char *name)
{
  if (marks == NULL || marks->n == STEREO_MAX_MARKS)
    return STEREO_OK;
  marks->name[marks->n] = name;
  return marks->queue->klass->mark (marks->queue, marks->slot, marks->n++);
}

/* ---------------------------------------------------------------- configure */

static StereoStatus
check_geometry (StereoMatcher * m, const StereoGeometry * g)
{
  if (g->width < 1 || g->height < 1 || g->width > STEREO_MAX_SIZE
      || g->height > STEREO_MAX_SIZE)
    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "images of %dx%d: width and height go from 1 to %d", g->width,
        g->height, STEREO_MAX_SIZE);
  if (stereo_format_info (g->left) == NULL
      || stereo_format_info (g->right) == NULL) {
    bool left = stereo_format_info (g->left) == NULL;

    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "the format of the %s view, %d, is no StereoFormat",
        left ? "left" : "right", (int) (left ? g->left : g->right));
  }
  if (g->output != STEREO_FORMAT_GRAY16_LE
      && g->output != STEREO_FORMAT_GRAY8) {
    const char *name = stereo_format_name (g->output);

    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "the output can't be %s: it is GRAY16_LE or GRAY8",
        name ? name : "of an unknown format");
  }
  return STEREO_OK;
}

/* Whether all codes fit the output format. */
static StereoStatus
check_codes (StereoMatcher * m, const StereoGeometry * g,
    const StereoCommonParams * p)
{
  if (g->output == STEREO_FORMAT_GRAY8) {
    if (p->invalid_value > 255)
      return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
          "invalid-value %u does not fit GRAY8 output: at most 255",
          p->invalid_value);
  } else if ((uint64_t) (p->num_disparities - 1) * p->disparity_scale > 65535) {
    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "num-disparities %u times disparity-scale %u does not fit GRAY16_LE "
        "output: with so many disparities the scale can be at most %u",
        p->num_disparities, p->disparity_scale,
        65535 / (p->num_disparities - 1));
  }
  return STEREO_OK;
}

static void
make_codes (StereoFormat output, const StereoCommonParams * p, uint16_t * codes)
{
  unsigned highest = output == STEREO_FORMAT_GRAY8 ? 255 : 65535;
  unsigned span = p->num_disparities - 1;

  for (unsigned i = 0; i <= span; i++) {
    unsigned code;

    if (output == STEREO_FORMAT_GRAY8)
      code = span > 0 ? (2 * 255 * i + span) / (2 * span) : 0;
    else
      code = i * p->disparity_scale;
    if (code == p->invalid_value)
      code = code < highest ? code + 1 : code - 1;
    codes[i] = (uint16_t) code;
  }
}

static void
make_problem (StereoMatcher * m)
{
  const StereoGeometry *g = &m->geometry;
  StereoProblem *p = &m->problem;
  bool color = m->algorithm->uses_color
      && stereo_format_is_color (stereo_format_info (g->left))
      && stereo_format_is_color (stereo_format_info (g->right));

  p->width = g->width;
  p->height = g->height;
  p->channels = color ? 3 : 1;
  p->num_disparities = (int) m->common.num_disparities;
  p->min_disparity = m->common.min_disparity;
  p->n_threads = m->device->n_threads;

  /* |d| <= width - 1 leaves at least one column in both views. */
  p->first_index = 1 - g->width - p->min_disparity;
  if (p->first_index < 0)
    p->first_index = 0;
  p->end_index = g->width - p->min_disparity;
  if (p->end_index > p->num_disparities)
    p->end_index = p->num_disparities;
  if (p->end_index < p->first_index)
    p->end_index = p->first_index;
}

/* Declares the buffers that do not depend on the algorithm. */
static void
plan_buffers (StereoMatcher * m)
{
  const StereoGeometry *g = &m->geometry;
  size_t alignment = m->device->klass->row_alignment;
  size_t width = (size_t) g->width, height = (size_t) g->height;
  int channels = m->problem.channels;
  StereoFormat formats[2] = { g->left, g->right };

  for (int i = 0; i < 2; i++) {
    Side *side = &m->sides[i];
    size_t planes = (size_t) m->filters->view_planes (channels);

    side->info = stereo_format_info (formats[i]);
    side->convert = channels == 3 || !stereo_format_is_luma (side->info);
    side->raw_stride = round_up (width * side->info->pixel_bytes, alignment);
    side->converted_stride =
        round_up (m->filters->view_row_bytes (g->width, channels), alignment);
    if (side->convert)
      stereo_arena_add (&m->arena, (void **) &side->converted,
          side->converted_stride * height, planes);
    else
      side->converted = NULL;
  }

  m->map.stride = m->filtered.stride = round_up (width, alignment / 2);
  stereo_arena_add (&m->arena, (void **) &m->map.data,
      m->map.stride * height, sizeof (uint16_t));
  if (m->common.median && m->filters->median_encode == NULL)
    stereo_arena_add (&m->arena, (void **) &m->filtered.data,
        m->filtered.stride * height, sizeof (uint16_t));

  m->encoded_bytes = stereo_format_info (g->output)->pixel_bytes;
  m->encoded_stride = round_up (width * m->encoded_bytes, alignment);
  stereo_arena_add (&m->arena, (void **) &m->codes, STEREO_MAX_DISPARITIES,
      sizeof (uint16_t));
  stereo_arena_add (&m->pinned, (void **) &m->codes_staging,
      STEREO_MAX_DISPARITIES, sizeof (uint16_t));

  if (!copies (m))
    return;
  for (unsigned s = 0; s < m->n_slots; s++) {
    Slot *slot = &m->slots[s];

    for (int i = 0; i < 2; i++) {
      stereo_arena_add (&m->arena, (void **) &slot->raw[i],
          m->sides[i].raw_stride, height);
      stereo_arena_add (&m->pinned, (void **) &slot->staging[i],
          m->sides[i].raw_stride, height);
    }
    stereo_arena_add (&m->arena, (void **) &slot->encoded, m->encoded_stride,
        height);
    stereo_arena_add (&m->pinned, (void **) &slot->encoded_staging,
        m->encoded_stride, height);
  }
}

/* Makes the two allocations at least as large as the arenas. */
static StereoStatus
reserve (StereoMatcher * m)
{
  StereoStatus status = STEREO_OK;
  uint64_t allocations = 0;

  if (m->arena.overflow || m->pinned.overflow)
    return stereo_fail (&m->message, STEREO_ERROR_MEMORY,
        "the buffers for this size do not fit the address space");

  if (m->arena.size > m->arena_bytes) {
    stereo_device_free (m->device, &m->arena_memory);
    m->arena_bytes = 0;
    status = stereo_device_alloc (m->device, m->arena.size, &m->arena_memory,
        &m->message);
    if (status == STEREO_OK) {
      m->arena_bytes = m->arena.size;
      allocations++;
    }
  }
  if (status == STEREO_OK && m->pinned.size > m->pinned_bytes) {
    stereo_device_free_pinned (m->device, &m->pinned_memory);
    m->pinned_bytes = 0;
    status = stereo_device_alloc_pinned (m->device, m->pinned.size,
        &m->pinned_memory, &m->message);
    if (status == STEREO_OK) {
      m->pinned_bytes = m->pinned.size;
      allocations++;
    }
  }

  pthread_mutex_lock (&m->lock);
  m->stats.allocations += allocations;
  m->stats.device_bytes = copies (m) ? m->arena_bytes : 0;
  m->stats.host_bytes = m->pinned_bytes + (copies (m) ? 0 : m->arena_bytes);
  pthread_mutex_unlock (&m->lock);
  return status;
}

StereoStatus
stereo_matcher_configure (StereoMatcher * m, const StereoGeometry * geometry,
    const StereoParams * params)
{
  StereoStatus status;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  m->message.text[0] = '\0';
  if (geometry == NULL || params == NULL)
    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "geometry or parameters are missing");
  if (params->algorithm != m->algorithm)
    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "the parameters are those of %s, not of %s", params->algorithm->name,
        m->algorithm->name);
  status = check_geometry (m, geometry);
  if (status == STEREO_OK)
    status = check_codes (m, geometry, &params->common);
  if (status == STEREO_OK)
    status = stereo_matcher_sync (m);
  m->configured = false;
  if (status != STEREO_OK)
    return status;

  m->geometry = *geometry;
  m->common = params->common;
  make_problem (m);

  stereo_arena_reset (&m->arena);
  stereo_arena_reset (&m->pinned);
  plan_buffers (m);
  status = m->algorithm->plan (&m->problem, params->own, m->stages, m->plan,
      &m->arena, &m->message);
  if (status == STEREO_OK && m->message.text[0] != '\0') {
    stereo_log (m->device, STEREO_LOG_WARNING, "%s", m->message.text);
    m->message.text[0] = '\0';
  }
  if (status == STEREO_OK)
    status = reserve (m);
  if (status != STEREO_OK)
    return status;
  stereo_arena_bind (&m->arena, m->arena_memory);
  stereo_arena_bind (&m->pinned, m->pinned_memory);

  make_codes (m->geometry.output, &m->common, m->codes_staging);
  status = m->device->klass->copy (m->device, m->codes, m->codes_staging,
      m->common.num_disparities * sizeof (uint16_t), &m->message);
  if (status != STEREO_OK)
    return status;

  m->configured = true;
  return STEREO_OK;
}

/* --------------------------------------------------------------------- wait */

/* The last step of a frame: counts it, and empties the staging buffer. */
static void
complete_locked (StereoMatcher * m, Slot * slot, uint64_t ns,
    const uint64_t * stage_ns)
{
  if (slot->copy_out) {
    size_t row_bytes = (size_t) m->geometry.width * m->encoded_bytes;

    for (int y = 0; y < m->geometry.height; y++)
      memcpy (slot->out + (size_t) y * slot->out_stride,
          slot->encoded_staging + (size_t) y * m->encoded_stride, row_bytes);
  }
  slot->complete = true;
  m->stats.frames++;
  m->stats.last_ns = ns;
  m->stats.total_ns += ns;
  m->n_stages = slot->marks.n;
  memcpy (m->stage_name, slot->marks.name, sizeof (m->stage_name));
  memcpy (m->stage_ns, stage_ns, sizeof (m->stage_ns));
}

StereoStatus
stereo_matcher_wait (StereoMatcher * m, uint64_t frame)
{
  unsigned index;
  Slot *slot;
  StereoMessage why = { "" };
  StereoStatus status;
  uint64_t ns = 0, stage_ns[STEREO_MAX_MARKS] = { 0 };
  unsigned n_marks;
  bool pending;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  index = (unsigned) (frame % m->n_slots);
  slot = &m->slots[index];

  pthread_mutex_lock (&m->lock);
  status = m->failure;
  /* A frame that has left its slot was complete then. */
  pending = status == STEREO_OK && frame != 0 && slot->frame == frame
      && !slot->complete;
  n_marks = slot->marks.n;
  pthread_mutex_unlock (&m->lock);
  if (!pending)
    return status;

  /* Unlocked, so that the next frame can be started meanwhile. */
  status = m->queue->klass->wait (m->queue, index, &ns, &why);
  if (status == STEREO_OK && n_marks > 0)
    status = m->queue->klass->times (m->queue, index, n_marks, stage_ns, &why);

  pthread_mutex_lock (&m->lock);
  if (status != STEREO_OK) {
    m->failure = status;
    m->failure_message = why;
  } else if (slot->frame == frame && !slot->complete) {
    complete_locked (m, slot, ns, stage_ns);
  }
  pthread_mutex_unlock (&m->lock);
  if (status != STEREO_OK)
    stereo_log (m->device, STEREO_LOG_WARNING, "%s", why.text);
  return status;
}

/* On the processing thread: the text goes to stereo_matcher_error(). */
static StereoStatus
wait_here (StereoMatcher * m, uint64_t frame)
{
  StereoStatus status = stereo_matcher_wait (m, frame);

  if (status != STEREO_OK) {
    pthread_mutex_lock (&m->lock);
    m->message = m->failure_message;
    pthread_mutex_unlock (&m->lock);
  }
  return status;
}

/* ------------------------------------------------------------------ process */

static StereoStatus
queue_failed (StereoMatcher * m, StereoStatus status)
{
  m->message = m->queue->message;
  return status;
}

/* Brings plane 0 of one view to the device. */
static StereoStatus
upload_view (StereoMatcher * m, Slot * slot, int index,
    const StereoImage * image, const uint8_t ** raw, size_t * stride)
{
  Side *side = &m->sides[index];

  *raw = image->plane[0];
  *stride = image->stride[0];
  if (!copies (m) || image->memory == STEREO_MEMORY_DEVICE)
    return STEREO_OK;

  *raw = slot->raw[index];
  *stride = side->raw_stride;
  return m->queue->klass->upload (m->queue, slot->raw[index],
      side->raw_stride, image->plane[0], image->stride[0],
      (size_t) m->problem.width * side->info->pixel_bytes,
      (size_t) m->problem.height,
      image->memory == STEREO_MEMORY_HOST ? slot->staging[index] : NULL);
}

/* Makes a view of what upload_view() brought: a stage, after the queue's
 * uploaded(). */
static StereoStatus
convert_view (StereoMatcher * m, int index, const uint8_t * raw,
    size_t stride, StereoView * view)
{
  Side *side = &m->sides[index];
  StereoConversion c;

  if (!side->convert) {
    view->plane[0] = raw;
    view->plane[1] = view->plane[2] = NULL;
    view->stride = stride;
    return STEREO_OK;
  }

  c.width = m->problem.width;
  c.height = m->problem.height;
  c.source = raw;
  c.source_stride = stride;
  c.pixel_bytes = side->info->pixel_bytes;
  c.r = side->info->r;
  c.g = side->info->g;
  c.b = side->info->b;
  c.channels = m->problem.channels;
  c.target_stride = side->converted_stride;
  for (int i = 0; i < 3; i++) {
    c.target[i] = i < m->filters->view_planes (c.channels)
        ? side->converted + (size_t) i * c.target_stride * (size_t) c.height
        : NULL;
    view->plane[i] = c.target[i];
  }
  view->stride = c.target_stride;
  return m->filters->convert (m->queue, &c);
}

/* The algorithm, the median and the encoding. */
static StereoStatus
compute (StereoMatcher * m, const StereoFrame * frame,
    const StereoOutput * output)
{
  int width = m->problem.width, height = m->problem.height;
  const StereoFilterStages *f = m->filters;
  StereoStatus status = m->algorithm->run (frame, m->stages);

  if (status == STEREO_OK)
    status = stereo_mark (frame->marks, "match");
  if (status != STEREO_OK || frame->output != NULL)
    return status;
  if (f->median_encode != NULL) {
    status = f->median_encode (m->queue, width, height, &m->map, output);
  } else {
    status = f->median (m->queue, width, height, &m->map, &m->filtered);
    if (status == STEREO_OK)
      status = f->encode (m->queue, width, height, &m->filtered, output);
  }
  if (status == STEREO_OK)
    status = stereo_mark (frame->marks, "median");
  return status;
}

StereoStatus
stereo_matcher_process (StereoMatcher * m, const StereoImage * left,
    const StereoImage * right, const StereoImage * output, uint64_t * frame)
{
  const StereoQueueClass *q;
  const StereoGeometry *g;
  unsigned index;
  Slot *slot;
  StereoFrame work;
  StereoOutput encoded;
  const uint8_t *raw[2];
  size_t stride[2];
  bool in_place, uploads;
  StereoMarks marks;
  StereoStatus status;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  q = m->queue->klass;
  g = &m->geometry;
  index = (unsigned) (m->next_frame % m->n_slots);
  slot = &m->slots[index];

  m->message.text[0] = '\0';
  if (!m->configured)
    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "the matcher is not configured");
  status = stereo_image_check (left, "left image", g->left, g->width,
      g->height, &m->message);
  if (status == STEREO_OK)
    status = stereo_image_check (right, "right image", g->right, g->width,
        g->height, &m->message);
  if (status == STEREO_OK)
    status = stereo_image_check (output, "output image", g->output, g->width,
        g->height, &m->message);
  /* The slot's previous frame has to be out of it. */
  if (status == STEREO_OK && slot->frame != 0)
    status = wait_here (m, slot->frame);
  if (status != STEREO_OK)
    return status;

  in_place = !copies (m) || output->memory == STEREO_MEMORY_DEVICE;
  encoded.data = in_place ? output->plane[0] : slot->encoded;
  encoded.stride = in_place ? output->stride[0] : m->encoded_stride;
  encoded.code = m->codes;
  encoded.invalid = (uint16_t) m->common.invalid_value;
  encoded.bytes = m->encoded_bytes;

  work.problem = &m->problem;
  work.plan = m->plan;
  work.queue = m->queue;
  work.map = m->map;
  work.output = m->common.median ? NULL : &encoded;
  marks.queue = m->queue;
  marks.slot = index;
  marks.n = 0;
  work.marks = m->profiling ? &marks : NULL;

  uploads = copies (m) && (left->memory != STEREO_MEMORY_DEVICE
      || right->memory != STEREO_MEMORY_DEVICE);
  status = q->begin (m->queue, index, uploads, !in_place);
  if (status != STEREO_OK)
    return queue_failed (m, status);
  if ((status = upload_view (m, slot, 0, left, &raw[0], &stride[0]))
      || (status = upload_view (m, slot, 1, right, &raw[1], &stride[1]))
      || (status = uploads ? stereo_mark (work.marks, "upload") : STEREO_OK)
      || (status = q->uploaded (m->queue, index))
      || (status = convert_view (m, 0, raw[0], stride[0], &work.left))
      || (status = convert_view (m, 1, raw[1], stride[1], &work.right))
      || (status = m->sides[0].convert || m->sides[1].convert
          ? stereo_mark (work.marks, "convert") : STEREO_OK)
      || (status = compute (m, &work, &encoded))
      || (status = q->computed (m->queue, index)))
    return queue_failed (m, status);

  slot->copy_out = false;
  if (!in_place) {
    size_t row_bytes = (size_t) g->width * m->encoded_bytes;

    slot->copy_out = output->memory == STEREO_MEMORY_HOST;
    slot->out = output->plane[0];
    slot->out_stride = output->stride[0];
    if (slot->copy_out)
      status = q->download (m->queue, slot->encoded_staging,
          m->encoded_stride, slot->encoded, m->encoded_stride, row_bytes,
          (size_t) g->height);
    else
      status = q->download (m->queue, slot->out, slot->out_stride,
          slot->encoded, m->encoded_stride, row_bytes, (size_t) g->height);
    if (status == STEREO_OK)
      status = stereo_mark (work.marks, "download");
    if (status != STEREO_OK)
      return queue_failed (m, status);
  }
  if ((status = q->end (m->queue, index)) != STEREO_OK)
    return queue_failed (m, status);

  pthread_mutex_lock (&m->lock);
  slot->frame = m->next_frame++;
  slot->complete = false;
  slot->marks = marks;
  pthread_mutex_unlock (&m->lock);
  if (frame != NULL)
    *frame = slot->frame;
  return copies (m) ? STEREO_OK : wait_here (m, slot->frame);
}

StereoStatus
stereo_matcher_sync (StereoMatcher * m)
{
  StereoStatus status = STEREO_OK;

  if (m == NULL)
    return STEREO_ERROR_ARGUMENT;
  m->message.text[0] = '\0';
  for (unsigned i = 0; i < m->n_slots; i++) {
    StereoStatus s = wait_here (m, m->slots[i].frame);

    if (status == STEREO_OK)
      status = s;
  }
  return status;
}
