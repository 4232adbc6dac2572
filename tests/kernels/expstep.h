/* gst-stereomatching: tests of ESAW and ESMP on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TEST_EXPSTEP_H
#define TEST_EXPSTEP_H

#include "harness.h"

/* Runs the tests of "esaw" or "esmp", or with --bench the benchmark. */
int expstep_main (const char *algorithm, int argc, char **argv);

#endif /* TEST_EXPSTEP_H */
