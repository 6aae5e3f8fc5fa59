/* test_ptx_arguments.c - arguments as a user writes them: values, contents of buffers, and
 * errors. SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

static const char text[] = PTX_HEAD
    ".extern .shared .align 8 .b8 more[];\n.global .align 4 .u32 counter = 7;\n.const .align 4 .b8 table[8] = {1, 2, "
    "3, 4, 5, 6, 7, 8};\n"
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .f32 x, .param .s16 h, .param .align 4 .b8 p[6])\n{\n"
    ".shared .align 4 .b8 one[12];\n.shared .align 16 .b8 two[8];\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nmov.u64 %rd1, counter;\nmov.u32 %r1, one;\nmov.u32 %r2, two;\n"
    "mov.u32 %r3, more;\nmov.u64 %rd2, table;\nret;\n}\n";

/* The entry's arguments with one of them replaced. */
static wl_status make(ptx_run *r, int which, const char *arg)
{
    const char *args[] = {"buf:4096", "1", "1.5", "-3", "bytes:010203040506"};
    if (arg)
        args[which] = arg;
    return ptx_start(r, text, args, 5, (int64_t[]){32, 1, 1}, (int64_t[]){1, 1, 1});
}

static void test_params(void **state)
{
    (void)state;
    ptx_run r;
    check_ok("params", make(&r, 0, "buf:64K:16"), &r.err);
    const wl_ptx_arguments *a = &r.arguments;
    uint64_t address = 0;
    memcpy(&address, a->params, 8);
    check_true("params", "the address has the offset", address == a->buffers[0].base + 16);
    check_int("params", "base", (int64_t)(a->buffers[0].base % (2 << 20)), 0);
    check_int("params", "bytes of the buffer", a->buffers[0].bytes, 65536);
    static const uint8_t rest[] = {1, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0xfd, 0xff, 0, 0, 1, 2, 3, 4, 5, 6};
    check_int("params", "bytes", a->param_bytes, 8 + (int64_t)sizeof rest);
    assert_memory_equal(a->params + 8, rest, sizeof rest);
    check_int("shared", "static", a->shared_bytes, 24);
    for (int32_t v = 0; v < r.module->variable_count; v++) {
        const char *name = r.module->variables[v].name;
        const int64_t at = (int64_t)a->variable_address[v];
        if (strcmp(name, "one") == 0)
            check_int(name, "place", at, 0);
        if (strcmp(name, "two") == 0)
            check_int(name, "place", at, 16);
        if (strcmp(name, "more") == 0)
            check_int(name, "place", at, 32);
        if (strcmp(name, "counter") == 0) {
            uint32_t value = 0;
            const wl_ptx_buffer *b = wl_ptx_buffer_at(a, (uint64_t)at);
            check_true(name, "known", b && wl_ptx_buffer_read(b, 0, 4, (uint8_t *)&value) && value == 7);
        }
    }
    check_true("buffers", "none between them", !wl_ptx_buffer_at(a, a->buffers[0].base + 65536));
    check_true("buffers", "none before", !wl_ptx_buffer_at(a, a->buffers[0].base - 1));
    ptx_end(&r);
    check_done();
}

static void test_contents(void **state)
{
    (void)state;
    static const struct {
        const char *arg;
        bool known;
        int64_t at;
        uint64_t value; /* 32 bits */
    } rows[] = {
        {"buf:64", false, 0, 0},
        {"buf:64=zero", true, 4, 0},
        {"buf:64=iota", true, 8, 2},
        {"buf:64=iota:u16:5", true, 4, 0x00080007},
        {"buf:64=iota:f32:0.5", true, 8, 0x40200000},
        {"buf:64=iota:u32:0:32", true, 12, 96},
        {"buf:64=iota:s32:7:-3", true, 12, 0xfffffffe},
        {"buf:64=iota:f32:0.5:0.25", true, 8, 0x3f800000},
        {"buf:64=const:f32:1.5", true, 12, 0x3fc00000},
        {"buf:64=const:u8:255", true, 1, 0xffffffff},
        {"buf:64=const:s32:-2", true, 1, 0xfeffffff},
        {"buf:16=file", true, 4, 0x37363534},
        {"buf:64=repeat:file", true, 20, 0x37363534},
    };
    ptx_contents = (ptx_file){"0123456789abcdef", 16};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        uint32_t value = 0;
        check_ok(rows[k].arg, make(&r, 0, rows[k].arg), &r.err);
        const bool known = wl_ptx_buffer_read(&r.arguments.buffers[0], rows[k].at, 4, (uint8_t *)&value);
        check_true(rows[k].arg, "known as expected", known == rows[k].known);
        if (rows[k].known)
            check_int(rows[k].arg, "value", value, (int64_t)(uint32_t)rows[k].value);
        ptx_end(&r);
    }
    check_done();
}

