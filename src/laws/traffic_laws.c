/* traffic_laws.c - see traffic_laws.h. SPDX-License-Identifier: MIT */
#include "laws/traffic_laws.h"

#include <math.h>

#include "device/device_internal.h"
#include "laws/reloads.h"

#define HALVINGS 60 /* bisection steps: to the last digit */
#define SWEEPS 8    /* reuse distances distinguished: 1, 2, .. windows */

bool wl_laws_read(const wl_device *d, wl_laws *out)
{
    *out = (wl_laws){.partitions = (double)wl_device_int(d, WL_DEVICE_l2_partitions)};
    wl_device_read_list(d, WL_DEVICE_l1_reload_curve, out->reload, 3);
    wl_device_read_list(d, WL_DEVICE_l2_walk_merge, out->walk_merge, sizeof out->walk_merge / sizeof *out->walk_merge);
    wl_device_read_list(d, WL_DEVICE_store_combine, out->combine, 3);
    wl_device_read_list(d, WL_DEVICE_store_combine_warps, out->combine_warps, 2);
    wl_device_read_list(d, WL_DEVICE_l2_dirty_rest, out->dirty, 2);
    out->random_hits[0] = 1; /* all of the room holds what is loaded */
    wl_device_read_list(d, WL_DEVICE_l2_random_hits, out->random_hits, 2);
    (void)wl_device_get(d, WL_DEVICE_l2_merge, &out->merge);
    (void)wl_device_get(d, WL_DEVICE_l2_merge_blocks, &out->merge_blocks);
    out->gpc_sms =
        floor(fmax(1, (double)wl_device_int(d, WL_DEVICE_sm_count) / (double)wl_device_int(d, WL_DEVICE_gpcs)));
    (void)wl_device_get(d, WL_DEVICE_l2_partial_room, &out->partial_room);
    (void)wl_device_get(d, WL_DEVICE_memory_cache, &out->memory_cache);
    /* local memory needs these on every device; without measured ones, all of a partition holds
     * data */
    out->room = (double)wl_device_int(d, WL_DEVICE_l2_size) / out->partitions;
    out->steepness = INFINITY;
    const bool room = wl_device_get(d, WL_DEVICE_l2_reuse_room, &out->room),
               steepness = wl_device_get(d, WL_DEVICE_l2_reuse_steepness, &out->steepness);
    return wl_device_list_length(d, WL_DEVICE_l1_reload_curve) == 3 && room && steepness;
}

/* ---- L1 ---- */

double wl_laws_l1_evicted(const wl_laws *laws, double oversubscription)
{
    return exp(-laws->reload[1] * exp(-laws->reload[2] * oversubscription));
}

typedef struct load_totals {
    double requested, block_sectors, block_lines, warp_lines, wave_sectors;
    double far_lines; /* of fields that distant blocks may share */
} load_totals;

static load_totals add_loads(const wl_traffic *t)
{
    load_totals s = {0};
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_traffic *f = &t->fields[i];
        s.requested += f->loads.requested;
        s.block_sectors += f->loads.block_sectors;
        s.block_lines += f->loads.block_lines;
        s.far_lines += f->loads.far_common ? f->loads.block_lines : 0;
        s.warp_lines += f->loads.warp_lines;
        s.wave_sectors += f->loads.wave_sectors;
    }
    return s;
}

/* Resident blocks that read a sector: sectors that the blocks of a wave load / distinct ones. */
static double readers_of(const wl_traffic *t, double block_sectors, double wave_sectors)
{
    return fmax(1, block_sectors * t->wave_blocks / t->blocks / wave_sectors);
}

/* Requests of several multiprocessors for one sector merge when many resident blocks read it. */
static double merged_share(const wl_traffic *t, const wl_laws *laws, const load_totals *s)
{
    if (!t->windows_known || s->wave_sectors <= 0)
        return 0;
    const double readers = readers_of(t, s->block_sectors, s->wave_sectors);
    return laws->merge * (1 - 1 / readers) * (1 - 1 / readers);
}

/* Blocks of one group load the same data. The number of groups is the data of the wave / the data
 * of one block. */
static double groups_of(const wl_traffic *t, const wl_field_traffic *f)
{
    const double each = f->loads.block_sectors / t->blocks;
    return f->loads.far_common && each > 0 ? fmax(1, f->loads.wave_sectors / each) : INFINITY;
}

