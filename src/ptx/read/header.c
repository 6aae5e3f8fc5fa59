/* header.c - parses functions: name, parameters, performance directives, then the body.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/module/known_bits.h"
#include "ptx/read/parser.h"

/* The function of that name: a new one, or the declared one. */
static wl_status find_or_add(wl_ptx_parser *p, const wl_token *t, bool is_entry, int32_t *number)
{
    const wl_ptx_name *old = wl_ptx_names_find(&p->names, WL_PTX_NAME_FUNCTION, t->text, t->length);
    if (old && old->kind == WL_PTX_NAME_FUNCTION) {
        *number = old->value;
        return WL_OK;
    }
    wl_ptx_function f = {.is_entry = is_entry, .is_declared_only = true, .line = t->loc.line};
    const wl_ptx_name name = {
        .text = t->text, .length = (int32_t)t->length, .kind = WL_PTX_NAME_FUNCTION, .value = p->functions.count};
    *number = p->functions.count;
    WL_TRY(wl_ptx_declare(p, t, name));
    WL_TRY(wl_ptx_keep_text(p, t->text, t->length, &f.name));
    WL_PTX_APPEND(&p->functions, p->err, f);
    WL_PTX_APPEND(&p->aliases, p->err, -1);
    return WL_OK;
}

/* "( .param .u64 a, .. )" to an array that the module owns. */
static wl_status parameters(wl_ptx_parser *p, int32_t **out, int *count)
{
    p->params.count = 0;
    WL_TRY(wl_lexer_take(&p->lexer, '('));
    for (bool more = true; more && !wl_lexer_is(&p->lexer, ')');) {
        int32_t variable;
        WL_TRY(wl_ptx_read_parameter(p, &variable));
        WL_PTX_APPEND(&p->params, p->err, variable);
        WL_TRY(wl_ptx_take_if(p, ',', &more));
    }
    WL_TRY(wl_lexer_take(&p->lexer, ')'));
    *out = wl_ptx_keep_list(p, p->params.items, p->params.count, sizeof **out);
    *count = p->params.count;
    return *out ? WL_OK : wl_fail_memory(p->err);
}

/* "256, 1, 1": missing numbers are 1. */
static wl_status triple(wl_ptx_parser *p, int64_t out[3])
{
    bool more = true;
    for (int i = 0; i < 3; i++) {
        out[i] = 1;
        if (more)
            WL_TRY(wl_ptx_read_integer(&p->lexer, 1, INT32_MAX, "a number of threads", &out[i]));
        if (more)
            WL_TRY(wl_ptx_take_if(p, ',', &more));
    }
    return WL_OK;
}

static wl_status small(wl_ptx_parser *p, int32_t *out)
{
    int64_t value;
    WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "the number", &value));
    *out = (int32_t)value;
    return WL_OK;
}

