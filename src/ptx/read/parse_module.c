/* parse_module.c - parses a PTX text from its first directive to its end.
 * Layer  ptx/read. Oracle: tests/unit/test_ptx_parse.c, fuzz target ptx.
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "ptx/read/parser.h"

#define TEXT_MAX ((size_t)1 << 30)

wl_status wl_ptx_note_add(wl_ptx_parser *p, wl_loc loc, const char *format, ...)
{
    char text[256];
    wl_ptx_note note = {.line = loc.line, .column = loc.col};
    va_list args;
    va_start(args, format);
    (void)wl_print_list(text, sizeof text, format, args);
    va_end(args);
    WL_TRY(wl_ptx_keep_text(p, text, strlen(text), &note.text));
    WL_PTX_APPEND(&p->notes, p->err, note);
    return WL_OK;
}

wl_status wl_ptx_keep_text(wl_ptx_parser *p, const char *text, size_t length, const char **out)
{
    *out = wl_arena_text(&p->module->arena, text, length);
    return *out ? WL_OK : wl_fail_memory(p->err);
}

void *wl_ptx_keep_list(wl_ptx_parser *p, const void *items, int32_t count, size_t size)
{
    void *copy = wl_arena_alloc(&p->module->arena, (size_t)count, size);
    if (copy && count > 0)
        memcpy(copy, items, (size_t)count * size);
    return copy;
}

wl_status wl_ptx_take_if(wl_ptx_parser *p, char punct, bool *is_there)
{
    *is_there = wl_lexer_is(&p->lexer, punct);
    return *is_there ? wl_lexer_next(&p->lexer) : WL_OK;
}

wl_status wl_ptx_declare(wl_ptx_parser *p, const wl_token *at, wl_ptx_name name)
{
    const wl_ptx_name *old = wl_ptx_names_find(&p->names, name.kind, name.text, (size_t)name.length);
    if (old && old->depth == p->depth)
        return wl_fail(p->err, WL_E_INPUT, at->loc, "'%.*s' is declared twice, first in line %d",
                       wl_ptx_quoted((size_t)name.length), name.text, old->line);
    name.depth = p->depth;
    name.line = at->loc.line;
    return wl_ptx_names_add(&p->names, &name, p->err);
}

/* ---- module directives ---- */

/* "9.0": kept as text, because 8.10 and 8.1 differ. */
static wl_status version(wl_ptx_parser *p)
{
    wl_ptx_module *m = p->module;
    WL_TRY(wl_lexer_next(&p->lexer));
    const wl_token t = p->lexer.token;
    if (t.kind != WL_TOKEN_FLOAT || sscanf(t.text, "%3d.%3d", &m->version_major, &m->version_minor) != 2)
        return wl_lexer_unexpected(&p->lexer, "the version of PTX, as in '.version 8.0'");
    return wl_lexer_next(&p->lexer);
}

static wl_status target(wl_ptx_parser *p)
{
    do {
        WL_TRY(wl_lexer_next(&p->lexer));
        const wl_token t = p->lexer.token;
        if (t.kind != WL_TOKEN_NAME)
            return wl_lexer_unexpected(&p->lexer, "a target, as in '.target sm_80'");
        if (!p->module->target)
            WL_TRY(wl_ptx_keep_text(p, t.text, t.length, &p->module->target));
        WL_TRY(wl_lexer_next(&p->lexer));
    } while (wl_lexer_is(&p->lexer, ','));
    return WL_OK;
}

static wl_status address_size(wl_ptx_parser *p)
{
    int64_t bits;
    WL_TRY(wl_lexer_next(&p->lexer));
    const wl_loc loc = p->lexer.token.loc;
    WL_TRY(wl_ptx_read_integer(&p->lexer, 32, 64, "the size of addresses", &bits));
    if (bits != 32 && bits != 64)
        return wl_fail(p->err, WL_E_INPUT, loc, "the size of addresses is 32 or 64");
    p->module->address_bits = (int)bits;
    return WL_OK;
}