/* Sectors of a field that another block on the same multiprocessor has fetched, in a launch of
 * several waves. Blocks are placed almost at random: the n of one multiprocessor belong to this
 * many groups. Blocks of one group stay together, since one that falls behind hits more often in
 * the L1 and catches up; the more there are, the closer they stay. */
static double found_in_step(const wl_traffic *t, const wl_field_traffic *f)
{
    const double n = t->resident, groups = groups_of(t, f), members = n / groups;
    if (members <= 0)
        return 0;
    return members / (1 + members) * (1 - groups * (1 - pow(1 - 1 / groups, n)) / n);
}

/* Sectors that another block on the same multiprocessor has fetched: all they have in common while
 * their lines fit into the L1; beyond, as far as the blocks run in lockstep. */
static double found_of_others(const wl_traffic *t, const wl_laws *laws, const load_totals *s, const wl_field_traffic *f)
{
    if (!f->loads.far_common)
        return 0;
    const double n = t->resident, own = s->block_lines - s->far_lines;
    const double lines = s->far_lines / t->blocks * (n - (n - 1) * t->common) + own / t->blocks * n;
    const double found = 1 - laws->reload[0] * wl_laws_l1_evicted(laws, lines * t->line / t->l1_bytes);
    const double known = t->common > 0 ? found * t->common * (n - 1) / n : 0;
    const bool spread = t->windows_known && t->blocks > t->wave_blocks && !f->loads.random;
    return spread ? fmax(known, found_in_step(t, f)) : known;
}

/* A field that is small compared with the L1 (a table of coefficients) stays resident: every
 * multiprocessor loads it once. Returns the share of its volume that remains. */
static double small_field(const wl_traffic *t, const wl_laws *laws, const wl_field_traffic *f, double bytes)
{
    const int last = t->window_count - 1;
    if (!t->windows_known || last < 0 || f->windows.units[last] <= 0 || bytes <= 0)
        return 1;
    const double stays = 1 - wl_laws_l1_evicted(laws, f->windows.lines[last] * t->l2_line / t->l1_bytes);
    return 1 - stays + stays * fmin(1, t->sms * f->windows.units[last] * t->fetch / bytes);
}

/* A request is merged, or hits, only if another block requested the sector: the L2 still delivers
 * every distinct sector of the launch once, and so at least one sector of every fetch unit. */
static double at_least(const wl_traffic *t, const wl_field_traffic *f)
{
    if (!t->windows_known || t->window_count <= 0 || f->loads.block_sectors <= 0)
        return 0;
    const double units = f->windows.units[t->window_count - 1] * fmin(1, t->fetch / t->sector);
    return fmin(1, fmax(units, f->loads.launch_sectors) / f->loads.block_sectors);
}

static bool walks_merge(const wl_laws *laws, const wl_field_traffic *f)
{
    return f->loads.far_common && laws->walk_merge[1] > 0 && f->loads.wave_sectors > 0;
}

/* Multiprocessors whose blocks walk through the same data request the same lines. A coalescer in
 * front of the L2 sends one request for some of them: the share that is left out. Lines that are in
 * the L2 are soon there: then mostly blocks merge that were started together and read the same. */
static double merged_from_l2(const wl_traffic *t, const wl_laws *laws, const wl_field_traffic *f)
{
    if (!walks_merge(laws, f))
        return 0;
    const wl_replayed_walk *w = &f->replay.walk;
    const double most = 1 - 1 / fmax(1, laws->merge_blocks);
    const double several = 1 - 1 / readers_of(t, f->loads.block_sectors, f->loads.wave_sectors);
    const double started_together = 1 - exp(-laws->walk_merge[0] * sqrt(w->readers.near));
    return most * started_together * w->whole_lines * w->whole_lines * several * several;
}

/* The same while lines are on their way from memory: up to four requests merge that come within
 * `walk_merge[1]` cycles. */
static double walk_merged(const wl_traffic *t, const wl_laws *laws, const wl_field_traffic *f)
{
    if (!walks_merge(laws, f))
        return 0;
    const double from_l2 = merged_from_l2(t, laws, f);
    const wl_replayed_walk *w = &f->replay.walk;
    const double most = 1 - 1 / fmax(1, laws->merge_blocks);
    /* multiprocessors of the GPC that read it at the same step */
    const double of_gpc = laws->gpc_sms - fmin(w->readers.near, laws->gpc_sms),
                 members = w->readers.near + of_gpc * (1 - exp(-(w->readers.wave - w->readers.near) / t->sms));
    const double lockstep = w->lockstep * fmin(1, laws->walk_merge[1] / fmax(1, w->within));
    return lockstep * fmax(from_l2, fmin(most, 1 - 1 / members)) + (1 - lockstep) * from_l2;
}

