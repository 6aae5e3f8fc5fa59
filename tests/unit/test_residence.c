/* test_residence.c - model/residence.h by hand: warps and blocks that hide each other's waits, and
 * when the last block ends. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "model/residence.h"
#include "unit/round_numbers.h"

#define NEAR 1e-9

/* Blocks that each keep the busiest unit for 100 cycles. */
static wl_residents of(double blocks, double warps)
{
    return (wl_residents){.blocks = blocks, .own = 100, .warps = warps, .apart = 1};
}

static void warps_hide_waits_of_any_block(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    const wl_residents one = of(1, 1), four = of(4, 1), large = {.blocks = 1, .own = 400, .warps = 4, .apart = 1};
    check_near("one warp", "its life", wl_residence(&n, &one, 400), 400, NEAR);
    check_near("four blocks", "stay", wl_residence(&n, &four, 400), 100 + hypot(300, 300), NEAR);
    check_near("one block of four", "stays", wl_residence(&n, &large, 400), 100 + hypot(300, 300), NEAR);
    check_near("all work", "is done", wl_residence(&n, &four, 50), 400, NEAR);
    check_done();
}

/* With barriers only other blocks hide a wait, and the warps of a block delay one another. */
static void blocks_with_barriers_wait_as_a_whole(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    wl_residents r = of(2, 1);
    r.apart = 0;
    r.in_step = 60;
    check_near("two blocks", "stay", wl_residence(&n, &r, 400), 100 + hypot(400 + 60 - 100, 100), NEAR);
    check_near("two blocks", "end together", wl_end_apart(&n, &r, 400), 0, NEAR);
    check_done();
}

/* Sixteen blocks of one warp are four on each of four schedulers: so many average out. */
static void small_blocks_share_schedulers(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.sm.overlap_growth = 0.5;
    wl_residents r = of(16, 0.25);
    r.apart = 0;
    const double p = 2 * sqrt(2), others = 15 * 100;
    check_near("of one warp", "stay", wl_residence(&n, &r, 1600), 100 + others * pow(2, 1 / p), NEAR);
    r.warps = 1;
    check_near("of four", "stay", wl_residence(&n, &r, 1600), 100 + others * pow(2, 1 / (2 * sqrt(8))), NEAR);
    check_done();
}

/* The first of four steps waits with the block, the other three each for itself. */
static void steps_of_a_loop_drift_apart(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    wl_residents r = of(2, 2);
    r.apart = 0.75;
    const double together = 100 + hypot(300, 100), free = 50 + hypot(350, 150);
    check_near("two blocks", "stay", wl_residence(&n, &r, 400), 0.25 * together + 0.75 * free, NEAR);
    check_done();
}

/* The older of two blocks ends with its life, 400 cycles. The other has done the rest of what both
 * have done until then, and does what is left alone. */
static void the_youngest_block_ends_alone(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    const wl_residents two = of(2, 1), one = of(1, 1);
    const double together = 100 + hypot(300, 100), last = 400 + 400 * 2 * (1 - 400 / together);
    check_near("two blocks", "apart", wl_end_apart(&n, &two, 400), last - together, NEAR);
    check_near("one block", "apart", wl_end_apart(&n, &one, 400), 0, NEAR);
    check_done();
}

/* An L1 that is always busy serves all blocks alike, so that they end together. */
static void a_busy_l1_keeps_blocks_together(void **state)
{
    (void)state;
    const wl_turnover n = numbers();
    double before = INFINITY;
    for (int l1 = 0; l1 <= 100; l1 += 10) {
        wl_residents r = of(8, 1);
        r.l1 = l1;
        const double apart = wl_end_apart(&n, &r, 300);
        check_true("a busier L1", "is no farther apart", apart <= before && apart >= 0);
        before = apart;
    }
    wl_residents full = of(8, 1);
    full.l1 = 100;
    check_near("nothing but the L1", "apart", wl_end_apart(&n, &full, 10), 0, NEAR);
    check_done();
}

/* The same 32 warps of a scheduler in fewer and larger blocks: the last one ends sooner, and all
 * end no later than the longest wait after they would have ended together. */
static void larger_blocks_end_closer_together(void **state)
{
    (void)state;
    wl_turnover n = numbers();
    n.sm.overlap_growth = 0.3;
    for (double wait = 100; wait <= 10000; wait *= 2) {
        double before = INFINITY;
        for (double blocks = 32; blocks >= 1; blocks /= 2) {
            const wl_residents r = {.blocks = blocks, .own = 3200 / blocks, .warps = 32 / blocks, .apart = 1};
            const double apart = wl_end_apart(&n, &r, wait);
            check_true("apart", "with larger blocks", apart <= before * (1 + 1e-12) && apart >= 0 && apart <= wait);
            before = apart;
        }
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_hide_waits_of_any_block),     cmocka_unit_test(blocks_with_barriers_wait_as_a_whole),
        cmocka_unit_test(small_blocks_share_schedulers),     cmocka_unit_test(steps_of_a_loop_drift_apart),
        cmocka_unit_test(the_youngest_block_ends_alone),     cmocka_unit_test(a_busy_l1_keeps_blocks_together),
        cmocka_unit_test(larger_blocks_end_closer_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
