/* pieces.c - see pieces.h. SPDX-License-Identifier: MIT */
#include "footprint/pieces.h"

#include <string.h>

#include "base/fail.h"

#define PIECES_MAX 16 /* beyond, threads are evaluated one by one */

typedef struct maker {
    const wl_kernel *kernel;
    const wl_geometry *geometry;
    const wl_ranges *ranges;
    wl_quotients quotients;
    wl_bound *bound; /* whose pieces they are */
    wl_bound *pieces;
    int count;
    const wl_kept_guard **kept;
    wl_arena *arena;
    bool no_memory;
} maker;

/* Blocks and cells take many values, and what holds for some of them makes blocks differ. Cells of
 * blocks that hold whole periods have become threads (kernel/expr.c). */
static bool is_of_threads(const wl_form *form)
{
    for (int d = 0; d < 3; d++)
        if (form->k[WL_VAR_X + d] || form->k[WL_VAR_BLOCK_X + d])
            return false;
    return true;
}

/* The condition under which all quotients have their values, and the access is executed. */
static bool make_guard(const maker *m, wl_guard *guard)
{
    const wl_expr *when = m->bound->conditional ? m->bound->access->when : NULL;
    *guard = (wl_guard){0};
    if (when && !wl_guard_make(when, m->geometry, m->ranges, guard))
        return false;
    for (int i = 0; i < m->quotients.count; i++) {
        const wl_quotient *q = &m->quotients.known[i];
        if (!wl_guard_narrow(guard, &q->rest, q->value * q->divisor, (q->value + 1) * q->divisor - 1, m->geometry,
                             m->ranges))
            return false;
    }
    return guard->count > 0;
}

/* False: not affine piece by piece, or too many pieces. */
static bool make_pieces(maker *m)
{
    wl_ranges ranges = *m->ranges;
    wl_error ignored = {0};
    wl_form form;
    bool affine = false;
    ranges.quotients = &m->quotients;
    m->quotients.has_open = false;
    if (wl_bind_address(m->kernel, m->bound->access, m->geometry, &ranges, &affine, &form, &ignored) != WL_OK)
        return false;
    if (affine) {
        wl_guard guard;
        if (m->count == PIECES_MAX || m->quotients.count == 0 || !make_guard(m, &guard))
            return false;
        const wl_guard *own = wl_guard_keep(m->kept, &guard, m->arena);
        m->no_memory = !own;
        m->pieces[m->count++] =
            (wl_bound){m->bound->access, .conditional = true, .linear = true, .form = form, .guard = own};
        return own;
    }
    const wl_quotient open = m->quotients.open;
    if (!m->quotients.has_open || m->quotients.count == WL_QUOTIENTS_MAX || open.hi - open.lo >= PIECES_MAX ||
        !is_of_threads(&open.rest))
        return false;
    wl_quotient *next = &m->quotients.known[m->quotients.count++];
    *next = open;
    bool ok = true;
    for (next->value = open.lo; ok && next->value <= open.hi; next->value++)
        ok = make_pieces(m);
    m->quotients.count--;
    return ok;
}

wl_status wl_pieces_make(const wl_kernel *kernel, const wl_geometry *geometry, const wl_ranges *ranges,
                         const wl_kept_guard **kept, wl_arena *arena, wl_bound *bound, wl_error *err)
{
    wl_bound pieces[PIECES_MAX];
    maker m = {kernel, geometry, ranges, {0}, bound, pieces, 0, kept, arena, false};
    if (bound->affine || bound->linear || bound->never || bound->access->traced ||
        kernel->fields[bound->access->field].shared)
        return WL_OK;
    for (int d = 0; d < 3; d++)
        m.quotients.block[d] = geometry->fold[d] == 1 ? geometry->block[d] : 0;
    const bool made = make_pieces(&m);
    if (!made)
        return m.no_memory ? wl_fail_memory(err) : WL_OK;
    wl_bound *own = WL_ARENA_NEW(arena, wl_bound, m.count);
    if (!own)
        return wl_fail_memory(err);
    memcpy(own, pieces, (size_t)m.count * sizeof *own);
    bound->pieces = own;
    bound->piece_count = m.count;
    return WL_OK;
}
