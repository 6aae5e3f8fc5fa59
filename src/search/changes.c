/* changes.c - see changes.h. SPDX-License-Identifier: MIT */
#include "search/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "kernel/kernel_internal.h"
#include "launch/occupancy_next.h"
#include "search/ranker.h"
#include "search/schedules.h"
#include "warpline/rank.h"

#define PADDING_SECTORS 4 /* tries padding of rows up to so many sectors, then a line */

const char *wl_change_name(wl_change change)
{
    static const char *const names[] = {
#define WL_CHANGE(id, name, caveat) name,
#include "warpline/changes.def"
    };
    return names[change];
}

const char *wl_change_caveat(wl_change change)
{
    static const char *const caveats[] = {
#define WL_CHANGE(id, name, caveat) caveat,
#include "warpline/changes.def"
    };
    return caveats[change];
}

bool wl_is_costly(const wl_prediction *prediction) { return prediction->count_method == WL_COUNT_THREADS; }

/* of a kernel whose every prediction takes long: accesses, and instructions of its text */
#define MANY_ACCESSES 1000
#define LONG_TEXT 20000

bool wl_prediction_is_costly(const wl_prediction *p)
{
    const bool large = p->kernel && (p->kernel->access_count > MANY_ACCESSES || p->kernel->source.length > LONG_TEXT);
    return wl_is_costly(p) || p->has_replayed || p->sampled || large;
}

bool wl_layout_is_plain(const wl_layout *l) { return !l->row_multiple && !l->row_padding && !l->origin_multiple; }

/* ---- blocks and foldings: searched ---- */

bool wl_block_is_free(const wl_kernel *kernel, const wl_launch *launch)
{
    int64_t domain[3];
    const bool gridded = launch->grid[0] || launch->grid[1] || launch->grid[2];
    const bool bound = wl_kernel_needs_its_block(kernel) && !wl_kernel_condition(kernel, 0);
    return !gridded && !bound && !launch->shared_bytes && wl_kernel_domain(kernel, domain) > 0;
}

static int64_t folded(const wl_launch *launch, int d) { return launch->fold[d] ? launch->fold[d] : 1; }

static wl_status make_space(const wl_launch *from, bool same_fold, wl_space *space, wl_error *err)
{
    char text[160];
    const long long x = folded(from, 0), y = folded(from, 1), z = folded(from, 2);
    (void)snprintf(text, sizeof text,
                   same_fold ? "%lldx%lldx%lld" : "fold.x != %lld || fold.y != %lld || fold.z != %lld", x, y, z);
    WL_TRY(wl_space_set(space, same_fold ? "fold" : "where", text, err));
    if (from->schedule.kind != WL_SCHEDULE_LINEAR) {
        char schedule[WL_SCHEDULE_TEXT_MAX];
        wl_schedule_print(&from->schedule, schedule);
        WL_TRY(wl_space_set(space, "schedule", schedule, err));
    }
    if (!from->registers)
        return WL_OK;
    (void)snprintf(text, sizeof text, "%lld", (long long)from->registers);
    return wl_space_set(space, "registers", text, err);
}

static bool is_block_order(const wl_schedule *s)
{
    return s->kind == WL_SCHEDULE_LINEAR || wl_schedule_orders_blocks(s);
}

wl_status wl_fastest_block(const wl_study *study, const wl_kernel *kernel, const wl_device *device,
                           const wl_launch *from, bool same_fold, wl_launch *out, bool *found, wl_error *err)
{
    wl_space *space = NULL;
    wl_ranker *ranker = NULL;
    wl_ranked best;
    const wl_rank_options options = {.predict = study->options.predict, .threads = study->options.threads};
    wl_status status = wl_space_new(&space, err);
    if (status == WL_OK)
        status = make_space(from, same_fold, space, err);
    /* schedules of threads take long to predict, too */
    if (status == WL_OK && (study->costly || !is_block_order(&from->schedule)))
        status = wl_space_set(space, "threads", WL_COSTLY_THREADS, err);
    if (status == WL_OK)
        status = wl_ranker_new(kernel, device, space, &options, &ranker, err);
    if (status == WL_OK)
        status = wl_rank_fastest(ranker, &best, found, err);
    *found = status == WL_OK && *found;
    if (*found)
        wl_ranker_launch(ranker, best.index, out);
    wl_ranker_free(ranker);
    wl_space_free(space);
    return status;
}

