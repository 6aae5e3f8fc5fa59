/* read_module.h - parses a PTX text into a module.
 * Layer  ptx/read (uses base, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_READ_MODULE_H
#define WL_PTX_READ_READ_MODULE_H

#include "ptx/module/module.h"

/* WL_E_INPUT: malformed text, with line and column. Unknown instructions and directives are
 * notes. */
wl_status wl_ptx_module_parse(const char *input, const char *text, size_t length, wl_ptx_module **out, wl_error *err);
void wl_ptx_module_free(wl_ptx_module *module);

#endif /* WL_PTX_READ_READ_MODULE_H */
