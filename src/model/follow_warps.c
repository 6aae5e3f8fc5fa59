/* follow_warps.c - see follow_warps.h. SPDX-License-Identifier: MIT */
#include "model/follow_warps.h"

#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "kernel/program.h"
#include "timeline/cluster.h"

/* Whether a loop leads a load from place to place. */
static bool walks(const wl_kernel *k, const wl_access *access, const wl_access_cost *cost)
{
    const uint32_t loops = k->loop_count > 0 ? wl_access_vars(access) >> WL_VAR_LOOP_0 : 0;
    return !access->store && cost->inst > 0 && (loops & ((1u << k->loop_count) - 1)) != 0;
}

wl_status wl_follow_find(const wl_costs *costs, const wl_geometry *launched, bool always, wl_arena *arena,
                         wl_followed *out, wl_error *err)
{
    const wl_kernel *k = costs->kernel;
    const int warp_size = costs->rules->warp_size;
    *out = (wl_followed){.field_count = k->field_count,
                         .sector = (double)costs->rules->sector,
                         .in_line = (double)((1 << costs->rules->line_shift) / costs->rules->sector),
                         .tag_banks = (double)costs->rules->tag_banks};
    if (!k->source.live || (!k->source.repeats && !always))
        return WL_OK;
    WL_TRY(k->source.live(k->source.context, &out->lives, err));
    wl_field_accesses *fields = WL_ARENA_NEW(arena, wl_field_accesses, k->field_count + 1);
    if (!fields)
        return wl_fail_memory(err);
    for (size_t a = 0; a < k->access_count; a++) {
        wl_field_accesses *f = &fields[k->accesses[a].field];
        f->inst[k->accesses[a].store] += costs->access[a].inst;
        f->sectors[k->accesses[a].store] += costs->access[a].sectors;
        f->tags += k->accesses[a].store ? 0 : costs->access[a].tag;
        f->in_walk += walks(k, &k->accesses[a], &costs->access[a]);
        f->traced = f->traced || (k->accesses[a].traced && !k->accesses[a].store);
    }
    out->fields = fields;
    if (!k->source.at_launch) /* a kernel that serves all launches knows the warps of the one it was made for */
        out->warps = (double)launched->blocks * (double)wl_ceil_div(launched->threads, warp_size);
    return WL_OK;
}

static double per_instruction(const wl_field_accesses *f, int store)
{
    return f->inst[store] > 0 ? f->sectors[store] / f->inst[store] : 0;
}

/* Lines that a load touches: whole ones, or more that have a sector each, which take several tag wavefronts. */
static double lines_of(const wl_followed *followed, const wl_field_accesses *f)
{
    const double sectors = per_instruction(f, 0), tags = f->inst[0] > 0 ? f->tags / f->inst[0] : 0;
    return fmin(sectors, fmax(sectors / followed->in_line, 1 + followed->tag_banks * fmax(0, tags - 1)));
}

/* How often a load of several lines waits, if a share of them misses: each line by itself. Of the loads of a walk one
 * comes first to each line, and the step goes on when that one is there. */
static double waits_share(const wl_field_accesses *f, double lines, double missed)
{
    return f->traced || !(f->in_walk > 0) ? 1 - pow(1 - missed, fmax(1, lines)) : fmin(1, missed * fmax(1, f->in_walk));
}

void wl_follow_waits(const wl_followed *followed, const wl_device *device, const wl_volumes *volumes,
                     wl_field_waits *fields, wl_waits *out)
{
    wl_waits_read(device, out);
    out->fields = fields;
    out->field_count = followed->field_count;
    for (size_t f = 0; f < followed->field_count; f++) {
        const wl_field_accesses *a = &followed->fields[f];
        const wl_volume *v = &volumes->fields[f];
        const double requested = followed->sector * a->sectors[0], loaded = v->l2_compulsory + v->l2_capacity;
        const double l1 = requested > 0 ? fmin(1, loaded / requested) : 0;
        const double l2 = !volumes->known ? 1 : loaded > 0 ? fmin(1, wl_volume_dram_loads(v) / loaded) : 0;
        const double lines = lines_of(followed, a);
        const double waits = waits_share(a, lines, l1);
        fields[f] = (wl_field_waits){.l1_misses = waits,
                                     .l2_misses = waits > 0 ? waits_share(a, lines, l1 * l2) / waits : 0,
                                     .lines = lines,
                                     .reads = per_instruction(a, 0),
                                     .writes = per_instruction(a, 1),
                                     .missed = {l1, l1 * l2}};
    }
}

/* Everything in them: another number there cannot be forgotten here. */
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

wl_status wl_follow_warps(const wl_followed *followed, const wl_waits *waits, wl_arena *arena, wl_counts *out,
                          wl_error *err)
{
    const wl_lives *lives = followed->lives;
    wl_life_profile *profiles = WL_ARENA_NEW(arena, wl_life_profile, lives->count + 1);
    if (!profiles)
        return wl_fail_memory(err);
    out->lives = profiles;
    out->life_count = lives->count;
    WL_TRY(wl_waiting_find(lives, waits, arena, profiles, &out->waiting, err));
    scale_warps(followed->warps, profiles, lives->count);
    return wl_life_cluster(profiles, &out->life_count, arena, err);
}
