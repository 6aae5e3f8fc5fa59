/* closed_forms.c - see closed_forms.h. SPDX-License-Identifier: MIT */
#include "cache/closed_forms.h"

#include "base/ckd.h"

/* ---- stencils ---- */

/* First and last line of a row that the task at x uses. */
static int64_t first_line(const wl_stencil *s, int64_t x) { return wl_max(0, x - s->reach[0]) / s->line; }
static int64_t last_line(const wl_stencil *s, int64_t x) { return wl_min(s->width - 1, x + s->reach[0]) / s->line; }

static int64_t first_row(const wl_stencil *s, int64_t y) { return wl_max(0, y - s->reach[1]); }
static int64_t last_row(const wl_stencil *s, int64_t y) { return wl_min(s->height - 1, y + s->reach[1]); }

/* Cells x <= end and rows y <= bottom of one tile, and the lines of a row that it uses. */
typedef struct strip {
    int64_t x, end, y, bottom;
    int64_t first, last, lines;
} strip;

static strip strip_at(const wl_stencil *s, wl_tile tile, int64_t x, int64_t y)
{
    strip t = {.x = x, .end = wl_min(x + tile.width, s->width) - 1};
    t.y = y;
    t.bottom = wl_min(y + tile.height, s->height) - 1;
    t.first = first_line(s, t.x);
    t.last = last_line(s, t.end);
    t.lines = t.last - t.first + 1;
    return t;
}

/* A line's last use in one row of tasks, and its first use in the next: which lines are used in
 * between. */
typedef struct gap {
    /* of each row that both use, above and below the line's row in the order of a task */
    int64_t above, below;
    /* of the row that only the first uses, and of the one that only the second does */
    int64_t leaves, enters;
} gap;

static gap gap_of(const wl_stencil *s, const strip *t, int64_t line)
{
    const int64_t first_x = wl_max(t->x, line * s->line - s->reach[0]);
    const int64_t last_x = wl_min(t->end, line * s->line + s->line - 1 + s->reach[0]);
    /* tasks after last_x, and before first_x */
    const int64_t behind = last_x < t->end ? first_line(s, last_x + 1) : t->last + 1;
    const int64_t before = first_x > t->x ? last_line(s, first_x - 1) : t->first - 1;
    const int64_t head = last_line(s, first_x), tail = first_line(s, last_x);
    return (gap){.above = wl_min(t->lines, head - t->first + 1 + wl_max(0, t->last + 1 - wl_max(behind, head + 1))),
                 .below = wl_min(t->lines, t->last - tail + 1 + wl_max(0, wl_min(before, tail - 1) - t->first + 1)),
                 .leaves = t->last + 1 - behind,
                 .enters = before - t->first + 1};
}

/* What row y of tasks and the next have in common. */
typedef struct step {
    int64_t common; /* rows of the array */
    bool leaves, enters;
} step;

static step step_of(const wl_stencil *s, int64_t y)
{
    return (step){.common = last_row(s, y) - first_row(s, y + 1) + 1,
                  .leaves = y - s->reach[1] >= 0,
                  .enters = y + 1 + s->reach[1] < s->height};
}

static bool same_step(step a, step b) { return a.common == b.common && a.leaves == b.leaves && a.enters == b.enters; }

/* The distance of a line with `row` common rows above its own. */
static int64_t distance(const strip *t, const gap *g, step at, int64_t row)
{
    return t->lines - 1 + row * g->above + (at.common - 1 - row) * g->below + (at.leaves ? g->leaves : 0) +
           (at.enters ? g->enters : 0);
}

/* Lines that the next row of tasks fetches again. */
static int64_t fetched_again(const wl_stencil *s, const strip *t, step at, int64_t cache_lines)
{
    int64_t again = 0;
    for (int64_t line = t->first; line <= t->last; line++) {
        const gap g = gap_of(s, t, line);
        for (int64_t row = 0; row < at.common; row++)
            again += distance(t, &g, at, row) >= cache_lines;
    }
    return again;
}

