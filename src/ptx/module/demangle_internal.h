/* demangle_internal.h - a mangled name as a tree. Layer  ptx/module.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_DEMANGLE_INTERNAL_H
#define WL_PTX_MODULE_DEMANGLE_INTERNAL_H

#include <stdbool.h>

#include "base/buffer.h"
#include "ptx/module/demangle.h"

typedef enum wl_mangled_kind {
    WL_MANGLED_NAME,       /* text */
    WL_MANGLED_FILE,       /* what nvcc calls a file: not printed */
    WL_MANGLED_NESTED,     /* a::b */
    WL_MANGLED_TEMPLATE,   /* a<list b> */
    WL_MANGLED_LIST,       /* an element a; next: the rest */
    WL_MANGLED_QUALIFIED,  /* a, then text: " const" */
    WL_MANGLED_POINTER,    /* a, then text: * & && */
    WL_MANGLED_MEMBER,     /* a pointer to a member of class b, of type a */
    WL_MANGLED_FUNCTION,   /* returns a (may be NULL), takes the list b; text: qualifiers */
    WL_MANGLED_ARRAY,      /* of a; b: the extent, may be NULL */
    WL_MANGLED_VECTOR,     /* a __vector(b) */
    WL_MANGLED_LITERAL,    /* text, of type a */
    WL_MANGLED_ENCODING,   /* a function: its name a, type b (WL_MANGLED_FUNCTION) */
    WL_MANGLED_LAMBDA,     /* takes the list a; number */
    WL_MANGLED_UNNAMED,    /* an unnamed type, or text: {text#number} */
    WL_MANGLED_PARAMETER,  /* the argument of that number of the function template around it */
    WL_MANGLED_PACK,       /* the list a */
    WL_MANGLED_PACK_SIZE,  /* of the pack a */
    WL_MANGLED_EXPANSION,  /* a for each element of the packs in it */
    WL_MANGLED_STRUCTOR,   /* a constructor, or with text "~" a destructor, of class a */
    WL_MANGLED_CONVERSION, /* operator a */
    WL_MANGLED_PREFIX,     /* text, then a as an operand */
    WL_MANGLED_BINARY,     /* a text b, operands both */
    WL_MANGLED_CALL,       /* a(list b) */
    WL_MANGLED_CAST,       /* (a)b, b an operand or a list */
    WL_MANGLED_WRAPPED,    /* text, a, ")": sizeof (..), decltype (..) */
    WL_MANGLED_SELECTION,  /* a?b:c, operands all */
    WL_MANGLED_BRACED      /* a{list b} */
} wl_mangled_kind;

typedef struct wl_mangled wl_mangled;
struct wl_mangled {
    wl_mangled_kind kind;
    int length; /* of the text */
    const char *text;
    int number;
    const wl_mangled *a, *b, *c;
    wl_mangled *next; /* of a list */
};

typedef struct wl_mangled_reader {
    const char *at, *end;
    wl_arena *arena;
    const wl_mangled **substitutions;
    int substitution_count, substitution_room;
    int lambdas; /* inside the parameters of so many: T_ is their auto */
    int depth, nodes;
    bool failed; /* out of memory */
} wl_mangled_reader;

/* What the name of a function tells about it. */
typedef struct wl_mangled_name {
    bool is_template, is_structor; /* with return type; without */
    const char *qualifiers;        /* " const" */
} wl_mangled_name;

/* Readers return NULL if the text is of another kind, or memory ran out. */
const wl_mangled *wl_mangled_new(wl_mangled_reader *r, wl_mangled node);
bool wl_mangled_take(wl_mangled_reader *r, const char *text);
bool wl_mangled_number(wl_mangled_reader *r, int *number);
bool wl_mangled_enter(wl_mangled_reader *r); /* false: too deep */
bool wl_mangled_append(wl_mangled_reader *r, wl_mangled **first, wl_mangled **last, const wl_mangled *element);
void wl_mangled_remember(wl_mangled_reader *r, const wl_mangled *node);
const char *wl_mangled_qualifiers(wl_mangled_reader *r);
const char *wl_mangled_operator(wl_mangled_reader *r, bool *binary);

const wl_mangled *wl_mangled_encoding(wl_mangled_reader *r);
const wl_mangled *wl_mangled_read_name(wl_mangled_reader *r, wl_mangled_name *about);
const wl_mangled *wl_mangled_source_name(wl_mangled_reader *r);
const wl_mangled *wl_mangled_unqualified(wl_mangled_reader *r, const wl_mangled *scope, wl_mangled_name *about);
const wl_mangled *wl_mangled_template_arguments(wl_mangled_reader *r, const wl_mangled *of);
const wl_mangled *wl_mangled_substitution(wl_mangled_reader *r);
const wl_mangled *wl_mangled_parameter(wl_mangled_reader *r);
const wl_mangled *wl_mangled_type(wl_mangled_reader *r);
/* Types up to E or the end; one void is none. False: malformed. */
bool wl_mangled_types(wl_mangled_reader *r, const wl_mangled **list);
const wl_mangled *wl_mangled_expression(wl_mangled_reader *r);
const wl_mangled *wl_mangled_literal(wl_mangled_reader *r);

/* Prints a tree; false: too long. The places are set for the name of an encoding. */
bool wl_mangled_print(const wl_mangled *node, wl_buffer *out, wl_ptx_demangled *places);

#endif /* WL_PTX_MODULE_DEMANGLE_INTERNAL_H */
