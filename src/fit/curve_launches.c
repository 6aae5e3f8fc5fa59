/* curve_launches.c - what blocks wait for, and how launches begin: see curves.h.
 *
 * Streams with few threads per multiprocessor are far below every bandwidth: a round of blocks
 * takes as long as one block waits. Writing takes turnover and stores, reading turnover and memory,
 * copying all three:
 *
 *     init  = turnover + instructions + stores
 *     read  = turnover + instructions + memory
 *     scale = turnover + instructions + memory + stores + the queue between reads and writes
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "fit/curves.h"
#include "model/turnover.h"

#define FAR 0.4           /* share of the largest bandwidth: slower streams wait */
#define ELEMENT 8.0       /* bytes of the f64 that are streamed */
#define LEAST_STORES 0.05 /* share of the wait: less may come from the queue */
#define WIDEST 1024       /* threads of the largest block of short copies */
/* threads: short copies with such small blocks may be limited by block starts */
#define NARROW 64
#define TWICE 2  /* factor of elements between two launches that give a rate */
#define COPIED 2 /* arrays of a short copy */
#define AGREE 2  /* so many other rates must be near a rate */
#define NEAR 0.95

static const int arrays[WL_STREAMS] = {[WL_STREAM_INIT] = 1, [WL_STREAM_READ] = 1, [WL_STREAM_SCALE] = 2};

double wl_curves_known(const wl_device *device, wl_device_key key)
{
    double value = 0;
    return wl_device_get(device, key, &value) ? value : 0;
}

/* As the library estimates them if a kernel states none. */
static double instructions(const wl_estimates *e, int accesses)
{
    return e->start_instructions + e->coordinate_instructions + accesses * (e->address_instructions + 1);
}

/* ---- streams ---- */

static double largest(const wl_curves *c, int stream)
{
    double most = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->rows[i].kind == WL_CURVE_STREAMS)
            most = fmax(most, c->rows[i].values[stream]);
    return most;
}

/* Cycles of a round of blocks. */
static double round_of(const wl_device *d, const wl_curve_row *row, int stream)
{
    const double bytes = row->blocks * row->x * ELEMENT * arrays[stream] * wl_curves_known(d, WL_DEVICE_sm_count);
    return bytes / row->values[stream] * wl_curves_known(d, WL_DEVICE_clock);
}

typedef struct rounds {
    double *stores, *init, *read; /* one value per row that is far below all bandwidths */
    size_t count;
    const char *source;
} rounds;

/* `queue`: cycles that a read waits between writes when memory is saturated and half of the traffic
 * is writes. */
static void find_rounds(const wl_curves *c, const wl_device *d, const wl_estimates *e, double queue, rounds *out)
{
    const double wait = wl_instruction_wait(d);
    double most[WL_STREAMS];
    for (int s = 0; s < WL_STREAMS; s++)
        most[s] = largest(c, s);
    for (size_t i = 0; i < c->count; i++) {
        const wl_curve_row *row = &c->rows[i];
        bool waits = row->kind == WL_CURVE_STREAMS;
        for (int s = 0; s < WL_STREAMS && waits; s++)
            waits = row->values[s] > 0 && row->values[s] < FAR * most[s];
        if (!waits)
            continue;
        const double load = row->values[WL_STREAM_SCALE] / most[WL_STREAM_SCALE];
        const double both = round_of(d, row, WL_STREAM_SCALE), read = round_of(d, row, WL_STREAM_READ);
        const double more = instructions(e, 2) - instructions(e, 1);
        out->stores[out->count] = both - read - wait * more - queue * load;
        out->init[out->count] = round_of(d, row, WL_STREAM_INIT);
        out->read[out->count++] = read;
        out->source = row->source;
    }
}

static void waits_of_blocks(rounds *r, double chase, wl_curve_numbers *out)
{
    const wl_device *d = out->device;
    const double work = wl_instruction_wait(d) * instructions(&out->estimates, 1);
    const double init = wl_curve_median(r->init, r->count), read = wl_curve_median(r->read, r->count);
    const double stores = wl_curve_median(r->stores, r->count);
    const double acknowledged = stores > LEAST_STORES * read ? stores : 0;
    const double turnover = init - acknowledged - work, memory = read - turnover - work;
    static const char words[] = "published: %s, streams below %g of their bandwidth";
    if (!(turnover > 0) || !(memory > 0))
        return;
    wl_curves_found(out, WL_DEVICE_block_turnover, turnover, words, r->source, FAR);
    if (out->sources[WL_DEVICE_store_wait]) { /* of the previous round */
        out->device->entries[WL_DEVICE_store_wait].count = 0;
        out->sources[WL_DEVICE_store_wait] = NULL;
    }
    if (acknowledged > 0)
        wl_curves_found(out, WL_DEVICE_store_wait, acknowledged, words, r->source, FAR);
    /* a pointer chase also misses the TLB */
    if (memory < chase)
        wl_curves_found(out, WL_DEVICE_dram_latency, memory, words, r->source, FAR);
}

