/* space_curve.c - see space_curve.h. SPDX-License-Identifier: MIT */
#include "schedule/space_curve.h"

/* Four quadrants in the order the curve visits them, and how it lies in each. Bit 0 of a turn swaps
 * x and y, bit 1 mirrors both. These turns commute, so that of a quadrant in the square is the
 * exclusive or of both. */
typedef struct quadrants {
    uint8_t x[4], y[4], turn[4];
} quadrants;

static const quadrants hilbert = {{0, 0, 1, 1}, {0, 1, 1, 0}, {1, 0, 0, 3}};
static const quadrants morton = {{0, 1, 0, 1}, {0, 0, 1, 1}, {0, 0, 0, 0}};

static const quadrants *quadrants_of(const wl_order *o) { return o->kind == WL_SCHEDULE_HILBERT ? &hilbert : &morton; }

typedef struct square {
    int64_t x, row, side;
    unsigned turn;
} square;

static square quadrant(const quadrants *q, const square *s, int number)
{
    const unsigned mirror = s->turn >> 1, swap = s->turn & 1;
    const unsigned a = q->x[number], b = q->y[number];
    const int64_t half = s->side / 2, right = (swap ? b : a) ^ mirror, down = (swap ? a : b) ^ mirror;
    return (square){s->x + right * half, s->row + down * half, half, s->turn ^ q->turn[number]};
}

static bool holds(const square *s, int64_t x, int64_t row)
{
    return x >= s->x && x - s->x < s->side && row >= s->row && row - s->row < s->side;
}

static int64_t cells_inside(const wl_order *o, const square *s)
{
    const int64_t wide = wl_min(s->side, o->width - s->x), high = wl_min(s->side, o->rows - s->row);
    return wide > 0 && high > 0 ? wide * high : 0;
}

static square whole(const wl_order *o) { return (square){0, 0, (int64_t)1 << o->levels, 0}; }

int wl_curve_levels(int64_t width, int64_t rows)
{
    int levels = 0;
    while ((int64_t)1 << levels < wl_max(width, rows))
        levels++;
    return levels;
}

static bool lies_inside(const wl_order *o, const square *s)
{
    return s->x + s->side <= o->width && s->row + s->side <= o->rows;
}

/* In a square inside the domain, each quadrant has as many cells: 2^this. Else -1. */
static int quadrant_bits(const wl_order *o, const square *s)
{
    return lies_inside(o, s) ? 2 * wl_log2(s->side) - 2 : -1;
}

/* The quadrant that holds cell number *position of the square; counts from its own first cell
 * then. */
static int find_quadrant(const wl_order *o, const quadrants *q, square *s, int64_t *position)
{
    const int bits = quadrant_bits(o, s);
    if (bits >= 0) {
        const int i = (int)(*position >> bits);
        *position -= (int64_t)i << bits;
        *s = quadrant(q, s, i);
        return i;
    }
    for (int i = 0;; i++) {
        const square next = quadrant(q, s, i);
        const int64_t cells = cells_inside(o, &next);
        if (*position < cells) {
            *s = next;
            return i;
        }
        *position -= cells;
    }
}

void wl_curve_cell(const wl_order *o, int64_t position, int64_t *x, int64_t *row)
{
    square s = whole(o);
    while (s.side > 1)
        (void)find_quadrant(o, quadrants_of(o), &s, &position);
    *x = s.x;
    *row = s.row;
}

int64_t wl_curve_position(const wl_order *o, int64_t x, int64_t row)
{
    const quadrants *q = quadrants_of(o);
    square s = whole(o);
    int64_t position = 0;
    while (s.side > 1)
        for (int i = 0;; i++) {
            const square next = quadrant(q, &s, i);
            if (holds(&next, x, row)) {
                s = next;
                break;
            }
            position += cells_inside(o, &next);
        }
    return position;
}

/* ---- one after the other ---- */

static void enter(wl_curve_walk *walk, int depth, const square *s)
{
    walk->depth = depth;
    walk->path[depth].x = s->x;
    walk->path[depth].row = s->row;
    walk->path[depth].turn = (uint8_t)s->turn;
    walk->path[depth].next = 0;
}

void wl_curve_start(const wl_order *o, int64_t position, wl_curve_walk *walk)
{
    WL_ASSERT(o->levels > 0);
    square s = whole(o);
    for (int depth = 0; depth < o->levels; depth++) {
        enter(walk, depth, &s);
        walk->path[depth].next = (uint8_t)(find_quadrant(o, quadrants_of(o), &s, &position) + 1);
    }
    walk->path[walk->depth].next--; /* that cell is still to come */
}

