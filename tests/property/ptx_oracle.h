/* ptx_oracle.h - what a launch of a program does, counted block by block: every block is emulated,
 * and every memory instruction of every warp is looked at. The emulator itself is checked against
 * the program (ptx_reference.h).
 *
 * Weights (machine instructions per PTX instruction) are the library's: they are a model, not a
 * count.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PTX_ORACLE_H
#define WL_TESTS_PTX_ORACLE_H

#include "property/ptx_reference.h"
#include "ptx/cost/cost.h"
#include "ptx/emulate/emulate.h"
#include "ptx/kernel/ptx_file.h"

#define SECTOR 32
#define BANKS 32
#define BUFFER_SECTORS ((65536 + SLACK_WORDS) * 4 / SECTOR + 1)

typedef enum counted_kind {
    GLOBAL_LOADS,
    GLOBAL_STORES,
    SHARED_LOADS,
    SHARED_STORES,
    GLOBAL_ATOMICS,
    SHARED_ATOMICS,
    KIND_COUNT
} counted_kind;

typedef struct counted {
    double warp[WL_INST_CLASS_COUNT], thread[WL_INST_CLASS_COUNT], all_warp, all_thread;
    double on[KIND_COUNT]; /* instructions of warps with at least one lane whose guard holds */
    /* and without one; of bodies that are predicated rather than skipped, too */
    double issued[KIND_COUNT];
    double flops;
    double sectors[2];        /* of loads, of stores: distinct ones of each warp's instruction */
    double shared_wavefronts; /* of loads and stores */
    double idle_accesses;
    int64_t cold_sectors; /* distinct ones, loaded from buffers that nobody writes */
    int64_t loaded_sectors, stored_sectors;
    double emulated; /* warp instructions */
    bool assumed;    /* the emulator had to assume something */
    bool alike;      /* every block executes every instruction as often as the first block does */
} counted;

typedef struct oracle {
    const program *program;
    const ptx_text *text;
    wl_arena arena;
    wl_ptx_arguments arguments;
    wl_ptx_launch launch;
    wl_ptx_emulator *emulator;
    wl_ptx_profile profile, one, first_block; /* of the launch, of one block */
    const double *weight;
    wl_ptx_counting counting;
    counted counted;
    touched touched;
    reference reference;
    uint8_t seen[PROGRAM_BUFFERS][BUFFER_SECTORS]; /* bits: loaded, stored */
    bool in_shared[PTX_LINES];                     /* by line: it accesses shared memory */
    const char *wrong; /* what the emulator did differently than the reference; NULL: nothing */
    int wrong_statement;
} oracle;

/* ---- one instruction of one warp ---- */

/* Distinct units among the bytes that the lanes touch. */
static int distinct_units(const wl_ptx_touch *t, uint64_t unit)
{
    uint64_t seen[2 * WL_PTX_LANES];
    int count = 0;
    for (int lane = 0; lane < WL_PTX_LANES; lane++) {
        if (!(t->lanes >> lane & 1))
            continue;
        const uint64_t first = t->address[lane] / unit, last = (t->address[lane] + (uint64_t)t->bytes - 1) / unit;
        for (uint64_t u = first; u <= last; u++) {
            int k = 0;
            while (k < count && seen[k] != u)
                k++;
            if (k == count)
                seen[count++] = u;
        }
    }
    return count;
}

/* Passes of an access to words of shared memory: distinct words of the busiest bank. */
static int bank_passes(const wl_ptx_touch *t)
{
    uint64_t seen[WL_PTX_LANES] = {0};
    int in_bank[BANKS] = {0}, count = 0, most = 0;
    for (int lane = 0; lane < WL_PTX_LANES; lane++) {
        if (!(t->lanes >> lane & 1))
            continue;
        const uint64_t word = t->address[lane] / 4;
        int k = 0;
        while (k < count && seen[k] != word)
            k++;
        if (k < count)
            continue;
        seen[count++] = word;
        in_bank[word % BANKS]++;
        most = in_bank[word % BANKS] > most ? in_bank[word % BANKS] : most;
    }
    return most;
}

static counted_kind kind_of(bool shared, bool store, bool atomic)
{
    if (atomic)
        return shared ? SHARED_ATOMICS : GLOBAL_ATOMICS;
    return shared ? (store ? SHARED_STORES : SHARED_LOADS) : store ? GLOBAL_STORES : GLOBAL_LOADS;
}

