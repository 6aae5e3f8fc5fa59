/* space.c - parses a space: the blocks and foldings to try. SPDX-License-Identifier: MIT */
#include "search/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"
#include "base/text.h"
#include "base/yaml.h"
#include "launch/grid_rule.h"

static const char *const keys[] = {"block.x", "block.y", "block.z",   "fold.x", "fold.y", "fold.z",
                                   "fold",    "threads", "registers", "where",  "grid",   "schedule"};
#define KEY_COUNT (sizeof keys / sizeof keys[0])
typedef enum key {
    KEY_BLOCK,
    KEY_FOLD_AXIS = 3,
    KEY_FOLD = 6,
    KEY_THREADS,
    KEY_REGISTERS,
    KEY_WHERE,
    KEY_GRID,
    KEY_SCHEDULE
} key;

wl_status wl_space_new(wl_space **out, wl_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? WL_OK : wl_fail_memory(err);
}

void wl_space_free(wl_space *space)
{
    if (!space)
        return;
    wl_grid_rule_free(space->grid);
    wl_arena_free(&space->arena);
    free(space->registers);
    free(space);
}

static wl_loc at(const char *text, const char *p) { return (wl_loc){1, (int32_t)(p - text) + 1, 1}; }

static wl_status add_fold(wl_space *space, const int64_t fold[3], wl_error *err)
{
    wl_shape_entry *e = WL_ARENA_NEW(&space->arena, wl_shape_entry, 1);
    if (!e)
        return wl_fail_memory(err);
    memcpy(e->extent, fold, sizeof e->extent);
    e->next = space->folds;
    space->folds = e;
    return WL_OK;
}

static wl_status set_folds(wl_space *space, const char *text, wl_error *err)
{
    for (const char *p = text;; p++) {
        int64_t fold[3];
        p += strspn(p, " ");
        const size_t length = wl_shape_parse(p, fold);
        if (length == 0)
            return wl_fail(err, WL_E_INPUT, at(text, p), "one to three whole numbers are needed, as in 1x2x1");
        WL_TRY(add_fold(space, fold, err));
        p += length;
        p += strspn(p, " ");
        if (*p == '\0')
            return WL_OK;
        if (*p != ',')
            return wl_fail(err, WL_E_INPUT, at(text, p), "a comma or the end is expected here");
    }
}

static wl_status add_registers(wl_space *space, bool any, const int64_t fold[3], int64_t registers, wl_loc loc,
                               wl_error *err)
{
    for (size_t i = 0; i < space->register_count; i++) {
        wl_fold_registers *r = &space->registers[i];
        if (r->any == any && (any || memcmp(r->fold, fold, sizeof r->fold) == 0))
            return wl_fail(err, WL_E_INPUT, loc, "registers are given twice for the same folding");
    }
    if (!WL_ROOM(space->registers, space->register_count + 1, space->register_capacity))
        return wl_fail_memory(err);
    wl_fold_registers *r = &space->registers[space->register_count++];
    *r = (wl_fold_registers){.any = any, .registers = registers};
    if (!any)
        memcpy(r->fold, fold, sizeof r->fold);
    return WL_OK;
}

#define REGISTERS_MOST 1024

static bool take_registers(const char **p, int64_t *registers)
{
    char *end = NULL;
    const long v = **p >= '0' && **p <= '9' ? strtol(*p, &end, 10) : 0;
    if (v < 1 || v > REGISTERS_MOST)
        return false;
    *p = end;
    *registers = v;
    return true;
}

/* "40" or "1x1x1:32,1x2x1:40" */
static wl_status set_registers(wl_space *space, const char *text, wl_error *err)
{
    for (const char *p = text;; p++) {
        int64_t fold[3], registers;
        p += strspn(p, " ");
        const char *start = p;
        const size_t length = wl_shape_parse(p, fold);
        const bool any = length == 0 || p[length] != ':';
        p += any ? 0 : length + 1;
        if (length == 0 || !take_registers(&p, &registers))
            return wl_fail(err, WL_E_INPUT, at(text, p), "registers are 1 to %d, as in 40 or 1x1x1:32,1x2x1:40",
                           REGISTERS_MOST);
        WL_TRY(add_registers(space, any, fold, registers, at(text, start), err));
        p += strspn(p, " ");
        if (*p == '\0')
            return WL_OK;
        if (*p != ',')
            return wl_fail(err, WL_E_INPUT, at(text, p), "a comma or the end is expected here");
    }
}

