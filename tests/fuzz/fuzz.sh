#!/bin/sh
# Fuzzes each target for SECONDS_PER_TARGET (default 600) seconds; needs clang. New inputs go to build/fuzz/new-corpus,
# findings to build/fuzz/findings. TARGETS="kernel expr" picks some. Exits 1 when anything was found.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${SECONDS_PER_TARGET:-600}
targets=${TARGETS:-kernel expr device batch table space ptx ptx_kernel}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
build=$root/build/fuzz
here=$root/tests/fuzz

cd "$root"
# -O1 without NDEBUG: the library's assertions are part of what is tested.
cmake --preset fuzz "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g" >/dev/null
for target in $targets; do
  cmake --build "$build" -j "$jobs" --target "fuzz_$target" >/dev/null
done

export ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
found=0
for target in $targets; do
  new=$build/new-corpus/fuzz_$target
  findings=$build/findings/fuzz_$target
  mkdir -p "$new" "$findings"
  echo "fuzz_$target: $seconds s"
  if ! "$build/tests/fuzz/fuzz_$target" "$new" "$here/corpus/fuzz_$target" "-dict=$here/${target%_kernel}.dict" \
      "-max_total_time=$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1 \
      "-artifact_prefix=$findings/" >"$build/fuzz_$target.log" 2>&1; then
    found=1
    echo "fuzz_$target: FOUND something; the input is in $findings"
    tail -n 60 "$build/fuzz_$target.log"
  fi
  grep -E 'cov: |stat::number_of_executed_units|stat::average_exec_per_sec|stat::peak_rss_mb' "$build/fuzz_$target.log" | tail -n 4
done
exit $found
