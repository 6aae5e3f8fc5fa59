#!/bin/sh
# advice.sh WARPLINE ROOT: what `advise` promises for kernels as first written, against what following it gained on an
# H200 (validate/probes/h200_advice.csv, medians). A promise is kept if it is within a third of the measured gain.
set -u
warpline=$1
root=$2
least=9 # promises kept, of twelve
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-advice.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# of BEFORE AFTER CAUSE OPTIONS..: the names of both in the table
of() {
  before=$1 after=$2 cause=$3
  shift 3
  "$warpline" advise "$root/validate/ptx/advice.sm_90.ptx" --kernel "${before%% *}" --no-ptxas --registers 32 \
    --device h200 --devices 0 --format json "$@" >"$work/advice.json" 2>"$work/messages" ||
    { cat "$work/messages"; exit 1; }
  promised=$(tr -d '\n' <"$work/advice.json" | grep -oE "\"cause\": *\"$cause\"[^}]*\"gain\": *[0-9.e-]+" | head -n 1 |
    grep -oE '[0-9.e-]+$')
  awk -F, -v before="$before" -v after="$after" -v promised="${promised:-0}" -v cause="$cause" '
    $1 == before { b = $2 }
    $1 == after { a = $2 }
    END {
      gain = 1 - a / b; off = promised - gain; if (off < 0) off = -off
      printf "%-18s %-11s promised %4.1f %%, measured %4.1f %%%s\n", before, cause, 100 * promised, 100 * gain,
        off <= gain / 3 ? "" : "  <- off by more than a third"
    }' "$root/validate/probes/h200_advice.csv" >>"$work/table"
}

n=33554432
of keys_of_records keys_in_a_row sectors --block 256 --grid 131072 --arg buf:1024M --arg buf:1024M --arg $n
of scatter_columns scatter_rows stores --block 32x8 --grid 256x256 --arg buf:1024M --arg buf:1024M --arg 8192
of tile_of_32 tile_of_33 banks --block 32 --grid 65536 --arg buf:1024M --arg buf:1024M
of 'two_kinds 0' 'two_kinds 1' divergence --block 256 --grid 16384 --arg buf:1024M --arg 0
of sum_by_threads sum_by_warps atomics --block 256 --grid 16384 --arg buf:1024M --arg buf:256
of polynomial_double polynomial_single precision --block 256 --grid 16384 --arg buf:1024M --arg buf:1024M
of walk_by_one walk_by_two in_flight --block 256 --grid 132 --arg buf:1024M --arg buf:1024M --arg 67584000
of index_each index_pairs overhead --block 256 --grid 1056 --arg buf:1024M --arg buf:1024M --arg 1000 --arg 130 \
  --arg 54067200
of table_global table_shared table --block 256 --grid 1056 --arg buf:1024M=random:u8 --arg buf:1024 --arg buf:1024M
of scale_narrow scale_wide vector --block 256 --grid 16384 --arg buf:1024M --arg buf:1024M
of 'scale 32' 'scale 128' block --block 32 --domain $n --arg buf:1024M --arg buf:1024M --arg $n
of 'scale twice' two_arrays launch --block 256 --grid 64 --arg buf:1024M --arg buf:1024M --arg 16384
cat "$work/table"
kept=$(grep -vc 'more than a third' "$work/table")
echo "kept: $kept of $(grep -c . "$work/table")"
[ "$kept" -ge "$least" ]
