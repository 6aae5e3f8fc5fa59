/* read_module.h - from a PTX text to a module. Layer  ptx/read (uses base, ptx/module). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_READ_MODULE_H
#define WL_PTX_READ_READ_MODULE_H

#include "ptx/module/module.h"

/* Reads a PTX text. WL_E_INPUT: malformed, with line and column; instructions and directives nobody knows are notes. */
wl_status wl_ptx_module_parse(const char *input, const char *text, size_t length, wl_ptx_module **out, wl_error *err);
void wl_ptx_module_free(wl_ptx_module *module);

#endif /* WL_PTX_READ_READ_MODULE_H */
