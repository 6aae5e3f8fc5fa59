/* map.c - finds the kernel that a measured row is a launch of. Layer  compare (uses base).
 * SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/yaml.h"
#include "warpline/compare.h"

#define FOLD_MAX 1024
#define EXTENT_MAX ((int64_t)1 << 40)
#define BYTES_MAX ((int64_t)1 << 30)

struct wl_map {
    wl_arena arena;
    wl_map_entry *entries;
    size_t count;
};

void wl_variant_fold(const char *variant, int64_t fold[3])
{
    fold[0] = fold[1] = fold[2] = 1;
    for (const char *p = variant; *p; p += strcspn(p, "_"), p += *p == '_') {
        const size_t length = strcspn(p, "_"), digits = length > 2 ? strspn(p + 2, "0123456789") : 0;
        if (p[0] != 'f' || length < 3 || p[1] < 'x' || p[1] > 'z' || digits != length - 2 || digits > 4)
            continue;
        const int64_t value = strtol(p + 2, NULL, 10);
        if (value >= 1)
            fold[p[1] - 'x'] = value;
    }
}

static wl_status read_text(const wl_yaml *entry, const char *key, const char **out, wl_error *err)
{
    const wl_yaml *node = wl_yaml_get(entry, key);
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, key, err));
    *out = node->text;
    return WL_OK;
}

/* {a: 1} becomes "a=1"; a list as ["1", "2"], where lists are allowed, stays as it is */
static wl_status read_texts(wl_map *map, const wl_yaml *entry, const char *key, bool list, const char *const **out,
                            size_t *count, wl_error *err)
{
    const wl_yaml *node = wl_yaml_get(entry, key);
    if (!node)
        return WL_OK;
    const bool is_list = list && node->kind == WL_YAML_LIST;
    if (!is_list)
        WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, key, err));
    const char **texts = WL_ARENA_NEW(&map->arena, const char *, node->count + 1);
    if (!texts)
        return wl_fail_memory(err);
    *out = texts;
    for (const wl_yaml *e = node->first; e; e = e->next) {
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "a value", err));
        const char *name = is_list ? "" : e->key;
        const size_t size = strlen(name) + strlen(e->text) + 2;
        char *text = wl_arena_alloc(&map->arena, size, 1);
        if (!text)
            return wl_fail_memory(err);
        (void)snprintf(text, size, "%s%s%s", name, is_list ? "" : "=", e->text);
        texts[(*count)++] = text;
    }
    return WL_OK;
}

static bool is_whole(const wl_yaml *node, int64_t least, int64_t most, int64_t *out)
{
    double value = 0;
    if (!wl_text_number(node->text, &value) || value < (double)least || value > (double)most ||
        value != (double)(int64_t)value)
        return false;
    *out = (int64_t)value;
    return true;
}

static wl_status read_shape(const wl_yaml *entry, const char *key, int64_t most, int64_t extent[3], wl_error *err)
{
    const wl_yaml *node = wl_yaml_get(entry, key);
    int d = 0;
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, key, err));
    extent[0] = extent[1] = extent[2] = 1;
    for (const wl_yaml *e = node->first; e; e = e->next, d++) {
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "an extent", err));
        if (d == 3 || !is_whole(e, 1, most, &extent[d]))
            return wl_fail(err, WL_E_INPUT, e->loc, "%s is a list of one to three whole numbers from 1 to %lld", key,
                           (long long)most);
    }
    return WL_OK;
}

static wl_status read_bytes(const wl_yaml *entry, const char *key, int64_t *bytes, wl_error *err)
{
    const wl_yaml *node = wl_yaml_get(entry, key);
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, key, err));
    if (!is_whole(node, 0, BYTES_MAX, bytes))
        return wl_fail(err, WL_E_INPUT, node->loc, "%s is a number of bytes", key);
    return WL_OK;
}

