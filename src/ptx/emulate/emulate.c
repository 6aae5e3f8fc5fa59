/* emulate.c - see emulate.h. The warps of a block run one after another, each until it exits or
 * waits at a barrier.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/emulate/emulate_internal.h"

#define DEFAULT_BUDGET ((int64_t)100000000)
#define PARAMS_MAX (1 << 18) /* bytes: a function's own parameters and those of its calls */
/* the cost of starting a block, and each of its warps, in instructions */
#define BLOCK_STEPS 16
#define WARP_STEPS 16
#define LOOKS 2 /* of warps that wait in loops, without progress of others, before they give up */

wl_status wl_ptx_profile_make(const wl_ptx_module *module, wl_arena *arena, wl_ptx_profile *out, wl_error *err)
{
    *out = (wl_ptx_profile){.first = WL_ARENA_NEW(arena, int32_t, module->function_count + 1)};
    if (!out->first)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < module->function_count; f++)
        out->first[f + 1] = out->first[f] + module->functions[f].instruction_count;
    out->count = out->first[module->function_count];
    double **const arrays[] = {&out->warps,      &out->warps_on, &out->threads,
                               &out->threads_on, &out->diverged, &out->rungs};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (!(*arrays[k] = WL_ARENA_NEW(arena, double, out->count)))
            return wl_fail_memory(err);
    return WL_OK;
}

/* ---- creation ---- */

/* Lays out the parameter space of each function. The entry's parameters come first, as the
 * arguments place them. */
static wl_status lay_out_params(wl_ptx_machine *m, wl_error *err)
{
    const wl_ptx_module *module = m->launch.module;
    const int32_t entry = (int32_t)(m->launch.entry - module->functions);
    m->param_at = WL_ARENA_NEW(&m->arena, int64_t, module->variable_count);
    if (!m->param_at)
        return wl_fail_memory(err);
    m->programs[entry].param_bytes = m->launch.arguments->param_bytes;
    for (int32_t v = 0; v < module->variable_count; v++)
        m->param_at[v] = -1;
    for (int k = 0; k < m->launch.entry->param_count; k++)
        m->param_at[m->launch.entry->params[k]] = m->launch.arguments->param_offset[k];
    for (int32_t v = 0; v < module->variable_count; v++) {
        const wl_ptx_variable *variable = &module->variables[v];
        if (variable->function < 0)
            continue;
        wl_ptx_program *p = &m->programs[variable->function];
        if (variable->space == WL_PTX_PARAM && m->param_at[v] < 0) {
            p->param_bytes = wl_round_up(p->param_bytes, wl_max(1, variable->align));
            m->param_at[v] = p->param_bytes;
            p->param_bytes += variable->bytes;
            if (p->param_bytes > PARAMS_MAX)
                return wl_fail(err, WL_E_INPUT, (wl_loc){variable->line, 1, 1},
                               "the parameters of a function have more than %d bytes", PARAMS_MAX);
        } else if (variable->space == WL_PTX_LOCAL) {
            const int64_t end = (int64_t)m->launch.arguments->variable_address[v] + variable->bytes;
            p->local_bytes = wl_max(p->local_bytes, wl_round_up(end, 16));
        }
    }
    return WL_OK;
}

/* Static shared memory, then dynamic from where its variables begin. */
static int64_t shared_bytes(const wl_ptx_launch *launch)
{
    int64_t end = launch->arguments->shared_bytes;
    if (launch->dynamic_shared <= 0)
        return end;
    end = wl_round_up(end, 16);
    for (int32_t v = 0; v < launch->module->variable_count; v++)
        if (launch->module->variables[v].space == WL_PTX_SHARED && launch->module->variables[v].bytes == 0)
            end = wl_max(end, (int64_t)launch->arguments->variable_address[v]);
    return end + launch->dynamic_shared;
}

static void look_for_clusters(wl_ptx_machine *m, bool *waits_for_objects)
{
    const wl_ptx_module *module = m->launch.module;
    for (int32_t f = 0; f < module->function_count; f++)
        for (int32_t i = 0; m->programs[f].steps && i < module->functions[f].instruction_count; i++) {
            *waits_for_objects = *waits_for_objects || m->programs[f].steps[i].kind == WL_PTX_STEP_WAIT;
            m->maps_blocks = m->maps_blocks || m->programs[f].steps[i].in->op == WL_PTX_OP_mapa;
        }
}

