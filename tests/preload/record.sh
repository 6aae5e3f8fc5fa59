#!/bin/sh
# record.sh WARPLINE PROGRAM: a program with the driver's interface runs without a GPU, and is recorded on one: the driver is
# then the double. What was recorded must be the same in both cases.
LC_ALL=C && export LC_ALL
set -u
warpline=$1
program=$2
preload=$(dirname "$warpline")/preload
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-record.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0
fail() { echo "$1"; shift; [ $# -gt 0 ] && cat "$@"; failed=1; }
expect() { grep -q -e "$2" "$1" || fail "expected '$2' in:" "$1"; } # expect FILE PATTERN
record() { LD_LIBRARY_PATH=$preload "$warpline" record "$@" >out 2>messages; }
profile() { "$warpline" predict "$1" --device h200 --format json 2>&1; }

"$warpline" run --device h200 -o run.wlrec -- "$program" >out 2>messages || fail "run:" out messages
expect out '^0 wrong, 20 times, next right, not known: 801$'
expect messages 'cuIpcGetMemHandle is not known here'
record --device h200 -o record.wlrec -- "$program" || fail "record:" out messages
expect out '^0 wrong, 20 times, next right, not known: 801$'
profile run.wlrec | sed '/"profiles"/,$!d' >run.json
profile record.wlrec | sed '/"profiles"/,$!d' >record.json
cmp -s run.json record.json || { diff run.json record.json; fail "run and record differ"; }
expect record.json '"refused": 0,'
"$warpline" predict record.wlrec --launch 10 --device h200 --format json >texture.json 2>&1
grep -A 1 '"inst_texture"' texture.json | grep -q '"value": 32,' || fail "expected texture instructions" texture.json
[ "$(grep -c '"like": false' record.json)" -eq 13 ] || fail "expected 13 launches with their memory"
profile record.wlrec | grep -q 'ends early' && fail "the end of the program is missing"

# fewer with their memory; memory that is too large
record --launches 1 --bytes 3K -o few.wlrec -- "$program" || fail "record --launches 1:" out messages
expect out 'few.wlrec: 18 launches, 9 of them with arguments and memory'
profile few.wlrec >few.json
expect few.json '"refused": 0,'
[ "$(wc -c <few.wlrec)" -lt "$(wc -c <record.wlrec)" ] || fail "--launches 1 --bytes 3K makes no smaller file"

# times of launches that are no part of a graph, beside the predicted ones
record --times -o times.wlrec -- "$program" || fail "record --times:" out messages
"$warpline" compare times.wlrec --device h200 >out 2>messages || fail "compare:" out messages
expect out '15 launches'

# a file for each process
mkdir all
record -o all -- sh -c "'$program' && '$program' 2000" || fail "record into a folder:" out messages
[ "$(find all -name '*.wlrec' | wc -l)" -eq 2 ] || fail "expected two files" out messages
profile all | sed -n 's/.*"calls": //p' | tr -d '\n' | grep -q '18,14,2,2,' || { profile all | grep calls; fail "expected both processes"; }
record -o one.wlrec -- sh -c "'$program' && '$program' 2000" || fail "record two processes into a file:" out messages
expect messages "is there already: this process records into 'one-[0-9]*.wlrec'"
exit $failed
