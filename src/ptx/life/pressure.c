/* pressure.c - see pressure.h. SPDX-License-Identifier: MIT */
#include "ptx/life/pressure.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/module/def_use.h"

bool wl_op_is_load(const wl_op *op)
{
    return op->kind == WL_OP_LOAD || op->kind == WL_OP_CONSTANT || (op->kind == WL_OP_SHARED && op->writes > 0);
}

bool wl_op_is_store(const wl_op *op, bool shared)
{
    return shared ? op->kind == WL_OP_SHARED && op->writes == 0 : op->kind == WL_OP_STORE || op->kind == WL_OP_ATOMIC;
}

/* ---- from where to where a register is live ---- */

typedef struct spans {
    const wl_ptx_flow *flow;
    int32_t *loop_first, *loop_last; /* by loop: its instructions */
    int32_t *first, *last, *written; /* by register; written: the last time, so far */
    int32_t now;
} spans;

static void note_access(void *user, int32_t reg, bool written)
{
    spans *s = user;
    if (s->first[reg] < 0)
        s->first[reg] = s->now;
    s->last[reg] = s->last[reg] > s->now ? s->last[reg] : s->now;
    if (written) {
        s->written[reg] = s->now;
        return;
    }
    /* a value from before a loop, or from its previous iteration, is live throughout the loop */
    for (int32_t l = s->flow->loop_of[s->flow->block_of[s->now]]; l >= 0; l = s->flow->loops[l].parent)
        if (s->written[reg] < s->loop_first[l]) {
            s->first[reg] = s->first[reg] < s->loop_first[l] ? s->first[reg] : s->loop_first[l];
            s->last[reg] = s->last[reg] > s->loop_last[l] ? s->last[reg] : s->loop_last[l];
        }
}

static void find_loops(const wl_ptx_flow *flow, spans *s)
{
    for (int32_t l = 0; l < flow->loop_count; l++) {
        s->loop_first[l] = flow->first[flow->block_count];
        s->loop_last[l] = 0;
    }
    for (int32_t b = 0; b < flow->block_count; b++)
        for (int32_t l = flow->loop_of[b]; l >= 0; l = flow->loops[l].parent) {
            if (flow->first[b] < s->loop_first[l])
                s->loop_first[l] = flow->first[b];
            if (flow->first[b + 1] - 1 > s->loop_last[l])
                s->loop_last[l] = flow->first[b + 1] - 1;
        }
}

/* Parameters, and addresses of global memory made of them: operands of constant memory. */
static bool is_parameter(const wl_ptx_function *f, const wl_ptx_def_use *uses, int32_t reg)
{
    const int32_t at = uses->definition[reg];
    const wl_ptx_instruction *in = at >= 0 ? &f->instructions[at] : NULL;
    return in && !uses->divergent[reg] && (in->space == WL_PTX_PARAM || in->op == WL_PTX_OP_cvta);
}

static uint8_t width_of(const wl_ptx_function *f, const wl_ptx_def_use *uses, int32_t reg)
{
    const int bits = wl_ptx_type_bits(f->registers[reg].type);
    return (uint8_t)(bits == 1 || is_parameter(f, uses, reg) ? 0 : (bits + 31) / 32);
}

static void add_up(const wl_ptx_function *f, const spans *s, wl_ptx_liveness *out)
{
    for (int32_t r = 0; r < f->register_count; r++)
        if (s->first[r] >= 0 && s->first[r] < s->last[r]) {
            out->at[s->first[r] + 1] += out->width[r];
            out->at[s->last[r] + 1] -= out->width[r];
        }
    for (int32_t i = 1; i <= f->instruction_count; i++)
        out->at[i] += out->at[i - 1];
}

