/* flops.c - see flops.h. SPDX-License-Identifier: MIT */
#include "input/flops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/text.h"

#define NODES_MAX 65536

typedef enum node_op { OP_CONST, OP_LOAD, OP_SCALAR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_NEG, OP_CALL } node_op;

typedef struct wl_flops_node {
    node_op op;
    /* operands, or -1; OP_LOAD, OP_SCALAR: their number; OP_CALL: b is the next argument list */
    int32_t a, b;
    int32_t function;
    double value;
    bool used;
    int32_t uses; /* how often live nodes and stores use it */
} node;

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
    /* at least so many instructions of the special-function unit */
    int special;
    double (*value)(const double *arguments); /* to fold constants */
} functions[] = {
    {"sqrt", 1, 1, 1, value_sqrt}, {"rsqrt", 1, 1, 1, value_rsqrt}, {"abs", 1, 0, 0, value_abs},
    {"min", 2, 1, 0, value_min},   {"max", 2, 1, 0, value_max},     {"exp", 1, 1, 1, value_exp},
    {"log", 1, 1, 1, value_log},   {"sin", 1, 1, 1, value_sin},     {"cos", 1, 1, 1, value_cos},
    {"tanh", 1, 1, 1, value_tanh}, {"pow", 2, 1, 2, value_pow},     {"fma", 3, 2, 0, value_fma},
};
#define FUNCTION_COUNT ((int)(sizeof functions / sizeof functions[0]))

int wl_flops_function(const wl_token *name)
{
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (wl_token_equals(name, functions[i].name))
            return i;
    return -1;
}

wl_status wl_flops_unknown_function(const wl_token *name, wl_error *err)
{
    const char *names[FUNCTION_COUNT];
    for (int i = 0; i < FUNCTION_COUNT; i++)
        names[i] = functions[i].name;
    return wl_fail_unknown(err, name->loc, "unknown function", name->text, name->length, names, FUNCTION_COUNT);
}

wl_status wl_flops_start(wl_flops *f, size_t length, wl_error *err)
{
    const size_t nodes = length < NODES_MAX ? length + 1 : NODES_MAX;
    size_t table = 2;
    while (table < 2 * nodes)
        table *= 2;
    *f = (wl_flops){.nodes = calloc(nodes, sizeof *f->nodes),
                    .table = calloc(table, sizeof *f->table),
                    .table_size = table,
                    .err = err};
    return f->nodes && f->table ? WL_OK : wl_fail_memory(err);
}

void wl_flops_free(wl_flops *f)
{
    free(f->nodes);
    free(f->table);
}

/* ---- nodes ---- */

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

/* The number of the node with this content, created if new (value numbering). */
static wl_status intern(wl_flops *f, node n, wl_loc loc, int32_t *out)
{
    for (uint64_t slot = hash_node(&n);; slot++) {
        int32_t *entry = &f->table[slot % f->table_size];
        if (*entry == 0) {
            if (f->node_count == NODES_MAX)
                return wl_fail(f->err, WL_E_LIMIT, loc, "the update is too long");
            f->nodes[f->node_count] = n;
            *entry = ++f->node_count;
            *out = f->node_count - 1;
            return WL_OK;
        }
        if (same_node(&f->nodes[*entry - 1], &n)) {
            *out = *entry - 1;
            return WL_OK;
        }
    }
}

wl_status wl_flops_constant(wl_flops *f, double value, wl_loc loc, int32_t *out)
{
    return intern(f, (node){.op = OP_CONST, .a = -1, .b = -1, .value = value == 0 ? 0.0 : value}, loc, out);
}

wl_status wl_flops_load(wl_flops *f, size_t access, wl_loc loc, int32_t *out)
{
    return intern(f, (node){.op = OP_LOAD, .a = (int32_t)access, .b = -1}, loc, out);
}

wl_status wl_flops_scalar(wl_flops *f, size_t number, wl_loc loc, int32_t *out)
{
    return intern(f, (node){.op = OP_SCALAR, .a = (int32_t)number, .b = -1}, loc, out);
}

static bool is_const(const wl_flops *f, int32_t n, double value)
{
    return f->nodes[n].op == OP_CONST && f->nodes[n].value == value;
}

static wl_status fold(wl_flops *f, node_op op, double a, double b, wl_loc loc, int32_t *out)
{
    const double v = op == OP_ADD ? a + b : op == OP_SUB ? a - b : op == OP_MUL ? a * b : a / b;
    if (!isfinite(v))
        return wl_fail(f->err, WL_E_RANGE, loc, "the constant overflows");
    return wl_flops_constant(f, v, loc, out);
}

