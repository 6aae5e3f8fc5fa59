/* test_json.c - what base/json_out.h makes of numbers that JSON does not have, and its texts
 * against jansson's own writer. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/json_out.h"

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
        wl_buffer text = {0};
        wl_error err = {0};
        wl_json_out out = {.text = &text, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
        wl_out_row(&out, NULL, "name:s count:d first:r inner:{flag:b second:n}", "x", (int64_t)3, cases[i].first, true,
                   cases[i].second);
        check_int(cases[i].name, "status", wl_out_status(&out, &err), cases[i].message ? WL_E_RANGE : WL_OK);
        check_text(cases[i].name, "message", err.message, cases[i].message ? cases[i].message : "");
        if (!cases[i].message)
            check_text(cases[i].name, "text", text.text,
                       "{\"name\":\"x\",\"count\":3,\"first\":1.0,\"inner\":{\"flag\":true,\"second\":2.5}}");
        wl_buffer_drop(&text);
    }
    check_done();
}

/* Those that may be absent are left out. */
static void test_left_out(void **state)
{
    (void)state;
    wl_buffer text = {0};
    wl_error err = {0};
    wl_json_out out = {.text = &text, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
    wl_out_row(&out, NULL, "a:n? b:n? c:s? d:s? e:d? f:d? g:r? h:i? i:w j:x? k:x?", (double)NAN, 7.0,
               (const char *)NULL, "x", (int64_t)-1, (int64_t)0, (double)INFINITY, 3, "y", (const int64_t *)NULL,
               (const int64_t[3]){1, 2, 3});
    assert_int_equal(wl_out_status(&out, &err), WL_OK);
    assert_string_equal(text.text, "{\"b\":7,\"d\":\"x\",\"f\":0,\"h\":3,\"i\":\"y\",\"k\":[1,2,3]}");
    wl_buffer_drop(&text);
}

/* An object may be closed by a later call. */
static void test_braces(void **state)
{
    (void)state;
    wl_buffer text = {0};
    wl_json_out out = {.text = &text, .form = WL_JSON_COMPACT, .digits = WL_JSON_DIGITS};
    wl_out_members(&out, "a:{b:d c:{", (int64_t)1);
    wl_out_text(&out, "d", "e");
    wl_out_members(&out, "} f:{} g:d}", (int64_t)2);
    assert_string_equal(text.text, "\"a\":{\"b\":1,\"c\":{\"d\":\"e\"},\"f\":{},\"g\":2}");
    wl_buffer_drop(&text);
}

/* A text of any characters that are UTF-8. */
static json_t *random_text(uint64_t *seed)
{
    static const char *const pieces[] = {"a",    "Z9_",  "\"", "\\",     "/",      "\n",         "\t", "\b\f\r", "\x01",
                                         "\x1f", "\x7f", " ",  "\u20ac", "\u00e9", "\U0001f600", "'",  "<&>",    "\v"};
    char text[200] = "";
    const int64_t count = check_random_in(seed, 0, 12);
    for (int64_t i = 0; i < count; i++)
        strcat(text, pieces[check_random_in(seed, 0, (int64_t)COUNT_OF(pieces) - 1)]);
    return json_string(text);
}

static json_t *random_tree(uint64_t *seed, int depth)
{
    const int64_t kind = check_random_in(seed, depth < 4 ? 0 : 2, 7);
    json_t *tree = kind == 0 ? json_object() : json_array();
    const int64_t count = kind < 2 ? check_random_in(seed, 0, 4) : 0;
    for (int64_t i = 0; i < count; i++) {
        json_t *key = random_text(seed), *value = random_tree(seed, depth + 1);
        if (kind == 0)
            (void)json_object_set_new(tree, json_string_value(key), value);
        else
            (void)json_array_append_new(tree, value);
        json_decref(key);
    }
    if (kind < 2)
        return tree;
    json_decref(tree);
    const int power = (int)check_random_in(seed, -60, 60);
    const int64_t whole = check_random_in(seed, -1000000, 1000000);
    return kind == 2   ? random_text(seed)
           : kind == 3 ? json_integer((json_int_t)(whole * ((int64_t)1 << check_random_in(seed, 0, 40))))
           : kind == 4 ? json_real(ldexp((double)whole, power))
           : kind == 5 ? json_real((double)whole / 1000)
           : kind == 6 ? json_boolean(whole > 0)
                       : json_null();
}

static void put_tree(wl_json_out *out, const char *key, json_t *tree)
{
    switch (json_typeof(tree)) {
    case JSON_OBJECT:
        wl_out_object(out, key);
        for (void *at = json_object_iter(tree); at; at = json_object_iter_next(tree, at))
            put_tree(out, json_object_iter_key(at), json_object_iter_value(at));
        wl_out_object_end(out);
        break;
    case JSON_ARRAY:
        wl_out_array(out, key);
        for (size_t i = 0; i < json_array_size(tree); i++)
            put_tree(out, NULL, json_array_get(tree, i));
        wl_out_array_end(out);
        break;
    case JSON_STRING: wl_out_text(out, key, json_string_value(tree)); break;
    case JSON_INTEGER: wl_out_whole(out, key, json_integer_value(tree)); break;
    case JSON_REAL: wl_out_real(out, key, json_real_value(tree)); break;
    case JSON_TRUE: wl_out_truth(out, key, true); break;
    case JSON_FALSE: wl_out_truth(out, key, false); break;
    case JSON_NULL: wl_out_null(out, key); break;
    }
}

/* Every form and number of digits, byte for byte. */
static void test_as_jansson(void **state)
{
    (void)state;
    static const size_t flags[] = {JSON_INDENT(1), 0, JSON_COMPACT};
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        const wl_json_form form = (wl_json_form)(i % 3);
        const int digits = (int)check_random_in(&seed, 1, 17);
        wl_buffer text = {0};
        wl_json_out out = {.text = &text, .form = form, .digits = digits};
        json_t *tree = random_tree(&seed, 0);
        char *want = json_dumps(tree, flags[form] | JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits));
        put_tree(&out, NULL, tree);
        assert_int_equal(wl_out_status(&out, NULL), WL_OK);
        check_text("random tree", "text", text.text, want);
        wl_buffer_drop(&text);
        json_decref(tree);
        free(want);
    }
    check_done();
}

