/* source_params.c - see source_params.h.
 *
 * Finds "__global__ .. NAME(..)" outside of comments and texts, and takes the last word of each
 * parameter. Of several declarations only those with the right number of parameters count; all of
 * them must give the same names.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/source_params.h"

#include <string.h>

#include "base/ascii.h"
#include "base/fail.h"

#define PARAMS_MAX 256

typedef struct word {
    const char *at;
    size_t length;
} word;

/* ---- words of C++ ---- */

static bool is_letter(char c) { return wl_is_letter(c) || wl_is_digit(c) || c == '_'; }

static bool is(word w, const char *text) { return w.length == strlen(text) && memcmp(w.at, text, w.length) == 0; }

/* The position after the quote that ends a text; the end of a line ends it, too. */
static const char *behind_quote(const char *at, const char *end)
{
    const char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

static const char *behind_line(const char *at, const char *end)
{
    while (at < end && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1; /* a macro continues in the next line */
    return at;
}

static const char *behind_comment(const char *at, const char *end)
{
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/')
            return at + 2;
    return end;
}

/* The next name, number or sign; length 0 at the end. Comments, texts and directives are
 * skipped. */
static word next(const char **at, const char *end)
{
    while (*at < end) {
        const char *p = *at;
        const char second = p + 1 < end ? p[1] : '\0';
        if (*p == '#' || (*p == '/' && second == '/')) {
            *at = behind_line(p, end);
        } else if (*p == '/' && second == '*') {
            *at = behind_comment(p, end);
        } else if (*p == '"' || *p == '\'') {
            *at = behind_quote(p, end);
        } else if (is_letter(*p)) {
            while (*at < end && is_letter(**at))
                ++*at;
            return (word){p, (size_t)(*at - p)};
        } else {
            ++*at;
            if (*p != ' ' && *p != '\t' && *p != '\n' && *p != '\r')
                return (word){p, 1};
        }
    }
    return (word){*at, 0};
}

/* ---- declarations ---- */

typedef struct declaration {
    word names[PARAMS_MAX];
    int count; /* -1: a parameter has no name */
} declaration;

/* Is the last word of a parameter the end of its type? */
static bool is_type_word(word w)
{
    static const char *const types[] = {"void",   "bool",     "char",   "short",  "int",      "long",   "float",
                                        "double", "unsigned", "signed", "const",  "volatile", "size_t", "__restrict__",
                                        "struct", "auto",     "half",   "__half", "typename"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is(w, types[i]))
            return true;
    return false;
}

/* One parameter as it is read: words outside brackets, or the first name of "(*f)(int)". */
typedef struct parameter {
    word last, inner; /* inner: after "(*" */
    int words, depth, angles;
    bool ended; /* at '=' or '[' */
    bool any;
} parameter;

static void add_word(parameter *p, word w)
{
    const char c = *w.at;
    const bool name = is_letter(c) && !wl_is_digit(c);
    p->any = true;
    if (c == '<' && p->depth == 0)
        p->angles++;
    else if (c == '>' && p->depth == 0)
        p->angles--;
    else if (c == '(' || c == '[' || c == '{')
        p->depth++;
    else if (c == ')' || c == ']' || c == '}')
        p->depth--;
    p->ended = p->ended || (p->angles == 0 && (c == '=' || c == '['));
    if (p->ended || p->angles > 0)
        return;
    if (name && p->depth == 1 && p->inner.length == 0)
        p->inner = w;
    if (p->depth > 0)
        return;
    p->words += name;
    if (name || c == '*' || c == '&' || c == '>' || c == '.')
        p->last = w;
}

static void take_parameter(declaration *d, const parameter *p)
{
    const word w = p->inner.length > 0 ? p->inner : p->last;
    const bool sound = (p->words > 1 || p->inner.length > 0) && is_letter(*w.at) && !is_type_word(w);
    if (d->count >= 0 && d->count < PARAMS_MAX && sound)
        d->names[d->count++] = w;
    else
        d->count = -1;
}

/* From after '(' to ')'. */
static bool read_parameters(const char **at, const char *end, declaration *d)
{
    parameter p = {0};
    d->count = 0;
    for (;;) {
        const word w = next(at, end);
        if (w.length == 0)
            return false;
        const bool closes = *w.at == ')' && p.depth == 0;
        if (closes && d->count == 0 && (!p.any || (p.words == 1 && is(p.last, "void"))))
            return true;
        if (closes || (*w.at == ',' && p.depth == 0 && p.angles <= 0)) {
            take_parameter(d, &p);
            p = (parameter){0};
            if (closes)
                return true;
        } else {
            add_word(&p, w);
        }
    }
}

/* Moves *at, which follows a '(', past its ')'. */
static void skip_brackets(const char **at, const char *end)
{
    for (int depth = 1; depth > 0;) {
        const word w = next(at, end);
        if (w.length == 0)
            return;
        depth += (*w.at == '(') - (*w.at == ')');
    }
}

/* From after __global__ to the '(' of the parameters of a function of that name; false: another
 * function. */
static bool find_parameters(const char **at, const char *end, word name)
{
    word before = {*at, 0};
    for (;;) {
        const word w = next(at, end);
        if (w.length == 0 || *w.at == ';' || *w.at == '{' || *w.at == '}')
            return false;
        if (*w.at == '(') {
            if (before.length == name.length && memcmp(before.at, name.at, name.length) == 0)
                return true;
            if (!is(before, "__launch_bounds__") && !is(before, "__attribute__") && !is(before, "__maxnreg__") &&
                !is(before, "alignas") && !is(before, "__cluster_dims__") && !is(before, "__block_size__"))
                return false;
            skip_brackets(at, end);
        }
        before = w;
    }
}

static bool same_names(const declaration *a, const declaration *b)
{
    for (int i = 0; i < a->count; i++)
        if (a->names[i].length != b->names[i].length || memcmp(a->names[i].at, b->names[i].at, a->names[i].length) != 0)
            return false;
    return true;
}

/* ---- the kernel's ---- */

typedef struct found {
    declaration *kept, *other;
    int fitting, unnamed, wrong_count;
    bool disagree;
} found;

static void search_text(const wl_ptx_source_text *source, word name, int count, found *f)
{
    const char *at = source->text, *const end = source->text + source->length;
    for (word w; (w = next(&at, end)).length > 0;) {
        const char *behind = at;
        declaration *d = f->fitting ? f->other : f->kept;
        if (!is(w, "__global__") || !find_parameters(&behind, end, name) || !read_parameters(&behind, end, d))
            continue;
        f->unnamed += d->count < 0;
        f->wrong_count += d->count >= 0 && d->count != count;
        if (d->count != count)
            continue;
        f->disagree = f->disagree || (f->fitting > 0 && !same_names(f->kept, f->other));
        f->fitting++;
    }
}

static wl_status why_not(const wl_ptx_source_text *source, const found *f, word name, wl_error *err)
{
    const char *why = f->disagree      ? "has several declarations that name its parameters differently"
                      : f->unnamed     ? "leaves parameters without a name"
                      : f->wrong_count ? "has another number of parameters there"
                                       : "is not declared there directly (by a macro?)";
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%.80s: '%.*s' %s: give arguments by number, as 0=..", source->name,
                   name.length < 60 ? (int)name.length : 60, name.at, why);
}

wl_status wl_ptx_source_params(const wl_ptx_module *m, const wl_ptx_function *entry, wl_arena *arena,
                               const char ***names, wl_error *err)
{
    const wl_ptx_demangled *shown = &entry->shown;
    const word name = {shown->text + shown->base, shown->args - shown->base};
    *names = NULL;
    if (!m->source.text)
        return WL_OK;
    found f = {.kept = WL_ARENA_NEW(arena, declaration, 1), .other = WL_ARENA_NEW(arena, declaration, 1)};
    if (!f.kept || !f.other)
        return wl_fail_memory(err);
    search_text(&m->source, name, entry->param_count, &f);
    if (f.fitting == 0 || f.disagree)
        return why_not(&m->source, &f, name, err);
    *names = WL_ARENA_NEW(arena, const char *, entry->param_count + 1);
    for (int i = 0; *names && i < entry->param_count; i++)
        if (!((*names)[i] = wl_arena_text(arena, f.kept->names[i].at, f.kept->names[i].length)))
            *names = NULL;
    return *names ? WL_OK : wl_fail_memory(err);
}
