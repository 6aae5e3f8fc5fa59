#!/bin/sh
# make.sh - compiles cuda/*.cu to the PTX files beside this script; needs nvcc 13 (and clang for the clang_*.ptx).
# The files are committed, so that the tests need no compiler. nvcc has one compiler for sm_100 and later and another
# for what came before: most sources are compiled for both.
set -eu
cd "$(dirname "$0")"
ptx() { # source, architecture, suffix, options
  source=$1 architecture=$2 suffix=$3
  shift 3
  nvcc -ptx "-arch=sm_$architecture" -std=c++17 --extended-lambda "$@" "cuda/$source.cu" -o - |
    sed 's|"[^"]*/\(cuda/[a-z]*\.cu\)"|"\1"|; s|"/[^"]*/\([^"/]*\)"|"\1"|' >"${source}_sm$architecture$suffix.ptx"
}
for source in control memory atomics warps arithmetic scopes printing textures tensor science; do
  ptx $source 80 "" -O3
  ptx $source 100 "" -O3
done
for source in control atomics warps tensor textures; do
  ptx $source 75 "" -O3
done
for source in hopper tensor; do
  ptx $source 90 "" -O3
done
ptx hopper 100 "" -O3
ptx blackwell 100 "" -O3
ptx science 90 _lineinfo -O3 -lineinfo
ptx science 100 _lineinfo -O3 -lineinfo
ptx control 80 _debug -G
ptx printing 100 _debug -G
ptx scopes 80 _rdc -O3 -rdc=true
ptx memory 90 _fast -O3 -rdc=true -use_fast_math -maxrregcount=32
if command -v clang++ >/dev/null; then
  for architecture in 60 75; do
    clang++ -x cuda --cuda-device-only -S "--cuda-gpu-arch=sm_$architecture" -nocudainc -nocudalib -O2 -Xclang -target-feature \
      -Xclang +ptx63 -Wno-unknown-cuda-version cuda/clang.cc -o "clang_sm$architecture.ptx"
  done
fi
