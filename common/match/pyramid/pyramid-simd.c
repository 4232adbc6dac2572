/* gst-stereomatching: the vector stages of the correlation over a pyramid
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/pyramid/pyramid-simd.h"

#include "refine/output.h"

static void
pyramid_start_rows_simd (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidLevel *level = a->level;
  const bool color = a->k->channels == 3;

  for (int y = span.begin; y < span.end; y++) {
    for (int side = 0; side < 2; side++) {
      const StereoView *view = side ? a->right : a->left;
      uint32_t *restrict words = (side ? level->right : level->left)
          + (size_t) y * level->stride;
      size_t row = (size_t) y * view->stride;
      const uint8_t *r = view->plane[0] + row;
      const uint8_t *g = color ? view->plane[1] + row : r;
      const uint8_t *b = color ? view->plane[2] + row : r;

      for (int x = 0; x < level->width; x++)
        words[x] = stereo_pyramid_word (r[x], g[x], b[x]);
      for (size_t x = (size_t) level->width; x < level->stride; x++)
        words[x] = 0;
    }
  }
}

static StereoStatus
start_simd (const StereoPyramidArgs * a)
{
  stereo_cpu_for (a->queue, a->level->height, 0, pyramid_start_rows_simd, a);
  return STEREO_OK;
}

/* Encodes sign times the values of row y; pixels with a confidence below the
 * minimum are invalid unless confidence is NULL. */
static void
encode_row (const StereoPyramidArgs * a, StereoResult result,
    const float *row, float sign, const float *confidence, int y)
{
  const StereoOutput *output = a->results[result];
  const int width = a->level->width;
  StereoOutput o;

  if (output == NULL)
    return;
  o = *output;
  for (int x = 0; x < width; x++)
    stereo_store_value (&o, x, y, sign * row[x]);
  for (int x = 0; confidence != NULL && x < width; x++) {
    if (!(confidence[x] >= a->k->min_confidence))
      stereo_store_raw (&o, x, y, (uint16_t) o.invalid);
  }
}

static void
pyramid_finish_rows_simd (const void *context, StereoSpan span)
{
  const StereoPyramidArgs *a = context;
  const StereoPyramidField *field = a->from;
  const bool vertical = a->k->vertical;

  for (int y = span.begin; y < span.end; y++) {
    size_t p = (size_t) y * a->level->stride;
    const float *confidence = a->k->min_confidence > 0.0f
        ? field->confidence + p : NULL;

    encode_row (a, STEREO_RESULT_DISPARITY, field->dx + p, -1.0f, confidence,
        y);
    encode_row (a, STEREO_RESULT_VERTICAL,
        (vertical ? field->dy : field->dx) + p, vertical ? -1.0f : 0.0f,
        confidence, y);
    encode_row (a, STEREO_RESULT_CONFIDENCE, field->confidence + p, 1.0f, NULL,
        y);
  }
}

static StereoStatus
finish_simd (const StereoPyramidArgs * a)
{
  stereo_cpu_for (a->queue, a->level->height, 0, pyramid_finish_rows_simd, a);
  return STEREO_OK;
}

const StereoPyramidStages SIMD_NAME (stereo_pyramid_stages_) = {
  .start = start_simd,
  .downsample = STAGE (downsample),
  .clear = stereo_pyramid_clear_cpu,
  .prepare = STAGE (prepare),
  .correlate = STAGE (correlate),
  .diffuse = STAGE (diffuse),
  .upsample = STAGE (upsample),
  .census = STAGE (census),
  .select = STAGE (select),
  .check = stereo_pyramid_check_cpu,
  .fill = stereo_pyramid_fill_cpu,
  .winners = stereo_pyramid_winners_cpu,
  .finish = finish_simd,
};
