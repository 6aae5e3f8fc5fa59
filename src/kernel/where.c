/* where.c - see where.h. A condition becomes a short program for a stack of numbers. SPDX-License-Identifier: MIT */
#include "kernel/where.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"

static const char *const names[WL_WHERE_NAMES] = {
    "block.x", "block.y", "block.z",  "fold.x",   "fold.y",   "fold.z",  "tile.x", "tile.y", "tile.z",   "grid.x",
    "grid.y",  "grid.z",  "domain.x", "domain.y", "domain.z", "threads", "warps",  "cells",  "registers"};

#define DEPTH_MAX 64   /* of parentheses, and of the stack */
#define LENGTH_MAX 512 /* steps of one program */

typedef enum op {
    OP_NUMBER,
    OP_NAME,
    OP_NOT,
    OP_NEGATE,
    OP_UNLESS_FALSE, /* && and ||: skips the right side where the left one decides */
    OP_UNLESS_TRUE,
    OP_OR,
    OP_AND,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS_EQUAL,
    OP_GREATER_EQUAL,
    OP_LESS,
    OP_GREATER,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_MIN,
    OP_MAX,
    OP_DIVIDE_UP
} op;

typedef struct step {
    op op;
    int32_t column;
    int64_t value; /* the number, which name, or the step to go on with */
} step;

struct wl_where {
    const char *text;
    size_t length;
    step steps[];
};

/* Operators of two sides, longest first where one starts another; a higher level binds tighter. */
static const struct binary {
    const char *text;
    op op;
    int level;
} binaries[] = {
    {"||", OP_OR, 1},         {"&&", OP_AND, 2},           {"==", OP_EQUAL, 3},   {"!=", OP_UNEQUAL, 3},
    {"<=", OP_LESS_EQUAL, 3}, {">=", OP_GREATER_EQUAL, 3}, {"<", OP_LESS, 3},     {">", OP_GREATER, 3},
    {"+", OP_ADD, 4},         {"-", OP_SUBTRACT, 4},       {"*", OP_MULTIPLY, 5}, {"/", OP_DIVIDE, 5},
    {"%", OP_REMAINDER, 5},
};
#define LEVEL_COMPARE 3

static const struct function {
    const char *name;
    op op;
} functions[] = {{"min", OP_MIN}, {"max", OP_MAX}, {"cdiv", OP_DIVIDE_UP}};

typedef struct parser {
    const char *text, *at;
    const char *noun; /* what the text is, in messages */
    const wl_where_named *named;
    size_t named_count;
    step steps[LENGTH_MAX];
    size_t length;
    int depth, stack;
    wl_error *err;
} parser;

static wl_status fail_at(const parser *p, const char *where, size_t length, const char *message)
{
    const wl_loc loc = {1, (int32_t)(where - p->text) + 1, (int32_t)(length ? length : 1)};
    return wl_fail(p->err, WL_E_INPUT, loc, "%s", message);
}

/* "the condition is too long" */
static wl_status fail_whole(const parser *p, const char *where, const char *what)
{
    return wl_fail(p->err, WL_E_INPUT, (wl_loc){1, (int32_t)(where - p->text) + 1, 1}, "the %s %s", p->noun, what);
}

