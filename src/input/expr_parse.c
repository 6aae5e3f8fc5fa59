/* expr_parse.c - see expr_parse.h. Functions are named after the grammar rule they read:
 *   expression = unary { operator unary }, operators binding as in C;  unary = (-|!|~) unary | primary
 *   primary = integer | name | (min|max|random|select) ( expression, expression, .. ) | ( expression )
 * SPDX-License-Identifier: MIT */
#include "input/expr_parse.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"

#define NODES_MAX 2000 /* per expression: bounds the recursion of everything that walks one */

typedef struct reader {
    wl_lexer *lexer;
    const wl_scope *scope;
    wl_arena *arena;
    int nodes, depth;
} reader;

static const struct {
    const char *name;
    wl_var var;
} coordinates[] = {
    {"x", WL_VAR_X},
    {"y", WL_VAR_Y},
    {"z", WL_VAR_Z},
    {"threadIdx.x", WL_VAR_THREAD_X},
    {"threadIdx.y", WL_VAR_THREAD_Y},
    {"threadIdx.z", WL_VAR_THREAD_Z},
    {"blockIdx.x", WL_VAR_BLOCK_X},
    {"blockIdx.y", WL_VAR_BLOCK_Y},
    {"blockIdx.z", WL_VAR_BLOCK_Z},
    {"blockDim.x", WL_VAR_BLOCKDIM_X},
    {"blockDim.y", WL_VAR_BLOCKDIM_Y},
    {"blockDim.z", WL_VAR_BLOCKDIM_Z},
    {"gridDim.x", WL_VAR_GRIDDIM_X},
    {"gridDim.y", WL_VAR_GRIDDIM_Y},
    {"gridDim.z", WL_VAR_GRIDDIM_Z},
};
static const size_t coordinate_count = sizeof coordinates / sizeof coordinates[0];

static const wl_expr *new_expr(wl_arena *arena, wl_expr e)
{
    wl_expr *copy = WL_ARENA_NEW(arena, wl_expr, 1);
    if (copy)
        *copy = e;
    return copy;
}

const wl_expr *wl_expr_new_const(wl_arena *arena, int64_t value, wl_loc loc)
{
    return new_expr(arena, (wl_expr){.op = WL_EXPR_CONST, .value = value, .loc = loc});
}

const wl_expr *wl_expr_new_var(wl_arena *arena, wl_var var, wl_loc loc)
{
    return new_expr(arena, (wl_expr){.op = WL_EXPR_VAR, .var = var, .loc = loc});
}

wl_status wl_expr_new_op(wl_arena *arena, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc,
                         const wl_expr **out, wl_error *err)
{
    const wl_expr e = {.op = op, .a = a, .b = b, .loc = loc};
    if (a && b && a->op == WL_EXPR_CONST && b->op == WL_EXPR_CONST) {
        const wl_ranges none = {0};
        wl_form form;
        bool affine;
        WL_TRY(wl_expr_form(&e, &none, &affine, &form, err));
        *out = wl_expr_new_const(arena, form.c, loc);
    } else {
        *out = a && b ? new_expr(arena, e) : NULL;
    }
    return *out ? WL_OK : wl_fail(err, WL_E_NOMEM, loc, "out of memory");
}

wl_status wl_expr_new_select(wl_arena *arena, const wl_expr *condition, const wl_expr *a, const wl_expr *b, wl_loc loc,
                             const wl_expr **out, wl_error *err)
{
    if (condition && condition->op == WL_EXPR_CONST)
        *out = condition->value ? a : b;
    else {
        const wl_expr *either =
            a && b ? new_expr(arena, (wl_expr){.op = WL_EXPR_EITHER, .a = a, .b = b, .loc = loc}) : NULL;
        *out = condition && either
                   ? new_expr(arena, (wl_expr){.op = WL_EXPR_SELECT, .a = condition, .b = either, .loc = loc})
                   : NULL;
    }
    return *out ? WL_OK : wl_fail(err, WL_E_NOMEM, loc, "out of memory");
}

static wl_status leaf(reader *r, const wl_expr *e, const wl_expr **out)
{
    *out = e;
    return e ? WL_OK : wl_fail_memory(r->lexer->err);
}

static wl_status unknown_name(reader *r)
{
    const wl_token *t = &r->lexer->token;
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < r->scope->param_count && n < 40; i++)
        names[n++] = r->scope->params[i].name;
    for (int i = 0; i < r->scope->loop_count; i++)
        names[n++] = r->scope->loops[i];
    for (size_t i = 0; r->scope->coordinates && i < coordinate_count; i++)
        names[n++] = coordinates[i].name;
    return wl_fail_unknown(r->lexer->err, t->loc, "unknown name", t->text, t->length, names, n);
}

