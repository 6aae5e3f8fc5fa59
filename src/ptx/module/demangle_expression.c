/* demangle_expression.c - values and expressions in mangled names.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/ascii.h"
#include "ptx/module/demangle_internal.h"

static const struct operation {
    const char *code, *name;
    bool binary;
} operations[] = {
    {"aN", "&=", true},     {"aS", "=", true},         {"aa", "&&", true},  {"ad", "&", false},
    {"an", "&", true},      {"cl", "()", false},       {"cm", ",", true},   {"co", "~", false},
    {"dV", "/=", true},     {"da", "delete[]", false}, {"de", "*", false},  {"dl", "delete", false},
    {"dv", "/", true},      {"eO", "^=", true},        {"eo", "^", true},   {"eq", "==", true},
    {"ge", ">=", true},     {"gt", ">", true},         {"ix", "[]", true},  {"lS", "<<=", true},
    {"le", "<=", true},     {"ls", "<<", true},        {"lt", "<", true},   {"mI", "-=", true},
    {"mL", "*=", true},     {"mi", "-", true},         {"ml", "*", true},   {"mm", "--", false},
    {"na", "new[]", false}, {"ne", "!=", true},        {"ng", "-", false},  {"nt", "!", false},
    {"nw", "new", false},   {"oR", "|=", true},        {"oo", "||", true},  {"or", "|", true},
    {"pL", "+=", true},     {"pl", "+", true},         {"pm", "->*", true}, {"pp", "++", false},
    {"ps", "+", false},     {"pt", "->", true},        {"rM", "%=", true},  {"rS", ">>=", true},
    {"rm", "%", true},      {"rs", ">>", true},        {"ss", "<=>", true},
};

const char *wl_mangled_operator(wl_mangled_reader *r, bool *binary)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (wl_mangled_take(r, operations[i].code)) {
            *binary = operations[i].binary;
            return operations[i].name;
        }
    return NULL;
}

/* ---- literals ---- */

/* L_Z1fvE, Li32E, Lb1E, Lin3E */
const wl_mangled *wl_mangled_literal(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_LITERAL};
    if (!wl_mangled_take(r, "L"))
        return NULL;
    if (wl_mangled_take(r, "_Z") || wl_mangled_take(r, "Z")) {
        const wl_mangled *function = wl_mangled_encoding(r);
        return function && wl_mangled_take(r, "E") ? function : NULL;
    }
    if (!(node.a = wl_mangled_type(r)))
        return NULL;
    node.text = r->at;
    while (r->at < r->end && *r->at != 'E')
        r->at++;
    node.length = (int)(r->at - node.text);
    return wl_mangled_take(r, "E") ? wl_mangled_new(r, node) : NULL;
}

/* ---- expressions ---- */

static bool expressions(wl_mangled_reader *r, const wl_mangled **list)
{
    wl_mangled *first = NULL, *last = NULL;
    while (!wl_mangled_take(r, "E"))
        if (r->at == r->end || !wl_mangled_append(r, &first, &last, wl_mangled_expression(r)))
            return false;
    *list = first;
    return true;
}

/* A name with the template arguments that follow it. */
static const wl_mangled *simple_name(wl_mangled_reader *r)
{
    wl_mangled_name about = {0};
    const wl_mangled *name = wl_mangled_unqualified(r, NULL, &about);
    if (name && r->at < r->end && *r->at == 'I')
        name = wl_mangled_template_arguments(r, name);
    return name;
}

static const wl_mangled *member_of(wl_mangled_reader *r, const wl_mangled *scope, const wl_mangled *name)
{
    if (!scope || !name)
        return name;
    return wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_NESTED, .a = scope, .b = name});
}

/* NAME.. E NAME, inside a scope that may be NULL */
static const wl_mangled *levels(wl_mangled_reader *r, const wl_mangled *scope)
{
    while (!wl_mangled_take(r, "E"))
        if (!(scope = member_of(r, scope, simple_name(r))))
            return NULL;
    return scope ? member_of(r, scope, simple_name(r)) : NULL;
}

/* A member of something that depends on the arguments: sr TYPE NAME, srN TYPE NAME.. E NAME,
 * sr NAME.. E NAME. Compilers disagree on the last, which may be a type as well. */
static const wl_mangled *unresolved(wl_mangled_reader *r)
{
    const wl_mangled_reader start = *r;
    if (wl_mangled_take(r, "N")) {
        const wl_mangled *scope = wl_mangled_type(r);
        return scope ? levels(r, scope) : NULL;
    }
    const wl_mangled *found = r->at < r->end && wl_is_digit(*r->at) ? levels(r, NULL) : NULL;
    if (found || r->failed)
        return found;
    const int nodes = r->nodes;
    *r = start;
    r->nodes = nodes;
    const wl_mangled *scope = wl_mangled_type(r);
    return scope ? member_of(r, scope, simple_name(r)) : NULL;
}

static const wl_mangled *wrapped(wl_mangled_reader *r, const char *text, const wl_mangled *of)
{
    if (!of)
        return NULL;
    return wl_mangled_new(r,
                          (wl_mangled){.kind = WL_MANGLED_WRAPPED, .text = text, .length = (int)strlen(text), .a = of});
}

