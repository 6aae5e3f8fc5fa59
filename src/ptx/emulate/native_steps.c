/* native_steps.c - steps that only compute, as C expressions on vectors. See native.h; the
 * functions are those of share/templates/native_lanes.c.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/native.h"

#include <stdio.h>

#define P WL_NATIVE_P
#define I WL_NATIVE_I
#define L WL_NATIVE_L

wl_native_class wl_native_class_of(const wl_ptx_program *p, int32_t reg)
{
    if (reg < 0 || reg >= p->function->register_count)
        return WL_NATIVE_NONE;
    const wl_ptx_type type = p->function->registers[reg].type;
    const int bits = wl_ptx_type_bits(type);
    return type == WL_PTX_PRED ? P : bits > 64 || bits == 0 ? WL_NATIVE_NONE : bits > 32 ? L : I;
}

/* ---- operands ---- */

static bool differs_by_lane(wl_ptx_special which)
{
    return which <= WL_PTX_TID_Z || which == WL_PTX_LANEID ||
           (which >= WL_PTX_LANEMASK_EQ && which <= WL_PTX_LANEMASK_GT);
}

static const wl_ptx_constant_slot *constant_of(const wl_ptx_program *p, int32_t slot)
{
    return slot > p->spare ? &p->constants[slot - p->spare - 1] : NULL;
}

static bool is_fixed(const wl_ptx_program *p, int32_t slot, uint64_t *value)
{
    const wl_ptx_constant_slot *c = constant_of(p, slot);
    if (c)
        *value = c->value;
    return c && c->kind == WL_PTX_FIXED;
}

static void constant_text(const wl_ptx_constant_slot *c, int32_t slot, wl_native_class wanted, char out[80])
{
    const unsigned long long value = c->value;
    if (c->kind == WL_PTX_FIXED || c->kind == WL_PTX_FIXED_PREDICATE) {
        if (wanted == L)
            (void)snprintf(out, 80, "l_set(0x%llxu)", value);
        else
            (void)snprintf(out, 80, wanted == P ? "0x%xu" : "i_set(0x%xu)", (unsigned)value);
    } else if (wanted == P || (c->kind == WL_PTX_OF_WARP && differs_by_lane((wl_ptx_special)c->value)))
        (void)snprintf(out, 80, "%c_slot(x, %d)", wanted == P ? 'p' : wanted == I ? 'i' : 'l', slot);
    else
        (void)snprintf(out, 80, wanted == I ? "i_set((uint32_t)x->value[%d][0])" : "l_set(x->value[%d][0])", slot);
}

void wl_native_operand(const wl_ptx_program *p, int32_t slot, wl_native_class wanted, char out[80])
{
    const wl_ptx_constant_slot *c = constant_of(p, slot);
    if (c) {
        constant_text(c, slot, wanted, out);
        return;
    }
    const wl_native_class has = wl_native_class_of(p, slot);
    if (has == wanted)
        (void)snprintf(out, 80, "r%d", slot);
    else if (wanted == I && has == L)
        (void)snprintf(out, 80, "i_from_l(r%d)", slot);
    else if (wanted == L && has == I)
        (void)snprintf(out, 80, "l_from_u(r%d)", slot);
    else
        (void)snprintf(out, 80, wanted == P ? "0u" : wanted == I ? "i_set(0)" : "l_set(0)");
}

void wl_native_guard(const wl_ptx_step *s, char out[32])
{
    out[0] = '\0';
    if (s->guard >= 0)
        (void)snprintf(out, 32, "%sr%d", s->guard_negated ? "~" : "", s->guard);
}

void wl_native_assign(const wl_ptx_program *p, const wl_ptx_step *s, int32_t reg, wl_native_class has,
                      const char *value, wl_buffer *out)
{
    const wl_native_class is = wl_native_class_of(p, reg);
    char guard[32];
    if (is == WL_NATIVE_NONE) /* nobody reads it */
        return;
    const char *open = has == is ? "" : is == I ? "i_from_l(" : "l_from_u(", *close = has == is ? "" : ")";
    wl_native_guard(s, guard);
    if (!guard[0])
        wl_buffer_add(out, "r%d = %s%s%s;\n", reg, open, value, close);
    else if (is == P)
        wl_buffer_add(out, "r%d = (r%d & ~(%s)) | ((%s) & (%s));\n", reg, reg, guard, value, guard);
    else
        wl_buffer_add(out, "r%d = %c_sel(%s, %s%s%s, r%d);\n", reg, is == I ? 'i' : 'l', guard, open, value, close,
                      reg);
}

