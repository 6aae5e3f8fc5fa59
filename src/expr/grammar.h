/* grammar.h - the one parser of expressions, by precedence climbing.
 *
 *   expression = operand { operator operand }, operators binding as in C
 *   operand    = sign operand | what the grammar reads
 *
 * A grammar says which operators there are, reads the operands, and makes something of both: a tree, a number, a value
 * in a register. Layer  expr (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_EXPR_GRAMMAR_H
#define WL_EXPR_GRAMMAR_H

#include "expr/lexer.h"
#include "expr/operate.h"

/* What has been made of an expression so far. */
typedef union wl_parsed {
    const struct wl_expr *expr; /* a tree                       */
    int32_t node;               /* one of the grammar's values  */
    wl_literal literal;         /* a number                     */
} wl_parsed;

typedef struct wl_parser wl_parser;

typedef struct wl_grammar {
    uint32_t operators;  /* of two sides: WL_OPERATOR of each            */
    const char *signs;   /* characters that may stand before an operand  */
    bool chains;         /* a < b < c is (a < b) < c, otherwise an error */
    int depth_max;       /* signs and parentheses inside each other      */
    wl_status too_deep;  /* the status when they are more                */
    const char *operand; /* what an operand may be, in messages          */
    /* At the token that begins one, which is no sign; wl_parse_parenthesis reads what is none of the grammar's. */
    wl_status (*read)(wl_parser *p, wl_parsed *out);
    wl_status (*sign)(wl_parser *p, char sign, wl_loc loc, wl_parsed *value);
    wl_status (*binary)(wl_parser *p, wl_expr_op op, wl_loc loc, const wl_parsed *a, const wl_parsed *b,
                        wl_parsed *out);
    bool (*is_true)(const wl_parsed *condition); /* a ? b : c; NULL where there is none */
} wl_grammar;

struct wl_parser {
    wl_lexer *lexer;
    const wl_grammar *grammar;
    void *context; /* the grammar's */
    const char *noun;
    int depth;
};

#define WL_OPERATOR(op) ((uint32_t)1 << (op))
#define WL_OPERATORS_SUM (WL_OPERATOR(WL_EXPR_ADD) | WL_OPERATOR(WL_EXPR_SUB))
#define WL_OPERATORS_PRODUCT (WL_OPERATOR(WL_EXPR_MUL) | WL_OPERATOR(WL_EXPR_DIV))
#define WL_OPERATORS_CONDITION                                                                                         \
    (WL_OPERATORS_SUM | WL_OPERATORS_PRODUCT | WL_OPERATOR(WL_EXPR_MOD) | WL_OPERATOR(WL_EXPR_LESS) |                  \
     WL_OPERATOR(WL_EXPR_LESS_EQUAL) | WL_OPERATOR(WL_EXPR_EQUAL) | WL_OPERATOR(WL_EXPR_UNEQUAL) |                     \
     WL_OPERATOR(WL_EXPR_BOTH) | WL_OPERATOR(WL_EXPR_ANY))
#define WL_OPERATORS_ALL UINT32_MAX

/* Reads one expression and leaves the lexer behind it. */
wl_status wl_parse(wl_parser *p, wl_parsed *out);
/* Products only: a caller adds up what is not all of the grammar. */
wl_status wl_parse_product(wl_parser *p, wl_parsed *out);
/* An operand with its signs. */
wl_status wl_parse_operand(wl_parser *p, wl_parsed *out);
/* ( expression ), or fails: the grammar's operand is expected. */
wl_status wl_parse_parenthesis(wl_parser *p, wl_parsed *out);

#endif /* WL_EXPR_GRAMMAR_H */
