/* gst-stereomatching: variable center-biased windows, a lane for a disparity
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_VCBW_LANES_H
#define STEREO_VCBW_LANES_H

#include "match/vcbw.h"

/* A way of matching that suits the usual settings. */
typedef struct
{
  bool (*suits) (const StereoVcbwConstants * k);
  /* Work memory for each thread, a multiple of 64. */
  size_t (*worker_bytes) (const StereoSearch * search,
      const StereoVcbwConstants * k);
  /* memory is for all threads, at a multiple of 64. */
  void (*match) (const StereoMatchFrame * frame,
      const StereoVcbwConstants * k, uint8_t * memory);
} StereoVcbwLanes;

/* vcbw-lanes-simd.c, compiled once for each; it suits nothing where there are
 * no vectors of 32 bytes. */
extern const StereoVcbwLanes stereo_vcbw_lanes_generic;
extern const StereoVcbwLanes stereo_vcbw_lanes_avx2;
extern const StereoVcbwLanes stereo_vcbw_lanes_avx512;

#endif /* STEREO_VCBW_LANES_H */
