/* turnover.c - see turnover.h. SPDX-License-Identifier: MIT */
#include "model/turnover.h"

#include <math.h>
#include <stddef.h>

#include "device/device_internal.h"
#include "count/traffic.h"
#include "model/norm.h"
#include "model/residence.h"

static double over(double amount, double rate) { return amount > 0 && rate > 0 ? amount / rate : 0; }

bool wl_turnover_read(const wl_device *device, wl_turnover *out, const char **missing)
{
    static const struct {
        wl_device_key key;
        size_t at;
        bool needed;
    } table[] = {
        {WL_DEVICE_sm_count, offsetof(wl_turnover, sms), true},
        {WL_DEVICE_clock, offsetof(wl_turnover, clock), true},
        {WL_DEVICE_l1_line, offsetof(wl_turnover, l1.line), true},
        {WL_DEVICE_l1_wavefront_rate, offsetof(wl_turnover, l1.wavefront_rate), true},
        {WL_DEVICE_issue_rate, offsetof(wl_turnover, sm.issue_rate), true},
        {WL_DEVICE_sub_partitions, offsetof(wl_turnover, sm.schedulers), true},
        {WL_DEVICE_block_rate, offsetof(wl_turnover, launch.block_rate), true},
        {WL_DEVICE_block_turnover, offsetof(wl_turnover, launch.turnover), true},
        {WL_DEVICE_l2_latency, offsetof(wl_turnover, l2.latency), true},
        {WL_DEVICE_dram_latency, offsetof(wl_turnover, dram.latency), true},
        {WL_DEVICE_l2_unit, offsetof(wl_turnover, l2.unit), true},
        {WL_DEVICE_l2_unit_bandwidth, offsetof(wl_turnover, l2.bandwidth), true},
        {WL_DEVICE_dram_read_bandwidth, offsetof(wl_turnover, dram.bandwidth), true},
        {WL_DEVICE_bound_norm, offsetof(wl_turnover, norm), true},
        {WL_DEVICE_warp_size, offsetof(wl_turnover, sm.lanes), true},
        {WL_DEVICE_fp32_rate, offsetof(wl_turnover, sm.fp32_rate), false},
        {WL_DEVICE_overlap_growth, offsetof(wl_turnover, sm.overlap_growth), false},
        {WL_DEVICE_l1_latency, offsetof(wl_turnover, l1.latency), false},
        {WL_DEVICE_barrier_latency, offsetof(wl_turnover, sm.barrier_latency), false},
        {WL_DEVICE_dram_wait_write, offsetof(wl_turnover, dram.write_wait), false},
        {WL_DEVICE_l2_read_bandwidth, offsetof(wl_turnover, l2.read_bandwidth), false},
        {WL_DEVICE_l2_lone_rate, offsetof(wl_turnover, l2.lone_rate), false},
        {WL_DEVICE_l2_write_cost, offsetof(wl_turnover, l2.write_cost), false},
        {WL_DEVICE_piece_rate, offsetof(wl_turnover, l2.piece_rate), false},
        {WL_DEVICE_dram_write_cost, offsetof(wl_turnover, dram.write_cost), false},
        {WL_DEVICE_dram_request_overhead, offsetof(wl_turnover, dram.request_overhead), false},
        {WL_DEVICE_dram_region_loss, offsetof(wl_turnover, dram.region_loss), false},
        {WL_DEVICE_dram_random_rate, offsetof(wl_turnover, dram.random_rate), false},
        {WL_DEVICE_dram_fetch, offsetof(wl_turnover, dram.fetch), false},
        {WL_DEVICE_atomic_rate, offsetof(wl_turnover, atomic.rate), false},
        {WL_DEVICE_atomic_address_rate, offsetof(wl_turnover, atomic.address_rate), false},
        {WL_DEVICE_atomic_latency, offsetof(wl_turnover, atomic.latency), false},
        {WL_DEVICE_launch_duration, offsetof(wl_turnover, launch.duration), false},
        {WL_DEVICE_dram_queue_wait, offsetof(wl_turnover, dram.queue_wait), false},
        {WL_DEVICE_store_wait, offsetof(wl_turnover, launch.store_wait), false},
        {WL_DEVICE_l1_fill_width, offsetof(wl_turnover, l1.fill_width), false},
        {WL_DEVICE_memory_cache, offsetof(wl_turnover, dram.cache), false},
        {WL_DEVICE_memory_cache_bandwidth, offsetof(wl_turnover, dram.cache_bandwidth), false},
        {WL_DEVICE_l2_reuse_room, offsetof(wl_turnover, l2.room), false},
        {WL_DEVICE_l2_size, offsetof(wl_turnover, l2.size), false},
        {WL_DEVICE_l2_reuse_steepness, offsetof(wl_turnover, l2.steepness), false},
    };
    *out = (wl_turnover){.l2.write_cost = 1, .dram.write_cost = 1};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double *number = (double *)(void *)((char *)out + table[i].at);
        if (!wl_device_get(device, table[i].key, number) && table[i].needed) {
            *missing = wl_device_key_name(table[i].key);
            return false;
        }
    }
    out->sm.instruction_wait = wl_instruction_wait(device);
    /* copies are slower than reads and writes: what the bus loses by turning around */
    const double copies = wl_device_or(device, WL_DEVICE_dram_bandwidth, out->dram.bandwidth);
    out->dram.turnaround = fmax(0, 2 * out->dram.bandwidth / copies / (1 + out->dram.write_cost) - 1);
    /* integers are multiplied as fast as they are added; a product of 64 bits is two of 32 */
    out->sm.narrow_multiply = over(out->sm.lanes * out->sm.issue_rate, wl_device_or(device, WL_DEVICE_int32_rate, 0));
    out->sm.wide_multiply = 2 * out->sm.narrow_multiply;
    /* at least a sector, as in the counts */
    out->l2.unit = fmax(out->l2.unit, (double)wl_device_int(device, WL_DEVICE_l1_sector));
    wl_device_read_list(device, WL_DEVICE_instruction_cache, out->sm.code, 4);
    wl_device_read_list(device, WL_DEVICE_in_place_wait, out->l2.in_place_wait, 2);
    wl_device_read_list(device, WL_DEVICE_dispatch_slots, out->sm.dispatch, 4);
    wl_device_read_list(device, WL_DEVICE_atomic_word_rate, out->atomic.word_rate, 2);
    wl_device_read_list(device, WL_DEVICE_tensor_clock_loss, out->sm.clock_loss, 2);
    return true;
}

