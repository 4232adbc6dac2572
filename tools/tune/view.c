/* gst-stereomatching: what there is to be seen
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "view.h"

const TuneViewName tune_views[TUNE_N_VIEWS] = {
  [TUNE_VIEW_LEFT] = {"left", "Left view"},
  [TUNE_VIEW_DISPARITY] = {"disparity", "Disparity"},
  [TUNE_VIEW_CONFIDENCE] = {"confidence", "Confidence"},
  [TUNE_VIEW_DEPTH] = {"depth", "Depth"},
  [TUNE_VIEW_VIEW] = {"view", "Synthesised view"},
  [TUNE_VIEW_WRONG] = {"wrong", "Wrong pixels"},
};
