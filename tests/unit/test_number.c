/* test_number.c - wl_number_read against the C library's strtod in the C locale, which this program
 * never leaves.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"

#include "base/print.h"

/* The same bits, and the same end. */
static void check_as_strtod(const char *text)
{
    char *want_end = NULL;
    const char *end = NULL;
    const double want = strtod(text, &want_end), got = wl_number_read(text, &end);
    if (memcmp(&got, &want, sizeof got) != 0 || end != want_end) {
        print_error("'%.80s': %a, %d read, not %a, %d read\n", text, got, (int)(end - text), want,
                    (int)(want_end - text));
        check_failures++;
    }
}

static void written_by_hand(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "-",
                                        "+",
                                        ".",
                                        "-.",
                                        "e5",
                                        ".e5",
                                        "x",
                                        "0",
                                        "-0",
                                        "+0.0",
                                        "00",
                                        "0.",
                                        ".0",
                                        "5.",
                                        ".5",
                                        "-.5e1",
                                        "1e",
                                        "1e+",
                                        "1e-",
                                        "1e5x",
                                        "1E5",
                                        "1e+05",
                                        "1.2.3",
                                        "1..2",
                                        "0x",
                                        "0x.",
                                        "0xg",
                                        "0x1",
                                        "0X1F",
                                        "0x.8",
                                        "0x1.8p1",
                                        "0x1p",
                                        "0x1p+",
                                        "0x1p-1074",
                                        "0x1p-1075",
                                        "0x1.8p-1075",
                                        "0x1.00000000000008p0",
                                        "0x1.000000000000080000001p0",
                                        "0x1.fffffffffffff7p1023",
                                        "0x1.fffffffffffff8p1023",
                                        "0x123456789abcdef0123456789",
                                        "-0x1p5",
                                        "0x0p9999999999",
                                        "0x1p99999999999999999999",
                                        "0x1p-99999999999999999999",
                                        "1e400",
                                        "-1e400",
                                        "1e-400",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "0e99999999999999999999",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "179769313486231580793728971405301e276",
                                        "2.2250738585072014e-308",
                                        "2.2250738585072011e-308",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.4703282292062329e-324",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9007199254740993.0000000000000000000001",
                                        "9007199254740995",
                                        "123456789012345678901234567890",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "0.1",
                                        "0.3",
                                        "0.30000000000000004",
                                        "3.14159265358979323846264338327950288",
                                        "1,5",
                                        "1 2",
                                        "12abc",
                                        "1f",
                                        "1e5f"};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        check_as_strtod(texts[i]);
    check_done();
}

/* What strtod reads and a number of ours is not. */
static void no_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {" 1", "\t1", "inf", "-inf", "nan", "NAN(1)", "infinity"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        const char *end = NULL;
        check_true(texts[i], "is 0", wl_number_read(texts[i], &end) == 0);
        check_true(texts[i], "nothing is read", end == texts[i]);
    }
    check_near("no end asked for", "value", wl_number_read("2.5kg", NULL), 2.5, 0);
    check_done();
}

/* Doubles at random, with too few, just enough and too many digits. */
static void random_doubles(void **state)
{
    (void)state;
    uint64_t seed = 1;
    char text[1200];
    for (int i = 0; i < 40000; i++) {
        const uint64_t bits = check_random(&seed);
        const int digits = (int)check_random_in(&seed, 1, 25);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        (void)snprintf(text, sizeof text, "%.*e", digits, value);
        check_as_strtod(text);
        (void)snprintf(text, sizeof text, "%a", value);
        check_as_strtod(text);
    }
    for (int i = 0; i < 4000; i++) { /* all digits there are, and one of the last ones changed */
        uint64_t bits = check_random(&seed);
        double value;
        if (i % 3 == 0) /* below the normal ones, too */
            bits &= 0x801fffffffffffffu;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value) || !isfinite(nextafter(value, 2 * value)))
            continue;
        char other[1200];
        (void)snprintf(text, sizeof text, "%.1100f", fmod(value, 1));
        (void)snprintf(other, sizeof other, "%.1074e", value);
        check_as_strtod(text);
        check_as_strtod(other);
        char *tail = strchr(other, 'e');
        const long at = tail - other - 1 - (long)check_random_in(&seed, 0, 300);
        other[at] = (char)('0' + check_random_in(&seed, 0, 9));
        check_as_strtod(other);
    }
    check_done();
}

/* m + 1/2 times 2^e, written out: strtod must decide by the last of its hundreds of digits. */
static void middles(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        char hex[64], text[1300];
        const uint64_t m = check_random(&seed) >> 11 | (uint64_t)1 << 52;
        const int exponent = (int)check_random_in(&seed, -1074, -54);
        /* 2 m + 1 has 54 bits: as two doubles, whose decimal digits are added */
        const double high = ldexp((double)m, exponent + 1), low = ldexp(1.0, exponent);
        char a[1300], b[1300];
        (void)snprintf(a, sizeof a, "%.1100f", high);
        (void)snprintf(b, sizeof b, "%.1100f", low);
        int carry = 0;
        const size_t length = strlen(a), shorter = strlen(b);
        memcpy(text, a, length + 1);
        for (size_t k = 0; k < length; k++) {
            const size_t at = length - 1 - k;
            if (a[at] == '.')
                continue;
            const int sum = a[at] - '0' + (k < shorter ? b[shorter - 1 - k] - '0' : 0) + carry;
            text[at] = (char)('0' + sum % 10);
            carry = sum / 10;
        }
        check_as_strtod(text);
        text[length - 1] = '1'; /* above */
        check_as_strtod(text);
        (void)snprintf(hex, sizeof hex, "0x%llx.8p%d", (unsigned long long)m, exponent + 1);
        check_as_strtod(hex);
    }
    check_done();
}

static void random_texts(void **state)
{
    (void)state;
    static const char letters[] = "0123456789.e-+0000099999xXaApP5";
    uint64_t seed = 3;
    for (int i = 0; i < 200000; i++) {
        char text[48];
        const int64_t length = check_random_in(&seed, 0, 40);
        for (int64_t k = 0; k < length; k++)
            text[k] = letters[check_random_in(&seed, 0, (int64_t)sizeof letters - 2)];
        text[length] = '\0';
        check_as_strtod(text);
    }
    check_done();
}

static void many_digits(void **state)
{
    (void)state;
    static char text[300000];
    memset(text, '0', sizeof text);
    text[0] = '1';
    memcpy(text + 200000, "e-200000", 9); /* 1 */
    check_as_strtod(text);
    memset(text, '9', 250000);
    memcpy(text + 250000, "e-249990", 9);
    check_as_strtod(text);
    memset(text, '0', 250000);
    text[1] = '.';
    memcpy(text + 249990, "17e249985", 10);
    check_as_strtod(text);
    check_done();
}

static void formats(void **state)
{
    (void)state;
    char text[8];
    check_int("1/4", "length", wl_print(text, sizeof text, "%g", 0.25), 4);
    check_text("1/4", "text", text, "0.25");
    check_int("too long", "length", wl_print(text, sizeof text, "%.8f", 0.25), 10);
    check_text("too long", "text", text, "0.25000");
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_by_hand), cmocka_unit_test(no_numbers),
                                       cmocka_unit_test(random_doubles),  cmocka_unit_test(middles),
                                       cmocka_unit_test(random_texts),    cmocka_unit_test(many_digits),
                                       cmocka_unit_test(formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
