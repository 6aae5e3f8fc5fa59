#!/bin/sh
# make.sh - compiles cuda/*.cu to the PTX files beside this script; needs nvcc 13 (and clang for the clang_*.ptx).
# The files are committed, so that the tests need no compiler. nvcc has one compiler for sm_100 and later and another
# for what came before: most sources are compiled for both. What differs from a file here in nothing but its .target line is
# not kept: tests/unit/test_ptx_files.c makes it from its twin.
set -eu
cd "$(dirname "$0")"
ptx() { # source, architecture, suffix, options
  source=$1 architecture=$2 suffix=$3
  shift 3
  nvcc -ptx "-arch=sm_$architecture" -std=c++17 --extended-lambda "$@" "cuda/$source.cu" -o - |
    sed 's|"[^"]*/\(cuda/[a-z]*\.cu\)"|"\1"|; s|"/[^"]*/\([^"/]*\)"|"\1"|' >"${source}_sm$architecture$suffix.ptx"
}
twin() { # source, architecture of the file that is kept, other architecture
  ptx "$1" "$3" _twin -O3
  sed "s/^\.target sm_$3\$/.target sm_$2/" "${1}_sm$3_twin.ptx" | cmp - "${1}_sm$2.ptx" || exit 1
  rm "${1}_sm$3_twin.ptx"
}
for source in control memory atomics warps arithmetic scopes printing textures tensor science; do
  ptx $source 80 "" -O3
  ptx $source 100 "" -O3
done
for source in atomics warps tensor; do
  ptx $source 75 "" -O3
done
ptx population 80 "" -O3
ptx hopper 90 "" -O3
ptx loops 90 "" -O3
ptx rows 90 "" -O3
ptx stride 90 "" -O3
ptx iterate 90 "" -O3
ptx seldom 90 "" -O3
ptx slow 90 _lineinfo -O3 -lineinfo
twin control 80 75
twin textures 80 75
twin tensor 80 90
ptx hopper 100 "" -O3
ptx blackwell 100 "" -O3
ptx science 90 _lineinfo -O3 -lineinfo
ptx science 100 _lineinfo -O3 -lineinfo
ptx named 90 _lineinfo -O3 -lineinfo
ptx control 80 _debug -G
ptx printing 100 _debug -G
ptx memory 90 _fast -O3 -rdc=true -use_fast_math -maxrregcount=32
if command -v clang++ >/dev/null; then
  for architecture in 75 60; do # the latter is a twin, too
    clang++ -x cuda --cuda-device-only -S "--cuda-gpu-arch=sm_$architecture" -nocudainc -nocudalib -O2 -Xclang -target-feature \
      -Xclang +ptx63 -Wno-unknown-cuda-version cuda/clang.cc -o "clang_sm$architecture.ptx"
  done
  sed 's/^\.target sm_60$/.target sm_75/' clang_sm60.ptx | cmp - clang_sm75.ptx
  rm clang_sm60.ptx
fi
