/* enumerate_launches.c - the blocks, foldings and schedules of a space that a device can launch.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "kernel/kernel_internal.h"
#include "launch/geometry.h"
#include "launch/grid_rule.h"
#include "search/ranker.h"

static int64_t next_power(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* ---- blocks ---- */

/* Does nothing bound the block in d? There is no domain, and the grid follows the block, or is the
 * same for every block and has that axis: then threads share the work, however many there are. */
static bool is_unbounded(const wl_ranker *r, int d)
{
    if (r->kernel->dims || r->kernel->threads[0] || !r->grid)
        return !r->kernel->dims && r->grid && wl_grid_rule_follows(r->grid, d);
    bool fixed = true;
    for (int axis = 0; axis < 3; axis++)
        fixed = fixed && !wl_grid_rule_follows(r->grid, axis);
    return wl_grid_rule_follows(r->grid, d) || (fixed && d < wl_grid_rule_dims(r->grid));
}

/* Powers of two up to the domain's extent, if there is one; in x also multiples of a warp. */
static wl_status default_extents(wl_ranker *r, int d, int64_t most, wl_values *out, wl_error *err)
{
    const bool any = is_unbounded(r, d);
    const int64_t extent = r->kernel->dims ? r->kernel->domain[d] : r->kernel->threads[d];
    const int64_t enough = any ? most : wl_min(most, next_power(extent));
    WL_TRY(wl_values_range(1, enough, 0, &r->arena, out, err));
    if (d > 0)
        return WL_OK;
    wl_values warps;
    WL_TRY(wl_values_range(r->warp_size, enough, r->warp_size, &r->arena, &warps, err));
    return wl_values_merge(out, &warps, &r->arena, out, err);
}

typedef struct block_lists {
    wl_values extent[3], threads;
    int64_t most[3], most_threads;
    int64_t whole; /* threads must be a multiple of this */
} block_lists;

/* How many values of an ascending list are at most `most`. */
static size_t values_up_to(const wl_values *v, int64_t most)
{
    size_t n = 0;
    while (n < v->count && v->at[n] <= most)
        n++;
    return n;
}

/* Visits every block of the lists that the device can launch. The others are counted without a
 * visit, which is why the lists are ascending. `blocks` NULL: counts only. */
static size_t visit_blocks(wl_ranker *r, const block_lists *l, int32_t (*blocks)[3])
{
    const int64_t *x = l->extent[0].at, *y = l->extent[1].at, *z = l->extent[2].at;
    int64_t all = 1, short_enough = 1, small_enough = 0, count_of = 0;
    size_t end[3], n = 0;
    for (int d = 0; d < 3; d++) {
        end[d] = values_up_to(&l->extent[d], l->most[d]);
        all *= (int64_t)l->extent[d].count;
        short_enough *= (int64_t)end[d];
    }
    for (size_t i = 0; i < end[0]; i++)
        for (size_t j = 0; j < end[1] && x[i] * y[j] <= l->most_threads; j++)
            for (size_t k = 0; k < end[2] && x[i] * y[j] * z[k] <= l->most_threads; k++) {
                const int64_t t = x[i] * y[j] * z[k];
                small_enough++;
                if (t % l->whole != 0 || (l->threads.count && !wl_values_contain(&l->threads, t))) {
                    /* blocks of partial warps were never part of the default space */
                    count_of += l->threads.count > 0;
                    continue;
                }
                if (blocks) {
                    blocks[n][0] = (int32_t)x[i];
                    blocks[n][1] = (int32_t)y[j];
                    blocks[n][2] = (int32_t)z[k];
                }
                n++;
            }
    r->before[WL_OUTCOME_EXTENT] = all - short_enough;
    r->before[WL_OUTCOME_THREADS] = short_enough - small_enough;
    r->before[WL_OUTCOME_COUNT_OF] = count_of;
    return n;
}

static wl_status list_blocks(wl_ranker *r, const wl_space *space, wl_error *err)
{
    block_lists l = {.threads = space->threads, .whole = 1};
    bool chosen = false; /* does the space leave an extent open? */
    l.most_threads = wl_most_threads(r->device);
    wl_device_extents(r->device, WL_DEVICE_max_block, l.most);
    for (int d = 0; d < 3; d++) {
        l.extent[d] = space->block[d];
        if (space->block[d].count)
            continue;
        WL_TRY(default_extents(r, d, wl_min(l.most[d], l.most_threads), &l.extent[d], err));
        chosen = chosen || l.extent[d].count > 1;
    }
    const bool by_default = !space->block[0].count && !space->block[1].count && !space->block[2].count;
    if (chosen && !space->threads.count)
        l.whole = r->warp_size;
    r->block_count = visit_blocks(r, &l, NULL);
    if (r->block_count == 0 && l.whole > 1) { /* for instance, a domain smaller than a warp */
        l.whole = 1;
        r->block_count = visit_blocks(r, &l, NULL);
    }
    r->blocks = wl_arena_alloc(&r->arena, r->block_count + 1, sizeof *r->blocks);
    if (!r->blocks)
        return wl_fail_memory(err);
    (void)visit_blocks(r, &l, r->blocks);
    if (by_default) /* blocks that the device cannot run are not part of the default space */
        r->before[WL_OUTCOME_EXTENT] = r->before[WL_OUTCOME_THREADS] = 0;
    return WL_OK;
}

