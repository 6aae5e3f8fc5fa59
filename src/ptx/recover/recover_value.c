/* recover_value.c - see recover_value.h.
 * Layer  ptx/recover. SPDX-License-Identifier: MIT */
#include "ptx/recover/recover_value.h"

#include "base/ckd.h"
#include "ptx/recover/symbol_internal.h"

/* Atoms are numbered at creation and sums are sorted by number. Each operand that may create atoms
 * is therefore a separate statement, since C does not define the order in which arguments are
 * evaluated. */

/* ---- operands ---- */

static const wl_symbol *thread_number(wl_symbols *s)
{
    const wl_symbol *z = wl_sym_var(s, WL_VAR_THREAD_Z), *height = wl_sym_var(s, WL_VAR_BLOCKDIM_Y);
    const wl_symbol *plane = wl_sym_mul(s, z, height);
    const wl_symbol *rows = wl_sym_add(s, wl_sym_var(s, WL_VAR_THREAD_Y), plane);
    const wl_symbol *x = wl_sym_var(s, WL_VAR_THREAD_X);
    if (s->block[1] == 1 && s->block[2] == 1)
        return x;
    return wl_sym_add(s, x, wl_sym_mul(s, rows, wl_sym_var(s, WL_VAR_BLOCKDIM_X)));
}

static const wl_symbol *special_value(wl_symbols *s, wl_ptx_special special)
{
    if (special <= WL_PTX_TID_Z)
        return wl_sym_var(s, (wl_var)(WL_VAR_THREAD_X + (special - WL_PTX_TID_X)));
    if (special <= WL_PTX_NTID_Z)
        return wl_sym_var(s, (wl_var)(WL_VAR_BLOCKDIM_X + (special - WL_PTX_NTID_X)));
    if (special <= WL_PTX_CTAID_Z)
        return wl_sym_var(s, (wl_var)(WL_VAR_BLOCK_X + (special - WL_PTX_CTAID_X)));
    if (special <= WL_PTX_NCTAID_Z)
        return wl_sym_var(s, (wl_var)(WL_VAR_GRIDDIM_X + (special - WL_PTX_NCTAID_X)));
    if (special == WL_PTX_LANEID)
        return wl_sym_mod(s, thread_number(s), wl_sym_const(s, WL_PTX_LANES));
    if (special == WL_PTX_WARPID)
        return wl_sym_div(s, thread_number(s), wl_sym_const(s, WL_PTX_LANES));
    return NULL;
}

const wl_symbol *wl_ptx_operand_value(const wl_ptx_values *v, const wl_ptx_operand *o)
{
    switch (o->kind) {
    case WL_PTX_OPERAND_REG: return v->registers[o->reg];
    case WL_PTX_OPERAND_IMMEDIATE: return wl_sym_const(v->symbols, o->value);
    case WL_PTX_OPERAND_SPECIAL: return special_value(v->symbols, (wl_ptx_special)o->value);
    case WL_PTX_OPERAND_VARIABLE:
        return wl_sym_add(v->symbols, wl_sym_const(v->symbols, o->value),
                          wl_sym_const(v->symbols, (int64_t)v->launch->arguments->variable_address[o->variable]));
    default: return NULL;
    }
}

const wl_symbol *wl_ptx_address_value(const wl_ptx_values *v, const wl_ptx_operand *o)
{
    const wl_symbol *offset = wl_sym_const(v->symbols, o->value);
    const int32_t variable = wl_ptx_variable_of(o);
    if (variable >= 0)
        offset = wl_sym_add(v->symbols, offset,
                            wl_sym_const(v->symbols, (int64_t)v->launch->arguments->variable_address[variable]));
    if (o->reg < 0)
        return offset;
    const wl_symbol *sum = wl_sym_add(v->symbols, v->registers[o->reg], offset);
    /* a base below 0 and an offset that brings it back: sums of 32 bits wrap around */
    return wl_ptx_type_bits(v->launch->entry->registers[o->reg].type) == 32 ? wl_sym_wrap(v->symbols, sum, 32, false)
                                                                            : sum;
}

/* ---- arithmetic ---- */

static const wl_symbol *as(const wl_ptx_values *v, const wl_symbol *a, wl_ptx_type type)
{
    return wl_sym_wrap(v->symbols, a, wl_ptx_type_bits(type), wl_ptx_type_is_signed(type));
}

static const wl_symbol *unsigned_bits(const wl_ptx_values *v, const wl_symbol *a, wl_ptx_type type)
{
    return wl_sym_wrap(v->symbols, a, wl_ptx_type_bits(type), false);
}

