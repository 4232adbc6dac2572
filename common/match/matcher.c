/* gst-stereomatching: a matcher, which runs one algorithm on one device
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/algorithm.h"
#include "core/image.h"
#include "cost/census.h"
#include "image/colorimetry.h"
#include "image/convert.h"
#include "refine/median.h"
#include "refine/refine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLOTS 4

/* One view between the caller's image and the algorithm. */
typedef struct
{
  const StereoFormatInfo *info;
  StereoYuv yuv;
  int n_planes;                 /* that are read */
  bool convert;                 /* else plane 0 is the view */
  size_t raw_stride[3];         /* of the copies in device memory */
  uint8_t *converted;           /* all planes, one after the other */
  size_t converted_stride;
} Side;

/* The planes of a view on the device. */
typedef struct
{
  const uint8_t *plane[3];
  size_t stride[3];
} Raw;

/* A result of a frame in flight, on its way to the caller's image. */
typedef struct
{
  uint8_t *encoded;             /* device memory */
  uint8_t *staging;             /* pinned host memory */
  /* Where it goes after wait(), if through staging. */
  bool copy_out;
  uint8_t *out;
  size_t out_stride;
  size_t row_bytes;
} Result;

/* Buffers and state of a frame in flight. */
typedef struct
{
  uint64_t frame;               /* 0 = never used */
  bool complete;
  uint8_t *raw[2][3];           /* device memory */
  uint8_t *staging[2][3];       /* pinned host memory */
  Result results[STEREO_N_RESULTS];     /* of those that the algorithm has */
  StereoMarks marks;            /* n is 0 unless it is timed */
} Slot;

struct StereoMatcher
{
  const StereoAlgorithm *algorithm;
  StereoDevice *device;
  StereoQueue *queue;
  const StereoConvertStages *converting;
  const StereoMedianStages *medians;
  const StereoCensusStages *census;     /* of an algorithm that refines, */
  const StereoRefineStages *refining;   /* like all that has to do with it */
  const void *stages;

  bool configured;
  StereoGeometry geometry;
  StereoProblem problem;
  StereoCommonParams common;
  StereoRefineParams refine;
  void *plan;

