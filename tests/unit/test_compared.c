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

/* Each vector has other lanes. */
static void test_64_ages(void **state)
{
    (void)state;
    for (uint64_t mask = 0; mask < 1u << 16; mask++) {
        const uint64_t wanted = mask * 0x9e3779b97f4a7c15u;
        wl_ages ages[WL_AGES_OF_64];
        for (int i = 0; i < WL_AGES_OF_64 * WL_AGES; i++)
            ages[i / WL_AGES][i % WL_AGES] = wanted >> i & 1 ? -1 : 0;
        assert_true(wl_age_bits_of_64(ages) == wanted);
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
        assert_int_equal(wl_same_lines(low, high, 0xffff80000001u), mask & ~other);
        assert_int_equal(wl_same_lines_folded(low, high, 0xffff80000001u), mask & ~other);
    }
}

/* Any of six tags may be the same, and any time before; what follows them does not count. */
static void test_six(void **state)
{
    (void)state;
    const uint32_t first = 0x7ffffff0u;
    uint32_t numbers[2 * WL_PLACES_OF_LINES + 4];
    for (uint32_t mask = 0; mask < 1u << 12; mask++) {
        const uint32_t same = mask & 0x3f, before = mask >> 6;
        uint32_t *tags = numbers, *times = numbers + WL_PLACES_OF_LINES;
        for (int i = 0; i < WL_PLACES_OF_LINES; i++) {
            tags[i] = same >> i & 1 ? 0x80000001u : i % 2 ? 1 : 0x80000000u;
            times[i] = !(before >> i & 1) ? first + (uint32_t)i % 3 : i % 2 ? first - 1 : 0;
        }
        memset(times + WL_PLACES_OF_LINES, mask % 3 ? 0x80 : 0, 4 * sizeof *times);
        assert_int_equal(wl_same_or_before(tags, times, 0x80000001u, first), (same & ~before) | before << 8);
        assert_int_equal(wl_same_or_before_folded(tags, times, 0x80000001u, first), (same & ~before) | before << 8);
    }
}

/* The same of eight short tags. */
static void test_eight(void **state)
{
    (void)state;
    const uint32_t first = 0x7ffffff0u;
    uint16_t tags[WL_PLACES_MAX];
    uint32_t times[WL_PLACES_MAX];
    for (uint32_t mask = 0; mask < 1u << 16; mask++) {
        const uint32_t same = mask & 0xff, before = mask >> 8;
        for (int i = 0; i < WL_PLACES_MAX; i++) {
            tags[i] = same >> i & 1 ? 0x8001 : i % 2 ? 1 : 0x8000;
            times[i] = !(before >> i & 1) ? first + (uint32_t)i % 3 : i % 2 ? first - 1 : 0;
        }
        assert_int_equal(wl_same_or_before_of_8(tags, times, 0x8001, first), (same & ~before) | before << 8);
        assert_int_equal(wl_same_or_before_of_8_folded(tags, times, 0x8001, first), (same & ~before) | before << 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tags),    cmocka_unit_test(test_ages),
                                       cmocka_unit_test(test_64_ages), cmocka_unit_test(test_every_lane),
                                       cmocka_unit_test(test_lines),   cmocka_unit_test(test_six),
                                       cmocka_unit_test(test_eight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
