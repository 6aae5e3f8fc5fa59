/* found_schedule.c - see found_schedule.h. SPDX-License-Identifier: MIT */
#include "kernel/found_schedule.h"

#include <string.h>

#include "base/fail.h"
#include "schedule/order.h"

#define PARTS_MAX 64          /* parts of addresses that may show the columns */
#define RANDOM_POSITIONS 1024 /* and the edges of: */
#define COLUMNS_CHECKED 32
#define EDGE_POSITIONS (COLUMNS_CHECKED * 16)
#define POSITIONS_MAX (RANDOM_POSITIONS + EDGE_POSITIONS)

#define ONLY_X (1u << WL_VAR_X)

typedef struct search {
    wl_arena *arena;
    int64_t cells; /* of the domain */
    const wl_expr *parts[PARTS_MAX];
    int part_count;
    wl_order order; /* being tried */
    int64_t position[POSITIONS_MAX], x[POSITIONS_MAX], y[POSITIONS_MAX];
    int position_count;
    wl_status status; /* of building expressions */
    wl_error *err;
} search;

static bool value_at(const wl_expr *e, int64_t position, int64_t *value)
{
    int64_t values[WL_VAR_COUNT] = {0};
    values[WL_VAR_X] = position;
    return wl_expr_value(e, values, 1, value, NULL) == WL_OK;
}

static bool is_sum(const wl_expr *e) { return e->op == WL_EXPR_ADD || e->op == WL_EXPR_SUB; }

/* ---- building ---- */

static const wl_expr *combine(search *s, wl_expr_op op, const wl_expr *a, const wl_expr *b)
{
    const wl_expr *out = NULL;
    if (!a || !b || s->status != WL_OK)
        return NULL;
    s->status = wl_expr_new_op(s->arena, op, a, b, a->loc, &out, s->err);
    return out;
}

static const wl_expr *constant(search *s, int64_t value, wl_loc loc)
{
    const wl_expr *e = wl_expr_new_const(s->arena, value, loc);
    if (!e && s->status == WL_OK)
        s->status = wl_fail_memory(s->err);
    return e;
}

static const wl_expr *times(search *s, int64_t factor, wl_var var, wl_loc loc)
{
    const wl_expr *e = wl_expr_new_var(s->arena, (unsigned)var, loc);
    if (!e && s->status == WL_OK)
        s->status = wl_fail_memory(s->err);
    return factor == 1 ? e : combine(s, WL_EXPR_MUL, constant(s, factor, loc), e);
}

static const wl_expr *plus(search *s, const wl_expr *a, const wl_expr *b)
{
    return a && b ? combine(s, WL_EXPR_ADD, a, b) : a ? a : b;
}

/* Is it clamped somewhere, as at the edge of an image? */
static bool is_clamped(const wl_expr *e)
{
    if (e->op == WL_EXPR_MUL && (e->a->op == WL_EXPR_CONST || e->b->op == WL_EXPR_CONST))
        return is_clamped(e->a->op == WL_EXPR_CONST ? e->b : e->a);
    return e->op == WL_EXPR_MIN || e->op == WL_EXPR_MAX || e->op == WL_EXPR_SELECT;
}

/* Splits a sum into addends that depend only on x, which together may be affine, and others; either
 * part may be NULL. */
static void split_sum(search *s, const wl_expr *e, bool minus, const wl_expr **own, const wl_expr **other)
{
    if (is_sum(e)) {
        split_sum(s, e->a, minus, own, other);
        split_sum(s, e->b, minus != (e->op == WL_EXPR_SUB), own, other);
        return;
    }
    const wl_expr **sum = wl_expr_vars(e) == ONLY_X && !is_clamped(e) ? own : other;
    *sum = plus(s, *sum, minus ? combine(s, WL_EXPR_MUL, constant(s, -1, e->loc), e) : e);
}

/* ---- parts that name x alone ---- */

static bool splits(const wl_expr *e)
{
    return e->op == WL_EXPR_DIV || e->op == WL_EXPR_MOD || e->op == WL_EXPR_SHIFT_RIGHT || e->op == WL_EXPR_BIT_AND;
}

static bool divides(const wl_expr *e)
{
    if (e->op == WL_EXPR_VAR || e->op == WL_EXPR_CONST)
        return false;
    return splits(e) || divides(e->a) || divides(e->b);
}

