/* recorded.h - recordings of programs as arguments: the one of this run, one of its launches as the
 * launch that options describe, and profiles of all of them.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_RECORDED_H
#define WL_CLI_RECORDED_H

#include "options.h"

/* A file or folder with a recording? */
bool recorded_is(const char *path);
/* If the first argument is a recording: opens it, and unless the command takes all of it, fills in
 * block and grid of the launch that is meant: that of --launch, else the one that takes longest.
 * Prints what is wrong; the exit code. */
int recorded_prepare(const command *command, options *options);
/* Opens a recording that is no argument: that of a program that just ran. The exit code. */
int recorded_open(const char *path);
void recorded_forget(void);
/* The recording of this run, or NULL; and the number of the launch that is meant. */
wl_recording *recorded_recording(void);
size_t recorded_launch(void);
/* Does the command take the whole program? */
bool recorded_whole(const options *options);

/* Whether a search may change the block of the launch that is meant: not where the kernel, or the
 * grid that the host computed, was written for it, unless a rule for the grid is given.
 * WL_E_UNSUPPORTED says why not. */
wl_status recorded_block_varies(const options *options, const wl_kernel *kernel, wl_error *err);
/* Makes this launch the one that is meant: fills in block and grid. */
void recorded_choose(size_t launch, options *options);

/* The profiles of the recording on devices; the caller frees them with recorded_profiles_free. */
typedef struct recorded_profiles {
    wl_device **devices;
    wl_profile **profiles;
    size_t count;
} recorded_profiles;
/* `full`: with all that rooflines need. */
wl_status recorded_profiles_make(const options *options, bool full, const char *const *devices, size_t count,
                                 recorded_profiles *out, wl_error *err);
void recorded_profiles_free(recorded_profiles *profiles);

#endif /* WL_CLI_RECORDED_H */
