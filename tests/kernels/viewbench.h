/* gst-stereomatching: times of the operation "view"
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef VIEWBENCH_H
#define VIEWBENCH_H

/* Times views on the CPU with all its processors and on CUDA if there is one,
 * from images on the device and from page-locked memory, and prints a table.
 * Arguments: WIDTHxHEIGHT and a backend, where only that is wanted.  Exit
 * status. */
int view_bench (int argc, char **argv);

#endif /* VIEWBENCH_H */
