/* test_ptx_alu.c - every arithmetic instruction of the emulator against C, on random values and
 * edge cases. SPDX-License-Identifier: MIT */
#include "unit/alu_cases.h"
#include "unit/ptx_fixture.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

#define VALUES 1024

/* A, B, C: the sources. */
#define S16(x) ((int16_t)(uint16_t)(x))
#define S32(x) ((int32_t)(uint32_t)(x))
#define S64(x) ((int64_t)(x))
#define U16(x) ((uint16_t)(x))
#define U32(x) ((uint32_t)(x))
#define F(x) f32(x)
#define D(x) f64(x)
#define FB(x) f32_bits(x)
#define DB(x) f64_bits(x)

static float f32(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}
static double f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static uint64_t f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static uint64_t f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
static uint64_t clamp32(int64_t x) { return U32(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }
static int64_t at_most(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }
static uint64_t shift(uint64_t a, uint64_t n, int bits) { return n >= (uint64_t)bits ? 0 : a << n; }
static uint64_t reversed(uint64_t a, int bits)
{
    uint64_t r = 0;
    for (int k = 0; k < bits; k++)
        r |= (a >> k & 1) << (bits - 1 - k);
    return r;
}
static uint64_t highest(uint64_t a)
{
    for (int k = 63; k >= 0; k--)
        if (a >> k & 1)
            return (uint64_t)k;
    return U32(-1);
}
static uint64_t field(uint64_t a, uint64_t at, uint64_t length, int bits, bool sign)
{
    uint64_t r = 0;
    at &= 255, length &= 255;
    const uint64_t last = at + length - 1 < (uint64_t)bits - 1 ? at + length - 1 : (uint64_t)bits - 1;
    const uint64_t fill = sign && length ? a >> last & 1 : 0;
    for (uint64_t k = 0; k < (uint64_t)bits; k++)
        r |= (k < length && at + k < (uint64_t)bits ? a >> (at + k) & 1 : fill) << k;
    return r;
}
static uint64_t put(uint64_t a, uint64_t b, uint64_t at, uint64_t length, int bits)
{
    at &= 255, length &= 255;
    for (uint64_t k = 0; k < length && at + k < (uint64_t)bits; k++)
        b = (b & ~((uint64_t)1 << (at + k))) | (a >> k & 1) << (at + k);
    return b;
}
static uint64_t bytes_chosen(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t both = U32(b) * 0x100000000u + U32(a);
    uint64_t r = 0;
    for (int k = 0; k < 4; k++) {
        const uint64_t selector = c >> 4 * k & 15, byte = both >> 8 * (selector & 7) & 255;
        r |= (selector & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * k;
    }
    return r;
}
static uint64_t dot4(uint64_t a, uint64_t b, uint64_t c, bool sign)
{
    int64_t sum = S32(c);
    for (int k = 0; k < 4; k++) {
        const uint64_t x = a >> 8 * k & 255, y = b >> 8 * k & 255;
        sum += sign ? (int64_t)(int8_t)x * (int8_t)y : (int64_t)(x * y);
    }
    return U32(sum);
}
static float flush(float x) { return fabsf(x) < 0x1p-126F ? copysignf(0, x) : x; }
/* Without isnan, clang uses fmaxnm on aarch64, which returns signalling NaNs. */
static float saturate(float x) { return isnan(x) ? 0 : x >= 1 ? 1 : x > 0 ? x : 0; }
static uint64_t to_integer(double x, double low, double high) /* an integer already */
{
    if (isnan(x))
        return 0;
    if (low < 0)
        return x < low    ? (uint64_t)INT64_MIN >> (high < 3e9 ? 32 : 0)
               : x > high ? (high < 3e9 ? INT32_MAX : (uint64_t)INT64_MAX)
                          : (uint64_t)(int64_t)x;
    return x < 0 ? 0 : x > high ? (high < 5e9 ? UINT32_MAX : UINT64_MAX) : (uint64_t)x;
}

static float toward_zero(double x)
{
    const float near = (float)x;
    if (isnan(x) || isinf(x) || fabs((double)near) <= fabs(x))
        return near;
    return nextafterf(near, 0);
}

static uint64_t evaluate(size_t row, uint64_t A, uint64_t B, uint64_t C)
{
    size_t k = 0;
#define EVALUATE(op, shape, value)                                                                                     \
    if (row == k++)                                                                                                    \
        return (uint64_t)(value);
    CASES(EVALUATE)
#undef EVALUATE
    return 0;
}

static const struct {
    const char *op, *shape;
} cases[] = {
#define LIST(op, shape, value) {op, shape},
    CASES(LIST)
#undef LIST
};

static const char *register_of(char width) { return width == 'h' ? "%rs" : width == 'r' ? "%r" : "%rd"; }

/* A kernel that applies one instruction to three 64-bit numbers, each truncated to its width. */
static void write_kernel(char *text, size_t size, const char *op, const char *shape)
{
    int n = snprintf(text, size,
                     PTX_HEAD
                     ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b16 %%rs<8>;\n.reg .b32 %%r<12>;\n"
                     ".reg .b64 %%rd<16>;\nld.param.u64 %%rd10, [in];\nld.param.u64 %%rd11, [out];\n"
                     "mov.u32 %%r10, %%ctaid.x;\nmov.u32 %%r11, %%tid.x;\nmad.lo.s32 %%r10, %%r10, 128, %%r11;\n"
                     "mul.wide.u32 %%rd12, %%r10, 24;\nadd.s64 %%rd10, %%rd10, %%rd12;\n"
                     "mul.wide.u32 %%rd12, %%r11, 8;\nadd.s64 %%rd11, %%rd11, %%rd12;\n");
    for (int k = 1; k <= 3; k++) {
        n += snprintf(text + n, size - (size_t)n, "ld.global.u64 %%rd%d, [%%rd10+%d];\n", k, 8 * (k - 1));
        n += snprintf(text + n, size - (size_t)n, "cvt.u32.u64 %%r%d, %%rd%d;\ncvt.u16.u64 %%rs%d, %%rd%d;\n", k, k, k,
                      k);
    }
    n += snprintf(text + n, size - (size_t)n, "%s %s5", op, register_of(shape[0]));
    int k = 1;
    for (; k < 4 && shape[k] != '\0' && shape[k] != '-' && shape[k] != ','; k++)
        n += snprintf(text + n, size - (size_t)n, ", %s%d", register_of(shape[k]), k);
    n += snprintf(text + n, size - (size_t)n, "%s;\n", shape[k] == ',' ? shape + k : "");
    if (shape[0] == 'h')
        n += snprintf(text + n, size - (size_t)n, "cvt.u64.u16 %%rd5, %%rs5;\n");
    if (shape[0] == 'r')
        n += snprintf(text + n, size - (size_t)n, "cvt.u64.u32 %%rd5, %%r5;\n");
    (void)snprintf(text + n, size - (size_t)n, "st.global.u64 [%%rd11], %%rd5;\nret;\n}\n");
}

static uint64_t awkward(uint64_t *state)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      ~(uint64_t)0,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x3f800000,
                                      0xbf800000,
                                      0x3fc00000,
                                      0x4f000000,
                                      0xcf000000,
                                      0x4f800000,
                                      0x7f800000,
                                      0xff800000,
                                      0x00000001,
                                      0x807fffff,
                                      0x7f7fffff,
                                      0x3ff0000000000000,
                                      0xbff8000000000000,
                                      0x41e0000000000000,
                                      0xc1e0000000200000,
                                      0x43e0000000000000,
                                      0x7ff0000000000000,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      100,
                                      0xff,
                                      0x4020,
                                      0x7610,
                                      0x5410};
    const uint64_t r = check_random(state);
    switch (r % 4) {
    case 0: return values[(r >> 8) % COUNT_OF(values)];
    case 1: return f32_bits((float)check_random_in(state, -100000, 100000) / 16.0F);
    case 2: return f64_bits((double)check_random_in(state, -100000000000, 100000000000) / 64.0);
    default: return check_random(state) >> (r >> 8) % 64;
    }
}

