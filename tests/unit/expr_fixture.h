/* expr_fixture.h - a launch, names and random lanes for tests of expressions, and affine forms
 * against evaluation.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_EXPR_FIXTURE_H
#define WL_TESTS_UNIT_EXPR_FIXTURE_H

#include "unit/checks.h"

#include "input/expr_parse.h"
#include "kernel/program.h"

/* The launch of all tests: blocks of 32x4x2, a grid of 10x8x1, three loops of different length. */
static inline wl_ranges expr_ranges(void)
{
    static const int64_t block[3] = {32, 4, 2}, grid[3] = {10, 8, 1}, loops[3] = {16, 1, 5};
    wl_ranges r = {0};
    for (int d = 0; d < 3; d++) {
        r.hi[WL_VAR_X + d] = block[d] * grid[d] - 1;
        r.hi[WL_VAR_THREAD_X + d] = block[d] - 1;
        r.hi[WL_VAR_BLOCK_X + d] = grid[d] - 1;
        r.hi[WL_VAR_LOOP_0 + d] = loops[d] - 1;
        r.lo[WL_VAR_BLOCKDIM_X + d] = r.hi[WL_VAR_BLOCKDIM_X + d] = block[d];
        r.lo[WL_VAR_GRIDDIM_X + d] = r.hi[WL_VAR_GRIDDIM_X + d] = grid[d];
    }
    return r;
}

static inline wl_status expr_parse(const char *text, wl_arena *arena, const wl_expr **out, wl_error *err)
{
    static const wl_param params[] = {{.name = "n", .value = 640}, {.name = "zero", .value = 0}};
    static const char *const loops[] = {"i", "j", "k"};
    const wl_scope scope = {.params = params, .param_count = 2, .loops = loops, .loop_count = 3, .coordinates = true};
    wl_lexer lexer;
    wl_status status = wl_lexer_start(&lexer, text, false, err);
    if (status == WL_OK)
        status = wl_expr_read(&lexer, &scope, arena, out);
    if (status == WL_OK && lexer.token.kind != WL_TOKEN_END)
        status = wl_lexer_unexpected(&lexer, "the end");
    return status;
}

/* Lanes with random values inside the ranges; the first two are their ends. */
static inline void random_lanes(const wl_ranges *ranges, uint64_t *seed, wl_lane_values *values)
{
    values->lanes = WL_LANES_MAX;
    for (int v = 0; v < WL_VAR_COUNT; v++) {
        for (int i = 0; i < values->lanes; i++)
            values->at[v][i] = check_random_in(seed, ranges->lo[v], ranges->hi[v]);
        values->at[v][0] = ranges->lo[v];
        values->at[v][1] = ranges->hi[v];
    }
}

static inline int64_t form_value(const wl_form *form, const wl_lane_values *values, int lane)
{
    int64_t sum = form->c;
    for (int v = 0; v < WL_VAR_FORM_COUNT; v++)
        sum += form->k[v] * values->at[v][lane];
    return sum;
}

/* A form must give what evaluation gives, in every lane, and stay inside its bounds. */
static inline void check_form(const char *name, const wl_expr *e, const wl_ranges *ranges, uint64_t *seed)
{
    wl_lane_values values;
    wl_form form;
    wl_error err = {0};
    bool affine = false;
    int64_t got[WL_LANES_MAX], lo, hi;
    random_lanes(ranges, seed, &values);
    if (wl_expr_form(e, ranges, &affine, &form, &err) != WL_OK || !affine ||
        wl_expr_eval(e, &values, got, &err) != WL_OK)
        return;
    const bool bounded = wl_form_bounds(&form, ranges, &lo, &hi);
    for (int i = 0; i < values.lanes; i++) {
        check_int(name, "form against evaluation", form_value(&form, &values, i), got[i]);
        check_true(name, "value inside the form's bounds", !bounded || (got[i] >= lo && got[i] <= hi));
    }
}

#endif