static void note_part(search *s, const wl_expr *e)
{
    if (s->part_count < PARTS_MAX)
        s->parts[s->part_count++] = e;
}

static void collect(search *s, const wl_expr *e)
{
    const uint32_t vars = wl_expr_vars(e);
    if (!(vars & ONLY_X) || s->status != WL_OK || e->op == WL_EXPR_VAR)
        return;
    const wl_expr *own = NULL, *other = NULL;
    if (is_sum(e))
        split_sum(s, e, false, &own, &other);
    if (own && other) {
        collect(s, own);
        collect(s, other);
        return;
    }
    if (vars == ONLY_X && divides(e))
        note_part(s, e);
    collect(s, e->a);
    collect(s, e->b);
}

/* ---- from values to a column ---- */

static bool goes_on(const wl_expr *e, int64_t at, int64_t stride, int64_t first, int64_t step)
{
    int64_t value;
    const wl_wide expected = (wl_wide)first + (wl_wide)at * step;
    return value_at(e, at * stride, &value) && value == expected;
}

/* How many of the positions 0, stride, 2 stride, .. have steadily growing values, from the first
 * on; `most`: all of them. Found by bisection, since growth is steady up to that point. 0: cannot
 * be evaluated. */
static int64_t steady(const wl_expr *e, int64_t most, int64_t stride)
{
    int64_t first, second, low = 1, high = 2;
    if (most < 2)
        return most;
    if (!value_at(e, 0, &first) || !value_at(e, stride, &second))
        return 0;
    while (high < most && goes_on(e, high, stride, first, second - first)) {
        low = high;
        high = wl_min(2 * high, most);
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (goes_on(e, middle, stride, first, second - first))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The order that a part of an address suggests. */
static bool suggest(search *s, const wl_expr *e)
{
    const int64_t width = steady(e, s->cells, 1), rows = width ? steady(e, s->cells / width, width) : 0;
    if (width < 2 || width == s->cells || rows < 1 || s->cells % rows != 0 || s->cells / rows < width)
        return false;
    const wl_schedule column = {WL_SCHEDULE_COLUMN, width, 0};
    return wl_order_make(&column, (const int64_t[3]){s->cells / rows, rows, 1}, &s->order, NULL) == WL_OK;
}

/* ---- where it is checked ---- */

static void add_position(search *s, int64_t x, int64_t y)
{
    const int64_t cell[3] = {x, y, 0};
    s->x[s->position_count] = x;
    s->y[s->position_count] = y;
    s->position[s->position_count++] = wl_order_position(&s->order, cell);
}

/* Four rows of up to COLUMNS_CHECKED columns, the last two among them, at four places each; and
 * the random ones. */
static void choose_positions(search *s)
{
    const wl_order *o = &s->order;
    const int64_t columns = wl_ceil_div(o->width, o->tile[0]), checked = wl_min(columns, COLUMNS_CHECKED);
    const int64_t rows[4] = {0, o->rows > 1, o->rows / 2, o->rows - 1};
    s->position_count = 0;
    for (int64_t i = 0; i < checked; i++) {
        const int64_t column = i + 2 >= checked ? columns - (checked - i) : i * columns / checked;
        const int64_t left = column * o->tile[0], wide = wl_min(o->tile[0], o->width - left);
        for (int r = 0; r < 4; r++) {
            add_position(s, left, rows[r]);
            add_position(s, left + (wide > 1), rows[r]);
            add_position(s, left + wide / 2, rows[r]);
            add_position(s, left + wide - 1, rows[r]);
        }
    }
    for (int64_t i = 0; i < RANDOM_POSITIONS; i++) {
        const int64_t x = wl_random_below(2 * i, o->width), y = wl_random_below(2 * i + 1, o->rows);
        add_position(s, x, y);
    }
}

/* ---- parts over the two axes ---- */

/* a x + b y + c, if the expression has these values at all positions; else NULL. */
static const wl_expr *fitted(search *s, const wl_expr *e)
{
    const wl_order *o = &s->order;
    int64_t c, right = 0, down = 0, value;
    if (!value_at(e, 0, &c) || !value_at(e, 1, &right) || (o->rows > 1 && !value_at(e, o->tile[0], &down)))
        return NULL;
    const int64_t a = right - c, b = o->rows > 1 ? down - c : 0;
    for (int i = 0; i < s->position_count; i++) {
        const wl_wide expected = (wl_wide)a * s->x[i] + (wl_wide)b * s->y[i] + c;
        if (!value_at(e, s->position[i], &value) || value != expected)
            return NULL;
    }
    const wl_expr *sum = a ? times(s, a, WL_VAR_X, e->loc) : NULL;
    sum = b ? plus(s, sum, times(s, b, WL_VAR_Y, e->loc)) : sum;
    return c || !sum ? plus(s, sum, constant(s, c, e->loc)) : sum;
}

/* The same expression in terms of the two axes; NULL: not possible. */
static const wl_expr *rewritten(search *s, const wl_expr *e)
{
    const uint32_t vars = wl_expr_vars(e);
    const wl_expr *own = NULL, *other = NULL;
    if (!(vars & ONLY_X) || s->status != WL_OK)
        return e;
    if (vars == ONLY_X && (own = fitted(s, e)))
        return own;
    if (is_sum(e))
        split_sum(s, e, false, &own, &other);
    if (own && other) {
        own = rewritten(s, own);
        other = rewritten(s, other);
        return own && other ? plus(s, own, other) : NULL;
    }
    if (e->op == WL_EXPR_VAR || splits(e)) /* no division may remain */
        return NULL;
    const wl_expr *a = rewritten(s, e->a), *b = rewritten(s, e->b);
    if (!a || !b)
        return NULL;
    const wl_expr *kept = wl_expr_new_like(s->arena, e, a, b);
    if (!kept && s->status == WL_OK)
        s->status = wl_fail_memory(s->err);
    return kept;
}

static bool rewrite_accesses(search *s, const wl_kernel *k, wl_access *accesses)
{
    memcpy(accesses, k->accesses, k->access_count * sizeof *accesses);
    for (size_t i = 0; i < k->access_count && s->status == WL_OK; i++) {
        accesses[i].index = rewritten(s, k->accesses[i].index);
        if (k->accesses[i].when)
            accesses[i].when = rewritten(s, k->accesses[i].when);
        if (!accesses[i].index || (k->accesses[i].when && !accesses[i].when))
            return false;
    }
    return s->status == WL_OK;
}

/* ---- the kernel ---- */

/* A domain of one dimension from 0 on, with every address a known function of cell and loops. */
static bool may_have_one(const wl_kernel *k)
{
    uint32_t vars = 0;
    if (k->dims != 1 || k->first[0] != 0 || k->threads[0] != 0)
        return false;
    for (size_t i = 0; i < k->access_count; i++) {
        if (k->accesses[i].traced || wl_expr_is_random(k->accesses[i].index))
            return false;
        vars |= wl_expr_vars(k->accesses[i].index);
        vars |= k->accesses[i].when ? wl_expr_vars(k->accesses[i].when) : 0;
    }
    return vars & ONLY_X && !wl_kernel_needs_its_block(k);
}

static bool try_parts(search *s, const wl_kernel *k, wl_access *accesses)
{
    for (int i = 0; i < s->part_count && s->status == WL_OK; i++) {
        if (!suggest(s, s->parts[i]))
            continue;
        choose_positions(s);
        if (rewrite_accesses(s, k, accesses))
            return true;
    }
    return false;
}

static bool find(search *s, const wl_kernel *k, wl_found_schedule *out)
{
    for (size_t i = 0; i < k->access_count; i++)
        collect(s, k->accesses[i].index);
    wl_access *accesses = WL_ARENA_NEW(s->arena, wl_access, k->access_count + 1);
    if (!accesses)
        s->status = wl_fail_memory(s->err);
    if (s->status != WL_OK || !try_parts(s, k, accesses))
        return false;
    *out = (wl_found_schedule){.schedule = {WL_SCHEDULE_COLUMN, s->order.tile[0], 0},
                               .extent = {s->order.width, s->order.rows},
                               .accesses = accesses,
                               .checked = s->position_count};
    return true;
}

wl_status wl_schedule_find(const wl_kernel *kernel, wl_arena *arena, wl_found_schedule *out, bool *found, wl_error *err)
{
    *found = false;
    if (!may_have_one(kernel))
        return WL_OK;
    search *s = WL_ARENA_NEW(arena, search, 1);
    if (!s)
        return wl_fail_memory(err);
    *s = (search){.arena = arena, .cells = kernel->domain[0], .err = err};
    *found = find(s, kernel, out);
    return s->status;
}
