#!/bin/sh
# regenerate.sh [NAME ..]: writes NAME.sm_90.ptx from validate/cuda/NAME.cu, the programs that were measured. Needs nvcc;
# the files here are those of nvcc 13.0. For sm_80 it writes the same but for the .target line, which
# tests/unit/test_ptx_kernels.c relies on: another difference is an error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v nvcc >/dev/null || { echo "regenerate: nvcc is not in the PATH: install the CUDA toolkit" >&2; exit 1; }
[ $# -gt 0 ] || set -- fit fit2 data uneven waiting blocked_more staggered steps walks passes texture roofline cache_operators tickets atomic_types row_walks constants chain
cd "$here/../cuda"
ptx() { nvcc -ptx -O3 -std=c++17 -arch="$1" -o - "$2.cu"; }
for name in "$@"; do
  file=$here/$name.sm_90.ptx
  ptx sm_90 "$name" >"$file"
  ptx sm_80 "$name" | sed 's/^\.target sm_80$/.target sm_90/' | cmp - "$file" ||
    { echo "regenerate: $name for sm_80 is other code, to be kept as $name.sm_80.ptx" >&2; exit 1; }
done
