#!/bin/sh
# lint.sh BUILD [JOBS] - clang-tidy (.clang-tidy), cppcheck (scripts/cppcheck.supp) and clang-format over all sources. A tool
# that is not installed is left out with a word. Fails when one of them finds something.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
jobs=${2:-$(nproc 2>/dev/null || echo 2)}
status=0
files=$(git ls-files 'src/*.c' 'cli/*.c' 'tests/*.c' 'bench/*.c' 'examples/*.c' 'validate/*.c' 'calibrate/*.c')

if command -v clang-tidy >/dev/null 2>&1; then
    cmake -S . -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null || exit 2
    # of the files the build knows; one at a time, or clang-tidy 14 mixes up their va_lists
    for file in $files; do
        grep -q "/$file\"" "$build/compile_commands.json" && printf '%s\n' "$file"
    done | xargs -P "$jobs" -n 1 clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null || status=1
else
    echo "lint: clang-tidy is not installed, skipped"
fi

if command -v cppcheck >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # a list of files
    cppcheck -j "$jobs" --enable=warning,performance,portability --std=c11 --quiet --inline-suppr --error-exitcode=1 \
        --suppressions-list=scripts/cppcheck.supp -I include -I src -I cli -I tests -USANDBOXED -U__clang_analyzer__ $files || status=1
else
    echo "lint: cppcheck is not installed, skipped"
fi

sh scripts/check-format.sh
case $? in 0 | 77) ;; *) status=1 ;; esac
exit $status
