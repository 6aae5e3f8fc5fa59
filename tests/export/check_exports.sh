#!/bin/sh
# check_exports.sh MAKE_EXPORTS CHECK: exports for autotuners and pictures of searches. The exports are run by python3; without it the
# rest is tested and the exit code is 77: skipped.
set -u
make_exports=$1
check=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-export.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
  echo "$1"
  failed=1
}

"$make_exports" "$work" 2>"$work/messages" || fail "make_exports failed: $(cat "$work/messages")"
grep -q 'no launch has a predicted memory volume' "$work/messages" || fail "no message about an empty picture"
[ -e "$work/empty.gp" ] && fail "a script for an empty picture"

grep -qF "set title 'it''s \"3\\n\" # {x} ''; % " "$work/two.gp" || fail "the kernel's name is not quoted"
grep -q "'NVIDIA A100-SXM4-40GB'.': predicted performance of 12 launches'" "$work/two.gp" || fail "the second row has no title"
[ "$(grep -oE "^# bytes/[a-z]+ [a-z]+/s" "$work/two.dat" | tr "\n" ";")" = "# bytes/update updates/s;# bytes/element elements/s;" ] || fail "two.dat lacks points of two spaces"
awk '/^# bytes/ { points = 1 } /^# rank/ { points = 0; rank = 0 } !/^#/ && NF && !points { if ($1 != ++rank || NF != 5) exit 1 }
  !/^#/ && NF && points && ($4 < 1 || NF != 5) { exit 1 }' "$work/two.dat" || fail "two.dat is malformed"

grep -q "45000 launches, 20000 shown" "$work/crowd.gp" || fail "the title does not say that points were left out"
shown=$(awk '/^# rank/ { exit } !/^#/ && NF' "$work/crowd.dat" | wc -l)
[ "$shown" -ge 19990 ] && [ "$shown" -le 20000 ] || fail "$shown points of a crowd"
[ "$(awk '!/^#/ { print $4 } NR > 10 { exit }' "$work/crowd.dat" | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 9 10 " ] ||
  fail "the best of a crowd are missing"
awk '/^# rank/ { exit } !/^#/ && NF { n[int(($4 - 1) / 5000)]++ } END { for (i = 1; i < 9; i++) if (n[i] < 1900) exit 1 }' \
  "$work/crowd.dat" || fail "the rest of a crowd is not thinned out evenly"

# Maps: names are quoted, every space is there, and many launches share few squares.
[ -e "$work/empty.svg" ] && fail "a map of nothing"
grep -qF "it's &quot;3" "$work/two.svg" || fail "the kernel's name is not quoted in the map"
[ "$(grep -c 'class="title"' "$work/two.svg")" = 2 ] || fail "two.svg lacks a space"
grep -q 'predicted time of 45000 launches' "$work/crowd.svg" || fail "the map of a crowd has no title"
[ "$(wc -c <"$work/crowd.svg")" -lt 1000000 ] || fail "the map of a crowd is too large"

# The real one, where there is one, has nothing to complain of.
if command -v gnuplot >/dev/null 2>&1; then
  for name in two crowd; do
    gnuplot "$work/$name.gp" 2>"$work/messages" || fail "gnuplot fails for $name.gp"
    [ -s "$work/messages" ] && fail "gnuplot says of $name.gp: $(cat "$work/messages")"
    [ "$(head -c 4 "$work/$name.png" | tail -c 3)" = PNG ] || fail "$name.png is no picture"
  done
fi

if ! command -v python3 >/dev/null 2>&1; then
  [ $failed = 0 ] && echo "no python3: the exports were written, but not run" && exit 77
else
  PYTHONDONTWRITEBYTECODE=1 python3 "$check" "$work" || failed=1
fi
exit $failed
