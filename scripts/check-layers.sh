#!/bin/sh
# check-layers.sh [ROOT] - data flows one way: fails when a file includes a header that layers.txt does not allow its
# folder, when layers.txt itself names a later folder, or when the tool or an example looks behind the public headers.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
cd "${1:-.}" || exit 2
for file in src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] include/warpline/*; do
    [ -f "$file" ] || continue
    sed -n "s|^#include \"\\([^\"]*\\)\".*|include $file \\1|p" "$file"
done | awk '
    function fail(text) { print text; bad = 1 }
    function folder_of(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "." }
    FNR == NR && (/^#/ || NF == 0) { next }
    FNR == NR && $1 == "header" { owner[$2] = $3; place[$2] = ++headers; next }
    FNR == NR {
        known[$1] = may[$1, $1] = 1
        for (i = 2; i <= NF; i++) {
            may[$1, $i] = 1
            if (!($i in known))
                fail("layers.txt: " $1 " may not use " $i ", which stands below it")
        }
        next
    }
    { header = $3 ~ /^warpline\// ? substr($3, length("warpline/") + 1) : "" }
    $2 ~ /^include\// {
        from = substr($2, length("include/warpline/") + 1)
        if (!(from in place) || !(header in place))
            fail($2 ": layers.txt knows no place for it, or for " $3)
        else if (place[header] >= place[from])
            fail($2 ": may not include " $3 ", which stands below it")
        next
    }
    {
        from = folder_of(substr($2, length("src/") + 1))
        to = header != "" ? owner[header] : folder_of($3)
        if (!(from in known))
            fail($2 ": layers.txt knows no folder " from)
        else if (!((from, to) in may))
            fail($2 ": " from "/ may not include " $3)
    }
    END { exit bad }' scripts/layers.txt - || status=1

# What stands outside the library sees the public headers alone, but for what measures or tests its insides.
outside=$(ls cli/*.[ch] examples/*.c validate/report/*.[ch] calibrate/*.[ch] 2>/dev/null)
for file in $outside; do
    for folder in $(sed -n 's|^#include "\([a-z_]*\)/.*|\1|p' "$file"); do
        [ ! -d "src/$folder" ] || { echo "$file: may include public headers (warpline/...) only" && status=1; }
    done
done
[ "${status:-0}" = 0 ] && echo "layers: ok"
exit "${status:-0}"
