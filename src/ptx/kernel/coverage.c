/* coverage.c - see coverage.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include "ptx/kernel/coverage.h"

#include <string.h>

#include "ptx/kernel/ptx_file.h"

static const char *const supports[] = {
    [WL_PTX_EXACT] = "exact", [WL_PTX_COUNTED] = "counted", [WL_PTX_IGNORED] = "ignored"};

static void count_instruction(wl_coverage *c, const wl_ptx_instruction *in)
{
    c->all++;
    c->count[in->op][wl_ptx_class_of(in)]++;
    if (in->op == WL_PTX_OP_unknown)
        c->unknown++;
    else if (in->partial)
        c->partial++;
    else
        c->by_support[wl_ptx_op_info_of(in->op)->support]++;
}

void wl_coverage_count(const wl_ptx *ptx, wl_coverage *c)
{
    *c = (wl_coverage){.module = ptx->module};
    for (int32_t i = 0; i < c->module->function_count; i++) {
        const wl_ptx_function *f = &c->module->functions[i];
        if (f->is_declared_only)
            continue;
        c->entries += f->is_entry;
        c->functions += !f->is_entry;
        for (int32_t k = 0; k < f->instruction_count; k++)
            count_instruction(c, &f->instructions[k]);
    }
}

const char *wl_coverage_support(wl_ptx_op op)
{
    return op == WL_PTX_OP_unknown ? "unknown" : supports[wl_ptx_op_info_of(op)->support];
}

int wl_coverage_name_length(wl_ptx_op op) { return (int)strcspn(wl_coverage_name(op), " "); }

const char *wl_coverage_name(wl_ptx_op op)
{
    return op == WL_PTX_OP_unknown ? "(unknown)" : wl_ptx_op_info_of(op)->mnemonic;
}
