/* update.c - see update.h. SPDX-License-Identifier: MIT */
#include "input/update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"
#include "input/flops.h"

#define DEPTH_MAX 200
#define TEMPORARIES_MAX 4096
#define NOT_AN_OFFSET "a subscript in an update is an offset from the cell, a constant: 0 is the cell itself"

typedef struct temporary {
    const char *name;
    int32_t node;
} temporary;

typedef struct reader {
    wl_lexer lexer;
    const wl_scope *scope;
    const char *const *scalars;
    size_t scalar_count;
    const wl_field *fields;
    size_t field_count;
    wl_arena *arena;
    wl_error *err;
    wl_flops flops;
    temporary *temporaries;
    size_t temporary_count;
    wl_relative *accesses;
    int32_t *access_node; /* value loaded from, or last stored to, each access */
    size_t access_count;
} reader;

/* ---- names and accesses ---- */

static wl_status unknown_name(reader *r, const wl_token *t, const char *what)
{
    const char *names[160];
    size_t n = 0;
    for (size_t i = 0; i < r->field_count && n < 32; i++)
        names[n++] = r->fields[i].name;
    for (size_t i = 0; i < r->scope->param_count && n < 64; i++)
        names[n++] = r->scope->params[i].name;
    for (size_t i = 0; i < r->scalar_count && n < 96; i++)
        names[n++] = r->scalars[i];
    for (size_t i = 0; i < r->temporary_count && n < 160; i++)
        names[n++] = r->temporaries[i].name;
    return wl_fail_unknown(r->err, t->loc, what, t->text, t->length, names, n);
}

static const wl_field *find_field(const reader *r, const wl_token *t)
{
    for (size_t i = 0; i < r->field_count; i++)
        if (wl_token_equals(t, r->fields[i].name))
            return &r->fields[i];
    return NULL;
}

/* [ sum {, sum} ] after a field's name: constants, one per dimension. */
static wl_status offsets(reader *r, const wl_token *start, const wl_field *field, wl_relative *access)
{
    wl_scope scope = *r->scope;
    scope.coordinates = true; /* so that the message can name them */
    *access = (wl_relative){.field = (size_t)(field - r->fields), .loc = start->loc};
    WL_TRY(wl_lexer_take(&r->lexer, '['));
    for (int d = 0;; d++) {
        const wl_token at = r->lexer.token;
        const wl_expr *e = NULL;
        if (d == field->dims)
            return wl_fail(r->err, WL_E_INPUT, at.loc, "field '%s' takes %d subscripts, not more", field->name,
                           field->dims);
        WL_TRY(wl_expr_read(&r->lexer, &scope, r->arena, &e));
        if (e->op != WL_EXPR_CONST)
            return wl_fail(r->err, WL_E_INPUT, at.loc, NOT_AN_OFFSET);
        access->offset[d] = e->value;
        if (wl_lexer_is(&r->lexer, ',')) {
            WL_TRY(wl_lexer_next(&r->lexer));
            continue;
        }
        if (d + 1 != field->dims)
            return wl_fail(r->err, WL_E_INPUT, r->lexer.token.loc, "field '%s' takes %d subscripts, not %d",
                           field->name, field->dims, d + 1);
        break;
    }
    const wl_token end = r->lexer.token;
    WL_TRY(wl_lexer_take(&r->lexer, ']'));
    const size_t length = (size_t)(end.text - start->text) + 1;
    access->text = wl_arena_text(r->arena, start->text, length);
    access->loc.len = (int32_t)length;
    return access->text ? WL_OK : wl_fail_memory(r->err);
}

static wl_status add_access(reader *r, const wl_relative *access, int32_t value)
{
    if (r->access_count == WL_UPDATE_ACCESSES_MAX)
        return wl_fail(r->err, WL_E_LIMIT, access->loc, "more than %d accesses", WL_UPDATE_ACCESSES_MAX);
    r->accesses[r->access_count] = *access;
    r->access_node[r->access_count++] = value;
    return WL_OK;
}

/* The latest access to the same address, or -1. */
static int64_t find_access(const reader *r, const wl_relative *access, bool stores_only)
{
    for (size_t i = r->access_count; i-- > 0;)
        if (r->accesses[i].field == access->field && (r->accesses[i].store || !stores_only) &&
            memcmp(r->accesses[i].offset, access->offset, sizeof access->offset) == 0)
            return (int64_t)i;
    return -1;
}

