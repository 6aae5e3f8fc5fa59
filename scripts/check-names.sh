#!/bin/sh
# check-names.sh [ROOT] - a file is found by its name: fails when two sources or scripts have the same one. A public
# header and the source behind it may share theirs.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
cd "${1:-.}" || exit 2
same=$(find bench calibrate cli examples include man python scripts src tests validate -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.def' -o -name '*.sh' -o -name '*.py' -o -name '*.awk' \) |
    awk -F/ '{ n[$NF]++; where[$NF] = where[$NF] " " $0 } END { for (f in n) if (n[f] > 1) print f ":" where[f] }')
[ -z "$same" ] || { echo "names: several files of one name:" && echo "$same" && exit 1; }
echo "names: ok"
