/* grid_rule.c - grids and other launch numbers computed from expressions.
 * SPDX-License-Identifier: MIT */
#include "launch/grid_rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"
#include "device/device_internal.h"
#include "kernel/kernel_internal.h"

#define EXTENT_MOST ((int64_t)1 << 40)

struct wl_grid_rule {
    wl_arena arena;
    const char *text;
    const char **sets;
    size_t set_count;
    const wl_where *extents[3];
    int32_t column[3]; /* start of each in the text */
    int count;
};

/* ---- names ---- */

/* "nx=640": copies the name; the value may use names set before it. */
static wl_status read_set(const char *set, wl_where_named *named, size_t count, wl_arena *arena, wl_error *err)
{
    static const int64_t none[WL_WHERE_NAMES] = {0};
    const size_t length = strcspn(set, "=");
    const char *at = set + length + 1, *name = wl_arena_text(arena, set, length);
    const wl_where *value = NULL;
    if (!name)
        return wl_fail_memory(err);
    if (set[length] != '=' || !wl_text_is_name(name))
        return wl_fail(err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)(length ? length : 1)},
                       "a name and a number are needed, as in nx=640");
    WL_TRY(wl_where_parse_part(set, &at, named, count, arena, &value, err));
    for (int n = 0; n < WL_WHERE_NAMES; n++)
        if (*at || wl_where_uses(value, (wl_where_name)n))
            return wl_fail(err, WL_E_INPUT, (wl_loc){1, (int32_t)length + 2, 1}, "one number is needed here");
    named[count].name = name;
    return wl_where_value(value, none, &named[count].value, err);
}

wl_status wl_launch_names(const wl_kernel *kernel, const char *const *sets, size_t set_count, wl_arena *arena,
                          wl_where_named **out, size_t *count, wl_error *err)
{
    const size_t params = kernel ? kernel->param_count : 0;
    *count = 0;
    *out = WL_ARENA_NEW(arena, wl_where_named, params + set_count + 1);
    if (!*out)
        return wl_fail_memory(err);
    for (size_t i = 0; i < params; i++)
        if (!wl_where_knows(kernel->params[i].name))
            (*out)[(*count)++] = kernel->params[i];
    for (size_t i = 0; i < set_count; i++, ++*count) {
        const wl_status status = read_set(sets[i], *out, *count, arena, err);
        if (status != WL_OK) {
            if (err)
                (void)wl_fail_in(err, sets[i]);
            return status;
        }
    }
    return WL_OK;
}

/* ---- the grid ---- */

/* "20x128x256" is "20,128,256". */
static bool is_shape(const char *text)
{
    const size_t length = strlen(text);
    return strchr(text, 'x') && strspn(text, "0123456789x") == length && !strstr(text, "xx") && text[0] != 'x' &&
           text[length - 1] != 'x';
}

/* A grid may not depend on the grid itself, nor on registers. */
static wl_status check_names(const wl_where *extent, wl_loc loc, wl_error *err)
{
    static const wl_where_name refused[] = {WL_WHERE_GRID, WL_WHERE_GRID + 1, WL_WHERE_GRID + 2, WL_WHERE_REGISTERS};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (wl_where_uses(extent, refused[i]))
            return wl_fail(err, WL_E_INPUT, loc,
                           "a grid follows from block.x .. block.z, fold.x .., domain.x .. and names that are set");
    return WL_OK;
}

static wl_status read_extents(wl_grid_rule *rule, const wl_where_named *named, size_t count, wl_error *err)
{
    char *text = wl_arena_text(&rule->arena, rule->text, strlen(rule->text));
    if (!text)
        return wl_fail_memory(err);
    for (char *x = text; is_shape(rule->text) && (x = strchr(x, 'x'));)
        *x = ',';
    for (const char *at = text;; at++) {
        const wl_loc loc = {1, (int32_t)(at - text) + 1, 1};
        if (rule->count == 3)
            return wl_fail(err, WL_E_INPUT, loc, "a grid has at most three extents");
        WL_TRY(wl_where_parse_part(text, &at, named, count, &rule->arena, &rule->extents[rule->count], err));
        WL_TRY(check_names(rule->extents[rule->count], loc, err));
        rule->column[rule->count++] = loc.col;
        if (*at == '\0')
            return WL_OK;
    }
}

