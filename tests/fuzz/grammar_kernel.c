/* grammar_kernel.c - kernel files. SPDX-License-Identifier: MIT */
#include "mutate.h"

static const mutate_rule rules[] = {
    {'N', MUTATE_TEXTS("1", "0", "2", "3", "4", "5", "7", "8", "16", "31", "32", "33", "64", "100", "128", "-1", "-2",
                       "1000", "65536", "2147483648", "1152921504606846975")},
    {'X', MUTATE_TEXTS("64", "33", "8", "7", "1", "n", "n*2", "n + 1", "nx", "200", "4096")},
    {'S', MUTATE_TEXTS("2", "1", "3", "4", "8", "n")},
    {'T', MUTATE_TEXTS("f64", "f32", "f16", "i8", "i16", "i32", "i64")},
    {'F', MUTATE_TEXTS("A", "B", "src", "dst")},
    {'V', MUTATE_TEXTS("x", "y", "z", "i", "j", "n", "nx", "threadIdx.x", "blockIdx.x", "blockDim.x", "gridDim.x",
                       "threadIdx.y", "blockIdx.y", "threadIdx.z", "blockIdx.z")},
    {'E', MUTATE_TEXTS("x", "$V", "$N", "$V", "$E + $E", "$E - $E", "$E * $N", "$E * $E", "($E) % $N", "($E) / $N",
                       "min($E, $E)", "max($E, $N)", "select($C, $E, $E)", "($E) << $S", "($E) >> $S", "($E) & $N",
                       "($E) | $E", "($E) ^ $N", "~($E)", "-($E)", "random($E, $N)",
                       "threadIdx.x + blockDim.x*blockIdx.x", "y*n + x")},
    {'C', MUTATE_TEXTS("x < n", "$E < $E", "$E >= $N", "$E == $E", "$C && $C", "$C || $C", "!($C)", "$E != 0")},
    {'O', MUTATE_TEXTS("0", "1", "-1", "2", "-4")},
    {'A', MUTATE_TEXTS("A[x]", "$F[$E]", "$F[$E]", "$F[$E] if $C", "$F[$E : 4]", "$F[$E : 2] if $C", "$F[$O,$O]",
                       "$F[$O,$O,$O]", "$F[$E,$E]")},
    {'U', MUTATE_TEXTS("A[0]", "$N", "$F[$O,$O]", "$F[$O,$O,$O]", "$U + $U", "$U * $U", "$U / $U", "sqrt($U)",
                       "fma($U, $U, $U)", "min($U, $U)", "alpha * $U", "pow($U, $N)", "-($U)")},
    {'D', MUTATE_TEXTS("type: $T", "type: $T, extent: [$X]", "type: $T, extent: [$X, $X], halo: $S",
                       "type: $T, extent: [$X, $X, $X], halo: [$S, $S, $S]", "type: $T, vector: $S",
                       "type: $T, strides: [$N, $X]", "type: $T, origin: $N, alignment: $N",
                       "type: $T, memory: shared, extent: [$X]", "type: $T, random: true")},
    {'K', MUTATE_TEXTS("fp64", "fp32", "fp16", "int", "control", "load", "store", "atomic", "shared", "special",
                       "tensor", "move")},
    {'M', MUTATE_TEXTS("\"$A\", ", "$X, ", "$F: {$D}, ", "n: $N, ", "i: $S, ", "halo: $S, ", "type: $T, ",
                       "alignment: $N, ", "vector: $S, ", "$K: $N, ")},
    {'W', MUTATE_TEXTS("x", "$V", "$F", "$T", "$K", "min", "max", "select", "random", "sqrt", "if", "shared", "name",
                       "params", "domain", "fields", "loads", "stores", "loops", "update", "halo", "extent")},
    {'P', MUTATE_TEXTS("64", "7", "33", "100", "256")},
    {'H', MUTATE_TEXTS("type: $T", "type: $T, alignment: 256", "type: $T, vector: 2", "type: $T, extent: [n], halo: 2",
                       "type: $T, random: true", "type: $T, memory: shared, extent: [64]")},
    {'I', MUTATE_TEXTS("A[x]", "$F[$E]", "$F[$E]", "$F[$E] if $C", "$F[$E : 2]")},
    {'Z',
     MUTATE_TEXTS("name: k\nparams: {n: $P, nx: $P}\ndomain: [$P, $P]\nloops: {i: $S, j: $S}\n"
                  "fields: {A: {$H}, B: {$H}, src: {$H}, dst: {$H}}\nloads: [\"$I\", \"$I\"]\nstores: [\"$I\"]\n",
                  "name: k\nparams: {n: $P, nx: $P}\ndomain: [n, n, $S]\nscalars: [alpha]\n"
                  "fields: {A: {type: $T, extent: [n, n, n], halo: 4}, B: {type: $T, extent: [nx, n, n], halo: 4}}\n"
                  "update: \"B[$O,$O,$O] = A[$O,$O,$O] * A[$O,$O,$O] + alpha\"\n",
                  "name: k\nparams: {n: $P, nx: $P}\ndomain: [$P]\nloops: {i: $S, j: $S}\n"
                  "fields: {A: {type: $T}, B: {type: $T}}\nloads: [\"A[$E]\", \"B[$E]\"]\n"
                  "stores: [\"A[$E] if $C\"]\nflops: $P\n")},
    {'L',
     MUTATE_TEXTS("name: k", "params: {n: $N, nx: $N}", "domain: [$X]", "domain: [$X, $X]", "domain: [$X, $X, $X]",
                  "from: [$N, $N]", "fields: {A: {$D}, B: {$D}}", "fields: {src: {$D}, dst: {$D}, A: {$D}}",
                  "  $F: {$D}", "loads: [\"$A\", \"$A\"]", "loads: [\"$A\"]", "stores: [\"$A\"]", "atomics: [\"$A\"]",
                  "loops: {i: $S, j: $S}", "scalars: [alpha]", "update: \"$F[$O,$O] = $U\"", "  $F[$O,$O] = $U",
                  "  t = $U", "flops: $N", "registers: $N", "shared_bytes: $N", "instructions: $N", "barriers: $N",
                  "guarded_cells: $N", "where: \"$C\"", "mix: {$K: $N, $K: \"$E\"}", "idle_instructions: $N",
                  "idle_instructions: {$K: $N}", "idle_instructions: [{$K: $N}, {within: [$N, $N], $K: $N}]",
                  "fp_results: $N", "shuffles: $N", "integer_pipe: $N", "active_lanes: $N", "stores_apart: {$W: $N}",
                  "thread_indices: $N", "executed_accesses: {$W: $N}", "conversions: {int: $N, wide: $N}",
                  "tensor: {$W: $N}", "tensor_groups: $N")},
};

const mutate_grammar fuzz_grammar = {rules, sizeof rules / sizeof rules[0], "[{,", 'A', true, NULL};
