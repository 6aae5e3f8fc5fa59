/* segments.c - see segments.h. SPDX-License-Identifier: MIT */
#include "ptx/life/segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/life/early_loads.h"
#include "ptx/life/pressure.h"
#include "ptx/life/serial_products.h"
#include "ptx/module/def_use.h"
#include "ptx/module/tensor.h"

typedef struct maker {
    const wl_ptx_life_input *in;
    const wl_ptx_function *f;
    wl_arena *arena;
    wl_ptx_ops *ops;
    wl_ptx_segments *out;
    int32_t base;     /* number of the function's first register */
    int32_t async;    /* register that represents copies in flight */
    int32_t copied;   /* field of the last one; -1: none */
    int32_t *renamed; /* by register: its number in the current copy */
    int32_t *origin;  /* by number: the register; -1: none of this function */
    int32_t origin_room;
    /* For unrolled copies: the first use of each register in a trip, and whether the current copy
     * is the last. NULL: no copies. */
    const uint8_t *uses;
    bool last_copy;
    bool in_turn; /* a warp waits for each product of its group at once */
    wl_ptx_early order;
    wl_ptx_liveness live; /* limit 0: not computed */
    bool failed;
} maker;

/* Registers that never hold a value of the program: the stack pointer. Two more, for the program
 * counter, are not counted, since the assembler eliminates about as many values of PTX. */
#define RESERVED 1

/* Instructions of a segment at most: no compiler moves a load past more, and what orders them needs
 * memory and time for each. */
#define SEGMENT_MAX 16384

/* The first use of a register in a trip of a loop. */
enum { NOT_USED, READ_FIRST, WRITTEN_FIRST };

/* ---- operations ---- */

static wl_op_kind kind_of_memory(const wl_ptx_instruction *in)
{
    const wl_inst_class c = wl_ptx_class_of(in);
    if (in->space == WL_PTX_PARAM || in->space == WL_PTX_CONST)
        return WL_OP_FREE; /* a constant bank, mostly read as an operand */
    switch (c) {
    case WL_INST_load: return WL_OP_LOAD;
    case WL_INST_store: return WL_OP_STORE;
    case WL_INST_atomic: return WL_OP_ATOMIC;
    default: return in->op == WL_PTX_OP_shfl ? WL_OP_SHUFFLE : WL_OP_SHARED;
    }
}

static wl_op_kind kind_of(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_bar:
    case WL_PTX_OP_barrier_cluster: return wl_ptx_is_barrier(in) ? WL_OP_BARRIER : WL_OP_INT;
    case WL_PTX_OP_cp_async: return WL_OP_LOAD;
    case WL_PTX_OP_cvt:
        return wl_ptx_type_is_float(in->type) || wl_ptx_type_is_float(in->from) ? WL_OP_CONVERT : WL_OP_INT;
    case WL_PTX_OP_vote:
    case WL_PTX_OP_match:
    case WL_PTX_OP_activemask:
    case WL_PTX_OP_elect:
    case WL_PTX_OP_redux: return WL_OP_CONVERT;
    default: break;
    }
    switch (wl_ptx_class_of(in)) {
    case WL_INST_fp64: return WL_OP_FP64;
    case WL_INST_fp32: return WL_OP_FP32;
    case WL_INST_fp16: return WL_OP_HALF;
    case WL_INST_special: return WL_OP_SPECIAL;
    case WL_INST_tensor: return WL_OP_TENSOR;
    case WL_INST_control: return WL_OP_BRANCH;
    case WL_INST_load:
    case WL_INST_store:
    case WL_INST_atomic:
    case WL_INST_shared: return kind_of_memory(in);
    default: return WL_OP_INT;
    }
}

#define REGS_MAX 80 /* of one instruction: matrix fragments have many */

typedef struct regs {
    int32_t read[REGS_MAX], written[REGS_MAX];
    int reads, writes;
} regs;

static void add_register(void *user, int32_t reg, bool written)
{
    regs *r = user;
    if (written && r->writes < REGS_MAX)
        r->written[r->writes++] = reg;
    else if (!written && r->reads < REGS_MAX)
        r->read[r->reads++] = reg;
}

