/* gst-stereomatching: table of matching costs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/cost.h"

const StereoCost stereo_costs[STEREO_N_COSTS] = {
  {STEREO_COST_WORDS, "census"},
  {STEREO_COST_LUMA, NULL},
  {STEREO_COST_RGB, NULL},
  [STEREO_COST_LEARNED] = {STEREO_COST_WORDS, "learned"},
};

const StereoEnumValue stereo_cost_values[STEREO_N_COSTS] = {
  {"census", "5x5 census and gradient, insensitive to exposure"},
  {"luma", "Absolute difference of luma"},
  {"rgb", "Sum of absolute RGB differences; luma if a view is grey"},
  [STEREO_COST_LEARNED] = {"learned", "Census bits from a small trained "
        "network, and gradient"},
};