static wl_status find_spans(const wl_ptx_function *f, const wl_ptx_flow *flow, wl_arena *arena, spans *out_spans,
                            wl_ptx_liveness *out, wl_error *err)
{
    spans s = {.flow = flow,
               .loop_first = WL_ARENA_NEW(arena, int32_t, flow->loop_count + 1),
               .loop_last = WL_ARENA_NEW(arena, int32_t, flow->loop_count + 1),
               .first = WL_ARENA_NEW(arena, int32_t, f->register_count + 1),
               .last = WL_ARENA_NEW(arena, int32_t, f->register_count + 1),
               .written = WL_ARENA_NEW(arena, int32_t, f->register_count + 1)};
    *out = (wl_ptx_liveness){.width = WL_ARENA_NEW(arena, uint8_t, f->register_count + 1),
                             .last = s.last,
                             .at = WL_ARENA_NEW(arena, int32_t, f->instruction_count + 2)};
    if (!s.loop_first || !s.loop_last || !s.first || !s.last || !s.written || !out->width || !out->at)
        return wl_fail_memory(err);
    for (int32_t r = 0; r < f->register_count; r++) {
        s.first[r] = s.last[r] = s.written[r] = -1;
    }
    find_loops(flow, &s);
    for (s.now = 0; s.now < f->instruction_count; s.now++)
        wl_ptx_registers_of(f, &f->instructions[s.now], note_access, &s);
    *out_spans = s;
    return WL_OK;
}

wl_status wl_ptx_liveness_make(const wl_ptx_function *f, const wl_ptx_flow *flow, int32_t limit, wl_arena *arena,
                               wl_ptx_liveness *out, wl_error *err)
{
    wl_ptx_def_use uses;
    spans s;
    WL_TRY(find_spans(f, flow, arena, &s, out, err));
    WL_TRY(wl_ptx_def_use_make(f, arena, &uses, err));
    for (int32_t r = 0; r < f->register_count; r++)
        out->width[r] = width_of(f, &uses, r);
    add_up(f, &s, out);
    out->limit = limit;
    return WL_OK;
}

/* ---- registers that are saved ---- */

/* Widths of the values that must be in registers of the lanes. */
static wl_status find_widths(const wl_ptx_function *f, wl_arena *arena, uint8_t *width, wl_error *err)
{
    wl_ptx_def_use uses;
    WL_TRY(wl_ptx_def_use_make(f, arena, &uses, err));
    for (int32_t r = 0; r < f->register_count; r++)
        width[r] = uses.divergent[r] ? width_of(f, &uses, r) : 0;
    return WL_OK;
}

static void note_use(void *user, int32_t reg, bool written)
{
    bool *used = user;
    (void)written;
    used[reg] = true;
}

static bool is_inside(const wl_ptx_flow *flow, int32_t instruction, int32_t loop)
{
    int32_t l = flow->loop_of[flow->block_of[instruction]];
    while (l >= 0 && l != loop)
        l = flow->loops[l].parent;
    return l == loop;
}

/* Registers that are live at an instruction of a loop, but not accessed in the loop. */
static int32_t passing_by(const wl_ptx_function *f, const spans *s, const wl_ptx_liveness *live, int32_t loop,
                          int32_t at, bool *used)
{
    int32_t words = 0;
    if (loop == s->flow->loop_count) /* outside of loops */
        return 0;
    memset(used, 0, (size_t)f->register_count * sizeof *used);
    for (int32_t i = s->loop_first[loop]; i <= s->loop_last[loop]; i++)
        if (is_inside(s->flow, i, loop))
            wl_ptx_registers_of(f, &f->instructions[i], note_use, used);
    for (int32_t r = 0; r < f->register_count; r++)
        if (!used[r] && s->first[r] >= 0 && s->first[r] < at && s->last[r] >= at)
            words += live->width[r];
    return words;
}

/* Does the order of instructions stay as it is there? */
static bool is_pinned(const wl_ptx_function *f, const spans *s, int32_t i)
{
    const int32_t loop = s->flow->loop_of[s->flow->block_of[i]];
    return f->instructions[i].op == WL_PTX_OP_wgmma || (loop >= 0 && i == s->loop_last[loop]);
}

