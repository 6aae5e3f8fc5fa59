/* alu_convert.c - cvt between integers and floating-point numbers of all widths. See alu.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

#include <math.h>

#define PLAIN(bits) (bits)
#define LANES(name, expression) WL_PTX_DEFINE_APPLY(name, uint64_t, PLAIN, (uint64_t), expression)
#define LANES32(name, expression) WL_PTX_DEFINE_APPLY32(name, uint64_t, PLAIN, (uint64_t), expression)
LANES(take_u8, (uint8_t)x)
LANES(take_s8, (int64_t)(int8_t)x)
LANES(take_u16, (uint16_t)x)
LANES(take_s16, (int64_t)(int16_t)x)
LANES(take_u32, (uint32_t)x)
LANES(take_s32, (int64_t)(int32_t)x)
LANES(take_64, x)
LANES32(f32_from_s32, wl_ptx_f32_bits((float)(int32_t)x))
LANES32(f32_from_u32, wl_ptx_f32_bits((float)(uint32_t)x))
LANES(f32_from_s64, wl_ptx_f32_bits((float)(int64_t)x))
LANES(f32_from_u64, wl_ptx_f32_bits((float)x))
LANES(f64_from_s32, wl_ptx_f64_bits((double)(int32_t)x))
LANES(f64_from_u32, wl_ptx_f64_bits((double)(uint32_t)x))
LANES(f64_from_s64, wl_ptx_f64_bits((double)(int64_t)x))
LANES(f64_from_u64, wl_ptx_f64_bits((double)x))
LANES32(f32_from_u8, wl_ptx_f32_bits((float)(uint8_t)x))
LANES32(f32_from_s8, wl_ptx_f32_bits((float)(int8_t)x))
LANES32(f32_from_u16, wl_ptx_f32_bits((float)(uint16_t)x))
LANES32(f32_from_s16, wl_ptx_f32_bits((float)(int16_t)x))
LANES32(f32_down, wl_ptx_f32_bits(floorf(wl_ptx_f32_of(x))))
LANES32(f32_up, wl_ptx_f32_bits(ceilf(wl_ptx_f32_of(x))))
LANES32(f32_cut, wl_ptx_f32_bits(truncf(wl_ptx_f32_of(x))))
LANES32(f32_nearest, wl_ptx_f32_bits(nearbyintf(wl_ptx_f32_of(x))))
LANES(f64_from_f32, wl_ptx_f64_bits((double)wl_ptx_f32_of(x)))
LANES(f32_from_f64, wl_ptx_f32_bits((float)wl_ptx_f64_of(x)))

static bool is_integer(wl_ptx_type type) { return type >= WL_PTX_B8 && type <= WL_PTX_S64 && type != WL_PTX_B128; }

static wl_ptx_apply taking(wl_ptx_type type)
{
    static const wl_ptx_apply take[][2] = {
        {take_u8, take_s8}, {take_u16, take_s16}, {take_u32, take_s32}, {take_64, take_64}};
    return take[__builtin_ctz((unsigned)wl_ptx_type_bits(type) / 8)][wl_ptx_type_is_signed(type)];
}

/* Saturates an integer to a type of fewer bits or other signedness. */
static void clamp_integer(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    const bool to_signed = wl_ptx_type_is_signed(in->type), from_signed = wl_ptx_type_is_signed(in->from);
    const uint64_t highest = to_signed    ? ((uint64_t)1 << (bits - 1)) - 1
                             : bits == 64 ? UINT64_MAX
                                          : ((uint64_t)1 << bits) - 1;
    const int64_t lowest = to_signed ? -(int64_t)highest - 1 : 0;
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t value = wl_ptx_extended(from[0][i], in->from);
        const bool negative = from_signed && (int64_t)value < 0;
        if (negative)
            to[i] = (int64_t)value < lowest ? (uint64_t)lowest : value;
        else
            to[i] = value > highest ? highest : value;
    }
}

static double read_float(uint64_t bits, const wl_ptx_instruction *in)
{
    return wl_ptx_float_value(bits, in->from, in->modifiers & WL_PTX_MOD_FTZ);
}

static double to_whole(double x, wl_ptx_variant rounding)
{
    switch (rounding) {
    case WL_PTX_RNI:
    case WL_PTX_RN: return nearbyint(x);
    case WL_PTX_RMI:
    case WL_PTX_RM: return floor(x);
    case WL_PTX_RPI:
    case WL_PTX_RP: return ceil(x);
    default: return trunc(x);
    }
}

