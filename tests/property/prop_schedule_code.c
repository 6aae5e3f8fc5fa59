/* prop_schedule_code.c - generated code: the C and OpenCL forms are compiled and run, as C, and
 * give the library's cells; the CUDA form compiles where nvcc is installed, the OpenCL form where
 * clang is. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "effort.h"
#include "property/random_source.h"
#include "schedule/order.h"
#include "warpline/report.h"

static const char *const schedules[] = {
    "linear",
    "column:1",
    "column:2",
    "column:7",
    "column:32",
    "column:50",
    "column:1000000000000000",
    "zigzag:1",
    "zigzag:6",
    "zigzag:7",
    "zigzag:32",
    "zigzag:50",
    "tile:1x1",
    "tile:1x5",
    "tile:8x1",
    "tile:32x8",
    "tile:7x5",
    "tile:50x3",
    "tile:3x50",
    "hilbert",
    "morton",
    "swizzle:1",
    "swizzle:2",
    "swizzle:8",
    "swizzle:7",
    "swizzle:50",
    "tile:4294967296x4294967296",
};
#define SCHEDULES COUNT_OF(schedules)
#define FORMS 8 /* with constants or not, two or three dimensions, 32 or 64 bits */

typedef void cells_of(const unsigned long long extent[3], unsigned long long first, unsigned long long count,
                      unsigned long long (*cells)[3]);

static wl_code_options form_of(size_t form, wl_code_language language)
{
    const bool wide = form & 4;
    return (wl_code_options){.language = language,
                             .precomputed = form & 1,
                             .dims = form & 2 ? 3 : 2,
                             .extent = {wide ? (int64_t)1 << 33 : 0, wide, wide}};
}

static wl_schedule parsed(const char *text)
{
    wl_schedule s;
    wl_error err = {0};
    if (wl_schedule_parse(text, &s, &err) != WL_OK)
        fail_msg("%s: %s", text, err.message);
    return s;
}

/* Functions of one schedule have one name, so that each gets its own by macros. */
static void write_function(FILE *file, size_t schedule, size_t form, wl_code_language language)
{
    const wl_schedule s = parsed(schedules[schedule]);
    const wl_code_options options = form_of(form, language);
    char name[WL_SCHEDULE_TEXT_MAX], *code = NULL;
    wl_error err = {0};
    wl_schedule_print(&s, name);
    for (char *p = name; *p; p++)
        *p = *p == ':' ? '_' : *p;
    if (wl_schedule_code(&s, &options, &code, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    static const char *const parts[] = {"", "_constants", "_prepare"};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        fprintf(file, "#define warpline_%s%s f%zu_%zu%s\n", name, parts[i], schedule, form, parts[i]);
    fputs(code, file);
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        fprintf(file, "#undef warpline_%s%s\n", name, parts[i]);
    free(code);
}

/* `cells_S_F` calls function F of schedule S for consecutive threads. */
static void write_caller(FILE *file, size_t schedule, size_t form)
{
    const bool precomputed = form & 1, deep = form & 2, wide = form & 4;
    const char *type = wide ? "unsigned long long" : "unsigned";
    fprintf(
        file,
        "void cells_%zu_%zu(const unsigned long long e[3], unsigned long long first, unsigned long long count,\n"
        "    unsigned long long (*cells)[3])\n{\n    const %s width = (%s)e[0], height = (%s)e[1], depth = (%s)e[2];\n"
        "    (void)depth;\n",
        schedule, form, type, type, type, type);
    if (precomputed)
        fprintf(file, "    const f%zu_%zu_constants c = f%zu_%zu_prepare(width, height%s);\n", schedule, form, schedule,
                form, deep ? ", depth" : "");
    fprintf(file, "    for (unsigned long long i = 0; i < count; i++) {\n        %s x, y, z = 0;\n", type);
    fprintf(file, "        f%zu_%zu(%s(%s)(first + i)%s%s, &x, &y%s);\n", schedule, form, precomputed ? "&c, " : "",
            type, precomputed ? "" : ", width, height", precomputed || !deep ? "" : ", depth", deep ? ", &z" : "");
    fprintf(file, "        cells[i][0] = x;\n        cells[i][1] = y;\n        cells[i][2] = z;\n    }\n}\n");
}

static void write_kernel(FILE *file, size_t schedule, size_t form)
{
    const bool precomputed = form & 1, deep = form & 2, wide = form & 4;
    const char *type = wide ? "unsigned long long" : "unsigned";
    char constants[64];
    (void)snprintf(constants, sizeof constants, "f%zu_%zu_constants c, ", schedule, form);
    fprintf(file,
            "__global__ void k%zu_%zu(%s%s t, %s width, %s height, %s depth, %s *cell)\n{\n    %s x, y, z = depth;\n",
            schedule, form, precomputed ? constants : "", type, type, type, type, type, type);
    fprintf(file, "    f%zu_%zu(%st + threadIdx.x%s%s, &x, &y%s);\n    cell[threadIdx.x] = x + y + z;\n}\n", schedule,
            form, precomputed ? "&c, " : "", precomputed ? "" : ", width, height",
            precomputed || !deep ? "" : ", depth", deep ? ", &z" : "");
}

static char folder[] = "/tmp/warpline-code-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static void path_in(const char *name, char path[256]) { (void)snprintf(path, 256, "%s/%s", folder, name); }

static int drop_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"code.c", "code.so", "code.cu", "code.ptx", "code.cl"};
    char path[256];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        path_in(names[i], path);
        (void)unlink(path);
    }
    return rmdir(folder);
}

