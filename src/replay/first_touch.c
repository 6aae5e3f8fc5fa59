/* first_touch.c - see first_touch.h. SPDX-License-Identifier: MIT */
#include "replay/first_touch.h"

#include <math.h>

#include "base/fail.h"
#include "base/hash.h"
#include "expr/operate.h"

#define SAMPLES_MOST 1024     /* blocks */
#define SAMPLES_LEAST 128     /* whatever they cost */
#define SAMPLED_ACCESSES 4096 /* of all sampled blocks, about */
#define FOUND 4096            /* searches that are remembered, a power of two */
#define GROUPS 8              /* of blocks in a row */

static void add_run(wl_touch *t, int64_t lo, int64_t hi)
{
    const int last = t->count - 1;
    if (t->count < WL_TOUCH_RUNS) {
        t->lo[t->count] = lo;
        t->hi[t->count++] = hi;
    } else {
        t->lo[last] = wl_min(t->lo[last], lo);
        t->hi[last] = wl_max(t->hi[last], hi);
    }
}

/* Of a block its first and its last warp are evaluated. What lies between them is loaded, too, if
 * there is no more of it than its threads can load. */
static wl_status touch_block(wl_walk_loops *l, int64_t block, wl_touch *by_access, wl_error *err)
{
    wl_walk_bytes bytes[WL_WALK_ACCESSES];
    for (int i = 0; i < l->walker_count; i++)
        bytes[i].count = 0;
    WL_TRY(wl_walk_gather(l, block, 0, bytes, err));
    if (l->warps_per_block > 1)
        WL_TRY(wl_walk_gather(l, block, l->warps_per_block - 1, bytes, err));
    for (int i = 0; i < l->walker_count; i++) {
        const wl_walk_bytes *b = &bytes[i];
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        for (int n = 0; n < b->count; n++) {
            lo = wl_min(lo, b->lo[n]);
            hi = wl_max(hi, b->hi[n]);
        }
        by_access[i] = (wl_touch){.block = block};
        const int64_t most = l->in->geometry->threads * l->walkers[i].program.access->width_bytes;
        if (b->count > 0 && hi - lo <= most)
            add_run(&by_access[i], lo, hi);
        for (int n = 0; n < b->count && hi - lo > most; n++)
            add_run(&by_access[i], b->lo[n], b->hi[n]);
    }
    return WL_OK;
}

/* One block of each part of the launch, at random: every n-th would miss columns of blocks. */
wl_status wl_touches_make(wl_walk_loops *l, wl_arena *arena, wl_touches *out, wl_error *err)
{
    const int64_t blocks = l->in->geometry->blocks,
                  samples = wl_max(SAMPLES_LEAST, SAMPLED_ACCESSES / wl_max(1, l->walker_count));
    wl_touch touch[WL_WALK_ACCESSES];
    *out = (wl_touches){.loops = l, .count = wl_min(blocks, wl_min(SAMPLES_MOST, samples))};
    for (int i = 0; i < l->walker_count; i++)
        if (l->walkers[i].field >= 0 && !(out->of[i] = WL_ARENA_NEW(arena, wl_touch, out->count)))
            return wl_fail_memory(err);
    out->found = WL_ARENA_NEW(arena, wl_touch_found, FOUND);
    if (!out->found)
        return wl_fail_memory(err);
    for (int64_t n = 0; n < out->count; n++) {
        const int64_t first = n * blocks / out->count, next = (n + 1) * blocks / out->count;
        WL_TRY(touch_block(l, first + wl_random_below(n, next - first), touch, err));
        for (int i = 0; i < l->walker_count; i++)
            if (out->of[i])
                out->of[i][n] = touch[i];
    }
    return WL_OK;
}

/* Does a block load something of the 2^shift bytes around this one? */
static bool covers(const wl_touch *t, int64_t byte, int shift)
{
    for (int n = 0; n < t->count; n++)
        if (t->lo[n] >> shift <= byte >> shift && byte >> shift <= (t->hi[n] - 1) >> shift)
            return true;
    return false;
}

