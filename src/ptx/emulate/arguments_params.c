/* arguments_params.c - the parameters of an entry: assigns arguments to them, and makes their
 * bytes.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/emulate/arguments_internal.h"
#include "ptx/module/source_params.h"

#define PARAMS_MAX ((int64_t)1 << 16) /* bytes: more than any GPU allows */

static const wl_ptx_variable *param(const wl_ptx_maker *m, int k) { return &m->module->variables[m->entry->params[k]]; }

static bool is_bytes(const wl_ptx_variable *p) { return p->elements > 1 || p->bytes != wl_ptx_type_bits(p->type) / 8; }

/* ---- which is which ---- */

/* "n=4096": the length of the name; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (wl_is_letter(text[length]) || wl_is_digit(text[length]) || text[length] == '_' || text[length] == '$')
        length++;
    return text[length] == '=' ? length : 0;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

/* A parameter by its name in the source or in the file, as param_2, or by its number. */
static int param_named(const wl_ptx_maker *m, const wl_ptx_source_param *sources, const char *text, size_t length)
{
    const int count = m->entry->param_count;
    for (int k = 0; sources && k < count; k++)
        if (is_name(sources[k].name, text, length))
            return k;
    for (int k = 0; k < count; k++) {
        char number[24];
        (void)snprintf(number, sizeof number, "param_%d", k);
        if (is_name(param(m, k)->name, text, length) || is_name(number, text, length) ||
            is_name(number + strlen("param_"), text, length))
            return k;
    }
    return -1;
}

/* What the author wrote of parameter k: "const double *now" or, where names are not known, its
 * type alone; with the size of a struct. */
static void describe(const wl_ptx_maker *m, const wl_ptx_source_param *sources, int k, char *text, size_t size)
{
    const wl_ptx_variable *p = param(m, k);
    const char *type = sources ? sources[k].type : is_bytes(p) ? "" : wl_ptx_type_name(p->type);
    const char *name = sources && sources[k].name ? sources[k].name : "";
    const bool blank = *name && type[0] && type[strlen(type) - 1] != '*';
    const int n = snprintf(text, size, "%s%s%s", type, blank ? " " : "", name);
    if (is_bytes(p) && n >= 0 && (size_t)n < size)
        (void)snprintf(text + n, size - (size_t)n, "%s%lld bytes", n ? ": " : "", (long long)p->bytes);
}

/* "double *out, const double *in, int n" */
static void list_params(const wl_ptx_maker *m, const wl_ptx_source_param *sources, char *list, size_t size)
{
    const wl_ptx_source_param *shown = sources;
    size_t used = 0;
    list[0] = '\0';
    if (!sources && wl_ptx_mangled_params(m->entry, m->arena, &shown, NULL) != WL_OK)
        shown = NULL; /* the types of PTX say enough for a message */
    for (int k = 0; k < m->entry->param_count; k++) {
        char one[100];
        describe(m, shown, k, one, sizeof one);
        const int n = snprintf(list + used, size - used, "%s%s", k ? ", " : "", one);
        if (n < 0 || used + (size_t)n >= size - 4) {
            memcpy(list + used, "..", sizeof "..");
            break;
        }
        used += (size_t)n;
    }
}

static wl_status wrong_count(const wl_ptx_maker *m, const wl_ptx_source_param *sources)
{
    char list[160];
    list_params(m, sources, list, sizeof list);
    return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE, "%.60s takes %d argument%s (%s), %zu given", m->entry->source_name,
                   m->entry->param_count, m->entry->param_count == 1 ? "" : "s", list, m->given->arg_count);
}

/* If no argument has a name, the names in the source are needed only for messages, so it does not
 * matter if they are not found. */
wl_status wl_ptx_find_sources(const wl_ptx_maker *m, bool needed, const wl_ptx_source_param **sources)
{
    wl_error why = {0};
    const wl_status status = wl_ptx_source_params(m->module, m->entry, m->arena, sources, &why);
    if (status == WL_E_NOMEM)
        return wl_fail_memory(m->err);
    if (status != WL_OK)
        *sources = NULL;
    if (status != WL_OK && needed)
        return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE, "%s", why.message);
    return WL_OK;
}

static wl_status unknown_name(const wl_ptx_maker *m, const wl_ptx_source_param *sources, const char *text,
                              size_t length)
{
    char list[130];
    if (!sources && m->module->source.text)
        return wl_ptx_find_sources(m, true, &(const wl_ptx_source_param *){NULL}); /* says why */
    list_params(m, sources, list, sizeof list);
    return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)length}, "%.60s has no parameter '%.*s' (%s)%s",
                   m->entry->source_name, (int)wl_min((int64_t)length, 40), text, list,
                   sources ? "" : ": PTX has no parameter names, 0= is the first");
}

