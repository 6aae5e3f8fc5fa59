/* kernel_resources.c - registers, shared memory and instructions of a kernel file.
 * SPDX-License-Identifier: MIT */
#include "base/ckd.h"
#include "base/fail.h"
#include "input/kernel_numbers.h"

static wl_status read_resources(wl_kernel_builder *b)
{
    const wl_yaml *registers = wl_yaml_get(b->root, "registers"), *shared = wl_yaml_get(b->root, "shared_bytes");
    const wl_yaml *instructions = wl_yaml_get(b->root, "instructions"), *barriers = wl_yaml_get(b->root, "barriers"),
                  *guarded = wl_yaml_get(b->root, "guarded_cells"), *indices = wl_yaml_get(b->root, "thread_indices");
    if (registers) {
        WL_TRY(wl_kernel_bounded(b, registers, "registers", 1, 1024, &b->kernel->registers));
        b->kernel->has_registers = true;
    }
    if (shared)
        WL_TRY(wl_kernel_bounded(b, shared, "shared_bytes", 0, (int64_t)1 << 30, &b->kernel->shared_bytes));
    if (guarded)
        WL_TRY(wl_kernel_yes_or_no(b, guarded, "guarded_cells", &b->kernel->guarded_cells));
    int64_t count = 0;
    if (indices) {
        WL_TRY(wl_kernel_bounded(b, indices, "thread_indices", 0, 3, &count));
        b->kernel->coordinate_reads = (int)count;
        b->kernel->states_coordinate_reads = true;
    }
    if (instructions) {
        WL_TRY(wl_kernel_bounded(b, instructions, "instructions", 1, (int64_t)1 << 40, &count));
        b->kernel->instructions = (double)count;
    }
    if (barriers) {
        WL_TRY(wl_kernel_bounded(b, barriers, "barriers", 0, (int64_t)1 << 40, &count));
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

/* Instructions by class, and their sum. */
static wl_status read_classes(wl_kernel_builder *b, const wl_yaml *mix, const char *key, bool has_box,
                              double out[WL_INST_CLASS_COUNT], double *sum)
{
    static const char *const classes[] = {
#define WL_INST_CLASS(name, meaning) #name,
#include "warpline/classes.def"
        "within", "from"};
    *sum = 0;
    WL_TRY(wl_yaml_expect(mix, WL_YAML_MAP, key, b->err));
    WL_TRY(wl_yaml_known_keys(mix, classes, WL_INST_CLASS_COUNT + (has_box ? 2 : 0), "a mix of instructions", b->err));
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        const wl_yaml *node = wl_yaml_get(mix, classes[c]);
        if (node)
            WL_TRY(wl_kernel_amount(b, node, classes[c], &out[c]));
        *sum += out[c];
    }
    return WL_OK;
}

/* Up to three coordinates, 0 where not given. */
static wl_status read_corner(wl_kernel_builder *b, const wl_yaml *node, const char *key, int64_t out[3])
{
    int d = 0;
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, key, b->err));
    if (node->count > 3)
        return wl_fail(b->err, WL_E_INPUT, node->loc, "'%s' has at most 3 coordinates", key);
    for (const wl_yaml *e = node->first; e; e = e->next)
        WL_TRY(wl_kernel_bounded(b, e, key, 0, WL_ADDRESS_LIMIT, &out[d++]));
    return WL_OK;
}

/* Kernels with several early exits: the first entry is what every thread outside the domain
 * executes; each other entry, what threads inside a larger box execute in addition. */
static wl_status read_stages(wl_kernel_builder *b, const wl_yaml *list)
{
    wl_kernel *k = b->kernel;
    double sum = 0;
    if (list->count < 1 || list->count > WL_IDLE_STAGES_MAX + 1)
        return wl_fail(b->err, WL_E_INPUT, list->loc, "idle_instructions has 1 to %d entries", WL_IDLE_STAGES_MAX + 1);
    WL_TRY(read_classes(b, list->first, "idle_instructions", false, k->idle_mix, &k->idle_instructions));
    for (const wl_yaml *e = list->first->next; e; e = e->next) {
        wl_idle_stage *s = &k->idle_stages[k->idle_stage_count++];
        WL_TRY(read_classes(b, e, "idle_instructions", true, s->mix, &sum));
        WL_TRY(read_corner(b, wl_yaml_get(e, "within"), "within", s->end));
        WL_TRY(read_corner(b, wl_yaml_get(e, "from"), "from", s->first));
    }
    return WL_OK;
}

/* Instructions of a thread outside the domain: by class, or a number. Before such a thread exits,
 * it executes mostly index arithmetic. */
