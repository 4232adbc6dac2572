#!/usr/bin/env bash
# gst-stereomatching: a cross compiler for Meson
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   packaging/zig.sh TARGET FOLDER
#
# Installs Zig with pip into build-zig/, and writes FOLDER/zig.ini, a cross file that
# compiles C for TARGET, such as aarch64-macos.11.0 or x86_64-linux-gnu.2.28. Zig has
# the headers and libraries of these systems.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
[ $# = 2 ] || die "usage: $0 TARGET FOLDER"
version=0.15.2
zig=$root/build-zig/ziglang/zig
mkdir -p "$2"
folder=$(cd "$2" && pwd)

if [ ! -x "$zig" ]; then
  say "installing Zig $version"
  quietly python3 -m pip install --no-deps --target "$root/build-zig" "ziglang==$version" ||
    die "pip could not install ziglang"
fi
# Meson 1.0 does not know Zig's linker, which takes the options of LLVM's, but not the
# archive of -force_load as an argument of its own, and no bundles; dlopen() of macOS
# takes a shared library as well. Symbols of modules need not be looked up later: all
# libraries are there. Zig's AVX-512 has no vectors of 64 bytes by itself, and builds
# without optimisation would check for undefined behaviour. Without a language, Zig
# passes the standard input to Clang, which does not know versions of glibc.
cat > "$folder/cc" <<END
#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR='$root/build-zig/cache' ZIG_LOCAL_CACHE_DIR='$root/build-zig/cache'
case " \$* " in
  *' -Wl,--version '*) echo 'LLD 20 (compatible with GNU linkers)'; exit ;;
  *' -Wl,-v '*) echo '$([[ $1 != *-macos* ]] || echo ld64.lld)' >&2; exit ;;
  *' -E -dM - ') set -- -x c "\$@" ;;
esac
load=
for argument do
  shift
  case \$argument in
    -Wl,-force_load) load=\$argument, ;;
    -mavx512f) set -- "\$@" -mavx512f -mevex512 ;;
    -bundle) set -- "\$@" -shared ;;
    -Wl,-undefined,dynamic_lookup) ;;
    *) set -- "\$@" "\$load\$argument"; load= ;;
  esac
done
exec '$zig' cc -target '$1' -fno-sanitize=all "\$@"
END
# Zig links no thin archives, which Meson makes on Linux.
cat > "$folder/ar" <<END
#!/bin/sh
case \$1 in
  csr*T) options=\${1%T}; shift; set -- "\$options" "\$@" ;;
esac
exec '$zig' ar "\$@"
END
printf '#!/bin/sh\nexec "%s" ranlib "$@"\n' "$zig" > "$folder/ranlib"
chmod +x "$folder"/{cc,ar,ranlib}
cat > "$folder/zig.ini" <<END
[binaries]
c = '$folder/cc'
ar = '$folder/ar'
ranlib = '$folder/ranlib'
END
