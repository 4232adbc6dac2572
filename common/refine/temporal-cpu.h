/* gst-stereomatching: temporal filter on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_TEMPORAL_CPU_H
#define STEREO_TEMPORAL_CPU_H

#include "refine/temporal.h"

/* Context of parallel loops. */
typedef struct
{
  const StereoTemporalFrame *frame;
  const StereoOutput *output;
} StereoTemporalJob;

StereoTemporalView stereo_temporal_view_cpu (const StereoView * view,
    int channels);

/* SIMD stages. */
extern const StereoTemporalStages stereo_temporal_stages_generic;
extern const StereoTemporalStages stereo_temporal_stages_avx2;
extern const StereoTemporalStages stereo_temporal_stages_avx512;

#endif /* STEREO_TEMPORAL_CPU_H */
