/* ranker.c - predicts the launches of a space in parallel. SPDX-License-Identifier: MIT */
#include "search/ranker.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/ckd.h"
#include "base/fail.h"
#include "base/print.h"
#include "base/thread_number.h"
#include "device/device_internal.h"
#include "kernel/kernel_internal.h"
#include "launch/geometry.h"
#include "launch/grid_rule.h"

#define PROGRESS_SECONDS 0.05
/* reading the clock after each launch would cost a few percent of a search */
#define PATIENCE_MOST 8
#define ALONE_SECONDS 3e-3 /* threads are started only where there is more to do */
#define TAKEN_AT_ONCE 2    /* launches: few, so that no thread waits long for others at the end */

/* ---- making one ---- */

/* The kernel's conditions outlive the ranker; those of the space do not and are copied. */
static wl_status copy_conditions(wl_ranker *r, const wl_space *space, wl_error *err)
{
    wl_where_named *named = NULL;
    size_t count = 0;
    WL_TRY(wl_launch_names(r->kernel, space->names, space->name_count, &r->arena, &named, &count, err));
    for (; r->condition_count < r->kernel->condition_count; r->condition_count++)
        r->conditions[r->condition_count] = r->kernel->conditions[r->condition_count];
    for (size_t i = 0; i < space->condition_count; i++) {
        if (r->condition_count == WL_CONDITIONS_MAX)
            return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "at most %d conditions", WL_CONDITIONS_MAX);
        WL_TRY(wl_where_parse(wl_where_text(space->conditions[i]), named, count, &r->arena,
                              &r->conditions[r->condition_count], err));
        r->condition_count++;
    }
    return WL_OK;
}

/* From here on the grid of every launch is known: a domain that the rule names must be given. */
static wl_status copy_grid(wl_ranker *r, const wl_space *space, wl_error *err)
{
    if (!space->grid)
        return WL_OK;
    WL_TRY(wl_grid_rule_copy(space->grid, r->kernel, &r->grid, err));
    const wl_status status = wl_grid_rule_check_domain(r->grid, wl_kernel_extent(r->kernel), err);
    if (status != WL_OK && err)
        (void)wl_fail_in(err, "--grid");
    return status;
}

static int default_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static wl_status make_predictors(wl_ranker *r, wl_error *err)
{
    const int wanted = r->options.threads > 0 ? r->options.threads : default_threads();
    r->threads = (int)wl_max(1, wl_min(wanted, r->size));
    r->predictors = WL_ARENA_NEW(&r->arena, wl_predictor *, r->threads);
    if (!r->predictors)
        return wl_fail_memory(err);
    for (int t = 0; t < r->threads; t++)
        WL_TRY(wl_predictor_new(r->kernel, r->device, &r->predictors[t], err));
    return WL_OK;
}

/* Each of many launches may get less effort than one that is predicted alone; a note states how
 * much. */
static void note_effort(wl_ranker *r)
{
    if (!r->kernel->source.at_launch || r->note_count == WL_RANK_NOTES_MAX)
        return;
    (void)wl_print(
        r->notes[r->note_count++], WL_RANK_NOTE_LENGTH,
        "the kernel depends on the launch: it is analysed again for each, with about %.4g s of emulation at most; "
        "predict --effort %.4g gives the same",
        r->kernel->source.effort, r->kernel->source.effort);
}

static bool any_schedule(const wl_ranker *r)
{
    for (int64_t i = 0; r->launches && i < r->size; i++)
        if (r->launches[i].schedule.kind != WL_SCHEDULE_LINEAR)
            return true;
    return !r->launches && (r->schedules.count > 1 || r->schedules.at[0].kind != WL_SCHEDULE_LINEAR);
}

