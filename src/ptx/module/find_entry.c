/* find_entry.c - finds the entry a user names, as in the file or as in the source.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "ptx/module/module.h"
#include "ptx/module/name_match.h"

/* A search for a name; NULL: any. */
typedef struct search {
    const wl_ptx_module *module;
    const char *name, *compared;
    wl_ptx_fit loosest; /* the loosest match that counts */
    bool failed;        /* out of memory */
} search;

static wl_ptx_fit fit_of(search *s, const wl_ptx_function *f)
{
    if (!f->is_entry || f->is_declared_only)
        return WL_PTX_FIT_NONE;
    if (!s->name)
        return WL_PTX_FIT_SYMBOL;
    const wl_ptx_fit fit = wl_ptx_name_fit(f->name, &f->shown, s->name, s->compared, &s->failed);
    return fit <= s->loosest ? fit : WL_PTX_FIT_NONE;
}

static wl_ptx_fit closest(search *s)
{
    wl_ptx_fit best = WL_PTX_FIT_NONE;
    for (int32_t i = 0; i < s->module->function_count; i++) {
        const wl_ptx_fit fit = fit_of(s, &s->module->functions[i]);
        best = fit < best ? fit : best;
    }
    return best;
}

static const wl_ptx_function *next_entry(search *s, const wl_ptx_function *after, wl_ptx_fit fit)
{
    const wl_ptx_module *m = s->module;
    for (int32_t i = after ? (int32_t)(after - m->functions) + 1 : 0; i < m->function_count; i++)
        if (fit_of(s, &m->functions[i]) == fit)
            return &m->functions[i];
    return NULL;
}

/* Its name without parameters, unless another has the same. */
static int shown_length(search *s, const wl_ptx_function *f, wl_ptx_fit fit)
{
    const wl_ptx_demangled *a = &f->shown;
    const size_t length = a->end - a->name;
    for (const wl_ptx_function *g = NULL; (g = next_entry(s, g, fit));) {
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
    text[0] = '\0';
    for (const wl_ptx_function *f = NULL; (f = next_entry(s, f, fit)); count++) {
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
    for (int32_t i = 0; i < s->module->function_count && count + 2 <= NEIGHBOURS_MAX; i++) {
        const wl_ptx_function *f = &s->module->functions[i];
        if (!f->is_entry || f->is_declared_only)
            continue;
        names[count++] = f->source_name;
        names[count++] = f->source_name + (f->shown.base - f->shown.name); /* without namespaces */
    }
    return s->name ? wl_nearest_name(s->name, names, count) : NULL;
}

static wl_status none(search *s, wl_error *err)
{
    char listed[WL_MESSAGE_MAX - 100];
    search any = {.module = s->module};
    const char *near = neighbour(s);
    list_entries(&any, WL_PTX_FIT_SYMBOL, "", listed, near ? sizeof listed - NEIGHBOUR_LENGTH : sizeof listed);
    if (listed[0] == '\0')
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no kernel (.entry) in this file");
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no kernel '%.60s'%s%.40s%s: %s", s->name,
                   near ? ": did you mean '" : "", near ? near : "", near ? "'? There are" : "; there are", listed);
}

static wl_status find(search *s, const wl_ptx_function **out, wl_error *err)
{
    const wl_ptx_fit fit = closest(s);
    const wl_ptx_function *first = fit < WL_PTX_FIT_NONE ? next_entry(s, NULL, fit) : NULL;
    const wl_ptx_function *second = first ? next_entry(s, first, fit) : NULL;
    if (s->failed)
        return wl_fail_memory(err);
    if (!first)
        return none(s, err);
    if (second)
        return several(s, fit, err);
    *out = first;
    return WL_OK;
}

static wl_status find_fitting(const wl_ptx_module *module, const char *name, wl_ptx_fit loosest,
                              const wl_ptx_function **out, wl_error *err)
{
    wl_arena scratch = {0};
    search s = {.module = module,
                .name = name,
                .compared = name ? wl_ptx_wanted_name(name, &scratch) : NULL,
                .loosest = loosest};
    const wl_status status = name && !s.compared ? wl_fail_memory(err) : find(&s, out, err);
    wl_arena_free(&scratch);
    return status == WL_OK ? WL_OK : wl_fail_in(err, module->input);
}

wl_status wl_ptx_find_entry(const wl_ptx_module *module, const char *name, const wl_ptx_function **out, wl_error *err)
{
    return find_fitting(module, name, WL_PTX_FIT_PART, out, err);
}

wl_status wl_ptx_find_printed(const wl_ptx_module *module, const char *name, const wl_ptx_function **out, wl_error *err)
{
    const wl_status status = find_fitting(module, name, WL_PTX_FIT_PLAIN, out, err);
    if (status != WL_E_INPUT || !wl_ptx_printed_generic(name))
        return status;
    /* parameters of template types identify less than the template arguments before them */
    wl_arena scratch = {0};
    wl_error second = {0};
    const char *plain = wl_arena_text(&scratch, name, wl_ptx_printed_end(name));
    const wl_status found =
        plain ? find_fitting(module, plain, WL_PTX_FIT_PLAIN, out, &second) : wl_fail_memory(&second);
    wl_arena_free(&scratch);
    if (found != WL_OK && found != WL_E_NOMEM)
        return status;
    *err = second;
    return found;
}
