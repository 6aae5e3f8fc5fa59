#!/bin/sh
# make-deb.sh - builds the Debian packages and their source package into build/deb, from what git
# knows of this checkout, and has lintian look at them.
# With CHROOT=FOLDER they are then installed in that clean system (as `mmdebstrap --variant=minbase bookworm FOLDER` makes it)
# and run there, as root.
set -eu
cd "$(dirname "$0")/.."
sh scripts/install-deps.sh debhelper dh-python dpkg-dev fakeroot python3
version=$(dpkg-parsechangelog -S Version)
out=$PWD/build/deb
tree=$out/warpline-$version
rm -rf "$out"
mkdir -p "$tree"
git ls-files -z | xargs -0 cp --parents -P -t "$tree"
log=$out/build.log
(cd "$tree" && dpkg-buildpackage -us -uc) >"$log" 2>&1 || { tail -40 "$log" && exit 1; }
ls "$out"/*.deb

if command -v lintian >/dev/null 2>&1; then
    lintian --allow-root --info --display-info --fail-on error,warning,info "$out"/*.changes
    echo "lintian: clean"
else
    echo "lintian is not installed: not checked"
fi
[ -n "${CHROOT:-}" ] || exit 0

mkdir -p "$CHROOT/debs"
cp "$out"/*.deb "$CHROOT/debs/"
cp tests/package/consumer/consumer.c "$CHROOT/debs/"
cp /etc/resolv.conf "$CHROOT/etc/resolv.conf"
# shellcheck disable=SC2016 # for the shell inside
chroot "$CHROOT" sh -euc '
    export DEBIAN_FRONTEND=noninteractive
    apt-get update >/dev/null
    apt-get install -y --no-install-recommends /debs/*.deb >/dev/null
    warpline --version
    warpline predict star3d_r4 --device h200 --block 32x8 | head -3
    python3 -c "import warpline; print(warpline.rank(\"triad\", \"h200\").best[\"block_x\"])"
    test -e /usr/share/bash-completion/completions/warpline
    apt-get install -y --no-install-recommends gcc libc6-dev pkg-config python3-numpy >/dev/null
    gcc /debs/consumer.c $(pkg-config --cflags --libs warpline) -o /tmp/consumer && /tmp/consumer
    gcc /debs/consumer.c $(pkg-config --cflags warpline) -Wl,-Bstatic -lwarpline -Wl,-Bdynamic $(pkg-config --static --libs warpline) -o /tmp/consumer && /tmp/consumer
    python3 -c "import warpline; print(warpline.rank(\"triad\", \"h200\").columns[\"time_s\"].dtype)"
    apt-get purge -y warpline libwarpline-dev libwarpline0.2 python3-warpline >/dev/null
    test ! -e /usr/bin/warpline && echo "chroot: installed, ran, removed"'
