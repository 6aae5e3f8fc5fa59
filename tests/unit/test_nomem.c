/* test_nomem.c - memory that runs out: the parsers, with the arena failing at its first, second,
 * ... object.
 *
 * This file brings its own copy of the arena, with a calloc that fails on demand; the linker then
 * leaves the library's arena out. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>

#include "warpline/compare.h"
#include "warpline/device.h"
#include "warpline/kernel.h"
#include "warpline/ptx.h"
#include "warpline/rank.h"

static int64_t allocations_left = -1; /* negative: no limit */

static void *limited_calloc(size_t count, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    return calloc(count, size);
}

#define CHUNK_BYTES 0 /* every object is an allocation */
#define calloc(count, size) limited_calloc(count, size)
#include "base/arena.c"
#undef calloc

static wl_status parse_kernel(const char *name, wl_error *err)
{
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(name, &length);
    wl_kernel *kernel = NULL;
    const wl_status status = wl_kernel_parse(name, text, length, NULL, &kernel, err);
    wl_kernel_free(kernel);
    return status;
}

static wl_status parse_device(const char *name, wl_error *err)
{
    wl_device *device = NULL;
    const wl_status status = wl_device_builtin(name, &device, err);
    wl_device_free(device);
    return status;
}

static wl_status parse_update(const char *update, wl_error *err)
{
    wl_kernel *kernel = NULL;
    const wl_status status = wl_kernel_from_update(update, "64x64", "f32", &kernel, err);
    wl_kernel_free(kernel);
    return status;
}

/* Room for the kernel itself; its variant is what fails. */
static wl_status vary_kernel(const char *name, wl_error *err)
{
    const int64_t left = allocations_left;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(name, &length);
    const char *sets[] = {"nx=64"};
    wl_kernel *kernel = NULL, *variant = NULL;
    allocations_left = -1;
    wl_status status = wl_kernel_parse(name, text, length, &(wl_kernel_options){sets, 1}, &kernel, err);
    allocations_left = left;
    if (status == WL_OK)
        status = wl_kernel_with_layout(kernel, &(wl_layout){.row_padding = 32}, &variant, err);
    wl_kernel_free(variant);
    wl_kernel_free(kernel);
    return status;
}

static wl_status parse_table(const char *text, wl_error *err)
{
    wl_table *table = NULL;
    const wl_status status = wl_table_parse("table", text, strlen(text), &table, err);
    wl_table_free(table);
    return status;
}

static wl_status parse_map(const char *text, wl_error *err)
{
    wl_map *map = NULL;
    const wl_status status = wl_map_parse("map", text, strlen(text), &map, err);
    wl_map_free(map);
    return status;
}

static wl_status parse_space(const char *text, wl_error *err)
{
    wl_space *space = NULL;
    wl_status status = wl_space_new(&space, err);
    if (status == WL_OK)
        status = wl_space_read(space, "space", text, strlen(text), err);
    wl_space_free(space);
    return status;
}

static wl_status parse_registers(const char *text, wl_error *err)
{
    wl_space *space = NULL;
    wl_status status = wl_space_new(&space, err);
    if (status == WL_OK)
        status = wl_space_read_registers(space, "registers", text, strlen(text), err);
    wl_space_free(space);
    return status;
}

/* Kernel, device and space have what they need; the ranker does not. */
static wl_status make_ranker(const char *conditions, wl_error *err)
{
    const int64_t left = allocations_left;
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_space *space = NULL;
    wl_ranker *ranker = NULL;
    const wl_rank_options options = {.threads = 2};
    allocations_left = -1;
    wl_status status = wl_kernel_from_update("dst[0,0] = src[1,0]", "64x64", "f32", &kernel, err);
    if (status == WL_OK)
        status = wl_device_builtin("h200", &device, err);
    if (status == WL_OK)
        status = wl_space_new(&space, err);
    if (status == WL_OK)
        status = wl_space_set(space, "where", conditions, err);
    allocations_left = left;
    if (status == WL_OK)
        status = wl_ranker_new(kernel, device, space, &options, &ranker, err);
    wl_ranker_free(ranker);
    wl_space_free(space);
    wl_device_free(device);
    wl_kernel_free(kernel);
    return status;
}

