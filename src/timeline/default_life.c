/* default_life.c - see default_life.h. SPDX-License-Identifier: MIT */
#include "timeline/default_life.h"

#include <math.h>

static double between(double value, double low, double high) { return fmax(low, fmin(value, high)); }

/* Phases in which some load misses the L1. Requests miss independently; the result is at least what
 * it would be if they missed together, and at most the number of requests that miss. */
static double missing_phases(const wl_warp_work *w, double phases)
{
    const double ratio = w->requested > 0 ? fmin(1, w->reads / w->requested) : 1;
    return between(phases * (1 - pow(1 - ratio, fmax(1, w->loads_per_phase))), phases * ratio, fmin(phases, w->reads));
}

/* Of these, the ones in which some load misses the L2, too. */
static double dram_phases(const wl_warp_work *w, double missing)
{
    return w->reads > 0 ? between(w->fresh, missing * fmin(1, w->misses / w->reads), fmin(missing, w->misses)) : 0;
}

static void add(wl_default_life *out, wl_life_interval interval)
{
    if (interval.times > 0)
        out->list[out->count++] = interval;
}

/* Phases that wait for a level, with that share of the requests. */
static void add_phases(wl_default_life *out, const wl_warp_waits *waits, int level, wl_life_interval phase)
{
    double before = 0;
    phase.cause = WL_STALL_MEMORY;
    for (int l = 0; l <= level; l++) {
        phase.level[l] = fmax(0, waits->level[l] - before);
        phase.stall += phase.level[l];
        before = fmax(before, waits->level[l]);
    }
    add(out, phase);
}

void wl_default_life_make(const wl_warp_work *work, const wl_warp_waits *waits, wl_default_life *out)
{
    *out = (wl_default_life){.phases = fmax(work->phases, work->reads > 0 ? 1 : 0)};
    out->missing = missing_phases(work, out->phases);
    out->dram = dram_phases(work, out->missing);
    const double stops = out->phases + work->barriers + 1;
    const double wait = waits->next - waits->issue, between_stops = wait > 0 ? work->instructions - stops : 0;
    /* if the waits between instructions are unknown, or there are too few instructions, they issue
     * up to the next stop */
    const double n = between_stops > 0 ? 1 : work->instructions / stops;
    const double reads = out->missing > 0 ? work->reads / out->missing : 0;
    add(out, (wl_life_interval){between_stops, 1, wait, WL_STALL_DEPENDENCE, {0}, 0, 0, 0, -1, -1, 0});
    add_phases(out, waits, 2,
               (wl_life_interval){.times = out->dram,
                                  .instructions = n,
                                  .reads = reads,
                                  .misses = out->dram > 0 ? work->misses / out->dram : 0,
                                  .op = -1});
    add_phases(out, waits, 1,
               (wl_life_interval){.times = out->missing - out->dram, .instructions = n, .reads = reads, .op = -1});
    add_phases(out, waits, 0, (wl_life_interval){.times = out->phases - out->missing, .instructions = n, .op = -1});
    add(out, (wl_life_interval){work->barriers, n, waits->barrier, WL_STALL_BARRIER, {0}, 0, 0, 0, -1, -1, 0});
    add(out, (wl_life_interval){.times = 1, .instructions = n, .writes = work->writes, .op = -1});
}
