/* census.c - see census.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include "ptx/kernel/census_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/room.h"

#define STRATA_MAX 96
#define STRATUM_LEAST 8 /* blocks to follow of each stratum, about */
/* share of the effort: if all blocks take less, all are followed */
#define SOON 0.75
#define PRECISE 0.001 /* with a smaller error, no further blocks are followed */
#define TRIED 3       /* blocks followed first, to estimate the cost of one */
/* at most so many positions in one dimension at which the domain's edge cuts blocks */
#define CUTS_MAX 6
#define COUNTS_BYTES ((int64_t)8 << 20) /* counts of instructions are kept by stratum */
#define COUNT_BYTES 40                  /* of one instruction */

/* A box of blocks. */
typedef struct stratum {
    int64_t first[3], extent[3]; /* of the box */
    int64_t start, blocks;       /* the blocks start .. start + blocks - 1 of it, x fastest */
    int64_t step, followed;      /* the n-th followed is start + (n * step + blocks / 2) % blocks */
    double squares, sum;         /* of instructions, for the spread */
    wl_ptx_profile counts;       /* of the blocks followed */
} stratum;

typedef struct taker {
    wl_ptx_emulator *emulator;
    const wl_ptx_launch *launch;
    wl_ptx_census *census;
    stratum strata[STRATA_MAX];
    int count;
    double affordable;
    wl_arena arena; /* counts of strata */
    wl_error *err;
} taker;

void wl_ptx_block_of(const wl_ptx_launch *launch, int64_t number, int64_t block[3])
{
    const int64_t *g = launch->grid;
    block[0] = number % g[0];
    block[1] = number / g[0] % g[1];
    block[2] = number / g[0] / g[1];
}

/* ---- strata ---- */

/* A step, near the golden section of n, that visits all numbers below n once, evenly spread at any
 * time. */
static int64_t golden_step(int64_t n)
{
    int64_t step = (int64_t)(0.6180339887498949 * (double)n);
    for (step = wl_max(1, step); wl_gcd(step, n) != 1;)
        step++;
    return step % wl_max(1, n) ? step % n : 1;
}

static wl_status add_stratum(taker *t, const int64_t first[3], const int64_t extent[3], int64_t start, int64_t blocks)
{
    stratum *s = &t->strata[t->count++];
    *s = (stratum){.start = start, .blocks = blocks, .step = golden_step(blocks)};
    memcpy(s->first, first, sizeof s->first);
    memcpy(s->extent, extent, sizeof s->extent);
    return wl_ptx_profile_make(t->launch->module, &t->arena, &s->counts, t->err);
}

/* A box of blocks in runs of the launch order. */
static wl_status add_runs(taker *t, const int64_t first[3], const int64_t extent[3], int64_t most)
{
    const int64_t blocks = extent[0] * extent[1] * extent[2], runs = wl_max(1, wl_min(blocks / STRATUM_LEAST, most));
    for (int64_t r = 0; r < runs; r++) {
        const int64_t start = blocks / runs * r + wl_min(r, blocks % runs);
        WL_TRY(add_stratum(t, first, extent, start, blocks / runs + (r < blocks % runs)));
    }
    return WL_OK;
}

bool wl_ptx_grid_part(const int64_t grid[3], int part, int64_t first[3], int64_t extent[3])
{
    bool exists = true;
    for (int d = 0; d < 3; d++, part /= 3) {
        const int place = part % 3;
        first[d] = place == 0 ? 0 : place == 1 ? 1 : grid[d] - 1;
        extent[d] = place == 1 ? grid[d] - 2 : 1;
        exists = exists && grid[d] > (place == 0 ? 0 : place == 1 ? 2 : 1);
    }
    return exists;
}

/* By position: the edges of the grid separately, the rest in runs of consecutive blocks. A small
 * sample has no strata for edges, unless the last block may do what is left to do. */