/* ---- expressions ---- */

typedef struct expression {
    wl_native_class is;
    char text[700];
} expression;

/* name(a, b, c) of operands of a class. */
static bool call(const wl_ptx_program *p, const wl_ptx_step *s, expression *e, wl_native_class is, const char *name,
                 wl_native_class of, int count)
{
    char operand[4][80] = {"", "", "", ""};
    for (int k = 0; k < count; k++)
        wl_native_operand(p, s->from[k], of, operand[k]);
    e->is = is;
    (void)snprintf(e->text, sizeof e->text, "%s(%s%s%s%s%s)", name, operand[0], count > 1 ? ", " : "", operand[1],
                   count > 2 ? ", " : "", operand[2]);
    return true;
}

/* The same of 16-bit numbers, extended to 32. */
static bool call_16(const wl_ptx_program *p, const wl_ptx_step *s, expression *e, wl_native_class is, const char *name,
                    bool is_signed, int count)
{
    char a[80], b[80];
    const char *how = is_signed ? "i_s16" : "i_u16";
    wl_native_operand(p, s->from[0], I, a);
    wl_native_operand(p, s->from[count > 1 ? 1 : 0], I, b);
    e->is = is;
    if (count > 1)
        (void)snprintf(e->text, sizeof e->text, "%s(%s(%s), %s(%s))", name, how, a, how, b);
    else
        (void)snprintf(e->text, sizeof e->text, "%s(%s(%s))", name, how, a);
    return true;
}

static bool shift(const wl_ptx_program *p, const wl_ptx_step *s, expression *e, int type)
{
    const bool left = s->in->op == WL_PTX_OP_shl, is_signed = type & 1;
    const int bits = type < 2 ? 16 : type < 4 ? 32 : 64;
    const char *name = left ? "shl" : is_signed ? "shrs" : "shru";
    uint64_t by = 0;
    char a[80];
    wl_native_operand(p, s->from[0], bits == 64 ? L : I, a);
    e->is = bits == 64 ? L : I;
    if (!is_fixed(p, s->from[1], &by)) {
        char b[80], wide[90];
        if (bits == 16)
            return false;
        wl_native_operand(p, s->from[1], I, b);
        (void)snprintf(wide, sizeof wide, bits == 64 ? "l_from_u(%s)" : "%s", b);
        (void)snprintf(e->text, sizeof e->text, "%c_%s(%s, %s)", bits == 64 ? 'l' : 'i', name, a, wide);
        return true;
    }
    by &= UINT32_MAX;
    if (by >= (uint64_t)bits) {
        if (left || !is_signed) {
            (void)snprintf(e->text, sizeof e->text, bits == 64 ? "l_set(0)" : "i_set(0)");
            return true;
        }
        by = (uint64_t)bits - 1;
    }
    const char *extended = bits > 16 || left ? "" : is_signed ? "i_s16" : "i_u16";
    (void)snprintf(e->text, sizeof e->text, "%c_%s_by(%s(%s), %d)", bits == 64 ? 'l' : 'i', name, extended, a, (int)by);
    return true;
}

