/* test_byte_lanes.c - masks of compared lanes, with and without the machine's own instruction.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache/byte_lanes.h"

static wl_lanes lanes_of_mask(uint64_t mask, int from)
{
    wl_lanes lanes = {0};
    for (int i = 0; i < WL_LANES; i++)
        lanes[i] = mask >> (from + i) & 1 ? -1 : 0;
    return lanes;
}

static void test_mask(void **state)
{
    (void)state;
    for (uint64_t mask = 0; mask < 1u << WL_LANES; mask++) {
        const wl_lanes lanes = lanes_of_mask(mask, 0);
        uint64_t wanted = 0;
        for (int i = 0; i < WL_LANES; i++)
            wanted |= mask >> i & 1 ? WL_LANE(i) : 0;
        assert_true(wl_lane_mask(lanes) == wanted);
        assert_true(wl_lane_mask_folded(lanes) == wanted);
    }
}

/* Each vector has other lanes. */
static void test_64_lanes(void **state)
{
    (void)state;
    for (uint64_t mask = 0; mask < 1u << 16; mask++) {
        const uint64_t wanted = mask * 0x9e3779b97f4a7c15u;
        wl_lanes lanes[4];
        for (int i = 0; i < 4; i++)
            lanes[i] = lanes_of_mask(wanted, i * WL_LANES);
        assert_true(wl_lane_bits_of_64(lanes) == wanted);
    }
}

/* Wider lanes become narrower ones. */
static void test_narrow(void **state)
{
    (void)state;
    for (int mask = 0; mask < 1 << 8; mask++) {
        wl_words words[2];
        for (int i = 0; i < 8; i++)
            words[i / 4][i % 4] = mask >> i & 1 ? -1 : 0;
        const wl_shorts shorts = wl_shorts_from(words[0], words[1]);
        const wl_lanes lanes = wl_lanes_from_shorts(shorts, ~shorts);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(shorts[i], mask >> i & 1 ? -1 : 0);
            assert_int_equal(lanes[i], mask >> i & 1 ? -1 : 0);
            assert_int_equal(lanes[8 + i], mask >> i & 1 ? 0 : -1);
        }
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
        cmocka_unit_test(test_mask),
        cmocka_unit_test(test_64_lanes),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_every_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
