#!/usr/bin/env bash
# gst-stereomatching: builds the documentation as a web site
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   docs/site.sh [FOLDER]
#
# Builds FOLDER/html, by default build-site/html, from README, CONTRIBUTING, other pages and docs/,
# with MkDocs and its Material theme. Resources of other servers are errors and, with MkDocs
# 1.6 (Debian 13) or newer, broken links and pages missing from the menu. Run `python3 -m
# http.server` in that folder to view it; opened as files, it lacks only the search.
#
# Uses mkdocs in the PATH or $MKDOCS, otherwise installs Debian's. Elsewhere, `pip install
# mkdocs-material` provides it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=examples/setup.sh
. "$root/examples/setup.sh"
mkdir -p "${1:-$root/build-site}"
site=$(cd "${1:-$root/build-site}" && pwd)
mkdocs=${MKDOCS:-mkdocs}

command -v "$mkdocs" > /dev/null || need_packages mkdocs-material
# The pages and the files they link to
rm -rf "$site/pages" "$site/html"
mkdir -p "$site/pages"
tar -C "$root" --exclude=__pycache__ --exclude='docs/report' \
  --exclude='docs/meson.build' --exclude='docs/mkdocs.yml' --exclude='docs/site.sh' \
  -cf - README.md CODE_OF_CONDUCT.md CONTRIBUTING.md COPYING NEWS SECURITY.md common docs examples gst/presets \
  packaging/windows.ini tests/installed tests/static | tar -C "$site/pages" --no-same-owner -xf -
cp "$root/docs/mkdocs.yml" "$site/"
say "building $site/html"
strict=(--strict)
# Older versions warn of `validation` in the configuration
if [[ $("$mkdocs" --version) =~ version\ 1\.[0-5]\. ]]; then
  say "links are not checked"
  strict=()
fi
(cd "$site" && quietly "$mkdocs" build "${strict[@]}") || die "the site has errors; see above"

# References that a browser loads automatically
if grep -rnoE --include='*.html' --include='*.css' \
  "(src=|<link [^>]*href=|url\()[\"']?(https?:)?//[^\"') >]*" "$site/html"; then
  die "the pages above load from other servers"
fi
pages=$(find "$site/html" -name '*.html' | wc -l)
[ "$pages" -gt 30 ] || die "expected more than 30 pages, got $pages"
say "$pages pages: $site/html/index.html"
echo "1 passed, 0 failed, 0 skipped"
