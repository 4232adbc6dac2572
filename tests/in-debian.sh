#!/usr/bin/env bash
# gst-stereomatching: builds the project and runs its tests in another Debian
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/in-debian.sh RELEASE [COMMAND ...]
#
# For example `tests/in-debian.sh trixie`, as root, on Debian. Makes a root of
# that release with debootstrap, from the mirror that this machine's apt uses
# (or $DEBIAN_MIRROR), copies the tree into it, and runs COMMAND there, in the
# copy. Without a COMMAND: `tests/run.sh`, without CUDA, with the suites that
# depend on the versions of GLib and GStreamer; the last line is `N passed, N
# failed, N skipped`, the exit status 0 when none failed.
#
# The root and what was built in it stay in $STEREO_ROOTS/RELEASE, by default
# below /var/tmp, and are used again; remove the folder to start anew. The first
# time takes some minutes, most of them to install packages. Nothing needs to be
# mounted; /proc is there where the machine allows it. In CI, call it as above and
# keep $STEREO_ROOTS, if anything can be kept from run to run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"

default_command=(tests/run.sh --suite unit --suite check --suite docs --suite examples --suite tune
  -Dcuda=disabled --werror)

# The first Debian mirror in apt's configuration, without security updates.
find_mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2> /dev/null |
    sed -n 's/^Debian|Debian|//p' | sed -n '1s,/$,,p'
}

# make_root RELEASE FOLDER: a minimal Debian.
make_root() {
  local release=$1 folder=$2 mirror=${DEBIAN_MIRROR:-} options=(--variant=minbase)

  need_packages debootstrap
  [ -n "$mirror" ] || mirror=$(find_mirror)
  if [ -z "$mirror" ]; then
    quietly apt-get update -q || true
    mirror=$(find_mirror)
  fi
  [ -n "$mirror" ] ||
    die "apt has no Debian mirror here; name one: DEBIAN_MIRROR=URL $0 $release"
  case $mirror in https:*) options+=(--include=ca-certificates) ;; esac
  say "making a root of $release in $folder, from $mirror"
  rm -rf "$folder"
  mkdir -p "$folder"
  quietly debootstrap "${options[@]}" "$release" "$folder" "$mirror" ||
    die "debootstrap failed; the log is above"
  touch "$folder/complete"
}

# copy_tree FOLDER: the sources, without what was built from them here; what
# was built in FOLDER stays.
copy_tree() {
  mkdir -p "$1"
  find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  tar -C "$root" --exclude='./.git' --exclude='./build' --exclude='./build-*' \
    --exclude='./out' --exclude='__pycache__' -cf - . | tar -C "$1" --no-same-owner -xf -
}

# run_in FOLDER COMMAND ...: with a /proc that goes away with it, if it may be.
run_in() {
  local folder=$1 enter='cd /gst-stereomatching && exec "$@"'
  local with_proc='mount -t proc proc "$0/proc" && exec chroot "$@"'
  local in_root=("$folder" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"
    /bin/bash -c "$enter" bash)

  shift
  if unshare --mount sh -c "mount -t proc proc '$folder/proc'" 2> /dev/null; then
    unshare --mount sh -c "$with_proc" "$folder" "${in_root[@]}" "$@"
  else
    say "/proc can't be mounted here; going on without it"
    chroot "${in_root[@]}" "$@"
  fi
}

[ $# -gt 0 ] || die "usage: $0 RELEASE [COMMAND ...], for example $0 trixie"
[ "$(id -u)" = 0 ] || die "$0 makes and enters a root of its own, so run it as root (sudo $0 $*)"
command -v apt-get > /dev/null || die "$0 needs apt and debootstrap, that is Debian or Ubuntu"
release=$1
shift
folder=${STEREO_ROOTS:-/var/tmp/stereo-roots}/$release
[ $# -gt 0 ] || set -- "${default_command[@]}"

eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"

[ -f "$folder/complete" ] || make_root "$release" "$folder"
# names of hosts are looked up as here
cp -L /etc/resolv.conf /etc/hosts "$folder/etc/"
copy_tree "$folder/gst-stereomatching"
say "in $release: $*"
run_in "$folder" "$@"
