/* loop_rolling.c - see loop_rolling.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/loop_rolling.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "ptx/recover/loop_nest.h"

#define LEAST_STEPS 4     /* fewer steps are not rolled */
#define ACCESSES_MAX 4096 /* per kernel */
#define SINGLE_MAX 256    /* the most accesses that one group of steps may become */
/* from so many steps on, a loop that fits less well is better than a list */
#define MANY_STEPS 16
#define EXPANDED_MAX 64 /* the most accesses that such a group may become */
#define NODES_MAX 1900  /* per expression: a kernel file allows 2000 */

const wl_ptx_buffer *wl_ptx_buffer_near(const wl_ptx_arguments *a, uint64_t address)
{
    return wl_ptx_buffer_within(a, address, (uint64_t)1 << 40);
}

/* ---- groups of steps that differ only in constants ---- */

/* An execution of a step, as a number in program order. */
typedef struct keyed {
    uint64_t key;
    size_t step;
} keyed;

static int by_key(const void *p, const void *q)
{
    const keyed *a = p, *b = q;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

typedef struct group {
    const keyed *first;
    size_t count;
} group;

static int by_first(const void *p, const void *q)
{
    const group *a = p, *b = q;
    return (a->first->step > b->first->step) - (a->first->step < b->first->step);
}

#define WORDS_AT_ONCE 4

/* Whether the load is one word of a vector load from shared memory. */
static bool is_vectorized(const double *weights, const wl_ptx_instruction *in, const wl_ptx_thread_access *step)
{
    return in->op == WL_PTX_OP_ld && step->space == WL_PTX_SHARED && weights[step->instruction] * WORDS_AT_ONCE == 1;
}

/* Bytes that one lane moves; 0: they are part of a neighbour's vector load. */
static int32_t bytes_of(const wl_ptx_launch *launch, const double *weights, const wl_ptx_thread_access *step)
{
    const wl_ptx_instruction *in = &launch->entry->instructions[step->instruction];
    const int32_t bytes = wl_ptx_access_bytes(in);
    if (!is_vectorized(weights, in, step))
        return bytes;
    return in->operands[1].value % (WORDS_AT_ONCE * bytes) == 0 ? WORDS_AT_ONCE * bytes : 0;
}

/* The address must be of the same buffer, too: c is its constant. */
static uint64_t key_of(const wl_ptx_launch *launch, const double *weights, const wl_ptx_thread_access *step, int64_t c)
{
    const wl_ptx_instruction *in = &launch->entry->instructions[step->instruction];
    const wl_ptx_buffer *b = step->space == WL_PTX_GLOBAL ? wl_ptx_buffer_near(launch->arguments, (uint64_t)c) : NULL;
    uint64_t h = wl_hash_add(step->address->skeleton, step->when ? step->when->skeleton : 7);
    h = wl_hash_add(h, (uint64_t)(step->store + 2 * (step->space == WL_PTX_SHARED)) + 4 * (uint64_t)in->op);
    h = wl_hash_add(h, (uint64_t)bytes_of(launch, weights, step) | (uint64_t)wl_ptx_l1_use_of(in) << 32);
    return wl_hash_end(wl_hash_add(h, b ? b->base : 0));
}

typedef struct roller {
    const wl_ptx_launch *launch;
    wl_ptx_recovery *recovery;
    const double *weights;
    wl_arena *arena;
    wl_arena scratch;
    wl_ptx_step_form *forms;      /* by step */
    wl_ptx_execution *executions; /* in program order */
    wl_ptx_rolled_loops *out;
    wl_error *err;
} roller;

/* The constants of an execution; -1: too many. */
static int constants_of(const roller *r, size_t execution, int64_t *out)
{
    const wl_ptx_execution *at = &r->executions[execution];
    const wl_ptx_step_form *form = &r->forms[at->step];
    const wl_symbol *address, *when;
    if (!form->even)
        return wl_ptx_symbols_at(r->recovery, at, r->recovery->symbols.launch_bound, &address, &when)
                   ? wl_ptx_constants_of(address, when, out)
                   : -1;
    for (int p = 0; p < form->places; p++) {
        out[p] = form->constants[p];
        for (int l = 0; l < WL_LOOPS_MAX; l++)
            out[p] += form->growth[l] ? form->growth[l][p] * at->trip[l] : 0;
    }
    return form->places;
}

static void trace(const roller *r, const wl_ptx_thread_access *step, wl_ptx_why why)
{
    wl_ptx_trace(r->recovery, step->instruction, (wl_ptx_cause){why, step->instruction});
}

static const wl_ptx_thread_access *step_of(const roller *r, size_t execution)
{
    return &r->recovery->steps[r->executions[execution].step];
}

/* The step of an execution, with symbols without loop variables. NULL: out of memory. */
static const wl_ptx_thread_access *single_step(const roller *r, size_t execution)
{
    wl_ptx_thread_access *step = WL_ARENA_NEW(r->arena, wl_ptx_thread_access, 1);
    if (!step)
        return NULL;
    *step = *step_of(r, execution);
    step->loop = -1;
    if (!wl_ptx_symbols_at(r->recovery, &r->executions[execution], r->recovery->symbols.launch_bound, &step->address,
                           &step->when))
        return NULL;
    return step;
}

/* ---- accesses ---- */

bool wl_ptx_combines_lanes(const wl_ptx_instruction *in)
{
    const bool combines = in->variant == WL_PTX_ADD || in->variant == WL_PTX_MIN || in->variant == WL_PTX_MAX ||
                          in->variant == WL_PTX_AND || in->variant == WL_PTX_OR || in->variant == WL_PTX_XOR;
    return (in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red) && combines && !wl_ptx_type_is_float(in->type);
}

bool wl_ptx_is_uniform(const wl_symbol *address)
{
    const uint32_t threads = 7u << WL_VAR_X | 7u << WL_VAR_THREAD_X;
    return (wl_sym_vars(address) & threads) == 0;
}

static wl_ptx_access access_of(const roller *r, const wl_ptx_thread_access *step, size_t order)
{
    const wl_ptx_instruction *in = &r->launch->entry->instructions[step->instruction];
    return (wl_ptx_access){
        .step = step,
        .order = order,
        .steps = 1,
        .buffer =
            step->space == WL_PTX_GLOBAL ? wl_ptx_buffer_near(r->launch->arguments, (uint64_t)step->address->c) : NULL,
        .bytes = bytes_of(r->launch, r->weights, step),
        .atomic = in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red,
        .one_lane = wl_ptx_combines_lanes(in) && wl_ptx_is_uniform(step->address),
    };
}

static bool repeats(const roller *r, const keyed *keys, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j-- > 0 && i - j <= 64;)
            if (step_of(r, keys[i].step)->instruction == step_of(r, keys[j].step)->instruction)
                return true;
    return false;
}

