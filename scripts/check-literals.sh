#!/bin/sh
# check-literals.sh [FILE..] - a number that was fitted or measured belongs into a device file, and a number of the
# method has a name, a reason, and a line in scripts/method-constants.txt (or the file $METHOD_CONSTANTS), which says
# of what kind it is. Fails on a floating-point literal, but for 0, 1, 2 and 0.5, and on a whole number above 4 that
# stands in an expression (hexadecimal ones, shifts and sizes of arrays aside); on a named one (#define, static const,
# enum; but for 0 and 1) without a comment beside or above it, or without its line; and on lines of constants that are
# gone. Without files: all of src/count, src/replay, src/laws, src/model and src/timeline.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
list=${METHOD_CONSTANTS:-$(dirname "$0")/method-constants.txt}
whole=0
[ $# -gt 0 ] || {
    set -- src/count/*.[ch] src/replay/*.[ch] src/laws/*.[ch] src/model/*.[ch] src/timeline/*.[ch]
    whole=1
}
for file in "$list" "$@"; do
    [ -f "$file" ] || { echo "$file: no such file" && exit 2; }
done
awk -v list="$list" -v whole=$whole '
    BEGIN {
        while ((getline line < list) > 0) {
            if (line ~ /^#/ || line !~ /[^ \t]/)
                continue
            split(line, word, " ")
            listed[word[1] " " word[2]] = word[3]
            if (word[3] !~ /^(room|sample|rounds|rounding|layout|exact|compiler|tuned)$/)
                complain(list, word[2], "is of no known kind: " word[3])
        }
        close(list)
    }
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
    # The first floating-point literal that is not trivial, "" without one. In expressions, 2 and 0.5 are trivial, too.
    function literal_in(code, named,    text) {
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
                if (text + 0 != 0 && text + 0 != 1 && (named || text + 0 != 2 && text + 0 != 0.5))
                    return text
        }
        return ""
    }
    # The first whole number above `most` that is neither the size of an array nor hexadecimal.
    function integer_in(code, most,    text) {
        gsub(/\[[^]]*\]/, "", code)
        while (match(code, /[A-Za-z0-9_.]+/)) {
            text = substr(code, RSTART, RLENGTH)
            code = substr(code, RSTART + RLENGTH)
            if (text ~ /^[0-9]+[eE]$/) # 1e-9 is no whole number
                sub(/^[-+][0-9]+/, "", code)
            else if (text ~ /^[0-9]+[uUlL]*$/ && text + 0 > most)
                return text
        }
        return ""
    }
    function without_shifts(code) { gsub(/(<<|>>)[ ]*[0-9]+/, "", code); return code }
    function without_name(code) { sub(/#[ \t]*define[ \t]+[A-Za-z0-9_]+/, "", code); return code }
    # What a definition defines.
    function name_in(code) {
        if (code ~ /^[ \t]*#[ \t]*define/)
            sub(/^[ \t]*#[ \t]*define[ \t]+/, "", code)
        else {
            sub(/[ \t]*(\[[^]]*\])*[ \t]*=.*/, "", code)
            sub(/.*[^A-Za-z0-9_]/, "", code)
        }
        match(code, /^[A-Za-z0-9_]*/)
        return substr(code, 1, RLENGTH)
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
        else if (pending != "" && !((FILENAME " " defined) in listed))
            complain(pending_at, pending, "is " defined ", which " list " does not list: is it a number of the device?")
        if (pending != "" && listed[FILENAME " " defined] == "tuned")
            tuned++
        seen[FILENAME " " defined] = 1
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
            defined = ""
        }
        literal = literal_in(code, defining != "")
        if (defining != "") {
            explained = explained || commented
            if (literal == "")
                literal = integer_in(defining == "macro" ? without_name(code) : code, 1)
            if (code ~ /=/ || defining == "macro" && defined == "")
                defined = defined == "" ? name_in(code) : defined
            if (literal != "" && pending == "") {
                pending = literal
                pending_at = FILENAME ":" FNR
            }
            depth += gsub(/[{]/, "&", code) - gsub(/[}]/, "&", code)
            if (defining == "macro" ? code !~ /\\$/ : depth <= 0 && code ~ /;/)
                end_definition()
            next
        }
        if (literal == "" && code !~ /^[ \t]*#/)
            literal = integer_in(without_shifts(code), 4)
        if (literal != "")
            complain(FILENAME ":" FNR, literal, "stands in an expression: give it a name and a reason, or a device key")
        block_explained = bare ? commented : 0
    }
    END {
        for (key in listed)
            if (whole && !(key in seen))
                complain(list, key, "is listed, but not defined")
        if (whole && tuned > 0)
            print "literals: " tuned " tuned numbers are still in the code: see " list
        exit bad
    }' "$@" || exit 1
echo "literals: ok"
