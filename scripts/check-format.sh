#!/bin/sh
# check-format.sh [ROOT] - is every C file as clang-format writes it? Exit code 77, skipped: no git, or another clang-format than
# that of CLANG_FORMAT_MAJOR, since releases differ in what they write. `make format` writes them. With
# WARPLINE_TEST_EFFORT=quick only files that the latest commit changed, or that changed since; CI checks all.
set -u
cd "${1:-$(dirname "$0")/..}" || exit 2
major=${CLANG_FORMAT_MAJOR:-14}
for tool in clang-format-$major clang-format; do
    command -v $tool >/dev/null 2>&1 && break
done
have=$($tool --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
[ "$have" = "$major" ] || { echo "clang-format $major is not installed (found: ${have:-none}): skipped"; exit 77; }
git rev-parse --git-dir >/dev/null 2>&1 || { echo "no git here to list the files: skipped"; exit 77; }
files() {
    since=$(git rev-parse --quiet --verify HEAD~1) && [ "${WARPLINE_TEST_EFFORT:-full}" = quick ] || since=
    if [ -n "$since" ]; then
        git diff -z --name-only --diff-filter=d "$since" -- '*.c' '*.h' ':!validate/cuda'
        git ls-files -z --others --exclude-standard '*.c' '*.h'
    else
        git ls-files -z '*.c' '*.h' ':!validate/cuda'
    fi
}
bad=$(files | xargs -0 -r $tool --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' | sort | uniq -c)
[ -z "$bad" ] && { echo "format: ok"; exit 0; }
echo "not as clang-format writes them (places, file); 'make format' does:"
printf '%s\n' "$bad"
exit 1
