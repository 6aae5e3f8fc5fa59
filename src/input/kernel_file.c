/* kernel_file.c - reads the YAML of a kernel file into the kernel model.
 *
 * Reading order matters: params, domain, fields, loops, then accesses, which may name all of them.
 *
 * Layer  input (uses base, kernel). Oracle: tests/unit/test_kernel.c.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/yaml.h"
#include "input/kernel_build.h"
#include "input/kernel_numbers.h"

#define BASE_ALIGNMENT_BYTES 256
#define VECTOR_MAX 16
#define ACCESS_BYTES_MAX 32
#define ACCESSES_MAX 4096

typedef wl_kernel_builder builder;

/* ---- params and domain ---- */

/* The meaning of a reserved word in addresses, which no field or param may have as its name; NULL:
 * the word is not reserved. */
static const char *meaning(const char *name)
{
    static const struct {
        const char *word, *meaning;
    } words[] = {{"x", "the cell's coordinate"},
                 {"y", "the cell's coordinate"},
                 {"z", "the cell's coordinate"},
                 {"min", "a function"},
                 {"max", "a function"},
                 {"random", "a function"},
                 {"select", "a function"},
                 {"if", "the start of a condition"},
                 {"threadIdx", "the thread's place in its block"},
                 {"blockIdx", "the block's place in the grid"},
                 {"blockDim", "the block's extent"},
                 {"gridDim", "the grid's extent"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, name) == 0)
            return words[i].meaning;
    return NULL;
}

static wl_status check_word(const char *name, wl_loc loc, const char *what, wl_error *err)
{
    const char *already = meaning(name);
    if (already)
        return wl_fail(err, WL_E_INPUT, loc, "'%.60s' cannot be the name of a %s: in addresses it is %s", name, what,
                       already);
    if (!wl_text_is_name(name))
        return wl_fail(err, WL_E_INPUT, loc,
                       "'%.60s' cannot be the name of a %s: a name is a letter or '_', then letters, digits and '_'",
                       name, what);
    return WL_OK;
}

static wl_status check_name(const wl_yaml *entry, const char *what, wl_error *err)
{
    return check_word(entry->key, entry->key_loc, what, err);
}

static const char *set_value(const wl_kernel_text *from, const char *name)
{
    const size_t length = strlen(name);
    const char *value = NULL;
    for (size_t i = 0; i < from->set_count; i++)
        if (strncmp(from->sets[i], name, length) == 0 && from->sets[i][length] == '=')
            value = from->sets[i] + length + 1;
    return value;
}

/* Every --set must name a param. */
static wl_status check_sets(const builder *b, const wl_kernel_text *from)
{
    for (size_t i = 0; i < from->set_count; i++) {
        const char *set = from->sets[i];
        const size_t length = strcspn(set, "=");
        bool known = false;
        for (size_t p = 0; p < b->param_count; p++)
            known = known || (strlen(b->params[p].name) == length && memcmp(b->params[p].name, set, length) == 0);
        if (known && set[length] == '=')
            continue;
        (void)wl_fail_in(b->err, "--set");
        if (set[length] != '=')
            return wl_fail(b->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)length}, "write --set name=value");
        const char *names[64];
        size_t n = 0;
        for (; n < b->param_count && n < 64; n++)
            names[n] = b->params[n].name;
        return wl_fail_unknown(b->err, (wl_loc){1, 1, (int32_t)length}, "the kernel has no param", set, length, names,
                               n);
    }
    return WL_OK;
}

static wl_status read_param(builder *b, const wl_yaml *entry, const wl_kernel_text *from)
{
    wl_param *param = &b->params[b->param_count];
    const char *set = set_value(from, entry->key);
    WL_TRY(check_name(entry, "param", b->err));
    param->name = entry->key;
    param->loc = entry->key_loc;
    if (!set) {
        WL_TRY(wl_kernel_integer(b, entry, "a param", &param->value));
    } else {
        const wl_scope scope = wl_kernel_scope(b, false);
        const wl_status status = wl_expr_constant(set, &scope, &b->kernel->arena, &param->value, b->err);
        if (status != WL_OK) {
            (void)wl_fail_in(b->err, "--set");
            if (b->err)
                b->err->loc.col += (int32_t)strlen(entry->key) + 1;
            return status;
        }
    }
    b->param_count++;
    b->kernel->params[b->kernel->param_count++] = (wl_where_named){entry->key, param->value};
    return WL_OK;
}

