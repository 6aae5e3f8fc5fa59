/* schedules.c - see schedules.h. SPDX-License-Identifier: MIT */
#include "search/schedules.h"

#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "launch/geometry.h"

static bool is_same(const wl_schedule *a, const wl_schedule *b)
{
    return a->kind == b->kind && a->width == b->width && a->height == b->height;
}

bool wl_schedules_add(wl_schedule_list *list, wl_schedule schedule)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_same(&list->at[i], &schedule))
            return true;
    if (list->count == WL_SCHEDULES_MAX)
        return false;
    list->at[list->count++] = schedule;
    return true;
}

/* One schedule, `length` characters at `p`; positions of errors are relative to `text`. */
static wl_status add_text(const char *text, const char *p, size_t length, wl_schedule_list *list, wl_error *err)
{
    char one[WL_SCHEDULE_TEXT_MAX];
    wl_schedule schedule;
    wl_error own = {0};
    const int32_t column = (int32_t)(p - text) + 1;
    if (length >= sizeof one)
        return wl_fail(err, WL_E_INPUT, (wl_loc){1, column, (int32_t)length}, "this is not a schedule");
    (void)snprintf(one, sizeof one, "%.*s", (int)length, p);
    const wl_status status = wl_schedule_parse(one, &schedule, &own);
    const wl_loc inside = {1, column + (own.loc.col > 0 ? own.loc.col - 1 : 0), own.loc.len > 0 ? own.loc.len : 1};
    if (status != WL_OK)
        return wl_fail(err, status, inside, "%s", own.message);
    if (!wl_schedules_add(list, schedule))
        return wl_fail(err, WL_E_LIMIT, (wl_loc){1, column, (int32_t)length}, "at most %d schedules", WL_SCHEDULES_MAX);
    return WL_OK;
}

wl_status wl_schedules_parse(const char *text, wl_schedule_list *list, wl_error *err)
{
    for (const char *p = text;; p++) {
        p += strspn(p, " ");
        size_t length = strcspn(p, ",");
        const char *end = p + length;
        while (length > 0 && p[length - 1] == ' ')
            length--;
        WL_TRY(add_text(text, p, length, list, err));
        p = end;
        if (*p == '\0')
            return WL_OK;
    }
}

/* ---- which make sense ---- */

bool wl_threads_can_be_ordered(const wl_kernel *k) { return k->dims > 0 && k->threads[0] == 0; }

bool wl_schedule_fits(const wl_schedule *schedule, const int64_t block[3], const int64_t fold[3])
{
    const bool plain = schedule->kind == WL_SCHEDULE_LINEAR || wl_schedule_orders_blocks(schedule);
    const bool row = block[1] <= 1 && block[2] <= 1, folded = fold[0] > 1 || fold[1] > 1 || fold[2] > 1;
    return plain || (row && !folded);
}

bool wl_schedule_changes_nothing(const wl_kernel *kernel, const wl_launch *launch, int64_t warp_size)
{
    int64_t values[WL_WHERE_NAMES];
    if (launch->schedule.kind == WL_SCHEDULE_LINEAR)
        return false;
    if (!wl_schedule_orders_blocks(&launch->schedule))
        return wl_schedule_is_linear(&launch->schedule, wl_kernel_extent(kernel));
    wl_launch_values(kernel, warp_size, launch, values);
    return wl_schedule_is_linear(&launch->schedule, values + WL_WHERE_GRID);
}

/* ---- lists ---- */

#define NARROWEST 4 /* columns below are narrower than a sector of doubles */

size_t wl_column_widths(int64_t row, int64_t widths[WL_COLUMN_WIDTHS_MAX])
{
    size_t n = 0;
    for (int64_t w = NARROWEST; w < row && n + 1 < WL_COLUMN_WIDTHS_MAX; w *= 2) {
        widths[n++] = w;
        if ((w == 32 || w == 64) && w + w / 2 < row) /* 48 splits warps, 96 does not */
            widths[n++] = w + w / 2;
    }
    return n;
}

void wl_schedules_of_search(const wl_kernel *kernel, wl_schedule_list *out)
{
    static const int64_t widths[] = {16, 32, 64, 128, 256}, groups[] = {2, 4, 8, 16}, sides[] = {16, 32};
    const int64_t *domain = wl_kernel_extent(kernel);
    (void)wl_schedules_add(out, (wl_schedule){.kind = WL_SCHEDULE_LINEAR});
    const bool rows = domain[1] > 1 || domain[2] > 1;
    const bool orderable = rows && wl_threads_can_be_ordered(kernel);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0] && orderable; i++)
        if (widths[i] < domain[0])
            (void)wl_schedules_add(out, (wl_schedule){WL_SCHEDULE_COLUMN, widths[i], 0});
    for (size_t i = 0; i < sizeof sides / sizeof sides[0] && orderable; i++)
        if (sides[i] < domain[0])
            (void)wl_schedules_add(out, (wl_schedule){WL_SCHEDULE_TILE, sides[i], sides[i]});
    for (size_t i = 0; i < sizeof groups / sizeof groups[0] && (domain[1] > 1 || !kernel->dims); i++)
        (void)wl_schedules_add(out, (wl_schedule){WL_SCHEDULE_SWIZZLE, groups[i], 0});
}
