/* write_kernel.h - writes a recovered kernel as a kernel file.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_KERNEL_WRITE_KERNEL_H
#define WL_PTX_KERNEL_WRITE_KERNEL_H

#include "kernel/item_mix.h"
#include "ptx/recover/loop_rolling.h"

/* A field of the kernel: a buffer, or the shared memory of a block. */
typedef struct wl_ptx_field {
    const wl_ptx_buffer *buffer; /* NULL: shared memory, or parameters */
    bool constant;               /* constant memory, or parameters */
    char name[56];
    int unit; /* bytes of an element: the narrowest type that is moved */
    bool is_float;
    bool random; /* irregular addresses: see address_pattern.h */
} wl_ptx_field;

typedef struct wl_ptx_fields {
    wl_ptx_field *list;
    size_t count;
} wl_ptx_fields;

/* Finds or adds the field of a buffer (NULL: shared memory) for the elements that an instruction
 * moves. */
size_t wl_ptx_field_of(wl_ptx_fields *fields, const wl_ptx_buffer *buffer, const wl_ptx_instruction *in);

/* What a kernel file states besides accesses. */
typedef struct wl_ptx_summary {
    const char *input, *name;        /* of the entry */
    int64_t registers, shared_bytes; /* 0: unknown, or none */
    double barriers;
    bool has_mix;
    wl_item_mix item;
    double idle[WL_INST_CLASS_COUNT]; /* of a thread outside the domain */
    wl_idle_stage stages[WL_IDLE_STAGES_MAX];
    int stage_count;
} wl_ptx_summary;

/* *out is allocated with malloc. */
wl_status wl_ptx_kernel_text(const wl_ptx_launch *launch, const wl_ptx_recovery *recovery,
                             const wl_ptx_rolled_loops *rolled, const wl_ptx_fields *fields,
                             const wl_ptx_summary *summary, char **out, wl_error *err);

#endif /* WL_PTX_KERNEL_WRITE_KERNEL_H */
