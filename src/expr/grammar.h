/* grammar.h - the one expression parser, by precedence climbing.
 *
 *  expression = operand { operator operand }, operators bind as in C
 *  operand    = sign operand | what the grammar reads
 *
 * A grammar lists its operators, reads its operands, and builds a result of its own kind: a tree, a
 * number, a value in a register.
 *
 * Layer  expr (uses base). Oracle: tests/unit/test_expr.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_EXPR_GRAMMAR_H
#define WL_EXPR_GRAMMAR_H

#include "expr/lexer.h"
#include "expr/operate.h"

/* The result built so far. */
typedef union wl_parsed {
    const struct wl_expr *expr; /* a tree */
    int32_t node;               /* one of the grammar's values */
    wl_literal literal;         /* a number */
} wl_parsed;

typedef struct wl_parser wl_parser;

typedef struct wl_grammar {
    uint32_t operators;  /* binary ones: WL_OPERATOR of each */
    const char *signs;   /* characters that may precede an operand */
    bool chains;         /* a < b < c is (a < b) < c, otherwise an error */
    int depth_max;       /* nested signs and parentheses */
    wl_status too_deep;  /* status when they exceed depth_max */
    const char *operand; /* what an operand can be, for messages */
    /* Called at the first token of an operand, signs already read; wl_parse_parenthesis handles
     * what the grammar does not. */
    wl_status (*read)(wl_parser *p, wl_parsed *out);
    wl_status (*sign)(wl_parser *p, char sign, wl_loc loc, wl_parsed *value);
    wl_status (*binary)(wl_parser *p, wl_expr_op op, wl_loc loc, const wl_parsed *a, const wl_parsed *b,
                        wl_parsed *out);
    bool (*is_true)(const wl_parsed *condition); /* a ? b : c; NULL: not in the grammar */
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

/* Parses one expression, and leaves the lexer at the token after it. */
wl_status wl_parse(wl_parser *p, wl_parsed *out);
/* Products only, for callers that handle sums themselves. */
wl_status wl_parse_product(wl_parser *p, wl_parsed *out);
/* An operand with its signs. */
wl_status wl_parse_operand(wl_parser *p, wl_parsed *out);
/* ( expression ); fails with "expected <operand>" otherwise. */
wl_status wl_parse_parenthesis(wl_parser *p, wl_parsed *out);

#endif /* WL_EXPR_GRAMMAR_H */
