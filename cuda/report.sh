#!/bin/sh
# gst-stereomatching: compiles with nvcc and keeps the report of ptxas
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   report.sh FILE NVCC [ARGUMENT ...]
#
# Writes registers, spills and static shared memory of each kernel to FILE.
report=$1
shift
"$@" -Xptxas=-v 2> "$report"
status=$?
# the rest are messages of the compilers
grep -vE '^ptxas info|^ +[0-9]+ bytes stack frame|^$' "$report" >&2
exit $status
