/* lives.c - what representative warps of a launch live through: one block of each kind is followed once
 * more, and what its warps execute is recorded. See ptx_source.h, timeline/life.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/life/record.h"

#define KINDS_MAX 8   /* blocks that are followed: the kinds that execute the most */
#define LIVES_MAX 128 /* warps that are told apart */

/* A warp that was recorded, and how many are like it. */
typedef struct candidate {
    const wl_stretch *parts;
    size_t count;
    uint64_t signature;
    double warps, blocks;
    int kind;
} candidate;

typedef struct finder {
    wl_ptx_source *source;
    wl_ptx_segments *segments;
    candidate list[LIVES_MAX];
    size_t count;
    int kinds;
} finder;

/* ---- blocks ---- */

/* The block of a kind whose length is nearest to the mean. */
static int64_t typical_block(const wl_ptx_census *c, const wl_ptx_kind *k)
{
    const wl_ptx_census_block *best = &c->list[k->first];
    for (size_t i = k->first; i < k->first + k->count; i++) {
        const wl_ptx_census_block *b = &c->list[i];
        if (fabs((double)b->instructions - k->instructions) < fabs((double)best->instructions - k->instructions))
            best = b;
    }
    return best->number;
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
        size_t i = 0;
        while (i < f->count && (f->list[i].kind != one.kind || f->list[i].signature != one.signature))
            i++;
        if (i < f->count)
            f->list[i].warps += blocks;
        else if (f->count < LIVES_MAX)
            f->list[f->count++] = one;
        else /* too many ways of life: it counts as one of about the same length */
            f->list[LIVES_MAX - 1].warps += blocks;
    }
    f->kinds++;
    return WL_OK;
}

static wl_status follow(finder *f, const int64_t block[3], double blocks, wl_error *err)
{
    wl_ptx_source *s = f->source;
    const int64_t threads = s->launch.block[0] * s->launch.block[1] * s->launch.block[2];
    const int32_t warps = (int32_t)wl_ceil_div(threads, WL_PTX_LANES);
    wl_ptx_record *record = wl_ptx_record_new(f->segments, warps);
    wl_ptx_followed followed;
    if (!record)
        return wl_fail_memory(err);
    wl_ptx_on_run(s->emulator, wl_ptx_record_visit, record);
    wl_status status = wl_ptx_follow_block(s->emulator, block, &followed, err);
    wl_ptx_on_run(s->emulator, NULL, NULL);
    wl_ptx_forget(s->emulator);
    if (status == WL_OK)
        status = add_warps(f, record, warps, blocks, err);
    wl_ptx_record_free(record);
    return status;
}

static wl_status follow_kinds(finder *f, wl_error *err)
{
    const wl_ptx_census *c = &f->source->census;
    for (int k = 0; k < c->kind_count && k < KINDS_MAX; k++) {
        int64_t block[3];
        wl_ptx_block_of(&f->source->launch, typical_block(c, &c->kinds[k]), block);
        WL_TRY(follow(f, block, c->kinds[k].blocks, err));
    }
    return WL_OK;
}

/* All threads of the domain do the same: one warp of the block in the middle stands for all. */
static wl_status follow_middle(finder *f, wl_error *err)
{
    wl_ptx_source *s = f->source;
    const wl_ptx_launch *l = &s->launch;
    const int64_t block[3] = {l->grid[0] / 2, l->grid[1] / 2, l->grid[2] / 2};
    const int64_t threads = l->block[0] * l->block[1] * l->block[2];
    const double blocks = (double)l->grid[0] * (double)l->grid[1] * (double)l->grid[2];
    wl_ptx_record *record = wl_ptx_record_new(f->segments, 1);
    if (!record)
        return wl_fail_memory(err);
    wl_ptx_on_run(s->emulator, wl_ptx_record_visit, record);
    wl_status status = wl_ptx_follow_warp(s->emulator, block, 0, err);
    wl_ptx_on_run(s->emulator, NULL, NULL);
    if (status == WL_OK)
        status = add_warps(f, record, 1, blocks, err);
    wl_ptx_record_free(record);
    for (size_t i = 0; i < f->count; i++)
        f->list[i].warps = blocks * (double)wl_ceil_div(threads, WL_PTX_LANES);
    return status;
}

/* ---- lives ---- */

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

static int by_work(const void *p, const void *q)
{
    const wl_life *a = p, *b = q;
    const double x = a->warps * a->instructions, y = b->warps * b->instructions;
    return (x < y) - (x > y);
}

static wl_status find_ops(wl_ptx_source *s, wl_ptx_ops *ops, wl_ptx_segments **segments, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    *segments = WL_ARENA_NEW(&s->arena, wl_ptx_segments, m->function_count + 1);
    if (!*segments)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < m->function_count; f++) {
        const wl_ptx_life_input in = {m, &m->functions[f], s->weights[f], &s->counting[f],
                                      s->field_of ? s->field_of + s->profile.first[f] : NULL};
        if (m->functions[f].instruction_count > 0)
            WL_TRY(wl_ptx_segments_make(&in, &s->arena, ops, &(*segments)[f], err));
    }
    return WL_OK;
}

static wl_status find_lives(wl_ptx_source *s, wl_error *err)
{
    wl_ptx_ops ops = {0};
    finder *f = WL_ARENA_NEW(&s->arena, finder, 1);
    if (!f)
        return wl_fail_memory(err);
    f->source = s;
    WL_TRY(find_ops(s, &ops, &f->segments, err));
    if (s->recovery.uniform && !s->recovery.calls) {
        WL_TRY(follow_middle(f, err));
    } else {
        WL_TRY(wl_ptx_take_census(s, err));
        WL_TRY(follow_kinds(f, err));
    }
    wl_life *list = WL_ARENA_NEW(&s->arena, wl_life, f->count + 1);
    if (!list)
        return wl_fail_memory(err);
    for (size_t i = 0; i < f->count; i++) {
        const candidate *c = &f->list[i];
        list[i] =
            (wl_life){c->parts, c->count, c->warps, c->blocks, c->kind, instructions_of(ops.list, c->parts, c->count)};
    }
    qsort(list, f->count, sizeof *list, by_work);
    s->lives = (wl_lives){.ops = ops.list,
                          .op_count = ops.count,
                          .register_count = ops.registers,
                          .list = list,
                          .count = f->count,
                          .kind_count = f->kinds,
                          .files = s->launch.module->files};
    return WL_OK;
}

wl_status wl_ptx_live(void *context, const wl_lives **out, wl_error *err)
{
    wl_ptx_source *s = context;
    if (!s->has_lives)
        WL_TRY(find_lives(s, err));
    s->has_lives = true;
    *out = &s->lives;
    return WL_OK;
}
