# Completion of warpline for bash. The program itself knows what can follow: warpline --complete.
_warpline() {
    local current=${COMP_WORDS[COMP_CWORD]} files='' i line word
    local -a words=()
    # bash takes words apart at = and :, which belong to them here
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${#words[@]} -gt 0 && ($word == [=:]* || ${words[-1]} == *[=:] && ${COMP_WORDS[i - 1]} == *[=:]) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    [[ $current == [=:]* ]] && current=''
    local typed=${words[-1]}
    local kept=${typed%"$current"}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == @file ]]; then
            files=yes
        else
            word=${line%%$'\t'*}
            COMPREPLY+=("${word#"$kept"}")
        fi
    done < <("${COMP_WORDS[0]/#\~/$HOME}" --complete "${words[@]}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do
            COMPREPLY+=("$line")
        done < <(compgen -f -- "$current")
    fi
}
complete -F _warpline warpline
