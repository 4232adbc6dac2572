/* gst-stereomatching: correlation over an image pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid.h"

#include "core/cpu.h"
#include "refine/output.h"
#include "match/pyramid-pixel.h"
#include "match/pyramid-simd.h"
#include "simd/select.h"

#include <math.h>
#include <string.h>

static const StereoParamSpec specs[] = {
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, levels, "levels",
      "Levels of the pyramid, each smaller by the square root of 2; no more "
      "than fit, 0 for all that fit", 0, 0, STEREO_PYRAMID_MAX_LEVELS),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, max_iterations,
      "max-iterations", "Iterations of a level at most", 22, 1, 100),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, fine_iterations,
      "fine-iterations", "Iterations of the finest level; the five next ones "
      "have as many more each", 2, 1, 50),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, diffusion, "diffusion",
      "Steps of the diffusion in an iteration", 5, 0, 50),
  STEREO_PARAM_UINT_ROW (StereoPyramidParams, fine_diffusion,
      "fine-diffusion", "The same of the two finest levels", 10, 0, 50),
  STEREO_PARAM_BOOL_ROW (StereoPyramidParams, vertical_search,
      "vertical-search", "Search above and below, too: for views that are not "
      "rectified", false),
  STEREO_PARAM_DOUBLE_ROW (StereoPyramidParams, max_step, "max-step",
      "The largest step of an iteration, in pixels of its level", 1.0, 0.01,
      4.0),
  STEREO_PARAM_INT_ROW (StereoPyramidParams, lr_max_diff, "lr-max-diff",
      "How far the displacements of both views may disagree for a pixel to be "
      "valid, in pixels (-1 = not checked, in half the time)", 1, -1, 64),
  STEREO_PARAM_BOOL_ROW (StereoPyramidParams, fill, "fill",
      "Fill invalid pixels from the background beside them; else they get "
      "invalid-value, and no median is taken", true),
  STEREO_PARAM_END
};

/* ---------------------------------------------------------------- constants */

/* size / sqrt (2), rounded down. */
static int
smaller_size (int size)
{
  return (int) floor (size / sqrt (2.0));
}

static int
level_iterations (const StereoPyramidParams * params, int level)
{
  unsigned n = params->fine_iterations * (unsigned) (level + 1);

  return (int) (level <= 5 && n < params->max_iterations ? n
      : params->max_iterations);
}

void
stereo_pyramid_constants (const StereoSearch * search,
    const StereoPyramidParams * params, StereoPyramidConstants * k,
    StereoPyramidLevel * level)
{
  int width = search->width, height = search->height;
  int limit = params->levels > 0 ? (int) params->levels
      : STEREO_PYRAMID_MAX_LEVELS;
  int n = 0, nearest;

  memset (k, 0, sizeof (*k));
  memset (level, 0, STEREO_PYRAMID_MAX_LEVELS * sizeof (*level));
  do {
    level[n].width = width;
    level[n].height = height;
    level[n].stride = (size_t) width / 32 * 32 + 32;
    level[n].iterations = level_iterations (params, n);
    level[n].diffusion =
        (int) (n <= 1 ? params->fine_diffusion : params->diffusion);
    width = smaller_size (width);
    height = smaller_size (height);
    n++;
  } while (n < limit && width >= STEREO_PYRAMID_MIN_SIZE
      && height >= STEREO_PYRAMID_MIN_SIZE);

  for (int i = 0; i + 1 < n; i++) {
    StereoPyramidLevel *fine = &level[i];
    const StereoPyramidLevel *coarse = &level[i + 1];

    fine->scale_x = (float) fine->width / (float) coarse->width;
    fine->scale_y = (float) fine->height / (float) coarse->height;
    fine->downsample_x = stereo_pyramid_ratio (coarse->width, fine->width);
    fine->downsample_y = stereo_pyramid_ratio (coarse->height, fine->height);
    fine->upsample_x = stereo_pyramid_ratio (fine->width, coarse->width);
    fine->upsample_y = stereo_pyramid_ratio (fine->height, coarse->height);
  }

  k->channels = search->channels;
  k->vertical = params->vertical_search;
  k->max_step = (float) params->max_step;
  k->n_levels = n;
  k->check = params->lr_max_diff >= 0;
  k->max_diff = (float) params->lr_max_diff;
  k->fill = params->fill;
  /* The disparity next to 0 that is asked for. */
  nearest = stereo_clamp_int (0, search->min_disparity,
      search->min_disparity + search->num_disparities - 1);
  k->start = -(float) nearest * ((float) level[n - 1].width
      / (float) search->width);
}

