/* variable.c - parses declarations of registers and variables.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "ptx/read/parser.h"

/* ---- registers ---- */

static wl_status add_register(wl_ptx_parser *p, const wl_token *at, const char *text, size_t length, wl_ptx_type type)
{
    wl_ptx_register reg = {.type = type};
    if (p->registers.count >= WL_PTX_REGISTERS_MAX)
        return wl_fail(p->err, WL_E_INPUT, at->loc, "a function has at most %d registers", WL_PTX_REGISTERS_MAX);
    WL_TRY(wl_ptx_keep_text(p, text, length, &reg.name));
    WL_PTX_APPEND(&p->registers, p->err, reg);
    return WL_OK;
}

wl_status wl_ptx_new_register(wl_ptx_parser *p, const wl_token *at, const char *text, size_t length, wl_ptx_type type,
                              int32_t elements, int32_t *out)
{
    char name[128];
    *out = p->registers.count;
    if (elements == 0)
        return add_register(p, at, text, length, type);
    for (int32_t i = 0; i < elements; i++) {
        (void)snprintf(name, sizeof name, "%.*s.%c", (int)(length < 120 ? length : 120), text, "xyzw"[i % 4]);
        WL_TRY(add_register(p, at, name, strlen(name), type));
    }
    return WL_OK;
}

/* Parses one item of ".reg .f32 %f<10>, %x;" */
static wl_status one_register(wl_ptx_parser *p, wl_ptx_type type, int32_t elements)
{
    const wl_token t = p->lexer.token;
    int64_t count;
    wl_ptx_name name = {.text = t.text, .length = (int32_t)t.length, .kind = WL_PTX_NAME_REGISTER, .type = type};
    if (t.kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&p->lexer, "the name of a register");
    WL_TRY(wl_lexer_next(&p->lexer));
    if (!wl_lexer_is(&p->lexer, '<')) {
        name.count = elements;
        WL_TRY(wl_ptx_new_register(p, &t, t.text, t.length, type, elements, &name.value));
        return wl_ptx_declare(p, &t, name);
    }
    WL_TRY(wl_lexer_next(&p->lexer));
    if (p->lexer.token.kind != WL_TOKEN_INT || p->lexer.token.literal.integer > WL_PTX_REGISTERS_MAX)
        return wl_fail(p->err, WL_E_INPUT, p->lexer.token.loc, "expected how many registers, at most %d",
                       WL_PTX_REGISTERS_MAX);
    count = (int64_t)p->lexer.token.literal.integer;
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(wl_lexer_take(&p->lexer, '>'));
    name.kind = WL_PTX_NAME_RANGE;
    name.value = p->ranges++;
    name.count = (int32_t)count;
    name.elements = elements;
    return wl_ptx_declare(p, &t, name);
}

/* ---- types ---- */

typedef struct declared_type {
    wl_ptx_type type;
    int32_t elements; /* of a vector, else 0 */
    int64_t align;    /* 0: the natural one of the type */
    bool is_pointer;
} declared_type;

static int32_t elements_of(const wl_token *t)
{
    return wl_token_equals(t, ".v2") ? 2 : wl_token_equals(t, ".v4") ? 4 : 0;
}

static wl_status alignment(wl_ptx_parser *p, int64_t *align)
{
    const wl_loc loc = p->lexer.token.loc;
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(wl_ptx_read_integer(&p->lexer, 1, 1 << 20, "an alignment", align));
    if ((*align & (*align - 1)) != 0)
        return wl_fail(p->err, WL_E_INPUT, loc, "an alignment is a power of two");
    return WL_OK;
}

/* Parses one directive between state space and name. */
static wl_status type_part(wl_ptx_parser *p, declared_type *out)
{
    const wl_token t = p->lexer.token;
    const wl_ptx_type type = wl_ptx_type_named(t.text + 1, t.length - 1);
    const int32_t elements = elements_of(&t);
    int64_t ignored;
    wl_ptx_space space;
    if (wl_token_equals(&t, ".align")) /* of the pointer's target, not of the parameter */
        return alignment(p, out->is_pointer ? &ignored : &out->align);
    WL_TRY(wl_lexer_next(&p->lexer));
    if (type != WL_PTX_NONE)
        out->type = type;
    else if (elements > 0)
        out->elements = elements;
    else if (wl_token_equals(&t, ".ptr"))
        out->is_pointer = true;
    else if (wl_token_equals(&t, ".attribute"))
        return wl_ptx_skip_brackets(p);
    else if (!(out->is_pointer && wl_ptx_is_space(&t, &space)))
        return wl_ptx_note_add(p, t.loc, "'%.*s' of a declaration is not understood", wl_ptx_quoted(t.length), t.text);
    return WL_OK;
}

