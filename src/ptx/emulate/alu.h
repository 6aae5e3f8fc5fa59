/* alu.h - arithmetic on all 32 lanes of a warp at once.
 *
 * A register is 32 values of 64 bits. An operation reads the low bits that its type names and
 * extends its result to 64 bits. A predicate is a lane mask in the first value. The function for
 * (operation, type, modifiers) is looked up once and then applied to whole registers, so that
 * compilers can vectorize it. The caller applies the lane mask.
 *
 * Layer  ptx/emulate (uses base, ptx/module). Oracle: tests/unit/test_ptx_alu.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_ALU_H
#define WL_PTX_EMULATE_ALU_H

#include <math.h>
#include <string.h>

#include "ptx/module/module.h"

#define WL_PTX_LANE_COUNT 32
/* Addresses in the shared memory of a block that mapa names have its rank, plus 1, from this bit
 * on. */
#define WL_PTX_RANK_SHIFT 24

/* `to` may be one of the sources. Details, as of lop3 and prmt, are in the instruction. */
typedef void (*wl_ptx_apply)(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in);
/* A comparison; returns a lane mask. */
typedef uint32_t (*wl_ptx_test)(const uint64_t *const *from, const wl_ptx_instruction *in);

/* NULL: not computed. */
wl_ptx_apply wl_ptx_find_apply(const wl_ptx_instruction *in);
/* A sum with a product in it: x y + z, its product negated, or z subtracted (contraction.h). */
wl_ptx_apply wl_ptx_find_contracted(const wl_ptx_instruction *sum, bool negates_product, bool negates_other);
wl_ptx_test wl_ptx_find_test(const wl_ptx_instruction *in); /* of setp, set, testp */

/* By kind of operation. Each returns NULL for operations of other kinds. */
wl_ptx_apply wl_ptx_find_integer(const wl_ptx_instruction *in);
wl_ptx_apply wl_ptx_find_bits(const wl_ptx_instruction *in);
wl_ptx_apply wl_ptx_find_float(const wl_ptx_instruction *in);
wl_ptx_apply wl_ptx_find_half(const wl_ptx_instruction *in);
wl_ptx_apply wl_ptx_find_convert(const wl_ptx_instruction *in);
wl_ptx_apply wl_ptx_find_select(const wl_ptx_instruction *in);

/* Addition and subtraction with carry; `carry` is a lane mask of carry bits, in and out. */
void wl_ptx_apply_carry(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in, uint32_t *carry);

/* ---- inside the operations ---- */

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* libm calls cannot be vectorized */
#define WL_PTX_EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < WL_PTX_LANE_COUNT; i++)
#else
#define WL_PTX_EACH_LANE _Pragma("GCC ivdep") for (int i = 0; i < WL_PTX_LANE_COUNT; i++)
#endif

/* Defines an operation on lanes: the expression is in terms of the sources x, y and z. */
#define WL_PTX_DEFINE_APPLY(name, T, READ, WRITE, expression)                                                          \
    static void name(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)                          \
    {                                                                                                                  \
        const uint64_t *a = from[0], *b = from[1], *c = from[2];                                                       \
        (void)in, (void)b, (void)c;                                                                                    \
        WL_PTX_EACH_LANE                                                                                               \
        {                                                                                                              \
            const T x = READ(a[i]), y = READ(b[i]), z = READ(c[i]);                                                    \
            (void)y, (void)z;                                                                                          \
            to[i] = WRITE(expression);                                                                                 \
        }                                                                                                              \
    }

/* The same of operations whose sources and results have at most 32 bits. With 256-bit registers,
 * compilers take long to bring the lower halves of lanes together: so lanes i and i + 16 share a
 * word while an operation is computed. */
#if defined(__AVX2__) && !defined(__AVX512F__)
#define WL_PTX_DEFINE_APPLY32(name, T, READ, WRITE, expression)                                                        \
    static void name(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)                          \
    {                                                                                                                  \
        uint32_t a[WL_PTX_LANE_COUNT], b[WL_PTX_LANE_COUNT], c[WL_PTX_LANE_COUNT], result[WL_PTX_LANE_COUNT];          \
        wl_ptx_join_lanes(a, from[0]);                                                                                 \
        wl_ptx_join_lanes(b, from[1]);                                                                                 \
        wl_ptx_join_lanes(c, from[2]);                                                                                 \
        (void)in;                                                                                                      \
        for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {                                                                  \
            const T x = READ(a[i]), y = READ(b[i]), z = READ(c[i]);                                                    \
            (void)y, (void)z;                                                                                          \
            result[i] = (uint32_t)WRITE(expression);                                                                   \
        }                                                                                                              \
        wl_ptx_part_lanes(to, result);                                                                                 \
    }
#else
#define WL_PTX_DEFINE_APPLY32 WL_PTX_DEFINE_APPLY
#endif

