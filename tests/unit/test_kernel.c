/* test_kernel.c - input/kernel_file.c and kernel/: layouts, params, and bad kernel files.
 * SPDX-License-Identifier: MIT */
/* clang-format off */ /* the tables read better in rows */
#include "unit/checks.h"

#include <stdio.h>

#include "base/ckd.h"
#include "kernel/kernel_internal.h"

static wl_kernel *parsed(const char *name, const char *text)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok(name, wl_kernel_parse(name, text, strlen(text), NULL, &kernel, &err), &err);
    return kernel;
}

/* ---- layouts ---- */

#define REST "loads: ['f[0]']\n"

static const struct {
    const char *name, *domain, *field;
    int dims;
    int64_t strides[4], origin, base_bytes;
    int32_t width_bytes;
} layouts[] = {
    /* as the measured kernels lay out their fields */
    {"640x512x512, halo 4, f64", "[640, 512, 512]", "{type: f64, extent: [640, 512, 512], halo: 4}", 3, {1, 672, 349440}, 1400464, 0, 8},
    {"256^3, halo 1, f64", "[256, 256, 256]", "{type: f64, extent: [256, 256, 256], halo: 1}", 3, {1, 288, 74304}, 74608, 0, 8},
    {"four dimensions: no halo beyond the domain", "[256, 256, 256]", "{type: f64, extent: [256, 256, 256, 19], halo: 1}", 4, {1, 288, 74304, 19170432}, 74608, 0, 8},
    {"f32: rows of 32 elements", "[100, 10]", "{type: f32, extent: [100, 10], halo: 1}", 2, {1, 160}, 192, 0, 4},
    {"f16: rows of 64 elements", "[100, 10]", "{type: f16, extent: [100, 10]}", 2, {1, 128}, 0, 0, 2},
    {"i8: rows of 128 elements", "[100, 10]", "{type: i8, extent: [100, 10], halo: 2}", 2, {1, 256}, 640, 0, 1},
    {"i64 like f64", "[100, 10]", "{type: i64, extent: [100, 10]}", 2, {1, 112}, 0, 0, 8},
    {"a full row is not padded", "[128, 10]", "{type: f32, extent: [128, 10]}", 2, {1, 128}, 0, 0, 4},
    {"a halo per dimension", "[64, 64]", "{type: f32, extent: [64, 64], halo: [0, 3]}", 2, {1, 64}, 192, 0, 4},
    {"a halo per dimension, beyond the domain too", "[64]", "{type: f32, extent: [64, 8], halo: [0, 1]}", 2, {1, 64}, 64, 0, 4},
    {"halo 0", "[64]", "{type: f32, extent: [64], halo: 0}", 1, {1}, 0, 0, 4},
    {"one dimension with a halo", "[64]", "{type: f64, extent: [64], halo: 3}", 1, {1}, 16, 0, 8},
    {"explicit", "[64, 64]", "{type: f32, strides: [1, 100, -7], origin: 5}", 3, {1, 100, -7}, 5, 0, 4},
    {"explicit, origin left out", "[64]", "{type: f32, strides: [0]}", 1, {0}, 0, 0, 4},
    {"negative origin", "[64]", "{type: f32, strides: [1], origin: -3}", 1, {1}, -3, 0, 4},
    {"origin over an extent", "[64]", "{type: f32, extent: [64], halo: 2, origin: 7}", 1, {1}, 7, 0, 4},
    {"bare", "[64]", "{type: f32}", 0, {0}, 0, 0, 4},
    /* a vector is one element of the layout */
    {"vector of 2 f64", "[64, 64]", "{type: f64, vector: 2, extent: [64, 64]}", 2, {1, 64}, 0, 0, 16},
    {"vector of 4 f32, rows of 8", "[60, 64]", "{type: f32, vector: 4, extent: [60, 64], halo: 1}", 2, {1, 72}, 80, 0, 16},
    {"vector of 16 i8", "[64]", "{type: i8, vector: 16, extent: [64]}", 1, {1}, 0, 0, 16},
    {"vector of 1", "[64]", "{type: f64, vector: 1, extent: [64]}", 1, {1}, 0, 0, 8},
    /* a base less aligned than the allocator's 256 bytes is assumed at its alignment */
    {"aligned to 8", "[64]", "{type: f32, extent: [64], alignment: 8}", 1, {1}, 0, 8, 4},
    {"aligned to 128", "[64]", "{type: f32, extent: [64], alignment: 128}", 1, {1}, 0, 128, 4},
    {"aligned to 256", "[64]", "{type: f32, extent: [64], alignment: 256}", 1, {1}, 0, 0, 4},
    {"aligned to 4096", "[64]", "{type: f32, extent: [64], alignment: 4096}", 1, {1}, 0, 0, 4},
};

static void test_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "name: k\ndomain: %s\nfields:\n  f: %s\n" REST, layouts[i].domain, layouts[i].field);
        wl_kernel *kernel = parsed(layouts[i].name, text);
        if (!kernel)
            continue;
        const wl_field *f = &kernel->fields[0];
        check_int(layouts[i].name, "dimensions", f->dims, layouts[i].dims);
        for (int d = 0; d < layouts[i].dims; d++)
            check_int(layouts[i].name, "stride", f->strides[d], layouts[i].strides[d]);
        check_int(layouts[i].name, "origin", f->origin, layouts[i].origin);
        check_int(layouts[i].name, "base", f->base_bytes, layouts[i].base_bytes);
        check_int(layouts[i].name, "width", kernel->accesses[0].width_bytes, layouts[i].width_bytes);
        wl_kernel_free(kernel);
    }
    check_done();
}

/* Where an access lands: x = 3, y = 2, z = 1, threadIdx.x = 7, blockIdx.x = 5, blockDim.x = 32, i =
 * 4, j = 6. */
