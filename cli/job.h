/* job.h - shared by commands that predict launches of one kernel: kernel, device, predictor, and
 * the launches in the options. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_JOB_H
#define WL_CLI_JOB_H

#include "launch_text.h"
#include "options.h"
#include "ptx_unit.h"

typedef struct job {
    wl_kernel *kernel;
    wl_device *device;
    wl_predictor *predictor;
    ptx_unit *unit;      /* of a kernel in PTX or CUDA */
    ptx_request request; /* its launch is the one it is read for ... */
    launch_rule read_at; /* ... with this grid, where that is a rule */
    wl_grid_rule *grid;  /* for every launch without its own grid; NULL: no rule */
    wl_launch common;    /* the options for every launch, without a block */
    wl_launch launches[MANY_MAX];
    launch_rule rules[MANY_MAX]; /* of their grids, where --block has one */
    size_t launch_count;
    wl_predict_options options;
} job;

/* Checks a kernel or --update, and the options that go with either: prints what is wrong and
 * returns false. `named`: the arguments contain a kernel. */
bool job_kernel_usage(const options *options, bool named);

/* The same for commands that take one launch on one device. */
bool job_launch_usage(const options *options);

/* Reads the options of launches and models, and one launch per --block; the exit code, EXIT_OK to
 * go on. */
int job_read_launches(const options *options, job *job);

/* Loads what the job does not have yet: device, kernel, predictor. `kernel` is NULL for --update.
 * The launches have their grids then. */
wl_status job_load(const options *options, const char *kernel, const char *device, job *job, wl_error *err);
/* The kernel alone. */
wl_status job_load_kernel(const options *options, const char *kernel, job *job, wl_error *err);
/* The grid of a launch from its own rule (length 0: it has none), else from --grid, where that is a
 * rule and the launch has no grid. */
wl_status job_set_grid(const options *options, const job *job, const launch_rule *own, wl_launch *launch,
                       wl_error *err);
/* Makes room for another device; the predictor goes as well. */
void job_drop_device(job *job);

/* The launch cannot run: makes the message show the option it is about. `block` is the text of the
 * block. */
void job_show_option(const options *options, const char *block, wl_error *err);

void job_free(job *job);

#endif /* WL_CLI_JOB_H */
