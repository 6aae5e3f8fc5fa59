#!/bin/sh
# package.sh BUILD SOURCE: an installed copy as other projects use it. find_package and pkg-config, shared and static, C and C++;
# other versions are refused; the copy can be moved; libraries in lib/ARCHITECTURE are found; make uninstall leaves nothing.
LC_ALL=C && export LC_ALL
build=$1 source=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/warpline-package.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "package: $*" && failures=$((failures + 1)); }
run() { "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log" && fail "fails: $*" && return 1; }; }
command -v c++ >/dev/null 2>&1 || { echo "package: no C++ compiler: skipped" && exit 77; }
strict="-Wall -Wextra -Wpedantic -Werror"

# Into a folder that stands for the root, then moved: nothing may depend on where it was built or installed.
DESTDIR=$tmp/root run cmake --install "$build" --prefix /opt/first || exit 1
[ -e /opt/first ] && fail "DESTDIR is not respected"
mkdir "$tmp/moved" && mv "$tmp/root/opt/first" "$tmp/moved/prefix"
prefix=$tmp/moved/prefix
if grep -rIlE "/opt/first|$build|$tmp/root" "$prefix" >"$tmp/names"; then
    fail "these name the place where they were built or installed: $(cat "$tmp/names")"
fi
version=$("$prefix/bin/warpline" --version) || fail "the program does not run"
expected="${version#warpline }: 256x1"
prints() { # PROGRAM: what it is called in messages is $2
    printed=$("$1" 2>&1)
    [ "$printed" = "$expected" ] || fail "$2 prints '$printed' instead of '$expected'"
}

for file in share/doc/warpline/LICENSE share/doc/warpline/examples/rank_launches.c share/warpline/devices/h200.yaml \
    share/man/man1/warpline.1 share/man/man1/warpline-rank.1 share/man/man5/warpline-input.5 share/man/man7/warpline-model.7 \
    share/bash-completion/completions/warpline share/zsh/site-functions/_warpline share/fish/vendor_completions.d/warpline.fish; do
    [ -f "$prefix/$file" ] || fail "$file is not installed"
done

# find_package
consume() { # FOLDER CMAKE_OPTION...
    folder=$1 && shift
    cmake -S "$source/tests/package/consumer" -B "$tmp/$folder" -DCMAKE_PREFIX_PATH="$prefix" "$@" >"$tmp/$folder.log" 2>&1
}
minor=$(echo "${version#warpline }" | cut -d. -f1,2)
if consume cmake "-DWANTED_VERSION=$minor" -DCMAKE_C_FLAGS="$strict" -DCMAKE_CXX_FLAGS="$strict"; then
    run cmake --build "$tmp/cmake"
    for program in c_warpline c_warpline_static cxx_warpline cxx_warpline_static; do
        prints "$tmp/cmake/$program" "$program (CMake)"
    done
else
    cat "$tmp/cmake.log" && fail "find_package does not find it"
fi
consume newer -DWANTED_VERSION=99.0 && fail "find_package takes it for version 99.0"
grep -q 'version: ' "$tmp/newer.log" || fail "find_package does not say which version there is"

# pkg-config, here and with libraries in a folder of the architecture
pkg_config() { # LIBDIR: builds and runs with the warpline.pc in it
    export PKG_CONFIG_PATH="$prefix/$1/pkgconfig"
    [ "$(realpath "$(pkg-config --variable=libdir warpline)")" = "$(realpath "$prefix/$1")" ] || fail "pkg-config: wrong libdir for $1"
    cd "$source/tests/package/consumer" || exit 2
    # shellcheck disable=SC2046 # options
    run cc $strict consumer.c $(pkg-config --cflags --libs warpline) -Wl,-rpath,"$prefix/$1" -o "$tmp/c_shared" &&
        prints "$tmp/c_shared" "a C program (pkg-config, $1)"
    # shellcheck disable=SC2046 # options
    run c++ -std=c++17 $strict consumer_cxx.cc $(pkg-config --cflags --libs warpline) -Wl,-rpath,"$prefix/$1" -o "$tmp/cxx_shared" &&
        prints "$tmp/cxx_shared" "a C++ program (pkg-config, $1)"
}
pkg_config lib
# shellcheck disable=SC2046 # options
run cc "$source/tests/package/consumer/consumer.c" $(pkg-config --cflags warpline) "$prefix/lib/libwarpline.a" \
    $(pkg-config --static --libs warpline | sed 's/-lwarpline//') -o "$tmp/c_static" && prints "$tmp/c_static" "a static C program (pkg-config)"

run cmake -S "$source" -B "$tmp/multiarch" -DCMAKE_INSTALL_LIBDIR=lib/some-linux-gnu -DWARPLINE_TESTS=OFF -DWARPLINE_MPI=OFF
mkdir -p "$prefix/lib/some-linux-gnu/pkgconfig" && cp -P "$prefix"/lib/libwarpline.* "$prefix/lib/some-linux-gnu/" &&
    cp "$tmp/multiarch/warpline.pc" "$prefix/lib/some-linux-gnu/pkgconfig/"
pkg_config lib/some-linux-gnu

# a library that clang builds does not hand on options that only clang knows
if command -v clang >/dev/null 2>&1; then
    run cmake -S "$source" -B "$tmp/clang" -DCMAKE_C_COMPILER=clang -DWARPLINE_TESTS=OFF -DWARPLINE_MPI=OFF
    grep -n 'fopenmp=' "$tmp/clang/warpline.pc" "$tmp/clang/warplineConfig.cmake" && fail "built by clang: an option for clang is handed on"
fi

# make uninstall
DESTDIR=$tmp/root run cmake --install "$build" --prefix /opt/first
cp "$build/install_manifest.txt" "$tmp/root/opt/first/share/warpline/installed-files.txt" && echo theirs >"$tmp/root/opt/first/lib/theirs"
run make --no-print-directory -C "$source" uninstall PREFIX=/opt/first DESTDIR="$tmp/root"
left=$(cd "$tmp/root" && find . ! -type d)
[ "$left" = ./opt/first/lib/theirs ] || fail "make uninstall leaves: $left"
[ "$(find "$tmp/root" -type d -empty)" = "" ] || fail "make uninstall leaves empty folders"
make --no-print-directory -C "$source" uninstall PREFIX=/opt/first DESTDIR="$tmp/root" >"$tmp/log" 2>&1 && fail "make uninstall removes what is not there"
[ $failures = 0 ] && echo "package: ok"
exit $((failures > 0))
