/* arguments.h - the arguments of a launch: numbers, and buffers with or without contents.
 *
 * Every buffer has a distinct address, far from the others and aligned to 2 MiB. Contents that are
 * generated or unknown take no memory.
 * Layer  ptx/emulate (uses base, ptx/module). Oracle: tests/unit/test_ptx_arguments.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_ARGUMENTS_H
#define WL_PTX_EMULATE_ARGUMENTS_H

#include "ptx/emulate/texture.h"
#include "warpline/ptx.h"

/* Generic addresses of the other state spaces and of functions, beyond all buffers. */
#define WL_PTX_WINDOW_BYTES ((uint64_t)1 << 58)
#define WL_PTX_SHARED_WINDOW (1 * WL_PTX_WINDOW_BYTES)
#define WL_PTX_LOCAL_WINDOW (2 * WL_PTX_WINDOW_BYTES)
#define WL_PTX_PARAM_WINDOW (3 * WL_PTX_WINDOW_BYTES)
/* function f has the address: this + 16 f */
#define WL_PTX_FUNCTION_WINDOW (4 * WL_PTX_WINDOW_BYTES)

typedef enum wl_ptx_content {
    WL_PTX_UNTOUCHED, /* contents unknown */
    WL_PTX_BYTES,     /* contents of a file */
    WL_PTX_REPEATED,  /* contents of a file, repeated */
    WL_PTX_RANDOM,    /* uniform in low .. high; the same element always has the same value */
    WL_PTX_IOTA,      /* low, low + step, .. */
    WL_PTX_CONSTANT   /* low */
} wl_ptx_content;

typedef struct wl_ptx_buffer {
    /* a parameter, as the source calls it or "arg 0"; "p.1" of a struct; or a module variable */
    char name[32];
    uint64_t base; /* start address; the kernel gets base + offset */
    int64_t bytes, offset;
    wl_ptx_content content;
    wl_ptx_type type;  /* of generated elements */
    int64_t low, high; /* inclusive; floats as the bits of doubles; of a constant: its bits */
    int64_t step;      /* of iota; likewise */
    const uint8_t *data;
    size_t data_bytes;
    uint8_t *own; /* of a program's memory: its bytes, to be written in place */
    int argument; /* -1: a module variable */
    /* NULL: plain memory. The kernel gets `base` as the handle; of a program's memory, that of an
     * object */
    const wl_ptx_texture *texture;
} wl_ptx_buffer;

/* A texture or surface object of a program: a view of its memory. */
typedef struct wl_ptx_view {
    uint64_t handle;
    wl_ptx_buffer buffer;
} wl_ptx_view;

typedef struct wl_ptx_arguments {
    wl_ptx_buffer *buffers; /* sorted by base */
    int buffer_count;
    wl_ptx_view *views;
    int view_count;
    bool has_textures;
    uint8_t *params; /* parameter space of the entry, as ld.param reads it */
    int64_t param_bytes;
    int64_t *param_offset; /* of each parameter */
    /* by variable: address of global and const ones, offset in their space of shared and local
     * ones */
    uint64_t *variable_address;
    int64_t shared_bytes; /* static, of the entry and its callees */
    int64_t local_bytes;
    int32_t *zeros; /* variables in constant memory that are read and for which zeros are assumed */
    int zero_count;
} wl_ptx_arguments;

/* The arguments as a user writes them. */
typedef struct wl_ptx_given {
    /* one for each parameter: "VALUE" in order, then "NAME=VALUE" for the others. VALUE: a number,
     * "buf:BYTES[:OFFSET][=CONTENTS]", "tex:..", "surf:..", "bytes:HEX", "{VALUE, ..}" */
    const char *const *args;
    /* "NAME=CONTENTS" or "NAME=VALUE" of module variables */
    const char *const *constants;
    size_t arg_count, constant_count;
    int64_t dynamic_shared;    /* bytes */
    const wl_ptx_image *image; /* instead of args and constants; NULL: those */
    /* Loads a file that an argument names. NULL: arguments may not name files. */
    wl_status (*load)(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err);
    void *user;
} wl_ptx_given;

/* Checks the arguments against the parameters of the entry (number, type, range) and lays out
 * the module's variables. WL_E_INPUT names the argument. */
wl_status wl_ptx_arguments_make(const wl_ptx_module *module, const wl_ptx_function *entry, const wl_ptx_given *given,
                                wl_arena *arena, wl_ptx_arguments *out, wl_error *err);

/* The buffer that contains an address; NULL: none. */
const wl_ptx_buffer *wl_ptx_buffer_at(const wl_ptx_arguments *arguments, uint64_t address);

/* The same, or the nearest one that is less than so many bytes away. */
const wl_ptx_buffer *wl_ptx_buffer_within(const wl_ptx_arguments *arguments, uint64_t address, uint64_t bytes);

/* Reads 1 to 16 bytes at an offset inside the buffer, of a texture those of one texel; false: the
 * contents are unknown. */
bool wl_ptx_buffer_read(const wl_ptx_buffer *buffer, int64_t at, int bytes, uint8_t *out);
/* The same for the lanes of a mask, each at its address and `offset`, where whole elements of
 * generated contents are read; false: they are not, and some values may have been set. */
bool wl_ptx_buffer_generate(const wl_ptx_buffer *buffer, const uint64_t *address, uint32_t lanes, int64_t offset,
                            int bytes, uint64_t *value);

#endif /* WL_PTX_EMULATE_ARGUMENTS_H */
