#!/usr/bin/env bash
# gst-stereomatching: builds the Debian packages and looks at what is in them
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/packages.sh BUILD
#
# On Debian 12 or newer: copies the tree into the folder BUILD, builds the packages of
# debian/ there without running the project's own tests, asks lintian, unpacks
# them into a root of their own, and uses the plugin, the tools, their manual and
# completion, and the library with what pkg-config says. Where the `reuse` tool
# is packaged (Debian 13), it looks at the licences. The last line is
# `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$root/tests/support/checks.sh"
[ $# -gt 0 ] || die "say which folder to build in"
mkdir -p "$1"
build=$(cd "$1" && pwd)
packages=(gstreamer1.0-stereomatching libstereomatching0 libstereomatching-dev stereomatching-tools
  python3-stereomatching)
# The sources, without what was built from them.
copy_tree() {
  rm -rf "$build/source" "$build/root" "$build"/*.deb
  mkdir -p "$build/source" "$build/root"
  tar -C "$root" --exclude='./.git' --exclude='./build' --exclude='./build-*' \
    --exclude='./out' --exclude='__pycache__' -cf - . | tar -C "$build/source" --no-same-owner -xf -
}

build_packages() {
  cd "$build/source" &&
    DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" dpkg-buildpackage -b -uc -us
}

unpack() {
  local package

  for package in "${packages[@]}"; do
    dpkg-deb -x "$build/$package"_*.deb "$build/root" || return
  done
}

# Each file is in one package.
share_nothing() {
  local package

  for package in "${packages[@]}"; do
    dpkg-deb -c "$build/$package"_*.deb | sed -n '/^[^d]/s/^.* \.\//\//p'
  done | sort | uniq -d | { ! grep .; }
}

# Whether this Debian has all that they depend on.
can_be_installed() {
  local sudo=''

  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get install --simulate --no-install-recommends -y "$build"/*.deb
}

# with_root COMMAND ...: as if they were installed
with_root() {
  env LD_LIBRARY_PATH="$libraries" PATH="$build/root/usr/bin:$PATH" GST_REGISTRY="$build/registry.bin" \
    GST_PLUGIN_SYSTEM_PATH_1_0='' GST_PLUGIN_PATH_1_0="$libraries/gstreamer-1.0:$gstreamer" \
    GST_PRESET_PATH="$build/root/usr/share/gstreamer-1.0/presets" "$@"
}

# All elements that docs/elements has pages of.
inspect() {
  local page

  for page in "$root"/docs/elements/*.md; do
    with_root gst-inspect-1.0 "$(basename "$page" .md)" || return
  done
}

render() {
  with_root gst-launch-1.0 stereotestsrc num-buffers=2 ! m.sink_left \
    stereotestsrc num-buffers=2 view=right ! m.sink_right \
    stereosgm name=m @preset=fast num-disparities=16 ! disparitycolor ! \
    filesink location="$build/map.raw" && [ -s "$build/map.raw" ]
}

compile() {
  local flags

  flags=$(PKG_CONFIG_PATH="$libraries/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$build/root" \
    pkg-config --cflags --libs stereomatching) || return
  # shellcheck disable=SC2086
  ${CC:-cc} -Wall -o "$build/match-images" "$root/examples/match-images.c" $flags &&
    printf 'P6 8 8 255\n%192s' '' > "$build/view.ppm" &&
    with_root "$build/match-images" "$build/view.ppm" "$build/view.ppm" "$build/map.pgm"
}

manual() {
  local tool

  for tool in stereo-bench stereo-eval stereo-view; do
    with_root "$tool" --version || return
    grep -q -- '--backend' <<< "$(man -l "$build/root/usr/share/man/man1/$tool.1.gz")" || return
  done
  with_root stereo-tune --version &&
    grep -q -- '--max-viewers' <<< "$(man -l "$build/root/usr/share/man/man1/stereo-tune.1.gz")"
}

complete_words() {
  # shellcheck disable=SC2016
  with_root bash -c '. "$1"; COMP_WORDS=(stereo-eval sgm pred)
    _stereomatching stereo-eval pred sgm; [ "${COMPREPLY[*]}" = predecessors= ]' \
    bash "$build/root/usr/share/bash-completion/completions/$1"
}

# The module, with the library that is packaged.
import_module() {
  (cd "$build" && with_root env PYTHONPATH="$build/root/usr/lib/python3/dist-packages" /usr/bin/python3 -c '
import numpy, stereomatching
wall = numpy.random.default_rng(1).integers(0, 256, (40, 70), numpy.uint8)
found = stereomatching.match(wall[:, :60], wall[:, 10:], num_disparities=16, backend="cpu")
assert abs(numpy.nanmedian(found.disparity) - 10) < 0.1, found.disparity')
}

# Warnings count; but for that of AppStream, see below.
ask_lintian() {
  local tag=appstream-metadata-validation-failed known=()

  ! lintian-explain-tags "$tag" > /dev/null 2>&1 || known=(--suppress-tags "$tag")
  lintian --fail-on error,warning --tag-display-limit 0 "${known[@]}" "$build"/*.changes
}

# There is no home page to name, which AppStream 1.0 and newer miss.
describe() {
  local file

  file=$(echo "$build"/root/usr/share/metainfo/*.xml)
  appstreamcli validate --no-net "$file" ||
    appstreamcli validate --no-net --override=url-homepage-missing=info "$file"
}

need_build
need_packages build-essential debhelper dpkg-dev lintian appstream man-db dh-python \
  python3 python3-numpy
copy_tree
say "building the packages in $build"
quietly build_packages || die "dpkg-buildpackage failed"
ls "$build"/*.deb
gstreamer=$(pkg-config --variable=pluginsdir gstreamer-1.0)
check "they unpack" unpack
libraries=$(dirname "$build"/root/usr/lib/*/libstereomatching.so.0)
check "no file is in two packages" share_nothing
check "this Debian has what they need" can_be_installed
check "lintian has nothing against them" ask_lintian
check "the elements are there" inspect
check "they make maps, with a preset" render
check "a program compiles with the library, and runs" compile
check "the Python module finds a wall" import_module
check "the tools have manuals" manual
check "and are completed" complete_words stereo-eval
check "all of them" complete_words stereo-view
check "the newest, too" complete_words stereo-tune
check "software centres can read what it is" describe
if [[ $(apt-cache policy reuse 2> /dev/null) =~ Candidate:\ [5-9] ]]; then
  need_packages reuse
  check "every file has a licence" reuse --root "$build/source" lint
else
  skip "every file has a licence: there is no reuse 5 here"
fi
report
