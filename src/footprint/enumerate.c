/* enumerate.c - footprints of accesses that are not affine: every thread and every loop step.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "footprint/cell_rows.h"
#include "footprint/count.h"
#include "footprint/reach.h"
#include "kernel/loop_period.h"
#include "kernel/loop_slide.h"
#include "launch/lanes.h"

/* address ranges added for loops with a constant stride */
#define ADVANCE_BUDGET (WL_THREADS_BUDGET / 8)
#define LANES 64 /* threads evaluated together; any number works */

typedef struct walk {
    wl_granules *granules, *starts;
    const wl_region *region;
    wl_counter *counter;
    int shift; /* log2 of the granule */
    int32_t width;
    int64_t before;       /* granule added last */
    int64_t below, above; /* bytes before and behind its address that a loop adds */
    wl_reach *reach;      /* of the access that is evaluated; NULL: no access can stop early */
} walk;

static double steps_of(const wl_region *region, const wl_bound *bound)
{
    double product = 1;
    for (int l = 0; l < region->kernel->loop_count; l++)
        product *= bound->loops >> l & 1 ? (double)wl_region_steps(region)[l] : 1;
    return product;
}

/* An access in a loop whose stride is the same for all threads: the addresses at its first step
 * determine the rest. */
static bool advances_evenly(const wl_region *region, const wl_bound *bound)
{
    return bound->even && steps_of(region, bound) > 1;
}

double wl_threads_steps(const wl_region *region, const wl_bound *bound)
{
    const wl_population *p = region->kernel->source.population;
    const size_t number = (size_t)(bound->access - region->kernel->accesses);
    if (bound->access->traced && p && p->lanes[number] >= 0)
        return p->lanes[number] / (double)region->geometry->threads;
    return advances_evenly(region, bound) ? 1 : steps_of(region, bound);
}

static wl_status add_addresses(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    walk *w = context;
    (void)which;
    w->counter->evaluated += lanes;
    for (int i = 0; i < lanes; i++) {
        const int64_t first = addresses[i] >> w->shift, last = (addresses[i] + w->width - 1) >> w->shift;
        if (first == w->before && last == first)
            continue; /* neighbouring lanes mostly share a granule */
        w->before = last;
        if (!wl_granules_add(w->granules, first, last))
            return wl_granules_fail(w->granules, err);
    }
    /* ends the run; run_lanes knows that it is no failure */
    return w->reach && wl_reach_is_full(w->reach, w->granules, lanes) ? WL_E_LIMIT : WL_OK;
}

static wl_status add_starts(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    walk *w = context;
    (void)which;
    for (int i = 0; i < lanes; i++) {
        if (i > 0 && addresses[i] == addresses[i - 1])
            continue;
        if (!wl_granules_add(w->starts, addresses[i], addresses[i]))
            return wl_granules_fail(w->starts, err);
    }
    return WL_OK;
}

/* All steps of a loop without gaps, from the address of its first step. */
static wl_status add_stretches(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    walk *w = context;
    (void)which;
    for (int i = 0; i < lanes; i++) {
        const int64_t first = (addresses[i] - w->below) >> w->shift,
                      last = (addresses[i] + w->above + w->width - 1) >> w->shift;
        if (first == w->before && last == first)
            continue;
        w->before = last;
        if (!wl_granules_add(w->granules, first, last))
            return wl_granules_fail(w->granules, err);
    }
    return WL_OK;
}

/* ---- loops with a constant stride ---- */

typedef struct advance {
    const walk *walk;
    int loops;
    int64_t stride[WL_LOOPS_MAX], extent[WL_LOOPS_MAX]; /* bytes; the smallest stride first */
    int64_t budget;
} advance;

static void add_loop(advance *a, int64_t stride, int64_t extent)
{
    int at = a->loops++;
    for (; at > 0 && llabs(a->stride[at - 1]) > llabs(stride); at--) {
        a->stride[at] = a->stride[at - 1];
        a->extent[at] = a->extent[at - 1];
    }
    a->stride[at] = stride;
    a->extent[at] = extent;
}

static bool leaves_no_gap(const advance *a, int64_t stride)
{
    return llabs(stride) <= 1LL << a->walk->shift && llabs(stride) <= a->walk->width;
}