static bool product(const wl_ptx_program *p, const wl_ptx_step *s, expression *e, int type)
{
    const wl_ptx_instruction *in = s->in;
    const bool sum = in->op == WL_PTX_OP_mad, is_signed = type & 1;
    const wl_native_class of = type < 4 ? I : L;
    char a[80], b[80], c[80], factors[240];
    if (in->modifiers & WL_PTX_MOD_SAT)
        return false;
    if (!(in->modifiers & (WL_PTX_MOD_WIDE | WL_PTX_MOD_HI)))
        return call(p, s, e, of, sum ? (of == I ? "i_mad" : "l_mad") : of == I ? "i_mul" : "l_mul", of, sum ? 3 : 2);
    wl_native_operand(p, s->from[0], of, a);
    wl_native_operand(p, s->from[1], of, b);
    const bool wide = in->modifiers & WL_PTX_MOD_WIDE;
    if ((wide && of == L) || (!wide && type < 2))
        return false;
    if (type < 2)
        (void)snprintf(factors, sizeof factors, "%s(%s), %s(%s)", is_signed ? "i_s16" : "i_u16", a,
                       is_signed ? "i_s16" : "i_u16", b);
    else
        (void)snprintf(factors, sizeof factors, "%s, %s", a, b);
    const char *name = type < 2  ? "i_mul"
                       : wide    ? (is_signed ? "l_wides" : "l_wideu")
                       : of == I ? (is_signed ? "i_his" : "i_hiu")
                                 : (is_signed ? "l_his" : "l_hiu");
    e->is = wide && type >= 2 ? L : of;
    wl_native_operand(p, s->from[2], e->is, c);
    if (sum)
        (void)snprintf(e->text, sizeof e->text, "%c_add(%s(%s), %s)", e->is == L ? 'l' : 'i', name, factors, c);
    else
        (void)snprintf(e->text, sizeof e->text, "%s(%s)", name, factors);
    return true;
}

/* lop3, with the operands that it has, and fields at constant places. */
static bool bits(const wl_ptx_program *p, const wl_ptx_step *s, expression *e)
{
    const wl_ptx_instruction *in = s->in;
    uint64_t at = 0, length = 0;
    char a[80], b[80], c[80];
    wl_native_operand(p, s->from[0], I, a);
    wl_native_operand(p, s->from[1], I, b);
    wl_native_operand(p, s->from[2], I, c);
    e->is = I;
    switch (in->op) {
    case WL_PTX_OP_lop3:
        if (in->operand_count < 5 || in->operands[4].kind != WL_PTX_OPERAND_IMMEDIATE)
            return false;
        (void)snprintf(e->text, sizeof e->text, "i_lop3(%s, %s, %s, %d)", a, b, c, (int)(in->operands[4].value & 255));
        return true;
    case WL_PTX_OP_shf: {
        const bool left = in->modifiers & WL_PTX_MOD_LEFT, wrap = in->modifiers & WL_PTX_MOD_WRAP;
        (void)snprintf(e->text, sizeof e->text,
                       wrap ? "i_funnel_%s(%s, %s, i_and(%s, i_set(31)))"
                            : "i_funnel_%s(%s, %s, i_minu(%s, i_set(32)))",
                       left ? "left" : "right", a, b, c);
        return true;
    }
    case WL_PTX_OP_bfe:
        if (wl_ptx_type_bits(in->type) != 32 || !is_fixed(p, s->from[1], &at) || !is_fixed(p, s->from[2], &length) ||
            (at & 255) + (length & 255) > 32 || (length & 255) == 0)
            return false;
        at &= 255, length &= 255;
        (void)snprintf(e->text, sizeof e->text, "i_shr%c_by(i_shl_by(%s, %d), %d)",
                       wl_ptx_type_is_signed(in->type) ? 's' : 'u', a, (int)(32 - at - length), (int)(32 - length));
        return true;
    case WL_PTX_OP_bfi:
        if (wl_ptx_type_bits(in->type) != 32 || !is_fixed(p, s->from[2], &at) || !is_fixed(p, s->from[3], &length) ||
            (at & 255) + (length & 255) >= 32)
            return false;
        (void)snprintf(e->text, sizeof e->text, "i_lop3(i_set(0x%xu), i_shl_by(%s, %d), %s, 0xca)",
                       ((1u << (length & 255)) - 1) << (at & 255), a, (int)(at & 255), b);
        return true;
    case WL_PTX_OP_prmt: {
        if (!is_fixed(p, s->from[2], &at) || in->variant != WL_PTX_V_NONE || at & 0x8888)
            return false;
        int length_so_far = 0;
        for (int k = 0; k < 4; k++) {
            const int choice = (int)(at >> 4 * k & 7);
            length_so_far += snprintf(e->text + length_so_far, sizeof e->text - (size_t)length_so_far,
                                      "%si_shl_by(i_u8(i_shru_by(%s, %d)), %d)", k == 0 ? "i_or(i_or(" : "",
                                      choice < 4 ? a : b, 8 * (choice & 3), 8 * k);
            length_so_far += snprintf(e->text + length_so_far, sizeof e->text - (size_t)length_so_far,
                                      k == 0   ? ", "
                                      : k == 1 ? "), i_or("
                                      : k == 2 ? ", "
                                               : "))");
            if (length_so_far >= (int)sizeof e->text)
                return false;
        }
        return true;
    }
    default: return false;
    }
}