static const struct {
    const char *name, *field, *access;
    int64_t index;
} addresses[] = {
    {"one subscript is an element index", "{type: f32, strides: [1, 100], origin: 10}", "f[x + 5]", 18},
    {"several are multiplied by the strides", "{type: f32, strides: [1, 100], origin: 10}", "f[x - 1, y]", 212},
    {"bare field", "{type: f32}", "f[3*x + 1]", 10},
    {"loops", "{type: f32}", "f[i*1000 + j]", 4006},
    {"params", "{type: f32}", "f[y*n + x]", 203},
    {"threads and blocks", "{type: f32}", "f[blockIdx.x*blockDim.x + threadIdx.x]", 167},
    {"floor division", "{type: f32}", "f[(x - 8)/2]", -3},
    {"smaller and larger", "{type: f32}", "f[min(x, y) + max(x, y, z)]", 5},
    {"three subscripts", "{type: f32, strides: [1, 10, 1000]}", "f[x, y, z + 1]", 2023},
    {"negative stride", "{type: f32, strides: [-1], origin: 50}", "f[x]", 47},
    {"an index into several dimensions", "{type: f32, strides: [2, 100], origin: 50}", "f[x]", 53},
    {"blanks", "{type: f32}", "  f [ x ]  ", 3},
    {"comparisons and logic", "{type: f32}", "f[(x > y)*100 + (x <= y || z)*10 + !z]", 110},
    {"bits", "{type: f32}", "f[x << 4 | y & 3 ^ 1]", 51},
    {"a choice", "{type: f32}", "f[select(threadIdx.x < 8, i, j)]", 4},
    {"a vector counts in elements", "{type: f32}", "f[4*x : 4]", 12},
    {"a vector of several subscripts", "{type: f32, strides: [1, 100]}", "f[2*x, y : 2]", 206},
    {"a condition", "{type: f32}", "f[x] if x % 2 == 1 && y > 0", 3},
    {"from the L2", "{type: f32}", "f[x] from l2", 3},
    {"from the L2, with a condition", "{type: f32}", "f[x] from l2 if x % 2 == 1", 3},
};

static void test_addresses(void **state)
{
    (void)state;
    wl_lane_values lanes = {.lanes = 1};
    lanes.at[WL_VAR_X][0] = 3;
    lanes.at[WL_VAR_Y][0] = 2;
    lanes.at[WL_VAR_Z][0] = 1;
    lanes.at[WL_VAR_THREAD_X][0] = 7;
    lanes.at[WL_VAR_BLOCK_X][0] = 5;
    lanes.at[WL_VAR_BLOCKDIM_X][0] = 32;
    lanes.at[WL_VAR_LOOP_0][0] = 4;
    lanes.at[WL_VAR_LOOP_1][0] = 6;
    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "name: k\nparams: {n: 100}\nloops: {i: 8, j: n}\nfields:\n  f: %s\nloads: ['%s']\n",
                       addresses[i].field, addresses[i].access);
        wl_kernel *kernel = parsed(addresses[i].name, text);
        if (!kernel)
            continue;
        int64_t index[WL_LANES_MAX] = {0};
        wl_error err = {0};
        check_ok(addresses[i].name, wl_expr_eval(kernel->accesses[0].index, &lanes, index, &err), &err);
        check_int(addresses[i].name, "index", index[0], addresses[i].index);
        check_text(addresses[i].name, "text", wl_kernel_access_text(kernel, 0), addresses[i].access);
        wl_kernel_free(kernel);
    }
    check_done();
}

/* An update's accesses land at origin + offset + cell, in the domain's dimensions. */
static void test_update_addresses(void **state)
{
    static const char text[] = "name: k\ndomain: [640, 512, 512]\nfields:\n"
                               "  a: {type: f64, extent: [640, 512, 512], halo: 4}\n"
                               "  b: {type: f64, strides: [1, 10, 100, 1000], origin: 7}\n"
                               "update: |\n  a[0,0,0] = a[-4,2,1] + b[1,0,-1,3]\n";
    static const int64_t want[] = {1400464 - 4 + 2 * 672 + 349440 + 3 + 2 * 672 + 349440,
                                   7 + 1 - 100 + 3000 + 3 + 20 + 100, 1400464 + 3 + 2 * 672 + 349440};
    static const char *const texts[] = {"a[-4,2,1]", "b[1,0,-1,3]", "a[0,0,0]"};
    (void)state;
    wl_kernel *kernel = parsed("update", text);
    assert_non_null(kernel);
    wl_lane_values lanes = {.lanes = 1};
    lanes.at[WL_VAR_X][0] = 3;
    lanes.at[WL_VAR_Y][0] = 2;
    lanes.at[WL_VAR_Z][0] = 1;
    check_int("update", "accesses", (int64_t)wl_kernel_access_count(kernel), 3);
    for (size_t i = 0; i < 3; i++) {
        int64_t index[WL_LANES_MAX] = {0};
        wl_error err = {0};
        check_ok(texts[i], wl_expr_eval(kernel->accesses[i].index, &lanes, index, &err), &err);
        check_int(texts[i], "index", index[0], want[i]);
        check_text(texts[i], "text", wl_kernel_access_text(kernel, i), texts[i]);
        check_int(texts[i], "store", wl_kernel_access_is_store(kernel, i), i == 2);
        check_int(texts[i], "field", (int64_t)wl_kernel_access_field(kernel, i), i == 1);
        check_int(texts[i], "line", kernel->accesses[i].loc.line, 7);
    }
    check_int("a[-4,2,1]", "column", kernel->accesses[0].loc.col, 14);
    wl_kernel_free(kernel);
    check_done();
}

/* ---- everything else a file may say ---- */

