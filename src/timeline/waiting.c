/* waiting.c - see waiting.h. SPDX-License-Identifier: MIT */
#include "timeline/waiting.h"

#include <math.h>

#include "base/fail.h"

/* Of its group, or in tensor memory. */
static bool waits_for_products(const wl_life_interval *at, const wl_lives *lives)
{
    const wl_op *from = at->from >= 0 ? &lives->ops[at->from] : NULL;
    return from && (from->group_step == WL_GROUP_WAIT || from->group_step == WL_GROUP_RESULT || from->in_turn);
}

/* While a warp stalls, each other warp of its block issues one instruction. If these are requests
 * to the L1, they are served meanwhile. A barrier opens after the last of them. While it waits for
 * products, the L1 delivers their operands. */
static void add_covered(const wl_life_interval *at, const wl_lives *lives, const wl_waits *waits, wl_waiting *w)
{
    const bool requests = at->cause == WL_STALL_SHARED || at->cause == WL_STALL_MEMORY;
    if (at->cause == WL_STALL_BARRIER)
        return;
    const bool products = waits_for_products(at, lives);
    w->covered[0] += at->times * fmin(at->stall, waits->others);
    w->covered[1] += requests ? at->times * fmin(at->stall, waits->queued) : products ? at->times * at->stall : 0;
}

static wl_waiting wait_of(const wl_life_profile *p, const wl_lives *lives, const wl_waits *waits)
{
    wl_waiting w = {.known = true, .atomics = p->atomics, .asking = p->asking};
    for (size_t i = 0; i < p->count; i++) {
        const wl_life_interval *at = &p->list[i];
        w.issue += at->times * at->instructions;
        w.stall[at->cause] += at->times * at->stall;
        add_covered(at, lives, waits, &w);
        w.barriers += at->cause == WL_STALL_BARRIER ? at->times : 0;
        w.loads += at->cause == WL_STALL_MEMORY ? at->times : 0;
        for (int l = 0; l < 3; l++)
            w.level[l] += at->times * at->level[l];
    }
    w.code = p->code;
    w.stall[WL_STALL_FETCH] = p->fetch;
    w.fetches = waits->level[2] > 0 ? w.level[2] / waits->level[2] : 0;
    w.cycles = w.issue;
    for (int c = 0; c < WL_STALL_COUNT; c++)
        w.cycles += w.stall[c];
    return w;
}

static void add(wl_waiting *to, const wl_waiting *one, double share)
{
    to->cycles += share * one->cycles;
    to->issue += share * one->issue;
    for (int i = 0; i < 2; i++)
        to->covered[i] += share * one->covered[i];
    to->barriers += share * one->barriers;
    to->loads += share * one->loads;
    to->atomics += share * one->atomics;
    to->asking.times += share * one->asking.times;
    if (one->asking.times > 0) /* all that ask do so alike */
        to->asking = (wl_asking){to->asking.times, one->asking.cycles, one->asking.latency};
    to->fetches += share * one->fetches;
    to->code = fmax(to->code, one->code);
    for (int c = 0; c < WL_STALL_COUNT; c++)
        to->stall[c] += share * one->stall[c];
    for (int l = 0; l < 3; l++)
        to->level[l] += share * one->level[l];
}

/* Warps start together; those that run straight through wait together, too. */
static bool has_loop(const wl_life *life)
{
    for (size_t i = 0; i < life->count; i++)
        if (life->parts[i].loop && life->parts[i].times > 1)
            return true;
    return false;
}

wl_status wl_waiting_find(const wl_lives *lives, const wl_waits *waits, wl_arena *arena, wl_life_profile *profiles,
                          wl_waiting *out, wl_error *err)
{
    *out = (wl_waiting){.known = lives->count > 0};
    wl_waiting *longest = WL_ARENA_NEW(arena, wl_waiting, lives->kind_count + 1);
    double *blocks = WL_ARENA_NEW(arena, double, lives->kind_count + 1), all = 0;
    wl_walk_scratch scratch;
    if (!longest || !blocks)
        return wl_fail_memory(err);
    WL_TRY(wl_walk_scratch_make(lives, arena, &scratch, err));
    for (size_t i = 0; i < lives->count; i++) {
        const wl_life *life = &lives->list[i];
        WL_TRY(wl_life_walk(lives, life, waits, &scratch, arena, &profiles[i], err));
        const wl_waiting one = wait_of(&profiles[i], lives, waits);
        const wl_asking asking = one.asking.times > 0 ? one.asking : longest[life->kind].asking;
        if (one.cycles > longest[life->kind].cycles)
            longest[life->kind] = one;
        longest[life->kind].asking = asking;
        blocks[life->kind] = life->blocks;
        out->apart = has_loop(life) ? 1 : out->apart;
    }
    for (int32_t i = 0; i < lives->op_count; i++)
        out->copies = out->copies || lives->ops[i].for_copies;
    for (int k = 0; k < lives->kind_count; k++)
        all += blocks[k];
    for (int k = 0; k < lives->kind_count && all > 0; k++)
        add(out, &longest[k], blocks[k] / all);
    for (int k = 0; k < lives->kind_count && k < WL_KIND_LIVES_MAX && out->cycles > 0; k++)
        out->kinds[out->kind_count++] = (wl_kind_life){longest[k].issue, longest[k].cycles / out->cycles};
    return WL_OK;
}
