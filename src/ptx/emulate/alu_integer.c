/* alu_integer.c - integer arithmetic of 16, 32 and 64 bits. See alu.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* X(suffix, type, unsigned type, wide type, unsigned wide type, bits, macro) */
#define TYPES(X)                                                                                                       \
    X(u16, uint16_t, uint16_t, uint32_t, uint32_t, 16, LANES32)                                                        \
    X(s16, int16_t, uint16_t, int32_t, uint32_t, 16, LANES32)                                                          \
    X(u32, uint32_t, uint32_t, uint64_t, uint64_t, 32, LANES32)                                                        \
    X(s32, int32_t, uint32_t, int64_t, uint64_t, 32, LANES32)                                                          \
    X(u64, uint64_t, uint64_t, u128, u128, 64, LANES)                                                                  \
    X(s64, int64_t, uint64_t, s128, u128, 64, LANES)

/* Sums and products use U, which wraps. */
#define LANES(name, T, expression) WL_PTX_DEFINE_APPLY(name, T, (T), (uint64_t), expression)
#define LANES32(name, T, expression) WL_PTX_DEFINE_APPLY32(name, T, (T), (uint64_t), expression)

/* Shift amounts are 32-bit numbers, clamped to the width. */
#define IS_BELOW(bits) ((uint32_t)b[i] < (bits))
#define AMOUNT(bits) (IS_BELOW(bits) ? (uint32_t)b[i] : (bits)-1)