/* Whether address and condition fit into a kernel file, with their induction variables. One node
 * of a symbol takes up to four. */
static bool is_writable(const wl_ptx_thread_access *step, const wl_ptx_access *access)
{
    int64_t nodes = 4 * wl_max(step->address->size, step->when ? step->when->size : 0);
    for (int i = 0; i < access->loop_count; i++)
        for (int p = 0; p < access->place_count; p++)
            nodes += access->growth[i][p] ? 4 : 0;
    return nodes <= NODES_MAX;
}

/* The constants of a group's steps, a row each; NULL: they differ in number, or memory ran out. */
static int64_t *rows_of(roller *r, const keyed *keys, size_t n, int *places)
{
    int64_t one[WL_PTX_PLACES_MAX];
    *places = constants_of(r, keys[0].step, one);
    int64_t *rows = *places > 0 ? WL_ARENA_NEW(&r->scratch, int64_t, n * (size_t)*places) : NULL;
    for (size_t i = 0; i < n && rows; i++) {
        if (constants_of(r, keys[i].step, one) != *places)
            return NULL;
        memcpy(rows + i * (size_t)*places, one, (size_t)*places * sizeof *one);
    }
    return rows;
}

/* The nest of a group's steps; false: there is none. */
static bool nest_of(roller *r, const keyed *keys, size_t n, wl_ptx_nest *nest, int *places)
{
    const int64_t *rows = rows_of(r, keys, n, places);
    return rows && wl_ptx_nest_find(rows, *places, n, &r->scratch, nest);
}