static wl_status find_spills(const wl_ptx_function *f, const wl_ptx_flow *flow, int32_t limit, wl_arena *scratch,
                             wl_arena *arena, wl_ptx_spills *out, wl_error *err)
{
    wl_ptx_liveness live;
    spans s;
    WL_TRY(find_spans(f, flow, scratch, &s, &live, err));
    WL_TRY(find_widths(f, scratch, live.width, err));
    add_up(f, &s, &live);
    /* by innermost loop, the last: outside of loops. Where most are live, and how many */
    int32_t *where = WL_ARENA_NEW(scratch, int32_t, flow->loop_count + 1);
    bool *used = WL_ARENA_NEW(scratch, bool, f->register_count + 1);
    if (!where || !used)
        return wl_fail_memory(err);
    for (int32_t l = 0; l <= flow->loop_count; l++)
        where[l] = -1;
    for (int32_t i = 0; i < f->instruction_count; i++) {
        const int32_t inner = flow->loop_of[flow->block_of[i]], loop = inner < 0 ? flow->loop_count : inner;
        if (is_pinned(f, &s, i) && live.at[i] > limit && (where[loop] < 0 || live.at[i] > live.at[where[loop]]))
            where[loop] = i;
    }
    for (int32_t l = 0; l <= flow->loop_count; l++)
        if (where[l] >= 0 && live.at[where[l]] - passing_by(f, &s, &live, l, where[l], used) > limit) {
            if (!out->words && !(out->words = WL_ARENA_NEW(arena, int32_t, f->instruction_count + 1)))
                return wl_fail_memory(err);
            out->words[where[l]] = live.at[where[l]] - limit;
            out->most = out->words[where[l]] > out->most ? out->words[where[l]] : out->most;
        }
    return WL_OK;
}

wl_status wl_ptx_spills_find(const wl_ptx_function *f, const wl_ptx_flow *flow, int32_t limit, wl_arena *arena,
                             wl_ptx_spills *out, wl_error *err)
{
    wl_arena scratch = {0};
    *out = (wl_ptx_spills){0};
    const wl_status status = find_spills(f, flow, limit, &scratch, arena, out, err);
    wl_arena_free(&scratch);
    return status;
}

/* ---- a segment ---- */

typedef struct value {
    int32_t reads; /* reads that have not issued */
    uint8_t width;
    bool leaves; /* is read after the segment */
} value;

typedef struct scheduler {
    const wl_ptx_liveness *live;
    const wl_ptx_unordered *s;
    value *values;
    int32_t *slot;  /* by operation: the first of its values, in `of` */
    int32_t *of;    /* values that operations read, then those they write */
    int32_t *value; /* by register number: 1 + its current value; 0: none */
    bool *done;
    int32_t *order, issued;
    int32_t oldest; /* operations before it have issued */
    int32_t taken, limit;
} scheduler;

static uint8_t number_width(const scheduler *c, int32_t number)
{
    const int32_t reg = c->s->origin[number];
    return reg < 0 ? 0 : c->live->width[reg];
}

static void find_values(scheduler *c)
{
    const wl_ptx_unordered *s = c->s;
    int32_t values = 0, slots = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const wl_op *op = &s->ops[i];
        c->slot[i] = slots;
        for (int k = 0; k < op->reads + op->writes; k++) {
            int32_t *at = &c->value[op->regs[k]];
            if (k >= op->reads || *at == 0) {
                c->values[values] = (value){.width = number_width(c, op->regs[k])};
                *at = ++values;
            }
            c->of[slots++] = *at - 1;
            c->values[*at - 1].reads += k < op->reads;
        }
    }
    for (int32_t i = 0; i < s->count; i++)
        for (int k = 0; k < s->ops[i].reads + s->ops[i].writes; k++) {
            const int32_t number = s->ops[i].regs[k], reg = s->origin[number];
            if (c->value[number] > 0 && reg >= 0 && number == s->base + reg && c->live->last[reg] >= s->to)
                c->values[c->value[number] - 1].leaves = true;
            c->value[number] = 0;
        }
}

/* How many registers an operation occupies, minus those it frees. */
static int32_t growth(const scheduler *c, int32_t i)
{
    const wl_op *op = &c->s->ops[i];
    const int32_t *of = c->of + c->slot[i];
    int32_t more = 0;
    for (int k = 0; k < op->reads; k++) {
        int times = 0; /* reads of the value by this operation so far */
        for (int j = 0; j <= k; j++)
            times += of[j] == of[k];
        const value *v = &c->values[of[k]];
        more -= v->reads == times && !v->leaves ? v->width : 0;
    }
    for (int k = op->reads; k < op->reads + op->writes; k++)
        more += c->values[of[k]].reads > 0 || c->values[of[k]].leaves ? c->values[of[k]].width : 0;
    return more;
}