static wl_status stratify(taker *t, double blocks)
{
    const int64_t *grid = t->launch->grid, room = COUNTS_BYTES / (COUNT_BYTES * (t->census->total.count + 1));
    const int64_t most = (int64_t)fmin((double)wl_min(STRATA_MAX, room), blocks / STRATUM_LEAST);
    if (most <= 2 * WL_PTX_PARTS && !wl_ptx_ordering_of(t->emulator).ordered)
        return add_runs(t, (const int64_t[3]){0, 0, 0}, grid, most);
    for (int i = 0; i < WL_PTX_PARTS; i++) {
        int64_t first[3], extent[3];
        bool inner = true;
        if (!wl_ptx_grid_part(grid, i, first, extent))
            continue;
        for (int d = 0; d < 3; d++)
            inner = inner && (grid[d] == 1 || (grid[d] > 2 && first[d] == 1));
        WL_TRY(add_runs(t, first, extent, inner ? most - WL_PTX_PARTS : 1));
    }
    return WL_OK;
}

/* The positions at which the domain's edges cut the grid along one dimension: ascending, unique. */
static int cuts_of(const taker *t, const wl_ptx_recovery *r, int d, int64_t cuts[CUTS_MAX])
{
    const int64_t size = t->launch->block[d], grid = t->launch->grid[d];
    const int64_t end = r->domain[d] > 0 ? r->domain[d] : grid * size;
    const int64_t all[CUTS_MAX] = {0,          r->first[d] / size,     wl_ceil_div(r->first[d], size),
                                   end / size, wl_ceil_div(end, size), grid};
    int n = 0;
    for (int i = 0; i < CUTS_MAX; i++) {
        const int64_t at = wl_max(0, wl_min(all[i], grid));
        if (n == 0 || at > cuts[n - 1])
            cuts[n++] = at;
    }
    return n;
}

/* ---- following ---- */

static int64_t number_at(const taker *t, const stratum *s, int64_t n)
{
    const int64_t i = s->start + (n * s->step + s->blocks / 2) % s->blocks, *g = t->launch->grid;
    const int64_t x = s->first[0] + i % s->extent[0], y = s->first[1] + i / s->extent[0] % s->extent[1],
                  z = s->first[2] + i / s->extent[0] / s->extent[1];
    return x + g[0] * (y + g[1] * z);
}

static wl_status keep_witness(wl_ptx_census *c, int64_t number, wl_error *err)
{
    if (!WL_ROOM(c->witness, c->witness_count + 1, c->witness_room))
        return wl_fail_memory(err);
    c->witness[c->witness_count++] = number;
    return WL_OK;
}

wl_status wl_ptx_census_follow(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, int64_t number, int of_stratum,
                               wl_ptx_census *c, wl_error *err)
{
    wl_ptx_followed f;
    int64_t block[3];
    if (!WL_ROOM(c->list, c->count + 1, c->room))
        return wl_fail_memory(err);
    wl_ptx_block_of(launch, number, block);
    WL_TRY(wl_ptx_follow_block(emulator, block, &f, err));
    c->work += (double)f.steps;
    c->skipped += (double)f.skipped;
    if (f.longest.instructions > c->longest.instructions)
        c->longest = f.longest;
    c->list[c->count++] = (wl_ptx_census_block){
        .signature = f.signature,
        .number = number,
        .instructions = f.instructions,
        .loads = (int32_t)wl_min(f.loads, INT32_MAX),
        .stores = (int32_t)wl_min(f.stores, INT32_MAX),
        .longest = {(int32_t)wl_min(f.longest.instructions, INT32_MAX), (int32_t)wl_min(f.longest.loads, INT32_MAX),
                    (int32_t)wl_min(f.longest.serial, INT32_MAX), (int32_t)wl_min(f.longest.rounds, INT32_MAX)},
        .stratum = of_stratum,
        .last = number,
        .middle = (double)number};
    return f.fresh ? keep_witness(c, number, err) : WL_OK;
}

static wl_status follow(taker *t, int at, int64_t number)
{
    WL_TRY(wl_ptx_census_follow(t->emulator, t->launch, number, at, t->census, t->err));
    const double length = (double)t->census->list[t->census->count - 1].instructions;
    t->strata[at].sum += length;
    t->strata[at].squares += length * length;
    t->strata[at].followed++;
    return WL_OK;
}

/* Follows blocks of a stratum until it has n. */
static wl_status follow_up_to(taker *t, int at, int64_t n)
{
    const stratum *s = &t->strata[at];
    for (int64_t i = s->followed, end = wl_min(n, s->blocks); i < end; i++)
        WL_TRY(follow(t, at, number_at(t, s, i)));
    wl_ptx_collect(t->emulator, 1, &t->strata[at].counts);
    return WL_OK;
}