#define PTX_HEAD                                                                                                       \
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"              \
    ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\nld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\n"        \
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, 32, %r2;\nsetp.ge.s32 %p1, %r4, %r1;\n"        \
    "@%p1 bra END;\nmul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
#define PTX_TAIL "END:\nret;\n}\n"

static wl_status make_from_ptx(const char *body, wl_error *err)
{
    static const char *const args[] = {"buf:64K", "100"};
    const wl_ptx_options options = {
        .args = args, .arg_count = 2, .launch = {.block = {32, 1, 1}, .grid = {4, 1, 1}}, .budget = 1000};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    wl_status status = wl_ptx_parse("k.ptx", body, strlen(body), &ptx, err);
    if (status == WL_OK)
        status = wl_kernel_from_ptx(ptx, &options, &kernel, err);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    return status;
}

static const struct {
    const char *name;
    wl_status (*parse)(const char *name, wl_error *err);
} walks[] = {
    {"triad", parse_kernel},
    {"vec3", parse_kernel},
    {"matmul", parse_kernel},
    {"blur3x3", parse_kernel},
    {"star2d_5pt", vary_kernel},
    {"v100", parse_device},
    {"dst[0,0] = (src[1,0] + src[-1,0])/4", parse_update},
    {"family,variant,bx,by,bz,inst\na,b,0,1,1,5\na,b,8,1,1,5\n", parse_table},
    {"ID,Kernel Name,Block Size,smsp__inst_executed.sum\n,,,inst\n0,f(int),\"(1,1,1)\",5\n", parse_table},
    {"- {family: a, kernel: b, set: {n: 1, m: 2}}\n", parse_map},
    {"block.x: [32, 64..128:32]\nfold: 1x2,1x1\nwhere: [threads > 1, warps < 9]\nregisters: {1x1: 32}\n", parse_space},
    {"1x1x1: 32\n1x2x1: 40\n", parse_registers},
    {"block.x * block.y <= 512 && fold.z == 1", make_ranker},
    {PTX_HEAD "mov.u32 %r5, 0;\nL:\nld.global.u32 %r6, [%rd3];\nadd.s64 %rd3, %rd3, 256;\nadd.s32 %r5, %r5, 1;\n"
              "setp.lt.s32 %p2, %r5, 6;\n@%p2 bra L;\nsetp.lt.s32 %p3, %r2, 5;\n@%p3 bra M;\nmov.u32 %r5, 9;\nM:\n"
              "div.u32 %r7, %r4, 7;\nxor.b32 %r7, %r7, %r5;\nmul.wide.u32 %rd2, %r7, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
              "@%p3 st.global.u32 [%rd3], %r5;\n" PTX_TAIL,
     make_from_ptx},
    {PTX_HEAD
     "ld.global.u32 %r5, [%rd3];\nsetp.eq.s32 %p2, %r5, 0;\n@%p2 bra M;\nand.b32 %r5, %r5, 63;\n"
     "mul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\nM:\natom.global.add.u32 %r6, [%rd3], 1;\n" PTX_TAIL,
     make_from_ptx},
};

static void test_walk(void **state)
{
    enum { OBJECTS_MAX = 5000 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(walks); i++) {
        int64_t objects = 0;
        wl_status status = WL_E_NOMEM;
        for (; objects < OBJECTS_MAX && status != WL_OK; objects++) {
            wl_error err = {0};
            allocations_left = objects;
            status = walks[i].parse(walks[i].name, &err);
            allocations_left = -1;
            if (status == WL_OK)
                break;
            check_int(walks[i].name, "status", status, WL_E_NOMEM);
            check_int(walks[i].name, "code of the error", err.code, WL_E_NOMEM);
            check_true(walks[i].name, "message", strstr(err.message, "out of memory") != NULL);
        }
        check_int(walks[i].name, "status with enough memory", status, WL_OK);
        check_true(walks[i].name, "the arena was used", objects > 5);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
