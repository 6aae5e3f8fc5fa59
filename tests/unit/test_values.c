/* test_values.c - search/values.h: lists of numbers and shapes from texts.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "search/values.h"

/* "1,2,4": what a list holds, for comparing. */
static void write_values(const wl_values *values, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < values->count && used + 24 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "", (long long)values->at[i]);
}

static const struct {
    const char *text, *want;
} lists[] = {
    {"1", "1"},
    {"65536", "65536"},
    {"007", "7"},
    {"16,32,64", "16,32,64"},
    {"64,16,32", "16,32,64"},
    {"4,4,4", "4"},
    {"1..5", "1,2,3,4,5"},
    {"7..7", "7"},
    {"1..10:3", "1,4,7,10"},
    {"1..9:3", "1,4,7"},
    {"32..128:32", "32,64,96,128"},
    {"32..128:1000", "32"},
    {"1..1024:x2", "1,2,4,8,16,32,64,128,256,512,1024"},
    {"3..100:x3", "3,9,27,81"},
    {"1..65536:x65536", "1,65536"},
    {"5..9:x2", "5"},
    {"1..4,3..6", "1,2,3,4,5,6"},
    {" 1 , 2 ,\t3 ", "1,2,3"},
    {"1..8:x2,3,100", "1,2,3,4,8,100"},
};

static void test_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        wl_arena arena = {0};
        wl_error err = {0};
        wl_values values = {0};
        char got[256];
        check_ok(lists[i].text, wl_values_parse(lists[i].text, &arena, &values, &err), &err);
        write_values(&values, got, sizeof got);
        check_text(lists[i].text, "values", got, lists[i].want);
        wl_arena_free(&arena);
    }
    check_done();
}

static void test_all(void **state)
{
    wl_arena arena = {0};
    wl_error err = {0};
    wl_values values = {0};
    (void)state;
    check_ok("1..65536", wl_values_parse("1..65536", &arena, &values, &err), &err);
    check_int("1..65536", "count", (int64_t)values.count, WL_VALUES_MAX);
    for (size_t i = 0; i < values.count; i++)
        check_int("1..65536", "value", values.at[i], (int64_t)i + 1);
    wl_arena_free(&arena);
    check_done();
}

static const struct {
    const char *text;
    expected_error want;
} malformed[] = {
    {"", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 1}},
    {"  ", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 3}},
    {"0", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 1}},
    {"-4", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 1}},
    {"+4", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 1}},
    {"65537", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 1}},
    {"99999999999999999999999", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 1}},
    {"1,,2", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 3}},
    {"1,2,", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 5}},
    {",1", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 1}},
    {"16, x", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 5}},
    {"1 2", {WL_E_INPUT, "a comma or the end", 1, 3}},
    {"1.5", {WL_E_INPUT, "a comma or the end", 1, 2}},
    {"1...4", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 4}},
    {"1..", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 4}},
    {"1..0", {WL_E_INPUT, "a whole number from 1 to 65536", 1, 4}},
    {"1 ..4", {WL_E_INPUT, "a comma or the end", 1, 3}},
    {"64..16", {WL_E_INPUT, "ends before it starts", 1, 5}},
    {"8,64..16", {WL_E_INPUT, "ends before it starts", 1, 7}},
    {"1..64:", {WL_E_INPUT, "a step is needed", 1, 7}},
    {"1..64:0", {WL_E_INPUT, "a step is needed", 1, 7}},
    {"1..64:-1", {WL_E_INPUT, "a step is needed", 1, 7}},
    {"1..64:x", {WL_E_INPUT, "a step is needed", 1, 8}},
    {"1..64:x1", {WL_E_INPUT, "a step is needed", 1, 8}},
    {"1..64:x0", {WL_E_INPUT, "a step is needed", 1, 8}},
    {"1..64:y2", {WL_E_INPUT, "a step is needed", 1, 7}},
    {"1..64:2x", {WL_E_INPUT, "a comma or the end", 1, 8}},
    {"5:2", {WL_E_INPUT, "a comma or the end", 1, 2}},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(malformed); i++) {
        wl_arena arena = {0};
        wl_error err = {0};
        wl_values values = {0};
        const wl_status status = wl_values_parse(malformed[i].text, &arena, &values, &err);
        check_error(malformed[i].text, status, &err, &malformed[i].want);
        check_int(malformed[i].text, "count", (int64_t)values.count, 0);
        wl_arena_free(&arena);
    }
    check_done();
}

