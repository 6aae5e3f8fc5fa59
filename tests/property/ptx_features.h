/* ptx_features.h - what the differential test draws and checks, each with a switch.
 *
 * A feature that is off names the reason: a defect that is known and not mended yet. Turn it on
 * with the change that mends it. WL_FEATURES=all (or a list of names) in the environment overrides
 * the table. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PTX_FEATURES_H
#define WL_TESTS_PTX_FEATURES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum feature {
    /* constructs */
    FEATURE_GUARDS,
    FEATURE_GRID_STRIDE,
    FEATURE_TABLES,
    FEATURE_JUMPS,
    FEATURE_NESTED_RETURNS,
    FEATURE_BARRIERS,
    FEATURE_ATOMICS,
    FEATURE_UNKNOWN_DATA,
    FEATURE_GENERIC_POINTERS,
    FEATURE_MEMORY_ORDERS,
    FEATURE_BARRIER_OBJECTS,
    /* checks */
    CHECK_INSTRUCTIONS,
    CHECK_CLASSES,
    CHECK_ACCESSES,
    CHECK_ISSUED,
    CHECK_SECTORS,
    CHECK_SHARED,
    CHECK_VOLUMES,
    FEATURE_COUNT
} feature;

static const struct {
    const char *name;
    bool on;
    const char *why_off;
} features[FEATURE_COUNT] = {
    [FEATURE_GUARDS] = {"guards", true, ""},
    [FEATURE_GRID_STRIDE] = {"grid_stride", true, ""},
    [FEATURE_TABLES] = {"tables", true, ""},
    [FEATURE_JUMPS] = {"jumps", true, ""},
    [FEATURE_NESTED_RETURNS] = {"nested_returns", true, ""},
    [FEATURE_BARRIERS] = {"barriers", true, ""},
    [FEATURE_ATOMICS] = {"atomics", true, ""},
    [FEATURE_UNKNOWN_DATA] = {"unknown_data", true, ""},
    [FEATURE_GENERIC_POINTERS] = {"generic_pointers", true, ""},
    [FEATURE_MEMORY_ORDERS] = {"memory_orders", true, ""},
    [FEATURE_BARRIER_OBJECTS] = {"barrier_objects", true, ""},
    [CHECK_INSTRUCTIONS] = {"instructions", true, ""},
    [CHECK_CLASSES] = {"classes", true, ""},
    [CHECK_ACCESSES] = {"accesses", true, ""},
    [CHECK_ISSUED] = {"issued", true, ""},
    [CHECK_SECTORS] = {"sectors", true, ""},
    [CHECK_SHARED] = {"shared", true, ""},
    [CHECK_VOLUMES] = {"volumes", true, ""},
};

static inline bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

static inline bool feature_on(feature f)
{
    const char *list = getenv("WL_FEATURES");
    if (!list)
        return features[f].on;
    return strcmp(list, "all") == 0 || is_listed(list, features[f].name);
}

#endif /* WL_TESTS_PTX_FEATURES_H */