static bool waits_for_copies(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_cp_async_control && in->text && strstr(in->text, "wait") != NULL &&
           strstr(in->text, "wait") < in->text + in->text_length;
}

/* An arrival at a barrier object that other blocks of the cluster shall see with all before it: the
 * assembler puts a fence of the GPU before it. */
static bool fences(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_mbarrier && wl_ptx_has_part(in, "arrive") && wl_ptx_has_part(in, "release") &&
           wl_ptx_has_part(in, "cluster");
}

static bool make_room(maker *m, int32_t room)
{
    wl_ptx_ops *o = m->ops;
    if (room <= o->room)
        return true;
    wl_op *list = WL_ARENA_NEW(m->arena, wl_op, room);
    if (!list) {
        m->failed = true;
        return false;
    }
    if (o->count > 0)
        memcpy(list, o->list, (size_t)o->count * sizeof *list);
    o->list = list;
    o->room = room;
    return true;
}

static wl_op *new_op(maker *m)
{
    wl_ptx_ops *o = m->ops;
    if (o->count == o->room && !make_room(m, 2 * o->room + 256))
        return NULL;
    return &o->list[o->count++];
}

/* Is a branch known to be taken, because it goes back or is unconditional? */
static bool is_taken(const wl_ptx_instruction *in, int32_t at)
{
    const int32_t to = wl_ptx_branch_target(in);
    return to >= 0 && (to <= at || in->guard < 0);
}

/* The length of the dependent chain in a sequence: about half of it, as in a division. */
static float chain_of(wl_op_kind kind, double weight)
{
    if (kind == WL_OP_LOAD || kind == WL_OP_SHARED || kind == WL_OP_CONSTANT || kind == WL_OP_ATOMIC || weight <= 2)
        return 1;
    return (float)(0.5 * weight);
}

/* What the machine instructions of an instruction are, if they are not all of its own class. */
static const wl_cost_row *sequence_of(const maker *m, int32_t at)
{
    const wl_cost_row *row = m->in->counting ? m->in->counting->split[at].row : NULL;
    return row && row->has_parts ? row : NULL;
}

static bool has_slow_path(const maker *m, int32_t at)
{
    const wl_cost_row *row = sequence_of(m, at);
    return row && wl_cost_has_slow_path(row);
}

/* The dependent steps of a sequence: as measured, else all of its instructions. */
static void describe_sequence(const maker *m, int32_t at, wl_op *op)
{
    const wl_cost_row *row = sequence_of(m, at);
    if (!row || op->kind == WL_OP_BRANCH || wl_op_is_load(op) || op->kind == WL_OP_ATOMIC)
        return;
    const double special = row->parts[WL_INST_special], f64 = row->parts[WL_INST_fp64];
    if (row->chain > 0) {
        op->steps[2] = (float)row->chain;
    } else {
        op->steps[0] = (float)special;
        op->steps[1] = (float)f64;
        op->steps[2] = (float)(row->cost - special - f64);
    }
    op->blocks = wl_cost_has_slow_path(row);
}

/* How many of its machine instructions each pipe executes. */
static void describe_pipes(const maker *m, int32_t at, wl_op *op)
{
    static const wl_inst_class of[2] = {[WL_BUSY_SPECIAL] = WL_INST_special, [WL_BUSY_FP64] = WL_INST_fp64};
    static const wl_op_kind own[2] = {[WL_BUSY_SPECIAL] = WL_OP_SPECIAL, [WL_BUSY_FP64] = WL_OP_FP64};
    const wl_cost_row *row = sequence_of(m, at);
    for (int p = 0; p < 2; p++)
        op->on[p] = row ? (float)row->parts[of[p]] : op->kind == own[p] ? op->issue : 0;
    op->on[WL_BUSY_INTEGER] = m->in->counting ? (float)wl_ptx_integer_pipe(m->in->counting, at) : 0;
}

