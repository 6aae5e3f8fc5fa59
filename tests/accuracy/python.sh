#!/bin/sh
# python.sh TEST WARPLINE MAKE_DATA SOURCE_ROOT DIRECTORY: runs TEST.py of this directory; skipped without python3.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
command -v python3 >/dev/null 2>&1 || { echo "python3 is not there"; exit 77; }
test=$1
shift
exec python3 -B "$3/tests/accuracy/$test.py" "$@"
