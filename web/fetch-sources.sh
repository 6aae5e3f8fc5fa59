#!/bin/sh
# fetch-sources.sh FOLDER - the sources of the libraries that the core needs, as Debian has them, unpacked in FOLDER. apt checks
# their signatures. The lists of apt on this machine stay as they are: those of sources are kept in FOLDER.
set -eu
packages="libyaml jansson cminpack libzstd"
mkdir -p "$1"
cd "$1"
[ ! -f complete ] || exit 0

command -v apt-get >/dev/null 2>&1 || {
    echo "web: no apt-get here: unpack the sources of $packages in $1 and make the file $1/complete" >&2
    exit 1
}
echo "web: fetching the sources of $packages"
mkdir -p apt/lists/partial apt/cache/archives/partial
# where this machine's own copy of a library comes from: "500 http://deb.debian.org/debian bookworm/main amd64 Packages"
apt-cache policy libyaml-dev | awk '$1 ~ /^[0-9]+$/ && $NF == "Packages" {
    split($3, part, "/"); print "deb-src " $2 " " part[1] " " part[2]; exit}' >apt/sources.list
[ -s apt/sources.list ] || echo "deb-src http://deb.debian.org/debian stable main" >apt/sources.list
apt_private() {
    apt-get -o Dir::Etc::SourceList="$PWD/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User="" "$@"
}
{ apt_private update && apt_private source --download-only --tar-only $packages; } >apt.log 2>&1 || {
    cat apt.log >&2
    echo "web: the sources of $packages cannot be fetched" >&2
    exit 1
}
for archive in *.orig.tar.*z; do
    tar xf "$archive"
done
for package in libyaml:yaml jansson:jansson cminpack:cminpack libzstd:zstd; do
    set -- *"${package#*:}"-[0-9]*/
    [ -d "$1" ] || { echo "web: no folder of ${package%:*} in its archive" >&2; exit 1; }
    ln -sfn "${1%/}" "${package#*:}"
done
touch complete
