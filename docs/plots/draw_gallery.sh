#!/bin/sh
# draw_gallery.sh WARPLINE FOLDER - runs the commands of docs/gallery.md and copies the pictures that it shows to FOLDER.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(cd "$2" && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-gallery.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")" "$work/bin/warpline"
ln -s "$root/examples" "$root/validate" "$work/"
awk '/^```/ { code = !code; next } code' "$root/docs/gallery.md" >"$work/commands"
(cd "$work" && PATH=$work/bin:$PATH sh -e ./commands >output 2>&1) || { cat "$work/output" && exit 1; }
for picture in $(sed -n 's/^!\[.*\](plots\/\(.*\))$/\1/p' "$root/docs/gallery.md"); do
    [ -s "$work/$picture" ] || { echo "docs/gallery.md: no command draws $picture" && exit 1; }
    cp "$work/$picture" "$folder/" || exit 1
done