/* ---------------------------------------------------------------- schedule */

typedef struct
{
  StereoPyramidConstants constants;
  StereoPyramidLevel level[STEREO_PYRAMID_MAX_LEVELS];  /* without buffers */
  uint32_t *words;              /* of all levels: left, right, left, ... */
  float *inverse;
  float *planes[3][3];          /* the last field only for the check */
} Plan;

static size_t
level_size (const StereoPyramidLevel * level)
{
  return level->stride * (size_t) level->height;
}

static StereoStatus
plan (const StereoSearch * search, const void *params, const void *stages,
    void *plan_memory, StereoArena * arena, StereoMessage * why)
{
  Plan *p = plan_memory;
  size_t words = 0, pixels;

  (void) stages;
  (void) why;
  stereo_pyramid_constants (search, params, &p->constants, p->level);
  for (int i = 0; i < p->constants.n_levels; i++)
    words += 2 * level_size (&p->level[i]);
  pixels = level_size (&p->level[0]);

  stereo_arena_add (arena, (void **) &p->words, words, sizeof (uint32_t));
  stereo_arena_add (arena, (void **) &p->inverse, pixels, sizeof (float));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      p->planes[i][j] = NULL;
      if ((j != 1 || p->constants.vertical) && (i < 2 || p->constants.check))
        stereo_arena_add (arena, (void **) &p->planes[i][j], pixels,
            sizeof (float));
    }
  }
  return STEREO_OK;
}

/* All iterations of a level, with separate stages. */
static StereoStatus
iterate (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    float *inverse, bool first, const StereoPyramidField * field,
    const StereoPyramidField * other)
{
  StereoQueue *q = frame->queue;
  StereoStatus status;

  if ((status = s->prepare (q, k, level, inverse))
      || (status = stereo_stage_end (frame->timestamps, "other")))
    return status;
  for (int m = 0; m < level->iterations; m++) {
    float step = stereo_pyramid_step (m, level->iterations, k->max_step);

    if ((status = s->correlate (q, k, level, inverse, step, first && m == 0,
                field, other))
        || (status = stereo_stage_end (frame->timestamps, "correlation"))
        || (status = s->diffuse (q, k, level, other, field))
        || (status = stereo_stage_end (frame->timestamps, "refinement")))
      return status;
  }
  return STEREO_OK;
}

/* The field of level 0 of level's left view: one of both, the other one is
 * used, too. */
static StereoStatus
search_view (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    float *inverse, StereoPyramidField * field, StereoPyramidField * other)
{
  int last = k->n_levels - 1;
  StereoQueue *q = frame->queue;
  StereoStatus status = s->clear (q, k, &level[last], field);

  for (int i = last; i >= 0 && status == STEREO_OK; i--) {
    if (i < last) {
      StereoPyramidField coarse = *field;

      *field = *other;
      *other = coarse;
      if ((status = s->upsample (q, k, &level[i + 1], &level[i], other, field))
          || (status = stereo_stage_end (frame->timestamps, "rescale")))
        return status;
    }
    /* What is done in one go can't be told apart: not in frames that are timed
     * by stages. */
    if (s->iterate != NULL && frame->timestamps == NULL)
      status = s->iterate (q, k, &level[i], inverse, i == last, field, other);
    else
      status = iterate (frame, s, k, &level[i], inverse, i == last, field,
          other);
  }
  return status;
}

