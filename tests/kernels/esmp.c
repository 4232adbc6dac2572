/* gst-stereomatching: tests of esmp on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "expstep.h"

int
main (int argc, char **argv)
{
  return expstep_main ("esmp", argc, argv);
}
