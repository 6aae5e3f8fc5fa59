/* process.h - other programs, run without a shell, and a folder for what they write.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PROCESS_H
#define WL_CLI_PROCESS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#define PATH_LENGTH 4096

/* The path of a program: the name itself if it has a '/', else the first in PATH. False: there is
 * none. */
bool process_find(const char *name, char path[PATH_LENGTH]);
/* The same in the folder of another program, or of the target of its link. */
bool process_find_beside(const char *program, const char *name, char path[PATH_LENGTH]);

/* The folder that this tool is in. False: the system does not say. */
bool process_own_folder(char folder[PATH_LENGTH]);

/* Runs a program and waits for it: with empty input; all output goes to the file `log`. Returns its
 * exit code; 128 and more: ended by a signal; -1: it cannot be started, see errno. */
int process_run(const char *const *argv, const char *log);

/* The same with our input and output. */
int process_pass(const char *const *argv);

/* A folder of our own under $TMPDIR. */
typedef struct scratch {
    char folder[PATH_LENGTH];
    DIR *contents; /* open from the start, so that removal needs no memory */
} scratch;
/* False: see errno. */
bool scratch_make(scratch *scratch);
/* False: the name is too long. */
bool scratch_path(const scratch *scratch, const char *name, char path[PATH_LENGTH]);
void scratch_remove(scratch *scratch);

#endif /* WL_CLI_PROCESS_H */
