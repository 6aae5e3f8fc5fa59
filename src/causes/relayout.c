/* relayout.c - see relayout.h. SPDX-License-Identifier: MIT */
#include "causes/relayout.h"

#include "base/ckd.h"
#include "base/fail.h"

bool wl_index_form(const wl_inquiry *q, size_t access, wl_form *out)
{
    const wl_access *a = &q->kernel->accesses[access];
    wl_error ignored = {0};
    bool affine = false;
    return !a->traced && wl_expr_form(a->index, &q->ranges, &affine, out, &ignored) == WL_OK && affine;
}

int64_t wl_lane_stride(const wl_inquiry *q, const wl_form *f)
{
    const wl_geometry *g = &q->geometry;
    int d = 0;
    while (d < 2 && g->block[d] == 1)
        d++;
    return f->k[WL_VAR_X + d] * g->fold[d] + f->k[WL_VAR_THREAD_X + d];
}

wl_status wl_form_expr(wl_arena *arena, const wl_form *f, wl_loc loc, const wl_expr **out, wl_error *err)
{
    const wl_expr *sum = wl_expr_new_const(arena, f->c, loc);
    for (unsigned v = 0; v < WL_VAR_FORM_COUNT; v++) {
        if (f->k[v] == 0)
            continue;
        const wl_expr *factor = wl_expr_new_const(arena, f->k[v], loc), *var = wl_expr_new_var(arena, v, loc);
        const wl_expr *term = NULL;
        if (!sum || !factor || !var)
            return wl_fail_memory(err);
        WL_TRY(wl_expr_new_op(arena, WL_EXPR_MUL, factor, var, loc, &term, err));
        WL_TRY(wl_expr_new_op(arena, WL_EXPR_ADD, sum, term, loc, &sum, err));
    }
    *out = sum;
    return sum ? WL_OK : wl_fail_memory(err);
}

/* ---- rows ---- */

/* An index as row * quotient + rest. */
typedef struct split {
    wl_form quotient, rest;
} split;

/* `first` is the index at which a row begins. */
static split split_form(const wl_form *f, int64_t row, int64_t first)
{
    split s = {0};
    s.quotient.c = wl_floor_div(f->c - first, row);
    s.rest.c = wl_floor_mod(f->c - first, row);
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++) {
        if (f->k[v] % row == 0)
            s.quotient.k[v] = f->k[v] / row;
        else
            s.rest.k[v] = f->k[v];
    }
    return s;
}

/* Are all rests within the row? Widens the range of the quotients. */
static bool fits(const wl_inquiry *q, const split *s, int64_t row, int64_t *lo, int64_t *hi)
{
    int64_t rest_lo, rest_hi, from, to;
    if (!wl_form_bounds(&s->rest, &q->ranges, &rest_lo, &rest_hi) || rest_lo < 0 || rest_hi >= row ||
        !wl_form_bounds(&s->quotient, &q->ranges, &from, &to))
        return false;
    *lo = wl_min(*lo, from);
    *hi = wl_max(*hi, to);
    return true;
}

/* factor[0] * quotient + factor[1] * rest + c; false beyond +-2^60. */
static bool join(const split *s, int64_t by_quotient, int64_t by_rest, int64_t c, wl_form *out)
{
    int64_t a, b, sum;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        if (!wl_mul(s->quotient.k[v], by_quotient, &a) || !wl_mul(s->rest.k[v], by_rest, &b) ||
            !wl_add(a, b, &out->k[v]))
            return false;
    return wl_mul(s->quotient.c, by_quotient, &a) && wl_mul(s->rest.c, by_rest, &b) && wl_add(a, b, &sum) &&
           wl_add(sum, c, &out->c);
}

/* ---- the accesses of a field ---- */

typedef struct rows {
    int64_t first;  /* index at which a row begins */
    int64_t lo, hi; /* quotients */
} rows;

/* Are all accesses affine, of one unit, and within rows that begin at `first`? */
static bool have_rows(const wl_inquiry *q, const wl_relayout *how, rows *r)
{
    int32_t unit = 0;
    r->lo = INT64_MAX;
    r->hi = INT64_MIN;
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        const wl_access *access = &q->kernel->accesses[a];
        wl_form form;
        if (access->field != how->field)
            continue;
        if ((unit && access->unit_bytes != unit) || !wl_index_form(q, a, &form))
            return false;
        unit = access->unit_bytes;
        const split s = split_form(&form, how->row, r->first);
        if (!fits(q, &s, how->row, &r->lo, &r->hi))
            return false;
    }
    return unit > 0;
}

/* The least rest of any index after whole rows are subtracted. */
static int64_t least_rest(const wl_inquiry *q, const wl_relayout *how)
{
    int64_t least = INT64_MAX;
    for (size_t a = 0; a < q->kernel->access_count; a++) {
        wl_form form;
        int64_t lo, hi;
        if (q->kernel->accesses[a].field != how->field || !wl_index_form(q, a, &form))
            continue;
        split s = split_form(&form, how->row, 0);
        s.rest.c = form.c;
        if (wl_form_bounds(&s.rest, &q->ranges, &lo, &hi))
            least = wl_min(least, lo);
    }
    return least == INT64_MAX ? 0 : least;
}

static bool join_relaid(const wl_relayout *how, const rows *r, const split *s, wl_form *out)
{
    /* so that columns stay aligned */
    const int64_t from = wl_floor_div(r->lo, how->aligned) * how->aligned;
    const int64_t column = wl_round_up(r->hi + 1 - from, how->aligned);
    return how->pad ? join(s, how->row + how->pad, 1, r->first, out) : join(s, 1, column, -from, out);
}

wl_status wl_relay_out(wl_inquiry *q, const wl_relayout *how, wl_kernel *variant, int64_t *row_count, bool *done,
                       wl_error *err)
{
    rows r = {.first = 0};
    *done = have_rows(q, how, &r);
    if (!*done) {
        r.first = least_rest(q, how);
        *done = have_rows(q, how, &r);
    }
    for (size_t a = 0; a < variant->access_count && *done; a++) {
        wl_access *access = &variant->accesses[a];
        wl_form form, relaid;
        if (access->field != how->field)
            continue;
        *done = wl_index_form(q, a, &form);
        if (!*done)
            break;
        const split s = split_form(&form, how->row, r.first);
        *done = join_relaid(how, &r, &s, &relaid);
        if (*done)
            WL_TRY(wl_form_expr(&q->scratch, &relaid, access->loc, &access->index, err));
    }
    /* no bounds: padding may extend columns to a multiple of `aligned` */
    variant->fields[how->field].bytes = 0;
    *row_count = *done ? r.hi - r.lo + 1 : 0;
    return WL_OK;
}
