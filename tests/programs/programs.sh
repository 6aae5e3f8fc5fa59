#!/bin/sh
# programs.sh WARPLINE FOLDER: each program of the folder is built, runs without a GPU, prints what it prints on one
# (expected.txt), and every launch of its recording is predicted. WARPLINE_TEST_EFFORT=quick takes three of them.
LC_ALL=C && export LC_ALL
set -u
warpline=$1
sources=$2
here=$(cd "$(dirname "$0")" && pwd)
command -v nvcc >/dev/null || { echo "skipped: nvcc is not on the PATH"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-programs.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
programs=$(cd "$sources" && ls -- *.cu | sed 's/\.cu$//')
[ "${WARPLINE_TEST_EFFORT:-full}" = quick ] && programs="driver filter image"

build() { # build NAME
  library=
  case $1 in driver) library="-L$(dirname "$(command -v nvcc)")/../lib64/stubs -lcuda" ;; esac
  # shellcheck disable=SC2086
  nvcc -std=c++17 -cudart shared -gencode arch=compute_90,code=compute_90 -o "$1" "$sources/$1.cu" $library >"$1.log" 2>&1
}
for name in $programs; do
  build "$name" &
  pid=$!
  [ -n "${other:-}" ] && wait "$other"
  other=$pid
done
wait

failed=0
for name in $programs; do
  if ! [ -x "$name" ]; then
    if grep -q -i -e 'unsupported' -e 'not supported' "$name.log"; then # an nvcc without this architecture or compiler
      echo "$name: not built:"
    else
      failed=1
      echo "$name cannot be built:"
    fi
    cat "$name.log"
    continue
  fi
  "$warpline" run --device h200 -o "$name.wlrec" -- "./$name" >out 2>messages || { echo "$name failed:"; cat out messages; failed=1; }
  sed -n "/^== $name$/,/^== /{/^==/!p;}" "$here/expected.txt" >expected
  sed -n '1,/^right$/p' out | cmp -s - expected || { echo "$name: expected other output:"; sed -n '1,/^right$/p' out | diff expected -; failed=1; }
  [ -s messages ] && { echo "$name: messages:"; cat messages; failed=1; }
  "$warpline" predict "$name.wlrec" --device h200 --device a100-80gb --format json >profile 2>messages || { echo "$name: not predicted:"; cat messages; failed=1; }
  [ "$(grep -c '"refused": 0,' profile)" -eq 2 ] || { echo "$name: launches that are not predicted:"; sed -n '/"launches"/q;p' profile; failed=1; }
done
exit $failed
