/* alu_compare.c - comparisons and selections. See alu.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

#include <math.h>

/* One byte per lane, then one bit: compilers vectorize the comparison. */
#define BYTES(condition)                                                                                               \
    do {                                                                                                               \
        uint8_t holds[WL_PTX_LANE_COUNT];                                                                              \
        WL_PTX_EACH_LANE holds[i] = (uint8_t)(condition);                                                              \
        mask = wl_ptx_bits_of(holds);                                                                                  \
    } while (0)

/* Bits are chosen by the comparisons, and joined: faster with wide registers. */
#define FOUR(X, n) X(n), X((n) + 1), X((n) + 2), X((n) + 3)
#define SIXTEEN(X, n) FOUR(X, n), FOUR(X, (n) + 4), FOUR(X, (n) + 8), FOUR(X, (n) + 12)
#ifdef __AVX2__
#define ONE(n) (uint64_t)1 << (n)
static const uint64_t lane_bit[WL_PTX_LANE_COUNT] = {SIXTEEN(ONE, 0), SIXTEEN(ONE, 16)};
#define WIDE(condition)                                                                                                \
    do {                                                                                                               \
        uint64_t bits = 0;                                                                                             \
        WL_PTX_EACH_LANE bits |= (condition) ? lane_bit[i] : 0;                                                        \
        mask = (uint32_t)bits;                                                                                         \
    } while (0)
#else
#define WIDE BYTES
#endif

/* The same of lanes that wl_ptx_join_lanes has brought together. */
#define PAIR(n) (uint32_t)1 << (n), (uint32_t)1 << ((n) + 16)
static const uint32_t joined_bit[WL_PTX_LANE_COUNT] = {SIXTEEN(PAIR, 0)};
#define JOINED(condition)                                                                                              \
    do {                                                                                                               \
        for (int i = 0; i < WL_PTX_LANE_COUNT; i++)                                                                    \
            mask |= (condition) ? joined_bit[i] : 0;                                                                   \
    } while (0)

/* With a NaN, the plain forms are false and the U forms true. */
#define COMPARE(x, y, MASK)                                                                                            \
    uint32_t mask = 0;                                                                                                 \
    switch (in->compare) {                                                                                             \
    case WL_PTX_EQ: MASK((x) == (y)); break;                                                                           \
    case WL_PTX_NE: MASK(((x) < (y)) | ((x) > (y))); break;                                                            \
    case WL_PTX_LT: MASK((x) < (y)); break;                                                                            \
    case WL_PTX_LE: MASK((x) <= (y)); break;                                                                           \
    case WL_PTX_GT: MASK((x) > (y)); break;                                                                            \
    case WL_PTX_GE: MASK((x) >= (y)); break;                                                                           \
    case WL_PTX_EQU: MASK(!(((x) < (y)) | ((x) > (y)))); break;                                                        \
    case WL_PTX_NEU: MASK((x) != (y)); break;                                                                          \
    case WL_PTX_LTU: MASK(!((x) >= (y))); break;                                                                       \
    case WL_PTX_LEU: MASK(!((x) > (y))); break;                                                                        \
    case WL_PTX_GTU: MASK(!((x) <= (y))); break;                                                                       \
    case WL_PTX_GEU: MASK(!((x) < (y))); break;                                                                        \
    case WL_PTX_NUM: MASK(((x) == (x)) & ((y) == (y))); break;                                                         \
    case WL_PTX_NAN_: MASK(((x) != (x)) | ((y) != (y))); break;                                                        \
    }                                                                                                                  \
    return mask;

#define DEFINE(name, T, READ, MASK)                                                                                    \
    static uint32_t name(const uint64_t *const *from, const wl_ptx_instruction *in)                                    \
    {                                                                                                                  \
        T a[WL_PTX_LANE_COUNT], b[WL_PTX_LANE_COUNT];                                                                  \
        WL_PTX_EACH_LANE a[i] = READ(from[0][i]);                                                                      \
        WL_PTX_EACH_LANE b[i] = READ(from[1][i]);                                                                      \
        COMPARE(a[i], b[i], MASK)                                                                                      \
    }
