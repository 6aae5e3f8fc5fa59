/* binary_file.h - what reports say about a file with device code.
 * Layer  binary. SPDX-License-Identifier: MIT */
#ifndef WL_BINARY_BINARY_FILE_H
#define WL_BINARY_BINARY_FILE_H

#include "warpline/binary.h"

const char *wl_binary_what(const wl_binary *binary); /* "executable", "cubin", .. */
/* How many kernels a piece of PTX or SASS has; it is unpacked for that. WL_E_UNSUPPORTED: it is
 * neither. */
wl_status wl_binary_kernel_count(const wl_binary *binary, size_t code, size_t *count, wl_error *err);

#endif /* WL_BINARY_BINARY_FILE_H */