  Side sides[2];
  unsigned n_slots;
  Slot slots[MAX_SLOTS];
  StereoMap map;
  StereoMap filtered;
  void *census_memory[2];
  StereoWinners winners;
  StereoRefinePlan refinement;
  uint16_t *codes;
  uint16_t *codes_staging;
  size_t encoded_stride[STEREO_N_RESULTS];

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
                                 * .complete, .results[].copy_out and .marks */
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

/* Whether the device writes to the caller's image itself. */
static bool
in_place (const StereoMatcher * m, const StereoImage * image)
{
  return !copies (m) || image->memory == STEREO_MEMORY_DEVICE;
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
  m->converting = device->klass->stages (device, "convert");
  m->medians = device->klass->stages (device, "median");
  m->census = device->klass->stages (device, "census");
  m->refining = device->klass->stages (device, "refine");
  m->stages = device->klass->stages (device, algorithm->name);
  m->n_slots = device->klass->n_slots;
  if (m->converting == NULL || m->medians == NULL || m->stages == NULL
      || (algorithm->refines && (m->census == NULL || m->refining == NULL)))
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
  for (int i = 0; i < 2; i++) {
    StereoColorimetry colorimetry = i == 0 ? g->left_colorimetry
        : g->right_colorimetry;

    if (stereo_format_is_yuv (stereo_format_info (i == 0 ? g->left
                : g->right)) && stereo_colorimetry_yuv (colorimetry) == NULL)
      return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
          "the colorimetry of the %s view, %d, is no StereoColorimetry",
          i == 0 ? "left" : "right", (int) colorimetry);
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

  p->winners = m->algorithm->refines;
  p->right_winners = p->winners && m->refine.lr_max_diff >= 0;
  p->cost = p->winners ? (StereoCost) m->refine.cost : STEREO_COST_LUMA;
  p->unit = p->winners
      ? stereo_refine_unit (&m->refine, p->num_disparities) : 1;
}

/* Declares the buffers of an algorithm that refines. */
static void
plan_refinement (StereoMatcher * m)
{
  const StereoProblem *p = &m->problem;
  size_t height = (size_t) p->height;
  size_t stride = round_up ((size_t) p->width,
      m->device->klass->row_alignment / sizeof (uint32_t));

  memset (&m->winners, 0, sizeof (m->winners));
  m->census_memory[0] = m->census_memory[1] = NULL;
  if (!p->winners)
    return;
  for (int i = 0; i < 2 && p->cost == STEREO_COST_CENSUS; i++)
    stereo_arena_add (&m->arena, &m->census_memory[i],
        m->census->bytes (p->width, p->height), 1);
  m->winners.left_stride = m->winners.right_stride = stride;
  m->winners.unit = p->unit;
  m->winners.first_index = p->first_index;
  m->winners.last_index = p->end_index - 1;
  stereo_arena_add (&m->arena, (void **) &m->winners.left, stride * height,
      sizeof (uint32_t));
  if (p->right_winners)
    stereo_arena_add (&m->arena, (void **) &m->winners.right, stride * height,
        sizeof (uint32_t));
  stereo_refine_plan (p, &m->refine, m->common.median, m->refining,
      &m->refinement, &m->arena);
}

/* Declares the buffers that do not depend on the algorithm. */
static void
plan_buffers (StereoMatcher * m)
{
  const StereoGeometry *g = &m->geometry;
  size_t alignment = m->device->klass->row_alignment;
  size_t width = (size_t) g->width, height = (size_t) g->height;
  int channels = m->problem.channels;
  bool subpixel = m->algorithm->subpixel;
  StereoFormat formats[2] = { g->left, g->right };
  StereoColorimetry colorimetries[2] = { g->left_colorimetry,
    g->right_colorimetry
  };

  for (int i = 0; i < 2; i++) {
    Side *side = &m->sides[i];
    size_t planes = (size_t) m->converting->view_planes (channels);

    side->info = stereo_format_info (formats[i]);
    if (stereo_format_is_yuv (side->info))
      side->yuv = *stereo_colorimetry_yuv (colorimetries[i]);
    side->n_planes = stereo_format_planes (side->info, channels == 3);
    side->convert = channels == 3 || !stereo_format_is_luma (side->info);
    for (int p = 0; p < side->n_planes; p++)
      side->raw_stride[p] = round_up (stereo_format_row_bytes (side->info, p,
              g->width), alignment);
    side->converted_stride = round_up (m->converting->view_row_bytes (g->width,
            channels), alignment);
    if (side->convert)
      stereo_arena_add (&m->arena, (void **) &side->converted,
          side->converted_stride * height, planes);
    else
      side->converted = NULL;
  }

  m->map.stride = m->filtered.stride = round_up (width, alignment / 2);
  m->map.data = m->filtered.data = NULL;
  m->codes = m->codes_staging = NULL;
  if (!subpixel || m->common.median)
    stereo_arena_add (&m->arena, (void **) &m->map.data,
        m->map.stride * height, sizeof (uint16_t));
  if (!subpixel && m->common.median && m->medians->median_encode == NULL)
    stereo_arena_add (&m->arena, (void **) &m->filtered.data,
        m->filtered.stride * height, sizeof (uint16_t));
  if (!subpixel) {
    stereo_arena_add (&m->arena, (void **) &m->codes, STEREO_MAX_DISPARITIES,
        sizeof (uint16_t));
    stereo_arena_add (&m->pinned, (void **) &m->codes_staging,
        STEREO_MAX_DISPARITIES, sizeof (uint16_t));
  }

  /* The disparity's format is settled; the others may have two bytes. */
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    size_t bytes = r == STEREO_RESULT_DISPARITY
        ? stereo_format_info (g->output)->pixel_bytes : sizeof (uint16_t);

    m->encoded_stride[r] = round_up (width * bytes, alignment);
  }

