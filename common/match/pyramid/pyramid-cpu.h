/* gst-stereomatching: correlation over an image pyramid on the CPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_PYRAMID_CPU_H
#define STEREO_PYRAMID_CPU_H

#include "match/pyramid/pyramid.h"

/* Stages that all tables share. */
StereoStatus stereo_pyramid_clear_cpu (const StereoPyramidArgs * a);
StereoStatus stereo_pyramid_check_cpu (const StereoPyramidArgs * a);
StereoStatus stereo_pyramid_fill_cpu (const StereoPyramidArgs * a);
StereoStatus stereo_pyramid_winners_cpu (const StereoPyramidArgs * a);
StereoStatus stereo_pyramid_census_cpu (const StereoPyramidArgs * a);
StereoStatus stereo_pyramid_select_cpu (const StereoPyramidArgs * a);

/* pyramid-simd.c, for each instruction set. */
extern const StereoPyramidStages stereo_pyramid_stages_generic;
extern const StereoPyramidStages stereo_pyramid_stages_avx2;
extern const StereoPyramidStages stereo_pyramid_stages_avx512;

#endif /* STEREO_PYRAMID_CPU_H */
