#!/bin/sh
# build.sh FOLDER WORK [JOBS] - the page, into FOLDER, from web/ and the C sources; WORK keeps what was compiled. Needs emscripten,
# cmake, pkg-config and python3. The libraries of the core are compiled from Debian's sources (web/fetch-sources.sh).
set -eu
for tool in emcc emcmake cmake pkg-config python3; do
    command -v $tool >/dev/null 2>&1 || { echo "web: $tool is not there; on Debian: apt-get install emscripten cmake pkg-config python3" >&2; exit 1; }
done
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1" "$2"
folder=$(cd "$1" && pwd)
work=$(cd "$2" && pwd)
jobs=${3:-1}

# Debian's modules of node, for another node than Debian's
NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH} && export NODE_PATH

step() { # step LOG COMMAND.. - quiet unless it fails
    log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; echo "web: '$*' failed; all of it is in $log" >&2; exit 1; }
}

sh "$root/web/fetch-sources.sh" "$work/sources"
step libraries sh "$root/web/libraries.sh" "$work/sources" "$work/prefix"

# The command line as it is, without threads: -sEXIT_RUNTIME writes out what stdio holds, and no signal or program is there.
# Doubles are those of IEEE 754 as everywhere; the memory grows up to what 32 bits can address.
flags="-O2 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sINITIAL_MEMORY=32MB -sTOTAL_STACK=4MB -Wl,--stack-first"
flags="$flags -sMODULARIZE=1 -sEXPORT_NAME=warplineTool -sINVOKE_RUN=0 -sENVIRONMENT=web,worker,node -sFILESYSTEM=1"
flags="$flags -sEXPORTED_RUNTIME_METHODS=FS,callMain,ENV -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 -sDYNAMIC_EXECUTION=0"
step alone emcc -O2 -Wall -Wextra -c "$root/web/alone.c" -o "$work/alone.o"
step configure env PKG_CONFIG_LIBDIR="$work/prefix/lib/pkgconfig" PKG_CONFIG_PATH= emcmake cmake -S "$root" -B "$work/core" \
    -DCMAKE_BUILD_TYPE=Release -DWARPLINE_TESTS=OFF -DWARPLINE_MPI=OFF -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON \
    -DCMAKE_EXE_LINKER_FLAGS="-L$work/prefix/lib $work/alone.o $flags"
step core nice cmake --build "$work/core" -j "$jobs" --target warpline_cli

# What the licences of all that is inside want to be said
{
    printf 'Warpline\n\n' && cat "$root/LICENSE"
    for part in yaml/License jansson/LICENSE cminpack/CopyrightMINPACK.txt zstd/LICENSE; do
        printf '\n\n%s\n\n' "${part%/*}" && cat "$work/sources/$part"
    done
    printf '\n\nemscripten: 2010-2022 The Emscripten Authors, the MIT licence as above. Its C library is musl:\n\n'
    cat "$(em-config EMSCRIPTEN_ROOT)/system/lib/libc/musl/COPYRIGHT"
} >"$work/licences.txt" || { echo "web: a licence is not where it was" >&2; exit 1; }

python3 -B "$root/web/bundle.py" "$work/core" "$folder"
