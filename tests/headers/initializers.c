/* gst-stereomatching: the initializers of public structures, in C and C++
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereo.h"

/* a warning of -Wextra */
#pragma GCC diagnostic error "-Wmissing-field-initializers"

bool stereo_test_initializers (void);

bool
stereo_test_initializers (void)
{
  const StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  const StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  const StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;

  return config.struct_size == sizeof (config)
      && stats.struct_size == sizeof (stats)
      && report.struct_size == sizeof (report);
}
