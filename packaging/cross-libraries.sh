#!/usr/bin/env bash
# gst-stereomatching: libraries for Windows and macOS
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/cross-libraries.sh windows|macos FOLDER
#
# Debian has no libpng, GLib and GStreamer for these systems. The Python wheels of
# GStreamer have them, without headers. Those of Debian are older and fit: the ABIs of
# libpng 1.6, GLib 2 and GStreamer 1 only grow. Only glibconfig.h differs.
#
# Writes bin/ (DLLs) or lib/ (dylibs), include/, pkgconfig/ and libraries.ini, which
# tells Meson of pkgconfig/, to FOLDER; on Windows also gst-launch-1.0 and the plugins
# that a test needs. The DLLs need Microsoft's Visual C++ runtime.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
version=1.28.8
wheels=("gstreamer-libs==$version")
case "$*" in
  'windows '?*)
    platform=win_amd64
    wheels+=("gstreamer-cli==$version")
    members='bin/[^/]+\.dll|bin/gst-(launch|inspect)-1\.0\.exe'
    members+='|lib/gstreamer-1\.0/gst(app|coreelements|videotestsrc|videoconvertscale)\.dll'
    members+='|libexec/gstreamer-1\.0/gst-plugin-scanner\.exe' ;;
  'macos '?*)
    platform=macosx_11_0_universal2
    members='lib/lib(glib-2\.0|gobject-2\.0|gmodule-2\.0|gst(reamer|base|video)-1\.0|png16|z)(\.[0-9]+)*\.dylib' ;;
  *) die "usage: $0 windows|macos FOLDER" ;;
esac
system=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)

# The members of the wheels, without the folders of Python's packages.
get_libraries() {
  quietly python3 -m pip download --no-deps --only-binary=:all: --platform "$platform" \
    --python-version 3.11 --dest "$folder" "${wheels[@]}" ||
    die "pip could not download ${wheels[*]}"
  python3 - "$folder" "$members" <<'PYTHON'
import glob, os, re, sys, zipfile

folder, members = sys.argv[1:]
for name in glob.glob(os.path.join(folder, "*.whl")):
    with zipfile.ZipFile(name) as wheel:
        for member in wheel.namelist():
            found = re.search("/purelib/[^/]+/(%s)$" % members, member)
            if found:
                target = os.path.join(folder, found.group(1))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as file:
                    file.write(wheel.read(member))
PYTHON
  rm "$folder"/*.whl
}

# glibconfig.h of x86-64 Linux, with the types of the other system. There int64_t is
# long long, and on Windows long has 32 bits.
write_glibconfig() {
  local source target=$folder/include/glib-2.0/glibconfig.h

  source=$(pkg-config --variable=libdir glib-2.0)/glib-2.0/include/glibconfig.h
  # an expression per line
  sed -E '
    /typedef (un)?signed long g?u?int64/s/long/long long/
    /define G_GU?INT64_CONSTANT/s/##(U?)L\)/##\1LL)/
    /define G_GU?INT64_(MODIFIER|FORMAT)/s/"l/"ll/' "$source" > "$target"
  [ "$system" = windows ] || return 0
  sed -i -E '
    /typedef (un)?signed long (gs?size|gu?intptr)/s/long/long long/
    /define G_G(S?SIZE|U?INTPTR)_(MODIFIER|FORMAT)/s/"l/"ll/
    /define G_(MAX|MIN)S?SIZE/s/_?(MAX|MIN)(U?)LONG$/_\1\2INT64/
    s/(define G_(MAX|MIN)S?SIZE.*)G__/\1G_/
    /define GLIB_SIZEOF_LONG/s/8/4/
    /define G(POINTER_TO_U?INT|U?INT_TO_POINTER)/s/\(g(u?)long\)/(g\1intptr)/
    /define GU?LONG_TO_/s/G(U?)INT64/G\1INT32/
    s/define G_OS_UNIX/define G_OS_WIN32\n#define G_PLATFORM_WIN32/
    /G_HAVE_GNUC_VISIBILITY 1/d
    s/G_THREADS_IMPL_POSIX/G_THREADS_IMPL_WIN32/
    s/typedef int GPid/typedef void *GPid/
    /GLIB_HAVE_ALLOCA_H/d
    /GLIB_SYSDEF_AF_INET6/s/10/23/
    /define G_MODULE_SUFFIX/s/so/dll/
    /define G_DIR_SEPARATOR /s:/:\\\\:
    /define G_DIR_SEPARATOR_S /s:/:\\\\:
    /define G_SEARCHPATH_SEPARATOR/s/:/;/' "$target"
}

get_headers() {
  local include=$folder/include

  mkdir -p "$include/libpng16"
  cp /usr/include/libpng16/{png,pngconf,pnglibconf}.h "$include/libpng16/"
  cp -r /usr/include/glib-2.0 /usr/include/gstreamer-1.0 "$include/"
  # for the main function of applications, which Debian's package lacks
  touch "$include/gstreamer-1.0/gst/gstmacos.h"
  write_glibconfig
}

# write_pc NAME LIBRARY INCLUDE REQUIREMENTS: LIBRARY without its suffix
write_pc() {
  local library=$folder/lib/lib$2.dylib

  if [ "$system" = windows ]; then
    # linked directly, without an import library
    library=$(echo "$folder"/bin/"$2"{,-[0-9],-[0-9][0-9]}.dll | tr ' ' '\n' |
      xargs -n 1 sh -c '[ ! -e "$0" ] || echo "$0"')
  fi
  [ -e "$library" ] || die "the wheels have no library $2"
  cat > "$folder/pkgconfig/$1.pc" <<END
includedir=$folder/include
pluginsdir=$folder/lib/gstreamer-1.0
pluginscannerdir=$folder/libexec/gstreamer-1.0
Name: $1
Description: $2 of the wheels
Version: $(pkg-config --modversion "$1")
Requires: $4
Libs: $library
Cflags: -I$folder/include/$3
END
}

[ ! -f "$folder/libraries.ini" ] || exit 0
need_packages python3 python3-pip libpng-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev \
  pkg-config
say "getting libraries for $system from the wheels of GStreamer $version"
get_libraries
get_headers
mkdir -p "$folder/pkgconfig"
write_pc libpng png16 libpng16 ''
write_pc glib-2.0 glib-2.0 glib-2.0 ''
write_pc gobject-2.0 gobject-2.0 glib-2.0 glib-2.0
write_pc gmodule-no-export-2.0 gmodule-2.0 glib-2.0 glib-2.0
write_pc gstreamer-1.0 gstreamer-1.0 gstreamer-1.0 gobject-2.0
write_pc gstreamer-base-1.0 gstbase-1.0 gstreamer-1.0 gstreamer-1.0
write_pc gstreamer-video-1.0 gstvideo-1.0 gstreamer-1.0 gstreamer-base-1.0
if [ "$system" = windows ]; then
  # for the element tests
  write_pc gstreamer-check-1.0 gstcheck-1.0 gstreamer-1.0 gstreamer-1.0
  write_pc gstreamer-controller-1.0 gstcontroller-1.0 gstreamer-1.0 gstreamer-1.0
fi
cat > "$folder/libraries.ini" <<END
[binaries]
# the name until Meson 1.2, and since
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'

[properties]
pkg_config_libdir = '$folder/pkgconfig'
END