static void bound(wl_model_result *m, wl_bound_id id, double seconds)
{
    m->bound_known[id] = seconds > 0;
    m->bound_s[id] = seconds;
}

/* Cycles of the multiply pipe and one scheduler, as if it did all the work. If addresses take
 * multiplications, as many single-precision results share the part of the pipe that they need;
 * further ones have all of it. */
static double multiply_cycles(const wl_turnover *n, const wl_demand *d)
{
    const double beside = fmin(d->sm.results, d->sm.multiplies + d->sm.wide_multiplies);
    const double alone = n->sm.fp32_rate > 0 ? n->sm.lanes * n->sm.issue_rate / n->sm.fp32_rate : n->sm.narrow_multiply;
    return n->sm.narrow_multiply * (d->sm.multiplies + beside) + n->sm.wide_multiply * d->sm.wide_multiplies +
           fmin(alone, n->sm.narrow_multiply) * (d->sm.results - beside);
}

/* Slots of the schedulers: one for each instruction, and more for those that keep the dispatch busy
 * longer. */
static double dispatch_slots(const wl_turnover *n, const wl_demand *d)
{
    return d->sm.instructions + n->sm.dispatch[0] * d->sm.wide_multiplies + n->sm.dispatch[1] * d->sm.multiplies +
           n->sm.dispatch[2] * d->sm.global_inst + n->sm.dispatch[3] * d->sm.integer_inst;
}

/* Products of warp groups read and write their sums in every cycle: beside them, the schedulers
 * issue at half their rate. How many times as long all instructions take. */
static double slowed(const wl_turnover *n, const wl_demand *d)
{
    const double cycles = dispatch_slots(n, d) / n->sm.issue_rate;
    return cycles > 0 ? 1 + fmin(1, d->sm.group_cycles / 2 / cycles) : 1;
}

/* Blocks at the domain's edges have idle warps. Where all blocks are resident at once, some
 * multiprocessor has fewer of these than its share. Modelled as full and half blocks: with k on
 * each multiprocessor, the extreme of many is off by sqrt(2 ln sms) standard deviations, and at
 * most full. */
static double fullest(const wl_turnover *n, const wl_demand *d)
{
    const double fill = d->block_warps > 0 ? fmin(1, d->warps / (d->blocks * d->block_warps)) : 1;
    const bool unequal = d->uneven.kinds && d->uneven.kinds->count > 1, dealt = d->blocks <= d->blocks_per_sm * n->sms;
    if (unequal || !dealt || fill >= 1 || fill <= 0.5)
        return 1;
    const double full = 2 * fill - 1, spread = 0.5 * sqrt(full * (1 - full)), each = ceil(d->blocks / n->sms);
    return 1 + fmin(1 - fill, spread * sqrt(2 * log(fmax(1, n->sms)) / each)) / fill;
}

/* Two units that are busy at the same time: the time of the busier one or, if the device has a norm
 * for it, more. A warp that waits for one of them leaves the others idle, and so do conflicts for
 * ports and schedulers. */
