/* machine_match.c - see machine_match.h.
 *
 * Loops are matched by the line of the branch that ends them. Several machine loops may belong to
 * one of PTX: four trips at once, and the rest. That of the most copies stands for all. A loop of
 * PTX without one is unrolled completely.
 *
 * A machine block is executed as often as the block of PTX that its last branch ends, or that most
 * of its instructions are of; only those that are in the same loop matter, since the assembler
 * moves instructions out of loops, not into them.
 * Layer  ptx/cost (uses base, machine, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/machine_match.h"

#include <string.h>

#include "base/fail.h"

typedef struct matcher {
    wl_machine_match *m;
    bool *by_itself;
    int32_t *votes; /* by block of PTX */
    bool *ends;     /* by block of PTX: its branch ends a machine block */
    const char *why;
} matcher;

static const wl_ptx_instruction *ptx_at(const wl_machine_match *m, int32_t i) { return &m->function->instructions[i]; }

static bool is_branch(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_bra; }

/* An operation that is one machine instruction of its class in each copy, unless it is omitted. */
static bool is_single(const wl_ptx_instruction *in)
{
    const bool param = in->space == WL_PTX_PARAM || in->space == WL_PTX_CONST;
    switch (in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_st: return !param && in->joined <= 1;
    case WL_PTX_OP_shfl:
    case WL_PTX_OP_fma: return true;
    case WL_PTX_OP_add:
    case WL_PTX_OP_mul: return wl_ptx_type_is_float(in->type) && wl_ptx_type_bits(in->type) >= 32;
    default: return false;
    }
}

/* Is a machine instruction the one that counts copies of its PTX? */
static bool is_single_of(const wl_machine_match *m, int32_t s)
{
    const int32_t i = m->of[s];
    if (i >= 0 && ptx_at(m, i)->op == WL_PTX_OP_bar)
        return strcmp(m->code->list[s].operation->name, "BAR") == 0;
    return i >= 0 && is_single(ptx_at(m, i)) && m->code->list[s].operation->of == wl_ptx_class_of(ptx_at(m, i));
}

/* ---- graph ---- */

/* The control flow of machine code as that of a function of branches. */
static wl_status find_flow(wl_machine_match *m, wl_arena *arena, wl_error *err)
{
    const int32_t count = m->code->count;
    wl_ptx_instruction *list = WL_ARENA_NEW(arena, wl_ptx_instruction, count + 1);
    wl_ptx_operand *operands = WL_ARENA_NEW(arena, wl_ptx_operand, WL_PTX_OPERANDS_LEAST);
    wl_ptx_register *predicate = WL_ARENA_NEW(arena, wl_ptx_register, 1);
    if (!list || !operands || !predicate)
        return wl_fail_memory(err);
    for (int i = 0; i < WL_PTX_OPERANDS_LEAST; i++)
        operands[i] = (wl_ptx_operand){.reg = -1, .other = -1};
    for (int32_t s = 0; s < count; s++) {
        const wl_machine_instruction *from = &m->code->list[s];
        const wl_machine_flow flow = from->operation->flow;
        const bool goes = flow == WL_MACHINE_BRANCH && from->target >= 0;
        const bool ends = flow == WL_MACHINE_BRANCH || flow == WL_MACHINE_END || flow == WL_MACHINE_INDIRECT;
        list[s] = (wl_ptx_instruction){.operands = operands, .guard = -1, .file = -1};
        if (!ends)
            continue;
        list[s].op = goes ? WL_PTX_OP_bra : WL_PTX_OP_exit;
        list[s].guard = from->guarded ? 0 : -1;
        if (!goes)
            continue;
        list[s].operand_count = 1;
        list[s].operands = WL_ARENA_NEW(arena, wl_ptx_operand, WL_PTX_OPERANDS_LEAST);
        if (!list[s].operands)
            return wl_fail_memory(err);
        memcpy(list[s].operands, operands, WL_PTX_OPERANDS_LEAST * sizeof *operands);
        list[s].operands[0] = (wl_ptx_operand){.kind = WL_PTX_OPERAND_LABEL, .reg = -1, .value = from->target};
    }
    const wl_ptx_function graph = {
        .registers = predicate, .register_count = 1, .instructions = list, .instruction_count = count};
    return wl_ptx_flow_make(&graph, arena, &m->machine, err);
}

