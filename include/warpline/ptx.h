/* ptx.h - kernels from PTX, as nvcc and clang emit it.
 *
 * A kernel is read for one launch: addresses are recovered as expressions, what depends on data is
 * emulated.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_H
#define WL_PTX_H

#include "warpline/kernel.h"
#include "warpline/launch.h"

typedef struct wl_ptx wl_ptx;
/* WL_E_INPUT: malformed. Unknown instructions are no error: see coverage. */
WL_FALLIBLE wl_ptx_parse(const char *input, const char *text, size_t length, wl_ptx **out, wl_error *err);
WL_API void wl_ptx_free(wl_ptx *ptx);
WL_API const char *wl_ptx_own_text(const wl_ptx *ptx); /* its copy of the text */
/* The CUDA text it was compiled from, before kernels are made; borrowed. Messages then name its
 * lines (.loc) instead of those of the PTX, and arguments its parameters. */
WL_API void wl_ptx_set_source(wl_ptx *ptx, const char *name, const char *text, size_t length);
/* What ptxas has made of it, a cubin with line information (-lineinfo), before kernels are made:
 * instructions are then counted by machine code. The bytes are copied; a second call changes
 * nothing. WL_E_INPUT: no cubin, or
 * damaged; WL_E_UNSUPPORTED: of an architecture that is not read. */
WL_FALLIBLE wl_ptx_set_machine_code(wl_ptx *ptx, const void *cubin, size_t length, wl_error *err);
WL_API size_t wl_ptx_entry_count(const wl_ptx *ptx);
WL_API const char *wl_ptx_entry_name(const wl_ptx *ptx, size_t entry);   /* as in the source */
WL_API const char *wl_ptx_entry_symbol(const wl_ptx *ptx, size_t entry); /* as in the file */
/* The entry a user means: its name, as in the source (with or without namespaces, template
 * arguments and parameters) or as in the file, a pattern of * and ?, or a part no other has; NULL:
 * the only one. WL_E_INPUT lists what there is. */
WL_FALLIBLE wl_ptx_entry_find(const wl_ptx *ptx, const char *name, size_t *entry, wl_error *err);
/* The same over several files, as the PTX in an executable: *file is the first that has it, and
 * others that have it, too, do not matter. printed: the name that a profiler gives it, "void
 * axpy<float, (int)4>(float *)": no patterns, no parts. */
WL_FALLIBLE wl_ptx_entry_find_in(const wl_ptx *const *files, size_t count, const char *name, bool printed, size_t *file,
                                 size_t *entry, wl_error *err);
/* Gives the bytes of a file an argument names; they stay valid until the kernel is freed. */
typedef wl_status (*wl_ptx_load)(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err);

/* Dynamic shared memory of a launch, in bytes. Also called later, from any thread, for other
 * launches that the kernel is predicted at. */
typedef wl_status (*wl_ptx_shared)(void *user, const wl_launch *launch, int64_t *bytes, wl_error *err);

/* Memory of a program, at its own address. Contents: `bytes` of them; NULL: not known. */
typedef struct wl_ptx_memory {
    uint64_t address;
    int64_t bytes;
    uint8_t *contents;
} wl_ptx_memory;

/* A __constant__ or __device__ variable: its memory is among that of the image. */
typedef struct wl_ptx_symbol {
    const char *name; /* as in the file */
    uint64_t address;
} wl_ptx_symbol;

/* A texture or surface object of a program over its memory: `text` as an argument describes it. */
typedef struct wl_ptx_texture_object {
    uint64_t handle, address;
    const char *text;
} wl_ptx_texture_object;

/* A launch as a program made it: parameters byte by byte, and the memory that it can reach. */
typedef struct wl_ptx_image {
    const uint8_t *params;
    size_t param_bytes;
    const wl_ptx_memory *memory; /* sorted by address, apart from each other */
    size_t memory_count;
    const wl_ptx_symbol *symbols;
    size_t symbol_count;
    const wl_ptx_texture_object *objects;
    size_t object_count;
} wl_ptx_image;

typedef struct wl_ptx_options {
    const char *entry; /* see wl_ptx_entry_find */
    /* instead of args and constants, and borrowed until the kernel is freed; NULL: those */
    const wl_ptx_image *image;
    /* one for each parameter, in order or as "NAME=VALUE": docs/manual.md has the forms */
    const char *const *args;
    /* "NAME=CONTENTS" or "NAME=VALUE" of __constant__ and __device__ variables */
    const char *const *constants;
    size_t arg_count, constant_count;
    /* block, grid, registers and all shared memory; grid 0: from the domain */
    wl_launch launch;
    int64_t domain[3];      /* threads that are needed, where the grid is not given; 0: not given */
    int64_t cluster[3];     /* blocks of a cluster; 0: as the kernel says, else 1 */
    int64_t dynamic_shared; /* bytes, unless shared_of gives them */
    int64_t budget;         /* warp instructions to emulate in one block; 0: the default */
    /* seconds to emulate one launch, approximately; if that is too short, blocks are sampled; 0:
     * the default, 1 */
    double effort;
    /* accesses outside of all buffers go nowhere, wl_predict finds them; else WL_E_BOUNDS */
    bool outside;
    wl_ptx_load load; /* NULL: arguments may not name files */
    void *user;
    wl_ptx_shared shared_of; /* NULL: dynamic_shared, for every launch */
    void *shared_user;
} wl_ptx_options;

/* The kernel borrows `ptx`, which must outlive it. WL_E_INPUT: no such entry, arguments that do not
 * fit, an address outside a supplied buffer; WL_E_LIMIT: a loop that does not end within the
 * budget. An error at a place in an argument or constant has its text as the input. */
WL_FALLIBLE wl_kernel_from_ptx(const wl_ptx *ptx, const wl_ptx_options *options, wl_kernel **out, wl_error *err);

#endif /* WL_PTX_H */