static double beside(double a, double b, double norm)
{
    return norm > 0 && a > 0 && b > 0 ? wl_norm2(a, b, norm) : fmax(a, b);
}

double wl_l1_seconds(const wl_model_result *m)
{
    return fmax(m->bound_s[WL_BOUND_L1], m->bound_s[WL_BOUND_TAG]) + m->bound_s[WL_BOUND_DSMEM];
}

/* The time of a multiprocessor's units. Both stages of the L1 are one unit, and so are the pipes
 * that multiply. The norm applies to warps that are followed: an assumed life already includes the
 * wait for each instruction. */
static double units_together(const wl_turnover *n, const wl_demand *d, double turns, const wl_model_result *m)
{
    const double norm = d->waiting->assumed ? 0 : n->norm;
    const double *s = m->bound_s, l1 = wl_l1_seconds(m);
    const double multiplying = fmax(fmax(s[WL_BOUND_FP], s[WL_BOUND_MULTIPLY]), fmax(s[WL_BOUND_TENSOR], turns));
    const double pipes = beside(beside(l1, multiplying, norm), s[WL_BOUND_ISSUE], norm);
    return beside(beside(pipes, s[WL_BOUND_INTEGER], norm), s[WL_BOUND_CONSTANT], norm);
}

/* Bounds of the multiprocessors' units, without any waiting; the busiest multiprocessor has `even`
 * times the mean load. */
static double sm_bounds(const wl_turnover *n, const wl_demand *d, wl_model_result *m)
{
    const double even = ceil(d->blocks / n->sms) * n->sms / d->blocks * fullest(n, d),
                 cycles = n->sms * n->clock / even;
    bound(m, WL_BOUND_L1, (d->sm.l1_wavefronts / n->l1.wavefront_rate + over(d->l2_loaded, n->l1.fill_width)) / cycles);
    bound(m, WL_BOUND_TAG, d->sm.tag_wavefronts / cycles);
    bound(m, WL_BOUND_DSMEM, d->sm.remote_cycles / cycles);
    bound(m, WL_BOUND_CONSTANT, d->sm.constant_cycles / cycles);
    bound(m, WL_BOUND_ISSUE, slowed(n, d) * dispatch_slots(n, d) / (n->sm.issue_rate * cycles));
    bound(m, WL_BOUND_FP, d->sm.fp_cycles / cycles);
    bound(m, WL_BOUND_TENSOR, d->sm.tensor_cycles / cycles);
    bound(m, WL_BOUND_INTEGER, d->sm.integer_cycles / cycles);
    if (d->sm.wide_multiplies > 0)
        bound(m, WL_BOUND_MULTIPLY, multiply_cycles(n, d) / (n->sm.issue_rate * cycles));
    return units_together(n, d, d->sm.turn_cycles / cycles, m);
}

/* Until the busiest multiprocessor has sent its requests to the L2. With one block each, it is the
 * one with the heaviest block. */
static double sent_seconds(const wl_turnover *n, const wl_demand *d)
{
    double heaviest = 1;
    for (int i = 0; d->uneven.kinds && i < d->uneven.kinds->count && d->blocks <= n->sms; i++) {
        const wl_block_kind *k = &d->uneven.kinds->list[i];
        heaviest = fmax(heaviest, wl_kind_traffic(k, d->uneven.kinds) * d->blocks / k->blocks);
    }
    return heaviest * d->sm.port_cycles * ceil(d->blocks / n->sms) / d->blocks / n->clock;
}

/* The share of its data that is still in a cache of this size from an earlier equal launch. */
static double remains(const wl_turnover *n, const wl_demand *d, double room)
{
    return d->cold ? 0 : wl_data_remains(d->footprint, room, n->l2.steepness);
}

/* Launches repeat: each writes back the dirty data that the previous one left in the L2, unless it
 * overwrites that data there. Data that is read has a copy in both partitions of the L2, stored
 * data has none. */
static double written(const wl_turnover *n, const wl_demand *d)
{
    return d->dram.written + (d->cold ? 0 : d->requests.left * (1 - remains(n, d, n->l2.size)));
}

#define EVEN 4 /* over s (1 - s): 1 where both shares are a half */

/* The more evenly reads and writes share the bus, the more often it turns around. */
static double turning(const wl_turnover *n, const wl_demand *d)
{
    const double writes = written(n, d), moved = d->dram.read + writes, share = moved > 0 ? writes / moved : 0;
    return 1 + n->dram.turnaround * EVEN * share * (1 - share);
}