/* Searches from the right view, too, and looks where both disagree. */
static StereoStatus
check (const StereoMatchFrame * frame, const StereoPyramidStages * s,
    const Plan * p, const StereoPyramidLevel * level,
    const StereoPyramidField * field, StereoPyramidField * back,
    StereoPyramidField * other)
{
  StereoPyramidConstants k = p->constants;
  StereoPyramidLevel exchanged[STEREO_PYRAMID_MAX_LEVELS];
  StereoQueue *q = frame->queue;
  StereoStatus status;

  k.start = -k.start;
  for (int i = 0; i < k.n_levels; i++) {
    exchanged[i] = level[i];
    exchanged[i].left = level[i].right;
    exchanged[i].right = level[i].left;
  }
  if ((status = search_view (frame, s, &k, exchanged, p->inverse, back, other))
      || (status = s->check (q, &k, level, back, field)))
    return status;
  if (k.fill && (status = s->fill (q, &k, level, field)))
    return status;
  return stereo_stage_end (frame->timestamps, "check");
}

static StereoStatus
run (const StereoMatchFrame * frame, const void *stages)
{
  const StereoPyramidStages *s = stages;
  const Plan *p = frame->plan;
  const StereoPyramidConstants *k = &p->constants;
  StereoPyramidLevel level[STEREO_PYRAMID_MAX_LEVELS];
  StereoPyramidField field[3];
  StereoQueue *q = frame->queue;
  uint32_t *words = p->words;
  StereoStatus status;

  memcpy (level, p->level, sizeof (level));
  for (int i = 0; i < k->n_levels; i++) {
    level[i].left = words;
    level[i].right = words + level_size (&level[i]);
    words += 2 * level_size (&level[i]);
  }
  for (int i = 0; i < 3; i++) {
    field[i].dx = p->planes[i][0];
    field[i].dy = p->planes[i][1];
    field[i].confidence = p->planes[i][2];
  }

  status = s->start (q, k, &frame->left, &frame->right, &level[0]);
  for (int i = 0; i + 1 < k->n_levels && status == STEREO_OK; i++)
    status = s->downsample (q, k, &level[i], &level[i + 1]);
  if (status != STEREO_OK
      || (status = stereo_stage_end (frame->timestamps, "pyramids"))
      || (status = search_view (frame, s, k, level, p->inverse, &field[0],
              &field[1])))
    return status;
  if (k->check && (status = check (frame, s, p, level, &field[0], &field[2],
              &field[1])))
    return status;
  if ((status = s->finish (q, k, &level[0], &field[0], frame->results)))
    return status;
  return stereo_stage_end (frame->timestamps, "other");
}

const StereoAlgorithm stereo_pyramid_algorithm = {
  .name = "pyramid",
  .title = "Correlation over an image pyramid",
  .reference = "T. Xu, P. Cockshott, S. Oehler: Acceleration of "
      "stereo-matching on multi-core CPU and GPU, HPCC 2014",
  .uses_color = true,
  .subpixel = true,
  .results = 1u << STEREO_RESULT_VERTICAL | 1u << STEREO_RESULT_CONFIDENCE,
  .params = specs,
  .params_size = sizeof (StereoPyramidParams),
  .plan_size = sizeof (Plan),
  .plan = plan,
  .run = run,
};

/* ------------------------------------------------- stages, plain reference */

/* Offset of a pixel; coordinates are clamped. */
static size_t
at (const StereoPyramidLevel * level, int x, int y)
{
  return (size_t) stereo_clamp_int (y, 0, level->height - 1) * level->stride
      + (size_t) stereo_clamp_int (x, 0, level->width - 1);
}

