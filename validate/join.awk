# awk -f join.awk counters.txt NAME.time.csv NAME.ncu.csv: one table of the two, in launch order.
#
# NAME.time.csv   what the harness prints: a header and one row per launch, no quotes
# NAME.ncu.csv    the raw page of ncu: quoted cells, a header, a row of units, one row per launch; other lines are chatter
# Numbers lose their thousands separators. Launches that do not pair up are an error.

# Splits a line of CSV at the commas outside quotes; returns the number of cells.
function cells(line, out,    n, i, c, quoted) {
    n = 1
    out[1] = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted)
            out[++n] = ""
        else
            out[n] = out[n] c
    }
    return n
}

function fail(message) {
    print "join: " message > "/dev/stderr"
    failed = 1
    exit 1
}

# "(32, 8, 1)" as "32,8,1"
function shape(text) {
    gsub(/[() ]/, "", text)
    return text
}

# The columns of the time table from bx or gx on, as "32,8,1".
function timed_shape(row, first,    at) {
    at = column[first]
    return row[at] "," row[at + 1] "," row[at + 2]
}

function read_header(    n, i, cell) {
    n = cells($0, cell)
    for (i = 1; i <= n; i++)
        at_counter[cell[i]] = i
    for (i = 1; i <= counters; i++)
        if (!(counter[i] in at_counter))
            fail("the counters lack " counter[i])
    if (!("Block Size" in at_counter) || !("Grid Size" in at_counter))
        fail("the counters lack the launches' sizes")
}

function join_row(    i, cell, timed, value, line) {
    if (++joined > launches)
        fail("more launches were profiled than the " launches " timed ones")
    cells($0, cell)
    cells(launch[joined], timed)
    if (shape(cell[at_counter["Block Size"]]) != timed_shape(timed, "bx") || shape(cell[at_counter["Grid Size"]]) != timed_shape(timed, "gx"))
        fail("launch " joined " was timed with block " timed_shape(timed, "bx") " and grid " timed_shape(timed, "gx") \
             ", profiled with " cell[at_counter["Block Size"]] " and " cell[at_counter["Grid Size"]])
    line = launch[joined]
    for (i = 1; i <= counters; i++) {
        value = cell[at_counter[counter[i]]]
        gsub(/,/, "", value)
        line = line "," value
    }
    print line
}

FNR == 1 { file++ }
{ sub(/\r$/, "") }
file == 1 && $0 !~ /^(#|$)/ {
    short = short "," $1
    counter[++counters] = $2
}
file == 2 && FNR == 1 {
    print $0 short
    n = cells($0, name)
    for (i = 1; i <= n; i++)
        column[name[i]] = i
}
file == 2 && FNR > 1 { launch[++launches] = $0 }
file == 3 && /^"/ {
    quoted_lines++
    if (quoted_lines == 1)
        read_header()
    else if (quoted_lines > 2)
        join_row()
}
END {
    if (!failed && joined != launches)
        fail(launches + 0 " launches were timed, " joined + 0 " profiled")
}
