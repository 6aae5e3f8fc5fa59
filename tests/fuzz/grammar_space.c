/* grammar_space.c - keys of spaces, conditions, register files and space files.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "mutate.h"

static const mutate_rule rules[] = {
    {'N', MUTATE_TEXTS("1", "2", "3", "4", "8", "16", "32", "33", "64", "96", "128", "256", "512", "1024", "1025", "0",
                       "-1", "65536", "65537", "9223372036854775807")},
    {'R', MUTATE_TEXTS("32", "$N", "$N,$N", "$N..$N", "1..$N:x2", "$N..$N:$N", "$N..$N:x$N", "32..256:32")},
    {'O', MUTATE_TEXTS("1x1x1", "1x2x1", "2", "1x1x2", "$Nx$N", "$Nx$Nx$N")},
    {'G', MUTATE_TEXTS("1x1x1:32", "$N", "$O:$N", "$O:$N,$O:$N", "$N,$O:$N")},
    {'A', MUTATE_TEXTS("x", "y", "z")},
    {'V', MUTATE_TEXTS("threads", "block.$A", "fold.$A", "tile.$A", "grid.$A", "domain.$A", "warps", "cells",
                       "registers", "nx")},
    {'E', MUTATE_TEXTS("threads", "$V", "$N", "$V", "$E + $E", "$E - $E", "$E * $E", "$E / $E", "$E % $N",
                       "min($E, $E)", "max($E, $N)", "-($E)", "($E)", "cdiv($E, $E)", "$E << $N", "$E & $N")},
    {'C', MUTATE_TEXTS("threads <= 512", "$E <= $N", "$E == $E", "$E != $E", "$E > $E", "$C && $C", "$C || $C", "!($C)",
                       "($C)", "$E")},
    {'Q', MUTATE_TEXTS("4x4", "$Nx$N", "cdiv(nx,block.x)", "$E,$E", "$E,$E,$E", "cdiv(domain.x,tile.x),domain.y")},
    {'M', MUTATE_TEXTS("32, ", "$N, ", "$R, ", "$O: $N, ", "\"$C\", ")},
    {'W',
     MUTATE_TEXTS("threads", "block.x", "fold.y", "fold", "registers", "where", "grid", "$V", "min", "max", "cdiv")},
    {'L', MUTATE_TEXTS("block.$A 32", "block.$A $R", "fold.$A $R", "fold $O,$O", "threads $R", "registers $G",
                       "where $C", "grid $Q")},
    {'Z', MUTATE_TEXTS("block.x $R\nblock.y 1\nwhere $C\n==\n1x1x1: $N\n==\nblock.z: 1\nfold.y: 1,2\n",
                       "block.x 32,64\nthreads $R\nregisters $G\n==\n$O: $N\n==\nblock.y: [1, 2]\nwhere: \"$C\"\n",
                       "grid $Q\nblock.x $N\nfold $O\n==\n==\nblock.y: $N\nblock.z: $N\nwhere: [\"$C\", \"$C\"]\n")},
    {'F', MUTATE_TEXTS("1x1x1: 32", "$O: $N")},
    {'Y',
     MUTATE_TEXTS("block.$A: 32", "block.$A: $R", "block.$A: [$R, $R]", "fold.$A: $R", "fold: [$O, $O]", "threads: $R",
                  "registers: {$O: $N, $O: $N}", "where: [\"$C\", \"$C\"]", "where: \"$C\"", "grid: \"$Q\"")},
};

/* Keys, registers and the space file are set apart by lines "==". */
static char line_symbol(const uint8_t *data, size_t size, size_t at)
{
    int part = 0;
    (void)size;
    for (size_t i = 0; i + 3 <= at; i++)
        part += (i == 0 || data[i - 1] == '\n') && memcmp(data + i, "==\n", 3) == 0;
    return part == 0 ? 'L' : part == 1 ? 'F' : 'Y';
}

const mutate_grammar fuzz_grammar = {rules, sizeof rules / sizeof rules[0], "[{,", 'C', true, line_symbol};
