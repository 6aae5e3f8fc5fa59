/* emulate_predicate.c - logic on predicates, selections, packing of registers, and operations
 * that are only counted.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/fail.h"

/* A source predicate, negated if the operand says so. */
static uint32_t predicate(const wl_ptx_frame *frame, const wl_ptx_step *s, int k)
{
    const uint32_t value = wl_ptx_predicate(frame, s->from[k]);
    return s->in->operands[k + 1].negated ? ~value : value;
}

/* and, or, xor, not, mov of predicates. A known false decides `and`, a known true decides `or`. */
static void run_logic(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint32_t a = predicate(frame, s, 0), b = predicate(frame, s, 1);
    const uint32_t ua = frame->unknown[s->from[0]], ub = frame->unknown[s->from[1]];
    uint32_t value = a, unknown = ua | ub;
    switch (s->in->op) {
    case WL_PTX_OP_and:
        value = a & b;
        unknown &= ~((~a & ~ua) | (~b & ~ub));
        break;
    case WL_PTX_OP_or:
        value = a | b;
        unknown &= ~((a & ~ua) | (b & ~ub));
        break;
    case WL_PTX_OP_xor: value = a ^ b; break;
    case WL_PTX_OP_not: value = ~a; break;
    default: break;
    }
    wl_ptx_write_predicate(frame, s->to, mask, value, unknown);
}

static uint32_t combined(uint32_t a, uint32_t b, wl_ptx_variant how)
{
    return how == WL_PTX_AND ? a & b : how == WL_PTX_OR ? a | b : how == WL_PTX_XOR ? a ^ b : a;
}

/* The comparison and its negation, each combined with a third predicate if there is one. */
static void compare(const wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t *yes, uint32_t *no, uint32_t *unknown)
{
    const uint64_t *const from[2] = {frame->value[s->from[0]], frame->value[s->from[1]]};
    const uint32_t test = wl_ptx_find_test(s->in)(from, s->in);
    const bool third = s->in->operand_count > 3;
    const uint32_t c = third ? predicate(frame, s, 2) : 0, uc = third ? frame->unknown[s->from[2]] : 0;
    const uint32_t ut = frame->unknown[s->from[0]] | frame->unknown[s->from[1]];
    const wl_ptx_variant how = third ? s->in->combine : WL_PTX_V_NONE;
    *yes = combined(test, c, how);
    *no = combined(~test, c, how);
    *unknown = ut | uc;
    if (how == WL_PTX_AND)
        *unknown &= ~((~c & ~uc) | (~test & ~ut));
    if (how == WL_PTX_OR)
        *unknown &= ~((c & ~uc) | (test & ~ut));
}

static void run_setp(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    uint32_t yes = 0, no = 0, unknown = 0;
    compare(frame, s, &yes, &no, &unknown);
    wl_ptx_write_predicate(frame, s->to, mask, yes, unknown);
    wl_ptx_write_predicate(frame, s->other, mask, no, unknown);
}

static void run_set(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    uint32_t yes = 0, no = 0, unknown = 0;
    uint64_t value[WL_PTX_LANES];
    const uint64_t one = s->in->type == WL_PTX_F32    ? wl_ptx_f32_bits(1)
                         : s->in->type == WL_PTX_F16  ? 0x3c00
                         : s->in->type == WL_PTX_BF16 ? 0x3f80
                                                      : UINT32_MAX;
    compare(frame, s, &yes, &no, &unknown);
    for (int i = 0; i < WL_PTX_LANES; i++)
        value[i] = yes >> i & 1 ? one : 0;
    wl_ptx_write(frame, s->to, mask, value, unknown);
}

static void run_selp(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *a = frame->value[s->from[0]], *b = frame->value[s->from[1]];
    const uint32_t chosen = predicate(frame, s, 2);
    const uint32_t either = frame->unknown[s->from[0]] | frame->unknown[s->from[1]];
    uint32_t open = frame->unknown[s->from[2]], unknown = 0;
    uint64_t value[WL_PTX_LANES];
    WL_PTX_FOR_LANES(lane, open & ~either) /* the same, whatever is chosen */
    {
        if (a[lane] == b[lane])
            open &= ~((uint32_t)1 << lane);
    }
    unknown = (frame->unknown[s->from[0]] & chosen) | (frame->unknown[s->from[1]] & ~chosen) | open;
    wl_ptx_choose(value, chosen, a, b);
    wl_ptx_write(frame, s->to, mask, value, unknown);
}

static void run_isspacep(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *address = frame->value[s->from[0]];
    uint32_t yes = 0;
    for (int i = 0; i < WL_PTX_LANES; i++)
        yes |= (uint32_t)(wl_ptx_space_at(address[i]) == s->in->space) << i;
    wl_ptx_write_predicate(frame, s->to, mask, yes, frame->unknown[s->from[0]]);
}

