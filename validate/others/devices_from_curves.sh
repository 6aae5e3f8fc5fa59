#!/bin/sh
# devices_from_curves.sh WARPLINE DIRECTORY: the built-in devices of which curves are published, as `warpline fit
# --from-curves` writes them from their own files and validate/published; into DIRECTORY. To update share/, copy what
# changed, into the file of the architecture where that states it, look at the difference, and build again.
LC_ALL=C && export LC_ALL
set -eu
warpline=$1
out=$2
published=validate/published
mkdir -p "$out"

# fit DEVICE GPU TABLE...: reads $out/DEVICE.yaml, which may be of an earlier step
fit() {
  device=$1
  gpu=$2
  shift 2
  [ -f "$out/$device.yaml" ] || cp "share/devices/$device.yaml" "$out"
  tables=""
  for table in "$@"; do tables="$tables $published/$table.csv"; done
  # shellcheck disable=SC2086 # a list of words
  "$warpline" fit --from-curves $tables --device "$out/$device.yaml" --gpu "$gpu" --output "$out/$device.new" >/dev/null
  mv "$out/$device.new" "$out/$device.yaml"
}

fit v100 v100 latency cache_bandwidth streams
fit a100-80gb a100_80 latency cache_bandwidth l2_bandwidth streams small_kernels
# the same chip with less memory
fit a100-40gb a100_80 latency cache_bandwidth l2_bandwidth small_kernels
fit a100-40gb a100_40 streams
fit a40 a40 latency cache_bandwidth streams small_kernels
fit l40 l40 latency cache_bandwidth l2_bandwidth streams small_kernels
fit mi210 mi210 latency cache_bandwidth l2_bandwidth streams small_kernels
fit mi100 mi100 latency cache_bandwidth l2_bandwidth streams
fit mi300x mi300x latency cache_bandwidth streams
fit rx6900xt rx6900xt latency cache_bandwidth l2_bandwidth streams small_kernels
# of one board, which the source calls h200 and gh200
fit gh200 h200 small_kernels
