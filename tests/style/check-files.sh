#!/bin/sh
# gst-stereomatching: that every algorithm is complete, and every file signed
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/style/check-files.sh ROOT ALGORITHM ...
#
# Looks for the files that an algorithm has, for files of algorithms that are
# not in the list, and for the header of source files.
set -eu
cd "$1"
shift
status=0

complain() {
  echo "$1"
  status=1
}

# wants FILE TEXT: the file is there and holds the text
wants() {
  if [ ! -f "$1" ]; then
    complain "there is no $1"
  else
    grep -q "$2" "$1" || complain "$1 does not mention $2"
  fi
}

for name in "$@"; do
  wants "common/match/$name.c" "stereo_${name}_algorithm"
  wants "common/match/$name.h" "STEREO_$(echo "$name" | tr '[:lower:]' '[:upper:]')_H"
  wants "cuda/match/$name.cu" "stereo_${name}_stages_cuda"
  wants "gst/elements/gststereo$name.c" "SECTION:element-stereo$name"
  case "$name" in
    esaw | esmp) wants "tests/kernels/expstep.c" ALGORITHM ;;
    *) wants "tests/kernels/$name.c" "\"$name\"" ;;
  esac
  wants "docs/algorithms/$name.md" '^# .'
  wants "docs/elements/stereo$name.md" "stereo$name"
done

# What is in docs/algorithms is in the list.
for page in docs/algorithms/*.md; do
  name=$(basename "$page" .md)
  case " $* " in
    *" $name "*) ;;
    *) complain "$page is of no algorithm in the list of meson.build" ;;
  esac
done

# REUSE-IgnoreStart
# C and CUDA: four lines, then the comment ends or goes on. Others name the
# project and the licence in their first lines.
for file in $(find common cuda gst tests examples docs -type f \( -name '*.[ch]' -o -name '*.cu' \
    -o -name '*.cuh' \) | sort); do
  head -n 1 "$file" | grep -q '^/\* gst-stereomatching: .' ||
    complain "$file does not begin with what it is"
  sed -n 2p "$file" | grep -q '^ \* Copyright (C) 20[0-9-]* The gst-stereomatching authors$' ||
    complain "$file has no copyright line"
  sed -n 4p "$file" | grep -q '^ \* SPDX-License-Identifier: LGPL-2.1-or-later$' ||
    complain "$file has no licence line"
done
for file in $(find tests examples docs packaging python .ci -type f \( -name '*.py' -o -name '*.sh' \
    -o -name '*.bash' -o -path '.ci/*' \) | sort); do
  head -n 3 "$file" | grep -q '^# gst-stereomatching: .' ||
    complain "$file does not begin with what it is"
  head -n 3 "$file" | grep -q '^# SPDX-License-Identifier: LGPL-2.1-or-later$' ||
    complain "$file has no licence line"
done
# REUSE-IgnoreEnd

# The licence is where people look for it, and where the REUSE tool does.
cmp COPYING LICENSES/LGPL-2.1-or-later.txt || status=1
exit $status