static bool integer(const wl_ptx_program *p, const wl_ptx_step *s, expression *e, int type)
{
    const wl_ptx_instruction *in = s->in;
    const bool is_signed = type & 1;
    const wl_native_class of = type < 4 ? I : L;
    const char *c = of == I ? "i" : "l", *sign = is_signed ? "s" : "u";
    char name[16];
    static const struct {
        wl_ptx_op op;
        const char *name;
        int count;
        bool by_sign;
    } rows[] = {{WL_PTX_OP_add, "add", 2, false}, {WL_PTX_OP_sub, "sub", 2, false}, {WL_PTX_OP_and, "and", 2, false},
                {WL_PTX_OP_or, "or", 2, false},   {WL_PTX_OP_xor, "xor", 2, false}, {WL_PTX_OP_not, "not", 1, false},
                {WL_PTX_OP_neg, "neg", 1, false}, {WL_PTX_OP_min, "min", 2, true},  {WL_PTX_OP_max, "max", 2, true},
                {WL_PTX_OP_div, "div", 2, true},  {WL_PTX_OP_rem, "rem", 2, true},  {WL_PTX_OP_abs, "abs", 1, false}};
    if (in->modifiers & (WL_PTX_MOD_SAT | WL_PTX_MOD_CC | WL_PTX_MOD_RELU))
        return false;
    if (in->op == WL_PTX_OP_shl || in->op == WL_PTX_OP_shr)
        return shift(p, s, e, type);
    if (in->op == WL_PTX_OP_mul || in->op == WL_PTX_OP_mad)
        return product(p, s, e, type);
    if (in->op == WL_PTX_OP_brev && type >= 2 && type < 4)
        return call(p, s, e, I, "i_brev", I, 1);
    if ((in->op == WL_PTX_OP_popc || in->op == WL_PTX_OP_clz) && type >= 2) {
        const bool counts = in->op == WL_PTX_OP_popc;
        if (of == L)
            return call(p, s, e, I, counts ? "l_popc" : "l_clz", L, 1);
        char a[80];
        wl_native_operand(p, s->from[0], I, a);
        e->is = I;
        (void)snprintf(e->text, sizeof e->text, "i_%s(%s, i_set(0))", counts ? "popc" : "clz", a);
        return true;
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].op != in->op)
            continue;
        (void)snprintf(name, sizeof name, "%s_%s%s", c, rows[k].name, rows[k].by_sign ? sign : "");
        if (type < 2 && (rows[k].by_sign || in->op == WL_PTX_OP_abs))
            return call_16(p, s, e, I, name, is_signed, rows[k].count);
        return call(p, s, e, of, name, of, rows[k].count);
    }
    return false;
}

/* ---- floating point ---- */

/* name(a, b, c), subnormal numbers flushed where the instruction says so. */
static bool call_float(const wl_ptx_program *p, const wl_ptx_step *s, expression *e, const char *name, int count,
                       const char *const signs[3])
{
    const bool wide = s->in->type == WL_PTX_F64, flush = !wide && s->in->modifiers & WL_PTX_MOD_FTZ;
    const wl_native_class of = wide ? L : I;
    int length = snprintf(e->text, sizeof e->text, "%s%c_%s(", flush ? "f_flush(" : "", wide ? 'd' : 'f', name);
    for (int k = 0; k < count; k++) {
        char operand[80];
        wl_native_operand(p, s->from[k], of, operand);
        length += snprintf(e->text + length, sizeof e->text - (size_t)length, "%s%s%s(%s)%s", k ? ", " : "",
                           flush ? "f_flush(" : "", signs[k], operand, flush ? ")" : "");
    }
    (void)snprintf(e->text + length, sizeof e->text - (size_t)length, flush ? "))" : ")");
    e->is = of;
    return true;
}