static wl_status make(wl_ptx_machine *m, wl_error *err)
{
    const wl_ptx_module *module = m->launch.module;
    const wl_ptx_arguments *arguments = m->launch.arguments;
    const int64_t threads = m->launch.block[0] * m->launch.block[1] * m->launch.block[2];
    m->programs = WL_ARENA_NEW(&m->arena, wl_ptx_program, module->function_count);
    m->first = WL_ARENA_NEW(&m->arena, int32_t, module->function_count + 1);
    m->written = WL_ARENA_NEW(&m->arena, bool, arguments->buffer_count + 1);
    m->used = WL_ARENA_NEW(&m->arena, uint8_t, arguments->buffer_count + 1);
    m->order.left = WL_ARENA_NEW(&m->arena, bool, arguments->buffer_count + 1);
    m->buffer_room = arguments->buffer_count;
    m->warp_count = (int32_t)wl_ceil_div(threads, WL_PTX_LANES);
    m->warps = WL_ARENA_NEW(&m->arena, wl_ptx_warp *, m->warp_count);
    if (!m->programs || !m->first || !m->written || !m->used || !m->order.left || !m->warps || !wl_ptx_place_threads(m))
        return wl_fail_memory(err);
    WL_TRY(lay_out_params(m, err));
    m->shared_bytes = shared_bytes(&m->launch);
    for (int32_t f = 0; f < module->function_count; f++) {
        m->first[f + 1] = m->first[f] + module->functions[f].instruction_count;
        m->programs[f].function = &module->functions[f];
        m->programs[f].number = f;
        if (module->functions[f].is_entry && &module->functions[f] != m->launch.entry)
            continue;
        WL_TRY(wl_ptx_decode_steps(m, &m->programs[f], err));
        WL_TRY(wl_ptx_find_needed(m, &m->programs[f], err));
    }
    WL_TRY(wl_ptx_tally_make(m, err));
    m->assumed = WL_ARENA_NEW(&m->arena, uint16_t, m->first[module->function_count] + 1);
    m->assumed_alone = WL_ARENA_NEW(&m->arena, uint16_t, m->first[module->function_count] + 1);
    bool waits_for_objects = false;
    look_for_clusters(m, &waits_for_objects);
    if (waits_for_objects) {
        m->objects = WL_ARENA_NEW(&m->arena, wl_ptx_object, m->shared_bytes / 8 + 1);
        m->rings = WL_ARENA_NEW(&m->arena, wl_ptx_ring, m->first[module->function_count] + 1);
        if (!m->objects || !m->rings)
            return wl_fail_memory(err);
    }
    if (!m->assumed || !m->assumed_alone ||
        (m->shared_bytes > 0 && !wl_ptx_region_resize(&m->shared, m->shared_bytes, false)))
        return wl_fail_memory(err);
    return WL_OK;
}

wl_status wl_ptx_emulator_new(const wl_ptx_launch *launch, wl_ptx_emulator **out, wl_error *err)
{
    wl_ptx_emulator *emulator = calloc(1, sizeof *emulator);
    if (!emulator)
        return wl_fail_memory(err);
    emulator->machine.launch = *launch;
    emulator->machine.launch.everything = launch->everything || launch->in_place;
    emulator->machine.looked_most = INT64_MAX;
    for (int d = 0; d < 3; d++)
        emulator->machine.launch.cluster[d] = wl_max(1, launch->cluster[d]);
    if (launch->budget <= 0)
        emulator->machine.launch.budget = DEFAULT_BUDGET;
    const wl_status status = make(&emulator->machine, err);
    if (status != WL_OK) {
        wl_ptx_emulator_free(emulator);
        return status;
    }
    *out = emulator;
    return WL_OK;
}

