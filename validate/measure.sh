#!/bin/sh
# measure.sh SOURCE.cu [OUTDIR]: measures every launch of a program of validate/cuda on the GPU of this machine.
#
# Writes to OUTDIR (default: build/measure)
#   NAME.time.csv   times without the profiler: the median over ROUNDS runs (default 5) of the median of LAUNCHES launches
#                   (default 21), and the minimum of all
#   NAME.ncu.csv    the counters of counters.txt, caches flushed before each pass, clocks left alone
#   NAME.csv        both in one table, in the format of validate/data
# Needs nvcc, ncu (with the right to read counters) and a CUDA GPU. NVCC_FLAGS and ARCH change how the program is built;
# MORE=1 also reads the counters of counters_more.txt, TEXTURE=1 those of counters_texture.txt, ROOFLINE=1 those of
# counters_roofline.txt.
set -eu
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
here=$(cd "$(dirname "$0")" && pwd)

die() {
  echo "measure: $*" >&2
  exit 1
}

[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: measure.sh SOURCE.cu [OUTDIR]" >&2; exit 2; }
source=$1
out=${2:-build/measure}
name=$(basename "$source" .cu)
[ -f "$source" ] || die "there is no file $source"
command -v nvcc >/dev/null || die "nvcc is not in the PATH: install the CUDA toolkit"
command -v ncu >/dev/null || die "ncu is not in the PATH: install Nsight Compute"
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
  die "this machine has no CUDA GPU, or its driver does not run (nvidia-smi -L lists none)"
fi

mkdir -p "$out"
binary=$(mktemp "${TMPDIR:-/tmp}/warpline-measure.XXXXXX")
list=$binary.counters
trap 'rm -f "$binary" "$list" "$binary".time.*' EXIT
trap 'exit 1' INT TERM HUP
# shellcheck disable=SC2086  # flags are words
nvcc ${NVCC_FLAGS:--O3} -arch="${ARCH:-sm_90}" -std=c++17 -o "$binary" "$source"

echo "measure: timing the launches of $name" >&2
round=1
while [ "$round" -le "${ROUNDS:-5}" ]; do
  "$binary" time "${LAUNCHES:-21}" >"$binary.time.$round"
  round=$((round + 1))
done
awk -f "$here/rounds.awk" "$binary".time.* >"$out/$name.time.csv"
echo "measure: reading their counters" >&2
cat "$here/counters.txt" ${MORE:+"$here/counters_more.txt"} ${TEXTURE:+"$here/counters_texture.txt"} \
  ${ROOFLINE:+"$here/counters_roofline.txt"} >"$list"
counters=$(awk '!/^(#|$)/ { printf "%s%s", comma, $2; comma = "," }' "$list")
LC_ALL=C ncu --clock-control none -k 'regex:^k_' --csv --page raw --print-units base --metrics "$counters" "$binary" prof \
  >"$out/$name.ncu.csv" 2>"$out/$name.ncu.log" || {
  tail -n 5 "$out/$name.ncu.csv" "$out/$name.ncu.log" >&2
  die "ncu failed"
}
awk -f "$here/join.awk" "$list" "$out/$name.time.csv" "$out/$name.ncu.csv" >"$out/$name.csv.part"
mv "$out/$name.csv.part" "$out/$name.csv"
echo "measure: $out/$name.csv has $(($(wc -l <"$out/$name.csv") - 1)) launches" >&2
