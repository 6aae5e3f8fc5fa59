/* test_grid_rule.c - grids and numbers from expressions. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "launch/grid_rule.h"
#include "warpline/device.h"

static wl_device *device; /* of 32 threads a warp */
static const char *const sets[] = {"nx=640", "ny=nx/2+1", "nz=7"};
#define SET_COUNT (sizeof sets / sizeof sets[0])
static const int64_t domain[3] = {1000, 100, 10}, nowhere[3] = {0};

static const struct {
    const char *text;
    int64_t grid[3];
} rules[] = {
    {"20x128x256", {20, 128, 256}},
    {"20", {20, 1, 1}},
    {"20,3", {20, 3, 1}},
    {"cdiv(nx,block.x),cdiv(ny,block.y*2),nz", {20, 81, 7}}, /* 640 / 32, 321 / 4 rounded up */
    {"cdiv(domain.x, tile.x), cdiv(domain.y, tile.y), cdiv(domain.z, tile.z)", {32, 50, 4}},
    {"max(nx/threads, 1), warps, min(fold.z, 2)", {10, 2, 2}},
    {"cdiv(0-nx, -32)", {20, 1, 1}},
    {"(nx + block.x - 1) / block.x", {20, 1, 1}},
    {"nx > 100", {1, 1, 1}},
};

static void test_grids(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        wl_error err = {0};
        wl_grid_rule *rule = NULL, *copy = NULL;
        wl_launch launch = {.block = {32, 2, 1}, .fold = {1, 1, 3}};
        check_ok(rules[i].text, wl_grid_rule_parse(NULL, rules[i].text, sets, SET_COUNT, &rule, &err), &err);
        if (!rule)
            continue;
        check_text(rules[i].text, "text", wl_grid_rule_text(rule), rules[i].text);
        check_ok(rules[i].text, wl_grid_rule_copy(rule, NULL, &copy, &err), &err);
        wl_grid_rule_free(rule); /* the copy stands alone */
        if (copy)
            check_ok(rules[i].text, wl_grid_rule_apply(copy, device, domain, &launch, &err), &err);
        for (int d = 0; d < 3; d++)
            check_int(rules[i].text, "extent", launch.grid[d], rules[i].grid[d]);
        wl_grid_rule_free(copy);
    }
    check_done();
}

/* The warps of a rule are those of the device. */
static void test_warps(void **state)
{
    static const struct {
        const char *device;
        int64_t threads, warps;
    } cases[] = {{"h200", 96, 3}, {"h200", 97, 4}, {"mi210", 96, 2}, {"mi210", 128, 2}, {"mi300x", 129, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wl_error err = {0};
        wl_grid_rule *rule = NULL;
        wl_device *d = NULL;
        wl_launch launch = {.block = {cases[i].threads, 1, 1}};
        check_ok(cases[i].device, wl_device_builtin(cases[i].device, &d, &err), &err);
        check_ok(cases[i].device, wl_grid_rule_parse(NULL, "warps", NULL, 0, &rule, &err), &err);
        check_ok(cases[i].device, wl_grid_rule_apply(rule, d, nowhere, &launch, &err), &err);
        check_int(cases[i].device, "warps", launch.grid[0], cases[i].warps);
        wl_grid_rule_free(rule);
        wl_device_free(d);
    }
    check_done();
}

static const struct {
    const char *text;
    int32_t column;
    const char *message;
} malformed[] = {
    {"", 1, "expected a whole number, a name or '(', but the expression ends here"},
    {"cdiv(nx,block.w)", 9, "an expression knows no 'block.w'; did you mean 'block.x'?"},
    {"cdiv(nx)", 8, "expected ',' and a second argument, not ')'"},
    {"1,2,3,4", 7, "a grid has at most three extents"},
    {"1,,3", 3, "expected a whole number, a name or '(', not ','"},
    {"grid.x", 1, "a grid follows from block.x .. block.z, fold.x .., domain.x .. and names that are set"},
    {"1 2", 3, "expected an operator, a comma or the end, not '2'"},
    {"20xx3", 1, "not a number"},
    {"20x3x", 1, "not a number"},
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        wl_error err = {0};
        wl_grid_rule *rule = NULL;
        const wl_status status = wl_grid_rule_parse(NULL, malformed[i].text, sets, SET_COUNT, &rule, &err);
        check_int(malformed[i].text, "status", status, WL_E_INPUT);
        check_int(malformed[i].text, "column", err.loc.col, malformed[i].column);
        check_text(malformed[i].text, "message", err.message, malformed[i].message);
        check_text(malformed[i].text, "input", err.input, "");
        wl_grid_rule_free(rule);
    }
    check_done();
}

