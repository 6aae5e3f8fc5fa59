/* source_params.h - the parameters of a kernel as its author wrote them: names, which PTX does not
 * keep, and types, from the CUDA source; without it, the types that the mangled name tells.
 * Layer  ptx/module (uses base, cuda). Oracle: tests/unit/test_ptx_given.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_SOURCE_PARAMS_H
#define WL_PTX_MODULE_SOURCE_PARAMS_H

#include "ptx/module/module.h"

typedef struct wl_ptx_source_param {
    const char *name; /* NULL: not known */
    const char *type; /* "const double *" */
} wl_ptx_source_param;

/* One for each parameter of the entry; *params is NULL if the module has no source. The text is
 * not preprocessed: WL_E_INPUT, with the reason, if macros generate the declaration, or if several
 * declarations disagree. */
wl_status wl_ptx_source_params(const wl_ptx_module *module, const wl_ptx_function *entry, wl_arena *arena,
                               const wl_ptx_source_param **params, wl_error *err);

/* The types that the demangled name gives, without names; *params is NULL if it gives none: the
 * entry is extern "C". */
wl_status wl_ptx_mangled_params(const wl_ptx_function *entry, wl_arena *arena, const wl_ptx_source_param **params,
                                wl_error *err);

#endif /* WL_PTX_MODULE_SOURCE_PARAMS_H */
