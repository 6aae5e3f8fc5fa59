/* grammar_baseline.c - stored predictions. SPDX-License-Identifier: MIT */
#include "mutate.h"

static const mutate_rule rules[] = {
    {'N', MUTATE_TEXTS("1", "0", "2", "31", "64", "-1", "0.5", "1.25e6", "1e-9", "1e59", "1e-59", "1e61", "1e400",
                       "1152921504606846976", "9223372036854775807", "null", "\"1\"", "true")},
    {'W', MUTATE_TEXTS("time_s", "value", "parts", "schema", "kernel", "device", "launch", "block", "fold", "grid",
                       "registers", "occupancy", "blocks_per_sm", "warps_per_sm", "limiter", "next_limiter", "model",
                       "name", "items_per_s", "bounds_s", "metrics", "wave", "of", "waves", "work", "items",
                       "own_cycles", "wait_cycles", "dram", "l2", "l1", "issue", "registers", "shared", "threads",
                       "turnover", "x\\u0000y", "\\u001b")},
    {'P', MUTATE_TEXTS("\"a\":1", "\"$W\":$N", "\"compulsory\":$N,\"capacity\":$N", "\"a\":$N,\"b\":$N,\"c\":$N")},
    {'K', MUTATE_TEXTS("inst_executed", "dram_load_bytes", "dram_store_bytes", "l2_load_bytes", "l2_store_bytes",
                       "l1_wavefronts", "l1_sectors", "$W", "strange")},
    {'M', MUTATE_TEXTS("\"$W\":$N,", "\"$K\":{\"value\":$N},", "\"$K\":{\"value\":$N,\"parts\":{$P}},", "$N,",
                       "\"block\":{\"own_cycles\":$N,\"wait_cycles\":$N},", "\"bounds_s\":{\"$W\":$N},")},
    {'U', MUTATE_TEXTS("\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac", "aaaaaaaaaaaaaaaaaaaaaaaa", "\u00e9")},
    /* names that are cut somewhere */
    {'H', MUTATE_TEXTS("$U", "$U$U$U$U$U$U", "a$H$H", "$H$H$H$H")},
    {'L', MUTATE_TEXTS("\"$W\": $N,", "}", "{", "\"$K\": {\"value\": $N, \"parts\": {$P}},", "\"$W\": {\"$W\": $N},",
                       "\"$W\": \"$W\",", "\"$W\": \"$H\",", "{\"schema\":\"warpline.predict/1\"}",
                       "{\"schema\":\"warpline.predict/2\",\"predictions\":[{\"$W\":$N}]}", "\"predictions\":[",
                       "\"schema\":\"warpline.prediction/2\",")},
};

const mutate_grammar fuzz_grammar = {rules, sizeof rules / sizeof rules[0], "{[,", 'W', false, NULL};
