/* demangle.c - see demangle.h. Names of functions and variables; types are in demangle_type.c,
 * template values in demangle_expression.c.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "ptx/module/demangle_internal.h"

#define SYMBOL_MAX 8192 /* bytes */
#define DEPTH_MAX 192
#define NODES_MAX 65536 /* far more than a valid name of that length has */

/* ---- what all readers need ---- */

const wl_mangled *wl_mangled_new(wl_mangled_reader *r, wl_mangled node)
{
    if (++r->nodes > NODES_MAX)
        return NULL;
    wl_mangled *made = WL_ARENA_NEW(r->arena, wl_mangled, 1);
    r->failed = r->failed || !made;
    if (made)
        *made = node;
    return made;
}

bool wl_mangled_take(wl_mangled_reader *r, const char *text)
{
    const size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

bool wl_mangled_number(wl_mangled_reader *r, int *number)
{
    const char *start = r->at;
    *number = 0;
    for (; r->at < r->end && wl_is_digit(*r->at); r->at++) {
        if (*number > (INT_MAX - 9) / 10)
            return false;
        *number = 10 * *number + (*r->at - '0');
    }
    return r->at > start;
}

bool wl_mangled_enter(wl_mangled_reader *r) { return ++r->depth < DEPTH_MAX; }

bool wl_mangled_append(wl_mangled_reader *r, wl_mangled **first, wl_mangled **last, const wl_mangled *element)
{
    wl_mangled *cell = element ? WL_ARENA_NEW(r->arena, wl_mangled, 1) : NULL;
    r->failed = r->failed || (element && !cell);
    if (!cell)
        return false;
    *cell = (wl_mangled){.kind = WL_MANGLED_LIST, .a = element};
    *(*last ? &(*last)->next : first) = cell;
    *last = cell;
    return true;
}

/* Every one takes at least a character, so there is room for all. */
void wl_mangled_remember(wl_mangled_reader *r, const wl_mangled *node)
{
    if (r->substitution_count < r->substitution_room)
        r->substitutions[r->substitution_count++] = node;
}

const char *wl_mangled_qualifiers(wl_mangled_reader *r)
{
    static const char *const names[] = {"",
                                        " const",
                                        " volatile",
                                        " const volatile",
                                        " __restrict",
                                        " const __restrict",
                                        " volatile __restrict",
                                        " const volatile __restrict"};
    int which = 0;
    for (; r->at < r->end && (*r->at == 'r' || *r->at == 'V' || *r->at == 'K'); r->at++)
        which |= *r->at == 'K' ? 1 : *r->at == 'V' ? 2 : 4;
    return names[which];
}

static const wl_mangled *name_of(wl_mangled_reader *r, const char *text, size_t length)
{
    return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_NAME, .text = text, .length = (int)length});
}

/* ---- single names ---- */

const wl_mangled *wl_mangled_source_name(wl_mangled_reader *r)
{
    static const char unnamed[] = "(anonymous namespace)", global[] = "_GLOBAL__N_", file[] = "_INTERNAL_";
    int length;
    if (!wl_mangled_number(r, &length) || length == 0 || length > r->end - r->at)
        return NULL;
    const char *text = r->at;
    r->at += length;
    if ((size_t)length >= strlen(global) && memcmp(text, global, strlen(global)) == 0)
        return name_of(r, unnamed, strlen(unnamed));
    if ((size_t)length >= strlen(file) && memcmp(text, file, strlen(file)) == 0)
        return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_FILE});
    return name_of(r, text, (size_t)length);
}

/* "0_" is the second of its kind, "_" the first. */
static bool ordinal(wl_mangled_reader *r, int *number)
{
    *number = 1;
    if (wl_mangled_take(r, "_"))
        return true;
    if (!wl_mangled_number(r, number) || !wl_mangled_take(r, "_"))
        return false;
    *number += 2;
    return true;
}

/* Ut_, UlvE_ */
static const wl_mangled *unnamed(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_UNNAMED, .text = "unnamed type", .length = (int)strlen("unnamed type")};
    const bool lambda = wl_mangled_take(r, "Ul");
    if (!lambda && !wl_mangled_take(r, "Ut"))
        return NULL;
    if (lambda) {
        node.kind = WL_MANGLED_LAMBDA;
        r->lambdas++;
        const bool ok = wl_mangled_types(r, &node.a) && wl_mangled_take(r, "E");
        r->lambdas--;
        if (!ok)
            return NULL;
    }
    return ordinal(r, &node.number) ? wl_mangled_new(r, node) : NULL;
}