void wl_ptx_emulator_free(wl_ptx_emulator *emulator)
{
    if (!emulator)
        return;
    wl_ptx_machine *m = &emulator->machine;
    for (int32_t w = 0; m->warps && w < m->warp_count; w++)
        wl_ptx_warp_free(m->warps[w]);
    while (m->free_warps) {
        wl_ptx_warp *next = m->free_warps->next_free;
        wl_ptx_warp_free(m->free_warps);
        m->free_warps = next;
    }
    wl_ptx_region_free(&m->shared);
    wl_ptx_pages_free(&m->pages);
    wl_ptx_order_free(m);
    free(m->assumptions);
    wl_arena_free(&m->arena);
    free(emulator);
}

/* ---- barriers ---- */

/* Releases the warps that wait at a barrier; bar.red gives them the result of the vote. */
static void release(wl_ptx_machine *m, int32_t number)
{
    wl_ptx_barrier *barrier = &m->barriers[number];
    for (int32_t w = 0; w < m->warp_count; w++) {
        wl_ptx_warp *warp = m->warps[w];
        if (!warp || warp->state != WL_PTX_WARP_WAITS || warp->barrier_number != number)
            continue;
        warp->state = WL_PTX_WARP_READY;
        const wl_ptx_step *s = warp->barrier;
        if (!(s->in->modifiers & WL_PTX_MOD_RED))
            continue;
        wl_ptx_frame *frame = warp->frames[warp->depth - 1];
        const uint32_t lanes = warp->barrier_lanes, unknown = barrier->unknown ? lanes : 0;
        const bool all = barrier->votes == barrier->voters, any = barrier->votes > 0;
        if (s->in->variant == WL_PTX_POPC) {
            wl_ptx_write_same(frame, s->to, lanes, (uint64_t)barrier->votes, barrier->unknown);
        } else {
            const bool yes = s->in->variant == WL_PTX_AND ? all : any;
            wl_ptx_write_predicate(frame, s->to, lanes, yes ? UINT32_MAX : 0, unknown);
        }
    }
    *barrier = (wl_ptx_barrier){0};
}

/* Lets warps continue whose barrier object has ended its phase, or all that wait for one. *woke:
 * there was one. */
static wl_status wake(wl_ptx_machine *m, bool all, bool *woke, wl_error *err)
{
    for (int32_t w = 0; w < m->warp_count; w++) {
        wl_ptx_warp *warp = m->warps[w];
        if (!warp || warp->state != WL_PTX_WARP_WAITS || warp->barrier_number != WL_PTX_AT_MBARRIER)
            continue;
        WL_TRY(wl_ptx_wake(m, warp, all, err));
        *woke = *woke || warp->state == WL_PTX_WARP_READY;
    }
    return WL_OK;
}

static bool is_complete(const wl_ptx_machine *m, int32_t number)
{
    int64_t come = m->barriers[number].arrived, needed = 0;
    int live = 0;
    for (int32_t w = 0; w < m->warp_count; w++) {
        const wl_ptx_warp *warp = m->warps[w];
        if (!warp)
            continue;
        live++;
        if (warp->state == WL_PTX_WARP_WAITS && warp->barrier_number == number) {
            come += WL_PTX_LANES;
            needed = wl_max(needed, warp->barrier_threads);
        }
    }
    return come > m->barriers[number].arrived && come >= (needed ? needed : (int64_t)live * WL_PTX_LANES);
}

/* Lets a warp that waits in a loop leave it: nobody else will end its wait. */
static bool end_wait(wl_ptx_machine *m)
{
    for (int32_t w = 0; w < m->warp_count; w++)
        if (m->warps[w] && m->warps[w]->state == WL_PTX_WARP_READY) {
            m->warps[w]->gives_up = true;
            return true;
        }
    return false;
}

/* All warps wait: opens the barriers that are complete, or all if none is. */
static wl_status open_barriers(wl_ptx_machine *m, wl_error *err)
{
    bool opened = false;
    WL_TRY(wake(m, false, &opened, err));
    for (int32_t b = 0; b < WL_PTX_BARRIERS; b++) {
        if (is_complete(m, b)) {
            release(m, b);
            opened = true;
        }
    }
    if (opened || end_wait(m))
        return WL_OK;
    for (int32_t w = 0; w < m->warp_count; w++)
        if (m->warps[w] && m->warps[w]->state == WL_PTX_WARP_WAITS)
            WL_TRY(wl_ptx_assume(m, m->warps[w]->barrier, WL_PTX_ASSUMED_BARRIER, err));
    for (int32_t b = 0; b < WL_PTX_BARRIERS; b++)
        release(m, b);
    return wake(m, true, &opened, err);
}

