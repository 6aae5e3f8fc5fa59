#!/bin/sh
# measure_roofline.sh [OUTDIR]: what validate/data holds of roofline.cu, measured on the GPU of this machine.
#
# Writes to OUTDIR (default: build/measure)
#   roofline.csv             the launches with times and counters, as measure.sh writes them (with .time.csv, .ncu.csv)
#   ncu_full_raw.csv         one small launch of each kernel: ncu --set full, raw page, units as ncu chooses them
#   ncu_full_details.csv     the same launches: details page, all of each section
#   ncu_roofline_raw.csv     the same launches: ncu --set roofline, raw page, base units
#   ncu_roofline_details.csv and its details page
#   ncu_reports.tar.gz       the reports these pages come from, logs, what ncu and nvidia-smi say on versions and clocks
# Counters that this ncu does not know are left out of roofline.csv and named on stderr.
set -eu
LC_ALL=C && export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-build/measure}
mkdir -p "$out"
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-roofline.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cp -r "$here/." "$work/validate"
nvcc -O3 -lineinfo -arch="${ARCH:-sm_90}" -std=c++17 -o "$work/roofline" "$here/cuda/roofline.cu"

"$work/roofline" check >"$work/check.txt" || { cat "$work/check.txt" >&2; echo "measure_roofline: kernels are wrong" >&2; exit 1; }

# Names of counters change from one ncu to the next: those it does not know would end the whole measurement.
words=$(awk '!/^(#|$)/ { printf "%s%s", comma, $2; comma = "," }' "$here/counters.txt" "$here/counters_more.txt" \
  "$here/counters_roofline.txt")
ncu --clock-control none -k 'regex:^k_' -c 1 --csv --page raw --metrics "$words" "$work/roofline" prof 1 small \
  >"$work/probe.txt" 2>&1 || true
for file in counters.txt counters_more.txt counters_roofline.txt; do
  awk -v probe="$work/probe.txt" '
    BEGIN {
      while ((getline line < probe) > 0)
        if (line ~ /Failed to find metric/) {
          gsub(/[^A-Za-z0-9_.]|[.]$/, " ", line)
          unknown = unknown " " line " "
        }
    }
    /^(#|$)/ || !index(unknown, " " $2 " ") { print; next }
    { print "measure_roofline: this ncu does not know " $2 > "/dev/stderr" }' "$here/$file" >"$work/validate/$file"
done
MORE=1 ROOFLINE=1 "$work/validate/measure.sh" "$work/validate/cuda/roofline.cu" "$out"

for set in full roofline; do
  echo "measure_roofline: profiling with --set $set" >&2
  ncu --clock-control none -k 'regex:^k_' --set "$set" -f -o "$work/$set" "$work/roofline" prof 1 small >"$work/$set.log" 2>&1 || {
    tail -n 5 "$work/$set.log" >&2
    echo "measure_roofline: ncu --set $set failed" >&2
    exit 1
  }
done
ncu -i "$work/full.ncu-rep" --csv --page raw >"$out/ncu_full_raw.csv"
ncu -i "$work/full.ncu-rep" --csv --page details --print-details all >"$out/ncu_full_details.csv"
ncu -i "$work/roofline.ncu-rep" --csv --page raw --print-units base >"$out/ncu_roofline_raw.csv"
ncu -i "$work/roofline.ncu-rep" --csv --page details >"$out/ncu_roofline_details.csv"
{ ncu --version; nvidia-smi; nvidia-smi -q -d CLOCK; } >"$work/machine.txt" 2>&1
mv "$out/roofline.ncu.log" "$work"
(cd "$work" && tar -czf ncu_reports.tar.gz ./*.ncu-rep ./*.log ./*.txt)
cp "$work/ncu_reports.tar.gz" "$out"