static wl_status read_params(builder *b, const wl_kernel_text *from)
{
    const wl_yaml *node = wl_yaml_get(b->root, "params");
    if (node) {
        WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, "params", b->err));
        b->params = WL_ARENA_NEW(&b->kernel->arena, wl_param, node->count);
        b->kernel->params = WL_ARENA_NEW(&b->kernel->arena, wl_where_named, node->count);
        if (!b->params || !b->kernel->params)
            return wl_fail_memory(b->err);
        for (const wl_yaml *e = node->first; e; e = e->next)
            WL_TRY(read_param(b, e, from));
    }
    return check_sets(b, from);
}

static wl_status read_domain(builder *b)
{
    const wl_yaml *node = wl_yaml_get(b->root, "domain");
    int64_t extent[3] = {1, 1, 1};
    if (!node)
        return wl_kernel_set_domain(b->kernel, extent, 0, b->root->loc, b->err);
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, "domain", b->err));
    if (node->count < 1 || node->count > 3)
        return wl_fail(b->err, WL_E_INPUT, node->loc, "domain must have 1 to 3 extents (it has %zu)", node->count);
    int d = 0;
    for (const wl_yaml *e = node->first; e; e = e->next) {
        for (size_t p = 0; e->kind == WL_YAML_SCALAR && p < b->param_count; p++)
            if (strcmp(e->text, b->params[p].name) == 0)
                b->kernel->domain_params[d] = b->params[p].name;
        WL_TRY(wl_kernel_bounded(b, e, "a domain extent", 1, WL_ADDRESS_LIMIT, &extent[d++]));
    }
    return wl_kernel_set_domain(b->kernel, extent, d, node->loc, b->err);
}

/* The first cell that threads compute, per dimension; 0 where not given. */
static wl_status read_from(builder *b)
{
    const wl_yaml *node = wl_yaml_get(b->root, "from");
    int d = 0;
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, "from", b->err));
    if (node->count < 1 || node->count > (size_t)b->kernel->dims)
        return wl_fail(b->err, WL_E_INPUT, node->loc,
                       b->kernel->dims ? "from must have as many coordinates as the domain has dimensions, or fewer"
                                       : "from needs a domain");
    for (const wl_yaml *e = node->first; e; e = e->next, d++)
        WL_TRY(wl_kernel_bounded(b, e, "the first cell of a dimension", 0, b->kernel->domain[d] - 1,
                                 &b->kernel->first[d]));
    return WL_OK;
}

/* ---- fields ---- */

static wl_status element_type(const wl_yaml *node, wl_type *type, wl_error *err)
{
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, "type", err));
    if (!wl_type_find(node->text, type))
        return wl_fail(err, WL_E_INPUT, node->loc, "unknown type '%.20s'; use one of: f16 f32 f64 i8 i16 i32 i64",
                       node->text);
    return WL_OK;
}

static wl_status read_list(const builder *b, const wl_yaml *node, const char *what, int64_t lo, int64_t *values,
                           int *count)
{
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, what, b->err));
    if (node->count < 1 || node->count > WL_FIELD_DIMS_MAX)
        return wl_fail(b->err, WL_E_INPUT, node->loc, "%s must have 1 to %d values", what, WL_FIELD_DIMS_MAX);
    *count = 0;
    for (const wl_yaml *e = node->first; e; e = e->next)
        WL_TRY(wl_kernel_bounded(b, e, what, lo, WL_ADDRESS_LIMIT, &values[(*count)++]));
    return WL_OK;
}

/* A single number is the halo of the domain's dimensions. Further dimensions of a field
 * (populations, components) have none. */
