/* constant.c - see constant.h.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include "ptx/read/constant.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "expr/grammar.h"

#define NESTING_MAX 65

bool wl_ptx_constant_begins(const wl_lexer *lexer)
{
    const wl_token *t = &lexer->token;
    return t->kind == WL_TOKEN_INT || t->kind == WL_TOKEN_FLOAT ||
           (t->kind == WL_TOKEN_PUNCT && t->length == 1 && strchr("-+~!(", t->punct));
}

static wl_literal integer(uint64_t value, bool is_unsigned)
{
    return (wl_literal){.integer = value, .is_unsigned = is_unsigned};
}

static bool is_true(const wl_parsed *c)
{
    return c->literal.is_float ? c->literal.number != 0 : c->literal.integer != 0;
}

static void negate(wl_literal *c)
{
    if (!c->is_float) {
        c->integer = 0 - c->integer;
        return;
    }
    c->number = -c->number;
    c->integer ^= c->is_single ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
}

/* ".u64) operand": a cast, after its parenthesis. */
static wl_status cast(wl_parser *p, wl_parsed *out)
{
    const bool is_unsigned = wl_token_equals(&p->lexer->token, ".u64");
    if (!is_unsigned && !wl_token_equals(&p->lexer->token, ".s64"))
        return wl_lexer_unexpected(p->lexer, "'.s64' or '.u64'");
    WL_TRY(wl_lexer_next(p->lexer));
    WL_TRY(wl_lexer_take(p->lexer, ')'));
    WL_TRY(wl_parse_operand(p, out));
    out->literal.is_unsigned = is_unsigned;
    return WL_OK;
}

static wl_status parenthesis(wl_parser *p, wl_parsed *out)
{
    WL_TRY(wl_lexer_next(p->lexer));
    if (p->lexer->token.kind == WL_TOKEN_DIRECTIVE)
        return cast(p, out);
    WL_TRY(wl_parse(p, out));
    return wl_lexer_take(p->lexer, ')');
}

static wl_status operand(wl_parser *p, wl_parsed *out)
{
    const wl_token *t = &p->lexer->token;
    if (wl_lexer_is(p->lexer, '('))
        return parenthesis(p, out);
    if (t->kind == WL_TOKEN_INT || t->kind == WL_TOKEN_FLOAT)
        out->literal = t->literal;
    else if (wl_token_equals(t, "WARP_SZ"))
        out->literal = integer(32, false);
    else
        return wl_lexer_unexpected(p->lexer, p->grammar->operand);
    return wl_lexer_next(p->lexer);
}

static wl_status sign(wl_parser *p, char sign, wl_loc loc, wl_parsed *value)
{
    (void)p;
    (void)loc;
    if (sign == '-')
        negate(&value->literal);
    else if (sign == '!')
        value->literal = integer(!is_true(value), false);
    else if (sign == '~')
        value->literal = integer(~value->literal.integer, value->literal.is_unsigned);
    return WL_OK;
}

/* Signedness of the result: a shift has that of its left operand, a comparison is signed,
 * everything else depends on both operands. */
static wl_status binary(wl_parser *p, wl_expr_op op, wl_loc loc, const wl_parsed *a, const wl_parsed *b, wl_parsed *out)
{
    const bool shifts = op == WL_EXPR_SHIFT_LEFT || op == WL_EXPR_SHIFT_RIGHT,
               is_unsigned = a->literal.is_unsigned || (b->literal.is_unsigned && !shifts);
    uint64_t value = 0;
    if (a->literal.is_float || b->literal.is_float)
        return wl_fail(p->lexer->err, WL_E_INPUT, loc, "expressions have integers only");
    if (!wl_operate_wrapping(op, is_unsigned, a->literal.integer, b->literal.integer, &value))
        return wl_operate_status(WL_PROBLEM_ZERO, loc, p->lexer->err);
    out->literal = integer(value, is_unsigned && !wl_op_compares(op));
    return WL_OK;
}