/* ---- a block ---- */

static wl_status start(wl_ptx_machine *m, int32_t w, wl_error *err)
{
    m->warps[w] = wl_ptx_warp_take(m, w);
    if (!m->warps[w])
        return wl_fail_memory(err);
    m->warp = m->warps[w];
    return wl_ptx_frame_push(m, &m->programs[m->launch.entry - m->launch.module->functions], m->warp->live, err);
}

static wl_status run_on(wl_ptx_machine *m, int32_t w, wl_error *err)
{
    const wl_status status = wl_ptx_warp_run(m, m->warps[w], err);
    if (status != WL_OK && !m->order.ends_warp)
        return status;
    /* it has drawn for a second time, in a trial, or nobody looks at the rest */
    if (m->order.ends_warp)
        m->warps[w]->state = WL_PTX_WARP_DONE;
    m->order.ends_warp = false;
    if (m->warps[w]->state == WL_PTX_WARP_DONE) {
        wl_ptx_tally_end(m, m->warps[w]);
        wl_ptx_warp_release(m, m->warps[w]);
        m->warps[w] = NULL;
    }
    return WL_OK;
}

/* Runs the warps that are ready. *waiting: some warps remain; *ran: some made progress, and did not
 * only look whether others had. */
static wl_status run_ready(wl_ptx_machine *m, bool *waiting, bool *ran, wl_error *err)
{
    *waiting = *ran = false;
    for (int32_t w = 0; w < m->warp_count; w++) {
        if (m->warps[w] && m->warps[w]->state == WL_PTX_WARP_READY) {
            WL_TRY(run_on(m, w, err));
            *ran = *ran || !m->warps[w] || !m->warps[w]->yields;
        }
        *waiting = *waiting || m->warps[w];
    }
    return WL_OK;
}

static bool has_ready(const wl_ptx_machine *m)
{
    for (int32_t w = 0; w < m->warp_count; w++)
        if (m->warps[w] && m->warps[w]->state == WL_PTX_WARP_READY)
            return true;
    return false;
}

static wl_status run_all(wl_ptx_machine *m, wl_error *err)
{
    bool waiting = true, ran = false;
    for (int32_t w = 0; w < m->warp_count; w++) {
        WL_TRY(start(m, w, err));
        WL_TRY(run_on(m, w, err));
    }
    for (int looked = 0; waiting;) {
        WL_TRY(run_ready(m, &waiting, &ran, err));
        looked = ran ? 0 : looked + 1;
        if (waiting && looked >= (has_ready(m) ? LOOKS : 1))
            WL_TRY(open_barriers(m, err));
    }
    return WL_OK;
}

/* Clears what an earlier run left, even one that failed. */
static void reset(wl_ptx_machine *m)
{
    for (int32_t w = 0; w < m->warp_count; w++) {
        if (m->warps[w])
            wl_ptx_warp_release(m, m->warps[w]);
        m->warps[w] = NULL;
    }
    if (m->launch.in_place)
        wl_ptx_region_zero(&m->shared);
    else
        wl_ptx_region_clear(&m->shared);
    wl_ptx_pages_clear(&m->pages);
    memset(m->written, 0, (size_t)m->launch.arguments->buffer_count * sizeof *m->written);
    memset(m->barriers, 0, sizeof m->barriers);
    if (m->objects)
        memset(m->objects, 0, ((size_t)m->shared_bytes / 8 + 1) * sizeof *m->objects);
    m->columns = 0;
    m->executed = 0;
    m->astray = 0;
    m->looked_before += m->looked_at;
    m->looked_at = BLOCK_STEPS + WARP_STEPS * m->warp_count;
    m->skipped = 0;
    wl_ptx_recorder_stop(m);
    m->buffer = NULL;
    m->out_of_memory = m->is_cut = false;
    wl_ptx_order_reset(m);
}

