/* prop_schedule.c - schedule/order.h and schedule/walk.h: every order is a bijection with an exact
 * inverse, equals an independent definition, and is walked as it is computed.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <string.h>

#include "effort.h"
#include "property/random_source.h"
#include "schedule/order_boxes.h"
#include "schedule/walk.h"

#define SMALL_MAX 40 /* extents of the domains that are tried exhaustively */
#define WIDTH_MAX 50
#define CELLS_MAX ((size_t)SMALL_MAX * SMALL_MAX)

static void show(const wl_schedule *s, const int64_t extent[3], char text[160])
{
    char name[WL_SCHEDULE_TEXT_MAX];
    wl_schedule_print(s, name);
    (void)snprintf(text, 160, "%s over %lldx%lldx%lld", name, (long long)extent[0], (long long)extent[1],
                   (long long)extent[2]);
}

static wl_order make(wl_schedule s, const int64_t extent[3])
{
    wl_order o;
    wl_error err = {0};
    if (wl_order_make(&s, extent, &o, &err) != WL_OK)
        fail_msg("%s", err.message);
    return o;
}

/* ---- all small domains ---- */

/* Every cell once, the inverse exact, `is_linear` true exactly where it is, and the walk the
 * same. */
static void check_all(wl_schedule s, const int64_t extent[3])
{
    static uint8_t seen[CELLS_MAX];
    static int64_t x[CELLS_MAX], y[CELLS_MAX], z[CELLS_MAX];
    const wl_order o = make(s, extent);
    wl_walk walk;
    bool linear = true;
    char text[160];
    show(&s, extent, text);
    memset(seen, 0, (size_t)o.cells);
    wl_walk_start(&walk, &o, 0, o.cells);
    if (wl_walk_fill(&walk, o.cells + 1, x, y, z) != o.cells)
        fail_msg("%s: the walk ends early", text);
    for (int64_t i = 0; i < o.cells; i++) {
        int64_t c[3];
        wl_order_cell(&o, i, c);
        const int64_t index = c[0] + extent[0] * (c[1] + extent[1] * c[2]);
        if (c[0] < 0 || c[0] >= extent[0] || c[1] < 0 || c[1] >= extent[1] || c[2] < 0 || c[2] >= extent[2] ||
            seen[index]++)
            fail_msg("%s: position %lld is cell %lld,%lld,%lld, outside or visited before", text, (long long)i,
                     (long long)c[0], (long long)c[1], (long long)c[2]);
        if (wl_order_position(&o, c) != i)
            fail_msg("%s: position %lld comes back as %lld", text, (long long)i, (long long)wl_order_position(&o, c));
        if (x[i] != c[0] || y[i] != c[1] || z[i] != c[2])
            fail_msg("%s: the walk is at %lld,%lld,%lld at position %lld", text, (long long)x[i], (long long)y[i],
                     (long long)z[i], (long long)i);
        linear = linear && index == i;
    }
    if (wl_schedule_is_linear(&s, extent) != linear)
        fail_msg("%s: %s linear", text, linear ? "is" : "is not");
}

static void orders_of_small_domains_are_bijections(void **state)
{
    (void)state;
    const int64_t step = effort_is_full() ? 1 : 4;
    for (int64_t w = 1; w <= SMALL_MAX; w++)
        for (int64_t h = 1 + w % step; h <= SMALL_MAX; h += step) {
            const int64_t extent[3] = {w, h, 1};
            check_all((wl_schedule){0}, extent);
            check_all((wl_schedule){.kind = WL_SCHEDULE_HILBERT}, extent);
            check_all((wl_schedule){.kind = WL_SCHEDULE_MORTON}, extent);
            for (int64_t n = 1; n <= WIDTH_MAX; n++) {
                check_all((wl_schedule){WL_SCHEDULE_COLUMN, n, 0}, extent);
                check_all((wl_schedule){WL_SCHEDULE_ZIGZAG, n, 0}, extent);
                check_all((wl_schedule){WL_SCHEDULE_SWIZZLE, n, 0}, extent);
                check_all((wl_schedule){WL_SCHEDULE_TILE, n, 1 + (n * 7 + w + h) % WIDTH_MAX}, extent);
            }
        }
}

