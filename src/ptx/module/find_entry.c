/* find_entry.c - finds the entry a user names, as in the file or as in the source.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/module/module.h"
#include "ptx/module/name_match.h"

/* A search for a name; NULL: any. */
typedef struct search {
    const wl_ptx_module *const *modules;
    size_t module_count;
    const char *name, *compared;
    wl_ptx_fit loosest; /* the loosest match that counts */
    bool failed;        /* out of memory */
} search;

/* A place in the functions of all modules. */
typedef struct cursor {
    size_t module;
    int32_t next;
} cursor;

/* An earlier module has the same kernel, as with templates that several sources use. */
static bool is_repeated(const search *s, size_t module, const wl_ptx_function *f)
{
    for (size_t k = 0; k < module; k++)
        for (int32_t i = 0; i < s->modules[k]->function_count; i++) {
            const wl_ptx_function *g = &s->modules[k]->functions[i];
            if (g->is_entry && !g->is_declared_only && strcmp(g->name, f->name) == 0)
                return true;
        }
    return false;
}

/* The kernels of all modules, each once; NULL: no more. */
static const wl_ptx_function *next_kernel(const search *s, cursor *at)
{
    for (; at->module < s->module_count; *at = (cursor){at->module + 1, 0}) {
        const wl_ptx_module *m = s->modules[at->module];
        while (at->next < m->function_count) {
            const wl_ptx_function *f = &m->functions[at->next++];
            if (f->is_entry && !f->is_declared_only && !is_repeated(s, at->module, f))
                return f;
        }
    }
    return NULL;
}

static wl_ptx_fit fit_of(search *s, const wl_ptx_function *f)
{
    if (!s->name)
        return WL_PTX_FIT_SYMBOL;
    const wl_ptx_fit fit = wl_ptx_name_fit(f->name, &f->shown, s->name, s->compared, &s->failed);
    return fit <= s->loosest ? fit : WL_PTX_FIT_NONE;
}

static wl_ptx_fit closest(search *s)
{
    wl_ptx_fit best = WL_PTX_FIT_NONE;
    cursor at = {0};
    for (const wl_ptx_function *f; (f = next_kernel(s, &at));) {
        const wl_ptx_fit fit = fit_of(s, f);
        best = fit < best ? fit : best;
    }
    return best;
}

static const wl_ptx_function *next_entry(search *s, cursor *at, wl_ptx_fit fit)
{
    const wl_ptx_function *f;
    while ((f = next_kernel(s, at)) && fit_of(s, f) != fit)
        continue;
    return f;
}

/* Its name without parameters, unless another has the same. */
static int shown_length(search *s, const wl_ptx_function *f, wl_ptx_fit fit)
{
    const wl_ptx_demangled *a = &f->shown;
    const size_t length = a->end - a->name;
    cursor at = {0};
    for (const wl_ptx_function *g; (g = next_entry(s, &at, fit));) {
        const wl_ptx_demangled *b = &g->shown;
        if (g != f && b->end - b->name == length && memcmp(a->text + a->name, b->text + b->name, length) == 0)
            return (int)strlen(a->text + a->name);
    }
    return (int)length;
}

/* "a, b<4>, c and 4 more", as many as there is room for; each in quotes, to be copied, if `quote`
 * is "'", and not if it is "" */
static void list_entries(search *s, wl_ptx_fit fit, const char *quote, char *text, size_t size)
{
    size_t used = 0;
    int count = 0, listed = 0;
    cursor at = {0};
    text[0] = '\0';
    for (const wl_ptx_function *f; (f = next_entry(s, &at, fit)); count++) {
        const int length = listed == count ? shown_length(s, f, fit) : 0;
        if (listed < count || used + (size_t)length + 2 * strlen(quote) + sizeof ", and 1000 more" > size)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s%.*s%s", count ? ", " : "", quote, length,
                                 f->shown.text + f->shown.name, quote);
        listed++;
    }
    if (count > listed && used < size)
        (void)snprintf(text + used, size - used, "%s%d%s", listed ? " and " : "", count - listed,
                       listed ? " more" : " with long names");
}

