/* alu_convert.c - cvt between integers and floating-point numbers of all widths. See alu.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

#include <math.h>

/* The low bits of an integer type, extended to 64. */
static uint64_t integer_of(uint64_t bits, wl_ptx_type type)
{
    switch (type) {
    case WL_PTX_U8:
    case WL_PTX_B8: return (uint8_t)bits;
    case WL_PTX_S8: return (uint64_t)(int64_t)(int8_t)bits;
    case WL_PTX_U16:
    case WL_PTX_B16: return (uint16_t)bits;
    case WL_PTX_S16: return (uint64_t)(int64_t)(int16_t)bits;
    case WL_PTX_U32:
    case WL_PTX_B32: return (uint32_t)bits;
    case WL_PTX_S32: return (uint64_t)(int64_t)(int32_t)bits;
    default: return bits;
    }
}

#define LANES(name, expression)                                                                                        \
    static void name(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)                          \
    {                                                                                                                  \
        const uint64_t *a = from[0];                                                                                   \
        (void)in;                                                                                                      \
        WL_PTX_EACH_LANE to[i] = (uint64_t)(expression);                                                               \
    }
LANES(take_u8, (uint8_t)a[i])
LANES(take_s8, (int64_t)(int8_t)a[i])
LANES(take_u16, (uint16_t)a[i])
LANES(take_s16, (int64_t)(int16_t)a[i])
LANES(take_u32, (uint32_t)a[i])
LANES(take_s32, (int64_t)(int32_t)a[i])
LANES(take_64, a[i])
LANES(f32_from_s32, wl_ptx_f32_bits((float)(int32_t)a[i]))
LANES(f32_from_u32, wl_ptx_f32_bits((float)(uint32_t)a[i]))
LANES(f32_from_s64, wl_ptx_f32_bits((float)(int64_t)a[i]))
LANES(f32_from_u64, wl_ptx_f32_bits((float)a[i]))
LANES(f64_from_s32, wl_ptx_f64_bits((double)(int32_t)a[i]))
LANES(f64_from_u32, wl_ptx_f64_bits((double)(uint32_t)a[i]))
LANES(f64_from_s64, wl_ptx_f64_bits((double)(int64_t)a[i]))
LANES(f64_from_u64, wl_ptx_f64_bits((double)a[i]))
LANES(f64_from_f32, wl_ptx_f64_bits((double)wl_ptx_f32_of(a[i])))
LANES(f32_from_f64, wl_ptx_f32_bits((float)wl_ptx_f64_of(a[i])))

static wl_ptx_apply taking(wl_ptx_type type)
{
    switch (type) {
    case WL_PTX_B8:
    case WL_PTX_U8: return take_u8;
    case WL_PTX_S8: return take_s8;
    case WL_PTX_B16:
    case WL_PTX_U16: return take_u16;
    case WL_PTX_S16: return take_s16;
    case WL_PTX_B32:
    case WL_PTX_U32: return take_u32;
    case WL_PTX_S32: return take_s32;
    case WL_PTX_B64:
    case WL_PTX_U64:
    case WL_PTX_S64: return take_64;
    default: return NULL;
    }
}

static bool is_integer(wl_ptx_type type) { return taking(type) != NULL; }

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
        const uint64_t value = integer_of(from[0][i], in->from);
        const bool negative = from_signed && (int64_t)value < 0;
        if (negative)
            to[i] = (int64_t)value < lowest ? (uint64_t)lowest : value;
        else
            to[i] = value > highest ? highest : value;
    }
}