/* Every width and height of a tile, where both edges cut. */
static void tiles_of_any_size_are_bijections(void **state)
{
    (void)state;
    static const int64_t domains[][3] = {{13, 11, 1}, {16, 8, 1}, {7, 29, 1}, {5, 4, 7}};
    for (size_t d = 0; d < sizeof domains / sizeof domains[0]; d++)
        for (int64_t w = 1; w <= WIDTH_MAX; w++)
            for (int64_t h = 1; h <= WIDTH_MAX; h++)
                check_all((wl_schedule){WL_SCHEDULE_TILE, w, h}, domains[d]);
}

static wl_schedule any_schedule(random_source *r, int64_t most)
{
    wl_schedule s = {.kind = (wl_schedule_kind)random_in(r, 0, WL_SCHEDULE_KIND_COUNT - 1)};
    s.width = random_in(r, 1, most);
    s.height = random_in(r, 1, most);
    return s;
}

static void orders_of_boxes_are_bijections(void **state)
{
    (void)state;
    random_source r = random_start(1);
    for (uint64_t i = 0; i < effort_cases(20000); i++) {
        int64_t extent[3];
        for (int d = 0; d < 3; d++)
            extent[d] = random_in(&r, 1, 11);
        check_all(any_schedule(&r, 14), extent);
    }
}

/* ---- large domains ---- */

/* Up to 2^bits cells in all, of any proportions. */
static void any_domain(random_source *r, int bits, int64_t extent[3])
{
    for (int d = 0; d < 3; d++) {
        const int own = (int)random_in(r, 0, bits);
        extent[d] = random_in(r, 1, (int64_t)1 << own);
        bits -= own;
    }
}

static void check_around(const wl_order *o, const wl_schedule *s, int64_t position)
{
    enum { LENGTH = 70 };
    int64_t x[LENGTH], y[LENGTH], z[LENGTH], c[3];
    const int64_t count = wl_min(LENGTH, o->cells - position);
    wl_walk walk;
    char text[160];
    show(s, o->extent, text);
    wl_walk_start(&walk, o, position, count);
    const int64_t some = wl_walk_fill(&walk, 5, x, y, z); /* a walk goes on where it stopped */
    (void)wl_walk_fill(&walk, LENGTH, x + some, y + some, z + some);
    for (int64_t at = 0; at < count; at += 1 + at / 2) { /* some cells, then others are passed */
        int64_t first[3][LENGTH];
        wl_walk_start(&walk, o, position, count);
        wl_walk_skip(&walk, at - wl_walk_fill(&walk, wl_min(at, at % 4), first[0], first[1], first[2]));
        if (wl_walk_fill(&walk, 1, &c[0], &c[1], &c[2]) != 1 || c[0] != x[at] || c[1] != y[at] || c[2] != z[at])
            fail_msg("%s: a walk from %lld is elsewhere after %lld cells", text, (long long)position, (long long)at);
    }
    for (int64_t i = 0; i < count; i++) {
        wl_order_cell(o, position + i, c);
        if (c[0] != x[i] || c[1] != y[i] || c[2] != z[i])
            fail_msg("%s: the walk differs at position %lld", text, (long long)(position + i));
        for (int d = 0; d < 3; d++)
            if (c[d] < 0 || c[d] >= o->extent[d])
                fail_msg("%s: position %lld lies outside", text, (long long)(position + i));
        if (wl_order_position(o, c) != position + i)
            fail_msg("%s: position %lld comes back as %lld", text, (long long)(position + i),
                     (long long)wl_order_position(o, c));
    }
}

static void large_orders_have_exact_inverses(void **state)
{
    (void)state;
    random_source r = random_start(2);
    for (uint64_t i = 0; i < effort_cases(40000); i++) {
        int64_t extent[3];
        const int bits = i % 4 ? 40 : 59; /* up to the largest the library computes in, too */
        any_domain(&r, bits, extent);
        const wl_schedule s = any_schedule(&r, i % 3 ? 4096 : (int64_t)1 << 40);
        const wl_order o = make(s, extent);
        for (int sample = 0; sample < 4; sample++) {
            const int64_t position = random_in(&r, 0, o.cells - 1);
            check_around(&o, &s, position);
        }
        check_around(&o, &s, 0);
        check_around(&o, &s, wl_max(0, o.cells - 70));
    }
}

