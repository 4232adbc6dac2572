#!/usr/bin/env bash
# gst-stereomatching: checks the recipes of other distributions
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/recipes.sh BUILD
#
# On Debian 12 or newer. Builds the packages for Arch Linux with pacman's makepkg, in the
# folder BUILD and with this system's libraries, and uses the plugin, the tools and the
# Python module in them. Evaluates the recipes for Nix, conda-forge, Homebrew and Flatpak
# with their own parsers, and compares their options with those of the project and their
# lists of files with the packages. Checks whose tool is not available are skipped. The
# last line is `N passed, N failed, N skipped`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
# shellcheck source=tests/support/checks.sh
. "$root/tests/support/checks.sh"
[ $# -gt 0 ] || die "usage: $0 BUILD"
mkdir -p "$1"
build=$(cd "$1" && pwd)
recipes=$root/packaging
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$root/meson.build")
packages=(libstereomatching gst-plugin-stereomatching stereomatching-tools python-stereomatching)

# all_versions: every recipe names the version of the project
all_versions() {
  grep -qx "pkgver=$version" "$recipes/arch/PKGBUILD" &&
    grep -qxF "  version = \"$version\";" "$recipes/nix/package.nix" &&
    grep -qx "  version: $version" "$recipes/conda/recipe.yaml"
}

# ------------------------------------------------------------------ Arch Linux

# as_user COMMAND ...: makepkg refuses root
as_user() {
  if [ "$(id -u)" != 0 ]; then
    "$@"
  else
    chown -R nobody "$build/arch" "$build/ccache"
    runuser -u nobody -- env HOME="$build/arch" "$@"
  fi
}

# Copies PKGBUILD, and the sources as the archive of `meson dist`
prepare_arch() {
  rm -rf "$build/arch" "$build/root"
  mkdir -p "$build/arch" "$build/ccache" "$build/root"
  cp "$recipes/arch/PKGBUILD" "$build/arch/"
  XZ_OPT=-1 tar -C "$root" --exclude='./.git' --exclude='./build' --exclude='./build-*' --exclude='./dist' \
    --exclude='./out' --exclude='__pycache__' --transform "s,^\.,gst-stereomatching-$version," \
    -cJf "$build/arch/gst-stereomatching-$version.tar.xz" .
  # without optimization, which would take most of the time
  cat > "$build/arch/makepkg.conf" <<END
CARCH=$(uname -m)
CHOST=$(uname -m)-unknown-linux-gnu
CFLAGS='-O0 -pipe'
BUILDENV=(!distcc color ccache check !sign)
OPTIONS=(!strip docs !libtool staticlibs emptydirs zipman purge !debug !lto)
INTEGRITY_CHECK=(sha256)
PKGEXT=.pkg.tar
SRCEXT=.src.tar
END
}

run_makepkg() {
  (cd "$build/arch" && as_user env PATH="$root/tests/recipes:$PATH" CCACHE_DIR="$build/ccache" \
    makepkg --config "$build/arch/makepkg.conf" --nodeps "$@")
}

# has_srcinfo: makepkg parses all packages
has_srcinfo() {
  local package

  run_makepkg --printsrcinfo > "$build/srcinfo" || return
  for package in "${packages[@]}"; do
    grep -qx "pkgname = $package" "$build/srcinfo" || return
  done
}

# list PACKAGE: its files
list() {
  tar -tf "$build/arch/$1-$version-"*.pkg.tar | grep -v '^\.\|/$'
}

# in_package PACKAGE PATTERN ...: each matches a file of it
in_package() {
  local package=$1 pattern

  shift
  for pattern in "$@"; do
    list "$package" | grep -qx "$pattern" || { echo "$package has no $pattern"; return 1; }
  done
}

arch_contents() {
  in_package libstereomatching usr/lib/libstereomatching.so.1 usr/include/stereomatching/stereo.h \
    usr/lib/pkgconfig/stereomatching.pc &&
    in_package gst-plugin-stereomatching usr/lib/gstreamer-1.0/libgststereomatching.so \
      usr/share/gstreamer-1.0/presets/GstStereoSgm.prs 'usr/share/metainfo/.*\.xml' &&
    in_package stereomatching-tools usr/bin/stereo-{bench,check,eval,tune,view} \
      'usr/share/man/man1/stereo-eval\.1.*' usr/share/bash-completion/completions/stereo-eval &&
    in_package python-stereomatching usr/bin/stereo-{batch,calibrate} \
      'usr/lib/python3.*/stereomatching/__init__.py' 'usr/share/man/man1/stereo-batch\.1.*'
}

# Unpacks all packages; a file must not be in two
unpack_arch() {
  local package

  for package in "${packages[@]}"; do
    list "$package"
  done | sort | uniq -d | { ! grep .; } || return
  for package in "${packages[@]}"; do
    tar -C "$build/root" -xf "$build/arch/$package-$version-"*.pkg.tar || return
  done
}

# with_plugins FOLDER COMMAND ...: with the plugins below FOLDER and GStreamer's
with_plugins() {
  local folder=$1

  shift
  env GST_REGISTRY="$build/registry.bin" GST_PLUGIN_PATH_1_0='' LD_LIBRARY_PATH="$build/root/usr/lib" \
    GST_PLUGIN_SYSTEM_PATH_1_0="$folder:$(pkg-config --variable=pluginsdir gstreamer-1.0)" \
    GST_PRESET_PATH="$build/root/usr/share/gstreamer-1.0/presets" "$@"
}

render() {
  rm -f "$build/map.raw"
  with_plugins "$1" gst-launch-1.0 stereotestsrc num-buffers=2 ! m.sink_left \
    stereotestsrc num-buffers=2 view=right ! m.sink_right \
    stereosgm name=m @preset=fast num-disparities=16 ! disparitycolor ! \
    filesink location="$build/map.raw" && [ -s "$build/map.raw" ]
}

run_tools() {
  local tool

  for tool in bench check eval tune view; do
    with_plugins "$build" "$build/root/usr/bin/stereo-$tool" --version | grep -F "$version" || return
  done
}

match_in_python() {
  local module

  module=$(dirname "$(find "$build/root/usr/lib" -path '*/stereomatching/__init__.py')")
  (cd "$build" && with_plugins "$build" env PYTHONPATH="${module%/*}" /usr/bin/python3 -c '
import numpy, stereomatching
wall = numpy.random.default_rng(1).integers(0, 256, (40, 70), numpy.uint8)
found = stereomatching.match(wall[:, :60], wall[:, 10:], num_disparities=16, backend="cpu")
assert abs(numpy.nanmedian(found.disparity) - 10) < 0.1, found.disparity')
}

# ---------------------------------------------------------------- other recipes

# have_options ARGUMENT ...: of `meson setup`
have_options() {
  python3 "$root/tests/recipes/options.py" "$build/options.json" "$@"
}

# Nix prints what it passes to mkDerivation without and with CUDA
evaluate_nix() {
  local flags

  NIX_STATE_DIR="$build/nix" nix-instantiate --eval --strict --json --store dummy:// \
    --argstr package "$recipes/nix/package.nix" "$root/tests/recipes/stubs.nix" \
    > "$build/nix.json" || return
  flags=$(python3 -c 'import json, sys
for package in json.load(sys.stdin):
    print(*package["mesonFlags"])' < "$build/nix.json") || return
  # shellcheck disable=SC2086
  [ "$(wc -l <<< "$flags")" = 2 ] && have_options $flags && grep -q 'cuda=enabled' <<< "$flags"
}

conda_venv() {
  [ -x "$build/conda/bin/python" ] || quietly python3 -m venv "$build/conda" &&
    "$build/conda/bin/pip" install -q py-rattler-build
}

# The build for conda-forge installs what that for Arch does, without the Python module
evaluate_conda() {
  local setup

  for package in "${packages[@]::3}"; do
    list "$package"
  done | sed -n 's,^usr/,,p' > "$build/files" || return
  setup=$("$build/conda/bin/python" "$root/tests/recipes/conda.py" "$recipes/conda/recipe.yaml" \
    "$build/files") || return
  # shellcheck disable=SC2086
  have_options $setup
}

evaluate_formula() {
  local commands

  commands=$(ruby "$root/tests/recipes/formula.rb" "$recipes/homebrew/gst-stereomatching.rb") || return
  grep -q '^meson install ' <<< "$commands" &&
    grep -q 'gst-inspect-1.0 ' <<< "$commands" || return
  # shellcheck disable=SC2046
  have_options $(grep '^meson setup ' <<< "$commands")
}

formula_style() {
  rubocop --cache false --config "$root/tests/recipes/rubocop.yml" \
    "$recipes/homebrew/gst-stereomatching.rb" "$root/tests/recipes/formula.rb"
}

# Warnings are unknown properties
evaluate_flatpak() {
  local manifest=$recipes/flatpak/$extension.yaml

  # creates a folder
  (cd "$build" && flatpak-builder --show-manifest "$manifest" > manifest.json 2> warnings) || return
  ! grep . "$build/warnings" || return
  # shellcheck disable=SC2046
  have_options $(python3 -c 'import json, sys
print(*json.load(sys.stdin)["modules"][-1]["config-opts"])' < "$build/manifest.json")
}

# The runtime searches for plugins below lib/extensions/gstreamer-1.0, where it mounts the
# prefix of the extension
find_extension() {
  local prefix

  prefix=$build$(python3 -c 'import json, sys
print(json.load(sys.stdin)["build-options"]["prefix"])' < "$build/manifest.json") || return
  mkdir -p "$prefix/lib" && cp -r "$build/root/usr/lib/gstreamer-1.0" "$prefix/lib/" || return
  render "$build/usr/lib/extensions/gstreamer-1.0"
}

need_build
need_packages python3-numpy python3-venv shellcheck
want_packages makepkg pacman-package-manager libarchive-tools nix-bin ruby rubocop flatpak-builder
extension=org.freedesktop.Platform.GStreamer.stereomatching
check "all recipes have the version $version" all_versions
meson introspect --buildoptions "$root/meson.build" > "$build/options.json" 2> /dev/null
check "options are compared" eval '! have_options -Dnothing=true && ! have_options -Dcuda=perhaps'

check "PKGBUILD has no warnings of shellcheck" shellcheck "$recipes/arch/PKGBUILD"
if command -v makepkg > /dev/null; then
  prepare_arch
  check "PKGBUILD describes four packages" has_srcinfo
  say "building the packages for Arch Linux in $build/arch"
  check "makepkg builds the packages and runs the unit tests" run_makepkg
  check "packages have their files" arch_contents
  check "no file is in two packages" unpack_arch
  check "plugin with a preset" render "$build/root/usr/lib/gstreamer-1.0"
  check "tools" run_tools
  check "Python module matches" match_in_python
else
  skip "packages for Arch Linux: makepkg is not available"
fi
if command -v nix-instantiate > /dev/null; then
  check "package for Nix" evaluate_nix
else
  skip "package for Nix: nix-bin is not available"
fi
if [ -d "$build/root" ] && quietly conda_venv; then
  check "recipe for conda-forge" evaluate_conda
else
  skip "recipe for conda-forge: py-rattler-build or makepkg is not available"
fi
if command -v ruby > /dev/null; then
  check "Homebrew formula" evaluate_formula
else
  skip "Homebrew formula: ruby is not available"
fi
if command -v rubocop > /dev/null; then
  check "style of the Homebrew formula" formula_style
else
  skip "style of the Homebrew formula: rubocop is not available"
fi
if command -v flatpak-builder > /dev/null; then
  check "Flatpak manifest" evaluate_flatpak
  check "the runtime finds the plugin of the extension" find_extension
else
  skip "Flatpak manifest: flatpak-builder is not available"
fi
report
