/* alu_float.c - arithmetic of 32-bit and 64-bit floating-point numbers. See alu.h.
 *
 * Operations round to nearest; for other roundings the same function runs in another C rounding
 * mode. Every 32-bit operation has a second version that flushes subnormal numbers. Saturation
 * is a pass over the result.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

#include <fenv.h>
#include <math.h>

#define F32 wl_ptx_f32_of
#define F64 wl_ptx_f64_of

static float flushed(uint64_t bits) { return F32(wl_ptx_flush_bits(bits)); }

#define LANES WL_PTX_DEFINE_APPLY
#define LANES32 WL_PTX_DEFINE_APPLY32
#define FLUSHED_BITS(value) wl_ptx_flush_bits(wl_ptx_f32_bits(value))
#define DEFINE32(name, expression)                                                                                     \
    LANES32(name##_f32, float, F32, wl_ptx_f32_bits, expression)                                                       \
    LANES32(name##_ftz, float, flushed, FLUSHED_BITS, expression)
#define DEFINE(name, expression32, expression64)                                                                       \
    DEFINE32(name, expression32)                                                                                       \
    LANES(name##_f64, double, F64, wl_ptx_f64_bits, expression64)

/* A number wins over NaN; -0 is less than +0. */
#define SMALLER(x, y) ((x) != (x) ? (y) : (y) != (y) ? (x) : (x) < (y) || ((x) == (y) && signbit(x)) ? (x) : (y))
#define LARGER(x, y) ((x) != (x) ? (y) : (y) != (y) ? (x) : (x) > (y) || ((x) == (y) && signbit(y)) ? (x) : (y))

DEFINE(add, x + y, x + y)
DEFINE(sub, x - y, x - y)
DEFINE(mul, x *y, x *y)
DEFINE(fma, fmaf(x, y, z), fma(x, y, z))
DEFINE(fnma, fmaf(-x, y, z), fma(-x, y, z))
DEFINE(fms, fmaf(x, y, -z), fma(x, y, -z))
DEFINE(fnms, fmaf(-x, y, -z), fma(-x, y, -z))
DEFINE(div, x / y, x / y)
DEFINE(min, SMALLER(x, y), SMALLER(x, y))
DEFINE(max, LARGER(x, y), LARGER(x, y))
DEFINE(abs, fabsf(x), fabs(x))
DEFINE(neg, -x, -x)
DEFINE(rcp, 1.0F / x, 1.0 / x)
DEFINE(sqrt, sqrtf(x), sqrt(x))
DEFINE(rsqrt, (float)(1.0 / sqrt((double)x)), 1.0 / sqrt(x))
DEFINE32(sin, (float)sin((double)x))
DEFINE32(cos, (float)cos((double)x))
DEFINE32(lg2, (float)log2((double)x))
DEFINE32(ex2, (float)exp2((double)x))
DEFINE32(tanh, (float)tanh((double)x))
LANES(copysign_f32, float, F32, wl_ptx_f32_bits, copysignf(y, x)) /* sign of a, magnitude of b */
LANES(copysign_f64, double, F64, wl_ptx_f64_bits, copysign(y, x))

/* min and max that propagate NaN, and those of magnitudes with the combined sign (xorsign). */
static void passing(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const bool larger = in->op == WL_PTX_OP_max, flush = in->modifiers & WL_PTX_MOD_FTZ;
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        float x = flush ? flushed(from[0][i]) : F32(from[0][i]), y = flush ? flushed(from[1][i]) : F32(from[1][i]);
        const bool negative = signbit(x) != signbit(y), pass = in->modifiers & WL_PTX_MOD_NAN && (isnan(x) || isnan(y));
        if (in->modifiers & WL_PTX_MOD_ABS)
            x = fabsf(x), y = fabsf(y);
        float result = pass ? NAN : larger ? LARGER(x, y) : SMALLER(x, y);
        if (in->modifiers & WL_PTX_MOD_XORSIGN)
            result = copysignf(result, negative ? -1.0F : 1.0F);
        to[i] = isnan(result) ? 0x7fffffff : wl_ptx_f32_bits(result);
    }
}

