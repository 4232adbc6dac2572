#!/usr/bin/env bash
# gst-stereomatching: libraries for the tools on Windows
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/windows-libraries.sh FOLDER
#
# Debian has no libpng for Windows. The Python wheel gstreamer-libs has one, without
# headers: those of Debian's libpng-dev fit, since all of libpng 1.6 have one ABI.
# Writes bin/ (DLLs), include/, pkgconfig/ and libraries.ini, which tells Meson of
# pkgconfig/, to FOLDER. The DLLs need Microsoft's Visual C++ runtime.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
[ $# = 1 ] || die "usage: $0 FOLDER"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
wheel=gstreamer-libs==1.28.8

[ ! -f "$folder/libraries.ini" ] || exit 0
need_packages python3 python3-pip libpng-dev pkg-config
say "getting libpng from $wheel"
quietly python3 -m pip download --no-deps --only-binary=:all: --platform win_amd64 \
  --python-version 3.11 --dest "$folder" "$wheel" || die "pip could not download $wheel"
mkdir -p "$folder/bin" "$folder/include" "$folder/pkgconfig"
python3 - "$folder" <<'PYTHON' || die "the wheel lacks libraries"
import glob, os, sys, zipfile

folder = sys.argv[1]
wanted = {"png16.dll", "z-1.dll"}
for name in glob.glob(os.path.join(folder, "*.whl")):
    with zipfile.ZipFile(name) as wheel:
        for member in wheel.namelist():
            base = os.path.basename(member)
            if base in wanted:
                wanted.remove(base)
                with open(os.path.join(folder, "bin", base), "wb") as file:
                    file.write(wheel.read(member))
sys.exit(bool(wanted))
PYTHON
rm "$folder"/*.whl
cp /usr/include/libpng16/{png,pngconf,pnglibconf}.h "$folder/include/"
cat > "$folder/pkgconfig/libpng.pc" <<END
Name: libpng
Description: PNG files
Version: $(pkg-config --modversion libpng)
Libs: $folder/bin/png16.dll
Cflags: -I$folder/include
END
cat > "$folder/libraries.ini" <<END
[binaries]
# the name until Meson 1.2, and since
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'

[properties]
pkg_config_libdir = '$folder/pkgconfig'
END
