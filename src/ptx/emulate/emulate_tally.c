/* emulate_tally.c - counts executed instructions, by runs of consecutive ones.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/fail.h"
#include "base/hash.h"
#include "ptx/module/def_use.h"

/* the most instructions that the assembler predicates instead of branching */
#define PREDICATED_MOST 7

static bool is_global(const wl_ptx_instruction *in)
{
    return in->space == WL_PTX_GLOBAL || in->space == WL_PTX_GENERIC;
}

static bool is_load(const wl_ptx_instruction *in)
{
    return is_global(in) && (in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_ldu || in->op == WL_PTX_OP_cp_async ||
                             in->op == WL_PTX_OP_wmma_load);
}

static bool is_store(const wl_ptx_instruction *in)
{
    return is_global(in) && (in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red ||
                             in->op == WL_PTX_OP_wmma_store);
}

/* A load in a loop whose control flow needs what it loads. */
static bool is_serial(const wl_ptx_program *p, int32_t i)
{
    return p->flow_only && p->flow_only != p->all && !p->flow_only[i].idle && is_load(p->steps[i].in) &&
           p->flow.loop_of[p->flow.block_of[i]] >= 0;
}

/* The longest chain of dependent loads in a basic block. */
typedef struct chain {
    /* by register: `start` and the loads that its value waits for; less: none in this block */
    int32_t *depth;
    int32_t start, now, longest;
    /* loads that a store waits for; later loads stay after the store, unless nothing writes what
     * they read */
    int32_t stored;
    bool writes; /* what is visited: results, else operands */
} chain;

static void follow_chain(void *user, int32_t reg, bool written)
{
    chain *c = user;
    if (c->writes && written)
        c->depth[reg] = c->start + c->now;
    else if (!c->writes && !written && c->depth[reg] - c->start > c->now)
        c->now = c->depth[reg] - c->start;
}

static void add_to_chain(const wl_ptx_function *f, const wl_ptx_instruction *in, chain *c)
{
    c->now = 0;
    c->writes = false;
    wl_ptx_registers_of(f, in, follow_chain, c);
    if (is_store(in) && c->now > c->stored)
        c->stored = c->now;
    if (is_load(in) && !(in->modifiers & WL_PTX_MOD_NC) && c->stored > c->now)
        c->now = c->stored;
    c->now += is_load(in);
    c->longest = c->now > c->longest ? c->now : c->longest;
    c->writes = true;
    wl_ptx_registers_of(f, in, follow_chain, c);
}

/* Does the assembler unroll the block? It must be a loop by itself whose control flow does not
 * depend on a load, and which the compiler has not unrolled already (a pragma says so, or it has at
 * least WL_PTX_ROUND loads). */
static bool is_unrolled(const wl_ptx_program *p, int32_t block)
{
    int loads = 0;
    bool loop = false;
    for (int32_t e = p->flow.edge_first[block]; e < p->flow.edge_first[block + 1]; e++)
        loop = loop || p->flow.edges[e] == block;
    for (int32_t i = p->flow.first[block]; i < p->flow.first[block + 1] && loop; i++) {
        loop = !is_serial(p, i);
        loads += is_load(&p->function->instructions[i]);
    }
    return loop && loads < WL_PTX_ROUND && !wl_ptx_forbids_unrolling(p->function, p->flow.first[block]);
}

static bool is_simple(const wl_ptx_instruction *in)
{
    return !is_load(in) && wl_ptx_branch_target(in) < 0 && in->op != WL_PTX_OP_call && in->op != WL_PTX_OP_ret &&
           in->op != WL_PTX_OP_exit && in->op != WL_PTX_OP_bar;
}

/* Whether a block can be entered from no blocks but these. */
static bool is_entered_from(const wl_ptx_flow *flow, int32_t block, int32_t a, int32_t b)
{
    for (int32_t e = flow->in_first[block]; e < flow->in_first[block + 1]; e++)
        if (flow->in[e] != a && flow->in[e] != b)
            return false;
    return true;
}