static wl_status read_halo(const builder *b, const wl_yaml *node, const wl_field *f, int64_t *halo)
{
    if (!node)
        return WL_OK;
    if (node->kind == WL_YAML_LIST) {
        int count = 0;
        WL_TRY(read_list(b, node, "halo", 0, halo, &count));
        if (count != f->dims)
            return wl_fail(b->err, WL_E_INPUT, node->loc, "halo has %d values, extent has %d", count, f->dims);
        return WL_OK;
    }
    int64_t h = 0;
    WL_TRY(wl_kernel_bounded(b, node, "halo", 0, WL_ADDRESS_LIMIT, &h));
    for (int d = 0; d < f->dims; d++)
        halo[d] = d < b->kernel->dims || b->kernel->dims == 0 ? h : 0;
    return WL_OK;
}

static wl_status read_layout(const builder *b, const wl_yaml *node, wl_field *f)
{
    const wl_yaml *extent = wl_yaml_get(node, "extent"), *halo = wl_yaml_get(node, "halo");
    const wl_yaml *strides = wl_yaml_get(node, "strides"), *origin = wl_yaml_get(node, "origin");
    if (strides && extent)
        return wl_fail(b->err, WL_E_INPUT, strides->key_loc, "give either strides or extent, not both");
    if (halo && !extent)
        return wl_fail(b->err, WL_E_INPUT, halo->key_loc, "halo needs extent");
    if (extent) {
        int64_t extents[WL_FIELD_DIMS_MAX], halos[WL_FIELD_DIMS_MAX] = {0};
        WL_TRY(read_list(b, extent, "extent", 1, extents, &f->dims));
        WL_TRY(read_halo(b, halo, f, halos));
        WL_TRY(wl_field_lay_out(f, extents, halos, b->err));
    } else if (strides) {
        WL_TRY(read_list(b, strides, "strides", -WL_ADDRESS_LIMIT, f->strides, &f->dims));
    }
    if (origin) { /* a stated origin: the writer decides where cells lie */
        WL_TRY(wl_kernel_bounded(b, origin, "origin", -WL_ADDRESS_LIMIT, WL_ADDRESS_LIMIT, &f->origin));
        memset(f->extent, 0, sizeof f->extent);
    }
    return WL_OK;
}

static wl_status read_field(const builder *b, const wl_yaml *node, wl_field *f)
{
    static const char *const keys[] = {"type",   "vector",    "extent", "halo",  "strides",
                                       "origin", "alignment", "memory", "random"};
    *f = (wl_field){.name = node->key, .loc = node->key_loc, .vector = 1};
    WL_TRY(check_name(node, "field", b->err));
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, "a field", b->err));
    WL_TRY(wl_yaml_known_keys(node, keys, sizeof keys / sizeof keys[0], "a field", b->err));
    const wl_yaml *type = wl_yaml_get(node, "type"), *vector = wl_yaml_get(node, "vector");
    const wl_yaml *alignment = wl_yaml_get(node, "alignment");
    if (!type)
        return wl_fail(b->err, WL_E_INPUT, node->key_loc, "field '%.60s' lacks its type", node->key);
    WL_TRY(element_type(type, &f->type, b->err));
    if (vector) {
        int64_t n = 1;
        WL_TRY(wl_kernel_bounded(b, vector, "vector", 1, VECTOR_MAX, &n));
        f->vector = (int32_t)n;
        if (!wl_is_pow2(n) || n * wl_type_bytes(f->type) > 16)
            return wl_fail(b->err, WL_E_INPUT, vector->loc,
                           "a vector must be 1, 2, 4, 8 or 16 elements and at most 16 bytes");
    }
    if (alignment) {
        int64_t bytes = 0;
        WL_TRY(wl_kernel_bounded(b, alignment, "alignment", 1, (int64_t)1 << 40, &bytes));
        if (!wl_is_pow2(bytes) || bytes < wl_type_bytes(f->type) * f->vector)
            return wl_fail(b->err, WL_E_INPUT, alignment->loc,
                           "alignment must be a power of two, in bytes, and at least one element");
        f->base_bytes = bytes < BASE_ALIGNMENT_BYTES ? bytes : 0;
    }
    const wl_yaml *memory = wl_yaml_get(node, "memory"), *random = wl_yaml_get(node, "random");
    if (random)
        WL_TRY(wl_kernel_yes_or_no(b, random, "random", &f->random));
    if (memory) {
        WL_TRY(wl_yaml_expect(memory, WL_YAML_SCALAR, "memory", b->err));
        f->shared = strcmp(memory->text, "shared") == 0;
        if (!f->shared && strcmp(memory->text, "global") != 0)
            return wl_fail(b->err, WL_E_INPUT, memory->loc, "memory is global or shared");
    }
    return read_layout(b, node, f);
}

