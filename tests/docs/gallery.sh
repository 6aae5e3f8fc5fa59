#!/bin/sh
# gallery.sh WARPLINE SOURCE_ROOT: the commands of docs/gallery.md work and draw the pictures that the page shows.
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot" && exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-drawn.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
sh "$2/docs/plots/draw_gallery.sh" "$1" "$work" || exit 1
drawn=$(find "$work" -name '*.svg' -o -name '*.png' | wc -l)
[ "$drawn" -ge 7 ] || { echo "docs/gallery.md: $drawn pictures drawn, there should be seven at least"; exit 1; }