static void note_sectors(oracle *o, const wl_ptx_touch *t)
{
    for (int lane = 0; lane < WL_PTX_LANES; lane++) {
        const wl_ptx_buffer *b = t->lanes >> lane & 1 ? wl_ptx_buffer_at(&o->arguments, t->address[lane]) : NULL;
        if (!b || b->argument < 0)
            continue;
        const uint64_t first = (t->address[lane] - b->base) / SECTOR,
                       last = (t->address[lane] - b->base + (uint64_t)t->bytes - 1) / SECTOR;
        for (uint64_t s = first; s <= last; s++)
            o->seen[b->argument][s] |= t->atomic ? 3 : t->store ? 2 : 1;
    }
}

static wl_status look(void *user, const wl_ptx_touch *t, wl_error *err)
{
    oracle *o = user;
    counted *c = &o->counted;
    (void)err;
    if (!t->lanes || (t->space != WL_PTX_GLOBAL && t->space != WL_PTX_SHARED))
        return WL_OK;
    const bool shared = t->space == WL_PTX_SHARED;
    c->on[kind_of(shared, t->store, t->atomic)]++;
    if (shared && !t->atomic)
        c->shared_wavefronts += bank_passes(t);
    if (!shared) {
        if (!t->atomic)
            c->sectors[t->store] += distinct_units(t, SECTOR);
        note_sectors(o, t);
    }
    const int line = o->launch.entry->instructions[t->instruction].line;
    o->in_shared[line] = o->in_shared[line] || shared;
    const int number = o->text ? o->text->statement_of[line] : -1;
    if (number < 0)
        return WL_OK;
    const access_part part = o->text->part_of[line];
    o->touched.warps[number][part]++;
    for (int lane = 0; lane < WL_PTX_LANES; lane++)
        if (t->lanes >> lane & 1)
            touch(&o->touched, number, part, t->warp * WL_PTX_LANES + lane, t->address[lane]);
    return WL_OK;
}

/* ---- the launch ---- */

static void compare_block(oracle *o, const int64_t block[3])
{
    reference *r = &o->reference;
    reference_run(r, block);
    if (r->gave_up)
        return;
    for (int s = 0; s < o->program->statement_count; s++)
        for (int part = 0; part < 2; part++) {
            const char *wrong = NULL;
            if (memcmp(o->touched.sequence[s][part], r->touched.sequence[s][part],
                       sizeof r->touched.sequence[s][part]) != 0)
                wrong = "the emulator touches other addresses";
            else if (o->touched.warps[s][part] != r->touched.warps[s][part])
                wrong = "the emulator reconverges elsewhere";
            if (wrong && !o->wrong) {
                o->wrong = wrong;
                o->wrong_statement = s;
            }
        }
}

/* A divergent branch costs one more instruction, for the lanes that it sends away wait alone for
 * the others; not if it sends them to the end. */
static double extra_waits(const oracle *o, int32_t i, int32_t at)
{
    const wl_ptx_function *f = o->launch.entry;
    const int64_t to = f->instructions[i].op == WL_PTX_OP_bra ? f->instructions[i].operands[0].value : -1;
    const bool ends =
        f->instructions[i].op == WL_PTX_OP_ret || f->instructions[i].op == WL_PTX_OP_exit ||
        to >= f->instruction_count ||
        (to >= 0 && (f->instructions[to].op == WL_PTX_OP_ret || f->instructions[to].op == WL_PTX_OP_exit));
    return ends || o->weight[i] <= 0 ? 0 : o->profile.diverged[at];
}

/* Where an instruction accesses memory. A pointer of any space that no lane follows counts as one
 * to global memory. */
static bool is_shared(const oracle *o, const wl_ptx_instruction *in)
{
    return in->space == WL_PTX_SHARED || (in->space == WL_PTX_GENERIC && o->in_shared[in->line]);
}

static void add_profile(oracle *o)
{
    const wl_ptx_function *f = o->launch.entry;
    counted *c = &o->counted;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const wl_ptx_instruction *in = &f->instructions[i];
        const int32_t base = o->profile.first[f - o->launch.module->functions], at = base + i,
                      as = base + o->counting.as[i], loop = o->counting.unrolled[i], copy = o->counting.repeated[i];
        const wl_inst_class k = wl_ptx_class_of(in);
        const double idle = copy >= 0 ? o->profile.warps[base + copy] : 0,
                     executed = o->profile.warps[as] + idle + (loop >= 0 ? o->profile.rungs[base + loop] : 0);
        c->warp[k] += o->weight[i] * executed;
        c->thread[k] += o->weight[i] * (o->profile.threads[as] + (copy >= 0 ? o->profile.threads[base + copy] : 0));
        c->warp[WL_INST_control] += extra_waits(o, i, at);
        c->flops += wl_ptx_flops(in) * o->profile.threads_on[at];
        const bool atomic = in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red,
                   access = in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_st;
        if (!atomic && !(access && in->space != WL_PTX_PARAM))
            continue;
        c->issued[kind_of(is_shared(o, in), in->op == WL_PTX_OP_st, atomic)] += executed;
        if (k == WL_INST_load || k == WL_INST_store || k == WL_INST_shared)
            c->idle_accesses += o->weight[i] * (o->profile.warps[as] - o->profile.warps[at] + idle);
    }
    for (int k = 0; k < WL_INST_CLASS_COUNT; k++) {
        c->all_warp += c->warp[k];
        c->all_thread += c->thread[k];
    }
}

