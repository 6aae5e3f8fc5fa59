/* thread.c - see thread.h. SPDX-License-Identifier: MIT */
#include "laws/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "device/device_internal.h"
#include "kernel/program.h"
#include "launch/lanes.h"
#include "count/executed.h"
#include "count/spread.h"
#include "count/traffic.h"
#include "replay/walk_loops.h"

/* Sample size for counting the executions of an access with a condition. */
#define SAMPLED_BLOCKS 8
#define SAMPLED_STEPS 32           /* of the innermost loop, about */
#define SAMPLED_EXECUTIONS 65536.0 /* of all blocks together, about */

/* One load or store of a thread. */
typedef struct step {
    const wl_instruction *instruction;
    const wl_linear *linear;
    const wl_access *access;
    /* highest and lowest offset among the loads of the same array */
    int64_t cluster_top, cluster_bottom;
} step;

typedef struct profiler {
    const wl_kernel *kernel;
    const wl_geometry *geometry;
    const wl_estimates *estimates;
    int outer;    /* the slowest dimension of the launch order */
    double *span; /* per group of instructions: bytes between the first and the last cell */
    int64_t line;
    double loads_per_phase;
    const wl_access_cost *costs; /* of the accesses; NULL: not counted */
    double warps;                /* with work */
} profiler;

static bool same_array(const profiler *p, const step *a, const step *b)
{
    return a->access->field == b->access->field && a->instruction->group == b->instruction->group &&
           (double)(b->instruction->offset - a->instruction->offset) < p->span[a->instruction->group] / 2;
}

/* Loads of one field that lie farther apart than half of what the launch spans belong to separate
 * arrays (populations of a lattice). Steps are sorted by address. */
static void find_arrays(const profiler *p, step *steps, size_t n)
{
    for (size_t start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && same_array(p, &steps[end - 1], &steps[end]);)
            end++;
        for (size_t i = start; i < end; i++) {
            steps[i].cluster_top = steps[end - 1].instruction->offset;
            steps[i].cluster_bottom = steps[start].instruction->offset;
        }
    }
}

/* Neighbours in a row, closer than a line, share an address register through immediate offsets; the
 * distance of rows is a variable of the code. */
static int count_addresses(const profiler *p, const step *steps, size_t n)
{
    int addresses = 0;
    for (size_t i = 0; i < n; i++)
        addresses += i == 0 || steps[i].access->field != steps[i - 1].access->field ||
                     steps[i].instruction->group != steps[i - 1].instruction->group ||
                     steps[i].instruction->offset - steps[i - 1].instruction->offset >= p->line;
    return addresses;
}

static double executions(const profiler *p, const step *s) { return wl_access_steps(p->kernel, s->access); }

/* Does the last thread of a block read a line here that no earlier block along the outermost
 * dimension has read (a compulsory miss)? */
static bool reads_fresh(const profiler *p, const step *s)
{
    const wl_geometry *g = p->geometry;
    const int64_t stride = wl_thread_stride(s->linear, g, p->outer) / g->fold[p->outer];
    if (stride == 0)
        return false;
    /* the foremost load of the array, without the folded cells: earlier blocks have reached as
     * far */
    const int64_t foremost = (stride > 0 ? s->cluster_top : s->cluster_bottom) - (g->fold[p->outer] - 1) * stride;
    const double behind = (double)(foremost - s->instruction->offset) / (double)stride;
    return floor(behind + 0.5) <= (double)((g->block[p->outer] - 1) * g->fold[p->outer]);
}

static bool same_lines(const profiler *p, const step *a, const step *b)
{
    return a->access->field == b->access->field && a->instruction->group == b->instruction->group &&
           llabs(a->instruction->offset - b->instruction->offset) < p->line;
}

/* Does an earlier load of the thread fetch the same lines? It is a neighbour in address order. */
static bool seen_before(const profiler *p, const step *loads, size_t n, size_t at)
{
    for (size_t j = at; j-- > 0 && same_lines(p, &loads[j], &loads[at]);)
        if (loads[j].instruction->order < loads[at].instruction->order)
            return true;
    for (size_t j = at + 1; j < n && same_lines(p, &loads[j], &loads[at]); j++)
        if (loads[j].instruction->order < loads[at].instruction->order)
            return true;
    return false;
}

