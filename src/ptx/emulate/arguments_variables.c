/* arguments_variables.c - contents of __constant__ and __device__ variables, as a user gives them.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fail.h"
#include "ptx/emulate/arguments_internal.h"
#include "ptx/module/name_match.h"

#define LIST_LENGTH 150

static bool is_memory(const wl_ptx_variable *v) { return v->space == WL_PTX_GLOBAL || v->space == WL_PTX_CONST; }

/* A search for a variable by name. */
typedef struct search {
    const wl_ptx_maker *maker;
    wl_arena scratch;
    const char *name, *compared;
    wl_ptx_fit best;
    int32_t found;
    int count; /* variables that match equally well */
    bool failed;
    char list[LIST_LENGTH]; /* of them, or of all */
} search;

static void add_to_list(search *s, const wl_ptx_demangled *shown)
{
    const size_t used = strlen(s->list), length = strlen(shown->text);
    if (used + length + 5 < sizeof s->list)
        (void)snprintf(s->list + used, sizeof s->list - used, "%s%s", used ? ", " : "", shown->text);
    else if (used + 5 < sizeof s->list && (used < 2 || strcmp(s->list + used - 2, "..") != 0))
        (void)snprintf(s->list + used, sizeof s->list - used, " ..");
}

static void look_at(search *s, int32_t v, bool list)
{
    const wl_ptx_variable *variable = &s->maker->module->variables[v];
    const wl_ptx_demangled shown = wl_ptx_demangle(variable->name, &s->scratch);
    s->failed = s->failed || !shown.text;
    if (s->failed)
        return;
    const wl_ptx_fit fit = wl_ptx_name_fit(variable->name, &shown, s->name, s->compared, &s->failed);
    if (fit < s->best) {
        s->best = fit;
        s->count = 0;
        s->found = v;
    }
    s->count += fit == s->best && fit < WL_PTX_FIT_NONE;
    if (list && fit == s->best)
        add_to_list(s, &shown);
}

static void look_at_all(search *s, bool list)
{
    s->count = 0;
    for (int32_t v = 0; v < s->maker->module->variable_count && !s->failed; v++)
        if (is_memory(&s->maker->module->variables[v]))
            look_at(s, v, list);
}

static wl_status find(search *s, wl_error *err)
{
    s->compared = wl_ptx_wanted_name(s->name, &s->scratch);
    s->failed = !s->compared;
    if (!s->failed)
        look_at_all(s, false);
    if (!s->failed && s->count != 1)
        look_at_all(s, true);
    if (s->failed)
        return wl_fail_memory(err);
    if (s->count > 1)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "'%.40s' matches several variables: %s", s->name, s->list);
    if (s->best == WL_PTX_FIT_NONE)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no __constant__ or __device__ variable '%.40s'%s%s",
                       s->name, s->list[0] ? "; there are: " : "", s->list);
    return WL_OK;
}

static wl_status one(wl_ptx_maker *m, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)strlen(text)}, "expected NAME=CONTENTS");
    search s = {.maker = m, .best = WL_PTX_FIT_NONE, .name = wl_arena_text(m->arena, text, (size_t)(equals - text))};
    const wl_status status = s.name ? find(&s, m->err) : wl_fail_memory(m->err);
    wl_arena_free(&s.scratch);
    if (status == WL_OK && m->contents[s.found])
        return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE, "'%.80s' is given twice", s.name);
    if (status == WL_OK)
        m->contents[s.found] = equals + 1;
    return status;
}

static wl_status in_constant(const wl_ptx_maker *m, const char *text)
{
    wl_ptx_name_text(m, text);
    return wl_fail_in(m->err, "--constant");
}

wl_status wl_ptx_find_contents(wl_ptx_maker *m)
{
    for (size_t i = 0; i < m->given->constant_count; i++) {
        const wl_status status = one(m, m->given->constants[i]);
        if (status != WL_OK)
            return status == WL_E_NOMEM ? status : in_constant(m, m->given->constants[i]);
    }
    return WL_OK;
}

/* ---- their bytes ---- */

static bool is_number(const char *text)
{
    text += *text == '-' || *text == '+';
    return wl_is_digit(text[*text == '.']);
}

static bool is_bytes(const char *text) { return strncmp(text, "bytes:", 6) == 0; }

static wl_status bytes_of(wl_ptx_maker *m, const wl_ptx_variable *variable, const wl_ptx_value_text *value,
                          uint8_t *out)
{
    int64_t used = 0;
    if (is_bytes(value->text))
        return wl_ptx_bytes_text(value->text, variable->bytes, out, m->err);
    if (value->text[0] == '{') /* the rest is 0, as in C */
        return wl_ptx_struct_text(m, value, variable->bytes, out, &used);
    if (!wl_ptx_is_pointer(value->text))
        return wl_ptx_number_text(value->text, variable->type, out, m->err);
    if (variable->bytes != 8)
        return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, 3},
                       "a buffer for a variable of %lld bytes, which is not a pointer", (long long)variable->bytes);
    return wl_ptx_pointer_text(m, value, out);
}

static wl_status fill(wl_ptx_maker *m, int32_t v, wl_ptx_buffer *b)
{
    const wl_ptx_variable *variable = &m->module->variables[v];
    const char *text = m->contents[v];
    const bool scalar = variable->elements <= 1 && variable->bytes == wl_ptx_type_bits(variable->type) / 8;
    b->argument = v & 63;
    if (variable->bytes == 0)
        return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE, "'%.80s' has no size in this file", variable->name);
    if (!is_bytes(text) && text[0] != '{' && !wl_ptx_is_pointer(text) && !(scalar && is_number(text)))
        return wl_ptx_contents_text(text, text, m->given, b, m->err);
    const wl_ptx_value_text value = {text, b->name, b->argument};
    uint8_t *data = WL_ARENA_NEW(m->arena, uint8_t, variable->bytes);
    if (!data)
        return wl_fail_memory(m->err);
    b->content = WL_PTX_BYTES;
    b->data = data;
    b->data_bytes = (size_t)variable->bytes;
    return bytes_of(m, variable, &value, data);
}

wl_status wl_ptx_fill_variable(wl_ptx_maker *m, int32_t v, wl_ptx_buffer *b)
{
    const wl_status status = fill(m, v, b);
    if (status == WL_OK || status == WL_E_NOMEM)
        return status;
    if (!m->err || m->err->input[0] || m->err->loc.line != 1)
        return wl_fail_in(m->err, "--constant");
    const char *text = m->contents[v];
    for (size_t i = 0; i < m->given->constant_count; i++)
        if (strchr(m->given->constants[i], '=') + 1 == m->contents[v])
            text = m->given->constants[i]; /* "NAME=CONTENTS" */
    m->err->loc.col += (int32_t)(m->contents[v] - text);
    return in_constant(m, text);
}
