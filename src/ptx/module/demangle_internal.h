/* demangle_internal.h - a mangled name as a tree. Layer  ptx/module.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_DEMANGLE_INTERNAL_H
#define WL_PTX_MODULE_DEMANGLE_INTERNAL_H

#include <stdbool.h>

#include "base/buffer.h"
#include "ptx/module/demangle.h"

typedef enum wl_mangled_kind {
    WL_MANGLED_NAME,      /* text */
    WL_MANGLED_FILE,      /* what nvcc calls a file: not printed */
    WL_MANGLED_NESTED,    /* a::b */
    WL_MANGLED_TEMPLATE,  /* a<list b> */
    WL_MANGLED_LIST,      /* an element a; next: the rest */
    WL_MANGLED_QUALIFIED, /* a, then text: " const" */
    WL_MANGLED_POINTER,   /* a, then text: * & && */
    WL_MANGLED_MEMBER,    /* a pointer to a member of class b, of type a */
    WL_MANGLED_FUNCTION,  /* returns a (may be NULL), takes the list b; text: qualifiers */
    WL_MANGLED_ARRAY,     /* of a; b: the extent, may be NULL */
    WL_MANGLED_LITERAL,   /* text, of type a */
    WL_MANGLED_ENCODING,  /* a function: its name a, type b (WL_MANGLED_FUNCTION) */
    WL_MANGLED_PARAMETER, /* the argument of that number of the function template around it */
    WL_MANGLED_PACK,      /* the list a */
    WL_MANGLED_PACK_SIZE, /* of the pack a */
    WL_MANGLED_EXPANSION, /* a for each element of the packs in it */
    WL_MANGLED_STRUCTOR,  /* a constructor, or with text "~" a destructor, of class a */
    WL_MANGLED_PREFIX,    /* text, then a as an operand */
    WL_MANGLED_BINARY,    /* a text b, operands both */
    /* The text is a form: %a and %b stand for these parts, %A %B %C for parts as operands, %L for
     * the list b, %n for the number. */
    WL_MANGLED_FORM,
    WL_MANGLED_WRAPPED, /* a form around a name or expression a: sizeof (%a) */
    WL_MANGLED_CLOSED   /* a form that is an operand without parentheses: {parm#%n} */
} wl_mangled_kind;

typedef struct wl_mangled wl_mangled;
struct wl_mangled {
    wl_mangled_kind kind;
    int length; /* of the text */
    const char *text;
    int number;
    const wl_mangled *a, *b, *c;
    const wl_mangled *next; /* of a list */
};

/* Prints a tree; false: too long. The places are set for the name of an encoding. */
bool wl_mangled_print(const wl_mangled *node, wl_buffer *out, wl_ptx_demangled *places);

#endif /* WL_PTX_MODULE_DEMANGLE_INTERNAL_H */
