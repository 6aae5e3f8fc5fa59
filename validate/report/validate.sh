#!/bin/sh
# validate.sh BUILD JOBS DATE: compares every measured table with the predictions, fits without each family, and writes
# docs/accuracy.md, the pictures it shows (docs/plots), validate/accuracy.json, accuracy_ptx.json and accuracy_others.json. What the
# pictures are drawn from is in build/validate/plots. Started by `make validate`; no GPU needed. With REPORT_ONLY=1 in
# the environment the comparisons of the last run are reported again.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
set -eu
build=$1
jobs=$2
date=$3
out=build/validate
map=validate/families.yaml
tables="h200_fit h200_fit2 h200_micro h200_micro2 h200_narrow h200_halves h200_heldout h200_examples h200_schedules h200_regular"
fitted="star3d layer lbm_d3q15_pf star7 box9 copy aos aos2soa arith stream mix star3d_small narrow"
if [ -z "${REPORT_ONLY:-}" ]; then
  rm -rf "$out"
  mkdir -p "$out"
fi

# A step is a line: NAME ARGUMENTS. What is evaluated thread by thread takes longest, so it comes first and in its own steps.
steps() {
  families=""
  for family in $fitted; do families="$families --family $family"; done
  echo "fit fit --map $map validate/data/h200_fit.csv validate/data/h200_fit2.csv validate/data/h200_micro.csv" \
    "validate/data/h200_micro2.csv validate/data/h200_narrow.csv --device h200 --min-time 20us --date $date --cross-validate$families"
  for model in turnover limiter; do
    for family in matmul_col box2d_col; do
      echo "$model.h200_fit.$family compare --map $map validate/data/h200_fit.csv --family $family --device h200 --model $model"
    done
    echo "$model.h200_micro compare --map $map validate/data/h200_micro.csv --device h200 --model $model"
  done
  for model in turnover limiter; do
    echo "$model.h200_fit.0 compare --map $map validate/data/h200_fit.csv --family star3d --family layer --family lbm_d3q15_pf" \
      "--family transpose --family pattern --device h200 --model $model"
    for table in $tables; do
      case $table in h200_fit | h200_micro) ;; *) echo "$model.$table compare --map $map validate/data/$table.csv --device h200 --model $model" ;; esac
    done
  done
}

# shellcheck disable=SC2016 # the words are those of the inner shell
export OUT="$out" WARPLINE="$build/warpline"
[ -n "${REPORT_ONLY:-}" ] || steps | xargs -P "$jobs" -I{} sh -c '
  set -- {}
  name=$1
  shift
  start=$(date +%s)
  "$WARPLINE" "$@" --format json >"$OUT/$name.json" 2>"$OUT/$name.log" || { echo "validate: $name failed:"; cat "$OUT/$name.log"; exit 1; }
  echo "  $name: $(($(date +%s) - start)) s"
' || exit 1

mkdir -p "$out/plots"
cp validate/plots/*.gp "$out/plots"
drawn=""
if command -v gnuplot >/dev/null 2>&1; then drawn=--drawn; fi
comparisons=""
limiters=""
for table in $tables; do
  for file in "$out/turnover.$table.json" "$out/turnover.$table".*.json; do [ ! -f "$file" ] || comparisons="$comparisons $file"; done
  for file in "$out/limiter.$table.json" "$out/limiter.$table".*.json; do [ ! -f "$file" ] || limiters="$limiters --limiter $file"; done
done
# shellcheck disable=SC2086 # lists of words
"$build/warpline_report" write --date "$date" --fit "$out/fit.json" --explanations validate/report/explanations.yaml --map "$map" \
  --plots "$out/plots" $drawn --baseline validate/accuracy.json $limiters $comparisons >"$out/accuracy.md"

# Launches from PTX: sections of their own, before the plots, and rows at the end of the table of bars.
again=""
if [ -n "${REPORT_ONLY:-}" ]; then
  again=--again
else
  mkdir -p "$out/data"
  "$build/warpline_make_data" "$out/data"
  start=$(date +%s)
fi
python3 validate/ptx/report.py "$build/warpline" --data "$out/data" --jobs "$jobs" --results "$out/ptx.json" $again \
  --numbers validate/accuracy_ptx.json --bars "$out/bars.md" >"$out/ptx.md" || { echo "validate: the report of kernels from PTX failed"; exit 1; }
[ -n "$again" ] || echo "  from PTX: $(($(date +%s) - start)) s"
# Kernels of today: a table, after those.
python3 -B validate/report/todays_kernels.py "$build/warpline" >"$out/today.md" || { echo "validate: the report of today's kernels failed"; exit 1; }
# All time models on one sample of launches: a table, after that.
start=$(date +%s)
python3 -B validate/report/time_models.py "$build/warpline" --data "$out/data" --jobs "$jobs" >"$out/models.md" ||
  { echo "validate: the report of all time models failed"; exit 1; }
echo "  all time models: $(($(date +%s) - start)) s"
# What others have measured on other GPUs: a section per GPU, after those.
python3 -B validate/others/others_report.py "$build/warpline" --out "$out/others" --numbers validate/accuracy_others.json >"$out/others.md" ||
  { echo "validate: the report of other GPUs failed"; exit 1; }
awk -v section="$out/ptx.md" -v today="$out/today.md" -v models="$out/models.md" -v others="$out/others.md" -v bars="$out/bars.md" '
  function copy(file, line) { while ((getline line <file) > 0) print line }
  /^## / { in_bars = /^## Bars/; rows = 0 }
  in_bars && rows && !/^\|/ { copy(bars); in_bars = 0 }
  in_bars && /^\|/ { rows++ }
  /^## Plots/ { copy(section); print ""; copy(today); copy(models); copy(others) }
  { print }' "$out/accuracy.md" | awk -f validate/report/wrap.awk >docs/accuracy.md

draw() { # SCRIPT [NAME]; a series without points is no matter
  (cd "$out/plots" && gnuplot -c "$@" 2>&1) | { grep -v -e 'no valid points' -e '^[[:space:]]*$' || :; } >&2
}
if [ -n "$drawn" ]; then
  for name in star3d layer lbm star7 box9 heldout; do draw scatter.gp $name; done
  for name in composition_star3d l1_reload layer_condition time_star3d; do draw $name.gp; done
  sed -n 's/^!\[.*](\(plots\/.*\.svg\))$/\1/p' docs/accuracy.md | while read -r picture; do cp "$out/$picture" docs/plots; done
else
  echo "validate: gnuplot is not there: the plots are not drawn; scripts and data are in $out/plots"
fi
missed=$(grep -c '| \*\*fail\*\* |' docs/accuracy.md || :)
open=$(grep -c '| \*\*open\*\* |' docs/accuracy.md || :)
left_out=$(sed -n '/^## One family left out/,/^## Turnover/p' docs/accuracy.md | grep -o ' fail |' | wc -l)
echo "wrote docs/accuracy.md, docs/plots and validate/accuracy*.json; bars missed: $missed, open: $open, with the family left out: $left_out"
