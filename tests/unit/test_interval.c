/* test_interval.c - base/interval.h against brute force: every value of two small ranges, and ends
 * that are far.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "base/interval.h"

#define REACH 6

static int64_t floor_div(int64_t a, int64_t b) { return (int64_t)floor((double)a / (double)b); }

static int64_t value_add(int64_t a, int64_t b) { return a + b; }
static int64_t value_sub(int64_t a, int64_t b) { return a - b; }
static int64_t value_mul(int64_t a, int64_t b) { return a * b; }
static wl_interval scale_by_one_number(wl_interval a, wl_interval k) { return wl_interval_scale(a, k.lo); }
static int64_t value_div(int64_t a, int64_t b) { return floor_div(a, b); }
static int64_t value_mod(int64_t a, int64_t b) { return a - b * floor_div(a, b); }
static int64_t value_min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t value_max(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t value_and(int64_t a, int64_t b) { return a & b; }
static int64_t value_or(int64_t a, int64_t b) { return a | b; }
static int64_t value_xor(int64_t a, int64_t b) { return a ^ b; }
static int64_t value_shift_left(int64_t a, int64_t b) { return a * (int64_t)pow(2, (double)b); }
static int64_t value_shift_right(int64_t a, int64_t b) { return floor_div(a, (int64_t)pow(2, (double)b)); }
static int64_t value_less(int64_t a, int64_t b) { return a < b; }
static int64_t value_less_equal(int64_t a, int64_t b) { return a <= b; }
static int64_t value_equal(int64_t a, int64_t b) { return a == b; }

static const struct operation {
    const char *name;
    wl_interval (*interval)(wl_interval a, wl_interval b);
    int64_t (*value)(int64_t a, int64_t b);
    int64_t least; /* that the right side may be */
    bool tight;    /* both ends occur */
} operations[] = {
    {"add", wl_interval_add, value_add, -REACH, true},
    {"sub", wl_interval_sub, value_sub, -REACH, true},
    {"mul", wl_interval_mul, value_mul, -REACH, true},
    {"div", wl_interval_div, value_div, 1, true},
    {"mod", wl_interval_mod, value_mod, 1, false},
    {"min", wl_interval_min, value_min, -REACH, true},
    {"max", wl_interval_max, value_max, -REACH, true},
    {"and", wl_interval_and, value_and, -REACH, false},
    {"or", wl_interval_or, value_or, -REACH, false},
    {"xor", wl_interval_xor, value_xor, -REACH, false},
    {"shift left", wl_interval_shift_left, value_shift_left, 0, true},
    {"shift right", wl_interval_shift_right, value_shift_right, 0, true},
    {"less", wl_interval_less, value_less, -REACH, true},
    {"less or equal", wl_interval_less_equal, value_less_equal, -REACH, true},
    {"equal", wl_interval_equal, value_equal, -REACH, true},
};

static wl_interval brute_force(const struct operation *o, wl_interval a, wl_interval b)
{
    wl_interval out = {INT64_MAX, INT64_MIN};
    for (int64_t x = a.lo; x <= a.hi; x++)
        for (int64_t y = b.lo; y <= b.hi; y++)
            out = wl_interval_join(out, wl_interval_one(o->value(x, y)));
    return out;
}

static void check_pair(const struct operation *o, wl_interval a, wl_interval b)
{
    char name[96];
    const wl_interval got = o->interval(a, b), want = brute_force(o, a, b);
    const bool holds = got.lo <= want.lo && got.hi >= want.hi, same = got.lo == want.lo && got.hi == want.hi;
    if (holds && (same || !o->tight))
        return;
    snprintf(name, sizeof name, "%s of [%lld %lld] and [%lld %lld]", o->name, (long long)a.lo, (long long)a.hi,
             (long long)b.lo, (long long)b.hi);
    check_int(name, "low end", got.lo, want.lo);
    check_int(name, "high end", got.hi, want.hi);
}

