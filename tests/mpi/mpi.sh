#!/bin/sh
# mpi.sh BINARY: one search by one thread, two threads, and two or four processes gives the same bytes; whoever dies,
# falls silent or is interrupted, it is said, what was found is kept, and nothing hangs; processes that do not find each
# other do not repeat each other. Exit code 77, skipped: no mpirun, or built without MPI. No test depends on how fast the
# machine is: where something must have happened before, it is waited for. WARPLINE_TEST_EFFORT=quick leaves out what
# takes long and is like something that stays in.
set -u
warpline=$1
LC_ALL=C COLUMNS=1000 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # sentences in one line, for grep
export LC_ALL COLUMNS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
command -v mpirun >/dev/null 2>&1 || { echo "skipped: there is no mpirun"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-mpi.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM HUP
failures=0
full() { [ "${WARPLINE_TEST_EFFORT:-full}" != quick ]; }
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
  for n in $processes; do
    team $n "$warpline" "$@" >"$work/$n" 2>"$work/err" || { fail "$n processes: $*"; cat "$work/err"; }
    cmp "$work/one" "$work/$n" || fail "$n processes differ: $*"
  done
}
paper="rank star3d_r4 --threads 1024 --block-x 1..1024:x2 --block-y 1..1024:x2 --block-z 1..64:x2 --fold 1x1x1 --fold 1x2x1 --fold 1x1x2"
processes="2 4"
same $paper --device h200 --device a100-40gb
full || processes=2
full && same $paper --device h200 --device a100-40gb --format csv
same $paper --device h200 --format json --memory 2KiB
full && same rank star2d_5pt --device v100 --domain 1024x1024 --domain 512x4096 --format json --top 7
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
if full; then
  "$warpline" $slow >"$work/one" 2>/dev/null
  for pause in 1 2 3; do
    WARPLINE_PATIENCE=3 team 3 sh -c 'if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then (sleep '$pause'; kill -STOP $$) & fi; exec "$@"' \
      sh "$warpline" $slow >"$work/out" 2>"$work/err"
    lost=$(grep -c "process 2 of 3 is lost" "$work/err")
    [ "$lost" = 1 ] && break
  done
  [ "$lost" = 1 ] || { fail "a silent member is not reported"; cat "$work/err"; }
  cmp "$work/one" "$work/out" || fail "the result without the lost member differs"
fi

# ---- a search that would take very long, and is disturbed ----

long="rank star3d_r4 --device h200 --block-x 1..1024 --block-y 1..64 --block-z 1..64 --threads 1..1024 --fold 1x1x1 --fold 1x2x1 --fold 1x1x2 --fold 2x1x1 --fold 2x2x1 --fold 2x1x2 --fold 1x2x2 --fold 2x2x2 --fold 1x4x1 --fold 1x1x4 --fold 1x4x2 --fold 1x2x4 --top 5"

# wait_for SECONDS CONDITION...
wait_for() {
  left=$(($1 * 5))
  shift
  while ! "$@" 2>/dev/null; do
    left=$((left - 1))
    [ $left -gt 0 ] || return 1
    sleep 0.2
  done
}
# Does a process catch SIGTERM (bit 15 of the mask)? Then it searches.
searches() {
  [ -s "$work/pid.$1" ] || return 1
  mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$(cat "$work/pid.$1")/status")
  [ $((0x$(printf '%s' "$mask" | tail -c 8) & 0x4000)) != 0 ]
}
all_search() { searches 0 && searches 1 && searches 2; }