static inline void wl_ptx_join_lanes(uint32_t *to, const uint64_t *from)
{
    uint64_t both[WL_PTX_LANE_COUNT / 2];
    for (int i = 0; i < WL_PTX_LANE_COUNT / 2; i++)
        both[i] = (from[i] & UINT32_MAX) | from[i + WL_PTX_LANE_COUNT / 2] << 32;
    memcpy(to, both, sizeof both);
}

static inline void wl_ptx_part_lanes(uint64_t *to, const uint32_t *from)
{
    uint64_t both[WL_PTX_LANE_COUNT / 2];
    memcpy(both, from, sizeof both);
    for (int i = 0; i < WL_PTX_LANE_COUNT / 2; i++) {
        to[i] = both[i] & UINT32_MAX;
        to[i + WL_PTX_LANE_COUNT / 2] = both[i] >> 32;
    }
}

/* Bit i is holds[i], which is 0 or 1. */
static inline uint32_t wl_ptx_bits_of(const uint8_t holds[WL_PTX_LANE_COUNT])
{
    uint32_t mask = 0;
    for (int k = 0; k < WL_PTX_LANE_COUNT; k += 8) {
        const uint8_t *h = holds + k;
        const uint64_t word = (uint64_t)h[0] | (uint64_t)h[1] << 8 | (uint64_t)h[2] << 16 | (uint64_t)h[3] << 24 |
                              (uint64_t)h[4] << 32 | (uint64_t)h[5] << 40 | (uint64_t)h[6] << 48 |
                              (uint64_t)h[7] << 56; /* compiles to one load */
        mask |= (uint32_t)(word * 0x0102040810204080u >> 56) << k;
    }
    return mask;
}

static inline float wl_ptx_f32_of(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

/* .sat: clamps to 0 .. 1; NaN becomes 0. Of the comparisons alone a compiler may make a maximum,
 * which lets signalling NaNs pass on some machines. */
static inline double wl_ptx_saturated(double x) { return isnan(x) ? 0 : x >= 1 ? 1 : x > 0 ? x : 0; }

static inline uint64_t wl_ptx_f32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double wl_ptx_f64_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t wl_ptx_f64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Flushes a subnormal number to a zero of the same sign. */
static inline uint64_t wl_ptx_flush_bits(uint64_t bits) { return bits & 0x7f800000u ? bits : bits & 0x80000000u; }

/* Between doubles and 16-bit numbers, IEEE half or bfloat16 (brain). Rounding: RN, RZ, RM, RP or
 * RNA. */
double wl_ptx_half_value(uint64_t bits, bool brain);
uint64_t wl_ptx_half_bits(double value, bool brain, wl_ptx_variant rounding);

static inline bool wl_ptx_is_half(wl_ptx_type t) { return t >= WL_PTX_F16 && t <= WL_PTX_BF16X2; }
static inline bool wl_ptx_is_brain(wl_ptx_type t) { return t == WL_PTX_BF16 || t == WL_PTX_BF16X2; }
static inline bool wl_ptx_is_half_pair(wl_ptx_type t) { return t == WL_PTX_F16X2 || t == WL_PTX_BF16X2; }

/* The value of a floating-point type, of a pair the lower one; flush: subnormal 32-bit numbers. */
static inline double wl_ptx_float_value(uint64_t bits, wl_ptx_type type, bool flush)
{
    if (type == WL_PTX_F64)
        return wl_ptx_f64_of(bits);
    if (wl_ptx_is_half(type))
        return wl_ptx_half_value(bits, wl_ptx_is_brain(type));
    return (double)wl_ptx_f32_of(flush ? wl_ptx_flush_bits(bits) : bits);
}
/* Rounds a double to a floating-point type; to 32 bits in the C rounding mode. */
uint64_t wl_ptx_float_bits(double value, wl_ptx_type type, wl_ptx_variant rounding);

/* The low bits that a type has, extended to 64 by its sign. A type without bits counts as one of
 * 64. */
static inline int64_t wl_ptx_as_signed(uint64_t value, int bits)
{
    const int above = bits > 0 && bits < 64 ? 64 - bits : 0;
    return (int64_t)(value << above) >> above;
}
static inline uint64_t wl_ptx_extended(uint64_t value, wl_ptx_type type)
{
    const int bits = wl_ptx_type_bits(type);
    if (wl_ptx_type_is_signed(type))
        return (uint64_t)wl_ptx_as_signed(value, bits);
    return bits > 0 && bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value;
}

/* The type as an index: u16 s16 u32 s32 u64 s64 (b types as u types); -1: none of them. */
static inline int wl_ptx_integer_index(wl_ptx_type type)
{
    switch (type) {
    case WL_PTX_B16:
    case WL_PTX_U16: return 0;
    case WL_PTX_S16: return 1;
    case WL_PTX_B32:
    case WL_PTX_U32: return 2;
    case WL_PTX_S32: return 3;
    case WL_PTX_B64:
    case WL_PTX_U64: return 4;
    case WL_PTX_S64: return 5;
    default: return -1;
    }
}

/* Applies an operation in the C rounding mode that the variant asks for. */
void wl_ptx_apply_rounded(wl_ptx_apply apply, uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in);

#endif /* WL_PTX_EMULATE_ALU_H */