  if (!copies (m))
    return;
  for (unsigned s = 0; s < m->n_slots; s++) {
    Slot *slot = &m->slots[s];

    for (int i = 0; i < 2; i++) {
      const Side *side = &m->sides[i];

      for (int p = 0; p < side->n_planes; p++) {
        size_t rows = stereo_format_rows (side->info, p, g->height);

        stereo_arena_add (&m->arena, (void **) &slot->raw[i][p],
            side->raw_stride[p], rows);
        stereo_arena_add (&m->pinned, (void **) &slot->staging[i][p],
            side->raw_stride[p], rows);
      }
    }
    for (int r = 0; r < STEREO_N_RESULTS; r++) {
      Result *result = &slot->results[r];

      if (!stereo_algorithm_has_result (m->algorithm, (StereoResult) r))
        continue;
      stereo_arena_add (&m->arena, (void **) &result->encoded,
          m->encoded_stride[r], height);
      stereo_arena_add (&m->pinned, (void **) &result->staging,
          m->encoded_stride[r], height);
    }
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
  m->refine = params->refine;
  make_problem (m);

  stereo_arena_reset (&m->arena);
  stereo_arena_reset (&m->pinned);
  plan_buffers (m);
  plan_refinement (m);
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

  if (m->codes != NULL) {
    make_codes (m->geometry.output, &m->common, m->codes_staging);
    status = m->device->klass->copy (m->device, m->codes, m->codes_staging,
        m->common.num_disparities * sizeof (uint16_t), &m->message);
    if (status != STEREO_OK)
      return status;
  }

  m->configured = true;
  return STEREO_OK;
}

/* --------------------------------------------------------------------- wait */

/* Times of equal names add up. */
static void
add_stage (StereoMatcher * m, const char *name, uint64_t ns)
{
  unsigned i = 0;

  while (i < m->n_stages && strcmp (m->stage_name[i], name) != 0)
    i++;
  if (i == m->n_stages) {
    m->stage_name[m->n_stages++] = name;
    m->stage_ns[i] = 0;
  }
  m->stage_ns[i] += ns;
}

/* The last step of a frame: counts it, and empties the staging buffers. */
static void
complete_locked (StereoMatcher * m, Slot * slot, uint64_t ns,
    const uint64_t * stage_ns)
{
  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    const Result *result = &slot->results[r];

    for (int y = 0; result->copy_out && y < m->geometry.height; y++)
      memcpy (result->out + (size_t) y * result->out_stride,
          result->staging + (size_t) y * m->encoded_stride[r],
          result->row_bytes);
  }
  slot->complete = true;
  m->stats.frames++;
  m->stats.last_ns = ns;
  m->stats.total_ns += ns;
  m->n_stages = 0;
  for (unsigned i = 0; i < slot->marks.n; i++)
    add_stage (m, slot->marks.name[i], stage_ns[i]);
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

/* Brings the planes of one view that are read to the device. */
static StereoStatus
upload_view (StereoMatcher * m, Slot * slot, int index,
    const StereoImage * image, Raw * raw)
{
  const Side *side = &m->sides[index];
  StereoStatus status = STEREO_OK;

  for (int p = 0; p < side->n_planes && status == STEREO_OK; p++) {
    raw->plane[p] = image->plane[p];
    raw->stride[p] = image->stride[p];
    if (!copies (m) || image->memory == STEREO_MEMORY_DEVICE)
      continue;

    raw->plane[p] = slot->raw[index][p];
    raw->stride[p] = side->raw_stride[p];
    status = m->queue->klass->upload (m->queue, slot->raw[index][p],
        side->raw_stride[p], image->plane[p], image->stride[p],
        stereo_format_row_bytes (side->info, p, m->problem.width),
        stereo_format_rows (side->info, p, m->problem.height),
        image->memory == STEREO_MEMORY_HOST ? slot->staging[index][p] : NULL);
  }
  return status;
}

/* Makes a view of what upload_view() brought: a stage, after the queue's
 * uploaded(). */
static StereoStatus
convert_view (StereoMatcher * m, int index, const Raw * raw,
    StereoView * view)
{
  const Side *side = &m->sides[index];
  const StereoFormatInfo *info = side->info;
  StereoConversion c = { 0 };

  if (!side->convert) {
    view->plane[0] = raw->plane[0];
    view->plane[1] = view->plane[2] = NULL;
    view->stride = raw->stride[0];
    return STEREO_OK;
  }

  c.width = m->problem.width;
  c.height = m->problem.height;
  c.source = raw->plane[0];
  c.source_stride = raw->stride[0];
  c.pixel_bytes = info->pixel_bytes;
  c.r = info->r;
  c.g = info->g;
  c.b = info->b;
  if (stereo_format_is_yuv (info)) {
    c.u = raw->plane[info->u_plane] + info->u_offset;
    c.v = raw->plane[info->v_plane] + info->v_offset;
    c.u_stride = raw->stride[info->u_plane];
    c.v_stride = raw->stride[info->v_plane];
    c.chroma_bytes = info->chroma_bytes;
    c.shift_x = info->shift_x;
    c.shift_y = info->shift_y;
    c.yuv = side->yuv;
  }
  c.channels = m->problem.channels;
  c.target_stride = side->converted_stride;
  for (int i = 0; i < 3; i++) {
    c.target[i] = i < m->converting->view_planes (c.channels)
        ? side->converted + (size_t) i * c.target_stride * (size_t) c.height
        : NULL;
    view->plane[i] = c.target[i];
  }
  view->stride = c.target_stride;
  return m->converting->convert (m->queue, &c);
}

/* Whether the images are what process() can fill. */
static StereoStatus
check_results (StereoMatcher * m, const StereoImage * const *results)
{
  const StereoGeometry *g = &m->geometry;

  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    const StereoImage *image = results[r];
    StereoFormat format = STEREO_FORMAT_GRAY16_LE;
    StereoStatus status;
    char role[32];

    if (r == STEREO_RESULT_DISPARITY) {
      status = stereo_image_check_output (image, "output image", g->output,
          g->width, g->height, &m->message);
      if (status != STEREO_OK)
        return status;
      continue;
    }
    if (image == NULL)
      continue;
    if (!stereo_algorithm_has_result (m->algorithm, (StereoResult) r))
      return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
          "%s has no result called %s", m->algorithm->name,
          stereo_result_name ((StereoResult) r));
    if (r == STEREO_RESULT_CONFIDENCE && image->format == STEREO_FORMAT_GRAY8)
      format = STEREO_FORMAT_GRAY8;
    if (image->format != format) {
      const char *name = stereo_format_name (image->format);

      return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
          "%s image can't be %s: it is %s", stereo_result_name (
              (StereoResult) r), name ? name : "of an unknown format",
          r == STEREO_RESULT_CONFIDENCE ? "GRAY16_LE or GRAY8" : "GRAY16_LE");
    }
    snprintf (role, sizeof (role), "%s image", stereo_result_name (
            (StereoResult) r));
    status = stereo_image_check_output (image, role, format, g->width,
        g->height, &m->message);
    if (status != STEREO_OK)
      return status;
  }
  return STEREO_OK;
}