/* Whether the branch at the end of a block skips the next one, and that is so short that the
 * assembler executes it under a predicate. Loads after it need not wait for the branch. */
static bool skips_next(const wl_ptx_program *p, int32_t block)
{
    const wl_ptx_flow *flow = &p->flow;
    const wl_ptx_instruction *in = p->function->instructions;
    if (block + 2 >= flow->block_count)
        return false;
    const int32_t branch = flow->first[block + 1] - 1, from = branch + 1, to = flow->first[block + 2];
    if (in[branch].guard < 0 || wl_ptx_branch_target(&in[branch]) != to || to - from > PREDICATED_MOST)
        return false;
    for (int32_t i = from; i < to; i++)
        if (!is_simple(&in[i]))
            return false;
    return is_entered_from(flow, block + 1, block, block) && is_entered_from(flow, block + 2, block, block + 1);
}

/* The rounds of each basic block, at its first load. Blocks around a predicated one count
 * together. */
static void find_rounds(const wl_ptx_program *p, int32_t *depth, int32_t *rounds, wl_ptx_round *round_of)
{
    const wl_ptx_function *f = p->function;
    chain c = {.depth = depth};
    memset(depth, 0, ((size_t)f->register_count + 1) * sizeof *depth);
    for (int32_t b = 0, joined = -1, whole = 0; b < p->flow.block_count; b++) {
        const int32_t from = p->flow.first[b], to = p->flow.first[b + 1], trips = is_unrolled(p, b) ? WL_PTX_ROUND : 1;
        int32_t load = -1;
        if (b > joined) {
            whole = b;
            c.start += c.longest; /* values of earlier blocks no longer count */
            c.longest = c.stored = 0;
        }
        joined = skips_next(p, b) ? b + 2 : joined;
        const int32_t before = c.longest;
        for (int32_t i = from; i < to; i++) {
            load = load < 0 && is_load(&f->instructions[i]) ? i : load;
            add_to_chain(f, &f->instructions[i], &c);
            round_of[i] = (wl_ptx_round){whole, c.now, trips};
        }
        if (load >= 0)
            rounds[load] = (c.longest - before) * (WL_PTX_ROUND / trips);
    }
}

/* The instructions that a part of the lanes may execute. */
static wl_status find_splits(wl_ptx_machine *m, wl_error *err)
{
    const wl_ptx_module *module = m->launch.module;
    wl_ptx_tally *t = &m->tally;
    for (int32_t f = 0; f < module->function_count; f++)
        for (int32_t i = 0; i < module->functions[f].instruction_count; i++) {
            /* other entries have none */
            const wl_ptx_step *s = m->programs[f].steps ? &m->programs[f].steps[i] : NULL;
            const bool splits = s && (s->guard >= 0 || s->kind == WL_PTX_STEP_BRANCH || s->kind == WL_PTX_STEP_LEAVE);
            t->split_of[m->first[f] + i] = splits ? t->split_count++ : -1;
        }
    t->splits = WL_ARENA_NEW(&m->arena, wl_ptx_split_tally, t->split_count + 1);
    return t->splits ? WL_OK : wl_fail_memory(err);
}

static wl_ptx_split_tally *split_at(wl_ptx_machine *m, const wl_ptx_step *s)
{
    return &m->tally.splits[m->tally.split_of[m->first[s->function] + s->number]];
}

