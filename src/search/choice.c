/* choice.c - tries schedules on one launch. SPDX-License-Identifier: MIT */
#include "warpline/advise.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/print.h"
#include "device/device_internal.h"
#include "launch/geometry.h"
#include "search/changes.h"
#include "search/chosen.h"
#include "search/schedules.h"

/* The schedules to try, and the launch. */
typedef struct chooser {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_predictor *predictor;
    wl_choice_options options;
    wl_launch given; /* linear */
    int64_t threads, row, rows, warp_size;
    bool threads_free; /* may threads be put in another order? */
    wl_schedule_list list;
    wl_choice *out;
} chooser;

static void note(wl_choice *out, const char *format, ...) WL_PRINTF(2, 3);

static void note(wl_choice *out, const char *format, ...)
{
    if (out->note_count == WL_CHOICE_NOTES_MAX)
        return;
    va_list args;
    va_start(args, format);
    (void)wl_print_list(out->notes[out->note_count++], WL_WARNING_LENGTH, format, args);
    va_end(args);
}

/* ---- which to try ---- */

static bool is_asked_for(const chooser *c, wl_schedule_kind kind) { return c->options.orders >> kind & 1; }

static bool is_wanted(const chooser *c, wl_schedule_kind kind)
{
    return c->options.orders == 0 || is_asked_for(c, kind);
}

static wl_launch launch_of(const chooser *c, const wl_schedule *schedule)
{
    wl_launch launch = c->given;
    launch.schedule = *schedule;
    if (schedule->kind == WL_SCHEDULE_LINEAR || wl_schedule_orders_blocks(schedule))
        return launch;
    launch.block[0] = c->threads;
    launch.block[1] = launch.block[2] = 1;
    return launch;
}

/* A width that the user gives may change nothing, as that of a whole row: a note says so. */
static void add(chooser *c, wl_schedule_kind kind, int64_t width, int64_t height)
{
    const wl_schedule schedule = {kind, width, height};
    const wl_launch launch = launch_of(c, &schedule);
    char text[WL_SCHEDULE_TEXT_MAX];
    if (!wl_schedule_changes_nothing(c->kernel, &launch, c->warp_size)) {
        (void)wl_schedules_add(&c->list, schedule);
    } else if (c->options.width_count > 0) {
        wl_schedule_print(&schedule, text);
        note(c->out, "%s equals linear order over %lld x %lld cells: it is left out", text, (long long)c->row,
             (long long)c->rows);
    }
}

static void add_columns(chooser *c, const int64_t *widths, size_t count)
{
    for (size_t i = 0; i < count && is_wanted(c, WL_SCHEDULE_COLUMN); i++)
        add(c, WL_SCHEDULE_COLUMN, widths[i], 0);
    /* in widths of whole warps, a zigzag gives each warp the same cells as a column */
    for (size_t i = 0; i < count && is_wanted(c, WL_SCHEDULE_ZIGZAG); i++)
        if (is_asked_for(c, WL_SCHEDULE_ZIGZAG) || widths[i] % c->warp_size != 0)
            add(c, WL_SCHEDULE_ZIGZAG, widths[i], 0);
}

/* Tiles of one block's size, and squares. */
static void add_tiles(chooser *c)
{
    static const int64_t common[] = {8, 16, 32, 64};
    const bool given = c->options.width_count > 0;
    const int64_t *widths = given ? c->options.widths : common;
    const size_t count = given ? c->options.width_count : sizeof common / sizeof common[0];
    for (size_t i = 0; i < count; i++) {
        const int64_t w = widths[i];
        if (!given && w >= c->row)
            continue;
        if (c->threads % w == 0 && c->threads / w <= c->rows)
            add(c, WL_SCHEDULE_TILE, w, c->threads / w);
        if (w <= c->rows)
            add(c, WL_SCHEDULE_TILE, w, w);
    }
}

