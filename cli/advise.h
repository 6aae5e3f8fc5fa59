/* advise.h - what `warpline advise` found, and how it is shown. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_ADVISE_H
#define WL_CLI_ADVISE_H

#include <stdio.h>

#include "job.h"

#define ADVICE_MAX 5
#define DEVICES_MAX 64

typedef struct advised {
    job job;
    wl_advise_options options;
    wl_advice advice[ADVICE_MAX];
    wl_advised result;
    wl_elsewhere devices[DEVICES_MAX]; /* the one asked about first */
    size_t device_count;
    const char *device_model;
    bool devices_left; /* for the time it would take */
} advised;

wl_status advise_print_text(const advised *advised, FILE *out, wl_error *err);
wl_status advise_print_json(const advised *advised, FILE *out, wl_error *err);

#endif /* WL_CLI_ADVISE_H */
