/* arguments_text.h - one argument as it was written. Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_ARGUMENTS_TEXT_H
#define WL_PTX_EMULATE_ARGUMENTS_TEXT_H

#include "ptx/emulate/arguments.h"

/* "buf:BYTES[:OFFSET][=CONTENTS]" into everything of a buffer but name, base and argument. Files come from
 * given->load. */
wl_status wl_ptx_buffer_text(const char *text, const wl_ptx_given *given, wl_ptx_buffer *out, wl_error *err);

/* A number into the parameter's bytes; its type decides what it may be. */
wl_status wl_ptx_number_text(const char *text, wl_ptx_type type, uint8_t *out, wl_error *err);

/* "bytes:HEXDIGITS", as many as the parameter has. */
wl_status wl_ptx_bytes_text(const char *text, int64_t bytes, uint8_t *out, wl_error *err);

#endif /* WL_PTX_EMULATE_ARGUMENTS_TEXT_H */
