# wrap.awk - breaks the sentences of a Markdown file into lines of at most 100 characters. Tables, headings, pictures and
# code stay as they are. A line never begins with what Markdown would take for a list, a heading or a table.
function characters(text) { gsub(/[\200-\277]/, "", text); return length(text) } # of UTF-8: not its continuation bytes
function is_markup(word) { return word ~ /^([-+*]|#+|[0-9]+[.)]|\|.*|>.*)$/ }
function emit(line) { sub(/\001/, " ", line); print line }
function wrap(text, indent,    count, words, i, line, last) {
    count = split(text, words, / +/)
    line = words[1]
    for (i = 2; i <= count; i++) {
        if (characters(line " " words[i]) <= 100) {
            line = line " " words[i]
            continue
        }
        last = ""
        if (is_markup(words[i])) { # the word before it goes along
            last = line
            sub(/.* /, "", last)
            line = substr(line, 1, length(line) - length(last) - 1)
            last = last " "
        }
        emit(line)
        line = indent last words[i]
    }
    emit(line)
}
/^```/ { code = !code }
code || /^($|```|\||#|!\[|    )/ || characters($0) <= 100 { print; next }
{
    marker = match($0, /^ *([-*]|[0-9]+\.) /) ? RLENGTH : 0
    lead = substr($0, 1, marker)
    gsub(/[^ ]/, " ", lead)
    if (marker) # the marker and the first word are one
        wrap(substr($0, 1, marker - 1) "\001" substr($0, marker + 1), lead)
    else
        wrap($0, "")
}
