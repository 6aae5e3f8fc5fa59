/* trace_blocks.c - traced accesses: finds them, and replays what a block does with them. See
 * ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/kernel/ptx_source.h"

#define SAMPLED_BLOCKS 6 /* emulated to find the traced accesses */
/* cost of finding bank conflicts, in lane instructions per lane */
#define BANK_COST 12
#define AFFORDABLE 1e8                  /* lane instructions: some tenths of a second */
#define CACHE_BYTES ((size_t)512 << 20) /* traces that are kept for later questions */
#define CACHE_SLOTS ((size_t)1 << 14)

void wl_ptx_sample_block(const wl_ptx_launch *launch, int64_t i, int64_t n, int64_t block[3])
{
    const int64_t *g = launch->grid, blocks = g[0] * g[1] * g[2];
    const int64_t number = n > 1 ? (int64_t)((double)i / (double)(n - 1) * (double)(blocks - 1)) : blocks / 2;
    block[0] = number % g[0];
    block[1] = number / g[0] % g[1];
    block[2] = number / g[0] / g[1];
}

/* ---- finding traced accesses ---- */

static int32_t number_of(const wl_ptx_source *s, const wl_ptx_touch *t)
{
    return s->profile.first[t->function] + t->instruction;
}

static const wl_ptx_buffer *buffer_of(const wl_ptx_source *s, const wl_ptx_touch *t)
{
    return t->space == WL_PTX_SHARED ? NULL : wl_ptx_buffer_at(&s->arguments, t->address[__builtin_ctz(t->lanes)]);
}

static int32_t find(const wl_ptx_source *s, const wl_ptx_touch *t, const wl_ptx_buffer *buffer)
{
    int32_t i = s->first_traced[number_of(s, t)];
    while (i >= 0 && (s->traced[i].buffer != buffer || s->traced[i].store != t->store))
        i = s->traced[i].next;
    return i;
}

static bool concerns(const wl_ptx_source *s, const wl_ptx_touch *t)
{
    return t->lanes && (t->space == WL_PTX_GLOBAL || t->space == WL_PTX_SHARED) && s->is_traced[number_of(s, t)];
}

static void add_addresses(wl_ptx_traced *traced, const wl_ptx_touch *t)
{
    const uint64_t first = t->address[__builtin_ctz(t->lanes)];
    for (uint32_t left = t->lanes; left; left &= left - 1) {
        wl_ptx_address_pattern_add(&traced->pattern, (int64_t)t->address[__builtin_ctz(left)]);
        traced->varies = traced->varies || t->address[__builtin_ctz(left)] != first;
    }
}

static wl_status note_traced(void *user, const wl_ptx_touch *t, wl_error *err)
{
    wl_ptx_source *s = user;
    if (!concerns(s, t))
        return WL_OK;
    const wl_ptx_buffer *buffer = buffer_of(s, t);
    const int32_t known = find(s, t, buffer);
    s->shared_lanes += t->space == WL_PTX_SHARED ? __builtin_popcount(t->lanes) : 0;
    if (known >= 0)
        add_addresses(&s->traced[known], t);
    if (known >= 0 || (!buffer && t->space == WL_PTX_GLOBAL))
        return WL_OK;
    if (s->traced_count == s->traced_room) {
        const size_t room = s->traced_room ? 2 * s->traced_room : 32;
        wl_ptx_traced *larger = WL_ARENA_NEW(&s->arena, wl_ptx_traced, room);
        if (!larger)
            return wl_fail_memory(err);
        if (s->traced_count > 0)
            memcpy(larger, s->traced, s->traced_count * sizeof *larger);
        s->traced = larger;
        s->traced_room = room;
    }
    int32_t *first = &s->first_traced[number_of(s, t)];
    s->traced[s->traced_count] =
        (wl_ptx_traced){t->function, t->instruction, buffer, t->store, t->atomic, t->bytes, *first, {0}, false};
    add_addresses(&s->traced[s->traced_count], t);
    *first = (int32_t)s->traced_count++;
    return WL_OK;
}

