#!/bin/sh
# columns.sh WARPLINE ROOT: published times of threads in columns on an RTX 2080 Super (validate/columns.py), in part.
command -v python3 >/dev/null 2>&1 || { echo "skipped: no python3" && exit 77; }
python3 -B "$2/validate/columns.py" "$1" --check
