/* space_curve.c - see space_curve.h. SPDX-License-Identifier: MIT */
#include "schedule/space_curve.h"

/* The four quadrants in the order in which the curve visits them, for each orientation (turn) of
 * the curve in its square: bit 0 of a turn swaps x and y, bit 1 mirrors both. Bit 0 of a quadrant
 * is set if it lies to the right, bit 1 if it lies below; the bits from 2 on are its own turn. */
typedef struct quadrants {
    uint8_t of_turn[4][4];
} quadrants;

static const quadrants hilbert = {{{4, 2, 3, 13}, {0, 5, 7, 10}, {15, 9, 8, 6}, {11, 14, 12, 1}}};
static const quadrants morton = {{{0, 1, 2, 3}}}; /* it is never turned */

static const quadrants *quadrants_of(const wl_order *o) { return o->kind == WL_SCHEDULE_HILBERT ? &hilbert : &morton; }

typedef struct square {
    int64_t x, row, side;
    unsigned turn;
} square;

static square quadrant(const quadrants *q, const square *s, int number)
{
    const unsigned which = q->of_turn[s->turn][number];
    const int64_t half = s->side >> 1;
    return (square){s->x + (which & 1 ? half : 0), s->row + (which & 2 ? half : 0), half, which >> 2};
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

/* log2 of the cells of each quadrant, if the square lies inside the domain; else -1. */
static int quadrant_bits(const wl_order *o, const square *s)
{
    return lies_inside(o, s) ? 2 * wl_log2(s->side) - 2 : -1;
}

/* The quadrant that holds cell number *position of the square. *position then counts from the first
 * cell of the quadrant. */
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
        const int number = find_quadrant(o, quadrants_of(o), &s, &position);
        /* a quadrant that begins here has not been entered */
        walk->path[depth].next = (uint8_t)(number + (position > 0));
        if (position == 0)
            return;
    }
}

static bool begins_inside(const wl_order *o, const square *s) { return s->x < o->width && s->row < o->rows; }

/* Leaves squares that are finished, and enters the next quadrant of the one that is not. */
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

/* Do all its rows lie in one plane? Squares begin at a multiple of their side. */
static bool in_one_plane(const square *s, int64_t height)
{
    return (height & (s->side - 1)) == 0 || s->row - wl_divide(s->row, height) * height + s->side <= height;
}

static bool fits(const wl_order *o, const square *s, int64_t most, int64_t height)
{
    return s->side <= most && s->side * s->side <= most && lies_inside(o, s) && in_one_plane(s, height);
}

wl_curve_square wl_curve_next(const wl_order *o, wl_curve_walk *walk, int64_t most, int64_t height)
{
    const quadrants *q = quadrants_of(o);
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

static bool cut(const cutter *c, square s, int64_t first, int64_t last);

/* Visits the wanted cells of a square, quadrant by quadrant. If all of them lie in one quadrant,
 * that becomes *s instead, and *first and *last count from its first cell. */
static bool cut_quadrants(const cutter *c, square *s, int64_t *first, int64_t *last, bool *one)
{
    const int bits = quadrant_bits(c->order, s), skipped = bits >= 0 && *first > 0 ? (int)(*first >> bits) : 0;
    int64_t from = *first, to = *last;
    *one = false;
    from -= skipped ? (int64_t)skipped << bits : 0;
    to -= skipped ? (int64_t)skipped << bits : 0;
    for (int i = skipped; i < 4 && to > 0; i++) {
        const square next = quadrant(c->quadrants, s, i);
        const int64_t inside = bits >= 0 ? (int64_t)1 << bits : cells_inside(c->order, &next);
        if (from >= 0 && from < inside && to <= inside) {
            *one = true;
            *s = next;
            *first = from;
            *last = to;
            return true;
        }
        if (from < inside && !cut(c, next, from, to))
            return false;
        from -= inside;
        to -= inside;
    }
    return true;
}

/* Visits the cells first <= p < last of one square; positions count from its first cell. At most
 * two quadrants of each size are cut. */
static bool cut(const cutter *c, square s, int64_t first, int64_t last)
{
    const wl_order *o = c->order;
    for (bool one = true; one;) {
        if (first <= 0 && last >= cells_inside(o, &s)) {
            const int64_t lo[2] = {s.x, s.row},
                          hi[2] = {wl_min(s.x + s.side, o->width), wl_min(s.row + s.side, o->rows)};
            return c->visit(c->context, lo, hi);
        }
        if (!cut_quadrants(c, &s, &first, &last, &one))
            return false;
    }
    return true;
}

bool wl_curve_rectangles(const wl_order *o, int64_t first, int64_t last, wl_rectangle_visit visit, void *context)
{
    const cutter c = {o, quadrants_of(o), visit, context};
    WL_ASSERT(first >= 0 && last <= o->cells);
    return first >= last || cut(&c, whole(o), first, last);
}
