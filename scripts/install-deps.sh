#!/bin/sh
# install-deps.sh [PACKAGE...] - installs what building and testing need, and the packages named, where apt can; names the packages elsewhere.
# Does nothing, quickly, when all is there.
set -eu
packages="gcc libc6-dev cmake ninja-build pkg-config libyaml-dev libjansson-dev libcminpack-dev libzstd-dev libcmocka-dev libisl-dev libgmp-dev $*"

missing=""
for package in $packages; do
    if command -v dpkg-query >/dev/null 2>&1; then
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    fi
done
if ! command -v dpkg-query >/dev/null 2>&1; then
    for tool in cc cmake pkg-config; do
        command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
    done
    [ -z "$missing" ] || { echo "install-deps: please install:$missing, and the development files of libyaml, jansson, cminpack, zstd, cmocka, isl and gmp" >&2; exit 1; }
    exit 0
fi
[ -z "$missing" ] && exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "install-deps: please run as root: apt-get install -y$missing" >&2; exit 1; }
    as_root=sudo
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "install-deps: apt-get failed" >&2
    exit 1
fi
rm -f "$log"
