#!/bin/sh
# gst-stereomatching: exported symbols of a library
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/style/symbols.sh LIBRARY PATTERN [REQUIRED_SYMBOL ...]
#
# Exit status 1 if a symbol does not match the extended regular expression
# PATTERN as a whole, a required one is missing, or a file logs to GStreamer's
# default category because it has none.
set -eu
library=$1
pattern=$2
shift 2
# Symbols of sanitizers and linkers are allowed.
symbols=$(nm -D --defined-only "$library" | awk '{ sub (/@.*/, "", $NF); print $NF }' |
  grep -vE '^(__asan_|__ubsan_|__odr_asan|__sanitizer_|_init$|_fini$|_edata$|_end$|__bss_start$)' || true)
status=0
for symbol in $symbols; do
  if ! echo "$symbol" | grep -qxE "$pattern"; then
    echo "$library exports $symbol"
    status=1
  fi
done
for symbol in "$@"; do
  if ! echo "$symbols" | grep -qx "$symbol"; then
    echo "$library does not export $symbol"
    status=1
  fi
done
if nm -D --undefined-only "$library" | grep -qw GST_CAT_DEFAULT; then
  echo "$library logs to GStreamer's default category"
  status=1
fi
echo "$(echo "$symbols" | grep -c .) symbols"
exit $status
