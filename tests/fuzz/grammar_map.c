/* grammar_map.c - maps of kernels to measured rows. SPDX-License-Identifier: MIT */
#include "mutate.h"

static const mutate_rule rules[] = {
    {'N', MUTATE_TEXTS("1", "2", "0", "4", "1024", "1025", "-1", "1.5", "1e2", "nan", "0x10", "99999")},
    {'P', MUTATE_TEXTS("star7", "*", "star*", "*_b??", "?", "a_?", "**", "f*_*2", "fx2_fy4", "", "st?r*7", "*f32*")},
    {'K', MUTATE_TEXTS("k.yaml", "triad", "", "a/b.yaml")},
    {'M', MUTATE_TEXTS("family: \"$P\", ", "variant: \"$P\", ", "kernel: $K, ", "skip: why, ", "set: {a: $N}, ",
                       "fold: [$N, $N], ", "a: $N, ", "$N, ")},
    {'W', MUTATE_TEXTS("family", "variant", "kernel", "set", "fold", "skip", "$P", "fx2_fy1_fz4", "fy2")},
    {'L', MUTATE_TEXTS("- {kernel: k.yaml}", "- {family: \"$P\", variant: \"$P\", kernel: $K}",
                       "- {variant: \"$P\", kernel: $K, set: {a: $N, b: $N}, fold: [$N, $N, $N]}",
                       "- {family: \"$P\", skip: not a kernel}", "- kernel: $K", "  fold: [$N]", "  set: {n: $N}",
                       "  family: \"$P\"", "# r4_fx$N_fy$N_b64")},
};

const mutate_grammar fuzz_grammar = {rules, sizeof rules / sizeof rules[0], "{[,", 'P', false, NULL};
