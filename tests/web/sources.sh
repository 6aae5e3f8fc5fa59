#!/bin/sh
# sources.sh ROOT - the sources of the page and its modules, without a page; skipped without python3, and in part without node.
LC_ALL=C && export LC_ALL
command -v python3 >/dev/null 2>&1 || { echo "python3 is not there: skipped"; exit 77; }
python3 -B "$1/tests/web/sources.py" "$1" || exit 1
if command -v node >/dev/null 2>&1; then
    node "$1/tests/web/units.mjs" "$1" || exit 1
else
    echo "node is not there: modules are not tested: skipped"
    exit 77
fi
