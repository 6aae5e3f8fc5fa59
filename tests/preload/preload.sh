#!/bin/sh
# preload.sh WARPLINE PROGRAM: a program runs without a GPU, its kernels are carried out and recorded, and the recording is
# profiled.
LC_ALL=C && export LC_ALL
set -u
warpline=$1
program=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-preload.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0
expect() { # expect FILE PATTERN
  grep -q -e "$2" "$1" || { echo "expected '$2' in:"; cat "$1"; failed=1; }
}

"$warpline" run --device h200 -o axpy.wlrec -- "$program" 5000 >out 2>messages || { cat out messages; failed=1; }
expect out '^0 wrong, counted 25000, not known: operation not supported$'
expect out 'axpy'
grep -q 'null pointer' out && { echo "a copy with a null pointer: expected an error"; failed=1; }
expect messages 'cudaIpcGetMemHandle is not known here'
# five launches: two kept, three like them
"$warpline" predict axpy.wlrec --device a100-40gb --format json >profile.json 2>messages || { cat messages; failed=1; }
expect profile.json '"calls": 5'
"$warpline" predict axpy.wlrec --launch 0 --device a100-40gb >one 2>messages || { cat messages; failed=1; }
expect one 'DRAM'

# all words behind -- are the program's
"$warpline" run --device h200 -- "$program" 500 --device none -o x 4 5 6 7 8 9 10 11 >out 2>messages || { cat out messages; failed=1; }
expect out '^0 wrong, counted 2500'
"$warpline" run --device h200 what -- "$program" 500 >out 2>messages
[ $? -eq 2 ] || { echo "a word before --: expected exit code 2"; failed=1; }
# a program without a launch ends as it does by itself
"$warpline" run --device h200 -- "$program" 500 idle >out 2>messages || { cat out messages; echo "idle: expected exit code 0"; failed=1; }
expect messages 'launched no kernel'
# a launch that takes too long is given up, and those after it are left out
"$warpline" run --seconds 0.000001 --device h200 -- "$program" 50000 >out 2>messages && { echo "--seconds: expected wrong results"; failed=1; }
expect messages 'axpy.*: not all blocks were carried out'
[ "$(grep -c 'not all blocks' messages)" -eq 1 ] || { echo "--seconds: expected one message"; cat messages; failed=1; }

# machine code writes the same: the launches behind the first
if cc --version >/dev/null 2>&1; then
  WARPLINE_COMPILE=2 "$warpline" run --verbose --device h200 -- "$program" 50000 >out 2>messages || { cat out messages; failed=1; }
  expect out '^0 wrong, counted 250000'
  expect messages 'axpy.*: in machine code from here on'
fi
"$warpline" run --no-compile --device h200 -- "$program" 5000 >out 2>messages || { cat out messages; failed=1; }
expect out '^0 wrong, counted 25000'

# what is not carried out is not known
"$warpline" run --no-execute --device h200 -- "$program" 5000 >out 2>messages && { echo "--no-execute: expected wrong results"; failed=1; }
expect messages 'were not carried out'
# out of bounds: the program sees the error, and we say where
"$warpline" run --device h200 -- "$program" 4096 break >out 2>messages && { echo "break: expected an error"; failed=1; }
expect out 'illegal memory access'
expect messages 'reads 4 bytes at offset 16384'

"$warpline" run --device h200 >out 2>messages
[ $? -eq 2 ] || { echo "run without a program: expected exit code 2"; failed=1; }
"$warpline" run --device h200 -- ./none >out 2>messages
[ $? -eq 3 ] || { echo "run of a program that is not there: expected exit code 3"; failed=1; }
"$warpline" run -- "$program" >out 2>messages
[ $? -eq 2 ] || { echo "run without a device: expected exit code 2"; failed=1; }
expect messages 'which device is the program to see'
"$warpline" record -- "$program" >out 2>messages
[ $? -eq 2 ] || { echo "record without a device or a file: expected exit code 2"; failed=1; }
"$warpline" run --launches two --device h200 -- "$program" >out 2>messages
[ $? -eq 2 ] || { echo "--launches two: expected exit code 2"; failed=1; }
exit $failed
