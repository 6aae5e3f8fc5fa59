/* update.c - see update.h. Values are hash-consed as they are read, so equal subexpressions are one node and
 * constants never become nodes that cost. SPDX-License-Identifier: MIT */
#include "input/update.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/text.h"

#define NODES_MAX 65536
#define TABLE_SIZE 131072 /* twice the nodes, a power of two */
#define DEPTH_MAX 200
#define TEMPORARIES_MAX 4096
#define NOT_AN_OFFSET "a subscript in an update is an offset from the cell, a constant: 0 is the cell itself"

typedef enum node_op { OP_CONST, OP_LOAD, OP_SCALAR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_NEG, OP_CALL } node_op;

typedef struct node {
    node_op op;
    int32_t a, b; /* operands, or -1; for OP_LOAD and OP_SCALAR their number; for OP_CALL b is the next argument list */
    int32_t function;
    double value;
    bool used;
    int32_t uses; /* by nodes and stores that are needed */
} node;

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
    node *nodes;
    int32_t node_count;
    int32_t *table;
    temporary *temporaries;
    size_t temporary_count;
    wl_relative *accesses;
    int32_t *access_node; /* the value loaded or last stored */
    size_t access_count;
    int depth;
} reader;

#define ARGUMENTS_MAX 3
static double value_sqrt(const double *v) { return sqrt(v[0]); }
static double value_rsqrt(const double *v) { return 1 / sqrt(v[0]); }
static double value_abs(const double *v) { return fabs(v[0]); }
static double value_min(const double *v) { return fmin(v[0], v[1]); }
static double value_max(const double *v) { return fmax(v[0], v[1]); }
static double value_exp(const double *v) { return exp(v[0]); }
static double value_log(const double *v) { return log(v[0]); }
static double value_sin(const double *v) { return sin(v[0]); }
static double value_cos(const double *v) { return cos(v[0]); }
static double value_tanh(const double *v) { return tanh(v[0]); }
static double value_pow(const double *v) { return pow(v[0], v[1]); }
static double value_fma(const double *v) { return fma(v[0], v[1], v[2]); }

static const struct {
    const char *name;
    int arguments;
    int flops;
    double (*value)(const double *arguments); /* of constants */
} functions[] = {
    {"sqrt", 1, 1, value_sqrt}, {"rsqrt", 1, 1, value_rsqrt}, {"abs", 1, 0, value_abs}, {"min", 2, 1, value_min},
    {"max", 2, 1, value_max},   {"exp", 1, 1, value_exp},     {"log", 1, 1, value_log}, {"sin", 1, 1, value_sin},
    {"cos", 1, 1, value_cos},   {"tanh", 1, 1, value_tanh},   {"pow", 2, 1, value_pow}, {"fma", 3, 2, value_fma},
};
#define FUNCTION_COUNT ((int32_t)(sizeof functions / sizeof functions[0]))

/* ---- values ---- */

static uint64_t hash_node(const node *n)
{
    uint64_t bits;
    memcpy(&bits, &n->value, sizeof bits);
    const uint64_t parts[] = {(uint64_t)n->op, (uint64_t)(uint32_t)n->a, (uint64_t)(uint32_t)n->b,
                              (uint64_t)(uint32_t)n->function, bits};
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        h = wl_hash_add(h, parts[i]);
    return wl_hash_end(h);
}

static bool same_node(const node *p, const node *q)
{
    return p->op == q->op && p->a == q->a && p->b == q->b && p->function == q->function &&
           memcmp(&p->value, &q->value, sizeof p->value) == 0;
}

/* The number of the node with this content, made if new. */
static wl_status intern(reader *r, node n, int32_t *out)
{
    for (uint64_t slot = hash_node(&n);; slot++) {
        int32_t *entry = &r->table[slot % TABLE_SIZE];
        if (*entry == 0) {
            if (r->node_count == NODES_MAX)
                return wl_fail(r->err, WL_E_LIMIT, r->lexer.token.loc, "the update is too long");
            r->nodes[r->node_count] = n;
            *entry = ++r->node_count;
            *out = r->node_count - 1;
            return WL_OK;
        }
        if (same_node(&r->nodes[*entry - 1], &n)) {
            *out = *entry - 1;
            return WL_OK;
        }
    }
}

