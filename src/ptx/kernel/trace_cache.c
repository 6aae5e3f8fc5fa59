/* trace_cache.c - the traced accesses of a block, cached for later queries. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/room.h"
#include "ptx/kernel/ptx_source.h"

#define CACHE_SLOTS ((size_t)1 << 14)

typedef struct kept_trace {
    int64_t number; /* linear block index */
    wl_block_trace trace;
    wl_execution *executions;
    size_t count, room;
    uint8_t *data; /* addresses */
    size_t data_bytes, data_room;
    size_t *first;
    bool by_warp; /* executions are already sorted by warp */
    struct kept_trace *next;
} kept_trace;

typedef struct wl_ptx_cache {
    kept_trace *slots[CACHE_SLOTS];
    size_t bytes;
} wl_ptx_cache;

static void free_trace(kept_trace *t)
{
    free(t->executions);
    free(t->data);
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

/* ---- recording ---- */

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

/* The shortest form that holds the addresses. */
static wl_execution_form form_of(const int64_t *address, int n)
{
    const int64_t step = n > 1 ? address[1] - address[0] : 0;
    bool even = true, near = true;
    for (int i = 1; i < n; i++) {
        const int64_t distance = address[i] - address[0];
        even = even && distance == i * step;
        near = near && distance >= INT32_MIN && distance <= INT32_MAX;
    }
    return even ? WL_EXECUTION_EVEN : near ? WL_EXECUTION_NEAR : WL_EXECUTION_LISTED;
}

/* Memory moves as it grows: offsets are stored first and become pointers at the end. */
static bool keep_addresses(kept_trace *k, const int64_t *address, int n, wl_execution *e)
{
    e->form = (uint16_t)form_of(address, n);
    e->base = n > 0 ? address[0] : 0;
    if (e->form == WL_EXECUTION_EVEN) {
        e->at.step = n > 1 ? address[1] - address[0] : 0;
        return true;
    }
    const size_t size = e->form == WL_EXECUTION_NEAR ? sizeof(int32_t) : sizeof(int64_t);
    k->data_bytes = (k->data_bytes + size - 1) / size * size;
    if (!WL_ROOM(k->data, k->data_bytes + (size_t)n * size, k->data_room))
        return false;
    e->at.step = (int64_t)k->data_bytes;
    for (int i = 0; i < n; i++) {
        const int32_t distance = (int32_t)(address[i] - address[0]);
        memcpy(k->data + k->data_bytes, size == sizeof distance ? (const void *)&distance : (const void *)&address[i],
               size);
        k->data_bytes += size;
    }
    return true;
}

static wl_status record(void *user, const wl_ptx_touch *t, wl_error *err)
{
    recorder *r = user;
    kept_trace *k = r->trace;
    int64_t base;
    if (!wl_ptx_is_traced(r->source, t))
        return WL_OK;
    const int32_t traced = wl_ptx_traced_of(r->source, t, &base);
    if (traced < 0)
        return WL_OK;
    const uint32_t taking_part = one_lane(r->source, &r->source->traced[traced]) ? t->lanes & -t->lanes : t->lanes;
    int64_t address[WL_PTX_LANES];
    int n = 0;
    for (uint32_t left = taking_part; left; left &= left - 1)
        address[n++] = (int64_t)t->address[__builtin_ctz(left)] - base;
    wl_execution e = {
        .access = (uint32_t)(r->source->access_base + (size_t)traced), .warp = (uint16_t)t->warp, .lanes = taking_part};
    if (!keep_addresses(k, address, n, &e) || !WL_ROOM(k->executions, k->count + 1, k->room))
        return wl_fail_memory(err);
    k->by_warp = k->by_warp && (k->count == 0 || k->executions[k->count - 1].warp <= e.warp);
    k->executions[k->count++] = e;
    return WL_OK;
}

/* ---- order ---- */

static size_t key_of(const wl_execution *e, bool by_access) { return by_access ? e->access : e->warp; }

/* Sorts by access or by warp, and keeps the order of equals. first[k]: the first with that key. */
static void sort(const wl_execution *from, size_t count, bool by_access, size_t keys, size_t *first, wl_execution *to)
{
    memset(first, 0, (keys + 1) * sizeof *first);
    for (size_t i = 0; i < count; i++)
        first[key_of(&from[i], by_access) + 1]++;
    for (size_t k = 0; k < keys; k++)
        first[k + 1] += first[k];
    for (size_t i = 0; i < count; i++)
        to[first[key_of(&from[i], by_access)]++] = from[i];
    for (size_t k = keys; k > 0; k--)
        first[k] = first[k - 1];
    first[0] = 0;
}

/* By access, then warp, then time. */
static wl_status finish(const wl_ptx_source *s, kept_trace *k, wl_error *err)
{
    const size_t accesses = s->access_base + s->traced_count, keys = (size_t)wl_max((int64_t)accesses, UINT16_MAX);
    wl_execution *other = malloc((k->count + 1) * sizeof *other);
    k->first = malloc((keys + 1) * sizeof *k->first);
    if (!other || !k->first) {
        free(other);
        return wl_fail_memory(err);
    }
    if (!k->by_warp) {
        sort(k->executions, k->count, false, UINT16_MAX, k->first, other);
        memcpy(k->executions, other, k->count * sizeof *other);
    }
    sort(k->executions, k->count, true, accesses, k->first, other);
    free(k->executions);
    k->executions = other;
    uint8_t *fitting = k->data_bytes > 0 ? realloc(k->data, k->data_bytes) : NULL;
    k->data = fitting ? fitting : k->data;
    for (size_t i = 0; i < k->count; i++) {
        wl_execution *e = &other[i];
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) sort() fills all */
        if (e->form == WL_EXECUTION_NEAR)
            e->at.near = (const int32_t *)(const void *)(k->data + e->at.step);
        else if (e->form == WL_EXECUTION_LISTED)
            e->at.listed = (const int64_t *)(const void *)(k->data + e->at.step);
    }
    size_t *exact = realloc(k->first, (accesses + 1) * sizeof *exact);
    k->first = exact ? exact : k->first;
    k->trace = (wl_block_trace){k->executions, k->count, k->first};
    return WL_OK;
}

