/* demangle_type.c - types in mangled names, template arguments and back references.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "ptx/module/demangle_internal.h"

static const wl_mangled *named(wl_mangled_reader *r, const char *text)
{
    return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_NAME, .text = text, .length = (int)strlen(text)});
}

static const wl_mangled *remembered(wl_mangled_reader *r, const wl_mangled *node)
{
    if (node)
        wl_mangled_remember(r, node);
    return node;
}

/* ---- what refers back ---- */

/* S_ is the first, S0_ the second, in base 36. */
static const wl_mangled *earlier(wl_mangled_reader *r)
{
    int number = 0;
    for (bool first = true; !wl_mangled_take(r, "_"); first = false, r->at++) {
        const char c = r->at < r->end ? *r->at : '\0';
        const int digit = wl_is_digit(c) ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
        if (digit < 0 || number > 1000000)
            return NULL;
        number = (first ? 0 : 36 * (number - 1)) + digit + 1;
    }
    return number < r->substitution_count ? r->substitutions[number] : NULL;
}

const wl_mangled *wl_mangled_substitution(wl_mangled_reader *r)
{
    static const struct {
        const char *code, *name;
    } known[] = {{"Sa", "allocator"}, {"Sb", "basic_string"}, {"Ss", "string"},
                 {"Si", "istream"},   {"So", "ostream"},      {"Sd", "iostream"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (wl_mangled_take(r, known[i].code)) {
            const wl_mangled *scope = named(r, "std"), *name = scope ? named(r, known[i].name) : NULL;
            return name ? wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_NESTED, .a = scope, .b = name}) : NULL;
        }
    return wl_mangled_take(r, "S") ? earlier(r) : NULL;
}

static const wl_mangled *automatic(wl_mangled_reader *r, int number)
{
    char text[24];
    (void)snprintf(text, sizeof text, "auto:%d", number + 1);
    const char *kept = wl_arena_text(r->arena, text, strlen(text));
    r->failed = r->failed || !kept;
    return kept ? named(r, kept) : NULL;
}

/* T_ is the first template argument, T0_ the second. */
const wl_mangled *wl_mangled_parameter(wl_mangled_reader *r)
{
    int number = 0;
    if (!wl_mangled_take(r, "T"))
        return NULL;
    if (!wl_mangled_take(r, "_")) {
        if (!wl_mangled_number(r, &number) || !wl_mangled_take(r, "_"))
            return NULL;
        number++;
    }
    if (r->lambdas > 0)
        return automatic(r, number);
    return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_PARAMETER, .number = number});
}

/* ---- template arguments ---- */

static const wl_mangled *argument(wl_mangled_reader *r)
{
    const wl_mangled *found = NULL;
    wl_mangled *first = NULL, *last = NULL;
    if (r->at < r->end && *r->at == 'L')
        return wl_mangled_literal(r);
    if (wl_mangled_take(r, "X")) {
        found = wl_mangled_expression(r);
        return found && wl_mangled_take(r, "E") ? found : NULL;
    }
    if (!wl_mangled_take(r, "J"))
        return wl_mangled_type(r);
    while (!wl_mangled_take(r, "E"))
        if (r->at == r->end || !wl_mangled_append(r, &first, &last, argument(r)))
            return NULL;
    return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_PACK, .a = first});
}

const wl_mangled *wl_mangled_template_arguments(wl_mangled_reader *r, const wl_mangled *of)
{
    wl_mangled *first = NULL, *last = NULL;
    if (!wl_mangled_enter(r) || !wl_mangled_take(r, "I"))
        return NULL;
    while (!wl_mangled_take(r, "E"))
        if (r->at == r->end || !wl_mangled_append(r, &first, &last, argument(r)))
            return NULL;
    r->depth--;
    return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_TEMPLATE, .a = of, .b = first});
}

/* ---- types ---- */

