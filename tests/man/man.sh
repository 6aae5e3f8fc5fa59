#!/bin/sh
# man.sh WARPLINE PAGES SOURCE: the man pages. One for each command, with all its options; what the manual says of it is there;
# nothing of the Markdown is left; mandoc and groff, where they are installed, find nothing wrong.
LC_ALL=C && export LC_ALL
warpline=$1 pages=$2 source=$3
tmp=$(mktemp -d "${TMPDIR:-/tmp}/warpline-man.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "man: $*" && failures=$((failures + 1)); }
# A page as plain words: without requests, fonts and escapes.
words() {
    sed -e '/^'"'"'\\"/d; /^\.\\"/d; /^\.[a-zA-Z]/{s/^\.S[HS] //;t keep' -e 'd' -e ':keep' -e '}' \
        -e 's/\\f[BIR]//g; s/\\-/-/g; s/\\&//g; s/\\://g; s/\\(aq/'"'"'/g; s/\\e/\\/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\(ga/`/g' "$1" | tr -s ' \n\t' ' '
}

"$warpline" --help | awk '/^  [a-z]/ { print $1 }' >"$tmp/commands"
while read -r command; do
    page=$pages/warpline-$command.1
    [ -f "$page" ] || { fail "there is no page for $command" && continue; }
    "$warpline" "$command" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' >"$tmp/listed"
    sed -n 's/^\\fB\(\\-\\-[a-z0-9\\-]*\)\\fR.*/\1/p' "$page" | sed 's/\\-/-/g' >"$tmp/shown"
    for option in $(cat "$tmp/listed"); do
        grep -qx -e "$option" "$tmp/shown" || fail "warpline-$command(1) lacks $option"
    done
    grep -q "^.SH SYNOPSIS" "$page" && grep -q "warpline $command" "$page" || fail "warpline-$command(1) has no synopsis"
    grep -q -e "warpline.-$command" "$pages/warpline.1" || fail "warpline(1) does not name $command"
done <"$tmp/commands"

# A section of the manual is on the page of the command it is called by, the others on warpline(1).
awk '/^```/ { code = !code } !code && /^## / { title = substr($0, 4); wanted = 1; next }
    wanted && !code && /^[A-Z][a-z]/ { print title "\t" $0; wanted = 0 }' "$source/docs/manual.md" |
    sed 's/`//g; s/\*\*//g; s/\[\([^]]*\)\]([^)]*)/\1/g; s/\[.*//' >"$tmp/sections"
[ "$(wc -l <"$tmp/sections")" -gt 10 ] || fail "the manual has no sections"
while IFS='	' read -r title sentence; do
    name=warpline
    grep -qx "${title%% *}" "$tmp/commands" && name=warpline-${title%% *}
    words "$pages/$name.1" >"$tmp/words"
    grep -qF -e "$sentence" "$tmp/words" || fail "$name(1) lacks what the manual says in $title: $sentence"
done <"$tmp/sections"
for document in input:5 model:7 schedule:7; do
    [ -f "$pages/warpline-${document%:*}.${document#*:}" ] || fail "docs/${document%:*}.md has no page"
done
exit_codes=$(grep -c '^| [0-9]* | ' "$source/docs/manual.md")
[ "$exit_codes" -gt 4 ] || fail "the manual has no exit codes"
words "$pages/warpline.1" | grep -q 'EXIT\|bad input' || fail "warpline(1) has no exit codes"

for page in "$pages"/*.[157]; do
    sed '/^\.nf$/,/^\.fi$/d' "$page" >"$tmp/text" # without code
    words "$tmp/text" >"$tmp/words"
    left=$(grep -oE '.{0,30}(\]\(|\*\*[A-Za-z]|```|\|---|\\\|).{0,30}' "$tmp/words")
    [ -z "$left" ] || fail "${page##*/}: Markdown is left: $left"
done
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "$pages"/*.[157] >"$tmp/lint" 2>&1 || { head -20 "$tmp/lint" && fail "mandoc warns"; }
else
    echo "man: no mandoc"
fi
if command -v groff >/dev/null 2>&1; then # on a terminal of 80 columns
    for page in "$pages"/*.[157]; do
        groff -t -man -Tutf8 -K utf8 -ww -rcR=1 -rLL=78n -z "$page" >"$tmp/warnings" 2>&1
        [ -s "$tmp/warnings" ] && { echo "${page##*/}:" && head -5 "$tmp/warnings" && fail "groff warns"; }
    done
else
    echo "man: no groff"
fi
if man --warnings -l "$pages/warpline.1" >/dev/null 2>&1; then # that of man-db, as users and lintian call it
    for page in "$pages"/*.[157]; do
        MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>"$tmp/warnings" >/dev/null
        [ -s "$tmp/warnings" ] && { echo "${page##*/}:" && head -5 "$tmp/warnings" && fail "man warns"; }
    done
else
    echo "man: no man-db"
fi
[ $failures = 0 ] && echo "man: ok, $(ls "$pages"/*.[157] | wc -l) pages"
exit $((failures > 0))