/* New lines that a loop over this access fetches: one per step, or fewer if steps share a line. */
static double fresh_steps(const profiler *p, const step *s)
{
    double fresh = 1;
    for (int l = 0; l < p->kernel->loop_count; l++) {
        const int64_t stride = llabs(s->linear->stride[WL_AXIS_LOOP + l]);
        fresh *= fmax(1, (double)p->kernel->loop_extent[l] * fmin(1, (double)stride / (double)p->line));
    }
    return fresh;
}

/* Blocks of a wave start one after the other. When, in lives of a block, has one begun that starts
 * at the last rows that a thread of an array loads? Never, if blocks share no rows. Threads with
 * several rows load most of them later. */
static double next_begin(const profiler *p, const step *s)
{
    const wl_geometry *g = p->geometry;
    const int64_t stride = llabs(wl_thread_stride(s->linear, g, p->outer));
    const double rows = (double)(s->cluster_top - s->cluster_bottom) / (double)wl_max(1, stride);
    wl_block_run runs[WL_BLOCK_RUNS_MAX];
    double blocks = 1;
    for (int i = wl_block_runs(g, runs); i-- > 0;)
        blocks = runs[i].next == p->outer ? (double)runs[i].blocks : blocks;
    return g->fold[p->outer] > 1 || rows <= 0
               ? INFINITY
               : blocks * ceil(rows / (double)g->block[p->outer]) / fmax(1, (double)g->wave_blocks);
}

/* Phases with a load of new lines. Loads are sorted by address and visited in execution order; a
 * loop's loads follow one another. */
static double count_fresh(const profiler *p, const step *loads, const size_t *order, size_t n)
{
    double position = 0, counted = -1, fresh = 0, begun = 0;
    for (size_t i = 0; i < n; i++) {
        const step *load = &loads[order[i]];
        const double runs = executions(p, load), phase = floor(position / p->loads_per_phase);
        position += runs;
        if (!reads_fresh(p, load) || seen_before(p, loads, n, order[i]))
            continue;
        begun = fmax(begun, next_begin(p, load));
        if (runs > 1) {
            fresh += fmin(fresh_steps(p, load), fmax(1, runs / p->loads_per_phase));
        } else if (phase > counted) {
            counted = phase;
            fresh += 1;
        }
    }
    /* the last phase may be short; and what other blocks load first is on its way by then */
    const double phases = fmax(1, position / p->loads_per_phase);
    return fmin(fresh, fmin(phases, 1 + phases * begun));
}

/* A constant power of two takes one shift or mask. */
static bool divides_by_shift(const wl_program *program, const wl_program_node *n)
{
    return program->nodes[n->b].op == WL_EXPR_CONST && wl_is_pow2(program->nodes[n->b].value);
}

/* The loops a node depends on, given those of its operands. */
static uint32_t loops_of_node(const wl_program_node *n, const uint32_t *loops)
{
    if (n->op == WL_EXPR_CONST)
        return 0;
    if (n->op == WL_EXPR_VAR)
        return n->var >= WL_VAR_LOOP_0 && n->var < WL_VAR_LOOP_0 + WL_LOOPS_MAX ? 1u << (n->var - WL_VAR_LOOP_0) : 0;
    return loops[n->a] | loops[n->b] | (n->c >= 0 ? loops[n->c] : 0);
}

static double steps_of(const wl_kernel *kernel, uint32_t loops)
{
    double steps = 1;
    for (int l = 0; l < kernel->loop_count; l++)
        steps *= loops >> l & 1 ? (double)kernel->loop_extent[l] : 1;
    return steps;
}

/* Address arithmetic of an access that is not affine, or that walks a loop with a stride unknown to
 * the compiler. Loop-invariant parts are hoisted. */