static const char *builtin(char c)
{
    static const char *const names[] = {['a' - 'a'] = "signed char", ['b' - 'a'] = "bool",
                                        ['c' - 'a'] = "char",        ['d' - 'a'] = "double",
                                        ['e' - 'a'] = "long double", ['f' - 'a'] = "float",
                                        ['g' - 'a'] = "__float128",  ['h' - 'a'] = "unsigned char",
                                        ['i' - 'a'] = "int",         ['j' - 'a'] = "unsigned int",
                                        ['l' - 'a'] = "long",        ['m' - 'a'] = "unsigned long",
                                        ['n' - 'a'] = "__int128",    ['o' - 'a'] = "unsigned __int128",
                                        ['s' - 'a'] = "short",       ['t' - 'a'] = "unsigned short",
                                        ['v' - 'a'] = "void",        ['w' - 'a'] = "wchar_t",
                                        ['x' - 'a'] = "long long",   ['y' - 'a'] = "unsigned long long",
                                        ['z' - 'a'] = "..."};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

bool wl_mangled_types(wl_mangled_reader *r, const wl_mangled **list)
{
    wl_mangled *first = NULL, *last = NULL;
    const bool none = r->at < r->end && *r->at == 'v' && (r->end - r->at == 1 || r->at[1] == 'E' || r->at[1] == '.');
    r->at += none;
    while (!none && r->at < r->end && *r->at != 'E')
        if (!wl_mangled_append(r, &first, &last, wl_mangled_type(r)))
            return false;
    *list = first;
    return none || first;
}

/* F..E, with the qualifiers before it */
static const wl_mangled *function(wl_mangled_reader *r, const char *qualifiers)
{
    wl_mangled node = {.kind = WL_MANGLED_FUNCTION, .text = qualifiers, .length = (int)strlen(qualifiers)};
    if (wl_mangled_take(r, "Do"))
        node.text = " noexcept", node.length = (int)strlen(" noexcept");
    if (!wl_mangled_take(r, "F"))
        return NULL;
    (void)wl_mangled_take(r, "Y"); /* extern "C" */
    if (!(node.a = wl_mangled_type(r)))
        return NULL;
    if (!wl_mangled_types(r, &node.b) || !wl_mangled_take(r, "E"))
        return NULL;
    return wl_mangled_new(r, node);
}

static const wl_mangled *array(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_ARRAY};
    const char *start = r->at;
    int extent;
    if (wl_mangled_number(r, &extent)) {
        node.b =
            wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_NAME, .text = start, .length = (int)(r->at - start)});
        if (!node.b)
            return NULL;
    } else if (r->at < r->end && *r->at != '_' && !(node.b = wl_mangled_expression(r))) {
        return NULL;
    }
    if (!wl_mangled_take(r, "_") || !(node.a = wl_mangled_type(r)))
        return NULL;
    return wl_mangled_new(r, node);
}

static const wl_mangled *member_pointer(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_MEMBER};
    if (!(node.b = wl_mangled_type(r)) || !(node.a = wl_mangled_type(r)))
        return NULL;
    return wl_mangled_new(r, node);
}

/* Compound types: pointers, references, C's complex numbers. */
static const wl_mangled *made_of(wl_mangled_reader *r, wl_mangled_kind kind, const char *text)
{
    const wl_mangled *of = wl_mangled_type(r);
    if (!of)
        return NULL;
    return remembered(
        r, wl_mangled_new(r, (wl_mangled){.kind = kind, .text = text, .length = (int)strlen(text), .a = of}));
}

static const wl_mangled *vector(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_VECTOR};
    const char *start = r->at;
    int extent;
    if (!wl_mangled_number(r, &extent) ||
        !(node.b =
              wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_NAME, .text = start, .length = (int)(r->at - start)})))
        return NULL;
    if (!wl_mangled_take(r, "_") || !(node.a = wl_mangled_type(r)))
        return NULL;
    return wl_mangled_new(r, node);
}

