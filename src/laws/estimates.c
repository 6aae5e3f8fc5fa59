/* estimates.c - see estimates.h. SPDX-License-Identifier: MIT */
#include "laws/estimates.h"

#include <string.h>

#include "base/arena.h"
#include "base/embedded.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/yaml.h"

#define MOST 1e6      /* a larger number has another unit */
#define COSTS "sm_90" /* the file of the compiler that was studied */

/* The last section of its file: parsing all of that would take longer than a prediction. */
static const char section[] = "\nestimates:\n";

static const struct {
    const char *name, *unit;
    size_t place;
} estimates[] = {
    {"start_instructions", "instructions", offsetof(wl_estimates, start_instructions)},
    {"coordinate_instructions", "instructions", offsetof(wl_estimates, coordinate_instructions)},
    {"address_instructions", "instructions", offsetof(wl_estimates, address_instructions)},
    {"division_instructions", "instructions", offsetof(wl_estimates, division_instructions)},
    {"registers_in_flight", "registers", offsetof(wl_estimates, registers_in_flight)},
};
/* PARTS: value, unit, source */
enum { ESTIMATES = sizeof estimates / sizeof estimates[0], PARTS = 3 };

/* {value: 8, unit: instructions, source: ".."} */
static wl_status read_estimate(const wl_yaml *node, const char *unit, double *out, wl_error *err)
{
    static const char *const parts[PARTS] = {"value", "unit", "source"};
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, node->key, err));
    WL_TRY(wl_yaml_known_keys(node, parts, PARTS, node->key, err));
    for (int i = 0; i < PARTS; i++) {
        const wl_yaml *part = wl_yaml_get(node, parts[i]);
        if (!part)
            return wl_fail(err, WL_E_INPUT, node->key_loc, "%s lacks its %s", node->key, parts[i]);
        WL_TRY(wl_yaml_expect(part, WL_YAML_SCALAR, parts[i], err));
    }
    const wl_yaml *value = wl_yaml_get(node, "value"), *stated = wl_yaml_get(node, "unit");
    if (strcmp(stated->text, unit) != 0)
        return wl_fail(err, WL_E_INPUT, stated->loc, "%s is in %s, not in %.40s", node->key, unit, stated->text);
    if (!wl_text_number(value->text, out) || !(*out >= 0 && *out <= MOST))
        return wl_fail(err, WL_E_INPUT, value->loc, "%s needs a number from 0 to a million, not '%.40s'", node->key,
                       value->text);
    return WL_OK;
}

static wl_status read_section(const wl_yaml *root, wl_estimates *out, wl_error *err)
{
    const wl_yaml *all = wl_yaml_get(root, "estimates");
    const char *names[ESTIMATES];
    for (size_t i = 0; i < ESTIMATES; i++)
        names[i] = estimates[i].name;
    WL_TRY(wl_yaml_expect(all, WL_YAML_MAP, "estimates", err));
    WL_TRY(wl_yaml_known_keys(all, names, ESTIMATES, "estimates", err));
    for (size_t i = 0; i < ESTIMATES; i++) {
        const wl_yaml *node = wl_yaml_get(all, names[i]);
        if (!node)
            return wl_fail(err, WL_E_INPUT, all->loc, "estimates lack %s", names[i]);
        WL_TRY(read_estimate(node, estimates[i].unit, (double *)(void *)((char *)out + estimates[i].place), err));
    }
    return WL_OK;
}

wl_status wl_estimates_parse(const char *input, const char *text, size_t length, wl_estimates *out, wl_error *err)
{
    const char *start = strstr(text, section);
    wl_arena arena = {0};
    wl_yaml *root = NULL;
    *out = (wl_estimates){0};
    wl_status status = start ? wl_yaml_parse(&arena, start, length - (size_t)(start - text), &root, err)
                             : wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the cost file lacks 'estimates'");
    if (status == WL_OK)
        status = read_section(root, out, err);
    wl_arena_free(&arena);
    if (status != WL_OK)
        (void)wl_fail_in(err, input);
    return status;
}

wl_status wl_estimates_read(wl_estimates *out, wl_error *err)
{
    size_t length = 0;
    const char *text = wl_embedded_text(wl_embedded_costs, wl_embedded_cost_count, COSTS, &length);
    return wl_estimates_parse(COSTS, text, length, out, err);
}