/* ---- lines ---- */

static wl_status find_origins(wl_machine_match *m, wl_arena *arena, wl_error *err)
{
    const wl_ptx_function *f = m->function;
    int32_t least = INT32_MAX, most = 0;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        least = f->instructions[i].line < least ? f->instructions[i].line : least;
        most = f->instructions[i].line > most ? f->instructions[i].line : most;
    }
    const int64_t lines = (int64_t)most - least + 1;
    m->of = WL_ARENA_NEW(arena, int32_t, m->code->count + 1);
    int32_t *at = WL_ARENA_NEW(arena, int32_t, lines > 0 ? lines : 1);
    if (!m->of || !at)
        return wl_fail_memory(err);
    for (int32_t i = f->instruction_count; i-- > 0;)
        at[f->instructions[i].line - least] = i + 1;
    for (int32_t s = 0; s < m->code->count; s++) {
        const int32_t line = m->code->list[s].line;
        m->of[s] = line >= least && line <= most ? at[line - least] - 1 : -1;
    }
    return WL_OK;
}

/* An atomic with a branch is a loop, or what one lane does for its warp. */
static void find_atomics(const matcher *x)
{
    const wl_machine_match *m = x->m;
    for (int32_t s = 0; s < m->code->count; s++) {
        const int32_t i = m->of[s];
        if (i >= 0 && m->code->list[s].operation->flow != WL_MACHINE_NEXT &&
            (ptx_at(m, i)->op == WL_PTX_OP_atom || ptx_at(m, i)->op == WL_PTX_OP_red))
            x->by_itself[i] = true;
    }
}

/* ---- loops ---- */

/* The innermost loop of PTX around the branch that ends a machine block; -1: it is no branch of
 * PTX, or in no loop. */
static int32_t loop_of_end(const wl_machine_match *m, int32_t block)
{
    const int32_t i = m->of[m->machine.first[block + 1] - 1];
    return i >= 0 && is_branch(ptx_at(m, i)) ? m->ptx.loop_of[m->ptx.block_of[i]] : -1;
}

static bool goes_to(const wl_ptx_flow *flow, int32_t from, int32_t to)
{
    for (int32_t e = flow->edge_first[from]; e < flow->edge_first[from + 1]; e++)
        if (flow->edges[e] == to)
            return true;
    return false;
}

static int32_t match_loop(const wl_machine_match *m, int32_t loop)
{
    const wl_ptx_flow *flow = &m->machine;
    int32_t found = -1;
    for (int32_t b = 0; b < flow->block_count; b++) {
        if (!flow->reached[b] || flow->loop_of[b] != loop)
            continue;
        const int32_t of = loop_of_end(m, b);
        if (of >= 0 && goes_to(flow, b, flow->loops[loop].header))
            return of;
        found = found < 0 ? of : found;
    }
    return found;
}

/* Machine instructions of a loop, without inner loops: those that count copies, and all. */
static int64_t size_of_loop(const wl_machine_match *m, int32_t loop)
{
    int64_t singles = 0, all = 0;
    for (int32_t b = 0; b < m->machine.block_count; b++)
        for (int32_t s = m->machine.first[b]; m->machine.loop_of[b] == loop && s < m->machine.first[b + 1]; s++) {
            singles += is_single_of(m, s);
            all++;
        }
    return singles << 32 | all;
}

static wl_status match_loops(matcher *x, wl_arena *arena, wl_error *err)
{
    wl_machine_match *m = x->m;
    m->loop = WL_ARENA_NEW(arena, int32_t, m->machine.loop_count + 1);
    m->main = WL_ARENA_NEW(arena, int32_t, m->ptx.loop_count + 1);
    int64_t *size = WL_ARENA_NEW(arena, int64_t, m->ptx.loop_count + 1);
    if (!m->loop || !m->main || !size)
        return wl_fail_memory(err);
    for (int32_t l = 0; l < m->ptx.loop_count; l++)
        m->main[l] = -1;
    for (int32_t l = 0; l < m->machine.loop_count; l++) {
        const int32_t of = m->loop[l] = match_loop(m, l);
        const int64_t own = size_of_loop(m, l);
        if (of < 0 || own <= size[of])
            continue;
        size[of] = own;
        m->main[of] = l;
    }
    return WL_OK;
}