static const char *const plain_signs[3] = {"", "", ""};

/* A sum with a product in it; false: it is none. */
static bool contracted(const wl_ptx_program *p, const wl_ptx_step *s, expression *e)
{
    const bool wide = s->in->type == WL_PTX_F64;
    const char *minus = wide ? "d_neg" : "f_neg";
    if ((s->in->op != WL_PTX_OP_add && s->in->op != WL_PTX_OP_sub) || s->of.apply == wl_ptx_find_apply(s->in))
        return false;
    for (int k = 0; k < 4; k++) {
        const bool product_minus = k & 1, other_minus = k & 2;
        const char *const signs[3] = {product_minus ? minus : "", "", other_minus ? minus : ""};
        if (s->of.apply == wl_ptx_find_contracted(s->in, product_minus, other_minus))
            return call_float(p, s, e, "fma", 3, signs);
    }
    return false;
}

static bool floating(const wl_ptx_program *p, const wl_ptx_step *s, expression *e)
{
    const wl_ptx_instruction *in = s->in;
    static const struct {
        wl_ptx_op op;
        const char *name;
        int count;
    } rows[] = {{WL_PTX_OP_add, "add", 2},    {WL_PTX_OP_sub, "sub", 2},   {WL_PTX_OP_mul, "mul", 2},
                {WL_PTX_OP_div, "div", 2},    {WL_PTX_OP_fma, "fma", 3},   {WL_PTX_OP_mad, "fma", 3},
                {WL_PTX_OP_min, "min", 2},    {WL_PTX_OP_max, "max", 2},   {WL_PTX_OP_abs, "abs", 1},
                {WL_PTX_OP_neg, "neg", 1},    {WL_PTX_OP_sqrt, "sqrt", 1}, {WL_PTX_OP_rcp, "rcp", 1},
                {WL_PTX_OP_rsqrt, "rsqrt", 1}};
    if (in->variant == WL_PTX_RZ || in->variant == WL_PTX_RM || in->variant == WL_PTX_RP ||
        in->modifiers & (WL_PTX_MOD_SAT | WL_PTX_MOD_NAN | WL_PTX_MOD_XORSIGN) ||
        (in->op != WL_PTX_OP_abs && in->modifiers & WL_PTX_MOD_ABS))
        return false;
    if (s->of.apply != wl_ptx_find_apply(in))
        return contracted(p, s, e);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].op == in->op)
            return call_float(p, s, e, rows[k].name, rows[k].count, plain_signs);
    return false;
}

/* ---- conversions ---- */

static bool is_integer(wl_ptx_type type) { return type >= WL_PTX_B8 && type <= WL_PTX_S64 && type != WL_PTX_B128; }

/* An integer of a type, as a register of its class. */
static void extended(const wl_ptx_program *p, int32_t slot, wl_ptx_type type, wl_native_class wanted, char out[160])
{
    const int size = wl_ptx_type_bits(type);
    const bool is_signed = wl_ptx_type_is_signed(type);
    char a[80], narrow[120];
    if (size == 64) {
        wl_native_operand(p, slot, wanted, a);
        (void)snprintf(out, 160, "%s", a);
        return;
    }
    wl_native_operand(p, slot, I, a);
    if (size == 32)
        (void)snprintf(narrow, sizeof narrow, "%s", a);
    else
        (void)snprintf(narrow, sizeof narrow, "i_%c%d(%s)", is_signed ? 's' : 'u', size, a);
    (void)snprintf(out, 160, wanted == I ? "%s" : is_signed ? "l_from_s(%s)" : "l_from_u(%s)", narrow);
}

static bool integer_from_float(const wl_ptx_program *p, const wl_ptx_step *s, expression *e)
{
    const wl_ptx_instruction *in = s->in;
    const bool to_nearest = in->variant == WL_PTX_RNI || in->variant == WL_PTX_RN, wide = in->from == WL_PTX_F64;
    char a[80];
    if (wl_ptx_type_bits(in->type) != 32 || (in->from != WL_PTX_F32 && !wide) || in->modifiers & WL_PTX_MOD_FTZ ||
        (!to_nearest && in->variant != WL_PTX_RZI && in->variant != WL_PTX_RZ))
        return false;
    wl_native_operand(p, s->from[0], wide ? L : I, a);
    e->is = I;
    (void)snprintf(e->text, sizeof e->text, "%c32_r%c_%c(%s)", wl_ptx_type_is_signed(in->type) ? 's' : 'u',
                   to_nearest ? 'n' : 'z', wide ? 'd' : 'f', a);
    return true;
}