static wl_status add_address_work(const profiler *p, const wl_bound *bound, wl_arena *scratch, double *once,
                                  wl_thread *out, wl_error *err)
{
    wl_program program;
    WL_TRY(wl_program_make(p->kernel, bound->access, scratch, &program, err));
    uint32_t *loops = WL_ARENA_NEW(scratch, uint32_t, program.count);
    if (!loops)
        return wl_fail_memory(err);
    double fixed = 0, repeated = 0;
    bool multiplied = false, clamped = false;
    for (int i = 0; i < program.count; i++) {
        const wl_program_node *n = &program.nodes[i];
        loops[i] = loops_of_node(n, loops);
        if (n->op == WL_EXPR_CONST || n->op == WL_EXPR_VAR)
            continue;
        const bool division = (n->op == WL_EXPR_DIV || n->op == WL_EXPR_MOD) && !divides_by_shift(&program, n);
        *(loops[i] ? &repeated : &fixed) +=
            steps_of(p->kernel, loops[i]) * (division ? p->estimates->division_instructions : 1);
        multiplied = multiplied || (loops[i] && n->op == WL_EXPR_MUL);
        clamped = clamped || (loops[i] && (division || n->op == WL_EXPR_MIN || n->op == WL_EXPR_MAX));
    }
    const double all = wl_access_steps(p->kernel, bound->access);
    if (all > 1 && (multiplied || clamped))
        out->wide_multiplies += all;
    if (all > 1 && clamped)
        out->multiplies += all;
    if (!bound->affine && !bound->reordered) {
        *once = fmax(*once, fixed); /* accesses mostly share the loop-invariant part */
        out->instructions += repeated + (all > 1 ? all : 0);
    }
    return WL_OK;
}

/* ---- executions ---- */

static wl_status count_visit(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    (void)addresses, (void)which, (void)lanes, (void)err;
    *(double *)context += 1;
    return WL_OK;
}

/* Threads of a warp, or of the block if it is smaller; warps are powers of two. */
static int warp_size(const wl_geometry *g)
{
    const int64_t warps = wl_max(1, g->occupancy.warps_per_sm / wl_max(1, g->occupancy.blocks_per_sm));
    int64_t size = 1;
    while (size * warps < g->threads)
        size *= 2;
    return (int)wl_min(size, WL_LANES_MAX);
}

/* Executions of an access by the warps of one block, and how many warps have work. */
static wl_status visit_block(const profiler *p, wl_program *program, const int64_t block[3], double *visits,
                             double *warps, wl_error *err)
{
    const wl_geometry *g = p->geometry;
    const int size = program->access->traced ? p->kernel->source.warp_size : warp_size(g);
    const uint32_t vars = wl_access_vars(program->access);
    int64_t f[3], lo[3], hi[3];
    wl_folds_named(g, vars, p->kernel->guarded_cells, lo, hi);
    for (int64_t thread = 0; thread < g->threads; thread += size) {
        const wl_warp_id warp = {{block[0], block[1], block[2]}, thread};
        bool any = false;
        for (f[2] = lo[2]; f[2] < hi[2]; f[2]++)
            for (f[1] = lo[1]; f[1] < hi[1]; f[1]++)
                for (f[0] = lo[0]; f[0] < hi[0]; f[0]++) {
                    wl_lane_values values;
                    uint8_t lane[WL_LANES_MAX];
                    if (wl_lanes_fill(g, &warp, size, f, &values, lane) == 0)
                        continue;
                    any = true;
                    WL_TRY(wl_program_run(program, &values, count_visit, visits, err));
                }
        *warps += any;
    }
    return WL_OK;
}

/* How often a warp with work executes an access; sampled if it has a condition or is traced. */
static wl_status executions_of(const profiler *p, const wl_bound *bound, wl_arena *scratch, double *out, wl_error *err)
{
    const wl_geometry *g = p->geometry;
    const double steps = wl_access_steps(p->kernel, bound->access),
                 cells = (double)(g->fold[0] * g->fold[1] * g->fold[2]);
    double visits = 0, warps = 0, scale = 1;
    *out = cells * steps;
    if (!bound->conditional && !bound->access->traced)
        return WL_OK;
    const bool counted = bound->access->traced || (bound->guard && !bound->access->atomic);
    if (counted && p->costs) { /* exactly, or over the launch */
        *out = p->warps > 0 ? p->costs[bound->access - p->kernel->accesses].inst / p->warps : 0;
        return WL_OK;
    }
    wl_program program;
    WL_TRY(wl_program_make(p->kernel, bound->access, scratch, &program, err));
    if (program.innermost >= 0) {
        const int64_t extent = p->kernel->loop_extent[program.innermost];
        /* odd, since conditions often test powers of two */
        program.advance = wl_max(1, extent / SAMPLED_STEPS) | 1;
        scale = (double)extent / (double)wl_ceil_div(extent, program.advance);
    }
    const double per_block = cells * steps / scale * (double)wl_ceil_div(g->threads, warp_size(g));
    const int64_t n = wl_min(g->blocks, wl_min(SAMPLED_BLOCKS, wl_max(1, (int64_t)(SAMPLED_EXECUTIONS / per_block))));
    for (int64_t i = 0; i < n; i++) {
        int64_t block[3];
        wl_block_at(g, wl_sample_block(i, n, g->blocks), block);
        WL_TRY(visit_block(p, &program, block, &visits, &warps, err));
    }
    *out = warps > 0 ? scale * visits / warps : 0;
    return WL_OK;
}