/* What the warps of a block share. At other steps of their loops: the share of a warp's sectors, as
 * of the rows of a stencil in a tall block. At the same step: how many warps load the same sectors,
 * on average over those of a warp, as in a column of a matrix product. Neighbours that have only
 * some in common, fewer than two warps each, wait for their others. */
static void share_in_loops(const wl_traffic *t, wl_requests *out)
{
    double all = 0, later = 0, distinct = 0;
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_traffic *f = &t->fields[i];
        if (f->loads.step_warp_sectors[0] <= 0 || f->loads.warp_sectors <= 0)
            continue;
        const double at_a_step = fmin(1, f->loads.step_sectors[0] / f->loads.step_warp_sectors[0]);
        all += f->loads.warp_sectors;
        later += fmax(0, f->loads.warp_sectors - f->loads.block_sectors / at_a_step);
        distinct += f->loads.warp_sectors * (at_a_step > 0.5 ? 1 : at_a_step);
    }
    out->shared_later = all > 0 ? later / all : 0;
    out->group = distinct > 0 ? all / distinct : 1;
}

/* What the laws of the L1 read, and the launch with all its loads: the same unless some leave the
 * L1 alone. */
typedef struct sides {
    const wl_traffic *l1, *all;
    load_totals of_l1, of_all;
    wl_reloads reloads, without_l1;
} sides;

static sides find_sides(const wl_traffic *t, const wl_laws *laws)
{
    sides s = {.l1 = t->of_l1 ? t->of_l1 : t, .all = t};
    s.of_all = s.of_l1 = add_loads(t);
    s.reloads = wl_reloads_find(s.l1, laws);
    if (t->of_l1) {
        wl_traffic nothing_fits = *t;
        nothing_fits.l1_bytes = t->line;
        s.of_l1 = add_loads(t->of_l1);
        s.without_l1 = wl_reloads_find(&nothing_fits, laws);
    }
    return s;
}

/* How many of the requests that neighbours make in the same step come at the same moment. A ring of
 * copies: all in the first wave. Later, as long as blocks wait for what they copy, the first of
 * them waits for memory, and the others catch up; the longer they compute on what their ring holds,
 * the farther apart they stay. */
static double stay_in_step(const wl_traffic *t, const wl_laws *laws, const wl_field_traffic *f)
{
    const double *merge = laws->walk_merge, waves = fmax(t->blocks / fmax(1, t->wave_blocks), t->rounds);
    if (!f->loads.copied)
        return 1;
    const double later = merge[3] > 0 ? merge[2] / (1 + pow(t->ring_cycles / merge[3], merge[4])) : 0;
    return waves > 1 ? (1 + (waves - 1) * later) / waves : 1;
}

/* Loads of a field that use the L1. */
static void loads_by_l1(const sides *s, const wl_laws *laws, double apart, size_t field, wl_volume *v)
{
    const wl_traffic *t = s->l1;
    const wl_field_traffic *f = &t->fields[field];
    const double missing = 1 - found_of_others(t, laws, &s->of_l1, f);
    const double arrive = fmin(apart, 1 - f->loads.in_step) * missing;
    const double again_here = wl_reloads_of(&s->reloads, t, f);
    const double small = small_field(t, laws, f, (f->loads.block_sectors + again_here) * t->sector * arrive);
    const double left = fmax(arrive * small, at_least(t, f));
    v->l2_compulsory = f->loads.block_sectors * t->sector * left;
    v->l2_capacity = again_here * t->sector * left;
    v->dram_capacity = wl_reloads_from_dram(&s->reloads, t, f) * t->sector * left;
}

/* Warps of a block that load the same sectors at the same step: their requests past the L1 merge as
 * those of blocks in lockstep. Returns what is left of them. Neighbours that have only some in
 * common request different parts of a line. */
static double joined_by_warps(const wl_laws *laws, const wl_field_traffic *f)
{
    const double at_a_step =
        f->loads.step_warp_sectors[0] > 0 ? f->loads.step_sectors[0] / f->loads.step_warp_sectors[0] : 1;
    return at_a_step > 0.5 ? 1 : fmax(at_a_step, 1 / fmax(1, laws->merge_blocks));
}

/* Loads of a field that leave the L1 alone: all their requests go to the L2, where they merge as
 * others do. */
