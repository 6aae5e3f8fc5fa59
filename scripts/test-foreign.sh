#!/bin/sh
# test-foreign.sh [JOBS] - the golden cases on the other kind of machine (aarch64 on x86-64 and the other way round), with a
# cross compiler and qemu-user. Exit code 77: skipped, with what to install. Changes nothing on this machine.
set -u
cd "$(dirname "$0")/.." || exit 2
jobs=${1:-$(nproc 2>/dev/null || echo 2)}
case $(uname -m) in
    x86_64) foreign=aarch64 packages=arm64 tool=aarch64 ;;
    aarch64) foreign=x86_64 packages=amd64 tool=x86-64 ;;
    *) echo "== other machine: this one is neither x86-64 nor aarch64, skipped"; exit 77 ;;
esac

missing=""
command -v $tool-linux-gnu-gcc >/dev/null 2>&1 || missing="$missing gcc-$tool-linux-gnu"
command -v qemu-$foreign >/dev/null 2>&1 || missing="$missing qemu-user"
for library in yaml-0.1:libyaml-dev jansson:libjansson-dev cminpack:libcminpack-dev libzstd:libzstd-dev cmocka:libcmocka-dev; do
    PKG_CONFIG_LIBDIR=/usr/lib/$foreign-linux-gnu/pkgconfig pkg-config --exists "${library%%:*}" 2>/dev/null ||
        missing="$missing ${library#*:}:$packages"
done
for library in isl:libisl-dev gmp:libgmp-dev; do
    [ -e "/usr/lib/$foreign-linux-gnu/lib${library%%:*}.so" ] || missing="$missing ${library#*:}:$packages"
done
if [ -n "$missing" ]; then
    echo "== $foreign: skipped. On Debian: dpkg --add-architecture $packages && apt-get update && apt-get install$missing"
    exit 77
fi

echo "== $foreign under qemu-user"
build=build/all/$foreign
mkdir -p "$build" || exit 2
# what a compiler or a machine could change without a word: golden predictions, random cases, numbers, symbols
tests="test_golden test_random_kernel test_number test_expr test_geometry test_warp_law prop_symbol"
FOREIGN=$foreign PKG_CONFIG_LIBDIR=/usr/lib/$foreign-linux-gnu/pkgconfig cmake -S . -B "$build" \
    -DCMAKE_TOOLCHAIN_FILE=cmake/foreign.cmake -DCMAKE_BUILD_TYPE=Release -DWARPLINE_MPI=OFF -DWARPLINE_WERROR=ON \
    >"$build/configure.log" 2>&1 || { tail -20 "$build/configure.log"; exit 1; }
# shellcheck disable=SC2086 # a list of targets
cmake --build "$build" -j "$jobs" --target $tests >"$build/build.log" 2>&1 ||
    { grep -E 'error|warning' "$build/build.log"; exit 1; }
status=0
for test in $tests; do
    if ! qemu-$foreign "$build/tests/$test" >"$build/$test.log" 2>&1; then
        echo "$test fails on $foreign:"
        tail -20 "$build/$test.log"
        status=1
    fi
done
exit $status
