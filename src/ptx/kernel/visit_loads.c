/* visit_loads.c - the loads of a block in program order. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

typedef struct handover {
    const wl_ptx_source *source;
    wl_load_visit visit;
    void *user;
} handover;

static wl_status hand_over(void *user, const wl_ptx_touch *t, wl_error *err)
{
    const handover *h = user;
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
    const wl_load_touch touch = {(uint32_t)t->warp, (size_t)field, t->bytes, t->lanes, address};
    return h->visit(h->user, &touch, err);
}

wl_status wl_ptx_visit_loads(void *context, const int64_t block[3], wl_load_visit visit, void *user, wl_error *err)
{
    wl_ptx_source *s = context;
    handover h = {s, visit, user};
    return wl_ptx_emulate_block(s->emulator, block, -1, NULL, hand_over, &h, err);
}