wl_status wl_ptx_tally_make(wl_ptx_machine *m, wl_error *err)
{
    const wl_ptx_module *module = m->launch.module;
    const int32_t count = m->first[module->function_count] + module->function_count + 1;
    int32_t **const numbers[] = {&m->tally.loads, &m->tally.stores, &m->tally.serial, &m->tally.rounds,
                                 &m->tally.split_of};
    m->tally.warps = WL_ARENA_NEW(&m->arena, int64_t, count);
    m->tally.threads = WL_ARENA_NEW(&m->arena, int64_t, count);
    if (!m->tally.warps || !m->tally.threads)
        return wl_fail_memory(err);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (!(*numbers[k] = WL_ARENA_NEW(&m->arena, int32_t, count)))
            return wl_fail_memory(err);
    m->tally.reached = WL_ARENA_NEW(&m->arena, bool, count);
    m->tally.round_of = WL_ARENA_NEW(&m->arena, wl_ptx_round, count);
    if (!m->tally.reached || !m->tally.round_of)
        return wl_fail_memory(err);
    WL_TRY(find_splits(m, err));
    int32_t registers = 0;
    for (int32_t f = 0; f < module->function_count; f++)
        registers = module->functions[f].register_count > registers ? module->functions[f].register_count : registers;
    int32_t *depth = WL_ARENA_NEW(&m->arena, int32_t, registers + 1);
    if (!depth)
        return wl_fail_memory(err);
    for (int32_t f = 0; f < module->function_count; f++) {
        /* each at the next instruction, where their sum will be */
        find_rounds(&m->programs[f], depth, m->tally.rounds + m->first[f] + 1, m->tally.round_of + m->first[f]);
        for (int32_t i = 0; i < module->functions[f].instruction_count; i++) {
            const int32_t at = m->first[f] + i;
            m->tally.loads[at + 1] = m->tally.loads[at] + is_load(&module->functions[f].instructions[i]);
            m->tally.stores[at + 1] = m->tally.stores[at] + is_store(&module->functions[f].instructions[i]);
            m->tally.serial[at + 1] = m->tally.serial[at] + is_serial(&m->programs[f], i);
            m->tally.rounds[at + 1] += m->tally.rounds[at];
        }
    }
    return WL_OK;
}

wl_ptx_round wl_ptx_round_of(const wl_ptx_emulator *e, int32_t function, int32_t instruction)
{
    return e->machine.tally.round_of[e->machine.first[function] + instruction];
}

static void reach(wl_ptx_tally *t, int32_t instruction)
{
    if (t->reached[instruction])
        return;
    t->reached[instruction] = t->fresh = true;
}

void wl_ptx_tally_add(wl_ptx_machine *m, const wl_ptx_program *p, int32_t from, int32_t to, uint32_t active,
                      int64_t times)
{
    wl_ptx_tally *t = &m->tally;
    /* one more than the instructions of each function */
    const int32_t base = m->first[p->number] + p->number;
    const int32_t first = m->first[p->number];
    const int lanes = wl_ptx_lanes_in(active);
    t->warps[base + from] += times;
    t->warps[base + to] -= times;
    t->threads[base + from] += times * lanes;
    t->threads[base + to] -= times * lanes;
    t->run_loads += times * (t->loads[first + to] - t->loads[first + from]);
    m->warp->loads += times * (t->loads[first + to] - t->loads[first + from]);
    m->warp->serial += times * (t->serial[first + to] - t->serial[first + from]);
    m->warp->chained += times * (t->rounds[first + to] - t->rounds[first + from]);
    t->run_stores += times * (t->stores[first + to] - t->stores[first + from]);
    /* a sum: the order of warps does not matter */
    t->signature += (uint64_t)times * wl_hash_word((uint64_t)(uint32_t)(base + from) << 38 ^
                                                   (uint64_t)(uint32_t)(base + to) << 12 ^ (uint64_t)(uint32_t)lanes);
    for (int32_t b = from < to ? p->flow.block_of[from] : p->flow.block_count;
         b < p->flow.block_count && p->flow.first[b] < to; b++)
        reach(t, first + p->flow.first[b]);
}

void wl_ptx_tally_end(wl_ptx_machine *m, const wl_ptx_warp *warp)
{
    if (m->tally.on && (int64_t)warp->executed > m->tally.longest.instructions)
        m->tally.longest = (wl_ptx_longest){(int64_t)warp->executed, warp->loads, warp->serial, warp->chained};
}

