#!/bin/sh
# completion.sh WARPLINE SOURCE: what shells complete. --complete offers what the help lists and the program takes; bash, zsh and
# fish, where they are installed, give the same.
LC_ALL=C && export LC_ALL
warpline=$1 source=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/warpline-completion.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
failures=0
fail() { echo "completion: $*" && failures=$((failures + 1)); }
same() { diff "$1" "$2" >"$tmp/diff" || { cat "$tmp/diff" && fail "$3"; }; }
offered() { "$warpline" --complete "$@" | cut -f1; }

# Commands and options: those of the help.
"$warpline" --help | awk '/^  [a-z]/ { print $1 }' | sort >"$tmp/commands"
[ "$(wc -l <"$tmp/commands")" -gt 15 ] || fail "the help lists no commands"
offered "" | grep -v -e '^-' -e '^help$' | sort >"$tmp/offered"
same "$tmp/commands" "$tmp/offered" "commands are not those of the help"
"$warpline" --tables >"$tmp/tables"
while read -r command; do
    "$warpline" "$command" --help >"$tmp/help"
    sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' "$tmp/help" | sort >"$tmp/listed"
    offered "$command" -- | sort >"$tmp/offered"
    same "$tmp/listed" "$tmp/offered" "options of $command are not those of its help"
done <"$tmp/commands"

# Words that are written in cli/choices.c are in the help of their option; each option that is named there exists.
# (Not those that come from the library: devices, keys, metrics, schedules.)
awk -F '\t' '$1 == "option" { help[$2 "\t" $3] = $4 " " $6 " "; next }
    $1 == "value" && $2 == "explain" { metric[$4] = 1 }
    $1 == "value" && $3 != "" && $3 !~ /^--(device|with|metric|budget|relative|format|schedules)$/ && $4 != "@file" {
        word = $4; sub(/[:=]$/, "", word)
        if (!index(help[$2 "\t" $3], word)) unknown[$2 " " $3 " " $4] = word }
    END { for (u in unknown) if (!(unknown[u] in metric)) print u }' "$tmp/tables" >"$tmp/unknown"
[ -s "$tmp/unknown" ] && fail "values that the help does not name: $(cat "$tmp/unknown")"
sed -n 's/^    {"\(--[a-z0-9-]*\)", .*/\1/p' "$source/cli/choices.c" | sort -u >"$tmp/named"
[ "$(wc -l <"$tmp/named")" -gt 20 ] || fail "no options in cli/choices.c"
for option in $(cat "$tmp/named"); do
    grep -q "^value.*	$option	" "$tmp/tables" || fail "cli/choices.c names $option, which no command takes"
done
# Every option that takes a file or a folder offers files.
awk -F '\t' '$1 == "option" && $4 ~ /^(FILE|DIR|PATH|NAME\|FILE|FILE\|-)$/ { wanted[$2 " " $3] = 1 }
    $1 == "value" && $4 == "@file" { delete wanted[$2 " " $3] } END { for (o in wanted) print o }' "$tmp/tables" >"$tmp/files"
[ -s "$tmp/files" ] && fail "no files are offered for: $(cat "$tmp/files")"

# What is offered is what there is.
{ "$warpline" devices list --format json | sed -n 's/.*"name": "\(.*\)".*/\1/p' && echo auto; } >"$tmp/there"
offered predict --device "" | grep -v '^@' >"$tmp/offered"
same "$tmp/there" "$tmp/offered" "devices"
"$warpline" kernels list | awk '{ print $1 }' | sort >"$tmp/there"
offered kernels show "" | sort >"$tmp/offered"
same "$tmp/there" "$tmp/offered" "kernels"
for model in $(offered predict --model ""); do
    "$warpline" predict triad --device h200 --block 256 --domain 65536 --model "$model" >/dev/null 2>&1 || fail "--model $model is offered, but not taken"
done
for schedule in $(offered emit --schedule "" | sed 's/tile:/tile:8x4/; s/:$/:8/'); do
    "$warpline" emit --schedule "$schedule" >/dev/null || fail "--schedule $schedule is offered, but not taken"
done