static double dram_seconds(const wl_turnover *n, const wl_demand *d)
{
    /* the rate of random fetches has their overhead */
    const double ordered = fmax(0, d->dram.read - n->dram.fetch * d->requests.random);
    const double reads =
        d->dram.read + ordered * (n->dram.request_overhead / d->requests.chunk - n->dram.request_overhead / n->l1.line);
    const double writes = written(n, d) * (1 + n->dram.request_overhead / d->requests.write_chunk -
                                           n->dram.request_overhead / n->l1.line);
    const double loss = 1 + n->dram.region_loss * log2(fmax(1, d->thread.planes));
    return (reads + n->dram.write_cost * writes) / n->dram.bandwidth * loss * turning(n, d);
}

/* Sectors of atomics that the busiest slice of the L2 has. A group of lines is in one slice, and a
 * hash says in which: groups fall into slices like balls into bins. The largest of n normal numbers
 * is about sqrt(2 ln n) - (ln ln n + ln 4 pi) / (2 sqrt(2 ln n)) deviations above their mean. Many
 * groups are spread more evenly than by chance: the deviation is one group at most. */
static double on_busiest_slice(const wl_demand *d, double slices)
{
    if (slices < 2)
        return d->atomics.sectors;
    const double extreme = sqrt(2 * log(slices)), above = extreme - log(4 * acos(-1) * log(slices)) / (2 * extreme);
    const double group = d->atomics.sectors > 0 ? d->atomics.squared_sectors / d->atomics.sectors : 0;
    const double deviation = fmin(group, sqrt(d->atomics.squared_sectors / slices * (1 - 1 / slices)));
    return fmin(d->atomics.sectors,
                fmax(d->atomics.hot_sectors, d->atomics.sectors / slices + fmax(0, above) * deviation));
}

/* Atomics take as long as the busiest slice of the L2, or as requests for one line in turn; a sum
 * of floating-point numbers waits for the one before. The rate on one address is that of a slice,
 * so all rates together say how many slices there are. */
static double atomic_seconds(const wl_turnover *n, const wl_demand *d)
{
    const double on_line = over(d->atomics.hot_requests, n->atomic.word_rate[0]),
                 all =
                     fmax(over(d->atomics.sectors, n->atomic.rate), over(d->atomics.hot_sums, n->atomic.word_rate[1]));
    if (!(n->atomic.address_rate > 0))
        return fmax(all, on_line);
    const double slices = n->atomic.rate > 0 ? n->atomic.rate / n->atomic.address_rate : 1;
    return fmax(fmax(all, on_line), on_busiest_slice(d, slices) / n->atomic.address_rate);
}

/* Requests update parts of one line in place: each reads its part, then writes it, and a write
 * delays the reads of others. Returns the delay as a share of the time. Threads that have just
 * started read at the same time, and few conflict; those that have stored before have drifted
 * apart. */
static double delayed(const wl_turnover *n, const wl_demand *d)
{
    return n->l2.in_place_wait[0] * d->in_place[0] + n->l2.in_place_wait[1] * d->in_place[1];
}

/* L2 misses are served by memory or by its memory-side cache: loaded earlier in this launch, or by
 * an earlier launch. */
static double behind_l2(const wl_turnover *n, const wl_demand *d)
{
    if (!(n->dram.cache_bandwidth > 0))
        return dram_seconds(n, d);
    wl_demand rest = *d;
    const double kept = remains(n, d, n->dram.cache), hits = fmin(d->dram.cached, d->dram.read);
    rest.dram.read -= hits;
    return (1 - kept) * dram_seconds(n, &rest) +
           over(kept * (rest.dram.read + written(n, d)) + hits, n->dram.cache_bandwidth);
}

/* `cold` is the share of DRAM traffic that the L2 does not save. */
static void memory_bounds(const wl_turnover *n, const wl_demand *d, double cold, wl_model_result *m)
{
    const double lone = n->l2.lone_rate > 0 ? d->requests.lone_units : 0;
    /* what comes from memory passes through the L2 once more */
    bound(m, WL_BOUND_L2,
          (n->l2.unit * (d->requests.read_units - lone + n->l2.write_cost * d->requests.written_units) + d->dram.read) /
                  n->l2.bandwidth +
              over(lone, n->l2.lone_rate));
    bound(m, WL_BOUND_PIECES, over(d->requests.pieces, n->l2.piece_rate));
    bound(m, WL_BOUND_DRAM, cold * behind_l2(n, d));
    bound(m, WL_BOUND_RANDOM, cold * over(d->requests.random + 2 * d->requests.cleaned, n->dram.random_rate));
    bound(m, WL_BOUND_ATOMICS, atomic_seconds(n, d));
    bound(m, WL_BOUND_LAUNCH, d->blocks / n->launch.block_rate);
}

/* A block takes at least as long as its longest warp: that warp's dependent instructions, and its
 * loads, in phases or one after another. */
