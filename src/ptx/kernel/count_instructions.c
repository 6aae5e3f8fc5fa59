/* count_instructions.c - instruction counts of a launch from its census; if recovery has shown that
 * all threads execute the same, no block is followed. See ptx_source.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/cost/cost.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/module/def_use.h"
#include "ptx/module/tensor.h"

/* ---- totals ---- */

/* Whether a branch ends its lanes, which then do not reconverge. */
static bool leaves(const wl_ptx_function *f, const wl_ptx_instruction *in)
{
    const int32_t to = wl_ptx_branch_target(in);
    return in->op == WL_PTX_OP_ret || in->op == WL_PTX_OP_exit || to >= f->instruction_count ||
           (to >= 0 && (f->instructions[to].op == WL_PTX_OP_ret || f->instructions[to].op == WL_PTX_OP_exit));
}

/* Whether it takes a pass of the L1's data stage even without an active lane. */
static bool uses_data_stage(const wl_ptx_instruction *in)
{
    const wl_inst_class c = wl_ptx_class_of(in);
    return c == WL_INST_load || c == WL_INST_store || c == WL_INST_shared;
}

static int32_t first_traced(const wl_ptx_source *s, int32_t function, int32_t instruction)
{
    return s->first_traced[wl_ptx_stretch_of(s, s->profile.first[function] + instruction)];
}

/* The traced access of this very instruction from number t on; -1: none. */
static int32_t next_traced(const wl_ptx_source *s, int32_t t, int32_t function, int32_t instruction)
{
    while (t >= 0 && (s->traced[t].function != function || s->traced[t].instruction != instruction))
        t = s->traced[t].next;
    return t;
}

/* The state space of a generic address, from the traced accesses. */
static wl_ptx_space space_of(const wl_ptx_source *s, int32_t function, int32_t instruction)
{
    const wl_ptx_module *m = s->launch.module;
    const wl_ptx_instruction *in = &m->functions[function].instructions[instruction];
    if (in->space != WL_PTX_GENERIC && in->space != WL_PTX_SPACE_NONE)
        return in->space;
    const int32_t traced = next_traced(s, first_traced(s, function, instruction), function, instruction);
    if (traced >= 0)
        return s->traced[traced].buffer ? WL_PTX_GLOBAL : WL_PTX_SHARED;
    if (&m->functions[function] == s->launch.entry && s->recovered_space[instruction] != WL_PTX_SPACE_NONE)
        return (wl_ptx_space)s->recovered_space[instruction];
    return WL_PTX_GLOBAL;
}

/* The kinds of access an instruction makes in a space; returns their number. */
static int accesses_in(const wl_ptx_instruction *in, wl_ptx_space space, wl_memory_op kinds[2])
{
    const bool shared = space == WL_PTX_SHARED, local = space == WL_PTX_LOCAL, global = space == WL_PTX_GLOBAL;
    switch (in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
    case WL_PTX_OP_wmma_load:
    case WL_PTX_OP_ldmatrix:
        kinds[0] = shared ? WL_MEMORY_SHARED_LOAD : local ? WL_MEMORY_LOCAL_LOAD : WL_MEMORY_LOAD;
        return shared || local || global;
    case WL_PTX_OP_st:
    case WL_PTX_OP_wmma_store:
    case WL_PTX_OP_stmatrix:
        kinds[0] = shared ? WL_MEMORY_SHARED_STORE : local ? WL_MEMORY_LOCAL_STORE : WL_MEMORY_STORE;
        return shared || local || global;
    case WL_PTX_OP_atom:
    case WL_PTX_OP_red: kinds[0] = shared ? WL_MEMORY_SHARED_ATOMIC : WL_MEMORY_ATOMIC; return 1;
    case WL_PTX_OP_cp_async:
        kinds[0] = WL_MEMORY_LOAD;
        kinds[1] = WL_MEMORY_SHARED_STORE;
        return 2;
    default: return 0;
    }
}

/* Of the executions of a generic access, the shares in global and in shared memory: a warp with
 * lanes in both counts in each. False: all are in one space. */