static wl_status function_named(wl_ptx_parser *p, int32_t *number)
{
    const wl_token t = p->lexer.token;
    const wl_ptx_name *name = wl_ptx_names_find(&p->names, WL_PTX_NAME_FUNCTION, t.text, t.length);
    if (t.kind != WL_TOKEN_NAME || !name || name->kind != WL_PTX_NAME_FUNCTION)
        return wl_lexer_unexpected(&p->lexer, "a function");
    *number = name->value;
    return wl_lexer_next(&p->lexer);
}

/* .alias name, of; */
static wl_status alias(wl_ptx_parser *p)
{
    int32_t name = 0, of = 0;
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(function_named(p, &name));
    WL_TRY(wl_lexer_take(&p->lexer, ','));
    WL_TRY(function_named(p, &of));
    p->aliases.items[name] = of;
    return wl_lexer_take(&p->lexer, ';');
}

static bool is_linkage(const wl_token *t)
{
    return wl_token_equals(t, ".visible") || wl_token_equals(t, ".extern") || wl_token_equals(t, ".weak") ||
           wl_token_equals(t, ".common");
}

static wl_status declaration(wl_ptx_parser *p)
{
    bool is_extern = false;
    wl_ptx_space space;
    while (is_linkage(&p->lexer.token)) {
        is_extern |= wl_token_equals(&p->lexer.token, ".extern");
        WL_TRY(wl_lexer_next(&p->lexer));
    }
    if (wl_token_equals(&p->lexer.token, ".entry") || wl_token_equals(&p->lexer.token, ".func"))
        return wl_ptx_read_function(p);
    if (!wl_ptx_is_space(&p->lexer.token, &space))
        return wl_ptx_read_common_directive(p);
    if (space == WL_PTX_REG)
        return wl_fail(p->err, WL_E_INPUT, p->lexer.token.loc, "registers are declared inside functions");
    return wl_ptx_read_variables(p, is_extern);
}

static wl_status directive(wl_ptx_parser *p)
{
    const wl_token *t = &p->lexer.token;
    if (wl_token_equals(t, ".version"))
        return version(p);
    if (wl_token_equals(t, ".target"))
        return target(p);
    if (wl_token_equals(t, ".address_size"))
        return address_size(p);
    if (wl_token_equals(t, ".alias"))
        return alias(p);
    return declaration(p);
}

static wl_status read_all(wl_ptx_parser *p)
{
    if (!wl_token_equals(&p->lexer.token, ".version"))
        return wl_lexer_unexpected(&p->lexer, "'.version', with which PTX begins");
    while (p->lexer.token.kind != WL_TOKEN_END) {
        if (p->lexer.token.kind == WL_TOKEN_DIRECTIVE)
            WL_TRY(directive(p));
        else if (wl_lexer_is(&p->lexer, ';'))
            WL_TRY(wl_lexer_next(&p->lexer));
        /* @@DWARF of old compilers */
        else if (wl_lexer_is(&p->lexer, '@') && p->lexer.at[0] == '@')
            WL_TRY(wl_ptx_lexer_skip_line(&p->lexer));
        else
            return wl_lexer_unexpected(&p->lexer, "a directive");
    }
    return WL_OK;
}

/* ---- linking ---- */

/* Resolves a call to the function with the body: its own or its alias's; -1: not in this module. */
static void link_function(const wl_ptx_parser *p, wl_ptx_operand *operand)
{
    if (operand->kind != WL_PTX_OPERAND_FUNCTION)
        return;
    const int32_t alias_of = p->aliases.items[operand->first];
    if (p->functions.items[operand->first].is_declared_only && alias_of >= 0)
        operand->value = alias_of;
    if (p->functions.items[operand->value].is_declared_only)
        operand->value = -1;
}

static void finish_function(const wl_ptx_parser *p, wl_ptx_function *f)
{
    for (int32_t i = 0; i < f->instruction_count; i++) {
        wl_ptx_instruction *in = &f->instructions[i];
        for (int k = 0; k < in->operand_count; k++)
            link_function(p, &in->operands[k]);
        int32_t file = in->file < 0 ? -1 : p->files.count - 1;
        while (file >= 0 && p->file_numbers.items[file] != in->file)
            file--;
        in->file = file;
    }
    for (int32_t i = 0; i < f->list_count; i++)
        link_function(p, &f->lists[i]);
}

