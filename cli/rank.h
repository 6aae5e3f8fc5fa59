/* rank.h - what the parts of 'warpline rank' share. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_RANK_H
#define WL_CLI_RANK_H

#include <stdio.h>

#include "warpline/rank.h"

/* One kernel (and domain) on one device, searched. */
typedef struct ranked_space {
    wl_ranker *ranker;
    const wl_ranked *launches; /* predicted ones, best first */
    size_t count;
    int64_t domain[3];
    int dims;
    double tie; /* predictions within this ratio of each other are as good as equal */
} ranked_space;

/* rank_export.c: "kernel-tuner", "kernel-tuner-cache", "triton" */
bool rank_export_known(const char *format);
/* WL_E_UNSUPPORTED: the format cannot hold these spaces together. */
wl_status rank_export(const char *format, const ranked_space *spaces, size_t space_count, FILE *out, wl_error *err);

/* rank_plot.c: writes data and script beside the picture and runs gnuplot; the exit code. */
int rank_plot(const char *path, const ranked_space *spaces, size_t space_count);

#endif /* WL_CLI_RANK_H */
