#!/bin/sh
# pytest.sh WARPLINE LIBRARY SOURCE CC: the tests of the Python module, with a Python that has pytest: the one in PATH or Debian's.
warpline=$1 library=$2 source=$3 cc=$4
for python in python3 /usr/bin/python3; do
    "$python" -c 'import pytest' 2>/dev/null && break
    python=""
done
[ -n "$python" ] || { echo "python: no pytest: skipped (Debian: python3-pytest, python3-numpy)" && exit 77; }
export WARPLINE_PROGRAM="$warpline" WARPLINE_LIBRARY="$library" PYTHONPATH="$source/python" PYTHONDONTWRITEBYTECODE=1 CC="$cc"
cd "$source/tests/python" && exec "$python" -m pytest -q -p no:cacheprovider .