/* What the threads of a loop work on. */
typedef struct
{
  const StereoPyramidConstants *k;
  const StereoView *left;
  const StereoView *right;
  const StereoPyramidLevel *level;
  const StereoPyramidLevel *coarse;
  const StereoPyramidLevel *fine;
  const float *inverse;
  float *made;                  /* inverses, by prepare */
  const StereoPyramidField *from;
  const StereoPyramidField *to;
  float step;
  bool first;
  const float *plane;
  float *mean;
  const StereoPyramidField *field;
  const StereoOutput *const *results;
} Job;

static void
start_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoView *left = job->left;
  const StereoView *right = job->right;
  const StereoPyramidLevel *level = job->level;

  for (int y = span.begin; y < span.end; y++) {
    for (int side = 0; side < 2; side++) {
      const StereoView *view = side ? right : left;
      uint32_t *words = (side ? level->right : level->left) + at (level, 0, y);
      size_t row = (size_t) y * view->stride;

      for (int x = 0; x < level->width; x++) {
        size_t p = row + (size_t) x;

        words[x] = stereo_pyramid_word (view->plane[0][p],
            view->plane[k->channels == 3 ? 1 : 0][p],
            view->plane[k->channels == 3 ? 2 : 0][p]);
      }
    }
  }
}

static StereoStatus
start_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoView * left, const StereoView * right,
    const StereoPyramidLevel * level)
{
  Job job = {.k = k,.left = left,.right = right,.level = level };

  stereo_cpu_for (queue, level->height, 0, start_rows, &job);
  return STEREO_OK;
}

static uint32_t
smaller_word (const StereoPyramidLevel * fine, const uint32_t * view, int px,
    int py)
{
  uint32_t r = 0, g = 0, b = 0;

  for (int j = 0; j < 6; j++) {
    for (int i = 0; i < 6; i++) {
      uint32_t weight = stereo_pyramid_tap (i, (uint32_t) px & 63u)
          * stereo_pyramid_tap (j, (uint32_t) py & 63u);
      uint32_t word = view[at (fine, (px >> 6) - 2 + i, (py >> 6) - 2 + j)];

      r += weight * stereo_pyramid_r (word);
      g += weight * stereo_pyramid_g (word);
      b += weight * stereo_pyramid_b (word);
    }
  }
  return stereo_pyramid_pack (stereo_pyramid_smaller (r),
      stereo_pyramid_smaller (g), stereo_pyramid_smaller (b));
}

static void
downsample_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidLevel *fine = job->fine;
  const StereoPyramidLevel *coarse = job->coarse;

  for (int y = span.begin; y < span.end; y++) {
    int py = stereo_pyramid_position (y, fine->downsample_y, fine->height);

    for (int x = 0; x < coarse->width; x++) {
      int px = stereo_pyramid_position (x, fine->downsample_x, fine->width);

      coarse->left[at (coarse, x, y)] = smaller_word (fine, fine->left, px,
          py);
      coarse->right[at (coarse, x, y)] = smaller_word (fine, fine->right, px,
          py);
    }
  }
}

static StereoStatus
downsample_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * fine, const StereoPyramidLevel * coarse)
{
  Job job = {.fine = fine,.coarse = coarse };

  (void) k;
  stereo_cpu_for (queue, coarse->height, 0, downsample_rows, &job);
  return STEREO_OK;
}

static StereoStatus
clear_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * field)
{
  (void) queue;
  for (size_t p = 0; p < level_size (level); p++) {
    field->dx[p] = k->start;
    if (k->vertical)
      field->dy[p] = 0.0f;
    field->confidence[p] = 0.0f;
  }
  return STEREO_OK;
}

/* The moment of 5 x 5 products under G. */
static float
moment (float product[5][5])
{
  float row[5];

  for (int j = 0; j < 5; j++)
    row[j] = stereo_pyramid_five (product[j][0], product[j][1],
        product[j][2], product[j][3], product[j][4]);
  return stereo_pyramid_five (row[0], row[1], row[2], row[3], row[4]);
}