/* The loop of PTX that a machine block is in: -1: none; -2: one that stands for no loop of PTX. */
enum { NO_LOOP = -1, STRANGE = -2 };
static int32_t ptx_loop_around(const wl_machine_match *m, int32_t block)
{
    const int32_t loop = m->machine.loop_of[block];
    return loop < 0 ? NO_LOOP : m->loop[loop] < 0 ? STRANGE : m->loop[loop];
}

/* The outermost loop inside of `loop` that contains a block; -1: there is none. */
static int32_t loop_inside(const wl_ptx_flow *flow, int32_t loop, int32_t block)
{
    int32_t inner = flow->loop_of[block];
    while (inner >= 0 && flow->loops[inner].parent != loop)
        inner = flow->loops[inner].parent;
    return inner;
}

/* Nothing moves these. */
static bool stays(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_bar || in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red;
}

/* By how much an instruction tells which block it is in, and by how much less where another machine
 * block ends with the branch of that block. Guarded ones may be of a predicated body. */
enum { VOTE_GUARDED = 2, VOTE_PLAIN = 8, VOTE_STAYS = 128, VOTE_ELSEWHERE = 2 };

/* ---- copies ---- */

/* The innermost loop of PTX around a block that has a machine loop; -1: none. */
static int32_t kept_loop(const wl_machine_match *m, int32_t ptx_block)
{
    int32_t loop = m->ptx.loop_of[ptx_block];
    while (loop >= 0 && m->main[loop] < 0)
        loop = m->ptx.loops[loop].parent;
    return loop;
}

bool wl_machine_match_is_region(const wl_machine_match *m, int32_t ptx_block, int32_t machine_block)
{
    const int32_t loop = kept_loop(m, ptx_block);
    return m->machine.loop_of[machine_block] == (loop < 0 ? -1 : m->main[loop]);
}

/* The number that most of the operations that count copies have; of two, the larger. often: zeros,
 * by number. */
static int32_t most_common(const wl_machine_match *m, int32_t block, const int32_t *singles, int32_t *often)
{
    const int32_t first = m->ptx.first[block], end = m->ptx.first[block + 1];
    int32_t best = 0;
    for (int32_t i = first; i < end; i++)
        often[singles[i]] += singles[i] == 0 ? 0 : stays(ptx_at(m, i)) ? VOTE_STAYS : 1;
    for (int32_t i = first; i < end; i++)
        if (often[singles[i]] > often[best] || (often[singles[i]] == often[best] && singles[i] > best))
            best = singles[i];
    for (int32_t i = first; i < end; i++)
        often[singles[i]] = 0;
    return best;
}

/* Blocks without such an operation have as many copies as others of their loop. */
static wl_status count_copies(matcher *x, wl_arena *arena, wl_error *err)
{
    wl_machine_match *m = x->m;
    m->copies = WL_ARENA_NEW(arena, int32_t, m->ptx.block_count + 1);
    int32_t *singles = WL_ARENA_NEW(arena, int32_t, m->function->instruction_count + 1);
    int32_t *of_loop = WL_ARENA_NEW(arena, int32_t, m->ptx.loop_count + 1);
    int32_t *often = WL_ARENA_NEW(arena, int32_t, m->code->count + 1);
    if (!m->copies || !singles || !of_loop || !often)
        return wl_fail_memory(err);
    for (int32_t b = 0; b < m->machine.block_count; b++)
        for (int32_t s = m->machine.first[b]; m->machine.reached[b] && s < m->machine.first[b + 1]; s++)
            if (is_single_of(m, s) && wl_machine_match_is_region(m, m->ptx.block_of[m->of[s]], b))
                singles[m->of[s]]++;
    for (int32_t b = 0; b < m->ptx.block_count; b++) {
        const int32_t loop = m->ptx.loop_of[b];
        m->copies[b] = most_common(m, b, singles, often);
        if (loop >= 0 && m->copies[b] > 0 && (of_loop[loop] == 0 || m->copies[b] < of_loop[loop]))
            of_loop[loop] = m->copies[b];
    }
    for (int32_t b = 0; b < m->ptx.block_count; b++) {
        const int32_t loop = m->ptx.loop_of[b];
        if (m->copies[b] == 0)
            m->copies[b] = loop >= 0 && of_loop[loop] > 0 ? of_loop[loop] : 1;
    }
    return WL_OK;
}