static wl_status type_parts(wl_ptx_parser *p, declared_type *out)
{
    *out = (declared_type){0};
    while (p->lexer.token.kind == WL_TOKEN_DIRECTIVE)
        WL_TRY(type_part(p, out));
    if (out->type == WL_PTX_NONE)
        return wl_lexer_unexpected(&p->lexer, "a type");
    return WL_OK;
}

wl_status wl_ptx_read_registers(wl_ptx_parser *p)
{
    declared_type type;
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(type_parts(p, &type));
    for (;;) {
        WL_TRY(one_register(p, type.type, type.elements));
        if (!wl_lexer_is(&p->lexer, ','))
            return wl_lexer_take(&p->lexer, ';');
        WL_TRY(wl_lexer_next(&p->lexer));
    }
}

/* ---- variables ---- */

bool wl_ptx_is_space(const wl_token *t, wl_ptx_space *space)
{
    *space = WL_PTX_SPACE_NONE;
    if (t->kind == WL_TOKEN_DIRECTIVE)
        *space = wl_token_equals(t, ".reg") ? WL_PTX_REG : wl_ptx_space_named(t->text + 1, t->length - 1);
    return *space != WL_PTX_SPACE_NONE;
}

/* "[4][8]" */
static wl_status extents(wl_ptx_parser *p, wl_ptx_shape *shape)
{
    while (wl_lexer_is(&p->lexer, '[')) {
        const wl_loc loc = p->lexer.token.loc;
        int64_t extent = 0;
        WL_TRY(wl_lexer_next(&p->lexer));
        if (!wl_lexer_is(&p->lexer, ']'))
            WL_TRY(wl_ptx_read_integer(&p->lexer, 0, WL_PTX_BYTES_MAX, "the length of an array", &extent));
        WL_TRY(wl_lexer_take(&p->lexer, ']'));
        if (shape->count == WL_PTX_DIMENSIONS_MAX)
            return wl_fail(p->err, WL_E_INPUT, loc, "an array has at most %d dimensions", WL_PTX_DIMENSIONS_MAX);
        shape->extent[shape->count++] = extent;
    }
    return WL_OK;
}

/* Sets elements and bytes. */
static wl_status measure(wl_ptx_parser *p, const wl_token *t, const wl_ptx_shape *shape, wl_ptx_variable *v)
{
    int64_t bytes = shape->element_bytes;
    v->elements = 1;
    for (int i = 0; i < shape->count; i++) {
        if (shape->extent[i] > 0 && bytes > WL_PTX_BYTES_MAX / shape->extent[i])
            return wl_fail(p->err, WL_E_INPUT, t->loc, "a variable has at most 2^40 bytes");
        bytes *= shape->extent[i];
        v->elements *= shape->extent[i];
    }
    v->bytes = bytes;
    return WL_OK;
}

static wl_status add_variable(wl_ptx_parser *p, const wl_token *t, const wl_ptx_variable *v, int32_t *number)
{
    const wl_ptx_name name = {
        .text = t->text, .length = (int32_t)t->length, .kind = WL_PTX_NAME_VARIABLE, .value = p->variables.count};
    *number = p->variables.count;
    WL_TRY(wl_ptx_declare(p, t, name));
    WL_PTX_APPEND(&p->variables, p->err, *v);
    return WL_OK;
}

/* A module variable may be declared .extern and defined, in any order: it is one variable. */
static wl_status add_or_define(wl_ptx_parser *p, const wl_token *t, const wl_ptx_variable *v, int32_t *number)
{
    const wl_ptx_name *old = wl_ptx_names_find(&p->names, WL_PTX_NAME_VARIABLE, t->text, t->length);
    if (!old || old->kind != WL_PTX_NAME_VARIABLE || old->depth > 0 || p->depth > 0)
        return add_variable(p, t, v, number);
    wl_ptx_variable *kept = &p->variables.items[old->value];
    if (!kept->is_extern && !v->is_extern)
        return add_variable(p, t, v, number);
    if (kept->is_extern)
        *kept = *v;
    *number = old->value;
    return WL_OK;
}

