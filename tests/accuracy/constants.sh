#!/bin/sh
# constants.sh WARPLINE ROOT: loads from constant memory and from parameters whose lanes have addresses of their own, of
# validate/cuda/constants.cu, predicted from PTX, against those measured on an H200 (validate/probes/h200_constants.csv).
# WARPLINE_TEST_EFFORT=quick: three launches. Not here: strides by which lines meet in one set of the cache, tables much
# larger than it. SPDX-License-Identifier: MIT
set -u
warpline=$1
root=$2
most=1.15 # mean factor between predicted and measured times
each=1.4  # and of a single one
clock=1.98 # GHz
effort=1
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-constants.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# of ROW NUMBER MEMBER KERNEL OPTIONS..: the start of a row of the table, what of it is in microseconds, or nothing: cycles
# of 2 x 512 trips; the member of the model's answer
of() {
  row=$1 loads=$2 kernel=$3
  shift 3
  "$warpline" predict "$root/validate/ptx/constants.sm_90.ptx" --kernel "$kernel" --no-ptxas --registers 24 --device h200 \
    --format json --effort $effort "$@" >"$work/prediction.json" 2>"$work/messages" || { cat "$work/messages"; exit 1; }
  number() { grep -oE "\"$1\": *[0-9.e-]+" "$work/prediction.json" | head -n 1 | grep -oE '[0-9.e-]+$'; }
  awk -F, -v row="$row" -v time="$(number time_s)" -v gap="$(number launch_gap_s)" -v loads="$loads" -v clock=$clock \
    -v each=$each '
    index($0, row ",") == 1 {
      measured = loads > 0 ? $9 * loads / clock / 1e3 : $10
      predicted = (loads > 0 ? time : time + gap) * 1e6
      ratio = predicted / measured; off = ratio < 1 ? 1 / ratio : ratio
      printf "%-40s predicted %8.1f us, measured %8.1f us: %.2f%s\n", row, predicted, measured, ratio,
        off <= each ? "" : "  <- more than a factor of " each
      found = 1
      exit
    }
    END { if (!found) print row " was not measured  <- more than a factor" }' \
    "$root/validate/probes/h200_constants.csv" >>"$work/table"
}

words_of="1 2 4 8 16 64 256" addresses_of="4 8 16 32" warps_of="4 8 16" parameters="8 32"
if [ "${WARPLINE_TEST_EFFORT:-full}" = quick ]; then
  words_of=4 addresses_of=8 warps_of=4 parameters= effort=0.1
fi
for words in $words_of; do
  of "picked,4,$words,4,data,$((4 * words)),64,0" 0 k_picked --block 256 --grid 1056 --arg buf:16777216=random:u8 \
    --arg buf:64M --arg 16777216 --arg $((words - 1))
done
to="--arg buf:64M --arg buf:4096"
for addresses in $addresses_of; do
  for warps in $warps_of; do
    of "table,4,$addresses,4,modulo,0,$warps,0" 8192 'k_table<int, false>' --block $((32 * warps)) --grid 132 \
      --arg 0 --arg $addresses --arg 4 --arg 0 --arg 65532 $to
  done
  of "table,4,$addresses,4,modulo,0,1,1" 1024 'k_table<int, true>' --block 32 --grid 132 \
    --arg 0 --arg $addresses --arg 4 --arg 0 --arg 65532 $to
done
for addresses in $parameters; do
  of "parameter,4,$addresses,4,modulo,0,16,0" 8192 'k_parameter<int, false>' --block 512 --grid 132 \
    --arg "bytes:$(printf '%07168d' 0)" --arg 0 --arg $addresses --arg 4 --arg 0 --arg 3583 $to
done
cat "$work/table"
awk -v most=$most '{ ratio = $NF ~ /^[0-9.]+$/ ? $NF : 9; off = ratio < 1 ? 1 / ratio : ratio; sum += log(off); n++ }
  /<- more/ { bad = 1 }
  END { mean = exp(sum / n); printf "%d launches, mean factor %.3f\n", n, mean; exit bad || mean > most }' "$work/table"