static bool begins_inside(const wl_order *o, const square *s) { return s->x < o->width && s->row < o->rows; }

/* Leaves squares that are done, and takes the next quadrant of the one that is not. */
static square next_quadrant(const wl_order *o, const quadrants *q, wl_curve_walk *walk)
{
    while (walk->path[walk->depth].next == 4)
        walk->depth--;
    const int depth = walk->depth;
    const square s = {walk->path[depth].x, walk->path[depth].row, (int64_t)1 << (o->levels - depth),
                      walk->path[depth].turn};
    return quadrant(q, &s, walk->path[depth].next++);
}

/* Enters the next square of 2 x 2 cells with a cell inside the domain. */
static void descend(const wl_order *o, const quadrants *q, wl_curve_walk *walk)
{
    while (walk->path[walk->depth].next == 4 || walk->depth < o->levels - 1) {
        const square next = next_quadrant(o, q, walk);
        if (begins_inside(o, &next))
            enter(walk, walk->depth + 1, &next);
    }
}

void wl_curve_fill(const wl_order *o, wl_curve_walk *walk, int64_t count, int64_t *x, int64_t *row)
{
    const quadrants *q = quadrants_of(o);
    for (int64_t n = 0; n < count;) {
        descend(o, q, walk);
        const square s = {walk->path[walk->depth].x, walk->path[walk->depth].row, 2, walk->path[walk->depth].turn};
        int i = walk->path[walk->depth].next;
        for (; i < 4 && n < count; i++) {
            const square cell = quadrant(q, &s, i);
            x[n] = cell.x;
            row[n] = cell.row;
            n += begins_inside(o, &cell);
        }
        walk->path[walk->depth].next = (uint8_t)i;
    }
}

/* A walk that starts at the first cell of a square is inside it: leaves those it has not begun. */
static void leave_untouched(wl_curve_walk *walk)
{
    while (walk->depth > 0 && walk->path[walk->depth].next == 0)
        walk->path[--walk->depth].next--;
}

static bool fits(const wl_order *o, const square *s, int64_t most, int64_t height)
{
    return s->side <= most && s->side * s->side <= most && lies_inside(o, s) && s->row % height + s->side <= height;
}

wl_curve_square wl_curve_next(const wl_order *o, wl_curve_walk *walk, int64_t most, int64_t height)
{
    const quadrants *q = quadrants_of(o);
    leave_untouched(walk);
    for (;;) {
        const square next = next_quadrant(o, q, walk);
        if (!begins_inside(o, &next))
            continue;
        if (next.side == 1)
            return (wl_curve_square){next.x, next.row, 0, 0};
        if (fits(o, &next, most, height))
            return (wl_curve_square){next.x, next.row, o->levels - walk->depth - 1, next.turn};
        enter(walk, walk->depth + 1, &next);
    }
}

/* ---- squares ---- */

typedef struct cutter {
    const wl_order *order;
    const quadrants *quadrants;
    wl_rectangle_visit visit;
    void *context;
} cutter;

/* Of one square with some of these cells; positions count from its own first cell. At most two
 * quadrants of each size are cut. */
static bool cut(const cutter *c, const square *s, int64_t first, int64_t last)
{
    const wl_order *o = c->order;
    const int64_t cells = cells_inside(o, s);
    if (first <= 0 && last >= cells) {
        const int64_t lo[2] = {s->x, s->row},
                      hi[2] = {wl_min(s->x + s->side, o->width), wl_min(s->row + s->side, o->rows)};
        return c->visit(c->context, lo, hi);
    }
    const int bits = quadrant_bits(o, s), skipped = bits >= 0 && first > 0 ? (int)(first >> bits) : 0;
    first -= skipped ? (int64_t)skipped << bits : 0;
    last -= skipped ? (int64_t)skipped << bits : 0;
    for (int i = skipped; i < 4 && last > 0; i++) {
        const square next = quadrant(c->quadrants, s, i);
        const int64_t inside = cells_inside(o, &next);
        if (first < inside && !cut(c, &next, first, last))
            return false;
        first -= inside;
        last -= inside;
    }
    return true;
}

bool wl_curve_rectangles(const wl_order *o, int64_t first, int64_t last, wl_rectangle_visit visit, void *context)
{
    const cutter c = {o, quadrants_of(o), visit, context};
    const square all = whole(o);
    WL_ASSERT(first >= 0 && last <= o->cells);
    return first >= last || cut(&c, &all, first, last);
}
