/* visit_loads.c - the loads of a block in program order. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

/* Where a warp is: the last load it issued. */
typedef struct warp_state {
    int32_t function, block, instruction, trip;
    uint32_t group;
} warp_state;

#define WARPS_MAX 64 /* of a block; in further warps, each load waits for the previous one */

typedef struct handover {
    const wl_ptx_source *source;
    warp_state warps[WARPS_MAX];
    wl_load_visit visit;
    void *user;
} handover;

/* Loads of a basic block form a group; in an unrolled loop, those of several trips. */
static uint32_t group_of(handover *h, const wl_ptx_touch *t, const wl_ptx_round *r)
{
    if (t->warp >= WARPS_MAX)
        return ++h->warps[0].group;
    warp_state *w = &h->warps[t->warp];
    const bool same = w->group > 0 && t->function == w->function && r->block == w->block;
    const bool next_trip = same && !t->more && t->instruction <= w->instruction;
    w->trip = same ? w->trip + next_trip : 0;
    if (!same || (next_trip && w->trip % r->trips == 0))
        w->group++;
    w->function = t->function;
    w->block = r->block;
    w->instruction = t->instruction;
    return w->group;
}

static wl_status hand_over(void *user, const wl_ptx_touch *t, wl_error *err)
{
    handover *h = user;
    int64_t address[WL_PTX_LANES];
    int n = 0;
    if (t->space != WL_PTX_GLOBAL || t->store || !t->lanes)
        return WL_OK;
    const wl_ptx_buffer *buffer = wl_ptx_buffer_at(&h->source->arguments, t->address[__builtin_ctz(t->lanes)]);
    const int32_t field = buffer ? h->source->field_of_buffer[buffer - h->source->arguments.buffers] : -1;
    if (field < 0)
        return WL_OK;
    for (uint32_t left = t->lanes; left; left &= left - 1)
        address[n++] = (int64_t)t->address[__builtin_ctz(left)];
    bool enough = false;
    const wl_ptx_round round = wl_ptx_round_of(h->source->emulator, t->function, t->instruction);
    const uint32_t group = group_of(h, t, &round);
    const int32_t at = h->source->profile.first[t->function] + t->instruction;
    const wl_load_touch touch = {.warp = (uint32_t)t->warp,
                                 .field = (size_t)field,
                                 .bytes = t->bytes,
                                 .lanes = t->lanes,
                                 .address = address,
                                 .group = group,
                                 .depth = (uint32_t)round.depth,
                                 .bypasses_l1 = h->source->bypasses_l1[at],
                                 .unknown = t->unknown != 0,
                                 .time = wl_ptx_steps_done(h->source->emulator),
                                 .enough = &enough};
    WL_TRY(h->visit(h->user, &touch, err));
    return enough ? wl_ptx_end_warp(h->source->emulator) : WL_OK;
}

wl_status wl_ptx_visit_loads(void *context, const int64_t block[3], wl_load_visit visit, void *user, wl_error *err)
{
    wl_ptx_source *s = context;
    handover h = {.source = s, .visit = visit, .user = user};
    return wl_ptx_emulate_block(s->emulator, block, -1, NULL, hand_over, &h, err);
}

wl_status wl_ptx_visit_warp(void *context, const int64_t block[3], int warp, const wl_line_sample *sample,
                            wl_load_visit visit, void *user, wl_error *err)
{
    wl_ptx_source *s = context;
    handover h = {.source = s, .visit = visit, .user = user};
    wl_ptx_sample_lines(s->emulator, sample);
    const wl_status status = wl_ptx_emulate_block(s->emulator, block, warp, NULL, hand_over, &h, err);
    wl_ptx_sample_lines(s->emulator, NULL);
    return status;
}