static void loads_past_l1(const sides *s, const wl_laws *laws, double apart, size_t field, wl_volume *v)
{
    const wl_traffic *t = s->all;
    const wl_field_traffic *f = &t->fields[field], *of_l1 = &s->l1->fields[field];
    const double requested = fmax(0, f->loads.requested - of_l1->loads.requested);
    if (requested <= 0)
        return;
    const double joined = f->loads.in_step * stay_in_step(t, laws, f);
    const double left = fmax(f->loads.copied ? 1 - joined : fmin(apart, 1 - joined), at_least(t, f)) * t->sector;
    const double fresh = fmin(requested, fmax(0, f->loads.block_sectors - of_l1->loads.block_sectors));
    const double read = fmax(fresh, requested * joined_by_warps(laws, f));
    v->l2_compulsory += fresh * left;
    v->l2_capacity += (read - fresh) * left;
    v->l2_joined = (requested - read) * left;
    v->dram_capacity += wl_reloads_from_dram(&s->without_l1, t, f) * requested / f->loads.requested * left;
}

static void loads(const sides *s, const wl_laws *laws, wl_volumes *out)
{
    const wl_traffic *t = s->all;
    out->l1_alloc_bytes = s->of_l1.block_lines * t->line / t->blocks * t->resident;
    out->l1_oversubscription = out->l1_alloc_bytes / t->l1_bytes;
    out->replay_size = t->replay_size;
    const double apart = 1 - merged_share(s->l1, laws, &s->of_l1),
                 apart_past_l1 = 1 - merged_share(t, laws, &s->of_all);
    const bool stays = wl_data_stays(t->footprint, laws->room, laws->steepness);
    double sectors = 0, lines = 0;
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_traffic *f = &t->fields[i];
        wl_volume *v = &out->fields[i];
        const double units = f->loads.block_sectors > 0 ? f->loads.block_units / f->loads.block_sectors : 0;
        loads_by_l1(s, laws, apart, i, v);
        if (s->l1 != t)
            loads_past_l1(s, laws, apart_past_l1, i, v);
        if (f->replay.walked) {
            const double least = at_least(t, f) * f->loads.block_sectors,
                         arrived = fmax(least, f->replay.missed * f->loads.requested * (1 - walk_merged(t, laws, f))),
                         missed_again = stays ? f->replay.walk.missed_again : f->replay.missed,
                         again = fmax(least, missed_again * f->loads.requested * (1 - merged_from_l2(t, laws, f)));
            v->l2_compulsory = fmin(f->loads.block_sectors, arrived) * t->sector;
            v->l2_capacity = arrived * t->sector - v->l2_compulsory;
            v->walked = true;
            v->l2_again = (again - arrived) * t->sector;
        }
        const bool replayed = f->replay.replayed && !f->loads.copied;
        if (replayed) {
            const double missed =
                fmax(f->replay.missed * f->loads.requested, at_least(t, f) * f->loads.block_sectors) * t->sector;
            v->l2_compulsory = fmin(f->loads.block_sectors * t->sector, missed);
            v->l2_capacity = missed - v->l2_compulsory;
            v->dram_capacity = fmin(v->dram_capacity, v->l2_capacity);
        }
        v->replayed = f->replay.walked || replayed;
        const double read = (replayed ? f->replay.units : units) * (v->l2_compulsory + v->l2_capacity) / t->sector;
        const double random = f->loads.random && f->loads.block_lines > 0
                                  ? fmax(0, 2 - f->loads.block_sectors / f->loads.block_lines)
                                  : 0;
        const double lone = replayed ? f->replay.lone : random;
        out->requests.read_units += read;
        out->requests.lone_units += read * lone;
        if (!f->loads.random) { /* what random fetches cost is in their own rate */
            sectors += f->loads.block_sectors;
            lines += f->loads.block_lines;
        }
    }
    share_in_loops(t, &out->requests);
    out->l1_miss_rate = s->reloads.rate;
    out->requests.chunk = lines > 0 ? t->sector * sectors / lines : t->line;
}

/* Lines that a warp stores to, one store after the other: so many lie between two pieces of a
 * sector that neighbouring warps write with the same store. Loops are unrolled. */
static double lines_of_warp(const wl_traffic *t)
{
    double lines = 0;
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_stores *s = &t->fields[i].stores;
        if (s->written > 0)
            lines += s->written_lines * fmin(1, WL_UNROLLED / fmax(1, s->steps));
    }
    return fmax(1, t->warps > 0 ? lines / t->warps : 0);
}