/* The access of the steps that begin with one of the group; false: it cannot be written. */
static bool access_in_loops(roller *r, const wl_ptx_nest *nest, const wl_ptx_in_loops *in, size_t first, int places,
                            wl_ptx_access *out)
{
    const wl_ptx_thread_access *step = single_step(r, first);
    if (!step)
        return false;
    *out = access_of(r, step, first);
    out->place_count = places;
    out->loop_count = in->count;
    for (int i = 0; i < in->count; i++) {
        int64_t *growth = WL_ARENA_NEW(r->arena, int64_t, places + 1);
        if (!growth)
            return false;
        for (int p = 0; p < places; p++)
            growth[p] = nest->growth[in->level[i]][p] * in->times[i];
        out->loops[i] = in->loop[i];
        out->growth[i] = growth;
        out->steps *= (size_t)r->out->table.extent[in->loop[i]];
    }
    return is_writable(step, out);
}

/* Adds an access for each combination of the unrolled levels. */
static bool add_accesses(roller *r, const keyed *keys, const wl_ptx_nest *nest, const wl_ptx_in_loops *in, int places)
{
    const size_t before = r->out->count;
    int64_t at[WL_PTX_NEST_MAX] = {0};
    for (bool more = true; more;) {
        size_t row = 0;
        for (int i = 0; i < nest->depth; i++)
            row += (size_t)(at[i] * nest->stride[i]);
        if (!access_in_loops(r, nest, in, keys[row].step, places, &r->out->accesses[r->out->count++])) {
            r->out->count = before;
            return false;
        }
        more = false;
        for (int i = 0; i < nest->depth && !more; i++) {
            more = in->expanded >> i & 1 && ++at[i] < nest->extent[i];
            at[i] = more || !(in->expanded >> i & 1) ? at[i] : 0;
        }
    }
    return true;
}

/* Rolls a group into new loops, or into existing ones if that may be and there are many steps;
 * false: it has none, or there is no room for them. */
static bool add_rolled(roller *r, const keyed *steps, size_t n, bool may_fit)
{
    const wl_ptx_loop_table before = r->out->table;
    wl_ptx_nest nest;
    wl_ptx_in_loops in;
    int places;
    if (n < LEAST_STEPS || !repeats(r, steps, n) || !nest_of(r, steps, n, &nest, &places))
        return false;
    if (wl_ptx_nest_place(&nest, &r->out->table, &in) && add_accesses(r, steps, &nest, &in, places))
        return true;
    r->out->table = before;
    return may_fit && n >= MANY_STEPS && wl_ptx_nest_fit(&nest, &r->out->table, EXPANDED_MAX, &in) &&
           add_accesses(r, steps, &nest, &in, places);
}

static wl_status add_single(roller *r, const keyed *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (n > SINGLE_MAX && repeats(r, steps, n)) {
            trace(r, step_of(r, steps[i].step), WL_PTX_WHY_IRREGULAR);
            continue;
        }
        const wl_ptx_thread_access *step = single_step(r, steps[i].step);
        if (!step)
            return wl_fail_memory(r->err);
        r->out->accesses[r->out->count++] = access_of(r, step, steps[i].step);
    }
    return WL_OK;
}

/* Rolls periodic steps, such as several loads of an unrolled body. False: they are not periodic, or
 * there is no room for their loop. */
static bool add_periods(roller *r, const keyed *steps, size_t n)
{
    const wl_ptx_loop_table table = r->out->table;
    const size_t count = r->out->count;
    int places;
    wl_ptx_period period;
    const int64_t *rows = n >= MANY_STEPS && repeats(r, steps, n) ? rows_of(r, steps, n, &places) : NULL;
    if (!rows || !wl_ptx_period_find(rows, places, n, LEAST_STEPS, &r->scratch, &period))
        return false;
    const size_t trips = (n - period.first) / period.length;
    keyed *chain = WL_ARENA_NEW(&r->scratch, keyed, trips);
    bool rolled = chain != NULL;
    for (size_t i = 0; i < period.length && rolled; i++) {
        for (size_t trip = 0; trip < trips; trip++)
            chain[trip] = steps[period.first + trip * period.length + i];
        rolled = add_rolled(r, chain, trips, false);
    }
    if (rolled && add_single(r, steps, period.first) == WL_OK)
        return true;
    r->out->table = table;
    r->out->count = count;
    return false;
}

