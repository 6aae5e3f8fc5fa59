/* cost_file.c - parses a YAML file of share/costs into the table; see cost_table.h.
 * Layer  ptx/cost (uses base, ptx/module). SPDX-License-Identifier: MIT */
#include "ptx/cost/cost_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/yaml.h"

/* ---- names ---- */

static const char *const operations[WL_PTX_OP_COUNT] = {
    "",
#define WL_PTX_OPERATION(id, mnemonic, kind, support, meaning) #id,
#include "ptx/module/operations.def"
};

static const char *const kinds[WL_COST_KIND_COUNT] = {
    [WL_COST_ANY] = "",    [WL_COST_S32] = "s32", [WL_COST_U32] = "u32", [WL_COST_I64] = "i64",
    [WL_COST_F32] = "f32", [WL_COST_F64] = "f64", [WL_COST_P] = "pred"};

static const struct {
    const char *name;
    uint32_t bits;
} modifiers[] = {{"lo", WL_PTX_MOD_LO},   {"hi", WL_PTX_MOD_HI},   {"wide", WL_PTX_MOD_WIDE},
                 {"sat", WL_PTX_MOD_SAT}, {"ftz", WL_PTX_MOD_FTZ}, {"approx", WL_PTX_MOD_APPROX},
                 {"cc", WL_PTX_MOD_CC},   {"NaN", WL_PTX_MOD_NAN}, {"nc", WL_PTX_MOD_NC}};

static bool is_word(const char *name, const char *word, size_t length)
{
    return strncmp(name, word, length) == 0 && name[length] == '\0';
}

/* ---- a file ---- */

typedef struct named_row {
    wl_ptx_op op;
    wl_cost_row row;
    wl_loc loc;
} named_row;

typedef struct reader {
    wl_ptx_costs *costs;
    named_row *rows; /* in file order */
    int32_t row_count;
    bool *has_rule;
    wl_error *err;
} reader;

static wl_status read_operation(reader *r, const wl_yaml *node, size_t length, wl_ptx_op *out)
{
    for (int op = 1; op < WL_PTX_OP_COUNT; op++)
        if (is_word(operations[op], node->key, length)) {
            *out = (wl_ptx_op)op;
            return WL_OK;
        }
    return wl_fail_unknown(r->err, node->key_loc, "no operation is called", node->key, length, operations + 1,
                           WL_PTX_OP_COUNT - 1);
}

/* One suffix of the operation: a modifier or, at the end, a type; two types of a conversion, to and
 * from. */
static bool read_part(const char *part, size_t length, wl_cost_row *row)
{
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers && row->kind == WL_COST_ANY; i++)
        if (is_word(modifiers[i].name, part, length)) {
            row->modifiers |= modifiers[i].bits;
            return true;
        }
    for (int kind = WL_COST_ANY + 1; kind < WL_COST_KIND_COUNT; kind++)
        if (is_word(kinds[kind], part, length) && row->from == WL_COST_ANY) {
            *(row->kind == WL_COST_ANY ? &row->kind : &row->from) = (wl_cost_kind)kind;
            return true;
        }
    return false;
}

static wl_status read_number(const reader *r, const wl_yaml *node, double *out)
{
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, node->key, r->err));
    if (!wl_text_number(node->text, out) || !isfinite(*out) || *out < 0)
        return wl_fail(r->err, WL_E_INPUT, node->loc, "%s needs a number that is not negative, not '%.40s'", node->key,
                       node->text);
    return WL_OK;
}

/* "{special: 1, fp32: 3, integer_pipe: 1, chain: 9}": how many are of each class, `own` of that of
 * the instruction itself; how many of all of them only the integer pipe executes; and how long its
 * result takes. */
static wl_status read_parts(const reader *r, const wl_yaml *node, wl_cost_row *row)
{
    static const char own[] = "own", pipe[] = "integer_pipe", chain[] = "chain";
    const char *keys[WL_INST_CLASS_COUNT + 3];
    double n = 0;
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++)
        keys[c] = wl_inst_class_name((wl_inst_class)c);
    keys[WL_INST_CLASS_COUNT] = own;
    keys[WL_INST_CLASS_COUNT + 1] = pipe;
    keys[WL_INST_CLASS_COUNT + 2] = chain;
    WL_TRY(wl_yaml_known_keys(node, keys, WL_INST_CLASS_COUNT + 3, "a cost by class", r->err));
    for (int c = 0; c < WL_INST_CLASS_COUNT + 3; c++) {
        const wl_yaml *part = wl_yaml_get(node, keys[c]);
        if (!part)
            continue;
        WL_TRY(read_number(r, part, &n));
        row->cost += c <= WL_INST_CLASS_COUNT ? n : 0;
        if (c < WL_INST_CLASS_COUNT) {
            row->parts[c] = n;
            row->has_parts = true;
        } else if (keys[c] == pipe) {
            row->integer_pipe = n;
        } else if (keys[c] == chain) {
            row->chain = n;
        }
    }
    if (row->integer_pipe > row->cost || row->cost == 0)
        return wl_fail(r->err, WL_E_INPUT, node->loc, "%s: integer_pipe is a part of the others, which are not all 0",
                       node->key);
    return WL_OK;
}