/* Two 32-bit numbers in 64 bits. */
static void packed(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        uint64_t result = 0;
        for (int half = 0; half < 64; half += 32) {
            const float x = F32(from[0][i] >> half), y = F32(from[1][i] >> half), z = F32(from[2][i] >> half);
            const float value = in->op == WL_PTX_OP_add   ? x + y
                                : in->op == WL_PTX_OP_sub ? x - y
                                : in->op == WL_PTX_OP_mul ? x * y
                                                          : fmaf(x, y, z);
            result |= wl_ptx_f32_bits(value) << half;
        }
        to[i] = result;
    }
}

#define FIND(name) (in->type == WL_PTX_F64 ? name##_f64 : in->modifiers & WL_PTX_MOD_FTZ ? name##_ftz : name##_f32)
#define FIND32(name) (in->modifiers & WL_PTX_MOD_FTZ ? name##_ftz : name##_f32)

static wl_ptx_apply find_special(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_rcp: return FIND(rcp);
    case WL_PTX_OP_sqrt: return FIND(sqrt);
    case WL_PTX_OP_rsqrt: return FIND(rsqrt);
    case WL_PTX_OP_sin: return FIND32(sin);
    case WL_PTX_OP_cos: return FIND32(cos);
    case WL_PTX_OP_lg2: return FIND32(lg2);
    case WL_PTX_OP_ex2: return FIND32(ex2);
    case WL_PTX_OP_tanh: return FIND32(tanh);
    default: return NULL;
    }
}

static wl_ptx_apply find_nearest(const wl_ptx_instruction *in)
{
    if (in->type == WL_PTX_F32X2)
        return in->op == WL_PTX_OP_add || in->op == WL_PTX_OP_sub || in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_fma
                   ? packed
                   : NULL;
    if (in->type == WL_PTX_F32 && in->modifiers & (WL_PTX_MOD_NAN | WL_PTX_MOD_ABS) &&
        (in->op == WL_PTX_OP_min || in->op == WL_PTX_OP_max))
        return passing;
    switch (in->op) {
    case WL_PTX_OP_add: return FIND(add);
    case WL_PTX_OP_sub: return FIND(sub);
    case WL_PTX_OP_mul: return FIND(mul);
    case WL_PTX_OP_mad:
    case WL_PTX_OP_fma: return FIND(fma);
    case WL_PTX_OP_div: return FIND(div);
    case WL_PTX_OP_min: return FIND(min);
    case WL_PTX_OP_max: return FIND(max);
    case WL_PTX_OP_abs: return FIND(abs);
    case WL_PTX_OP_neg: return FIND(neg);
    case WL_PTX_OP_copysign: return in->type == WL_PTX_F64 ? copysign_f64 : copysign_f32;
    default: return find_special(in);
    }
}

void wl_ptx_apply_rounded(wl_ptx_apply apply, uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const int before = fegetround();
#ifdef FE_TOWARDZERO
    if (in->variant == WL_PTX_RZ)
        (void)fesetround(FE_TOWARDZERO);
#endif
#ifdef FE_DOWNWARD
    if (in->variant == WL_PTX_RM)
        (void)fesetround(FE_DOWNWARD);
#endif
#ifdef FE_UPWARD
    if (in->variant == WL_PTX_RP)
        (void)fesetround(FE_UPWARD);
#endif
    apply(to, from, in);
    (void)fesetround(before);
}

static void rounded(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    wl_ptx_apply_rounded(find_nearest(in), to, from, in);
}

static void saturated(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    rounded(to, from, in);
    WL_PTX_EACH_LANE { to[i] = wl_ptx_f32_bits((float)wl_ptx_saturated(F32(to[i]))); }
}

wl_ptx_apply wl_ptx_find_contracted(const wl_ptx_instruction *in, bool negates_product, bool negates_other)
{
    if (in->modifiers & WL_PTX_MOD_SAT) /* rounded twice */
        return NULL;
    if (negates_product)
        return negates_other ? FIND(fnms) : FIND(fnma);
    return negates_other ? FIND(fms) : FIND(fma);
}

wl_ptx_apply wl_ptx_find_float(const wl_ptx_instruction *in)
{
    if (in->type != WL_PTX_F32 && in->type != WL_PTX_F64 && in->type != WL_PTX_F32X2)
        return NULL;
    const wl_ptx_apply nearest = find_nearest(in);
    if (!nearest)
        return NULL;
    if (in->modifiers & WL_PTX_MOD_SAT && in->type == WL_PTX_F32)
        return saturated;
    return in->variant == WL_PTX_RZ || in->variant == WL_PTX_RM || in->variant == WL_PTX_RP ? rounded : nearest;
}