static void add_swizzles(chooser *c)
{
    static const int64_t common[] = {2, 4, 8, 16, 32};
    const bool given = c->options.width_count > 0;
    const int64_t *groups = given ? c->options.widths : common;
    const size_t count = given ? c->options.width_count : sizeof common / sizeof common[0];
    int64_t values[WL_WHERE_NAMES];
    wl_launch_values(c->kernel, c->warp_size, &c->given, values);
    if (values[WL_WHERE_GRID + 1] < 2 || values[WL_WHERE_GRID] < 2)
        return;
    for (size_t i = 0; i < count; i++)
        if (given || groups[i] <= values[WL_WHERE_GRID + 1])
            add(c, WL_SCHEDULE_SWIZZLE, groups[i], 0);
}

static void add_threads_orders(chooser *c)
{
    int64_t own[WL_COLUMN_WIDTHS_MAX];
    const bool given = c->options.width_count > 0;
    if (is_wanted(c, WL_SCHEDULE_LINEAR)) /* in one dimension */
        (void)wl_schedules_add(&c->list, (wl_schedule){WL_SCHEDULE_COLUMN, c->row, 0});
    add_columns(c, given ? c->options.widths : own, given ? c->options.width_count : wl_column_widths(c->row, own));
    if (is_wanted(c, WL_SCHEDULE_TILE))
        add_tiles(c);
}

/* In the order of the table. */
static void list_schedules(chooser *c)
{
    if (c->threads_free)
        add_threads_orders(c);
    if (is_wanted(c, WL_SCHEDULE_SWIZZLE))
        add_swizzles(c);
    if (c->threads_free && is_wanted(c, WL_SCHEDULE_HILBERT))
        add(c, WL_SCHEDULE_HILBERT, 0, 0);
    if (c->threads_free && is_wanted(c, WL_SCHEDULE_MORTON))
        add(c, WL_SCHEDULE_MORTON, 0, 0);
}

/* Why only blocks, not threads, can be reordered; NULL: threads can be. */
static const char *why_threads_are_bound(const chooser *c)
{
    const wl_launch *l = &c->given;
    const bool row = l->block[1] <= 1 && l->block[2] <= 1;
    if (!wl_threads_can_be_ordered(c->kernel))
        return "its threads are not the cells of a domain";
    if (l->grid[0] || l->grid[1] || l->grid[2])
        return "the grid is given";
    if (wl_max(l->fold[0], 1) * wl_max(l->fold[1], 1) * wl_max(l->fold[2], 1) > 1)
        return "threads have several cells";
    return !row && wl_kernel_needs_its_block(c->kernel) ? "the kernel depends on its block" : NULL;
}

static wl_status look_at_kernel(chooser *c, wl_error *err)
{
    const int64_t *extent = wl_kernel_extent(c->kernel);
    const char *bound = why_threads_are_bound(c);
    c->row = wl_max(extent[0], 1);
    if (!wl_mul(wl_max(extent[1], 1), wl_max(extent[2], 1), &c->rows))
        return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "the domain has too many cells");
    if (c->kernel->dims > 0 && c->rows == 1)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "the domain of %s is one row: every order equals linear order", c->kernel->name);
    c->threads_free = !bound;
    if (bound)
        note(c->out, "only orders of blocks are tried: %s", bound);
    return WL_OK;
}

/* ---- trying them ---- */

/* Drops what the prediction borrows from the predictor, which is freed or reused. */
static wl_status predict(chooser *c, const wl_launch *launch, wl_error *err)
{
    wl_prediction *p = &c->out->rows[c->out->count];
    WL_TRY(wl_predict(c->predictor, launch, &c->options.predict, p, err));
    p->kernel = NULL;
    p->fields = p->accesses = NULL;
    p->lines = NULL;
    p->line_count = 0;
    c->out->count++;
    return WL_OK;
}

