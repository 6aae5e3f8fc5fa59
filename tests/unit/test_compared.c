/* test_compared.c - masks of compared lanes, with and without the machine's own instruction.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache/compared.h"

static void test_tags(void **state)
{
    (void)state;
    for (uint32_t mask = 0; mask < 1u << 16; mask++) {
        wl_tags low, high;
        for (int i = 0; i < WL_TAGS; i++) {
            low[i] = mask >> i & 1 ? 0xffff : 0;
            high[i] = mask >> (i + WL_TAGS) & 1 ? 0xffff : 0;
        }
        assert_int_equal(wl_tag_bits(low, high), mask);
        assert_int_equal(wl_tag_bits_folded(low, high), mask);
    }
}

static void test_ages(void **state)
{
    (void)state;
    for (uint32_t mask = 0; mask < 1u << 16; mask++) {
        wl_ages ages;
        for (int i = 0; i < WL_AGES; i++)
            ages[i] = mask >> i & 1 ? -1 : 0;
        assert_int_equal(wl_age_bits(ages), mask);
        assert_int_equal(wl_age_bits_folded(ages), mask);
    }
}

static void test_every_lane(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 1u << 16; n++)
        for (int i = 0; i < WL_AGES; i++) {
            assert_int_equal(wl_every_tag(n)[i / 2], n);
            assert_int_equal((uint8_t)wl_every_age(n & 0xff)[i], n & 0xff);
        }
}

/* Any of the sixteen may be the same, in both parts, in one of them or in none. */
static void test_lines(void **state)
{
    (void)state;
    _Alignas(64) uint32_t low[WL_PACKED_WAYS];
    _Alignas(64) uint16_t high[WL_PACKED_WAYS];
    for (uint32_t mask = 0; mask < 1u << 16; mask++) {
        const uint32_t other = mask * 40503u >> 3 & 0xffff; /* differ in their low part, .. */
        for (int i = 0; i < WL_PACKED_WAYS; i++) {
            low[i] = other >> i & 1 ? 0x80000000u : 0x80000001u;
            /* .. or in their high one */
            high[i] = (other >> i & 1) || (mask >> i & 1) ? 0xffff : 0xfffe;
        }
        assert_int_equal(wl_same_lines(low, high, 0x80000001u, 0xffff), mask & ~other);
        assert_int_equal(wl_same_lines_folded(low, high, 0x80000001u, 0xffff), mask & ~other);
    }
}

/* The same of eight; and a high part that stands for none. */
static void test_eight(void **state)
{
    (void)state;
    _Alignas(64) uint32_t low[WL_PLACES];
    _Alignas(64) uint16_t high[WL_PLACES];
    for (uint32_t mask = 0; mask < 1u << 16; mask++) {
        const uint32_t same = mask & 0xff, none = mask >> 8 & ~same;
        for (int i = 0; i < WL_PLACES; i++) {
            low[i] = (same >> i & 1) || i % 2 ? 0x80000001u : 0x80000000u;
            high[i] = none >> i & 1 ? 0xffff : same >> i & 1 ? 0x8001 : 0x8002;
        }
        assert_int_equal(wl_same_or_none(low, high, 0x80000001u, 0x8001, 0xffff), same | none << 8);
        assert_int_equal(wl_same_or_none_folded(low, high, 0x80000001u, 0x8001, 0xffff), same | none << 8);
        assert_int_equal(wl_same_of_eight(low, high, 0x80000001u, 0x8001), same);
        for (int i = 0; i < WL_PLACES; i++)
            low[i] = same >> i & 1 ? UINT32_MAX : 0xffff0000u + (uint32_t)i;
        assert_int_equal(wl_other_of_eight(low, UINT32_MAX), ~same & 0xff);
        assert_int_equal(wl_other_of_eight_folded(low, UINT32_MAX), ~same & 0xff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tags), cmocka_unit_test(test_ages),
                                       cmocka_unit_test(test_every_lane), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_eight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
