/* ptx_arguments.h - the arguments of a kernel, with numbers in the place of names.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PTX_ARGUMENTS_H
#define WL_CLI_PTX_ARGUMENTS_H

#include "ptx_unit.h"

/* A list of them, the latest first: they live as long as the kernels. */
typedef struct ptx_arguments {
    struct ptx_arguments *next;
    size_t count, constant_count;
    char *texts[MANY_MAX], *constants[MANY_MAX];
    /* of every character of them, where it comes from in the text as it was given */
    size_t *places[MANY_MAX], *constant_places[MANY_MAX];
} ptx_arguments;

/* Resolves "nx", "buf:nx*ny*8", "n=nx" and "{buf:nx*8, nx:u64}": expressions of names that are set,
 * and of the domain.
 */
wl_status ptx_arguments_add(ptx_arguments **list, const ptx_request *request, wl_error *err);
/* An error in one of the latest texts becomes one in the option as it was given, which the message
 * then shows. */
void ptx_arguments_show(const ptx_arguments *list, const ptx_request *request, wl_error *err);
void ptx_arguments_free(ptx_arguments *list);

#endif /* WL_CLI_PTX_ARGUMENTS_H */