static const wl_mangled *call(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_CALL};
    if (!(node.a = wl_mangled_expression(r)) || !expressions(r, &node.b))
        return NULL;
    return wl_mangled_new(r, node);
}

static const wl_mangled *cast(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_CAST};
    if (!(node.a = wl_mangled_type(r)))
        return NULL;
    if (wl_mangled_take(r, "_"))
        return expressions(r, &node.b) ? wl_mangled_new(r, node) : NULL;
    return (node.b = wl_mangled_expression(r)) ? wl_mangled_new(r, node) : NULL;
}

static const wl_mangled *braced(wl_mangled_reader *r, bool typed)
{
    wl_mangled node = {.kind = WL_MANGLED_BRACED};
    if ((typed && !(node.a = wl_mangled_type(r))) || !expressions(r, &node.b))
        return NULL;
    return wl_mangled_new(r, node);
}

static const wl_mangled *selection(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_SELECTION};
    if (!(node.a = wl_mangled_expression(r)) || !(node.b = wl_mangled_expression(r)) ||
        !(node.c = wl_mangled_expression(r)))
        return NULL;
    return wl_mangled_new(r, node);
}

/* a.b */
static const wl_mangled *member(wl_mangled_reader *r, const char *dot)
{
    wl_mangled node = {.kind = WL_MANGLED_BINARY, .text = dot, .length = (int)strlen(dot)};
    if (!(node.a = wl_mangled_expression(r)) || !(node.b = simple_name(r)))
        return NULL;
    return wl_mangled_new(r, node);
}

static const wl_mangled *operation(wl_mangled_reader *r)
{
    wl_mangled node = {.kind = WL_MANGLED_PREFIX};
    bool binary = false;
    node.text = wl_mangled_operator(r, &binary);
    if (!node.text || strlen(node.text) > 3)
        return NULL;
    node.length = (int)strlen(node.text);
    (void)(!binary && wl_mangled_take(r, "_")); /* ++ before its operand */
    if (!(node.a = wl_mangled_expression(r)))
        return NULL;
    if (binary) {
        node.kind = WL_MANGLED_BINARY;
        node.b = wl_mangled_expression(r);
        if (!node.b)
            return NULL;
    }
    return wl_mangled_new(r, node);
}

static const wl_mangled *packed(wl_mangled_reader *r)
{
    const wl_mangled *of = wl_mangled_expression(r);
    return of ? wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_EXPANSION, .a = of}) : NULL;
}

/* sizeof...(a pack) */
static const wl_mangled *pack_size(wl_mangled_reader *r)
{
    const wl_mangled *of = wl_mangled_parameter(r);
    return of ? wl_mangled_new(r, (wl_mangled){.kind = WL_MANGLED_PACK_SIZE, .a = of}) : NULL;
}

/* fp_, fp0_: a parameter of the function, in what it returns */
static const wl_mangled *function_parameter(wl_mangled_reader *r)
{
    int number = 0;
    (void)wl_mangled_qualifiers(r);
    if (!wl_mangled_take(r, "_")) {
        if (!wl_mangled_number(r, &number) || !wl_mangled_take(r, "_"))
            return NULL;
        number++;
    }
    return wl_mangled_new(r,
                          (wl_mangled){.kind = WL_MANGLED_UNNAMED, .text = "parm", .length = 4, .number = number + 1});
}

static const wl_mangled *expression_at(wl_mangled_reader *r)
{
    const char c = *r->at;
    if (c == 'L')
        return wl_mangled_literal(r);
    if (c == 'T')
        return wl_mangled_parameter(r);
    if (wl_is_digit(c) || wl_mangled_take(r, "on"))
        return simple_name(r);
    if (wl_mangled_take(r, "sr"))
        return unresolved(r);
    if (wl_mangled_take(r, "st"))
        return wrapped(r, "sizeof (", wl_mangled_type(r));
    if (wl_mangled_take(r, "sz"))
        return wrapped(r, "sizeof (", wl_mangled_expression(r));
    if (wl_mangled_take(r, "at"))
        return wrapped(r, "alignof (", wl_mangled_type(r));
    if (wl_mangled_take(r, "fp"))
        return function_parameter(r);
    if (wl_mangled_take(r, "sZ"))
        return pack_size(r);
    if (wl_mangled_take(r, "sp"))
        return packed(r);
    if (wl_mangled_take(r, "cl"))
        return call(r);
    if (wl_mangled_take(r, "cv"))
        return cast(r);
    if (wl_mangled_take(r, "tl"))
        return braced(r, true);
    if (wl_mangled_take(r, "il"))
        return braced(r, false);
    if (wl_mangled_take(r, "dt"))
        return member(r, ".");
    if (wl_mangled_take(r, "qu"))
        return selection(r);
    return operation(r);
}

const wl_mangled *wl_mangled_expression(wl_mangled_reader *r)
{
    const wl_mangled *found = wl_mangled_enter(r) && r->at < r->end ? expression_at(r) : NULL;
    r->depth--;
    return found;
}
