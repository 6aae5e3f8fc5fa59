/* demangle_print.c - prints the tree of a mangled name as c++filt would.
 *
 * A declarator stands around its name, so a type has a left and a right part: of a pointer to a
 * function, "void (*" and ")(int)".
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/module/demangle_internal.h"

#define TEXT_MAX 16384
#define STEPS_MAX 100000 /* a tree of substitutions may be far larger than the name */
#define DEPTH_MAX 512

/* Function templates around what is printed, the innermost first: T_ is theirs. */
typedef struct scope scope;
struct scope {
    const wl_mangled *arguments; /* a list */
    const scope *outer;
};

/* The values of parameters and packs at some point of the tree. */
typedef struct meaning {
    const scope *scope;
    int pack; /* element of packs to print; -1: all */
} meaning;

typedef struct printer {
    wl_buffer *out;
    int steps, depth;
    meaning now;
    bool failed;
} printer;

static void side(printer *p, const wl_mangled *n, bool is_left);

static void put(printer *p, const char *text, size_t length)
{
    wl_buffer_put(p->out, text, length);
    p->failed = p->failed || p->out->failed || p->out->length > TEXT_MAX;
}

static void text(printer *p, const char *words) { put(p, words, strlen(words)); }

static char last_character(const printer *p) { return p->out->length > 0 ? p->out->text[p->out->length - 1] : '\0'; }

/* Every call of these is a step; false: there were too many. */
static bool step(printer *p)
{
    p->failed = p->failed || ++p->steps > STEPS_MAX || p->depth > DEPTH_MAX;
    return !p->failed;
}

static void print(printer *p, const wl_mangled *n)
{
    if (!n || !step(p))
        return;
    p->depth++;
    side(p, n, true);
    side(p, n, false);
    p->depth--;
}

/* ---- lists and packs ---- */

static void list(printer *p, const wl_mangled *cell)
{
    for (bool any = false; cell && step(p); cell = cell->next) {
        const size_t before = p->out->length;
        if (any)
            text(p, ", ");
        const size_t start = p->out->length;
        print(p, cell->a);
        if (p->out->length == start && p->out->text) /* an empty pack */
            p->out->length = before;
        any = any || p->out->length > before;
    }
}

static const wl_mangled *argument(const printer *p, const wl_mangled *parameter)
{
    const wl_mangled *cell = p->now.scope ? p->now.scope->arguments : NULL;
    for (int i = 0; cell && i < parameter->number; i++)
        cell = cell->next;
    return cell ? cell->a : NULL;
}

/* Resolves a node: a parameter to its argument, a pack to the element being printed. Changes the
 * meaning to that inside the result; callers keep the outer one. NULL: nothing. */
static const wl_mangled *meant(printer *p, const wl_mangled *n)
{
    if (n && n->kind == WL_MANGLED_PARAMETER) {
        n = argument(p, n);
        p->failed = p->failed || !n;
        if (!n || n->kind != WL_MANGLED_PACK)
            p->now = (meaning){p->now.scope ? p->now.scope->outer : NULL, -1};
        else
            p->now.scope = p->now.scope->outer;
    }
    if (!n || n->kind != WL_MANGLED_PACK || p->now.pack < 0)
        return n;
    const wl_mangled *cell = n->a;
    for (int i = 0; cell && i < p->now.pack; i++)
        cell = cell->next;
    p->now.pack = -1;
    return cell ? cell->a : NULL;
}

static void parameter(printer *p, const wl_mangled *n)
{
    const meaning outer = p->now;
    print(p, meant(p, n));
    p->now = outer;
}

static const wl_mangled *find_pack(printer *p, const wl_mangled *n)
{
    const wl_mangled *found = NULL;
    if (!n || !step(p) || n->kind == WL_MANGLED_EXPANSION)
        return NULL;
    if (n->kind == WL_MANGLED_PARAMETER) {
        found = argument(p, n);
        return found && found->kind == WL_MANGLED_PACK ? found : NULL;
    }
    p->depth++;
    for (; n && !found && !p->failed; n = n->kind == WL_MANGLED_LIST ? n->next : NULL) {
        found = find_pack(p, n->a);
        found = found ? found : find_pack(p, n->b);
        found = found ? found : find_pack(p, n->c);
    }
    p->depth--;
    return found;
}