/* ---- independent definitions ---- */

/* Equations 4.1 to 4.6 of the paper: i is the thread, the result the cell's index. Equation 4.3 as
 * printed takes i mod Ih w', which a narrower last column makes wrong; listings 5 and 6 take i mod
 * Ih w, and so does this. */
static int64_t paper_column(int64_t i, int64_t iw, int64_t ih, int64_t w)
{
    const int64_t o = i / (ih * w) * w;
    const bool last = o + w >= iw;
    const int64_t width = last ? iw - o : w;
    const int64_t in_column = i % (ih * w);
    WL_ASSERT(width > 0);
    const int64_t x = in_column % width, y = in_column / width;
    return x + y * iw + o;
}

static void columns_are_those_of_the_paper(void **state)
{
    (void)state;
    for (int64_t w = 1; w <= SMALL_MAX; w++)
        for (int64_t h = 1; h <= SMALL_MAX; h++)
            for (int64_t n = 1; n <= WIDTH_MAX; n++) {
                const wl_order o = make((wl_schedule){WL_SCHEDULE_COLUMN, n, 0}, (const int64_t[3]){w, h, 1});
                for (int64_t i = 0; i < o.cells; i++) {
                    int64_t c[3];
                    wl_order_cell(&o, i, c);
                    if (c[0] + w * c[1] != paper_column(i, w, h, n))
                        fail_msg("column:%lld over %lldx%lld differs at %lld", (long long)n, (long long)w, (long long)h,
                                 (long long)i);
                }
            }
}

/* Each order as loops over what its name says. */
static int64_t enumerate(const wl_schedule *s, const int64_t e[3], int64_t (*cells)[3])
{
    const int64_t width = e[0], rows = e[1] * e[2];
    int64_t n = 0;
    if (s->kind == WL_SCHEDULE_SWIZZLE) {
        for (int64_t z = 0; z < e[2]; z++)
            for (int64_t group = 0; group < e[1]; group += s->width)
                for (int64_t x = 0; x < width; x++)
                    for (int64_t y = group; y < e[1] && y < group + s->width; y++, n++)
                        memcpy(cells[n], (const int64_t[3]){x, y, z}, sizeof cells[n]);
        return n;
    }
    const bool tiles = s->kind == WL_SCHEDULE_TILE;
    const int64_t high = tiles ? s->height : rows, wide = s->kind == WL_SCHEDULE_LINEAR ? width : s->width;
    for (int64_t top = 0; top < rows; top += high)
        for (int64_t left = 0; left < width; left += wide)
            for (int64_t row = top; row < rows && row < top + high; row++)
                for (int64_t i = left; i < width && i < left + wide; i++, n++) {
                    const int64_t end = wl_min(left + wide, width) - 1;
                    const int64_t x = s->kind == WL_SCHEDULE_ZIGZAG && row % 2 == 0 ? end - (i - left) : i;
                    memcpy(cells[n], (const int64_t[3]){x, row % e[1], row / e[1]}, sizeof cells[n]);
                }
    return n;
}

static void orders_are_what_their_names_say(void **state)
{
    (void)state;
    static int64_t expected[2200][3], got[2200][3];
    random_source r = random_start(3);
    for (uint64_t i = 0; i < effort_cases(20000); i++) {
        const wl_schedule s = any_schedule(&r, 15);
        int64_t e[3];
        for (int d = 0; d < 3; d++)
            e[d] = random_in(&r, 1, 13);
        if (s.kind == WL_SCHEDULE_HILBERT || s.kind == WL_SCHEDULE_MORTON)
            continue;
        const int64_t n = enumerate(&s, e, expected);
        wl_error err = {0};
        char text[160];
        show(&s, e, text);
        if (wl_schedule_cells(&s, e, 0, n, got, &err) != WL_OK)
            fail_msg("%s: %s", text, err.message);
        if (memcmp(expected, got, (size_t)n * sizeof got[0]) != 0)
            fail_msg("%s: another order", text);
    }
}

/* Neighbours along Hilbert's curve touch, and each aligned square of a power of two is walked at
 * once. */