void wl_ptx_tally_diverged(wl_ptx_machine *m, const wl_ptx_step *s, int64_t times)
{
    split_at(m, s)->diverged += times;
}

void wl_ptx_tally_guard(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask, int64_t times)
{
    wl_ptx_tally *t = &m->tally;
    const int32_t at = m->first[s->function] + s->number;
    if (mask)
        reach(t, at);
    if (mask == active)
        return;
    const int off = wl_ptx_lanes_in(active & ~mask);
    split_at(m, s)->warps_off += mask ? 0 : times;
    split_at(m, s)->off += times * off;
    t->signature += (uint64_t)times * wl_hash_word(~((uint64_t)(uint32_t)at << 8 ^ (uint64_t)(uint32_t)off));
}

void wl_ptx_tally_rungs(wl_ptx_machine *m, const wl_ptx_step *s, int64_t rungs) { split_at(m, s)->rungs += rungs; }

void wl_ptx_tally_trip(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t active, uint32_t mask)
{
    wl_ptx_warp *warp = m->warp;
    warp->trips++;
    if (active & ~mask)
        warp->rest |= (int)(warp->trips % WL_PTX_ROUND);
    if (mask)
        return;
    const int64_t rungs = warp->trips / WL_PTX_ROUND * WL_PTX_ROUND + warp->rest - warp->trips;
    warp->trips = warp->rest = 0;
    wl_ptx_tally_rungs(m, s, rungs);
    if (m->recording && rungs > 0)
        wl_ptx_record_rungs(m, s, rungs);
}

void wl_ptx_collect(wl_ptx_emulator *emulator, double weight, wl_ptx_profile *profile)
{
    wl_ptx_machine *m = &emulator->machine;
    wl_ptx_tally *t = &m->tally;
    const wl_ptx_module *module = m->launch.module;
    const wl_ptx_split_tally whole = {0};
    for (int32_t f = 0; f < module->function_count; f++) {
        int64_t warps = 0, threads = 0;
        for (int32_t i = 0; i <= module->functions[f].instruction_count; i++) {
            const int32_t at = m->first[f] + i, changes = at + f;
            warps += t->warps[changes];
            threads += t->threads[changes];
            t->warps[changes] = t->threads[changes] = 0;
            if (i == module->functions[f].instruction_count)
                break;
            const wl_ptx_split_tally *split = t->split_of[at] >= 0 ? &t->splits[t->split_of[at]] : &whole;
            profile->warps[at] += weight * (double)warps;
            profile->warps_on[at] += weight * (double)(warps - split->warps_off);
            profile->threads[at] += weight * (double)threads;
            profile->threads_on[at] += weight * (double)(threads - split->off);
            profile->diverged[at] += weight * (double)split->diverged;
            profile->rungs[at] += weight * (double)split->rungs;
        }
    }
    memset(t->splits, 0, (size_t)t->split_count * sizeof *t->splits);
}

bool wl_ptx_reached_all(const wl_ptx_emulator *emulator)
{
    const wl_ptx_machine *m = &emulator->machine;
    const int32_t entry = (int32_t)(m->launch.entry - m->launch.module->functions);
    const wl_ptx_flow *flow = &m->programs[entry].flow;
    for (int32_t b = 0; b < flow->block_count; b++)
        if (flow->reached[b] && !m->tally.reached[m->first[entry] + flow->first[b]])
            return false;
    return true;
}

void wl_ptx_forget(wl_ptx_emulator *emulator)
{
    wl_ptx_machine *m = &emulator->machine;
    wl_ptx_tally *t = &m->tally;
    const int32_t functions = m->launch.module->function_count;
    const size_t count = (size_t)m->first[functions] + (size_t)functions + 1;
    memset(t->warps, 0, count * sizeof *t->warps);
    memset(t->threads, 0, count * sizeof *t->threads);
    memset(t->splits, 0, (size_t)t->split_count * sizeof *t->splits);
    memset(t->reached, 0, count * sizeof *t->reached);
}