static void
prepare_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidLevel *level = job->level;
  float *inverse = job->made;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      float product[5][5];

      for (int j = 0; j < 5; j++) {
        for (int i = 0; i < 5; i++) {
          uint32_t word = level->left[at (level, x - 2 + i, y - 2 + j)];

          product[j][i] = (float) stereo_pyramid_product (word, word);
        }
      }
      inverse[at (level, x, y)] = stereo_pyramid_inverse (moment (product));
    }
  }
}

static StereoStatus
prepare_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, float *inverse)
{
  Job job = {.level = level,.made = inverse };

  (void) k;
  stereo_cpu_for (queue, level->height, 0, prepare_rows, &job);
  return STEREO_OK;
}

/* A tile of the left view and of the warped right one, with the pixels around
 * that the moments of its pixels and of their neighbours need. */
#define TILE 32
#define APRON 3
#define SIDE (TILE + 2 * APRON)

typedef struct
{
  uint32_t left[SIDE][SIDE];
  uint32_t warped[SIDE][SIDE];
} Tile;

static void
warp_tile (const StereoPyramidConstants * k, const StereoPyramidLevel * level,
    const StereoPyramidField * from, int x0, int y0, Tile * tile)
{
  for (int j = 0; j < SIDE; j++) {
    for (int i = 0; i < SIDE; i++) {
      int x = stereo_clamp_int (x0 - APRON + i, 0, level->width - 1);
      int y = stereo_clamp_int (y0 - APRON + j, 0, level->height - 1);
      size_t p = at (level, x, y);

      tile->left[j][i] = level->left[p];
      tile->warped[j][i] = stereo_pyramid_fetch (level->right, level->stride,
          level->width, level->height,
          stereo_pyramid_target (x, from->dx[p], level->width),
          stereo_pyramid_target (y, k->vertical ? from->dy[p] : 0.0f,
              level->height));
    }
  }
}

/* The correlation of the pixel i, j of a tile's arrays with the one that is
 * moved by mx, my. */
static float
correlation (const Tile * tile, int i, int j, int mx, int my, float il)
{
  float product[5][5], self[5][5];

  for (int v = 0; v < 5; v++) {
    for (int u = 0; u < 5; u++) {
      uint32_t l = tile->left[j - 2 + v][i - 2 + u];
      uint32_t w = tile->warped[j - 2 + v + my][i - 2 + u + mx];

      product[v][u] = (float) stereo_pyramid_product (l, w);
      self[v][u] = (float) stereo_pyramid_product (w, w);
    }
  }
  return stereo_pyramid_correlation (moment (product), il,
      stereo_pyramid_inverse (moment (self)));
}

static void
correlate_pixel (const StereoPyramidConstants * k, const Tile * tile, int i,
    int j, float il, float step, bool first, size_t p,
    const StereoPyramidField * from, const StereoPyramidField * to)
{
  float own = correlation (tile, i, j, 0, 0, il), trust, trust_y = 1.0f;

  to->dx[p] = from->dx[p] + stereo_pyramid_parabola (correlation (tile, i, j,
          -1, 0, il), own, correlation (tile, i, j, 1, 0, il), step, &trust);
  if (k->vertical) {
    to->dy[p] = from->dy[p] + stereo_pyramid_parabola (correlation (tile, i,
            j, 0, -1, il), own, correlation (tile, i, j, 0, 1, il), step,
        &trust_y);
    trust = trust * trust_y;
  }
  to->confidence[p] = first ? trust
      : stereo_pyramid_confidence (from->confidence[p], trust);
}

static void
correlate_tiles (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *level = job->level;
  const float *inverse = job->inverse;
  float step = job->step;
  bool first = job->first;
  const StereoPyramidField *from = job->from;
  const StereoPyramidField *to = job->to;
  int columns = (level->width + TILE - 1) / TILE;

  for (int t = span.begin; t < span.end; t++) {
    int x0 = t % columns * TILE, y0 = t / columns * TILE;
    Tile tile;

    warp_tile (k, level, from, x0, y0, &tile);
    for (int y = y0; y < y0 + TILE && y < level->height; y++) {
      for (int x = x0; x < x0 + TILE && x < level->width; x++) {
        size_t p = at (level, x, y);

        correlate_pixel (k, &tile, x - x0 + APRON, y - y0 + APRON,
            inverse[p], step, first, p, from, to);
      }
    }
  }
}

