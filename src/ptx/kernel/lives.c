/* lives.c - the lives of representative warps of a launch: one block of each kind is followed once
 * more, and the instructions of its warps are recorded. See ptx_source.h, timeline/life.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/life/record.h"
#include "ptx/module/def_use.h"
#include "ptx/module/tensor.h"

#define KINDS_MAX 8   /* blocks that are followed: those of the kinds that execute most */
#define LIVES_MAX 128 /* warps that are distinguished */

/* A warp that was recorded, and how many are like it. */
typedef struct candidate {
    const wl_stretch *parts;
    size_t count;
    uint64_t signature;
    double warps, blocks;
    double instructions;
    int kind;
} candidate;

typedef struct finder {
    wl_ptx_source *source;
    wl_ptx_segments *segments;
    wl_ptx_ops ops;
    candidate list[LIVES_MAX];
    size_t count;
    int kinds;
} finder;

static double instructions_of(const wl_op *ops, const wl_stretch *parts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].loop) {
            sum += parts[i].times * instructions_of(ops, parts + i + 1, (size_t)parts[i].count);
            i += (size_t)parts[i].count;
            continue;
        }
        for (int32_t k = 0; k < parts[i].count; k++)
            sum += ops[parts[i].first + k].issue;
    }
    return sum;
}

/* Too many different lives: the recorded one of the nearest length, in the same kind of block if
 * possible. */
static candidate *nearest(finder *f, const candidate *one)
{
    candidate *best = NULL;
    for (size_t i = 0; i < f->count; i++) {
        candidate *other = &f->list[i];
        const bool same = other->kind == one->kind, had = best && best->kind == one->kind;
        if (!best || same > had ||
            (same == had &&
             fabs(other->instructions - one->instructions) < fabs(best->instructions - one->instructions)))
            best = other;
    }
    return best;
}

static void add_warp(finder *f, const candidate *one)
{
    size_t i = 0;
    while (i < f->count && (f->list[i].kind != one->kind || f->list[i].signature != one->signature))
        i++;
    if (i < f->count)
        f->list[i].warps += one->warps;
    else if (f->count < LIVES_MAX)
        f->list[f->count++] = *one;
    else
        nearest(f, one)->warps += one->warps;
}

static wl_status add_warps(finder *f, wl_ptx_record *record, int32_t warps, double blocks, wl_error *err)
{
    for (int32_t w = 0; w < warps; w++) {
        candidate one = {.warps = blocks, .blocks = blocks, .kind = f->kinds};
        bool failed = false;
        one.parts = wl_ptx_record_parts(record, w, &f->source->arena, &one.count, &one.signature, &failed);
        if (failed)
            return wl_fail_memory(err);
        if (!one.parts)
            continue;
        one.instructions = instructions_of(f->ops.list, one.parts, one.count);
        add_warp(f, &one);
    }
    f->kinds++;
    return WL_OK;
}

static int32_t warps_of(const wl_ptx_launch *l)
{
    return (int32_t)wl_ceil_div(l->block[0] * l->block[1] * l->block[2], WL_PTX_LANES);
}

/* Follows a block that represents so many, or only one of its warps, and adds the record. */
static wl_status follow(finder *f, const int64_t block[3], int only_warp, double blocks, wl_error *err)
{
    wl_ptx_source *s = f->source;
    const int32_t warps = only_warp >= 0 ? only_warp + 1 : warps_of(&s->launch);
    wl_ptx_record *record = wl_ptx_record_new(f->segments, warps);
    wl_ptx_followed followed;
    if (!record)
        return wl_fail_memory(err);
    wl_ptx_on_run(s->emulator, wl_ptx_record_visit, record);
    wl_status status = only_warp >= 0 ? wl_ptx_follow_warp(s->emulator, block, only_warp, err)
                                      : wl_ptx_follow_block(s->emulator, block, &followed, err);
    wl_ptx_on_run(s->emulator, NULL, NULL);
    if (only_warp < 0)
        wl_ptx_forget(s->emulator);
    if (status == WL_OK)
        status = add_warps(f, record, warps, blocks, err);
    wl_ptx_record_free(record);
    return status;
}

