# gst-stereomatching: counted checks of scripts
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Source this after examples/setup.sh.
passed=0
failed=0
skipped=0

# check TEXT COMMAND ...: shows the output only if the command fails.
check() {
  local text=$1

  shift
  if quietly "$@"; then
    echo "ok $text"
    passed=$((passed + 1))
  else
    echo "FAIL $text"
    failed=$((failed + 1))
  fi
}

# skip TEXT: reports a skipped check and the reason.
skip() {
  echo "skip $1"
  skipped=$((skipped + 1))
}

# Prints the last line. Fails if a check failed.
report() {
  printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
  [ $failed = 0 ]
}
