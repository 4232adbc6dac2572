/* gst-stereomatching: benchmark of the view operation
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef VIEWBENCH_H
#define VIEWBENCH_H

/* Times views on the CPU with all processors, and on CUDA if available, from
 * device memory and from page-locked memory, and prints a table.  Arguments:
 * WIDTHxHEIGHT, or the only backend to test.  Returns the exit status. */
int view_bench (int argc, char **argv);

#endif /* VIEWBENCH_H */
