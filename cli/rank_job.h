/* rank_job.h - shared by the parts of 'warpline rank'. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_RANK_JOB_H
#define WL_CLI_RANK_JOB_H

#include "launch_text.h"
#include "options.h"
#include "output.h"
#include "ptx_unit.h"

/* All of the state. */
typedef struct rank_job {
    const options *options;
    wl_space *space;
    wl_launch launches[MANY_MAX]; /* --block: these instead of a space ... */
    launch_rule rules[MANY_MAX];  /* ... with their own rules for the grid */
    size_t launch_count;
    wl_kernel *kernels[MANY_MAX]; /* one per domain */
    ptx_unit *unit;               /* of kernels in PTX or CUDA */
    wl_device *devices[MANY_MAX];
    size_t kernel_count, device_count;
    wl_ranked_space *spaces; /* devices times domains, devices outermost */
    size_t space_count;
    wl_rank_options rank;
    size_t top;         /* lines of the table; 0: not given */
    int64_t choose;     /* --top-k 10 */
    double probability; /* --top-k 90% */
    int64_t memory;
    output out;
    held_output held; /* what the writer wrote */
    wl_rank_writer writer;
    wl_error write_error;      /* of the writer, while a search calls it */
    int drawn;                 /* the exit code of the picture */
    size_t written;            /* spaces that are in the output already */
    wl_ranked_space *searched; /* the one being searched now */
    bool streams;              /* its launches are written as they come ... */
    bool streaming;            /* ... and some are in the output already */
    bool repeated;             /* of another value of a sweep: its notes are known */
} rank_job;

/* rank_load.c. Both print what is wrong. */
bool rank_usage(const options *options);
/* Fills numbers, space, kernels, devices and room for the spaces; the exit code. */
int rank_load(rank_job *job);
/* The launches that --block names, if it does, with their grids on this device. */
wl_status rank_list_launches(rank_job *job, size_t device, size_t domain, wl_error *err);
void rank_job_free(rank_job *job);

#endif /* WL_CLI_RANK_JOB_H */
