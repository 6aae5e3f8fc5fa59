#!/bin/sh
# common.sh TABLE: the table of common commands and mistakes (common.test) has at least sixty cases, and each prints at
# most twelve lines. The test `cli` compares what they print.
awk '
function finish() {
  if (name == "") return
  cases++
  if (commands != 1) { print name ": " commands " commands, not one"; failed = 1 }
  if (lines < 1 || lines > 12) { print name ": " lines " lines, not 1 to 12"; failed = 1 }
}
/^\[/ { finish(); name = $0; commands = lines = 0 }
/^\$ / { commands++ }
/^>/ || /^2>/ { lines++ }
END {
  finish()
  if (cases < 60) { print cases " cases, not 60"; failed = 1 }
  exit failed
}' "$1"
