/* population.c - the blocks of a launch that are traced: chosen by what they execute, not by
 * position. See ptx_source.h.
 *
 * If tracing all blocks is affordable, all are. Otherwise every kind of the census gets a share of
 * the sample that grows with its work. If the census knows only a few blocks of a kind, because it
 * has proved the others equal, blocks of that kind are first searched for in the whole launch.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

/* Steps of the emulator, in instructions: to compute the cost of one execution; in addition per
 * lane, if lanes are not adjacent; to add the granules of one lane to those of a run; to replay a
 * lane. */
#define EXECUTION_STEPS 8
#define APART_STEPS 0.25
#define LANE_STEPS 0.25
#define REPLAY_STEPS 8
#define APART_LANE_STEPS 2
/* Executions whose cost is computed, however small the effort; and how many more than the effort
 * pays for: only blocks that are longer have more. */
#define COSTED_LEAST 65536.0
#define COSTED_MORE 2
/* for courses, in instructions, however small the effort: persistent blocks tell little unless they
 * are followed to their end */
#define COURSES_LEAST 2e6
/* blocks searched for in the whole launch */
#define SPREAD_LEAST 256.0
#define SPREAD_MOST 16384.0
#define RUN_LANES ((double)(1 << 25)) /* the most addresses of a run, whatever the effort */
/* where a few blocks are much longer than the mean, a run of these takes at most so many times as
 * much as a usual one */
#define RUN_LONGEST 10
/* blocks traced of each stratum, if it has as many and they are affordable */
#define STRATUM_LEAST 4
#define EXECUTION_BYTES 33
#define DISTANCE_BYTES 4

/* A block that may be traced. */
typedef struct candidate {
    int64_t number;
    int kind;
} candidate;