static void skip_blanks(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

/* The stack grows by one for a number or name, and shrinks for an operator of two sides. */
static wl_status emit(parser *p, op what, int64_t value, const char *where, int growth)
{
    p->stack += growth;
    if (p->length == LENGTH_MAX || p->stack > DEPTH_MAX)
        return fail_whole(p, where, "is too long");
    p->steps[p->length++] = (step){what, (int32_t)(where - p->text) + 1, value};
    return WL_OK;
}

static wl_status parse_level(parser *p, int level);

static wl_status expect(parser *p, char c)
{
    char message[] = "expected '?' here";
    skip_blanks(p);
    if (*p->at != c) {
        *strchr(message, '?') = c;
        return fail_at(p, p->at, 1, message);
    }
    p->at++;
    return WL_OK;
}

static wl_status parse_number(parser *p)
{
    const char *start = p->at;
    int64_t v = 0;
    for (; isdigit((unsigned char)*p->at); p->at++)
        if (!wl_mul(v, 10, &v) || !wl_add(v, *p->at - '0', &v))
            return fail_at(p, start, 1, "the number is too large");
    return emit(p, OP_NUMBER, v, start, 1);
}

static bool is_word(const char *name, const char *start, size_t length)
{
    return strlen(name) == length && memcmp(name, start, length) == 0;
}

static wl_status parse_call(parser *p, op what, const char *start)
{
    WL_TRY(expect(p, '('));
    WL_TRY(parse_level(p, 1));
    WL_TRY(expect(p, ','));
    WL_TRY(parse_level(p, 1));
    WL_TRY(expect(p, ')'));
    return emit(p, what, 0, start, -1);
}

static wl_status parse_name(parser *p)
{
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.')
        p->at++;
    const size_t length = (size_t)(p->at - start);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (is_word(functions[i].name, start, length))
            return parse_call(p, functions[i].op, start);
    for (size_t i = p->named_count; i-- > 0;) /* the last one counts */
        if (is_word(p->named[i].name, start, length))
            return emit(p, OP_NUMBER, p->named[i].value, start, 1);
    for (size_t i = 0; i < WL_WHERE_NAMES; i++)
        if (is_word(names[i], start, length))
            return emit(p, OP_NAME, (int64_t)i, start, 1);
    char what[40];
    const wl_loc loc = {1, (int32_t)(start - p->text) + 1, (int32_t)length};
    (void)snprintf(what, sizeof what, "a%s %s knows no", strchr("aeiou", p->noun[0]) ? "n" : "", p->noun);
    return wl_fail_unknown(p->err, loc, what, start, length, names, WL_WHERE_NAMES);
}

static wl_status parse_operand(parser *p)
{
    skip_blanks(p);
    const char *start = p->at;
    if (p->depth >= DEPTH_MAX)
        return fail_whole(p, start, "is nested too deeply");
    p->depth++;
    wl_status status;
    if (*start == '(') {
        p->at++;
        status = parse_level(p, 1);
        if (status == WL_OK)
            status = expect(p, ')');
    } else if (*start == '!' || *start == '-') {
        p->at++;
        status = parse_operand(p);
        if (status == WL_OK)
            status = emit(p, *start == '!' ? OP_NOT : OP_NEGATE, 0, start, 0);
    } else if (isdigit((unsigned char)*start)) {
        status = parse_number(p);
    } else if (isalpha((unsigned char)*start) || *start == '_') {
        status = parse_name(p);
    } else {
        status = *start ? fail_at(p, start, 1, "a number, a name or '(' is expected here")
                        : fail_whole(p, start, "ends here");
    }
    p->depth--;
    return status;
}

static const struct binary *operator_here(parser *p)
{
    skip_blanks(p);
    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++)
        if (strncmp(p->at, binaries[i].text, strlen(binaries[i].text)) == 0)
            return &binaries[i];
    return NULL;
}

/* Operands joined by operators of this level and above. */
static wl_status parse_level(parser *p, int level)
{
    bool compared = false;
    WL_TRY(parse_operand(p));
    for (const struct binary *b; (b = operator_here(p)) && b->level >= level;) {
        const char *start = p->at;
        if (b->level == LEVEL_COMPARE && compared)
            return fail_at(p, start, strlen(b->text), "comparisons do not chain: join them with &&");
        compared = b->level == LEVEL_COMPARE || (compared && b->level > LEVEL_COMPARE);
        p->at += strlen(b->text);
        const size_t left = p->length;
        const bool skips = b->op == OP_AND || b->op == OP_OR;
        if (skips)
            WL_TRY(emit(p, b->op == OP_AND ? OP_UNLESS_FALSE : OP_UNLESS_TRUE, 0, start, 0));
        WL_TRY(parse_level(p, b->level + 1));
        WL_TRY(emit(p, b->op, 0, start, -1));
        if (skips)
            p->steps[left].value = (int64_t)p->length;
    }
    return WL_OK;
}

const char *wl_where_text(const wl_where *where) { return where->text; }

bool wl_where_uses(const wl_where *where, wl_where_name name)
{
    for (size_t i = 0; i < where->length; i++)
        if (where->steps[i].op == OP_NAME && where->steps[i].value == (int64_t)name)
            return true;
    return false;
}

/* A copy of what was read. */
static wl_status finish(const parser *p, wl_arena *arena, const wl_where **out)
{
    wl_where *w = wl_arena_alloc(arena, 1, sizeof *w + p->length * sizeof *w->steps);
    if (w)
        w->text = wl_arena_text(arena, p->text, strlen(p->text));
    if (!w || !w->text)
        return wl_fail_memory(p->err);
    w->length = p->length;
    memcpy(w->steps, p->steps, p->length * sizeof *w->steps);
    *out = w;
    return WL_OK;
}

