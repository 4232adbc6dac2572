/* gst-stereomatching: columns without a partner
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_PARTNER_H
#define STEREO_PARTNER_H

#include "image/pixel.h"

/*
 * With disparity d the partner of column x of the left view is column x - d of
 * the right one.  A column without a partner repeats the cost of the nearest
 * column that has one.
 */

/* The first and the last column of a row that have a partner; |d| < width. */
STEREO_INLINE int
stereo_partner_first (int d)
{
  return d > 0 ? d : 0;
}

STEREO_INLINE int
stereo_partner_last (int width, int d)
{
  return width - 1 + (d < 0 ? d : 0);
}

/* The column whose cost column x has. */
STEREO_INLINE int
stereo_partner_column (int width, int x, int d)
{
  return stereo_clamp_int (x, stereo_partner_first (d),
      stereo_partner_last (width, d));
}

#endif /* STEREO_PARTNER_H */