static wl_status constant(reader *r, double value, int32_t *out)
{
    return intern(r, (node){.op = OP_CONST, .a = -1, .b = -1, .value = value == 0 ? 0.0 : value}, out);
}

static bool is_const(const reader *r, int32_t n, double value)
{
    return r->nodes[n].op == OP_CONST && r->nodes[n].value == value;
}

static wl_status fold(reader *r, node_op op, double a, double b, wl_loc loc, int32_t *out)
{
    if (op == OP_DIV && b == 0)
        return wl_fail(r->err, WL_E_INPUT, loc, "division by zero");
    const double v = op == OP_ADD ? a + b : op == OP_SUB ? a - b : op == OP_MUL ? a * b : a / b;
    if (!isfinite(v))
        return wl_fail(r->err, WL_E_RANGE, loc, "the constant overflows");
    return constant(r, v, out);
}

static wl_status binary(reader *r, node_op op, int32_t a, int32_t b, wl_loc loc, int32_t *out)
{
    const node *na = &r->nodes[a], *nb = &r->nodes[b];
    if (na->op == OP_CONST && nb->op == OP_CONST)
        return fold(r, op, na->value, nb->value, loc, out);
    if (op == OP_DIV && is_const(r, b, 0))
        return wl_fail(r->err, WL_E_INPUT, loc, "division by zero");
    const bool b_neutral =
        ((op == OP_ADD || op == OP_SUB) && is_const(r, b, 0)) || ((op == OP_MUL || op == OP_DIV) && is_const(r, b, 1));
    const bool a_neutral = (op == OP_ADD && is_const(r, a, 0)) || (op == OP_MUL && is_const(r, a, 1));
    if (b_neutral || a_neutral) {
        *out = b_neutral ? a : b;
        return WL_OK;
    }
    /* a sign belongs to the neighbouring addition: a + (-b) and a - b are one node */
    if ((op == OP_ADD || op == OP_SUB) && nb->op == OP_NEG)
        return binary(r, op == OP_ADD ? OP_SUB : OP_ADD, a, nb->a, loc, out);
    if (op == OP_ADD && na->op == OP_NEG)
        return binary(r, OP_SUB, b, na->a, loc, out);
    node n = {.op = op, .a = a, .b = b};
    if ((op == OP_ADD || op == OP_MUL) && a > b) {
        n.a = b;
        n.b = a;
    }
    return intern(r, n, out);
}

static wl_status negate(reader *r, int32_t a, int32_t *out)
{
    const node *n = &r->nodes[a];
    if (n->op == OP_CONST)
        return constant(r, -n->value, out);
    if (n->op == OP_NEG) {
        *out = n->a;
        return WL_OK;
    }
    return intern(r, (node){.op = OP_NEG, .a = a, .b = -1}, out);
}

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

static wl_status unknown_function(reader *r, const wl_token *t)
{
    const char *names[FUNCTION_COUNT];
    for (int32_t i = 0; i < FUNCTION_COUNT; i++)
        names[i] = functions[i].name;
    return wl_fail_unknown(r->err, t->loc, "unknown function", t->text, t->length, names, FUNCTION_COUNT);
}

static const wl_field *find_field(const reader *r, const wl_token *t)
{
    for (size_t i = 0; i < r->field_count; i++)
        if (wl_token_equals(t, r->fields[i].name))
            return &r->fields[i];
    return NULL;
}

