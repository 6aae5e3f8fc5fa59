/* source_params.c - see source_params.h.
 *
 * Finds "__global__ .. NAME(..)" outside of comments and texts, and takes the last word of each
 * parameter. Of several declarations only those with the right number of parameters count; all of
 * them must give the same names.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/source_params.h"

#include <string.h>

#include "base/fail.h"
#include "cuda/cuda_params.h"

#define TYPE_LENGTH 80

static bool same_names(const wl_cuda_params *a, const wl_cuda_params *b)
{
    for (int i = 0; i < a->count; i++)
        if (!wl_cuda_same_word(a->list[i].name, b->list[i].name))
            return false;
    return true;
}

/* ---- the kernel's ---- */

typedef struct found {
    wl_cuda_params *kept, *other;
    int fitting, unnamed, wrong_count;
    bool disagree;
} found;

static void search_text(const wl_ptx_source_text *source, wl_cuda_word name, int count, found *f)
{
    const char *at = source->text, *const end = source->text + source->length;
    for (wl_cuda_word w, declared; (w = wl_cuda_next(&at, end)).length > 0;) {
        const char *behind = at;
        wl_cuda_params *d = f->fitting ? f->other : f->kept;
        if (!wl_cuda_word_is(w, "__global__") || !wl_cuda_find_params(&behind, end, &declared) ||
            !wl_cuda_same_word(declared, name) || !wl_cuda_read_params(&behind, end, d))
            continue;
        f->unnamed += d->count < 0;
        f->wrong_count += d->count >= 0 && d->count != count;
        if (d->count != count)
            continue;
        f->disagree = f->disagree || (f->fitting > 0 && !same_names(f->kept, f->other));
        f->fitting++;
    }
}

static wl_status why_not(const wl_ptx_source_text *source, const found *f, wl_cuda_word name, wl_error *err)
{
    const char *why = f->disagree      ? "has several declarations that name its parameters differently"
                      : f->unnamed     ? "leaves parameters without a name"
                      : f->wrong_count ? "has another number of parameters there"
                                       : "is not declared there directly (by a macro?)";
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%.80s: '%.*s' %s: give arguments by number, as 0=..", source->name,
                   name.length < 60 ? (int)name.length : 60, name.at, why);
}

static bool take(const wl_cuda_param *from, wl_arena *arena, wl_ptx_source_param *to)
{
    char type[TYPE_LENGTH];
    wl_cuda_type_text(from->type, from->is_array, type, sizeof type);
    to->name = wl_arena_text(arena, from->name.at, from->name.length);
    to->type = wl_arena_text(arena, type, strlen(type));
    return to->name && to->type;
}

wl_status wl_ptx_source_params(const wl_ptx_module *m, const wl_ptx_function *entry, wl_arena *arena,
                               const wl_ptx_source_param **params, wl_error *err)
{
    const wl_ptx_demangled *shown = &entry->shown;
    const wl_cuda_word name = {shown->text + shown->base, shown->args - shown->base};
    *params = NULL;
    if (!m->source.text)
        return WL_OK;
    found f = {.kept = WL_ARENA_NEW(arena, wl_cuda_params, 1), .other = WL_ARENA_NEW(arena, wl_cuda_params, 1)};
    if (!f.kept || !f.other)
        return wl_fail_memory(err);
    search_text(&m->source, name, entry->param_count, &f);
    if (f.fitting == 0 || f.disagree)
        return why_not(&m->source, &f, name, err);
    wl_ptx_source_param *list = WL_ARENA_NEW(arena, wl_ptx_source_param, entry->param_count + 1);
    for (int i = 0; list && i < entry->param_count; i++)
        if (!take(&f.kept->list[i], arena, &list[i]))
            return wl_fail_memory(err);
    *params = list;
    return list ? WL_OK : wl_fail_memory(err);
}

/* The ends of the type at `at`: commas inside of brackets do not count. */
static const char *type_end(const char *at)
{
    for (int depth = 0; *at; at++) {
        if (depth == 0 && (*at == ',' || *at == ')'))
            return at;
        depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
    }
    return at;
}

wl_status wl_ptx_mangled_params(const wl_ptx_function *entry, wl_arena *arena, const wl_ptx_source_param **params,
                                wl_error *err)
{
    const char *at = entry->shown.text + entry->shown.end;
    *params = NULL;
    if (*at != '(')
        return WL_OK;
    wl_ptx_source_param *list = WL_ARENA_NEW(arena, wl_ptx_source_param, entry->param_count + 1);
    int count = 0;
    if (!list)
        return wl_fail_memory(err);
    for (at++; *at && *at != ')' && count < entry->param_count; count++) {
        const char *end = type_end(at);
        list[count].type = wl_arena_text(arena, at, (size_t)(end - at));
        if (!list[count].type)
            return wl_fail_memory(err);
        at = end + (*end == ',') + (*end == ',' && end[1] == ' ');
    }
    if (count == entry->param_count && *at == ')')
        *params = list;
    return WL_OK;
}