/* A value loaded or stored before is still in a register. */
static wl_status load(reader *r, const wl_relative *access, int32_t *out)
{
    const int64_t known = find_access(r, access, false);
    if (known >= 0) {
        *out = r->access_node[known];
        return WL_OK;
    }
    WL_TRY(wl_flops_load(&r->flops, r->access_count, access->loc, out));
    return add_access(r, access, *out);
}

static wl_status store(reader *r, wl_relative *access, int32_t value)
{
    access->store = true;
    const int64_t known = find_access(r, access, true);
    if (known >= 0) {
        r->access_node[known] = value; /* the last store wins */
        return WL_OK;
    }
    return add_access(r, access, value);
}

/* ---- grammar ---- */

static bool call_follows(const reader *r) { return r->lexer.at[strspn(r->lexer.at, " \t")] == '('; }

static wl_status call(wl_parser *p, int function, int32_t *out)
{
    reader *r = p->context;
    const wl_loc loc = r->lexer.token.loc;
    int32_t arguments[WL_FLOPS_ARGUMENTS_MAX] = {0};
    int count = 0;
    WL_TRY(wl_lexer_next(&r->lexer));
    do {
        wl_parsed argument;
        WL_TRY(wl_lexer_next(&r->lexer)); /* the parenthesis or a comma */
        WL_TRY(wl_parse(p, &argument));
        if (count < WL_FLOPS_ARGUMENTS_MAX)
            arguments[count] = argument.node;
        count++;
    } while (wl_lexer_is(&r->lexer, ','));
    WL_TRY(wl_lexer_take(&r->lexer, ')'));
    return wl_flops_call(&r->flops, function, arguments, count, loc, out);
}

/* Suggests `scalars`: the name may be a number that the kernel takes as an argument. */
static wl_status say_scalars(const reader *r, const wl_token *t)
{
    const size_t used = r->err ? strlen(r->err->message) : 0;
    if (used > 0 && !strstr(r->err->message, "did you mean"))
        (void)snprintf(r->err->message + used, sizeof r->err->message - used,
                       "; a number that is known only at run time is declared in a kernel file, scalars: [%.*s]",
                       (int)(t->length < 40 ? t->length : 40), t->text);
    return WL_E_INPUT;
}

/* A temporary, a param or a scalar: a name without subscripts. */
static wl_status plain_name(reader *r, const wl_token *t, int32_t *out)
{
    for (size_t i = r->temporary_count; i-- > 0;) {
        if (wl_token_equals(t, r->temporaries[i].name)) {
            *out = r->temporaries[i].node;
            return WL_OK;
        }
    }
    for (size_t i = 0; i < r->scope->param_count; i++)
        if (wl_token_equals(t, r->scope->params[i].name))
            return wl_flops_constant(&r->flops, (double)r->scope->params[i].value, t->loc, out);
    for (size_t i = 0; i < r->scalar_count; i++)
        if (wl_token_equals(t, r->scalars[i]))
            return wl_flops_scalar(&r->flops, i, t->loc, out);
    if (find_field(r, t))
        return wl_fail(r->err, WL_E_INPUT, t->loc, "field '%.*s' needs its subscripts", (int)t->length, t->text);
    (void)unknown_name(r, t, "unknown name");
    return say_scalars(r, t);
}

static wl_status name(wl_parser *p, int32_t *out)
{
    reader *r = p->context;
    const wl_token t = r->lexer.token;
    const int function = wl_flops_function(&t);
    if (function >= 0 && call_follows(r))
        return call(p, function, out);
    WL_TRY(wl_lexer_next(&r->lexer));
    if (wl_lexer_is(&r->lexer, '('))
        return wl_flops_unknown_function(&t, r->err);
    if (!wl_lexer_is(&r->lexer, '['))
        return plain_name(r, &t, out);
    const wl_field *field = find_field(r, &t);
    wl_relative access;
    if (!field)
        return unknown_name(r, &t, "no field is declared as");
    WL_TRY(offsets(r, &t, field, &access));
    return load(r, &access, out);
}

static wl_status operand(wl_parser *p, wl_parsed *out)
{
    reader *r = p->context;
    const wl_token t = r->lexer.token;
    if (t.kind == WL_TOKEN_NAME)
        return name(p, &out->node);
    if (t.kind != WL_TOKEN_INT && t.kind != WL_TOKEN_FLOAT)
        return wl_parse_parenthesis(p, out);
    WL_TRY(wl_lexer_next(&r->lexer));
    return wl_flops_constant(&r->flops, t.literal.number, t.loc, &out->node);
}