static bool convert(const wl_ptx_program *p, const wl_ptx_step *s, expression *e)
{
    const wl_ptx_instruction *in = s->in;
    char a[160];
    const bool to_float = in->type == WL_PTX_F32 || in->type == WL_PTX_F64;
    if (in->modifiers & (WL_PTX_MOD_SAT | WL_PTX_MOD_RELU))
        return false;
    if (is_integer(in->type) && is_integer(in->from)) {
        const bool widens = wl_ptx_type_bits(in->from) < wl_ptx_type_bits(in->type);
        e->is = wl_ptx_type_bits(in->type) == 64 ? L : I;
        extended(p, s->from[0], widens ? in->from : in->type, e->is, a);
        (void)snprintf(e->text, sizeof e->text, "%s", a);
        return true;
    }
    if (is_integer(in->type))
        return integer_from_float(p, s, e);
    if (!to_float || in->variant == WL_PTX_RZ || in->variant == WL_PTX_RM || in->variant == WL_PTX_RP)
        return false;
    e->is = in->type == WL_PTX_F64 ? L : I;
    if (is_integer(in->from)) {
        const bool wide = wl_ptx_type_bits(in->from) == 64;
        extended(p, s->from[0], in->from, wide ? L : I, a);
        (void)snprintf(e->text, sizeof e->text, "%c_from_%c%d(%s)", e->is == L ? 'd' : 'f',
                       wl_ptx_type_is_signed(in->from) ? 's' : 'u', wide ? 64 : 32, a);
        return true;
    }
    if (in->modifiers & WL_PTX_MOD_FTZ)
        return false;
    if (in->type == WL_PTX_F32 && in->from == WL_PTX_F32) {
        const char *name = in->variant == WL_PTX_RMI   ? "f_floor"
                           : in->variant == WL_PTX_RPI ? "f_ceil"
                           : in->variant == WL_PTX_RZI ? "f_trunc"
                                                       : NULL;
        return name && !in->modifiers && call(p, s, e, I, name, I, 1);
    }
    if (in->variant == WL_PTX_RNI || in->variant == WL_PTX_RZI || in->variant == WL_PTX_RMI ||
        in->variant == WL_PTX_RPI)
        return false;
    if (in->type == WL_PTX_F64 && in->from == WL_PTX_F32)
        return call(p, s, e, L, "d_from_f", I, 1);
    return in->type == WL_PTX_F32 && in->from == WL_PTX_F64 && call(p, s, e, I, "f_from_d", L, 1);
}

/* ---- comparisons and predicates ---- */

