/* follow_warps.c - see follow_warps.h. SPDX-License-Identifier: MIT */
#include "model/follow_warps.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "kernel/program.h"
#include "model/constants.h"
#include "timeline/cluster.h"

/* Those of split stores are kept apart: how many wavefronts they take is a number of the device. */
static void add_wavefronts(const wl_costs *costs, wl_followed *out)
{
    wl_costs whole = *costs, split = *costs;
    double inst = 0;
    whole.store_split = 0;
    split.store_split = 1;
    for (size_t a = 0; a < costs->kernel->access_count; a++) {
        if (costs->kernel->fields[costs->kernel->accesses[a].field].constant)
            continue;
        const double wavefronts = wl_access_wavefronts(&whole, a);
        out->wavefronts += wavefronts;
        out->split += wl_access_wavefronts(&split, a) - wavefronts;
        inst += costs->access[a].inst;
    }
    out->wavefronts = inst > 0 ? out->wavefronts / inst : 1;
    out->split = inst > 0 ? out->split / inst : 0;
}

/* The largest number of loads of each field in one iteration of a loop, without those of inner
 * loops. */
static void count_trips(const wl_lives *lives, wl_field_accesses *fields, size_t field_count, double *count)
{
    for (size_t i = 0; i < lives->count; i++)
        for (size_t p = 0; p < lives->list[i].count; p++) {
            const wl_stretch *loop = &lives->list[i].parts[p], *last = loop + loop->count;
            if (!loop->loop)
                continue;
            memset(count, 0, field_count * sizeof *count);
            for (const wl_stretch *part = loop + 1; part <= last; part += 1 + (part->loop ? part->count : 0))
                for (int32_t o = part->first; o < part->first + part->count && !part->loop; o++)
                    if (lives->ops[o].kind == WL_OP_LOAD && lives->ops[o].field >= 0)
                        count[lives->ops[o].field] += 1;
            for (size_t f = 0; f < field_count; f++)
                fields[f].in_trip = fmax(fields[f].in_trip, count[f]);
        }
}

wl_status wl_follow_find(const wl_costs *costs, const wl_geometry *launched, const wl_warps_result *warps,
                         wl_arena *arena, wl_followed *out, wl_error *err)
{
    const wl_kernel *k = costs->kernel;
    const wl_swaps *swaps = &warps->swaps;
    *out = (wl_followed){.field_count = k->field_count,
                         .sector = (double)costs->rules->sector,
                         .in_line = (double)((1 << costs->rules->line_shift) / costs->rules->sector),
                         .tag_banks = (double)costs->rules->tag_banks,
                         .constants = warps->constants,
                         .block_warps = (double)wl_ceil_div(launched->threads, costs->rules->warp_size)};
    if (swaps->executions > 0) {
        out->swap_rounds = swaps->rounds / swaps->executions;
        out->swap_lost = swaps->lost / swaps->executions;
    }
    if (!k->source.live)
        return WL_OK;
    WL_TRY(k->source.live(k->source.context, &out->lives, err));
    wl_field_accesses *fields = WL_ARENA_NEW(arena, wl_field_accesses, k->field_count + 1);
    if (!fields)
        return wl_fail_memory(err);
    for (size_t a = 0; a < k->access_count; a++) {
        wl_field_accesses *f = &fields[k->accesses[a].field];
        f->inst[k->accesses[a].store] += costs->access[a].inst;
        f->sectors[k->accesses[a].store] += costs->access[a].sectors;
        f->passes += k->fields[k->accesses[a].field].constant ? costs->access[a].hit : 0;
        f->tags += k->accesses[a].store ? 0 : costs->access[a].tag;
        f->in_walk += wl_access_walks(costs, a);
        f->traced = f->traced || (k->accesses[a].traced && !k->accesses[a].store);
    }
    double *count = WL_ARENA_NEW(arena, double, k->field_count + 1);
    if (!count)
        return wl_fail_memory(err);
    count_trips(out->lives, fields, k->field_count, count);
    for (size_t f = 0; f < k->field_count; f++)
        if (fields[f].in_walk > 0 && !fields[f].traced)
            WL_TRY(wl_common_walk_find(costs, launched, f, arena, &fields[f].walk, err));
    add_wavefronts(costs, out);
    out->fields = fields;
    /* a kernel that serves all launches knows the warps of the one it was made for */
    if (!k->source.at_launch)
        out->warps = (double)launched->blocks * out->block_warps;
    return WL_OK;
}

static double per_instruction(const wl_field_accesses *f, int store)
{
    return f->inst[store] > 0 ? f->sectors[store] / f->inst[store] : 0;
}

/* Lines that a load touches: whole ones, or more that have a sector each, which take several tag
 * wavefronts. */
static double lines_of(const wl_followed *followed, const wl_field_accesses *f)
{
    const double sectors = per_instruction(f, 0), tags = f->inst[0] > 0 ? f->tags / f->inst[0] : 0;
    return fmin(sectors, fmax(sectors / followed->in_line, 1 + followed->tag_banks * fmax(0, tags - 1)));
}

/* How often a load of several lines waits if a share of them misses independently. Of the loads of
 * a walk, the leading one accesses each line first, and the iteration continues when it has
 * arrived. */
static double waits_share(const wl_field_accesses *f, double lines, double missed)
{
    return f->traced || !(f->in_walk > 0) ? 1 - pow(1 - missed, fmax(1, lines)) : fmin(1, missed * fmax(1, f->in_walk));
}

/* The shares of loads that wait for the L2 and for DRAM, for the leading one of all warps that walk
 * through the same data at the same time. Requests of multiprocessors that walk together merge. */