static void test_properties(void **state)
{
    static const struct {
        const char *name, *text;
        int dims;
        int64_t domain[3];
        wl_type precision;
        int64_t registers; /* 0: not stated */
        int64_t shared_bytes;
        int loop_count;
        int64_t loop_extent[3];
        double flops; /* negative: not known */
        int coordinate_reads;
    } cases[] = {
        {"the least", "name: k\nfields: {a: {type: f32}}\nloads: ['a[x]']\n",
         0, {1, 1, 1}, WL_TYPE_F32, 0, 0, 0, {0}, -1, 1},
        {"domain of one", "name: k\ndomain: [7]\nfields: {a: {type: i32}}\nloads: ['a[0]']\n",
         1, {7, 1, 1}, WL_TYPE_F32, 0, 0, 0, {0}, -1, 1},
        {"domain of three", "name: k\ndomain: [7, 8, 9]\nfields: {a: {type: f64}, b: {type: f32}}\nstores: ['b[x]']\n",
         3, {7, 8, 9}, WL_TYPE_F64, 0, 0, 0, {0}, -1, 3},
        {"half precision", "name: k\nfields: {a: {type: f16}, b: {type: i64}}\nstores: ['b[threadIdx.y]']\n",
         0, {1, 1, 1}, WL_TYPE_F16, 0, 0, 0, {0}, -1, 1},
        {"params in every size", "name: k\nparams: {n: 10, m: n*2}\ndomain: [n, m]\nfields: {a: {type: f32}}\nloads: ['a[x]']\n"
         "loops: {i: m + 1, j: 3}\nregisters: n\nshared_bytes: 4*m\nflops: n*m\n",
         2, {10, 20, 1}, WL_TYPE_F32, 10, 80, 2, {21, 3}, 200, 2},
        {"no thread index", "name: k\nfields: {a: {type: f32}}\nloads: ['a[blockIdx.x]']\n",
         0, {1, 1, 1}, WL_TYPE_F32, 0, 0, 0, {0}, -1, 0},
        {"flops over those of the update", "name: k\ndomain: [4]\nfields: {a: {type: f32, extent: [4]}}\nupdate: 'a[0] = a[0] * 2'\nflops: 5\n",
         1, {4, 1, 1}, WL_TYPE_F32, 0, 0, 0, {0}, 5, 1},
        {"scalars and flops of an update", "name: k\ndomain: [4]\nscalars: [w, v]\nfields: {a: {type: f32, extent: [4]}}\nupdate: a[0] = w * a[0] + v\n",
         1, {4, 1, 1}, WL_TYPE_F32, 0, 0, 0, {0}, 2, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_kernel *kernel = parsed(cases[i].name, cases[i].text);
        if (!kernel)
            continue;
        int64_t domain[3], registers = 0;
        double flops = -1;
        check_int(cases[i].name, "dimensions", wl_kernel_domain(kernel, domain), cases[i].dims);
        for (int d = 0; d < 3; d++)
            check_int(cases[i].name, "domain", domain[d], cases[i].domain[d]);
        check_int(cases[i].name, "precision", kernel->precision, cases[i].precision);
        check_int(cases[i].name, "registers are known", wl_kernel_registers(kernel, &registers), cases[i].registers > 0);
        check_int(cases[i].name, "registers", registers, cases[i].registers);
        check_int(cases[i].name, "shared memory", kernel->shared_bytes, cases[i].shared_bytes);
        check_int(cases[i].name, "loops", kernel->loop_count, cases[i].loop_count);
        for (int l = 0; l < cases[i].loop_count; l++)
            check_int(cases[i].name, "loop", kernel->loop_extent[l], cases[i].loop_extent[l]);
        check_int(cases[i].name, "flops are known", wl_kernel_flops(kernel, &flops), cases[i].flops >= 0);
        if (cases[i].flops >= 0)
            check_near(cases[i].name, "flops", flops, cases[i].flops, 0);
        check_int(cases[i].name, "coordinate reads", kernel->coordinate_reads, cases[i].coordinate_reads);
        wl_kernel_free(kernel);
    }
    check_done();
}

static void test_shipped(void **state)
{
    (void)state;
    check_true("kernels", "nothing behind the last", wl_kernel_builtin_name(wl_kernel_builtin_count()) == NULL);
    size_t length = 0;
    check_true("kernels", "no text for an unknown name", wl_kernel_builtin_text("nonsense", &length) == NULL);
    for (size_t i = 0; i < wl_kernel_builtin_count(); i++) {
        const char *name = wl_kernel_builtin_name(i), *text = wl_kernel_builtin_text(name, &length);
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        check_ok(name, wl_kernel_parse(name, text, length, NULL, &kernel, &err), &err);
        for (size_t f = 0; kernel && f < wl_kernel_field_count(kernel); f++)
            check_true(name, "fields have names", wl_kernel_field_name(kernel, f)[0] != '\0');
        wl_kernel_free(kernel);
    }
    wl_kernel_free(NULL);
    check_done();
}

/* ---- --set ---- */

static const char with_params[] = "name: k\nparams: {nx: 640, ny: nx/2}\ndomain: [nx, ny]\n"
                                  "fields: {a: {type: f64, extent: [nx, ny]}}\nloads: ['a[x, y]']\n";

static const struct {
    const char *name;
    const char *sets[3];
    int64_t nx, ny; /* when it works */
    expected_error want;
} sets[] = {
    {"none", {NULL}, 640, 320, {WL_OK, "", 0, 0}},
    {"one", {"nx=100"}, 100, 50, {WL_OK, "", 0, 0}},
    {"a later param", {"ny=7"}, 640, 7, {WL_OK, "", 0, 0}},
    {"both, in any order", {"ny=7", "nx=8"}, 8, 7, {WL_OK, "", 0, 0}},
    {"the last counts", {"nx=7", "nx=8"}, 8, 4, {WL_OK, "", 0, 0}},
    {"an expression of earlier params", {"ny=nx*2+1"}, 640, 1281, {WL_OK, "", 0, 0}},
    {"blanks", {"nx= 100 "}, 100, 50, {WL_OK, "", 0, 0}},
    {"unknown param", {"nz=3"}, 0, 0, {WL_E_INPUT, "the kernel has no param 'nz'; did you mean 'nx'?", 1, 1}},
    {"unknown param, nothing near", {"depth=3"}, 0, 0, {WL_E_INPUT, "the kernel has no param 'depth'", 1, 1}},
    {"no value", {"nx"}, 0, 0, {WL_E_INPUT, "write --set name=value", 1, 1}},
    {"empty", {""}, 0, 0, {WL_E_INPUT, "write --set name=value", 1, 1}},
    {"blank before the sign", {"nx =3"}, 0, 0, {WL_E_INPUT, "the kernel has no param 'nx '", 1, 1}},
    {"empty value", {"nx="}, 0, 0, {WL_E_INPUT, "but the text ends here", 1, 4}},
    {"no number", {"nx=big"}, 0, 0, {WL_E_INPUT, "unknown name 'big'", 1, 4}},
    {"half a number", {"nx=1.5"}, 0, 0, {WL_E_INPUT, "expected a whole number, a name or '(', not '1.5'", 1, 4}},
    {"two numbers", {"nx=3 4"}, 0, 0, {WL_E_INPUT, "expected an operator or the end, not '4'", 1, 6}},
    {"itself", {"nx=nx+1"}, 0, 0, {WL_E_INPUT, "unknown name 'nx'", 1, 4}},
    {"a later param in an earlier", {"nx=ny"}, 0, 0, {WL_E_INPUT, "unknown name 'ny'", 1, 4}},
    {"division by zero", {"ny=1/0"}, 0, 0, {WL_E_INPUT, "division by zero", 1, 5}},
    {"too large", {"nx=9999999999999999999"}, 0, 0, {WL_E_RANGE, "the number is too large", 1, 4}},
};

static void test_sets(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        wl_kernel_options options = {.sets = sets[i].sets};
        while (options.set_count < COUNT_OF(sets[i].sets) && sets[i].sets[options.set_count])
            options.set_count++;
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        const wl_status status = wl_kernel_parse("k.yaml", with_params, strlen(with_params), &options, &kernel, &err);
        check_error(sets[i].name, status, &err, &sets[i].want);
        if (status == WL_OK) {
            check_int(sets[i].name, "nx", kernel->domain[0], sets[i].nx);
            check_int(sets[i].name, "ny", kernel->domain[1], sets[i].ny);
        } else {
            check_text(sets[i].name, "input", err.input, "--set");
        }
        wl_kernel_free(kernel);
    }
    /* a value that breaks something else is blamed on the file, where the size stands */
    static const char *const zero[] = {"nx=0"};
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    const expected_error want = {WL_E_INPUT, "a domain extent must be at least 1 (it is 0)", 3, 10};
    check_error("nx=0", wl_kernel_parse("k.yaml", with_params, strlen(with_params), &(wl_kernel_options){zero, 1}, &kernel, &err), &err, &want);
    check_text("nx=0", "input", err.input, "k.yaml");
    check_done();
}

