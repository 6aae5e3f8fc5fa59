/* source_params.h - the names of a kernel's parameters, which PTX does not keep, from the CUDA
 * source.
 * Layer  ptx/module (uses base). Oracle: tests/unit/test_ptx_given.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_SOURCE_PARAMS_H
#define WL_PTX_MODULE_SOURCE_PARAMS_H

#include "ptx/module/module.h"

/* One name for each parameter of the entry; *names is NULL if the module has no source. The text is
 * not preprocessed: WL_E_INPUT, with the reason, if macros generate the declaration, or if several
 * declarations disagree. */
wl_status wl_ptx_source_params(const wl_ptx_module *module, const wl_ptx_function *entry, wl_arena *arena,
                               const char ***names, wl_error *err);

#endif /* WL_PTX_MODULE_SOURCE_PARAMS_H */
