/* test_digits.c - wl_digits_real and wl_digits_whole against the C library's printf in the C
 * locale, which this program never leaves. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "effort.h"
#include "unit/checks.h"

#include "base/digits.h"

static void check_real(double value, int digits)
{
    char want[400], got[WL_DIGITS_ROOM];
    (void)snprintf(want, sizeof want, "%.*g", digits, value);
    const size_t length = wl_digits_real(value, digits, got);
    if (strcmp(got, want) != 0 || length != strlen(want)) {
        print_error("%a with %d digits: '%s', %zu long, not '%s'\n", value, digits, got, length, want);
        check_failures++;
    }
}

static void check_all_digits(double value)
{
    for (int digits = 1; digits <= WL_DIGITS_MAX; digits++) {
        check_real(value, digits);
        check_real(-value, digits);
    }
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void by_hand(void **state)
{
    (void)state;
    static const double values[] = {0,      1,    9.5,      99.5,  0.5,    2.5,       0.1,    1.0 / 3, 1e15,
                                    1e16,   1e17, 999999.5, 1e-4,  1e-5,   9.9999e-5, 1e22,   1e23,    1e42,
                                    1e43,   1e44, 1e45,     1e100, 5e-324, 1.7e308,   2e-308, 0.25,    0.125,
                                    0.0625, 1e-9, 123456.5, 1e-12, 1e-13,  1e-14};
    for (size_t i = 0; i < COUNT_OF(values); i++)
        check_all_digits(values[i]);
    check_all_digits((double)INFINITY);
    check_real((double)NAN, 15);
    check_done();
}

/* Powers of ten and their neighbours: where the number of digits changes. */
static void powers(void **state)
{
    (void)state;
    for (int power = -330; power <= 308; power++) {
        char text[16];
        double value;
        (void)snprintf(text, sizeof text, "1e%d", power);
        (void)sscanf(text, "%lf", &value);
        check_all_digits(value);
        check_all_digits(nextafter(value, 0));
        check_all_digits(nextafter(value, 1e308));
    }
    for (int power = -1074; power <= 1023; power++)
        check_all_digits(ldexp(1, power));
    check_done();
}

static void random_bits(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint64_t i = 0; i < effort_cases(400000); i++) {
        const double value = of_bits(check_random(&seed));
        check_real(value, (int)check_random_in(&seed, 1, WL_DIGITS_MAX));
    }
    check_done();
}

/* Of the size of times, counts and ratios, where the fast way is taken. */
static void random_sizes(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint64_t i = 0; i < effort_cases(2000000); i++) {
        const uint64_t fraction = check_random(&seed) >> 12;
        const uint64_t exponent = (uint64_t)check_random_in(&seed, 1023 - 60, 1023 + 150);
        check_real(of_bits(exponent << 52 | fraction), i % 2 ? 15 : (int)check_random_in(&seed, 1, WL_DIGITS_MAX));
    }
    check_done();
}

/* Few digits before and behind the point: many of them lie halfway between two shorter numbers. */
static void random_middles(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint64_t i = 0; i < effort_cases(400000); i++) {
        const int64_t most = (int64_t)1 << check_random_in(&seed, 1, 52);
        const int64_t whole = check_random_in(&seed, 0, most);
        const int power = (int)check_random_in(&seed, -60, 60);
        check_real(ldexp((double)whole, power), (int)check_random_in(&seed, 1, WL_DIGITS_MAX));
        check_real((double)whole / 1000, (int)check_random_in(&seed, 1, WL_DIGITS_MAX));
        check_real((double)whole * 1e9, (int)check_random_in(&seed, 1, WL_DIGITS_MAX));
    }
    check_done();
}

static void check_whole(int64_t value)
{
    char want[40], got[WL_DIGITS_ROOM];
    (void)snprintf(want, sizeof want, "%" PRId64, value);
    check_int(want, "length", (int64_t)wl_digits_whole(value, got), (int64_t)strlen(want));
    check_text(want, "text", got, want);
}

static void whole_numbers(void **state)
{
    (void)state;
    uint64_t seed = 4;
    check_whole(INT64_MIN);
    check_whole(INT64_MAX);
    int64_t power = 1;
    for (int i = 0; i < 19; i++, power = i < 19 ? power * 10 : power)
        for (int64_t off = -1; off <= 1; off++) {
            check_whole(power + off);
            check_whole(-power + off);
        }
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = check_random(&seed);
        check_whole((int64_t)(bits >> check_random_in(&seed, 1, 63)));
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),        cmocka_unit_test(powers),
                                       cmocka_unit_test(random_bits),    cmocka_unit_test(random_sizes),
                                       cmocka_unit_test(random_middles), cmocka_unit_test(whole_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
