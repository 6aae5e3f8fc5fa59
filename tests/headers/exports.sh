#!/bin/sh
# exports.sh LIBRARY SOURCE: what the shared library exports is what the public headers declare, and each function has a
# caller outside the library or a test.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
library=$1
cd "$2" || exit 2
command -v nm >/dev/null 2>&1 || { echo "exports: no nm" && exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
nm -D --defined-only "$library" | awk '$2 ~ /[TDRB]/ && $3 ~ /^wl_/ { sub(/@.*/, "", $3); print $3 }' | sort -u >"$tmp/exported"
cat include/warpline/*.h | tr '\n' ' ' | grep -oE "(WL_API|WL_FALLIBLE) [^;]*;" | sed 's/(.*//' | grep -o 'wl_[a-z0-9_]*$' | sort -u >"$tmp/declared"
status=0
if ! diff "$tmp/declared" "$tmp/exported" >"$tmp/difference"; then
    echo "exports: declared (<) and exported (>) differ:" && cat "$tmp/difference" && status=1
fi
cat cli/*.c tests/*/*.[ch] tests/*/*.sh examples/*.c bench/*.[ch] validate/*/*.[ch] preload/*.c preload/*/*.c | grep -o 'wl_[a-z0-9_]*' | sort -u >"$tmp/used"
unused=$(comm -23 "$tmp/declared" "$tmp/used")
[ -z "$unused" ] || { echo "exports: no caller and no test:" $unused && status=1; }
[ $status = 0 ] && echo "exports: ok, $(wc -l <"$tmp/declared") functions"
exit $status