/* Sorts the arguments into the order of the parameters. */
typedef struct sorting {
    const char **texts; /* the values, after the names */
    size_t *starts;     /* of each value in the given text */
    const wl_ptx_source_param *sources;
    size_t plain; /* arguments without a name so far */
} sorting;

static wl_status sort_argument(const wl_ptx_maker *m, size_t i, sorting *s)
{
    const char *text = m->given->args[i];
    const size_t length = name_length(text);
    const int k = length ? param_named(m, s->sources, text, length) : (int)s->plain++;
    if (length && k < 0)
        return unknown_name(m, s->sources, text, length);
    if (!length && s->plain <= i)
        return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)strlen(text)},
                       "'%.80s' has no name: arguments without a name come before those with one", text);
    if (k >= m->entry->param_count)
        return wrong_count(m, s->sources);
    if (s->texts[k])
        return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)length}, "'%.*s' is given twice",
                       (int)wl_min((int64_t)length, 80), text);
    s->starts[k] = length ? length + 1 : 0;
    s->texts[k] = text + s->starts[k];
    return WL_OK;
}

static wl_status sort_arguments(const wl_ptx_maker *m, sorting *s)
{
    WL_TRY(wl_ptx_find_sources(m, false, &s->sources));
    for (size_t i = 0; i < m->given->arg_count; i++) {
        const wl_status status = sort_argument(m, i, s);
        if (status != WL_OK) {
            wl_ptx_name_text(m, m->given->args[i]);
            return status;
        }
    }
    const wl_ptx_source_param *sources = s->sources;
    for (int k = 0; k < m->entry->param_count; k++)
        if (!s->texts[k] && s->plain < m->given->arg_count)
            return wl_fail(m->err, WL_E_INPUT, WL_NOWHERE, "%.60s has no argument for its parameter %d%s%s",
                           m->entry->source_name, k, sources ? ", " : "", sources ? sources[k].name : "");
        else if (!s->texts[k])
            return wrong_count(m, sources);
    return WL_OK;
}

/* ---- values ---- */

static bool is_texture(const char *text) { return strncmp(text, "tex:", 4) == 0 || strncmp(text, "surf:", 5) == 0; }

bool wl_ptx_is_pointer(const char *text) { return is_texture(text) || strncmp(text, "buf:", 4) == 0; }

wl_status wl_ptx_pointer_text(wl_ptx_maker *m, const wl_ptx_value_text *value, uint8_t *out)
{
    const bool textured = is_texture(value->text);
    wl_ptx_buffer b = {.argument = value->number};
    (void)snprintf(b.name, sizeof b.name, "%s", value->name);
    WL_TRY(textured ? wl_ptx_texture_text(value->text, m->given, m->arena, &b, m->err)
                    : wl_ptx_buffer_text(value->text, m->given, &b, m->err));
    m->out->has_textures = m->out->has_textures || textured;
    const wl_ptx_buffer *placed = wl_ptx_place_buffer(m, &b);
    const uint64_t address = placed->base + (uint64_t)placed->offset;
    memcpy(out, &address, sizeof address);
    return WL_OK;
}

bool wl_ptx_is_map(const char *text) { return strncmp(text, "tensormap:", 10) == 0; }

/* The array gets an address, and the map its bytes. */
wl_status wl_ptx_map_argument(wl_ptx_maker *m, const wl_ptx_value_text *value, uint8_t *out)
{
    wl_ptx_buffer b = {.argument = value->number};
    wl_ptx_tensor_map map;
    (void)snprintf(b.name, sizeof b.name, "%s", value->name);
    WL_TRY(wl_ptx_map_text(value->text, &map, m->err));
    b.bytes = wl_round_up((int64_t)wl_ptx_map_bytes(&map), 16);
    const wl_ptx_buffer *placed = wl_ptx_place_buffer(m, &b);
    map.base = placed->base;
    memcpy(out, &map, sizeof map);
    return WL_OK;
}

static wl_status struct_argument(wl_ptx_maker *m, const wl_ptx_variable *p, const wl_ptx_value_text *value,
                                 uint8_t *out)
{
    int64_t bytes = 0;
    char words[120];
    WL_TRY(wl_ptx_struct_text(m, value, p->bytes, NULL, &bytes));
    if (bytes != p->bytes && wl_round_up(bytes, wl_max(1, p->align)) != p->bytes) {
        wl_ptx_struct_words(m, value, words, sizeof words);
        return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)strlen(value->text)},
                       "the parameter has %lld bytes, this has %lld: %s", (long long)p->bytes, (long long)bytes, words);
    }
    return wl_ptx_struct_text(m, value, p->bytes, out, &bytes);
}

