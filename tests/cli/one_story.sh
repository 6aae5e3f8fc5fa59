#!/bin/sh
# one_story.sh WARPLINE FLATTEN ROOT: what limits a launch is the same in the answer of `predict`, in its JSON, in the sentence
# of the roofline and in the stack, and what `advise` names first concerns it or what comes next. At least 30 kernels, and
# for each cause one that has it. WARPLINE_TEST_EFFORT=quick: with smaller samples of the kernels in PTX, others on one
# device.
set -u
warpline=$1
flatten=$2
root=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-story.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
count=0
effort=""
[ "${WARPLINE_TEST_EFFORT:-full}" = quick ] && effort="--effort 0.1"
: >"$work/causes"
: >"$work/kernels"

fail() {
  echo "$1"
  failed=1
}

# the bounds of a stack by their share, largest first: "dram 0.91"
by_share() {
  "$warpline" stack "$@" --quiet --format json >"$work/stack.json" && "$flatten" "$work/stack.json" |
    sed -n 's/^models\[0\]\.parts\.\([a-z0-9_]*\)\.share = /\1 /p' | awk '
      BEGIN {
        split("issue fp tensor multiply integer atomics launch", same)
        for (i in same) bound[same[i]] = same[i]
        bound["l1_queue"] = "l1"; bound["noc"] = "l2"; bound["dram_queue"] = "dram"
        bound["tail"] = bound["imbalance"] = "idle"
      }
      { share[$1 in bound ? bound[$1] : "latency"] += $2 }
      END { for (b in share) if (b != "idle") print b, share[b] }' | sort -k 2,2gr
}

# which bounds what advice says is about; "any": a change of the launch or of how memory is used
about() {
  case $1 in
  in_flight | barriers) echo latency ;;
  atomics) echo atomics ;;
  precision) echo fp ;;
  special) echo 'fp issue' ;;
  overhead) echo 'issue multiply integer' ;;
  launch) echo launch ;;
  divergence) echo 'issue fp integer multiply' ;;
  *) echo any ;;
  esac
}

# 2 % of the time decide nothing
same_story() {
  count=$((count + 1))
  kernel=$1
  case $* in *--kernel*) kernel=${*##*--kernel }; kernel=${kernel%% *} ;; esac
  echo "$kernel" >>"$work/kernels"
  "$warpline" predict "$@" --quiet >"$work/answer" 2>"$work/messages" || { fail "predict $*: $(cat "$work/messages")"; return; }
  "$warpline" predict "$@" --format json >"$work/predict.json"
  words=$(sed -n 's/^  limited by  \([^,]*\), .*/\1/p' "$work/answer")
  lines=$(grep -c . "$work/answer")
  [ "$lines" -le 12 ] || fail "$*: the answer has $lines lines"
  limiter=$("$flatten" "$work/predict.json" | sed -n 's/.*model\.limiter = "\(.*\)"/\1/p')
  case $limiter in l1_tag) limiter=l1 ;; random) limiter=dram ;; pieces) limiter=l2 ;; esac
  by_share "$@" >"$work/shares"
  awk -v limiter="$limiter" 'NR == 1 { most = $2 } $1 == limiter { own = $2 } END { exit !(own >= most - 0.02) }' "$work/shares" ||
    fail "$*: limited by $limiter, but the stack says $(head -n 2 "$work/shares" | tr '\n' ' ')"
  "$warpline" roofline "$@" --quiet 2>/dev/null | tr '\n' ' ' | tr -s ' ' >"$work/roofline"
  grep -qi "limited by $words " "$work/roofline" || grep -q 'nothing to show\|no roof' "$work/roofline" ||
    [ ! -s "$work/roofline" ] || fail "$*: the roofline says '$(grep -o 'Limited by[^:]*' "$work/roofline")', not '$words'"
  "$warpline" advise "$@" --devices 0 --format json >"$work/advise.json" 2>/dev/null || return
  "$flatten" "$work/advise.json" | sed -n 's/^causes\[[0-9]*\]\.cause = "\(.*\)"/\1/p' >"$work/own"
  cat "$work/own" >>"$work/causes"
  first=$(head -n 1 "$work/own")
  [ -n "$first" ] || return
  concerns=$(about "$first")
  [ "$concerns" = any ] && return
  awk -v list=" $concerns " 'index(list, " " $1 " ") { own += $2 } END { exit !(own >= 0.1) }' "$work/shares" ||
    fail "$*: the first cause is $first, which is not what takes the time: $(head -n 2 "$work/shares" | tr '\n' ' ')"
}