/* Keeps, by number, which register of the function it is. */
static bool note_origins(maker *m, int32_t first, int32_t count, int32_t reg)
{
    if (first + count > m->origin_room) {
        const int32_t room = 2 * (first + count);
        int32_t *more = realloc(m->origin, (size_t)room * sizeof *more);
        if (!more)
            return false;
        m->origin = more;
        m->origin_room = room;
    }
    WL_ASSERT(m->origin || count == 0);
    for (int32_t i = 0; i < count; i++)
        m->origin[first + i] = reg < 0 ? reg : reg + i;
    return true;
}

/* Another number for a register. */
static int32_t new_register(maker *m, int32_t reg)
{
    m->failed = !note_origins(m, m->ops->registers, 1, reg) || m->failed;
    return m->ops->registers++;
}

/* The number of a written register. Values for the next trip have a separate register in each copy;
 * the last copy writes the one that the next round reads. */
static int32_t written(maker *m, int32_t reg)
{
    if (m->uses && m->uses[reg] == READ_FIRST)
        m->renamed[reg] = m->last_copy ? m->base + reg : new_register(m, reg);
    return m->renamed[reg];
}

/* Products of warp groups, their batches, and waits for these. */
static void describe_product(const wl_ptx_instruction *in, wl_op *op)
{
    if (in->op == WL_PTX_OP_wgmma) {
        op->group_step = WL_GROUP_PRODUCT;
        op->flops = (float)(WL_PTX_GROUP * wl_ptx_tensor_flops(in, &op->product));
    } else if (in->op == WL_PTX_OP_wgmma_control && wl_ptx_has_part(in, "commit")) {
        op->group_step = WL_GROUP_BATCH; /* a bit of the last product's instruction */
        op->kind = WL_OP_FREE;
        op->issue = 0;
    } else if (in->op == WL_PTX_OP_wgmma_control && wl_ptx_has_part(in, "wait")) {
        op->group_step = WL_GROUP_WAIT;
        op->kind = WL_OP_TENSOR;
        op->issue = 1;
        op->left = in->operand_count > 0 ? (int32_t)in->operands[0].value : 0;
    } else if (in->op == WL_PTX_OP_mma || in->op == WL_PTX_OP_wmma) {
        op->flops = (float)wl_ptx_tensor_flops(in, &op->product);
        op->on[WL_BUSY_TENSOR] = op->flops > 0;
    }
}

/* Copies that no warp had to free a stage for were issued at the start, ahead of all waits. */
static float ahead_of(const wl_ptx_ring *ring)
{
    return ring->counted > 0 ? (float)ring->ahead / (float)ring->counted : INFINITY;
}

/* A wait for products that another warp issues. */
static void describe_result(const wl_ptx_ring *ring, wl_op *op)
{
    op->group_step = WL_GROUP_RESULT;
    op->kind = WL_OP_TENSOR;
    op->flops = (float)(ring->flops / (double)ring->product_waits);
    op->product = ring->kind;
    op->ahead = ring->product_counted > 0 ? (float)ring->product_ahead / (float)ring->product_counted : INFINITY;
}

