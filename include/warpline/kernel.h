/* kernel.h - what one thread of a GPU kernel does to memory.
 *
 * A kernel is read from a small YAML text (docs/input.md) or made from a one-line stencil
 * assignment. Its fields, accesses and sizes are all resolved: the parameters have their values.
 * SPDX-License-Identifier: MIT */
#ifndef WL_KERNEL_H
#define WL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

typedef struct wl_kernel wl_kernel;

/* Values for parameters, overriding those of the text: "nx=320". */
typedef struct wl_kernel_options {
    const char *const *sets;
    size_t set_count;
} wl_kernel_options;

/* Gives the kernel described by a YAML text. `input` names the text in messages; `options` may be
 * NULL. WL_E_INPUT: malformed text, unknown key, undeclared field, division by zero, a size below
 * 1; WL_E_RANGE: a size or address leaves 2^60. */
WL_FALLIBLE wl_kernel_parse(const char *input, const char *text, size_t length, const wl_kernel_options *options,
                            wl_kernel **out, wl_error *err);

/* A kernel from one assignment: the fields are those it names, each over the whole domain with as
 * much halo as the accesses need, rows padded to 128 bytes. `domain` and `type` as on the command
 * line: "4096x4096", "f32". */
WL_FALLIBLE wl_kernel_from_update(const char *update, const char *domain, const char *type, wl_kernel **out,
                                  wl_error *err);
WL_API void wl_kernel_free(wl_kernel *kernel);

/* The kernels shipped with the library. */
WL_API size_t wl_kernel_builtin_count(void);
WL_API const char *wl_kernel_builtin_name(size_t index);
WL_API const char *wl_kernel_builtin_text(const char *name, size_t *length);

WL_API const char *wl_kernel_name(const wl_kernel *kernel);
/* Does the text declare this param, so that a set may change it? */
WL_API bool wl_kernel_has_param(const wl_kernel *kernel, const char *name);
/* Dimensions of the domain (1..3), 0 when the kernel leaves it to the grid; extent[d] for d <
 * dims. */
WL_API int wl_kernel_domain(const wl_kernel *kernel, int64_t extent[3]);
/* The param that is the domain's extent in dimension d, so that a set can change it; NULL: no
 * single one. */
WL_API const char *wl_kernel_domain_param(const wl_kernel *kernel, int d);
/* What the kernel demands of a launch ("block.x == 32"), as written; NULL beyond the last. */
WL_API const char *wl_kernel_condition(const wl_kernel *kernel, size_t index);
WL_API size_t wl_kernel_field_count(const wl_kernel *kernel);
WL_API const char *wl_kernel_field_name(const wl_kernel *kernel, size_t field);
WL_API size_t wl_kernel_access_count(const wl_kernel *kernel);
/* as written: "src[-1,0,0]" */
WL_API const char *wl_kernel_access_text(const wl_kernel *kernel, size_t access);
/* an atomic is one, too */
WL_API bool wl_kernel_access_is_store(const wl_kernel *kernel, size_t access);
WL_API bool wl_kernel_access_is_atomic(const wl_kernel *kernel, size_t access);
WL_API size_t wl_kernel_access_field(const wl_kernel *kernel, size_t access);
/* Flops per work item after common subexpressions and constant folding; false when not known. */
WL_API bool wl_kernel_flops(const wl_kernel *kernel, double *flops);
/* What outputs call a unit of its work: "LUP" (lattice update) where cells read or write what their
 * neighbours do, too, as in stencils and lattice methods; else "cell". */
WL_API const char *wl_kernel_unit(const wl_kernel *kernel);
/* Registers per thread the text states; false when it does not. */
WL_API bool wl_kernel_registers(const wl_kernel *kernel, int64_t *registers);
/* Is the block part of the algorithm: do addresses name threads or blocks, or does the kernel use
 * shared memory? */
WL_API bool wl_kernel_needs_its_block(const wl_kernel *kernel);
/* What was assumed, or not understood, when the kernel was read; NULL beyond the last. Predictions
 * repeat it. */
WL_API const char *wl_kernel_note(const wl_kernel *kernel, size_t index);
/* What its predictions leave out or guess, so that they cannot be compared; NULL beyond the
 * last. */
WL_API const char *wl_kernel_gap(const wl_kernel *kernel, size_t index);

/* The kernel as a kernel file that predicts the same. *yaml is allocated with malloc and belongs to
 * the caller. */
WL_FALLIBLE wl_kernel_show(const wl_kernel *kernel, char **yaml, wl_error *err);

/* ---- layouts ---- */

#define WL_FIELD_DIMS_MAX 6

/* Dimensions of a field (0: addressed by element index); strides[d] and the origin of cell (0,0,..)
 * in elements. */
WL_API int wl_kernel_field_layout(const wl_kernel *kernel, size_t field, int64_t strides[WL_FIELD_DIMS_MAX],
                                  int64_t *origin);

/* A change to where the rows of all fields lie, in bytes; all-zero changes nothing. A row is what
 * lies between cells that differ by 1 in the second dimension. */
typedef struct wl_layout {
    /* a row takes a multiple of this. Rows that follow from an extent may become shorter (1: no
     * padding at all), those of stated strides only longer */
    int64_t row_multiple;
    int64_t row_padding;     /* and this much more                                          */
    int64_t origin_multiple; /* the address of cell (0,0,..) moves up to a multiple of this */
} wl_layout;

/* The same kernel with the rows of its fields laid out differently; read again from its text, of
 * which a kernel keeps a copy. Fields without rows only move as a whole; those in shared memory
 * stay. WL_E_INPUT: a negative number; WL_E_RANGE: a size or address leaves 2^60. */
WL_FALLIBLE wl_kernel_with_layout(const wl_kernel *kernel, const wl_layout *layout, wl_kernel **out, wl_error *err);

#endif /* WL_KERNEL_H */
