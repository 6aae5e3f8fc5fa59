/* alu_half.c - arithmetic of 16-bit floating-point numbers, one or two to a register. See alu.h.
 *
 * Computes in double and rounds once. A double has enough bits for sums, products and fused
 * multiply-adds of halves, so there is no double rounding.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

#include <math.h>

typedef struct format {
    int fraction, lowest; /* fraction bits; exponent of the smallest normal number */
    uint64_t infinity;
} format;
static const format IEEE = {10, -14, 0x7c00}, BRAIN = {7, -126, 0x7f80}, TF32 = {10, -126, 0x3fc00};

double wl_ptx_half_value(uint64_t bits, bool brain)
{
    if (brain)
        return (double)wl_ptx_f32_of((bits & 0xffff) << 16);
    const uint64_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff, sign = (bits & 0x8000) << 48;
    if (exponent == 0) {
        const double tiny = (double)fraction * 0x1p-24;
        return sign ? -tiny : tiny;
    }
    const uint64_t wide = exponent == 31 ? 2047 : exponent - 15 + 1023;
    return wl_ptx_f64_of(sign | wide << 52 | fraction << 42);
}

/* Whether a magnitude rounds up after `rest` of `unit` is cut off. */
static bool rounds_up(uint64_t kept, uint64_t rest, uint64_t unit, bool negative, wl_ptx_variant rounding)
{
    switch (rounding) {
    case WL_PTX_RZ: return false;
    case WL_PTX_RM: return negative && rest != 0;
    case WL_PTX_RP: return !negative && rest != 0;
    case WL_PTX_RNA: return 2 * rest >= unit;
    default: return 2 * rest > unit || (2 * rest == unit && kept & 1);
    }
}

/* The magnitude of a number in fewer bits. */
static uint64_t narrowed(double value, const format *f, wl_ptx_variant rounding)
{
    const uint64_t bits = wl_ptx_f64_bits(value), fraction = bits & (((uint64_t)1 << 52) - 1);
    const int exponent = (int)(bits >> 52 & 2047) - 1023;
    if (exponent == 1024)
        return fraction ? f->infinity | (((uint64_t)1 << f->fraction) - 1) : f->infinity;
    if (exponent < -1022)
        return 0; /* subnormal double: below every half, apart from directed rounding */
    const int missing = exponent < f->lowest ? f->lowest - exponent : 0;
    const int shift = 52 - f->fraction + missing < 62 ? 52 - f->fraction + missing : 62;
    const uint64_t whole = fraction | (uint64_t)1 << 52, unit = (uint64_t)1 << shift, kept = whole >> shift;
    uint64_t result = kept;
    if (!missing)
        result += (uint64_t)(exponent - f->lowest) << f->fraction;
    result += rounds_up(kept, whole & (unit - 1), unit, bits >> 63, rounding);
    if (result < f->infinity)
        return result;
    const bool stays =
        rounding == WL_PTX_RZ || (rounding == WL_PTX_RM && !(bits >> 63)) || (rounding == WL_PTX_RP && bits >> 63);
    return stays ? f->infinity - 1 : f->infinity;
}

uint64_t wl_ptx_half_bits(double value, bool brain, wl_ptx_variant rounding)
{
    if (isnan(value))
        return 0x7fff;
    return narrowed(value, brain ? &BRAIN : &IEEE, rounding) | (signbit(value) ? 0x8000 : 0);
}

uint64_t wl_ptx_float_bits(double value, wl_ptx_type type, wl_ptx_variant rounding)
{
    if (type == WL_PTX_F64)
        return wl_ptx_f64_bits(value);
    if (wl_ptx_is_half(type))
        return wl_ptx_half_bits(value, wl_ptx_is_brain(type), rounding);
    if (type != WL_PTX_TF32)
        return wl_ptx_f32_bits((float)value);
    if (isnan(value))
        return 0x7fffffff;
    return narrowed(value, &TF32, rounding) << 13 | (signbit(value) ? 0x80000000u : 0);
}

static double smaller(double x, double y)
{
    return isnan(x) ? y : isnan(y) ? x : x < y || (x == y && signbit(x)) ? x : y;
}

static double compute(const wl_ptx_instruction *in, double x, double y, double z)
{
    const bool pass = in->modifiers & WL_PTX_MOD_NAN && (isnan(x) || isnan(y));
    switch (in->op) {
    case WL_PTX_OP_add: return x + y;
    case WL_PTX_OP_sub: return x - y;
    case WL_PTX_OP_mul: return x * y;
    case WL_PTX_OP_mad:
    case WL_PTX_OP_fma: return fma(x, y, z);
    case WL_PTX_OP_min: return pass ? (double)NAN : smaller(x, y);
    case WL_PTX_OP_max: return pass ? (double)NAN : -smaller(-x, -y);
    case WL_PTX_OP_abs: return fabs(x);
    case WL_PTX_OP_neg: return -x;
    case WL_PTX_OP_ex2: return exp2(x);
    case WL_PTX_OP_tanh: return tanh(x);
    default: return (double)NAN;
    }
}

static double flush(double value, bool brain)
{
    return fabs(value) < (brain ? 0x1p-126 : 0x1p-14) ? copysign(0, value) : value;
}

static uint64_t one_half(const wl_ptx_instruction *in, uint64_t a, uint64_t b, uint64_t c)
{
    const bool brain = wl_ptx_is_brain(in->type), flushes = in->modifiers & WL_PTX_MOD_FTZ;
    double x = wl_ptx_half_value(a, brain), y = wl_ptx_half_value(b, brain), z = wl_ptx_half_value(c, brain);
    if (flushes)
        x = flush(x, brain), y = flush(y, brain), z = flush(z, brain);
    double result = compute(in, x, y, z);
    if (in->modifiers & WL_PTX_MOD_SAT)
        result = wl_ptx_saturated(result);
    if (in->modifiers & WL_PTX_MOD_RELU && (result < 0 || isnan(result)))
        result = isnan(result) ? result : 0;
    if (flushes)
        result = flush(result, brain);
    return wl_ptx_half_bits(result, brain, WL_PTX_RN);
}

static void single(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++)
        to[i] = one_half(in, from[0][i], from[1][i], from[2][i]);
}

static void both(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t a = from[0][i], b = from[1][i], c = from[2][i];
        to[i] = one_half(in, a, b, c) | one_half(in, a >> 16, b >> 16, c >> 16) << 16;
    }
}

wl_ptx_apply wl_ptx_find_half(const wl_ptx_instruction *in)
{
    if (!wl_ptx_is_half(in->type))
        return NULL;
    switch (in->op) {
    case WL_PTX_OP_add:
    case WL_PTX_OP_sub:
    case WL_PTX_OP_mul:
    case WL_PTX_OP_mad:
    case WL_PTX_OP_fma:
    case WL_PTX_OP_min:
    case WL_PTX_OP_max:
    case WL_PTX_OP_abs:
    case WL_PTX_OP_neg:
    case WL_PTX_OP_ex2:
    case WL_PTX_OP_tanh: return wl_ptx_is_half_pair(in->type) ? both : single;
    default: return NULL;
    }
}
