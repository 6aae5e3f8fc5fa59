#!/bin/sh
# advice.sh WARPLINE ROOT: what `advise` promises for kernels as first written, against what following it gained on an
# H200 (validate/probes/h200_advice.csv and h200_advice_more.csv, medians). A promise is kept if it is within a third of
# the measured gain. WARPLINE_TEST_EFFORT=quick: with smaller samples of each launch.
set -u
warpline=$1
root=$2
least=24 # promises kept, of 27
effort=""
[ "${WARPLINE_TEST_EFFORT:-full}" = quick ] && effort="--effort 0.1"
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-advice.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# of BEFORE AFTER CAUSE OPTIONS..: the names of both in $table
of() {
  before=$1 after=$2 cause=$3
  shift 3
  "$warpline" advise "$root/validate/ptx/$table.sm_90.ptx" --kernel "${before%% *}" --no-ptxas \
    --device h200 --devices 0 --format json $effort "$@" >"$work/advice.json" 2>"$work/messages" ||
    { cat "$work/messages"; exit 1; }
  promised=$(tr -d '\n' <"$work/advice.json" | grep -oE "\"cause\": *\"$cause\"[^}]*\"gain\": *[0-9.e-]+" | head -n 1 |
    grep -oE '[0-9.e-]+$')
  awk -F, -v before="$before" -v after="$after" -v promised="${promised:-0}" -v cause="$cause" '
    $1 == before { b = $2 }
    $1 == after { a = $2 }
    END {
      if (!(a > 0 && b > 0)) { print before " or " after " was not measured: more than a third"; exit }
      gain = 1 - a / b; off = promised - gain; if (off < 0) off = -off
      printf "%-18s %-11s promised %4.1f %%, measured %4.1f %%%s\n", before, cause, 100 * promised, 100 * gain,
        off <= gain / 3 ? "" : "  <- off by more than a third"
    }' "$root/validate/probes/h200_$table.csv" >>"$work/table"
}

table=advice
of_32() { of "$@" --registers 32; }
n=33554432
of_32 keys_of_records keys_in_a_row sectors --block 256 --grid 131072 --arg buf:1024M --arg buf:1024M --arg $n
of_32 scatter_columns scatter_rows stores --block 32x8 --grid 256x256 --arg buf:1024M --arg buf:1024M --arg 8192
of_32 tile_of_32 tile_of_33 banks --block 32 --grid 65536 --arg buf:1024M --arg buf:1024M
of_32 'two_kinds 0' 'two_kinds 1' divergence --block 256 --grid 16384 --arg buf:1024M --arg 0
of_32 sum_by_threads sum_by_warps atomics --block 256 --grid 16384 --arg buf:1024M --arg buf:256
of_32 polynomial_double polynomial_single precision --block 256 --grid 16384 --arg buf:1024M --arg buf:1024M
of_32 walk_by_one walk_by_two in_flight --block 256 --grid 132 --arg buf:1024M --arg buf:1024M --arg 67584000
of_32 index_each index_pairs overhead --block 256 --grid 1056 --arg buf:1024M --arg buf:1024M --arg 1000 --arg 130 \
  --arg 54067200
of_32 table_global table_shared table --block 256 --grid 1056 --arg buf:1024M=random:u8 --arg buf:1024 --arg buf:1024M
of_32 scale_narrow scale_wide vector --block 256 --grid 16384 --arg buf:1024M --arg buf:1024M
of_32 'scale 32' 'scale 128' block --block 32 --domain $n --arg buf:1024M --arg buf:1024M --arg $n
of_32 'scale twice' two_arrays launch --block 256 --grid 64 --arg buf:1024M --arg buf:1024M --arg 16384

table=advice_more
rows=1048576
all="--arg buf:1024M --arg buf:1024M"
sparse="--arg buf:4194308=iota:u32:0:32 --arg buf:128M=random:u32:0..65535 --arg buf:1024M --arg buf:4M --arg buf:1024M"
walk="--block 128 --grid 8448 $all --arg 108134400"
of exponentials exponentials_half special --block 256 --grid 16384 --registers 31 $all
of forces forces_rsqrt special --block 256 --grid 2112 --registers 22 --arg buf:1024M --arg buf:4M --arg buf:1024M \
  --arg 1000
of sparse_threads sparse_warps sectors --block 256 --grid 4096 --registers 32 $sparse --arg $rows
of segments_threads segments_columns sectors --block 256 --grid 4096 --registers 31 \
  --arg buf:4194308=iota:u32:0:64 $all --arg $rows
of 'walk_shared 100' 'walk_shared 50' shared --registers 12 --dynamic-shared 102400 $walk
of walk_with_rare walk_with_fewer registers --registers 142 $walk --arg 0
of invert_bytes invert_vectors vector --block 256 --grid 1048576 --registers 10 $all
of unrank_each unrank_pairs overhead --block 256 --grid 1056 --registers 31 $all --arg 1000 --arg 130 --arg 200
of moments_by_threads moments_by_warps atomics --block 256 --grid 65536 --registers 12 $all
of groups_by_threads groups_by_warps atomics --block 256 --grid 65536 --registers 8 --arg buf:1024M --arg buf:4M
of tree_of_two tree_of_four barriers --block 1024 --grid 2640 --registers 12 $all --arg 20
of 'long_blocks 1144' 'long_blocks 1056' waves --block 256 --grid 1144 --registers 11 --arg buf:1024M --arg 24000
of digits_local digits_registers local --block 256 --grid 4096 --registers 28 --arg buf:1024M=random:u32 \
  --arg buf:1024M
of transpose_32 transpose_33 banks --block 32x8 --grid 256x256 --registers 32 $all --arg 8192
of 'add_small twice' add_small_twice launch --block 128 --grid 1 --registers 10 $all --arg 1.0
cat "$work/table"
kept=$(grep -vc 'more than a third' "$work/table")
echo "kept: $kept of $(grep -c . "$work/table")"
[ "$kept" -ge "$least" ]
