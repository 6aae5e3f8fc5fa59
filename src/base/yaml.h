/* yaml.h - a YAML text as a tree in which every node knows its position.
 *
 * Only plain YAML: no anchors, aliases or tags, one document, unique scalar keys. The tree lives in
 * the caller's arena.
 *
 * Layer  base. Oracle: tests/unit/test_yaml.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_YAML_H
#define WL_BASE_YAML_H

#include <stddef.h>

#include "base/arena.h"
#include "warpline/status.h"

typedef enum wl_yaml_kind { WL_YAML_SCALAR, WL_YAML_LIST, WL_YAML_MAP } wl_yaml_kind;

typedef struct wl_yaml {
    wl_yaml_kind kind;
    wl_loc loc;           /* of the first character of the content */
    const char *text;     /* scalar: its content, 0-terminated */
    int32_t block_indent; /* literal block scalar: columns removed from each line, else -1 */
    const char *key;      /* as an entry of a map: its key, else NULL */
    wl_loc key_loc;
    struct wl_yaml *first; /* list, map: the entries, linked by next */
    struct wl_yaml *next;
    size_t count;
} wl_yaml;

wl_status wl_yaml_parse(wl_arena *arena, const char *text, size_t length, wl_yaml **root, wl_error *err);

/* The entry of a map, or NULL. */
const wl_yaml *wl_yaml_get(const wl_yaml *map, const char *key);

/* Fails at the first key that is not among `names`, suggesting the nearest. */
wl_status wl_yaml_known_keys(const wl_yaml *map, const char *const *names, size_t count, const char *what,
                             wl_error *err);

/* Fails unless the node is of this kind: "`what` must be a list". */
wl_status wl_yaml_expect(const wl_yaml *node, wl_yaml_kind kind, const char *what, wl_error *err);

/* Position in the file of character (line, col), both 1-based, of a scalar's content. */
wl_loc wl_yaml_loc_inside(const wl_yaml *scalar, wl_loc inside);

#endif /* WL_BASE_YAML_H */
