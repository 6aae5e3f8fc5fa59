/* test_contest.c - contests: where the fastest launch stands, and the ratios that follow. All
 * numbers by hand.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "compare/contest.h"

/* {measured, predicted} */
static const struct {
    const char *name;
    wl_pair times[8];
    size_t count;
    bool judged;
    double ratio, error;
} contests[] = {
    {"perfect", {{1, 2}, {2, 4}, {3, 6}, {4, 8}, {5, 10}, {6, 12}}, 6, true, 1, 0},
    {"best is third", {{3, 10}, {2, 11}, {1, 12}, {4, 20}, {5, 20}, {6, 20}}, 6, true, 1.2, NAN},
    {"reversed", {{6, 1}, {5, 2}, {4, 3}, {3, 4}, {2, 5}, {1, 6}}, 6, true, 6, NAN},
    /* the deviations of ln(predicted / measured) are ln 2 for all */
    {"a factor of two", {{1, 2}, {2, 4}, {3, 6}, {4, 2}, {5, 2.5}, {6, 3}}, 6, true, 1, 0.69314718055994531},
    {"measured equally fast", {{1, 5}, {1, 3}, {1, 4}, {2, 2}, {2, 2}, {2, 2}}, 6, true, 1.5, NAN},
    {"predicted equally fast", {{6, 7}, {5, 7}, {4, 7}, {3, 7}, {2, 7}, {1, 7}}, 6, true, 1, NAN},
    {"all the same", {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, 6, true, 1, 0},
    {"five are none", {{1, 2}, {2, 4}, {3, 6}, {4, 8}, {5, 10}}, 5, false, 0, 0},
    {"none", {{0, 0}}, 0, false, 0, 0},
    {"a measured 0", {{1, 2}, {2, 4}, {0, 6}, {4, 8}, {5, 10}, {6, 12}}, 6, false, 0, 0},
    {"a predicted 0", {{1, 2}, {2, 4}, {3, 0}, {4, 8}, {5, 10}, {6, 12}}, 6, false, 0, 0},
    {"not a number", {{1, 2}, {2, NAN}, {3, 6}, {4, 8}, {5, 10}, {6, 12}}, 6, false, 0, 0},
    {"no end", {{1, 2}, {2, INFINITY}, {3, 6}, {4, 8}, {5, 10}, {6, 12}}, 6, false, 0, 0},
};

static void test_judge(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(contests); i++) {
        wl_contest c = {0};
        const bool judged = wl_contest_judge(contests[i].times, contests[i].count, &c);
        check_int(contests[i].name, "judged", judged, contests[i].judged);
        if (!judged || !contests[i].judged)
            continue;
        check_near(contests[i].name, "ratio", c.ratio, contests[i].ratio, 1e-15);
        check_int(contests[i].name, "launches", (int64_t)c.launches, (int64_t)contests[i].count);
        if (!isnan(contests[i].error))
            check_true(contests[i].name, "error", fabs(c.error - contests[i].error) < 1e-12);
    }
    check_done();
}

/* The definition, in other words: inside when within the ratio, outside when within any smaller
 * one. */
static void test_ratio_is_the_border(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(contests); i++) {
        wl_contest c = {.family = "f"};
        if (!wl_contest_judge(contests[i].times, contests[i].count, &c) || c.ratio == 1)
            continue;
        double shortest = INFINITY;
        for (size_t k = 0; k < c.launches; k++)
            shortest = fmin(shortest, c.times[k].predicted);
        for (int below = 0; below < 2; below++) {
            const double ratio = below ? c.ratio - 1e-6 : c.ratio + 1e-12;
            bool inside = false;
            for (size_t k = 0; k < c.launches; k++)
                inside = inside || (c.times[k].measured == 1 && c.times[k].predicted <= ratio * shortest);
            check_int(contests[i].name, "the fastest is inside", inside, !below);
        }
    }
    check_done();
}

static wl_contest of(const char *family, double ratio, double error)
{
    return (wl_contest){.family = family, .ratio = ratio, .error = error};
}

static void check_ratio(const char *name, const wl_contest *list, size_t count, const char *without, double probability,
                        double want)
{
    double ratio = -1;
    const bool known = wl_contests_ratio(list, count, without, probability, &ratio);
    check_int(name, "known", known, want > 0);
    if (known && want > 0)
        check_near(name, "ratio", ratio, want, 0);
}

