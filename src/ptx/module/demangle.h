/* demangle.h - names as they stand in the source: _Z4axpyIfLi4EEvPT_ is void axpy<float,
 * 4>(float*).
 *
 * Reads names mangled by nvcc, clang and gcc under the Itanium C++ ABI: nested and local names,
 * templates with types, values and packs, substitutions, function and member pointers, lambdas,
 * expressions in template arguments. The spelling is that of c++filt, except that nvcc's name for a
 * file (_INTERNAL_..) is left out.
 * Layer  ptx/module (uses base). Oracle: tests/unit/test_demangle.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_DEMANGLE_H
#define WL_PTX_MODULE_DEMANGLE_H

#include "base/arena.h"

/* "void ns::axpy<float>(float*)": places in the text of the parts that a user may name. */
typedef struct wl_ptx_demangled {
    const char *text; /* all of it; the symbol itself if it is not mangled or not understood */
    size_t name;      /* ns::axpy<float>(float*) */
    size_t base;      /* axpy<float>(float*) */
    size_t args;      /* <float>(float*) */
    size_t end;       /* (float*); the length of the text where there are no parameters */
} wl_ptx_demangled;

/* The text is in the arena; NULL: out of memory. Time and length are bounded for any symbol. */
wl_ptx_demangled wl_ptx_demangle(const char *symbol, wl_arena *arena);

#endif /* WL_PTX_MODULE_DEMANGLE_H */
