/* kernel_build.h - what reading a kernel file and reading a bare assignment share. SPDX-License-Identifier: MIT */
#ifndef WL_INPUT_KERNEL_BUILD_H
#define WL_INPUT_KERNEL_BUILD_H

#include "input/expr_parse.h"
#include "input/kernel_read.h"

/* A kernel being read. */
typedef struct wl_kernel_builder {
    wl_kernel *kernel;
    const struct wl_yaml *root; /* of the file; NULL without one */
    wl_param *params;
    size_t param_count;
    const char **scalars;
    size_t scalar_count;
    wl_layout layout; /* change to make to the fields' layout */
    wl_error *err;
} wl_kernel_builder;

/* Sets dims and extents; fails when there are more than 2^60 points. */
wl_status wl_kernel_set_domain(wl_kernel *kernel, const int64_t *extent, int dims, wl_loc loc, wl_error *err);

/* Strides and origin of a field given by extent and halo: interior cell 0 and every row start on a row boundary. */
wl_status wl_field_lay_out(wl_field *field, const int64_t *extent, const int64_t *halo, wl_error *err);

/* Changes the layout of a field that is complete; accesses are read afterwards. */
wl_status wl_field_change_layout(wl_field *field, const wl_layout *layout, wl_error *err);
/* The same for all fields of a file; marks those whose elements are named by index. */
wl_status wl_kernel_change_layouts(wl_kernel_builder *builder);

/* Reads the assignments into the kernel's accesses and flops. */
wl_status wl_kernel_read_update(wl_kernel_builder *builder, const char *text);

/* index += stride * term */
wl_status wl_index_add(wl_kernel_builder *builder, const wl_expr **index, int64_t stride, const wl_expr *term,
                       wl_loc loc);

/* What follows from fields and accesses: precision, thread-index reads. */
void wl_kernel_derive(wl_kernel *kernel);

/* Names the input, keeps a copy of the text and gives the kernel, or frees it when status is a failure. */
wl_status wl_kernel_finish(wl_kernel *kernel, const char *input, const wl_kernel_text *text, wl_status status,
                           wl_kernel **out, wl_error *err);

#endif /* WL_INPUT_KERNEL_BUILD_H */
