#!/bin/sh
# web.sh WARPLINE ROOT [PICTURES] - the page of `make web`, where it was made from the sources as they are: its numbers against the
# command line in Node, and the page itself in a headless Chromium. Screenshots go to PICTURES.
LC_ALL=C && export LC_ALL
warpline=$1 root=$2 pictures=${3:-} page=$2/build/web/index.html
skip() {
    echo "web: $1: skipped"
    exit 77
}
[ -f "$page" ] || skip "the page is not made (make web)"
command -v python3 >/dev/null 2>&1 || skip "python3 is not there"
command -v node >/dev/null 2>&1 || skip "node is not there"
grep -q "content=\"$(python3 -B "$root/web/bundle.py" --digest)\"" "$page" || skip "the page is older than its sources (make web)"
node "$root/tests/web/same_json.mjs" "$page" "$warpline" "$root" || exit 1
for browser in chromium chromium-browser google-chrome; do
    command -v $browser >/dev/null 2>&1 && break
    browser=
done
[ -n "$browser" ] || skip "no Chromium is there to open the page"
exec python3 -B "$root/tests/web/browser.py" "$page" "$warpline" "$root" $browser $pictures
