#!/usr/bin/env bash
# gst-stereomatching: a web site of the documentation
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   docs/site.sh [FOLDER]
#
# Makes FOLDER/html, by default build-site/html, of README, CONTRIBUTING and docs/, with
# MkDocs and its theme Material: with search, a dark mode, and nothing from other
# servers. A link that leads nowhere, a page that is in no menu, or anything that a
# page would load from elsewhere is an error. `python3 -m http.server`, in that folder,
# shows it; from files it is readable, too, but for the search.
#
# MkDocs is the one on the PATH ($MKDOCS names another), else Debian's, which is
# installed (Debian 13 or newer). `pip install mkdocs-material` has it everywhere.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
mkdir -p "${1:-$root/build-site}"
site=$(cd "${1:-$root/build-site}" && pwd)
mkdocs=${MKDOCS:-mkdocs}

command -v "$mkdocs" > /dev/null || need_packages mkdocs-material
# The pages, and the files that they point to, where they are in the tree.
rm -rf "$site/pages" "$site/html"
mkdir -p "$site/pages"
tar -C "$root" --exclude=__pycache__ --exclude='docs/report' \
  --exclude='docs/meson.build' --exclude='docs/mkdocs.yml' --exclude='docs/site.sh' \
  -cf - README.md CONTRIBUTING.md COPYING NEWS common docs examples tests/static gst/presets \
  | tar -C "$site/pages" --no-same-owner -xf -
cp "$root/docs/mkdocs.yml" "$site/"
say "making $site/html"
(cd "$site" && quietly "$mkdocs" build --strict) || die "the site has errors; they are above"

# What a browser fetches by itself.
if grep -rnoE --include='*.html' --include='*.css' \
  "(src=|<link [^>]*href=|url\()[\"']?(https?:)?//[^\"') >]*" "$site/html"; then
  die "pages load these from other servers"
fi
pages=$(find "$site/html" -name '*.html' | wc -l)
[ "$pages" -gt 30 ] || die "there are $pages pages only"
say "$pages pages: $site/html/index.html"
echo "1 passed, 0 failed, 0 skipped"