static double read_float(uint64_t bits, const wl_ptx_instruction *in)
{
    switch (in->from) {
    case WL_PTX_F64: return wl_ptx_f64_of(bits);
    case WL_PTX_F16: return wl_ptx_half_value(bits, false);
    case WL_PTX_BF16: return wl_ptx_half_value(bits, true);
    default: return (double)wl_ptx_f32_of(in->modifiers & WL_PTX_MOD_FTZ ? wl_ptx_flush_bits(bits) : bits);
    }
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

static uint64_t write_float(double x, wl_ptx_type type, const wl_ptx_instruction *in)
{
    x = limited(x, in);
    switch (type) {
    case WL_PTX_F64: return wl_ptx_f64_bits(x);
    case WL_PTX_F16:
    case WL_PTX_F16X2: return wl_ptx_half_bits(x, false, in->variant);
    case WL_PTX_BF16:
    case WL_PTX_BF16X2: return wl_ptx_half_bits(x, true, in->variant);
    case WL_PTX_TF32: return wl_ptx_tf32_bits(x, in->variant);
    default: break;
    }
    const uint64_t bits = wl_ptx_f32_bits((float)x);
    return in->modifiers & WL_PTX_MOD_FTZ ? wl_ptx_flush_bits(bits) : bits;
}

static bool rounds_to_whole(wl_ptx_variant v)
{
    return v == WL_PTX_RNI || v == WL_PTX_RZI || v == WL_PTX_RMI || v == WL_PTX_RPI;
}

static void float_from_float(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const double x = read_float(from[0][i], in);
        to[i] = write_float(rounds_to_whole(in->variant) ? to_whole(x, in->variant) : x, in->type, in);
    }
}

/* To half, or saturating to any type. A double holds every integer bit that the rounding can
 * see. */
static void half_from_integer(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t value = integer_of(from[0][i], in->from);
        const double x = wl_ptx_type_is_signed(in->from) ? (double)(int64_t)value : (double)value;
        to[i] = write_float(x, in->type, in);
    }
}

/* cvt.f16x2.f32 d, a, b: a becomes the upper half. */
static void pair_from_floats(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t high = write_float(read_float(from[0][i], in), in->type, in);
        to[i] = high << 16 | write_float(read_float(from[1][i], in), in->type, in);
    }
}

static wl_ptx_apply find_from_integer(const wl_ptx_instruction *in)
{
    const bool is_signed = wl_ptx_type_is_signed(in->from), wide = wl_ptx_type_bits(in->from) == 64;
    const bool narrow = wl_ptx_type_bits(in->from) < 32, plain = !(in->modifiers & WL_PTX_MOD_SAT);
    if (in->type == WL_PTX_F32 && plain && !narrow)
        return wide ? is_signed ? f32_from_s64 : f32_from_u64 : is_signed ? f32_from_s32 : f32_from_u32;
    if (in->type == WL_PTX_F64 && plain && !narrow)
        return wide ? is_signed ? f64_from_s64 : f64_from_u64 : is_signed ? f64_from_s32 : f64_from_u32;
    return half_from_integer;
}

static wl_ptx_apply find_nearest(const wl_ptx_instruction *in)
{
    const bool plain =
        !(in->modifiers & (WL_PTX_MOD_SAT | WL_PTX_MOD_FTZ | WL_PTX_MOD_RELU)) && !rounds_to_whole(in->variant);
    if (is_integer(in->from))
        return find_from_integer(in);
    if (in->type == WL_PTX_F64 && in->from == WL_PTX_F32 && plain)
        return f64_from_f32;
    if (in->type == WL_PTX_F32 && in->from == WL_PTX_F64 && plain)
        return f32_from_f64;
    return in->type == WL_PTX_F16X2 || in->type == WL_PTX_BF16X2 ? pair_from_floats : float_from_float;
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
        return is_float(in->from) ? integer_from_float : NULL;
    const bool pair = in->type == WL_PTX_F16X2 || in->type == WL_PTX_BF16X2;
    if (!(is_float(in->type) || in->type == WL_PTX_TF32 || pair) || !(is_integer(in->from) || is_float(in->from)))
        return NULL;
    const bool directed = in->variant == WL_PTX_RZ || in->variant == WL_PTX_RM || in->variant == WL_PTX_RP;
    return directed ? rounded : find_nearest(in);
}
