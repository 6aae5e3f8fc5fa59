/* recover_execute.c - executes one instruction symbolically: its memory accesses and results.
 * See recover_internal.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/recover_internal.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/module/def_use.h"
#include "ptx/module/tensor.h"
#include "ptx/recover/loop_rolling.h"

#define BYTES_MAX 32 /* per access of a kernel file */

/* ---- what is not known ---- */

typedef struct search {
    const wl_ptx_executor *r;
    bool any;
    wl_ptx_cause cause;
} search;

static void look_at(void *user, int32_t reg, bool written)
{
    search *s = user;
    if (written || reg < 0 || s->r->values.registers[reg])
        return;
    if (!s->any || s->r->unknown[reg].why < s->cause.why)
        s->cause = s->r->unknown[reg];
    s->any = true;
}

wl_ptx_cause wl_ptx_cause_of(const wl_ptx_executor *r, int32_t pc)
{
    const wl_ptx_instruction *in = &r->f->instructions[pc];
    search s = {r, false, {WL_PTX_WHY_OPERATION, pc}};
    wl_ptx_registers_of(r->f, in, look_at, &s);
    const bool is_float = wl_ptx_type_is_float(in->type) && in->op != WL_PTX_OP_ld;
    if (!s.any && is_float)
        s.cause.why = WL_PTX_WHY_FLOAT;
    return s.cause;
}

/* This execution of the instruction is traced. */
static void trace(wl_ptx_executor *r, int32_t pc, wl_ptx_cause cause)
{
    wl_ptx_trace(r->out, pc, cause);
    r->any_traced = true;
}

/* ---- memory ---- */

static wl_status add_step(wl_ptx_executor *r, int32_t pc, bool store, wl_ptx_space space, const wl_symbol *address,
                          const wl_symbol *when)
{
    wl_ptx_recovery *o = r->out;
    if (o->step_count == WL_PTX_STEPS_MAX || wl_ptx_is_left_behind(r, pc, when)) /* past_limits */
        return WL_OK;
    if (!WL_ARENA_ROOM(r->arena, o->steps, o->step_count, o->step_room))
        return wl_fail_memory(r->err);
    o->steps[o->step_count++] = (wl_ptx_thread_access){pc, store, space, address, when, r->kept};
    /* verification evaluates them for many threads */
    r->work += address->size + (when ? when->size : 0);
    return WL_OK;
}

/* The state space that a generic address points to. */
static wl_ptx_space space_of(const wl_ptx_executor *r, wl_ptx_space named, const wl_symbol *address)
{
    if (named != WL_PTX_GENERIC || !address)
        return named;
    return wl_ptx_buffer_near(r->launch->arguments, (uint64_t)address->c) ? WL_PTX_GLOBAL : WL_PTX_GENERIC;
}

static wl_status touch(wl_ptx_executor *r, int32_t pc, const wl_ptx_operand *at, wl_ptx_space named, bool store,
                       const wl_symbol *when)
{
    if (named == WL_PTX_LOCAL || ((named == WL_PTX_PARAM || named == WL_PTX_CONST) && at->reg < 0))
        return WL_OK;
    const wl_symbol *address = wl_ptx_address_value(&r->values, at);
    if (named == WL_PTX_PARAM || named == WL_PTX_CONST) { /* how many addresses its lanes have */
        if (!address || !wl_ptx_is_uniform(address))
            trace(r, pc, wl_ptx_cause_of(r, pc));
        return WL_OK;
    }
    const wl_ptx_space space = space_of(r, named, address);
    /* the constant of the address says which buffer it is in */
    const bool is_nowhere =
        address && space == WL_PTX_GLOBAL && !wl_ptx_buffer_near(r->launch->arguments, (uint64_t)address->c);
    if (!address || is_nowhere || space == WL_PTX_GENERIC || wl_ptx_access_bytes(&r->f->instructions[pc]) > BYTES_MAX) {
        const bool is_unknown = at->reg >= 0 && !r->values.registers[at->reg];
        trace(r, pc,
              is_unknown ? r->unknown[at->reg] : (wl_ptx_cause){address ? WL_PTX_WHY_OPERATION : WL_PTX_WHY_LONG, pc});
        return WL_OK;
    }
    return add_step(r, pc, store, space, address, when);
}

/* The offset of a parameter of the entry in parameter space; -1: not one of its parameters. */
static int64_t param_place(const wl_ptx_executor *r, const wl_ptx_operand *at)
{
    int64_t place;
    for (int i = 0; i < r->f->param_count; i++)
        if (r->f->params[i] == wl_ptx_variable_of(at) && at->reg < 0)
            return wl_add(r->launch->arguments->param_offset[i], at->value, &place) ? place : -1;
    return -1;
}