/* The first enumerated access of its field and direction: the others mostly use the same address
 * plus an offset. */
static bool is_first(const wl_bound *bounds, size_t access)
{
    const wl_access *this = bounds[access].access;
    for (size_t a = 0; a < access; a++)
        if (!bounds[a].affine && !bounds[a].never && bounds[a].access->field == this->field &&
            bounds[a].access->store == this->store)
            return false;
    return true;
}

/* Does an immediate offset lead from the address of an earlier access to this one? */
static bool shares_address(const profiler *p, const wl_bound *bounds, size_t access)
{
    const wl_bound *this = &bounds[access];
    for (size_t a = 0; a < access && this->reordered; a++) {
        const wl_bound *b = &bounds[a];
        if (b->reordered && b->access->field == this->access->field && b->access->store == this->access->store &&
            memcmp(b->form.k, this->form.k, sizeof this->form.k) == 0 && llabs(b->form.c - this->form.c) < p->line)
            return true;
    }
    return false;
}

static wl_status opaque_part(const profiler *p, const wl_bound *bounds, wl_arena *scratch, wl_thread *out,
                             wl_error *err)
{
    double once = 0, often = 0;
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        if (bounds[a].never)
            continue;
        WL_TRY(executions_of(p, &bounds[a], scratch, &often, err));
        if (p->kernel->fields[bounds[a].access->field].shared) {
            out->instructions += 2 * often; /* address arithmetic, and the access */
            continue;
        }
        if (!bounds[a].affine || p->kernel->loop_count > 0)
            WL_TRY(add_address_work(p, &bounds[a], scratch, &once, out, err));
        if (bounds[a].access->atomic) { /* nothing waits for it */
            out->instructions += p->estimates->address_instructions + often;
            continue;
        }
        if (bounds[a].affine || bounds[a].access->more)
            continue;
        *(bounds[a].access->store ? &out->stores : &out->loads) += often;
        out->instructions += shares_address(p, bounds, a) ? 0 : p->estimates->address_instructions;
        /* unknown whether an earlier block read it: one phase, as for a plain array */
        if (!bounds[a].access->store)
            out->fresh_loads += is_first(bounds, a) ? fmin(1, often) : 0;
    }
    out->instructions += once;
    return WL_OK;
}

static bool is_loaded(const profiler *p, const step *store, const step *loads, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (same_lines(p, &loads[i], store) && loads[i].instruction->offset == store->instruction->offset)
            return true;
    return false;
}

/* Stores to what the thread has loaded. Where it loads in steps, those of later steps are counted
 * apart. */
static void find_in_place(const profiler *p, const step *steps, size_t loads, size_t stores, wl_thread *out)
{
    bool later = false;
    for (size_t i = loads; i < loads + stores; i++)
        if (is_loaded(p, &steps[i], steps, loads)) {
            const double often = executions(p, &steps[i]);
            /* blocks that loop are too far apart to meet */
            out->in_place[later && often <= 1] += often;
            later = p->kernel->source.in_steps;
        }
}

static void affine_part(const profiler *p, step *steps, const size_t *order, size_t loads, size_t stores,
                        wl_thread *out)
{
    find_arrays(p, steps + loads, stores);
    find_arrays(p, steps, loads);
    out->instructions = p->estimates->address_instructions *
                        (double)(count_addresses(p, steps, loads) + count_addresses(p, steps + loads, stores));
    for (size_t i = 0; i < loads + stores; i++)
        *(i < loads ? &out->loads : &out->stores) += executions(p, &steps[i]);
    find_in_place(p, steps, loads, stores, out);
    out->fresh_loads = loads ? count_fresh(p, steps, order, loads) : 0;
}

