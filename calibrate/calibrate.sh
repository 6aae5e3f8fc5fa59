#!/bin/sh
# calibrate.sh [OUT.yaml] [OPTIONS] - builds the benchmarks with the nvcc found, measures this machine's GPU and writes its device
# file and a CSV of everything measured. NVCC=... and ARCH=sm_90 choose compiler and architecture. See docs/calibrate.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
build=${CALIBRATE_BUILD:-$root/build/calibrate}
nvcc=${NVCC:-}
if [ -z "$nvcc" ]; then
    for candidate in nvcc /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc; do
        if command -v "$candidate" >/dev/null 2>&1; then
            nvcc=$candidate
            break
        fi
    done
fi
if [ -z "$nvcc" ]; then
    echo "calibrate: nvcc was not found; install the CUDA toolkit (11.4 or later) or set NVCC=/path/to/nvcc" >&2
    exit 1
fi
arch=${ARCH:-native}
if [ "$arch" = native ] && [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ] && [ ! -e /dev/nvhost-ctrl ]; then
    echo "calibrate: no NVIDIA GPU was found on this machine (set ARCH=sm_90, say, to build all the same)" >&2
    exit 1
fi
mkdir -p "$build"
echo "calibrate: building in $build" >&2
pids=""
for source in timing main query launch arith latency l1 l2 dram spread; do
    "$nvcc" -O3 -std=c++17 -arch="$arch" -I"$root/include" -Xcompiler -Wall,-Wextra -c "$here/$source.cu" -o "$build/$source.o" &
    pids="$pids $!"
done
for source in write_device facts; do
    ${CC:-cc} -O2 -std=c17 -Wall -Wextra -I"$root/include" -c "$here/$source.c" -o "$build/$source.o"
done
for pid in $pids; do
    wait "$pid"
done
"$nvcc" -arch="$arch" -o "$build/calibrate" "$build/timing.o" "$build/main.o" "$build/query.o" "$build/launch.o" "$build/arith.o" \
    "$build/latency.o" "$build/l1.o" "$build/l2.o" "$build/dram.o" "$build/spread.o" "$build/write_device.o" "$build/facts.o"
[ "${BUILD_ONLY:-}" = 1 ] && exit 0
status=0
output=$("$build/calibrate" "$@") || status=$?
echo "$output"
warpline=${WARPLINE:-$root/build/release/warpline}
case $output in
*.yaml) if [ -x "$warpline" ]; then "$warpline" devices check "$output" || status=1; fi ;;
esac
exit "$status"
