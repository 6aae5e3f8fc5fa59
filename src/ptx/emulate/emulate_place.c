/* emulate_place.c - control flow that depends only on the position of a block, and linearly.
 *
 * Suppose that every comparison that decides the control flow compares linear combinations of the
 * block's coordinates. If each has the same result at all corners of a box of blocks, it has that
 * result in the whole box: all its blocks execute the same. A run can keep a signature of the
 * results of these comparisons: less, equal or greater.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/fail.h"
#include "base/hash.h"
#include "ptx/module/def_use.h"

/* How a register depends on the coordinates of the block. */
typedef enum dependence { FIXED, EVEN, OTHER } dependence;

typedef struct places {
    const wl_ptx_program *program;
    uint8_t *of; /* by register */
    int inputs;  /* that are not FIXED */
    dependence most, result;
    bool changed;
} places;

static void look_at(void *user, int32_t reg, bool written)
{
    places *p = user;
    if (written || p->of[reg] == FIXED)
        return;
    p->inputs++;
    p->most = p->of[reg] > p->most ? (dependence)p->of[reg] : p->most;
}

static void set(void *user, int32_t reg, bool written)
{
    places *p = user;
    if (!written || p->of[reg] >= p->result)
        return;
    p->of[reg] = (uint8_t)p->result;
    p->changed = true;
}

static dependence of_operand(const places *p, const wl_ptx_operand *o)
{
    if (o->kind == WL_PTX_OPERAND_SPECIAL) {
        const int64_t s = o->value;
        const bool fixed = s <= WL_PTX_NTID_Z || (s >= WL_PTX_NCTAID_X && s <= WL_PTX_WARPID) ||
                           (s >= WL_PTX_LANEMASK_EQ && s <= WL_PTX_LANEMASK_GT) || s == WL_PTX_DYNAMIC_SMEM ||
                           s == WL_PTX_TOTAL_SMEM;
        return fixed ? FIXED : s >= WL_PTX_CTAID_X && s <= WL_PTX_CTAID_Z ? EVEN : OTHER;
    }
    return o->kind == WL_PTX_OPERAND_REG && o->reg >= 0 ? (dependence)p->of[o->reg] : FIXED;
}

static bool is_integer(wl_ptx_type type)
{
    return (type >= WL_PTX_B16 && type <= WL_PTX_B64) || (type >= WL_PTX_U16 && type <= WL_PTX_U64) ||
           (type >= WL_PTX_S16 && type <= WL_PTX_S64);
}

static bool narrows(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_cvt && wl_ptx_type_bits(in->type) < wl_ptx_type_bits(in->from);
}

/* An unsigned number that is widened: the result is linear unless the number has wrapped around, so
 * its sign is recorded. */
static bool loses_sign(const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_cvt)
        return wl_ptx_type_bits(in->type) > wl_ptx_type_bits(in->from) && !wl_ptx_type_is_signed(in->from);
    return (in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_mad) && in->modifiers & WL_PTX_MOD_WIDE &&
           !wl_ptx_type_is_signed(in->type);
}

/* The dependence of a result if some input is EVEN and none is OTHER. Comparisons are recorded, so
 * their results are the same for equal signatures. */
static dependence result_of(const places *p, int32_t instruction)
{
    const wl_ptx_instruction *in = &p->program->function->instructions[instruction];
    const wl_ptx_operand *o = in->operands;
    if (in->modifiers & (WL_PTX_MOD_CC | WL_PTX_MOD_HI | WL_PTX_MOD_SAT))
        return OTHER;
    switch (in->op) {
    case WL_PTX_OP_mov:
    case WL_PTX_OP_cvta: return o[0].kind == WL_PTX_OPERAND_REG && o[1].kind != WL_PTX_OPERAND_VECTOR ? EVEN : OTHER;
    case WL_PTX_OP_cvt: return is_integer(in->type) && is_integer(in->from) && !narrows(in) ? EVEN : OTHER;
    case WL_PTX_OP_add:
    case WL_PTX_OP_sub:
    case WL_PTX_OP_neg:
    case WL_PTX_OP_not: return is_integer(in->type) ? EVEN : OTHER;
    case WL_PTX_OP_mul:
    case WL_PTX_OP_mad:
        return is_integer(in->type) && !loses_sign(in) &&
                       (of_operand(p, &o[1]) == FIXED || of_operand(p, &o[2]) == FIXED)
                   ? EVEN
                   : OTHER;
    case WL_PTX_OP_shl: return of_operand(p, &o[2]) == FIXED ? EVEN : OTHER;
    case WL_PTX_OP_selp:
    case WL_PTX_OP_shfl: return EVEN;
    case WL_PTX_OP_setp:
        return p->program->steps[instruction].kind == WL_PTX_STEP_TEST && is_integer(in->type) ? FIXED : OTHER;
    default: return OTHER;
    }
}

