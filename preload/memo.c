/* memo.c - launches that a program repeats: if all that a kernel read is as it was, what it wrote
 * is as it was, too. Programs that measure times launch the same work hundreds of times.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "memo.h"

#define MEMOS 16                      /* of one kernel */
#define PAUSE_MAX 1024                /* launches that are not looked up where none comes again */
#define COPIES_MAX ((int64_t)2 << 30) /* bytes of results that are kept */
#define BYTES_PER_SECOND 2e10         /* digests are made of; most are known already */
#define SECONDS_PER_WARP 1e-6         /* to carry out a launch, before one has been measured */

/* One piece of memory that the launch used. */
typedef struct piece {
    uint64_t address;
    int64_t bytes;
    bool read, written;
    wl_digest before, after;
    uint8_t *copy; /* of what it held afterwards; NULL: not kept */
} piece;

struct gpu_memo {
    wl_digest launch; /* of geometry and parameters */
    piece *pieces;
    size_t count, room;
};

static int64_t copied; /* bytes of all copies */

/* The digest of an allocation, made anew only if it may have changed. */
static wl_digest digest_of(gpu_world *w, size_t number)
{
    gpu_allocation *a = &w->about[number];
    /* the program may write to memory of these kinds unseen */
    if (!a->digested || a->kind == GPU_HOST || a->kind == GPU_MANAGED)
        a->digest = wl_digest_of(w->memory[number].contents, (size_t)w->memory[number].bytes);
    a->digested = true;
    return a->digest;
}

static bool is_same(wl_digest a, wl_digest b) { return a.word[0] == b.word[0] && a.word[1] == b.word[1]; }

static void drop(gpu_memo *m)
{
    for (size_t i = 0; i < m->count; i++) {
        copied -= m->pieces[i].copy ? m->pieces[i].bytes : 0;
        free(m->pieces[i].copy);
    }
    free(m->pieces);
    *m = (gpu_memo){0};
}

static wl_digest launch_digest(const gpu_launch *l, size_t bytes)
{
    uint8_t all[4096 + 64] = {0};
    const uint64_t geometry[8] = {l->grid.x,  l->grid.y, l->grid.z, (uint64_t)l->block.x << 32 | l->block.y,
                                  l->block.z, l->shared, bytes,     (uint64_t)l->cluster[0] << 32 | l->cluster[1]};
    memcpy(all, geometry, sizeof geometry);
    const size_t taken = bytes < sizeof all - sizeof geometry ? bytes : sizeof all - sizeof geometry;
    memcpy(all + sizeof geometry, l->params, taken);
    return wl_digest_of(all, sizeof geometry + taken);
}

/* ---- is it worth it? ---- */

/* A time loop never sees the same data again: after a number of new launches, few are looked up. */
static bool is_paused(gpu_function *f)
{
    if (f->pause > 0) {
        f->pause--;
        return true;
    }
    if (f->misses > 0 && f->misses % MEMOS == 0)
        f->pause = f->misses < PAUSE_MAX ? f->misses : PAUSE_MAX;
    return false;
}

bool gpu_memo_pays(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    gpu_function *f = l->function;
    const double threads = (double)l->block.x * l->block.y * l->block.z;
    const double warps = (double)l->grid.x * l->grid.y * l->grid.z * (threads > 32 ? threads / 32 : 1);
    double reached = 0;
    if (bytes > 4096)
        return false;
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t address;
        memcpy(&address, l->params + at, sizeof address);
        const int64_t found = gpu_find(w, address);
        reached += found >= 0 ? (double)w->memory[found].bytes : 0;
    }
    const double seconds = f->seconds > 0 ? f->seconds : warps * SECONDS_PER_WARP;
    return seconds > reached / BYTES_PER_SECOND && !is_paused(f);
}

/* ---- again ---- */

