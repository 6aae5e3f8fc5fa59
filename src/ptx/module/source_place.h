/* source_place.h - the place of an instruction for messages: a line of the source (.loc) if the
 * module was compiled from one, since its PTX is not kept; else a line of the PTX.
 * Layer  ptx/module (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_SOURCE_PLACE_H
#define WL_PTX_MODULE_SOURCE_PLACE_H

#include "ptx/module/module.h"

/* Names the place in an error that has none yet. Returns err->code. */
wl_status wl_ptx_fail_at(wl_error *err, const wl_ptx_module *module, const wl_ptx_instruction *in);

/* "k.cu:12" */
void wl_ptx_place_text(const wl_ptx_module *module, const wl_ptx_instruction *in, char *text, size_t size);

/* The part of a path after its last slash. */
const char *wl_ptx_last_part(const char *path);

#endif /* WL_PTX_MODULE_SOURCE_PLACE_H */
