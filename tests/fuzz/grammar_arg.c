/* grammar_arg.c - texts of --arg and --constant, mangled names. SPDX-License-Identifier: MIT */
#include "mutate.h"

static const mutate_rule rules[] = {
    {'N', MUTATE_TEXTS("0", "1", "-1", "7", "255", "256", "65535", "-32768", "4294967295", "4294967296", "0x1f",
                       "0xffffffffffffffff", "18446744073709551615", "18446744073709551616", "-9223372036854775808",
                       "1.5", "-0.0", "1e9", "1e400", "nan", "inf", "0x1p3", "1.", ".5", "007", "- 1", "+1")},
    {'Z',
     MUTATE_TEXTS("64K", "$N", "1", "16", "4096", "64KiB", "2M", "1G", "17592186044416", "16384GiB", "100B", "3k")},
    {'T', MUTATE_TEXTS("u32", "u8", "u16", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "f32", "f64", "b32", "")},
    {'C',
     MUTATE_TEXTS("zero", "random", "iota", "random:$T", "random:$T:$N..$N", "iota:$T", "iota:$T:$N", "iota:$T:$N:$N",
                  "const:$T:$N", "const:$T", "file", "repeat:file", "repeat:empty", "empty", "none", "zero:")},
    {'M', MUTATE_TEXTS("$N:", "$T:", "$Z:")},
    {'W', MUTATE_TEXTS("buf", "bytes", "random", "iota", "const", "zero", "repeat", "file", "$T", "$Z")},
    {'L', MUTATE_TEXTS("$N", "buf:$Z", "buf:$Z:$Z", "buf:$Z=$C", "buf:$Z:$Z=$C", "bytes:0123456789abcdef", "bytes:ff",
                       "bytes:$N", "$T", "{$S}", "0={$S}", "p1=$N", "n=$N", "coef=$C", "coef={$S}", "steps=$N",
                       "table=buf:$Z=$C", "_Z$I", "_ZN$I$IE$Y", "_Z1fI$YLi$NEEv$Y", "$I<$I>",
                       "__global__ void axpy(Grid $I, int $I)")},
    {'S', MUTATE_TEXTS("$N", "buf:$Z", "$N, $S", "{$S}, $S", "$N:$T", "buf:$Z=$C, $N", "$N:$T, $N, buf:64")},
    {'I', MUTATE_TEXTS("1a", "2ns", "4axpy", "n", "g", "_GLOBAL__N_1", "10_INTERNAL_", "S_", "S0_", "T_", "UlvE_")},
    {'Y', MUTATE_TEXTS("i", "f", "Pf", "PKf", "RS_", "T_", "DpT_", "PFviE", "A4_i", "M1ai", "J$Y$YE", "1bI$Y$YE",
                       "Li4E", "XplT_Li1EE", "NS_1dE", "St4pairI$Y$YE", "v")},
};

const mutate_grammar fuzz_grammar = {rules, sizeof rules / sizeof rules[0], ":=", 'W', false, NULL};