static wl_status fill(wl_ranker *r, const wl_space *space, wl_error *err)
{
    r->warp_size = wl_device_int(r->device, WL_DEVICE_warp_size);
    const bool has_threads = r->kernel->threads[0] > 0;
    r->items = r->kernel->dims || (!space->grid && !has_threads);
    for (int d = 0; d < 3; d++)
        r->items *= r->kernel->domain[d] - r->kernel->first[d];
    if (!r->kernel->dims && !space->launches && !space->grid && !has_threads)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "the kernel has no domain: without one the grid does not follow from the block");
    WL_TRY(copy_grid(r, space, err));
    WL_TRY(wl_ranker_enumerate(r, space, err));
    r->has_schedules = any_schedule(r);
    WL_TRY(copy_conditions(r, space, err));
    note_effort(r);
    return make_predictors(r, err);
}

wl_status wl_ranker_new(const wl_kernel *kernel, const wl_device *device, const wl_space *space,
                        const wl_rank_options *options, wl_ranker **out, wl_error *err)
{
    wl_ranker *r = calloc(1, sizeof *r);
    if (!r)
        return wl_fail_memory(err);
    r->kernel = kernel;
    r->device = device;
    if (options)
        r->options = *options;
    const wl_status status = fill(r, space, err);
    if (status != WL_OK) {
        wl_ranker_free(r);
        return status;
    }
    *out = r;
    return WL_OK;
}

void wl_ranker_free(wl_ranker *ranker)
{
    if (!ranker)
        return;
    for (int t = 0; ranker->predictors && t < ranker->threads; t++)
        wl_predictor_free(ranker->predictors[t]);
    wl_grid_rule_free(ranker->grid);
    wl_arena_free(&ranker->arena);
    free(ranker);
}

/* ---- what it holds ---- */

int64_t wl_ranker_size(const wl_ranker *ranker) { return ranker->size; }
int64_t wl_ranker_items(const wl_ranker *ranker) { return ranker->items; }
const wl_kernel *wl_ranker_kernel(const wl_ranker *ranker) { return ranker->kernel; }
const wl_device *wl_ranker_device(const wl_ranker *ranker) { return ranker->device; }

const char *wl_ranker_note(const wl_ranker *ranker, size_t index)
{
    return index < ranker->note_count ? ranker->notes[index] : NULL;
}

const char *wl_ranker_condition(const wl_ranker *ranker, size_t index)
{
    return index < ranker->condition_count ? wl_where_text(ranker->conditions[index]) : NULL;
}

static bool is_gridded(const wl_launch *launch) { return launch->grid[0] || launch->grid[1] || launch->grid[2]; }

/* If the rule gives no valid grid for this block (such as 0 blocks), the launch is rejected
 * later. */
static void set_grid(const wl_ranker *r, wl_launch *launch)
{
    if (is_gridded(launch))
        return;
    /* without a domain, the threads are the work */
    for (int d = 0; d < 3 && !r->grid && !r->kernel->dims; d++)
        launch->grid[d] = wl_ceil_div(r->kernel->threads[d], wl_max(1, launch->block[d]) * wl_max(1, launch->fold[d]));
    if (r->grid && wl_grid_rule_apply(r->grid, r->device, wl_kernel_extent(r->kernel), launch, NULL) != WL_OK)
        launch->grid[0] = launch->grid[1] = launch->grid[2] = -1;
}

