/* reloads.c - see reloads.h. SPDX-License-Identifier: MIT */
#include "laws/reloads.h"

#include <math.h>

#define ROUNDS 100   /* at most, until misses and evictions are consistent */
#define AGREED 1e-12 /* shares that differ by less are equal */

/* The working set of the resident blocks in runs of this length, relative to the size of the L1. */
static double oversubscription(const wl_traffic *t, int n)
{
    return t->step_lines[n] * t->line * t->resident / t->l1_bytes;
}

/* if working sets differ by less, the longer run passes over the same one again */
#define SAME 0.99

/* A longer run whose working set is that of the shorter one passes over it again. What every single
 * step touches is still in the cache. */
static bool is_pass(const wl_traffic *t, int n)
{
    const double *distinct = t->step_distinct;
    return distinct[n - 1] >= SAME * distinct[n] && distinct[0] < SAME * distinct[n];
}

/* Sectors of a field that are loaded again, by the run length that determines whether they are
 * still cached. */
typedef struct by_distance {
    double others[WL_STEPS_MAX]; /* loaded by any warp of the block before */
    double own[WL_STEPS_MAX];    /* by the same warp */
} by_distance;

/* Of the sectors that are loaded again at the end of a run, up to `most` are loaded again at the
 * end of shorter runs as well, as when a stencil moves on by a plane: their reuse distance is that
 * of the shorter runs. Only the rest is reused later. */
static void add_ends(double ends, double each, int n, double most[WL_STEPS_MAX], double out[WL_STEPS_MAX])
{
    most[n] = fmax(most[n - 1], each);
    for (int k = 1; k <= n; k++)
        out[k] += ends * (fmin(most[k], each) - fmin(most[k - 1], each));
}

/* A long run replaces several shorter ones and has fewer ends. A pass loads everything again, no
 * matter which warp loaded it before. */
static by_distance sort_by_distance(const wl_traffic *t, const wl_field_traffic *f)
{
    by_distance out = {{0}, {0}};
    double most_others[WL_STEPS_MAX] = {0}, most_own[WL_STEPS_MAX] = {0}, own = 0;
    for (int n = 1; n < t->step_count; n++) {
        const double ends = f->loads.step_runs[n - 1] - f->loads.step_runs[n], *warps = f->loads.step_warp_sectors;
        const double again = fmax(0, f->loads.step_sectors[n - 1] - f->loads.step_sectors[n]);
        const bool apart = is_pass(t, n) || ends <= 0;
        own = apart ? 0 : warps[n] > 0 ? fmax(0, warps[n - 1] - warps[n]) / ends : own;
        own = apart ? 0 : fmin(own, again / ends);
        add_ends(apart ? 0 : ends, own, n, most_own, out.own);
        add_ends(apart ? 0 : ends, apart ? 0 : again / ends - own, n, most_others, out.others);
        out.others[n] += apart ? again : 0;
    }
    return out;
}

/* All fields: requested by instructions, stored, and distinct in runs of steps of each length. */
typedef struct totals {
    double requested, stored, once;
    double lines, stored_lines; /* distinct per block */
    double warps[WL_STEPS_MAX], sectors[WL_STEPS_MAX];
    by_distance again;
} totals;

static totals add_up(const wl_traffic *t)
{
    totals s = {0};
    for (size_t i = 0; i < t->field_count; i++) {
        const wl_field_traffic *f = &t->fields[i];
        s.requested += f->loads.requested;
        s.stored += f->stores.block;
        s.once += f->loads.block_sectors;
        s.lines += f->loads.block_lines;
        s.stored_lines += f->stores.block_lines;
        const by_distance again = sort_by_distance(t, f);
        for (int n = 0; n < t->step_count; n++) {
            s.sectors[n] += f->loads.step_sectors[n];
            s.warps[n] += f->loads.step_warp_sectors[n];
            s.again.others[n] += again.others[n];
            s.again.own[n] += again.own[n];
        }
    }
    return s;
}

/* Share of lines that the working set of a few steps evicts: a fitted curve. Blocks load shared
 * data at about the same time, some of it before the line is evicted. `most`: the share in a set
 * that is far too large. */
static double evicted(const wl_traffic *t, const wl_laws *laws, int n, double most)
{
    return most * wl_laws_l1_evicted(laws, oversubscription(t, n));
}

/* Sectors that warps reload at the same moment and that miss. */
static double missed_at_once(const wl_traffic *t, const wl_laws *laws, const totals *s)
{
    const double again = s->requested - s->sectors[0];
    return fmin(again,
                evicted(t, laws, 0, laws->reload[0]) * sqrt(fmax(0, again) * fmax(0, s->warps[0] - s->sectors[0])));
}

