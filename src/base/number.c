/* number.c - see print.h.
 *
 * Few digits and a small power of ten are exact as doubles, so one multiplication or division
 * rounds only once. Everything else becomes a fraction of two big integers, divided bit by bit:
 * slow, short and correctly rounded.
 * SPDX-License-Identifier: MIT */
#include "base/print.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

/* no double, and no midpoint of two, has more than 768; later digits only break ties */
#define DIGITS_MAX 800
#define HIGHEST_POWER 310 /* a number with more digits is infinite */
#define LOWEST_POWER (-345)
#define WORDS 160 /* 10^(DIGITS_MAX - LOWEST_POWER) is below 2^3900 */
#define EXPONENT_LIMIT ((int64_t)1 << 55)

/* ---- long whole numbers ---- */

typedef struct whole {
    uint32_t word[WORDS]; /* lowest first; words at `count` and above are not set */
    int count;
} whole;

static void multiply_add(whole *n, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int i = 0; i < n->count; i++) {
        carry += (uint64_t)n->word[i] * factor;
        n->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0)
        n->word[n->count++] = (uint32_t)carry;
}

static void multiply_power_of_10(whole *n, int64_t power)
{
    for (; power >= 9; power -= 9)
        multiply_add(n, 1000000000, 0);
    for (; power > 0; power--)
        multiply_add(n, 10, 0);
}

static int bits_of(const whole *n)
{
    int bits = 32 * n->count;
    for (uint32_t top = n->word[n->count - 1]; top < 0x80000000u; top <<= 1)
        bits--;
    return bits;
}

static void shift_left(whole *n, int bits)
{
    const int words = bits / 32;
    memmove(n->word + words, n->word, (size_t)n->count * sizeof n->word[0]);
    memset(n->word, 0, (size_t)words * sizeof n->word[0]);
    n->count += words;
    multiply_add(n, (uint32_t)1 << bits % 32, 0);
}

static int compare(const whole *a, const whole *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* a - b, where a >= b */
static void subtract(whole *a, const whole *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        const uint64_t take = borrow + (i < b->count ? b->word[i] : 0), have = a->word[i];
        borrow = take > have;
        a->word[i] = (uint32_t)(have - take);
    }
    while (a->count > 0 && a->word[a->count - 1] == 0)
        a->count--;
}

/* ---- rounding ---- */

/* Nearest double to bits * 2^exponent, plus a little if `more`; ties to even. */
static double rounded(uint64_t bits, int64_t exponent, bool more)
{
    if (bits == 0)
        return 0;
    for (; bits < (uint64_t)1 << 63; bits <<= 1)
        exponent--;
    int64_t dropped = 11; /* 53 of 64 bits stay, fewer for subnormals */
    if (exponent + dropped < -1074)
        dropped = -1074 - exponent;
    if (dropped > 64)
        return 0;
    const uint64_t kept = dropped < 64 ? bits >> dropped : 0;
    const uint64_t rest = bits << (64 - dropped), half = (uint64_t)1 << 63;
    const bool up = rest > half || (rest == half && (more || kept % 2 == 1));
    return exponent > 2000 ? HUGE_VAL : ldexp((double)(kept + up), (int)(exponent + dropped));
}

/* above / below; neither is 0 */
static double quotient(whole *above, whole *below)
{
    int exponent = bits_of(above) - bits_of(below);
    shift_left(exponent < 0 ? above : below, exponent < 0 ? -exponent : exponent);
    if (compare(above, below) < 0) {
        shift_left(above, 1);
        exponent--;
    }
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) { /* below <= above < 2 below, so the first bit is 1 */
        bits <<= 1;
        if (compare(above, below) >= 0) {
            subtract(above, below);
            bits |= 1;
        }
        if (above->count > 0)
            shift_left(above, 1);
    }
    return rounded(bits, exponent - 63, above->count > 0);
}

/* ---- decimal ---- */

/* digits * 10^power. `last` points after the last digit; a decimal point among the digits is
 * skipped. */