static const wl_mangled *structor(wl_mangled_reader *r, const wl_mangled *scope, wl_mangled_name *about)
{
    const bool destructor = *r->at == 'D';
    if (!scope || r->end - r->at < 2 || !strchr("01234", r->at[1]))
        return NULL;
    r->at += 2;
    about->is_structor = true;
    return wl_mangled_new(
        r, (wl_mangled){.kind = WL_MANGLED_STRUCTOR, .text = "~", .length = destructor ? 1 : 0, .a = scope});
}

static const wl_mangled *operator_name(wl_mangled_reader *r, wl_mangled_name *about)
{
    bool binary;
    if (wl_mangled_take(r, "cv")) {
        const wl_mangled *to = wl_mangled_type(r);
        about->is_structor = true; /* no return type either */
        return to ? wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_CONVERSION, .a = to}) : NULL;
    }
    const char *name = wl_mangled_operator(r, &binary);
    if (!name)
        return NULL;
    const bool word = wl_is_letter(name[0]);
    char *text = wl_arena_text(r->arena, word ? "operator                " : "operator               ", 24);
    r->failed = r->failed || !text;
    if (!text)
        return NULL;
    const size_t start = strlen("operator") + word;
    memcpy(text + start, name, strlen(name) + 1);
    return name_of(r, text, start + strlen(name));
}

const wl_mangled *wl_mangled_unqualified(wl_mangled_reader *r, const wl_mangled *scope, wl_mangled_name *about)
{
    if (r->at == r->end)
        return NULL;
    (void)wl_mangled_take(r, "L"); /* of a file */
    const char c = r->at < r->end ? *r->at : '\0';
    const wl_mangled *name = wl_is_digit(c)         ? wl_mangled_source_name(r)
                             : c == 'U'             ? unnamed(r)
                             : c == 'C' || c == 'D' ? structor(r, scope, about)
                             : c >= 'a' && c <= 'z' ? operator_name(r, about)
                                                    : NULL;
    while (name && wl_mangled_take(r, "B")) { /* f[abi:cxx11] */
        const wl_mangled *tag = wl_mangled_source_name(r);
        name = tag ? wl_mangled_new(
                         r, (wl_mangled){.kind = WL_MANGLED_WRAPPED, .text = "[abi:", .length = 5, .a = name, .b = tag})
                   : NULL;
    }
    return name;
}

/* ---- names in scopes ---- */

static const wl_mangled *nest(wl_mangled_reader *r, const wl_mangled *scope, const wl_mangled *name)
{
    if (!scope || !name)
        return name;
    return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_NESTED, .a = scope, .b = name});
}

/* The next part of a nested name; *fresh: substitutions may refer to it. */
static const wl_mangled *nested_part(wl_mangled_reader *r, const wl_mangled *scope, wl_mangled_name *about, bool *fresh)
{
    const char c = *r->at, second = r->end - r->at > 1 ? r->at[1] : '\0';
    *fresh = true;
    if (c == 'I' && scope) {
        about->is_template = true;
        return wl_mangled_template_arguments(r, scope);
    }
    about->is_template = false;
    if (c == 'T' && !scope)
        return wl_mangled_parameter(r);
    if (c == 'S' && second == 't' && !scope) {
        *fresh = false;
        r->at += 2;
        return name_of(r, "std", 3);
    }
    if (c == 'S' && !scope) {
        *fresh = false;
        return wl_mangled_substitution(r);
    }
    if (c == 'D' && (second == 't' || second == 'T') && !scope)
        return wl_mangled_type(r);
    return nest(r, scope, wl_mangled_unqualified(r, scope, about));
}

static const wl_mangled *nested_name(wl_mangled_reader *r, wl_mangled_name *about)
{
    const wl_mangled *name = NULL;
    bool fresh = false;
    about->qualifiers = wl_mangled_qualifiers(r);
    if (wl_mangled_take(r, "R"))
        about->qualifiers = *about->qualifiers ? " const &" : " &";
    else if (wl_mangled_take(r, "O"))
        about->qualifiers = *about->qualifiers ? " const &&" : " &&";
    while (!wl_mangled_take(r, "E")) {
        if (r->at == r->end || !(name = nested_part(r, name, about, &fresh)))
            return NULL;
        (void)wl_mangled_take(r, "M"); /* a member whose initial value this is in */
        if (fresh)
            wl_mangled_remember(r, name);
    }
    if (fresh && r->substitution_count > 0) /* the whole name is not a scope */
        r->substitution_count--;
    return name;
}

