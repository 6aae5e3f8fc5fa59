/* local_touches.c - loads and stores of local memory, from emulated blocks. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

#define KINDS_MAX 8   /* of which blocks are emulated: those that execute most */
#define BLOCKS_EACH 3 /* data may decide which words blocks of a kind use, but mostly does not */

typedef struct handover {
    wl_local_visit visit;
    void *user;
    double blocks; /* that the current one represents */
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
    const wl_local_touch touch = {(uint32_t)t->warp, t->store, t->bytes, t->lanes, offset, h->blocks};
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
                             void *user, wl_error *err)
{
    wl_ptx_opened opened;
    wl_ptx_representative list[KINDS_MAX];
    WL_TRY(wl_ptx_open_launch(context, block, grid, &opened, err));
    const wl_ptx_census *census = opened.census;
    const int kinds = wl_ptx_census_represent(census, KINDS_MAX, list);
    wl_status status = WL_OK;
    for (int k = 0; k < kinds; k++) {
        const size_t have = census->kinds[k].count, n = have < BLOCKS_EACH ? have : BLOCKS_EACH;
        double left = list[k].blocks;
        for (size_t i = 0; i < n && status == WL_OK; i++) {
            handover h = {visit, user, i + 1 < n ? floor(left / (double)(n - i)) : left};
            int64_t at[3];
            const size_t chosen = census->kinds[k].first + (n > 1 ? i * (have - 1) / (n - 1) : 0);
            wl_ptx_block_of(&opened.launch, census->list[chosen].number, at);
            status = wl_ptx_emulate_block(opened.emulator, at, -1, NULL, hand_over, &h, err);
            left -= h.blocks; /* whole blocks, so that sums stay exact */
            if (status == WL_OK)
                status = visit(user, NULL, err); /* marks the end of a block */
        }
    }
    wl_ptx_close_launch(&opened);
    return status;
}
