/* test_launch_order.c - what blocks leave to later ones: exact for blocks that were followed,
 * extrapolated for others. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "ptx/emulate/launch_order.h"

enum { COUNTER = 4096, FLAGS = 8192, GROUPS = 2, ALL = 0xf };

static wl_ptx_left known(uint32_t value) { return (wl_ptx_left){.value = value, .written = ALL}; }

static uint32_t seen(const wl_ptx_history *h, uint64_t address, int32_t group, int64_t block)
{
    wl_ptx_left left;
    return wl_ptx_history_find(h, address, group, block, &left) ? left.value : UINT32_MAX;
}

/* Blocks add 3 to a counter, and each sets two words of its own: a flag and a sum. */
static wl_ptx_history followed(int64_t blocks)
{
    wl_ptx_history h = {0};
    bool fine = true;
    for (int64_t b = 0; b < blocks; b++) {
        fine = fine && wl_ptx_history_add(&h, COUNTER, 0, b, known((uint32_t)(3 * b + 3)));
        fine = fine && wl_ptx_history_add(&h, FLAGS + 8 * (uint64_t)b, 1, b, known(2));
        fine = fine && wl_ptx_history_add(&h, FLAGS + 8 * (uint64_t)b + 4, 1, b, known((uint32_t)(100 * b)));
    }
    fine = fine && wl_ptx_history_end(&h, blocks, GROUPS);
    check_true("history", "there is memory", fine);
    return h;
}

static void test_followed(void **state)
{
    (void)state;
    wl_ptx_history h = followed(40);
    check_true("block 0", "sees nothing", seen(&h, COUNTER, 0, 0) == UINT32_MAX);
    for (int64_t b = 1; b <= 40; b++) {
        check_near("counter", "value", seen(&h, COUNTER, 0, b), 3 * (double)b, 0);
        check_near("flag before", "value", seen(&h, FLAGS + 8 * (uint64_t)(b - 1), 1, b), 2, 0);
        check_true("own flag", "is not set yet", seen(&h, FLAGS + 8 * (uint64_t)b, 1, b) == UINT32_MAX);
    }
    wl_ptx_history_free(&h);
    check_done();
}

static void test_extrapolated(void **state)
{
    (void)state;
    wl_ptx_history h = followed(40);
    for (int64_t b = 41; b < 5000; b += 97) {
        check_near("counter", "value", seen(&h, COUNTER, 0, b), 3 * (double)b, 0);
        for (int64_t back = 1; back <= 20; back++) {
            const uint64_t at = FLAGS + 8 * (uint64_t)(b - back);
            check_near("flag", "value", seen(&h, at, 1, b), 2, 0);
            check_near("sum", "value", seen(&h, at + 4, 1, b), 100 * (double)(b - back), 0);
        }
        check_true("own flag", "is not set yet", seen(&h, FLAGS + 8 * (uint64_t)b, 1, b) == UINT32_MAX);
    }
    check_near("an early flag", "value", seen(&h, FLAGS, 1, 4000), 2, 0);
    wl_ptx_history_free(&h);
    check_done();
}

/* A few blocks are not enough to see how they go on. */
static void test_few(void **state)
{
    (void)state;
    wl_ptx_history h = followed(3);
    check_near("counter", "stays", seen(&h, COUNTER, 0, 100), 9, 0);
    check_true("flags", "are not known", seen(&h, FLAGS + 8 * 99, 1, 100) == UINT32_MAX);
    wl_ptx_history_free(&h);
    check_done();
}

/* Words that some blocks write now and then, at no regular distance, stay as they are. */
static void test_irregular(void **state)
{
    (void)state;
    wl_ptx_history h = {0};
    bool fine = true;
    for (int64_t b = 0; b < 64; b++)
        fine = fine && wl_ptx_history_add(&h, FLAGS + 4 * (uint64_t)(b * b), 1, b, known((uint32_t)b));
    fine = fine && wl_ptx_history_end(&h, 64, GROUPS);
    check_true("history", "there is memory", fine);
    check_near("written", "value", seen(&h, FLAGS + 4 * 49, 1, 1000), 7, 0);
    check_true("not written", "nothing is seen", seen(&h, FLAGS + 4 * 999 * 999, 1, 1000) == UINT32_MAX);
    wl_ptx_history_free(&h);
    check_done();
}

/* Bytes are kept one by one, with what is unknown of them. */
static void test_bytes(void **state)
{
    (void)state;
    wl_ptx_history h = {0};
    wl_ptx_left left;
    const bool fine =
        wl_ptx_history_add(&h, COUNTER, 0, 0, (wl_ptx_left){.value = 0x1122, .written = 3, .unknown = 2}) &&
        wl_ptx_history_add(&h, COUNTER, 0, 5, (wl_ptx_left){.value = 0x3344 << 8, .written = 6}) &&
        wl_ptx_history_end(&h, 6, GROUPS);
    check_true("history", "there is memory", fine);
    check_true("block 3", "sees the word", wl_ptx_history_find(&h, COUNTER, 0, 3, &left));
    check_true("block 3", "sees two bytes, one unknown",
               left.written == 3 && left.unknown == 2 && left.value == 0x1122);
    check_true("block 6", "sees the word", wl_ptx_history_find(&h, COUNTER, 0, 6, &left));
    check_true("block 6", "sees three bytes", left.written == 7 && left.unknown == 0 && left.value == 0x334422);
    wl_ptx_history_free(&h);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_followed),  cmocka_unit_test(test_extrapolated), cmocka_unit_test(test_few),
        cmocka_unit_test(test_irregular), cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