static void add_op(maker *m, int32_t at, double weight, bool carries)
{
    const wl_ptx_instruction *in = &m->f->instructions[at];
    regs r = {.reads = 0};
    wl_ptx_registers_of(m->f, in, add_register, &r);
    wl_op *op = new_op(m);
    int32_t *list = WL_ARENA_NEW(m->arena, int32_t, r.reads + r.writes + 2);
    if (!op || !list) {
        m->failed = true;
        return;
    }
    static const wl_ptx_ring none = {0};
    const wl_ptx_ring *ring = m->in->rings ? &m->in->rings[at] : &none;
    const bool waits = ring->waits > 0; /* for bulk copies */
    const int32_t *fields = waits ? m->in->fields : m->in->field;
    const bool constant = (in->space == WL_PTX_CONST || in->space == WL_PTX_PARAM) && fields && fields[at] >= 0;
    const wl_op_kind kind = waits ? WL_OP_LOAD : constant ? WL_OP_CONSTANT : kind_of(in);
    *op = (wl_op){.kind = weight > 0 ? kind : WL_OP_FREE,
                  .issue = (float)weight,
                  .chain = kind == WL_OP_BRANCH ? is_taken(in, at) : chain_of(kind, weight),
                  .field = fields ? fields[waits ? ring->copy : at] : -1,
                  .regs = list,
                  .rejoins = m->in->counting && m->in->counting->split[at].rejoins,
                  .swaps = wl_ptx_is_swap_loop(in),
                  .constant = kind == WL_OP_CONSTANT || in->modifiers & WL_PTX_MOD_NC,
                  .remote = m->in->clusters && wl_ptx_reaches_cluster(in),
                  .awaits_copies = waits,
                  .for_copies = waits,
                  .ahead = waits ? ahead_of(ring) : 0,
                  .bytes = waits ? (float)ring->bytes / (float)ring->waits : 0,
                  .line = in->line,
                  .file = in->file,
                  .source_line = in->source_line,
                  .text = in->text,
                  .text_length = in->text_length};
    describe_sequence(m, at, op);
    describe_pipes(m, at, op);
    describe_product(in, op);
    op->issue += m->in->spilled ? (float)(2 * m->in->spilled[at]) : 0;
    op->in_turn = m->in_turn && op->group_step == WL_GROUP_PRODUCT;
    if (ring->product_waits > ring->waits && op->issue > 0)
        describe_result(ring, op);
    for (int i = 0; i < r.reads; i++)
        list[op->reads++] = m->renamed[r.read[i]];
    if (waits_for_copies(in)) { /* shared memory changes here, as by a store */
        op->kind = WL_OP_SHARED;
        op->for_copies = true;
        op->issue = 1;
        /* groups that stay in flight */
        op->ahead = in->operand_count > 0 ? (float)in->operands[0].value : 0;
        op->awaits_copies = op->ahead > 0;
        op->field = m->copied;
        if (!op->awaits_copies)
            list[op->reads++] = m->async;
    }
    op->fences = m->in->clusters && fences(in);
    op->polls = m->in->polls && m->in->polls[at];
    for (int i = 0; i < r.writes && carries; i++)
        list[op->reads + op->writes++] = written(m, r.written[i]);
    if (in->op == WL_PTX_OP_cp_async) {
        list[op->reads + op->writes++] = m->async;
        m->copied = op->field;
    }
}

/* ---- loads first ---- */

/* Delays early loads that would need more registers than there are. */
static void limit_loads(maker *m, const wl_ptx_segment *s, const wl_op *ops, int32_t count)
{
    const wl_ptx_unordered in = {ops, count, s->from, s->to, m->origin, m->base, m->ops->registers, m->order.rest};
    wl_error ignored = {0};
    m->failed = wl_ptx_limit_live(&m->live, &in, m->order.list, &ignored) != WL_OK;
}

/* Is it the branch at the end of a copy that is not the last one? One branch serves all. */
static bool is_left_out(const maker *m, int32_t i, int copy, int copies)
{
    return copy + 1 < copies && wl_ptx_branch_target(&m->f->instructions[i]) >= 0;
}

/* Puts operations into the order of machine code. */
static void order_by_places(maker *m, const wl_ptx_segment *s, wl_op *ops, int32_t count, int copies)
{
    int32_t *at = malloc((size_t)count * sizeof *at), k = 0;
    for (int copy = 0; copy < copies && at; copy++)
        for (int32_t i = s->from; i < s->to; i++)
            if (!is_left_out(m, i, copy, copies) && k < count)
                at[k++] = m->in->counting->places[WL_PTX_ROUND * i + copy];
    m->failed = !at || !wl_ptx_early_by_places(&m->order, ops, count, m->ops->registers + 1, at);
    free(at);
    if (!m->failed)
        wl_ptx_early_apply(&m->order, ops, count);
}

static void hoist_loads(maker *m, const wl_ptx_segment *s, int32_t first, int32_t count, int copies)
{
    wl_op *ops = m->ops->list + first;
    if (m->failed || count == 0)
        return;
    if (m->in->counting && m->in->counting->places) {
        order_by_places(m, s, ops, count, copies);
        return;
    }
    m->failed = !wl_ptx_early_find(&m->order, ops, count, m->ops->registers + 1);
    if (m->failed)
        return;
    if (m->live.limit > 0)
        limit_loads(m, s, ops, count);
    wl_ptx_early_apply(&m->order, ops, count);
}

