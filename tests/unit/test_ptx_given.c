/* test_ptx_given.c - arguments by name, structs by value, contents of variables, and the names of
 * parameters in CUDA sources. SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

#include "ptx/module/source_params.h"

/* What a compiler makes of the same struct. */
typedef struct inner {
    uint8_t flag;
    double weight;
} inner;
typedef struct passed {
    uint64_t in;
    int32_t n;
    uint8_t small, tiny;
    uint16_t middle;
    float x;
    inner nested;
    int64_t large;
    uint8_t end;
} passed;

#define HEAD_TEXT                                                                                                      \
    PTX_HEAD ".global .align 8 .u64 table;\n.const .align 4 .b8 coef[12];\n.const .align 4 .u32 steps;\n"              \
             ".global .align 4 .b8 _ZN4phys4massE[8];\n.global .align 4 .b8 _ZN4phys4moonE[8] = {1, 2, 3};\n"

static const char struct_text[] = HEAD_TEXT
    ".visible .entry _Z5sweepILi4EEv6passedif(.param .align 8 .b8 _Z5sweep_param_0[56], .param .u32 _Z5sweep_param_1,"
    " .param .f32 _Z5sweep_param_2)\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<2>;\nmov.u64 %rd1, table;\n"
    "ld.const.u32 %r1, [coef];\nret;\n}\n";

typedef struct given_run {
    wl_arena arena;
    wl_ptx_module *module;
    wl_ptx_arguments arguments;
    wl_error err;
} given_run;

static wl_status start(given_run *r, const char *source, const char *const *args, size_t count,
                       const char *const *constants, size_t constant_count)
{
    const wl_ptx_function *entry = NULL;
    const wl_ptx_given given = {.args = args,
                                .arg_count = count,
                                .constants = constants,
                                .constant_count = constant_count,
                                .load = ptx_load_file,
                                .user = &ptx_contents};
    *r = (given_run){0};
    wl_status status = wl_ptx_module_parse("test.ptx", struct_text, strlen(struct_text), &r->module, &r->err);
    if (status == WL_OK && source)
        r->module->source = (wl_ptx_source_text){"k.cu", source, strlen(source)};
    if (status == WL_OK)
        status = wl_ptx_find_entry(r->module, NULL, &entry, &r->err);
    if (status == WL_OK)
        status = wl_ptx_arguments_make(r->module, entry, &given, &r->arena, &r->arguments, &r->err);
    return status;
}

static void end(given_run *r)
{
    wl_arena_free(&r->arena);
    wl_ptx_module_free(r->module);
}

#define STRUCT "{buf:4096:16, -5, 7:u8, 8:u8, 9:u16, 2.5, {1:u8, 0.5:f64}, 1:s64, 255:u8}"

static void test_struct(void **state)
{
    (void)state;
    given_run r;
    static const char *const args[] = {STRUCT, "100", "1.5"};
    passed want;
    memset(&want, 0, sizeof want);
    check_int("struct", "its size in C", sizeof want, 56);
    check_ok("struct", start(&r, NULL, args, COUNT_OF(args), NULL, 0), &r.err);
    want = (passed){.in = r.arguments.buffers ? r.arguments.buffers[0].base + 16 : 0,
                    .n = -5,
                    .small = 7,
                    .tiny = 8,
                    .middle = 9,
                    .x = 2.5F,
                    .nested = {.flag = 1, .weight = 0.5},
                    .large = 1,
                    .end = 255};
    const uint8_t *got = r.arguments.params;
    uint64_t in;
    int64_t large;
    float x;
    double weight;
    memcpy(&in, got + offsetof(passed, in), sizeof in);
    memcpy(&large, got + offsetof(passed, large), sizeof large);
    memcpy(&x, got + offsetof(passed, x), sizeof x);
    memcpy(&weight, got + offsetof(passed, nested) + offsetof(inner, weight), sizeof weight);
    check_true("struct", "the pointer", in == want.in);
    check_int("struct", "large", large, want.large);
    check_near("struct", "x", (double)x, (double)want.x, 0);
    check_near("struct", "weight", weight, want.nested.weight, 0);
    check_int("struct", "small", got[offsetof(passed, small)], want.small);
    check_int("struct", "tiny", got[offsetof(passed, tiny)], want.tiny);
    check_int("struct", "flag", got[offsetof(passed, nested)], want.nested.flag);
    check_int("struct", "end", got[offsetof(passed, end)], want.end);
    check_text("struct", "the buffer", r.arguments.buffers[0].name, "arg 0.0");
    end(&r);
    check_done();
}