wl_status wl_where_parse(const char *text, wl_arena *arena, const wl_where **out, wl_error *err)
{
    parser p = {.text = text, .at = text, .noun = "condition", .err = err};
    WL_TRY(parse_level(&p, 1));
    skip_blanks(&p);
    if (*p.at)
        return fail_at(&p, p.at, 1, *p.at == '=' ? "use == to compare" : "an operator or the end is expected here");
    return finish(&p, arena, out);
}

wl_status wl_where_parse_part(const char *text, const char **at, const wl_where_named *named, size_t named_count,
                              wl_arena *arena, const wl_where **out, wl_error *err)
{
    parser p = {.text = text, .at = *at, .noun = "expression", .named = named, .named_count = named_count, .err = err};
    WL_TRY(parse_level(&p, 1));
    skip_blanks(&p);
    if (*p.at && *p.at != ',')
        return fail_at(&p, p.at, 1, "an operator, a comma or the end is expected here");
    *at = p.at;
    return finish(&p, arena, out);
}

/* False when the result leaves 2^60 or does not exist. */
static bool apply(op what, int64_t a, int64_t b, int64_t *out)
{
    switch (what) {
    case OP_OR: *out = a || b; return true;
    case OP_AND: *out = a && b; return true;
    case OP_EQUAL: *out = a == b; return true;
    case OP_UNEQUAL: *out = a != b; return true;
    case OP_LESS_EQUAL: *out = a <= b; return true;
    case OP_GREATER_EQUAL: *out = a >= b; return true;
    case OP_LESS: *out = a < b; return true;
    case OP_GREATER: *out = a > b; return true;
    case OP_ADD: return wl_add(a, b, out);
    case OP_SUBTRACT: return wl_add(a, -b, out);
    case OP_MULTIPLY: return wl_mul(a, b, out);
    case OP_MIN: *out = a < b ? a : b; return true;
    case OP_MAX: *out = a > b ? a : b; return true;
    case OP_DIVIDE:
    case OP_REMAINDER:
        if (b == 0)
            return false;
        if (b < 0) {
            a = -a;
            b = -b;
            *out = what == OP_DIVIDE ? wl_floor_div(a, b) : -wl_floor_mod(a, b);
        } else {
            *out = what == OP_DIVIDE ? wl_floor_div(a, b) : wl_floor_mod(a, b);
        }
        return true;
    case OP_DIVIDE_UP:
        if (b == 0)
            return false;
        *out = -(b < 0 ? wl_floor_div(a, -b) : wl_floor_div(-a, b));
        return true;
    case OP_NUMBER:
    case OP_NAME:
    case OP_NOT:
    case OP_NEGATE:
    case OP_UNLESS_FALSE:
    case OP_UNLESS_TRUE: break;
    }
    return false;
}

wl_status wl_where_value(const wl_where *where, const int64_t values[WL_WHERE_NAMES], int64_t *value, wl_error *err)
{
    int64_t stack[DEPTH_MAX + 1];
    int top = 0;
    for (size_t i = 0; i < where->length; i++) {
        const step *s = &where->steps[i];
        if (s->op == OP_NUMBER || s->op == OP_NAME) {
            stack[top++] = s->op == OP_NUMBER ? s->value : values[s->value];
        } else if (s->op == OP_NOT || s->op == OP_NEGATE) {
            stack[top - 1] = s->op == OP_NOT ? !stack[top - 1] : -stack[top - 1];
        } else if (s->op == OP_UNLESS_FALSE || s->op == OP_UNLESS_TRUE) {
            const bool left = stack[top - 1] != 0;
            if (left != (s->op == OP_UNLESS_TRUE))
                continue;
            stack[top - 1] = left;
            i = (size_t)s->value - 1;
        } else {
            const bool divides = s->op == OP_DIVIDE || s->op == OP_REMAINDER || s->op == OP_DIVIDE_UP;
            const bool by_zero = divides && stack[top - 1] == 0;
            if (!apply(s->op, stack[top - 2], stack[top - 1], &stack[top - 2]))
                return wl_fail(err, by_zero ? WL_E_INPUT : WL_E_RANGE, (wl_loc){1, s->column, 1}, "%s",
                               by_zero ? "division by zero" : "a value leaves 2^60");
            top--;
        }
    }
    *value = stack[0];
    return WL_OK;
}

wl_status wl_where_holds(const wl_where *where, const int64_t values[WL_WHERE_NAMES], bool *holds, wl_error *err)
{
    int64_t value = 0;
    WL_TRY(wl_where_value(where, values, &value, err));
    *holds = value != 0;
    return WL_OK;
}
