/* tree.c - see tree.h. SPDX-License-Identifier: MIT */
#include "expr/tree.h"

#include "base/fail.h"

static const wl_expr *new_expr(wl_arena *arena, wl_expr e)
{
    wl_expr *copy = WL_ARENA_NEW(arena, wl_expr, 1);
    if (copy) {
        *copy = e;
        copy->vars = (e.a ? wl_expr_vars(e.a) : 0) | (e.b ? wl_expr_vars(e.b) : 0);
    }
    return copy;
}

const wl_expr *wl_expr_new_const(wl_arena *arena, int64_t value, wl_loc loc)
{
    return new_expr(arena, (wl_expr){.op = WL_EXPR_CONST, .value = value, .loc = loc});
}

const wl_expr *wl_expr_new_var(wl_arena *arena, unsigned var, wl_loc loc)
{
    return new_expr(arena, (wl_expr){.op = WL_EXPR_VAR, .var = var, .loc = loc});
}

const wl_expr *wl_expr_new_like(wl_arena *arena, const wl_expr *e, const wl_expr *a, const wl_expr *b)
{
    return new_expr(arena, (wl_expr){.op = e->op, .a = a, .b = b, .loc = e->loc});
}

static wl_status made(const wl_expr *e, const wl_expr **out, wl_error *err)
{
    *out = e;
    return e ? WL_OK : wl_fail_memory(err);
}

static bool are_constants(const wl_expr *a, const wl_expr *b)
{
    return a && b && a->op == WL_EXPR_CONST && b->op == WL_EXPR_CONST;
}

static wl_status new_op(wl_arena *arena, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc, bool lazy,
                        const wl_expr **out, wl_error *err)
{
    int64_t value = 0;
    const wl_problem problem = are_constants(a, b) ? wl_operate(op, a->value, b->value, &value) : WL_PROBLEM_NONE;
    if (problem != WL_PROBLEM_NONE && !lazy)
        return wl_operate_status(problem, loc, err);
    if (are_constants(a, b) && problem == WL_PROBLEM_NONE)
        return made(wl_expr_new_const(arena, value, loc), out, err);
    return made(a && b ? new_expr(arena, (wl_expr){.op = op, .a = a, .b = b, .loc = loc}) : NULL, out, err);
}

wl_status wl_expr_new_op(wl_arena *arena, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc,
                         const wl_expr **out, wl_error *err)
{
    return new_op(arena, op, a, b, loc, false, out, err);
}

wl_status wl_expr_new_select(wl_arena *arena, const wl_expr *condition, const wl_expr *a, const wl_expr *b, wl_loc loc,
                             const wl_expr **out, wl_error *err)
{
    if (condition && condition->op == WL_EXPR_CONST)
        return made(condition->value ? a : b, out, err);
    const wl_expr *either =
        a && b ? new_expr(arena, (wl_expr){.op = WL_EXPR_EITHER, .a = a, .b = b, .loc = loc}) : NULL;
    const wl_expr e = {.op = WL_EXPR_SELECT, .a = condition, .b = either, .loc = loc};
    return made(condition && either ? new_expr(arena, e) : NULL, out, err);
}

/* ---- from text ---- */

typedef struct reading {
    const wl_expr_reader *reader;
    wl_arena *arena;
    int length;
} reading;

/* Counts operators against the limit. */
static wl_status lengthen(wl_parser *p, int by, wl_loc loc)
{
    reading *r = p->context;
    r->length += by;
    if (r->length <= r->reader->length_max)
        return WL_OK;
    return wl_fail(p->lexer->err, r->reader->too_long, loc, "the %s is too long", p->noun);
}

static wl_status make(wl_parser *p, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc, const wl_expr **out)
{
    const reading *r = p->context;
    WL_TRY(lengthen(p, 1, loc));
    return new_op(r->arena, op, a, b, loc, r->reader->lazy, out, p->lexer->err);
}

static wl_status constant(wl_parser *p, int64_t value, wl_loc loc, const wl_expr **out)
{
    const reading *r = p->context;
    return made(wl_expr_new_const(r->arena, value, loc), out, p->lexer->err);
}

/* -a is 0 - a. */
static wl_status negate(wl_parser *p, const wl_expr *a, wl_loc loc, const wl_expr **out)
{
    const wl_expr *zero = NULL;
    WL_TRY(constant(p, 0, loc, &zero));
    return make(p, WL_EXPR_SUB, zero, a, loc, out);
}

/* !a is 0 == a, ~a is -1 ^ a. */
wl_status wl_expr_read_sign(wl_parser *p, char sign, wl_loc loc, wl_parsed *value)
{
    const wl_expr *other = NULL;
    if (sign == '-')
        return negate(p, value->expr, loc, &value->expr);
    WL_TRY(constant(p, sign == '!' ? 0 : -1, loc, &other));
    return make(p, sign == '!' ? WL_EXPR_EQUAL : WL_EXPR_BIT_XOR, other, value->expr, loc, &value->expr);
}

wl_status wl_expr_read_binary(wl_parser *p, wl_expr_op op, wl_loc loc, const wl_parsed *a, const wl_parsed *b,
                              wl_parsed *out)
{
    return make(p, op, a->expr, b->expr, loc, &out->expr);
}