/* Rolls all steps into one loop nest if possible, else those of each instruction. */
static wl_status add_group(roller *r, const keyed *steps, size_t n)
{
    if (add_rolled(r, steps, n, true) || add_periods(r, steps, n))
        return WL_OK;
    keyed *by_instruction = WL_ARENA_NEW(&r->scratch, keyed, n);
    if (!by_instruction)
        return wl_fail_memory(r->err);
    for (size_t i = 0; i < n; i++)
        by_instruction[i] = (keyed){(uint64_t)step_of(r, steps[i].step)->instruction, steps[i].step};
    qsort(by_instruction, n, sizeof *by_instruction, by_key);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && by_instruction[end].key == by_instruction[i].key;)
            end++;
        if (!add_rolled(r, by_instruction + i, end - i, true))
            WL_TRY(add_single(r, by_instruction + i, end - i));
    }
    return WL_OK;
}

static int by_program(const void *p, const void *q)
{
    const wl_ptx_access *a = p, *b = q;
    return (a->order > b->order) - (a->order < b->order);
}

/* If one execution of an instruction must be traced, all are; and so are all steps that were rolled
 * together with them, since one access represents them all. Keys are in order. */
static void drop_traced(roller *r, const keyed *keys, size_t count)
{
    size_t n = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0, end; i < count; i = end) {
            size_t traced = 0;
            for (end = i; end < count && keys[end].key == keys[i].key; end++)
                traced += r->recovery->traced[step_of(r, keys[end].step)->instruction];
            more = more || (traced > 0 && traced < end - i);
            for (size_t k = i; k < end && traced > 0; k++)
                trace(r, step_of(r, keys[k].step), WL_PTX_WHY_IRREGULAR);
        }
    }
    for (size_t i = 0; i < r->out->count; i++)
        if (!r->recovery->traced[r->out->accesses[i].step->instruction])
            r->out->accesses[n++] = r->out->accesses[i];
    r->out->count = n;
}

/* If a kernel has too many different accesses, the instructions with most of them are traced. */
static wl_status trace_many(roller *r, const keyed *keys, size_t count)
{
    int32_t *accesses = WL_ARENA_NEW(&r->scratch, int32_t, r->launch->entry->instruction_count + 1);
    if (!accesses)
        return wl_fail_memory(r->err);
    while (r->out->count > ACCESSES_MAX) {
        const wl_ptx_thread_access *most = r->out->accesses[0].step;
        for (size_t i = 0; i < r->out->count; i++)
            accesses[r->out->accesses[i].step->instruction] = 0;
        for (size_t i = 0; i < r->out->count; i++) {
            const wl_ptx_thread_access *step = r->out->accesses[i].step;
            most = ++accesses[step->instruction] > accesses[most->instruction] ? step : most;
        }
        trace(r, most, WL_PTX_WHY_MANY);
        drop_traced(r, keys, count);
    }
    return WL_OK;
}

/* Lists all executions of steps that are not traced, with their keys. */
static wl_status list_executions(roller *r, size_t total, keyed *keys, size_t *count)
{
    wl_ptx_recovery *recovery = r->recovery;
    wl_ptx_execution at;
    wl_ptx_first_execution(recovery, NULL, recovery->step_count, &at);
    for (size_t n = 0; n < total; n++, wl_ptx_next_execution(recovery, NULL, recovery->step_count, &at)) {
        const wl_ptx_thread_access *step = &recovery->steps[at.step];
        const wl_ptx_step_form *form = &r->forms[at.step];
        wl_ptx_thread_access one = *step;
        r->executions[n] = at;
        if (recovery->traced[step->instruction] || bytes_of(r->launch, r->weights, step) == 0)
            continue;
        one.address = form->address;
        one.when = form->when;
        if (!form->even && !wl_ptx_symbols_at(recovery, &at, recovery->symbols.launch_bound, &one.address, &one.when)) {
            trace(r, step, WL_PTX_WHY_LONG);
            continue;
        }
        int64_t c = one.address->c;
        for (int l = 0; l < WL_LOOPS_MAX && form->even; l++)
            c += form->growth[l] ? form->growth[l][0] * at.trip[l] : 0;
        keys[(*count)++] = (keyed){key_of(r->launch, r->weights, &one, c), n};
    }
    return WL_OK;
}

/* Makes the forms of the steps. The grid's extents may be constants, which reveals more loops. */
static wl_status make_forms(roller *r)
{
    wl_ptx_recovery *recovery = r->recovery;
    const bool fix = recovery->symbols.launch_bound;
    for (size_t i = 0; i < recovery->step_count; i++) {
        wl_ptx_step_form *form = &r->forms[i];
        WL_TRY(wl_ptx_step_form_make(recovery, i, fix, &r->scratch, form, r->err));
        if (recovery->gave_up || !form->address || form->address->is_scaled || (form->when && form->when->is_scaled))
            trace(r, &recovery->steps[i], WL_PTX_WHY_LONG);
    }
    return WL_OK;
}

