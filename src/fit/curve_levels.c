/* curve_levels.c - latencies and bandwidths from their plateaus: see curves.h.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/curves.h"

#define LAST 3     /* the last rows of a curve are always memory */
#define BELOW 0.75 /* share of memory latency: below it, some cache still hits */
#define ABOVE 1.5  /* times the bandwidth of memory: above it, some cache still hits */
#define BEYOND 3   /* times the last cached size: from here on, only memory */
/* the plateau of memory is read up to this multiple of its start; further on, address translations
 * miss */
#define REACH 10
#define LONG 3          /* a plateau that spans this factor of sizes is a separate cache */
#define SAME_CLOCK 0.01 /* smaller differences are ignored */
#define SLOWER 1.3      /* times the latency of the L2: it is not the L2 */
/* a data set of less than 1 / this of the L2 may not keep all of it busy */
#define L2_LEAST 16

size_t wl_curve_rows(const wl_curves *curves, wl_curve_kind kind, const wl_curve_row **out)
{
    const char *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < curves->count; i++)
        last = curves->rows[i].kind == kind ? curves->rows[i].source : last;
    for (size_t i = 0; i < curves->count; i++) {
        const wl_curve_row *row = &curves->rows[i];
        if (row->kind != kind || strcmp(row->source, last) != 0)
            continue;
        size_t at = n++;
        for (; at > 0 && out[at - 1]->x > row->x; at--)
            out[at] = out[at - 1];
        out[at] = row;
    }
    return n;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double wl_curve_median(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* One curve, by ascending size. */
typedef struct curve {
    const wl_curve_row **rows;
    double *scratch;
    size_t count;
} curve;

/* The median of the values between two sizes; NAN: there are none. */
static double between(const curve *c, double low, double high)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->rows[i]->x >= low && c->rows[i]->x <= high)
            c->scratch[n++] = c->rows[i]->values[0];
    return wl_curve_median(c->scratch, n);
}

static double at_end(const curve *c)
{
    return c->count >= LAST ? between(c, c->rows[c->count - LAST]->x, INFINITY) : NAN;
}

/* The last size whose value is on the cache's side of the limit. */
static double last_cached(const curve *c, double limit, bool latency)
{
    double size = 0;
    for (size_t i = 0; i < c->count; i++)
        if (latency ? c->rows[i]->values[0] < limit : c->rows[i]->values[0] > limit)
            size = c->rows[i]->x;
    return size;
}

static double memory_of(const curve *c, bool latency, double *cached)
{
    const double last = at_end(c);
    *cached = last_cached(c, last * (latency ? BELOW : ABOVE), latency);
    const double plateau = between(c, BEYOND * *cached, BEYOND * REACH * *cached);
    return isnan(plateau) ? last : plateau;
}

static double partition(const wl_device *d)
{
    return wl_curves_known(d, WL_DEVICE_l2_size) / fmax(1, wl_curves_known(d, WL_DEVICE_l2_partitions));
}

static void latencies(const curve *c, wl_curve_numbers *out)
{
    const wl_device *d = out->device;
    const double l1 = wl_curves_known(d, WL_DEVICE_l1_size), room = partition(d);
    const char *source = c->count ? c->rows[0]->source : "";
    if (c->count == 0)
        return;
    const double clock = wl_curves_known(d, WL_DEVICE_clock);
    /* cycles refer to the clock of the run */
    if (fabs(c->rows[0]->clock - clock) > SAME_CLOCK * clock)
        wl_curves_found(out, WL_DEVICE_clock, c->rows[0]->clock, "published: %s, clock of the run", source);
    const double near = between(c, 0, l1 / 2), far = between(c, 2 * l1, room / 2);
    double cached = 0;
    const double memory = memory_of(c, true, &cached);
    wl_curves_found(out, WL_DEVICE_l1_latency, near, "published: %s, median up to half of the L1", source);
    wl_curves_found(out, WL_DEVICE_l2_latency, far, "published: %s, median from twice the L1 to half of the L2's part",
                    source);
    if (cached > 2 * room && cached > LONG * 2 * room && between(c, 2 * room, cached) > SLOWER * far)
        wl_curves_found(out, WL_DEVICE_memory_cache, floor(cached),
                        "published: %s, the latency of memory begins beyond", source);
    wl_curves_found(out, WL_DEVICE_dram_latency, memory, "published: %s, median from %.3g MB", source,
                    fmax(BEYOND * cached, 0) / 1e6);
}

/* Between twice the L2 and the end of the memory's own cache. */
static void cached_bandwidth(const curve *c, wl_curve_numbers *out)
{
    const double size = wl_curves_known(out->device, WL_DEVICE_memory_cache), room = partition(out->device);
    if (c->count > 0 && size > 0)
        wl_curves_found(out, WL_DEVICE_memory_cache_bandwidth, between(c, BEYOND * room, size / ABOVE),
                        "published: %s, median from %d L2 parts to two thirds of memory_cache", c->rows[0]->source,
                        BEYOND);
}

static void bandwidths(const curve *blocks, const curve *sets, wl_curve_numbers *out)
{
    const double l1 = wl_curves_known(out->device, WL_DEVICE_l1_size), room = partition(out->device);
    const double shared = between(sets, room / L2_LEAST, room / 2), own = between(blocks, BEYOND * l1, room / 2);
    const bool set = !isnan(shared);
    const double found = set ? shared : own;
    if (blocks->count > 0)
        wl_curves_found(out, WL_DEVICE_l1_bandwidth, between(blocks, 0, l1 / 2),
                        "published: %s, median of buffers up to half of the L1", blocks->rows[0]->source);
    const curve *from = set ? sets : blocks;
    if (isnan(found) || from->count == 0)
        return;
    wl_curves_found(out, WL_DEVICE_l2_bandwidth, found, "published: %s, loads; median of its plateau",
                    from->rows[0]->source);
    wl_curves_found(out, WL_DEVICE_l2_read_bandwidth, found, "published: %s, median of its plateau",
                    from->rows[0]->source);
}

static void memory_bandwidth(const curve *sets, wl_curve_numbers *out)
{
    double cached = 0;
    if (sets->count > 0)
        wl_curves_found(out, WL_DEVICE_dram_read_bandwidth, memory_of(sets, false, &cached),
                        "published: %s, loads of data sets beyond the caches", sets->rows[0]->source);
}

void wl_curves_memory(const wl_curves *curves, wl_curve_numbers *out)
{
    const size_t room = curves->count + 1;
    const wl_curve_row **rows = WL_ARENA_NEW(out->arena, const wl_curve_row *, 3 * room);
    double *scratch = WL_ARENA_NEW(out->arena, double, room);
    if (!rows || !scratch) {
        out->failed = true;
        return;
    }
    const curve latency = {rows, scratch, wl_curve_rows(curves, WL_CURVE_LATENCY, rows)};
    const curve blocks = {rows + room, scratch, wl_curve_rows(curves, WL_CURVE_BLOCKS, rows + room)};
    const curve sets = {rows + 2 * room, scratch, wl_curve_rows(curves, WL_CURVE_L2, rows + 2 * room)};
    latencies(&latency, out);
    bandwidths(&blocks, &sets, out);
    memory_bandwidth(&sets, out);
    cached_bandwidth(sets.count > 0 ? &sets : &blocks, out);
}