static wl_status read_fields(builder *b)
{
    const wl_yaml *node = wl_yaml_get(b->root, "fields");
    if (!node)
        return wl_fail(b->err, WL_E_INPUT, b->root->loc, "the kernel lacks 'fields'");
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, "fields", b->err));
    wl_kernel *k = b->kernel;
    k->fields = WL_ARENA_NEW(&k->arena, wl_field, node->count + 1);
    if (!k->fields)
        return wl_fail_memory(b->err);
    for (const wl_yaml *e = node->first; e; e = e->next) {
        WL_TRY(read_field(b, e, &k->fields[k->field_count]));
        k->field_count++;
    }
    return WL_OK;
}

/* Shares of stores that are too late to combine, by field. */
static wl_status read_apart(builder *b)
{
    const wl_yaml *map = wl_yaml_get(b->root, "stores_apart");
    if (!map)
        return WL_OK;
    WL_TRY(wl_yaml_expect(map, WL_YAML_MAP, "stores_apart", b->err));
    for (const wl_yaml *e = map->first; e; e = e->next) {
        wl_field *field = NULL;
        for (size_t f = 0; f < b->kernel->field_count; f++)
            if (strcmp(b->kernel->fields[f].name, e->key) == 0)
                field = &b->kernel->fields[f];
        if (!field)
            return wl_fail(b->err, WL_E_INPUT, e->key_loc, "there is no field '%.60s'", e->key);
        WL_TRY(wl_kernel_amount(b, e, "stores_apart", &field->stores_apart));
        if (field->stores_apart > 1)
            return wl_fail(b->err, WL_E_INPUT, e->loc, "'stores_apart' is a share of the stores: at most 1");
    }
    return WL_OK;
}

/* ---- accesses ---- */

static wl_status find_field(const builder *b, const wl_lexer *lexer, const wl_field **out)
{
    const wl_token *name = &lexer->token;
    const char *names[64];
    size_t n = 0;
    *out = NULL;
    for (size_t i = 0; i < b->kernel->field_count; i++) {
        if (wl_token_equals(name, b->kernel->fields[i].name))
            *out = &b->kernel->fields[i];
        if (n < 64)
            names[n++] = b->kernel->fields[i].name;
    }
    if (name->kind != WL_TOKEN_NAME)
        return wl_lexer_unexpected(lexer, "a field, as in A[3*x+1]");
    if (!*out)
        return wl_fail_unknown(b->err, name->loc, "no field is declared as", name->text, name->length, names, n);
    return WL_OK;
}

/* [ expression {, expression} {: elements} ] */
static wl_status read_subscripts(builder *b, wl_lexer *lexer, const wl_field *field,
                                 const wl_expr *subscript[WL_FIELD_DIMS_MAX], int *count, int64_t *elements)
{
    const wl_scope scope = wl_kernel_scope(b, true);
    WL_TRY(wl_lexer_take(lexer, '['));
    for (*count = 0;;) {
        if (*count == WL_FIELD_DIMS_MAX)
            return wl_lexer_unexpected(lexer, "fewer subscripts");
        WL_TRY(wl_expr_read(lexer, &scope, &b->kernel->arena, &subscript[(*count)++]));
        if (!wl_lexer_is(lexer, ','))
            break;
        WL_TRY(wl_lexer_next(lexer));
    }
    *elements = 1;
    if (wl_lexer_is(lexer, ':')) {
        const wl_expr *number = NULL;
        WL_TRY(wl_lexer_next(lexer));
        const wl_loc loc = lexer->token.loc;
        WL_TRY(wl_expr_read(lexer, &scope, &b->kernel->arena, &number));
        *elements = number->op == WL_EXPR_CONST ? number->value : 0;
        if (!wl_is_pow2(*elements) || *elements > ACCESS_BYTES_MAX / wl_field_cell_bytes(field))
            return wl_fail(b->err, WL_E_INPUT, loc, "one access moves a power of two of elements, and at most %d bytes",
                           ACCESS_BYTES_MAX);
    }
    return wl_lexer_take(lexer, ']');
}