/* Directives whose numbers are not used. */
static bool is_ignored(const wl_token *t)
{
    static const char *const names[] = {
        ".maxnctapersm",      ".noreturn",     ".explicitcluster",      ".maxclusterrank",
        ".blocksareclusters", ".abi_preserve", ".abi_preserve_control", ".blocksperclusternctapersm"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (wl_token_equals(t, names[i]))
            return true;
    return false;
}

/* Skips to the next directive, the body or the end. */
static wl_status skip_values(wl_ptx_parser *p)
{
    wl_lexer *lexer = &p->lexer;
    while (lexer->token.kind != WL_TOKEN_DIRECTIVE && lexer->token.kind != WL_TOKEN_END && !wl_lexer_is(lexer, '{') &&
           !wl_lexer_is(lexer, ';'))
        WL_TRY(wl_lexer_is(lexer, '(') ? wl_ptx_skip_brackets(p) : wl_lexer_next(lexer));
    return WL_OK;
}

/* Parses one directive between the parameters and the body. */
static wl_status limit(wl_ptx_parser *p, wl_ptx_function *f)
{
    const wl_token t = p->lexer.token;
    const bool is_max = wl_token_equals(&t, ".maxntid");
    if (wl_token_equals(&t, ".pragma") || wl_token_equals(&t, ".loc"))
        return wl_ptx_read_common_directive(p);
    WL_TRY(wl_lexer_next(&p->lexer));
    if (is_max || wl_token_equals(&t, ".reqntid"))
        return triple(p, is_max ? f->max_threads : f->required_threads);
    if (wl_token_equals(&t, ".reqnctapercluster"))
        return triple(p, f->cluster);
    if (wl_token_equals(&t, ".maxnreg"))
        return small(p, &f->max_registers);
    if (wl_token_equals(&t, ".minnctapersm"))
        return small(p, &f->min_blocks);
    if (wl_token_equals(&t, ".attribute"))
        return wl_ptx_skip_brackets(p);
    if (!is_ignored(&t))
        WL_TRY(wl_ptx_note_add(p, t.loc, "the directive '%.*s' is not known", wl_ptx_quoted(t.length), t.text));
    return skip_values(p);
}

static wl_status body(wl_ptx_parser *p, wl_ptx_function *f, const wl_token *name)
{
    if (!f->is_declared_only)
        return wl_fail(p->err, WL_E_INPUT, name->loc, "the function '%.80s' is defined twice, first in line %d",
                       f->name, f->line);
    f->line = name->loc.line;
    f->is_declared_only = false;
    p->file = p->source_line = -1;
    p->functions.items[p->function] = *f;
    WL_TRY(wl_ptx_read_body(p));
    f->instructions = wl_ptx_keep_list(p, p->instructions.items, p->instructions.count, sizeof *f->instructions);
    f->lists = wl_ptx_keep_list(p, p->lists.items, p->lists.count, sizeof *f->lists);
    f->registers = wl_ptx_keep_list(p, p->registers.items, p->registers.count, sizeof *f->registers);
    f->instruction_count = p->instructions.count;
    f->list_count = p->lists.count;
    f->register_count = p->registers.count;
    if (!f->instructions || !f->lists || !f->registers)
        return wl_fail_memory(p->err);
    return wl_ptx_find_descriptors(f, p->err);
}

/* Parses from the return values on; the function's scope is open. */
static wl_status rest(wl_ptx_parser *p, bool is_entry)
{
    int32_t *returns = NULL;
    int return_count = 0;
    if (!is_entry && wl_lexer_is(&p->lexer, '('))
        WL_TRY(parameters(p, &returns, &return_count));
    const wl_token name = p->lexer.token;
    if (name.kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&p->lexer, "the name of a function");
    WL_TRY(wl_lexer_next(&p->lexer));
    wl_ptx_function f = p->functions.items[p->function];
    f.is_entry = is_entry;
    f.returns = returns;
    f.return_count = return_count;
    f.param_count = 0;
    if (wl_lexer_is(&p->lexer, '('))
        WL_TRY(parameters(p, &f.params, &f.param_count));
    while (p->lexer.token.kind == WL_TOKEN_DIRECTIVE)
        WL_TRY(limit(p, &f));
    if (wl_lexer_is(&p->lexer, '{'))
        WL_TRY(body(p, &f, &name));
    else
        WL_TRY(wl_lexer_take(&p->lexer, ';'));
    p->functions.items[p->function] = f;
    return WL_OK;
}

/* Finds the name, which follows the return values, so that all declarations belong to the
 * function. */
static wl_status name_ahead(wl_ptx_parser *p, wl_token *name)
{
    wl_lexer here = p->lexer;
    if (wl_lexer_is(&p->lexer, '('))
        WL_TRY(wl_ptx_skip_brackets(p));
    *name = p->lexer.token;
    if (name->kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&p->lexer, "the name of a function");
    p->lexer = here;
    return WL_OK;
}

wl_status wl_ptx_read_function(wl_ptx_parser *p)
{
    wl_token name;
    int32_t number;
    const bool is_entry = wl_token_equals(&p->lexer.token, ".entry");
    WL_TRY(wl_lexer_next(&p->lexer));
    while (wl_token_equals(&p->lexer.token, ".attribute")) {
        WL_TRY(wl_lexer_next(&p->lexer));
        WL_TRY(wl_ptx_skip_brackets(p));
    }
    WL_TRY(name_ahead(p, &name));
    WL_TRY(find_or_add(p, &name, is_entry, &number));
    p->function = number;
    WL_TRY(wl_ptx_open_scope(p));
    WL_TRY(rest(p, is_entry));
    WL_TRY(wl_ptx_close_scope(p));
    p->instructions.count = p->lists.count = p->registers.count = p->pending.count = 0;
    p->function = -1;
    return WL_OK;
}