static bool same(uint64_t got, uint64_t want, const char *op, char width)
{
    const bool of32 = strstr(op, ".f32") && width == 'r', of64 = strstr(op, ".f64") && width == 'd';
    if (of32 && isnan(f32(got)) && isnan(f32(want)))
        return true;
    if (of64 && isnan(f64(got)) && isnan(f64(want)))
        return true;
    return got == want;
}

static void test_arithmetic(void **state)
{
    (void)state;
    static uint64_t in[VALUES][3];
    uint64_t seed = 7;
    const char *const args[] = {"buf:24576=numbers", "buf:1024"};
    for (int k = 0; k < VALUES; k++)
        for (int s = 0; s < 3; s++)
            in[k][s] = awkward(&seed);
    ptx_contents = (ptx_file){in, sizeof in};
    for (size_t row = 0; row < COUNT_OF(cases); row++) {
        char text[4096], name[64];
        ptx_run r;
        write_kernel(text, sizeof text, cases[row].op, cases[row].shape);
        (void)snprintf(name, sizeof name, "%s %s", cases[row].op, cases[row].shape);
        check_ok(name, ptx_start(&r, text, args, 2, (int64_t[]){128, 1, 1}, (int64_t[]){VALUES / 128, 1, 1}), &r.err);
        int wrong = 0;
        for (int64_t b = 0; r.emulator && b < VALUES / 128; b++) {
            check_ok(name, wl_ptx_emulate_block(r.emulator, (int64_t[]){b, 0, 0}, -1, NULL, NULL, NULL, &r.err),
                     &r.err);
            for (int t = 0; t < 128 && wrong < 3; t++) {
                const uint64_t *v = in[b * 128 + t];
                bool known = false;
                const uint64_t got = ptx_written(&r, 1, 8 * t, 8, &known), want = evaluate(row, v[0], v[1], v[2]);
                if (!known || !same(got, want, cases[row].op, cases[row].shape[0])) {
                    print_error("%s of %llx %llx %llx is %llx%s, not %llx\n", name, (unsigned long long)v[0],
                                (unsigned long long)v[1], (unsigned long long)v[2], (unsigned long long)got,
                                known ? "" : " (unknown)", (unsigned long long)want);
                    wrong++;
                    check_failures++;
                }
            }
        }
        if (r.emulator && wl_ptx_assumption_count(r.emulator) > 0)
            check_true(name, "nothing assumed", false);
        ptx_end(&r);
    }
    check_done();
}

