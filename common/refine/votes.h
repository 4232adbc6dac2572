/* gst-stereomatching: decision of the vote for a hole
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_VOTES_H
#define STEREO_VOTES_H

#include "refine/fill-formula.h"

/* The index with the most votes; its neighbours' count half.  Index i has
 * votes[i + 1]; those from lowest to highest may have some. */
static inline int
stereo_votes_best (const uint16_t * votes, int lowest, int highest,
    int n_disparities)
{
  uint32_t most = 0;
  int best = lowest;

  for (int d = lowest > 0 ? lowest - 1 : 0; d <= highest + 1
      && d < n_disparities; d++) {
    const uint32_t sum = votes[d] + 2u * votes[d + 1] + votes[d + 2];

    if (sum > most) {
      most = sum;
      best = d;
    }
  }
  return best;
}

#endif /* STEREO_VOTES_H */
