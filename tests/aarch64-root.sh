#!/usr/bin/env bash
# gst-stereomatching: packages of 64-bit ARM for tests/aarch64.sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/aarch64-root.sh FOLDER [PACKAGE ...]
#
# Unpacks GStreamer and its development files, or the PACKAGEs, and all that they need
# from this machine's Debian release to FOLDER/root, and writes FOLDER/root.ini, which
# tells Meson of it. apt works in FOLDER: this machine's packages stay as they are.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
[ $# -gt 0 ] || die "usage: $0 FOLDER [PACKAGE ...]"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
packages=(libc6-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libyaml-dev
  gstreamer1.0-plugins-base)
[ $# = 1 ] || packages=("${@:2}")

[ ! -f "$folder/root.ini" ] || exit 0
mkdir -p "$folder"/apt/{state/lists,cache/archives}/partial
touch "$folder/apt/status"

# arm64_apt COMMAND ...: with no packages installed
arm64_apt() {
  quietly apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
    -o Dir::State="$folder/apt/state" -o Dir::State::status="$folder/apt/status" \
    -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}

say "getting packages of 64-bit ARM"
arm64_apt update || die "apt-get update failed"
arm64_apt install -y --download-only --no-install-recommends "${packages[@]}" ||
  die "apt-get could not download ${packages[*]}"
for package in "$folder"/apt/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$folder/root"
done
rm -r "$folder/apt"
libraries=$folder/root/usr/lib/aarch64-linux-gnu
cat > "$folder/root.ini" <<END
[binaries]
# the name until Meson 1.2, and since
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '$folder/root']

[built-in options]
c_args = ['--sysroot=$folder/root']
c_link_args = ['--sysroot=$folder/root']

[properties]
sys_root = '$folder/root'
pkg_config_libdir = '$libraries/pkgconfig:$folder/root/usr/share/pkgconfig'
END
