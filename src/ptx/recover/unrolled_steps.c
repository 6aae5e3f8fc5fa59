/* unrolled_steps.c - see unrolled_steps.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/unrolled_steps.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

#define LOOP_VARS (7u << WL_VAR_LOOP_0)

/* ---- executions in program order ---- */

static size_t step_at(const size_t *list, size_t position) { return list ? list[position] : position; }

/* The position of the first step of the list that is not before `step`. */
static size_t position_of(const size_t *list, size_t count, size_t step)
{
    size_t lo = 0, hi = count;
    while (list && lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (list[middle] < step)
            lo = middle + 1;
        else
            hi = middle;
    }
    return list ? lo : step;
}

void wl_ptx_first_execution(const wl_ptx_recovery *recovery, const size_t *list, size_t count, wl_ptx_execution *out)
{
    *out = (wl_ptx_execution){.step = count > 0 ? step_at(list, 0) : recovery->step_count};
}

void wl_ptx_next_execution(const wl_ptx_recovery *recovery, const size_t *list, size_t count, wl_ptx_execution *at)
{
    const size_t position = position_of(list, count, at->step) + 1;
    const size_t next = position < count ? step_at(list, position) : recovery->step_count;
    for (int32_t l = recovery->steps[at->step].loop; l >= 0; l = recovery->loops[l].parent) {
        const wl_ptx_kept_loop *loop = &recovery->loops[l];
        int64_t *trip = &at->trip[loop->var - WL_VAR_LOOP_0];
        if (next < loop->end)
            break;
        if (++*trip < loop->trips) {
            at->step = step_at(list, position_of(list, count, loop->first));
            return;
        }
        *trip = 0;
    }
    at->step = next;
}

int64_t wl_ptx_trips_of(const wl_ptx_recovery *recovery, size_t step)
{
    int64_t n = 1;
    for (int32_t l = recovery->steps[step].loop; l >= 0; l = recovery->loops[l].parent)
        if (!wl_mul(n, recovery->loops[l].trips, &n))
            return WL_FAR;
    return wl_min(n, WL_FAR);
}

int64_t wl_ptx_execution_count(const wl_ptx_recovery *recovery)
{
    int64_t n = 0;
    for (size_t i = 0; i < recovery->step_count; i++)
        n = wl_min(WL_FAR, n + wl_ptx_trips_of(recovery, i));
    return n;
}

void wl_ptx_set_trips(const wl_ptx_execution *at, int64_t values[WL_VAR_COUNT])
{
    for (int i = 0; i < WL_LOOPS_MAX; i++)
        values[WL_VAR_LOOP_0 + i] = at->trip[i];
}

/* ---- constants of a symbol ---- */

