/* initial.c - parses initial values of variables: numbers, addresses, strings, nested braces.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/read/parser.h"

typedef struct initial {
    wl_ptx_parser *p;
    const wl_ptx_shape *shape;
    wl_ptx_type type;
    int64_t bytes;                           /* available; -1: sized by the initial value */
    int64_t part[WL_PTX_DIMENSIONS_MAX + 2]; /* bytes of one item, by depth of the braces */
} initial;

/* Writes bytes at `at`; a gap before them is 0. */
static wl_status write(initial *x, int64_t at, const uint8_t *bytes, int64_t count)
{
    wl_ptx_parser *p = x->p;
    if (at + count > (x->bytes >= 0 ? x->bytes : WL_PTX_INITIAL_MAX))
        return wl_fail(p->err, WL_E_INPUT, p->lexer.token.loc,
                       "there are more initial values than the variable has room for");
    while (p->bytes.count < at + count)
        WL_PTX_APPEND(&p->bytes, p->err, 0);
    if (count > 0)
        memcpy(p->bytes.items + at, bytes, (size_t)count);
    return WL_OK;
}

/* A name or generic(name), plus an offset. */
static wl_status symbol(initial *x, wl_ptx_link *link)
{
    wl_ptx_parser *p = x->p;
    bool generic = wl_token_equals(&p->lexer.token, "generic");
    wl_ptx_operand operand;
    wl_lexer ahead = p->lexer;
    WL_TRY(wl_lexer_next(&ahead));
    generic = generic && wl_lexer_is(&ahead, '(');
    if (generic) {
        p->lexer = ahead;
        WL_TRY(wl_lexer_next(&p->lexer));
    }
    const wl_token t = p->lexer.token;
    WL_TRY(wl_ptx_read_scalar(p, WL_PTX_U64, &operand));
    if (operand.kind != WL_PTX_OPERAND_VARIABLE && operand.kind != WL_PTX_OPERAND_FUNCTION)
        return wl_fail(p->err, WL_E_INPUT, t.loc,
                       "an initial value is a number or the address of a variable or function");
    link->generic = generic;
    link->variable = operand.variable;
    link->function = operand.kind == WL_PTX_OPERAND_FUNCTION ? operand.first : -1;
    link->addend = operand.kind == WL_PTX_OPERAND_VARIABLE ? operand.value : 0;
    if (!generic)
        return WL_OK;
    WL_TRY(wl_lexer_take(&p->lexer, ')'));
    return wl_ptx_read_offsets(p, &link->addend);
}

static wl_status add_link(initial *x, int64_t at, wl_ptx_link link)
{
    static const uint8_t zeros[16];
    link.at = at;
    link.bytes = (int32_t)x->shape->element_bytes;
    WL_PTX_APPEND(&x->p->links, x->p->err, link);
    return write(x, at, zeros, x->shape->element_bytes);
}

/* "0xFF00(name)": some bytes of an address. */
static wl_status masked(initial *x, int64_t at, uint64_t mask)
{
    wl_ptx_link link = {0};
    WL_TRY(wl_lexer_take(&x->p->lexer, '('));
    WL_TRY(symbol(x, &link));
    WL_TRY(wl_lexer_take(&x->p->lexer, ')'));
    while (mask != 0 && (mask & 0xff) == 0) {
        mask >>= 8;
        link.first_byte++;
    }
    return add_link(x, at, link);
}

static wl_status scalar(initial *x, int64_t at)
{
    wl_ptx_parser *p = x->p;
    wl_ptx_link link = {0};
    wl_ptx_constant c;
    uint8_t bytes[16] = {0};
    if (p->lexer.token.kind == WL_TOKEN_NAME && !wl_token_equals(&p->lexer.token, "WARP_SZ")) {
        WL_TRY(symbol(x, &link));
        return add_link(x, at, link);
    }
    if (!wl_ptx_constant_begins(&p->lexer))
        return wl_lexer_unexpected(&p->lexer, "an initial value");
    WL_TRY(wl_ptx_read_constant(&p->lexer, &c));
    if (wl_lexer_is(&p->lexer, '('))
        return masked(x, at, c.integer);
    const uint64_t value = (uint64_t)wl_ptx_constant_bits(&c, x->type);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return write(x, at, bytes, x->shape->element_bytes);
}