/* Where a load finds its data, or leaves it: "from l2", "to shared". */
typedef struct load_place {
    const char *word, *name;
    const char *expected, *refused; /* in messages: the name; a store with it */
} load_place;

static const load_place from_l2 = {"from", "l2", "'l2'", "only loads are from a cache"},
                        into_shared = {"to", "shared", "'shared'", "only loads are to shared"};

static bool is_word(const wl_lexer *lexer, const char *word)
{
    return lexer->token.kind == WL_TOKEN_NAME && wl_token_equals(&lexer->token, word);
}

/* { WORD NAME }, of loads */
static wl_status read_place(builder *b, wl_lexer *lexer, bool store, const load_place *place, bool *found)
{
    *found = is_word(lexer, place->word);
    if (!*found)
        return WL_OK;
    if (store)
        return wl_fail(b->err, WL_E_INPUT, lexer->token.loc, "%s", place->refused);
    WL_TRY(wl_lexer_next(lexer));
    if (!is_word(lexer, place->name))
        return wl_lexer_unexpected(lexer, place->expected);
    return wl_lexer_next(lexer);
}

/* { if expression }, then the end */
static wl_status read_when(builder *b, wl_lexer *lexer, const wl_expr **out)
{
    const wl_scope scope = wl_kernel_scope(b, true);
    *out = NULL;
    if (lexer->token.kind == WL_TOKEN_NAME && wl_token_equals(&lexer->token, "if")) {
        WL_TRY(wl_lexer_next(lexer));
        WL_TRY(wl_expr_read(lexer, &scope, &b->kernel->arena, out));
    }
    return lexer->token.kind == WL_TOKEN_END ? WL_OK : wl_lexer_unexpected(lexer, "the end of the access");
}

/* Where every thread of the domain executes the access and its subscripts are affine, the cells it
 * touches are known before any launch is. */
static wl_status check_cells(const builder *b, const wl_field *field, const wl_expr *const *subscript, const char *text,
                             wl_loc loc)
{
    const wl_kernel *k = b->kernel;
    wl_ranges ranges = {0};
    for (int d = 0; d < 3; d++) {
        ranges.lo[WL_VAR_X + d] = k->first[d];
        ranges.hi[WL_VAR_X + d] = k->domain[d] - 1;
    }
    for (int i = 0; i < k->loop_count; i++)
        ranges.hi[WL_VAR_LOOP_0 + i] = k->loop_extent[i] - 1;
    for (int d = 0; d < field->dims && k->dims > 0; d++) {
        bool affine = false;
        wl_form form;
        wl_cell_span span = {.loc = loc};
        wl_error ignored = {0};
        if (!wl_expr_depends_on_launch(subscript[d]) &&
            wl_expr_form(subscript[d], &ranges, &affine, &form, &ignored) == WL_OK && affine &&
            wl_form_bounds(&form, &ranges, &span.first, &span.last))
            WL_TRY(wl_field_check_cells(field, d, &span, text, b->err));
    }
    return WL_OK;
}

/* Atomics on floating-point numbers are taken to be sums. */
static wl_atomic_kind kind_of_sums(wl_type type)
{
    const bool wide = type == WL_TYPE_F64;
    return (wl_atomic_kind){.sums = wide || type == WL_TYPE_F32 || type == WL_TYPE_F16, .slow = wide};
}

/* One subscript per dimension: they are multiplied by the strides. A single one is an element
 * index. */