/* The loaded value if the arguments determine it: parameters, and constant memory at known
 * addresses. */
static const wl_symbol *loaded(const wl_ptx_executor *r, const wl_ptx_instruction *in, const wl_ptx_operand *at,
                               int element)
{
    const wl_ptx_arguments *a = r->launch->arguments;
    const int bytes = wl_ptx_type_bits(in->type) / 8;
    const wl_symbol *address = in->space == WL_PTX_PARAM ? NULL : wl_ptx_address_value(&r->values, at);
    uint8_t data[8] = {0};
    if (bytes < 1 || bytes > 8 || wl_ptx_type_is_float(in->type))
        return NULL;
    if (in->space == WL_PTX_PARAM) {
        const int64_t place = param_place(r, at);
        if (place < 0 || place + (element + 1) * bytes > a->param_bytes)
            return NULL;
        memcpy(data, a->params + place + element * bytes, (size_t)bytes);
    } else {
        if (!address || !wl_sym_is_const(address))
            return NULL;
        const uint64_t place = (uint64_t)address->c + (uint64_t)(element * bytes);
        const wl_ptx_buffer *buffer = in->space == WL_PTX_CONST ? wl_ptx_buffer_at(a, place) : NULL;
        if (!buffer || (int64_t)(place - buffer->base) > buffer->bytes - bytes ||
            !wl_ptx_buffer_read(buffer, (int64_t)(place - buffer->base), bytes, data))
            return NULL;
    }
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | data[i];
    const int unused = 64 - 8 * bytes;
    return wl_sym_const(r->values.symbols, (int64_t)(value << unused) >> unused);
}

/* ---- results ---- */

static void set(wl_ptx_executor *r, int32_t reg, const wl_symbol *value, const wl_symbol *condition,
                wl_ptx_cause if_unknown)
{
    if (reg < 0)
        return;
    if (!condition || r->values.registers[reg])
        r->unknown[reg] = if_unknown;
    r->values.registers[reg] =
        condition ? wl_sym_select(r->values.symbols, condition, value, r->values.registers[reg]) : value;
}

static void set_unknown(wl_ptx_executor *r, int32_t reg, wl_ptx_cause cause)
{
    r->values.registers[reg] = NULL;
    r->unknown[reg] = cause;
}

void wl_ptx_set_result_unknown(wl_ptx_executor *r, const wl_ptx_instruction *in, wl_ptx_cause cause)
{
    const wl_ptx_operand *to = &in->operands[0];
    if (in->operand_count == 0 || !wl_ptx_writes_first(in))
        return;
    if (to->kind == WL_PTX_OPERAND_REG) {
        set_unknown(r, to->reg, cause);
        if (wl_ptx_second_of(to) >= 0)
            set_unknown(r, wl_ptx_second_of(to), cause);
    }
    for (int i = 0; to->kind == WL_PTX_OPERAND_VECTOR && i < to->count; i++)
        if (r->f->lists[to->first + i].kind == WL_PTX_OPERAND_REG)
            set_unknown(r, r->f->lists[to->first + i].reg, cause);
}

static void load_results(wl_ptx_executor *r, const wl_ptx_instruction *in, const wl_symbol *condition,
                         wl_ptx_cause by_data)
{
    const wl_ptx_operand *to = &in->operands[0];
    if (to->kind == WL_PTX_OPERAND_REG)
        set(r, to->reg, loaded(r, in, &in->operands[1], 0), condition, by_data);
    for (int i = 0; to->kind == WL_PTX_OPERAND_VECTOR && i < to->count; i++)
        if (r->f->lists[to->first + i].kind == WL_PTX_OPERAND_REG)
            set(r, r->f->lists[to->first + i].reg, loaded(r, in, &in->operands[1], i), condition, by_data);
}

/* mov of 64 bits to two 32-bit registers. */
static void unpack(wl_ptx_executor *r, const wl_ptx_instruction *in, wl_ptx_cause if_unknown)
{
    wl_symbols *s = r->values.symbols;
    const wl_ptx_operand *to = &in->operands[0];
    const wl_symbol *whole = wl_ptx_operand_value(&r->values, &in->operands[1]);
    for (int i = 0; i < to->count; i++) {
        const wl_ptx_operand *part = &r->f->lists[to->first + i];
        if (part->kind != WL_PTX_OPERAND_REG)
            continue;
        const bool halves = to->count == 2 && wl_ptx_type_bits(in->type) == 64;
        r->unknown[part->reg] = if_unknown;
        r->values.registers[part->reg] = !halves ? NULL
                                         : i     ? wl_sym_div(s, whole, wl_sym_const(s, (int64_t)1 << 32))
                                                 : whole;
    }
}

