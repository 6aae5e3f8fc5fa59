/* cell_rows.c - see cell_rows.h. SPDX-License-Identifier: MIT */
#include "footprint/cell_rows.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "launch/scheduled.h"

bool wl_cell_rows_can(const wl_region *region, const wl_bound *b)
{
    return wl_threads_are_ordered(region->geometry) && b->reordered && b->loops == 0 && !b->access->traced &&
           !wl_expr_depends_on_launch(b->access->index);
}

typedef struct adder {
    wl_granules *granules;
    const wl_bound *const *accesses;
    size_t count;
    int shift;
} adder;

/* Cells x0 <= x < x1 of a row, the first one at this address. */
static bool add_row(const adder *a, int64_t address, int64_t stride, int64_t cells, int32_t width)
{
    const int64_t reach = stride * (cells - 1), granule = (int64_t)1 << a->shift;
    if (llabs(stride) <= wl_max(width, granule)) /* no granule between two cells is left out */
        return wl_granules_add(a->granules, (address + wl_min(0, reach)) >> a->shift,
                               (address + wl_max(0, reach) + width - 1) >> a->shift);
    for (int64_t i = 0; i < cells; i++, address += stride)
        if (!wl_granules_add(a->granules, address >> a->shift, (address + width - 1) >> a->shift))
            return false;
    return true;
}

/* Along an axis that does not move the address, one cell stands for all. */
static int64_t end_of(const wl_form *f, const wl_box3 *box, int d)
{
    return f->k[WL_VAR_X + d] ? box->hi[d] : box->lo[d] + 1;
}

static bool add_box(void *context, const wl_box3 *box)
{
    const adder *a = context;
    for (size_t i = 0; i < a->count; i++) {
        const wl_form *f = &a->accesses[i]->form;
        const int64_t *k = &f->k[WL_VAR_X], cells = end_of(f, box, 0) - box->lo[0];
        for (int64_t z = box->lo[2]; z < end_of(f, box, 2); z++)
            for (int64_t y = box->lo[1]; y < end_of(f, box, 1); y++)
                if (!add_row(a, f->c + k[0] * box->lo[0] + k[1] * y + k[2] * z, k[0], cells,
                             a->accesses[i]->access->width_bytes))
                    return false;
    }
    return true;
}

bool wl_cell_rows_add(wl_granules *granules, const wl_region *region, const wl_bound *const *accesses, size_t count,
                      int shift)
{
    const wl_geometry *g = region->geometry;
    adder a = {granules, accesses, count, shift};
    const int64_t most = g->threads - region->first_thread,
                  threads = region->thread_count ? wl_min(region->thread_count, most) : most;
    for (int i = 0; i < region->blocks.count; i++) {
        const wl_box3 *blocks = &region->blocks.boxes[i];
        const int64_t first = blocks->lo[0] * g->threads + region->first_thread;
        if (threads == g->threads) { /* one block continues where the other ends */
            if (!wl_scheduled_visit(g, first, blocks->hi[0] * g->threads, add_box, &a))
                return false;
            continue;
        }
        for (int64_t b = 0; b < blocks->hi[0] - blocks->lo[0]; b++)
            if (!wl_scheduled_visit(g, first + b * g->threads, first + b * g->threads + threads, add_box, &a))
                return false;
    }
    return true;
}