/* How the values of a result become codes in an image of this format. */
static void
make_encoding (StereoMatcher * m, StereoResult result, StereoFormat format,
    StereoOutput * output)
{
  const StereoCommonParams *p = &m->common;
  unsigned span = p->num_disparities - 1;

  output->code = NULL;
  output->gain = output->divisor = 1;
  output->bytes = stereo_format_info (format)->pixel_bytes;
  output->invalid = p->invalid_value;
  output->offset = 0;
  output->lowest = 0;
  output->highest = output->bytes == 1 ? 255 : 65535;
  switch (result) {
    case STEREO_RESULT_VERTICAL:
      output->scale = (float) p->disparity_scale;
      output->offset = STEREO_VERTICAL_OFFSET;
      break;
    case STEREO_RESULT_CONFIDENCE:
      output->scale = output->highest;
      output->invalid = STEREO_NO_INVALID;
      break;
    case STEREO_RESULT_DISPARITY:
    default:
      output->code = m->codes;
      output->gain = output->bytes == 2 ? p->disparity_scale : 2 * 255;
      output->divisor = (output->bytes == 2 ? 1 : span > 0 ? 2 * span : 1)
          * (unsigned) m->problem.unit;
      if (output->bytes == 2)
        output->highest = (uint16_t) (span * p->disparity_scale);
      else if (span == 0)
        output->highest = 0;
      output->scale = span > 0 ? (float) output->highest / (float) span : 0;
      output->offset = -(float) p->min_disparity * output->scale;
      break;
  }
}

