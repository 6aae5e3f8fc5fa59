/* isl_oracle.h - the same counts from Presburger sets: threads in a box, granule = floor(address /
 * granule size).
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_ISL_ORACLE_H
#define WL_TESTS_ISL_ORACLE_H

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>

#include "property/trial.h"

#define ISL_TEXT_MAX 8192
/* what one count may cost: projecting many coordinates away can explode */
#define ISL_OPERATIONS 3000000

typedef struct isl_text {
    char text[ISL_TEXT_MAX];
    size_t length;
} isl_text;

static void isl_put(isl_text *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void isl_put(isl_text *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(s->text + s->length, sizeof s->text - s->length, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && s->length + (size_t)n < sizeof s->text);
    s->length += (size_t)n;
}

/* An expression without coordinates is printed as its value. */
static bool isl_constant(const wl_expr *e) { return (wl_expr_vars(e) & ((1u << WL_VAR_FORM_COUNT) - 1)) == 0; }

static void isl_variable(const trial *t, wl_var v, isl_text *out)
{
    static const char axes[] = "xyz";
    const wl_launch *l = &t->input.launch;
    if (v <= WL_VAR_Z)
        isl_put(out, "(%lld b%c + %lld t%c + f%c)", (long long)(l->block[v] * l->fold[v]), axes[v],
                (long long)l->fold[v], axes[v], axes[v]);
    else if (v <= WL_VAR_THREAD_Z)
        isl_put(out, "t%c", axes[v - WL_VAR_THREAD_X]);
    else if (v <= WL_VAR_BLOCK_Z)
        isl_put(out, "b%c", axes[v - WL_VAR_BLOCK_X]);
    else
        isl_put(out, "l%d", (int)(v - WL_VAR_LOOP_0));
}

/* False where isl has no words for it: a product or quotient of coordinates, bits. */
static bool isl_expression(const trial *t, const wl_expr *e, isl_text *out)
{
    int64_t fixed[WL_VAR_COUNT] = {0};
    for (int d = 0; d < 3; d++) {
        fixed[WL_VAR_BLOCKDIM_X + d] = t->input.launch.block[d];
        fixed[WL_VAR_GRIDDIM_X + d] = t->grid[d];
    }
    if (isl_constant(e)) {
        isl_put(out, "(%lld)", (long long)evaluate(e, fixed));
        return true;
    }
    if (e->op == WL_EXPR_VAR) {
        isl_variable(t, e->var, out);
        return true;
    }
    if (e->op > WL_EXPR_MAX)
        return false;
    const bool divides = e->op == WL_EXPR_DIV || e->op == WL_EXPR_MOD;
    if (divides && (!isl_constant(e->b) || evaluate(e->b, fixed) < 1))
        return false;
    if (e->op == WL_EXPR_MUL && !isl_constant(e->a) && !isl_constant(e->b))
        return false;
    /* isl wants the number first */
    const bool swap = e->op == WL_EXPR_MUL && isl_constant(e->b);
    static const char *const before[] = {[WL_EXPR_DIV] = "floor(", [WL_EXPR_MIN] = "min(", [WL_EXPR_MAX] = "max("};
    static const char *const between[] = {
        [WL_EXPR_ADD] = " + ",   [WL_EXPR_SUB] = " - ", [WL_EXPR_MUL] = " * ", [WL_EXPR_DIV] = "/",
        [WL_EXPR_MOD] = " mod ", [WL_EXPR_MIN] = ", ",  [WL_EXPR_MAX] = ", "};
    const bool call = e->op == WL_EXPR_DIV || e->op == WL_EXPR_MIN || e->op == WL_EXPR_MAX;
    isl_put(out, "(%s", call ? before[e->op] : "");
    if (e->op == WL_EXPR_MUL)
        isl_put(out, "%lld", (long long)evaluate(swap ? e->b : e->a, fixed));
    else if (!isl_expression(t, e->a, out))
        return false;
    isl_put(out, "%s", between[e->op]);
    if (divides)
        isl_put(out, "%lld", (long long)evaluate(e->b, fixed));
    else if (!isl_expression(t, swap ? e->a : e->b, out))
        return false;
    isl_put(out, "%s)", call ? ")" : "");
    return true;
}

static void isl_threads(const trial *t, blocks b, isl_text *out)
{
    const wl_launch *l = &t->input.launch;
    isl_put(out, "%lld <= bx + %lld by + %lld bz < %lld", (long long)b.first, (long long)t->grid[0],
            (long long)(t->grid[0] * t->grid[1]), (long long)b.last);
    for (int d = 0; d < 3; d++) {
        const char axis = "xyz"[d];
        isl_put(out, " and 0 <= b%c < %lld and 0 <= t%c < %lld and 0 <= f%c < %lld", axis, (long long)t->grid[d], axis,
                (long long)l->block[d], axis, (long long)l->fold[d]);
        if (t->input.dims) {
            isl_put(out, " and %lld <= ", (long long)t->input.first[d]);
            isl_variable(t, (wl_var)(WL_VAR_X + d), out);
            isl_put(out, " < %lld", (long long)t->input.domain[d]);
        }
    }
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        isl_put(out, " and 0 <= l%d < %lld", i, (long long)(i < t->kernel->loop_count ? t->kernel->loop_extent[i] : 1));
}

static bool isl_access_text(const trial *t, const wl_access *access, blocks b, int64_t granule, isl_text *out)
{
    out->length = 0;
    isl_put(out, "{ [bx,by,bz,tx,ty,tz,fx,fy,fz,l0,l1,l2] -> [floor((%lld + %d * ",
            (long long)t->kernel->fields[access->field].base_bytes, access->width_bytes);
    if (access->when || access->unit_bytes != access->width_bytes || !isl_expression(t, access->index, out))
        return false;
    isl_put(out, ")/%lld)] : ", (long long)granule);
    isl_threads(t, b, out);
    isl_put(out, " }");
    return true;
}

/* Granules a group touches; -1 when isl cannot say or would take too long. An access never
 * straddles a granule: its address is a multiple of its width. */
static int64_t count_isl(isl_ctx *ctx, const trial *t, const group *g, blocks b, int64_t granule, isl_text *text)
{
    isl_ctx_reset_operations(ctx);
    isl_ctx_set_max_operations(ctx, ISL_OPERATIONS);
    isl_set *touched = isl_set_read_from_str(ctx, "{ [g] : false }");
    for (size_t a = 0; a < g->count; a++) {
        if (!isl_access_text(t, g->members[a]->access, b, granule, text)) {
            isl_set_free(touched);
            return -1;
        }
        isl_map *map = isl_map_read_from_str(ctx, text->text);
        if (!map && isl_ctx_last_error(ctx) != isl_error_quota)
            fail_msg("isl cannot read %s", text->text);
        touched = isl_set_union(touched, isl_map_range(map));
    }
    /* no isl_set_coalesce: that of isl 0.25 adds points to some unions of sets with divisions */
    isl_val *value = touched ? isl_set_count_val(touched) : NULL;
    /* past the quota isl may still hand out a number, a wrong one */
    const bool sound = isl_ctx_last_error(ctx) == isl_error_none && value && isl_val_is_int(value) == isl_bool_true;
    const int64_t count = sound ? (int64_t)isl_val_get_num_si(value) : -1;
    isl_val_free(value);
    isl_set_free(touched);
    isl_ctx_reset_error(ctx);
    return count;
}

#endif /* WL_TESTS_ISL_ORACLE_H */