static wl_status binary(wl_flops *f, node_op op, int32_t a, int32_t b, wl_loc loc, int32_t *out)
{
    const node *na = &f->nodes[a], *nb = &f->nodes[b];
    if (op == OP_DIV && is_const(f, b, 0))
        return wl_fail(f->err, WL_E_INPUT, loc, "division by zero");
    if (na->op == OP_CONST && nb->op == OP_CONST)
        return fold(f, op, na->value, nb->value, loc, out);
    const bool b_neutral =
        ((op == OP_ADD || op == OP_SUB) && is_const(f, b, 0)) || ((op == OP_MUL || op == OP_DIV) && is_const(f, b, 1));
    const bool a_neutral = (op == OP_ADD && is_const(f, a, 0)) || (op == OP_MUL && is_const(f, a, 1));
    if (b_neutral || a_neutral) {
        *out = b_neutral ? a : b;
        return WL_OK;
    }
    /* a sign moves into the neighbouring addition: a + (-b) and a - b are one node */
    if ((op == OP_ADD || op == OP_SUB) && nb->op == OP_NEG)
        return binary(f, op == OP_ADD ? OP_SUB : OP_ADD, a, nb->a, loc, out);
    if (op == OP_ADD && na->op == OP_NEG)
        return binary(f, OP_SUB, b, na->a, loc, out);
    node n = {.op = op, .a = a, .b = b};
    if ((op == OP_ADD || op == OP_MUL) && a > b) {
        n.a = b;
        n.b = a;
    }
    return intern(f, n, loc, out);
}

wl_status wl_flops_binary(wl_flops *f, wl_expr_op op, int32_t a, int32_t b, wl_loc loc, int32_t *out)
{
    static const node_op operations[] = {
        [WL_EXPR_ADD] = OP_ADD, [WL_EXPR_SUB] = OP_SUB, [WL_EXPR_MUL] = OP_MUL, [WL_EXPR_DIV] = OP_DIV};
    return binary(f, operations[op], a, b, loc, out);
}

wl_status wl_flops_negate(wl_flops *f, int32_t a, wl_loc loc, int32_t *out)
{
    const node *n = &f->nodes[a];
    if (n->op == OP_CONST)
        return wl_flops_constant(f, -n->value, loc, out);
    if (n->op == OP_NEG) {
        *out = n->a;
        return WL_OK;
    }
    return intern(f, (node){.op = OP_NEG, .a = a, .b = -1}, loc, out);
}

static wl_status call_constants(wl_flops *f, int function, const double *values, wl_loc loc, int32_t *out)
{
    const double v = functions[function].value(values);
    if (!isfinite(v))
        return wl_fail(f->err, WL_E_INPUT, loc, "%s of this constant is not a number", functions[function].name);
    return wl_flops_constant(f, v, loc, out);
}

wl_status wl_flops_call(wl_flops *f, int function, const int32_t arguments[WL_FLOPS_ARGUMENTS_MAX], int count,
                        wl_loc loc, int32_t *out)
{
    const int wanted = functions[function].arguments;
    double values[WL_FLOPS_ARGUMENTS_MAX] = {0};
    bool constant = true;
    int32_t list = -1;
    if (count != wanted)
        return wl_fail(f->err, WL_E_INPUT, loc, "%s takes %d argument%s, not %d", functions[function].name, wanted,
                       wanted == 1 ? "" : "s", count);
    for (int i = 0; i < count; i++) {
        values[i] = f->nodes[arguments[i]].value;
        constant = constant && f->nodes[arguments[i]].op == OP_CONST;
    }
    if (constant)
        return call_constants(f, function, values, loc, out);
    for (int i = 0; i < count; i++)
        WL_TRY(intern(f, (node){.op = OP_CALL, .a = arguments[i], .b = list, .function = -1}, loc, &list));
    return intern(f, (node){.op = OP_CALL, .a = list, .b = -1, .function = function}, loc, out);
}

/* ---- counting ---- */

void wl_flops_need(wl_flops *f, int32_t value)
{
    f->nodes[value].used = true;
    f->nodes[value].uses++;
}

bool wl_flops_is_needed(const wl_flops *f, int32_t value) { return f->nodes[value].used; }

/* Operands precede their users, so one backward pass marks all live nodes. */
static void mark_needed(wl_flops *f)
{
    for (int32_t i = f->node_count; i-- > 0;) {
        const node *n = &f->nodes[i];
        if (!n->used || n->op == OP_CONST || n->op == OP_LOAD || n->op == OP_SCALAR)
            continue;
        if (n->a >= 0)
            wl_flops_need(f, n->a);
        if (n->b >= 0)
            wl_flops_need(f, n->b);
    }
}

/* Can the addition become a fused multiply-add, because one operand is a product with no other
 * use? */
static bool fuses(const wl_flops *f, const node *n)
{
    if (n->op != OP_ADD && n->op != OP_SUB)
        return false;
    const node *a = &f->nodes[n->a], *b = &f->nodes[n->b];
    return (a->op == OP_MUL && a->uses == 1) || (b->op == OP_MUL && b->uses == 1);
}

void wl_flops_count(wl_flops *f, int64_t *flops, int64_t *fp_results, int64_t *specials)
{
    mark_needed(f);
    *flops = *fp_results = *specials = 0;
    for (int32_t i = 0; i < f->node_count; i++) {
        const node *n = &f->nodes[i];
        if (!n->used || n->op < OP_ADD || n->op == OP_NEG)
            continue;
        const int own = n->op != OP_CALL ? 1 : n->function >= 0 ? functions[n->function].flops : 0;
        *flops += own;
        *specials += n->op == OP_DIV ? 1 : n->op == OP_CALL && n->function >= 0 ? functions[n->function].special : 0;
        *fp_results += own > 0 && !fuses(f, n);
    }
}