int wl_ptx_buffer_use(const wl_ptx_emulator *emulator, int index) { return emulator->machine.used[index]; }

wl_status wl_ptx_emulator_renew(wl_ptx_emulator *emulator, const wl_ptx_launch *launch, wl_error *err)
{
    wl_ptx_machine *m = &emulator->machine;
    const int buffers = launch->arguments->buffer_count;
    WL_ASSERT(m->launch.in_place && launch->entry == m->launch.entry);
    reset(m);
    wl_ptx_frames_forget(m);
    if (buffers > m->buffer_room) {
        m->written = WL_ARENA_NEW(&m->arena, bool, 2 * buffers + 1);
        m->used = WL_ARENA_NEW(&m->arena, uint8_t, 2 * buffers + 1);
        if (!m->written || !m->used)
            return wl_fail_memory(err);
        m->buffer_room = 2 * buffers;
    }
    memset(m->used, 0, (size_t)buffers + 1);
    memset(m->recent, 0, sizeof m->recent);
    if (m->pieces)
        memset(m->pieces, 0, (size_t)m->first[m->launch.module->function_count] * sizeof *m->pieces);
    m->launch.arguments = launch->arguments;
    m->launch.one_thread = launch->one_thread;
    m->launch.native = launch->native;
    memcpy(m->launch.grid, launch->grid, sizeof launch->grid);
    return WL_OK;
}

void wl_ptx_emulator_take_code(wl_ptx_emulator *emulator, const wl_native_run *code)
{
    emulator->machine.launch.native = code;
}

/* In a rehearsal. */
static wl_status run_whole(wl_ptx_machine *m, const int64_t block[3], wl_error *err)
{
    memcpy(m->block, block, sizeof m->block);
    reset(m);
    m->alone = false;
    return run_all(m, err);
}

static wl_status run_block(wl_ptx_machine *m, const int64_t block[3], int only_warp, wl_error *err)
{
    if (m->order.on && !m->order.ready)
        WL_TRY(wl_ptx_order_prepare(m, run_whole, err));
    reset(m);
    memcpy(m->block, block, sizeof m->block);
    m->alone = only_warp >= 0;
    if (!m->alone)
        return run_all(m, err);
    WL_ASSERT(only_warp < m->warp_count);
    WL_TRY(start(m, only_warp, err));
    while (m->warps[only_warp]) { /* once more after each yield */
        WL_TRY(run_on(m, only_warp, err));
        if (m->warps[only_warp])
            m->warps[only_warp]->gives_up = true;
    }
    return WL_OK;
}

wl_status wl_ptx_end_warp(wl_ptx_emulator *emulator)
{
    wl_ptx_machine *m = &emulator->machine;
    m->order.ends_warp = m->is_cut = !m->order.on;
    return m->is_cut ? WL_E_LIMIT : WL_OK;
}

wl_status wl_ptx_emulate_block(wl_ptx_emulator *emulator, const int64_t block[3], int only_warp,
                               wl_ptx_profile *profile, wl_ptx_visit visit, void *user, wl_error *err)
{
    wl_ptx_machine *m = &emulator->machine;
    m->visit = visit;
    m->user = user;
    m->tally.on = profile != NULL;
    WL_TRY(run_block(m, block, only_warp, err));
    if (profile)
        wl_ptx_collect(emulator, 1, profile);
    return WL_OK;
}

void wl_ptx_sample_lines(wl_ptx_emulator *emulator, const wl_line_sample *sample) { emulator->machine.sample = sample; }

int64_t wl_ptx_steps_done(const wl_ptx_emulator *emulator) { return emulator->machine.looked_at; }

wl_status wl_ptx_follow_block(wl_ptx_emulator *emulator, const int64_t block[3], wl_ptx_followed *out, wl_error *err)
{
    wl_ptx_machine *m = &emulator->machine;
    m->visit = NULL;
    m->tally.on = true;
    m->tally.signature = 0;
    m->tally.run_loads = m->tally.run_stores = 0;
    m->tally.fresh = false;
    m->tally.longest = (wl_ptx_longest){0};
    WL_TRY(run_block(m, block, -1, err));
    *out = (wl_ptx_followed){.signature = m->tally.signature,
                             .instructions = m->executed,
                             .steps = m->looked_at,
                             .skipped = m->skipped,
                             .loads = m->tally.run_loads,
                             .stores = m->tally.run_stores,
                             .fresh = m->tally.fresh,
                             .longest = m->tally.longest};
    return WL_OK;
}

