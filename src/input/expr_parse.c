/* expr_parse.c - see expr_parse.h. SPDX-License-Identifier: MIT */
#include "input/expr_parse.h"

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"

#define NODES_MAX 2000 /* per expression */
#define LEVELS_MAX 100

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

static wl_status unknown_name(const wl_scope *scope, const wl_token *t, wl_error *err)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < scope->param_count && n < 40; i++)
        names[n++] = scope->params[i].name;
    for (int i = 0; i < scope->loop_count; i++)
        names[n++] = scope->loops[i];
    for (size_t i = 0; scope->coordinates && i < coordinate_count; i++)
        names[n++] = coordinates[i].name;
    return wl_fail_unknown(err, t->loc, "unknown name", t->text, t->length, names, n);
}

static wl_status find_name(const void *context, const wl_token *t, bool *is_var, int64_t *value, wl_error *err)
{
    const wl_scope *scope = context;
    for (size_t i = 0; i < scope->param_count; i++) {
        if (wl_token_equals(t, scope->params[i].name)) {
            *value = scope->params[i].value;
            return WL_OK;
        }
    }
    *is_var = true;
    for (int i = 0; i < scope->loop_count; i++) {
        if (wl_token_equals(t, scope->loops[i])) {
            *value = WL_VAR_LOOP_0 + i;
            return WL_OK;
        }
    }
    for (size_t i = 0; scope->coordinates && i < coordinate_count; i++) {
        if (wl_token_equals(t, coordinates[i].name)) {
            *value = coordinates[i].var;
            return WL_OK;
        }
    }
    return unknown_name(scope, t, err);
}

wl_status wl_expr_read(wl_lexer *lexer, const wl_scope *scope, wl_arena *arena, const wl_expr **out)
{
    static const wl_expr_function functions[] = {
        {"min", WL_EXPR_MIN, 0}, {"max", WL_EXPR_MAX, 0}, {"random", WL_EXPR_RANDOM, 2}, {"select", WL_EXPR_SELECT, 3}};
    static const wl_grammar grammar = {.operators = WL_OPERATORS_ALL,
                                       .signs = "-!~",
                                       .chains = true,
                                       .depth_max = LEVELS_MAX,
                                       .too_deep = WL_E_LIMIT,
                                       .operand = "a whole number, a name or '('",
                                       .read = wl_expr_read_operand,
                                       .sign = wl_expr_read_sign,
                                       .binary = wl_expr_read_binary};
    const wl_expr_reader reader = {.grammar = &grammar,
                                   .functions = functions,
                                   .function_count = sizeof functions / sizeof functions[0],
                                   .name = find_name,
                                   .scope = scope,
                                   .noun = "expression",
                                   .length_max = NODES_MAX,
                                   .too_long = WL_E_LIMIT};
    return wl_expr_parse(&reader, lexer, arena, out);
}

wl_status wl_expr_constant(const char *text, const wl_scope *scope, wl_arena *arena, int64_t *value, wl_error *err)
{
    wl_lexer lexer;
    const wl_expr *e = NULL;
    WL_TRY(wl_lexer_start(&lexer, text, false, err));
    WL_TRY(wl_expr_read(&lexer, scope, arena, &e));
    if (lexer.token.kind != WL_TOKEN_END)
        return wl_lexer_unexpected(&lexer, "an operator or the end");
    /* without coordinates, every expression folds to a constant */
    WL_ASSERT(e->op == WL_EXPR_CONST);
    *value = e->value;
    return WL_OK;
}
