/* alu_integer.c - integer arithmetic of 16, 32 and 64 bits. See alu.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* X(suffix, type, unsigned type, wide type, unsigned wide type, bits) */
#define TYPES(X)                                                                                                       \
    X(u16, uint16_t, uint16_t, uint32_t, uint32_t, 16)                                                                 \
    X(s16, int16_t, uint16_t, int32_t, uint32_t, 16)                                                                   \
    X(u32, uint32_t, uint32_t, uint64_t, uint64_t, 32)                                                                 \
    X(s32, int32_t, uint32_t, int64_t, uint64_t, 32)                                                                   \
    X(u64, uint64_t, uint64_t, u128, u128, 64)                                                                         \
    X(s64, int64_t, uint64_t, s128, u128, 64)

/* Defines a function over lanes. x, y, z are the sources as T; sums and products use U, which
 * wraps. */
#define LANES(name, T, expression)                                                                                     \
    static void name(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)                          \
    {                                                                                                                  \
        const uint64_t *a = from[0], *b = from[1], *c = from[2];                                                       \
        (void)in, (void)b, (void)c;                                                                                    \
        WL_PTX_EACH_LANE                                                                                               \
        {                                                                                                              \
            const T x = (T)a[i], y = (T)b[i], z = (T)c[i];                                                             \
            (void)y, (void)z;                                                                                          \
            to[i] = (uint64_t)(expression);                                                                            \
        }                                                                                                              \
    }

#define DEFINE(S, T, U, W, UW, bits)                                                                                   \
    LANES(add_##S, U, (U)(x + y))                                                                                      \
    LANES(sub_##S, U, (U)(x - y))                                                                                      \
    LANES(mul_lo_##S, U, (U)((UW)x * (UW)y))                                                                           \
    LANES(mul_hi_##S, T, (U)(((W)x * (W)y) >> bits))                                                                   \
    LANES(mul_wide_##S, T, (UW)((W)x * (W)y))                                                                          \
    LANES(mad_lo_##S, U, (U)((UW)x * (UW)y + (UW)z))                                                                   \
    LANES(mad_hi_##S, T, (U)((U)(((W)x * (W)y) >> bits) + (U)z))                                                       \
    LANES(div_##S, T,                                                                                                  \
          (U)(y == 0                               ? (T) ~(T)0                                                         \
              : y == (T) ~(T)0 && (T) ~(T)0 < (T)1 ? (T)(U)((UW)0 - (UW)x)                                             \
                                                   : (T)(x / y)))                                                      \
    LANES(rem_##S, T, (U)(y == 0 ? x : y == (T) ~(T)0 && (T) ~(T)0 < (T)1 ? (T)0 : (T)(x % y)))                        \
    LANES(min_##S, T, (U)(x < y ? x : y))                                                                              \
    LANES(max_##S, T, (U)(x > y ? x : y))                                                                              \
    LANES(abs_##S, T, (U)(x < (T)1 ? (U)((UW)0 - (UW)x) : (U)x))                                                       \
    LANES(neg_##S, U, (U)((UW)0 - (UW)x))                                                                              \
    LANES(sad_##S, T, (U)((U)z + (x < y ? (U)((U)y - (U)x) : (U)((U)x - (U)y))))
TYPES(DEFINE)

/* mad.wide: the addend has the width of the result. */
#define DEFINE_WIDE(S, T, W)                                                                                           \
    static void mad_wide_##S(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)                  \
    {                                                                                                                  \
        const uint64_t *a = from[0], *b = from[1], *c = from[2];                                                       \
        (void)in;                                                                                                      \
        WL_PTX_EACH_LANE to[i] = (uint64_t)(W)((uint64_t)((int64_t)(T)a[i] * (int64_t)(T)b[i]) + c[i]);                \
    }
DEFINE_WIDE(u16, uint16_t, uint32_t)
DEFINE_WIDE(s16, int16_t, uint32_t)
DEFINE_WIDE(s32, int32_t, uint64_t)

static void mad_wide_u32(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const uint64_t *a = from[0], *b = from[1], *c = from[2];
    (void)in;
    WL_PTX_EACH_LANE to[i] = (uint64_t)(uint32_t)a[i] * (uint32_t)b[i] + c[i];
}

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
    static const wl_ptx_apply add[] = ROW(add), sub[] = ROW(sub), quotient[] = ROW(div), rest[] = ROW(rem);
    static const wl_ptx_apply min[] = ROW(min), max[] = ROW(max), absolute[] = ROW(abs), neg[] = ROW(neg),
                              sad[] = ROW(sad);
    if (in->type == WL_PTX_U16X2 || in->type == WL_PTX_S16X2)
        return is_packed(in->op) ? packed_lanes : NULL;
    const int type = wl_ptx_integer_index(in->type);
    const bool saturate = in->modifiers & WL_PTX_MOD_SAT;
    if (type < 0)
        return NULL;
    switch (in->op) {
    case WL_PTX_OP_add: return saturate ? add_sat : add[type];
    case WL_PTX_OP_sub: return saturate ? sub_sat : sub[type];
    case WL_PTX_OP_mul:
    case WL_PTX_OP_mad: return find_product(in, type);
    case WL_PTX_OP_mul24:
    case WL_PTX_OP_mad24: return multiply24;
    case WL_PTX_OP_div: return quotient[type];
    case WL_PTX_OP_rem: return rest[type];
    case WL_PTX_OP_min: return min[type];
    case WL_PTX_OP_max: return max[type];
    case WL_PTX_OP_abs: return absolute[type];
    case WL_PTX_OP_neg: return neg[type];
    case WL_PTX_OP_sad: return sad[type];
    default: return NULL;
    }
}

/* The addend of an addition with carry: a source, or the low or high half of a product. */
static uint64_t addend(const uint64_t *const *from, const wl_ptx_instruction *in, int lane)
{
    const uint64_t x = from[0][lane], y = from[1][lane];
    const bool wide = wl_ptx_type_bits(in->type) == 64, high = in->modifiers & WL_PTX_MOD_HI;
    if (in->op != WL_PTX_OP_mad && in->op != WL_PTX_OP_madc)
        return wide ? x : (uint32_t)x;
    if (!wl_ptx_type_is_signed(in->type)) {
        const u128 product = wide ? (u128)x * y : (u128)((uint64_t)(uint32_t)x * (uint32_t)y);
        return wide ? (uint64_t)(high ? product >> 64 : product) : (uint32_t)(high ? product >> 32 : product);
    }
    const s128 product = wide ? (s128)(int64_t)x * (int64_t)y : (s128)((int64_t)(int32_t)x * (int32_t)y);
    return wide ? (uint64_t)(high ? product >> 64 : product) : (uint32_t)(high ? product >> 32 : product);
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