/* Adds all steps of the loops `left` and inside, from one address. */
static bool add_steps(advance *a, int left, int64_t address)
{
    const int shift = a->walk->shift;
    if (left == 0) {
        a->budget--;
        return wl_granules_add(a->walk->granules, address >> shift, (address + a->walk->width - 1) >> shift);
    }
    const int64_t stride = a->stride[left - 1], extent = a->extent[left - 1], reach = stride * (extent - 1);
    if (left == 1 && llabs(stride) <= wl_min((int64_t)1 << shift, a->walk->width)) { /* no gaps */
        a->budget--;
        return wl_granules_add(a->walk->granules, (address + wl_min(0, reach)) >> shift,
                               (address + wl_max(0, reach) + a->walk->width - 1) >> shift);
    }
    for (int64_t step = 0; step < extent; step++)
        if (a->budget < 0 || !add_steps(a, left - 1, address + step * stride))
            return false;
    return true;
}

/* All strides are whole granules: the loops then repeat the granules of the first step. */
static bool moves_whole_granules(const advance *a)
{
    bool whole = true;
    for (int l = 0; l < a->loops; l++)
        whole = whole && a->stride[l] % ((int64_t)1 << a->walk->shift) == 0;
    return whole;
}

static bool repeat_granules(const advance *a, wl_granules *first)
{
    const wl_granules *starts = a->walk->starts;
    for (size_t i = 0; i < starts->chunk_count; i++) {
        const wl_granule_chunk *c = &starts->chunks[i];
        for (int word = 0; word < WL_GRANULE_CHUNK_WORDS; word++)
            for (uint64_t bits = c->bits[word]; bits; bits &= bits - 1) {
                const int64_t start = c->number * WL_GRANULE_CHUNK_WORDS * 64 + word * 64 + __builtin_ctzll(bits);
                if (!wl_granules_add(first, start >> a->walk->shift, (start + a->walk->width - 1) >> a->walk->shift))
                    return false;
            }
    }
    for (int l = 0; l < a->loops; l++)
        if (!wl_granules_repeat(first, a->stride[l] >> a->walk->shift, a->extent[l]))
            return false;
    return first == a->walk->granules || wl_granules_add_moved(a->walk->granules, first, 0);
}

static advance advance_of(const walk *w, const wl_bound *bound)
{
    advance a = {.walk = w, .budget = WL_THREADS_BUDGET};
    for (int l = 0; l < w->region->kernel->loop_count; l++)
        if (bound->index_loops >> l & 1)
            add_loop(&a, bound->loop_strides[l] * bound->access->unit_bytes, wl_region_steps(w->region)[l]);
    return a;
}

/* Moves every start that was found through the loops. */
static wl_status advance_starts(const walk *w, advance a, wl_error *err)
{
    /* what the innermost loop adds without gaps is one unit of work */
    double pieces = (double)w->starts->count;
    for (int l = 0; l < a.loops; l++)
        if (l > 0 || !leaves_no_gap(&a, a.stride[0]))
            pieces *= (double)a.extent[l];
    if (pieces > (double)ADVANCE_BUDGET)
        return wl_granules_fail(w->granules, err);
    if (moves_whole_granules(&a)) {
        wl_granules first = {0};
        if (w->granules->count == 0) /* no granules of other accesses, which must not move */
            return repeat_granules(&a, w->granules) ? WL_OK : wl_granules_fail(w->granules, err);
        const bool complete = repeat_granules(&a, &first);
        w->granules->out_of_memory = w->granules->out_of_memory || first.out_of_memory;
        wl_granules_free(&first);
        return complete ? WL_OK : wl_granules_fail(w->granules, err);
    }
    for (size_t i = 0; i < w->starts->chunk_count; i++) {
        const wl_granule_chunk *c = &w->starts->chunks[i];
        for (int word = 0; word < WL_GRANULE_CHUNK_WORDS; word++)
            for (uint64_t bits = c->bits[word]; bits; bits &= bits - 1) {
                const int64_t start = c->number * WL_GRANULE_CHUNK_WORDS * 64 + word * 64 + __builtin_ctzll(bits);
                if (!add_steps(&a, a.loops, start))
                    return wl_granules_fail(w->granules, err);
            }
    }
    return WL_OK;
}

/* The work for every block of a region: all accesses at once, so that a block is traced, and the
 * cells of its threads are computed, only once. */
typedef struct task {
    wl_program **programs;
    size_t count;
    wl_program_visit first; /* takes the first step of all loops; NULL: all steps */
    wl_reach *reaches;      /* of each program; NULL: all threads and steps are evaluated */
} task;

static void start_program(walk *w, const wl_program *program)
{
    w->width = program->access->width_bytes;
    w->before = INT64_MIN;
}

