/* gst-stereomatching: the plugin in tests with a simulated GPU
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "plugin.h"

#include "stereo.h"

#include <gst/gst.h>

GST_PLUGIN_STATIC_DECLARE (stereomatching);

guint n_failing_params;

StereoStatus __real_stereo_params_new (const StereoAlgorithm * algorithm,
    StereoParams ** params);
StereoStatus __wrap_stereo_params_new (const StereoAlgorithm * algorithm,
    StereoParams ** params);

StereoStatus
__wrap_stereo_params_new (const StereoAlgorithm * algorithm,
    StereoParams ** params)
{
  if (n_failing_params == 0)
    return __real_stereo_params_new (algorithm, params);
  n_failing_params--;
  return STEREO_ERROR_MEMORY;
}

void
register_plugin (void)
{
  static gsize registered = 0;

  if (g_once_init_enter (&registered)) {
    GST_PLUGIN_STATIC_REGISTER (stereomatching);
    g_once_init_leave (&registered, 1);
  }
}
