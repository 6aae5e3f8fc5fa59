/* test_cluster.c - timeline/cluster.h: a few lives stand for many. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "timeline/cluster.h"

#define LIVES_MAX 200

typedef struct many {
    wl_life_interval intervals[LIVES_MAX];
    wl_life_profile list[LIVES_MAX];
    size_t count;
    double warps, issue; /* of all */
} many;

static void add(many *m, double warps, double instructions, double stall)
{
    m->intervals[m->count] = (wl_life_interval){.times = 1, .instructions = instructions, .stall = stall};
    m->list[m->count] = (wl_life_profile){.warps = warps, .list = &m->intervals[m->count], .count = 1};
    m->count++;
    m->warps += warps;
    m->issue += warps * instructions;
}

static void cluster(const char *name, many *m)
{
    wl_arena arena = {0};
    wl_error err = {0};
    check_ok(name, wl_life_cluster(m->list, &m->count, &arena, &err), &err);
    wl_arena_free(&arena);
    double warps = 0;
    for (size_t i = 0; i < m->count; i++)
        warps += m->list[i].warps;
    check_near(name, "warps", warps, m->warps, 1e-12);
}

static double instructions_of(const many *m, size_t i) { return m->list[i].list[0].instructions; }

static void few_stay_as_they_are(void **state)
{
    (void)state;
    many m = {.count = 0};
    for (int i = 0; i < WL_REPRESENTATIVES; i++)
        add(&m, i + 1, 10 * (i + 1), 100);
    cluster("few", &m);
    check_int("few", "lives", (int64_t)m.count, WL_REPRESENTATIVES);
    for (size_t i = 0; i < m.count; i++)
        check_true("few", "untouched",
                   m.list[i].warps == (double)i + 1 && instructions_of(&m, i) == 10 * ((double)i + 1));
    check_done();
}

/* Groups that lie apart, and one life that is longer than all. */
static void groups_are_found(void **state)
{
    (void)state;
    many m = {.count = 0};
    for (int i = 0; i < 60; i++)
        add(&m, 1 + i % 3, 1000 * (1 + i % 6) + i % 4, 500);
    add(&m, 7, 9000, 100000);
    cluster("groups", &m);
    check_int("groups", "lives", (int64_t)m.count, 8);
    double issue = 0;
    bool longest = false;
    for (size_t i = 0; i < m.count; i++) {
        issue += m.list[i].warps * instructions_of(&m, i);
        longest = longest || (m.list[i].warps == 7 && instructions_of(&m, i) == 9000);
    }
    check_true("groups", "the longest stays by itself", longest);
    check_near("groups", "instructions of all", issue, m.issue, 1e-3);
    check_done();
}

/* Power-law rows: a few long ones, very many short ones. */
static void a_distribution_keeps_its_shape(void **state)
{
    (void)state;
    many m = {.count = 0};
    double longest = 0;
    for (int i = 1; i <= 128; i++) {
        const double length = 20 + 4000.0 / i;
        add(&m, i * i, length, 10 * length);
        longest = fmax(longest, length);
    }
    cluster("rows", &m);
    double issue = 0, most = 0;
    for (size_t i = 0; i < m.count; i++) {
        issue += m.list[i].warps * instructions_of(&m, i);
        most = fmax(most, instructions_of(&m, i));
    }
    check_int("rows", "lives", (int64_t)m.count, WL_REPRESENTATIVES);
    check_near("rows", "the longest", most, longest, 0);
    check_near("rows", "instructions of all", issue, m.issue, 0.03);
    many again = {.count = 0};
    for (int i = 1; i <= 128; i++)
        add(&again, i * i, 20 + 4000.0 / i, 10 * (20 + 4000.0 / i));
    cluster("rows", &again);
    for (size_t i = 0; i < m.count; i++)
        check_true("rows", "the same again",
                   m.list[i].warps == again.list[i].warps && instructions_of(&m, i) == instructions_of(&again, i));
    check_done();
}

static void equal_ones_are_one(void **state)
{
    (void)state;
    many m = {.count = 0};
    for (int i = 0; i < 20; i++)
        add(&m, 2, 50, 60);
    cluster("equal", &m);
    check_int("equal", "lives", (int64_t)m.count, 2); /* the longest, which is like the others */
    m = (many){.count = 0};
    for (int i = 0; i < 20; i++)
        add(&m, 2, 0, 0);
    cluster("empty", &m);
    check_true("empty", "lives", m.count >= 1 && m.count <= 2);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_stay_as_they_are), cmocka_unit_test(groups_are_found),
                                       cmocka_unit_test(a_distribution_keeps_its_shape),
                                       cmocka_unit_test(equal_ones_are_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
