/* test_native.c - kernels in machine code against the emulator: every arithmetic instruction, with
 * and without a guard, on random values and edge cases. test_execute.c has memory and control flow.
 * SPDX-License-Identifier: MIT */
#include "effort.h"
#include "unit/alu_cases.h"
#include "unit/checks.h"
#include "unit/native_code.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define THREADS 256
#define AT_ONCE 64 /* instructions in one kernel */

static const struct {
    const char *op, *shape;
} cases[] = {
#define LIST(op, shape, value) {op, shape},
    CASES(LIST)
#undef LIST
        {"cvt.u64.u32", "dr--"},
    {"cvt.s64.s32", "dr--"},
    {"shl.b64", "ddr-"},
    {"shr.s64", "ddr-"},
    {"min.s64", "ddd-"},
    {"max.u64", "ddd-"},
    {"bfe.u32", "rr--, 5, 9"},
    {"bfe.s32", "rr--, 20, 12"},
    {"bfi.b32", "rrr-, 8, 4"},
    {"prmt.b32", "rrr-, 0x5410"},
    {"prmt.b32", "rrr-, 0x3276"},
    {"shf.l.wrap.b32", "rrrr"},
    {"shf.r.clamp.b32", "rrrr"},
    {"shf.l.wrap.b32", "rrr-, 7"},
    {"lop3.b32", "rrrr, 0x96"},
    {"lop3.b32", "rrrr, 0xe8"},
    {"shl.b32", "rr--, 40"},
    {"shr.s32", "rr--, 40"},
    {"shl.b16", "hh--, 3"},
    {"shr.u16", "hh--, 3"},
    {"shr.s16", "hh--, 3"},
    {"add.ftz.f32", "rrr-"},
    {"fma.rn.ftz.f32", "rrrr"},
    {"sqrt.rn.f64", "dd--"},
    {"rsqrt.approx.f32", "rr--"},
    {"min.f64", "ddd-"},
    {"max.f32", "rrr-"},
};

static const char *register_of(char width) { return width == 'h' ? "%rs" : width == 'r' ? "%r" : "%rd"; }

/* Applies instructions to three numbers; each result to a column of its own. */
static char *write_kernel(size_t first, size_t last)
{
    static char text[AT_ONCE * 400 + 2000];
    const size_t size = sizeof text;
    int n = snprintf(text, size,
                     HEAD ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %%p<4>;\n"
                          ".reg .b16 %%rs<8>;\n.reg .b32 %%r<12>;\n.reg .b64 %%rd<16>;\nld.param.u64 %%rd10, [in];\n"
                          "ld.param.u64 %%rd11, [out];\nmov.u32 %%r11, %%tid.x;\nmul.wide.u32 %%rd12, %%r11, 24;\n"
                          "add.s64 %%rd10, %%rd10, %%rd12;\nmul.wide.u32 %%rd12, %%r11, 8;\n"
                          "add.s64 %%rd11, %%rd11, %%rd12;\nand.b32 %%r10, %%r11, 3;\nsetp.ne.u32 %%p1, %%r10, 2;\n");
    for (int k = 1; k <= 3; k++)
        n += snprintf(text + n, size - (size_t)n,
                      "ld.global.u64 %%rd%d, [%%rd10+%d];\ncvt.u32.u64 %%r%d, %%rd%d;\ncvt.u16.u64 %%rs%d, %%rd%d;\n",
                      k, 8 * (k - 1), k, k, k, k);
    for (size_t c = first; c < last; c++) {
        const char *shape = cases[c].shape, *wide = register_of(shape[0]);
        const bool guarded = c % 2;
        int k = 1;
        n += snprintf(text + n, size - (size_t)n, "mov.b%d %s5, %d;\n",
                      shape[0] == 'h'   ? 16
                      : shape[0] == 'r' ? 32
                                        : 64,
                      wide, 77);
        n += snprintf(text + n, size - (size_t)n, "%s%s %s5", guarded ? "@%p1 " : "", cases[c].op, wide);
        for (; k < 4 && shape[k] != '\0' && shape[k] != '-' && shape[k] != ','; k++)
            n += snprintf(text + n, size - (size_t)n, ", %s%d", register_of(shape[k]), k);
        while (shape[k] == '-')
            k++;
        n += snprintf(text + n, size - (size_t)n, "%s;\n", shape[k] == ',' ? shape + k : "");
        if (shape[0] != 'd')
            n += snprintf(text + n, size - (size_t)n, "cvt.u64.u%d %%rd5, %s5;\n", shape[0] == 'h' ? 16 : 32, wide);
        n +=
            snprintf(text + n, size - (size_t)n, "st.global.u64 [%%rd11+%d], %%rd5;\n", (int)(c - first) * 8 * THREADS);
    }
    (void)snprintf(text + n, size - (size_t)n, "ret;\n}\n");
    return text;
}

