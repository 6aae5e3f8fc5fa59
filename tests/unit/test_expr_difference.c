/* test_expr_difference.c - kernel/expr_difference.h: how far two expressions are apart.
 * SPDX-License-Identifier: MIT */
#include "unit/expr_fixture.h"

#include <stdio.h>

#include "kernel/expr_difference.h"

static const struct {
    const char *a, *b;
    bool known;
    int64_t c, kx, ki; /* of x, i */
} rows[] = {
    {"x", "x", true, 0, 0, 0},
    {"x + 4*i + 3", "x + 20", true, 17, 0, -4},
    {"3*x", "5*x - 2", true, -2, 2, 0},
    {"x/3", "x/3 + 8", true, 8, 0, 0},
    {"2*(x/3) + i", "x/3 + 8 + x/3", true, 8, 0, -1},
    {"min(x, 3) - (x % 7) + 4*i", "40 + min(x, 3) - (x % 7)", true, 40, 0, -4},
    {"select(x > 3, x, x + 4) + 100*i", "select(x > 3, x, x + 4) + 300", true, 300, 0, -100},
    {"x*x + 1", "x*x", true, -1, 0, 0},
    /* not in both, or not as often */
    {"x/3", "x/4", false, 0, 0, 0},
    {"x/3", "2*(x/3)", false, 0, 0, 0},
    {"x/3", "x", false, 0, 0, 0},
    {"x/(3 + i)", "x/3", false, 0, 0, 0},
    {"select(x > 3, x, x + 4)", "select(x > 3, x, x + 5)", false, 0, 0, 0},
    /* beyond what is told apart */
    {"x/2 + x/3 + x/4 + x/5 + x/6 + x/7 + x/8 + x/9 + x/10", "x/2 + x/3 + x/4 + x/5 + x/6 + x/7 + x/8 + x/9 + x/10",
     false, 0, 0, 0},
};

static void differences(void **state)
{
    (void)state;
    wl_arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        wl_form form = {0};
        wl_error err = {0};
        char name[256];
        const wl_expr *a = NULL, *b = NULL;
        check_ok(rows[i].a, expr_parse(rows[i].a, &arena, &a, &err), &err);
        check_ok(rows[i].b, expr_parse(rows[i].b, &arena, &b, &err), &err);
        snprintf(name, sizeof name, "%s and %s", rows[i].a, rows[i].b);
        const bool known = wl_expr_difference(a, b, &form);
        check_true(name, "known as expected", known == rows[i].known);
        if (!known || !rows[i].known)
            continue;
        check_near(name, "constant", (double)form.c, (double)rows[i].c, 0);
        check_near(name, "of x", (double)form.k[WL_VAR_X], (double)rows[i].kx, 0);
        check_near(name, "of i", (double)form.k[WL_VAR_LOOP_0], (double)rows[i].ki, 0);
    }
    wl_arena_free(&arena);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