/* One contest each: the ceil((n + 1) p)-th smallest. */
static void test_one_contest_per_family(void **state)
{
    (void)state;
    wl_contest list[] = {of("d", 1.4, 0), of("a", 1.1, 0), of("c", 1.3, 0), of("b", 1.2, 0)};
    check_int("four", "families", (int64_t)wl_contests_prepare(list, 4), 4);
    check_ratio("20 %", list, 4, NULL, 0.2, 1.1);
    check_ratio("21 %", list, 4, NULL, 0.21, 1.2);
    check_ratio("40 %", list, 4, NULL, 0.4, 1.2);
    check_ratio("60 %", list, 4, NULL, 0.6, 1.3);
    check_ratio("80 %", list, 4, NULL, 0.8, 1.4);
    check_ratio("81 %", list, 4, NULL, 0.81, 0);
    check_ratio("100 %", list, 4, NULL, 1, 0);
    check_ratio("75 % without d", list, 4, "d", 0.75, 1.3);
    check_ratio("75 % without a", list, 4, "a", 0.75, 1.4);
    check_ratio("80 % without a", list, 4, "a", 0.8, 0);
    check_ratio("without nobody", list, 4, "e", 0.8, 1.4);
    double coverage = -1;
    /* left out with 75 %: the largest of the others; only d is outside */
    check_true("75 %", "has a coverage", wl_contests_coverage(list, 4, 0.75, &coverage));
    check_near("75 %", "coverage", coverage, 0.75, 1e-15);
    /* with 25 % the smallest of the others: only a is inside, of b 1.1, c 1.1, d 1.1 */
    check_true("25 %", "has a coverage", wl_contests_coverage(list, 4, 0.25, &coverage));
    check_near("25 %", "coverage", coverage, 0.25, 1e-15);
    check_true("80 %", "has no coverage", !wl_contests_coverage(list, 4, 0.8, &coverage));
    check_done();
}

/* Nine good contests of one family weigh as much as one bad contest of another. */
static void test_families_weigh_alike(void **state)
{
    (void)state;
    wl_contest list[10];
    for (int i = 0; i < 9; i++)
        list[i] = of("many", 1 + 0.01 * i, 0.1);
    list[9] = of("one", 2, 0.3);
    check_int("two", "families", (int64_t)wl_contests_prepare(list, 10), 2);
    for (int i = 0; i < 10; i++)
        check_near("weight", list[i].family, list[i].weight, list[i].ratio == 2 ? 1 : 1.0 / 9, 1e-15);
    check_ratio("a third", list, 10, NULL, 1.0 / 3, 1.08);       /* all of the nine: mass 1 of 3 */
    check_ratio("a third of it", list, 10, NULL, 1.0 / 9, 1.02); /* three of the nine */
    check_ratio("above", list, 10, NULL, 0.34, 2);
    check_ratio("two thirds", list, 10, NULL, 2.0 / 3, 2);
    check_ratio("beyond", list, 10, NULL, 0.67, 0);
    check_near("error", "mean", wl_contests_error(list, 10), 0.2, 1e-15);
    double coverage = -1;
    /* without "many": 2, all nine inside; without "one": 1.08 at most, outside */
    check_true("half", "has a coverage", wl_contests_coverage(list, 10, 0.5, &coverage));
    check_near("half", "coverage", coverage, 0.5, 1e-15);
    check_done();
}

static void test_few(void **state)
{
    (void)state;
    wl_contest one[] = {of("a", 1.5, 0.25)};
    double coverage;
    check_int("one", "families", (int64_t)wl_contests_prepare(one, 1), 1);
    check_ratio("one, 50 %", one, 1, NULL, 0.5, 1.5);
    check_ratio("one, 51 %", one, 1, NULL, 0.51, 0);
    check_ratio("one without itself", one, 1, "a", 0.1, 0);
    check_true("one", "has no coverage", !wl_contests_coverage(one, 1, 0.1, &coverage));
    check_near("one", "error", wl_contests_error(one, 1), 0.25, 0);
    check_int("none", "families", (int64_t)wl_contests_prepare(one, 0), 0);
    check_ratio("none", one, 0, NULL, 0.1, 0);
    check_true("none", "has no coverage", !wl_contests_coverage(one, 0, 0.1, &coverage));
    check_true("none", "has no error", wl_contests_error(one, 0) == 0 && wl_contests_within(one, 0, 2) == 0);
    wl_contest same[] = {of("a", 1.25, 0), of("b", 1.25, 0), of("c", 1.25, 0)};
    check_int("ties", "families", (int64_t)wl_contests_prepare(same, 3), 3);
    check_ratio("ties, 10 %", same, 3, NULL, 0.1, 1.25);
    check_ratio("ties, 75 %", same, 3, NULL, 0.75, 1.25);
    check_done();
}

static void test_within(void **state)
{
    (void)state;
    static const wl_pair a[] = {{1, 10}, {2, 11}, {3, 12}, {4, 13}, {5, 14}, {6, 15}};
    static const wl_pair b[] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 4}, {1, 4}, {1, 4}, {1, 4}};
    wl_contest list[3] = {{.family = "a"}, {.family = "b"}, {.family = "b"}};
    check_true("within", "judged", wl_contest_judge(a, 6, &list[0]) && wl_contest_judge(b, 8, &list[1]));
    list[2] = list[1];
    check_int("within", "families", (int64_t)wl_contests_prepare(list, 3), 2);
    check_near("within", "1", wl_contests_within(list, 3, 1), (1.0 / 6 + 0.5) / 2, 1e-15);
    check_near("within", "1.2", wl_contests_within(list, 3, 1.2), (0.5 + 0.5) / 2, 1e-15);
    check_near("within", "4", wl_contests_within(list, 3, 4), 1, 1e-15);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_ratio_is_the_border),
        cmocka_unit_test(test_one_contest_per_family),
        cmocka_unit_test(test_families_weigh_alike),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
