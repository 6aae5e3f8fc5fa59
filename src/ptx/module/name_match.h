/* name_match.h - how well a name that a user writes, or a profiler prints, fits a symbol.
 *
 * Blanks, the order of "float const*", casts and suffixes of template values ("(int)32", "32u") and
 * the spelling of unnamed namespaces make no difference.
 * Layer  ptx/module (uses base). Oracle: tests/unit/test_demangle.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_NAME_MATCH_H
#define WL_PTX_MODULE_NAME_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "ptx/module/demangle.h"

/* From the closest match to the loosest; of several names, the closest match is meant. */
typedef enum wl_ptx_fit {
    WL_PTX_FIT_SYMBOL,    /* the symbol itself */
    WL_PTX_FIT_SIGNATURE, /* ns::axpy<float>(float*), with or without "void" */
    WL_PTX_FIT_NAME,      /* ns::axpy<float> */
    WL_PTX_FIT_BASE,      /* axpy<float> */
    WL_PTX_FIT_TEMPLATE,  /* ns::axpy */
    WL_PTX_FIT_PLAIN,     /* axpy */
    WL_PTX_FIT_PATTERN,   /* *axpy*: of the symbol, the name or the signature */
    WL_PTX_FIT_PART,      /* any part of those */
    WL_PTX_FIT_NONE
} wl_ptx_fit;

/* The wanted name in the form that is compared; NULL: out of memory. */
const char *wl_ptx_wanted_name(const char *wanted, wl_arena *arena);

/* Where the parameters of a printed name begin: "void ns::axpy<f(int)>" of "void
 * ns::axpy<f(int)>(float *)"; its length where it has none. */
size_t wl_ptx_printed_end(const char *printed);
/* Does it have placeholders for template arguments, as ncu prints them: "void axpy<float>(T1 *,
 * int)"? */
bool wl_ptx_printed_generic(const char *printed);

/* `compared` is that form of `wanted`. *failed is set when memory runs out. */
wl_ptx_fit wl_ptx_name_fit(const char *symbol, const wl_ptx_demangled *name, const char *wanted, const char *compared,
                           bool *failed);

#endif /* WL_PTX_MODULE_NAME_MATCH_H */