/* [ sum {, sum} ] behind a field's name: constants, one per dimension. */
static wl_status offsets(reader *r, const wl_token *start, const wl_field *field, wl_relative *access)
{
    wl_scope scope = *r->scope;
    scope.coordinates = true; /* known, so that they can be refused by name */
    *access = (wl_relative){.field = (size_t)(field - r->fields), .loc = start->loc};
    const bool lines = r->lexer.lines;
    r->lexer.lines = false; /* as in parentheses */
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
    r->lexer.lines = lines;
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

/* The latest access to the same place, or -1. */
static int64_t find_access(const reader *r, const wl_relative *access, bool stores_only)
{
    for (size_t i = r->access_count; i-- > 0;)
        if (r->accesses[i].field == access->field && (r->accesses[i].store || !stores_only) &&
            memcmp(r->accesses[i].offset, access->offset, sizeof access->offset) == 0)
            return (int64_t)i;
    return -1;
}

/* A value that was loaded or stored before is still in a register. */
static wl_status load(reader *r, const wl_relative *access, int32_t *out)
{
    const int64_t known = find_access(r, access, false);
    if (known >= 0) {
        *out = r->access_node[known];
        return WL_OK;
    }
    WL_TRY(intern(r, (node){.op = OP_LOAD, .a = (int32_t)r->access_count, .b = -1}, out));
    return add_access(r, access, *out);
}

static wl_status store(reader *r, wl_relative *access, int32_t value)
{
    access->store = true;
    const int64_t known = find_access(r, access, true);
    if (known >= 0) {
        r->access_node[known] = value; /* the later value wins */
        return WL_OK;
    }
    return add_access(r, access, value);
}

/* ---- grammar ---- */

static wl_status sum(reader *r, int32_t *out);

static bool call_follows(const reader *r) { return r->lexer.at[strspn(r->lexer.at, " \t")] == '('; }

static wl_status call(reader *r, int32_t function, int32_t *out)
{
    const wl_loc loc = r->lexer.token.loc;
    const bool lines = r->lexer.lines;
    WL_TRY(wl_lexer_next(&r->lexer));
    r->lexer.lines = false; /* as in parentheses */
    WL_TRY(wl_lexer_take(&r->lexer, '('));
    int32_t list = -1;
    int count = 0;
    bool constant_arguments = true;
    double values[ARGUMENTS_MAX] = {0};
    for (;;) {
        int32_t argument = -1;
        WL_TRY(sum(r, &argument));
        constant_arguments = constant_arguments && r->nodes[argument].op == OP_CONST;
        if (count < ARGUMENTS_MAX)
            values[count] = r->nodes[argument].value;
        WL_TRY(intern(r, (node){.op = OP_CALL, .a = argument, .b = list, .function = -1}, &list));
        count++;
        if (!wl_lexer_is(&r->lexer, ','))
            break;
        WL_TRY(wl_lexer_next(&r->lexer));
    }
    if (count != functions[function].arguments)
        return wl_fail(r->err, WL_E_INPUT, loc, "%s takes %d argument%s, not %d", functions[function].name,
                       functions[function].arguments, functions[function].arguments == 1 ? "" : "s", count);
    if (!wl_lexer_is(&r->lexer, ')'))
        return wl_lexer_take(&r->lexer, ')');
    r->lexer.lines = lines;
    WL_TRY(wl_lexer_next(&r->lexer));
    if (constant_arguments) {
        const double v = functions[function].value(values);
        return isfinite(v)
                   ? constant(r, v, out)
                   : wl_fail(r->err, WL_E_INPUT, loc, "%s of this constant is not a number", functions[function].name);
    }
    return intern(r, (node){.op = OP_CALL, .a = list, .b = -1, .function = function}, out);
}

static wl_status name(reader *r, int32_t *out)
{
    const wl_token t = r->lexer.token;
    for (int32_t i = 0; i < FUNCTION_COUNT; i++)
        if (wl_token_equals(&t, functions[i].name) && call_follows(r))
            return call(r, i, out);
    WL_TRY(wl_lexer_next(&r->lexer));
    if (wl_lexer_is(&r->lexer, '('))
        return unknown_function(r, &t);
    if (wl_lexer_is(&r->lexer, '[')) {
        const wl_field *field = find_field(r, &t);
        wl_relative access;
        if (!field)
            return unknown_name(r, &t, "no field is declared as");
        WL_TRY(offsets(r, &t, field, &access));
        return load(r, &access, out);
    }
    for (size_t i = r->temporary_count; i-- > 0;) {
        if (wl_token_equals(&t, r->temporaries[i].name)) {
            *out = r->temporaries[i].node;
            return WL_OK;
        }
    }
    for (size_t i = 0; i < r->scope->param_count; i++)
        if (wl_token_equals(&t, r->scope->params[i].name))
            return constant(r, (double)r->scope->params[i].value, out);
    for (size_t i = 0; i < r->scalar_count; i++)
        if (wl_token_equals(&t, r->scalars[i]))
            return intern(r, (node){.op = OP_SCALAR, .a = (int32_t)i, .b = -1}, out);
    if (find_field(r, &t))
        return wl_fail(r->err, WL_E_INPUT, t.loc, "field '%.*s' needs its subscripts", (int)t.length, t.text);
    return unknown_name(r, &t, "unknown name");
}

static wl_status primary(reader *r, int32_t *out)
{
    const wl_token t = r->lexer.token;
    if (t.kind == WL_TOKEN_INT || t.kind == WL_TOKEN_FLOAT) {
        WL_TRY(wl_lexer_next(&r->lexer));
        return constant(r, t.number, out);
    }
    if (t.kind == WL_TOKEN_NAME)
        return name(r, out);
    if (!wl_lexer_is(&r->lexer, '('))
        return wl_lexer_unexpected(&r->lexer, "a number, a name or '('");
    const bool lines = r->lexer.lines;
    r->lexer.lines = false; /* inside parentheses a statement may go on in the next line */
    WL_TRY(wl_lexer_next(&r->lexer));
    WL_TRY(sum(r, out));
    if (!wl_lexer_is(&r->lexer, ')'))
        return wl_lexer_take(&r->lexer, ')');
    r->lexer.lines = lines;
    return wl_lexer_next(&r->lexer);
}

static wl_status unary(reader *r, int32_t *out)
{
    if (++r->depth > DEPTH_MAX)
        return wl_fail(r->err, WL_E_LIMIT, r->lexer.token.loc, "the expression is nested too deeply");
    wl_status status;
    if (wl_lexer_is(&r->lexer, '-') || wl_lexer_is(&r->lexer, '+')) {
        const bool minus = wl_lexer_is(&r->lexer, '-');
        status = wl_lexer_next(&r->lexer);
        if (status == WL_OK)
            status = unary(r, out);
        if (status == WL_OK && minus)
            status = negate(r, *out, out);
    } else {
        status = primary(r, out);
    }
    r->depth--;
    return status;
}

static wl_status product(reader *r, int32_t *out)
{
    WL_TRY(unary(r, out));
    while (wl_lexer_is(&r->lexer, '*') || wl_lexer_is(&r->lexer, '/')) {
        const node_op op = wl_lexer_is(&r->lexer, '*') ? OP_MUL : OP_DIV;
        const wl_loc loc = r->lexer.token.loc;
        int32_t b = -1;
        WL_TRY(wl_lexer_next(&r->lexer));
        WL_TRY(unary(r, &b));
        WL_TRY(binary(r, op, *out, b, loc, out));
    }
    return WL_OK;
}

static wl_status sum(reader *r, int32_t *out)
{
    WL_TRY(product(r, out));
    while (wl_lexer_is(&r->lexer, '+') || wl_lexer_is(&r->lexer, '-')) {
        const node_op op = wl_lexer_is(&r->lexer, '+') ? OP_ADD : OP_SUB;
        const wl_loc loc = r->lexer.token.loc;
        int32_t b = -1;
        WL_TRY(wl_lexer_next(&r->lexer));
        WL_TRY(product(r, &b));
        WL_TRY(binary(r, op, *out, b, loc, out));
    }
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
    WL_TRY(sum(r, &value));
    if (r->lexer.token.kind != WL_TOKEN_LINE_END && r->lexer.token.kind != WL_TOKEN_END)
        return wl_lexer_unexpected(&r->lexer, "an operator or the end of the assignment");
    return field ? store(r, &target, value) : set_temporary(r, &t, value);
}

/* ---- flops ---- */

/* Operands stand before their users, so one pass from the back marks all that the stores need. */
static void mark_used(reader *r)
{
    for (size_t i = 0; i < r->access_count; i++) {
        if (r->accesses[i].store) {
            r->nodes[r->access_node[i]].used = true;
            r->nodes[r->access_node[i]].uses++;
        }
    }
    for (int32_t i = r->node_count; i-- > 0;) {
        const node *n = &r->nodes[i];
        if (!n->used || n->op == OP_CONST || n->op == OP_LOAD || n->op == OP_SCALAR)
            continue;
        const int32_t operands[2] = {n->a, n->b};
        for (int k = 0; k < 2; k++) {
            if (operands[k] >= 0) {
                r->nodes[operands[k]].used = true;
                r->nodes[operands[k]].uses++;
            }
        }
    }
}

/* Does an addition swallow one of its operands: a product nobody else needs? */
static bool fuses(const reader *r, const node *n)
{
    if (n->op != OP_ADD && n->op != OP_SUB)
        return false;
    const node *a = &r->nodes[n->a], *b = &r->nodes[n->b];
    return (a->op == OP_MUL && a->uses == 1) || (b->op == OP_MUL && b->uses == 1);
}

static void count_flops(reader *r, wl_update *out)
{
    mark_used(r);
    out->flops = out->fp_results = 0;
    for (int32_t i = 0; i < r->node_count; i++) {
        const node *n = &r->nodes[i];
        if (!n->used || n->op < OP_ADD || n->op == OP_NEG)
            continue;
        const int flops = n->op != OP_CALL ? 1 : n->function >= 0 ? functions[n->function].flops : 0;
        out->flops += flops;
        out->fp_results += flops > 0 && !fuses(r, n);
    }
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
    count_flops(r, out);
    /* a load whose value no store needs is dropped, as every compiler does */
    out->accesses = WL_ARENA_NEW(r->arena, wl_relative, r->access_count);
    if (!out->accesses)
        return wl_fail_memory(r->err);
    out->access_count = 0;
    for (size_t i = 0; i < r->access_count; i++)
        if (r->accesses[i].store || r->nodes[r->access_node[i]].used)
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
    r.nodes = calloc(NODES_MAX, sizeof *r.nodes);
    r.table = calloc(TABLE_SIZE, sizeof *r.table);
    r.temporaries = calloc(TEMPORARIES_MAX, sizeof *r.temporaries);
    r.accesses = calloc(WL_UPDATE_ACCESSES_MAX, sizeof *r.accesses);
    r.access_node = calloc(WL_UPDATE_ACCESSES_MAX, sizeof *r.access_node);
    wl_status status;
    if (r.nodes && r.table && r.temporaries && r.accesses && r.access_node)
        status = read_all(&r, text, out);
    else
        status = wl_fail_memory(err);
    free(r.nodes);
    free(r.table);
    free(r.temporaries);
    free(r.accesses);
    free(r.access_node);
    return status;
}

/* ---- fields of an undeclared update ---- */

static wl_status note_field(wl_lexer *lexer, const wl_token *t, wl_arena *arena, wl_update_field *fields,
                            size_t capacity, size_t *count)
{
    const wl_scope nothing = {.coordinates = true}; /* known, so that they can be refused by name */
    wl_update_field seen = {.loc = t->loc};
    lexer->lines = false; /* as in parentheses */
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
    lexer->lines = true;
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
    WL_TRY(wl_lexer_start(&lexer, text, true, err)); /* the scan only looks for subscripted names */
    while (lexer.token.kind != WL_TOKEN_END) {
        const wl_token t = lexer.token;
        WL_TRY(wl_lexer_next(&lexer));
        if (t.kind == WL_TOKEN_NAME && wl_lexer_is(&lexer, '['))
            WL_TRY(note_field(&lexer, &t, arena, fields, capacity, count));
    }
    return WL_OK;
}