static int by_kind(const void *p, const void *q)
{
    const candidate *a = p, *b = q;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int64_t blocks_of(const wl_ptx_source *s) { return s->launch.grid[0] * s->launch.grid[1] * s->launch.grid[2]; }

/* ---- executions ---- */

/* The mean cost of one block. */
typedef struct demand {
    double instructions, lanes, bytes;
    double steps;    /* to compute the cost of its accesses, in addition to emulating it */
    double granules; /* to add its footprint to that of other blocks */
    double executions;
} demand;

/* Bulk copies over an edge have fewer rows than others: in the first blocks, which are at corners,
 * they are no whole number of requests on average. */
static bool is_by_trace(const wl_ptx_source *s, const wl_ptx_traced *t, double seen)
{
    const wl_ptx_instruction *in = &s->launch.module->functions[t->function].instructions[t->instruction];
    return in->op == WL_PTX_OP_cp_bulk && seen > 0 && t->executions / seen != floor(t->executions / seen);
}

/* How often the instructions of an access are executed. */
typedef struct executed_sums {
    const wl_ptx_source *source;
    /* with an active lane, and active lanes: by the sampled blocks, in the launch */
    double seen, all, seen_lanes, all_lanes;
} executed_sums;

static void add_executed(void *user, int32_t at)
{
    executed_sums *sums = user;
    const wl_ptx_profile *seen = &sums->source->profile, *all = &sums->source->census.total;
    sums->seen += seen->warps_on[at];
    sums->all += all->warps_on[at];
    sums->seen_lanes += seen->threads_on[at];
    sums->all_lanes += all->threads_on[at];
}

/* Launch totals of each traced access, from those of its instruction. One execution of an
 * instruction may touch several buffers, or touch one several times. */
static wl_status find_executions(wl_ptx_source *s, demand *d, wl_error *err)
{
    const size_t accesses = s->access_base + s->traced_count;
    double *executed = WL_ARENA_NEW(&s->arena, double, accesses + 1),
           *lanes = WL_ARENA_NEW(&s->arena, double, accesses + 1);
    bool *by_trace = WL_ARENA_NEW(&s->arena, bool, accesses + 1);
    if (!executed || !lanes || !by_trace)
        return wl_fail_memory(err);
    for (size_t a = 0; a < s->access_base; a++)
        executed[a] = lanes[a] = -1;
    for (size_t i = 0; i < s->traced_count; i++) {
        const wl_ptx_traced *t = &s->traced[i];
        executed_sums e = {.source = s};
        wl_ptx_visit_joined(s, t, add_executed, &e);
        const double n = t->executions == e.seen ? e.all : e.seen > 0 ? e.all * t->executions / e.seen : 0;
        const double active = e.seen_lanes > 0 ? e.all_lanes * t->lanes / e.seen_lanes : 0;
        const double mean = n > 0 ? active / n : 0, per_block = n / (double)blocks_of(s);
        const double apart = t->jumps > 0 ? mean * t->jumps / t->lanes : 0;
        executed[s->access_base + i] = n;
        by_trace[s->access_base + i] = is_by_trace(s, t, e.seen);
        lanes[s->access_base + i] = active / (double)blocks_of(s);
        d->lanes += per_block * mean;
        d->executions += per_block;
        d->steps += per_block * (EXECUTION_STEPS + APART_STEPS * apart);
        d->granules += per_block * (LANE_STEPS * mean + APART_LANE_STEPS * apart);
        d->bytes += per_block * (EXECUTION_BYTES + DISTANCE_BYTES * (apart > 0 ? mean : 0));
    }
    s->population.executed = executed;
    s->population.lanes = lanes;
    s->population.by_trace = by_trace;
    return WL_OK;
}

/* ---- the sample ---- */

/* Searches the whole launch for blocks of each kind: the blocks of the census are at corners, where
 * addresses may differ from the rest. They represent a kind only if no other block of it is
 * found. */
static wl_status spread(wl_ptx_source *s, int64_t n, candidate *list, size_t *count, wl_error *err)
{
    const int64_t blocks = blocks_of(s);
    bool found[WL_PTX_KINDS_MAX] = {false};
    size_t kept = 0;
    const size_t known = *count;
    for (int64_t i = 0; i < n; i++) {
        wl_ptx_followed f;
        int64_t block[3], number = (int64_t)(((double)i + 0.5) / (double)n * (double)blocks);
        number = wl_ptx_other_rank(&s->launch, number, i);
        wl_ptx_block_of(&s->launch, number, block);
        WL_TRY(wl_ptx_follow_block(s->emulator, block, &f, err));
        const int kind = wl_ptx_census_kind(&s->census, &f);
        if (kind < 0)
            continue;
        list[(*count)++] = (candidate){number, kind};
        found[kind] = true;
    }
    for (size_t i = 0; i < *count; i++)
        if (i >= known || !found[list[i].kind])
            list[kept++] = list[i];
    *count = kept;
    wl_ptx_forget(s->emulator);
    return WL_OK;
}

static void drop_twins(candidate *list, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (kept == 0 || list[kept - 1].number != list[i].number || list[kept - 1].kind != list[i].kind)
            list[kept++] = list[i];
    *count = kept;
}

/* Takes about `wanted` of the candidates of a stratum, evenly. */
static void take(const candidate *list, size_t have, int64_t wanted, int stratum, wl_population *p, int64_t *numbers,
                 int *strata)
{
    const int64_t n = wl_max(1, wl_min((int64_t)have, wanted));
    for (int64_t i = 0; i < n; i++) {
        numbers[p->count] =
            list[n == (int64_t)have ? i : (int64_t)(((double)i + 0.5) / (double)n * (double)have)].number;
        strata[p->count++] = stratum;
    }
}

/* The stratum of each kind: one per kind or, if fewer blocks are affordable than there are kinds,
 * one for kinds of about the same length. Returns the number of strata. */
static int join_kinds(const wl_population *p, double affordable, int *stratum_of, double *stands, double *work_of)
{
    const double strata = fmax(1, fmin(p->kind_count, affordable / STRATUM_LEAST));
    double work = 0;
    int n = 0;
    for (int k = 0; k < p->kind_count; k++)
        work += p->kinds[k].blocks * p->kinds[k].instructions;
    for (int k = 0; k < p->kind_count; k++) {
        const bool own = strata >= p->kind_count;
        if (k > 0 && (own || work_of[n] >= work / strata))
            n++;
        stratum_of[k] = n;
        stands[n] += p->kinds[k].blocks;
        work_of[n] += p->kinds[k].blocks * p->kinds[k].instructions;
    }
    return n + 1;
}

static wl_status find_candidates(wl_ptx_source *s, int64_t spread_over, const int *stratum_of, candidate *list,
                                 size_t *count, wl_error *err)
{
    const wl_ptx_census *c = &s->census;
    *count = 0;
    for (int k = 0; k < c->kind_count; k++)
        for (size_t i = 0; i < c->kinds[k].count; i++)
            list[(*count)++] = (candidate){c->list[c->kinds[k].first + i].number, k};
    if (c->complete && (int64_t)c->count < blocks_of(s))
        WL_TRY(spread(s, spread_over, list, count, err));
    for (size_t i = 0; i < *count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) they were filled in above */
        list[i].kind = stratum_of[list[i].kind];
    qsort(list, *count, sizeof *list, by_kind);
    drop_twins(list, count);
    return WL_OK;
}

/* `affordable`: blocks of average length. */
static wl_status choose(wl_ptx_source *s, double affordable, wl_error *err)
{
    wl_population *p = &s->population;
    const double each = s->census.work / fmax(1, (double)s->census.count);
    const double soon = wl_ptx_affordable(s, WL_PTX_SPREAD_SHARE) / (each + 1);
    const int64_t spread_over =
        wl_min(blocks_of(s), (int64_t)fmin(fmin(fmax(affordable, SPREAD_LEAST), SPREAD_MOST), fmax(1, soon)));
    const size_t most = s->census.count + (size_t)spread_over;
    int stratum_of[WL_PTX_KINDS_MAX];
    double work_of[WL_PTX_KINDS_MAX] = {0}, work = 0;
    size_t count = 0;
    candidate *list = malloc(most * sizeof *list);
    int64_t *numbers = WL_ARENA_NEW(&s->arena, int64_t, most);
    int *strata = WL_ARENA_NEW(&s->arena, int, most);
    double *stands = WL_ARENA_NEW(&s->arena, double, WL_PTX_KINDS_MAX);
    wl_status status = list && numbers && strata && stands ? WL_OK : wl_fail_memory(err);
    if (status == WL_OK) {
        p->stratum_count = join_kinds(p, affordable, stratum_of, stands, work_of);
        status = find_candidates(s, spread_over, stratum_of, list, &count, err);
    }
    for (int n = 0; n < p->stratum_count && status == WL_OK; n++)
        work += work_of[n];
    for (size_t first = 0, i = 1; i <= count && status == WL_OK; i++)
        if (i == count || list[i].kind != list[first].kind) {
            const int n = list[first].kind;
            const double length = work_of[n] / stands[n], mean = work / (double)blocks_of(s);
            const double share = work > 0 ? affordable * work_of[n] / work * mean / fmax(length, 1) : 0;
            const int64_t least = affordable >= STRATUM_LEAST * p->stratum_count ? STRATUM_LEAST : 1;
            take(list + first, i - first, wl_max(least, (int64_t)share), n, p, numbers, strata);
            first = i;
        }
    free(list);
    p->number = numbers;
    p->stratum = strata;
    p->stands = stands;
    return status;
}

static wl_status copy_kinds(wl_ptx_source *s, wl_error *err)
{
    const wl_ptx_census *c = &s->census;
    wl_block_kind *kinds = WL_ARENA_NEW(&s->arena, wl_block_kind, c->kind_count + 1);
    if (!kinds)
        return wl_fail_memory(err);
    for (int k = 0; k < c->kind_count; k++)
        kinds[k] = wl_ptx_kind_of_blocks(&c->kinds[k]);
    s->population.kinds = kinds;
    s->population.kind_count = c->kind_count;
    s->population.complete = c->complete;
    s->population.error = c->error;
    return WL_OK;
}

static int by_number(const void *p, const void *q)
{
    const wl_ptx_census_block *a = p, *b = q;
    return (a->number > b->number) - (a->number < b->number);
}

/* Draws blocks in proportion to their loads: equal steps through the sum of all loads, in launch
 * order. */
static wl_status draw(wl_ptx_source *s, wl_error *err)
{
    const wl_ptx_census *c = &s->census;
    wl_population *p = &s->population;
    double loads = 0, before = 0;
    bool alike = true;
    for (int k = 0; k < c->kind_count; k++)
        alike = alike && c->kinds[k].loads == c->kinds[0].loads;
    if (alike)
        return WL_OK;
    wl_ptx_census_block *list = malloc(c->count * sizeof *list);
    if (!list)
        return wl_fail_memory(err);
    memcpy(list, c->list, c->count * sizeof *list);
    qsort(list, c->count, sizeof *list, by_number);
    for (size_t i = 0; i < c->count; i++)
        loads += list[i].weight * list[i].loads;
    for (size_t i = 0; i < c->count; i++) {
        before += list[i].weight * list[i].loads;
        while (p->drawn_count < WL_DRAWN_MAX && before > loads * (p->drawn_count + 0.5) / WL_DRAWN_MAX)
            p->drawn[p->drawn_count++] = list[i].number;
    }
    free(list);
    return WL_OK;
}

wl_status wl_ptx_make_population(wl_ptx_source *s, wl_error *err)
{
    wl_population *p = &s->population;
    demand d = {0};
    WL_TRY(copy_kinds(s, err));
    WL_TRY(find_executions(s, &d, err));
    WL_TRY(draw(s, err));
    double longest = 0;
    for (int k = 0; k < p->kind_count; k++) {
        d.instructions += p->kinds[k].blocks * p->kinds[k].instructions / (double)blocks_of(s);
        longest = fmax(longest, p->kinds[k].instructions);
    }
    /* effort that the census did not use may be spent, too, but not what it saved by skipping
     * trips: tracing executes every trip */
    const double left = fmax(0, wl_ptx_affordable(s, WL_PTX_CENSUS_SHARE) - s->census.work - s->census.skipped);
    const double affordable = (wl_ptx_affordable(s, WL_PTX_SAMPLE_SHARE) + left) / (d.instructions + d.steps + 1);
    /* traces that are cached anyway cost nothing */
    const bool kept =
        affordable >= (double)blocks_of(s) && d.bytes * (double)blocks_of(s) <= (double)WL_PTX_CACHE_BYTES;
    const double run = fmin(wl_ptx_affordable(s, WL_PTX_RUN_SHARE) / ((kept ? 0 : d.instructions) + d.granules + 1),
                            (double)WL_PTX_CACHE_BYTES / (d.bytes + 1));
    const double shorter = longest > 0 ? fmin(1, RUN_LONGEST * d.instructions / longest) : 1;
    p->run = (int64_t)fmax(1, fmin(fmin(run * shorter, RUN_LANES / (d.lanes + 1)), (double)blocks_of(s)));
    p->accesses = d.executions;
    p->replayed = fmin(wl_ptx_affordable(s, WL_PTX_REPLAY_SHARE) / (d.instructions + REPLAY_STEPS * d.executions + 1),
                       (double)blocks_of(s));
    p->long_blocks = affordable < 1;
    p->costed = fmax(COSTED_LEAST, COSTED_MORE * wl_ptx_affordable(s, WL_PTX_SAMPLE_SHARE) / EXECUTION_STEPS);
    p->courses = p->long_blocks ? 0 : fmax(COURSES_LEAST, wl_ptx_affordable(s, WL_PTX_COURSE_SHARE));
    if (affordable >= (double)blocks_of(s)) {
        p->count = blocks_of(s);
        return WL_OK;
    }
    return choose(s, affordable, err);
}