static dependence examine(places *p, int32_t instruction)
{
    const wl_ptx_function *f = p->program->function;
    const wl_ptx_instruction *in = &f->instructions[instruction];
    p->inputs = 0;
    p->most = FIXED;
    wl_ptx_registers_of(f, in, look_at, p);
    for (int k = 1; k < in->operand_count; k++) {
        const dependence d = of_operand(p, &in->operands[k]);
        p->most = d > p->most ? d : p->most;
    }
    return p->most;
}

static wl_status find(wl_ptx_machine *m, wl_ptx_program *program, wl_arena *scratch, bool *even, wl_error *err)
{
    const wl_ptx_function *f = program->function;
    places p = {.program = program, .of = WL_ARENA_NEW(scratch, uint8_t, f->register_count + 1), .changed = true};
    if (!p.of)
        return wl_fail_memory(err);
    *even = true;
    while (p.changed && *even) {
        p.changed = false;
        for (int32_t i = 0; i < f->instruction_count && *even; i++) {
            /* a bulk copy writes no register */
            if (program->flow_only[i].idle || f->instructions[i].op == WL_PTX_OP_cp_bulk || examine(&p, i) == FIXED)
                continue;
            p.result = p.most == OTHER ? OTHER : result_of(&p, i);
            *even = p.result != OTHER;
            if (f->instructions[i].op == WL_PTX_OP_setp || loses_sign(&f->instructions[i])) {
                wl_ptx_step *s = wl_ptx_own_step(m, program, program->flow_only, i);
                if (!s)
                    return wl_fail_memory(err);
                s->place = true;
            }
            wl_ptx_registers_of(f, &f->instructions[i], set, &p);
        }
    }
    return WL_OK;
}

wl_status wl_ptx_find_places(wl_ptx_machine *m, wl_ptx_program *program, wl_error *err)
{
    wl_arena scratch = {0};
    program->even = false;
    if (program->reads_data || program->flow_only == program->all)
        return WL_OK;
    const wl_status status = find(m, program, &scratch, &program->even, err);
    wl_arena_free(&scratch);
    return status;
}

/* How the operands of a comparison compare, by lane: 0 or 1. */
typedef struct order {
    uint8_t less[WL_PTX_LANES], equal[WL_PTX_LANES], first_negative[WL_PTX_LANES], second_negative[WL_PTX_LANES];
} order;

static void compare(const uint64_t *a, const uint64_t *b, int bits, order *o)
{
    WL_PTX_EACH_LANE
    {
        const int64_t x = wl_ptx_as_signed(a[i], bits), y = wl_ptx_as_signed(b[i], bits);
        o->less[i] = (uint8_t)(x < y);
        o->equal[i] = (uint8_t)(x == y);
        o->first_negative[i] = (uint8_t)(x < 0);
        o->second_negative[i] = (uint8_t)(y < 0);
    }
}

/* The same for the usual 32-bit numbers, several at a time. */
static void compare_32(const uint64_t *a, const uint64_t *b, order *o)
{
    WL_PTX_EACH_LANE
    {
        const int32_t x = (int32_t)a[i], y = (int32_t)b[i];
        o->less[i] = (uint8_t)(x < y);
        o->equal[i] = (uint8_t)(x == y);
        o->first_negative[i] = (uint8_t)(x < 0);
        o->second_negative[i] = (uint8_t)(y < 0);
    }
}

static uint64_t pair(const uint8_t *high, const uint8_t *low, uint32_t mask)
{
    return (uint64_t)(wl_ptx_bits_of(high) & mask) << 32 | (wl_ptx_bits_of(low) & mask);
}

/* Also records signs: an unsigned number that has wrapped around is no longer linear. */
void wl_ptx_record_place(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *a = m->frame->value[s->from[0]], *b = m->frame->value[s->from[1]];
    const int bits = wl_ptx_type_bits(s->in->op == WL_PTX_OP_cvt ? s->in->from : s->in->type);
    order o;
    if (bits == 32)
        compare_32(a, b, &o);
    else
        compare(a, b, bits, &o);
    uint64_t hash = wl_hash_word((uint64_t)(uint32_t)m->warp->number << 40 ^ m->warp->executed);
    hash = wl_hash_word(hash ^ pair(o.less, o.equal, mask));
    m->tally.signature += wl_hash_word(hash ^ pair(o.first_negative, o.second_negative, mask));
}
