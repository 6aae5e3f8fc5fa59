#!/bin/sh
# build-progress.sh COMMAND..: runs a build and shows its percentage on one line instead of every step; on an error, all that
# it printed. On a terminal the line is rewritten, elsewhere each tenth is a line of its own.
set -u
log=$(mktemp "${TMPDIR:-/tmp}/warpline-build.XXXXXX") || exit 2
trap 'rm -f "$log" "$log.code"' EXIT
terminal=0
[ -t 1 ] && terminal=1
{
  NINJA_STATUS="[%p] " "$@" 2>&1
  echo $? >"$log.code"
} | tee "$log" | awk -v terminal=$terminal '
  match($0, /^\[ *[0-9]+%\]/) {
    percent = substr($0, 2, RLENGTH - 3) + 0
    if (terminal) printf "\rbuilding: %3d %%", percent
    else if (percent >= next_tenth) { printf "building: %d %%\n", percent; next_tenth = (int(percent / 10) + 1) * 10 }
    fflush()
  }
  / warning: / { warnings++ }
  END {
    if (terminal) printf "\r%-20s\r", ""
    if (warnings) printf "%d warnings of the compiler\n", warnings
  }'
code=$(cat "$log.code" 2>/dev/null || echo 1)
[ "$code" = 0 ] || cat "$log"
exit "$code"
