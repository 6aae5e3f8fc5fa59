#!/bin/sh
# docs_notice.sh SOURCE_ROOT: scripts/check-docs.sh sees long lines and comments, dead links,
# a bound that the glossary lacks, a long model and a law without its key.
set -u
check=$1/scripts/check-docs.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/warpline-check-docs.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/docs" "$work/include/warpline"
printf 'WL_BOUND(FP, "fp", "arithmetic")\n' >"$work/include/warpline/bounds.def"
printf '# Glossary\n\n## A bound: `fp`\n\n| `fp` | arithmetic |\n' >"$work/docs/glossary.md"
long=$(printf 'word %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21)
failed=0
expect() { # STATUS WHAT: of the document that is there
  sh "$check" "$work" >"$work/out" 2>&1
  [ $? -eq "$1" ] || { echo "$2: exit status $1 expected" && cat "$work/out" && failed=1; }
}
fits="[a](docs/glossary.md#a-bound-fp) [b](https://example.org) \`[c](none.md)\`"
printf '%s\n\n```\n%s\n```\n\n| %s |\n\n    %s\n' "$fits" "$long" "$long" "$long" >"$work/README.md"
expect 0 "a document without faults"
printf '%s\n' "$long" >"$work/README.md" && expect 1 "a long line"
printf '[a](docs/none.md)\n' >"$work/README.md" && expect 1 "a link to no file"
printf '[a](docs/glossary.md#none)\n' >"$work/README.md" && expect 1 "a link to no heading"
printf 'fine\n' >"$work/README.md"
printf 'int a; /* %s */\n' "$long" >"$work/docs/a.c" && expect 1 "a long comment behind code"
printf '/* short\n * %s\n */\n' "$long" >"$work/docs/a.c" && expect 1 "a long line inside a comment"
printf 'int a; // %s\n' "$long" >"$work/docs/a.c" && expect 1 "a long comment of C++"
printf 'char a[] = "/* %s */";\nint b = 0x22; /* fine */\nchar c = \047"\047; f("%s", 1);\n' "$long" "$long" >"$work/docs/a.c"
expect 0 "long strings"
rm "$work/docs/a.c"
printf 'WL_DEVICE_KEY(l2_merge, LAW, RATIO, OPTIONAL, NOTHING, "share")\n' >"$work/include/warpline/device_keys.def"
printf '# Model\n\n`l2_merge`\n' >"$work/docs/model.md" && expect 0 "a model with every key"
printf '# Model\n\n`l2_merge_blocks`\n' >"$work/docs/model.md" && expect 1 "a law without its key"
{ printf '`l2_merge`\n' && yes '' | head -350; } >"$work/docs/model.md" && expect 1 "a long model"
rm "$work/docs/model.md"
printf '# Glossary\n' >"$work/docs/glossary.md" && expect 1 "a bound without a word"
exit $failed