/* ---- the cache ---- */

static wl_status make_trace(wl_ptx_source *s, const int64_t block[3], int64_t number, kept_trace **out, wl_error *err)
{
    recorder r = {s, calloc(1, sizeof *r.trace)};
    if (!r.trace)
        return wl_fail_memory(err);
    r.trace->number = number;
    r.trace->by_warp = true;
    wl_status status = wl_ptx_emulate_block(s->emulator, block, -1, NULL, record, &r, err);
    if (status == WL_OK)
        status = finish(s, r.trace, err);
    if (status != WL_OK) {
        free_trace(r.trace);
        return status;
    }
    *out = r.trace;
    return WL_OK;
}

wl_status wl_ptx_trace_block(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err)
{
    wl_ptx_source *s = context;
    const int64_t *g = s->launch.grid, number = block[0] + g[0] * (block[1] + g[1] * block[2]);
    if (!s->cache && !(s->cache = calloc(1, sizeof *s->cache)))
        return wl_fail_memory(err);
    kept_trace **slot = &s->cache->slots[(size_t)number % CACHE_SLOTS], *made = NULL;
    for (const kept_trace *k = *slot; k; k = k->next)
        if (k->number == number) {
            *out = &k->trace;
            return WL_OK;
        }
    if (s->cache->bytes > WL_PTX_CACHE_BYTES)
        clear(s->cache);
    WL_TRY(make_trace(s, block, number, &made, err));
    s->cache->bytes += sizeof *made + made->count * sizeof(wl_execution) + made->data_bytes +
                       (s->access_base + s->traced_count) * sizeof *made->first;
    made->next = *slot;
    *slot = made;
    *out = &made->trace;
    return WL_OK;
}
