/* check.h - what `warpline check` found, on its way to the output. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_CHECK_H
#define WL_CLI_CHECK_H

#include "job.h"
#include "stored.h"

typedef struct checked {
    wl_launch launch;
    char *device; /* its name */
    const stored *stored; /* the launch's own baseline, or NULL */
    wl_finding findings[MANY_MAX + WL_FINDINGS_MAX];
    size_t finding_count;
} checked;

typedef struct check {
    const options *options;
    job job;
    wl_budget budgets[MANY_MAX];
    size_t budget_count;
    stored_file baseline;
    double tolerance;
    checked *launches;
    size_t launch_count;
    size_t total, failed, better, not_compared; /* findings */
    size_t left_out;                            /* launches of the baseline that are not meant */
} check;

void check_text(const check *check);
/* WL_E_NOMEM only. */
wl_status check_json(const check *check);

#endif /* WL_CLI_CHECK_H */