/* Runs of a few steps issue their loads nearly at once. A working set twice as large as the L1
 * leaves nothing to hit. */
static bool is_short(const wl_traffic *t, const totals *s, int n) { return s->warps[n] > 0 && !is_pass(t, n); }

static double missed_shortly(const wl_traffic *t, const wl_laws *laws, int n)
{
    const double c = laws->reload[0], over = oversubscription(t, n);
    return evicted(t, laws, n, c + (1 - c) * fmin(1, fmax(0, over - 1)));
}

double wl_reloads_gone(double touched, double fresh)
{
    const double share = tanh(sqrt(fresh) * touched);
    return share * share;
}

double wl_reloads_gone_in_passes(double touched)
{
    if (touched <= 1) /* all lines fit: tanh^2(sqrt(m) O) < m, down to 0 */
        return 0;
    double gone = 1, change = 1;
    for (int round = 0; round < ROUNDS && change > AGREED; round++) {
        const double before = gone;
        gone = wl_reloads_gone(touched, before);
        change = before - gone;
    }
    return gone;
}

/* The shortest run that has the working set of a long one: one pass over it. */
static int one_pass(const wl_traffic *t, int n)
{
    int shortest = n - 1;
    while (shortest > 0 && t->step_distinct[shortest - 1] >= SAME * t->step_distinct[n])
        shortest--;
    return shortest;
}

/* The share of missing lines that evict others: the first ones of the launch fill an empty
 * cache. */
static double evicting(const wl_traffic *t, const totals *s, double fetched)
{
    const double lines = (s->once > 0 ? fetched / s->once * s->lines : 0) + s->stored_lines;
    return lines > 0 ? fmax(0, 1 - t->l1_bytes / (lines / t->sms * t->line)) : 0;
}

/* What the warp itself loaded before. Warps drift apart, so the reuse distance is everything that
 * each of them fetches in the shorter run; hits evict nothing. Loops of a few steps are unrolled
 * and issue their loads together: these always hit. */
static double missed_by_its_warp(const wl_traffic *t, const totals *s, int n, double fetched, double evict)
{
    if (s->again.own[n] <= 0 || s->sectors[n - 1] <= 0 || s->warps[t->step_count - 1] > 0)
        return 0;
    const double touched = s->sectors[n - 1] + s->stored;
    /* lines that warps share count once per warp */
    const double alone = fmax(1, s->warps[n - 1] / s->sectors[n - 1]);
    return wl_reloads_gone(oversubscription(t, n - 1) * alone * fmin(1, (fetched + s->stored) / touched) * evict, 1);
}

/* Misses evict lines, and evictions cause misses: iterates from the largest possible miss rate down
 * to the fixed point. */
static void find_missed(const wl_traffic *t, const wl_laws *laws, const totals *s, double at_once, wl_reloads *r)
{
    double change = 1;
    for (int n = 1; n < WL_STEPS_MAX; n++)
        r->missed[n] = r->missed_own[n] = 1;
    for (int round = 0; round < ROUNDS && change > AGREED; round++) {
        r->fetched = s->once + at_once;
        change = 0;
        for (int n = 1; n < t->step_count; n++)
            r->fetched += r->missed[n] * s->again.others[n] + r->missed_own[n] * s->again.own[n];
        const double evict = evicting(t, s, r->fetched);
        for (int n = 1; n < t->step_count; n++) {
            const double touched = s->sectors[one_pass(t, n)] + s->stored;
            const double fresh = touched > 0 ? fmin(1, (r->fetched + s->stored) / touched) : 1;
            const double gone = is_short(t, s, n) ? missed_shortly(t, laws, n)
                                                  : wl_reloads_gone(oversubscription(t, n - 1), fresh * evict);
            const double own = missed_by_its_warp(t, s, n, r->fetched, evict);
            change = fmax(change, fmax(fabs(r->missed[n] - gone), fabs(r->missed_own[n] - own)));
            r->missed[n] = gone;
            r->missed_own[n] = own;
        }
    }
}

/* ---- the L2 ---- */

/* The blocks of the wave that read a line of a field, on average. */
static double readers_of(const wl_traffic *t, const wl_field_traffic *f)
{
    return f->loads.wave_sectors > 0
               ? fmax(1, f->loads.block_sectors * t->wave_blocks / t->blocks / f->loads.wave_sectors)
               : 1;
}