static bool is_in_both(const wl_ptx_source *s, int32_t function, int32_t instruction, double *global, double *shared)
{
    const wl_ptx_instruction *in = &s->launch.module->functions[function].instructions[instruction];
    const int32_t at = s->profile.first[function] + instruction;
    *global = *shared = 0;
    if ((in->space != WL_PTX_GENERIC && in->space != WL_PTX_SPACE_NONE) || !(s->profile.warps_on[at] > 0))
        return false;
    for (int32_t t = first_traced(s, function, instruction); (t = next_traced(s, t, function, instruction)) >= 0;
         t = s->traced[t].next)
        *(s->traced[t].buffer ? global : shared) += s->traced[t].more ? 0 : s->traced[t].executions;
    *global /= s->profile.warps_on[at];
    *shared /= s->profile.warps_on[at];
    return *global > 0 && *shared > 0;
}

static void add_in_space(wl_mix *mix, const wl_ptx_instruction *in, wl_ptx_space space, double executed, double on)
{
    wl_memory_op kinds[2];
    for (int k = accesses_in(in, space, kinds); k-- > 0;) {
        mix->memory[kinds[k]] += executed;
        mix->memory_on[kinds[k]] += on;
    }
}

/* that one instruction loads from shared memory: four matrices of 8 x 8 halves */
#define FRAGMENT_BYTES 512

/* The part of its instructions that access memory: those of a fragment compute addresses, too. */
static double part_that_accesses(const wl_ptx_instruction *in, wl_ptx_space space, double weight)
{
    wl_ptx_tile tile;
    if (in->op != WL_PTX_OP_wmma_load || space != WL_PTX_SHARED || !wl_ptx_tile_of(in, &tile) || tile.bits != 16)
        return 1;
    return weight > 0 ? fmin(1, ceil((double)tile.lines * tile.line_bytes / FRAGMENT_BYTES) / weight) : 1;
}

/* Executions by a warp, with an active lane or without: as hardware counts them. */
static void add_access(const wl_ptx_source *s, int32_t function, int32_t instruction, double executed, double on,
                       wl_mix *mix)
{
    const wl_ptx_instruction *in = &s->launch.module->functions[function].instructions[instruction];
    double global, shared;
    if (!is_in_both(s, function, instruction, &global, &shared)) {
        const wl_ptx_space space = space_of(s, function, instruction);
        const double part = part_that_accesses(in, space, s->weights[function][instruction]);
        add_in_space(mix, in, space, executed * part, on * part);
        return;
    }
    add_in_space(mix, in, WL_PTX_GLOBAL, executed * global, on * global);
    add_in_space(mix, in, WL_PTX_SHARED, executed * shared, on * shared);
}

double wl_ptx_thread_executes(const wl_ptx_source *s, int32_t function, int32_t instruction)
{
    const wl_ptx_counting *c = &s->counting[function];
    const int32_t copy = c->repeated[instruction];
    return s->recovery.executed[c->as[instruction]] + (copy >= 0 ? s->recovery.executed[copy] : 0);
}

#define UNROLLED_COPIES 7 /* of a loop that the assembler unrolls: of four trips, of two, of one */

static void add_divisible(const wl_ptx_instruction *in, double weight, double executed, double *instructions,
                          double *flops)
{
    const double each = wl_ptx_divisible_flops(in);
    *instructions += each > 0 ? weight * executed : 0;
    *flops += each * executed;
}

void wl_ptx_state_counts(const wl_ptx_source *s, wl_kernel *kernel)
{
    const int32_t f = (int32_t)(s->launch.entry - s->launch.module->functions);
    wl_mix stated = {0};
    kernel->has_memory = s->recovery.uniform && !s->recovery.calls;
    for (int32_t i = 0; i < s->launch.entry->instruction_count && kernel->has_memory; i++) {
        const double executed = wl_ptx_thread_executes(s, f, i);
        add_divisible(&s->launch.entry->instructions[i], s->weights[f][i], executed, &kernel->divisible,
                      &kernel->divisible_flops);
        if (uses_data_stage(&s->launch.entry->instructions[i]))
            kernel->idle_accesses += s->weights[f][i] * (executed - s->recovery.executed[i]);
        add_access(s, f, i, s->weights[f][i] * executed, 0, &stated);
    }
    memcpy(kernel->memory, stated.memory, sizeof kernel->memory);
}