/* ---- more executions than can be listed ---- */

#define PARTS_MAX 16 /* runs that may still be merged */

/* Adds a run to a list and merges runs at its end as far as possible: so the first and last
 * iterations of a loop, which were executed one by one, become a run before they are merged with
 * the others. */
static bool add_run(roller *r, wl_ptx_run *runs, int *count, const wl_ptx_run *next)
{
    if (*count == PARTS_MAX)
        return false;
    runs[(*count)++] = *next;
    while (*count > 1 && wl_ptx_run_append(&runs[*count - 2], &runs[*count - 1], &r->scratch))
        --*count;
    return true;
}

/* The steps of a group inside a loop (-1: none) as one run; false: they do not form a nest. Takes
 * steps while they are in the loop; *at is the first that is not. */
static bool fold(roller *r, const keyed *steps, size_t n, int32_t loop, size_t *at, wl_ptx_run *out)
{
    const wl_ptx_recovery *recovery = r->recovery;
    const int64_t *growth = NULL;
    wl_ptx_run runs[PARTS_MAX] = {{.places = 0}};
    int count = 0;
    while (*at < n && (loop < 0 || steps[*at].step < recovery->loops[loop].end)) {
        const size_t step = steps[*at].step;
        const wl_ptx_step_form *form = &r->forms[step];
        const int64_t *own = loop < 0 ? NULL : form->growth[recovery->loops[loop].var - WL_VAR_LOOP_0];
        wl_ptx_run next = {.base = form->constants, .places = form->places};
        int32_t inner = recovery->steps[step].loop;
        while (inner != loop && recovery->loops[inner].parent != loop)
            inner = recovery->loops[inner].parent;
        if (inner == loop)
            ++*at;
        else if (!fold(r, steps, n, inner, at, &next))
            return false;
        if (growth && memcmp(growth, own, (size_t)form->places * sizeof *own) != 0)
            return false;
        growth = own;
        if (!add_run(r, runs, &count, &next))
            return false;
    }
    *out = runs[0];
    return count == 1 && (loop < 0 || wl_ptx_run_repeat(out, recovery->loops[loop].trips, growth, &r->scratch));
}

/* Rolls the steps of a group that are listed once each. */
static bool add_folded(roller *r, const keyed *steps, size_t n)
{
    const wl_ptx_loop_table before = r->out->table;
    wl_ptx_run run;
    wl_ptx_in_loops in;
    size_t at = 0;
    if (!fold(r, steps, n, -1, &at, &run))
        return false;
    if (!wl_ptx_nest_place(&run.nest, &r->out->table, &in) && !wl_ptx_nest_fit(&run.nest, &r->out->table, 1, &in))
        return false;
    wl_ptx_access *access = &r->out->accesses[r->out->count];
    if (access_in_loops(r, &run.nest, &in, steps[0].step, run.places, access)) {
        r->out->count++;
        return true;
    }
    r->out->table = before;
    return false;
}

/* Steps that are executed once each need no loop. */
static bool add_alone(roller *r, const keyed *step)
{
    const wl_ptx_thread_access *single =
        wl_ptx_trips_of(r->recovery, step->step) == 1 ? single_step(r, step->step) : NULL;
    if (single)
        r->out->accesses[r->out->count++] = access_of(r, single, step->step);
    return single || add_folded(r, step, 1);
}

/* Are all executions of a step the same, except that its constants grow evenly, in one buffer? */
static bool is_plain(const roller *r, size_t step)
{
    const wl_ptx_step_form *form = &r->forms[step];
    const wl_ptx_thread_access *access = &r->recovery->steps[step];
    if (!form->even || form->places < 0)
        return false;
    int64_t last = form->address->c;
    for (int32_t l = access->loop; l >= 0; l = r->recovery->loops[l].parent)
        last += form->growth[r->recovery->loops[l].var - WL_VAR_LOOP_0][0] * (r->recovery->loops[l].trips - 1);
    return access->space != WL_PTX_GLOBAL || wl_ptx_buffer_near(r->launch->arguments, (uint64_t)form->address->c) ==
                                                 wl_ptx_buffer_near(r->launch->arguments, (uint64_t)last);
}

