#!/bin/sh
# web.sh WARPLINE ROOT [PICTURES] - the page of `make web`: its sources and modules; where it was made, its numbers against the
# command line in Node, and the page itself in a headless Chromium. What cannot be tested here is said; screenshots go to PICTURES.
LC_ALL=C && export LC_ALL
warpline=$1 root=$2 pictures=${3:-} page=$2/build/web/index.html
missing=
command -v python3 >/dev/null 2>&1 || { echo "python3 is not there: skipped"; exit 77; }
python3 -B "$root/tests/web/sources.py" "$root" || exit 1
if command -v node >/dev/null 2>&1; then
    node "$root/tests/web/units.mjs" "$root" || exit 1
else
    missing="node is not there"
fi
if [ ! -f "$page" ]; then
    missing="the page is not made (make web)"
elif ! grep -q "content=\"$(python3 -B "$root/web/bundle.py" --digest)\"" "$page"; then
    missing="the page is older than its sources (make web)"
fi
[ -z "$missing" ] || { echo "web: $missing: skipped"; exit 77; }
node "$root/tests/web/same_json.mjs" "$page" "$warpline" "$root" || exit 1
for browser in chromium chromium-browser google-chrome; do
    command -v $browser >/dev/null 2>&1 && break
    browser=
done
[ -n "$browser" ] || { echo "web: no Chromium is there to open the page: skipped"; exit 77; }
exec python3 -B "$root/tests/web/browser.py" "$page" "$warpline" "$root" $browser $pictures
