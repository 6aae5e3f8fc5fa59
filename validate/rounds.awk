# awk -f rounds.awk NAME.time.1.csv NAME.time.2.csv ..: one table of the times of several runs of a program.
#
# Each file is what the harness prints. A launch has the median of its medians, and its least time. What an event takes
# to be recorded differs between processes by up to a microsecond: one run alone says little of short launches.
BEGIN { FS = OFS = "," }

FNR == 1 {
    runs++
    median = least = 0
    for (i = 1; i <= NF; i++)
        if ($i == "ms_median") median = i
        else if ($i == "ms_min") least = i
    if (!median || !least || (runs > 1 && $0 != header)) fail("a file has other columns: " FILENAME)
    header = $0
    next
}

{
    time[FNR, runs] = $median
    minimum[FNR] = FNR in row && minimum[FNR] < $least ? minimum[FNR] : $least
    $median = $least = ""
    if (FNR in row && row[FNR] != $0) fail("runs have other launches: " FILENAME ", line " FNR)
    row[FNR] = $0
    if (FNR > rows) rows = FNR
    seen[FNR]++
}

function fail(message) {
    print "rounds: " message > "/dev/stderr"
    failed = 1
    exit 1
}

# The lower one of the middle two, if the number of runs is even.
function middle(r,    i, j, swap, sorted) {
    for (i = 1; i <= runs; i++) sorted[i] = time[r, i]
    for (i = 2; i <= runs; i++)
        for (j = i; j > 1 && sorted[j - 1] + 0 > sorted[j] + 0; j--) {
            swap = sorted[j]
            sorted[j] = sorted[j - 1]
            sorted[j - 1] = swap
        }
    return sorted[int((runs + 1) / 2)]
}

END {
    if (failed) exit 1
    if (!runs) fail("there is no file")
    print header
    for (r = 2; r <= rows; r++) {
        if (seen[r] != runs) fail("line " r " is not in all files")
        $0 = row[r]
        $median = middle(r)
        $least = minimum[r]
        print
    }
}
