/* executions.c - see executions.h. SPDX-License-Identifier: MIT */
#include "metrics/executions.h"

#include <string.h>

#include "metrics/spread.h"

static int64_t block_stride(const wl_executions *e, int d)
{
    return wl_block_stride(&e->group->linear, e->geometry, d);
}

static int64_t loop_stride(const wl_executions *e, int loop) { return e->group->linear.stride[WL_AXIS_LOOP + loop]; }

/* An access that does not name a loop is executed once. */
static bool in_loop(const wl_executions *e, int loop) { return e->group->loops >> loop & 1; }

bool wl_executions_positions(const wl_executions *e, int64_t period, wl_residues *out)
{
    const wl_pattern *p = e->pattern;
    int64_t strides[3 + WL_LOOPS_MAX + WL_WARPS_MAX];
    int n = 0;
    for (int d = 0; d < 3; d++)
        strides[n++] = block_stride(e, d);
    for (int i = 0; i < e->kernel->loop_count; i++)
        strides[n++] = loop_stride(e, i);
    for (int w = 0; w < p->warps; w++)
        strides[n++] = p->start[w];
    wl_residues here, next;
    if (!wl_residues_start(0, period, strides, n, &here))
        return false;
    for (int d = 0; d < 3; d++) {
        wl_residues_move(&here, block_stride(e, d), e->blocks->first[d], e->blocks->count[d], &next);
        here = next;
    }
    for (int i = 0; i < e->kernel->loop_count; i++) {
        if (!in_loop(e, i))
            continue;
        wl_residues_move(&here, loop_stride(e, i), 0, e->kernel->loop_extent[i], &next);
        here = next;
    }
    *out = here;
    if (here.count == 1) { /* all warps start at a multiple of the period */
        out->weight[0] *= p->warps;
        return true;
    }
    memset(out->weight, 0, (size_t)out->count * sizeof *out->weight);
    for (int w = 0; w < p->warps; w++) {
        wl_residues_move(&here, p->start[w], 1, 1, &next);
        for (int i = 0; i < out->count; i++)
            out->weight[i] += next.weight[i];
    }
    return true;
}

int64_t wl_executions_nth(const wl_executions *e, int64_t i)
{
    int64_t address = e->pattern->start[i % e->pattern->warps];
    i /= e->pattern->warps;
    for (int l = 0; l < e->kernel->loop_count; l++) {
        if (!in_loop(e, l))
            continue;
        address += i % e->kernel->loop_extent[l] * loop_stride(e, l);
        i /= e->kernel->loop_extent[l];
    }
    for (int d = 0; d < 3; d++) {
        address += (e->blocks->first[d] + i % e->blocks->count[d]) * block_stride(e, d);
        i /= e->blocks->count[d];
    }
    return address;
}

int64_t wl_executions_spread(const wl_executions *e, uint64_t i)
{
    int64_t address = e->pattern->start[wl_spread_below(i, 3, e->pattern->warps)];
    for (int d = 0; d < 3; d++)
        address += (e->blocks->first[d] + wl_spread_below(i, d, e->blocks->count[d])) * block_stride(e, d);
    for (int l = 0; l < e->kernel->loop_count; l++)
        address += wl_spread_below(i + (uint64_t)l * 977, 4, e->kernel->loop_extent[l]) * loop_stride(e, l);
    return address;
}