/* Keeps the texts from which a copy is made. */
static wl_status keep_texts(wl_grid_rule *rule, const char *text, const char *const *sets, size_t set_count,
                            wl_error *err)
{
    rule->text = wl_arena_text(&rule->arena, text, strlen(text));
    rule->sets = WL_ARENA_NEW(&rule->arena, const char *, set_count + 1);
    for (; rule->sets && rule->set_count < set_count; rule->set_count++) {
        const char *set = sets[rule->set_count];
        rule->sets[rule->set_count] = wl_arena_text(&rule->arena, set, strlen(set));
        if (!rule->sets[rule->set_count])
            return wl_fail_memory(err);
    }
    return rule->text && rule->sets ? WL_OK : wl_fail_memory(err);
}

wl_status wl_grid_rule_parse(const wl_kernel *kernel, const char *text, const char *const *sets, size_t set_count,
                             wl_grid_rule **out, wl_error *err)
{
    wl_where_named *named = NULL;
    size_t count = 0;
    wl_grid_rule *rule = calloc(1, sizeof *rule);
    if (!rule)
        return wl_fail_memory(err);
    wl_status status = keep_texts(rule, text, sets, set_count, err);
    if (status == WL_OK)
        status = wl_launch_names(kernel, sets, set_count, &rule->arena, &named, &count, err);
    if (status == WL_OK)
        status = read_extents(rule, named, count, err);
    if (status != WL_OK) {
        wl_grid_rule_free(rule);
        return status;
    }
    *out = rule;
    return WL_OK;
}

wl_status wl_grid_rule_copy(const wl_grid_rule *rule, const wl_kernel *kernel, wl_grid_rule **out, wl_error *err)
{
    return wl_grid_rule_parse(kernel, rule->text, rule->sets, rule->set_count, out, err);
}

void wl_grid_rule_free(wl_grid_rule *rule)
{
    if (!rule)
        return;
    wl_arena_free(&rule->arena);
    free(rule);
}

const char *wl_grid_rule_text(const wl_grid_rule *rule) { return rule->text; }

bool wl_grid_rule_follows(const wl_grid_rule *rule, int d)
{
    const wl_where_name names[] = {(wl_where_name)(WL_WHERE_BLOCK + d), (wl_where_name)(WL_WHERE_TILE + d),
                                   WL_WHERE_THREADS, WL_WHERE_WARPS};
    for (int i = 0; i < rule->count; i++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            if (wl_where_uses(rule->extents[i], names[n]))
                return true;
    return false;
}

int wl_grid_rule_dims(const wl_grid_rule *rule) { return rule->count; }

/* ---- values ---- */

/* Invalid extents count as 1: validating the launch reports them. Without a device there are no
 * warps. */
static void launch_values(const wl_launch *launch, const wl_device *device, const int64_t domain[3],
                          int64_t values[WL_WHERE_NAMES])
{
    memset(values, 0, WL_WHERE_NAMES * sizeof *values);
    values[WL_WHERE_THREADS] = values[WL_WHERE_CELLS] = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t block = wl_min(wl_max(launch->block[d], 1), 1 << 16),
                      fold = wl_min(wl_max(launch->fold[d], 1), 64);
        values[WL_WHERE_BLOCK + d] = block;
        values[WL_WHERE_FOLD + d] = fold;
        values[WL_WHERE_TILE + d] = block * fold;
        values[WL_WHERE_DOMAIN + d] = domain[d];
        values[WL_WHERE_THREADS] *= block;
        values[WL_WHERE_CELLS] *= fold;
    }
    if (device)
        values[WL_WHERE_WARPS] = wl_ceil_div(values[WL_WHERE_THREADS], wl_device_int(device, WL_DEVICE_warp_size));
}

