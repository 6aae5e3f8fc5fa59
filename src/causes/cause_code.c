/* cause_code.c - causes in the instruction stream: divergent branches, local memory, atomics on
 * shared memory that are loops.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "causes/answers.h"
#include "causes/inquiry.h"

/* ---- divergence ---- */

/* The line whose inactive lanes cost most instructions. */
static wl_status find_line(wl_inquiry *q, wl_cause *c, wl_error *err)
{
    const wl_source *source = &q->kernel->source;
    wl_mix mix;
    const wl_line_mix *lines = NULL;
    size_t count = 0;
    double most = 0;
    WL_TRY(source->count_instructions(source->context, q->now.launch.block, q->now.launch.grid, &mix, &lines, &count,
                                      err));
    for (size_t i = 0; i < count; i++) {
        const double idle = lines[i].warp - lines[i].thread / q->lanes;
        if (idle <= most)
            continue;
        most = idle;
        c->file = lines[i].file;
        c->line = lines[i].line;
    }
    if (c->file)
        c->file = wl_arena_text(q->arena, c->file, strlen(c->file));
    return most > 0 && !c->file ? wl_fail_memory(err) : WL_OK;
}

wl_status wl_cause_divergence(wl_inquiry *q, wl_error *err)
{
    const wl_mix *mix = &q->now.mix;
    const double warp = wl_inst_total(mix->warp), lanes = warp > 0 ? wl_inst_total(mix->thread) / warp : 0;
    char text[160];
    wl_kernel *variant = NULL;
    wl_tried best = {0};
    bool better;
    if (!q->can_vary || !q->kernel->source.count_instructions || !(mix->divergent > 0) || !(lanes < q->lanes))
        return WL_OK;
    WL_TRY(wl_variant_make(q, &variant, err));
    wl_answers *answers = wl_answers_of(&variant->source);
    answers->lanes = q->lanes;
    answers->instructions = lanes / q->lanes;
    WL_TRY(wl_try_variant(q, variant, &q->launch, &best, &better, err));
    (void)wl_print(text, sizeof text, "%.2g %% of branches diverge: %.1f of %.0f lanes active",
                   100 * mix->divergent / mix->branches, lanes, q->lanes);
    const size_t before = q->count;
    WL_TRY(
        wl_blame(q, WL_CAUSE_DIVERGENCE, WL_NO_ACCESS, &best, text, "all lanes of a warp take the same branch", err));
    return q->count > before ? find_line(q, &q->causes[before], err) : WL_OK;
}

/* ---- local memory ---- */

wl_status wl_cause_local(wl_inquiry *q, wl_error *err)
{
    const wl_value *loads = &q->now.metrics[WL_METRIC_inst_local_ld],
                   *stores = &q->now.metrics[WL_METRIC_inst_local_st];
    const wl_value *executed = &q->now.metrics[WL_METRIC_inst_executed];
    char text[160];
    wl_kernel *variant = NULL;
    wl_tried best = {0};
    bool better;
    if (!q->can_vary || !q->kernel->source.visit_local || !loads->known || !executed->known)
        return WL_OK;
    WL_TRY(wl_variant_make(q, &variant, err));
    variant->source.visit_local = NULL;
    WL_TRY(wl_try_variant(q, variant, &q->launch, &best, &better, err));
    (void)wl_print(text, sizeof text, "local memory: %.2g %% of all instructions load or store it",
                   100 * (loads->value + (stores->known ? stores->value : 0)) / executed->value);
    return wl_blame(q, WL_CAUSE_LOCAL, WL_NO_ACCESS, &best, text, "arrays in registers", err);
}

/* ---- loops of compare-and-swap ---- */

wl_status wl_cause_swaps(wl_inquiry *q, wl_error *err)
{
    size_t worst = WL_NO_ACCESS;
    char text[160];
    wl_kernel *variant = NULL;
    wl_tried best = {0};
    bool better;
    for (size_t a = 0; a < q->kernel->access_count; a++)
        if (q->kernel->accesses[a].swaps && (worst == WL_NO_ACCESS || q->costs[a].hit > q->costs[worst].hit))
            worst = a;
    if (!q->can_vary || worst == WL_NO_ACCESS || !(q->costs[worst].inst > 0))
        return WL_OK;
    WL_TRY(wl_variant_make(q, &variant, err));
    for (size_t a = 0; a < variant->access_count; a++)
        variant->accesses[a].swaps = false;
    WL_TRY(wl_try_variant(q, variant, &q->launch, &best, &better, err));
    const double passes = q->costs[worst].hit / q->costs[worst].inst;
    (void)wl_print(text, sizeof text,
                   "an atomic on shared memory is a loop of compare-and-swap, %.1f passes for a warp that is alone",
                   passes);
    return wl_blame(q, WL_CAUSE_ATOMICS, worst, &best, text,
                    passes > q->lanes ? "one atomic for each warp" : "32-bit integers, which need no loop", err);
}
