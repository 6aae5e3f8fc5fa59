/* test_compare.c - statistics computed by hand, maps, patterns. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "warpline/compare.h"

static void test_errors(void **state)
{
    static const struct {
        const char *name;
        wl_pair pair;
        bool known, exact;
        double error;
    } cases[] = {
        {"half too much", {2, 3}, true, false, 0.5},
        {"a quarter short", {4, 3}, true, false, -0.25},
        {"equal", {7, 7}, true, true, 0},
        {"both 0", {0, 0}, true, true, 0},
        {"measured 0", {0, 1}, false, false, 0},
        {"predicted 0", {5, 0}, true, false, -1},
        {"one off", {1e9, 1e9 + 1}, true, false, 1e-9},
        {"rounding of a unit", {0.3, 0.1 + 0.2}, true, true, 0},
        {"no number", {1e-308, 1e308}, false, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double e = 0;
        check_int(cases[i].name, "has an error", wl_pair_error(cases[i].pair, &e), cases[i].known);
        check_int(cases[i].name, "exact", wl_pair_exact(cases[i].pair), cases[i].exact);
        if (cases[i].known)
            check_near(cases[i].name, "error", e, cases[i].error, 1e-6);
    }
    check_done();
}

static void test_agreement(void **state)
{
    /* errors +0.5, -0.25, 0, +1, and one pair without */
    const wl_pair pairs[] = {{2, 3}, {4, 3}, {8, 8}, {1, 2}, {0, 5}};
    wl_agreement a;
    wl_error err = {0};
    (void)state;
    check_ok("all", wl_agreement_compute(pairs, COUNT_OF(pairs), &a, &err), &err);
    check_int("all", "count", (int64_t)a.count, 4);
    check_int("all", "left out", (int64_t)a.left_out, 1);
    check_int("all", "exact", (int64_t)a.exact, 1);
    check_near("all", "mean", a.mean, 1.75 / 4, 1e-15);
    check_near("all", "median", a.median, 0.375, 1e-15);
    check_near("all", "max", a.max, 1, 1e-15);
    check_near("all", "bias", a.bias, 1.25 / 4, 1e-15);
    check_ok("three", wl_agreement_compute(pairs, 3, &a, &err), &err);
    check_near("three", "median of an odd number", a.median, 0.25, 1e-15);
    check_ok("none", wl_agreement_compute(NULL, 0, &a, &err), &err);
    check_true("none", "all zero", a.count == 0 && a.mean == 0 && !a.tau_known);
    check_done();
}

/* tau-b = (concordant - discordant) / sqrt((all - tied in x)(all - tied in y)) */
static void test_tau(void **state)
{
    static const struct {
        const char *name;
        wl_pair pairs[6];
        size_t count;
        bool known;
        double tau;
    } cases[] = {
        {"same order", {{1, 10}, {2, 20}, {3, 30}}, 3, true, 1},
        {"reversed", {{1, 30}, {2, 20}, {3, 10}}, 3, true, -1},
        {"one exchange", {{1, 10}, {2, 30}, {3, 20}}, 3, true, 1.0 / 3},
        {"any order of rows", {{3, 20}, {1, 10}, {2, 30}}, 3, true, 1.0 / 3},
        /* C 2, D 0, (3-1)(3-0) */
        {"tie in x", {{1, 1}, {1, 2}, {2, 3}}, 3, true, 2 / 2.449489742783178},
        {"tie in y", {{1, 1}, {2, 1}, {3, 0}}, 3, true, -2 / 2.449489742783178},
        {"tie in both", {{1, 1}, {1, 1}, {2, 2}}, 3, true, 1}, /* C 2, (3-1)(3-1) */
        /* pairs 12 14 15 25 35 45 concordant, 23 34 discordant, 13 tied in x, 24 in y */
        {"mixed", {{1, 1}, {2, 3}, {1, 4}, {3, 3}, {4, 5}}, 5, true, 4.0 / 9},
        {"all the same prediction", {{1, 1}, {2, 1}, {3, 1}}, 3, false, 0},
        {"one", {{1, 1}}, 1, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_agreement a;
        wl_error err = {0};
        check_ok(cases[i].name, wl_agreement_compute(cases[i].pairs, cases[i].count, &a, &err), &err);
        check_int(cases[i].name, "known", a.tau_known, cases[i].known);
        check_near(cases[i].name, "tau", a.tau, cases[i].tau, 1e-12);
    }
    check_done();
}

static int sign(double a, double b) { return (a > b) - (a < b); }

/* The definition, pair by pair. */
static double naive_tau(const wl_pair *p, size_t n)
{
    double sum = 0, x = 0, y = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const int a = sign(p[i].measured, p[j].measured), b = sign(p[i].predicted, p[j].predicted);
            sum += a * b;
            x += a * a;
            y += b * b;
        }
    }
    return sum / sqrt(x * y);
}