/* "mul.hi.i64: 8" */
static wl_status read_row(reader *r, const wl_yaml *node, const char *unit)
{
    if (strcmp(unit, "instructions") != 0)
        return wl_fail(r->err, WL_E_INPUT, node->key_loc, "an operation costs instructions, not %.40s", unit);
    if (r->row_count == WL_COST_ROWS_MAX)
        return wl_fail(r->err, WL_E_LIMIT, node->key_loc, "at most %d operations", WL_COST_ROWS_MAX);
    named_row *row = &r->rows[r->row_count++];
    const char *part = node->key;
    size_t length = strcspn(part, ".");
    *row = (named_row){.loc = node->key_loc};
    WL_TRY(read_operation(r, node, length, &row->op));
    while (part[length] == '.') {
        part += length + 1;
        length = strcspn(part, ".");
        if (!read_part(part, length, &row->row))
            return wl_fail(r->err, WL_E_INPUT, node->key_loc, "'%.*s' of %s is neither a modifier nor a type",
                           (int)length, part, node->key);
    }
    return node->kind == WL_YAML_MAP ? read_parts(r, node, &row->row) : read_number(r, node, &row->row.cost);
}

/* ---- rules ---- */

static const struct {
    const char *name, *unit, *meaning;
    size_t place;
} rules[] = {
#define WL_COST_RULE(name, unit, meaning) {#name, unit, meaning, offsetof(wl_ptx_costs, rules.name)},
#include "ptx/cost/rules.def"
};
#define RULES (sizeof rules / sizeof *rules)

static wl_status read_rule(reader *r, const wl_yaml *node, const char *unit)
{
    const char *names[RULES];
    for (size_t i = 0; i < RULES; i++) {
        names[i] = rules[i].name;
        if (strcmp(rules[i].name, node->key) != 0)
            continue;
        if (strcmp(rules[i].unit, unit) != 0)
            return wl_fail(r->err, WL_E_INPUT, node->key_loc, "%s is in %s, not in %.40s", node->key, rules[i].unit,
                           unit);
        if (r->has_rule[i])
            return wl_fail(r->err, WL_E_INPUT, node->key_loc, "%s is given twice", node->key);
        r->has_rule[i] = true;
        return read_number(r, node, (double *)(void *)((char *)r->costs + rules[i].place));
    }
    return wl_fail_unknown(r->err, node->key_loc, "no rule is called", node->key, strlen(node->key), names, RULES);
}

/* ---- groups of numbers with one unit and one source ---- */

typedef wl_status (*read_entry)(reader *r, const wl_yaml *node, const char *unit);

static wl_status read_group(reader *r, const wl_yaml *group, read_entry entry)
{
    static const char *const keys[] = {"unit", "source", "numbers"};
    const wl_yaml *part[3];
    WL_TRY(wl_yaml_expect(group, WL_YAML_MAP, "a group of numbers", r->err));
    WL_TRY(wl_yaml_known_keys(group, keys, 3, "a group of numbers", r->err));
    for (int i = 0; i < 3; i++) {
        part[i] = wl_yaml_get(group, keys[i]);
        if (!part[i])
            return wl_fail(r->err, WL_E_INPUT, group->loc, "a group of numbers lacks its %s", keys[i]);
        WL_TRY(wl_yaml_expect(part[i], i < 2 ? WL_YAML_SCALAR : WL_YAML_MAP, keys[i], r->err));
    }
    if (part[1]->text[0] == '\0')
        return wl_fail(r->err, WL_E_INPUT, part[1]->loc, "the source is empty");
    for (const wl_yaml *node = part[2]->first; node; node = node->next)
        WL_TRY(entry(r, node, part[0]->text));
    return WL_OK;
}

