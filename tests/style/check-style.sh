#!/bin/sh
# gst-stereomatching: style rules of all text files
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/style/check-style.sh [ROOT]
#
# Lists tabs, trailing blanks, carriage returns, missing final newlines, long
# lines (other than launch lines) and missing licence tags. Exit status 1 if there are any.
set -eu
cd "${1:-$(dirname "$0")/../..}"
status=0

report() {
  echo "$1"
  status=1
}

files=$(find . -path ./.git -prune -o -path './build*' -prune -o -path './out*' -prune \
  -o -path ./.gpu -prune -o -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \
  -o -name '*.py' -o -name '*.sh' -o -name '*.md' -o -name 'meson*' -o -name NEWS \
  -o -name '*.prs' -o -name '*.supp' -o -name '*.js' -o -name '*.css' -o -name '*.html' \) -print | sort)
for file in $files; do
  case $file in
    *.[ch]|*.cpp|*.cu|*.cuh) limit=80 ;;
    # generated from elements and data
    ./docs/elements/*|./docs/accuracy.md|./docs/performance.md) limit=10000 ;;
    *) limit=150 ;;
  esac
  grep -n "$(printf '\t')" "$file" | sed "s|^|$file: tab: |" | grep . && status=1
  grep -nE ' +$' "$file" | sed "s|^|$file: trailing blank: |" | grep . && status=1
  grep -n "$(printf '\r')" "$file" | sed "s|^|$file: carriage return: |" | grep . && status=1
  awk -v f="$file" -v l="$limit" 'length ($0) > l && !/^ [*] gst-launch/ { print f ":" NR ": line of " length ($0); bad = 1 }
    END { exit bad }' "$file" || status=1
  [ -z "$(tail -c 1 "$file")" ] || report "$file: no newline at the end"
  # REUSE-IgnoreStart
  case $file in
    *.[ch]|*.cpp|*.cu|*.cuh|*.py|*.sh|*.js|*.css|*.html)
      head -n 12 "$file" | grep -q 'SPDX-License-Identifier: LGPL-2.1-or-later' ||
        report "$file: no licence tag" ;;
  esac
  # REUSE-IgnoreEnd
done
exit $status
