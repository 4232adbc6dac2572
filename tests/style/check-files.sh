#!/bin/sh
# gst-stereomatching: completeness of algorithms, and headers of files
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/style/check-files.sh ROOT ALGORITHM ...
#
# Checks that every algorithm has all its files, that no file belongs to an
# unknown algorithm, and that source files have a header.
set -eu
cd "$1"
shift
status=0

report() {
  echo "$1"
  status=1
}

# wants FILE TEXT: checks that the file exists and contains the text
wants() {
  if [ ! -f "$1" ]; then
    report "there is no $1"
  else
    grep -q "$2" "$1" || report "$1 does not mention $2"
  fi
}

for name in "$@"; do
  case "$name" in
    esaw | esmp) folder=expstep ;;
    *) folder=$name ;;
  esac
  wants "common/match/$folder/$name.c" "stereo_${name}_algorithm"
  wants "common/match/$folder/$name.h" "STEREO_$(echo "$name" | tr '[:lower:]' '[:upper:]')_H"
  wants "cuda/match/$folder/$name.cu" "stereo_${name}_stages_cuda"
  wants "gst/elements/gststereo$name.c" "SECTION:element-stereo$name"
  case "$name" in
    esaw | esmp) wants "tests/kernels/expstep.c" ALGORITHM ;;
    *) wants "tests/kernels/$name.c" "\"$name\"" ;;
  esac
  wants "docs/algorithms/$name.md" '^# .'
  wants "docs/elements/stereo$name.md" "stereo$name"
done

# Every page in docs/algorithms belongs to an algorithm in the list.
for page in docs/algorithms/*.md; do
  name=$(basename "$page" .md)
  case " $* " in
    *" $name "*) ;;
    *) report "$page is of no algorithm in the list of meson.build" ;;
  esac
done

# REUSE-IgnoreStart
# C and CUDA files begin with the same four lines. Other files name the project
# and the licence in their first lines.
for file in $(find common cuda gst tests examples docs -type f \( -name '*.[ch]' -o -name '*.cu' \
    -o -name '*.cuh' \) | sort); do
  head -n 1 "$file" | grep -q '^/\* gst-stereomatching: .' ||
    report "$file does not begin with what it is"
  sed -n 2p "$file" | grep -q '^ \* Copyright (C) 20[0-9-]* The gst-stereomatching authors$' ||
    report "$file has no copyright line"
  sed -n 4p "$file" | grep -q '^ \* SPDX-License-Identifier: LGPL-2.1-or-later$' ||
    report "$file has no licence line"
done
for file in $(find tests examples docs packaging python .ci -type f \( -name '*.py' -o -name '*.sh' \
    -o -name '*.bash' -o -path '.ci/*' \) | sort); do
  head -n 3 "$file" | grep -q '^# gst-stereomatching: .' ||
    report "$file does not begin with what it is"
  head -n 3 "$file" | grep -q '^# SPDX-License-Identifier: LGPL-2.1-or-later$' ||
    report "$file has no licence line"
done
# REUSE-IgnoreEnd

# The licence is where people and the REUSE tool expect it.
cmp COPYING LICENSES/LGPL-2.1-or-later.txt || status=1
exit $status