# Words that are typed: words before | what is offered for the last one
check() { # EXPECTED WORD...
    expected=$1 && shift
    printed=$(offered "$@" | tr '\n' ' ')
    [ "$printed" = "$expected" ] || fail "warpline $*: '$printed' instead of '$expected'"
}
check "predict " pre
check "predict ptx " help p
check "--device " predict --dev
check "--device=h200 @file " predict --device=h2
check "h200 @file " predict star3d_r4 --device h2
check "--device " predict --device h200 --dev
check "" stack --device h200 --dev
check "--device " rank --device h200 --devi
check "column: " predict --schedule col
check "column:8,swizzle: " rank --schedules column:8,sw
check "tile,column " schedule --orders tile,co
check "l2_size= l2_store_curve= l2_slice_lines= " rank triad --with l2_s
check "text json csv " predict --format ""
check "text json svg " stack --format ""
check "@file " rank -o ""
check "@file " report -o x
check "list show check compare derive " devices ""
check "h200 @file " devices compare v100 h2
check "dram_load_bytes dram_store_bytes " explain dram
check "star3d_7pt star3d_r4 @file " predict --block 32 star3
check "" nonsense ""
check ""

# ---- in the shells ----

cases="predict --dev|--device
predict --device=h2|--device=h200
predict --device h2|h200
rank --schedules column:8,sw|column:8,swizzle:
trac|trace
help roo|roofline
predict star3d_r4 --model turn|turnover"
command -v bash >/dev/null 2>&1 && echo "$cases" | while IFS='|' read -r line wanted; do
    printed=$(COMPLETED="$line" bash --norc -c '
        . "$1"; shift
        COMP_LINE="$0 $COMPLETED"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=("$0")
        for word in $COMPLETED; do # as readline does, by its word breaks
            while [[ $word == *[=:]* ]]; do
                before=${word%%[=:]*}; rest=${word#"$before"}
                [[ $before ]] && COMP_WORDS+=("$before")
                COMP_WORDS+=("${rest:0:1}"); word=${rest:1}
            done
            [[ $word ]] && COMP_WORDS+=("$word")
        done
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        mkdir -p "$1" && cd "$1" && _warpline # a folder without files
        last=${COMP_WORDS[COMP_CWORD]}; [[ $last == [=:] ]] && last=""
        printf "%s" "${COMPLETED##* }" | { typed=$(cat); printf "%s%s" "${typed%"$last"}" "${COMPREPLY[0]}"; }
        printf " %d" "${#COMPREPLY[@]}"' "$warpline" "$source/completion/warpline.bash" "$tmp/empty")
    [ "$printed" = "$wanted 1" ] || { echo "completion: bash: $line: '$printed' instead of '$wanted 1'" && echo >>"$tmp/wrong"; }
done
if command -v fish >/dev/null 2>&1; then
    mkdir -p "$tmp/bin" "$tmp/empty" && ln -s "$warpline" "$tmp/bin/warpline"
    echo "$cases" | while IFS='|' read -r line wanted; do
        printed=$(cd "$tmp/empty" && HOME="$tmp" PATH="$tmp/bin:$PATH" fish --no-config -c "source $source/completion/warpline.fish; complete -C 'warpline $line'" 2>&1 | cut -f1)
        [ "$printed" = "$wanted" ] || { echo "completion: fish: $line: '$printed' instead of '$wanted'" && echo >>"$tmp/wrong"; }
    done
else
    echo "completion: no fish"
fi
if command -v zsh >/dev/null 2>&1; then
    echo "$cases" | while IFS='|' read -r line wanted; do
        printed=$(cd / && zsh -f -c '
            compadd() { local -a left; left=("$@"); print -rn -- "${(P@)left[-1]}" } # of -a: the name of an array
            _files() { : }
            words=("$1" ${=2}); CURRENT=${#words}; PREFIX=${words[-1]}
            source "$3"' zsh "$warpline" "$line" "$source/completion/_warpline")
        [ "$printed" = "$wanted" ] || { echo "completion: zsh: $line: '$printed' instead of '$wanted'" && echo >>"$tmp/wrong"; }
    done
else
    echo "completion: no zsh"
fi
[ -e "$tmp/wrong" ] && failures=$((failures + 1))
[ $failures = 0 ] && echo "completion: ok"
exit $((failures > 0))