static double longest_cycles(const wl_turnover *n, const wl_demand *d)
{
    const wl_longest_warp *longest = &d->uneven.longest;
    const double together = (longest->loads - longest->serial) / fmax(1, d->thread.loads_per_phase);
    if (longest->instructions <= 0 || !d->waiting->assumed) /* the longest life includes it */
        return 0;
    return n->launch.turnover + n->sm.instruction_wait * longest->instructions +
           wl_wait_of_phase(n) * (longest->serial + together);
}

/* ---- how long a block waits ---- */

typedef struct waits {
    double waves;
    double start; /* cycles until a block runs */
    wl_residents at;
    double cold;     /* the share of DRAM traffic that the L2 does not save */
    double l2, dram; /* seconds of the memory's bounds */
} waits;

/* Cycles of all waves, one after the other. The last wave may be partial: its blocks have the
 * multiprocessors to themselves, unless their life is as short as their start, or blocks have
 * drifted apart over many waves. */
static double all_waves(const wl_turnover *n, const wl_demand *d, const waits *w, double wait)
{
    const double each = wl_residence(n, &w->at, wait), full = floor(w->waves);
    const double left = d->blocks - full * n->sms * w->at.blocks;
    if (left <= 0 || w->waves <= 1 || wait <= 0)
        return w->waves * each;
    wl_residents last = w->at;
    last.blocks = fmin(w->at.blocks, ceil(left / n->sms));
    const double in_step = fmax(0, 1 - w->start / wait) / full;
    return w->waves * each + in_step * (wl_residence(n, &last, wait) - (w->waves - full) * each);
}

#define ROUNDS 4 /* until the wait for DRAM and the time agree */

wl_block_waits wl_waits_of_life(const wl_waiting *life, double cold, double times)
{
    return (wl_block_waits){.issue = times * life->issue,
                            .dependence = times * (life->stall[WL_STALL_NONE] + life->stall[WL_STALL_DEPENDENCE]),
                            .shared = times * life->stall[WL_STALL_SHARED],
                            .fetch = times * life->stall[WL_STALL_FETCH],
                            .level = {times * life->level[0], times * life->level[1], times * cold * life->level[2]},
                            .barrier = times * life->stall[WL_STALL_BARRIER]};
}

double wl_waits_sum(const wl_block_waits *w)
{
    return w->start + w->issue + w->dependence + w->shared + w->fetch + w->level[0] + w->level[1] + w->level[2] +
           w->queue + w->barrier;
}

/* Blocks of a wave that want the same lock come at the same time, and have it one after the other,
 * from their first atomic to their last, before which what they store must arrive. Who waits sees
 * an atomic later that it is free. */
static double wait_for_lock(const wl_turnover *n, const wl_demand *d, const waits *w, const wl_waiting *life)
{
    const double others = d->uneven.lock_takers / w->waves - 1;
    return others > 0 ? others * (life->atomics * life->cycles + n->l2.latency + n->atomic.latency) : 0;
}

/* Blocks that have told their own part look back until one knows the whole, that is until its own
 * look back ended. Of r blocks that look back, w parts at a time, the whole reaches the last one
 * when it has looked sqrt(2 r / w) times. Over many waves, those look back that are not at other
 * work, which takes `other` cycles: by Little's law r = resident blocks W / (other + W). The life
 * has one look of them. */
static double look_back(const wl_turnover *n, const wl_demand *d, const waits *w, const wl_waiting *life, double other)
{
    if (!d->uneven.chained || !(d->uneven.at_once > 0))
        return 0;
    const double resident = fmin(d->blocks, n->sms * w->at.blocks), look = life->asking.cycles;
    const double all = 2 * look * look * resident / d->uneven.at_once, half = w->waves > 1 ? other / 2 : 0;
    return fmax(0, sqrt(half * half + all) - half - look);
}

/* Until the last of a chain of blocks has been told: the next one sees what a block has stored half
 * a latency later, and has asked half a latency before that, on average. */
static double chain_cycles(const wl_demand *d, const wl_waiting *life)
{
    if (!d->uneven.chained || d->uneven.at_once > 0)
        return 0;
    return d->blocks * life->asking.times * (life->asking.cycles + life->asking.latency / 2);
}

/* The wait from the life of its longest warp. The more of DRAM's bandwidth is used, the longer each
 * wait for it: reads queue, and between writes they wait longer. */
static double wait_of_life(const wl_turnover *n, const wl_demand *d, const waits *w, const wl_waiting *life,
                           wl_block_waits *parts)
{
    const double dram = life->level[2]; /* what DRAM adds to the wait for the L2 */
    const double lock = wait_for_lock(n, d, w, life), calm = w->start + lock + life->cycles - dram * (1 - w->cold);
    const double writes = written(n, d), traffic = d->dram.read + writes;
    const double between = traffic > 0 ? n->dram.write_wait * writes / traffic : 0;
    const double all = dram + life->fetches * n->l2.latency; /* dram_latency, each time */
    const double q = n->norm, memory = wl_norm2(w->l2, w->dram, q);
    const double queue = w->cold * (n->dram.queue_wait * all + between * life->fetches);
    double wait = calm, back = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double sm = all_waves(n, d, w, wait) / n->clock;
        const double time = wl_norm2(sm, memory, q);
        wait = calm + (time > 0 ? queue * w->dram / time : 0);
        back = i == 0 ? look_back(n, d, w, life, time * n->clock / w->waves) : back;
    }
    wait += back;
    *parts = wl_waits_of_life(life, w->cold, 1);
    parts->start = w->start;
    parts->queue = wait - back - calm;
    parts->level[1] += lock + back;
    return wait;
}