static void test_tau_random(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (size_t n = 2; n < 60; n++) {
        wl_pair pairs[60];
        wl_agreement a;
        wl_error err = {0};
        for (size_t i = 0; i < n; i++) {
            pairs[i].measured = (double)check_random_in(&seed, 1, 12);
            pairs[i].predicted = (double)check_random_in(&seed, 1, 9);
        }
        check_ok("random", wl_agreement_compute(pairs, n, &a, &err), &err);
        const double want = naive_tau(pairs, n);
        check_int("random", "known", a.tau_known, !isnan(want));
        if (a.tau_known && fabs(a.tau - want) > 1e-12)
            check_near("random", "tau", a.tau, want, 1e-12);
    }
    check_done();
}

static void test_best_pick(void **state)
{
    static const struct {
        const char *name;
        wl_pair times[4];
        size_t count;
        bool known;
        double efficiency;
    } cases[] = {
        {"the best", {{2, 5}, {1, 4}, {3, 9}}, 3, true, 1},
        {"the second", {{2, 3}, {1, 4}, {3, 9}}, 3, true, 0.5},
        {"of a tie the slowest", {{1, 3}, {4, 3}, {3, 9}}, 3, true, 0.25},
        {"of a tie the slowest, other order", {{4, 3}, {1, 3}, {3, 9}}, 3, true, 0.25},
        {"one", {{5, 1}}, 1, true, 1},
        {"none", {{0, 0}}, 0, false, 0},
        {"a time of 0", {{0, 1}, {1, 2}}, 2, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double e = 0;
        check_int(cases[i].name, "known", wl_best_pick(cases[i].times, cases[i].count, &e), cases[i].known);
        if (cases[i].known)
            check_near(cases[i].name, "efficiency", e, cases[i].efficiency, 1e-15);
    }
    check_done();
}

static const wl_map_entry *find_in(const wl_map *map, const char *family, const char *variant)
{
    return wl_map_find(map, &(wl_measurement){.family = family, .variant = variant});
}

/* Does the only entry of a map, with this variant, match? */
static bool finds(const char *pattern, const char *variant)
{
    char text[128];
    wl_map *map = NULL;
    wl_error err = {0};
    const int length = snprintf(text, sizeof text, "- {variant: '%s', kernel: k.yaml}\n", pattern);
    check_ok(pattern, wl_map_parse("m.yaml", text, (size_t)length, &map, &err), &err);
    const bool found = map && find_in(map, "any", variant);
    wl_map_free(map);
    return found;
}

/* Patterns of a map: the whole of a variant must match. */
static void test_patterns(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool match;
    } cases[] = {
        {"abc", "abc", true},
        {"abc", "abcd", false},
        {"abcd", "abc", false},
        {"*", "", true},
        {"*", "x", true},
        {"", "", true},
        {"", "x", false},
        {"a*c", "abbc", true},
        {"a*c", "abbcd", false},
        {"*_b32", "fy2_b32", true},
        {"*_b32", "fy2_b64", false},
        {"?b", "ab", true},
        {"?b", "b", false},
        {"*a*b*", "xaxbx", true},
        {"*ab", "aab", true},
        {"a**", "a", true},
        {"fy[12]", "fy2", true},
        {"fy[12]", "fy3", false},
        {"a\\*", "a\\b", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_int(cases[i].pattern, cases[i].text, finds(cases[i].pattern, cases[i].text), cases[i].match);
    check_done();
}

static void test_fold(void **state)
{
    static const struct {
        const char *variant;
        int64_t fold[3];
    } cases[] = {
        {"r4_fy2_fz1_b64", {1, 2, 1}}, {"fx4_fy2_fz8", {4, 2, 8}}, {"fz3", {1, 1, 3}},  {"", {1, 1, 1}},
        {"fy_fz0", {1, 1, 1}},         {"fy2b", {1, 1, 1}},        {"afy2", {1, 1, 1}}, {"fw2_f2", {1, 1, 1}},
        {"fy99999999999", {1, 1, 1}},  {"__fx2__", {2, 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t fold[3] = {0, 0, 0};
        wl_variant_fold(cases[i].variant, fold);
        for (int d = 0; d < 3; d++)
            check_int(cases[i].variant, "fold", fold[d], cases[i].fold[d]);
    }
    check_done();
}

static void test_map(void **state)
{
    static const char text[] =
        "- {family: star7, variant: \"*_b32\", kernel: a.yaml, set: {n: 2*3, m: 1}, fold: [1, 2]}\n"
        "- {family: \"star?\", kernel: b.yaml}\n"
        "- variant: z\n  kernel: c.yaml\n";
    wl_map *map = NULL;
    wl_error err = {0};
    (void)state;
    check_ok("map", wl_map_parse("m.yaml", text, sizeof text - 1, &map, &err), &err);
    const wl_map_entry *e = find_in(map, "star7", "fy1_b32");
    assert_non_null(e);
    check_text("first", "kernel", e->kernel, "a.yaml");
    check_int("first", "sets", (int64_t)e->set_count, 2);
    check_text("first", "set", e->sets[0], "n=2*3");
    check_text("first", "second set", e->sets[1], "m=1");
    check_true("first", "fold", e->fold[0] == 1 && e->fold[1] == 2 && e->fold[2] == 1);
    e = find_in(map, "star7", "fy1_b64");
    assert_non_null(e);
    check_text("second", "kernel", e->kernel, "b.yaml");
    check_true("second", "no fold", e->fold[0] == 0 && e->set_count == 0);
    e = find_in(map, "box", "z");
    check_text("third", "kernel", e ? e->kernel : NULL, "c.yaml");
    check_true("none", "entry", find_in(map, "box", "y") == NULL);
    wl_map_free(map);
    check_done();
}

static const struct {
    const char *name, *text;
    expected_error want;
} map_errors[] = {
    {"not a list", "kernel: a\n", {WL_E_INPUT, "a map must be a list", 1, 1}},
    {"empty", "[]\n", {WL_E_INPUT, "no entries", 1, 1}},
    {"no kernel", "- {kernel: a}\n- {family: b}\n", {WL_E_INPUT, "lacks its 'kernel'", 2, 3}},
    {"unknown key", "- {kernal: a}\n", {WL_E_INPUT, "did you mean 'kernel'?", 1, 4}},
    {"a word", "- star\n", {WL_E_INPUT, "an entry of the map", 1, 3}},
    {"fold of 0", "- {kernel: a, fold: [1, 0]}\n", {WL_E_INPUT, "whole numbers from 1", 1, 25}},
    {"fold of 4", "- {kernel: a, fold: [1, 1, 1, 1]}\n", {WL_E_INPUT, "one to three", 1, 31}},
    {"set is a list", "- {kernel: a, set: [n]}\n", {WL_E_INPUT, "set must be a map", 1, 20}},
};

static void test_map_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(map_errors); i++) {
        wl_map *map = NULL;
        wl_error err = {0};
        const wl_status status = wl_map_parse("m.yaml", map_errors[i].text, strlen(map_errors[i].text), &map, &err);
        check_error(map_errors[i].name, status, &err, &map_errors[i].want);
        check_text(map_errors[i].name, "input", err.input, "m.yaml");
        check_true(map_errors[i].name, "no map", map == NULL);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_agreement), cmocka_unit_test(test_tau),
        cmocka_unit_test(test_tau_random), cmocka_unit_test(test_best_pick), cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_fold),       cmocka_unit_test(test_map),       cmocka_unit_test(test_map_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
