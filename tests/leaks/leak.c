/* gst-stereomatching: a program that leaks, for leaks.py to find out
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include <gst/gst.h>

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  (void) gst_element_factory_make ("identity", "forgotten");
  gst_deinit ();
  return 0;
}