/* What machine code executes beyond PTX: copies of unrolled loops that lanes with different trip
 * counts execute one after another, and copies that are predicated off in all lanes. */
typedef struct copies {
    double taken, idle, idle_threads; /* executions by a warp; threads of the idle ones */
} copies;

static copies copies_of(const wl_ptx_source *s, const wl_ptx_profile *p, int32_t function, int32_t instruction)
{
    const wl_ptx_counting *c = &s->counting[function];
    const int32_t loop = c->unrolled[instruction], before = c->repeated[instruction];
    copies out = {0};
    if (loop >= 0)
        out.taken = p->rungs[p->first[function] + loop];
    if (before >= 0) {
        out.idle = p->warps[p->first[function] + before];
        out.idle_threads = p->threads[p->first[function] + before];
    }
    return out;
}

static wl_float_kind float_kind(wl_ptx_type type)
{
    return type == WL_PTX_F64 ? WL_FLOAT_F64 : type == WL_PTX_F32 || type == WL_PTX_F32X2 ? WL_FLOAT_F32 : WL_FLOAT_F16;
}

static void add_flops(const wl_ptx_instruction *in, double threads, wl_mix *mix)
{
    const double flops = wl_ptx_flops(in) * threads;
    mix->flops += flops;
    if (!(flops > 0))
        return;
    mix->flops_of[float_kind(in->type)] += flops;
    if (in->op == WL_PTX_OP_fma || in->op == WL_PTX_OP_mad)
        mix->fma_of[float_kind(in->type)] += flops;
}

/* Passes of the L1's data stage without an address of a lane. */
static double passes_of(const wl_ptx_source *s, const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_barrier_cluster)
        return wl_ptx_is_barrier(in) ? s->costs->rules.cluster_barrier : 0;
    if (in->op == WL_PTX_OP_cp_async_control && wl_ptx_has_part(in, "commit_group"))
        return s->costs->rules.copy_group;
    return wl_ptx_operand_bytes(in) / WL_PTX_WAVEFRONT_BYTES;
}

/* Registers that are stored and loaded where an instruction of the entry is executed. */
static void add_spills(const wl_ptx_profile *p, int32_t at, int32_t words, wl_mix *mix)
{
    const double executed = words * p->warps[at], threads = words * p->threads[at];
    mix->memory[WL_MEMORY_LOCAL_LOAD] += executed;
    mix->memory[WL_MEMORY_LOCAL_STORE] += executed;
    mix->memory_on[WL_MEMORY_LOCAL_LOAD] += executed;
    mix->memory_on[WL_MEMORY_LOCAL_STORE] += executed;
    mix->warp[WL_INST_load] += executed;
    mix->warp[WL_INST_store] += executed;
    mix->thread[WL_INST_load] += threads;
    mix->thread[WL_INST_store] += threads;
    mix->thread_on += 2 * threads;
}

