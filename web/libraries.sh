#!/bin/sh
# libraries.sh SOURCES PREFIX - compiles libyaml, jansson, cminpack and zstd for WebAssembly into PREFIX, with the files of
# pkg-config that CMakeLists.txt asks for. Without threads, and only what the core calls.
set -eu
sources=$(cd "$1" && pwd)
mkdir -p "$2/include" "$2/lib/pkgconfig" "$2/objects"
prefix=$(cd "$2" && pwd)
[ ! -f "$prefix/complete" ] || exit 0

library() { # library NAME OPTIONS FILE.. - PREFIX/lib/libNAME.a
    name=$1 options=$2
    shift 2
    rm -rf "$prefix/objects/$name" && mkdir -p "$prefix/objects/$name"
    (cd "$prefix/objects/$name" && emcc -O2 -ffp-contract=off -w $options -c "$@" && emar rcs "$prefix/lib/lib$name.a" ./*.o)
}
pc() { # pc FILE VERSION LIBRARY
    printf 'Name: %s\nDescription: for WebAssembly\nVersion: %s\nCflags: -I%s/include\nLibs: -L%s/lib -l%s\n' \
        "$1" "$2" "$prefix" "$prefix" "$3" >"$prefix/lib/pkgconfig/$1.pc"
}
version_of() { # of the folder behind a link
    readlink "$sources/$1" | sed 's/.*-\([0-9.]*\).*/\1/'
}

version=$(version_of yaml)
library yaml "-I$sources/yaml/include -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5
    -DYAML_VERSION_STRING=\"$version\" -DYAML_DECLARE_STATIC" "$sources"/yaml/src/*.c
cp "$sources/yaml/include/yaml.h" "$prefix/include/"
pc yaml-0.1 "$version" yaml

# The two headers that its configure script writes. Numbers are read and written with a point, as everywhere.
config=$prefix/objects/jansson-config
mkdir -p "$config"
cat >"$config/jansson_config.h" <<'END'
#ifndef JANSSON_CONFIG_H
#define JANSSON_CONFIG_H
#define JSON_INLINE inline
#define JSON_INTEGER_IS_LONG_LONG 1
#define JSON_HAVE_LOCALECONV 0
#define JSON_HAVE_ATOMIC_BUILTINS 1
#define JSON_HAVE_SYNC_BUILTINS 1
#define JSON_PARSER_MAX_DEPTH 2048
#endif
END
cat >"$config/jansson_private_config.h" <<'END'
#define HAVE_STDINT_H 1
#define HAVE_UNISTD_H 1
#define HAVE_FCNTL_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_PARAM_H 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_STRTOLL 1
#define HAVE_INT32_T 1
#define HAVE_UINT32_T 1
#define HAVE_UINT16_T 1
#define HAVE_UINT8_T 1
#define HAVE_SSIZE_T 1
#define INITIAL_HASHTABLE_ORDER 3
END
library jansson "-I$config -I$sources/jansson/src -DHAVE_CONFIG_H" "$sources"/jansson/src/*.c
cp "$config/jansson_config.h" "$sources/jansson/src/jansson.h" "$prefix/include/"
pc jansson "$(version_of jansson)" jansson

library cminpack "-I$sources/cminpack -DCMINPACK_NO_DLL" "$sources"/cminpack/lmdif.c "$sources"/cminpack/fdjac2.c \
    "$sources"/cminpack/lmpar.c "$sources"/cminpack/qrfac.c "$sources"/cminpack/qrsolv.c "$sources"/cminpack/enorm.c \
    "$sources"/cminpack/dpmpar.c "$sources"/cminpack/covar.c
cp "$sources/cminpack/cminpack.h" "$prefix/include/"
pc cminpack "$(version_of cminpack)" cminpack

library zstd "-I$sources/zstd/lib -I$sources/zstd/lib/common -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_" \
    "$sources"/zstd/lib/common/*.c "$sources"/zstd/lib/compress/*.c "$sources"/zstd/lib/decompress/*.c
cp "$sources/zstd/lib/zstd.h" "$sources/zstd/lib/zstd_errors.h" "$prefix/include/"
pc libzstd "$(version_of zstd)" zstd
touch "$prefix/complete"