/* ---- foldings ---- */

static void add_fold(wl_ranker *r, int64_t x, int64_t y, int64_t z)
{
    const int64_t fold[3] = {x, y, z};
    if (x * y * z > WL_FOLD_MAX) {
        r->before[WL_OUTCOME_FOLD]++;
        return;
    }
    for (size_t i = 0; i < r->fold_count; i++)
        if (memcmp(r->folds[i].fold, fold, sizeof fold) == 0)
            return;
    memcpy(r->folds[r->fold_count++].fold, fold, sizeof fold);
}

/* In a kernel that names threads or blocks, or is compiled, the work of a thread is fixed. */
static bool can_fold(const wl_kernel *kernel)
{
    return !kernel->source.count_instructions && !wl_kernel_names_launch(kernel);
}

static wl_status list_folds(wl_ranker *r, const wl_space *space, wl_error *err)
{
    static int64_t one = 1;
    const wl_values single = {&one, 1};
    wl_values axis[3];
    size_t below[3], capacity = 1, total = 1;
    const bool axes = space->fold[0].count || space->fold[1].count || space->fold[2].count;
    for (int d = 0; d < 3; d++) {
        axis[d] = space->fold[d].count ? space->fold[d] : single;
        /* larger ones are counted without being visited */
        below[d] = values_up_to(&axis[d], WL_FOLD_MAX);
        capacity *= below[d];
        total *= axis[d].count;
    }
    size_t shapes = 0;
    for (const wl_shape_entry *e = space->folds; e; e = e->next)
        shapes++;
    const bool by_default = !axes && !shapes;
    r->folds = WL_ARENA_NEW(&r->arena, wl_rank_fold, capacity + shapes + 3);
    if (!r->folds)
        return wl_fail_memory(err);
    r->before[WL_OUTCOME_FOLD] = (int64_t)(total - capacity);
    if (axes || by_default)
        for (size_t i = 0; i < below[0]; i++)
            for (size_t j = 0; j < below[1]; j++)
                for (size_t k = 0; k < below[2]; k++)
                    add_fold(r, axis[0].at[i], axis[1].at[j], axis[2].at[k]);
    if (by_default && can_fold(r->kernel))
        for (int d = 1; d < r->kernel->dims; d++)
            if (r->kernel->domain[d] > 1)
                add_fold(r, 1, d == 1 ? 2 : 1, d == 2 ? 2 : 1);
    const size_t from = r->fold_count;
    for (const wl_shape_entry *e = space->folds; e; e = e->next)
        add_fold(r, e->extent[0], e->extent[1], e->extent[2]);
    for (size_t i = from, j = r->fold_count; i + 1 < j; i++) { /* the list begins with the latest */
        const wl_rank_fold swap = r->folds[i];
        r->folds[i] = r->folds[--j];
        r->folds[j] = swap;
    }
    return WL_OK;
}

static bool is_folded(const int64_t fold[3]) { return fold[0] * fold[1] * fold[2] > 1; }

static void note(wl_ranker *r, const char *text)
{
    if (r->note_count < WL_RANK_NOTES_MAX)
        (void)snprintf(r->notes[r->note_count++], WL_RANK_NOTE_LENGTH, "%s", text);
}

static void note_registers(wl_ranker *r, bool unknown, bool taken_over)
{
    if (unknown)
        note(r, "registers per thread are not given: the occupancy uses an assumed number");
    if (taken_over)
        note(
            r,
            "folded launches are assumed to need no more registers than the kernel states; give registers per folding");
}

static void set_registers(wl_ranker *r, const wl_space *space)
{
    bool unknown = false, taken_over = false;
    for (size_t i = 0; i < r->fold_count; i++) {
        wl_rank_fold *f = &r->folds[i];
        bool own = false;
        for (size_t k = 0; k < space->register_count; k++) {
            const wl_fold_registers *entry = &space->registers[k];
            const bool same = !entry->any && memcmp(entry->fold, f->fold, sizeof f->fold) == 0;
            if (same || (entry->any && !own))
                f->registers = entry->registers;
            own = own || same;
        }
        unknown = unknown || (!f->registers && !r->kernel->registers);
        taken_over = taken_over || (!own && f->registers == 0 && r->kernel->registers && is_folded(f->fold));
    }
    note_registers(r, unknown, taken_over);
}