/* If a loop passes loaded values to atomics, each step waits for its own load. */
static bool waits_each_step(const wl_kernel *k)
{
    uint32_t loops[2] = {0, 0}; /* of loads, of atomics */
    for (size_t a = 0; a < k->access_count; a++)
        if (k->accesses[a].atomic || (!k->accesses[a].store && !k->fields[k->accesses[a].field].shared))
            /* the loops of a traced access are unknown: assume all */
            loops[k->accesses[a].atomic] |=
                k->accesses[a].traced ? ~0u << WL_VAR_LOOP_0 : wl_expr_vars(k->accesses[a].index);
    return (loops[0] & loops[1]) >> WL_VAR_LOOP_0;
}

static double span_of(const wl_geometry *g, const wl_linear *linear)
{
    double span = 1;
    for (int d = 0; d < 3; d++)
        span +=
            fabs((double)wl_thread_stride(linear, g, d) / (double)g->fold[d]) * (double)(g->cells[d] - g->first[d] - 1);
    return span;
}

/* Iterations of the loops around the load that is executed most often. */
static double most_steps(const wl_kernel *k)
{
    double most = 1;
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_access *a = &k->accesses[i];
        if (!a->store && !k->fields[a->field].shared)
            most = fmax(most, wl_access_steps(k, a));
    }
    return most;
}

/* The loads in flight together: the assembler does not wait for one before it has issued so many
 * that their results fill some registers. In a loop that it unrolls, those of several steps; a
 * barrier in every step prevents it. */
static double loads_together(const wl_kernel *k, const wl_estimates *estimates)
{
    const double steps = most_steps(k), straight_line = estimates->registers_in_flight / wl_load_registers(k);
    double loads = 0;
    if (k->barriers > 0 || steps < WL_UNROLLED)
        return fmax(1, straight_line);
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_access *a = &k->accesses[i];
        loads += !a->store && !k->fields[a->field].shared && wl_access_steps(k, a) >= steps;
    }
    return fmax(1, WL_STEPS_PER_WAIT * loads / wl_load_registers(k));
}

wl_status wl_thread_profile(const wl_kernel *k, const wl_geometry *g, const wl_bound *bounds, const wl_instructions *in,
                            const wl_access_cost *costs, int64_t line, const wl_estimates *estimates, wl_arena *scratch,
                            wl_thread *out, wl_error *err)
{
    wl_census census;
    const bool serial = waits_each_step(k);
    const double loads_per_phase = serial ? 1 : loads_together(k, estimates);
    profiler p = {.kernel = k,
                  .geometry = g,
                  .estimates = estimates,
                  .line = line,
                  .loads_per_phase = loads_per_phase,
                  .costs = costs};
    wl_census_take(g, warp_size(g), &census);
    p.warps = census.warps;
    while (p.outer < 2 && (p.outer == 0 ? g->grid[1] * g->grid[2] : g->grid[2]) > 1)
        p.outer++;
    step *steps = WL_ARENA_NEW(scratch, step, in->count + 1);
    p.span = WL_ARENA_NEW(scratch, double, in->group_count + 1);
    *out = (wl_thread){.serial = serial};
    if (!steps || !p.span)
        return wl_fail_memory(err);
    for (size_t i = 0; i < in->group_count; i++)
        p.span[i] = span_of(g, &in->groups[i].linear);
    for (size_t i = 0; i < in->loads + in->stores; i++) {
        const wl_instruction *one = &in->list[in->by_place[i]];
        steps[i] = (step){one, &in->groups[one->group].linear, bounds[one->access].access, 0, 0};
    }
    affine_part(&p, steps, in->by_order, in->loads, in->stores, out);
    WL_TRY(opaque_part(&p, bounds, scratch, out, err));
    const double cells = (double)(g->fold[0] * g->fold[1] * g->fold[2]);
    out->loads_per_phase = loads_per_phase;
    out->phases = out->loads > 0 ? fmax(1, out->loads / loads_per_phase) : 0;
    out->steps = most_steps(k);
    out->planes = k->dims >= 3 || g->grid[2] > 1 ? (double)(g->block[2] * g->fold[2]) : 1;
    out->instructions += estimates->start_instructions +
                         estimates->coordinate_instructions * (double)wl_max(1, k->coordinate_reads) + out->loads +
                         out->stores + cells * k->fp_results;
    if (k->instructions > 0) {
        out->instructions = cells * k->instructions;
        out->instructions_stated = true;
    }
    return WL_OK;
}