/* The low 32 bits of a product that is too large for a number, half by half. */
static const wl_symbol *wrapped_product(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    a = wl_sym_wrap(s, a, 32, false);
    b = wl_sym_wrap(s, b, 32, false);
    if (!a || !b || !(wl_sym_is_const(a) || wl_sym_is_const(b)))
        return NULL;
    if (wl_sym_is_const(a)) {
        const wl_symbol *swap = a;
        a = b;
        b = swap;
    }
    const wl_symbol *half = wl_sym_const(s, 65536);
    const wl_symbol *low = wl_sym_mul(s, wl_sym_mod(s, a, half), b);
    const wl_symbol *high = wl_sym_mod(s, wl_sym_mul(s, wl_sym_div(s, a, half), b), half);
    return wl_sym_add(s, low, wl_sym_scale(s, high, 65536));
}

static const wl_symbol *product(const wl_ptx_values *v, const wl_symbol *a, const wl_symbol *b, wl_ptx_type type)
{
    wl_symbols *s = v->symbols;
    const wl_symbol *whole = wl_sym_mul(s, a, b);
    if (whole && wl_interval_is_known(wl_sym_bounds(s, whole, WL_AT_LAUNCH)))
        return whole;
    if (!a || !b || wl_ptx_type_bits(type) != 32)
        return whole;
    whole = wl_sym_mul(s, unsigned_bits(v, a, type), unsigned_bits(v, b, type));
    return whole && wl_interval_is_known(wl_sym_bounds(s, whole, WL_AT_LAUNCH)) ? whole : wrapped_product(s, a, b);
}

static const wl_symbol *high_product(const wl_ptx_values *v, const wl_symbol *a, const wl_symbol *b, wl_ptx_type type)
{
    wl_symbols *s = v->symbols;
    const int bits = wl_ptx_type_bits(type);
    a = as(v, a, type);
    b = as(v, b, type);
    if (!a || !b || bits > 32)
        return NULL;
    if (wl_sym_is_const(b))
        return wl_sym_scaled(s, a, b->c, bits);
    if (wl_sym_is_const(a))
        return wl_sym_scaled(s, b, a->c, bits);
    const wl_symbol *whole = wl_sym_mul(s, a, b);
    return whole && wl_interval_is_known(wl_sym_bounds(s, whole, WL_AT_LAUNCH))
               ? wl_sym_div(s, whole, wl_sym_const(s, (int64_t)1 << bits))
               : NULL;
}

static const wl_symbol *multiply(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *a,
                                 const wl_symbol *b)
{
    if (wl_ptx_type_is_float(in->type))
        return NULL;
    if (in->modifiers & WL_PTX_MOD_WIDE)
        return wl_sym_mul(v->symbols, as(v, a, in->type), as(v, b, in->type));
    if (in->modifiers & WL_PTX_MOD_HI)
        return high_product(v, a, b, in->type);
    return product(v, a, b, in->type);
}

static const wl_symbol *divide(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *a,
                               const wl_symbol *b)
{
    wl_symbols *s = v->symbols;
    if (wl_ptx_type_is_float(in->type))
        return NULL;
    a = as(v, a, in->type);
    b = as(v, b, in->type);
    const wl_symbol *quotient = wl_sym_quotient(s, a, b);
    return in->op == WL_PTX_OP_div ? quotient : wl_sym_sub(s, a, wl_sym_mul(s, quotient, b));
}

/* ---- bits ---- */

/* Exactly one of two conditions. */
static const wl_symbol *exclusive_or(wl_symbols *s, const wl_symbol *a, const wl_symbol *b)
{
    const wl_symbol *only_a = wl_sym_both(s, a, wl_sym_not(s, b));
    const wl_symbol *only_b = wl_sym_both(s, wl_sym_not(s, a), b);
    return wl_sym_either(s, only_a, only_b);
}

