#!/bin/sh
# make-locale.sh FOLDER - makes the locale de_DE in FOLDER, for LOCPATH=FOLDER LC_ALL=de_DE: numbers have a decimal comma.
# It needs localedef alone: no locale is installed for it, and neither are the sources of one. What localedef says of the
# parts that are missing here is no error.
set -u
mkdir -p "$1" && cd "$1" || exit 2
cat >numeric <<END
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
END
{
    printf '<code_set_name> ANSI_X3.4-1968\n<comment_char> %%\n<escape_char> /\nCHARMAP\n'
    awk 'BEGIN { for (i = 0; i < 128; i++) printf "<U%04X> /x%02x\n", i, i }'
    echo 'END CHARMAP'
} >ascii
localedef -c -i ./numeric -f ./ascii ./de_DE >log 2>&1
[ "$(LOCPATH=$PWD LC_ALL=de_DE locale decimal_point 2>/dev/null)" = , ] || { cat log >&2; exit 1; }