static int by_program(const void *p, const void *q)
{
    const wl_ptx_traced *a = p, *b = q;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->instruction != b->instruction)
        return a->instruction < b->instruction ? -1 : 1;
    const uint64_t at_a = a->buffer ? a->buffer->base : 0, at_b = b->buffer ? b->buffer->base : 0;
    return at_a != at_b ? (at_a > at_b) - (at_a < at_b) : (int)a->store - (int)b->store;
}

static wl_status look_at(wl_ptx_source *s, const int64_t block[3], wl_error *err)
{
    for (size_t t = 0; t < s->traced_count; t++)
        s->traced[t].pattern.started = false;
    return wl_ptx_emulate_block(s->emulator, block, -1, &s->profile, note_traced, s, err);
}

wl_status wl_ptx_find_traced(wl_ptx_source *s, wl_error *err)
{
    const int64_t blocks = s->launch.grid[0] * s->launch.grid[1] * s->launch.grid[2];
    int64_t sampled = wl_min(blocks, SAMPLED_BLOCKS), block[3];
    WL_TRY(wl_ptx_take_census(s, err));
    for (int64_t i = 0; i < sampled; i++) {
        wl_ptx_sample_block(&s->launch, i, sampled, block);
        WL_TRY(look_at(s, block, err));
    }
    for (size_t i = 0; i < s->census.witness_count && sampled < blocks; i++, sampled++) {
        wl_ptx_block_of(&s->launch, s->census.witness[i], block);
        WL_TRY(look_at(s, block, err));
    }
    double spent = BANK_COST * s->shared_lanes;
    for (int32_t i = 0; i < s->profile.count; i++)
        spent += WL_PTX_LANES * s->profile.warps[i];
    s->affordable = (int64_t)(AFFORDABLE / (spent / (double)sampled + 1));
    if (s->traced_count > 0)
        qsort(s->traced, s->traced_count, sizeof *s->traced, by_program);
    for (size_t i = 0; i < s->traced_count; i++)
        s->first_traced[s->profile.first[s->traced[i].function] + s->traced[i].instruction] = -1;
    for (size_t i = s->traced_count; i-- > 0;) {
        int32_t *first = &s->first_traced[s->profile.first[s->traced[i].function] + s->traced[i].instruction];
        s->traced[i].next = *first;
        *first = (int32_t)i;
    }
    s->found_all = true;
    return WL_OK;
}

/* ---- the trace of a block ---- */

typedef struct kept_trace {
    int64_t number; /* linear block index */
    wl_block_trace trace;
    wl_execution *executions;
    int64_t *addresses;
    size_t *first;
    size_t count, room, address_count, address_room;
    struct kept_trace *next;
} kept_trace;

typedef struct wl_ptx_cache {
    kept_trace *slots[CACHE_SLOTS];
    size_t bytes;
} wl_ptx_cache;

static void free_trace(kept_trace *t)
{
    free(t->executions);
    free(t->addresses);
    free(t->first);
    free(t);
}

static void clear(wl_ptx_cache *cache)
{
    for (size_t i = 0; i < CACHE_SLOTS; i++)
        while (cache->slots[i]) {
            kept_trace *t = cache->slots[i];
            cache->slots[i] = t->next;
            free_trace(t);
        }
    cache->bytes = 0;
}

void wl_ptx_cache_free(wl_ptx_cache *cache)
{
    if (cache)
        clear(cache);
    free(cache);
}

static bool make_room(void **array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return true;
    const size_t larger = (needed > 2 * *room ? needed : 2 * *room) + 256;
    void *fresh = realloc(*array, larger * size);
    if (!fresh)
        return false;
    *array = fresh;
    *room = larger;
    return true;
}

typedef struct recorder {
    wl_ptx_source *source;
    kept_trace *trace;
} recorder;

