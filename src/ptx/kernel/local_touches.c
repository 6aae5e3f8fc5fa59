/* local_touches.c - loads and stores of local memory, from emulated blocks. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

#define SAMPLED_BLOCKS 3 /* threads mostly use their stack in the same way, so few are enough */

typedef struct handover {
    wl_local_visit visit;
    void *user;
} handover;

static wl_status hand_over(void *user, const wl_ptx_touch *t, wl_error *err)
{
    const handover *h = user;
    int64_t offset[WL_PTX_LANES];
    int n = 0;
    if (t->space != WL_PTX_LOCAL || !t->lanes)
        return WL_OK;
    for (uint32_t left = t->lanes; left; left &= left - 1)
        offset[n++] = (int64_t)t->address[__builtin_ctz(left)];
    const wl_local_touch touch = {(uint32_t)t->warp, t->store, t->bytes, t->lanes, offset};
    return h->visit(h->user, &touch, err);
}

bool wl_ptx_has_local(const wl_ptx_launch *launch)
{
    const wl_ptx_module *m = launch->module;
    const int32_t entry = (int32_t)(launch->entry - m->functions);
    bool calls = false;
    for (int32_t i = 0; i < launch->entry->instruction_count; i++)
        calls = calls || launch->entry->instructions[i].op == WL_PTX_OP_call;
    for (int32_t i = 0; i < m->variable_count; i++)
        if (m->variables[i].space == WL_PTX_LOCAL && (calls || m->variables[i].function == entry))
            return true;
    return false;
}

wl_status wl_ptx_visit_local(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit,
                             void *user, int64_t *blocks, wl_error *err)
{
    wl_ptx_source *s = context;
    const size_t bytes = sizeof s->launch.block;
    wl_ptx_launch launch = s->launch;
    wl_ptx_emulator *emulator = s->emulator;
    handover h = {visit, user};
    const bool own = memcmp(launch.block, block, bytes) != 0 || memcmp(launch.grid, grid, bytes) != 0;
    memcpy(launch.block, block, bytes);
    memcpy(launch.grid, grid, bytes);
    if (own)
        WL_TRY(wl_ptx_emulator_new(&launch, &emulator, err));
    *blocks = wl_min(SAMPLED_BLOCKS, grid[0] * grid[1] * grid[2]);
    wl_status status = WL_OK;
    for (int64_t i = 0; i < *blocks && status == WL_OK; i++) {
        int64_t at[3];
        wl_ptx_sample_block(&launch, *blocks == 1 ? 0 : i, *blocks, at);
        status = wl_ptx_emulate_block(emulator, at, -1, NULL, hand_over, &h, err);
        if (status == WL_OK)
            status = visit(user, NULL, err); /* marks the end of a block */
    }
    if (own)
        wl_ptx_emulator_free(emulator);
    return status;
}