static wl_status run_lanes(walk *w, const task *work, wl_lane_values *values, wl_error *err)
{
    for (size_t i = 0; i < work->count; i++) {
        w->reach = work->reaches ? &work->reaches[i] : NULL;
        if (w->reach && w->reach->full)
            continue;
        if (work->count > 1)
            start_program(w, work->programs[i]);
        const wl_status status = work->first ? wl_program_run_first(work->programs[i], values, work->first, w, err)
                                             : wl_loop_slide_run(work->programs[i], values, add_addresses, w, err);
        if (status != WL_OK && !(w->reach && w->reach->full))
            return status;
    }
    w->reach = NULL;
    return WL_OK;
}

/* The threads of one block. */
static wl_status run_programs(walk *w, const void *what, const int64_t block[3], wl_error *err)
{
    const wl_geometry *g = w->region->geometry;
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    int64_t f[3];
    const int64_t first = w->region->first_thread, wanted = w->region->thread_count;
    const int64_t end = wanted ? wl_min(first + wanted, g->threads) : g->threads;
    for (int64_t thread = first; thread < end; thread += LANES) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        const int lanes = (int)wl_min(LANES, end - thread);
        for (f[2] = 0; f[2] < g->fold[2]; f[2]++)
            for (f[1] = 0; f[1] < g->fold[1]; f[1]++)
                for (f[0] = 0; f[0] < g->fold[0]; f[0]++)
                    if (wl_lanes_fill(g, &warp, lanes, f, &values, lane) > 0)
                        WL_TRY(run_lanes(w, what, &values, err));
    }
    return WL_OK;
}

/* What is done with one block of a region. */
typedef wl_status (*block_work)(walk *w, const void *what, const int64_t block[3], wl_error *err);

static wl_status for_blocks(walk *w, block_work work, const void *what, wl_error *err)
{
    for (int i = 0; i < w->region->blocks.count; i++) {
        const wl_box3 *box = &w->region->blocks.boxes[i];
        int64_t b[3];
        for (b[2] = box->lo[2]; b[2] < box->hi[2]; b[2]++)
            for (b[1] = box->lo[1]; b[1] < box->hi[1]; b[1]++)
                for (b[0] = box->lo[0]; b[0] < box->hi[0]; b[0]++)
                    WL_TRY(work(w, what, b, err));
    }
    return WL_OK;
}

/* ---- compiled accesses ---- */

#define KEPT_BYTES_MAX ((size_t)1 << 25) /* more accesses than fit are compiled for each count */

typedef struct compiled {
    const wl_bound *bound;
    wl_program program;
} compiled;

struct wl_threads_kept {
    wl_arena arena;
    size_t bytes;
    compiled **of_access;
};

void wl_threads_begin(wl_counter *counter, const wl_kernel *kernel)
{
    wl_threads_end(counter);
    counter->threads_of = kernel;
}

void wl_threads_end(wl_counter *counter)
{
    if (counter->threads)
        wl_arena_free(&counter->threads->arena);
    free(counter->threads);
    counter->threads = NULL;
    counter->threads_of = NULL;
}

/* Where to keep a program; NULL: nowhere. */
static wl_status kept_place(wl_counter *counter, const wl_kernel *kernel, const wl_access *access, compiled ***out,
                            wl_error *err)
{
    *out = NULL;
    if (counter->threads_of != kernel)
        return WL_OK;
    if (!counter->threads)
        counter->threads = calloc(1, sizeof *counter->threads);
    if (!counter->threads)
        return wl_fail_memory(err);
    struct wl_threads_kept *kept = counter->threads;
    if (!kept->of_access)
        kept->of_access = WL_ARENA_NEW(&kept->arena, compiled *, kernel->access_count);
    if (!kept->of_access)
        return wl_fail_memory(err);
    *out = &kept->of_access[access - kernel->accesses];
    return WL_OK;
}

static wl_status compile(const wl_kernel *kernel, const wl_bound *bound, wl_arena *arena, compiled **out, wl_error *err)
{
    *out = WL_ARENA_NEW(arena, compiled, 1);
    if (!*out)
        return wl_fail_memory(err);
    (*out)->bound = bound;
    WL_TRY(wl_program_make(kernel, bound->access, arena, &(*out)->program, err));
    (*out)->program.one_block = true;
    if (!bound->conditional)
        wl_program_always(&(*out)->program);
    const bool found = wl_loop_period_find(&(*out)->program, arena) && wl_loop_slide_find(&(*out)->program, arena);
    return found ? WL_OK : wl_fail_memory(err);
}

