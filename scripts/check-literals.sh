#!/bin/sh
# check-literals.sh [FILE..] - a number that was fitted or measured belongs into a device file, and a number of the
# method has a name and a reason. Fails on a floating-point literal, but for 0, 1, 2 and 0.5, that stands in an
# expression, and on a named one (#define, static const, enum) without a comment beside or above it.
# Without files: all of src/count, src/replay, src/laws and src/model.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
[ $# -gt 0 ] || set -- src/count/*.[ch] src/replay/*.[ch] src/laws/*.[ch] src/model/*.[ch]
for file in "$@"; do
    [ -f "$file" ] || { echo "$file: no such file" && exit 2; }
done
awk '
    # The line without comments, strings and characters; sets commented when there was a comment.
    function code_of(line,    out, at) {
        out = ""
        commented = in_comment
        while (line != "") {
            if (in_comment) {
                at = index(line, "*/")
                if (!at)
                    return out
                line = substr(line, at + 2)
                in_comment = 0
            } else if (match(line, /^"([^"\\]|\\.)*"/) || match(line, /^\047([^\047\\]|\\.)*\047/)) {
                line = substr(line, RLENGTH + 1)
                out = out "_"
            } else if (substr(line, 1, 2) == "/*") {
                in_comment = commented = 1
                line = substr(line, 3)
            } else if (substr(line, 1, 2) == "//") {
                commented = 1
                return out
            } else {
                out = out substr(line, 1, 1)
                line = substr(line, 2)
            }
        }
        return out
    }
    # The first floating-point literal that is not trivial, "" without one.
    function literal_in(code,    text) {
        while (match(code, /[A-Za-z0-9_.]+/)) {
            text = substr(code, RSTART, RLENGTH)
            code = substr(code, RSTART + RLENGTH)
            if (text ~ /^([0-9.]+[eE]|0[xX][0-9a-fA-F.]+[pP])$/ && match(code, /^[-+][0-9]+[fFlL]?/)) {
                text = text substr(code, 1, RLENGTH)
                code = substr(code, RLENGTH + 1)
            }
            if (text ~ /^0[xX][0-9a-fA-F.]*[pP]/)
                return text
            if (text ~ /^([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fFlL]?$/ || text ~ /^[0-9]+[eE][-+]?[0-9]+[fFlL]?$/)
                if (text + 0 != 0 && text + 0 != 1 && text + 0 != 2 && text + 0 != 0.5)
                    return text
        }
        return ""
    }
    function is_function(code) { return match(code, /[({=;]/) && substr(code, RSTART, 1) == "(" }
    function complain(where, literal, what) {
        print where ": " literal " " what
        bad = 1
    }
    # A definition ends: a comment beside one of its lines, or above it with nothing but definitions between.
    function end_definition() {
        if (pending != "" && !explained && !block_explained)
            complain(pending_at, pending, "has a name, but no comment beside or above it")
        defining = ""
        pending = ""
    }
    FNR == 1 { in_comment = block_explained = 0; defining = pending = "" }
    {
        code = code_of($0)
        bare = code !~ /[^ \t]/
        if (defining == "") {
            if (code ~ /^[ \t]*#[ \t]*define[ \t]/)
                defining = "macro"
            else if (code ~ /^[ \t]*(static const|enum|typedef enum)[ \t{]/ && !is_function(code))
                defining = "declaration"
            explained = depth = 0
        }
        literal = literal_in(code)
        if (defining != "") {
            explained = explained || commented
            if (literal != "" && pending == "") {
                pending = literal
                pending_at = FILENAME ":" FNR
            }
            depth += gsub(/[{]/, "&", code) - gsub(/[}]/, "&", code)
            if (defining == "macro" ? code !~ /\\$/ : depth <= 0 && code ~ /;/)
                end_definition()
            next
        }
        if (literal != "")
            complain(FILENAME ":" FNR, literal, "stands in an expression: give it a name and a reason, or a device key")
        block_explained = bare ? commented : 0
    }
    END { exit bad }' "$@" || exit 1
echo "literals: ok"
