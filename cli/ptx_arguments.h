/* ptx_arguments.h - the arguments of a kernel, with names replaced by numbers.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PTX_ARGUMENTS_H
#define WL_CLI_PTX_ARGUMENTS_H

#include "ptx_unit.h"

/* A list of them, the latest first: they live as long as the kernels. */
typedef struct ptx_arguments {
    struct ptx_arguments *next;
    ptx_request request; /* they are part of; its rules are evaluated for other launches, too */
    size_t count, constant_count;
    char *texts[MANY_MAX], *constants[MANY_MAX];
    /* for each of their characters, its position in the given text */
    size_t *places[MANY_MAX], *constant_places[MANY_MAX];
} ptx_arguments;

/* Resolves "nx", "buf:nx*ny*8", "n=nx" and "{buf:nx*8, nx:u64}": expressions of names that are set,
 * and of the domain.
 */
wl_status ptx_arguments_add(ptx_arguments **list, const ptx_request *request, wl_error *err);
/* Turns an error in one of the latest texts into one in the given option, which the message then
 * shows. */
void ptx_arguments_show(const ptx_arguments *list, const ptx_request *request, wl_error *err);
void ptx_arguments_free(ptx_arguments *list);

#endif /* WL_CLI_PTX_ARGUMENTS_H */