/* The resident blocks of a multiprocessor. Warps that start together or synchronize at barriers
 * execute the same instructions in turn: they stay in lockstep and stall together, apart by one
 * instruction of each other warp. The longest warp is delayed by the work of the others on its
 * scheduler, or in the L1. Warps that drift apart are not delayed like this. */
static wl_residents residents_of(const wl_turnover *n, const wl_demand *d, const wl_model_result *m, double at_once,
                                 double cycles, double busiest)
{
    const double own = busiest * cycles, *s = m->bound_s;
    wl_residents r = {.blocks = at_once, .own = own, .warps = d->block_warps / n->sm.schedulers};
    const bool meet = d->barriers > 0 || r.warps <= 0;
    const double arithmetic = fmax(fmax(s[WL_BOUND_FP], s[WL_BOUND_MULTIPLY]), s[WL_BOUND_INTEGER]);
    const double scheduler =
        fmax(s[WL_BOUND_ISSUE], arithmetic) * cycles - slowed(n, d) * d->waiting->issue - d->waiting->covered[0];
    r.l1 = wl_l1_seconds(m) * cycles;
    const double l1 = r.l1 * (1 - 1 / fmax(1, d->block_warps)) - d->waiting->covered[1];
    r.in_step = fmax(0, fmax(scheduler, l1));
    r.apart = meet ? 0 : d->waiting->apart;
    return r;
}

/* Warps that loop through the same data at the same time cannot overtake the leading one. It waits
 * for each new sector; the others work meanwhile. */
static bool follow_leader(const wl_turnover *n, const wl_demand *d, const waits *w, double *wait, double *sm,
                          wl_model_result *m)
{
    wl_block_waits parts;
    if (d->waiting->assumed || !d->leading || !d->leading->known)
        return false;
    const double first = wait_of_life(n, d, w, d->leading, &parts), all = w->waves * first / n->clock;
    if (all <= *sm)
        return false;
    *wait = first;
    *sm = all;
    m->waits = parts;
    return true;
}

/* Warps that loop find in the L1 what others of their block have loaded at an earlier step, but one
 * of them is always the first: it waits for the L2 and is the last to end. The others end before,
 * evenly spread, and as no block takes their place, the multiprocessor has on average half a block
 * less meanwhile. Returns the cycles that all blocks of a wave lose by that. */
static double wait_for_last(const wl_turnover *n, const wl_demand *d, const wl_residents *all, double wait)
{
    const double longer = d->thread.phases * d->requests.shared_later * (n->l2.latency - n->l1.latency);
    wl_residents fewer = *all;
    fewer.blocks--;
    if (!d->waiting->assumed || all->apart <= 0 || longer <= 0)
        return 0;
    if (fewer.blocks <= 0)
        return longer / 2;
    const double slower = wl_residence(n, &fewer, wait) / fewer.blocks, each = wl_residence(n, all, wait) / all->blocks;
    return all->blocks * longer / 2 * fmax(0, 1 - each / slower);
}

/* Cycles from the end of a block to the start of its successor. */
static double until_start(const wl_turnover *n, const wl_demand *d)
{
    return n->launch.turnover + (d->thread.stores > 0 ? n->launch.store_wait : 0);
}

/* Cycles for which the first blocks wait for instructions that nobody has executed. A launch starts
 * with half of the second instruction cache filled. */
static double first_instructions(const wl_turnover *n, const wl_demand *d)
{
    const double ready = fmin(d->waiting->code, n->sm.code[1] / 2);
    return ready * n->sm.code[2] + (d->waiting->code - ready) * n->sm.code[3];
}

/* Adds the atomics. With several waves, atomics of some blocks overlap with the work of others.
 * With one wave, all blocks are at the same point of their code: only the work between the first
 * and the last atomic overlaps with them. `share` is the weight of atomics in the time. */
static double with_atomics(const wl_turnover *n, const wl_demand *d, double waves, double rest, double atomics,
                           double *share)
{
    const double q = n->norm, apart = wl_norm2(rest, atomics, q);
    *share = apart > 0 ? pow(atomics / apart, q) : 0;
    if (atomics <= 0)
        return apart;
    const double meanwhile = rest * d->waiting->atomics;
    const double beside = wl_norm2(meanwhile, atomics, q), in_step = rest - meanwhile + beside;
    const double time = apart + (in_step - apart) / waves, alone = apart * *share;
    *share = (alone + (beside * pow(atomics / beside, q) - alone) / waves) / time;
    return time;
}

