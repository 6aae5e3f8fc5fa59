/* constant.c - see constant.h. Operator precedence is C's. SPDX-License-Identifier: MIT */
#include "ptx/read/constant.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

#define NESTING_MAX 64
#define PRODUCT_LEVEL 10

static const struct {
    const char *text;
    int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {"<=", 7},
                 {">", 7},  {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static wl_status expression(wl_ptx_lexer *lexer, int level, int nesting, wl_ptx_constant *out);

bool wl_ptx_constant_begins(const wl_ptx_lexer *lexer)
{
    const wl_ptx_token *t = &lexer->token;
    return t->kind == WL_PTX_TOKEN_INT || t->kind == WL_PTX_TOKEN_FLOAT ||
           (t->kind == WL_PTX_TOKEN_PUNCT && t->length == 1 && strchr("-+~!(", t->text[0]));
}

static int level_of(const wl_ptx_token *t)
{
    if (t->kind != WL_PTX_TOKEN_PUNCT)
        return 0;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (wl_ptx_token_equals(t, operators[i].text))
            return operators[i].level;
    return 0;
}

static wl_ptx_constant integer(uint64_t value, bool is_unsigned)
{
    return (wl_ptx_constant){.integer = value, .is_unsigned = is_unsigned};
}

static bool is_true(const wl_ptx_constant *c) { return c->is_float ? c->number != 0 : c->integer != 0; }

static void negate(wl_ptx_constant *c)
{
    if (!c->is_float) {
        c->integer = 0 - c->integer;
        return;
    }
    c->number = -c->number;
    c->integer ^= c->is_single ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
}

static wl_status parenthesis(wl_ptx_lexer *lexer, int nesting, wl_ptx_constant *out)
{
    WL_TRY(wl_ptx_lexer_next(lexer));
    if (lexer->token.kind != WL_PTX_TOKEN_DIRECTIVE) {
        WL_TRY(expression(lexer, 0, nesting, out));
        return wl_ptx_lexer_take(lexer, ')');
    }
    const bool is_unsigned = wl_ptx_token_equals(&lexer->token, ".u64"); /* a cast */
    if (!is_unsigned && !wl_ptx_token_equals(&lexer->token, ".s64"))
        return wl_ptx_lexer_unexpected(lexer, "'.s64' or '.u64'");
    WL_TRY(wl_ptx_lexer_next(lexer));
    WL_TRY(wl_ptx_lexer_take(lexer, ')'));
    WL_TRY(expression(lexer, PRODUCT_LEVEL + 1, nesting, out));
    out->is_unsigned = is_unsigned;
    return WL_OK;
}

static wl_status unary(wl_ptx_lexer *lexer, int nesting, wl_ptx_constant *out)
{
    const char sign = lexer->token.text[0];
    WL_TRY(wl_ptx_lexer_next(lexer));
    WL_TRY(expression(lexer, PRODUCT_LEVEL + 1, nesting, out));
    if (sign == '-')
        negate(out);
    else if (sign == '!')
        *out = integer(!is_true(out), false);
    else if (sign == '~')
        *out = integer(~out->integer, out->is_unsigned);
    return WL_OK;
}

static wl_status primary(wl_ptx_lexer *lexer, int nesting, wl_ptx_constant *out)
{
    const wl_ptx_token t = lexer->token;
    if (!wl_ptx_constant_begins(lexer) && !wl_ptx_token_equals(&t, "WARP_SZ"))
        return wl_ptx_lexer_unexpected(lexer, "a number");
    if (nesting > NESTING_MAX)
        return wl_fail(lexer->err, WL_E_INPUT, t.loc, "the expression is nested too deeply");
    if (wl_ptx_lexer_is(lexer, '('))
        return parenthesis(lexer, nesting + 1, out);
    if (t.kind == WL_PTX_TOKEN_PUNCT)
        return unary(lexer, nesting + 1, out);
    *out = (wl_ptx_constant){t.kind == WL_PTX_TOKEN_FLOAT, t.is_single, t.is_unsigned, t.integer, t.number};
    if (t.kind == WL_PTX_TOKEN_WORD)
        *out = integer(32, false);
    return wl_ptx_lexer_next(lexer);
}

static wl_status divide(wl_ptx_lexer *lexer, const wl_ptx_token *op, wl_ptx_constant *a, const wl_ptx_constant *b)
{
    const bool is_remainder = op->text[0] == '%', is_unsigned = a->is_unsigned || b->is_unsigned;
    if (b->integer == 0)
        return wl_fail(lexer->err, WL_E_INPUT, op->loc, "division by zero");
    if (is_unsigned) {
        *a = integer(is_remainder ? a->integer % b->integer : a->integer / b->integer, true);
        return WL_OK;
    }
    const int64_t x = (int64_t)a->integer, y = (int64_t)b->integer;
    if (y == -1) /* the smallest number has no negative */
        *a = integer(is_remainder ? 0 : 0 - a->integer, false);
    else
        *a = integer((uint64_t)(is_remainder ? x % y : x / y), false);
    return WL_OK;
}

static uint64_t shifted(const wl_ptx_constant *a, uint64_t by, bool left)
{
    const bool negative = !a->is_unsigned && (int64_t)a->integer < 0;
    if (by >= 64)
        return left || !negative ? 0 : UINT64_MAX;
    if (left)
        return a->integer << by;
    return negative ? ~(~a->integer >> by) : a->integer >> by;
}

static int compared(const wl_ptx_constant *a, const wl_ptx_constant *b)
{
    if (a->is_unsigned || b->is_unsigned)
        return (a->integer > b->integer) - (a->integer < b->integer);
    return ((int64_t)a->integer > (int64_t)b->integer) - ((int64_t)a->integer < (int64_t)b->integer);
}

static uint64_t comparison(const wl_ptx_token *op, const wl_ptx_constant *a, const wl_ptx_constant *b)
{
    const int order = compared(a, b);
    const bool with_equal = op->length == 2;
    switch (op->text[0]) {
    case '=': return order == 0;
    case '!': return order != 0;
    case '<': return order < 0 || (with_equal && order == 0);
    default: return order > 0 || (with_equal && order == 0);
    }
}

static uint64_t bitwise(const wl_ptx_token *op, const wl_ptx_constant *a, const wl_ptx_constant *b)
{
    const uint64_t x = a->integer, y = b->integer;
    if (op->length == 2)
        return op->text[0] == '&' ? x && y : x || y;
    return op->text[0] == '&' ? x & y : op->text[0] == '|' ? x | y : x ^ y;
}

/* a = a op b */
static wl_status combine(wl_ptx_lexer *lexer, const wl_ptx_token *op, int level, wl_ptx_constant *a,
                         const wl_ptx_constant *b)
{
    const bool is_unsigned = a->is_unsigned || b->is_unsigned;
    if (a->is_float || b->is_float)
        return wl_fail(lexer->err, WL_E_INPUT, op->loc, "expressions have integers only");
    switch (level) {
    case 10:
        if (op->text[0] != '*')
            return divide(lexer, op, a, b);
        *a = integer(a->integer * b->integer, is_unsigned);
        return WL_OK;
    case 9:
        *a = integer(op->text[0] == '+' ? a->integer + b->integer : a->integer - b->integer, is_unsigned);
        return WL_OK;
    case 8: *a = integer(shifted(a, b->integer, op->text[0] == '<'), a->is_unsigned); return WL_OK;
    case 7:
    case 6: *a = integer(comparison(op, a, b), false); return WL_OK;
    default: *a = integer(bitwise(op, a, b), is_unsigned); return WL_OK;
    }
}

static wl_status choice(wl_ptx_lexer *lexer, int nesting, wl_ptx_constant *out)
{
    wl_ptx_constant yes, no;
    WL_TRY(wl_ptx_lexer_next(lexer));
    WL_TRY(expression(lexer, 0, nesting + 1, &yes));
    WL_TRY(wl_ptx_lexer_take(lexer, ':'));
    WL_TRY(expression(lexer, 0, nesting + 1, &no));
    *out = is_true(out) ? yes : no;
    return WL_OK;
}

/* Operators of that level and above. */
static wl_status expression(wl_ptx_lexer *lexer, int level, int nesting, wl_ptx_constant *out)
{
    WL_TRY(primary(lexer, nesting, out));
    for (int own; (own = level_of(&lexer->token)) > 0 && own >= level;) {
        const wl_ptx_token op = lexer->token;
        wl_ptx_constant right;
        WL_TRY(wl_ptx_lexer_next(lexer));
        WL_TRY(expression(lexer, own + 1, nesting + 1, &right));
        WL_TRY(combine(lexer, &op, own, out, &right));
    }
    return level == 0 && wl_ptx_lexer_is(lexer, '?') ? choice(lexer, nesting, out) : WL_OK;
}

wl_status wl_ptx_read_constant(wl_ptx_lexer *lexer, wl_ptx_constant *out) { return expression(lexer, 0, 0, out); }

wl_status wl_ptx_read_product(wl_ptx_lexer *lexer, wl_ptx_constant *out)
{
    return expression(lexer, PRODUCT_LEVEL, 0, out);
}

wl_status wl_ptx_read_integer(wl_ptx_lexer *lexer, int64_t low, int64_t high, const char *what, int64_t *out)
{
    const wl_loc loc = lexer->token.loc;
    wl_ptx_constant c;
    WL_TRY(wl_ptx_read_constant(lexer, &c));
    *out = (int64_t)c.integer;
    if (c.is_float || *out < low || *out > high || (c.is_unsigned && c.integer > INT64_MAX))
        return wl_fail(lexer->err, WL_E_INPUT, loc, "%s is %lld to %lld", what, (long long)low, (long long)high);
    return WL_OK;
}

/* The nearest number with that many bits, as its bits. Exponent and mantissa are added, so that rounding up carries
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