static void in_step(const wl_common_walk *w, double merged, double missed[2])
{
    const double together[2] = {fmin(w->together[0] * fmax(1, merged), w->together[1]), w->together[1]};
    for (int level = 0; level < 2; level++)
        missed[level] = fmax(missed[level], fmin(w->fresh, missed[level] * together[level]));
}

void wl_follow_waits(const wl_followed *followed, const wl_device *device, const wl_volumes *volumes,
                     wl_field_waits *fields, wl_waits *out)
{
    const double room = wl_device_or(device, WL_DEVICE_l2_reuse_room, 0);
    const double steepness = wl_device_or(device, WL_DEVICE_l2_reuse_steepness, 1);
    const double again = volumes->cold ? 0 : wl_data_remains(volumes->footprint, room, steepness);
    const double schedulers = wl_device_or(device, WL_DEVICE_issue_rate, 1);
    const double merged = wl_device_or(device, WL_DEVICE_l2_merge_blocks, 1);
    const wl_constants constants = wl_constants_read(device);
    double swap[2] = {0, 0};
    wl_waits_read(device, out);
    wl_device_read_list(device, WL_DEVICE_shared_swap, swap, 2);
    out->constant[0] = constants.first + constants.miss * wl_constants_missed(&constants, followed->constants);
    out->constant[1] = constants.further;
    out->swap = followed->swap_rounds * swap[0] + followed->swap_lost * swap[1];
    out->doublings = log2(fmax(1, followed->block_warps) / WL_USUAL_WARPS);
    wl_l1_numbers numbers;
    wl_l1_numbers_read(device, &numbers);
    out->queued =
        fmax(1, followed->wavefronts + numbers.split[0] * followed->split) * fmax(0, followed->block_warps - 1);
    out->others = fmax(0, followed->block_warps / fmax(1, schedulers) - 1);
    out->fields = fields;
    out->field_count = followed->field_count;
    for (size_t f = 0; f < followed->field_count; f++) {
        const wl_field_accesses *a = &followed->fields[f];
        const wl_volume *v = &volumes->fields[f];
        const double requested = followed->sector * a->sectors[0],
                     loaded = v->l2_compulsory + v->l2_capacity + again * v->l2_again;
        const double l1 = requested > 0 ? fmin(1, (loaded + v->l2_joined) / requested) : 0;
        const double l2 = !volumes->known ? 1 : loaded > 0 ? fmin(1, wl_volume_dram_loads(v) / loaded) : 0;
        const double lines = lines_of(followed, a);
        double late[2] = {l1, l1 * l2};
        in_step(&a->walk, merged, late);
        const double waits = waits_share(a, lines, l1), far = waits_share(a, lines, l1 * l2);
        /* of an iteration; a load of several lines counts once per line */
        const double sectors = fmax(1, fmax(a->in_trip, a->in_walk * fmax(1, lines)));
        const bool common = late[0] > l1 || late[1] > l1 * l2;
        fields[f] = (wl_field_waits){.l1_misses = waits,
                                     .l2_misses = waits > 0 ? far / waits : 0,
                                     .trip = common ? fmax(1, a->in_trip) : 0,
                                     .fresh = {late[0] * sectors, late[1] * sectors},
                                     .lines = lines,
                                     .reads = per_instruction(a, 0),
                                     .writes = per_instruction(a, 1),
                                     .missed = {l1, l1 * l2}};
        if (a->passes > 0)
            fields[f].lines = a->passes / a->inst[0];
    }
}

/* Compares all bytes, so that a new member cannot be forgotten here. */
static bool is_equal(const void *a, const void *b, size_t size) { return size == 0 || memcmp(a, b, size) == 0; }

bool wl_follow_same(const wl_waits *a, const wl_waits *b)
{
    wl_waits one = *a, other = *b;
    one.fields = other.fields = NULL;
    return is_equal(&one, &other, sizeof one) && is_equal(a->fields, b->fields, a->field_count * sizeof *a->fields);
}

static void scale_warps(double warps, wl_life_profile *list, size_t count)
{
    double known = 0;
    for (size_t i = 0; i < count; i++)
        known += list[i].warps;
    for (size_t i = 0; i < count && warps > 0; i++)
        list[i].warps *= warps / known;
}

/* Does the first warp wait more often than the others? */
static bool has_leader(const wl_waits *waits)
{
    for (size_t f = 0; f < waits->field_count; f++) {
        const wl_field_waits *w = &waits->fields[f];
        if (w->trip > 0 && (fmin(1, w->fresh[0]) > w->l1_misses || fmin(1, w->fresh[1]) > w->l1_misses * w->l2_misses))
            return true;
    }
    return false;
}

wl_status wl_follow_warps(const wl_followed *followed, const wl_waits *waits, wl_arena *arena, wl_counts *out,
                          wl_error *err)
{
    const wl_lives *lives = followed->lives;
    wl_life_profile *profiles = WL_ARENA_NEW(arena, wl_life_profile, lives->count + 1);
    if (!profiles)
        return wl_fail_memory(err);
    out->leading = (wl_waiting){0};
    if (has_leader(waits)) {
        wl_waits first = *waits;
        first.leads = true;
        WL_TRY(wl_waiting_find(lives, &first, arena, profiles, &out->leading, err));
    }
    out->lives = profiles;
    out->life_count = lives->count;
    WL_TRY(wl_waiting_find(lives, waits, arena, profiles, &out->waiting, err));
    scale_warps(followed->warps, profiles, lives->count);
    return wl_life_cluster(profiles, &out->life_count, arena, err);
}
