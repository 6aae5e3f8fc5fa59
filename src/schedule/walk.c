/* walk.c - see walk.h. SPDX-License-Identifier: MIT */
#include "schedule/walk.h"

#include "base/fail.h"

static bool follows_curve(const wl_order *o) { return o->levels > 0; }

/* The current tile begins at walk->corner. */
static void enter_tile(wl_walk *w)
{
    const wl_order *o = w->order;
    w->size[0] = wl_min(o->tile[0], o->width - w->corner[0]);
    w->size[1] = wl_min(o->tile[1], o->rows - w->corner[1]);
}

static void set_row(wl_walk *w)
{
    const int64_t row = w->corner[1] + w->at[1], height = w->order->extent[1];
    const int64_t plane = wl_divide(row, height);
    w->y = row - plane * height;
    w->z = w->plane + plane;
}

static void next_tile(wl_walk *w)
{
    const wl_order *o = w->order;
    w->at[1] = 0;
    w->corner[0] += w->size[0];
    if (w->corner[0] == o->width) {
        w->corner[0] = 0;
        w->corner[1] += w->size[1];
    }
    if (w->corner[1] == o->rows) {
        w->corner[1] = 0;
        w->plane++;
    }
    enter_tile(w);
    set_row(w);
}

static void next_row(wl_walk *w)
{
    w->at[0] = 0;
    if (++w->at[1] == w->size[1]) {
        next_tile(w);
        return;
    }
    if (++w->y == w->order->extent[1]) {
        w->y = 0;
        w->z++;
    }
}

static void start_in_tile(wl_walk *w, int64_t first)
{
    const wl_order *o = w->order;
    const int64_t band = o->tile[1] * o->width, plane = wl_divide(first, o->plane);
    const int64_t in_plane = first - plane * o->plane, above = wl_divide(in_plane, band);
    const int64_t in_band = in_plane - above * band;
    w->plane = plane;
    w->corner[1] = above * o->tile[1];
    w->corner[0] = wl_divide(in_band, o->tile[0] * wl_min(o->tile[1], o->rows - w->corner[1])) * o->tile[0];
    enter_tile(w);
    const int64_t in_tile = in_band - w->corner[0] * w->size[1];
    w->at[1] = wl_divide(in_tile, w->size[0]);
    w->at[0] = in_tile - w->at[1] * w->size[0];
    set_row(w);
}

void wl_walk_start(wl_walk *w, const wl_order *order, int64_t first, int64_t count)
{
    WL_ASSERT(first >= 0 && count >= 0 && first <= order->cells - count);
    w->order = order;
    w->left = count;
    w->z = 0;
    if (count == 0)
        return;
    if (follows_curve(order))
        wl_curve_start(order, first, &w->curve);
    else
        start_in_tile(w, first);
}

/* The rest of the current row of the tile, at most `most` cells. */
static wl_run row_run(wl_walk *w, int64_t most)
{
    const int64_t count = wl_min(most, w->size[0] - w->at[0]);
    const bool back = w->order->kind == WL_SCHEDULE_ZIGZAG && (w->corner[1] + w->at[1]) % 2 == 0;
    const int64_t x = back ? w->size[0] - 1 - w->at[0] : w->at[0];
    const wl_run run = {{w->corner[0] + x, w->y, w->z}, count, back ? -1 : 1};
    w->left -= count;
    w->at[0] += count;
    if (w->at[0] == w->size[0] && w->left > 0)
        next_row(w);
    return run;
}

/* The plane of a row. Neighbours on a curve mostly lie in the same one: w->z is kept. */
static int64_t plane_of(wl_walk *w, int64_t row)
{
    const int64_t height = w->order->extent[1], above = row - w->z * height;
    if (above < 0 || above >= height)
        w->z = wl_divide(row, height);
    return w->z;
}

