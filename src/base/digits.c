/* digits.c - see digits.h.
 *
 * A double is m * 2^e with m < 2^53. Its first n digits are m * 2^e * 10^p, rounded, for the right
 * p. As 5^27 < 2^63, the product of m and 5^p fits 128 bits for p up to 27, and so does the
 * quotient for p down to -27: both are exact, and the shift by e + p rounds once, as printf does.
 * Times, counts and ratios lie in that range; other numbers go to printf.
 * SPDX-License-Identifier: MIT */
#include "base/digits.h"

#include <stdbool.h>
#include <string.h>

#include "base/ckd.h"
#include "base/print.h"

__extension__ typedef unsigned __int128 u128;

#define POWER_MAX 27
#define FRACTION_BITS 52
#define EXPONENT_BIAS 1075 /* of the fraction as a whole number */
#define SHIFT_MAX 127

static const uint64_t powers_of_10[WL_DIGITS_MAX + 1] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
};

static uint64_t power_of_5(int power)
{
    static const uint64_t small[] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625};
    uint64_t value = small[power % 9];
    for (; power >= 9; power -= 9)
        value *= 1953125; /* 5^9 */
    return value;
}

/* ---- whole numbers ---- */

/* The last `count` digits of value, leading zeros included. */
static void put_digits(uint64_t value, int count, char *text)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142"
                                "43444546474849505152535455565758596061626364656667686970717273747576777879808182838485"
                                "86878889909192939495969798"
                                "99";
    for (; count >= 2; count -= 2) {
        memcpy(text + count - 2, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (count == 1)
        text[0] = (char)('0' + value % 10);
}

static int count_digits(uint64_t value)
{
    int count = 1;
    while (count <= WL_DIGITS_MAX && value >= powers_of_10[count])
        count++;
    for (uint64_t rest = count > WL_DIGITS_MAX ? value / powers_of_10[WL_DIGITS_MAX] : 0; rest >= 10; rest /= 10)
        count++;
    return count;
}

size_t wl_digits_whole(int64_t value, char text[WL_DIGITS_ROOM])
{
    const bool negative = value < 0;
    const uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
    const int count = count_digits(size);
    text[0] = '-';
    put_digits(size, count, text + negative);
    text[negative + count] = '\0';
    return (size_t)(negative + count);
}

/* ---- doubles ---- */

typedef struct binary {
    uint64_t fraction; /* value = fraction * 2^exponent */
    int exponent;
} binary;

/* Half to even, as printf does. */
static uint64_t shift_right(u128 value, int bits)
{
    const u128 rest = value & (((u128)1 << bits) - 1), half = (u128)1 << (bits - 1);
    const uint64_t whole = (uint64_t)(value >> bits);
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

static uint64_t divide(u128 above, u128 below)
{
    const uint64_t whole = (uint64_t)(above / below);
    const u128 rest = above % below;
    return whole + (rest > below - rest || (rest == below - rest && whole % 2 == 1));
}

/* value * 10^power, rounded. False: the power is out of range. */
static bool scale(binary value, int power, uint64_t *out)
{
    const int shift = value.exponent + power;
    if (power < -POWER_MAX || power > POWER_MAX || shift <= -SHIFT_MAX || shift > 64)
        return false;
    if (power < 0) {
        const u128 above = (u128)value.fraction << (shift > 0 ? shift : 0);
        const u128 below = (u128)power_of_5(-power);
        if (shift < -60) /* the divisor would not fit */
            return false;
        *out = divide(above, below << (shift < 0 ? -shift : 0));
        return true;
    }
    const u128 product = (u128)value.fraction * power_of_5(power);
    *out = shift < 0 ? shift_right(product, -shift) : (uint64_t)(product << shift);
    return true;
}

/* floor(log10(2^bits)), or one off */
static int decimal_exponent(int bits)
{
    const int product = bits * 1233; /* log10(2) is 1233 / 4096 */
    return product >= 0 ? product / 4096 : -((4095 - product) / 4096);
}

/* The first digits of value and the power of ten of the first of them. False: out of range. */
static bool first_digits(binary value, int digits, uint64_t *out, int *exponent)
{
    int bits = value.exponent + FRACTION_BITS;
    *exponent = decimal_exponent(bits);
    for (int tries = 0; tries < 3; tries++) {
        if (!scale(value, digits - 1 - *exponent, out))
            return false;
        if (*out >= powers_of_10[digits])
            ++*exponent;
        else if (*out < powers_of_10[digits - 1])
            --*exponent;
        else
            return true;
    }
    return false;
}

static size_t put_exponent(int exponent, char *text)
{
    const int size = exponent < 0 ? -exponent : exponent;
    text[0] = 'e';
    text[1] = exponent < 0 ? '-' : '+';
    put_digits((uint64_t)size, 2, text + 2); /* at most 44 here */
    return 4;
}

/* "0.00123" or "12300" or "12.3": `count` digits, the first of them worth 10^exponent. */
static size_t put_fixed(const char *digits, int count, int exponent, char *text)
{
    static const char zeros[] = {'0', '.', '0', '0', '0'};
    size_t at = 0;
    if (exponent < 0) {
        memcpy(text, zeros, sizeof zeros);
        at = (size_t)(1 - exponent);
        memcpy(text + at, digits, (size_t)count);
        return at + (size_t)count;
    }
    const int whole = exponent + 1;
    if (count <= whole) {
        memcpy(text, digits, (size_t)count);
        memset(text + count, '0', (size_t)(whole - count));
        return (size_t)whole;
    }
    memcpy(text, digits, (size_t)whole);
    text[whole] = '.';
    memcpy(text + whole + 1, digits + whole, (size_t)(count - whole));
    return (size_t)count + 1;
}

static size_t put_scientific(const char *digits, int count, int exponent, char *text)
{
    size_t at = 0;
    text[at++] = digits[0];
    if (count > 1) {
        text[at++] = '.';
        memcpy(text + at, digits + 1, (size_t)(count - 1));
        at += (size_t)(count - 1);
    }
    return at + put_exponent(exponent, text + at);
}

static size_t print_slowly(double value, int digits, char *text)
{
    const int length = wl_print(text, WL_DIGITS_ROOM, "%.*g", digits, value);
    return length > 0 ? (size_t)length : 0;
}

static size_t put_zero(bool negative, char *text)
{
    memcpy(text, negative ? "-0" : "0", (size_t)negative + 2);
    return (size_t)negative + 1;
}

size_t wl_digits_real(double value, int digits, char text[WL_DIGITS_ROOM])
{
    uint64_t bits, first;
    int exponent, count = digits;
    char shown[WL_DIGITS_MAX];
    WL_ASSERT(digits >= 1 && digits <= WL_DIGITS_MAX);
    memcpy(&bits, &value, sizeof bits);
    const bool negative = bits >> 63;
    const int field = (int)(bits >> FRACTION_BITS & 0x7ff);
    const uint64_t hidden = (uint64_t)1 << FRACTION_BITS;
    const binary size = {(bits & (hidden - 1)) | hidden, field - EXPONENT_BIAS};
    if (bits << 1 == 0)
        return put_zero(negative, text);
    if (field == 0 || field == 0x7ff || !first_digits(size, digits, &first, &exponent))
        /* subnormals, infinities and NaN, and what is out of range */
        return print_slowly(value, digits, text);
    put_digits(first, digits, shown);
    while (count > 1 && shown[count - 1] == '0')
        count--;
    text[0] = '-';
    char *at = text + negative;
    const size_t length = exponent < -4 || exponent >= digits ? put_scientific(shown, count, exponent, at)
                                                              : put_fixed(shown, count, exponent, at);
    at[length] = '\0';
    return (size_t)negative + length;
}