/* The program of an access: kept, or made in the arena. */
static wl_status program_of(const walk *w, const wl_bound *bound, wl_arena *arena, wl_program **out, wl_error *err)
{
    const wl_kernel *kernel = w->region->kernel;
    compiled **place = NULL, *made = NULL;
    WL_TRY(kept_place(w->counter, kernel, bound->access, &place, err));
    if (place && *place && (*place)->bound == bound)
        made = *place;
    const bool keep = place && w->counter->threads->bytes < KEPT_BYTES_MAX;
    if (!made) {
        WL_TRY(compile(kernel, bound, keep ? &w->counter->threads->arena : arena, &made, err));
        if (keep) {
            *place = made;
            w->counter->threads->bytes += (size_t)made->program.rows * sizeof *made->program.values;
        }
    }
    made->program.steps = wl_region_steps(w->region);
    *out = &made->program;
    return WL_OK;
}

/* ---- accesses that are evaluated ---- */

/* Do the loops move both by the same strides, so that their first addresses can be moved
 * together? */
static bool move_alike(const wl_bound *a, const wl_bound *b)
{
    bool alike = a->index_loops == b->index_loops && a->access->width_bytes == b->access->width_bytes;
    for (int l = 0; l < WL_LOOPS_MAX; l++)
        alike = alike && (!(a->index_loops >> l & 1) ||
                          a->loop_strides[l] * a->access->unit_bytes == b->loop_strides[l] * b->access->unit_bytes);
    return alike;
}

/* Accesses that the loops move by the same strides. One loop without gaps makes a stretch of each
 * address; else addresses are collected first, as many threads share theirs. */
static wl_status run_evenly(walk *w, wl_program **programs, size_t count, const wl_bound *first, wl_error *err)
{
    start_program(w, programs[0]);
    const advance a = advance_of(w, first);
    if (a.loops == 1 && leaves_no_gap(&a, a.stride[0])) {
        const int64_t reach = a.stride[0] * (a.extent[0] - 1);
        w->below = wl_max(0, -reach);
        w->above = wl_max(0, reach);
        return for_blocks(w, run_programs, &(task){.programs = programs, .count = count, .first = add_stretches}, err);
    }
    wl_granules_clear(w->starts);
    WL_TRY(for_blocks(w, run_programs, &(task){.programs = programs, .count = count, .first = add_starts}, err));
    return advance_starts(w, a, err);
}

/* Evaluates the accesses from `first` on that have its strides: together, or one by one if that
 * exceeds the limit. */
static wl_status run_alike(walk *w, const wl_bound *const *accesses, size_t count, size_t first, bool *done,
                           wl_program **alike, wl_arena *arena, wl_error *err)
{
    wl_error limit = {0};
    size_t found = 0;
    for (size_t i = first; i < count; i++) {
        if (done[i] || !move_alike(accesses[first], accesses[i]))
            continue;
        done[i] = true;
        WL_TRY(program_of(w, accesses[i], arena, &alike[found++], err));
    }
    const wl_status status = run_evenly(w, alike, found, accesses[first], &limit);
    if (status != WL_E_LIMIT || found == 1)
        return status == WL_OK ? WL_OK : wl_fail(err, status, limit.loc, "%s", limit.message);
    for (size_t i = 0; i < found; i++)
        WL_TRY(run_evenly(w, &alike[i], 1, accesses[first], err));
    return WL_OK;
}

/* Accesses of ordered threads that need no evaluation. */
static wl_status run_rows(const walk *w, const wl_bound *const *accesses, size_t count, bool *done, wl_arena *arena,
                          wl_error *err)
{
    const wl_bound **rows = WL_ARENA_NEW(arena, const wl_bound *, count);
    size_t n = 0;
    if (!rows)
        return wl_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!done[i] && wl_cell_rows_can(w->region, accesses[i])) {
            done[i] = true;
            rows[n++] = accesses[i];
        }
    return wl_cell_rows_add(w->granules, w->region, rows, n, w->shift) ? WL_OK : wl_granules_fail(w->granules, err);
}

/* All accesses but traced ones. */
static wl_status run_accesses(walk *w, const wl_bound *const *accesses, size_t count, wl_arena *arena, wl_error *err)
{
    task plain = {.programs = WL_ARENA_NEW(arena, wl_program *, count),
                  .reaches = WL_ARENA_NEW(arena, wl_reach, count)};
    wl_program **alike = WL_ARENA_NEW(arena, wl_program *, count);
    bool *done = WL_ARENA_NEW(arena, bool, count);
    if (!plain.programs || !plain.reaches || !alike || !done)
        return wl_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        done[i] = accesses[i]->access->traced || accesses[i]->never;
    WL_TRY(run_rows(w, accesses, count, done, arena, err));
    for (size_t i = 0; i < count; i++) {
        if (done[i] || advances_evenly(w->region, accesses[i]))
            continue;
        done[i] = true;
        plain.reaches[plain.count] = wl_reach_of(w->region, accesses[i], w->shift);
        WL_TRY(program_of(w, accesses[i], arena, &plain.programs[plain.count++], err));
    }
    if (plain.count > 0)
        start_program(w, plain.programs[0]);
    if (plain.count > 0)
        WL_TRY(for_blocks(w, run_programs, &plain, err));
    for (size_t i = 0; i < count; i++)
        if (!done[i])
            WL_TRY(run_alike(w, accesses, count, i, done, alike, arena, err));
    return WL_OK;
}

