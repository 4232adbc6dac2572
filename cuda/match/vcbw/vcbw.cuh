/* gst-stereomatching: common code of the vcbw kernels
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_VCBW_CUH
#define STEREO_VCBW_CUH

#include "core/queue-cuda.h"
#include "match/vcbw/vcbw-formula.h"

struct VcbwArgs
{
  StereoVcbwConstants k;
  /* Views, or words of both; column 0 of row 0. */
  const uint8_t *left;
  const uint8_t *right;
  size_t left_stride;           /* bytes */
  size_t right_stride;
  StereoMap map;
  StereoOutput output;
  bool encode;
  StereoWinners winners;
  /* In both halves of a word: penalties, and the largest sums to which they
   * can be added in 16 bits.  Larger sums exceed the cost of the full
   * window. */
  uint32_t edge;
  uint32_t edge_room;
  uint32_t corner;
  uint32_t corner_room;
  /* 0xffff0000, unknown to the compiler because "a & b | 1" takes only one
   * constant */
  uint32_t high_half;
};

/* vcbw-luma.cu, vcbw-rgb.cu and vcbw-words.cu: launch the kernel for one cost;
 * winners: of both views. */
StereoStatus stereo_vcbw_launch_luma_cuda (StereoCudaStage & stage,
    StereoQueue * queue, const VcbwArgs & args, bool winners);
StereoStatus stereo_vcbw_launch_rgb_cuda (StereoCudaStage & stage,
    StereoQueue * queue, const VcbwArgs & args, bool winners);
StereoStatus stereo_vcbw_launch_words_cuda (StereoCudaStage & stage,
    StereoQueue * queue, const VcbwArgs & args, bool winners);

#endif /* STEREO_VCBW_CUH */