static wl_status string(initial *x, int64_t at)
{
    const wl_token t = x->p->lexer.token;
    uint8_t c;
    for (size_t i = 1; i + 1 < t.length; i++) {
        c = (uint8_t)t.text[i];
        if (c == '\\' && i + 2 < t.length) {
            const char next = t.text[++i];
            c = (uint8_t)(next == 'n' ? '\n' : next == 't' ? '\t' : next == '0' ? '\0' : next);
        }
        WL_TRY(write(x, at++, &c, 1));
    }
    if (x->bytes < 0 || at < x->bytes) {
        c = 0;
        WL_TRY(write(x, at, &c, 1));
    }
    return wl_lexer_next(&x->p->lexer);
}

/* Nested braces start at the next item of their depth. */
static wl_status braces(initial *x, int64_t at, int nesting)
{
    wl_ptx_parser *p = x->p;
    if (nesting > WL_PTX_DIMENSIONS_MAX)
        return wl_fail(p->err, WL_E_INPUT, p->lexer.token.loc, "the braces are nested too deeply");
    WL_TRY(wl_lexer_take(&p->lexer, '{'));
    for (bool more = true; more && !wl_lexer_is(&p->lexer, '}');) {
        if (wl_lexer_is(&p->lexer, '{')) {
            WL_TRY(braces(x, at, nesting + 1));
            at += x->part[nesting];
        } else if (p->lexer.token.kind == WL_TOKEN_STRING) {
            WL_TRY(string(x, at));
            at += x->part[nesting];
        } else {
            WL_TRY(scalar(x, at));
            at += x->shape->element_bytes;
        }
        WL_TRY(wl_ptx_take_if(p, ',', &more));
    }
    return wl_lexer_take(&p->lexer, '}');
}

/* How a texture, sampler or surface is used, `{addr_mode_0 = clamp_to_edge, ..}`: a launch gives
 * what matters of it. */
static wl_status skip_settings(wl_ptx_parser *p)
{
    WL_TRY(wl_lexer_take(&p->lexer, '='));
    int depth = 0;
    do {
        depth += wl_lexer_is(&p->lexer, '{') - wl_lexer_is(&p->lexer, '}');
        if (p->lexer.token.kind == WL_TOKEN_END)
            return wl_lexer_take(&p->lexer, '}');
        WL_TRY(wl_lexer_next(&p->lexer));
    } while (depth > 0);
    return WL_OK;
}

wl_status wl_ptx_read_initial(wl_ptx_parser *p, const wl_ptx_shape *shape, wl_ptx_variable *v)
{
    if (v->type == WL_PTX_OPAQUE)
        return skip_settings(p);
    initial x = {.p = p, .shape = shape, .type = v->type, .bytes = v->bytes > 0 ? v->bytes : -1};
    const wl_loc loc = p->lexer.token.loc;
    int64_t part = shape->element_bytes;
    for (int i = WL_PTX_DIMENSIONS_MAX + 1; i >= 0; i--) {
        x.part[i] = part;
        if (i < shape->count && shape->extent[i] > 0)
            part *= shape->extent[i];
    }
    WL_TRY(wl_lexer_take(&p->lexer, '='));
    p->bytes.count = p->links.count = 0;
    if (wl_lexer_is(&p->lexer, '{'))
        WL_TRY(braces(&x, 0, 0));
    else
        WL_TRY(p->lexer.token.kind == WL_TOKEN_STRING ? string(&x, 0) : scalar(&x, 0));
    if (v->bytes == 0 && shape->count > 0 && x.part[0] > 0) {
        v->bytes = (p->bytes.count + x.part[0] - 1) / x.part[0] * x.part[0];
        v->elements = v->bytes / shape->element_bytes;
    }
    p->initial_bytes += v->bytes;
    if (v->bytes > WL_PTX_INITIAL_MAX || p->initial_bytes > WL_PTX_INITIAL_MAX)
        return wl_fail(p->err, WL_E_INPUT, loc, "variables have at most %lld bytes of initial values",
                       (long long)WL_PTX_INITIAL_MAX);
    uint8_t *bytes = WL_ARENA_NEW(&p->module->arena, uint8_t, v->bytes);
    if (bytes && p->bytes.count > 0)
        memcpy(bytes, p->bytes.items, (size_t)p->bytes.count);
    v->initial = bytes;
    v->links = wl_ptx_keep_list(p, p->links.items, p->links.count, sizeof *v->links);
    v->link_count = p->links.count;
    return v->initial && v->links ? WL_OK : wl_fail_memory(p->err);
}