/* ---- whole blocks of traced accesses ---- */

/* Adds the bytes of neighbouring lanes at once. */
static wl_status add_execution(walk *w, const wl_execution *e, int64_t base, wl_error *err)
{
    const int lanes = __builtin_popcountll(e->lanes);
    if (e->form == WL_EXECUTION_EVEN && llabs(e->at.step) <= wl_min(w->width, (int64_t)1 << w->shift)) {
        const int64_t reach = (lanes - 1) * e->at.step, lowest = e->base + base + wl_min(0, reach);
        const int64_t first = lowest >> w->shift, last = (lowest + llabs(reach) + w->width - 1) >> w->shift;
        if (first == w->before && last == first)
            return WL_OK;
        w->before = last;
        return wl_granules_add(w->granules, first, last) ? WL_OK : wl_granules_fail(w->granules, err);
    }
    for (int i = 0; i < lanes; i++) {
        const int64_t address = wl_execution_address(e, i) + base;
        WL_TRY(add_addresses(w, &address, NULL, 1, err));
    }
    return WL_OK;
}

typedef struct traced_accesses {
    const wl_bound *const *list;
    size_t count;
} traced_accesses;

static wl_status add_trace(walk *w, const void *what, const int64_t block[3], wl_error *err)
{
    const traced_accesses *accesses = what;
    const wl_kernel *kernel = w->region->kernel;
    const wl_block_trace *trace = NULL;
    WL_TRY(kernel->source.trace_block(kernel->source.context, block, &trace, err));
    for (size_t i = 0; i < accesses->count; i++) {
        const wl_access *a = accesses->list[i]->access;
        const size_t number = (size_t)(a - kernel->accesses);
        if (!a->traced || accesses->list[i]->never)
            continue;
        w->width = a->width_bytes;
        w->before = INT64_MIN;
        for (size_t e = trace->first[number]; e < trace->first[number + 1]; e++)
            WL_TRY(add_execution(w, &trace->executions[e], kernel->fields[a->field].base_bytes, err));
    }
    return WL_OK;
}

static wl_status run_traced(walk *w, const wl_bound *const *accesses, size_t count, wl_arena *arena, wl_error *err)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || (accesses[i]->access->traced && !accesses[i]->never);
    if (!any)
        return WL_OK;
    if (w->region->thread_count == 0)
        return for_blocks(w, add_trace, &(traced_accesses){accesses, count}, err);
    task all = {.programs = WL_ARENA_NEW(arena, wl_program *, count)};
    if (!all.programs)
        return wl_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (accesses[i]->access->traced && !accesses[i]->never)
            WL_TRY(program_of(w, accesses[i], arena, &all.programs[all.count++], err));
    if (all.count > 0)
        start_program(w, all.programs[0]);
    return all.count > 0 ? for_blocks(w, run_programs, &all, err) : WL_OK;
}

wl_status wl_threads_count(wl_counter *counter, const wl_bound *const *accesses, size_t count, const wl_region *region,
                           int64_t granule_bytes, bool want_covered, wl_count *out, wl_error *err)
{
    wl_arena arena = {0}; /* for covered granules, single bytes are recorded */
    walk w = {.granules = &counter->granules,
              .starts = &counter->starts,
              .region = region,
              .counter = counter,
              .shift = want_covered ? 0 : wl_log2(granule_bytes)};
    wl_status status = WL_OK;
    counter->method = WL_COUNT_THREADS;
    if (!region->onto_last)
        wl_granules_clear(&counter->granules);
    status = run_accesses(&w, accesses, count, &arena, err);
    if (status == WL_OK)
        status = run_traced(&w, accesses, count, &arena, err);
    wl_arena_free(&arena);
    *out = (wl_count){counter->granules.count, -1};
    if (want_covered)
        *out = (wl_count){wl_granules_touched(&counter->granules, granule_bytes),
                          wl_granules_full(&counter->granules, granule_bytes)};
    return status;
}
