#!/bin/sh
# run.sh BINARY: one search by one thread, two threads, and two or four processes gives the same bytes; a member that
# dies or falls silent is reported and nothing hangs. Exit code 77, skipped: no mpirun, or built without MPI.
set -u
warpline=$1
LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LC_ALL OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
command -v mpirun >/dev/null 2>&1 || { echo "skipped: there is no mpirun"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-mpi.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM HUP
failures=0
fail() { echo "FAIL: $1"; failures=$((failures + 1)); }
team() { timeout 100 mpirun --oversubscribe -n "$@"; }

team 2 "$warpline" rank triad --device h200 --top 1 >/dev/null 2>"$work/err"
if grep -q "built without MPI" "$work/err"; then
  echo "skipped: built without MPI"
  exit 77
fi

# the same bytes, sorted, unsorted, as a table, for several spaces at once
same() {
  "$warpline" "$@" --jobs 1 >"$work/one" 2>/dev/null || fail "alone: $*"
  [ -s "$work/one" ] || fail "nothing came out: $*"
  "$warpline" "$@" --jobs 2 >"$work/two" 2>/dev/null || fail "two threads: $*"
  cmp "$work/one" "$work/two" || fail "two threads differ: $*"
  for n in 2 4; do
    team $n "$warpline" "$@" >"$work/$n" 2>"$work/err" || { fail "$n processes: $*"; cat "$work/err"; }
    cmp "$work/one" "$work/$n" || fail "$n processes differ: $*"
  done
}
paper="rank star3d_r4 --threads 1024 --block-x 1..1024:x2 --block-y 1..1024:x2 --block-z 1..64:x2 --fold 1x1x1 --fold 1x2x1 --fold 1x1x2"
same $paper --device h200 --device a100-40gb
same $paper --device h200 --device a100-40gb --format csv
same $paper --device h200 --format json --memory 2KiB
same rank star2d_5pt --device v100 --domain 1024x1024 --domain 512x4096 --format json --top 7
[ "$("$warpline" $paper --device h200 --format csv | wc -l)" = 169 ] || fail "the paper's space has not 168 launches"

# wrong input: one message, the right exit code, no output
team 2 "$warpline" rank star3d_r4 --device h200 --block-x 0 >"$work/out" 2>"$work/err"
[ $? = 3 ] || fail "exit code of wrong input"
[ "$(grep -c 'error:' "$work/err")" = 1 ] || fail "wrong input is reported once"
[ -s "$work/out" ] && fail "output in spite of wrong input"

# a member is killed: the launcher reports it and ends everything
slow="rank gather --device h200 --threads 32..512 --fold 1x1x1 --format csv --l1-samples 400"
team 3 sh -c 'if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then (sleep 0.7; kill -KILL $$) & fi; exec "$@"' sh "$warpline" \
  $slow >"$work/out" 2>"$work/err"
code=$?
[ $code != 0 ] && [ $code != 124 ] || fail "a killed member: exit code $code"
grep -q "signal 9" "$work/err" || { fail "a killed member is not reported"; cat "$work/err"; }

# a member falls silent: it is reported, and the others do its part. On a busy machine it may have been too early or
# too late: three attempts.
"$warpline" $slow >"$work/one" 2>/dev/null
for pause in 1 2 3; do
  WARPLINE_PATIENCE=3 team 3 sh -c 'if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then (sleep '$pause'; kill -STOP $$) & fi; exec "$@"' \
    sh "$warpline" $slow >"$work/out" 2>"$work/err"
  lost=$(grep -c "process 2 of 3 is lost" "$work/err")
  [ "$lost" = 1 ] && break
done
[ "$lost" = 1 ] || { fail "a silent member is not reported"; cat "$work/err"; }
cmp "$work/one" "$work/out" || fail "the result without the lost member differs"

[ $failures = 0 ] && echo "mpi: ok"
[ $failures = 0 ]