/* Writes what the launch wrote before, if nothing that it read has changed. */
static bool apply(gpu_world *w, gpu_memo *m)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < m->count; i++) {
            piece *p = &m->pieces[i];
            const int64_t at = gpu_find(w, p->address);
            if (at < 0 || w->memory[at].address != p->address || w->memory[at].bytes != p->bytes ||
                w->about[at].unknown)
                return false;
            const wl_digest now = digest_of(w, (size_t)at);
            const bool as_before = is_same(now, p->before), as_after = is_same(now, p->after);
            const bool stays = as_after && (!p->read || as_before);
            if (!stays && !(as_before && (!p->written || p->copy)))
                return false;
            if (pass == 0 || stays || !p->written)
                continue;
            memcpy(w->memory[at].contents, p->copy, (size_t)p->bytes);
            w->about[at].digest = p->after;
            w->about[at].digested = true;
        }
    return true;
}

bool gpu_memo_again(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    const wl_digest launch = launch_digest(l, bytes);
    gpu_function *f = l->function;
    for (int k = 0; k < f->memo_count; k++)
        if (is_same(f->memos[k].launch, launch) && apply(w, &f->memos[k])) {
            f->misses = 0;
            return true;
        }
    f->misses++;
    return false;
}

/* ---- the first time ---- */

/* Digests of what the parameters and variables point to, before the launch. */
gpu_memo *gpu_memo_begin(gpu_world *w, const gpu_launch *l, size_t bytes)
{
    gpu_memo *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->launch = launch_digest(l, bytes);
    for (size_t i = 0; i < w->memory_count; i++) {
        bool reached = w->about[i].kind == GPU_VARIABLE;
        for (size_t at = 0; at + 8 <= bytes && !reached; at += 8) {
            uint64_t address;
            memcpy(&address, l->params + at, sizeof address);
            reached = address - w->memory[i].address < (uint64_t)w->memory[i].bytes;
        }
        if (!reached)
            continue;
        if (!WL_ROOM(m->pieces, m->count + 1, m->room)) {
            drop(m);
            free(m);
            return NULL;
        }
        m->pieces[m->count++] =
            (piece){.address = w->memory[i].address, .bytes = w->memory[i].bytes, .before = digest_of(w, i)};
    }
    return m;
}

static piece *piece_of(gpu_memo *m, uint64_t address)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->pieces[i].address == address)
            return &m->pieces[i];
    return NULL;
}

static void keep_copy(gpu_world *w, size_t number, piece *p)
{
    if (copied + p->bytes > COPIES_MAX || !(p->copy = malloc((size_t)p->bytes)))
        return;
    memcpy(p->copy, w->memory[number].contents, (size_t)p->bytes);
    copied += p->bytes;
}

void gpu_memo_end(gpu_world *w, const gpu_launch *l, gpu_memo *m, const uint8_t *uses)
{
    gpu_function *f = l->function;
    bool known = m != NULL;
    for (size_t i = 0; i < w->memory_count; i++) {
        if (uses[i] & WL_PTX_WORK_WRITES)
            w->about[i].digested = false;
        if (!uses[i] || !m)
            continue;
        piece *p = piece_of(m, w->memory[i].address);
        known = known && p;
        if (!p)
            continue;
        p->read = uses[i] & WL_PTX_WORK_READS;
        p->written = uses[i] & WL_PTX_WORK_WRITES;
        p->after = digest_of(w, i);
    }
    if (!m)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->pieces[i].read || m->pieces[i].written)
            m->pieces[kept++] = m->pieces[i];
    m->count = kept;
    if (!known || (!f->memos && !(f->memos = calloc(MEMOS, sizeof *f->memos)))) {
        drop(m); /* it reached memory that its parameters do not point to */
        free(m);
        return;
    }
    const int place = f->memo_count < MEMOS ? f->memo_count++ : f->memo_next++ % MEMOS;
    drop(&f->memos[place]);
    for (size_t i = 0; i < m->count; i++)
        if (m->pieces[i].written)
            keep_copy(w, (size_t)gpu_find(w, m->pieces[i].address), &m->pieces[i]);
    f->memos[place] = *m;
    free(m);
}