/* The instructions of a block of PTX in a machine block, in the order of the votes. */
static void tally(const matcher *x, int32_t block, int32_t *all, int32_t *singles, int32_t *guarded)
{
    const wl_machine_match *m = x->m;
    for (int32_t s = m->machine.first[block]; s < m->machine.first[block + 1]; s++) {
        if (m->of[s] < 0)
            continue;
        const int32_t b = m->ptx.block_of[m->of[s]];
        all[b]++;
        singles[b] += is_single_of(m, s);
        guarded[b] += is_single_of(m, s) && m->code->list[s].guarded;
    }
}

/* Is a machine block in the loop of a block of PTX, or in a loop inside of it? */
static bool is_inside(const wl_machine_match *m, int32_t ptx_block, int32_t machine_block)
{
    const int32_t loop = kept_loop(m, ptx_block), around = ptx_loop_around(m, machine_block);
    return loop < 0 || (around >= 0 && wl_ptx_flow_in_loop(&m->ptx, loop, m->ptx.loops[around].header));
}

/* Outside of its loop, most of a block is a copy of it; less has been moved there. */
static wl_status find_extra_copies(matcher *x, wl_arena *arena, wl_error *err)
{
    wl_machine_match *m = x->m;
    const int32_t blocks = m->ptx.block_count + 1;
    m->extra = WL_ARENA_NEW(arena, uint8_t, m->code->count + 1);
    int32_t *all = WL_ARENA_NEW(arena, int32_t, blocks), *singles = WL_ARENA_NEW(arena, int32_t, blocks);
    int32_t *here = WL_ARENA_NEW(arena, int32_t, blocks), *here_singles = WL_ARENA_NEW(arena, int32_t, blocks),
            *guarded = WL_ARENA_NEW(arena, int32_t, blocks);
    if (!guarded || !m->extra || !all || !singles || !here || !here_singles)
        return wl_fail_memory(err);
    for (int32_t b = 0; b < m->machine.block_count; b++)
        for (int32_t s = m->machine.first[b]; m->machine.reached[b] && s < m->machine.first[b + 1]; s++)
            if (m->of[s] >= 0 && wl_machine_match_is_region(m, m->ptx.block_of[m->of[s]], b)) {
                all[m->ptx.block_of[m->of[s]]]++;
                singles[m->ptx.block_of[m->of[s]]] += is_single_of(m, s);
            }
    for (int32_t b = 0; b < m->machine.block_count; b++) {
        if (!m->machine.reached[b])
            continue;
        tally(x, b, here, here_singles, guarded);
        for (int32_t s = m->machine.first[b]; s < m->machine.first[b + 1]; s++) {
            const int32_t of = m->of[s] < 0 ? -1 : m->ptx.block_of[m->of[s]];
            if (of < 0 || is_inside(m, of, b))
                continue;
            const int32_t *there = singles[of] > 0 ? singles : all, *own = singles[of] > 0 ? here_singles : here;
            const bool predicated = here_singles[of] > 0 && guarded[of] == here_singles[of];
            if (2 * own[of] * m->copies[of] >= there[of])
                m->extra[s] = predicated ? WL_MACHINE_PREDICATED : WL_MACHINE_COPY;
        }
        for (int32_t s = m->machine.first[b]; s < m->machine.first[b + 1]; s++)
            if (m->of[s] >= 0)
                here[m->ptx.block_of[m->of[s]]] = here_singles[m->ptx.block_of[m->of[s]]] =
                    guarded[m->ptx.block_of[m->of[s]]] = 0;
    }
    return WL_OK;
}

/* ---- blocks ---- */