/* ---- one line ---- */

static void test_from_update(void **state)
{
    (void)state;
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    check_ok("one line", wl_kernel_from_update("dst[0,0] = (src[1,0]+src[-1,0]+src[0,1]+src[0,-1])/4", "4096x4096", "f32", &kernel, &err), &err);
    assert_non_null(kernel);
    int64_t domain[3];
    double flops = 0;
    check_int("one line", "dimensions", wl_kernel_domain(kernel, domain), 2);
    check_int("one line", "domain x", domain[0], 4096);
    check_int("one line", "domain y", domain[1], 4096);
    check_true("one line", "flops are known", wl_kernel_flops(kernel, &flops));
    check_near("one line", "flops", flops, 4, 0);
    check_int("one line", "fields", (int64_t)wl_kernel_field_count(kernel), 2);
    check_int("one line", "accesses", (int64_t)wl_kernel_access_count(kernel), 5);
    check_text("dst", "name", wl_kernel_field_name(kernel, 0), "dst");
    check_int("dst", "stride", kernel->fields[0].strides[1], 4096);
    check_int("dst", "origin", kernel->fields[0].origin, 0);
    check_text("src", "name", wl_kernel_field_name(kernel, 1), "src");
    /* 32 in front, 4096, 1 behind, rounded to 32 */
    check_int("src", "stride", kernel->fields[1].strides[1], 4160);
    check_int("src", "origin", kernel->fields[1].origin, 32 + 4160);
    check_int("src", "width", kernel->accesses[0].width_bytes, 4);
    check_int("one line", "last access is the store", wl_kernel_access_is_store(kernel, 4), 1);
    wl_kernel_free(kernel);

    /* the same as the shipped kernel with its halo of 4 */
    static const char *const stars[] = {"d[0,0,0] = s[4,0,0] + s[0,-4,0] + s[0,0,4]"};
    kernel = NULL;
    check_ok("halo 4", wl_kernel_from_update(stars[0], "640x512x512", "f64", &kernel, &err), &err);
    assert_non_null(kernel);
    check_int("halo 4", "row", kernel->fields[1].strides[1], 672);
    check_int("halo 4", "plane", kernel->fields[1].strides[2], 349440);
    check_int("halo 4", "origin", kernel->fields[1].origin, 1400464);
    wl_kernel_free(kernel);
    check_done();
}

