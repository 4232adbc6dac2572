#!/usr/bin/env bash
# gst-stereomatching: random tests of any length, in slices
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/campaign.sh [-r RESULTS] [-t SECONDS] KIND=BUILD ...
#
# Runs slices of random tests in turn until SECONDS (default: 3600) have passed
# or one fails. KIND is
#
#   events      operations on single elements
#   buffers     frames of any layout to single elements
#   graph       operations on graphs of all elements
#   matchers    matchers of the library, compared with simd=none
#   operations  other operations of the library, compared with simd=none
#
# and BUILD the build folder to run it from. Each slice adds a line to RESULTS
# (default: campaign.txt):
#
#   DATE COMMIT KIND BUILD FIRST_SEED SEEDS OPERATIONS SECONDS ok|FAILED
#
# A later call continues after the last seed of the same kind and build. A failure
# prints the command that repeats it; as threads are scheduled differently each
# time, it may take several attempts.
set -euo pipefail
results=campaign.txt
seconds=3600
while getopts r:t: option; do
  case $option in
    r) results=$OPTARG ;;
    t) seconds=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '5,25s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
commit=$(git -C "$here" rev-parse --short=12 HEAD 2> /dev/null || echo unknown)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Any finding ends the program at once, with its seed. GLib's slice allocator
# hides errors and is reported as a leak.
export G_SLICE=always-malloc
export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=abort_on_error=1:fast_unwind_on_malloc=0
export LSAN_OPTIONS=print_suppressions=0:suppressions=$here/data/lsan.supp
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1:abort_on_error=1

# command KIND BUILD FIRST COUNT: prints the command of a slice
command_of() {
  local locks=$2/tests/locks/libglib-locks.so preload=''

  [ ! -f "$locks" ] || preload="env LD_PRELOAD=$(realpath "$locks") "
  case $1 in
    matchers | operations) echo "$2/tests/contract/contract-$1 --random $3 $4" ;;
    *) echo "$preload$2/tests/fuzz/fuzz-$1 --random $3 $4" ;;
  esac
}

# slice KIND BUILD COUNT
slice() {
  local kind=$1 build=$2 count=$3 first begin=$SECONDS command operations status=ok

  first=$(awk -v k="$kind" -v b="$build" '$3 == k && $4 == b { n = $5 + $6 } END { print n + 0 }' \
    "$results")
  command=$(command_of "$kind" "$build" "$first" "$count")
  $command > "$log" 2>&1 || status=FAILED
  operations=$(sed -n 's/.* inputs, \([0-9]*\) operations$/\1/p' "$log")
  echo "$(date -u +%FT%TZ) $commit $kind $build $first $count ${operations:-0}" \
    "$((SECONDS - begin)) $status" | tee -a "$results"
  [ $status = ok ] && return
  tail -n 60 "$log"
  first=$(sed -n 's/.*failed with seed \([0-9]*\)$/\1/p' "$log" | tail -n 1)
  [ -z "$first" ] || command=$(command_of "$kind" "$build" "$first" 1)
  echo "repeat with: $command"
  return 1
}

touch "$results"
while [ $SECONDS -lt "$seconds" ]; do
  for pair in "$@"; do
    case ${pair%%=*} in
      graph) count=10 ;;
      events | buffers) count=100 ;;
      *) count=1000 ;;
    esac
    slice "${pair%%=*}" "${pair#*=}" $count
    [ $SECONDS -lt "$seconds" ] || break
  done
done
awk '{ n[$3 " " $4] += $6; o[$3 " " $4] += $7 }
  END { for (k in n) print k ": " n[k] " inputs, " o[k] " operations" }' "$results" | sort