limit=300 # seconds of which mpirun takes at most 60 to start
# start OPTIONS...: three processes in the background; their numbers, mpirun's, and their exit codes are in files
start() {
  rm -f "$work"/pid.* "$work"/code.* "$work/mpirun" "$work/out" "$work/err" "$work/code"
  (
    WARPLINE_PATIENCE=5 timeout -s KILL $limit mpirun $mpirun --oversubscribe -n 3 sh -c '
      work=$1; shift
      [ "$OMPI_COMM_WORLD_RANK" = 0 ] && echo $PPID >"$work/mpirun"
      trap : TERM INT
      "$@" &
      echo $! >"$work/pid.$OMPI_COMM_WORLD_RANK"
      wait $!; code=$?
      while kill -0 $! 2>/dev/null; do wait $!; code=$?; done
      echo $code >"$work/code.$OMPI_COMM_WORLD_RANK"
      exit $code' sh "$work" "$warpline" "$@" >"$work/out" 2>"$work/err"
    echo $? >"$work/code"
  ) &
  job=$!
  wait_for 60 all_search || { fail "no search: $*"; cat "$work/err"; return 1; }
  sleep 1 # everybody has found something
  since=$(date +%s)
}
# The whole thing must have ended by itself.
ended() {
  wait $job
  [ $(($(date +%s) - since)) -lt $((limit - 80)) ] || fail "$1: it hangs"
}
if [ -r /proc/self/status ]; then
  # mpirun interrupts the processes some time after Ctrl-C, and kills them as long after that: on a busy machine not
  # after one second
  mpirun="--mca odls_base_sigkill_timeout 5"
  # Ctrl-C to mpirun: the best so far is shown, as one process does it. The leader ends with 130, Open MPI's mpirun
  # with 1.
  if start $long; then
    kill -INT "$(cat "$work/mpirun")"
    ended "Ctrl-C"
    grep -q "launches predicted (interrupted)" "$work/out" || { fail "Ctrl-C loses what was found"; cat "$work/err"; }
    grep -q "^   1  [0-9]*x" "$work/out" || fail "Ctrl-C: no table"
    [ "$(cat "$work/code.0")" = 130 ] || fail "Ctrl-C: the leader's exit code is $(cat "$work/code.0")"
    [ "$(cat "$work/code")" != 0 ] || fail "Ctrl-C: mpirun reports success"
  fi

  # in the middle of a prediction that takes far longer than mpirun waits: what there is is shown all the same
  if full && start rank gather --device h200 --threads 32..512 --fold 1x1x1 --l1-samples all --top 3; then
    kill -INT "$(cat "$work/mpirun")"
    ended "Ctrl-C in a long prediction"
    grep -q "launches predicted (interrupted)" "$work/out" || { fail "Ctrl-C waits for a prediction"; cat "$work/err"; }
    [ "$(cat "$work/code.0")" = 130 ] || fail "Ctrl-C in a long prediction: exit code $(cat "$work/code.0")"
  fi

  # with --output the whole result is in the file, however long
  if full && start $long --format json --top 3000 --output "$work/file"; then
    kill -INT "$(cat "$work/mpirun")"
    ended "Ctrl-C with --output"
    [ "$(tail -c 2 "$work/file")" = "}" ] || fail "Ctrl-C: the file is not complete"
    [ "$(wc -c <"$work/file")" -gt 20000 ] || fail "Ctrl-C: there is little in the file"
  fi

  mpirun=
  # the leader alone is interrupted: an orderly end with its exit code
  if start $long; then
    kill -INT "$(cat "$work/pid.0")"
    ended "SIGINT to the leader"
    grep -q "launches predicted (interrupted)" "$work/out" || { fail "SIGINT to the leader"; cat "$work/err"; }
    [ "$(cat "$work/code")" = 130 ] || fail "SIGINT to the leader: exit code $(cat "$work/code")"
    grep -q "cannot take part\|is lost" "$work/err" && { fail "SIGINT to the leader: blames others"; cat "$work/err"; }
  fi

  # a member alone is interrupted: that is not its to answer, and the search goes on to its end
  if full && start $slow; then
    kill -INT "$(cat "$work/pid.1")"
    ended "SIGINT to a member"
    [ "$(cat "$work/code")" = 0 ] || { fail "SIGINT to a member: exit code $(cat "$work/code")"; cat "$work/err"; }
    [ -s "$work/err" ] && { fail "SIGINT to a member: there is a message"; cat "$work/err"; }
    cmp "$work/one" "$work/out" || fail "SIGINT to a member: the result differs"
  fi

  # a stopped leader: a member says so and ends it all
  if full && start $long; then
    kill -STOP "$(cat "$work/pid.0")"
    ended "a stopped leader"
    [ "$(grep -c "the leader (process 0 of 3) gave no sign of life for 5 s" "$work/err")" = 1 ] ||
      { fail "a stopped leader is not reported once"; cat "$work/err"; }
    [ "$(cat "$work/code")" != 0 ] || fail "a stopped leader: success"
  fi

  # all stopped for longer than they are patient: nobody takes it amiss
  if full && start $slow; then
    for i in 0 1 2; do kill -STOP "$(cat "$work/pid.$i")"; done
    sleep 7
    for i in 0 1 2; do kill -CONT "$(cat "$work/pid.$i")"; done
    ended "a pause"
    [ "$(cat "$work/code")" = 0 ] || { fail "a pause: exit code $(cat "$work/code")"; cat "$work/err"; }
    cmp "$work/one" "$work/out" || fail "a pause: the result differs"
  fi

  # a killed leader: mpirun ends the others
  if full && start $long; then
    kill -KILL "$(cat "$work/pid.0")"
    ended "a killed leader"
    [ "$(cat "$work/code")" != 0 ] || fail "a killed leader: success"
    [ -s "$work/err" ] || fail "a killed leader: no message"
  fi