static wl_status several(search *s, wl_ptx_fit fit, wl_error *err)
{
    char listed[WL_MESSAGE_MAX - 48];
    list_entries(s, fit, s->name ? "" : "'", listed, s->name ? sizeof listed - strnlen(s->name, 60) : sizeof listed);
    if (!s->name)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there are several kernels; give one: --kernel %s", listed);
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "'%.60s' matches several kernels; give more of the name: %s", s->name,
                   listed);
}

#define NEIGHBOURS_MAX 256
#define NEIGHBOUR_LENGTH 60 /* of "did you mean .." in the message */

/* The entry whose name is most like the one that was not found; NULL: none is. */
static const char *neighbour(search *s)
{
    const char *names[NEIGHBOURS_MAX];
    size_t count = 0;
    cursor at = {0};
    for (const wl_ptx_function *f; count + 2 <= NEIGHBOURS_MAX && (f = next_kernel(s, &at));) {
        names[count++] = f->source_name;
        names[count++] = f->source_name + (f->shown.base - f->shown.name); /* without namespaces */
    }
    return s->name ? wl_nearest_name(s->name, names, count) : NULL;
}

static wl_status none(search *s, wl_error *err)
{
    char listed[WL_MESSAGE_MAX - 100];
    search any = {.modules = s->modules, .module_count = s->module_count};
    const char *near = neighbour(s);
    list_entries(&any, WL_PTX_FIT_SYMBOL, "", listed, near ? sizeof listed - NEIGHBOUR_LENGTH : sizeof listed);
    if (listed[0] == '\0')
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no kernel (.entry) in this file");
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no kernel '%.60s'%s%.40s%s: %s", s->name,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'? There are" : "; there are", listed);
}

static wl_status find(search *s, size_t *module, const wl_ptx_function **out, wl_error *err)
{
    const wl_ptx_fit fit = closest(s);
    cursor at = {0};
    const wl_ptx_function *first = fit < WL_PTX_FIT_NONE ? next_entry(s, &at, fit) : NULL;
    *module = at.module;
    const wl_ptx_function *second = first ? next_entry(s, &at, fit) : NULL;
    if (s->failed)
        return wl_fail_memory(err);
    if (!first)
        return none(s, err);
    if (second)
        return several(s, fit, err);
    *out = first;
    return WL_OK;
}

static wl_status find_fitting(const wl_ptx_module *const *modules, size_t count, const char *name, wl_ptx_fit loosest,
                              size_t *module, const wl_ptx_function **out, wl_error *err)
{
    wl_arena scratch = {0};
    search s = {.modules = modules,
                .module_count = count,
                .name = name,
                .compared = name ? wl_ptx_wanted_name(name, &scratch) : NULL,
                .loosest = loosest};
    const wl_status status = name && !s.compared ? wl_fail_memory(err) : find(&s, module, out, err);
    wl_arena_free(&scratch);
    return status == WL_OK || count == 0 ? status : wl_fail_in(err, modules[0]->input);
}

wl_status wl_ptx_find_entry(const wl_ptx_module *module, const char *name, const wl_ptx_function **out, wl_error *err)
{
    size_t only;
    return find_fitting(&module, 1, name, WL_PTX_FIT_PART, &only, out, err);
}

wl_status wl_ptx_find_entry_in(const wl_ptx_module *const *modules, size_t count, const char *name, bool printed,
                               size_t *module, const wl_ptx_function **out, wl_error *err)
{
    if (!printed)
        return find_fitting(modules, count, name, WL_PTX_FIT_PART, module, out, err);
    const wl_status status = find_fitting(modules, count, name, WL_PTX_FIT_PLAIN, module, out, err);
    if (status != WL_E_INPUT || !wl_ptx_printed_generic(name))
        return status;
    /* parameters of template types identify less than the template arguments before them */
    wl_arena scratch = {0};
    wl_error second = {0};
    const char *plain = wl_arena_text(&scratch, name, wl_ptx_printed_end(name));
    const wl_status found =
        plain ? find_fitting(modules, count, plain, WL_PTX_FIT_PLAIN, module, out, &second) : wl_fail_memory(&second);
    wl_arena_free(&scratch);
    if (found != WL_OK && found != WL_E_NOMEM)
        return status;
    *err = second;
    return found;
}
