/* parameter_roles.h - what a parameter most likely is, by its name.
 *
 * Layer  cuda (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_CUDA_PARAMETER_ROLES_H
#define WL_CUDA_PARAMETER_ROLES_H

#include <stdint.h>

typedef enum wl_role {
    WL_ROLE_UNKNOWN,
    WL_ROLE_EXTENT,   /* of the problem: n */
    WL_ROLE_EXTENT_X, /* nx, width, columns */
    WL_ROLE_EXTENT_Y, /* ny, height, rows */
    WL_ROLE_EXTENT_Z, /* nz, depth */
    WL_ROLE_PITCH,    /* elements of a row: lda, stride */
    WL_ROLE_SMALL,    /* a number of another kind: radius, offset */
    WL_ROLE_OFFSETS,  /* an array that grows: row_ptr */
} wl_role;

typedef struct wl_role_found {
    wl_role role;
    int64_t value; /* of SMALL */
} wl_role_found;

/* Whatever the case of its letters. */
wl_role_found wl_role_of_number(const char *name);
/* Does the array hold places in another one, in order? */
wl_role_found wl_role_of_array(const char *name);

#endif /* WL_CUDA_PARAMETER_ROLES_H */