static StereoStatus
correlate_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const float *inverse, float step,
    bool first, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  int columns = (level->width + TILE - 1) / TILE;
  int rows = (level->height + TILE - 1) / TILE;
  Job job = {.k = k,.level = level,.inverse = inverse,.step = step,
    .first = first,.from = from,.to = to
  };

  stereo_cpu_for (queue, columns * rows, 0, correlate_tiles, &job);
  return STEREO_OK;
}

/* The sum of a plane's products with the confidence over a pixel and its
 * neighbours. */
static float
weighted_cross (const StereoPyramidLevel * level, const float *confidence,
    const float *plane, int x, int y)
{
  size_t left = at (level, x - 1, y), right = at (level, x + 1, y);
  size_t up = at (level, x, y - 1), down = at (level, x, y + 1);
  size_t own = at (level, x, y);

  return stereo_pyramid_cross (confidence[left] * plane[left],
      confidence[right] * plane[right], confidence[up] * plane[up],
      confidence[down] * plane[down], confidence[own] * plane[own]);
}

static void
diffuse_step_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *level = job->level;
  const StereoPyramidField *from = job->from;
  const StereoPyramidField *to = job->to;
  const float *c = from->confidence;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      size_t p = at (level, x, y);
      float r = 1.0f / stereo_pyramid_cross (c[at (level, x - 1, y)],
          c[at (level, x + 1, y)], c[at (level, x, y - 1)],
          c[at (level, x, y + 1)], c[p]);

      to->dx[p] = weighted_cross (level, c, from->dx, x, y) * r;
      if (k->vertical)
        to->dy[p] = weighted_cross (level, c, from->dy, x, y) * r;
      to->confidence[p] = weighted_cross (level, c, c, x, y) * r;
    }
  }
}

static void
diffuse_step (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  Job job = {.k = k,.level = level,.from = from,.to = to };

  stereo_cpu_for (queue, level->height, 0, diffuse_step_rows, &job);
}

static void
mean_plane_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidLevel *level = job->level;
  const float *from = job->plane;
  float *to = job->mean;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      float row[3];

      for (int j = 0; j < 3; j++)
        row[j] = stereo_pyramid_three (from[at (level, x - 1, y - 1 + j)],
            from[at (level, x + 1, y - 1 + j)], from[at (level, x,
                    y - 1 + j)]);
      to[at (level, x, y)] = stereo_pyramid_three (row[0], row[2], row[1])
          * STEREO_PYRAMID_NINTH;
    }
  }
}

static void
mean_plane (StereoQueue * queue, const StereoPyramidLevel * level,
    const float *from, float *to)
{
  Job job = {.level = level,.plane = from,.mean = to };

  stereo_cpu_for (queue, level->height, 0, mean_plane_rows, &job);
}

static void
copy_field (const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  size_t bytes = level_size (level) * sizeof (float);

  memcpy (to->dx, from->dx, bytes);
  if (k->vertical)
    memcpy (to->dy, from->dy, bytes);
  memcpy (to->confidence, from->confidence, bytes);
}

/* Changes from, too. */
static StereoStatus
diffuse_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * from,
    const StereoPyramidField * to)
{
  for (int i = 0; i < level->diffusion; i++) {
    diffuse_step (queue, k, level, from, to);
    copy_field (k, level, to, from);
  }
  mean_plane (queue, level, from->dx, to->dx);
  if (k->vertical)
    mean_plane (queue, level, from->dy, to->dy);
  mean_plane (queue, level, from->confidence, to->confidence);
  return STEREO_OK;
}

