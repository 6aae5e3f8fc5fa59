/* life.c - see life.h. SPDX-License-Identifier: MIT */
#include "timeline/life.h"

#include <string.h>

#include "base/fail.h"

static const void *copy(const void *from, size_t count, size_t size, wl_arena *arena)
{
    void *to = wl_arena_alloc(arena, count + 1, size);
    if (to && count > 0)
        memcpy(to, from, count * size);
    return to;
}

wl_status wl_lives_copy(const wl_lives *from, wl_arena *arena, wl_lives *out, wl_error *err)
{
    wl_op *ops = WL_ARENA_NEW(arena, wl_op, from->op_count + 1);
    wl_life *list = WL_ARENA_NEW(arena, wl_life, from->count + 1);
    *out = *from;
    out->ops = ops;
    out->list = list;
    out->files = NULL;
    if (!ops || !list)
        return wl_fail_memory(err);
    for (int32_t i = 0; i < from->op_count; i++) {
        ops[i] = from->ops[i];
        ops[i].file = -1;
        ops[i].text = NULL;
        ops[i].text_length = 0;
        ops[i].regs = copy(ops[i].regs, (size_t)ops[i].reads + ops[i].writes, sizeof *ops[i].regs, arena);
        if (!ops[i].regs)
            return wl_fail_memory(err);
    }
    for (size_t i = 0; i < from->count; i++) {
        list[i] = from->list[i];
        list[i].parts = copy(list[i].parts, list[i].count, sizeof *list[i].parts, arena);
        if (!list[i].parts)
            return wl_fail_memory(err);
    }
    return WL_OK;
}