/* The block of PTX, in this loop, whose branch ends a machine block; -1: none. */
static int32_t block_of_end(const matcher *x, int32_t block, int32_t loop)
{
    const wl_machine_match *m = x->m;
    const int32_t last = m->machine.first[block + 1] - 1, i = m->of[last];
    if (i < 0 || m->extra[last] || x->by_itself[i] || !is_branch(ptx_at(m, i)) ||
        m->code->list[last].operation->flow == WL_MACHINE_NEXT || m->ptx.loop_of[m->ptx.block_of[i]] != loop)
        return -1;
    return m->ptx.block_of[i];
}

/* What a machine instruction says about which block it is in: votes for that one. */
static int32_t votes_of(const matcher *x, int32_t s, int32_t loop)
{
    const wl_machine_match *m = x->m;
    const int32_t i = m->of[s];
    if (i < 0 || m->extra[s] || x->by_itself[i] || m->ptx.loop_of[m->ptx.block_of[i]] != loop)
        return 0;
    if (is_branch(ptx_at(m, i))) /* a copy for one of the ways that join behind it */
        return 0;
    const int32_t votes = m->code->list[s].guarded ? VOTE_GUARDED : stays(ptx_at(m, i)) ? VOTE_STAYS : VOTE_PLAIN;
    return x->ends[m->ptx.block_of[i]] ? votes / VOTE_ELSEWHERE : votes;
}

static int32_t vote(const matcher *x, int32_t block, int32_t loop)
{
    const wl_machine_match *m = x->m;
    const int32_t first = m->machine.first[block], end = m->machine.first[block + 1];
    int32_t best = block_of_end(x, block, loop);
    if (best >= 0)
        return best;
    for (int32_t s = first; s < end; s++)
        if (m->of[s] >= 0)
            x->votes[m->ptx.block_of[m->of[s]]] += votes_of(x, s, loop);
    for (int32_t s = first; s < end; s++) {
        const int32_t b = m->of[s] < 0 ? -1 : m->ptx.block_of[m->of[s]];
        const int32_t more = b < 0 || x->votes[b] == 0 ? -1 : best < 0 ? 1 : x->votes[b] - x->votes[best];
        if (more > 0 || (more == 0 && b < best))
            best = b;
    }
    for (int32_t s = first; s < end; s++)
        if (m->of[s] >= 0)
            x->votes[m->ptx.block_of[m->of[s]]] = 0;
    return best;
}

/* A block without an instruction of its own loop: code around an inner loop is executed once for
 * each run of that loop. */
static int32_t block_around_loop(const matcher *x, int32_t block, int32_t loop)
{
    const wl_machine_match *m = x->m;
    int32_t inner = -1;
    bool any = false;
    for (int32_t s = m->machine.first[block]; s < m->machine.first[block + 1]; s++) {
        const int32_t i = m->of[s];
        if (i < 0 || m->extra[s] || x->by_itself[i])
            continue;
        any = true;
        inner = inner < 0 ? loop_inside(&m->ptx, loop, m->ptx.block_of[i]) : inner;
    }
    if (!any)
        return -1;
    if (inner >= 0)
        return m->ptx.dominator[m->ptx.loops[inner].header];
    return loop >= 0 ? m->ptx.loops[loop].header : -1;
}

static wl_status match_blocks(matcher *x, wl_arena *arena, wl_error *err)
{
    wl_machine_match *m = x->m;
    m->block = WL_ARENA_NEW(arena, int32_t, m->machine.block_count + 1);
    x->votes = WL_ARENA_NEW(arena, int32_t, m->ptx.block_count + 1);
    x->ends = WL_ARENA_NEW(arena, bool, m->ptx.block_count + 1);
    if (!m->block || !x->votes || !x->ends)
        return wl_fail_memory(err);
    for (int32_t b = 0; b < m->machine.block_count; b++) {
        const int32_t end = m->machine.reached[b] ? block_of_end(x, b, ptx_loop_around(m, b)) : -1;
        if (end >= 0)
            x->ends[end] = true;
    }
    for (int32_t b = 0; b < m->machine.block_count; b++) {
        const int32_t loop = ptx_loop_around(m, b);
        m->block[b] = -1;
        if (!m->machine.reached[b])
            continue;
        if (loop == STRANGE) {
            for (int32_t s = m->machine.first[b]; s < m->machine.first[b + 1]; s++)
                if (m->of[s] >= 0 && !x->by_itself[m->of[s]])
                    x->why = "a loop of the machine code is none of the PTX";
            continue;
        }
        if (loop >= 0 && m->main[loop] != m->machine.loop_of[b])
            continue;
        m->block[b] = vote(x, b, loop);
        if (m->block[b] < 0)
            m->block[b] = block_around_loop(x, b, loop);
    }
    return WL_OK;
}