static wl_status sign(wl_parser *p, char sign, wl_loc loc, wl_parsed *value)
{
    reader *r = p->context;
    return sign == '-' ? wl_flops_negate(&r->flops, value->node, loc, &value->node) : WL_OK;
}

static wl_status binary(wl_parser *p, wl_expr_op op, wl_loc loc, const wl_parsed *a, const wl_parsed *b, wl_parsed *out)
{
    reader *r = p->context;
    return wl_flops_binary(&r->flops, op, a->node, b->node, loc, &out->node);
}

static wl_status value_of(reader *r, int32_t *out)
{
    static const wl_grammar grammar = {.operators = WL_OPERATORS_SUM | WL_OPERATORS_PRODUCT,
                                       .signs = "-+",
                                       .depth_max = DEPTH_MAX,
                                       .too_deep = WL_E_LIMIT,
                                       .operand = "a number, a name or '('",
                                       .read = operand,
                                       .sign = sign,
                                       .binary = binary};
    wl_parser p = {.lexer = &r->lexer, .grammar = &grammar, .context = r, .noun = "expression"};
    wl_parsed parsed;
    WL_TRY(wl_parse(&p, &parsed));
    *out = parsed.node;
    return WL_OK;
}

static wl_status set_temporary(reader *r, const wl_token *t, int32_t value)
{
    for (size_t i = 0; i < r->temporary_count; i++) {
        if (wl_token_equals(t, r->temporaries[i].name)) {
            r->temporaries[i].node = value;
            return WL_OK;
        }
    }
    if (r->temporary_count == TEMPORARIES_MAX)
        return wl_fail(r->err, WL_E_LIMIT, t->loc, "more than %d temporaries", TEMPORARIES_MAX);
    char *copy = wl_arena_text(r->arena, t->text, t->length);
    if (!copy)
        return wl_fail_memory(r->err);
    r->temporaries[r->temporary_count++] = (temporary){copy, value};
    return WL_OK;
}

