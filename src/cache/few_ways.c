/* few_ways.c - see few_ways.h. SPDX-License-Identifier: MIT */
#include "cache/few_ways.h"

#define NO_WAY INT8_MAX /* the age of lanes beyond the ways: none is older, so it stays */

bool wl_few_make(wl_few_ways *f, bool lru, wl_arena *arena)
{
    const int64_t sets = f->sets;
    f->vectors = f->ways <= WL_LANES ? 1 : WL_FEW_WAYS_MAX / WL_LANES;
    f->set_bits = (sets & (sets - 1)) == 0 ? __builtin_ctzll((uint64_t)sets) : -1;
    f->tag_bytes = f->hashed ? 4 : 2;
    f->below = f->hashed ? UINT32_MAX : (uint64_t)sets * UINT16_MAX;
    f->lanes = wl_lines_memory(arena, (size_t)(sets * (f->tag_bytes + 2) * f->vectors) * sizeof *f->lanes);
    f->numbers = wl_lines_memory(arena, (size_t)(sets * f->ways) * sizeof *f->numbers);
    if (!f->lanes || !f->numbers)
        return false;
    for (int32_t s = 0; s < f->sets; s++) {
        int8_t *ages = (int8_t *)wl_few_ages(f, s);
        for (int32_t way = 0; lru && way < f->vectors * WL_LANES; way++)
            ages[way] = way < f->ways ? (int8_t)(f->ways - 1 - way) : NO_WAY;
        if (!lru)
            *wl_few_room_of(f, s) = (wl_few_room){0, (uint8_t)f->ways};
    }
    return true;
}

uint64_t wl_few_number(const wl_few_ways *f, int32_t set, int32_t way)
{
    const uint64_t before = wl_few_tag(f, set, way) - 1u;
    if (!f->below)
        return f->numbers[(int64_t)set * f->ways + way];
    return f->hashed ? before : before * (uint64_t)f->sets + (uint64_t)set;
}

void wl_few_keep_numbers(wl_few_ways *f)
{
    wl_few_ways kept = *f;
    kept.below = 0;
    for (int32_t s = 0; s < f->sets; s++)
        for (int32_t way = 0; way < f->ways; way++) {
            if (wl_few_tag(f, s, way) == 0)
                continue;
            const uint64_t number = wl_few_number(f, s, way);
            f->numbers[(int64_t)s * f->ways + way] = number;
            wl_few_set_tag(f, s, way, wl_few_key_of(&kept, number).tag);
        }
    *f = kept;
}