/* Parses a name with its extents. */
static wl_status one_variable(wl_ptx_parser *p, const declared_type *type, wl_ptx_variable *v, wl_ptx_shape *shape,
                              wl_token *at)
{
    const int64_t scalar = wl_ptx_type_bits(type->type) / 8;
    *shape = (wl_ptx_shape){.element_bytes = scalar};
    *at = p->lexer.token;
    if (at->kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&p->lexer, "the name of a variable");
    if (type->type == WL_PTX_PRED)
        return wl_fail(p->err, WL_E_INPUT, at->loc, "a predicate has no place in memory");
    WL_TRY(wl_ptx_keep_text(p, at->text, at->length, &v->name));
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(extents(p, shape));
    if (type->elements > 0) /* a vector type is one more dimension */
        shape->extent[shape->count++] = type->elements;
    v->type = type->type;
    v->is_pointer = type->is_pointer;
    v->align = (int32_t)(type->align ? type->align : scalar * (type->elements ? type->elements : 1));
    v->function = p->function;
    v->line = at->loc.line;
    return measure(p, at, shape, v);
}

/* The name is declared before its initial value: a list may refer to itself. */
static wl_status declare_one(wl_ptx_parser *p, const declared_type *type, wl_ptx_space space, bool is_extern)
{
    wl_ptx_variable v = {.space = space, .is_extern = is_extern};
    wl_ptx_shape shape;
    wl_token at;
    int32_t number;
    WL_TRY(one_variable(p, type, &v, &shape, &at));
    WL_TRY(add_or_define(p, &at, &v, &number));
    if (!wl_lexer_is(&p->lexer, '='))
        return WL_OK;
    WL_TRY(wl_ptx_read_initial(p, &shape, &v));
    p->variables.items[number] = v;
    return WL_OK;
}

wl_status wl_ptx_read_variables(wl_ptx_parser *p, bool is_extern)
{
    declared_type type;
    wl_ptx_space space = WL_PTX_SPACE_NONE;
    (void)wl_ptx_is_space(&p->lexer.token, &space);
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(type_parts(p, &type));
    for (;;) {
        WL_TRY(declare_one(p, &type, space, is_extern));
        if (!wl_lexer_is(&p->lexer, ','))
            return wl_lexer_take(&p->lexer, ';');
        WL_TRY(wl_lexer_next(&p->lexer));
    }
}

wl_status wl_ptx_read_parameter(wl_ptx_parser *p, int32_t *variable)
{
    declared_type type;
    wl_ptx_variable v = {0};
    wl_ptx_shape shape;
    wl_token at;
    if (wl_token_equals(&p->lexer.token, ".hidden")) /* passed by the runtime, as the others */
        WL_TRY(wl_lexer_next(&p->lexer));
    if (!wl_ptx_is_space(&p->lexer.token, &v.space) || (v.space != WL_PTX_PARAM && v.space != WL_PTX_REG))
        return wl_lexer_unexpected(&p->lexer, "a parameter");
    WL_TRY(wl_lexer_next(&p->lexer));
    WL_TRY(type_parts(p, &type));
    if (v.space == WL_PTX_PARAM) {
        WL_TRY(one_variable(p, &type, &v, &shape, &at));
        if (wl_token_equals(&at, "_")) { /* parameters of declarations may be nameless */
            *variable = p->variables.count;
            WL_PTX_APPEND(&p->variables, p->err, v);
            return WL_OK;
        }
        return add_variable(p, &at, &v, variable);
    }
    v.type = type.type; /* a register parameter: a variable without bytes */
    v.function = p->function;
    v.line = p->lexer.token.loc.line;
    WL_TRY(wl_ptx_keep_text(p, p->lexer.token.text, p->lexer.token.length, &v.name));
    WL_TRY(one_register(p, type.type, type.elements));
    *variable = p->variables.count;
    WL_PTX_APPEND(&p->variables, p->err, v);
    return WL_OK;
}