/* decltype(..), pack expansions, vectors, and builtin types of two letters. */
static const wl_mangled *extended(wl_mangled_reader *r)
{
    static const struct {
        const char *code, *name;
    } known[] = {{"Da", "auto"},        {"Dc", "decltype(auto)"}, {"Dn", "decltype(nullptr)"},
                 {"Di", "char32_t"},    {"Ds", "char16_t"},       {"Du", "char8_t"},
                 {"Dh", "half"},        {"Df", "decimal32"},      {"Dd", "decimal64"},
                 {"De", "decimal128"},  {"DF16_", "_Float16"},    {"DF16b", "std::bfloat16_t"},
                 {"DF32_", "_Float32"}, {"DF64_", "_Float64"},    {"DF128_", "_Float128"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (wl_mangled_take(r, known[i].code))
            return named(r, known[i].name);
    if (wl_mangled_take(r, "Dp"))
        return made_of(r, WL_MANGLED_EXPANSION, "");
    if (wl_mangled_take(r, "Dv"))
        return remembered(r, vector(r));
    if (r->end - r->at > 2 && strncmp(r->at, "DoF", 3) == 0)
        return remembered(r, function(r, ""));
    if (!wl_mangled_take(r, "DT") && !wl_mangled_take(r, "Dt"))
        return NULL;
    const wl_mangled *of = wl_mangled_expression(r);
    if (!of || !wl_mangled_take(r, "E"))
        return NULL;
    return remembered(r, wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_WRAPPED,
                                                        .text = "decltype (",
                                                        .length = (int)strlen("decltype ("),
                                                        .a = of}));
}

/* A type that is a template with its arguments, where they follow. */
static const wl_mangled *with_arguments(wl_mangled_reader *r, const wl_mangled *of)
{
    if (!of || r->at == r->end || *r->at != 'I')
        return of;
    return remembered(r, wl_mangled_template_arguments(r, of));
}

static const wl_mangled *class_name(wl_mangled_reader *r)
{
    wl_mangled_name about;
    return remembered(r, wl_mangled_read_name(r, &about));
}

static const wl_mangled *qualified(wl_mangled_reader *r)
{
    const char *qualifiers = wl_mangled_qualifiers(r);
    if (r->at < r->end && *r->at == 'F')
        return remembered(r, function(r, qualifiers));
    return made_of(r, WL_MANGLED_QUALIFIED, qualifiers);
}

static const wl_mangled *vendor_type(wl_mangled_reader *r)
{
    const wl_mangled *name = wl_mangled_source_name(r);
    return remembered(r, with_arguments(r, name));
}

static const wl_mangled *type_at(wl_mangled_reader *r)
{
    const char c = *r->at, second = r->end - r->at > 1 ? r->at[1] : '\0';
    switch (c) {
    case 'r':
    case 'V':
    case 'K': return qualified(r);
    case 'P': r->at++; return made_of(r, WL_MANGLED_POINTER, "*");
    case 'R': r->at++; return made_of(r, WL_MANGLED_POINTER, "&");
    case 'O': r->at++; return made_of(r, WL_MANGLED_POINTER, "&&");
    case 'C': r->at++; return made_of(r, WL_MANGLED_QUALIFIED, " _Complex");
    case 'F': return remembered(r, function(r, ""));
    case 'A': r->at++; return remembered(r, array(r));
    case 'M': r->at++; return remembered(r, member_pointer(r));
    case 'D': return extended(r);
    case 'u': r->at++; return vendor_type(r);
    case 'T':
        if (second == 's' || second == 'u' || second == 'e') { /* struct, union, enum */
            r->at += 2;
            return class_name(r);
        }
        return with_arguments(r, remembered(r, wl_mangled_parameter(r)));
    case 'S': return second == 't' ? class_name(r) : with_arguments(r, wl_mangled_substitution(r));
    default: break;
    }
    const char *name = builtin(c);
    if (!name)
        return class_name(r);
    r->at++;
    return named(r, name);
}

const wl_mangled *wl_mangled_type(wl_mangled_reader *r)
{
    const wl_mangled *type = wl_mangled_enter(r) && r->at < r->end ? type_at(r) : NULL;
    r->depth--;
    return type;
}
