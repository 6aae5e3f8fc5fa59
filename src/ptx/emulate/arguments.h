/* arguments.h - what a kernel is called with: numbers, and buffers with or without contents.
 *
 * Every buffer lies at an address of its own, far from the others and aligned to 2 MiB; contents that are generated or
 * unknown take no memory. Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_ARGUMENTS_H
#define WL_PTX_EMULATE_ARGUMENTS_H

#include "ptx/module/module.h"

/* Generic addresses of spaces that are not global, and of functions: beyond all buffers. */
#define WL_PTX_WINDOW_BYTES ((uint64_t)1 << 58)
#define WL_PTX_SHARED_WINDOW (1 * WL_PTX_WINDOW_BYTES)
#define WL_PTX_LOCAL_WINDOW (2 * WL_PTX_WINDOW_BYTES)
#define WL_PTX_PARAM_WINDOW (3 * WL_PTX_WINDOW_BYTES)
#define WL_PTX_FUNCTION_WINDOW (4 * WL_PTX_WINDOW_BYTES) /* the address of function f: this + 16 f */

typedef enum wl_ptx_content {
    WL_PTX_UNTOUCHED, /* unknown */
    WL_PTX_BYTES,     /* of a file */
    WL_PTX_REPEATED,  /* of a file, over and over */
    WL_PTX_RANDOM,    /* evenly spread over low .. high, the same for the same element */
    WL_PTX_IOTA,      /* low, low + 1, .. */
    WL_PTX_CONSTANT   /* low */
} wl_ptx_content;

typedef struct wl_ptx_buffer {
    char name[32]; /* "arg 0", a module's variable */
    uint64_t base; /* its address; the kernel gets base + offset */
    int64_t bytes, offset;
    wl_ptx_content content;
    wl_ptx_type type;  /* of generated elements */
    int64_t low, high; /* inclusive, of floats as the bits of doubles; of a constant: its bits */
    const uint8_t *data;
    size_t data_bytes;
    int argument; /* -1: a variable of the module */
} wl_ptx_buffer;

typedef struct wl_ptx_arguments {
    wl_ptx_buffer *buffers; /* sorted by base */
    int buffer_count;
    uint8_t *params; /* the parameter space of the entry, as ld.param sees it */
    int64_t param_bytes;
    int64_t *param_offset;      /* of each parameter */
    uint64_t *variable_address; /* of the module's variables: global, const: addresses; shared, local: offsets in their
                                   space, by the variable's number */
    int64_t shared_bytes;       /* static, of the entry and what it calls */
    int64_t local_bytes;
} wl_ptx_arguments;

/* What somebody calls the entry with, as written. */
typedef struct wl_ptx_given {
    const char *const *args; /* "buf:BYTES[:OFFSET][=CONTENTS]" or a number, one for each parameter */
    size_t arg_count;
    int64_t dynamic_shared; /* bytes */
    /* Gives the bytes of a file that an argument names. NULL: arguments may not name files. */
    wl_status (*load)(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err);
    void *user;
} wl_ptx_given;

/* Reads what was given against what the entry declares: number, type and range are checked. Also lays out the module's
 * variables. WL_E_INPUT names the argument. */
wl_status wl_ptx_arguments_make(const wl_ptx_module *module, const wl_ptx_function *entry, const wl_ptx_given *given,
                                wl_arena *arena, wl_ptx_arguments *out, wl_error *err);

/* The buffer an address lies in; NULL: none. */
const wl_ptx_buffer *wl_ptx_buffer_at(const wl_ptx_arguments *arguments, uint64_t address);

/* Reads `bytes` (1 to 16) bytes at an offset inside the buffer; false when its contents are unknown. */
bool wl_ptx_buffer_read(const wl_ptx_buffer *buffer, int64_t at, int bytes, uint8_t *out);

#endif /* WL_PTX_EMULATE_ARGUMENTS_H */