static double blocks_of(const taker *t)
{
    double all = 0;
    for (int i = 0; i < t->count; i++)
        all += (double)t->strata[i].blocks;
    return all;
}

static double spread_of(const stratum *s)
{
    const double n = (double)s->followed;
    return n < 2 ? s->sum : sqrt(fmax(0, (s->squares - s->sum * s->sum / n) / (n - 1)));
}

/* Spends the remaining effort where it reduces the error most: on strata with many blocks that
 * differ. */
static wl_status follow_rest(taker *t)
{
    const double each = t->census->work / (double)t->census->count;
    const double more =
        fmin((t->affordable - t->census->work) / each, (double)(WL_PTX_FOLLOWED_MAX - t->census->count));
    double weights = 0;
    for (int i = 0; i < t->count; i++)
        if (t->strata[i].followed < t->strata[i].blocks)
            weights += (double)t->strata[i].blocks * spread_of(&t->strata[i]);
    for (int i = 0; i < t->count && weights > 0; i++) {
        const stratum *s = &t->strata[i];
        const double share = (double)s->blocks * spread_of(s) / weights;
        WL_TRY(follow_up_to(t, i, s->followed + (int64_t)(more * share)));
    }
    return WL_OK;
}

/* ---- totals and their error ---- */

static void add(wl_ptx_profile *to, const wl_ptx_profile *from, double weight)
{
    for (int32_t i = 0; i < to->count; i++) {
        to->warps[i] += weight * from->warps[i];
        to->warps_on[i] += weight * from->warps_on[i];
        to->threads[i] += weight * from->threads[i];
        to->threads_on[i] += weight * from->threads_on[i];
        to->diverged[i] += weight * from->diverged[i];
        to->rungs[i] += weight * from->rungs[i];
    }
}

static double weight_of(const stratum *s) { return s->followed ? (double)s->blocks / (double)s->followed : 0; }

static void weigh(const taker *t)
{
    for (size_t i = 0; i < t->census->count; i++)
        t->census->list[i].weight = weight_of(&t->strata[t->census->list[i].stratum]);
}

static void add_up(taker *t)
{
    weigh(t);
    for (int h = 0; h < t->count; h++)
        add(&t->census->total, &t->strata[h].counts, weight_of(&t->strata[h]));
}

/* The variance of a total. One more block, as long as the longest one seen, accounts for blocks
 * that a sample misses. */
static double variance_of(const taker *t, double (*value)(const wl_ptx_census_block *), double *total)
{
    double n[STRATA_MAX] = {0}, sum[STRATA_MAX] = {0}, squares[STRATA_MAX] = {0}, most = 0, variance = 0;
    *total = 0;
    for (size_t i = 0; i < t->census->count; i++) {
        const wl_ptx_census_block *b = &t->census->list[i];
        const double v = value(b);
        n[b->stratum] += 1;
        sum[b->stratum] += v;
        squares[b->stratum] += v * v;
        most = fmax(most, v);
        *total += b->weight * v;
    }
    for (int h = 0; h < t->count; h++) {
        const double all = (double)t->strata[h].blocks;
        if (n[h] >= all)
            continue;
        if (n[h] < 2) { /* one block does not show how blocks differ */
            variance += all * all * squares[h];
            continue;
        }
        const double m = n[h] + 1, s = sum[h] + most, q = squares[h] + most * most;
        variance += all * all * (1 - n[h] / all) * fmax(0, q - s * s / m) / n[h] / n[h];
    }
    return variance;
}

static double instructions_of(const wl_ptx_census_block *b) { return (double)b->instructions; }
static double loads_of(const wl_ptx_census_block *b) { return b->loads; }
static double stores_of(const wl_ptx_census_block *b) { return b->stores; }

static bool has_access(const wl_ptx_function *f, bool store)
{
    for (int32_t i = 0; i < f->instruction_count; i++)
        if (wl_ptx_class_of(&f->instructions[i]) == (store ? WL_INST_store : WL_INST_load))
            return true;
    return false;
}