/* Write combining: a warp's stores to one sector combine if they follow one another at once, unless
 * they touch many lines. So do, less often, those of two warps, mostly when the warps run in
 * lockstep because they wait for the same lines. */
static void stores(const wl_traffic *t, const wl_laws *laws, const load_totals *s, wl_volumes *out)
{
    double written = 0, lines_written = 0;
    const double in_step = t->warps > 0 ? fmin(1, fmax(0, s->warp_lines - s->block_lines) / t->warps) : 0;
    const double held = fmin(1, laws->combine[2] / lines_of_warp(t));
    const double between = laws->combine_warps[0] + (laws->combine_warps[1] - laws->combine_warps[0]) * in_step * held;
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_traffic *f = &t->fields[i];
        if (f->stores.written <= 0)
            continue;
        const double lines = f->stores.written_lines / f->stores.inst; /* of a store */
        written += f->stores.block;
        lines_written += f->stores.block_lines;
        const double at_once = lines <= laws->combine[2] ? laws->combine[0] : laws->combine[1];
        const double within = (1 - f->stores.apart) * at_once;
        const double sectors = f->stores.written - within * (f->stores.written - f->stores.warp) -
                               between * fmax(0, f->stores.warp - f->stores.block);
        out->fields[i].l2_store = sectors * t->sector;
        /* partial writes: several in one line share the cost of a request, and one that no other
         * follows merges with nothing */
        const double full = f->stores.written_full + within * fmax(0, f->stores.warp_full - f->stores.written_full);
        const double pieces = fmax(0, sectors - full);
        const double together = fmax(1, pieces / sectors * f->stores.written / f->stores.written_lines);
        const double in_pieces = fmax(0, f->stores.sectors - f->stores.warp_full);
        const double merging = f->stores.sectors > 0 ? fmin(1, fmax(0, pieces / fmax(1, in_pieces) - 1)) : 1;
        const double cost = pieces * merging / cbrt(together);
        out->requests.pieces += cost;
        out->requests.lone_pieces += cost * fmax(0, 2 - together) * (1 - held * held);
        if (f->stores.loaded_too && f->stores.sectors > 0) {
            /* stores of one warp to the same line follow one another */
            const double changed = f->stores.sectors * t->sector / t->line,
                         touched = f->stores.written_lines * f->stores.warp / f->stores.written;
            out->requests.changed_lines += changed;
            out->requests.shared_lines += fmin(changed, fmax(0, touched - changed));
        }
        out->requests.written_units += f->stores.written_units * (sectors - pieces) / f->stores.written;
    }
    out->requests.write_chunk = lines_written > 0 ? t->sector * written / lines_written : t->line;
}

void wl_laws_l1(const wl_traffic *t, const wl_laws *laws, wl_volumes *out)
{
    const sides s = find_sides(t, laws);
    out->requests = (wl_requests){0};
    loads(&s, laws, out);
    stores(t, laws, &s.of_all, out);
    out->sampled = t->sampled;
}

/* ---- L2 ---- */

/* One window and the next: the volume that passes through a partition between two uses of a
 * line. */
typedef struct passage {
    /* bytes that a window reads, reads for the first time, and stores */
    double lines, fresh, store_lines;
    double readers, writers; /* blocks of the window per line */
} passage;

/* A multiprocessor belongs to another partition. */
static double other_partition(const wl_laws *laws) { return 1 - 1 / laws->partitions; }

/* Partitions that hold a line, as a share of all, if so many blocks use it: `none` is the
 * probability that none of these belongs to a given partition. */
static double holding(const wl_laws *laws, double none) { return 1 - other_partition(laws) * none; }

/* `stored`: bytes in one partition. */
static double evicted(const wl_laws *laws, double read, double readers, double stored)
{
    const double copies = read > 0 ? read * holding(laws, pow(other_partition(laws), readers)) : 0;
    const double volume = copies + stored;
    return volume > 0 ? exp(-log(2) * pow(laws->room / volume, laws->steepness)) : 0;
}

double wl_laws_evicted(const wl_laws *laws, double read, double readers, double stored, double writers)
{
    return evicted(laws, read, readers, stored * holding(laws, pow(other_partition(laws), writers)));
}

/* The share of the partitions that hold a stored line. */
static double written_share(const passage *p, const wl_laws *laws)
{
    return holding(laws, pow(other_partition(laws), p->writers));
}

/* Probability that a line is evicted by the j-th window after its last use. */
static double gone_after(const passage *p, const wl_laws *laws, double j, double written)
{
    const double passed = p->lines + (j - 1) * p->fresh;
    return evicted(laws, passed, p->readers * j * p->lines / passed, j * p->store_lines * written);
}

