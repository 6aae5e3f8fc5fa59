#!/bin/sh
# glossary.sh WARPLINE SOURCE_ROOT: 'warpline explain' knows every word that has a heading in docs/glossary.md.
set -u
failed=0
sed -n 's/^### //p' "$2/docs/glossary.md" | tr ',' '\n' | {
  count=0
  while read -r word; do
    count=$((count + 1))
    "$1" explain "$word" >/dev/null || { echo "docs/glossary.md: 'warpline explain' does not know '$word'"; failed=1; }
  done
  [ "$count" -ge 50 ] || { echo "docs/glossary.md: only $count words found"; failed=1; }
  exit $failed
}