/* select(condition, then, else), after the name */
static wl_status select_call(wl_parser *p, wl_loc loc, wl_parsed *out)
{
    const reading *r = p->context;
    wl_parsed part[3];
    for (int i = 0; i < 3; i++) {
        WL_TRY(wl_lexer_take(p->lexer, i ? ',' : '('));
        WL_TRY(wl_parse(p, &part[i]));
    }
    WL_TRY(wl_lexer_take(p->lexer, ')'));
    WL_TRY(lengthen(p, 2, loc));
    return wl_expr_new_select(r->arena, part[0].expr, part[1].expr, part[2].expr, loc, &out->expr, p->lexer->err);
}

/* ceil(a / b) is -floor(-a / b). */
static wl_status combine(wl_parser *p, wl_expr_op op, const wl_expr *a, const wl_expr *b, wl_loc loc,
                         const wl_expr **out)
{
    if (op != WL_EXPR_DIV)
        return make(p, op, a, b, loc, out);
    WL_TRY(negate(p, a, loc, &a));
    WL_TRY(make(p, op, a, b, loc, &a));
    return negate(p, a, loc, out);
}

static wl_status call(wl_parser *p, const wl_expr_function *f, wl_parsed *out)
{
    const wl_loc loc = p->lexer->token.loc;
    int arguments = 1;
    WL_TRY(wl_lexer_next(p->lexer));
    if (f->op == WL_EXPR_SELECT)
        return select_call(p, loc, out);
    WL_TRY(wl_lexer_take(p->lexer, '('));
    WL_TRY(wl_parse(p, out));
    for (; wl_lexer_is(p->lexer, ',') && (f->most == 0 || arguments < f->most); arguments++) {
        wl_parsed b;
        WL_TRY(wl_lexer_next(p->lexer));
        WL_TRY(wl_parse(p, &b));
        WL_TRY(combine(p, f->op, out->expr, b.expr, loc, &out->expr));
    }
    return arguments > 1 ? wl_lexer_take(p->lexer, ')') : wl_lexer_unexpected(p->lexer, "',' and a second argument");
}

static wl_status name(wl_parser *p, wl_parsed *out)
{
    const reading *r = p->context;
    const wl_token t = p->lexer->token;
    bool is_var = false;
    int64_t value = 0;
    for (size_t i = 0; i < r->reader->function_count; i++)
        if (wl_token_equals(&t, r->reader->functions[i].name))
            return call(p, &r->reader->functions[i], out);
    WL_TRY(r->reader->name(r->reader->scope, &t, &is_var, &value, p->lexer->err));
    WL_TRY(wl_lexer_next(p->lexer));
    if (!is_var)
        return constant(p, value, t.loc, &out->expr);
    return made(wl_expr_new_var(r->arena, (unsigned)value, t.loc), &out->expr, p->lexer->err);
}

wl_status wl_expr_read_operand(wl_parser *p, wl_parsed *out)
{
    const wl_token t = p->lexer->token;
    if (t.kind == WL_TOKEN_NAME)
        return name(p, out);
    if (t.kind != WL_TOKEN_INT)
        return wl_parse_parenthesis(p, out);
    WL_TRY(wl_lexer_next(p->lexer));
    return constant(p, (int64_t)t.literal.integer, t.loc, &out->expr);
}

wl_status wl_expr_parse(const wl_expr_reader *reader, wl_lexer *lexer, wl_arena *arena, const wl_expr **out)
{
    reading r = {.reader = reader, .arena = arena};
    wl_parser p = {.lexer = lexer, .grammar = reader->grammar, .context = &r, .noun = reader->noun};
    wl_parsed parsed;
    WL_TRY(wl_parse(&p, &parsed));
    *out = parsed.expr;
    return WL_OK;
}

/* ---- queries ---- */

wl_status wl_expr_value(const wl_expr *e, const int64_t *values, size_t stride, int64_t *out, wl_error *err)
{
    int64_t a, b = 0;
    if (e->op == WL_EXPR_CONST || e->op == WL_EXPR_VAR) {
        *out = e->op == WL_EXPR_CONST ? e->value : values[(size_t)e->var * stride];
        return WL_OK;
    }
    WL_TRY(wl_expr_value(e->a, values, stride, &a, err));
    if (e->op == WL_EXPR_SELECT)
        return wl_expr_value(a ? e->b->a : e->b->b, values, stride, out, err);
    if ((e->op == WL_EXPR_BOTH && !a) || (e->op == WL_EXPR_ANY && a)) {
        *out = a != 0;
        return WL_OK;
    }
    WL_TRY(wl_expr_value(e->b, values, stride, &b, err));
    const wl_problem problem = wl_operate(e->op, a, b, out);
    return problem == WL_PROBLEM_NONE ? WL_OK : wl_operate_status(problem, e->loc, err);
}

uint32_t wl_expr_vars(const wl_expr *e)
{
    if (e->op == WL_EXPR_CONST)
        return 0;
    if (e->op == WL_EXPR_VAR)
        return 1u << e->var;
    return e->vars;
}

bool wl_expr_is_random(const wl_expr *e)
{
    return e->op == WL_EXPR_RANDOM || (e->a && (wl_expr_is_random(e->a) || wl_expr_is_random(e->b)));
}
