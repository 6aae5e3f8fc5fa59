/* kernel_resources.c - registers, shared memory and instructions of a kernel file.
 * SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "base/fail.h"
#include "input/kernel_numbers.h"

static wl_status read_resources(wl_kernel_builder *b)
{
    const wl_yaml *registers = wl_yaml_get(b->root, "registers"), *shared = wl_yaml_get(b->root, "shared_bytes");
    const wl_yaml *instructions = wl_yaml_get(b->root, "instructions"), *barriers = wl_yaml_get(b->root, "barriers"),
                  *guarded = wl_yaml_get(b->root, "guarded_cells");
    if (registers) {
        WL_TRY(wl_kernel_bounded(b, registers, "registers", 1, 1024, &b->kernel->registers));
        b->kernel->has_registers = true;
    }
    if (shared)
        WL_TRY(wl_kernel_bounded(b, shared, "shared_bytes", 0, (int64_t)1 << 30, &b->kernel->shared_bytes));
    if (guarded)
        WL_TRY(wl_kernel_yes_or_no(b, guarded, "guarded_cells", &b->kernel->guarded_cells));
    int64_t count = 0;
    if (instructions) {
        WL_TRY(wl_kernel_bounded(b, instructions, "instructions", 1, (int64_t)1 << 40, &count));
        b->kernel->instructions = (double)count;
    }
    if (barriers) {
        WL_TRY(wl_kernel_bounded(b, barriers, "barriers", 0, (int64_t)1 << 20, &count));
        b->kernel->barriers = (double)count;
    }
    return WL_OK;
}

/* Flops of matrix products by kind, per work item. */
static wl_status read_tensor(wl_kernel_builder *b, const char *key, double *flops)
{
    static const char *const kinds[] = {
#define WL_TENSOR_KIND(name, meaning) #name,
#include "warpline/tensor.def"
    };
    const wl_yaml *map = wl_yaml_get(b->root, key);
    if (!map)
        return WL_OK;
    WL_TRY(wl_yaml_expect(map, WL_YAML_MAP, key, b->err));
    WL_TRY(wl_yaml_known_keys(map, kinds, WL_TENSOR_KIND_COUNT, key, b->err));
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++) {
        const wl_yaml *node = wl_yaml_get(map, kinds[k]);
        if (node)
            WL_TRY(wl_kernel_amount(b, node, kinds[k], &flops[k]));
    }
    return WL_OK;
}

/* Matrix products; those of warp groups (wgmma) are part of the total. */
static wl_status read_tensors(wl_kernel_builder *b)
{
    wl_kernel *k = b->kernel;
    WL_TRY(read_tensor(b, "tensor", k->tensor));
    WL_TRY(read_tensor(b, "tensor_groups", k->tensor_groups));
    for (int i = 0; i < WL_TENSOR_KIND_COUNT; i++)
        if (k->tensor_groups[i] > k->tensor[i])
            return wl_fail(b->err, WL_E_INPUT, wl_yaml_get(b->root, "tensor_groups")->loc,
                           "'tensor_groups' is a part of 'tensor': it cannot have more %s flops",
                           wl_tensor_kind_name((wl_tensor_kind)i));
    return WL_OK;
}

/* Instructions by class. Their sum is the kernel's `instructions` unless that is given. */
static wl_status read_mix(wl_kernel_builder *b)
{
    static const char *const classes[] = {
#define WL_INST_CLASS(name, meaning) #name,
#include "warpline/classes.def"
    };
    const wl_yaml *mix = wl_yaml_get(b->root, "mix"), *idle = wl_yaml_get(b->root, "idle_instructions");
    wl_kernel *k = b->kernel;
    const wl_yaml *shuffles = wl_yaml_get(b->root, "shuffles");
    if (idle)
        WL_TRY(wl_kernel_amount(b, idle, "idle_instructions", &k->idle_instructions));
    if (shuffles)
        WL_TRY(wl_kernel_amount(b, shuffles, "shuffles", &k->shuffles));
    if (!mix)
        return WL_OK;
    WL_TRY(wl_yaml_expect(mix, WL_YAML_MAP, "mix", b->err));
    WL_TRY(wl_yaml_known_keys(mix, classes, WL_INST_CLASS_COUNT, "a mix of instructions", b->err));
    double sum = 0;
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        const wl_yaml *node = wl_yaml_get(mix, classes[c]);
        if (node)
            WL_TRY(wl_kernel_amount(b, node, classes[c], &k->mix[c]));
        sum += k->mix[c];
    }
    if (sum <= 0)
        return wl_fail(b->err, WL_E_INPUT, mix->loc, "mix has no instructions");
    k->has_mix = true;
    k->instructions = k->instructions > 0 ? k->instructions : sum;
    return WL_OK;
}

wl_status wl_kernel_read_resources(wl_kernel_builder *b)
{
    WL_TRY(read_resources(b));
    WL_TRY(read_mix(b));
    return read_tensors(b);
}
