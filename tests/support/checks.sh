# gst-stereomatching: checks that a script counts
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# To be sourced after examples/setup.sh.
passed=0
failed=0
skipped=0

# check TEXT COMMAND ...: what it says is shown only if it fails.
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

# skip TEXT: says what is not checked, and why.
skip() {
  echo "skip $1"
  skipped=$((skipped + 1))
}

# The last line; fails where a check did.
report() {
  printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
  [ $failed = 0 ]
}