/* Where run() leaves the codes of a result, in the slot or in the image. */
static void
prepare_result (StereoMatcher * m, Slot * slot, StereoResult r,
    const StereoImage * image, StereoOutput * output)
{
  Result *result = &slot->results[r];

  make_encoding (m, r, image->format, output);
  result->copy_out = false;
  if (in_place (m, image)) {
    output->data = image->plane[0];
    output->stride = image->stride[0];
    return;
  }
  output->data = result->encoded;
  output->stride = m->encoded_stride[r];
  result->out = image->plane[0];
  result->out_stride = image->stride[0];
  result->row_bytes = (size_t) m->geometry.width * output->bytes;
}

/* Brings a result that is not in place to the caller, or to where wait() finds
 * it. */
static StereoStatus
download_result (StereoMatcher * m, Slot * slot, StereoResult r,
    const StereoImage * image)
{
  Result *result = &slot->results[r];

  result->copy_out = image->memory == STEREO_MEMORY_HOST;
  return m->queue->klass->download (m->queue,
      result->copy_out ? result->staging : result->out,
      result->copy_out ? m->encoded_stride[r] : result->out_stride,
      result->encoded, m->encoded_stride[r], result->row_bytes,
      (size_t) m->geometry.height);
}

/* The words of both views, if the cost compares them. */
static StereoStatus
make_census (StereoMatcher * m, StereoFrame * frame)
{
  const StereoProblem *p = &m->problem;
  StereoView views[2] = { frame->left, frame->right };
  StereoStatus status;

  if (!p->winners || p->cost != STEREO_COST_CENSUS)
    return STEREO_OK;
  frame->left_census = m->census->layout (p->width, p->height,
      m->census_memory[0]);
  frame->right_census = m->census->layout (p->width, p->height,
      m->census_memory[1]);
  status = m->census->make (m->queue, p->width, p->height, p->channels, views,
      m->census_memory);
  return status != STEREO_OK ? status : stereo_mark (frame->marks, "census");
}

/* The algorithm and the refinement of its winners. */
static StereoStatus
compute_refined (StereoMatcher * m, const StereoFrame * frame,
    const StereoOutput * output, const StereoOutput * confidence)
{
  StereoStatus status = m->algorithm->run (frame, m->stages);

  if (status == STEREO_OK)
    status = stereo_mark (frame->marks, "match");
  if (status == STEREO_OK)
    status = stereo_refine_run (m->algorithm, frame, m->stages, m->refining,
        &m->refinement, output, confidence);
  if (status == STEREO_OK)
    status = stereo_mark (frame->marks, "refine");
  return status;
}