static wl_status name(reader *r, const wl_expr **out)
{
    const wl_token t = r->lexer->token;
    for (size_t i = 0; i < r->scope->param_count; i++) {
        if (wl_token_equals(&t, r->scope->params[i].name)) {
            WL_TRY(wl_lexer_next(r->lexer));
            return leaf(r, wl_expr_new_const(r->arena, r->scope->params[i].value, t.loc), out);
        }
    }
    for (int i = 0; i < r->scope->loop_count; i++) {
        if (wl_token_equals(&t, r->scope->loops[i])) {
            WL_TRY(wl_lexer_next(r->lexer));
            return leaf(r, wl_expr_new_var(r->arena, (wl_var)(WL_VAR_LOOP_0 + i), t.loc), out);
        }
    }
    for (size_t i = 0; r->scope->coordinates && i < coordinate_count; i++) {
        if (wl_token_equals(&t, coordinates[i].name)) {
            WL_TRY(wl_lexer_next(r->lexer));
            return leaf(r, wl_expr_new_var(r->arena, coordinates[i].var, t.loc), out);
        }
    }
    return unknown_name(r);
}

static wl_status expression(reader *r, const wl_expr **out);

static wl_status make(reader *r, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc, const wl_expr **out)
{
    if (++r->nodes > NODES_MAX)
        return wl_fail(r->lexer->err, WL_E_LIMIT, loc, "the expression is too long");
    return wl_expr_new_op(r->arena, op, a, b, loc, out, r->lexer->err);
}

static wl_status call(reader *r, wl_expr_op op, const wl_expr **out)
{
    const wl_loc loc = r->lexer->token.loc;
    const wl_expr *a = NULL, *b = NULL;
    WL_TRY(wl_lexer_next(r->lexer));
    WL_TRY(wl_lexer_take(r->lexer, '('));
    WL_TRY(expression(r, &a));
    while (wl_lexer_is(r->lexer, ',')) {
        WL_TRY(wl_lexer_next(r->lexer));
        WL_TRY(expression(r, &b));
        WL_TRY(make(r, op, a, b, loc, &a));
        if (op == WL_EXPR_RANDOM)
            break; /* of a key, below a number: no more */
    }
    if (!b)
        return wl_lexer_unexpected(r->lexer, "',' and a second argument");
    *out = a;
    return wl_lexer_take(r->lexer, ')');
}

/* select(condition, then, else) */
static wl_status select_call(reader *r, const wl_expr **out)
{
    const wl_loc loc = r->lexer->token.loc;
    const wl_expr *part[3];
    WL_TRY(wl_lexer_next(r->lexer));
    for (int i = 0; i < 3; i++) {
        WL_TRY(wl_lexer_take(r->lexer, i ? ',' : '('));
        WL_TRY(expression(r, &part[i]));
    }
    WL_TRY(wl_lexer_take(r->lexer, ')'));
    r->nodes += 2;
    if (r->nodes > NODES_MAX)
        return wl_fail(r->lexer->err, WL_E_LIMIT, loc, "the expression is too long");
    return wl_expr_new_select(r->arena, part[0], part[1], part[2], loc, out, r->lexer->err);
}

static wl_status primary(reader *r, const wl_expr **out)
{
    const wl_token t = r->lexer->token;
    if (t.kind == WL_TOKEN_INT) {
        WL_TRY(wl_lexer_next(r->lexer));
        return leaf(r, wl_expr_new_const(r->arena, t.integer, t.loc), out);
    }
    if (t.kind == WL_TOKEN_NAME && wl_token_equals(&t, "min"))
        return call(r, WL_EXPR_MIN, out);
    if (t.kind == WL_TOKEN_NAME && wl_token_equals(&t, "max"))
        return call(r, WL_EXPR_MAX, out);
    if (t.kind == WL_TOKEN_NAME && wl_token_equals(&t, "random"))
        return call(r, WL_EXPR_RANDOM, out);
    if (t.kind == WL_TOKEN_NAME && wl_token_equals(&t, "select"))
        return select_call(r, out);
    if (t.kind == WL_TOKEN_NAME)
        return name(r, out);
    if (!wl_lexer_is(r->lexer, '('))
        return wl_lexer_unexpected(r->lexer, "a whole number, a name or '('");
    WL_TRY(wl_lexer_next(r->lexer));
    WL_TRY(expression(r, out));
    return wl_lexer_take(r->lexer, ')');
}

/* -a is 0 - a, !a is a == 0, ~a is a ^ -1. */
static const struct {
    char sign;
    wl_expr_op op;
    int64_t other;
} signs[] = {{'-', WL_EXPR_SUB, 0}, {'!', WL_EXPR_EQUAL, 0}, {'~', WL_EXPR_BIT_XOR, -1}};