/* Probability of eviction before the next use, which comes with probability q in each window. */
static double gone_before_touch(const double *gone, double q)
{
    double sum = 0, later = 1;
    for (int j = 1; j < SWEEPS; j++) {
        sum += q * later * gone[j - 1];
        later *= 1 - q;
    }
    return sum + later * gone[SWEEPS - 1];
}

static double reuse_miss(const passage *p, const wl_laws *laws, double *oversubscription)
{
    const double other = other_partition(laws), unread = pow(other, p->readers), q = 1 - unread;
    const double written = written_share(p, laws);
    double gone[SWEEPS];
    for (int j = 0; j < SWEEPS; j++)
        gone[j] = gone_after(p, laws, j + 1, written);
    const double copy = gone_before_touch(gone, q);
    /* misses of the other partitions refresh the home copy, too */
    const double home = gone_before_touch(gone, 1 - (1 - q) * (1 - q * copy));
    *oversubscription = (p->lines * holding(laws, unread) + p->store_lines * written) / laws->room;
    return home / laws->partitions + other * copy * gone[0];
}

static passage passage_between(const wl_traffic *t, int w)
{
    double lines = 0, next = 0, stores = 0, block_lines = 0, block_stores = 0;
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_traffic *f = &t->fields[i];
        lines += f->windows.lines[w];
        next += f->windows.lines[w + 1];
        stores += f->windows.store_lines[w];
        block_lines += f->loads.block_lines;
        block_stores += f->stores.block_lines;
    }
    const double share = t->window_blocks[w] / t->blocks;
    return (passage){.lines = lines * t->l2_line,
                     .fresh = next * t->l2_line * t->window_repeats[w + 1] / t->window_repeats[w],
                     .store_lines = stores * t->l2_line,
                     .readers = lines > 0 ? fmax(1, block_lines * t->line / t->l2_line * share / lines) : 1,
                     .writers = stores > 0 ? fmax(1, block_stores * t->line / t->l2_line * share / stores) : 1};
}

/* Units of a field from which so many random loads take `distinct` ones: d = u (1 - exp(-n / u)),
 * by bisection of n / u. */
static double random_field(double loads, double distinct)
{
    double low = 0, high = loads / distinct; /* d <= u */
    if (high <= 1)
        return INFINITY;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        *(-expm1(-middle) * loads > distinct * middle ? &low : &high) = middle;
    }
    return loads / high;
}

/* Fetches of random loads. They hit with the share of their field that the L2 holds, where a line
 * holds what was fetched of it: one unit of a large field, all of a small one. The L2 starts empty:
 * until that share is there, every unit is fetched once. */
static double random_fetches(const wl_traffic *t, const wl_laws *laws, double loads, double distinct)
{
    const double units = random_field(loads, distinct), held = laws->room / (units * t->fetch);
    const double hits = fmin(1, laws->random_hits[0] * held + laws->random_hits[1] * held * held);
    const double filling = hits < 1 ? -log1p(-hits) * units : INFINITY;
    return loads > filling && isfinite(units) ? hits * units + (1 - hits) * (loads - filling) : distinct;
}

static void random_loads(const wl_traffic *t, const wl_laws *laws, size_t field, wl_volumes *out)
{
    const wl_field_traffic *f = &t->fields[field];
    const double all = f->windows.units[t->window_count - 1];
    wl_volume *v = &out->fields[field];
    /* a fetch each at most */
    const double loaded = (v->l2_compulsory + v->l2_capacity) / fmin(t->sector, t->fetch);
    const double requested = fmax(all, fmin(f->loads.block_units * t->unit / t->fetch, loaded));
    v->dram_compulsory = all * t->fetch;
    if (all > 0)
        v->dram_capacity = fmax(0, fmin(requested, random_fetches(t, laws, requested, all)) - all) * t->fetch;
    out->requests.random += (v->dram_compulsory + v->dram_capacity) / t->fetch;
}

/* The share of a field's reuse from window to window that takes place long after the first use.
 * Blocks that walk through the same data are at about the same step, as far as they are resident
 * together: only the first window of a wave fetches it. */
static double reused_later(const wl_traffic *t, const wl_field_traffic *f, int w)
{
    return f->replay.walked ? fmin(1, t->window_blocks[w] / t->wave_blocks) : 1;
}

