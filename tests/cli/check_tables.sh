#!/bin/sh
# check_tables.sh CLI_TABLES FLATTEN: does the program that runs the tables see what is wrong?
# Each check writes a table and says how cli_tables must end; the command under test is a script.
set -u
LC_ALL=C
export LC_ALL
[ $# -eq 2 ] || { echo "usage: check_tables.sh CLI_TABLES FLATTEN" >&2; exit 2; }
run=$1
flatten=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-tables.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM HUP
cd "$work" || exit 2
mkdir -p tests/cli/data
cat >tool <<'EOF'
#!/bin/sh
case $1 in
  words) printf 'one\ntwo\nthree\n' ;;
  number) echo "time $2 s" ;;
  bad) echo "no such thing" >&2; exit 3 ;;
  cut) printf 'no end' ;;
  file) cat k.yaml ;;
esac
EOF
chmod +x tool
failed=0
checks=0

# check WHAT EXIT_CODE [TEXT]: runs the table on stdin; TEXT must be in what cli_tables prints
check() {
  checks=$((checks + 1))
  cat >t.test
  "$run" tool "$flatten" . t.test >printed 2>&1
  code=$?
  if [ $code -ne "$2" ] || ! grep -qF -e "${3:-}" printed; then
    echo "FAILED: $1: exit code $code, not $2, or not printed: ${3:-}"
    sed 's/^/  /' printed
    failed=$((failed + 1))
  fi
}

# expect WHAT EXIT_CODE TEXT COMMAND LINE...: one case, whose expected lines are given
expect() {
  what=$1 wanted=$2 text=$3
  {
    printf '[a]\n$ %s\n' "$4"
    shift 4
    printf '%s\n' "$@"
  } >one
  check "$what" "$wanted" "$text" <one
}

expect 'as expected' 0 '1 passed, 0 failed, 0 skipped' 'warpline words' '> one' '> two' '> three'
expect 'another word' 1 '    - zwei' 'warpline words' '> one' '> zwei' '> three'
expect 'what was printed' 1 '    + two' 'warpline words' '> one' '> zwei' '> three'
expect 'a line missing' 1 '    - four' 'warpline words' '> one' '> two' '> three' '> four'
expect 'a line too many' 1 '    + three' 'warpline words' '> one' '> two'
expect 'another order' 1 '0 passed, 1 failed' 'warpline words' '> two' '> one' '> three'
expect 'more at the end of a line' 1 '    - on' 'warpline words' '> on' '> two' '> three'
expect 'no output expected' 1 '    + three' 'warpline words; echo x >&2' '2> x'
expect 'no end of the last line' 1 'no newline at the end' 'warpline cut' '> no end'
expect 'the exit code and a message' 0 '1 passed' 'warpline bad' 'exit 3' '2> no such thing'
expect 'another exit code' 1 'exit code 3, not 4' 'warpline bad' 'exit 4' '2> no such thing'
expect 'a failure not expected' 1 'exit code 3, not 0' 'warpline bad' '2> no such thing'
expect 'another message' 1 '    + no such thing' 'warpline bad' 'exit 3' '2> nothing'
expect 'a message on the other stream' 1 '    + no such thing' 'warpline bad' 'exit 1' '> no such thing'
expect 'a crash' 1 'exit code 139, not 0' 'kill -SEGV $$' '2> x'

expect 'a pattern' 0 '1 passed' 'warpline words' '>~ o?e' '>~ [st]w*' '> three'
expect 'a pattern that does not match' 1 '    -~ o?' 'warpline words' '>~ o?' '> two' '> three'
expect 'a pattern is not a line' 1 '    - o*' 'warpline words' '> o*' '> two' '> three'
expect 'a run of lines' 0 '1 passed' 'warpline words' '> ...' '> three'
expect 'a run of no lines' 0 '1 passed' 'warpline words' '> one' '> ...' '> two' '> three'
expect 'the run ends at the last match' 0 '1 passed' 'warpline words; warpline words' '> ...' '> two' '> three'
expect 'nothing after the last line' 1 '    + three' 'warpline words' '> ...' '> two'
expect 'not in the run' 1 '    - four' 'warpline words' '> one' '> ...' '> four'

expect 'the last digits' 0 '1 passed' 'warpline number 0.1234567890123' '> time 0.1234567890124 s'
expect 'fewer digits of the same' 0 '1 passed' 'warpline number 0.3' '> time 0.30000000000000004 s'
expect 'digits before those' 1 '    - time 0.1234568' 'warpline number 0.1234567890123' '> time 0.1234568890123 s'
expect 'few digits' 1 '    - time 0.12345' 'warpline number 0.12346' '> time 0.12345 s'
expect 'whole numbers' 1 '    - time 123456789012' 'warpline number 123456789013' '> time 123456789012 s'
expect 'the text behind a number' 1 '    - time' 'warpline number 0.1234567890123' '> time 0.1234567890123 ms'
expect 'another sign' 1 '    - time' 'warpline number 0.1234567890123' '> time -0.1234567890123 s'

expect 'anything' 2 'accepts any output' 'warpline words' '> ...'
expect 'any line' 2 'accepts any output' 'warpline words' '>~ *' '> ...'
expect 'any message' 2 'accepts any output' 'warpline words' '> one' '2> ...'
expect 'nothing at all' 2 'show nothing' 'warpline words'
expect 'output of a failure' 2 'prints nothing on stdout' 'warpline words' 'exit 3' '> one'
expect 'a line of no kind' 2 'not understood' 'warpline words' '> one' 'two'
expect 'an exit code that is none' 2 'not understood' 'warpline words' 'exit three' '> one'
check 'no command' 2 'no command' <<'EOF'
[a]
> one
EOF
check 'one name twice' 2 'another case is called a' <<'EOF'
[a]
$ warpline words
> one

[a]
$ warpline words
> one
EOF
check 'no name' 2 'not in a case' <<'EOF'
$ warpline words
> one
EOF
check 'no table' 2 'no case to run' </dev/null
check 'a file of the case, and a comment' 0 '1 passed' <<'EOF'
# A table.

# a case
[a]
@ k.yaml
: name: k
:
: type: f64
$ warpline file
> name: k
>
> type: f64
EOF
check 'one of two fails' 1 '1 passed, 1 failed, 0 skipped' <<'EOF'
[a]
$ warpline words
> one
> ...

[b]
$ warpline words
> two
> ...
EOF
check 'what this machine has not' 0 '0 passed, 0 failed, 1 skipped' <<'EOF'
[a]
needs [ -e /no/such/file ]
$ warpline words
> no
EOF
check 'what this machine has' 1 '0 passed, 1 failed, 0 skipped' <<'EOF'
[a]
needs [ -e / ]
$ warpline words
> no
EOF

# an update: patterns that match stay, the rest becomes what is printed, and the table passes
cat >t.test <<'EOF'
# A table.

# a case
[a]
$ warpline words
exit 2
2> no

[b]
$ warpline words
>~ o*
> zwei
> ...
EOF
cat >wanted <<'EOF'
# A table.

# a case
[a]
$ warpline words
> one
> two
> three

[b]
$ warpline words
>~ o*
> two
> ...
EOF
checks=$((checks + 1))
"$run" --update tool "$flatten" . t.test >printed 2>&1 && diff wanted t.test && "$run" tool "$flatten" . t.test >printed 2>&1 || {
  echo "FAILED: an update"
  cat printed
  failed=$((failed + 1))
}
echo "$((checks - failed)) passed, $failed failed"
[ $failed -eq 0 ]
