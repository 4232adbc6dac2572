# gst-stereomatching: time and CPU load of pipelines, for benchmarks that source it
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

TIMEFORMAT='%R %U %S'

# run PIPELINE: seconds of playing, and of user and system CPU time
run() {
  local log times

  log=$(mktemp)
  # shellcheck disable=SC2086
  times=$({ time gst-launch-1.0 $1 > "$log" 2>&1; } 2>&1) || { tail -n 5 "$log" >&2; return 1; }
  sed -n 's/^Execution ended after 0:\([0-9]*\):\([0-9.]*\)$/\1 \2/p' "$log" |
    awk -v t="$times" '{ print $1 * 60 + $2, t }'
  rm -f "$log"
}

# measure FRAMES SHORT LONG NAME PIPELINE ...: prints the pairs per second, and the
# CPU load at that rate and at 500 pairs per second, of all threads in percent of a
# core. LENGTH in the pipeline is replaced by SHORT, which is not counted, and LONG,
# which has FRAMES more pairs.
measure() {
  local frames=$1 short=$2 long=$3 name=$4 pipeline short_run long_run

  shift 4
  pipeline="$*"
  short_run=$(run "${pipeline//LENGTH/$short}") || return 0
  long_run=$(run "${pipeline//LENGTH/$long}") || return 0
  awk -v name="$name" -v n="$frames" -v a="$short_run" -v b="$long_run" 'BEGIN {
    split (a, u, " "); split (b, v, " ")
    s = v[1] - u[1]; cpu = v[3] + v[4] - u[3] - u[4]
    printf "%-52s %7.1f pairs/s %6.1f %% of a core, %6.1f %% at 500/s\n", name, n / s,
      100 * cpu / s, 100 * cpu / n * 500 }'
}
