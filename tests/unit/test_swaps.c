/* test_swaps.c - loops of compare-and-swap on shared memory: rounds and wavefronts by hand, and as
 * measured. SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/h200_rules.h"

#include "count/swaps.h"
#include "warpline/warpline.h"

#define NEAR 1e-12

/* Lane l of every warp changes word l % words, of all warps or of its own; as in
 * validate/cuda/shared_atomics.cu. */
typedef struct block {
    const char *name;
    int words, warps, width, executions;
    bool own;
    double rounds, lost; /* of one execution */
    double wavefronts;   /* of its rounds */
} block;

static void check_block(const block *b)
{
    wl_arena arena = {0};
    wl_swap_words *words = wl_swap_words_new(&arena);
    wl_swaps totals = {0};
    wl_swaps_begin(words, 3);
    for (int warp = 0; warp < b->warps; warp++)
        for (int e = 0; e < b->executions; e++) {
            wl_warp_access a = {.count = 32, .width = b->width};
            for (int l = 0; l < 32; l++) {
                a.lane[l] = (uint8_t)l;
                a.address[l] = (int64_t)b->width * ((b->own ? warp * b->words : 0) + l % b->words);
            }
            check_near(b->name, "wavefronts", wl_swaps_add(words, &rules, warp, &a), b->wavefronts, NEAR);
        }
    wl_swaps_end(words, &totals);
    check_near(b->name, "executions", totals.executions, 3.0 * b->warps * b->executions, NEAR);
    check_near(b->name, "rounds", totals.rounds / totals.executions, b->rounds, NEAR);
    check_near(b->name, "rounds lost", totals.lost / totals.executions, b->lost, NEAR);
    check_near(b->name, "their wavefronts", totals.wavefronts, totals.lost * (1 + b->width / 4), NEAR);
    wl_swaps_scale(&totals, 7);
    check_near(b->name, "scaled", totals.rounds, 7 * b->rounds, NEAR);
    wl_arena_free(&arena);
}

static void lanes_and_warps_take_turns(void **state)
{
    (void)state;
    static const block blocks[] = {
        {"own word for each lane", 32, 1, 4, 1, false, 1, 0, 2},
        {"one word", 1, 1, 4, 5, false, 32, 0, 64},
        {"eight words", 8, 1, 4, 1, false, 4, 0, 8},
        {"one word of 8 bytes", 1, 1, 8, 1, false, 32, 0, 96},
        {"8 bytes for each lane", 32, 1, 8, 1, false, 1, 0, 4},
        {"one word for eight warps", 1, 8, 4, 3, false, 32, 7 * 32, 64},
        {"eight words for four warps", 8, 4, 4, 2, false, 4, 3 * 4, 8},
        {"words of each warp", 8, 4, 4, 2, true, 4, 0, 8},
    };
    for (size_t i = 0; i < COUNT_OF(blocks); i++)
        check_block(&blocks[i]);
    check_done();
}

/* Two atomics in a row, each on a word of its own: half of the warps are at the other one. */
static void warps_spread_over_atomics(void **state)
{
    (void)state;
    wl_arena arena = {0};
    wl_swap_words *words = wl_swap_words_new(&arena);
    wl_swaps totals = {0};
    wl_swaps_begin(words, 1);
    for (int word = 0; word < 2; word++)
        for (int warp = 0; warp < 8; warp++) {
            wl_warp_access a = {.count = 32, .width = 4};
            for (int l = 0; l < 32; l++) {
                a.lane[l] = (uint8_t)l;
                a.address[l] = 4 * word;
            }
            (void)wl_swaps_add(words, &rules, warp, &a);
        }
    wl_swaps_end(words, &totals);
    check_near("two words", "rounds lost", totals.lost / totals.executions, 7 * 32 / 2, NEAR);
    /* an empty block adds nothing */
    const wl_swaps before = totals;
    wl_swaps_begin(words, 1);
    wl_swaps_end(words, &totals);
    check_near("an empty block", "rounds", totals.rounds, before.rounds, NEAR);
    wl_arena_free(&arena);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_and_warps_take_turns),
                                       cmocka_unit_test(warps_spread_over_atomics)};
    return cmocka_run_group_tests(tests, start, stop);
}
