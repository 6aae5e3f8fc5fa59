#!/bin/sh
# Fuzzes each target for SECONDS_PER_TARGET (default 600) seconds and prints its runs per second;
# needs clang. New inputs go to build/fuzz/new-corpus, findings to build/fuzz/findings.
# TARGETS="kernel expr" picks some. Exits 1 when anything was found.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${SECONDS_PER_TARGET:-600}
targets=${TARGETS:-kernel expr device batch table map space arg baseline cli ptx ptx_kernel binary machine recording}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
build=$root/build/fuzz
here=$root/tests/fuzz

cd "$root"
# Without NDEBUG: the library's assertions are part of what is tested.
cmake --preset fuzz "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g1" >/dev/null
for target in $targets; do
  cmake --build "$build" -j "$jobs" --target "fuzz_$target" >/dev/null
done

# A small quarantine and short stacks of allocations: runs allocate much and live for a millisecond.
asan=allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=16:malloc_context_size=8
export ASAN_OPTIONS="$asan${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export OMP_NUM_THREADS=1
found=0
for target in $targets; do
  new=$build/new-corpus/fuzz_$target
  findings=$build/findings/fuzz_$target
  log=$build/fuzz_$target.log
  mkdir -p "$new" "$findings"
  set -- "-max_total_time=$seconds" "-artifact_prefix=$findings/"
  [ ! -f "$here/${target%_kernel}.dict" ] || set -- "$@" "-dict=$here/${target%_kernel}.dict"
  # what a grammar writes is understood: one or two changes, not five on top of each other
  [ ! -f "$here/grammar_$target.c" ] || set -- "$@" -mutate_depth=2
  echo "fuzz_$target: $seconds s"
  # -entropic=0: its bookkeeping of features took more time than the runs
  if ! "$build/tests/fuzz/fuzz_$target" "$new" "$here/corpus/fuzz_$target" "$@" -entropic=0 \
      -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 >"$log" 2>&1; then
    found=1
    echo "fuzz_$target: FOUND something; the input is in $findings"
    tail -n 60 "$log"
  fi
  grep -E 'cov: ' "$log" | tail -n 1
  awk -v target="$target" '/stat::number_of_executed_units/ {runs = $2} /stat::average_exec_per_sec/ {rate = $2}
    /stat::peak_rss_mb/ {rss = $2} END {printf "fuzz_%s: %d runs, %d per second, %d MiB\n", target, runs, rate, rss}' "$log"
done
exit $found