static bool comparison(const wl_ptx_program *p, const wl_ptx_step *s, char out[400])
{
    static const char *const hows[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    const wl_ptx_instruction *in = s->in;
    const int type = wl_ptx_integer_index(in->type);
    char a[160], b[160];
    if (in->op != WL_PTX_OP_setp)
        return false;
    if (type >= 0) {
        const wl_native_class of = type < 4 ? I : L;
        if (in->compare > WL_PTX_GE)
            return false;
        extended(p, s->from[0], in->type, of, a);
        extended(p, s->from[1], in->type, of, b);
        (void)snprintf(out, 400, "%c%c_%s(%s, %s)", of == I ? 'i' : 'l', type & 1 ? 's' : 'u', hows[in->compare], a, b);
        return true;
    }
    if ((in->type != WL_PTX_F32 && in->type != WL_PTX_F64) ||
        (in->modifiers & WL_PTX_MOD_FTZ && in->type == WL_PTX_F64))
        return false;
    const bool flush = in->modifiers & WL_PTX_MOD_FTZ;
    wl_native_operand(p, s->from[0], in->type == WL_PTX_F64 ? L : I, a);
    wl_native_operand(p, s->from[1], in->type == WL_PTX_F64 ? L : I, b);
    (void)snprintf(out, 400, "%c_%s(%s(%s), %s(%s))", in->type == WL_PTX_F64 ? 'd' : 'f', hows[in->compare],
                   flush ? "f_flush" : "", a, flush ? "f_flush" : "", b);
    return true;
}

/* Predicate k of the instruction, negated if it says so. */
static void predicate(const wl_ptx_program *p, const wl_ptx_step *s, int k, char out[90])
{
    char a[80];
    wl_native_operand(p, s->from[k], P, a);
    (void)snprintf(out, 90, "%s%s", s->in->operands[k + 1].negated ? "~" : "", a);
}

static void two_predicates(const wl_ptx_program *p, const wl_ptx_step *s, const char *test, wl_buffer *out)
{
    const wl_ptx_variant how = s->in->combine;
    const char *op = how == WL_PTX_AND ? "&" : how == WL_PTX_OR ? "|" : how == WL_PTX_XOR ? "^" : NULL;
    const bool third = s->in->operand_count > 3 && op;
    char c[90] = "", yes[200], no[200];
    if (third)
        predicate(p, s, 2, c);
    (void)snprintf(yes, sizeof yes, "t %s %s", third ? op : "", c);
    (void)snprintf(no, sizeof no, "~t %s %s", third ? op : "", c);
    wl_buffer_add(out, "{ const P t = %s, yes = %s, no = %s; (void)no;\n", test, yes, no);
    wl_native_assign(p, s, s->to, P, "yes", out);
    if (s->other != p->spare)
        wl_native_assign(p, s, s->other, P, "no", out);
    wl_buffer_text(out, "}\n");
}

static bool logic(const wl_ptx_program *p, const wl_ptx_step *s, wl_buffer *out)
{
    char a[90], b[90], value[200];
    const wl_ptx_op op = s->in->op;
    predicate(p, s, 0, a);
    predicate(p, s, 1, b);
    if (op == WL_PTX_OP_and || op == WL_PTX_OP_or || op == WL_PTX_OP_xor)
        (void)snprintf(value, sizeof value, "%s %c %s", a,
                       op == WL_PTX_OP_and  ? '&'
                       : op == WL_PTX_OP_or ? '|'
                                            : '^',
                       b);
    else
        (void)snprintf(value, sizeof value, op == WL_PTX_OP_not ? "~(%s)" : "%s", a);
    wl_native_assign(p, s, s->to, P, value, out);
    return true;
}

static bool select(const wl_ptx_program *p, const wl_ptx_step *s, wl_buffer *out)
{
    const wl_native_class of = wl_native_class_of(p, s->to);
    char a[80], b[80], c[90], value[300];
    if (of != I && of != L)
        return of == WL_NATIVE_NONE;
    wl_native_operand(p, s->from[0], of, a);
    wl_native_operand(p, s->from[1], of, b);
    predicate(p, s, 2, c);
    (void)snprintf(value, sizeof value, "%c_sel(%s, %s, %s)", of == I ? 'i' : 'l', c, a, b);
    wl_native_assign(p, s, s->to, of, value, out);
    return true;
}

static bool shuffle(const wl_ptx_program *p, const wl_ptx_step *s, wl_buffer *out)
{
    const wl_ptx_variant v = s->in->variant;
    char a[80], b[80], c[80], guard[32];
    wl_native_operand(p, s->from[0], I, a);
    wl_native_operand(p, s->from[1], I, b);
    wl_native_operand(p, s->from[2], I, c);
    wl_native_guard(s, guard);
    wl_buffer_add(out, "{ P ranged; const I z = shuffle(%s, %s, %s, active%s%s, %s, &ranged);\n", a, b, c,
                  guard[0] ? " & " : "", guard,
                  v == WL_PTX_UP     ? "UP"
                  : v == WL_PTX_DOWN ? "DOWN"
                  : v == WL_PTX_BFLY ? "BFLY"
                                     : "IDX");
    wl_native_assign(p, s, s->to, I, "z", out);
    if (s->other != p->spare)
        wl_native_assign(p, s, s->other, P, "ranged", out);
    wl_buffer_text(out, "}\n");
    return true;
}

/* ---- moves ---- */

/* Words of a double word, and halves of a word. */
static bool move(const wl_ptx_program *p, const wl_ptx_step *s, wl_buffer *out)
{
    const int bits_each = s->elements ? wl_ptx_type_bits(s->in->type) / s->elements : 0;
    const int32_t *list = p->lists + s->list;
    char a[80], value[300];
    if (s->in->op == WL_PTX_OP_cvta) {
        const uint64_t window = wl_ptx_window_of(s->in->space);
        wl_native_operand(p, s->from[0], L, a);
        (void)snprintf(value, sizeof value, "l_add(%s, l_set(0x%llxu))", a,
                       (unsigned long long)(s->in->modifiers & WL_PTX_MOD_TO ? 0 - window : window));
        wl_native_assign(p, s, s->to, L, value, out);
        return true;
    }
    if (s->in->op != WL_PTX_OP_mov || s->elements != 2 || (bits_each != 32 && bits_each != 16))
        return false;
    if (s->in->operands[0].kind == WL_PTX_OPERAND_VECTOR) {
        wl_native_operand(p, s->from[0], bits_each == 32 ? L : I, a);
        wl_buffer_add(out, "{ const %c whole = %s;\n", bits_each == 32 ? 'L' : 'I', a);
        for (int e = 0; e < 2; e++) {
            if (bits_each == 32)
                (void)snprintf(value, sizeof value, e ? "i_from_l(l_shru_by(whole, 32))" : "i_from_l(whole)");
            else
                (void)snprintf(value, sizeof value, e ? "i_shru_by(whole, 16)" : "i_u16(whole)");
            wl_native_assign(p, s, list[e], I, value, out);
        }
        wl_buffer_text(out, "}\n");
        return true;
    }
    char b[80];
    wl_native_operand(p, list[0], I, a);
    wl_native_operand(p, list[1], I, b);
    (void)snprintf(value, sizeof value, bits_each == 32 ? "l_join(%s, %s)" : "i_or(i_u16(%s), i_shl_by(%s, 16))", a, b);
    wl_native_assign(p, s, s->to, bits_each == 32 ? L : I, value, out);
    return true;
}

static bool expression_of(const wl_ptx_program *p, const wl_ptx_step *s, expression *e)
{
    const wl_ptx_instruction *in = s->in;
    const int type = wl_ptx_integer_index(in->type);
    if (in->op == WL_PTX_OP_cvt)
        return convert(p, s, e);
    if (in->type == WL_PTX_F32 || in->type == WL_PTX_F64)
        return floating(p, s, e);
    return bits(p, s, e) || (type >= 0 && integer(p, s, e, type));
}

bool wl_native_step_text(const wl_ptx_program *p, const wl_ptx_step *s, wl_buffer *out)
{
    expression e = {WL_NATIVE_NONE, ""};
    char test[400];
    switch (s->kind) {
    case WL_PTX_STEP_NOTHING: return true;
    case WL_PTX_STEP_COPY: {
        const wl_native_class of = wl_native_class_of(p, s->to);
        char a[80];
        if (of == WL_NATIVE_NONE)
            return true;
        wl_native_operand(p, s->from[0], of, a);
        wl_native_assign(p, s, s->to, of, a, out);
        return true;
    }
    case WL_PTX_STEP_APPLY:
    case WL_PTX_STEP_PRODUCT:
        if (!expression_of(p, s, &e))
            return false;
        wl_native_assign(p, s, s->to, e.is, e.text, out);
        return true;
    case WL_PTX_STEP_TEST:
        if (!comparison(p, s, test))
            return false;
        wl_native_assign(p, s, s->to, P, test, out);
        return true;
    case WL_PTX_STEP_COMPUTE:
        if (s->in->op == WL_PTX_OP_setp) {
            if (!comparison(p, s, test))
                return false;
            two_predicates(p, s, test, out);
            return true;
        }
        if (s->in->op == WL_PTX_OP_selp)
            return select(p, s, out);
        if (s->in->op == WL_PTX_OP_shfl)
            return shuffle(p, s, out);
        if (s->in->type == WL_PTX_PRED && s->in->op != WL_PTX_OP_vote)
            return logic(p, s, out);
        return move(p, s, out);
    default: return false;
    }
}
