#!/bin/sh
# ptx_counts.sh WARPLINE MAKE_DATA SOURCE_ROOT DIRECTORY: see ptx_counts.py; skipped without python3.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
command -v python3 >/dev/null 2>&1 || { echo "python3 is not there"; exit 77; }
exec python3 -B "$3/tests/accuracy/ptx_counts.py" "$@"
