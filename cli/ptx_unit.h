/* ptx_unit.h - kernels of PTX and CUDA files: the file, its resources, and the data files of its
 * arguments.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PTX_UNIT_H
#define WL_CLI_PTX_UNIT_H

#include "options.h"
#include "ptxas.h"

/* By suffix: .ptx and .cu. */
bool ptx_is_source(const char *kernel);
bool ptx_is_cuda(const char *kernel);
/* Options of PTX kernels are allowed only with PTX or CUDA, those of compilers only with CUDA:
 * prints what is wrong and returns false. `kernel` may be NULL. */
bool ptx_usage(const options *options, const char *kernel);

/* One kernel of a file, for one launch. */
typedef struct ptx_request {
    const char *entry;
    const char *const *args, *const *constants, *const *sets;
    size_t arg_count, constant_count, set_count;
    wl_launch launch;
    int64_t domain[3], cluster[3]; /* 0: not given */
    int64_t dynamic_shared, budget;
    const char *shared_rule; /* dynamic shared memory as "block.x*4"; NULL: the number above */
    double effort;           /* 0: the default */
    bool outside;            /* accesses out of bounds are findings */
} ptx_request;

/* Reads the options, except for launch and domain. Prints what is wrong; returns the exit code. */
int ptx_request_read(const options *options, ptx_request *request);

/* A file that was read, after compilation if needed. It must outlive its kernels. */
typedef struct ptx_unit ptx_unit;
/* The device gives the architecture to compile for; NULL: --arch gives it, else sm_80. */
wl_status ptx_unit_open(const options *options, const char *path, const wl_device *device, ptx_unit **out,
                        wl_error *err);
void ptx_unit_free(ptx_unit *unit);
const wl_ptx *ptx_unit_module(const ptx_unit *unit);
/* The resources of an entry by ptxas; NULL: unknown. */
const ptxas_entry *ptx_unit_resources(const ptx_unit *unit, const char *entry);

wl_status ptx_unit_kernel(ptx_unit *unit, const ptx_request *request, wl_kernel **out, wl_error *err);

#endif /* WL_CLI_PTX_UNIT_H */
