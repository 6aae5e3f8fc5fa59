/* progress.h - a progress bar on stderr for work that takes longer than a second, and Ctrl-C.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_PROGRESS_H
#define WL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* From here on, Ctrl-C (or SIGTERM) is remembered instead of ending the program; a second one ends
 * it. */
void progress_start(void);
/* Draws the bar when stderr is a terminal and a second has passed; false after Ctrl-C. */
bool progress_show(int64_t done, int64_t total);
/* Erases the bar and restores Ctrl-C. */
void progress_end(void);
/* Around a call that may emulate for long: says so on a terminal once a second has passed. */
void progress_wait(void);
void progress_wait_end(void);
/* The signal that was remembered; 0: none. */
int progress_interrupted(void);

#endif /* WL_CLI_PROGRESS_H */
