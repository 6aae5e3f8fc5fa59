/* guard.c - see guard.h. SPDX-License-Identifier: MIT */
#include "footprint/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

/* ---- from a condition ---- */

typedef struct builder {
    const wl_geometry *geometry;
    const wl_ranges *ranges;
    wl_guard *guard;
} builder;

static int build(const builder *b, const wl_expr *e);

/* Returns the node's number; -1: no room, or an operand is missing. */
static int add_node(const builder *b, const wl_guard_node *node)
{
    wl_guard *g = b->guard;
    const bool joins = node->op == WL_GUARD_BOTH || node->op == WL_GUARD_ANY;
    if (g->count == WL_GUARD_NODES_MAX || ((joins || node->op == WL_GUARD_NOT) && node->a < 0) ||
        (joins && node->b < 0))
        return -1;
    wl_guard_node *n = &g->nodes[g->count];
    *n = *node;
    for (int a = 0; a < WL_AXIS_COUNT; a++)
        if (n->k[a] != 0)
            n->axis[n->axes++] = (uint8_t)a;
    return g->count++;
}

static int add_join(const builder *b, wl_guard_op op, int left, int right)
{
    return add_node(b, &(wl_guard_node){.op = op, .a = left, .b = right});
}

static int add_not(const builder *b, int a) { return add_node(b, &(wl_guard_node){.op = WL_GUARD_NOT, .a = a}); }

static int add_constant(const builder *b, bool holds)
{
    return add_node(b, &(wl_guard_node){.op = holds ? WL_GUARD_ALWAYS : WL_GUARD_NEVER});
}

/* c + k * cell >= 0 or == 0 along one dimension. */
static int add_cells(const builder *b, int d, int64_t k, int64_t c)
{
    wl_guard_node n = {.op = WL_GUARD_AT_LEAST, .c = c};
    n.k[WL_AXIS_CELL + d] = n.k[WL_AXIS_FOLD + d] = k;
    n.k[WL_AXIS_THREAD + d] = k * b->geometry->fold[d];
    n.k[WL_AXIS_BLOCK + d] = k * b->geometry->fold[d] * b->geometry->block[d];
    b->guard->placed = true;
    return add_node(b, &n);
}

/* The only variable of a form, if there is just one; else -1. */
static int lone_variable(const wl_form *f)
{
    int only = -1;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        if (f->k[v] != 0) {
            if (only >= 0)
                return -1;
            only = v;
        }
    return only;
}

/* A comparison of one block coordinate, as one of cells: dimensions need not be split for it. */
static int add_block_comparison(const builder *b, wl_guard_op op, const wl_form *f, int d)
{
    const int64_t k = f->k[WL_VAR_BLOCK_X + d], cells = b->geometry->block[d] * b->geometry->fold[d];
    if (op == WL_GUARD_AT_LEAST)
        return k > 0 ? add_cells(b, d, 1, -wl_ceil_div(-f->c, k) * cells)
                     : add_cells(b, d, -1, (wl_floor_div(f->c, -k) + 1) * cells - 1);
    if (f->c % k != 0)
        return add_constant(b, false);
    const int from = add_cells(b, d, 1, f->c / k * cells), to = add_cells(b, d, -1, (-f->c / k + 1) * cells - 1);
    return add_join(b, WL_GUARD_BOTH, from, to);
}

/* How many boxes describe where a comparison holds: the product of the ranges of its variables,
 * without the longest. */
static double rows_of(const builder *b, const wl_form *f)
{
    double all = 1, longest = 1;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++) {
        if (f->k[v] == 0)
            continue;
        const double steps = (double)(b->ranges->hi[v] - b->ranges->lo[v] + 1);
        all *= steps;
        longest = steps > longest ? steps : longest;
    }
    return all / longest;
}

/* The form is in range for all threads, also those of whole blocks at the domain's end. */
static bool form_fits(const builder *b, const wl_form *f)
{
    int64_t lo, hi, t;
    for (int d = 0; d < 3; d++)
        if (!wl_mul(f->k[WL_VAR_X + d], WL_MOST_CELLS_PER_BLOCK, &t) || !wl_add(t, f->k[WL_VAR_BLOCK_X + d], &t) ||
            !wl_add(t, f->k[WL_VAR_THREAD_X + d], &t))
            return false;
    return wl_form_bounds(f, b->ranges, &lo, &hi);
}