static void hilbert_walks_from_neighbour_to_neighbour(void **state)
{
    (void)state;
    for (int64_t side = 1; side <= 256; side *= 2) {
        const wl_order o = make((wl_schedule){.kind = WL_SCHEDULE_HILBERT}, (const int64_t[3]){side, side, 1});
        int64_t before[3] = {0}, c[3];
        for (int64_t i = 0; i < o.cells; i++) {
            wl_order_cell(&o, i, c);
            const int64_t steps = llabs(c[0] - before[0]) + llabs(c[1] - before[1]);
            if (steps != (i > 0))
                fail_msg("hilbert over %lldx%lld jumps at %lld", (long long)side, (long long)side, (long long)i);
            memcpy(before, c, sizeof c);
        }
    }
}

/* Morton's order sorts by the interleaved bits of x and y. */
static uint64_t interleaved(int64_t x, int64_t y)
{
    uint64_t bits = 0;
    for (int b = 0; b < 8; b++)
        bits |= (uint64_t)(x >> b & 1) << (2 * b) | (uint64_t)(y >> b & 1) << (2 * b + 1);
    return bits;
}

static void morton_sorts_by_interleaved_bits(void **state)
{
    (void)state;
    for (int64_t w = 1; w <= SMALL_MAX; w++)
        for (int64_t h = 1; h <= SMALL_MAX; h++) {
            const wl_order o = make((wl_schedule){.kind = WL_SCHEDULE_MORTON}, (const int64_t[3]){w, h, 1});
            uint64_t before = 0;
            for (int64_t i = 0; i < o.cells; i++) {
                int64_t c[3];
                wl_order_cell(&o, i, c);
                if (i > 0 && interleaved(c[0], c[1]) <= before)
                    fail_msg("morton over %lldx%lld is not sorted at %lld", (long long)w, (long long)h, (long long)i);
                before = interleaved(c[0], c[1]);
            }
        }
}

/* Runs are the walk, cut where neighbours in x end. */
static void runs_are_the_walk(void **state)
{
    (void)state;
    random_source r = random_start(4);
    for (uint64_t i = 0; i < effort_cases(8000); i++) {
        const wl_schedule s = any_schedule(&r, 40);
        int64_t extent[3], position = 0;
        any_domain(&r, 14, extent);
        const wl_order o = make(s, extent);
        const int64_t first = random_in(&r, 0, o.cells - 1), count = random_in(&r, 0, o.cells - first);
        wl_walk walk;
        wl_run run;
        wl_walk_start(&walk, &o, first, count);
        while (wl_walk_run(&walk, &run))
            for (int64_t k = 0; k < run.count; k++, position++) {
                int64_t c[3];
                char text[160];
                wl_order_cell(&o, first + position, c);
                show(&s, extent, text);
                if (c[0] != run.cell[0] + k * run.step || c[1] != run.cell[1] || c[2] != run.cell[2])
                    fail_msg("%s: the run differs at %lld", text, (long long)(first + position));
            }
        assert_int_equal(position, count);
    }
}

/* Figures of the same kind and size are visited alike, and make up the walk. */
static void figures_are_the_walk(void **state)
{
    (void)state;
    enum { KINDS = 64, MOST = 64 };
    random_source r = random_start(6);
    for (uint64_t i = 0; i < effort_cases(8000); i++) {
        static int64_t cells[KINDS][MOST + 1][MOST][2]; /* relative to the lowest, where one came */
        static bool seen[KINDS][MOST + 1];
        const wl_schedule s = any_schedule(&r, 40);
        int64_t extent[3];
        any_domain(&r, 14, extent);
        const wl_order o = make(s, extent);
        const int64_t first = random_in(&r, 0, o.cells - 1), count = random_in(&r, 1, o.cells - first);
        wl_walk walk;
        char text[160];
        show(&s, extent, text);
        memset(seen, 0, sizeof seen);
        wl_walk_start(&walk, &o, first, count);
        for (int64_t position = 0; position < count;) {
            const int64_t most = random_in(&r, 1, MOST);
            wl_figure f;
            wl_walk_figure(&walk, most, &f);
            assert_true(f.count > 0 && f.count <= most && f.count <= count - position && f.kind < KINDS);
            for (int64_t k = 0; k < f.count; k++, position++) {
                int64_t c[3];
                wl_order_cell(&o, first + position, c);
                const int64_t at[2] = {c[0] - f.lo[0], c[1] - f.lo[1]};
                int64_t *same = cells[f.kind][f.count][k];
                if (at[0] < 0 || at[1] < 0 || c[2] != f.lo[2] ||
                    (seen[f.kind][f.count] && (same[0] != at[0] || same[1] != at[1])))
                    fail_msg("%s: the figure differs at %lld", text, (long long)(first + position));
                memcpy(same, at, sizeof at);
            }
            seen[f.kind][f.count] = true;
        }
        assert_int_equal(walk.left, 0);
    }
}