#define DEFINE32(name, T, READ)                                                                                        \
    static uint32_t name(const uint64_t *const *from, const wl_ptx_instruction *in)                                    \
    {                                                                                                                  \
        uint32_t joined[2][WL_PTX_LANE_COUNT];                                                                         \
        T a[WL_PTX_LANE_COUNT], b[WL_PTX_LANE_COUNT];                                                                  \
        wl_ptx_join_lanes(joined[0], from[0]);                                                                         \
        wl_ptx_join_lanes(joined[1], from[1]);                                                                         \
        WL_PTX_EACH_LANE a[i] = READ(joined[0][i]);                                                                    \
        WL_PTX_EACH_LANE b[i] = READ(joined[1][i]);                                                                    \
        COMPARE(a[i], b[i], JOINED)                                                                                    \
    }
#define AS_FLOAT(bits) wl_ptx_float_value((bits), compared_type(in), in->modifiers &WL_PTX_MOD_FTZ)

static wl_ptx_type compared_type(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_set ? in->from : in->type; }

DEFINE32(test_u16, uint16_t, (uint16_t))
DEFINE32(test_s16, int16_t, (int16_t))
DEFINE32(test_u32, uint32_t, (uint32_t))
DEFINE32(test_s32, int32_t, (int32_t))
DEFINE(test_u64, uint64_t, (uint64_t), WIDE)
DEFINE(test_s64, int64_t, (int64_t), WIDE)
DEFINE32(test_f32, float, wl_ptx_f32_of)
DEFINE(test_f64, double, wl_ptx_f64_of, WIDE)
DEFINE(test_float, double, AS_FLOAT, BYTES)

static bool is_of_kind(double x, wl_ptx_variant kind, double smallest)
{
    switch (kind) {
    case WL_PTX_FINITE: return isfinite(x);
    case WL_PTX_INFINITE: return isinf(x);
    case WL_PTX_NUMBER: return !isnan(x);
    case WL_PTX_NOTANUMBER: return isnan(x);
    case WL_PTX_NORMAL: return isfinite(x) && fabs(x) >= smallest;
    case WL_PTX_SUBNORMAL: return x != 0 && fabs(x) < smallest;
    default: return false;
    }
}

static uint32_t test_kind(const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const double smallest = in->type == WL_PTX_F64 ? 0x1p-1022 : 0x1p-126;
    uint32_t mask = 0;
    BYTES(is_of_kind(wl_ptx_float_value(from[0][i], in->type, false), in->variant, smallest));
    return mask;
}

wl_ptx_test wl_ptx_find_test(const wl_ptx_instruction *in)
{
    static const wl_ptx_test tests[] = {test_u16, test_s16, test_u32, test_s32, test_u64, test_s64};
    const wl_ptx_type type = compared_type(in);
    const int integer = wl_ptx_integer_index(type);
    if (in->op == WL_PTX_OP_testp)
        return test_kind;
    if (integer >= 0)
        return tests[integer];
    switch (type) {
    case WL_PTX_F32: return in->modifiers & WL_PTX_MOD_FTZ ? test_float : test_f32;
    case WL_PTX_F16:
    case WL_PTX_BF16: return test_float;
    case WL_PTX_F64: return test_f64;
    default: return NULL; /* packed types have two results */
    }
}

/* slct: the first source where the third is not negative. */
static void by_sign(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const uint64_t *a = from[0], *b = from[1], *c = from[2];
    if (in->from == WL_PTX_F32) {
        const bool flush = in->modifiers & WL_PTX_MOD_FTZ;
        for (int i = 0; i < WL_PTX_LANE_COUNT; i++)
            to[i] = wl_ptx_float_value(c[i], WL_PTX_F32, flush) >= 0 ? a[i] : b[i];
        return;
    }
    WL_PTX_EACH_LANE to[i] = (int32_t)(uint32_t)c[i] >= 0 ? a[i] : b[i];
}

wl_ptx_apply wl_ptx_find_select(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_slct ? by_sign : NULL; }

wl_ptx_apply wl_ptx_find_apply(const wl_ptx_instruction *in)
{
    static wl_ptx_apply (*const finders[])(const wl_ptx_instruction *) = {wl_ptx_find_integer, wl_ptx_find_bits,
                                                                          wl_ptx_find_float,   wl_ptx_find_half,
                                                                          wl_ptx_find_select,  wl_ptx_find_convert};
    for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
        const wl_ptx_apply apply = finders[i](in);
        if (apply)
            return apply;
    }
    return NULL;
}