static void add_up(wl_ptx_source *s, const wl_ptx_profile *p)
{
    const wl_ptx_module *m = s->launch.module;
    s->mix.has_memory = s->mix.has_memory_on = s->mix.has_multiplies = true;
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const wl_ptx_instruction *in = &m->functions[f].instructions[i];
            const double weight = s->weights[f][i];
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) modules have functions */
            const int32_t at = p->first[f] + i, as = p->first[f] + s->counting[f].as[i];
            const copies more = copies_of(s, p, f, i);
            const double executed = p->warps[as] + more.taken + more.idle;
            wl_ptx_add_classes(&m->functions[f], &s->counting[f], i, weight, executed, s->mix.warp);
            wl_ptx_add_classes(&m->functions[f], &s->counting[f], i, weight, p->threads[as] + more.idle_threads,
                               s->mix.thread);
            s->mix.integer_pipe += wl_ptx_integer_pipe(&s->counting[f], i) * executed;
            wl_ptx_add_converts(in, &s->counting[f], i, weight, executed, s->mix.converts);
            wl_ptx_add_multiplies(&s->counting[f], i, executed, s->mix.multiplies);
            wl_ptx_add_sequences(in, &s->counting[f], i, weight, executed, &s->mix);
            s->mix.thread_on += weight * p->threads_on[at];
            if ((in->op == WL_PTX_OP_bra && in->guard >= 0) || in->op == WL_PTX_OP_brx)
                s->mix.branches += p->warps[at];
            if (uses_data_stage(in))
                s->mix.idle_accesses += weight * (p->warps[as] - p->warps[at] + more.idle);
            add_access(s, f, i, weight * executed, weight * (p->warps_on[at] + more.taken), &s->mix);
            if (s->spills.words && &m->functions[f] == s->launch.entry && s->spills.words[i] > 0)
                add_spills(p, at, s->spills.words[i], &s->mix);
            const double products = wl_ptx_multiplies_by_thread(in) ? p->threads_on[at] : p->warps[at];
            wl_ptx_tensor_add(in, products, s->mix.tensor, s->mix.tensor_groups);
            add_divisible(in, weight, executed, &s->mix.divisible, &s->mix.divisible_flops);
            add_flops(in, p->threads_on[at], &s->mix);
            s->mix.operands += passes_of(s, in) * products;
            s->mix.shuffles += in->op == WL_PTX_OP_shfl ? p->warps[at] : 0;
            s->mix.divergent += p->diverged[at];
            /* each group of divergent lanes separately executes the instruction that waits for
             * reconvergence */
            s->mix.warp[WL_INST_control] += weight > 0 && !leaves(&m->functions[f], in) ? p->diverged[at] : 0;
        }
}

static int by_place(const void *p, const void *q)
{
    const wl_line_mix *a = p, *b = q;
    const int file = a->file == b->file ? 0 : strcmp(a->file, b->file);
    return file ? file : (a->line > b->line) - (a->line < b->line);
}

static int by_work(const void *p, const void *q)
{
    const wl_line_mix *a = p, *b = q;
    return a->warp != b->warp ? (a->warp < b->warp) - (a->warp > b->warp) : by_place(p, q);
}

static bool has_line(const wl_ptx_instruction *in, double executed)
{
    return in->file >= 0 && in->source_line > 0 && executed != 0;
}

static wl_status find_lines(wl_ptx_source *s, const wl_ptx_profile *p, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    size_t n = 0, most = 0;
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) modules have functions */
            most += has_line(&m->functions[f].instructions[i], p->warps[p->first[f] + i]);
    s->lines = WL_ARENA_NEW(&s->arena, wl_line_mix, most + 1);
    if (!s->lines)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const wl_ptx_instruction *in = &m->functions[f].instructions[i];
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) modules have functions */
            const int32_t at = p->first[f] + i;
            if (!has_line(in, p->warps[at]))
                continue;
            const double weight = s->weights[f][i];
            const wl_inst_class c = wl_ptx_class_of(in);
            const bool global = c == WL_INST_load || c == WL_INST_store || c == WL_INST_atomic;
            s->lines[n++] = (wl_line_mix){m->files[in->file],        in->source_line,
                                          weight * p->warps[at],     weight * p->threads[at],
                                          global ? p->warps[at] : 0, c == WL_INST_shared ? p->warps[at] : 0};
        }
    if (n > 0)
        qsort(s->lines, n, sizeof *s->lines, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || by_place(&s->lines[kept - 1], &s->lines[i]) != 0) {
            s->lines[kept++] = s->lines[i];
            continue;
        }
        wl_line_mix *to = &s->lines[kept - 1];
        to->warp += s->lines[i].warp;
        to->thread += s->lines[i].thread;
        to->global_accesses += s->lines[i].global_accesses;
        to->shared_accesses += s->lines[i].shared_accesses;
    }
    if (kept > 0)
        qsort(s->lines, kept, sizeof *s->lines, by_work);
    s->line_count = kept;
    return WL_OK;
}

/* Steps of the emulator for a census; more if nothing is traced, since only instructions must then
 * be counted. */
