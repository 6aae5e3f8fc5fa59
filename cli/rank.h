/* rank.h - what the parts of 'warpline rank' share. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_RANK_H
#define WL_CLI_RANK_H

#include <stdio.h>

#include "options.h"
#include "output.h"
#include "ptx_unit.h"

/* One kernel (and domain) on one device, searched. */
typedef struct ranked_space {
    wl_ranker *ranker;
    const wl_ranked *launches; /* predicted ones, best first: all, or as many as memory allows */
    size_t count;
    int64_t domain[3];
    int dims;
    double tie; /* predictions within this ratio of each other are as good as equal */
    wl_trust trust;
    wl_ranking ranking;
    double best_s; /* 0: none was predicted */
    bool chosen;   /* --top-k: `launches` is the set to benchmark ... */
    double within; /* ... all predicted within this ratio of the best ... */
    double chance; /* ... and this is the probability that the true best is among them; 0: not known */
} ranked_space;

/* rank_text.c */
void rank_text(const ranked_space *spaces, size_t count, size_t top, FILE *out);
/* Why there is nothing to rank, as an error on stderr; the exit code. */
int rank_nothing(const ranked_space *space);
/* How many of the best are within this ratio of the first: of all that were kept, not only of those to benchmark. */
size_t rank_within(const ranked_space *space, double ratio);

/* rank_data.c: JSON and CSV, written piece by piece, so that a space of any size can pass through. */
typedef struct rank_writer {
    FILE *file;
    bool csv;
    size_t spaces, launches; /* written so far; launches of this space */
} rank_writer;
void rank_write_start(rank_writer *writer, const char *kernel);
void rank_write_space(rank_writer *writer, const ranked_space *space);
/* rank and group 0: not known, because launches come in the order of the space. */
void rank_write_launch(rank_writer *writer, const ranked_space *space, const wl_ranked *launch, size_t rank,
                       size_t group);
void rank_write_space_end(rank_writer *writer, const ranked_space *space, bool sorted);
void rank_write_end(rank_writer *writer);

/* rank_export.c: "kernel-tuner", "kernel-tuner-cache", "triton" */
bool rank_export_known(const char *format);
/* WL_E_UNSUPPORTED: the format cannot hold these spaces together. */
wl_status rank_export(const char *format, const ranked_space *spaces, size_t space_count, FILE *out, wl_error *err);

/* rank_plot.c: writes data and script beside the picture and runs gnuplot; the exit code. */
int rank_plot(const char *path, const ranked_space *spaces, size_t space_count);

/* The whole of it. */
typedef struct rank_job {
    const options *options;
    wl_space *space;
    wl_kernel *kernels[MANY_MAX]; /* one per domain */
    ptx_unit *unit;               /* of kernels in PTX or CUDA */
    wl_device *devices[MANY_MAX];
    size_t kernel_count, device_count;
    ranked_space *spaces; /* devices times domains, devices outermost */
    size_t space_count;
    wl_rank_options rank;
    size_t top;         /* lines of the table; 0: not given */
    int64_t choose;     /* --top-k 10 */
    double probability; /* --top-k 90% */
    int64_t memory;
    output out;
    rank_writer writer;
    size_t written;         /* spaces that are in the output already */
    ranked_space *searched; /* the one being searched now */
    bool streams;           /* its launches are written as they come ... */
    bool streaming;         /* ... and some are in the output already */
} rank_job;

/* rank_load.c. Both print what is wrong. */
bool rank_usage(const options *options);
/* Fills numbers, space, kernels, devices and room for the spaces; the exit code. */
int rank_load(rank_job *job);
void rank_job_free(rank_job *job);

/* The tie group of each launch, counted from 1: a group starts with its fastest and takes in all within `tie` of it. */
typedef struct tie_groups {
    double tie, start_s;
    size_t group;
} tie_groups;
size_t tie_group_of(tie_groups *groups, const wl_ranked *launch);

#endif /* WL_CLI_RANK_H */