static void fill_from_curve(wl_walk *w, int64_t count, int64_t *x, int64_t *y, int64_t *z)
{
    const int64_t height = w->order->extent[1];
    wl_curve_fill(w->order, &w->curve, count, x, y);
    for (int64_t i = 0; i < count; i++) {
        z[i] = plane_of(w, y[i]);
        y[i] -= z[i] * height;
    }
    w->left -= count;
}

bool wl_walk_run(wl_walk *w, wl_run *run)
{
    if (w->left == 0)
        return false;
    if (follows_curve(w->order)) {
        run->count = run->step = 1;
        fill_from_curve(w, 1, &run->cell[0], &run->cell[1], &run->cell[2]);
    } else {
        *run = row_run(w, w->left);
    }
    return true;
}

int64_t wl_walk_fill(wl_walk *w, int64_t count, int64_t *x, int64_t *y, int64_t *z)
{
    const int64_t most = wl_min(count, w->left);
    if (follows_curve(w->order)) {
        fill_from_curve(w, most, x, y, z);
        return most;
    }
    for (int64_t n = 0; n < most;) {
        const wl_run run = row_run(w, most - n);
        for (int64_t i = 0; i < run.count; i++) {
            x[n + i] = run.cell[0] + i * run.step;
            y[n + i] = run.cell[1];
            z[n + i] = run.cell[2];
        }
        n += run.count;
    }
    return most;
}

/* kinds of figures; there is one of squares for each width and turn */
enum { FORWARDS, BACKWARDS, SQUARES };
#define TURNS 4

void wl_walk_figure(wl_walk *w, int64_t most, wl_figure *figure)
{
    most = wl_min(most, w->left);
    if (follows_curve(w->order)) {
        const int64_t height = w->order->extent[1];
        const wl_curve_square s = wl_curve_next(w->order, &w->curve, most, height);
        const int64_t z = plane_of(w, s.row), count = (int64_t)1 << 2 * s.level;
        *figure = (wl_figure){{s.x, s.row - z * height, z}, count, SQUARES + TURNS * s.level + (int)s.turn};
        w->left -= count;
        return;
    }
    const wl_run run = row_run(w, most);
    const bool back = run.step < 0;
    *figure = (wl_figure){{back ? run.cell[0] - run.count + 1 : run.cell[0], run.cell[1], run.cell[2]},
                          run.count,
                          back ? BACKWARDS : FORWARDS};
}

static void skip_in_tiles(wl_walk *w, int64_t count)
{
    for (;;) {
        const int64_t at = w->at[1] * w->size[0] + w->at[0], cells = w->size[0] * w->size[1];
        if (count < cells - at) {
            w->at[1] = wl_divide(at + count, w->size[0]);
            w->at[0] = at + count - w->at[1] * w->size[0];
            set_row(w);
            return;
        }
        count -= cells - at;
        w->at[0] = 0;
        next_tile(w);
    }
}

void wl_walk_skip(wl_walk *w, int64_t count)
{
    count = wl_min(count, w->left);
    w->left -= count;
    if (w->left == 0 || count == 0)
        return;
    if (!follows_curve(w->order)) {
        skip_in_tiles(w, count);
        return;
    }
    for (int64_t cells; count > 0; count -= cells)
        cells = (int64_t)1 << 2 * wl_curve_next(w->order, &w->curve, count, w->order->rows).level;
}

wl_status wl_schedule_cells(const wl_schedule *schedule, const int64_t extent[3], int64_t first, int64_t count,
                            int64_t (*cells)[3], wl_error *err)
{
    wl_order order;
    wl_walk walk;
    WL_TRY(wl_order_make(schedule, extent, &order, err));
    if (first < 0 || count < 0 || first > order.cells || count > order.cells - first)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the positions of this domain are 0 to %lld",
                       (long long)(order.cells - 1));
    wl_walk_start(&walk, &order, first, count);
    for (int64_t i = 0; i < count; i++)
        (void)wl_walk_fill(&walk, 1, &cells[i][0], &cells[i][1], &cells[i][2]);
    return WL_OK;
}
