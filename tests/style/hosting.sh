#!/usr/bin/env bash
# gst-stereomatching: files of hosting sites
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   tests/style/hosting.sh ROOT
#
# Checks that the CI files of GitHub and GitLab run the steps of .ci/run, and that
# both sites have the same templates. Runs yamllint if installed.
set -euo pipefail
cd "$1"
status=0

report() {
  echo "$1"
  status=1
}

# list_items FILE NAME: the items of the first YAML list called NAME
list_items() {
  awk -v name="$2:" '
    named && $1 == "-" { print $2; items++; next }
    items { exit }
    { named = $NF == name }' "$1"
}

# template FILE: without GitHub's front matter
template() {
  awk 'NR == 1 && $0 == "---" { header = 1; next } header && $0 == "---" { header = 0; next }
    !header' "$1"
}

[ -n "$(.ci/run --list)" ] || report ".ci/run --list prints nothing"
diff <(.ci/run --list) <(list_items .github/workflows/ci.yml step) ||
  report ".github/workflows/ci.yml runs other steps than .ci/run"
diff <(.ci/run --list) <(list_items .gitlab-ci.yml STEP) ||
  report ".gitlab-ci.yml runs other steps than .ci/run"

pairs=(.gitlab/merge_request_templates/default.md .github/pull_request_template.md)
for file in .gitlab/issue_templates/*.md; do
  pairs+=("$file" ".github/ISSUE_TEMPLATE/$(basename "$file")")
done
for ((i = 0; i < ${#pairs[@]}; i += 2)); do
  diff "${pairs[i]}" <(template "${pairs[i + 1]}") ||
    report "${pairs[i + 1]} differs from ${pairs[i]}"
done

if command -v yamllint > /dev/null; then
  yamllint -s -d '{extends: default, rules: {document-start: disable}}' \
    .github/workflows/ci.yml .gitlab-ci.yml || status=1
fi
exit $status
