#!/bin/sh
# accuracy.sh WARPLINE REPORT SOURCE_ROOT [KEY=VALUE]...: predicts the measured launches that are counted in closed form and fails when
# a family's errors, order or picks are worse than in validate/accuracy.json. KEY=VALUE changes a number of the device.
# WARPLINE_TEST_EFFORT=quick leaves out what takes most of the time; TABLES=fit all but the first.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
set -eu
warpline=$1
report=$2
cd "$3"
shift 3
with=""
for change in "$@"; do with="$with --with $change"; done
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-accuracy.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# compare NAME TABLE [OPTION...]
compare() {
  name=$1
  table=$2
  shift 2
  # shellcheck disable=SC2086 # a list of options
  "$warpline" compare --map validate/families.yaml "validate/data/$table.csv" --device h200 --format json $with "$@" \
    >"$work/$name.json" 2>"$work/log" || { cat "$work/log" >&2; exit 3; }
}

compare fit h200_fit --family star3d --family layer --family lbm_d3q15_pf --family pattern --family transpose
tables="h200_narrow h200_heldout h200_examples"
halves="--family streams"
without="--without lone"
if [ "${WARPLINE_TEST_EFFORT:-full}" != quick ]; then
  tables="$tables h200_fit2 h200_micro2"
  halves="$halves --family lone"
  without=""
fi
if [ "${TABLES:-all}" != fit ]; then
  for table in $tables; do compare $table $table; done
  # shellcheck disable=SC2086 # options
  compare halves h200_halves $halves
fi
# shellcheck disable=SC2086 # options
"$report" check --baseline validate/accuracy.json $without --without box2d_col --without matmul_col \
  --without far --without edges --without spread "$work"/*.json
