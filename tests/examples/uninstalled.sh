#!/bin/sh
# gst-stereomatching: the flags of the library in a build folder
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   uninstalled.sh BUILD PROGRAM COMPILER...
#
# `meson devenv` sets PKG_CONFIG_PATH to the folder meson-uninstalled. Compiles a program with the
# flags that pkg-config finds there.

set -eu

build=$1 program=$2
shift 2
flags=$(PKG_CONFIG_PATH="$build/meson-uninstalled" pkg-config --cflags stereomatching)
# shellcheck disable=SC2086 # several flags
"$@" $flags -fsyntax-only "$program"