static uint64_t awkward(uint64_t *state)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x7fff,
                                      0x8000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x3f800000,
                                      0xbf800000,
                                      0x4f000000,
                                      0x7f800000,
                                      0x807fffff,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      0x4020,
                                      0x7610,
                                      0x5410,
                                      0x41e0000000000000,
                                      0x7ff0000000000000};
    const uint64_t r = check_random(state);
    const float f = (float)check_random_in(state, -100000, 100000) / 16.0F;
    const double d = (double)check_random_in(state, -100000000000, 100000000000) / 64.0;
    uint32_t bits;
    uint64_t wide;
    memcpy(&bits, &f, sizeof bits);
    memcpy(&wide, &d, sizeof wide);
    return r % 4 == 0   ? values[(r >> 8) % COUNT_OF(values)]
           : r % 4 == 1 ? bits
           : r % 4 == 2 ? wide
                        : check_random(state) >> (r >> 8) % 64;
}

static bool is_nan(uint64_t bits, const char *op, char width)
{
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return width == 'd' ? strstr(op, ".f64") && d != d : strstr(op, ".f32") && f != f;
}

/* With the instructions of this machine, and without. */
static void check_cases(const char *flags)
{
    static uint64_t in[THREADS][3], emulated[AT_ONCE][THREADS], native[AT_ONCE][THREADS];
    uint64_t seed = 11;
    for (int k = 0; k < THREADS; k++)
        for (int s = 0; s < 3; s++)
            in[k][s] = awkward(&seed);
    for (size_t first = 0; first < COUNT_OF(cases); first += AT_ONCE) {
        const size_t last = first + AT_ONCE < COUNT_OF(cases) ? first + AT_ONCE : COUNT_OF(cases);
        wl_error err = {0};
        wl_ptx *module = NULL;
        wl_ptx_runner *runner = NULL;
        wl_ptx_worked done;
        const char *text = write_kernel(first, last);
        uint64_t params[2] = {(uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)native};
        wl_ptx_memory memory[2] = {{params[0], sizeof in, (uint8_t *)in},
                                   {params[1], sizeof native, (uint8_t *)native}};
        if (memory[1].address < memory[0].address) {
            const wl_ptx_memory lower = memory[1];
            memory[1] = memory[0];
            memory[0] = lower;
        }
        const wl_ptx_work work = {
            .grid = {1, 1, 1},
            .block = {THREADS, 1, 1},
            .image = {
                .params = (const uint8_t *)params, .param_bytes = sizeof params, .memory = memory, .memory_count = 2}};
        check_ok("cases", wl_ptx_parse("cases", text, strlen(text), &module, &err), &err);
        check_ok("cases", wl_ptx_runner_new(module, "k", &runner, &err), &err);
        check_ok("cases", wl_ptx_runner_run(runner, &work, &done, &err), &err);
        memcpy(emulated, native, sizeof emulated);
        memset(native, 0, sizeof native);
        const native_made made = native_compile(runner, flags);
        if (made == NATIVE_NONE)
            skip();
        check_true("cases", "compiled", made == NATIVE_TAKEN);
        check_ok("cases", wl_ptx_runner_run(runner, &work, &done, &err), &err);
        for (size_t c = first; c < last; c++)
            for (int t = 0, wrong = 0; t < THREADS && wrong < 2; t++) {
                const uint64_t got = native[c - first][t], want = emulated[c - first][t];
                if (got == want ||
                    (is_nan(got, cases[c].op, cases[c].shape[0]) && is_nan(want, cases[c].op, cases[c].shape[0])))
                    continue;
                print_error("%s %s of %llx %llx %llx is %llx, not %llx\n", cases[c].op, cases[c].shape,
                            (unsigned long long)in[t][0], (unsigned long long)in[t][1], (unsigned long long)in[t][2],
                            (unsigned long long)got, (unsigned long long)want);
                wrong++;
                check_failures++;
            }
        wl_ptx_runner_free(runner);
        wl_ptx_free(module);
    }
    check_done();
}

static void with_this_machine(void **state)
{
    (void)state;
#if defined(__x86_64__)
    check_cases("-march=native");
#else
    check_cases("");
#endif
}

static void with_any_machine(void **state)
{
    (void)state;
    if (!effort_is_full())
        skip();
    check_cases("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_this_machine), cmocka_unit_test(with_any_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