static void test_bad_one_liners(void **state)
{
    static const struct {
        const char *name, *update, *domain, *type, *input;
        expected_error want;
    } cases[] = {
        {"domain in words", "a[0] = 1", "many", "f32", "--domain", {WL_E_INPUT, "a domain is written 4096x4096", 1, 1}},
        {"empty domain", "a[0] = 1", "", "f32", "--domain", {WL_E_INPUT, "a domain is written 4096x4096", 1, 1}},
        {"domain of zero", "a[0] = 1", "0", "f32", "--domain", {WL_E_INPUT, "whole numbers above 0", 1, 1}},
        {"negative domain", "a[0] = 1", "-5", "f32", "--domain", {WL_E_INPUT, "whole numbers above 0", 1, 1}},
        {"domain ends in x", "a[0] = 1", "5x", "f32", "--domain", {WL_E_INPUT, "a domain is written", 1, 3}},
        {"domain with a star", "a[0] = 1", "5*5", "f32", "--domain", {WL_E_INPUT, "a domain is written", 1, 1}},
        {"four extents", "a[0] = 1", "5x5x5x5", "f32", "--domain", {WL_E_INPUT, "one to three whole numbers", 1, 7}},
        {"domain too large", "a[0] = 1", "99999999999999999999", "f32", "--domain", {WL_E_INPUT, "a domain is written", 1, 1}},
        {"domain beyond 2^60", "a[0,0] = 1", "1000000000x2000000000", "i8", "--domain", {WL_E_RANGE, "the domain has more than 2^60 points", 1, 1}},
        {"unknown type", "a[0] = 1", "5", "float", "--type", {WL_E_INPUT, "unknown type 'float'; use one of: f16 f32 f64 i8 i16 i32 i64", 1, 1}},
        {"too few subscripts", "a[0] = 1", "5x5", "f32", "--update", {WL_E_INPUT, "field 'a' has 1 subscripts, the domain 2 dimensions", 1, 1}},
        {"too many subscripts", "a[0] = b[0,0]", "5", "f32", "--update", {WL_E_INPUT, "field 'b' has 2 subscripts, the domain 1 dimensions", 1, 8}},
        {"subscripts differ", "a[0] = a[0,0]", "5", "f32", "--update", {WL_E_INPUT, "field 'a' has 1 subscripts elsewhere", 1, 8}},
        {"unknown name", "a[0] = w * a[0]", "5", "f32", "--update", {WL_E_INPUT, "unknown name 'w'", 1, 8}},
        {"no field", "t = 1", "5", "f32", "--update", {WL_E_INPUT, "the update assigns to no field", 1, 1}},
        {"malformed", "a[0] = 1 +", "5", "f32", "--update", {WL_E_INPUT, "but the text ends here", 1, 11}},
        {"no operator", "a[0] = b[0] ^ 2", "5", "f32", "--update", {WL_E_INPUT, "'^' is not an operator here", 1, 13}},
        {"field too large", "a[0,0] = 1", "1000000000x1000000000", "f64", "--update", {WL_E_RANGE, "field 'a' is larger than 2^60 bytes", 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        check_error(cases[i].name, wl_kernel_from_update(cases[i].update, cases[i].domain, cases[i].type, &kernel, &err), &err, &cases[i].want);
        check_text(cases[i].name, "input", err.input, cases[i].input);
        check_true(cases[i].name, "no kernel is given", kernel == NULL);
    }
    check_done();
}

/* ---- bad files ---- */

#define A1 "fields: {a: {type: f32, extent: [8]}}\n"             /* a field, one dimension  */
#define A2 "fields: {a: {type: f32, extent: [8, 8]}}\n"          /* a field, two dimensions */
#define LOAD "loads: ['a[x]']\n"
#define FIELD(text) "name: k\ndomain: [8]\nfields:\n  a: " text "\n" LOAD
#define LOADS(text) "name: k\nparams: {n: 4, zero: 0}\n" A2 "loads: [" text "]\n"
#define UPDATE(text) "name: k\ndomain: [8]\n" A1 "update: |\n" text "\n"
#define TOP "1152921504606846975" /* 2^60 - 1 */

static const struct {
    const char *name, *text;
    expected_error want;
} bad[] = {
    /* the file as a whole */
    {"empty", "", {WL_E_INPUT, "the file is empty", 1, 1}},
    {"a list", "- a\n- b\n", {WL_E_INPUT, "a kernel file must be a map of key: value, not a list", 1, 1}},
    {"a word", "hello\n", {WL_E_INPUT, "a kernel file must be a map of key: value, not a single value", 1, 1}},
    {"malformed", "name: k\nfields: {a: {type: f32\nloads: [1]\n", {WL_E_INPUT, "not valid YAML", 3, 6}},
    {"bad indentation", "name: k\n  fields: 3\n", {WL_E_INPUT, "not valid YAML", 2, 9}},
    {"alias", "name: &n k\n" A1 "loads: [*n]\n", {WL_E_INPUT, "aliases are not supported", 3, 9}},
    {"two documents", "name: k\n" A1 LOAD "---\nname: l\n", {WL_E_INPUT, "more than one YAML document", 4, 1}},
    {"unknown key", "name: k\n" A1 "load: ['a[x]']\n", {WL_E_INPUT, "unknown key 'load' in the kernel; did you mean 'loads'?", 3, 1}},
    {"unknown key, nothing near", "name: k\ncolour: red\n" A1 LOAD, {WL_E_INPUT, "unknown key 'colour' in the kernel", 2, 1}},
    {"key twice", "name: k\n" A1 LOAD "name: l\n", {WL_E_INPUT, "key 'name' is given twice", 4, 1}},
    {"no name", A1 LOAD, {WL_E_INPUT, "the kernel lacks its 'name'", 1, 1}},
    {"name as a list", "name: [k]\n" A1 LOAD, {WL_E_INPUT, "name must be a single value, not a list", 1, 7}},
    {"empty name", "name:\n" A1 LOAD, {WL_E_INPUT, "'name' is empty", 1, 6}},
    {"no fields", "name: k\n" LOAD, {WL_E_INPUT, "the kernel lacks 'fields'", 1, 1}},
    {"no accesses", "name: k\n" A1, {WL_E_INPUT, "the kernel has neither an update nor loads or stores", 1, 1}},
    /* params */
    {"params as a list", "name: k\nparams: [nx]\n" A1 LOAD, {WL_E_INPUT, "params must be a map of key: value, not a list", 2, 9}},
    {"param twice", "name: k\nparams: {n: 1, n: 2}\n" A1 LOAD, {WL_E_INPUT, "key 'n' is given twice", 2, 16}},
    {"param with a coordinate's name", "name: k\nparams: {x: 1}\n" A1 LOAD, {WL_E_INPUT, "'x' cannot be the name of a param", 2, 10}},
    {"param with a function's name", "name: k\nparams: {min: 1}\n" A1 LOAD, {WL_E_INPUT, "'min' cannot be the name of a param", 2, 10}},
    {"param with a minus in its name", "name: k\nparams: {n-x: 1}\n" A1 LOAD, {WL_E_INPUT, "'n-x' cannot be the name of a param", 2, 10}},
    {"param of a later param", "name: k\nparams: {n: m, m: 2}\n" A1 LOAD, {WL_E_INPUT, "unknown name 'm'", 2, 13}},
    {"too many lanes", "name: k\n" A1 LOAD "mix: {int: 1}\nactive_lanes: 1.5\n", {WL_E_INPUT, "'active_lanes' is a share of the lanes: at most 1", 5, 15}},
    {"four indices", "name: k\n" A1 LOAD "thread_indices: 4\n", {WL_E_INPUT, "thread_indices", 4, 17}},
    {"local accesses", "name: k\n" A1 LOAD "executed_accesses: {local_load: 1}\n", {WL_E_INPUT, "local_load", 4, 21}},
    {"half a param", "name: k\nparams: {n: 1.5}\n" A1 LOAD, {WL_E_INPUT, "expected a whole number, a name or '(', not '1.5'", 2, 13}},
    {"empty param", "name: k\nparams:\n  n:\n" A1 LOAD, {WL_E_INPUT, "but the text ends here", 3, 5}},
    {"param as a list", "name: k\nparams: {n: [1]}\n" A1 LOAD, {WL_E_INPUT, "a param must be a single value, not a list", 2, 13}},
    {"param divides by zero", "name: k\nparams: {n: 4 / 0}\n" A1 LOAD, {WL_E_INPUT, "division by zero", 2, 15}},
    {"param too large", "name: k\nparams: {n: 2000000000000000000}\n" A1 LOAD, {WL_E_RANGE, "the number is too large", 2, 13}},
    {"param leaves 2^60", "name: k\nparams: {n: 2*" TOP "}\n" A1 LOAD, {WL_E_RANGE, "leaves the range +-2^60", 2, 14}},
    /* domain */
    {"domain as a number", "name: k\ndomain: 8\n" A1 LOAD, {WL_E_INPUT, "domain must be a list, not a single value", 2, 9}},
    {"empty domain", "name: k\ndomain: []\n" A1 LOAD, {WL_E_INPUT, "domain must have 1 to 3 extents (it has 0)", 2, 9}},
    {"domain of four", "name: k\ndomain: [1, 2, 3, 4]\n" A1 LOAD, {WL_E_INPUT, "domain must have 1 to 3 extents (it has 4)", 2, 9}},
    {"zero extent", "name: k\ndomain: [8, 0]\n" A1 LOAD, {WL_E_INPUT, "a domain extent must be at least 1 (it is 0)", 2, 13}},
    {"negative extent", "name: k\ndomain: [-8]\n" A1 LOAD, {WL_E_INPUT, "a domain extent must be at least 1 (it is -8)", 2, 10}},
    {"extent unknown", "name: k\nparams: {nx: 8}\ndomain: [nz]\n" A1 LOAD, {WL_E_INPUT, "unknown name 'nz'; did you mean 'nx'?", 3, 10}},
    {"coordinate in the domain", "name: k\ndomain: [8*y]\n" A1 LOAD, {WL_E_INPUT, "unknown name 'y'", 2, 12}},
    {"domain beyond 2^60", "name: k\ndomain: [1099511627776, 1099511627776]\n" A1 LOAD, {WL_E_RANGE, "the domain has more than 2^60 points", 2, 9}},
    {"from without a domain", "name: k\nfrom: [1]\n" A1 LOAD, {WL_E_INPUT, "from needs a domain", 2, 7}},
    {"from as a number", "name: k\ndomain: [8]\nfrom: 1\n" A1 LOAD, {WL_E_INPUT, "from must be a list, not a single value", 3, 7}},
    {"from of two", "name: k\ndomain: [8]\nfrom: [1, 1]\n" A1 LOAD, {WL_E_INPUT, "from must have as many coordinates as the domain has dimensions, or fewer", 3, 7}},
    {"from below 0", "name: k\ndomain: [8]\nfrom: [-1]\n" A1 LOAD, {WL_E_INPUT, "the first cell of a dimension must be 0 to 7 (it is -1)", 3, 8}},
    {"from beyond the domain", "name: k\ndomain: [9, 8]\nfrom: [1, 8]\n" A1 LOAD, {WL_E_INPUT, "the first cell of a dimension must be 0 to 7 (it is 8)", 3, 11}},
    /* fields */
    {"fields as a list", "name: k\nfields: [a]\n" LOAD, {WL_E_INPUT, "fields must be a map of key: value, not a list", 2, 9}},
    {"field twice", "name: k\nfields: {a: {type: f32}, a: {type: f64}}\n" LOAD, {WL_E_INPUT, "key 'a' is given twice", 2, 26}},
    {"field as a word", FIELD("f32"), {WL_E_INPUT, "a field must be a map of key: value, not a single value", 4, 6}},
    {"field with a coordinate's name", "name: k\nfields: {y: {type: f32}}\nloads: ['y[x]']\n", {WL_E_INPUT, "'y' cannot be the name of a field", 2, 10}},
    {"field with a bad name", "name: k\nfields: {3d: {type: f32}}\n" LOAD, {WL_E_INPUT, "'3d' cannot be the name of a field", 2, 10}},
    {"no type", FIELD("{extent: [8]}"), {WL_E_INPUT, "field 'a' lacks its type", 4, 3}},
    {"unknown type", FIELD("{type: double}"), {WL_E_INPUT, "unknown type 'double'; use one of: f16 f32 f64 i8 i16 i32 i64", 4, 13}},
    {"type as a list", FIELD("{type: [f32]}"), {WL_E_INPUT, "type must be a single value, not a list", 4, 13}},
    {"unknown key of a field", FIELD("{type: f32, extents: [8]}"), {WL_E_INPUT, "unknown key 'extents' in a field; did you mean 'extent'?", 4, 18}},
    {"field's extent of zero", FIELD("{type: f32, extent: [8, 0]}"), {WL_E_INPUT, "extent must be at least 1 (it is 0)", 4, 30}},
    {"field's negative extent", FIELD("{type: f32, extent: [-1]}"), {WL_E_INPUT, "extent must be at least 1 (it is -1)", 4, 27}},
    {"extent as a number", FIELD("{type: f32, extent: 8}"), {WL_E_INPUT, "extent must be a list, not a single value", 4, 26}},
    {"empty extent", FIELD("{type: f32, extent: []}"), {WL_E_INPUT, "extent must have 1 to 6 values", 4, 26}},
    {"seven extents", FIELD("{type: f32, extent: [1,1,1,1,1,1,1]}"), {WL_E_INPUT, "extent must have 1 to 6 values", 4, 26}},
    {"negative halo", FIELD("{type: f32, extent: [8], halo: -1}"), {WL_E_INPUT, "halo must be at least 0 (it is -1)", 4, 37}},
    {"halo with too many values", FIELD("{type: f32, extent: [8], halo: [1, 1]}"), {WL_E_INPUT, "halo has 2 values, extent has 1", 4, 37}},
    {"halo without extent", FIELD("{type: f32, strides: [1], halo: 1}"), {WL_E_INPUT, "halo needs extent", 4, 32}},
    {"strides and extent", FIELD("{type: f32, extent: [8], strides: [1]}"), {WL_E_INPUT, "give either strides or extent, not both", 4, 31}},
    {"stride unknown", FIELD("{type: f32, strides: [1, sy]}"), {WL_E_INPUT, "unknown name 'sy'", 4, 31}},
    {"origin divides by zero", FIELD("{type: f32, strides: [1], origin: 1 % 0}"), {WL_E_INPUT, "division by zero", 4, 42}},
    {"field beyond 2^60", FIELD("{type: f32, extent: [1073741824, 1073741824]}"), {WL_E_RANGE, "field 'a' is larger than 2^60 bytes", 4, 3}},
    {"halo beyond 2^60", FIELD("{type: f32, extent: [8, 8], halo: [0, " TOP "]}"), {WL_E_RANGE, "field 'a' is larger than 2^60 bytes", 4, 3}},
    {"vector of 3", FIELD("{type: f32, vector: 3}"), {WL_E_INPUT, "a vector must be 1, 2, 4, 8 or 16 elements and at most 16 bytes", 4, 26}},
    {"vector of 0", FIELD("{type: f32, vector: 0}"), {WL_E_INPUT, "vector must be 1 to 16 (it is 0)", 4, 26}},
    {"vector of 32 bytes", FIELD("{type: f64, vector: 4}"), {WL_E_INPUT, "at most 16 bytes", 4, 26}},
    {"alignment of 24", FIELD("{type: f32, alignment: 24}"), {WL_E_INPUT, "alignment must be a power of two, in bytes, and at least one element", 4, 29}},
    {"alignment below the element", FIELD("{type: f64, alignment: 4}"), {WL_E_INPUT, "at least one element", 4, 29}},
    {"alignment of 0", FIELD("{type: f32, alignment: 0}"), {WL_E_INPUT, "alignment must be 1 to 1099511627776 (it is 0)", 4, 29}},
    /* loads and stores */
    {"loads as a word", "name: k\n" A1 "loads: a[x]\n", {WL_E_INPUT, "loads must be a list, not a single value", 3, 8}},
    {"stores as a word", "name: k\n" A1 "stores: a[x]\n", {WL_E_INPUT, "stores must be a list, not a single value", 3, 9}},
    {"access as a list", LOADS("[a]"), {WL_E_INPUT, "an access must be a single value, not a list", 4, 9}},
    {"undeclared field", LOADS("'b[x]'"), {WL_E_INPUT, "no field is declared as 'b'", 4, 10}},
    {"undeclared field in stores", "name: k\nfields: {out: {type: f32}}\nstores:\n  - out[x]\n  - uot[x]\n", {WL_E_INPUT, "no field is declared as 'uot'; did you mean 'out'?", 5, 5}},
    {"no subscript", LOADS("a"), {WL_E_INPUT, "expected '[', but the text ends here", 4, 10}},
    {"empty subscript", LOADS("'a[]'"), {WL_E_INPUT, "expected a whole number, a name or '(', not ']'", 4, 12}},
    {"too many subscripts", LOADS("'a[x,y,z]'"), {WL_E_INPUT, "field 'a' has 2 dimensions, not 3", 4, 10}},
    {"seven subscripts", LOADS("'a[x,x,x,x,x,x,x]'"), {WL_E_INPUT, "expected fewer subscripts", 4, 24}},
    {"a number for an access", LOADS("7"), {WL_E_INPUT, "expected a field, as in A[3*x+1], not '7'", 4, 9}},
    {"text behind an access", LOADS("'a[x] + 1'"), {WL_E_INPUT, "expected the end of the access, not '+'", 4, 15}},
    {"unknown name in an access", LOADS("'a[x + m]'"), {WL_E_INPUT, "unknown name 'm'", 4, 16}},
    {"loop variable not declared", LOADS("'a[x + i]'"), {WL_E_INPUT, "unknown name 'i'", 4, 16}},
    {"access divides by zero", LOADS("'a[n/zero]'"), {WL_E_INPUT, "division by zero", 4, 13}},
    {"access leaves 2^60", LOADS("'a[" TOP " + n]'"), {WL_E_RANGE, "leaves the range +-2^60", 4, 32}},
    {"strides leave 2^60", "name: k\nfields: {a: {type: f32, strides: [1, " TOP "]}}\nloads: ['a[0, 2]']\n", {WL_E_RANGE, "leaves the range +-2^60", 3, 10}},
    {"origin leaves 2^60", "name: k\nfields: {a: {type: f32, strides: [1], origin: " TOP "}}\nloads: ['a[1]']\n", {WL_E_RANGE, "leaves the range +-2^60", 3, 10}},
    {"character that is none", LOADS("'a[x ? 1]'"), {WL_E_INPUT, "unexpected character '?'", 4, 14}},
    {"vector of 3 elements", LOADS("'a[x : 3]'"), {WL_E_INPUT, "one access moves a power of two of elements, and at most 32 bytes", 4, 16}},
    {"vector of 64 bytes", LOADS("'a[x : 16]'"), {WL_E_INPUT, "and at most 32 bytes", 4, 16}},
    {"vector of no elements", LOADS("'a[x : 0]'"), {WL_E_INPUT, "one access moves a power of two of elements", 4, 16}},
    {"vector of -4 elements", LOADS("'a[x : -4]'"), {WL_E_INPUT, "one access moves a power of two of elements", 4, 16}},
    {"vector of a coordinate's length", LOADS("'a[x : y]'"), {WL_E_INPUT, "one access moves a power of two of elements", 4, 16}},
    {"vector without its length", LOADS("'a[x : ]'"), {WL_E_INPUT, "expected a whole number, a name or '(', not ']'", 4, 16}},
    {"condition without one", LOADS("'a[x] if'"), {WL_E_INPUT, "but the text ends here", 4, 17}},
    {"condition of another name", LOADS("'a[x] when x'"), {WL_E_INPUT, "expected the end of the access, not 'when'", 4, 15}},
    {"condition with an unknown name", LOADS("'a[x] if m < 3'"), {WL_E_INPUT, "unknown name 'm'", 4, 18}},
    {"from an unknown cache", LOADS("'a[x] from l3'"), {WL_E_INPUT, "expected 'l2', not 'l3'", 4, 20}},
    {"from nowhere", LOADS("'a[x] from'"), {WL_E_INPUT, "expected 'l2'", 4, 19}},
    {"a cache behind the condition", LOADS("'a[x] if x < 3 from l2'"), {WL_E_INPUT, "expected the end of the access, not 'from'", 4, 24}},
    {"a store from a cache", "name: k\n" A1 "stores: ['a[x] from l2']\n", {WL_E_INPUT, "only loads are from a cache", 3, 16}},
    {"text behind a condition", LOADS("'a[x] if x < 3 4'"), {WL_E_INPUT, "expected the end of the access, not '4'", 4, 24}},
    {"a shift too far", LOADS("'a[1 << 63]'"), {WL_E_INPUT, "a shift must be by 0 to 62", 4, 14}},
    /* loops */
    {"loops as a list", "name: k\n" A1 LOAD "loops: [i]\n", {WL_E_INPUT, "loops must be a map of key: value, not a list", 4, 8}},
    {"four loops", "name: k\n" A1 LOAD "loops: {i: 1, j: 1, k: 1, l: 1}\n", {WL_E_INPUT, "at most 3 loops (there are 4)", 4, 8}},
    {"loop of length 0", "name: k\n" A1 LOAD "loops: {i: 0}\n", {WL_E_INPUT, "a loop's length must be 1 to 4294967296 (it is 0)", 4, 12}},
    {"loop named as a param", "name: k\nparams: {i: 3}\n" A1 LOAD "loops: {i: 3}\n", {WL_E_INPUT, "'i' is a param already", 5, 9}},
    {"loop named as a coordinate", "name: k\n" A1 LOAD "loops: {z: 3}\n", {WL_E_INPUT, "'z' cannot be the name of a loop variable", 4, 9}},
    {"loop length unknown", "name: k\n" A1 LOAD "loops: {i: depth}\n", {WL_E_INPUT, "unknown name 'depth'", 4, 12}},
    /* scalars and resources */
    {"scalars as a word", "name: k\n" A1 LOAD "scalars: w\n", {WL_E_INPUT, "scalars must be a list, not a single value", 4, 10}},
    {"scalar with a bad name", "name: k\n" A1 LOAD "scalars: [w, 2w]\n", {WL_E_INPUT, "'2w' cannot be the name of a scalar", 4, 14}},
    {"scalar named as a param", "name: k\nparams: {w: 3}\n" A1 LOAD "scalars: [v, w]\n", {WL_E_INPUT, "'w' is the name of something else already", 5, 14}},
    {"scalar named as a field", "name: k\n" A1 LOAD "scalars: [a]\n", {WL_E_INPUT, "'a' is the name of something else already", 4, 11}},
    {"scalar twice", "name: k\n" A1 LOAD "scalars: [v, w, v]\n", {WL_E_INPUT, "'v' is the name of something else already", 4, 17}},
    {"scalar as a list", "name: k\n" A1 LOAD "scalars: [[w]]\n", {WL_E_INPUT, "a scalar's name must be a single value, not a list", 4, 11}},
    {"no registers", "name: k\n" A1 LOAD "registers: 0\n", {WL_E_INPUT, "registers must be 1 to 1024 (it is 0)", 4, 12}},
    {"too many registers", "name: k\n" A1 LOAD "registers: 2000\n", {WL_E_INPUT, "registers must be 1 to 1024 (it is 2000)", 4, 12}},
    {"negative shared memory", "name: k\n" A1 LOAD "shared_bytes: -1\n", {WL_E_INPUT, "shared_bytes must be 0 to 1073741824 (it is -1)", 4, 15}},
    {"negative flops", "name: k\n" A1 LOAD "flops: -1\n", {WL_E_INPUT, "flops must be at least 0 (it is -1)", 4, 8}},
    {"flops as a list", "name: k\n" A1 LOAD "flops: [1]\n", {WL_E_INPUT, "flops must be a single value, not a list", 4, 8}},
    /* updates */
    {"update without a domain", "name: k\n" A1 "update: a[0] = 1\n", {WL_E_INPUT, "an update needs a domain", 3, 1}},
    {"update and loads", "name: k\ndomain: [8]\n" A1 LOAD "update: a[0] = 1\n", {WL_E_INPUT, "'loads' and 'update' exclude each other", 4, 1}},
    {"update and stores", "name: k\ndomain: [8]\n" A1 "update: a[0] = 1\nstores: []\n", {WL_E_INPUT, "'stores' and 'update' exclude each other", 5, 1}},
    {"update and loops", "name: k\ndomain: [8]\n" A1 "update: a[0] = 1\nloops: {i: 3}\n", {WL_E_INPUT, "'loops' and 'update' exclude each other", 5, 1}},
    {"update as a list", "name: k\ndomain: [8]\n" A1 "update: [a]\n", {WL_E_INPUT, "update must be a single value, not a list", 4, 9}},
    {"update with a field of too few dimensions", "name: k\ndomain: [8, 8]\n" A1 "update: |\n  a[0] = 1\n", {WL_E_INPUT, "field 'a' has 1 dimensions, fewer than the domain's 2", 4, 9}},
    {"update with an undeclared field", UPDATE("  a[0] = b[0]"), {WL_E_INPUT, "no field is declared as 'b'", 5, 10}},
    {"update with a wrong number of subscripts", UPDATE("  a[0] = a[0,0]"), {WL_E_INPUT, "field 'a' takes 1 subscripts, not more", 5, 14}},
    {"update with an unknown name", UPDATE("  t = 3\n\n  a[0] = s * 2"), {WL_E_INPUT, "unknown name 's'", 7, 10}},
    {"update that divides by zero", UPDATE("    a[0] = a[0] / 0"), {WL_E_INPUT, "division by zero", 5, 17}},
    {"update that stores nothing", UPDATE("  t = a[0]"), {WL_E_INPUT, "the update assigns to no field", 5, 3}},
    {"update in quotes", "name: k\ndomain: [8]\n" A1 "update: 'a[0] = q'\n", {WL_E_INPUT, "unknown name 'q'", 4, 17}},
    {"update in one line", "name: k\ndomain: [8]\n" A1 "update: a[0] = q\n", {WL_E_INPUT, "unknown name 'q'", 4, 16}},
    {"update that leaves 2^60", "name: k\ndomain: [8]\nfields: {a: {type: f32, strides: [4]}}\nupdate: |\n  a[0] = 1\n  a[1000000000000000000] = 1\n", {WL_E_RANGE, "the address leaves the range +-2^60", 6, 3}},
    {"empty update", "name: k\ndomain: [8]\n" A1 "update:\n", {WL_E_INPUT, "the update assigns to no field", 4, 8}},
};

static void test_bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        check_error(bad[i].name, wl_kernel_parse("bad.yaml", bad[i].text, strlen(bad[i].text), NULL, &kernel, &err), &err, &bad[i].want);
        check_text(bad[i].name, "input", err.input, "bad.yaml");
        check_true(bad[i].name, "no kernel is given", kernel == NULL);
        /* and without an error to fill */
        check_int(bad[i].name, "status without an error", wl_kernel_parse("bad.yaml", bad[i].text, strlen(bad[i].text), NULL, &kernel, NULL), bad[i].want.code);
    }
    check_done();
}

