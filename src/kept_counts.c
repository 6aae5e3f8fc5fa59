/* kept_counts.c - see kept_counts.h. SPDX-License-Identifier: MIT */
#include "kept_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define WL_KEPT_WAYS 4               /* launches of one hash */
#define KEPT_BYTES ((size_t)8 << 20) /* of a predictor, at most */
#define SETS_LEAST ((size_t)2)       /* even if a launch has very many accesses */
#define SETS_MOST ((size_t)1024 / WL_KEPT_WAYS)

typedef struct wl_kept_launch {
    wl_launch launch;
    int64_t samples; /* of the L1 */
    wl_warps_result warps;
    bool has_traffic;
    wl_traffic traffic;
    wl_count_method method;
    wl_kept_distinct distinct;
    wl_access_cost *costs; /* behind this, as are the fields of the traffic */
} wl_kept_launch;

/* What warps depend on. */
static uint64_t hash_of(const wl_launch *l, int64_t samples)
{
    uint64_t h = (uint64_t)samples;
    for (int d = 0; d < 3; d++) {
        h = wl_hash_add(h, (uint64_t)l->block[d]);
        h = wl_hash_add(h, (uint64_t)l->fold[d]);
        h = wl_hash_add(h, (uint64_t)l->grid[d]);
    }
    h = wl_hash_add(h, (uint64_t)l->schedule.kind);
    h = wl_hash_add(h, (uint64_t)l->schedule.width);
    return wl_hash_end(wl_hash_add(h, (uint64_t)l->schedule.height));
}

static bool has_same_warps(const wl_kept_launch *k, const wl_launch *l, int64_t samples)
{
    return k->samples == samples && memcmp(k->launch.block, l->block, sizeof l->block) == 0 &&
           memcmp(k->launch.fold, l->fold, sizeof l->fold) == 0 &&
           memcmp(k->launch.grid, l->grid, sizeof l->grid) == 0 && k->launch.schedule.kind == l->schedule.kind &&
           k->launch.schedule.width == l->schedule.width && k->launch.schedule.height == l->schedule.height;
}

static bool has_same_waves(const wl_kept_launch *k, const wl_launch *l)
{
    return k->launch.registers == l->registers && k->launch.shared_bytes == l->shared_bytes;
}

static wl_kept_launch **set_of(const wl_kept_counts *kept, const wl_launch *launch, int64_t samples)
{
    return &kept->slots[hash_of(launch, samples) % kept->sets * WL_KEPT_WAYS];
}

wl_recalled wl_kept_counts_find(const wl_kept_counts *kept, const wl_launch *launch, int64_t samples,
                                wl_replays replays, wl_access_cost *costs, wl_counts *out)
{
    wl_recalled found = {0};
    if (!kept->slots)
        return found;
    wl_kept_launch *const *set = set_of(kept, launch, samples);
    for (int i = 0; i < WL_KEPT_WAYS && !found.traffic; i++) {
        const wl_kept_launch *k = set[i];
        if (!k || !has_same_warps(k, launch, samples))
            continue;
        found = (wl_recalled){true, has_same_waves(k, launch) && (!k->has_traffic || k->traffic.replays >= replays)};
        memcpy(costs, k->costs, kept->accesses * sizeof *costs);
        out->warps = k->warps;
        if (found.traffic) {
            out->has_traffic = k->has_traffic;
            out->traffic = k->traffic;
            out->method = k->method;
        }
    }
    return found;
}

static size_t bytes_of(const wl_kept_counts *kept)
{
    return sizeof(wl_kept_launch) + kept->accesses * sizeof(wl_access_cost) +
           wl_traffic_room(kept->fields, kept->bypasses_l1);
}

static bool is_started(wl_kept_counts *kept, const wl_kernel *kernel)
{
    if (kept->slots)
        return true;
    kept->accesses = kernel->access_count;
    kept->fields = kernel->field_count;
    kept->bypasses_l1 = wl_kernel_bypasses_l1(kernel);
    kept->sets = SETS_MOST;
    while (kept->sets > SETS_LEAST && kept->sets * WL_KEPT_WAYS * bytes_of(kept) > KEPT_BYTES)
        kept->sets /= 2;
    kept->slots = calloc(kept->sets * WL_KEPT_WAYS, sizeof *kept->slots);
    return kept->slots != NULL;
}

/* An empty one of the set, or the next in turn. */
static wl_kept_launch *room_in(wl_kept_counts *kept, wl_kept_launch **set)
{
    int i = 0;
    while (i < WL_KEPT_WAYS && set[i])
        i++;
    if (i == WL_KEPT_WAYS)
        return set[kept->turn++ % WL_KEPT_WAYS];
    return set[i] = malloc(bytes_of(kept));
}

void wl_kept_counts_add(wl_kept_counts *kept, const wl_kernel *kernel, const wl_launch *launch, int64_t samples,
                        const wl_access_cost *costs, const wl_counts *counts)
{
    wl_kept_launch *k = is_started(kept, kernel) ? room_in(kept, set_of(kept, launch, samples)) : NULL;
    if (!k)
        return;
    *k = (wl_kept_launch){.launch = *launch,
                          .samples = samples,
                          .warps = counts->warps,
                          .has_traffic = counts->has_traffic,
                          .method = counts->method,
                          .costs = (wl_access_cost *)(k + 1)};
    memcpy(k->costs, costs, kept->accesses * sizeof *costs);
    if (k->has_traffic)
        wl_traffic_copy(&counts->traffic, k->costs + kept->accesses, &k->traffic);
}

wl_kept_distinct *wl_kept_distinct_of(const wl_kept_counts *kept, const wl_launch *launch, int64_t samples)
{
    if (!kept->slots)
        return NULL;
    wl_kept_launch *const *set = set_of(kept, launch, samples);
    for (int i = 0; i < WL_KEPT_WAYS; i++)
        if (set[i] && has_same_warps(set[i], launch, samples) && has_same_waves(set[i], launch))
            return &set[i]->distinct;
    return NULL;
}

void wl_kept_counts_free(wl_kept_counts *kept)
{
    for (size_t i = 0; kept->slots && i < kept->sets * WL_KEPT_WAYS; i++)
        free(kept->slots[i]);
    free(kept->slots);
    kept->slots = NULL;
}