static const wl_symbol *logic(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *a,
                              const wl_symbol *b)
{
    wl_symbols *s = v->symbols;
    const wl_atom_op op = in->op == WL_PTX_OP_and ? WL_ATOM_AND : in->op == WL_PTX_OP_or ? WL_ATOM_OR : WL_ATOM_XOR;
    if (in->type == WL_PTX_PRED) {
        if (op == WL_ATOM_XOR)
            return exclusive_or(s, a, b);
        return op == WL_ATOM_AND ? wl_sym_both(s, a, b) : wl_sym_either(s, a, b);
    }
    if (!a || !b)
        return (a && wl_sym_is_const(a) && a->c == 0 && op == WL_ATOM_AND)   ? a
               : (b && wl_sym_is_const(b) && b->c == 0 && op == WL_ATOM_AND) ? b
                                                                             : NULL;
    const int bits = wl_ptx_type_bits(in->type);
    /* a mask that only clears low bits is right for signed numbers, too */
    if (op == WL_ATOM_AND && wl_sym_is_const(b)) {
        const wl_symbol *mask = wl_sym_wrap(s, b, bits, true);
        const wl_symbol *whole = mask && mask->c < 0 ? wl_sym_wrap(s, a, bits, true) : NULL;
        if (whole)
            return wl_sym_bits(s, op, whole, mask);
    }
    /* a ^ b is ~(a ^ ~b); for a negative constant, ~b has few bits */
    const wl_symbol *negative = op == WL_ATOM_XOR && wl_sym_is_const(b) ? wl_sym_wrap(s, b, bits, true) : NULL;
    if (negative && negative->c < 0) {
        const wl_symbol *whole = wl_sym_wrap(s, a, bits, true);
        return wl_sym_sub(s, wl_sym_const(s, -1), wl_sym_bits(s, op, whole, wl_sym_const(s, -1 - negative->c)));
    }
    const wl_symbol *wrapped_a = wl_sym_wrap(s, a, bits, false), *wrapped_b = wl_sym_wrap(s, b, bits, false);
    return wl_sym_bits(s, op, wrapped_a, wrapped_b);
}

static const wl_symbol *shift(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *a,
                              const wl_symbol *b)
{
    wl_symbols *s = v->symbols;
    const int bits = wl_ptx_type_bits(in->type);
    int64_t by;
    if (!b || !wl_sym_decided(s, wl_sym_wrap(s, b, 32, false), &by))
        return NULL;
    if (in->op == WL_PTX_OP_shl)
        return by >= bits ? wl_sym_const(s, 0) : by < 62 ? wl_sym_scale(s, a, (int64_t)1 << by) : NULL;
    a = as(v, a, in->type);
    if (by >= bits)
        by = wl_ptx_type_is_signed(in->type) ? bits - 1 : bits;
    return by >= 62 ? NULL : wl_sym_div(s, a, wl_sym_const(s, (int64_t)1 << by));
}

/* bfe.u: a field of bits from a position on. */
static const wl_symbol *bit_field(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *a,
                                  const wl_symbol *b, const wl_symbol *c)
{
    wl_symbols *s = v->symbols;
    if (!b || !c || !wl_sym_is_const(b) || !wl_sym_is_const(c) || wl_ptx_type_is_signed(in->type) || b->c < 0 ||
        b->c > 60 || c->c < 0 || c->c > 60)
        return NULL;
    const wl_symbol *shifted = wl_sym_div(s, as(v, a, in->type), wl_sym_const(s, (int64_t)1 << b->c));
    return wl_sym_mod(s, shifted, wl_sym_const(s, (int64_t)1 << c->c));
}

/* bfi: the low bits of a in place of a field of b. */
static const wl_symbol *bit_insert(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *a,
                                   const wl_symbol *b, const wl_symbol *c)
{
    wl_symbols *s = v->symbols;
    const wl_symbol *d = in->operand_count > 4 ? wl_ptx_operand_value(v, &in->operands[4]) : NULL;
    const int bits = wl_ptx_type_bits(in->type);
    if (!c || !d || !wl_sym_is_const(c) || !wl_sym_is_const(d) || c->c < 0 || d->c < 0 || c->c > 60 || d->c > 60)
        return NULL;
    const int64_t first = wl_min(c->c, bits), end = wl_min(c->c + d->c, bits);
    if (first == end)
        return b;
    if (end > 60)
        return NULL;
    const wl_symbol *below = wl_sym_const(s, (int64_t)1 << first), *above = wl_sym_const(s, (int64_t)1 << end);
    a = wl_sym_mod(s, unsigned_bits(v, a, in->type), wl_sym_const(s, (int64_t)1 << (end - first)));
    b = unsigned_bits(v, b, in->type);
    const wl_symbol *rest = wl_sym_add(s, wl_sym_mod(s, b, below), wl_sym_mul(s, wl_sym_div(s, b, above), above));
    return wl_sym_add(s, rest, wl_sym_mul(s, a, below));
}

/* ---- conditions ---- */

