#!/bin/sh
# readme.sh WARPLINE SOURCE_ROOT: what README.md says that commands print is what they print.
LC_ALL=C && export LC_ALL
set -u
warpline=$1
readme=$2/README.md
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-readme.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# Blocks that start with a command become N.command and N.output.
awk -v work="$work" '
  /^```/ { inside = !inside; shown = 0; first = inside; next }
  first { first = 0; if (sub(/^\$ build\/release\/warpline /, "")) { shown = 1; n++; print >(work "/" n ".command"); next } }
  shown { print >(work "/" n ".output") }' "$readme"
failed=0
found=0
for command in "$work"/*.command; do
  [ -f "$command" ] || continue
  found=$((found + 1))
  # shellcheck disable=SC2046 # the words of the command
  "$warpline" $(cat "$command") >"$work/printed" || failed=1
  diff "${command%.command}.output" "$work/printed" || { echo "README.md: another output: $(cat "$command")"; failed=1; }
done
[ "$found" -gt 1 ] || { echo "README.md: $found transcripts found, there should be two at least"; failed=1; }
exit $failed