static double census_steps(const wl_ptx_source *s)
{
    return wl_ptx_affordable(s, wl_ptx_has_traced(s) ? WL_PTX_CENSUS_SHARE : WL_PTX_ALONE_SHARE);
}

wl_status wl_ptx_take_census(wl_ptx_source *s, wl_error *err)
{
    if (s->has_census)
        return WL_OK;
    WL_TRY(wl_ptx_census_take(s->emulator, &s->launch, &s->recovery, census_steps(s), &s->census, err));
    s->has_census = true;
    return WL_OK;
}

/* Machine instructions of the longest warp and of the kinds of blocks, with the same ratio to PTX
 * instructions as in the whole launch. */
static void find_longest(wl_ptx_source *s, const wl_ptx_census *census)
{
    wl_block_kind kinds[WL_PTX_KINDS_MAX];
    const double machine = wl_inst_total(s->mix.warp);
    double ptx = 0;
    for (int32_t i = 0; i < census->total.count; i++)
        ptx += census->total.warps[i];
    const double each = ptx > 0 ? machine / ptx : 0;
    s->mix.longest = (wl_longest_warp){ptx > 0 ? (double)census->longest.instructions * machine / ptx : 0,
                                       (double)census->longest.loads, (double)census->longest.serial,
                                       (double)census->longest.rounds / WL_PTX_ROUND};
    for (int k = 0; k < census->kind_count; k++) {
        kinds[k] = wl_ptx_kind_of_blocks(&census->kinds[k]);
        kinds[k].instructions *= each;
        kinds[k].most *= each;
        kinds[k].longest.instructions *= each;
    }
    /* of a pair of blocks, one issues the products of both: their tensor cores work alike */
    if (!wl_ptx_multiplies_in_pairs(s))
        wl_kinds_join(kinds, census->kind_count, &s->mix.kinds);
}

static wl_status count_census(wl_ptx_source *s, const wl_ptx_census *census, wl_error *err)
{
    s->mix = (wl_mix){.sampled = !census->complete, .error = census->error, .followed = (double)census->count};
    for (int k = 0; k < census->kind_count; k++)
        s->mix.blocks += census->kinds[k].blocks;
    add_up(s, &census->total);
    find_longest(s, census);
    return find_lines(s, &census->total, err);
}

wl_status wl_ptx_open_launch(wl_ptx_source *s, const int64_t block[3], const int64_t grid[3], wl_ptx_opened *out,
                             wl_error *err)
{
    const size_t bytes = sizeof s->launch.block;
    *out = (wl_ptx_opened){.launch = s->launch, .emulator = s->emulator, .census = &s->census};
    if (memcmp(s->launch.block, block, bytes) == 0 && memcmp(s->launch.grid, grid, bytes) == 0)
        return wl_ptx_take_census(s, err);
    memcpy(out->launch.block, block, bytes);
    memcpy(out->launch.grid, grid, bytes);
    out->census = &out->other;
    out->emulator = NULL;
    WL_TRY(wl_ptx_emulator_new(&out->launch, &out->emulator, err));
    const wl_status status =
        wl_ptx_census_take(out->emulator, &out->launch, &s->recovery, census_steps(s), &out->other, err);
    if (status != WL_OK)
        wl_ptx_emulator_free(out->emulator);
    return status;
}

void wl_ptx_close_launch(wl_ptx_opened *opened)
{
    if (opened->census != &opened->other)
        return;
    wl_ptx_census_free(&opened->other);
    wl_ptx_emulator_free(opened->emulator);
}

/* ---- threads that all do the same ---- */

/* Whether recovery has shown that every thread of this launch executes the same. */
static bool is_uniform(const wl_ptx_source *s, const int64_t block[3], const int64_t grid[3])
{
    const wl_ptx_recovery *r = &s->recovery;
    const size_t bytes = sizeof s->launch.block;
    const bool other = memcmp(s->launch.block, block, bytes) != 0 || memcmp(s->launch.grid, grid, bytes) != 0;
    bool all = r->uniform && !r->calls && !(other && r->symbols.launch_bound);
    for (int d = 0; d < 3; d++)
        all = all && r->first[d] == 0 && (r->domain[d] == 0 || block[d] * grid[d] <= r->domain[d]);
    return all;
}