/* ---- segments ---- */

static bool ends_segment(const maker *m, int32_t at)
{
    const wl_ptx_instruction *in = &m->f->instructions[at];
    return in->op == WL_PTX_OP_call || in->op == WL_PTX_OP_bar || wl_ptx_is_barrier(in) || has_slow_path(m, at);
}

/* Whether the instruction belongs to the predicated body of a branch. */
static bool is_predicated(const maker *m, int32_t at) { return m->in->counting && m->in->counting->as[at] != at; }

/* By block: edges to it, except that from the preceding block. */
static int32_t *find_jumps(maker *m)
{
    const wl_ptx_flow *flow = &m->out->flow;
    int32_t *jumps = WL_ARENA_NEW(m->arena, int32_t, flow->block_count + 1);
    m->failed = m->failed || !jumps;
    for (int32_t from = 0; from < flow->block_count && jumps; from++)
        for (int32_t e = flow->edge_first[from]; e < flow->edge_first[from + 1]; e++)
            jumps[flow->edges[e]] += flow->edges[e] != from + 1;
    return jumps;
}

/* Do all warps reach a block from the preceding one, or by one branch around that one? Then it is
 * in the same loop, and no other branch leads to it. */
static bool follows_alone(const wl_ptx_flow *flow, const int32_t *jumps, int32_t block)
{
    const int32_t loop = flow->loop_of[block];
    return jumps[block] <= 1 && loop == flow->loop_of[block - 1] && (loop < 0 || flow->loops[loop].header != block);
}

static void find_segments(maker *m)
{
    const wl_ptx_flow *flow = &m->out->flow;
    const int32_t *jumps = find_jumps(m);
    for (int32_t i = 0; i < m->f->instruction_count && jumps; i++) {
        const bool block_starts = flow->first[flow->block_of[i]] == i;
        /* the body of a predicated branch, and what follows it */
        const bool joined = block_starts && i > 0 && (is_predicated(m, i) || is_predicated(m, i - 1)) &&
                            follows_alone(flow, jumps, flow->block_of[i]);
        const bool full = m->out->count > 0 && i - m->out->list[m->out->count - 1].from == SEGMENT_MAX;
        if (i == 0 || full || (block_starts && !joined) || ends_segment(m, i - 1))
            m->out->list[m->out->count++] = (wl_ptx_segment){.from = i};
        m->out->of[i] = m->out->count - 1;
        m->out->list[m->out->count - 1].to = i + 1;
    }
}

static void rename_nothing(maker *m)
{
    for (int32_t r = 0; r < m->f->register_count; r++)
        m->renamed[r] = m->base + r;
}

static void write_segment(maker *m, wl_ptx_segment *s)
{
    s->first = m->ops->count;
    for (int32_t i = s->from; i < s->to && !m->failed; i++)
        add_op(m, i, m->in->weight[i], true);
    s->count = m->ops->count - s->first;
    hoist_loads(m, s, s->first, s->count, 1);
}

/* Does it add a constant to a register? Copies of an unrolled loop fold that into their
 * addresses. */
static bool is_step(const wl_ptx_instruction *in)
{
    return (in->op == WL_PTX_OP_add || in->op == WL_PTX_OP_sub) && in->operand_count == 3 &&
           in->operands[0].kind == WL_PTX_OPERAND_REG && in->operands[1].kind == WL_PTX_OPERAND_REG &&
           in->operands[0].reg == in->operands[1].reg && !wl_ptx_type_is_float(in->type);
}

typedef struct first_use {
    uint8_t *seen; /* by register */
    bool written;  /* registers written; else registers read */
} first_use;

static void note_use(void *user, int32_t reg, bool written)
{
    first_use *u = user;
    if (!u->seen[reg] && written == u->written)
        u->seen[reg] = written ? WRITTEN_FIRST : READ_FIRST;
}