static const struct {
    int64_t first, last, step;
    const char *want;
} ranges[] = {
    {1, 8, 0, "1,2,4,8"}, {1, 9, 0, "1,2,4,8"},      {3, 20, 0, "3,6,12"}, {5, 4, 0, ""},
    {5, 4, 1, ""},        {32, 100, 32, "32,64,96"}, {64, 64, 64, "64"},   {1, 1, 1, "1"},
};

static void test_ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        wl_arena arena = {0};
        wl_error err = {0};
        wl_values values = {0};
        char name[64], got[64];
        snprintf(name, sizeof name, "%lld..%lld:%lld", (long long)ranges[i].first, (long long)ranges[i].last,
                 (long long)ranges[i].step);
        check_ok(name, wl_values_range(ranges[i].first, ranges[i].last, ranges[i].step, &arena, &values, &err), &err);
        write_values(&values, got, sizeof got);
        check_text(name, "values", got, ranges[i].want);
        wl_arena_free(&arena);
    }
    check_done();
}

static const struct {
    const char *a, *b, *want;
} merges[] = {
    {"1", "1", "1"},      {"1,3", "2,4", "1,2,3,4"}, {"5..7", "1..6:x2", "1,2,4,5,6,7"},
    {NULL, "3,2", "2,3"}, {"9", NULL, "9"},          {NULL, NULL, ""},
};

static void test_merge(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(merges); i++) {
        wl_arena arena = {0};
        wl_error err = {0};
        wl_values a = {0}, b = {0};
        char got[64];
        if (merges[i].a)
            check_ok(merges[i].a, wl_values_parse(merges[i].a, &arena, &a, &err), &err);
        if (merges[i].b)
            check_ok(merges[i].b, wl_values_parse(merges[i].b, &arena, &b, &err), &err);
        /* the result may be an operand */
        check_ok(merges[i].want, wl_values_merge(&a, &b, &arena, &a, &err), &err);
        write_values(&a, got, sizeof got);
        check_text(merges[i].want, "merged", got, merges[i].want);
        wl_arena_free(&arena);
    }
    check_done();
}

/* contain() agrees with a look at every value. */
static void test_contain(void **state)
{
    wl_arena arena = {0};
    wl_error err = {0};
    wl_values values = {0};
    (void)state;
    check_ok("parse", wl_values_parse("2..40:3,64", &arena, &values, &err), &err);
    for (int64_t v = 0; v <= 70; v++) {
        bool there = false;
        for (size_t i = 0; i < values.count; i++)
            there = there || values.at[i] == v;
        check_int("2..40:3,64", "contains", wl_values_contain(&values, v), there);
    }
    wl_arena_free(&arena);
    check_done();
}

static const struct {
    const char *text;
    size_t length;
    int64_t extent[3];
} shapes[] = {
    {"32", 2, {32, 1, 1}},
    {"32x4", 4, {32, 4, 1}},
    {"1x2x3", 5, {1, 2, 3}},
    {"1x2x3x4", 5, {1, 2, 3}},
    {"1x2x1:40", 5, {1, 2, 1}},
    {"7,8", 1, {7, 1, 1}},
    {"", 0, {0}},
    {"x", 0, {0}},
    {"1x", 0, {0}},
    {"1x0", 0, {0}},
    {"1x2x", 0, {0}},
    {" 1", 0, {0}},
    {"65536x65536", 11, {65536, 65536, 1}},
    {"65537", 0, {0}},
    {"1X2", 1, {1, 1, 1}},
};

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        int64_t extent[3];
        const size_t length = wl_shape_parse(shapes[i].text, extent);
        check_int(shapes[i].text, "characters", (int64_t)length, (int64_t)shapes[i].length);
        for (int d = 0; d < 3 && length; d++)
            check_int(shapes[i].text, "extent", extent[d], shapes[i].extent[d]);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),  cmocka_unit_test(test_all),   cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_merge), cmocka_unit_test(test_contain),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
