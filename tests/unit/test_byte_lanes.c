/* test_byte_lanes.c - masks of compared lanes, with and without the machine's own instruction.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache/byte_lanes.h"

static void test_bits(void **state)
{
    (void)state;
    for (uint32_t mask = 0; mask < 1u << WL_LANES; mask++) {
        wl_lanes lanes;
        for (int i = 0; i < WL_LANES; i++)
            lanes[i] = mask >> i & 1 ? -1 : 0;
        assert_int_equal(wl_lane_bits(lanes), mask);
        assert_int_equal(wl_lane_bits_folded(lanes), mask);
    }
}

/* Each vector has other lanes. */
static void test_64_lanes(void **state)
{
    (void)state;
    for (uint64_t mask = 0; mask < 1u << 16; mask++) {
        const uint64_t wanted = mask * 0x9e3779b97f4a7c15u;
        const int8_t number = (int8_t)(uint8_t)mask;
        wl_lanes lanes[4];
        for (int i = 0; i < 4 * WL_LANES; i++)
            lanes[i / WL_LANES][i % WL_LANES] = wanted >> i & 1 ? number : (int8_t)~number;
        assert_true(wl_lanes_with_of_64(lanes, number) == wanted);
        assert_int_equal(wl_lanes_with(lanes[0], number), wanted & 0xffff);
    }
}

static void test_every_lane(void **state)
{
    (void)state;
    for (int n = INT8_MIN; n <= INT8_MAX; n++)
        for (int i = 0; i < WL_LANES; i++)
            assert_int_equal(wl_lanes_of((int8_t)n)[i], n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_64_lanes),
        cmocka_unit_test(test_every_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
