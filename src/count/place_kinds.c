/* place_kinds.c - see place_kinds.h. SPDX-License-Identifier: MIT */
#include "count/place_kinds.h"

#include <math.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "count/block_kinds.h"
#include "kernel/program.h"

#define GUARDS_MAX 32 /* distinct conditions; in kernels with more, all blocks count as alike */

typedef struct finder {
    const wl_place_input *in;
    wl_cut_input cuts;
    const wl_guard *guards[GUARDS_MAX];
    double warps; /* of a block */
} finder;

/* False: there are too many. */
static bool find_guards(finder *f)
{
    for (size_t a = 0; a < f->in->kernel->access_count; a++)
        if (!f->in->bounds[a].never &&
            !wl_guards_add(f->in->bounds[a].guard, f->guards, &f->cuts.guard_count, GUARDS_MAX))
            return false;
    return true;
}

/* How often a block of the tiles executes an access: 0 or 1, as the warps that a condition cuts
 * through execute it, too. */
static double executed(const finder *f, size_t access, const wl_tiles *tiles)
{
    const wl_bound *bound = &f->in->bounds[access];
    int undecided;
    if (bound->never || !tiles)
        return 0;
    if (!bound->guard)
        return 1;
    const wl_axis_box box = wl_tiles_coordinates(&f->cuts, bound->guard, tiles);
    const int truth = wl_guard_truth(bound->guard, &box, 0, &undecided);
    return truth != 0;
}

/* What one block of the tiles executes, with instructions counted in accesses; NULL: an idle
 * block. */
static wl_block_kind kind_of(const finder *f, const wl_tiles *tiles)
{
    const wl_kernel *k = f->in->kernel;
    wl_block_kind kind = {0};
    for (size_t a = 0; a < k->access_count; a++) {
        const double often = executed(f, a, tiles) * wl_access_steps(k, &k->accesses[a]);
        const bool global = !k->fields[k->accesses[a].field].shared && !k->accesses[a].atomic;
        kind.instructions += often;
        if (global)
            *(k->accesses[a].store ? &kind.stores : &kind.loads) += often;
    }
    kind.longest = (wl_longest_warp){.loads = kind.loads, .rounds = kind.loads > 0};
    kind.loads *= f->warps;
    kind.stores *= f->warps;
    return kind;
}

/* The number in the launch of the first or last block of a box. */
static double number_of(const finder *f, const wl_tiles *t, bool last)
{
    const wl_geometry *g = f->in->launched;
    double number = 0;
    for (int d = 2; d >= 0; d--) {
        const int64_t at = t->first[d] + (last ? t->count[d] - 1 : 0) + f->in->busy->start[d] - g->start[d];
        number = number * (double)g->grid[d] + (double)at;
    }
    return number;
}

static void add_box(const finder *f, const wl_tiles *t, wl_block_kind *kind)
{
    const double blocks = (double)t->count[0] * (double)t->count[1] * (double)t->count[2];
    const double first = number_of(f, t, false), last = number_of(f, t, true);
    kind->first = kind->blocks > 0 ? fmin(kind->first, first) : first;
    kind->last = fmax(kind->last, last);
    kind->middle += blocks / (kind->blocks + blocks) * (0.5 * (first + last) - kind->middle);
    kind->blocks += blocks;
}

static int by_length(const void *p, const void *q)
{
    const wl_block_kind *a = p, *b = q;
    if (a->instructions != b->instructions)
        return a->instructions > b->instructions ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Converts accesses to instructions, whose mean is known. */
static void weigh(const finder *f, wl_block_kind *kinds, int count)
{
    double accesses = 0, blocks = 0;
    for (int k = 0; k < count; k++) {
        accesses += kinds[k].blocks * kinds[k].instructions;
        blocks += kinds[k].instructions > 0 ? kinds[k].blocks : 0;
    }
    const double more = fmax(0, f->in->instructions - f->in->start);
    for (int k = 0; k < count; k++) {
        const double share = accesses > 0 ? kinds[k].instructions * blocks / accesses : 0;
        kinds[k].longest.instructions = f->in->start + more * share;
        kinds[k].instructions = kinds[k].most = f->warps * kinds[k].longest.instructions;
    }
}

static wl_status find(finder *f, wl_arena *arena, wl_kinds *out, wl_error *err)
{
    const wl_geometry *launched = f->in->launched, *busy = f->in->busy;
    wl_block_kinds alike;
    WL_TRY(wl_kinds_by_cuts(&f->cuts, arena, &alike, err));
    wl_block_kind *kinds = WL_ARENA_NEW(arena, wl_block_kind, alike.count + 1);
    if (!kinds)
        return wl_fail_memory(err);
    int count = 0;
    for (size_t k = 0; k < alike.count; k++) {
        kinds[count] = kind_of(f, alike.list[k].boxes);
        for (size_t b = 0; b < alike.list[k].box_count; b++)
            add_box(f, &alike.list[k].boxes[b], &kinds[count]);
        count++;
    }
    if (launched->blocks > busy->blocks) { /* idle blocks are all around the others */
        kinds[count] = kind_of(f, NULL);
        kinds[count].blocks = (double)(launched->blocks - busy->blocks);
        kinds[count].last = (double)(launched->blocks - 1);
        kinds[count++].middle = 0.5 * (double)(launched->blocks - 1);
    }
    weigh(f, kinds, count);
    qsort(kinds, (size_t)count, sizeof *kinds, by_length);
    wl_kinds_join(kinds, count, out);
    return WL_OK;
}

wl_status wl_place_kinds(const wl_place_input *in, wl_kinds *out, wl_error *err)
{
    finder f = {.in = in,
                .cuts = {.geometry = in->busy, .tile = {1, 1, 1}, .anywhere = true},
                .warps = (double)wl_ceil_div(in->launched->threads, in->warp_size)};
    wl_arena arena = {0};
    wl_error limit = {0};
    *out = (wl_kinds){0};
    f.cuts.guards = f.guards;
    if (!find_guards(&f) || (f.cuts.guard_count == 0 && in->launched->blocks == in->busy->blocks))
        return WL_OK;
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        f.cuts.steps[l] = l < in->kernel->loop_count ? in->kernel->loop_extent[l] : 1;
    wl_status status = find(&f, &arena, out, &limit);
    wl_arena_free(&arena);
    if (status == WL_E_LIMIT)
        return WL_OK;
    return status == WL_OK ? WL_OK : wl_fail(err, status, limit.loc, "%s", limit.message);
}