/* A tile that finds nothing in the cache. Most rows are alike. */
static int64_t tile_fetches(const wl_stencil *s, const strip *t, int64_t cache_lines)
{
    int64_t fetches = t->lines * (last_row(s, t->bottom) - first_row(s, t->y) + 1), again = 0;
    step known = {.common = -1};
    for (int64_t y = t->y; y < t->bottom; y++) {
        const step at = step_of(s, y);
        if (!same_step(at, known))
            again = fetched_again(s, t, at, cache_lines);
        known = at;
        fetches += again;
    }
    return fetches;
}

int64_t wl_stencil_least(const wl_stencil *s) { return wl_ceil_div(s->width, s->line) * s->height; }

static wl_tile clipped(wl_tile tile, int64_t width, int64_t height)
{
    /* tiles as wide as the domain follow each other as its rows do */
    return (wl_tile){wl_min(tile.width, width), tile.width >= width ? height : wl_min(tile.height, height)};
}

/* Lines of the largest task. */
static int64_t task_lines(const wl_stencil *s)
{
    const int64_t extent = 2 * s->reach[0] + 1, rows = 2 * s->reach[1] + 1;
    return wl_min((extent + s->line - 2) / s->line + 1, wl_ceil_div(s->width, s->line)) * wl_min(rows, s->height);
}

/* Every task fetches all its lines. */
static int64_t all_uses(const wl_stencil *s)
{
    int64_t lines = 0, rows = 0;
    for (int64_t x = 0; x < s->width; x++)
        lines += last_line(s, x) - first_line(s, x) + 1;
    for (int64_t y = 0; y < s->height; y++)
        rows += last_row(s, y) - first_row(s, y) + 1;
    return lines * rows;
}

/* Is nothing that a tile leaves behind still there when another tile uses it? Between two tiles
 * that lie side by side, a line sees the rows below it in the first and those above it in the
 * second. */
static bool forgets(const wl_stencil *s, wl_tile tile, int64_t cache_lines)
{
    const int64_t rows = wl_min(tile.height, (s->height - 1) % tile.height + 1);
    int64_t least = INT64_MAX;
    if (rows <= 2 * s->reach[1] + 1)
        return false;
    for (int64_t x = 0; x < s->width; x += tile.width)
        least = wl_min(least, strip_at(s, tile, x, 0).lines);
    const int64_t last = (s->width - 1) / tile.width * tile.width;
    if (tile.height < s->height && strip_at(s, tile, 0, 0).last >= strip_at(s, tile, last, 0).first)
        /* the last tile of a row has lines of the first of the next, which follows it */
        return false;
    return cache_lines <= (rows - 1 - s->reach[1]) * least;
}

wl_fetches wl_stencil_fetches(const wl_stencil *s, wl_tile wanted, int64_t cache_lines)
{
    const wl_tile tile = clipped(wanted, s->width, s->height);
    const int64_t least = wl_stencil_least(s);
    int64_t sum = 0;
    if (cache_lines >= least)
        return (wl_fetches){least, true};
    if (cache_lines < task_lines(s))
        return (wl_fetches){all_uses(s), false};
    for (int64_t y = 0; y < s->height; y += tile.height)
        for (int64_t x = 0; x < s->width; x += tile.width) {
            const strip t = strip_at(s, tile, x, y);
            sum += tile_fetches(s, &t, cache_lines);
        }
    return (wl_fetches){sum, tile.width >= s->width || forgets(s, tile, cache_lines)};
}

static int64_t strip_needs(const wl_stencil *s, const strip *t)
{
    int64_t needs = task_lines(s);
    for (int64_t line = t->first; line <= t->last; line++) {
        const gap g = gap_of(s, t, line);
        for (int64_t y = t->y; y < t->bottom; y++) {
            const step at = step_of(s, y);
            if (at.common > 0)
                needs = wl_max(needs, 1 + wl_max(distance(t, &g, at, 0), distance(t, &g, at, at.common - 1)));
        }
    }
    return needs;
}

int64_t wl_stencil_needs(const wl_stencil *s, wl_tile wanted)
{
    const wl_tile tile = clipped(wanted, s->width, s->height);
    int64_t needs = 0;
    for (int64_t y = 0; y < s->height; y += tile.height)
        for (int64_t x = 0; x < s->width; x += tile.width) {
            const strip t = strip_at(s, tile, x, y);
            needs = wl_max(needs, strip_needs(s, &t));
        }
    return wl_min(needs, wl_stencil_least(s));
}

/* ---- matrix products ---- */

