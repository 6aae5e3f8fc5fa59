#!/bin/sh
# check-calls.sh OBJECTS [ROOT] - what includes cannot show: fails when an object file calls a function that is defined in a
# folder layers.txt does not allow, whatever header declared it. OBJECTS is the folder of the library's object files.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
command -v nm >/dev/null 2>&1 || { echo "calls: no nm" && exit 77; }
objects=$1
cd "${2:-.}" || exit 2
# one nm for all of them; those left over from a file that has moved do not count
(cd "$objects" && find . -name '*.c.o' -path '*/src/*') | sort | while read -r object; do
    name=${object#*/src/}
    [ -f "src/${name%.o}" ] && printf '%s\n' "$objects/$object"
done | xargs nm -A -g | awk '
    NF > 1 {
        name = $1
        sub(/^.*\/src\//, "", name)
        sub(/\.o:.*$/, "", name)
        folder = name
        if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
        if ($(NF - 1) ~ /^[TDRBC]$/) print "defines", folder, $NF, name
        if ($(NF - 1) ~ /^(.*:)?U$/) print "uses", folder, $NF, name
    }' | awk '
    FNR == NR && (/^#/ || NF == 0 || $1 == "header") { next }
    FNR == NR { known[$1] = 1; for (i = 1; i <= NF; i++) may[$1, $i] = 1; next }
    $1 == "defines" { home[$3] = $2; next }
    { from[++n] = $2; symbol[n] = $3; file[n] = $4 }
    END {
        for (i = 1; i <= n; i++) {
            to = home[symbol[i]]
            if (to != "" && !((from[i], to) in may)) {
                print "src/" file[i] ": " from[i] "/ may not call " symbol[i] " of " to "/"
                bad = 1
            }
        }
        if (n == 0) { print "calls: no object files"; bad = 1 }
        if (!bad) print "calls: ok"
        exit bad
    }' scripts/layers.txt -