/* Every shipped kernel cut off anywhere is either a kernel or an error, never a crash. */
static void test_cut_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < wl_kernel_builtin_count(); i++) {
        const char *name = wl_kernel_builtin_name(i);
        size_t length = 0;
        const char *text = wl_kernel_builtin_text(name, &length);
        for (size_t cut = 0; cut < length; cut += 1 + length / 60) {
            wl_kernel *kernel = NULL;
            wl_error err = {0};
            const wl_status status = wl_kernel_parse(name, text, cut, NULL, &kernel, &err);
            check_int(name, "a kernel exactly when ok", kernel != NULL, status == WL_OK);
            check_int(name, "a message exactly when not", err.message[0] != '\0', status != WL_OK);
            wl_kernel_free(kernel);
        }
    }
    check_done();
}

static void test_types(void **state)
{
    static const struct {
        const char *name;
        wl_type type;
        int32_t bytes;
    } types[] = {{"f16", WL_TYPE_F16, 2}, {"f32", WL_TYPE_F32, 4}, {"f64", WL_TYPE_F64, 8}, {"i8", WL_TYPE_I8, 1},
                 {"i16", WL_TYPE_I16, 2}, {"i32", WL_TYPE_I32, 4}, {"i64", WL_TYPE_I64, 8}};
    (void)state;
    check_int("types", "number", COUNT_OF(types), WL_TYPE_COUNT);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        wl_type type = WL_TYPE_COUNT;
        check_true(types[i].name, "is found", wl_type_find(types[i].name, &type));
        check_int(types[i].name, "type", type, types[i].type);
        check_int(types[i].name, "bytes", wl_type_bytes(types[i].type), types[i].bytes);
        check_text(types[i].name, "name", wl_type_name(types[i].type), types[i].name);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts), cmocka_unit_test(test_addresses), cmocka_unit_test(test_update_addresses),
        cmocka_unit_test(test_properties), cmocka_unit_test(test_shipped), cmocka_unit_test(test_sets),
        cmocka_unit_test(test_from_update), cmocka_unit_test(test_bad_one_liners), cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut_files), cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