static int add_comparison(const builder *b, wl_guard_op op, wl_form f)
{
    wl_guard_node n = {.op = op, .c = f.c};
    wl_guard *guard = b->guard;
    if (!form_fits(b, &f))
        return -1;
    wl_join_thread_and_block(&f, b->geometry);
    const int only = lone_variable(&f);
    if (only >= WL_VAR_BLOCK_X && only < WL_VAR_BLOCK_X + 3)
        return add_block_comparison(b, op, &f, only - WL_VAR_BLOCK_X);
    guard->rows += rows_of(b, &f);
    for (int d = 0; d < 3; d++) {
        const int64_t cell = f.k[WL_VAR_X + d], thread = f.k[WL_VAR_THREAD_X + d], block = f.k[WL_VAR_BLOCK_X + d];
        guard->split[d] = guard->split[d] || thread != 0 || block != 0;
        n.k[WL_AXIS_CELL + d] = n.k[WL_AXIS_FOLD + d] = cell;
        n.k[WL_AXIS_THREAD + d] = thread + cell * b->geometry->fold[d];
        n.k[WL_AXIS_BLOCK + d] = block + cell * b->geometry->fold[d] * b->geometry->block[d];
        guard->placed = guard->placed || cell != 0 || block != 0;
    }
    for (int l = 0; l < WL_LOOPS_MAX; l++) {
        n.k[WL_AXIS_LOOP + l] = f.k[WL_VAR_LOOP_0 + l];
        guard->loops |= (uint32_t)(n.k[WL_AXIS_LOOP + l] != 0) << l;
    }
    return add_node(b, &n);
}

static bool is_condition(const wl_expr *e)
{
    return wl_op_compares(e->op) || e->op == WL_EXPR_BOTH || e->op == WL_EXPR_ANY;
}

/* a - b, or only a. */
static bool difference(const builder *b, const wl_expr *left, const wl_expr *right, wl_form *out)
{
    wl_form minus = {0};
    wl_error ignored = {0};
    bool affine = false;
    if (wl_expr_form(left, b->ranges, &affine, out, &ignored) != WL_OK || !affine)
        return false;
    if (right && (wl_expr_form(right, b->ranges, &affine, &minus, &ignored) != WL_OK || !affine))
        return false;
    bool ok = wl_add(out->c, -minus.c, &out->c);
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        ok = ok && wl_add(out->k[v], -minus.k[v], &out->k[v]);
    return ok;
}

/* (condition) == 0 and the like, as `!` makes them. -1: something else. */
static int build_of_condition(const builder *b, const wl_expr *e)
{
    const wl_expr *inner = is_condition(e->a) || e->a->op == WL_EXPR_SELECT ? e->a : e->b,
                  *constant = inner == e->a ? e->b : e->a;
    const bool chosen = inner->op == WL_EXPR_SELECT && constant->op == WL_EXPR_CONST && constant->value == 0;
    if ((!is_condition(inner) && !chosen) || constant->op != WL_EXPR_CONST ||
        (e->op != WL_EXPR_EQUAL && e->op != WL_EXPR_UNEQUAL))
        return -1;
    const bool same = (e->op == WL_EXPR_EQUAL) == (constant->value == 1);
    if (constant->value != 0 && constant->value != 1)
        return add_constant(b, e->op == WL_EXPR_UNEQUAL);
    const int node = build(b, inner);
    return same ? node : add_not(b, node);
}

static int build_comparison(const builder *b, const wl_expr *e)
{
    wl_form f;
    const bool equality = e->op == WL_EXPR_EQUAL || e->op == WL_EXPR_UNEQUAL;
    const int of_condition = build_of_condition(b, e);
    if (of_condition >= 0)
        return of_condition;
    if (!difference(b, equality ? e->a : e->b, equality ? e->b : e->a, &f))
        return -1;
    if (!equality) { /* a < b: b - a - 1 >= 0 */
        f.c -= e->op == WL_EXPR_LESS;
        return add_comparison(b, WL_GUARD_AT_LEAST, f);
    }
    const int zero = add_comparison(b, WL_GUARD_ZERO, f);
    return e->op == WL_EXPR_EQUAL ? zero : add_not(b, zero);
}

static int build(const builder *b, const wl_expr *e)
{
    wl_form f;
    wl_error ignored = {0};
    int truth = -1;
    if (wl_expr_truth(e, b->ranges, &truth, &ignored) != WL_OK)
        return -1;
    if (truth >= 0)
        return add_constant(b, truth == 1);
    if (wl_op_compares(e->op))
        return build_comparison(b, e);
    const bool both = e->op == WL_EXPR_BOTH || (e->op == WL_EXPR_BIT_AND && is_condition(e->a) && is_condition(e->b));
    const bool any = e->op == WL_EXPR_ANY || (e->op == WL_EXPR_BIT_OR && is_condition(e->a) && is_condition(e->b));
    if (both || any) {
        const int left = build(b, e->a), right = build(b, e->b);
        return add_join(b, both ? WL_GUARD_BOTH : WL_GUARD_ANY, left, right);
    }
    if (e->op == WL_EXPR_SELECT) {
        const int condition = build(b, e->a), then = build(b, e->b->a), otherwise = build(b, e->b->b);
        const int first = add_join(b, WL_GUARD_BOTH, condition, then),
                  second = add_join(b, WL_GUARD_BOTH, add_not(b, condition), otherwise);
        return add_join(b, WL_GUARD_ANY, first, second);
    }
    return difference(b, e, NULL, &f) ? add_not(b, add_comparison(b, WL_GUARD_ZERO, f)) : -1;
}