static wl_status read_constant(wl_lexer *lexer, wl_status (*parse)(wl_parser *p, wl_parsed *out), wl_literal *out)
{
    static const wl_grammar grammar = {.operators = WL_OPERATORS_ALL,
                                       .signs = "-+~!",
                                       .chains = true,
                                       .depth_max = NESTING_MAX,
                                       .too_deep = WL_E_INPUT,
                                       .operand = "a number",
                                       .read = operand,
                                       .sign = sign,
                                       .binary = binary,
                                       .is_true = is_true};
    wl_parser p = {.lexer = lexer, .grammar = &grammar, .noun = "expression"};
    wl_parsed parsed;
    WL_TRY(parse(&p, &parsed));
    *out = parsed.literal;
    return WL_OK;
}

wl_status wl_ptx_read_constant(wl_lexer *lexer, wl_ptx_constant *out) { return read_constant(lexer, wl_parse, out); }

wl_status wl_ptx_read_product(wl_lexer *lexer, wl_ptx_constant *out)
{
    return read_constant(lexer, wl_parse_product, out);
}

wl_status wl_ptx_read_integer(wl_lexer *lexer, int64_t low, int64_t high, const char *what, int64_t *out)
{
    const wl_loc loc = lexer->token.loc;
    wl_ptx_constant c;
    WL_TRY(wl_ptx_read_constant(lexer, &c));
    *out = (int64_t)c.integer;
    if (c.is_float || *out < low || *out > high || (c.is_unsigned && c.integer > INT64_MAX))
        return wl_fail(lexer->err, WL_E_INPUT, loc, "%s is %lld to %lld", what, (long long)low, (long long)high);
    return WL_OK;
}

/* Rounds to a format of fewer bits. Exponent and mantissa are added, so that rounding up carries
 * from one into the other. */
static uint64_t narrowed(double x, int exponent_bits, int mantissa_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t sign = signbit(x) ? (uint64_t)1 << (exponent_bits + mantissa_bits) : 0;
    const uint64_t infinity = (((uint64_t)1 << exponent_bits) - 1) << mantissa_bits;
    if (isnan(x))
        return sign | infinity | (uint64_t)1 << (mantissa_bits - 1);
    if (isinf(x) || x == 0)
        return sign | (x == 0 ? 0 : infinity);
    int exponent = ilogb(x) < 1 - bias ? 1 - bias : ilogb(x);
    if (exponent > bias)
        return sign | infinity;
    const uint64_t mantissa = (uint64_t)nearbyint(ldexp(fabs(x), mantissa_bits - exponent));
    return sign | (((uint64_t)(exponent + bias - 1) << mantissa_bits) + mantissa);
}

static int64_t float_bits(const wl_ptx_constant *c, wl_ptx_type type)
{
    const int bits = type == WL_PTX_NONE ? (c->is_single ? 32 : 64) : wl_ptx_type_bits(type);
    if (type == WL_PTX_BF16)
        return (int64_t)narrowed(c->number, 8, 7);
    if (bits <= 16)
        return (int64_t)narrowed(c->number, 5, 10);
    if (bits == 32 && c->is_single)
        return (int64_t)c->integer;
    if (bits == 32)
        return (int64_t)narrowed(c->number, 8, 23);
    int64_t out;
    memcpy(&out, &c->number, sizeof out);
    return c->is_single ? out : (int64_t)c->integer;
}

int64_t wl_ptx_constant_bits(const wl_ptx_constant *c, wl_ptx_type type)
{
    if (c->is_float)
        return float_bits(c, type);
    if (type != WL_PTX_F32 && type != WL_PTX_F64)
        return (int64_t)c->integer;
    const double number = c->is_unsigned ? (double)c->integer : (double)(int64_t)c->integer;
    const wl_ptx_constant as_float = {.is_float = true, .number = number};
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return type == WL_PTX_F64 ? bits : float_bits(&as_float, type);
}
