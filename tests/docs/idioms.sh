#!/bin/sh
# idioms.sh WARPLINE SOURCE_ROOT: the kernel files of docs/input.md count what the PTX of the same kernels does.
LC_ALL=C && export LC_ALL
set -u
warpline=$1 root=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-idioms.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
awk -v work="$work" '
  /^```/ { file = $1 == "```yaml" && $2 != "" ? work "/" $2 : ""; next }
  file != "" { print >file }' "$root/docs/input.md"

# Counts and volumes that a kernel file and PTX must agree in, one per line; "-" for one that is not known.
metrics() {
  awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
    { for (i = 1; i <= NF; i++) if (name[i] ~ /^(inst_(global|shared)_(ld|st)$|l1_sectors_(ld|st)$|l[12]_wave|l2_(load|store)|dram_load)/) print name[i], $i == "" ? "-" : $i }'
}
failed=0 found=0
same() { # NAME EXCEPT TOLERANCE BLOCK GRID ARGUMENT..: all metrics but those that EXCEPT matches
  name=$1 except=$2 tolerance=$3 block=$4 grid=$5 && shift 5
  "$warpline" predict "$work/$name.yaml" --device h200 --block "$block" --format csv >"$work/file.csv" || failed=1
  "$warpline" predict "$root/examples/idioms.ptx" --kernel "$name" --device h200 --no-ptxas --effort 20 --block "$block" \
    --grid "$grid" "$@" --format csv >"$work/ptx.csv" || failed=1
  metrics <"$work/file.csv" >"$work/file"
  metrics <"$work/ptx.csv" >"$work/ptx"
  paste -d ' ' "$work/file" "$work/ptx" | awk -v name="$name" -v except="$except" -v tolerance="$tolerance" '
    $1 ~ except || ($2 == "-" && $4 == 0) { next } # without shared memory its counts are 0, or not known
    { known += $2 != "-"; off = $2 - $4; if (off < 0) off = -off }
    $1 != $3 || $2 == "-" || $4 == "-" || off > tolerance * $4 { print name ": " $1 ": file " $2 ", PTX " $4; bad = 1 }
    END { if (known < 7) { print name ": " known + 0 " metrics known"; bad = 1 } exit bad }' || failed=1
  found=$((found + 1))
}
same row_walk none 1e-9 128 512 --arg buf:256K --arg buf:32M --arg 65536 --arg 128
same grid_stride none 1e-9 256 264 --arg buf:4M --arg buf:4M --arg 1000000
# The compiler predicates the body of the tree: warps without a lane in it execute it, too.
same reduction 'shared|l1_wavefronts' 1e-9 256 264 --arg buf:4K --arg buf:4M --arg 1000000
same tile_loop none 1e-9 16x16 32x32 --arg buf:1M --arg buf:1M --arg buf:1M --arg 512
# The assembler unrolls the loop by four; lanes whose trip counts differ leave it one after the other.
same triangle none 0.015 128 16 --arg buf:8K --arg buf:16M --arg 2048
files=$(find "$work" -name '*.yaml' | wc -l)
[ "$found" -eq "$files" ] || { echo "docs/input.md: $files kernel files, $found of them compared"; failed=1; }
exit $failed