/* The largest relative standard error. */
static double error_of(const taker *t)
{
    double (*const values[])(const wl_ptx_census_block *) = {instructions_of, loads_of, stores_of};
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        double total;
        const double variance = variance_of(t, values[i], &total);
        if (total > 0)
            largest = fmax(largest, sqrt(variance) / total);
        else if (i > 0 && !wl_ptx_reached_all(t->emulator) && has_access(t->launch->entry, i == 2))
            largest = fmax(largest, 1); /* no followed block executed it: others may */
    }
    return largest;
}

/* If all n followed blocks are equal, blocks that differ are rare, at most one in n, but such a
 * block may do nothing, or twice as much. */
static double error_of_rare(const taker *t)
{
    double followed = 0, blocks = 0;
    for (int h = 0; h < t->count; h++)
        if (t->strata[h].followed < t->strata[h].blocks) {
            followed += (double)t->strata[h].followed;
            blocks += (double)t->strata[h].blocks;
        }
    return followed > 0 ? sqrt(1 - followed / blocks) / followed : 0;
}

/* ---- the sample ---- */

/* How many blocks the effort allows, estimated from a few. */
static wl_status try_some(taker *t, double *blocks)
{
    const int64_t *g = t->launch->grid, all = g[0] * g[1] * g[2], tried = wl_min(all, TRIED);
    double steps = 0;
    for (int64_t i = 0; i < tried; i++) {
        wl_ptx_followed f;
        int64_t block[3];
        wl_ptx_block_of(t->launch, all / tried * i + all / tried / 2, block);
        WL_TRY(wl_ptx_follow_block(t->emulator, block, &f, t->err));
        steps += (double)f.steps;
    }
    wl_ptx_forget(t->emulator);
    *blocks = t->affordable / (steps / (double)tried);
    return WL_OK;
}

/* Doubles the sample while that is affordable. Stops early if all code has been reached, the error
 * is small, and the remaining blocks would take long. */
static wl_status follow_all(taker *t)
{
    const double blocks = blocks_of(t);
    for (int64_t n = 1;; n *= 2) {
        double next = 0;
        for (int i = 0; i < t->count; i++)
            WL_TRY(follow_up_to(t, i, n));
        const double done = (double)t->census->count, rest = blocks * t->census->work / done;
        for (int i = 0; i < t->count; i++)
            next += (double)wl_min(2 * n, t->strata[i].blocks);
        if (done == blocks)
            return WL_OK;
        const bool fits = rest <= t->affordable && blocks <= (double)WL_PTX_FOLLOWED_MAX;
        if (fits && (rest <= SOON * t->affordable || done >= blocks / 8)) {
            n = INT64_MAX / 4; /* all at once */
            continue;
        }
        weigh(t);
        if (n >= STRATUM_LEAST && wl_ptx_reached_all(t->emulator) && error_of(t) < PRECISE)
            return WL_OK;
        if (next / blocks * rest > t->affordable || next > (double)WL_PTX_FOLLOWED_MAX)
            return follow_rest(t);
    }
}

/* ---- kinds ---- */

/* Lengths that differ by less than a fifth or so are about the same. */
static uint64_t about(double length) { return (uint64_t)(4 * log2(length + 1)); }

/* By signature; by length and loads; by length. */
static uint64_t key_of(const wl_ptx_census_block *b, int roughness)
{
    const uint64_t length = about((double)b->instructions);
    return roughness == 0   ? b->signature
           : roughness == 1 ? length << 32 | about(b->loads) << 16 | (uint64_t)(b->stores > 0)
                            : length / 2;
}