static void test_small_ranges(void **state)
{
    static const struct operation scaling = {"scale", scale_by_one_number, value_mul, -REACH, true};
    (void)state;
    for (wl_interval a = {-REACH, 0}; a.lo <= REACH; a.lo++)
        for (a.hi = a.lo; a.hi <= REACH; a.hi++)
            for (int64_t k = -REACH; k <= REACH; k++)
                check_pair(&scaling, a, wl_interval_one(k));
    for (size_t i = 0; i < COUNT_OF(operations); i++)
        for (wl_interval a = {-REACH, 0}; a.lo <= REACH; a.lo++)
            for (a.hi = a.lo; a.hi <= REACH; a.hi++)
                for (wl_interval b = {operations[i].least, 0}; b.lo <= REACH; b.lo++)
                    for (b.hi = b.lo; b.hi <= REACH; b.hi++)
                        check_pair(&operations[i], a, b);
    check_done();
}

/* Ranges that need the sign, and a remainder that changes nothing, are told exactly. */
static void test_bits_and_remainders(void **state)
{
    (void)state;
    const wl_interval small = {3, 5}, mask = {8, 8};
    check_int("mod", "low end inside", wl_interval_mod(small, mask).lo, 3);
    check_int("mod", "high end inside", wl_interval_mod(small, mask).hi, 5);
    check_int("and", "high end", wl_interval_and((wl_interval){-100, 100}, small).hi, 5);
    check_int("and", "low end", wl_interval_and((wl_interval){-100, 100}, small).lo, 0);
    check_int("or", "low end", wl_interval_or(small, mask).lo, 8);
    check_int("or", "high end", wl_interval_or(small, mask).hi, 15);
    check_int("xor", "low end", wl_interval_xor((wl_interval){-9, 2}, small).lo, -16);
    check_done();
}

static void test_truths(void **state)
{
    (void)state;
    for (wl_interval a = {-REACH, 0}; a.lo <= REACH; a.lo++)
        for (a.hi = a.lo; a.hi <= REACH; a.hi++) {
            const wl_interval truth = wl_interval_truth(a);
            check_int("truth", "never", truth.lo, a.lo > 0 || a.hi < 0);
            check_int("truth", "always", truth.hi, a.lo != 0 || a.hi != 0);
        }
    check_done();
}

/* An end that is not known stays so, and nothing overflows on the way. */
static void test_far_ends(void **state)
{
    (void)state;
    const wl_interval far = {5, WL_FAR}, near = {2, 3}, unknown = WL_INTERVAL_UNKNOWN;
    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        const wl_interval of_far = operations[i].interval(far, near), of_all = operations[i].interval(unknown, unknown);
        check_true(operations[i].name, "ends in order", of_far.lo <= of_far.hi && of_all.lo <= of_all.hi);
        check_true(operations[i].name, "ends within reach", of_all.lo >= -WL_FAR && of_all.hi <= WL_FAR);
    }
    check_int("add", "far", wl_interval_add(far, near).hi, WL_FAR);
    check_int("add", "near", wl_interval_add(far, near).lo, 7);
    check_int("mul", "far", wl_interval_mul(far, near).hi, WL_FAR);
    check_int("div", "far", wl_interval_div(far, near).hi, WL_FAR);
    check_int("mod", "a remainder is known", wl_interval_mod(unknown, near).hi, 2);
    check_int("less", "may be", wl_interval_less(unknown, near).hi, 1);
    check_int("less", "may not be", wl_interval_less(unknown, near).lo, 0);
    check_true("div", "by what may be 0", !wl_interval_is_known(wl_interval_div(near, (wl_interval){0, 3})));
    check_true("shift", "by too much", !wl_interval_is_known(wl_interval_shift_left(near, (wl_interval){0, 63})));
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_ranges),
        cmocka_unit_test(test_bits_and_remainders),
        cmocka_unit_test(test_truths),
        cmocka_unit_test(test_far_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