static FILE *create(const char *name)
{
    char path[256];
    path_in(name, path);
    FILE *file = fopen(path, "w");
    if (!file)
        fail_msg("cannot write %s", path);
    return file;
}

static void compile(const char *command)
{
    char text[1024];
    (void)snprintf(text, sizeof text, command, folder, folder);
    if (system(text) != 0) /* NOLINT(cert-env33-c): the test's own command */
        fail_msg("does not compile: %s", text);
}

/* ---- the C form ---- */

static void *library; /* what was compiled */

/* The cells of `count` threads from `first` on are the library's. */
static void check_cells(size_t schedule, size_t form, const int64_t extent[3], int64_t first, int64_t count)
{
    static unsigned long long cells[1600][3];
    const wl_schedule s = parsed(schedules[schedule]);
    const unsigned long long e[3] = {(unsigned long long)extent[0], (unsigned long long)extent[1],
                                     (unsigned long long)extent[2]};
    char name[32];
    cells_of *call;
    wl_order order;
    wl_error err = {0};
    (void)snprintf(name, sizeof name, "cells_%zu_%zu", schedule, form);
    *(void **)&call = dlsym(library, name);
    if (!call || wl_order_make(&s, extent, &order, &err) != WL_OK)
        fail_msg("%s: %s", name, call ? err.message : "not found");
    call(e, (unsigned long long)first, (unsigned long long)count, cells);
    for (int64_t i = 0; i < count; i++) {
        int64_t want[3];
        wl_order_cell(&order, first + i, want);
        for (int d = 0; d < 3; d++)
            if (cells[i][d] != (unsigned long long)want[d])
                fail_msg("%s, form %zu, over %lldx%lldx%lld: cell %lld has %c = %llu, not %lld", schedules[schedule],
                         form, (long long)extent[0], (long long)extent[1], (long long)extent[2], (long long)(first + i),
                         "xyz"[d], cells[i][d], (long long)want[d]);
    }
}

/* Up to 2^bits cells of any proportions; the code of two dimensions gets two. */
static void any_domain(random_source *r, int bits, bool deep, int64_t extent[3])
{
    extent[2] = 1;
    for (int d = 0; d < (deep ? 3 : 2); d++) {
        const int own = (int)random_in(r, 0, bits);
        extent[d] = random_in(r, ((int64_t)1 << own) / 2 + (own == 0), (int64_t)1 << own);
        bits -= own;
    }
}

static void small_domains_agree(size_t schedule, size_t form)
{
    const int64_t step = effort_is_full() ? 1 : 10;
    for (int64_t w = 1; w <= 40; w++)
        for (int64_t h = 1 + w % step; h <= 40; h += step)
            check_cells(schedule, form, (const int64_t[3]){w, h, 1}, 0, w * h);
    for (int64_t z = 2; form & 2 && z < 7; z++)
        for (int64_t w = 1; w < 20; w += step)
            check_cells(schedule, form, (const int64_t[3]){w, 20 - w, z}, 0, w * (20 - w) * z);
}