static void expansion(printer *p, const wl_mangled *n)
{
    const meaning outer = p->now;
    const wl_mangled *pack = find_pack(p, n->a);
    int count = 0;
    if (!pack) {
        print(p, n->a);
        text(p, "...");
        return;
    }
    for (const wl_mangled *cell = pack->a; cell && !p->failed; cell = cell->next, count++) {
        if (count > 0)
            text(p, ", ");
        p->now.pack = count;
        print(p, n->a);
    }
    p->now = outer;
}

static void pack_size(printer *p, const wl_mangled *n)
{
    const wl_mangled *pack = argument(p, n->a);
    int count = 0;
    p->failed = p->failed || !pack || pack->kind != WL_MANGLED_PACK;
    for (const wl_mangled *cell = p->failed ? NULL : pack->a; cell; cell = cell->next)
        count++;
    wl_buffer_add(p->out, "%d", count);
}

/* ---- names ---- */

static void template_arguments(printer *p, const wl_mangled *n)
{
    if (last_character(p) == '<')
        text(p, " ");
    text(p, "<");
    list(p, n->b);
    if (last_character(p) == '>')
        text(p, " ");
    text(p, ">");
}

static const wl_mangled *last_part(const wl_mangled *n)
{
    while (n && (n->kind == WL_MANGLED_NESTED || n->kind == WL_MANGLED_TEMPLATE || n->kind == WL_MANGLED_WRAPPED))
        n = n->kind == WL_MANGLED_NESTED ? n->b : n->a;
    return n;
}

static void function_left(printer *p, const wl_mangled *type);
static void function_right(printer *p, const wl_mangled *type);

/* The arguments T_ refers to in the type of a function of that name. */
static const wl_mangled *arguments_of(const wl_mangled *n)
{
    if (n->kind == WL_MANGLED_NESTED && n->a->kind == WL_MANGLED_ENCODING)
        n = n->b;
    return n->kind == WL_MANGLED_TEMPLATE ? n->b : NULL;
}

static void name(printer *p, const wl_mangled *n, wl_ptx_demangled *places);

/* A function; one that encloses a name is printed without its return type. */
static void encoding(printer *p, const wl_mangled *n, bool returns, wl_ptx_demangled *places)
{
    const meaning outer = p->now;
    const scope here = {arguments_of(n->a), outer.scope};
    if (here.arguments)
        p->now = (meaning){&here, -1};
    if (returns)
        function_left(p, n->b);
    if (places)
        places->name = places->base = p->out->length;
    name(p, n->a, places);
    if (places)
        places->end = p->out->length;
    function_right(p, n->b);
    p->now = outer;
}

/* The name, and where its parts start (places may be NULL). */
static void name(printer *p, const wl_mangled *n, wl_ptx_demangled *places)
{
    if (n->kind == WL_MANGLED_TEMPLATE) {
        name(p, n->a, places);
        template_arguments(p, n);
        return;
    }
    if (n->kind != WL_MANGLED_NESTED) {
        print(p, n);
    } else {
        if (n->a->kind == WL_MANGLED_ENCODING)
            encoding(p, n->a, false, NULL);
        else
            print(p, n->a);
        if (n->a->kind != WL_MANGLED_FILE)
            text(p, "::");
        if (places)
            places->base = p->out->length;
        print(p, n->b);
    }
    if (places)
        places->args = p->out->length;
}

/* ---- types ---- */

static bool is_around(const wl_mangled *n)
{
    return n && (n->kind == WL_MANGLED_FUNCTION || n->kind == WL_MANGLED_ARRAY);
}

static bool is_reference(const wl_mangled *n) { return n && n->kind == WL_MANGLED_POINTER && n->text[0] == '&'; }

