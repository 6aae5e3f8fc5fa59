#!/bin/sh
# test-all.sh [JOBS] - everything there is to test: both compilers at -O0, -O2 and -O3 with warnings as errors, all cases of
# the slow tests, the sanitizers, a comma locale and another time zone, and the golden cases on the other kind of machine.
# What a machine does not have is left out with a word. Builds are kept in build/all/.
set -u
cd "$(dirname "$0")/.." || exit 2
jobs=${1:-$(nproc 2>/dev/null || echo 2)}
failed=""
skipped=""
say() { printf '== %s\n' "$*"; }

# build FOLDER CMAKE_OPTION...
build() {
    folder=build/all/$1
    shift
    mkdir -p "$folder" || return 1
    cmake -S . -B "$folder" "$@" >"$folder/configure.log" 2>&1 &&
        cmake --build "$folder" -j "$jobs" >"$folder/build.log" 2>&1 && return 0
    grep -E 'error|warning' "$folder/configure.log" "$folder/build.log" | head -20
    return 1
}

# check NAME CTEST_OPTION...: the tests of build/all/NAME
check() {
    folder=$1
    shift
    ctest --test-dir "build/all/$folder" --output-on-failure -j "$jobs" "$@" >"build/all/$folder/test.log" 2>&1 && return 0
    grep -vE '^ *Start |Passed' "build/all/$folder/test.log" | tail -60
    return 1
}

# A locale with a decimal comma, made here: prints its name, or nothing.
comma_locale() { sh scripts/make-locale.sh build/all/locale && echo de_DE; }

for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null 2>&1; then
        say "$compiler: not installed, skipped"
        skipped="$skipped $compiler"
        continue
    fi
    for level in 0 2 3; do
        name=$compiler-O$level
        say "$name"
        # -O2 runs every test in full; the others what a compiler can change
        some="-L unit|golden|property|fuzz"
        effort=quick
        [ $level = 2 ] && some="" effort=full
        # shellcheck disable=SC2086 # options
        build $name -DCMAKE_C_COMPILER=$compiler -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=-O$level -g" -DWARPLINE_WERROR=ON &&
            WARPLINE_TEST_EFFORT=$effort check $name $some || failed="$failed $name"
    done
done

for name in gcc-O2 clang-O2; do
    [ -d build/all/$name ] && break
done
locale=$(comma_locale)
say "locale ${locale:-(localedef makes none: C)}, time zone Pacific/Kiritimati"
LOCPATH=${locale:+$PWD/build/all/locale} LC_ALL=${locale:-C} TZ=Pacific/Kiritimati WARPLINE_TEST_EFFORT=quick check $name -LE slow || failed="$failed locale"

say "AddressSanitizer and UndefinedBehaviorSanitizer"
build sanitized -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 -g" -DWARPLINE_SANITIZE=ON -DWARPLINE_WERROR=ON &&
    WARPLINE_TEST_EFFORT=full check sanitized || failed="$failed sanitized"

sh scripts/test-foreign.sh "$jobs"
case $? in
    0) ;;
    77) skipped="$skipped foreign" ;;
    *) failed="$failed foreign" ;;
esac

say "Debian packages"
if command -v dh >/dev/null 2>&1 && command -v lintian >/dev/null 2>&1; then
    mkdir -p build/all
    sh scripts/make-deb.sh >build/all/deb.log 2>&1 || { tail -40 build/all/deb.log; failed="$failed deb"; }
else
    say "Debian packages: skipped (debhelper, lintian)"
    skipped="$skipped deb"
fi

[ -z "$skipped" ] || say "skipped:$skipped"
[ -z "$failed" ] || { say "FAILED:$failed"; exit 1; }
say "all passed"