/* Compilers test 1 <= x <= n as one unsigned comparison: x - 1 < n. NULL: not such a test. */
static const wl_symbol *range_test(const wl_ptx_values *v, const wl_ptx_instruction *in, wl_ptx_type type)
{
    wl_symbols *s = v->symbols;
    const wl_symbol *a = wl_ptx_operand_value(v, &in->operands[1]), *b = wl_ptx_operand_value(v, &in->operands[2]);
    if (!a || !b || wl_ptx_type_is_signed(type) || in->compare < WL_PTX_LT || !wl_sym_is_const(b) || b->c < 0)
        return NULL;
    const wl_interval bounds = wl_sym_bounds(s, a, WL_AT_LAUNCH);
    const int bits = wl_ptx_type_bits(type);
    const int64_t half = bits < 1 ? 0 : bits < 62 ? (int64_t)1 << (bits - 1) : WL_FAR;
    if (bounds.lo >= 0 || bounds.lo < -half || bounds.hi >= half || b->c >= half)
        return NULL;
    const bool up_to = in->compare == WL_PTX_LE || in->compare == WL_PTX_GT,
               inside = in->compare == WL_PTX_LE || in->compare == WL_PTX_LT;
    const wl_symbol *below = wl_sym_sub(s, wl_sym_sub(s, b, a), wl_sym_const(s, up_to ? 0 : 1));
    const wl_symbol *from_0 = wl_sym_not_negative(s, a), *to_b = wl_sym_not_negative(s, below);
    const wl_symbol *both = wl_sym_both(s, from_0, to_b);
    return inside ? both : wl_sym_not(s, both);
}

static const wl_symbol *compared(const wl_ptx_values *v, const wl_ptx_instruction *in)
{
    wl_symbols *s = v->symbols;
    const wl_ptx_type type = in->op == WL_PTX_OP_set ? in->from : in->type;
    if (wl_ptx_type_is_float(type) || in->compare > WL_PTX_GE)
        return NULL;
    const wl_symbol *range = range_test(v, in, type);
    if (range)
        return range;
    const wl_symbol *a = as(v, wl_ptx_operand_value(v, &in->operands[1]), type),
                    *b = as(v, wl_ptx_operand_value(v, &in->operands[2]), type);
    const wl_symbol *less = wl_sym_sub(s, a, b), *one = wl_sym_const(s, 1);
    switch (in->compare) {
    case WL_PTX_EQ: return wl_sym_is_zero(s, less);
    case WL_PTX_NE: return wl_sym_not(s, wl_sym_is_zero(s, less));
    case WL_PTX_LT: return wl_sym_not_negative(s, wl_sym_sub(s, wl_sym_scale(s, less, -1), one));
    case WL_PTX_LE: return wl_sym_not_negative(s, wl_sym_scale(s, less, -1));
    case WL_PTX_GT: return wl_sym_not_negative(s, wl_sym_sub(s, less, one));
    default: return wl_sym_not_negative(s, less);
    }
}

static const wl_symbol *combined(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *condition)
{
    wl_symbols *s = v->symbols;
    if (in->operand_count < 4 || in->combine == WL_PTX_V_NONE)
        return condition;
    const wl_symbol *with = wl_ptx_operand_value(v, &in->operands[3]);
    if (in->operands[3].negated)
        with = wl_sym_not(s, with);
    if (in->combine == WL_PTX_XOR)
        return exclusive_or(s, condition, with);
    return in->combine == WL_PTX_AND ? wl_sym_both(s, condition, with) : wl_sym_either(s, condition, with);
}

/* ---- moves and conversions ---- */

/* mov of two 32-bit registers to 64 bits; recover_execute.c does the reverse. */
static const wl_symbol *packed(const wl_ptx_values *v, const wl_ptx_instruction *in)
{
    const wl_ptx_operand *from = &in->operands[1], *parts = v->launch->entry->lists + from->first;
    wl_symbols *s = v->symbols;
    if (from->count != 2 || wl_ptx_type_bits(in->type) != 64)
        return NULL;
    const wl_symbol *low = wl_sym_wrap(s, wl_ptx_operand_value(v, &parts[0]), 32, false);
    const wl_symbol *high = wl_sym_wrap(s, wl_ptx_operand_value(v, &parts[1]), 32, true);
    return wl_sym_add(s, low, wl_sym_scale(s, high, (int64_t)1 << 32));
}

static const wl_symbol *converted(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol *a)
{
    if (wl_ptx_type_is_float(in->type) || wl_ptx_type_is_float(in->from) || (in->modifiers & WL_PTX_MOD_SAT))
        return NULL;
    a = as(v, a, in->from);
    const int32_t to = in->operands[0].reg;
    const bool narrows = wl_ptx_type_bits(in->type) < wl_ptx_type_bits(v->launch->entry->registers[to].type);
    /* a register of that width drops the high bits by itself */
    return narrows ? as(v, a, in->type) : a;
}