static float
upsample_pixel (const StereoPyramidLevel * coarse, const float *plane, int px,
    int py)
{
  int x = px >> 6, y = py >> 6;

  return stereo_pyramid_lerp (plane[at (coarse, x, y)],
      plane[at (coarse, x + 1, y)], plane[at (coarse, x, y + 1)],
      plane[at (coarse, x + 1, y + 1)], (float) (px & 63) * (1.0f / 64.0f),
      (float) (py & 63) * (1.0f / 64.0f));
}

static void
upsample_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *coarse = job->coarse;
  const StereoPyramidLevel *fine = job->fine;
  const StereoPyramidField *from = job->from;
  const StereoPyramidField *to = job->to;

  for (int y = span.begin; y < span.end; y++) {
    int py = stereo_pyramid_position (y, fine->upsample_y, coarse->height);

    for (int x = 0; x < fine->width; x++) {
      int px = stereo_pyramid_position (x, fine->upsample_x, coarse->width);
      size_t p = at (fine, x, y);

      to->dx[p] = upsample_pixel (coarse, from->dx, px, py) * fine->scale_x;
      if (k->vertical)
        to->dy[p] = upsample_pixel (coarse, from->dy, px, py) * fine->scale_y;
      to->confidence[p] = upsample_pixel (coarse, from->confidence, px, py);
    }
  }
}

static StereoStatus
upsample_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * coarse, const StereoPyramidLevel * fine,
    const StereoPyramidField * from, const StereoPyramidField * to)
{
  Job job = {.k = k,.coarse = coarse,.fine = fine,.from = from,.to = to };

  stereo_cpu_for (queue, fine->height, 0, upsample_rows, &job);
  return STEREO_OK;
}

static void
store (const StereoOutput * output, int x, int y, bool valid, float value)
{
  if (valid)
    stereo_store_value (output, x, y, value);
  else
    stereo_store_raw (output, x, y, (uint16_t) output->invalid);
}

static void
finish_rows (const void *context, StereoSpan span)
{
  const Job *job = context;
  const StereoPyramidConstants *k = job->k;
  const StereoPyramidLevel *level = job->level;
  const StereoPyramidField *field = job->field;
  const StereoOutput *const *results = job->results;

  for (int y = span.begin; y < span.end; y++) {
    for (int x = 0; x < level->width; x++) {
      size_t p = at (level, x, y);
      bool valid = k->fill || field->confidence[p] > 0.0f;

      if (results[STEREO_RESULT_DISPARITY] != NULL)
        store (results[STEREO_RESULT_DISPARITY], x, y, valid, -field->dx[p]);
      if (results[STEREO_RESULT_VERTICAL] != NULL)
        store (results[STEREO_RESULT_VERTICAL], x, y, valid,
            k->vertical ? -field->dy[p] : 0.0f);
      if (results[STEREO_RESULT_CONFIDENCE] != NULL)
        stereo_store_value (results[STEREO_RESULT_CONFIDENCE], x, y,
            field->confidence[p]);
    }
  }
}

static StereoStatus
finish_cpu (StereoQueue * queue, const StereoPyramidConstants * k,
    const StereoPyramidLevel * level, const StereoPyramidField * field,
    const StereoOutput * const *results)
{
  Job job = {.k = k,.level = level,.field = field,.results = results };

  stereo_cpu_for (queue, level->height, 0, finish_rows, &job);
  return STEREO_OK;
}

static const StereoPyramidStages stages_cpu = {
  .start = start_cpu,
  .downsample = downsample_cpu,
  .clear = clear_cpu,
  .prepare = prepare_cpu,
  .correlate = correlate_cpu,
  .diffuse = diffuse_cpu,
  .upsample = upsample_cpu,
  .check = stereo_pyramid_check_cpu,
  .fill = stereo_pyramid_fill_cpu,
  .finish = finish_cpu,
};

const void *stereo_pyramid_stages_cpu (StereoSimd simd);

const void *
stereo_pyramid_stages_cpu (StereoSimd simd)
{
  return STEREO_SIMD_SELECT (simd, stages_cpu, stereo_pyramid_stages_);
}