/* Compilers reduce an atomic over the warp first if all lanes have one address. */
static bool one_lane(const wl_ptx_source *s, const wl_ptx_traced *t)
{
    return t->atomic && !t->varies &&
           wl_ptx_combines_lanes(&s->launch.module->functions[t->function].instructions[t->instruction]);
}

static wl_status record(void *user, const wl_ptx_touch *t, wl_error *err)
{
    recorder *r = user;
    kept_trace *k = r->trace;
    if (!concerns(r->source, t))
        return WL_OK;
    const wl_ptx_buffer *buffer = buffer_of(r->source, t);
    const int32_t traced = find(r->source, t, buffer);
    if (traced < 0) {
        r->source->missed = true;
        return WL_OK;
    }
    const uint32_t taking_part = one_lane(r->source, &r->source->traced[traced]) ? t->lanes & -t->lanes : t->lanes;
    const size_t lanes = (size_t)__builtin_popcount(taking_part);
    if (!make_room((void **)&k->executions, &k->room, k->count + 1, sizeof *k->executions) ||
        !make_room((void **)&k->addresses, &k->address_room, k->address_count + lanes, sizeof *k->addresses))
        return wl_fail_memory(err);
    /* the array moves as it grows: store an offset now, make it a pointer at the end */
    k->executions[k->count++] = (wl_execution){(uint32_t)(r->source->access_base + (size_t)traced), (uint32_t)t->warp,
                                               taking_part, (const int64_t *)(uintptr_t)k->address_count};
    for (uint32_t left = taking_part; left; left &= left - 1)
        k->addresses[k->address_count++] = (int64_t)(t->address[__builtin_ctz(left)] - (buffer ? buffer->base : 0));
    return WL_OK;
}

/* By access, then warp, then time: addresses are in order of time. */
static int by_access(const void *p, const void *q)
{
    const wl_execution *a = p, *b = q;
    if (a->access != b->access)
        return a->access < b->access ? -1 : 1;
    if (a->warp != b->warp)
        return a->warp < b->warp ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static wl_status finish(const wl_ptx_source *s, kept_trace *k, wl_error *err)
{
    const size_t accesses = s->access_base + s->traced_count;
    k->first = calloc(accesses + 1, sizeof *k->first);
    if (!k->first)
        return wl_fail_memory(err);
    for (size_t i = 0; i < k->count; i++) {
        k->executions[i].address = k->addresses + (uintptr_t)k->executions[i].address;
        k->first[k->executions[i].access + 1]++;
    }
    for (size_t a = 0; a < accesses; a++)
        k->first[a + 1] += k->first[a];
    if (k->count > 0)
        qsort(k->executions, k->count, sizeof *k->executions, by_access);
    k->trace = (wl_block_trace){k->executions, k->count, k->first};
    return WL_OK;
}

wl_status wl_ptx_trace_block(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err)
{
    wl_ptx_source *s = context;
    const int64_t *g = s->launch.grid, number = block[0] + g[0] * (block[1] + g[1] * block[2]);
    if (!s->cache && !(s->cache = calloc(1, sizeof *s->cache)))
        return wl_fail_memory(err);
    kept_trace **slot = &s->cache->slots[(size_t)number % CACHE_SLOTS];
    for (const kept_trace *k = *slot; k; k = k->next)
        if (k->number == number) {
            *out = &k->trace;
            return WL_OK;
        }
    if (s->cache->bytes > CACHE_BYTES)
        clear(s->cache);
    recorder r = {s, calloc(1, sizeof *r.trace)};
    if (!r.trace)
        return wl_fail_memory(err);
    r.trace->number = number;
    wl_status status = wl_ptx_emulate_block(s->emulator, block, -1, NULL, record, &r, err);
    if (status == WL_OK)
        status = finish(s, r.trace, err);
    if (status != WL_OK) {
        free_trace(r.trace);
        return status;
    }
    s->cache->bytes += r.trace->room * sizeof(wl_execution) + r.trace->address_room * sizeof(int64_t);
    r.trace->next = *slot;
    *slot = r.trace;
    *out = &r.trace->trace;
    return WL_OK;
}