/* Each window loads everything; the next larger window tells how much of that was loaded before. */
static void dram_loads(const wl_traffic *t, const wl_laws *laws, wl_volumes *out)
{
    for (size_t i = 0; i < t->field_count; i++)
        if (t->fields[i].loads.random)
            random_loads(t, laws, i, out);
        else
            out->fields[i].dram_compulsory = t->fields[i].windows.units[0] * t->window_repeats[0] * t->fetch;
    for (int w = 0; w + 1 < t->window_count; w++) {
        const passage p = passage_between(t, w);
        wl_reuse *reuse = &out->reuse[t->window_direction[w]];
        double over = 0, overlap = 0, at_once = 0;
        const double miss = reuse_miss(&p, laws, &over);
        for (size_t i = 0; i < t->field_count; i++) {
            const wl_field_traffic *f = &t->fields[i];
            const double again = f->loads.random
                                     ? 0
                                     : t->fetch * fmax(0, f->windows.units[w] * t->window_repeats[w] -
                                                              f->windows.units[w + 1] * t->window_repeats[w + 1]);
            const double later = reused_later(t, f, w);
            out->fields[i].dram_reuse[t->window_direction[w]] -= (1 - miss * later) * again;
            overlap += again;
            at_once += (1 - later) * again;
        }
        if (overlap <= 0)
            continue;
        /* windows of doubling length count as one direction */
        const double before = reuse->overlap_bytes, hits = 1 - miss * (1 - at_once / overlap);
        reuse->exists = true;
        reuse->overlap_bytes += overlap * t->wave_blocks / t->blocks;
        reuse->hit_rate += (hits - reuse->hit_rate) * (reuse->overlap_bytes - before) / reuse->overlap_bytes;
        reuse->oversubscription = over;
    }
}

/* Sectors of a field that several blocks write in pieces: what happens to them before the last
 * piece. Other stores force a sector to be cleaned early: its missing bytes are read, and all of it
 * is written back. It then stays in the L2, complete, unless it is evicted; in that case the next
 * piece starts with an empty sector again. */
typedef struct pieced {
    double cleaned;       /* sectors read and written early, still there */
    double reads, writes; /* sectors, beyond one write of each */
} pieced;

static double cleaned_share(const wl_laws *laws, double bytes)
{
    const double share = bytes / laws->partial_room;
    return fmin(1, share * share);
}

static double store_bytes(const wl_traffic *t, int w)
{
    double sum = 0;
    for (size_t i = 0; i < t->field_count; i++)
        sum += fmax(t->fields[i].windows.store_sectors[w] * t->sector, t->fields[i].windows.store_lines[w] * t->sector);
    return sum;
}

/* Pieces that come a window or more later than the one before. They come after as many windows as
 * it takes to write everything once. Returns how many sectors have such pieces. */
static double pieces_far_apart(const wl_traffic *t, const wl_laws *laws, const wl_field_traffic *f, double shared,
                               pieced *out)
{
    const double incomplete = fmax(0, 1 - f->stores.block_full / f->stores.block), *sectors = f->windows.store_sectors;
    double far = 0;
    for (int w = 0; w + 1 < t->window_count; w++) {
        if (sectors[w] <= 0 || t->window_blocks[w] < t->wave_blocks)
            continue;
        const double again =
            incomplete * fmax(0, sectors[w] * t->window_repeats[w] - sectors[w + 1] * t->window_repeats[w + 1]);
        const double windows = f->stores.again > 0 ? f->stores.again : fmax(1, sectors[w + 1] / sectors[w]);
        const double here = fmin(shared - far, again);
        const passage p = passage_between(t, w);
        const double gone = gone_after(&p, laws, windows, written_share(&p, laws));
        const double cleaned = fmax(gone, cleaned_share(laws, windows * store_bytes(t, w)));
        out->reads += f->stores.loaded_too ? 0 : here * cleaned + again * gone;
        out->writes += again * cleaned;
        out->cleaned += here * (cleaned - gone);
        far += here;
    }
    return far;
}

/* Sectors of a field that a wave stores to: more than its share of the launch if others store to
 * them again. Windows shorter and longer than a wave tell. */
static double stored_in_wave(const wl_traffic *t, const wl_field_traffic *f)
{
    const double *sectors = f->windows.store_sectors, *blocks = t->window_blocks,
                 wave = fmin(t->wave_blocks, t->blocks);
    const double share = f->stores.sectors * wave / t->blocks;
    for (int w = 0; w + 1 < t->window_count; w++)
        if (blocks[w] <= wave && wave < blocks[w + 1] && sectors[w] > 0 && sectors[w + 1] > sectors[w])
            return fmax(share, sectors[w] * pow(sectors[w + 1] / sectors[w],
                                                log(wave / blocks[w]) / log(blocks[w + 1] / blocks[w])));
    return share;
}