static const char source[] = "// sweep(int wrong)\n#define __global__x\n__constant__ float coef[3];\n"
                             "template <int N> __global__ void __launch_bounds__(256, 2)\n"
                             "sweep(passed /* all of it */ p, const int n = 5, float alpha)\n{\n}\n";

static const struct {
    const char *name;
    bool has_source;
    const char *args[4];
    const char *constant;
    expected_error want;
} refused[] = {
    {"size",
     false,
     {"{buf:64, 4}", "1", "2"},
     NULL,
     {WL_E_INPUT, "argument 0: the parameter has 56 bytes, this has 16: buf at 0, b32 at 8", 1, 1}},
    {"no end", false, {"{buf:64, {4, 5}", "1", "2"}, NULL, {WL_E_INPUT, "this '{' has no '}'", 1, 1}},
    {"after", false, {STRUCT " 5", "1", "2"}, NULL, {WL_E_INPUT, "'5' is not expected here", 1, 75}},
    {"type", false, {"{1:u9}", "1", "2"}, NULL, {WL_E_INPUT, "'u9' is not a type", 1, 4}},
    {"range", false, {"{1, 256:u8}", "1", "2"}, NULL, {WL_E_INPUT, "outside the range", 1, 5}},
    {"deep", false, {"{{{{{{{{1}}}}}}}}", "1", "2"}, NULL, {WL_E_INPUT, "more than 6 deep", 1, 8}},
    {"empty", false, {"{}", "1", "2"}, NULL, {WL_E_INPUT, "expected a number", 1, 2}},
    {"buffer", false, {"{4, buf:x}", "1", "2"}, NULL, {WL_E_INPUT, "this has 16: b32 at 0, buf at 8", 1, 1}},
    {"a scalar", false, {STRUCT, "{1}", "2:f32"}, NULL, {WL_E_INPUT, "'2:f32' is not a number", 1, 1}},
    {"unknown",
     true,
     {"n=1", "m=4"},
     NULL,
     {WL_E_INPUT, "sweep<4> has no parameter 'm' (passed p: 56 bytes, const int n, float alpha)", 1, 1}},
    {"no names",
     false,
     {"n=1"},
     NULL,
     {WL_E_INPUT, "has no parameter 'n' (passed: 56 bytes, int, float): PTX has no parameter names", 1, 1}},
    {"twice", true, {STRUCT, "n=1", "n=2"}, NULL, {WL_E_INPUT, "'n' is given twice", 1, 1}},
    {"order", true, {"n=1", STRUCT}, NULL, {WL_E_INPUT, "has no name: arguments without a name come before", 1, 1}},
    {"missing", true, {"alpha=1", "n=2"}, NULL, {WL_E_INPUT, "sweep<4> has no argument for its parameter 0, p", 0, 0}},
    {"in a named one", true, {STRUCT, "n=1.5", "alpha=2"}, NULL, {WL_E_INPUT, "n: '1.5' is not a whole", 1, 3}},
    {"no such variable",
     false,
     {STRUCT, "1", "2"},
     "mess=1",
     {WL_E_INPUT, "no __constant__ or __device__ variable 'mess'; there are: table, coef, steps, phys::mass", 0, 0}},
    {"several",
     false,
     {STRUCT, "1", "2"},
     "phys::m=1",
     {WL_E_INPUT, "'phys::m' matches several variables: phys::mass, phys::moon", 0, 0}},
    {"no contents", false, {STRUCT, "1", "2"}, "coef", {WL_E_INPUT, "expected NAME=CONTENTS", 1, 1}},
    {"too much", false, {STRUCT, "1", "2"}, "coef={1,2,3,4}", {WL_E_INPUT, "'4' lies behind the end", 1, 13}},
    {"no pointer", false, {STRUCT, "1", "2"}, "coef=buf:8", {WL_E_INPUT, "which is not a pointer", 1, 6}},
    {"not a number", false, {STRUCT, "1", "2"}, "steps=1.5", {WL_E_INPUT, "'1.5' is not a whole number", 1, 7}},
    {"contents", false, {STRUCT, "1", "2"}, "coef=random:q", {WL_E_INPUT, "'q' is not an element type", 1, 13}},
};