/* Saturates to the range of the integer type; NaN becomes 0. */
static uint64_t clamped(double x, wl_ptx_type type)
{
    const int bits = wl_ptx_type_bits(type);
    if (isnan(x))
        return 0;
    if (wl_ptx_type_is_signed(type)) {
        const double end = ldexp(1, bits - 1);
        const uint64_t highest = ((uint64_t)1 << (bits - 1)) - 1;
        return x >= end ? highest : x < -end ? ~highest : (uint64_t)(int64_t)x;
    }
    const double end = ldexp(1, bits);
    return x <= 0 ? 0 : x >= end ? (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1) : (uint64_t)x;
}

/* The usual case: to a whole number of 32 bits, towards zero or to the nearest one. */
static inline double within(double x, double low, double high)
{
    return !(x >= low) ? low : x <= high ? x : high; /* no call: compilers vectorize it */
}
static inline double as_s32(double x) { return within(x == x ? x : 0, -2147483648.0, 2147483647.0); }
static inline double as_u32(double x) { return within(x, 0, 4294967295.0); }

#define HALF_WAY 6755399441055744.0 /* 1.5 * 2^52: doubles of this size have no fractions */
static inline double nearest(double x) { return (x + HALF_WAY) - HALF_WAY; }

#define DEFINE_WHOLE(from, T, READ)                                                                                    \
    WL_PTX_DEFINE_APPLY(s32_rz_##from, T, READ, (uint64_t), (int64_t)(int32_t)as_s32((double)x))                       \
    WL_PTX_DEFINE_APPLY(u32_rz_##from, T, READ, (uint64_t), (uint32_t)(int64_t)as_u32((double)x))                      \
    WL_PTX_DEFINE_APPLY(s32_rn_##from, T, READ, (uint64_t), (int64_t)(int32_t)nearest(as_s32((double)x)))              \
    WL_PTX_DEFINE_APPLY(u32_rn_##from, T, READ, (uint64_t), (uint32_t)(int64_t)nearest(as_u32((double)x)))
DEFINE_WHOLE(f32, float, wl_ptx_f32_of)
DEFINE_WHOLE(f64, double, wl_ptx_f64_of)

/* NULL: another case. */
static wl_ptx_apply find_whole(const wl_ptx_instruction *in)
{
    static const wl_ptx_apply found[2][2][2] = {{{u32_rz_f32, u32_rn_f32}, {s32_rz_f32, s32_rn_f32}},
                                                {{u32_rz_f64, u32_rn_f64}, {s32_rz_f64, s32_rn_f64}}};
    const bool to_nearest = in->variant == WL_PTX_RNI || in->variant == WL_PTX_RN;
    if (wl_ptx_type_bits(in->type) != 32 || (in->from != WL_PTX_F32 && in->from != WL_PTX_F64) ||
        in->modifiers & WL_PTX_MOD_FTZ || (!to_nearest && in->variant != WL_PTX_RZI && in->variant != WL_PTX_RZ))
        return NULL;
    return found[in->from == WL_PTX_F64][wl_ptx_type_is_signed(in->type)][to_nearest];
}

static void integer_from_float(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++)
        to[i] = clamped(to_whole(read_float(from[0][i], in), in->variant), in->type);
}

static double limited(double x, const wl_ptx_instruction *in)
{
    if (in->modifiers & WL_PTX_MOD_SAT)
        return wl_ptx_saturated(x);
    return in->modifiers & WL_PTX_MOD_RELU && x < 0 ? 0 : x;
}

static uint64_t write_float(double x, const wl_ptx_instruction *in)
{
    const uint64_t bits = wl_ptx_float_bits(limited(x, in), in->type, in->variant);
    return in->modifiers & WL_PTX_MOD_FTZ && in->type == WL_PTX_F32 ? wl_ptx_flush_bits(bits) : bits;
}

static bool rounds_to_whole(wl_ptx_variant v)
{
    return v == WL_PTX_RNI || v == WL_PTX_RZI || v == WL_PTX_RMI || v == WL_PTX_RPI;
}

static void float_from_float(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const double x = read_float(from[0][i], in);
        to[i] = write_float(rounds_to_whole(in->variant) ? to_whole(x, in->variant) : x, in);
    }
}

/* To half, or saturating to any type. A double holds every integer bit that the rounding can
 * see. */
static void half_from_integer(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t value = wl_ptx_extended(from[0][i], in->from);
        const double x = wl_ptx_type_is_signed(in->from) ? (double)(int64_t)value : (double)value;
        to[i] = write_float(x, in);
    }
}

/* cvt.f16x2.f32 d, a, b: a becomes the upper half. */
static void pair_from_floats(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t high = write_float(read_float(from[0][i], in), in);
        to[i] = high << 16 | write_float(read_float(from[1][i], in), in);
    }
}

