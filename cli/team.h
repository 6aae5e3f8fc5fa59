/* team.h - several processes that share one search: the same command under mpirun.
 *
 * Every process reads the same arguments and files. The first one leads: it deals out parts of the space, works itself
 * in between, collects the records and writes the result. A member that gives no sign of life for a while is reported
 * and its parts are dealt out again. Built without MPI there is only a team of one. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TEAM_H
#define WL_CLI_TEAM_H

#include "warpline/rank.h"

/* Finds out whether there are others. The exit code. */
int team_join(void);
bool team_leads(void);
int team_size(void);
/* Threads each member should use, so that those on one machine share its cores; 0: no opinion. */
int team_threads(void);

/* All members say whether they are ready (an exit code); all get the first code that is not 0. */
int team_agree(int code);

/* Like wl_rank, with the records of `each` in the order of the space. Members return when the leader has everything;
 * only the leader has a ranking. */
wl_status team_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity,
                    bool (*each)(void *user, const wl_ranked *records, size_t count), void *user, wl_ranking *out,
                    wl_error *err);

/* To be called from the ranker's progress: draws the bar (leader), or gives the sign of life (others). False: stop. */
bool team_pulse(int64_t done, int64_t total);

/* Ends the team; `code` is the leader's exit code. Returns it unless a member was lost, when it does not return. */
int team_leave(int code);

#endif /* WL_CLI_TEAM_H */