static wl_status check_domain(const wl_where *expression, const int64_t domain[3], wl_loc loc, wl_error *err)
{
    for (int d = 0; d < 3; d++)
        if (domain[d] < 1 && wl_where_uses(expression, (wl_where_name)(WL_WHERE_DOMAIN + d)))
            return wl_fail(err, WL_E_INPUT, loc, "domain.%c is named here, but there is no domain", "xyz"[d]);
    return WL_OK;
}

wl_status wl_grid_rule_check_domain(const wl_grid_rule *rule, const int64_t domain[3], wl_error *err)
{
    for (int i = 0; i < rule->count; i++)
        WL_TRY(check_domain(rule->extents[i], domain, (wl_loc){1, rule->column[i], 1}, err));
    return WL_OK;
}

static wl_status check_device(const wl_grid_rule *rule, const wl_device *device, wl_error *err)
{
    for (int i = 0; i < rule->count && !device; i++)
        if (wl_where_uses(rule->extents[i], WL_WHERE_WARPS))
            return wl_fail(err, WL_E_INPUT, (wl_loc){1, rule->column[i], 1},
                           "warps are named here, but no device says how many threads they have");
    return WL_OK;
}

wl_status wl_grid_rule_apply(const wl_grid_rule *rule, const wl_device *device, const int64_t domain[3],
                             wl_launch *launch, wl_error *err)
{
    int64_t values[WL_WHERE_NAMES], grid[3] = {1, 1, 1};
    WL_TRY(wl_grid_rule_check_domain(rule, domain, err));
    WL_TRY(check_device(rule, device, err));
    launch_values(launch, device, domain, values);
    for (int i = 0; i < rule->count; i++) {
        const wl_loc loc = {1, rule->column[i], 1};
        WL_TRY(wl_where_value(rule->extents[i], values, &grid[i], err));
        if (grid[i] < 1 || grid[i] > EXTENT_MOST)
            return wl_fail(err, WL_E_INPUT, loc, "the grid's extent in %c would be %lld", "xyz"[i], (long long)grid[i]);
    }
    memcpy(launch->grid, grid, sizeof grid);
    return WL_OK;
}

static wl_status evaluate(const char *text, const wl_where_named *named, size_t count, const int64_t domain[3],
                          wl_arena *arena, int64_t *value, wl_error *err)
{
    const char *at = text;
    int64_t values[WL_WHERE_NAMES];
    const wl_where *expression = NULL;
    WL_TRY(wl_where_parse_part(text, &at, named, count, arena, &expression, err));
    if (*at)
        return wl_fail(err, WL_E_INPUT, (wl_loc){1, (int32_t)(at - text) + 1, 1}, "one number is needed here");
    for (int n = 0; n < WL_WHERE_NAMES; n++)
        if ((n < WL_WHERE_DOMAIN || n >= WL_WHERE_DOMAIN + 3) && wl_where_uses(expression, (wl_where_name)n))
            return wl_fail(err, WL_E_INPUT, (wl_loc){1, 1, 1}, "this number may not depend on the launch");
    WL_TRY(check_domain(expression, domain, (wl_loc){1, 1, 1}, err));
    launch_values(&(wl_launch){0}, NULL, domain, values);
    return wl_where_value(expression, values, value, err);
}

wl_status wl_number_evaluate(const char *text, const char *const *sets, size_t set_count, const int64_t domain[3],
                             int64_t *value, wl_error *err)
{
    wl_arena arena = {0};
    wl_where_named *named = NULL;
    size_t count = 0;
    wl_status status = wl_launch_names(NULL, sets, set_count, &arena, &named, &count, err);
    if (status == WL_OK)
        status = evaluate(text, named, set_count, domain, &arena, value, err);
    wl_arena_free(&arena);
    return status;
}

