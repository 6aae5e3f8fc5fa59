#!/bin/sh
# page.sh WARPLINE ROOT - the file of 'warpline report', as it is and as a browser shows it; skipped without python3, and
# the part that needs Chromium without that.
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
command -v python3 >/dev/null 2>&1 || { echo "python3 is not there: skipped"; exit 77; }
for browser in chromium chromium-browser google-chrome; do
    command -v $browser >/dev/null 2>&1 && break
    browser=
done
exec python3 -B "$2/tests/page/page.py" "$1" "$2" $browser