static wl_status assignment(reader *r)
{
    const wl_token t = r->lexer.token;
    if (t.kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(&r->lexer, "a field or a name to assign to");
    const wl_field *field = find_field(r, &t);
    wl_relative target = {0};
    int32_t value = -1;
    WL_TRY(wl_lexer_next(&r->lexer));
    if (wl_lexer_is(&r->lexer, '[')) {
        if (!field)
            return unknown_name(r, &t, "no field is declared as");
        WL_TRY(offsets(r, &t, field, &target));
    } else if (field) {
        return wl_fail(r->err, WL_E_INPUT, t.loc, "field '%s' needs its subscripts", field->name);
    }
    WL_TRY(wl_lexer_take(&r->lexer, '='));
    WL_TRY(value_of(r, &value));
    if (r->lexer.token.kind != WL_TOKEN_LINE_END && r->lexer.token.kind != WL_TOKEN_END)
        return wl_lexer_unexpected(&r->lexer, "an operator or the end of the assignment");
    return field ? store(r, &target, value) : set_temporary(r, &t, value);
}

static wl_status read_all(reader *r, const char *text, wl_update *out)
{
    bool stores = false;
    WL_TRY(wl_lexer_start(&r->lexer, text, true, r->err));
    while (r->lexer.token.kind != WL_TOKEN_END) {
        if (r->lexer.token.kind == WL_TOKEN_LINE_END)
            WL_TRY(wl_lexer_next(&r->lexer));
        else
            WL_TRY(assignment(r));
    }
    for (size_t i = 0; i < r->access_count; i++)
        stores = stores || r->accesses[i].store;
    if (!stores)
        return wl_fail(r->err, WL_E_INPUT, (wl_loc){1, 1, 1}, "the update assigns to no field");
    for (size_t i = 0; i < r->access_count; i++)
        if (r->accesses[i].store)
            wl_flops_need(&r->flops, r->access_node[i]);
    wl_flops_count(&r->flops, &out->flops, &out->fp_results, &out->specials);
    /* dead loads are dropped, as every compiler does */
    out->accesses = WL_ARENA_NEW(r->arena, wl_relative, r->access_count);
    if (!out->accesses)
        return wl_fail_memory(r->err);
    out->access_count = 0;
    for (size_t i = 0; i < r->access_count; i++)
        if (r->accesses[i].store || wl_flops_is_needed(&r->flops, r->access_node[i]))
            out->accesses[out->access_count++] = r->accesses[i];
    return WL_OK;
}

wl_status wl_update_read(const char *text, const wl_scope *scope, const char *const *scalars, size_t scalar_count,
                         const wl_field *fields, size_t field_count, wl_arena *arena, wl_update *out, wl_error *err)
{
    reader r = {.scope = scope,
                .scalars = scalars,
                .scalar_count = scalar_count,
                .fields = fields,
                .field_count = field_count,
                .arena = arena,
                .err = err};
    /* each takes a character, or more */
    const size_t length = strlen(text) + 1;
    const size_t accesses = length < WL_UPDATE_ACCESSES_MAX ? length : WL_UPDATE_ACCESSES_MAX;
    wl_status status = wl_flops_start(&r.flops, length, err);
    r.temporaries = calloc(length < TEMPORARIES_MAX ? length : TEMPORARIES_MAX, sizeof *r.temporaries);
    r.accesses = calloc(accesses, sizeof *r.accesses);
    r.access_node = calloc(accesses, sizeof *r.access_node);
    if (status == WL_OK && (!r.temporaries || !r.accesses || !r.access_node))
        status = wl_fail_memory(err);
    if (status == WL_OK)
        status = read_all(&r, text, out);
    wl_flops_free(&r.flops);
    free(r.temporaries);
    free(r.accesses);
    free(r.access_node);
    return status;
}

/* ---- fields of an undeclared update ---- */

static wl_status note_field(wl_lexer *lexer, const wl_token *t, wl_arena *arena, wl_update_field *fields,
                            size_t capacity, size_t *count)
{
    const wl_scope nothing = {.coordinates = true}; /* so that the message can name them */
    wl_update_field seen = {.loc = t->loc};
    WL_TRY(wl_lexer_take(lexer, '['));
    for (;;) {
        const wl_expr *e = NULL;
        const wl_loc loc = lexer->token.loc;
        if (seen.dims == WL_FIELD_DIMS_MAX)
            return wl_fail(lexer->err, WL_E_INPUT, loc, "more than %d subscripts", WL_FIELD_DIMS_MAX);
        WL_TRY(wl_expr_read(lexer, &nothing, arena, &e));
        if (e->op != WL_EXPR_CONST)
            return wl_fail(lexer->err, WL_E_INPUT, loc, NOT_AN_OFFSET);
        seen.reach[seen.dims++] = e->value < 0 ? -e->value : e->value;
        if (!wl_lexer_is(lexer, ','))
            break;
        WL_TRY(wl_lexer_next(lexer));
    }
    WL_TRY(wl_lexer_take(lexer, ']'));
    for (size_t i = 0; i < *count; i++) {
        if (!wl_token_equals(t, fields[i].name))
            continue;
        if (fields[i].dims != seen.dims)
            return wl_fail(lexer->err, WL_E_INPUT, t->loc, "field '%s' has %d subscripts elsewhere", fields[i].name,
                           fields[i].dims);
        for (int d = 0; d < seen.dims; d++)
            fields[i].reach[d] = wl_max(fields[i].reach[d], seen.reach[d]);
        return WL_OK;
    }
    if (*count == capacity)
        return wl_fail(lexer->err, WL_E_LIMIT, t->loc, "more than %zu fields", capacity);
    seen.name = wl_arena_text(arena, t->text, t->length);
    if (!seen.name)
        return wl_fail_memory(lexer->err);
    fields[(*count)++] = seen;
    return WL_OK;
}

wl_status wl_update_fields(const char *text, wl_arena *arena, wl_update_field *fields, size_t capacity, size_t *count,
                           wl_error *err)
{
    wl_lexer lexer;
    *count = 0;
    WL_TRY(wl_lexer_start(&lexer, text, true, err)); /* this scan only collects subscripted names */
    while (lexer.token.kind != WL_TOKEN_END) {
        const wl_token t = lexer.token;
        WL_TRY(wl_lexer_next(&lexer));
        if (t.kind == WL_TOKEN_NAME && wl_lexer_is(&lexer, '['))
            WL_TRY(note_field(&lexer, &t, arena, fields, capacity, count));
    }
    return WL_OK;
}
