/* kernel_build.h - what the readers of kernel files and of bare assignments share.
 *
 * Layer  input (uses base, kernel).
 * SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_KERNEL_BUILD_H
#define WL_INPUT_KERNEL_BUILD_H

#include "input/expr_parse.h"
#include "input/kernel_read.h"

/* A kernel under construction. */
typedef struct wl_kernel_builder {
    wl_kernel *kernel;
    const struct wl_yaml *root; /* of the file; NULL: no file */
    wl_param *params;
    size_t param_count;
    const char **scalars;
    size_t scalar_count;
    wl_layout layout; /* changes to make to the layout of the fields */
    wl_error *err;
} wl_kernel_builder;

/* Sets dims and extents; fails beyond 2^60 cells. */
wl_status wl_kernel_set_domain(wl_kernel *kernel, const int64_t *extent, int dims, wl_loc loc, wl_error *err);

/* Strides and origin of a field with given extent and halo: pads rows so that each starts, without
 * its halo, at a multiple of the row alignment. */
/* The first and last cell that an access touches in one dimension. */
typedef struct wl_cell_span {
    int64_t first, last;
    wl_loc loc; /* of the access */
} wl_cell_span;
/* WL_E_INPUT: the cells are outside the field's extent and halo. */
wl_status wl_field_check_cells(const wl_field *field, int d, const wl_cell_span *span, const char *text, wl_error *err);

wl_status wl_field_lay_out(wl_field *field, const int64_t *extent, const int64_t *halo, wl_error *err);

/* Changes the layout of a complete field. Call before accesses are read. */
wl_status wl_field_change_layout(wl_field *field, const wl_layout *layout, wl_error *err);
/* Changes the layout of all fields of a file; marks fields that an access addresses by element
 * index. */
wl_status wl_kernel_change_layouts(wl_kernel_builder *builder);

/* Reads the assignments into the kernel's accesses and flops. */
wl_status wl_kernel_read_update(wl_kernel_builder *builder, const char *text);

/* index += stride * term */
wl_status wl_index_add(wl_kernel_builder *builder, const wl_expr **index, int64_t stride, const wl_expr *term,
                       wl_loc loc);

/* Sets what follows from fields and accesses: precision, thread-index reads. */
void wl_kernel_derive(wl_kernel *kernel);

/* Names the input and copies the text. On success hands out the kernel, else frees it. */
wl_status wl_kernel_finish(wl_kernel *kernel, const char *input, const wl_kernel_text *text, wl_status status,
                           wl_kernel **out, wl_error *err);

#endif /* WL_INPUT_KERNEL_BUILD_H */
