#!/bin/sh
# gst-stereomatching: syntax of scripts
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/style/check-scripts.sh ROOT
#
# Runs bash -n, shellcheck if installed, and Python's compiler.
set -eu
cd "$1"
status=0
n=0
for file in $(find examples tests docs packaging .ci -type f | sort); do
  case $(head -c 64 "$file" | head -n 1 | tr -d '\0') in
    '#!'*bash|'#!/bin/sh')
      n=$((n + 1))
      bash -n "$file" || status=1
      if command -v shellcheck > /dev/null; then
        shellcheck -S warning -x -P SCRIPTDIR -P . "$file" || status=1
      fi ;;
    '#!'*python3)
      n=$((n + 1))
      python3 - "$file" <<'PYTHON' || status=1
import sys
with open(sys.argv[1], encoding="utf-8") as file:
    compile(file.read(), sys.argv[1], "exec")
PYTHON
      ;;
  esac
done
echo "$n scripts"
[ $n -gt 0 ] || status=1
exit $status