static void add_sectors(oracle *o)
{
    for (int b = 0; b < PROGRAM_BUFFERS; b++)
        for (int s = 0; s < BUFFER_SECTORS; s++) {
            o->counted.loaded_sectors += o->seen[b][s] & 1;
            o->counted.stored_sectors += o->seen[b][s] >> 1;
            o->counted.cold_sectors += o->seen[b][s] == 1 && !o->reference.written[b];
        }
}

static void add_block(oracle *o, bool first)
{
    const size_t bytes = (size_t)o->one.count * sizeof *o->one.warps;
    double *const from[] = {o->one.warps, o->one.threads, o->one.threads_on, o->one.diverged, o->one.rungs},
                  *const to[] = {o->profile.warps, o->profile.threads, o->profile.threads_on, o->profile.diverged,
                                 o->profile.rungs},
                  *const kept[] = {o->first_block.warps, o->first_block.threads, o->first_block.threads_on,
                                   o->first_block.diverged, o->first_block.rungs};
    for (int k = 0; k < 5; k++) {
        if (first)
            memcpy(kept[k], from[k], bytes);
        o->counted.alike = o->counted.alike && memcmp(kept[k], from[k], bytes) == 0;
        for (int32_t i = 0; i < o->one.count; i++) {
            to[k][i] += from[k][i];
            o->counted.emulated += k == 0 ? from[k][i] : 0;
        }
        memset(from[k], 0, bytes);
    }
}

/* Emulates every block, or stops after `budget` warp instructions: *done says which. text NULL: no
 * reference. */
static wl_status oracle_run(oracle *o, const wl_ptx *ptx, const wl_ptx_given *given, double budget, bool *done,
                            wl_error *err)
{
    const wl_ptx_costs *costs = NULL;
    wl_status status;
    o->launch.module = ptx->module;
    o->launch.entry = &ptx->module->functions[0];
    o->launch.arguments = &o->arguments;
    o->launch.budget = 1000000;
    o->launch.everything = o->launch.in_order = true;
    *done = false;
    o->counted.alike = true;
    if ((status = wl_ptx_arguments_make(ptx->module, o->launch.entry, given, &o->arena, &o->arguments, err)) != WL_OK ||
        (status = wl_ptx_profile_make(ptx->module, &o->arena, &o->profile, err)) != WL_OK ||
        (status = wl_ptx_profile_make(ptx->module, &o->arena, &o->one, err)) != WL_OK ||
        (status = wl_ptx_profile_make(ptx->module, &o->arena, &o->first_block, err)) != WL_OK ||
        (status = wl_ptx_file_costs(ptx, &costs, err)) != WL_OK ||
        (status = wl_ptx_weigh(costs, ptx->module, o->launch.entry, &o->arena, &o->weight, &o->counting, err)) !=
            WL_OK ||
        (status = wl_ptx_emulator_new(&o->launch, &o->emulator, err)) != WL_OK)
        return status;
    if (o->text)
        reference_start(&o->reference, o->program, &o->arguments);
    const int64_t *g = o->launch.grid, blocks = g[0] * g[1] * g[2];
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t block[3] = {i % g[0], i / g[0] % g[1], i / g[0] / g[1]};
        touched_clear(&o->touched, o->program);
        if ((status = wl_ptx_emulate_block(o->emulator, block, -1, &o->one, look, o, err)) != WL_OK)
            return status;
        if (o->text && !o->reference.gave_up)
            compare_block(o, block);
        add_block(o, i == 0);
        if (o->counted.emulated > budget)
            return WL_OK;
    }
    add_profile(o);
    add_sectors(o);
    o->counted.assumed = wl_ptx_assumption_count(o->emulator) > 0;
    *done = true;
    return WL_OK;
}

static void oracle_end(oracle *o)
{
    wl_ptx_emulator_free(o->emulator);
    wl_arena_free(&o->arena);
}

#endif /* WL_TESTS_PTX_ORACLE_H */
