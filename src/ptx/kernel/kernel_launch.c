/* kernel_launch.c - the launch a kernel is read at: the options, checked against the entry's
 * limits.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

#define DEFAULT_BUDGET 40000000 /* warp instructions per block */
#define LEAST_BUDGET 6000000    /* with little effort */
#define BLOCKS_MAX ((int64_t)1 << 40)
#define STEPS_PER_SECOND 1.8e7 /* that the emulator executes, roughly */
#define DEFAULT_EFFORT 1.0     /* seconds */

double wl_ptx_effort(const wl_ptx_source *s) { return s->options.effort > 0 ? s->options.effort : DEFAULT_EFFORT; }

double wl_ptx_affordable(const wl_ptx_source *s, double share) { return share * STEPS_PER_SECOND * wl_ptx_effort(s); }

/* A block has to be followed to its end, so that the effort bounds its length, too. */
static int64_t default_budget(const wl_ptx_source *s)
{
    const double effort = fmin(wl_ptx_effort(s), DEFAULT_EFFORT) / DEFAULT_EFFORT;
    return LEAST_BUDGET + (int64_t)(effort * (DEFAULT_BUDGET - LEAST_BUDGET));
}

static const char *const *copy_texts(const char *const *from, size_t count, wl_arena *arena)
{
    const char **to = WL_ARENA_NEW(arena, const char *, count + 1);
    for (size_t i = 0; to && i < count; i++)
        if (!(to[i] = wl_arena_text(arena, from[i], strlen(from[i]))))
            return NULL;
    return to;
}

wl_status wl_ptx_copy_options(const wl_ptx_options *from, wl_arena *arena, wl_ptx_options *to, wl_error *err)
{
    *to = *from;
    to->args = copy_texts(from->args, from->arg_count, arena);
    to->constants = copy_texts(from->constants, from->constant_count, arena);
    bool ok = to->args && to->constants;
    if (from->entry)
        ok = ok && (to->entry = wl_arena_text(arena, from->entry, strlen(from->entry))) != NULL;
    return ok ? WL_OK : wl_fail_memory(err);
}

#define CLUSTER_MAX 16 /* blocks: more than 8 only where a kernel asks for it */

/* Clusters are given, or the kernel states them; they divide the grid. */
static wl_status set_cluster(wl_ptx_source *s, wl_error *err)
{
    wl_ptx_launch *l = &s->launch;
    const int64_t *given = s->options.cluster, *stated = l->entry->cluster;
    int64_t blocks = 1;
    for (int d = 0; d < 3; d++) {
        l->cluster[d] = wl_max(1, given[0] > 0 ? given[d] : stated[d]);
        if (given[0] > 0 && stated[0] > 0 && wl_max(1, stated[d]) != l->cluster[d])
            return wl_fail(err, WL_E_INPUT, (wl_loc){l->entry->line, 1, 1},
                           "the kernel requires clusters of %lldx%lldx%lld blocks (.reqnctapercluster)",
                           (long long)stated[0], (long long)wl_max(1, stated[1]), (long long)wl_max(1, stated[2]));
        if (l->cluster[d] > CLUSTER_MAX || (blocks *= l->cluster[d]) > CLUSTER_MAX)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a cluster has at most %d blocks", CLUSTER_MAX);
        if (l->grid[d] % l->cluster[d])
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE,
                           "clusters of %lld blocks do not divide a grid of %lld blocks in %c",
                           (long long)l->cluster[d], (long long)l->grid[d], "xyz"[d]);
    }
    return WL_OK;
}

wl_status wl_ptx_set_launch(wl_ptx_source *s, wl_error *err)
{
    wl_ptx_launch *l = &s->launch;
    const wl_launch *given = &s->options.launch;
    int64_t threads = 1, blocks = 1;
    for (int d = 0; d < 3; d++) {
        l->block[d] = given->block[d] > 0 ? given->block[d] : 1;
        l->grid[d] = given->grid[d] > 0         ? given->grid[d]
                     : s->options.domain[d] > 0 ? wl_ceil_div(s->options.domain[d], l->block[d])
                     : d > 0 && (given->grid[0] > 0 || s->options.domain[0] > 0) ? 1
                                                                                 : 0;
        if (l->grid[d] == 0)
            return wl_fail(
                err, WL_E_INPUT, WL_NOWHERE,
                "how many blocks? A kernel in PTX needs --grid, as in 'cdiv(n,block.x)', or --domain with the "
                "threads it needs, as in 4096x4096");
        if (l->block[d] > 1024 || !wl_mul(threads, l->block[d], &threads) || threads > 1024)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "a block has at most 1024 threads (%lldx%lldx%lld is more)",
                           (long long)given->block[0], (long long)given->block[1], (long long)given->block[2]);
        if (!wl_mul(blocks, l->grid[d], &blocks) || blocks > BLOCKS_MAX)
            return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "the grid has more than 2^40 blocks");
    }
    WL_TRY(set_cluster(s, err));
    l->dynamic_shared = s->options.dynamic_shared;
    if (s->options.shared_of)
        WL_TRY(s->options.shared_of(s->options.shared_user, given, &l->dynamic_shared, err));
    l->budget = s->options.budget > 0 ? s->options.budget : default_budget(s);
    l->lenient = s->options.outside;
    l->arguments = &s->arguments;
    for (int d = 0; d < 3; d++)
        if (l->entry->required_threads[0] > 0 && l->entry->required_threads[d] != l->block[d])
            return wl_fail(err, WL_E_INPUT, (wl_loc){l->entry->line, 1, 1},
                           "the kernel requires blocks of %lldx%lldx%lld threads (.reqntid)",
                           (long long)l->entry->required_threads[0], (long long)l->entry->required_threads[1],
                           (long long)l->entry->required_threads[2]);
    int64_t most = 1;
    for (int d = 0; d < 3; d++) /* a block has at most 1024 threads */
        most *= wl_min(wl_max(1, l->entry->max_threads[d]), 1024);
    if (l->entry->max_threads[0] > 0 && threads > most)
        return wl_fail(err, WL_E_INPUT, (wl_loc){l->entry->line, 1, 1},
                       "the kernel was compiled for at most %lld threads per block (.maxntid), not %lld",
                       (long long)most, (long long)threads);
    return WL_OK;
}
