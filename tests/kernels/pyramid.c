/* gst-stereomatching: tests of pyramid on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "harness.h"

int
main (int argc, char **argv)
{
  return bench ("pyramid", argc, argv);
}
