/* ptx_modules.h - the PTX of a file: of a .ptx file, of CUDA after compilation, or what an
 * executable, object, library, fatbin or cubin holds for a device.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PTX_MODULES_H
#define WL_CLI_PTX_MODULES_H

#include "compile.h"
#include "options.h"

#define PTX_NAME_LENGTH (WL_INPUT_NAME_MAX + 32)

typedef struct ptx_module {
    char name[PTX_NAME_LENGTH]; /* in messages */
    char *text;
    size_t length;
    size_t number; /* in the list of the file's device code, from 1; 0: it has none */
} ptx_module;

typedef struct ptx_modules {
    ptx_module *at;
    const wl_ptx **ptx; /* parsed, one for each */
    size_t count;
    bool is_binary;
} ptx_modules;

/* Is it a file with device code in it, by its first bytes? */
bool binary_is(const char *path);
/* Its device code; the bytes are to be closed after it. */
typedef struct binary_file {
    wl_binary *binary;
    const void *bytes;
    size_t length;
} binary_file;
wl_status binary_open(const char *path, binary_file *out, wl_error *err);
void binary_close(binary_file *file);

/* The PTX for an architecture ("sm_90"; a device runs all variants of its own), or the one that
 * --module names; "": the latest. What was read is in `out` even after an error, for messages. */
wl_status ptx_modules_of_binary(const options *options, const char *path, const char *arch, bool of_device,
                                ptx_modules *out, wl_error *err);
/* A text that is read already; it belongs to `out` from then on. */
wl_status ptx_modules_add(ptx_modules *out, const char *name, char *text, size_t length, size_t number, wl_error *err);
void ptx_modules_free(ptx_modules *modules);

#endif /* WL_CLI_PTX_MODULES_H */
