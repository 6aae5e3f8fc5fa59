/* where.c - see where.h. SPDX-License-Identifier: MIT */
#include "kernel/where.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "expr/tree.h"

static const char *const names[WL_WHERE_NAMES] = {
    "block.x", "block.y", "block.z",  "fold.x",   "fold.y",   "fold.z",  "tile.x", "tile.y", "tile.z",   "grid.x",
    "grid.y",  "grid.z",  "domain.x", "domain.y", "domain.z", "threads", "warps",  "cells",  "registers"};

#define DEPTH_MAX 64   /* of parentheses */
#define LENGTH_MAX 512 /* operators */
#define SUGGESTED_MAX 64

struct wl_where {
    const char *text;
    const wl_expr *expr; /* its variables are wl_where_names */
    uint32_t uses;       /* bit set of those */
};

typedef struct scope {
    const wl_where_named *named;
    size_t named_count;
    bool launch_first; /* the names of launches take precedence over the given ones */
    const char *noun;  /* what the text is, for messages */
} scope;

static wl_status find_name(const void *context, const wl_token *t, bool *is_var, int64_t *value, wl_error *err)
{
    const scope *s = context;
    int of_launch = 0;
    while (of_launch < WL_WHERE_NAMES && !wl_token_equals(t, names[of_launch]))
        of_launch++;
    *is_var = s->launch_first && of_launch < WL_WHERE_NAMES;
    for (size_t i = s->named_count; i-- > 0 && !*is_var;) /* the last definition wins */
        if (wl_token_equals(t, s->named[i].name)) {
            *value = s->named[i].value;
            return WL_OK;
        }
    *is_var = true;
    *value = of_launch;
    if (of_launch < WL_WHERE_NAMES)
        return WL_OK;
    char what[40];
    const char *known[WL_WHERE_NAMES + SUGGESTED_MAX];
    size_t count = 0;
    for (; count < s->named_count && count < SUGGESTED_MAX; count++)
        known[count] = s->named[count].name;
    memcpy(known + count, names, sizeof names);
    (void)snprintf(what, sizeof what, "a%s %s knows no", strchr("aeiou", s->noun[0]) ? "n" : "", s->noun);
    return wl_fail_unknown(err, t->loc, what, t->text, t->length, known, count + WL_WHERE_NAMES);
}

bool wl_where_knows(const char *name)
{
    for (int n = 0; n < WL_WHERE_NAMES; n++)
        if (strcmp(name, names[n]) == 0)
            return true;
    return false;
}

const char *wl_where_text(const wl_where *where) { return where->text; }

bool wl_where_uses(const wl_where *where, wl_where_name name) { return where->uses >> name & 1; }

/* Parses one expression from the lexer's token on. Operands of && and || may fail as long as
 * short-circuiting skips them. */
static wl_status read(wl_lexer *lexer, const scope *s, wl_arena *arena, const wl_where **out)
{
    static const wl_expr_function functions[] = {
        {"min", WL_EXPR_MIN, 2}, {"max", WL_EXPR_MAX, 2}, {"cdiv", WL_EXPR_DIV, 2}};
    static const wl_grammar grammar = {.operators = WL_OPERATORS_CONDITION,
                                       .signs = "-!",
                                       .depth_max = DEPTH_MAX,
                                       .too_deep = WL_E_INPUT,
                                       .operand = "a whole number, a name or '('",
                                       .read = wl_expr_read_operand,
                                       .sign = wl_expr_read_sign,
                                       .binary = wl_expr_read_binary};
    const wl_expr_reader reader = {.grammar = &grammar,
                                   .functions = functions,
                                   .function_count = sizeof functions / sizeof functions[0],
                                   .name = find_name,
                                   .scope = s,
                                   .noun = s->noun,
                                   .length_max = LENGTH_MAX,
                                   .too_long = WL_E_INPUT,
                                   .lazy = true};
    wl_where *w = WL_ARENA_NEW(arena, wl_where, 1);
    if (!w)
        return wl_fail_memory(lexer->err);
    w->text = wl_arena_text(arena, lexer->line_start, strlen(lexer->line_start));
    if (!w->text)
        return wl_fail_memory(lexer->err);
    WL_TRY(wl_lexer_next(lexer));
    WL_TRY(wl_expr_parse(&reader, lexer, arena, &w->expr));
    w->uses = wl_expr_vars(w->expr);
    *out = w;
    return WL_OK;
}

static wl_lexer lexer_at(const char *text, const char *at, const char *noun, wl_error *err)
{
    return (wl_lexer){.at = at,
                      .end = at + strlen(at),
                      .line_start = text,
                      .line = 1,
                      .language = &wl_language_condition,
                      .noun = noun,
                      .err = err};
}

wl_status wl_where_parse(const char *text, const wl_where_named *named, size_t named_count, wl_arena *arena,
                         const wl_where **out, wl_error *err)
{
    const scope s = {.named = named, .named_count = named_count, .launch_first = true, .noun = "condition"};
    wl_lexer lexer = lexer_at(text, text, s.noun, err);
    WL_TRY(read(&lexer, &s, arena, out));
    if (wl_lexer_is(&lexer, '='))
        return wl_fail(err, WL_E_INPUT, lexer.token.loc, "use == to compare");
    return lexer.token.kind == WL_TOKEN_END ? WL_OK : wl_lexer_unexpected(&lexer, "an operator or the end");
}

wl_status wl_where_parse_part(const char *text, const char **at, const wl_where_named *named, size_t named_count,
                              wl_arena *arena, const wl_where **out, wl_error *err)
{
    const scope s = {.named = named, .named_count = named_count, .noun = "expression"};
    wl_lexer lexer = lexer_at(text, *at, s.noun, err);
    WL_TRY(read(&lexer, &s, arena, out));
    if (lexer.token.kind != WL_TOKEN_END && !wl_lexer_is(&lexer, ','))
        return wl_lexer_unexpected(&lexer, "an operator, a comma or the end");
    *at = lexer.token.text;
    return WL_OK;
}

wl_status wl_where_value(const wl_where *where, const int64_t values[WL_WHERE_NAMES], int64_t *value, wl_error *err)
{
    return wl_expr_value(where->expr, values, 1, value, err);
}

wl_status wl_where_holds(const wl_where *where, const int64_t values[WL_WHERE_NAMES], bool *holds, wl_error *err)
{
    int64_t value = 0;
    WL_TRY(wl_where_value(where, values, &value, err));
    *holds = value != 0;
    return WL_OK;
}

wl_status wl_where_next_broken(const wl_where *const *list, size_t count, const int64_t values[WL_WHERE_NAMES],
                               size_t *at, wl_error *err)
{
    for (; *at < count; ++*at) {
        bool holds = false;
        const wl_status status = wl_where_holds(list[*at], values, &holds, err);
        if (status != WL_OK && err)
            (void)wl_fail_in(err, wl_where_text(list[*at]));
        if (status != WL_OK || !holds)
            return status;
    }
    return WL_OK;
}