/* The share of the sectors that are cleaned in one of the waves that store to them. */
static double cleaned_in_waves(const wl_laws *laws, double bytes, double waves)
{
    return 1 - pow(1 - cleaned_share(laws, bytes), fmax(1, waves));
}

static pieced written_in_pieces(const wl_traffic *t, const wl_laws *laws, const wl_field_traffic *f, double wave_bytes)
{
    pieced out = {0};
    if (laws->partial_room <= 0 || f->stores.block <= 0)
        return out;
    /* which of the sectors that atomics change are stored, too, is unknown: those stored again at
     * most */
    const double stored =
        f->stores.atomic ? fmin(f->stores.sectors, fmax(0, f->stores.written - f->stores.sectors)) : f->stores.sectors;
    /* a sector that several blocks complete counts once */
    const double shared = fmin(stored, fmax(0, f->stores.sectors - f->stores.partly - f->stores.block_full));
    const double near = shared - (f->stores.atomic ? 0 : pieces_far_apart(t, laws, f, shared, &out));
    /* blocks that walk side by side meet there */
    const double in_step = f->stores.steps > 1 ? f->stores.in_step : 0;
    const double step_bytes = wave_bytes / fmax(1, f->stores.steps);
    const double waves = stored_in_wave(t, f) * t->blocks / t->wave_blocks / f->stores.sectors;
    const double early =
        near * (in_step * cleaned_share(laws, step_bytes) + (1 - in_step) * cleaned_in_waves(laws, wave_bytes, waves));
    out.cleaned += early;
    out.reads += early;
    out.writes += early;
    return out;
}

double wl_laws_dirty_rest(const wl_laws *laws, double written, double read)
{
    return written > 0 ? fmin(written, fmin(laws->dirty[0], laws->dirty[1] * written / (written + read))) : 0;
}

static void dram_stores(const wl_traffic *t, const wl_laws *laws, wl_volumes *out)
{
    double stored = 0, writes = 0, reads = 0;
    for (size_t i = 0; i < t->field_count; i++)
        stored += stored_in_wave(t, &t->fields[i]) * t->sector;
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_traffic *f = &t->fields[i];
        wl_volume *v = &out->fields[i];
        const pieced early = written_in_pieces(t, laws, f, stored);
        out->requests.cleaned += early.cleaned;
        v->dram_partial =
            ((f->stores.atomic && !f->stores.loaded_too ? f->stores.sectors : f->stores.partly) + early.reads) *
            t->sector;
        v->dram_store = (f->stores.sectors + early.writes) * t->sector;
        writes += v->dram_store;
        reads += wl_volume_dram_loads(v);
    }
    const double rest = wl_laws_dirty_rest(laws, writes, reads);
    out->requests.left = rest;
    for (size_t i = 0; i < t->field_count; i++)
        out->fields[i].dram_store *= writes > 0 ? 1 - rest / writes : 0;
}

/* The L2 misses at most once for each sector that it is asked for: DRAM delivers no more than what
 * misses the L1. Windows alone would say more where the L2 holds next to nothing, or where the
 * replay knows what blocks share. */
static void keep_below_l2(const wl_traffic *t, wl_volumes *out)
{
    for (size_t i = 0; i < t->field_count; i++) {
        wl_volume *v = &out->fields[i];
        const double most = (v->l2_compulsory + v->l2_capacity) * fmax(1, t->fetch / t->sector);
        const double loaded =
            v->dram_compulsory + v->dram_capacity + v->dram_reuse[0] + v->dram_reuse[1] + v->dram_reuse[2];
        if (!(most > 0) || loaded <= most)
            continue;
        const double again = fmin(loaded - most, v->dram_capacity);
        v->dram_capacity -= again;
        v->dram_compulsory -= loaded - most - again;
    }
}

void wl_laws_l2(const wl_traffic *t, const wl_laws *laws, wl_volumes *out)
{
    out->waves = t->blocks / t->wave_blocks;
    out->partial_unknown = t->partly_unknown;
    for (size_t i = 0; i < t->field_count; i++) {
        out->l2_alloc_bytes += t->fields[i].wave_lines * t->l2_line;
        out->pages += t->fields[i].wave_pages;
    }
    dram_loads(t, laws, out);
    keep_below_l2(t, out);
    dram_stores(t, laws, out);
}