/* Lines of a row of A. */
static int64_t row_lines(const wl_product *p) { return wl_ceil_div(p->depth, p->line); }

/* Lines of a row of B that the tasks first <= x <= last use. */
static int64_t span(const wl_product *p, int64_t first, int64_t last) { return last / p->line - first / p->line + 1; }

int64_t wl_product_least(const wl_product *p)
{
    return row_lines(p) * p->height + wl_ceil_div(p->width, p->line) * p->depth;
}

/* The distance of line `at` of the `lines` in row k of B, from one row of tasks to the next: all
 * other lines of B, and those of the two rows of A that are used in between. */
static int64_t column_distance(const wl_product *p, int64_t lines, int64_t at, int64_t k)
{
    const int64_t a = row_lines(p), used = k / p->line + 1; /* of A, before row k of B */
    return p->depth * lines - 1 + (at < lines - 1 ? a : a - used) + (at > 0 ? a : used);
}

/* Lines of B that the next row of tasks fetches again. */
static int64_t columns_again(const wl_product *p, int64_t lines, int64_t cache_lines)
{
    int64_t again = 0;
    for (int64_t k = 0; k < p->depth; k++) {
        const int64_t ends = lines > 1 ? 2 : 1;
        again += column_distance(p, lines, 0, k) >= cache_lines;
        again += ends > 1 && column_distance(p, lines, lines - 1, k) >= cache_lines;
        again += lines > 2 && column_distance(p, lines, 1, k) >= cache_lines ? lines - 2 : 0;
    }
    return again;
}

/* Are rows of A, and columns of B a row of tiles later, fetched again by another tile? */
static bool product_forgets(const wl_product *p, wl_tile tile, int64_t cache_lines)
{
    const int64_t rows = wl_min(tile.height, (p->height - 1) % tile.height + 1);
    int64_t least = INT64_MAX, most = 0;
    for (int64_t x = 0; x < p->width; x += tile.width) {
        const int64_t lines = span(p, x, wl_min(x + tile.width, p->width) - 1);
        least = wl_min(least, lines);
        most = wl_max(most, lines);
    }
    const int64_t others = wl_ceil_div(p->width, p->line) - (tile.width % p->line ? 2 : 1) * most;
    if (rows < 2 || cache_lines > (rows - 1) * row_lines(p) + p->depth * least)
        return false;
    return tile.height >= p->height || cache_lines <= p->depth * others;
}

wl_fetches wl_product_fetches(const wl_product *p, wl_tile wanted, int64_t cache_lines)
{
    const wl_tile tile = clipped(wanted, p->width, p->height);
    const int64_t a = row_lines(p), least = wl_product_least(p);
    int64_t sum = 0;
    if (cache_lines >= least)
        return (wl_fetches){least, true};
    if (cache_lines < a + p->depth) /* a task does not find what the one before left */
        return (wl_fetches){(a + p->depth) * p->width * p->height, true};
    for (int64_t y = 0; y < p->height; y += tile.height)
        for (int64_t x = 0; x < p->width; x += tile.width) {
            const int64_t rows = wl_min(tile.height, p->height - y);
            const int64_t lines = span(p, x, wl_min(x + tile.width, p->width) - 1);
            /* with the tile before, whose last task was the last one */
            const bool shared = x % p->line != 0;
            sum += a * rows + p->depth * (lines - shared) + (rows - 1) * columns_again(p, lines, cache_lines);
        }
    return (wl_fetches){sum, tile.width >= p->width || product_forgets(p, tile, cache_lines)};
}

int64_t wl_product_needs(const wl_product *p, wl_tile wanted)
{
    const wl_tile tile = clipped(wanted, p->width, p->height);
    int64_t needs = row_lines(p) + p->depth;
    for (int64_t x = 0; x < p->width; x += tile.width) {
        const int64_t lines = span(p, x, wl_min(x + tile.width, p->width) - 1);
        const int64_t places[] = {0, wl_min(1, lines - 1), lines - 1};
        for (int i = 0; i < 3 && tile.height > 1; i++)
            needs = wl_max(needs, 1 + wl_max(column_distance(p, lines, places[i], 0),
                                             column_distance(p, lines, places[i], p->depth - 1)));
    }
    return wl_min(needs, wl_product_least(p));
}
