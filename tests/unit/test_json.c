/* test_json.c - what base/json.h makes of numbers that JSON does not have. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"

/* A number that must be there is named; that is no lack of memory. */
static void test_not_finite(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double first, second;
        const char *message; /* NULL: none */
    } cases[] = {{"both finite", 1, 2.5, NULL},
                 {"infinite", INFINITY, 2, "internal error: first is not a finite number"},
                 {"not a number", 1, (double)NAN, "internal error: second is not a finite number"},
                 {"both wrong", -INFINITY, INFINITY, "internal error: first is not a finite number"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_json json = {0};
        wl_error err = {0};
        char *text = NULL;
        json_t *root =
            wl_json_pack(&json, "{s:s, s:I, s:f, s:{s:b, s:o}}", "name", "x", "count", (json_int_t)3, "first",
                         cases[i].first, "inner", "flag", 1, "second", wl_json_number(&json, cases[i].second));
        const wl_status status = wl_json_take(&json, root, WL_JSON_COMPACT, WL_JSON_DIGITS, &text, &err);
        check_int(cases[i].name, "status", status, cases[i].message ? WL_E_RANGE : WL_OK);
        check_text(cases[i].name, "message", err.message, cases[i].message ? cases[i].message : "");
        check_true(cases[i].name, "a text or none", (text == NULL) == (cases[i].message != NULL));
        free(text);
    }
    check_done();
}

/* One that may be absent is left out. */
static void test_left_out(void **state)
{
    (void)state;
    wl_json json = {0};
    wl_error err = {0};
    char *text = NULL;
    json_t *root = wl_json_object(&json);
    wl_json_set(&json, root, "a", wl_json_number(&json, (double)NAN));
    wl_json_set(&json, root, "b", wl_json_number(&json, 7));
    assert_int_equal(wl_json_take(&json, root, WL_JSON_COMPACT, WL_JSON_DIGITS, &text, &err), WL_OK);
    assert_string_equal(text, "{\"b\":7}");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_finite), cmocka_unit_test(test_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
