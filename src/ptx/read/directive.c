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

/* A place in the source: file, line, column. */
static wl_status read_place(wl_ptx_parser *p, wl_ptx_place *out)
{
    int64_t file, line, column;
    WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "the number of a file", &file));
    WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "a line", &line));
    WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "a column", &column));
    *out = (wl_ptx_place){(int32_t)file, (int32_t)line, (int32_t)column};
    return WL_OK;
}

static bool is_same(wl_ptx_place a, wl_ptx_place b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* Where a function of another file, such as a header, is called: in the kernel's own file, if
 * calls lead there. Functions of that file keep their own lines. */
static wl_ptx_place place_of_call(wl_ptx_parser *p, wl_ptx_place place, wl_ptx_place call)
{
    p->calls[p->call_count++ % WL_PTX_CALLS] = (wl_ptx_call){place, call};
    for (int i = 0; i < WL_PTX_CALLS && place.file != p->own_file; i++) {
        place = call;
        for (int k = 0; k < WL_PTX_CALLS; k++)
            if (is_same(p->calls[k].place, place))
                call = p->calls[k].from;
    }
    return place;
}

/* .loc 1 20 5 [, function_name label [+ offset], inlined_at 1 30 2] */
static wl_status location(wl_ptx_parser *p)
{
    wl_ptx_place place, call;
    bool is_inlined = false;
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(read_place(p, &place));
    while (wl_lexer_is(&p->lexer, ',')) {
        WL_TRY(wl_lexer_next(&p->lexer));
        const bool inlined = wl_token_equals(&p->lexer.token, "inlined_at");
        if (!inlined && !wl_token_equals(&p->lexer.token, "function_name"))
            return wl_lexer_unexpected(&p->lexer, "'function_name' or 'inlined_at'");
        WL_TRY(wl_lexer_next(&p->lexer));
        if (inlined) {
            is_inlined = true;
            WL_TRY(read_place(p, &call));
            continue;
        }
        WL_TRY(wl_lexer_next(&p->lexer)); /* the label */
        if (wl_lexer_is(&p->lexer, '+')) {
            WL_TRY(wl_lexer_next(&p->lexer));
            int64_t ignored;
            WL_TRY(wl_ptx_read_integer(&p->lexer, 0, INT32_MAX, "the offset", &ignored));
        }
    }
    if (is_inlined)
        place = place_of_call(p, place, call);
    else
        p->own_file = place.file;
    p->file = place.file;
    p->source_line = place.line;
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