static wl_status read_groups(reader *r, const wl_yaml *root, const char *key, read_entry entry)
{
    const wl_yaml *list = wl_yaml_get(root, key);
    if (!list)
        return wl_fail(r->err, WL_E_INPUT, root->loc, "the cost file lacks '%s'", key);
    WL_TRY(wl_yaml_expect(list, WL_YAML_LIST, key, r->err));
    for (const wl_yaml *group = list->first; group; group = group->next)
        WL_TRY(read_group(r, group, entry));
    return WL_OK;
}

/* ---- the table ---- */

/* Does the first row match everything that the second matches? */
static bool hides(const wl_cost_row *first, const wl_cost_row *second)
{
    return (first->kind == WL_COST_ANY || first->kind == second->kind) &&
           (first->from == WL_COST_ANY || first->from == second->from) &&
           (second->modifiers & first->modifiers) == first->modifiers;
}

/* Rows by operation; file order within one. */
static wl_status sort_rows(reader *r)
{
    wl_ptx_costs *c = r->costs;
    for (int32_t i = 0; i < r->row_count; i++)
        c->first[r->rows[i].op + 1]++;
    for (int op = 0; op < WL_PTX_OP_COUNT; op++)
        c->first[op + 1] += c->first[op];
    int32_t next[WL_PTX_OP_COUNT];
    memcpy(next, c->first, sizeof next);
    for (int32_t i = 0; i < r->row_count; i++) {
        const named_row *from = &r->rows[i];
        for (int32_t k = c->first[from->op]; k < next[from->op]; k++)
            if (hides(&c->rows[k], &from->row))
                return wl_fail(r->err, WL_E_INPUT, from->loc, "can never match: an earlier line matches first");
        c->rows[next[from->op]++] = from->row;
    }
    return WL_OK;
}

static wl_status read_label(const reader *r, const wl_yaml *root, const char *key, const char **out)
{
    const wl_yaml *node = wl_yaml_get(root, key);
    if (!node)
        return wl_fail(r->err, WL_E_INPUT, root->loc, "the cost file lacks '%s'", key);
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, key, r->err));
    *out = node->text;
    return WL_OK;
}

static wl_status read_file(reader *r, const char *text, size_t length, wl_arena *arena)
{
    static const char *const keys[] = {"architecture", "title", "operations", "rules", "estimates"};
    const char *name = NULL, *title = NULL;
    wl_yaml *root = NULL;
    r->rows = WL_ARENA_NEW(arena, named_row, WL_COST_ROWS_MAX);
    r->has_rule = WL_ARENA_NEW(arena, bool, RULES);
    if (!r->rows || !r->has_rule)
        return wl_fail_memory(r->err);
    WL_TRY(wl_yaml_parse(arena, text, length, &root, r->err));
    WL_TRY(wl_yaml_expect(root, WL_YAML_MAP, "a cost file", r->err));
    WL_TRY(wl_yaml_known_keys(root, keys, sizeof keys / sizeof *keys, "the cost file", r->err));
    WL_TRY(read_label(r, root, "title", &title));
    WL_TRY(read_label(r, root, "architecture", &name));
    if (wl_cost_architecture(name) < 0)
        return wl_fail(r->err, WL_E_INPUT, wl_yaml_get(root, "architecture")->loc,
                       "an architecture is a target of PTX, as sm_90, not '%.40s'", name);
    WL_TRY(read_groups(r, root, "operations", read_row));
    WL_TRY(read_groups(r, root, "rules", read_rule));
    for (size_t i = 0; i < RULES; i++)
        if (!r->has_rule[i])
            return wl_fail(r->err, WL_E_INPUT, root->loc, "the cost file lacks the rule '%s' (%s)", rules[i].name,
                           rules[i].meaning);
    if (r->costs->rules.unroll_factor < 1)
        return wl_fail(r->err, WL_E_INPUT, root->loc, "unroll_factor is at least 1");
    return sort_rows(r);
}

wl_status wl_ptx_costs_parse(const char *input, const char *text, size_t length, wl_ptx_costs **out, wl_error *err)
{
    wl_arena arena = {0};
    reader r = {.costs = calloc(1, sizeof *r.costs), .err = err};
    const wl_status status = r.costs ? read_file(&r, text, length, &arena) : wl_fail_memory(err);
    wl_arena_free(&arena);
    if (status != WL_OK) {
        (void)wl_fail_in(err, input);
        free(r.costs);
        return status;
    }
    *out = r.costs;
    return WL_OK;
}