/* The algorithm, the median and the encoding.  output is the disparity's. */
static StereoStatus
compute (StereoMatcher * m, const StereoFrame * frame,
    const StereoOutput * output)
{
  int width = m->problem.width, height = m->problem.height;
  const StereoMedianStages *f = m->medians;
  StereoStatus status = m->algorithm->run (frame, m->stages);

  if (status == STEREO_OK)
    status = stereo_mark (frame->marks, "match");
  if (status != STEREO_OK || !m->common.median)
    return status;
  if (m->algorithm->subpixel) {
    status = f->median_codes (m->queue, width, height, &m->map, output);
  } else if (f->median_encode != NULL) {
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
stereo_matcher_process_results (StereoMatcher * m, const StereoImage * left,
    const StereoImage * right,
    const StereoImage * const results[STEREO_N_RESULTS], uint64_t * frame)
{
  const StereoQueueClass *q;
  const StereoGeometry *g;
  unsigned index;
  Slot *slot;
  StereoFrame work;
  StereoOutput encoded[STEREO_N_RESULTS], unfiltered;
  const StereoOutput *disparity = &encoded[STEREO_RESULT_DISPARITY];
  Raw raw[2];
  const StereoOutput *confidence;
  bool color, uploads, downloads = false, refined;
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
  if (results == NULL)
    return stereo_fail (&m->message, STEREO_ERROR_ARGUMENT,
        "the list of results is missing");
  color = m->problem.channels == 3;
  status = stereo_image_check (left, "left image", g->left, g->width,
      g->height, color, &m->message);
  if (status == STEREO_OK)
    status = stereo_image_check (right, "right image", g->right, g->width,
        g->height, color, &m->message);
  if (status == STEREO_OK)
    status = check_results (m, results);
  /* The slot's previous frame has to be out of it. */
  if (status == STEREO_OK && slot->frame != 0)
    status = wait_here (m, slot->frame);
  if (status != STEREO_OK)
    return status;

  for (int r = 0; r < STEREO_N_RESULTS; r++) {
    work.results[r] = NULL;
    slot->results[r].copy_out = false;
    if (results[r] == NULL)
      continue;
    prepare_result (m, slot, (StereoResult) r, results[r], &encoded[r]);
    work.results[r] = &encoded[r];
    downloads = downloads || !in_place (m, results[r]);
  }

  work.problem = &m->problem;
  work.plan = m->plan;
  work.queue = m->queue;
  work.map = m->map;
  if (m->common.median && m->algorithm->subpixel) {
    /* the codes that they are going to be, for the median to choose from */
    unfiltered = *disparity;
    unfiltered.data = m->map.data;
    unfiltered.stride = m->map.stride * sizeof (uint16_t);
    unfiltered.bytes = sizeof (uint16_t);
    work.results[STEREO_RESULT_DISPARITY] = &unfiltered;
  } else if (m->common.median) {
    work.results[STEREO_RESULT_DISPARITY] = NULL;
  }
  confidence = work.results[STEREO_RESULT_CONFIDENCE];
  refined = m->problem.winners && (confidence != NULL
      || stereo_refine_wanted (&m->refine));
  work.winners = NULL;
  if (refined) {
    work.winners = &m->winners;
    work.results[STEREO_RESULT_DISPARITY] = NULL;
    work.results[STEREO_RESULT_CONFIDENCE] = NULL;
  }
  work.output = work.results[STEREO_RESULT_DISPARITY];
  marks.queue = m->queue;
  marks.slot = index;
  marks.n = 0;
  work.marks = m->profiling ? &marks : NULL;

  uploads = copies (m) && (left->memory != STEREO_MEMORY_DEVICE
      || right->memory != STEREO_MEMORY_DEVICE);
  status = q->begin (m->queue, index, uploads, downloads);
  if (status != STEREO_OK)
    return queue_failed (m, status);
  if ((status = upload_view (m, slot, 0, left, &raw[0]))
      || (status = upload_view (m, slot, 1, right, &raw[1]))
      || (status = uploads ? stereo_mark (work.marks, "upload") : STEREO_OK)
      || (status = q->uploaded (m->queue, index))
      || (status = convert_view (m, 0, &raw[0], &work.left))
      || (status = convert_view (m, 1, &raw[1], &work.right))
      || (status = m->sides[0].convert || m->sides[1].convert
          ? stereo_mark (work.marks, "convert") : STEREO_OK)
      || (status = make_census (m, &work))
      || (status = refined
          ? compute_refined (m, &work, disparity, confidence)
          : compute (m, &work, disparity))
      || (status = q->computed (m->queue, index)))
    return queue_failed (m, status);

  for (int r = 0; r < STEREO_N_RESULTS && status == STEREO_OK; r++) {
    if (results[r] != NULL && !in_place (m, results[r]))
      status = download_result (m, slot, (StereoResult) r, results[r]);
  }
  if (status == STEREO_OK && downloads)
    status = stereo_mark (work.marks, "download");
  if (status != STEREO_OK)
    return queue_failed (m, status);
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
stereo_matcher_process (StereoMatcher * m, const StereoImage * left,
    const StereoImage * right, const StereoImage * output, uint64_t * frame)
{
  const StereoImage *results[STEREO_N_RESULTS] = { NULL };

  results[STEREO_RESULT_DISPARITY] = output;
  return stereo_matcher_process_results (m, left, right, results, frame);
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