/* What one thread executes, times the threads. */
static void count_uniform(const wl_ptx_source *s, const int64_t block[3], const int64_t grid[3], wl_ptx_profile *out)
{
    const double blocks = (double)grid[0] * (double)grid[1] * (double)grid[2];
    const int64_t threads = block[0] * block[1] * block[2], warps = wl_ceil_div(threads, WL_PTX_LANES);
    const int32_t first = out->first[s->launch.entry - s->launch.module->functions];
    for (int32_t i = 0; i < s->launch.entry->instruction_count; i++) {
        out->warps[first + i] = blocks * (double)warps * s->recovery.executed[i];
        out->warps_on[first + i] = blocks * (double)warps * (s->recovery.on[i] > 0 ? s->recovery.executed[i] : 0);
        out->threads[first + i] = blocks * (double)threads * s->recovery.executed[i];
        out->threads_on[first + i] = blocks * (double)threads * s->recovery.on[i];
    }
}

/* ---- a launch ---- */

static wl_status count_alike(wl_ptx_source *s, const int64_t block[3], const int64_t grid[3], wl_error *err)
{
    wl_arena arena = {0};
    wl_ptx_profile all;
    wl_status status = wl_ptx_profile_make(s->launch.module, &arena, &all, err);
    if (status == WL_OK) {
        s->mix = (wl_mix){0};
        count_uniform(s, block, grid, &all);
        add_up(s, &all);
        status = find_lines(s, &all, err);
    }
    wl_arena_free(&arena);
    return status;
}

#define SPIN_MOST 32 /* instructions of a loop that does nothing but ask again */

/* Does a loop only exchange a word if it is free, and try again if it is not? */
static bool has_locks(const wl_ptx_source *s)
{
    const wl_ptx_function *f = s->launch.entry;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const int32_t to = wl_ptx_branch_target(&f->instructions[i]);
        int exchanges = 0, others = 0;
        for (int32_t k = to; to >= 0 && k <= i && i - to < SPIN_MOST; k++) {
            const wl_ptx_instruction *in = &f->instructions[k];
            const bool exchange = in->op == WL_PTX_OP_atom && in->variant == WL_PTX_CAS;
            const wl_inst_class c = wl_ptx_class_of(in);
            exchanges += exchange;
            others += !exchange && (c == WL_INST_load || c == WL_INST_store || c == WL_INST_atomic);
        }
        if (exchanges == 1 && others == 0)
            return true;
    }
    return false;
}

static wl_status count_launch(wl_ptx_source *s, const int64_t block[3], const int64_t grid[3], wl_error *err)
{
    wl_ptx_opened opened;
    if (is_uniform(s, block, grid))
        return count_alike(s, block, grid, err);
    WL_TRY(wl_ptx_open_launch(s, block, grid, &opened, err));
    const wl_status status = count_census(s, opened.census, err);
    s->mix.locks = has_locks(s);
    const wl_ptx_ordering order = wl_ptx_ordering_of(opened.emulator);
    s->mix.in_turns = order.in_turns;
    s->mix.chained = order.chained;
    s->mix.at_once = order.at_once;
    wl_ptx_close_launch(&opened);
    return status;
}

wl_status wl_ptx_count(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                       const wl_line_mix **lines, size_t *line_count, wl_error *err)
{
    wl_ptx_source *s = context;
    const size_t bytes = sizeof s->launch.block;
    wl_status status = WL_OK;
    wl_ptx_source_lock(s);
    if (memcmp(s->counted_block, block, bytes) != 0 || memcmp(s->counted_grid, grid, bytes) != 0) {
        memset(s->counted_block, 0, bytes); /* until all is counted */
        status = count_launch(s, block, grid, err);
        if (status == WL_OK) {
            memcpy(s->counted_block, block, bytes);
            memcpy(s->counted_grid, grid, bytes);
        }
    }
    *out = s->mix;
    *lines = s->lines; /* of this launch: another one gets a list of its own */
    *line_count = s->line_count;
    wl_ptx_source_unlock(s);
    return status;
}
