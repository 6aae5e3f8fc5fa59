/* test_device_compare.c - report/device_compare: what holds for any two devices.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <jansson.h>
#include <stdlib.h>

#include "warpline/warpline.h"

static json_t *compared(const wl_device *a, const wl_device *b)
{
    const wl_device *both[] = {a, b};
    char *text = NULL;
    wl_error err = {0};
    check_ok(wl_device_name(a), wl_device_compare_render(both, 2, true, WL_FORMAT_JSON, &text, &err), &err);
    json_t *root = text ? json_loads(text, 0, NULL) : NULL;
    assert_non_null(root);
    free(text);
    return root;
}

/* What JSON says of one number of the device at `place`. */
static void check_value(const wl_device *device, wl_device_key key, json_t *value)
{
    const char *name = wl_device_key_name(key);
    const size_t count = wl_device_list_length(device, key);
    check_int(name, "is there", json_is_object(value), count > 0);
    if (count == 0)
        return;
    json_t *numbers = json_object_get(value, "value");
    check_int(name, "values", (int64_t)json_array_size(numbers), (int64_t)count);
    for (size_t i = 0; i < count; i++)
        check_near(name, "value", json_number_value(json_array_get(numbers, i)), wl_device_list_value(device, key, i),
                   1e-14);
    check_text(name, "source", json_string_value(json_object_get(value, "source")), wl_device_source(device, key));
    check_true(name, "has a kind", json_string_length(json_object_get(value, "kind")) > 0);
}

static bool has_text(json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), text) == 0)
            return true;
    return false;
}

/* Every key stands among the values or the missing ones, and where one device alone has it, with
 * that device; ratios one way are the inverse of those the other way. */
static void check_pair(const wl_device *a, const wl_device *b)
{
    json_t *there = compared(a, b), *back = compared(b, a);
    json_t *keys = json_object_get(there, "keys"), *devices = json_object_get(there, "devices");
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        const char *name = wl_device_key_name(key);
        const bool has[2] = {wl_device_list_length(a, key) > 0, wl_device_list_length(b, key) > 0};
        json_t *row = json_object_get(json_object_get(keys, name), "devices");
        json_t *other = json_object_get(json_object_get(json_object_get(back, "keys"), name), "devices");
        check_int(name, "has a row", row != NULL, has[0] || has[1]);
        check_int(name, "is missing", has_text(json_object_get(there, "missing"), name), !has[0] && !has[1]);
        for (size_t d = 0; d < 2; d++)
            check_int(name, "is only here", has_text(json_object_get(json_array_get(devices, d), "only_here"), name),
                      has[d] && !has[1 - d]);
        if (!row)
            continue;
        check_value(a, key, json_array_get(row, 0));
        check_value(b, key, json_array_get(row, 1));
        json_t *ratio = json_object_get(json_array_get(row, 1), "ratio"),
               *inverse = json_object_get(json_array_get(other, 1), "ratio");
        if (ratio && inverse && json_number_value(ratio) > 0)
            check_near(name, "ratio", json_number_value(ratio) * json_number_value(inverse), 1, 1e-12);
    }
    json_decref(there);
    json_decref(back);
}

static void test_pairs(void **state)
{
    const size_t count = wl_device_builtin_count();
    (void)state;
    for (size_t i = 0; i < count; i++) {
        wl_device *a = NULL, *b = NULL;
        wl_error err = {0};
        check_ok("first", wl_device_builtin(wl_device_builtin_name(i), &a, &err), &err);
        check_ok("second", wl_device_builtin(wl_device_builtin_name((i * 7 + 3) % count), &b, &err), &err);
        assert_true(a && b);
        check_pair(a, b);
        wl_device_free(a);
        wl_device_free(b);
    }
    check_done();
}

/* However many devices: no line of text is wider than a terminal, and each has its column. */
static void test_widths(void **state)
{
    const wl_device *devices[64];
    const size_t count = wl_device_builtin_count();
    char *text = NULL;
    wl_error err = {0};
    (void)state;
    for (size_t i = 0; i < count; i++) {
        wl_device *d = NULL;
        check_ok("device", wl_device_builtin(wl_device_builtin_name(i), &d, &err), &err);
        devices[i] = d;
    }
    check_ok("all", wl_device_compare_render(devices, count, true, WL_FORMAT_TEXT, &text, &err), &err);
    assert_non_null(text);
    for (char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        /* a long word cannot be broken */
        const bool one_word = !strchr(line + strspn(line, " "), ' ');
        check_true(line, "fits 80 columns", end - line <= 80 || one_word || strstr(line, "gpu-benches@"));
    }
    free(text);
    text = NULL;
    const expected_error alone = {WL_E_INPUT, "a comparison needs two devices or more", 0, 0};
    check_error("one", wl_device_compare_render(devices, 1, false, WL_FORMAT_TEXT, &text, &err), &err, &alone);
    err = (wl_error){0};
    check_int("csv", "status", wl_device_compare_render(devices, 2, false, WL_FORMAT_CSV, &text, &err),
              WL_E_UNSUPPORTED);
    for (size_t i = 0; i < count; i++)
        wl_device_free((wl_device *)(uintptr_t)devices[i]);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_widths)};
    return cmocka_run_group_tests_name("device_compare", tests, NULL, NULL);
}
