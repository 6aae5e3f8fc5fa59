#!/bin/sh
# papers.sh WARPLINE SOURCE_ROOT: docs/papers.md has every published number of
# validate/published/paper_*.csv and every picture; numbers that no change of the time model moves
# are those of the page when computed again; a sample of its commands works. A page with another
# published number, or without a figure, is noticed.
LC_ALL=C && export LC_ALL # numbers are the same in every locale
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3" && exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-papers.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
check() { python3 -B "$2/validate/papers/papers.py" "$1" --check --jobs 2 --out "$3"; }

check "$1" "$2" "$2/docs/papers.md" || exit 1

# wrong WHAT SED-SCRIPT MESSAGE: a page that is wrong is noticed, with this message
wrong() {
  sed "$2" "$root/docs/papers.md" >"$work/papers.md"
  check "$warpline" "$root" "$work/papers.md" >"$work/said" && { echo "$1: not noticed"; exit 1; }
  grep -q "$3" "$work/said" || { echo "$1: another message:"; cat "$work/said"; exit 1; }
}
warpline=$1 root=$2
wrong "another published number" 's/^| L2 | 93.6 GTXN/| L2 | 93.7 GTXN/' 'figure 1: the ceilings: no row'
wrong "a figure less" 's/^### Warpspeed, figure 24:/### Warpspeed, figure 99:/' 'has no section "Warpspeed, figure 24'
wrong "a picture that is not there" 's,papers/warpspeed_2.svg,papers/warpspeed_0.svg,' 'warpspeed_0.svg is missing'
wrong "another number of ours" 's/^| HBM | 25.9 GTXN.s | [0-9.]*/| HBM | 25.9 GTXN\/s | 24.8/' 'computed again'