/* ---- boxes ---- */

static int64_t boxes_with(const wl_cell_box *boxes, int count, const int64_t c[3])
{
    int64_t times = 0;
    for (int i = 0; i < count; i++)
        times += c[0] >= boxes[i].lo[0] && c[0] < boxes[i].hi[0] && c[1] >= boxes[i].lo[1] && c[1] < boxes[i].hi[1] &&
                 c[2] >= boxes[i].lo[2] && c[2] < boxes[i].hi[2];
    return times;
}

typedef struct visited {
    wl_cell_box boxes[800];
    int count, most; /* beyond this many, the visit ends */
} visited;

static bool visit_box(void *context, const wl_cell_box *box)
{
    visited *v = context;
    v->boxes[v->count++] = *box;
    return v->count < v->most;
}

/* Every cell of the interval is in one box, no other cell in any. */
static void boxes_are_the_cells_of_an_interval(void **state)
{
    (void)state;
    random_source r = random_start(5);
    int most = 0;
    for (uint64_t i = 0; i < effort_cases(60000); i++) {
        const wl_schedule s = any_schedule(&r, 9);
        int64_t extent[3];
        for (int d = 0; d < 3; d++)
            extent[d] = random_in(&r, 1, 9);
        const wl_order o = make(s, extent);
        const int64_t first = random_in(&r, 0, o.cells), last = random_in(&r, first, o.cells);
        const bool curve = s.kind == WL_SCHEDULE_HILBERT || s.kind == WL_SCHEDULE_MORTON;
        static wl_cell_box boxes[COUNT_OF(((visited *)0)->boxes)];
        static visited all, some;
        char text[160];
        show(&s, extent, text);
        all.count = some.count = 0;
        all.most = COUNT_OF(all.boxes);
        assert_true(wl_order_visit_boxes(&o, first, last, visit_box, &all));
        const int listed = wl_order_boxes(&o, first, last, boxes), count = all.count;
        assert_int_equal(listed, curve ? -1 : count);
        memcpy(boxes, all.boxes, (size_t)count * sizeof *boxes);
        some.most = (count + 1) / 2;
        assert_int_equal(wl_order_visit_boxes(&o, first, last, visit_box, &some), count == 0);
        assert_int_equal(some.count, some.most);
        most = !curve && count > most ? count : most;
        for (int64_t p = 0; p < o.cells; p++) {
            int64_t c[3];
            wl_order_cell(&o, p, c);
            if (boxes_with(boxes, count, c) != (p >= first && p < last))
                fail_msg("%s, positions %lld to %lld: position %lld is in %lld boxes", text, (long long)first,
                         (long long)last, (long long)p, (long long)boxes_with(boxes, count, c));
        }
    }
    print_message("at most %d boxes\n", most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_small_domains_are_bijections),
        cmocka_unit_test(tiles_of_any_size_are_bijections),
        cmocka_unit_test(orders_of_boxes_are_bijections),
        cmocka_unit_test(large_orders_have_exact_inverses),
        cmocka_unit_test(columns_are_those_of_the_paper),
        cmocka_unit_test(orders_are_what_their_names_say),
        cmocka_unit_test(hilbert_walks_from_neighbour_to_neighbour),
        cmocka_unit_test(morton_sorts_by_interleaved_bits),
        cmocka_unit_test(runs_are_the_walk),
        cmocka_unit_test(figures_are_the_walk),
        cmocka_unit_test(boxes_are_the_cells_of_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
