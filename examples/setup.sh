# gst-stereomatching: setup shared by the scripts of demonstration, tests and packaging
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by bash, with the project's folder in `root`. Installs missing packages
# with apt and builds in $root/build.

say() {
  printf '== %s\n' "$*"
}

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# quietly COMMAND ...: shows the output only on failure.
quietly() {
  local log status=0

  log=$(mktemp)
  "$@" > "$log" 2>&1 || { status=$?; cat "$log" >&2; }
  rm -f "$log"
  return $status
}

# need_packages PACKAGE ...: installs missing packages.
need_packages() {
  local missing=() package sudo=''

  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    say "no apt: assuming that these packages, or their equivalents, are installed: $*"
    return
  fi
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null || die "install these as root: apt-get install ${missing[*]}"
    sudo=sudo
  fi
  say "installing ${missing[*]} (some minutes)"
  quietly $sudo apt-get update -q ||
    say "apt-get update failed; trying with the package lists as they are"
  quietly $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    "${missing[@]}" || die "apt-get could not install ${missing[*]}"
}

# want_packages PACKAGE ...: installs missing packages that this release offers. The
# build and the tests omit what needs the others.
want_packages() {
  local offered=() package absent=''

  command -v apt-cache > /dev/null || return 0
  for package in "$@"; do
    dpkg-query -W "$package" > /dev/null 2>&1 || absent+=" $package"
  done
  [ -n "$absent" ] || return 0
  for package in "$@"; do
    ! apt-cache show "$package" > /dev/null 2>&1 || offered+=("$package")
  done
  [ ${#offered[@]} = 0 ] || need_packages "${offered[@]}"
}

# need_meson: Meson 1.0. Debian 11 and Ubuntu 22.04 have older ones.
need_meson() {
  local venv=$root/build-meson

  need_packages meson
  [ "$(printf '%s\n' 1.0 "$(meson --version)" | sort -V | head -n 1)" != 1.0 ] || return 0
  if [ ! -x "$venv/bin/meson" ]; then
    need_packages python3-venv
    say "installing Meson in $venv"
    quietly python3 -m venv "$venv" || die "cannot create a virtual environment in $venv"
    quietly "$venv/bin/pip" install meson==1.0.1 || die "pip could not install Meson"
  fi
  PATH=$venv/bin:$PATH
}

# need_build: packages to compile the project and run gst-launch-1.0.
need_build() {
  local packages=(gcc libc6-dev ninja-build pkg-config
    libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libpng-dev libjpeg-dev libyaml-dev
    libjson-glib-dev
    gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good)

  # nvcc compiles host code with g++
  if command -v nvcc > /dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
    packages+=(g++)
  fi
  need_packages "${packages[@]}"
  # not in Debian 11
  want_packages libsoup-3.0-dev
  need_meson
}

# need_tests: need_build, and packages that tests use.
need_tests() {
  # Ubuntu has only a snap, which cannot access the test's files.
  local browser=()

  need_build
  ! grep -qs '^ID=debian$' /etc/os-release || browser=(chromium)
  need_packages "${browser[@]}" abigail-tools gstreamer1.0-plugins-bad gstreamer1.0-libav python3 \
    codespell python3-numpy python3-websocket python3-gi gir1.2-gst-plugins-base-1.0 \
    python3-venv python3-av python3-opencv python3-pil patchelf yamllint
  # not in Debian 11 and Ubuntu 22.04
  want_packages python3-mesonpy
}

# cuda_architectures: compute capabilities to build for, such as 80,90; nothing
# without nvcc. Those of the present GPUs that nvcc knows; otherwise nvcc's oldest
# from 7.5 on, because Meson adds PTX, which the driver compiles for newer GPUs.
cuda_architectures() {
  local nvcc known present

  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  # compute_75 ... compute_121, in ascending order
  known=$("$nvcc" --list-gpu-arch 2> /dev/null | sed -n 's/^compute_\([0-9]*\)$/\1/p' |
    sort -n | awk '$1 >= 75') || true
  [ -n "$known" ] || return 0
  # without a driver, nvidia-smi prints a message
  present=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null |
    sed -n 's/^\([0-9]*\)\.\([0-9]\)$/\1\2/p' | sort -nu | grep -xF "$known") || true
  echo "${present:-${known%%$'\n'*}}" | paste -sd,
}

# build_project [MESON_OPTION ...]: into $root/build. A new build without the
# option cuda-arch is for this machine only.
build_project() {
  local arches options=("$@")

  if [ ! -f "$root/build/build.ninja" ]; then
    say "configuring in $root/build"
    arches=$(cuda_architectures)
    case " $* " in
      *" -Dcuda-arch="*|*" -Dcuda=disabled "*) ;;
      *) [ -z "$arches" ] || options+=("-Dcuda-arch=$arches") ;;
    esac
    quietly meson setup "$root/build" "$root" "${options[@]}" || die "meson setup failed"
  elif [ $# -gt 0 ]; then
    quietly meson configure "$root/build" "$@" || die "meson configure failed"
  fi
  say "building"
  # On a terminal, ninja shows its progress in one line.
  if [ -t 1 ]; then
    ninja -C "$root/build" || die "the build failed"
  else
    quietly ninja -C "$root/build" || die "the build failed"
  fi
}
