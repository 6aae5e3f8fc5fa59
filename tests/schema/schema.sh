#!/bin/sh
# schema.sh WARPLINE ROOT - every JSON output against its schema; skipped without python3.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
command -v python3 >/dev/null 2>&1 || { echo "python3 is not there: skipped"; exit 77; }
exec python3 -B "$2/tests/schema/schema.py" "$1" "$2"