static wl_status read_address(builder *b, const wl_yaml *node, bool store, bool atomic, wl_access *out)
{
    wl_lexer lexer;
    const wl_field *field = NULL;
    const wl_expr *subscript[WL_FIELD_DIMS_MAX], *when = NULL;
    int count = 0;
    int64_t elements = 1;
    bool bypasses_l1 = false, to_shared = false;
    WL_TRY(wl_lexer_start(&lexer, node->text, false, b->err));
    const wl_loc loc = lexer.token.loc;
    WL_TRY(find_field(b, &lexer, &field));
    WL_TRY(wl_lexer_next(&lexer));
    WL_TRY(read_subscripts(b, &lexer, field, subscript, &count, &elements));
    WL_TRY(read_place(b, &lexer, store, &from_l2, &bypasses_l1));
    WL_TRY(read_place(b, &lexer, store, &into_shared, &to_shared));
    WL_TRY(read_when(b, &lexer, &when));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) found, or we have returned */
    if (count > 1 && count != field->dims)
        return wl_fail(b->err, WL_E_INPUT, loc, "field '%s' has %d dimensions, not %d", field->name, field->dims,
                       count);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) found, or we have returned */
    if (count == field->dims && !when && !field->shared)
        WL_TRY(check_cells(b, field, subscript, node->text, loc));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) found, or we have returned */
    const wl_expr *index = wl_expr_new_const(&b->kernel->arena, field->origin, loc);
    for (int d = 0; d < count; d++)
        WL_TRY(wl_index_add(b, &index, count == field->dims ? field->strides[d] : 1, subscript[d], loc));
    *out = (wl_access){.store = store,
                       .atomic = atomic,
                       .atomic_kind = atomic ? kind_of_sums(field->type) : (wl_atomic_kind){0},
                       .bypasses_l1 = bypasses_l1,
                       .to_shared = to_shared,
                       .field = (size_t)(field - b->kernel->fields),
                       .width_bytes = (int32_t)elements * wl_field_cell_bytes(field),
                       .unit_bytes = wl_field_cell_bytes(field),
                       .index = index,
                       .when = when,
                       .text = node->text,
                       .loc = wl_yaml_loc_inside(node, (wl_loc){1, 1, (int32_t)strlen(node->text)})};
    return WL_OK;
}

static wl_status read_addresses(builder *b, const wl_yaml *list, bool store, bool atomic)
{
    wl_kernel *k = b->kernel;
    if (!list)
        return WL_OK;
    for (const wl_yaml *e = list->first; e; e = e->next) {
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "an access", b->err));
        WL_TRY(wl_kernel_place(e, b->err, read_address(b, e, store, atomic, &k->accesses[k->access_count])));
        k->access_count++;
    }
    return WL_OK;
}

static wl_status read_address_lists(builder *b)
{
    const wl_yaml *loads = wl_yaml_get(b->root, "loads"), *stores = wl_yaml_get(b->root, "stores"),
                  *atomics = wl_yaml_get(b->root, "atomics");
    wl_kernel *k = b->kernel;
    if (loads)
        WL_TRY(wl_yaml_expect(loads, WL_YAML_LIST, "loads", b->err));
    if (stores)
        WL_TRY(wl_yaml_expect(stores, WL_YAML_LIST, "stores", b->err));
    if (atomics)
        WL_TRY(wl_yaml_expect(atomics, WL_YAML_LIST, "atomics", b->err));
    const size_t count = (loads ? loads->count : 0) + (stores ? stores->count : 0) + (atomics ? atomics->count : 0);
    if (!loads && !stores && !atomics)
        return wl_fail(b->err, WL_E_INPUT, b->root->loc, "the kernel has neither an update nor loads or stores");
    if (count > ACCESSES_MAX)
        return wl_fail(b->err, WL_E_LIMIT, b->root->loc, "more than %d accesses", ACCESSES_MAX);
    k->accesses = WL_ARENA_NEW(&k->arena, wl_access, count + 1);
    if (!k->accesses)
        return wl_fail_memory(b->err);
    WL_TRY(read_addresses(b, loads, false, false));
    WL_TRY(read_addresses(b, stores, true, false));
    return read_addresses(b, atomics, true, true);
}

