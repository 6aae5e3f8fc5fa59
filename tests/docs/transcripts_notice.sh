#!/bin/sh
# transcripts_notice.sh: transcripts.sh sees another output, a command that fails and a document without commands, and mends them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-notices.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/examples" "$work/docs" && : >"$work/examples/k.ptx" && : >"$work/examples/k.cu"
printf '#!/bin/sh\n[ "$1" = fail ] && { echo "error: $2" >&2; exit 3; }\necho "$@"; cat k.yaml\n' >"$work/program"
chmod +x "$work/program"
failed=0
expect() { # STATUS DOCUMENT
  sh "$here/transcripts.sh" "$work/program" "$work" "$2" >"$work/out" 2>&1
  [ $? -eq "$1" ] || { echo "$2: exit status $1 expected" && cat "$work/out" && failed=1; }
}
printf '```yaml k.yaml\nname: k\n```\n```\n$ twice() { warpline "$@" \\\n  "$@"; }\n$ twice a\na a\nname: k\n$ warpline fail x\nerror: x\n```\n' \
  >"$work/docs/right.md"
sed 's/^a a$/a/' "$work/docs/right.md" >"$work/docs/other.md"
sed 's/^error: x$/error: y/' "$work/docs/right.md" >"$work/docs/message.md"
printf 'no commands\n' >"$work/docs/none.md"
expect 0 docs/right.md
expect 1 docs/other.md
expect 1 docs/message.md
expect 1 docs/none.md
UPDATE=1 sh "$here/transcripts.sh" "$work/program" "$work" docs/other.md docs/message.md >"$work/out" 2>&1 || failed=1
cmp "$work/docs/right.md" "$work/docs/other.md" || failed=1
cmp "$work/docs/right.md" "$work/docs/message.md" || failed=1
exit $failed