static void large_domains_agree(size_t schedule, size_t form, random_source *r)
{
    const int bits = form & 4 ? 59 : 31;
    for (uint64_t i = 0; i < effort_cases(400); i++) {
        int64_t extent[3];
        any_domain(r, bits, form & 2, extent);
        const int64_t cells = extent[0] * extent[1] * extent[2], count = cells < 50 ? cells : 50;
        const int64_t first = random_in(r, 0, cells - count);
        check_cells(schedule, form, extent, first, count);
        check_cells(schedule, form, extent, cells - count, count);
    }
    /* the most there may be, in one row and in one column */
    const int64_t all = (int64_t)1 << bits;
    check_cells(schedule, form, (const int64_t[3]){all, 1, 1}, all - 50, 50);
    check_cells(schedule, form, (const int64_t[3]){1, all, 1}, all - 50, 50);
    check_cells(schedule, form, (const int64_t[3]){all / 65536, 65536, 1}, all - 50, 50);
}

/* What OpenCL has besides C. */
static const char as_opencl[] = "typedef unsigned uint;\n"
                                "typedef unsigned long long ulong;\n"
                                "__extension__ typedef unsigned __int128 both;\n"
                                "static inline uint high32(uint a, uint b) { return (uint)((ulong)a * b >> 32); }\n"
                                "static inline ulong high64(ulong a, ulong b) { return (ulong)((both)a * b >> 64); }\n"
                                "#define mul_hi(a, b) _Generic((a), uint: high32, ulong: high64)(a, b)\n";

static void generated_code_gives_the_cells_of_the_library(wl_code_language language)
{
    char path[256];
    random_source r = random_start(1);
    FILE *file = create("code.c");
    if (language == WL_CODE_OPENCL)
        fputs(as_opencl, file);
    for (size_t s = 0; s < SCHEDULES; s++)
        for (size_t form = 0; form < FORMS; form++) {
            write_function(file, s, form, language);
            write_caller(file, s, form);
        }
    fclose(file);
    compile(TEST_COMPILER
            " -std=c11 -O1 -Wall -Wextra -Wconversion -Wshadow -Werror -Wno-unused-function -shared -fPIC "
            "%s/code.c -o %s/code.so");
    path_in("code.so", path);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    for (size_t s = 0; s < SCHEDULES; s++)
        for (size_t form = 0; form < FORMS; form++) {
            small_domains_agree(s, form);
            large_domains_agree(s, form, &r);
        }
    dlclose(library);
}

static void generated_c_gives_the_cells_of_the_library(void **state)
{
    (void)state;
    generated_code_gives_the_cells_of_the_library(WL_CODE_C);
}

static void generated_opencl_gives_the_cells_of_the_library(void **state)
{
    (void)state;
    generated_code_gives_the_cells_of_the_library(WL_CODE_OPENCL);
}

static const size_t some[] = {0, 4, 10, 15, 19, 20, 23}; /* one of each kind */

static void generated_opencl_compiles(void **state)
{
    (void)state;
    if (system("clang --version >/dev/null 2>&1") != 0) { /* NOLINT(cert-env33-c) */
        print_message("no clang: the OpenCL form is not compiled\n");
        skip();
    }
    FILE *file = create("code.cl");
    for (size_t i = 0; i < COUNT_OF(some); i++)
        for (size_t form = 0; form < FORMS; form++)
            write_function(file, some[i], form, WL_CODE_OPENCL);
    fclose(file);
    compile("clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -Wall -Wextra -Werror -Wno-unused-function "
            "-fsyntax-only %s/code.cl");
}

/* ---- the CUDA form ---- */

static void generated_cuda_compiles(void **state)
{
    (void)state;
    if (system("nvcc --version >/dev/null 2>&1") != 0) { /* NOLINT(cert-env33-c) */
        print_message("no nvcc: the CUDA form is not compiled\n");
        skip();
    }
    FILE *file = create("code.cu");
    for (size_t i = 0; i < COUNT_OF(some); i++)
        for (size_t form = 0; form < FORMS; form++) {
            write_function(file, some[i], form, WL_CODE_CUDA);
            write_kernel(file, some[i], form);
        }
    fclose(file);
    compile("nvcc -diag-suppress 177 -Werror all-warnings -ptx %s/code.cu -o %s/code.ptx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_c_gives_the_cells_of_the_library),
        cmocka_unit_test(generated_opencl_gives_the_cells_of_the_library),
        cmocka_unit_test(generated_opencl_compiles),
        cmocka_unit_test(generated_cuda_compiles),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