static wl_status add_long_group(roller *r, const keyed *steps, size_t n)
{
    if (add_folded(r, steps, n))
        return WL_OK;
    for (size_t i = 0; i < n; i++)
        if (!add_alone(r, &steps[i]))
            trace(r, step_of(r, steps[i].step), WL_PTX_WHY_IRREGULAR);
    return WL_OK;
}

/* ---- all steps ---- */

/* Lists every step once; executions are then steps. */
static void list_steps(roller *r, keyed *keys, size_t *count)
{
    wl_ptx_recovery *recovery = r->recovery;
    for (size_t i = 0; i < recovery->step_count; i++) {
        const wl_ptx_thread_access *step = &recovery->steps[i];
        r->executions[i] = (wl_ptx_execution){.step = i};
        if (!recovery->traced[step->instruction] && !is_plain(r, i))
            trace(r, step, WL_PTX_WHY_IRREGULAR);
        if (recovery->traced[step->instruction] || bytes_of(r->launch, r->weights, step) == 0)
            continue;
        wl_ptx_thread_access one = *step;
        one.address = r->forms[i].address;
        one.when = r->forms[i].when;
        keys[(*count)++] = (keyed){key_of(r->launch, r->weights, &one, one.address->c), i};
    }
}

static wl_status add_groups(roller *r, keyed *keys, size_t n, bool is_long)
{
    group *groups = WL_ARENA_NEW(&r->scratch, group, n + 1);
    size_t group_count = 0;
    if (!groups)
        return wl_fail_memory(r->err);
    qsort(keys, n, sizeof *keys, by_key);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || keys[i].key != keys[i - 1].key)
            groups[group_count++] = (group){keys + i, 0};
        groups[group_count - 1].count++;
    }
    qsort(groups, group_count, sizeof *groups, by_first); /* loops are numbered in program order */
    for (size_t i = 0; i < group_count; i++)
        WL_TRY((is_long ? add_long_group : add_group)(r, groups[i].first, groups[i].count));
    return WL_OK;
}

static wl_status roll(roller *r)
{
    wl_ptx_recovery *recovery = r->recovery;
    wl_ptx_rolled_loops *out = r->out;
    const int64_t executions = wl_ptx_execution_count(recovery);
    const bool is_long = executions > WL_PTX_STEPS_MAX;
    const size_t total = recovery->gave_up ? 0 : is_long ? recovery->step_count : (size_t)executions;
    keyed *keys = WL_ARENA_NEW(&r->scratch, keyed, total + 1);
    size_t n = 0;
    r->forms = WL_ARENA_NEW(&r->scratch, wl_ptx_step_form, recovery->step_count + 1);
    r->executions = WL_ARENA_NEW(&r->scratch, wl_ptx_execution, total + 1);
    out->accesses = WL_ARENA_NEW(&r->scratch, wl_ptx_access, total + 1);
    if (!keys || !r->forms || !r->executions || !out->accesses)
        return wl_fail_memory(r->err);
    WL_TRY(make_forms(r));
    if (is_long && total > 0)
        list_steps(r, keys, &n);
    else
        WL_TRY(list_executions(r, total, keys, &n));
    WL_TRY(add_groups(r, keys, n, is_long));
    drop_traced(r, keys, n);
    WL_TRY(trace_many(r, keys, n));
    qsort(out->accesses, out->count, sizeof *out->accesses, by_program);
    wl_ptx_access *few = WL_ARENA_NEW(r->arena, wl_ptx_access, out->count + 1);
    if (!few)
        return wl_fail_memory(r->err);
    if (out->count > 0)
        memcpy(few, out->accesses, out->count * sizeof *few);
    out->accesses = few;
    return WL_OK;
}

wl_status wl_ptx_roll(const wl_ptx_launch *launch, wl_ptx_recovery *recovery, const double *weights, wl_arena *arena,
                      wl_ptx_rolled_loops *out, wl_error *err)
{
    roller r = {.launch = launch, .recovery = recovery, .weights = weights, .arena = arena, .out = out, .err = err};
    *out = (wl_ptx_rolled_loops){0};
    const wl_status status = roll(&r);
    wl_arena_free(&r.scratch);
    /* symbols that were not made for lack of memory look as if they could not be rolled */
    return status == WL_OK && recovery->symbols.out_of_memory ? wl_fail_memory(err) : status;
}