/* Conjunction of two conditions, NULL: all lanes. The access is traced if it cannot be written. */
static const wl_symbol *conjunction(wl_ptx_executor *r, int32_t pc, const wl_symbol *when, const wl_symbol *condition)
{
    const wl_symbol *both = when && condition ? wl_sym_both(r->values.symbols, when, condition)
                            : when            ? when
                                              : condition;
    if (!both && (when || condition))
        trace(r, pc, (wl_ptx_cause){WL_PTX_WHY_LONG, pc});
    return both;
}

static const wl_symbol *lane_of(wl_ptx_executor *r)
{
    const wl_ptx_operand lane = {.kind = WL_PTX_OPERAND_SPECIAL, .value = WL_PTX_LANEID};
    return wl_ptx_operand_value(&r->values, &lane);
}

/* The lanes whose addresses ldmatrix and stmatrix use: eight per matrix. */
static const wl_symbol *rows_of(wl_ptx_executor *r, int32_t pc, const wl_symbol *when)
{
    wl_symbols *s = r->values.symbols;
    const wl_ptx_instruction *in = &r->f->instructions[pc];
    const wl_ptx_operand *moved = &in->operands[in->op == WL_PTX_OP_stmatrix ? 1 : 0];
    const int matrices = moved->kind == WL_PTX_OPERAND_VECTOR ? moved->count : 1;
    if (8 * matrices >= WL_PTX_LANES)
        return when;
    const wl_symbol *last = wl_sym_const(s, 8 * matrices - 1);
    const wl_symbol *takes_part = wl_sym_not_negative(s, wl_sym_sub(s, last, lane_of(r)));
    return conjunction(r, pc, when, takes_part);
}

/* One piece of a matrix: each lane has a line and a place in it (tensor.h). */
static wl_status touch_piece(wl_ptx_executor *r, int32_t pc, const wl_ptx_tile *t, const wl_symbol *base,
                             const wl_symbol *stride, int line, int place, const wl_symbol *when)
{
    wl_symbols *s = r->values.symbols;
    const wl_ptx_instruction *in = &r->f->instructions[pc];
    const wl_symbol *lane = lane_of(r), *lanes = wl_sym_const(s, WL_PTX_LINE_LANES);
    const wl_symbol *row = wl_sym_add(s, wl_sym_div(s, lane, lanes), wl_sym_const(s, line));
    const wl_symbol *column = wl_sym_scale(s, wl_sym_mod(s, lane, lanes), t->bytes);
    column = wl_sym_add(s, column, wl_sym_const(s, place));
    const wl_symbol *of_line = wl_sym_mul(s, row, stride);
    const wl_symbol *address = wl_sym_add(s, base, wl_sym_scale(s, of_line, t->bits / 8));
    address = wl_sym_add(s, address, column);
    const bool is_whole =
        line + WL_PTX_PIECE_LINES <= t->lines && place + WL_PTX_LINE_LANES * t->bytes <= t->line_bytes;
    const wl_ptx_space space = space_of(r, in->space, base);
    if (!address || !is_whole || space == WL_PTX_GENERIC) {
        trace(r, pc, wl_ptx_cause_of(r, pc));
        return WL_OK;
    }
    return add_step(r, pc, in->op == WL_PTX_OP_wmma_store, space, address, when);
}

/* wmma.load, wmma.store: all lanes of a warp give the same address. */
static wl_status touch_tile(wl_ptx_executor *r, int32_t pc, const wl_symbol *when)
{
    wl_symbols *s = r->values.symbols;
    const wl_ptx_instruction *in = &r->f->instructions[pc];
    wl_ptx_tile t;
    if (!wl_ptx_tile_of(in, &t)) {
        trace(r, pc, (wl_ptx_cause){WL_PTX_WHY_OPERATION, pc});
        return WL_OK;
    }
    const wl_symbol *base = wl_ptx_address_value(&r->values, &in->operands[in->op == WL_PTX_OP_wmma_load ? 1 : 0]);
    const wl_symbol *stride = in->operand_count > 2
                                  ? wl_sym_wrap(s, wl_ptx_operand_value(&r->values, &in->operands[2]), 32, false)
                                  : wl_sym_const(s, t.line_elements);
    for (int line = 0; line < t.lines; line += WL_PTX_PIECE_LINES)
        for (int place = 0; place < t.line_bytes; place += WL_PTX_LINE_LANES * t.bytes)
            WL_TRY(touch_piece(r, pc, &t, base, stride, line, place, when));
    return WL_OK;
}