static int by_signature(const void *p, const void *q)
{
    const wl_ptx_census_block *a = p, *b = q;
    if (a->signature != b->signature)
        return a->signature < b->signature ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

void wl_ptx_census_sort(wl_ptx_census *c) { qsort(c->list, c->count, sizeof *c->list, by_signature); }

static int by_length(const void *p, const void *q)
{
    const wl_ptx_kind *a = p, *b = q;
    if (a->instructions != b->instructions)
        return a->instructions > b->instructions ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static size_t count_kinds(const wl_ptx_census *c)
{
    size_t kinds = 0;
    for (size_t i = 0; i < c->count; i++)
        kinds += i == 0 || c->list[i].signature != c->list[i - 1].signature;
    return kinds;
}

static void add_kind(wl_ptx_census *c, size_t first, size_t end)
{
    wl_ptx_kind *k = &c->kinds[c->kind_count++];
    *k = (wl_ptx_kind){.first = first, .count = end - first, .from = INT64_MAX, .to = -1, .most = -1};
    for (size_t i = first; i < end; i++) {
        const wl_ptx_census_block *b = &c->list[i];
        k->blocks += b->weight;
        k->instructions += b->weight * (double)b->instructions;
        k->loads += b->weight * b->loads;
        k->stores += b->weight * b->stores;
        k->middle += b->weight * b->middle;
        if ((double)b->instructions > k->most) {
            k->most = (double)b->instructions;
            k->longest = (wl_ptx_longest){b->longest[0], b->longest[1], b->longest[2], b->longest[3]};
        }
        k->from = wl_min(k->from, b->number);
        k->to = wl_max(k->to, b->last);
    }
    k->instructions /= k->blocks;
    k->loads /= k->blocks;
    k->stores /= k->blocks;
    k->middle /= k->blocks;
}

static void find_kinds(wl_ptx_census *c)
{
    wl_ptx_census_sort(c);
    while (c->roughness < 2 && count_kinds(c) > WL_PTX_KINDS_MAX) {
        c->roughness++;
        for (size_t i = 0; i < c->count; i++)
            c->list[i].signature = key_of(&c->list[i], c->roughness);
        wl_ptx_census_sort(c);
    }
    for (size_t first = 0, i = 1; i <= c->count; i++)
        if (i == c->count || c->list[i].signature != c->list[first].signature) {
            /* the longest, which are last, share the last kind */
            if (c->kind_count == WL_PTX_KINDS_MAX) {
                wl_ptx_kind *last = &c->kinds[--c->kind_count];
                first = last->first;
            }
            add_kind(c, first, i);
            first = i;
        }
    qsort(c->kinds, (size_t)c->kind_count, sizeof *c->kinds, by_length);
}

wl_block_kind wl_ptx_kind_of_blocks(const wl_ptx_kind *k)
{
    const wl_ptx_longest *l = &k->longest;
    return (wl_block_kind){
        .blocks = k->blocks,
        .instructions = k->instructions,
        .loads = k->loads,
        .stores = k->stores,
        .most = k->most,
        .first = (double)k->from,
        .last = (double)k->to,
        .middle = k->middle,
        .longest = {(double)l->instructions, (double)l->loads, (double)l->serial, (double)l->rounds / WL_PTX_ROUND}};
}

int wl_ptx_census_kind(const wl_ptx_census *c, const wl_ptx_followed *f)
{
    const wl_ptx_census_block b = {.signature = f->signature,
                                   .instructions = f->instructions,
                                   .loads = (int32_t)wl_min(f->loads, INT32_MAX),
                                   .stores = (int32_t)wl_min(f->stores, INT32_MAX)};
    for (int k = 0; k < c->kind_count; k++)
        if (c->list[c->kinds[k].first].signature == key_of(&b, c->roughness))
            return k;
    return -1;
}

/* The block of a kind whose length is nearest to the mean. */
static int64_t typical_block(const wl_ptx_census *c, const wl_ptx_kind *k)
{
    const wl_ptx_census_block *best = &c->list[k->first];
    for (size_t i = k->first; i < k->first + k->count; i++) {
        const wl_ptx_census_block *b = &c->list[i];
        if (fabs((double)b->instructions - k->instructions) < fabs((double)best->instructions - k->instructions))
            best = b;
    }
    return best->number;
}

/* Of the first kinds, the one whose blocks execute about as much. */
static int nearest_kind(const wl_ptx_census *c, int most, int kind)
{
    int best = 0;
    for (int k = 1; k < most; k++)
        if (fabs(c->kinds[k].instructions - c->kinds[kind].instructions) <
            fabs(c->kinds[best].instructions - c->kinds[kind].instructions))
            best = k;
    return best;
}

int wl_ptx_census_represent(const wl_ptx_census *c, int most, wl_ptx_representative *out)
{
    const int n = c->kind_count < most ? c->kind_count : most;
    for (int k = 0; k < n; k++)
        out[k] = (wl_ptx_representative){typical_block(c, &c->kinds[k]), c->kinds[k].blocks};
    for (int k = n; k < c->kind_count; k++)
        out[nearest_kind(c, n, k)].blocks += c->kinds[k].blocks;
    return n;
}

/* ---- where blocks are known to be alike ---- */

/* One block of each box of blocks that the edges of the domain cut in the same way, with all
 * threads of the domain executing the same. */
static wl_status follow_boxes(taker *t, const wl_ptx_recovery *r)
{
    int64_t cuts[3][CUTS_MAX];
    int count[3];
    for (int d = 0; d < 3; d++)
        count[d] = cuts_of(t, r, d, cuts[d]);
    for (int z = 0; z + 1 < count[2]; z++)
        for (int y = 0; y + 1 < count[1]; y++)
            for (int x = 0; x + 1 < count[0]; x++) {
                const int64_t first[3] = {cuts[0][x], cuts[1][y], cuts[2][z]};
                const int64_t extent[3] = {cuts[0][x + 1] - first[0], cuts[1][y + 1] - first[1],
                                           cuts[2][z + 1] - first[2]};
                const double blocks = (double)extent[0] * (double)extent[1] * (double)extent[2];
                const int64_t *g = t->launch->grid;
                t->strata[0].blocks = 1;
                WL_TRY(follow(t, 0, first[0] + g[0] * (first[1] + g[1] * first[2])));
                wl_ptx_census_block *b = &t->census->list[t->census->count - 1];
                b->weight = blocks;
                b->last = cuts[0][x + 1] - 1 + g[0] * (cuts[1][y + 1] - 1 + g[1] * (cuts[2][z + 1] - 1));
                b->middle = 0.5 * ((double)b->number + (double)b->last);
                wl_ptx_collect(t->emulator, blocks, &t->census->total);
            }
    return WL_OK;
}

/* Even if all threads execute the same, predicates may turn instructions off in some. */
static bool has_predicates(const wl_ptx_function *f)
{
    for (int32_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].guard >= 0 && f->instructions[i].op != WL_PTX_OP_bra &&
            f->instructions[i].op != WL_PTX_OP_ret && f->instructions[i].op != WL_PTX_OP_exit)
            return true;
    return false;
}

static wl_status take(taker *t, const wl_ptx_recovery *r)
{
    wl_ptx_census *c = t->census;
    WL_TRY(wl_ptx_profile_make(t->launch->module, &c->arena, &c->total, t->err));
    c->complete = true;
    wl_ptx_forget(t->emulator);
    bool done = false;
    if (wl_ptx_flow_is_even(t->emulator))
        WL_TRY(wl_ptx_census_places(t->emulator, t->launch, t->affordable, c, &done, t->err));
    if (!done && r->uniform && !has_predicates(t->launch->entry)) {
        WL_TRY(follow_boxes(t, r));
        done = true;
    }
    if (!done) {
        double affordable;
        WL_TRY(try_some(t, &affordable));
        WL_TRY(stratify(t, affordable));
        WL_TRY(follow_all(t));
        add_up(t);
        c->complete = (double)c->count == blocks_of(t);
        const double seen = error_of(t), rare = error_of_rare(t);
        c->error = c->complete ? 0 : sqrt(seen * seen + rare * rare);
    }
    find_kinds(c);
    return WL_OK;
}

wl_status wl_ptx_census_take(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, const wl_ptx_recovery *recovery,
                             double affordable, wl_ptx_census *out, wl_error *err)
{
    taker *t = calloc(1, sizeof *t);
    *out = (wl_ptx_census){0};
    if (!t)
        return wl_fail_memory(err);
    t->emulator = emulator;
    t->launch = launch;
    t->census = out;
    t->affordable = affordable;
    t->err = err;
    const wl_status status = take(t, recovery);
    wl_arena_free(&t->arena);
    free(t);
    if (status != WL_OK)
        wl_ptx_census_free(out);
    return status;
}

void wl_ptx_census_free(wl_ptx_census *census)
{
    free(census->list);
    free(census->witness);
    wl_arena_free(&census->arena);
    *census = (wl_ptx_census){0};
}
