/* ptx_unit.h - kernels of PTX and CUDA files and of executables: the file, its resources, and the
 * data files of its arguments.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PTX_UNIT_H
#define WL_CLI_PTX_UNIT_H

#include "options.h"
#include "process.h"
#include "ptx_modules.h"
#include "ptxas.h"

/* By suffix: .ptx and .cu. Or by its contents: an executable, object, library, fatbin or cubin. */
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
/* The device gives the architecture to compile for, or to take PTX for; NULL: --arch gives it, else
 * sm_80, or the latest that there is. */
wl_status ptx_unit_open(const options *options, const char *path, const wl_device *device, ptx_unit **out,
                        wl_error *err);
/* In two parts, of which the first may run in several threads: the PTX of a CUDA file, in memory of
 * malloc; and the unit of it, which takes that memory in any case. */
wl_status ptx_unit_compile(const options *options, const char *path, const wl_device *device,
                           char compiler[PATH_LENGTH], char **text, size_t *length, wl_error *err);
wl_status ptx_unit_open_compiled(const options *options, const char *path, const wl_device *device,
                                 const char *compiler, char *text, size_t length, ptx_unit **out, wl_error *err);
void ptx_unit_free(ptx_unit *unit);
/* One of .ptx and .cu files; of an executable, those for the device that have kernels. */
const ptx_modules *ptx_unit_modules(const ptx_unit *unit);
/* As wl_ptx_entry_find_in. */
wl_status ptx_unit_find(const ptx_unit *unit, const char *name, bool printed, size_t *module, size_t *entry,
                        wl_error *err);
/* The resources of an entry by ptxas; *out NULL: unknown. WL_E_NOMEM. */
wl_status ptx_unit_resources(ptx_unit *unit, size_t module, const char *entry, const ptxas_entry **out, wl_error *err);

wl_status ptx_unit_kernel(ptx_unit *unit, const ptx_request *request, wl_kernel **out, wl_error *err);

#endif /* WL_CLI_PTX_UNIT_H */