void wl_ptx_term_order(const wl_symbol *symbol, int *order)
{
    for (int i = 0; i < symbol->count; i++) {
        const wl_term *t = &symbol->terms[i];
        int at = i;
        for (; at > 0; at--) {
            const wl_term *u = &symbol->terms[order[at - 1]];
            if (u->atom->skeleton < t->atom->skeleton || (u->atom->skeleton == t->atom->skeleton && u->k <= t->k))
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* Writes down the constants; returns how many there are so far, or -1 if there are too many. */
static int places_of(const wl_symbol *symbol, int64_t *out, int n)
{
    int order[64];
    if (n < 0 || n == WL_PTX_PLACES_MAX || symbol->count > 64)
        return -1;
    out[n++] = symbol->c;
    wl_ptx_term_order(symbol, order);
    for (int i = 0; i < symbol->count && n >= 0; i++) {
        const wl_atom *atom = symbol->terms[order[i]].atom;
        /* in the order of the text: select(c, a, b) */
        n = atom->c ? places_of(atom->c, out, n) : n;
        n = n >= 0 && atom->a ? places_of(atom->a, out, n) : n;
        n = n >= 0 && atom->b ? places_of(atom->b, out, n) : n;
    }
    return n;
}

int wl_ptx_constants_of(const wl_symbol *address, const wl_symbol *when, int64_t out[WL_PTX_PLACES_MAX])
{
    const int n = places_of(address, out, 0);
    return n >= 0 && when ? places_of(when, out, n) : n;
}

bool wl_ptx_symbols_at(wl_ptx_recovery *recovery, const wl_ptx_execution *at, bool fix, const wl_symbol **address,
                       const wl_symbol **when)
{
    wl_symbols *s = &recovery->symbols;
    const wl_ptx_thread_access *step = &recovery->steps[at->step];
    int64_t values[WL_VAR_COUNT] = {0};
    wl_ptx_set_trips(at, values);
    *address = wl_sym_at(s, step->address, LOOP_VARS, values);
    *when = step->when ? wl_sym_at(s, step->when, LOOP_VARS, values) : NULL;
    if (fix) {
        *address = wl_sym_fix(s, *address);
        *when = step->when ? wl_sym_fix(s, *when) : NULL;
    }
    return *address && (*when || !step->when);
}

/* ---- forms ---- */

typedef struct builder {
    wl_ptx_recovery *recovery;
    size_t step;
    bool fix;
    wl_ptx_step_form *out;
} builder;

/* The constants in one execution; false: the symbols are not those of the first. */
static bool constants_at(builder *b, const int64_t trip[WL_LOOPS_MAX], int64_t *constants)
{
    wl_ptx_execution at = {.step = b->step};
    const wl_symbol *address, *when;
    memcpy(at.trip, trip, sizeof at.trip);
    if (!wl_ptx_symbols_at(b->recovery, &at, b->fix, &address, &when) || !when != !b->out->when ||
        address->skeleton != b->out->address->skeleton || (when && when->skeleton != b->out->when->skeleton))
        return false;
    return wl_ptx_constants_of(address, when, constants) == b->out->places;
}

static bool is_as_told(builder *b, const int64_t trip[WL_LOOPS_MAX])
{
    int64_t constants[WL_PTX_PLACES_MAX];
    if (!constants_at(b, trip, constants))
        return false;
    for (int p = 0; p < b->out->places; p++) {
        wl_wide told = b->out->constants[p];
        for (int l = 0; l < WL_LOOPS_MAX; l++)
            told += b->out->growth[l] ? (wl_wide)b->out->growth[l][p] * trip[l] : 0;
        if (told != constants[p])
            return false;
    }
    return true;
}

#define SAMPLES 8

/* The sampled trips: the first ones, the middle and the end; returns how many. */
static int sample_trips(int64_t n, int64_t out[SAMPLES])
{
    const int64_t wanted[SAMPLES] = {0, 1, 2, 3, n / 2, n / 2 + 1, n - 2, n - 1};
    int count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        bool is_new = wanted[i] >= 0 && wanted[i] < n;
        for (int j = 0; j < count; j++)
            is_new = is_new && out[j] != wanted[i];
        if (is_new)
            out[count++] = wanted[i];
    }
    return count;
}

/* Constants come from sums, quotients and remainders of trips. Such a function is linear if it is
 * linear in the first trips, in the middle and at the end: once a remainder wraps around or a
 * quotient steps, it never returns to the line. */
static bool is_even(builder *b, const int64_t trips[WL_LOOPS_MAX])
{
    int64_t samples[WL_LOOPS_MAX][SAMPLES];
    int count[WL_LOOPS_MAX], all = 1;
    for (int l = 0; l < WL_LOOPS_MAX; l++) {
        count[l] = sample_trips(trips[l], samples[l]);
        all *= count[l];
    }
    for (int i = 0; i < all; i++) {
        const int64_t trip[WL_LOOPS_MAX] = {samples[0][i % count[0]], samples[1][i / count[0] % count[1]],
                                            samples[2][i / count[0] / count[1]]};
        if (!is_as_told(b, trip))
            return false;
    }
    return true;
}

wl_status wl_ptx_step_form_make(wl_ptx_recovery *recovery, size_t step, bool fix, wl_arena *arena,
                                wl_ptx_step_form *out, wl_error *err)
{
    builder b = {recovery, step, fix, out};
    const wl_ptx_execution start = {.step = step};
    int64_t trips[WL_LOOPS_MAX] = {1, 1, 1}, constants[WL_PTX_PLACES_MAX], next[WL_PTX_PLACES_MAX];
    *out = (wl_ptx_step_form){.even = true, .places = -1};
    if (!wl_ptx_symbols_at(recovery, &start, fix, &out->address, &out->when)) {
        out->address = NULL;
        return WL_OK;
    }
    out->places = wl_ptx_constants_of(out->address, out->when, constants);
    if (out->places < 0) {
        out->even = recovery->steps[step].loop < 0;
        return WL_OK;
    }
    out->constants = WL_ARENA_NEW(arena, int64_t, out->places + 1);
    if (!out->constants)
        return wl_fail_memory(err);
    memcpy(out->constants, constants, (size_t)out->places * sizeof *constants);
    for (int32_t l = recovery->steps[step].loop; l >= 0; l = recovery->loops[l].parent) {
        const int i = (int)recovery->loops[l].var - WL_VAR_LOOP_0;
        int64_t trip[WL_LOOPS_MAX] = {0, 0, 0};
        trips[i] = recovery->loops[l].trips;
        trip[i] = 1;
        out->growth[i] = WL_ARENA_NEW(arena, int64_t, out->places + 1);
        if (!out->growth[i])
            return wl_fail_memory(err);
        out->even = out->even && constants_at(&b, trip, next);
        for (int p = 0; p < out->places && out->even; p++)
            out->growth[i][p] = next[p] - constants[p];
    }
    out->even = out->even && is_even(&b, trips);
    return WL_OK;
}