/* "_3", "__12_": which of several equal names in one function. */
static bool discriminator(wl_mangled_reader *r)
{
    int number;
    if (!wl_mangled_take(r, "_"))
        return true;
    if (wl_mangled_take(r, "_"))
        return wl_mangled_number(r, &number) && wl_mangled_take(r, "_");
    return wl_mangled_number(r, &number);
}

/* A name inside a function. */
static const wl_mangled *local_name(wl_mangled_reader *r, wl_mangled_name *about)
{
    const wl_mangled *function = wl_mangled_encoding(r), *name = NULL;
    if (!function || !wl_mangled_take(r, "E"))
        return NULL;
    if (wl_mangled_take(r, "s"))
        name = name_of(r, "string literal", strlen("string literal"));
    else
        name = wl_mangled_read_name(r, about);
    return name && discriminator(r) ? nest(r, function, name) : NULL;
}

static const wl_mangled *plain_name(wl_mangled_reader *r, wl_mangled_name *about)
{
    const wl_mangled *scope = NULL, *name;
    if (wl_mangled_take(r, "St") && !(scope = name_of(r, "std", 3)))
        return NULL;
    name = nest(r, scope, wl_mangled_unqualified(r, NULL, about));
    if (!name || r->at == r->end || *r->at != 'I')
        return name;
    wl_mangled_remember(r, name);
    about->is_template = true;
    return wl_mangled_template_arguments(r, name);
}

const wl_mangled *wl_mangled_read_name(wl_mangled_reader *r, wl_mangled_name *about)
{
    const wl_mangled *name = NULL;
    *about = (wl_mangled_name){.qualifiers = ""};
    if (!wl_mangled_enter(r))
        return NULL;
    if (wl_mangled_take(r, "N")) {
        name = nested_name(r, about);
    } else if (wl_mangled_take(r, "Z")) {
        name = local_name(r, about);
    } else if (r->end - r->at > 1 && *r->at == 'S' && r->at[1] != 't') {
        name = wl_mangled_substitution(r);
        about->is_template = true;
        name = name ? wl_mangled_template_arguments(r, name) : NULL;
    } else {
        name = plain_name(r, about);
    }
    r->depth--;
    return name;
}

/* ---- functions and variables ---- */

const wl_mangled *wl_mangled_encoding(wl_mangled_reader *r)
{
    wl_mangled_name about;
    wl_mangled type = {.kind = WL_MANGLED_FUNCTION};
    const wl_mangled *name = wl_mangled_enter(r) ? wl_mangled_read_name(r, &about) : NULL;
    r->depth--;
    if (!name || r->at == r->end || *r->at == 'E')
        return name; /* a variable */
    if (about.is_template && !about.is_structor && !(type.a = wl_mangled_type(r)))
        return NULL;
    if (!wl_mangled_types(r, &type.b))
        return NULL;
    type.text = about.qualifiers;
    type.length = (int)strlen(about.qualifiers);
    const wl_mangled *kept = wl_mangled_new(r, type);
    return kept ? wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_ENCODING, .a = name, .b = kept}) : NULL;
}

static wl_ptx_demangled as_it_is(const char *symbol, wl_arena *arena)
{
    const size_t length = strlen(symbol);
    return (wl_ptx_demangled){.text = wl_arena_text(arena, symbol, length), .args = length, .end = length};
}

static wl_ptx_demangled print(const wl_mangled *tree, const char *symbol, wl_arena *arena)
{
    wl_ptx_demangled found = {0};
    wl_buffer out = {0};
    if (!wl_mangled_print(tree, &out, &found) && !out.failed)
        found = as_it_is(symbol, arena);
    else if (!out.failed)
        found.text = wl_arena_text(arena, out.text, out.length);
    wl_buffer_drop(&out);
    return found;
}

wl_ptx_demangled wl_ptx_demangle(const char *symbol, wl_arena *arena)
{
    const size_t length = strlen(symbol);
    wl_arena scratch = {0};
    wl_mangled_reader r = {.at = symbol, .end = symbol + length, .arena = &scratch, .substitution_room = (int)length};
    if (length > SYMBOL_MAX || !wl_mangled_take(&r, "_Z"))
        return as_it_is(symbol, arena);
    r.substitutions = WL_ARENA_NEW(&scratch, const wl_mangled *, length + 1);
    const wl_mangled *tree = r.substitutions ? wl_mangled_encoding(&r) : NULL;
    wl_ptx_demangled found = {0};
    if (tree && r.at == r.end)
        found = print(tree, symbol, arena);
    else if (r.substitutions && !r.failed)
        found = as_it_is(symbol, arena);
    wl_arena_free(&scratch);
    return found;
}