static wl_status read_loops(builder *b)
{
    const wl_yaml *node = wl_yaml_get(b->root, "loops");
    wl_kernel *k = b->kernel;
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, "loops", b->err));
    if (node->count > WL_LOOPS_MAX)
        return wl_fail(b->err, WL_E_INPUT, node->loc, "at most %d loops (there are %zu)", WL_LOOPS_MAX, node->count);
    for (const wl_yaml *e = node->first; e; e = e->next) {
        WL_TRY(check_name(e, "loop variable", b->err));
        for (size_t p = 0; p < b->param_count; p++)
            if (strcmp(b->params[p].name, e->key) == 0)
                return wl_fail(b->err, WL_E_INPUT, e->key_loc, "'%.60s' is a param already", e->key);
        k->loop_name[k->loop_count] = e->key;
        WL_TRY(wl_kernel_bounded(b, e, "a loop's length", 1, (int64_t)1 << 32, &k->loop_extent[k->loop_count]));
        k->loop_count++;
    }
    return WL_OK;
}

/* A scalar may not reuse a name: the other meaning would silently win. */
static bool name_taken(const builder *b, const char *name)
{
    bool taken = false;
    for (size_t i = 0; i < b->param_count; i++)
        taken = taken || strcmp(b->params[i].name, name) == 0;
    for (size_t i = 0; i < b->kernel->field_count; i++)
        taken = taken || strcmp(b->kernel->fields[i].name, name) == 0;
    for (size_t i = 0; i < b->scalar_count; i++)
        taken = taken || strcmp(b->scalars[i], name) == 0;
    return taken;
}

static wl_status read_scalars(builder *b)
{
    const wl_yaml *node = wl_yaml_get(b->root, "scalars");
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, "scalars", b->err));
    b->scalars = WL_ARENA_NEW(&b->kernel->arena, const char *, node->count);
    if (!b->scalars)
        return wl_fail_memory(b->err);
    for (const wl_yaml *e = node->first; e; e = e->next) {
        WL_TRY(wl_yaml_expect(e, WL_YAML_SCALAR, "a scalar's name", b->err));
        WL_TRY(check_word(e->text, e->loc, "scalar", b->err));
        if (name_taken(b, e->text))
            return wl_fail(b->err, WL_E_INPUT, e->loc, "'%.60s' is the name of something else already", e->text);
        b->scalars[b->scalar_count++] = e->text;
    }
    return WL_OK;
}

static wl_status read_accesses(builder *b)
{
    const wl_yaml *update = wl_yaml_get(b->root, "update"), *flops = wl_yaml_get(b->root, "flops");
    if (update) {
        const wl_yaml *other = wl_yaml_get(b->root, "loads");
        other = other ? other : wl_yaml_get(b->root, "stores");
        other = other ? other : wl_yaml_get(b->root, "atomics");
        other = other ? other : wl_yaml_get(b->root, "loops");
        if (other)
            return wl_fail(b->err, WL_E_INPUT, other->key_loc, "'%s' and 'update' exclude each other", other->key);
        if (b->kernel->dims == 0)
            return wl_fail(b->err, WL_E_INPUT, update->key_loc, "an update needs a domain");
        WL_TRY(wl_yaml_expect(update, WL_YAML_SCALAR, "update", b->err));
        WL_TRY(wl_kernel_place(update, b->err, wl_kernel_read_update(b, update->text)));
        for (size_t i = 0; i < b->kernel->access_count; i++)
            b->kernel->accesses[i].loc = wl_yaml_loc_inside(update, b->kernel->accesses[i].loc);
    } else {
        WL_TRY(read_address_lists(b));
    }
    if (flops) {
        WL_TRY(wl_kernel_amount(b, flops, "flops", &b->kernel->flops));
        b->kernel->has_flops = true;
        /* as if all were fused multiply-adds, as in the peak flops of a device */
        b->kernel->fp_results = b->kernel->flops / 2;
    }
    const wl_yaml *results = wl_yaml_get(b->root, "fp_results");
    return results ? wl_kernel_amount(b, results, "fp_results", &b->kernel->fp_results) : WL_OK;
}

/* ---- the rest ---- */

