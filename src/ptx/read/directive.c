/* directive.c - parses directives that are allowed everywhere, and skips unknown ones.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/read/parser.h"

static bool opens(const wl_lexer *lexer)
{
    return wl_lexer_is(lexer, '(') || wl_lexer_is(lexer, '[') || wl_lexer_is(lexer, '{');
}

static bool closes(const wl_lexer *lexer)
{
    return wl_lexer_is(lexer, ')') || wl_lexer_is(lexer, ']') || wl_lexer_is(lexer, '}');
}

/* Counts brackets of all kinds together: the contents do not matter. */
wl_status wl_ptx_skip_brackets(wl_ptx_parser *p)
{
    const wl_loc start = p->lexer.token.loc;
    int64_t open = 0;
    if (!opens(&p->lexer))
        return wl_lexer_unexpected(&p->lexer, "a bracket");
    do {
        open += opens(&p->lexer) - closes(&p->lexer);
        if (p->lexer.token.kind == WL_TOKEN_END)
            return wl_fail(p->err, WL_E_INPUT, start, "the bracket is not closed");
        WL_TRY(wl_lexer_next(&p->lexer));
    } while (open > 0);
    return WL_OK;
}

wl_status wl_ptx_skip_statement(wl_ptx_parser *p)
{
    while (!wl_lexer_is(&p->lexer, ';')) {
        if (p->lexer.token.kind == WL_TOKEN_END || wl_lexer_is(&p->lexer, '}'))
            return wl_lexer_unexpected(&p->lexer, "';'");
        if (opens(&p->lexer))
            WL_TRY(wl_ptx_skip_brackets(p));
        else
            WL_TRY(wl_lexer_next(&p->lexer));
    }
    return wl_lexer_next(&p->lexer);
}

/* .file 1 "name" [, time, size] */
static wl_status file(wl_ptx_parser *p)
{
    int64_t number;
    const char *name = NULL;
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "the number of a file", &number));
    const wl_token t = p->lexer.token;
    if (t.kind != WL_TOKEN_STRING)
        return wl_lexer_unexpected(&p->lexer, "the name of a file");
    WL_TRY(wl_ptx_keep_text(p, t.text + 1, t.length - 2, &name));
    WL_PTX_APPEND(&p->file_numbers, p->err, (int32_t)number);
    WL_PTX_APPEND(&p->files, p->err, name);
    WL_TRY(wl_lexer_next(&p->lexer));
    for (bool more = true; more;) {
        int64_t ignored;
        WL_TRY(wl_ptx_take_if(p, ',', &more));
        if (more)
            WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT64_MAX, "a time or size", &ignored));
    }
    return WL_OK;
}

static wl_status skip_integers(wl_ptx_parser *p, int count)
{
    for (int64_t ignored; count > 0; count--)
        WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "the number", &ignored));
    return WL_OK;
}

/* .loc 1 20 5 [, function_name label [+ offset], inlined_at 1 30 2] */
static wl_status location(wl_ptx_parser *p)
{
    int64_t number, line;
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "the number of a file", &number));
    WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "a line", &line));
    WL_TRY(skip_integers(p, 1));
    p->file = (int32_t)number;
    p->source_line = (int32_t)line;
    while (wl_lexer_is(&p->lexer, ',')) {
        WL_TRY(wl_lexer_next(&p->lexer));
        const bool inlined = wl_token_equals(&p->lexer.token, "inlined_at");
        if (!inlined && !wl_token_equals(&p->lexer.token, "function_name"))
            return wl_lexer_unexpected(&p->lexer, "'function_name' or 'inlined_at'");
        WL_TRY(wl_lexer_next(&p->lexer));
        if (inlined) {
            WL_TRY(skip_integers(p, 3));
            continue;
        }
        WL_TRY(wl_lexer_next(&p->lexer)); /* the label */
        if (wl_lexer_is(&p->lexer, '+')) {
            WL_TRY(wl_lexer_next(&p->lexer));
            WL_TRY(skip_integers(p, 1));
        }
    }
    return WL_OK;
}

/* .section .debug_info { .. } */
static wl_status section(wl_ptx_parser *p)
{
    WL_TRY(wl_lexer_next(&p->lexer));
    while (!opens(&p->lexer)) {
        if (p->lexer.token.kind == WL_TOKEN_END || wl_lexer_is(&p->lexer, ';') || wl_lexer_is(&p->lexer, '}'))
            return wl_lexer_unexpected(&p->lexer, "the contents of the section");
        WL_TRY(wl_lexer_next(&p->lexer));
    }
    return wl_ptx_skip_brackets(p);
}

/* Skips to the ';', past the braces, or to the end of a line that does not end in a comma. In a
 * function, braces on a line of their own are a scope. */
static wl_status unknown(wl_ptx_parser *p)
{
    const wl_token t = p->lexer.token;
    wl_lexer *lexer = &p->lexer;
    bool continued = false;
    int32_t line = t.loc.line;
    WL_TRY(wl_ptx_note_add(p, t.loc, "the directive '%.*s' is not known", wl_ptx_quoted(t.length), t.text));
    while (!wl_lexer_is(lexer, ';')) {
        const bool is_next_line = lexer->token.loc.line > line && !continued;
        if (wl_lexer_is(lexer, '{') && (p->function < 0 || !is_next_line))
            return wl_ptx_skip_brackets(p);
        if (is_next_line || wl_lexer_is(lexer, '}'))
            return WL_OK;
        if (lexer->token.kind == WL_TOKEN_END) /* the text ends inside the line */
            return wl_lexer_unexpected(lexer, "the rest of the directive");
        continued = wl_lexer_is(lexer, ',');
        line = lexer->token.loc.line;
        WL_TRY(wl_lexer_next(lexer));
    }
    return wl_lexer_next(lexer);
}

wl_status wl_ptx_read_common_directive(wl_ptx_parser *p)
{
    const wl_token *t = &p->lexer.token;
    if (wl_token_equals(t, ".loc"))
        return location(p);
    if (wl_token_equals(t, ".file"))
        return file(p);
    if (wl_token_equals(t, ".section"))
        return section(p);
    if (wl_token_equals(t, ".pragma") || wl_token_equals(t, ".callprototype") || wl_token_equals(t, ".calltargets"))
        return wl_ptx_skip_statement(p);
    return unknown(p);
}