static wl_status one_argument(wl_ptx_maker *m, int k, const sorting *s)
{
    const char *text = s->texts[k];
    const wl_ptx_variable *p = param(m, k);
    uint8_t *at = m->out->params + m->out->param_offset[k];
    char name[32];
    if (s->sources)
        (void)snprintf(name, sizeof name, "%s", s->sources[k].name);
    else
        (void)snprintf(name, sizeof name, "arg %d", k);
    const wl_ptx_value_text value = {text, name, k};
    if (wl_ptx_is_pointer(text)) {
        const bool textured = is_texture(text);
        if (p->bytes == WL_PTX_MAP_BYTES && !textured)
            return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, 3},
                           "a buffer for a parameter of %d bytes, perhaps a tensor map: tensormap:TYPE:EXTENTS:BOX",
                           WL_PTX_MAP_BYTES);
        if (p->bytes != 8)
            return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, 3}, "a %s for a parameter that is no 64-bit %s (%s)",
                           textured ? "texture" : "buffer", textured ? "handle" : "address", wl_ptx_type_name(p->type));
        return wl_ptx_pointer_text(m, &value, at);
    }
    if (wl_ptx_is_map(text)) {
        if (p->bytes != WL_PTX_MAP_BYTES)
            return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, 9}, "a tensor map for a parameter of %lld bytes, not %d",
                           (long long)p->bytes, WL_PTX_MAP_BYTES);
        return wl_ptx_map_argument(m, &value, at);
    }
    if (strncmp(text, "bytes:", 6) == 0)
        return wl_ptx_bytes_text(text, p->bytes, at, m->err);
    if (text[0] == '{')
        return struct_argument(m, p, &value, at);
    if (is_bytes(p))
        return wl_fail(m->err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)strlen(text)},
                       "the parameter is a struct of %lld bytes: give {VALUE, VALUE, ..} or bytes:HEXDIGITS",
                       (long long)p->bytes);
    return wl_ptx_number_text(text, p->type, at, m->err);
}

wl_status wl_ptx_lay_out_params(wl_ptx_maker *m)
{
    const int count = m->entry->param_count;
    int64_t bytes = 0;
    m->out->param_offset = WL_ARENA_NEW(m->arena, int64_t, count);
    if (!m->out->param_offset)
        return wl_fail_memory(m->err);
    for (int k = 0; k < count; k++) {
        const wl_ptx_variable *p = param(m, k);
        m->out->param_offset[k] = bytes = wl_round_up(bytes, p->align > 0 ? p->align : 1);
        bytes += p->bytes;
        if (bytes > PARAMS_MAX)
            return wl_fail(m->err, WL_E_INPUT, (wl_loc){p->line, 1, 1}, "the parameters have more than %lld bytes",
                           (long long)PARAMS_MAX);
    }
    m->out->param_bytes = bytes;
    m->out->params = WL_ARENA_NEW(m->arena, uint8_t, bytes);
    return m->out->params ? WL_OK : wl_fail_memory(m->err);
}

/* Makes the message name the argument; the position is relative to the given text, which is the
 * input. */
static wl_status in_argument(const wl_ptx_maker *m, int k, const sorting *s)
{
    if (m->err && m->err->input[0] == '\0') {
        char message[WL_MESSAGE_MAX];
        if (s->sources)
            (void)snprintf(message, sizeof message, "%.40s: %.210s", s->sources[k].name, m->err->message);
        else
            (void)snprintf(message, sizeof message, "argument %d: %.220s", k, m->err->message);
        memcpy(m->err->message, message, sizeof message);
        m->err->loc.col += m->err->loc.line == 1 ? (int32_t)s->starts[k] : 0;
    }
    wl_ptx_name_text(m, s->texts[k] - s->starts[k]);
    (void)wl_fail_in(m->err, "--arg");
    return m->err ? m->err->code : WL_E_INPUT;
}

wl_status wl_ptx_make_params(wl_ptx_maker *m)
{
    const int count = m->entry->param_count;
    sorting s = {.texts = WL_ARENA_NEW(m->arena, const char *, count + 1),
                 .starts = WL_ARENA_NEW(m->arena, size_t, count + 1)};
    if (!s.texts || !s.starts)
        return wl_fail_memory(m->err);
    const wl_status status = sort_arguments(m, &s);
    if (status != WL_OK)
        return status == WL_E_NOMEM ? status : wl_fail_in(m->err, "--arg");
    WL_TRY(wl_ptx_lay_out_params(m));
    for (int k = 0; k < count; k++)
        if (one_argument(m, k, &s) != WL_OK)
            return in_argument(m, k, &s);
    return WL_OK;
}
