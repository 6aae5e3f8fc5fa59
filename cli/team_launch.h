/* team_launch.h - environment variables of launchers of parallel programs.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TEAM_LAUNCH_H
#define WL_CLI_TEAM_LAUNCH_H

#include <stdbool.h>

typedef struct team_launch {
    /* started together; 1: only this one; 0: started by a launcher that does not state how many */
    int processes;
    int number;         /* of this process, from 0; -1: unknown */
    const char *source; /* the variable it comes from; NULL: none */
} team_launch;

/* Used before MPI itself, which is slow to start. With WARPLINE_ALONE=1, every process works
 * alone. */
team_launch team_launch_read(void);

/* Are there certainly other processes, even if MPI does not know them? */
bool team_launch_has_others(const team_launch *launch);

/* Reports, once for all processes, that they were started together but cannot work together: what
 * is wrong, and what to do. */
void team_launch_refuse(const team_launch *launch, const char *wrong, const char *remedy);

#endif /* WL_CLI_TEAM_LAUNCH_H */
