#!/bin/sh
# measure_join.sh SOURCE_ROOT: the join of timed launches and counters, on two launches made up, and what must be refused; the form of
# the measured tables; the map from their families to kernel files.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
set -u
root=$(cd "$1" && pwd)
cd "$root/tests/validate" || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-join.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
cat "$root/validate/counters.txt" "$root/validate/counters_more.txt" "$root/validate/counters_texture.txt" \
  "$root/validate/counters_roofline.txt" >"$work/counters"

join() { awk -f "$root/validate/join.awk" "$root/validate/counters.txt" "$1" "$2"; }

# refuses NAME MESSAGE TIMED PROFILED
refuses() {
  if join "$3" "$4" >/dev/null 2>"$work/message"; then
    echo "$1: accepted"
    failed=1
  elif ! grep -q "$2" "$work/message"; then
    echo "$1: said '$(cat "$work/message")', not '$2'"
    failed=1
  fi
}

join tiny.time.csv tiny.ncu.csv >"$work/tiny.csv" && diff tiny.csv "$work/tiny.csv" || failed=1
sed 's/$/\r/' tiny.ncu.csv >"$work/crlf"
join tiny.time.csv "$work/crlf" | diff tiny.csv - || failed=1
sed '$d' tiny.ncu.csv >"$work/short"
refuses "a launch not profiled" "2 launches were timed, 1 profiled" tiny.time.csv "$work/short"
sed '$d' tiny.time.csv >"$work/short.time"
refuses "a launch not timed" "more launches were profiled than the 1 timed ones" "$work/short.time" tiny.ncu.csv
sed 's/,32,8,1,64/,64,4,1,64/' tiny.time.csv >"$work/other.time"
refuses "another block" "launch 2 was timed with block 64,4,1" "$work/other.time" tiny.ncu.csv
sed 's/dram__bytes_read/dram__bytes_red/' tiny.ncu.csv >"$work/lacks"
refuses "a counter missing" "lack dram__bytes_read.sum" tiny.time.csv "$work/lacks"
: >"$work/empty"
refuses "no counters" "2 launches were timed, 0 profiled" tiny.time.csv "$work/empty"

# Times of several runs: the median of each launch, and the least time.
rounds() { awk -f "$root/validate/rounds.awk" "$@" 2>&1; }
made_up() { awk -F, -v OFS=, -v a="$1" -v b="$2" 'NR > 1 { $15 = NR == 2 ? a : b; $16 = $15 - 0.25 } 1' tiny.time.csv; }
made_up 10.5 2.5 >"$work/1"
made_up 9.5 3.5 >"$work/2"
made_up 11.5 1.5 >"$work/3"
rounds "$work/1" "$work/2" "$work/3" | cut -d, -f15,16 | paste -sd' ' - >"$work/times"
[ "$(cat "$work/times")" = "ms_median,ms_min 10.5,9.25 2.5,1.25" ] || { echo "rounds: $(cat "$work/times")"; failed=1; }
rounds "$work/1" "$work/other.time" | grep -q "runs have other launches.*line 3" || { echo "rounds: another block"; failed=1; }
rounds "$work/1" "$work/short.time" | grep -q "line 3 is not in all files" || { echo "rounds: a launch missing"; failed=1; }

# Every table has the columns of the harness and counters of our list, and every launch a row of as many cells.
for table in "$root"/validate/data/*.csv; do
  awk -F, -v table="${table##*/}" '
    FNR == NR { if ($0 !~ /^(#|$)/) { split($0, word, " "); known[word[1]] } next }
    FNR == 1 {
      columns = NF
      n = split("row family variant params bx by bz gx gy gz regs smem blocks_per_sm work", want, " ")
      for (i = 1; i <= n; i++) if ($i != want[i]) { print table ": column " i " is " $i ", not " want[i]; bad = 1 }
      for (i = n + 1; i <= NF; i++) if (!($i in known) && $i !~ /^ms_/) { print table ": unknown column " $i; bad = 1 }
      next
    }
    NF != columns { print table ":" FNR ": " NF " cells, not " columns; bad = 1 }
    END { exit bad }' "$work/counters" "$table" || failed=1
done

# Every family has an entry, every entry a family and an existing file, every kernel file an entry.
map=$root/validate/families.yaml
cut -d, -f2 "$root"/validate/data/*.csv | grep -v '^family$' | sort -u >"$work/measured"
sed -n 's/^- {family: \([^,]*\),.*/\1/p' "$map" | sort -u >"$work/mapped"
diff "$work/measured" "$work/mapped" || failed=1
for kernel in $(sed -n 's/.*kernel: \([^,}]*\).*/\1/p' "$map" | sort -u); do
  [ -f "$root/validate/$kernel" ] || { echo "$map names $kernel, which does not exist"; failed=1; }
done
for kernel in "$root"/validate/kernels/*.yaml; do
  grep -q "kernels/${kernel##*/}" "$map" || { echo "$map does not name ${kernel##*/}"; failed=1; }
done
exit $failed
