#!/bin/sh
# atomic_types.sh WARPLINE ROOT: times of atomics by type, and wavefronts of threads that walk rows of their own, predicted
# from PTX, against those measured on an H200 (validate/probes/h200_atomic_types.csv, h200_row_walks.csv).
set -u
warpline=$1
root=$2
time_each=1.3       # factor between predicted and measured times
wavefronts_each=1.2 # of wavefronts; of stores by few warps, which the L1 splits in part, 1.5
few_each=1.5
gap=4.9 # us that a launch takes between two events of the host
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-types.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# number NAME: of the prediction
number() { grep -oE "\"$1\": *(\{\"value\": *)?[0-9.e+-]+" "$work/prediction.json" | head -n 1 | grep -oE '[0-9.e+-]+$'; }
predict() {
  "$warpline" predict "$@" --no-ptxas --device h200 --format json --effort 0.1 >"$work/prediction.json" 2>"$work/messages" ||
    { cat "$work/messages"; exit 1; }
}
# line WHAT PREDICTED MEASURED MOST
line() {
  awk -v what="$1" -v p="$2" -v m="$3" -v most="$4" 'BEGIN {
    r = p / m; off = r < 1 ? 1 / r : r
    printf "%-40s predicted %10.1f, measured %10.1f: %.2f%s\n", what, p, m, r, off <= most ? "" : "  <- more than a factor of " most }' \
    >>"$work/table"
}

# change OPERATION RESULT WORDS ENTRY VALUE
change() {
  measured=$(awk -F, -v o="$1" -v r="$2" -v w="$3" '$1 == o && $2 == r && $3 == w { print $5 }' "$root/validate/probes/h200_atomic_types.csv")
  words=$3
  [ "$words" -ge 0 ] || words=$((4294967296 + words))
  predict "$root/validate/ptx/atomic_types.sm_90.ptx" --kernel "k_change<$4>" --block 256 --grid 4096 \
    --arg buf:64M --arg "$words" --arg "$5" --arg buf:16M
  line "$1 on $3 words" "$(awk -v s="$(number time_s)" -v g=$gap 'BEGIN { print s * 1e6 + g }')" "$measured" $time_each
}
for words in 0 2 8 32 256 262144; do
  change f32.add 0 "$words" 'float, (Op)0, false' 1.0
  change f64.add 0 "$words" 'double, (Op)0, false' 1.0
done
for words in -8 2 32 4194304; do change u32.add 0 "$words" 'unsigned int, (Op)0, false' 3; done
change u64.add 1 256 'unsigned long long, (Op)0, true' 3

# walk OPERATION NUMBER BLOCKS THREADS LANE STEP STEPS AGAIN MOST
walk() {
  measured=$(awk -F, -v o="$1" -v b="$3" -v t="$4" -v l="$5" -v s="$6" -v n="$7" -v a="$8" \
    '$1 == o && $2 == b && $3 == t && $4 == l && $5 == s && $6 == n && $7 == a { print $10 }' "$root/validate/probes/h200_row_walks.csv")
  predict "$root/validate/ptx/row_walks.sm_90.ptx" --kernel "k_walk<(Op)$2>" --block "$4" --grid "$3" \
    --arg buf:1G --arg "$5" --arg "$6" --arg "$7" --arg "$8" --arg buf:4096
  line "$1 $5 $6 by $3 blocks, wavefronts" "$(number l1_wavefronts)" "$measured" "$9"
}
for lane in 20004 16384; do
  walk load 0 132 256 $lane 4 256 1 $wavefronts_each
  walk store 1 132 256 $lane 4 256 1 $wavefronts_each
  walk swap 2 132 256 $lane 4 256 1 $few_each
done
walk load 0 132 256 160 4 32 8 $wavefronts_each
walk store 1 132 256 160 4 32 8 $wavefronts_each
walk store 1 10 256 4 131072 64 1 $wavefronts_each

cat "$work/table"
! grep -q 'more than a factor' "$work/table"
