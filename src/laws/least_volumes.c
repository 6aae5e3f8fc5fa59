/* least_volumes.c - see least_volumes.h. SPDX-License-Identifier: MIT */
#include "laws/least_volumes.h"

#include <math.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/block_sum.h"
#include "count/windows.h"
#include "device/device_internal.h"

#define FAR_BLOCKS 3  /* compared with the middle one, besides its neighbours */
#define BLOCKS_MAX 16 /* enumerated, all pairs together */

typedef struct measurer {
    const wl_traffic_input *in;
    wl_counter *counter;
    size_t field;
    wl_side side;
    int64_t granule;
    wl_error *err;
} measurer;

/* Distinct granules of one block, or of two. */
static wl_status count_blocks(const measurer *m, const int64_t a[3], const int64_t *b, double *out)
{
    wl_region region = {.geometry = m->in->geometry,
                        .kernel = m->in->view->kernel,
                        .steps = m->in->view->steps,
                        .blocks = {.count = b ? 2 : 1}};
    wl_count c;
    for (int d = 0; d < 3; d++) {
        region.blocks.boxes[0].lo[d] = a[d];
        region.blocks.boxes[0].hi[d] = a[d] + 1;
        region.blocks.boxes[1].lo[d] = b ? b[d] : 0;
        region.blocks.boxes[1].hi[d] = b ? b[d] + 1 : 0;
    }
    WL_TRY(wl_view_count(m->in->view, m->counter, m->field, m->side, &region, m->granule, false, &c, m->err));
    *out = (double)c.touched;
    return WL_OK;
}

/* Block `a` alone touches `alone` granules: the share of them that block b touches as well. */
static wl_status shared_with(const measurer *m, const int64_t a[3], double alone, const int64_t b[3], double *share)
{
    double other = 0, both = 0;
    WL_TRY(count_blocks(m, b, NULL, &other));
    WL_TRY(count_blocks(m, a, b, &both));
    *share = alone > 0 ? fmin(1, fmax(0, (alone + other - both) / alone)) : 0;
    return WL_OK;
}

/* Is b the block a, or beside it? */
static bool beside(const int64_t a[3], const int64_t b[3])
{
    bool near = true;
    for (int d = 0; d < 3; d++)
        near = near && a[d] - b[d] <= 1 && b[d] - a[d] <= 1;
    return near;
}

/* How many blocks touch a granule of a block, on average: itself, its two neighbours in each
 * direction, and the others as far as a few blocks elsewhere show. */
static wl_status sharers(const measurer *m, double *out)
{
    const wl_geometry *g = m->in->geometry;
    int64_t middle[3], other[3];
    double alone = 0, share = 0, far = 0;
    wl_block_at(g, g->blocks / 2, middle);
    WL_TRY(count_blocks(m, middle, NULL, &alone));
    *out = 1;
    for (int d = 0; d < 3; d++) {
        if (g->grid[d] < 2)
            continue;
        for (int k = 0; k < 3; k++)
            other[k] = middle[k];
        other[d] += middle[d] + 1 < g->grid[d] ? 1 : -1;
        WL_TRY(shared_with(m, middle, alone, other, &share));
        *out += 2 * share;
    }
    for (int64_t i = 1; i <= FAR_BLOCKS; i++) {
        wl_block_at(g, (g->blocks / 2 + i * g->blocks / (FAR_BLOCKS + 1)) % g->blocks, other);
        if (beside(middle, other))
            continue;
        WL_TRY(shared_with(m, middle, alone, other, &share));
        far += share / FAR_BLOCKS;
    }
    *out = fmin((double)g->blocks, *out + far * (double)(g->blocks - 1));
    return WL_OK;
}

/* Is it too much work to compare blocks? */
static bool too_large(const measurer *m)
{
    const wl_region one = wl_view_run(m->in->view, m->in->geometry, 0, 1);
    return wl_view_addresses(m->in->view, m->field, m->side, &one) * BLOCKS_MAX > (double)WL_THREADS_BUDGET;
}

static wl_status least_of_side(const measurer *m, double *granules)
{
    const wl_field_side *s = &m->in->view->fields[m->field][m->side];
    const wl_region launch = wl_view_run(m->in->view, m->in->geometry, 0, m->in->geometry->blocks);
    const wl_block_sum_input in = {m->in->view, m->counter, m->in->geometry, m->field, m->side, false, 1, {m->granule}};
    double shared_by = (double)m->in->geometry->blocks; /* if all touched the same granules */
    wl_block_sum sum;
    wl_count c = {0};
    wl_error limit = {0};
    *granules = 0;
    if (s->count == 0)
        return WL_OK;
    if (s->has_shape &&
        wl_view_count(m->in->view, m->counter, m->field, m->side, &launch, m->granule, false, &c, &limit) == WL_OK) {
        *granules = (double)c.touched;
        return WL_OK;
    }
    WL_TRY(wl_block_sum_make(&in, &sum, m->err));
    if (!too_large(m))
        WL_TRY(sharers(m, &shared_by));
    *granules = fmin(sum.granules[0] / shared_by, wl_windows_most(m->in, m->field, m->side, (double)m->granule));
    return WL_OK;
}

/* In the units that memory moves, or element by element. */
static wl_status add_least(const wl_traffic_input *in, wl_counter *counter, bool elements, double bytes[2],
                           wl_error *err)
{
    const wl_device_key keys[2] = {WL_DEVICE_dram_fetch, WL_DEVICE_l1_sector};
    const wl_kernel *k = in->view->kernel;
    for (int side = 0; side < 2; side++) {
        bytes[side] = 0;
        for (size_t f = 0; f < k->field_count; f++) {
            const int64_t granule = elements ? wl_type_bytes(k->fields[f].type) : wl_device_int(in->device, keys[side]);
            const measurer m = {in, counter, f, side ? WL_STORES : WL_LOADS, granule, err};
            double granules = 0;
            WL_TRY(least_of_side(&m, &granules));
            bytes[side] += granules * (double)m.granule;
        }
    }
    return WL_OK;
}

wl_status wl_least_volumes(const wl_traffic_input *in, wl_counter *counter, double bytes[2], wl_error *err)
{
    wl_threads_begin(counter, in->view->kernel);
    const wl_status status = add_least(in, counter, false, bytes, err);
    wl_threads_end(counter);
    return status;
}

wl_status wl_distinct_bytes(const wl_traffic_input *in, wl_counter *counter, double bytes[2], wl_error *err)
{
    wl_threads_begin(counter, in->view->kernel);
    const wl_status status = add_least(in, counter, true, bytes, err);
    wl_threads_end(counter);
    return status;
}
