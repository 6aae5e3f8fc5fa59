/* grammar_batch.c - lines of predict --batch. SPDX-License-Identifier: MIT */
#include "mutate.h"

static const mutate_rule rules[] = {
    {'N', MUTATE_TEXTS("1", "2", "4", "8", "16", "32", "33", "64", "128", "640", "1024", "0", "-1", "1.5", "1e3",
                       "2147483648", "1099511627777")},
    {'S', MUTATE_TEXTS("[32]", "[$N]", "[$N,$N]", "[$N,$N,$N]", "[32,4,2]", "[]", "[$N,$N,$N,$N]")},
    {'K', MUTATE_TEXTS("triad", "star2d_5pt", "star3d_7pt", "star3d_r4", "blur3x3", "transpose", "vec3", "matmul",
                       "box3d_27pt", "lbm_d3q19", "share/kernels/triad.yaml", "-", "none", "k.ptx", "")},
    {'D', MUTATE_TEXTS("h200", "a100-40gb", "h100", "v100", "mi210", "rx6900xt", "gtx970", "pascal-sim", "t4",
                       "share/devices/h200.yaml", "none")},
    {'F', MUTATE_TEXTS("s", "d", "a")},
    {'O', MUTATE_TEXTS("0", "1", "-1", "3")},
    {'U', MUTATE_TEXTS("s[0]", "$F[$O,$O]", "$F[$O,$O,$O]", "$U + $U", "$U * 2", "sqrt($U)", "($U)")},
    {'P', MUTATE_TEXTS("nx", "ny", "nz", "n", "w", "depth")},
    {'J', MUTATE_TEXTS("null", "true", "$N", "\"$N\"", "[]", "{}", "\"\\u0000\"", "\"\\u00e9\"", "[$N,\"x\"]")},
    {'G', MUTATE_TEXTS("$S", "\"$Nx$N\"", "\"cdiv(nx,block.x),ny\"", "\"cdiv($P,block.x*$N)\"", "\"$P*2\"")},
    {'M', MUTATE_TEXTS("\"block\":$S,", "\"kernel\":\"$K\",", "\"device\":\"$D\",", "\"set\":{\"$P\":$N},",
                       "\"fold\":$S,", "\"grid\":$G,", "\"registers\":$N,", "\"shared_bytes\":$N,",
                       "\"schedule\":\"linear\",", "\"schedule\":\"tile:$Nx$N\",", "\"with\":{\"$W\":\"$N\"},",
                       "\"update\":\"$F[0,0] = $U\",", "\"domain\":\"$Nx$N\",", "\"type\":\"f32\",", "\"entry\":\"k\",",
                       "\"args\":[\"$N\"],", "\"dynamic_shared\":$N,", "\"$W\":$J,")},
    {'W', MUTATE_TEXTS("kernel", "set", "block", "fold", "grid", "schedule", "registers", "device", "with", "update",
                       "domain", "type", "sm_count", "clock", "l2_size", "l1_size", "warp_size", "max_blocks_per_sm",
                       "$K", "$D", "$P", "f32", "f16")},
    {'L', MUTATE_TEXTS("{\"kernel\":\"triad\",\"block\":[32]}", "{\"kernel\":\"$K\",\"block\":$S,\"device\":\"$D\"}",
                       "{\"kernel\":\"$K\",\"set\":{\"$P\":$N,\"$P\":$N},\"block\":$S}",
                       "{\"update\":\"$F[0,0] = $U\",\"domain\":\"$Nx$N\",\"type\":\"f32\",\"block\":$S}",
                       "{\"kernel\":\"$K\",\"block\":$S,\"grid\":$G,\"fold\":$S}",
                       "{\"kernel\":\"$K\",\"block\":[64],\"with\":{\"$W\":\"$N\"}}", "{$M\"block\":$S}", "{}", "[]")},
};

const mutate_grammar fuzz_grammar = {rules, sizeof rules / sizeof rules[0], "{,", 'W', false, NULL};