/* ---- blocks within others ---- */

bool wl_machine_match_every_trip(const wl_machine_match *m, int32_t block)
{
    const wl_ptx_flow *flow = &m->ptx;
    const int32_t loop = flow->loop_of[block];
    for (int32_t e = loop < 0 ? 0 : flow->in_first[flow->loops[loop].header];
         loop >= 0 && e < flow->in_first[flow->loops[loop].header + 1]; e++)
        if (wl_ptx_flow_in_loop(flow, loop, flow->in[e]) && wl_ptx_flow_dominates(flow, block, flow->in[e]))
            return true;
    return false;
}

static bool is_unrolled_completely(const wl_machine_match *m, int32_t ptx_block)
{
    const int32_t loop = m->ptx.loop_of[ptx_block];
    return loop >= 0 && m->main[loop] < 0;
}

static wl_status find_joined(matcher *x, wl_arena *arena, wl_error *err)
{
    wl_machine_match *m = x->m;
    m->joined = WL_ARENA_NEW(arena, int32_t, m->ptx.block_count + 1);
    if (!m->joined)
        return wl_fail_memory(err);
    for (int32_t b = 0; b <= m->ptx.block_count; b++)
        m->joined[b] = -1;
    for (int32_t b = 0; b < m->machine.block_count; b++)
        for (int32_t s = m->machine.first[b]; m->block[b] >= 0 && s < m->machine.first[b + 1]; s++) {
            const int32_t of = m->of[s] < 0 ? -1 : m->ptx.block_of[m->of[s]];
            if (of >= 0 && m->joined[of] < 0 && wl_machine_match_is_region(m, of, b) &&
                !is_unrolled_completely(m, of) && !wl_machine_match_every_trip(m, of))
                m->joined[of] = m->block[b];
        }
    for (int32_t b = 0; b < m->machine.block_count; b++)
        if (m->block[b] >= 0)
            m->joined[m->block[b]] = -1;
    return WL_OK;
}

/* ---- all ---- */

static const char *what_is_unknown(const wl_machine_match *m)
{
    if (!m->code->has_lines)
        return "it has no lines";
    for (int32_t b = 0; b < m->machine.block_count; b++)
        for (int32_t s = m->machine.first[b]; m->machine.reached[b] && s < m->machine.first[b + 1]; s++) {
            if (!m->code->list[s].operation->name)
                return "an operation is not known";
            if (m->code->list[s].operation->flow == WL_MACHINE_INDIRECT)
                return "a branch goes to a place that is not known";
        }
    return NULL;
}

wl_status wl_machine_match_make(const wl_machine_kernel *code, const wl_ptx_function *function, bool *by_itself,
                                wl_arena *arena, wl_machine_match *out, const char **why, wl_error *err)
{
    *out = (wl_machine_match){.function = function, .code = code};
    matcher x = {.m = out, .by_itself = by_itself};
    *why = "it is empty";
    if (code->count == 0 || function->instruction_count == 0)
        return WL_OK;
    WL_TRY(find_flow(out, arena, err));
    *why = what_is_unknown(out);
    if (*why)
        return WL_OK;
    WL_TRY(wl_ptx_flow_make(function, arena, &out->ptx, err));
    WL_TRY(find_origins(out, arena, err));
    find_atomics(&x);
    WL_TRY(match_loops(&x, arena, err));
    WL_TRY(count_copies(&x, arena, err));
    WL_TRY(find_extra_copies(&x, arena, err));
    WL_TRY(match_blocks(&x, arena, err));
    *why = x.why;
    if (*why)
        return WL_OK;
    return find_joined(&x, arena, err);
}