/* An instruction reads before it writes; with a guard, it may keep the old value. */
static void note_uses(const maker *m, const wl_ptx_instruction *in, first_use *u)
{
    for (int pass = 0; pass < (in->guard < 0 ? 2 : 1); pass++) {
        u->written = pass == 1;
        wl_ptx_registers_of(m->f, in, note_use, u);
    }
}

/* The operations of several trips: values used only within a trip have separate registers in each
 * copy. */
static void write_copies(maker *m, wl_ptx_segment *s)
{
    first_use u = {WL_ARENA_NEW(m->arena, uint8_t, m->f->register_count + 1), false};
    if (!u.seen) {
        m->failed = true;
        return;
    }
    for (int32_t i = s->from; i < s->to; i++)
        note_uses(m, &m->f->instructions[i], &u);
    s->many = m->ops->count;
    m->uses = u.seen;
    for (int copy = 0; copy < WL_PTX_ROUND && !m->failed; copy++) {
        m->last_copy = copy == WL_PTX_ROUND - 1;
        for (int32_t r = 0; r < m->f->register_count; r++)
            if (u.seen[r] == WRITTEN_FIRST)
                m->renamed[r] = new_register(m, r);
        for (int32_t i = s->from; i < s->to && !m->failed; i++) {
            const wl_ptx_instruction *in = &m->f->instructions[i];
            if (is_left_out(m, i, copy, WL_PTX_ROUND))
                continue; /* the weight of the branch is shared */
            const double weight = wl_ptx_branch_target(in) >= 0 ? WL_PTX_ROUND * m->in->weight[i] : m->in->weight[i];
            add_op(m, i, weight, !is_step(in) || m->last_copy);
        }
    }
    m->uses = NULL;
    rename_nothing(m);
    s->many_count = m->ops->count - s->many;
    hoist_loads(m, s, s->many, s->many_count, WL_PTX_ROUND);
}

static bool is_unrolled(const maker *m, const wl_ptx_segment *s)
{
    const int32_t last = s->to - 1;
    return m->in->counting && m->in->counting->unrolled[last] == last &&
           wl_ptx_branch_target(&m->f->instructions[last]) == s->from;
}

wl_status wl_ptx_segments_make(const wl_ptx_life_input *input, wl_arena *arena, wl_ptx_ops *ops, wl_ptx_segments *out,
                               wl_error *err)
{
    const wl_ptx_function *f = input->function;
    maker m = {.in = input, .f = f, .arena = arena, .ops = ops, .out = out};
    *out = (wl_ptx_segments){0};
    WL_TRY(wl_ptx_flow_make(f, arena, &out->flow, err));
    out->list = WL_ARENA_NEW(arena, wl_ptx_segment, f->instruction_count + 1);
    out->of = WL_ARENA_NEW(arena, int32_t, f->instruction_count + 1);
    m.renamed = WL_ARENA_NEW(arena, int32_t, f->register_count + 1);
    WL_TRY(wl_ptx_products_in_turn(f, &out->flow, arena, &m.in_turn, err));
    m.in_turn = m.in_turn || input->spilled != NULL; /* ptxas gives up on both */
    if (!out->list || !out->of || !m.renamed)
        return wl_fail_memory(err);
    if (input->registers > 0)
        WL_TRY(
            wl_ptx_liveness_make(f, &out->flow, (int32_t)wl_max(1, input->registers - RESERVED), arena, &m.live, err));
    m.base = ops->registers;
    m.async = m.base + f->register_count;
    m.copied = -1;
    ops->registers = m.async + 1;
    if (!note_origins(&m, 0, m.base, -1) || !note_origins(&m, m.base, f->register_count, 0) ||
        !note_origins(&m, m.async, 1, -1))
        m.failed = true;
    rename_nothing(&m);
    find_segments(&m);
    (void)make_room(&m, ops->count + f->instruction_count);
    for (int32_t i = 0; i < out->count && !m.failed; i++) {
        write_segment(&m, &out->list[i]);
        if (!m.failed && is_unrolled(&m, &out->list[i]))
            write_copies(&m, &out->list[i]);
    }
    wl_ptx_early_free(&m.order);
    free(m.origin);
    return m.failed ? wl_fail_memory(err) : WL_OK;
}