/* Blocks share less, or more, of what they load if they find it in the L2. */
static wl_demand loaded_again(const wl_demand *d, double remains)
{
    wl_demand again = *d;
    const double more = fmax(-d->l2_loaded, remains * d->l2_again),
                 factor = d->l2_loaded > 0 ? 1 + more / d->l2_loaded : 1;
    again.l2_loaded += more;
    again.requests.read_units *= factor;
    again.requests.lone_units *= factor;
    return again;
}

/* ---- which bound weighs most ---- */

static wl_bound_id busiest_unit(const wl_model_result *m)
{
    static const wl_bound_id units[] = {WL_BOUND_L1,       WL_BOUND_TAG,   WL_BOUND_FP,
                                        WL_BOUND_TENSOR,   WL_BOUND_ISSUE, WL_BOUND_INTEGER,
                                        WL_BOUND_MULTIPLY, WL_BOUND_DSMEM, WL_BOUND_CONSTANT};
    wl_bound_id most = WL_BOUND_L1;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        most = wl_larger_bound(m, most, units[i]);
    return most;
}

/* About by how much the time falls with each bound: members of a norm by their powers, waits by the
 * part of a multiprocessor's time that they are not hidden. `waiting` is that part. */
static void weigh(const wl_turnover *n, double waiting, double delivered, wl_model_result *m)
{
    const wl_turnover_steps *s = &m->steps;
    const double both = s->rest - s->conflicts, q = n->norm, started = m->time_s > 0 ? s->started / m->time_s : 0;
    const double inner = fmax(0, s->memory - s->alone[0] - s->alone[1]);
    const double sm = both > 0 ? pow(fmin(1, s->sm / both), q) : 0, rest = (1 - started) * (1 - s->atomics);
    const double members = inner > 0 ? pow(fmin(1, s->dram / inner), q) : 1;
    const double dram = s->memory > 0 ? (s->alone[1] + inner * members) / s->memory : 0;
    const double ended = s->filled > 0 ? s->filled : fmax(s->together, s->longest);
    /* waits that are longer because others use DRAM belong to its latency and to its bandwidth */
    const double queued = m->wait_cycles > 0 ? m->waits.queue / m->wait_cycles / 2 : 0;
    const double starts = m->wait_cycles > 0 ? m->waits.start / m->wait_cycles : 0;
    double *w = m->weight;
    if (m->bound_s[WL_BOUND_LAUNCH] > ended - s->first_end || s->longest > s->together) {
        w[s->longest > s->together ? WL_BOUND_LATENCY : WL_BOUND_LAUNCH] = 1 - started;
    } else if (delivered >= ended) {
        w[WL_BOUND_L2] = 1 - started;
    } else {
        w[WL_BOUND_LATENCY] = rest * sm * waiting * (1 - queued - starts);
        w[WL_BOUND_LAUNCH] = rest * sm * waiting * starts;
        w[busiest_unit(m)] += rest * sm * (1 - waiting);
        w[wl_larger_bound(m, WL_BOUND_DRAM, WL_BOUND_RANDOM)] += rest * ((1 - sm) * dram + sm * waiting * queued);
        w[wl_larger_bound(m, WL_BOUND_L2, WL_BOUND_PIECES)] += rest * (1 - sm) * (1 - dram);
        w[WL_BOUND_ATOMICS] = (1 - started) * s->atomics;
    }
    w[WL_BOUND_LAUNCH] += started;
}