static void test_impossible(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"nx, 0", "the grid's extent in y would be 0"},
        {"nx / (block.y - 2)", "division by zero"},
        {"cdiv(nx, block.y - 2)", "division by zero"},
        {"1, domain.y", "domain.y is named here, but there is no domain"},
        {"1, 2 * warps", "warps are named here, but no device says how many threads they have"},
        {"1152921504606846975 * nx", "the expression leaves the range +-2^60"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wl_error err = {0};
        wl_grid_rule *rule = NULL;
        wl_launch launch = {.block = {32, 2, 1}};
        check_ok(cases[i].text, wl_grid_rule_parse(NULL, cases[i].text, sets, SET_COUNT, &rule, &err), &err);
        check_true(cases[i].text, "fails", rule && wl_grid_rule_apply(rule, NULL, nowhere, &launch, &err) != WL_OK);
        check_text(cases[i].text, "message", err.message, cases[i].message);
        check_int(cases[i].text, "grid", launch.grid[0], 0);
        wl_grid_rule_free(rule);
    }
    check_done();
}

static void test_sets(void **state)
{
    static const char *const wrong[] = {"nx", "9=4", "=4", "nx=", "nx=4,5", "nx=block.x", "nx=1/0", "nx=other"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        wl_error err = {0};
        wl_grid_rule *rule = NULL;
        check_true(wrong[i], "fails", wl_grid_rule_parse(NULL, "1", &wrong[i], 1, &rule, &err) == WL_E_INPUT);
        check_text(wrong[i], "input", err.input, wrong[i]);
        wl_grid_rule_free(rule);
    }
    check_done();
}

static void test_numbers(void **state)
{
    (void)state;
    wl_error err = {0};
    int64_t value = 0;
    check_ok("nx*ny*8", wl_number_evaluate("nx*ny*8", sets, SET_COUNT, nowhere, &value, &err), &err);
    check_int("nx*ny*8", "value", value, 640 * 321 * 8);
    check_ok("domain.x", wl_number_evaluate("domain.x+1", sets, SET_COUNT, domain, &value, &err), &err);
    check_int("domain.x", "value", value, 1001);
    check_int("block.x", "status", wl_number_evaluate("block.x", sets, SET_COUNT, domain, &value, &err), WL_E_INPUT);
    err = (wl_error){0};
    check_int("1,2", "status", wl_number_evaluate("1,2", sets, SET_COUNT, domain, &value, &err), WL_E_INPUT);
    check_int("1,2", "column", err.loc.col, 2);
    check_done();
}

/* Arguments by name that are numbers, also where one follows from another behind it. */
static void test_argument_names(void **state)
{
    static const char *const arguments[] = {"out=buf:m*4", "m=2*k+nx", "a=0.5",  "4096",   "nx=7",
                                            "k=100",       "warps=3",  "2=4096", "k=5:u8", "far=domain.x"};
    static const char *const expected[] = {"k=100", "m=2*k+nx"};
    const char *names[sizeof arguments / sizeof arguments[0]];
    wl_error err = {0};
    size_t count = 0;
    (void)state;
    check_ok("names",
             wl_launch_argument_names(arguments, sizeof arguments / sizeof arguments[0], sets, SET_COUNT, names, &count,
                                      &err),
             &err);
    check_int("names", "count", (int64_t)count, 2);
    for (size_t i = 0; i < count && i < 2; i++)
        check_text("names", "name", names[i], expected[i]);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grids),         cmocka_unit_test(test_malformed),
                                       cmocka_unit_test(test_impossible),    cmocka_unit_test(test_sets),
                                       cmocka_unit_test(test_numbers),       cmocka_unit_test(test_warps),
                                       cmocka_unit_test(test_argument_names)};
    wl_error err = {0};
    if (wl_device_builtin("h200", &device, &err) != WL_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wl_device_free(device);
    return failed;
}