static bool is_given(const char *input, const char *const *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(input, args[i]) == 0)
            return true;
    return false;
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        given_run r;
        size_t count = 0;
        while (count < 4 && refused[i].args[count])
            count++;
        const wl_status status = start(&r, refused[i].has_source ? source : NULL, refused[i].args, count,
                                       &refused[i].constant, refused[i].constant != NULL);
        check_error(refused[i].name, status, &r.err, &refused[i].want);
        if (r.err.loc.line == 0)
            check_text(refused[i].name, "input", r.err.input, refused[i].constant ? "--constant" : "--arg");
        else
            check_true(refused[i].name, "the text is the input",
                       is_given(r.err.input, refused[i].args, count) ||
                           (refused[i].constant && strcmp(r.err.input, refused[i].constant) == 0));
        end(&r);
    }
    check_done();
}

/* In any order, by all the names a parameter has. */
static void test_names(void **state)
{
    (void)state;
    static const char *const rows[][3] = {{STRUCT, "100", "1.5"},
                                          {STRUCT, "n=100", "alpha=1.5"},
                                          {"alpha=1.5", "n=100", "p=" STRUCT},
                                          {"2=1.5", "0=" STRUCT, "1=100"},
                                          {"param_1=100", "param_0=" STRUCT, "_Z5sweep_param_2=1.5"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        given_run r;
        int32_t n = 0;
        float alpha = 0;
        check_ok(rows[i][1], start(&r, source, rows[i], 3, NULL, 0), &r.err);
        if (r.arguments.params) {
            memcpy(&n, r.arguments.params + 56, sizeof n);
            memcpy(&alpha, r.arguments.params + 60, sizeof alpha);
        }
        check_int(rows[i][1], "n", n, 100);
        check_near(rows[i][1], "alpha", (double)alpha, 1.5, 0);
        end(&r);
    }
    check_done();
}

static uint64_t read_variable(const given_run *r, const char *name, int64_t at, int bytes, bool *known)
{
    uint64_t value = 0;
    for (int32_t v = 0; v < r->module->variable_count; v++)
        if (strcmp(r->module->variables[v].name, name) == 0) {
            const wl_ptx_buffer *b = wl_ptx_buffer_at(&r->arguments, r->arguments.variable_address[v]);
            *known = b && wl_ptx_buffer_read(b, at, bytes, (uint8_t *)&value);
        }
    return value;
}

static void test_variables(void **state)
{
    (void)state;
    static const char *const args[] = {STRUCT, "100", "1.5"};
    static const struct {
        const char *constant, *variable;
        int64_t at;
        uint64_t value; /* 32 bits */
    } rows[] = {
        {"coef={1.5, 2.0}", "coef", 4, 0x40000000},
        {"coef={1.5, 2.0}", "coef", 8, 0},
        {"coef=iota:u32:7", "coef", 8, 9},
        {"coef=const:f32:1", "coef", 8, 0x3f800000},
        {"coef=file", "coef", 4, 0x37363534},
        {"coef=bytes:000000000102030400000000", "coef", 4, 0x04030201},
        {"steps=12", "steps", 0, 12},
        {"steps=0x10", "steps", 0, 16},
        {"phys::mass={3, 4}", "_ZN4phys4massE", 4, 4},
        {"mass={3, 4}", "_ZN4phys4massE", 4, 4},
        {"_ZN4phys4massE={3, 4}", "_ZN4phys4massE", 4, 4},
        {"moon=zero", "_ZN4phys4moonE", 0, 0},
    };
    ptx_contents = (ptx_file){"0123456789abcdef", 16};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        given_run r;
        bool known = false;
        check_ok(rows[i].constant, start(&r, NULL, args, 3, &rows[i].constant, 1), &r.err);
        const uint64_t value = read_variable(&r, rows[i].variable, rows[i].at, 4, &known);
        check_true(rows[i].constant, "known", known);
        check_int(rows[i].constant, "value", (int64_t)value, (int64_t)rows[i].value);
        end(&r);
    }
    static const char *const pointer[] = {"table=buf:64:8=iota"};
    given_run r;
    bool known = false;
    uint32_t third = 0;
    check_ok("pointer", start(&r, NULL, args, 3, pointer, 1), &r.err);
    const uint64_t address = read_variable(&r, "table", 0, 8, &known);
    const wl_ptx_buffer *b = wl_ptx_buffer_at(&r.arguments, address);
    check_true("pointer", "known", known && b && b->bytes == 64 && address == b->base + 8);
    check_true("pointer", "contents", b && wl_ptx_buffer_read(b, 8, 4, (uint8_t *)&third) && third == 2);
    check_int("pointer", "constant memory that is read and not given", r.arguments.zero_count, 1);
    for (int i = 1; i < r.arguments.buffer_count; i++)
        check_true("pointer", "sorted", r.arguments.buffers[i - 1].base < r.arguments.buffers[i].base);
    end(&r);
    check_done();
}