static wl_status read_entry(wl_map *map, const wl_yaml *node, wl_error *err)
{
    static const char *const keys[] = {"family", "variant", "kernel", "set",  "fold",      "skip",          "schedule",
                                       "entry",  "block",   "grid",   "args", "constants", "dynamic_shared"};
    wl_map_entry *entry = &map->entries[map->count++];
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, "an entry of the map", err));
    WL_TRY(wl_yaml_known_keys(node, keys, sizeof keys / sizeof keys[0], "an entry of the map", err));
    WL_TRY(read_text(node, "family", &entry->family, err));
    WL_TRY(read_text(node, "variant", &entry->variant, err));
    WL_TRY(read_text(node, "kernel", &entry->kernel, err));
    WL_TRY(read_text(node, "skip", &entry->skip, err));
    WL_TRY(read_text(node, "schedule", &entry->schedule, err));
    WL_TRY(read_text(node, "entry", &entry->entry, err));
    WL_TRY(read_texts(map, node, "set", false, &entry->sets, &entry->set_count, err));
    WL_TRY(read_texts(map, node, "args", true, &entry->args, &entry->arg_count, err));
    WL_TRY(read_texts(map, node, "constants", false, &entry->constants, &entry->constant_count, err));
    const bool of_ptx = entry->entry || wl_yaml_get(node, "args");
    if (!entry->skip && (entry->kernel ? !entry->kernel[0] : !of_ptx))
        return wl_fail(err, WL_E_INPUT, node->loc, "the entry lacks its 'kernel'");
    WL_TRY(read_shape(node, "fold", FOLD_MAX, entry->fold, err));
    WL_TRY(read_shape(node, "block", EXTENT_MAX, entry->block, err));
    WL_TRY(read_shape(node, "grid", EXTENT_MAX, entry->grid, err));
    return read_bytes(node, "dynamic_shared", &entry->dynamic_shared, err);
}

static wl_status read_map(wl_map *map, const char *text, size_t length, wl_error *err)
{
    wl_yaml *root = NULL;
    WL_TRY(wl_yaml_parse(&map->arena, text, length, &root, err));
    WL_TRY(wl_yaml_expect(root, WL_YAML_LIST, "a map", err));
    if (root->count == 0)
        return wl_fail(err, WL_E_INPUT, root->loc, "the map has no entries");
    map->entries = WL_ARENA_NEW(&map->arena, wl_map_entry, root->count);
    if (!map->entries)
        return wl_fail_memory(err);
    for (const wl_yaml *e = root->first; e; e = e->next)
        WL_TRY(read_entry(map, e, err));
    return WL_OK;
}

wl_status wl_map_parse(const char *input, const char *text, size_t length, wl_map **out, wl_error *err)
{
    wl_map *map = calloc(1, sizeof *map);
    if (!map)
        return wl_fail_memory(err);
    const wl_status status = read_map(map, text, length, err);
    if (status == WL_OK) {
        *out = map;
        return WL_OK;
    }
    wl_map_free(map);
    (void)wl_fail_in(err, input);
    return status;
}

void wl_map_free(wl_map *map)
{
    if (!map)
        return;
    wl_arena_free(&map->arena);
    free(map);
}

/* A pattern of the shell, in which a backslash is an ordinary character. */
static bool matches(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

static bool is_shape(const int64_t wanted[3], const int64_t given[3])
{
    return wanted[0] == 0 || memcmp(wanted, given, 3 * sizeof *wanted) == 0;
}

bool wl_map_entry_fits(const wl_map_entry *e, const wl_measurement *row)
{
    return matches(e->family, row->family) && matches(e->variant, row->variant) && is_shape(e->block, row->block) &&
           is_shape(e->grid, row->grid);
}

const wl_map_entry *wl_map_find(const wl_map *map, const wl_measurement *row)
{
    for (size_t i = 0; i < map->count; i++)
        if (wl_map_entry_fits(&map->entries[i], row))
            return &map->entries[i];
    return NULL;
}

const wl_map_entry *wl_map_at(const wl_map *map, size_t index)
{
    return index < map->count ? &map->entries[index] : NULL;
}
