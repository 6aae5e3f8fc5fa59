/* ptx_source.h - what stands behind a kernel made from PTX: its launch, an emulator, and what that found out.
 *
 * Layer  ptx (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_PTX_SOURCE_H
#define WL_PTX_KERNEL_PTX_SOURCE_H

#include "kernel/kernel_internal.h"
#include "ptx/kernel/address_pattern.h"
#include "ptx/kernel/ptx_file.h"
#include "ptx/kernel/write_kernel.h"

/* A traced access: an instruction and the memory it touches. */
typedef struct wl_ptx_traced {
    int32_t function, instruction;
    const wl_ptx_buffer *buffer; /* NULL: shared */
    bool store, atomic;
    int bytes;
    int32_t next; /* of the same instruction, -1: none */
    wl_ptx_address_pattern pattern;
    bool varies; /* the lanes of a warp have different addresses */
} wl_ptx_traced;

struct wl_ptx_cache; /* of traces */

typedef struct wl_ptx_source {
    wl_arena arena; /* the launch's; what the symbols need is their own */
    const wl_ptx *ptx;
    wl_ptx_options options; /* texts copied */
    int64_t domain[3];      /* the kernel's; 0: it has no such dimension */
    wl_ptx_launch launch;
    wl_ptx_arguments arguments;
    wl_ptx_recovery recovery;
    wl_ptx_emulator *emulator;
    wl_ptx_profile profile;     /* scratch; first[] also numbers instructions of all functions */
    const double **weights;     /* by function */
    const int32_t **counted_as; /* by function: see cost.h */
    /* traced accesses */
    bool *is_traced;       /* by number of instruction, all functions */
    int32_t *first_traced; /* by number of instruction; -1: none */
    wl_ptx_traced *traced;
    size_t traced_count, traced_room;
    size_t access_base;  /* the kernel's number of the first */
    int64_t affordable;  /* blocks */
    double shared_lanes; /* of traced accesses to shared memory, in the blocks that were looked at */
    bool found_all;      /* no further ones are added */
    bool missed;         /* one was met later */
    struct wl_ptx_cache *cache;
    /* counts, once they are known */
    int64_t counted_block[3], counted_grid[3]; /* 0: not yet */
    wl_mix mix;
    wl_line_mix *lines;
    size_t line_count;
} wl_ptx_source;

void wl_ptx_source_free(void *source);

/* Options that outlive the call, and the launch they ask for. WL_E_INPUT: not one that the entry can have. */
wl_status wl_ptx_copy_options(const wl_ptx_options *from, wl_arena *arena, wl_ptx_options *to, wl_error *err);
wl_status wl_ptx_set_launch(wl_ptx_source *source, wl_error *err);

/* Notes of a kernel that is complete; wrong: the instruction where emulated warps differ, -1: none. */
wl_status wl_ptx_add_notes(wl_ptx_source *source, int32_t wrong, wl_kernel *kernel, wl_error *err);
/* A text of the PTX file on one line, of characters that any output may have. */
void wl_ptx_make_line(char *text);

/* Runs a few blocks to see which instructions touch which buffers. */
wl_status wl_ptx_find_traced(wl_ptx_source *source, wl_error *err);

/* The functions of wl_source; context is a wl_ptx_source. */
wl_status wl_ptx_trace_block(void *context, const int64_t block[3], const wl_block_trace **out, wl_error *err);
wl_status wl_ptx_count(void *context, const int64_t block[3], const int64_t grid[3], wl_mix *out,
                       const wl_line_mix **lines, size_t *line_count, wl_error *err);
/* May threads of the entry, or what it calls, have memory of their own? Then the kernel gets wl_ptx_visit_local. */
bool wl_ptx_has_local(const wl_ptx_launch *launch);
wl_status wl_ptx_visit_local(void *context, const int64_t block[3], const int64_t grid[3], wl_local_visit visit,
                             void *user, int64_t *blocks, wl_error *err);
void wl_ptx_cache_free(struct wl_ptx_cache *cache);

/* Compares what was recovered with what some warps do. *agrees is false at the first difference, *where its
 * instruction. */
wl_status wl_ptx_verify(const wl_ptx_source *source, bool *agrees, int32_t *where, wl_error *err);

/* The coordinates of one thread of a block. */
void wl_ptx_thread_values(const wl_ptx_launch *launch, const int64_t block[3], int64_t thread,
                          int64_t values[WL_VAR_COUNT]);

/* Blocks to look at: spread over the launch, the corners first. */
void wl_ptx_sample_block(const wl_ptx_launch *launch, int64_t i, int64_t n, int64_t block[3]);

#endif /* WL_PTX_KERNEL_PTX_SOURCE_H */