static int64_t first_of_all(const wl_touches *s, int access, int64_t byte, int shift)
{
    for (int64_t n = 0; n < s->count; n++)
        if (covers(&s->of[access][n], byte, shift))
            return s->of[access][n].block;
    return INT64_MAX;
}

/* Warps of a block, and blocks of a row or column, ask for the same data. */
static int64_t first_of_byte(wl_touches *s, int access, int64_t byte, int64_t block)
{
    const int shift = wl_log2(s->loops->in->fetch);
    const uint64_t key = wl_hash_add(wl_hash_word((uint64_t)access), (uint64_t)(byte >> shift)) | 1;
    wl_touch_found *f = &s->found[wl_hash_end(key) & (FOUND - 1)];
    if (f->key != key)
        *f = (wl_touch_found){key, first_of_all(s, access, byte, shift)};
    return wl_min(f->block, block);
}

int64_t wl_touches_first(wl_touches *s, int access, int64_t lo, int64_t hi, int64_t block)
{
    return wl_max(first_of_byte(s, access, lo, block), first_of_byte(s, access, hi - 1, block));
}

/* Sampled blocks of the wave around `block` that load the byte, without those of its GPC, times the
 * blocks that each represents. */
static double readers_beyond(const wl_touches *s, int access, int64_t byte, int64_t block)
{
    const wl_geometry *g = s->loops->in->geometry;
    const int shift = wl_log2(s->loops->in->sector);
    const int64_t gpc = s->loops->in->gpc_sms;
    const int64_t first = wl_max(0, wl_min(block - g->wave_blocks / 2, g->blocks - g->wave_blocks));
    double found = 0;
    for (int64_t n = 0; n < s->count; n++) {
        const wl_touch *t = &s->of[access][n];
        found += t->block >= first && t->block < first + g->wave_blocks && t->block / gpc != block / gpc &&
                 covers(t, byte, shift);
    }
    return found * (double)g->blocks / (double)s->count;
}

wl_status wl_touches_readers(const wl_touches *s, wl_readers *by_field, wl_error *err)
{
    wl_walk_loops *l = s->loops;
    const int64_t blocks = l->in->geometry->blocks, gpc = l->in->gpc_sms;
    for (size_t f = 0; f < l->in->view->kernel->field_count; f++)
        by_field[f] = (wl_readers){0};
    for (int64_t n = 0; n < GROUPS; n++) {
        const int64_t first = wl_random_below(n, wl_max(1, blocks / gpc)) * gpc, last = wl_min(blocks, first + gpc),
                      mine = first + wl_random_below(n + GROUPS, last - first);
        wl_walk_bytes own[WL_WALK_ACCESSES];
        wl_touch other[WL_WALK_ACCESSES];
        for (int i = 0; i < l->walker_count; i++)
            own[i].count = 0;
        WL_TRY(wl_walk_gather(l, mine, 0, own, err));
        for (int64_t b = first; b < last; b++) {
            WL_TRY(touch_block(l, b, other, err));
            for (int i = 0; i < l->walker_count; i++) {
                const int f = l->walkers[i].field;
                if (f < 0 || own[i].count == 0)
                    continue;
                /* the middle: its edges may be the halo of another */
                const int64_t byte = own[i].lo[0] + (own[i].hi[0] - own[i].lo[0]) / 2;
                by_field[f].near += b == mine || covers(&other[i], byte, wl_log2(l->in->sector));
                if (b == mine) {
                    by_field[f].wave += readers_beyond(s, i, byte, mine);
                    by_field[f].samples++;
                }
            }
        }
    }
    for (size_t f = 0; f < l->in->view->kernel->field_count; f++) {
        wl_readers *r = &by_field[f];
        const double samples = (double)wl_max(1, r->samples);
        r->near = fmax(1, r->near / samples);
        r->wave = r->near + r->wave / samples;
    }
    return WL_OK;
}
