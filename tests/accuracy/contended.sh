#!/bin/sh
# contended.sh WARPLINE ROOT: times of validate/cuda/contended.cu, predicted from PTX, against those measured on an H200
# (validate/probes/h200_contended.csv). These kernels judge laws that were found on others: loops of compare-and-swap,
# slices of the L2, stores that are too late to combine, predicated accesses.
set -u
warpline=$1
root=$2
most=1.25 # mean factor between predicted and measured times
each=1.75 # and of a single one
effort="" # WARPLINE_TEST_EFFORT=quick: smaller samples of each launch
[ "${WARPLINE_TEST_EFFORT:-full}" = quick ] && effort="--effort 0.2"
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-contended.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# of NAME OPTIONS..: the name in the table, of which the first word is the kernel's
of() {
  name=$1
  shift
  "$warpline" predict "$root/validate/ptx/contended.sm_90.ptx" --kernel "${name%% *}" --no-ptxas --registers 24 \
    --device h200 --format json $effort "$@" >"$work/prediction.json" 2>"$work/messages" || { cat "$work/messages"; exit 1; }
  seconds=$(grep -oE '"time_s": *[0-9.e-]+' "$work/prediction.json" | head -n 1 | grep -oE '[0-9.e-]+$')
  awk -F, -v name="$name" -v seconds="$seconds" -v each=$each '
    $1 == name {
      ratio = seconds * 1e6 / $2; off = ratio < 1 ? 1 / ratio : ratio
      printf "%-24s predicted %8.1f us, measured %8.1f us: %.2f%s\n", name, seconds * 1e6, $2, ratio,
        off <= each ? "" : "  <- more than a factor of " each
      found = 1
    }
    END { if (!found) print name " was not measured  <- more than a factor" }' \
    "$root/validate/probes/h200_contended.csv" >>"$work/table"
}

all="--arg buf:1024M --arg buf:1024M"
keys="--arg buf:256M=random:u8 --arg buf:1024M --arg buf:1024M --arg 64"
of histogram_weights --block 256 --grid 1056 $keys
of histogram_doubles --block 256 --grid 1056 $keys
of histogram_counts --block 256 --grid 1056 $keys
of rows_of_eight --block 256 --grid 65536 $all
of sum_of_few --block 256 --grid 65536 --arg buf:1024M=random:f32:0.5..0.75 --arg buf:1024M --arg 0.74
of place_of_largest --block 256 --grid 65536 --arg buf:256M=random:u32 --arg buf:1024M
of move_points --block 256 --grid 65536 $all --arg 2.0
of move_points_restrict --block 256 --grid 65536 $all --arg 2.0
of scale_eight --block 256 --grid 8192 $all
of scale_four_restrict --block 256 --grid 16384 $all
of pair_of_doubles --block 256 --grid 16384 $all
of tree_of_256 --block 256 --grid 10560 $all --arg 20
of prefix_sums --block 512 --grid 5280 $all --arg 20
for groups in 37 1000; do
  of "sums_of_groups $groups" --block 256 --grid 16384 $all --arg $groups
done
of 'sums_of_groups 100000' --block 256 --grid 65536 $all --arg 100000
of 'sums_of_eights 1000' --block 256 --grid 16384 $all --arg 1000
for mask in 255 1023 65535; do
  of "counts_of_keys $mask" --block 256 --grid 16384 --arg buf:256M=random:u32 --arg buf:1024M --arg $mask
done
for mask in 7 31; do
  of "counts_of_keys $mask" --block 256 --grid 4096 --arg buf:256M=random:u32 --arg buf:1024M --arg $mask
done
for lines in 1 8 16; do
  of "one_of_warp $lines 32" --block 256 --grid 16384 $all --arg $lines --arg 32
done
cat "$work/table"
awk -v most=$most '
  { ratio = $0; sub(/.*us: /, "", ratio); l = log(ratio + 0); sum += l < 0 ? -l : l; n++ }
  END { mean = exp(sum / n); printf "mean factor: %.2f of %d launches\n", mean, n; exit mean > most }' "$work/table" &&
  ! grep -q 'more than a factor' "$work/table"