static wl_status try_schedule(chooser *c, const wl_schedule *schedule, wl_error *err)
{
    const wl_launch launch = launch_of(c, schedule);
    char text[WL_SCHEDULE_TEXT_MAX];
    wl_error own = {0};
    const wl_status status = predict(c, &launch, &own);
    wl_schedule_print(schedule, text);
    if (status == WL_E_NOMEM)
        return wl_fail(err, status, WL_NOWHERE, "%s", own.message);
    if (status != WL_OK)
        note(c->out, "%s is left out: %s", text, own.message);
    return WL_OK;
}

static void find_fastest(wl_choice *out)
{
    for (size_t i = 1; i < out->count; i++)
        if (out->fastest == 0 || out->rows[i].model.time_s < out->rows[out->fastest].model.time_s)
            out->fastest = i;
}

static wl_status choose(chooser *c, wl_error *err)
{
    wl_choice *out = c->out;
    WL_TRY(look_at_kernel(c, err));
    list_schedules(c);
    out->rows = calloc(c->list.count + 1, sizeof *out->rows);
    if (!out->rows)
        return wl_fail_memory(err);
    WL_TRY(predict(c, &c->given, err));
    for (size_t i = 0; i < c->list.count; i++)
        WL_TRY(try_schedule(c, &c->list.at[i], err));
    if (c->list.count == 0 && out->note_count == 0)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "no other order applies to this launch of %s",
                       c->kernel->name);
    find_fastest(out);
    WL_TRY(wl_trust_of(c->device, out->rows[0].model.id, &out->trust, err));
    out->least_gain = 1 - exp(-out->trust.error);
    return WL_OK;
}

wl_status wl_choose_schedule(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                             const wl_choice_options *options, wl_choice **out, wl_error *err)
{
    chooser *c = calloc(1, sizeof *c);
    wl_choice *choice = calloc(1, sizeof *choice);
    wl_status status = c && choice ? WL_OK : wl_fail_memory(err);
    if (status == WL_OK) {
        *c = (chooser){.kernel = kernel, .device = device, .given = *launch, .threads = 1, .out = choice};
        if (options)
            c->options = *options;
        c->options.predict.per_access = c->options.predict.per_line = c->options.predict.stacks = false;
        c->given.schedule = (wl_schedule){.kind = WL_SCHEDULE_LINEAR};
        c->warp_size = wl_device_int(device, WL_DEVICE_warp_size);
        for (int d = 0; d < 3; d++)
            c->threads *= wl_max(launch->block[d], 1);
        status = wl_predictor_new(kernel, device, &c->predictor, err);
    }
    if (status == WL_OK)
        status = choose(c, err);
    if (c)
        wl_predictor_free(c->predictor);
    free(c);
    if (status == WL_OK)
        *out = choice;
    else
        wl_choice_free(choice);
    return status;
}

/* ---- results ---- */

void wl_choice_free(wl_choice *choice)
{
    if (!choice)
        return;
    free(choice->rows);
    free(choice);
}

const wl_prediction *wl_choice_at(const wl_choice *choice, size_t index)
{
    return index < choice->count ? &choice->rows[index] : NULL;
}

double wl_choice_gain(const wl_choice *choice, size_t index)
{
    return 1 - choice->rows[index].model.time_s / choice->rows[0].model.time_s;
}

size_t wl_choice_best(const wl_choice *choice)
{
    return choice->fastest && wl_choice_gain(choice, choice->fastest) >= choice->least_gain ? choice->fastest : 0;
}

bool wl_l1_hit_rate(const wl_prediction *p, const wl_device *device, double *rate)
{
    const wl_value *sectors = &p->metrics[WL_METRIC_l1_sectors_ld], *missed = &p->metrics[WL_METRIC_l2_load_bytes];
    const double bytes = sectors->value * (double)wl_device_int(device, WL_DEVICE_l1_sector);
    if (!sectors->known || !missed->known || bytes <= 0)
        return false;
    *rate = fmax(0, 1 - missed->value / bytes);
    return true;
}