/* A product that saturates below 2^60: lists can be very long. */
static int64_t times(int64_t a, int64_t b)
{
    int64_t product = WL_ADDRESS_LIMIT;
    (void)wl_mul(a, b, &product);
    return product;
}

/* Turns counts of excluded blocks and foldings into counts of launches. A launch counts under its
 * block, else under its folding, and once for all schedules. */
static void count_with_folds(wl_ranker *r)
{
    static const wl_outcome of_block[] = {WL_OUTCOME_EXTENT, WL_OUTCOME_THREADS, WL_OUTCOME_COUNT_OF};
    const int64_t folds = (int64_t)r->fold_count + r->before[WL_OUTCOME_FOLD];
    for (size_t i = 0; i < sizeof of_block / sizeof of_block[0]; i++)
        r->before[of_block[i]] = times(r->before[of_block[i]], folds);
    r->before[WL_OUTCOME_FOLD] = times(r->before[WL_OUTCOME_FOLD], (int64_t)r->block_count);
}

/* ---- schedules ---- */

static wl_status list_schedules(wl_ranker *r, const wl_space *space, wl_error *err)
{
    r->schedules = space->schedules;
    if (space->all_schedules)
        wl_schedules_of_search(r->kernel, &r->schedules);
    if (r->schedules.count == 0)
        (void)wl_schedules_add(&r->schedules, (wl_schedule){.kind = WL_SCHEDULE_LINEAR});
    const size_t most = r->fold_count * r->schedules.count + 1;
    for (int row = 0; row < 2; row++)
        if (!(r->ways[row] = WL_ARENA_NEW(&r->arena, wl_rank_way, most)))
            return wl_fail_memory(err);
    return WL_OK;
}

static bool orders_threads(const wl_schedule *s)
{
    return s->kind != WL_SCHEDULE_LINEAR && !wl_schedule_orders_blocks(s);
}

/* Leaves out schedules that do not apply to a block or folding. */
static void combine(wl_ranker *r)
{
    static const int64_t shapes[2][3] = {{2, 2, 1}, {2, 1, 1}};
    bool ordered = false;
    for (int row = 0; row < 2; row++)
        for (size_t f = 0; f < r->fold_count; f++)
            for (size_t s = 0; s < r->schedules.count; s++) {
                const wl_schedule *schedule = &r->schedules.at[s];
                if (!wl_schedule_fits(schedule, shapes[row], r->folds[f].fold) ||
                    (orders_threads(schedule) && !wl_threads_can_be_ordered(r->kernel)))
                    continue;
                r->ways[row][r->way_count[row]++] = (wl_rank_way){(uint32_t)f, (uint32_t)s};
                ordered = ordered || orders_threads(schedule);
            }
    if (ordered)
        note(r,
             "schedules of threads need one-dimensional blocks without folding; other blocks get the other schedules");
}

static wl_status number_launches(wl_ranker *r, wl_error *err)
{
    int64_t n = 0;
    r->starts = WL_ARENA_NEW(&r->arena, int64_t, r->block_count + 1);
    if (!r->starts)
        return wl_fail_memory(err);
    for (size_t b = 0; b < r->block_count; b++) {
        r->starts[b] = n;
        n += (int64_t)r->way_count[r->blocks[b][1] == 1 && r->blocks[b][2] == 1];
    }
    r->starts[r->block_count] = r->size = n;
    return WL_OK;
}

/* ---- launches in place of a space ---- */

static wl_status copy_launches(wl_ranker *r, const wl_space *space, wl_error *err)
{
    bool unknown = false, taken_over = false;
    r->launches = WL_ARENA_NEW(&r->arena, wl_launch, space->launch_count + 1);
    if (!r->launches)
        return wl_fail_memory(err);
    memcpy(r->launches, space->launches, space->launch_count * sizeof *r->launches);
    r->size = (int64_t)space->launch_count;
    for (size_t i = 0; i < space->launch_count; i++) {
        const wl_launch *l = &space->launches[i];
        unknown = unknown || (!l->registers && !r->kernel->registers);
        taken_over = taken_over || (!l->registers && r->kernel->registers && is_folded(l->fold));
    }
    note_registers(r, unknown, taken_over);
    return WL_OK;
}

wl_status wl_ranker_enumerate(wl_ranker *r, const wl_space *space, wl_error *err)
{
    if (space->launches)
        return copy_launches(r, space, err);
    WL_TRY(list_blocks(r, space, err));
    WL_TRY(list_folds(r, space, err));
    set_registers(r, space);
    WL_TRY(list_schedules(r, space, err));
    combine(r);
    count_with_folds(r);
    return number_launches(r, err);
}