/* The block of a launch: the last whose launches start at or before it. */
static size_t block_of(const wl_ranker *r, int64_t index)
{
    size_t from = 0, to = r->block_count;
    while (to - from > 1) {
        const size_t middle = from + (to - from) / 2;
        if (r->starts[middle] <= index)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static void combined_launch(const wl_ranker *r, int64_t index, wl_launch *out)
{
    const size_t b = block_of(r, index);
    const int32_t *block = r->blocks[b];
    const wl_rank_way *way = &r->ways[block[1] == 1 && block[2] == 1][index - r->starts[b]];
    const wl_rank_fold *fold = &r->folds[way->fold];
    *out = (wl_launch){.block = {block[0], block[1], block[2]},
                       .fold = {fold->fold[0], fold->fold[1], fold->fold[2]},
                       .registers = fold->registers,
                       .schedule = r->schedules.at[way->schedule]};
}

void wl_ranker_launch(const wl_ranker *r, int64_t index, wl_launch *out)
{
    WL_ASSERT(index >= 0 && index < r->size);
    if (r->launches)
        *out = r->launches[index];
    else
        combined_launch(r, index, out);
    if (!out->registers)
        out->registers = r->kernel->registers;
    set_grid(r, out);
}

bool wl_ranker_has_schedules(const wl_ranker *ranker) { return ranker->has_schedules; }

int64_t wl_ranker_launch_items(const wl_ranker *r, int64_t index)
{
    wl_launch launch;
    int64_t items = 1;
    if (r->items)
        return r->items;
    wl_ranker_launch(r, index, &launch);
    for (int d = 0; d < 3; d++)
        if (!wl_mul(items, launch.grid[d] * wl_max(launch.block[d], 1) * wl_max(launch.fold[d], 1), &items))
            return 0;
    return items;
}

static int64_t grid_extent(const wl_ranker *r, const wl_launch *launch, int d)
{
    int64_t values[WL_WHERE_NAMES];
    const int64_t per_block = wl_max(launch->block[d], 1) * wl_max(launch->fold[d], 1);
    if (launch->grid[d] > 0)
        return launch->grid[d];
    if (launch->schedule.kind == WL_SCHEDULE_LINEAR || !r->kernel->dims)
        return wl_ceil_div(wl_kernel_extent(r->kernel)[d], per_block);
    wl_launch_values(r->kernel, r->warp_size, launch, values);
    return values[WL_WHERE_GRID + d];
}

void wl_ranker_launches(const wl_ranker *r, const wl_ranked *records, size_t count, wl_launch *launches, int64_t *items)
{
    for (size_t i = 0; launches && i < count; i++) {
        int64_t grid[3];
        wl_ranker_launch(r, records[i].index, &launches[i]);
        for (int d = 0; d < 3; d++)
            grid[d] = grid_extent(r, &launches[i], d);
        memcpy(launches[i].grid, grid, sizeof grid);
    }
    for (size_t i = 0; items && i < count; i++)
        items[i] = wl_ranker_launch_items(r, records[i].index);
}

wl_status wl_ranker_predict(wl_ranker *ranker, int64_t index, wl_prediction *out, wl_error *err)
{
    wl_launch launch;
    wl_ranker_launch(ranker, index, &launch);
    return wl_predict(ranker->predictors[0], &launch, &ranker->options.predict, out, err);
}

wl_metric wl_rank_metric(wl_rank_value value)
{
    static const wl_metric metrics[WL_RANK_VALUES] = {WL_METRIC_l1_wavefronts, WL_METRIC_l2_load_bytes,
                                                      WL_METRIC_l2_store_bytes, WL_METRIC_dram_load_bytes,
                                                      WL_METRIC_dram_store_bytes};
    return metrics[value];
}

bool wl_ranked_value(const wl_ranked *record, wl_rank_value which, double *value)
{
    if (isnan(record->values[which]))
        return false;
    *value = record->values[which];
    return true;
}

/* ---- outcomes ---- */

const char *wl_outcome_text(wl_outcome outcome)
{
    static const char *const texts[] = {
#define WL_OUTCOME(id, cannot_run, text) text,
#include "warpline/outcomes.def"
    };
    return texts[outcome];
}

bool wl_outcome_cannot_run(wl_outcome outcome)
{
    static const bool cannot[] = {
#define WL_OUTCOME(id, cannot_run, text) cannot_run,
#include "warpline/outcomes.def"
    };
    return cannot[outcome];
}

/* Why a launch does not fit. */
static wl_outcome why_not(const wl_ranker *r, const wl_launch *launch)
{
    int64_t threads = 1, cells = 1, most_block[3];
    wl_device_extents(r->device, WL_DEVICE_max_block, most_block);
    static const int64_t most_grid[3] = WL_GRID_MOST;
    for (int d = 0; d < 3; d++)
        if (launch->block[d] < 0 || launch->fold[d] < 0)
            return WL_OUTCOME_INVALID;
    for (int d = 0; d < 3; d++)
        if (launch->grid[d] < 0)
            return WL_OUTCOME_NO_BLOCKS;
    for (int d = 0; d < 3; d++) {
        if (launch->block[d] > most_block[d])
            return WL_OUTCOME_EXTENT;
        /* at most the product of the device's three limits */
        threads *= wl_max(launch->block[d], 1);
    }
    if (threads > wl_most_threads(r->device))
        return WL_OUTCOME_THREADS;
    for (int d = 0; d < 3; d++)
        if (!wl_mul(cells, wl_max(launch->fold[d], 1), &cells) || cells > WL_FOLD_MAX)
            return WL_OUTCOME_FOLD;
    for (int d = 0; d < 3; d++)
        if (grid_extent(r, launch, d) > most_grid[d])
            return WL_OUTCOME_GRID;
    wl_occupancy o;
    wl_error ignored = {0};
    const int64_t registers = launch->registers ? launch->registers : 1;
    const wl_source *source = &r->kernel->source;
    const int64_t shared = launch->shared_bytes ? launch->shared_bytes
                           : source->shared_at  ? source->shared_at(source->context, launch)
                                                : r->kernel->shared_bytes;
    if (registers > wl_device_int(r->device, WL_DEVICE_max_registers_per_thread))
        return WL_OUTCOME_REGISTERS;
    if (shared > wl_device_int(r->device, WL_DEVICE_shared_per_block))
        return WL_OUTCOME_SHARED;
    if (wl_occupancy_compute(r->device, threads, registers, shared, &o, &ignored) == WL_OK && o.blocks_per_sm == 0)
        return o.limiter == WL_LIMIT_SHARED ? WL_OUTCOME_SHARED : WL_OUTCOME_REGISTERS;
    return WL_OUTCOME_INVALID;
}

/* ---- one launch ---- */

static bool is_scheduled(const wl_launch *launch) { return launch->schedule.kind != WL_SCHEDULE_LINEAR; }

/* The index of the first condition that fails, or condition_count. */
static wl_status first_broken(const wl_ranker *r, const wl_launch *launch, size_t *broken, wl_error *err)
{
    int64_t values[WL_WHERE_NAMES];
    *broken = 0;
    if (r->condition_count == 0)
        return WL_OK;
    wl_launch_values(r->kernel, r->warp_size, launch, values);
    return wl_where_next_broken(r->conditions, r->condition_count, values, broken, err);
}

static void take_values(const wl_prediction *p, wl_ranked *out)
{
    out->time_s = p->model.time_s;
    out->limiter = (uint8_t)p->model.limiter;
    out->next = (uint8_t)p->model.next;
    out->blocks_per_sm = (int32_t)p->occupancy.blocks_per_sm;
    out->warps_per_sm = (int32_t)p->occupancy.warps_per_sm;
    for (int v = 0; v < WL_RANK_VALUES; v++) {
        const wl_value *value = &p->metrics[wl_rank_metric((wl_rank_value)v)];
        out->values[v] = value->known ? value->value : (double)NAN;
    }
}

/* Does the given grid cover only a part of the domain? Then the launch does less work, and its time
 * cannot be compared. A kernel that is analysed again for each launch may cover the rest with
 * grid-stride loops. */
static bool is_partial(const wl_ranker *r, const wl_launch *launch, const wl_prediction *p)
{
    const int64_t *domain = wl_kernel_extent(r->kernel);
    bool is_short = false;
    if (!is_gridded(launch) || !r->kernel->dims || r->kernel->source.at_launch || wl_prediction_items(p) >= r->items)
        return false;
    for (int d = 0; d < r->kernel->dims && !is_scheduled(launch); d++)
        is_short = is_short || launch->grid[d] * wl_max(launch->block[d], 1) * wl_max(launch->fold[d], 1) < domain[d];
    return is_short || is_scheduled(launch);
}

/* WL_OK whatever the outcome of the launch; an error stops the search. */
static wl_status evaluate_one(const wl_ranker *r, wl_predictor *predictor, int64_t index, wl_prediction *scratch,
                              wl_ranked *out, wl_error *err)
{
    wl_launch launch;
    size_t broken;
    wl_error own = {0};
    *out = (wl_ranked){.index = index};
    wl_ranker_launch(r, index, &launch);
    WL_TRY(first_broken(r, &launch, &broken, err));
    if (broken < r->condition_count) {
        out->outcome = WL_OUTCOME_WHERE;
        out->condition = (uint8_t)broken;
        return WL_OK;
    }
    if (!r->launches && wl_schedule_changes_nothing(r->kernel, &launch, r->warp_size)) {
        out->outcome = WL_OUTCOME_SAME;
        return WL_OK;
    }
    const wl_status status = wl_predict(predictor, &launch, &r->options.predict, scratch, &own);
    if (status == WL_OK) {
        take_values(scratch, out);
        out->outcome = is_partial(r, &launch, scratch) ? WL_OUTCOME_PARTIAL : WL_OUTCOME_PREDICTED;
        return WL_OK;
    }
    if (status == WL_E_LIMIT) {
        out->outcome = WL_OUTCOME_LIMIT;
        return WL_OK;
    }
    if (status == WL_E_BOUNDS) {
        out->outcome = WL_OUTCOME_BOUNDS;
        return WL_OK;
    }
    if (status == WL_E_UNSUPPORTED && is_scheduled(&launch) && strcmp(own.input, "--schedule") == 0) {
        out->outcome = WL_OUTCOME_SCHEDULE;
        return WL_OK;
    }
    if (status == WL_E_UNSUPPORTED && strcmp(own.input, "--incomplete") == 0) {
        out->outcome = WL_OUTCOME_INCOMPLETE;
        return WL_OK;
    }
    out->outcome = (uint8_t)why_not(r, &launch);
    if (status != WL_E_NOMEM && out->outcome != WL_OUTCOME_INVALID)
        return WL_OK;
    if (status == WL_E_INPUT && own.loc.line == 0)
        return WL_OK; /* the error is about the launch, not about a line of the kernel */
    if (err)
        *err = own;
    return status;
}

/* ---- many launches, in parallel ---- */

/* Launches of a thread that it has not taken yet: next .. end - 1. */
typedef struct share {
    int64_t next, end;
} share;

typedef struct crew {
    share *shares;         /* per thread */
    const int64_t *listed; /* the launches; NULL: all of a range */
    atomic_int_fast64_t done;
    atomic_bool stop;
    /* the first launch with an error: independent of the number of threads */
    atomic_int_fast64_t failed_at;
    wl_error error; /* its error */
    wl_status status;
    struct timespec told; /* the last progress call */
    int patience;         /* launches to predict before the clock is read again */
} crew;

static double seconds_since(const struct timespec *then, struct timespec *now)
{
    clock_gettime(CLOCK_MONOTONIC, now);
    return (double)(now->tv_sec - then->tv_sec) + 1e-9 * (double)(now->tv_nsec - then->tv_nsec);
}

/* Called from the main thread only. */
static void tell(const wl_ranker *r, crew *c)
{
    struct timespec now;
    if (!r->options.progress || c->patience-- > 0)
        return;
    if (seconds_since(&c->told, &now) < PROGRESS_SECONDS) {
        c->patience = PATIENCE_MOST;
        return;
    }
    c->told = now;
    if (!r->options.progress(r->options.user, r->done_before + (int64_t)atomic_load(&c->done), r->size))
        atomic_store(&c->stop, true);
}

/* Steals the second half of the longest range, so that `mine` has launches again. */
static void take_over(int threads, share *shares, share *mine)
{
    share *longest = &shares[0];
    for (int t = 1; t < threads; t++)
        if (shares[t].end - shares[t].next > longest->end - longest->next)
            longest = &shares[t];
    mine->end = longest->end;
    mine->next = longest->end -= (longest->end - longest->next + 1) / 2;
}

/* Takes the next few launches, *first .. *end - 1. Neighbouring launches need the same patterns and
 * counts, which every predictor computes for itself. So each thread has a range of its own, and a
 * thread without launches steals half of another's. */
static bool take_launches(const wl_ranker *r, crew *c, int64_t *first, int64_t *end)
{
#pragma omp critical(warpline_ranker_shares)
    {
        share *mine = &c->shares[wl_thread_number()];
        if (mine->next == mine->end)
            take_over(r->threads, c->shares, mine);
        *first = mine->next;
        *end = mine->next = wl_min(mine->end, mine->next + TAKEN_AT_ONCE);
    }
    return *first < *end;
}

static void evaluate_next(const wl_ranker *r, crew *c, int64_t i, wl_prediction *scratch, wl_ranked *record)
{
    const int me = wl_thread_number();
    const int64_t index = c->listed ? c->listed[i] : i;
    wl_error own = {0};
    *record = (wl_ranked){.index = index, .outcome = WL_OUTCOME_LEFT};
    if (atomic_load_explicit(&c->stop, memory_order_relaxed) || i > atomic_load(&c->failed_at))
        return;
    const wl_status status =
        scratch ? evaluate_one(r, r->predictors[me], index, scratch, record, &own) : wl_fail_memory(&own);
    if (status != WL_OK) {
#pragma omp critical(warpline_ranker_failed)
        if (i < atomic_load(&c->failed_at)) {
            atomic_store(&c->failed_at, i);
            c->error = own;
            c->status = status;
        }
    }
    atomic_fetch_add_explicit(&c->done, 1, memory_order_relaxed);
    if (me == 0)
        tell(r, c);
}

static wl_status evaluate(wl_ranker *r, const int64_t *listed, int64_t first, int64_t last, wl_ranked *records,
                          wl_error *err)
{
    crew c = {.failed_at = last, .listed = listed};
    struct timespec began, now;
    int64_t alone = first;
    wl_prediction *scratch = malloc(sizeof *scratch);
    clock_gettime(CLOCK_MONOTONIC, &began);
    c.told = began;
    while (alone < last && seconds_since(&began, &now) < ALONE_SECONDS) {
        evaluate_next(r, &c, alone, scratch, &records[alone - first]);
        alone++;
    }
    free(scratch);
    c.shares = calloc((size_t)r->threads, sizeof *c.shares);
    if (!c.shares)
        return wl_fail_memory(err);
    for (int t = 0; t < r->threads; t++)
        c.shares[t] = (share){alone + (last - alone) * t / r->threads, alone + (last - alone) * (t + 1) / r->threads};
#pragma omp parallel num_threads(r->threads) if (r->threads > 1 && alone < last)
    {
        wl_prediction *mine = malloc(sizeof *mine);
        for (int64_t from, end; take_launches(r, &c, &from, &end);)
            for (int64_t i = from; i < end; i++)
                evaluate_next(r, &c, i, mine, &records[i - first]);
        free(mine);
    }
    free(c.shares);
    if (c.status != WL_OK && err)
        *err = c.error;
    return c.status;
}

wl_status wl_ranker_evaluate(wl_ranker *r, int64_t first, int64_t last, wl_ranked *records, wl_error *err)
{
    WL_ASSERT(first >= 0 && first <= last && last <= r->size);
    return evaluate(r, NULL, first, last, records, err);
}

wl_status wl_ranker_evaluate_listed(wl_ranker *r, const int64_t *launches, size_t count, wl_ranked *records,
                                    wl_error *err)
{
    return evaluate(r, launches, 0, (int64_t)count, records, err);
}