void wl_turnover_apply(const wl_turnover *n, const wl_demand *counted, wl_model_result *m)
{
    *m = (wl_model_result){.id = WL_MODEL_TURNOVER};
    m->remains = remains(n, counted, n->l2.room);
    const wl_waiting life = wl_life_of_block(n, counted);
    wl_demand again = loaded_again(counted, m->remains);
    again.waiting = &life;
    const wl_demand *d = &again;
    const double busiest = sm_bounds(n, d, m);
    const double cold = 1 - m->remains;
    memory_bounds(n, d, cold, m);
    /* on the busiest multiprocessor */
    const double at_once = fmin(d->blocks_per_sm, ceil(d->blocks / n->sms));
    const double waves = fmax(d->blocks / (n->sms * at_once), 1);
    const wl_residents block = residents_of(n, d, m, at_once, n->clock / (waves * at_once), busiest);
    const double own = block.own;
    const double l2 = m->bound_s[WL_BOUND_L2], dram = m->bound_s[WL_BOUND_DRAM];
    const double q = n->norm;
    /* blocks of one wave end together, and retire one after the other */
    const double leaving = fmax(0, fmin(d->blocks, n->sms * at_once) - n->sms) / n->launch.block_rate * n->clock;
    const waits w = {.waves = waves,
                     .start = until_start(n, d) + leaving / waves,
                     .at = block,
                     .cold = cold,
                     .l2 = l2,
                     .dram = dram};
    m->from_life = !life.assumed;
    double wait = wait_of_life(n, d, &w, &life, &m->waits);
    double sm = all_waves(n, d, &w, wait) / n->clock;
    /* All blocks leave one after the other, from the end of the first one on. */
    const double first_end = (wait - w.start) / n->clock;
    const bool led = follow_leader(n, d, &w, &wait, &sm, m); /* all to the end, together */
    const double apart = led || d->uneven.in_turns
                             ? 0
                             : (wl_end_apart(n, &block, wait) + waves * wait_for_last(n, d, &block, wait)) / n->clock;
    bound(m, WL_BOUND_LATENCY, (waves * wait - leaving) / n->clock);
    /* the part of a multiprocessor's time that shorter waits would shorten */
    const double sooner = led ? (1 - WL_LITTLE) * sm : all_waves(n, d, &w, (1 - WL_LITTLE) * wait) / n->clock;
    const double waiting = sm > 0 && wait > 0 ? fmin(1, (1 - sooner / sm) / WL_LITTLE) : 0;

    /* merging of lone partial writes, and DRAM rows opened to clean single sectors, overlap with no
     * other memory traffic; other partial writes are ordinary work of the L2, random fetches of
     * DRAM */
    const double lone = over(d->requests.lone_pieces, n->l2.piece_rate), other = m->bound_s[WL_BOUND_PIECES] - lone;
    const double cleaning = cold * over(2 * d->requests.cleaned, n->dram.random_rate);
    const double random = cold * over(d->requests.random, n->dram.random_rate);
    const double memory = wl_norm2(l2 + other, dram + random, q) + lone + cleaning;
    const double start = n->launch.duration + first_instructions(n, d) / n->clock;
    const double both = wl_norm2(sm + apart, memory, q), conflicts = cold * delayed(n, d) * both;
    const double rest = both + conflicts;
    bound(m, WL_BOUND_PIECES, m->bound_s[WL_BOUND_PIECES] + conflicts);
    double share;
    /* what is loaded is requested and delivered in at least this time, however well the rest
     * overlaps */
    const double chain = chain_cycles(d, &life) / n->clock;
    const double sent = sent_seconds(n, d), delivered = fmax(over(d->l2_loaded, n->l2.read_bandwidth), sent);
    const double together = fmax(with_atomics(n, d, waves, rest, m->bound_s[WL_BOUND_ATOMICS], &share), delivered);
    /* load of the busiest multiprocessor / mean load of those with blocks */
    const double shares = ceil(d->blocks / n->sms) * fmin(n->sms, d->blocks) / d->blocks;
    m->steps = (wl_turnover_steps){.own = busiest,
                                   .even = busiest / shares,
                                   .sm = sm + apart,
                                   .apart = apart,
                                   .l2 = l2 + other,
                                   .dram = dram + random,
                                   .alone = {lone, cleaning},
                                   .memory = memory,
                                   .conflicts = conflicts,
                                   .rest = rest,
                                   .together = together,
                                   .atomics = share,
                                   .started = start};
    if (d->uneven.kinds && d->uneven.kinds->count > 1) {
        /* of a mean block: all work, distributed evenly */
        m->own_cycles = busiest * n->clock / ceil(d->blocks / n->sms);
        m->from_life = false;
        const double filled =
            fmax(fmax(sent, chain), wl_turnover_fill(n, d, m->own_cycles, &block, memory + conflicts, m) / n->clock);
        m->steps.filled = filled;
        m->time_s = fmax(filled, m->bound_s[WL_BOUND_LAUNCH]) + start;
        weigh(n, waiting, sent, m);
        bound(m, WL_BOUND_LAUNCH, m->bound_s[WL_BOUND_LAUNCH] + start);
        return;
    }
    const double last = fmax(0, d->uneven.last_block - own) / n->clock;
    m->own_cycles = own;
    m->wait_cycles = wait;
    m->tail_cycles = apart * n->clock;
    const double longest = fmax(longest_cycles(n, d) / n->clock, chain > 0 ? chain + first_end : 0);
    m->steps.longest = longest;
    m->steps.first_end = first_end;
    m->steps.last = last;
    m->time_s = fmax(fmax(together, longest), first_end + m->bound_s[WL_BOUND_LAUNCH]) + last + start;
    weigh(n, waiting, delivered, m);
    bound(m, WL_BOUND_LAUNCH, m->bound_s[WL_BOUND_LAUNCH] + start);
}
