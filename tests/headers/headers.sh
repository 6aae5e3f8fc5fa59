#!/bin/sh
# headers.sh BUILD SOURCE CC [CXX]: the public headers as a user meets them. Each compiles alone, in C and in C++; programs in
# both languages build against what `cmake --install` puts into a prefix, and run.
build=$1 source=$2 cc=$3 cxx=${4:-c++}
strict="-Wall -Wextra -Wpedantic -Werror"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "headers: $*" && failures=$((failures + 1)); }
has_cxx=yes
command -v "$cxx" >/dev/null 2>&1 || { has_cxx=no && echo "headers: no C++ compiler: C only"; }

cmake --install "$build" --prefix "$tmp/prefix" >"$tmp/log" 2>&1 || { cat "$tmp/log" && exit 1; }
for header in "$source"/include/warpline/*.h; do
    name=$(basename "$header")
    [ -f "$tmp/prefix/include/warpline/$name" ] || fail "$name is not installed"
    echo "#include <warpline/$name>" >"$tmp/alone.c"
    cp "$tmp/alone.c" "$tmp/alone.cc"
    "$cc" -std=c17 $strict -I"$tmp/prefix/include" -fsyntax-only "$tmp/alone.c" || fail "$name does not compile alone"
    [ $has_cxx = no ] || "$cxx" -std=c++17 $strict -I"$tmp/prefix/include" -fsyntax-only "$tmp/alone.cc" ||
        fail "$name does not compile alone in C++"
done

cat >"$tmp/program.c" <<'PROGRAM'
#include <stdio.h>
#include <string.h>
#include <warpline/warpline.h>

int main(void)
{
    wl_error err;
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *prediction = NULL;
    wl_launch launch;
    char text[64];
    memset(&err, 0, sizeof err);
    memset(&launch, 0, sizeof launch);
    launch.block[0] = 128;
    snprintf(text, sizeof text, "%d.%d.%d", WL_VERSION_MAJOR, WL_VERSION_MINOR, WL_VERSION_PATCH);
    if (strcmp(text, wl_version()) != 0 || wl_device_builtin("h200", &device, &err) != WL_OK ||
        wl_kernel_from_update("dst[0] = 2*src[0]", "1048576", "f64", &kernel, &err) != WL_OK ||
        wl_predictor_new(kernel, device, &predictor, &err) != WL_OK || wl_prediction_new(&prediction, &err) != WL_OK ||
        wl_predict(predictor, &launch, NULL, prediction, &err) != WL_OK)
        return 1;
    printf("%.0f\n", (double)wl_prediction_items(prediction));
    wl_prediction_free(prediction);
    wl_predictor_free(predictor);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return 0;
}
PROGRAM
cp "$tmp/program.c" "$tmp/program.cc"
pc=$(find "$tmp/prefix" -name warpline.pc | head -n 1)
export PKG_CONFIG_PATH="${pc%/*}"
flags=$(pkg-config --cflags --libs warpline) || fail "pkg-config does not know the library"
library=$(find "$tmp/prefix" -name 'libwarpline.so' | head -n 1)
try() { # LANGUAGE COMMAND...
    language=$1 && shift
    "$@" $flags -Wl,-rpath,"${library%/*}" -o "$tmp/program" || { fail "a $language program does not build" && return; }
    [ "$("$tmp/program")" = 1048576 ] || fail "a $language program does not run"
}
try C "$cc" -std=c17 $strict "$tmp/program.c"
[ $has_cxx = no ] || try C++ "$cxx" -std=c++17 $strict "$tmp/program.cc"

lines=$(cat "$source"/include/warpline/*.h | wc -l)
# 1,900 before recordings and profiles, 2,100 before recordings could be written and tuning spaces ranked
[ "$lines" -lt 2200 ] || fail "$lines lines of public headers: at most 2,200 can be read"
[ $failures = 0 ] && echo "headers: ok, $lines lines"
exit $((failures > 0))