static wl_status read_idle(wl_kernel_builder *b)
{
    const wl_yaml *idle = wl_yaml_get(b->root, "idle_instructions");
    wl_kernel *k = b->kernel;
    if (!idle)
        return WL_OK;
    if (idle->kind == WL_YAML_LIST)
        return read_stages(b, idle);
    if (idle->kind == WL_YAML_MAP)
        return read_classes(b, idle, "idle_instructions", false, k->idle_mix, &k->idle_instructions);
    WL_TRY(wl_kernel_amount(b, idle, "idle_instructions", &k->idle_instructions));
    k->idle_mix[WL_INST_int] = k->idle_instructions;
    return WL_OK;
}

/* Instructions of one class of the mix, by kind. */
static wl_status read_kinds(wl_kernel_builder *b, const char *name, const char *const *kinds, int count, double *out)
{
    const wl_yaml *map = wl_yaml_get(b->root, name);
    if (!map)
        return WL_OK;
    WL_TRY(wl_yaml_expect(map, WL_YAML_MAP, name, b->err));
    WL_TRY(wl_yaml_known_keys(map, kinds, (size_t)count, name, b->err));
    for (int c = 0; c < count; c++)
        if (wl_yaml_get(map, kinds[c]))
            WL_TRY(wl_kernel_amount(b, wl_yaml_get(map, kinds[c]), kinds[c], &out[c]));
    return WL_OK;
}

/* Accesses that warps execute, with an active lane or without; `idle`: in code that no lane
 * enters. */
static wl_status read_executed(wl_kernel_builder *b)
{
    static const char *const kinds[] = {"load",         "store",         "atomic", "shared_load",
                                        "shared_store", "shared_atomic", "idle"};
    static const wl_memory_op ops[] = {WL_MEMORY_LOAD,        WL_MEMORY_STORE,        WL_MEMORY_ATOMIC,
                                       WL_MEMORY_SHARED_LOAD, WL_MEMORY_SHARED_STORE, WL_MEMORY_SHARED_ATOMIC};
    enum { OPS = sizeof ops / sizeof ops[0] };
    double amounts[OPS + 1] = {0};
    b->kernel->has_memory = wl_yaml_get(b->root, "executed_accesses") != NULL;
    WL_TRY(read_kinds(b, "executed_accesses", kinds, OPS + 1, amounts));
    for (int i = 0; i < OPS; i++)
        b->kernel->memory[ops[i]] = amounts[i];
    b->kernel->idle_accesses = amounts[OPS];
    return WL_OK;
}

/* Unless `instructions` is given, it is the sum of the mix. */
static wl_status read_mix(wl_kernel_builder *b)
{
    static const char *const conversions[] = {
        [WL_CONVERT_INT] = "int", [WL_CONVERT_WIDE] = "wide", [WL_CONVERT_HALF] = "half"};
    static const char *const products[] = {[WL_MULTIPLY_NARROW] = "narrow", [WL_MULTIPLY_WIDE] = "wide"};
    const wl_yaml *mix = wl_yaml_get(b->root, "mix");
    wl_kernel *k = b->kernel;
    const wl_yaml *shuffles = wl_yaml_get(b->root, "shuffles"), *pipe = wl_yaml_get(b->root, "integer_pipe"),
                  *active = wl_yaml_get(b->root, "active_lanes");
    double sum = 0;
    WL_TRY(read_idle(b));
    if (shuffles)
        WL_TRY(wl_kernel_amount(b, shuffles, "shuffles", &k->shuffles));
    if (pipe)
        WL_TRY(wl_kernel_amount(b, pipe, "integer_pipe", &k->integer_pipe));
    WL_TRY(read_kinds(b, "conversions", conversions, WL_CONVERT_COUNT, k->converts));
    WL_TRY(read_kinds(b, "products", products, WL_MULTIPLY_COUNT, k->multiplies));
    k->has_multiplies = wl_yaml_get(b->root, "products") != NULL;
    if (!mix)
        return WL_OK;
    WL_TRY(read_classes(b, mix, "mix", false, k->mix, &sum));
    if (sum <= 0)
        return wl_fail(b->err, WL_E_INPUT, mix->loc, "mix has no instructions");
    if (active) {
        WL_TRY(wl_kernel_amount(b, active, "active_lanes", &k->active_lanes));
        if (k->active_lanes > 1)
            return wl_fail(b->err, WL_E_INPUT, active->loc, "'active_lanes' is a share of the lanes: at most 1");
    }
    k->has_mix = true;
    k->instructions = k->instructions > 0 ? k->instructions : sum;
    return WL_OK;
}

wl_status wl_kernel_read_resources(wl_kernel_builder *b)
{
    WL_TRY(read_resources(b));
    WL_TRY(read_mix(b));
    WL_TRY(read_executed(b));
    return read_tensors(b);
}
