/* map.c - which kernel a measured row is a launch of. Layer  compare (uses base). SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/yaml.h"
#include "warpline/compare.h"

#define FOLD_MAX 1024

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

static wl_status read_sets(wl_map *map, const wl_yaml *node, wl_map_entry *entry, wl_error *err)
{
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, "set", err));
    const char **sets = WL_ARENA_NEW(&map->arena, const char *, node->count);
    if (!sets)
        return wl_fail_memory(err);
    entry->sets = sets;
    for (const wl_yaml *e = node->first; e; e = e->next) {
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "a value of set", err));
        const size_t size = strlen(e->key) + strlen(e->text) + 2;
        char *text = wl_arena_alloc(&map->arena, size, 1);
        if (!text)
            return wl_fail_memory(err);
        (void)snprintf(text, size, "%s=%s", e->key, e->text);
        sets[entry->set_count++] = text;
    }
    return WL_OK;
}

static wl_status read_fold(const wl_yaml *node, int64_t fold[3], wl_error *err)
{
    int d = 0;
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, "fold", err));
    fold[0] = fold[1] = fold[2] = 1;
    for (const wl_yaml *e = node->first; e; e = e->next, d++) {
        double value = 0;
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "a fold", err));
        if (d == 3 || !wl_text_number(e->text, &value) || value < 1 || value > FOLD_MAX ||
            value != (double)(int64_t)value)
            return wl_fail(err, WL_E_INPUT, e->loc, "fold is a list of one to three whole numbers from 1 to %d",
                           FOLD_MAX);
        fold[d] = (int64_t)value;
    }
    return WL_OK;
}

static wl_status read_entry(wl_map *map, const wl_yaml *node, wl_error *err)
{
    static const char *const keys[] = {"family", "variant", "kernel", "set", "fold", "skip"};
    wl_map_entry *entry = &map->entries[map->count++];
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, "an entry of the map", err));
    WL_TRY(wl_yaml_known_keys(node, keys, sizeof keys / sizeof keys[0], "an entry of the map", err));
    WL_TRY(read_text(node, "family", &entry->family, err));
    WL_TRY(read_text(node, "variant", &entry->variant, err));
    WL_TRY(read_text(node, "kernel", &entry->kernel, err));
    WL_TRY(read_text(node, "skip", &entry->skip, err));
    if (!entry->skip && (!entry->kernel || !entry->kernel[0]))
        return wl_fail(err, WL_E_INPUT, node->loc, "the entry lacks its 'kernel'");
    WL_TRY(read_sets(map, wl_yaml_get(node, "set"), entry, err));
    return read_fold(wl_yaml_get(node, "fold"), entry->fold, err);
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

/* A pattern of the shell; a backslash is a character as any other. */
static bool matches(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

const wl_map_entry *wl_map_find(const wl_map *map, const char *family, const char *variant)
{
    for (size_t i = 0; i < map->count; i++) {
        const wl_map_entry *e = &map->entries[i];
        if (matches(e->family, family) && matches(e->variant, variant))
            return e;
    }
    return NULL;
}
