/* warps_internal.h - shared by the three ways to compute the cost of warps: in closed form
 * (warps.c), in closed form under a condition (warps_guarded.c), and lane by lane (warps_opaque.c).
 * Layer  count. SPDX-License-Identifier: MIT */
#ifndef WL_COUNT_WARPS_INTERNAL_H
#define WL_COUNT_WARPS_INTERNAL_H

#include "count/pattern.h"
#include "count/tag_window.h"
#include "count/warps.h"

typedef struct wl_warps_measurer {
    const wl_kernel *kernel;
    const wl_bound *bounds;
    wl_pattern_context context;
    int64_t samples;
    wl_access_cost *costs;
    wl_warps_result *result;
    wl_error *err;
    wl_atomic_lines *atomics; /* NULL: not counted */
    wl_swap_words *swaps;     /* NULL: none */
    uint8_t *constants;       /* lines of constant memory that were read; NULL: none */
} wl_warps_measurer;

/* Shared memory has banks but neither tags nor sectors. */
static inline bool is_shared(const wl_warps_measurer *m, size_t access)
{
    return m->kernel->fields[m->bounds[access].access->field].shared;
}

/* Contention of global atomics has no closed form. */
static inline bool is_global_atomic(const wl_warps_measurer *m, size_t access)
{
    return m->bounds[access].access->atomic && !is_shared(m, access);
}

/* An affine address under an affine condition? */
static inline bool is_guarded(const wl_warps_measurer *m, size_t access)
{
    return m->bounds[access].guard && !is_global_atomic(m, access);
}

/* Is it evaluated lane by lane? */
static inline bool is_evaluated(const wl_warps_measurer *m, size_t access)
{
    const wl_bound *b = &m->bounds[access];
    return (!b->affine || is_global_atomic(m, access)) && !is_guarded(m, access) && !b->never && !b->access->traced;
}

/* A plain load may also access the memory of a texture. */
static inline bool is_texture(const wl_warps_measurer *m, size_t access)
{
    const wl_access *a = m->bounds[access].access;
    return m->kernel->fields[a->field].reached != WL_BY_LOADS && a->request_lanes > 0;
}

static inline void add_written(wl_access_cost *cost, const wl_warp_written *w, double weight)
{
    cost->lines += weight * w->lines;
    cost->units += weight * w->units;
    cost->full += weight * w->full;
}

static inline void add_tag_total(wl_access_cost *cost, wl_tag_total total, double scale, bool store)
{
    if (store) {
        cost->split += scale * total.split;
        cost->stored_tag += scale * total.tag;
        cost->stored_cold += scale * total.cold;
        return;
    }
    cost->tag += scale * total.tag;
    cost->cold += scale * total.cold;
}

static inline void add_sampled(wl_sampled_warps *sampled, double evaluated, double instructions)
{
    sampled->evaluated += evaluated;
    sampled->instructions += instructions;
}

/* Accesses under an affine condition. */
wl_status wl_warps_measure_guarded(const wl_warps_measurer *measurer, wl_arena *scratch);

/* Accesses without a closed form, and traced ones: evaluated for blocks of the launch, sampled
 * where they are many. */
wl_status wl_warps_measure_opaque(const wl_warps_measurer *measurer, wl_arena *arena);

#endif /* WL_COUNT_WARPS_INTERNAL_H */