for k in blur3x3 box3d_27pt gather lbm_d3q15_pf lbm_d3q19 star2d_4pt star2d_5pt star3d_7pt star3d_r4 transpose triad vec3 \
  'matmul --set n=256'; do
  same_story $k --device h200 --block 32x8
  [ -n "$effort" ] || same_story $k --device rtx3090 --block 128
done
same_story transpose_tiled --device h200 --block 32x8
same_story triad --device h200 --block 256 --set n=4096
for k in aos aos2soa arith_f32 arith_f64 box27_f32 box9_f64 copy_f16 copy_f32 copy_f64 d2q9 grad hash mix narrow_f32 \
  partial_how1; do
  [ -e "$root/validate/kernels/$k.yaml" ] && same_story "$root/validate/kernels/$k.yaml" --device h200 --block 128
done

# of KERNEL BLOCK GRID ARGUMENT..: one of the pairs of kernels that were measured, before the advice was followed
of() {
  launch="--kernel $1 --block $2 $3"
  shift 3
  for argument; do
    launch="$launch --arg $argument"
  done
  same_story $ptx $launch
}
ptx="$root/validate/ptx/advice.sm_90.ptx --no-ptxas --registers 32 --device h200 $effort"
of keys_of_records 256 '--grid 131072' buf:1024M buf:1024M 33554432
of scatter_columns 32x8 '--grid 64x64' buf:1024M buf:1024M 2048
of tile_of_32 32 '--grid 65536' buf:1024M buf:1024M
of two_kinds 256 '--grid 16384' buf:1024M 0
of sum_by_threads 256 '--grid 16384' buf:1024M buf:256
of polynomial_double 256 '--grid 16384' buf:1024M buf:1024M
of walk_by_one 256 '--grid 132' buf:1024M buf:1024M 67584000
of index_each 256 '--grid 1056' buf:1024M buf:1024M 1000 130 5406720
of table_global 256 '--grid 1056' buf:1024M=random:u8 buf:1024 buf:1024M
of scale_narrow 256 '--grid 16384' buf:1024M buf:1024M
of scale 32 '--domain 33554432' buf:1024M buf:1024M 33554432
ptx="$root/validate/ptx/advice_more.sm_90.ptx --no-ptxas --device h200 $effort"
of exponentials 256 '--grid 16384 --registers 31' buf:1024M buf:1024M
of walk_shared 128 '--grid 8448 --dynamic-shared 100KiB --registers 12' buf:1024M buf:1024M 108134400
of walk_with_rare 128 '--grid 8448 --registers 142' buf:1024M buf:1024M 108134400 0
of invert_bytes 256 '--grid 1048576 --registers 10' buf:1024M buf:1024M
of tree_of_four 256 '--grid 132 --registers 15' buf:1024M buf:1024M 200
of long_blocks 256 '--grid 1144 --registers 11' buf:1024M 2400
of digits_local 256 '--grid 4096 --registers 28' buf:1024M=random:u32 buf:1024M
of add_small 128 '--grid 1 --registers 10' buf:1024M buf:1024M 1.0

kernels=$(sort -u "$work/kernels" | grep -c .)
[ "$kernels" -ge 30 ] || fail "only $kernels kernels"
for cause in $(sed -n 's/^WL_CAUSE([A-Z]*, "\([a-z_]*\)",.*/\1/p' "$root/include/warpline/causes.def"); do
  grep -qx "$cause" "$work/causes" || fail "no launch has the cause $cause"
done
echo "$count launches of $kernels kernels"
exit $failed
