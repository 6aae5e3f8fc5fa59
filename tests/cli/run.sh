#!/bin/sh
# run.sh BINARY SOURCE_ROOT [CASE...]: the command-line tests.
#
# A case is a folder of cases/ with
#   cmd                    a few lines of sh that use "$WARPLINE" (and "$ROOT", the source tree)
#   stdout | stdout.glob   what it prints, exactly or as patterns; neither: nothing
#   stderr.glob            patterns for the messages; absent: nothing
#   exit                   the exit code; absent: 0
# and any other files, which the command finds in its working directory. A line of a .glob is a pattern of `case`
# (* ? [..] and \ to quote); a line "..." stands for any number of lines. Whenever the exit code is above 1 (a failed check
# prints what failed), stdout must be empty. UPDATE=1 rewrites the exact outputs and the exit codes.
set -u
LC_ALL=C
export LC_ALL
unset NO_COLOR 2>/dev/null || :

[ $# -ge 2 ] || { echo "usage: run.sh BINARY SOURCE_ROOT [CASE...]" >&2; exit 2; }
WARPLINE=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
ROOT=$(cd "$2" && pwd)
export WARPLINE ROOT
shift 2
cases=$ROOT/tests/cli/cases
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-cli.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM HUP

# matches TEXT PATTERNS: do the lines of the first file match those of the second?
matches() {
  skip=no
  exec 3<"$1" 4<"$2"
  while IFS= read -r pattern <&4 || [ -n "$pattern" ]; do
    if [ "$pattern" = "..." ]; then
      skip=yes
      continue
    fi
    while :; do
      IFS= read -r line <&3 || [ -n "$line" ] || return 1
      case $line in
        $pattern) break ;;
      esac
      [ $skip = yes ] || return 1
    done
    skip=no
  done
  [ $skip = yes ] && return 0
  IFS= read -r line <&3 || [ -n "$line" ] || return 0
  return 1
}

# check_output NAME: compares $out/NAME with the case's NAME or NAME.glob
check_output() {
  if [ -f "$case/$1" ]; then
    cmp -s "$out/$1" "$case/$1" && return 0
    if [ "${UPDATE:-0}" = 1 ]; then
      cp "$out/$1" "$case/$1"
      return 0
    fi
    diff "$case/$1" "$out/$1" | sed 's/^/    /'
  elif [ -f "$case/$1.glob" ]; then
    matches "$out/$1" "$case/$1.glob" && return 0
    sed 's/^/    wanted: /' "$case/$1.glob"
    sed 's/^/    got:    /' "$out/$1"
  else
    [ -s "$out/$1" ] || return 0
    sed "s/^/    not expected: /" "$out/$1"
  fi
  echo "  $1 differs"
  return 1
}

run_case() {
  name=$(basename "$case")
  out=$work/$name.out
  mkdir -p "$work/$name" "$out"
  for file in "$case"/*; do
    case ${file##*/} in
      cmd | stdout | stdout.glob | stderr.glob | exit) ;;
      *) cp "$file" "$work/$name/" ;;
    esac
  done
  code=0
  (cd "$work/$name" && sh "$case/cmd" </dev/null >"$out/stdout" 2>"$out/stderr") || code=$?
  wanted=0
  [ -f "$case/exit" ] && wanted=$(cat "$case/exit")
  ok=yes
  if [ "$code" -ne "$wanted" ]; then
    if [ "${UPDATE:-0}" = 1 ]; then
      echo "$code" >"$case/exit"
    else
      echo "  exit code $code, not $wanted"
      ok=no
    fi
  fi
  check_output stdout || ok=no
  check_output stderr || ok=no
  if [ "$code" -gt 1 ] && [ -s "$out/stdout" ]; then
    echo "  stdout is not empty although the exit code is $code"
    ok=no
  fi
  [ $ok = yes ]
}

passed=0
failed=0
[ $# -gt 0 ] || set -- "$cases"/*/
for case in "$@"; do
  case=$cases/$(basename "$case")
  if [ ! -f "$case/cmd" ]; then
    report="  no cmd in $case"
    ok=no
  elif report=$(run_case); then
    ok=yes
  else
    ok=no
  fi
  if [ $ok = yes ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n%s\n' "$(basename "$case")" "$report"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