/* Reference collapsing: && only if both are &&. */
static const wl_mangled *referred(printer *p, const wl_mangled *n, const char **sign)
{
    const wl_mangled *to = meant(p, n->a);
    *sign = n->text;
    while (n->text[0] == '&' && is_reference(to)) {
        if (to->length == 1)
            *sign = "&";
        to = meant(p, to->a);
    }
    return to;
}

static void pointer(printer *p, const wl_mangled *n, bool is_left)
{
    const meaning outer = p->now;
    const char *sign;
    const wl_mangled *to = referred(p, n, &sign);
    if (!is_left && is_around(to))
        text(p, ")");
    side(p, to, is_left);
    if (is_left && is_around(to))
        text(p, to->kind == WL_MANGLED_ARRAY ? " (" : "(");
    if (is_left && to)
        text(p, sign);
    p->now = outer;
}

static void member(printer *p, const wl_mangled *n, bool is_left)
{
    if (!is_left && is_around(n->a))
        text(p, ")");
    side(p, n->a, is_left);
    if (!is_left)
        return;
    text(p, n->a->kind == WL_MANGLED_FUNCTION ? "(" : n->a->kind == WL_MANGLED_ARRAY ? " (" : " ");
    print(p, n->b);
    text(p, "::*");
}

static void function_right(printer *p, const wl_mangled *type)
{
    text(p, "(");
    list(p, type->b);
    text(p, ")");
    put(p, type->text, (size_t)type->length);
    side(p, type->a, false);
}

static void function_left(printer *p, const wl_mangled *type)
{
    if (!type->a)
        return;
    side(p, type->a, true);
    if (!is_around(type->a) && last_character(p) != '(')
        text(p, " ");
}

static void array(printer *p, const wl_mangled *n, bool is_left)
{
    if (!is_left) {
        text(p, last_character(p) == ']' ? "[" : " [");
        print(p, n->b);
        text(p, "]");
    }
    side(p, n->a, is_left);
}

/* Prints "const" once, even if a template argument has it already. */
static void qualified(printer *p, const wl_mangled *n, bool is_left)
{
    const meaning outer = p->now;
    const wl_mangled *of = meant(p, n->a);
    side(p, of, is_left);
    p->now = outer;
    if (is_left && of &&
        (of->kind != WL_MANGLED_QUALIFIED || of->length != n->length ||
         memcmp(of->text, n->text, (size_t)n->length) != 0))
        put(p, n->text, (size_t)n->length);
}

/* ---- values ---- */

static bool is_type(const wl_mangled *type, const char *name_of_it)
{
    return type->kind == WL_MANGLED_NAME && (size_t)type->length == strlen(name_of_it) &&
           memcmp(type->text, name_of_it, (size_t)type->length) == 0;
}

static void value(printer *p, const wl_mangled *n)
{
    const bool negative = n->length > 0 && n->text[0] == 'n';
    text(p, negative ? "-" : "");
    put(p, n->text + negative, (size_t)(n->length - negative));
}

static void literal(printer *p, const wl_mangled *n)
{
    static const struct {
        const char *type, *suffix;
    } plain[] = {{"int", ""},         {"unsigned int", "u"},        {"long", "l"}, {"unsigned long", "ul"},
                 {"long long", "ll"}, {"unsigned long long", "ull"}};
    static const char *const floats[] = {"float", "double", "long double", "__float128"};
    bool is_float = false;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (is_type(n->a, plain[i].type)) {
            value(p, n);
            text(p, plain[i].suffix);
            return;
        }
    if (is_type(n->a, "bool") && n->length == 1 && (n->text[0] == '0' || n->text[0] == '1')) {
        text(p, n->text[0] == '1' ? "true" : "false");
        return;
    }
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        is_float = is_float || is_type(n->a, floats[i]);
    if (n->length == 0) { /* nullptr */
        print(p, n->a);
        return;
    }
    text(p, "(");
    print(p, n->a);
    text(p, is_float ? ")[" : ")");
    value(p, n);
    text(p, is_float ? "]" : "");
}

static void operand(printer *p, const wl_mangled *n)
{
    const bool simple = n->kind == WL_MANGLED_NAME || n->kind == WL_MANGLED_NESTED || n->kind == WL_MANGLED_CLOSED;
    text(p, simple ? "" : "(");
    print(p, n);
    text(p, simple ? "" : ")");
}

