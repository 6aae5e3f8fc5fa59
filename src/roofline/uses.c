/* uses.c - what a launch uses of each resource. SPDX-License-Identifier: MIT */

#include "base/print.h"
#include "base/units.h"
#include "roofline/roofline_internal.h"

static double value_or_0(const wl_tallies *t, wl_tally tally) { return t->known[tally] ? t->value[tally] : 0; }

bool wl_level_transactions(const wl_tallies *t, const wl_ceilings *c, wl_level level, double *out)
{
    const double passes = value_or_0(t, WL_TALLY_shared_transactions) * c->pass_bytes / WL_TRANSACTION;
    switch (level) {
    case WL_LEVEL_L1:
        *out = value_or_0(t, WL_TALLY_global_transactions) + value_or_0(t, WL_TALLY_local_transactions) +
               value_or_0(t, WL_TALLY_texture_transactions) + (c->shared_in_l1 ? passes : 0);
        return t->known[WL_TALLY_global_transactions];
    case WL_LEVEL_L2: *out = value_or_0(t, WL_TALLY_l2_transactions); return t->known[WL_TALLY_l2_transactions];
    case WL_LEVEL_DRAM: *out = value_or_0(t, WL_TALLY_dram_transactions); return t->known[WL_TALLY_dram_transactions];
    default: *out = passes; return t->known[WL_TALLY_shared_transactions];
    }
}

static const wl_tally amounts[WL_PIPE_COUNT] = {
    [WL_PIPE_F16] = WL_TALLY_flops_f16,
    [WL_PIPE_F32] = WL_TALLY_flops_f32,
    [WL_PIPE_F64] = WL_TALLY_flops_f64,
    [WL_PIPE_TENSOR_F16] = WL_TALLY_tensor_f16,
    [WL_PIPE_TENSOR_TF32] = WL_TALLY_tensor_tf32,
    [WL_PIPE_TENSOR_I8] = WL_TALLY_tensor_i8,
    [WL_PIPE_TENSOR_F64] = WL_TALLY_tensor_f64,
    [WL_PIPE_ISSUE] = WL_TALLY_inst,
    [WL_PIPE_TENSOR_INSTRUCTION] = WL_TALLY_inst_tensor,
};

bool wl_pipe_amount(const wl_tallies *t, wl_pipe pipe, double *out)
{
    *out = value_or_0(t, amounts[pipe]);
    return t->known[amounts[pipe]];
}

bool wl_fused_share(const wl_tallies *t, wl_pipe pipe, double *out)
{
    static const wl_tally fused[] = {WL_TALLY_fma_f16, WL_TALLY_fma_f32, WL_TALLY_fma_f64};
    double flops;
    if (pipe > WL_PIPE_F64 || !t->known[fused[pipe]] || !wl_pipe_amount(t, pipe, &flops) || !(flops > 0))
        return false;
    *out = t->value[fused[pipe]] / flops;
    return true;
}

bool wl_all_flops(const wl_tallies *t, double *out)
{
    bool any = false;
    *out = 0;
    for (int p = 0; p <= WL_PIPE_TENSOR_F64; p++) {
        double flops;
        if (!wl_pipe_amount(t, (wl_pipe)p, &flops))
            continue;
        *out += flops;
        any = true;
    }
    return any;
}

/* A pipe takes as long for a product or a sum as for a fused multiply-add: results, not flops, take
 * its time. */
static double busy_of(const wl_tallies *t, const wl_use *use)
{
    double fused;
    return !use->is_level && wl_fused_share(t, use->pipe, &fused) ? use->share * (2 - fused) : use->share;
}

static void add_use(const wl_tallies *t, wl_use use, double amount, wl_use *out, int *count)
{
    const double time = t->value[WL_TALLY_time];
    if (!(amount > 0) || !(use.peak > 0))
        return;
    use.rate = amount / time;
    use.share = use.rate / use.peak;
    use.busy = busy_of(t, &use);
    out[(*count)++] = use;
}

int wl_uses(const wl_tallies *t, const wl_ceilings *c, wl_use out[WL_USES_MAX])
{
    static const wl_level order[] = {WL_LEVEL_DRAM, WL_LEVEL_L2, WL_LEVEL_L1, WL_LEVEL_SHARED};
    int count = 0;
    double amount;
    if (!t->known[WL_TALLY_time] || !(t->value[WL_TALLY_time] > 0))
        return 0;
    for (int i = 0; i < WL_LEVEL_COUNT; i++)
        if (wl_level_transactions(t, c, order[i], &amount))
            add_use(t, (wl_use){.is_level = true, .level = order[i], .peak = c->bandwidth[order[i]]},
                    amount * WL_TRANSACTION, out, &count);
    for (int p = 0; p < WL_PIPE_COUNT; p++)
        if (wl_pipe_amount(t, (wl_pipe)p, &amount))
            add_use(t, (wl_use){.pipe = (wl_pipe)p, .peak = c->peak[p]}, amount, out, &count);
    return count;
}

const char *wl_use_name(const wl_use *use)
{
    return use->is_level ? wl_level_name(use->level) : wl_pipe_name(use->pipe);
}

void wl_use_text(const wl_use *use, double rate, char *text, size_t size)
{
    if (use->is_level)
        wl_print(text, size, "%s", wl_quantity(WL_DIM_BANDWIDTH, rate).text);
    else
        wl_print(text, size, "%s%s", wl_scaled(rate).text, use->pipe >= WL_PIPE_ISSUE ? "IPS" : "FLOP/s");
}

bool wl_use_shows(const wl_use *use, const wl_ceilings *ceilings)
{
    return use->is_level ? use->level != WL_LEVEL_SHARED || !ceilings->shared_in_l1
                         : use->pipe != WL_PIPE_TENSOR_INSTRUCTION;
}