/* ---- layouts ---- */

static size_t add(const wl_setting *setting, wl_setting *settings, size_t count)
{
    if (count < WL_SETTINGS_MAX)
        settings[count++] = *setting;
    return count;
}

/* First aligns only the origin, which costs a few bytes, then the rows as well. */
static size_t alignments(const wl_study *s, const wl_setting *from, wl_setting *settings)
{
    const int64_t sector = wl_device_int(s->device, WL_DEVICE_l1_sector);
    const int64_t line =
        wl_max(wl_device_int(s->device, WL_DEVICE_l1_line), wl_device_int(s->device, WL_DEVICE_l2_line));
    size_t n = 0;
    for (int rows = 0; rows < 2; rows++) {
        for (int64_t bytes = sector; bytes <= line; bytes *= 2) {
            wl_setting to = *from;
            to.layout.origin_multiple = bytes;
            if (rows)
                to.layout.row_multiple = bytes;
            n = add(&to, settings, n);
        }
    }
    return n;
}

static size_t paddings(const wl_study *s, const wl_setting *from, wl_setting *settings)
{
    const int64_t sector = wl_device_int(s->device, WL_DEVICE_l1_sector),
                  line = wl_device_int(s->device, WL_DEVICE_l1_line);
    size_t n = 0;
    for (int sectors = 0; sectors <= PADDING_SECTORS; sectors++) {
        wl_setting to = *from;
        to.layout.row_padding = sectors * sector;
        if (to.layout.row_padding != from->layout.row_padding)
            n = add(&to, settings, n);
    }
    wl_setting to = *from;
    if (line > PADDING_SECTORS * sector) {
        to.layout.row_padding = line;
        n = add(&to, settings, n);
    }
    to.layout.row_multiple = 1;
    to.layout.row_padding = 0;
    return add(&to, settings, n);
}

/* ---- registers and shared memory ---- */

static int64_t threads_of(const wl_launch *l) { return l->block[0] * l->block[1] * l->block[2]; }

/* One more block at a time, while registers limit occupancy. */
static size_t fewer_registers(const wl_study *s, const wl_setting *from, const wl_prediction *p, wl_setting *settings)
{
    int64_t stated, steps[WL_OCCUPANCY_STEPS];
    size_t n = 0;
    if (!from->launch.registers && !wl_kernel_registers(s->kernel, &stated))
        return 0; /* an assumed number cannot be improved */
    const size_t count = wl_fewer_registers(s->device, threads_of(&p->launch), p->launch.registers,
                                            p->launch.shared_bytes, s->given.registers, steps);
    for (size_t i = 0; i < count; i++) {
        wl_setting to = *from;
        to.launch.registers = steps[i];
        n = add(&to, settings, n);
    }
    return n;
}

/* If the blocks fit into the next smaller carve-out, the L1 gets the rest. */
static size_t smaller_carveouts(const wl_study *s, const wl_setting *from, const wl_prediction *p, wl_setting *settings,
                                size_t n)
{
    const int64_t blocks = p->occupancy.blocks_per_sm, granule = wl_device_int(s->device, WL_DEVICE_shared_granularity);
    for (size_t i = wl_device_list_length(s->device, WL_DEVICE_shared_carveouts); i-- > 0;) {
        const int64_t carveout = (int64_t)wl_device_list_value(s->device, WL_DEVICE_shared_carveouts, i);
        const int64_t bytes =
            wl_floor_div(carveout / blocks, granule) * granule - wl_device_int(s->device, WL_DEVICE_shared_reserved);
        wl_setting to = *from;
        to.launch.shared_bytes = bytes;
        if (bytes < p->launch.shared_bytes && (double)bytes >= WL_KEPT_SHARED * (double)s->given.shared_bytes)
            n = add(&to, settings, n);
    }
    return n;
}

/* The smallest reduction first. */
static int by_shared(const void *a, const void *b)
{
    const int64_t x = ((const wl_setting *)a)->launch.shared_bytes, y = ((const wl_setting *)b)->launch.shared_bytes;
    return x > y ? -1 : x < y;
}