/* Conditions on the launch: one text or a list of them. */
static wl_status read_condition(builder *b, const wl_yaml *node)
{
    wl_kernel *k = b->kernel;
    wl_error inside = {0};
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, "a condition", b->err));
    if (k->condition_count == WL_KERNEL_CONDITIONS_MAX)
        return wl_fail(b->err, WL_E_LIMIT, node->loc, "at most %d conditions", WL_KERNEL_CONDITIONS_MAX);
    const wl_status status =
        wl_where_parse(node->text, k->params, k->param_count, &k->arena, &k->conditions[k->condition_count], &inside);
    if (status != WL_OK)
        return wl_fail(b->err, status, wl_yaml_loc_inside(node, inside.loc), "%s", inside.message);
    k->condition_count++;
    return WL_OK;
}

static wl_status read_conditions(builder *b)
{
    const wl_yaml *node = wl_yaml_get(b->root, "where");
    if (!node)
        return WL_OK;
    b->kernel->conditions = WL_ARENA_NEW(&b->kernel->arena, const wl_where *, WL_KERNEL_CONDITIONS_MAX);
    if (!b->kernel->conditions)
        return wl_fail_memory(b->err);
    if (node->kind == WL_YAML_SCALAR)
        return read_condition(b, node);
    WL_TRY(wl_yaml_expect(node, WL_YAML_LIST, "where", b->err));
    for (const wl_yaml *e = node->first; e; e = e->next)
        WL_TRY(read_condition(b, e));
    return WL_OK;
}

static wl_status build(builder *b, const wl_kernel_text *from)
{
    static const char *const keys[] = {
        "name",         "params",      "domain",        "fields",         "update",        "loads",
        "stores",       "loops",       "scalars",       "flops",          "registers",     "shared_bytes",
        "instructions", "barriers",    "guarded_cells", "where",          "mix",           "idle_instructions",
        "atomics",      "fp_results",  "shuffles",      "tensor",         "tensor_groups", "from",
        "integer_pipe", "conversions", "products",      "thread_indices", "active_lanes",  "executed_accesses",
        "stores_apart"};
    wl_yaml *root = NULL;
    WL_TRY(wl_yaml_parse(&b->kernel->arena, from->text, from->length, &root, b->err));
    WL_TRY(wl_yaml_expect(root, WL_YAML_MAP, "a kernel file", b->err));
    WL_TRY(wl_yaml_known_keys(root, keys, sizeof keys / sizeof keys[0], "the kernel", b->err));
    b->root = root;
    const wl_yaml *name = wl_yaml_get(root, "name");
    if (!name)
        return wl_fail(b->err, WL_E_INPUT, root->loc, "the kernel lacks its 'name'");
    WL_TRY(wl_yaml_expect(name, WL_YAML_SCALAR, "name", b->err));
    if (name->text[0] == '\0')
        return wl_fail(b->err, WL_E_INPUT, name->loc, "'name' is empty");
    b->kernel->name = name->text;
    WL_TRY(read_params(b, from));
    WL_TRY(read_domain(b));
    WL_TRY(read_from(b));
    WL_TRY(read_fields(b));
    WL_TRY(read_apart(b));
    WL_TRY(wl_kernel_change_layouts(b));
    WL_TRY(read_conditions(b));
    WL_TRY(read_loops(b));
    WL_TRY(read_scalars(b));
    WL_TRY(wl_kernel_read_resources(b));
    WL_TRY(read_accesses(b));
    wl_kernel_derive(b->kernel);
    return WL_OK;
}

wl_status wl_kernel_read_file(const char *input, const wl_kernel_text *text, const wl_layout *layout, wl_kernel **out,
                              wl_error *err)
{
    wl_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return wl_fail_memory(err);
    builder b = {.kernel = kernel, .layout = layout ? *layout : (wl_layout){0}, .err = err};
    return wl_kernel_finish(kernel, input, text, build(&b, text), out, err);
}

wl_status wl_kernel_parse(const char *input, const char *text, size_t length, const wl_kernel_options *options,
                          wl_kernel **out, wl_error *err)
{
    wl_kernel_text from = {.text = text, .length = length};
    if (options) {
        from.sets = options->sets;
        from.set_count = options->set_count;
    }
    return wl_kernel_read_file(input, &from, NULL, out, err);
}