bool wl_guard_make(const wl_expr *condition, const wl_geometry *geometry, const wl_ranges *ranges, wl_guard *out)
{
    const builder b = {geometry, ranges, out};
    memset(out, 0, sizeof *out);
    return build(&b, condition) >= 0;
}

/* Adds k * form + c >= 0 where the ranges leave that open. */
static bool narrow_side(const builder *b, const wl_form *form, int64_t k, int64_t c)
{
    wl_form f = {0};
    int64_t lo, hi;
    bool ok = wl_mul(form->c, k, &f.c) && wl_add(f.c, c, &f.c);
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        ok = ok && wl_mul(form->k[v], k, &f.k[v]);
    if (!ok || !wl_form_bounds(&f, b->ranges, &lo, &hi))
        return false;
    if (lo >= 0)
        return true;
    const int before = b->guard->count - 1, node = add_comparison(b, WL_GUARD_AT_LEAST, f);
    return node >= 0 && (before < 0 || add_join(b, WL_GUARD_BOTH, before, node) >= 0);
}

bool wl_guard_narrow(wl_guard *guard, const wl_form *form, int64_t lo, int64_t hi, const wl_geometry *geometry,
                     const wl_ranges *ranges)
{
    const builder b = {geometry, ranges, guard};
    return narrow_side(&b, form, 1, -lo) && narrow_side(&b, form, -1, hi);
}

bool wl_guard_same(const wl_guard *a, const wl_guard *b)
{
    for (int i = 0; i < a->count && i < b->count; i++) {
        const wl_guard_node *n = &a->nodes[i], *m = &b->nodes[i];
        if (n->op != m->op || n->a != m->a || n->b != m->b || n->c != m->c || memcmp(n->k, m->k, sizeof n->k) != 0)
            return false;
    }
    return a->count == b->count;
}

const wl_guard *wl_guard_keep(const wl_kept_guard **list, const wl_guard *guard, wl_arena *arena)
{
    for (const wl_kept_guard *k = *list; k; k = k->next)
        if (wl_guard_same(&k->guard, guard))
            return &k->guard;
    wl_kept_guard *own = WL_ARENA_NEW(arena, wl_kept_guard, 1);
    if (!own)
        return NULL;
    *own = (wl_kept_guard){*guard, *list};
    *list = own;
    return &own->guard;
}

/* ---- over a box ---- */

void wl_guard_range(const wl_guard_node *n, const wl_axis_box *box, int64_t *lo, int64_t *hi)
{
    *lo = *hi = n->c;
    for (int i = 0; i < n->axes; i++) {
        const int a = n->axis[i];
        const int64_t k = n->k[a];
        *lo += k * (k > 0 ? box->lo[a] : box->hi[a] - 1);
        *hi += k * (k > 0 ? box->hi[a] - 1 : box->lo[a]);
    }
}

/* The only axis along which the form varies; -1: none, or several. */
static int lone_axis(const wl_guard_node *n, const wl_axis_box *box)
{
    int only = -1;
    for (int i = 0; i < n->axes; i++)
        if (box->hi[n->axis[i]] - box->lo[n->axis[i]] > 1) {
            if (only >= 0)
                return -1;
            only = n->axis[i];
        }
    return only;
}

static int comparison_truth(const wl_guard_node *n, const wl_axis_box *box)
{
    int64_t lo, hi;
    wl_guard_range(n, box, &lo, &hi);
    if (n->op == WL_GUARD_AT_LEAST)
        return lo >= 0 ? 1 : hi < 0 ? 0 : -1;
    if (lo > 0 || hi < 0)
        return 0;
    if (lo == hi)
        return 1;
    const int axis = lone_axis(n, box);
    return axis >= 0 && lo % n->k[axis] != 0 ? 0 : -1;
}

static bool varies_along(const wl_guard_node *n, const wl_axis_box *box, uint32_t axes)
{
    for (int i = 0; i < n->axes; i++)
        if (axes >> n->axis[i] & 1 && box->hi[n->axis[i]] - box->lo[n->axis[i]] > 1)
            return true;
    return false;
}