wl_ptx_compute wl_ptx_find_predicate(const wl_ptx_instruction *in)
{
    const bool of_predicates = in->type == WL_PTX_PRED;
    switch (in->op) {
    case WL_PTX_OP_and:
    case WL_PTX_OP_or:
    case WL_PTX_OP_xor:
    case WL_PTX_OP_not:
    case WL_PTX_OP_mov: return of_predicates ? run_logic : NULL;
    case WL_PTX_OP_setp:
    case WL_PTX_OP_testp: return wl_ptx_find_test(in) ? run_setp : NULL;
    case WL_PTX_OP_set: return wl_ptx_find_test(in) ? run_set : NULL;
    case WL_PTX_OP_selp: return run_selp;
    case WL_PTX_OP_isspacep: return run_isspacep;
    default: return wl_ptx_find_warp(in);
    }
}

/* ---- moves ---- */

static void run_pack(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const int32_t *list = frame->program->lists + s->list;
    const int bits = wl_ptx_type_bits(s->in->type) / s->elements;
    const uint64_t low = bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    uint64_t value[WL_PTX_LANES] = {0};
    uint32_t unknown = 0;
    for (int e = 0; e < s->elements; e++) {
        const uint64_t *from = frame->value[list[e]];
        for (int i = 0; i < WL_PTX_LANES; i++)
            value[i] |= (from[i] & low) << (bits * e & 63);
        unknown |= frame->unknown[list[e]];
    }
    wl_ptx_write(frame, s->to, mask, value, unknown);
}

static void run_unpack(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const int bits = wl_ptx_type_bits(s->in->type) / s->elements;
    const uint64_t low = bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    const uint32_t unknown = frame->unknown[s->from[0]];
    uint64_t whole[WL_PTX_LANES], value[WL_PTX_LANES];
    /* the source may be one of the destinations */
    memcpy(whole, frame->value[s->from[0]], sizeof whole);
    for (int e = 0; e < s->elements; e++) {
        for (int i = 0; i < WL_PTX_LANES; i++)
            value[i] = whole[i] >> (bits * e & 63) & low;
        wl_ptx_write(frame, frame->program->lists[s->list + e], mask, value, unknown);
    }
}

static void run_cvta(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *from = frame->value[s->from[0]];
    const uint64_t window = wl_ptx_window_of(s->in->space);
    const uint64_t shift = s->in->modifiers & WL_PTX_MOD_TO ? 0 - window : window;
    uint64_t value[WL_PTX_LANES];
    for (int i = 0; i < WL_PTX_LANES; i++)
        value[i] = from[i] + shift;
    wl_ptx_write(frame, s->to, mask, value, frame->unknown[s->from[0]]);
}

static void run_carry(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *const from[3] = {frame->value[s->from[0]], frame->value[s->from[1]], frame->value[s->from[2]]};
    const bool takes = s->in->op == WL_PTX_OP_addc || s->in->op == WL_PTX_OP_subc || s->in->op == WL_PTX_OP_madc;
    const uint32_t unknown = frame->unknown[s->from[0]] | frame->unknown[s->from[1]] | frame->unknown[s->from[2]] |
                             (takes ? frame->carry_unknown : 0);
    uint64_t value[WL_PTX_LANES];
    uint32_t carry = frame->carry;
    wl_ptx_apply_carry(value, from, s->in, &carry);
    wl_ptx_write(frame, s->to, mask, value, unknown);
    if (s->in->modifiers & WL_PTX_MOD_CC) {
        frame->carry = (frame->carry & ~mask) | (carry & mask);
        frame->carry_unknown = (frame->carry_unknown & ~mask) | (unknown & mask);
    }
}

wl_ptx_compute wl_ptx_find_move(const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_cvta)
        return run_cvta;
    if (in->op != WL_PTX_OP_mov)
        return run_carry;
    if (wl_ptx_type_bits(in->type) > 64)
        return NULL;
    return in->operands[0].kind == WL_PTX_OPERAND_VECTOR ? run_unpack : run_pack;
}

/* ---- clocks ---- */

bool wl_ptx_is_clock(const wl_ptx_operand *from)
{
    return from->kind == WL_PTX_OPERAND_SPECIAL &&
           (from->value == WL_PTX_CLOCK || from->value == WL_PTX_CLOCK64 || from->value == WL_PTX_GLOBALTIMER);
}

/* Time passes with instructions: so a program that waits for it goes on, and differences are not 0.
 * Programs must not take it for that of a GPU. */
#define STEP_CYCLES 4 /* an instruction that waits for the one before */
#define STEP_NS 2

wl_status wl_ptx_run_clock(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const int64_t steps = m->looked_before + m->looked_at;
    const int64_t time = steps * (s->in->operands[1].value == WL_PTX_GLOBALTIMER ? STEP_NS : STEP_CYCLES);
    (void)err;
    wl_ptx_write_same(m->frame, s->to, mask, wl_ptx_extended((uint64_t)time, s->in->type), false);
    return WL_OK;
}

wl_status wl_ptx_run_counted(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const wl_ptx_op op = s->in->op;
    if (s->wanted)
        wl_ptx_write_unknown(m->frame, s, mask);
    if (op == WL_PTX_OP_mma || op == WL_PTX_OP_wmma || op == WL_PTX_OP_wgmma || op == WL_PTX_OP_tcgen05_mma ||
        op == WL_PTX_OP_tcgen05_ld || op == WL_PTX_OP_tcgen05_st)
        return WL_OK; /* fragments are never computed */
    return wl_ptx_assume(m, s, WL_PTX_ASSUMED_RESULT, err);
}
