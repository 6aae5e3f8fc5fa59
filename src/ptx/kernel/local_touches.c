/* local_touches.c - loads and stores of local memory, from emulated blocks. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/ckd.h"
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

/* Bytes of the variables of a thread. */
static int64_t bytes_of_variables(const wl_ptx_launch *launch)
{
    const wl_ptx_module *m = launch->module;
    const int32_t entry = (int32_t)(launch->entry - m->functions);
    bool calls = false;
    int64_t bytes = 0;
    for (int32_t i = 0; i < launch->entry->instruction_count; i++)
        calls = calls || launch->entry->instructions[i].op == WL_PTX_OP_call;
    for (int32_t i = 0; i < m->variable_count; i++)
        if (m->variables[i].space == WL_PTX_LOCAL && (calls || m->variables[i].function == entry))
            bytes += m->variables[i].bytes;
    return bytes;
}

bool wl_ptx_has_local(const wl_ptx_source *s) { return bytes_of_variables(&s->launch) > 0 || s->spills.words; }

/* ---- registers that do not fit ---- */

#define REGISTERS_MOST 255 /* of a thread */
#define REGISTER_BYTES 4

wl_status wl_ptx_find_spills(wl_ptx_source *s, wl_error *err)
{
    const wl_ptx_function *f = s->launch.entry;
    const int32_t stated = f->max_registers > 0 ? f->max_registers : REGISTERS_MOST;
    /* one is the stack pointer */
    return wl_ptx_spills_find(f, wl_ptx_entry_flow(s->emulator), (int32_t)wl_min(stated, REGISTERS_MOST) - 1, &s->arena,
                              &s->spills, err);
}

/* All lanes of a warp store a register, then load it. */
static wl_status visit_register(const handover *h, uint32_t warp, int64_t offset, double times, wl_error *err)
{
    int64_t offsets[WL_PTX_LANES];
    for (int lane = 0; lane < WL_PTX_LANES; lane++)
        offsets[lane] = offset;
    for (int store = 1; store >= 0 && times > 0; store--) {
        const wl_local_touch touch = {warp, store == 1, REGISTER_BYTES, UINT32_MAX, offsets, h->blocks * times};
        WL_TRY(h->visit(h->user, &touch, err));
    }
    return WL_OK;
}

/* In a block that represents all, the first time and then the other times: so that each place
 * counts once. */
static wl_status visit_spills(const wl_ptx_source *s, const wl_ptx_opened *opened, wl_local_visit visit, void *user,
                              wl_error *err)
{
    const wl_ptx_launch *l = &opened->launch;
    const int64_t warps = wl_ceil_div(l->block[0] * l->block[1] * l->block[2], WL_PTX_LANES);
    const int32_t first = opened->census->total.first[l->entry - l->module->functions];
    const handover h = {visit, user, (double)(l->grid[0] * l->grid[1] * l->grid[2])};
    const int64_t base = wl_ceil_div(bytes_of_variables(l), REGISTER_BYTES) * REGISTER_BYTES;
    for (int32_t i = 0; i < l->entry->instruction_count; i++) {
        const double times = opened->census->total.warps_on[first + i] / (h.blocks * (double)warps);
        for (int32_t k = 0; k < s->spills.words[i]; k++)
            for (uint32_t w = 0; w < (uint32_t)warps; w++) {
                WL_TRY(visit_register(&h, w, base + (int64_t)k * REGISTER_BYTES, fmin(1, times), err));
                WL_TRY(visit_register(&h, w, base + (int64_t)k * REGISTER_BYTES, times - 1, err));
            }
    }
    return visit(user, NULL, err);
}

/* ---- all ---- */

wl_status wl_ptx_visit_local(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit,
                             void *user, wl_error *err)
{
    wl_ptx_opened opened;
    wl_ptx_representative list[KINDS_MAX];
    WL_TRY(wl_ptx_open_launch(context, block, grid, &opened, err));
    const wl_ptx_census *census = opened.census;
    const wl_ptx_source *s = context;
    const int kinds = bytes_of_variables(&s->launch) > 0 ? wl_ptx_census_represent(census, KINDS_MAX, list) : 0;
    wl_status status = s->spills.words ? visit_spills(s, &opened, visit, user, err) : WL_OK;
    for (int k = 0; k < kinds && status == WL_OK; k++) {
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