/* The different lines among those that blocks of the wave load, and how many blocks read one of
 * them. */
static double different(const wl_traffic *t, double *readers)
{
    double all = 0, distinct = 0;
    for (size_t i = 0; i < t->field_count; i++) {
        all += t->fields[i].loads.block_lines;
        distinct += t->fields[i].loads.block_lines / readers_of(t, &t->fields[i]);
    }
    *readers = distinct > 0 ? all / distinct : 1;
    return all > 0 ? distinct / all : 1;
}

/* The volume that the wave moves through the L2 in one pass. */
typedef struct pass {
    double lines, stores; /* bytes */
    double fetched;       /* share of the lines that miss the L1: the L2 sees no others */
    double readers;
} pass;

static pass pass_of(const wl_traffic *t, const totals *s, const wl_reloads *r, int n)
{
    const int once = one_pass(t, n);
    const double waves = t->blocks / t->wave_blocks;
    double readers = 1;
    const double share = different(t, &readers);
    return (pass){.lines = t->step_lines[n - 1] * t->line * t->wave_blocks * share,
                  .stores = s->stored_lines * t->line / waves * t->step_share[once],
                  .fetched = s->sectors[once] > 0 ? fmin(1, r->fetched / s->sectors[once]) : 1,
                  .readers = readers};
}

#define PASSES 8 /* distinguished: passes since the last access of the L2 to a line */

/* A line that misses the L1 in a pass was last requested from the L2 in the previous pass or, if it
 * hit the L1 then, in the one before that, and so on. The volume that passed through the L2 since
 * then decides whether it was evicted. Mean over the passes after the first. */
static double gone_from_l2(const wl_laws *laws, const pass *p, double missed, double passes)
{
    double gone[PASSES + 1], sum = 0, here = 0, seen = 0;
    for (int j = 1; j <= PASSES; j++)
        gone[j] = wl_laws_evicted(laws, p->lines * (1 - pow(1 - p->fetched, j)), p->readers, j * p->stores, 1);
    for (int k = 1; k <= PASSES && k < passes; k++) { /* the k-th pass after the first one */
        here = pow(1 - missed, k - 1) * gone[k];
        for (int j = 1; j < k; j++)
            here += missed * pow(1 - missed, j - 1) * gone[j];
        sum += here;
        seen++;
    }
    return seen > 0 ? (sum + fmax(0, passes - 1 - seen) * here) / fmax(passes - 1, seen) : 0;
}

wl_reloads wl_reloads_find(const wl_traffic *t, const wl_laws *laws)
{
    const totals s = add_up(t);
    const double at_once = missed_at_once(t, laws, &s), again = s.requested - s.sectors[0];
    wl_reloads r = {.at_once = again > 0 ? at_once / again : 0};
    double sum = at_once;
    find_missed(t, laws, &s, at_once, &r);
    for (int n = 1; n < t->step_count && n < WL_STEPS_MAX; n++) {
        const double later = s.again.others[n];
        sum += r.missed[n] * later + r.missed_own[n] * s.again.own[n];
        if (!t->windows_known || later + s.again.own[n] <= 0)
            continue;
        const pass p = pass_of(t, &s, &r, n);
        const double passes = s.sectors[one_pass(t, n)] / s.sectors[n];
        if (is_pass(t, n))
            r.through[n] = gone_from_l2(laws, &p, r.missed[n], passes);
        else if (t->waits_each_step)
            r.through[n] = wl_laws_evicted(laws, p.lines * p.fetched, p.readers, p.stores, 1);
    }
    const double most = s.requested - s.once;
    r.rate = most > 0 ? fmin(most, sum) / most : 0;
    return r;
}

double wl_reloads_of(const wl_reloads *r, const wl_traffic *t, const wl_field_traffic *f)
{
    const by_distance again = sort_by_distance(t, f);
    double sum = r->at_once * (f->loads.requested - f->loads.step_sectors[0]);
    for (int n = 1; n < t->step_count; n++)
        sum += r->missed[n] * again.others[n] + r->missed_own[n] * again.own[n];
    return fmax(0, fmin(sum, f->loads.requested - f->loads.block_sectors));
}

double wl_reloads_from_dram(const wl_reloads *r, const wl_traffic *t, const wl_field_traffic *f)
{
    const by_distance again = sort_by_distance(t, f);
    double sum = 0;
    for (int n = 1; n < t->step_count; n++)
        sum += r->through[n] * (r->missed[n] * again.others[n] + r->missed_own[n] * again.own[n]);
    return sum / readers_of(t, f); /* fetched once for all of them */
}