static wl_status show_name(wl_ptx_parser *p, wl_ptx_function *f)
{
    if (!f->is_entry)
        return WL_OK;
    f->shown = wl_ptx_demangle(f->name, &p->module->arena);
    if (!f->shown.text)
        return wl_fail_memory(p->err);
    return wl_ptx_keep_text(p, f->shown.text + f->shown.name, f->shown.end - f->shown.name, &f->source_name);
}

static wl_status show_variable(wl_ptx_parser *p, wl_ptx_variable *v)
{
    v->source_name = v->name;
    if (v->space == WL_PTX_GLOBAL || v->space == WL_PTX_CONST)
        v->source_name = wl_ptx_demangle(v->name, &p->module->arena).text;
    return v->source_name ? WL_OK : wl_fail_memory(p->err);
}

static wl_status finish(wl_ptx_parser *p)
{
    wl_ptx_module *m = p->module;
    for (int32_t i = 0; i < p->functions.count; i++) {
        finish_function(p, &p->functions.items[i]);
        WL_TRY(show_name(p, &p->functions.items[i]));
    }
    for (int32_t i = 0; i < p->variables.count; i++)
        WL_TRY(show_variable(p, &p->variables.items[i]));
    m->variables = wl_ptx_keep_list(p, p->variables.items, p->variables.count, sizeof *m->variables);
    m->functions = wl_ptx_keep_list(p, p->functions.items, p->functions.count, sizeof *m->functions);
    m->notes = wl_ptx_keep_list(p, p->notes.items, p->notes.count, sizeof *m->notes);
    m->files = wl_ptx_keep_list(p, p->files.items, p->files.count, sizeof *m->files);
    if (!m->variables || !m->functions || !m->notes || !m->files)
        return wl_fail_memory(p->err);
    m->variable_count = p->variables.count;
    m->function_count = p->functions.count;
    m->note_count = p->notes.count;
    m->file_count = p->files.count;
    return WL_OK;
}

static void free_parser(wl_ptx_parser *p)
{
    wl_ptx_names_free(&p->names);
    wl_ptx_names_free(&p->mnemonics);
    wl_ptx_names_free(&p->members);
    void *const lists[] = {p->variables.items, p->functions.items,    p->aliases.items, p->notes.items,
                           p->files.items,     p->file_numbers.items, p->decoded.items, p->links.items,
                           p->bytes.items,     p->instructions.items, p->lists.items,   p->registers.items,
                           p->params.items,    p->pending.items};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]);
}

static wl_status read_text(wl_ptx_module *m, const char *input, const char *text, size_t length, wl_error *err)
{
    wl_ptx_parser p = {.module = m, .err = err, .function = -1, .file = -1, .source_line = -1};
    m->address_bits = 64;
    WL_TRY(wl_ptx_keep_text(&p, input ? input : "", input ? strlen(input) : 0, &m->input));
    if (length > TEXT_MAX)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "a text has at most 1 GiB");
    WL_TRY(wl_ptx_keep_text(&p, text, length, &m->text));
    wl_status status = wl_ptx_lexer_start(&p.lexer, m->text, length, err);
    if (status == WL_OK)
        status = read_all(&p);
    if (status == WL_OK)
        status = finish(&p);
    free_parser(&p);
    return status;
}

wl_status wl_ptx_module_parse(const char *input, const char *text, size_t length, wl_ptx_module **out, wl_error *err)
{
    wl_ptx_module *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return wl_fail_memory(err);
    const wl_status status = read_text(m, input, text, length, err);
    if (status != WL_OK) {
        (void)wl_fail_in(err, input);
        wl_ptx_module_free(m);
        return status;
    }
    *out = m;
    return WL_OK;
}

void wl_ptx_module_free(wl_ptx_module *m)
{
    if (!m)
        return;
    wl_arena_free(&m->arena);
    free(m);
}