wl_status wl_ptx_follow_warp(wl_ptx_emulator *emulator, const int64_t block[3], int warp, wl_error *err)
{
    wl_ptx_machine *m = &emulator->machine;
    m->visit = NULL;
    m->tally.on = false;
    return run_block(m, block, warp, err);
}

static const wl_ptx_program *entry_of(const wl_ptx_machine *m)
{
    return &m->programs[m->launch.entry - m->launch.module->functions];
}

bool wl_ptx_flow_reads_data(const wl_ptx_emulator *emulator) { return entry_of(&emulator->machine)->reads_data; }

const wl_ptx_ring *wl_ptx_rings_of(const wl_ptx_emulator *emulator, int32_t function)
{
    const wl_ptx_machine *m = &emulator->machine;
    return m->rings ? m->rings + m->first[function] : NULL;
}

bool wl_ptx_waits_for_objects(const wl_ptx_emulator *emulator) { return emulator->machine.objects != NULL; }

wl_ptx_ordering wl_ptx_ordering_of(const wl_ptx_emulator *emulator)
{
    const wl_ptx_order *o = &emulator->machine.order;
    const wl_ptx_asking *a = &o->asking;
    const int64_t chained = a->blocks[WL_PTX_TOLD_BEHIND] + a->blocks[WL_PTX_TOLD_TWICE];
    return (wl_ptx_ordering){.ordered = o->on,
                             .in_turns = o->ticket_count > 0,
                             .kept = o->keeps && o->history.count > 0,
                             .followed = o->followed,
                             .chained = chained > o->followed / 2, /* most */
                             .at_once = 2 * a->blocks[WL_PTX_TOLD_TWICE] > chained ? a->at_once : 0};
}

bool wl_ptx_flow_is_even(const wl_ptx_emulator *emulator) { return entry_of(&emulator->machine)->even; }

void wl_ptx_on_back_edge(wl_ptx_emulator *emulator, wl_ptx_back_edge call) { emulator->machine.back_edge = call; }

void wl_ptx_on_run(wl_ptx_emulator *emulator, wl_ptx_ran_visit visit, void *user)
{
    emulator->machine.ran = visit;
    emulator->machine.ran_user = user;
}

size_t wl_ptx_outside(const wl_ptx_emulator *emulator, const wl_outside **list)
{
    *list = emulator->machine.outside;
    return emulator->machine.outside_count;
}

const wl_ptx_flow *wl_ptx_entry_flow(const wl_ptx_emulator *emulator)
{
    const wl_ptx_launch *l = &emulator->machine.launch;
    return &emulator->machine.programs[l->entry - l->module->functions].flow;
}

bool wl_ptx_is_only_counted(const wl_ptx_emulator *emulator, int32_t function, int32_t instruction)
{
    const wl_ptx_step *steps = emulator->machine.programs[function].steps;
    return steps && steps[instruction].kind == WL_PTX_STEP_RUN && steps[instruction].of.run == wl_ptx_run_counted;
}

bool wl_ptx_polls(const wl_ptx_emulator *emulator, int32_t function, int32_t instruction)
{
    const wl_ptx_program *p = &emulator->machine.programs[function];
    const wl_ptx_step *s = p->all ? p->all[instruction].step : NULL;
    return s && s->kind == WL_PTX_STEP_RUN && s->wait_loop > 0;
}

size_t wl_ptx_assumption_count(const wl_ptx_emulator *emulator) { return emulator->machine.assumption_count; }

wl_ptx_assumption wl_ptx_assumption_at(const wl_ptx_emulator *emulator, size_t index)
{
    const wl_ptx_machine *m = &emulator->machine;
    wl_ptx_assumption a = m->assumptions[index];
    a.alone = !(m->assumed[m->first[a.function] + a.instruction] >> a.what & 1);
    return a;
}