/* Without a tree: bytes that are not UTF-8, and numbers that are none. */
static void test_streamed(void **state)
{
    (void)state;
    wl_buffer text = {0};
    wl_error err = {0};
    const int64_t block[3] = {32, 4, 2};
    wl_json_out out = {.text = &text, .form = WL_JSON_SPACED, .digits = WL_JSON_DIGITS};
    wl_out_object(&out, NULL);
    wl_out_text(&out, "k\xff", "a\xe2\x82z\xff");
    wl_out_members(&out, "block:x", block);
    wl_out_number(&out, "gone", (double)NAN);
    wl_out_number(&out, "whole", -3.0);
    wl_out_number(&out, "real", 2.5e-7);
    wl_out_real(&out, "always", 3);
    wl_out_object_end(&out);
    assert_string_equal(text.text, "{\"k?\": \"a??z?\", \"block\": [32, 4, 2], \"whole\": -3, \"real\": 2.5e-7, "
                                   "\"always\": 3.0}");
    assert_int_equal(wl_out_status(&out, &err), WL_OK);
    wl_out_members(&out, "ratio:r later:n", (double)INFINITY, (double)NAN);
    assert_int_equal(wl_out_status(&out, &err), WL_E_RANGE);
    assert_string_equal(err.message, "internal error: ratio is not a finite number");
    wl_buffer_drop(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_not_finite), cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_braces), cmocka_unit_test(test_as_jansson),
                                       cmocka_unit_test(test_streamed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
