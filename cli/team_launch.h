/* team_launch.h - what a launcher of parallel programs says in the environment.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TEAM_LAUNCH_H
#define WL_CLI_TEAM_LAUNCH_H

#include <stdbool.h>

typedef struct team_launch {
    /* started together; 1: only this one; 0: a launcher started it and does not say how many */
    int processes;
    int number;         /* of this process, from 0; -1: not said */
    const char *source; /* the variable that says so; NULL: none */
} team_launch;

/* Asked before MPI itself, which is slow to start. WARPLINE_ALONE=1 makes every process one of its
 * own. */
team_launch team_launch_read(void);

/* Are there certainly others, even if MPI knows of none? */
bool team_launch_has_others(const team_launch *launch);

/* Says, once for all of them, that processes started together cannot work together: what is wrong,
 * and what to do. */
void team_launch_refuse(const team_launch *launch, const char *wrong, const char *remedy);

#endif /* WL_CLI_TEAM_LAUNCH_H */