/* Reads, writes and both, with the most threads. */
static void saturated(const wl_curves *c, const char *source, wl_curve_numbers *out)
{
    const double set = wl_curves_known(out->device, WL_DEVICE_dram_read_bandwidth);
    const bool from_set = out->sources[WL_DEVICE_dram_read_bandwidth] != NULL;
    const double write = largest(c, WL_STREAM_INIT), both = largest(c, WL_STREAM_SCALE);
    const double read = fmax(largest(c, WL_STREAM_READ), from_set ? set : 0);
    if (!(read > 0 && write > 0 && both > 0))
        return;
    if (!from_set || read > set)
        wl_curves_found(out, WL_DEVICE_dram_read_bandwidth, read, "published: %s, read", source);
    wl_curves_found(out, WL_DEVICE_dram_bandwidth, both, "published: %s, scale", source);
    wl_curves_found(out, WL_DEVICE_dram_write_cost, read / write, "published: %s, read and init", source);
}

void wl_curves_streams(const wl_curves *c, double chase, wl_curve_numbers *out)
{
    const double queue = wl_curves_known(out->device, WL_DEVICE_dram_wait_write) / 2;
    double *room = WL_ARENA_NEW(out->arena, double, 3 * (c->count + 1));
    if (!room) {
        out->failed = true;
        return;
    }
    const char *source = "";
    for (size_t i = 0; i < c->count; i++)
        source = c->rows[i].kind == WL_CURVE_STREAMS ? c->rows[i].source : source;
    rounds r = {.stores = room, .init = room + c->count + 1, .read = room + 2 * (c->count + 1)};
    find_rounds(c, out->device, &out->estimates, queue, &r);
    if (r.count > 0)
        waits_of_blocks(&r, chase, out);
    saturated(c, source, out);
}

void wl_curves_least_starts(const wl_curves *c, wl_curve_numbers *out)
{
    double most = 0;
    const char *source = "";
    for (size_t i = 0; i < c->count; i++) {
        const wl_curve_row *row = &c->rows[i];
        const double rate = row->kind == WL_CURVE_STREAMS ? row->values[WL_STREAM_INIT] / (row->x * ELEMENT) : 0;
        source = rate > most ? row->source : source;
        most = fmax(most, rate);
    }
    if (most > wl_curves_known(out->device, WL_DEVICE_block_rate))
        wl_curves_found(out, WL_DEVICE_block_rate, most, "published: %s, init: at least", source);
}

/* ---- short copies ---- */

static double seconds(const wl_curve_row *row, size_t at)
{
    return row->values[at] > 0 ? COPIED * ELEMENT * row->x / row->values[at] : INFINITY;
}

static double threads(const wl_curve_row *row, size_t at) { return ldexp(WIDEST, -(int)(row->count - 1 - at)); }

/* A rate that two others are near to is no outlier. */
static double confirmed(double *rates, size_t count)
{
    (void)wl_curve_median(rates, count); /* sorts */
    for (size_t i = count; i > AGREE; i--)
        if (rates[i - AGREE - 1] >= NEAR * rates[i - 1])
            return rates[i - AGREE];
    return 0;
}

/* Blocks per second, from a launch to one of twice as many elements: the largest confirmed rate.
 * Launches that bandwidth limits are slower. */
static double block_rate(const wl_curve_row *const *rows, size_t count, double *rates)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = i;
        while (j < count && rows[j]->x < TWICE * rows[i]->x)
            j++;
        for (size_t at = 0; j < count && at < rows[i]->count && threads(rows[i], at) <= NARROW; at++) {
            const double apart = seconds(rows[j], at) - seconds(rows[i], at), blocks = rows[j]->x - rows[i]->x;
            if (seconds(rows[i], at) > TWICE * seconds(rows[0], at) && apart > 0)
                rates[n++] = blocks / threads(rows[i], at) / apart;
        }
    }
    return confirmed(rates, n);
}

/* The time of the shortest launch without the waits of its one block. */
static double overhead(const wl_device *d, const wl_estimates *e, const wl_curve_row *least)
{
    double all[WL_CURVE_VALUES];
    size_t n = 0;
    for (size_t at = 0; at < least->count; at++)
        if (threads(least, at) >= NARROW && least->values[at] > 0)
            all[n++] = seconds(least, at);
    const double wait = wl_curves_known(d, WL_DEVICE_block_turnover) + wl_curves_known(d, WL_DEVICE_store_wait) +
                        wl_curves_known(d, WL_DEVICE_l2_latency) / 2 + wl_instruction_wait(d) * instructions(e, 2);
    return wl_curve_median(all, n) - wait / wl_curves_known(d, WL_DEVICE_clock);
}

void wl_curves_starts(const wl_curves *c, wl_curve_numbers *out)
{
    const wl_curve_row **rows = WL_ARENA_NEW(out->arena, const wl_curve_row *, c->count + 1);
    if (!rows) {
        out->failed = true;
        return;
    }
    const size_t count = wl_curve_rows(c, WL_CURVE_SMALL, rows);
    double *rates = WL_ARENA_NEW(out->arena, double, WL_CURVE_VALUES *(count + 1));
    out->failed = out->failed || !rates;
    if (count == 0 || !rates)
        return;
    wl_curves_found(out, WL_DEVICE_block_rate, block_rate(rows, count, rates),
                    "published: %s, blocks of up to %d threads", rows[0]->source, NARROW);
    wl_curves_found(out, WL_DEVICE_launch_overhead, overhead(out->device, &out->estimates, rows[0]),
                    "published: %s, launches of %.0f elements, less what a block waits", rows[0]->source, rows[0]->x);
}