static wl_status unary(reader *r, const wl_expr **out);

static wl_status signed_unary(reader *r, size_t sign, const wl_expr **out)
{
    const wl_loc loc = r->lexer->token.loc;
    const wl_expr *other = NULL, *a = NULL;
    WL_TRY(wl_lexer_next(r->lexer));
    WL_TRY(unary(r, &a));
    WL_TRY(leaf(r, wl_expr_new_const(r->arena, signs[sign].other, loc), &other));
    return make(r, signs[sign].op, other, a, loc, out);
}

static wl_status unary(reader *r, const wl_expr **out)
{
    if (++r->depth > 100)
        return wl_fail(r->lexer->err, WL_E_LIMIT, r->lexer->token.loc, "the expression is nested too deeply");
    size_t sign = 0;
    while (sign < sizeof signs / sizeof signs[0] && !wl_lexer_is(r->lexer, signs[sign].sign))
        sign++;
    const wl_status status = sign < sizeof signs / sizeof signs[0] ? signed_unary(r, sign, out) : primary(r, out);
    r->depth--;
    return status;
}

/* What binds more tightly has the higher rank. */
static const struct binary {
    char punct;
    int rank;
    wl_expr_op op;
    bool swapped; /* a > b is b < a */
} binaries[] = {
    {WL_PUNCT_ANY, 1, WL_EXPR_ANY, false},
    {WL_PUNCT_BOTH, 2, WL_EXPR_BOTH, false},
    {'|', 3, WL_EXPR_BIT_OR, false},
    {'^', 4, WL_EXPR_BIT_XOR, false},
    {'&', 5, WL_EXPR_BIT_AND, false},
    {WL_PUNCT_EQUAL, 6, WL_EXPR_EQUAL, false},
    {WL_PUNCT_UNEQUAL, 6, WL_EXPR_UNEQUAL, false},
    {'<', 7, WL_EXPR_LESS, false},
    {'>', 7, WL_EXPR_LESS, true},
    {WL_PUNCT_LESS_EQUAL, 7, WL_EXPR_LESS_EQUAL, false},
    {WL_PUNCT_GREATER_EQUAL, 7, WL_EXPR_LESS_EQUAL, true},
    {WL_PUNCT_SHIFT_LEFT, 8, WL_EXPR_SHIFT_LEFT, false},
    {WL_PUNCT_SHIFT_RIGHT, 8, WL_EXPR_SHIFT_RIGHT, false},
    {'+', 9, WL_EXPR_ADD, false},
    {'-', 9, WL_EXPR_SUB, false},
    {'*', 10, WL_EXPR_MUL, false},
    {'/', 10, WL_EXPR_DIV, false},
    {'%', 10, WL_EXPR_MOD, false},
};

static const struct binary *operator_here(const reader *r)
{
    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++)
        if (wl_lexer_is(r->lexer, binaries[i].punct))
            return &binaries[i];
    return NULL;
}

/* Operators of this rank and above. */
static wl_status ranked(reader *r, int rank, const wl_expr **out)
{
    WL_TRY(unary(r, out));
    for (const struct binary *o = operator_here(r); o && o->rank >= rank; o = operator_here(r)) {
        const wl_loc loc = r->lexer->token.loc;
        const wl_expr *b = NULL;
        WL_TRY(wl_lexer_next(r->lexer));
        WL_TRY(ranked(r, o->rank + 1, &b));
        WL_TRY(make(r, o->op, o->swapped ? b : *out, o->swapped ? *out : b, loc, out));
    }
    return WL_OK;
}

static wl_status expression(reader *r, const wl_expr **out) { return ranked(r, 1, out); }

wl_status wl_expr_read(wl_lexer *lexer, const wl_scope *scope, wl_arena *arena, const wl_expr **out)
{
    reader r = {.lexer = lexer, .scope = scope, .arena = arena};
    return expression(&r, out);
}

wl_status wl_expr_constant(const char *text, const wl_scope *scope, wl_arena *arena, int64_t *value, wl_error *err)
{
    wl_lexer lexer;
    const wl_expr *e = NULL;
    WL_TRY(wl_lexer_start(&lexer, text, false, err));
    WL_TRY(wl_expr_read(&lexer, scope, arena, &e));
    if (lexer.token.kind != WL_TOKEN_END)
        return wl_lexer_unexpected(&lexer, "an operator or the end");
    WL_ASSERT(e->op == WL_EXPR_CONST); /* no coordinates in scope: everything folds */
    *value = e->value;
    return WL_OK;
}
