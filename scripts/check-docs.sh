#!/bin/sh
# check-docs.sh [ROOT] - documents and comments can be read in a terminal and followed. Fails on
# - a line of a document of more than 100 characters outside tables, fenced and indented blocks;
# - a link to a file or heading that does not exist;
# - a bound of the time models that the glossary does not have;
# - docs/model.md if it has more than 350 lines, or lacks the key of a law;
# - a comment of a C file, header or table (.def) that reaches beyond column 100.
LC_ALL=C && export LC_ALL
cd "${1:-.}" || exit 2
bad=0
for file in *.md docs/*.md */README.md */*/README.md validate/notes/*.md; do
    [ -f "$file" ] || continue
    awk '
        function characters(text) { gsub(/[\200-\277]/, "", text); return length(text) } # of UTF-8, bytes that start one
        # What a heading is called in links: lower case, blanks become dashes, all else but letters, digits, - and _ goes.
        function anchor(text) {
            sub(/^#+ */, "", text)
            text = tolower(text)
            gsub(/[^a-z0-9 _-]/, "", text)
            gsub(/ /, "-", text)
            return text
        }
        function note(what) { print FILENAME ":" FNR ": " what; bad = 1 }
        # All headings of a document, once.
        function headings_of(path,    line, code) {
            while ((getline line <path) > 0) {
                if (line ~ /^```/)
                    code = !code
                if (!code && line ~ /^#/)
                    headings[path, anchor(line)] = 1
            }
            close(path)
            read[path] = 1
        }
        function check_link(target, folder,    path, place) {
            if (target ~ /^[a-z]+:/)
                return
            place = index(target, "#")
            path = place == 1 ? FILENAME : folder (place ? substr(target, 1, place - 1) : target)
            if (system("test -e " path) != 0)
                note("no such file: " target)
            else if (place && path ~ /\.md$/) {
                if (!read[path])
                    headings_of(path)
                if (!((path, substr(target, place + 1)) in headings))
                    note("no such heading: " target)
            }
        }
        BEGIN { folder = FILENAME }
        FNR == 1 { folder = FILENAME; if (!sub(/[^\/]*$/, "", folder)) folder = "" }
        /^```/ { code = !code; next }
        code { next }
        !/^\|/ && !/^    / && !/^#/ && characters($0) > 100 { note("more than 100 characters") }
        {
            rest = $0
            gsub(/`[^`]*`/, "", rest)
            while (match(rest, /\]\([^) ]+\)/)) {
                check_link(substr(rest, RSTART + 2, RLENGTH - 3), folder)
                rest = substr(rest, RSTART + RLENGTH)
            }
        }
        END { exit bad }' "$file" || bad=1
done
for bound in $(sed -n 's/^WL_BOUND([A-Z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' include/warpline/bounds.def); do
    grep -q "^| \`$bound\` |" docs/glossary.md || { echo "docs/glossary.md: the bound $bound is missing"; bad=1; }
done
# The model is read in half an hour, and its table has every number of a law.
if [ -f docs/model.md ]; then
    [ "$(wc -l <docs/model.md)" -le 350 ] || { echo "docs/model.md: more than 350 lines"; bad=1; }
    for key in $(sed -n 's/^WL_DEVICE_[A-Z]*(\([a-z0-9_]*\), LAW,.*/\1/p' include/warpline/device_keys.def); do
        grep -q "\`$key\`" docs/model.md || { echo "docs/model.md: no law has the key $key"; bad=1; }
    done
fi
# Goes through each line by what comes next: a comment, a string, a character constant.
long=$(find . -path ./build -prune -o \( -name '*.c' -o -name '*.h' -o -name '*.def' \) -print | sort | xargs awk '
    function characters(text) { gsub(/[\200-\277]/, "", text); return length(text) }
    FNR == 1 { inside = 0 }
    {
        rest = $0
        seen = reaches = 0 # characters so far; the last one of a comment
        while (rest != "") {
            if (inside) {
                at = index(rest, "*/")
                step = at ? at + 1 : length(rest)
                inside = !at
                reaches = seen + step
            } else if (match(rest, /\/\*|\/\/|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047/)) {
                step = RSTART + RLENGTH - 1
                word = substr(rest, RSTART, RLENGTH)
                inside = word == "/*"
                if (word == "//")
                    reaches = seen + (step = length(rest))
            } else
                break
            seen += step
            rest = substr(rest, step + 1)
        }
        if (reaches > 100 && characters(substr($0, 1, reaches)) > 100)
            print FILENAME ":" FNR ": a comment of more than 100 columns"
    }' /dev/null)
[ -z "$long" ] || { printf '%s\n' "$long"; bad=1; }
[ $bad -eq 0 ] && echo "docs: ok"
exit $bad