static wl_status number_of_launch(const wl_grid_rule *rule, const wl_launch *launch, const wl_device *device,
                                  const int64_t domain[3], int64_t *value, wl_error *err)
{
    int64_t values[WL_WHERE_NAMES];
    if (rule->count > 1)
        return wl_fail(err, WL_E_INPUT, (wl_loc){1, rule->column[1], 1}, "one number is needed here");
    WL_TRY(wl_grid_rule_check_domain(rule, domain, err));
    WL_TRY(check_device(rule, device, err));
    launch_values(launch, device, domain, values);
    WL_TRY(wl_where_value(rule->extents[0], values, value, err));
    return *value >= 0 ? WL_OK : wl_fail(err, WL_E_INPUT, (wl_loc){1, 1, 1}, "this would be %lld", (long long)*value);
}

wl_status wl_launch_number(const wl_launch *launch, const char *text, const char *const *sets, size_t set_count,
                           const wl_device *device, const int64_t domain[3], int64_t *value, wl_error *err)
{
    wl_grid_rule *rule = NULL;
    WL_TRY(wl_grid_rule_parse(NULL, text, sets, set_count, &rule, err));
    const wl_status status = number_of_launch(rule, launch, device, domain, value, err);
    wl_grid_rule_free(rule);
    return status;
}

/* ---- arguments as names ---- */

/* Does one of them have the name of this assignment? */
static bool assigns(const char *const *list, size_t count, const char *assignment)
{
    const size_t length = strcspn(assignment, "=") + 1;
    for (size_t i = 0; i < count; i++)
        if (strncmp(list[i], assignment, length) == 0)
            return true;
    return false;
}

/* Adds it to the names, if it has a value. WL_E_NOMEM. */
static wl_status add_argument(const char *argument, wl_where_named *named, size_t *known, wl_arena *arena)
{
    wl_error ignored = {0};
    const wl_status status = read_set(argument, named, *known, arena, &ignored);
    *known += status == WL_OK && !wl_where_knows(named[*known].name);
    return status == WL_E_NOMEM ? status : WL_OK;
}

/* An argument may use a later one: repeats until a pass over all finds no more. */
static wl_status add_arguments(const char *const *arguments, size_t count, const char *const *sets, size_t set_count,
                               wl_where_named *named, size_t known, wl_arena *arena, const char **names, size_t *found)
{
    for (size_t before = SIZE_MAX; *found != before;) {
        before = *found;
        for (size_t i = 0; i < count; i++) {
            const size_t last = known;
            if (assigns(sets, set_count, arguments[i]) || assigns(names, *found, arguments[i]))
                continue;
            WL_TRY(add_argument(arguments[i], named, &known, arena));
            if (known > last)
                names[(*found)++] = arguments[i];
        }
    }
    return WL_OK;
}

wl_status wl_launch_argument_names(const char *const *arguments, size_t count, const char *const *sets,
                                   size_t set_count, const char **names, size_t *found, wl_error *err)
{
    wl_arena arena = {0};
    wl_error ignored = {0}; /* wrong sets are reported where they are used */
    size_t known = 0;
    wl_where_named *given = NULL, *named = WL_ARENA_NEW(&arena, wl_where_named, set_count + count + 1);
    *found = 0;
    wl_status status = named ? wl_launch_names(NULL, sets, set_count, &arena, &given, &known, &ignored) : WL_E_NOMEM;
    if (status == WL_OK) {
        memcpy(named, given, known * sizeof *named);
        status = add_arguments(arguments, count, sets, set_count, named, known, &arena, names, found);
    }
    wl_arena_free(&arena);
    return status == WL_E_NOMEM ? wl_fail_memory(err) : WL_OK;
}