static void issue(scheduler *c, int32_t i)
{
    c->taken += growth(c, i);
    for (int k = 0; k < c->s->ops[i].reads; k++)
        c->values[c->of[c->slot[i] + k]].reads--;
    c->done[i] = true;
    c->order[c->issued++] = i;
}

/* The first operation in PTX order that has not issued; -1: only the end of the segment is left. */
static int32_t next_in_ptx(scheduler *c)
{
    while (c->oldest < c->s->count && (c->done[c->oldest] || c->s->rest[c->oldest] == 2))
        c->oldest++;
    return c->oldest < c->s->count ? c->oldest : -1;
}

/* PTX order is always possible: if it needs more registers than there are, the assembler has saved
 * some in a way that PTX does not show, and another order may use as many. */
static int32_t find_limit(const scheduler *c)
{
    int32_t taken = c->taken, most = c->live->limit;
    for (int32_t i = 0; i < c->s->count; i++) {
        taken += growth(c, i);
        for (int k = 0; k < c->s->ops[i].reads; k++)
            c->values[c->of[c->slot[i] + k]].reads--;
        most = taken > most ? taken : most;
    }
    for (int32_t i = 0; i < c->s->count; i++)
        for (int k = 0; k < c->s->ops[i].reads; k++)
            c->values[c->of[c->slot[i] + k]].reads++;
    return most;
}

static void schedule(scheduler *c, const int32_t *ahead)
{
    bool loading = false;
    c->taken = c->live->at[c->s->from];
    find_values(c);
    c->limit = find_limit(c);
    for (int32_t k = 0; k < c->s->count; k++) {
        const int32_t i = ahead[k];
        while (!c->done[i] && loading && c->s->rest[i] == 0 && c->taken + growth(c, i) > c->limit) {
            const int32_t next = next_in_ptx(c);
            if (next < 0)
                break;
            issue(c, next);
        }
        loading = loading || wl_op_is_load(&c->s->ops[i]);
        if (!c->done[i])
            issue(c, i);
    }
}

/* Could all values together take too many registers, with loads that can be delayed? */
static bool may_exceed(const wl_ptx_liveness *live, const wl_ptx_unordered *s, size_t *slots)
{
    int64_t most = live->at[s->from];
    int32_t loads = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const wl_op *op = &s->ops[i];
        *slots += (size_t)op->reads + op->writes;
        loads += op->kind == WL_OP_LOAD;
        for (int k = op->reads; k < op->reads + op->writes; k++)
            most += s->origin[op->regs[k]] < 0 ? 0 : live->width[s->origin[op->regs[k]]];
    }
    return loads > 1 && most > live->limit;
}

wl_status wl_ptx_limit_live(const wl_ptx_liveness *live, const wl_ptx_unordered *s, int32_t *order, wl_error *err)
{
    size_t slots = 0;
    if (!may_exceed(live, s, &slots))
        return WL_OK;
    int32_t *ahead = malloc(((size_t)s->count + 1) * sizeof *ahead);
    scheduler c = {.live = live,
                   .s = s,
                   .values = calloc(slots + 1, sizeof *c.values),
                   .slot = malloc(((size_t)s->count + 1) * sizeof *c.slot),
                   .of = calloc(slots + 1, sizeof *c.of),
                   .value = calloc((size_t)s->numbers + 1, sizeof *c.value),
                   .done = calloc((size_t)s->count + 1, sizeof *c.done),
                   .order = order};
    const bool there = ahead && c.values && c.slot && c.of && c.value && c.done;
    if (there) {
        memcpy(ahead, order, (size_t)s->count * sizeof *ahead);
        schedule(&c, ahead);
    }
    free(ahead);
    free(c.values);
    free(c.slot);
    free(c.of);
    free(c.value);
    free(c.done);
    return there ? WL_OK : wl_fail_memory(err);
}