/* The address of a function in a scope is its name. */
static void prefix(printer *p, const wl_mangled *n)
{
    const wl_mangled *of = n->a;
    put(p, n->text, (size_t)n->length);
    if (n->text[0] == '&' && of->kind == WL_MANGLED_ENCODING && of->a->kind == WL_MANGLED_NESTED)
        of = of->a;
    operand(p, of);
}

static void binary(printer *p, const wl_mangled *n)
{
    /* it would end the template arguments */
    const bool closes = n->length == 1 && n->text[0] == '>';
    const bool index = n->length == 2 && n->text[0] == '[';
    text(p, closes ? "(" : "");
    operand(p, n->a);
    if (index) {
        text(p, "[");
        print(p, n->b);
        text(p, "]");
    } else {
        put(p, n->text, (size_t)n->length);
        operand(p, n->b);
    }
    text(p, closes ? ")" : "");
}

/* A form: see demangle_internal.h. */
static void form(printer *p, const wl_mangled *n)
{
    for (const char *at = n->text; *at; at++) {
        if (*at != '%') {
            put(p, at, 1);
            continue;
        }
        switch (*++at) {
        case 'a': print(p, n->a); break;
        case 'b': print(p, n->b); break;
        case 'A': operand(p, n->a); break;
        case 'B': operand(p, n->b); break;
        case 'C': operand(p, n->c); break;
        case 'L': list(p, n->b); break;
        default: wl_buffer_add(p->out, "%d", n->number); break;
        }
    }
}

/* ---- all of them ---- */

static void whole(printer *p, const wl_mangled *n)
{
    switch (n->kind) {
    case WL_MANGLED_NAME: put(p, n->text, (size_t)n->length); break;
    case WL_MANGLED_NESTED:
    case WL_MANGLED_TEMPLATE: name(p, n, NULL); break;
    case WL_MANGLED_LIST: list(p, n); break;
    case WL_MANGLED_LITERAL: literal(p, n); break;
    case WL_MANGLED_ENCODING: encoding(p, n, true, NULL); break;
    case WL_MANGLED_PACK:
        if (p->now.pack < 0) {
            list(p, n->a);
            break;
        }
        /* fall through */
    case WL_MANGLED_PARAMETER: parameter(p, n); break;
    case WL_MANGLED_PACK_SIZE: pack_size(p, n); break;
    case WL_MANGLED_EXPANSION: expansion(p, n); break;
    case WL_MANGLED_STRUCTOR:
        put(p, n->text, (size_t)n->length);
        print(p, last_part(n->a));
        break;
    case WL_MANGLED_PREFIX: prefix(p, n); break;
    case WL_MANGLED_BINARY: binary(p, n); break;
    case WL_MANGLED_FORM:
    case WL_MANGLED_WRAPPED:
    case WL_MANGLED_CLOSED: form(p, n); break;
    default: break; /* a file; types have sides */
    }
}

static void side(printer *p, const wl_mangled *n, bool is_left)
{
    if (!n || !step(p))
        return;
    p->depth++;
    switch (n->kind) {
    case WL_MANGLED_QUALIFIED: qualified(p, n, is_left); break;
    case WL_MANGLED_POINTER: pointer(p, n, is_left); break;
    case WL_MANGLED_MEMBER: member(p, n, is_left); break;
    case WL_MANGLED_FUNCTION: (is_left ? function_left : function_right)(p, n); break;
    case WL_MANGLED_ARRAY: array(p, n, is_left); break;
    default:
        if (is_left)
            whole(p, n);
    }
    p->depth--;
}

bool wl_mangled_print(const wl_mangled *node, wl_buffer *out, wl_ptx_demangled *places)
{
    printer p = {.out = out, .now = {NULL, -1}};
    if (node->kind == WL_MANGLED_ENCODING) {
        encoding(&p, node, true, places);
    } else {
        name(&p, node, places);
        places->end = out->length;
    }
    return !p.failed;
}