wl_status wl_ptx_execute_instruction(wl_ptx_executor *r, int32_t pc, const wl_symbol *condition)
{
    const wl_ptx_instruction *in = &r->f->instructions[pc];
    const wl_symbol *when = conjunction(r, pc, r->when, condition);
    const wl_symbol *other;
    const wl_ptx_cause by_data = {WL_PTX_WHY_DATA, pc}, by_operation = {WL_PTX_WHY_OPERATION, pc};
    switch (in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
        WL_TRY(touch(r, pc, &in->operands[1], in->space, false, when));
        load_results(r, in, condition, by_data);
        return WL_OK;
    case WL_PTX_OP_st: return touch(r, pc, &in->operands[0], in->space, true, when);
    case WL_PTX_OP_red: return touch(r, pc, &in->operands[0], in->space, true, when);
    case WL_PTX_OP_atom:
        wl_ptx_set_result_unknown(r, in, by_data);
        return touch(r, pc, &in->operands[1], in->space, true, when);
    case WL_PTX_OP_cp_async:
        WL_TRY(touch(r, pc, &in->operands[1], WL_PTX_GLOBAL, false, when));
        return touch(r, pc, &in->operands[0], WL_PTX_SHARED, true, when);
    case WL_PTX_OP_ldmatrix: /* each of those lanes holds the address of a row */
        wl_ptx_set_result_unknown(r, in, by_data);
        return touch(r, pc, &in->operands[1], in->space, false, rows_of(r, pc, when));
    case WL_PTX_OP_wmma_load:
    case WL_PTX_OP_wmma_store: wl_ptx_set_result_unknown(r, in, by_data); return touch_tile(r, pc, when);
    case WL_PTX_OP_stmatrix:
        if (!wl_ptx_has_part(in, ".m16"))
            return touch(r, pc, &in->operands[0], in->space, true, rows_of(r, pc, when));
        trace(r, pc, by_operation);
        return WL_OK;
    case WL_PTX_OP_cp_bulk:
    case WL_PTX_OP_st_async:
        trace(r, pc, by_operation);
        wl_ptx_set_result_unknown(r, in, by_operation);
        return WL_OK;
    case WL_PTX_OP_tex: /* texels are stored in blocks, and coordinates are mostly floats */
    case WL_PTX_OP_suld:
    case WL_PTX_OP_sust:
        if (r->launch->arguments->has_textures)
            trace(r, pc, by_operation);
        wl_ptx_set_result_unknown(r, in, by_data);
        return WL_OK;
    case WL_PTX_OP_call:
        r->any_traced = true;
        r->out->calls = true;
        r->out->uniform = false;
        return WL_OK;
    case WL_PTX_OP_bar:
    case WL_PTX_OP_barrier_cluster:
        if (!wl_ptx_counts_in_loops(r, condition))
            return WL_OK;
        r->out->barriers += wl_ptx_is_barrier(in);
        if (in->modifiers & WL_PTX_MOD_RED)
            wl_ptx_set_result_unknown(r, in, wl_ptx_cause_of(r, pc));
        return WL_OK;
    case WL_PTX_OP_mov:
        if (in->operands[0].kind == WL_PTX_OPERAND_VECTOR) {
            unpack(r, in, wl_ptx_cause_of(r, pc));
            return WL_OK;
        }
        break;
    default: break;
    }
    if (in->operand_count == 0 || in->operands[0].kind != WL_PTX_OPERAND_REG || !wl_ptx_writes_first(in)) {
        wl_ptx_set_result_unknown(r, in, wl_ptx_cause_of(r, pc));
        return WL_OK;
    }
    const int64_t too_long = r->values.symbols->too_long;
    const wl_symbol *value = wl_ptx_result(&r->values, in, &other);
    wl_ptx_cause cause =
        value && (other || wl_ptx_second_of(&in->operands[0]) < 0) ? by_operation : wl_ptx_cause_of(r, pc);
    if (cause.at == pc && (value || r->values.symbols->too_long > too_long))
        cause.why = WL_PTX_WHY_LONG;
    set(r, in->operands[0].reg, value, condition, cause);
    set(r, wl_ptx_second_of(&in->operands[0]), other, condition, cause);
    return WL_OK;
}
