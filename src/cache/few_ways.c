/* few_ways.c - see few_ways.h. SPDX-License-Identifier: MIT */
#include "cache/few_ways.h"

#define NO_WAY INT8_MAX /* the age of lanes beyond the ways: none is older, so it stays */

bool wl_few_make(wl_few_ways *f, int64_t sets, int32_t ways, bool lru, wl_arena *arena)
{
    *f = (wl_few_ways){.ways = ways, .vectors = ways <= WL_LANES ? 1 : WL_FEW_WAYS_MAX / WL_LANES};
    f->lanes = wl_lines_memory(arena, (size_t)(2 * sets * f->vectors) * sizeof *f->lanes);
    if (!f->lanes)
        return false;
    for (int32_t s = 0; s < (int32_t)sets; s++) {
        int8_t *ages = (int8_t *)wl_few_ages(f, s);
        for (int32_t way = 0; lru && way < f->vectors * WL_LANES; way++)
            ages[way] = way < ways ? (int8_t)(ways - 1 - way) : NO_WAY;
        if (!lru)
            *wl_few_room_of(f, s) = (wl_few_room){0, (uint8_t)ways};
    }
    return true;
}
