/* emulate_products.c - products in tensor memory (tcgen05): who waits for how many flops. Sums and
 * what tensor memory holds are not computed. Products are complete when they are issued, so a warp
 * waits only for other warps.
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_async.c. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/ckd.h"
#include "base/fail.h"

wl_status wl_ptx_run_product(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    (void)err;
    m->warp->issued += s->async->product.flops * wl_ptx_lanes_in(mask);
    m->kind = s->async->product.kind;
    return WL_OK;
}

/* The address of the first column: allocations of a block follow each other. */
wl_status wl_ptx_run_allocation(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const wl_ptx_frame *frame = m->frame;
    uint64_t address[WL_PTX_LANES];
    if (!mask)
        return WL_OK;
    const uint32_t lane = wl_ptx_lane_first(mask); /* the warp allocates once */
    wl_ptx_addresses(m, s, address);
    const int64_t at = wl_ptx_shared_offset(address[lane]);
    if ((frame->unknown[s->from[0]] | frame->unknown[s->from[1]]) >> lane & 1 || at + 4 > m->shared_bytes)
        return wl_ptx_assume(m, s, WL_PTX_ASSUMED_RESULT, err);
    wl_ptx_region_write(&m->shared, at, 4, m->columns, false);
    m->columns += (uint32_t)frame->value[s->from[1]][lane];
    return WL_OK;
}

void wl_ptx_products_signal(const wl_ptx_warp *warp, wl_ptx_object *object)
{
    object->products = warp->issued;
    object->allowed = warp->products_freed;
}

void wl_ptx_products_await(wl_ptx_machine *m, wl_ptx_warp *warp, const wl_ptx_step *s, const wl_ptx_object *object)
{
    if (object->products <= warp->done)
        return;
    wl_ptx_ring *ring = &m->rings[m->first[s->function] + s->number];
    warp->product_waits++;
    ring->product_waits++;
    ring->flops += object->products - warp->done;
    ring->kind = m->kind;
    warp->done = object->products;
    if (object->allowed > 0) {
        ring->product_counted++;
        ring->product_ahead += warp->product_waits - object->allowed;
    }
}
