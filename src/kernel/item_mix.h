/* item_mix.h - what a work item executes, as keys of a kernel file.
 *
 * Layer  kernel. Units: machine instructions of a thread per work item.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_ITEM_MIX_H
#define WL_KERNEL_ITEM_MIX_H

#include "kernel/counted_mix.h"

struct wl_buffer;

typedef struct wl_item_mix {
    double flops, fp_results;
    double classes[WL_INST_CLASS_COUNT];
    double shuffles, integer_pipe;
    double converts[WL_CONVERT_COUNT], multiplies[WL_MULTIPLY_COUNT];
    double tensor[WL_TENSOR_KIND_COUNT], tensor_groups[WL_TENSOR_KIND_COUNT]; /* flops */
} wl_item_mix;

/* `flops`, `fp_results`; then `shuffles`, `mix` and what parts of it are. */
void wl_item_flops_write(const wl_item_mix *item, struct wl_buffer *out);
void wl_item_mix_write(const wl_item_mix *item, struct wl_buffer *out);

/* Amounts that are not 0, as entries of a map, the first after `before`; returns whether there are
 * any. */
bool wl_amounts_write(const char *before, const char *(*name)(int), const double *amounts, int count,
                      struct wl_buffer *out);
/* The same of instructions by class. */
bool wl_classes_write(const char *before, const double classes[WL_INST_CLASS_COUNT], struct wl_buffer *out);

#endif /* WL_KERNEL_ITEM_MIX_H */
