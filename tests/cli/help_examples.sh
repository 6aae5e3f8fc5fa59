#!/bin/sh
# help_examples.sh WARPLINE ROOT: the help of every command ends with two examples, and they work; so do the commands
# in the tables of docs/for_users_of.md.
# Files that they name are made here; CUDA is given as the PTX of the same kernel.
LC_ALL=C && export LC_ALL
set -u
warpline=$1
root=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-examples.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$warpline" "$work/bin/warpline" && PATH=$work/bin:$PATH && export PATH
failed=0
fail() {
  echo "$1"
  failed=1
}

cd "$work" || exit 2
cp "$root"/examples/*.ptx "$root/validate/published/latency.csv" "$root/validate/published/streams.csv" "$root/tests/data/binary/app" .
cp "$root/tests/recording/heat.wlrec" program.wlrec
grep -e '^row,' -e star3d_7pt "$root/validate/data/h200_examples.csv" >measured.csv
head -n 5 "$root/validate/data/h200_roofline.csv" >counters.csv
grep -e '^row,' -e ',star3d,' "$root/validate/data/h200_fit.csv" >tables.csv
cp "$root/validate/families.yaml" . && ln -s "$root/validate/kernels" kernels
warpline kernels show star3d_7pt >stencil.yaml || fail "kernels"
warpline predict star3d_r4 --device h200 --block 128x2 --format json >before.json || fail "predict"
warpline predict star3d_r4 --device h200 --block 64x4 --format json >after.json || fail "predict"

for command in $(warpline --help | awk '/^  [a-z]/ { print $1 }'); do
  warpline "$command" --help | sed '1,/^examples:$/d; s/^  //' >examples
  count=$(grep -c "^warpline $command" examples)
  [ "$count" -eq 2 ] || fail "$command: $count examples"
  # a program that runs here, in place of one that nvcc made
  sed "s/init heat\.cu/init heat.ptx/; s/heat\.cu/heat.ptx --no-ptxas/; s#-- \./app#-- $(dirname "$warpline")/tests/preload/program#" examples >script
  sh -e script >out 2>messages || fail "$command: $(cat messages)"
done

grep '^|' "$root/docs/for_users_of.md" | grep -o '`warpline [^`]*`' | tr -d '`' >examples
[ "$(grep -c . examples)" -ge 30 ] || fail "docs/for_users_of.md: $(grep -c . examples) commands"
sed 's/keys\.cu/keys.ptx --no-ptxas/' examples >script
while read -r line; do
  sh -c "$line" >out 2>messages </dev/null || fail "docs/for_users_of.md: $line: $(cat messages)"
done <script
exit $failed