#define DEFINE(S, T, U, W, UW, bits, OP)                                                                               \
    OP(add_##S, U, (U)(x + y))                                                                                         \
    OP(sub_##S, U, (U)(x - y))                                                                                         \
    OP(mul_lo_##S, U, (U)((UW)x * (UW)y))                                                                              \
    OP(mul_hi_##S, T, (U)(((W)x * (W)y) >> bits))                                                                      \
    LANES(mul_wide_##S, T, (UW)((W)x * (W)y))                                                                          \
    OP(mad_lo_##S, U, (U)((UW)x * (UW)y + (UW)z))                                                                      \
    OP(mad_hi_##S, T, (U)((U)(((W)x * (W)y) >> bits) + (U)z))                                                          \
    OP(div_##S, T, (U)(y == 0 ? (T) ~(T)0 : y == (T) ~(T)0 && (T) ~(T)0 < (T)1 ? (T)(U)((UW)0 - (UW)x) : (T)(x / y)))  \
    OP(rem_##S, T, (U)(y == 0 ? x : y == (T) ~(T)0 && (T) ~(T)0 < (T)1 ? (T)0 : (T)(x % y)))                           \
    OP(min_##S, T, (U)(x < y ? x : y))                                                                                 \
    OP(max_##S, T, (U)(x > y ? x : y))                                                                                 \
    OP(abs_##S, T, (U)(x < (T)1 ? (U)((UW)0 - (UW)x) : (U)x))                                                          \
    OP(neg_##S, U, (U)((UW)0 - (UW)x))                                                                                 \
    OP(sad_##S, T, (U)((U)z + (x < y ? (U)((U)y - (U)x) : (U)((U)x - (U)y))))                                          \
    OP(not_##S, U, (U)~x)                                                                                              \
    OP(cnot_##S, U, x == 0)                                                                                            \
    OP(shl_##S, U, IS_BELOW(bits) ? (U)((uint64_t)x << (b[i] & 63)) : 0)                                               \
    OP(shr_##S, T, (U)(IS_BELOW(bits) || (T) ~(T)0 < (T)1 ? (T)(x >> AMOUNT(bits)) : (T)0))
TYPES(DEFINE)

/* mad.wide: the addend has the width of the result. */
#define DEFINE_WIDE(S, T, W, R) LANES(mad_wide_##S, T, (R)((uint64_t)((W)x * (W)y) + c[i]))
DEFINE_WIDE(u16, uint16_t, uint64_t, uint32_t)
DEFINE_WIDE(s16, int16_t, int64_t, uint32_t)
DEFINE_WIDE(u32, uint32_t, uint64_t, uint64_t)
DEFINE_WIDE(s32, int32_t, int64_t, uint64_t)

static int64_t clamp_s32(int64_t value)
{
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}

LANES(add_sat, int32_t, (uint32_t)clamp_s32((int64_t)x + y))
LANES(sub_sat, int32_t, (uint32_t)clamp_s32((int64_t)x - y))
LANES(mad_hi_sat, int32_t, (uint32_t)clamp_s32((((int64_t)x * y) >> 32) + z))

/* 24-bit factors, sign-extended for signed types. The product has 48 bits; .hi takes the upper
 * 32. */
static int64_t low24(uint64_t bits, bool is_signed)
{
    const int64_t value = (int64_t)(bits & 0xffffff);
    return is_signed && value & 0x800000 ? value - 0x1000000 : value;
}

static void multiply24(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const bool is_signed = wl_ptx_type_is_signed(in->type), high = in->modifiers & WL_PTX_MOD_HI;
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const int64_t product = low24(from[0][i], is_signed) * low24(from[1][i], is_signed);
        int64_t result = high ? product >> 16 : product;
        if (in->op == WL_PTX_OP_mad24) {
            result = (int64_t)(int32_t)(uint32_t)result + (int32_t)(uint32_t)from[2][i];
            if (in->modifiers & WL_PTX_MOD_SAT)
                result = clamp_s32(result);
        }
        to[i] = (uint32_t)result;
    }
}

/* Two 16-bit numbers in 32 bits. */
static uint32_t packed(uint32_t x, uint32_t y, const wl_ptx_instruction *in)
{
    const bool is_signed = in->type == WL_PTX_S16X2;
    const int32_t a = is_signed ? (int16_t)x : (uint16_t)x, b = is_signed ? (int16_t)y : (uint16_t)y;
    int32_t result = 0;
    switch (in->op) {
    case WL_PTX_OP_add: result = a + b; break;
    case WL_PTX_OP_sub: result = a - b; break;
    case WL_PTX_OP_min: result = a < b ? a : b; break;
    case WL_PTX_OP_max: result = a > b ? a : b; break;
    case WL_PTX_OP_neg: result = -a; break;
    default: break;
    }
    if (in->modifiers & WL_PTX_MOD_RELU && result < 0)
        result = 0;
    return (uint16_t)result;
}

static bool is_packed(wl_ptx_op op)
{
    return op == WL_PTX_OP_add || op == WL_PTX_OP_sub || op == WL_PTX_OP_min || op == WL_PTX_OP_max ||
           op == WL_PTX_OP_neg;
}

static void packed_lanes(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint32_t x = (uint32_t)from[0][i], y = (uint32_t)from[1][i];
        to[i] = packed(x, y, in) | packed(x >> 16, y >> 16, in) << 16;
    }
}

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
        name##_u16, name##_s16, name##_u32, name##_s32, name##_u64, name##_s64                                         \
    }
static wl_ptx_apply find_product(const wl_ptx_instruction *in, int type)
{
    static const wl_ptx_apply mul_lo[] = ROW(mul_lo), mul_hi[] = ROW(mul_hi), mul_wide[] = ROW(mul_wide);
    static const wl_ptx_apply mad_lo[] = ROW(mad_lo), mad_hi[] = ROW(mad_hi);
    static const wl_ptx_apply mad_wide[] = {mad_wide_u16, mad_wide_s16, mad_wide_u32, mad_wide_s32, NULL, NULL};
    const bool sum = in->op == WL_PTX_OP_mad;
    if (in->modifiers & WL_PTX_MOD_WIDE)
        return sum ? mad_wide[type] : type < 4 ? mul_wide[type] : NULL;
    if (in->modifiers & WL_PTX_MOD_HI)
        return !sum ? mul_hi[type] : in->modifiers & WL_PTX_MOD_SAT ? mad_hi_sat : mad_hi[type];
    return sum ? mad_lo[type] : mul_lo[type];
}

wl_ptx_apply wl_ptx_find_integer(const wl_ptx_instruction *in)
{
    static const struct {
        wl_ptx_op op;
        wl_ptx_apply of[6];
    } rows[] = {{WL_PTX_OP_add, ROW(add)},  {WL_PTX_OP_sub, ROW(sub)}, {WL_PTX_OP_div, ROW(div)},
                {WL_PTX_OP_rem, ROW(rem)},  {WL_PTX_OP_min, ROW(min)}, {WL_PTX_OP_max, ROW(max)},
                {WL_PTX_OP_abs, ROW(abs)},  {WL_PTX_OP_neg, ROW(neg)}, {WL_PTX_OP_sad, ROW(sad)},
                {WL_PTX_OP_not, ROW(not )}, {WL_PTX_OP_shl, ROW(shl)}, {WL_PTX_OP_shr, ROW(shr)},
                {WL_PTX_OP_cnot, ROW(cnot)}};
    if (in->type == WL_PTX_U16X2 || in->type == WL_PTX_S16X2)
        return is_packed(in->op) ? packed_lanes : NULL;
    const int type = wl_ptx_integer_index(in->type);
    if (type < 0)
        return NULL;
    if (in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_mad)
        return find_product(in, type);
    if (in->op == WL_PTX_OP_mul24 || in->op == WL_PTX_OP_mad24)
        return multiply24;
    if (in->modifiers & WL_PTX_MOD_SAT && (in->op == WL_PTX_OP_add || in->op == WL_PTX_OP_sub))
        return in->op == WL_PTX_OP_add ? add_sat : sub_sat;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].op == in->op)
            return rows[k].of[type];
    return NULL;
}

/* The addend of an addition with carry: a source, or the low or high half of a product. */
static uint64_t addend(const uint64_t *const *from, const wl_ptx_instruction *in, int lane)
{
    const uint64_t x = wl_ptx_extended(from[0][lane], in->type), y = wl_ptx_extended(from[1][lane], in->type);
    const int bits = wl_ptx_type_bits(in->type), shift = in->modifiers & WL_PTX_MOD_HI ? bits : 0;
    if (in->op != WL_PTX_OP_mad && in->op != WL_PTX_OP_madc)
        return bits == 64 ? x : (uint32_t)x;
    const u128 product = wl_ptx_type_is_signed(in->type) ? (u128)((s128)(int64_t)x * (int64_t)y) : (u128)x * y;
    return bits == 64 ? (uint64_t)(product >> shift) : (uint32_t)(product >> shift);
}

void wl_ptx_apply_carry(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in, uint32_t *carry)
{
    const bool wide = wl_ptx_type_bits(in->type) == 64, product = in->op == WL_PTX_OP_mad || in->op == WL_PTX_OP_madc;
    const bool minus = in->op == WL_PTX_OP_sub || in->op == WL_PTX_OP_subc;
    const bool takes = in->op == WL_PTX_OP_addc || in->op == WL_PTX_OP_subc || in->op == WL_PTX_OP_madc;
    uint32_t out = 0;
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t x = addend(from, in, i), other = from[product ? 2 : 1][i], y = wide ? other : (uint32_t)other;
        const u128 in_carry = takes ? *carry >> i & 1 : 0;
        const u128 sum = minus ? (u128)x - y - in_carry : (u128)x + y + in_carry;
        to[i] = wide ? (uint64_t)sum : (uint32_t)sum;
        out |= (uint32_t)((wide ? sum >> 64 : sum >> 32) & 1) << i;
    }
    if (in->modifiers & WL_PTX_MOD_CC)
        *carry = out;
}
