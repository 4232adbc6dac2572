/* gst-stereomatching: the initializers of public structures in C++
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereo.h"

/* a warning of -Wextra */
#pragma GCC diagnostic error "-Wmissing-field-initializers"

bool stereo_test_initializers ();

bool
stereo_test_initializers ()
{
  const StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  const StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  const StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;

  return config.struct_size == sizeof (config)
      && stats.struct_size == sizeof (stats)
      && report.struct_size == sizeof (report);
}