static wl_status follow_kinds(finder *f, wl_error *err)
{
    wl_ptx_representative list[KINDS_MAX];
    const int n = wl_ptx_census_represent(&f->source->census, KINDS_MAX, list);
    for (int k = 0; k < n; k++) {
        int64_t block[3];
        wl_ptx_block_of(&f->source->launch, list[k].number, block);
        WL_TRY(follow(f, block, -1, list[k].blocks, err));
    }
    return WL_OK;
}

/* The block and the warp of the thread in the middle of the domain. */
static int find_middle(const wl_ptx_source *s, int64_t block[3])
{
    const wl_ptx_launch *l = &s->launch;
    int64_t thread[3];
    for (int d = 0; d < 3; d++) {
        const int64_t launched = l->grid[d] * l->block[d];
        const int64_t end = s->recovery.domain[d] > 0 ? wl_min(s->recovery.domain[d], launched) : launched;
        const int64_t first = wl_min(s->recovery.first[d], end - 1);
        const int64_t middle = first + (end - first) / 2;
        block[d] = middle / l->block[d];
        thread[d] = middle % l->block[d];
    }
    return (int)((thread[0] + l->block[0] * (thread[1] + l->block[1] * thread[2])) / WL_PTX_LANES);
}

/* All threads of the domain execute the same: one warp of the block in the middle represents
 * all. */
static wl_status follow_middle(finder *f, wl_error *err)
{
    wl_ptx_source *s = f->source;
    const wl_ptx_launch *l = &s->launch;
    int64_t block[3];
    const int warp = find_middle(s, block);
    const double blocks = (double)l->grid[0] * (double)l->grid[1] * (double)l->grid[2];
    WL_TRY(follow(f, block, warp, blocks, err));
    for (size_t i = 0; i < f->count; i++)
        f->list[i].warps = blocks * (double)warps_of(l);
    return WL_OK;
}

/* ---- lives ---- */

static bool is_more(const wl_life *a, const wl_life *b)
{
    return a->warps * a->instructions > b->warps * b->instructions;
}

/* The lives that represent the most warps first; equal ones stay in the order in which they were
 * found. */
static void sort_in(wl_life *list, size_t count, wl_life one)
{
    for (; count > 0 && is_more(&one, &list[count - 1]); count--)
        list[count] = list[count - 1];
    list[count] = one;
}

bool wl_ptx_may_execute(const wl_ptx_source *s, const wl_ptx_function *f)
{
    return f->instruction_count > 0 && (f == s->launch.entry || (s->recovery.calls && !f->is_entry));
}

bool wl_ptx_in_steps(const wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    for (int32_t f = 0; f < m->function_count; f++) {
        bool stored = false;
        for (int32_t i = 0; i < m->functions[f].instruction_count && wl_ptx_may_execute(s, &m->functions[f]); i++) {
            const wl_ptx_instruction *in = &m->functions[f].instructions[i];
            const bool global = in->space == WL_PTX_GLOBAL || in->space == WL_PTX_GENERIC;
            if (global && in->op == WL_PTX_OP_ld && stored && !(in->modifiers & WL_PTX_MOD_NC))
                return true;
            stored = stored || (global && in->op == WL_PTX_OP_st);
        }
    }
    return false;
}

int64_t wl_ptx_program_length(const wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    int64_t count = 0;
    for (int32_t f = 0; f < m->function_count; f++)
        count += wl_ptx_may_execute(s, &m->functions[f]) ? m->functions[f].instruction_count : 0;
    return count;
}

/* By instruction; NULL: no memory. */
static const bool *find_polls(wl_ptx_source *s, int32_t function)
{
    const int32_t count = s->launch.module->functions[function].instruction_count;
    bool *polls = WL_ARENA_NEW(&s->arena, bool, count + 1);
    for (int32_t i = 0; i < count && polls; i++)
        polls[i] = wl_ptx_polls(s->emulator, function, i);
    return polls;
}