static void test_random(void **state)
{
    (void)state;
    ptx_run r;
    bool seen[11] = {false};
    check_ok("random", make(&r, 0, "buf:64K=random:s32:-5..5"), &r.err);
    for (int64_t at = 0; at < 65536; at += 4) {
        int32_t value = 100, again = 0;
        wl_ptx_buffer_read(&r.arguments.buffers[0], at, 4, (uint8_t *)&value);
        wl_ptx_buffer_read(&r.arguments.buffers[0], at, 4, (uint8_t *)&again);
        check_true("random", "in range, and the same again", value >= -5 && value <= 5 && value == again);
        if (value >= -5 && value <= 5)
            seen[value + 5] = true;
    }
    for (int k = 0; k < 11; k++)
        check_true("random", "all values", seen[k]);
    ptx_end(&r);
    check_ok("random", make(&r, 0, "buf:64K=random:f32:2..3"), &r.err);
    double sum = 0;
    for (int64_t at = 0; at < 65536; at += 4) {
        uint32_t bits = 0;
        wl_ptx_buffer_read(&r.arguments.buffers[0], at, 4, (uint8_t *)&bits);
        const float x = wl_ptx_f32_of(bits);
        check_true("random", "float in range", x >= 2 && x <= 3);
        sum += (double)x / 16384;
    }
    check_near("random", "mean", sum, 2.5, 0.01);
    ptx_end(&r);
    check_done();
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        int which;
        const char *arg, *fragment;
        int32_t column;
    } rows[] = {
        {0, "buf:", "expected the buffer's bytes", 5},
        {0, "buf:-4", "expected the buffer's bytes", 5},
        {0, "buf:12x", "expected the buffer's bytes", 5},
        {0, "buf:16:20", "an offset of at most", 8},
        {0, "buf:16=random:q7", "'q7' is not an element type", 15},
        {0, "buf:16=random:u8:0..256", "'256' is no u8", 21},
        {0, "buf:16=random:u8:9..3", "the range is empty", 18},
        {0, "buf:16=random:u8:9", "a range is LOW..HIGH", 19},
        {0, "buf:16=iota:u32:x", "expected a whole number", 17},
        {0, "buf:16=iota:u32:0:x", "expected a whole number", 19},
        {0, "buf:16=iota:u8:0:300", "'300' is no u8", 18},
        {0, "buf:16=iota:u32:0:32:1", "':1' is not expected here", 21},
        {0, "buf:16=const:f32", "a constant is const:TYPE:VALUE", 17},
        {0, "buf:16=zero:1", "':1' is not expected here", 12},
        {0, "buf:17=file", "has 16 bytes, the buffer 17", 8},
        {0, "buf:17=", "expected the contents", 8},
        {0, "nonsense", "is not a whole number and no buffer", 1},
        {1, "buf:16", "no 64-bit address (u32)", 1},
        {1, "1.5", "is not a whole number, which the parameter needs", 1},
        {1, "-1", "outside the range of the parameter's type, u32", 1},
        {1, "4294967296", "outside the range of the parameter's type, u32", 1},
        {1, "99999999999999999999", "outside the range of the parameter's type, u32", 1},
        {2, "x", "'x' is not a number", 1},
        {3, "40000", "outside the range of the parameter's type, s16", 1},
        {4, "7", "a struct of 6 bytes: give {VALUE, VALUE, ..} or bytes:HEXDIGITS", 1},
        {4, "bytes:0102", "4 hexadecimal digits, but the parameter has 6 bytes", 7},
        {4, "bytes:01020304050g", "'g' is not a hexadecimal digit", 18},
    };
    ptx_contents = (ptx_file){"0123456789abcdef", 16};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        const wl_status status = make(&r, rows[k].which, rows[k].arg);
        const expected_error want = {WL_E_INPUT, rows[k].fragment, 1, rows[k].column};
        check_error(rows[k].arg, status, &r.err, &want);
        check_text(rows[k].arg, "input", r.err.input, rows[k].arg);
        ptx_end(&r);
    }
    ptx_run r;
    const char *const few[] = {"1"};
    const wl_status status = ptx_start(&r, text, few, 1, (int64_t[]){32, 1, 1}, (int64_t[]){1, 1, 1});
    const expected_error want = {WL_E_INPUT, "k takes 5 arguments (u64, u32, f32, s16, 6 bytes), 1 given", 0, 0};
    check_error("too few", status, &r.err, &want);
    ptx_end(&r);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_params), cmocka_unit_test(test_contents),
                                       cmocka_unit_test(test_random), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