void wl_guard_truths(const wl_guard *g, const wl_axis_box *box, int8_t truth[WL_GUARD_NODES_MAX])
{
    for (int i = 0; i < g->count; i++) {
        const wl_guard_node *n = &g->nodes[i];
        switch (n->op) {
        case WL_GUARD_NEVER:
        case WL_GUARD_ALWAYS: truth[i] = n->op == WL_GUARD_ALWAYS; break;
        case WL_GUARD_NOT: truth[i] = truth[n->a] < 0 ? -1 : !truth[n->a]; break;
        case WL_GUARD_BOTH:
        case WL_GUARD_ANY: {
            const int8_t deciding = n->op == WL_GUARD_ANY, a = truth[n->a], b = truth[n->b];
            truth[i] = a == deciding || b == deciding ? deciding : a < 0 || b < 0 ? -1 : !deciding;
            break;
        }
        default: truth[i] = (int8_t)comparison_truth(n, box);
        }
    }
}

/* A comparison on which an undecided node depends and that varies along some axis; -1: none. */
static int find_undecided(const wl_guard *g, int at, const wl_axis_box *box, uint32_t axes, const int8_t *truth)
{
    const wl_guard_node *n = &g->nodes[at];
    if (truth[at] >= 0)
        return -1;
    if (n->op == WL_GUARD_AT_LEAST || n->op == WL_GUARD_ZERO)
        return varies_along(n, box, axes) ? at : -1;
    const int found = find_undecided(g, n->a, box, axes, truth);
    return found >= 0 || n->op == WL_GUARD_NOT ? found : find_undecided(g, n->b, box, axes, truth);
}

int wl_guard_undecided(const wl_guard *g, const wl_axis_box *box, uint32_t axes, const int8_t *truth)
{
    return find_undecided(g, g->count - 1, box, axes, truth);
}

int wl_guard_truth(const wl_guard *g, const wl_axis_box *box, uint32_t axes, int *undecided)
{
    int8_t truth[WL_GUARD_NODES_MAX];
    wl_guard_truths(g, box, truth);
    *undecided = wl_guard_undecided(g, box, axes, truth);
    return truth[g->count - 1];
}

/* Where the comparison changes along an axis, all others fixed or not varying. */
static int64_t exact_cut(const wl_guard_node *n, const wl_axis_box *box, int axis)
{
    int64_t lo, hi;
    const int64_t k = n->k[axis];
    wl_guard_range(n, box, &lo, &hi);
    const int64_t at_start = k > 0 ? lo : hi; /* the value at box->lo */
    if (n->op == WL_GUARD_AT_LEAST)
        return box->lo[axis] + (k > 0 ? wl_ceil_div(-at_start, k) : wl_floor_div(at_start, -k) + 1);
    const int64_t zero = box->lo[axis] - at_start / k; /* divides: else it would be decided */
    return zero > box->lo[axis] ? zero : zero + 1;
}

int64_t wl_guard_cut(const wl_guard_node *n, const wl_axis_box *box, const int64_t stride[WL_AXIS_COUNT], int *axis)
{
    int innermost = -1, longest = -1;
    *axis = lone_axis(n, box);
    if (*axis >= 0)
        return exact_cut(n, box, *axis);
    for (int a = 0; a < WL_AXIS_COUNT; a++) {
        if (n->k[a] == 0 || box->hi[a] - box->lo[a] <= 1)
            continue;
        if (innermost < 0 ||
            (stride[a] != 0 && (stride[innermost] == 0 || llabs(stride[a]) < llabs(stride[innermost]))))
            innermost = a;
    }
    for (int a = 0; a < WL_AXIS_COUNT; a++)
        if (a != innermost && n->k[a] != 0 && box->hi[a] - box->lo[a] > 1 &&
            (longest < 0 || box->hi[a] - box->lo[a] > box->hi[longest] - box->lo[longest]))
            longest = a;
    *axis = longest;
    return box->lo[longest] + (box->hi[longest] - box->lo[longest]) / 2;
}

bool wl_guard_holds(const wl_guard *g, const int64_t at[WL_AXIS_COUNT])
{
    bool holds[WL_GUARD_NODES_MAX];
    if (g->count == 0)
        return true;
    for (int i = 0; i < g->count; i++) {
        const wl_guard_node *n = &g->nodes[i];
        int64_t value = n->c;
        switch (n->op) {
        case WL_GUARD_NEVER:
        case WL_GUARD_ALWAYS: holds[i] = n->op == WL_GUARD_ALWAYS; break;
        case WL_GUARD_NOT: holds[i] = !holds[n->a]; break;
        case WL_GUARD_BOTH: holds[i] = holds[n->a] && holds[n->b]; break;
        case WL_GUARD_ANY: holds[i] = holds[n->a] || holds[n->b]; break;
        default:
            for (int t = 0; t < n->axes; t++)
                value += n->k[n->axis[t]] * at[n->axis[t]];
            holds[i] = n->op == WL_GUARD_AT_LEAST ? value >= 0 : value == 0;
        }
    }
    return holds[g->count - 1];
}