else
  echo "without /proc: interrupted, stopped and killed processes are not tested"
fi

# ---- processes that do not find each other ----

# apart SIZE=N NUMBER: two processes, as a launcher would start them that this MPI does not know
apart() {
  size=$1 number=$2
  for i in 0 1; do
    env $size $number=$i timeout 60 "$warpline" rank triad --device h200 --top 1 >"$work/out$i" 2>"$work/err$i"
    echo $? >"$work/code$i"
  done
}
apart PMI_SIZE=2 PMI_RANK
for i in 0 1; do
  [ "$(cat "$work/code$i")" = 4 ] || { fail "apart: exit code $(cat "$work/code$i")"; cat "$work/err$i"; }
  [ -s "$work/out$i" ] && fail "apart: each does everything"
done
grep -q "error: PMI_SIZE says that several processes.*MPI does not connect them" "$work/err0" || { fail "apart: no message"; cat "$work/err0"; }
[ -s "$work/err1" ] && { fail "apart: it is said more than once"; cat "$work/err1"; }
# nobody says how many there are: the first may be the only one
apart WARPLINE_PATIENCE=5 PMIX_RANK
[ "$(cat "$work/code0")" = 0 ] && [ -s "$work/out0" ] || { fail "PMIX_RANK=0 may be alone"; cat "$work/err0"; }
[ "$(cat "$work/code1")" = 4 ] && [ ! -s "$work/out1" ] || fail "PMIX_RANK=1 is not alone"
grep -q "error: PMIX_RANK says" "$work/err1" || { fail "PMIX_RANK=1: no message"; cat "$work/err1"; }
# srun without PMI: Open MPI itself refuses to start, other libraries start each process alone
apart "SLURM_STEP_NUM_TASKS=2 SLURM_JOBID=7 SLURM_JOB_ID=7 SLURM_STEPID=0 SLURM_STEP_ID=0 SLURM_NODELIST=localhost" SLURM_PROCID
for i in 0 1; do
  [ "$(cat "$work/code$i")" != 0 ] && [ ! -s "$work/out$i" ] || fail "srun: process $i does everything"
done
grep -q "srun --mpi=pmix" "$work/err0" || { fail "srun: no message"; cat "$work/err0"; }
# a batch script of Slurm is one process, and so is whoever asks for it
SLURM_NTASKS=4 SLURM_PROCID=0 "$warpline" rank triad --device h200 --top 1 >"$work/out" 2>"$work/err" || fail "a batch script"
WARPLINE_ALONE=1 PMI_SIZE=2 PMI_RANK=1 "$warpline" rank triad --device h200 --top 1 >"$work/out0" 2>&1 || fail "WARPLINE_ALONE"
cmp "$work/out" "$work/out0" || fail "WARPLINE_ALONE gives something else"

[ $failures = 0 ] && echo "mpi: ok"
[ $failures = 0 ]