static size_t less_shared(const wl_study *s, const wl_setting *from, const wl_prediction *p, wl_setting *settings)
{
    int64_t steps[WL_OCCUPANCY_STEPS];
    size_t n = 0;
    if (p->launch.shared_bytes == 0)
        return 0;
    const size_t count = wl_less_shared(s->device, threads_of(&p->launch), p->launch.registers, p->launch.shared_bytes,
                                        s->given.shared_bytes, steps);
    for (size_t i = 0; i < count; i++) {
        wl_setting to = *from;
        to.launch.shared_bytes = steps[i];
        n = add(&to, settings, n);
    }
    n = smaller_carveouts(s, from, p, settings, n);
    qsort(settings, n, sizeof *settings, by_shared);
    return n;
}

/* ---- schedules ---- */

/* the width of a warp: tried even if the last column is narrower, which takes long to predict */
#define COLUMN_ALWAYS 32

/* Does the kernel compute the same with this launch, as far as its conditions say? */
static bool is_supported(const wl_study *s, const wl_launch *launch)
{
    int64_t values[WL_WHERE_NAMES];
    wl_launch_values(s->kernel, wl_device_int(s->device, WL_DEVICE_warp_size), launch, values);
    size_t broken = 0;
    (void)wl_where_next_broken(s->kernel->conditions, s->kernel->condition_count, values, &broken, NULL);
    return broken == s->kernel->condition_count;
}

static size_t add_schedule(const wl_study *s, const wl_setting *from, wl_schedule schedule, int64_t row_of,
                           wl_setting *settings, size_t n)
{
    wl_setting to = *from;
    to.launch.schedule = schedule;
    if (row_of > 0) {
        to.launch.block[0] = row_of;
        to.launch.block[1] = to.launch.block[2] = 1;
    }
    if (wl_schedule_changes_nothing(s->kernel, &to.launch, wl_device_int(s->device, WL_DEVICE_warp_size)) ||
        !is_supported(s, &to.launch))
        return n;
    return add(&to, settings, n);
}

/* Swizzles keep the block. Columns need blocks of one row: with as many threads, if the block may
 * change. */
static size_t schedules(const wl_study *s, const wl_setting *from, const wl_prediction *p, wl_setting *settings)
{
    static const int64_t widths[] = {16, 32, 64, 128}, groups[] = {2, 4, 8, 16};
    const wl_launch *l = &from->launch;
    const bool row = p->launch.block[1] == 1 && p->launch.block[2] == 1, gridded = l->grid[0] || l->grid[1];
    const bool is_folded = p->launch.fold[0] * p->launch.fold[1] * p->launch.fold[2] > 1;
    const bool columns =
        wl_threads_can_be_ordered(s->kernel) && !is_folded && !gridded && (row || wl_block_is_free(s->kernel, l));
    size_t n = 0;
    if (l->schedule.kind != WL_SCHEDULE_LINEAR)
        n = add_schedule(s, from, (wl_schedule){.kind = WL_SCHEDULE_LINEAR}, 0, settings, n);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        n = add_schedule(s, from, (wl_schedule){WL_SCHEDULE_SWIZZLE, groups[i], 0}, 0, settings, n);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0] && columns; i++)
        if (widths[i] == COLUMN_ALWAYS || s->kernel->domain[0] % widths[i] == 0)
            n = add_schedule(s, from, (wl_schedule){WL_SCHEDULE_COLUMN, widths[i], 0}, threads_of(&p->launch), settings,
                             n);
    return n;
}

size_t wl_settings_of(const wl_study *study, wl_change change, const wl_setting *from, const wl_prediction *p,
                      wl_setting settings[WL_SETTINGS_MAX])
{
    /* the layout of compiled code is fixed */
    const bool has_layout = !study->kernel->source.count_instructions;
    switch (change) {
    case WL_CHANGE_ALIGNMENT: return has_layout ? alignments(study, from, settings) : 0;
    case WL_CHANGE_PADDING: return has_layout ? paddings(study, from, settings) : 0;
    case WL_CHANGE_REGISTERS: return fewer_registers(study, from, p, settings);
    case WL_CHANGE_SHARED: return less_shared(study, from, p, settings);
    case WL_CHANGE_SCHEDULE: return schedules(study, from, p, settings);
    default: return 0;
    }
}
