/* order_boxes.c - see order_boxes.h. SPDX-License-Identifier: MIT */
#include "schedule/order_boxes.h"

#include "schedule/space_curve.h"

static bool follows_curve(const wl_order *o) { return o->kind == WL_SCHEDULE_HILBERT || o->kind == WL_SCHEDULE_MORTON; }

typedef struct box_list {
    const wl_order *order;
    wl_cell_box *boxes;
    int count;
    int64_t plane; /* the one being cut into boxes */
} box_list;

static void add(box_list *l, int64_t x0, int64_t x1, int64_t y0, int64_t y1, int64_t z0, int64_t z1)
{
    if (x0 >= x1 || y0 >= y1 || z0 >= z1)
        return;
    WL_ASSERT(l->count < WL_ORDER_BOXES_MAX);
    l->boxes[l->count++] = (wl_cell_box){{x0, y0, z0}, {x1, y1, z1}};
}

/* Adds cells x0 <= x < x1 of rows from <= row < to, which may fold planes. */
static void add_rows(box_list *l, int64_t x0, int64_t x1, int64_t from, int64_t to)
{
    const int64_t height = l->order->extent[1], z0 = wl_divide(from, height), y0 = from - z0 * height;
    if (from >= to)
        return;
    const int64_t z1 = wl_divide(to, height), y1 = to - z1 * height;
    if (z0 == z1) {
        add(l, x0, x1, y0, y1, l->plane + z0, l->plane + z0 + 1);
        return;
    }
    if (y0 > 0)
        add(l, x0, x1, y0, height, l->plane + z0, l->plane + z0 + 1);
    add(l, x0, x1, 0, height, l->plane + z0 + (y0 > 0), l->plane + z1);
    add(l, x0, x1, 0, y1, l->plane + z1, l->plane + z1 + 1);
}

/* Cells first <= n < last of one row of a tile. */
static void add_row_part(box_list *l, int64_t left, int64_t wide, int64_t row, int64_t first, int64_t last)
{
    const bool back = l->order->kind == WL_SCHEDULE_ZIGZAG && row % 2 == 0;
    add_rows(l, left + (back ? wide - last : first), left + (back ? wide - first : last), row, row + 1);
}

/* Cells first <= n < last of a tile. */
static void add_tile_part(box_list *l, int64_t left, int64_t top, int64_t first, int64_t last)
{
    const int64_t wide = wl_min(l->order->tile[0], l->order->width - left);
    const int64_t row0 = wl_divide(first, wide), row1 = wl_divide(last, wide);
    const int64_t x0 = first - row0 * wide, x1 = last - row1 * wide;
    if (row0 == row1) {
        if (x0 < x1)
            add_row_part(l, left, wide, top + row0, x0, x1);
        return;
    }
    if (x0 > 0)
        add_row_part(l, left, wide, top + row0, x0, wide);
    add_rows(l, left, left + wide, top + row0 + (x0 > 0), top + row1);
    if (x1 > 0)
        add_row_part(l, left, wide, top + row1, 0, x1);
}

/* Cells first <= n < last of a band of tiles. */
static void add_band_part(box_list *l, int64_t top, int64_t first, int64_t last)
{
    const wl_order *o = l->order;
    const int64_t high = wl_min(o->tile[1], o->rows - top), tile = o->tile[0] * high, band = o->width * high;
    int64_t from = wl_divide(first, tile);
    if (first != from * tile) {
        const int64_t end = wl_min((from + 1) * tile, band);
        add_tile_part(l, from * o->tile[0], top, first - from * tile, wl_min(last, end) - from * tile);
        if (last <= end)
            return;
        from++;
    }
    const int64_t to = wl_divide(last, tile);
    if (last == band) {
        add_rows(l, from * o->tile[0], o->width, top, top + high);
        return;
    }
    add_rows(l, from * o->tile[0], to * o->tile[0], top, top + high);
    add_tile_part(l, to * o->tile[0], top, 0, last - to * tile);
}

/* Cells first <= n < last of a plane. */
static void add_plane_part(box_list *l, int64_t first, int64_t last)
{
    const wl_order *o = l->order;
    const int64_t band = o->tile[1] * o->width;
    int64_t from = wl_divide(first, band);
    if (first != from * band) {
        const int64_t end = wl_min((from + 1) * band, o->plane);
        add_band_part(l, from * o->tile[1], first - from * band, wl_min(last, end) - from * band);
        if (last <= end)
            return;
        from++;
    }
    const int64_t to = wl_divide(last, band);
    if (last == o->plane) {
        add_rows(l, 0, o->width, from * o->tile[1], o->rows);
        return;
    }
    add_rows(l, 0, o->width, from * o->tile[1], to * o->tile[1]);
    add_band_part(l, to * o->tile[1], 0, last - to * band);
}

int wl_order_boxes(const wl_order *o, int64_t first, int64_t last, wl_cell_box boxes[WL_ORDER_BOXES_MAX])
{
    WL_ASSERT(first >= 0 && last <= o->cells);
    box_list l = {.order = o, .boxes = boxes};
    if (follows_curve(o))
        return -1;
    if (first >= last)
        return 0;
    const int64_t from = wl_divide(first, o->plane), to = wl_divide(last, o->plane);
    const bool cut = first != from * o->plane;
    l.plane = from;
    if (from == to) {
        add_plane_part(&l, first - from * o->plane, last - from * o->plane);
        return l.count;
    }
    if (cut)
        add_plane_part(&l, first - from * o->plane, o->plane);
    /* of z in a plane */
    const int64_t depth = o->cells / o->plane == o->extent[2] ? 1 : o->extent[2];
    add(&l, 0, o->extent[0], 0, o->extent[1], (from + cut) * depth, to * depth);
    l.plane = to;
    if (last != to * o->plane)
        add_plane_part(&l, 0, last - to * o->plane);
    return l.count;
}

/* ---- curves ---- */

typedef struct visitor {
    const wl_order *order;
    wl_box_visit visit;
    void *context;
} visitor;

static bool visit_list(const visitor *v, const wl_cell_box *boxes, int count)
{
    for (int i = 0; i < count; i++)
        if (!v->visit(v->context, &boxes[i]))
            return false;
    return true;
}

/* One rectangle of cells, whose rows may fold planes. */
static bool visit_rectangle(void *context, const int64_t lo[2], const int64_t hi[2])
{
    const visitor *v = context;
    wl_cell_box boxes[WL_ORDER_BOXES_MAX];
    box_list l = {.order = v->order, .boxes = boxes};
    add_rows(&l, lo[0], hi[0], lo[1], hi[1]);
    return visit_list(v, boxes, l.count);
}

bool wl_order_visit_boxes(const wl_order *o, int64_t first, int64_t last, wl_box_visit visit, void *context)
{
    visitor v = {o, visit, context};
    if (follows_curve(o))
        return wl_curve_rectangles(o, first, last, visit_rectangle, &v);
    wl_cell_box boxes[WL_ORDER_BOXES_MAX];
    return visit_list(&v, boxes, wl_order_boxes(o, first, last, boxes));
}
