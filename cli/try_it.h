/* try_it.h - a report that can be played with: the page of `make web`, and each launch as what that
 * page begins with.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TRY_IT_H
#define WL_CLI_TRY_IT_H

#include "job.h"

/* Checks --interactive and --web: prints what is wrong and returns false. */
bool try_it_usage(const options *options);
/* The page, in memory of malloc: of --web, $WARPLINE_WEB, or where it is made or installed. Prints
 * what is wrong; the exit code. */
int try_it_read(const options *options, char **html);

typedef struct try_launch {
    const options *options;
    const job *job;     /* NULL: a line of a batch */
    const char *kernel; /* the argument; NULL: --update, or a line of a batch */
    const char *block;  /* as given; NULL: as predicted */
    const wl_prediction *prediction;
    const wl_kernel *read; /* the kernel, for any launch */
    const wl_device *device;
} try_launch;

#define TRY_NOTE_LENGTH 512

typedef struct try_it {
    char *address; /* behind the # of that page; NULL: it cannot show this launch */
    bool refused;
    char note[TRY_NOTE_LENGTH]; /* why not, or what is left out; "" */
} try_it;

/* WL_E_NOMEM */
wl_status try_it_make(const try_launch *launch, try_it *out, wl_error *err);

#endif /* WL_CLI_TRY_IT_H */
