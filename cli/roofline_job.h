/* roofline_job.h - a roofline under construction: predicted launches, measured ones, or pairs of
 * both.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_ROOFLINE_JOB_H
#define WL_CLI_ROOFLINE_JOB_H

#include "options.h"

typedef struct picture {
    const options *options;
    wl_roofline_kind kind;
    wl_roofline *roofline;
    size_t added, left_out;
    wl_error why;    /* the first launch that was left out */
    char device[64]; /* of lines */
} picture;

/* cmd_roofline.c: adds a launch. A launch that this kind of roofline cannot show is left out with a
 * message; *added is false then. */
wl_status picture_add(picture *p, const wl_tallies *launch, bool *added, wl_error *err);

/* roofline_measured.c. Prints what is wrong; the exit code. */
bool picture_is_table(const char *path);             /* FILE.csv */
int picture_add_table(picture *p, const char *path); /* its launches */
/* The launches of --measured, predicted for a kernel (NULL: those of --map) as compare does it,
 * each beside the measured one. */
int picture_add_pairs(picture *p, const char *kernel);

#endif /* WL_CLI_ROOFLINE_JOB_H */
