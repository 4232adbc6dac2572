/* gst-stereomatching: the kernels of vcbw for words of a cost on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "match/vcbw/vcbw-launch.cuh"

StereoStatus
stereo_vcbw_launch_words_cuda (StereoCudaStage & stage, StereoQueue * queue,
    const VcbwArgs & args, bool winners)
{
  return launch_best < STEREO_COST_WORDS > (stage, queue, args, winners);
}
