#!/usr/bin/env bash
# gst-stereomatching: builds and tests the Debian packages
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/packages.sh BUILD
#
# On Debian 12 or newer: copies the tree to the folder BUILD, builds the packages there
# without the project's tests, runs lintian, unpacks them, and uses the plugin, the
# tools, their manuals and completion, the documentation, and the library with
# pkg-config, and runs the autopkgtest. The `reuse` tool checks the licences where it is
# packaged (Debian 13). The last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$root/tests/support/checks.sh"
[ $# -gt 0 ] || die "usage: $0 BUILD"
mkdir -p "$1"
build=$(cd "$1" && pwd)
packages=(gstreamer1.0-stereomatching gstreamer1.0-stereomatching-doc libstereomatching1
  libstereomatching-dev stereomatching-tools python3-stereomatching)
# Copies the sources without build folders
copy_tree() {
  rm -rf "$build/source" "$build/root" "$build/autopkgtest" "$build"/*.deb
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

# Fails if a file is in several packages
no_shared_files() {
  local package

  for package in "${packages[@]}"; do
    dpkg-deb -c "$build/$package"_*.deb | sed -n '/^[^d]/s/^.* \.\//\//p'
  done | sort | uniq -d | { ! grep .; }
}

# Fails if this Debian lacks a dependency
check_dependencies() {
  local sudo=''

  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get install --simulate --no-install-recommends -y "$build"/*.deb
}

# with_root COMMAND ...: runs it with the unpacked packages
with_root() {
  env LD_LIBRARY_PATH="$libraries" PATH="$build/root/usr/bin:$PATH" GST_REGISTRY="$build/registry.bin" \
    GST_PLUGIN_SYSTEM_PATH_1_0='' GST_PLUGIN_PATH_1_0="$libraries/gstreamer-1.0:$gstreamer" \
    GST_PRESET_PATH="$build/root/usr/share/gstreamer-1.0/presets" "$@"
}

# Inspects every element in docs/elements
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

# Fails if a link of the packaged README is in no package
check_links() {
  local folder=$build/root/usr/share/doc/gstreamer1.0-stereomatching links link

  links=$(zcat "$folder/README.md.gz" | grep -oE '\]\([^)#]+' | cut -c 3-) || return
  for link in $links; do
    [ -e "$folder/$link" ] || { echo "README: $link: no such file"; return 1; }
  done
}

autopkgtest() {
  mkdir -p "$build/autopkgtest" &&
    with_root env AUTOPKGTEST_TMP="$build/autopkgtest" "$build/source/debian/tests/readme"
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

  for tool in stereo-bench stereo-check stereo-eval stereo-view; do
    with_root "$tool" --version || return
    grep -q -- '--backend' <<< "$(man -l "$build/root/usr/share/man/man1/$tool.1.gz")" || return
  done
  with_root stereo-tune --version &&
    grep -q -- '--max-viewers' <<< "$(man -l "$build/root/usr/share/man/man1/stereo-tune.1.gz")"
}

check_completion() {
  # shellcheck disable=SC2016
  with_root bash -c '. "$1"; COMP_WORDS=(stereo-eval sgm pred)
    _stereomatching stereo-eval pred sgm; [ "${COMPREPLY[*]}" = predecessors= ]' \
    bash "$build/root/usr/share/bash-completion/completions/$1"
}

# Uses the Python module with the packaged library
import_module() {
  (cd "$build" && with_root env PYTHONPATH="$build/root/usr/lib/python3/dist-packages" /usr/bin/python3 -c '
import numpy, stereomatching
wall = numpy.random.default_rng(1).integers(0, 256, (40, 70), numpy.uint8)
found = stereomatching.match(wall[:, :60], wall[:, 10:], num_disparities=16, backend="cpu")
assert abs(numpy.nanmedian(found.disparity) - 10) < 0.1, found.disparity') || return
  grep -q -- '--scheduler' <<< "$(man -l "$build/root/usr/share/man/man1/stereo-batch.1.gz")" || return
  for command in stereo-batch stereo-calibrate; do
    (cd "$build" && with_root env PYTHONPATH="$build/root/usr/lib/python3/dist-packages" \
      /usr/bin/python3 "$build/root/usr/bin/$command" --version) || return
  done
}

# Warnings are errors, except that of AppStream (see validate_metainfo)
run_lintian() {
  local tag=appstream-metadata-validation-failed known=()

  ! lintian-explain-tags "$tag" > /dev/null 2>&1 || known=(--suppress-tags "$tag")
  lintian --fail-on error,warning --tag-display-limit 0 "${known[@]}" "$build"/*.changes
}

# AppStream 1.0 and newer require a home page, which the project lacks
validate_metainfo() {
  local file

  file=$(echo "$build"/root/usr/share/metainfo/*.xml)
  appstreamcli validate --no-net "$file" ||
    appstreamcli validate --no-net --override=url-homepage-missing=info "$file"
}

need_build
need_packages build-essential debhelper dpkg-dev lintian appstream man-db dh-python \
  mkdocs-material python3 python3-numpy
copy_tree
say "building the packages in $build"
quietly build_packages || die "dpkg-buildpackage failed"
ls "$build"/*.deb
gstreamer=$(pkg-config --variable=pluginsdir gstreamer-1.0)
check "packages unpack" unpack
libraries=$(dirname "$build"/root/usr/lib/*/libstereomatching.so.1)
check "no file is in two packages" no_shared_files
check "dependencies are available" check_dependencies
check "lintian" run_lintian
check "elements are found" inspect
check "pipeline with a preset" render
check "autopkgtest" autopkgtest
check "links of README" check_links
check "program with the library compiles and runs" compile
check "Python module matches" import_module
check "manual pages" manual
check "completion of stereo-eval" check_completion stereo-eval
check "completion of stereo-view" check_completion stereo-view
check "completion of stereo-tune" check_completion stereo-tune
check "AppStream metadata" validate_metainfo
if [[ $(apt-cache policy reuse 2> /dev/null) =~ Candidate:\ [5-9] ]]; then
  need_packages reuse
  check "every file has a licence" reuse --root "$build/source" lint
else
  skip "every file has a licence: reuse 5 is not available"
fi
report