/* ---- names in sources ---- */

static const struct {
    const char *source, *names; /* NULL: refused, with the fragment in `why` */
    const char *why;
} sources[] = {
    {"__global__ void sweep(passed p, int n, float a) {}", "p n a", NULL},
    {"__global__ void sweep(passed p,\n  int n, // , x\n  float a\n);", "p n a", NULL},
    {"template <class T, int N> __global__ __launch_bounds__(N*2) void sweep(T p, V<int, N> n, T a) {}", "p n a", NULL},
    {"__global__ void ns::sweep(const float *__restrict__ p, int n[4], float a = f(1, 2)) {}", "p n a", NULL},
    {"__global__ void sweep(void (*p)(int, float), int (&n)[3], std::size_t a) {}", "p n a", NULL},
    {"__global__ void sweep(int x); __global__ void sweep(passed p, int n, float a) {}", "p n a", NULL},
    {"__global__ void other(int x, int y, int z) {} __global__ void sweep(passed p, int n, float a) {}", "p n a", NULL},
    {"__global__ void sweep(passed p, int n, float a); __global__ void sweep(passed p, int n, float a) {}", "p n a",
     NULL},
    {"const char *s = \"__global__ void sweep(int q, int r, int s)\"; __global__ void sweep(passed p, int n, float a)",
     "p n a", NULL},
    {"__global__ void sweep(passed p, int n, float a) {} __global__ void sweep(passed q, int n, float a) {}", NULL,
     "several declarations that name its parameters differently"},
    {"__global__ void sweep(passed, int, float);", NULL, "leaves parameters without a name"},
    {"__global__ void sweep(passed p, const float *, float a);", NULL, "leaves parameters without a name"},
    {"__global__ void sweep(passed p) {}", NULL, "has another number of parameters"},
    {"#define KERNEL(x) __global__ void x(passed p, int n, float a) \\\n {}\nKERNEL(sweep)", NULL,
     "not declared there"},
    {"void sweep(passed p, int n, float a) {}", NULL, "not declared there"},
    {"__global__ void sweep(passed p, int n", NULL, "not declared there"},
    {"__global__", NULL, "not declared there"},
    {"", NULL, "not declared there"},
    {"/* __global__ void sweep(passed p, int n, float a)", NULL, "not declared there"},
    {"__global__ void __launch_bounds__(3", NULL, "not declared there"},
};

static void test_sources(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        wl_arena arena = {0};
        wl_error err = {0};
        wl_ptx_module *m = NULL;
        const wl_ptx_function *entry = NULL;
        const wl_ptx_source_param *params = NULL;
        char joined[64] = "";
        check_ok("module", wl_ptx_module_parse("t.ptx", struct_text, strlen(struct_text), &m, &err), &err);
        check_ok("entry", wl_ptx_find_entry(m, NULL, &entry, &err), &err);
        m->source = (wl_ptx_source_text){"k.cu", sources[i].source, strlen(sources[i].source)};
        const wl_status status = wl_ptx_source_params(m, entry, &arena, &params, &err);
        for (int k = 0; params && k < 3; k++)
            (void)snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", k ? " " : "",
                           params[k].name);
        if (sources[i].names)
            check_text(sources[i].source, "names", status == WL_OK ? joined : err.message, sources[i].names);
        else
            check_error(sources[i].source, status, &err, &(expected_error){WL_E_INPUT, sources[i].why, 0, 0});
        wl_ptx_module_free(m);
        wl_arena_free(&arena);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_struct), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_variables),
                                       cmocka_unit_test(test_sources)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