/* Halves: the conversion to double and back is exact for all numbers; sums and products against
 * float. */
static void test_halves(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits < 65536; bits++) {
        for (int brain = 0; brain < 2; brain++) {
            const double x = wl_ptx_half_value(bits, brain);
            if (!isnan(x) && wl_ptx_half_bits(x, brain, WL_PTX_RN) != bits)
                check_int("half", "bits", (int64_t)wl_ptx_half_bits(x, brain, WL_PTX_RN), (int64_t)bits);
        }
    }
    static const struct {
        double x;
        bool brain;
        wl_ptx_variant rounding;
        uint64_t bits;
    } rows[] = {{1, false, WL_PTX_RN, 0x3c00},
                {65504, false, WL_PTX_RN, 0x7bff},
                {65519.9, false, WL_PTX_RN, 0x7bff},
                {65520, false, WL_PTX_RN, 0x7c00},
                {1e9, false, WL_PTX_RZ, 0x7bff},
                {0x1p-24, false, WL_PTX_RN, 1},
                {0x1p-25, false, WL_PTX_RN, 0},
                {0x1.8p-25, false, WL_PTX_RN, 1},
                {1 + 0x1p-11, false, WL_PTX_RN, 0x3c00},
                {1 + 0x3p-11, false, WL_PTX_RN, 0x3c02},
                {1 + 0x1p-11, false, WL_PTX_RNA, 0x3c01},
                {-1.0001, false, WL_PTX_RM, 0xbc01},
                {1.0001, false, WL_PTX_RP, 0x3c01},
                {1, true, WL_PTX_RN, 0x3f80},
                {1 + 0x1p-8, true, WL_PTX_RN, 0x3f80},
                {1 + 0x3p-8, true, WL_PTX_RN, 0x3f82}};
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        check_int("half of a double", "bits", (int64_t)wl_ptx_half_bits(rows[k].x, rows[k].brain, rows[k].rounding),
                  (int64_t)rows[k].bits);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
