/* report_search.h - what a page shows beyond the launch itself: similar launches, and changes that
 * help.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_REPORT_SEARCH_H
#define WL_CLI_REPORT_SEARCH_H

#include "options.h"

#define SEARCHED_LENGTH 640

/* One launch, and how to make others like it. */
typedef struct report_launch {
    const wl_prediction *prediction;
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_predict_options *predict;
    const options *options;  /* registers and names of the rule */
    const wl_kernel *others; /* the kernel for the other launches: less effort for each */
    wl_launch launch;        /* as requested; grid 0: determined by the domain */
    const char *rule;        /* of the grid; NULL: none */
} report_launch;

typedef struct report_search {
    wl_ranked_space space; /* its ranker is NULL if nothing was searched */
    char searched[SEARCHED_LENGTH];
    wl_advised *advised; /* NULL: no_advice says why */
    char no_advice[SEARCHED_LENGTH];
} report_search;

/* If the launch cannot be varied, the result says why. WL_E_NOMEM. */
wl_status report_search_run(const report_launch *launch, report_search *out, wl_error *err);
void report_search_free(report_search *search);

#endif /* WL_CLI_REPORT_SEARCH_H */