static bool has_no_numbers(const wl_ptx_instruction *in)
{
    return wl_ptx_type_is_float(in->type) && in->op != WL_PTX_OP_cvt && in->op != WL_PTX_OP_set &&
           in->op != WL_PTX_OP_setp;
}

const wl_symbol *wl_ptx_result(const wl_ptx_values *v, const wl_ptx_instruction *in, const wl_symbol **other)
{
    wl_symbols *s = v->symbols;
    const wl_symbol *x[3] = {NULL, NULL, NULL};
    *other = NULL;
    if (has_no_numbers(in))
        return NULL;
    for (int i = 0; i < 3 && i + 1 < in->operand_count; i++) {
        x[i] = wl_ptx_operand_value(v, &in->operands[i + 1]);
        if (in->operands[i + 1].negated && in->operands[i + 1].kind == WL_PTX_OPERAND_REG)
            x[i] = wl_sym_not(s, x[i]);
    }
    switch (in->op) {
    case WL_PTX_OP_mov:
        if (in->type == WL_PTX_PRED && x[0] && wl_sym_is_const(x[0]))
            return wl_sym_const(s, x[0]->c != 0); /* set writes true as -1 */
        return in->operands[1].kind == WL_PTX_OPERAND_VECTOR ? packed(v, in) : x[0];
    case WL_PTX_OP_add: return in->modifiers & (WL_PTX_MOD_CC | WL_PTX_MOD_SAT) ? NULL : wl_sym_add(s, x[0], x[1]);
    case WL_PTX_OP_sub: return in->modifiers & (WL_PTX_MOD_CC | WL_PTX_MOD_SAT) ? NULL : wl_sym_sub(s, x[0], x[1]);
    case WL_PTX_OP_mul: return multiply(v, in, x[0], x[1]);
    case WL_PTX_OP_mad:
        return in->modifiers & (WL_PTX_MOD_CC | WL_PTX_MOD_SAT) ? NULL
                                                                : wl_sym_add(s, multiply(v, in, x[0], x[1]), x[2]);
    case WL_PTX_OP_div:
    case WL_PTX_OP_rem: return divide(v, in, x[0], x[1]);
    case WL_PTX_OP_neg: return wl_sym_scale(s, x[0], -1);
    case WL_PTX_OP_abs: {
        const wl_symbol *a = as(v, x[0], in->type);
        return wl_sym_extreme(s, true, a, wl_sym_scale(s, a, -1));
    }
    case WL_PTX_OP_min:
    case WL_PTX_OP_max: return wl_sym_extreme(s, in->op == WL_PTX_OP_max, as(v, x[0], in->type), as(v, x[1], in->type));
    case WL_PTX_OP_and:
    case WL_PTX_OP_or:
    case WL_PTX_OP_xor: return logic(v, in, x[0], x[1]);
    case WL_PTX_OP_not: return in->type == WL_PTX_PRED ? wl_sym_not(s, x[0]) : wl_sym_sub(s, wl_sym_const(s, -1), x[0]);
    case WL_PTX_OP_cnot: return wl_sym_is_zero(s, unsigned_bits(v, x[0], in->type));
    case WL_PTX_OP_shl:
    case WL_PTX_OP_shr: return shift(v, in, x[0], x[1]);
    case WL_PTX_OP_bfe: return bit_field(v, in, x[0], x[1], x[2]);
    case WL_PTX_OP_bfi: return bit_insert(v, in, x[0], x[1], x[2]);
    case WL_PTX_OP_setp: {
        const wl_symbol *condition = compared(v, in);
        if (wl_ptx_second_of(&in->operands[0]) >= 0)
            *other = combined(v, in, wl_sym_not(s, condition));
        return combined(v, in, condition);
    }
    case WL_PTX_OP_set:
        return wl_ptx_type_is_float(in->type) ? NULL : wl_sym_scale(s, combined(v, in, compared(v, in)), -1);
    case WL_PTX_OP_selp: return wl_sym_select(s, x[2], x[0], x[1]);
    case WL_PTX_OP_cvt: return converted(v, in, x[0]);
    case WL_PTX_OP_cvta: return in->space == WL_PTX_GLOBAL || in->space == WL_PTX_CONST ? x[0] : NULL;
    default: return NULL;
    }
}
