/* cmd_show.c - warpline show: a kernel as a kernel file. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "load.h"

static bool check_usage(const options *o)
{
    const bool ptx = !o->update && o->argument_count == 1 && ptx_is_source(o->arguments[0]);
    if (!o->update && o->argument_count > 1)
        usage_error("one kernel at a time, please");
    else if (!job_kernel_usage(o, o->argument_count > 0))
        return false;
    else if (ptx && o->block_count != 1)
        usage_error("a kernel in PTX is read for one launch: give --block, as in --block 32x4x2");
    else if (!ptx && (o->block_count || o->grid || o->registers || o->shared))
        usage_error("a launch is only for .ptx or .cu files; a kernel file is the same for all launches");
    else
        return true;
    return false;
}

/* A device is needed only for the architecture to compile for. */
static wl_status load(const options *o, job *j, wl_error *err)
{
    wl_status status = o->device ? load_device(o->device, o->with, o->with_count, &j->device, err) : WL_OK;
    return status == WL_OK ? job_load_kernel(o, o->update ? NULL : o->arguments[0], j, err) : status;
}

int cmd_show(const options *o)
{
    job j = {0};
    wl_error err = {0};
    char *yaml = NULL;
    if (!check_usage(o))
        return EXIT_USAGE;
    int code = job_read_launches(o, &j);
    if (code == EXIT_OK && (load(o, &j, &err) != WL_OK || wl_kernel_show(j.kernel, &yaml, &err) != WL_OK))
        code = diag_report(&err);
    if (code == EXIT_OK)
        fputs(yaml, stdout);
    free(yaml);
    job_free(&j);
    return code;
}
