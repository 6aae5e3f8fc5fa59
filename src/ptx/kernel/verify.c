/* verify.c - checks recovered addresses against emulated warps. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

#define BLOCKS 5 /* emulated, two warps of each */

typedef struct verifier {
    const wl_ptx_source *source;
    int64_t block[3];
    int warp;
    /* by instruction and direction: the next step that no warp has executed yet */
    size_t *next_step;
    const size_t *step_after; /* by step: the following one of the same instruction and direction */
    bool differs;
    int32_t where;
} verifier;

void wl_ptx_thread_values(const wl_ptx_launch *l, const int64_t block[3], int64_t thread, int64_t values[WL_VAR_COUNT])
{
    const int64_t index[3] = {thread % l->block[0], thread / l->block[0] % l->block[1],
                              thread / l->block[0] / l->block[1]};
    memset(values, 0, WL_VAR_COUNT * sizeof *values);
    for (int d = 0; d < 3; d++) {
        values[WL_VAR_THREAD_X + d] = index[d];
        values[WL_VAR_BLOCK_X + d] = block[d];
        values[WL_VAR_X + d] = block[d] * l->block[d] + index[d];
        values[WL_VAR_BLOCKDIM_X + d] = l->block[d];
        values[WL_VAR_GRIDDIM_X + d] = l->grid[d];
    }
}

bool wl_ptx_step_lanes(const wl_ptx_source *source, const wl_ptx_thread_access *step, const int64_t block[3], int warp,
                       uint32_t *lanes, uint64_t address[WL_PTX_LANES])
{
    const wl_ptx_launch *l = &source->launch;
    const wl_ptx_recovery *r = &source->recovery;
    const int64_t threads = l->block[0] * l->block[1] * l->block[2], first = (int64_t)warp * WL_PTX_LANES;
    *lanes = 0;
    for (int lane = 0; lane < WL_PTX_LANES && first + lane < threads; lane++) {
        int64_t values[WL_VAR_COUNT], holds = 1, value;
        bool inside = true;
        wl_ptx_thread_values(l, block, first + lane, values);
        for (int d = 0; d < 3; d++)
            inside =
                inside && values[WL_VAR_X + d] >= r->first[d] && (!r->domain[d] || values[WL_VAR_X + d] < r->domain[d]);
        if (!inside)
            continue;
        if (step->when && !wl_sym_eval(step->when, values, &holds))
            return false;
        if (!holds)
            continue;
        if (!wl_sym_eval(step->address, values, &value))
            return false;
        *lanes |= 1u << lane;
        address[lane] = (uint64_t)value;
    }
    return true;
}

static bool lanes_of(const verifier *v, const wl_ptx_thread_access *step, uint32_t *lanes,
                     uint64_t address[WL_PTX_LANES])
{
    return wl_ptx_step_lanes(v->source, step, v->block, v->warp, lanes, address);
}

static wl_status compare(void *user, const wl_ptx_touch *t, wl_error *err)
{
    verifier *v = user;
    const wl_ptx_recovery *r = &v->source->recovery;
    (void)err;
    if (v->differs || t->function != (int32_t)(v->source->launch.entry - v->source->launch.module->functions) ||
        r->traced[t->instruction] || (t->space != WL_PTX_GLOBAL && t->space != WL_PTX_SHARED) || !t->lanes)
        return WL_OK;
    size_t *at = &v->next_step[2 * (size_t)t->instruction + t->store];
    uint32_t lanes = 0;
    uint64_t address[WL_PTX_LANES];
    while (*at < r->step_count) {
        const wl_ptx_thread_access *step = &r->steps[*at];
        *at = v->step_after[*at];
        if (!lanes_of(v, step, &lanes, address))
            break;
        if (lanes)
            break;
    }
    bool same = lanes == t->lanes;
    for (uint32_t left = lanes; left && same; left &= left - 1)
        same = address[__builtin_ctz(left)] == t->address[__builtin_ctz(left)];
    if (!same) {
        v->differs = true;
        v->where = t->instruction;
    }
    return WL_OK;
}

/* Steps that the warp did not execute must have an empty lane mask. */
static void check_rest(verifier *v)
{
    const wl_ptx_recovery *r = &v->source->recovery;
    for (int32_t i = 0; i < v->source->launch.entry->instruction_count && !v->differs; i++)
        for (int store = 0; store < 2 && !r->traced[i]; store++)
            for (size_t at = v->next_step[2 * (size_t)i + (size_t)store]; at < r->step_count; at = v->step_after[at]) {
                uint32_t lanes;
                uint64_t address[WL_PTX_LANES];
                if (!lanes_of(v, &r->steps[at], &lanes, address) || lanes) {
                    v->differs = true;
                    v->where = i;
                    return;
                }
            }
}

wl_status wl_ptx_verify(const wl_ptx_source *source, bool *agrees, int32_t *where, wl_error *err)
{
    const wl_ptx_recovery *r = &source->recovery;
    const wl_ptx_launch *l = &source->launch;
    const size_t lists = 2 * (size_t)l->entry->instruction_count + 2;
    const int64_t blocks = l->grid[0] * l->grid[1] * l->grid[2],
                  warps = wl_ceil_div(l->block[0] * l->block[1] * l->block[2], WL_PTX_LANES);
    wl_arena arena = {0};
    *agrees = true;
    *where = -1;
    if (r->gave_up) /* recovery claims nothing */
        return WL_OK;
    size_t *first = WL_ARENA_NEW(&arena, size_t, lists), *after = WL_ARENA_NEW(&arena, size_t, r->step_count + 1);
    verifier v = {.source = source, .next_step = WL_ARENA_NEW(&arena, size_t, lists), .step_after = after};
    wl_status status = first && after && v.next_step ? WL_OK : wl_fail_memory(err);
    for (size_t i = 0; i < lists && status == WL_OK; i++)
        first[i] = r->step_count;
    for (size_t i = r->step_count; i-- > 0 && status == WL_OK;) {
        size_t *list = &first[2 * (size_t)r->steps[i].instruction + r->steps[i].store];
        after[i] = *list;
        *list = i;
    }
    for (int64_t i = 0, n = wl_min(blocks, BLOCKS); i < 2 * n && status == WL_OK && !v.differs; i++) {
        wl_ptx_sample_block(l, i / 2, n, v.block);
        v.warp = (int)(i % 2 ? warps - 1 - i % wl_max(1, warps / 2) : i % warps);
        memcpy(v.next_step, first, lists * sizeof *first);
        status = wl_ptx_emulate_block(source->emulator, v.block, v.warp, NULL, compare, &v, err);
        if (status == WL_OK)
            check_rest(&v);
    }
    wl_arena_free(&arena);
    *agrees = !v.differs;
    *where = v.where;
    return status;
}