static wl_ptx_apply find_from_integer(const wl_ptx_instruction *in)
{
    static const wl_ptx_apply to_f32[][2] = {{f32_from_u8, f32_from_s8},
                                             {f32_from_u16, f32_from_s16},
                                             {f32_from_u32, f32_from_s32},
                                             {f32_from_u64, f32_from_s64}};
    static const wl_ptx_apply to_f64[][2] = {{f64_from_u32, f64_from_s32}, {f64_from_u64, f64_from_s64}};
    const bool is_signed = wl_ptx_type_is_signed(in->from), plain = !(in->modifiers & WL_PTX_MOD_SAT);
    const int bytes = wl_ptx_type_bits(in->from) / 8;
    if (in->type == WL_PTX_F32 && plain)
        return to_f32[__builtin_ctz((unsigned)bytes)][is_signed];
    if (in->type == WL_PTX_F64 && plain && bytes >= 4)
        return to_f64[bytes == 8][is_signed];
    return half_from_integer;
}

/* Whole 32-bit numbers; NULL: the variant does not ask for them. */
static wl_ptx_apply find_whole_f32(wl_ptx_variant variant)
{
    switch (variant) {
    case WL_PTX_RNI: return f32_nearest;
    case WL_PTX_RMI: return f32_down;
    case WL_PTX_RPI: return f32_up;
    case WL_PTX_RZI: return f32_cut;
    default: return NULL;
    }
}

static wl_ptx_apply find_nearest(const wl_ptx_instruction *in)
{
    const bool plain =
        !(in->modifiers & (WL_PTX_MOD_SAT | WL_PTX_MOD_FTZ | WL_PTX_MOD_RELU)) && !rounds_to_whole(in->variant);
    if (is_integer(in->from))
        return find_from_integer(in);
    if (in->type == WL_PTX_F32 && in->from == WL_PTX_F32 && !in->modifiers && find_whole_f32(in->variant))
        return find_whole_f32(in->variant);
    if (in->type == WL_PTX_F64 && in->from == WL_PTX_F32 && plain)
        return f64_from_f32;
    if (in->type == WL_PTX_F32 && in->from == WL_PTX_F64 && plain)
        return f32_from_f64;
    return wl_ptx_is_half_pair(in->type) ? pair_from_floats : float_from_float;
}

static void rounded(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    wl_ptx_apply_rounded(find_nearest(in), to, from, in);
}

static bool is_float(wl_ptx_type type)
{
    return type == WL_PTX_F16 || type == WL_PTX_BF16 || type == WL_PTX_F32 || type == WL_PTX_F64;
}

/* Integer to integer: truncates to the narrower type, extends by the signedness of the source. */
static wl_ptx_apply find_integers(const wl_ptx_instruction *in)
{
    if (in->modifiers & WL_PTX_MOD_SAT)
        return clamp_integer;
    return taking(wl_ptx_type_bits(in->from) < wl_ptx_type_bits(in->type) ? in->from : in->type);
}

wl_ptx_apply wl_ptx_find_convert(const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_cvt)
        return NULL;
    if (is_integer(in->type) && is_integer(in->from))
        return find_integers(in);
    if (is_integer(in->type))
        return !is_float(in->from) ? NULL : find_whole(in) ? find_whole(in) : integer_from_float;
    if (!(is_float(in->type) || in->type == WL_PTX_TF32 || wl_ptx_is_half_pair(in->type)) ||
        !(is_integer(in->from) || is_float(in->from)))
        return NULL;
    const bool directed = in->variant == WL_PTX_RZ || in->variant == WL_PTX_RM || in->variant == WL_PTX_RP;
    return directed ? rounded : find_nearest(in);
}
