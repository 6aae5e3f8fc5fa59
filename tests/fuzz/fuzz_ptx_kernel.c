/* fuzz_ptx_kernel.c - PTX texts as kernels: recovery, emulation, the kernel file they become, and
 * its prediction.
 *
 * The first entry of the text is called with arguments made up from the types of its parameters.
 * Block, grid and numbers come from a comment in the first line, "//" and digits, so that the input
 * stays PTX.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "ptx/kernel/ptx_file.h"
#include "warpline/ptx.h"

#define PARAMS_MAX 16
#define ARG_LENGTH 200
#define BUDGET 5000 /* warp instructions of a block */

/* Digit i of the first line; 0 where it has no more. */
static int digit(const uint8_t *data, size_t size, size_t i)
{
    size_t at = 2;
    if (size < 2 || data[0] != '/' || data[1] != '/')
        return 0;
    for (; at < size && data[at] != '\n'; at++)
        if (data[at] >= '0' && data[at] <= '9' && i-- == 0)
            return data[at] - '0';
    return 0;
}

static wl_launch launch_of(const uint8_t *data, size_t size)
{
    static const int64_t blocks[10] = {32, 64, 1, 7, 48, 96, 128, 16, 33, 8},
                         grids[10] = {4, 1, 2, 3, 5, 8, 17, 40, 1000, 1 << 20};
    wl_launch launch = {.block = {blocks[digit(data, size, 0)], 1 + digit(data, size, 1) % 4, 1},
                        .grid = {grids[digit(data, size, 2)], 1 + digit(data, size, 3), 1 + digit(data, size, 4) % 3}};
    if (digit(data, size, 1) >= 8)
        launch.block[2] = 2;
    return launch;
}

static const char *value_of(const char *type, int choice)
{
    static const char *const buffers[10] = {"buf:64K",
                                            "buf:64K=random:u32:0..999",
                                            "buf:64K=zero",
                                            "buf:4K",
                                            "buf:64K=iota:u32",
                                            "buf:16",
                                            "buf:1G",
                                            "0",
                                            "tex:64x64:f32:linear=iota:f32",
                                            "surf:32x32:u32=iota"},
                             *const numbers[10] = {"256",   "1",          "0",  "-1", "1000",
                                                   "65536", "2147483647", "32", "7",  "3"},
                             *const maps[10] = {"tensormap:f32:64x64:8x8",
                                                "tensormap:u8:256:128",
                                                "tensormap:f16:64x9x9x4:8x16:corners=-1x-1..-1x-1",
                                                "tensormap:f16:128x64:64x8:swizzle=128",
                                                "tensormap:bf16:1000x70:8x70:pitch=4096",
                                                "tensormap:f32:64x64:8x8:step=2x1",
                                                "tensormap:u8:32x16x4:16x4x2:interleave=16",
                                                "tensormap:f64:8x8x8x8x8:2x2x2x2x2",
                                                "tensormap:f32:4x1:4x1:fill=nan",
                                                "buf:4K"};
    if (strcmp(type, "u64") == 0 || strcmp(type, "b64") == 0 || strcmp(type, "s64") == 0)
        return buffers[choice];
    if (strcmp(type, "b8") == 0)
        return maps[choice];
    if (type[0] == 'f' || type[0] == 'b')
        return type[0] == 'f' ? "1.5" : "3";
    return choice == 3 && type[0] == 'u' ? "9" : numbers[choice];
}

/* What is shown must be a kernel file. */
static void check_file(const wl_kernel *kernel)
{
    wl_error err = {0};
    char *yaml = NULL;
    wl_kernel *again = NULL;
    REQUIRE(wl_kernel_show(kernel, &yaml, &err) == WL_OK);
    const wl_status status = wl_kernel_parse("shown.yaml", yaml, strlen(yaml), NULL, &again, &err);
    if (status != WL_OK)
        fprintf(stderr, "%s:%d: %s\n", yaml, (int)err.loc.line, err.message);
    REQUIRE(status == WL_OK);
    wl_kernel_free(again);
    free(yaml);
}

/* Small enough for milliseconds: accesses, steps of loops, cells. */
static bool is_small(const wl_kernel *k, const wl_launch *launch)
{
    double steps = 1, cells = 1;
    for (int i = 0; i < k->loop_count; i++)
        steps *= (double)k->loop_extent[i];
    for (int d = 0; d < 3; d++)
        cells *= (double)(launch->grid[d] * launch->block[d]);
    return k->access_count <= 32 && steps <= STEPS_MAX && cells * steps <= OPAQUE_CELLS;
}

static void make_kernel(const wl_ptx *ptx, const uint8_t *data, size_t size)
{
    static wl_device *h200, *a100;
    const size_t count = wl_ptx_param_count(ptx, 0);
    const char *args[PARAMS_MAX];
    if (count > PARAMS_MAX)
        return;
    for (size_t i = 0; i < count; i++)
        args[i] = value_of(wl_ptx_param_type(ptx, 0, i), digit(data, size, 6 + i));
    const wl_launch launch = launch_of(data, size);
    const wl_ptx_options options = {.entry = wl_ptx_entry_name(ptx, 0),
                                    .args = args,
                                    .arg_count = count,
                                    .launch = launch,
                                    .dynamic_shared = 512 * (digit(data, size, 5) % 5),
                                    .cluster = {digit(data, size, 5) < 5 ? 0 : 1 + digit(data, size, 2) % 2},
                                    .outside = digit(data, size, 4) >= 5,
                                    .budget = BUDGET};
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    const wl_status status = wl_kernel_from_ptx(ptx, &options, &kernel, &err);
    fuzz_check_outcome(status, kernel, &err);
    if (status != WL_OK && status != WL_E_RANGE) {
        if (strncmp(err.message, "the recovered kernel", 20) == 0)
            fprintf(stderr, "%s\n", err.message);
        REQUIRE(strncmp(err.message, "the recovered kernel", 20) != 0);
    }
    if (status != WL_OK)
        return;
    check_file(kernel);
    if (is_small(kernel, &launch)) {
        fuzz_predict(kernel, fuzz_device("h200", &h200), &launch);
        fuzz_predict(kernel, fuzz_device("a100-40gb", &a100), &launch);
    }
    wl_kernel_free(kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    const wl_status status = wl_ptx_parse("fuzz.ptx", (const char *)data, size, &ptx, &err);
    fuzz_check_outcome(status, ptx, &err);
    if (status != WL_OK)
        return 0;
    if (wl_ptx_entry_count(ptx) > 0)
        make_kernel(ptx, data, size);
    wl_ptx_free(ptx);
    return 0;
}
