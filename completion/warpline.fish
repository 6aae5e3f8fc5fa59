# Completion of warpline for fish. The program itself knows what can follow: warpline --complete.
function __warpline_complete
    set -l words (commandline -opc)
    $words[1] --complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c warpline -f -a '(__warpline_complete | string match -v @file)'
complete -c warpline -n '__warpline_complete | string match -q @file' -F