static wl_status find_ops(wl_ptx_source *s, wl_ptx_ops *ops, wl_ptx_segments **segments, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    *segments = WL_ARENA_NEW(&s->arena, wl_ptx_segments, m->function_count + 1);
    if (!*segments)
        return wl_fail_memory(err);
    const int64_t stated = s->options.launch.registers;
    const int32_t registers = stated > 0 ? (int32_t)stated : WL_ASSUMED_REGISTERS;
    for (int32_t f = 0; f < m->function_count; f++) {
        const bool *polls = wl_ptx_may_execute(s, &m->functions[f]) ? find_polls(s, f) : NULL;
        if (wl_ptx_may_execute(s, &m->functions[f]) && !polls)
            return wl_fail_memory(err);
        const wl_ptx_life_input in = {.module = m,
                                      .function = &m->functions[f],
                                      .weight = s->weights[f],
                                      .counting = &s->counting[f],
                                      .field = s->field_of ? s->field_of + s->profile.first[f] : NULL,
                                      .fields = s->field_of,
                                      .rings = wl_ptx_rings_of(s->emulator, f),
                                      .clusters =
                                          s->launch.cluster[0] * s->launch.cluster[1] * s->launch.cluster[2] > 1,
                                      .polls = polls,
                                      .spilled = &m->functions[f] == s->launch.entry ? s->spills.words : NULL,
                                      .registers = registers};
        if (wl_ptx_may_execute(s, &m->functions[f]))
            WL_TRY(wl_ptx_segments_make(&in, &s->arena, ops, &(*segments)[f], err));
    }
    return WL_OK;
}

bool wl_ptx_multiplies_in_pairs(const wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count && wl_ptx_may_execute(s, &m->functions[f]); i++) {
            const wl_ptx_instruction *in = &m->functions[f].instructions[i];
            if (in->op == WL_PTX_OP_tcgen05_mma && wl_ptx_block_pair(in) == 2)
                return true;
        }
    return false;
}

/* Both blocks of a pair last as long as the longest warp of them. */
static void join_pairs(finder *f)
{
    for (size_t i = 0; i < f->count; i++)
        f->list[i].kind = 0;
    f->kinds = f->kinds > 0;
}

static wl_status find_lives(wl_ptx_source *s, wl_error *err)
{
    finder *f = WL_ARENA_NEW(&s->arena, finder, 1);
    if (!f)
        return wl_fail_memory(err);
    f->source = s;
    /* warps with roles differ, and how they wait for copies is known once they were followed */
    const bool alike = s->recovery.uniform && !s->recovery.calls && !wl_ptx_waits_for_objects(s->emulator);
    if (!alike)
        WL_TRY(wl_ptx_take_census(s, err));
    WL_TRY(find_ops(s, &f->ops, &f->segments, err));
    WL_TRY(alike ? follow_middle(f, err) : follow_kinds(f, err));
    if (wl_ptx_multiplies_in_pairs(s))
        join_pairs(f);
    wl_life *list = WL_ARENA_NEW(&s->arena, wl_life, f->count + 1);
    if (!list)
        return wl_fail_memory(err);
    for (size_t i = 0; i < f->count; i++) {
        const candidate *c = &f->list[i];
        sort_in(list, i, (wl_life){c->parts, c->count, c->warps, c->blocks, c->kind, c->instructions});
    }
    s->lives = (wl_lives){.ops = f->ops.list,
                          .op_count = f->ops.count,
                          .register_count = f->ops.registers,
                          .list = list,
                          .count = f->count,
                          .kind_count = f->kinds,
                          .files = s->launch.module->files};
    return WL_OK;
}

wl_status wl_ptx_live(void *context, const wl_lives **out, wl_error *err)
{
    wl_ptx_source *s = context;
    wl_ptx_source_lock(s);
    const wl_status status = s->has_lives ? WL_OK : find_lives(s, err);
    s->has_lives = s->has_lives || status == WL_OK;
    wl_ptx_source_unlock(s);
    *out = &s->lives;
    return status;
}