static wl_status add_condition(wl_space *space, const char *text, wl_error *err)
{
    if (space->condition_count == WL_CONDITIONS_MAX)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "at most %d conditions", WL_CONDITIONS_MAX);
    wl_where_named *named = NULL;
    size_t count = 0;
    WL_TRY(wl_launch_names(space->kernel, space->names, space->name_count, &space->arena, &named, &count, err));
    WL_TRY(wl_where_parse(text, named, count, &space->arena, &space->conditions[space->condition_count], err));
    space->condition_count++;
    return WL_OK;
}

wl_status wl_space_names(wl_space *space, const wl_kernel *kernel, const char *const *sets, size_t count, wl_error *err)
{
    const char **names = WL_ARENA_NEW(&space->arena, const char *, count + 1);
    for (size_t i = 0; names && i < count; i++)
        if (!(names[i] = wl_arena_text(&space->arena, sets[i], strlen(sets[i]))))
            names = NULL;
    if (!names)
        return wl_fail_memory(err);
    space->kernel = kernel;
    space->names = names;
    space->name_count = count;
    return WL_OK;
}

static wl_status set_grid(wl_space *space, const char *text, wl_error *err)
{
    wl_grid_rule *rule = NULL;
    WL_TRY(wl_grid_rule_parse(space->kernel, text, space->names, space->name_count, &rule, err));
    wl_grid_rule_free(space->grid);
    space->grid = rule;
    return WL_OK;
}

/* "all", or a list; adds to those that are there. */
static wl_status set_schedules(wl_space *space, const char *text, wl_error *err)
{
    if (strcmp(text, "all") != 0)
        return wl_schedules_parse(text, &space->schedules, err);
    space->all_schedules = true;
    return WL_OK;
}

static wl_status set(wl_space *space, key k, const char *text, wl_error *err)
{
    switch (k) {
    case KEY_FOLD: return set_folds(space, text, err);
    case KEY_REGISTERS: return set_registers(space, text, err);
    case KEY_WHERE: return add_condition(space, text, err);
    case KEY_GRID: return set_grid(space, text, err);
    case KEY_SCHEDULE: return set_schedules(space, text, err);
    case KEY_THREADS: return wl_values_parse(text, &space->arena, &space->threads, err);
    default:
        return wl_values_parse(text, &space->arena,
                               k < KEY_FOLD_AXIS ? &space->block[k - KEY_BLOCK] : &space->fold[k - KEY_FOLD_AXIS], err);
    }
}

static bool find_key(const char *name, key *k)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i], name) == 0) {
            *k = (key)i;
            return true;
        }
    return false;
}

wl_status wl_space_set(wl_space *space, const char *name, const char *text, wl_error *err)
{
    key k;
    if (!find_key(name, &k))
        return wl_fail_unknown(err, WL_NOWHERE, "a space has no", name, strlen(name), keys, KEY_COUNT);
    return set(space, k, text, err);
}

/* Parses the text of a YAML scalar; turns the position of an error into its position in the
 * file. */
static wl_status set_scalar(wl_space *space, key k, const wl_yaml *node, wl_error *err)
{
    wl_error inside = {0};
    const wl_status status = set(space, k, node->text, &inside);
    if (status == WL_OK)
        return WL_OK;
    const wl_loc loc = inside.loc.line > 0 ? wl_yaml_loc_inside(node, inside.loc) : node->loc;
    return wl_fail(err, status, loc, "%s", inside.message);
}

/* A list of numbers is read as a text with commas; lists of shapes or conditions, entry by
 * entry. */
