#!/usr/bin/env bash
# gst-stereomatching: builds and tests the project in another Debian release
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/in-debian.sh RELEASE [COMMAND ...]
#
# For example `tests/in-debian.sh trixie`, as root, on Debian. Creates a chroot of
# that release with debootstrap, from the mirror of this machine's apt (or
# $DEBIAN_MIRROR), copies the tree into it, and runs COMMAND in the copy. The
# default COMMAND is `tests/run.sh` without CUDA, with the suites that depend on
# GLib, GStreamer and browser versions, except slow tests; its last line is
# `N passed, N failed, N skipped`, and the exit status is 0 if none failed.
#
# The chroot, its build and its compiler cache are kept in $STEREO_ROOTS/RELEASE, by default
# below /var/tmp, and reused; remove the folder to start over. The first run takes some
# minutes, mostly to install packages. /proc is mounted if permitted. In CI, keep
# $STEREO_ROOTS between runs if possible.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"

default_command=(tests/run.sh --suite unit --suite check --suite docs --suite examples --suite tune
  --no-suite slow -Dcuda=disabled --werror)

# The first Debian mirror in apt's configuration, without security updates.
find_mirror() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 2> /dev/null |
    sed -n 's/^Debian|Debian|//p' | sed -n '1s,/$,,p'
}

# make_root RELEASE FOLDER: creates a minimal Debian
make_root() {
  local release=$1 folder=$2 mirror=${DEBIAN_MIRROR:-} include=ccache

  need_packages debootstrap
  [ -n "$mirror" ] || mirror=$(find_mirror)
  if [ -z "$mirror" ]; then
    quietly apt-get update -q || true
    mirror=$(find_mirror)
  fi
  [ -n "$mirror" ] ||
    die "no Debian mirror found in the apt configuration; set one: DEBIAN_MIRROR=URL $0 $release"
  case $mirror in https:*) include+=,ca-certificates ;; esac
  say "creating a chroot of $release in $folder from $mirror"
  rm -rf "$folder"
  mkdir -p "$folder"
  quietly debootstrap --variant=minbase --include=$include "$release" "$folder" "$mirror" ||
    die "debootstrap failed; see the log above"
  touch "$folder/complete"
}

# copy_tree FOLDER: copies the sources without build folders, and keeps FOLDER/build
# and Meson
copy_tree() {
  mkdir -p "$1"
  find "$1" -mindepth 1 -maxdepth 1 ! -name build ! -name build-meson -exec rm -rf {} +
  tar -C "$root" --exclude='./.git' --exclude='./build' --exclude='./build-*' \
    --exclude='./out' --exclude='__pycache__' -cf - . | tar -C "$1" --no-same-owner -xf -
}

# run_in FOLDER COMMAND ...: with a private /proc if permitted
run_in() {
  local folder=$1 enter='cd /gst-stereomatching && exec "$@"'
  local with_proc='mount -t proc proc "$0/proc" && exec chroot "$@"'
  local certificates=/usr/local/share/machine-certificates.crt
  local in_root=("$folder" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LC_ALL=C.UTF-8
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"
    ${PIP_CERT:+PIP_CERT=$certificates}
    /bin/bash -c "$enter" bash)

  shift
  [ -z "${PIP_CERT:-}" ] || cp -L "$PIP_CERT" "$folder$certificates"
  if unshare --mount sh -c "mount -t proc proc '$folder/proc'" 2> /dev/null; then
    unshare --mount sh -c "$with_proc" "$folder" "${in_root[@]}" "$@"
  else
    say "cannot mount /proc; continuing without it"
    chroot "${in_root[@]}" "$@"
  fi
}

[ $# -gt 0 ] || die "usage: $0 RELEASE [COMMAND ...], for example $0 trixie"
[ "$(id -u)" = 0 ] || die "$0 creates a chroot; run it as root (sudo $0 $*)"
command -v apt-get > /dev/null || die "$0 needs apt and debootstrap (Debian or Ubuntu)"
release=$1
shift
folder=${STEREO_ROOTS:-/var/tmp/stereo-roots}/$release
[ $# -gt 0 ] || set -- "${default_command[@]}"

eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"

[ -f "$folder/complete" ] || make_root "$release" "$folder"
# same host name resolution
cp -L /etc/resolv.conf /etc/hosts "$folder/etc/"
copy_tree "$folder/gst-stereomatching"
say "in $release: $*"
run_in "$folder" "$@"
