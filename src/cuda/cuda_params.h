/* cuda_params.h - the parameters that a declaration in CUDA source names.
 *
 * Layer  cuda (uses base). Oracle: tests/unit/test_ptx_given.c, tests/unit/test_first_launch.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CUDA_PARAMS_H
#define WL_CUDA_PARAMS_H

#include "cuda/cuda_words.h"

#define WL_CUDA_PARAMS_MAX 256

typedef struct wl_cuda_param {
    wl_cuda_word name;  /* length 0: none */
    wl_cuda_range type; /* what stands before the name */
    bool is_array;      /* "[..]" follows: a pointer */
} wl_cuda_param;

typedef struct wl_cuda_params {
    wl_cuda_param list[WL_CUDA_PARAMS_MAX];
    int count; /* -1: more than that, or one has no name */
} wl_cuda_params;

/* From after __global__ to behind the '(' of the parameters. False: this is no declaration of a
 * function. *name is the function's. */
bool wl_cuda_find_params(const char **at, const char *end, wl_cuda_word *name);
/* From after '(' to behind ')'. False: the text ends before. */
bool wl_cuda_read_params(const char **at, const char *end, wl_cuda_params *out);

/* ---- types ---- */

typedef enum wl_cuda_kind {
    WL_CUDA_INTEGER,
    WL_CUDA_REAL,
    WL_CUDA_BOOL,
    WL_CUDA_TEXTURE,
    WL_CUDA_SURFACE,
    WL_CUDA_OTHER /* a struct, a template parameter, a name that is not known */
} wl_cuda_kind;

/* "const float *__restrict__": a pointer to constant reals of 4 bytes. */
typedef struct wl_cuda_type {
    wl_cuda_kind kind; /* of the element, for a pointer */
    int bytes;         /* of one; 0: not known */
    int parts;         /* members of float4: 4 */
    bool is_signed, is_const;
    int pointers;
    wl_cuda_word base; /* the name that says it, "float"; OTHER: the name that is not known */
} wl_cuda_type;
wl_cuda_type wl_cuda_type_of(wl_cuda_range text);
/* As people write it: "const double *"; without restrict and volatile, blanks as usual. At most
 * size - 1 characters. */
void wl_cuda_type_text(wl_cuda_range type, bool is_array, char *out, size_t size);

#endif /* WL_CUDA_PARAMS_H */