static wl_status set_node(wl_space *space, key k, const wl_yaml *node, wl_error *err)
{
    if (node->kind == WL_YAML_SCALAR)
        return set_scalar(space, k, node, err);
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, keys[k], err));
    wl_values *values = k == KEY_THREADS    ? &space->threads
                        : k < KEY_FOLD_AXIS ? &space->block[k - KEY_BLOCK]
                        : k < KEY_FOLD      ? &space->fold[k - KEY_FOLD_AXIS]
                                            : NULL;
    wl_values all = {0};
    for (const wl_yaml *e = node->first; e; e = e->next) {
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "an entry", err));
        WL_TRY(set_scalar(space, k, e, err));
        if (values)
            WL_TRY(wl_values_merge(&all, values, &space->arena, &all, err));
    }
    if (values)
        *values = all;
    return node->count ? WL_OK : wl_fail(err, WL_E_INPUT, node->loc, "the list is empty");
}

static wl_status read_register_map(wl_space *space, const wl_yaml *map, wl_error *err)
{
    for (const wl_yaml *e = map->first; e; e = e->next) {
        int64_t fold[3], registers;
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "registers of a folding", err));
        const size_t length = wl_shape_parse(e->key, fold);
        if (length == 0 || e->key[length] != '\0')
            return wl_fail(err, WL_E_INPUT, e->key_loc, "'%s' is not a folding, such as 1x2x1", e->key);
        const char *p = e->text;
        if (!take_registers(&p, &registers) || *p != '\0')
            return wl_fail(err, WL_E_INPUT, e->loc, "registers are a whole number from 1 to %d", REGISTERS_MOST);
        WL_TRY(add_registers(space, false, fold, registers, e->key_loc, err));
    }
    return WL_OK;
}

static wl_status read_space(wl_space *space, const wl_yaml *root, wl_error *err)
{
    WL_TRY(wl_yaml_expect(root, WL_YAML_MAP, "a space file", err));
    WL_TRY(wl_yaml_known_keys(root, keys, KEY_COUNT, "a space", err));
    for (const wl_yaml *e = root->first; e; e = e->next) {
        key k;
        if (!find_key(e->key, &k))
            continue;
        if (k == KEY_REGISTERS && e->kind == WL_YAML_MAP)
            WL_TRY(read_register_map(space, e, err));
        else
            WL_TRY(set_node(space, k, e, err));
    }
    return WL_OK;
}

/* Reads a YAML text with one of the two readers above. */
static wl_status read_yaml(wl_space *space, const char *input, const char *text, size_t length,
                           wl_status (*read)(wl_space *, const wl_yaml *, wl_error *), wl_error *err)
{
    wl_yaml *root = NULL;
    wl_error own = {0};
    wl_status status = wl_yaml_parse(&space->arena, text, length, &root, &own);
    if (status == WL_OK)
        status = read(space, root, &own);
    if (status == WL_OK)
        return WL_OK;
    (void)wl_fail_in(&own, input);
    if (err)
        *err = own;
    return status;
}

wl_status wl_space_read(wl_space *space, const char *input, const char *text, size_t length, wl_error *err)
{
    return read_yaml(space, input, text, length, read_space, err);
}

static wl_status read_register_file(wl_space *space, const wl_yaml *root, wl_error *err)
{
    WL_TRY(wl_yaml_expect(root, WL_YAML_MAP, "a register file", err));
    return read_register_map(space, root, err);
}

wl_status wl_space_read_registers(wl_space *space, const char *input, const char *text, size_t length, wl_error *err)
{
    return read_yaml(space, input, text, length, read_register_file, err);
}

wl_status wl_space_list(wl_space *space, const wl_launch *launches, size_t count, wl_error *err)
{
    space->launches = WL_ARENA_NEW(&space->arena, wl_launch, count ? count : 1);
    if (!space->launches)
        return wl_fail_memory(err);
    if (count)
        memcpy(space->launches, launches, count * sizeof *launches);
    space->launch_count = count;
    return WL_OK;
}
