#!/bin/sh
# regenerate.sh [NAME ..]: writes NAME.sm_80.ptx and NAME.sm_90.ptx from validate/cuda/NAME.cu, the programs that were
# measured. Needs nvcc; the files here are those of nvcc 13.0.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v nvcc >/dev/null || { echo "regenerate: nvcc is not in the PATH: install the CUDA toolkit" >&2; exit 1; }
[ $# -gt 0 ] || set -- fit fit2 data
for name in "$@"; do
  for arch in sm_80 sm_90; do
    (cd "$here/../cuda" && nvcc -ptx -O3 -std=c++17 -arch="$arch" -o "$here/$name.$arch.ptx" "$name.cu")
  done
done
