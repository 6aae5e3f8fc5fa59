/* order.c - see order.h. SPDX-License-Identifier: MIT */
#include "schedule/order.h"

#include <stddef.h>

#include "base/fail.h"
#include "schedule/space_curve.h"

static bool is_curve(wl_schedule_kind kind) { return kind == WL_SCHEDULE_HILBERT || kind == WL_SCHEDULE_MORTON; }

static wl_status check(const wl_schedule *s, wl_error *err)
{
    const bool sized = s->kind == WL_SCHEDULE_COLUMN || s->kind == WL_SCHEDULE_ZIGZAG ||
                       s->kind == WL_SCHEDULE_SWIZZLE || s->kind == WL_SCHEDULE_TILE;
    if ((unsigned)s->kind >= WL_SCHEDULE_KIND_COUNT)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no schedule of kind %d", (int)s->kind);
    if ((sized && s->width < 1) || (s->kind == WL_SCHEDULE_TILE && s->height < 1))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the widths and heights of a schedule are 1 or more");
    return WL_OK;
}

/* The two axes. Blocks: those of a plane of the grid. Threads: x, and all others as one. */
static void set_axes(const wl_schedule *s, wl_order *o)
{
    o->width = o->extent[0];
    o->rows = s->kind == WL_SCHEDULE_SWIZZLE ? o->extent[1] : o->extent[1] * o->extent[2];
    o->plane = o->width * o->rows;
    o->levels = is_curve(s->kind) ? wl_curve_levels(o->width, o->rows) : 0;
}

static void set_tile(const wl_schedule *s, wl_order *o)
{
    int64_t width = o->width, height = o->rows;
    if (s->kind == WL_SCHEDULE_SWIZZLE) {
        width = 1;
        height = s->width;
    } else if (s->kind == WL_SCHEDULE_TILE) {
        width = s->width;
        height = s->height;
    } else if (s->kind == WL_SCHEDULE_COLUMN || s->kind == WL_SCHEDULE_ZIGZAG) {
        width = s->width;
    }
    o->tile[0] = wl_min(width, o->width);
    o->tile[1] = wl_min(height, o->rows);
}

wl_status wl_order_make(const wl_schedule *schedule, const int64_t extent[3], wl_order *out, wl_error *err)
{
    *out = (wl_order){.kind = schedule->kind, .cells = 1};
    WL_TRY(check(schedule, err));
    for (int d = 0; d < 3; d++) {
        if (extent[d] < 0)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the extents of a domain are positive");
        out->extent[d] = wl_max(extent[d], 1);
        if (!wl_mul(out->cells, out->extent[d], &out->cells))
            return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "the domain has more than 2^60 cells");
    }
    set_axes(schedule, out);
    set_tile(schedule, out);
    return WL_OK;
}

bool wl_order_is_linear(const wl_order *o)
{
    const bool one_line = o->width == 1 || o->rows == 1;
    switch (o->kind) {
    case WL_SCHEDULE_HILBERT: return one_line;
    case WL_SCHEDULE_MORTON: return one_line || o->width == 2;
    case WL_SCHEDULE_ZIGZAG: return o->tile[0] == 1 && one_line;
    default: return o->tile[0] == o->width || o->tile[1] == 1;
    }
}

/* ---- tiles ---- */

/* The paper turns the rows with an even number (equation 4.7; its w' - x must be w' - 1 - x). */
static int64_t turned(const wl_order *o, int64_t x, int64_t row, int64_t wide)
{
    return o->kind == WL_SCHEDULE_ZIGZAG && row % 2 == 0 ? wide - 1 - x : x;
}

static void tile_cell(const wl_order *o, int64_t position, int64_t *x, int64_t *row)
{
    const int64_t band = o->tile[1] * o->width, above = wl_divide(position, band), top = above * o->tile[1];
    const int64_t high = wl_min(o->tile[1], o->rows - top), in_band = position - above * band;
    const int64_t tile = o->tile[0] * high, before = wl_divide(in_band, tile), left = before * o->tile[0];
    const int64_t wide = wl_min(o->tile[0], o->width - left), in_tile = in_band - before * tile;
    const int64_t down = wl_divide(in_tile, wide);
    *row = top + down;
    *x = left + turned(o, in_tile - down * wide, *row, wide);
}

static int64_t tile_position(const wl_order *o, int64_t x, int64_t row)
{
    WL_ASSERT(o->tile[0] > 0 && o->tile[1] > 0);
    const int64_t top = row - row % o->tile[1], left = x - x % o->tile[0];
    const int64_t high = wl_min(o->tile[1], o->rows - top), wide = wl_min(o->tile[0], o->width - left);
    return top * o->width + left * high + (row - top) * wide + turned(o, x - left, row, wide);
}

/* ---- any ---- */

void wl_order_cell(const wl_order *o, int64_t position, int64_t cell[3])
{
    WL_ASSERT(position >= 0 && position < o->cells);
    const int64_t plane = wl_divide(position, o->plane);
    int64_t row = 0;
    (is_curve(o->kind) ? wl_curve_cell : tile_cell)(o, position - plane * o->plane, &cell[0], &row);
    const int64_t above = wl_divide(row, o->extent[1]);
    cell[1] = row - above * o->extent[1];
    cell[2] = plane + above;
}

int64_t wl_order_position(const wl_order *o, const int64_t cell[3])
{
    const bool apart = o->kind == WL_SCHEDULE_SWIZZLE;
    const int64_t row = cell[1] + (apart ? 0 : cell[2] * o->extent[1]);
    const int64_t in_plane = (is_curve(o->kind) ? wl_curve_position : tile_position)(o, cell[0], row);
    return in_plane + (apart ? cell[2] * o->plane : 0);
}

/* ---- the public interface ---- */

bool wl_schedule_orders_blocks(const wl_schedule *schedule) { return schedule->kind == WL_SCHEDULE_SWIZZLE; }

bool wl_schedule_is_linear(const wl_schedule *schedule, const int64_t extent[3])
{
    wl_order order;
    if (schedule->kind == WL_SCHEDULE_LINEAR)
        return true;
    return wl_order_make(schedule, extent, &order, NULL) == WL_OK && wl_order_is_linear(&order);
}

wl_status wl_schedule_position(const wl_schedule *schedule, const int64_t extent[3], const int64_t cell[3],
                               int64_t *position, wl_error *err)
{
    wl_order order;
    WL_TRY(wl_order_make(schedule, extent, &order, err));
    for (int d = 0; d < 3; d++)
        if (cell[d] < 0 || cell[d] >= order.extent[d])
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%c = %lld lies outside the domain of %lld cells", "xyz"[d],
                           (long long)cell[d], (long long)order.extent[d]);
    *position = wl_order_position(&order, cell);
    return WL_OK;
}
