/* executions.c - see executions.h. SPDX-License-Identifier: MIT */
#include "count/executions.h"

#include "base/ckd.h"
#include "count/spread.h"

void wl_block_starts_clear(wl_block_starts *starts, const wl_instruction_group *group, const wl_geometry *geometry)
{
    for (int d = 0; d < 3; d++)
        starts->stride[d] = wl_block_stride(&group->linear, geometry, d);
    starts->count = 0;
    starts->sampled = 0;
}

#define LOOPS_APART 977 /* a prime: numbers in the sequences of two loops */

static int64_t loop_stride(const wl_executions *e, int loop) { return e->group->linear.stride[WL_AXIS_LOOP + loop]; }

/* An access outside the loop is executed once. */
static bool in_loop(const wl_executions *e, int loop) { return e->group->loops >> loop & 1; }

/* Block start addresses modulo the period. Their alignment classes are a subset of those of all
 * warps, so they fit where those fit. */
static const wl_residues *block_starts(const wl_executions *e, int64_t period, const int64_t *strides, int n)
{
    wl_residues next, *here;
    for (int i = 0; i < e->starts->count; i++)
        if (e->starts->at[i].granule == period)
            return &e->starts->at[i];
    if (e->starts->count == WL_PERIODS_MAX)
        e->starts->count = 0;
    here = &e->starts->at[e->starts->count++];
    (void)wl_residues_start(0, period, strides, n, here);
    wl_residues_spread(here, e->starts->stride[0], e->blocks->first[0], e->blocks->count[0]);
    for (int d = 1; d < 3; d++) {
        if (e->blocks->count[d] == 1 && e->blocks->first[d] == 0)
            continue;
        wl_residues_move(here, e->starts->stride[d], e->blocks->first[d], e->blocks->count[d], &next);
        wl_residues_copy(&next, here);
    }
    for (int i = 0; i < e->kernel->loop_count; i++) {
        if (!in_loop(e, i))
            continue;
        wl_residues_move(here, loop_stride(e, i), 0, e->kernel->loop_extent[i], &next);
        wl_residues_copy(&next, here);
    }
    return here;
}

/* What the start addresses are multiples of: the lowest set bit of all strides matters. With the
 * strides of blocks and loops, and their number. */
static int64_t bits_of_starts(const wl_executions *parts, int count, int64_t strides[3 + WL_LOOPS_MAX], int *n)
{
    int64_t bits = 0;
    int warps = 0;
    *n = 0;
    for (int d = 0; d < 3; d++)
        strides[(*n)++] = parts->starts->stride[d];
    for (int i = 0; i < parts->kernel->loop_count; i++)
        strides[(*n)++] = loop_stride(parts, i);
    for (int i = 0; i < *n; i++)
        bits |= strides[i];
    for (int k = 0; k < count; k++)
        warps += parts[k].warps;
    for (int w = 0; w < warps; w++)
        bits |= parts->start[w];
    return bits;
}

static bool add_positions(const wl_executions *parts, int count, int64_t period, int64_t bits, const int64_t *strides,
                          int n, wl_residues *out)
{
    if (!wl_residues_start(0, period, &bits, 1, out))
        return false;
    out->weight[0] = 0;
    for (int k = 0; k < count; k++) {
        const wl_residues *blocks = block_starts(&parts[k], period, strides, n);
        for (int w = 0; w < parts[k].warps; w++)
            wl_residues_add(blocks, parts[k].start[w], out);
    }
    return true;
}

bool wl_executions_positions(const wl_executions *parts, int count, int64_t shortest, int64_t longest, int most,
                             wl_residues *out)
{
    int64_t strides[3 + WL_LOOPS_MAX];
    int n;
    const int64_t bits = bits_of_starts(parts, count, strides, &n);
    for (int64_t period = longest; period >= shortest; period /= 2) {
        const uint64_t step = ((uint64_t)bits | (uint64_t)period) & -((uint64_t)bits | (uint64_t)period);
        if (period >> wl_log2((int64_t)step) <= most)
            return add_positions(parts, count, period, bits, strides, n, out);
    }
    return false;
}

int64_t wl_executions_count(const wl_executions *e)
{
    int64_t n = e->warps * e->blocks->count[0] * e->blocks->count[1] * e->blocks->count[2];
    for (int l = 0; l < e->kernel->loop_count; l++)
        n *= in_loop(e, l) ? e->kernel->loop_extent[l] : 1;
    return n;
}

int64_t wl_executions_nth(const wl_executions *e, int64_t i)
{
    int64_t address = e->start[i % e->warps];
    i /= e->warps;
    for (int l = 0; l < e->kernel->loop_count; l++) {
        if (!in_loop(e, l))
            continue;
        address += i % e->kernel->loop_extent[l] * loop_stride(e, l);
        i /= e->kernel->loop_extent[l];
    }
    for (int d = 0; d < 3; d++) {
        address += (e->blocks->first[d] + i % e->blocks->count[d]) * e->starts->stride[d];
        i /= e->blocks->count[d];
    }
    return address;
}

static int64_t sampled_block(const wl_executions *e, uint64_t i)
{
    int64_t address = 0;
    for (int d = 0; d < 3; d++)
        address += (e->blocks->first[d] + wl_spread_below(i, d, e->blocks->count[d])) * e->starts->stride[d];
    for (int l = 0; l < e->kernel->loop_count; l++)
        address += wl_spread_below(i + (uint64_t)l * LOOPS_APART, 4, e->kernel->loop_extent[l]) * loop_stride(e, l);
    return address;
}

int64_t wl_executions_spread(const wl_executions *e, uint64_t i)
{
    wl_block_starts *s = e->starts;
    for (; s->sampled <= i && s->sampled < WL_SAMPLES_KEPT; s->sampled++)
        s->sample[s->sampled] = sampled_block(e, s->sampled);
    return e->start[wl_spread_below(i, 3, e->warps)] + (i < WL_SAMPLES_KEPT ? s->sample[i] : sampled_block(e, i));
}

/* Do steps of this length keep addresses modulo `period` in place: because they are whole periods,
 * or too short to leave it? */
static bool keeps_period(int64_t stride, int64_t count, int64_t period)
{
    const int64_t length = stride < 0 ? -stride : stride;
    return count <= 1 || length % period == 0 || length <= (period - 1) / count;
}

bool wl_executions_in_step(const wl_executions *parts, int count, int64_t period)
{
    for (int k = 0; k < count; k++) {
        const wl_executions *e = &parts[k];
        for (int d = 0; d < 3; d++)
            if (!keeps_period(e->starts->stride[d], e->blocks->count[d], period))
                return false;
        for (int l = 0; l < e->kernel->loop_count; l++)
            if (in_loop(e, l) && !keeps_period(loop_stride(e, l), e->kernel->loop_extent[l], period))
                return false;
        for (int w = 0; w < e->warps; w++)
            if ((e->start[w] - parts->start[0]) % period != 0)
                return false;
    }
    return true;
}