static double slow_decimal(const char *digits, const char *last, int64_t power)
{
    whole above = {.count = 0}, below = {.word = {1}, .count = 1};
    int64_t read = 0;
    for (const char *p = digits; p < last; p++) {
        if (*p == '.')
            continue;
        if (++read <= DIGITS_MAX)
            multiply_add(&above, 10, (uint32_t)(*p - '0'));
    }
    if (read > DIGITS_MAX) { /* some later digit is not 0, as trailing zeros were dropped */
        multiply_add(&above, 10, 1);
        power += read - DIGITS_MAX - 1;
        read = DIGITS_MAX + 1;
    }
    if (read + power > HIGHEST_POWER)
        return HUGE_VAL;
    if (read + power < LOWEST_POWER)
        return 0;
    multiply_power_of_10(power < 0 ? &below : &above, power < 0 ? -power : power);
    return quotient(&above, &below);
}

static double decimal(const char *digits, const char *last, int64_t power)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t value = 0;
    bool exact = true;
    for (const char *p = digits; p < last && exact; p++) {
        if (*p != '.')
            value = 10 * value + (uint64_t)(*p - '0');
        exact = value <= (uint64_t)1 << 53;
    }
    if (value == 0)
        return 0;
    if (!exact || power < -22 || power > 22)
        return slow_decimal(digits, last, power);
    return power < 0 ? (double)value / powers[-power] : (double)value * powers[power];
}

/* ---- text ---- */

static int digit_of(char c, int base)
{
    const int digit = wl_hex_digit(c);
    return digit < base ? digit : -1;
}

/* Finds digits with at most one point among them: the first and last digit, without leading and
 * trailing zeros, and the power of the base after the last one. False: no digits. */
static bool find_digits(const char **at, int base, const char **first, const char **last, int64_t *places)
{
    const char *p = *at, *point = NULL;
    bool any = false;
    *first = *last = NULL;
    for (; digit_of(*p, base) >= 0 || (*p == '.' && !point); p++) {
        if (*p == '.') {
            point = p;
            continue;
        }
        any = true;
        if (*p != '0') {
            *first = *first ? *first : p;
            *last = p + 1;
        }
    }
    if (!*first) /* zeros only */
        *first = *last = p;
    *places = point ? point - *last + (point < *last) : p - *last;
    *at = any ? p : *at;
    return any;
}

/* "e-12" or "p3". Returns 0 and reads nothing if there is no exponent. */
static int64_t read_exponent(const char **at, char letter)
{
    const char *p = *at;
    int64_t value = 0;
    if (*p != letter && *p != letter - 'a' + 'A')
        return 0;
    const bool negative = p[1] == '-';
    p += 1 + (p[1] == '-' || p[1] == '+');
    if (digit_of(*p, 10) < 0)
        return 0;
    for (; digit_of(*p, 10) >= 0; p++)
        value = value < EXPONENT_LIMIT ? 10 * value + digit_of(*p, 10) : value;
    *at = p;
    return negative ? -value : value;
}

static double hexadecimal(const char *first, const char *last, int64_t exponent)
{
    uint64_t bits = 0;
    bool more = false;
    for (const char *p = first; p < last; p++) {
        if (*p == '.')
            continue;
        if (bits >> 60 == 0) {
            bits = 16 * bits + (uint64_t)digit_of(*p, 16);
        } else {
            more = more || *p != '0';
            exponent += 4;
        }
    }
    return rounded(bits, exponent, more);
}

double wl_number_read(const char *text, const char **end)
{
    const char *p = text + (*text == '-' || *text == '+'), *first, *last;
    int64_t places;
    double value = 0;
    const char *hex = p + 2;
    if (end)
        *end = text;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && find_digits(&hex, 16, &first, &last, &places)) {
        p = hex;
        value = hexadecimal(first, last, 4 * places + read_exponent(&p, 'p'));
    } else if (find_digits(&p, 10, &first, &last, &places)) {
        value = decimal(first, last, places + read_exponent(&p, 'e'));
    } else {
        return 0;
    }
    if (end)
        *end = p;
    return *text == '-' ? -value : value;
}

/* ---- writing ---- */

int wl_print_list(char *text, size_t size, const char *format, va_list args)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) {
        if (size > 0)
            text[0] = '\0';
        return -1;
    }
    const locale_t before = uselocale(plain); /* of this thread only */
    const int length = vsnprintf(text, size, format, args);
    (void)uselocale(before);
    freelocale(plain);
    return length;
}

int wl_print(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = wl_print_list(text, size, format, args);
    va_end(args);
    return length;
}
