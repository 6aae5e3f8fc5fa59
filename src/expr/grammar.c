/* grammar.c - see grammar.h. SPDX-License-Identifier: MIT */
#include "expr/grammar.h"

#include <string.h>

#include "base/fail.h"

enum { RANK_LEAST = 1, RANK_COMPARE = 6, RANK_SHIFT = 8, RANK_PRODUCT = 10 };

/* Operators that bind more tightly have a higher rank. */
typedef struct binary {
    int rank;
    wl_expr_op op;
    bool swapped; /* a > b is b < a */
} binary;

static const binary binaries[] = {
    [WL_PUNCT_ANY] = {RANK_LEAST, WL_EXPR_ANY, false},
    [WL_PUNCT_BOTH] = {2, WL_EXPR_BOTH, false},
    ['|'] = {3, WL_EXPR_BIT_OR, false},
    ['^'] = {4, WL_EXPR_BIT_XOR, false},
    ['&'] = {5, WL_EXPR_BIT_AND, false},
    [WL_PUNCT_EQUAL] = {RANK_COMPARE, WL_EXPR_EQUAL, false},
    [WL_PUNCT_UNEQUAL] = {RANK_COMPARE, WL_EXPR_UNEQUAL, false},
    ['<'] = {7, WL_EXPR_LESS, false},
    ['>'] = {7, WL_EXPR_LESS, true},
    [WL_PUNCT_LESS_EQUAL] = {7, WL_EXPR_LESS_EQUAL, false},
    [WL_PUNCT_GREATER_EQUAL] = {7, WL_EXPR_LESS_EQUAL, true},
    [WL_PUNCT_SHIFT_LEFT] = {RANK_SHIFT, WL_EXPR_SHIFT_LEFT, false},
    [WL_PUNCT_SHIFT_RIGHT] = {RANK_SHIFT, WL_EXPR_SHIFT_RIGHT, false},
    ['+'] = {9, WL_EXPR_ADD, false},
    ['-'] = {9, WL_EXPR_SUB, false},
    ['*'] = {RANK_PRODUCT, WL_EXPR_MUL, false},
    ['/'] = {RANK_PRODUCT, WL_EXPR_DIV, false},
    ['%'] = {RANK_PRODUCT, WL_EXPR_MOD, false},
};
#define PUNCTS ((unsigned char)(sizeof binaries / sizeof binaries[0]))

/* The next operator, if the grammar has it and its rank is at least `rank`. */
static const binary *operator_here(const wl_parser *p, int rank)
{
    const wl_token *t = &p->lexer->token;
    const unsigned char punct = (unsigned char)t->punct;
    if (t->kind != WL_TOKEN_PUNCT || punct >= PUNCTS || binaries[punct].rank < rank)
        return NULL;
    return p->grammar->operators & WL_OPERATOR(binaries[punct].op) ? &binaries[punct] : NULL;
}

wl_status wl_parse_operand(wl_parser *p, wl_parsed *out)
{
    const wl_token t = p->lexer->token;
    if (p->depth == p->grammar->depth_max)
        return wl_fail(p->lexer->err, p->grammar->too_deep, t.loc, "the %s is nested too deeply", p->noun);
    p->depth++;
    if (t.kind == WL_TOKEN_PUNCT && t.punct && strchr(p->grammar->signs, t.punct)) {
        WL_TRY(wl_lexer_next(p->lexer));
        WL_TRY(wl_parse_operand(p, out));
        WL_TRY(p->grammar->sign(p, t.punct, t.loc, out));
    } else {
        WL_TRY(p->grammar->read(p, out));
    }
    p->depth--; /* an error ends parsing, so depth need not be restored then */
    return WL_OK;
}

/* Operators of this rank and above. If comparisons do not chain, all of them share one rank. */
static wl_status ranked(wl_parser *p, int rank, wl_parsed *out)
{
    bool compared = false;
    WL_TRY(wl_parse_operand(p, out));
    for (const binary *o; (o = operator_here(p, rank));) {
        const wl_loc loc = p->lexer->token.loc;
        const bool alone = wl_op_compares(o->op) && !p->grammar->chains;
        const wl_parsed a = *out;
        wl_parsed b;
        if (alone && compared)
            return wl_fail(p->lexer->err, WL_E_INPUT, loc, "comparisons do not chain: join them with &&");
        compared = alone || (compared && o->rank > RANK_COMPARE);
        WL_TRY(wl_lexer_next(p->lexer));
        WL_TRY(ranked(p, alone ? RANK_SHIFT : o->rank + 1, &b));
        WL_TRY(p->grammar->binary(p, o->op, loc, o->swapped ? &b : &a, o->swapped ? &a : &b, out));
    }
    return WL_OK;
}

/* Is it an operator of C that the grammar lacks? */
static bool is_foreign(const wl_parser *p)
{
    const wl_token *t = &p->lexer->token;
    const unsigned char punct = (unsigned char)t->punct;
    return t->kind == WL_TOKEN_PUNCT && punct < PUNCTS && binaries[punct].rank > 0 && !operator_here(p, RANK_LEAST);
}

/* a ? b : c, after a. */
static wl_status choice(wl_parser *p, wl_parsed *out)
{
    wl_parsed yes, no;
    WL_TRY(wl_lexer_next(p->lexer));
    WL_TRY(wl_parse(p, &yes));
    WL_TRY(wl_lexer_take(p->lexer, ':'));
    WL_TRY(wl_parse(p, &no));
    *out = p->grammar->is_true(out) ? yes : no;
    return WL_OK;
}

wl_status wl_parse(wl_parser *p, wl_parsed *out)
{
    WL_TRY(ranked(p, RANK_LEAST, out));
    if (is_foreign(p))
        return wl_fail(p->lexer->err, WL_E_INPUT, p->lexer->token.loc, "'%.*s' is not an operator here",
                       (int)p->lexer->token.length, p->lexer->token.text);
    return p->grammar->is_true && wl_lexer_is(p->lexer, '?') ? choice(p, out) : WL_OK;
}

wl_status wl_parse_product(wl_parser *p, wl_parsed *out) { return ranked(p, RANK_PRODUCT, out); }

wl_status wl_parse_parenthesis(wl_parser *p, wl_parsed *out)
{
    if (!wl_lexer_is(p->lexer, '('))
        return wl_lexer_unexpected(p->lexer, p->grammar->operand);
    WL_TRY(wl_lexer_next(p->lexer));
    WL_TRY(wl_parse(p, out));
    return wl_lexer_take(p->lexer, ')');
}
