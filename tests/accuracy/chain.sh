#!/bin/sh
# chain.sh WARPLINE ROOT: blocks that wait for what earlier blocks tell them, of validate/cuda/chain.cu, predicted from PTX,
# against those measured on an H200 (validate/probes/h200_chain.csv). WARPLINE_TEST_EFFORT=quick: one launch of each kind.
# Not here: launches with other work before they tell it, which takes too long to rehearse. SPDX-License-Identifier: MIT
set -u
warpline=$1
root=$2
most=1.15 # mean factor between predicted and measured times
each=1.4  # and of a single one
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-chain.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
# the word of the first block says 1
{ printf '\001'; head -c 524287 /dev/zero; } >"$work/state"

fits="1 2 4 8" rounds="1 4" effort=1
if [ "${WARPLINE_TEST_EFFORT:-full}" = quick ]; then
  fits=1 rounds=1 effort=0.2
fi
for fit in $fits; do
  for round in $rounds; do
    blocks=$((132 * fit * round)) number=0
    for kind in none atomic load look_1 look_32; do
      "$warpline" predict "$root/validate/ptx/chain.sm_90.ptx" --kernel "k_chain<$number>" --device h200 --format json \
        --block 256 --grid $blocks --dynamic-shared $((227 * 1024 / fit - 2048)) --arg "buf:524288=$work/state" \
        --arg buf:262144 --arg 0 --arg 0.5 --effort $effort >"$work/prediction.json" 2>"$work/messages" ||
        { cat "$work/messages"; exit 1; }
      number=$((number + 1))
      value() { grep -oE "\"$1\": *[0-9.e-]+" "$work/prediction.json" | head -n 1 | grep -oE '[0-9.e-]+$'; }
      awk -F, -v row="$kind,256,$fit,$blocks,0" -v time="$(value time_s)" -v gap="$(value launch_gap_s)" -v each=$each '
        index($0, row ",") == 1 {
          predicted = (time + gap) * 1e6; ratio = predicted / $6; off = ratio < 1 ? 1 / ratio : ratio
          printf "%-24s predicted %8.1f us, measured %8.1f us: %.2f%s\n", row, predicted, $6, ratio,
            off <= each ? "" : "  <- more than a factor of " each
          found = 1
        }
        END { if (!found) print row " was not measured  <- more than a factor" }' \
        "$root/validate/probes/h200_chain.csv" >>"$work/table"
    done
  done
done
cat "$work/table"
awk -v most=$most '{ ratio = $NF ~ /^[0-9.]+$/ ? $NF : 9; off = ratio < 1 ? 1 / ratio : ratio; sum += log(off); n++ }
  /<- more/ { bad = 1 }
  END { mean = exp(sum / n); printf "%d launches, mean factor %.3f\n", n, mean; exit bad || mean > most }' "$work/table"
