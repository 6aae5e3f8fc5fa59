/* test_address_pattern.c - which addresses of consecutive threads are irregular.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "ptx/kernel/address_pattern.h"

static bool irregular(int64_t (*address)(int64_t), int64_t threads)
{
    wl_ptx_address_pattern p = {0};
    for (int64_t t = 0; t < threads; t++)
        wl_ptx_address_pattern_add(&p, address(t));
    return wl_ptx_address_pattern_is_irregular(&p);
}

static int64_t in_rows(int64_t t) { return t % 64 * 4 + t / 64 * 16440; }

/* The first 14 threads of a row of 64 have one trip of a loop more, and are 256 bytes behind in the
 * next. */
static int64_t rows_with_a_remainder(int64_t t) { return in_rows(t) + (t % 64 < 14 ? 256 : 0); }

static int64_t backwards(int64_t t) { return 1000000 - 512 * t; }

static int64_t hashed(int64_t t)
{
    uint64_t x = (uint64_t)t * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (int64_t)(x >> 40) * 4;
}

static void patterns(void **state)
{
    (void)state;
    check_true("rows", "regular", !irregular(in_rows, 256));
    check_true("rows with a remainder", "regular", !irregular(rows_with_a_remainder, 256));
    check_true("backwards", "regular", !irregular(backwards, 256));
    check_true("hashed", "irregular", irregular(hashed, 256));
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
