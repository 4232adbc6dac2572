/* gst-stereomatching: automatic convergence
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The farthest and the nearest disparity are percentiles of the map, which
 * single wrong pixels do not move.  The convergence approaches the wanted share
 * of the range between them exponentially, in stream time, so that it does not
 * depend on the frame rate.
 */

#include "elements/view/gststereoview-private.h"

#include "base/gststereocompat.h"
#include "base/gststereoframe.h"

#include <math.h>

/* Percent of the valid pixels beyond the range, at either end. */
#define OUTLIERS 2

/* Time after which 1 / e of a change remains, in seconds. */
#define TIME_CONSTANT 0.5

/* A longer pause starts again. */
#define PAUSE GST_SECOND

#define N_CODES 65536

/* Counts every second pixel of every second row by code; their number. */
static guint
count_codes (const GstVideoFrame * map, gint invalid, guint counts[N_CODES])
{
  const gboolean wide = GST_VIDEO_FRAME_COMP_PSTRIDE (map, 0) == 2;
  guint n = 0;

  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT (map); y += 2) {
    const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (map, 0)
        + (gsize) y * (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (map, 0);

    for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (map); x += 2) {
      const gint code = wide ? GST_READ_UINT16_LE (row + 2 * x) : row[x];

      if (code == invalid)
        continue;
      counts[code]++;
      n++;
    }
  }
  return n;
}

/* The code that rank other pixels are below. */
static guint
find_code (const guint counts[N_CODES], guint rank)
{
  guint code = 0;

  while (code < N_CODES - 1 && rank >= counts[code])
    rank -= counts[code++];
  return code;
}

/* The share of the range of a map, in codes.  FALSE without valid pixels. */
static gboolean
measure (GstBuffer * buffer, const GstVideoInfo * info, gint invalid,
    gdouble share, gdouble * code)
{
  guint *counts, n = 0;
  GstStereoFrame map;
  StereoMessage why;

  /* rendering reports why; without a device, it is mapped for the CPU */
  if (!gst_stereo_frame_map (&map, info, buffer, GST_MAP_READ, NULL, &why))
    return FALSE;
  counts = g_new0 (guint, N_CODES);
  n = count_codes (&map.frame, invalid, counts);
  gst_stereo_frame_unmap (&map);
  if (n > 0) {
    const guint beyond = n * OUTLIERS / 100;
    const gdouble farthest = find_code (counts, beyond);
    const gdouble nearest = find_code (counts, n - 1 - beyond);

    *code = farthest + share * (nearest - farthest);
  }
  g_free (counts);
  return n > 0;
}

/* The part of a change that is made since the last frame. */
static gdouble
get_step (const GstStereoViewConvergence * self, GstClockTime time)
{
  /* backwards, timestamps decrease */
  const GstClockTime passed = time > self->time ? time - self->time
      : self->time - time;

  if (!self->known || !GST_CLOCK_TIME_IS_VALID (time)
      || !GST_CLOCK_TIME_IS_VALID (self->time) || passed > PAUSE)
    return 1;
  return 1 - exp (-(gdouble) passed / GST_SECOND / TIME_CONSTANT);
}

void
gst_stereo_view_converge (GstStereoViewConvergence * self, GstBuffer * map,
    const GstVideoInfo * info, gint factor, GstClockTime time,
    StereoViewParams * params)
{
  gdouble code;

  if (measure (map, info, params->invalid_value, self->share, &code)) {
    const gdouble wanted = factor * (params->minimum + code / params->scale);

    self->value += (wanted - self->value) * get_step (self, time);
    self->known = TRUE;
    self->time = time;
  }
  if (self->known)
    params->convergence = CLAMP (self->value, -16384, 16384);
}
